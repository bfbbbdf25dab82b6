/* Sets of flags by the names that options and files give them. */
#ifndef NNCOST_INPUT_FLAGS_H
#define NNCOST_INPUT_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "input/field.h"

typedef struct nnc_flag {
    const char *name; /* NULL ends a list */
    unsigned flag;
    bool also; /* read, and never printed */
} nnc_flag;

/* A value with two names is printed by its later one when it stands alone. */
extern const nnc_flag nnc_recompute_flags[], nnc_offload_flags[], nnc_train_flags[];

/* The flags of a type of field; NULL = it has none. */
const nnc_flag *nnc_flags_of(nnc_field_type type);

/* Every flag of a list. */
unsigned nnc_flags_all(const nnc_flag *list);

/* "none", or names joined by commas; '-' and '_' are one. false: some name is not in the list. */
bool nnc_flags_read(const nnc_flag *list, const char *text, unsigned *flags);

/* Are the first `length` letters of text this name, '-' and '_' being one? false for NULL. */
bool nnc_same_name(const char *name, const char *text, size_t length);

#endif
