/* The kernels that a library (transformers, diffusers, timm ...) issues for each op: how many kernels, and how many
 * bytes they read and write. The second part of the file has the bytes that the operators of these libraries keep for
 * backward.
 *
 * The kernels of pointwise ops, norms and losses replace the fused kernel of nncost's op. Products, convolutions and
 * attention have their usual work; to this work, the kernels for casts and for sums of gradients are added.
 *
 * The counts were made from the operators that PyTorch dispatches for transformers 4.48, peft 0.14, diffusers 0.29,
 * torchvision 0.14, and timm 0.6 with PyTorch 1.13. If a later version of a library differs from these counts, a
 * comment at the row says so. Bytes are per element of the op; `mixed` bytes are the bytes of kernels whose operands
 * have two number formats. [issued] */
#include <string.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

/* The three combinations of number formats in which a library computes: all tensors in 16 bits; fp32 weights under
 * autocast; all tensors in fp32. */
typedef enum number_mode { IN_16_BITS, UNDER_AUTOCAST, IN_FP32, NUMBER_MODES } number_mode;

/* The kernels of one op in one number mode. forward, backward: number of kernels. forward_bytes, backward_bytes: bytes
 * per element of the op that are read and written by kernels whose operands have the same number format. forward_mixed,
 * backward_mixed: bytes per element of kernels whose operands have two number formats. */
typedef struct issued_counts {
    float forward, forward_bytes, forward_mixed;
    float backward, backward_bytes, backward_mixed;
} issued_counts;

typedef struct issued_row {
    /* kind of the op to which the row applies; for a norm, pointwise op or loss also which norm, pointwise op or loss
     * (see kind_in) */
    nnc_op_kind kind;
    int kind_in;
    const char *name; /* name of the op; "" = all ops of this kind */
    /* library to whose models the row applies; NNC_IMPLEMENTATION_NONE = models of every library */
    nnc_implementation by;
    issued_counts of[NUMBER_MODES];
} issued_row;

/* clang-format off */
static const issued_row rows[] = {
    /* Division of queries and keys by their lengths (F.normalize; Swin V2, XCiT). Forward of the division runs three
     * kernels: norm, clamp_min, div; under autocast div writes fp32, and a cast follows. Under autocast, backward of
     * the division runs these kernels: a cast and div; the cast of the result; neg, div, div, mul and sum for the
     * length; two kernels of clamp_min; cast, div, eq, masked_fill, mul and cast of the norm; the sum of both
     * gradients. Source: derivatives.yaml of PyTorch 1.12 (div, clamp_min, norm). */
    { NNC_OP_NORM, NNC_NORM_RMS, "", NNC_IMPLEMENTATION_TIMM,
      { { 3, 6, 0, 13, 42, 0 }, { 4, 0, 14, 17, 70, 30 }, { 3, 12, 0, 13, 84, 0 } } },
    /* RMS norm in one kernel (F.rms_norm), with the kernels of a layer norm. */
    { NNC_OP_NORM, NNC_NORM_RMS, "", NNC_IMPLEMENTATION_PYTORCH,
      { { 1, 4, 0, 2, 10, 0 }, { 1, 8, 0, 2, 20, 0 }, { 1, 8, 0, 2, 20, 0 } } },
    /* RMS norm (LlamaRMSNorm, T5LayerNorm). Forward of an RMS norm runs eight kernels: cast to fp32, pow, mean, add,
     * rsqrt, mul, cast back, mul by the weight. */
    { NNC_OP_NORM, NNC_NORM_RMS, "", NNC_IMPLEMENTATION_NONE,
      { { 8, 24, 12, 16, 68, 24 }, { 6, 28, 0, 13, 80, 0 }, { 6, 28, 0, 13, 80, 0 } } },
    /* Layer norm (native_layer_norm). Forward of a layer norm runs one kernel. Backward of a layer norm runs one kernel
     * for the gradient of the input, and one kernel for the gradients of gain and bias; each of the two kernels reads
     * the input and the output gradient. */
    { NNC_OP_NORM, NNC_NORM_LAYER, "", NNC_IMPLEMENTATION_NONE,
      { { 1, 4, 0, 2, 10, 0 }, { 1, 8, 0, 2, 20, 0 }, { 1, 8, 0, 2, 20, 0 } } },
    /* Group norm. Forward of a group norm runs kernels for the moments, for the factors per channel, and for the
     * element-wise product and sum; under autocast a cast of the input runs before these kernels. */
    { NNC_OP_NORM, NNC_NORM_GROUP, "", NNC_IMPLEMENTATION_NONE,
      { { 3, 6, 0, 4, 10, 0 }, { 4, 12, 6, 5, 20, 6 }, { 3, 12, 0, 4, 20, 0 } } },
    /* GELU as a chain of primitive operators: mul, pow, mul, add, mul, tanh, add, mul. Under autocast, pow and all
     * operators after it run in fp32. */
    { NNC_OP_POINTWISE, NNC_PW_GELU, "composed", NNC_IMPLEMENTATION_NONE,
      { { 8, 36, 0, 10, 50, 0 }, { 9, 54, 16, 13, 76, 30 }, { 8, 72, 0, 10, 100, 0 } } },
    { NNC_OP_POINTWISE, NNC_PW_GELU, "", NNC_IMPLEMENTATION_NONE,
      { { 1, 4, 0, 1, 6, 0 }, { 1, 4, 0, 1, 6, 0 }, { 1, 8, 0, 1, 12, 0 } } },
    { NNC_OP_POINTWISE, NNC_PW_RELU, "", NNC_IMPLEMENTATION_NONE,
      { { 1, 4, 0, 1, 6, 0 }, { 1, 4, 0, 1, 6, 0 }, { 1, 8, 0, 1, 12, 0 } } },
    /* SiLU in diffusers. The input of SiLU is the output of a group norm, which is fp32 under autocast. */
    { NNC_OP_POINTWISE, NNC_PW_SILU, "", NNC_IMPLEMENTATION_DIFFUSERS,
      { { 1, 4, 0, 1, 6, 0 }, { 1, 8, 0, 1, 12, 0 }, { 1, 8, 0, 1, 12, 0 } } },
    /* Activation of a gated MLP. Forward of the activation runs a kernel for SiLU or GELU of the gate, then a kernel
     * for the product of gate and up. */
    { NNC_OP_POINTWISE, NNC_PW_SWIGLU, "", NNC_IMPLEMENTATION_NONE,
      { { 2, 10, 0, 3, 18, 0 }, { 2, 10, 0, 3, 18, 0 }, { 2, 20, 0, 3, 36, 0 } } },
    { NNC_OP_POINTWISE, NNC_PW_GEGLU, "", NNC_IMPLEMENTATION_NONE,
      { { 2, 10, 0, 4, 24, 0 }, { 2, 10, 0, 4, 24, 0 }, { 2, 20, 0, 4, 48, 0 } } },
    /* Rotary embedding of queries and keys: x cos + rotate_half(x) sin. Under autocast the tables of cos and sin are
     * fp32, and the results are cast to 16 bits for attention. */
    { NNC_OP_POINTWISE, NNC_PW_ROTARY, "", NNC_IMPLEMENTATION_NONE,
      { { 10, 20, 0, 13, 25, 0 }, { 12, 16, 20, 19, 30, 21 }, { 10, 40, 0, 13, 50, 0 } } },
    /* Copies of grouped keys and values to all query heads. No kernel runs, because the attention of PyTorch 2.5 and
     * later (sdpa with enable_gqa) reads grouped heads without a copy. */
    { NNC_OP_POINTWISE, NNC_PW_DISPATCH, "attn.expand_kv", NNC_IMPLEMENTATION_NONE, { { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 } } },
    /* Dispatch of tokens to experts in transformers 5, which computes experts as grouped products. The forward runs a
     * sort and two gathers; the backward adds gradients into a tensor that is first filled with zeros. */
    { NNC_OP_POINTWISE, NNC_PW_DISPATCH, "moe.dispatch", NNC_IMPLEMENTATION_NONE,
      { { 9, 8, 0, 6, 16, 0 }, { 9, 8, 0, 6, 16, 0 }, { 9, 16, 0, 6, 32, 0 } } },
    /* Combine of the results of experts. Kernels that process each copy of a token: product with the scores, copy back
     * into the order of tokens, sum. */
    { NNC_OP_POINTWISE, NNC_PW_COMBINE, "", NNC_IMPLEMENTATION_NONE,
      { { 4, 7, 6, 6, 14, 8 }, { 4, 7, 6, 6, 14, 8 }, { 4, 26, 0, 6, 44, 0 } } },
    /* Sum of a linear layer and its adapter (peft). The kernels of the sum multiply the fp32 output of the adapter by
     * its scale, add the output of the linear layer, and cast the sum back. */
    { NNC_OP_POINTWISE, NNC_PW_RESIDUAL, "adapter.add", NNC_IMPLEMENTATION_TRANSFORMERS,
      { { 3, 8, 16, 3, 8, 12 }, { 2, 8, 10, 2, 8, 6 }, { 2, 20, 0, 1, 8, 0 } } },
    /* Addition to the residual stream in diffusers. Backward of the addition adds the gradients of the two branches. */
    { NNC_OP_POINTWISE, NNC_PW_RESIDUAL, "", NNC_IMPLEMENTATION_DIFFUSERS,
      { { 1, 6, 0, 1, 6, 0 }, { 1, 6, 0, 1, 6, 0 }, { 1, 12, 0, 1, 12, 0 } } },
    { NNC_OP_POINTWISE, NNC_PW_RESIDUAL, "", NNC_IMPLEMENTATION_NONE,
      { { 1, 6, 0, 1, 6, 0 }, { 1, 0, 10, 2, 12, 6 }, { 1, 12, 0, 1, 12, 0 } } },
    { NNC_OP_POINTWISE, NNC_PW_BIAS_DROPOUT_RESIDUAL, "", NNC_IMPLEMENTATION_NONE,
      { { 2, 11, 0, 2, 11, 0 }, { 2, 5, 10, 3, 17, 6 }, { 2, 21, 0, 2, 21, 0 } } },
    { NNC_OP_POINTWISE, NNC_PW_POSITION_ADD, "", NNC_IMPLEMENTATION_NONE,
      { { 1, 6, 0, 1, 2, 0 }, { 1, 12, 0, 1, 4, 0 }, { 1, 12, 0, 1, 4, 0 } } },
    /* Cross-entropy. Forward of cross-entropy runs kernels for the cast of the logits to fp32, for log_softmax and for
     * nll_loss. Backward of cross-entropy runs kernels that fill a tensor with zeros, compute the gradients of nll_loss
     * and of log_softmax, and cast the result. From transformers 4.50 on, the labels are shifted instead of the logits.
     * A program in PyTorch alone computes the loss of 16-bit logits without casts, unless autocast adds them. */
    { NNC_OP_LOSS, false, "", NNC_IMPLEMENTATION_PYTORCH,
      { { 2, 4, 0, 3, 8, 0 }, { 3, 8, 6, 4, 16, 6 }, { 2, 8, 0, 3, 16, 0 } } },
    { NNC_OP_LOSS, false, "", NNC_IMPLEMENTATION_NONE,
      { { 3, 8, 6, 4, 16, 6 }, { 3, 8, 6, 4, 16, 6 }, { 2, 8, 0, 3, 16, 0 } } },
    { NNC_OP_LOSS, true, "", NNC_IMPLEMENTATION_NONE,
      { { 2, 10, 6, 2, 12, 6 }, { 2, 10, 6, 2, 12, 6 }, { 2, 12, 0, 2, 12, 0 } } },
};
/* clang-format on */

/* Sum of a linear layer and its adapter in 16 bits: the product of the adapter's output and its scale moves 4 bytes per
 * element, and the sum moves 6 bytes per element. Backward of the sum of a linear layer and its adapter runs the
 * product of the gradient and the scale. */
static const issued_counts narrow_sum = { 2, 10, 0, 1, 4, 0 };

static int kind_in(const nnc_op *op) {
    return op->kind == NNC_OP_NORM        ? (int)op->u.norm.kind
           : op->kind == NNC_OP_POINTWISE ? (int)op->u.pointwise.kind
           : op->kind == NNC_OP_LOSS      ? op->u.loss.squared_error
                                          : -1;
}

static const issued_row *row_of(const nnc_op *op, const nnc_model *model) {
    const int kind = kind_in(op);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const issued_row *row = &rows[i];
        if (row->kind != op->kind || row->kind_in != kind) { continue; }
        const bool named =
            row->name[0] == '\0' || strcmp(row->name, op->name) == 0 ||
            (strcmp(row->name, "composed") == 0 && model->composed_gelu && strstr(op->name, "mlp.") != NULL);
        if (named && (row->by == NNC_IMPLEMENTATION_NONE || row->by == model->implementation)) { return row; }
    }
    return NULL;
}

static bool is_pointwise(const nnc_op *op, nnc_pointwise_kind kind) {
    return op->kind == NNC_OP_POINTWISE && op->u.pointwise.kind == kind;
}

static double elements_of(const nnc_op *op) {
    return is_pointwise(op, NNC_PW_COMBINE) ? (double)op->u.pointwise.input_elements
           : op->kind == NNC_OP_NORM        ? (double)op->u.norm.elements
           : op->kind == NNC_OP_LOSS        ? (double)op->u.loss.tokens * (double)op->u.loss.classes
                                            : (double)op->u.pointwise.elements;
}

static void replace_work(nnc_op *op, const issued_counts *c) {
    const double elements = elements_of(op);
    op->issued_as = NNC_ISSUED_INSTEAD;
    op->issued[0] = (nnc_issued){ c->forward, c->forward_bytes * elements, c->forward_mixed * elements };
    op->issued[1] = (nnc_issued){ c->backward, c->backward_bytes * elements, c->backward_mixed * elements };
}

/* Returns the number of matrix products that the library issues for one product of nncost's op list. For example, the
 * number of products is three if the library computes queries, keys and values separately. */
static double products_of(const nnc_op *op, const nnc_model *model) {
    const bool joined = model->family == NNC_FAMILY_VIT || (model->family == NNC_FAMILY_DECODER && model->joined_qkv) ||
                        model->implementation == NNC_IMPLEMENTATION_TIMM;
    return nnc_ends_in(op->name, "qkv")       ? (joined ? 1.0 : 3.0)
           : nnc_ends_in(op->name, "gate_up") ? (model->joined_qkv && !model->split_gate ? 1.0 : 2.0)
           : nnc_ends_in(op->name, ".kv")     ? 2.0
                                              : 1.0;
}

/* Tests whether the input of a matrix product is fp32 under autocast. The input of the product is fp32 under autocast
 * if a norm wrote this input, or a GELU that is a chain of primitive operators (composed_gelu). */
static bool reads_fp32(const nnc_op *op, const nnc_model *model) {
    return nnc_ends_in(op->name, "qkv") || nnc_ends_in(op->name, ".q") || nnc_ends_in(op->name, ".kv") ||
           nnc_ends_in(op->name, "gate_up") || nnc_ends_in(op->name, ".up") || nnc_ends_in(op->name, "logits") ||
           nnc_ends_in(op->name, "router") || (nnc_ends_in(op->name, "mlp.down") && model->composed_gelu);
}

/* Adds kernels to a matrix product of activations with a weight. The added kernels are: under autocast, the casts of
 * input, weight and bias; if several products read the same input, the sums of the gradients of this input; for a bias,
 * the sum over rows that gives its gradient. A product of two activations stays one kernel. The bytes of the casts of
 * weights are not added here, because the op "weights.cast" counts them. */
static void add_to_product(nnc_op *op, const nnc_model *model, number_mode mode) {
    const nnc_matmul *p = &op->u.matmul;
    const double products = products_of(op, model), bias = op->weights.vector > 0 ? products : 0.0;
    const double experts = p->experts > 1 ? (double)p->experts : 1.0;
    const double input = (double)p->m * (double)p->k, output = (double)p->m * (double)p->n;
    const double casts = mode == UNDER_AUTOCAST ? products : 0.0;
    /* In T5, the input of the last product of the MLP is cast to fp32 by the model and then back to 16 bits by
     * autocast. */
    const bool twice = model->decoder.positions == NNC_POSITIONS_RELATIVE && nnc_ends_in(op->name, "mlp.down");
    const double input_casts = twice ? 2.0 * casts : reads_fp32(op, model) ? casts : 0.0;
    const double bytes = mode == IN_FP32 ? 4.0 : 2.0;
    const double sum_bytes = mode == IN_16_BITS ? 6.0 : 12.0;
    op->issued_as = NNC_ISSUED_TOO;
    if (!p->b_is_weight) {
        op->issued[0].kernels = 1.0;
        op->issued[1].kernels = op->issued[2].kernels = 1.0;
        return;
    }
    op->issued[0] = (nnc_issued){ products * experts + casts + input_casts + (casts > 0.0 ? bias : 0.0), 0.0,
                                  6.0 * input_casts * input };
    op->issued[1] = (nnc_issued){ products * experts + input_casts + (products - 1.0),
                                  sum_bytes * (products - 1.0) * input, 6.0 * input_casts * input };
    op->issued[2] = (nnc_issued){ products * experts + casts + bias + (casts > 0.0 ? bias : 0.0),
                                  bias > 0.0 ? bytes * output : 0.0, 0.0 };
}

static void add_to_conv(nnc_op *op, const nnc_model *model, number_mode mode) {
    const nnc_conv *p = &op->u.conv;
    const double bias = op->weights.vector > 0 ? 1.0 : 0.0, added = nnc_conv_adds_bias(p) ? bias : 0.0;
    const double casts = mode == UNDER_AUTOCAST ? 1.0 : 0.0;
    const double input = (double)p->batch * (double)p->c_in * (double)(p->h_in * p->w_in);
    const double output = (double)p->batch * (double)p->c_out * (double)(p->h_out * p->w_out);
    const bool behind_norm = model->implementation == NNC_IMPLEMENTATION_DIFFUSERS &&
                             (nnc_ends_in(op->name, "conv1") || nnc_ends_in(op->name, "conv2"));
    const double input_casts = behind_norm ? casts : 0.0;
    const double bytes = mode == IN_FP32 ? 4.0 : 2.0;
    op->issued_as = NNC_ISSUED_TOO;
    op->issued[0] = (nnc_issued){ 1.0 + added + casts * (1.0 + bias) + input_casts, 2.0 * added * bytes * output,
                                  6.0 * input_casts * input };
    op->issued[1] = (nnc_issued){ 1.0 + input_casts, 0.0, 6.0 * input_casts * input };
    op->issued[2] = (nnc_issued){ 1.0 + bias + casts * (1.0 + bias), bias * bytes * output, 0.0 };
}

static void add_kernels(nnc_op *op, double forward, double backward) {
    op->issued_as = NNC_ISSUED_TOO;
    op->issued[0].kernels = forward;
    op->issued[1].kernels = backward;
}

/* The concatenation that occurred last in the op list. elements: number of elements of its result; position: its
 * position in a dense block; fresh: true = no op after the concatenation has been processed yet; read: true = the op
 * after the concatenation is a norm that reads the whole result. fp32: true = the norm that occurred last writes fp32
 * under autocast. */
typedef struct joined {
    nnc_op *op;
    int64_t elements;
    double position;
    bool fresh, read, fp32;
} joined;

/* Sets the kernels of a concatenation. If several ops read a feature map, backward adds up their gradients, with one
 * addition less than the number of readers. In a block of parallel branches, backward adds the gradients of the feature
 * map once for each concatenation of two tensors. In a dense block, each layer begins with a norm that reads the maps
 * of all layers before this one, and layer i needs i additions; DenseNet-121 has 535 additions in total. A library
 * joins more than two branches with one kernel, which is counted at the last of nncost's concatenations. */
static void add_join(nnc_op *op, joined *before, number_mode mode) {
    const int64_t elements = op->u.pointwise.elements;
    const bool grows = before->op != NULL && elements > before->elements;
    const double position = grows && before->read ? before->position + 1.0 : 1.0;
    add_kernels(op, 1.0, position);
    op->issued[1].bytes = (mode == IN_FP32 ? 12.0 : 6.0) * (double)elements;
    if (grows && before->fresh) { before->op->issued[0].kernels = 0.0; }
    *before = (joined){ op, elements, position, true, false, before->fp32 };
}

/* Stores in before->read whether the op after a concatenation is a norm of the whole result. A norm of the whole
 * concatenation begins a layer of a dense block. */
static void note_reader(const nnc_op *op, joined *before) {
    before->read = before->fresh ? op->kind == NNC_OP_NORM && op->u.norm.elements == before->elements : before->read;
    before->fresh = false;
    if (op->kind == NNC_OP_NORM) { before->fp32 = op->u.norm.kind != NNC_NORM_BATCH; }
}

/* The number mode in which an op of a vision network runs. Autocast runs layer norms and group norms in fp32, so the
 * stream of a transformer is fp32; batch norms and convolutions write 16 bits, so a ResNet adds 16-bit maps. */
static number_mode mode_of(const nnc_op *op, bool vision, number_mode mode, const joined *before) {
    return vision && mode == UNDER_AUTOCAST && is_pointwise(op, NNC_PW_RESIDUAL) && !before->fp32 ? IN_16_BITS : mode;
}

/* Tests whether an op is attention with a learned bias of positions (T5), which runs as separate fp32 kernels
 * (_scaled_dot_product_attention_math, attention.cpp). The bias is a permuted table whose last stride is not 1, and no
 * fused kernel of PyTorch accepts a mask whose last stride is not 1 (check_last_dim_stride_equals_1_dense,
 * aten/src/ATen/native/transformers/sdp_utils_cpp.h). T5 passes such a permuted bias from transformers 5.16 on (pull
 * request 47014). Attention to the output of the encoder has no bias. [issued] */
static bool is_written_out(const nnc_op *op, const nnc_model *model) {
    return op->kind == NNC_OP_FLASH && strcmp(op->name, "attn.core") == 0 &&
           model->implementation == NNC_IMPLEMENTATION_TRANSFORMERS && model->family == NNC_FAMILY_DECODER &&
           model->decoder.positions == NNC_POSITIONS_RELATIVE;
}

/* Sets the kernels of an attention with a learned bias of positions, which runs as separate kernels (see
 * is_written_out).
 *
 * Forward runs 20 kernels: casts of the bias, of the queries, of the keys and of the values; the scaling of queries and
 * of keys; three copies for the batched products; the product of queries and keys; the sum with the bias; softmax; five
 * kernels that search for rows without keys (fill with minus infinity, compare, all, fill with zero, where); the
 * product with the values, its cast, and its copy into the order of tokens.
 *
 * Backward runs 19 kernels: the cast of the gradient, and its copy into the order of heads; four products; softmax; the
 * sum of the bias gradient over samples, two casts of this gradient, and its sum with the gradient of the previous
 * layer; the scaling of two gradients; three casts; three copies of the gradients of queries, keys and values into the
 * order of tokens, which a linear layer reads. */
void nnc_write_out(nnc_op *op) {
    const nnc_flash *p = &op->u.flash;
    const double scores = nnc_flash_scores(p), bias = scores / (double)p->batch;
    const double queries = nnc_flash_queries(p), keys = nnc_flash_keys(p);
    op->issued_as = NNC_ISSUED_INSTEAD;
    op->issued[0] =
        (nnc_issued){ 20.0, 39.0 * scores + 28.0 * queries + 16.0 * keys, 6.0 * bias + 12.0 * queries + 6.0 * keys };
    op->issued[1] = (nnc_issued){ 19.0, 32.0 * scores + 16.0 * bias + 36.0 * queries + 16.0 * keys,
                                  12.0 * bias + 12.0 * queries + 6.0 * keys };
}

/* Tests whether an op is attention inside windows (Swin, MaxViT), which timm and torchvision run as separate kernels:
 * timm has a fused kernel only behind a switch (use_fused_attn(experimental=True), timm/models/swin_transformer.py). */
static bool is_of_windows(const nnc_op *op, const nnc_model *model, int64_t samples) {
    /* a learned bias also shows that the attention is inside windows: if the map is a single window, there are no more
     * windows than samples */
    const bool biased = op->weights.table || op->weights.vector > 0;
    return op->kind == NNC_OP_FLASH && model->implementation == NNC_IMPLEMENTATION_TIMM &&
           model->family == NNC_FAMILY_GRAPH && (biased || op->u.flash.batch > samples);
}

/* Sets the kernels of attention inside windows, which runs as separate kernels. Half of the blocks shift their windows.
 * The op "windows" counts three passes (reads or writes of all tokens) and two of the kernels that cut, shift and join
 * windows; the other kernels are counted here.
 *
 * Forward runs 20.5 kernels: the padding of the map (fill, copy); the scaling of queries; copies of queries, keys and
 * values; two products; the look-up of the biases, their copy and their sum with the scores; in every second block the
 * sum with the mask; softmax; the copy into the order of tokens; three kernels of each of two branches that drop
 * samples at random (stochastic depth); one shift.
 *
 * Backward runs 24 kernels: the padding; four kernels for two slices; the copy of the gradient; four products; softmax;
 * the sum of the bias gradient, and five kernels that scatter it; the scaling; the join of three gradients and its
 * copy; two kernels of the branches; one shift. Under autocast softmax runs in fp32, which needs one more cast in
 * forward and two more casts in backward. A learned scale (Swin V2) multiplies the attention scores, and its gradient
 * takes three kernels. */
static void write_out_windows(nnc_op *op, number_mode mode) {
    const nnc_flash *p = &op->u.flash;
    const double scores = nnc_flash_scores(p), queries = nnc_flash_queries(p),
                 scaled = op->weights.vector > 0 ? 1.0 : 0.0;
    const double width = mode == IN_FP32 ? 4.0 : 2.0;
    const bool casts = mode == UNDER_AUTOCAST;
    const double forward = casts ? 28.0 + 4.0 * scaled : width * (7.0 + 2.0 * scaled);
    const double backward = casts ? 36.0 + 20.0 * scaled : width * (8.0 + 5.0 * scaled);
    const double padded = casts ? 3.0 * (4.0 - width) : 0.0; /* the padded map is the output of a norm, in fp32 */
    op->issued_as = NNC_ISSUED_INSTEAD;
    op->issued[0] = (nnc_issued){ 20.5 + (casts ? 1.0 : 0.0) + 3.0 * scaled,
                                  forward * scores + (21.0 * width + padded) * queries, 0.0 };
    op->issued[1] = (nnc_issued){ 24.0 + (casts ? 2.0 : 0.0) + 4.0 * scaled,
                                  backward * scores + (37.0 * width + padded) * queries, 0.0 };
}

/* Tests whether products of adapters read weights of 16 bits. peft holds the weights of adapters in fp32
 * (autocast_adapter_dtype, peft/tuners/tuners_utils.py). Earlier releases of peft and other programs hold the weights
 * of adapters in 16 bits (narrow_adapters; torchtune, modules/peft/lora.py; litgpt, lora.py). With ZeRO the ranks share
 * fp32 weights of adapters, but the products read weights of 16 bits: DeepSpeed casts all parameters
 * (runtime/engine.py, _configure_distributed_model), and FSDP casts all parameters of a unit
 * (MixedPrecision.param_dtype). */
static bool has_narrow_adapters(const nnc_plan *plan, const nnc_software *software) {
    switch (plan->policy) {
    case NNC_POLICY_BF16_PURE:
    case NNC_POLICY_BF16_LAYERWISE:
    case NNC_POLICY_BF16_STATES_FP32:
    case NNC_POLICY_MIXED:
    case NNC_POLICY_MIXED_FP32GRAD:
    case NNC_POLICY_MIXED_BOTH: return plan->zero > 0 || software->narrow_adapters;
    default: return false;
    }
}

/* Adds kernels to a product of an adapter. If the weights of the adapter are fp32, the product casts its input to fp32.
 * Backward casts the gradient of this input back, and adds this gradient to the one from the linear layer, because
 * adapter and linear layer read one input. If the weights of the adapter have 16 bits, backward adds the gradient of
 * the input without a cast. */
static void add_to_adapter(nnc_op *op, double products, bool down, bool narrow, number_mode mode) {
    const nnc_matmul *p = &op->u.matmul;
    const double input = (double)p->m * (double)p->k;
    const double casts = down && mode != IN_FP32 ? products : 0.0;
    op->issued_as = NNC_ISSUED_TOO;
    if (narrow) {
        const double sums = down ? products : 0.0;
        op->issued[0] = (nnc_issued){ products, 0.0, 0.0 };
        op->issued[1] = (nnc_issued){ products + sums, sums * 6.0 * input, 0.0 };
        op->issued[2] = (nnc_issued){ products, 0.0, 0.0 };
        return;
    }
    op->issued[0] = (nnc_issued){ products + casts, casts * 4.0 * input, casts * 6.0 * input };
    op->issued[1] = (nnc_issued){ products + 2.0 * casts, casts * 6.0 * input, casts * 6.0 * input };
    op->issued[2] = (nnc_issued){ products, casts * 4.0 * input, 0.0 };
}

/* Tests whether a device file without rates of PyTorch's convolutions nevertheless has a rate for an op. Returns true
 * for convolutions, and for batch norms, activations, sums and copies of feature maps. */
static bool is_of_maps(const nnc_op *op) {
    const nnc_timed timed = nnc_op_timed(op);
    const bool in_groups = op->kind == NNC_OP_NORM && op->u.norm.kind == NNC_NORM_GROUP;
    return timed == NNC_TIMED_CONV || (timed == NNC_TIMED_MAP && !in_groups);
}

/* Adds the copies of a group norm of channels-last maps, because a group norm runs on contiguous maps only. In forward,
 * the group norm copies its input, and the next convolution copies its 16-bit input. In backward, the kept input of the
 * group norm, the gradient of its output, and the 16-bit gradient of its input are copied. Source: native_group_norm,
 * aten/src/ATen/native/group_norm.cpp of PyTorch 1.12. */
static void add_turns(nnc_op *op, number_mode mode) {
    const double elements = (double)op->u.norm.elements, inside = mode == IN_16_BITS ? 2.0 : 4.0,
                 outside = mode == IN_FP32 ? 4.0 : 2.0;
    op->issued[0].kernels += 2.0;
    op->issued[0].bytes += 2.0 * (inside + outside) * elements;
    op->issued[1].kernels += 3.0;
    op->issued[1].bytes += 2.0 * (2.0 * inside + outside) * elements;
}

static void issue(nnc_op *op, const nnc_model *model, number_mode mode, int64_t samples, joined *before) {
    const bool vision = model->implementation == NNC_IMPLEMENTATION_TIMM;
    const bool diffusion = model->implementation == NNC_IMPLEMENTATION_DIFFUSERS && model->family == NNC_FAMILY_GRAPH;
    const issued_row *row = row_of(op, model);
    if (row != NULL) {
        replace_work(op, &row->of[mode_of(op, vision, mode, before)]);
        if (op->kind == NNC_OP_NORM && op->u.norm.turned) { add_turns(op, mode); }
    } else if (op->kind == NNC_OP_MATMUL) {
        add_to_product(op, model, mode);
    } else if (op->kind == NNC_OP_CONV) {
        add_to_conv(op, model, mode);
    } else if (op->kind == NNC_OP_FLASH) {
        add_kernels(op, 1.0, 3.0);
        /* attention of PyTorch 2.5 and later reads grouped heads without a copy, see the row attn.expand_kv */
        op->u.flash.kv_heads = op->u.flash.own_kv_heads;
        if (is_written_out(op, model)) { nnc_write_out(op); }
        if (is_of_windows(op, model, samples)) { write_out_windows(op, mode); }
    } else if (vision && is_pointwise(op, NNC_PW_CONCAT)) {
        add_join(op, before, mode);
    } else if (op->kind == NNC_OP_NORM) {
        /* a batch norm has two kernels: one computes the norm, the other counts the batches */
        add_kernels(op, 2.0, 1.0);
    } else if (diffusion && is_pointwise(op, NNC_PW_TIMESTEP)) {
        add_kernels(op, 11.0, 0.0); /* kernels of the time embedding: arange, exp, multiplications, sin, cos, joins,
                                     * casts */
    } else if (diffusion && is_pointwise(op, NNC_PW_TIME_ADD)) {
        /* scale and shift of a diffusion model: in addition to the kernel of the op, one kernel computes 1 + scale */
        add_kernels(op, 2.0, 2.0);
    } else if (op->kind == NNC_OP_EMBEDDING) {
        /* kernels of an embedding: the backward sorts the ids first; the forward of a diffusion model drops class
         * labels at random first */
        add_kernels(op, diffusion ? 5.0 : 1.0, 5.0);
    } else if (is_pointwise(op, NNC_PW_CAST_WEIGHTS)) {
        /* the op has no kernels of its own, because each product counts the cast of its weight */
        add_kernels(op, 0.0, 0.0);
    } else {
        add_kernels(op, 1.0, 1.0);
    }
}

void nnc_list_issue(nnc_op_list *list, const nnc_model *model, const nnc_lowering *how) {
    const nnc_plan *plan = how->plan;
    /* PyTorch 1 trains networks in 16 bits and fp32 under autocast (torch.cuda.amp, July 2020). */
    const bool autocast =
        plan->policy == NNC_POLICY_AMP || (plan->policy == NNC_POLICY_MIXED && how->listing == NNC_LISTING_COUNTED);
    const number_mode mode = autocast ? UNDER_AUTOCAST : nnc_dtype_bytes(how->dtype) > 2.0 ? IN_FP32 : IN_16_BITS;
    const bool narrow = mode == IN_16_BITS && has_narrow_adapters(plan, how->software);
    /* number of matrix products that the library issues for the nearest linear layer before ops[i]; the library issues
     * the same number for each product of the layer's adapter */
    double products = 1.0;
    joined before = { .op = NULL };
    for (int32_t i = 0; i < list->count; i++) {
        nnc_op *op = &list->ops[i];
        if (nnc_op_is_collective(op) || op->recorded) { continue; }
        if (!is_pointwise(op, NNC_PW_CONCAT)) { note_reader(op, &before); }
        issue(op, model, mode, plan->micro_batch, &before);
        const bool adapter = strncmp(op->name, "adapter.", 8) == 0;
        if (adapter && op->kind == NNC_OP_MATMUL) {
            add_to_adapter(op, products, nnc_ends_in(op->name, "down"), narrow, mode);
        } else if (adapter) {
            if (narrow && strcmp(op->name, "adapter.add") == 0) { replace_work(op, &narrow_sum); }
            op->issued[0].kernels *= products;
            op->issued[1].kernels *= products;
        } else if (op->kind == NNC_OP_MATMUL) {
            products = products_of(op, model);
        }
        if (how->listing == NNC_LISTING_COUNTED && is_of_maps(op)) {
            op->issued_as = NNC_ISSUED_NOT;
        } else if (op->kind == NNC_OP_CONV) {
            op->u.conv.separate_bias = false; /* op->issued counts the kernel that adds the bias */
        }
    }
}

/* ---- modules and parameter tensors whose hooks a framework runs   [hooks] ---- */

/* Returns the number of modules that forward of an op calls. products: number of linear layers to which an adapter
 * belongs. Attention and the layer that contains it are modules, and so are an activation and the MLP that contains it.
 * peft has four modules for a linear layer with an adapter, in addition to the linear layer itself: the layer that
 * joins both, dropout, and the two products (peft/tuners/lora/layer.py). */
static double modules_of(const nnc_op *op, double products) {
    switch (op->kind) {
    case NNC_OP_MATMUL: return op->u.matmul.b_is_weight ? products : 0.0;
    case NNC_OP_FLASH: return strcmp(op->name, "attn.core") == 0 ? 2.0 : 1.0;
    case NNC_OP_NORM:
    case NNC_OP_CONV:
    case NNC_OP_EMBEDDING: return 1.0;
    case NNC_OP_POINTWISE:
        switch (op->u.pointwise.kind) {
        case NNC_PW_SWIGLU:
        case NNC_PW_GEGLU:
        case NNC_PW_GELU:
        case NNC_PW_RELU: return 2.0;
        default: return strcmp(op->name, "adapter.add") == 0 ? 2.0 * products : 0.0;
        }
    default: return 0.0;
    }
}

/* Returns the number of parameter tensors of an op: weights, and biases of linear layers, convolutions and norms. */
static double tensors_of(const nnc_op *op, double products) {
    const double biases = op->weights.vector > 0 ? 1.0 : 0.0;
    switch (op->kind) {
    case NNC_OP_MATMUL: return op->u.matmul.b_is_weight ? products * (1.0 + biases) : 0.0;
    case NNC_OP_CONV: return 1.0 + biases;
    case NNC_OP_NORM: return op->u.norm.kind == NNC_NORM_RMS ? biases : 2.0 * biases;
    case NNC_OP_EMBEDDING: return 1.0;
    default: return 0.0;
    }
}

void nnc_list_hook(nnc_op_list *list, const nnc_model *model) {
    double products = 1.0; /* as in nnc_list_issue */
    for (int32_t i = 0; i < list->count; i++) {
        nnc_op *op = &list->ops[i];
        if (nnc_op_is_collective(op) || op->recorded) { continue; }
        if (op->kind == NNC_OP_MATMUL && strncmp(op->name, "adapter.", 8) != 0) {
            const double experts = op->u.matmul.experts > 1 ? (double)op->u.matmul.experts : 1.0;
            products = products_of(op, model) * experts;
        }
        op->modules = (float)modules_of(op, products);
        op->tensors = (float)tensors_of(op, products);
    }
}

/* ---- bytes that transformers, peft, timm and diffusers keep for backward, for each op   [issued] ----
 *
 * In transformers, peft, timm and diffusers a layer runs as single operators, and autograd saves inputs or outputs of
 * each operator for backward. Under autocast, a product that reads an fp32 tensor keeps a 16-bit copy of this tensor;
 * the 16-bit copy of a weight is made only once. A row of the tables has the kept bytes per element of an op (see
 * op_elements() in op_table.c), for each combination of number formats in a step. In the combination `amp`, a step
 * has fp32 weights under autocast, and the residual stream and the outputs of norms are fp32. In the combination
 * `half`, weights and activations have 16 bits, without autocast. In the combination `full`, the step computes in fp32
 * or tf32.
 *
 * Sources in huggingface/transformers: models/llama/modeling_llama.py (LlamaRMSNorm, LlamaMLP),
 * models/gpt2/modeling_gpt2.py, models/bert/modeling_bert.py, activations.py (NewGELUActivation), loss/loss_utils.py
 * (ForCausalLMLoss). Source in huggingface/peft: tuners/lora/layer.py (Linear.forward). Source for the saved tensors:
 * derivatives.yaml of PyTorch. */

typedef struct kept_row {
    double amp, half, full;
} kept_row;

/* Layer norm (nn.LayerNorm). Autograd saves the input of the norm, which under autocast is the fp32 residual stream or
 * an fp32 copy. */
static const kept_row layer_norm = { 4, 2, 4 };
/* RMS norm, with the operators x.float(), pow(2).mean(), the product of x and rsqrt, and the product of weight and
 * x.to(dtype). Autograd saves the fp32 input and the normalised value that is multiplied by the weight. */
static const kept_row rms_norm = { 8, 6, 8 };
/* RMS norm with a frozen weight. The frozen weight of the norm needs no gradient, so autograd saves only the fp32
 * input. */
static const kept_row rms_norm_frozen = { 4, 4, 4 };
/* GELU as a chain of operators, 0.5 x (1 + tanh(c (x + 0.044715 pow(x, 3)))). Autograd saves the input x of pow (fp32
 * under autocast), the output of tanh, and both factors of the last product; the factor 0.5 x has the number format of
 * x. */
static const kept_row gelu_new = { 4 + 4 + 4 + 2, 2 + 2 + 2 + 2, 4 + 4 + 4 + 4 };
/* Activation of a gated MLP: the product of act(gate) and up. Autograd saves the three tensors gate, act(gate) and up.
 * */
static const kept_row gated = { 6, 6, 12 };
/* GELU as one kernel, or an activation that backward computes again. Autograd saves the input of the activation. */
static const kept_row plain_activation = { 2, 2, 4 };
/* Cross-entropy of logits.float(). Autograd saves the fp32 result of log_softmax. During backward, two more fp32
 * tensors with the size of the logits are in memory (loss_working). A program in PyTorch alone does not cast the logits
 * to fp32. */
static const kept_row loss = { 4, 4, 4 }, loss_alone = { 4, 2, 4 };
static const kept_row loss_working = { 8, 8, 8 }, loss_working_alone = { 8, 4, 8 };
/* A matrix product keeps its input in the number format in which it computes. If several products read one input, they
 * share one kept copy of it; but under autocast each product keeps a copy of its own. */
static const kept_row of_product = { 2, 2, 4 };
/* An op that keeps the output of a norm for backward; this output is fp32 under autocast. */
static const kept_row norm_output = { 4, 2, 4 };
/* Attention with a learned bias, which runs as separate fp32 kernels (nnc_write_out). Attention with a learned bias
 * keeps the scores after softmax, and copies of queries, keys and values. During backward, the gradients of the scores
 * before and after softmax are in memory, too. */
static const kept_row written_out = { 4, 4, 4 };
/* Attention inside windows, for each score: the scores after softmax, under autocast in fp32 and as a 16-bit copy; with
 * a learned scale also the scores before scaling. Attention inside windows also keeps copies of queries, keys and
 * values. In Swin V2 the values are kept twice, because the norms of queries and keys keep one tensor with queries,
 * keys and values. */
static const kept_row window_scores = { 6, 2, 4 }, window_scores_scaled = { 8, 4, 8 };
/* A product of an adapter (LoRA) with fp32 weights. An adapter's product with fp32 weights keeps its input in fp32. */
static const kept_row adapter_row = { 4, 4, 4 };

/* Tests whether products of adapters keep their inputs in 16 bits. If products of adapters keep their inputs in 16
 * bits, all parts of a linear layer share one kept input. */
static bool keeps_narrow_adapters(const nnc_lowering *how) {
    return has_narrow_adapters(how->plan, how->software) && nnc_dtype_bytes(how->plan->precision) < 4.0;
}

static double bytes_of(const kept_row *row, const nnc_lowering *how) {
    return how->plan->policy == NNC_POLICY_AMP           ? row->amp
           : nnc_dtype_bytes(how->plan->precision) < 4.0 ? row->half
                                                         : row->full;
}

static void keep(nnc_op *op, const nnc_lowering *how, const kept_row *row, double tensors) {
    op->by_library = true;
    op->library_kept = tensors * bytes_of(row, how);
}

/* Tests whether an op is the first op of a recomputed part of the network. The first op of a recomputed part keeps its
 * input. */
static bool begins_again(const nnc_op *op) { return op->recomputed && !op->dropped; }

/* The library can have several products for one product of nncost's op list that reads the output of a norm: for
 * example, separate products for queries, keys and values. Returns the number of products that the library runs in
 * place of the product `op`. */
static double readers_of(const nnc_op *op, const nnc_model *model) {
    const double of_qkv = model->joined_qkv ? 1.0 : 3.0, of_mlp = model->joined_qkv && !model->split_gate ? 1.0 : 2.0;
    return strcmp(op->name, "attn.qkv") == 0 && op->split == NNC_SPLIT_QKV    ? of_qkv
           : strstr(op->name, "gate_up") != NULL && op->u.matmul.experts == 0 ? of_mlp
                                                                              : 1.0;
}

/* Tests whether a product reads the output of a norm in the number format of the residual stream. Under autocast, the
 * output of a norm is cast once for each product that reads it. */
static bool reads_norm(const nnc_op *op) {
    static const char *const names[] = { "attn.qkv",      "attn.q_down",     "attn.kv_down",
                                         "attn.q",        "mlp.up",          "mlp.gate_up",
                                         "cross.q",       "moe.router",      "moe.shared_gate_up",
                                         "moe.shared_up", "moe.shared_gate", NULL };
    return nnc_is_one_of(op->name, names);
}

static void keep_product(nnc_op *op, const nnc_lowering *how, const nnc_model *model) {
    const bool amp = how->plan->policy == NNC_POLICY_AMP;
    const bool weight = op->u.matmul.b_is_weight;
    if (strncmp(op->name, "adapter.", 8) == 0 && keeps_narrow_adapters(how)) {
        keep(op, how, &of_product, weight ? 1.0 : 0.0);
    } else if (strcmp(op->name, "adapter.down") == 0) {
        /* for each part of the linear layer (query, key, value ...) that has an adapter, the adapter keeps one fp32
         * copy of the input */
        keep(op, how, &adapter_row, (double)op->u.matmul.n / (double)how->plan->adapter_rank);
    } else if (strcmp(op->name, "adapter.up") == 0) {
        keep(op, how, &adapter_row, 1.0);
    } else if (amp && strcmp(op->name, "cross.kv") == 0) {
        keep(op, how, &of_product, 2.0); /* each layer casts the output of the encoder twice: for the keys and for the
                                          * values */
    } else if (weight && amp && !op->frozen && reads_norm(op)) {
        /* the norm is recomputed in backward from its kept input, so the product need not keep the output of the
         * norm */
        const bool again = (how->plan->recompute & NNC_RECOMPUTE_NORM) != 0;
        keep(op, how, begins_again(op) ? &norm_output : &of_product, again ? 0.0 : readers_of(op, model));
    } else if (weight && op->u.matmul.keeps_a && op->u.matmul.kept_divisor == 1) {
        keep(op, how, &of_product, 1.0);
    }
}

static bool is_alone(const nnc_model *model) { return model->implementation == NNC_IMPLEMENTATION_PYTORCH; }

static void keep_norm(nnc_op *op, const nnc_lowering *how, const nnc_model *model) {
    const bool rms = op->u.norm.kind == NNC_NORM_RMS && !is_alone(model);
    keep(op, how, !rms || begins_again(op) ? &layer_norm : op->frozen ? &rms_norm_frozen : &rms_norm, 1.0);
}

static void keep_activation(nnc_op *op, const nnc_lowering *how, const nnc_model *model) {
    const bool again = begins_again(op);
    switch (op->u.pointwise.kind) {
    case NNC_PW_SWIGLU:
    case NNC_PW_GEGLU: keep(op, how, again ? &plain_activation : &gated, again ? 2.0 : 1.0); break;
    case NNC_PW_GELU: keep(op, how, model->composed_gelu && !again ? &gelu_new : &plain_activation, 1.0); break;
    default: break;
    }
}

static void keep_decoder_op(nnc_op_list *list, int32_t i, const nnc_lowering *how, const nnc_model *model) {
    nnc_op *op = &list->ops[i];
    switch (op->kind) {
    case NNC_OP_MATMUL: keep_product(op, how, model); break;
    case NNC_OP_NORM: keep_norm(op, how, model); break;
    case NNC_OP_POINTWISE: keep_activation(op, how, model); break;
    case NNC_OP_FLASH:
        op->u.flash.kept_kv_heads = op->u.flash.kept_kv_heads > 0 ? op->u.flash.own_kv_heads : 0;
        if (is_written_out(op, model)) {
            const double scores = nnc_flash_scores(&op->u.flash);
            const double inputs = (nnc_flash_queries(&op->u.flash) + nnc_flash_keys(&op->u.flash)) / scores;
            const double whole = bytes_of(&written_out, how) * (1.0 + inputs);
            keep(op, how, op->recomputed ? &of_product : &written_out, op->recomputed ? inputs : 1.0 + inputs);
            op->library_transient = 8.0 + (op->recomputed ? whole : 0.0);
        }
        break;
    case NNC_OP_LOSS:
        if (!op->u.loss.squared_error && op->u.loss.keep != NNC_LOSS_KEEPS_CHUNKS) {
            keep(op, how, is_alone(model) ? &loss_alone : &loss, 1.0);
            op->library_transient = bytes_of(is_alone(model) ? &loss_working_alone : &loss_working, how);
        }
        break;
    default: break;
    }
    /* the first product of an adapter that follows attention also counts the bytes of the attention's output: attention
     * keeps its output for backward, but its op does not count these bytes */
    if (i > 0 && strcmp(op->name, "adapter.down") == 0 && strcmp(list->ops[i - 1].name, "attn.out") == 0 &&
        !keeps_narrow_adapters(how)) {
        op->library_kept += nnc_dtype_bytes(how->dtype);
    }
}

/* Sets the bytes that an op of timm or diffusers keeps for backward. Under autocast the output of a norm is fp32. An op
 * that reads this output keeps the output in fp32, and each product keeps a 16-bit copy of its own. diffusers computes
 * queries, keys and values with separate products (models/attention_processor.py). Residual blocks of diffusers apply
 * SiLU to the output of the norm (models/resnet.py); DiT multiplies this output by a scale
 * (models/normalization.py). */
static void keep_image_op(nnc_op *op, const nnc_lowering *how, const nnc_model *model) {
    const bool amp = how->plan->policy == NNC_POLICY_AMP;
    if (is_of_windows(op, model, how->plan->micro_batch)) {
        const bool scaled = op->weights.vector > 0;
        const double queries = nnc_flash_queries(&op->u.flash), keys = nnc_flash_keys(&op->u.flash);
        const double copies = ((scaled ? 2.0 : 1.0) * queries + keys) / nnc_flash_scores(&op->u.flash);
        keep(op, how, scaled ? &window_scores_scaled : &window_scores, 1.0);
        op->library_kept += copies * bytes_of(&of_product, how);
    } else if (op->kind == NNC_OP_NORM && op->u.norm.kind != NNC_NORM_BATCH) {
        if (op->u.norm.keeps_input || amp) { keep(op, how, &layer_norm, 1.0); }
    } else if (op->kind == NNC_OP_POINTWISE && op->u.pointwise.keeps_input && amp &&
               (strcmp(op->name, "block.act1") == 0 || strcmp(op->name, "block.act2") == 0 ||
                strcmp(op->name, "modulate.mul") == 0)) {
        keep(op, how, &norm_output, 1.0);
    } else if (op->kind == NNC_OP_MATMUL && amp && op->u.matmul.keeps_a &&
               (strcmp(op->name, "attn1.qkv") == 0 || strcmp(op->name, "block.qkv") == 0)) {
        keep(op, how, &of_product, 3.0);
    } else if (op->kind == NNC_OP_CONV && !amp && strcmp(op->name, "block.shortcut") == 0) {
        op->u.conv.keeps_input = false; /* the norm before this convolution already keeps the input of the
                                         * convolution */
    }
}

void nnc_list_keep_by_library(nnc_op_list *list, const nnc_lowering *how, const nnc_model *model) {
    if (how->plan->tensor > 1 || how->plan->context > 1 || how->plan->fp8_inputs || how->linear_dtype != how->dtype ||
        list->recorded) {
        /* nncost does not know how many bytes these libraries keep in three cases: plans with tensor or context ranks,
         * operands in 8 or 4 bits, and captured programs. In these cases the function changes nothing */
        return;
    }
    for (int32_t i = 0; i < list->count; i++) {
        if (list->ops[i].forward_only) { continue; }
        if (model->family == NNC_FAMILY_DECODER) {
            keep_decoder_op(list, i, how, model);
        } else {
            keep_image_op(&list->ops[i], how, model);
        }
    }
}
