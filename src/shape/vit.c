/* The family of vision transformers, which classify images. Source: arXiv:2010.11929. [vit] */
#include <inttypes.h>
#include <stdio.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

static int64_t patches_per_side(const nnc_vit *v, const nnc_plan *plan) { return plan->image / v->patch; }

/* Returns the number of tokens of an image: one for each patch, one class token and, in a model trained with
 * distillation, one distillation token. */
static int64_t tokens_of(const nnc_vit *v, const nnc_plan *plan) {
    return patches_per_side(v, plan) * patches_per_side(v, plan) + (v->distilled ? 2 : 1);
}

static nnc_layer layer_of(const nnc_vit *v) {
    return (nnc_layer){ .hidden = v->hidden,
                        .norm = NNC_NORM_LAYER,
                        .norm_bias = true,
                        .heads = v->heads,
                        .kv_heads = v->heads,
                        .head_dim = v->hidden / v->heads,
                        .value_dim = v->hidden / v->heads,
                        .qkv_bias = true,
                        .no_key_bias = v->no_key_bias,
                        .out_bias = true,
                        .mlp = v->mlp,
                        .ffn_hidden = v->ffn_hidden,
                        .mlp_bias = true,
                        .dropout = v->dropout };
}

/* Appends the embedding of patches, class tokens and positions. Every tensor rank computes the embedding of all tokens;
 * with sequence parallelism each rank then keeps only its part of the tokens. */
static void embedding(const nnc_layer_writer *w, const nnc_vit *v) {
    const nnc_plan *plan = w->to.how->plan;
    const int64_t side = patches_per_side(v, plan);
    const nnc_conv patches = { .batch = w->batch,
                               .c_in = v->in_channels,
                               .c_out = v->hidden,
                               .h_in = plan->image,
                               .w_in = plan->image,
                               .h_out = side,
                               .w_out = side,
                               .kernel = v->patch,
                               .stride = v->patch,
                               .groups = 1 };
    nnc_list_conv(&w->to, "embed.patches", NNC_GROUP_EMBEDDING, &patches, true);
    nnc_op *op = nnc_list_pointwise(&w->to, "embed.class", NNC_PW_CONCAT, NNC_GROUP_EMBEDDING, w->hidden_elements);
    op->weights.vector = (v->distilled ? 2 : 1) * v->hidden;
    w->to.list->lookup_params = op->weights.vector;
    if (v->relative_positions) { return; }
    op = nnc_list_pointwise(&w->to, "embed.positions", NNC_PW_POSITION_ADD, NNC_GROUP_EMBEDDING, w->hidden_elements);
    op->weights = (nnc_weights){ .count = 1, .rows = w->seq_len, .cols = v->hidden, .table = true };
    w->to.list->lookup_params += nnc_list_mul(&w->to, w->seq_len, v->hidden);
    if (plan->sequence_parallel) {
        const nnc_collective_op e = { .comm = NNC_COMM_TENSOR,
                                      .backward = NNC_ALL_GATHER,
                                      .bytes = nnc_list_bytes(&w->to, w->hidden_elements) };
        nnc_list_collective(&w->to, "embed.tensor", e);
    }
    nnc_layer_dropout(w, "embed.dropout", NNC_GROUP_EMBEDDING);
}

/* Appends the classifier, which every tensor rank computes completely. With sequence parallelism only one rank has the
 * class token, so this rank first broadcasts the token. */
static void head(const nnc_layer_writer *w, const nnc_vit *v) {
    nnc_layer_norm(w, "head.norm", v->hidden);
    if (w->to.how->plan->sequence_parallel) {
        const nnc_collective_op e = { .comm = NNC_COMM_TENSOR,
                                      .forward = NNC_BROADCAST,
                                      .bytes = nnc_list_bytes(&w->to, w->batch * v->hidden) };
        nnc_list_collective(&w->to, "head.tensor", e);
    }
    nnc_list_linear(&w->to, "head.logits", NNC_GROUP_HEAD, NNC_SPLIT_TOKENS, w->batch, v->classes, v->hidden, true);
    if (v->distilled) {
        nnc_list_linear(&w->to, "head.teacher", NNC_GROUP_HEAD, NNC_SPLIT_TOKENS, w->batch, v->classes, v->hidden,
                        true);
    }
    nnc_list_loss(&w->to, (v->distilled ? 2 : 1) * w->batch, v->classes)->split = NNC_SPLIT_VOCAB;
}

/* Appends the table of relative positions of a layer, whose values are added to all scores. The table has one row for
 * each of the (2 side - 1)^2 distances between patches, and three rows for the class token; a row has one value per
 * head. */
static void relative_positions(const nnc_layer_writer *w, const nnc_vit *v, const nnc_plan *plan) {
    const int64_t reach = 2 * patches_per_side(v, plan) - 1;
    const int64_t scores = nnc_list_mul(&w->to, w->seq_len * w->seq_len, v->heads);
    nnc_op *op = nnc_list_pointwise(&w->to, "attn.relative", NNC_PW_POSITION_ADD, NNC_GROUP_ATTENTION, scores);
    op->weights = (nnc_weights){ .count = 1, .rows = reach * reach + 3, .cols = v->heads, .table = true };
}

static void scale(const nnc_layer_writer *w, const nnc_vit *v, const char *name, nnc_group group) {
    nnc_op *op = nnc_list_pointwise(&w->to, name, NNC_PW_SCALE, group, w->hidden_elements);
    op->weights.vector = v->hidden;
    op->u.pointwise.keeps_input = true;
}

static void lower(const nnc_model *model, const nnc_writer *to) {
    const nnc_vit *v = &model->vit;
    nnc_layer layer = layer_of(v);
    layer.dropout = nnc_list_dropout(to->list, layer.dropout);
    const nnc_plan *plan = to->how->plan;
    const nnc_layer_writer ends = nnc_layer_begin(to, &layer, plan->micro_batch, tokens_of(v, plan));
    nnc_layer_writer w = ends;
    to->list->input_bytes = (double)plan->micro_batch * (double)plan->image * (double)plan->image *
                            /* bytes of the images that the data loader copies to the device as 8-bit pixels */
                            (double)v->in_channels;
    to->list->stream_elements = ends.hidden_elements;

    nnc_list_segment(to, 1, false);
    embedding(&ends, v);
    nnc_list_segment(to, v->layers, true);
    w.to = nnc_list_block(to, v->layers, ends.hidden_elements);
    if (v->relative_positions) { relative_positions(&w, v, plan); }
    nnc_layer_attention(&w, &nnc_attention_plain, NULL);
    if (v->layer_scale) { scale(&w, v, "attn.scale", NNC_GROUP_ATTENTION); }
    nnc_layer_mlp(&w);
    if (v->layer_scale) { scale(&w, v, "mlp.scale", NNC_GROUP_MLP); }
    nnc_list_segment(to, 1, false);
    head(&ends, v);
}

static nnc_status resolve(const nnc_model *model, nnc_plan *p, nnc_error *err) {
    const nnc_vit *v = &model->vit;
    NNC_TRY(nnc_family_takes_images(model, v->image, p, err));
    if (p->image % v->patch != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--image",
                        "cannot be divided into patches, expected a multiple of %" PRId64 ", found %" PRId64, v->patch,
                        p->image);
    }
    return NNC_OK;
}

static nnc_status split(const nnc_model *model, const nnc_plan *p, nnc_error *err) {
    const nnc_vit *v = &model->vit;
    const nnc_layer layer = layer_of(v);
    if (p->context > 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--context",
                        "nncost cannot divide the patches of an image over context ranks, expected 1, found %" PRId32,
                        p->context);
    }
    NNC_TRY(nnc_layer_split_tensor(&layer, p, err));
    return nnc_layer_split_sequence(p, p->micro_batch * tokens_of(v, p), err);
}

static nnc_model_sizes sizes(const nnc_model *model) {
    const nnc_vit *v = &model->vit;
    return (nnc_model_sizes){ .layers = v->layers, .hidden = v->hidden, .image = v->image };
}

static void describe(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT]) {
    const nnc_vit *v = &model->vit;
    snprintf(shape, NNC_SHAPE_TEXT, "%" PRId64 " layers, hidden %" PRId64, v->layers, v->hidden);
    snprintf(input, NNC_SHAPE_TEXT, "%" PRId64 " pixels", v->image);
}

const nnc_family_row nnc_vit_family = {
    .sizes = sizes,
    .resolve = resolve,
    .split = split,
    .lower = lower,
    .describe = describe,
};
