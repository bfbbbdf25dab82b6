/* Formulas as people read them: from C, and name by name. */
#ifndef NNCOST_BASE_FORMULA_H
#define NNCOST_BASE_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

enum { NNC_FORMULA_MAX = 4096 };
typedef struct nnc_formula {
    char text[NNC_FORMULA_MAX];
    size_t used;
    bool failed; /* longer than there is room for */
} nnc_formula;

void nnc_formula_start(nnc_formula *formula);
void nnc_formula_put(nnc_formula *formula, const char *text, size_t length);

/* Appends an expression of C without its casts, the prefixes of members and ".0"; x[1] becomes x.1,
 * nnc_max and nnc_min lose their prefix, and nnc_pow4(x) becomes x^4. */
void nnc_formula_tidy(nnc_formula *formula, const char *code);

/* The next name in a formula, which *size holds the length of; *at is left behind it. NULL: there is
 * none. Parts may be joined by dots: "exposed_comm.data". */
const char *nnc_formula_name(const char **at, size_t *size);

#endif
