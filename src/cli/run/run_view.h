/* A whole run. */
#ifndef NNCOST_CLI_RUN_RUN_VIEW_H
#define NNCOST_CLI_RUN_RUN_VIEW_H

#include "metrics/report.h"
#include "render/format.h"

/* Of an nnc_report with a run; of one without an estimate, where result is NULL. */
extern const nnc_view nnc_run_view, nnc_bare_run_view;

/* What a budget buys. */
extern const nnc_view nnc_budget_view;

/* What its input takes, where something is said of it. */
void nnc_run_input_lines(nnc_buffer *out, nnc_style style, const nnc_run *run);

/* The run's lines, at the end of another page. */
void nnc_run_lines(nnc_buffer *out, nnc_style style, const nnc_report *report);

#endif
