/* The software of a scenario. Some functions of this file find the profile that the user names, or choose a profile.
 * Other functions list the properties of the software that the user left open, with the effect of each property on the
 * step time. The last functions find the least memory of a plan: they choose all open settings of the plan so that the
 * plan needs less memory. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/base_internal.h"
#include "scenario/scenario_internal.h"

/* ---- choosing the software profile of a scenario ---- */

/* If the user has named a framework, such as "MaxText", selects the profile that describes this framework on the
 * device; 'nncost accuracy' does the same for measured rows. On a GPU, "MaxText" selects maxtext-gpu, not maxtext.
 * Changes nothing if the name is exactly the id of a profile ("maxtext"). */
static nnc_status find_of_device(nnc_scenario *scenario, const char *asked, nnc_release *release, nnc_error *err) {
    const nnc_software *const software = scenario->profiles.of[NNC_PROFILE_COPIES];
    nnc_release_ask ask = nnc_scenario_release_ask(scenario, scenario->model.id);
    nnc_release named;
    ask.words = asked;
    if (nnc_is_path(asked) || strcmp(asked, software->id) == 0) { return NNC_OK; }
    NNC_TRY(nnc_release_find(scenario->specs, &ask, &named, err));
    if (!nnc_release_of_hardware(&named) || named.software == software) { return NNC_OK; }
    *release = named;
    scenario->profiles = nnc_profiles_of_one(named.software);
    return NNC_OK;
}

/* Replaces the error for an unknown profile if the user has named a library that several profiles describe. The error
 * then names the profiles that describe the library. */
static void name_profiles_of_library(const char *asked, nnc_error *err) {
    static const char *const libraries[] = { "pytorch", "torch",     "hugging face", "huggingface",
                                             "unsloth", "torchtune", "timm",         "diffusers" };
    const bool jax = strncasecmp(asked, "jax", 3) == 0 || strcasecmp(asked, "flax") == 0;
    bool torch = false;
    for (size_t i = 0; i < NNC_COUNT_OF(libraries); i++) {
        torch = torch || strncasecmp(asked, libraries[i], strlen(libraries[i])) == 0;
    }
    if ((torch || jax) && err != NULL) {
        nnc_fail(err, NNC_UNKNOWN_ID, "--software",
                 "several profiles describe this software, expected %s, found \"%.60s\"",
                 jax ? "maxtext (TPU) or maxtext-gpu" : "torch-eager, torch-compile or fsdp, or no --software", asked);
    }
}

nnc_status nnc_scenario_named_profile(nnc_scenario *scenario, const char *asked, nnc_error *err) {
    nnc_release_ask ask = nnc_scenario_release_ask(scenario, scenario->model.id);
    nnc_release *release = &scenario->release;
    nnc_error missing = { 0 };
    *release = (nnc_release){ .entry = NULL };
    if (nnc_software_is_chosen(asked)) {
        scenario->profiles = (nnc_profiles){ .any = asked != NULL };
        return NNC_OK;
    }
    const nnc_status status = nnc_profiles_asked(scenario->specs, asked, &scenario->profiles, &missing);
    if (status == NNC_OK) {
        NNC_TRY(find_of_device(scenario, asked, release, err));
        if (release->entry != NULL) { return NNC_OK; }
        ask.software = scenario->profiles.of[NNC_PROFILE_COPIES];
        return nnc_release_find(scenario->specs, &ask, release, err);
    }
    if (status == NNC_UNKNOWN_ID && !nnc_is_path(asked)) {
        ask.words = asked;
        NNC_TRY(nnc_release_find(scenario->specs, &ask, release, err));
    }
    if (release->entry == NULL) {
        *err = missing;
        if (status == NNC_UNKNOWN_ID && strstr(missing.what, "nearest") == NULL) {
            name_profiles_of_library(asked, err);
        }
        return status;
    }
    scenario->profiles = nnc_profiles_of_one(release->software);
    return NNC_OK;
}

nnc_status nnc_scenario_choose(nnc_scenario *s, nnc_error *err) {
    const nnc_software *software = nnc_profile_of(&s->profiles, &s->model, &s->device, &s->plan);
    if (software == NULL) {
        NNC_TRY(nnc_profile_load(s->specs, nnc_profile_kind_of(&s->model, &s->device, &s->plan), &software, err));
    }
    s->software = *software;
    return NNC_OK;
}

nnc_status nnc_scenario_profiles(nnc_scenario *scenario, nnc_error *err) {
    const bool any = scenario->profiles.any;
    bool wanted[NNC_PROFILE_KINDS] = { false };
    if (scenario->profiles.of[NNC_PROFILE_COPIES] != NULL) { return NNC_OK; }
    for (int i = 0; i < NNC_PROFILE_KINDS; i++) {
        wanted[i] =
            i == NNC_PROFILE_COPIES || nnc_profile_kind_may(&scenario->model, &scenario->device, (nnc_profile_kind)i);
    }
    NNC_TRY(nnc_profiles_load(scenario->specs, wanted, &scenario->profiles, err));
    scenario->profiles.any = any;
    return NNC_OK;
}

/* Tests whether a plan in fp32 or TF32 gets another default profile if the number format of the plan is changed. */
static bool format_selects_profile(const nnc_scenario *s) {
    const nnc_dtype format = s->result.plan.precision;
    return (format == NNC_FP32 || format == NNC_TF32) &&
           (nnc_profile_kind_may(&s->model, &s->device, NNC_PROFILE_EARLY) ||
            nnc_profile_kind_may(&s->model, &s->device, NNC_PROFILE_EARLY_MAPS));
}

/* Tries changes of the plan; see nnc_plan_changes_find. If the software profile is torch-eager or torch-1, tries
 * compiled kernels (torch-compile), too, and for convolutional networks the channels-last layout. If `quick` is true
 * and the plan has one device, the function does not load the software profiles of other kinds of plans, unless a
 * change of the number format can select another profile. */
nnc_status nnc_scenario_changes(nnc_scenario *scenario, bool quick, nnc_scratch *scratch, nnc_plan_changes *changes,
                                nnc_error *err) {
    nnc_profiles own = nnc_profiles_of_one(&scenario->software);
    nnc_plan_change_ask ask = { .model = &scenario->model,
                                .device = &scenario->device,
                                .profiles = &own,
                                .plan = &scenario->plan,
                                .base = scenario->report.least_bytes > 0 ? NULL : &scenario->result,
                                .quick = quick };
    own.any = scenario->profiles.any;
    own.completer = scenario->profiles.completer;
    if (scenario->result.plan.devices > 1 || !quick || format_selects_profile(scenario)) {
        NNC_TRY(nnc_scenario_profiles(scenario, err));
        ask.profiles = &scenario->profiles;
    }
    const bool maps = scenario->model.family != NNC_FAMILY_DECODER && scenario->model.family != NNC_FAMILY_VIT;
    const bool captured = scenario->model.captured != NULL; /* a captured program without an image input has no feature
                                                             * maps */
    if (strcmp(scenario->software.id, "torch-eager") == 0 || strcmp(scenario->software.id, "torch-1") == 0) {
        NNC_TRY(nnc_software_load(scenario->specs, "torch-compile", &ask.others[0], err));
        if (maps && (!captured || nnc_model_sizes_of(&scenario->model).image > 0)) {
            NNC_TRY(nnc_software_load(scenario->specs, "torch-channels-last", &ask.others[1], err));
        }
    }
    nnc_plan_changes_find(&ask, scratch, changes);
    return NNC_OK;
}

/* ---- open facts: properties of the software that the user did not state ---- */

/* Names of software profiles with which a plan can run, one list for each kind of plan. */
static const char *const of_copies[] = { "torch-eager", "torch-compile", "mlperf" };
static const char *const of_early_maps[] = { "torch-1-maps", "torch-eager", "mlperf" };
static const char *const of_early[] = { "torch-1", "torch-compile", "megatron-classic" };
static const char *const of_shards[] = { "fsdp", "llm-foundry-0.3", "torchtitan-2024.12" };
static const char *const of_splits[] = { "megatron", "megatron-classic", "nanotron-0.5", "nemo-26.06" };
static const char *const kernels[] = { "flash1", "flash2", "flash3" };
static const char *const shares[] = { "0", "0.5", "1" };
static const char *const switches[] = { "off", "on" };
static const char *const context_kinds[] = { "ring", "all-gather", "ulysses" };
static const char *const adapted[] = { "linear", "attention" };
/* Smallest and largest share of the link rate that groups of cards reached over PCIe: eight L40S of one server
 * (collectives_aiconfigurator.csv); four RTX 4090 (https://github.com/NVIDIA/nccl/issues/1603). */
static const char *const link_shares[] = { "0.05", "0.7" };
static const char *const stages[] = { "0", "1" };
static const char *const hosts[] = { "desktop", "h100-server" };
static const char *const updates[] = { "fused", "foreach" };

typedef struct open_values {
    const char *const *values;
    int32_t count;
} open_values;
#define VALUES(list) ((open_values){ (list), (int32_t)(sizeof(list) / sizeof(list)[0]) })

static open_values software_of(nnc_profile_kind kind) {
    switch (kind) {
    case NNC_PROFILE_COPIES: return VALUES(of_copies);
    case NNC_PROFILE_SHARDED:
    case NNC_PROFILE_EARLY_SHARDED: return VALUES(of_shards);
    case NNC_PROFILE_SPLIT: return VALUES(of_splits);
    case NNC_PROFILE_EARLY: return VALUES(of_early);
    case NNC_PROFILE_EARLY_MAPS: return VALUES(of_early_maps);
    default: return (open_values){ NULL, 0 };
    }
}

/* Tests whether a field of the plan has its default value; such a field counts as not set by the user. */
static bool is_open(const nnc_field *field, const nnc_plan *plan) {
    const nnc_plan usual = nnc_plan_default();
    char text[128], usually[128];
    nnc_field_text(field, plan, text, sizeof text);
    nnc_field_text(field, &usual, usually, sizeof usually);
    return strcmp(text, usually) == 0;
}

/* Tests whether a status means that every further estimate would fail, too: out of memory, or a file that cannot be
 * read. */
static bool fails(nnc_status status) { return status == NNC_NO_MEMORY || status == NNC_IO; }

/* Estimates step time and memory of the scenario's plan after one property of the software (name) is set to a given
 * value. Sets result->step_s to NaN if the plan is illegal with this value. Computes neither bounds nor FLOPs. */
static nnc_status step_with(const nnc_scenario *s, const char *name, const char *value, nnc_scratch *scratch,
                            nnc_result *result, nnc_error *err) {
    const nnc_software *software = &s->software;
    const bool of_plan = nnc_field_of_key(&nnc_plan_table, name) != NULL;
    nnc_software switched = s->software;
    nnc_device device = s->device;
    nnc_plan plan = s->plan;
    nnc_status status = strcmp(name, "software") == 0       ? nnc_software_load(s->specs, value, &software, err)
                        : strcmp(name, NNC_LINK_SHARE) == 0 ? nnc_device_set(&device, name, value, err)
                        : strcmp(name, "host") == 0 ? nnc_host_kernel_s(s->specs, value, &device.host.kernel_s, err)
                        : of_plan                   ? nnc_plan_set(&plan, name, value, err)
                                                    : nnc_software_set(&switched, name, value, err);
    if (status == NNC_OK) {
        scratch->brief = scratch->workless = true;
        status = nnc_estimate(&s->model, &device, software == &s->software ? &switched : software, &plan, scratch,
                              result, err);
        scratch->brief = scratch->workless = false;
    }
    result->step_s = status == NNC_OK ? result->step_s : (double)NAN;
    return fails(status) ? status : NNC_OK;
}

nnc_status nnc_scenario_eager(const nnc_scenario *scenario, nnc_scratch *scratch, nnc_result *result, nnc_error *err) {
    result->step_s = (double)NAN;
    if (!scenario->report.software_chosen || scenario->result.plan.devices > 1 ||
        scenario->plan.mode != NNC_MODE_PREDICTED || strcmp(scenario->software.id, "torch-compile") != 0) {
        return NNC_OK;
    }
    return step_with(scenario, "software", "torch-eager", scratch, result, err);
}

/* Estimates the plan once for each possible value of a property of the software that the user left open. Relative to
 * the step time of the scenario, sets fact->low to the smallest change (0 or negative), fact->high to the largest
 * change (0 or positive), and fact->effect to fact->low or fact->high, whichever is farther from 0. If the plan is
 * illegal with a value of the property, the step time counts as unchanged for this value. */
static nnc_status set_effects(const nnc_scenario *s, nnc_open_fact *fact, nnc_scratch *scratch, nnc_error *err) {
    for (int32_t i = 0; i < fact->value_count; i++) {
        nnc_result other;
        NNC_TRY(step_with(s, fact->name, fact->values[i], scratch, &other, err));
        const double effect = isnan(other.step_s) ? 0.0 : other.step_s / s->result.step_s - 1.0;
        fact->low = nnc_min(fact->low, effect);
        fact->high = nnc_max(fact->high, effect);
    }
    fact->effect = -fact->low > fact->high ? fact->low : fact->high;
    return NNC_OK;
}

/* Tests whether more than two cards of a server communicate over PCIe and the user has not set the rate. The rate among
 * more than two cards depends on the bridges and sockets of the server, which nncost does not know. */
static bool has_open_links(const nnc_scenario *s) {
    const nnc_plan *plan = &s->result.plan;
    return s->device.scale_up.kind == NNC_LINK_PCIE && plan->devices > 2 && plan->devices_per_node != 1 &&
           strstr(s->overrides, "efficiency.collectives") == NULL;
}

/* Smallest effect of an open property that is listed: largest minus smallest step time over the property's values, as a
 * share of the step time. */
#define MOVES 0.005

nnc_status nnc_scenario_open_facts(const nnc_scenario *scenario, nnc_scratch *scratch,
                                   nnc_open_fact facts[NNC_OPEN_FACTS_MAX], int32_t *count, nnc_error *err) {
    const nnc_plan *plan = &scenario->result.plan;
    nnc_profile_kind kind = nnc_profile_kind_of(&scenario->model, &scenario->device, &scenario->plan);
    if (kind == NNC_PROFILE_EAGER && scenario->model.implementation == NNC_IMPLEMENTATION_TIMM) {
        /* the name of a vision network does not state whether the program is compiled or has tuned kernels */
        kind = nnc_profile_kind_kept(&scenario->model, &scenario->device, &scenario->plan, NNC_PROFILE_COPIES);
    }
    const bool gpu = kind != NNC_PROFILE_TPU && kind != NNC_PROFILE_EAGER;
    const bool issued = scenario->model.captured == NULL &&
                        nnc_host_issues(&scenario->model, &scenario->device, &scenario->software, plan);
    const bool maps = scenario->model.family == NNC_FAMILY_GRAPH || scenario->model.family == NNC_FAMILY_UNET;
    const struct {
        const char *name;
        open_values of;
        bool asked;
    } rows[] = {
        { "software", software_of(kind), gpu },
        { "attention", VALUES(kernels), gpu },
        { "overlap", VALUES(shares), plan->devices > 1 },
        { "sequence_parallel", VALUES(switches), plan->tensor > 1 },
        { "zero", VALUES(stages), plan->data > 1 },
        { "context_kind", VALUES(context_kinds), gpu && plan->context > 1 },
        { "adapters", VALUES(adapted), plan->adapter_rank > 0 },
        { NNC_LINK_SHARE, VALUES(link_shares), has_open_links(scenario) },
        { "host", VALUES(hosts), issued && scenario->device.host.kernel_s == NNC_HOST_USUAL_S },
        { "optimizer_kernels", VALUES(updates), plan->devices == 1 && issued },
        { "narrow_adapters", VALUES(switches),
          plan->adapter_rank > 0 && plan->zero == 0 && issued &&
              strstr(scenario->overrides, "narrow_adapters") == NULL },
        { "contiguous_maps", VALUES(switches), gpu && maps && strstr(scenario->overrides, "contiguous_maps") == NULL },
    };
    *count = 0;
    if (!scenario->report.software_chosen || plan->mode != NNC_MODE_PREDICTED) { return NNC_OK; }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const nnc_field *field = nnc_field_of_key(&nnc_plan_table, rows[i].name);
        nnc_open_fact fact = { .name = rows[i].name, .values = rows[i].of.values, .value_count = rows[i].of.count };
        if (!rows[i].asked || (field != NULL && !is_open(field, &scenario->plan))) { continue; }
        NNC_TRY(set_effects(scenario, &fact, scratch, err));
        if (!(fact.high - fact.low > MOVES)) { continue; }
        int32_t at = (*count)++;
        for (; at > 0 && facts[at - 1].high - facts[at - 1].low < fact.high - fact.low; at--) {
            facts[at] = facts[at - 1];
        }
        facts[at] = fact;
    }
    return NNC_OK;
}

/* ---- least memory of a plan: the settings that the user did not state are chosen so that they save memory ---- */

/* A plan whose open settings (those that the user did not state) are chosen so that they save memory. options: these
 * settings written as options of the command line, such as "--recompute full". */
typedef struct frugal_plan {
    nnc_plan plan;
    char options[sizeof((nnc_report *)0)->least_options];
} frugal_plan;

static frugal_plan make_frugal(const nnc_scenario *s, const nnc_given *given, int32_t zero) {
    frugal_plan frugal = { .plan = s->plan };
    const bool chosen = s->report.software_chosen;
    const bool recompute = !given->is(given->in, "recompute");
    const bool shard = chosen && !given->is(given->in, "zero") && s->result.plan.data > 1;
    const bool sequence = chosen && !given->is(given->in, "sequence_parallel") && s->result.plan.tensor > 1;
    char zero_text[16] = "";
    if (recompute) { frugal.plan.recompute = NNC_RECOMPUTE_FULL; }
    if (shard) {
        frugal.plan.zero = zero;
        snprintf(zero_text, sizeof zero_text, " --zero %" PRId32, zero);
    }
    frugal.plan.sequence_parallel = frugal.plan.sequence_parallel || sequence;
    snprintf(frugal.options, sizeof frugal.options, "%s%s%s", recompute ? " --recompute full" : "", zero_text,
             sequence ? " --sequence-parallel" : "");
    return frugal;
}

/* Returns the lower end of the interval for the memory of a plan with a software profile, in bytes; 0 = the plan is
 * illegal. */
static double least_of(const nnc_scenario *s, const nnc_software *software, const nnc_plan *plan,
                       nnc_scratch *scratch) {
    nnc_result result;
    const nnc_status status = nnc_estimate_memory(&s->model, &s->device, software, plan, scratch, &result, NULL);
    return status == NNC_OK ? (double)result.memory.total_interval_bytes[0] : 0.0;
}

nnc_status nnc_scenario_lower_end(nnc_scenario *s, const nnc_given *given, nnc_scratch *scratch, nnc_error *err) {
    const nnc_memory *memory = &s->result.memory;
    const nnc_profile_kind kind = nnc_profile_kind_of(&s->model, &s->device, &s->plan);
    const open_values list = s->report.software_chosen ? software_of(kind) : (open_values){ 0 };
    double least = (double)memory->total_interval_bytes[0];
    if (s->result.verdict != NNC_OVER_MEMORY) { return NNC_OK; }
    for (int32_t i = -1; i < list.count; i++) {
        const nnc_software *software = &s->software;
        const nnc_status status = i >= 0 ? nnc_software_load(s->specs, list.values[i], &software, err) : NNC_OK;
        if (fails(status)) { return status; }
        if (status != NNC_OK) { continue; /* skips a software profile whose file is not installed */ }
        if (i >= 0 && nnc_same_bytes(software, &s->software, sizeof *software)) { continue; }
        for (int32_t zero = 1; zero <= 3; zero += 2) {
            const frugal_plan frugal = make_frugal(s, given, zero);
            const double bytes = least_of(s, software, &frugal.plan, scratch);
            if (bytes > 0.0 && bytes < least) {
                least = bytes;
                snprintf(s->report.least_options, sizeof s->report.least_options, "%s",
                         frugal.options + (frugal.options[0] == ' '));
            }
        }
    }
    s->report.least_bytes = (int64_t)least;
    return NNC_OK;
}
