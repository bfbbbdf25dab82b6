/* Named values, written as JSON or as CSV: one list of names serves both. In CSV nested names are
 * joined by '.', and the same calls run once for the heading and once per row. */
#ifndef NNCOST_RENDER_RECORD_H
#define NNCOST_RENDER_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cell.h"

enum { NNC_RECORD_DEPTH = 8, NNC_CAPTURE_TEXT = 2048 };

/* Where chosen values of a row go instead of being written: number i, as CSV counts its columns, to
 * cells[slots[i]]; a negative slot leaves it out. */
typedef struct nnc_capture {
    const int32_t *slots;
    int32_t count;
    nnc_cell *cells;
    char text[NNC_CAPTURE_TEXT]; /* copies of the texts, until the next row */
    size_t text_size;
} nnc_capture;

typedef struct nnc_record {
    FILE *out;
    bool csv;
    bool heading; /* CSV: write the names */
    bool exact;   /* numbers with 17 digits, for a program that goes on from them; else 12 */
    int depth;
    int32_t members[NNC_RECORD_DEPTH]; /* written at each depth */
    bool list[NNC_RECORD_DEPTH];
    char prefix[128];     /* CSV: names of the objects around, "memory." */
    nnc_capture *capture; /* CSV: values are kept, not written; NULL = written */
} nnc_record;

/* JSON: one document, from nnc_record_begin to nnc_record_end. */
nnc_record nnc_record_begin(FILE *out, const char *schema);
void nnc_record_end(nnc_record *record);

/* CSV: nnc_record_csv once, then nnc_record_row before the values of every row, the first of which
 * is the heading; nnc_record_row_end after them. */
nnc_record nnc_record_csv(FILE *out);
void nnc_record_row(nnc_record *record, bool heading);
void nnc_record_row_end(nnc_record *record);

/* CSV whose values go to a capture: nnc_record_row, then the values. */
nnc_record nnc_record_captured(nnc_capture *capture);

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
void nnc_put_json_text(FILE *out, const char *text);

#endif
