/* What the fields of a decoder have to be to each other. */
#include <inttypes.h>
#include <stddef.h>

#include "input/family_fields.h"

static void check_experts(nnc_json at, const nnc_decoder *d)
{
    if (d->experts == 0) {
        if (d->experts_per_token > 0 || d->expert_hidden > 0 || d->shared_hidden > 0 ||
            d->dense_layers > 0 || d->router_bias || d->shared_gate || d->expert_bias ||
            d->expert_clamp) {
            nnc_json_fault(at, "experts", "missing, expected it beside the other expert keys");
        }
        return;
    }
    if (d->groups_per_token > d->expert_groups ||
        (d->expert_groups > 0 && d->experts % d->expert_groups != 0)) {
        nnc_json_fault(at, "expert_groups",
                       "expected a divisor of the %" PRId64
                       " experts, no less than groups_per_token (%" PRId64 "), found %" PRId64,
                       d->experts, d->groups_per_token, d->expert_groups);
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
        found += i < d->layers && kinds[i] == kind ? 1 : 0;
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
        d->positions == NNC_POSITIONS_RELATIVE || d->positions == NNC_POSITIONS_LEARNED_RELATIVE ||
        d->positions == NNC_POSITIONS_RELATIVE_EACH || d->positions == NNC_POSITIONS_DISENTANGLED;
    if (d->share_layers &&
        (d->mixers_count > 1 || d->mlps_count > 1 || d->experts > 0 || d->encoder_layers > 0)) {
        nnc_json_fault(at, "share_layers", "does not apply, expected layers that are alike");
    }
    check_beside(at, "relative_buckets", d->relative_buckets > 0, relative, "relative positions");
    if (d->head_share > 0.0 && d->head != NNC_HEAD_MASKED && d->head != NNC_HEAD_MASKED_NEXT) {
        nnc_json_fault(at, "head_share", "does not apply, expected it with a head of masked words");
    }
    check_beside(at, "head_width", d->head_width > 0,
                 d->head == NNC_HEAD_PROJECTION || d->head == NNC_HEAD_CLASSES ||
                     d->head == NNC_HEAD_TAGS,
                 "a head of projection, classes or tags");
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

/* Which mixers, as bits, need a field; the others have no use for it. */
#define BIT(mixer) (1U << (mixer))
#define MAMBA BIT(NNC_MIXER_MAMBA)
#define HEADED (BIT(NNC_MIXER_MAMBA2) | BIT(NNC_MIXER_GATED_DELTA) | BIT(NNC_MIXER_BESIDE))
#define DECODER(member) #member, offsetof(nnc_decoder, member)
static const struct {
    const char *name;
    size_t offset;
    unsigned mixers;
} state_fields[] = {
    { DECODER(ssm_inner), MAMBA | HEADED },
    { DECODER(ssm_state), MAMBA | HEADED },
    { DECODER(ssm_heads), HEADED },
    { DECODER(ssm_groups), HEADED },
    { DECODER(ssm_rank), MAMBA },
    { DECODER(conv_kernel), MAMBA | HEADED | BIT(NNC_MIXER_SHORT_CONV) },
};

static void check_states(nnc_json at, const nnc_decoder *d)
{
    unsigned used = d->mixers_count > 0 ? 0 : BIT(NNC_MIXER_FULL);
    bool dense = d->mlps_count == 0 && (d->experts == 0 || d->dense_layers > 0);
    for (int32_t i = 0; i < d->mixers_count; i++) {
        used |= BIT(d->mixers[i]);
    }
    for (int32_t i = 0; i < d->mlps_count; i++) {
        dense = dense || d->mlps[i] == NNC_LAYER_DENSE;
    }
    for (size_t i = 0; i < NNC_COUNT_OF(state_fields); i++) {
        const char *place = (const char *)d + state_fields[i].offset;
        check_beside(at, state_fields[i].name, *(const int64_t *)(const void *)place > 0,
                     (used & state_fields[i].mixers) != 0, "a mixer that keeps such a state");
    }
    const unsigned chunked = HEADED | BIT(NNC_MIXER_LIGHTNING);
    if ((d->ssm_chunk > 0 && (used & chunked) == 0) || (d->ssm_norms && (used & MAMBA) == 0) ||
        (d->conv_bias && d->conv_kernel == 0)) {
        nnc_json_fault(at, "mixers",
                       "keep no state, expected one that does beside ssm_chunk, "
                       "ssm_norms and conv_bias");
    }
    if (d->ssm_groups > 0 &&
        (d->ssm_heads % d->ssm_groups != 0 || d->ssm_inner % d->ssm_heads != 0)) {
        nnc_json_fault(at, "ssm_heads",
                       "does not divide, expected a divisor of ssm_inner = %" PRId64
                       " and a multiple of ssm_groups = %" PRId64 ", found %" PRId64,
                       d->ssm_inner, d->ssm_groups, d->ssm_heads);
    }
    const unsigned headless =
        (MAMBA | HEADED | BIT(NNC_MIXER_SHORT_CONV) | BIT(NNC_MIXER_NONE)) & ~BIT(NNC_MIXER_BESIDE);
    if ((used & ~headless) != 0 && d->heads < 1) {
        nnc_json_fault(at, "heads",
                       "missing, expected a whole number from 1 to 1e7, found nothing");
    }
    if (dense && d->ffn_hidden < 1) {
        nnc_json_fault(at, "ffn_hidden",
                       "missing, expected a whole number from 1 to 1e7, found nothing");
    }
}

/* As many as a list of ops tells apart: NNC_MIXED_LAYERS_MAX of shape/list.h. */
enum { MIXED_LAYERS_MAX = 1024 };

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
    } else if (d->index_heads > 0 ? d->q_lora_rank == 0 || d->index_dim < 1 || d->index_topk < 1
                                  : d->index_dim > 0 || d->index_topk > 0) {
        nnc_json_fault(
            at, "index_heads",
            "incomplete indexer, expected index_heads, index_dim and index_topk together, "
            "beside a q_lora_rank");
    } else if (d->kv_lora_rank > 0 && (d->qk_norm != NNC_QK_NORM_NONE || d->attention_gate)) {
        nnc_json_fault(at, "kv_lora_rank",
                       "latent attention has norms of its own and no gate, expected qk_norm none "
                       "and attention_gate off");
    }
}

void nnc_decoder_rules(nnc_json at, const nnc_model *model)
{
    const nnc_decoder *d = &model->decoder;
    if (d->tower_inputs > 0 && model->tower_count == 0) {
        nnc_json_fault(at, "tower_inputs",
                       "does not apply, expected it with towers that read them");
    }
    check_experts(at, d);
    check_latent(at, d);
    check_layers(at, d);
    check_ends(at, d);
    check_states(at, d);
    if (d->heads == 0) {
        return;
    }
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
    if (d->positions_max != 0 && !nnc_positions_learned(d->positions)) {
        nnc_json_fault(at, "positions_max",
                       "does not apply, expected it with learned positions only, found %" PRId64,
                       d->positions_max);
    } else if (d->positions_max != 0 && d->positions_max < d->seq_len) {
        nnc_json_fault(at, "positions_max",
                       "shorter than a sequence, expected at least %" PRId64 ", found %" PRId64,
                       d->seq_len, d->positions_max);
    }
}
