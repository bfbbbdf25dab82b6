#include "cli/search/scale_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metrics/report.h"
#include "render/sheet.h"
#include "render/table.h"
#include "render/text.h"

const char *nnc_scale_part_name(unsigned part)
{
    static const char *const names[NNC_SCALE_COMM] = { "compute", "recompute", "update", "bubble",
                                                       "host" };
    return part < NNC_SCALE_COMM ? names[part] : nnc_comm_name(part - NNC_SCALE_COMM);
}

/* The part that lost most, after `than` (-1 = of all); -1 = none lost as much as half a percent. */
static int most_lost(const nnc_scale_row *row, int than)
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

NNC_GET(get_broke, nnc_scale_row,
        nnc_text_cell(most_lost(self, -1) >= 0 ? nnc_scale_part_name((unsigned)most_lost(self, -1))
                                               : NULL))

/* "data 12.3%, update 4.0%" */
static nnc_cell get_lost(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_scale_row *row = place->record;
    const int first = most_lost(row, -1), second = first >= 0 ? most_lost(row, first) : -1;
    char share[NNC_NUMBER_TEXT], other[NNC_NUMBER_TEXT];
    if (first < 0) {
        return nnc_text_cell(NULL);
    }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s %s%s%s%s%s", nnc_scale_part_name((unsigned)first),
             nnc_percent_text(row->lost[first], share), second >= 0 ? ", " : "",
             second >= 0 ? nnc_scale_part_name((unsigned)second) : "", second >= 0 ? " " : "",
             second >= 0 ? nnc_percent_text(row->lost[second], other) : "");
    return nnc_text_cell(text);
}

static nnc_cell get_cost(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_scale_row *row = place->record;
    char amount[NNC_NUMBER_TEXT];
    if (isnan(row->cost)) {
        return nnc_text_cell(NULL);
    }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s %s", nnc_count_text(row->cost, amount), row->currency);
    return nnc_text_cell(text);
}

NNC_GET(get_memory, nnc_scale_row,
        self->found ? nnc_whole_cell(self->memory_bytes) : (nnc_cell){ .kind = NNC_CELL_NULL })

NNC_GET(get_plan, nnc_scale_row,
        nnc_text_cell(self->found ? nnc_plan_word(&self->plan, text) : NULL))

/* Of a reason its first words; the rest stands below the table. */
static nnc_cell get_shown_plan(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_scale_row *row = place->record;
    if (row->found) {
        return nnc_text_cell(nnc_plan_word(&row->plan, text));
    }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%.*s", (int)strcspn(row->reason, ":"), row->reason);
    return nnc_text_cell(text);
}

/* With a name for programs, with a head for people. */
static const nnc_metric scale_rows[] = {
    NNC_WHOLE(nnc_scale_row, devices, .head = "devices", .help = "Devices of this size."),
    NNC_NUMBER(nnc_scale_row, step_s, .head = "step", .unit = "s",
               .help = "One optimizer step of the best plan.",
               .more = NNC_MORE(.same_as = "step.step_s")),
    NNC_NUMBER(nnc_scale_row, tokens_per_s, .head = "tokens/s", .show = NNC_SHOW_COUNT, .drop = 4,
               .help = "Tokens trained on per second; null for images.",
               .more = NNC_MORE(.same_as = "throughput.tokens_per_s")),
    NNC_NUMBER(nnc_scale_row, samples_per_s, .head = "samples/s", .show = NNC_SHOW_COUNT, .drop = 4,
               .help = "Sequences or images trained on per second.",
               .more = NNC_MORE(.same_as = "throughput.samples_per_s")),
    NNC_AS(
        "scaling_efficiency", NUMBER, NNC_IN(nnc_scale_row, efficiency), .head = "efficiency",
        .show = NNC_SHOW_PERCENT,
        .help =
            "Throughput per device over the highest of all sizes: devices times step there, over "
            "devices times step here, for the same batch."),
    NNC_HEAD("lost to", TEXT, .get = get_lost),
    NNC_AS("lost", NUMBER, NNC_IN(nnc_scale_row, lost), .each_count = NNC_SCALE_COUNT,
           .help = "Device time that a part of the step takes beyond what it takes at the size "
                   "with most throughput per device, over all device time of this size; they add "
                   "up to 1 - "
                   "scaling_efficiency.",
           .more = NNC_MORE(.each = nnc_scale_part_name)),
    NNC_AS("lost_to", TEXT, .get = get_broke,
           .help = "The part that lost most; null where none lost half a percent."),
    NNC_NUMBER(nnc_scale_row, run_s, .head = "run", .unit = "s", .drop = 5,
               .help = "Time of the whole run.", .more = NNC_MORE(.same_as = "cost.run_s")),
    NNC_HEAD("cost", TEXT, .get = get_cost, .drop = 3),
    NNC_NUMBER(nnc_scale_row, cost,
               .help = "Cost of the whole run, or of a step where its length is not known."),
    NNC_TEXT(nnc_scale_row, currency, .help = "Currency of the cost."),
    NNC_AS("memory_bytes", WHOLE, .get = get_memory, .head = "memory", .unit = "B", .drop = 1,
           .help = "Memory of the fullest device.",
           .more = NNC_MORE(.same_as = "memory.total_bytes")),
    NNC_NUMBER(nnc_scale_row, mfu, .head = "MFU", .show = NNC_SHOW_PERCENT, .drop = 2,
               .help = "Model FLOPs utilisation.", .more = NNC_MORE(.same_as = "throughput.mfu")),
    NNC_HEAD("plan", TEXT, .get = get_shown_plan),
    NNC_AS("plan", TEXT, .get = get_plan, .help = "The plan in one word."),
    NNC_TEXT(nnc_scale_row, software, .help = "Software profile of the plan."),
    NNC_TEXT(nnc_scale_row, reason, .help = "Why no plan is shown."),
    NNC_TEXT(nnc_scale_row, command, .help = "The command that estimates the plan."),
};
static const nnc_metrics scale_metrics = NNC_METRICS("one size", scale_rows, nnc_scale_row);

NNC_GET(get_base, nnc_scale,
        self->base >= 0 ? nnc_whole_cell(self->rows[self->base].devices)
                        : (nnc_cell){ .kind = NNC_CELL_NULL })

static const nnc_metric document_rows[] = {
    NNC_TEXT(nnc_scale, model, .help = "Id of the model."),
    NNC_TEXT(nnc_scale, device, .help = "Id of the device."),
    NNC_WHOLE(nnc_scale, global_batch, .help = "Sequences or images of a step, of every size."),
    NNC_AS("base_devices", WHOLE, .get = get_base,
           .help = "The size with most throughput per device, against which efficiency is; null: "
                   "no size has a plan."),
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
    const nnc_scale_row *good = &scale->rows[scale->base], *first_bad = NULL;
    for (int32_t i = scale->base + 1; i < scale->count; i++) {
        const nnc_scale_row *row = &scale->rows[i];
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
                     nnc_scale_part_name((unsigned)(most >= 0 ? most : NNC_SCALE_COMPUTE)),
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
        const nnc_scale_row *row = &scale->rows[i];
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
