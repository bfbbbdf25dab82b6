/* The step times of plans, at once or when their pipelines are replayed with others. */
#include <math.h>
#include <string.h>

#include "estimate/update.h"
#include "search/block.h"

/* The step of a plan of that pass, with its step ends. */
static nnc_step step_of(nnc_plan_block *b, const nnc_pass *pass, const nnc_plan *plan,
                        uint64_t moved)
{
    const int apart = nnc_schedule_splits(plan) ? 1 : 0, dual = nnc_schedule_dual(plan) ? 1 : 0;
    const uint64_t like =
        (pass->number * nnc_space_group_size(b->space) + moved) * 4 + (uint64_t)(2 * dual + apart);
    nnc_step step = pass->step;
    step.plan = plan;
    nnc_tail_stages_recall(b->scratch, &step, pass->units[apart], like);
    return step;
}

bool nnc_block_time(nnc_plan_block *b, nnc_pass *pass, uint64_t moved, nnc_result *result)
{
    nnc_step_memory *m = &b->scratch->step;
    const int apart = nnc_schedule_splits(&result->plan) ? 1 : 0;
    const nnc_step step = step_of(b, pass, &result->plan, moved);
    if (pass->group != b->group) { /* what happens once per step does not change the passes */
        pass->runs = nnc_step_core_run(&step, pass->units[apart], m, &pass->run);
        pass->group = b->group;
    }
    if (!pass->runs) {
        return false;
    }
    if (result->plan.pipeline == 1) { /* such a step is the sum of its parts */
        nnc_result parts = { .plan = result->plan };
        const bool timed = nnc_step_core_parts(&step, pass->units[apart], &pass->run, m, &parts);
        result->step_s = parts.step_s;
        return timed;
    }
    result->step_s = nnc_step_core_s(&step, pass->units[apart], &pass->run, m);
    return true;
}

/* What each stage does after its passes, of stages in a row that do the same together. false: too many differ. */
static bool fill_ends(nnc_plan_block *b, const nnc_plan *plan, nnc_waiting *waiting)
{
    const nnc_stage *stages = b->scratch->step.stages;
    const bool *alike = b->scratch->step.alike;
    const bool together = !nnc_schedule_splits(plan); /* whole backwards end together */
    waiting->end_count = 0;
    for (int32_t d = 0; d < plan->pipeline; d++) {
        if (alike[d]) {
            waiting->ends[waiting->end_count - 1].stages += together ? 0 : 1;
            continue;
        }
        const double end_s = stages[d].exchange_s + stages[d].update_s;
        nnc_stage_end *last = &waiting->ends[waiting->end_count - (d > 0)];
        if (d > 0 && together) {
            last->end_s = end_s > last->end_s ? end_s : last->end_s;
        } else if (d > 0 && !(end_s < last->end_s) && !(end_s > last->end_s)) {
            last->stages++;
        } else if (waiting->end_count == NNC_ENDS_MAX) {
            return false;
        } else {
            waiting->ends[waiting->end_count++] = (nnc_stage_end){ 1, end_s };
        }
    }
    return true;
}

bool nnc_block_wait(nnc_plan_block *b, nnc_pass *pass, uint64_t moved, const nnc_result *result,
                    nnc_waiting *waiting)
{
    nnc_step_memory *m = &b->scratch->step;
    const nnc_plan *plan = &result->plan;
    const nnc_unit *units = pass->units[nnc_schedule_splits(plan) ? 1 : 0];
    if (b->replays == NULL || !nnc_replays_suit(plan)) {
        return false;
    }
    const nnc_step step = step_of(b, pass, plan, moved);
    if (!fill_ends(b, plan, waiting)) {
        return false;
    }
    if (pass->waits != b->group || !nnc_replays_has(b->replays, &pass->track)) {
        nnc_step_core_times(&step, units, m);
        const nnc_pipeline pipeline = nnc_step_pipeline(plan, m);
        pass->track = nnc_replays_add(b->replays, &pipeline, &m->pipeline);
        pass->waits = b->group;
    }
    nnc_replays_wait(b->replays, &pass->track, waiting);
    return true;
}

bool nnc_block_parts(nnc_plan_block *b, nnc_pass *pass, nnc_result *result)
{
    const int apart = nnc_schedule_splits(&result->plan) ? 1 : 0;
    nnc_block_work(b, pass, result); /* which may list the pass anew */
    nnc_step step = pass->step;
    step.plan = &result->plan;
    const nnc_overlap overlap = nnc_overlap_of(step.plan, step.software);
    nnc_step_ends_find(&step, &b->scratch->step, &b->scratch->ends);
    step.ends = &b->scratch->ends;
    nnc_tail_stages(&step, pass->units[apart], &overlap, &b->scratch->step);
    return nnc_step_core_parts(&step, pass->units[apart], &pass->run, &b->scratch->step, result);
}

double nnc_block_least_s(const nnc_pass *pass, const nnc_plan *plan)
{
    const int apart = nnc_schedule_splits(plan) ? 1 : 0;
    return pass->pass_s[apart] * (double)plan->micro_batches / plan->pipeline;
}
