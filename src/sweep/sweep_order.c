#include "sweep/sweep_order.h"

#include <stdlib.h>
#include <string.h>

#include "estimate/alike.h"

/* Do the first and the last value of an axis run other ops? */
static bool decides_ops(const nnc_sweep *sweep, const nnc_sweep_axis *axis)
{
    nnc_plan first = sweep->point.plan, last = first;
    if (axis->target != NNC_SWEEP_PLAN_FIELD || axis->bytes == NULL) {
        return true;
    }
    memcpy((char *)&first + axis->offset, axis->bytes, axis->size);
    memcpy((char *)&last + axis->offset, axis->bytes + (size_t)(axis->count - 1) * axis->size,
           axis->size);
    first = nnc_plan_seen(&first);
    last = nnc_plan_seen(&last);
    return !nnc_same_bytes(&first, &last, sizeof first);
}

void nnc_order_find(const nnc_sweep *sweep, nnc_order *order)
{
    const nnc_sweep_axes *axes = &sweep->axes;
    bool other = false;
    for (int32_t i = 0; i < axes->axis_count; i++) {
        const nnc_sweep_axis *axis = &axes->axes[i];
        order->decides[axis->group] = order->decides[axis->group] || decides_ops(sweep, axis);
    }
    for (int32_t g = 0; g < axes->group_count; g++) {
        order->mixed = order->mixed || (other && order->decides[g] && axes->lengths[g] > 1);
        other = other || (!order->decides[g] && axes->lengths[g] > 1);
    }
}

int64_t nnc_order_chunk(const nnc_sweep *sweep, const nnc_order *order)
{
    enum { CHUNKS = 32, CELLS = 16384 };
    const int64_t share = sweep->shard_rows / CHUNKS,
                  narrow = CELLS / (sweep->column_count > 0 ? sweep->column_count : 1),
                  most = share < narrow ? share : narrow;
    return !order->mixed || most < NNC_POOL_CHUNK ? NNC_POOL_CHUNK
           : most < NNC_POOL_CHUNK_MAX            ? most
                                                  : NNC_POOL_CHUNK_MAX;
}

static int64_t key_of_ops(const nnc_sweep_axes *axes, const nnc_order *order, int64_t row)
{
    int32_t places[NNC_SWEEP_AXES_MAX];
    int64_t key = 0;
    nnc_sweep_place(axes, row, places);
    for (int32_t g = 0; g < axes->group_count; g++) {
        key = order->decides[g] ? key * axes->lengths[g] + places[g] : key;
    }
    return key;
}

static int by_key(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

bool nnc_order_take(const nnc_sweep *sweep, nnc_order *order, const nnc_batch *batch)
{
    bool rises = true;
    int64_t *keys = order->keys, before = 0;
    for (int64_t i = 0; order->mixed && i < batch->count; i++) {
        const int64_t key =
            key_of_ops(&sweep->axes, order, nnc_sweep_row_at(sweep, batch->first + i));
        keys[i] = key * NNC_POOL_CHUNK_MAX + i; /* there are at most 1e15 rows, and so of keys */
        rises = rises && key >= before;
        before = key;
    }
    if (rises) {
        return false;
    }
    qsort(keys, (size_t)batch->count, sizeof keys[0], by_key);
    for (int64_t i = 0; i < batch->count; i++) {
        order->turns[i].row = keys[i] % NNC_POOL_CHUNK_MAX;
    }
    return true;
}
