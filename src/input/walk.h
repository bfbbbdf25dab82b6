/* A walk over text that has been read as JSON without fault, to find where values stand. */
#ifndef NNCOST_INPUT_WALK_H
#define NNCOST_INPUT_WALK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct nnc_walk {
    const char *text;
    size_t at;
    long line;         /* of the place, from 1 */
    size_t key;        /* of the member at hand, in its quotes; in a list, the value */
    size_t key_length; /* 0 in a list */
    long key_line;
} nnc_walk;

/* Stands at the text's one value. */
nnc_walk nnc_walk_begin(const char *text);
/* From a bracket on, or from behind a value inside: to the value of the next member. false: there is no
 * further one, and the walk stands behind the closing bracket. */
bool nnc_walk_member(nnc_walk *w, bool object);
/* Past a value of any kind: up to where its brackets close. */
void nnc_walk_value(nnc_walk *w);
/* On to a place further on, whose line is then known. */
void nnc_walk_on(nnc_walk *w, size_t to);
/* Is this the key of the member at hand? Not when it is written with escapes. */
bool nnc_walk_key_is(const nnc_walk *w, const char *key);

#endif
