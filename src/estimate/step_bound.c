/* What binds a step, and what it would take without. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "estimate/step.h"

/* The largest of what bounds the step, and the largest of the rest. */
void nnc_step_rank(nnc_result *r)
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

double nnc_step_free_s(const nnc_step *step, double compute_s, double memory_s, double fixed_s)
{
    const double compute = step->free[NNC_BOUND_COMPUTE] ? 0.0 : compute_s;
    const double memory = step->free[NNC_BOUND_MEMORY] ? 0.0 : memory_s;
    return nnc_max(compute, memory) + (step->free[NNC_BOUND_HOST] ? 0.0 : fixed_s);
}

static void free_rows(const nnc_step *step, nnc_rows *rows)
{
    for (int32_t i = 0; i < rows->count; i++) {
        nnc_op_cost *row = &rows->rows[i];
        if (nnc_op_is_collective(row->op)) {
            row->network_s = step->free[NNC_BOUND_NETWORK] ? 0.0 : row->network_s;
            row->time_s = row->network_s;
        } else {
            row->time_s = nnc_step_free_s(step, row->compute_s, row->memory_s, row->fixed_s);
        }
    }
}

double nnc_step_without_s(const nnc_step *step, nnc_bound bound, nnc_rows *fresh,
                          nnc_step_memory *m)
{
    nnc_step freed = *step;
    nnc_unit units[NNC_SEGMENTS_MAX];
    nnc_step_times times = { .stage = 0 };
    nnc_result r;
    freed.why = NULL;
    freed.tails = NULL;
    freed.windows = NULL;
    freed.free[bound] = true;
    if (bound == NNC_BOUND_HOST) {
        freed.launch = (nnc_launch){ 0.0, 0.0, false };
    }
    free_rows(&freed, fresh);
    nnc_step_units(&freed, fresh, units);
    if (step->plan->pipeline > 1) {
        return nnc_step_core_run(&freed, units, m, &times)
                   ? nnc_step_core_s(&freed, units, &times, m)
                   : (double)NAN;
    }
    memset(&r, 0, sizeof r);
    return nnc_step_core_parts(&freed, units, &times, m, &r) ? r.step_s : (double)NAN;
}
