/* What binds a step, and what it would take without. */
#include "estimate/step.h"

/* The largest of what bounds the step, and the largest of the rest. */
static void rank_bounds(nnc_result *r)
{
    r->bound = NNC_BOUND_COMPUTE;
    for (int b = 0; b < NNC_BOUND_COUNT; b++) {
        if (r->bound_s[b] > r->bound_s[r->bound]) {
            r->bound = (nnc_bound)b;
        }
    }
    r->next_bound = r->bound == NNC_BOUND_COMPUTE ? NNC_BOUND_MEMORY : NNC_BOUND_COMPUTE;
    for (int b = 0; b < NNC_BOUND_COUNT; b++) {
        if (b != (int)r->bound && r->bound_s[b] > r->bound_s[r->next_bound]) {
            r->next_bound = (nnc_bound)b;
        }
    }
}

/* What the op would take if one resource were free. */
static double time_without(const nnc_op_cost *row, nnc_bound bound)
{
    if (nnc_op_is_collective(row->op)) {
        return bound == NNC_BOUND_NETWORK ? 0.0 : row->time_s;
    }
    const double compute = bound == NNC_BOUND_COMPUTE ? 0.0 : row->compute_s;
    const double memory = bound == NNC_BOUND_MEMORY ? 0.0 : row->memory_s;
    const double fixed = bound == NNC_BOUND_HOST ? 0.0 : row->fixed_s;
    return (compute > memory ? compute : memory) + fixed;
}

void nnc_step_rank(const nnc_rows *rows, nnc_result *r, nnc_derivation *why)
{
    double without = 0.0;
    rank_bounds(r);
    for (int32_t i = 0; i < rows->count; i++) {
        without += time_without(&rows->rows[i], r->bound) * rows->rows[i].repeat;
    }
    NNC_LET(why, ops_without_bound_s, "s", without);
    NNC_SET(why, r->step_without_bound_s, "s", ops_without_bound_s * (1.0 + r->bubble_ratio));
    NNC_NOTE(why, "what the ops take without it; a pipeline idles in proportion to the work");
}
