#include "cli/search/search_found.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "render/members.h"
#include "render/text.h"

static const nnc_metric found_rows[] = {
    { .name = "plan",
      .type = NNC_METRIC_OBJECT,
      NNC_IN(nnc_found, plan),
      .rows = &nnc_plan_choice_metrics,
      .help = "The plan." },
    { NNC_NUMBER(nnc_found, step_s), .unit = "s", .help = "One optimizer step." },
    { NNC_WHOLE(nnc_found, memory_bytes), .unit = "B", .help = "Memory of the fullest device." },
    { NNC_NUMBER(nnc_found, mfu), .show = NNC_SHOW_PERCENT, .help = "Model FLOPs utilisation." },
    { NNC_NUMBER(nnc_found, tokens_per_s), .help = "Tokens trained on per second." },
    { NNC_NUMBER(nnc_found, bubble_share), .show = NNC_SHOW_PERCENT,
      .help = "The bubble over the step." },
    { NNC_NUMBER(nnc_found, exposed_comm_s), .unit = "s",
      .help = "Communication that no compute overlaps." },
    { NNC_NUMBER(nnc_found, device_s), .unit = "s",
      .help = "Devices times step: what a step costs in device time." },
    { NNC_NUMBER(nnc_found, cost_step), .help = "Price of one step; null without a price." },
    { NNC_NUMBER(nnc_found, run_s), .unit = "s",
      .help = "Time of the run of --tokens or --samples." },
    { NNC_NUMBER(nnc_found, device_hours), .help = "Device-hours of the run." },
    { NNC_NUMBER(nnc_found, cost_run), .help = "Price of the run." },
};
const nnc_metrics nnc_found_metrics = NNC_METRICS("a plan that fits", found_rows, nnc_found);

void nnc_record_found(nnc_record *record, const nnc_found *found)
{
    const nnc_place place = { .record = found };
    if (record->exact) {
        nnc_record_whole(record, "index", (int64_t)found->index);
    }
    nnc_record_members(record, &nnc_found_metrics, &place);
}

void nnc_record_shard_rest(nnc_record *record, const nnc_found *missed, const nnc_error *why)
{
    if (missed != NULL) {
        nnc_record_object(record, "missed");
        nnc_record_found(record, missed);
        nnc_record_close(record);
    } else {
        nnc_record_null(record, "missed");
    }
    if (why->status != NNC_OK) {
        nnc_record_object(record, "illegal");
        nnc_record_text(record, "where", why->where);
        nnc_record_text(record, "what", why->what);
        nnc_record_close(record);
    } else {
        nnc_record_null(record, "illegal");
    }
}

const char *nnc_found_cost(const nnc_found *found, double *cost)
{
    if (!isnan(found->run_s)) {
        const bool priced = !isnan(found->cost_run);
        *cost = priced ? found->cost_run : found->device_hours;
        return priced ? "run cost" : "device-hours";
    }
    const bool priced = !isnan(found->cost_step);
    *cost = priced ? found->cost_step : found->device_s;
    return priced ? "step cost" : "device-s";
}

static void percent_cell(nnc_grid *grid, double share)
{
    char text[NNC_NUMBER_TEXT];
    snprintf(text, sizeof text, "%.1f%%", 100.0 * share);
    nnc_grid_cell(grid, text);
}

static void found_row(nnc_grid *grid, const nnc_found *found, bool sizes, bool cost)
{
    char text[64];
    double spent = 0.0;
    const nnc_plan *p = &found->plan;
    if (sizes) {
        nnc_grid_count(grid, p->devices);
    }
    nnc_grid_cell(grid, nnc_unit_text(found->step_s, "s", text));
    if (!isnan(found->run_s)) {
        nnc_grid_cell(grid, nnc_unit_text(found->run_s, "s", text));
    }
    if (cost) {
        (void)nnc_found_cost(found, &spent);
        nnc_grid_cell(grid, nnc_count_text(spent, text));
    }
    nnc_grid_cell(grid, nnc_unit_text((double)found->memory_bytes, "B", text));
    percent_cell(grid, found->mfu);
    nnc_grid_count(grid, p->data);
    nnc_grid_count(grid, p->tensor);
    nnc_grid_count(grid, p->pipeline);
    nnc_grid_count(grid, p->virtual_stages);
    nnc_grid_count(grid, p->context);
    nnc_grid_count(grid, p->expert);
    nnc_grid_cell(grid, p->sequence_parallel ? "yes" : "no");
    nnc_grid_count(grid, p->zero);
    nnc_grid_count(grid, p->micro_batch);
    nnc_grid_cell(grid, nnc_schedule_name(p->schedule));
    nnc_recompute_text(p->recompute, text, sizeof text);
    nnc_grid_cell(grid, text);
    nnc_offload_text(p->offload, text, sizeof text);
    nnc_grid_cell(grid, text);
    percent_cell(grid, found->bubble_share);
}

/* Of the columns that most plans leave at nothing, those that these plans use. */
typedef struct in_use {
    bool virtual_stages, context, expert, offload;
} in_use;

static in_use used_by(const nnc_found *list, int32_t count)
{
    in_use use = { 0 };
    for (int32_t i = 0; i < count; i++) {
        use.virtual_stages |= list[i].plan.virtual_stages > 1;
        use.context |= list[i].plan.context > 1;
        use.expert |= list[i].plan.expert > 1;
        use.offload |= list[i].plan.offload != 0;
    }
    return use;
}

nnc_status nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count,
                           bool sizes)
{
    const in_use use = used_by(list, count);
    /* Context and expert decide what the devices do: never dropped where a plan uses them. */
    const nnc_grid_column always[] = {
        { .head = "memory" },
        { .head = "MFU", .drop = 6 },
        { .head = "data", .drop = 7 },
        { .head = "tensor" },
        { .head = "pipeline" },
        { .head = "virtual", .drop = use.virtual_stages ? 9 : 5 },
        { .head = "context", .drop = use.context ? 0 : 3 },
        { .head = "expert", .drop = use.expert ? 0 : 2 },
        { .head = "SP", .left = true },
        { .head = "ZeRO" },
        { .head = "micro-batch" },
        { .head = "schedule", .left = true },
        { .head = "recompute", .left = true, .shrinks = true },
        { .head = "offload", .left = true, .drop = use.offload ? 8 : 4 },
        { .head = "bubble", .drop = 1 },
    };
    enum { ALWAYS = sizeof always / sizeof always[0], LEADING = 4 };
    nnc_grid_column columns[LEADING + ALWAYS];
    const bool run = count > 0 && !isnan(list[0].run_s);
    int used = 0;
    double spent = 0.0;
    nnc_arena *arena = nnc_arena_create();
    if (arena == NULL) {
        return NNC_NO_MEMORY;
    }
    if (sizes) {
        columns[used++] = (nnc_grid_column){ .head = "devices" };
    }
    columns[used++] = (nnc_grid_column){ .head = "step" };
    if (run) {
        columns[used++] = (nnc_grid_column){ .head = "run" };
    }
    if (run || (sizes && count > 0)) {
        columns[used++] = (nnc_grid_column){ .head = nnc_found_cost(&list[0], &spent) };
    }
    for (int i = 0; i < ALWAYS; i++) {
        columns[used++] = always[i];
    }
    nnc_grid grid = nnc_grid_begin(arena, columns, used);
    for (int32_t i = 0; i < count; i++) {
        found_row(&grid, &list[i], sizes, run || sizes);
    }
    const nnc_status status = nnc_grid_write(&grid, out, style);
    nnc_arena_destroy(arena);
    return status;
}
