/* Where tokens enter a transformer, and what its states are trained for. */
#include "base/names.h"
#include "base/number.h"
#include "shape/decoder.h"

/* Width of the tables, and of the head that shares one. */
static int64_t table_width(const nnc_decoder *d)
{
    return d->embed_width > 0 ? d->embed_width : d->hidden;
}

/* Of the states that the head works on: a decoder with narrow tables narrows them again (OPT-350M). */
static int64_t state_width(const nnc_decoder *d)
{
    return d->bidirectional ? d->hidden : table_width(d);
}

static int64_t table_rows(const nnc_layer_writer *w, const nnc_decoder *d)
{
    return nnc_vocab_split(nnc_vocab_rows(d), w->to.how->plan->tensor);
}

/* Does the head choose out of the vocabulary? */
static bool has_words(const nnc_decoder *d)
{
    return d->head == NNC_HEAD_LOGITS || d->head == NNC_HEAD_MASKED ||
           d->head == NNC_HEAD_MASKED_NEXT;
}

void nnc_decoder_relative(const nnc_layer_writer *w, const nnc_decoder *d)
{
    nnc_op *op = nnc_list_add(&w->to, "attn.relative", NNC_OP_EMBEDDING, NNC_GROUP_ATTENTION);
    op->weights =
        (nnc_weights){ .count = 1, .rows = d->relative_buckets, .cols = d->heads, .table = true };
    op->u.embedding = (nnc_embedding){ .tokens = nnc_list_mul(&w->to, w->seq_len, w->seq_len),
                                       .width = d->heads };
    w->to.list->lookup_params +=
        nnc_list_mul(&w->to, nnc_list_mul(&w->to, d->relative_buckets, d->heads), w->to.repeat);
}

/* Distances forth and back, and the norm over their table. */
static void distances(const nnc_layer_writer *w, const nnc_decoder *d)
{
    const int64_t rows = 2 * d->relative_buckets;
    nnc_op *op = nnc_list_norm(&w->to, "embed.distances", d->norm,
                               nnc_list_mul(&w->to, rows, d->hidden), rows, 2 * d->hidden);
    op->weights = (nnc_weights){
        .count = 1, .rows = rows, .cols = d->hidden, .vector = 2 * d->hidden, .table = true
    };
    w->to.list->lookup_params += nnc_list_mul(&w->to, rows, d->hidden);
}

void nnc_decoder_distances(const nnc_layer_writer *w, const nnc_decoder *d)
{
    static const char *const names[] = { "attn.distance_k", "attn.distance_q" };
    static const char *const scores[] = { "attn.content_to_distance", "attn.distance_to_content" };
    const int64_t rows = 2 * d->relative_buckets, inner = d->heads * d->head_dim;
    for (int i = 0; i < 2; i++) {
        nnc_op *linear = nnc_list_linear(&w->to, names[i], NNC_GROUP_ATTENTION, NNC_SPLIT_COLUMN,
                                         rows, inner, d->hidden, false);
        linear->weights = (nnc_weights){ 0 }; /* those of the tokens */
        nnc_op *op = nnc_list_add(&w->to, scores[i], NNC_OP_MATMUL, NNC_GROUP_ATTENTION);
        op->split = NNC_SPLIT_HEADS;
        op->u.matmul = (nnc_matmul){ .batch = nnc_list_mul(&w->to, w->batch, d->heads),
                                     .m = w->seq_len,
                                     .n = rows,
                                     .k = d->head_dim,
                                     .b_shared = w->batch,
                                     .heads = d->heads,
                                     .kv_heads = d->heads,
                                     .kept_divisor = 1,
                                     .needs_grad_input = true,
                                     .keeps_b = true };
    }
}

/* From the width of the tables to that of the stream. */
static void project(const nnc_layer_writer *w, const nnc_decoder *d)
{
    if (table_width(d) != d->hidden) {
        nnc_layer_linear(w, "embed.project", NNC_GROUP_EMBEDDING, NNC_SPLIT_SEQUENCE, d->hidden,
                         table_width(d), d->bidirectional);
    }
}

void nnc_decoder_embedding(const nnc_layer_writer *w, const nnc_decoder *d, bool again)
{
    nnc_op_list *list = w->to.list;
    const int64_t vocab = table_rows(w, d);
    int64_t width = table_width(d);
    nnc_op *op = nnc_list_add(&w->to, "embed.tokens", NNC_OP_EMBEDDING, NNC_GROUP_EMBEDDING);
    op->split = NNC_SPLIT_VOCAB;
    op->weights =
        (nnc_weights){ .count = again ? 0 : 1, .rows = vocab, .cols = width, .table = true };
    op->u.embedding = (nnc_embedding){ .tokens = w->tokens, .width = width };
    nnc_layer_tensor_exchange(w, "embed.tensor", false, width);

    if (!d->bidirectional) { /* only the table of words is narrow */
        project(w, d);
        width = d->hidden;
    }
    const int64_t elements = nnc_list_mul(&w->to, w->tokens, width);
    if (nnc_positions_learned(d->positions)) {
        const int64_t rows = d->positions_max > 0 ? d->positions_max : d->seq_len;
        op = nnc_list_pointwise(&w->to, "embed.positions", NNC_PW_POSITION_ADD, NNC_GROUP_EMBEDDING,
                                elements);
        op->split = NNC_SPLIT_SEQUENCE;
        op->weights = (nnc_weights){ .count = 1, .rows = rows, .cols = width, .table = true };
        op->u.pointwise.extra_kept_bytes = 8.0 * (double)w->seq_len; /* position ids, int64 */
        list->lookup_params += nnc_list_mul(&w->to, rows, width);
    }
    if (d->token_types > 0) {
        op = nnc_list_pointwise(&w->to, "embed.types", NNC_PW_POSITION_ADD, NNC_GROUP_EMBEDDING,
                                elements);
        op->split = NNC_SPLIT_SEQUENCE;
        op->weights =
            (nnc_weights){ .count = 1, .rows = d->token_types, .cols = width, .table = true };
        op->u.pointwise.extra_kept_bytes = 8.0 * (double)w->tokens; /* type ids, int64 */
        list->lookup_params += nnc_list_mul(&w->to, d->token_types, width);
    }
    if (d->positions == NNC_POSITIONS_RELATIVE || d->positions == NNC_POSITIONS_LEARNED_RELATIVE) {
        nnc_decoder_relative(w, d);
    } else if (d->positions == NNC_POSITIONS_DISENTANGLED) {
        distances(w, d);
    }
    if ((d->tied_head && has_words(d)) || again) { /* what is looked up again, at the other end */
        list->tied_rows = vocab;
        list->tied_cols = table_width(d);
    } else {
        list->lookup_params += nnc_list_mul(&w->to, vocab, table_width(d));
    }
    if (d->embed_norm) {
        nnc_layer_norm(w, "embed.norm", width);
    }
    if (d->bidirectional) {
        project(w, d);
    }
    nnc_layer_dropout(w, "embed.dropout", NNC_GROUP_EMBEDDING);
}

/* ---- heads ---- */

static void words(const nnc_layer_writer *w, const nnc_decoder *d)
{
    const nnc_plan *plan = w->to.how->plan;
    const int64_t vocab = table_rows(w, d);
    const int64_t width = table_width(d);
    nnc_layer_tensor_exchange(w, "head.tensor_in", true, width);
    nnc_op *logits = nnc_layer_linear(w, "head.logits", NNC_GROUP_HEAD, NNC_SPLIT_COLUMN, vocab,
                                      width, d->head_bias);
    logits->weights.table = true;
    logits->weights.count = d->tied_head ? 0 : 1; /* a tied table is counted as the embedding */
    if (d->logit_softcap) {
        nnc_list_pointwise(&w->to, "head.softcap", NNC_PW_SOFTCAP, NNC_GROUP_HEAD,
                           nnc_list_mul(&w->to, w->tokens, vocab))
            ->split = NNC_SPLIT_INNER;
    }
    nnc_list_loss(&w->to, w->tokens, vocab)->split = NNC_SPLIT_VOCAB;
    if (plan->tensor > 1) { /* maximum, sum and target logit of each token, in fp32 */
        const nnc_exchange e = { .comm = NNC_COMM_TENSOR,
                                 .forward = NNC_ALL_REDUCE,
                                 .bytes = 4.0 * (double)w->tokens / (double)plan->context,
                                 .count = 3.0 };
        nnc_list_exchange(&w->to, "loss.tensor", e);
    }
}

/* An encoder without biases (ModernBERT) has a dense layer without one, and a norm, before all classes. */
static bool has_bare_head(const nnc_decoder *d)
{
    return d->bidirectional && !d->biases;
}

/* A dense layer over `rows` tokens, and its activation. */
static void dense(const nnc_layer_writer *w, const nnc_decoder *d, int64_t rows, int64_t width)
{
    nnc_list_linear(&w->to, "head.dense", NNC_GROUP_HEAD, NNC_SPLIT_SEQUENCE, rows, width,
                    d->hidden,
                    d->biases || d->head == NNC_HEAD_REPLACED ||
                        (d->head == NNC_HEAD_CLASSES && !has_bare_head(d)));
    nnc_op *act = nnc_list_pointwise(&w->to, "head.activation", NNC_PW_GELU, NNC_GROUP_HEAD,
                                     nnc_list_mul(&w->to, rows, width));
    act->split = NNC_SPLIT_SEQUENCE;
    act->u.pointwise.keeps_input = true;
}

/* Compares values with a target of the same size. */
static void distance(const nnc_layer_writer *w, int64_t rows, int64_t width)
{
    nnc_list_loss(&w->to, rows, width)->u.loss.squared_error = true;
}

static void masked(const nnc_layer_writer *w, const nnc_decoder *d)
{
    const int64_t width = table_width(d);
    nnc_layer_writer some = *w; /* the masked positions alone */
    if (d->head_share > 0.0) {
        some.tokens = (int64_t)nnc_ceil((double)w->tokens * d->head_share);
    }
    dense(&some, d, some.tokens, width);
    nnc_layer_norm(&some, "head.dense_norm", width);
    words(&some, d);
}

static void replaced(const nnc_layer_writer *w, const nnc_decoder *d)
{
    dense(w, d, w->tokens, d->hidden);
    nnc_layer_linear(w, "head.logits", NNC_GROUP_HEAD, NNC_SPLIT_SEQUENCE, 1, d->hidden, true);
    distance(w, w->tokens, 1);
}

/* Of one token of each sequence. Source: BERT, arXiv:1810.04805, sections 3.1 and 4.1. */
static void choose(const nnc_layer_writer *w, const nnc_decoder *d, int64_t classes)
{
    dense(w, d, w->batch, d->hidden);
    if (has_bare_head(d)) {
        nnc_layer_writer one = *w;
        one.tokens = w->batch;
        nnc_layer_norm(&one, "head.dense_norm", d->hidden);
    }
    nnc_list_linear(&w->to, "head.classes", NNC_GROUP_HEAD, NNC_SPLIT_SEQUENCE, w->batch, classes,
                    d->hidden, true);
    nnc_list_loss(&w->to, w->batch, classes);
}

static void classes(const nnc_layer_writer *w, const nnc_decoder *d)
{
    choose(w, d, d->head_width);
}

static void masked_next(const nnc_layer_writer *w, const nnc_decoder *d)
{
    masked(w, d);
    choose(w, d, 2);
}

static void tags(const nnc_layer_writer *w, const nnc_decoder *d)
{
    if (has_bare_head(d)) {
        dense(w, d, w->tokens, d->hidden);
        nnc_layer_norm(w, "head.dense_norm", d->hidden);
    }
    nnc_layer_linear(w, "head.classes", NNC_GROUP_HEAD, NNC_SPLIT_SEQUENCE, d->head_width,
                     state_width(d), true);
    nnc_list_loss(&w->to, w->tokens, d->head_width);
}

static void pooler(const nnc_layer_writer *w, const nnc_decoder *d)
{
    dense(w, d, w->batch, d->hidden);
    distance(w, w->batch, d->hidden);
}

static void projection(const nnc_layer_writer *w, const nnc_decoder *d)
{
    nnc_list_linear(&w->to, "head.project", NNC_GROUP_HEAD, NNC_SPLIT_TOKENS, w->batch,
                    d->head_width, state_width(d), false);
    distance(w, w->batch, d->head_width);
}

static void states(const nnc_layer_writer *w, const nnc_decoder *d)
{
    distance(w, w->tokens, state_width(d));
}

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

void nnc_decoder_head(const nnc_layer_writer *w, const nnc_decoder *d)
{
    if (d->norm_place != NNC_NORM_POST) {
        nnc_layer_norm(w, "head.norm", d->hidden);
    }
    if (state_width(d) != d->hidden) {
        nnc_layer_linear(w, "head.project", NNC_GROUP_HEAD, NNC_SPLIT_SEQUENCE, state_width(d),
                         d->hidden, false);
    }
    (*heads[d->head])(w, d);
}
