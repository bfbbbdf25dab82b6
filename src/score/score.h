/* Rows and their predictions, between the files of the program. */
#ifndef NNCOST_SCORE_SCORE_H
#define NNCOST_SCORE_SCORE_H

#include <nncost/score.h>

/* A row without a prediction. */
nnc_scored nnc_scored_open(const nnc_measured *row);

#endif
