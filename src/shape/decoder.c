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

static nnc_mixer mixer_of(const nnc_decoder *d, int64_t layer)
{
    return d->mixers_count > 0     ? d->mixers[layer % d->mixers_count]
           : d->sliding_window > 0 ? NNC_MIXER_WINDOW
                                   : NNC_MIXER_FULL;
}

static nnc_mlp_kind mlp_of(const nnc_decoder *d, int64_t layer)
{
    return d->mlps_count > 0                            ? d->mlps[layer % d->mlps_count]
           : d->experts > 0 && layer >= d->dense_layers ? NNC_LAYER_EXPERTS
                                                        : NNC_LAYER_DENSE;
}

static bool has_dense(const nnc_decoder *d)
{
    bool dense = d->mlps_count == 0 && mlp_of(d, 0) == NNC_LAYER_DENSE;
    for (int32_t i = 0; i < d->mlps_count && !dense; i++) {
        dense = d->mlps[i] == NNC_LAYER_DENSE;
    }
    return dense;
}

static nnc_layer layer_of(const nnc_decoder *d)
{
    const int64_t rotary = d->rotary_dim > 0 ? d->rotary_dim : d->head_dim;
    return (nnc_layer){
        .hidden = d->hidden,
        .norm = d->norm,
        .norm_place = d->norm_place,
        .norm_bias = d->norm == NNC_NORM_LAYER && (d->biases || d->norm_bias),
        .plain_norms = d->plain_norms,
        .heads = d->heads,
        .kv_heads = is_latent(d) ? d->heads : d->kv_heads,
        .head_dim = is_latent(d) ? d->qk_nope_head_dim + d->qk_rope_head_dim : d->head_dim,
        .value_dim = is_latent(d) ? d->v_head_dim : d->head_dim,
        .latent = is_latent(d),
        .causal = !d->bidirectional,
        .rotary = d->positions == NNC_POSITIONS_ROTARY ? rotary : 0,
        .rotary_scale = d->rotary_scale,
        .qk_norm = d->qk_norm,
        .qkv_bias = d->biases || d->qkv_bias,
        .no_key_bias = d->no_key_bias,
        .out_bias = d->biases || d->out_bias,
        .sinks = d->sinks,
        .attention_gate = d->attention_gate,
        .score_softcap = d->score_softcap,
        .mlp = d->mlp,
        .ffn_hidden = has_dense(d) ? d->ffn_hidden : 0,
        .mlp_bias = d->biases || d->mlp_bias,
        .dropout = d->dropout,
    };
}

/* Layers that are alike. */
typedef struct kind {
    nnc_mixer mixer;
    nnc_mlp_kind mlp;
    int64_t count;
} kind;

static void block(const nnc_layer_writer *w, const nnc_decoder *d, const kind *k)
{
    nnc_layer layer = *w->layer;
    nnc_layer_writer one = *w;
    const bool slides = k->mixer == NNC_MIXER_WINDOW || k->mixer == NNC_MIXER_CHUNK;
    layer.window = slides ? d->sliding_window : d->index_topk;
    layer.chunked = k->mixer == NNC_MIXER_CHUNK;
    layer.rotary = k->mixer == NNC_MIXER_UNROTATED ? 0 : layer.rotary;
    one.layer = &layer;
    one.to = nnc_list_block(&w->to, k->count, w->hidden_elements);
    nnc_decoder_keep_state(&one, d, k->mixer);
    if (is_latent(d) && nnc_mixer_attends(k->mixer)) {
        nnc_layer_begin_norm(&one, nnc_attention_plain.norm);
        nnc_decoder_project_latent(&one, d);
        nnc_layer_attend(&one, &nnc_attention_plain, NULL);
    } else if (nnc_mixer_attends(k->mixer)) {
        nnc_layer_attention(&one, &nnc_attention_plain, NULL);
    }
    if (d->positions == NNC_POSITIONS_RELATIVE_EACH) {
        nnc_decoder_relative(&one, d);
    } else if (d->positions == NNC_POSITIONS_DISENTANGLED) {
        nnc_decoder_distances(&one, d);
    }
    if (d->encoder_layers > 0) {
        nnc_decoder_cross(&one, d);
    }
    if (k->mlp == NNC_LAYER_EXPERTS) {
        nnc_decoder_experts(&one, d);
    } else if (k->mlp == NNC_LAYER_DENSE) {
        nnc_layer_mlp(&one);
    }
}

static void layers(const nnc_layer_writer *w, const nnc_decoder *d, const kind *k)
{
    nnc_list_segment(&w->to, k->count, true);
    block(w, d, k);
}

/* Layers with the weights of those before them. */
static void again(nnc_op_list *list, const nnc_decoder *d, const nnc_layer_writer *w, const kind *k)
{
    const int32_t first = list->count;
    layers(w, d, k);
    for (int32_t i = first; i < list->count; i++) {
        list->ops[i].weights = (nnc_weights){ 0 };
    }
}

/* Modules that predict tokens further on: the stream and the next token's row of the table, both through a norm and a
 * product to one width, a layer like the last, and the model's head. Source: arXiv:2412.19437, section 2.2. [next-tokens] */
static void further_tokens(const nnc_layer_writer *w, const nnc_decoder *d)
{
    const kind last = { mixer_of(d, d->layers - 1), mlp_of(d, d->layers - 1), d->next_layers };
    nnc_layer_writer all = *w;
    all.to.repeat = d->next_layers;
    nnc_list_segment(&w->to, 1, false);
    nnc_decoder_embedding(&all, d, true);
    nnc_layer_norm(&all, "next.token_norm", d->hidden);
    nnc_layer_norm(&all, "next.norm", d->hidden);
    nnc_op *concat = nnc_list_pointwise(&all.to, "next.concat", NNC_PW_CONCAT, NNC_GROUP_MLP,
                                        2 * w->hidden_elements);
    concat->split = NNC_SPLIT_SEQUENCE;
    nnc_layer_linear(&all, "next.project", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, d->hidden,
                     2 * d->hidden, false);
    block(&all, d, &last);
    const int32_t head = w->to.list->count;
    nnc_decoder_head(&all, d);
    for (int32_t i = head; i < w->to.list->count; i++) {
        nnc_weights *weights = &w->to.list->ops[i].weights;
        weights->count = weights->table ? 0 : weights->count;
    }
    w->to.list->next_layers = d->next_layers;
}

enum { KINDS_MAX = NNC_SEGMENTS_MAX - 3 };

/* The kinds of layers in the order of their first; where they alternate, the list notes which is which. */
static int32_t kinds_of(const nnc_decoder *d, nnc_op_list *list, kind kinds[KINDS_MAX])
{
    int32_t count = 0;
    if (d->mixers_count <= 1 && d->mlps_count <= 1) {
        const bool alike = d->experts == 0 || d->mlps_count > 0;
        const int64_t first = alike ? d->layers : d->dense_layers;
        const kind runs[] = { { mixer_of(d, 0), mlp_of(d, 0), first },
                              { mixer_of(d, 0), NNC_LAYER_EXPERTS, d->layers - first } };
        for (int i = 0; i < 2; i++) {
            if (runs[i].count > 0) {
                kinds[count++] = runs[i];
            }
        }
        return count;
    }
    for (int64_t layer = 0; layer < d->layers && layer < NNC_MIXED_LAYERS_MAX; layer++) {
        const kind k = { mixer_of(d, layer), mlp_of(d, layer), 0 };
        int32_t i = 0;
        while (i < count && (kinds[i].mixer != k.mixer || kinds[i].mlp != k.mlp)) {
            i++;
        }
        if (i == KINDS_MAX) {
            list->truncated = true;
            return count;
        }
        if (i == count) {
            kinds[count++] = k;
        }
        kinds[i].count++;
        list->mixed[list->mixed_count++] = (uint8_t)(i + 1); /* the embedding is segment 0 */
    }
    return count;
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

    kind kinds[KINDS_MAX];
    const int32_t kind_count = kinds_of(d, to->list, kinds);
    nnc_list_segment(to, 1, false);
    nnc_decoder_towers(model, to);
    nnc_decoder_embedding(&w, d, false);
    if (d->encoder_layers > 0) {
        nnc_decoder_encoder(&w, d);
    }
    for (int32_t i = 0; i < kind_count; i++) {
        if (d->share_layers && kinds[i].count > 1) {
            kind first = kinds[i];
            first.count = 1;
            kinds[i].count--;
            layers(&w, d, &first);
            again(to->list, d, &w, &kinds[i]);
        } else {
            layers(&w, d, &kinds[i]);
        }
    }
    if (plan->next_tokens) {
        further_tokens(&w, d);
    }
    nnc_list_segment(to, 1, false);
    nnc_decoder_head(&w, d);
}

static nnc_status resolve(const nnc_model *model, nnc_plan *p, nnc_error *err)
{
    const nnc_decoder *d = &model->decoder;
    const int64_t positions = d->positions_max > 0 ? d->positions_max : d->seq_len;
    const bool plain = !nnc_mlp_gated(d->mlp) && d->head == NNC_HEAD_LOGITS && !d->bidirectional &&
                       d->norm_place == NNC_NORM_PRE && d->encoder_layers == 0 &&
                       d->mixers_count == 0 && d->mlps_count == 0;
    if (p->image > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--image", "a decoder takes tokens, not images");
    }
    if (p->next_tokens && (d->next_layers == 0 || d->head != NNC_HEAD_LOGITS)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--next-tokens",
                        "expected a model with next_layers and a head of words, found %" PRId64
                        " layers that predict tokens further on",
                        d->next_layers);
    }
    p->seq_len = p->seq_len > 0 ? p->seq_len : d->seq_len;
    if (nnc_positions_learned(d->positions) && p->seq_len > positions) {
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

/* What layers that keep a state ask for. */
static nnc_status split_states(const nnc_decoder *d, const nnc_plan *p, nnc_error *err)
{
    if (p->context > 1) {
        return nnc_fail(
            err, NNC_ILLEGAL_PLAN, "--context",
            "a state passes through all tokens of a sequence, expected 1, found %" PRId32,
            p->context);
    }
    NNC_TRY(nnc_divides("--tensor", "ssm_inner", d->ssm_inner, p->tensor, err));
    NNC_TRY(nnc_divides("--tensor", "ssm_heads", d->ssm_heads, p->tensor, err));
    NNC_TRY(nnc_divides("--tensor", "ssm_groups", d->ssm_groups, p->tensor, err));
    return nnc_divides("--tensor", "hidden", d->hidden, p->tensor, err);
}

static nnc_status split(const nnc_model *model, const nnc_plan *p, nnc_error *err)
{
    const nnc_decoder *d = &model->decoder;
    const nnc_layer layer = layer_of(d);
    const int64_t t = p->tensor;
    const bool pooled = d->head == NNC_HEAD_POOLER || d->head == NNC_HEAD_PROJECTION ||
                        d->head == NNC_HEAD_CLASSES || d->head == NNC_HEAD_MASKED_NEXT;
    if (d->encoder_layers > 0 && p->pipeline > 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "an encoder and its decoder stay together, expected 1, found %" PRId32,
                        p->pipeline);
    }
    const bool whole = d->encoder_layers > 0 || pooled || d->index_heads > 0 ||
                       d->tower_inputs > 0 || d->positions == NNC_POSITIONS_DISENTANGLED;
    if (whole && p->context > 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--context",
                        "the tokens that are looked at from outside stay together, expected 1, "
                        "found %" PRId32,
                        p->context);
    }
    for (int32_t i = 0; i < d->mixers_count; i++) {
        if (!nnc_mixer_attends(d->mixers[i]) && d->mixers[i] != NNC_MIXER_NONE) {
            NNC_TRY(split_states(d, p, err));
        }
    }
    if (d->heads > 0) {
        NNC_TRY(nnc_layer_split_context(&layer, p, p->seq_len, err));
    }
    NNC_TRY(nnc_layer_split_tensor(&layer, p, err));
    NNC_TRY(nnc_divides("--tensor", "expert_hidden", d->expert_hidden, t, err));
    NNC_TRY(nnc_divides("--tensor", "shared_hidden", d->shared_hidden, t, err));
    return nnc_layer_split_sequence(p, p->micro_batch * p->seq_len, err);
}

static nnc_model_sizes sizes(const nnc_model *model)
{
    const nnc_decoder *d = &model->decoder;
    return (nnc_model_sizes){ .layers = d->encoder_layers + d->layers,
                              .hidden = d->hidden,
                              .seq_len = d->seq_len,
                              .vocab = nnc_vocab_rows(d),
                              .experts = d->experts };
}

static void describe(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT])
{
    const nnc_decoder *d = &model->decoder;
    char before[32] = "";
    if (d->encoder_layers > 0) {
        snprintf(before, sizeof before, "%" PRId64 " + ", d->encoder_layers);
    }
    snprintf(shape, NNC_SHAPE_TEXT, "%s%" PRId64 " layers, hidden %" PRId64, before, d->layers,
             d->hidden);
    snprintf(input, NNC_SHAPE_TEXT, "%" PRId64 " tokens", d->seq_len);
}

const nnc_family_row nnc_decoder_family = {
    .sizes = sizes,
    .resolve = resolve,
    .split = split,
    .lower = lower,
    .describe = describe,
};
