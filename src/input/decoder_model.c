/* Reads and checks models of the decoder family: their fields, defaults that depend on other fields, and rules between
 * fields. */
#include "input/input_internal.h"

#define DECODER(member) NNC_FIELD_IN(nnc_model, decoder, member)

static const nnc_field fields[] = {
    NNC_COMMON_FIELDS,
    { DECODER(layers), .min = 1, .max = NNC_LAYERS_MAX, .required = true, .help = "Number of layers." },
    { DECODER(hidden), .min = 1, .max = NNC_WIDTH_MAX, .required = true, .help = "Width of the residual stream." },
    { DECODER(heads), .min = 1, .max = NNC_WIDTH_MAX, .help = "Number of query heads." },
    { DECODER(kv_heads), .min = 1, .max = NNC_WIDTH_MAX, .default_text = "heads",
      .help = "Number of key and value heads." },
    { DECODER(head_dim), .min = 1, .max = NNC_WIDTH_MAX, .default_text = "hidden / heads",
      .help = "Width of one head." },
    { DECODER(ffn_hidden), .min = 1, .max = NNC_WIDTH_MAX, .help = "Width inside the feed-forward layer." },
    { DECODER(vocab), .min = 1, .max = NNC_VOCAB_MAX, .required = true, .help = "Size of the vocabulary." },
    { DECODER(vocab_multiple), .min = 1, .max = NNC_VOCAB_MAX, NNC_DEFAULT(1),
      .help = "The number of rows of the embedding table is padded to a multiple of this value." },
    { DECODER(seq_len), .unit = "tokens", .min = 1, .max = NNC_TOKENS_MAX, .required = true,
      .help = "Length of a training sequence." },
    { DECODER(positions_max), .max = NNC_TOKENS_MAX, .default_text = "seq_len",
      .help = "Rows of a learned position table." },
    { DECODER(sliding_window), .unit = "tokens", .max = NNC_TOKENS_MAX, NNC_DEFAULT(0),
      .help = "Number of tokens that a query attends to, its own token included; 0 = its own token and all tokens "
              "before." },
    { DECODER(positions), NNC_FIELD_NAMES(nnc_positions, NNC_POSITIONS_COUNT), .required = true,
      .help = "Kind of position encoding." },
    { DECODER(norm), NNC_FIELD_NAMES(nnc_norm_kind, NNC_NORM_KIND_COUNT), .required = true,
      .help = "Kind of norm: layer or rms." },
    { DECODER(mlp), NNC_FIELD_NAMES(nnc_mlp, NNC_MLP_COUNT), .required = true,
      .help = "Activation of the feed-forward layer. With swiglu and geglu a layer has three matrices, with any "
              "other activation two matrices." },
    { DECODER(biases), NNC_DEFAULT_OFF, .help = "Biases on every linear layer except the head, and on layer norms." },
    { DECODER(qkv_bias), NNC_DEFAULT_OFF, .help = "Biases on the query, key and value projections." },
    { DECODER(no_key_bias), .rare = true, NNC_DEFAULT_OFF, .help = "Keys have no bias, but queries and values do." },
    { DECODER(out_bias), .rare = true, NNC_DEFAULT_OFF, .help = "A bias on the output projection of attention." },
    { DECODER(mlp_bias), .rare = true, NNC_DEFAULT_OFF, .help = "Biases on the feed-forward layer." },
    { DECODER(expert_bias), .rare = true, NNC_DEFAULT_OFF, .help = "Biases on the experts." },
    { DECODER(expert_clamp), .rare = true, NNC_DEFAULT_OFF,
      .help = "Experts clamp gate and up before multiplying them." },
    { DECODER(head_bias), .rare = true, NNC_DEFAULT_OFF, .help = "A bias on the logits." },
    { DECODER(norm_bias), .rare = true, NNC_DEFAULT_OFF,
      .help = "Biases on layer norms even when linear layers have none." },
    { DECODER(plain_norms), .rare = true, NNC_DEFAULT_OFF, .help = "Norms have no weights." },
    { DECODER(norm_place), NNC_FIELD_NAMES(nnc_norm_place, NNC_NORM_PLACE_COUNT), .rare = true, .default_text = "pre",
      .help = "Position of the norms in a layer." },
    { DECODER(embed_norm), .rare = true, NNC_DEFAULT_OFF, .help = "A norm after the embedding." },
    { DECODER(qk_norm), NNC_FIELD_NAMES(nnc_qk_norm, NNC_QK_NORM_COUNT), .rare = true, .default_text = "none",
      .help = "Norms of queries and keys." },
    { DECODER(rotary_dim), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "head_dim",
      .help = "Values of a head that rotary positions rotate." },
    { DECODER(rotary_scale), .rare = true, NNC_DEFAULT_OFF, .help = "Rotation also scales queries and keys (YaRN)." },
    { DECODER(window_heads), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "heads",
      .help = "Query heads of window layers." },
    { DECODER(window_kv_heads), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "kv_heads",
      .help = "Key and value heads of window layers." },
    { DECODER(window_head_dim), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "head_dim",
      .help = "Width of a head of window layers." },
    { DECODER(window_sinks), .rare = true, NNC_DEFAULT_OFF, .help = "Only window layers have sinks." },
    { DECODER(keys_as_values), .rare = true, NNC_DEFAULT_OFF,
      .help = "Layers without a window also use their keys as values." },
    { DECODER(head_gate), .rare = true, NNC_DEFAULT_OFF, .help = "One value per head gates the output of attention." },
    { DECODER(expert_latent), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "Width of the input and output of routed experts, with a projection before and after them; 0 = hidden." },
    { DECODER(latent_norm), .rare = true, NNC_DEFAULT_OFF,
      .help = "A norm of width expert_latent follows the sum over the routed experts of a token." },
    { DECODER(residual_block), .unit = "layers", .rare = true, .max = NNC_LAYERS_MAX, NNC_DEFAULT(0),
      .help =
          "Number of layers whose outputs are added to one residual stream; attention and MLP read a weighted sum of "
          "all streams so far (attention residuals, Kimi K3); 0 = one stream for all layers." },
    { DECODER(shared_keys), .rare = true, NNC_DEFAULT_OFF,
      .help = "Each token has one key for all heads, and this key is also the value of the token. Queries are "
              "projected from q_lora_rank values (DeepSeek-V4)." },
    { DECODER(out_groups), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "Number of groups of heads. The output of each group is projected to out_rank values before the output "
              "projection; 0 = none." },
    { DECODER(out_rank), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "Width of the output of a group of heads." },
    { DECODER(compress_ratio), .unit = "tokens", .rare = true, .max = NNC_TOKENS_MAX, NNC_DEFAULT(0),
      .help = "Number of tokens that share one compressed key in window_far layers." },
    { DECODER(index_ratio), .unit = "tokens", .rare = true, .max = NNC_TOKENS_MAX, NNC_DEFAULT(0),
      .help = "Number of tokens that share one compressed key in window_far_picked layers, whose indexer selects "
              "index_topk of these keys." },
    { DECODER(streams), .rare = true, .max = 64, .default_text = "1",
      .help = "Number of parallel residual streams of a layer (hyper-connections)." },
    { DECODER(expert_norms), .rare = true, NNC_DEFAULT_OFF,
      .help = "Routed experts and shared experts each have their own norms around them." },
    { DECODER(sinks), .rare = true, NNC_DEFAULT_OFF,
      .help = "The softmax of each head has one additional learned score (attention sink)." },
    { DECODER(attention_gate), .rare = true, NNC_DEFAULT_OFF,
      .help = "A second query projection gates the output of attention." },
    { DECODER(score_softcap), .rare = true, NNC_DEFAULT_OFF, .help = "A tanh bounds attention scores." },
    { DECODER(logit_softcap), .rare = true, NNC_DEFAULT_OFF, .help = "A tanh bounds the logits." },
    { DECODER(tied_head), .required = true, .help = "The head and the embedding table share their weights." },
    { DECODER(dropout), .max = 0.999, NNC_DEFAULT(0), .help = "Probability of dropping an element." },
    { DECODER(experts), .max = 1e5, NNC_DEFAULT(0), .help = "Routed experts per layer; 0 = a dense model." },
    { DECODER(experts_per_token), .max = 1e5, NNC_DEFAULT(0), .help = "Routed experts per token." },
    { DECODER(idle_experts), .rare = true, .max = 1e5, NNC_DEFAULT(0),
      .help = "Number of experts without weights, which return their input. The router also scores these experts, "
              "but experts_per_token does not include experts without weights (LongCat-Flash)." },
    { DECODER(expert_groups), .rare = true, .max = 1e5, NNC_DEFAULT(0),
      .help = "Number of groups of experts. The router first selects groups_per_token groups, then experts in them; 0 "
              "= no groups." },
    { DECODER(groups_per_token), .rare = true, .max = 1e5, NNC_DEFAULT(0),
      .help = "Number of groups that the experts of a token come from; 0 = all groups." },
    { DECODER(expert_hidden), .max = 1e8, NNC_DEFAULT(0), .help = "Width of one expert." },
    { DECODER(shared_hidden), .max = 1e8, NNC_DEFAULT(0),
      .help = "Total width of the shared experts, which process every token." },
    { DECODER(dense_layers), .max = 1e5, NNC_DEFAULT(0), .help = "Leading layers without experts." },
    { DECODER(router_bias), NNC_DEFAULT_OFF, .help = "The router adds one value per expert to its score." },
    { DECODER(shared_gate), .rare = true, NNC_DEFAULT_OFF,
      .help = "One value per token gates the output of the shared experts." },
    { DECODER(mixers), NNC_FIELD_COUNTED(nnc_model, decoder.mixers, decoder.mixers_count),
      NNC_FIELD_NAMES(nnc_mixer, NNC_MIXER_COUNT), .rare = true,
      .default_text = "window with a sliding_window, else full",
      .help = "Token mixer of each layer; the list repeats over the layers." },
    { DECODER(mlps), NNC_FIELD_COUNTED(nnc_model, decoder.mlps, decoder.mlps_count),
      NNC_FIELD_NAMES(nnc_mlp_kind, NNC_MLP_KIND_COUNT), .rare = true,
      .default_text = "dense_layers, then experts where there are some",
      .help = "MLP of each layer; the list repeats over the layers." },
    { DECODER(ffn_widths), NNC_FIELD_COUNTED(nnc_model, decoder.ffn_widths, decoder.ffn_widths_count), .rare = true,
      .max = NNC_WIDTH_MAX, .default_text = "ffn_hidden in every layer",
      .help = "Width of the dense MLP of each layer, at most ffn_hidden; the list repeats over the layers." },
    { DECODER(layer_input_width), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "Width of a table that has a vector per token for each layer. The vector gates the end of the layer "
              "(Gemma 4); 0 = no table." },
    { DECODER(layer_input_vocab), .rare = true, .max = 1e9, NNC_DEFAULT(0),
      .help = "Rows of the table of layer_input_width values per layer." },
    { DECODER(reused_kv_layers), .rare = true, .max = NNC_LAYERS_MAX, NNC_DEFAULT(0),
      .help = "Number of last layers that attend to the keys and values of an earlier layer (Gemma 4)." },
    { DECODER(wide_reused), .rare = true, NNC_DEFAULT_OFF,
      .help = "The dense MLP of the last reused_kv_layers layers is twice as wide as ffn_hidden." },
    { DECODER(altup_inputs), .rare = true, .max = 64, NNC_DEFAULT(0),
      .help = "Number of residual streams; each layer computes the first stream and predicts all other streams "
              "(AltUp, Gemma 3n). 0 = one stream." },
    { DECODER(laurel_rank), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "Rank of a product parallel to attention, whose output is added to the residual stream (LAuReL, Gemma "
              "3n); 0 = none." },
    { DECODER(unused_kv), .rare = true, NNC_DEFAULT_OFF,
      .help = "The last reused_kv_layers layers have weights for keys and values that no step uses (Gemma 3n)." },
    { DECODER(q_lora_rank), .max = 1e7, NNC_DEFAULT(0),
      .help = "Width of the query latent; 0 = queries are projected directly." },
    { DECODER(kv_lora_rank), .max = 1e7, NNC_DEFAULT(0),
      .help = "Width of the key and value latent; 0 = attention without a latent." },
    { DECODER(qk_nope_head_dim), .max = 1e6, NNC_DEFAULT(0),
      .help = "Latent attention: width of a head's key without position." },
    { DECODER(qk_rope_head_dim), .max = 1e6, NNC_DEFAULT(0),
      .help = "Latent attention: width of a head's rotary key." },
    { DECODER(v_head_dim), .max = 1e6, NNC_DEFAULT(0),
      .help = "Width of a head's value; 0 = head_dim. Required for latent attention." },
    { DECODER(share_layers), .rare = true, NNC_DEFAULT_OFF,
      .help = "All layers share the weights of the first layer (ALBERT)." },
    { DECODER(index_heads), .rare = true, .max = 1e5, NNC_DEFAULT(0),
      .help = "Query heads of the indexer that selects tokens (sparse attention); 0 = none." },
    { DECODER(index_dim), .rare = true, .max = 1e6, NNC_DEFAULT(0), .help = "Width of an indexer's query and key." },
    { DECODER(index_topk), .unit = "tokens", .rare = true, .max = NNC_TOKENS_MAX, NNC_DEFAULT(0),
      .help = "Number of tokens that the indexer selects for each query." },
    { DECODER(bidirectional), .rare = true, NNC_DEFAULT_OFF,
      .help = "Every token attends to all tokens before and after it, as in an encoder; half of a window lies on "
              "each side of the token." },
    { DECODER(head), NNC_FIELD_NAMES(nnc_model_head, NNC_MODEL_HEAD_COUNT), .rare = true, .default_text = "logits",
      .help = "Training objective of the last layer." },
    { DECODER(head_width), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "Number of outputs of the head, if `head` is projection, classes or tags." },
    { DECODER(token_types), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "Rows of the token-type table; 0 = none." },
    { DECODER(embed_width), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "hidden",
      .help = "Width of the embedding tables, if the embedding is projected to the width hidden; 0 = hidden." },
    { DECODER(relative_buckets), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "Distance buckets of relative positions." },
    { DECODER(encoder_layers), .rare = true, .max = NNC_LAYERS_MAX, NNC_DEFAULT(0),
      .help = "Layers of an encoder that every decoder layer attends to; 0 = none." },
    { DECODER(encoder_seq_len), .unit = "tokens", .rare = true, .max = NNC_TOKENS_MAX, .default_text = "seq_len",
      .help = "Length of the encoder's input." },
    { DECODER(encoder_ffn_hidden), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "ffn_hidden",
      .help = "Width inside the encoder's feed-forward layer." },
    { DECODER(frame_bands), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "Frequency bands of the spectrogram that the encoder reads through two convolutions; the spectrogram "
              "has 2 x encoder_seq_len frames. 0 = the encoder reads tokens." },
    { DECODER(ssm_inner), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "State-space layers: values per token." },
    { DECODER(ssm_state), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "State-space layers: state size of each value; gated delta rule: width of a key." },
    { DECODER(ssm_heads), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "State-space layers: heads; each has one decay." },
    { DECODER(ssm_groups), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "State-space layers: keys and queries per token." },
    { DECODER(ssm_rank), .rare = true, .max = NNC_WIDTH_MAX, NNC_DEFAULT(0),
      .help = "Rank of Mamba's time steps, or of the decays and of the gate of Kimi Linear." },
    { DECODER(ssm_full_gate), .rare = true, NNC_DEFAULT_OFF,
      .help = "The gate of kimi_delta layers is projected from hidden values, not from ssm_rank." },
    { DECODER(ssm_chunk), .unit = "tokens", .rare = true, .max = NNC_TOKENS_MAX,
      .default_text = "256, 64 of the gated delta rule",
      .help = "State-space layers: tokens of a chunk. A chunk is computed with matrix products, and its final state is "
              "passed to the next chunk." },
    { DECODER(conv_kernel), .unit = "tokens", .rare = true, .max = 1e4, NNC_DEFAULT(0),
      .help = "Kernel size of the convolution over tokens in state-space, gated delta and short convolution layers." },
    { DECODER(conv_bias), .rare = true, NNC_DEFAULT_OFF, .help = "The convolution has a bias." },
    { DECODER(next_layers), .rare = true, .max = 1000, NNC_DEFAULT(0),
      .help = "Number of layers for multi-token prediction; these layers are part of the step only with "
              "--next-tokens." },
    { DECODER(no_state_norm), .rare = true, NNC_DEFAULT_OFF,
      .help = "The output of Mamba-2 is gated without a norm (Falcon-H1)." },
    { DECODER(ssm_norms), .rare = true, NNC_DEFAULT_OFF,
      .help = "Mamba has norms on its time steps and state projections." },
    { DECODER(head_share), .rare = true, .max = 1, NNC_DEFAULT(0),
      .help = "Share of the positions that a masked-word head processes: 0.15 if the head skips positions that are not "
              "masked; 0 = all positions." },
    { DECODER(tower_inputs), .rare = true, .max = 1e5, NNC_DEFAULT(0),
      .help = "Images or sounds per sequence that the towers encode." },
};

/* Reads the towers of a model: networks that encode images or sounds for the decoder. The file gives the ops of each
 * tower in the form of a graph file. */
static void read_towers(nnc_json root, nnc_model *model) {
    const nnc_json list = nnc_json_get(root, "towers");
    if (list.node != NULL && (nnc_json_type_of(list) != NNC_JSON_LIST || nnc_json_count(list) > NNC_TOWERS_MAX)) {
        nnc_json_mismatch(list, "wrong value", "a list of one or two objects");
        return;
    }
    for (nnc_json at = nnc_json_first(list); at.node != NULL && nnc_json_go_on(at); at = nnc_json_next(at)) {
        nnc_graph_tower(at, model);
    }
}

static void complete_decoder(nnc_json root, nnc_model *model) {
    nnc_decoder *d = &model->decoder;
    read_towers(root, model);
    if (d->heads == 0) { /* the rules of the decoder family report a missing number of heads later */
        d->vocab_multiple = d->vocab_multiple == 0 ? 1 : d->vocab_multiple;
        return;
    }
    d->kv_heads = d->kv_heads == 0 ? d->heads : d->kv_heads;
    d->vocab_multiple = d->vocab_multiple == 0 ? 1 : d->vocab_multiple;
    if (d->head_dim == 0 && d->hidden % d->heads != 0) {
        nnc_json_fault(root, "heads",
                       "does not divide hidden, expected a divisor of %" PRId64 " or a head_dim, found %" PRId64,
                       d->hidden, d->heads);
    }
    d->head_dim = d->head_dim == 0 ? d->hidden / d->heads : d->head_dim;
}

/* ---- rules between fields ---- */

static void check_experts(nnc_json at, const nnc_decoder *d) {
    if (d->experts == 0) {
        if (d->expert_latent > 0 || d->latent_norm || d->expert_norms || d->experts_per_token > 0 ||
            d->expert_hidden > 0 || d->shared_hidden > 0 || d->dense_layers > 0 || d->router_bias || d->shared_gate ||
            d->expert_bias || d->expert_clamp) {
            nnc_json_fault(at, "experts",
                           "missing, expected together with keys of experts (experts_per_token, expert_hidden ...)");
        }
        return;
    }
    if (d->groups_per_token > d->expert_groups || (d->expert_groups > 0 && d->experts % d->expert_groups != 0)) {
        nnc_json_fault(at, "expert_groups",
                       "expected a divisor of the %" PRId64 " experts, no less than groups_per_token (%" PRId64
                       "), found %" PRId64,
                       d->experts, d->groups_per_token, d->expert_groups);
        return;
    }
    if (d->experts_per_token < 1 || d->experts_per_token > d->experts) {
        nnc_json_fault(at, "experts_per_token", "out of range, expected 1 to experts = %" PRId64 ", found %" PRId64,
                       d->experts, d->experts_per_token);
    }
    if (d->expert_hidden < 1) { nnc_json_fault(at, "expert_hidden", "missing, expected the width of one expert"); }
    if (d->dense_layers >= d->layers) {
        nnc_json_fault(at, "dense_layers",
                       "leaves no layer for experts, expected less than %" PRId64 ", found %" PRId64, d->layers,
                       d->dense_layers);
    }
    if (d->shared_gate && d->shared_hidden < 1) {
        nnc_json_fault(at, "shared_gate", "does not apply, expected together with a shared_hidden");
    }
}

/* Returns the number of layers with the kind `kind` among the first `count` entries of a pattern of layers; entries
 * beyond the number of layers are ignored. */
static int64_t layers_of(const nnc_decoder *d, const unsigned *kinds, int32_t count, unsigned kind) {
    int64_t found = 0;
    for (int32_t i = 0; i < count; i++) { found += i < d->layers && kinds[i] == kind ? 1 : 0; }
    return found;
}

static void check_mixers(nnc_json at, const nnc_decoder *d) {
    const unsigned *kinds = (const unsigned *)d->mixers;
    const int64_t windows = layers_of(d, kinds, d->mixers_count, NNC_MIXER_WINDOW) +
                            layers_of(d, kinds, d->mixers_count, NNC_MIXER_CHUNK) +
                            layers_of(d, kinds, d->mixers_count, NNC_MIXER_FAR) +
                            layers_of(d, kinds, d->mixers_count, NNC_MIXER_FAR_PICKED);
    if (d->mixers_count > d->layers) {
        nnc_json_fault(at, "mixers", "more names than layers, expected at most %" PRId64 " names, found %" PRId32,
                       d->layers, d->mixers_count);
    } else if (windows > 0 && d->sliding_window == 0) {
        nnc_json_fault(at, "sliding_window",
                       "missing, expected the number of tokens that window and chunk layers attend to");
    } else if (d->mixers_count > 0 && windows == 0 && d->sliding_window > 0) {
        nnc_json_fault(at, "sliding_window", "does not apply, expected a window or chunk layer in mixers");
    }
    if (layers_of(d, kinds, d->mixers_count, NNC_MIXER_UNROTATED) > 0 && d->positions != NNC_POSITIONS_ROTARY) {
        nnc_json_fault(at, "mixers", "full_unrotated does not apply, expected together with rotary positions");
    }
}

/* Checks ffn_widths, the list of the widths of dense MLPs. A layer without a dense MLP can have a width of 0. */
static void check_widths(nnc_json at, const nnc_decoder *d) {
    int64_t largest = 0;
    bool dense = true;
    for (int64_t i = 0; i < d->layers && d->ffn_widths_count > 0; i++) {
        const int64_t width = d->ffn_widths[i % d->ffn_widths_count];
        const bool wanted = d->mlps_count == 0 || d->mlps[i % d->mlps_count] == NNC_LAYER_DENSE;
        largest = wanted && width > largest ? width : largest;
        dense = dense && (!wanted || width > 0);
    }
    if (d->ffn_widths_count > 0 && (!dense || largest != d->ffn_hidden || d->ffn_widths_count > d->layers)) {
        nnc_json_fault(at, "ffn_widths",
                       "do not fit the layers, expected a width for each dense MLP, the largest equal to ffn_hidden "
                       "= %" PRId64 ", found a largest of %" PRId64,
                       d->ffn_hidden, largest);
    }
    if (d->ffn_widths_count > 0 &&
        (d->share_layers || d->encoder_layers > 0 || (d->experts > 0 && d->mlps_count == 0))) {
        nnc_json_fault(at, "ffn_widths",
                       "does not apply, expected only in a decoder whose key mlps lists dense layers");
    }
}

static void check_mlps(nnc_json at, const nnc_decoder *d) {
    const int64_t experts = layers_of(d, (const unsigned *)d->mlps, d->mlps_count, NNC_LAYER_EXPERTS);
    if (d->mlps_count > d->layers) {
        nnc_json_fault(at, "mlps", "more names than layers, expected at most %" PRId64 " names, found %" PRId32,
                       d->layers, d->mlps_count);
    } else if (d->mlps_count > 0 && d->dense_layers > 0) {
        nnc_json_fault(at, "dense_layers", "given twice, expected dense_layers or mlps, found both");
    } else if (d->mlps_count > 0 && (experts > 0) != (d->experts > 0)) {
        nnc_json_fault(at, "mlps",
                       experts > 0 ? "has layers with experts, expected the number of experts in the key experts"
                                   : "has no layer with experts, expected at least one, because the key experts is "
                                     "given");
    }
}

/* Checks two conditions: the field has a value if another field requires this, and the field has no value if no field
 * requires it. */
static void check_beside(nnc_json at, const char *field, bool given, bool wanted, const char *other) {
    if (given != wanted) {
        nnc_json_fault(at, field, "%s, expected always and only together with %s", given ? "does not apply" : "missing",
                       other);
    }
}

static void check_ends(nnc_json at, const nnc_decoder *d) {
    const bool relative = d->positions == NNC_POSITIONS_RELATIVE || d->positions == NNC_POSITIONS_LEARNED_RELATIVE ||
                          d->positions == NNC_POSITIONS_RELATIVE_EACH || d->positions == NNC_POSITIONS_DISENTANGLED;
    if (d->share_layers && (d->mixers_count > 1 || d->mlps_count > 1 || d->experts > 0 || d->encoder_layers > 0)) {
        nnc_json_fault(at, "share_layers", "does not apply, expected equal layers");
    }
    check_beside(at, "relative_buckets", d->relative_buckets > 0, relative, "relative positions");
    if (d->head_share > 0.0 && d->head != NNC_HEAD_MASKED && d->head != NNC_HEAD_MASKED_NEXT) {
        nnc_json_fault(at, "head_share", "does not apply, expected together with a head of masked words");
    }
    check_beside(at, "head_width", d->head_width > 0,
                 d->head == NNC_HEAD_PROJECTION || d->head == NNC_HEAD_CLASSES || d->head == NNC_HEAD_TAGS,
                 "a head of projection, classes or tags");
    if (d->encoder_layers == 0 && (d->encoder_seq_len > 0 || d->encoder_ffn_hidden > 0 || d->frame_bands > 0)) {
        nnc_json_fault(at, "encoder_layers",
                       "missing, expected together with keys of an encoder (encoder_seq_len, encoder_ffn_hidden ...)");
    }
    if (d->encoder_layers > 0 &&
        (d->bidirectional || d->kv_lora_rank > 0 || d->experts > 0 || d->mixers_count > 0 || d->mlps_count > 0)) {
        nnc_json_fault(at, "encoder_layers",
                       "does not apply, expected only with plain decoder layers: not bidirectional, without experts, "
                       "latents, mixers and mlps");
    }
    if (d->frame_bands > 0 && d->encoder_seq_len == 0) {
        nnc_json_fault(at, "encoder_seq_len", "missing, expected the frames that the encoder sees");
    }
    if (d->embed_width > 0 && d->embed_width != d->hidden && !d->tied_head) {
        nnc_json_fault(at, "embed_width", "does not apply, expected together with a tied_head");
    }
    for (int32_t i = 0; i < d->mixers_count && d->bidirectional; i++) {
        if (d->mixers[i] == NNC_MIXER_CHUNK) {
            nnc_json_fault(at, "mixers", "chunk does not apply, expected window or full in an encoder");
            return;
        }
    }
}

/* For each field, the set of mixers (kinds of attention or recurrence) that require the field, with one bit for each
 * mixer. A network without a mixer of the set must not set the field. */
#define BIT(mixer) (1U << (mixer))
#define MAMBA BIT(NNC_MIXER_MAMBA)
#define KIMI_DELTA BIT(NNC_MIXER_KIMI_DELTA)
#define HEADED (BIT(NNC_MIXER_MAMBA2) | BIT(NNC_MIXER_GATED_DELTA) | KIMI_DELTA | BIT(NNC_MIXER_BESIDE))
#define MEMBER(member) #member, offsetof(nnc_decoder, member)
static const struct {
    const char *name;
    size_t offset;
    unsigned mixers;
} state_fields[] = {
    { MEMBER(ssm_inner), MAMBA | HEADED },
    { MEMBER(ssm_state), MAMBA | HEADED },
    { MEMBER(ssm_heads), HEADED },
    { MEMBER(ssm_groups), HEADED },
    { MEMBER(ssm_rank), MAMBA | KIMI_DELTA },
    { MEMBER(conv_kernel), MAMBA | HEADED | BIT(NNC_MIXER_SHORT_CONV) },
};

static void check_states(nnc_json at, const nnc_decoder *d) {
    unsigned used = d->mixers_count > 0 ? 0 : BIT(NNC_MIXER_FULL);
    bool dense = d->mlps_count == 0 && (d->experts == 0 || d->dense_layers > 0);
    for (int32_t i = 0; i < d->mixers_count; i++) { used |= BIT(d->mixers[i]); }
    for (int32_t i = 0; i < d->mlps_count; i++) { dense = dense || d->mlps[i] == NNC_LAYER_DENSE; }
    for (size_t i = 0; i < NNC_COUNT_OF(state_fields); i++) {
        const char *place = (const char *)d + state_fields[i].offset;
        check_beside(at, state_fields[i].name, *(const int64_t *)(const void *)place > 0,
                     (used & state_fields[i].mixers) != 0, "a mixer that keeps such a state");
    }
    const unsigned chunked = HEADED | BIT(NNC_MIXER_LIGHTNING);
    check_beside(at, "ssm_full_gate", d->ssm_full_gate, (used & KIMI_DELTA) != 0 && d->ssm_full_gate,
                 "kimi_delta layers");
    if ((d->ssm_chunk > 0 && (used & chunked) == 0) || (d->ssm_norms && (used & MAMBA) == 0) ||
        (d->conv_bias && d->conv_kernel == 0)) {
        nnc_json_fault(at, "mixers",
                       "no mixer keeps a state, expected a mixer with a state, because ssm_chunk, ssm_norms or "
                       "conv_bias is given");
    }
    if (d->ssm_groups > 0 && (d->ssm_heads % d->ssm_groups != 0 || d->ssm_inner % d->ssm_heads != 0)) {
        nnc_json_fault(at, "ssm_heads",
                       "does not divide, expected a divisor of ssm_inner = %" PRId64
                       " and a multiple of ssm_groups = %" PRId64 ", found %" PRId64,
                       d->ssm_inner, d->ssm_groups, d->ssm_heads);
    }
    const unsigned headless =
        (MAMBA | HEADED | BIT(NNC_MIXER_SHORT_CONV) | BIT(NNC_MIXER_NONE)) & ~BIT(NNC_MIXER_BESIDE);
    if ((used & ~headless) != 0 && d->heads < 1) {
        nnc_json_fault(at, "heads", "missing, expected a whole number from 1 to 1e7, found nothing");
    }
    if (dense && d->ffn_hidden < 1) {
        nnc_json_fault(at, "ffn_hidden", "missing, expected a whole number from 1 to 1e7, found nothing");
    }
}

/* Largest number of layers in a pattern of different layers. The constant NNC_MIXED_LAYERS_MAX in shape/, the limit of
 * the op list, must have an equal value. */
enum { MIXED_LAYERS_MAX = 1024 };

static void check_layers(nnc_json at, const nnc_decoder *d) {
    if (d->layers > MIXED_LAYERS_MAX && (d->mixers_count > 1 || d->mlps_count > 1)) {
        nnc_json_fault(at, "layers",
                       "too many different layers, expected at most %d layers with mixers or mlps, found %" PRId64,
                       (int)MIXED_LAYERS_MAX, d->layers);
    }
    check_mixers(at, d);
    check_mlps(at, d);
    check_widths(at, d);
    if (d->norm_place >= NNC_NORM_PARALLEL &&
        (d->experts > 0 || layers_of(d, (const unsigned *)d->mlps, d->mlps_count, NNC_LAYER_NO_MLP) > 0)) {
        nnc_json_fault(at, "norm_place",
                       "attention and MLP can be parallel only if the MLP is dense, expected no experts and an MLP "
                       "in every layer");
    }
    if (d->rotary_dim > 0 && (d->positions != NNC_POSITIONS_ROTARY || d->rotary_dim > d->head_dim)) {
        nnc_json_fault(at, "rotary_dim",
                       "out of range, expected at most head_dim = %" PRId64 " with rotary positions, found %" PRId64,
                       d->head_dim, d->rotary_dim);
    }
    if (d->no_key_bias && !d->biases && !d->qkv_bias) {
        nnc_json_fault(at, "no_key_bias", "does not apply, expected together with biases or qkv_bias");
    }
    if (d->norm_bias && (d->norm != NNC_NORM_LAYER || d->plain_norms)) {
        nnc_json_fault(at, "norm_bias", "does not apply, expected together with layer norms that have weights");
    }
}

static void check_latent(nnc_json at, const nnc_decoder *d) {
    const bool any = (d->q_lora_rank > 0 && !d->shared_keys) || d->qk_nope_head_dim > 0 || d->qk_rope_head_dim > 0;
    if (d->kv_lora_rank == 0 ? any : d->qk_nope_head_dim < 1 || d->qk_rope_head_dim < 1 || d->v_head_dim < 1) {
        nnc_json_fault(at, "kv_lora_rank",
                       "incomplete latent attention, expected kv_lora_rank, qk_nope_head_dim, "
                       "qk_rope_head_dim and v_head_dim together");
    } else if (d->index_heads > 0
                   ? (d->kv_lora_rank > 0 && d->q_lora_rank == 0) || d->index_dim < 1 || d->index_topk < 1
                   : d->index_dim > 0 || d->index_topk > 0) {
        nnc_json_fault(at, "index_heads",
                       "incomplete indexer, expected index_heads, index_dim and index_topk together, "
                       "and a q_lora_rank with latent attention");
    } else if (d->kv_lora_rank > 0 && d->qk_norm != NNC_QK_NORM_NONE) {
        nnc_json_fault(at, "kv_lora_rank", "latent attention has norms of its own, expected qk_norm none");
    }
}

/* Checks shared_keys (one vector per token is used as key and as value), and the fields that belong to layers with such
 * keys: compress_ratio, index_ratio, out_rank and out_groups. */
static void check_shared(nnc_json at, const nnc_decoder *d) {
    const unsigned *kinds = (const unsigned *)d->mixers;
    const bool far = layers_of(d, kinds, d->mixers_count, NNC_MIXER_FAR) > 0;
    const bool picked = layers_of(d, kinds, d->mixers_count, NNC_MIXER_FAR_PICKED) > 0;
    check_beside(at, "compress_ratio", d->compress_ratio > 0, far, "window_far layers");
    check_beside(at, "index_ratio", d->index_ratio > 0, picked, "window_far_picked layers");
    check_beside(at, "out_rank", d->out_rank > 0, d->out_groups > 0, "out_groups");
    if (d->shared_keys ? d->q_lora_rank == 0 || d->kv_heads != 1 || d->kv_lora_rank > 0 : far || picked) {
        nnc_json_fault(at, "shared_keys",
                       "incomplete, expected together with kv_heads 1, a q_lora_rank and no "
                       "kv_lora_rank, and window_far layers only with it");
    }
    if (d->out_groups > 0 && d->heads % d->out_groups != 0) {
        nnc_json_fault(at, "out_groups", "does not divide heads, expected a divisor of %" PRId64 ", found %" PRId64,
                       d->heads, d->out_groups);
    }
}

/* Tests whether each layer that reuses keys and values has an earlier layer that computes its own keys and values with
 * an equal kind of mixer; the layers that reuse are the last layers. */
static bool have_owner(const nnc_decoder *d) {
    const int64_t first = d->layers - d->reused_kv_layers;
    for (int64_t layer = first; layer < d->layers && d->mixers_count > 1; layer++) {
        bool owned = false;
        for (int64_t i = 0; i < first && i < d->mixers_count && !owned; i++) {
            owned = d->mixers[i] == d->mixers[layer % d->mixers_count];
        }
        if (!owned) { return false; }
    }
    return first > 0;
}

/* Checks the fields of layers that have inputs of their own, and the fields of layers that reuse keys and values.
 * [layer-inputs] */
static void check_inputs(nnc_json at, const nnc_decoder *d) {
    bool plain = d->kv_lora_rank == 0 && !d->shared_keys && d->index_heads == 0 && d->encoder_layers == 0 &&
                 !d->share_layers && d->layers <= MIXED_LAYERS_MAX;
    for (int32_t i = 0; i < d->mixers_count; i++) {
        plain &= d->mixers[i] == NNC_MIXER_FULL || d->mixers[i] == NNC_MIXER_WINDOW;
    }
    if (d->layer_input_width > 0 ? d->layer_input_vocab < 1 || !nnc_mlp_gated(d->mlp) : d->layer_input_vocab > 0) {
        nnc_json_fault(at, "layer_input_width", "incomplete, expected together with layer_input_vocab and a gated mlp");
    }
    if (d->reused_kv_layers > 0 && (!plain || !have_owner(d))) {
        nnc_json_fault(at, "reused_kv_layers",
                       "does not apply, expected full and window layers, and an earlier layer of each kind, in a "
                       "decoder without latents, indexer and encoder");
    }
    check_beside(at, "unused_kv", d->unused_kv, d->unused_kv && d->reused_kv_layers > 0, "reused_kv_layers");
    if (d->altup_inputs > 0 && (d->altup_inputs < 2 || d->streams > 1 || d->residual_block > 0)) {
        nnc_json_fault(at, "altup_inputs", "does not apply, expected at least 2, without streams and residual_block");
    }
    if (d->wide_reused && (d->reused_kv_layers == 0 || d->experts > 0 || d->ffn_widths_count > 0)) {
        nnc_json_fault(at, "wide_reused",
                       "does not apply, expected together with reused_kv_layers and dense MLPs of one width");
    }
}

static void decoder_rules(nnc_json at, const nnc_model *model) {
    const nnc_decoder *d = &model->decoder;
    check_inputs(at, d);
    check_shared(at, d);
    if (d->tower_inputs > 0 && model->tower_count == 0) {
        nnc_json_fault(at, "tower_inputs", "does not apply, expected together with towers, which read these inputs");
    }
    check_experts(at, d);
    check_latent(at, d);
    check_layers(at, d);
    check_ends(at, d);
    check_states(at, d);
    if (d->heads == 0) { return; }
    if (d->heads % d->kv_heads != 0) {
        nnc_json_fault(at, "kv_heads", "does not divide heads, expected a divisor of %" PRId64 ", found %" PRId64,
                       d->heads, d->kv_heads);
    }
    const int64_t window_heads = d->window_heads > 0 ? d->window_heads : d->heads;
    if (d->window_kv_heads > 0 && window_heads % d->window_kv_heads != 0) {
        nnc_json_fault(at, "window_kv_heads",
                       "does not divide the heads of layers with a window, expected a divisor of %" PRId64
                       ", found %" PRId64,
                       window_heads, d->window_kv_heads);
    }
    if (d->norm != NNC_NORM_LAYER && d->norm != NNC_NORM_RMS) {
        nnc_json_fault(at, "norm", "does not suit a decoder, expected layer or rms, found %s",
                       nnc_norm_kind_name(d->norm));
    }
    if (d->positions == NNC_POSITIONS_ROTARY && d->head_dim % 2 != 0) {
        nnc_json_fault(at, "head_dim", "odd, expected an even width for rotary positions, found %" PRId64, d->head_dim);
    }
    if (d->positions_max != 0 && !nnc_positions_learned(d->positions)) {
        nnc_json_fault(at, "positions_max",
                       "does not apply to %s positions, expected learned positions or no positions_max, found %" PRId64,
                       nnc_positions_name(d->positions), d->positions_max);
    } else if (d->positions_max != 0 && d->positions_max < d->seq_len) {
        nnc_json_fault(at, "positions_max", "shorter than a sequence, expected at least %" PRId64 ", found %" PRId64,
                       d->seq_len, d->positions_max);
    }
}

static const char *const keys[] = { "schema", "aliases", "sources", "references", "like", "towers", NULL };

const nnc_family_fields nnc_decoder_fields = {
    .table = { "decoder", fields, NNC_COUNT_OF(fields) },
    .complete = complete_decoder,
    .rules = decoder_rules,
    .keys = keys,
};
