/* All names that can be explained, and the page that lists them. */
#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "explain/explain_internal.h"
#include "input/input_internal.h"
#include "memo/memo_internal.h"
#include "op/op_internal.h"
#include "render/render_internal.h"

/* State while the names that can be explained are collected. The names are collected twice: the first time they are
 * only counted, the second time they are stored in `list`. */
typedef struct finder {
    nnc_arena *arena;
    const char *output;
    nnc_explained_name *list; /* list in which the names are stored; NULL: the names are only counted */
    int32_t count;
    bool failed;
} finder;

static bool is_listed(const finder *f, const nnc_metrics *table) {
    for (int32_t i = 0; i < f->count && f->list != NULL; i++) {
        if (f->list[i].table == table) { return true; }
    }
    return false;
}

static void add_name(finder *f, const nnc_metrics *table, const nnc_metric *row, const char *path, bool again) {
    if (f->list != NULL) {
        const char *kept = nnc_arena_strdup(f->arena, path);
        f->list[f->count] = (nnc_explained_name){ kept, f->output, table, row, again };
        f->failed = f->failed || kept == NULL;
    }
    f->count++;
}

/* The recursion follows nested tables, which are only a few levels deep. NOLINTNEXTLINE(misc-no-recursion) */
static void find_names(finder *f, const nnc_metrics *table, const char *prefix) {
    const bool again = is_listed(f, table);
    for (size_t i = 0; i < table->count; i++) {
        const nnc_metric *row = &table->rows[i];
        char path[192];
        snprintf(path, sizeof path, "%s%s%s", prefix, row->name != NULL && *prefix != '\0' ? "." : "",
                 row->name != NULL ? row->name : "");
        if (row->name != NULL && row->type != NNC_METRIC_OBJECT) { add_name(f, table, row, path, again); }
        if (row->type == NNC_METRIC_OBJECT || (row->type == NNC_METRIC_LIST && row->name != NULL)) {
            find_names(f, row->rows, path);
            for (int k = 0; nnc_metric_rare(row)->others != NULL && nnc_metric_rare(row)->others[k] != NULL; k++) {
                find_names(f, nnc_metric_rare(row)->others[k], path);
            }
        }
    }
}

static void find_all(finder *f, const nnc_explain_output *outputs) {
    f->output = "estimate";
    find_names(f, &nnc_estimate_document, "");
    for (; outputs != NULL && outputs->name != NULL; outputs++) {
        f->output = outputs->name;
        find_names(f, outputs->metrics, "");
    }
}

nnc_status nnc_explained_names_of(const nnc_explain_output *outputs, nnc_arena *arena, nnc_explained_names *names) {
    finder f = { .arena = arena };
    find_all(&f, outputs);
    f.list = nnc_arena_array(arena, (size_t)f.count + 1, sizeof *f.list);
    if (f.list == NULL) { return NNC_NO_MEMORY; }
    f.count = 0;
    find_all(&f, outputs);
    *names = (nnc_explained_names){ f.list, f.count };
    return f.failed ? NNC_NO_MEMORY : NNC_OK;
}

/* Tests whether a path such as "a.b.c" equals `name`, or ends with a dot and `name`. length: number of characters of
 * `name`. */
static bool ends_path(const char *path, const char *name, size_t length) {
    const size_t whole = strlen(path);
    return length <= whole && strncmp(path + whole - length, name, length) == 0 &&
           (length == whole || path[whole - length - 1] == '.');
}

/* Tests whether the word names one value of the array `name`: the name of the array, a dot, and the name of the value,
 * as in "exposed_comm.data". */
static bool is_value_of(const nnc_explained_name *name, const char *word) {
    const char *dot = strrchr(word, '.');
    if (dot == NULL || name->row->each_count == 0 || !ends_path(name->path, word, (size_t)(dot - word))) {
        return false;
    }
    for (int32_t i = 0; i < name->row->each_count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", (int)i);
        if (strcmp(dot + 1, nnc_metric_rare(name->row)->each != NULL ? nnc_metric_rare(name->row)->each((unsigned)i)
                                                                     : number) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the first name that equals the word. If no name equals the word, returns the first name that ends with the
 * word or is an array with a value of this name (for "exposed_comm.data", the array exposed_comm). Returns NULL if no
 * name matches the word. */
static const nnc_explained_name *explained_names_find(const nnc_explained_names *names, const char *word) {
    const nnc_explained_name *end = NULL;
    for (int32_t i = 0; i < names->count; i++) {
        const nnc_explained_name *name = &names->list[i];
        if (strcmp(name->path, word) == 0) { return name; }
        if (end == NULL && (ends_path(name->path, word, strlen(word)) || is_value_of(name, word))) { end = name; }
    }
    return end;
}

/* Returns the help text of a metric. If the metric has no help text, returns the help text of the plan field with the
 * same name. */
static const char *metric_meaning(const nnc_metric *row) {
    return row->help == NULL && row->name != NULL ? nnc_field_help(&nnc_plan_table, row->name) : row->help;
}

/* ---- the list of all names ---- */

NNC_GET(get_meaning, nnc_explained_name, nnc_text_cell(metric_meaning(self->row)))
NNC_GET(get_source, nnc_explained_name, nnc_text_cell(nnc_metric_rare(self->row)->source))

static const nnc_metric name_rows[] = {
    NNC_AS("name", TEXT, NNC_IN(nnc_explained_name, path),
           .help = "Name of the metric, preceded by the names of the objects and lists that contain it."),
    NNC_TEXT(nnc_explained_name, output, .help = "The command that prints the metric."),
    NNC_AS("unit", TEXT, NNC_VIA(nnc_explained_name, row), NNC_IN(nnc_metric, unit), .help = "Unit of the metric."),
    NNC_AS("meaning", TEXT, .get = get_meaning, .help = "Meaning of the metric."),
    NNC_AS("source", TEXT, .get = get_source, .help = "Source of the formula or definition."),
};

/* If several outputs use the same metrics table, the names of the table are listed under only one output. The function
 * is_new tests whether the list of names shows a name. */
NNC_IF(is_new, nnc_explained_name, !self->again)

static const nnc_metrics name_metrics = { .what = "a name that can be explained",
                                          .rows = name_rows,
                                          .count = sizeof name_rows / sizeof name_rows[0],
                                          .record_size = sizeof(nnc_explained_name),
                                          .listed = is_new };

static const nnc_metric list_rows[] = {
    NNC_AS("names", LIST, NNC_IN(nnc_explained_names, list), NNC_COUNT(nnc_explained_names, count),
           .rows = &name_metrics, .help = "Every name; also the name of any op, as in 'nncost ops'."),
};
static const nnc_metrics names_document = NNC_METRICS("names that can be explained", list_rows, nnc_explained_names);

static void write_name(nnc_sheet *sheet, const char *name, const char *meaning, const char *unit) {
    nnc_sheet_label(sheet, name);
    if ((int)strlen(name) >= sheet->indent) {
        nnc_sheet_end(sheet);
        nnc_sheet_label(sheet, "");
    }
    nnc_sheet_words(sheet, "%s", meaning != NULL ? meaning : "");
    if (unit != NULL) { nnc_sheet_words(sheet, "[%s]", unit); }
    nnc_sheet_end(sheet);
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const nnc_explained_names *names = record;
    const nnc_metrics *table = NULL;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 0;
    nnc_sheet_note(&sheet, "",
                   "'nncost explain NAMES' prints the meaning, formula and source of these names; 'nncost "
                   "explain NAMES MODEL DEVICE' adds the numbers. Separate NAMES by commas; the last parts of "
                   "a name suffice. Ops have the names of 'nncost ops', such as attn.qkv.");
    sheet.indent = 32;
    nnc_sheet_heading(out, style, "groups of metrics");
    for (const nnc_alias *alias = nnc_aliases; alias->name != NULL; alias++) {
        write_name(&sheet, alias->name, alias->help, NULL);
    }
    for (int32_t i = 0; i < names->count; i++) {
        const nnc_explained_name *name = &names->list[i];
        char heading[128];
        if (name->again) { continue; }
        if (name->table != table) {
            snprintf(heading, sizeof heading, "%s: %s", name->output, name->table->what);
            nnc_sheet_heading(out, style, heading);
            table = name->table;
        }
        write_name(&sheet, name->path, metric_meaning(name->row), name->row->unit);
    }
}

static const nnc_view names_view = {
    .schema = "nncost.explain-list/1", .document = &names_document, .list = "names", .page = write_page
};

nnc_status nnc_explain_list(nnc_buffer *out, nnc_style style, const nnc_explain_output *outputs, nnc_error *err) {
    nnc_explained_names names = { .count = 0 };
    nnc_arena *arena = nnc_arena_create();
    nnc_status status = NNC_NO_MEMORY;
    if (arena != NULL) { status = nnc_explained_names_of(outputs, arena, &names); }
    if (status == NNC_OK) { nnc_view_write(out, style, &names_view, &names); }
    nnc_arena_destroy(arena);
    return status == NNC_OK ? NNC_OK : nnc_no_memory(err);
}

/* ---- Lines of an answer: of a metric with the operands of its formula, and of an op with its rows ---- */

const char *nnc_metric_short_name(const char *column) {
    const char *dot = strchr(column, '.');
    return dot != NULL ? dot + 1 : column;
}

/* Returns the name of a metric for an answer. Metrics of cost and of the run keep the first part of their name, because
 * a metric of the step may have the same short name, as "cost.step" and "step". */
static const char *full_name(const char *column) {
    return strncmp(column, "cost.", 5) == 0 || strncmp(column, "run.", 4) == 0 ? column : nnc_metric_short_name(column);
}

/* Returns the name of the computation to which a metric belongs: "run" for metrics of the run, "prefill" or "decode"
 * for metrics of these phases of serving, "" for all other metrics. In a derivation line, the member `of` contains the
 * name of the computation that recorded the line. */
static const char *owner_of(const char *column) {
    return strncmp(column, "run.", 4) == 0       ? "run"
           : strncmp(column, "prefill.", 8) == 0 ? "prefill"
           : strncmp(column, "decode.", 7) == 0  ? "decode"
                                                 : "";
}

static const char *owner_text(const char *of) { return of[0] != '\0' ? of : "step"; }

/* Returns the index of the last line before line number `before` whose name is `name` and whose member `of` is equal to
 * the argument `of`; -1 = there is no such line. */
static int find_said(const nnc_question *a, const char *of, const char *name, size_t length, int before) {
    for (int i = before - 1; i >= 0; i--) {
        if (strcmp(a->said[i].of, of) == 0 && strlen(a->said[i].name) == length &&
            memcmp(a->said[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* Returns the index of the derivation line of a metric. A derivation line of a metric has the short name of the metric.
 * A line of a metric in the section cost can also have a name that begins with "cost_", such as "cost_step" for
 * cost.step. -1 = no line has one of these names, or the metric is a field of the plan. */
static int said_of(const nnc_question *a, const char *column) {
    char joined[96];
    const char *name = nnc_metric_short_name(column);
    if (strncmp(column, "plan.", 5) == 0) { /* a field of the plan is explained by its value alone, even if a derivation
                                             * line has the same name */
        return -1;
    }
    const int found = find_said(a, owner_of(column), name, strlen(name), a->said_count);
    if (found >= 0 || strncmp(column, "cost.", 5) != 0) { return found; }
    snprintf(joined, sizeof joined, "cost_%s", name);
    return find_said(a, "", joined, strlen(joined), a->said_count);
}

static bool is_metric(const nnc_question *a, const char *name, size_t length) {
    for (int32_t i = 0; i < a->columns.count; i++) {
        const char *metric = nnc_metric_short_name(a->columns.list[i].name);
        if (strlen(metric) == length && memcmp(metric, name, length) == 0) { return true; }
    }
    return false;
}

/* Adds to the answer the lines of those operands of a formula that are not metrics, and the lines of the operands in
 * the formulas of these lines. */
static void add_operands(nnc_question *a, int line) /* NOLINT(misc-no-recursion): adds each line once */
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

/* Appends to the answer all derivation lines whose member `of` is the name of the metric, such as the closed form of
 * the bubble. */
static void add_asides(nnc_question *a, const char *name) {
    for (int i = 0; i < a->said_count; i++) {
        if (strcmp(a->said[i].of, name) == 0) { nnc_answer_add(&a->answer, (nnc_explained){ .line = a->said[i] }); }
    }
}

/* Appends to the answer a line about a metric without a formula: an input of the estimate, or a text. */
static void add_value(nnc_question *a, const nnc_column *column) {
    static const char *const inputs[] = { "model.", "device.", "plan.", "cost." };
    char text[NNC_METRIC_TEXT_MAX] = "";
    const nnc_cell cell = nnc_column_read(column, (nnc_place){ .record = a->report }, text);
    nnc_explained e = { .kind = NNC_EXPLAINED_TEXT,
                        .line = { .of = owner_text(owner_of(column->name)),
                                  .name = full_name(column->name),
                                  .unit = column->metric->unit,
                                  .meaning = metric_meaning(column->metric),
                                  .source = nnc_metric_rare(column->metric)->source,
                                  .value = (double)NAN } };
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        if (strncmp(column->name, inputs[i], strlen(inputs[i])) == 0) { e.kind = NNC_EXPLAINED_GIVEN; }
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

static void add_metric(nnc_question *a, const nnc_column *column) {
    const int line = said_of(a, column->name);
    if (line < 0) {
        add_value(a, column);
        return;
    }
    if (a->shown[line]) { return; }
    nnc_explained e = { .line = a->said[line], .note = a->said[line].meaning };
    a->shown[line] = true;
    e.line.of = owner_text(owner_of(column->name));
    e.line.name = full_name(column->name);
    e.line.meaning = metric_meaning(column->metric);
    e.line.unit = column->metric->unit != NULL ? column->metric->unit : e.line.unit;
    if (nnc_metric_rare(column->metric)->source != NULL) { e.line.source = nnc_metric_rare(column->metric)->source; }
    nnc_answer_add(&a->answer, e);
    add_asides(a, nnc_metric_short_name(column->name));
    add_operands(a, line);
}

static nnc_naming names_column(const char *column, const char *word) {
    const size_t length = strlen(word);
    nnc_naming best = NNC_NAMES_NOT_AT_ALL;
    for (const char *at = column; at != NULL && best < NNC_NAMES_ENDING;) {
        if (strncmp(at, word, length) == 0 && (at[length] == '\0' || at[length] == '.')) {
            best = at[length] == '.' ? NNC_NAMES_AROUND : at == column ? NNC_NAMES_EXACT : NNC_NAMES_ENDING;
        }
        at = strchr(at, '.');
        at = at != NULL ? at + 1 : NULL;
    }
    return best;
}

/* Tests whether a metric describes layers that the network of this estimate does not have, for example experts. */
static bool is_left_out(const nnc_question *a, const nnc_column *column) {
    char text[NNC_METRIC_TEXT_MAX];
    const nnc_cell cell = nnc_column_read(column, (nnc_place){ .record = a->report }, text);
    return column->metric->sparse && cell.kind == NNC_CELL_WHOLE && cell.whole == 0;
}

bool nnc_answer_columns(nnc_question *a, const char *word, nnc_naming least) {
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

bool nnc_answer_operand(nnc_question *a, const char *word) {
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

/* Explains a member of any output. If the word is the name of a metric of the estimate, appends the formula of the
 * metric, even if a member of another output has the same name; if the word is only the name of a member of another
 * output, appends the meaning of this member. Returns false if no output has a member of this name. */
bool nnc_answer_member(nnc_question *a, const char *word) {
    const nnc_explained_name *found = explained_names_find(&a->names, word);
    bool any = false;
    if (found == NULL) { return false; }
    const nnc_metric *row = found->row;
    const char *dot = strrchr(word, '.'), *value = dot != NULL ? dot + 1 : word;
    for (int32_t i = 0; i < a->columns.count; i++) {
        const nnc_column *column = &a->columns.list[i];
        const bool same = column->metric == row && (row->each_count == 0 || strcmp(row->name, value) == 0 ||
                                                    strcmp(strrchr(column->name, '.') + 1, value) == 0);
        if (same ||
            (nnc_metric_rare(row)->same_as != NULL && strcmp(column->name, nnc_metric_rare(row)->same_as) == 0)) {
            add_metric(a, column);
            any = true;
        }
    }
    if (!any) {
        char text[128];
        snprintf(text, sizeof text, "'nncost %s' prints its value", found->output);
        const char *kept = nnc_arena_strdup(a->answer.arena, text);
        a->answer.failed = a->answer.failed || kept == NULL;
        nnc_answer_add(&a->answer, (nnc_explained){ .note = kept,
                                                    .kind = NNC_EXPLAINED_TEXT,
                                                    .line = { .of = found->table->what,
                                                              .name = row->name,
                                                              .unit = row->unit,
                                                              .meaning = metric_meaning(row),
                                                              .source = nnc_metric_rare(row)->source,
                                                              .value = (double)NAN } });
    }
    return true;
}

/* Appends copies of the lines of a derivation to the answer. The first copy gets the heading `heading`, and all copies
 * get the name of a row as their member `of`. */
static void add_lines(nnc_answer *answer, const nnc_derivation *why, const char *heading, const char *of) {
    const nnc_line *lines = NULL;
    int count = 0;
    answer->failed = !nnc_derivation_lines(why, &lines, &count) || answer->failed;
    for (int i = 0; i < count; i++) {
        nnc_explained e = { .heading = i == 0 ? heading : NULL, .line = lines[i] };
        e.line.of = of;
        nnc_answer_add(answer, e);
    }
}

static void say_intensity(const nnc_device *device, const nnc_op_cost *cost, bool numbers, nnc_derivation *why) {
    const nnc_work *work = &cost->work;
    char verdict[160];
    if (!(work->read_bytes + work->write_bytes > 0.0)) { return; }
    nnc_say_work(work, why);
    NNC_SAY(why, intensity, "FLOP/B", (work->flops + work->vector_flops) / (work->read_bytes + work->write_bytes));
    (void)intensity;
    const char *bound = nnc_bound_name(cost->bound);
    if (!numbers) {
        snprintf(verdict, sizeof verdict, "FLOPs per byte moved");
    } else if (work->flops > 0.0) {
        snprintf(verdict, sizeof verdict,
                 "FLOPs per byte moved: bound by %s; the ridge point of the device is at %.1f FLOP/B", bound,
                 nnc_device_ridge(device, cost->op->math_dtype));
    } else {
        snprintf(verdict, sizeof verdict, "FLOPs per byte moved: bound by %s; no matrix product", bound);
    }
    nnc_say_note(why, verdict);
}

/* Appends the reason why an op takes longer in the step than alone: collectives occupy a part of the compute units, or
 * the average power of the step would exceed the power limit. */
static void say_slowed(const nnc_op_cost *cost, const nnc_timing *alone, double lent_factor, nnc_derivation *why) {
    nnc_timing slowed = *alone, *t = &slowed;
    NNC_LET(why, fixed_s, "s", t->fixed_s);
    if (lent_factor > 1.0) {
        NNC_LET(why, all_units_compute_s, "s", t->compute_s);
        NNC_LET(why, all_units_s, "s", t->time_s);
        NNC_PUT(why, lent_factor, NULL);
        NNC_LET(why, slower, NULL, nnc_row_lent_factor(t->compute_s, t->memory_s, t->bound, lent_factor));
        NNC_NOTE(
            why,
            "kernels of the expert all-to-all occupy units, so compute is slower by units / (units - network_units)");
        NNC_SAY(why, compute_s, "s", all_units_compute_s * lent_factor);
        NNC_SAY(why, time_s, "s", (all_units_s - fixed_s) * slower + fixed_s);
        t->compute_s = compute_s;
        t->time_s = time_s;
    }
    if (!(cost->time_s > t->time_s)) { return; }
    NNC_LET(why, full_clock_compute_s, "s", t->compute_s);
    NNC_LET(why, full_clock_s, "s", t->time_s);
    NNC_LET(why, power_factor, NULL, (cost->time_s - t->fixed_s) / (t->time_s - t->fixed_s));
    NNC_NOTE(why, "the average power would exceed the limit of the device, so the clock is lower");
    NNC_SOURCE(why, "docs/formulas.md, power-limit");
    NNC_SAY(why, compute_s, "s", full_clock_compute_s * power_factor);
    NNC_SAY(why, time_s, "s", (full_clock_s - fixed_s) * power_factor + fixed_s);
    (void)compute_s, (void)time_s;
}

static void say_compute(const nnc_report *report, const nnc_op_cost *cost, bool numbers, nnc_derivation *why) {
    const nnc_op *op = cost->op;
    nnc_op_say(op, why);
    nnc_op_say_issued(op, why);
    if (op->phase == NNC_PHASE_FORWARD) { nnc_op_say_params(op, why); }
    say_intensity(report->device, cost, numbers, why);
    if (report->result->plan.mode == NNC_MODE_IDEAL) {
        nnc_ideal_say_row(&report->scratch->bound, report->device, cost, why);
    } else {
        const nnc_timing t = nnc_op_say_time(report->device, op, &cost->work, why);
        if (cost->time_s > t.time_s) {
            say_slowed(cost, &t,
                       nnc_row_fills_units(cost)
                           ? nnc_rows_lent_factor(report->device, &report->result->plan, report->software)
                           : 1.0,
                       why);
        }
    }
}

/* Writes the route of a collective, such as "8 ranks inside one domain, over scale_up, by ring". */
static void route_text(const nnc_network *network, const nnc_op_cost *cost, const char *by, char *text, size_t size) {
    const nnc_collective_op *e = &cost->op->u.collective;
    const nnc_route *route = &network->routes[nnc_network_route_of(e)];
    if (e->comm == NNC_COMM_OFFLOAD) {
        snprintf(text, size, "between the device and host memory, over the host link");
    } else if (route->outer == 1) {
        snprintf(text, size, "%d ranks inside one domain, over %s%s%s", (int)route->size, route->link,
                 by != NULL ? ", by " : "", by != NULL ? by : "");
    } else {
        snprintf(text, size, "%d ranks, %d in each of %d domains, limited by %s%s%s", (int)route->size,
                 (int)route->inner, (int)route->outer, cost->link, by != NULL ? ", by " : "", by != NULL ? by : "");
    }
}

/* Records in `why` the formulas of a collective: first the formulas of the collective's time, then the formulas of its
 * exposed time in the step. Writes the route of the collective to `route`. */
static void say_network(const nnc_report *report, const nnc_op_cost *cost, const nnc_derivation *step, char *route,
                        size_t size, nnc_derivation *why) {
    const bool ideal = report->result->plan.mode == NNC_MODE_IDEAL;
    const nnc_network *network = &report->scratch->network;
    const char *by = NULL;
    if (ideal) {
        nnc_fabric_say_load(network, &cost->op->u.collective, why);
    } else {
        by = nnc_network_say_s(network, &cost->op->u.collective, why);
    }
    const nnc_line *lines = NULL;
    char row[16];
    int count = 0;
    route_text(network, cost, by, route, size);
    snprintf(row, sizeof row, "#%d", (int)(cost - report->ops));
    (void)nnc_derivation_lines(step, &lines, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(lines[i].of, row) == 0) { nnc_say_copy(why, &lines[i]); }
    }
}

static void explain_row(nnc_answer *answer, const nnc_report *report, const nnc_derivation *step,
                        const nnc_op_cost *cost, nnc_derivation *why) {
    char of[96], heading[384], route[192], shape[128];
    const nnc_op *op = cost->op;
    const double step_s = report->result->step_s;
    nnc_derivation_clear(why);
    snprintf(of, sizeof of, "%s %s", op->name, nnc_phase_name(op->phase));
    nnc_op_shape(op, shape, sizeof shape);
    if (nnc_op_is_collective(op)) {
        say_network(report, cost, step, route, sizeof route, why);
        snprintf(heading, sizeof heading, "%s, %s of %s ranks, %s, %.0f in one step", of, nnc_op_kind_name(op),
                 nnc_comm_name(op->u.collective.comm), route, cost->repeat);
    } else {
        say_compute(report, cost, answer->report != NULL, why);
        snprintf(heading, sizeof heading, "%s, %s, %s, %.0f in one step", of, nnc_op_kind_name(op), shape,
                 cost->repeat);
    }
    /* the answer shows formulas without numbers, so the numbers of the example estimate are removed */
    if (answer->report == NULL) { snprintf(heading, sizeof heading, "%s, %s", of, nnc_op_kind_name(op)); }
    NNC_PUT(why, cost->time_s, "s");
    NNC_PUT(why, cost->repeat, NULL);
    NNC_PUT(why, step_s, "s");
    NNC_SAY(why, share, NULL, cost->time_s * cost->repeat / step_s);
    (void)share;
    add_lines(answer, why, nnc_arena_strdup(answer->arena, heading), nnc_arena_strdup(answer->arena, of));
}

static bool is_named(const nnc_op_cost *cost, const char *name) {
    char path[NNC_METRIC_TEXT_MAX];
    return strcmp(cost->op->name, name) == 0 || strcmp(nnc_op_path(cost->op, path, sizeof path), name) == 0;
}

/* Returns the row of an op with the longest time (over all repeats) in a phase; NULL if the op has no row in the
 * phase. */
static const nnc_op_cost *longest_row(const nnc_report *report, const char *name, nnc_phase phase) {
    const nnc_op_cost *longest = NULL;
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        if (cost->op->phase == phase && is_named(cost, name) &&
            (longest == NULL || cost->time_s * cost->repeat > longest->time_s * longest->repeat)) {
            longest = cost;
        }
    }
    return longest;
}

bool nnc_explain_op(nnc_answer *answer, const nnc_report *report, const nnc_derivation *step, nnc_derivation *why,
                    const char *name) {
    enum { ROWS_SHOWN = 8 };
    int rows = 0, run = 0; /* run: number of rows that the busiest stage runs. If the busiest stage runs at least one
                            * row, only the rows that it runs are explained */
    for (int32_t i = 0; i < report->op_count; i++) {
        rows += is_named(&report->ops[i], name) ? 1 : 0;
        run += is_named(&report->ops[i], name) && report->ops[i].repeat > 0.0 ? 1 : 0;
    }
    const bool all = answer->report != NULL && (run > 0 ? run : rows) <= ROWS_SHOWN;
    for (int32_t i = 0; i < report->op_count && all; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        if (is_named(cost, name) && (run == 0 || cost->repeat > 0.0)) { explain_row(answer, report, step, cost, why); }
    }
    for (int phase = 0; phase < NNC_PHASE_COUNT && !all; phase++) {
        const nnc_op_cost *longest = longest_row(report, name, (nnc_phase)phase);
        if (longest != NULL) { explain_row(answer, report, step, longest, why); }
    }
    return rows > 0;
}
