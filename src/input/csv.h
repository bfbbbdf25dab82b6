/* Comma-separated values, RFC 4180. */
#ifndef NNCOST_INPUT_CSV_H
#define NNCOST_INPUT_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include <nncost/status.h>

enum { NNC_CSV_CELLS_MAX = 256 };

/* A reader over text that it may change: cells are decoded in place and live as long as the text. */
typedef struct nnc_csv {
    const char *name; /* of the file, in messages */
    char *at, *end;
    long line;     /* of the next row, from 1 */
    long row_line; /* of the row read last */
    char *cells[NNC_CSV_CELLS_MAX];
    int count;
} nnc_csv;

/* text[size] must be a NUL. A byte-order mark is skipped. */
nnc_csv nnc_csv_begin(const char *name, char *text, size_t size);

/* Reads the next row that is not an empty line into cells; *more = false: there is none.
 * Fails with NNC_BAD_SPEC: a quote out of place or not closed, a NUL, too many cells. */
nnc_status nnc_csv_next(nnc_csv *csv, bool *more, nnc_error *err);

#endif
