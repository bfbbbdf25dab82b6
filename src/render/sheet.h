/* Lines of the form "label   item, item, item", wrapped at the terminal's width, or as a Markdown
 * list. */
#ifndef NNCOST_RENDER_SHEET_H
#define NNCOST_RENDER_SHEET_H

#include "render/format.h"

typedef enum nnc_ink { NNC_INK_PLAIN, NNC_INK_STRONG, NNC_INK_GOOD, NNC_INK_BAD } nnc_ink;

struct nnc_sheet {
    nnc_buffer *out;
    nnc_style style;
    int indent; /* width of the labels */
    int column; /* where the next character goes */
    int items;  /* on the current line so far */
};

nnc_sheet nnc_sheet_begin(nnc_buffer *out, nnc_style style);

/* Starts a line; a label that is empty or indented continues the one above. */
void nnc_sheet_label(nnc_sheet *sheet, const char *label);
/* Adds an item, which is never broken: ", " stands before all but the first. */
void nnc_sheet_item(nnc_sheet *sheet, nnc_ink ink, const char *format, ...) NNC_PRINTF(3, 4);
/* The same without the comma. */
void nnc_sheet_phrase(nnc_sheet *sheet, nnc_ink ink, const char *format, ...) NNC_PRINTF(3, 4);
/* Adds running text, broken between words. */
void nnc_sheet_words(nnc_sheet *sheet, const char *format, ...) NNC_PRINTF(2, 3);
void nnc_sheet_end(nnc_sheet *sheet);
/* A line by itself, broken between words at the width of a terminal. */
void nnc_sheet_line(nnc_buffer *out, nnc_style style, const char *format, ...) NNC_PRINTF(3, 4);
/* An empty line. */
void nnc_sheet_gap(nnc_sheet *sheet);

/* A heading of what follows, after an empty line. */
void nnc_sheet_heading(nnc_buffer *out, nnc_style style, const char *text);

#endif
