/* The op table of one micro-batch on one rank. The table begins with the rows of all forward ops. The recomputed row
 * and the backward rows of each op follow, from the last op to the first. A row has the work, the time and the repeat
 * of an op. The picture shows the rows of three ops (f: forward, r: recomputed, b: backward).
 *
 *     list    op 0   op 1   op 2
 *     rows    f0 f1 f2 | (r2) b2 b2' | (r1) b1 | (r0) b0 b0' .
 *
 * The functions at the end of this file lengthen the times of rows under a power limit. */
#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "op/op_internal.h"

static nnc_timing time_of(const nnc_rows *rows, const nnc_device *device, const nnc_op_cost *row) {
    return rows->timer != NULL ? rows->timer->time(rows->timer->context, device, row->op, &row->work)
                               : nnc_op_time(device, row->op, &row->work);
}

static void set_time(nnc_rows *rows, const nnc_device *device, nnc_op_cost *row) {
    const nnc_timing t = time_of(rows, device, row);
    row->compute_s = t.compute_s;
    row->memory_s = t.memory_s;
    row->fixed_s = t.fixed_s;
    row->time_s = t.time_s;
    row->bound = t.bound;
}

static void travel(const nnc_network *network, nnc_op_cost *row) {
    row->link = "";
    row->network_s = network != NULL ? nnc_network_exchange_s(network, &row->op->u.collective, &row->link) : 0.0;
    row->time_s = row->network_s;
}

enum { NEAR = 32 };

/* Searches the last NEAR rows for a collective with the same operation, bytes and group of ranks as the given
 * collective, and with a time that was computed for the same network. Returns the row of the found collective; NULL =
 * no such row. */
static const nnc_op_cost *find_near(const nnc_rows *rows, const nnc_collective_op *exchange) {
    const int32_t last = rows->count - 2;
    const int32_t first = last - NEAR > rows->fresh ? last - NEAR : rows->fresh;
    for (int32_t i = last; i >= first; i--) {
        const nnc_op_cost *row = &rows->rows[i];
        if (row->bound == NNC_BOUND_NETWORK && nnc_network_same(&row->op->u.collective, exchange)) { return row; }
    }
    return NULL;
}

static void add(nnc_rows *rows, const nnc_op *op, const nnc_device *device, const nnc_network *network, double repeat) {
    nnc_op_cost *row = &rows->rows[rows->count++];
    *row = (nnc_op_cost){ .op = op, .work = nnc_op_work(op), .repeat = repeat };
    if (nnc_op_is_collective(op)) {
        const nnc_op_cost *same = network != NULL ? find_near(rows, &op->u.collective) : NULL;
        row->bound = NNC_BOUND_NETWORK;
        if (same != NULL) {
            row->link = same->link;
            row->network_s = row->time_s = same->network_s;
        } else {
            travel(network, row);
        }
    } else if (device != NULL) {
        set_time(rows, device, row);
    }
}

void nnc_rows_reroute(nnc_rows *rows, const nnc_network *network) {
    for (int32_t i = 0; i < rows->count; i++) {
        if (nnc_op_is_collective(rows->rows[i].op)) { travel(network, &rows->rows[i]); }
    }
}

void nnc_rows_accumulate(nnc_rows *rows, const nnc_device *device, double share) {
    for (int32_t i = rows->forward_count; i < rows->count; i++) {
        nnc_op_cost *row = &rows->rows[i];
        if (row->op->phase == NNC_PHASE_GRAD_WEIGHT) {
            /* removing const is allowed: row->op of a backward row points into rows->ops, which the table owns */
            nnc_op *op = &rows->ops[row->op - rows->ops];
            op->grad_accumulate = share;
            row->work = nnc_op_work(op);
            set_time(rows, device, row);
        }
    }
}

static bool uses_units(const nnc_op_cost *row) {
    const nnc_timed timed = nnc_op_timed(row->op);
    return timed == NNC_TIMED_GEMM || timed == NNC_TIMED_FLASH;
}

bool nnc_row_fills_units(const nnc_op_cost *row) { return uses_units(row) && row->bound == NNC_BOUND_COMPUTE; }

double nnc_rows_lent_factor(const nnc_device *device, const nnc_plan *plan, const nnc_software *software) {
    const double units = (double)device->units, lent = (double)software->network_units;
    return plan->expert > 1 && lent > 0.0 && lent < units ? units / (units - lent) : 1.0;
}

double nnc_row_lent_factor(double compute_s, double memory_s, nnc_bound bound, double factor) {
    return bound == NNC_BOUND_COMPUTE ? factor : nnc_max(compute_s * factor / memory_s, 1.0);
}

void nnc_rows_lend(nnc_rows *rows, double factor) {
    for (int32_t i = 0; i < rows->count && factor > 1.0; i++) {
        nnc_op_cost *row = &rows->rows[i];
        if (!uses_units(row)) { continue; }
        const double slower = nnc_row_lent_factor(row->compute_s, row->memory_s, row->bound, factor);
        if (slower > 1.0) {
            row->time_s = row->fixed_s + (row->time_s - row->fixed_s) * slower;
            row->compute_s *= factor;
            row->bound = NNC_BOUND_COMPUTE;
        }
    }
}

/* Tests whether an op runs in forward. Some collectives, and the backward operators of captured programs, run only in
 * backward. */
static bool runs(const nnc_op *op) {
    if (op->recorded) { return op->phase == NNC_PHASE_FORWARD; }
    return !nnc_op_is_collective(op) || op->u.collective.forward != NNC_NO_COLLECTIVE;
}

void nnc_rows_add(nnc_rows *rows, const nnc_op *op, const nnc_device *device, const nnc_network *network,
                  double repeat) {
    nnc_op *copy = &rows->ops[rows->count];
    *copy = *op;
    rows->fresh = rows->count;
    add(rows, copy, device, network, repeat);
}

/* Appends a copy of the row `known` for another op with the same work, and returns the copy. If the op is a collective
 * and `network` is not NULL, computes the time of the row again, for the routes of `network`. */
static nnc_op_cost *add_known(nnc_rows *rows, const nnc_op *op, const nnc_op_cost *known, const nnc_network *network) {
    nnc_op_cost *row = &rows->rows[rows->count++];
    *row = *known;
    row->op = op;
    if (network != NULL && nnc_op_is_collective(op)) { travel(network, row); }
    return row;
}

/* Tests whether two ops are equal in all fields that their rows depend on. Does not compare the fields recomputed,
 * dropped and grad_accumulate, because the code that copies backward rows sets these fields. */
static bool same_rows(const nnc_op *a, const nnc_op *b) {
    const size_t again = offsetof(nnc_op, recomputed), frozen = offsetof(nnc_op, frozen);
    const size_t share = offsetof(nnc_op, grad_accumulate), dims = offsetof(nnc_op, u);
    const char *x = (const char *)a, *y = (const char *)b;
    return memcmp(x + dims, y + dims, sizeof *a - dims) == 0 && memcmp(x, y, again) == 0 &&
           memcmp(x + frozen, y + frozen, share - frozen) == 0;
}

/* Most ops of the op list like->list are equal to the ops of `list` with the same index. Returns the indices of the
 * rows of op i in the op table of like->list. NULL = op i of like->list differs from op i of `list`, or has no rows in
 * that table. */
static const nnc_op_place *find_place(const nnc_rows_like *like, const nnc_op_list *list, int32_t i) {
    return like->list != NULL && i < like->count && same_rows(&list->ops[i], &like->list->ops[i])
               ? &like->rows->places[i]
               : NULL;
}

/* Copies the backward rows of an op from the table *from, in which they were computed for an equal op. If
 * grad_accumulate of the two ops differs, computes the times of the weight gradients again. */
static void copy_backward(nnc_rows *rows, const nnc_op *op, const nnc_rows *from, const nnc_op_place *place,
                          const nnc_device *device, const nnc_network *network) {
    for (int i = 0; i < place->backward_count; i++) {
        const nnc_op_cost *known = &from->rows[place->backward + i];
        nnc_op *backward = &rows->ops[rows->count];
        *backward = *known->op;
        backward->recomputed = op->recomputed;
        backward->dropped = op->dropped;
        backward->grad_accumulate = op->grad_accumulate;
        const double share = op->grad_accumulate, known_share = known->op->grad_accumulate;
        nnc_op_cost *row = add_known(rows, backward, known, network);
        if (backward->phase == NNC_PHASE_GRAD_WEIGHT && (share < known_share || share > known_share)) {
            row->work = nnc_op_work(backward);
            set_time(rows, device, row);
        }
    }
}

static void add_backward(nnc_rows *rows, const nnc_op_list *list, int32_t index, const nnc_device *device,
                         const nnc_network *network, const nnc_plan *plan, const nnc_rows_like *like) {
    const nnc_op *op = &list->ops[index];
    const bool whole_block = (plan->recompute & NNC_RECOMPUTE_FULL) != 0 && op->block >= 0;
    const nnc_op_place *known = find_place(like, list, index);
    nnc_op_place *place = &rows->places[index];
    if (place->forward >= 0 && (op->recomputed || whole_block) && (!op->forward_only || op->detached)) {
        nnc_op *again = &rows->ops[rows->count];
        *again = *op;
        again->phase = NNC_PHASE_RECOMPUTE;
        (void)add_known(rows, again, &rows->rows[place->forward], NULL);
    }
    place->backward = (int16_t)rows->count;
    if (known != NULL) {
        copy_backward(rows, op, like->rows, known, device, like->same_routes ? NULL : network);
    } else {
        nnc_op *backward = &rows->ops[rows->count];
        const int count = nnc_op_backward(op, backward);
        for (int i = 0; i < count; i++) { add(rows, &backward[i], device, network, (double)op->repeat); }
    }
    place->backward_count = (int16_t)(rows->count - place->backward);
}

static void add_forward(nnc_rows *rows, const nnc_op_list *list, int32_t index, const nnc_device *device,
                        const nnc_network *network, const nnc_rows_like *like) {
    const nnc_op *op = &list->ops[index];
    rows->places[index].forward = -1;
    if (!runs(op)) { return; }
    const nnc_op_place *known = find_place(like, list, index);
    rows->places[index].forward = (int16_t)rows->count;
    if (known != NULL) {
        (void)add_known(rows, op, &like->rows->rows[known->forward], like->same_routes ? NULL : network);
    } else {
        add(rows, op, device, network, (double)op->repeat);
    }
}

/* Appends the forward rows of the ops from index `first` on. */
static void add_forwards(nnc_rows *rows, const nnc_op_list *list, int32_t first, const nnc_device *device,
                         const nnc_network *network, const nnc_rows_like *like) {
    for (int32_t i = first; i < list->count; i++) { add_forward(rows, list, i, device, network, like); }
    rows->forward_count = rows->count;
}

static void add_backwards(nnc_rows *rows, const nnc_op_list *list, int32_t first, const nnc_device *device,
                          const nnc_network *network, const nnc_plan *plan, const nnc_rows_like *like) {
    for (int32_t i = list->count - 1; i >= first; i--) { add_backward(rows, list, i, device, network, plan, like); }
}

static const nnc_rows_like like_none;

void nnc_rows_build(const nnc_op_list *list, const nnc_device *device, const nnc_network *network, const nnc_plan *plan,
                    nnc_rows *rows) {
    nnc_rows_build_like(list, device, network, plan, &like_none, rows);
}

void nnc_rows_build_like(const nnc_op_list *list, const nnc_device *device, const nnc_network *network,
                         const nnc_plan *plan, const nnc_rows_like *like, nnc_rows *rows) {
    rows->count = rows->fresh = 0;
    add_forwards(rows, list, 0, device, network, like);
    add_backwards(rows, list, 0, device, network, plan, like);
}

/* Appends to `rows` copies of the rows first, first + 1, ... end - 1 of the table `from`. */
static void copy(nnc_rows *rows, const nnc_rows *from, int32_t first, int32_t end) {
    memcpy(&rows->rows[rows->count], &from->rows[first], sizeof rows->rows[0] * (size_t)(end - first));
    rows->count += end - first;
}

void nnc_rows_build_rest(const nnc_op_list *list, int32_t first, const nnc_device *device, const nnc_network *network,
                         const nnc_plan *plan, nnc_rows *rows) {
    rows->count = rows->fresh = 0;
    add_forwards(rows, list, first, device, network, &like_none);
    add_backwards(rows, list, first, device, network, plan, &like_none);
}

void nnc_rows_join(const nnc_rows *base, const nnc_rows *rest, nnc_rows *rows) {
    rows->count = 0;
    copy(rows, base, 0, base->forward_count);
    rows->fresh = rows->count;
    copy(rows, rest, 0, rest->forward_count);
    rows->forward_count = rows->count;
    copy(rows, rest, rest->forward_count, rest->count);
    copy(rows, base, base->forward_count, base->count);
}

double nnc_power_limit(const nnc_device *device) {
    const double cap = device->power_cap_w;
    return cap > 0.0 && (isnan(device->power_w) || cap < device->power_w) ? cap : device->power_w;
}

nnc_status nnc_power_check(const nnc_device *device, nnc_error *err) {
    const nnc_power_efficiency *e = &device->efficiency.power;
    const double limit = nnc_power_limit(device), idle_w = e->idle_share * device->power_w;
    /* the user sets no power cap, or a cap that is not below the power limit of the board */
    if (!(limit < device->power_w)) { return NNC_OK; }
    if (!(e->exponent > 0.0)) {
        return nnc_fail(err, NNC_BAD_SPEC, "--power-cap",
                        "the power of %s is not known, because its device file has no efficiency.power", device->id);
    }
    if (!(limit > idle_w)) {
        return nnc_fail(err, NNC_BAD_SPEC, "--power-cap",
                        "expected more than the %.0f W that an idle %s draws, found %.0f W", idle_w, device->id, limit);
    }
    return NNC_OK;
}

/* Returns the power that the matrix units draw at their peak rate in the number format of the op, divided by
 * device->power_w, the power limit of the board. */
static double matrix_share(const nnc_device *device, const nnc_op *op) {
    const double share = device->efficiency.gemm[op->math_dtype].power_share;
    return isnan(share) ? device->efficiency.gemm[NNC_BF16].power_share : share;
}

static double compute_seconds(const nnc_rows *rows) {
    double sum_s = 0.0;
    for (int32_t i = 0; i < rows->count; i++) {
        sum_s += nnc_op_is_collective(rows->rows[i].op) ? 0.0 : rows->rows[i].time_s * rows->rows[i].repeat;
    }
    return sum_s;
}

/* Returns the energy that the work of all rows takes, divided by device->power_w (the power limit of the board in
 * watts). The result is in seconds. The energy of the rows does not include idle power. */
static double demand_seconds(const nnc_rows *rows, const nnc_device *device) {
    const double memory_share = device->efficiency.power.memory_share;
    double sum_s = 0.0;
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        const nnc_work *work = &row->work;
        if (nnc_op_is_collective(row->op)) { continue; }
        if (work->flops > 0.0) {
            sum_s += matrix_share(device, row->op) * work->flops * row->repeat /
                     nnc_device_matmul_peak(device, row->op->math_dtype);
        }
        sum_s += memory_share * (work->read_bytes + work->write_bytes) * row->repeat / device->mem_bytes_per_s;
    }
    return sum_s;
}

/* Returns the factor by which a pass takes longer under the power limit. pass_s: seconds of all rows of the pass at
 * full clock. */
static double slowdown_of(const nnc_rows *rows, const nnc_device *device, double pass_s) {
    const nnc_power_efficiency *e = &device->efficiency.power;
    const double room = nnc_power_limit(device) / device->power_w - e->idle_share;
    if (!(pass_s > 0.0) || !(room > 0.0)) { return 1.0; }
    const double drawn = demand_seconds(rows, device) / pass_s;
    return drawn > room ? pow(drawn / room, e->exponent) : 1.0;
}

void nnc_power_throttle(nnc_rows *rows, const nnc_device *device) {
    if (!(device->efficiency.power.exponent > 0.0)) {
        return; /* the device file has no power values, so the times of all rows stay as they are */
    }
    const double pass_s = compute_seconds(rows), slowdown = slowdown_of(rows, device, pass_s);
    double slowed_s = 0.0;
    int16_t slowed[NNC_ROWS_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < rows->count && slowdown > 1.0; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        if (nnc_row_fills_units(row)) {
            slowed_s += (row->time_s - row->fixed_s) * row->repeat;
            slowed[count++] = (int16_t)i;
        }
    }
    if (!(slowed_s > 0.0)) { return; }
    const double factor = 1.0 + (slowdown - 1.0) * pass_s / slowed_s;
    for (int32_t i = 0; i < count; i++) {
        nnc_op_cost *row = &rows->rows[slowed[i]];
        row->time_s = row->fixed_s + (row->time_s - row->fixed_s) * factor;
        row->compute_s *= factor;
    }
}

double nnc_product_least_s(const nnc_device *device, const nnc_op *op, const nnc_work *work) {
    const nnc_matmul *u = &op->u.matmul;
    const nnc_gemm_efficiency *e = &device->efficiency.gemm[op->math_dtype];
    if (nnc_op_timed(op) != NNC_TIMED_GEMM || op->issued_as == NNC_ISSUED_INSTEAD) { return 0.0; }
    const double tokens = (double)(op->phase == NNC_PHASE_GRAD_WEIGHT ? u->k : u->m);
    const double whole = nnc_max(0.0, 1.0 - 2.0 * (u->experts > 0 ? (double)u->experts : 1.0) / tokens);
    const double sustained = nnc_min(e->sustained_fraction * device->efficiency.calibration * e->boost_ratio, 1.0);
    const double scales = nnc_min(1.0, e->block_ratio) * nnc_min(1.0, e->group_ratio);
    return whole * scales * work->flops / (sustained * nnc_device_matmul_peak(device, op->math_dtype));
}
