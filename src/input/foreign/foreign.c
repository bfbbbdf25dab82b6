#include "input/foreign/foreign.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "input/kind.h"
#include "input/read.h"

/* Keys that any configuration may have. */
static const nnc_foreign_key common_keys[] = {
    { "_class_name", NNC_KEY_READ, NULL },
    { "model_type", NNC_KEY_READ, NULL },
    /* where it comes from */
    { "_commit_hash", NNC_KEY_IGNORED, NULL },
    { "_diffusers_version", NNC_KEY_IGNORED, NULL },
    { "_name_or_path", NNC_KEY_IGNORED, NULL },
    { "architectures", NNC_KEY_IGNORED, NULL },
    { "auto_map", NNC_KEY_IGNORED, NULL },
    { "transformers_version", NNC_KEY_IGNORED, NULL },
    /* number format and kernels: the plan's and the software profile's business */
    { "_attn_implementation", NNC_KEY_IGNORED, NULL },
    { "_attn_implementation_autoset", NNC_KEY_IGNORED, NULL },
    { "attn_implementation", NNC_KEY_IGNORED, NULL },
    { "dtype", NNC_KEY_IGNORED, NULL },
    { "gradient_checkpointing", NNC_KEY_IGNORED, NULL },
    { "torch_dtype", NNC_KEY_IGNORED, NULL },
    { "torchscript", NNC_KEY_IGNORED, NULL },
    { "use_bfloat16", NNC_KEY_IGNORED, NULL },
    /* tokens */
    { "bos_token_id", NNC_KEY_IGNORED, NULL },
    { "decoder_start_token_id", NNC_KEY_IGNORED, NULL },
    { "eos_token_id", NNC_KEY_IGNORED, NULL },
    { "pad_token_id", NNC_KEY_IGNORED, NULL },
    { "sep_token_id", NNC_KEY_IGNORED, NULL },
    { "tokenizer_class", NNC_KEY_IGNORED, NULL },
    { "unk_token_id", NNC_KEY_IGNORED, NULL },
    /* initialisation, and heads for other tasks */
    { "finetuning_task", NNC_KEY_IGNORED, NULL },
    { "id2label", NNC_KEY_IGNORED, NULL },
    { "initializer_range", NNC_KEY_IGNORED, NULL },
    { "label2id", NNC_KEY_IGNORED, NULL },
    { "num_labels", NNC_KEY_IGNORED, NULL },
    { "problem_type", NNC_KEY_IGNORED, NULL },
    { "task_specific_params", NNC_KEY_IGNORED, NULL },
    /* generation, cache and output */
    { "do_sample", NNC_KEY_IGNORED, NULL },
    { "keys_to_ignore_at_inference", NNC_KEY_IGNORED, NULL },
    { "max_length", NNC_KEY_IGNORED, NULL },
    { "min_length", NNC_KEY_IGNORED, NULL },
    { "num_beams", NNC_KEY_IGNORED, NULL },
    { "output_attentions", NNC_KEY_IGNORED, NULL },
    { "output_hidden_states", NNC_KEY_IGNORED, NULL },
    { "output_past", NNC_KEY_IGNORED, NULL },
    { "prefix", NNC_KEY_IGNORED, NULL },
    { "repetition_penalty", NNC_KEY_IGNORED, NULL },
    { "return_dict", NNC_KEY_IGNORED, NULL },
    { "temperature", NNC_KEY_IGNORED, NULL },
    { "top_k", NNC_KEY_IGNORED, NULL },
    { "top_p", NNC_KEY_IGNORED, NULL },
    { "use_cache", NNC_KEY_IGNORED, NULL },
    /* would change the network */
    { "add_cross_attention", NNC_KEY_ONLY, "false" },
    { "is_decoder", NNC_KEY_IGNORED, NULL },
    { "is_encoder_decoder", NNC_KEY_ONLY, "false" },
    { "pruned_heads", NNC_KEY_ONLY, "empty" },
};

static const nnc_foreign_key *find_key(const nnc_foreign_key *keys, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].key, key) == 0) {
            return &keys[i];
        }
    }
    return NULL;
}

/* Is the value one of those in `only`? */
static bool allowed(nnc_json at, const char *only)
{
    char number[NNC_NUMBER_TEXT];
    const char *value = "";
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_ABSENT:
    case NNC_JSON_NULL: return true;
    case NNC_JSON_BOOL: value = nnc_json_bool(at) ? "true" : "false"; break;
    case NNC_JSON_NUMBER: value = nnc_number_text(nnc_json_number(at), number); break;
    case NNC_JSON_TEXT: value = nnc_json_text(at); break;
    case NNC_JSON_LIST:
    case NNC_JSON_OBJECT: return strcmp(only, "empty") == 0 && nnc_json_count(at) == 0;
    }
    const size_t length = strlen(value);
    for (const char *one = only; one != NULL;) {
        const size_t size = strcspn(one, "|");
        if (size == length && memcmp(one, value, size) == 0) {
            return true;
        }
        one = one[size] == '|' ? one + size + 1 : NULL;
    }
    return false;
}

static void check_keys(nnc_json root, const nnc_architecture *how)
{
    for (nnc_json at = nnc_json_first(root); at.node != NULL && nnc_json_go_on(at);
         at = nnc_json_next(at)) {
        const char *name = nnc_json_key(at);
        const nnc_foreign_key *key = find_key(how->keys, how->key_count, name);
        if (key == NULL) {
            key = find_key(how->more_keys, how->more_key_count, name);
        }
        if (key == NULL) {
            key = find_key(common_keys, NNC_COUNT_OF(common_keys), name);
        }
        if (key == NULL) {
            nnc_json_fault(
                at, NULL, "unknown key, expected those of a %s this version knows, found \"%.60s\"",
                how->name, name);
        } else if (key->use == NNC_KEY_ONLY && !allowed(at, key->only)) {
            char expected[96];
            snprintf(expected, sizeof(expected), "%s", key->only);
            nnc_json_mismatch(at, "shapes a network this version does not know", expected);
        }
    }
}

bool nnc_foreign_given(nnc_json root, const char *key)
{
    const nnc_json_type type = nnc_json_type_of(nnc_json_get(root, key));
    return type != NNC_JSON_ABSENT && type != NNC_JSON_NULL;
}

int64_t nnc_foreign_whole(nnc_json root, const char *key, int64_t max, int64_t fallback)
{
    const nnc_field limits = { .name = key, .type = NNC_FIELD_I64, .min = 1, .max = (double)max };
    char expected[128];
    if (!nnc_foreign_given(root, key)) {
        if (fallback == NNC_REQUIRED) {
            nnc_field_expected(&limits, expected, sizeof(expected));
            nnc_json_fault(root, key, "missing, expected %s, found nothing", expected);
            return 1;
        }
        return fallback;
    }
    const nnc_json at = nnc_json_get(root, key);
    if (nnc_json_type_of(at) != NNC_JSON_NUMBER) {
        nnc_field_expected(&limits, expected, sizeof(expected));
        nnc_json_mismatch(at, "wrong type", expected);
        return 1;
    }
    const char *what = nnc_field_refuse(&limits, nnc_json_number(at), expected, sizeof(expected));
    if (what != NULL) {
        nnc_json_mismatch(at, what, expected);
        return 1;
    }
    return (int64_t)nnc_json_number(at);
}

bool nnc_foreign_flag(nnc_json root, const char *key, bool fallback)
{
    const nnc_json at = nnc_json_get(root, key);
    if (!nnc_foreign_given(root, key)) {
        return fallback;
    }
    if (nnc_json_type_of(at) != NNC_JSON_BOOL) {
        nnc_json_mismatch(at, "wrong type", "true or false");
        return fallback;
    }
    return nnc_json_bool(at);
}

double nnc_foreign_probability(nnc_json root, const char *key, double fallback)
{
    const nnc_json at = nnc_json_get(root, key);
    if (!nnc_foreign_given(root, key)) {
        return fallback;
    }
    if (nnc_json_type_of(at) != NNC_JSON_NUMBER ||
        !(nnc_json_number(at) >= 0 && nnc_json_number(at) < 1)) {
        nnc_json_mismatch(at, "not a probability", "a number from 0 to below 1");
        return fallback;
    }
    return nnc_json_number(at);
}

const char *nnc_foreign_word(nnc_json root, const char *key)
{
    const nnc_json at = nnc_json_get(root, key);
    if (!nnc_foreign_given(root, key)) {
        return "";
    }
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        nnc_json_mismatch(at, "wrong type", "text");
        return "";
    }
    return nnc_json_text(at);
}

bool nnc_is_foreign(nnc_json root)
{
    return nnc_json_type_of(root) == NNC_JSON_OBJECT && !nnc_foreign_given(root, "schema") &&
           (nnc_foreign_given(root, "model_type") || nnc_foreign_given(root, "_class_name"));
}

static const nnc_architecture *find_architecture(const char *name)
{
    for (size_t i = 0; i < NNC_COUNT_OF(nnc_decoder_architectures); i++) {
        if (strcmp(nnc_decoder_architectures[i].name, name) == 0) {
            return &nnc_decoder_architectures[i];
        }
    }
    for (size_t i = 0; i < NNC_COUNT_OF(nnc_unet_architectures); i++) {
        if (strcmp(nnc_unet_architectures[i].name, name) == 0) {
            return &nnc_unet_architectures[i];
        }
    }
    return NULL;
}

void nnc_foreign_read(nnc_json root, nnc_model *model)
{
    const char *key = nnc_foreign_given(root, "_class_name") ? "_class_name" : "model_type";
    const nnc_json at = nnc_json_get(root, key);
    const nnc_architecture *how =
        nnc_json_type_of(at) == NNC_JSON_TEXT ? find_architecture(nnc_json_text(at)) : NULL;
    if (how == NULL) {
        nnc_json_mismatch(at, "unknown architecture",
                          "one of gpt2, llama, mistral, qwen2, UNet2DConditionModel, UNet2DModel");
        return;
    }
    check_keys(root, how);
    if (nnc_json_go_on(root)) {
        how->read(root, model);
    }
    if (root.doc->faults->count == 0) {
        nnc_model_rules(root, model);
    }
}
