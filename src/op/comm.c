/* Collectives: communication between ranks. They do no work on the device and keep nothing there;
 * the links decide their time (src/cost). The backward of a gather is a scatter, and the
 * reverse. */
#include <stdio.h>

#include "base/base_internal.h"
#include "op/op_internal.h"

NNC_ENUM_NAMES(nnc_collective, NNC_COLLECTIVE_LIST)
NNC_ENUM_NAMES(nnc_comm, NNC_COMM_LIST)

static nnc_work collective_work(const nnc_op *op)
{
    (void)op;
    return (nnc_work){ 0 };
}

static void collective_say(const nnc_op *op, nnc_derivation *why)
{
    (void)op;
    (void)why;
}

static int collective_backward(const nnc_op *op, nnc_op *backward)
{
    const nnc_collective_op *e = &op->u.collective;
    const nnc_collective runs[] = { e->backward, e->backward_again };
    const double backward_bytes = e->backward_bytes > 0.0 ? e->backward_bytes : e->bytes;
    const double bytes[] = { backward_bytes,
                             e->again_bytes > 0.0 ? e->again_bytes : backward_bytes };
    int count = 0;
    for (int i = 0; i < 2; i++) {
        if (runs[i] != NNC_NO_COLLECTIVE) {
            backward[count] = *op;
            backward[count].phase = NNC_PHASE_BACKWARD;
            backward[count].u.collective.forward = runs[i];
            backward[count].u.collective.bytes = bytes[i];
            count++;
        }
    }
    return count;
}

static void collective_shape(const nnc_op *op, char *text, size_t size)
{
    snprintf(text, size, "bytes=%.0f", op->u.collective.bytes);
}

static const char *collective_name(const nnc_op *op)
{
    return nnc_collective_name(op->u.collective.forward);
}

const nnc_op_row nnc_collective_row = {
    .name_of = collective_name,
    .work = collective_work,
    .kept = nnc_op_no_bytes,
    .transient = nnc_op_no_bytes,
    .say = collective_say,
    .backward = collective_backward,
    .shard = nnc_op_not_sharded,
    .shape = collective_shape,
    .timed = NNC_TIMED_NETWORK,
};
