/* The functions that write JSON, and the output formats JSON, CSV, Markdown and HTML. The file table.c has the format
 * for a terminal. Most results are written by one call; a result that can be larger than the memory is written line by
 * line. */
#include <assert.h>

#include "base/base_internal.h"
#include "render/render_internal.h"

const nnc_format *const nnc_formats[NNC_FORMAT_COUNT] = { &nnc_format_table, &nnc_format_json, &nnc_format_csv,
                                                          &nnc_format_csv_plain, &nnc_format_markdown };

const char *nnc_format_name(unsigned index) { return index < NNC_FORMAT_COUNT ? nnc_formats[index]->name : "?"; }

bool nnc_is_marked(nnc_style style) { return style.mark != NULL && style.mark[0] != '\0'; }

void nnc_view_write(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record) {
    style.format->view(out, style, view, record);
    if (style.format->page != NULL && nnc_is_marked(style)) {
        nnc_buffer_byte(out, '\n');
        nnc_sheet_line(out, style, "implausible: %s", style.mark);
    }
}

/* ---- writing JSON: single values of a document, and all members of a C struct (record), as its metrics table
 * describes them ---- */

static void put_json_cell(nnc_buffer *out, const nnc_cell *cell) {
    switch (cell->kind) {
    case NNC_CELL_NULL: nnc_buffer_text(out, "null"); break;
    case NNC_CELL_NUMBER: nnc_buffer_number(out, cell->number); break;
    case NNC_CELL_WHOLE: nnc_buffer_whole(out, cell->whole); break;
    case NNC_CELL_BOOL: nnc_buffer_text(out, cell->flag ? "true" : "false"); break;
    case NNC_CELL_TEXT: nnc_put_json_text(out, cell->text); break;
    }
}

/* Writes the text that precedes a value in a JSON document: a comma unless the value is the first of its object or
 * list, a line break or a blank, and the key. key NULL: the value is in a list and has no key. */
static void begin_value(nnc_record *record, const char *key) {
    const bool own_line = record->spread || record->depth == 1 || (record->depth == 2 && record->list[2]);
    const bool first = record->members[record->depth]++ == 0;
    nnc_buffer_text(record->out, first ? "" : ",");
    if (own_line) {
        nnc_buffer_byte(record->out, '\n');
        nnc_buffer_blanks(record->out, 2 * record->depth);
    } else {
        nnc_buffer_text(record->out, first ? "" : " ");
    }
    if (key != NULL) {
        nnc_put_json_text(record->out, key);
        nnc_buffer_text(record->out, ": ");
    }
}

nnc_record nnc_record_begin(nnc_buffer *out, const char *schema) {
    nnc_record record = { .out = out, .depth = 1 };
    nnc_buffer_byte(out, '{');
    nnc_record_text(&record, "schema", schema);
    return record;
}

void nnc_record_end(nnc_record *record) {
    assert(record->depth == 1);
    nnc_buffer_text(record->out, "\n}\n");
}

static void open_level(nnc_record *record, const char *key, bool list) {
    assert(record->depth + 1 < NNC_RECORD_DEPTH);
    begin_value(record, key);
    nnc_buffer_byte(record->out, list ? '[' : '{');
    record->depth++;
    record->members[record->depth] = 0;
    record->list[record->depth] = list;
}

void nnc_record_object(nnc_record *record, const char *key) { open_level(record, key, false); }

void nnc_record_list(nnc_record *record, const char *key) { open_level(record, key, true); }

void nnc_record_close(nnc_record *record) {
    const bool list = record->list[record->depth];
    if ((record->spread || (list && record->depth == 2)) && record->members[record->depth] > 0) {
        nnc_buffer_byte(record->out, '\n');
        nnc_buffer_blanks(record->out, 2 * record->depth - 2);
    }
    nnc_buffer_byte(record->out, list ? ']' : '}');
    record->depth--;
}

static void put_json_member(nnc_record *record, const char *key, const nnc_cell *cell) {
    begin_value(record, key);
    if (cell->kind == NNC_CELL_NUMBER && record->exact) {
        nnc_buffer_print(record->out, "%.17g", cell->number);
    } else {
        put_json_cell(record->out, cell);
    }
}

void nnc_record_text(nnc_record *record, const char *key, const char *text) {
    const nnc_cell cell = nnc_text_cell(text);
    put_json_member(record, key, &cell);
}

void nnc_record_number(nnc_record *record, const char *key, double value) {
    const nnc_cell cell = nnc_number_cell(value);
    put_json_member(record, key, &cell);
}

void nnc_record_whole(nnc_record *record, const char *key, int64_t value) {
    put_json_member(record, key, &(nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = value });
}

void nnc_record_bool(nnc_record *record, const char *key, bool value) {
    put_json_member(record, key, &(nnc_cell){ .kind = NNC_CELL_BOOL, .flag = value });
}

void nnc_record_json(nnc_record *record, const char *key, const char *json) {
    begin_value(record, key);
    nnc_buffer_text(record->out, json);
}

void nnc_record_null(nnc_record *record, const char *key) {
    put_json_member(record, key, &(nnc_cell){ .kind = NNC_CELL_NULL });
}

/* ---- writing C structs (records) as JSON by their metrics tables ---- */

/* Writes an array of a record as a JSON object if the elements of the array have names, otherwise as a JSON list.
 * Leaves out the elements that are 0 if the metrics table calls the array sparse. */
static void put_array(nnc_record *record, const nnc_metric *row, const nnc_place *place) {
    char text[NNC_METRIC_TEXT_MAX];
    open_level(record, row->name, nnc_metric_rare(row)->each == NULL);
    for (int32_t i = 0; i < row->each_count; i++) {
        const nnc_cell cell = nnc_metric_read(row, place, i, text);
        if (!row->sparse || cell.kind != NNC_CELL_WHOLE || cell.whole > 0) {
            put_json_member(record, nnc_metric_rare(row)->each != NULL ? nnc_metric_rare(row)->each((unsigned)i) : NULL,
                            &cell);
        }
    }
    nnc_record_close(record);
}

/* The recursion follows nested tables, which are only a few levels deep. NOLINTNEXTLINE(misc-no-recursion) */
static void put_list(nnc_record *record, const nnc_metric *row, const nnc_place *place) {
    const nnc_lines lines = nnc_metric_lines(row, place);
    const char *const *texts = lines.records;
    if (lines.count == 0 && row->null_empty) {
        nnc_record_null(record, row->name);
        return;
    }
    nnc_record_list(record, row->name);
    for (int64_t i = 0; i < lines.count; i++) {
        if (row->type == NNC_METRIC_TEXTS) {
            nnc_record_text(record, NULL, texts[i]);
            continue;
        }
        const nnc_place item = nnc_line_place(&lines, i);
        if (nnc_line_listed(&lines, &item)) {
            nnc_record_object(record, NULL);
            nnc_record_members(record, row->rows, &item);
            nnc_record_close(record);
        }
    }
    nnc_record_close(record);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_object(nnc_record *record, const nnc_metric *row, const nnc_place *place) {
    const nnc_place inside = nnc_metric_inside(row, place);
    if (row->name == NULL) {
        nnc_record_members(record, row->rows, &inside);
    } else if (inside.record == NULL || (nnc_metric_rare(row)->unless != NULL && nnc_metric_rare(row)->unless(place))) {
        nnc_record_null(record, row->name);
    } else {
        nnc_record_object(record, row->name);
        nnc_record_members(record, row->rows, &inside);
        nnc_record_close(record);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
void nnc_record_members(nnc_record *record, const nnc_metrics *metrics, const nnc_place *place) {
    char text[NNC_METRIC_TEXT_MAX];
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        if (nnc_metric_rare(row)->when != NULL && !nnc_metric_rare(row)->when(place)) { continue; }
        if (row->type == NNC_METRIC_OBJECT) {
            put_object(record, row, place);
        } else if (row->type == NNC_METRIC_LIST || row->type == NNC_METRIC_TEXTS) {
            put_list(record, row, place);
        } else if (row->each_count > 0) {
            put_array(record, row, place);
        } else if (row->name != NULL) {
            const nnc_cell cell = nnc_metric_read(row, place, 0, text);
            put_json_member(record, row->name, &cell);
        }
    }
}

/* ---- JSON formats of a result: one document, or one JSON object in each line ---- */

static void json_write_view(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record) {
    const nnc_place place = { .record = record };
    nnc_record document = nnc_record_begin(out, view->schema);
    if (nnc_is_marked(style)) { nnc_record_text(&document, "implausible", style.mark); }
    document.exact = view->exact;
    nnc_record_members(&document, view->document, &place);
    nnc_record_end(&document);
}

static void json_put_line(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells) {
    for (int i = 0; i < heads.count; i++) {
        nnc_buffer_put(out, i > 0 ? ", " : "{", i > 0 ? 2 : 1);
        nnc_put_json_text(out, heads.list[i].name);
        nnc_buffer_put(out, ": ", 2);
        put_json_cell(out, &cells[i]);
    }
    nnc_buffer_text(out, "}\n");
}

const nnc_format nnc_format_json = {
    .name = "json", .view = json_write_view, .line = json_put_line, .documents = true
};

/* ---- CSV (RFC 4180): lines end with "\r\n" ---- */

/* Tests whether a spreadsheet reads the text as a formula (= + - @), or GitHub Actions runs the text as a command (::).
 * Some spreadsheets read the wide forms of = + - @ as formulas, too: U+FF0B, U+FF0D, U+FF1D and U+FF20. */
static bool is_formula(const char *text) {
    static const char *const wide[] = { "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\x9D", "\xEF\xBC\xA0" };
    bool starts = strchr("=+-@", *text) != NULL && *text != '\0';
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) { starts = starts || strncmp(text, wide[i], 3) == 0; }
    return starts || (text[0] == ':' && text[1] == ':');
}

/* Writes a text as a CSV cell, in quotes where CSV needs them. Control characters and line breaks become blanks. An
 * apostrophe is added before a text that a spreadsheet would run as a formula. Source: OWASP, "CSV Injection". */
static void csv_put_text(nnc_buffer *out, const char *text) {
    const size_t begin = nnc_plain_length(text, SIZE_MAX);
    if (text[begin] == '\0' && memchr(text, ',', begin) == NULL && !is_formula(text)) {
        nnc_buffer_put(out, text, begin);
        return;
    }
    const bool quoted = strpbrk(text, ",\"") != NULL;
    nnc_buffer_text(out, quoted ? "\"" : "");
    nnc_buffer_text(out, is_formula(text) ? "'" : "");
    while (*text != '\0') {
        const size_t plain = nnc_plain_length(text, SIZE_MAX);
        if (plain > 0) {
            nnc_buffer_put(out, text, plain);
            text += plain;
            continue;
        }
        const size_t control = nnc_control_length(text);
        nnc_buffer_text(out, *text == '"' ? "\"" : "");
        nnc_buffer_byte(out, (char)(control > 0 ? ' ' : *text));
        text += control > 0 ? control : 1;
    }
    nnc_buffer_text(out, quoted ? "\"" : "");
}

static void csv_put_cell(nnc_buffer *out, const nnc_cell *cell) {
    switch (cell->kind) {
    case NNC_CELL_NULL: break;
    case NNC_CELL_NUMBER:
        if (isfinite(cell->number)) { nnc_buffer_number(out, cell->number); }
        break;
    case NNC_CELL_WHOLE: nnc_buffer_whole(out, cell->whole); break;
    case NNC_CELL_BOOL: nnc_buffer_text(out, cell->flag ? "true" : "false"); break;
    case NNC_CELL_TEXT: csv_put_text(out, cell->text); break;
    }
}

/* Writes the first line of a CSV file: the names of the columns, separated by commas. plain: true = short names without
 * dots, for a database; false = full names. names NULL: the caller could not allocate the names, and the function sets
 * out->failed. */
static void csv_put_names(nnc_buffer *out, const char *const *names, int count, bool plain) {
    if (names == NULL) { /* the caller could not allocate the names */
        out->failed = true;
        return;
    }
    for (int i = 0; i < count; i++) {
        char name[NNC_METRIC_TEXT_MAX];
        if (plain) { nnc_short_name(names, count, i, name, sizeof name); }
        nnc_buffer_text(out, i > 0 ? "," : "");
        csv_put_text(out, plain ? name : names[i]);
    }
}

static void csv_put_heads(nnc_buffer *out, nnc_heads heads, bool plain) {
    const char **names = malloc((size_t)heads.count * sizeof *names + 1);
    for (int i = 0; names != NULL && i < heads.count; i++) { names[i] = heads.list[i].name; }
    csv_put_names(out, names, heads.count, plain);
    nnc_buffer_text(out, "\r\n");
    free(names);
}

static void csv_put_heading(nnc_buffer *out, nnc_heads heads) { csv_put_heads(out, heads, false); }

static void csv_plain_put_heading(nnc_buffer *out, nnc_heads heads) { csv_put_heads(out, heads, true); }

static void csv_put_line(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells) {
    for (int i = 0; i < heads.count; i++) {
        if (i > 0) { nnc_buffer_byte(out, ','); }
        csv_put_cell(out, &cells[i]);
    }
    nnc_buffer_put(out, "\r\n", 2);
}

static void put_record(nnc_buffer *out, nnc_style style, nnc_columns columns, const nnc_place *place) {
    for (int32_t i = 0; i < columns.count; i++) {
        char text[NNC_METRIC_TEXT_MAX];
        const nnc_cell cell = nnc_column_read(&columns.list[i], *place, text);
        nnc_buffer_text(out, i > 0 ? "," : "");
        csv_put_cell(out, &cell);
    }
    if (nnc_is_marked(style)) {
        nnc_buffer_byte(out, ',');
        csv_put_text(out, style.mark);
    }
    nnc_buffer_text(out, "\r\n");
}

static nnc_lines lines_of(const nnc_view *view, const void *record) {
    const nnc_place place = { .record = record };
    for (size_t i = 0; view->list != NULL && i < view->document->count; i++) {
        const nnc_metric *row = &view->document->rows[i];
        if (row->name != NULL && strcmp(row->name, view->list) == 0) { return nnc_metric_lines(row, &place); }
    }
    return view->lines != NULL ? view->lines(record) : (nnc_lines){ view->document, NULL, record, 1 };
}

static void csv_write_lines(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record, bool plain) {
    const nnc_lines lines = lines_of(view, record);
    nnc_columns columns = { .count = 0 };
    nnc_arena *arena = nnc_arena_create();
    out->failed = out->failed || arena == NULL || nnc_columns_of(lines.metrics, arena, &columns) != NNC_OK;
    const char **names = arena != NULL ? nnc_arena_array(arena, (size_t)columns.count + 1, sizeof *names) : NULL;
    for (int32_t i = 0; names != NULL && i < columns.count; i++) { names[i] = columns.list[i].name; }
    csv_put_names(out, names, columns.count, plain);
    nnc_buffer_text(out, nnc_is_marked(style) ? ",implausible\r\n" : "\r\n");
    for (int64_t i = 0; i < lines.count; i++) {
        const nnc_place place = nnc_line_place(&lines, i);
        if (nnc_line_listed(&lines, &place)) { put_record(out, style, columns, &place); }
    }
    nnc_arena_destroy(arena);
}

static void csv_write_view(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record) {
    csv_write_lines(out, style, view, record, false);
}

static void csv_plain_write_view(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record) {
    csv_write_lines(out, style, view, record, true);
}

const nnc_format nnc_format_csv = {
    .name = "csv", .view = csv_write_view, .heading = csv_put_heading, .line = csv_put_line
};
const nnc_format nnc_format_csv_plain = {
    .name = "csv-plain", .view = csv_plain_write_view, .heading = csv_plain_put_heading, .line = csv_put_line
};

bool nnc_format_is_csv(const nnc_format *format) {
    return format == &nnc_format_csv || format == &nnc_format_csv_plain;
}

/* ---- GitHub's Markdown: the lists and tables of a page ---- */

static void markdown_put_label(nnc_sheet *sheet, const char *label) {
    if (*label == '\0' || *label == ' ') {
        nnc_buffer_print(sheet->out, "  %s%s", label + strspn(label, " "), *label != '\0' ? ": " : "");
    } else {
        nnc_buffer_print(sheet->out, "- **%s**: ", label);
    }
}

static void markdown_put_text(nnc_sheet *sheet, const char *text) { nnc_put_markdown(sheet->out, text); }

static void markdown_put_page_heading(nnc_buffer *out, const char *text) { nnc_buffer_print(out, "\n## %s\n\n", text); }

static void markdown_put_heading(nnc_buffer *out, nnc_heads heads) {
    const char *before = "| ";
    for (int i = 0; i < heads.count; i++) {
        if (heads.list[i].text != NULL) {
            nnc_buffer_text(out, before);
            nnc_put_markdown(out, heads.list[i].text);
            before = " | ";
        }
    }
    nnc_buffer_text(out, " |\n");
    for (int i = 0; i < heads.count; i++) {
        if (heads.list[i].text != NULL) { nnc_buffer_text(out, heads.list[i].left ? "|:---" : "|---:"); }
    }
    nnc_buffer_text(out, "|\n");
}

static void markdown_put_line(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells) {
    for (int i = 0; i < heads.count; i++) {
        char text[NNC_METRIC_TEXT_MAX];
        nnc_buffer_text(out, i > 0 ? " | " : "| ");
        nnc_put_markdown(out, nnc_cell_text(&cells[i], heads.list[i].show, heads.list[i].unit, text));
    }
    nnc_buffer_text(out, " |\n");
}

static void markdown_put_table(nnc_buffer *out, nnc_style style, nnc_table *table) {
    const char *cell = table->cells.bytes, *before = "| ";
    (void)style;
    markdown_put_heading(out, (nnc_heads){ table->heads, table->count });
    for (int64_t i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        const int column = (int)(i % table->count);
        if (table->heads[column].text != NULL) {
            nnc_buffer_text(out, before);
            nnc_put_markdown(out, cell);
            before = " | ";
        }
        if (column + 1 == table->count) {
            nnc_buffer_text(out, " |\n");
            before = "| ";
        }
    }
}

static const nnc_page markdown_page = { .label = markdown_put_label,
                                        .text = markdown_put_text,
                                        .heading = markdown_put_page_heading,
                                        .table = markdown_put_table };

const nnc_format nnc_format_markdown = { .name = "markdown",
                                         .view = nnc_page_write,
                                         .heading = markdown_put_heading,
                                         .line = markdown_put_line,
                                         .page = &markdown_page };

/* ---- HTML: a self-contained page, and the paragraphs and tables that views write into it ---- */

/* Style sheet of an HTML page. The reader's browser selects light or dark colours; a printed page is always light, and
 * its tables and pictures are not divided by page breaks. */
static const char style_sheet[] =
    "body{font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;"
    "max-width:60rem;margin:0 "
    "auto;padding:1rem;color:#1b1f24;background:#fff;overflow-wrap:anywhere}"
    "h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem}"
    ".verdict{font-size:1.15rem}svg.nnc{max-width:100%;height:auto;display:block;margin:1rem "
    "0}.wide svg.nnc{max-width:none}"
    "pre{white-space:pre-wrap;border:1px solid #d0d7de;padding:.6rem}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}"
    "th,td{white-space:nowrap;overflow-wrap:normal;text-align:left;padding:.2rem "
    ".6rem;border-bottom:1px solid #d0d7de}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}"
    "th button{font:inherit;color:inherit;background:none;border:0;padding:0;min-height:24px;"
    "cursor:pointer}dt{font-weight:600}dd{margin:0 0 .4rem}.phone{display:none}"
    "@media(max-width:500px){.desk{display:none}.phone{display:block}}"
    "@media screen and (prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}"
    "pre,th,td{border-color:#373e47}}"
    "@media "
    "print{.wide{overflow:visible}svg,tr,pre,.verdict{break-inside:avoid}.phone{display:none}"
    ".desk{display:block}}";

/* Script of an HTML page: a click on a heading of a table sorts the table by this column. Cells such as "12.30 ms" or
 * "41.2%" are sorted as numbers. */
static const char script[] = "const size={n:1e-9,u:1e-6,m:1e-3,k:1e3,M:1e6,G:1e9,T:1e12,P:1e15,E:1e18};"
                             "function worth(text){const m=/^([-+]?[\\d.,]+)\\s*([a-zA-Z]*)/.exec(text);"
                             "if(!m)return null;const v=parseFloat(m[1].replace(/,/g,''));"
                             "const p=m[2].length>1||'kMGTPE'.includes(m[2])?size[m[2][0]]:0;return v*(p||1)}"
                             "for(const table of document.querySelectorAll('table')){"
                             "const body=table.tBodies[0];[...table.tHead.rows[0].cells].forEach((head,i)=>{"
                             "const button=document.createElement('button');button.type='button';"
                             "button.append(...head.childNodes);head.append(button);"
                             "button.addEventListener('click',()=>{"
                             "const down=head.getAttribute('aria-sort')!=='descending';"
                             "for(const h of table.tHead.rows[0].cells)h.removeAttribute('aria-sort');"
                             "head.setAttribute('aria-sort',down?'descending':'ascending');"
                             "const rows=[...body.rows].map(row=>[row,row.cells[i]?row.cells[i].textContent:'']);"
                             "rows.sort(([,a],[,b])=>{const x=worth(a),y=worth(b);"
                             "if((x===null)!==(y===null))return x===null?1:-1;"
                             "const c=x===null?b.localeCompare(a):y-x;return down?c:-c});"
                             "body.append(...rows.map(([row])=>row))})})}";

void nnc_html_begin(nnc_buffer *out, const char *title) {
    nnc_buffer_text(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                         "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
                         "form-action 'none'\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    nnc_put_xml(out, title);
    nnc_buffer_print(out, "</title>\n<style>%s", style_sheet);
    nnc_palette_css(out);
    nnc_buffer_text(out, "</style></head>\n<body><main>\n");
}

void nnc_html_end(nnc_buffer *out) { nnc_buffer_print(out, "</main>\n<script>%s</script></body></html>\n", script); }

void nnc_html_put(nnc_buffer *out, const char *element, const char *text) {
    nnc_buffer_print(out, "<%s>", element);
    nnc_put_xml(out, text);
    nnc_buffer_print(out, "</%s>\n", element);
}

/* ---- HTML fragments: paragraphs and tables without a page around them; no value of --format selects them ---- */

static void put_label(nnc_sheet *sheet, const char *label) {
    /* a line whose label is empty or indented continues the line above */
    const bool below = *label == '\0' || *label == ' ';
    nnc_buffer_text(sheet->out, below ? "<br>" : "<p>");
    label += strspn(label, " ");
    if (*label != '\0') {
        nnc_buffer_text(sheet->out, "<b>");
        nnc_put_xml(sheet->out, label);
        nnc_buffer_text(sheet->out, "</b> ");
    }
}

static void put_text(nnc_sheet *sheet, const char *text) { nnc_put_xml(sheet->out, text); }

static void put_heading(nnc_buffer *out, const char *text) {
    nnc_buffer_text(out, "\n<h3>");
    nnc_put_xml(out, text);
    nnc_buffer_text(out, "</h3>\n");
}

static void put_cell(nnc_buffer *out, const nnc_head *head, const char *element, const char *text) {
    nnc_buffer_print(out, "<%s%s>", element, head->left ? "" : " class=\"n\"");
    nnc_put_xml(out, text);
}

static void put_table(nnc_buffer *out, nnc_style style, nnc_table *table) {
    const char *cell = table->cells.bytes;
    (void)style;
    nnc_buffer_text(out, "<div class=\"wide\"><table><thead><tr>");
    for (int i = 0; i < table->count; i++) {
        if (table->heads[i].text != NULL) { put_cell(out, &table->heads[i], "th", table->heads[i].text); }
    }
    nnc_buffer_text(out, "</thead><tbody>\n");
    for (int64_t i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        const nnc_head *head = &table->heads[i % table->count];
        if (i % table->count == 0) { nnc_buffer_text(out, i > 0 ? "\n<tr>" : "<tr>"); }
        if (head->text != NULL) { put_cell(out, head, "td", cell); }
    }
    nnc_buffer_text(out, "\n</tbody></table></div>\n");
}

static const nnc_page page = { .label = put_label, .text = put_text, .heading = put_heading, .table = put_table };

const nnc_format nnc_format_html = { .name = "html", .view = nnc_page_write, .page = &page };
