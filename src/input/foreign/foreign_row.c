/* The table of architectures, and which keys a row knows. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "input/foreign/foreign.h"

const nnc_architecture *const nnc_foreign_tables[NNC_FOREIGN_TABLES] = {
    nnc_foreign_decoders, nnc_foreign_experts, nnc_foreign_plain, nnc_foreign_mixers,
    nnc_foreign_encoders, nnc_foreign_vision,  nnc_foreign_unets, nnc_foreign_images,
    nnc_foreign_several,  nnc_foreign_refused
};

/* What any configuration may have: where it comes from; number format and kernels, which are the plan's and
 * the software profile's business; tokens; initialisation, and heads for other tasks; generation, cache and
 * output. quantization_config says how weights are stored, and is noted. */
static const char common_harmless[] =
    "_class_name model_type _commit_hash _diffusers_version _name_or_path architectures auto_map "
    "transformers_version transformers.js_config _attn_implementation "
    "_attn_implementation_autoset _attn_implementation_internal attn_implementation attn_impl "
    "_flash_attn_2_enabled dtype torch_dtype gradient_checkpointing torchscript use_bfloat16 bf16 "
    "fp16 fp32 tokenizer_class finetuning_task id2label label2id num_labels _num_labels "
    "problem_type task_specific_params do_sample keys_to_ignore_at_inference max_length "
    "min_length num_beams output_attentions output_hidden_states output_past prefix "
    "repetition_penalty return_dict temperature top_k top_p use_cache is_decoder "
    "quantization_config compression_config unsloth_version unsloth_fixed is_llama_config "
    "use_mrope max_window_size use_flash_attn use_flash_attention use_flash_attention_2 license "
    "pretraining_tp length_penalty no_repeat_ngram_size early_stopping diversity_penalty "
    "num_beam_groups num_return_sequences bad_words_ids typical_p remove_invalid_values "
    "begin_suppress_tokens suppress_tokens exponential_decay_length_penalty tf_legacy_loss "
    "encoder_no_repeat_ngram_size _from_model_config cache_implementation model_max_length "
    "onnx_safe _pre_quantization_dtype language model_name seed init_std initializer_range "
    "initializer_factor initializer_cutoff_factor "
    "embedding_initializer_range attention_softmax_in_fp32 "
    /* how far positions turn; how small a variance may be; how scores and outputs are scaled */
    "partial_rotary_factor mrope_section original_rope original_max_position_embeddings "
    "rms_norm_eps layer_norm_eps layer_norm_epsilon layernorm_epsilon norm_eps norm_epsilon "
    "query_pre_attn_scalar logit_scale logits_scaling scale_emb scale_depth dim_model_base "
    "clip_qkv scale_attn_weights "
    /* how experts are chosen, and what is added to the loss */
    "scoring_func topk_method n_group topk_group norm_topk_prob seq_aux aux_loss_alpha "
    "output_router_logits input_jitter_noise router_jitter_noise router_dtype ep_size "
    "capacity_factor routed_scaling_factor embedding_multiplier residual_multiplier "
    "attention_multiplier lm_head_multiplier "
    /* for serving, by mlc-llm */
    "attention_sink_size context_window_size prefill_chunk_size sliding_window_size "
    "tensor_parallel_shards position_embedding_base max_batch_size pipeline_parallel_stages "
    /* of tokenizers and of what wrote the file */
    "eos_token bos_token pad_token unk_token tokenizer_name name_or_path library_name tags "
    "base_model generation_config max_new_tokens renormalize_logits return_dict_in_generate "
    "output_scores use_return_dict chunk_size_lm_head fused_linear_cross_entropy unsloth_patched "
    "neftune_noise_alpha add_bos_token add_eos_token chat_template sep_token cls_token "
    "mask_token use_flash_attn_2 _flash_attn_implementation is_composition";

/* How such keys begin and end. */
static const char *const harmless_begins[] = { "rope_", "rotary_", "summary_", "forced_" };
static const char *const harmless_ends[] = { "_token_id", "_token_index",  "_token_ids", "_dropout",
                                             "_pdrop",    "_dropout_prob", "_loss_coef" };

static bool is_harmless(const char *key)
{
    const size_t length = strlen(key);
    bool harmless = nnc_foreign_word(common_harmless, key) != NULL;
    for (size_t i = 0; i < NNC_COUNT_OF(harmless_begins); i++) {
        harmless = harmless || strncmp(key, harmless_begins[i], strlen(harmless_begins[i])) == 0;
    }
    for (size_t i = 0; i < NNC_COUNT_OF(harmless_ends); i++) {
        const size_t end = strlen(harmless_ends[i]);
        harmless = harmless || (length > end && strcmp(key + length - end, harmless_ends[i]) == 0);
    }
    return harmless;
}

static const char common_only[] = "add_cross_attention=false is_encoder_decoder=false "
                                  "pruned_heads=empty chunk_size_feed_forward=0 "
                                  "tie_encoder_decoder=false cross_attention_hidden_size=null "
                                  "layer_types=each:full_attention";

/* What any configuration says, and shapes no tower. */
static const char text_only[] = "tie_word_embeddings";

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

const nnc_architecture *nnc_foreign_next(const nnc_architecture *chain,
                                         const nnc_architecture *previous)
{
    if (chain == previous) {
        return NULL;
    }
    const nnc_architecture *below = nnc_foreign_row(chain->like);
    while (below != previous) {
        chain = below;
        below = nnc_foreign_row(chain->like);
    }
    return chain;
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
    for (const char *at = names; *at != '\0' && length > 0; at += *at == '|') {
        const size_t size = strcspn(at, "|");
        if (size >= length && memcmp(at, key, length) == 0 &&
            (size == length || at[length] == '.')) {
            return true;
        }
        at += size;
    }
    return false;
}

/* Is it the key of "key=default", or one of its names? */
static bool is_part(const char *part, const char *key)
{
    char names[96];
    if (part == NULL) {
        return false;
    }
    snprintf(names, sizeof names, "%.*s", (int)strcspn(part, "=/"), part);
    return nnc_foreign_names(names, key);
}

static bool patterns_read(const nnc_architecture *row, const char *key)
{
    for (const nnc_foreign_pattern *p = row->patterns; p != NULL && p->to != NULL; p++) {
        const char *const parts[] = { p->needs, p->list, p->letters, p->matrix, p->only,  p->when,
                                      p->from,  p->end,  p->every,   p->offset, p->except };
        for (size_t i = 0; i < NNC_COUNT_OF(parts); i++) {
            if (is_part(parts[i], key)) {
                return true;
            }
        }
    }
    return false;
}

/* Does the row itself read the key into a field? */
static bool reads(const nnc_architecture *row, const char *key)
{
    for (nnc_foreign_keys k = nnc_foreign_keys_of(row); nnc_foreign_next_key(&k);) {
        if (nnc_foreign_names(k.key.key, key) || is_part(k.key.when, key) ||
            (k.key.rule == NNC_FOREIGN_MULTIPLE && is_part(k.key.other, key))) {
            return true;
        }
    }
    return patterns_read(row, key) || nnc_foreign_word(row->reads, key) != NULL;
}

static bool speaks_of(const nnc_architecture *row, const char *key)
{
    return reads(row, key) || nnc_foreign_word(row->text, key) != NULL ||
           nnc_foreign_word(row->parts, key) != NULL || nnc_foreign_word(row->only, key) != NULL ||
           nnc_foreign_word(row->harmless, key) != NULL;
}

bool nnc_foreign_speaks_of(const nnc_architecture *row, const char *key)
{
    while (row != NULL && !speaks_of(row, key)) {
        row = nnc_foreign_row(row->like);
    }
    return row != NULL;
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
    if (strcmp(only, "scalar") == 0) {
        return value != NULL;
    }
    if (nnc_json_type_of(at) == NNC_JSON_NULL ||
        (strcmp(only, "null") == 0 && nnc_foreign_is_empty(at))) {
        return true;
    }
    if (nnc_json_type_of(at) == NNC_JSON_LIST && strncmp(only, "each:", 5) == 0) {
        bool each = true;
        for (nnc_json one = nnc_json_first(at); one.node != NULL; one = nnc_json_next(one)) {
            value = nnc_foreign_text(one, text, sizeof text);
            each = each && value != NULL && strcmp(value, only + 5) == 0;
        }
        return each;
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
bool nnc_foreign_is_empty(nnc_json at)
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
    const char *inside = strrchr(key, '.');
    const char *own = inside != NULL ? inside + 1 : key;
    if (row == NULL && inside != NULL &&
        nnc_foreign_value(common_only, own, only, sizeof only) != NULL && !allowed(at, only)) {
        nnc_json_mismatch(at, "shapes a network this version does not know", only);
    }
    const bool of_text =
        file->row != NULL && file->row->part && nnc_foreign_word(text_only, key) != NULL;
    return row != NULL || of_text || nnc_foreign_word(common_only, own) != NULL ||
           is_harmless(own) || is_harmless(key) ||
           (file->around != NULL && speaks_of(file->around, key));
}

/* Does a row speak of keys inside the object of this key? */
static bool speaks_inside(const nnc_architecture *row, const char *key)
{
    const char *const lists[] = { row->only, row->harmless };
    const size_t length = strlen(key);
    for (nnc_foreign_keys k = nnc_foreign_keys_of(row); nnc_foreign_next_key(&k);) {
        if (strncmp(k.key.key, key, length) == 0 && k.key.key[length] == '.') {
            return true;
        }
    }
    for (size_t i = 0; i < NNC_COUNT_OF(lists); i++) {
        for (const char *at = lists[i]; at != NULL && *at != '\0';) {
            if (strncmp(at, key, length) == 0 && at[length] == '.') {
                return true;
            }
            at += strcspn(at, " ");
            at += strspn(at, " ");
        }
    }
    return false;
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
            inside = inside || speaks_inside(row, key);
        }
        if (inside && nnc_json_type_of(at) == NNC_JSON_OBJECT) {
            snprintf(key, sizeof key, "%s%.80s.", prefix, nnc_json_key(at));
            check_members(file, at, key, depth + 1);
        } else if (!known && !nnc_foreign_is_empty(at)) {
            refuse_unknown(file, at, key);
        }
    }
}

void nnc_foreign_check_keys(nnc_foreign_file *file)
{
    check_members(file, file->at, "", 0);
}
