/* The lower half of an estimate's page. */
#ifndef NNCOST_CLI_MEMORY_TEXT_H
#define NNCOST_CLI_MEMORY_TEXT_H

#include "metrics/report.h"
#include "render/sheet.h"

/* The classes that the memory is the sum of. */
void nnc_memory_text(nnc_sheet *sheet, const nnc_memory *memory);
/* In a line of this label: fits, tight or does not fit, and the smallest changes that would. */
void nnc_fit_text(nnc_sheet *sheet, const char *label, const nnc_report *report);
/* Prices, each with its source. */
void nnc_cost_text(nnc_sheet *sheet, const nnc_report *report);

#endif
