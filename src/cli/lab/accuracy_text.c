#include "cli/lab/accuracy_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/grid.h"
#include "render/sheet.h"
#include "render/text.h"

const char *nnc_accuracy_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static const char *const section_titles[NNC_SECTION_COUNT] = {
    [NNC_SECTION_STEP] = "steps",
    [NNC_SECTION_STEP_APART] = "steps that leave a deciding field open",
    [NNC_SECTION_MEMORY] = "peak memory, allocated",
    [NNC_SECTION_MEMORY_APART] = "peak memory of other kinds, or with a deciding field open",
    [NNC_SECTION_GEMM] = "matrix products",
    [NNC_SECTION_ATTENTION] = "attention kernels",
    [NNC_SECTION_VECTOR] = "norms, softmax, activations",
    [NNC_SECTION_COLLECTIVE] = "collectives of 1 MB and more",
    [NNC_SECTION_COLLECTIVE_SMALL] = "collectives below 1 MB",
    [NNC_SECTION_RANK_MEMORY] = "memory of single ranks",
};

const char *nnc_accuracy_group_name(const nnc_score_group *group)
{
    return group->by == NNC_SCORE_BY_FILE ? nnc_accuracy_file_name(group->name) : group->name;
}

static bool of_memory(nnc_score_section section)
{
    return section == NNC_SECTION_MEMORY || section == NNC_SECTION_MEMORY_APART;
}

double nnc_accuracy_worst(const nnc_score_group *group)
{
    const nnc_scored *worst = group->stats.worst;
    return worst == NULL               ? (double)NAN
           : of_memory(group->section) ? worst->memory_error
                                       : worst->error;
}

/* "+12.3%", "-" for NaN. */
static const char *signed_text(double share, char text[NNC_NUMBER_TEXT])
{
    if (isnan(share)) {
        return "-";
    }
    if (fabs(share) >= 100.0) {
        snprintf(text, NNC_NUMBER_TEXT, "x%.4g", share + 1.0);
    } else {
        snprintf(text, NNC_NUMBER_TEXT, "%+.1f%%", 100.0 * share);
    }
    return text;
}

static void group_row(nnc_grid *grid, const nnc_score_group *group)
{
    char text[NNC_NUMBER_TEXT];
    const nnc_score_stats *s = &group->stats;
    nnc_grid_cell(grid, nnc_score_by_name(group->by));
    nnc_grid_cell(grid, nnc_accuracy_group_name(group));
    nnc_grid_count(grid, s->rows);
    nnc_grid_count(grid, s->scored);
    nnc_grid_share(grid, s->mape);
    nnc_grid_share(grid, s->median);
    nnc_grid_share(grid, s->p90);
    nnc_grid_cell(grid, signed_text(s->bias, text));
    nnc_grid_cell(grid, nnc_percent_text(s->inside, text));
    nnc_grid_cell(grid, signed_text(nnc_accuracy_worst(group), text));
    nnc_grid_cell(grid, s->worst != NULL ? s->worst->row->id : "-");
}

static nnc_status write_section(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                                const nnc_accuracy_report *report, nnc_score_section section)
{
    static const nnc_grid_column columns[] = {
        { .head = "by", .left = true },
        { .head = "", .left = true },
        { .head = "rows" },
        { .head = "scored" },
        { .head = "MAPE" },
        { .head = "median" },
        { .head = "p90" },
        { .head = "bias" },
        { .head = "inside", .drop = 1 },
        { .head = "worst" },
        { .head = "", .left = true, .shrinks = true, .drop = 2 },
    };
    nnc_grid grid = nnc_grid_begin(arena, columns, (int)(sizeof columns / sizeof columns[0]));
    for (int32_t i = 0; i < report->group_count; i++) {
        if (report->groups[i].section == section) {
            group_row(&grid, &report->groups[i]);
        }
    }
    if (grid.count == 0) {
        return NNC_OK;
    }
    nnc_grid_heading(out, style, section_titles[section]);
    return nnc_grid_write(&grid, out, style);
}

static nnc_status write_contradictions(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                                       const nnc_accuracy_report *report)
{
    static const nnc_grid_column columns[] = {
        { .head = "row", .left = true, .shrinks = true },
        { .head = "device", .left = true, .drop = 1 },
        { .head = "measured" },
        { .head = "bound" },
        { .head = "above" },
        { .head = "left open", .left = true, .drop = 2 },
    };
    char text[NNC_NUMBER_TEXT];
    nnc_grid grid = nnc_grid_begin(arena, columns, (int)(sizeof columns / sizeof columns[0]));
    for (int32_t i = 0; i < report->count; i++) {
        const nnc_scored *scored = &report->rows[i];
        if (nnc_score_contradicts(scored)) {
            nnc_grid_cell(&grid, scored->row->id);
            nnc_grid_cell(&grid, scored->device);
            nnc_grid_cell(&grid, nnc_unit_text(scored->row->measured_s, "s", text));
            nnc_grid_cell(&grid, nnc_unit_text(scored->lower_bound_s, "s", text));
            nnc_grid_cell(&grid,
                          signed_text(scored->lower_bound_s / scored->row->measured_s - 1.0, text));
            nnc_grid_cell(&grid, scored->row->undecided);
        }
    }
    if (grid.count == 0) {
        nnc_buffer_text(out, "\nno lower bound lies above its measurement\n");
        return NNC_OK;
    }
    nnc_grid_heading(out, style, "rows whose lower bound lies above their measurement");
    return nnc_grid_write(&grid, out, style);
}

/* How many rows have this reason in this file, from row i on; 0 = an earlier row says the same. */
static int32_t count_reason(const nnc_accuracy_report *report, int32_t i)
{
    const nnc_scored *one = &report->rows[i];
    int32_t count = 0;
    for (int32_t k = 0; k < report->count; k++) {
        const nnc_scored *other = &report->rows[k];
        if (other->reason != NULL && strcmp(other->row->file, one->row->file) == 0 &&
            strcmp(other->reason, one->reason) == 0) {
            if (k < i) {
                return 0;
            }
            count++;
        }
    }
    return count;
}

static nnc_status write_reasons(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                                const nnc_accuracy_report *report)
{
    static const nnc_grid_column columns[] = {
        { .head = "rows" },
        { .head = "file", .left = true },
        { .head = "reason", .left = true, .shrinks = true },
        { .head = "the first", .left = true, .shrinks = true, .drop = 1 },
    };
    nnc_grid grid = nnc_grid_begin(arena, columns, (int)(sizeof columns / sizeof columns[0]));
    for (int32_t i = 0; i < report->count; i++) {
        const nnc_scored *scored = &report->rows[i];
        const int32_t count = scored->reason != NULL ? count_reason(report, i) : 0;
        if (count > 0) {
            nnc_grid_count(&grid, count);
            nnc_grid_cell(&grid, nnc_accuracy_file_name(scored->row->file));
            nnc_grid_cell(&grid, scored->reason);
            nnc_grid_cell(&grid, scored->row->id);
        }
    }
    if (grid.count == 0) {
        return NNC_OK;
    }
    nnc_grid_heading(out, style, "rows that cannot be expressed");
    return nnc_grid_write(&grid, out, style);
}

static nnc_status write_rows(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                             const nnc_accuracy_report *report)
{
    static const nnc_grid_column columns[] = {
        { .head = "row", .left = true },
        { .head = "device", .left = true, .drop = 2 },
        { .head = "measured" },
        { .head = "predicted" },
        { .head = "error" },
        { .head = "memory" },
        { .head = "left open, or why not", .left = true, .shrinks = true, .drop = 1 },
    };
    char text[NNC_NUMBER_TEXT];
    nnc_grid grid = nnc_grid_begin(arena, columns, (int)(sizeof columns / sizeof columns[0]));
    for (int32_t i = 0; i < report->count; i++) {
        const nnc_scored *scored = &report->rows[i];
        nnc_grid_cell(&grid, scored->row->id);
        nnc_grid_cell(&grid, scored->device != NULL ? scored->device : scored->row->device);
        nnc_grid_cell(&grid, nnc_unit_text(scored->row->measured_s, "s", text));
        nnc_grid_cell(&grid, nnc_unit_text(scored->predicted_s, "s", text));
        nnc_grid_cell(&grid, signed_text(scored->error, text));
        nnc_grid_cell(&grid, signed_text(scored->memory_error, text));
        nnc_grid_cell(&grid, scored->reason != NULL ? scored->reason : scored->row->undecided);
    }
    nnc_grid_heading(out, style, "every row");
    return nnc_grid_write(&grid, out, style);
}

/* Columns that no file's prediction uses, each once. */
static void write_unused(nnc_buffer *out, nnc_style style, const nnc_accuracy_report *report)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    bool any = false;
    nnc_buffer_byte(out, '\n');
    for (int32_t f = 0; f < report->file_count; f++) {
        for (int32_t i = 0; i < report->files[f].unused_count; i++) {
            const char *column = report->files[f].unused[i];
            bool seen = false;
            for (int32_t e = 0; e < f && !seen; e++) {
                for (int32_t k = 0; k < report->files[e].unused_count && !seen; k++) {
                    seen = strcmp(report->files[e].unused[k], column) == 0;
                }
            }
            if (!any) {
                sheet.indent = 0;
                nnc_sheet_label(&sheet, "");
                nnc_sheet_words(&sheet, "columns that no prediction uses:");
            }
            any = true;
            if (!seen) {
                nnc_sheet_words(&sheet, "%s", column);
            }
        }
    }
    if (any) {
        nnc_sheet_end(&sheet);
    }
}

nnc_status nnc_accuracy_write_text(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                                   const nnc_accuracy_report *report)
{
    int32_t scored = 0;
    nnc_status status = NNC_OK;
    for (int32_t i = 0; i < report->count; i++) {
        scored += report->rows[i].reason == NULL;
    }
    nnc_buffer_print(out, "%d rows: %d predicted, %d that cannot be expressed\n",
                     (int)report->count, (int)scored, (int)(report->count - scored));
    if (report->overrides != NULL) {
        nnc_buffer_print(out, "with %s\n", report->overrides);
    }
    for (int section = 0; section < NNC_SECTION_COUNT && status == NNC_OK; section++) {
        status = write_section(out, style, arena, report, (nnc_score_section)section);
    }
    if (status == NNC_OK) {
        status = write_contradictions(out, style, arena, report);
    }
    if (status == NNC_OK) {
        status = write_reasons(out, style, arena, report);
    }
    if (status == NNC_OK && report->all_rows) {
        status = write_rows(out, style, arena, report);
    }
    write_unused(out, style, report);
    return status;
}
