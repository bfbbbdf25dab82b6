/* Lists of keys with a value each in a plan file: how they are read, inherited and told apart. Faults
 * are noted in the document. */
#ifndef NNCOST_RECORD_PLAN_FILE_PAIRS_H
#define NNCOST_RECORD_PLAN_FILE_PAIRS_H

#include "input/read.h"
#include "record/plan_file.h"

/* Notes that memory ran out, and returns false. */
bool nnc_plans_no_memory(nnc_json at);
/* A copy in the arena of the document; NULL, noted, when out of memory. */
const char *nnc_plans_copy_text(nnc_json at, const char *text);

/* Reads the value of a field of the plan, as an option would; null takes an inherited one back. */
void nnc_pairs_read_value(nnc_json at, const nnc_field *field, nnc_pairs *into);

/* An object of keys with a value each, null to remove one; `read` turns a value into a text, NULL
 * with a fault where it cannot. */
void nnc_pairs_read(nnc_json at, nnc_pairs *pairs, const char *(*read)(nnc_json item));
const char *nnc_plans_read_set(nnc_json item);  /* "model.layers": 40 */
const char *nnc_plans_read_rule(nnc_json item); /* "step_s": "<= 9.5" */

/* Gives the list room of its own for more; false when out of memory. */
bool nnc_pairs_own(nnc_json at, nnc_pairs *pairs);

/* Does not depend on the order in which keys were written. */
uint64_t nnc_pairs_digest(uint64_t digest, const nnc_pairs *pairs);

#endif
