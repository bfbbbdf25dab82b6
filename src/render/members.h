/* Records written as their tables say: the members of a JSON object, the lines of a CSV file. */
#ifndef NNCOST_RENDER_MEMBERS_H
#define NNCOST_RENDER_MEMBERS_H

#include "metrics/metric.h"
#include "render/record.h"

/* A cell as a member of the object or row that is open. */
void nnc_record_cell(nnc_record *record, const char *key, const nnc_cell *cell);

/* All members of a record, into the JSON object that is open. */
void nnc_record_members(nnc_record *record, const nnc_metrics *metrics, const nnc_place *place);

/* A list of count records that follow each other, as a member of the object that is open. */
void nnc_record_list_of(nnc_record *record, const char *key, const nnc_metrics *metrics,
                        const void *owner, const void *records, int64_t count);

/* The same as one line of CSV; place NULL: the heading. */
void nnc_record_columns(nnc_record *record, nnc_columns columns, const nnc_place *place);

/* A CSV file of count records that follow each other, those that are listed at all. Fails with
 * NNC_NO_MEMORY. */
nnc_status nnc_record_lines(nnc_buffer *out, const nnc_metrics *metrics, const void *owner,
                            const void *records, int64_t count);

#endif
