/* The stages of a pipeline, side by side. */
#ifndef NNCOST_REPORT_STAGES_H
#define NNCOST_REPORT_STAGES_H

#include "base/arena.h"
#include "report/record.h"
#include "report/report.h"

nnc_status nnc_stages_write_text(FILE *out, nnc_style style, nnc_arena *arena,
                                 const nnc_report *report);

/* Writes one stage as members of the object that is open. */
void nnc_record_stage(nnc_record *record, const nnc_report *report, int32_t index);

#endif
