/* What a model generates while it is tuned. */
#ifndef NNCOST_RECORD_ROLLOUT_H
#define NNCOST_RECORD_ROLLOUT_H

#include "record/scenario.h"

/* Where the method of a run generates, and nothing is said of how fast: leaves the rate of one device and the
 * sequences at once, as 'nncost serve' has them. Fails where such a batch does not fit. */
nnc_status nnc_scenario_rollout(nnc_specs *specs, nnc_scenario *scenario, nnc_error *err);

#endif
