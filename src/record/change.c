/* Compares two estimates value by value: finds the values that changed, sorts these changes for readers, and writes
 * them as text. The file also has the functions of `nncost diff`, which compares two files of recorded estimates, and
 * the reports of `nncost check` and `nncost diff`. */
#include <nncost/check.h>

#include "base/base_internal.h"
#include "metrics/metrics_internal.h"
#include "record/record_internal.h"
#include "render/render_internal.h"
#include "scenario/scenario_internal.h"

/* Returns the value with the name `name`; NULL = the list has no such value. The search starts at index *next, and sets
 * *next to the index after the found value. Two estimates mostly list the same values in the same order, so the first
 * compared name is mostly the wanted name. */
static const nnc_figure *find_from(nnc_figures figures, int32_t *next, const char *name) {
    for (int32_t i = 0; i < figures.count; i++) {
        const int32_t at = (*next + i) % figures.count;
        if (strcmp(figures.list[at].name, name) == 0) {
            *next = at + 1;
            return figures.list + at;
        }
    }
    return NULL;
}

/* Tests whether a value of an estimate is present. A number that is NaN counts as missing. */
static bool is_known(const nnc_figure *figure) {
    return figure != NULL && (figure->text != NULL || !isnan(figure->number));
}

/* Tests whether two numbers are equal when printed with 12 significant digits. */
static bool same_number(double a, double b) {
    char a_text[NNC_NUMBER_TEXT], b_text[NNC_NUMBER_TEXT];
    if (a == b) { return true; }
    if (fabs(a - b) > 1e-10 * fabs(a)) {
        /* two numbers whose relative difference is larger than 1e-10 differ in their first 12 digits, so nncost
         * compares such numbers without printing them */
        return false;
    }
    return strcmp(nnc_number_text(a, a_text), nnc_number_text(b, b_text)) == 0;
}

static bool same(const nnc_figure *old, const nnc_figure *now) {
    if (old->text != NULL || now->text != NULL) {
        return old->text != NULL && now->text != NULL && strcmp(old->text, now->text) == 0;
    }
    return same_number(old->number, now->number);
}

static bool is_tolerated(const nnc_figure *old, const nnc_figure *now, const nnc_tolerance *tolerances, int32_t count) {
    const nnc_tolerance *best = NULL;
    int best_length = -1;
    for (int32_t i = 0; i < count; i++) {
        const int length = nnc_figure_match(tolerances[i].name, old->name);
        if (length > best_length) {
            best = &tolerances[i];
            best_length = length;
        }
    }
    if (best == NULL || old->text != NULL || now->text != NULL) { return false; }
    return fabs(now->number - old->number) <= nnc_max(best->absolute, best->relative * fabs(old->number));
}

static bool is_input(const char *name) {
    static const char *const inputs[] = { "model.", "device.", "plan." };
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        if (strncmp(name, inputs[i], strlen(inputs[i])) == 0) { return true; }
    }
    return false;
}

/* Returns the size of a change, which decides the order of changes: |new / old - 1|; infinite if the old value is 0; -1
 * if a value is missing or is a text. */
static double size_of(const nnc_change *change) {
    const bool number = change->kind != NNC_CHANGE_GONE && change->kind != NNC_CHANGE_NEW &&
                        change->old->text == NULL && change->now->text == NULL;
    if (!number) { return -1; }
    return isnan(change->relative) ? HUGE_VAL : fabs(change->relative);
}

static const char *name_of(const nnc_change *change) { return (change->old != NULL ? change->old : change->now)->name; }

/* Returns the rank of a changed metric; reports list low ranks first. Step time and latencies have the lowest ranks,
 * then memory, then cost, then all other metrics. */
static int rank_of(const nnc_change *change) {
    static const char *const first[] = { "step.step_s", "latency.tpot_s", "latency.ttft_s", "memory.total_bytes",
                                         "cost." };
    enum { RANKS = sizeof first / sizeof first[0] };
    int rank = change->kind == NNC_CHANGE_MOVED ? 0 : RANKS;
    while (rank < RANKS && strncmp(name_of(change), first[rank], strlen(first[rank])) != 0) { rank++; }
    return rank;
}

/* Compares two changes for sorting. Values that only the new estimate has are the last in the list. All other changes
 * are sorted by rank. Among changes of equal rank, changes of inputs come before changes of results; after that, the
 * kind of the change decides the order, then its size (the largest first), then its name. No two changes are equal in
 * this order, so the sorted list does not depend on the qsort of the system. */
static int by_size(const void *a, const void *b) {
    const nnc_change *left = a, *right = b;
    const bool left_new = left->kind == NNC_CHANGE_NEW, right_new = right->kind == NNC_CHANGE_NEW;
    if (left_new != right_new) { return right_new ? -1 : 1; }
    if (rank_of(left) != rank_of(right)) { return rank_of(left) - rank_of(right); }
    if (left->input != right->input) { return left->input ? -1 : 1; }
    if (left->kind != right->kind) { return left->kind < right->kind ? -1 : 1; }
    const double left_size = size_of(left), right_size = size_of(right);
    if (left_size != right_size) { return left_size > right_size ? -1 : 1; }
    return strcmp(name_of(left), name_of(right));
}

static nnc_change change_of(const nnc_figure *old, const nnc_figure *now, bool tolerated) {
    nnc_change change = { .old = old, .now = now, .relative = (double)NAN };
    change.kind = !is_known(now)   ? NNC_CHANGE_GONE
                  : !is_known(old) ? NNC_CHANGE_NEW
                  : tolerated      ? NNC_CHANGE_WITHIN
                                   : NNC_CHANGE_MOVED;
    change.input = is_input(name_of(&change));
    if (change.kind != NNC_CHANGE_GONE && change.kind != NNC_CHANGE_NEW && old != NULL && now != NULL &&
        old->text == NULL && now->text == NULL && old->number != 0) {
        change.relative = (now->number - old->number) / fabs(old->number);
    }
    return change;
}

int32_t nnc_figures_compare(nnc_figures old, nnc_figures now, const nnc_tolerance *tolerances, int32_t tolerance_count,
                            nnc_change *changes) {
    int32_t count = 0, next = 0;
    if (changes == NULL) { return 0; }
    for (int32_t i = 0; i < old.count; i++) {
        const nnc_figure *was = &old.list[i], *is = find_from(now, &next, was->name);
        if (!is_known(was) || (is_known(is) && same(was, is))) { continue; }
        const bool tolerated = is_known(is) && is_tolerated(was, is, tolerances, tolerance_count);
        changes[count++] = change_of(was, is_known(is) ? is : NULL, tolerated);
    }
    next = 0;
    for (int32_t i = 0; i < now.count; i++) {
        const nnc_figure *is = &now.list[i];
        if (is_known(is) && !is_known(find_from(old, &next, is->name))) {
            changes[count++] = change_of(NULL, is, false);
        }
    }
    if (count > 0) { qsort(changes, (size_t)count, sizeof *changes, by_size); }
    return count;
}

/* Returns new value - old value for the value `name`; 0 = the value is a text, or is missing in one of the two
 * estimates. */
static double moved(nnc_figures old, nnc_figures now, const char *name) {
    int32_t next = 0;
    const nnc_figure *was = find_from(old, &next, name);
    next = 0;
    const nnc_figure *is = find_from(now, &next, name);
    if (!is_known(was) || !is_known(is) || was->text != NULL || is->text != NULL || same(was, is)) { return 0; }
    return is->number - was->number;
}

/* Tests whether the metric `name` is one of the parts whose sum is the metric `total`. */
static bool is_part(const char *name, const char *total) {
    const nnc_metric *metric = nnc_figure_metric(name);
    return metric != NULL && nnc_metric_rare(metric)->part_of != NULL &&
           strcmp(nnc_metric_rare(metric)->part_of, total) == 0;
}

const char *nnc_figures_responsible(nnc_figures old, nnc_figures now, const char *total, double *moved_by) {
    if (total == NULL || moved_by == NULL) { return NULL; }
    const double all = moved(old, now, total), direction = all < 0 ? -1 : 1;
    const char *found = NULL;
    *moved_by = 0;
    for (int32_t i = 0; all != 0 && i < now.count; i++) {
        const char *name = now.list[i].name;
        const double by = is_part(name, total) ? moved(old, now, name) : 0;
        if (by * direction > *moved_by * direction) {
            *moved_by = by;
            found = name;
        }
    }
    return found;
}

/* Returns the unit of a metric; NULL = the metric has no unit, or this version of nncost has no such metric. */
static const char *unit_of(const char *name) {
    const nnc_metric *metric = nnc_figure_metric(name);
    return metric != NULL ? metric->unit : NULL;
}

static void put_text(char *into, size_t size, const char *text) {
    int columns = 0;
    size_t length = 0;
    for (; text[length] != '\0' && length + 4 < size && columns < 40; length++) {
        columns += ((unsigned char)text[length] & 0xC0u) != 0x80u;
    }
    while (((unsigned char)text[length] & 0xC0u) == 0x80u) { length--; }
    snprintf(into, size, "%.*s%s", (int)length, text, text[length] != '\0' ? ".." : "");
}

static void plain_text(const nnc_figure *figure, char *into, size_t size) {
    char number[NNC_NUMBER_TEXT];
    if (figure == NULL) {
        snprintf(into, size, "-");
    } else if (figure->text != NULL) {
        put_text(into, size, figure->text);
    } else {
        snprintf(into, size, "%s", nnc_number_text(figure->number, number));
    }
}

/* Writes a value with four digits and its unit. A small whole number without a unit is written with all digits. */
static void short_text(const nnc_figure *figure, char *into, size_t size) {
    char number[NNC_NUMBER_TEXT];
    const char *unit = figure != NULL && figure->text == NULL ? unit_of(figure->name) : NULL;
    if (unit != NULL) {
        snprintf(into, size, "%s", nnc_unit_text(figure->number, unit, number));
    } else if (figure == NULL || figure->text != NULL ||
               (figure->number == floor(figure->number) && fabs(figure->number) < 1e6)) {
        plain_text(figure, into, size);
    } else {
        snprintf(into, size, "%s", nnc_count_text(figure->number, number));
    }
}

/* Writes a value with all its digits and its unit. */
static void full_text(const nnc_figure *figure, char *into, size_t size) {
    const char *unit = figure != NULL && figure->text == NULL ? unit_of(figure->name) : NULL;
    plain_text(figure, into, size);
    if (unit != NULL) { nnc_text_append(into, size, "", " %s", unit); }
}

static void percent_text(double relative, char *into, size_t size) {
    if (isnan(relative)) {
        into[0] = '\0';
    } else if (fabs(relative) >= 10) {
        /* a large change is written as a factor, because "x 11.5" is easier to read than "+1050%" */
        snprintf(into, size, "x %.4g", 1 + relative);
    } else {
        snprintf(into, size, "%+.3g%%", 100 * relative);
    }
}

nnc_change_text nnc_change_text_of(const nnc_change *change) {
    nnc_change_text text = { .old = "" };
    short_text(change->old, text.old, sizeof text.old);
    short_text(change->now, text.now, sizeof text.now);
    if (strcmp(text.old, text.now) == 0) {
        full_text(change->old, text.old, sizeof text.old);
        full_text(change->now, text.now, sizeof text.now);
    }
    percent_text(change->relative, text.percent, sizeof text.percent);
    return text;
}

const char *nnc_change_name(const nnc_change *change) {
    return (change->old != NULL ? change->old : change->now)->name;
}

void nnc_verdict_text(const nnc_check_verdict *verdict, char *text, size_t size) {
    char found[64], limit[64];
    const nnc_figure *figure = verdict->figure;
    const nnc_requirement *asked = verdict->requirement;
    const bool known = figure->text != NULL || !isnan(figure->number);
    const nnc_figure line = { .name = figure->name, .text = asked->text, .number = asked->number };
    short_text(figure, found, sizeof found);
    short_text(&line, limit, sizeof limit);
    /* the found value and the limit of a requirement are equal in four digits, so the value and the limit are written
     * with all digits */
    if (strcmp(found, limit) == 0) {
        full_text(figure, found, sizeof found);
        full_text(&line, limit, sizeof limit);
    }
    const bool as_typed = strstr(asked->rule, limit) != NULL;
    snprintf(text, size, "%s %s%s%s%s, found %s", asked->name, asked->rule, as_typed ? "" : " (", as_typed ? "" : limit,
             as_typed ? "" : ")", known ? found : "nothing: the plan has no value for this metric");
}

const nnc_change *nnc_change_find(const nnc_check_row *row, const char *name) {
    for (int32_t i = 0; i < row->change_count; i++) {
        const nnc_change *change = &row->changes[i];
        if (change->kind == NNC_CHANGE_MOVED && strcmp(nnc_change_name(change), name) == 0) { return change; }
    }
    return NULL;
}

void nnc_check_headline(const nnc_check_row *row, char *text, size_t size) {
    static const struct {
        const char *what, *name;
    } totals[] = { { "step", "step.step_s" },
                   { "per token", "latency.tpot_s" },
                   { "first token", "latency.ttft_s" },
                   { "memory", "memory.total_bytes" } };
    text[0] = '\0';
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        const nnc_change *change = nnc_change_find(row, totals[i].name);
        double moved_by = 0;
        if (change == NULL) { continue; }
        const nnc_change_text pair = nnc_change_text_of(change);
        const char *part = nnc_figures_responsible(row->old, row->now, totals[i].name, &moved_by);
        const char *dot = part != NULL ? strchr(part, '.') : NULL;
        nnc_text_append(text, size, "; ", "%s %s -> %s (%s)%s%s", totals[i].what, pair.old, pair.now, pair.percent,
                        part != NULL ? ", mostly from " : "", dot != NULL ? dot + 1 : "");
    }
    const nnc_change *software = nnc_change_find(row, "plan.software");
    if (software != NULL && text[0] != '\0') {
        nnc_text_append(text, size, "", "; the software changed, too: %s -> %s%s%s", software->old->text,
                        software->now->text, row->split != NULL ? ", " : "", row->split != NULL ? row->split : "");
    }
}

static const nnc_recorded_estimate *find(const nnc_recorded *recorded, const char *id) {
    for (int32_t i = 0; i < recorded->estimate_count; i++) {
        if (strcmp(recorded->estimates[i].id, id) == 0) { return &recorded->estimates[i]; }
    }
    return NULL;
}

/* Adds the time of an op to the row with the same name and phase. now: true = the time belongs to the new estimate;
 * false = the time belongs to the old estimate. */
static void add_op(nnc_check_op *rows, int32_t *count, const nnc_recorded_op *op, bool now) {
    int32_t i = 0;
    while (i < *count && (strcmp(rows[i].name, op->name) != 0 || strcmp(rows[i].phase, op->phase) != 0)) { i++; }
    if (i == *count) { rows[(*count)++] = (nnc_check_op){ op->name, op->phase, (double)NAN, (double)NAN }; }
    double *sum = now ? &rows[i].now_s : &rows[i].old_s;
    *sum = (isnan(*sum) ? 0 : *sum) + op->repeat * op->time_s;
}

static double op_change_s(const nnc_check_op *op) {
    return fabs((isnan(op->now_s) ? 0 : op->now_s) - (isnan(op->old_s) ? 0 : op->old_s));
}

static int by_change(const void *a, const void *b) {
    const nnc_check_op *left = a, *right = b;
    const double left_change = op_change_s(left), right_change = op_change_s(right);
    if (left_change != right_change) { return left_change > right_change ? -1 : 1; }
    const int names = strcmp(left->name, right->name);
    return names != 0 ? names : strcmp(left->phase, right->phase);
}

static bool compare_ops(nnc_arena *arena, const nnc_recorded_estimate *old, const nnc_recorded_estimate *now,
                        nnc_check_row *row) {
    int32_t count = 0;
    if (old->op_count == 0 || now->op_count == 0) { return true; }
    nnc_check_op *ops = nnc_arena_array(arena, (size_t)old->op_count + (size_t)now->op_count, sizeof *ops);
    if (ops == NULL) { return false; }
    for (int32_t i = 0; i < old->op_count; i++) { add_op(ops, &count, &old->ops[i], false); }
    for (int32_t i = 0; i < now->op_count; i++) { add_op(ops, &count, &now->ops[i], true); }
    qsort(ops, (size_t)count, sizeof *ops, by_change);
    while (count > 0 && op_change_s(&ops[count - 1]) == 0) { count--; }
    row->ops = ops;
    row->op_count = count;
    return true;
}

static bool compare(nnc_arena *arena, const nnc_recorded_estimate *old, const nnc_recorded_estimate *now,
                    nnc_check_row *row) {
    const nnc_figures was = { nnc_packed_list(arena, &old->figures), nnc_packed_count(&old->figures) };
    const nnc_figures is = { nnc_packed_list(arena, &now->figures), nnc_packed_count(&now->figures) };
    const size_t room = (size_t)was.count + (size_t)is.count;
    nnc_change *changes = nnc_arena_array(arena, room + 1, sizeof *changes);
    *row = (nnc_check_row){ .id = now->id, .old = was, .now = is };
    if (changes == NULL || was.list == NULL || is.list == NULL) { return false; }
    row->changes = changes;
    row->change_count = nnc_figures_compare(was, is, NULL, 0, changes);
    row->state = row->change_count > 0 ? NNC_CHECK_MOVED : NNC_CHECK_SAME;
    return compare_ops(arena, old, now, row);
}

/* Finds the pairs of estimates to compare in two files. If each file has a single estimate, the two estimates are a
 * pair, even if their names differ. In files with several estimates, two estimates with the same name are a pair; pairs
 * are in the order of the new file. */
static nnc_check_row *compare_all(nnc_arena *arena, const nnc_recorded *old, const nnc_recorded *now, int32_t *count) {
    const bool single = old->estimate_count == 1 && now->estimate_count == 1;
    const size_t room = (size_t)old->estimate_count + (size_t)now->estimate_count;
    nnc_check_row *rows = nnc_arena_array(arena, room + 1, sizeof *rows);
    *count = 0;
    for (int32_t i = 0; rows != NULL && i < now->estimate_count; i++) {
        const nnc_recorded_estimate *is = &now->estimates[i];
        const nnc_recorded_estimate *was = single ? &old->estimates[0] : find(old, is->id);
        nnc_check_row *row = &rows[(*count)++];
        if (was == NULL) {
            *row = (nnc_check_row){ .id = is->id, .state = NNC_CHECK_ADDED };
        } else if (!compare(arena, was, is, row)) {
            return NULL;
        }
    }
    for (int32_t i = 0; rows != NULL && !single && i < old->estimate_count; i++) {
        if (find(now, old->estimates[i].id) == NULL) {
            rows[(*count)++] = (nnc_check_row){ .id = old->estimates[i].id, .state = NNC_CHECK_REMOVED };
        }
    }
    return rows;
}

/* ---- how much of a change of the step time is due to another software profile ---- */

static const nnc_figure *named(nnc_figures figures, const char *name) {
    int32_t next = 0;
    const nnc_figure *found = figures.count > 0 ? find_from(figures, &next, name) : NULL;
    return is_known(found) ? found : NULL;
}

static const char *text_in(nnc_figures figures, const char *name) {
    const nnc_figure *found = named(figures, name);
    return found != NULL ? found->text : NULL;
}

/* Returns the field of the plan that a value shows, such as `zero` for "plan.zero"; NULL: the value shows no field of
 * the plan. */
static const nnc_field *plan_field(const char *name) {
    return strncmp(name, "plan.", 5) == 0 ? nnc_field_of_key(&nnc_plan_table, name + 5) : NULL;
}

/* Estimates a recorded plan again, with the given software profile, and returns the step time in seconds; NaN = no
 * estimate is possible. */
static double step_again(nnc_specs *specs, nnc_arena *arena, nnc_figures figures, const char *software) {
    const char *model = text_in(figures, "model.id"), *device = text_in(figures, "device.id");
    const char *overrides = text_in(figures, "plan.overrides");
    char *sets = nnc_arena_strdup(arena, overrides != NULL ? overrides : "");
    nnc_scenario_args given = { .software = software, .cluster = text_in(figures, "plan.cluster") };
    nnc_scenario *scenario = nnc_arena_alloc(arena, sizeof *scenario);
    nnc_scratch *scratch = nnc_scratch_create();
    double step_s = (double)NAN;
    for (int32_t i = 0; i < figures.count && given.setting_count < NNC_SETTINGS_MAX; i++) {
        const nnc_figure *figure = &figures.list[i];
        const nnc_field *field = plan_field(figure->name);
        char number[NNC_NUMBER_TEXT];
        if (field != NULL && is_known(figure)) {
            given.settings[given.setting_count++] =
                (nnc_setting){ field, figure->text != NULL
                                          ? figure->text
                                          : nnc_arena_strdup(arena, nnc_number_text(figure->number, number)) };
        }
    }
    for (char *at = sets; at != NULL && *at != '\0' && given.set_count < NNC_SETS_MAX;) {
        char *end = strstr(at, ", "), *value = strchr(at, '=');
        if (end != NULL) { *end = '\0'; }
        if (value != NULL && strncmp(at, "software.", 9) == 0 &&
            given.setting_count < NNC_SETTINGS_MAX) { /* "software.NAME=VALUE" sets a switch of the software profile */
            *value = '\0';
            const nnc_field *field = nnc_field_of_key(&nnc_switch_table, at + 9);
            given.settings[given.setting_count] = (nnc_setting){ field, value + 1 };
            given.setting_count += field != NULL ? 1 : 0;
        } else {
            given.sets[given.set_count++] = at;
        }
        at = end != NULL ? end + 2 : NULL;
    }
    if (model != NULL && device != NULL && sets != NULL && scenario != NULL && scratch != NULL &&
        nnc_scenario_load(specs, &given, model, device, scenario, NULL) == NNC_OK &&
        nnc_estimate(&scenario->model, &scenario->device, &scenario->software, &scenario->plan, scratch,
                     &scenario->result, NULL) == NNC_OK) {
        step_s = scenario->result.step_s;
    }
    nnc_scratch_destroy(scratch);
    return step_s;
}

/* Divides the change of a row's step time into two numbers: the change that comes from another software profile, and
 * the change that comes from plan, model or device. Before the function divides the change, it estimates the recorded
 * plan of the old estimate and the recorded plan of the new estimate again. The row stays unchanged if the software
 * profile is the same, or if a new estimate does not have the recorded step time (to 12 digits). Returns false when out
 * of memory. */
static bool split_change(nnc_specs *specs, nnc_arena *arena, nnc_check_row *row) {
    static const char step[] = "step.step_s";
    const char *was = text_in(row->old, "plan.software"), *is = text_in(row->now, "plan.software");
    const nnc_figure *old_step = named(row->old, step), *new_step = named(row->now, step);
    char all[NNC_NUMBER_TEXT], part[NNC_NUMBER_TEXT];
    if (was == NULL || is == NULL || strcmp(was, is) == 0 || old_step == NULL || new_step == NULL ||
        !same_number(step_again(specs, arena, row->old, was), old_step->number) ||
        !same_number(step_again(specs, arena, row->now, is), new_step->number)) {
        return true;
    }
    const double same_s = step_again(specs, arena, row->now, was);
    if (isnan(same_s)) { return true; }
    row->change_s = new_step->number - old_step->number;
    row->framework_s = new_step->number - same_s;
    nnc_buffer text = { 0 };
    nnc_buffer_print(&text, "%s%s: framework %s", row->change_s < 0.0 ? "" : "+",
                     nnc_unit_text(row->change_s, "s", all), nnc_unit_text(row->framework_s, "s", part));
    bool more = false;
    for (int32_t i = 0; i < row->change_count; i++) {
        const nnc_change *change = &row->changes[i];
        const char *name = change->now != NULL ? change->now->name : change->old->name;
        const bool of_plan = plan_field(name) != NULL || strcmp(name, "plan.overrides") == 0;
        if (of_plan || strcmp(name, "model.id") == 0 || strcmp(name, "device.id") == 0) {
            nnc_buffer_print(&text, "%s%.*s", more ? " and " : ", ",
                             (int)(of_plan ? strlen(name + 5) : strcspn(name, ".")), of_plan ? name + 5 : name);
            more = true;
        }
    }
    if (more) { nnc_buffer_print(&text, " %s", nnc_unit_text(same_s - old_step->number, "s", part)); }
    nnc_buffer_byte(&text, '\0');
    row->split = nnc_arena_strdup(arena, text.failed ? NULL : text.bytes);
    nnc_buffer_free(&text);
    return row->split != NULL;
}

nnc_status nnc_check_list_changes(nnc_arena *arena, nnc_check_report *report, nnc_error *err) {
    size_t count = 0;
    for (int32_t i = 0; i < report->row_count; i++) { count += (size_t)report->rows[i].change_count; }
    nnc_check_line *lines = nnc_arena_array(arena, count + 1, sizeof *lines);
    NNC_GOT(lines, err);
    report->lines = lines;
    report->line_count = 0;
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        for (int32_t k = 0; k < row->change_count; k++) {
            lines[report->line_count++] = (nnc_check_line){ row, &row->changes[k] };
        }
    }
    return NNC_OK;
}

nnc_status nnc_diff_make(nnc_specs *specs, nnc_arena *arena, const char *old_path, const char *now_path,
                         nnc_check_report *report, nnc_error *err) {
    nnc_recorded old, now;
    NNC_TRY(nnc_recorded_read(arena, old_path, &old, err));
    NNC_TRY(nnc_recorded_read(arena, now_path, &now, err));
    *report = (nnc_check_report){ .path = old_path, .other = now_path, .tool = now.tool, .old_tool = old.tool };
    report->rows = compare_all(arena, &old, &now, &report->row_count);
    for (int32_t i = 0; report->rows != NULL && i < report->row_count; i++) {
        if (!split_change(specs, arena, (nnc_check_row *)&report->rows[i])) { return nnc_no_memory(err); }
    }
    return report->rows != NULL ? nnc_check_list_changes(arena, report, err) : nnc_no_memory(err);
}

/* ---- reports of `nncost check` and `nncost diff`: sums over their rows, summary lines, and the metrics tables of
 * their output ---- */

int32_t nnc_check_missed(const nnc_check_row *row) {
    int32_t missed = 0;
    for (int32_t i = 0; i < row->verdict_count; i++) { missed += !row->verdicts[i].met; }
    return missed;
}

bool nnc_check_row_moved(const nnc_check_row *row) {
    return row->state == NNC_CHECK_MOVED || row->state == NNC_CHECK_ADDED || row->state == NNC_CHECK_REMOVED;
}

bool nnc_check_row_failed(const nnc_check_report *report, const nnc_check_row *row) {
    return (nnc_check_row_moved(row) && !report->updated) || nnc_check_missed(row) > 0;
}

nnc_check_sum nnc_check_sum_of(const nnc_check_report *report) {
    nnc_check_sum sum = { .passed = true };
    for (int32_t i = 0; i < report->row_count; i++) {
        const nnc_check_row *row = &report->rows[i];
        sum.states[row->state]++;
        sum.requirements += row->verdict_count;
        sum.missed += nnc_check_missed(row);
        sum.passed = sum.passed && !nnc_check_row_failed(report, row);
    }
    return sum;
}

void nnc_check_summary(const nnc_check_report *report, char *text, size_t size) {
    const nnc_check_sum sum = nnc_check_sum_of(report);
    size_t used = 0;
    text[0] = '\0';
    for (int state = 0; state < NNC_CHECK_STATE_COUNT && used < size; state++) {
        if (sum.states[state] > 0) {
            const int n =
                snprintf(text + used, size - used, "%s%d %s", used > 0 ? ", " : "", sum.states[state],
                         state == NNC_CHECK_SAME ? "as recorded" : nnc_check_state_name((nnc_check_state)state));
            used += n > 0 ? (size_t)n : 0;
        }
    }
    if (sum.requirements > 0 && used < size) {
        snprintf(text + used, size - used,
                 sum.missed > 0 ? "; %d of %d requirements missed" : "; %d of %d requirements met",
                 sum.missed > 0 ? sum.missed : sum.requirements, sum.requirements);
    }
}

NNC_ENUM_NAMES(nnc_check_state, NNC_CHECK_STATE_LIST)

static const char *kind_name(unsigned kind) {
    static const char *const names[NNC_CHANGE_KIND_COUNT] = {
        [NNC_CHANGE_MOVED] = "moved",
        [NNC_CHANGE_GONE] = "gone",
        [NNC_CHANGE_NEW] = "new",
        [NNC_CHANGE_WITHIN] = "within tolerance",
    };
    return names[kind];
}

static nnc_cell cell_of(const nnc_figure *figure) {
    if (figure == NULL) { return (nnc_cell){ .kind = NNC_CELL_NULL }; }
    return figure->text != NULL ? nnc_text_cell(figure->text) : nnc_number_cell(figure->number);
}

NNC_GET(get_figure, void, nnc_text_cell(nnc_change_name(self)))

NNC_GET(get_old, nnc_change, cell_of(self->old))

NNC_GET(get_now, nnc_change, cell_of(self->now))

static const nnc_metric change_rows[] = {
    NNC_AS("figure", TEXT, .get = get_figure, .help = "Name of the metric."),
    NNC_NAMED(nnc_change, kind, kind_name, NNC_CHANGE_KIND_COUNT,
              .help = "Kind of the change: the metric changed, was removed, is new, or changed by less than its "
                      "tolerance."),
    NNC_AS("old", ANY, .get = get_old, .help = "Recorded value of the metric."),
    NNC_AS("now", ANY, .get = get_now, .help = "New value of the metric."),
    NNC_NUMBER(nnc_change, relative,
               .help = "Change divided by the recorded value; null for texts, and if the recorded value is 0."),
};
static const nnc_metrics change_metrics = NNC_METRICS("a metric that differs", change_rows, nnc_change);

NNC_GET(get_found, nnc_check_verdict, cell_of(self->figure))

static const nnc_metric verdict_rows[] = {
    NNC_AS("figure", TEXT, NNC_VIA(nnc_check_verdict, figure), NNC_IN(nnc_figure, name), .help = "Name of the metric."),
    NNC_AS("rule", TEXT, NNC_VIA(nnc_check_verdict, requirement), NNC_IN(nnc_requirement, rule),
           .help = "Requirement on the metric, such as <= 9.5."),
    NNC_AS("found", ANY, .get = get_found, .help = "Value of the metric in the new estimate."),
    NNC_BOOL(nnc_check_verdict, met, .help = "Whether `found`, the new value, meets the requirement in `rule`."),
};
static const nnc_metrics verdicts = NNC_METRICS("a requirement", verdict_rows, nnc_check_verdict);

static nnc_cell get_difference(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_check_op *op = place->record;
    char number[NNC_NUMBER_TEXT];
    const double by = (isnan(op->now_s) ? 0 : op->now_s) - (isnan(op->old_s) ? 0 : op->old_s);
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s%s", by > 0 ? "+" : "", nnc_unit_text(by, "s", number));
    return nnc_text_cell(text);
}

static const nnc_metric op_rows[] = {
    NNC_TEXT(nnc_check_op, name, .head = "op", .shrinks = true, .help = "Name of the op."),
    NNC_TEXT(nnc_check_op, phase, .head = "phase", .help = "Phase of the step."),
    NNC_NUMBER(nnc_check_op, old_s, .head = "old", .unit = "s", .help = "Time of the op in the old estimate."),
    NNC_NUMBER(nnc_check_op, now_s, .head = "new", .unit = "s", .help = "Time of the op in the new estimate."),
    NNC_HEAD("difference", NUMBER, .get = get_difference),
};
const nnc_metrics nnc_check_op_metrics = NNC_METRICS("an op whose time differs", op_rows, nnc_check_op);

static const char step_total[] = "step.step_s", memory_total[] = "memory.total_bytes";

static nnc_cell responsible_for(const nnc_place *place, const char *total) {
    const nnc_check_row *row = place->record;
    double moved_by = 0;
    return nnc_text_cell(nnc_figures_responsible(row->old, row->now, total, &moved_by));
}

NNC_GET(get_step_part, void, responsible_for(place, step_total))

NNC_GET(get_memory_part, void, responsible_for(place, memory_total))

static const nnc_metric responsible_rows[] = {
    NNC_AS(step_total, TEXT, .get = get_step_part,
           .help = "Part of the step time that contributes most to the change of step.step_s."),
    NNC_AS(memory_total, TEXT, .get = get_memory_part,
           .help = "Part of the memory that contributes most to the change of memory.total_bytes."),
};
static const nnc_metrics responsible =
    NNC_METRICS("the part that contributes most to a change", responsible_rows, nnc_check_row);

NNC_IF(has_split, nnc_check_row, self->split != NULL)
NNC_IF(is_check, void, NNC_OWNER(nnc_check_report)->other == NULL)

NNC_GET(get_failed, void, nnc_bool_cell(nnc_check_row_failed(place->owner, self)))

static const nnc_metric row_rows[] = {
    NNC_TEXT(nnc_check_row, id, .help = "Id of the scenario."),
    NNC_WHOLE(nnc_check_row, line, .blank_zero = true, .help = "Line of the scenario in the plan file."),
    NNC_NAMED(nnc_check_row, state, nnc_check_state_name, NNC_CHECK_STATE_COUNT,
              .help = "Result of comparing the scenario with its recorded estimate."),
    NNC_AS(
        "failed", BOOL, .get = get_failed,
        .help =
            "Whether the scenario failed: an estimate changed by more than its tolerance, or a requirement is missed.",
        .more = NNC_MORE(.when = is_check)),
    NNC_AS("why", TEXTS, NNC_IN(nnc_check_row, causes), NNC_COUNT(nnc_check_row, cause_count),
           .help = "Causes of the change: the plan, a file, or the version of nncost."),
    NNC_AS("responsible", OBJECT, .rows = &responsible,
           .help = "For the step time and for the memory: the part that changed most."),
    NNC_AS("requirements", LIST, NNC_IN(nnc_check_row, verdicts), NNC_COUNT(nnc_check_row, verdict_count),
           .rows = &verdicts, .help = "Requirements of the scenario."),
    NNC_TEXT(nnc_check_row, split,
             .help = "Change of the step time in two parts: by the software profile and by the plan; given if the "
                     "profiles differ.",
             .more = NNC_MORE(.when = has_split)),
    NNC_NUMBER(nnc_check_row, change_s, .unit = "s", .help = "New step time minus the old step time.",
               .more = NNC_MORE(.when = has_split)),
    NNC_NUMBER(nnc_check_row, framework_s, .unit = "s",
               .help = "Part that the software profile causes: the new step time minus the step time of the new plan "
                       "under the old profile.",
               .more = NNC_MORE(.when = has_split)),
    NNC_AS("changes", LIST, NNC_IN(nnc_check_row, changes), NNC_COUNT(nnc_check_row, change_count),
           .rows = &change_metrics,
           .help = "Metrics whose values differ in the two estimates, the largest change first."),
    NNC_AS("ops", LIST, NNC_IN(nnc_check_row, ops), NNC_COUNT(nnc_check_row, op_count), .rows = &nnc_check_op_metrics,
           .help = "Ops that differ; given if both estimates list their ops."),
};
static const nnc_metrics scenario_metrics = NNC_METRICS("a scenario", row_rows, nnc_check_row);

NNC_GET(get_passed, void, nnc_bool_cell(nnc_check_sum_of(self).passed))

NNC_GET(get_requirements, void, nnc_whole_cell(nnc_check_sum_of(self).requirements))

NNC_GET(get_missed, void, nnc_whole_cell(nnc_check_sum_of(self).missed))

static const nnc_metric rest_rows[] = {
    NNC_TEXT(nnc_check_report, tool, .help = "Version of nncost that computed the new values."),
    NNC_TEXT(nnc_check_report, old_tool, .help = "Version of nncost that computed the old values."),
    NNC_AS("scenarios", LIST, NNC_IN(nnc_check_report, rows), NNC_COUNT(nnc_check_report, row_count),
           .rows = &scenario_metrics, .help = "Scenarios of the plan file."),
};
static const nnc_metrics rest = NNC_METRICS("scenarios", rest_rows, nnc_check_report);

static const nnc_metric check_rows[] = {
    NNC_AS("file", TEXT, NNC_IN(nnc_check_report, path), .help = "The plan file."),
    NNC_AS("passed", BOOL, .get = get_passed,
           .help = "True if every change was accepted and every requirement is met."),
    NNC_BOOL(nnc_check_report, updated, .help = "Whether the new values were recorded."),
    NNC_AS("requirements", WHOLE, .get = get_requirements, .help = "Requirements of all scenarios."),
    NNC_AS("missed", WHOLE, .get = get_missed, .help = "Missed requirements."),
    NNC_ROWS(&rest),
};
const nnc_metrics nnc_check_document = NNC_METRICS("a check", check_rows, nnc_check_report);

static const nnc_metric diff_rows[] = {
    NNC_AS("file", TEXT, NNC_IN(nnc_check_report, path), .help = "File with the old estimates."),
    NNC_TEXT(nnc_check_report, other, .help = "File with the new estimates."),
    NNC_ROWS(&rest),
};
const nnc_metrics nnc_diff_document = NNC_METRICS("a comparison", diff_rows, nnc_check_report);

static const nnc_metric line_rows[] = {
    NNC_AS("scenario", TEXT, NNC_VIA(nnc_check_line, row), NNC_IN(nnc_check_row, id)),
    NNC_AS("state", ENUM, NNC_VIA(nnc_check_line, row), NNC_IN(nnc_check_row, state), .name_of = nnc_check_state_name,
           .values = NNC_CHECK_STATE_COUNT),
    NNC_ROWS(&change_metrics, NNC_VIA(nnc_check_line, change)),
};
static const nnc_metrics change_lines = NNC_METRICS("a change", line_rows, nnc_check_line);

nnc_lines nnc_check_lines(const void *record) {
    const nnc_check_report *report = record;
    return (nnc_lines){ &change_lines, report, report->lines, report->line_count };
}
