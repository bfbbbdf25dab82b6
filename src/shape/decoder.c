/* The family of decoders, encoders and encoder-decoders, which process tokens. The first segment of a
 * decoder's op list has towers, embedding and encoder; one segment for each kind of layer follows; the last segment has
 * head and loss.
 *
 * The ops inside a layer are written by transformer.c (attention, MLP) and decoder_layers.c (experts, states, latent
 * attention). */
#include <inttypes.h>
#include <stdio.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

int64_t nnc_vocab_rows(const nnc_decoder *decoder) {
    return nnc_ceil_div(decoder->vocab, decoder->vocab_multiple) * decoder->vocab_multiple;
}

static bool is_latent(const nnc_decoder *d) { return d->kv_lora_rank > 0; }

static nnc_mixer mixer_of(const nnc_decoder *d, int64_t layer) {
    return d->mixers_count > 0     ? d->mixers[layer % d->mixers_count]
           : d->sliding_window > 0 ? NNC_MIXER_WINDOW
                                   : NNC_MIXER_FULL;
}

static nnc_mlp_kind mlp_of(const nnc_decoder *d, int64_t layer) {
    return d->mlps_count > 0                            ? d->mlps[layer % d->mlps_count]
           : d->experts > 0 && layer >= d->dense_layers ? NNC_LAYER_EXPERTS
                                                        : NNC_LAYER_DENSE;
}

/* Tests whether a layer attends to the keys and values of an earlier layer. */
static bool reuses_kv(const nnc_decoder *d, int64_t layer) { return layer >= d->layers - d->reused_kv_layers; }

static int64_t width_of(const nnc_decoder *d, int64_t layer) {
    return mlp_of(d, layer) != NNC_LAYER_DENSE     ? 0
           : d->ffn_widths_count > 0               ? d->ffn_widths[layer % d->ffn_widths_count]
           : d->wide_reused && reuses_kv(d, layer) ? 2 * d->ffn_hidden
                                                   : d->ffn_hidden;
}

static bool has_dense(const nnc_decoder *d) {
    bool dense = d->mlps_count == 0 && mlp_of(d, 0) == NNC_LAYER_DENSE;
    for (int32_t i = 0; i < d->mlps_count && !dense; i++) { dense = d->mlps[i] == NNC_LAYER_DENSE; }
    return dense;
}

static nnc_layer layer_of(const nnc_decoder *d) {
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
        .value_dim = d->v_head_dim > 0 ? d->v_head_dim : d->head_dim,
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
        .head_gate = d->head_gate,
        .unused_kv = d->unused_kv,
        .out_groups = d->out_groups,
        .out_width = d->out_groups * d->out_rank,
        .score_softcap = d->score_softcap,
        .mlp = d->mlp,
        .ffn_hidden = has_dense(d) ? d->ffn_hidden : 0,
        .mlp_bias = d->biases || d->mlp_bias,
        .dropout = d->dropout,
    };
}

/* ---- embedding of the tokens, and tables of positions ---- */

/* Returns the width of the embedding tables. A head that is tied to the embedding reads states with the width of the
 * embedding tables. */
static int64_t table_width(const nnc_decoder *d) { return d->embed_width > 0 ? d->embed_width : d->hidden; }

/* Returns the width of the states that the head reads. In a decoder whose embedding tables are narrower than its layers
 * (OPT-350M), a projection reduces the states to the width of the tables before the head; an encoder has no such
 * projection. */
static int64_t state_width(const nnc_decoder *d) { return d->bidirectional ? d->hidden : table_width(d); }

static int64_t table_rows(const nnc_layer_writer *w, const nnc_decoder *d) {
    return nnc_vocab_split(nnc_vocab_rows(d), w->to.how->plan->tensor);
}

/* Tests whether the model's head computes logits over the vocabulary. */
static bool has_words(const nnc_decoder *d) {
    return d->head == NNC_HEAD_LOGITS || d->head == NNC_HEAD_MASKED || d->head == NNC_HEAD_MASKED_NEXT;
}

static void relative_positions(const nnc_layer_writer *w, const nnc_decoder *d) {
    nnc_op *op = nnc_list_add(&w->to, "attn.relative", NNC_OP_EMBEDDING, NNC_GROUP_ATTENTION);
    op->weights = (nnc_weights){ .count = 1, .rows = d->relative_buckets, .cols = d->heads, .table = true };
    op->u.embedding = (nnc_embedding){ .tokens = nnc_list_mul(&w->to, w->seq_len, w->seq_len), .width = d->heads };
    w->to.list->lookup_params +=
        nnc_list_mul(&w->to, nnc_list_mul(&w->to, d->relative_buckets, d->heads), w->to.repeat);
}

/* Appends the table of relative positions of DeBERTa with its norm. One half of the table is for tokens before the
 * query, and the second half is for tokens after the query. */
static void distances(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t rows = 2 * d->relative_buckets;
    nnc_op *op =
        nnc_list_norm(&w->to, "embed.distances", d->norm, nnc_list_mul(&w->to, rows, d->hidden), rows, 2 * d->hidden);
    op->weights = (nnc_weights){ .count = 1, .rows = rows, .cols = d->hidden, .vector = 2 * d->hidden, .table = true };
    w->to.list->lookup_params += nnc_list_mul(&w->to, rows, d->hidden);
}

static void distance_scores(const nnc_layer_writer *w, const nnc_decoder *d) {
    static const char *const names[] = { "attn.distance_k", "attn.distance_q" };
    static const char *const scores[] = { "attn.content_to_distance", "attn.distance_to_content" };
    const int64_t rows = 2 * d->relative_buckets, inner = d->heads * d->head_dim;
    for (int i = 0; i < 2; i++) {
        nnc_op *linear =
            nnc_list_linear(&w->to, names[i], NNC_GROUP_ATTENTION, NNC_SPLIT_COLUMN, rows, inner, d->hidden, false);
        /* the projection of the table of relative positions uses the weights of the projection of the tokens; the op of
         * the tokens counts these weights */
        linear->weights = (nnc_weights){ 0 };
        nnc_op *op = nnc_list_add(&w->to, scores[i], NNC_OP_MATMUL, NNC_GROUP_ATTENTION);
        op->split = NNC_SPLIT_HEADS;
        nnc_matmul_set(&op->u.matmul, nnc_list_mul(&w->to, w->batch, d->heads), w->seq_len, rows, d->head_dim);
        op->u.matmul.b_shared = w->batch;
        op->u.matmul.heads = op->u.matmul.kv_heads = d->heads;
        op->u.matmul.needs_grad_input = op->u.matmul.keeps_b = true;
    }
}

/* If the embedding tables are narrower than the residual stream, appends the linear layer that projects embeddings to
 * the width of the residual stream. */
static void project(const nnc_layer_writer *w, const nnc_decoder *d) {
    if (table_width(d) != d->hidden) {
        nnc_layer_linear(w, "embed.project", NNC_GROUP_EMBEDDING, NNC_SPLIT_SEQUENCE, d->hidden, table_width(d),
                         d->bidirectional);
    }
}

static void write_embedding(const nnc_layer_writer *w, const nnc_decoder *d, bool again) {
    nnc_op_list *list = w->to.list;
    const int64_t vocab = table_rows(w, d);
    int64_t width = table_width(d);
    nnc_op *op = nnc_list_add(&w->to, "embed.tokens", NNC_OP_EMBEDDING, NNC_GROUP_EMBEDDING);
    op->split = NNC_SPLIT_VOCAB;
    op->weights = (nnc_weights){ .count = again ? 0 : 1, .rows = vocab, .cols = width, .table = true };
    op->u.embedding = (nnc_embedding){ .tokens = w->tokens, .width = width };
    nnc_layer_tensor_collective(w, "embed.tensor", false, width);

    if (!d->bidirectional) { /* in a decoder only the token table is narrow; its other tables have the width of the
                              * residual stream */
        project(w, d);
        width = d->hidden;
    }
    const int64_t elements = nnc_list_mul(&w->to, w->tokens, width);
    if (nnc_positions_learned(d->positions)) {
        const int64_t rows = d->positions_max > 0 ? d->positions_max : d->seq_len;
        op = nnc_list_pointwise(&w->to, "embed.positions", NNC_PW_POSITION_ADD, NNC_GROUP_EMBEDDING, elements);
        op->split = NNC_SPLIT_SEQUENCE;
        op->weights = (nnc_weights){ .count = 1, .rows = rows, .cols = width, .table = true };
        op->u.pointwise.extra_kept_bytes = 8.0 * (double)w->seq_len; /* the embedding keeps the position ids of one
                                                                      * sequence for backward, in int64 */
        list->lookup_params += nnc_list_mul(&w->to, rows, width);
    }
    if (d->token_types > 0) {
        op = nnc_list_pointwise(&w->to, "embed.types", NNC_PW_POSITION_ADD, NNC_GROUP_EMBEDDING, elements);
        op->split = NNC_SPLIT_SEQUENCE;
        op->weights = (nnc_weights){ .count = 1, .rows = d->token_types, .cols = width, .table = true };
        op->u.pointwise.extra_kept_bytes = 8.0 * (double)w->tokens; /* the embedding keeps the token type ids for
                                                                     * backward, in int64 */
        list->lookup_params += nnc_list_mul(&w->to, d->token_types, width);
    }
    if (d->positions == NNC_POSITIONS_RELATIVE || d->positions == NNC_POSITIONS_LEARNED_RELATIVE) {
        relative_positions(w, d);
    } else if (d->positions == NNC_POSITIONS_DISENTANGLED) {
        distances(w, d);
    }
    /* the embedding table is shared with the head, or with the embedding of the next-token modules */
    if ((d->tied_head && has_words(d)) || again) {
        list->tied_rows = vocab;
        list->tied_cols = table_width(d);
    } else {
        list->lookup_params += nnc_list_mul(&w->to, vocab, table_width(d));
    }
    if (d->embed_norm) { nnc_layer_norm(w, "embed.norm", width); }
    if (d->bidirectional) { project(w, d); }
    nnc_layer_dropout(w, "embed.dropout", NNC_GROUP_EMBEDDING);
}

/* ---- heads: one function for each kind of head together with its loss ---- */

static void words(const nnc_layer_writer *w, const nnc_decoder *d) {
    const nnc_plan *plan = w->to.how->plan;
    const int64_t vocab = table_rows(w, d);
    const int64_t width = table_width(d);
    nnc_layer_tensor_collective(w, "head.tensor_in", true, width);
    nnc_op *logits = nnc_layer_linear(w, "head.logits", NNC_GROUP_HEAD, NNC_SPLIT_COLUMN, vocab, width, d->head_bias);
    logits->weights.table = true;
    /* a tied head uses the weights of the embedding; the embedding op counts these weights */
    logits->weights.count = d->tied_head ? 0 : 1;
    if (w->to.how->software->loss_keep == NNC_LOSS_KEEPS_CHUNKS) {
        /* the logits are computed in chunks; a chunk has about as many bytes as the input of the head, as in
         * Liger-Kernel */
        logits->u.matmul.chunks = (vocab + width - 1) / width;
    }
    if (d->logit_softcap) {
        nnc_list_pointwise(&w->to, "head.softcap", NNC_PW_SOFTCAP, NNC_GROUP_HEAD,
                           nnc_list_mul(&w->to, w->tokens, vocab))
            ->split = NNC_SPLIT_INNER;
    }
    nnc_list_loss(&w->to, w->tokens, vocab)->split = NNC_SPLIT_VOCAB;
    /* the loss needs three all-reduces of one fp32 number per token: maximum of the logits, sum of their exponentials,
     * logit of the target */
    if (plan->tensor > 1) {
        const nnc_collective_op e = { .comm = NNC_COMM_TENSOR,
                                      .forward = NNC_ALL_REDUCE,
                                      .bytes = 4.0 * (double)w->tokens / (double)plan->context,
                                      .count = 3.0 };
        nnc_list_collective(&w->to, "loss.tensor", e);
    }
}

/* Tests whether the model is an encoder without biases (ModernBERT). The classification head of an encoder without
 * biases begins with a linear layer, GELU and a norm. */
static bool has_bare_head(const nnc_decoder *d) { return d->bidirectional && !d->biases; }

/* Appends the first layer of a head for `rows` tokens: a linear layer from d->hidden values to `width` values, then
 * GELU. */
static void dense(const nnc_layer_writer *w, const nnc_decoder *d, int64_t rows, int64_t width) {
    nnc_list_linear(&w->to, "head.dense", NNC_GROUP_HEAD, NNC_SPLIT_SEQUENCE, rows, width, d->hidden,
                    d->biases || d->head == NNC_HEAD_REPLACED || (d->head == NNC_HEAD_CLASSES && !has_bare_head(d)));
    nnc_op *act =
        nnc_list_pointwise(&w->to, "head.activation", NNC_PW_GELU, NNC_GROUP_HEAD, nnc_list_mul(&w->to, rows, width));
    act->split = NNC_SPLIT_SEQUENCE;
    act->u.pointwise.keeps_input = true;
}

/* Appends the loss of a head: the mean squared error between rows x width predicted values and their targets. */
static void distance(const nnc_layer_writer *w, int64_t rows, int64_t width) {
    nnc_list_loss(&w->to, rows, width)->u.loss.squared_error = true;
}

static void masked(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t width = table_width(d);
    nnc_layer_writer some = *w; /* the head processes only those tokens that were masked */
    if (d->head_share > 0.0) { some.tokens = (int64_t)nnc_ceil((double)w->tokens * d->head_share); }
    dense(&some, d, some.tokens, width);
    nnc_layer_norm(&some, "head.dense_norm", width);
    words(&some, d);
}

static void replaced(const nnc_layer_writer *w, const nnc_decoder *d) {
    dense(w, d, w->tokens, d->hidden);
    nnc_layer_linear(w, "head.logits", NNC_GROUP_HEAD, NNC_SPLIT_SEQUENCE, 1, d->hidden, true);
    distance(w, w->tokens, 1);
}

/* Appends a head that classifies a sequence by one of its tokens. Source: BERT, arXiv:1810.04805, sections 3.1 and
 * 4.1. */
static void choose(const nnc_layer_writer *w, const nnc_decoder *d, int64_t classes) {
    dense(w, d, w->batch, d->hidden);
    if (has_bare_head(d)) {
        nnc_layer_writer one = *w;
        one.tokens = w->batch;
        nnc_layer_norm(&one, "head.dense_norm", d->hidden);
    }
    nnc_list_linear(&w->to, "head.classes", NNC_GROUP_HEAD, NNC_SPLIT_SEQUENCE, w->batch, classes, d->hidden, true);
    nnc_list_loss(&w->to, w->batch, classes);
}

static void classes(const nnc_layer_writer *w, const nnc_decoder *d) { choose(w, d, d->head_width); }

static void masked_next(const nnc_layer_writer *w, const nnc_decoder *d) {
    masked(w, d);
    choose(w, d, 2);
}

static void tags(const nnc_layer_writer *w, const nnc_decoder *d) {
    if (has_bare_head(d)) {
        dense(w, d, w->tokens, d->hidden);
        nnc_layer_norm(w, "head.dense_norm", d->hidden);
    }
    nnc_layer_linear(w, "head.classes", NNC_GROUP_HEAD, NNC_SPLIT_SEQUENCE, d->head_width, state_width(d), true);
    nnc_list_loss(&w->to, w->tokens, d->head_width);
}

static void pooler(const nnc_layer_writer *w, const nnc_decoder *d) {
    dense(w, d, w->batch, d->hidden);
    distance(w, w->batch, d->hidden);
}

static void projection(const nnc_layer_writer *w, const nnc_decoder *d) {
    nnc_list_linear(&w->to, "head.project", NNC_GROUP_HEAD, NNC_SPLIT_TOKENS, w->batch, d->head_width, state_width(d),
                    false);
    distance(w, w->batch, d->head_width);
}

static void states(const nnc_layer_writer *w, const nnc_decoder *d) { distance(w, w->tokens, state_width(d)); }

typedef void head_writer(const nnc_layer_writer *w, const nnc_decoder *d);
static head_writer *const NNC_ROW(NNC_HEAD_LOGITS) = words;
static head_writer *const NNC_ROW(NNC_HEAD_MASKED) = masked;
static head_writer *const NNC_ROW(NNC_HEAD_REPLACED) = replaced;
static head_writer *const NNC_ROW(NNC_HEAD_POOLER) = pooler;
static head_writer *const NNC_ROW(NNC_HEAD_PROJECTION) = projection;
static head_writer *const NNC_ROW(NNC_HEAD_MASKED_NEXT) = masked_next;
static head_writer *const NNC_ROW(NNC_HEAD_CLASSES) = classes;
static head_writer *const NNC_ROW(NNC_HEAD_TAGS) = tags;
static head_writer *const NNC_ROW(NNC_HEAD_NONE) = states;
static head_writer *const *const heads[] = { NNC_MODEL_HEAD_LIST(NNC_ROW_AT) };

static void write_head(const nnc_layer_writer *w, const nnc_decoder *d) {
    if (d->streams > 1) { nnc_decoder_streams(w, d, NULL); }
    if (d->residual_block > 0) { nnc_decoder_read_blocks(w, d, NNC_GROUP_HEAD); }
    if (d->altup_inputs > 1) { nnc_decoder_project_streams(w, d, true); }
    if (d->norm_place != NNC_NORM_POST) { nnc_layer_norm(w, "head.norm", d->hidden); }
    if (state_width(d) != d->hidden) {
        nnc_layer_linear(w, "head.project", NNC_GROUP_HEAD, NNC_SPLIT_SEQUENCE, state_width(d), d->hidden, false);
    }
    (*heads[d->head])(w, d);
}

/* ---- the encoder of an encoder-decoder, and the decoder's attention to it   [encoder-decoder] ----
 * Sources: arXiv:1706.03762, section 3; arXiv:2212.04356, section 2.2 (frames of audio). */

static const nnc_attention_names cross_names = {
    "cross.norm",
    "cross.tensor_in",
    "cross.q",
    "cross.kv",
    "cross.rotary",
    "cross.context_in",
    { "cross.core", "cross.scores", "cross.mask", "cross.softmax", "cross.dropout", "cross.context" },
    "cross.context_out",
    "cross.out",
    "cross.tensor_out",
    "cross.end_norm",
    "cross.residual",
};

static int64_t encoder_len(const nnc_decoder *d, const nnc_plan *plan) {
    return d->encoder_seq_len > 0 ? d->encoder_seq_len : plan->seq_len;
}

static void frame_conv(const nnc_layer_writer *w, const char *name, int64_t bands, int64_t frames, int64_t stride) {
    const nnc_conv conv = { .batch = w->batch,
                            .c_in = bands,
                            .c_out = w->layer->hidden,
                            .h_in = frames,
                            .w_in = 1,
                            .h_out = frames / stride,
                            .w_out = 1,
                            .kernel = 3,
                            .stride = stride,
                            .groups = 1,
                            .kernel_w = 1,
                            .needs_grad_input = stride > 1,
                            .keeps_input = stride > 1 };
    nnc_list_conv(&w->to, name, NNC_GROUP_EMBEDDING, &conv, true);
    nnc_list_pointwise(&w->to, "frames.activation", NNC_PW_GELU, NNC_GROUP_EMBEDDING,
                       nnc_list_mul(&w->to, w->batch * conv.h_out, conv.c_out))
        ->u.pointwise.keeps_input = true;
}

/* Appends the input layers for frames of a spectrogram (sound): two convolutions and a table of positions. The second
 * convolution for frames of sound halves the number of frames. */
static void frames(const nnc_layer_writer *w, const nnc_decoder *d) {
    nnc_op_list *list = w->to.list;
    frame_conv(w, "frames.conv1", d->frame_bands, 2 * w->seq_len, 1);
    frame_conv(w, "frames.conv2", d->hidden, 2 * w->seq_len, 2);
    nnc_op *op =
        nnc_list_pointwise(&w->to, "frames.positions", NNC_PW_POSITION_ADD, NNC_GROUP_EMBEDDING, w->hidden_elements);
    op->weights = (nnc_weights){ .count = 1, .rows = w->seq_len, .cols = d->hidden, .table = true };
    list->lookup_params += nnc_list_mul(&w->to, w->seq_len, d->hidden);
    /* the data loader copies the spectrogram to the device as fp32 values */
    list->input_bytes += 4.0 * (double)w->batch * 2.0 * (double)w->seq_len * (double)d->frame_bands;
}

static void write_encoder(const nnc_layer_writer *w, const nnc_decoder *d) {
    const nnc_plan *plan = w->to.how->plan;
    nnc_layer layer = *w->layer;
    layer.causal = false;
    layer.ffn_hidden = d->encoder_ffn_hidden > 0 ? d->encoder_ffn_hidden : d->ffn_hidden;
    nnc_layer_writer one = nnc_layer_begin(&w->to, &layer, w->batch, encoder_len(d, plan));
    if (d->frame_bands > 0) {
        frames(&one, d);
    } else {
        write_embedding(&one, d, true);
        w->to.list->input_bytes += 4.0 * (double)one.tokens;
    }
    if (layer.norm_place != NNC_NORM_POST) { nnc_layer_norm(&one, "encoder.norm", d->hidden); }
    nnc_list_segment(&w->to, d->encoder_layers, true);
    one.to = nnc_list_block(&w->to, d->encoder_layers, one.hidden_elements);
    if (d->positions == NNC_POSITIONS_RELATIVE_EACH) { relative_positions(&one, d); }
    nnc_layer_attention(&one, &nnc_attention_plain, NULL);
    nnc_layer_mlp(&one);
}

static void cross_attention(const nnc_layer_writer *w, const nnc_decoder *d) {
    nnc_layer layer = *w->layer;
    nnc_layer_writer one = *w;
    const nnc_cross cross = { .len = encoder_len(d, w->to.how->plan), .width = d->hidden, .shares = d->layers };
    layer.causal = false;
    layer.window = layer.rotary = 0;
    one.layer = &layer;
    nnc_layer_attention(&one, &cross_names, &cross);
}

/* ---- towers: networks that turn images or sounds into tokens for the decoder [towers] ---- */

/* For a tower that gets no images or sounds in this step: appends an op without work that only counts the parameters of
 * the tower. */
static void idle_tower(const nnc_graph *tower, const nnc_writer *to) {
    nnc_graph_fault fault;
    nnc_graph_sizes sizes = { 0 };
    nnc_graph_measure(tower->net, tower->lets, &sizes, &fault);
    nnc_list_pointwise(to, "tower", NNC_PW_SCALE, NNC_GROUP_EMBEDDING, 0)->weights.vector = sizes.params;
}

static void write_towers(const nnc_model *model, const nnc_writer *to) {
    const int64_t images = model->decoder.tower_inputs;
    const int32_t first = to->list->count;
    for (int32_t i = 0; i < model->tower_count; i++) {
        if (images == 0) {
            idle_tower(&model->towers[i], to);
        } else {
            nnc_graph_write_part(&model->towers[i], to, nnc_list_mul(to, to->how->plan->micro_batch, images));
        }
    }
    for (int32_t i = first; i < to->list->count; i++) { to->list->ops[i].tower = true; }
}

/* ---- the layers of a decoder ---- */

/* A kind of layers: the layers that have the same mixer and the same kind of MLP. count: number of layers of this kind;
 * width: width of a dense MLP; reuses_kv: the layers attend to the keys and values of an earlier layer. */
typedef struct kind {
    nnc_mixer mixer;
    nnc_mlp_kind mlp;
    int64_t count, width;
    bool reuses_kv;
} kind;

/* Returns the shape of a layer with a given mixer. Members of the shape that do not depend on the mixer are copied from
 * `any`. */
static nnc_layer layer_of_mixer(const nnc_layer *any, const nnc_decoder *d, nnc_mixer mixer) {
    nnc_layer layer = *any;
    const bool window = mixer == NNC_MIXER_WINDOW;
    const bool far = mixer == NNC_MIXER_FAR || mixer == NNC_MIXER_FAR_PICKED;
    layer.window = window || far || mixer == NNC_MIXER_CHUNK ? d->sliding_window
                   : mixer == NNC_MIXER_ALL                  ? 0
                                                             : d->index_topk;
    layer.far_ratio = !far ? 0 : mixer == NNC_MIXER_FAR ? d->compress_ratio : d->index_ratio;
    layer.far_most = mixer == NNC_MIXER_FAR_PICKED ? d->index_topk : 0;
    layer.chunked = mixer == NNC_MIXER_CHUNK;
    layer.rotary = mixer == NNC_MIXER_UNROTATED ? 0 : layer.rotary;
    layer.sinks = window || !d->window_sinks ? layer.sinks : false;
    layer.keys_as_values = d->keys_as_values && !window;
    layer.heads = window && d->window_heads > 0 ? d->window_heads : layer.heads;
    layer.kv_heads = window && d->window_kv_heads > 0 ? d->window_kv_heads : layer.kv_heads;
    if (window && d->window_head_dim > 0) {
        layer.head_dim = layer.value_dim = d->window_head_dim;
        layer.rotary = layer.rotary > 0 ? d->window_head_dim : 0;
    }
    return layer;
}

static const char *const attention_streams[] = { "attn.stream_weights", "attn.streams_in", "attn.streams_out" };
static const char *const mlp_streams[] = { "mlp.stream_weights", "mlp.streams_in", "mlp.streams_out" };

/* Returns the number of elements that a layer passes to the next layer, which is the sum over all its residual
 * streams. */
static int64_t stream_elements(const nnc_layer_writer *w, const nnc_decoder *d) {
    const int64_t streams = d->altup_inputs > 1 ? d->altup_inputs : d->streams;
    return nnc_list_mul(&w->to, w->hidden_elements, streams > 1 ? streams : 1);
}

static void block(const nnc_layer_writer *w, const nnc_decoder *d, const kind *k) {
    nnc_layer layer = layer_of_mixer(w->layer, d, k->mixer);
    nnc_layer_writer one = *w;
    layer.ffn_hidden = k->width;
    layer.reuses_kv = k->reuses_kv;
    one.layer = &layer;
    one.to = nnc_list_block(&w->to, k->count, stream_elements(w, d));
    if (d->residual_block > 0) { nnc_decoder_read_blocks(&one, d, NNC_GROUP_ATTENTION); }
    if (d->altup_inputs > 1) { nnc_decoder_predict_streams(&one, d); }
    nnc_decoder_keep_state(&one, d, k->mixer);
    if (nnc_mixer_attends(k->mixer)) {
        if (d->streams > 1) { nnc_decoder_streams(&one, d, attention_streams); }
        nnc_layer_begin_norm(&one, nnc_attention_plain.norm);
        if (d->shared_keys) {
            nnc_decoder_project_shared(&one, d, k->mixer);
        } else if (is_latent(d)) {
            nnc_decoder_project_latent(&one, d);
        } else {
            nnc_layer_project(&one, &nnc_attention_plain, NULL);
        }
        if (d->index_heads > 0 && k->mixer == NNC_MIXER_FULL && !d->shared_keys) { nnc_decoder_pick_tokens(&one, d); }
        nnc_layer_attend(&one, &nnc_attention_plain, NULL);
    }
    if (d->laurel_rank > 0) { nnc_decoder_add_laurel(&one, d); }
    if (d->positions == NNC_POSITIONS_RELATIVE_EACH) {
        relative_positions(&one, d);
    } else if (d->positions == NNC_POSITIONS_DISENTANGLED) {
        distance_scores(&one, d);
    }
    if (d->encoder_layers > 0) { cross_attention(&one, d); }
    if (d->streams > 1 && k->mlp != NNC_LAYER_NO_MLP) { nnc_decoder_streams(&one, d, mlp_streams); }
    if (d->residual_block > 0 && k->mlp != NNC_LAYER_NO_MLP) { nnc_decoder_read_blocks(&one, d, NNC_GROUP_MLP); }
    if (k->mlp == NNC_LAYER_EXPERTS) {
        nnc_decoder_experts(&one, d);
    } else if (k->mlp == NNC_LAYER_DENSE) {
        nnc_layer_mlp(&one);
    }
    if (d->altup_inputs > 1) { nnc_decoder_correct_streams(&one, d); }
    if (d->layer_input_width > 0) { nnc_decoder_add_input(&one, d); }
}

static void layers(const nnc_layer_writer *w, const nnc_decoder *d, const kind *k) {
    nnc_list_segment(&w->to, k->count, true);
    block(w, d, k);
}

/* For a network whose layers all share the weights of the first layer: appends the layers of a kind after the first
 * layer, with weights of 0 elements, because the first layer already counts the weights. */
static void again(nnc_op_list *list, const nnc_decoder *d, const nnc_layer_writer *w, const kind *k) {
    const int32_t first = list->count;
    layers(w, d, k);
    for (int32_t i = first; i < list->count; i++) { list->ops[i].weights = (nnc_weights){ 0 }; }
}

/* Appends the modules for multi-token prediction; each module predicts one further token. A module normalises the
 * residual stream and the embedding of the next token, and a linear layer projects both together to the width of the
 * stream. A layer of the same kind as the model's last layer follows; the model's head then computes the logits.
 * Source: arXiv:2412.19437, section 2.2. [next-tokens] */
static void further_tokens(const nnc_layer_writer *w, const nnc_decoder *d) {
    const kind last = { mixer_of(d, d->layers - 1), mlp_of(d, d->layers - 1), d->next_layers,
                        width_of(d, d->layers - 1), false };
    nnc_layer_writer all = *w;
    all.to.repeat = d->next_layers;
    nnc_list_segment(&w->to, 1, false);
    write_embedding(&all, d, true);
    nnc_layer_norm(&all, "next.token_norm", d->hidden);
    nnc_layer_norm(&all, "next.norm", d->hidden);
    nnc_op *concat = nnc_list_pointwise(&all.to, "next.concat", NNC_PW_CONCAT, NNC_GROUP_MLP, 2 * w->hidden_elements);
    concat->split = NNC_SPLIT_SEQUENCE;
    nnc_layer_linear(&all, "next.project", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE, d->hidden, 2 * d->hidden, false);
    block(&all, d, &last);
    const int32_t head = w->to.list->count;
    write_head(&all, d);
    for (int32_t i = head; i < w->to.list->count; i++) {
        nnc_weights *weights = &w->to.list->ops[i].weights;
        weights->count = weights->table ? 0 : weights->count;
    }
    w->to.list->next_layers = d->next_layers;
}

enum { KINDS_MAX = NNC_SEGMENTS_MAX - 3 };

/* Finds the kinds of layers in the order in which they first occur, and returns the number of kinds. If layers of
 * different kinds alternate, writes the segment of each layer to list->mixed. If there are more than KINDS_MAX kinds,
 * sets list->truncated. */
static int32_t kinds_of(const nnc_decoder *d, nnc_op_list *list, kind kinds[KINDS_MAX]) {
    int32_t count = 0;
    if (d->mixers_count <= 1 && d->mlps_count <= 1 && d->ffn_widths_count <= 1 && d->reused_kv_layers == 0) {
        const bool same_mlp = d->experts == 0 || d->mlps_count > 0;
        const int64_t first = same_mlp ? d->layers : d->dense_layers;
        const kind runs[] = { { mixer_of(d, 0), mlp_of(d, 0), first, width_of(d, 0), false },
                              { mixer_of(d, 0), NNC_LAYER_EXPERTS, d->layers - first, 0, false } };
        for (int i = 0; i < 2; i++) {
            if (runs[i].count > 0) { kinds[count++] = runs[i]; }
        }
        return count;
    }
    for (int64_t layer = 0; layer < d->layers && layer < NNC_MIXED_LAYERS_MAX; layer++) {
        const kind k = { mixer_of(d, layer), mlp_of(d, layer), 0, width_of(d, layer), reuses_kv(d, layer) };
        int32_t i = 0;
        while (i < count && (kinds[i].mixer != k.mixer || kinds[i].mlp != k.mlp || kinds[i].width != k.width ||
                             kinds[i].reuses_kv != k.reuses_kv)) {
            i++;
        }
        if (i == KINDS_MAX) {
            list->truncated = true;
            return count;
        }
        if (i == count) { kinds[count++] = k; }
        kinds[i].count++;
        /* segment 0 has the embedding, so layers of kind i are in segment i + 1 */
        list->mixed[list->mixed_count++] = (uint8_t)(i + 1);
    }
    return count;
}

static void lower(const nnc_model *model, const nnc_writer *to) {
    const nnc_decoder *d = &model->decoder;
    nnc_layer layer = layer_of(d);
    layer.dropout = nnc_list_dropout(to->list, layer.dropout);
    const nnc_plan *plan = to->how->plan;
    const nnc_layer_writer w = nnc_layer_begin(to, &layer, plan->micro_batch, plan->seq_len);
    const double token_id_bytes = 4.0; /* the data loader copies token ids to the device as int32 values of 4 bytes */
    to->list->tokens = w.tokens;
    to->list->input_bytes = token_id_bytes * (double)w.tokens;
    to->list->stream_elements = stream_elements(&w, d);

    kind kinds[KINDS_MAX];
    const int32_t kind_count = kinds_of(d, to->list, kinds);
    nnc_list_segment(to, 1, false);
    write_towers(model, to);
    write_embedding(&w, d, false);
    if (d->layer_input_width > 0) { nnc_decoder_embed_inputs(&w, d); }
    if (d->altup_inputs > 1) { nnc_decoder_project_streams(&w, d, false); }
    if (d->encoder_layers > 0) { write_encoder(&w, d); }
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
    if (plan->next_tokens) { further_tokens(&w, d); }
    nnc_list_segment(to, 1, false);
    write_head(&w, d);
}

static nnc_status resolve(const nnc_model *model, nnc_plan *p, nnc_error *err) {
    const nnc_decoder *d = &model->decoder;
    const int64_t positions = d->positions_max > 0 ? d->positions_max : d->seq_len;
    const bool plain = !nnc_mlp_gated(d->mlp) && d->head == NNC_HEAD_LOGITS && !d->bidirectional &&
                       d->norm_place == NNC_NORM_PRE && d->encoder_layers == 0 && d->mixers_count == 0 &&
                       d->mlps_count == 0 && d->reused_kv_layers == 0;
    if (p->image > 0) { return nnc_fail(err, NNC_ILLEGAL_PLAN, "--image", "a decoder takes tokens, not images"); }
    if (p->next_tokens && (d->next_layers == 0 || d->head != NNC_HEAD_LOGITS)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--next-tokens",
                        "expected a model with next_layers and a head of words, found %" PRId64
                        " layers that predict later tokens",
                        d->next_layers);
    }
    p->seq_len = p->seq_len > 0 ? p->seq_len : d->seq_len;
    if (nnc_positions_learned(d->positions) && p->seq_len > positions) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--seq-len",
                        "longer than the position table, expected at most %" PRId64 ", found %" PRId64, positions,
                        p->seq_len);
    }
    if (p->activations != NNC_ACTIVATIONS_KORTHIKANTI) { return NNC_OK; }
    if (!(plain && d->ffn_hidden == 4 * d->hidden && d->kv_heads == d->heads)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--activations",
                        "the korthikanti formula counts a GPT layer (plain MLP of 4 x hidden, as "
                        "many key as query heads), expected per-op for this model");
    }
    if (p->precision != NNC_BF16 && p->precision != NNC_FP16) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--activations",
                        "the korthikanti formula counts 16-bit activations, found %s", nnc_dtype_name(p->precision));
    }
    return NNC_OK;
}

/* For layers whose mixer keeps a state: checks the rules for context ranks and tensor ranks. */
static nnc_status split_states(const nnc_decoder *d, const nnc_plan *p, nnc_error *err) {
    if (p->context > 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--context",
                        "a recurrent state passes through all tokens of a sequence, so a sequence cannot be divided, "
                        "expected 1, found %" PRId32,
                        p->context);
    }
    NNC_TRY(nnc_divides("--tensor", "ssm_inner", d->ssm_inner, p->tensor, err));
    NNC_TRY(nnc_divides("--tensor", "ssm_heads", d->ssm_heads, p->tensor, err));
    NNC_TRY(nnc_divides("--tensor", "ssm_groups", d->ssm_groups, p->tensor, err));
    return nnc_divides("--tensor", "hidden", d->hidden, p->tensor, err);
}

static nnc_status split(const nnc_model *model, const nnc_plan *p, nnc_error *err) {
    const nnc_decoder *d = &model->decoder;
    const nnc_layer layer = layer_of(d);
    const int64_t t = p->tensor;
    const bool pooled = d->head == NNC_HEAD_POOLER || d->head == NNC_HEAD_PROJECTION || d->head == NNC_HEAD_CLASSES ||
                        d->head == NNC_HEAD_MASKED_NEXT;
    if (d->encoder_layers > 0 && p->pipeline > 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "an encoder-decoder has no pipeline stages, expected 1, found %" PRId32, p->pipeline);
    }
    if ((d->reused_kv_layers > 0 || d->layer_input_width > 0) && p->pipeline > 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "later layers read keys and values of earlier layers or inputs from the embedding, so the "
                        "model cannot be divided into stages, expected 1, found %" PRId32,
                        p->pipeline);
    }
    const bool whole = d->encoder_layers > 0 || pooled || d->index_heads > 0 || d->shared_keys || d->tower_inputs > 0 ||
                       d->positions == NNC_POSITIONS_DISENTANGLED;
    if (whole && p->context > 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--context",
                        "an encoder, a tower, an indexer or the head reads all tokens at once, so a sequence cannot be "
                        "divided, expected 1, found %" PRId32,
                        p->context);
    }
    for (int32_t i = 0; i < d->mixers_count; i++) {
        if (!nnc_mixer_attends(d->mixers[i]) && d->mixers[i] != NNC_MIXER_NONE) { NNC_TRY(split_states(d, p, err)); }
    }
    for (int32_t i = 0; i < d->ffn_widths_count; i++) {
        NNC_TRY(nnc_divides("--tensor", "ffn_widths", d->ffn_widths[i], t, err));
    }
    if (d->heads > 0) { NNC_TRY(nnc_layer_split_context(&layer, p, p->seq_len, err)); }
    const nnc_layer window = layer_of_mixer(&layer, d, NNC_MIXER_WINDOW);
    NNC_TRY(nnc_layer_split_tensor(&layer, p, err));
    NNC_TRY(nnc_layer_split_tensor(&window, p, err));
    NNC_TRY(nnc_divides("--tensor", "out_groups", d->out_groups, t, err));
    NNC_TRY(nnc_divides("--tensor", "expert_hidden", d->expert_hidden, t, err));
    NNC_TRY(nnc_divides("--tensor", "shared_hidden", d->shared_hidden, t, err));
    return nnc_layer_split_sequence(p, p->micro_batch * p->seq_len, err);
}

static nnc_model_sizes sizes(const nnc_model *model) {
    const nnc_decoder *d = &model->decoder;
    return (nnc_model_sizes){ .layers = d->encoder_layers + d->layers,
                              .hidden = d->hidden,
                              .seq_len = d->seq_len,
                              .vocab = nnc_vocab_rows(d),
                              .experts = d->experts };
}

static void describe(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT]) {
    const nnc_decoder *d = &model->decoder;
    char before[32] = "";
    if (d->encoder_layers > 0) { snprintf(before, sizeof before, "%" PRId64 " + ", d->encoder_layers); }
    snprintf(shape, NNC_SHAPE_TEXT, "%s%" PRId64 " layers, hidden %" PRId64, before, d->layers, d->hidden);
    snprintf(input, NNC_SHAPE_TEXT, "%" PRId64 " tokens", d->seq_len);
}

const nnc_family_row nnc_decoder_family = {
    .sizes = sizes,
    .resolve = resolve,
    .split = split,
    .lower = lower,
    .describe = describe,
};
