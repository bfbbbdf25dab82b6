/* The functions of this folder write the result of a command in a form for people or in a form for programs.
 *
 *    view (schema, metrics table, page)  --nnc_view_write-->  table | json | csv | markdown | html
 *    page rows: "MFU {throughput.mfu}"   --nnc_sheet_rows-->  sheet: lines of the form "label  item, item, ..."
 *    records of a metrics table          --nnc_table_of---->  table with rows and columns
 *
 * A command passes an nnc_view of its result to nnc_view_write. The forms for programs (JSON, CSV) contain all values
 * of the metrics table. The forms for people contain the page of the view, which has lines (nnc_sheet) and tables
 * (nnc_table). Each format for people has an nnc_page, whose functions write the lines and tables. */
#ifndef NNCOST_RENDER_RENDER_INTERNAL_H
#define NNCOST_RENDER_RENDER_INTERNAL_H

#include "base/base_internal.h"
#include "metrics/metrics_internal.h"

/* ---- formats.c: output formats, and the views that are written in a format ---- */

/* A column of an output: of a table on a page for people, or of the CSV or JSON lines for programs. */
typedef struct nnc_head {
    const char *name; /* full name of the column, for programs: "step.step_s" */
    const char *text; /* heading of the column on a page for people: "step_s"; NULL = the column is not on a page */
    const char *unit; /* unit of the column's values; NULL = no unit */
    nnc_show show;
    bool left;    /* true: the column is aligned left, for text; false: aligned right, for numbers */
    bool shrinks; /* true: texts of this column can be cut if a line of the table is wider than the terminal */
    /* true: this column is the first of the table, and its texts are options of a command. If a line of the table is
     * wider than the terminal, the texts continue on further lines. */
    bool wraps;
    /* order in which columns are left out if the lines of the table are still too wide after texts were cut: the lowest
     * number first; 0 = never left out */
    int drop;
} nnc_head;

typedef struct nnc_heads {
    const nnc_head *list;
    int count;
} nnc_heads;

typedef struct nnc_format nnc_format;

/* Options for writing output. Only the format for terminals uses `width` and `colour`. */
typedef struct nnc_style {
    const nnc_format *format;
    int width; /* width of the terminal in characters */
    bool colour;
    /* text that describes implausible input values and that the output shows; NULL or "" = all input values are
     * plausible */
    const char *mark;
} nnc_style;

/* A view says how one kind of result is written. The functions of a view get the result as the argument `record`; the
 * metrics table `document` describes the C type of the result. */
typedef struct nnc_view {
    const char *schema;          /* name and version of the JSON output of this view: "nncost.estimate/1" */
    const nnc_metrics *document; /* metrics table of the whole result, which is written as one JSON object */
    /* true: the JSON output writes numbers with 17 digits, for programs that compute with them; false: with 12
     * digits */
    bool exact;
    /* The CSV output has one line for each record of a list. If `document` contains the list for the CSV output, `list`
     * is the name of this list; otherwise the function `lines` returns the list. If `list` and `lines` are NULL, the
     * CSV output has one line with the whole document. */
    const char *list;
    nnc_lines (*lines)(const void *record);
    void (*page)(nnc_buffer *out, nnc_style style, const void *record); /* writes the result as a page for people;
                                                                         * NULL: the page is `rows` */
    const struct nnc_page_rows *rows;
    int indent; /* width of the labels of the page rows `rows`, in columns; 0 = the usual width */
} nnc_view;

/* Writes a result as a page for people: calls the page function of its view, or writes the page rows of the view if it
 * has no page function. */
void nnc_page_write(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record);

typedef struct nnc_sheet nnc_sheet;
typedef struct nnc_table nnc_table;

/* Functions with which an output format writes the parts of a page: labels, text, headings and tables. */
typedef struct nnc_page {
    void (*label)(nnc_sheet *sheet, const char *label);
    void (*text)(nnc_sheet *sheet, const char *text); /* appends a text to the current line of the page */
    void (*heading)(nnc_buffer *out, const char *text);
    void (*table)(nnc_buffer *out, nnc_style style, nnc_table *table);
    void (*below)(nnc_buffer *out, nnc_style style, const nnc_table *table); /* writes notes below a table; NULL = no
                                                                              * notes */
    bool wraps;                                                              /* true: lines are wrapped at the width of
                                                                              * the terminal */
} nnc_page;

struct nnc_format {
    const char *name; /* word that selects this format with --format: "csv" */
    void (*view)(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record);
    /* The functions `heading` and `line` write an output that can be larger than the memory. The function `heading` is
     * called once, before the first line; NULL = the format has no heading. The function `line` is called for each line
     * of the output. */
    void (*heading)(nnc_buffer *out, nnc_heads heads);
    void (*line)(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells);
    bool documents; /* true: several results become a list of JSON documents; false: several results become one table */
    /* true: the function `line` writes the cells of a line without alignment, and nnc_table_put aligns them in columns;
     * false: the lines that `line` writes are complete */
    bool held;
    const nnc_page *page; /* functions that write pages in this format; NULL: the format is only for programs */
};

/* The formats that --format can select; the first one is the default. */
enum { NNC_FORMAT_COUNT = 5 };
extern const nnc_format *const nnc_formats[NNC_FORMAT_COUNT];
extern const nnc_format nnc_format_table, nnc_format_json, nnc_format_csv, nnc_format_csv_plain, nnc_format_markdown;
bool nnc_format_is_csv(const nnc_format *format);
/* returns the name of the format with this index in nnc_formats; "?" for an index after the last format */
const char *nnc_format_name(unsigned index);

/* nnc_view_write writes a result in the format of `style`; it sets out->failed after an error. nnc_is_marked returns
 * true if inputs of the result are implausible. */
bool nnc_is_marked(nnc_style style);
void nnc_view_write(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record);

/* ---- table.c: numbers and names as text for people ---- */

/* Formats a share as a percentage: 0.1234 -> "12.3%"; NaN becomes "-". The result is written to `text`, which is
 * returned. */
char *nnc_percent_text(double share, char text[NNC_NUMBER_TEXT]);

/* Writes the mean error of predictions for measured steps, and the range in which the mean error for other programs
 * lies: "12.0% (6.0 to 24% for other programs)". The result is written to `text`, which is returned. */
enum { NNC_ERROR_TEXT = 3 * NNC_NUMBER_TEXT };
char *nnc_error_text(const nnc_past *past, char text[NNC_ERROR_TEXT]);

/* Formats a number of bytes with a binary prefix from KiB to TiB: 8.59e10 -> "80.00 GiB". The result is written to
 * `text`, which is returned. */
char *nnc_binary_text(double bytes, char text[NNC_NUMBER_TEXT]);

/* Formats the value of a table cell for people: null becomes "-", a boolean "yes" or "no". Returns the result: a text
 * that was written to `text`, or, if the value is a text, this text itself. */
const char *nnc_cell_text(const nnc_cell *cell, nnc_show show, const char *unit, char text[NNC_METRIC_TEXT_MAX]);

/* Returns the output column for a metric. name: full name of the metric, such as "step.step_s"; the part after its last
 * dot becomes the heading of the column. */
nnc_head nnc_head_of(const nnc_metric *metric, const char *name);

/* Returns the number of terminal columns that a UTF-8 text needs; every character counts as one column, even a wide
 * one. */
int nnc_text_width(const char *text);

/* Writes the beginning of a text, at most `max` terminal columns wide; control characters become '?'. */
void nnc_put_plain(nnc_buffer *out, const char *text, int max);

/* Writes a text in which characters that are markup in Markdown, such as '|', are escaped. */
void nnc_put_markdown(nnc_buffer *out, const char *text);

/* ---- sheet.c: lines of a page ---- */

typedef enum nnc_ink { NNC_INK_PLAIN, NNC_INK_STRONG, NNC_INK_GOOD, NNC_INK_BAD } nnc_ink;

/* State of writing the lines of a page, which have the form "label   item, item, item". On a terminal, a long line is
 * wrapped at the width of the terminal; in Markdown, each line is an item of a list. */
struct nnc_sheet {
    nnc_buffer *out;
    nnc_style style;
    int indent; /* width of the label column at the beginning of each line, in characters */
    int column; /* terminal column at which the next character of the page is written */
    int items;  /* number of items written so far in the current line */
};

nnc_sheet nnc_sheet_begin(nnc_buffer *out, nnc_style style);

/* Starts a line of the page with its label; if the label is empty or indented, the line continues the line before
 * it. */
void nnc_sheet_label(nnc_sheet *sheet, const char *label);
/* Adds an item to the current line of the page. A line break never divides an item; ", " precedes every item except the
 * first of the line. */
void nnc_sheet_item(nnc_sheet *sheet, nnc_ink ink, const char *format, ...) NNC_PRINTF(3, 4);
/* Adds an item to the current line as nnc_sheet_item does, but without a comma before the item. */
void nnc_sheet_phrase(nnc_sheet *sheet, nnc_ink ink, const char *format, ...) NNC_PRINTF(3, 4);
/* Adds running text to the current line of the page; a line break can divide the text between two words. */
void nnc_sheet_words(nnc_sheet *sheet, const char *format, ...) NNC_PRINTF(2, 3);
void nnc_sheet_end(nnc_sheet *sheet);
/* Writes a line of the page that has a label and running text. */
void nnc_sheet_note(nnc_sheet *sheet, const char *label, const char *format, ...) NNC_PRINTF(3, 4);
/* Writes a line of running text without a label. On a terminal the text is wrapped between words at the width of the
 * terminal. */
void nnc_sheet_line(nnc_buffer *out, nnc_style style, const char *format, ...) NNC_PRINTF(3, 4);
/* Writes an empty line to the page. */
void nnc_sheet_gap(nnc_sheet *sheet);
/* Writes an empty line, and then the heading of the next part of the page. */
void nnc_sheet_heading(nnc_buffer *out, nnc_style style, const char *text);

/* A row that describes a part of a page.
 *
 * A row with a label starts a line of the page; a row without a label adds an item to the line. The text of a row has
 * names of metrics in braces, which are replaced by values: "HFU {throughput.hfu} of {device.peak_flops_per_s}". A
 * value is written in the format of the metrics table, or in the form after a colon: "{cost.step:count}" (see `forms`
 * in sheet.c). A label can contain names of metrics in braces, too.
 *
 * A row is not written if one of its metrics has no value, or if its condition is false. The condition of a row with a
 * label is a condition of the whole line. A line without items is not written. If successive lines have the same label,
 * only the first of these lines shows it.
 *
 * A condition is a list of terms, separated by commas, which must all be true. A term is "name" (true if the value is
 * not 0, false or empty), "!name" (the opposite), "name > X", "name = X" or "name != X", where X is a number, a word or
 * a name. */
typedef struct nnc_page_row {
    /* label of the row; "" = the row begins a line without a label; NULL = the row belongs to the current line */
    const char *label;
    const char *text; /* text of the item that the row adds; NULL = the row has only a label */
    nnc_ink ink;
    enum { NNC_ROW_ITEM, NNC_ROW_WORDS, NNC_ROW_BLOCK, NNC_ROW_GAP } kind;
    /* condition under which the row is written, such as "plan.pipeline > 1, !device.fitted"; NULL = always written */
    const char *when;
    /* function that is called if `text` is NULL: it adds items to the current line, or whole lines in a row made by
     * NNC_ROW_BLOCK */
    void (*write)(nnc_sheet *sheet, const void *record);
} nnc_page_row;

/* Macros for the rows of a page. NNC_LINE starts a line. NNC_ITEM, NNC_BOLD, NNC_GOOD and NNC_BAD add an item to the
 * current line; the item is written in plain, bold, green or red text. NNC_WORDS adds a text that a line break can
 * divide between two words. NNC_ADD calls a function that adds items to the current line, NNC_BLOCK a function that
 * writes whole lines. NNC_GAP writes an empty line. Each macro can have a condition (.when). */
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
    /* metrics table of the record that the page describes; names in braces in the rows are metrics of this table */
    const nnc_metrics *metrics;
    const nnc_page_row *rows;
    size_t count;
} nnc_page_rows;
#define NNC_PAGE_ROWS(table, list) \
    { (table), (list), sizeof(list) / sizeof(list)[0] }

/* Writes the rows of a page, without the rows whose condition is false. The caller must have ended the current line of
 * the sheet. */
void nnc_sheet_rows(nnc_sheet *sheet, const nnc_page_rows *page, const void *record);

/* nnc_page_text copies a text and replaces the names of metrics in braces by the values of the metrics. Returns false
 * if one of the metrics has no value. */
enum { NNC_PAGE_TEXT = 2048 };
bool nnc_page_text(const nnc_metrics *metrics, const void *record, const char *text, char filled[NNC_PAGE_TEXT]);

/* ---- sheet.c: the inputs of a report, at the top of its page ---- */

/* Writes the first lines of the page of a report: model, device, links and plan, with all defaults filled in. */
void nnc_sheet_subject(nnc_sheet *sheet, const nnc_report *report);
/* Writes, for each launch file that a report used, the nncost options with the same effect, and the keys of the file
 * that nncost skipped. */
void nnc_sheet_launch(nnc_sheet *sheet, const nnc_report *report);

/* Writes the source of a price in parentheses: "(AWS p5.48xlarge / 8, us-east-1, 2026-09)". price NULL: writes
 * nothing. */
void nnc_sheet_price(nnc_sheet *sheet, const nnc_price *price);

/* The next functions are called by rows of the pages that describe an nnc_report. The functions nnc_sheet_model and
 * nnc_sheet_device write the name that the user gave and the file that was found. The function nnc_sheet_region writes
 * the source of the carbon intensity, and nnc_sheet_building writes the source of the PUE, if the report has these
 * values. */
void nnc_sheet_model(nnc_sheet *sheet, const void *record);
void nnc_sheet_device(nnc_sheet *sheet, const void *record);
void nnc_sheet_region(nnc_sheet *sheet, const void *record);
/* Writes the errors of earlier predictions: of published measured steps with the same profile and kind of model. */
void nnc_sheet_past(nnc_sheet *sheet, const void *record);
/* Writes the page line that says which measured steps the range of the step time was fitted to, or why there is no
 * fitted range. */
void nnc_sheet_trust(nnc_sheet *sheet, const void *record);
void nnc_sheet_building(nnc_sheet *sheet, const void *record);

/* ---- table.c: tables ---- */

enum { NNC_TABLE_COLUMNS = 256, NNC_TABLE_HELD = 1000 };

/* A table with rows and columns of text, which people read. If a table can be larger than the memory, the widths of its
 * columns follow from its first NNC_TABLE_HELD rows, and each later row is written at once. */
struct nnc_table {
    nnc_head heads[NNC_TABLE_COLUMNS];
    int count;
    nnc_buffer cells; /* texts of the cells of all stored rows, row after row; a NUL ends each text */
    int64_t cell_count;
    /* width of each column of the table in characters; 0 = the column is left out */
    int widths[NNC_TABLE_COLUMNS];
    /* two flags for each column, which are set to make the lines fit: cut = the texts of the column were cut; dropped =
     * the whole column was left out */
    bool cut[NNC_TABLE_COLUMNS], dropped[NNC_TABLE_COLUMNS];
    int gap; /* number of blanks between two columns of the table */
    bool laid_out;
};

/* Begins a table with `count` columns; { .count = 0 } initializes a table without columns. The texts of the headings
 * must exist as long as the table. nnc_table_write ends the table. */
void nnc_table_begin(nnc_table *table, const nnc_head *heads, int count);
void nnc_table_head(nnc_table *table, nnc_head head);
/* Adds to the table one column for each metric of a metrics table whose row has a heading (member `head`). */
void nnc_table_heads(nnc_table *table, const nnc_metrics *metrics);
/* Changes the heading of a table column from `head` to `text`. text NULL: the column is left out. */
void nnc_table_rename(nnc_table *table, const char *head, const char *text);

/* Appends a cell to the current row of the table. After one cell for each column the row is complete, and the next cell
 * begins a new row. */
void nnc_table_cell(nnc_table *table, const char *text);
void nnc_table_whole(nnc_table *table, int64_t whole);
/* Appends a cell with a number and its unit, such as a time: "12.30 ms"; NaN becomes "-". */
void nnc_table_number(nnc_table *table, double value, const char *unit);
/* Appends a cell with a share as a percentage: "41.2%"; NaN becomes "-". */
void nnc_table_share(nnc_table *table, double share);
/* Appends a table row with the metrics of one record: those that have a heading in the metrics table. */
void nnc_table_record(nnc_table *table, const nnc_metrics *metrics, const nnc_place *place);
/* Appends a table row for each record in the list `lines`. */
void nnc_table_records(nnc_table *table, nnc_lines lines);
int64_t nnc_table_rows(const nnc_table *table);

/* Writes a complete table, then frees its memory. */
void nnc_table_write(nnc_table *table, nnc_buffer *out, nnc_style style);

/* Writes a table with one row for each record of `lines`. The headings of the columns are those of the metrics table of
 * the records. */
void nnc_table_of(nnc_buffer *out, nnc_style style, nnc_lines lines);

/* Writes a table as nnc_table_of does, with a heading above it. If the list has no record, writes nothing and returns
 * false. */
bool nnc_table_under(nnc_buffer *out, nnc_style style, nnc_lines lines, const char *heading);

/* Adds lines that the function `line` of the output format has written. If the format needs a layout (member `held`),
 * the first NNC_TABLE_HELD lines are stored and determine the widths of the columns; otherwise each line is written at
 * once. */
void nnc_table_put(nnc_table *table, nnc_buffer *out, nnc_style style, const char *lines, size_t size);

/* ---- formats.c: JSON ---- */

enum { NNC_RECORD_DEPTH = 20 };

/* A JSON document that is written one value after another. The text has line breaks before each member of the document,
 * and before each element of a list that is a member of the document. Values at deeper levels are on the same line as
 * the value that contains them, unless `spread` is true. */
typedef struct nnc_record {
    nnc_buffer *out;
    /* true: numbers are written with 17 significant digits, for a program that computes with them; false: with 12
     * digits */
    bool exact;
    bool spread; /* true: every member of every object gets its own line, for a file that people edit */
    int depth;
    /* for each depth of nesting, the number of members written so far to the object or list that is open there */
    int32_t members[NNC_RECORD_DEPTH];
    bool list[NNC_RECORD_DEPTH];
} nnc_record;

/* nnc_record_begin writes the start of a JSON object to `out`, with `schema` as its first member. nnc_record_end writes
 * the end of the object. */
nnc_record nnc_record_begin(nnc_buffer *out, const char *schema);
void nnc_record_end(nnc_record *record);

/* nnc_record_object and nnc_record_list begin an object or a list, which nnc_record_close ends; the other functions
 * write one value. key: name of the member; NULL inside a list. */
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

/* Writes the members of a C struct (record), as its metrics table describes them, into the JSON object that is open. */
void nnc_record_members(nnc_record *record, const nnc_metrics *metrics, const nnc_place *place);

/* ---- formats.c: HTML ---- */

/* The format of a self-contained HTML page: it contains its style and script, so a browser loads no other file. `nncost
 * report` uses this format; --format does not offer it. */
extern const nnc_format nnc_format_html;

/* Begins an HTML page. title: title of the page as plain text, not as HTML. Pictures on the page use the style sheet of
 * the page. */
void nnc_html_begin(nnc_buffer *out, const char *title);
void nnc_html_end(nnc_buffer *out);

/* Writes an HTML element with a text inside. element: name of the HTML element, such as "h2". */
void nnc_html_put(nnc_buffer *out, const char *element, const char *text);

/* ---- svg.c: pictures ---- */

/* Coordinates of pictures are whole tenths of a pixel and are printed exactly, so that a picture has the same bytes on
 * every machine. The CSS class of an element selects its colour in the palette. */
typedef int32_t nnc_px; /* a length or coordinate of a picture, in tenths of a pixel */
#define NNC_PX(pixels) ((nnc_px)(10 * (pixels)))
/* Converts pixels to tenths of a pixel, rounded to the nearest whole number. */
nnc_px nnc_px_of(double pixels);

typedef struct nnc_box {
    nnc_px x, y, w, h;
} nnc_box;

typedef enum nnc_type { NNC_TYPE_PLAIN, NNC_TYPE_BOLD, NNC_TYPE_SMALL } nnc_type;

/* Returns an upper bound of the drawn width of a text: the width in DejaVu Sans, which is the widest of the usual
 * fonts, plus 5 %. */
nnc_px nnc_text_px(const char *text, nnc_type type);
/* Returns a text that is at most `width` wide when drawn: the whole text, or a beginning of it followed by "..". */
enum { NNC_TEXT_PX_MAX = 192 };
char *nnc_text_cut(const char *text, nnc_type type, nnc_px width, char cut[NNC_TEXT_PX_MAX]);

typedef struct nnc_svg {
    nnc_buffer body;
    /* prefix of all element ids of the picture, such as "nnc-step"; no other picture on the page has this prefix */
    const char *id;
} nnc_svg;

void nnc_svg_begin(nnc_svg *svg, const char *id);

/* Begins a group of drawn elements with the tooltip `tip`, for example a bar. The function nnc_svg_mark_end ends the
 * group. `explain` is the name of the metric that the group shows; NULL = the group shows no metric. Groups in
 * different pictures of a page that show the same op in the same phase have the same `key`; NULL = the group has no
 * key. */
void nnc_svg_mark(nnc_svg *svg, const char *explain, const char *key, const char *tip);
void nnc_svg_mark_end(nnc_svg *svg);

void nnc_svg_rect(nnc_svg *svg, const char *class, nnc_box box);
/* Draws a rectangle with round corners. */
void nnc_svg_round(nnc_svg *svg, const char *class, nnc_box box, nnc_px radius);
/* Draws a hatched rectangle for time or memory that is not used. */
void nnc_svg_hatched(nnc_svg *svg, nnc_box box);
void nnc_svg_circle(nnc_svg *svg, const char *class, nnc_px x, nnc_px y, nnc_px radius);

/* nnc_svg_path begins a path, nnc_svg_to adds a point to it, and nnc_svg_path_end ends it. closed true: a line joins
 * the last point to the first. */
void nnc_svg_path(nnc_svg *svg, const char *class);
/* Adds the point (x, y) to the path. command: 'M' = move to the point without a line, 'L' = draw a line to the
 * point. */
void nnc_svg_to(nnc_svg *svg, char command, nnc_px x, nnc_px y);
void nnc_svg_path_end(nnc_svg *svg, bool closed);
void nnc_svg_line(nnc_svg *svg, const char *class, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2);

/* Draws a text at (x, y). anchor: 's' = the text starts at x, 'm' = the middle of the text is at x, 'e' = the text ends
 * at x. */
void nnc_svg_text(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y, const char *text);
/* Draws a text that is turned clockwise around (x, y). angle: in tenths of a degree. */
void nnc_svg_turned(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y, int32_t angle, const char *text);

/* Writes the finished picture to `out` and frees the memory of the picture. page: true = the picture has its own style
 * sheet and background; false = the picture uses the style sheet of the HTML page that contains it. */
void nnc_svg_end(nnc_svg *svg, nnc_buffer *out, nnc_px width, nnc_px height, const char *title, const char *desc,
                 bool page);

/* Writes a text in which characters that are markup in XML and HTML are escaped. Control characters and invalid UTF-8
 * become '?'. */
void nnc_put_xml(nnc_buffer *out, const char *text);

/* Sets of colours that are drawn next to each other: the parts of a step, the classes of memory, the kinds of bounds.
 * The colours of one set must be distinguishable for colour-blind readers. */
enum { NNC_HUES_STEP = 1, NNC_HUES_MEMORY = 2, NNC_HUES_BOUND = 4 };

/* A colour of pictures, with a variant for light pages and one for dark pages. Each CSS class of drawn elements (bars,
 * lines, text), such as "forward", has a struct of this type. */
typedef struct nnc_hue {
    const char *name;               /* CSS class of the elements that have this colour: "forward" */
    const char *light, *dark;       /* the colour on a light page and on a dark page: "#4a9bd1" */
    const char *on_light, *on_dark; /* colour of text in front of this colour, on a light page and on a dark page;
                                     * NULL = no text is in front of this colour */
    /* sets of colours (bits NNC_HUES_...) that contain this colour; 0 = only backgrounds, lines or text have this
     * colour */
    unsigned hues;
} nnc_hue;

extern const nnc_hue nnc_palette[];
extern const int nnc_palette_count;

/* Writes the CSS style sheet for the pictures of a page. */
void nnc_palette_css(nnc_buffer *out);

#endif
