/* The parts of a report as HTML. */
#ifndef NNCOST_CLI_REPORT_REPORT_PAGE_H
#define NNCOST_CLI_REPORT_REPORT_PAGE_H

#include "cli/command.h"
#include "metrics/report.h"
#include "record/check_report.h"
#include "search/search_task.h"

/* Verdict, pictures, figures, ops and sources of one estimate. */
nnc_status nnc_report_estimate_html(nnc_session *session, const nnc_report *report, nnc_error *err);
/* The front, or how it scales, and the plans. */
nnc_status nnc_report_search_html(nnc_session *session, const nnc_search_report *report,
                                  nnc_error *err);
/* What differs between two recordings. */
void nnc_report_diff_html(nnc_session *session, const nnc_check_report *report);
/* The command that makes the page again, and what made it. */
void nnc_report_foot_html(nnc_session *session);

#endif
