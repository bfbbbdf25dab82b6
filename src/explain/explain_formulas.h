/* What is counted as the work of each kind of op, as formulas. */
#ifndef NNCOST_EXPLAIN_EXPLAIN_FORMULAS_H
#define NNCOST_EXPLAIN_EXPLAIN_FORMULAS_H

#include "explain/explain.h"

/* Formulas of one op's work, and the names they use. */
typedef struct nnc_op_formulas {
    const char *flops, *vector_flops, *read_bytes, *write_bytes;
    const char *source;
} nnc_op_formulas;

/* The formulas of one row; the names they use are added to the scope. */
nnc_op_formulas nnc_op_formulas_of(const nnc_op_cost *cost, nnc_scope *scope);

#endif
