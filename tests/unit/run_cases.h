/* Training runs with a given step time. The tests of whole runs use these cases, so the tests need no estimate of a
 * step. */
#ifndef NNCOST_RUN_CASES_H
#define NNCOST_RUN_CASES_H

#include <nncost/run.h>

#include "support.h"

#define HOUR 3600.0
#define DAY 86400.0

static inline double relative(double a, double b) { return fabs(a / b - 1.0); }
#define CLOSE(a, b, share) \
    ck_assert_msg(relative((a), (b)) <= (share), "%s: %.9g, expected %.9g", #a, (double)(a), (double)(b))

static inline nnc_run run_of(const nnc_plan *plan, const nnc_run_ask *ask) {
    nnc_run run;
    nnc_error err = { 0 };
    ck_assert_msg(nnc_run_of(NULL, NULL, plan, ask, &run, &err) == NNC_OK, "%s: %s", err.where, err.what);
    return run;
}

/* Tests whether a run advances. A run is refused if failures are more frequent than checkpoints. */
static inline bool advances(const nnc_plan *plan, const nnc_run_ask *ask) {
    nnc_run run;
    nnc_error err = { 0 };
    if (nnc_run_of(NULL, NULL, plan, ask, &run, &err) == NNC_OK) { return true; }
    ck_assert_msg(strstr(err.what, "makes no progress") != NULL, "%s: %s", err.where, err.what);
    return false;
}

static inline nnc_plan devices_of(int32_t devices) {
    nnc_plan plan = nnc_plan_default();
    plan.devices = devices;
    return plan;
}

#endif
