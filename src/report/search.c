#include "report/search.h"

#include <inttypes.h>
#include <math.h>

#include "base/arena.h"
#include "base/names.h"
#include "base/number.h"
#include "report/grid.h"
#include "report/record.h"

static void record_plan(nnc_record *record, const nnc_plan *plan)
{
    char text[64];
    nnc_record_object(record, "plan");
    nnc_record_whole(record, "devices", plan->devices);
    nnc_record_whole(record, "data", plan->data);
    nnc_record_whole(record, "tensor", plan->tensor);
    nnc_record_whole(record, "pipeline", plan->pipeline);
    nnc_record_whole(record, "virtual_stages", plan->virtual_stages);
    nnc_record_whole(record, "context", plan->context);
    nnc_record_whole(record, "expert", plan->expert);
    nnc_record_bool(record, "sequence_parallel", plan->sequence_parallel);
    nnc_record_whole(record, "zero", plan->zero);
    nnc_record_whole(record, "micro_batch", plan->micro_batch);
    nnc_record_whole(record, "micro_batches", plan->micro_batches);
    nnc_record_whole(record, "global_batch", plan->global_batch);
    nnc_record_text(record, "schedule", nnc_schedule_names[plan->schedule]);
    nnc_recompute_text(plan->recompute, text, sizeof text);
    nnc_record_text(record, "recompute", text);
    nnc_offload_text(plan->offload, text, sizeof text);
    nnc_record_text(record, "offload", text);
    nnc_record_close(record);
}

static void record_found(nnc_record *record, const nnc_found *found)
{
    record_plan(record, &found->plan);
    nnc_record_number(record, "step_s", found->step_s);
    nnc_record_whole(record, "memory_bytes", found->memory_bytes);
    nnc_record_number(record, "mfu", found->mfu);
    nnc_record_number(record, "tokens_per_s", found->tokens_per_s);
    nnc_record_number(record, "bubble_share", found->bubble_share);
    nnc_record_number(record, "exposed_comm_s", found->exposed_comm_s);
}

static void record_list(nnc_record *record, const char *name, const nnc_found *list, int32_t count)
{
    nnc_record_list(record, name);
    for (int32_t i = 0; i < count; i++) {
        nnc_record_object(record, NULL);
        record_found(record, &list[i]);
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

static void write_json(FILE *out, const nnc_search_report *report)
{
    const nnc_search_result *r = report->result;
    nnc_record record = nnc_record_begin(out, "nncost.search/1");
    nnc_record_whole(&record, "space", (int64_t)r->space);
    nnc_record_whole(&record, "evaluated", (int64_t)r->evaluated);
    nnc_record_whole(&record, "pruned", (int64_t)r->pruned);
    nnc_record_whole(&record, "feasible", (int64_t)r->feasible);
    nnc_record_number(&record, "elapsed_s", report->elapsed_s);
    nnc_record_whole(&record, "threads", report->search->threads);
    record_list(&record, "best", r->best, r->best_count);
    record_list(&record, "pareto", r->pareto, r->pareto_count);
    nnc_record_end(&record);
}

static void write_csv(FILE *out, const nnc_search_report *report)
{
    const nnc_found none = { .plan = nnc_plan_default() };
    nnc_record record = nnc_record_csv(out);
    for (int32_t i = -1; i < report->result->best_count; i++) {
        const nnc_found *row = i < 0 ? &none : &report->result->best[i];
        nnc_found named = *row;
        named.plan.schedule =
            named.plan.schedule == NNC_SCHEDULE_COUNT ? NNC_SCHEDULE_1F1B : named.plan.schedule;
        nnc_record_row(&record, i < 0);
        record_found(&record, &named);
        nnc_record_row_end(&record);
    }
}

static void whole_cell(nnc_grid *grid, int64_t value)
{
    char text[NNC_NUMBER_TEXT];
    snprintf(text, sizeof text, "%" PRId64, value);
    nnc_grid_cell(grid, text);
}

static void percent_cell(nnc_grid *grid, double share)
{
    char text[NNC_NUMBER_TEXT];
    snprintf(text, sizeof text, "%.1f%%", 100.0 * share);
    nnc_grid_cell(grid, text);
}

static void found_row(nnc_grid *grid, const nnc_found *found)
{
    char text[64];
    const nnc_plan *p = &found->plan;
    nnc_grid_cell(grid, nnc_unit_text(found->step_s, "s", text));
    nnc_grid_cell(grid, nnc_unit_text((double)found->memory_bytes, "B", text));
    percent_cell(grid, found->mfu);
    whole_cell(grid, p->data);
    whole_cell(grid, p->tensor);
    whole_cell(grid, p->pipeline);
    whole_cell(grid, p->virtual_stages);
    whole_cell(grid, p->context);
    whole_cell(grid, p->expert);
    nnc_grid_cell(grid, p->sequence_parallel ? "yes" : "no");
    whole_cell(grid, p->zero);
    whole_cell(grid, p->micro_batch);
    nnc_grid_cell(grid, nnc_schedule_names[p->schedule]);
    nnc_recompute_text(p->recompute, text, sizeof text);
    nnc_grid_cell(grid, text);
    nnc_offload_text(p->offload, text, sizeof text);
    nnc_grid_cell(grid, text);
    percent_cell(grid, found->bubble_share);
}

static nnc_status write_list(FILE *out, nnc_style style, const nnc_found *list, int32_t count)
{
    static const nnc_column columns[] = {
        { .head = "step" },
        { .head = "memory" },
        { .head = "MFU", .drop = 6 },
        { .head = "data", .drop = 7 },
        { .head = "tensor" },
        { .head = "pipeline" },
        { .head = "virtual", .drop = 5 },
        { .head = "context", .drop = 3 },
        { .head = "expert", .drop = 2 },
        { .head = "SP", .left = true },
        { .head = "ZeRO" },
        { .head = "micro-batch" },
        { .head = "schedule", .left = true },
        { .head = "recompute", .left = true, .shrinks = true },
        { .head = "offload", .left = true, .drop = 4 },
        { .head = "bubble", .drop = 1 },
    };
    nnc_arena *arena = nnc_arena_create();
    if (arena == NULL) {
        return NNC_NO_MEMORY;
    }
    nnc_grid grid = nnc_grid_begin(arena, columns, (int)(sizeof columns / sizeof columns[0]));
    for (int32_t i = 0; i < count; i++) {
        found_row(&grid, &list[i]);
    }
    const nnc_status status = nnc_grid_write(&grid, out, style);
    nnc_arena_destroy(arena);
    return status;
}

/* "bubble 1.2 ms less", when it is more than rounding. */
static void write_difference(FILE *out, const char *what, double less_s, double step_s)
{
    char text[NNC_NUMBER_TEXT];
    if (fabs(less_s) > 1e-6 * step_s) {
        fprintf(out, ", %s %s %s", what, nnc_unit_text(fabs(less_s), "s", text),
                less_s > 0.0 ? "less" : "more");
    }
}

/* What sets the best plan apart from the next one: where the time went. */
static void write_why(FILE *out, const nnc_search_result *r)
{
    const nnc_found *a = &r->best[0], *b = &r->best[1];
    char faster[NNC_NUMBER_TEXT];
    const double bubble_s = b->bubble_share * b->step_s - a->bubble_share * a->step_s;
    const double exposed_s = b->exposed_comm_s - a->exposed_comm_s;
    const double faster_s = b->step_s - a->step_s;
    if (r->best_count < 2 || !(fabs(faster_s) > 1e-6 * a->step_s)) {
        return;
    }
    fprintf(out, "\nthe first is %s %s than the second", nnc_unit_text(fabs(faster_s), "s", faster),
            faster_s > 0.0 ? "faster" : "slower");
    write_difference(out, "bubble", bubble_s, a->step_s);
    write_difference(out, "exposed communication", exposed_s, a->step_s);
    write_difference(out, "compute", faster_s - bubble_s - exposed_s, a->step_s);
    fputc('\n', out);
}

/* Else a reader wonders why no plan of a large model is tensor-parallel. */
static void write_left_out(FILE *out, const nnc_search_report *report)
{
    const nnc_decoder *d = &report->model->decoder;
    if (report->model->family != NNC_FAMILY_DECODER || report->search->tensor.count > 0) {
        return;
    }
    const int64_t rows = nnc_vocab_rows(d);
    if (rows % 2 != 0) {
        fprintf(out,
                "tensor parallelism is left out: a vocabulary of %" PRId64
                " rows does not divide; --set vocab_multiple=1024 pads it\n\n",
                rows);
    }
}

static nnc_status write_text(FILE *out, nnc_style style, const nnc_search_report *report)
{
    const nnc_search_result *r = report->result;
    fprintf(out,
            "%s on %" PRId32 " x %s, global batch %" PRId64 "\n%" PRIu64 " combinations: %" PRIu64
            " evaluated, %" PRIu64 " illegal, too large or hopeless; %" PRIu64 " fit\n\n",
            report->model->id, report->search->base.devices, report->device->id,
            report->search->base.global_batch, r->space, r->evaluated, r->pruned, r->feasible);
    if (!report->device->efficiency.fitted) {
        fprintf(out, "no fitted efficiencies for this device: roofline times, real ones are longer "
                     "and may rank otherwise\n\n");
    }
    write_left_out(out, report);
    if (r->best_count == 0) {
        fprintf(out, "no plan fits\n");
        return NNC_OK;
    }
    nnc_status status = write_list(out, style, r->best, r->best_count);
    if (status == NNC_OK) {
        write_why(out, r);
        fprintf(out, "\ntime against memory, %s\n\n",
                r->pareto_truncated ? "the fastest part of the front"
                                    : "no other plan is faster with less");
        status = write_list(out, style, r->pareto, r->pareto_count < 12 ? r->pareto_count : 12);
    }
    return status;
}

nnc_status nnc_report_search(FILE *out, nnc_style style, const nnc_search_report *report)
{
    switch (style.format) {
    case NNC_FORMAT_JSON: write_json(out, report); return NNC_OK;
    case NNC_FORMAT_CSV: write_csv(out, report); return NNC_OK;
    default: return write_text(out, style, report);
    }
}
