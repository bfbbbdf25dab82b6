/* One op alone on a device (nncost op): its work, its roofline bound, and the time that the fitted values predict. */
#include <stdio.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"

typedef struct kind {
    const char *name, *dims; /* how dims are written; NULL for a collective */
    int least, most;
    void (*fill)(const nnc_single_op *alone, nnc_op *op);
    nnc_collective collective;
} kind;

/* M x N x K, with a batch in front if there are four numbers. */
static void fill_matmul(const nnc_single_op *a, nnc_op *op)
{
    const int64_t *d = a->dims + a->dim_count - 3;
    op->kind = NNC_OP_MATMUL;
    op->u.matmul = (nnc_matmul){ .batch = a->dim_count > 3 ? a->dims[0] : 1,
                                 .m = d[0],
                                 .n = d[1],
                                 .k = d[2],
                                 .b_shared = 1,
                                 .kept_divisor = 1 };
}

/* Batch x heads x tokens x head width; a fifth number gives the key and value heads. Causal. */
static void fill_attention(const nnc_single_op *a, nnc_op *op)
{
    const int64_t *d = a->dims;
    const double all = (double)d[2] * (double)d[2];
    op->kind = NNC_OP_FLASH;
    op->u.flash = (nnc_flash){ .batch = d[0],
                               .heads = d[1],
                               .kv_heads = a->dim_count > 4 ? d[4] : d[1],
                               .s_q = d[2],
                               .s_k = d[2],
                               .head_dim = d[3],
                               .value_dim = d[3],
                               .pairs = (double)nnc_attention_pairs(d[2], d[2], true, 0),
                               .full_pairs = all,
                               .window_pairs = all,
                               .causal = true,
                               .kept_s_k = d[2],
                               .kept_kv_heads = d[1],
                               .kernel = NNC_FLASH2 };
}

/* Batch x input channels x height x width x output channels x kernel; stride 1, output of the same size. */
static void fill_conv(const nnc_single_op *a, nnc_op *op)
{
    const int64_t *d = a->dims;
    op->kind = NNC_OP_CONV;
    op->u.conv = (nnc_conv){ .batch = d[0],
                             .c_in = d[1],
                             .c_out = d[4],
                             .h_in = d[2],
                             .w_in = d[3],
                             .h_out = d[2],
                             .w_out = d[3],
                             .kernel = d[5],
                             .stride = 1,
                             .groups = 1 };
}

#define COLLECTIVE(text, which)               \
    {                                         \
        .name = (text), .collective = (which) \
    }
static const kind kinds[] = {
    { .name = "matmul", .dims = "[BATCHx]MxNxK", .least = 3, .most = 4, .fill = fill_matmul },
    { .name = "attention",
      .dims = "BATCHxHEADSxTOKENSxWIDTH[xKV_HEADS]",
      .least = 4,
      .most = 5,
      .fill = fill_attention },
    { .name = "conv",
      .dims = "BATCHxINxHEIGHTxWIDTHxOUTxKERNEL",
      .least = 6,
      .most = 6,
      .fill = fill_conv },
    COLLECTIVE("all-reduce", NNC_ALL_REDUCE),
    COLLECTIVE("all-gather", NNC_ALL_GATHER),
    COLLECTIVE("reduce-scatter", NNC_REDUCE_SCATTER),
    COLLECTIVE("all-to-all", NNC_ALL_TO_ALL),
    COLLECTIVE("broadcast", NNC_BROADCAST),
    COLLECTIVE("p2p", NNC_P2P),
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *nnc_single_op_kind(int index, const char **dims)
{
    if (index >= KINDS) {
        return NULL;
    }
    *dims = kinds[index].dims;
    return kinds[index].name;
}

/* Limits the product of dims, so that it is exact in a double. */
static bool too_large(const nnc_single_op *a)
{
    double product = 1.0;
    for (int32_t i = 0; i < a->dim_count; i++) {
        product *= (double)a->dims[i];
    }
    return product > 1e18;
}

static nnc_status time_op(const kind *k, const nnc_device *device, nnc_single_op *a, nnc_error *err)
{
    nnc_op op = { .name = k->name,
                  .phase = NNC_PHASE_FORWARD,
                  .dtype = a->precision,
                  .math_dtype = a->precision,
                  .repeat = 1,
                  .block = -1 };
    if (a->dim_count < k->least || a->dim_count > k->most || too_large(a)) {
        return nnc_fail(err, NNC_BAD_USAGE, k->name, "wrong size, expected %s, found %d numbers%s",
                        k->dims, (int)a->dim_count, too_large(a) ? " of too large a product" : "");
    }
    k->fill(a, &op);
    if (op.kind == NNC_OP_FLASH && op.u.flash.heads % op.u.flash.kv_heads != 0) {
        return nnc_fail(err, NNC_BAD_USAGE, k->name, "key heads do not divide the heads");
    }
    const nnc_work work = nnc_op_work(&op);
    const nnc_timing t = nnc_op_time(device, &op, &work);
    const double peak = nnc_device_matmul_peak(device, a->precision);
    nnc_op_shape(&op, a->shape, sizeof a->shape);
    a->flops = work.flops;
    a->moved_bytes = work.read_bytes + work.write_bytes;
    a->flops_per_byte = a->flops / a->moved_bytes;
    a->ridge_flops_per_byte = peak / device->mem_bytes_per_s;
    a->bound_s = nnc_max(a->flops / peak, a->moved_bytes / device->mem_bytes_per_s);
    if (op.kind == NNC_OP_CONV) { /* may need fewer products than its definition */
        a->bound_s =
            nnc_min(a->bound_s, nnc_max(t.compute_s, a->moved_bytes / device->mem_bytes_per_s));
    }
    a->compute_s = t.compute_s;
    a->memory_s = t.memory_s;
    a->fixed_s = t.fixed_s;
    a->time_s = t.time_s;
    a->bound = t.bound;
    a->flops_per_s = a->flops / t.time_s;
    a->bytes_per_s = a->moved_bytes / t.time_s;
    a->peak_share = a->bound_s / t.time_s;
    return NNC_OK;
}

static nnc_status time_collective(const kind *k, const nnc_device *device, nnc_single_op *a,
                                  nnc_error *err)
{
    nnc_route route;
    if (a->devices < 2) {
        return nnc_fail(err, NNC_BAD_USAGE, "--devices",
                        "missing, expected how many take part, at least 2");
    }
    if (!(a->bytes > 0.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, k->name,
                        "wrong size, expected the bytes of the whole tensor, 1GB");
    }
    NNC_TRY(nnc_route_find(device, a->devices, a->devices_per_node, a->devices, 1, &route, err));
    a->moved_bytes = nnc_collective_sent_bytes(k->collective, route.size, a->bytes);
    a->bound_s = nnc_collective_s(&route, k->collective, a->bytes);
    a->time_s = a->network_s = nnc_collective_predicted_s(&route, k->collective, a->bytes);
    a->bytes_per_s = a->moved_bytes / a->time_s;
    a->peak_share = a->bound_s / a->time_s;
    a->bound = NNC_BOUND_NETWORK;
    a->link = route.link;
    snprintf(a->shape, sizeof a->shape, "devices=%d", (int)a->devices);
    return NNC_OK;
}

nnc_status nnc_single_op_time(const nnc_device *device, nnc_single_op *a, nnc_error *err)
{
    const kind *k = kinds;
    while (k < kinds + KINDS && strcmp(k->name, a->kind) != 0) {
        k++;
    }
    if (k == kinds + KINDS) {
        return nnc_fail(err, NNC_BAD_USAGE, "KIND",
                        "unknown op, expected matmul, attention, conv, all-reduce, all-gather, "
                        "reduce-scatter, all-to-all, broadcast or p2p, found \"%.40s\"",
                        a->kind);
    }
    a->flops = a->flops_per_byte = a->ridge_flops_per_byte = a->compute_s = a->memory_s =
        a->fixed_s = a->network_s = a->flops_per_s = (double)NAN;
    a->link = NULL;
    return k->fill != NULL ? time_op(k, device, a, err) : time_collective(k, device, a, err);
}
