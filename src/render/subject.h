/* The first lines of a report: what was asked for and what it was resolved to. */
#ifndef NNCOST_RENDER_SUBJECT_H
#define NNCOST_RENDER_SUBJECT_H

#include "metrics/report.h"
#include "render/sheet.h"

void nnc_sheet_subject(nnc_sheet *sheet, const nnc_report *report);

#endif
