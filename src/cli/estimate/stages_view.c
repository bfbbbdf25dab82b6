#include "cli/estimate/stages_view.h"

#include "render/grid.h"
#include "render/text.h"

static void time_cell(nnc_grid *grid, double seconds)
{
    char text[NNC_NUMBER_TEXT];
    nnc_grid_cell(grid, nnc_unit_text(seconds, "s", text));
}

static void bytes_cell(nnc_grid *grid, int64_t bytes)
{
    char text[NNC_NUMBER_TEXT];
    nnc_grid_cell(grid, nnc_unit_text((double)bytes, "B", text));
}

static void count_cell(nnc_grid *grid, double count)
{
    char text[NNC_NUMBER_TEXT];
    nnc_grid_cell(grid, nnc_count_text(count, text));
}

static const char *ends_text(const nnc_stage *stage)
{
    return stage->embedding && stage->head ? "embedding, head"
           : stage->embedding              ? "embedding"
           : stage->head                   ? "head"
                                           : "";
}

/* What a stage holds, and how long it takes: of one micro-batch, then of the step. */
static nnc_status write_times(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                              const nnc_report *report)
{
    static const nnc_grid_column columns[] = {
        { .head = "stage" },
        { .head = "layers" },
        { .head = "and", .left = true, .drop = 4 },
        { .head = "params", .drop = 3 },
        { .head = "forward" },
        { .head = "backward" },
        { .head = "weight", .drop = 2 },
        { .head = "busy" },
        { .head = "bubble" },
        { .head = "in flight" },
        { .head = "", .left = true, .drop = 1 },
    };
    nnc_grid grid = nnc_grid_begin(arena, columns, sizeof columns / sizeof columns[0]);
    for (int32_t i = 0; i < report->stage_count; i++) {
        const nnc_stage *stage = &report->stages[i];
        char text[NNC_NUMBER_TEXT];
        count_cell(&grid, i);
        count_cell(&grid, (double)stage->layers);
        nnc_grid_cell(&grid, ends_text(stage));
        nnc_grid_cell(&grid, nnc_scaled_text((double)stage->params, text));
        time_cell(&grid, stage->forward_s);
        time_cell(&grid, stage->backward_s);
        nnc_grid_cell(&grid, stage->weight_s > 0 ? nnc_unit_text(stage->weight_s, "s", text) : "-");
        time_cell(&grid, stage->busy_s);
        time_cell(&grid, stage->bubble_s);
        count_cell(&grid, stage->in_flight);
        nnc_grid_cell(&grid, i == report->result->stage ? "busiest" : "");
    }
    return nnc_grid_write(&grid, out, style);
}

static nnc_status write_memory(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                               const nnc_report *report)
{
    static const nnc_grid_column columns[] = {
        { .head = "stage" },
        { .head = "weights" },
        { .head = "gradients" },
        { .head = "optimizer" },
        { .head = "activations" },
        { .head = "transient", .drop = 2 },
        { .head = "reserve", .drop = 1 },
        { .head = "total" },
        { .head = "of device", .drop = 3 },
        { .head = "fits", .left = true },
    };
    nnc_grid grid = nnc_grid_begin(arena, columns, sizeof columns / sizeof columns[0]);
    for (int32_t i = 0; i < report->stage_count; i++) {
        const nnc_memory *memory = &report->stages[i].memory;
        char text[NNC_NUMBER_TEXT];
        count_cell(&grid, i);
        bytes_cell(&grid, memory->weight_bytes);
        bytes_cell(&grid, memory->gradient_bytes);
        bytes_cell(&grid, memory->optimizer_bytes);
        bytes_cell(&grid, memory->activation_bytes);
        bytes_cell(&grid, memory->transient_bytes);
        bytes_cell(&grid, memory->reserve_bytes);
        bytes_cell(&grid, memory->total_bytes);
        nnc_grid_cell(
            &grid,
            nnc_percent_text((double)memory->total_bytes / (double)memory->capacity_bytes, text));
        nnc_grid_cell(&grid, memory->headroom_bytes >= 0 ? "yes" : "NO");
    }
    return nnc_grid_write(&grid, out, style);
}

nnc_status nnc_stages_write_text(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                                 const nnc_report *report)
{
    const nnc_status status = write_times(out, style, arena, report);
    nnc_buffer_byte(out, '\n');
    return status == NNC_OK ? write_memory(out, style, arena, report) : status;
}
