/* Spellings of ids. */
#ifndef NNCOST_INPUT_ID_SPELLING_H
#define NNCOST_INPUT_ID_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* Words and numbers in lower case, a '-' between them, without an owner ("meta-llama/"), a maker ("NVIDIA") and
 * endings such as "-hf": "meta-llama/Meta-Llama-3-8B" and "llama3-8b" are both "llama-3-8-b". Empty when it
 * does not fit. */
void nnc_id_plain(const char *text, char *plain, size_t size);

/* Are they the same id, however written? */
bool nnc_id_same(const char *a, const char *b);

#endif
