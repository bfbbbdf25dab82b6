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
    double forward_input_flops, backward_input_flops, backward_input_reads; /* of the other side */
} pointwise_row;

static const pointwise_row kinds[NNC_PW_KIND_COUNT] = {
    [NNC_PW_GELU] = { 8, 13, { 1, 1 }, { 2, 1 }, { 8, 8 }, { 16, 8 }, 1, 0, 0, 0, 0 },
    [NNC_PW_RELU] = { 1, 1, { 1, 1 }, { 2, 1 }, { 1, 1 }, { 2, 1 }, 1, 0, 0, 0, 0 },
    /* a compare and a product; backward 2 x max(x, 0) */
    [NNC_PW_RELU2] = { 2, 3, { 1, 1 }, { 2, 1 }, { 2, 2 }, { 3, 2 }, 1, 0, 0, 0, 0 },
    /* a sigmoid per row, a product; backward also the sum of a row's products */
    [NNC_PW_SCALE] = { 1, 3, { 1, 1 }, { 2, 1 }, { 1, 1 }, { 3, 1 }, 1, 0, 0, 0, 0 },
    /* divide, tanh, multiply; backward 1 - tanh^2 of the output */
    [NNC_PW_SOFTCAP] = { 3, 4, { 1, 1 }, { 2, 1 }, { 3, 3 }, { 4, 3 }, 1, 0, 0, 0, 0 },
    [NNC_PW_SILU] = { 4, 7, { 1, 1 }, { 2, 1 }, { 1, 1 }, { 2, 1 }, 1, 0, 0, 0, 0 },
    /* backward by the output */
    [NNC_PW_SIGMOID] = { 3, 3, { 1, 1 }, { 2, 1 }, { 1, 1 }, { 2, 1 }, 1, 0, 0, 0, 0 },
    [NNC_PW_TANH] = { 4, 3, { 1, 1 }, { 2, 1 }, { 1, 1 }, { 2, 1 }, 1, 0, 0, 0, 0 },
    [NNC_PW_HARD_SIGMOID] = { 3, 2, { 1, 1 }, { 2, 1 }, { 1, 1 }, { 2, 1 }, 1, 0, 0, 0, 0 },
    [NNC_PW_HARD_SWISH] = { 4, 4, { 1, 1 }, { 2, 1 }, { 1, 1 }, { 2, 1 }, 1, 0, 0, 0, 0 },
    /* backward reads dy and both, and writes two gradients */
    [NNC_PW_MUL] = { 1, 2, { 2, 1 }, { 3, 2 }, { 2, 1 }, { 4, 2 }, 2, 0, 0, 0, 0 },
    /* gate and up in; unfused: the activation, then the product */
    [NNC_PW_SWIGLU] = { 5, 10, { 2, 1 }, { 3, 2 }, { 3, 2 }, { 5, 3 }, 2, 0, 0, 0, 0 },
    [NNC_PW_GEGLU] = { 6, 12, { 2, 1 }, { 3, 2 }, { 3, 2 }, { 5, 3 }, 2, 0, 0, 0, 0 },
    [NNC_PW_BIAS] = { 1, 1, { 1, 1 }, { 1, 0 }, { 1, 1 }, { 1, 0 }, 1, 0, 0, 0, 0 },
    [NNC_PW_DROPOUT] = { 1, 1, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1, 1, 0, 0, 0 },
    /* fused into the norm that follows: it also reads the branch and writes the sum; backward the
     * norm's kernel also reads the gradient that bypassed it */
    [NNC_PW_RESIDUAL] = { 1, 1, { 1, 1 }, { 1, 0 }, { 2, 1 }, { 2, 1 }, 1, 0, 0, 0, 0 },
    [NNC_PW_BIAS_DROPOUT_RESIDUAL] = { 3,
                                       2,
                                       { 2, 1 },
                                       { 1, 1 },
                                       { 4, 3 },
                                       { 3, 2 },
                                       1,
                                       1,
                                       0,
                                       0,
                                       0 },
    [NNC_PW_SOFTMAX] = { 5, 4, { 1, 1 }, { 2, 1 }, { 3, 3 }, { 4, 3 }, 1, 0, 0, 0, 0 },
    [NNC_PW_SCALE_MASK] = { 2, 1, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1, 0, 0, 0, 0 },
    [NNC_PW_ROTARY] = { 3, 3, { 1, 1 }, { 1, 1 }, { 4, 2 }, { 4, 2 }, 1, 0, 0, 0, 0 },
    [NNC_PW_POSITION_ADD] = { 1, 1, { 1, 1 }, { 1, 0 }, { 1, 1 }, { 1, 0 }, 1, 0, 0, 0, 0 },
    [NNC_PW_TIME_ADD] = { 1, 1, { 1, 1 }, { 1, 0 }, { 1, 1 }, { 1, 0 }, 1, 0, 0, 0, 0 },
    [NNC_PW_TIMESTEP] = { 2, 0, { 0, 1 }, { 0, 0 }, { 0, 1 }, { 0, 0 }, 0, 0, 0, 0, 0 },
    /* 2 x 2 windows: four compares; PyTorch keeps a 64-bit index per output */
    [NNC_PW_MAX_POOL] = { 4, 1, { 4, 1 }, { 1, 4 }, { 4, 1 }, { 1, 4 }, 4, 8, 0, 0, 0 },
    /* Windows of any size: every input is read once, compared or added, and its gradient written. */
    [NNC_PW_MAX_POOL2D] = { 0, 1, { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 0 }, 1, 8, 1, 0, 0 },
    [NNC_PW_AVG_POOL2D] = { 1, 1, { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 0 }, 1, 0, 1, 1, 0 },
    [NNC_PW_UPSAMPLE_NEAREST] = { 0,
                                  1,
                                  { 0.25, 1 },
                                  { 1, 0.25 },
                                  { 0.25, 1 },
                                  { 1, 0.25 },
                                  0.25,
                                  0,
                                  0,
                                  0,
                                  0 },
    [NNC_PW_UPSAMPLE_BILINEAR] = { 7,
                                   7,
                                   { 0.25, 1 },
                                   { 1, 0.25 },
                                   { 0.25, 1 },
                                   { 1, 0.25 },
                                   0.25,
                                   0,
                                   0,
                                   0,
                                   0 },
    [NNC_PW_RESIZE] = { 1, 0, { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 0 }, 1, 0, 0, 1, 0 },
    /* the gradient of a concatenation is two views of it */
    [NNC_PW_CONCAT] = { 0, 0, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 0, 0 }, 1, 0, 0, 0, 0 },
    [NNC_PW_COPY] = { 0, 0, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1, 0, 0, 0, 0 },
    /* Reads what its parts hold, writes them side by side, what they share once per head; backward the other way. */
    [NNC_PW_BY_HEADS] = { 0, 0, { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 0 }, 0, 0, 0, 0, 0 },
    [NNC_PW_HALVES] = { 0, 0, { 0, 0 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, 1, 0, 0, 0, 0 },
    /* Of fp32: read, and written in half of the bytes; gradients the other way round. Of one flat buffer (unfused)
     * gradients are also copied into it, and cast for their reduction. */
    [NNC_PW_CAST_WEIGHTS] = { 0,
                              0,
                              { 1, 0.5 },
                              { 0.5, 1 },
                              { 1, 0.5 },
                              { 2.5, 2.5 },
                              0,
                              0,
                              0,
                              0,
                              0 },
    /* Gathers read a row per copy; sums read every copy and write one row. Combining weights each
     * copy, and its backward also reads the copies for the gradients of the weights. */
    [NNC_PW_DISPATCH] = { 0, 1, { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 0 }, 0, 0, 0, 0, 0 },
    [NNC_PW_SUM_COPIES] = { 0, 0, { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 0 }, 0, 0, 1, 0, 0 },
    [NNC_PW_COMBINE] = { 0, 0, { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 0 }, 0, 0, 2, 3, 1 },
    /* fp32, of which the new block's result has half the bytes: scale both, add */
    [NNC_PW_MERGE] = { 3, 1, { 1.5, 1 }, { 1.5, 1 }, { 1.5, 1 }, { 1.5, 1 }, 1, 0, 0, 0, 0 },
    /* one product with the scale of its block; the stored weights are the other side */
    [NNC_PW_DEQUANTIZE] = { 1, 0, { 0, 1 }, { 0, 0 }, { 0, 1 }, { 0, 0 }, 0, 0, 0, 0, 0 },
    /* Unfused, in fp32: times the scores, sum, concatenation, cast. Backward: the cast, that of the rows; products
     * with bias and scores, each with its sum; the parts put together. 28 and 40 bytes per value of 16 bits. */
    [NNC_PW_EXPERT_BIAS] = { 2, 4, { 0, 0 }, { 1, 0 }, { 7, 7 }, { 12, 8 }, 0, 0, 0, 0, 0 },
    /* Both halves, and the concatenation; backward the gradient where nothing was cut off, and its concatenation. */
    [NNC_PW_CLAMP] = { 1, 1, { 2, 2 }, { 3, 2 }, { 2, 2 }, { 3, 2 }, 1, 0, 0, 0, 0 },
    [NNC_PW_CAST] = { 2, 2, { 1, 0 }, { 1, 0 }, { 1, 0 }, { 1, 0 }, 1, 1, 0, 0, 0 },
};

/* In the norm's kernel an activation moves nothing; a sum reads its other side, and backward writes the
 * gradient of that. */
static passes inside_norm(nnc_pointwise_kind kind, bool backward)
{
    const double side = kind == NNC_PW_RESIDUAL ? 1.0 : 0.0;
    return (passes){ backward ? 0.0 : side, backward ? side : 0.0 };
}

/* Largest value, sum and quotient; backward the sum of a row's products, and the rest. */
static passes by_reductions(bool backward)
{
    return backward ? (passes){ 4, 1 } : (passes){ 3, 1 };
}

/* Of a dispatch or its opposite, input_elements are those of the other side: one row per token where
 * elements have one per copy. Combining weighs each copy; its backward reads them too. */
NNC_SAYING nnc_work pointwise_work(const nnc_op *op, nnc_derivation *why)
{
    const nnc_pointwise *p = &op->u.pointwise;
    const pointwise_row *row = &kinds[p->kind];
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    const bool other = backward && p->backward_elements > 0;
    const passes pass = p->inside          ? inside_norm(p->kind, backward)
                        : p->by_reductions ? by_reductions(backward)
                        : backward         ? (p->fused ? row->backward : row->unfused_backward)
                                           : (p->fused ? row->forward : row->unfused_forward);
    /* a cast writes 8-bit copies both ways */
    const bool masks_written = p->kind == NNC_PW_CAST || !backward;
    NNC_LET(why, elements, NULL, (double)(other ? p->backward_elements : p->elements));
    NNC_LET(why, element_bytes, NULL, nnc_dtype_bytes(op->dtype));
    NNC_LET(why, flops_per_element, NULL, backward ? row->backward_flops : row->forward_flops);
    NNC_LET(why, reads, NULL, pass.reads + (p->weighted && backward ? row->inputs + 1.0 : 0.0));
    NNC_LET(why, writes, NULL, pass.writes);
    const double random_bytes = p->random_written && !backward ? 4.0 : 0.0; /* fp32 */
    NNC_LET(why, mask_read, NULL, random_bytes + (masks_written ? 0.0 : row->mask_bytes));
    NNC_LET(why, mask_written, NULL, random_bytes + (masks_written ? row->mask_bytes : 0.0));

    nnc_work work = { 0 };
    if (p->input_elements > 0) {
        NNC_LET(why, input_elements, NULL, (double)p->input_elements);
        NNC_LET(why, flops_per_input, NULL,
                backward ? row->backward_input_flops : row->forward_input_flops);
        NNC_LET(why, inputs_read, NULL, backward ? row->backward_input_reads : 1.0);
        NNC_LET(why, inputs_written, NULL, backward ? 1.0 : 0.0);
        NNC_SET(why, work.vector_flops, "FLOP",
                flops_per_element * elements + flops_per_input * input_elements);
        if (row->mask_bytes > 0.0) {
            NNC_SET(why, work.read_bytes, "B",
                    (reads * elements + inputs_read * input_elements) * element_bytes +
                        mask_read * elements);
            NNC_SET(why, work.write_bytes, "B",
                    (writes * elements + inputs_written * input_elements) * element_bytes +
                        mask_written * elements);
            return work;
        }
        NNC_SET(why, work.read_bytes, "B",
                (reads * elements + inputs_read * input_elements) * element_bytes);
        NNC_SET(why, work.write_bytes, "B",
                (writes * elements + inputs_written * input_elements) * element_bytes);
        return work;
    }
    NNC_SET(why, work.vector_flops, "FLOP", flops_per_element * elements);
    NNC_NOTE(why, "counts by inspection of the kernel; transcendentals count as one");
    NNC_SET(why, work.read_bytes, "B", (reads * element_bytes + mask_read) * elements);
    NNC_NOTE(why, p->inside  ? "in the kernel of the norm"
                  : p->fused ? "in one kernel"
                             : "one kernel per primitive");
    NNC_SET(why, work.write_bytes, "B", (writes * element_bytes + mask_written) * elements);
    return work;
}

NNC_SAYING double pointwise_kept(const nnc_op *op, nnc_derivation *why)
{
    const nnc_pointwise *p = &op->u.pointwise;
    const pointwise_row *row = &kinds[p->kind];
    const double elements = (double)p->elements, element_bytes = nnc_dtype_bytes(op->dtype);
    NNC_LET(why, extra_bytes, "B", p->extra_kept_bytes);
    NNC_LET(why, tensors, NULL,
            (p->keeps_input ? row->inputs : 0.0) + (p->keeps_output ? 1.0 : 0.0));
    NNC_LET(why, mask_bytes, NULL, p->keeps_mask ? row->mask_bytes : 0.0);
    if (p->keeps_input && p->keeps_8bit) {
        NNC_LET(why, inputs, NULL, row->inputs);
        NNC_SAY(why, saved_bytes, "B", inputs * elements * (element_bytes - 1.0));
        NNC_NOTE(why, "inputs in one byte each");
        NNC_SAY(why, kept_bytes, "B",
                extra_bytes + tensors * elements * element_bytes + mask_bytes * elements -
                    saved_bytes);
        NNC_NOTE(why, nnc_kept_note);
        return kept_bytes;
    }
    NNC_SAY(why, kept_bytes, "B",
            extra_bytes + tensors * elements * element_bytes + mask_bytes * elements);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double pointwise_transient(const nnc_op *op, nnc_derivation *why)
{
    const nnc_pointwise *p = &op->u.pointwise;
    const double elements = (double)p->elements, element_bytes = nnc_dtype_bytes(op->dtype);
    NNC_LET(why, inputs, NULL, kinds[p->kind].inputs);
    /* What is computed again is there beside its gradients. */
    NNC_LET(why, again, NULL, op->recomputed ? 1.0 : 0.0);
    NNC_SAY(why, transient_bytes, "B", (1.0 + inputs + again) * elements * element_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(pointwise)

static int pointwise_backward(const nnc_op *op, nnc_op *backward)
{
    const nnc_pointwise_kind kind = op->u.pointwise.kind;
    /* no parameters upstream; a copy of a weight that is not trained */
    const bool none = kind == NNC_PW_TIMESTEP || kind == NNC_PW_DEQUANTIZE;
    return none ? 0 : nnc_op_same_backward(op, backward);
}

/* Ranks that share the elements; of a cast, whose input and output differ. */
static int64_t ranks_of(const nnc_op *op, const nnc_degrees *d, bool backward)
{
    const bool cast = op->u.pointwise.kind == NNC_PW_CAST;
    if (op->u.pointwise.kind == NNC_PW_DEQUANTIZE) { /* weights, whatever the tokens do */
        return op->split == NNC_SPLIT_TOKENS || op->split == NNC_SPLIT_SEQUENCE ? 1
               : op->split == NNC_SPLIT_EXPERT_INNER ? d->expert_tensor * d->expert
                                                     : d->tensor;
    }
    switch (op->split) {
    case NNC_SPLIT_SEQUENCE: return d->sequence;
    case NNC_SPLIT_INNER:
    case NNC_SPLIT_HEADS:
    case NNC_SPLIT_EXPERT_INNER: return d->context * d->tensor;
    case NNC_SPLIT_COLUMN:
    case NNC_SPLIT_QKV: return d->context * (cast && backward ? d->tensor : 1);
    case NNC_SPLIT_ROW: return d->context * (cast && !backward ? d->tensor : 1);
    case NNC_SPLIT_EXPERT_COLUMN: return d->expert_rows * (cast && backward ? d->expert_tensor : 1);
    case NNC_SPLIT_EXPERT_ROW: return d->expert_rows * (cast && !backward ? d->expert_tensor : 1);
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
    op->weights.vector /= op->split == NNC_SPLIT_HEADS ? d->tensor : 1; /* sinks */
    if (op->split == NNC_SPLIT_EXPERT_INNER && d->expert > 1 && p->kind != NNC_PW_DEQUANTIZE) {
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
    const bool map = op->group == NNC_GROUP_CONV || op->group == NNC_GROUP_RESAMPLE;
    return op->u.pointwise.kind == NNC_PW_CAST           ? NNC_TIMED_CAST
           : op->u.pointwise.kind == NNC_PW_CAST_WEIGHTS ? NNC_TIMED_UPDATE
           : map                                         ? NNC_TIMED_MAP
                                                         : NNC_TIMED_POINTWISE;
}

const nnc_op_row nnc_pointwise_row = {
    .name = pointwise_name,
    NNC_OP_MEMBERS(pointwise),
    .backward = pointwise_backward,
    .shard = pointwise_shard,
    .shape = pointwise_shape,
    .timed_of = pointwise_timed,
    .fuses = true,
};
