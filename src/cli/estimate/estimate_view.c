#include "cli/estimate/estimate_view.h"

#include "cli/estimate/estimate_text.h"

/* One table: that of the timeline, the stages or the sensitivity where asked for. */
static nnc_lines lines_of(const void *record)
{
    const nnc_report *report = record;
    if (report->intervals != NULL) {
        return (nnc_lines){ &nnc_interval_metrics, report, report->intervals,
                            report->interval_count };
    }
    if (report->all_stages) {
        return (nnc_lines){ &nnc_stage_metrics, report, report->stages, report->stage_count };
    }
    if (report->sensitivity != NULL) {
        return (nnc_lines){ &nnc_sensitivity_metrics, report, report->sensitivity,
                            report->sensitivity_count };
    }
    return (nnc_lines){ &nnc_estimate_metrics, NULL, report, 1 };
}

const nnc_view nnc_estimate_view = { .schema = "nncost.estimate/1",
                                     .document = &nnc_estimate_document,
                                     .lines = lines_of,
                                     .page = nnc_estimate_page };
