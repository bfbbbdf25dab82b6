#include "cost/rows.h"

#include <stddef.h>

#include "op/work.h"

static void add(nnc_rows *rows, const nnc_op *op, const nnc_device *device,
                const nnc_network *network, double repeat)
{
    nnc_op_cost *row = &rows->rows[rows->count++];
    *row = (nnc_op_cost){ .op = op, .work = nnc_op_work(op), .repeat = repeat };
    row->part = (int32_t)nnc_part_of(op->phase);
    row->segment = op->segment;
    if (op->kind == NNC_OP_COLLECTIVE) {
        row->bound = NNC_BOUND_NETWORK;
        row->link = "";
        row->network_s =
            network != NULL ? nnc_network_exchange_s(network, &op->u.exchange, &row->link) : 0.0;
        row->time_s = row->network_s;
        return;
    }
    const nnc_timing t = nnc_op_time(device, op, &row->work);
    row->compute_s = t.compute_s;
    row->memory_s = t.memory_s;
    row->fixed_s = t.fixed_s;
    row->time_s = t.time_s;
    row->bound = t.bound;
}

static bool full(nnc_rows *rows, int32_t needed)
{
    rows->truncated = rows->truncated || rows->count > NNC_ROWS_MAX - needed;
    return rows->truncated;
}

void nnc_rows_add(nnc_rows *rows, const nnc_op *op, const nnc_device *device,
                  const nnc_network *network, double repeat)
{
    if (!full(rows, 1)) {
        nnc_op *copy = &rows->ops[rows->count];
        *copy = *op;
        add(rows, copy, device, network, repeat);
    }
}

static void add_backward(nnc_rows *rows, const nnc_op *op, const nnc_device *device,
                         const nnc_network *network, const nnc_plan *plan)
{
    const bool whole_block = (plan->recompute & NNC_RECOMPUTE_FULL) != 0 && op->block >= 0;
    const bool runs = op->kind != NNC_OP_COLLECTIVE || op->u.exchange.forward != NNC_NO_COLLECTIVE;
    const double repeat = (double)op->repeat;
    if (full(rows, 1 + NNC_BACKWARD_MAX)) {
        return;
    }
    if (runs && (op->recomputed || whole_block)) {
        nnc_op *again = &rows->ops[rows->count];
        *again = *op;
        again->phase = NNC_PHASE_RECOMPUTE;
        add(rows, again, device, network, repeat);
    }
    nnc_op *backward = &rows->ops[rows->count];
    const int count = nnc_op_backward(op, backward);
    for (int i = 0; i < count; i++) {
        add(rows, &backward[i], device, network, repeat);
    }
}

void nnc_rows_build(const nnc_op_list *list, const nnc_device *device, const nnc_network *network,
                    const nnc_plan *plan, nnc_rows *rows)
{
    rows->count = 0;
    rows->truncated = false;
    for (int32_t i = 0; i < list->count && !full(rows, 1); i++) {
        const nnc_op *op = &list->ops[i];
        if (op->kind != NNC_OP_COLLECTIVE || op->u.exchange.forward != NNC_NO_COLLECTIVE) {
            add(rows, op, device, network, (double)op->repeat);
        }
    }
    for (int32_t i = list->count - 1; i >= 0; i--) {
        add_backward(rows, &list->ops[i], device, network, plan);
    }
}

nnc_part nnc_part_of(nnc_phase phase)
{
    switch (phase) {
    case NNC_PHASE_FORWARD: return NNC_PART_FORWARD;
    case NNC_PHASE_RECOMPUTE: return NNC_PART_RECOMPUTE;
    case NNC_PHASE_COMM: return NNC_PART_COMM;
    case NNC_PHASE_UPDATE: return NNC_PART_UPDATE;
    default: return NNC_PART_BACKWARD;
    }
}

bool nnc_op_fuses_away(const nnc_op *op)
{
    return op->kind == NNC_OP_NORM || op->kind == NNC_OP_POINTWISE;
}
