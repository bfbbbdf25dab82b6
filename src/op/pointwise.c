/* Pointwise ops: their FLOPs, bytes read and written, and bytes kept, each computed from a number of elements.
 *
 * Each kind of pointwise op (NNC_POINTWISE_LIST) has one row, which names its members; without a row this file does not
 * compile. Counts are by inspection of the kernels, per element of the output; a transcendental function counts as one
 * FLOP. Some kinds change the number of elements (dispatch, pools): input_elements is then the number of elements that
 * forward reads and backward writes.   [pointwise] */
#include "base/base_internal.h"
#include "op/op_internal.h"

NNC_ENUM_NAMES(nnc_pointwise_kind, NNC_POINTWISE_LIST)

typedef struct passes {
    double reads, writes; /* elements that are read, and elements that are written, per output element */
} passes;

typedef struct both {
    double forward, backward;
} both;

typedef struct pointwise_row {
    both flops;                               /* FLOPs on the vector units per output element */
    passes forward, backward;                 /* memory passes of the fused kernel */
    passes unfused_forward, unfused_backward; /* memory passes with one kernel per primitive; both 0 = as many as the
                                               * fused kernel has */
    double inputs;                            /* number of input elements per output element, which are kept if the op
                                               * keeps its input */
    double mask_bytes;                        /* bytes per output element of a mask or of indices: forward writes them,
                                               * backward reads them */
    both input_flops;                         /* FLOPs per input element, for kinds with input_elements */
    double backward_input_reads;              /* for kinds with input_elements: share of the input that backward reads
                                               * again */
    bool no_backward;                         /* true: the op has no backward, because no parameters precede it or
                                               * because it copies a frozen weight */
    nnc_timed timed;    /* form of the op's time; not given: the form for feature maps if the op's group is
                         * convolution or resampling, else the form for pointwise ops */
    nnc_activation act; /* properties for graph files; set only for kinds in NNC_ACTIVATION_LIST */
} pointwise_row;

#define ROW(kind, ...) static const pointwise_row NNC_ROW(kind) = { __VA_ARGS__ }

ROW(NNC_PW_RELU, .flops = { 1, 1 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1,
    .act = { .by_output = true });
ROW(NNC_PW_GELU, .flops = { 8, 13 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .unfused_forward = { 8, 8 },
    .unfused_backward = { 16, 8 }, .inputs = 1);
ROW(NNC_PW_SILU, .flops = { 4, 7 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1);
/* Sigmoid: backward reads the output of forward instead of the input. */
ROW(NNC_PW_SIGMOID, .flops = { 3, 3 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1,
    .act = { .by_output = true });
ROW(NNC_PW_TANH, .flops = { 4, 3 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1,
    .act = { .by_output = true });
ROW(NNC_PW_HARD_SIGMOID, .flops = { 3, 2 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1);
ROW(NNC_PW_HARD_SWISH, .flops = { 4, 4 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1);
ROW(NNC_PW_SOFTMAX, .flops = { 5, 4 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .unfused_forward = { 3, 3 },
    .unfused_backward = { 4, 3 }, .inputs = 1, .act = { .by_output = true });
/* SwiGLU: the two inputs are gate and up. Unfused: one kernel for the activation, one for the multiplication. */
ROW(NNC_PW_SWIGLU, .flops = { 5, 10 }, .forward = { 2, 1 }, .backward = { 3, 2 }, .unfused_forward = { 3, 2 },
    .unfused_backward = { 5, 3 }, .inputs = 2, .act = { .gated = true });
ROW(NNC_PW_GEGLU, .flops = { 6, 12 }, .forward = { 2, 1 }, .backward = { 3, 2 }, .unfused_forward = { 3, 2 },
    .unfused_backward = { 5, 3 }, .inputs = 2, .act = { .gated = true });
/* Squared ReLU: forward has one comparison and one multiplication; the derivative is 2 max(x, 0). */
ROW(NNC_PW_RELU2, .flops = { 2, 3 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .unfused_forward = { 2, 2 },
    .unfused_backward = { 3, 2 }, .inputs = 1);
/* Scale: one sigmoid per row and one multiplication per element; backward also sums dy * x over each row. */
ROW(NNC_PW_SCALE, .flops = { 1, 3 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .unfused_forward = { 1, 1 },
    .unfused_backward = { 3, 1 }, .inputs = 1);
/* Soft cap: divide, tanh, multiply; backward uses 1 - tanh^2, computed from the output. */
ROW(NNC_PW_SOFTCAP, .flops = { 3, 4 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .unfused_forward = { 3, 3 },
    .unfused_backward = { 4, 3 }, .inputs = 1);
/* Product of two tensors: backward reads dy and both inputs, and writes two gradients. */
ROW(NNC_PW_MUL, .flops = { 1, 2 }, .forward = { 2, 1 }, .backward = { 3, 2 }, .unfused_forward = { 2, 1 },
    .unfused_backward = { 4, 2 }, .inputs = 2);
ROW(NNC_PW_BIAS, .flops = { 1, 1 }, .forward = { 1, 1 }, .backward = { 1, 0 }, .inputs = 1);
ROW(NNC_PW_DROPOUT, .flops = { 1, 1 }, .forward = { 1, 1 }, .backward = { 1, 1 }, .inputs = 1, .mask_bytes = 1);
/* Residual sum. Fused with the next norm: the kernel of the norm also reads the output of the branch and writes the
 * sum; in backward it also reads the gradient of the residual stream. */
ROW(NNC_PW_RESIDUAL, .flops = { 1, 1 }, .forward = { 1, 1 }, .backward = { 1, 0 }, .unfused_forward = { 2, 1 },
    .unfused_backward = { 2, 1 }, .inputs = 1);
ROW(NNC_PW_BIAS_DROPOUT_RESIDUAL, .flops = { 3, 2 }, .forward = { 2, 1 }, .backward = { 1, 1 },
    .unfused_forward = { 4, 3 }, .unfused_backward = { 3, 2 }, .inputs = 1, .mask_bytes = 1);
ROW(NNC_PW_SCALE_MASK, .flops = { 2, 1 }, .forward = { 1, 1 }, .backward = { 1, 1 }, .inputs = 1);
ROW(NNC_PW_ROTARY, .flops = { 3, 3 }, .forward = { 1, 1 }, .backward = { 1, 1 }, .unfused_forward = { 4, 2 },
    .unfused_backward = { 4, 2 }, .inputs = 1);
ROW(NNC_PW_POSITION_ADD, .flops = { 1, 1 }, .forward = { 1, 1 }, .backward = { 1, 0 }, .inputs = 1);
ROW(NNC_PW_TIME_ADD, .flops = { 1, 1 }, .forward = { 1, 1 }, .backward = { 1, 0 }, .inputs = 1);
ROW(NNC_PW_TIMESTEP, .flops = { 2, 0 }, .forward = { 0, 1 }, .no_backward = true);
/* Maximum over windows of 2 x 2: four comparisons per output. PyTorch keeps a 64-bit index per output. */
ROW(NNC_PW_MAX_POOL, .flops = { 4, 1 }, .forward = { 4, 1 }, .backward = { 1, 4 }, .inputs = 4, .mask_bytes = 8);
/* Pools with windows of any size: forward reads each input once and compares or adds it; backward writes the gradient
 * of each input. */
ROW(NNC_PW_MAX_POOL2D, .flops = { 0, 1 }, .forward = { 0, 1 }, .backward = { 1, 0 }, .inputs = 1, .mask_bytes = 8,
    .input_flops = { 1, 0 });
ROW(NNC_PW_AVG_POOL2D, .flops = { 1, 1 }, .forward = { 0, 1 }, .backward = { 1, 0 }, .inputs = 1,
    .input_flops = { 1, 1 });
ROW(NNC_PW_UPSAMPLE_NEAREST, .flops = { 0, 1 }, .forward = { 0.25, 1 }, .backward = { 1, 0.25 }, .inputs = 0.25);
ROW(NNC_PW_UPSAMPLE_BILINEAR, .flops = { 7, 7 }, .forward = { 0.25, 1 }, .backward = { 1, 0.25 }, .inputs = 0.25);
ROW(NNC_PW_RESIZE, .flops = { 1, 0 }, .forward = { 0, 1 }, .backward = { 1, 0 }, .inputs = 1, .input_flops = { 0, 1 });
/* Concatenation: backward moves no bytes, because the gradients of the inputs are views of one tensor. */
ROW(NNC_PW_CONCAT, .forward = { 1, 1 }, .inputs = 1);
ROW(NNC_PW_COPY, .forward = { 1, 1 }, .backward = { 1, 1 }, .inputs = 1);
/* Latent attention: joins the parts of the queries, keys and values of each head. A part that all heads share is
 * written once per head. Backward splits the gradients into the parts again. */
ROW(NNC_PW_BY_HEADS, .forward = { 0, 1 }, .backward = { 1, 0 });
ROW(NNC_PW_HALVES, .backward = { 1, 1 }, .inputs = 1);
/* Cast of weights: forward reads fp32 and writes 16 bits; backward reads 16-bit gradients and writes fp32. Unfused: the
 * gradients are also copied into one flat buffer, and cast before they are reduced. */
ROW(NNC_PW_CAST_WEIGHTS, .forward = { 1, 0.5 }, .backward = { 0.5, 1 }, .unfused_forward = { 1, 0.5 },
    .unfused_backward = { 2.5, 2.5 }, .timed = NNC_TIMED_UPDATE);
/* Copies of tokens for experts. Dispatch reads one row per copy of a token. A sum of copies reads every copy and writes
 * one row per token. Combine also multiplies each copy by a weight; its backward reads the copies again for the
 * gradients of the weights. */
ROW(NNC_PW_DISPATCH, .flops = { 0, 1 }, .forward = { 0, 1 }, .backward = { 1, 0 });
ROW(NNC_PW_SUM_COPIES, .forward = { 0, 1 }, .backward = { 1, 0 }, .input_flops = { 1, 0 });
ROW(NNC_PW_COMBINE, .forward = { 0, 1 }, .backward = { 1, 0 }, .input_flops = { 2, 3 }, .backward_input_reads = 1);
/* Merge of ring attention: reads the fp32 sum and the result for the next part of the keys (half as many bytes), scales
 * both and adds them. */
ROW(NNC_PW_MERGE, .flops = { 3, 1 }, .forward = { 1.5, 1 }, .backward = { 1.5, 1 }, .inputs = 1);
/* Dequantization: one multiplication per value, by the scale of its group. The input is the stored weights. */
ROW(NNC_PW_DEQUANTIZE, .flops = { 1, 0 }, .forward = { 0, 1 }, .no_backward = true);
/* Bias of experts, unfused, in fp32. Forward: product with the scores, sum, concatenation, cast: 28 bytes are moved per
 * 16-bit value. Backward: cast, sum over rows, products with bias and scores, each with its sum, join of the parts: 40
 * bytes. */
ROW(NNC_PW_EXPERT_BIAS, .flops = { 2, 4 }, .backward = { 1, 0 }, .unfused_forward = { 7, 7 },
    .unfused_backward = { 12, 8 });
/* Clamp of experts: forward clamps gate and up and concatenates them; backward masks the gradients of both and joins
 * them. */
ROW(NNC_PW_CLAMP, .flops = { 1, 1 }, .forward = { 2, 2 }, .backward = { 3, 2 }, .inputs = 1);
ROW(NNC_PW_CAST, .flops = { 2, 2 }, .forward = { 1, 0 }, .backward = { 1, 0 }, .inputs = 1, .mask_bytes = 1,
    .timed = NNC_TIMED_CAST);

#undef ROW
static const pointwise_row *const kinds[] = { NNC_POINTWISE_LIST(NNC_ROW_AT) };

const nnc_activation *nnc_activation_of(nnc_pointwise_kind kind) { return &kinds[kind]->act; }

static passes passes_of(const pointwise_row *row, bool fused, bool backward) {
    const passes one = backward ? row->backward : row->forward;
    const passes many = backward ? row->unfused_backward : row->unfused_forward;
    return fused || many.reads + many.writes == 0.0 ? one : many;
}

/* Returns the memory passes of an op that runs inside the kernel of a norm. An activation adds no passes. A residual
 * sum reads the output of the branch in forward, and writes the gradient of the branch in backward. */
static passes inside_norm(nnc_pointwise_kind kind, bool backward) {
    const double side = kind == NNC_PW_RESIDUAL ? 1.0 : 0.0;
    return (passes){ backward ? 0.0 : side, backward ? side : 0.0 };
}

/* Returns the memory passes of softmax with one kernel per reduction. Forward has three kernels: maximum, sum,
 * quotient. Backward has two kernels: the sum of the products in each row, and all other work. */
static passes by_reductions(bool backward) { return backward ? (passes){ 4, 1 } : (passes){ 3, 1 }; }

NNC_SAYING nnc_work pointwise_work(const nnc_op *op, nnc_derivation *why) {
    const nnc_pointwise *p = &op->u.pointwise;
    const pointwise_row *row = kinds[p->kind];
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    const bool other = backward && p->backward_elements > 0;
    const passes pass = p->inside          ? inside_norm(p->kind, backward)
                        : p->by_reductions ? by_reductions(backward)
                                           : passes_of(row, p->fused, backward);
    /* true: this phase writes the mask. Forward writes masks; a cast writes its 8-bit copy, which counts as a mask,
     * also in backward. */
    const bool masks_written = p->kind == NNC_PW_CAST || !backward;
    NNC_LET(why, elements, NULL, (double)(other ? p->backward_elements : p->elements));
    NNC_LET(why, element_bytes, NULL, nnc_dtype_bytes(op->dtype));
    NNC_LET(why, flops_per_element, NULL, backward ? row->flops.backward : row->flops.forward);
    NNC_LET(why, reads, NULL, pass.reads + (p->weighted && backward ? row->inputs + 1.0 : 0.0));
    NNC_LET(why, writes, NULL, pass.writes);
    /* dropout reads random numbers in fp32 that a separate kernel has written */
    const double random_bytes = p->random_written && !backward ? 4.0 : 0.0;
    NNC_LET(why, mask_read, NULL, random_bytes + (masks_written ? 0.0 : row->mask_bytes));
    NNC_LET(why, mask_written, NULL, random_bytes + (masks_written ? row->mask_bytes : 0.0));

    nnc_work work = { 0 };
    if (p->input_elements > 0) {
        NNC_LET(why, input_elements, NULL, (double)p->input_elements);
        NNC_LET(why, flops_per_input, NULL, backward ? row->input_flops.backward : row->input_flops.forward);
        NNC_LET(why, inputs_read, NULL, backward ? row->backward_input_reads : 1.0);
        NNC_LET(why, inputs_written, NULL, backward ? 1.0 : 0.0);
        NNC_SET(why, work.vector_flops, "FLOP", flops_per_element * elements + flops_per_input * input_elements);
        if (row->mask_bytes > 0.0) {
            NNC_SET(why, work.read_bytes, "B",
                    (reads * elements + inputs_read * input_elements) * element_bytes + mask_read * elements);
            NNC_SET(why, work.write_bytes, "B",
                    (writes * elements + inputs_written * input_elements) * element_bytes + mask_written * elements);
            return work;
        }
        NNC_SET(why, work.read_bytes, "B", (reads * elements + inputs_read * input_elements) * element_bytes);
        NNC_SET(why, work.write_bytes, "B", (writes * elements + inputs_written * input_elements) * element_bytes);
        return work;
    }
    NNC_SET(why, work.vector_flops, "FLOP", flops_per_element * elements);
    NNC_NOTE(why, "counts by inspection of the kernel; transcendentals count as one");
    NNC_SET(why, work.read_bytes, "B", (reads * element_bytes + mask_read) * elements);
    NNC_NOTE(why, p->inside  ? "computed inside the kernel of the norm"
                  : p->fused ? "one fused kernel"
                             : "one kernel per primitive");
    NNC_SET(why, work.write_bytes, "B", (writes * element_bytes + mask_written) * elements);
    return work;
}

NNC_SAYING double pointwise_kept(const nnc_op *op, nnc_derivation *why) {
    const nnc_pointwise *p = &op->u.pointwise;
    const pointwise_row *row = kinds[p->kind];
    const double elements = (double)p->elements, element_bytes = nnc_dtype_bytes(op->dtype);
    NNC_LET(why, extra_bytes, "B", p->extra_kept_bytes);
    NNC_LET(why, tensors, NULL, (p->keeps_input ? row->inputs : 0.0) + (p->keeps_output ? 1.0 : 0.0));
    NNC_LET(why, mask_bytes, NULL, p->keeps_mask ? row->mask_bytes : 0.0);
    if (p->keeps_input && p->keeps_8bit) {
        NNC_LET(why, inputs, NULL, row->inputs);
        NNC_SAY(why, saved_bytes, "B", inputs * elements * (element_bytes - 1.0));
        NNC_NOTE(why, "bytes saved because inputs are kept in 8 bits");
        NNC_SAY(why, kept_bytes, "B",
                extra_bytes + tensors * elements * element_bytes + mask_bytes * elements - saved_bytes);
        NNC_NOTE(why, nnc_kept_note);
        return kept_bytes;
    }
    NNC_SAY(why, kept_bytes, "B", extra_bytes + tensors * elements * element_bytes + mask_bytes * elements);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double pointwise_transient(const nnc_op *op, nnc_derivation *why) {
    const nnc_pointwise *p = &op->u.pointwise;
    const double elements = (double)p->elements, element_bytes = nnc_dtype_bytes(op->dtype);
    NNC_LET(why, inputs, NULL, kinds[p->kind]->inputs);
    /* an output that is computed again is in memory together with the gradients */
    NNC_LET(why, again, NULL, op->recomputed ? 1.0 : 0.0);
    NNC_SAY(why, transient_bytes, "B", (1.0 + inputs + again) * elements * element_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(pointwise)

static int pointwise_backward(const nnc_op *op, nnc_op *backward) {
    return kinds[op->u.pointwise.kind]->no_backward ? 0 : nnc_op_same_backward(op, backward);
}

/* Returns the number of ranks that divide the elements of a pointwise op, in forward or in backward. For a cast of the
 * operands of a product the two numbers can differ. */
static int64_t ranks_of(const nnc_op *op, const nnc_degrees *d, bool backward) {
    const bool cast = op->u.pointwise.kind == NNC_PW_CAST;
    /* A dequantization processes weights: ranks that divide only tokens each process all weights. */
    if (op->u.pointwise.kind == NNC_PW_DEQUANTIZE) {
        return op->split == NNC_SPLIT_TOKENS || op->split == NNC_SPLIT_SEQUENCE ? 1
               : op->split == NNC_SPLIT_EXPERT_INNER                            ? d->expert_tensor * d->expert
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

static void pointwise_shard(nnc_op *op, const nnc_degrees *d) {
    nnc_pointwise *p = &op->u.pointwise;
    const int64_t ranks = ranks_of(op, d, false);
    p->elements /= ranks;
    p->input_elements /= ranks;
    p->backward_elements /= ranks_of(op, d, true);
    p->extra_kept_bytes /= (double)ranks;
    /* attention sinks (one value per head): ranks that divide the heads divide these values */
    op->weights.vector /= op->split == NNC_SPLIT_HEADS ? d->tensor : 1;
    if (op->split == NNC_SPLIT_EXPERT_INNER && d->expert > 1 && p->kind != NNC_PW_DEQUANTIZE) {
        p->elements = nnc_scaled_up(p->elements, d->imbalance);
    }
}

static void pointwise_shape(const nnc_op *op, char *text, size_t size) {
    snprintf(text, size, "elements=%" PRId64, op->u.pointwise.elements);
}

static const char *pointwise_name(const nnc_op *op) { return nnc_pointwise_kind_name(op->u.pointwise.kind); }

static nnc_timed pointwise_timed(const nnc_op *op) {
    const bool map = op->group == NNC_GROUP_CONV || op->group == NNC_GROUP_RESAMPLE;
    const nnc_timed own = kinds[op->u.pointwise.kind]->timed;
    return own != 0 ? own : map ? NNC_TIMED_MAP : NNC_TIMED_POINTWISE;
}

const nnc_op_row nnc_pointwise_row = {
    .name_of = pointwise_name,
    NNC_OP_MEMBERS(pointwise),
    .backward = pointwise_backward,
    .shard = pointwise_shard,
    .shape = pointwise_shape,
    .timed_of = pointwise_timed,
    .fuses = true,
};
