/* The step of an estimate in a line or two. */
#ifndef NNCOST_CLI_ESTIMATE_STEP_TEXT_H
#define NNCOST_CLI_ESTIMATE_STEP_TEXT_H

#include "metrics/report.h"
#include "render/sheet.h"

/* The step, where measurements of it fall, and how near earlier predictions of its kind came. */
void nnc_step_text(nnc_sheet *sheet, const nnc_report *report);

#endif
