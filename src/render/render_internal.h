/* Writers: one result in the forms that people and programs read.
 *
 *     view (schema, metrics table, page)  --nnc_view_write-->  table | json | csv | markdown | html
 *                                                                |
 *     page rows: "MFU {throughput.mfu}"   --nnc_sheet_rows-->  sheet (label  item, item, ...)
 *     records of a metrics table          --nnc_table_of---->  table (columns)
 *
 * A command hands over an nnc_view of its result. Programs get all values of the metrics table. People get the view's
 * page, which has lines (nnc_sheet) and tables. The format's nnc_page has the functions that write them. */
#ifndef NNCOST_RENDER_RENDER_INTERNAL_H
#define NNCOST_RENDER_RENDER_INTERNAL_H

#include "base/base_internal.h"
#include "metrics/metrics_internal.h"

/* ---- formats and views: formats.c ---- */

/* A column of output: of a table on a page, or of the lines for programs. */
typedef struct nnc_head {
    const char *name; /* full name, for programs: "step.step_s" */
    const char *text; /* heading of the column on a page for people: "step_s"; NULL = the column is not on a page */
    const char *unit; /* unit of the values; NULL = no unit */
    nnc_show show;
    bool left;    /* true: align left (text); false: align right (numbers) */
    bool shrinks; /* true: the texts of the column may be cut if the line is too long */
    int drop;     /* order in which columns are left out if cutting is not enough: the lowest number first; 0 = never
                   * left out */
} nnc_head;

typedef struct nnc_heads {
    const nnc_head *list;
    int count;
} nnc_heads;

typedef struct nnc_format nnc_format;

/* Options for writing output. Only the format for terminals uses width and colour. */
typedef struct nnc_style {
    const nnc_format *format;
    int width; /* width of the terminal, in columns */
    bool colour;
    /* description of implausible input values, which the page prints; NULL or "" = all input is plausible */
    const char *mark;
} nnc_style;

/* A view: tells how one kind of result is written. The argument `record` of its functions points to the result, whose
 * type `document` describes. */
typedef struct nnc_view {
    const char *schema;                     /* name and version of the JSON output: "nncost.estimate/1" */
    const nnc_metrics *document;            /* metrics table of the whole result as one object */
    bool exact;                             /* true: JSON numbers have 17 digits, for programs that compute with them */
    nnc_lines (*lines)(const void *record); /* returns the list in the result that CSV writes line by line; NULL: CSV
                                             * has one line with the whole document */
    void (*page)(nnc_buffer *out, nnc_style style, const void *record); /* writes the result as a page for people;
                                                                         * NULL: the page is `rows` */
    const struct nnc_page_rows *rows;
    int indent; /* width of the labels of `rows`, in columns; 0 = the usual width */
} nnc_view;

/* Writes a result as a page for people, with the page function or the rows of its view. */
void nnc_page_write(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record);

typedef struct nnc_sheet nnc_sheet;
typedef struct nnc_table nnc_table;

/* Functions of a format that write the parts of a page. */
typedef struct nnc_page {
    void (*label)(nnc_sheet *sheet, const char *label);
    void (*text)(nnc_sheet *sheet, const char *text); /* appends text to the current line */
    void (*heading)(nnc_buffer *out, const char *text);
    void (*table)(nnc_buffer *out, nnc_style style, nnc_table *table);
    void (*below)(nnc_buffer *out, nnc_style style, const nnc_table *table); /* writes notes below a table; NULL = no
                                                                              * notes */
    bool wraps;                                                              /* true: lines are wrapped at the width of
                                                                              * the terminal */
} nnc_page;

struct nnc_format {
    const char *name; /* value of --format */
    void (*view)(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record);
    /* The next two members write output that may be longer than memory: `heading` first (NULL = no heading), then
     * `line` for each line. */
    void (*heading)(nnc_buffer *out, nnc_heads heads);
    void (*line)(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells);
    bool documents;       /* true: several results are written as a list of documents; false: as one table */
    bool held;            /* true: line() writes cells without layout; nnc_table_put lays them out */
    const nnc_page *page; /* functions for pages; NULL: the format is for programs */
};

/* The values of --format; the first is the default. */
enum { NNC_FORMAT_COUNT = 5 };
extern const nnc_format *const nnc_formats[NNC_FORMAT_COUNT];
extern const nnc_format nnc_format_table, nnc_format_json, nnc_format_csv, nnc_format_csv_plain, nnc_format_markdown;
bool nnc_format_is_csv(const nnc_format *format);
const char *nnc_format_name(unsigned index); /* name of a format; "?" for an index after the last format */

/* nnc_view_write writes a result in the format of the style; out->failed is set after an error. nnc_is_marked returns
 * true if the inputs are implausible. */
bool nnc_is_marked(nnc_style style);
void nnc_view_write(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record);

/* ---- numbers and names as text: table.c ---- */

/* Formats a number: "1,557,611,200", "16.73", "0.0001234". From 1000 up it has all digits, in groups of three; below
 * 1000 four significant digits; NaN is "-". Returns text. */
char *nnc_count_text(double value, char text[NNC_NUMBER_TEXT]);

/* Formats a share as percent: 0.1234 -> "12.3%"; NaN is "-". Returns text. */
char *nnc_percent_text(double share, char text[NNC_NUMBER_TEXT]);

/* Formats bytes with a prefix from KiB to TiB: 8.59e10 -> "80.00 GiB". Returns text. */
char *nnc_binary_text(double bytes, char text[NNC_NUMBER_TEXT]);

/* Formats a cell for people; null is "-", a boolean "yes" or "no". Returns text, or the cell's own text. */
const char *nnc_cell_text(const nnc_cell *cell, nnc_show show, const char *unit, char text[NNC_METRIC_TEXT_MAX]);

/* Returns the column for a metric. name: full name of the metric; its last part becomes the heading. */
nnc_head nnc_head_of(const nnc_metric *metric, const char *name);

/* Returns how many columns a UTF-8 text takes on a terminal; a wide character counts as one. */
int nnc_text_width(const char *text);

/* Writes at most max columns of text; control characters become '?'. */
void nnc_put_plain(nnc_buffer *out, const char *text, int max);

/* Writes text and escapes the characters that Markdown takes for markup, '|' included. */
void nnc_put_markdown(nnc_buffer *out, const char *text);

/* ---- lines of a page: sheet.c ---- */

typedef enum nnc_ink { NNC_INK_PLAIN, NNC_INK_STRONG, NNC_INK_GOOD, NNC_INK_BAD } nnc_ink;

/* The writer of lines of the form "label   item, item, item". A terminal wraps a line at its width; Markdown makes each
 * line an item of a list. */
struct nnc_sheet {
    nnc_buffer *out;
    nnc_style style;
    int indent; /* width that labels take, in columns */
    int column; /* column of the terminal at which the next character is written */
    int items;  /* number of items that the current line has */
};

nnc_sheet nnc_sheet_begin(nnc_buffer *out, nnc_style style);

/* Starts a line; a label that is empty or indented continues the line before. */
void nnc_sheet_label(nnc_sheet *sheet, const char *label);
/* Adds an item to the current line, without a line break inside the item; ", " precedes every item except the first. */
void nnc_sheet_item(nnc_sheet *sheet, nnc_ink ink, const char *format, ...) NNC_PRINTF(3, 4);
/* Adds an item as nnc_sheet_item does, but without the comma before it. */
void nnc_sheet_phrase(nnc_sheet *sheet, nnc_ink ink, const char *format, ...) NNC_PRINTF(3, 4);
/* Adds running text; lines may break between words. */
void nnc_sheet_words(nnc_sheet *sheet, const char *format, ...) NNC_PRINTF(2, 3);
void nnc_sheet_end(nnc_sheet *sheet);
/* Writes a line of running text with its label. */
void nnc_sheet_note(nnc_sheet *sheet, const char *label, const char *format, ...) NNC_PRINTF(3, 4);
/* Writes a line without a label; it breaks between words at the width of a terminal. */
void nnc_sheet_line(nnc_buffer *out, nnc_style style, const char *format, ...) NNC_PRINTF(3, 4);
/* Writes an empty line. */
void nnc_sheet_gap(nnc_sheet *sheet);
/* Writes the heading of the following part, after an empty line. */
void nnc_sheet_heading(nnc_buffer *out, nnc_style style, const char *text);

/* One row of a page.
 *
 * A row with a label starts a line; a row without a label adds an item to the line. The text of a row has names of
 * metrics in braces: "HFU {throughput.hfu} of {device.peak_flops_per_s}". A metric is formatted as its table says,
 * or in a form that follows a colon: "{cost.step:count}" (see `forms` in sheet.c). A label may name metrics too.
 *
 * A row is left out if one of its metrics has no value or its condition is false. The condition of a row with a
 * label holds for the whole line. A line without items is not written. If neighbouring lines have the same label,
 * only the first shows it.
 *
 * A condition is a list of terms that must all be true: "name" (its value is not 0, false or empty), "!name", "name
 * > X", "name = X", "name != X". X is a number, a word or a name. */
typedef struct nnc_page_row {
    const char *label; /* "" = begins a line without a label; NULL = the row belongs to the current line */
    const char *text;  /* text of the item; NULL = the row has only a label */
    nnc_ink ink;
    enum { NNC_ROW_ITEM, NNC_ROW_WORDS, NNC_ROW_BLOCK, NNC_ROW_GAP } kind;
    const char *when; /* condition of the row, such as "plan.pipeline > 1, !device.fitted"; NULL = no condition */
    /* function that is called if `text` is not given: it adds items to the current line, or (NNC_ROW_BLOCK) writes
     * whole lines. */
    void (*write)(nnc_sheet *sheet, const void *record);
} nnc_page_row;

/* Rows of a page. NNC_LINE starts a line. NNC_ITEM, NNC_BOLD, NNC_GOOD and NNC_BAD add an item to it, in the ink of
 * their name. NNC_WORDS adds running text. NNC_ADD calls a function that adds items; NNC_BLOCK calls a function that
 * writes whole lines. NNC_GAP writes an empty line. Conditions may follow (`when`). */
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
    { __VA_ARGS__ }
typedef struct nnc_page_rows {
    const nnc_metrics *metrics; /* metrics table of the record; names in braces are metrics of it */
    const nnc_page_row *rows;
    size_t count;
} nnc_page_rows;
#define NNC_PAGE_ROWS(table, list) \
    { (table), (list), sizeof(list) / sizeof(list)[0] }

/* Writes the rows of a page, except those whose condition is false. Call it between two lines of the sheet. */
void nnc_sheet_rows(nnc_sheet *sheet, const nnc_page_rows *page, const void *record);

/* nnc_page_text replaces the names in braces in a text by the values of metrics. Returns false if one of the metrics
 * has no value. */
enum { NNC_PAGE_TEXT = 2048 };
bool nnc_page_text(const nnc_metrics *metrics, const void *record, const char *text, char filled[NNC_PAGE_TEXT]);

/* ---- the inputs of a report, at the top of its page: sheet.c ---- */

/* Writes the first lines of a report: model, device, links and plan, as resolved. */
void nnc_sheet_subject(nnc_sheet *sheet, const nnc_report *report);
/* Writes the launch files of a report, the options that each file means, and the keys that were skipped. */
void nnc_sheet_launch(nnc_sheet *sheet, const nnc_report *report);

/* Writes the source of a price: "(AWS p5.48xlarge / 8, us-east-1, 2026-09)". price NULL: writes nothing. */
void nnc_sheet_price(nnc_sheet *sheet, const nnc_price *price);

/* Functions for rows of an nnc_report. They write the model and the device, as asked for and as resolved, and the
 * sources of carbon intensity and PUE, if the report has them. */
void nnc_sheet_model(nnc_sheet *sheet, const void *record);
void nnc_sheet_device(nnc_sheet *sheet, const void *record);
void nnc_sheet_region(nnc_sheet *sheet, const void *record);
void nnc_sheet_building(nnc_sheet *sheet, const void *record);

/* ---- tables: table.c ---- */

enum { NNC_TABLE_COLUMNS = 256, NNC_TABLE_HELD = 1000 };

/* Rows and columns of text, for people. If a table may be longer than memory, its first NNC_TABLE_HELD rows decide
 * the layout, and later rows are written as they come. */
struct nnc_table {
    nnc_head heads[NNC_TABLE_COLUMNS];
    int count;
    nnc_buffer cells; /* cells of all rows, row by row; each text ends with a NUL */
    int64_t cell_count;
    int widths[NNC_TABLE_COLUMNS];                           /* width of each column in characters; 0 = left out */
    bool cut[NNC_TABLE_COLUMNS], dropped[NNC_TABLE_COLUMNS]; /* for each column, true = its texts were cut (cut), or it
                                                              * was left out (dropped), to make the line fit */
    int gap;                                                 /* number of blanks between columns */
    bool laid_out;
};

/* Begins a table with `count` columns; { .count = 0 } begins a table without columns. The texts of the heads must
 * outlive the table. nnc_table_write ends it. */
void nnc_table_begin(nnc_table *table, const nnc_head *heads, int count);
void nnc_table_head(nnc_table *table, nnc_head head);
/* Adds a column for each metric of a metrics table that has a heading (head). */
void nnc_table_heads(nnc_table *table, const nnc_metrics *metrics);
/* Changes the heading of the column whose heading is `head` to `text`. text NULL: leaves the column out. */
void nnc_table_rename(nnc_table *table, const char *head, const char *text);

/* Appends a cell to the current row; a row is complete when each column has a cell. */
void nnc_table_cell(nnc_table *table, const char *text);
void nnc_table_whole(nnc_table *table, int64_t whole);
/* appends a cell with a time, "12.30 ms"; NaN is "-" */
void nnc_table_number(nnc_table *table, double value, const char *unit);
/* appends a cell with a share, "41.2%"; NaN is "-" */
void nnc_table_share(nnc_table *table, double share);
/* Appends a row with the metrics of a record that have a heading. */
void nnc_table_record(nnc_table *table, const nnc_metrics *metrics, const nnc_place *place);
/* Appends a row for each record of `lines`. */
void nnc_table_records(nnc_table *table, nnc_lines lines);
int64_t nnc_table_rows(const nnc_table *table);

/* Writes the table and frees it. */
void nnc_table_write(nnc_table *table, nnc_buffer *out, nnc_style style);

/* Writes a table of all listed records, with the heads of their metrics table. */
void nnc_table_of(nnc_buffer *out, nnc_style style, nnc_lines lines);

/* Works as nnc_table_of, with a heading above the table. Without a record it writes nothing and returns false. */
bool nnc_table_under(nnc_buffer *out, nnc_style style, nnc_lines lines, const char *heading);

/* Writes whole lines that were made by format->line. If the format lays tables out (`held`), the first NNC_TABLE_HELD
 * lines are stored until the widths of the columns are known. */
void nnc_table_put(nnc_table *table, nnc_buffer *out, nnc_style style, const char *lines, size_t size);

/* ---- JSON: formats.c ---- */

enum { NNC_RECORD_DEPTH = 20 };

/* A JSON document, written value by value. Each member of the document and each element of its lists begins a line;
 * deeper values follow on the same line, unless `spread` is set. */
typedef struct nnc_record {
    nnc_buffer *out;
    bool exact;  /* true: numbers have 17 digits, for a program that computes with them; false: 12 digits */
    bool spread; /* true: every member is on a line of its own, for a file that people edit */
    int depth;
    int32_t members[NNC_RECORD_DEPTH]; /* number of members written so far in each open object or list, by depth */
    bool list[NNC_RECORD_DEPTH];
} nnc_record;

/* nnc_record_begin writes the start of a JSON object to `out`, with `schema` as its first member. nnc_record_end writes
 * the end of the object. */
nnc_record nnc_record_begin(nnc_buffer *out, const char *schema);
void nnc_record_end(nnc_record *record);

/* Begins an object or a list, or writes a value. key is NULL inside a list. */
void nnc_record_object(nnc_record *record, const char *key);
void nnc_record_list(nnc_record *record, const char *key);
void nnc_record_close(nnc_record *record);
void nnc_record_text(nnc_record *record, const char *key, const char *text); /* writes a string; NULL is written as
                                                                              * null */
void nnc_record_number(nnc_record *record, const char *key, double value);   /* writes a number; NaN is written as
                                                                              * null */
void nnc_record_whole(nnc_record *record, const char *key, int64_t value);
void nnc_record_bool(nnc_record *record, const char *key, bool value);
void nnc_record_json(nnc_record *record, const char *key, const char *json); /* writes a value that is already JSON
                                                                              * text */
void nnc_record_null(nnc_record *record, const char *key);

/* Writes all members of a record, as its metrics table says, into the object that is open. */
void nnc_record_members(nnc_record *record, const nnc_metrics *metrics, const nnc_place *place);

/* ---- HTML: formats.c ---- */

/* A self-contained HTML page: style and script are inside, nothing is fetched. --format does not offer it. */
extern const nnc_format nnc_format_html;

/* Begins a page. title: plain text, not HTML. Pictures on the page use the style sheet of the page. */
void nnc_html_begin(nnc_buffer *out, const char *title);
void nnc_html_end(nnc_buffer *out);

/* Writes an HTML element that contains the text. element: its name, such as "h2". */
void nnc_html_put(nnc_buffer *out, const char *element, const char *text);

/* ---- pictures: svg.c ---- */

/* Coordinates are whole tenths of a pixel and printed exactly, so that one picture has the same bytes everywhere. The
 * CSS class of an element selects its colour in the palette. */
typedef int32_t nnc_px; /* tenths of a pixel */
#define NNC_PX(pixels) ((nnc_px)(10 * (pixels)))
/* Rounds to the nearest tenth of a pixel. */
nnc_px nnc_px_of(double pixels);

typedef struct nnc_box {
    nnc_px x, y, w, h;
} nnc_box;

typedef enum nnc_type { NNC_TYPE_PLAIN, NNC_TYPE_BOLD, NNC_TYPE_SMALL } nnc_type;

/* Returns an upper bound of the width of a text: its width in DejaVu Sans, the widest of the usual fonts, plus 5 %. */
nnc_px nnc_text_px(const char *text, nnc_type type);
/* Returns a text that fits into a width: the whole text, or its beginning and "..". */
enum { NNC_TEXT_PX_MAX = 192 };
char *nnc_text_cut(const char *text, nnc_type type, nnc_px width, char cut[NNC_TEXT_PX_MAX]);

typedef struct nnc_svg {
    nnc_buffer body;
    const char *id; /* prefix of all ids in the picture, unique on its page: "nnc-step" */
} nnc_svg;

void nnc_svg_begin(nnc_svg *svg, const char *id);

/* Begins a group of elements with a tooltip, such as a bar; nnc_svg_mark_end ends the group. explain: name of the
 * metric that the group shows; NULL = no metric. key: equal for all groups of a page that show the same thing; NULL =
 * no key. */
void nnc_svg_mark(nnc_svg *svg, const char *explain, const char *key, const char *tip);
void nnc_svg_mark_end(nnc_svg *svg);

void nnc_svg_rect(nnc_svg *svg, const char *class, nnc_box box);
/* Draws a box with round corners. */
void nnc_svg_round(nnc_svg *svg, const char *class, nnc_box box, nnc_px radius);
/* Draws a hatched box: unused time or memory. */
void nnc_svg_hatched(nnc_svg *svg, nnc_box box);
void nnc_svg_circle(nnc_svg *svg, const char *class, nnc_px x, nnc_px y, nnc_px radius);

/* Begins a path; nnc_svg_to adds a point. closed: the path ends at its first point. */
void nnc_svg_path(nnc_svg *svg, const char *class);
/* command of the SVG path: 'M' = move to the point, 'L' = draw a line to the point */
void nnc_svg_to(nnc_svg *svg, char command, nnc_px x, nnc_px y);
void nnc_svg_path_end(nnc_svg *svg, bool closed);
void nnc_svg_line(nnc_svg *svg, const char *class, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2);

/* Writes a text at (x, y). anchor: 's' = the text starts at x, 'm' = its middle is at x, 'e' = it ends at x. */
void nnc_svg_text(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y, const char *text);
/* Writes a text that is turned around (x, y) by an angle in tenths of a degree, clockwise. */
void nnc_svg_turned(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y, int32_t angle, const char *text);

/* Writes the picture and frees the svg. page: true = the picture has its own style sheet and background; false = it
 * uses the style sheet of the page around it. */
void nnc_svg_end(nnc_svg *svg, nnc_buffer *out, nnc_px width, nnc_px height, const char *title, const char *desc,
                 bool page);

/* Writes text and escapes the characters that XML and HTML take for markup. Control characters and invalid UTF-8
 * become '?'. */
void nnc_put_xml(nnc_buffer *out, const char *text);

/* Sets of colours that are drawn side by side: parts of a step, classes of memory, kinds of bounds. Colour-blind
 * readers must be able to distinguish the colours of a set. */
enum { NNC_HUES_STEP = 1, NNC_HUES_MEMORY = 2, NNC_HUES_BOUND = 4 };

/* A colour of pictures, in a light and a dark variant. Every CSS class of drawn elements (bars, lines, text: "forward")
 * has such a colour. */
typedef struct nnc_hue {
    const char *name;               /* CSS class of the elements: "forward" */
    const char *light, *dark;       /* colour on a light and on a dark page, "#4a9bd1" */
    const char *on_light, *on_dark; /* colour of text in front of this colour, on a light page and on a dark page;
                                     * NULL = no text is in front of this colour */
    unsigned hues;                  /* sets (NNC_HUES_...) that contain the colour; 0 = a background, a line or text */
} nnc_hue;

extern const nnc_hue nnc_palette[];
extern const int nnc_palette_count;

/* Writes the style sheet of pictures. */
void nnc_palette_css(nnc_buffer *out);

#endif
