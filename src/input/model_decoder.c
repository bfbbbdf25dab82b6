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
    { DECODER(no_key_bias), .rare = true, .default_text = "off",
      .help = "Keys have no bias, where queries and values have one." },
    { DECODER(out_bias), .rare = true, .default_text = "off",
      .help = "A bias on the output projection of attention." },
    { DECODER(mlp_bias), .rare = true, .default_text = "off",
      .help = "Biases on the feed-forward layer." },
    { DECODER(expert_bias), .rare = true, .default_text = "off", .help = "Biases on the experts." },
    { DECODER(head_bias), .rare = true, .default_text = "off", .help = "A bias on the logits." },
    { DECODER(norm_bias), .rare = true, .default_text = "off",
      .help = "Biases on layer norms, whatever linear layers have." },
    { DECODER(plain_norms), .rare = true, .default_text = "off", .help = "Norms have no weights." },
    { DECODER(norm_place), NNC_FIELD_NAMES(nnc_norm_place, NNC_NORM_PLACE_COUNT), .rare = true,
      .default_text = "pre", .help = "Where the norms of a layer stand." },
    { DECODER(embed_norm), .rare = true, .default_text = "off",
      .help = "A norm after the embedding." },
    { DECODER(qk_norm), NNC_FIELD_NAMES(nnc_qk_norm, NNC_QK_NORM_COUNT), .rare = true,
      .default_text = "none", .help = "Norms of queries and keys." },
    { DECODER(rotary_dim), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "head_dim",
      .help = "Values of a head that rotary positions turn." },
    { DECODER(sinks), .rare = true, .default_text = "off",
      .help = "One learned score per head that takes attention from the tokens." },
    { DECODER(attention_gate), .rare = true, .default_text = "off",
      .help = "The output of attention is gated by a second query projection." },
    { DECODER(score_softcap), .rare = true, .default_text = "off",
      .help = "Attention scores are bounded by a tanh." },
    { DECODER(logit_softcap), .rare = true, .default_text = "off",
      .help = "Logits are bounded by a tanh." },
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
      .help = "One value per expert is added to its score." },
    { DECODER(shared_gate), .rare = true, .default_text = "off",
      .help = "The shared expert's output is gated by one value per token." },
    { DECODER(mixers), NNC_FIELD_COUNTED(nnc_model, decoder.mixers, decoder.mixers_count),
      NNC_FIELD_NAMES(nnc_mixer, NNC_MIXER_COUNT), .rare = true,
      .default_text = "window with a sliding_window, else full",
      .help = "How each layer mixes tokens; the list is repeated over the layers." },
    { DECODER(mlps), NNC_FIELD_COUNTED(nnc_model, decoder.mlps, decoder.mlps_count),
      NNC_FIELD_NAMES(nnc_mlp_kind, NNC_MLP_KIND_COUNT), .rare = true,
      .default_text = "dense_layers, then experts where there are some",
      .help = "What follows it in each layer; the list is repeated over the layers." },
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
    { DECODER(bidirectional), .rare = true, .default_text = "off",
      .help = "Every token sees all others, as in an encoder; a window is half on either side." },
    { DECODER(head), NNC_FIELD_NAMES(nnc_model_head, NNC_MODEL_HEAD_COUNT), .rare = true,
      .default_text = "logits", .help = "What the states of the last layer are trained for." },
    { DECODER(head_width), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "0",
      .help = "Values that a projection head makes." },
    { DECODER(token_types), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "0",
      .help = "Rows of a table of token types; 0 = none." },
    { DECODER(embed_width), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "hidden",
      .help = "Width of the tables where it is projected to hidden." },
    { DECODER(relative_buckets), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "0",
      .help = "Buckets of distances of relative positions." },
    { DECODER(encoder_layers), .rare = true, .max = NNC_LAYERS_MAX, .default_text = "0",
      .help = "Layers of an encoder that every layer attends to; 0 = none." },
    { DECODER(encoder_seq_len), .unit = "tokens", .rare = true, .max = NNC_TOKENS_MAX,
      .default_text = "seq_len", .help = "Length of what the encoder reads." },
    { DECODER(encoder_ffn_hidden), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "ffn_hidden",
      .help = "Width inside the encoder's feed-forward layer." },
    { DECODER(frame_bands), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "0",
      .help = "Bands of a spectrogram of twice encoder_seq_len frames, which the encoder reads "
              "through two convolutions; 0 = it reads tokens." },
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
            d->dense_layers > 0 || d->router_bias || d->shared_gate || d->expert_bias) {
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
    if (d->shared_gate && d->shared_hidden < 1) {
        nnc_json_fault(at, "shared_gate", "gates nothing, expected it beside a shared_hidden");
    }
}

/* How many layers of a pattern are of a kind. */
static int64_t layers_of(const nnc_decoder *d, const unsigned *kinds, int32_t count, unsigned kind)
{
    int64_t found = 0;
    for (int32_t i = 0; i < count; i++) {
        found += kinds[i] == kind && i < d->layers ? 1 : 0;
    }
    return found;
}

static void check_mixers(nnc_json at, const nnc_decoder *d)
{
    const unsigned *kinds = (const unsigned *)d->mixers;
    const int64_t windows = layers_of(d, kinds, d->mixers_count, NNC_MIXER_WINDOW) +
                            layers_of(d, kinds, d->mixers_count, NNC_MIXER_CHUNK);
    if (d->mixers_count > d->layers) {
        nnc_json_fault(at, "mixers",
                       "more than there are layers, expected at most %" PRId64
                       " names, found %" PRId32,
                       d->layers, d->mixers_count);
    } else if (windows > 0 && d->sliding_window == 0) {
        nnc_json_fault(at, "sliding_window",
                       "missing, expected the tokens that window and chunk "
                       "layers see");
    } else if (d->mixers_count > 0 && windows == 0 && d->sliding_window > 0) {
        nnc_json_fault(at, "sliding_window",
                       "does not apply, expected a layer in mixers that slides");
    }
    if (layers_of(d, kinds, d->mixers_count, NNC_MIXER_UNROTATED) > 0 &&
        d->positions != NNC_POSITIONS_ROTARY) {
        nnc_json_fault(at, "mixers",
                       "full_unrotated does not apply, expected it with rotary positions");
    }
}

static void check_mlps(nnc_json at, const nnc_decoder *d)
{
    const int64_t experts =
        layers_of(d, (const unsigned *)d->mlps, d->mlps_count, NNC_LAYER_EXPERTS);
    if (d->mlps_count > d->layers) {
        nnc_json_fault(at, "mlps",
                       "more than there are layers, expected at most %" PRId64
                       " names, found %" PRId32,
                       d->layers, d->mlps_count);
    } else if (d->mlps_count > 0 && d->dense_layers > 0) {
        nnc_json_fault(at, "dense_layers", "said twice, expected it or mlps, found both");
    } else if (d->mlps_count > 0 && (experts > 0) != (d->experts > 0)) {
        nnc_json_fault(at, "mlps",
                       experts > 0
                           ? "has experts, expected how many: the key experts"
                           : "has no experts, expected a layer of them beside the key experts");
    }
}

/* As many as a list of ops tells apart: NNC_MIXED_LAYERS_MAX of shape/list.h. */
enum { MIXED_LAYERS_MAX = 1024 };

/* A field that means something only beside another. */
static void check_beside(nnc_json at, const char *field, bool given, bool wanted, const char *other)
{
    if (given != wanted) {
        nnc_json_fault(at, field, "%s, expected it with %s and only then",
                       given ? "does not apply" : "missing", other);
    }
}

static void check_ends(nnc_json at, const nnc_decoder *d)
{
    const bool relative =
        d->positions == NNC_POSITIONS_RELATIVE || d->positions == NNC_POSITIONS_RELATIVE_EACH;
    check_beside(at, "relative_buckets", d->relative_buckets > 0, relative, "relative positions");
    check_beside(at, "head_width", d->head_width > 0, d->head == NNC_HEAD_PROJECTION,
                 "a projection head");
    if (d->encoder_layers == 0 &&
        (d->encoder_seq_len > 0 || d->encoder_ffn_hidden > 0 || d->frame_bands > 0)) {
        nnc_json_fault(at, "encoder_layers", "missing, expected it beside the other encoder keys");
    }
    if (d->encoder_layers > 0 && (d->bidirectional || d->kv_lora_rank > 0 || d->experts > 0 ||
                                  d->mixers_count > 0 || d->mlps_count > 0)) {
        nnc_json_fault(at, "encoder_layers",
                       "does not apply, expected it before plain decoder layers: not "
                       "bidirectional, without experts, latents, mixers and mlps");
    }
    if (d->frame_bands > 0 && d->encoder_seq_len == 0) {
        nnc_json_fault(at, "encoder_seq_len", "missing, expected the frames that the encoder sees");
    }
    if (d->embed_width > 0 && d->embed_width != d->hidden && !d->tied_head) {
        nnc_json_fault(at, "embed_width", "does not apply, expected a tied_head beside it");
    }
    for (int32_t i = 0; i < d->mixers_count && d->bidirectional; i++) {
        if (d->mixers[i] == NNC_MIXER_CHUNK) {
            nnc_json_fault(at, "mixers",
                           "chunk does not apply, expected window or full in an "
                           "encoder");
            return;
        }
    }
}

static void check_layers(nnc_json at, const nnc_decoder *d)
{
    if (d->layers > MIXED_LAYERS_MAX && (d->mixers_count > 1 || d->mlps_count > 1)) {
        nnc_json_fault(
            at, "layers",
            "too many that differ, expected at most %d with mixers or mlps, found %" PRId64,
            (int)MIXED_LAYERS_MAX, d->layers);
    }
    check_mixers(at, d);
    check_mlps(at, d);
    if (d->norm_place >= NNC_NORM_PARALLEL &&
        (d->experts > 0 ||
         layers_of(d, (const unsigned *)d->mlps, d->mlps_count, NNC_LAYER_NO_MLP) > 0)) {
        nnc_json_fault(at, "norm_place",
                       "parallel halves are attention and a dense MLP, expected "
                       "no experts and an MLP in every layer");
    }
    if (d->rotary_dim > 0 &&
        (d->positions != NNC_POSITIONS_ROTARY || d->rotary_dim > d->head_dim)) {
        nnc_json_fault(at, "rotary_dim",
                       "out of range, expected at most head_dim = %" PRId64
                       " with rotary positions, found %" PRId64,
                       d->head_dim, d->rotary_dim);
    }
    if (d->no_key_bias && !d->biases && !d->qkv_bias) {
        nnc_json_fault(at, "no_key_bias", "does not apply, expected biases or qkv_bias beside it");
    }
    if (d->norm_bias && (d->norm != NNC_NORM_LAYER || d->plain_norms)) {
        nnc_json_fault(at, "norm_bias",
                       "does not apply, expected it with layer norms that have "
                       "weights");
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
    } else if (d->kv_lora_rank > 0 && (d->qk_norm != NNC_QK_NORM_NONE || d->attention_gate)) {
        nnc_json_fault(at, "kv_lora_rank",
                       "latent attention has norms of its own and no gate, expected qk_norm none "
                       "and attention_gate off");
    }
}

static void rules(nnc_json at, const nnc_model *model)
{
    const nnc_decoder *d = &model->decoder;
    check_experts(at, d);
    check_latent(at, d);
    check_layers(at, d);
    check_ends(at, d);
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
