#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/plans.h"
#include "cli/progress.h"
#include "cli/scenario.h"
#include "report/search.h"
#include "sweep/front.h"

enum { BEST = 10 };

/* A plan field that is searched, and the choice that its option restricts. */
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

/* NULL: the field is the same in every plan. */
static const searched *find_searched(const char *field)
{
    for (size_t i = 0; i < sizeof all_searched / sizeof *all_searched; i++) {
        if (strcmp(all_searched[i].field, field) == 0) {
            return &all_searched[i];
        }
    }
    return NULL;
}

/* What the plan holds there: a number, a name's index, flags or a switch, never negative. */
static int64_t value_in(const nnc_plan *plan, const searched *one)
{
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

/* Reads "1,2,4" through the plan's own field, so that its limits and names hold. */
static nnc_status read_choice(const nnc_setting *setting, const searched *axis, nnc_choice *choice,
                              nnc_error *err)
{
    const bool flags =
        setting->field->type == NNC_FIELD_RECOMPUTE || setting->field->type == NNC_FIELD_OFFLOAD;
    char name[NNC_OPTION_NAME], one[64];
    const char *text = setting->value;
    nnc_option_name(setting->field->name, name);
    for (bool more = true; more; text += more ? 1 : 0) {
        const size_t length = strcspn(text, ",");
        nnc_plan plan = nnc_plan_default();
        if (length >= sizeof one || choice->count == NNC_SEARCH_VALUES) {
            return nnc_fail(err, NNC_BAD_USAGE, name, "expected at most %d values",
                            NNC_SEARCH_VALUES);
        }
        memcpy(one, text, length);
        one[length] = '\0';
        for (char *at = one; flags && (at = strchr(at, '+')) != NULL;) {
            *at = ','; /* ',' separates plans, so '+' joins flags */
        }
        if (nnc_plan_set(&plan, setting->field->name, one, err) != NNC_OK) {
            if (err != NULL) {
                snprintf(err->where, sizeof err->where, "%s", name);
            }
            return NNC_BAD_USAGE;
        }
        choice->values[choice->count++] = value_in(&plan, axis);
        more = text[length] == ',';
        text += length;
    }
    return NNC_OK;
}

/* Takes the options that are searched out of the settings; the rest apply to every plan. */
static nnc_status split_settings(nnc_options *options, nnc_search *search, nnc_error *err)
{
    int kept = 0;
    for (int i = 0; i < options->setting_count; i++) {
        const searched *axis = find_searched(options->settings[i].field->name);
        if (axis == NULL) {
            options->settings[kept++] = options->settings[i];
            continue;
        }
        const nnc_status status = read_choice(&options->settings[i], axis,
                                              (nnc_choice *)((char *)search + axis->choice), err);
        if (status != NNC_OK) {
            return status;
        }
    }
    options->setting_count = kept;
    return NNC_OK;
}

static nnc_status read_options(const nnc_options *options, nnc_search *search, nnc_error *err)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t best = BEST, threads = cores > 0 ? cores : 1, memory = 0;
    nnc_status status = nnc_option_count("--best", options->best, NNC_SEARCH_BEST_MAX, &best, err);
    if (status == NNC_OK) {
        status =
            nnc_option_count("--threads", options->threads, NNC_SEARCH_THREADS_MAX, &threads, err);
    }
    if (status == NNC_OK) {
        status =
            nnc_option_count("--max-memory", options->max_memory, INT64_C(1) << 50, &memory, err);
    }
    if (status == NNC_OK && options->objective != NULL && strcmp(options->objective, "time") != 0 &&
        strcmp(options->objective, "memory") != 0) {
        status =
            nnc_fail(err, NNC_BAD_USAGE, "--objective",
                     "unknown value, expected time or memory, found \"%s\"", options->objective);
    }
    search->best = (int32_t)best;
    search->threads = (int32_t)threads;
    search->mem_bytes = memory;
    search->no_prune = options->no_prune;
    search->objective = options->objective != NULL && strcmp(options->objective, "memory") == 0
                            ? NNC_OBJECTIVE_MEMORY
                            : NNC_OBJECTIVE_TIME;
    return status;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool show_progress(void *context, uint64_t covered, uint64_t space)
{
    nnc_progress *progress = context;
    progress->end = (int64_t)space;
    nnc_progress_show(progress, (int64_t)covered);
    return true;
}

/* Of a plan file the devices and the batch hold; how they are shared out is what is searched. */
static nnc_status load_base(nnc_session *session, nnc_arena *arena, nnc_scenario *scenario,
                            nnc_plan *base, nnc_error *err)
{
    char **operands = session->options.operands;
    const nnc_plans *plans = NULL;
    nnc_plan resolved;
    nnc_status status = nnc_plans_open(arena, operands[0], &plans, err);
    if (status == NNC_OK) {
        status = nnc_scenario_load_asked(session, arena, operands[0], operands[1], scenario, err);
    }
    if (status != NNC_OK) {
        return status;
    }
    *base = scenario->plan;
    if (plans != NULL) {
        status = nnc_plan_resolve(base, &scenario->model, &scenario->device, &resolved, err);
        if (status != NNC_OK) {
            return status;
        }
        base->devices = resolved.devices;
        base->global_batch = resolved.global_batch;
        base->data = 0;
        base->micro_batches = 0;
    }
    if (base->devices == 0 || base->global_batch == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, base->devices == 0 ? "--devices" : "--global-batch",
                        "missing, expected the number that every plan is for");
    }
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    nnc_search search = { .best = BEST };
    nnc_scenario scenario;
    nnc_search_result *result = calloc(1, sizeof *result);
    nnc_arena *arena = nnc_arena_create();
    const double start = seconds();
    if (result == NULL || arena == NULL) {
        nnc_arena_destroy(arena);
        free(result);
        return nnc_no_memory(err);
    }
    nnc_status status = split_settings(&session->options, &search, err);
    if (status == NNC_OK) {
        status = read_options(&session->options, &search, err);
    }
    if (status == NNC_OK) {
        status = load_base(session, arena, &scenario, &search.base, err);
    }
    if (status == NNC_OK) {
        nnc_progress progress = nnc_progress_begin("plans", 0, 0, false);
        status = nnc_search_run(&scenario.model, &scenario.device, &scenario.software, &search,
                                show_progress, &progress, result, err);
        nnc_progress_end(&progress);
    }
    if (status == NNC_OK) {
        const nnc_search_report report = { .model = &scenario.model,
                                           .device = &scenario.device,
                                           .search = &search,
                                           .result = result,
                                           .elapsed_s = seconds() - start };
        status = nnc_report_search(session->out, session->style, &report);
        session->exit_code = result->best_count > 0 ? 0 : 1;
    }
    nnc_arena_destroy(arena);
    free(result);
    return status;
}

const nnc_command nnc_cmd_search = {
    .name = "search",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "The best legal plans for N devices, and the front of time against memory.",
    .notes = "Needs --devices and --global-batch, or a plan file that has them. Every choice that "
             "is left open is searched: "
             "tensor, pipeline, context, expert, virtual stages, micro-batch, ZeRO stage, "
             "sequence parallelism, recompute, schedule, offload. An option with a list "
             "restricts it: --tensor 4,8 --recompute none,full; '+' joins what one plan "
             "recomputes. Other options hold for every plan. Each figure equals that of "
             "'estimate' for the same plan. Exits with 1 when no plan fits.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCENARIO | NNC_TAKES_SEARCH,
    .run = run,
};
