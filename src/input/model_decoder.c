#include <inttypes.h>

#include "input/family_fields.h"
#include "input/graph_read.h"

#define DECODER(member) NNC_FIELD_IN(nnc_model, decoder, member)

static const nnc_field fields[] = {
    NNC_COMMON_FIELDS,
    { DECODER(layers), .min = 1, .max = NNC_LAYERS_MAX, .required = true, .help = "Blocks." },
    { DECODER(hidden), .min = 1, .max = NNC_WIDTH_MAX, .required = true,
      .help = "Width of the residual stream." },
    { DECODER(heads), .min = 1, .max = NNC_WIDTH_MAX, .help = "Query heads." },
    { DECODER(kv_heads), .min = 1, .max = NNC_WIDTH_MAX, .default_text = "heads",
      .help = "Key and value heads." },
    { DECODER(head_dim), .min = 1, .max = NNC_WIDTH_MAX, .default_text = "hidden / heads",
      .help = "Width of one head." },
    { DECODER(ffn_hidden), .min = 1, .max = NNC_WIDTH_MAX,
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
    { DECODER(expert_clamp), .rare = true, .default_text = "off",
      .help = "Gate and up of an expert are clamped before they are multiplied." },
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
    { DECODER(rotary_scale), .rare = true, .default_text = "off",
      .help = "Rotation also scales queries and keys, as YaRN has it." },
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
    { DECODER(expert_groups), .rare = true, .max = 1e5, .default_text = "0",
      .help = "Groups of neighbouring experts, of which a token's are in a few; 0 = in any." },
    { DECODER(groups_per_token), .rare = true, .max = 1e5, .default_text = "0",
      .help = "Groups that the experts of a token are in; 0 = any." },
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
    { DECODER(share_layers), .rare = true, .default_text = "off",
      .help = "All layers have the weights of the first (ALBERT)." },
    { DECODER(index_heads), .rare = true, .max = 1e5, .default_text = "0",
      .help = "Latent attention: queries per token of an indexer that picks tokens; 0 = none." },
    { DECODER(index_dim), .rare = true, .max = 1e6, .default_text = "0",
      .help = "Width of an indexer's query and key." },
    { DECODER(index_topk), .unit = "tokens", .rare = true, .max = NNC_TOKENS_MAX,
      .default_text = "0", .help = "Tokens that an indexer picks for each query." },
    { DECODER(bidirectional), .rare = true, .default_text = "off",
      .help = "Every token sees all others, as in an encoder; a window is half on either side." },
    { DECODER(head), NNC_FIELD_NAMES(nnc_model_head, NNC_MODEL_HEAD_COUNT), .rare = true,
      .default_text = "logits", .help = "What the states of the last layer are trained for." },
    { DECODER(head_width), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "0",
      .help = "Values of a projection head, classes of classes and tags." },
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
    { DECODER(ssm_inner), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "0",
      .help = "Values per token of layers that keep a state." },
    { DECODER(ssm_state), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "0",
      .help = "State of each of these values; of the gated delta rule the width of a key." },
    { DECODER(ssm_heads), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "0",
      .help = "Heads that share a decay." },
    { DECODER(ssm_groups), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "0",
      .help = "Keys and queries per token." },
    { DECODER(ssm_rank), .rare = true, .max = NNC_WIDTH_MAX, .default_text = "0",
      .help = "Rank of Mamba's time steps." },
    { DECODER(ssm_chunk), .unit = "tokens", .rare = true, .max = NNC_TOKENS_MAX,
      .default_text = "256, 64 of the gated delta rule",
      .help = "Tokens that meet in products before the state is passed on." },
    { DECODER(conv_kernel), .unit = "tokens", .rare = true, .max = 1e4, .default_text = "0",
      .help = "Tokens that the convolution of such a layer sees." },
    { DECODER(conv_bias), .rare = true, .default_text = "off",
      .help = "That convolution has a bias." },
    { DECODER(next_layers), .rare = true, .max = 1000, .default_text = "0",
      .help = "Layers that predict tokens further on; counted and run with --next-tokens." },
    { DECODER(no_state_norm), .rare = true, .default_text = "off",
      .help = "Mamba-2's output is gated without a norm of it (Falcon-H1)." },
    { DECODER(ssm_norms), .rare = true, .default_text = "off",
      .help = "Norms of Mamba's time steps and state projections." },
    { DECODER(head_share), .rare = true, .max = 1, .default_text = "0",
      .help =
          "Share of the positions that a head of masked words works on, 0.15 where those that are "
          "not masked are left out; 0 = all." },
    { DECODER(tower_inputs), .rare = true, .max = 1e5, .default_text = "0",
      .help = "Images, or sounds, that the towers of a configuration read for each sequence." },
};

/* The networks that make what the decoder reads beside words, each as a graph file has it. */
static void read_towers(nnc_json root, nnc_model *model)
{
    const nnc_json list = nnc_json_get(root, "towers");
    if (list.node != NULL &&
        (nnc_json_type_of(list) != NNC_JSON_LIST || nnc_json_count(list) > NNC_TOWERS_MAX)) {
        nnc_json_mismatch(list, "wrong value", "a list of one or two objects");
        return;
    }
    for (nnc_json at = nnc_json_first(list); at.node != NULL && nnc_json_go_on(at);
         at = nnc_json_next(at)) {
        nnc_graph_tower(at, model);
    }
}

static void complete(nnc_json root, nnc_model *model)
{
    nnc_decoder *d = &model->decoder;
    read_towers(root, model);
    if (d->heads == 0) { /* the rules say whether it may be */
        d->vocab_multiple = d->vocab_multiple == 0 ? 1 : d->vocab_multiple;
        return;
    }
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

static const char *const keys[] = { "schema", "aliases", "sources", "references",
                                    "like",   "towers",  NULL };

const nnc_family_fields nnc_decoder_fields = {
    .table = { "decoder", fields, NNC_COUNT_OF(fields) },
    .complete = complete,
    .rules = nnc_decoder_rules,
    .keys = keys,
};
