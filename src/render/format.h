/* The forms that an output can have: each is a file format_<name>.c with one row. A command hands over
 * a view of its result; the rows say what becomes of it. */
#ifndef NNCOST_RENDER_FORMAT_H
#define NNCOST_RENDER_FORMAT_H

#include "base/buffer.h"
#include "metrics/metric.h"

/* A column of lines, or of a table. */
typedef struct nnc_head {
    const char *name; /* for programs: "step.step_s" */
    const char *text; /* for people: "step_s"; NULL = not shown to them */
    const char *unit; /* NULL = none */
    nnc_show show;
    bool left;    /* text to the left; numbers stand to the right */
    bool shrinks; /* cut where the line would be too long */
    int drop;     /* left out where even that is too long, lowest first; 0 = never */
} nnc_head;

typedef struct nnc_heads {
    const nnc_head *list;
    int count;
} nnc_heads;

typedef struct nnc_format nnc_format;

/* How to write. width and colour only matter to a terminal. */
typedef struct nnc_style {
    const nnc_format *format;
    int width; /* columns of the terminal */
    bool colour;
} nnc_style;

/* A result as it is shown; functions get the record it is of. */
typedef struct nnc_view {
    const char *schema;                     /* "nncost.estimate/1" */
    const nnc_metrics *document;            /* all of it, as one object */
    bool exact;                             /* for a program that goes on from it */
    nnc_lines (*lines)(const void *record); /* the part of it that is a table */
    void (*page)(nnc_buffer *out, nnc_style style, const void *record); /* for people */
} nnc_view;

typedef struct nnc_sheet nnc_sheet;
typedef struct nnc_table nnc_table;

/* How the parts of a page are put. */
typedef struct nnc_page {
    void (*label)(nnc_sheet *sheet, const char *label);
    void (*text)(nnc_sheet *sheet, const char *text); /* after what stands on the line */
    void (*heading)(nnc_buffer *out, const char *text);
    void (*table)(nnc_buffer *out, nnc_style style, nnc_table *table);
    void (*below)(nnc_buffer *out, nnc_style style,
                  const nnc_table *table); /* at its end; NULL = nothing */
    bool wraps;                            /* lines end at the width */
} nnc_page;

struct nnc_format {
    const char *name; /* as --format takes it */
    void (*view)(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record);
    /* Lines one by one, of an output that may be longer than memory; heading NULL: they have none. */
    void (*heading)(nnc_buffer *out, nnc_heads heads);
    void (*line)(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells);
    bool documents;       /* several results are written as a list of documents, not as one table */
    bool held;            /* lines are cells, which nnc_table_put lays out */
    const nnc_page *page; /* NULL: a form for programs */
};

/* The order of --format's list; the first is the default. */
enum { NNC_FORMAT_COUNT = 4 };
extern const nnc_format *const nnc_formats[NNC_FORMAT_COUNT];
extern const nnc_format nnc_format_table, nnc_format_json, nnc_format_csv, nnc_format_markdown;
const char *nnc_format_name(unsigned index); /* "?" past the last */

/* Writes a view; out remembers what went wrong. */
void nnc_view_write(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record);

#endif
