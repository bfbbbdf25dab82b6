/* The work of a step, over all its ranks and micro-batches: the mathematics, and what kernels run. */
#include <string.h>

#include "estimate/say.h"
#include "estimate/step.h"
#include "estimate/update.h"
#include "op/work.h"

bool nnc_step_recomputed(const nnc_step *step, const nnc_step_memory *m,
                         double shares[NNC_SEGMENTS_MAX])
{
    bool everywhere = true;
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        int64_t again = 0, held = 0;
        for (int32_t d = 0; d < step->plan->pipeline; d++) {
            again += m->holdings[d].recomputed[s];
            held += m->holdings[d].instances[s];
        }
        const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
        shares[s] = full ? (held > 0 ? (double)again / (double)held : 0.0) : 1.0;
        everywhere = everywhere && (!full || again == held);
    }
    return everywhere;
}

static double counted_flops(const nnc_work *work, const nnc_convention *convention)
{
    return convention->pairs == NNC_COUNTS_MASK     ? work->causal_flops
           : convention->pairs == NNC_COUNTS_WINDOW ? work->window_flops
                                                    : work->full_flops;
}

void nnc_step_pass_work(const nnc_step *step, const nnc_rows *rows,
                        const double again[NNC_SEGMENTS_MAX], nnc_pass_work *work)
{
    const nnc_convention *convention = nnc_convention_of(step->plan->flops_convention);
    memset(work, 0, sizeof *work);
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        const nnc_part part = nnc_part_of(row);
        const double repeat =
            part == NNC_PART_RECOMPUTE ? row->repeat * again[row->op->segment] : row->repeat;
        work->full[part] += row->work.full_flops * repeat;
        work->counted[part] += counted_flops(&row->work, convention) * repeat;
        work->causal += part == NNC_PART_RECOMPUTE ? 0.0 : row->work.causal_flops * repeat;
        NNC_WHEN(step->why,
                 work->groups.sums[part][row->op->group] += row->work.full_flops * repeat);
    }
}

NNC_SAYING void add_work(const nnc_step *step, const nnc_pass_work *work, nnc_result *r,
                         nnc_derivation *why)
{
    const nnc_plan *plan = step->plan;
    const double passes = (double)plan->micro_batches * plan->data;
    NNC_PUT(why, passes, NULL);
    NNC_LET(why, forward_pass_flops, "FLOP", work->full[NNC_PART_FORWARD]);
    NNC_LET(why, backward_pass_flops, "FLOP", work->full[NNC_PART_BACKWARD]);
    NNC_LET(why, forward_counted_flops, "FLOP", work->counted[NNC_PART_FORWARD]);
    NNC_LET(why, backward_counted_flops, "FLOP", work->counted[NNC_PART_BACKWARD]);
    NNC_LET(why, recomputed_pass_flops, "FLOP", work->counted[NNC_PART_RECOMPUTE]);
    if (why != NULL) {
        const nnc_group_sums *groups = &work->groups;
        nnc_say_groups(groups, NNC_PART_FORWARD, "forward_pass_flops", forward_pass_flops, why);
        nnc_say_groups(groups, NNC_PART_BACKWARD, "backward_pass_flops", backward_pass_flops, why);
    }
    NNC_SET(why, r->forward_flops, "FLOP", forward_pass_flops * passes);
    NNC_NOTE(why, "passes: micro-batches of all data-parallel ranks");
    NNC_SET(why, r->backward_flops, "FLOP", backward_pass_flops * passes);
    NNC_SET(why, r->model_flops, "FLOP", (forward_counted_flops + backward_counted_flops) * passes);
    NNC_NOTE(why, nnc_convention_of(plan->flops_convention)->note);
    NNC_LET(why, masked_flops, "FLOP", work->causal);
    NNC_SET(why, r->causal_flops, "FLOP", masked_flops * passes);
    NNC_NOTE(why, "of a pass, attention over the pairs that the mask leaves");
    NNC_SET(why, r->recompute_flops, "FLOP", recomputed_pass_flops * passes);
}

void nnc_step_work(const nnc_step *step, const nnc_pass_work *work, nnc_result *r)
{
    if (step->why != NULL) {
        add_work(step, work, r, step->why);
    } else {
        add_work(step, work, r, NULL);
    }
}

NNC_SAYING void add_executed(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m,
                             nnc_result *r, nnc_derivation *why)
{
    const nnc_plan *plan = step->plan;
    const double ranks = (double)plan->tensor * plan->context * plan->data;
    double again[NNC_SEGMENTS_MAX], matrix[NNC_PARTS] = { 0 }, vector[NNC_PARTS] = { 0 };
    (void)nnc_step_recomputed(step, m, again);
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        double repeat = row->repeat * (double)plan->micro_batches * ranks;
        if (nnc_part_of(row) == NNC_PART_RECOMPUTE) {
            repeat *= again[row->op->segment];
        }
        r->executed_flops += row->work.flops * repeat;
        r->vector_flops += row->work.vector_flops * repeat;
        NNC_WHEN(why, matrix[nnc_part_of(row)] += row->work.flops * repeat);
        NNC_WHEN(why, vector[nnc_part_of(row)] += row->work.vector_flops * repeat);
    }
    nnc_tail room;
    const nnc_tail *tail = NULL;
    for (int32_t d = 0; d < plan->pipeline; d++) {
        if (tail == NULL || !m->alike[d]) {
            tail = nnc_tail_of(step, &m->holdings[d], &room);
        }
        for (int i = 0; i < tail->update_count; i++) {
            r->executed_flops += tail->works[i].flops * ranks;
            r->vector_flops += tail->works[i].vector_flops * ranks;
            NNC_WHEN(why, matrix[NNC_PART_UPDATE] += tail->works[i].flops * ranks);
            NNC_WHEN(why, vector[NNC_PART_UPDATE] += tail->works[i].vector_flops * ranks);
        }
    }
    if (why != NULL) {
        nnc_say_parts(matrix, "executed_flops", "FLOP", r->executed_flops, why);
        NNC_NOTE(why, "over all micro-batches and ranks");
        nnc_say_parts(vector, "vector_flops", "FLOP", r->vector_flops, why);
        NNC_NOTE(why, "over all micro-batches and ranks");
    }
}

void nnc_step_executed(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m,
                       nnc_result *r)
{
    if (step->why != NULL) {
        add_executed(step, rows, m, r, step->why);
    } else {
        add_executed(step, rows, m, r, NULL);
    }
}
