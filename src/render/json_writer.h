/* A JSON document, value by value. Its own members and the elements of its lists get a line each, the
 * rest runs on. */
#ifndef NNCOST_RENDER_JSON_WRITER_H
#define NNCOST_RENDER_JSON_WRITER_H

#include "base/buffer.h"
#include "base/json_text.h"
#include "metrics/metric.h"

enum { NNC_RECORD_DEPTH = 20 };

typedef struct nnc_record {
    nnc_buffer *out;
    bool exact; /* numbers with 17 digits, for a program that goes on from them; else 12 */
    int depth;
    int32_t members[NNC_RECORD_DEPTH]; /* written at each depth */
    bool list[NNC_RECORD_DEPTH];
} nnc_record;

/* One document, from nnc_record_begin to nnc_record_end. */
nnc_record nnc_record_begin(nnc_buffer *out, const char *schema);
void nnc_record_end(nnc_record *record);

/* key: NULL inside a list. */
void nnc_record_object(nnc_record *record, const char *key);
void nnc_record_list(nnc_record *record, const char *key);
void nnc_record_close(nnc_record *record);
void nnc_record_text(nnc_record *record, const char *key, const char *text); /* NULL = null */
void nnc_record_number(nnc_record *record, const char *key, double value);   /* NaN = null */
void nnc_record_whole(nnc_record *record, const char *key, int64_t value);
void nnc_record_bool(nnc_record *record, const char *key, bool value);
void nnc_record_json(nnc_record *record, const char *key, const char *json); /* as it stands */
void nnc_record_null(nnc_record *record, const char *key);
void nnc_record_cell(nnc_record *record, const char *key, const nnc_cell *cell);

/* All members of a record, as its table says, into the object that is open. */
void nnc_record_members(nnc_record *record, const nnc_metrics *metrics, const nnc_place *place);

/* A value as JSON has it. */
void nnc_put_json_cell(nnc_buffer *out, const nnc_cell *cell);

#endif
