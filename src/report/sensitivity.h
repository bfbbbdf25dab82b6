/* The step time against the figures of the device. */
#ifndef NNCOST_REPORT_SENSITIVITY_H
#define NNCOST_REPORT_SENSITIVITY_H

#include "base/arena.h"
#include "report/record.h"
#include "report/report.h"

nnc_status nnc_sensitivity_write_text(FILE *out, nnc_style style, nnc_arena *arena,
                                      const nnc_report *report);

/* Writes one entry as members of the object that is open. */
void nnc_record_sensitivity(nnc_record *record, const nnc_report *report, int index);

#endif
