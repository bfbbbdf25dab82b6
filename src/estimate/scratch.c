/* What can be asked about the last estimate made with a scratch, beyond its result. */
#include "estimate/scratch.h"

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "base/sized.h"
#include "estimate/timeline.h"

nnc_status nnc_timeline(nnc_scratch *scratch, const nnc_result *result, nnc_interval_fn *interval,
                        void *context, nnc_error *err)
{
    nnc_result whole = { 0 };
    NNC_TRY(nnc_need("nnc_timeline", "scratch", scratch != NULL, err));
    NNC_TRY(nnc_need("nnc_timeline", "result", result != NULL, err));
    NNC_TRY(nnc_need("nnc_timeline", "interval", interval != NULL, err));
    NNC_TRY(nnc_sized_read(&whole, sizeof whole, result, "nnc_result", err));
    const double passes = nnc_timeline_passes(&scratch->step, &whole.plan);
    if (passes > NNC_INTERVALS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--timeline",
                        "the step is too long to be shown, expected at most %d passes of all "
                        "stages, found %.0f: fewer --micro-batches or stages",
                        NNC_INTERVALS_MAX, passes);
    }
    if (scratch->shown == NULL ||
        !nnc_timeline_replay(&scratch->step, &whole.plan, whole.step_s, interval, context)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--timeline", "the schedule cannot be replayed");
    }
    return NNC_OK;
}

NNC_ENUM_NAMES(nnc_activity, NNC_ACTIVITY_LIST)
