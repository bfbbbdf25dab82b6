/* Small pieces of text that reports are made of. */
#ifndef NNCOST_RENDER_TEXT_H
#define NNCOST_RENDER_TEXT_H

#include "base/buffer.h"
#include "base/number.h"
#include "render/format.h"

/* "1,557,611,200", "16.73", "0.0001234": thousands apart from 1000 up, four significant digits
 * below; "-" for NaN. Returns text. */
char *nnc_count_text(double value, char text[NNC_NUMBER_TEXT]);

/* 0.1234 -> "12.3%", "-" for NaN. Returns text. */
char *nnc_percent_text(double share, char text[NNC_NUMBER_TEXT]);

/* nnc_unit_text for a column whose heading names the unit: "386.5 G". Returns text. */
char *nnc_scaled_text(double value, char text[NNC_NUMBER_TEXT]);

/* 8.59e10 -> "80.00 GiB", from KiB to TiB. Returns text. */
char *nnc_binary_text(double bytes, char text[NNC_NUMBER_TEXT]);

/* 0.1234 -> "+12.3%", "x11.5" from ten times up, "-" for NaN. Returns text. */
char *nnc_error_text(double error, char text[NNC_NUMBER_TEXT]);

/* A cell as people read it: "-" where there is nothing, "yes" and "no". Returns text, or the cell's. */
const char *nnc_cell_text(const nnc_cell *cell, nnc_show show, const char *unit,
                          char text[NNC_METRIC_TEXT_MAX]);

/* The column of a metric under a name in full, the last part of which is its heading. */
nnc_head nnc_head_of(const nnc_metric *metric, const char *name);

/* Columns that a UTF-8 text takes on a terminal, wide characters aside. */
int nnc_text_width(const char *text);

/* Writes at most max columns of text, control characters as '?'. */
void nnc_put_plain(nnc_buffer *out, const char *text, int max);

/* Writes text with the characters escaped that Markdown would take for markup, '|' included. */
void nnc_put_markdown(nnc_buffer *out, const char *text);

#endif
