#include "explain/explain.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "render/subject.h"
#include "render/text.h"

void nnc_scope_add(nnc_scope *scope, const char *name, double value, const char *unit)
{
    if (scope->count < NNC_SYMBOLS_MAX) {
        nnc_symbol *added = &scope->symbols[scope->count++];
        snprintf(added->name, sizeof added->name, "%s", name);
        added->value = value;
        added->unit = unit;
    }
}

const nnc_symbol *nnc_scope_find(const nnc_scope *scope, const char *name, size_t length)
{
    for (int i = 0; i < scope->count; i++) {
        const nnc_symbol *symbol = &scope->symbols[i];
        if (strlen(symbol->name) == length && memcmp(symbol->name, name, length) == 0) {
            return symbol;
        }
    }
    return NULL;
}

/* Length of the name that a formula goes on with, 0 if none: a letter, then letters, digits, '_'
 * and '.'. */
static size_t name_length(const char *formula)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    static const char more[] = "abcdefghijklmnopqrstuvwxyz_.0123456789";
    return strspn(formula, letters) > 0 ? strspn(formula, more) : 0;
}

static void append(char *text, size_t size, const char *part, size_t length)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%.*s", (int)length, part);
}

static const char *value_text(double value, char text[NNC_NUMBER_TEXT])
{
    return isnan(value) ? "unknown" : nnc_number_text(value, text);
}

/* The formula with a number in place of each name. */
static void substitute(const nnc_scope *scope, const char *formula, char *text, size_t size)
{
    text[0] = '\0';
    while (*formula) {
        size_t length = name_length(formula);
        const nnc_symbol *symbol = length > 0 ? nnc_scope_find(scope, formula, length) : NULL;
        if (symbol != NULL) {
            char number[NNC_NUMBER_TEXT];
            const char *value = value_text(symbol->value, number);
            append(text, size, value, strlen(value));
        } else {
            length = length > 0 ? length : 1;
            append(text, size, formula, length);
        }
        formula += length;
    }
}

/* The next symbol a formula names, each once; NULL after the last. */
static const nnc_symbol *next_symbol(const nnc_scope *scope, const char *formula, const char **at)
{
    while (**at) {
        const char *name = *at;
        const size_t length = name_length(name);
        const nnc_symbol *symbol = length > 0 ? nnc_scope_find(scope, name, length) : NULL;
        *at += length > 0 ? length : 1;
        bool seen = false;
        for (const char *before = formula; symbol != NULL && before < name && !seen;) {
            const size_t skip = name_length(before);
            seen = skip == length && memcmp(before, name, length) == 0;
            before += skip > 0 ? skip : 1;
        }
        if (symbol != NULL && !seen) {
            return symbol;
        }
    }
    return NULL;
}

void nnc_explain_heading(nnc_explainer *explainer, const char *format, ...)
{
    char text[256];
    va_list arguments;
    if (explainer->style.format->page == NULL) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    nnc_sheet_gap(&explainer->sheet);
    nnc_buffer_text(explainer->out, explainer->style.format == &nnc_format_markdown ? "### " : "");
    nnc_put_plain(explainer->out, text, (int)sizeof text);
    nnc_sheet_gap(&explainer->sheet);
}

static void write_result(nnc_sheet *sheet, const nnc_derivation *line)
{
    char number[NNC_NUMBER_TEXT];
    const bool unit = line->unit != NULL && !isnan(line->result);
    const bool scales = unit && strcmp(line->unit, "FLOP/B") != 0;
    nnc_sheet_label(sheet, "");
    nnc_sheet_phrase(sheet, NNC_INK_STRONG, "= %s%s%s", value_text(line->result, number),
                     unit ? " " : "", unit ? line->unit : "");
    if (scales) {
        nnc_sheet_phrase(sheet, NNC_INK_PLAIN, "(%s)",
                         nnc_unit_text(line->result, line->unit, number));
    }
    nnc_sheet_end(sheet);
}

static void write_units(nnc_sheet *sheet, const nnc_scope *scope, const char *formula)
{
    const char *at = formula;
    char text[NNC_NUMBER_TEXT];
    int items = 0;
    for (const nnc_symbol *symbol; (symbol = next_symbol(scope, formula, &at)) != NULL;) {
        if (symbol->unit != NULL && !isnan(symbol->value)) {
            if (items++ == 0) {
                nnc_sheet_label(sheet, "  where");
            }
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s", symbol->name,
                           nnc_unit_text(symbol->value, symbol->unit, text));
        }
    }
    if (items > 0) {
        nnc_sheet_end(sheet);
    }
}

static void write_text(nnc_explainer *explainer, const nnc_scope *scope, const nnc_derivation *line)
{
    char numbers[2048];
    nnc_sheet *sheet = &explainer->sheet;
    substitute(scope, line->formula, numbers, sizeof numbers);
    nnc_sheet_gap(sheet);
    nnc_sheet_label(sheet, line->name);
    if (line->meaning != NULL) {
        nnc_sheet_words(sheet, "%s", line->meaning);
        nnc_sheet_end(sheet);
        nnc_sheet_label(sheet, "");
    }
    nnc_sheet_words(sheet, "= %s", line->formula);
    nnc_sheet_end(sheet);
    if (strcmp(numbers, line->formula) != 0) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_words(sheet, "= %s", numbers);
        nnc_sheet_end(sheet);
    }
    write_result(sheet, line);
    write_units(sheet, scope, line->formula);
    if (line->source != NULL) {
        nnc_sheet_label(sheet, "  source");
        nnc_sheet_words(sheet, "%s", line->source);
        nnc_sheet_end(sheet);
    }
}

/* A line as JSON and CSV have it. */
typedef struct explained {
    const char *of, *numbers;
    const nnc_derivation *line;
} explained;

#define LINE(member) NNC_VIA(explained, line), NNC_IN(nnc_derivation, member)
static const nnc_metric line_rows[] = {
    NNC_TEXT(explained, of, .help = "What the line belongs to: the step, an op."),
    NNC_AS("name", TEXT, LINE(name), .help = "Name of the quantity."),
    NNC_AS("formula", TEXT, LINE(formula), .help = "Its formula."),
    NNC_TEXT(explained, numbers, .help = "The formula with the numbers put in."),
    NNC_AS("result", NUMBER, LINE(result), .help = "What it comes to."),
    NNC_AS("unit", TEXT, LINE(unit), .help = "Unit of the result."),
    NNC_AS("meaning", TEXT, LINE(meaning), .help = "What it says."),
    NNC_AS("source", TEXT, LINE(source), .help = "Who says so."),
};
#undef LINE
const nnc_metrics nnc_explain_line_metrics =
    NNC_METRICS("one line of a derivation", line_rows, explained);

/* place NULL: the heading. */
static void put_csv(nnc_buffer *out, const nnc_place *place)
{
    enum { COUNT = sizeof line_rows / sizeof line_rows[0] };
    nnc_head heads[COUNT];
    nnc_cell cells[COUNT];
    for (int i = 0; i < COUNT; i++) {
        heads[i] = (nnc_head){ .name = line_rows[i].name };
        cells[i] = place != NULL ? nnc_metric_read(&line_rows[i], place, 0, NULL)
                                 : (nnc_cell){ .kind = NNC_CELL_NULL };
    }
    if (place == NULL) {
        nnc_format_csv.heading(out, (nnc_heads){ heads, COUNT });
    } else {
        nnc_format_csv.line(out, (nnc_heads){ heads, COUNT }, cells);
    }
}

void nnc_explain_line(nnc_explainer *explainer, const char *of, const nnc_scope *scope,
                      const nnc_derivation *line)
{
    nnc_record *record = &explainer->record;
    char numbers[2048];
    const explained one = { of, numbers, line };
    const nnc_place place = { .record = &one };
    if (explainer->style.format->page != NULL) {
        write_text(explainer, scope, line);
        return;
    }
    substitute(scope, line->formula, numbers, sizeof numbers);
    if (explainer->style.format == &nnc_format_csv) {
        put_csv(explainer->out, &place);
    } else {
        nnc_record_object(record, NULL);
        nnc_record_members(record, &nnc_explain_line_metrics, &place);
        nnc_record_close(record);
    }
}

static void begin(nnc_explainer *explainer, const nnc_report *report, const char *quantity)
{
    if (explainer->style.format == &nnc_format_json) {
        explainer->record = nnc_record_begin(explainer->out, "nncost.explain/1");
        nnc_record_text(&explainer->record, "quantity", quantity);
        nnc_record_list(&explainer->record, "lines");
    } else if (explainer->style.format == &nnc_format_csv) {
        put_csv(explainer->out, NULL);
    } else {
        explainer->sheet = nnc_sheet_begin(explainer->out, explainer->style);
        nnc_sheet_subject(&explainer->sheet, report);
        explainer->sheet.indent = 18;
    }
}

static void end(nnc_explainer *explainer)
{
    if (explainer->style.format == &nnc_format_json) {
        nnc_record_close(&explainer->record);
        nnc_record_end(&explainer->record);
    }
}

static nnc_status unknown_quantity(const nnc_report *report, const char *quantity, nnc_error *err)
{
    enum { NAMES_MAX = 512 };
    const char *names[NAMES_MAX];
    size_t count = nnc_explain_names(names, NAMES_MAX);
    for (int32_t i = 0; i < report->op_count && count < NAMES_MAX; i++) {
        names[count++] = report->ops[i].op->name;
    }
    const char *nearest = nnc_nearest(quantity, names, count);
    return nearest != NULL
               ? nnc_fail(err, NNC_BAD_USAGE, quantity,
                          "no quantity or op of this name, did you mean %s?", nearest)
               : nnc_fail(err, NNC_BAD_USAGE, quantity,
                          "no quantity or op of this name, expected one such as params, flops, "
                          "mfu, memory, step_s, cost or attn.qkv");
}

nnc_status nnc_report_explain(nnc_buffer *out, nnc_style style, const nnc_report *report,
                              const char *quantity, nnc_error *err)
{
    nnc_explainer explainer = { .out = out, .style = style };
    begin(&explainer, report, quantity);
    if (!nnc_explain_quantity(&explainer, report, quantity) &&
        !nnc_explain_op(&explainer, report, quantity)) {
        return unknown_quantity(report, quantity, err);
    }
    end(&explainer);
    return NNC_OK;
}
