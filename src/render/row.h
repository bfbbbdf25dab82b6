/* A row of cells as bytes: a line of CSV, JSON, Markdown or of a table, or packed for the way to a
 * database. Every line ends with '\n' and holds no other. */
#ifndef NNCOST_RENDER_ROW_H
#define NNCOST_RENDER_ROW_H

#include "base/buffer.h"
#include "base/cell.h"

typedef enum nnc_row_form {
    NNC_ROW_CSV,      /* RFC 4180, lines end with "\r\n" */
    NNC_ROW_JSON,     /* one object per line, keys are the names */
    NNC_ROW_MARKDOWN, /* names and figures as in a table */
    NNC_ROW_TABLE,    /* a line that nnc_table_put lays out */
    NNC_ROW_PACKED
} nnc_row_form;

/* Between the cells of NNC_ROW_TABLE, and before a cell that stands to the left. */
enum { NNC_TABLE_SEPARATOR = '\x1f', NNC_TABLE_LEFT = '\x01' };

/* The line above the rows; none for JSON and packed rows. */
void nnc_row_heading(nnc_buffer *out, nnc_row_form form, const char *const *names, int count);
void nnc_row_put(nnc_buffer *out, nnc_row_form form, const char *const *names,
                 const nnc_cell *cells, int count);

/* The cells of a packed row; texts point into it. */
void nnc_row_unpack(const char *packed, nnc_cell *cells, int count);

/* Starts as { .count = columns }: lays out the lines of a table as wide as its first lines need. */
enum { NNC_TABLE_COLUMNS_MAX = 256, NNC_TABLE_HELD = 1000 };
typedef struct nnc_table {
    int count;
    int widths[NNC_TABLE_COLUMNS_MAX];
    bool left[NNC_TABLE_COLUMNS_MAX];
    nnc_buffer held; /* lines until the widths are known */
    int held_count;
    bool laid_out;
} nnc_table;

/* Takes whole lines of NNC_ROW_TABLE, the heading first, and puts those that can be written. */
void nnc_table_put(nnc_table *table, const char *lines, size_t size, nnc_buffer *out);
/* Puts what is still held. */
void nnc_table_end(nnc_table *table, nnc_buffer *out);

#endif
