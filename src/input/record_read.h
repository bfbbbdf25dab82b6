/* Reading back what was written by a table of metrics. */
#ifndef NNCOST_INPUT_RECORD_READ_H
#define NNCOST_INPUT_RECORD_READ_H

#include "input/json.h"
#include "metrics/metric.h"

/* Asked first for each row of an object; true: it has read the value, which may be absent, itself. record: what
 * the row is of. */
typedef bool nnc_record_take(nnc_json object, const nnc_metric *row, nnc_json value, void *record);

/* Reads the members that the table names, in its order, into a record, which starts zeroed and whose
 * pointers to other records are set; texts and lists are put into the document's arena. A member that is
 * worked out is left alone. A number that is null is NaN, an object that is null stays zeroed. Faults for
 * what does not suit, or is missing though it stands where what was read so far says it does. */
void nnc_record_read(nnc_json object, const nnc_metrics *metrics, void *record,
                     nnc_record_take *take);

#endif
