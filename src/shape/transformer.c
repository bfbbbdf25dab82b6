#include "shape/transformer.h"

#include "base/names.h"
#include "shape/context.h"

const nnc_attention_names nnc_attention_plain = {
    "attn.norm",
    "attn.tensor_in",
    "attn.qkv",
    NULL,
    "attn.rotary",
    "attn.context_in",
    { "attn.core", "attn.scores", "attn.mask", "attn.softmax", "attn.dropout", "attn.context" },
    "attn.context_out",
    "attn.out",
    "attn.tensor_out",
    "attn.end_norm",
    "attn.residual",
};

static const nnc_pointwise_kind NNC_ROW(NNC_MLP_GELU) = NNC_PW_GELU;
static const nnc_pointwise_kind NNC_ROW(NNC_MLP_RELU) = NNC_PW_RELU;
static const nnc_pointwise_kind NNC_ROW(NNC_MLP_RELU2) = NNC_PW_RELU2;
static const nnc_pointwise_kind NNC_ROW(NNC_MLP_SILU) = NNC_PW_SILU;
static const nnc_pointwise_kind NNC_ROW(NNC_MLP_SWIGLU) = NNC_PW_SWIGLU;
static const nnc_pointwise_kind NNC_ROW(NNC_MLP_GEGLU) = NNC_PW_GEGLU;
static const nnc_pointwise_kind *const activations[] = { NNC_MLP_LIST(NNC_ROW_AT) };

nnc_layer_writer nnc_layer_begin(const nnc_writer *w, const nnc_layer *layer, int64_t batch,
                                 int64_t seq_len)
{
    const int64_t tokens = nnc_list_mul(w, batch, seq_len);
    return (nnc_layer_writer){ .to = *w,
                               .layer = layer,
                               .batch = batch,
                               .seq_len = seq_len,
                               .tokens = tokens,
                               .hidden_elements = nnc_list_mul(w, tokens, layer->hidden) };
}

static int64_t norm_params(const nnc_layer *l, int64_t width)
{
    return l->plain_norms ? 0 : width * (l->norm_bias ? 2 : 1);
}

nnc_op *nnc_layer_norm(const nnc_layer_writer *w, const char *name, int64_t width)
{
    nnc_op *op = nnc_list_norm(&w->to, name, w->layer->norm, nnc_list_mul(&w->to, w->tokens, width),
                               w->tokens, norm_params(w->layer, width));
    op->split = NNC_SPLIT_SEQUENCE;
    return op;
}

void nnc_layer_begin_norm(const nnc_layer_writer *w, const char *name)
{
    const nnc_norm_place place = w->layer->norm_place;
    if (place != NNC_NORM_POST && place != NNC_NORM_BRANCH) {
        nnc_layer_norm(w, name, w->layer->hidden);
    }
}

nnc_op *nnc_layer_linear(const nnc_layer_writer *w, const char *name, nnc_group group,
                         nnc_split split, int64_t n, int64_t k, bool bias)
{
    return nnc_list_linear(&w->to, name, group, split, w->tokens, n, k, bias);
}

/* Dropout and addition in one kernel, or addition alone. */
void nnc_layer_residual(const nnc_layer_writer *w, const char *name, nnc_group group)
{
    nnc_op *op = nnc_list_residual(&w->to, name, group, w->hidden_elements);
    if (w->layer->dropout > 0.0) {
        op->u.pointwise.kind = NNC_PW_BIAS_DROPOUT_RESIDUAL;
        op->u.pointwise.random_written = w->to.how->software->random_written;
        op->u.pointwise.keeps_mask = true;
    }
}

void nnc_layer_join(const nnc_layer_writer *w, const char *norm, const char *name, nnc_group group)
{
    const nnc_norm_place place = w->layer->norm_place;
    if (place == NNC_NORM_BRANCH || place == NNC_NORM_SANDWICH) {
        nnc_layer_norm(w, norm, w->layer->hidden);
    }
    nnc_layer_residual(w, name, group);
    if (place == NNC_NORM_POST) {
        nnc_layer_norm(w, norm, w->layer->hidden);
    }
}

void nnc_layer_dropout(const nnc_layer_writer *w, const char *name, nnc_group group)
{
    if (w->layer->dropout > 0.0) {
        nnc_op *op = nnc_list_pointwise(&w->to, name, NNC_PW_DROPOUT, group, w->hidden_elements);
        op->split = NNC_SPLIT_SEQUENCE;
        op->u.pointwise.keeps_mask = true;
        op->u.pointwise.random_written = w->to.how->software->random_written;
    }
}

/* ---- between ranks ---- */

void nnc_layer_tensor_exchange(const nnc_layer_writer *w, const char *name, bool entering,
                               int64_t width)
{
    const nnc_plan *plan = w->to.how->plan;
    nnc_exchange e = { .comm = NNC_COMM_TENSOR };
    if (plan->tensor == 1) {
        return;
    }
    e.bytes = (double)w->tokens / (double)plan->context * nnc_list_bytes(&w->to, width);
    if (plan->sequence_parallel) {
        e.forward = entering ? NNC_ALL_GATHER : NNC_REDUCE_SCATTER;
        e.backward = entering ? NNC_REDUCE_SCATTER : NNC_ALL_GATHER;
        e.backward_again = entering ? NNC_ALL_GATHER : NNC_NO_COLLECTIVE; /* the kept input */
    } else {
        e.forward = entering ? NNC_NO_COLLECTIVE : NNC_ALL_REDUCE;
        e.backward = entering ? NNC_ALL_REDUCE : NNC_NO_COLLECTIVE;
    }
    nnc_list_exchange(&w->to, name, e);
}

/* Tokens that linear layers read: software may send them as products read them, and gradients; adapters read theirs in
 * 16 bits. What is scattered are sums. */
static void linear_exchange(const nnc_layer_writer *w, const char *name, bool entering,
                            int64_t width)
{
    const nnc_lowering *how = w->to.how;
    const double wide = nnc_dtype_bytes(how->dtype), narrow = nnc_dtype_bytes(how->linear_dtype);
    const bool adapted = entering && how->plan->adapter_rank > 0;
    const int32_t first = w->to.list->count;
    nnc_layer_tensor_exchange(w, name, entering, width);
    if (how->software->narrow_gathers && how->plan->sequence_parallel && narrow < wide &&
        !adapted && w->to.list->count > first) {
        nnc_exchange *e = &w->to.list->ops[first].u.exchange;
        const double sums = e->bytes, tokens = e->bytes / wide * narrow;
        e->bytes = entering ? tokens : sums;
        e->backward_bytes = entering ? sums : tokens;
        e->again_bytes = tokens;
    }
}

int64_t nnc_layer_kv_copies(const nnc_layer_writer *w)
{
    return w->to.how->software->expanded_kv ? w->layer->heads / w->layer->kv_heads : 1;
}

void nnc_layer_context_exchange(const nnc_layer_writer *w, const char *name, bool before)
{
    const nnc_layer *l = w->layer;
    const nnc_plan *plan = w->to.how->plan;
    const double c = plan->context, t = plan->tensor;
    const double keyed = (double)(nnc_layer_kv_copies(w) * l->kv_heads);
    const double kv_heads = keyed > t ? keyed / t : 1.0;
    const double tokens = (double)w->tokens / c; /* of this rank */
    const nnc_context_part part = {
        .ranks = c,
        .query = tokens * (double)l->heads / t * (double)l->head_dim,
        .key_value = tokens * kv_heads * (double)(l->head_dim + l->value_dim),
        .output = tokens * (double)l->heads / t * (double)l->value_dim,
        .bytes = nnc_dtype_bytes(w->to.how->dtype),
    };
    nnc_exchange e = { .comm = NNC_COMM_CONTEXT };
    if (plan->context == 1) {
        return;
    }
    nnc_context_of(plan)->exchange(&part, before, &e);
    if (e.forward != NNC_NO_COLLECTIVE) {
        nnc_list_exchange(&w->to, name, e);
    }
}

/* ---- attention ---- */

void nnc_layer_rotary(const nnc_layer_writer *w, const char *name, int64_t width)
{
    nnc_op *rotary = nnc_list_pointwise(&w->to, name, NNC_PW_ROTARY, NNC_GROUP_ATTENTION,
                                        nnc_list_mul(&w->to, w->tokens, width));
    rotary->split = NNC_SPLIT_INNER;
    const nnc_software *software = w->to.how->software;
    rotary->u.pointwise.fused =
        software->fused_rotary && (software->fused_rotary_scale || !w->layer->rotary_scale);
}

/* Of the queries or the keys. Source: arXiv:2302.05442, section 2.   [qk-norm] */
static void head_norm(const nnc_layer_writer *w, const char *name, int64_t heads)
{
    const nnc_layer *l = w->layer;
    const int64_t width = heads * l->head_dim, rows = nnc_list_mul(&w->to, w->tokens, heads);
    const bool across = l->qk_norm == NNC_QK_NORM_PROJECTION;
    const int64_t params = across                           ? width
                           : l->qk_norm == NNC_QK_NORM_HEAD ? norm_params(l, l->head_dim)
                                                            : 0;
    nnc_op *op = nnc_list_norm(&w->to, name, l->norm, nnc_list_mul(&w->to, w->tokens, width),
                               across ? w->tokens : rows, params);
    op->split = NNC_SPLIT_INNER;
    op->u.norm.across_heads = across;
}

void nnc_layer_project(const nnc_layer_writer *w, const nnc_attention_names *names,
                       const nnc_cross *cross)
{
    const nnc_layer *l = w->layer;
    const int64_t q_heads = l->attention_gate ? 2 * l->heads : l->heads;
    const int64_t width = q_heads * l->head_dim, kv_width = l->kv_heads * l->head_dim;
    linear_exchange(w, names->tensor_in, true, l->hidden);
    nnc_op *q =
        nnc_layer_linear(w, names->q, NNC_GROUP_ATTENTION, NNC_SPLIT_QKV,
                         cross != NULL ? width : width + 2 * kv_width, l->hidden, l->qkv_bias);
    q->weights.vector -= l->no_key_bias && q->weights.vector > 0 && cross == NULL ? kv_width : 0;
    q->u.matmul.heads = q_heads;
    q->u.matmul.kv_heads = cross != NULL ? 0 : l->kv_heads;
    q->u.matmul.keeps_a = !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
    if (cross != NULL) {
        nnc_op *kv = nnc_list_linear(&w->to, names->kv, NNC_GROUP_ATTENTION, NNC_SPLIT_QKV,
                                     nnc_list_mul(&w->to, w->batch, cross->len), 2 * kv_width,
                                     cross->width, l->qkv_bias);
        kv->u.matmul.kv_heads = l->kv_heads;
        kv->u.matmul.needs_grad_input = !cross->frozen;
        kv->u.matmul.keeps_a = cross->shares > 0;
        kv->u.matmul.kept_divisor = cross->shares > 0 ? cross->shares : 1;
        kv->weights.vector -= l->no_key_bias && kv->weights.vector > 0 ? kv_width : 0;
    }
    if (l->qk_norm != NNC_QK_NORM_NONE) {
        head_norm(w, "attn.q_norm", l->heads);
        head_norm(w, "attn.k_norm", l->kv_heads);
    }
    if (l->rotary > 0) {
        nnc_layer_rotary(w, names->rotary, (l->heads + l->kv_heads) * l->rotary);
    }
}

void nnc_layer_attend(const nnc_layer_writer *w, const nnc_attention_names *names,
                      const nnc_cross *cross)
{
    const nnc_layer *l = w->layer;
    nnc_layer_context_exchange(w, names->context_in, true);
    nnc_layer_core(w, &names->core, cross != NULL ? cross->len : w->seq_len);
    nnc_layer_context_exchange(w, names->context_out, false);
    if (l->attention_gate) { /* as of a gated MLP: one half activated, times the other */
        nnc_op *gate = nnc_list_pointwise(&w->to, "attn.gate", NNC_PW_SWIGLU, NNC_GROUP_ATTENTION,
                                          nnc_list_mul(&w->to, w->tokens, l->heads * l->value_dim));
        gate->split = NNC_SPLIT_INNER;
        gate->u.pointwise.keeps_input = true;
    }
    nnc_layer_linear(w, names->out, NNC_GROUP_ATTENTION, NNC_SPLIT_ROW, l->hidden,
                     l->heads * l->value_dim, l->out_bias);
    if (!nnc_layer_parallel(l)) { /* else the MLP's is added first: one reduction for both */
        linear_exchange(w, names->tensor_out, false, l->hidden);
    }
    if (names->residual != NULL) {
        nnc_layer_join(w, names->end_norm, names->residual, NNC_GROUP_ATTENTION);
    }
}

void nnc_layer_attention(const nnc_layer_writer *w, const nnc_attention_names *names,
                         const nnc_cross *cross)
{
    nnc_layer_begin_norm(w, names->norm);
    nnc_layer_project(w, names, cross);
    nnc_layer_attend(w, names, cross);
}

/* ---- MLP ---- */

bool nnc_layer_acts_again(const nnc_layer_writer *w, nnc_split split)
{
    const bool expert = split == NNC_SPLIT_EXPERT_INNER;
    return nnc_list_recomputes(&w->to, NNC_RECOMPUTE_ACTIVATION) ||
           (expert && nnc_list_recomputes(&w->to, NNC_RECOMPUTE_MOE_ACT));
}

nnc_op *nnc_layer_activation(const nnc_layer_writer *w, const char *name, nnc_split split,
                             int64_t elements)
{
    nnc_op *act =
        nnc_list_pointwise(&w->to, name, *activations[w->layer->mlp], NNC_GROUP_MLP, elements);
    act->split = split;
    act->recomputed = nnc_layer_acts_again(w, split);
    act->u.pointwise.keeps_input = true;
    act->u.pointwise.keeps_8bit = w->to.how->plan->fp8_inputs;
    if (w->layer->mlp == NNC_MLP_GELU && w->to.how->software->written_out) {
        act->u.pointwise.fused = false;
    }
    if (nnc_mlp_gated(w->layer->mlp) && !w->to.how->software->fused_activation) {
        act->u.pointwise.fused = false;
        if (!act->recomputed) { /* the activated gate, an input of the product */
            act->u.pointwise.extra_kept_bytes = nnc_list_bytes(&w->to, elements);
        }
    }
    return act;
}

void nnc_layer_dense(const nnc_layer_writer *w, const nnc_mlp_names *names, int64_t inner,
                     bool keeps_input)
{
    const nnc_layer *l = w->layer;
    nnc_op *up =
        nnc_layer_linear(w, names->up, NNC_GROUP_MLP, NNC_SPLIT_COLUMN,
                         nnc_mlp_gated(l->mlp) ? 2 * inner : inner, l->hidden, l->mlp_bias);
    up->u.matmul.keeps_a = keeps_input && !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
    nnc_layer_activation(w, names->activation, NNC_SPLIT_INNER,
                         nnc_list_mul(&w->to, w->tokens, inner));
    nnc_op *down = nnc_layer_linear(w, names->down, NNC_GROUP_MLP, NNC_SPLIT_ROW, l->hidden, inner,
                                    l->mlp_bias);
    down->u.matmul.keeps_a = !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_ACTIVATION);
}

void nnc_layer_mlp(const nnc_layer_writer *w)
{
    const nnc_layer *l = w->layer;
    const nnc_mlp_names names = { nnc_mlp_gated(l->mlp) ? "mlp.gate_up" : "mlp.up",
                                  "mlp.activation", "mlp.down" };
    const bool shared = l->norm_place == NNC_NORM_PARALLEL; /* the input of the attention */
    if (l->norm_place == NNC_NORM_PARALLEL_TWO) {           /* the first norm owns what both read */
        nnc_layer_norm(w, "mlp.norm", l->hidden)->u.norm.keeps_input = false;
    } else if (!shared) {
        nnc_layer_begin_norm(w, "mlp.norm");
    }
    const int32_t first = w->to.list->count;
    if (!shared) {
        linear_exchange(w, "mlp.tensor_in", true, l->hidden);
    }
    nnc_layer_dense(w, &names, l->ffn_hidden, !shared);
    linear_exchange(w, "mlp.tensor_out", false, l->hidden);
    if (nnc_list_recomputes(&w->to, NNC_RECOMPUTE_MLP)) {
        nnc_list_again(&w->to, first);
    }
    nnc_layer_join(w, "mlp.end_norm", "mlp.residual", NNC_GROUP_MLP);
}
