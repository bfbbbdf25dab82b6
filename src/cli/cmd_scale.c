/* scale */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/search_asked.h"
#include "cli/views_internal.h"
#include "input/field.h"
#include "input/kind.h"
#include "input/read.h"

/* What device time goes to: five parts of a step, then the kinds of collectives. */
typedef enum scale_part {
    NNC_SCALE_COMPUTE, /* forward and backward */
    NNC_SCALE_RECOMPUTE,
    NNC_SCALE_UPDATE,
    NNC_SCALE_BUBBLE,
    NNC_SCALE_HOST,
    NNC_SCALE_COMM, /* the first of them */
    NNC_SCALE_COUNT = NNC_SCALE_COMM + NNC_COMM_COUNT
} scale_part;

/* One number of devices. */
typedef struct scale_row {
    int32_t devices;
    bool found;
    const char *reason;             /* why nothing was; NULL = something was */
    const char *software, *command; /* NULL = nothing found */
    const char *currency;
    nnc_plan plan;
    double step_s, tokens_per_s, samples_per_s, mfu, run_s, cost;
    int64_t memory_bytes;
    double efficiency; /* throughput per device over that of the smallest size */
    double lost
        [NNC_SCALE_COUNT]; /* device time beyond the smallest size's, over all of it; below 0 it is less */
} scale_row;

typedef struct nnc_scale {
    const char *model, *device;
    int64_t global_batch;
    bool batch_chosen; /* not asked for */
    int32_t base;      /* index of the smallest size with a plan; -1 = none has one */
    scale_row *rows;
    int32_t count;
} nnc_scale;

static const char *part_name(unsigned part)
{
    static const char *const names[NNC_SCALE_COMM] = { "compute", "recompute", "update", "bubble",
                                                       "host" };
    return part < NNC_SCALE_COMM ? names[part] : nnc_comm_name(part - NNC_SCALE_COMM);
}

/* The part that lost most, after `than` (-1 = of all); -1 = none lost as much as half a percent. */
static int most_lost(const scale_row *row, int than)
{
    int most = -1;
    for (int i = 0; i < NNC_SCALE_COUNT; i++) {
        const bool next = than < 0 || row->lost[i] < row->lost[than] ||
                          (i > than && row->lost[i] <= row->lost[than]);
        if (i != than && next && row->lost[i] >= 0.005 &&
            (most < 0 || row->lost[i] > row->lost[most])) {
            most = i;
        }
    }
    return row->found ? most : -1;
}

NNC_GET(get_broke, scale_row,
        nnc_text_cell(most_lost(self, -1) >= 0 ? part_name((unsigned)most_lost(self, -1)) : NULL))

/* "data 12.3%, update 4.0%" */
static nnc_cell get_lost(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const scale_row *row = place->record;
    const int first = most_lost(row, -1), second = first >= 0 ? most_lost(row, first) : -1;
    char share[NNC_NUMBER_TEXT], other[NNC_NUMBER_TEXT];
    if (first < 0) {
        return nnc_text_cell(NULL);
    }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s %s%s%s%s%s", part_name((unsigned)first),
             nnc_percent_text(row->lost[first], share), second >= 0 ? ", " : "",
             second >= 0 ? part_name((unsigned)second) : "", second >= 0 ? " " : "",
             second >= 0 ? nnc_percent_text(row->lost[second], other) : "");
    return nnc_text_cell(text);
}

static nnc_cell get_cost(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const scale_row *row = place->record;
    char amount[NNC_NUMBER_TEXT];
    if (isnan(row->cost)) {
        return nnc_text_cell(NULL);
    }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s %s", nnc_count_text(row->cost, amount), row->currency);
    return nnc_text_cell(text);
}

NNC_GET(get_memory, scale_row,
        self->found ? nnc_whole_cell(self->memory_bytes) : (nnc_cell){ .kind = NNC_CELL_NULL })

NNC_GET(get_plan, scale_row, nnc_text_cell(self->found ? nnc_plan_word(&self->plan, text) : NULL))

/* Of a reason its first words; the rest stands below the table. */
static nnc_cell get_shown_plan(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const scale_row *row = place->record;
    if (row->found) {
        return nnc_text_cell(nnc_plan_word(&row->plan, text));
    }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%.*s", (int)strcspn(row->reason, ":"), row->reason);
    return nnc_text_cell(text);
}

/* With a name for programs, with a head for people. */
static const nnc_metric scale_rows[] = {
    NNC_WHOLE(scale_row, devices, .head = "devices", .help = "Devices of this size."),
    NNC_NUMBER(scale_row, step_s, .head = "step", .unit = "s",
               .help = "One optimizer step of the best plan.",
               .more = NNC_MORE(.same_as = "step.step_s")),
    NNC_NUMBER(scale_row, tokens_per_s, .head = "tokens/s", .show = NNC_SHOW_COUNT, .drop = 4,
               .help = "Tokens trained on per second; null for images.",
               .more = NNC_MORE(.same_as = "throughput.tokens_per_s")),
    NNC_NUMBER(scale_row, samples_per_s, .head = "samples/s", .show = NNC_SHOW_COUNT, .drop = 4,
               .help = "Sequences or images trained on per second.",
               .more = NNC_MORE(.same_as = "throughput.samples_per_s")),
    NNC_AS("scaling_efficiency", NUMBER, NNC_IN(scale_row, efficiency), .head = "efficiency",
           .show = NNC_SHOW_PERCENT,
           .help =
               "Throughput per device over that of the smallest size with a plan: devices times "
               "step there, over devices times step here, for the same batch."),
    NNC_HEAD("lost to", TEXT, .get = get_lost),
    NNC_AS("lost", NUMBER, NNC_IN(scale_row, lost), .each_count = NNC_SCALE_COUNT,
           .help = "Device time that a part of the step takes beyond what it takes at the smallest "
                   "size, over all device time of this size; they add up to 1 - "
                   "scaling_efficiency.",
           .more = NNC_MORE(.each = part_name)),
    NNC_AS("lost_to", TEXT, .get = get_broke,
           .help = "The part that lost most; null where none lost half a percent."),
    NNC_NUMBER(scale_row, run_s, .head = "run", .unit = "s", .drop = 5,
               .help = "Time of the whole run.", .more = NNC_MORE(.same_as = "cost.run_s")),
    NNC_HEAD("cost", TEXT, .get = get_cost, .drop = 3),
    NNC_NUMBER(scale_row, cost,
               .help = "Cost of the whole run, or of a step where its length is not known."),
    NNC_TEXT(scale_row, currency, .help = "Currency of the cost."),
    NNC_AS("memory_bytes", WHOLE, .get = get_memory, .head = "memory", .unit = "B", .drop = 1,
           .help = "Memory of the fullest device.",
           .more = NNC_MORE(.same_as = "memory.total_bytes")),
    NNC_NUMBER(scale_row, mfu, .head = "MFU", .show = NNC_SHOW_PERCENT, .drop = 2,
               .help = "Model FLOPs utilisation.", .more = NNC_MORE(.same_as = "throughput.mfu")),
    NNC_HEAD("plan", TEXT, .get = get_shown_plan),
    NNC_AS("plan", TEXT, .get = get_plan, .help = "The plan in one word."),
    NNC_TEXT(scale_row, software, .help = "Software profile of the plan."),
    NNC_TEXT(scale_row, reason, .help = "Why no plan is shown."),
    NNC_TEXT(scale_row, command, .help = "The command that estimates the plan."),
};
static const nnc_metrics scale_metrics = NNC_METRICS("one size", scale_rows, scale_row);

NNC_GET(get_base, nnc_scale,
        self->base >= 0 ? nnc_whole_cell(self->rows[self->base].devices)
                        : (nnc_cell){ .kind = NNC_CELL_NULL })

static const nnc_metric document_rows[] = {
    NNC_TEXT(nnc_scale, model, .help = "Id of the model."),
    NNC_TEXT(nnc_scale, device, .help = "Id of the device."),
    NNC_WHOLE(nnc_scale, global_batch, .help = "Sequences or images of a step, of every size."),
    NNC_AS("base_devices", WHOLE, .get = get_base,
           .help = "The smallest size with a plan, against which efficiency is; null: none has "
                   "one."),
    { .name = "sizes",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_scale, rows),
      NNC_COUNT(nnc_scale, count),
      .rows = &scale_metrics },
};
static const nnc_metrics document = NNC_METRICS("how a step scales", document_rows, nnc_scale);

static nnc_lines lines_of(const void *record)
{
    const nnc_scale *scale = record;
    return (nnc_lines){ &scale_metrics, scale, scale->rows, scale->count };
}

/* Columns that say something: tokens or samples, the run and its cost where they are known. */
static void write_table(nnc_buffer *out, nnc_style style, const nnc_scale *scale)
{
    nnc_table table = { .count = 0 };
    bool tokens = false, run = false, cost = false;
    for (int32_t i = 0; i < scale->count; i++) {
        tokens = tokens || !isnan(scale->rows[i].tokens_per_s);
        run = run || !isnan(scale->rows[i].run_s);
        cost = cost || !isnan(scale->rows[i].cost);
    }
    const struct {
        const char *head, *text; /* NULL: not shown */
    } heads[] = { { "tokens/s", tokens ? "tokens/s" : NULL },
                  { "samples/s", tokens ? NULL : "samples/s" },
                  { "run", run ? "run" : NULL },
                  { "cost", !cost ? NULL
                            : run ? "run cost"
                                  : "step cost" } };
    nnc_table_heads(&table, &scale_metrics);
    for (int i = 0; i < table.count; i++) {
        for (size_t k = 0; k < sizeof heads / sizeof heads[0] && table.heads[i].text != NULL; k++) {
            if (strcmp(table.heads[i].text, heads[k].head) == 0) {
                table.heads[i].text = heads[k].text;
                break;
            }
        }
    }
    nnc_table_records(&table, lines_of(scale));
    nnc_table_write(&table, out, style);
}

static const char *plural_of(int32_t devices)
{
    return devices == 1 ? "" : "s";
}

/* How far it goes well, and what is in the way after that. */
static void write_verdict(nnc_buffer *out, nnc_style style, const nnc_scale *scale)
{
    const scale_row *good = &scale->rows[scale->base], *first_bad = NULL;
    for (int32_t i = scale->base + 1; i < scale->count; i++) {
        const scale_row *row = &scale->rows[i];
        if (row->found && row->efficiency >= 0.9 && first_bad == NULL) {
            good = row;
        } else if (row->found && first_bad == NULL) {
            first_bad = row;
        }
    }
    const int32_t least = scale->rows[scale->base].devices;
    nnc_buffer_byte(out, '\n');
    nnc_sheet_line(out, style,
                   "efficiency is throughput per device against %" PRId32
                   " device%s; a loss is device time, over all of that size",
                   least, plural_of(least));
    nnc_buffer_print(out, "at 90%% or more up to %" PRId32 " device%s", good->devices,
                     plural_of(good->devices));
    if (first_bad == NULL) {
        nnc_buffer_text(out, ", the largest here\n");
        return;
    }
    const int most = most_lost(first_bad, -1);
    nnc_buffer_print(out, "; %" PRId32 " lose most to %s%s\n", first_bad->devices,
                     part_name((unsigned)(most >= 0 ? most : NNC_SCALE_COMPUTE)),
                     most >= NNC_SCALE_COMM ? " collectives" : "");
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_scale *scale = record;
    nnc_buffer_print(out, "%s on %s, global batch %" PRId64 "%s; of each size the best plan\n\n",
                     scale->model, scale->device, scale->global_batch,
                     scale->batch_chosen ? " (chosen: about 4 million tokens)" : "");
    write_table(out, style, scale);
    for (int32_t i = 0; i < scale->count; i++) {
        const scale_row *row = &scale->rows[i];
        if (!row->found && strchr(row->reason, ':') != NULL) {
            nnc_buffer_byte(out, '\n');
            nnc_sheet_line(out, style, "%" PRId32 " device%s: %s", row->devices,
                           plural_of(row->devices), row->reason);
        }
    }
    if (scale->base < 0) {
        return;
    }
    write_verdict(out, style, scale);
    nnc_buffer_byte(out, '\n');
    for (int32_t i = 0; i < scale->count; i++) {
        if (scale->rows[i].command != NULL) {
            nnc_buffer_print(out, "    %s\n", scale->rows[i].command);
        }
    }
}

const nnc_view nnc_scale_view = {
    .schema = "nncost.scale/1", .document = &document, .lines = lines_of, .page = write_page
};

/* scale: what more devices bring, and what they lose. */

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

static void describe(scale_row *row, const nnc_found *found, const nnc_result *result)
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

static nnc_status give_reason(nnc_arena *arena, const nnc_search_size *size, scale_row *row,
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

static nnc_status fill(nnc_session *session, scaler *s, const nnc_search_report *report,
                       nnc_error *err)
{
    double base[NNC_SCALE_COUNT] = { 0.0 }, parts[NNC_SCALE_COUNT];
    nnc_scale *scale = &s->scale;
    for (int32_t i = 0; i < report->size_count; i++) {
        const nnc_search_size *size = &report->sizes[i];
        const nnc_result *result = NULL;
        scale_row *row = &scale->rows[scale->count++];
        *row = (scale_row){ .devices = size->devices, .currency = report->currency };
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
        device_time(result, parts);
        if (scale->base < 0) {
            scale->base = i;
            memcpy(base, parts, sizeof base);
        }
        const double whole = row->step_s * row->devices;
        const scale_row *first = &scale->rows[scale->base];
        row->efficiency = first->step_s * first->devices / whole;
        for (int part = 0; part < NNC_SCALE_COUNT; part++) {
            const double lost = (parts[part] - base[part]) / whole;
            row->lost[part] = fabs(lost) < ROUNDING ? 0.0 : lost;
        }
    }
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

static nnc_status search_all_sizes(nnc_session *session, scaler *s, nnc_error *err)
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
    const nnc_status status = search_all_sizes(session, &s, err);
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
