/* Tests how outputs are written: as lines, tables, pages for people, and JSON documents. */
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"
#include "support.h"

static const nnc_head heads[] = {
    { .name = "row", .text = "row" },
    { .name = "plan.tensor", .text = "tensor" },
    { .name = "device.id", .text = "device", .left = true },
    { .name = "step.step_s", .text = "step_s", .unit = "s" },
    { .name = "memory.total_bytes", .text = "total_bytes", .unit = "B" },
    { .name = "fits", .text = "fits", .left = true },
};
enum { COLUMNS = COUNT_OF(heads) };
static const nnc_heads all_heads = { heads, COLUMNS };

static void fill(nnc_cell cells[COLUMNS], int64_t row, const char *text, double number) {
    cells[0] = (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = row };
    cells[1] = (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = 8 };
    cells[2] = (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text };
    cells[3] = (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number };
    cells[4] = (nnc_cell){ .kind = NNC_CELL_NULL };
    cells[5] = (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = true };
}

static const char *as_text(nnc_buffer *buffer) {
    nnc_buffer_byte(buffer, '\0');
    ck_assert(!buffer->failed);
    return buffer->bytes;
}

START_TEST(every_format_has_a_row) {
    for (unsigned i = 0; i < NNC_FORMAT_COUNT; i++) {
        const nnc_format *format = nnc_formats[i];
        ck_assert_str_eq(nnc_format_name(i), format->name);
        ck_assert(format->view != NULL && format->line != NULL);
        ck_assert(!format->held || format->page != NULL);
    }
    ck_assert_str_eq(nnc_format_name(NNC_FORMAT_COUNT), "?");
}
END_TEST

START_TEST(lines) {
    static const struct {
        const nnc_format *format;
        const char *heading, *line;
    } cases[] = {
        { &nnc_format_csv, "row,plan.tensor,device.id,step.step_s,memory.total_bytes,fits\r\n",
          "7,8,\"a\"\",b c\",0.0123,,true\r\n" },
        { &nnc_format_json, "",
          "{\"row\": 7, \"plan.tensor\": 8, \"device.id\": \"a\\\",b\\u000ac\", "
          "\"step.step_s\": 0.0123, \"memory.total_bytes\": null, \"fits\": true}\n" },
        { &nnc_format_markdown,
          "| row | tensor | device | step_s | total_bytes | fits |\n"
          "|---:|---:|:---|---:|---:|:---|\n",
          "| 7 | 8 | a\",b?c | 12.30 ms | - | yes |\n" },
    };
    nnc_cell cells[COLUMNS];
    fill(cells, 7, "a\",b\nc", 0.0123);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_buffer heading = { 0 }, line = { 0 };
        if (cases[i].format->heading != NULL) { cases[i].format->heading(&heading, all_heads); }
        cases[i].format->line(&line, all_heads, cells);
        ck_assert_str_eq(as_text(&heading), cases[i].heading);
        ck_assert_str_eq(as_text(&line), cases[i].line);
        nnc_buffer_free(&heading);
        nnc_buffer_free(&line);
    }
}
END_TEST

START_TEST(packed_rows) {
    nnc_cell cells[COLUMNS], found[COLUMNS];
    nnc_buffer packed = { 0 };
    fill(cells, INT64_C(1) << 60, "", 0.1);
    nnc_cells_pack(&packed, cells, COLUMNS);
    nnc_cells_unpack(packed.bytes, found, COLUMNS);
    ck_assert_int_eq(found[0].whole, INT64_C(1) << 60);
    ck_assert_str_eq(found[2].text, "");
    ck_assert(found[3].number == 0.1 && found[5].flag);
    ck_assert_int_eq(found[4].kind, NNC_CELL_NULL);
    nnc_buffer_free(&packed);
}
END_TEST

/* The width of a column follows from the first lines. The table is the same if its lines arrive in several parts. */
START_TEST(long_tables) {
    const nnc_style style = { .format = &nnc_format_table, .width = 1000 };
    nnc_buffer packed = { 0 }, whole = { 0 }, pieces = { 0 };
    nnc_cell cells[COLUMNS];
    nnc_table one, many;
    nnc_table_begin(&one, heads, COLUMNS);
    nnc_table_begin(&many, heads, COLUMNS);
    for (int64_t row = 0; row < 2 * NNC_TABLE_HELD; row++) {
        const size_t before = packed.size;
        fill(cells, row, row == 5 ? "h\xc3\xa4ngt" : row == NNC_TABLE_HELD ? "longer yet" : "x", 1.0);
        style.format->line(&packed, all_heads, cells);
        nnc_table_put(&many, &pieces, style, packed.bytes + before, packed.size - before);
    }
    nnc_table_put(&one, &whole, style, packed.bytes, packed.size);
    nnc_table_write(&one, &whole, style);
    nnc_table_write(&many, &pieces, style);
    ck_assert_str_eq(as_text(&whole), as_text(&pieces));
    static const char start[] = "row  tensor  device   step_s  total_bytes  fits\n"
                                "  0       8  x       1.000 s            -  yes\n";
    ck_assert_msg(strncmp(whole.bytes, start, strlen(start)) == 0, "%.200s", whole.bytes);
    nnc_buffer_free(&packed);
    nnc_buffer_free(&whole);
    nnc_buffer_free(&pieces);
}
END_TEST

/* If a table of records must fit a width, its columns move closer, shrink, or are left out. */
typedef struct place_name {
    const char *name, *note;
    double seconds;
    int64_t bytes;
} place_name;

static const nnc_metric name_rows[] = {
    NNC_TEXT(place_name, name, .head = "name"),
    NNC_TEXT(place_name, note, .head = "note", .shrinks = true),
    NNC_NUMBER(place_name, seconds, .head = "time", .unit = "s", .drop = 1),
    NNC_WHOLE(place_name, bytes, .head = "size", .unit = "B"),
    NNC_AS("only_json", WHOLE, NNC_IN(place_name, bytes)),
};
static const nnc_metrics names = NNC_METRICS("a name", name_rows, place_name);

START_TEST(tables_fit) {
    static const place_name list[] = { { "first", "a rather long remark", 0.5, 1000 }, { "second", "", 1e-6, 2 } };
    static const struct {
        int width;
        const char *text;
    } cases[] = {
        { 80, "name    note                      time      size\n"
              "first   a rather long remark  500.0 ms  1.000 kB\n"
              "second                        1.000 us       2 B\n" },
        { 38, "name   note              time     size\n"
              "first  a rather lo.. 500.0 ms 1.000 kB\n"
              "second               1.000 us      2 B\n"
              "cut: note (a width of 38, see COLUMNS)\n" },
        { 26, "name   note           size\n"
              "first  a rather.. 1.000 kB\n"
              "second                 2 B\n"
              "left out: time; cut: note\n"
              "(a width of 26, see\n"
              "COLUMNS)\n" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const nnc_style style = { .format = &nnc_format_table, .width = cases[i].width };
        nnc_buffer out = { 0 };
        nnc_table_of(&out, style, (nnc_lines){ &names, NULL, list, 2 });
        ck_assert_str_eq(as_text(&out), cases[i].text);
        nnc_buffer_free(&out);
    }
}
END_TEST

START_TEST(numbers_for_people) {
    static const struct {
        nnc_cell cell;
        nnc_show show;
        const char *unit, *text;
    } cases[] = {
        { { .kind = NNC_CELL_NULL }, NNC_SHOW_UNIT, "s", "-" },
        { { .kind = NNC_CELL_BOOL }, NNC_SHOW_UNIT, NULL, "no" },
        { { .kind = NNC_CELL_WHOLE, .whole = 12345 }, NNC_SHOW_UNIT, NULL, "12345" },
        { { .kind = NNC_CELL_WHOLE, .whole = 12345 }, NNC_SHOW_SHORT, NULL, "12.35 k" },
        { { .kind = NNC_CELL_WHOLE, .whole = 12345 }, NNC_SHOW_COUNT, NULL, "12,345" },
        { { .kind = NNC_CELL_WHOLE, .whole = 12345 }, NNC_SHOW_UNIT, "B", "12.35 kB" },
        { { .kind = NNC_CELL_NUMBER, .number = 0.25 }, NNC_SHOW_UNIT, "s", "250.0 ms" },
        { { .kind = NNC_CELL_NUMBER, .number = 1.0 / 3 }, NNC_SHOW_UNIT, NULL, "0.3333" },
        { { .kind = NNC_CELL_NUMBER, .number = 1.0 / 3 }, NNC_SHOW_PLAIN, NULL, "0.333333333333" },
        { { .kind = NNC_CELL_NUMBER, .number = 0.4123 }, NNC_SHOW_PERCENT, NULL, "41.2%" },
        { { .kind = NNC_CELL_NUMBER, .number = 0.4123 }, NNC_SHOW_PERCENT2, NULL, "41.23%" },
        { { .kind = NNC_CELL_NUMBER, .number = -0.05 }, NNC_SHOW_ERROR, NULL, "-5.0%" },
        { { .kind = NNC_CELL_NUMBER, .number = 2e9 }, NNC_SHOW_SCALED, NULL, "2.000 G" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[NNC_METRIC_TEXT_MAX];
        ck_assert_str_eq(nnc_cell_text(&cases[i].cell, cases[i].show, cases[i].unit, text), cases[i].text);
    }
}
END_TEST

/* Each member of a document and each element of its lists has its own line. */
START_TEST(documents) {
    static const place_name list[] = { { "a", NULL, NAN, 3 } };
    const struct holder {
        const place_name *list;
        int32_t count;
    } holder = { list, 1 };
    const nnc_metric rows[] = {
        NNC_AS("names", LIST, NNC_IN(struct holder, list), NNC_COUNT(struct holder, count), .rows = &names),
        NNC_WHOLE(struct holder, count),
    };
    const nnc_metrics document = { .rows = rows, .count = COUNT_OF(rows) };
    const nnc_view view = { .schema = "a/1", .document = &document };
    const nnc_style style = { .format = &nnc_format_json };
    nnc_buffer out = { 0 };
    nnc_view_write(&out, style, &view, &holder);
    ck_assert_str_eq(as_text(&out), "{\n  \"schema\": \"a/1\",\n  \"names\": [\n"
                                    "    {\"name\": \"a\", \"note\": null, \"seconds\": null, \"bytes\": 3, "
                                    "\"only_json\": 3}\n  ],\n  \"count\": 1\n}\n");
    nnc_buffer_free(&out);
}
END_TEST

/* Invalid UTF-8 is replaced, so that readers accept the document. */
START_TEST(json_texts) {
    static const char *const cases[][2] = {
        { "plain", "\"plain\"" },
        { "a\"b\\c\n", "\"a\\\"b\\\\c\\u000a\"" },
        { "\xc3\xa4", "\"\xc3\xa4\"" },
        { "\xff", "\"\\ufffd\"" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_buffer out = { 0 };
        nnc_put_json_text(&out, cases[i][0]);
        ck_assert_str_eq(as_text(&out), cases[i][1]);
        nnc_buffer_free(&out);
    }
}
END_TEST

/* Rows of a page: metrics in braces, forms of numbers, conditions, and lines that are left out. */
typedef struct page_record {
    double seconds, unknown, share;
    int64_t count;
    bool flag;
    const char *word;
} page_record;

static const nnc_metric record_rows[] = {
    NNC_NUMBER(page_record, seconds, .unit = "s"),
    NNC_NUMBER(page_record, unknown),
    NNC_NUMBER(page_record, share),
    NNC_WHOLE(page_record, count),
    NNC_BOOL(page_record, flag),
    NNC_TEXT(page_record, word),
};
static const nnc_metrics record_metrics = NNC_METRICS("a record", record_rows, page_record);
static const nnc_metric page_rows_of_record[] = {
    NNC_AS("in", OBJECT, .rows = &record_metrics),
};
static const nnc_metrics page_metrics = NNC_METRICS("a page", page_rows_of_record, page_record);

static void add_code(nnc_sheet *sheet, const void *record) {
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "code %d", (int)((const page_record *)record)->count);
}

START_TEST(page_rows) {
    static const nnc_page_row rows[] = {
        NNC_LINE("time"),
        NNC_BOLD("{in.seconds}"),
        NNC_ITEM("{in.share:percent} of {in.count}"),
        NNC_ITEM("never {in.unknown}"),
        NNC_LINE("none"),
        NNC_ITEM("{in.unknown}"),
        NNC_LINE("skipped", .when = "in.flag, in.word != yes"),
        NNC_ITEM("no"),
        NNC_ADD(add_code),
        NNC_LINE("time"),
        NNC_ITEM("above", .when = "in.count > 3"),
        NNC_ITEM("not above", .when = "in.count > 4"),
        NNC_ITEM("as a metric", .when = "in.count > in.share"),
        NNC_ITEM("equal", .when = "in.count = 4, in.word = yes"),
        NNC_ITEM("unequal", .when = "in.count != 4"),
        NNC_ITEM("has no value", .when = "!in.unknown"),
        NNC_GAP(),
        NNC_LINE("{in.word}"),
        NNC_ADD(add_code),
        NNC_ITEM("{in.seconds:g4} {in.count:kWh}"),
    };
    static const nnc_page_rows page = NNC_PAGE_ROWS(&page_metrics, rows);
    static const page_record record = {
        .seconds = 0.0123, .unknown = (double)NAN, .share = 0.5, .count = 4, .flag = true, .word = "yes"
    };
    nnc_buffer out = { 0 };
    nnc_sheet sheet = nnc_sheet_begin(&out, (nnc_style){ .format = &nnc_format_table, .width = 80 });
    nnc_sheet_rows(&sheet, &page, &record);
    ck_assert_str_eq(as_text(&out), "time      12.30 ms, 50.0% of 4\n"
                                    "          above, as a metric, equal, has no value\n"
                                    "\n"
                                    "yes       code 4, 0.0123 1.111e-06\n");
    nnc_buffer_free(&out);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        every_format_has_a_row, lines,     packed_rows, long_tables, tables_fit,
        numbers_for_people,     documents, json_texts,  page_rows,
    };
    return run_tests_with("render", NULL, NULL, tests, COUNT_OF(tests));
}
