/* GPT-2, LLaMA, Mistral and Qwen2, as Hugging Face transformers writes them. Where a key is
 * absent, the default is the one of the configuration class. */
#include <stdio.h>
#include <string.h>

#include "input/foreign/foreign.h"
#include "input/read.h"

enum { LAYERS_MAX = 100000, WIDTH_MAX = 10000000, COUNT_MAX = 1000000000 };

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static const nnc_foreign_key gpt2_keys[] = {
    { "activation_function", NNC_KEY_READ, NULL },
    { "attn_pdrop", NNC_KEY_READ, NULL },
    { "embd_pdrop", NNC_KEY_READ, NULL },
    { "n_ctx", NNC_KEY_READ, NULL },
    { "n_embd", NNC_KEY_READ, NULL },
    { "n_head", NNC_KEY_READ, NULL },
    { "n_inner", NNC_KEY_READ, NULL },
    { "n_layer", NNC_KEY_READ, NULL },
    { "n_positions", NNC_KEY_READ, NULL },
    { "resid_pdrop", NNC_KEY_READ, NULL },
    { "tie_word_embeddings", NNC_KEY_READ, NULL },
    { "vocab_size", NNC_KEY_READ, NULL },
    /* how scores are scaled, not how many there are */
    { "layer_norm_epsilon", NNC_KEY_IGNORED, NULL },
    { "reorder_and_upcast_attn", NNC_KEY_IGNORED, NULL },
    { "scale_attn_by_inverse_layer_idx", NNC_KEY_IGNORED, NULL },
    { "scale_attn_weights", NNC_KEY_IGNORED, NULL },
    /* a head for another task */
    { "summary_activation", NNC_KEY_IGNORED, NULL },
    { "summary_first_dropout", NNC_KEY_IGNORED, NULL },
    { "summary_proj_to_labels", NNC_KEY_IGNORED, NULL },
    { "summary_type", NNC_KEY_IGNORED, NULL },
    { "summary_use_proj", NNC_KEY_IGNORED, NULL },
};

static nnc_mlp gpt2_activation(nnc_json root)
{
    static const char *const gelus[] = {
        "", "gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "quick_gelu", NULL
    };
    const char *name = nnc_foreign_word(root, "activation_function");
    if (strcmp(name, "relu") == 0) {
        return NNC_MLP_RELU;
    }
    if (!nnc_is_one_of(name, gelus)) {
        nnc_json_mismatch(nnc_json_get(root, "activation_function"), "unknown activation",
                          "relu or a gelu");
    }
    return NNC_MLP_GELU;
}

static void read_gpt2(nnc_json root, nnc_model *model)
{
    nnc_decoder *d = &model->decoder;
    model->family = NNC_FAMILY_DECODER;
    *d = (nnc_decoder){
        .layers = nnc_foreign_whole(root, "n_layer", LAYERS_MAX, NNC_REQUIRED),
        .hidden = nnc_foreign_whole(root, "n_embd", WIDTH_MAX, NNC_REQUIRED),
        .heads = nnc_foreign_whole(root, "n_head", WIDTH_MAX, NNC_REQUIRED),
        .vocab = nnc_foreign_whole(root, "vocab_size", COUNT_MAX, NNC_REQUIRED),
        .vocab_multiple = 1,
        .seq_len = nnc_foreign_whole(root, "n_positions", COUNT_MAX, NNC_REQUIRED),
        .positions = NNC_POSITIONS_LEARNED,
        .norm = NNC_NORM_LAYER,
        .mlp = gpt2_activation(root),
        .biases = true,
        .tied_head = nnc_foreign_flag(root, "tie_word_embeddings", true),
        .dropout = larger(nnc_foreign_probability(root, "resid_pdrop", 0.1),
                          larger(nnc_foreign_probability(root, "embd_pdrop", 0.1),
                                 nnc_foreign_probability(root, "attn_pdrop", 0.1))),
    };
    d->ffn_hidden = nnc_foreign_whole(root, "n_inner", WIDTH_MAX, 4 * d->hidden);
    d->kv_heads = d->heads;
    d->head_dim = d->hidden / d->heads;
    if (d->hidden % d->heads != 0) {
        nnc_json_mismatch(nnc_json_get(root, "n_head"), "does not divide n_embd", "a divisor");
    }
    if (nnc_foreign_whole(root, "n_ctx", COUNT_MAX, d->seq_len) != d->seq_len) {
        nnc_json_mismatch(nnc_json_get(root, "n_ctx"), "differs from n_positions", "the same");
    }
}

/* The decoders with RMS norms, rotary positions and a gated feed-forward layer. */
static const nnc_foreign_key gated_keys[] = {
    { "attention_dropout", NNC_KEY_READ, NULL },
    { "head_dim", NNC_KEY_READ, NULL },
    { "hidden_act", NNC_KEY_ONLY, "silu|swish" },
    { "hidden_size", NNC_KEY_READ, NULL },
    { "intermediate_size", NNC_KEY_READ, NULL },
    { "max_position_embeddings", NNC_KEY_READ, NULL },
    { "num_attention_heads", NNC_KEY_READ, NULL },
    { "num_hidden_layers", NNC_KEY_READ, NULL },
    { "num_key_value_heads", NNC_KEY_READ, NULL },
    { "rms_norm_eps", NNC_KEY_IGNORED, NULL },
    { "rope_parameters", NNC_KEY_IGNORED, NULL },
    { "rope_scaling", NNC_KEY_IGNORED, NULL },
    { "rope_theta", NNC_KEY_IGNORED, NULL },
    { "tie_word_embeddings", NNC_KEY_READ, NULL },
    { "vocab_size", NNC_KEY_READ, NULL },
};

static const nnc_foreign_key llama_keys[] = {
    { "attention_bias", NNC_KEY_READ, NULL },
    { "max_sequence_length", NNC_KEY_IGNORED, NULL }, /* the tokenizer's, in early files */
    { "mlp_bias", NNC_KEY_READ, NULL },
    { "pretraining_tp", NNC_KEY_IGNORED, NULL }, /* the same products, cut up */
};

static const nnc_foreign_key mistral_keys[] = {
    { "sliding_window", NNC_KEY_READ, NULL },
};

static const nnc_foreign_key qwen2_keys[] = {
    { "layer_types", NNC_KEY_READ, NULL },
    { "max_window_layers", NNC_KEY_READ, NULL },
    { "sliding_window", NNC_KEY_READ, NULL },
    { "use_sliding_window", NNC_KEY_READ, NULL },
};

/* kv_heads: 0 = as many as heads where the key is absent. */
static void read_gated(nnc_json root, nnc_model *model, int64_t kv_heads)
{
    nnc_decoder *d = &model->decoder;
    model->family = NNC_FAMILY_DECODER;
    *d = (nnc_decoder){
        .layers = nnc_foreign_whole(root, "num_hidden_layers", LAYERS_MAX, NNC_REQUIRED),
        .hidden = nnc_foreign_whole(root, "hidden_size", WIDTH_MAX, NNC_REQUIRED),
        .heads = nnc_foreign_whole(root, "num_attention_heads", WIDTH_MAX, NNC_REQUIRED),
        .ffn_hidden = nnc_foreign_whole(root, "intermediate_size", WIDTH_MAX, NNC_REQUIRED),
        .vocab = nnc_foreign_whole(root, "vocab_size", COUNT_MAX, NNC_REQUIRED),
        .vocab_multiple = 1,
        .seq_len = nnc_foreign_whole(root, "max_position_embeddings", COUNT_MAX, NNC_REQUIRED),
        .positions = NNC_POSITIONS_ROTARY,
        .norm = NNC_NORM_RMS,
        .mlp = NNC_MLP_SWIGLU,
        .tied_head = nnc_foreign_flag(root, "tie_word_embeddings", false),
        .dropout = nnc_foreign_probability(root, "attention_dropout", 0),
    };
    d->kv_heads = nnc_foreign_whole(root, "num_key_value_heads", WIDTH_MAX,
                                    kv_heads > 0 ? kv_heads : d->heads);
    const bool given = nnc_foreign_given(root, "head_dim");
    d->head_dim = nnc_foreign_whole(root, "head_dim", WIDTH_MAX, d->hidden / d->heads);
    if (!given && d->hidden % d->heads != 0) {
        nnc_json_mismatch(nnc_json_get(root, "num_attention_heads"), "does not divide hidden_size",
                          "a divisor");
    }
}

static void read_llama(nnc_json root, nnc_model *model)
{
    read_gated(root, model, 0);
    const bool attention = nnc_foreign_flag(root, "attention_bias", false);
    const bool mlp = nnc_foreign_flag(root, "mlp_bias", false);
    if (attention != mlp) {
        nnc_json_mismatch(nnc_json_get(root, attention ? "attention_bias" : "mlp_bias"),
                          "biases of one half of a block", "attention_bias and mlp_bias alike");
    }
    model->decoder.biases = attention;
}

static void read_mistral(nnc_json root, nnc_model *model)
{
    read_gated(root, model, 8);
    model->decoder.sliding_window =
        nnc_foreign_whole(root, "sliding_window", COUNT_MAX,
                          nnc_json_get(root, "sliding_window").node != NULL ? 0 : 4096);
}

/* Layers from max_window_layers on slide. layer_types, in newer files, says the same. */
static void read_window(nnc_json root, nnc_decoder *d)
{
    const nnc_json types = nnc_json_get(root, "layer_types");
    const nnc_json first = nnc_json_get(root, "max_window_layers");
    const bool slides = nnc_foreign_flag(root, "use_sliding_window", false);
    const double full = nnc_json_type_of(first) == NNC_JSON_NUMBER ? nnc_json_number(first) : 28;
    const bool all = full <= 0;
    if (slides && !all && full < (double)d->layers) {
        nnc_json_mismatch(first, "mixes full and sliding layers", "0 or at least the layers");
        return;
    }
    const char *type = slides && all ? "sliding_attention" : "full_attention";
    for (nnc_json at = nnc_json_first(types); at.node != NULL; at = nnc_json_next(at)) {
        if (nnc_json_type_of(at) != NNC_JSON_TEXT || strcmp(nnc_json_text(at), type) != 0) {
            nnc_json_mismatch(at, "a layer of another kind", type);
            return;
        }
    }
    if (slides && all) {
        d->sliding_window = nnc_foreign_whole(root, "sliding_window", COUNT_MAX, 4096);
    }
}

static void read_qwen2(nnc_json root, nnc_model *model)
{
    read_gated(root, model, 32);
    model->decoder.qkv_bias = true; /* part of the architecture, not of the file */
    read_window(root, &model->decoder);
}

const nnc_architecture nnc_decoder_architectures[4] = {
    { "gpt2", gpt2_keys, NULL, NNC_COUNT_OF(gpt2_keys), 0, read_gpt2 },
    { "llama", gated_keys, llama_keys, NNC_COUNT_OF(gated_keys), NNC_COUNT_OF(llama_keys),
      read_llama },
    { "mistral", gated_keys, mistral_keys, NNC_COUNT_OF(gated_keys), NNC_COUNT_OF(mistral_keys),
      read_mistral },
    { "qwen2", gated_keys, qwen2_keys, NNC_COUNT_OF(gated_keys), NNC_COUNT_OF(qwen2_keys),
      read_qwen2 },
};
