/* scale: what more devices bring, and what they lose. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "cli/search/batch_chosen.h"
#include "cli/search/scale_view.h"
#include "cli/search_asked.h"
#include "input/field.h"
#include "input/kind.h"
#include "input/read.h"

#define ROUNDING 1e-12

/* What the writer of a search makes of it. */
typedef struct scaler {
    nnc_arena *arena;
    nnc_scratch *scratch;
    nnc_scale scale;
} scaler;

/* The parts of a step that add up to it, in device time. */
static void device_time(const nnc_result *r, double parts[NNC_SCALE_COUNT])
{
    const double devices = (double)r->plan.devices;
    parts[NNC_SCALE_COMPUTE] = devices * (r->forward_s + r->backward_s);
    parts[NNC_SCALE_RECOMPUTE] = devices * r->recompute_s;
    parts[NNC_SCALE_UPDATE] = devices * r->update_s;
    parts[NNC_SCALE_BUBBLE] = devices * r->bubble_s;
    parts[NNC_SCALE_HOST] = devices * r->host_s;
    for (int i = 0; i < NNC_COMM_COUNT; i++) {
        parts[NNC_SCALE_COMM + i] = devices * r->exposed_s[i];
    }
}

static void describe(nnc_scale_row *row, const nnc_found *found, const nnc_result *result)
{
    const bool run = !isnan(found->run_s);
    row->found = true;
    row->reason = NULL;
    row->plan = found->plan;
    row->software = found->software;
    row->command = found->command;
    row->step_s = found->step_s;
    row->mfu = found->mfu;
    row->memory_bytes = found->memory_bytes;
    row->run_s = found->run_s;
    row->cost = run ? found->cost_run : found->cost_step;
    row->samples_per_s = result->samples_per_s;
    row->tokens_per_s = result->tokens > 0 ? result->tokens_per_s : (double)NAN;
}

static nnc_status give_reason(nnc_arena *arena, const nnc_search_size *size, nnc_scale_row *row,
                              nnc_error *err)
{
    char text[1100];
    const bool legal = size->why.status == NNC_OK;
    if (legal) {
        snprintf(text, sizeof text, "%s",
                 size->any_missed ? "misses the deadline or the budget" : "no plan fits");
    } else {
        snprintf(text, sizeof text, "no plan is legal: %s %s", size->why.where, size->why.what);
    }
    row->reason = nnc_arena_strdup(arena, text);
    return row->reason != NULL ? NNC_OK : nnc_no_memory(err);
}

static double device_s(const nnc_scale_row *row)
{
    return row->step_s * row->devices;
}

/* Efficiency of each size against the size with most throughput per device, so it is at most 1. The smallest size need
 * not be that one: where memory is short, it runs a slower plan. `lost` has the device time of each part, and becomes
 * its difference. */
static void compare_sizes(nnc_scale *scale)
{
    double base[NNC_SCALE_COUNT];
    if (scale->base < 0) {
        return;
    }
    const nnc_scale_row *best = &scale->rows[scale->base];
    const double best_s = device_s(best);
    memcpy(base, best->lost, sizeof base);
    for (int32_t i = 0; i < scale->count; i++) {
        nnc_scale_row *row = &scale->rows[i];
        if (!row->found) {
            continue;
        }
        row->efficiency = nnc_min(1.0, best_s / device_s(row));
        for (int part = 0; part < NNC_SCALE_COUNT; part++) {
            const double lost = (row->lost[part] - base[part]) / device_s(row);
            row->lost[part] = fabs(lost) < ROUNDING ? 0.0 : lost;
        }
    }
}

static nnc_status fill(nnc_session *session, scaler *s, const nnc_search_report *report,
                       nnc_error *err)
{
    nnc_scale *scale = &s->scale;
    for (int32_t i = 0; i < report->size_count; i++) {
        const nnc_search_size *size = &report->sizes[i];
        const nnc_result *result = NULL;
        nnc_scale_row *row = &scale->rows[scale->count++];
        *row = (nnc_scale_row){ .devices = size->devices, .currency = report->currency };
        for (int part = 0; part < NNC_SCALE_COUNT; part++) {
            row->lost[part] = (double)NAN;
        }
        row->step_s = row->tokens_per_s = row->samples_per_s = row->mfu = (double)NAN;
        row->run_s = row->cost = row->efficiency = (double)NAN;
        NNC_TRY(give_reason(s->arena, size, row, err));
        if (!size->found) {
            continue;
        }
        NNC_TRY(
            nnc_found_estimate(session, report, &size->best, s->scratch, s->arena, &result, err));
        describe(row, &size->best, result);
        device_time(result, row->lost);
        if (scale->base < 0 ||
            device_s(row) < (1.0 - ROUNDING) * device_s(&scale->rows[scale->base])) {
            scale->base = i;
        }
    }
    compare_sizes(scale);
    return NNC_OK;
}

static nnc_status write(nnc_session *session, void *context, const nnc_search_report *report,
                        nnc_error *err)
{
    scaler *s = context;
    nnc_scale *scale = &s->scale;
    if (report->sizes == NULL || report->digest != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, report->sizes == NULL ? "--devices" : "--shard",
                        report->sizes == NULL
                            ? "several sizes are expected, such as 1,8,64 or 8..512"
                            : "is for 'search', which merges shards");
    }
    scale->rows = nnc_arena_array(s->arena, (size_t)report->size_count + 1, sizeof *scale->rows);
    if (scale->rows == NULL) {
        return nnc_no_memory(err);
    }
    scale->model = report->model->id;
    scale->device = report->device->id;
    scale->global_batch = report->search->base.global_batch;
    scale->base = -1;
    NNC_TRY(fill(session, s, report, err));
    nnc_view_write(session->out, session->style, &nnc_scale_view, scale);
    return NNC_OK;
}

/* The sizes that are looked at where none are asked for. */
static nnc_status choose_sizes(nnc_options *options, nnc_error *err)
{
    nnc_given *given = &options->given;
    for (int i = 0; i < given->setting_count; i++) {
        if (strcmp(given->settings[i].field->name, "devices") == 0) {
            return NNC_OK;
        }
    }
    if (given->setting_count == NNC_SETTINGS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--devices", "missing, expected sizes such as 8..512");
    }
    given->settings[given->setting_count++] =
        (nnc_setting){ nnc_field_of_key(&nnc_plan_table, "devices"), "1..4096*8" };
    return NNC_OK;
}

static nnc_status scale(nnc_session *session, scaler *s, nnc_error *err)
{
    const nnc_options *options = &session->options;
    const char *device = options->operands[1];
    int64_t batch = 0;
    if (s->arena == NULL || s->scratch == NULL) {
        return nnc_no_memory(err);
    }
    if (device != NULL && strchr(device, ',') != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "DEVICE",
                        "one is expected, 'nncost search' compares several, found \"%s\"", device);
    }
    NNC_TRY(choose_sizes(&session->options, err));
    NNC_TRY(nnc_batch_choose(session, s->arena, &batch, &s->scale.batch_chosen, err));
    return nnc_search_asked(session, options->operands[0], device, write, s, err);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    scaler s = { .arena = nnc_arena_create(), .scratch = nnc_scratch_create() };
    const nnc_status status = scale(session, &s, err);
    nnc_scratch_destroy(s.scratch);
    nnc_arena_destroy(s.arena);
    return status;
}

const nnc_command nnc_cmd_scale = {
    .name = "scale",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "What more devices bring: step, throughput, efficiency, and what is lost to what.",
    .notes =
        "The best plan of every size of --devices [1..4096*8: 1, 8, 64, 512, 4096] for one batch, "
        "as 'search' finds it, with the same options; without --global-batch one of about 4 "
        "million tokens is chosen, and said. Efficiency is throughput per device over that of "
        "the smallest size with a plan. What is missing to 100% is device time that a part of "
        "the step takes beyond what it takes there: compute (smaller products), recompute, "
        "update, bubble, host, or the collectives of tensor, context, expert, data or pipeline "
        "ranks. 'nncost plot scaling' draws it. Exits with 1 when no size has a plan.",
    .min_operands = 1,
    .max_operands = 2,
    .takes =
        NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO | NNC_TAKES_SEARCH,
    .run = run,
};
