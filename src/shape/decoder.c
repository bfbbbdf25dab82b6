#include "shape/decoder.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/number.h"

int64_t nnc_vocab_rows(const nnc_decoder *decoder)
{
    return nnc_ceil_div(decoder->vocab, decoder->vocab_multiple) * decoder->vocab_multiple;
}

static bool is_latent(const nnc_decoder *d)
{
    return d->kv_lora_rank > 0;
}

/* Layers without experts come first. */
static int64_t dense_layers(const nnc_decoder *d)
{
    return d->experts > 0 ? d->dense_layers : d->layers;
}

static nnc_layer layer_of(const nnc_decoder *d)
{
    return (nnc_layer){
        .hidden = d->hidden,
        .norm = d->norm,
        .norm_bias = d->norm == NNC_NORM_LAYER && d->biases,
        .heads = d->heads,
        .kv_heads = is_latent(d) ? d->heads : d->kv_heads,
        .head_dim = is_latent(d) ? d->qk_nope_head_dim + d->qk_rope_head_dim : d->head_dim,
        .value_dim = is_latent(d) ? d->v_head_dim : d->head_dim,
        .window = d->sliding_window,
        .causal = true,
        .rotary = d->positions == NNC_POSITIONS_ROTARY,
        .qkv_bias = d->biases || d->qkv_bias,
        .out_bias = d->biases,
        .mlp = d->mlp,
        .ffn_hidden = dense_layers(d) > 0 ? d->ffn_hidden : 0,
        .mlp_bias = d->biases,
        .dropout = d->dropout,
    };
}

static void embedding(const nnc_layer_writer *w, const nnc_decoder *d)
{
    nnc_op_list *list = w->to.list;
    const int64_t vocab = nnc_vocab_rows(d);
    nnc_op *op = nnc_list_add(&w->to, "embed.tokens", NNC_OP_EMBEDDING, NNC_GROUP_EMBEDDING);
    op->split = NNC_SPLIT_VOCAB;
    op->weights = (nnc_weights){ .count = 1, .rows = vocab, .cols = d->hidden, .table = true };
    op->u.embedding = (nnc_embedding){ .tokens = w->tokens, .width = d->hidden };
    nnc_layer_tensor_exchange(w, "embed.tensor", false, d->hidden);

    if (d->positions == NNC_POSITIONS_LEARNED) {
        const int64_t rows = d->positions_max > 0 ? d->positions_max : d->seq_len;
        op = nnc_list_pointwise(&w->to, "embed.positions", NNC_PW_POSITION_ADD, NNC_GROUP_EMBEDDING,
                                w->hidden_elements);
        op->split = NNC_SPLIT_SEQUENCE;
        op->weights = (nnc_weights){ .count = 1, .rows = rows, .cols = d->hidden, .table = true };
        op->u.pointwise.extra_kept_bytes = 8.0 * (double)w->seq_len; /* position ids, int64 */
        list->lookup_params = nnc_list_mul(&w->to, rows, d->hidden);
    }
    if (d->tied_head) {
        list->tied_rows = vocab;
        list->tied_cols = d->hidden;
    } else {
        list->lookup_params += nnc_list_mul(&w->to, vocab, d->hidden);
    }
    nnc_layer_dropout(w, "embed.dropout", NNC_GROUP_EMBEDDING);
}

/* A run of equal layers. */
static void layers(const nnc_layer_writer *w, const nnc_decoder *d, int64_t count, bool experts)
{
    if (count == 0) {
        return;
    }
    nnc_layer_writer one = *w;
    nnc_list_segment(&w->to, count, true);
    one.to = nnc_list_block(&w->to, count, w->hidden_elements);
    if (is_latent(d)) {
        nnc_layer_norm(&one, nnc_attention_plain.norm, d->hidden);
        nnc_decoder_project_latent(&one, d);
        nnc_layer_attend(&one, &nnc_attention_plain, NULL);
    } else {
        nnc_layer_attention(&one, &nnc_attention_plain, NULL);
    }
    if (experts) {
        nnc_decoder_experts(&one, d);
    } else {
        nnc_layer_mlp(&one);
    }
}

static void head(const nnc_layer_writer *w, const nnc_decoder *d)
{
    const nnc_plan *plan = w->to.how->plan;
    const int64_t vocab = nnc_vocab_rows(d);
    nnc_layer_norm(w, "head.norm", d->hidden);
    nnc_layer_tensor_exchange(w, "head.tensor_in", true, d->hidden);
    nnc_op *logits = nnc_layer_linear(w, "head.logits", NNC_GROUP_HEAD, NNC_SPLIT_COLUMN, vocab,
                                      d->hidden, false);
    logits->weights.table = true;
    logits->weights.count = d->tied_head ? 0 : 1; /* a tied table is counted as the embedding */
    nnc_list_loss(&w->to, w->tokens, vocab)->split = NNC_SPLIT_VOCAB;
    if (plan->tensor > 1) { /* maximum, sum and target logit of each token, in fp32 */
        const nnc_exchange e = { .comm = NNC_COMM_TENSOR,
                                 .forward = NNC_ALL_REDUCE,
                                 .bytes = 4.0 * (double)w->tokens / (double)plan->context,
                                 .count = 3.0 };
        nnc_list_exchange(&w->to, "loss.tensor", e);
    }
}

static void lower(const nnc_model *model, const nnc_writer *to)
{
    const nnc_decoder *d = &model->decoder;
    const nnc_layer layer = layer_of(d);
    const nnc_plan *plan = to->how->plan;
    const nnc_layer_writer w = nnc_layer_begin(to, &layer, plan->micro_batch, plan->seq_len);
    const double token_id_bytes = 4.0; /* a loader moves int32 ids */
    to->list->tokens = w.tokens;
    to->list->input_bytes = token_id_bytes * (double)w.tokens;
    to->list->stream_elements = w.hidden_elements;

    nnc_list_segment(to, 1, false);
    embedding(&w, d);
    layers(&w, d, dense_layers(d), false);
    layers(&w, d, d->layers - dense_layers(d), true);
    nnc_list_segment(to, 1, false);
    head(&w, d);
}

static nnc_status resolve(const nnc_model *model, nnc_plan *p, nnc_error *err)
{
    const nnc_decoder *d = &model->decoder;
    const int64_t positions = d->positions_max > 0 ? d->positions_max : d->seq_len;
    const bool plain = !nnc_mlp_gated(d->mlp);
    if (p->image > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--image", "a decoder takes tokens, not images");
    }
    p->seq_len = p->seq_len > 0 ? p->seq_len : d->seq_len;
    if (d->positions == NNC_POSITIONS_LEARNED && p->seq_len > positions) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--seq-len",
                        "longer than the position table, expected at most %" PRId64
                        ", found %" PRId64,
                        positions, p->seq_len);
    }
    if (p->activations != NNC_ACTIVATIONS_KORTHIKANTI) {
        return NNC_OK;
    }
    if (!(plain && d->ffn_hidden == 4 * d->hidden && d->kv_heads == d->heads)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--activations",
                        "the korthikanti formula counts a GPT layer (plain MLP of 4 x hidden, as "
                        "many key as query heads), expected per-op for this model");
    }
    if (p->precision != NNC_BF16 && p->precision != NNC_FP16) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--activations",
                        "the korthikanti formula counts 16-bit activations, found %s",
                        nnc_dtype_name(p->precision));
    }
    return NNC_OK;
}

static nnc_status split(const nnc_model *model, const nnc_plan *p, nnc_error *err)
{
    const nnc_decoder *d = &model->decoder;
    const nnc_layer layer = layer_of(d);
    const int64_t t = p->tensor, vocab = nnc_vocab_rows(d);
    NNC_TRY(nnc_layer_split_context(&layer, p, p->seq_len, err));
    NNC_TRY(nnc_layer_split_tensor(&layer, p, err));
    NNC_TRY(nnc_divides("--tensor", "expert_hidden", d->expert_hidden, t, err));
    NNC_TRY(nnc_divides("--tensor", "shared_hidden", d->shared_hidden, t, err));
    if (vocab % t != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tensor",
                        "vocabulary of %" PRId64 " rows does not divide over %" PRId64
                        " ranks, expected it padded: --set vocab_multiple=%" PRId64,
                        vocab, t, 128 * t);
    }
    return nnc_layer_split_sequence(p, p->micro_batch * p->seq_len, err);
}

static nnc_model_sizes sizes(const nnc_model *model)
{
    const nnc_decoder *d = &model->decoder;
    return (nnc_model_sizes){ .layers = d->layers,
                              .hidden = d->hidden,
                              .seq_len = d->seq_len,
                              .vocab = nnc_vocab_rows(d),
                              .experts = d->experts };
}

static void describe(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT])
{
    const nnc_decoder *d = &model->decoder;
    snprintf(shape, NNC_SHAPE_TEXT, "%" PRId64 " layers, hidden %" PRId64, d->layers, d->hidden);
    snprintf(input, NNC_SHAPE_TEXT, "%" PRId64 " tokens", d->seq_len);
}

const nnc_family_row nnc_decoder_family = {
    .sizes = sizes,
    .resolve = resolve,
    .split = split,
    .lower = lower,
    .describe = describe,
};
