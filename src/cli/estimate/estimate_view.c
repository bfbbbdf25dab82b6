#include "cli/estimate/estimate_view.h"

#include <nncost/estimate.h>

#include "cli/estimate/estimate_text.h"
#include "render/members.h"

static void write_json(nnc_buffer *out, const nnc_report *report)
{
    const nnc_place place = { .record = report };
    nnc_record record = nnc_record_begin(out, "nncost.estimate/1");
    nnc_record_members(&record, &nnc_estimate_document, &place);
    nnc_record_end(&record);
}

/* One table: that of the timeline, the stages or the sensitivity where asked for. */
static nnc_status write_csv(nnc_buffer *out, const nnc_report *report)
{
    if (report->intervals != NULL) {
        return nnc_record_lines(out, &nnc_interval_metrics, report, report->intervals,
                                report->interval_count);
    }
    if (report->all_stages) {
        return nnc_record_lines(out, &nnc_stage_metrics, report, report->stages,
                                report->stage_count);
    }
    if (report->sensitivity != NULL) {
        return nnc_record_lines(out, &nnc_sensitivity_metrics, report, report->sensitivity,
                                report->sensitivity_count);
    }
    return nnc_record_lines(out, &nnc_estimate_metrics, NULL, report, 1);
}

nnc_status nnc_report_estimate(nnc_buffer *out, nnc_style style, const nnc_report *report)
{
    switch (style.format) {
    case NNC_FORMAT_JSON: write_json(out, report); return NNC_OK;
    case NNC_FORMAT_CSV: return write_csv(out, report);
    case NNC_FORMAT_TABLE:
    case NNC_FORMAT_MARKDOWN:
    case NNC_FORMAT_COUNT: break;
    }
    return nnc_estimate_write_text(out, style, report);
}
