/* What a schedule asks of a plan, and what it makes of one. */
#include <inttypes.h>

#include "base/error.h"
#include "base/number.h"
#include "pipeline/pipeline.h"
#include "pipeline/schedule.h"

bool nnc_schedule_repeats(const nnc_plan *plan)
{
    const bool plain = plan->schedule == NNC_SCHEDULE_1F1B && plan->virtual_stages == 1;
    return plan->pipeline == 1
               ? !plain
               : nnc_schedule_of(plan->schedule)->chunks == 0 && plan->virtual_stages == 1;
}

/* "only the interleaved schedule has virtual stages": the rules that do not depend on the schedule
 * first. */
static nnc_status check_chunks(const nnc_plan *p, nnc_error *err)
{
    if (p->virtual_stages > 1 && nnc_schedule_of(p->schedule)->chunks > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--virtual-stages",
                        "only the interleaved schedule has virtual stages, expected 1, found "
                        "%" PRId32,
                        p->virtual_stages);
    }
    if (p->virtual_stages > 1 && p->pipeline == 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--virtual-stages",
                        "a pipeline of one stage has no bubble to split, expected 1, found "
                        "%" PRId32,
                        p->virtual_stages);
    }
    return NNC_OK;
}

/* A first or last stage with layers of its own. */
static nnc_status check_ends(const nnc_plan *p, int64_t layers, nnc_error *err)
{
    const int64_t first = p->first_stage_layers, last = p->last_stage_layers;
    const char *option = first > 0 ? "--first-stage-layers" : "--last-stage-layers";
    const int64_t chunks = nnc_schedule_chunks(p);
    const int64_t others = p->pipeline - (first > 0 ? 1 : 0) - (last > 0 ? 1 : 0);
    const int64_t rest = layers - first - last;
    if (first == 0 && last == 0) {
        return NNC_OK;
    }
    if (p->pipeline < 2 || nnc_schedule_dual(p) || nnc_schedule_ends_meet(p) || p->ends_as_layers) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                        "expected a pipeline that runs one way, without --ends-as-layers");
    }
    if ((first > 0 && first < chunks) || (last > 0 && last < chunks) || rest < others * chunks ||
        (others == 0 && rest != 0)) {
        return nnc_fail(
            err, NNC_ILLEGAL_PLAN, option,
            "of %" PRId64 " layers %" PRId64 " are left for %" PRId64
            " other stages, expected a layer for every virtual stage, and all dealt out",
            layers, rest, others);
    }
    return NNC_OK;
}

nnc_status nnc_schedule_resolve(nnc_plan *p, int64_t layers, nnc_error *err)
{
    if (p->schedule == NNC_SCHEDULE_COUNT) {
        p->schedule = p->virtual_stages > 1 ? NNC_SCHEDULE_INTERLEAVED : NNC_SCHEDULE_1F1B;
    }
    NNC_TRY(check_chunks(p, err));
    const int64_t stages = (int64_t)p->pipeline * nnc_schedule_chunks(p);
    if (p->pipeline > NNC_PIPELINE_STAGES_MAX || stages > NNC_PIPELINE_VIRTUAL_MAX) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "expected at most %d stages and %d virtual ones", NNC_PIPELINE_STAGES_MAX,
                        NNC_PIPELINE_VIRTUAL_MAX);
    }
    NNC_TRY(check_ends(p, layers, err));
    if (layers + (p->ends_as_layers ? 2 : 0) < stages) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "%" PRId64 " layers cannot fill %" PRId64
                        " stages, expected pipeline x virtual_stages of at most %" PRId64,
                        layers, stages, layers + (p->ends_as_layers ? 2 : 0));
    }
    if (nnc_schedule_dual(p) && p->pipeline % 2 != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "%s enters a pipeline from both ends, expected an even number of stages, "
                        "%" PRId32 " or %" PRId32 ", found %" PRId32,
                        nnc_schedule_name(p->schedule), p->pipeline - 1, p->pipeline + 1,
                        p->pipeline);
    }
    return NNC_OK;
}

nnc_status nnc_schedule_check(const nnc_plan *p, nnc_error *err)
{
    const int64_t m = p->micro_batches, stages = p->pipeline;
    if (stages > 1 && nnc_schedule_of(p->schedule)->chunks == 0 && m % stages != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--micro-batches",
                        "interleaving takes micro-batches in groups of %" PRId64
                        ", expected %" PRId64 ", found %" PRId64,
                        stages, nnc_ceil_div(m, stages) * stages, m);
    }
    if (nnc_schedule_dual(p) && (m % 2 != 0 || m < stages)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--micro-batches",
                        "%s feeds both ends, expected an even number of at least the stages, "
                        "%" PRId64 ", found %" PRId64,
                        nnc_schedule_name(p->schedule), m < stages ? stages : m + 1, m);
    }
    return NNC_OK;
}
