/* The axes of a sweep. An axis has a list of values such as "1..8" or "2,4", and varies a field, the model, the device
 * or the profile. */
#include "base/base_internal.h"
#include "input/input_internal.h"
#include "sweep/sweep_internal.h"

#define ROWS_MAX INT64_C(1000000000000000)

/* State of the function that reads a list of values of an axis. */
typedef struct value_list {
    nnc_arena *arena;
    const char *where, *whole; /* texts for error messages; where: name of the list; whole: text of the whole list */
    const char **values;
    int32_t count, capacity;
    /* field to which the values belong; NULL = the values are numbers or texts without a field */
    const nnc_field *field;
    bool numeric, doubles; /* numeric: ranges are allowed; doubles: each value of a range without increment is twice
                             * the value before */
} value_list;

static nnc_status no_memory(const value_list *list, nnc_error *err) {
    return nnc_fail(err, NNC_NO_MEMORY, list->where, "out of memory");
}

static nnc_status add(value_list *list, const char *text, nnc_error *err) {
    if (list->count == NNC_SWEEP_VALUES_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, list->where, "too many values, expected at most %d", NNC_SWEEP_VALUES_MAX);
    }
    const char **values = nnc_arena_grow(list->arena, list->values, list->count, &list->capacity, sizeof *list->values);
    if (values == NULL) { return no_memory(list, err); }
    list->values = values;
    list->values[list->count] = nnc_arena_strdup(list->arena, text);
    return list->values[list->count++] != NULL ? NNC_OK : no_memory(list, err);
}

/* A range in a list of values. A range is written first..last, first..last+increment or first..last*factor. */
typedef struct range {
    double first, last, by;
    bool times;
} range;

static bool read_part(const nnc_field *field, const char *text, size_t length, double *value) {
    char part[NNC_NUMBER_TEXT * 2];
    if (length >= sizeof part) { return false; }
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    return field != NULL ? nnc_read_quantity(part, field->unit, field->type != NNC_FIELD_F64, value)
                         : nnc_read_double(part, value);
}

/* Returns the number of characters of the last value of a range; after this value, the text can have an increment
 * ("+...") or a factor ("*..."). The '+' in an exponent ("1e+3") does not begin an increment. */
static size_t end_length(const char *text) {
    size_t length = strcspn(text, "*+");
    if (text[length] == '+' && length > 0 && strchr("eE", text[length - 1]) != NULL) {
        length += 1 + strcspn(text + length + 1, "*+");
    }
    return length;
}

static bool read_range(const value_list *list, const char *text, range *r) {
    const nnc_field *field = list->field;
    const char *dots = strstr(text, "..");
    const char *end = dots + 2;
    const size_t length = end_length(end);
    const bool plain = end[length] == '\0';
    *r = (range){ .by = plain && list->doubles ? 2.0 : 1.0, .times = plain ? list->doubles : end[length] == '*' };
    return read_part(field, text, (size_t)(dots - text), &r->first) && read_part(field, end, length, &r->last) &&
           (plain || read_part(r->times ? NULL : field, end + length + 1, strlen(end + length + 1), &r->by));
}

static nnc_status add_range(value_list *list, const char *text, nnc_error *err) {
    range r;
    if (!read_range(list, text, &r)) {
        return nnc_fail(err, NNC_BAD_USAGE, list->where,
                        "not a range, expected FIRST..LAST, FIRST..LAST+STEP or FIRST..LAST*FACTOR, found \"%s\"",
                        text);
    }
    const bool rises = r.times ? r.by > 1.0 && r.first > 0.0 : r.by > 0.0;
    if (!rises || r.last < r.first) {
        return nnc_fail(err, NNC_BAD_USAGE, list->where, "the range does not rise, found \"%s\"", text);
    }
    /* end of the range with a tolerance, so that a value which is above r.last only by a rounding error belongs to the
     * range */
    const double last = r.last + (r.times ? r.last : r.by) * 1e-9;
    nnc_status status = NNC_OK;
    double value = r.first;
    for (int32_t i = 1; value <= last && status == NNC_OK; i++) {
        char number[NNC_NUMBER_TEXT];
        status = add(list, nnc_number_text(value, number), err);
        value = r.times ? value * r.by : r.first + i * r.by;
    }
    return status;
}

static nnc_status refuse_twice(const value_list *list, nnc_error *err) {
    size_t slots = 16;
    while (slots < 2 * (size_t)list->count) { slots *= 2; }
    uint64_t *seen = nnc_arena_array(list->arena, slots, sizeof *seen);
    if (seen == NULL) { return no_memory(list, err); }
    for (int32_t i = 0; i < list->count; i++) {
        const char *value = list->values[i];
        if (!nnc_digest_repeats(seen, slots, nnc_digest_text(NNC_DIGEST_START, value))) { continue; }
        /* equal digests do not prove that two texts are equal, so the texts are compared */
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(list->values[k], value) == 0) {
                return nnc_fail(err, NNC_BAD_USAGE, list->where, "\"%s\" twice in the list \"%s\"", value, list->whole);
            }
        }
    }
    return NNC_OK;
}

static nnc_status read_list(value_list *read, const char *list, nnc_error *err) {
    char *text = nnc_arena_strdup(read->arena, list);
    nnc_status status = NNC_OK;
    if (text == NULL) { return no_memory(read, err); }
    const bool one = read->field != NULL && nnc_field_is_one_set(read->field, list);
    for (bool more = true; more && status == NNC_OK;) {
        const size_t length = one ? strlen(text) : strcspn(text, ",");
        more = text[length] == ',';
        text[length] = '\0';
        if (length == 0) { return nnc_fail(err, NNC_BAD_USAGE, read->where, "empty value in the list \"%s\"", list); }
        if (read->field != NULL) { nnc_field_join(read->field, text); }
        const size_t first = strspn(text, "0123456789");
        if (read->numeric && first > 0 && strchr("-:", text[first]) != NULL && text[first] != '\0' &&
            text[first + 1] != '\0' && text[first + 1 + strspn(text + first + 1, "0123456789")] == '\0') {
            return nnc_fail(err, NNC_BAD_USAGE, read->where, "expected a range as %.*s..%s, found \"%s\"", (int)first,
                            text, text + first + 1, text);
        }
        const bool is_range = read->numeric && strstr(text, "..") != NULL;
        status = is_range ? add_range(read, text, err) : add(read, text, err);
        text += length + 1;
    }
    return status == NNC_OK && read->count > 1 ? refuse_twice(read, err) : status;
}

/* Reads a list of values for an axis. field: the field to which the values belong; NULL = numbers or texts without a
 * field. */
static nnc_status read_values(value_list read, const nnc_field *field, const char ***values, int32_t *count,
                              nnc_error *err) {
    read.field = field;
    const nnc_status status = read_list(&read, read.whole, err);
    *values = read.values;
    *count = read.count;
    return status;
}

nnc_status nnc_sweep_list(nnc_arena *arena, const char *where, const char *list, bool numeric, const char ***values,
                          int32_t *count, nnc_error *err) {
    const value_list read = { .arena = arena, .where = where, .whole = list, .numeric = numeric };
    return read_values(read, NULL, values, count, err);
}

nnc_status nnc_sweep_sizes(nnc_arena *arena, const char *where, const char *list, const char ***values, int32_t *count,
                           nnc_error *err) {
    const value_list read = { .arena = arena, .where = where, .whole = list, .numeric = true, .doubles = true };
    return read_values(read, NULL, values, count, err);
}

nnc_status nnc_sweep_count(nnc_sweep_axes *axes, nnc_error *err) {
    const nnc_sweep_axis *leaders[NNC_SWEEP_AXES_MAX] = { NULL };
    axes->rows = 1;
    axes->group_count = 0;
    for (int32_t i = 0; i < axes->axis_count; i++) {
        const nnc_sweep_axis *axis = &axes->axes[i];
        const nnc_sweep_axis *leader = leaders[axis->group];
        if (leader != NULL) {
            if (leader->count != axis->count) {
                return nnc_fail(err, NNC_BAD_USAGE, "--link",
                                "lists of different lengths, %s has %d values and %s has %d", leader->name,
                                (int)leader->count, axis->name, (int)axis->count);
            }
            continue;
        }
        leaders[axis->group] = axis;
        axes->lengths[axes->group_count++] = axis->count;
        if (!nnc_mul_i64(axes->rows, axis->count, &axes->rows) || axes->rows > ROWS_MAX) {
            return nnc_fail(err, NNC_BAD_USAGE, axis->name, "too many combinations, expected at most %.0e",
                            (double)ROWS_MAX);
        }
    }
    return NNC_OK;
}

void nnc_sweep_place(const nnc_sweep_axes *axes, int64_t row, int32_t *places) {
    for (int32_t group = axes->group_count - 1; group >= 0; group--) {
        const int64_t length = axes->lengths[group];
        places[group] = (int32_t)(row % length);
        row /= length;
    }
}

/* ---- axes that vary fields, models, devices and profiles ---- */

/* Changes an error so that it names the axis: sets the place of the error to `where`, and its status to NNC_BAD_USAGE,
 * which is returned. */
static nnc_status adopt(const char *where, nnc_error *err) {
    if (err != NULL) {
        snprintf(err->where, sizeof err->where, "%s", where);
        err->status = NNC_BAD_USAGE;
    }
    return NNC_BAD_USAGE;
}

static nnc_status add_axis(nnc_sweep *sweep, const char *where, nnc_sweep_axis **axis, nnc_error *err) {
    nnc_sweep_axes *axes = &sweep->axes;
    if (sweep->settled) {
        return nnc_fail(err, NNC_BAD_USAGE, where, "too late, expected all axes before columns, constraints and --top");
    }
    if (axes->axis_count == NNC_SWEEP_AXES_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, where, "too many axes, expected at most %d", NNC_SWEEP_AXES_MAX);
    }
    *axis = &axes->axes[axes->axis_count];
    return NNC_OK;
}

/* Finds the software profile that a name means on a device, in the same way as `nncost estimate`. software: the profile
 * with this id or name; NULL = no profile has this id or name. The name of a release, such as nemo-25.09, means the
 * profile of this release. The name of a framework can mean its profile for the kind of device: MaxText on a GPU is
 * maxtext-gpu. *found is NULL if the name means no profile. */
static nnc_status software_on(nnc_sweep *sweep, const char *value, const nnc_software *software,
                              const nnc_device *device, const nnc_software **found, nnc_error *err) {
    const nnc_model *model = sweep->axes.axes[0].specs[0];
    const nnc_release_ask ask = {
        .words = value, .device = device->id, .model = model->id, .family = nnc_family_name(model->family)
    };
    nnc_release release;
    *found = software;
    if (software != NULL && strcmp(value, software->id) == 0) { return NNC_OK; }
    NNC_TRY(nnc_release_find(sweep->specs, &ask, &release, err));
    if (software == NULL || nnc_release_of_hardware(&release)) { *found = release.software; }
    return NNC_OK;
}

/* Loads a software profile, from its id or from the name of one of its releases. Returns an error if the name means
 * different profiles on the devices of the sweep. */
static nnc_status load_software(nnc_sweep *sweep, const char *value, const nnc_software **software, nnc_error *err) {
    const nnc_sweep_axis *devices = &sweep->axes.axes[1];
    const nnc_software *named = NULL;
    nnc_error missing = { 0 };
    const nnc_status status = nnc_software_load(sweep->specs, value, &named, &missing);
    const bool loaded = status == NNC_OK;
    *software = NULL;
    if (nnc_is_path(value) || (!loaded && status != NNC_UNKNOWN_ID)) {
        *software = named;
        if (!loaded && err != NULL) { *err = missing; }
        return status;
    }
    for (int32_t i = 0; i < devices->count; i++) {
        const nnc_device *device = devices->specs[i], *first = devices->specs[0];
        const nnc_software *found = NULL;
        NNC_TRY(software_on(sweep, value, loaded ? named : NULL, device, &found, err));
        if (i > 0 && found != *software && found != NULL && *software != NULL) {
            return nnc_fail(err, NNC_BAD_USAGE, "--software",
                            "\"%.60s\" means %s on %s and %s on %s, expected one of these ids", value, (*software)->id,
                            first->id, found->id, device->id);
        }
        *software = found != NULL ? found : *software;
    }
    if (*software == NULL && err != NULL) { *err = missing; }
    return *software != NULL ? NNC_OK : NNC_UNKNOWN_ID;
}

/* Loads the model, device or profile that a value of an axis names. Sets *spec to the loaded struct and *id to its id.
 * If the sweep has a cluster file, the links of a loaded device are replaced by the links in the cluster file. */
static nnc_status load(nnc_sweep *sweep, nnc_sweep_target target, const char *value, const void **spec, const char **id,
                       nnc_error *err) {
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_software *software = NULL;
    if (target == NNC_SWEEP_MODEL) {
        NNC_TRY(nnc_model_load(sweep->specs, value, &model, err));
        *spec = model;
        *id = model->id;
        return NNC_OK;
    }
    if (target == NNC_SWEEP_SOFTWARE) {
        NNC_TRY(load_software(sweep, value, &software, err));
        *spec = software;
        *id = software->id;
        return NNC_OK;
    }
    NNC_TRY(nnc_device_load(sweep->specs, value, &device, err));
    *spec = device;
    *id = device->id;
    if (sweep->cluster == NULL) { return NNC_OK; }
    nnc_device *joined = nnc_arena_alloc(sweep->arena, sizeof *joined);
    NNC_GOT(joined, err);
    *joined = *device;
    *spec = joined;
    return nnc_cluster_load(sweep->specs, sweep->cluster, joined, err);
}

nnc_status nnc_sweep_add_whole(nnc_sweep *sweep, nnc_sweep_target target, const char *name, const char *list,
                               nnc_error *err) {
    nnc_arena *arena = sweep->arena;
    const char *where = target == NNC_SWEEP_SOFTWARE ? "--software" : list;
    nnc_sweep_axis *axis = NULL;
    NNC_TRY(add_axis(sweep, where, &axis, err));
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): add_axis has set axis */
    *axis = (nnc_sweep_axis){ .name = name, .target = target, .group = sweep->groups++ };
    NNC_TRY(nnc_sweep_list(arena, where, list, false, &axis->values, &axis->count, err));
    nnc_cell *cells = nnc_arena_array(arena, (size_t)axis->count, sizeof *cells);
    axis->specs = nnc_arena_array(arena, (size_t)axis->count, sizeof *axis->specs);
    if (cells == NULL || axis->specs == NULL) { return nnc_no_memory(err); }
    for (int32_t i = 0; i < axis->count; i++) {
        cells[i].kind = NNC_CELL_TEXT;
        NNC_TRY(load(sweep, target, axis->values[i], &axis->specs[i], &cells[i].text, err));
    }
    axis->cells = cells;
    sweep->axes.axis_count++;
    return nnc_point_set(&sweep->point, axis, 0, err);
}

/* Tests whether one value of the field is itself a set or a list. In an axis, the elements of such a value are joined
 * by '+', because ',' separates the values of the axis. */
static bool joins(const nnc_field *field) { return nnc_flags_of(field->type) != NULL || field->capacity > 0; }

static nnc_cell cell_of(const nnc_field *field, const char *value) {
    double number = 0;
    if (field->type == NNC_FIELD_BOOL) {
        const bool on = strcmp(value, "on") == 0 || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
        return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = on };
    }
    if (joins(field) || !nnc_read_double(value, &number)) { return (nnc_cell){ .kind = NNC_CELL_TEXT, .text = value }; }
    int64_t whole = 0;
    return nnc_read_i64(value, &whole) ? (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = whole }
                                       : (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number };
}

/* If an axis varies a field of the plan, sets axis->offset and axis->size, and returns memory for the values of the
 * axis in the binary form of this field. Returns NULL if the field's values can only be set from text. */
static char *room_for_bytes(nnc_sweep *sweep, const nnc_field *field, nnc_sweep_axis *axis) {
    void *object = &sweep->point.plan;
    nnc_dtype dtype;
    if (axis->target != NNC_SWEEP_PLAN_FIELD || field->type == NNC_FIELD_TEXT || field->capacity > 0 ||
        nnc_field_find(&nnc_plan_table, axis->field, &object, &dtype) != field) {
        return NULL;
    }
    axis->offset = (size_t)((char *)object - (char *)&sweep->point.plan) + field->offset;
    axis->size = field->size;
    return nnc_arena_array(sweep->arena, (size_t)axis->count, field->size);
}

/* Sets each value of an axis once, to test it, so that nnc_point_move cannot fail later. The values of a model field
 * are tested with every model of the sweep. */
static nnc_status try_values(nnc_sweep *sweep, nnc_sweep_axis *axis, const nnc_field *field, const char *where,
                             nnc_error *err) {
    const nnc_sweep_axis *models = &sweep->axes.axes[0];
    const bool of_model = axis->target == NNC_SWEEP_MODEL_FIELD;
    char *bytes = room_for_bytes(sweep, field, axis);
    const bool direct = bytes != NULL && field->type != NNC_FIELD_RATES; /* true: sets values directly in the plan, so
                                                                          * that the field is found once and not for
                                                                          * every value */
    for (int32_t m = of_model ? models->count - 1 : 0; m >= 0; m--) {
        nnc_point trial = sweep->point;
        for (int32_t i = 0; i < axis->count; i++) {
            if (of_model) { nnc_point_set(&trial, models, m, NULL); }
            if ((direct ? nnc_field_set_found(field, (char *)&trial.plan + (axis->offset - field->offset),
                                              NNC_DTYPE_COUNT, axis->field, axis->values[i], err)
                        : nnc_point_set(&trial, axis, i, err)) != NNC_OK) {
                return adopt(where, err);
            }
            if (bytes != NULL) {
                memcpy(bytes + (size_t)i * axis->size, (const char *)&trial.plan + axis->offset, axis->size);
            }
        }
    }
    axis->bytes = bytes;
    return nnc_point_set(&sweep->point, axis, 0, err);
}

/* Sets axis->option, the text that precedes a value in a command line: the option of a plan field, or " --set NAME="
 * for another field. */
static nnc_status name_option(nnc_sweep *sweep, const nnc_found_field *found, nnc_sweep_axis *axis, nnc_error *err) {
    char name[NNC_OPTION_NAME], text[192];
    const bool plan = axis->target == NNC_SWEEP_PLAN_FIELD;
    axis->is_switch = plan && found->field->type == NNC_FIELD_BOOL;
    snprintf(text, sizeof text, plan ? " %s%s" : " --set %s%s", plan ? nnc_option_name(axis->field, name) : axis->name,
             !plan             ? "="
             : axis->is_switch ? ""
                               : " ");
    axis->option = nnc_arena_strdup(sweep->arena, text);
    return axis->option != NULL ? NNC_OK : nnc_no_memory(err);
}

/* Sets the name of an axis to the full name of its field. The name that the user wrote can be an alias, or have '-'
 * instead of '_'. */
static nnc_status name_axis(nnc_sweep *sweep, const char *where, const nnc_found_field *found, nnc_sweep_axis *axis,
                            nnc_error *err) {
    axis->name = nnc_found_name(sweep->arena, found);
    NNC_GOT(axis->name, err);
    axis->field = axis->name + strlen(found->prefix);
    NNC_TRY(name_option(sweep, found, axis, err));
    for (int32_t i = 0; i < sweep->axes.axis_count; i++) {
        if (strcmp(sweep->axes.axes[i].name, axis->name) == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, where, "%s is given twice", axis->name);
        }
    }
    return NNC_OK;
}

static nnc_status bind_field(nnc_sweep *sweep, const char *where, const nnc_found_field *found, const char *list,
                             int32_t group, nnc_error *err) {
    nnc_arena *arena = sweep->arena;
    nnc_sweep_axis *axis = NULL;
    NNC_TRY(add_axis(sweep, where, &axis, err));
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): add_axis has set axis */
    *axis = (nnc_sweep_axis){ .target = found->target, .group = group };
    NNC_TRY(name_axis(sweep, where, found, axis, err));
    const value_list read = {
        .arena = arena, .where = where, .whole = list, .numeric = nnc_sweep_numeric(found->field)
    };
    NNC_TRY(read_values(read, found->field, &axis->values, &axis->count, err));
    nnc_cell *cells = nnc_arena_array(arena, (size_t)axis->count, sizeof *cells);
    NNC_GOT(cells, err);
    for (int32_t i = 0; i < axis->count; i++) { cells[i] = cell_of(found->field, axis->values[i]); }
    axis->cells = cells;
    NNC_TRY(try_values(sweep, axis, found->field, where, err));
    sweep->axes.axis_count++;
    return NNC_OK;
}

static nnc_status find_field(nnc_sweep *sweep, const char *where, const char *name, nnc_found_field *found,
                             nnc_error *err) {
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    if (nnc_sweep_find(&sweep->point, name, false, found)) { return NNC_OK; }
    const size_t count = nnc_sweep_field_names(&sweep->point, names, NAMES_MAX);
    const char *nearest = nnc_nearest(name, names, count);
    return nnc_fail(err, NNC_BAD_USAGE, where, "no such field of plan, model or device: \"%s\"%s%s%s", name,
                    nearest != NULL ? ", did you mean " : "", nearest != NULL ? nearest : "",
                    nearest != NULL ? "?" : "");
}

nnc_status nnc_sweep_add_as(nnc_sweep *sweep, const char *where, const char *name, const char *list, nnc_error *err) {
    nnc_found_field found;
    NNC_TRY(find_field(sweep, where, name, &found, err));
    return bind_field(sweep, where, &found, list, sweep->groups++, err);
}

/* Adds an axis that the text NAME=LIST describes. NAME is the name of a field, in the form of --set, or the name of an
 * option. */
static nnc_status add_pair(nnc_sweep *sweep, const char *option, const char *pair, int32_t group, nnc_error *err) {
    char name[160], where[192];
    nnc_found_field found;
    const size_t length = strcspn(pair, "=");
    if (pair[length] != '=' || length == 0 || length >= sizeof name) {
        return nnc_fail(err, NNC_BAD_USAGE, option, "expected NAME=LIST, found \"%s\"", pair);
    }
    snprintf(name, sizeof name, "%.*s", (int)length, pair);
    snprintf(where, sizeof where, "%s %s", option, name);
    NNC_TRY(find_field(sweep, option, name, &found, err));
    return bind_field(sweep, where, &found, pair + length + 1, group, err);
}

nnc_status nnc_sweep_add_pair(nnc_sweep *sweep, const char *option, const char *pair, nnc_error *err) {
    return add_pair(sweep, option, pair, sweep->groups++, err);
}

nnc_status nnc_sweep_add_link(nnc_sweep *sweep, const char *option, const char *pairs, nnc_error *err) {
    char *text = nnc_arena_strdup(sweep->arena, pairs);
    const int32_t group = sweep->groups++;
    NNC_GOT(text, err);
    for (bool more = true; more;) {
        const size_t length = strcspn(text, ";");
        more = text[length] == ';';
        text[length] = '\0';
        NNC_TRY(add_pair(sweep, option, text, group, err));
        text += length + 1;
    }
    return NNC_OK;
}
