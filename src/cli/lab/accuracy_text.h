/* Predictions beside measurements, to be read by people. */
#ifndef NNCOST_CLI_LAB_ACCURACY_TEXT_H
#define NNCOST_CLI_LAB_ACCURACY_TEXT_H

#include "cli/lab/accuracy_view.h"

/* A page of an nnc_accuracy_report. */
void nnc_accuracy_page(nnc_buffer *out, nnc_style style, const void *record);

/* Of an nnc_score_group. */
extern const nnc_metrics nnc_score_group_metrics;

#endif
