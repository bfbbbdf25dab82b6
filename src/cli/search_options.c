#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "cli/search_asked.h"
#include "cli/share.h"
#include "input/flags.h"
#include "sweep/axes.h"

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
    const bool flags = nnc_flags_of(setting->field->type) != NULL;
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

/* "8..4096" or "8,16": sizes to search one by one; a plain number stays an option of the plan. */
static nnc_status read_devices(const char *text, nnc_arena *arena, nnc_search_task *task,
                               nnc_error *err)
{
    const char **values = NULL;
    NNC_TRY(nnc_sweep_sizes(arena, "--devices", text, &values, &task->size_count, err));
    task->sizes = nnc_arena_array(arena, (size_t)task->size_count, sizeof *task->sizes);
    if (task->sizes == NULL) {
        return nnc_no_memory(err);
    }
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

/* Takes the options that are searched out of the settings; the rest apply to every plan. */
static nnc_status split_settings(nnc_options *options, nnc_arena *arena, nnc_search_task *task,
                                 nnc_error *err)
{
    int kept = 0;
    for (int i = 0; i < options->given.setting_count; i++) {
        const nnc_setting *setting = &options->given.settings[i];
        const searched *axis = find_searched(setting->field->name);
        const bool sizes = strcmp(setting->field->name, "devices") == 0 &&
                           (strchr(setting->value, ',') || strstr(setting->value, ".."));
        if (nnc_shard_asked(setting)) {
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

static nnc_status read_money(const char *text, double *money, nnc_error *err)
{
    char currency[NNC_CURRENCY_TEXT];
    if (text != NULL && (!nnc_read_money(text, money, currency) || !(*money > 0.0))) {
        return nnc_fail(err, NNC_BAD_USAGE, "--budget",
                        "not an amount, expected a number above 0 such as 2.5e6, 200k or 1.5M USD, "
                        "found \"%s\"",
                        text);
    }
    return NNC_OK;
}

static nnc_status read_objective(const char *text, nnc_objective *objective, nnc_error *err)
{
    const nnc_names names = { nnc_objective_name, NNC_OBJECTIVE_COUNT };
    const int found = text != NULL ? nnc_names_find_typed(names, text) : (int)*objective;
    if (found < 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--objective",
                        "unknown value, expected time, memory or cost, found \"%s\"", text);
    }
    *objective = (nnc_objective)found;
    return NNC_OK;
}

/* Counts: how many plans, threads, bytes and devices. */
static nnc_status read_counts(const nnc_options *options, nnc_search_task *task,
                              int64_t *max_devices, nnc_error *err)
{
    const nnc_search_options *given = &options->search;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    /* Ranks are started as many as there are cores. */
    int64_t best = BEST, threads = cores > 0 && task->crew.size <= 1 ? cores : 1;
    NNC_TRY(nnc_option_count("--best", given->best, NNC_SEARCH_BEST_MAX, &best, err));
    NNC_TRY(nnc_option_count("--threads", options->threads, NNC_SEARCH_THREADS_MAX, &threads, err));
    NNC_TRY(nnc_option_bytes("--max-memory", given->max_memory, &task->search.mem_bytes, err));
    NNC_TRY(nnc_option_count("--max-devices", given->max_devices, INT32_MAX, max_devices, err));
    task->search.best = (int32_t)best;
    task->search.threads = (int32_t)threads;
    return NNC_OK;
}

nnc_status nnc_search_options_read(nnc_options *options, nnc_arena *arena, nnc_search_task *task,
                                   int64_t *max_devices, nnc_error *err)
{
    const nnc_search_options *given = &options->search;
    nnc_search *search = &task->search;
    NNC_TRY(split_settings(options, arena, task, err));
    NNC_TRY(read_counts(options, task, max_devices, err));
    NNC_TRY(read_objective(given->objective, &search->objective, err));
    NNC_TRY(nnc_option_time("--deadline", given->deadline, &search->deadline_s, err));
    NNC_TRY(read_money(given->budget, &search->budget, err));
    NNC_TRY(nnc_option_time("--target-step", given->target_step, &task->target_step_s, err));
    search->no_prune = given->no_prune;
    if (search->shards > 0 && given->shards != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--shards",
                        "is of all shards, expected no --shard beside it");
    }
    return (search->shards > 0 || given->shards != NULL) && task->target_step_s > 0.0
               ? nnc_fail(err, NNC_BAD_USAGE, "--target-step",
                          "is for the best plan of all, expected no --shard beside it")
               : NNC_OK;
}

/* One node, two, four ... of those that a plan or the device file names. */
static nnc_status fill_sizes(const nnc_plan *base, const nnc_device *device, int64_t max_devices,
                             nnc_arena *arena, nnc_search_task *task, nnc_error *err)
{
    const int64_t node = base->devices_per_node > 0     ? base->devices_per_node
                         : device->scale_up.devices > 0 ? device->scale_up.devices
                                                        : 1;
    enum { DOUBLINGS = 32 };
    task->sizes = nnc_arena_array(arena, DOUBLINGS, sizeof *task->sizes);
    if (task->sizes == NULL) {
        return nnc_no_memory(err);
    }
    for (int64_t size = node; size <= max_devices && task->size_count < DOUBLINGS; size *= 2) {
        task->sizes[task->size_count++] = (int32_t)size;
    }
    if (task->size_count == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--max-devices",
                        "below one node, expected at least the %lld devices of one, or --devices, "
                        "found %lld",
                        (long long)node, (long long)max_devices);
    }
    return NNC_OK;
}

nnc_status nnc_search_sizes_settle(const nnc_plan *base, const nnc_device *device,
                                   int64_t max_devices, nnc_arena *arena, nnc_search_task *task,
                                   nnc_error *err)
{
    int32_t kept = 0, least = INT32_MAX;
    if (task->size_count == 0 && max_devices > 0 && base->devices == 0) {
        return fill_sizes(base, device, max_devices, arena, task, err);
    }
    for (int32_t i = 0; i < task->size_count; i++) {
        least = task->sizes[i] < least ? task->sizes[i] : least;
        if (max_devices == 0 || task->sizes[i] <= max_devices) {
            task->sizes[kept++] = task->sizes[i];
        }
    }
    least = task->size_count == 0 ? base->devices : least;
    task->size_count = kept;
    if (max_devices > 0 && least > max_devices) {
        return nnc_fail(err, NNC_BAD_USAGE, "--max-devices",
                        "leaves no size of --devices, expected at least %d, found %lld", (int)least,
                        (long long)max_devices);
    }
    if (task->size_count > NNC_SEARCH_SIZES_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--devices", "expected at most %d sizes, found %d",
                        (int)NNC_SEARCH_SIZES_MAX, (int)task->size_count);
    }
    return NNC_OK;
}
