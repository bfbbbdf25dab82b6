#include <inttypes.h>

#include "input/family_fields.h"

#define DECODER(member) NNC_FIELD_IN(nnc_model, decoder, member)

static const nnc_field fields[] = {
    NNC_COMMON_FIELDS,
    { DECODER(layers), .min = 1, .max = NNC_LAYERS_MAX, .required = true, .help = "Blocks." },
    { DECODER(hidden), .min = 1, .max = NNC_WIDTH_MAX, .required = true,
      .help = "Width of the residual stream." },
    { DECODER(heads), .min = 1, .max = NNC_WIDTH_MAX, .required = true, .help = "Query heads." },
    { DECODER(kv_heads), .min = 1, .max = NNC_WIDTH_MAX, .default_text = "heads",
      .help = "Key and value heads." },
    { DECODER(head_dim), .min = 1, .max = NNC_WIDTH_MAX, .default_text = "hidden / heads",
      .help = "Width of one head." },
    { DECODER(ffn_hidden), .min = 1, .max = NNC_WIDTH_MAX, .required = true,
      .help = "Width inside the feed-forward layer." },
    { DECODER(vocab), .min = 1, .max = NNC_VOCAB_MAX, .required = true,
      .help = "Entries of the vocabulary." },
    { DECODER(vocab_multiple), .min = 1, .max = NNC_VOCAB_MAX, .default_text = "1",
      .help = "The table is padded to a multiple of this." },
    { DECODER(seq_len), .unit = "tokens", .min = 1, .max = NNC_TOKENS_MAX, .required = true,
      .help = "Length of a training sequence." },
    { DECODER(positions_max), .max = NNC_TOKENS_MAX, .default_text = "seq_len",
      .help = "Rows of a learned position table." },
    { DECODER(sliding_window), .unit = "tokens", .max = NNC_TOKENS_MAX, .default_text = "0",
      .help = "Tokens a query sees, itself included; 0 = all before it." },
    { DECODER(positions), NNC_FIELD_NAMES(nnc_positions, NNC_POSITIONS_COUNT), .required = true,
      .help = "How positions enter." },
    { DECODER(norm), NNC_FIELD_NAMES(nnc_norm_kind, NNC_NORM_KIND_COUNT), .required = true,
      .help = "layer or rms." },
    { DECODER(mlp), NNC_FIELD_NAMES(nnc_mlp, NNC_MLP_COUNT), .required = true,
      .help = "Activation of the feed-forward layer; swiglu and geglu have three matrices." },
    { DECODER(biases), .default_text = "off",
      .help = "Biases on every linear layer but the head, and on layer norms." },
    { DECODER(qkv_bias), .default_text = "off",
      .help = "Biases on the query, key and value projections." },
    { DECODER(tied_head), .required = true, .help = "The logits use the embedding table." },
    { DECODER(dropout), .max = 0.999, .default_text = "0",
      .help = "Probability of dropping an element." },
    { DECODER(experts), .max = 1e5, .default_text = "0",
      .help = "Routed experts of a layer; 0 = a dense model." },
    { DECODER(experts_per_token), .max = 1e5, .default_text = "0",
      .help = "Experts that each token passes." },
    { DECODER(expert_hidden), .max = 1e8, .default_text = "0", .help = "Width of one expert." },
    { DECODER(shared_hidden), .max = 1e8, .default_text = "0",
      .help = "Width, in sum, of the experts that every token passes." },
    { DECODER(dense_layers), .max = 1e5, .default_text = "0",
      .help = "Leading layers without experts." },
    { DECODER(router_bias), .default_text = "off",
      .help = "One value per expert is added to its score when choosing." },
    { DECODER(q_lora_rank), .max = 1e7, .default_text = "0",
      .help = "Width of the query latent; 0 = queries are projected directly." },
    { DECODER(kv_lora_rank), .max = 1e7, .default_text = "0",
      .help = "Width of the key and value latent; 0 = plain heads." },
    { DECODER(qk_nope_head_dim), .max = 1e6, .default_text = "0",
      .help = "Latent attention: width of a head's key without position." },
    { DECODER(qk_rope_head_dim), .max = 1e6, .default_text = "0",
      .help = "Latent attention: width of a head's rotary key." },
    { DECODER(v_head_dim), .max = 1e6, .default_text = "0",
      .help = "Latent attention: width of a head's value." },
};

static void complete(nnc_json root, nnc_model *model)
{
    nnc_decoder *d = &model->decoder;
    d->kv_heads = d->kv_heads == 0 ? d->heads : d->kv_heads;
    d->vocab_multiple = d->vocab_multiple == 0 ? 1 : d->vocab_multiple;
    if (d->head_dim == 0 && d->hidden % d->heads != 0) {
        nnc_json_fault(root, "heads",
                       "does not divide hidden, expected a divisor of %" PRId64
                       " or a head_dim, found %" PRId64,
                       d->hidden, d->heads);
    }
    d->head_dim = d->head_dim == 0 ? d->hidden / d->heads : d->head_dim;
}

static void check_experts(nnc_json at, const nnc_decoder *d)
{
    if (d->experts == 0) {
        if (d->experts_per_token > 0 || d->expert_hidden > 0 || d->shared_hidden > 0 ||
            d->dense_layers > 0 || d->router_bias) {
            nnc_json_fault(at, "experts", "missing, expected it beside the other expert keys");
        }
        return;
    }
    if (d->experts_per_token < 1 || d->experts_per_token > d->experts) {
        nnc_json_fault(at, "experts_per_token",
                       "out of range, expected 1 to experts = %" PRId64 ", found %" PRId64,
                       d->experts, d->experts_per_token);
    }
    if (d->expert_hidden < 1) {
        nnc_json_fault(at, "expert_hidden", "missing, expected the width of one expert");
    }
    if (d->dense_layers >= d->layers) {
        nnc_json_fault(at, "dense_layers",
                       "leaves no layer for experts, expected less than %" PRId64
                       ", found %" PRId64,
                       d->layers, d->dense_layers);
    }
    if (!nnc_mlp_gated(d->mlp)) {
        nnc_json_fault(at, "mlp", "experts are gated, expected swiglu or geglu, found %s",
                       nnc_mlp_name(d->mlp));
    }
}

static void check_latent(nnc_json at, const nnc_decoder *d)
{
    const bool any = d->q_lora_rank > 0 || d->qk_nope_head_dim > 0 || d->qk_rope_head_dim > 0 ||
                     d->v_head_dim > 0;
    if (d->kv_lora_rank == 0
            ? any
            : d->qk_nope_head_dim < 1 || d->qk_rope_head_dim < 1 || d->v_head_dim < 1) {
        nnc_json_fault(at, "kv_lora_rank",
                       "incomplete latent attention, expected kv_lora_rank, qk_nope_head_dim, "
                       "qk_rope_head_dim and v_head_dim together");
    }
}

static void rules(nnc_json at, const nnc_model *model)
{
    const nnc_decoder *d = &model->decoder;
    check_experts(at, d);
    check_latent(at, d);
    if (d->heads % d->kv_heads != 0) {
        nnc_json_fault(at, "kv_heads",
                       "does not divide heads, expected a divisor of %" PRId64 ", found %" PRId64,
                       d->heads, d->kv_heads);
    }
    if (d->norm != NNC_NORM_LAYER && d->norm != NNC_NORM_RMS) {
        nnc_json_fault(at, "norm", "does not suit a decoder, expected layer or rms, found %s",
                       nnc_norm_kind_name(d->norm));
    }
    if (d->positions == NNC_POSITIONS_ROTARY && d->head_dim % 2 != 0) {
        nnc_json_fault(at, "head_dim",
                       "odd, expected an even width for rotary positions, found %" PRId64,
                       d->head_dim);
    }
    if (d->positions_max != 0 && d->positions != NNC_POSITIONS_LEARNED) {
        nnc_json_fault(at, "positions_max",
                       "does not apply, expected it with learned positions only, found %" PRId64,
                       d->positions_max);
    } else if (d->positions_max != 0 && d->positions_max < d->seq_len) {
        nnc_json_fault(at, "positions_max",
                       "shorter than a sequence, expected at least %" PRId64 ", found %" PRId64,
                       d->seq_len, d->positions_max);
    }
}

const nnc_family_fields nnc_decoder_fields = {
    .table = { "decoder", fields, NNC_COUNT_OF(fields) },
    .complete = complete,
    .rules = rules,
};
