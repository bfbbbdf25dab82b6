/* The functions of this file load the files of a training scenario; then they apply --cluster, --seller, --region, the
 * plan options and --set, in this order; then they choose the software profile and compute the estimate. */
#include "base/base_internal.h"
#include "op/op_internal.h"
#include "run/run_internal.h"
#include "scenario/scenario_internal.h"

static nnc_status bad_option(const char *option, nnc_error *err) {
    snprintf(err->where, sizeof err->where, "%s", option);
    err->status = NNC_BAD_USAGE;
    return NNC_BAD_USAGE;
}

const char *nnc_scenario_setting(const nnc_scenario_args *given, const char *name) {
    int i = 0;
    while (i < given->setting_count && strcmp(given->settings[i].field->name, name) != 0) { i++; }
    return i < given->setting_count ? given->settings[i].value : NULL;
}

nnc_status nnc_setting_apply(const nnc_setting *setting, const nnc_field_table *table, void *object, nnc_error *err) {
    char name[NNC_OPTION_NAME];
    return nnc_field_set(table, object, setting->field->name, setting->value, err) == NNC_OK
               ? NNC_OK
               : bad_option(nnc_option_name(setting->field->name, name), err);
}

static nnc_status apply_setting(const nnc_field *field, const char *value, nnc_scenario *scenario, nnc_error *err) {
    if (nnc_field_is_of(&nnc_switch_table, field)) {
        return NNC_OK; /* software switches are set later, by nnc_scenario_switch, when the software profile is known */
    }
    if (nnc_field_is_of(&nnc_run_table, field)) {
        scenario->asks_run = true;
        return nnc_field_set_known(&nnc_run_table, &scenario->run_ask, field, value, err);
    }
    return nnc_field_set_known(&nnc_plan_table, &scenario->plan, field, value, err);
}

/* Returns the value of the option `name` (train, frozen or recompute) if the model is a captured step and the value is
 * a list of its modules. Returns NULL if the option is not given, or if its value is valid for every model, such as
 * "full". */
static const char *modules_of(const nnc_scenario_args *given, const nnc_scenario *scenario, const char *name) {
    static const char *const names[] = { "train", "frozen", "recompute", NULL };
    const bool asks = scenario->model.captured != NULL && nnc_is_one_of(name, names);
    const char *value = asks ? nnc_scenario_setting(given, name) : NULL;
    if (value == NULL) { return NULL; }
    nnc_plan plan = nnc_plan_default();
    const bool of_plan =
        strcmp(name, "train") == 0 ? strcmp(value, "all") == 0 : nnc_plan_set(&plan, name, value, NULL) == NNC_OK;
    return of_plan ? NULL : value;
}

/* Applies the options --train, --frozen and --recompute to a captured step, if their values name modules of this
 * step. */
static nnc_status ask_modules(nnc_specs *specs, const nnc_scenario_args *given, nnc_scenario *scenario,
                              nnc_error *err) {
    const nnc_modules asked = { modules_of(given, scenario, "train"), modules_of(given, scenario, "frozen"),
                                modules_of(given, scenario, "recompute") };
    const char *const named[][2] = { { "train", asked.train },
                                     { "frozen", asked.frozen },
                                     { "recompute", asked.recompute } };
    bool any = false;
    for (size_t i = 0; i < NNC_COUNT_OF(named); i++) {
        if (named[i][1] == NULL) { continue; }
        nnc_text_append(scenario->overrides, sizeof scenario->overrides, ", ", "%s=%s", named[i][0], named[i][1]);
        any = true;
    }
    if (!any || !NNC_READS_CAPTURES) { return NNC_OK; }
    scenario->report.overrides = scenario->overrides;
    return nnc_capture_ask(specs, &asked, &scenario->model, err);
}

static nnc_status apply_settings(const nnc_scenario_args *given, nnc_scenario *scenario, nnc_error *err) {
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        char value[256];
        if (modules_of(given, scenario, setting->field->name) == setting->value) { continue; }
        snprintf(value, sizeof value, "%s", setting->value);
        nnc_field_join(setting->field, value);
        if (apply_setting(setting->field, value, scenario, err) != NNC_OK) {
            char name[NNC_OPTION_NAME];
            return bad_option(nnc_option_name(setting->field->name, name), err);
        }
    }
    return NNC_OK;
}

static nnc_status set_switches(const nnc_scenario_args *given, nnc_software *software, nnc_error *err) {
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_field *field = given->settings[i].field;
        char name[NNC_OPTION_NAME];
        if (nnc_field_is_of(&nnc_switch_table, field) &&
            nnc_software_set(software, field->name, given->settings[i].value, err) != NNC_OK) {
            return bad_option(nnc_option_name(field->name, name), err);
        }
    }
    return NNC_OK;
}

nnc_status nnc_scenario_switch(const nnc_scenario_args *given, nnc_scenario *scenario, nnc_error *err) {
    return set_switches(given, &scenario->software, err);
}

/* The structs whose fields the option --set can change. A field name without the prefix of a struct is searched first
 * in the plan, then in the model, then in the device. */
enum { SET_PLAN, SET_MODEL, SET_DEVICE, SET_TARGETS };
static const char *const target_names[SET_TARGETS] = { "plan.", "model.", "device." };

static const nnc_field_table *target_table(const nnc_scenario *scenario, int target) {
    return target == SET_PLAN    ? &nnc_plan_table
           : target == SET_MODEL ? nnc_model_table_of(&scenario->model)
                                 : &nnc_device_table;
}

static nnc_status set_target(nnc_scenario *scenario, int target, const char *field, const char *value, nnc_error *err) {
    return target == SET_PLAN    ? nnc_plan_set(&scenario->plan, field, value, err)
           : target == SET_MODEL ? nnc_model_set(&scenario->model, field, value, err)
                                 : nnc_device_set(&scenario->device, field, value, err);
}

/* Returns the first struct of --set (plan, model, device) that has a field with this name; SET_TARGETS = no struct has
 * the field. Only the part of the name before its first dot is compared. */
static int find_target(const nnc_scenario *scenario, const char *field) {
    char first[64];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(field, "."), field);
    for (int target = 0; target < SET_TARGETS; target++) {
        void *object = NULL;
        nnc_dtype dtype;
        if (nnc_field_find(target_table(scenario, target), first, &object, &dtype) != NULL) { return target; }
    }
    return SET_TARGETS;
}

static nnc_status unknown_field(const nnc_scenario *scenario, const char *field, nnc_error *err) {
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    char where[320];
    size_t count = 0;
    for (int target = 0; target < SET_TARGETS; target++) {
        const nnc_field_table *table = target_table(scenario, target);
        for (size_t i = 0; i < table->count && count < NAMES_MAX; i++) { names[count++] = table->fields[i].name; }
    }
    const char *nearest = nnc_nearest(field, names, count);
    for (size_t i = count; i-- > 0 && strlen(field) >= 3;) { /* the user can have written only the first letters of a
                                                              * field: "mem" for mem_bytes */
        nearest = nnc_begins(names[i], field) ? names[i] : nearest;
    }
    snprintf(where, sizeof where, "--set %.256s", field);
    if (nearest == NULL) { return nnc_fail(err, NNC_BAD_USAGE, where, "no such field of plan, model or device"); }
    return nnc_fail(err, NNC_BAD_USAGE, where, "no such field of plan, model or device, did you mean %s?", nearest);
}

/* Translates the name of a field in Hugging Face's configurations to nncost's name of this field. Returns every other
 * name unchanged. */
static const char *own_field(const char *name) {
    static const char *const names[][2] = {
        { "n_layer", "layers" },
        { "num_layers", "layers" },
        { "num_hidden_layers", "layers" },
        { "n_embd", "hidden" },
        { "d_model", "hidden" },
        { "hidden_size", "hidden" },
        { "n_head", "heads" },
        { "num_attention_heads", "heads" },
        { "num_key_value_heads", "kv_heads" },
        { "num_query_groups", "kv_heads" },
        { "intermediate_size", "ffn_hidden" },
        { "ffn_hidden_size", "ffn_hidden" },
        { "n_inner", "ffn_hidden" },
        { "vocab_size", "vocab" },
        { "num_experts", "experts" },
        { "num_local_experts", "experts" },
        { "num_experts_per_tok", "experts_per_token" },
    };
    for (size_t i = 0; i < NNC_COUNT_OF(names); i++) {
        if (strcmp(names[i][0], name) == 0) { return names[i][1]; }
    }
    return name;
}

static nnc_status apply_set(nnc_scenario *scenario, const char *set, nnc_error *err) {
    char name[256];
    const char *field = name;
    const size_t length = strcspn(set, "=");
    int target = SET_TARGETS;
    if (set[length] != '=' || length == 0 || length >= sizeof name) {
        return nnc_fail(err, NNC_BAD_USAGE, "--set", "expected FIELD=VALUE, found \"%s\"", set);
    }
    snprintf(name, sizeof name, "%.*s", (int)length, set);
    for (int i = 0; i < SET_TARGETS; i++) {
        if (nnc_begins(name, target_names[i])) {
            target = i;
            field = name + strlen(target_names[i]);
        }
    }
    if (target == SET_TARGETS) { target = find_target(scenario, name); }
    if (target == SET_TARGETS && own_field(name) != name) {
        field = own_field(name);
        target = find_target(scenario, field);
    }
    if (target == SET_TARGETS) { return unknown_field(scenario, name, err); }
    if (set_target(scenario, target, field, set + length + 1, err) != NNC_OK) {
        char where[320];
        snprintf(where, sizeof where, "--set %s", name);
        return bad_option(where, err);
    }
    nnc_text_append(scenario->overrides, sizeof scenario->overrides, ", ", "%s", set);
    return NNC_OK;
}

/* Appends to the text scenario->overrides the model dimensions that changed because --set changed `hidden`. Appends
 * nothing if no dimension changed. */
static void say_followed(nnc_scenario *scenario) {
    char text[192];
    nnc_scale_dims_text(&scenario->model, text, sizeof text);
    if (text[0] != '\0') {
        nnc_text_append(scenario->overrides, sizeof scenario->overrides, "", " (with it %s)", text);
    }
}

static nnc_status apply_sets(const nnc_scenario_args *given, nnc_scenario *scenario, nnc_error *err) {
    for (int i = 0; i < given->set_count; i++) { NNC_TRY(apply_set(scenario, given->sets[i], err)); }
    if (given->set_count == 0) { return NNC_OK; }
    say_followed(scenario);
    if (nnc_model_check(&scenario->model, "--set", err) != NNC_OK ||
        nnc_device_check(&scenario->device, "--set", err) != NNC_OK) {
        err->status = NNC_BAD_USAGE;
        return NNC_BAD_USAGE;
    }
    return NNC_OK;
}

/* Checks that global batch = micro-batch x micro-batches x data ranks. If the user gives all three batch sizes and the
 * equation is false, returns NNC_BAD_USAGE. For a plan that is illegal for another reason returns NNC_OK, because the
 * estimate reports this reason later. */
static nnc_status check_batch(const nnc_plan *plan, nnc_error *err) {
    int64_t data = plan->data > 0 ? plan->data : 1, product = 0;
    /* the number of data ranks is not given: it is the number of devices divided by the other degrees */
    if (plan->data == 0 && plan->devices > 0) {
        if (!nnc_mul_i64(plan->tensor, plan->pipeline, &product) || !nnc_mul_i64(product, plan->context, &product) ||
            plan->devices % product != 0) {
            /* the devices are no multiple of the other degrees, so the plan is illegal with any batch; the estimate
             * returns the error */
            return NNC_OK;
        }
        data = plan->devices / product;
    }
    if (plan->micro_batch <= 0 || plan->micro_batches <= 0 || plan->global_batch <= 0) { return NNC_OK; }
    if (nnc_mul_i64(plan->micro_batch, plan->micro_batches, &product) && nnc_mul_i64(product, data, &product) &&
        product == plan->global_batch) {
        return NNC_OK;
    }
    return nnc_fail(err, NNC_BAD_USAGE, "--global-batch",
                    "is not micro_batch x micro_batches x data, expected %lld, found %lld", (long long)product,
                    (long long)plan->global_batch);
}

nnc_status nnc_scenario_args_offer(const nnc_scenario_args *given, nnc_offer *offer, nnc_error *err) {
    const nnc_field offers = { .name = "offer", .type = NNC_FIELD_ENUM, .names = { nnc_offer_name, NNC_OFFER_COUNT } };
    const int found = given->offer != NULL ? nnc_names_find(offers.names, given->offer) : 0;
    if (found < 0) {
        char expected[128];
        nnc_field_expected(&offers, expected, sizeof expected);
        return nnc_fail(err, NNC_BAD_USAGE, "--offer", "expected %s, found \"%s\"", expected, given->offer);
    }
    if (given->offer != NULL && given->seller == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--offer", "expected together with --seller, found no --seller");
    }
    *offer = (nnc_offer)found;
    return NNC_OK;
}

/* Loads the region, the data centre, and the seller's prices that the arguments name. The named region may belong to
 * another seller than the seller of the prices. */
static nnc_status apply_place(nnc_specs *specs, const nnc_scenario_args *given, nnc_scenario *scenario,
                              nnc_error *err) {
    nnc_offer offer = NNC_OFFER_ON_DEMAND;
    NNC_TRY(nnc_scenario_args_offer(given, &offer, err));
    if (given->region != NULL) {
        NNC_TRY(nnc_region_load(specs, given->region, &scenario->region, err));
        scenario->report.region = &scenario->region;
    }
    if (given->building != NULL) {
        NNC_TRY(nnc_building_load(specs, given->building, &scenario->building, err));
        scenario->report.building = &scenario->building;
        scenario->run_ask.pue = scenario->building.pue; /* a --pue that the user gives is applied later and replaces
                                                         * this PUE */
    }
    if (given->seller == NULL) { return NNC_OK; }
    scenario->report.spot = offer == NNC_OFFER_SPOT;
    const bool of_seller = given->region != NULL && scenario->region.seller[0] != '\0';
    return nnc_prices_load(specs, given->seller, offer, of_seller ? scenario->region.id : NULL, &scenario->device, err);
}

nnc_status nnc_currency_is(const char *option, const char *text, const nnc_device *device, nnc_error *err) {
    char currency[NNC_CURRENCY_TEXT] = "";
    double amount = 0.0;
    const char *prices = nnc_price_currency(device);
    if (text != NULL && text[strspn(text, "0123456789")] != '\0' && nnc_read_money(text, &amount, currency) &&
        currency[0] != '\0' && strcmp(currency, prices) != 0) {
        return nnc_fail(err, NNC_BAD_USAGE, option, "expected %s, the currency of the prices of %s, found \"%s\"",
                        prices, device->id, text);
    }
    return NNC_OK;
}

nnc_status nnc_scenario_args_currency(const nnc_scenario_args *given, const nnc_device *device, nnc_error *err) {
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        char option[NNC_OPTION_NAME];
        NNC_TRY(nnc_currency_is(nnc_option_name(setting->field->name, option), setting->value, device, err));
    }
    return NNC_OK;
}

nnc_status nnc_scenario_apply(nnc_specs *specs, const nnc_scenario_args *given, nnc_scenario *scenario,
                              nnc_error *err) {
    scenario->overrides[0] = '\0';
    if (given->cluster != NULL) { NNC_TRY(nnc_cluster_load(specs, given->cluster, &scenario->device, err)); }
    NNC_TRY(apply_place(specs, given, scenario, err));
    NNC_TRY(ask_modules(specs, given, scenario, err));
    NNC_TRY(apply_settings(given, scenario, err));
    NNC_TRY(nnc_scenario_args_currency(given, &scenario->device, err));
    return apply_sets(given, scenario, err);
}

nnc_device nnc_counting_device(void) {
    nnc_device device = { .id = "counting", .mem_bytes = 1, .mem_bytes_per_s = 1.0 };
    nnc_efficiencies_neutral(&device.efficiency);
    for (int dtype = 0; dtype < NNC_DTYPE_COUNT; dtype++) {
        device.matmul_flops_per_s[dtype] = 1.0;
        device.vector_flops_per_s[dtype] = 1.0;
    }
    device.power_w = (double)NAN;
    return device;
}

bool nnc_model_as_published(const nnc_model *model, int64_t *params) {
    const nnc_device device = nnc_counting_device();
    nnc_model counting = *model;
    if (model->published_params == 0) { return true; }
    nnc_scratch *scratch = nnc_scratch_create();
    const nnc_plan plan = nnc_plan_default();
    nnc_result counted;
    counting.published_params = 0;
    const bool known =
        scratch != NULL && nnc_estimate(&counting, &device, NULL, &plan, scratch, &counted, NULL) == NNC_OK;
    nnc_scratch_destroy(scratch);
    *params = known ? counted.params : model->published_params;
    return fabs((double)(*params - model->published_params)) <= 0.01 * (double)model->published_params;
}

/* Tests whether the values of the device, the software profile and the model are plausible. A device with implausible
 * values is refused; the option --lenient accepts it, but the results are then marked as implausible. The results are
 * also marked if values of the software profile or of the model are implausible. `loaded` is the device as it was read
 * from its file. If options have not changed the device, the device is not tested again, because the function that read
 * the file has tested the device. */
static nnc_status judge(nnc_scenario *scenario, const nnc_device *loaded, nnc_error *err) {
    const nnc_model *model = &scenario->model;
    const nnc_device *device = &scenario->device;
    const nnc_software *software = &scenario->software;
    char why[NNC_IMPLAUSIBLE_TEXT], line[NNC_IMPLAUSIBLE_TEXT + 64];
    int64_t params = 0;
    /* The comparison of the device with `loaded` includes padding bytes of the struct. If only padding bytes differ,
     * the device is tested a second time, which does no harm.
     * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
    const bool judged = !loaded->implausible && memcmp(loaded, device, sizeof *device) == 0;
    if (!judged && !nnc_device_is_plausible(device, why, sizeof why)) {
        if (!nnc_specs_are_lenient(scenario->specs)) {
            return nnc_fail(err, NNC_BAD_SPEC, device->id, "implausible %s; --lenient accepts the value", why);
        }
        snprintf(line, sizeof line, "%s: %s", device->id, why);
        nnc_specs_mark(scenario->specs, line);
    }
    if (software->implausible && !nnc_software_is_plausible(software, why, sizeof why)) {
        snprintf(line, sizeof line, "%s: %s", software->id, why);
        nnc_specs_mark(scenario->specs, line);
    }
    if (model->lenient && !nnc_model_as_published(model, &params)) {
        snprintf(line, sizeof line, "%s: published_params %" PRId64 ", the model has %" PRId64, model->id,
                 model->published_params, params);
        nnc_specs_mark(scenario->specs, line);
    }
    /* Adds the words "implausible values" to the text scenario->overrides, which output tables show. */
    if (nnc_specs_marks(scenario->specs)[0] != '\0') {
        char *text = scenario->overrides;
        nnc_text_append(text, sizeof scenario->overrides, ", ", "implausible values");
        scenario->report.overrides = text;
    }
    return NNC_OK;
}

nnc_release_ask nnc_scenario_release_ask(const nnc_scenario *scenario, const char *model) {
    return (nnc_release_ask){ .device = scenario->device.id,
                              .model = model,
                              .family = nnc_family_name(scenario->model.family) };
}

nnc_status nnc_scenario_release(nnc_scenario *scenario, const nnc_given *given, const char *model, nnc_error *err) {
    const nnc_release *release = &scenario->release;
    const nnc_release_ask ask = nnc_scenario_release_ask(scenario, model);
    nnc_release_fill(release->entry, given, &scenario->model, &scenario->plan);
    return nnc_release_switch(release, &ask, &scenario->plan, &scenario->software, err);
}

/* Tests whether the user sets a field of the plan or the model, either by the option of this field or by --set. */
static bool is_given(const void *in, const char *field) {
    const nnc_scenario_args *given = in;
    const size_t length = strlen(field);
    bool found = nnc_scenario_setting(given, field) != NULL;
    for (int i = 0; i < given->set_count && !found; i++) {
        const char *set = given->sets[i];
        for (int target = SET_PLAN; target <= SET_MODEL; target++) {
            const size_t prefix = strlen(target_names[target]);
            if (strncmp(set, target_names[target], prefix) == 0) { set += prefix; }
        }
        found = strncmp(set, field, length) == 0 && set[length] == '=';
    }
    return found;
}

/* ---- plans that advice has changed, and in which a release of a profile then sets some fields ---- */

/* Names of plan fields of two kinds: fields that a release of a profile can set, and fields on which settings of a
 * release depend. The field recompute_layers is in the list because its meaning depends on the field `recompute`. */
static const char *const released[] = {
    "policy",       "attention",         "ends_as_layers", "virtual_stages",   "reshard",
    "zero",         "sequence_parallel", "frozen",         "adapters",         "whole_experts",
    "context_kind", "recompute",         "precision",      "recompute_layers", "schedule",
};

/* State of nnc_release_fill while it sets the fields of a release in a plan that advice has changed. */
typedef struct changed_plan {
    const nnc_scenario_args *given;
    /* kept[i]: true = advice has changed the plan field released[i], so the release must not set this field */
    bool kept[NNC_COUNT_OF(released)];
} changed_plan;

static bool is_kept(const void *in, const char *field) {
    const changed_plan *changed = in;
    size_t i = 0;
    while (i < NNC_COUNT_OF(released) && strcmp(released[i], field) != 0) { i++; }
    return is_given(changed->given, field) || (i < NNC_COUNT_OF(released) && changed->kept[i]);
}

/* For each plan field in `released` that advice did not change: sets the field to the value that the user asked for, so
 * that the release can set the field anew for the changed plan. */
static void ask_again(const nnc_plan *asked, const nnc_plan *base, nnc_plan *plan, changed_plan *changed) {
    const bool recomputes = plan->recompute != base->recompute || plan->recompute_layers != base->recompute_layers;
    for (size_t i = 0; i < NNC_COUNT_OF(released); i++) {
        const nnc_field *field = nnc_field_of_key(&nnc_plan_table, released[i]);
        char *value = (char *)plan + field->offset;
        const bool recompute = nnc_begins(released[i], "recompute");
        changed->kept[i] =
            recompute ? recomputes : !nnc_same_bytes(value, (const char *)base + field->offset, field->size);
        if (!changed->kept[i]) { memcpy(value, (const char *)asked + field->offset, field->size); }
    }
}

static bool complete(const void *in, const nnc_plan *base, nnc_variant *variant) {
    const nnc_scenario *s = in;
    const struct nnc_asked *asked = &s->asked;
    const nnc_release_ask ask = nnc_scenario_release_ask(s, s->model.id);
    nnc_decoder *decoder = &variant->own_model.decoder;
    changed_plan changed = { .given = &asked->given };
    const nnc_given given = { is_kept, &changed };
    nnc_error err;
    ask_again(&asked->plan, base, &variant->own_plan, &changed);
    if (s->model.family == NNC_FAMILY_DECODER) {
        decoder->dropout = asked->dropout;
        if (decoder->vocab_multiple == s->model.decoder.vocab_multiple) {
            decoder->vocab_multiple = asked->vocab_multiple;
        }
    }
    nnc_release_fill(s->release.entry, &given, &variant->own_model, &variant->own_plan);
    variant->own_software = *s->release.software;
    return nnc_release_switch(&s->release, &ask, &variant->own_plan, &variant->own_software, &err) == NNC_OK &&
           set_switches(&asked->given, &variant->own_software, &err) == NNC_OK;
}

/* Adds the software switches of the command line to the text scenario->overrides. Switches are not fields of the plan,
 * so the output shows the switches only as a part of the text scenario->overrides. */
static void say_switched(const nnc_scenario_args *given, nnc_scenario *scenario) {
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        if (nnc_field_is_of(&nnc_switch_table, setting->field)) {
            nnc_text_append(scenario->overrides, sizeof scenario->overrides, ", ", "software.%s=%s",
                            setting->field->name, setting->value);
            scenario->report.overrides = scenario->overrides;
        }
    }
}

/* If --software names a release of a profile, applies the settings of this release. After the settings of the release,
 * applies the software switches of the command line. */
static nnc_status apply_release(const nnc_scenario_args *given, nnc_scenario *scenario, nnc_error *err) {
    if (scenario->release.entry != NULL) {
        const nnc_given asked = { is_given, given };
        const nnc_decoder *decoder = &scenario->model.decoder;
        scenario->asked = (struct nnc_asked){ *given, scenario->plan, decoder->vocab_multiple, decoder->dropout };
        scenario->completer = (nnc_completer){ complete, scenario };
        NNC_TRY(nnc_scenario_release(scenario, &asked, scenario->model.id, err));
    }
    NNC_TRY(nnc_scenario_switch(given, scenario, err));
    if (!scenario->report.software_chosen) { scenario->profiles = nnc_profiles_of_one(&scenario->software); }
    if (scenario->release.entry != NULL) { scenario->profiles.completer = &scenario->completer; }
    return NNC_OK;
}

nnc_status nnc_scenario_load(nnc_specs *specs, const nnc_scenario_args *given, const char *model_asked,
                             const char *device_asked, nnc_scenario *scenario, nnc_error *err) {
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    NNC_TRY(nnc_model_load(specs, model_asked, &model, err));
    NNC_TRY(nnc_device_load(specs, device_asked, &device, err));
    scenario->specs = specs;
    scenario->model = *model;
    NNC_TRY(nnc_specs_take_library(specs, model_asked, &scenario->model, err));
    nnc_specs_take_implementation(specs, &scenario->model);
    scenario->device = *device;
    NNC_TRY(nnc_scenario_named_profile(scenario, given->software, err));
    nnc_plan_init(&scenario->plan, sizeof scenario->plan);
    nnc_run_ask_init(&scenario->run_ask, sizeof scenario->run_ask);
    scenario->asks_run = given->asks_run;
    scenario->report = (nnc_report){
        .model_asked = model_asked,
        .device_asked = device_asked,
        .overrides = given->set_count > 0 ? scenario->overrides : NULL,
        .cluster = given->cluster,
        .launch = given->launch,
        .model = &scenario->model,
        .device = &scenario->device,
        .software = &scenario->software,
        .software_chosen = nnc_software_is_chosen(given->software),
        .result = &scenario->result,
        .advice = scenario->advice,
    };
    NNC_TRY(nnc_scenario_apply(specs, given, scenario, err));
    nnc_method_helpers(&scenario->run_ask, &scenario->plan);
    NNC_TRY(nnc_scenario_choose(scenario, err));
    if (!given->serves && scenario->software.serving.fitted) {
        return nnc_fail(err, NNC_BAD_USAGE, "--software",
                        "%s is the profile of an inference engine, expected a profile for training, such as "
                        "torch-compile; 'nncost serve' has profiles of engines",
                        scenario->software.id);
    }
    if (scenario->model.captured != NULL && !given->serves && !nnc_software_is_chosen(given->software) &&
        !scenario->software.lists_operators && !nnc_fuses_captured(&scenario->software)) {
        return nnc_fail(
            err, NNC_ILLEGAL_PLAN, "--software",
            "nncost does not know which operators of a captured program this profile fuses, expected torch-eager, "
            "torch-channels-last or torch-compile, found %s",
            scenario->software.id);
    }
    NNC_TRY(apply_release(given, scenario, err));
    say_switched(given, scenario);
    NNC_TRY(judge(scenario, device, err));
    scenario->rollout_tokens_per_s = scenario->rollout_batch = (double)NAN;
    if (scenario->run_ask.method != NNC_METHOD_TRAIN) { NNC_TRY(nnc_scenario_rollout(specs, scenario, err)); }
    return check_batch(&scenario->plan, err);
}

/* Fills in the inputs of the run that the user did not give (NaN) with values of the device file. */
static void fill_run_ask(const nnc_device *device, nnc_run_ask *ask) {
    if (isnan(ask->device_mtbf_s)) {
        ask->device_mtbf_s = ask->stops == NNC_STOPS_ANY ? device->mtbf.any_s : device->mtbf.hardware_s;
    }
    if (isnan(ask->embodied_kg)) { ask->embodied_kg = device->embodied_kg; }
    if (isnan(ask->idle_w) && isnan(ask->busy_w)) {
        ask->idle_w = device->node_power.idle_w;
        ask->busy_w = device->node_power.busy_w;
    }
}

bool nnc_scenario_complete_run(nnc_scenario *scenario) {
    if (!scenario->asks_run) { return false; }
    nnc_run_ask *ask = &scenario->run_ask;
    fill_run_ask(&scenario->device, ask);
    if (isnan(ask->rollout_tokens_per_s) && !isnan(scenario->rollout_tokens_per_s)) {
        ask->rollout_tokens_per_s = scenario->rollout_tokens_per_s;
        ask->rollout_batch = scenario->rollout_batch;
    }
    /* other devices than the training devices generate the answers, so new weights are sent to them over the network */
    if (ask->rollout_devices > 0.0 && isnan(ask->sync_bytes_per_s)) {
        ask->sync_bytes_per_s = scenario->device.scale_out.bytes_per_s * ask->rollout_tensor;
    }
    if (scenario->report.region != NULL && isnan(scenario->run_ask.carbon_g_per_kwh)) {
        scenario->run_ask.carbon_g_per_kwh = scenario->region.carbon_g_per_kwh;
    } else {
        /* the user gave a carbon intensity, so the report does not name the region's intensity */
        scenario->report.region = NULL;
    }
    if (scenario->report.building != NULL &&
        /* the user gave a PUE, so the report does not name the data centre's PUE */
        fabs(ask->pue - scenario->building.pue) > 0.0) {
        scenario->report.building = NULL;
    }
    return true;
}

nnc_status nnc_scenario_run(nnc_scenario *scenario, nnc_error *err) {
    if (!nnc_scenario_complete_run(scenario)) { return NNC_OK; }
    NNC_TRY(nnc_run_of(&scenario->result, &scenario->device, &scenario->plan, &scenario->run_ask, &scenario->run, err));
    scenario->report.run_ask = &scenario->run_ask;
    scenario->report.run = &scenario->run;
    return NNC_OK;
}

nnc_status nnc_report_estimate(nnc_report *report, const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result,
                               nnc_error *err) {
    NNC_TRY(nnc_estimate(report->model, report->device, report->software, plan, scratch, result, err));
    if (report->least_bytes > 0 && report->least_bytes <= result->memory.capacity_bytes) {
        result->memory.total_interval_bytes[0] = report->least_bytes;
    }
    report->result = result;
    report->ops = nnc_scratch_ops(scratch, &report->op_count);
    report->stages = nnc_scratch_stages(scratch, &report->stage_count);
    report->scratch = scratch;
    return NNC_OK;
}

nnc_status nnc_report_weigh(nnc_report *report, const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result,
                            nnc_error *err) {
    if (scratch != NULL) { scratch->ends_over = true; }
    const nnc_status status = nnc_report_estimate(report, plan, scratch, result, err);
    if (scratch != NULL) { scratch->ends_over = false; }
    return status;
}

nnc_status nnc_report_advise(nnc_report *report, const nnc_profiles *profiles, const nnc_plan *plan,
                             nnc_scratch *scratch, nnc_result *result, nnc_advice advice[NNC_ADVICE_MAX],
                             nnc_error *err) {
    report->advice = advice;
    report->advice_count =
        nnc_advise_by_plan(report->model, report->device, profiles, plan, scratch, advice, NNC_ADVICE_MAX);
    return nnc_report_estimate(report, plan, scratch, result, err);
}

nnc_status nnc_scenario_estimate(const nnc_scenario_args *given, nnc_scenario *scenario, nnc_scratch *scratch,
                                 nnc_error *err) {
    nnc_report *report = &scenario->report;
    const nnc_plan *plan = &scenario->plan;
    nnc_result *result = &scenario->result;
    const nnc_given stated = { is_given, given };
    NNC_TRY(nnc_report_weigh(report, plan, scratch, result, err));
    if (result->verdict == NNC_OVER_MEMORY) {
        NNC_TRY(nnc_scenario_profiles(scenario, err));
        NNC_TRY(nnc_scenario_lower_end(scenario, &stated, scratch, err));
        NNC_TRY(nnc_report_advise(report, &scenario->profiles, plan, scratch, result, scenario->advice, err));
    }
    return nnc_scenario_run(scenario, err);
}

/* A growing array of the time intervals of a timeline. */
typedef struct interval_list {
    nnc_interval *items;
    size_t count, capacity;
    bool failed;
} interval_list;

static void add_interval(void *context, const nnc_interval *interval) {
    interval_list *list = context;
    if (list->count == list->capacity && !list->failed) {
        const size_t capacity = list->capacity > 0 ? 2 * list->capacity : 1024;
        void *items = realloc(list->items, capacity * sizeof *list->items);
        if (items == NULL) {
            list->failed = true;
        } else {
            list->items = items;
            list->capacity = capacity;
        }
    }
    if (!list->failed) { list->items[list->count++] = *interval; }
}

/* Comparison function for qsort that orders the intervals of a timeline by pipeline stage, then by start time, then by
 * end time. */
static int compare_intervals(const void *a, const void *b) {
    const nnc_interval *x = a, *y = b;
    if (x->stage != y->stage) { return x->stage < y->stage ? -1 : 1; }
    if (x->start_s < y->start_s || x->start_s > y->start_s) { return x->start_s < y->start_s ? -1 : 1; }
    return x->end_s < y->end_s ? -1 : x->end_s > y->end_s ? 1 : 0;
}

nnc_status nnc_scenario_timeline(nnc_scenario *scenario, nnc_scratch *scratch, nnc_error *err) {
    interval_list list = { .items = NULL };
    nnc_status status = nnc_timeline(scratch, &scenario->result, add_interval, &list, err);
    if (status == NNC_OK && (list.failed || list.count == 0)) { status = nnc_no_memory(err); }
    if (status != NNC_OK) {
        free(list.items);
        return status;
    }
    qsort(list.items, list.count, sizeof *list.items, compare_intervals);
    scenario->report.intervals = scenario->intervals = list.items;
    scenario->report.interval_count = (int64_t)list.count;
    return NNC_OK;
}

void nnc_scenario_timeline_free(nnc_scenario *scenario) {
    free(scenario->intervals);
    scenario->report.intervals = scenario->intervals = NULL;
    scenario->report.interval_count = 0;
}

/* ---- Options that have no effect ----
 *
 * Some options are read only if a condition is met, for example if another option is given. The functions of this part
 * of the file refuse an option of the command line that is not read, with an error that names the missing option. A
 * reader describes one condition: `reads` is true if the condition is met, `needs` is the option with which the
 * condition would be met, and `fields` are the options that are read only if the condition is met. If a command has
 * several scenarios, a setting is refused only if no scenario reads it. */

typedef struct reader {
    bool reads;
    const char *needs;
    const char *fields; /* names of the fields that are read only if the condition is met, separated by spaces */
} reader;

static bool has_word(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) { return true; }
    }
    return false;
}

/* Tests whether a setting states the default value of its plan field; every plan may state default values. The result
 * is always false for a switch that is on by default. */
static bool states_default(const nnc_setting *setting) {
    char usual[NNC_METRIC_TEXT_MAX], text[NNC_METRIC_TEXT_MAX];
    nnc_plan plan = nnc_plan_default();
    if (!nnc_field_is_of(&nnc_plan_table, setting->field)) { return false; }
    nnc_field_text(setting->field, &plan, usual, sizeof usual);
    if (strcmp(usual, "on") == 0) { return false; }
    if (strcmp(setting->field->name, "schedule") == 0) { return strcmp(setting->value, "1f1b") == 0; }
    if (nnc_plan_set(&plan, setting->field->name, setting->value, NULL) != NNC_OK) { return false; }
    nnc_field_text(setting->field, &plan, text, sizeof text);
    return strcmp(text, usual) == 0;
}

/* Tests whether the arguments state a field. If a plan states a degree of 1, it may also state all other fields of this
 * kind of parallelism, because the JSON output of a plan contains these fields. */
static bool states(const nnc_scenario_args *given, const char *field) {
    return nnc_scenario_setting(given, field) != NULL;
}

/* Returns the option without which a setting is not read; NULL = the setting is read. */
static const char *needed_by(const nnc_setting *setting, const reader *readers, size_t count) {
    for (size_t r = 0; r < count; r++) {
        if (!readers[r].reads && has_word(readers[r].fields, setting->field->name)) {
            return states_default(setting) ? NULL : readers[r].needs;
        }
    }
    return NULL;
}

static nnc_status fail_unread(const nnc_setting *setting, const char *needs, nnc_error *err) {
    char option[NNC_OPTION_NAME];
    nnc_option_name(setting->field->name, option);
    return nnc_fail(err, NNC_BAD_USAGE, option, "has no effect here, expected together with %s", needs);
}

static nnc_status refuse_unread(const nnc_scenario_args *given, const reader *readers, size_t count, nnc_error *err) {
    for (int i = 0; i < given->own_count; i++) {
        const char *needs = needed_by(&given->settings[i], readers, count);
        if (needs != NULL) { return fail_unread(&given->settings[i], needs, err); }
    }
    return NNC_OK;
}

/* Tests whether the arguments state a number of devices, or a degree of parallelism. */
static bool states_devices(const nnc_scenario_args *given) {
    static const char *const names[] = { "devices", "data", "tensor", "pipeline", "context", "expert" };
    bool found = false;
    for (size_t i = 0; i < NNC_COUNT_OF(names); i++) { found = found || states(given, names[i]); }
    return found;
}

/* Returns the option without which a setting of the plan or of the software is not read; NULL = the setting is read. */
static const char *plan_needs(const nnc_scenario_args *given, const nnc_setting *setting,
                              const nnc_scenario *scenario) {
    const nnc_plan *plan = &scenario->plan; /* the plan before defaults are filled in, because defaults are no options
                                             * of the user */
    const nnc_model_sizes sizes = nnc_model_sizes_of(&scenario->model);
    const reader readers[] = {
        { plan->adapter_rank > 0 || plan->train != NNC_TRAIN_ALL || plan->train_layers > 0 ||
              plan->helper_copies + plan->helper_params > 0.0 || modules_of(given, scenario, "frozen") != NULL,
          "--lora or --train (--load-in-4bit is --frozen nf4)", "frozen" },
        { !nnc_is_forward_pass(&scenario->model, plan), "a step that trains",
          "optimizer optimizer_kernels recompute recompute_every recompute_layers clip_gradients" },
        { scenario->model.captured == NULL || !plan->clip_gradients, "a model that is not recorded", "clip_gradients" },
        { nnc_optimizer_projects(plan->optimizer) || states(given, "optimizer"), "--optimizer galore or apollo",
          "optimizer_rank" },
        { plan->adapter_rank > 0 || states(given, "adapter_rank"), "--lora", "adapters" },
        { sizes.experts > 0 || states(given, "expert"), "a model with experts",
          "capacity_factor imbalance whole_experts" },
        { states(given, "recompute") || plan->recompute != NNC_RECOMPUTE_NONE ||
              modules_of(given, scenario, "recompute") != NULL,
          "--recompute", "recompute_every recompute_layers" },
        { plan->expert > 1, "--expert", "dispatcher overlap_expert" },
        { plan->tensor > 1, "--tensor", "overlap_tensor" },
        { plan->zero == 3 && plan->precision == NNC_FP8, "--zero 3 and --precision fp8", "fp8_gather" },
        { plan->context > 1, "--context", "overlap_context" },
        { plan->context > 1 || states(given, "context"), "--context", "context_kind" },
        { plan->pipeline > 1, "--pipeline", "overlap_pipeline" },
        { plan->pipeline > 1 || states(given, "pipeline"), "--pipeline", "schedule ends_as_layers rank_order" },
        { sizes.experts > 0, "a model with experts", "launch_expert_s launch_product_s" },
        { sizes.vocab == 0, "a model of images", "fused_maps contiguous_maps" },
        { scenario->model.family != NNC_FAMILY_DECODER || scenario->model.decoder.dropout > 0.0, "a model with dropout",
          "random_written" },
        { nnc_listing_of(&scenario->model, &scenario->device) != NNC_LISTING_NONE, "--implementation",
          "lists_operators narrow_adapters" },
        { plan->adapter_rank > 0, "--lora", "narrow_adapters" },
        { states_devices(given), "--devices", "devices_per_node" },
    };
    return needed_by(setting, readers, NNC_COUNT_OF(readers));
}

/* Returns the option without which a setting of the run is not read; NULL = the setting is read. */
static const char *run_needs(const nnc_setting *setting, const nnc_scenario *scenario) {
    const nnc_run_ask *run = &scenario->run_ask;
    const nnc_device *device = &scenario->device;
    const nnc_method method = run->method;
    const bool tunes = method != NNC_METHOD_TRAIN, rolls_out = tunes && nnc_method_rolls_out(method);
    const bool stops = !isnan(run->device_mtbf_s) || run->reclaim_per_month > 0.0 ||
                       !isnan(run->stops == NNC_STOPS_ANY ? device->mtbf.any_s : device->mtbf.hardware_s);
    const bool reads_samples = !isnan(run->sample_bytes);
    const bool prepares = !isnan(run->prepare_s) || !isnan(run->prepared_bytes);
    const bool is_embodied =
        !(isnan(run->embodied_kg) && isnan(device->embodied_kg)) && !isnan(run->life_s) && !isnan(run->use_share);
    static const char of_a_method[] = "--method grpo, ppo, dpo or distill";
    static const char of_generation[] = "--method grpo, ppo or distill-on-policy";
    static const char of_failures[] = "--device-mtbf-s";
    const reader readers[] = {
        { run->evaluate_every > 0.0, "--evaluate-every", "evaluate_s" },
        { stops, of_failures, "detect_s start_s replace_s repair_s failing_share elastic_replicas" },
        { run->replace_s > 0.0, "--replace-s", "spares" },
        { run->elastic_replicas > 0.0, "--elastic-replicas", "reshard_s" },
        { stops || !isnan(run->checkpoint_interval_s), "--device-mtbf-s or --checkpoint-interval-s",
          "checkpoint_bytes storage_write_bytes_per_s storage_read_bytes_per_s asynchronous block_s save_s load_s" },
        { tunes, of_a_method, "policy_params update_epochs score_s" },
        { method == NNC_METHOD_DPO || method == NNC_METHOD_GRPO || method == NNC_METHOD_PPO || method == NNC_METHOD_KTO,
          "--method grpo, ppo, dpo or kto", "reference_params" },
        { method == NNC_METHOD_PPO || rolls_out, of_generation, "reward_params" },
        { method == NNC_METHOD_PPO, "--method ppo", "critic_params" },
        { method == NNC_METHOD_DISTILL || method == NNC_METHOD_DISTILL_ON_POLICY,
          "--method distill or distill-on-policy", "teacher_params" },
        { run->reference_total_params >= run->reference_params, "--reference-params N, and N at most this number",
          "reference_total_params" },
        { run->reward_total_params >= run->reward_params, "--reward-params N, and N at most this number",
          "reward_total_params" },
        { run->critic_total_params >= run->critic_params, "--critic-params N, and N at most this number",
          "critic_total_params" },
        { run->teacher_total_params >= run->teacher_params, "--teacher-params N, and N at most this number",
          "teacher_total_params" },
        { rolls_out, of_generation,
          "sampler_logprobs prompt_tokens response_tokens group rollout_tensor rollout_devices "
          "rollout_overlap rollout_s sync_s sync_bytes_per_s" },
        { rolls_out && isnan(run->rollout_s), "--method grpo, ppo or distill-on-policy without --rollout-s",
          "rollout_batch rollout_tail rollout_tokens_per_s" },
        { run->sites > 1.0, "--sites", "outer_every outer_bytes site_bytes_per_s outer_overlap_s" },
        { reads_samples, "--sample-bytes", "input_bytes_per_s" },
        { reads_samples && !isnan(run->input_bytes_per_s), "--sample-bytes and --input-bytes-per-s",
          "access_share cached_share" },
        { prepares, "--prepare-s", "workers" },
        { prepares, "--prepared-bytes", "prefetch" },
        { reads_samples || prepares, "--sample-bytes or --prepare-s", "serial_input" },
        { is_embodied, "--embodied-kg, --life-s and --use-share together", "embodied_kg life_s use_share" },
        { !isnan(run->stored_bytes), "--stored-bytes", "storage_price" },
        { !isnan(run->egress_bytes), "--egress-bytes", "egress_price" },
    };
    return needed_by(setting, readers, NNC_COUNT_OF(readers));
}

const char *nnc_scenario_needs(const nnc_scenario_args *given, const nnc_setting *setting,
                               const nnc_scenario *scenario) {
    const char *needs = plan_needs(given, setting, scenario);
    return needs != NULL ? needs : run_needs(setting, scenario);
}

nnc_status nnc_scenario_check_read(const nnc_scenario_args *given, const nnc_scenario *scenarios, int32_t count,
                                   nnc_error *err) {
    for (int i = 0; i < given->own_count; i++) {
        const char *needs = NULL;
        for (int32_t k = 0; k < count && (k == 0 || needs != NULL); k++) {
            needs = nnc_scenario_needs(given, &given->settings[i], &scenarios[k]);
        }
        if (needs != NULL) { return fail_unread(&given->settings[i], needs, err); }
    }
    return NNC_OK;
}

/* If the model generates images, refuses options that describe text requests and inference engines. */
static nnc_status refuse_of_tokens(const nnc_scenario_args *given, nnc_error *err) {
    static const char of_images[] = "steps guidance image beside_s batch precision price carbon_g_per_kwh";
    if (given->cluster != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--cluster",
                        "has no effect here, expected together with a decoder that generates tokens");
    }
    for (int i = 0; i < given->own_count; i++) {
        const nnc_field *field = given->settings[i].field;
        char option[NNC_OPTION_NAME];
        size_t row = 0;
        while (row < nnc_serve_table.count && field != &nnc_serve_table.fields[row]) { row++; }
        if (row < nnc_serve_table.count && !has_word(of_images, field->name)) {
            return nnc_fail(err, NNC_BAD_USAGE, nnc_option_name(field->name, option),
                            "has no effect here, expected together with a decoder that generates tokens");
        }
    }
    return NNC_OK;
}

nnc_status nnc_serve_scenario_check_read(const nnc_scenario_args *given, const nnc_serve_scenario *scenario,
                                         nnc_error *err) {
    const nnc_serve_ask *ask = &scenario->ask;
    const bool recorded = ask->arrivals[0] != '\0', closed = ask->concurrency > 0;
    const bool open = !isnan(ask->request_rate);
    const bool loops = open || recorded || closed;
    const nnc_model *model = &scenario->base.model;
    const nnc_stored stored = ask->weights != NNC_STORED_COUNT ? ask->weights
                              : model->stored != NULL          ? NNC_STORED_INT4 /* format that the name states */
                                                               : model->published_weights;
    const bool grouped = nnc_stored_bytes(stored, 32.0) > nnc_stored_bytes(stored, 128.0);
    if (scenario->images_ask.steps > 0) { NNC_TRY(refuse_of_tokens(given, err)); }
    static const char of_loops[] = "--request-rate, --arrivals or --concurrency";
    const reader readers[] = {
        { open && !recorded, "--request-rate", "burstiness" },
        { closed, "--concurrency", "waves" },
        { !scenario->base.software.lists_operators || ask->steps > 0, "an engine, such as --software vllm",
          "chunk block" },
        { scenario->base.software.serving.issue_s > 0.0,
          "an engine that issues the kernels of prompts one by one, such as --software sglang", "graph_tokens" },
        { loops, of_loops, "requests seed preempt receive_steps" },
        { ask->disaggregate[0] == '\0' || strcmp(ask->disaggregate, "none") == 0,
          "workers that compute prompts and decode (no --disaggregate)", "receive_steps" },
        { !recorded, "--request-rate or --concurrency in place of --arrivals", "requests seed" },
        { !recorded || ask->arrival_list[0].input_len == 0, "a list of requests without a column input_len",
          "input_len" },
        { !recorded || ask->arrival_list[0].output_len == 0, "a list of requests without a column output_len",
          "output_len" },
        { !loops || ask->preempt || !scenario->base.software.serving.preempt,
          "an engine that does not always preempt, such as --software tensorrt-llm", "preempt" },
        { loops && ask->wait_share > 0.0, "--wait-share and a loop", "wait_steps" },
        { loops && ask->wait_steps > 0, "--wait-steps and a loop", "wait_share" },
        { loops && ask->attention_data > 1, "--attention-data and a loop", "balance_steps" },
        { loops && ask->balance_steps > 0, "--balance-steps and a loop", "balance_more" },
        { loops || ask->offline, "--request-rate, --arrivals, --concurrency or --offline", "length_spread" },
        { ask->draft[0] != '\0' || ask->draft_length > 0, "--draft or --draft-length", "acceptance draft_share" },
        { nnc_model_sizes_of(model).experts > 0, "a model with experts", "imbalance" },
        { ask->attention_data > 1, "--attention-data", "overlap_expert" },
        { grouped, "--weights int4", "group_size" },
        { ask->steps > 0, "--steps", "image beside_s guidance" },
    };
    return refuse_unread(given, readers, NNC_COUNT_OF(readers), err);
}
