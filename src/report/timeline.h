/* What every stage does when. */
#ifndef NNCOST_REPORT_TIMELINE_H
#define NNCOST_REPORT_TIMELINE_H

#include "report/record.h"
#include "report/report.h"

nnc_status nnc_timeline_write_text(FILE *out, nnc_style style, const nnc_report *report);

/* Writes one interval as members of the object that is open. */
void nnc_record_interval(nnc_record *record, const nnc_interval *interval);

#endif
