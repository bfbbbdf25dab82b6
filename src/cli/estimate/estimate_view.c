#include "cli/estimate/estimate_view.h"

#include <nncost/estimate.h>

#include "cli/estimate/estimate_text.h"
#include "cli/estimate/sensitivity_view.h"
#include "cli/estimate/stages_view.h"
#include "cli/estimate/timeline_view.h"
#include "render/estimate_record.h"

static void write_stages(nnc_record *record, const nnc_report *report)
{
    nnc_record_list(record, "stages");
    for (int32_t i = 0; i < report->stage_count; i++) {
        nnc_record_object(record, NULL);
        nnc_record_stage(record, report, i);
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

static void write_timeline(nnc_record *record, const nnc_report *report)
{
    nnc_record_list(record, "timeline");
    for (int64_t i = 0; i < report->interval_count; i++) {
        nnc_record_object(record, NULL);
        nnc_record_interval(record, &report->intervals[i]);
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

static void write_sensitivity(nnc_record *record, const nnc_report *report)
{
    nnc_record_list(record, "sensitivity");
    for (int i = 0; i < report->sensitivity_count; i++) {
        nnc_record_object(record, NULL);
        nnc_record_sensitivity(record, report, i);
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

static void write_json(FILE *out, const nnc_report *report)
{
    nnc_record record = nnc_record_begin(out, "nncost.estimate/1");
    nnc_record_estimate(&record, report);
    if (report->all_stages) {
        write_stages(&record, report);
    }
    if (report->intervals != NULL) {
        write_timeline(&record, report);
    }
    if (report->sensitivity != NULL) {
        write_sensitivity(&record, report);
    }
    nnc_record_list(&record, "ops");
    for (int32_t i = 0; i < report->op_count; i++) {
        if (report->ops[i].repeat > 0) { /* the busiest stage need not hold every op */
            nnc_record_object(&record, NULL);
            nnc_record_op(&record, report, &report->ops[i]);
            nnc_record_close(&record);
        }
    }
    nnc_record_close(&record);
    nnc_record_end(&record);
}

/* One table: that of the stages, of the timeline or of the sensitivity where asked for. Row -1 is the heading. */
static void write_csv(FILE *out, const nnc_report *report)
{
    nnc_record record = nnc_record_csv(out);
    const int64_t rows = report->intervals != NULL     ? report->interval_count
                         : report->all_stages          ? report->stage_count
                         : report->sensitivity != NULL ? report->sensitivity_count
                                                       : 1;
    for (int64_t i = -1; i < rows; i++) {
        const int64_t row = i < 0 ? 0 : i;
        nnc_record_row(&record, i < 0);
        if (report->intervals != NULL) {
            nnc_record_interval(&record, &report->intervals[row]);
        } else if (report->all_stages) {
            nnc_record_stage(&record, report, (int32_t)row);
        } else if (report->sensitivity != NULL) {
            nnc_record_sensitivity(&record, report, (int)row);
        } else {
            nnc_record_estimate(&record, report);
        }
        nnc_record_row_end(&record);
    }
}

nnc_status nnc_report_estimate(FILE *out, nnc_style style, const nnc_report *report)
{
    switch (style.format) {
    case NNC_FORMAT_JSON: write_json(out, report); return NNC_OK;
    case NNC_FORMAT_CSV: write_csv(out, report); return NNC_OK;
    case NNC_FORMAT_TABLE:
    case NNC_FORMAT_MARKDOWN:
    case NNC_FORMAT_COUNT: break;
    }
    return nnc_estimate_write_text(out, style, report);
}
