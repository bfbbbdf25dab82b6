/* A walk over text that has been read as JSON without fault, to find where values stand. */
#ifndef NNCOST_INPUT_WALK_H
#define NNCOST_INPUT_WALK_H

#include <stddef.h>

typedef struct nnc_walk {
    const char *text;
    size_t at;
    long line; /* of the place, from 1 */
} nnc_walk;

void nnc_walk_blanks(nnc_walk *w);
/* Past a text in quotes. */
void nnc_walk_quoted(nnc_walk *w);
/* Past a value of any kind: up to where its brackets close. */
void nnc_walk_value(nnc_walk *w);

#endif
