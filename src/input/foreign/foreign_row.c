/* The table of architectures, and which keys a row knows. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "input/foreign/foreign.h"

const nnc_architecture *const nnc_foreign_tables[NNC_FOREIGN_TABLES] = { nnc_foreign_decoders,
                                                                         nnc_foreign_unets };

/* What any configuration may have: where it comes from; number format and kernels, which are the plan's and
 * the software profile's business; tokens; initialisation, and heads for other tasks; generation, cache and
 * output. quantization_config says how weights are stored, and is noted. */
static const char common_harmless[] =
    "_class_name model_type _commit_hash _diffusers_version _name_or_path architectures auto_map "
    "transformers_version transformers.js_config _attn_implementation "
    "_attn_implementation_autoset _attn_implementation_internal attn_implementation "
    "dtype gradient_checkpointing torch_dtype torchscript use_bfloat16 bos_token_id "
    "decoder_start_token_id eos_token_id pad_token_id sep_token_id mask_token_id cls_token_id "
    "tokenizer_class unk_token_id image_token_id video_token_id finetuning_task id2label "
    "initializer_range initializer_factor label2id num_labels _num_labels problem_type "
    "task_specific_params do_sample keys_to_ignore_at_inference max_length min_length num_beams "
    "output_attentions output_hidden_states output_past prefix repetition_penalty return_dict "
    "temperature top_k top_p use_cache is_decoder quantization_config compression_config "
    "unsloth_version unsloth_fixed is_llama_config use_mrope rope_interleaved max_window_size "
    "use_flash_attn use_flash_attention use_flash_attention_2 license pretraining_tp "
    "forced_bos_token_id forced_eos_token_id length_penalty no_repeat_ngram_size early_stopping "
    "diversity_penalty num_beam_groups num_return_sequences bad_words_ids typical_p";

static const char common_only[] = "add_cross_attention=false is_encoder_decoder=false "
                                  "pruned_heads=empty chunk_size_feed_forward=0 "
                                  "tie_encoder_decoder=false cross_attention_hidden_size=null";

const nnc_architecture *nnc_foreign_row(const char *name)
{
    for (int t = 0; name != NULL && t < NNC_FOREIGN_TABLES; t++) {
        for (const nnc_architecture *row = nnc_foreign_tables[t]; row->name != NULL; row++) {
            if (strcmp(row->name, name) == 0) {
                return row;
            }
        }
    }
    return NULL;
}

const nnc_architecture *nnc_foreign_next(const nnc_architecture *row, const nnc_architecture *after)
{
    if (row == after) {
        return NULL;
    }
    const nnc_architecture *below = nnc_foreign_row(row->like);
    while (below != after) {
        row = below;
        below = nnc_foreign_row(row->like);
    }
    return row;
}

const char *nnc_foreign_word(const char *words, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = words; at != NULL && *at != '\0';) {
        const size_t size = strcspn(at, " ");
        if (strncmp(at, key, length) == 0 && length <= size && strchr("= ", at[length]) != NULL) {
            return at;
        }
        at += size + strspn(at + size, " ");
    }
    return NULL;
}

const char *nnc_foreign_value(const char *words, const char *key, char *value, size_t size)
{
    const char *word = nnc_foreign_word(words, key);
    if (word == NULL) {
        return NULL;
    }
    word += strlen(key);
    snprintf(value, size, "%.*s", (int)strcspn(word, " ") - (*word == '='), word + (*word == '='));
    return value;
}

bool nnc_foreign_names(const char *names, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = names; *at != '\0'; at += *at == '|') {
        const size_t size = strcspn(at, "|");
        if (size >= length && memcmp(at, key, length) == 0 &&
            (size == length || at[length] == '.')) {
            return true;
        }
        at += size;
    }
    return false;
}

/* Does the row itself read the key into a field? */
static bool reads(const nnc_architecture *row, const char *key)
{
    const nnc_foreign_key *k = row->keys;
    while (k != NULL && k->key != NULL && !nnc_foreign_names(k->key, key)) {
        k++;
    }
    return (k != NULL && k->key != NULL) || nnc_foreign_word(row->reads, key) != NULL;
}

static bool speaks_of(const nnc_architecture *row, const char *key)
{
    return reads(row, key) || nnc_foreign_word(row->only, key) != NULL ||
           nnc_foreign_word(row->harmless, key) != NULL;
}

bool nnc_foreign_overridden(const nnc_architecture *asked, const nnc_architecture *row,
                            const char *names)
{
    for (; asked != row; asked = nnc_foreign_row(asked->like)) {
        char key[64];
        for (const char *at = names; *at != '\0'; at += *at == '|') {
            const size_t size = strcspn(at, "|");
            snprintf(key, sizeof key, "%.*s", (int)size, at);
            if (speaks_of(asked, key)) {
                return true;
            }
            at += size;
        }
    }
    return false;
}

bool nnc_foreign_shapes(const char *key)
{
    for (int t = 0; t < NNC_FOREIGN_TABLES; t++) {
        for (const nnc_architecture *row = nnc_foreign_tables[t]; row->name != NULL; row++) {
            if (reads(row, key) || nnc_foreign_word(row->only, key) != NULL) {
                return true;
            }
        }
    }
    return nnc_foreign_word(common_only, key) != NULL;
}

/* Is the value one of those in `only`? */
static bool allowed(nnc_json at, const char *only)
{
    char text[64];
    const char *value = nnc_foreign_text(at, text, sizeof text);
    if (nnc_json_type_of(at) == NNC_JSON_NULL) {
        return true;
    }
    if (value == NULL) {
        return strcmp(only, "empty") == 0 && nnc_json_count(at) == 0;
    }
    const size_t length = strlen(value);
    for (const char *c = only; *c != '\0'; c += strcspn(c, "|"), c += *c == '|') {
        if (strcspn(c, "|") == length && memcmp(c, value, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Null, false, 0, "" or nothing inside. */
static bool says_nothing(nnc_json at)
{
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_ABSENT:
    case NNC_JSON_NULL: return true;
    case NNC_JSON_BOOL: return !nnc_json_bool(at);
    case NNC_JSON_NUMBER: return nnc_json_number(at) == 0;
    case NNC_JSON_TEXT: return nnc_json_text(at)[0] == '\0';
    case NNC_JSON_LIST:
    case NNC_JSON_OBJECT: return nnc_json_count(at) == 0;
    }
    return false;
}

/* A number under a name that speaks of a size is part of a shape, whoever wrote it. */
static bool looks_like_size(nnc_json at, const char *key)
{
    static const char *const parts[] = { "num_",  "n_",     "layer", "hidden", "_dim",  "_size",
                                         "_rank", "expert", "heads", "width",  "depth", "channel" };
    bool sized = false;
    for (size_t i = 0; i < NNC_COUNT_OF(parts); i++) {
        sized = sized || strstr(key, parts[i]) != NULL;
    }
    return sized && nnc_json_type_of(at) == NNC_JSON_NUMBER && nnc_json_number(at) >= 1;
}

static void refuse_unknown(nnc_foreign_file *file, nnc_json at, const char *key)
{
    char text[64];
    const char *value = nnc_foreign_text(at, text, sizeof text);
    const char *name = file->row->name;
    if (nnc_foreign_shapes(key) || looks_like_size(at, key)) {
        nnc_json_fault(
            at, NULL,
            "shapes a network in a way that a %s is not known to, expected it left out, or "
            "the shape as a file of your own (nncost show llama3-8b --format json), "
            "found %.60s",
            name, value != NULL ? value : "more than one value");
    } else if (!at.doc->lenient) {
        nnc_json_fault(
            at, NULL,
            "unknown key, expected those of a %s; --lenient skips it if it does not shape the "
            "network, found %.60s",
            name, value != NULL ? value : "more than one value");
    } else {
        nnc_foreign_note(file->skipped, sizeof file->skipped, "%.60s", key);
    }
}

/* Is the key known to the row or one that it is like? Faults where its value is not. */
static bool check_known(nnc_foreign_file *file, nnc_json at, const char *key)
{
    char only[128];
    const nnc_architecture *row = file->row;
    while (row != NULL && !speaks_of(row, key)) {
        row = nnc_foreign_row(row->like);
    }
    if (nnc_foreign_value(row != NULL ? row->only : common_only, key, only, sizeof only) != NULL &&
        !allowed(at, only)) {
        nnc_json_mismatch(at, "shapes a network this version does not know", only);
    }
    return row != NULL || nnc_foreign_word(common_only, key) != NULL ||
           nnc_foreign_word(common_harmless, key) != NULL;
}

/* The members of an object, whose names begin with its own inside another. Calls itself once for a key
 * inside an object, as deep as a row's names go. */
static void check_members(nnc_foreign_file *file, nnc_json object, const char *prefix, int depth)
{
    for (nnc_json at = nnc_json_first(object); at.node != NULL && nnc_json_go_on(at);
         at = nnc_json_next(at)) {
        char key[160];
        snprintf(key, sizeof key, "%s%.80s", prefix, nnc_json_key(at));
        const bool known = check_known(file, at, key);
        bool inside = false;
        for (const nnc_architecture *row = file->row; row != NULL && depth < 2;
             row = nnc_foreign_row(row->like)) {
            for (const nnc_foreign_key *k = row->keys; k != NULL && k->key != NULL; k++) {
                inside = inside || (strchr(k->key, '.') != NULL && nnc_foreign_names(k->key, key) &&
                                    strcmp(k->key, key) != 0);
            }
        }
        if (known && inside && nnc_json_type_of(at) == NNC_JSON_OBJECT) {
            snprintf(key, sizeof key, "%s%.80s.", prefix, nnc_json_key(at));
            check_members(file, at, key, depth + 1);
        } else if (!known && !says_nothing(at)) {
            refuse_unknown(file, at, key);
        }
    }
}

void nnc_foreign_check_keys(nnc_foreign_file *file)
{
    check_members(file, file->at, "", 0);
}
