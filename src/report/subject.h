/* The first lines of a report: what was asked for and what it was resolved to. */
#ifndef NNCOST_REPORT_SUBJECT_H
#define NNCOST_REPORT_SUBJECT_H

#include "report/sheet.h"

void nnc_sheet_subject(nnc_sheet *sheet, const nnc_report *report);

#endif
