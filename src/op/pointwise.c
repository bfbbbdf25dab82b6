#include <inttypes.h>
#include <stdio.h>

#include "base/names.h"
#include "op/op_row.h"

NNC_ENUM_NAMES(nnc_pointwise_kind, NNC_POINTWISE_LIST)

/* Per output element: FLOPs on the vector units, elements read and written, forward and backward,
 * in one kernel and with one kernel per primitive; bytes of mask or indices written forward and
 * read backward. Transcendentals count as one. Counts by inspection.   [pointwise] */
typedef struct passes {
    double reads, writes;
} passes;

typedef struct pointwise_row {
    double forward_flops, backward_flops;
    passes forward, backward;
    passes unfused_forward, unfused_backward;
    double inputs;     /* input elements per output element, as kept */
    double mask_bytes; /* per output element */
} pointwise_row;

static const pointwise_row kinds[NNC_PW_KIND_COUNT] = {
    [NNC_PW_GELU] = { 8, 13, { 1, 1 }, { 2, 1 }, { 8, 8 }, { 16, 8 }, 1, 0 },
    [NNC_PW_RELU] = { 1, 1, { 1, 1 }, { 2, 1 }, { 1, 1 }, { 2, 1 }, 1, 0 },
    [NNC_PW_SILU] = { 4, 7, { 1, 1 }, { 2, 1 }, { 1, 1 }, { 2, 1 }, 1, 0 },
    /* gate and up in; unfused: the activation, then the product */
    [NNC_PW_SWIGLU] = { 5, 10, { 2, 1 }, { 3, 2 }, { 3, 2 }, { 5, 3 }, 2, 0 },
    [NNC_PW_GEGLU] = { 6, 12, { 2, 1 }, { 3, 2 }, { 3, 2 }, { 5, 3 }, 2, 0 },
    [NNC_PW_BIAS] = { 1, 1, { 1, 1 }, { 1, 0 }, { 1, 1 }, { 1, 0 }, 1, 0 },
    [NNC_PW_DROPOUT] = { 1, 1, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1, 1 },
    /* fused into the norm that follows: it also reads the branch and writes the sum; backward the
     * norm's kernel also reads the gradient that bypassed it */
    [NNC_PW_RESIDUAL] = { 1, 1, { 1, 1 }, { 1, 0 }, { 2, 1 }, { 2, 1 }, 1, 0 },
    [NNC_PW_BIAS_DROPOUT_RESIDUAL] = { 3, 2, { 2, 1 }, { 1, 1 }, { 4, 3 }, { 3, 2 }, 1, 1 },
    [NNC_PW_SOFTMAX] = { 5, 4, { 1, 1 }, { 2, 1 }, { 3, 3 }, { 4, 3 }, 1, 0 },
    [NNC_PW_SCALE_MASK] = { 2, 1, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1, 0 },
    [NNC_PW_ROTARY] = { 3, 3, { 1, 1 }, { 1, 1 }, { 4, 2 }, { 4, 2 }, 1, 0 },
    [NNC_PW_POSITION_ADD] = { 1, 1, { 1, 1 }, { 1, 0 }, { 1, 1 }, { 1, 0 }, 1, 0 },
    [NNC_PW_TIME_ADD] = { 1, 1, { 1, 1 }, { 1, 0 }, { 1, 1 }, { 1, 0 }, 1, 0 },
    [NNC_PW_TIMESTEP] = { 2, 0, { 0, 1 }, { 0, 0 }, { 0, 1 }, { 0, 0 }, 0, 0 },
    /* 2 x 2 windows: four compares; PyTorch keeps a 64-bit index per output */
    [NNC_PW_MAX_POOL] = { 4, 1, { 4, 1 }, { 1, 4 }, { 4, 1 }, { 1, 4 }, 4, 8 },
    [NNC_PW_UPSAMPLE_NEAREST] = { 0,
                                  1,
                                  { 0.25, 1 },
                                  { 1, 0.25 },
                                  { 0.25, 1 },
                                  { 1, 0.25 },
                                  0.25,
                                  0 },
    [NNC_PW_UPSAMPLE_BILINEAR] = { 7,
                                   7,
                                   { 0.25, 1 },
                                   { 1, 0.25 },
                                   { 0.25, 1 },
                                   { 1, 0.25 },
                                   0.25,
                                   0 },
    /* the gradient of a concatenation is two views of it */
    [NNC_PW_CONCAT] = { 0, 0, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 0, 0 }, 1, 0 },
    /* Gathers read a row per copy; sums read every copy and write one row. Combining weights each
     * copy, and its backward also reads the copies for the gradients of the weights. */
    [NNC_PW_DISPATCH] = { 0, 1, { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 0 }, 0, 0 },
    [NNC_PW_COMBINE] = { 0, 0, { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 0 }, 0, 0 },
    [NNC_PW_CAST] = { 2, 2, { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 }, 1, 1 },
};

static nnc_work pointwise_work(const nnc_op *op)
{
    const nnc_pointwise *p = &op->u.pointwise;
    const pointwise_row *c = &kinds[p->kind];
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    const double bytes = nnc_dtype_bytes(op->dtype);
    double elements = (double)p->elements;
    if (backward && p->backward_elements > 0) {
        elements = (double)p->backward_elements;
    }
    const double others = (double)p->input_elements; /* of the other side of a dispatch */
    const passes pass = backward ? (p->fused ? c->backward : c->unfused_backward)
                                 : (p->fused ? c->forward : c->unfused_forward);
    nnc_work work = {
        .vector_flops = (backward ? c->backward_flops : c->forward_flops) * elements,
        .read_bytes = pass.reads * elements * bytes,
        .write_bytes = pass.writes * elements * bytes,
    };
    work.read_bytes += backward ? 0.0 : others * bytes;
    work.write_bytes += backward ? others * bytes : 0.0;
    if (p->kind == NNC_PW_COMBINE) {
        work.vector_flops = (backward ? 3.0 : 2.0) * others;
        work.read_bytes += backward ? others * bytes : 0.0;
    }
    if (p->kind == NNC_PW_CAST || !backward) {
        work.write_bytes += c->mask_bytes * elements; /* a cast writes 8-bit copies both ways */
    } else {
        work.read_bytes += c->mask_bytes * elements;
    }
    return work;
}

static double pointwise_kept(const nnc_op *op)
{
    const nnc_pointwise *p = &op->u.pointwise;
    const pointwise_row *c = &kinds[p->kind];
    const double elements = (double)p->elements, bytes = nnc_dtype_bytes(op->dtype);
    double kept = p->extra_kept_bytes;
    if (p->keeps_input) {
        kept += c->inputs * elements * bytes;
    }
    if (p->keeps_output) {
        kept += elements * bytes;
    }
    if (p->keeps_mask) {
        kept += c->mask_bytes * elements;
    }
    return kept;
}

static double pointwise_transient(const nnc_op *op)
{
    const nnc_pointwise *p = &op->u.pointwise;
    /* What is computed again is there beside its gradients. */
    const double again = op->recomputed ? 1.0 : 0.0;
    return (1.0 + kinds[p->kind].inputs + again) * (double)p->elements * nnc_dtype_bytes(op->dtype);
}

static int pointwise_backward(const nnc_op *op, nnc_op *backward)
{
    const bool none = op->u.pointwise.kind == NNC_PW_TIMESTEP; /* no parameters upstream */
    return none ? 0 : nnc_op_same_backward(op, backward);
}

/* Ranks that share the elements; of a cast, whose input and output differ. */
static int64_t ranks_of(const nnc_op *op, const nnc_degrees *d, bool backward)
{
    const bool cast = op->u.pointwise.kind == NNC_PW_CAST;
    switch (op->split) {
    case NNC_SPLIT_SEQUENCE: return d->sequence;
    case NNC_SPLIT_INNER:
    case NNC_SPLIT_HEADS:
    case NNC_SPLIT_EXPERT_INNER: return d->context * d->tensor;
    case NNC_SPLIT_COLUMN:
    case NNC_SPLIT_QKV:
    case NNC_SPLIT_EXPERT_COLUMN: return d->context * (cast && backward ? d->tensor : 1);
    case NNC_SPLIT_ROW:
    case NNC_SPLIT_EXPERT_ROW: return d->context * (cast && !backward ? d->tensor : 1);
    default: return d->context;
    }
}

static void pointwise_shard(nnc_op *op, const nnc_degrees *d)
{
    nnc_pointwise *p = &op->u.pointwise;
    const int64_t ranks = ranks_of(op, d, false);
    p->elements /= ranks;
    p->input_elements /= ranks;
    p->backward_elements /= ranks_of(op, d, true);
    p->extra_kept_bytes /= (double)ranks;
    if (op->split == NNC_SPLIT_EXPERT_INNER && d->expert > 1) {
        p->elements = nnc_scaled_up(p->elements, d->imbalance);
    }
}

static void pointwise_shape(const nnc_op *op, char *text, size_t size)
{
    snprintf(text, size, "elements=%" PRId64, op->u.pointwise.elements);
}

static const char *pointwise_name(const nnc_op *op)
{
    return nnc_pointwise_kind_name(op->u.pointwise.kind);
}

static nnc_timed pointwise_timed(const nnc_op *op)
{
    return op->u.pointwise.kind == NNC_PW_CAST ? NNC_TIMED_CAST : NNC_TIMED_POINTWISE;
}

const nnc_op_row nnc_pointwise_row = {
    .name = pointwise_name,
    .work = pointwise_work,
    .kept = pointwise_kept,
    .transient = pointwise_transient,
    .backward = pointwise_backward,
    .shard = pointwise_shard,
    .shape = pointwise_shape,
    .timed_of = pointwise_timed,
    .fuses = true,
};
