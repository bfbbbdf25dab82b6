/* Bytes that transformers, peft, timm and diffusers keep for backward, per op.   [issued]
 *
 * These libraries write layers in single operators. Autograd saves inputs or outputs of each operator. Under autocast a
 * product that reads an fp32 tensor keeps a 16-bit copy of it; the copy of a weight is shared. A row gives the kept
 * bytes per element (see op_elements of op_table.c) for each format of the step:
 *
 *     amp    fp32 weights under autocast: the residual stream and the outputs of norms are fp32
 *     half   16-bit weights and activations, no autocast
 *     full   fp32 or tf32
 *
 * Sources, huggingface/transformers: models/llama/modeling_llama.py (LlamaRMSNorm, LlamaMLP),
 * models/gpt2/modeling_gpt2.py, models/bert/modeling_bert.py, activations.py (NewGELUActivation), loss/loss_utils.py
 * (ForCausalLMLoss); huggingface/peft: tuners/lora/layer.py (Linear.forward). Saved tensors: derivatives.yaml of
 * PyTorch. */
#include <string.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

typedef struct kept_row {
    double amp, half, full;
} kept_row;

/* nn.LayerNorm saves its input; under autocast the input is the fp32 stream or an fp32 copy. */
static const kept_row layer_norm = { 4, 2, 4 };
/* RMS norm: x.float(); pow(2).mean(); x * rsqrt; weight * x.to(dtype). Autograd saves the fp32 input, and the
 * normalised value that is multiplied by the weight. */
static const kept_row rms_norm = { 8, 6, 8 };
/* RMS norm with a frozen weight: the weight needs no gradient, so autograd does not save the normalised value. */
static const kept_row rms_norm_frozen = { 4, 4, 4 };
/* 0.5 x (1 + tanh(c (x + 0.044715 pow(x, 3)))): pow saves x (in fp32 under autocast), tanh saves its output, the
 * product saves both factors; 0.5 x has the format of x. */
static const kept_row gelu_new = { 4 + 4 + 4 + 2, 2 + 2 + 2 + 2, 4 + 4 + 4 + 4 };
/* Gated MLP: act(gate) * up saves gate, act(gate) and up. */
static const kept_row gated = { 6, 6, 12 };
/* GELU in one kernel, or an input of an activation that backward computes again. */
static const kept_row plain_activation = { 2, 2, 4 };
/* Cross-entropy on logits.float() keeps the fp32 log-softmax; backward has two more tensors of the same size. */
static const kept_row loss = { 4, 4, 4 };
static const kept_row loss_working = { 8, 8, 8 };
/* A product keeps its input in its own format. Products with the same input share a copy, but not under autocast. */
static const kept_row of_product = { 2, 2, 4 };
/* A part that backward computes again keeps its inputs only. The output of a norm is fp32 under autocast. */
static const kept_row norm_output = { 4, 2, 4 };
/* Attention with a learned bias runs in fp32 with separate kernels (issued.c). Kept: scores after softmax, copies of
 * queries, keys and values. Backward also has the gradients before and after softmax. */
static const kept_row written_out = { 4, 4, 4 };
/* An adapter (LoRA): the input and the output of its first matrix A are cast to fp32. */
static const kept_row adapter = { 4, 4, 4 };

static double bytes_of(const kept_row *row, const nnc_lowering *how) {
    return how->plan->policy == NNC_POLICY_AMP           ? row->amp
           : nnc_dtype_bytes(how->plan->precision) < 4.0 ? row->half
                                                         : row->full;
}

static void keep(nnc_op *op, const nnc_lowering *how, const kept_row *row, double tensors) {
    op->by_library = true;
    op->library_kept = tensors * bytes_of(row, how);
}

/* Tests whether an op begins a part that backward computes again; such an op keeps its input. */
static bool begins_again(const nnc_op *op) { return op->recomputed && !op->dropped; }

/* Returns the number of products in the library that read a norm's output, for one product of the op list. */
static double readers_of(const nnc_op *op, const nnc_model *model) {
    const bool joined = model->joined_qkv;
    return strcmp(op->name, "attn.qkv") == 0 && op->split == NNC_SPLIT_QKV    ? (joined ? 1.0 : 3.0)
           : strstr(op->name, "gate_up") != NULL && op->u.matmul.experts == 0 ? (joined ? 1.0 : 2.0)
                                                                              : 1.0;
}

/* Tests whether a product reads the output of a norm. This output has the format of the residual stream, and autocast
 * casts it once for each product that reads it. */
static bool reads_norm(const nnc_op *op) {
    static const char *const names[] = { "attn.qkv",      "attn.q_down",    "attn.kv_down",
                                         "attn.q",        "mlp.up",         "mlp.gate_up",
                                         "cross.q",       "moe.router",     "moe.shared_gate_up",
                                         "moe.shared_up", "moe.shared_gate" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(op->name, names[i]) == 0) { return true; }
    }
    return false;
}

static void keep_product(nnc_op *op, const nnc_lowering *how, const nnc_model *model) {
    const bool amp = how->plan->policy == NNC_POLICY_AMP;
    const bool weight = op->u.matmul.b_is_weight;
    if (strcmp(op->name, "adapter.down") == 0) {
        /* one copy of the input for each part of the product that has an adapter */
        keep(op, how, &adapter, (double)op->u.matmul.n / (double)how->plan->adapter_rank);
    } else if (strcmp(op->name, "adapter.up") == 0) {
        keep(op, how, &adapter, 1.0);
    } else if (amp && strcmp(op->name, "cross.kv") == 0) {
        keep(op, how, &of_product, 2.0); /* each layer casts the output of the encoder twice: for keys and for values */
    } else if (weight && amp && !op->frozen && reads_norm(op)) {
        const bool again = (how->plan->recompute & NNC_RECOMPUTE_NORM) != 0; /* the norm keeps its own input */
        keep(op, how, begins_again(op) ? &norm_output : &of_product, again ? 0.0 : readers_of(op, model));
    } else if (weight && op->u.matmul.keeps_a && op->u.matmul.kept_divisor == 1) {
        keep(op, how, &of_product, 1.0);
    }
}

static void keep_norm(nnc_op *op, const nnc_lowering *how) {
    const bool rms = op->u.norm.kind == NNC_NORM_RMS;
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
    case NNC_OP_NORM: keep_norm(op, how); break;
    case NNC_OP_POINTWISE: keep_activation(op, how, model); break;
    case NNC_OP_FLASH:
        op->u.flash.kept_kv_heads = op->u.flash.kv_heads;
        if (nnc_is_written_out(op, model)) {
            const double scores = nnc_flash_scores(&op->u.flash);
            const double inputs = (nnc_flash_queries(&op->u.flash) + nnc_flash_keys(&op->u.flash)) / scores;
            const double whole = bytes_of(&written_out, how) * (1.0 + inputs);
            keep(op, how, op->recomputed ? &of_product : &written_out, op->recomputed ? inputs : 1.0 + inputs);
            op->library_transient = 8.0 + (op->recomputed ? whole : 0.0);
        }
        break;
    case NNC_OP_LOSS:
        if (!op->u.loss.squared_error && op->u.loss.keep != NNC_LOSS_KEEPS_CHUNKS) {
            keep(op, how, &loss, 1.0);
            op->library_transient = bytes_of(&loss_working, how);
        }
        break;
    default: break;
    }
    if (i > 0 && strcmp(op->name, "adapter.down") == 0 &&
        strcmp(list->ops[i - 1].name, "attn.out") == 0) { /* adds the output of attention, which attention keeps for its
                                                           * backward and no other op counts */
        op->library_kept += nnc_dtype_bytes(how->dtype);
    }
}

/* Sets the kept bytes of an op of timm or diffusers. Under autocast the output of a norm is fp32: the ops that read it
 * keep fp32, and each product keeps its own 16-bit copy. diffusers has separate products for queries, keys and values
 * (models/attention_processor.py). Its residual blocks apply SiLU to the output of the norm (models/resnet.py); DiT
 * scales the output (models/normalization.py). */
static void keep_image_op(nnc_op *op, const nnc_lowering *how) {
    static const kept_row after_norm = { 4, 2, 4 };
    const bool amp = how->plan->policy == NNC_POLICY_AMP;
    if (op->kind == NNC_OP_NORM && op->u.norm.kind != NNC_NORM_BATCH) {
        if (op->u.norm.keeps_input || amp) { keep(op, how, &layer_norm, 1.0); }
    } else if (op->kind == NNC_OP_POINTWISE && op->u.pointwise.keeps_input && amp &&
               (strcmp(op->name, "block.act1") == 0 || strcmp(op->name, "block.act2") == 0 ||
                strcmp(op->name, "modulate.mul") == 0)) {
        keep(op, how, &after_norm, 1.0);
    } else if (op->kind == NNC_OP_MATMUL && amp && op->u.matmul.keeps_a &&
               (strcmp(op->name, "attn1.qkv") == 0 || strcmp(op->name, "block.qkv") == 0)) {
        keep(op, how, &of_product, 3.0);
    } else if (op->kind == NNC_OP_CONV && !amp && strcmp(op->name, "block.shortcut") == 0) {
        op->u.conv.keeps_input = false; /* the norm before the convolution already keeps this tensor */
    }
}

void nnc_list_keep_by_library(nnc_op_list *list, const nnc_lowering *how, const nnc_model *model) {
    if (how->plan->tensor > 1 || how->plan->context > 1 || how->plan->fp8_inputs || how->linear_dtype != how->dtype ||
        list->recorded) {
        return; /* the rows of this file do not describe programs with these features */
    }
    for (int32_t i = 0; i < list->count; i++) {
        if (list->ops[i].forward_only) { continue; }
        if (model->family == NNC_FAMILY_DECODER) {
            keep_decoder_op(list, i, how, model);
        } else {
            keep_image_op(&list->ops[i], how);
        }
    }
}
