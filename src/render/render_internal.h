/* Writers: one result in the forms that people and programs read.
 *
 *     view (schema, metrics table, page)  --nnc_view_write-->  table | json | csv | markdown | html
 *                                                                |
 *     page rows: "MFU {throughput.mfu}"   --nnc_sheet_rows-->  sheet (label  item, item, ...)
 *     records of a metrics table          --nnc_table_of---->  table (columns)
 *
 * A command hands over an nnc_view of its result. Programs get the metrics table as it stands. People get the
 * view's page: lines of a sheet, and tables. The format's nnc_page says how lines and tables are put. */
#ifndef NNCOST_RENDER_RENDER_INTERNAL_H
#define NNCOST_RENDER_RENDER_INTERNAL_H

#include "base/base_internal.h"
#include "metrics/metrics_internal.h"

/* ---- formats and views: formats.c ---- */

/* A column of lines, or of a table. */
typedef struct nnc_head {
    const char *name; /* for programs: "step.step_s" */
    const char *text; /* for people: "step_s"; NULL = a page does not show the column */
    const char *unit; /* NULL = none */
    nnc_show show;
    bool left;    /* align left, as text; numbers align right */
    bool shrinks; /* cut where the line would be too long */
    int drop;     /* leave the column out where even that is too long, lowest first; 0 = never */
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
    const char *mark; /* description of implausible input; NULL or "" = none */
} nnc_style;

/* How a result is shown. record: the result, of the type that `document` describes. */
typedef struct nnc_view {
    const char *schema;                     /* "nncost.estimate/1" */
    const nnc_metrics *document;            /* the whole result as one object */
    bool exact;                             /* JSON numbers with 17 digits, for a program that computes with them */
    nnc_lines (*lines)(const void *record); /* the part of the result that is a table, for CSV; NULL = the document, as
                      * one line */
    void (*page)(nnc_buffer *out, nnc_style style, const void *record); /* for people */
} nnc_view;

typedef struct nnc_sheet nnc_sheet;
typedef struct nnc_table nnc_table;

/* How a format puts the parts of a page. */
typedef struct nnc_page {
    void (*label)(nnc_sheet *sheet, const char *label);
    void (*text)(nnc_sheet *sheet, const char *text); /* appends to the current line */
    void (*heading)(nnc_buffer *out, const char *text);
    void (*table)(nnc_buffer *out, nnc_style style, nnc_table *table);
    void (*below)(nnc_buffer *out, nnc_style style, const nnc_table *table); /* writes below a table; NULL = nothing */
    bool wraps;                                                              /* lines end at the width */
} nnc_page;

struct nnc_format {
    const char *name; /* value of --format */
    void (*view)(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record);
    /* For output that may be longer than memory: a heading (NULL = none), and lines one by one. */
    void (*heading)(nnc_buffer *out, nnc_heads heads);
    void (*line)(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells);
    bool documents;       /* several results are written as a list of documents, not as one table */
    bool held;            /* line() writes packed cells, which nnc_table_put lays out */
    const nnc_page *page; /* NULL: a format for programs */
};

/* The values of --format; the first is the default. */
enum { NNC_FORMAT_COUNT = 4 };
extern const nnc_format *const nnc_formats[NNC_FORMAT_COUNT];
extern const nnc_format nnc_format_table, nnc_format_json, nnc_format_csv, nnc_format_markdown;
const char *nnc_format_name(unsigned index); /* "?" past the last */

/* Writes a view; errors are kept in out->failed. */
bool nnc_is_marked(nnc_style style);
void nnc_view_write(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record);

/* ---- numbers and names as text: table.c ---- */

/* "1,557,611,200", "16.73", "0.0001234": thousands separated from 1000 up, four significant digits
 * below; "-" for NaN. Returns text. */
char *nnc_count_text(double value, char text[NNC_NUMBER_TEXT]);

/* 0.1234 -> "12.3%", "-" for NaN. Returns text. */
char *nnc_percent_text(double share, char text[NNC_NUMBER_TEXT]);

/* 8.59e10 -> "80.00 GiB", from KiB to TiB. Returns text. */
char *nnc_binary_text(double bytes, char text[NNC_NUMBER_TEXT]);

/* A cell for people: "-" for null, "yes" and "no". Returns text, or the cell's own text. */
const char *nnc_cell_text(const nnc_cell *cell, nnc_show show, const char *unit, char text[NNC_METRIC_TEXT_MAX]);

/* The column of a metric under its full name; the last part of the name is the heading. */
nnc_head nnc_head_of(const nnc_metric *metric, const char *name);

/* Columns that a UTF-8 text takes on a terminal; a wide character counts as one. */
int nnc_text_width(const char *text);

/* Writes at most max columns of text, control characters as '?'. */
void nnc_put_plain(nnc_buffer *out, const char *text, int max);

/* Writes text; escapes the characters that Markdown would take for markup, '|' included. */
void nnc_put_markdown(nnc_buffer *out, const char *text);

/* ---- lines of a page: sheet.c ---- */

typedef enum nnc_ink { NNC_INK_PLAIN, NNC_INK_STRONG, NNC_INK_GOOD, NNC_INK_BAD } nnc_ink;

/* Lines of the form "label   item, item, item", wrapped at the terminal's width, or as a Markdown list. */
struct nnc_sheet {
    nnc_buffer *out;
    nnc_style style;
    int indent; /* width of the labels */
    int column; /* column of the next character */
    int items;  /* items on the current line */
};

nnc_sheet nnc_sheet_begin(nnc_buffer *out, nnc_style style);

/* Starts a line; a label that is empty or indented continues the line above. */
void nnc_sheet_label(nnc_sheet *sheet, const char *label);
/* Adds an item, which is never broken; ", " stands before all but the first. */
void nnc_sheet_item(nnc_sheet *sheet, nnc_ink ink, const char *format, ...) NNC_PRINTF(3, 4);
/* The same without the comma. */
void nnc_sheet_phrase(nnc_sheet *sheet, nnc_ink ink, const char *format, ...) NNC_PRINTF(3, 4);
/* Adds running text, broken between words. */
void nnc_sheet_words(nnc_sheet *sheet, const char *format, ...) NNC_PRINTF(2, 3);
void nnc_sheet_end(nnc_sheet *sheet);
/* A line without label, broken between words at the width of a terminal. */
void nnc_sheet_line(nnc_buffer *out, nnc_style style, const char *format, ...) NNC_PRINTF(3, 4);
/* An empty line. */
void nnc_sheet_gap(nnc_sheet *sheet);
/* A heading of the following part, after an empty line. */
void nnc_sheet_heading(nnc_buffer *out, nnc_style style, const char *text);

/* One row of a page.
 *
 * A row with a label starts a line; rows without one add items to it. The text of a row names metrics in braces:
 * "HFU {throughput.hfu} of {device.peak_flops_per_s}". A metric is shown as its table says, or in another form
 * after a colon: "{cost.step:count}" (see forms in sheet.c). A row is left out when one of its metrics has no
 * value, or its condition is false; the condition of a row with a label holds for the whole line. A line without
 * items is not written. A label may name metrics, too. Of neighbouring lines with one label, the first has it.
 *
 * A condition is a list that must hold in full: "name" (has a value that is not 0, false or empty), "!name",
 * "name > X", "name = X", "name != X", where X is a number, a word or a name. */
typedef struct nnc_page_row {
    const char *label; /* "" = a line below the one above; NULL = on the current line */
    const char *text;  /* NULL = the row is the label alone */
    nnc_ink ink;
    enum { NNC_ROW_ITEM, NNC_ROW_WORDS, NNC_ROW_BLOCK, NNC_ROW_GAP } kind;
    const char *when; /* "plan.pipeline > 1, !device.fitted"; NULL = always */
    /* Instead of text: adds items to the line, or writes whole lines of a block. */
    void (*write)(nnc_sheet *sheet, const void *record);
} nnc_page_row;

/* Rows of a page: a line; an item of it, plain, strong, good and bad; running text; items, and whole lines, that code
 * writes; an empty line. Conditions follow. */
#define NNC_LINE(...) NNC_PAGE_ROW_(.label = __VA_ARGS__)
#define NNC_ITEM(...) NNC_PAGE_ROW_(.text = __VA_ARGS__)
#define NNC_BOLD(...) NNC_PAGE_ROW_(.ink = NNC_INK_STRONG, .text = __VA_ARGS__)
#define NNC_GOOD(...) NNC_PAGE_ROW_(.ink = NNC_INK_GOOD, .text = __VA_ARGS__)
#define NNC_BAD(...) NNC_PAGE_ROW_(.ink = NNC_INK_BAD, .text = __VA_ARGS__)
#define NNC_WORDS(...) NNC_PAGE_ROW_(.kind = NNC_ROW_WORDS, .text = __VA_ARGS__)
#define NNC_ADD(...) NNC_PAGE_ROW_(.write = __VA_ARGS__)
#define NNC_BLOCK(...) NNC_PAGE_ROW_(.kind = NNC_ROW_BLOCK, .write = __VA_ARGS__)
#define NNC_GAP(...) NNC_PAGE_ROW_(.kind = NNC_ROW_GAP, __VA_ARGS__)
#define NNC_PAGE_ROW_(...) \
    {                      \
        __VA_ARGS__        \
    }
typedef struct nnc_page_rows {
    const nnc_metrics *metrics; /* metrics of the record; the names in braces are names of them */
    const nnc_page_row *rows;
    size_t count;
} nnc_page_rows;
#define NNC_PAGE_ROWS(table, list)                      \
    {                                                   \
        (table), (list), sizeof(list) / sizeof(list)[0] \
    }

/* Writes the rows; the sheet is between two lines before and after. */
void nnc_sheet_rows(nnc_sheet *sheet, const nnc_page_rows *page, const void *record);

/* Puts the metrics of a record into a text with names in braces. Returns false when one has no value. */
enum { NNC_PAGE_TEXT = 2048 };
bool nnc_page_text(const nnc_metrics *metrics, const void *record, const char *text, char filled[NNC_PAGE_TEXT]);

/* ---- what was asked for, at the top of a page: sheet.c ---- */

/* The first lines of a report: model, device, links and plan, as resolved. */
void nnc_sheet_subject(nnc_sheet *sheet, const nnc_report *report);
/* The launch files of a report, the options that each stands for, and the keys that were skipped. */
void nnc_sheet_launch(nnc_sheet *sheet, const nnc_report *report);

/* Source of a price: "(AWS p5.48xlarge / 8, us-east-1, 2026-09)". NULL: writes nothing. */
void nnc_sheet_price(nnc_sheet *sheet, const nnc_price *price);

/* Row functions of an nnc_report: its model and its device, as asked for and as resolved; the source of its carbon
 * intensity and of its PUE, when it has one. */
void nnc_sheet_model(nnc_sheet *sheet, const void *record);
void nnc_sheet_device(nnc_sheet *sheet, const void *record);
void nnc_sheet_region(nnc_sheet *sheet, const void *record);
void nnc_sheet_building(nnc_sheet *sheet, const void *record);

/* ---- tables: table.c ---- */

enum { NNC_TABLE_COLUMNS = 256, NNC_TABLE_HELD = 1000 };

/* Rows and columns of text, for people. A table that may be longer than memory is laid out by its first
 * NNC_TABLE_HELD rows; the others follow as they come. */
struct nnc_table {
    nnc_head heads[NNC_TABLE_COLUMNS];
    int count;
    nnc_buffer cells; /* row by row; each text ends with a NUL */
    int64_t cell_count;
    int widths[NNC_TABLE_COLUMNS];                           /* 0 = left out */
    bool cut[NNC_TABLE_COLUMNS], dropped[NNC_TABLE_COLUMNS]; /* columns cut or left out because the
                                                              * width is too small */
    int gap;                                                 /* blanks between columns */
    bool laid_out;
};

/* Starts as { .count = 0 }, or with heads whose texts outlive it; ends with nnc_table_write. */
void nnc_table_begin(nnc_table *table, const nnc_head *heads, int count);
void nnc_table_head(nnc_table *table, nnc_head head);
/* Adds the rows of a metrics table that have a head. */
void nnc_table_heads(nnc_table *table, const nnc_metrics *metrics);
/* Gives a column another heading; NULL leaves it out. */
void nnc_table_rename(nnc_table *table, const char *head, const char *text);

/* Appends a cell; rows fill up from the left. */
void nnc_table_cell(nnc_table *table, const char *text);
void nnc_table_whole(nnc_table *table, int64_t whole);
void nnc_table_number(nnc_table *table, double value, const char *unit); /* "12.30 ms", "-" */
void nnc_table_share(nnc_table *table, double share);                    /* "41.2%", "-" */
/* The cells of a record: those of its rows that have a head. */
void nnc_table_record(nnc_table *table, const nnc_metrics *metrics, const nnc_place *place);
/* The cells of all records that are listed. */
void nnc_table_records(nnc_table *table, nnc_lines lines);
int64_t nnc_table_rows(const nnc_table *table);

/* Writes the table and frees it. */
void nnc_table_write(nnc_table *table, nnc_buffer *out, nnc_style style);

/* Heads and records at once. */
void nnc_table_of(nnc_buffer *out, nnc_style style, nnc_lines lines);

/* The same under a heading; without a record it writes nothing and returns false. */
bool nnc_table_under(nnc_buffer *out, nnc_style style, nnc_lines lines, const char *heading);

/* Takes whole lines as format->line puts them, and writes those that can be written: all of them, unless the format
 * holds lines. */
void nnc_table_put(nnc_table *table, nnc_buffer *out, nnc_style style, const char *lines, size_t size);

/* ---- JSON: formats.c ---- */

enum { NNC_RECORD_DEPTH = 20 };

/* A JSON document, value by value. Members of the document and elements of its lists get a line each; the rest
 * runs on, unless `spread`. */
typedef struct nnc_record {
    nnc_buffer *out;
    bool exact;  /* numbers with 17 digits, for a program that computes with them; else 12 */
    bool spread; /* every member gets a line, for a file that people edit */
    int depth;
    int32_t members[NNC_RECORD_DEPTH]; /* members written at each depth */
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
void nnc_record_json(nnc_record *record, const char *key, const char *json); /* JSON text, copied */
void nnc_record_null(nnc_record *record, const char *key);

/* Writes all members of a record, by its table, into the object that is open. */
void nnc_record_members(nnc_record *record, const nnc_metrics *metrics, const nnc_place *place);

/* One value in JSON. */
void nnc_put_json_cell(nnc_buffer *out, const nnc_cell *cell);

/* ---- HTML: formats.c ---- */

/* A page of HTML that stands alone: style and script inside, nothing fetched. --format does not offer it. */
extern const nnc_format nnc_format_html;

/* title is text. The style sheet serves the page's pictures, too. */
void nnc_html_begin(nnc_buffer *out, const char *title);
void nnc_html_end(nnc_buffer *out);

/* Text in an element: "h2", text. */
void nnc_html_put(nnc_buffer *out, const char *element, const char *text);

/* ---- pictures: svg.c ---- */

/* Coordinates are whole tenths of a pixel and printed as such, so that one picture has the same bytes everywhere.
 * Colours come from the palette by class. */
typedef int32_t nnc_px; /* tenths of a pixel */
#define NNC_PX(pixels) ((nnc_px)(10 * (pixels)))
/* The nearest tenth. */
nnc_px nnc_px_of(double pixels);

typedef struct nnc_box {
    nnc_px x, y, w, h;
} nnc_box;

typedef enum nnc_type { NNC_TYPE_PLAIN, NNC_TYPE_BOLD, NNC_TYPE_SMALL } nnc_type;

/* Upper bound of a text's width: in DejaVu Sans, the widest of the usual fonts, plus 5 %. */
nnc_px nnc_text_px(const char *text, nnc_type type);
/* The text, or as much of it as fits into a width, followed by "..". */
enum { NNC_TEXT_PX_MAX = 192 };
char *nnc_text_cut(const char *text, nnc_type type, nnc_px width, char cut[NNC_TEXT_PX_MAX]);

typedef struct nnc_svg {
    nnc_buffer body;
    const char *id; /* prefix of the ids inside, unique on its page: "nnc-step" */
} nnc_svg;

void nnc_svg_begin(nnc_svg *svg, const char *id);

/* Begins a mark with its tooltip; the elements up to nnc_svg_mark_end are the mark. explain: the metric that it
 * shows; NULL = none. key: equal on all marks of a page about the same thing; NULL = none. */
void nnc_svg_mark(nnc_svg *svg, const char *explain, const char *key, const char *tip);
void nnc_svg_mark_end(nnc_svg *svg);

void nnc_svg_rect(nnc_svg *svg, const char *class, nnc_box box);
/* With round corners. */
void nnc_svg_round(nnc_svg *svg, const char *class, nnc_box box, nnc_px radius);
/* Hatched: unused time or memory. */
void nnc_svg_hatched(nnc_svg *svg, nnc_box box);
void nnc_svg_circle(nnc_svg *svg, const char *class, nnc_px x, nnc_px y, nnc_px radius);

/* A path, point by point; closed: back to its first point. */
void nnc_svg_path(nnc_svg *svg, const char *class);
void nnc_svg_to(nnc_svg *svg, char command, nnc_px x, nnc_px y); /* 'M', 'L' */
void nnc_svg_path_end(nnc_svg *svg, bool closed);
void nnc_svg_line(nnc_svg *svg, const char *class, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2);

/* anchor: 's' begins at x, 'm' has its middle there, 'e' ends there. */
void nnc_svg_text(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y, const char *text);
/* Turned around (x, y) by tenths of a degree, clockwise. */
void nnc_svg_turned(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y, int32_t angle, const char *text);

/* Writes the picture and frees the svg. page: with its own style sheet and background; else the page around it
 * has the style sheet. */
void nnc_svg_end(nnc_svg *svg, nnc_buffer *out, nnc_px width, nnc_px height, const char *title, const char *desc,
                 bool page);

/* Writes text with the characters escaped that XML and HTML take for markup; control characters and invalid UTF-8
 * become '?'. */
void nnc_put_xml(nnc_buffer *out, const char *text);

/* Groups of marks that stand side by side: readers with colour blindness must see the difference. */
enum { NNC_HUES_STEP = 1, NNC_HUES_MEMORY = 2, NNC_HUES_BOUND = 4 };

/* A colour of pictures, in light and in dark: one row for each class of marks. */
typedef struct nnc_hue {
    const char *name;               /* class of the marks: "forward" */
    const char *light, *dark;       /* "#4a9bd1" */
    const char *on_light, *on_dark; /* text on it; NULL = never has text */
    unsigned hues;                  /* NNC_HUES_...; 0 = a background, a line or text */
} nnc_hue;

extern const nnc_hue nnc_palette[];
extern const int nnc_palette_count;

/* The style sheet of pictures. */
void nnc_palette_css(nnc_buffer *out);

#endif
