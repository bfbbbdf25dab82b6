/* Layers that keep a state instead of all tokens. Sources: Mamba arXiv:2312.00752; Mamba-2 arXiv:2405.21060; gated
 * delta rule arXiv:2412.06464; lightning attention arXiv:2501.08313; short convolutions arXiv:2511.23404.
 * [state-mixers] */
#include "base/names.h"
#include "shape/decoder.h"

enum { CHUNK = 256, DELTA_CHUNK = 64 };

static nnc_op *linear(const nnc_layer_writer *w, const char *name, nnc_split split, int64_t n,
                      int64_t k, bool bias)
{
    return nnc_layer_linear(w, name, NNC_GROUP_ATTENTION, split, n, k, bias);
}

/* The first product of the layer, which owns the norm's output. */
static void enter(const nnc_layer_writer *w, int64_t n, bool keeps_input)
{
    const nnc_layer *l = w->layer;
    nnc_layer_tensor_exchange(w, "ssm.tensor_in", true, l->hidden);
    linear(w, "ssm.in", NNC_SPLIT_COLUMN, n, l->hidden, l->qkv_bias)->u.matmul.keeps_a =
        keeps_input && !nnc_list_recomputes(&w->to, NNC_RECOMPUTE_NORM);
}

static void leave(const nnc_layer_writer *w, int64_t width)
{
    const nnc_layer *l = w->layer;
    linear(w, "ssm.out", NNC_SPLIT_ROW, l->hidden, width, l->out_bias);
    nnc_layer_tensor_exchange(w, "ssm.tensor_out", false, l->hidden);
    nnc_layer_join(w, "ssm.end_norm", "ssm.residual", NNC_GROUP_ATTENTION);
}

static nnc_op *pointwise(const nnc_layer_writer *w, const char *name, nnc_pointwise_kind kind,
                         int64_t width)
{
    nnc_op *op = nnc_list_pointwise(&w->to, name, kind, NNC_GROUP_ATTENTION,
                                    nnc_list_mul(&w->to, w->tokens, width));
    op->split = NNC_SPLIT_INNER;
    return op;
}

/* Each channel with the tokens before it, then a SiLU: one kernel, which keeps its input alone. */
static void convolve(const nnc_layer_writer *w, const nnc_decoder *d, int64_t channels, bool silu)
{
    const nnc_conv conv = { .batch = w->batch,
                            .c_in = channels,
                            .c_out = channels,
                            .h_in = w->seq_len,
                            .w_in = 1,
                            .h_out = w->seq_len,
                            .w_out = 1,
                            .kernel = d->conv_kernel,
                            .stride = 1,
                            .groups = channels,
                            .kernel_w = 1,
                            .needs_grad_input = true,
                            .keeps_input = true };
    nnc_list_conv(&w->to, "ssm.conv", NNC_GROUP_ATTENTION, &conv, d->conv_bias)->split =
        NNC_SPLIT_INNER;
    if (silu) {
        pointwise(w, "ssm.conv_act", NNC_PW_SILU, channels);
    }
}

static void gate(const nnc_layer_writer *w, const char *name, int64_t width)
{
    pointwise(w, name, NNC_PW_SWIGLU, width)->u.pointwise.keeps_input = true;
}

static void scan(const nnc_layer_writer *w, nnc_scan dims, int64_t params)
{
    nnc_op *op = nnc_list_add(&w->to, "ssm.scan", NNC_OP_SCAN, NNC_GROUP_ATTENTION);
    dims.tokens = w->tokens;
    op->u.scan = dims;
    op->weights.vector = params;
    nnc_list_mul(&w->to, nnc_list_mul(&w->to, w->tokens, dims.inner), dims.state);
}

/* An RMS norm of what was read from the state: of all values, or of each head with the same weights. */
static void state_norm(const nnc_layer_writer *w, int64_t width, int64_t heads)
{
    nnc_op *op = nnc_list_norm(&w->to, "ssm.state_norm", NNC_NORM_RMS,
                               nnc_list_mul(&w->to, w->tokens, width),
                               nnc_list_mul(&w->to, w->tokens, heads), width / heads);
    op->split = NNC_SPLIT_INNER;
    op->u.norm.across_heads = heads == 1;
}

static void mamba(const nnc_layer_writer *w, const nnc_decoder *d)
{
    const int64_t inner = d->ssm_inner, projected = d->ssm_rank + 2 * d->ssm_state;
    enter(w, 2 * inner, true);
    convolve(w, d, inner, true);
    linear(w, "ssm.x", NNC_SPLIT_ROW, projected, inner, false);
    nnc_layer_tensor_exchange(w, "ssm.tensor_x", false, projected);
    if (d->ssm_norms) {
        nnc_layer_norm(w, "ssm.rank_norm", d->ssm_rank);
        nnc_layer_norm(w, "ssm.key_norm", d->ssm_state);
        nnc_layer_norm(w, "ssm.query_norm", d->ssm_state);
    }
    linear(w, "ssm.step", NNC_SPLIT_COLUMN, inner, d->ssm_rank, true);
    scan(w, (nnc_scan){ .inner = inner, .state = d->ssm_state, .groups = 1 },
         nnc_list_mul(&w->to, inner, d->ssm_state + 1));
    gate(w, "ssm.gate", inner);
    leave(w, inner);
}

static void mamba2_behind(const nnc_layer_writer *w, const nnc_decoder *d, bool keeps_input)
{
    const int64_t inner = d->ssm_inner, keys = d->ssm_groups * d->ssm_state;
    enter(w, 2 * inner + 2 * keys + d->ssm_heads, keeps_input);
    convolve(w, d, inner + 2 * keys, true);
    scan(w,
         (nnc_scan){ .inner = inner,
                     .state = d->ssm_state,
                     .groups = d->ssm_groups,
                     .heads = d->ssm_heads,
                     .chunk = d->ssm_chunk > 0 ? d->ssm_chunk : CHUNK },
         3 * d->ssm_heads);
    gate(w, "ssm.gate", inner);
    if (!d->no_state_norm) {
        state_norm(w, inner, 1);
    }
    leave(w, inner);
}

static void mamba2(const nnc_layer_writer *w, const nnc_decoder *d)
{
    mamba2_behind(w, d, true);
}

/* Attention, then Mamba-2 on the same input, and both are added. Source: arXiv:2507.22448, section 2. */
static void beside(const nnc_layer_writer *w, const nnc_decoder *d)
{
    nnc_attention_names names = nnc_attention_plain;
    names.residual = NULL;
    nnc_layer_project(w, &names, NULL);
    nnc_layer_attend(w, &names, NULL);
    nnc_list_residual(&w->to, "attn.beside", NNC_GROUP_ATTENTION, w->hidden_elements);
    mamba2_behind(w, d, false);
}

static void gated_delta(const nnc_layer_writer *w, const nnc_decoder *d)
{
    const int64_t inner = d->ssm_inner, keys = d->ssm_groups * d->ssm_state;
    enter(w, 2 * inner + 2 * keys, true);
    linear(w, "ssm.decay", NNC_SPLIT_COLUMN, 2 * d->ssm_heads, w->layer->hidden, false)
        ->u.matmul.keeps_a = false;
    convolve(w, d, inner + 2 * keys, true);
    scan(w,
         (nnc_scan){ .inner = inner,
                     .state = d->ssm_state,
                     .groups = d->ssm_groups,
                     .heads = d->ssm_heads,
                     .chunk = d->ssm_chunk > 0 ? d->ssm_chunk : DELTA_CHUNK,
                     .delta = true },
         2 * d->ssm_heads);
    state_norm(w, inner, d->ssm_heads);
    gate(w, "ssm.gate", inner);
    leave(w, inner);
}

static void lightning(const nnc_layer_writer *w, const nnc_decoder *d)
{
    const int64_t inner = d->heads * d->head_dim;
    enter(w, 3 * inner, true);
    pointwise(w, "ssm.activation", NNC_PW_SILU, 3 * inner)->u.pointwise.keeps_input = true;
    scan(w,
         (nnc_scan){ .inner = inner,
                     .state = d->head_dim,
                     .groups = d->heads,
                     .heads = d->heads,
                     .chunk = d->ssm_chunk > 0 ? d->ssm_chunk : CHUNK },
         0);
    state_norm(w, inner, 1);
    linear(w, "ssm.gate_in", NNC_SPLIT_COLUMN, inner, w->layer->hidden, false)->u.matmul.keeps_a =
        false;
    gate(w, "ssm.gate", inner);
    leave(w, inner);
}

static void short_conv(const nnc_layer_writer *w, const nnc_decoder *d)
{
    enter(w, 3 * d->hidden, true);
    gate(w, "ssm.gate_in", d->hidden);
    convolve(w, d, d->hidden, false);
    gate(w, "ssm.gate", d->hidden);
    leave(w, d->hidden);
}

typedef void mixer_writer(const nnc_layer_writer *w, const nnc_decoder *d);
static mixer_writer *const NNC_ROW(NNC_MIXER_FULL) = NULL; /* attends */
static mixer_writer *const NNC_ROW(NNC_MIXER_WINDOW) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_CHUNK) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_UNROTATED) = NULL;
static mixer_writer *const NNC_ROW(NNC_MIXER_MAMBA) = mamba;
static mixer_writer *const NNC_ROW(NNC_MIXER_MAMBA2) = mamba2;
static mixer_writer *const NNC_ROW(NNC_MIXER_GATED_DELTA) = gated_delta;
static mixer_writer *const NNC_ROW(NNC_MIXER_LIGHTNING) = lightning;
static mixer_writer *const NNC_ROW(NNC_MIXER_SHORT_CONV) = short_conv;
static mixer_writer *const NNC_ROW(NNC_MIXER_BESIDE) = beside;
static mixer_writer *const NNC_ROW(NNC_MIXER_NONE) = NULL;
static mixer_writer *const *const mixers[] = { NNC_MIXER_LIST(NNC_ROW_AT) };

bool nnc_mixer_attends(nnc_mixer mixer)
{
    return *mixers[mixer] == NULL && mixer != NNC_MIXER_NONE;
}

void nnc_decoder_keep_state(const nnc_layer_writer *w, const nnc_decoder *d, nnc_mixer mixer)
{
    if (*mixers[mixer] != NULL) {
        nnc_layer_begin_norm(w, "ssm.norm");
        (*mixers[mixer])(w, d);
    }
}
