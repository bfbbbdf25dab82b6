/* Named values, written as JSON or as CSV: one list of names serves both. In CSV nested names are
 * joined by '.', and the same calls run once for the heading and once per row. */
#ifndef NNCOST_RENDER_RECORD_H
#define NNCOST_RENDER_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

enum { NNC_RECORD_DEPTH = 8 };

typedef struct nnc_record {
    nnc_buffer *out;
    bool csv;
    bool heading; /* CSV: write the names */
    bool exact;   /* numbers with 17 digits, for a program that goes on from them; else 12 */
    int depth;
    int32_t members[NNC_RECORD_DEPTH]; /* written at each depth */
    bool list[NNC_RECORD_DEPTH];
    char prefix[128]; /* CSV: names of the objects around, "memory." */
} nnc_record;

/* JSON: one document, from nnc_record_begin to nnc_record_end. */
nnc_record nnc_record_begin(nnc_buffer *out, const char *schema);
void nnc_record_end(nnc_record *record);

/* CSV: nnc_record_csv once, then nnc_record_row before the values of every row, the first of which
 * is the heading; nnc_record_row_end after them. */
nnc_record nnc_record_csv(nnc_buffer *out);
void nnc_record_row(nnc_record *record, bool heading);
void nnc_record_row_end(nnc_record *record);

/* key: NULL inside a list. */
void nnc_record_object(nnc_record *record, const char *key);
void nnc_record_list(nnc_record *record, const char *key);
void nnc_record_close(nnc_record *record);
void nnc_record_text(nnc_record *record, const char *key, const char *text); /* NULL = null */
void nnc_record_number(nnc_record *record, const char *key, double value);   /* NaN = null */
void nnc_record_whole(nnc_record *record, const char *key, int64_t value);
void nnc_record_bool(nnc_record *record, const char *key, bool value);
void nnc_record_null(nnc_record *record, const char *key);

/* A text in quotes, as JSON wants it. */
void nnc_put_json_text(nnc_buffer *out, const char *text);

#endif
