#include "cost/power.h"

#include <math.h>

#include "base/error.h"
#include "base/number.h"
#include "op/op_row.h"

double nnc_power_limit(const nnc_device *device)
{
    const double cap = device->power_cap_w;
    return cap > 0.0 && (isnan(device->power_w) || cap < device->power_w) ? cap : device->power_w;
}

nnc_status nnc_power_check(const nnc_device *device, nnc_error *err)
{
    const nnc_power_efficiency *e = &device->efficiency.power;
    const double limit = nnc_power_limit(device), idle_w = e->idle_share * device->power_w;
    if (!(limit < device->power_w)) {
        return NNC_OK; /* no cap, or one that changes nothing */
    }
    if (!(e->exponent > 0.0)) {
        return nnc_fail(err, NNC_BAD_SPEC, "--power-cap",
                        "what %s draws is not known (efficiency.power of its file)", device->id);
    }
    if (!(limit > idle_w)) {
        return nnc_fail(err, NNC_BAD_SPEC, "--power-cap",
                        "expected more than the %.0f W that %s draws idle, found %.0f W", idle_w,
                        device->id, limit);
    }
    return NNC_OK;
}

/* Attention runs on the same units in the format of its operands. */
static double matrix_share(const nnc_device *device, const nnc_op *op)
{
    const double share = device->efficiency.gemm[op->math_dtype].power_share;
    return isnan(share) ? device->efficiency.gemm[NNC_BF16].power_share : share;
}

static double compute_seconds(const nnc_rows *rows)
{
    double sum_s = 0.0;
    for (int32_t i = 0; i < rows->count; i++) {
        sum_s += nnc_op_is_collective(rows->rows[i].op)
                     ? 0.0
                     : rows->rows[i].time_s * rows->rows[i].repeat;
    }
    return sum_s;
}

/* Seconds of full power that the work is worth. */
static double demand_seconds(const nnc_rows *rows, const nnc_device *device)
{
    const double memory_share = device->efficiency.power.memory_share;
    double sum_s = 0.0;
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        const nnc_work *work = &row->work;
        if (nnc_op_is_collective(row->op)) {
            continue;
        }
        if (work->flops > 0.0) {
            sum_s += matrix_share(device, row->op) * work->flops * row->repeat /
                     nnc_device_matmul_peak(device, row->op->math_dtype);
        }
        sum_s += memory_share * (work->read_bytes + work->write_bytes) * row->repeat /
                 device->mem_bytes_per_s;
    }
    return sum_s;
}

/* pass_s: what all of it takes at full power. */
static double slowdown_of(const nnc_rows *rows, const nnc_device *device, double pass_s)
{
    const nnc_power_efficiency *e = &device->efficiency.power;
    const double room = nnc_power_limit(device) / device->power_w - e->idle_share;
    if (!(e->exponent > 0.0) || !(pass_s > 0.0) || !(room > 0.0)) {
        return 1.0;
    }
    const double drawn = demand_seconds(rows, device) / pass_s;
    return drawn > room ? pow(drawn / room, e->exponent) : 1.0;
}

double nnc_power_slowdown(const nnc_rows *rows, const nnc_device *device)
{
    return slowdown_of(rows, device, compute_seconds(rows));
}

void nnc_power_throttle(nnc_rows *rows, const nnc_device *device)
{
    const double pass_s = compute_seconds(rows), slowdown = slowdown_of(rows, device, pass_s);
    double slowed_s = 0.0;
    int16_t slowed[NNC_ROWS_MAX]; /* rows */
    int32_t count = 0;
    for (int32_t i = 0; i < rows->count && slowdown > 1.0; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        if (nnc_row_fills_units(row)) {
            slowed_s += (row->time_s - row->fixed_s) * row->repeat;
            slowed[count++] = (int16_t)i;
        }
    }
    if (!(slowed_s > 0.0)) {
        return;
    }
    const double factor = 1.0 + (slowdown - 1.0) * pass_s / slowed_s;
    for (int32_t i = 0; i < count; i++) {
        nnc_op_cost *row = &rows->rows[slowed[i]];
        row->time_s = row->fixed_s + (row->time_s - row->fixed_s) * factor;
        row->compute_s *= factor;
    }
}
