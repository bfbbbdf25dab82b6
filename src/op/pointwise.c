/* Pointwise ops: computes their FLOPs, the bytes that they read, write and keep, from numbers of elements.
 *
 * Each kind of pointwise op (NNC_POINTWISE_LIST) has one row in this file, which does not compile if a row is missing.
 * The numbers in a row are per element of the output; they were counted by inspection of the kernels, and a
 * transcendental function counts as one FLOP. The output of some kinds (dispatch, pools) has another number of elements
 * than the input: for these kinds, input_elements is the number of elements that forward reads and backward writes.
 * [pointwise] */
#include "base/base_internal.h"
#include "op/op_internal.h"

NNC_ENUM_NAMES(nnc_pointwise_kind, NNC_POINTWISE_LIST)

typedef struct passes {
    double reads, writes; /* for one output element: number of elements that are read, and number that are written */
} passes;

typedef struct both {
    double forward, backward;
} both;

typedef struct pointwise_row {
    both flops;               /* FLOPs for each element of the output, on the vector units */
    passes forward, backward; /* memory passes of the op if one fused kernel computes it */
    /* memory passes of the op with one kernel per primitive operation; reads and writes 0 = as many passes as the fused
     * kernel has */
    passes unfused_forward, unfused_backward;
    double inputs;               /* number of input elements per output element, which are kept if the op keeps its
                                  * input */
    double mask_bytes;           /* bytes per output element of a mask or of indices: forward writes them, backward
                                  * reads them */
    both input_flops;            /* FLOPs per input element; used for kinds that set nnc_pointwise.input_elements */
    double backward_input_reads; /* for kinds with input_elements: share of the input that backward reads
                                  * again */
    bool no_backward;            /* true: the op has no backward, because no parameters precede it or
                                  * because it copies a frozen weight */
    /* form of the op's time; if a row does not set it: the form for feature maps if the op's group is convolution or
     * resampling, else the form for pointwise ops */
    nnc_timed timed;
    /* properties of an activation function for graph files; set only for kinds in NNC_ACTIVATION_LIST */
    nnc_activation act;
} pointwise_row;

#define ROW(kind, ...) static const pointwise_row NNC_ROW(kind) = { __VA_ARGS__ }

ROW(NNC_PW_RELU, .flops = { 1, 1 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1,
    .act = { .by_output = true });
ROW(NNC_PW_GELU, .flops = { 8, 13 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .unfused_forward = { 8, 8 },
    .unfused_backward = { 16, 8 }, .inputs = 1);
ROW(NNC_PW_SILU, .flops = { 4, 7 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1);
/* Backward of a sigmoid reads the output of forward, not the input. */
ROW(NNC_PW_SIGMOID, .flops = { 3, 3 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1,
    .act = { .by_output = true });
ROW(NNC_PW_TANH, .flops = { 4, 3 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1,
    .act = { .by_output = true });
ROW(NNC_PW_HARD_SIGMOID, .flops = { 3, 2 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1);
ROW(NNC_PW_HARD_SWISH, .flops = { 4, 4 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .inputs = 1);
ROW(NNC_PW_SOFTMAX, .flops = { 5, 4 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .unfused_forward = { 3, 3 },
    .unfused_backward = { 4, 3 }, .inputs = 1, .act = { .by_output = true });
/* SwiGLU has two inputs, gate and up. If SwiGLU is unfused, one kernel computes the activation of gate, and one kernel
 * multiplies the result by up. */
ROW(NNC_PW_SWIGLU, .flops = { 5, 10 }, .forward = { 2, 1 }, .backward = { 3, 2 }, .unfused_forward = { 3, 2 },
    .unfused_backward = { 5, 3 }, .inputs = 2, .act = { .gated = true });
ROW(NNC_PW_GEGLU, .flops = { 6, 12 }, .forward = { 2, 1 }, .backward = { 3, 2 }, .unfused_forward = { 3, 2 },
    .unfused_backward = { 5, 3 }, .inputs = 2, .act = { .gated = true });
/* Squared ReLU: forward has one comparison and one multiplication per element; its derivative is 2 max(x, 0). */
ROW(NNC_PW_RELU2, .flops = { 2, 3 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .unfused_forward = { 2, 2 },
    .unfused_backward = { 3, 2 }, .inputs = 1);
/* Scale: forward computes one sigmoid per row and one multiplication per element. Backward of a scale also sums the
 * products of dy and x over each row. */
ROW(NNC_PW_SCALE, .flops = { 1, 3 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .unfused_forward = { 1, 1 },
    .unfused_backward = { 3, 1 }, .inputs = 1);
/* Soft cap: forward divides, computes tanh and multiplies. Backward of a soft cap computes 1 - tanh^2 from the output
 * of forward. */
ROW(NNC_PW_SOFTCAP, .flops = { 3, 4 }, .forward = { 1, 1 }, .backward = { 2, 1 }, .unfused_forward = { 3, 3 },
    .unfused_backward = { 4, 3 }, .inputs = 1);
/* Product of two tensors: backward reads dy (the gradient of the output) and both inputs, and writes two gradients. */
ROW(NNC_PW_MUL, .flops = { 1, 2 }, .forward = { 2, 1 }, .backward = { 3, 2 }, .unfused_forward = { 2, 1 },
    .unfused_backward = { 4, 2 }, .inputs = 2);
ROW(NNC_PW_BIAS, .flops = { 1, 1 }, .forward = { 1, 1 }, .backward = { 1, 0 }, .inputs = 1);
ROW(NNC_PW_DROPOUT, .flops = { 1, 1 }, .forward = { 1, 1 }, .backward = { 1, 1 }, .inputs = 1, .mask_bytes = 1);
/* Sum of a branch and the residual stream. If the residual sum is fused with the next norm, the kernel of this norm
 * reads the output of the branch and writes the sum; in backward the kernel of the norm reads the gradient of the
 * residual stream. */
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
/* Maximum over windows of 2 x 2: four comparisons per output element. PyTorch keeps a 64-bit index for each output
 * element of a max pool. */
ROW(NNC_PW_MAX_POOL, .flops = { 4, 1 }, .forward = { 4, 1 }, .backward = { 1, 4 }, .inputs = 4, .mask_bytes = 8);
/* Pools with windows of any size: forward reads each input element once, and compares or adds it; backward writes the
 * gradient of each input element. */
ROW(NNC_PW_MAX_POOL2D, .flops = { 0, 1 }, .forward = { 0, 1 }, .backward = { 1, 0 }, .inputs = 1, .mask_bytes = 8,
    .input_flops = { 1, 0 });
ROW(NNC_PW_AVG_POOL2D, .flops = { 1, 1 }, .forward = { 0, 1 }, .backward = { 1, 0 }, .inputs = 1,
    .input_flops = { 1, 1 });
ROW(NNC_PW_UPSAMPLE_NEAREST, .flops = { 0, 1 }, .forward = { 0.25, 1 }, .backward = { 1, 0.25 }, .inputs = 0.25);
ROW(NNC_PW_UPSAMPLE_BILINEAR, .flops = { 7, 7 }, .forward = { 0.25, 1 }, .backward = { 1, 0.25 }, .inputs = 0.25);
ROW(NNC_PW_RESIZE, .flops = { 1, 0 }, .forward = { 0, 1 }, .backward = { 1, 0 }, .inputs = 1, .input_flops = { 0, 1 });
/* Backward of a concatenation moves no bytes, because the gradients of its inputs are views of one tensor. */
ROW(NNC_PW_CONCAT, .forward = { 1, 1 }, .inputs = 1);
ROW(NNC_PW_COPY, .forward = { 1, 1 }, .backward = { 1, 1 }, .inputs = 1);
/* Joins the parts of the queries, keys and values of each head in latent attention. If all heads share a part of the
 * keys, forward writes this part once for each head. Backward splits the gradients into the parts that forward
 * joined. */
ROW(NNC_PW_BY_HEADS, .forward = { 0, 1 }, .backward = { 1, 0 });
ROW(NNC_PW_HALVES, .backward = { 1, 1 }, .inputs = 1);
/* Cast of weights: forward reads fp32 weights and writes 16-bit weights; backward reads 16-bit gradients and writes
 * fp32 gradients. If the cast of weights is unfused, backward copies the gradients into one flat buffer, and casts them
 * before they are reduced. */
ROW(NNC_PW_CAST_WEIGHTS, .forward = { 1, 0.5 }, .backward = { 0.5, 1 }, .unfused_forward = { 1, 0.5 },
    .unfused_backward = { 2.5, 2.5 }, .timed = NNC_TIMED_UPDATE);
/* Copies of tokens for experts. Dispatch reads one row for each copy of a token. Sum of copies (sum_copies) reads all
 * copies and writes one row per token. Combine multiplies each copy by a weight before it adds the copies; its backward
 * reads the copies again, for the gradients of these weights. */
ROW(NNC_PW_DISPATCH, .flops = { 0, 1 }, .forward = { 0, 1 }, .backward = { 1, 0 });
ROW(NNC_PW_SUM_COPIES, .forward = { 0, 1 }, .backward = { 1, 0 }, .input_flops = { 1, 0 });
ROW(NNC_PW_COMBINE, .forward = { 0, 1 }, .backward = { 1, 0 }, .input_flops = { 2, 3 }, .backward_input_reads = 1);
/* Merge in ring attention: adds the result for the next part of the keys to the fp32 sum. The kernel of the merge in
 * ring attention reads the sum and the new result (half as many bytes as the sum), scales the two tensors and adds
 * them. */
ROW(NNC_PW_MERGE, .flops = { 3, 1 }, .forward = { 1.5, 1 }, .backward = { 1.5, 1 }, .inputs = 1);
/* Dequantization: multiplies each stored weight by the scale of its group. The input of a dequantization is the stored
 * weights. */
ROW(NNC_PW_DEQUANTIZE, .flops = { 1, 0 }, .forward = { 0, 1 }, .no_backward = true);
/* Bias of experts, computed by unfused kernels in fp32. In forward, the kernels of the bias of experts move 28 bytes
 * per 16-bit value: product of bias and scores, sum, concatenation, cast. In backward, the kernels of the bias of
 * experts move 40 bytes per 16-bit value: cast, sum over rows, products with bias and with scores, a sum for each
 * product, join of the parts. */
ROW(NNC_PW_EXPERT_BIAS, .flops = { 2, 4 }, .backward = { 1, 0 }, .unfused_forward = { 7, 7 },
    .unfused_backward = { 12, 8 });
/* Clamp of experts: forward clamps gate and up and joins them to one tensor; backward masks the gradients of gate and
 * up, and joins them to one tensor. */
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

/* Some ops run inside the kernel of a norm: returns the memory passes that such an op adds to this kernel. An
 * activation adds none. A residual sum adds one read in forward (the output of the branch), and one write in backward
 * (the gradient of the branch). */
static passes inside_norm(nnc_pointwise_kind kind, bool backward) {
    const double side = kind == NNC_PW_RESIDUAL ? 1.0 : 0.0;
    return (passes){ backward ? 0.0 : side, backward ? side : 0.0 };
}

/* Returns the memory passes of a softmax that has one kernel per reduction. Forward of a softmax with one kernel per
 * reduction has three kernels: maximum, sum, quotient. Backward of a softmax with one kernel per reduction has two
 * kernels: one kernel computes the sum of products in each row, and one kernel computes everything else. */
static passes by_reductions(bool backward) { return backward ? (passes){ 4, 1 } : (passes){ 3, 1 }; }

NNC_SAYING nnc_work pointwise_work(const nnc_op *op, nnc_derivation *why) {
    const nnc_pointwise *p = &op->u.pointwise;
    const pointwise_row *row = kinds[p->kind];
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    const bool other = backward && p->backward_elements > 0;
    const passes pass = p->inside          ? inside_norm(p->kind, backward)
                        : p->by_reductions ? by_reductions(backward)
                                           : passes_of(row, p->fused, backward);
    /* true: this phase writes the mask; false: it reads the mask. Forward writes the mask. For the cast of an operand
     * to 8 bits, the 8-bit copy counts as the mask; the cast writes it in forward and in backward. */
    const bool masks_written = p->kind == NNC_PW_CAST || !backward;
    NNC_LET(why, elements, NULL, (double)(other ? p->backward_elements : p->elements));
    NNC_LET(why, element_bytes, NULL, nnc_dtype_bytes(op->dtype));
    NNC_LET(why, flops_per_element, NULL, backward ? row->flops.backward : row->flops.forward);
    NNC_LET(why, reads, NULL, pass.reads + (p->weighted && backward ? row->inputs + 1.0 : 0.0));
    NNC_LET(why, writes, NULL, pass.writes);
    /* 4 bytes per element: dropout reads fp32 random numbers that a separate kernel has written to memory */
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
    /* 1 if backward computes the op's output again: the output and the gradients are then in memory at the same time */
    NNC_LET(why, again, NULL, op->recomputed ? 1.0 : 0.0);
    NNC_SAY(why, transient_bytes, "B", (1.0 + inputs + again) * elements * element_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(pointwise)

static int pointwise_backward(const nnc_op *op, nnc_op *backward) {
    return kinds[op->u.pointwise.kind]->no_backward ? 0 : nnc_op_same_backward(op, backward);
}

/* Returns the number of ranks that divide the elements of a pointwise op, in forward or in backward. Only for the cast
 * of a product's operands, the number of ranks that divide the elements differs between forward and backward. */
static int64_t ranks_of(const nnc_op *op, const nnc_degrees *d, bool backward) {
    const bool cast = op->u.pointwise.kind == NNC_PW_CAST;
    /* A dequantization converts weights. Ranks that divide only tokens do not divide the weights, so each of them
     * converts all weights. */
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
    /* attention sinks have one weight per head, so tensor ranks that divide the heads divide these weights, too */
    op->weights.vector /= op->split == NNC_SPLIT_HEADS ? d->tensor : 1;
    const bool received = op->split == NNC_SPLIT_EXPERT_INNER || op->split == NNC_SPLIT_EXPERT_COLUMN ||
                          op->split == NNC_SPLIT_EXPERT_ROW; /* rows that an expert rank receives */
    if (received && d->expert > 1 && p->kind != NNC_PW_DEQUANTIZE) {
        const double mean = (double)p->elements;
        p->elements = nnc_scaled_up(p->elements, d->imbalance);
        p->backward_elements = nnc_scaled_up(p->backward_elements, d->imbalance);
        p->extra_kept_bytes *= (double)p->elements / mean;
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
