#include "explain/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/formula.h"
#include "base/names.h"
#include "estimate/scratch.h"
#include "input/field.h"

NNC_ENUM_NAMES(nnc_explained_kind, NNC_EXPLAINED_LIST)

const nnc_alias nnc_aliases[] = {
    { "flops",
      "FLOPs of a step by the mathematics.",
      { "work.forward_flops", "work.backward_flops" } },
    { "step", "The step and its parts.", { "step.step_s" } },
    { "bounds",
      "What no implementation beats, and what the step takes without overlap.",
      { "step.lower_bound_s", "step.upper_bound_s" } },
    { "ridge", "The ridge point of the device.", { "device.ridge_flops_per_byte" } },
    { "communication",
      "Exposed communication, and each of its kinds.",
      { "step.exposed_comm_s", "step.exposed_comm.tensor", "step.exposed_comm.context",
        "step.exposed_comm.expert", "step.exposed_comm.data", "step.exposed_comm.pipeline",
        "step.exposed_comm.offload" } },
    { "bubble",
      "What the busiest pipeline stage waits.",
      { "step.bubble_s", "step.bubble_ratio", "step.bubble_share" } },
    { "throughput",
      "Tokens and samples per second.",
      { "throughput.tokens_per_s", "throughput.samples_per_s" } },
    { "memory",
      "Memory of the fullest device, by class.",
      { "memory.total_bytes", "memory.weight_bytes", "memory.gradient_bytes",
        "memory.optimizer_bytes", "memory.activation_bytes", "memory.transient_bytes" } },
    { "cost",
      "Price of a step and of the run.",
      { "cost.step", "cost.run_s", "cost.device_hours", "cost.run" } },
    { "energy", "Energy of the run, or of the step.", { "cost.energy_j" } },
    { NULL, NULL, { NULL } },
};

void nnc_answer_add(nnc_answer *answer, nnc_explained explained)
{
    if (answer->count == answer->capacity) {
        const int32_t capacity = answer->capacity > 0 ? 2 * answer->capacity : 64;
        nnc_explained *grown = realloc(answer->lines, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            answer->failed = true;
            return;
        }
        answer->lines = grown;
        answer->capacity = capacity;
    }
    answer->lines[answer->count++] = explained;
}

/* What a question is answered from: the estimate once more, saying how. */
typedef struct asked {
    const nnc_report *report;
    nnc_answer answer;
    nnc_columns columns; /* of the estimate */
    nnc_derivation *step, *row;
    const nnc_line *said; /* by the estimate */
    int said_count;
    bool *shown; /* of these */
} asked;

/* ---- metrics ---- */

/* The name of a metric without its section: what the estimate calls it. */
static const char *short_name(const char *column)
{
    const char *dot = strchr(column, '.');
    return dot != NULL ? dot + 1 : column;
}

/* Prices keep it: "cost.step" beside step. */
static const char *price_name(const char *column)
{
    return strncmp(column, "cost.", 5) == 0 ? column : short_name(column);
}

/* The last line of that name, before line `before`, that belongs to the step itself; -1 = none. */
static int find_said(const asked *a, const char *name, size_t length, int before)
{
    for (int i = before - 1; i >= 0; i--) {
        if (a->said[i].of[0] == '\0' && strlen(a->said[i].name) == length &&
            memcmp(a->said[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* What the estimate said of a metric: under its short name, or "cost_step" for cost.step. */
static int said_of(const asked *a, const char *column)
{
    char joined[96];
    const char *name = short_name(column);
    const int found = find_said(a, name, strlen(name), a->said_count);
    if (found >= 0 || strncmp(column, "cost.", 5) != 0) {
        return found;
    }
    snprintf(joined, sizeof joined, "cost_%s", name);
    return find_said(a, joined, strlen(joined), a->said_count);
}

static bool is_metric(const asked *a, const char *name, size_t length)
{
    for (int32_t i = 0; i < a->columns.count; i++) {
        const char *metric = short_name(a->columns.list[i].name);
        if (strlen(metric) == length && memcmp(metric, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The lines behind the operands of a line that are no metrics, and what is behind those. */
static void add_operands(asked *a, int line) /* NOLINT(misc-no-recursion): no line twice */
{
    const char *at = a->said[line].formula, *name = NULL;
    size_t length = 0;
    while ((name = nnc_formula_name(&at, &length)) != NULL) {
        const int operand = find_said(a, name, length, line);
        if (operand >= 0 && !a->shown[operand] && !is_metric(a, name, length)) {
            nnc_explained e = { .line = a->said[operand] };
            a->shown[operand] = true;
            e.line.of = "step";
            nnc_answer_add(&a->answer, e);
            add_operands(a, operand);
        }
    }
}

/* Lines that the estimate said about a metric beside its own. */
static void add_asides(asked *a, const char *name)
{
    for (int i = 0; i < a->said_count; i++) {
        if (strcmp(a->said[i].of, name) == 0) {
            nnc_answer_add(&a->answer, (nnc_explained){ .line = a->said[i] });
        }
    }
}

/* A plan's own table describes its fields. */
static const char *help_of(const nnc_column *column)
{
    const char *help = column->metric->help;
    return help == NULL && strncmp(column->name, "plan.", 5) == 0
               ? nnc_field_help(&nnc_plan_table, short_name(column->name))
               : help;
}

/* A metric that is read or found out, not computed. */
static void add_value(asked *a, const nnc_column *column)
{
    static const char *const inputs[] = { "model.", "device.", "plan.", "cost." };
    char text[NNC_METRIC_TEXT_MAX] = "";
    const nnc_cell cell = nnc_column_read(column, (nnc_place){ .record = a->report }, text);
    nnc_explained e = { .kind = NNC_EXPLAINED_TEXT,
                        .line = { .of = "step",
                                  .name = price_name(column->name),
                                  .unit = column->metric->unit,
                                  .meaning = help_of(column),
                                  .source = column->metric->source,
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

static void add_metric(asked *a, const nnc_column *column)
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
    e.line.of = "step";
    e.line.name = price_name(column->name);
    e.line.meaning = help_of(column);
    e.line.unit = column->metric->unit != NULL ? column->metric->unit : e.line.unit;
    e.line.source = column->metric->source != NULL ? column->metric->source : e.line.source;
    nnc_answer_add(&a->answer, e);
    add_asides(a, short_name(column->name));
    add_operands(a, line);
}

/* ---- names ---- */

/* How well a word names a column: as a section or an array it is in, as the end of its name, in full. */
enum { NOT_AT_ALL, AROUND, ENDING, EXACT };

static int names_column(const char *column, const char *word)
{
    const size_t length = strlen(word);
    int best = NOT_AT_ALL;
    for (const char *at = column; at != NULL && best < ENDING;) {
        if (strncmp(at, word, length) == 0 && (at[length] == '\0' || at[length] == '.')) {
            best = at[length] == '.' ? AROUND : at == column ? EXACT : ENDING;
        }
        at = strchr(at, '.');
        at = at != NULL ? at + 1 : NULL;
    }
    return best;
}

/* A part of the network that the model does not have. */
static bool is_left_out(const asked *a, const nnc_column *column)
{
    char text[NNC_METRIC_TEXT_MAX];
    const nnc_cell cell = nnc_column_read(column, (nnc_place){ .record = a->report }, text);
    return column->metric->sparse && cell.kind == NNC_CELL_WHOLE && cell.whole == 0;
}

/* Those that the word names best, if at least so well. */
static bool add_columns(asked *a, const char *word, int least)
{
    int best = NOT_AT_ALL;
    for (int32_t i = 0; i < a->columns.count; i++) {
        const int fits = names_column(a->columns.list[i].name, word);
        best = fits > best && fits >= least ? fits : best;
    }
    for (int32_t i = 0; i < a->columns.count && best > NOT_AT_ALL; i++) {
        if (names_column(a->columns.list[i].name, word) == best &&
            (best > AROUND || !is_left_out(a, &a->columns.list[i]))) {
            add_metric(a, &a->columns.list[i]);
        }
    }
    return best > NOT_AT_ALL;
}

static bool add_alias(asked *a, const char *word)
{
    for (const nnc_alias *alias = nnc_aliases; alias->name != NULL; alias++) {
        if (strcmp(alias->name, word) == 0) {
            for (const char *const *name = alias->stands_for; *name != NULL; name++) {
                add_columns(a, *name, EXACT);
            }
            return true;
        }
    }
    return false;
}

/* An operand that is no metric: "busy_s". */
static bool add_operand(asked *a, const char *word)
{
    const int line = find_said(a, word, strlen(word), a->said_count);
    if (line >= 0) {
        nnc_explained e = { .line = a->said[line] };
        a->shown[line] = true;
        e.line.of = "step";
        nnc_answer_add(&a->answer, e);
        add_operands(a, line);
    }
    return line >= 0;
}

/* A member of the records in a list of the document: it has a value for each. Tables nest a few deep. */
static bool add_listed(asked *a, const nnc_metrics *metrics,
                       bool inside, /* NOLINT(misc-no-recursion) */
                       const char *word)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        const bool list = row->type == NNC_METRIC_LIST, object = row->type == NNC_METRIC_OBJECT;
        if (list && row->name != NULL && strcmp(row->name, word) == 0) {
            inside = true;
        }
        if ((inside || list) && row->name != NULL && strcmp(row->name, word) == 0) {
            nnc_answer_add(&a->answer, (nnc_explained){ .kind = NNC_EXPLAINED_TEXT,
                                                        .line = { .of = metrics->what,
                                                                  .name = row->name,
                                                                  .unit = row->unit,
                                                                  .meaning = row->help,
                                                                  .source = row->source,
                                                                  .value = (double)NAN } });
            return true;
        }
        if ((list || object) && add_listed(a, row->rows, inside || list, word)) {
            return true;
        }
    }
    return false;
}

static nnc_status unknown_name(const asked *a, const char *word, nnc_error *err)
{
    enum { NAMES_MAX = 1024 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (const nnc_alias *alias = nnc_aliases; alias->name != NULL; alias++) {
        names[count++] = alias->name;
    }
    for (int32_t i = 0; i < a->columns.count && count < NAMES_MAX; i++) {
        names[count++] = short_name(a->columns.list[i].name);
    }
    for (int32_t i = 0; i < a->report->op_count && count < NAMES_MAX; i++) {
        names[count++] = nnc_op_name(a->report->ops[i].op);
    }
    const char *nearest = nnc_nearest(word, names, count);
    return nearest != NULL
               ? nnc_fail(err, NNC_BAD_USAGE, word,
                          "no metric or op of this name, did you mean %s?", nearest)
               : nnc_fail(err, NNC_BAD_USAGE, word,
                          "no metric or op of this name, expected one such as params, flops, mfu, "
                          "memory, step_s, cost or attn.qkv");
}

/* ---- the question ---- */

/* Makes the estimate again; everything it says is kept. */
static nnc_status repeat_estimate(asked *a, nnc_error *err)
{
    const nnc_report *r = a->report;
    nnc_result again;
    r->scratch->why = a->step;
    const nnc_status status =
        nnc_estimate(r->model, r->device, r->software, &r->result->plan, r->scratch, &again, err);
    r->scratch->why = NULL;
    if (status != NNC_OK) {
        return status;
    }
    (void)nnc_report_unit_cost(&again, a->step);
    if (!nnc_derivation_lines(a->step, &a->said, &a->said_count)) {
        return NNC_NO_MEMORY;
    }
    a->shown = nnc_arena_array(a->answer.arena, (size_t)a->said_count + 1, sizeof *a->shown);
    return a->shown != NULL ? NNC_OK : NNC_NO_MEMORY;
}

static nnc_status answer_it(asked *a, const char *word, nnc_error *err)
{
    nnc_status status = nnc_columns_of(&nnc_estimate_metrics, a->answer.arena, &a->columns);
    if (status == NNC_OK) {
        status = repeat_estimate(a, err);
    }
    if (status != NNC_OK) {
        return status;
    }
    if (!add_alias(a, word) && !add_columns(a, word, EXACT) &&
        !nnc_explain_op(&a->answer, a->report, a->step, a->row, word) &&
        !add_columns(a, word, AROUND) && !add_operand(a, word) &&
        !add_listed(a, &nnc_estimate_document, false, word)) {
        return unknown_name(a, word, err);
    }
    return a->answer.failed ? NNC_NO_MEMORY : NNC_OK;
}

nnc_status nnc_report_explain(nnc_buffer *out, nnc_style style, const nnc_report *report,
                              const char *word, nnc_error *err)
{
    asked a = { .report = report,
                .answer = { .report = report, .asked = word, .arena = nnc_arena_create() },
                .step = nnc_derivation_create(),
                .row = nnc_derivation_create() };
    nnc_status status = NNC_NO_MEMORY;
    if (a.answer.arena == NULL || a.step == NULL || a.row == NULL) {
        nnc_fail(err, NNC_NO_MEMORY, word, "out of memory");
        goto done;
    }
    status = answer_it(&a, word, err);
    if (status == NNC_OK) {
        nnc_answer_write(out, style, &a.answer);
    }
done:
    free(a.answer.lines);
    nnc_arena_destroy(a.answer.arena);
    nnc_derivation_destroy(a.step);
    nnc_derivation_destroy(a.row);
    return status;
}
