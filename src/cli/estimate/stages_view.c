#include "cli/estimate/stages_view.h"

#include "render/table.h"

static nnc_cell get_stage(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = place->index };
}

static nnc_cell get_share(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_stage *stage = place->record;
    (void)text;
    return nnc_number_cell((double)stage->memory.total_bytes /
                           (double)stage->memory.capacity_bytes);
}

static nnc_cell get_fits(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_stage *stage = place->record;
    (void)text;
    return nnc_text_cell(stage->memory.headroom_bytes >= 0 ? "yes" : "NO");
}

/* The parts of a stage's memory, beside which its times have a table of their own. */
static const nnc_metric memory_rows[] = {
    { .head = "stage", .type = NNC_METRIC_WHOLE, .get = get_stage },
    { .type = NNC_METRIC_OBJECT, NNC_IN(nnc_stage, memory), .rows = &nnc_memory_metrics },
    { .head = "of device",
      .type = NNC_METRIC_NUMBER,
      .get = get_share,
      .show = NNC_SHOW_PERCENT,
      .drop = 3 },
    { .head = "fits", .type = NNC_METRIC_TEXT, .get = get_fits },
};
static const nnc_metrics memory = NNC_METRICS("memory of a stage", memory_rows, nnc_stage);

void nnc_stages_write(nnc_buffer *out, nnc_style style, const nnc_report *report)
{
    nnc_lines lines = { &nnc_stage_time_metrics, report, report->stages, report->stage_count };
    nnc_table_of(out, style, lines);
    nnc_buffer_byte(out, '\n');
    lines.metrics = &memory;
    nnc_table_of(out, style, lines);
}
