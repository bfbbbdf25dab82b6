/* The power limit of a device. */
#ifndef NNCOST_COST_POWER_H
#define NNCOST_COST_POWER_H

#include "base/derivation.h"
#include "cost/rows.h"

/* Watts that the device may draw for long: its board limit, or a lower cap. NaN = not recorded. */
double nnc_power_limit(const nnc_device *device);

/* Can the figures of the device say what its cap does? NNC_BAD_SPEC: they are missing, or leave no room
 * above what it draws idle. */
nnc_status nnc_power_check(const nnc_device *device, nnc_error *err);

/* How much longer the rows of a pass take because their average power would be above the limit; 1 where
 * it is not, or where the device says nothing of its power. With i the share of power_w that an idle
 * device draws, s that of the matrix units at their peak P, m that of the memory at its bandwidth M, and
 * T the seconds of all rows at full clock:
 *     p = (sum s F / P + sum m B / M) / T          what the work draws, over power_w
 *     slowdown = max(1, (p / (limit / power_w - i))^g)
 * As p falls with T, a longer pass never ends earlier: T slowdown grows with T for g <= 1.
 * Source of the figures: docs/accuracy.md.   [power-limit] */
double nnc_power_slowdown(const nnc_rows *rows, const nnc_device *device);

/* Lengthens the matrix products and attention that compute binds, so that the pass takes as much longer. */
void nnc_power_throttle(nnc_rows *rows, const nnc_device *device);

#endif
