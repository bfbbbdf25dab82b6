/* Turns operands and options into a search: the plan fields that the search varies, the numbers of devices, and the
 * limits. Runs the search with progress, signals, shards and MPI ranks.
 *
 * An option for a plan field that a search varies (--tensor 1,2,4) lists the values that the search may use. Options
 * for plan fields that the search does not vary hold for every plan of the search. */
#include <unistd.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "search/search_internal.h"
#include "sweep/sweep_internal.h"

enum { SIZES_MAX = 1024 };

bool nnc_is_shard(const nnc_setting *setting) {
    return strcmp(setting->field->name, "shard") == 0 && strchr(setting->value, '/') != NULL;
}

nnc_status nnc_shard_read(const char *text, nnc_shard *shard, nnc_error *err) {
    char first[NNC_NUMBER_TEXT];
    const char *slash = strchr(text, '/');
    const int length = slash != NULL ? (int)(slash - text) : 0;
    snprintf(first, sizeof first, "%.*s", length, text);
    const bool read = slash != NULL && nnc_read_i64(slash + 1, &shard->of);
    if (read && shard->of > NNC_SHARDS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--shard", "expected at most %d parts, found \"%s\"", NNC_SHARDS_MAX, text);
    }
    if (!read || !nnc_read_i64(first, &shard->number) || shard->number < 1 || shard->number > shard->of) {
        return nnc_fail(err, NNC_BAD_USAGE, "--shard", "expected I/N with I from 1 to N, found \"%s\"", text);
    }
    return NNC_OK;
}

/* A plan field that a search can vary. value: offset of the field in nnc_plan; choice: offset in nnc_search of the list
 * of values that the search tries. */
typedef struct searched {
    const char *field;
    size_t choice, value, value_bytes;
} searched;

#define SEARCHED(name)                                                                           \
    {                                                                                            \
        .field = #name, .choice = offsetof(nnc_search, name), .value = offsetof(nnc_plan, name), \
        .value_bytes = sizeof(((nnc_plan *)NULL)->name)                                          \
    }

static const searched all_searched[] = {
    SEARCHED(tensor),         SEARCHED(pipeline),    SEARCHED(context), SEARCHED(expert),
    SEARCHED(virtual_stages), SEARCHED(micro_batch), SEARCHED(zero),    SEARCHED(sequence_parallel),
    SEARCHED(recompute),      SEARCHED(schedule),    SEARCHED(offload),
};

/* Returns the entry of a plan field in the table of fields that a search can vary; NULL = a search cannot vary the
 * field. */
static const searched *find_searched(const char *field) {
    for (size_t i = 0; i < sizeof all_searched / sizeof *all_searched; i++) {
        if (strcmp(all_searched[i].field, field) == 0) { return &all_searched[i]; }
    }
    return NULL;
}

/* Returns the value of a plan field that searches can vary, as a whole number. For a field with names the result is the
 * index of the name; for a set of flags, the combination of all flags; for a switch, 0 or 1. */
static int64_t value_in(const nnc_plan *plan, const searched *one) {
    const char *at = (const char *)plan + one->value;
    int64_t wide = 0;
    int32_t number = 0;
    bool is_on = false;
    switch (one->value_bytes) {
    case sizeof wide: memcpy(&wide, at, sizeof wide); return wide;
    case sizeof number: memcpy(&number, at, sizeof number); return number;
    default: memcpy(&is_on, at, sizeof is_on); return is_on ? 1 : 0;
    }
}

/* Reads a list "1,2,4" of values for a plan field that the search varies. Each value is stored in a plan and checked as
 * a value of the plan field. */
static nnc_status read_choice(const nnc_setting *setting, const searched *axis, nnc_choice *choice, nnc_error *err) {
    const bool one_set = nnc_field_is_one_set(setting->field, setting->value);
    char name[NNC_OPTION_NAME], one[128];
    const char *text = setting->value;
    nnc_option_name(setting->field->name, name);
    for (bool more = true; more; text += more ? 1 : 0) {
        const size_t length = one_set ? strlen(text) : strcspn(text, ",");
        nnc_plan plan = nnc_plan_default();
        if (length >= sizeof one || choice->count == NNC_SEARCH_VALUES) {
            return nnc_fail(err, NNC_BAD_USAGE, name, "expected at most %d values", NNC_SEARCH_VALUES);
        }
        memcpy(one, text, length);
        one[length] = '\0';
        nnc_field_join(setting->field, one);
        if (nnc_plan_set(&plan, setting->field->name, one, err) != NNC_OK) {
            if (err != NULL) { snprintf(err->where, sizeof err->where, "%s", name); }
            return NNC_BAD_USAGE;
        }
        choice->values[choice->count++] = value_in(&plan, axis);
        more = text[length] == ',';
        text += length;
    }
    return NNC_OK;
}

/* Reads the value of --devices: "8..4096" or "8,16". The search finds the best plan for each number of devices, one
 * number after the other. */
static nnc_status read_devices(const char *text, nnc_arena *arena, nnc_search_task *task, nnc_error *err) {
    const char **values = NULL;
    NNC_TRY(nnc_sweep_sizes(arena, "--devices", text, &values, &task->size_count, err));
    task->sizes = nnc_arena_array(arena, (size_t)task->size_count, sizeof *task->sizes);
    NNC_GOT(task->sizes, err);
    for (int32_t i = 0; i < task->size_count; i++) {
        nnc_plan plan = nnc_plan_default();
        if (nnc_plan_set(&plan, "devices", values[i], err) != NNC_OK) {
            snprintf(err->where, sizeof err->where, "--devices");
            return err->status = NNC_BAD_USAGE;
        }
        task->sizes[i] = plan.devices;
    }
    return NNC_OK;
}

/* Moves settings that concern the search itself from the options to *task: values of plan fields that the search
 * varies, a list of numbers of devices, and --shard I/N. Settings that do not concern the search itself stay in the
 * options and hold for every plan of the search. */
static nnc_status split_settings(nnc_options *options, nnc_arena *arena, nnc_search_task *task, nnc_error *err) {
    int kept = 0;
    for (int i = 0; i < options->given.setting_count; i++) {
        const nnc_setting *setting = &options->given.settings[i];
        const searched *axis = find_searched(setting->field->name);
        const bool sizes = strcmp(setting->field->name, "devices") == 0 &&
                           (strpbrk(setting->value, ",:") || strstr(setting->value, "..") ||
                            strchr(setting->value + (*setting->value == '-'), '-')); /* "1-8" counts as a list too, so
                                                                                      * that the error for it suggests
                                                                                      * "1..8" */
        if (nnc_is_shard(setting)) {
            nnc_shard shard;
            NNC_TRY(nnc_shard_read(setting->value, &shard, err));
            task->search.shard = (int32_t)shard.number;
            task->search.shards = (int32_t)shard.of;
        } else if (axis != NULL) {
            nnc_choice *choice = (nnc_choice *)((char *)&task->search + axis->choice);
            NNC_TRY(read_choice(setting, axis, choice, err));
        } else if (sizes) {
            NNC_TRY(read_devices(setting->value, arena, task, err));
        } else {
            options->given.settings[kept++] = *setting;
        }
    }
    options->given.setting_count = kept;
    return NNC_OK;
}

static nnc_status read_money(const char *text, double *money, nnc_error *err) {
    char currency[NNC_CURRENCY_TEXT];
    if (text != NULL && (!nnc_read_money(text, money, currency) || !(*money > 0.0))) {
        return nnc_fail(err, NNC_BAD_USAGE, "--budget",
                        "not an amount, expected a number above 0 such as 2.5e6, 200k or 1.5M USD, found \"%s\"", text);
    }
    return NNC_OK;
}

static nnc_status read_objective(const char *text, nnc_objective *objective, nnc_error *err) {
    const nnc_names names = { nnc_objective_name, NNC_OBJECTIVE_COUNT };
    const int found = text != NULL ? nnc_names_find_nocase(names, text) : (int)*objective;
    if (found < 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--objective", "unknown value, expected time, memory or cost, found \"%s\"",
                        text);
    }
    *objective = (nnc_objective)found;
    return NNC_OK;
}

/* Reads the value of --risk, a probability: "5%" or "0.05". text NULL = the option is not given, and *risk is
 * unchanged. */
static nnc_status read_risk(const char *text, double *risk, nnc_error *err) {
    char digits[32] = "";
    const size_t length = text != NULL ? strlen(text) : 0;
    const bool percent = length > 0 && text[length - 1] == '%';
    if (text == NULL) { return NNC_OK; }
    snprintf(digits, sizeof digits, "%.*s", (int)(length < 30 ? length - percent : 0), text);
    if (nnc_read_double(digits, risk)) { *risk /= percent ? 100.0 : 1.0; }
    return *risk > 0.0 && *risk <= 1.0
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, "--risk",
                          "expected a share above 0 and up to 1 such as 5%% or 0.05, found \"%s\"", text);
}

/* Moves all options that concern the search itself to the task of the search. The options that do not concern the
 * search itself hold for every plan of the search. */
static nnc_status read_options(nnc_options *options, nnc_arena *arena, nnc_search_task *task, nnc_error *err) {
    const nnc_search_options *given = &options->search;
    nnc_search *search = &task->search;
    /* MPI starts a rank for each core, so each rank uses a single thread */
    const int64_t threads = options->threads > 0    ? options->threads
                            : task->ranks.size <= 1 ? nnc_threads_available()
                                                    : 1;
    NNC_TRY(split_settings(options, arena, task, err));
    NNC_TRY(read_objective(given->objective, &search->objective, err));
    NNC_TRY(read_money(given->budget, &search->budget, err));
    search->best = (int32_t)given->best;
    search->threads = (int32_t)threads;
    search->mem_bytes = given->max_memory;
    NNC_TRY(read_risk(given->risk, &search->risk, err));
    search->deadline_s = given->deadline_s;
    search->no_prune = given->no_prune;
    task->target_step_s = given->target_step_s;
    if (search->shards > 0 && given->shards != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--shards", "merges all shards, expected without --shard");
    }
    return (search->shards > 0 || given->shards != NULL) && task->target_step_s > 0.0
               ? nnc_fail(err, NNC_BAD_USAGE, "--target-step",
                          "needs the best plan of all shards, expected without --shard")
               : NNC_OK;
}

/* Makes the list of numbers of devices: the devices of one node, of two nodes, of four nodes and so on, up to
 * max_devices. The number of devices per node is the number in the plan, or the number in the device file if the plan
 * does not state it. */
static nnc_status fill_sizes(const nnc_plan *base, const nnc_device *device, int64_t max_devices, nnc_arena *arena,
                             nnc_search_task *task, nnc_error *err) {
    const int64_t node = base->devices_per_node > 0     ? base->devices_per_node
                         : device->scale_up.devices > 0 ? device->scale_up.devices
                                                        : 1;
    enum { DOUBLINGS = 32 };
    task->sizes = nnc_arena_array(arena, DOUBLINGS, sizeof *task->sizes);
    NNC_GOT(task->sizes, err);
    for (int64_t size = node; size <= max_devices && task->size_count < DOUBLINGS; size *= 2) {
        task->sizes[task->size_count++] = (int32_t)size;
    }
    if (task->size_count == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--max-devices",
                        "below the number of devices of a node, expected at least %lld, or --devices, found %lld",
                        (long long)node, (long long)max_devices);
    }
    return NNC_OK;
}

/* Removes numbers of devices above --max-devices from the list of numbers to search. If the user gives no number of
 * devices, makes a list of numbers of devices up to --max-devices. */
static nnc_status settle_sizes(const nnc_plan *base, const nnc_device *device, int64_t max_devices, nnc_arena *arena,
                               nnc_search_task *task, nnc_error *err) {
    int32_t kept = 0, least = INT32_MAX;
    if (task->size_count == 0 && max_devices > 0 && base->devices == 0) {
        return fill_sizes(base, device, max_devices, arena, task, err);
    }
    for (int32_t i = 0; i < task->size_count; i++) {
        least = task->sizes[i] < least ? task->sizes[i] : least;
        if (max_devices == 0 || task->sizes[i] <= max_devices) { task->sizes[kept++] = task->sizes[i]; }
    }
    least = task->size_count == 0 ? base->devices : least;
    task->size_count = kept;
    if (max_devices > 0 && least > max_devices) {
        return nnc_fail(err, NNC_BAD_USAGE, "--max-devices",
                        "below all numbers of --devices, expected at least %d, found %lld", (int)least,
                        (long long)max_devices);
    }
    if (task->size_count > SIZES_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--devices", "expected at most %d numbers of devices, found %d",
                        (int)SIZES_MAX, (int)task->size_count);
    }
    return NNC_OK;
}

/* ---- running a search with progress and signals ---- */

/* State that is updated while a search runs: the shown progress, and the signals that have arrived. */
typedef struct watch {
    nnc_progress progress;
    nnc_interrupt interrupt;
    uint64_t covered;
    int stopped; /* number of the signal that stopped the search; 0 = no signal */
    nnc_progress_form form;
} watch;

static bool show_progress(void *context, uint64_t covered, uint64_t space) {
    watch *w = context;
    if (covered < w->covered || w->progress.end != (int64_t)space) { /* the search for another number of devices has
                                                                      * begun */
        w->progress = nnc_progress_begin("plans", 0, (int64_t)space, w->form, false);
    }
    w->covered = covered;
    nnc_progress_show(&w->progress, (int64_t)covered);
    w->stopped = nnc_interrupt_pending(&w->interrupt);
    return w->stopped == 0;
}

/* A search: the operands of the command line, the specs that the operands name, and the function that writes the
 * result. */
typedef struct base {
    const char *model, *device; /* model and device that the operands of the command line name */
    nnc_scenario scenario;
    const char *plans_path; /* path of the plan file; NULL = the first operand is a model */
    nnc_search_writer *write;
    void *context; /* argument that is passed first to the function `write` */
} base;

/* Gives all plans of the search the precision policy of the framework, if the user named a framework. Does nothing if
 * --policy is given, or if the precision is fp32, tf32 or fp64. */
static void keep_policy(nnc_scenario_args *given, nnc_scenario *scenario) {
    const nnc_policy policy = scenario->software.policy;
    nnc_plan *plan = &scenario->plan;
    const bool whole = plan->precision == NNC_FP32 || plan->precision == NNC_TF32 || plan->precision == NNC_FP64;
    if (!scenario->report.software_chosen && policy != NNC_POLICY_DEFAULT && !whole &&
        plan->policy == NNC_POLICY_DEFAULT && given->setting_count < NNC_SETTINGS_MAX) {
        plan->policy = policy;
        given->settings[given->setting_count++] =
            (nnc_setting){ nnc_field_of_key(&nnc_plan_table, "policy"), nnc_policy_name(policy) };
    }
}

/* Refuses options that have no effect on any plan of the search. The function tests two extreme plans: a plan without
 * parallelism, and a plan with every kind of parallelism, ZeRO 3 and full recomputation. The function refuses an option
 * that has no effect on either of the two extreme plans. */
static nnc_status check_read(nnc_session *session, nnc_arena *arena, const nnc_scenario *scenario, nnc_error *err) {
    nnc_scenario *ends = nnc_arena_array(arena, 2, sizeof *ends);
    NNC_GOT(ends, err);
    ends[0] = ends[1] = *scenario;
    nnc_plan *plan = &ends[1].plan;
    plan->tensor = plan->pipeline = plan->context = plan->expert = 2;
    plan->recompute = NNC_RECOMPUTE_FULL;
    plan->zero = 3;
    return nnc_scenarios_check_read(&session->options, ends, 2, err);
}

/* Loads the scenario from which every plan of the search starts. A plan file gives the number of devices and the global
 * batch; the search chooses the degrees of parallelism and the micro-batch. */
static nnc_status load_base(nnc_session *session, nnc_arena *arena, base *b, nnc_search_task *task, nnc_error *err) {
    const nnc_scenario *scenario = &b->scenario;
    nnc_plan *plan = &task->search.base;
    const nnc_plans *plans = NULL;
    nnc_plan resolved;
    NNC_TRY(nnc_plans_open(session->specs, arena, b->model, &plans, err));
    NNC_TRY(nnc_scenario_load_any(session, b->model, b->device, &b->scenario, err));
    NNC_TRY(check_read(session, arena, &b->scenario, err));
    keep_policy(&session->options.given, &b->scenario);
    NNC_TRY(nnc_scenario_profiles(&b->scenario, err));
    task->model = &scenario->model;
    task->device = &scenario->device;
    task->profiles = &scenario->profiles;
    NNC_TRY(nnc_currency_is("--budget", session->options.search.budget, task->device, err));
    *plan = scenario->plan;
    task->search.run = nnc_scenario_complete_run(&b->scenario) ? &b->scenario.run_ask : NULL;
    if (plans != NULL) {
        b->plans_path = plans->path;
        NNC_TRY(nnc_plan_resolve(plan, task->model, task->device, &resolved, err));
        plan->devices = resolved.devices;
        plan->global_batch = resolved.global_batch;
        plan->data = 0;
        plan->micro_batches = 0;
    }
    NNC_TRY(settle_sizes(plan, task->device, session->options.search.max_devices, arena, task, err));
    if (task->size_count > 0) { plan->devices = task->sizes[0]; }
    return plan->devices > 0 && plan->global_batch > 0
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, plan->devices == 0 ? "--devices" : "--global-batch",
                          "missing, expected a number for all plans of the search, such as %s",
                          plan->devices == 0 ? "--devices 8" : "--global-batch 256");
}

/* Computes a digest of all inputs of the search. Shards are merged only if their digests are equal, so shards of
 * different searches are refused. */
static nnc_status make_digest(const nnc_session *session, const base *b, const nnc_search_task *task, uint64_t *digest,
                              nnc_error *err) {
    const nnc_options *options = &session->options;
    const nnc_scenario_args *given = &options->given;
    const nnc_profiles *p = task->profiles;
    const char *files[4 + NNC_PROFILE_KINDS] = { task->model->path, task->device->path, b->scenario.report.cluster,
                                                 b->plans_path };
    for (int i = 0; i < NNC_PROFILE_KINDS; i++) { files[4 + i] = p->of[i] != NULL ? p->of[i]->path : NULL; }
    const char *texts[2 + NNC_SETS_MAX] = { options->scenario != NULL ? options->scenario : "", p->any ? "any" : "" };
    for (int i = 0; i < given->set_count; i++) { texts[2 + i] = given->sets[i]; }
    return nnc_search_digest(task, session->specs, files, sizeof files / sizeof *files, texts, 2 + given->set_count,
                             digest, err);
}

/* Finds the best plan on `devices` devices, and uses the software profile of this plan for all plans. */
static nnc_status keep_software_of(nnc_session *session, nnc_arena *arena, base *b, const nnc_search_task *task,
                                   int32_t devices, nnc_error *err) {
    nnc_profiles *profiles = &b->scenario.profiles;
    nnc_search_task one = *task;
    nnc_search_report report;
    one.sizes = &devices;
    one.size_count = 1;
    one.ranks = (nnc_rank_group){ .rank = 0, .size = 1 };
    one.search.base.devices = devices;
    NNC_TRY(nnc_search_task_run(&one, arena, &report, err));
    if (report.size_count > 0 && report.sizes[0].found) {
        const nnc_software *software = nnc_profile_of(profiles, task->model, task->device, &report.sizes[0].best.plan);
        *profiles = nnc_profiles_of_one(software);
        session->options.given.software = software->id;
    }
    return NNC_OK;
}

/* If search.one_software is set and the user named no profile, uses one software profile for all plans, so that a
 * difference between numbers of devices has a single cause. The chosen profile is the profile of the best plan on the
 * smallest number of devices for which the search finds a plan. The number 1 is tried last, because a plan on one
 * device does not show which software profile suits a model that is divided over devices. Refuses options that the
 * chosen software profile does not read. Each MPI rank chooses the profile itself, without communication with other
 * ranks. */
static nnc_status keep_software(nnc_session *session, nnc_arena *arena, base *b, nnc_search_task *task,
                                nnc_error *err) {
    const nnc_scenario_args *given = &session->options.given;
    if (!session->options.search.one_software || !b->scenario.report.software_chosen) { return NNC_OK; }
    for (int alone = 0; alone < 2; alone++) {
        for (int32_t i = 0; i < task->size_count && given->software == NULL; i++) {
            if ((task->sizes[i] == 1) != (alone == 1)) { continue; }
            NNC_TRY(keep_software_of(session, arena, b, task, task->sizes[i], err));
        }
    }
    if (given->software == NULL) { return NNC_OK; }
    /* if the profile has a release, the printed command lines must have the plan fields that the release changes, in
     * addition to the profile */
    const nnc_profiles kept = b->scenario.profiles;
    NNC_TRY(nnc_scenario_named_profile(&b->scenario, given->software, err));
    b->scenario.profiles = kept;
    b->scenario.software = *kept.of[NNC_PROFILE_COPIES];
    return check_read(session, arena, &b->scenario, err); /* the chosen profile may not read an option that the user
                                                           * gave */
}

/* Prepares the search from options and files. All MPI ranks must prepare the same search; the digest of the inputs
 * serves to check this. */
static nnc_status prepare(nnc_session *session, nnc_arena *arena, base *b, nnc_search_task *task, uint64_t *digest,
                          nnc_error *err) {
    NNC_TRY(read_options(&session->options, arena, task, err));
    NNC_TRY(load_base(session, arena, b, task, err));
    if (task->size_count > 0 && task->target_step_s > 0.0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--target-step",
                        "is for one number of devices, expected a single number in --devices");
    }
    NNC_TRY(keep_software(session, arena, b, task, err));
    return task->search.shards > 0 || task->ranks.size > 1 || session->options.search.shards != NULL
               ? make_digest(session, b, task, digest, err)
               : NNC_OK;
}

/* Merges the shard files that --shards lists. Each shard file must state the digest of this search. */
static nnc_status read_shards(const nnc_options *options, nnc_search_task *task, nnc_arena *arena, uint64_t digest,
                              nnc_search_report *report, nnc_error *err) {
    char text[NNC_DIGEST_TEXT], *at = nnc_arena_strdup(arena, options->search.shards);
    char **paths = nnc_arena_array(arena, strlen(options->search.shards) + 1, sizeof *paths);
    int count = 0;
    if (at == NULL || paths == NULL) { return nnc_no_memory(err); }
    while (at != NULL) {
        char *comma = strchr(at, ',');
        paths[count++] = at;
        if (comma != NULL) { *comma++ = '\0'; }
        at = comma;
    }
    NNC_TRY(nnc_search_merge(arena, paths, count, nnc_digest_print(digest, text), report, err));
    task->search.threads = report->search->threads;
    report->search = &task->search;
    report->model = task->model;
    report->device = task->device;
    return NNC_OK;
}

static void print_stopped(const nnc_search_report *report) {
    const uint64_t covered = report->total.covered, space = report->total.space;
    if (report->size_count > 0) {
        fprintf(stderr, "nncost: search: interrupted in size %" PRId32 " of %" PRId32 "\n", report->size_count,
                report->size_asked);
        return;
    }
    fprintf(stderr,
            "nncost: search: interrupted after %" PRIu64 " of %" PRIu64
            " combinations, %.1f%%; the best of these are shown\n",
            covered, space, space > 0 ? 100.0 * (double)covered / (double)space : 0.0);
}

/* Runs a search, shows its progress, and adds to each found plan the command line that estimates the plan. */
static nnc_status run_task(const nnc_options *options, nnc_arena *arena, const base *b, nnc_search_task *task, watch *w,
                           nnc_search_report *report, nnc_error *err) {
    const nnc_command_args args = {
        .model = b->model,
        .device = b->device,
        .scenario = options->scenario,
        .given = &options->given,
        .lenient = options->lenient,
        .of_release = b->scenario.release.entry != NULL ? &b->scenario : NULL,
    };
    task->watch = (nnc_search_watch){ show_progress, w };
    nnc_interrupt_hold(&w->interrupt);
    const nnc_status status = nnc_search_task_run(task, arena, report, err);
    nnc_progress_end(&w->progress);
    nnc_interrupt_release(&w->interrupt);
    return status == NNC_OK ? nnc_command_all(arena, &args, b->plans_path != NULL, report, err) : status;
}

/* Runs the search on MPI rank 0, and writes the result. */
static nnc_status search_and_write(nnc_session *session, nnc_arena *arena, const base *b, nnc_search_task *task,
                                   uint64_t digest, nnc_error *err) {
    char text[NNC_DIGEST_TEXT];
    nnc_search_report report;
    const nnc_options *options = &session->options;
    watch w = { .progress.end = -1, .form = options->progress };
    const bool shard = task->search.shards > 0;
    NNC_TRY(options->search.shards != NULL ? read_shards(options, task, arena, digest, &report, err)
                                           : run_task(options, arena, b, task, &w, &report, err));
    report.overrides = b->scenario.overrides[0] != '\0' ? b->scenario.overrides : NULL;
    report.digest = shard ? nnc_digest_print(digest, text) : NULL;
    NNC_TRY(b->write(session, b->context, &report, err));
    session->exit_code = report.stopped ? 128 + w.stopped : shard || nnc_search_answered(&report) ? 0 : 1;
    if (report.stopped) { print_stopped(&report); }
    return NNC_OK;
}

/* Runs on all MPI ranks except 0: evaluates plans for rank 0 until rank 0 has the whole result. */
static void work_for_rank_0(const nnc_search_task *task) {
    nnc_interrupt interrupt;
    nnc_interrupt_hold(&interrupt);
    nnc_rank_group_search_serve(task->ranks, task->model, task->device, task->profiles, task->search.run,
                                task->search.threads);
    nnc_interrupt_release(&interrupt);
}

static nnc_status run_on_rank(nnc_session *session, nnc_rank_group ranks, nnc_arena *arena, base *b, nnc_error *err) {
    nnc_search_task task = { .ranks = ranks };
    uint64_t digest = 0;
    nnc_status status = b != NULL ? prepare(session, arena, b, &task, &digest, err) : nnc_no_memory(err);
    const bool well = nnc_rank_group_all_well(ranks, digest, &status, err);
    if (ranks.rank > 0) { session->options.output = NULL; /* only MPI rank 0 writes the result to a file */ }
    if (!well || ranks.rank > 0 || b == NULL) {
        if (well) { work_for_rank_0(&task); }
        return status;
    }
    status = search_and_write(session, arena, b, &task, digest, err);
    nnc_rank_group_search_end(ranks);
    return status;
}

nnc_status nnc_search_args_run(nnc_session *session, const char *model, const char *device, nnc_search_writer *write,
                               void *context, nnc_error *err) {
    const nnc_rank_group ranks = nnc_rank_group_begin();
    nnc_arena *arena = nnc_arena_create();
    base *b = arena != NULL ? nnc_arena_alloc(arena, sizeof *b) : NULL;
    if (b != NULL) {
        b->model = model;
        b->device = device;
        b->write = write;
        b->context = context;
    }
    const nnc_status status = run_on_rank(session, ranks, arena, b, err);
    nnc_arena_destroy(arena);
    nnc_rank_group_end();
    return status;
}
