/* Reads software profiles and the releases of frameworks that the profiles describe, and loads the profile that a plan
 * uses. */
#include <ctype.h>
#include <strings.h>

#include "input/input_internal.h"

static const nnc_field compared_fields[] = {
    { NNC_FIELD(nnc_track, device), .required = true, .help = "Id of a device." },
    { NNC_FIELD(nnc_track, family), .required = true,
      .help = "Family of models; \"experts\" for decoders with experts." },
    { NNC_FIELD(nnc_track, rows), .max = 1e9, .required = true, .help = "Measured steps." },
    { NNC_FIELD(nnc_track, unseen), .max = 1e9, .required = true,
      .help = "Measured steps from groups that no fit has used." },
    { NNC_FIELD(nnc_track, error), .max = 1e3,
      .help = "Mean absolute value of predicted / measured - 1 over the steps that no fit has used." },
    { NNC_FIELD(nnc_track, bias), .min = -1, .max = 1e3,
      .help = "Mean of predicted / measured - 1 over the steps that no fit has used." },
    { NNC_FIELD(nnc_track, all_error), .max = 1e3,
      .help = "Mean absolute error of all steps, including steps that were used in fits. The file has this key if "
              "`error` is computed from fewer than ten steps." },
    { NNC_FIELD(nnc_track, all_bias), .min = -1, .max = 1e3,
      .help = "Mean of predicted / measured - 1 over the steps of all_error." },
};
static const nnc_field range_fields[] = {
    { NNC_FIELD(nnc_range, device), .default_text = "all devices without an entry of their own",
      .help = "Id of a device." },
    { NNC_FIELD(nnc_range, of), .required = true,
      .help = "Id of the network for a network of the graph family, else the family of models; \"experts\" for "
              "decoders with experts. Without a device: the family, also of a graph." },
    { NNC_FIELD(nnc_range, own), .max = 5, .above_min = true, .required = true,
      .help = "Term of the interval that replaces all terms of spread except network and idle; without a device, only "
              "own." },
    { NNC_FIELD(nnc_range, skew), .max = 0.9, NNC_DEFAULT(0.15),
      .help = "Asymmetry of the interval: both ends are moved up by this share of the half width, so the upper end "
              "is farther from the prediction than the lower end." },
};
const nnc_field_table nnc_range_table = { "range", range_fields, NNC_COUNT_OF(range_fields) };

const nnc_field_table nnc_track_table = { "comparison", compared_fields, NNC_COUNT_OF(compared_fields) };

void nnc_software_read(nnc_json root, const char *stem, void *spec) {
    nnc_software *software = spec;
    static const char *const no_keys[] = { NULL };
    static const char *const other_keys[] = { "schema",   "sources", "references", "stands_for", "like",
                                              "compared", "ranges",  "recipes",    "aliases",    NULL };
    *software = nnc_software_default();
    nnc_read_object(root, &nnc_software_table, other_keys, software);
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) { return; }
    nnc_read_identity(root, "nncost.software/1", stem);
    nnc_read_sources(root, &nnc_software_table, other_keys, &software->sources, &software->source_count);
    software->stands_for = nnc_read_objects(nnc_json_get(root, "stands_for"), &nnc_framework_table, no_keys,
                                            sizeof(nnc_framework), &software->stands_for_count);
    software->recipes = nnc_read_objects(nnc_json_get(root, "recipes"), &nnc_recipe_table, no_keys, sizeof(nnc_recipe),
                                         &software->recipe_count);
    software->compared = nnc_read_objects(nnc_json_get(root, "compared"), &nnc_track_table, no_keys, sizeof(nnc_track),
                                          &software->compared_count);
    software->ranges = nnc_read_objects(nnc_json_get(root, "ranges"), &nnc_range_table, no_keys, sizeof(nnc_range),
                                        &software->range_count);
    nnc_read_fitted(root, "spread", &software->sources, &software->source_count);
    nnc_read_fitted(root, "serving", &software->sources, &software->source_count);
    char why[NNC_IMPLAUSIBLE_TEXT];
    software->implausible = root.doc->faults->count == 0 && !nnc_software_is_plausible(software, why, sizeof why);
    if (software->implausible && !root.doc->lenient) {
        nnc_json_fault(root, "implausible", "%s; --lenient accepts the value", why);
    }
    software->serving.fitted = nnc_json_type_of(nnc_json_get(root, "serving")) == NNC_JSON_OBJECT;
}

nnc_status nnc_software_asked(nnc_specs *specs, const char *asked, nnc_software *software, nnc_error *err) {
    const nnc_software *loaded = NULL;
    nnc_error missing = { 0 };
    *software = nnc_software_default();
    nnc_status status = nnc_software_load(specs, asked != NULL ? asked : software->id, &loaded, &missing);
    if (status == NNC_UNKNOWN_ID && asked == NULL) {
        return NNC_OK; /* no data folder has a file of the default profile, so the values in the program are used */
    }
    if (status == NNC_OK) {
        *software = *loaded;
    } else {
        *err = missing;
    }
    return status;
}

/* Loads the profile `id`. If no data folder has the profile `id`, loads the profile torch-compile. If no data folder
 * has torch-compile either, makes the neutral profile. */
static nnc_status load_or_neutral(nnc_specs *specs, const char *id, const nnc_software **software, nnc_error *err) {
    const nnc_status status = nnc_software_load(specs, id, software, err);
    if (status != NNC_UNKNOWN_ID) { return status; }
    if (strcmp(id, NNC_SOFTWARE_DEFAULT) != 0) { return load_or_neutral(specs, NNC_SOFTWARE_DEFAULT, software, err); }
    nnc_software *made = nnc_arena_alloc(nnc_specs_arena(specs), sizeof *made);
    NNC_GOT(made, err);
    *made = nnc_software_default();
    *software = made;
    return NNC_OK;
}

static const char *const profile_ids[NNC_PROFILE_KINDS] = {
    [NNC_PROFILE_COPIES] = "torch-compile", [NNC_PROFILE_SHARDED] = "fsdp",
    [NNC_PROFILE_SPLIT] = "megatron",       [NNC_PROFILE_TPU] = "maxtext",
    [NNC_PROFILE_EAGER] = "torch-eager",    [NNC_PROFILE_EARLY] = "torch-1",
    [NNC_PROFILE_EARLY_SHARDED] = "fsdp-1", [NNC_PROFILE_EARLY_MAPS] = "torch-1-maps",
};

nnc_status nnc_profile_load(nnc_specs *specs, nnc_profile_kind kind, const nnc_software **software, nnc_error *err) {
    return load_or_neutral(specs, profile_ids[kind], software, err);
}

nnc_status nnc_profiles_load(nnc_specs *specs, const bool *wanted, nnc_profiles *profiles, nnc_error *err) {
    *profiles = (nnc_profiles){ .any = false };
    for (int i = 0; i < NNC_PROFILE_KINDS; i++) {
        if (wanted == NULL || wanted[i]) { NNC_TRY(load_or_neutral(specs, profile_ids[i], &profiles->of[i], err)); }
    }
    return NNC_OK;
}

nnc_status nnc_profiles_get(nnc_specs *specs, bool any, const nnc_profiles **profiles, nnc_error *err) {
    nnc_profiles *made = NULL;
    NNC_TRY(nnc_need("nnc_profiles_get", "specs", specs != NULL, err));
    NNC_TRY(nnc_need("nnc_profiles_get", "profiles", profiles != NULL, err));
    *profiles = NULL;
    made = nnc_arena_alloc(nnc_specs_arena(specs), sizeof *made);
    NNC_GOT(made, err);
    NNC_TRY(nnc_profiles_load(specs, NULL, made, err));
    made->any = any;
    *profiles = made;
    return NNC_OK;
}

bool nnc_software_is_chosen(const char *asked) { return asked == NULL || strcmp(asked, NNC_SOFTWARE_ANY) == 0; }

nnc_status nnc_profiles_asked(nnc_specs *specs, const char *asked, nnc_profiles *profiles, nnc_error *err) {
    const nnc_software *one = NULL;
    if (nnc_software_is_chosen(asked)) {
        NNC_TRY(nnc_profiles_load(specs, NULL, profiles, err));
        profiles->any = asked != NULL;
        return NNC_OK;
    }
    NNC_TRY(nnc_software_load(specs, asked, &one, err));
    *profiles = (nnc_profiles){ .any = false };
    for (int i = 0; i < NNC_PROFILE_KINDS; i++) { profiles->of[i] = one; }
    return NNC_OK;
}

/* ---- Finds releases of frameworks: from words such as "NeMo 25.11" to a software profile, to settings for fields that
 * a plan does not give, and to switches that recipes set for some models and devices.
 *
 * The commands estimate and accuracy use the same data: the keys "stands_for" and "recipes" of software/<id>.json.
 * ---- */

#define SELECTS(owner, member, text) \
    { NNC_FIELD(owner, member), .help = (text) }

static const nnc_field framework_fields[] = {
    { NNC_FIELD(nnc_framework, framework), .required = true,
      .help = "Name of the framework; the column `framework` of measured rows begins with this name." },
    SELECTS(nnc_framework, also, "Another name of the framework."),
    SELECTS(
        nnc_framework, version,
        "First release that this entry describes. If the value begins with a letter, the entry describes all versions "
        "that begin with the value."),
    SELECTS(nnc_framework, hardware, "Start of the id of the device."),
    SELECTS(nnc_framework, model, "Start of the id of the model."),
    SELECTS(nnc_framework, family, "Family of the model."),
    { NNC_FIELD(nnc_framework, policy), NNC_FIELD_NAMES(nnc_policy, NNC_POLICY_COUNT), .default_text = "default",
      .help = "Precision policy of the framework." },
    { NNC_FIELD(nnc_framework, attention), NNC_FIELD_NAMES(nnc_attention, NNC_ATTENTION_COUNT), .default_text = "flash",
      .help = "Attention kernel of the framework." },
    { NNC_FIELD(nnc_framework, context_kind), NNC_FIELD_NAMES(nnc_context_kind, NNC_CONTEXT_KIND_COUNT),
      .default_text = "ring", .help = "How a context rank attends to tokens of other context ranks." },
    { NNC_FIELD(nnc_framework, adapter_context_kind), NNC_FIELD_NAMES(nnc_context_kind, NNC_CONTEXT_KIND_COUNT),
      .default_text = "ring",
      .help = "How a context rank attends to tokens of other context ranks if only adapters are trained." },
    { NNC_FIELD(nnc_framework, fp16_dropout), .max = 0.999, NNC_DEFAULT(0),
      .help =
          "Dropout of decoders with a GELU MLP without gate that are trained in fp16, if the model file has none." },
    { NNC_FIELD(nnc_framework, zero), .max = 3, NNC_DEFAULT(0), .help = "ZeRO stage." },
    { NNC_FIELD(nnc_framework, vocab_multiple), .max = 1e9, NNC_DEFAULT(0),
      .help = "The number of rows of the embedding table is padded to a multiple of this value x the tensor degree; 0 "
              "= not padded." },
    { NNC_FIELD(nnc_framework, sequence_parallel), NNC_DEFAULT_OFF,
      .help = "Sequence parallelism is used whenever the tensor degree is above 1." },
    { NNC_FIELD(nnc_framework, interleaves), NNC_DEFAULT_OFF,
      .help = "Pipelines are interleaved with one layer per virtual stage, if the number of micro-batches allows this "
              "schedule." },
    { NNC_FIELD_AS(NNC_FIELD_ADAPTERS, nnc_framework, adapters), .default_text = "linear",
      .help = "Layers that have adapters, when only adapters are trained." },
    { NNC_FIELD(nnc_framework, frozen), NNC_FIELD_NAMES(nnc_frozen, NNC_FROZEN_COUNT), .default_text = "16bit",
      .help = "Format of frozen weights when products have 8 bits or fewer." },
    { NNC_FIELD(nnc_framework, half_selective), NNC_DEFAULT_OFF,
      .help =
          "--recompute attention recomputes every second layer completely, instead of the attention of each layer." },
    { NNC_FIELD(nnc_framework, ends_as_layers), NNC_DEFAULT_OFF,
      .help = "If the number of layers is no multiple of the number of stages, the embedding counts as one layer, "
              "and the head as one layer." },
    { NNC_FIELD(nnc_framework, whole_experts), NNC_DEFAULT_OFF,
      .help = "Experts are not split over tensor ranks (expert tensor parallel = 1)." },
    { NNC_FIELD(nnc_framework, gathered_in_pipelines), NNC_DEFAULT_OFF,
      .help = "ZeRO stage 3 keeps weights gathered between micro-batches of a pipeline." },
    { NNC_FIELD(nnc_framework, optimizer_kernels), NNC_FIELD_NAMES(nnc_optimizer_kernels, NNC_OPTIMIZER_KERNELS_COUNT),
      .default_text = "default", .help = "Kernels of the optimizer update, if the optimizer is one of torch.optim." },
};
const nnc_field_table nnc_framework_table = { "framework", framework_fields, NNC_COUNT_OF(framework_fields) };

static const nnc_field recipe_fields[] = {
    SELECTS(nnc_recipe, version, "First release of the framework for which the recipe holds."),
    SELECTS(nnc_recipe, hardware, "Start of the id of the device."),
    SELECTS(nnc_recipe, precision, "Start of the precision."),
    SELECTS(nnc_recipe, model, "Start of the id of the model."),
    SELECTS(nnc_recipe, frozen, "Start of the storage format of frozen weights."),
    { NNC_FIELD(nnc_recipe, set), .required = true, .help = "Fields of the profile, as FIELD=VALUE FIELD=VALUE." },
};
const nnc_field_table nnc_recipe_table = { "recipe", recipe_fields, NNC_COUNT_OF(recipe_fields) };

/* ---- names and versions of frameworks ---- */

static bool begins(const char *text, const char *prefix) { return strncasecmp(text, prefix, strlen(prefix)) == 0; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Compares two versions number by number (26.04.01 > 26.02). The comparison ends at the first character that is neither
 * a digit nor a dot between two numbers. Returns -1 if `a` is older, 1 if `a` is newer, 0 if both are equal. */
static int compare_versions(const char *a, const char *b) {
    while (is_digit(*a) || is_digit(*b)) {
        char *a_end = NULL, *b_end = NULL;
        const long x = is_digit(*a) ? strtol(a, &a_end, 10) : 0;
        const long y = is_digit(*b) ? strtol(b, &b_end, 10) : 0;
        if (x != y) { return x < y ? -1 : 1; }
        a = a_end == NULL ? a : *a_end == '.' ? a_end + 1 : a_end;
        b = b_end == NULL ? b : *b_end == '.' ? b_end + 1 : b_end;
    }
    return 0;
}

/* Tests whether an entry of a release table applies to the version `asked` ("" = the newest version). `first` is the
 * first version to which the entry applies. If `first` is "", the entry applies to all versions. If `first` begins with
 * a letter, the entry applies to versions that begin with `first`. If `first` begins with a digit, the entry applies to
 * `first` and all newer versions. */
static bool has_version(const char *first, const char *asked) {
    return first[0] == '\0'      ? true
           : !is_digit(first[0]) ? begins(asked, first)
           : asked[0] == '\0'    ? true
                                 : is_digit(asked[0]) && compare_versions(asked, first) >= 0;
}

/* Tests whether words such as "NeMo 25.11" begin with the name of a framework, and sets *version to the version after
 * the name ("" = no version follows). Returns false if the words begin with another name, or if the text after the name
 * is neither a version nor a remark in parentheses: "NeMo AutoModel (PyTorch)". first: the first version of an entry;
 * it may begin with a letter. */
static bool split_words(const char *words, const char *name, const char *first, const char **version) {
    const size_t length = strlen(name);
    if (length == 0) { return false; }
    for (size_t i = 0; i < length; i++) {
        const char *const pair = words + i;
        const bool blank = (*pair == '-' || *pair == ' ') && (name[i] == '-' || name[i] == ' ');
        if (*pair == '\0' || (!blank && strncasecmp(pair, &name[i], 1) != 0)) { return false; }
    }
    const char *rest = words + length;
    if (*rest != '\0' && *rest != ' ' && *rest != '-') { return false; }
    rest += strspn(rest, " -");
    rest += *rest == 'v' && is_digit(rest[1]) ? 1 : 0;
    *version = rest;
    if (*rest == '(') { *version = ""; }
    const bool lettered = first[0] != '\0' && !is_digit(first[0]) && begins(rest, first);
    return *rest == '\0' || *rest == '(' || is_digit(*rest) || lettered;
}

/* Tests whether the framework of a measured row begins with a given name, and whether the name ends at the end of a
 * word: "torch 1.12" and "torch-eager" begin with "torch", but "torchtitan" does not. *version receives the version of
 * the row; if the row has no version, *version receives the version after the name. */
static bool row_names(const nnc_release_ask *ask, const char *name, const char *first, const char **version) {
    *version = ask->version;
    if (!begins(ask->framework, name) || isalpha((unsigned char)ask->framework[strlen(name)])) { return false; }
    if (ask->version[0] == '\0' && !split_words(ask->framework, name, first, version)) { *version = ""; }
    return true;
}

/* Tests whether the user named framework f, by its name or its second name. Returns the number of characters of the
 * name that the user has used; 0 = the user named another framework. *version receives the version that the user
 * named. */
static size_t name_length(const nnc_framework *f, const nnc_release_ask *ask, const char **version) {
    const char *const names[] = { f->framework, f->also };
    for (int i = 0; i < 2; i++) {
        if (names[i][0] != '\0' && (ask->words != NULL ? split_words(ask->words, names[i], f->version, version)
                                                       : row_names(ask, names[i], f->version, version))) {
            return strlen(names[i]);
        }
    }
    return 0;
}

/* Tests whether the device, model and family in the user's request meet the conditions of an entry of "stands_for".
 * Returns the number of characters in the conditions of the entry, a measure of how specific the entry is; -1 = the
 * request does not meet a condition. */
static int conditions(const nnc_framework *f, const nnc_release_ask *ask) {
    return begins(ask->device, f->hardware) && begins(ask->model, f->model) && begins(ask->family, f->family)
               ? (int)(strlen(f->hardware) + strlen(f->model) + strlen(f->family))
               : -1;
}

/* Tests whether release a matches the user's request better than release b. The longer framework name wins. If the
 * matching names of the two frameworks have equal lengths, the release with the newer version matches better. If the
 * versions are equal, the more specific release wins: the release whose version and conditions have more characters. */
static bool is_better(const nnc_release *a, const nnc_release *b) {
    if (b->entry == NULL || a->named != b->named) { return b->entry == NULL || a->named > b->named; }
    const int newer = compare_versions(a->entry->version, b->entry->version);
    const int words = (int)strlen(a->entry->version) - (int)strlen(b->entry->version);
    return newer != 0 ? newer > 0 : a->met + words > b->met;
}

static void try_profile(const nnc_software *software, const nnc_release_ask *ask, nnc_release *release) {
    for (int32_t i = 0; i < software->stands_for_count; i++) {
        nnc_release one = { .software = software, .entry = &software->stands_for[i] };
        one.named = ask->software != NULL ? 1 : name_length(one.entry, ask, &one.version);
        one.version = ask->software != NULL ? "" : one.version;
        one.met = conditions(one.entry, ask);
        if (one.named > 0 && one.met >= 0 && has_version(one.entry->version, one.version) && is_better(&one, release)) {
            *release = one;
        }
    }
}

nnc_status nnc_release_find(nnc_specs *specs, const nnc_release_ask *ask, nnc_release *release, nnc_error *err) {
    const char *const *ids = NULL;
    int32_t count = 0;
    *release = (nnc_release){ .software = NULL };
    if (ask->software != NULL) {
        if (ask->software->date[0] != '\0') { try_profile(ask->software, ask, release); }
        return NNC_OK;
    }
    NNC_TRY(nnc_specs_list(specs, NNC_SPEC_SOFTWARE, &ids, &count, err));
    for (int32_t i = 0; i < count; i++) {
        const nnc_software *software = NULL;
        NNC_TRY(nnc_software_load(specs, ids[i], &software, err));
        try_profile(software, ask, release);
    }
    return NNC_OK;
}

bool nnc_release_of_hardware(const nnc_release *release) {
    return release->entry != NULL && release->version[0] == '\0' && release->entry->hardware[0] != '\0';
}

/* ---- sets the formats and switches of a release in a plan and a profile ---- */

static bool is_decoder(const nnc_model *model) { return model->family == NNC_FAMILY_DECODER; }

/* Tests whether torch.optim updates lists of tensors with this optimizer. */
static bool is_of_torch(nnc_optimizer optimizer) {
    return optimizer == NNC_OPTIMIZER_ADAM || optimizer == NNC_OPTIMIZER_ADAMW || optimizer == NNC_OPTIMIZER_RMSPROP ||
           optimizer == NNC_OPTIMIZER_SGD || optimizer == NNC_OPTIMIZER_MOMENTUM;
}

static void fill_formats(const nnc_framework *f, const nnc_given *given, nnc_model *model, nnc_plan *p) {
    if (!given->is(given->in, "policy") && p->precision != NNC_FP32 && p->precision != NNC_TF32) {
        /* Megatron sums bf16 gradients of micro-batches in fp32, but fp16 gradients in fp16. */
        p->policy = f->policy == NNC_POLICY_MIXED_FP32GRAD && p->precision == NNC_FP16 ? NNC_POLICY_MIXED : f->policy;
    }
    if (!given->is(given->in, "attention")) { p->attention = f->attention; }
    if (!given->is(given->in, "optimizer_kernels") && is_of_torch(p->optimizer)) {
        p->optimizer_kernels = f->optimizer_kernels;
    }
    if (is_decoder(model) && f->vocab_multiple > 0 && model->decoder.vocab_multiple <= 1 &&
        !given->is(given->in, "vocab_multiple")) {
        model->decoder.vocab_multiple = f->vocab_multiple * p->tensor;
    }
    if (is_decoder(model) && p->precision == NNC_FP16 && model->decoder.mlp == NNC_MLP_GELU &&
        !(model->decoder.dropout > 0.0)) {
        model->decoder.dropout = f->fp16_dropout;
    }
}

/* Returns the number of micro-batches of a step; 0 = the fields of the plan are not enough to compute the number of
 * micro-batches. */
static int64_t passes_of(const nnc_plan *p) {
    const int64_t ranks = (int64_t)p->tensor * p->pipeline * p->context;
    const int64_t data = p->data > 0 ? p->data : p->devices / ranks;
    const int64_t each = data * (p->micro_batch > 0 ? p->micro_batch : 1);
    return p->micro_batches > 0                                             ? p->micro_batches
           : p->global_batch > 0 && each > 0 && p->global_batch % each == 0 ? p->global_batch / each
                                                                            : 0;
}

static void fill_stages(const nnc_framework *f, const nnc_given *given, const nnc_model *model, nnc_plan *p) {
    enum { VIRTUAL_MOST = 64 };
    const int64_t layers = is_decoder(model) ? model->decoder.layers : 0;
    const int64_t stages = (int64_t)p->pipeline * p->virtual_stages, passes = passes_of(p);
    if (!given->is(given->in, "ends_as_layers") && f->ends_as_layers && layers > 0) {
        p->ends_as_layers = nnc_ends_even_stages(layers, stages);
    }
    if (!given->is(given->in, "virtual_stages") && f->interleaves && p->pipeline > 1 && layers % p->pipeline == 0 &&
        layers / p->pipeline <= VIRTUAL_MOST && passes > 0 && passes % p->pipeline == 0 &&
        p->schedule == NNC_SCHEDULE_COUNT) {
        p->virtual_stages = (int32_t)(layers / p->pipeline);
    }
    if (!given->is(given->in, "reshard") && f->gathered_in_pipelines && p->pipeline > 1) { p->reshard = false; }
    if (f->half_selective && p->recompute == NNC_RECOMPUTE_ATTENTION && layers > 0) {
        p->recompute = NNC_RECOMPUTE_FULL;
        p->recompute_layers = nnc_ceil_div(layers, 2 * (int64_t)p->pipeline);
    }
}

const char *const nnc_released_fields[] = { "zero",    "sequence_parallel", "virtual_stages",
                                            "reshard", "ends_as_layers",    "whole_experts",
                                            NULL };

void nnc_release_fill(const nnc_framework *f, const nnc_given *given, nnc_model *model, nnc_plan *p) {
    fill_formats(f, given, model, p);
    fill_stages(f, given, model, p);
    if (!given->is(given->in, "zero")) { p->zero = f->zero; }
    if (!given->is(given->in, "sequence_parallel")) { p->sequence_parallel = f->sequence_parallel && p->tensor > 1; }
    if (!given->is(given->in, "context_kind")) {
        p->context_kind = p->adapter_rank > 0 ? f->adapter_context_kind : f->context_kind;
    }
    if (!given->is(given->in, "adapters")) { p->adapters = f->adapters; }
    if (!given->is(given->in, "frozen") && p->adapter_rank > 0 &&
        (p->precision == NNC_FP8 || p->precision == NNC_FP4)) {
        p->frozen = f->frozen;
    }
    if (!given->is(given->in, "whole_experts") && p->tensor > 1 && p->expert > 1) {
        p->whole_experts = f->whole_experts;
    }
}

/* Sets fields of a software profile from a text of the form "FIELD=VALUE FIELD=VALUE". */
static nnc_status set_switches(nnc_software *software, const char *text, nnc_error *err) {
    while (*text != '\0') {
        char pair[96];
        const size_t length = strcspn(text, " ");
        snprintf(pair, sizeof pair, "%.*s", (int)length, text);
        char *equals = strchr(pair, '=');
        if (equals == NULL) {
            return nnc_fail(err, NNC_BAD_SPEC, software->id, "recipes: expected FIELD=VALUE, found \"%s\"", pair);
        }
        *equals = '\0';
        NNC_TRY(nnc_software_set(software, pair, equals + 1, err));
        text += length + strspn(text + length, " ");
    }
    return NNC_OK;
}

nnc_status nnc_release_switch(const nnc_release *release, const nnc_release_ask *ask, const nnc_plan *plan,
                              nnc_software *software, nnc_error *err) {
    const char *set = "";
    const char *format = nnc_dtype_name(plan->precision == NNC_DTYPE_COUNT ? NNC_BF16 : plan->precision);
    for (int32_t i = 0; i < software->recipe_count; i++) {
        const nnc_recipe *r = &software->recipes[i];
        if (begins(ask->device, r->hardware) && begins(ask->model, r->model) && begins(format, r->precision) &&
            begins(nnc_frozen_name(plan->frozen), r->frozen) && has_version(r->version, release->version)) {
            set = r->set;
        }
    }
    return set_switches(software, set, err);
}
