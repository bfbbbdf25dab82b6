#include "base/number.h"
#include "op/work.h"
#include "shape/decoder.h"

void nnc_decoder_project_latent(const nnc_decoder_writer *w)
{
    const nnc_decoder *d = w->d;
    const int64_t q_width = d->heads * (d->qk_nope_head_dim + d->qk_rope_head_dim);
    const int64_t kv_width = d->heads * (d->qk_nope_head_dim + d->v_head_dim);
    const int64_t latent = d->kv_lora_rank + d->qk_rope_head_dim;
    const bool keep_norm = !nnc_decoder_recomputes(w, NNC_RECOMPUTE_NORM);
    /* The down-projections are replicated over tensor ranks; what they give is gathered. */
    const int64_t gathered = (d->q_lora_rank > 0 ? d->q_lora_rank : d->hidden) + latent;

    if (d->q_lora_rank > 0) {
        nnc_op *down = nnc_decoder_linear(w, "attn.q_down", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE,
                                          d->q_lora_rank, d->hidden, false);
        down->u.matmul.keeps_a = keep_norm;
        nnc_decoder_norm(w, "attn.q_norm", d->q_lora_rank);
    }
    nnc_op *kv_down = nnc_decoder_linear(w, "attn.kv_down", NNC_GROUP_ATTENTION, NNC_SPLIT_SEQUENCE,
                                         latent, d->hidden, false);
    kv_down->u.matmul.keeps_a = keep_norm && d->q_lora_rank == 0; /* the same input as q_down */
    nnc_decoder_norm(w, "attn.kv_norm", d->kv_lora_rank);
    nnc_decoder_tensor_exchange(w, "attn.tensor_in", true, gathered);
    nnc_op *q_up = nnc_decoder_linear(w, d->q_lora_rank > 0 ? "attn.q_up" : "attn.q",
                                      NNC_GROUP_ATTENTION, NNC_SPLIT_COLUMN, q_width,
                                      d->q_lora_rank > 0 ? d->q_lora_rank : d->hidden, false);
    q_up->u.matmul.keeps_a = keep_norm && d->q_lora_rank > 0;
    nnc_op *kv_up = nnc_decoder_linear(w, "attn.kv_up", NNC_GROUP_ATTENTION, NNC_SPLIT_COLUMN,
                                       kv_width, d->kv_lora_rank, false);
    kv_up->u.matmul.keeps_a = keep_norm;
    nnc_op *rotary =
        nnc_list_pointwise(w->list, w->how, "attn.rotary", NNC_PW_ROTARY, NNC_GROUP_ATTENTION,
                           nnc_list_mul(w->list, w->tokens, d->heads * d->qk_rope_head_dim, 1, 1),
                           w->layers, w->block);
    rotary->split = NNC_SPLIT_INNER;
    rotary->u.pointwise.fused = w->how->software->fused_rotary;
}

/* Matrices of all routed experts over the tokens sent to them. */
static void expert_linear(const nnc_decoder_writer *w, const char *name, nnc_split split,
                          int64_t rows, double useful, int64_t n, int64_t k)
{
    const nnc_decoder *d = w->d;
    nnc_op *op = nnc_list_linear(w->list, w->how, name, NNC_GROUP_MLP, rows, n, k, false, w->layers,
                                 w->block);
    op->split = split;
    op->weights.count = d->experts;
    op->weights.active = d->experts_per_token;
    op->u.matmul.experts = d->experts < rows ? d->experts : rows;
    op->u.matmul.useful = useful;
    if (w->how->linear_dtype != w->how->dtype) {
        op[-1].split = split;
    }
}

/* Send buffer of one rank: the copies of its tokens. Sequence parallelism has divided them over the
 * tensor ranks. */
static void dispatch_exchange(const nnc_decoder_writer *w, const char *name)
{
    const nnc_plan *plan = w->how->plan;
    const double ranks = (double)plan->context * (plan->sequence_parallel ? plan->tensor : 1);
    if (plan->expert > 1) {
        const nnc_exchange e = { .comm = NNC_COMM_EXPERT,
                                 .forward = NNC_ALL_TO_ALL,
                                 .backward = NNC_ALL_TO_ALL,
                                 .bytes = (double)w->hidden_elements / ranks *
                                          (double)w->d->experts_per_token *
                                          nnc_dtype_bytes(w->how->dtype),
                                 .copies = (double)w->d->experts_per_token,
                                 .once_per_node = w->how->software->expert_once_per_node };
        nnc_list_exchange(w->list, w->how, name, e, w->layers, w->block);
    }
}

static nnc_op *reorder(const nnc_decoder_writer *w, const char *name, nnc_pointwise_kind kind,
                       int64_t out, int64_t in)
{
    nnc_op *op =
        nnc_list_pointwise(w->list, w->how, name, kind, NNC_GROUP_MLP, out, w->layers, w->block);
    op->split = NNC_SPLIT_SEQUENCE;
    op->u.pointwise.input_elements = in;
    return op;
}

void nnc_decoder_experts(const nnc_decoder_writer *w)
{
    static const char *const shared[3] = { "moe.shared_gate_up", "moe.shared_activation",
                                           "moe.shared_down" };
    const nnc_decoder *d = w->d;
    const nnc_plan *plan = w->how->plan;
    const int64_t copies = nnc_list_mul(w->list, w->tokens, d->experts_per_token, 1, 1);
    int64_t rows = copies;
    if (plan->capacity_factor > 0.0) { /* slots per expert, rounded up to whole tokens */
        const double slots = plan->capacity_factor * (double)copies / (double)d->experts;
        int64_t whole = (int64_t)slots;
        whole += (double)whole < slots ? 1 : 0;
        rows = nnc_list_mul(w->list, whole, d->experts, 1, 1);
    }
    const double served = rows < copies ? (double)rows : (double)copies;
    const double useful = rows == copies ? 0.0 : served / (double)rows;

    nnc_op *router = nnc_decoder_linear(w, "moe.router", NNC_GROUP_MLP, NNC_SPLIT_SEQUENCE,
                                        d->experts, d->hidden, false);
    router->u.matmul.keeps_a = !nnc_decoder_recomputes(w, NNC_RECOMPUTE_NORM);
    router->weights.vector = d->router_bias ? d->experts : 0;
    nnc_op *scores =
        nnc_list_pointwise(w->list, w->how, "moe.scores", NNC_PW_SOFTMAX, NNC_GROUP_MLP,
                           nnc_list_mul(w->list, w->tokens, d->experts, 1, 1), w->layers, w->block);
    scores->split = NNC_SPLIT_SEQUENCE;
    scores->u.pointwise.keeps_output = true;

    if (d->shared_hidden > 0) {
        nnc_decoder_dense_mlp(w, shared, d->shared_hidden, false); /* the router owns its input */
    }
    reorder(w, "moe.dispatch", NNC_PW_DISPATCH, nnc_list_mul(w->list, copies, d->hidden, 1, 1),
            w->hidden_elements);
    dispatch_exchange(w, "moe.all_to_all_in");
    expert_linear(w, "moe.gate_up", NNC_SPLIT_EXPERT_COLUMN, rows, useful, 2 * d->expert_hidden,
                  d->hidden);
    nnc_decoder_activation(w, "moe.activation", NNC_SPLIT_EXPERT_INNER,
                           nnc_list_mul(w->list, rows, d->expert_hidden, 1, 1));
    expert_linear(w, "moe.down", NNC_SPLIT_EXPERT_ROW, rows, useful, d->hidden, d->expert_hidden);
    dispatch_exchange(w, "moe.all_to_all_out");
    nnc_op *combine = reorder(w, "moe.combine", NNC_PW_COMBINE, w->hidden_elements,
                              nnc_list_mul(w->list, copies, d->hidden, 1, 1));
    /* The experts' results, weighted by their scores, are needed for the scores' gradient. */
    combine->u.pointwise.extra_kept_bytes =
        (double)copies * (double)d->hidden * nnc_dtype_bytes(w->how->dtype);
}

void nnc_decoder_context_exchange(const nnc_decoder_writer *w, const char *name, bool before,
                                  int64_t head_dim, int64_t value_dim)
{
    const nnc_decoder *d = w->d;
    const nnc_plan *plan = w->how->plan;
    const double c = plan->context, t = plan->tensor, bytes = nnc_dtype_bytes(w->how->dtype);
    const double kv_heads = (double)(d->kv_lora_rank > 0 ? d->heads : d->kv_heads);
    const double kv_local = kv_heads > t ? kv_heads / t : 1.0;
    const double local = (double)w->tokens / c; /* tokens of this rank */
    const double kv = local * kv_local * (double)(head_dim + value_dim);
    nnc_exchange e = { .comm = NNC_COMM_CONTEXT };
    if (plan->context == 1) {
        return;
    }
    if (plan->context_kind == NNC_CONTEXT_ULYSSES) {
        const double q = local * (double)d->heads / t * (double)head_dim;
        const double o = local * (double)d->heads / t * (double)value_dim;
        e.forward = e.backward = NNC_ALL_TO_ALL;
        e.bytes = (before ? q + kv : o) * bytes;
    } else if (!before) {
        return;
    } else if (plan->context_kind == NNC_CONTEXT_ALL_GATHER) {
        e.forward = e.backward = NNC_ALL_GATHER;
        e.backward_again = NNC_REDUCE_SCATTER;
        e.bytes = kv * c * bytes;
    } else { /* gradients of keys and values travel in fp32, beside the blocks themselves */
        e.forward = e.backward = NNC_P2P;
        e.bytes = kv * bytes;
        e.backward_bytes = kv * (bytes + 4.0);
        e.count = c - 1.0;
        e.hides = true;
    }
    nnc_list_exchange(w->list, w->how, name, e, w->layers, w->block);
}
