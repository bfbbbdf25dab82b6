#include <inttypes.h>
#include <math.h>

#include "cli/search/search_found.h"
#include "render/text.h"

static void record_size(nnc_record *record, const nnc_search_size *size)
{
    nnc_record_object(record, NULL);
    nnc_record_whole(record, "devices", size->devices);
    nnc_record_whole(record, "space", (int64_t)size->total.space);
    nnc_record_whole(record, "evaluated", (int64_t)size->total.evaluated);
    nnc_record_whole(record, "feasible", (int64_t)size->total.feasible);
    if (record->exact) { /* a shard */
        nnc_record_shard_rest(record, size->any_missed ? &size->missed : NULL, &size->why);
    }
    if (size->found) {
        nnc_record_object(record, "best");
        nnc_record_found(record, &size->best);
        nnc_record_close(record);
    } else {
        nnc_record_null(record, "best");
    }
    nnc_record_text(record, "reason",
                    size->found                  ? NULL
                    : size->why.status != NNC_OK ? size->why.what
                    : size->any_missed           ? "misses the deadline or the budget"
                                                 : "does not fit");
    nnc_record_close(record);
}

static void record_named(nnc_record *record, const char *key, const nnc_search_report *report,
                         int32_t index)
{
    if (index < 0) {
        nnc_record_null(record, key);
    } else {
        nnc_record_whole(record, key, report->sizes[index].devices);
    }
}

void nnc_sizes_record(nnc_record *record, const nnc_search_report *report)
{
    record_named(record, "fastest", report, report->fastest);
    record_named(record, "cheapest", report, report->cheapest);
    nnc_record_list(record, "sizes");
    for (int32_t i = 0; i < report->size_count; i++) {
        record_size(record, &report->sizes[i]);
    }
    nnc_record_close(record);
}

static bool is_found(const nnc_place *place)
{
    return ((const nnc_search_size *)place->record)->found;
}

/* The best plan of each size that has one. */
nnc_status nnc_sizes_csv(nnc_buffer *out, const nnc_search_report *report)
{
    static const nnc_metric best[] = {
        { .type = NNC_METRIC_OBJECT, NNC_IN(nnc_search_size, best), .rows = &nnc_found_metrics },
    };
    static const nnc_metrics sizes = { .what = "the best plan of a size",
                                       .rows = best,
                                       .count = 1,
                                       .record_size = sizeof(nnc_search_size),
                                       .listed = is_found };
    return nnc_record_lines(out, &sizes, report, report->sizes, report->size_count);
}

/* Why there is no row. */
static void write_none(nnc_buffer *out, const nnc_search_size *size)
{
    char step[NNC_NUMBER_TEXT], run[NNC_NUMBER_TEXT], cost[NNC_NUMBER_TEXT];
    double spent = 0.0;
    nnc_buffer_print(out, "%" PRId32 " devices: ", size->devices);
    if (size->why.status != NNC_OK) {
        nnc_buffer_print(out, "no legal plan, %s: %s\n", size->why.where, size->why.what);
    } else if (size->any_missed) {
        const char *what = nnc_found_cost(&size->missed, &spent);
        nnc_buffer_print(
            out,
            "misses the deadline or the budget, the fastest takes %s a step, %s for the run, "
            "%s %s\n",
            nnc_unit_text(size->missed.step_s, "s", step),
            nnc_unit_text(size->missed.run_s, "s", run), what, nnc_count_text(spent, cost));
    } else {
        nnc_buffer_print(out, "no plan fits\n");
    }
}

static void write_named(nnc_buffer *out, const char *name, const nnc_search_report *report,
                        int32_t index)
{
    const nnc_found *found = &report->sizes[index].best;
    const bool priced = !isnan(found->cost_step);
    const bool filed = isnan(report->search->base.price) && report->device->price_count > 0;
    char step[NNC_NUMBER_TEXT], run[NNC_NUMBER_TEXT], cost[NNC_NUMBER_TEXT];
    double spent = 0.0;
    const char *what = nnc_found_cost(found, &spent);
    nnc_buffer_print(out, "%s: %" PRId32 " devices, %s a step", name, found->plan.devices,
                     nnc_unit_text(found->step_s, "s", step));
    if (!isnan(found->run_s)) {
        nnc_buffer_print(out, ", %s for the run", nnc_unit_text(found->run_s, "s", run));
    }
    nnc_buffer_print(out, ", %s %s%s%s\n", what, nnc_count_text(spent, cost),
                     priced && filed ? " " : "",
                     priced && filed ? report->device->prices[0].currency : "");
}

nnc_status nnc_sizes_write(nnc_buffer *out, nnc_style style, const nnc_search_report *report)
{
    nnc_arena *arena = nnc_arena_create();
    const size_t room = report->size_count > 0 ? (size_t)report->size_count : 1;
    nnc_found *list = arena != NULL ? nnc_arena_array(arena, room, sizeof *list) : NULL;
    nnc_status status = list != NULL ? NNC_OK : NNC_NO_MEMORY;
    int32_t found = 0;
    for (int32_t i = 0; i < report->size_count && status == NNC_OK; i++) {
        if (report->sizes[i].found) {
            list[found++] = report->sizes[i].best;
        }
    }
    if (status == NNC_OK && found > 0) {
        status = nnc_found_write(out, style, list, found, true);
        nnc_buffer_byte(out, '\n');
    }
    for (int32_t i = 0; i < report->size_count && status == NNC_OK; i++) {
        if (!report->sizes[i].found) {
            write_none(out, &report->sizes[i]);
        }
    }
    if (status == NNC_OK && found > 0) {
        nnc_buffer_print(out, "%s", found < report->size_count ? "\n" : "");
        write_named(out, "fastest", report, report->fastest);
        write_named(out, "cheapest", report, report->cheapest);
    }
    nnc_arena_destroy(arena);
    return status;
}
