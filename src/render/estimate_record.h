/* The names and values of an estimate, for JSON and CSV. */
#ifndef NNCOST_RENDER_ESTIMATE_RECORD_H
#define NNCOST_RENDER_ESTIMATE_RECORD_H

#include "metrics/report.h"
#include "render/record.h"

/* Writes model, device, plan, work, step, throughput, memory and cost as members of the object that
 * is open; advice only in JSON. */
void nnc_record_estimate(nnc_record *record, const nnc_report *report);

/* Writes how a plan divides the work as members of the object that is open. */
void nnc_record_degrees(nnc_record *record, const nnc_plan *plan);

/* Writes the parts of a device's memory and their sum as members of the object that is open. */
void nnc_record_memory_parts(nnc_record *record, const nnc_memory *memory);

/* Writes one op of the list as members of the object that is open. */
void nnc_record_op(nnc_record *record, const nnc_report *report, const nnc_op_cost *cost);

#endif
