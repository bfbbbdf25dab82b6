#include <inttypes.h>
#include <math.h>

#include "cli/search/search_found.h"
#include "render/sheet.h"
#include "render/text.h"

/* Why there is no row. */
static void write_none(nnc_buffer *out, nnc_style style, const nnc_search_size *size,
                       const char *currency)
{
    char step[NNC_NUMBER_TEXT], run[NNC_NUMBER_TEXT], cost[NNC_SPENT_TEXT];
    const char *plural = size->devices == 1 ? "" : "s";
    if (size->why.status != NNC_OK) {
        nnc_sheet_line(out, style, "%" PRId32 " device%s: no legal plan, %s: %s", size->devices,
                       plural, size->why.where, size->why.what);
    } else if (size->any_missed) {
        nnc_sheet_line(out, style,
                       "%" PRId32 " device%s: misses the deadline or the budget, the fastest takes "
                       "%s a step, %s for the run, %s",
                       size->devices, plural, nnc_unit_text(size->missed.step_s, "s", step),
                       nnc_unit_text(size->missed.run_s, "s", run),
                       nnc_spent_text(&size->missed, currency, cost));
    } else {
        nnc_buffer_print(out, "%" PRId32 " device%s: no plan fits\n", size->devices, plural);
    }
}

static void write_named(nnc_buffer *out, const char *name, const nnc_search_report *report,
                        int32_t index)
{
    const nnc_found *found = &report->sizes[index].best;
    char step[NNC_NUMBER_TEXT], run[NNC_NUMBER_TEXT], cost[NNC_SPENT_TEXT];
    nnc_buffer_print(out, "%s: %" PRId32 " device%s, %s a step", name, found->plan.devices,
                     found->plan.devices == 1 ? "" : "s", nnc_unit_text(found->step_s, "s", step));
    if (!isnan(found->run_s)) {
        nnc_buffer_print(out, ", %s for the run", nnc_unit_text(found->run_s, "s", run));
    }
    nnc_buffer_print(out, ", %s\n", nnc_spent_text(found, report->currency, cost));
    if (found->command != NULL) {
        nnc_buffer_print(out, "    %s\n", found->command);
    }
}

void nnc_sizes_write(nnc_buffer *out, nnc_style style, const nnc_search_report *report)
{
    nnc_arena *arena = nnc_arena_create();
    const size_t room = report->size_count > 0 ? (size_t)report->size_count : 1;
    nnc_found *list = arena != NULL ? nnc_arena_array(arena, room, sizeof *list) : NULL;
    int32_t found = 0;
    out->failed = out->failed || list == NULL;
    for (int32_t i = 0; i < report->size_count && list != NULL; i++) {
        if (report->sizes[i].found) {
            list[found++] = report->sizes[i].best;
        }
    }
    if (found > 0) {
        nnc_found_write(out, style, list, found, report->currency, true);
        nnc_buffer_byte(out, '\n');
    }
    for (int32_t i = 0; i < report->size_count; i++) {
        if (!report->sizes[i].found) {
            write_none(out, style, &report->sizes[i], report->currency);
        }
    }
    if (found > 0) {
        nnc_buffer_text(out, found < report->size_count ? "\n" : "");
        write_named(out, "fastest", report, report->fastest);
        write_named(out, "cheapest", report, report->cheapest);
    }
    nnc_arena_destroy(arena);
}
