/* The lines of a metric. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/formula.h"
#include "explain/asked.h"

const char *nnc_asked_short_name(const char *column)
{
    const char *dot = strchr(column, '.');
    return dot != NULL ? dot + 1 : column;
}

/* Prices and what a run says keep it: "cost.step" beside step. */
static const char *full_name(const char *column)
{
    return strncmp(column, "cost.", 5) == 0 || strncmp(column, "run.", 4) == 0
               ? column
               : nnc_asked_short_name(column);
}

/* What the lines of a metric belong to: the run, or the step itself. */
static const char *owner_of(const char *column)
{
    return strncmp(column, "run.", 4) == 0       ? "run"
           : strncmp(column, "prefill.", 8) == 0 ? "prefill"
           : strncmp(column, "decode.", 7) == 0  ? "decode"
                                                 : "";
}

static const char *owner_text(const char *of)
{
    return of[0] != '\0' ? of : "step";
}

/* The last line of that name, before line `before`, that belongs to `of`; -1 = none. */
static int find_said(const nnc_asked *a, const char *of, const char *name, size_t length,
                     int before)
{
    for (int i = before - 1; i >= 0; i--) {
        if (strcmp(a->said[i].of, of) == 0 && strlen(a->said[i].name) == length &&
            memcmp(a->said[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* What the estimate said of a metric: under its short name, or "cost_step" for cost.step. */
static int said_of(const nnc_asked *a, const char *column)
{
    char joined[96];
    const char *name = nnc_asked_short_name(column);
    const int found = find_said(a, owner_of(column), name, strlen(name), a->said_count);
    if (found >= 0 || strncmp(column, "cost.", 5) != 0) {
        return found;
    }
    snprintf(joined, sizeof joined, "cost_%s", name);
    return find_said(a, "", joined, strlen(joined), a->said_count);
}

static bool is_metric(const nnc_asked *a, const char *name, size_t length)
{
    for (int32_t i = 0; i < a->columns.count; i++) {
        const char *metric = nnc_asked_short_name(a->columns.list[i].name);
        if (strlen(metric) == length && memcmp(metric, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The lines behind the operands of a line that are no metrics, and what is behind those. */
static void add_operands(nnc_asked *a, int line) /* NOLINT(misc-no-recursion): no line twice */
{
    const char *at = a->said[line].formula, *name = NULL;
    size_t length = 0;
    while ((name = nnc_formula_name(&at, &length)) != NULL) {
        const int operand = find_said(a, a->said[line].of, name, length, line);
        if (operand >= 0 && !a->shown[operand] && !is_metric(a, name, length)) {
            nnc_explained e = { .line = a->said[operand] };
            a->shown[operand] = true;
            e.line.of = owner_text(e.line.of);
            nnc_answer_add(&a->answer, e);
            add_operands(a, operand);
        }
    }
}

/* Lines that the estimate said about a metric beside its own. */
static void add_asides(nnc_asked *a, const char *name)
{
    for (int i = 0; i < a->said_count; i++) {
        if (strcmp(a->said[i].of, name) == 0) {
            nnc_answer_add(&a->answer, (nnc_explained){ .line = a->said[i] });
        }
    }
}

/* A metric that is read or found out, not computed. */
static void add_value(nnc_asked *a, const nnc_column *column)
{
    static const char *const inputs[] = { "model.", "device.", "plan.", "cost." };
    char text[NNC_METRIC_TEXT_MAX] = "";
    const nnc_cell cell = nnc_column_read(column, (nnc_place){ .record = a->report }, text);
    nnc_explained e = { .kind = NNC_EXPLAINED_TEXT,
                        .line = { .of = owner_text(owner_of(column->name)),
                                  .name = full_name(column->name),
                                  .unit = column->metric->unit,
                                  .meaning = nnc_metric_meaning(column->metric),
                                  .source = nnc_metric_rare(column->metric)->source,
                                  .value = (double)NAN } };
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        if (strncmp(column->name, inputs[i], strlen(inputs[i])) == 0) {
            e.kind = NNC_EXPLAINED_GIVEN;
        }
    }
    switch (cell.kind) {
    case NNC_CELL_NUMBER: e.line.value = cell.number; break;
    case NNC_CELL_WHOLE: e.line.value = (double)cell.whole; break;
    case NNC_CELL_BOOL: e.text = cell.flag ? "true" : "false"; break;
    case NNC_CELL_TEXT:
        e.text = nnc_arena_strdup(a->answer.arena, cell.text);
        a->answer.failed = a->answer.failed || e.text == NULL;
        break;
    case NNC_CELL_NULL: break;
    }
    nnc_answer_add(&a->answer, e);
}

static void add_metric(nnc_asked *a, const nnc_column *column)
{
    const int line = said_of(a, column->name);
    if (line < 0) {
        add_value(a, column);
        return;
    }
    if (a->shown[line]) {
        return;
    }
    nnc_explained e = { .line = a->said[line], .note = a->said[line].meaning };
    a->shown[line] = true;
    e.line.of = owner_text(owner_of(column->name));
    e.line.name = full_name(column->name);
    e.line.meaning = nnc_metric_meaning(column->metric);
    e.line.unit = column->metric->unit != NULL ? column->metric->unit : e.line.unit;
    if (nnc_metric_rare(column->metric)->source != NULL) {
        e.line.source = nnc_metric_rare(column->metric)->source;
    }
    nnc_answer_add(&a->answer, e);
    add_asides(a, nnc_asked_short_name(column->name));
    add_operands(a, line);
}

/* ---- names ---- */

static nnc_naming names_column(const char *column, const char *word)
{
    const size_t length = strlen(word);
    nnc_naming best = NNC_NAMES_NOT_AT_ALL;
    for (const char *at = column; at != NULL && best < NNC_NAMES_ENDING;) {
        if (strncmp(at, word, length) == 0 && (at[length] == '\0' || at[length] == '.')) {
            best = at[length] == '.' ? NNC_NAMES_AROUND
                   : at == column    ? NNC_NAMES_EXACT
                                     : NNC_NAMES_ENDING;
        }
        at = strchr(at, '.');
        at = at != NULL ? at + 1 : NULL;
    }
    return best;
}

/* A part of the network that the model does not have. */
static bool is_left_out(const nnc_asked *a, const nnc_column *column)
{
    char text[NNC_METRIC_TEXT_MAX];
    const nnc_cell cell = nnc_column_read(column, (nnc_place){ .record = a->report }, text);
    return column->metric->sparse && cell.kind == NNC_CELL_WHOLE && cell.whole == 0;
}

bool nnc_asked_columns(nnc_asked *a, const char *word, nnc_naming least)
{
    nnc_naming best = NNC_NAMES_NOT_AT_ALL;
    for (int32_t i = 0; i < a->columns.count; i++) {
        const nnc_naming fits = names_column(a->columns.list[i].name, word);
        best = fits > best && fits >= least ? fits : best;
    }
    for (int32_t i = 0; i < a->columns.count && best > NNC_NAMES_NOT_AT_ALL; i++) {
        if (names_column(a->columns.list[i].name, word) == best &&
            (best > NNC_NAMES_AROUND || !is_left_out(a, &a->columns.list[i]))) {
            add_metric(a, &a->columns.list[i]);
        }
    }
    return best > NNC_NAMES_NOT_AT_ALL;
}

bool nnc_asked_operand(nnc_asked *a, const char *word)
{
    int line = find_said(a, "", word, strlen(word), a->said_count);
    line = line >= 0 ? line : find_said(a, "run", word, strlen(word), a->said_count);
    if (line >= 0) {
        nnc_explained e = { .line = a->said[line] };
        a->shown[line] = true;
        e.line.of = owner_text(e.line.of);
        nnc_answer_add(&a->answer, e);
        add_operands(a, line);
    }
    return line >= 0;
}

/* A metric of the estimate has its formula, under whatever name it is printed; others say what they are. */
bool nnc_asked_member(nnc_asked *a, const char *word)
{
    const nnc_explained_name *found = nnc_explained_names_find(&a->names, word);
    bool any = false;
    if (found == NULL) {
        return false;
    }
    const nnc_metric *row = found->row;
    const char *dot = strrchr(word, '.'), *value = dot != NULL ? dot + 1 : word;
    for (int32_t i = 0; i < a->columns.count; i++) {
        const nnc_column *column = &a->columns.list[i];
        const bool same =
            column->metric == row && (row->each_count == 0 || strcmp(row->name, value) == 0 ||
                                      strcmp(strrchr(column->name, '.') + 1, value) == 0);
        if (same || (nnc_metric_rare(row)->same_as != NULL &&
                     strcmp(column->name, nnc_metric_rare(row)->same_as) == 0)) {
            add_metric(a, column);
            any = true;
        }
    }
    if (!any) {
        nnc_answer_add(&a->answer,
                       (nnc_explained){ .kind = NNC_EXPLAINED_TEXT,
                                        .line = { .of = found->table->what,
                                                  .name = row->name,
                                                  .unit = row->unit,
                                                  .meaning = nnc_metric_meaning(row),
                                                  .source = nnc_metric_rare(row)->source,
                                                  .value = (double)NAN } });
    }
    return true;
}
