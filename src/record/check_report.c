#include "record/check_report.h"

#include <stdio.h>

#include "base/error.h"

int32_t nnc_check_missed(const nnc_check_row *row)
{
    int32_t missed = 0;
    for (int32_t i = 0; i < row->verdict_count; i++) {
        missed += !row->verdicts[i].met;
    }
    return missed;
}

bool nnc_check_row_moved(const nnc_check_row *row)
{
    return row->state == NNC_CHECK_MOVED || row->state == NNC_CHECK_ADDED ||
           row->state == NNC_CHECK_REMOVED;
}

bool nnc_check_row_failed(const nnc_check_report *report, const nnc_check_row *row)
{
    return (nnc_check_row_moved(row) && !report->updated) || nnc_check_missed(row) > 0;
}

nnc_check_sum nnc_check_sum_of(const nnc_check_report *report)
{
    nnc_check_sum sum = { .passed = true };
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        sum.states[row->state]++;
        sum.requirements += row->verdict_count;
        sum.missed += nnc_check_missed(row);
        sum.passed = sum.passed && !nnc_check_row_failed(report, row);
    }
    return sum;
}

void nnc_check_summary(const nnc_check_report *report, char *text, size_t size)
{
    const nnc_check_sum sum = nnc_check_sum_of(report);
    size_t used = 0;
    text[0] = '\0';
    for (int state = 0; state < NNC_CHECK_STATE_COUNT && used < size; state++) {
        if (sum.states[state] > 0) {
            const int n = snprintf(
                text + used, size - used, "%s%d %s", used > 0 ? ", " : "", sum.states[state],
                state == NNC_CHECK_SAME ? "as recorded"
                                        : nnc_check_state_name((nnc_check_state)state));
            used += n > 0 ? (size_t)n : 0;
        }
    }
    if (sum.requirements > 0 && used < size) {
        snprintf(text + used, size - used,
                 sum.missed > 0 ? "; %d of %d requirements missed" : "; %d of %d requirements met",
                 sum.missed > 0 ? sum.missed : sum.requirements, sum.requirements);
    }
}

nnc_status nnc_check_list_changes(nnc_arena *arena, nnc_check_report *report, nnc_error *err)
{
    size_t count = 0;
    for (int32_t i = 0; i < report->row_count; i++) {
        count += (size_t)report->rows[i].change_count;
    }
    nnc_check_line *lines = nnc_arena_array(arena, count + 1, sizeof *lines);
    if (lines == NULL) {
        return nnc_no_memory(err);
    }
    report->lines = lines;
    report->line_count = 0;
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        for (int32_t k = 0; k < row->change_count; k++) {
            lines[report->line_count++] = (nnc_check_line){ row, &row->changes[k] };
        }
    }
    return NNC_OK;
}
