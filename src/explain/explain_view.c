/* The page and the documents of an answer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "explain/explain_internal.h"
#include "render/render_internal.h"

#define LINE(member) NNC_IN(nnc_explained, line.member)
static const nnc_metric line_rows[] = {
    NNC_AS("of", TEXT, LINE(of), .help = "Owner of the line: the step, an op and its phase."),
    NNC_AS("name", TEXT, LINE(name), .help = "Name of the metric, or of an intermediate value."),
    NNC_NAMED(nnc_explained, kind, nnc_explained_kind_name, NNC_EXPLAINED_KINDS,
              .help = "formula: computed; given: read from specs or plan; text: a fact."),
    NNC_AS("formula", TEXT, LINE(formula), .help = "The arithmetic, in names."),
    NNC_AS("numbers", TEXT, LINE(numbers), .help = "The arithmetic, in numbers."),
    NNC_AS("result", NUMBER, LINE(value), .help = "The value."),
    NNC_AS("unit", TEXT, LINE(unit), .help = "Unit of the result."),
    NNC_TEXT(nnc_explained, text, .help = "A value that is not a number."),
    NNC_AS("meaning", TEXT, LINE(meaning), .help = "Its meaning."),
    NNC_TEXT(nnc_explained, note, .help = "Meaning of the names in the formula."),
    NNC_AS("source", TEXT, LINE(source), .help = "Source of the formula or definition."),
};
#undef LINE
static const nnc_metrics line_metrics =
    NNC_METRICS("one line of a derivation", line_rows, nnc_explained);

NNC_IF(is_of_example, nnc_answer, self->example != NULL)

static const nnc_metric answer_rows[] = {
    NNC_AS("quantity", TEXT, NNC_IN(nnc_answer, asked), .help = "The requested name."),
    NNC_AS("lines", LIST, NNC_IN(nnc_answer, lines), NNC_COUNT(nnc_answer, count),
           .rows = &line_metrics, .help = "Its derivation."),
    NNC_TEXT(nnc_answer, example,
             .help = "Description of the example, when no model and device were named.",
             .more = NNC_MORE(.when = is_of_example)),
};
const nnc_metrics nnc_answer_document = NNC_METRICS("a derivation", answer_rows, nnc_answer);

static void write_words(nnc_sheet *sheet, const char *label, const char *text)
{
    if (text != NULL) {
        nnc_sheet_label(sheet, label);
        nnc_sheet_words(sheet, "%s", text);
        nnc_sheet_end(sheet);
    }
}

static void write_result(nnc_sheet *sheet, const nnc_explained *e, const char *label)
{
    char number[NNC_NUMBER_TEXT];
    const nnc_line *line = &e->line;
    const bool known = !isnan(line->value), unit = line->unit != NULL && known;
    nnc_sheet_label(sheet, label);
    if (e->text != NULL) {
        nnc_sheet_phrase(sheet, NNC_INK_STRONG, "= %s", e->text);
    } else {
        nnc_sheet_phrase(sheet, NNC_INK_STRONG, "= %s%s%s",
                         known                            ? nnc_number_text(line->value, number)
                         : e->kind == NNC_EXPLAINED_GIVEN ? "not given"
                                                          : "unknown",
                         unit ? " " : "", unit ? line->unit : "");
    }
    if (unit && strcmp(line->unit, "FLOP/B") != 0) {
        nnc_sheet_phrase(sheet, NNC_INK_PLAIN, "(%s)",
                         nnc_unit_text(line->value, line->unit, number));
    }
    nnc_sheet_end(sheet);
}

/* Operands with units, in one paragraph. */
static void write_where(nnc_sheet *sheet, const char *where)
{
    nnc_sheet_label(sheet, "  where");
    while (*where) {
        const size_t length = strcspn(where, "\n");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%.*s", (int)length, where);
        where += length + (where[length] == '\n' ? 1 : 0);
    }
    nnc_sheet_end(sheet);
}

static void write_line(nnc_sheet *sheet, const nnc_explained *e, bool symbols)
{
    const nnc_line *line = &e->line;
    const bool computed = line->formula != NULL;
    const char *label = line->name;
    char number[NNC_NUMBER_TEXT];
    if (line->meaning != NULL) {
        write_words(sheet, label, line->meaning);
        label = "";
    }
    if (computed) {
        nnc_sheet_label(sheet, label);
        nnc_sheet_words(sheet, "= %s", line->formula);
        nnc_sheet_end(sheet);
        label = "";
    }
    if (!symbols) {
        if (computed && strcmp(line->numbers, line->formula) != 0 &&
            strcmp(line->numbers, nnc_number_text(line->value, number)) != 0) {
            nnc_sheet_label(sheet, label);
            nnc_sheet_words(sheet, "= %s", line->numbers);
            nnc_sheet_end(sheet);
        }
        write_result(sheet, e, label);
        if (line->where != NULL && line->where[0] != '\0') {
            write_where(sheet, line->where);
        }
    }
    write_words(sheet, "  note", e->note);
    write_words(sheet, "  source", line->source);
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_answer *answer = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    if (answer->report != NULL &&
        (answer->report->serve != NULL || answer->report->images != NULL)) {
        nnc_sheet_label(&sheet, "served");
        nnc_sheet_item(&sheet, NNC_INK_STRONG, "%s on %s", answer->report->model->id,
                       answer->report->device->id);
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "software %s", answer->report->software->id);
        nnc_sheet_end(&sheet);
    } else if (answer->report != NULL) {
        nnc_sheet_subject(&sheet, answer->report);
    } else {
        nnc_sheet_label(&sheet, "formulas");
        nnc_sheet_words(&sheet,
                        "from the example of %s; other plans may have other terms. Add MODEL "
                        "DEVICE to see the numbers.",
                        answer->example);
        nnc_sheet_end(&sheet);
    }
    sheet.indent = 18;
    for (int32_t i = 0; i < answer->count; i++) {
        if (answer->lines[i].heading != NULL) {
            nnc_sheet_heading(out, style, answer->lines[i].heading);
        } else {
            nnc_sheet_gap(&sheet);
        }
        write_line(&sheet, &answer->lines[i], answer->report == NULL);
    }
}

static nnc_lines lines_of(const void *record)
{
    const nnc_answer *answer = record;
    return (nnc_lines){ &line_metrics, answer, answer->lines, answer->count };
}

const nnc_view nnc_answer_view = { .schema = "nncost.explain/1",
                                   .document = &nnc_answer_document,
                                   .lines = lines_of,
                                   .page = write_page };

/* All answers on one page; each begins with its name. */
static void write_together(nnc_buffer *out, nnc_style style, const nnc_answer *answers,
                           int32_t count)
{
    nnc_answer all = answers[0];
    all.lines = NULL;
    all.count = all.capacity = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < answers[i].count; k++) {
            nnc_explained e = answers[i].lines[k];
            e.heading = k == 0 && e.heading == NULL ? answers[i].asked : e.heading;
            nnc_answer_add(&all, e);
        }
    }
    out->failed = out->failed || all.failed;
    nnc_view_write(out, style, &nnc_answer_view, &all);
    free(all.lines);
}

void nnc_answers_write(nnc_buffer *out, nnc_style style, const nnc_answer *answers, int32_t count)
{
    if (count > 1 && !style.format->documents) {
        write_together(out, style, answers, count);
        return;
    }
    nnc_buffer_text(out, count > 1 ? "[\n" : "");
    for (int32_t i = 0; i < count; i++) {
        nnc_buffer_text(out, i > 0 ? ",\n" : "");
        nnc_view_write(out, style, &nnc_answer_view, &answers[i]);
        out->size -= count > 1 && out->size > 0 ? 1 : 0; /* without the line break */
    }
    nnc_buffer_text(out, count > 1 ? "\n]\n" : "");
}
