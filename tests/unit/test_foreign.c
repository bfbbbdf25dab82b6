/* Tests that published configurations are read as the right network, or are refused with the reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/foreign/foreign_internal.h"
#include "input/input_internal.h"
#include "spec_reader.h"

static const nnc_model *load(const char *name) {
    char path[512];
    const nnc_model *model;
    snprintf(path, sizeof(path), "%s/tests/data/foreign/%s.json", NNCOST_SOURCE_DIR, name);
    const nnc_status status = nnc_model_load(specs, path, &model, &err);
    ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
    ck_assert_str_eq(model->id, name);
    return model;
}

START_TEST(gpt2_is_read) {
    const nnc_model *m = load("gpt2");
    const nnc_decoder *d = &m->decoder;
    ck_assert_int_eq(m->family, NNC_FAMILY_DECODER);
    ck_assert_int_eq(d->layers, 12);
    ck_assert_int_eq(d->hidden, 768);
    ck_assert_int_eq(d->heads, 12);
    ck_assert_int_eq(d->kv_heads, 12);
    ck_assert_int_eq(d->head_dim, 64);
    ck_assert_int_eq(d->ffn_hidden, 3072); /* without n_inner: 4 n_embd */
    ck_assert_int_eq(d->vocab, 50257);
    ck_assert_int_eq(d->seq_len, 1024);
    ck_assert_int_eq(d->positions, NNC_POSITIONS_LEARNED);
    ck_assert_int_eq(d->norm, NNC_NORM_LAYER);
    ck_assert_int_eq(d->mlp, NNC_MLP_GELU);
    ck_assert(d->biases && d->tied_head);
    ck_assert_double_eq(d->dropout, 0.1);
}
END_TEST

START_TEST(llama2_is_read) {
    const nnc_decoder *d = &load("llama2-7b")->decoder;
    ck_assert_int_eq(d->layers, 32);
    ck_assert_int_eq(d->hidden, 4096);
    ck_assert_int_eq(d->ffn_hidden, 11008);
    ck_assert_int_eq(d->head_dim, 128);
    ck_assert_int_eq(d->seq_len, 4096);
    ck_assert_int_eq(d->positions, NNC_POSITIONS_ROTARY);
    ck_assert_int_eq(d->norm, NNC_NORM_RMS);
    ck_assert_int_eq(d->mlp, NNC_MLP_SWIGLU);
    ck_assert(!d->biases && !d->qkv_bias && !d->tied_head);
    ck_assert_double_eq(d->dropout, 0);
}
END_TEST

START_TEST(mistral_slides) {
    const nnc_decoder *d = &load("mistral-7b")->decoder;
    ck_assert_int_eq(d->kv_heads, 8);
    ck_assert_int_eq(d->ffn_hidden, 14336);
    ck_assert_int_eq(d->sliding_window, 4096);
    ck_assert_int_eq(d->seq_len, 8192); /* not 32768, which is possible */
}
END_TEST

START_TEST(qwen2_has_biases_on_qkv) {
    const nnc_decoder *d = &load("qwen2-7b")->decoder;
    ck_assert_int_eq(d->layers, 28);
    ck_assert_int_eq(d->kv_heads, 4);
    ck_assert_int_eq(d->head_dim, 128);
    ck_assert(d->qkv_bias && !d->biases);
    ck_assert_int_eq(d->sliding_window, 0); /* given, but not used */
}
END_TEST

static void check_stable_diffusion(const nnc_unet *u) {
    static const int64_t multipliers[] = { 1, 2, 4, 4 };
    static const bool attends[] = { true, true, true, false };
    ck_assert_int_eq(u->image, 512);
    ck_assert_int_eq(u->latent_factor, 8);
    ck_assert_int_eq(u->channels, 320);
    ck_assert_int_eq(u->levels, 4);
    ck_assert_int_eq(u->attention_levels_count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(u->channel_multipliers[i], multipliers[i]);
        ck_assert_int_eq(u->attention_levels[i], attends[i]);
    }
    ck_assert(u->middle_attention);
    ck_assert_int_eq(u->blocks_per_level, 2);
    ck_assert_int_eq(u->transformer_depth, 1);
    ck_assert_int_eq(u->time_embed_width, 1280);
    ck_assert_int_eq(u->context_len, 77);
}

/* In this configuration, attention_head_dim is the number of heads. */
START_TEST(stable_diffusion_1_has_eight_heads) {
    static const char *const names[] = { "sd1-unet", "sd1-unet-later" };
    const nnc_unet *u = &load(names[_i])->unet;
    check_stable_diffusion(u);
    ck_assert_int_eq(u->heads, 8);
    ck_assert_int_eq(u->head_width, 0);
    ck_assert_int_eq(u->context_width, 768);
    ck_assert(!u->linear_projections);
}
END_TEST

/* 5, 10, 20, 20 heads of 320, 640, 1280, 1280 channels are always 64 wide. */
START_TEST(stable_diffusion_2_has_heads_of_64) {
    const nnc_unet *u = &load("sd2-unet")->unet;
    check_stable_diffusion(u);
    ck_assert_int_eq(u->heads, 0);
    ck_assert_int_eq(u->head_width, 64);
    ck_assert_int_eq(u->context_width, 1024);
    ck_assert(u->linear_projections);
}
END_TEST

START_TEST(ddpm_attends_at_16) {
    static const int64_t multipliers[] = { 1, 2, 2, 2 };
    const nnc_unet *u = &load("ddpm-cifar10-32")->unet;
    ck_assert_int_eq(u->image, 32);
    ck_assert_int_eq(u->latent_factor, 1);
    ck_assert_int_eq(u->channels, 128);
    ck_assert_int_eq(u->levels, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(u->channel_multipliers[i], multipliers[i]);
        ck_assert_int_eq(u->attention_levels[i], i == 1); /* 32 / 2 */
    }
    ck_assert(u->middle_attention);
    ck_assert_int_eq(u->blocks_per_level, 2);
    ck_assert_int_eq(u->transformer_depth, 0);
    ck_assert_int_eq(u->heads, 1); /* attention_head_dim null */
    ck_assert_int_eq(u->time_embed_width, 512);
    ck_assert_int_eq(u->context_len, 0);
}
END_TEST

#define LLAMA                                                                                  \
    "{ \"model_type\": \"llama\", \"hidden_size\": 8, \"intermediate_size\": 16,\n"            \
    "\"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"max_position_embeddings\": 32,\n" \
    "\"vocab_size\": 100"
#define QWEN2                                                                                  \
    "{ \"model_type\": \"qwen2\", \"hidden_size\": 8, \"intermediate_size\": 16,\n"            \
    "\"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"max_position_embeddings\": 32,\n" \
    "\"vocab_size\": 100, \"num_key_value_heads\": 1"
#define UNET(attention)                                                       \
    "{ \"_class_name\": \"UNet2DConditionModel\", \"sample_size\": 8,\n"      \
    "\"in_channels\": 4, \"out_channels\": 4, \"cross_attention_dim\": 16,\n" \
    "\"block_out_channels\": [32, 64], \"layers_per_block\": 1, " attention   \
    "\"down_block_types\": [\"CrossAttnDownBlock2D\", \"DownBlock2D\"],\n"    \
    "\"up_block_types\": [\"UpBlock2D\", \"CrossAttnUpBlock2D\"]"

static nnc_status parse(const char *text, nnc_model *model) {
    memset(&err, 0, sizeof(err));
    return nnc_model_parse_into(specs, "c.json", text, strlen(text), model, &err);
}

#define REFUSED(type, found)                                                                                       \
    "changes the shape of a " type " in a way that nncost does not know, expected no such key, or your own model " \
    "file (nncost show llama3-8b --format json prints an example), found " found

static const struct {
    const char *text, *where, *what;
} faults[] = {
    { "{ \"model_type\": \"lama\" }", "c.json:1: model_type",
      "unknown architecture, expected one of those in docs/models.md, nearest llama, a file "
      "foreign/MODEL_TYPE.json of your own, or the shape as a model file (nncost show llama3-8b "
      "--format json), found \"lama\"" },
    { "{ \"model_type\": 3 }", "c.json:1: model_type",
      "unknown architecture, expected one of those in docs/models.md, a file "
      "foreign/MODEL_TYPE.json of your own, or the shape as a model file (nncost show llama3-8b "
      "--format json), found 3" },
    { LLAMA ",\n\"architectures\": [\"LlamaForRewardModel\"] }", "c.json:4: architectures[0]",
      "a class with another head, or without one, expected one that ends in ForCausalLM "
      "LMHeadModel ForSequenceClassification ForTokenClassification ForQuestionAnswering "
      "Model, found \"LlamaForRewardModel\"" },
    { LLAMA ",\n\"tie_word_embeddings\": null }", "c.json:4: tie_word_embeddings",
      "says nothing, expected true or false, found null" },
    { LLAMA ",\n\"num_experts\": 8 }", "c.json:4: num_experts", REFUSED("llama", "8") },
    { LLAMA ",\n\"sliding_window\": 8 }", "c.json:4: sliding_window", /* a Mistral key */
      REFUSED("llama", "8") },
    { LLAMA ",\n\"fast_path\": \"yes\" }", "c.json:4: fast_path",
      "unknown key, expected a key of a llama, found yes; --lenient skips the key if it does not change the shape of "
      "the "
      "network" },
    { LLAMA ",\n\"hidden_act\": \"relu\" }", "c.json:4: hidden_act",
      "changes the shape to a network that this version of nncost does not know, expected silu|swish, found \"relu\"" },
    { "{ \"model_type\": \"falcon_h1\",\n\"mamba_proj_bias\": true }", "c.json:2: mamba_proj_bias",
      "changes the shape to a network that this version of nncost does not know, expected false, found true" },
    { LLAMA ",\n\"pruned_heads\": { \"0\": [1] } }", "c.json:4: pruned_heads",
      "changes the shape to a network that this version of nncost does not know, expected empty, found an object" },
    { LLAMA ",\n\"num_key_value_heads\": 1.5 }", "c.json:4: num_key_value_heads",
      "not a whole number, expected a whole number, found 1.5" },
    { LLAMA ",\n\"vocab_size\": 200 }", "c.json:4: vocab_size",
      "repeated key, expected each key once, found this key again" },
    { "{ \"model_type\": \"gpt2\", \"n_layer\": 2 }", "c.json: n_embd",
      "missing, expected a whole number from 1 to 1e7, found nothing" },
    { QWEN2 ",\n\"layer_types\": [\"full_attention\", \"linear_attention\"] }", "c.json:4: layer_types[1]",
      "a kind of layer that this version of nncost does not know, expected one of full_attention, "
      "sliding_attention, found \"linear_attention\"" },
    { "{ \"model_type\": \"bert\", \"architectures\": [\"BertForTokenClassification\"],\n"
      "\"id2label\": { \"0\": \"a\" },\n\"num_labels\": 2 }",
      "c.json:3: num_labels", "differs from id2label, expected as many as names, found 2" },
    { "{ \"model_type\": \"bart\", \"architectures\": [\"BartForSequenceClassification\"] }", "c.json: id2label",
      "missing, expected the names of the classes, found nothing" },
    { "{ \"model_type\": \"mllama\", \"vision_config\": {},\n\"text_config\": {"
      " \"num_hidden_layers\": 2,\n\"cross_attention_layers\": [0, 1, 5] } }",
      "c.json:2: text_config.num_hidden_layers", "no layer is left, expected more than are listed, found 2" },
    { UNET("\"attention_head_dim\": [2, 3],\n") " }", "c.json:3: attention_head_dim[1]",
      "not a head count, expected a divisor of the level's channels, found 3" },
    { UNET("\"attention_head_dim\": [8, 4],\n") " }", "c.json:3: attention_head_dim",
      "uneven heads, expected one count or one width for all levels, found a list of 2" },
    { UNET("") ",\n\"addition_embed_type\": \"text_image\" }", "c.json:5: addition_embed_type",
      "changes the shape to a network that this version of nncost does not know, expected null|text_time, found "
      "\"text_image\"" },
    { UNET("") ",\n\"addition_embed_type\": \"text_time\" }", "c.json: projection_class_embeddings_input_dim",
      "missing, expected a whole number from 1 to 1e6, found nothing" },
    { UNET("") ",\n\"transformer_layers_per_block\": [1, 2, 3] }", "c.json: transformer_depths",
      "wrong length, expected 2 values, one per level, found 3" },
    { "{ \"_class_name\": \"UNet2DModel\", \"sample_size\": 8, \"in_channels\": 3,\n"
      "\"out_channels\": 3, \"block_out_channels\": [32, 48],\n"
      "\"down_block_types\": [], \"up_block_types\": [] }",
      "c.json:2: block_out_channels[1]", "not a multiple of the first level's, expected a whole multiple, found 48" },
    { "{ \"_class_name\": \"UNet2DModel\", \"sample_size\": 8, \"in_channels\": 3,\n"
      "\"out_channels\": 3, \"block_out_channels\": [32, 64],\n"
      "\"down_block_types\": [\"DownBlock2D\", \"AttnDownBlock2D\"],\n"
      "\"up_block_types\": [\"UpBlock2D\", \"UpBlock2D\"] }",
      "c.json:4: up_block_types[0]", "does not mirror down_block_types, expected AttnUpBlock2D, found \"UpBlock2D\"" },
    { "{ \"_class_name\": \"UNet2DModel\", \"sample_size\": 8, \"in_channels\": 3,\n"
      "\"out_channels\": 3, \"block_out_channels\": [32],\n"
      "\"down_block_types\": [\"SkipDownBlock2D\"], \"up_block_types\": [\"UpBlock2D\"] }",
      "c.json:3: down_block_types[0]",
      "unknown block, expected AttnDownBlock2D or DownBlock2D, found \"SkipDownBlock2D\"" },
};

START_TEST(what_is_not_known_is_refused) {
    nnc_model model;
    ck_assert_int_eq(parse(faults[_i].text, &model), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, faults[_i].where);
    ck_assert_str_eq(err.what, faults[_i].what);
}
END_TEST

START_TEST(variants_are_read) {
    nnc_model m;
    ck_assert_int_eq(parse(LLAMA " }", &m), NNC_OK);
    ck_assert_int_eq(m.decoder.kv_heads, 2);
    ck_assert_str_eq(m.id, "c");
    ck_assert_int_eq(parse(LLAMA ", \"attention_bias\": true, \"mlp_bias\": true }", &m), NNC_OK);
    ck_assert(m.decoder.qkv_bias && m.decoder.out_bias && m.decoder.mlp_bias);
    ck_assert_int_eq(parse(LLAMA ", \"head_dim\": 16, \"tie_word_embeddings\": true }", &m), NNC_OK);
    ck_assert_int_eq(m.decoder.head_dim, 16);
    ck_assert(m.decoder.tied_head);
    ck_assert_int_eq(parse(QWEN2 ", \"use_sliding_window\": true, \"max_window_layers\": 0, "
                                 "\"sliding_window\": 8 }",
                           &m),
                     NNC_OK);
    ck_assert_int_eq(m.decoder.sliding_window, 8);
    ck_assert_int_eq(parse(UNET("\"attention_head_dim\": [2, 4], \"num_attention_heads\": 4,\n") " }", &m), NNC_OK);
    ck_assert_int_eq(m.unet.heads, 4);
    ck_assert_int_eq(parse(UNET("\"attention_head_dim\": [4, 4],\n") " }", &m), NNC_OK);
    ck_assert_int_eq(m.unet.heads, 4);
}
END_TEST

/* The class of a network decides its head. */
START_TEST(classes_have_their_heads) {
    nnc_model m;
    ck_assert_int_eq(parse(LLAMA ", \"architectures\": [\"LlamaForCausalLM\"] }", &m), NNC_OK);
    ck_assert_int_eq(m.decoder.head, NNC_HEAD_LOGITS);
    ck_assert_int_eq(parse(LLAMA ", \"architectures\": [\"LlamaModel\"] }", &m), NNC_OK);
    ck_assert_int_eq(m.decoder.head, NNC_HEAD_NONE);
    ck_assert_int_eq(parse("{ \"model_type\": \"bert\", \"architectures\": [\"BertForMaskedLM\"] }", &m), NNC_OK);
    ck_assert_int_eq(m.decoder.head, NNC_HEAD_MASKED);
    ck_assert_int_eq(parse("{ \"model_type\": \"bert\", \"architectures\": [\"BertModel\"] }", &m), NNC_OK);
    ck_assert_int_eq(m.decoder.head, NNC_HEAD_POOLER);
    ck_assert_int_eq(parse(LLAMA ", \"architectures\": [\"LlamaForSequenceClassification\"],"
                                 " \"num_labels\": 1 }",
                           &m),
                     NNC_OK);
    ck_assert_int_eq(m.decoder.head, NNC_HEAD_PROJECTION); /* without a bias */
    ck_assert_int_eq(m.decoder.head_width, 1);
}
END_TEST

START_TEST(unknown_keys_that_say_nothing_pass) {
    nnc_model m;
    ck_assert_int_eq(parse(LLAMA ", \"a_b\": null, \"b_c\": false, \"c_d\": 0, \"d_e\": \"\", "
                                 "\"e_f\": [], \"f_g\": {} }",
                           &m),
                     NNC_OK);
    ck_assert_int_eq(m.note_count, 1); /* the note names the defaults of the class */
}
END_TEST

START_TEST(lenient_skips_and_names) {
    nnc_model m;
    const char text[] = LLAMA ", \"fast_path\": true, \"num_key_value_heads\": 2, "
                              "\"tie_word_embeddings\": false, \"attention_bias\": false, "
                              "\"mlp_bias\": false }";
    ck_assert_int_eq(parse(text, &m), NNC_BAD_SPEC);
    nnc_specs_set_lenient(specs, true);
    ck_assert_int_eq(parse(text, &m), NNC_OK);
    ck_assert_int_eq(m.note_count, 1);
    ck_assert_str_eq(m.notes[0], "skipped by --lenient: fast_path");
    /* Even with --lenient, nncost refuses a key of another architecture, and an unknown key with a number whose name
     * contains the name of a size, such as extra_hidden_size. */
    ck_assert_int_eq(parse(LLAMA ", \"kv_lora_rank\": 64 }", &m), NNC_BAD_SPEC);
    ck_assert_int_eq(parse(LLAMA ", \"extra_hidden_size\": 64 }", &m), NNC_BAD_SPEC);
    nnc_specs_set_lenient(specs, false);
}
END_TEST

/* Python writes numbers that JSON does not have, such as Infinity. nncost reads Infinity and NaN as texts, not as
 * numbers. */
START_TEST(python_numbers_are_texts) {
    nnc_model m;
    ck_assert_int_eq(parse(LLAMA ", \"rope_theta\": Infinity, \"rms_norm_eps\": -Infinity, "
                                 "\"_name_or_path\": \"NaN Infinity\", \"rope_scaling\": NaN }",
                           &m),
                     NNC_OK);
    ck_assert_int_eq(parse(LLAMA ",\n\"num_key_value_heads\": NaN }", &m), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, "c.json:4: num_key_value_heads");
}
END_TEST

/* A quantised model may have a long list of modules that are not quantised. */
START_TEST(long_lists_pass) {
    static char text[200000];
    nnc_model m;
    size_t used = (size_t)snprintf(text, sizeof text,
                                   LLAMA ", \"quantization_config\": { \"quant_method\": \"fp8\", "
                                         "\"ignore\": [\"a\"");
    for (int i = 0; i < 20000; i++) { used += (size_t)snprintf(text + used, sizeof text - used, ",\"b\""); }
    snprintf(text + used, sizeof text - used, "] } }");
    ck_assert_int_eq(parse(text, &m), NNC_OK);
    ck_assert_str_eq(
        m.notes[m.note_count - 1],
        "quantization_config (fp8) states how the weights are stored: \"nncost serve\" assumes fp8; a training "
        "step uses --precision and --policy");
}
END_TEST

START_TEST(defaults_are_named) {
    nnc_model m;
    ck_assert_int_eq(parse("{ \"model_type\": \"mistral\", \"hidden_size\": 64, "
                           "\"intermediate_size\": 16, \"num_hidden_layers\": 2, "
                           "\"num_attention_heads\": 16, \"max_position_embeddings\": 32, "
                           "\"vocab_size\": 100, \"sliding_window\": null }",
                           &m),
                     NNC_OK);
    ck_assert_int_eq(m.decoder.kv_heads, 8);       /* not 16 */
    ck_assert_int_eq(m.decoder.sliding_window, 0); /* null is not absent */
    ck_assert_int_eq(parse("{ \"model_type\": \"mistral\", \"hidden_size\": 64, "
                           "\"intermediate_size\": 16, \"num_hidden_layers\": 2, "
                           "\"num_attention_heads\": 16, \"max_position_embeddings\": 32, "
                           "\"vocab_size\": 100, \"num_key_value_heads\": null, "
                           "\"sliding_window\": null }",
                           &m),
                     NNC_OK);
    ck_assert_int_eq(m.decoder.kv_heads, 16);
    m = (nnc_model){ .family = NNC_FAMILY_DECODER };
    ck_assert_int_eq(parse("{ \"model_type\": \"mistral\", \"hidden_size\": 64, "
                           "\"intermediate_size\": 16, \"num_hidden_layers\": 2, "
                           "\"num_attention_heads\": 16, \"max_position_embeddings\": 32, "
                           "\"vocab_size\": 100, \"sliding_window\": null }",
                           &m),
                     NNC_OK);
    ck_assert_str_eq(m.notes[0], "not stated by the file, so nncost uses the defaults of mistral: "
                                 "tie_word_embeddings off, num_key_value_heads 8");
}
END_TEST

/* ---- which kind each layer is ---- */

#define LAYERS(type, more)                                                                     \
    "{ \"model_type\": \"" type "\", \"hidden_size\": 64, \"intermediate_size\": 16,\n"        \
    "\"num_hidden_layers\": 6, \"num_attention_heads\": 4, \"max_position_embeddings\": 32,\n" \
    "\"vocab_size\": 100, \"num_key_value_heads\": 4, " more " }"

/* Letters of mixers: F full, W window, C chunk, U without rotary positions. Letters of MLPs: D dense, E experts. */
static const struct {
    const char *text, *mixers, *mlps;
} patterns[] = {
    /* the kinds of layers repeat with a period that the class or the file gives */
    { LAYERS("gemma3_text", "\"sliding_window\": 8"), "WWWWWF", "" },
    { LAYERS("gemma3_text", "\"sliding_window\": 8, \"sliding_window_pattern\": 3"), "WWF", "" },
    { LAYERS("gemma2", "\"sliding_window\": 8"), "WF", "" },
    /* a list wins */
    { LAYERS("gemma2", "\"layer_types\": [\"full_attention\", \"sliding_attention\", \"full_attention\", "
                       "\"full_attention\", \"sliding_attention\", \"full_attention\"]"),
      "FWF", "" },
    { LAYERS("smollm3", "\"no_rope_layers\": [1, 1, 0, 1, 1, 0]"), "FFU", "" },
    { LAYERS("smollm3", "\"no_rope_layer_interval\": 2"), "FU", "" },
    /* all layers from a given number on have another kind than the layers before */
    { LAYERS("qwen2", "\"use_sliding_window\": true, \"max_window_layers\": 4"), "FFFFWW", "" },
    { LAYERS("qwen2", "\"use_sliding_window\": true, \"max_window_layers\": 9"), "", "" },
    /* layers with experts can be every second layer except listed layers, a range of layers, or only listed layers */
    { LAYERS("qwen3_moe", "\"decoder_sparse_step\": 2"), "", "DE" },
    { LAYERS("qwen3_moe", "\"mlp_only_layers\": [1, 5]"), "", "EDEE" },
    { LAYERS("qwen3_moe", "\"mlp_only_layers\": []"), "", "" },
    { LAYERS("ernie4_5_moe", "\"moe_layer_start_index\": 1, \"moe_layer_end_index\": 4"), "", "DEEEE" },
    { LAYERS("llama4_text", "\"intermediate_size_mlp\": 32, \"num_local_experts\": 4, "
                            "\"interleave_moe_layer_step\": 2, \"attention_chunk_size\": 8"),
      "CCCU", "DE" },
    { LAYERS("llama4_text", "\"intermediate_size_mlp\": 32, \"num_local_experts\": 4, "
                            "\"moe_layers\": [2, 5], \"attention_chunk_size\": 8"),
      "CCCU", "DDE" },
};

START_TEST(layers_follow_patterns) {
    nnc_model m;
    char mixers[8] = "", mlps[8] = "";
    const nnc_status status = parse(patterns[_i].text, &m);
    ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
    for (int32_t i = 0; i < m.decoder.mixers_count && i < 7; i++) { mixers[i] = "FWCU"[m.decoder.mixers[i]]; }
    for (int32_t i = 0; i < m.decoder.mlps_count && i < 7; i++) { mlps[i] = "DE"[m.decoder.mlps[i]]; }
    ck_assert_str_eq(mixers, patterns[_i].mixers);
    ck_assert_str_eq(mlps, patterns[_i].mlps);
}
END_TEST

static const struct {
    const char *text, *where, *what;
} bad_patterns[] = {
    { LAYERS("gemma2", "\n\"layer_types\": [\"full_attention\"]"), "c.json:4: layer_types",
      "wrong length, expected one for each of the 6 layers, found a list of 1" },
    { LAYERS("gemma3_text", "\n\"sliding_window_pattern\": 0"), "c.json:4: sliding_window_pattern",
      "out of range, expected a whole number from 1, found 0" },
    { LAYERS("qwen3_moe", "\n\"mlp_only_layers\": [6]"), "c.json:4: mlp_only_layers[0]",
      "no layer, expected the number of one, from 0, found 6" },
    { LAYERS("smollm3", "\n\"no_rope_layers\": [1, 1, 0, 1, 1, 2]"), "c.json:4: no_rope_layers[5]",
      "a kind of layer that this version of nncost does not know, expected one of 1, 0, found 2" },
    /* In this file, the number of heads of a layer does not follow the kind of the layer. */
    { "{ \"model_type\": \"laguna\", \"hidden_size\": 64, \"intermediate_size\": 16, \"num_hidden_layers\": 4,\n"
      "\"num_attention_heads\": 48, \"max_position_embeddings\": 32, \"vocab_size\": 100,\n"
      "\"layer_types\": [\"full_attention\", \"sliding_attention\", \"full_attention\", \"sliding_attention\"],\n"
      "\"num_attention_heads_per_layer\": [64, 48, 64, 48] }",
      "c.json:4: num_attention_heads_per_layer",
      "disagrees with other kinds of layers, expected full, window, found window, full" },
    /* The pattern has 4 letters, and 6 layers are not a multiple of 4. */
    { LAYERS("exaone4", "\n\"sliding_window\": 8, \"sliding_window_pattern\": \"LLLG\""),
      "c.json:4: sliding_window_pattern", "wrong length, expected one for each of the 6 layers, found \"LLLG\"" },
    /* layers from 1 */
    { LAYERS(
          "kimi_linear",
          "\"num_experts\": 4, \"num_experts_per_token\": 2, \"moe_intermediate_size\": 8, \"linear_attn_config\": {\n"
          "\"num_heads\": 4, \"head_dim\": 8, \"short_conv_kernel_size\": 4, \"full_attn_layers\": [0] }"),
      "c.json:4: linear_attn_config.full_attn_layers[0]", "no layer, expected the number of one, from 1, found 0" },
    /* the file has two different keys for the same number */
    { LAYERS("glm_moe_dsa", "\"n_routed_experts\": 8, \"moe_intermediate_size\": 8, \"n_shared_experts\": 1, "
                            "\"num_experts_per_tok\": 2,\n"
                            "\"num_experts\": 16"),
      "c.json:4: num_experts", "differs from n_routed_experts, expected the same, found 16" },
};

START_TEST(bad_patterns_are_refused) {
    nnc_model m;
    ck_assert_int_eq(parse(bad_patterns[_i].text, &m), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, bad_patterns[_i].where);
    ck_assert_str_eq(err.what, bad_patterns[_i].what);
}
END_TEST

/* All shipped architectures. Faults in the files of architectures are written to err. */
static nnc_faults row_faults;
static nnc_foreign_set rows;

static const nnc_architecture *const *open_rows(int32_t *count) {
    row_faults = (nnc_faults){ .name = "rows", .err = &err };
    nnc_foreign_open(&rows, specs, nnc_specs_arena(specs), &row_faults);
    const nnc_architecture *const *all = nnc_foreign_all(&rows, count);
    ck_assert_int_gt(*count, 150);
    return all;
}

/* docs/models.md must name every architecture. */
START_TEST(rows_are_documented) {
    char *page = NULL, word[80];
    size_t size = 0;
    int32_t count;
    const nnc_architecture *const *all = open_rows(&count);
    ck_assert_int_eq(nnc_file_read(NNCOST_SOURCE_DIR "/docs/models.md", &page, &size, &err), NNC_OK);
    for (int32_t i = 0; i < count; i++) {
        snprintf(word, sizeof word, "`%s`", all[i]->id);
        ck_assert_msg(all[i]->base || strstr(page, word) != NULL, "%s", all[i]->id);
    }
    free(page);
    nnc_foreign_close(&rows);
}
END_TEST

/* Every file of the folder must be readable and must name only fields of a model. The test finds faults in the files of
 * architectures without a configuration of a model. */
START_TEST(rows_name_fields) {
    int32_t count;
    nnc_id_list list = { .count = 0 };
    const nnc_architecture *const *all = open_rows(&count);
    const nnc_json_doc doc = { .faults = &row_faults, .arena = nnc_specs_arena(specs) };
    ck_assert(nnc_specs_list_folder(specs, "foreign", &list));
    for (int32_t i = 0; i < list.count; i++) {
        const nnc_architecture *row = nnc_foreign_find(&rows, list.ids[i]);
        ck_assert_msg(row != NULL, "%s: %s", err.where, err.what);
    }
    for (int32_t i = 0; i < count; i++) {
        nnc_model model = { .id = "" };
        nnc_foreign_file file = { .at = nnc_json_root(&doc), .set = &rows, .row = all[i], .model = &model };
        const bool network =
            all[i]->text.node == NULL && all[i]->stands_for.node == NULL && all[i]->refuses[0] == '\0' && !all[i]->base;
        ck_assert_msg(!network || nnc_foreign_begin(&file), "%s: %s", err.where, err.what);
        ck_assert_msg(all[i]->refuses[0] == '\0' || strstr(all[i]->refuses, ", expected ") != NULL, "%s", all[i]->id);
    }
    nnc_foreign_close(&rows);
}
END_TEST

/* A file may name other architectures in addition to "like". Every architecture that a file names must exist. */
START_TEST(rows_name_rows) {
    int32_t count;
    const nnc_architecture *const *all = open_rows(&count);
    for (int32_t i = 0; i < count; i++) {
        const nnc_json lists[] = { all[i]->text, all[i]->parts };
        for (int l = 0; l < 2; l++) {
            for (nnc_json at = nnc_json_first(lists[l]); at.node != NULL; at = nnc_json_next(at)) {
                const char *name = nnc_json_text(nnc_json_get(at, "like"));
                ck_assert_msg(nnc_foreign_find(&rows, name) != NULL, "%s: %s", all[i]->id, name);
            }
        }
        const nnc_json is = nnc_json_get(all[i]->stands_for, "is");
        for (nnc_json at = nnc_json_first(is); at.node != NULL; at = nnc_json_next(at)) {
            ck_assert_msg(nnc_foreign_find(&rows, nnc_json_text(at)) != NULL, "%s", all[i]->id);
        }
    }
    nnc_foreign_close(&rows);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("foreign");
    TCase *tests = add_case(suite, "foreign", set_up, tear_down);
    tcase_add_test(tests, gpt2_is_read);
    tcase_add_test(tests, llama2_is_read);
    tcase_add_test(tests, mistral_slides);
    tcase_add_test(tests, qwen2_has_biases_on_qkv);
    tcase_add_loop_test(tests, stable_diffusion_1_has_eight_heads, 0, 2);
    tcase_add_test(tests, stable_diffusion_2_has_heads_of_64);
    tcase_add_test(tests, ddpm_attends_at_16);
    tcase_add_loop_test(tests, what_is_not_known_is_refused, 0, (int)COUNT_OF(faults));
    tcase_add_test(tests, variants_are_read);
    tcase_add_test(tests, classes_have_their_heads);
    tcase_add_test(tests, unknown_keys_that_say_nothing_pass);
    tcase_add_test(tests, lenient_skips_and_names);
    tcase_add_test(tests, python_numbers_are_texts);
    tcase_add_test(tests, long_lists_pass);
    tcase_add_test(tests, defaults_are_named);
    tcase_add_loop_test(tests, layers_follow_patterns, 0, (int)COUNT_OF(patterns));
    tcase_add_loop_test(tests, bad_patterns_are_refused, 0, (int)COUNT_OF(bad_patterns));
    tcase_add_test(tests, rows_name_fields);
    tcase_add_test(tests, rows_name_rows);
    tcase_add_test(tests, rows_are_documented);
    return run_suite(suite);
}
