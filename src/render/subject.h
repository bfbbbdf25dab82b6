/* The first lines of a report: what was asked for and what it was resolved to. */
#ifndef NNCOST_RENDER_SUBJECT_H
#define NNCOST_RENDER_SUBJECT_H

#include "metrics/report.h"
#include "render/sheet.h"

void nnc_sheet_subject(nnc_sheet *sheet, const nnc_report *report);

/* Who asks a price, and when: "(AWS p5.48xlarge / 8, us-east-1, 2026-09)". NULL: nothing. */
void nnc_sheet_price(nnc_sheet *sheet, const nnc_price *price);

/* Whose carbon intensity counts, of which year, and by what source. NULL: nothing. */
void nnc_sheet_region(nnc_sheet *sheet, const nnc_region *region);
void nnc_sheet_building(nnc_sheet *sheet, const nnc_building *building);

#endif
