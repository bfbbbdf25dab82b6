/* What can be asked about the last estimate made with a scratch, beyond its result. */
#include "estimate/scratch.h"

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "estimate/timeline.h"

nnc_status nnc_timeline(nnc_scratch *scratch, const nnc_result *result, nnc_interval_fn *interval,
                        void *context, nnc_error *err)
{
    const double passes = nnc_timeline_passes(&scratch->step, &result->plan);
    if (passes > NNC_INTERVALS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--timeline",
                        "the step is too long to be shown, expected at most %d passes of all "
                        "stages, found %.0f: fewer --micro-batches or stages",
                        NNC_INTERVALS_MAX, passes);
    }
    if (!nnc_timeline_replay(&scratch->step, &result->plan, result->step_s, interval, context)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--timeline", "the schedule cannot be replayed");
    }
    return NNC_OK;
}

NNC_ENUM_NAMES(nnc_activity, NNC_ACTIVITY_LIST)
