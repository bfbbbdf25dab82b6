/* Names in a sweep: finds the axis, the field, the metric or the sweep's own column for which a word in --columns,
 * --where or --by stands. */
#include "base/base_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"
#include "shape/shape_internal.h"
#include "sweep/sweep_internal.h"

/* ---- finding fields of the model, the device and the plan of a row ---- */

enum { PLACE_COUNT = 3 };

static const struct place {
    const char *prefix;
    nnc_sweep_target target;
} places[PLACE_COUNT] = { { "plan.", NNC_SWEEP_PLAN_FIELD },
                          { "model.", NNC_SWEEP_MODEL_FIELD },
                          { "device.", NNC_SWEEP_DEVICE_FIELD } };

static const nnc_field_table *table_of(nnc_sweep_target target, const nnc_point *point) {
    return target == NNC_SWEEP_PLAN_FIELD    ? &nnc_plan_table
           : target == NNC_SWEEP_MODEL_FIELD ? nnc_model_table_of(&point->model)
                                             : &nnc_device_table;
}

/* Finds a field of the point's model, of the point's device, or of *plan, as `target` says. Returns NULL if the field
 * does not exist. Sets *object to the struct that contains the field. */
static const nnc_field *sweep_field(nnc_sweep_target target, const nnc_point *point, const nnc_plan *plan,
                                    const char *field, const void **object, nnc_dtype *dtype) {
    /* nnc_field_find takes a pointer to memory that can be written, but only reads the memory. The union `at` passes
     * the pointer of a read-only struct without a cast. */
    union {
        const void *read;
        void *write;
    } at = { .read = target == NNC_SWEEP_PLAN_FIELD    ? (const void *)plan
                     : target == NNC_SWEEP_MODEL_FIELD ? (const void *)&point->model
                                                       : (const void *)&point->device };
    const nnc_field *found = nnc_field_find(table_of(target, point), field, &at.write, dtype);
    *object = at.read;
    return found;
}

bool nnc_sweep_find(const nnc_point *point, const char *name, bool shown, nnc_found_field *found) {
    for (int i = 0; i < PLACE_COUNT; i++) {
        const struct place *in = &places[i];
        const size_t length = strlen(in->prefix);
        const char *dotted = strncmp(name, in->prefix, length) == 0 ? name + length : name;
        const void *object = NULL;
        nnc_dtype dtype;
        const nnc_field *field = sweep_field(in->target, point, &point->plan, dotted, &object, &dtype);
        const bool bare =
            field != NULL && (field->type == NNC_FIELD_OBJECT || (field->type == NNC_FIELD_TEXT && field->size == 0));
        if (field != NULL && !(shown && bare)) {
            *found = (nnc_found_field){ in->target, field, in->prefix, dotted };
            return true;
        }
    }
    return false;
}

/* Returns the full name of a field: prefix and name. A name with a dot, which stands for a field inside an object, is
 * used as the user wrote it. A name without a dot can be an alias and is replaced by the proper name of the field.
 * Returns NULL if out of memory. */
const char *nnc_found_name(nnc_arena *arena, const nnc_found_field *found) {
    char name[192];
    const bool top = strchr(found->dotted, '.') == NULL;
    snprintf(name, sizeof name, "%s%s", found->prefix, top ? found->field->name : found->dotted);
    return nnc_arena_strdup(arena, name);
}

size_t nnc_sweep_field_names(const nnc_point *point, const char **names, size_t max) {
    size_t count = 0;
    for (int i = 0; i < PLACE_COUNT; i++) {
        const nnc_field_table *table = table_of(places[i].target, point);
        for (size_t k = 0; k < table->count && count < max; k++) { names[count++] = table->fields[k].name; }
    }
    return count;
}

nnc_cell nnc_field_cell(const nnc_slot *slot, const nnc_point *point, const nnc_plan *resolved, char *text,
                        size_t size) {
    const void *object = NULL;
    nnc_dtype dtype;
    double number = 0;
    const nnc_field *field = sweep_field(slot->target, point, resolved, slot->field, &object, &dtype);
    if (field == NULL) { /* the model of this row belongs to a family of models that does not have this field */
        return (nnc_cell){ .kind = NNC_CELL_NULL };
    }
    const char *at = (const char *)object + field->offset;
    if (field->type == NNC_FIELD_BOOL) { return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = *(const bool *)at }; }
    if (field->type == NNC_FIELD_RATES && dtype < NNC_DTYPE_COUNT) {
        memcpy(&number, at + (size_t)dtype * sizeof number, sizeof number);
        return (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number };
    }
    nnc_field_text(field, object, text, size);
    int64_t whole = 0;
    if (strcmp(text, "-") == 0) { return (nnc_cell){ .kind = NNC_CELL_NULL }; }
    if (nnc_read_i64(text, &whole)) { return (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = whole }; }
    return nnc_read_double(text, &number) ? (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number }
                                          : (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text };
}

bool nnc_sweep_numeric(const nnc_field *field) {
    double number = 0;
    if (field->type == NNC_FIELD_ENUM) { /* an enumeration is numeric if the names of its values are numbers, as for
                                          * ZeRO stages */
        return nnc_read_double(field->names.of(0), &number);
    }
    return field->type == NNC_FIELD_I32 || field->type == NNC_FIELD_I64 || field->type == NNC_FIELD_F64 ||
           field->type == NNC_FIELD_RATES;
}

NNC_ENUM_NAMES(nnc_sweep_verdict, NNC_SWEEP_VERDICT_LIST)

/* Metrics of the columns that describe the row of the sweep, not its estimate. sweep_rows.c fills in the cells of these
 * columns. */
static const nnc_metric own_rows[] = {
    NNC_AS("row", WHOLE, .help = "Number of the combination, from 0."),
    NNC_AS("verdict", ENUM, .name_of = nnc_sweep_verdict_name, .values = NNC_SWEEP_VERDICTS,
           .help = "Outcome of the plan."),
    NNC_AS("reason", TEXT, .help = "Reason why the plan does not fit or is illegal."),
    NNC_AS("command", TEXT, .help = "The command line that estimates the plan."),
    NNC_AS("framework_s", NUMBER, .unit = "s",
           .help = "Step time minus the step time of this plan with the software profile of the first row."),
};
const nnc_metrics nnc_sweep_own_metrics = NNC_METRICS("one combination of a sweep", own_rows, nnc_cell);

/* State of the search for the field, metric or axis that a name written by the user means. */
typedef struct lookup {
    nnc_sweep *sweep;
    const char *option; /* name of the option in which the name occurs, for error messages */
} lookup;

/* Tests whether `name` is the short name of an axis. The short name is "tensor" for plan.tensor, and "model" for the
 * axis of models. */
static bool is_short(const nnc_sweep_axis *axis, const char *name) {
    switch (axis->target) {
    case NNC_SWEEP_MODEL: return strcmp(name, "model") == 0;
    case NNC_SWEEP_DEVICE: return strcmp(name, "device") == 0;
    case NNC_SWEEP_SOFTWARE: return strcmp(name, "software") == 0;
    default: return strcmp(name, axis->field) == 0;
    }
}

static bool find_axis(const nnc_sweep *sweep, const char *name, nnc_slot *slot) {
    for (int32_t i = 0; i < sweep->axes.axis_count; i++) {
        const nnc_sweep_axis *axis = &sweep->axes.axes[i];
        if (strcmp(axis->name, name) == 0 || is_short(axis, name)) {
            *slot = (nnc_slot){ .name = axis->name, .kind = NNC_NAME_AXIS, .index = i };
            return true;
        }
    }
    return false;
}

/* Finds a metric by its full name ("step.step_s") or by the part of the full name after a dot ("step_s"). Returns
 * NNC_BAD_USAGE if the name fits several metrics. */
static nnc_status find_figure(const lookup *l, const char *name, nnc_slot *slot, nnc_error *err) {
    const nnc_columns figures = l->sweep->figures;
    const nnc_name_match match = nnc_name_find(&figures.list[0].name, sizeof figures.list[0], figures.count, name);
    if (match.other >= 0) {
        return nnc_fail(err, NNC_BAD_USAGE, l->option, "\"%s\" is ambiguous, expected one of %s, %s ...", name,
                        figures.list[match.index].name, figures.list[match.other].name);
    }
    if (match.index >= 0) {
        *slot = (nnc_slot){ .name = figures.list[match.index].name, .kind = NNC_NAME_FIGURE, .index = match.index };
    }
    return NNC_OK;
}

static nnc_status find_field(const lookup *l, const char *name, nnc_slot *slot, nnc_error *err) {
    nnc_found_field found;
    if (!nnc_sweep_find(&l->sweep->point, name, true, &found)) { return NNC_OK; }
    const char *full = nnc_found_name(l->sweep->arena, &found);
    NNC_GOT(full, err);
    *slot = (nnc_slot){
        .name = full, .kind = NNC_NAME_FIELD, .target = found.target, .field = full + strlen(found.prefix)
    };
    return NNC_OK;
}

static const char *last_part(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

static nnc_status unknown(const lookup *l, const char *name, nnc_error *err) {
    enum { NAMES_MAX = 1024 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    const nnc_sweep *sweep = l->sweep;
    for (int32_t i = 0; i < sweep->axes.axis_count && count < NAMES_MAX; i++) {
        const nnc_sweep_axis *axis = &sweep->axes.axes[i];
        names[count++] = axis->field != NULL ? axis->field : axis->name;
    }
    for (int32_t i = 0; i < sweep->figures.count && count < NAMES_MAX; i++) {
        names[count++] = last_part(sweep->figures.list[i].name);
    }
    count += nnc_sweep_field_names(&sweep->point, names + count, NAMES_MAX - count);
    const char *nearest = nnc_nearest(last_part(name), names, count);
    return nearest != NULL
               ? nnc_fail(err, NNC_BAD_USAGE, l->option, "no such name, did you mean %s? found \"%s\"", nearest, name)
               : nnc_fail(err, NNC_BAD_USAGE, l->option,
                          "no such name, expected an axis, a metric of 'estimate --format csv' or "
                          "a field of plan, model or device, found \"%s\"",
                          name);
}

static nnc_status find_name(const lookup *l, const char *name, nnc_slot *slot, nnc_error *err) {
    char full[192];
    *slot = (nnc_slot){ .kind = NNC_NAME_NONE };
    for (size_t i = 0; i < nnc_sweep_own_metrics.count; i++) {
        if (strcmp(name, own_rows[i].name) == 0) {
            *slot = (nnc_slot){ .name = own_rows[i].name, .kind = (nnc_name_kind)i };
            return NNC_OK;
        }
    }
    if (find_axis(l->sweep, name, slot)) { return NNC_OK; }
    /* tries the name as an alias of an option, such as "tp" for "tensor" */
    const void *object = NULL;
    nnc_dtype dtype;
    const nnc_field *option =
        sweep_field(NNC_SWEEP_PLAN_FIELD, &l->sweep->point, &l->sweep->point.plan, name, &object, &dtype);
    if (option != NULL) {
        snprintf(full, sizeof full, "plan.%s", option->name);
        name = full;
        if (find_axis(l->sweep, name, slot)) { return NNC_OK; }
    }
    nnc_status status = find_figure(l, name, slot, err);
    if (status == NNC_OK && slot->kind == NNC_NAME_NONE) { status = find_field(l, name, slot, err); }
    if (status == NNC_OK && slot->kind == NNC_NAME_NONE) {
        unknown(l, name, err);
        return NNC_BAD_USAGE;
    }
    return status;
}

/* Finds what a name stands for, and sets *index to its index in sweep->slots. If sweep->slots does not have the name
 * yet, appends it. */
static nnc_status use_name(void *context, const char *name, int32_t *index, nnc_error *err) {
    const lookup *l = context;
    nnc_sweep *sweep = l->sweep;
    nnc_slot slot;
    const nnc_status status = find_name(l, name, &slot, err);
    if (status != NNC_OK) { return status; }
    for (*index = 0; *index < sweep->slot_count; ++*index) {
        if (strcmp(sweep->slots[*index].name, slot.name) == 0) { return NNC_OK; }
    }
    if (sweep->slot_count == NNC_SWEEP_SLOTS_MAX) { return nnc_fail(err, NNC_BAD_USAGE, l->option, "too many names"); }
    sweep->slots[sweep->slot_count++] = slot;
    return NNC_OK;
}

/* Returns the field for which a full name stands; NULL if the name stands for a whole model, device or profile. */
static const nnc_field *field_of(const lookup *l, nnc_sweep_target target, const char *field) {
    const void *object = NULL;
    nnc_dtype dtype;
    const nnc_point *point = &l->sweep->point;
    return field != NULL ? sweep_field(target, point, &point->plan, field, &object, &dtype) : NULL;
}

/* Returns the currency of the prices of all devices in the sweep. Returns NULL if the devices have different
 * currencies, or if no axis lists devices. */
static const char *currency_of(const nnc_sweep *sweep) {
    const char *currency = NULL;
    for (int32_t a = 0; a < sweep->axes.axis_count; a++) {
        const nnc_sweep_axis *axis = &sweep->axes.axes[a];
        for (int32_t i = 0; i < axis->count && axis->target == NNC_SWEEP_DEVICE; i++) {
            const char *one = nnc_price_currency((const nnc_device *)axis->specs[i]);
            if (currency != NULL && strcmp(currency, one) != 0) { return NULL; }
            currency = one;
        }
    }
    return currency;
}

/* If the column has amounts of money, adds the currency to its heading: "step USD", "USD/Mtoken". Changes nothing if
 * the devices of the sweep have different currencies. */
static void head_money(const nnc_sweep *sweep, nnc_head *head) {
    static const struct {
        const char *name, *before, *behind;
    } money[] = { { "cost.step", "step ", "" },
                  { "cost.run", "run ", "" },
                  { "cost.per_million_tokens", "", "/Mtoken" },
                  { "cost.per_thousand_samples", "", "/ksample" },
                  { "cost.price_per_device_hour", "", "/device-hour" } };
    const char *currency = currency_of(sweep);
    char text[64];
    for (size_t i = 0; i < sizeof money / sizeof money[0] && currency != NULL; i++) {
        if (strcmp(money[i].name, head->name) == 0) {
            snprintf(text, sizeof text, "%s%s%s", money[i].before, currency, money[i].behind);
            const char *kept = nnc_arena_strdup(sweep->arena, text);
            head->text = kept != NULL ? kept : head->text;
        }
    }
}

/* Sets the heading and the layout of a column, from the table row of its metric or from its field. */
static nnc_head head_of(const lookup *l, const nnc_slot *slot) {
    const nnc_sweep *sweep = l->sweep;
    const bool axis = slot->kind == NNC_NAME_AXIS;
    const nnc_sweep_axis *of = axis ? &sweep->axes.axes[slot->index] : NULL;
    const nnc_field *field = NULL;
    if (slot->kind == NNC_NAME_FIGURE) {
        nnc_head figure = nnc_head_of(sweep->figures.list[slot->index].metric, slot->name);
        head_money(sweep, &figure);
        return figure;
    }
    if (slot->kind == NNC_NAME_FRAMEWORK) {
        nnc_head added = nnc_head_of(&own_rows[slot->kind], slot->name);
        added.text = "of it framework";
        return added;
    }
    if (axis) {
        field = field_of(l, of->target, of->field);
    } else if (slot->kind == NNC_NAME_FIELD) {
        field = field_of(l, slot->target, slot->field);
    }
    const nnc_metric like = { .type = NNC_METRIC_NUMBER, .unit = field != NULL ? field->unit : NULL };
    nnc_head head = nnc_head_of(&like, slot->name);
    head.left = slot->kind != NNC_NAME_ROW && (field == NULL || !nnc_sweep_numeric(field));
    if (axis && of->field == NULL) {
        head.text = of->target == NNC_SWEEP_MODEL ? "model" : of->target == NNC_SWEEP_DEVICE ? "device" : "software";
    }
    return head;
}

static nnc_status add_column(lookup *l, const char *name, nnc_error *err) {
    nnc_sweep *sweep = l->sweep;
    int32_t index = 0;
    const nnc_status status = use_name(l, name, &index, err);
    if (status != NNC_OK) { return status; }
    for (int32_t i = 0; i < sweep->column_count; i++) {
        if (sweep->columns[i] == index) { return NNC_OK; }
    }
    if (sweep->column_count == NNC_TABLE_COLUMNS) {
        return nnc_fail(err, NNC_BAD_USAGE, l->option, "too many columns");
    }
    sweep->columns[sweep->column_count] = index;
    sweep->heads[sweep->column_count++] = head_of(l, &sweep->slots[index]);
    return NNC_OK;
}

static nnc_status add_listed(lookup *l, const char *list, nnc_error *err) {
    char name[192];
    nnc_status status = NNC_OK;
    for (bool more = true; more && status == NNC_OK;) {
        const size_t length = strcspn(list, ",");
        if (length == 0 || length >= sizeof name) {
            return nnc_fail(err, NNC_BAD_USAGE, l->option, "expected names joined by commas");
        }
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        status = add_column(l, name, err);
        more = list[length] == ',';
        list += length + 1;
    }
    return status;
}

/* Tests whether the rows of the sweep can have different software profiles. */
static bool profiles_differ(const nnc_sweep *sweep) {
    const nnc_sweep_axes *axes = &sweep->axes;
    const nnc_profiles *profiles = axes->profiles;
    for (int32_t i = 0; i < axes->axis_count; i++) {
        const nnc_sweep_axis *axis = &axes->axes[i];
        for (int32_t k = 0; k < axis->count; k++) {
            const nnc_model *model = axis->target == NNC_SWEEP_MODEL ? axis->specs[k] : &sweep->point.model;
            const nnc_device *device = axis->target == NNC_SWEEP_DEVICE ? axis->specs[k] : &sweep->point.device;
            if (profiles == NULL
                    ? axis->target == NNC_SWEEP_SOFTWARE && k > 0
                    : strcmp(profiles->of[nnc_profile_kind_kept(model, device, &axes->kept_plan, axes->kept)]->id,
                             axes->first->id) != 0) {
                return true;
            }
        }
    }
    return axes->each;
}

/* Adds the default columns: the axes that have several values, then the metrics that most users need. If rows can have
 * different profiles, adds the columns profile and framework_s. With --all or --lenient, adds the columns verdict and
 * reason. */
static nnc_status add_default(lookup *l, nnc_error *err) {
    const nnc_sweep_axes *axes = &l->sweep->axes;
    const bool tokens = nnc_model_sizes_of(&l->sweep->point.model).seq_len > 0;
    const char *const names[] = {
        "step.step_s",
        "throughput.mfu",
        tokens ? "throughput.tokens_per_s" : "throughput.samples_per_s",
        "memory.total_bytes",
        tokens ? "cost.per_million_tokens" : "cost.per_thousand_samples",
    };
    nnc_status status = NNC_OK;
    for (int32_t i = 0; i < axes->axis_count && status == NNC_OK; i++) {
        if (axes->axes[i].count > 1) { status = add_column(l, axes->axes[i].name, err); }
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0] && status == NNC_OK; i++) {
        status = add_column(l, names[i], err);
        if (i == 0 && status == NNC_OK && profiles_differ(l->sweep)) {
            status = add_listed(l, "plan.software,framework_s", err);
        }
    }
    if (status == NNC_OK && (l->sweep->all || nnc_specs_are_lenient(l->sweep->specs))) {
        status = add_listed(l, "verdict,reason", err);
    }
    return status;
}

nnc_status nnc_sweep_add_columns(nnc_sweep *sweep, const char *option, const char *names, nnc_error *err) {
    lookup l = { .sweep = sweep, .option = option };
    NNC_TRY(nnc_sweep_settle(sweep, err));
    return names != NULL ? add_listed(&l, names, err) : add_default(&l, err);
}

nnc_status nnc_sweep_add_where(nnc_sweep *sweep, const char *option, const char *constraint, nnc_error *err) {
    lookup l = { .sweep = sweep, .option = option };
    const int32_t at = sweep->where_count;
    NNC_TRY(nnc_sweep_settle(sweep, err));
    if (at == NNC_WHERES_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, option, "too many constraints, expected at most %d", NNC_WHERES_MAX);
    }
    NNC_TRY(nnc_where_parse(option, constraint, use_name, &l, &sweep->where[at], err));
    sweep->where_texts[at] = nnc_arena_strdup(sweep->arena, constraint);
    sweep->where_count++;
    return sweep->where_texts[at] != NULL ? NNC_OK : nnc_no_memory(err);
}

nnc_status nnc_sweep_sort(nnc_sweep *sweep, const char *option, const char *by, nnc_error *err) {
    char name[192];
    lookup l = { .sweep = sweep, .option = option };
    const size_t length = strcspn(by, ":");
    const char *order = by[length] == ':' ? by + length + 1 : "";
    const bool falls = strcmp(order, "desc") == 0;
    NNC_TRY(nnc_sweep_settle(sweep, err));
    if (length >= sizeof name || (*order != '\0' && !falls && strcmp(order, "asc") != 0)) {
        return nnc_fail(err, NNC_BAD_USAGE, option, "expected COLUMN, COLUMN:asc or COLUMN:desc, found \"%s\"", by);
    }
    snprintf(name, sizeof name, "%.*s", (int)length, by);
    NNC_TRY(use_name(&l, name, &sweep->by, err));
    const bool is_rate = strncmp(sweep->slots[sweep->by].name, "throughput.", 11) == 0;
    sweep->by_falls = falls || (*order == '\0' && is_rate);
    return NNC_OK;
}
