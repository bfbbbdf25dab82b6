/* Rows and columns of text, for people. A table that may be longer than memory is laid out by its
 * first rows, the others follow as they come. */
#ifndef NNCOST_RENDER_TABLE_H
#define NNCOST_RENDER_TABLE_H

#include "render/format.h"

enum { NNC_TABLE_COLUMNS = 256, NNC_TABLE_HELD = 1000 };

struct nnc_table {
    nnc_head heads[NNC_TABLE_COLUMNS];
    int count;
    nnc_buffer cells; /* row by row; each text ends with a NUL */
    int64_t cell_count;
    int widths[NNC_TABLE_COLUMNS];                           /* 0 = left out */
    bool cut[NNC_TABLE_COLUMNS], dropped[NNC_TABLE_COLUMNS]; /* for want of width */
    int gap;                                                 /* blanks between columns */
    bool laid_out;
};

/* Starts as { .count = 0 }, or by heads whose texts outlive it; ends with nnc_table_write. */
void nnc_table_begin(nnc_table *table, const nnc_head *heads, int count);
void nnc_table_head(nnc_table *table, nnc_head head);
/* Those of a table's rows that have one. */
void nnc_table_heads(nnc_table *table, const nnc_metrics *metrics);

/* Appends a cell; rows fill up from the left. */
void nnc_table_cell(nnc_table *table, const char *text);
void nnc_table_number(nnc_table *table, double value, const char *unit); /* "12.30 ms", "-" */
void nnc_table_whole(nnc_table *table, int64_t whole);
void nnc_table_share(nnc_table *table, double share); /* "41.2%", "-" */
/* The cells of a record, of those of its rows that have a head. */
void nnc_table_record(nnc_table *table, const nnc_metrics *metrics, const nnc_place *place);
/* The cells of all records that are listed. */
void nnc_table_records(nnc_table *table, nnc_lines lines);
int64_t nnc_table_rows(const nnc_table *table);

/* Writes the table and frees it. */
void nnc_table_write(nnc_table *table, nnc_buffer *out, nnc_style style);

/* The same at once: heads and records. */
void nnc_table_of(nnc_buffer *out, nnc_style style, nnc_lines lines);

/* The same under a heading; false, and nothing is written, when there is no record. */
bool nnc_table_under(nnc_buffer *out, nnc_style style, nnc_lines lines, const char *heading);

/* Takes whole lines as format->line puts them, and writes those that can be written; all of them, where
 * the format does not hold lines. */
void nnc_table_put(nnc_table *table, nnc_buffer *out, nnc_style style, const char *lines,
                   size_t size);

#endif
