#include "cli/estimate/stages_view.h"

#include "render/table.h"

NNC_GET(get_stage, void, nnc_whole_cell(place->index))

NNC_GET(get_share, nnc_stage,
        nnc_number_cell((double)self->memory.total_bytes / (double)self->memory.capacity_bytes))

NNC_GET(get_fits, nnc_stage, nnc_text_cell(self->memory.headroom_bytes >= 0 ? "yes" : "NO"))

/* The parts of a stage's memory, beside which its times have a table of their own. */
static const nnc_metric memory_rows[] = {
    NNC_HEAD("stage", WHOLE, .get = get_stage),
    NNC_ROWS(&nnc_memory_metrics, NNC_IN(nnc_stage, memory)),
    NNC_HEAD("of device", NUMBER, .get = get_share, .show = NNC_SHOW_PERCENT, .drop = 3),
    NNC_HEAD("fits", TEXT, .get = get_fits),
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
