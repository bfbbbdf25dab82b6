/* Helpers for tests of a decoder's layers: a plan in bf16, and sums over the forward rows that have a given name in the
 * op table. */
#ifndef NNCOST_TESTS_UNIT_NAMED_ROWS_H
#define NNCOST_TESTS_UNIT_NAMED_ROWS_H

#include "cluster.h"

static inline nnc_plan causal_bf16(void) {
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.flops_convention = NNC_CONVENTION_CAUSAL;
    return plan;
}

static const char *wanted_name;

static inline bool is_named(const nnc_op_cost *row) {
    return strcmp(nnc_op_name(row->op), wanted_name) == 0 && nnc_op_phase(row->op) == NNC_PHASE_FORWARD;
}

static inline double one(const nnc_op_cost *row) {
    (void)row;
    return 1.0;
}

/* Returns the number of forward rows with the given name in the last estimate. */
static inline double runs(const char *name) {
    wanted_name = name;
    return sum_rows(is_named, one);
}

#endif
