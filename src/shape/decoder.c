#include "shape/decoder.h"

#include "base/number.h"
#include "op/work.h"

int64_t nnc_vocab_rows(const nnc_decoder *decoder)
{
    return nnc_ceil_div(decoder->vocab, decoder->vocab_multiple) * decoder->vocab_multiple;
}

bool nnc_decoder_recomputes(const nnc_decoder_writer *w, nnc_recompute what)
{
    return (w->how->plan->recompute & what) != 0;
}

nnc_op *nnc_decoder_norm(const nnc_decoder_writer *w, const char *name, int64_t width)
{
    const nnc_decoder *d = w->d;
    const bool bias = d->norm == NNC_NORM_LAYER && d->biases;
    nnc_op *op =
        nnc_list_norm(w->list, w->how, name, d->norm, nnc_list_mul(w->list, w->tokens, width, 1, 1),
                      w->tokens, width * (bias ? 2 : 1), w->layers, w->block);
    op->split = NNC_SPLIT_SEQUENCE;
    op->recomputed = w->block >= 0 && nnc_decoder_recomputes(w, NNC_RECOMPUTE_NORM);
    return op;
}

nnc_op *nnc_decoder_linear(const nnc_decoder_writer *w, const char *name, nnc_group group,
                           nnc_split split, int64_t n, int64_t k, bool bias)
{
    nnc_op *op =
        nnc_list_linear(w->list, w->how, name, group, w->tokens, n, k, bias, w->layers, w->block);
    op->split = split;
    if (w->how->linear_dtype != w->how->dtype && w->block >= 0) {
        op[-1].split = split; /* the cast in front of it */
    }
    return op;
}

void nnc_decoder_tensor_exchange(const nnc_decoder_writer *w, const char *name, bool entering,
                                 int64_t width)
{
    const nnc_plan *plan = w->how->plan;
    nnc_exchange e = { .comm = NNC_COMM_TENSOR };
    if (plan->tensor == 1) {
        return;
    }
    e.bytes =
        (double)w->tokens / (double)plan->context * (double)width * nnc_dtype_bytes(w->how->dtype);
    if (plan->sequence_parallel) {
        e.forward = entering ? NNC_ALL_GATHER : NNC_REDUCE_SCATTER;
        e.backward = entering ? NNC_REDUCE_SCATTER : NNC_ALL_GATHER;
        e.backward_again = entering ? NNC_ALL_GATHER : NNC_NO_COLLECTIVE; /* the kept input */
    } else {
        e.forward = entering ? NNC_NO_COLLECTIVE : NNC_ALL_REDUCE;
        e.backward = entering ? NNC_ALL_REDUCE : NNC_NO_COLLECTIVE;
    }
    nnc_list_exchange(w->list, w->how, name, e, w->layers, w->block);
}

/* Joins a branch to the residual stream: dropout and addition in one kernel, or addition alone. */
static void residual(const nnc_decoder_writer *w, const char *name, nnc_group group)
{
    const bool dropout = w->d->dropout > 0.0;
    nnc_op *op = nnc_list_pointwise(w->list, w->how, name,
                                    dropout ? NNC_PW_BIAS_DROPOUT_RESIDUAL : NNC_PW_RESIDUAL, group,
                                    w->hidden_elements, w->layers, w->block);
    op->split = NNC_SPLIT_SEQUENCE;
    op->u.pointwise.fused = w->how->software->fused_residual;
    op->u.pointwise.keeps_mask = dropout;
}

static void embedding(const nnc_decoder_writer *w)
{
    const nnc_decoder *d = w->d;
    nnc_op *op =
        nnc_list_add(w->list, w->how, "embed.tokens", NNC_OP_EMBEDDING, NNC_GROUP_EMBEDDING, 1, -1);
    op->split = NNC_SPLIT_VOCAB;
    op->weights = (nnc_weights){ .count = 1, .rows = w->vocab, .cols = d->hidden, .table = true };
    op->u.embedding = (nnc_embedding){ .tokens = w->tokens, .width = d->hidden };
    nnc_decoder_tensor_exchange(w, "embed.tensor", false, d->hidden);

    if (d->positions == NNC_POSITIONS_LEARNED) {
        const int64_t rows = d->positions_max > 0 ? d->positions_max : d->seq_len;
        op = nnc_list_pointwise(w->list, w->how, "embed.positions", NNC_PW_POSITION_ADD,
                                NNC_GROUP_EMBEDDING, w->hidden_elements, 1, -1);
        op->split = NNC_SPLIT_SEQUENCE;
        op->weights = (nnc_weights){ .count = 1, .rows = rows, .cols = d->hidden, .table = true };
        op->u.pointwise.extra_kept_bytes = 8.0 * (double)w->seq_len; /* position ids, int64 */
        w->list->lookup_params = nnc_list_mul(w->list, rows, d->hidden, 1, 1);
    }
    if (!d->tied_head) {
        w->list->lookup_params += nnc_list_mul(w->list, w->vocab, d->hidden, 1, 1);
    }
    if (d->dropout > 0.0) {
        op = nnc_list_pointwise(w->list, w->how, "embed.dropout", NNC_PW_DROPOUT,
                                NNC_GROUP_EMBEDDING, w->hidden_elements, 1, -1);
        op->split = NNC_SPLIT_SEQUENCE;
        op->u.pointwise.keeps_mask = true;
    }
}

/* Query, key and value of plain heads. */
static void project(const nnc_decoder_writer *w)
{
    const nnc_decoder *d = w->d;
    const int64_t width = d->heads * d->head_dim, kv_width = d->kv_heads * d->head_dim;
    nnc_decoder_tensor_exchange(w, "attn.tensor_in", true, d->hidden);
    nnc_op *qkv = nnc_decoder_linear(w, "attn.qkv", NNC_GROUP_ATTENTION, NNC_SPLIT_QKV,
                                     width + 2 * kv_width, d->hidden, d->biases || d->qkv_bias);
    qkv->u.matmul.keeps_a = !nnc_decoder_recomputes(w, NNC_RECOMPUTE_NORM);
    qkv->u.matmul.heads = d->heads;
    qkv->u.matmul.kv_heads = d->kv_heads;
    if (d->positions == NNC_POSITIONS_ROTARY) {
        nnc_op *rotary = nnc_list_pointwise(
            w->list, w->how, "attn.rotary", NNC_PW_ROTARY, NNC_GROUP_ATTENTION,
            nnc_list_mul(w->list, w->tokens, width + kv_width, 1, 1), w->layers, w->block);
        rotary->split = NNC_SPLIT_INNER;
        rotary->u.pointwise.fused = w->how->software->fused_rotary;
    }
}

static void attention(const nnc_decoder_writer *w)
{
    static const nnc_attention_labels names = { "attn.core",    "attn.scores",  "attn.mask",
                                                "attn.softmax", "attn.dropout", "attn.context" };
    const nnc_decoder *d = w->d;
    const bool latent = d->kv_lora_rank > 0;
    const int64_t head_dim = latent ? d->qk_nope_head_dim + d->qk_rope_head_dim : d->head_dim;
    const int64_t value_dim = latent ? d->v_head_dim : d->head_dim;

    nnc_decoder_norm(w, "attn.norm", d->hidden);
    if (latent) {
        nnc_decoder_project_latent(w);
    } else {
        project(w);
    }
    nnc_decoder_context_exchange(w, "attn.context_in", true, head_dim, value_dim);
    const nnc_attention_shape shape = { .batch = w->batch,
                                        .heads = d->heads,
                                        .kv_heads = latent ? d->heads : d->kv_heads,
                                        .s_q = w->seq_len,
                                        .s_k = w->seq_len,
                                        .head_dim = head_dim,
                                        .value_dim = value_dim,
                                        .window = d->sliding_window,
                                        .causal = true,
                                        .dropout = d->dropout };
    nnc_list_attention(w->list, w->how, &shape, &names, w->layers, w->block);
    nnc_decoder_context_exchange(w, "attn.context_out", false, head_dim, value_dim);
    nnc_decoder_linear(w, "attn.out", NNC_GROUP_ATTENTION, NNC_SPLIT_ROW, d->hidden,
                       d->heads * value_dim, d->biases);
    nnc_decoder_tensor_exchange(w, "attn.tensor_out", false, d->hidden);
    residual(w, "attn.residual", NNC_GROUP_ATTENTION);
}

void nnc_decoder_activation(const nnc_decoder_writer *w, const char *name, nnc_split split,
                            int64_t elements)
{
    static const nnc_pointwise_kind kinds[NNC_MLP_COUNT] = {
        [NNC_MLP_GELU] = NNC_PW_GELU,
        [NNC_MLP_RELU] = NNC_PW_RELU,
        [NNC_MLP_SWIGLU] = NNC_PW_SWIGLU,
        [NNC_MLP_GEGLU] = NNC_PW_GEGLU,
    };
    nnc_op *act = nnc_list_pointwise(w->list, w->how, name, kinds[w->d->mlp], NNC_GROUP_MLP,
                                     elements, w->layers, w->block);
    act->split = split;
    act->recomputed = nnc_decoder_recomputes(w, NNC_RECOMPUTE_ACTIVATION);
    act->u.pointwise.keeps_input = true;
    if (w->gated && !w->how->software->fused_activation) {
        act->u.pointwise.fused = false;
        if (!act->recomputed) { /* the activated gate, an input of the product */
            act->u.pointwise.extra_kept_bytes = (double)elements * nnc_dtype_bytes(w->how->dtype);
        }
    }
}

void nnc_decoder_dense_mlp(const nnc_decoder_writer *w, const char *const names[3], int64_t inner,
                           bool keeps_input)
{
    const nnc_decoder *d = w->d;
    nnc_op *up = nnc_decoder_linear(w, names[0], NNC_GROUP_MLP, NNC_SPLIT_COLUMN,
                                    w->gated ? 2 * inner : inner, d->hidden, d->biases);
    up->u.matmul.keeps_a = keeps_input && !nnc_decoder_recomputes(w, NNC_RECOMPUTE_NORM);
    nnc_decoder_activation(w, names[1], NNC_SPLIT_INNER,
                           nnc_list_mul(w->list, w->tokens, inner, 1, 1));
    nnc_op *down =
        nnc_decoder_linear(w, names[2], NNC_GROUP_MLP, NNC_SPLIT_ROW, d->hidden, inner, d->biases);
    down->u.matmul.keeps_a = !nnc_decoder_recomputes(w, NNC_RECOMPUTE_ACTIVATION);
}

static void mlp(const nnc_decoder_writer *w, bool experts)
{
    const char *const names[3] = { w->gated ? "mlp.gate_up" : "mlp.up", "mlp.activation",
                                   "mlp.down" };
    /* Tokens are divided over the tensor ranks when they go to their experts, so what is gathered is
     * each one's copies, and the tokens themselves for the shared expert. */
    const bool copies = experts && w->how->plan->sequence_parallel;
    const int64_t width =
        copies ? w->d->hidden * (w->d->experts_per_token + (w->d->shared_hidden > 0 ? 1 : 0))
               : w->d->hidden;
    nnc_decoder_norm(w, "mlp.norm", w->d->hidden);
    nnc_decoder_tensor_exchange(w, "mlp.tensor_in", true, width);
    if (experts) {
        nnc_decoder_experts(w);
    } else {
        nnc_decoder_dense_mlp(w, names, w->d->ffn_hidden, true);
    }
    nnc_decoder_tensor_exchange(w, "mlp.tensor_out", false, width);
    residual(w, "mlp.residual", NNC_GROUP_MLP);
}

static void head(const nnc_decoder_writer *w)
{
    const nnc_decoder *d = w->d;
    const nnc_plan *plan = w->how->plan;
    nnc_decoder_norm(w, "head.norm", d->hidden);
    nnc_decoder_tensor_exchange(w, "head.tensor_in", true, d->hidden);
    nnc_op *logits = nnc_list_linear(w->list, w->how, "head.logits", NNC_GROUP_HEAD, w->tokens,
                                     w->vocab, d->hidden, false, 1, -1);
    logits->split = NNC_SPLIT_COLUMN;
    logits->weights.table = true;
    logits->weights.count = d->tied_head ? 0 : 1; /* a tied table is counted as the embedding */
    nnc_op *loss = nnc_list_add(w->list, w->how, "loss", NNC_OP_LOSS, NNC_GROUP_LOSS, 1, -1);
    loss->split = NNC_SPLIT_VOCAB;
    loss->u.loss = (nnc_loss){ .tokens = w->tokens,
                               .classes = w->vocab,
                               .fused = w->how->software->fused_loss,
                               .keep = w->how->software->loss_keep };
    if (plan->tensor > 1) { /* maximum, sum and target logit of each token, in fp32 */
        const nnc_exchange e = { .comm = NNC_COMM_TENSOR,
                                 .forward = NNC_ALL_REDUCE,
                                 .bytes = 4.0 * (double)w->tokens / (double)plan->context,
                                 .count = 3.0 };
        nnc_list_exchange(w->list, w->how, "loss.tensor", e, 1, -1);
    }
}

/* A run of equal layers. */
static void layers(nnc_decoder_writer *w, int64_t count, bool experts)
{
    if (count == 0) {
        return;
    }
    nnc_list_segment(w->list, count, true);
    w->layers = count;
    w->block =
        nnc_list_block(w->list, count, (double)w->hidden_elements * nnc_dtype_bytes(w->how->dtype));
    attention(w);
    mlp(w, experts);
    w->layers = 1;
    w->block = -1;
}

void nnc_decoder_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list)
{
    const nnc_decoder *d = &model->decoder;
    const nnc_plan *plan = how->plan;
    const double token_id_bytes = 4.0; /* a loader moves int32 ids */
    const int64_t dense = d->experts > 0 ? d->dense_layers : d->layers;
    nnc_decoder_writer w = { .d = d,
                             .how = how,
                             .list = list,
                             .batch = plan->micro_batch,
                             .seq_len = plan->seq_len,
                             .layers = 1,
                             .block = -1,
                             .gated = d->mlp == NNC_MLP_SWIGLU || d->mlp == NNC_MLP_GEGLU };
    w.tokens = nnc_list_mul(list, plan->micro_batch, plan->seq_len, 1, 1);
    w.hidden_elements = nnc_list_mul(list, w.tokens, d->hidden, 1, 1);
    w.vocab = nnc_vocab_rows(d);
    list->tokens = w.tokens;
    list->input_bytes = token_id_bytes * (double)w.tokens;

    nnc_list_segment(list, 1, false);
    embedding(&w);
    layers(&w, dense, false);
    layers(&w, d->layers - dense, true);
    nnc_list_segment(list, 1, false);
    head(&w);
}
