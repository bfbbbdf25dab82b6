/* The axes of a sweep. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/flags.h"
#include "sweep/sweep.h"

/* What is wrong with a value is said of the axis. */
static nnc_status adopt(const char *where, nnc_error *err)
{
    if (err != NULL) {
        snprintf(err->where, sizeof err->where, "%s", where);
        err->status = NNC_BAD_USAGE;
    }
    return NNC_BAD_USAGE;
}

static nnc_status add_axis(nnc_sweep *sweep, const char *where, nnc_sweep_axis **axis,
                           nnc_error *err)
{
    nnc_sweep_axes *axes = &sweep->axes;
    if (sweep->settled) {
        return nnc_fail(err, NNC_BAD_USAGE, where, "axes come before all else");
    }
    if (axes->axis_count == NNC_SWEEP_AXES_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, where, "too many axes, expected at most %d",
                        NNC_SWEEP_AXES_MAX);
    }
    *axis = &axes->axes[axes->axis_count];
    return NNC_OK;
}

/* Loads one value of a whole axis, and names it. */
static nnc_status load(nnc_sweep *sweep, nnc_sweep_target target, const char *value,
                       const void **spec, const char **id, nnc_error *err)
{
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
        NNC_TRY(nnc_software_load(sweep->specs, value, &software, err));
        *spec = software;
        *id = software->id;
        return NNC_OK;
    }
    NNC_TRY(nnc_device_load(sweep->specs, value, &device, err));
    *spec = device;
    *id = device->id;
    if (sweep->cluster == NULL) {
        return NNC_OK;
    }
    nnc_device *joined = nnc_arena_alloc(sweep->arena, sizeof *joined);
    if (joined == NULL) {
        return nnc_no_memory(err);
    }
    *joined = *device;
    *spec = joined;
    return nnc_cluster_load(sweep->specs, sweep->cluster, joined, err);
}

nnc_status nnc_sweep_add_whole(nnc_sweep *sweep, nnc_sweep_target target, const char *name,
                               const char *list, nnc_error *err)
{
    nnc_arena *arena = sweep->arena;
    const char *where = target == NNC_SWEEP_SOFTWARE ? "--software" : list;
    nnc_sweep_axis *axis = NULL;
    NNC_TRY(add_axis(sweep, where, &axis, err));
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is not NULL here */
    *axis = (nnc_sweep_axis){ .name = name, .target = target, .group = sweep->groups++ };
    NNC_TRY(nnc_sweep_list(arena, where, list, false, &axis->values, &axis->count, err));
    nnc_cell *cells = nnc_arena_array(arena, (size_t)axis->count, sizeof *cells);
    axis->specs = nnc_arena_array(arena, (size_t)axis->count, sizeof *axis->specs);
    if (cells == NULL || axis->specs == NULL) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < axis->count; i++) {
        cells[i].kind = NNC_CELL_TEXT;
        NNC_TRY(load(sweep, target, axis->values[i], &axis->specs[i], &cells[i].text, err));
    }
    axis->cells = cells;
    sweep->axes.axis_count++;
    return nnc_point_set(&sweep->point, axis, 0, err);
}

/* '+' joins what belongs to one value, since ',' separates values. */
static bool joins(const nnc_field *field)
{
    return nnc_flags_of(field->type) != NULL || field->capacity > 0;
}

static nnc_status split_joined(nnc_sweep *sweep, nnc_sweep_axis *axis, nnc_error *err)
{
    for (int32_t i = 0; i < axis->count; i++) {
        char *text = nnc_arena_strdup(sweep->arena, axis->values[i]);
        if (text == NULL) {
            return nnc_no_memory(err);
        }
        for (char *at = text; *at != '\0'; at++) {
            *at = (char)(*at == '+' ? ',' : *at);
        }
        axis->values[i] = text;
    }
    return NNC_OK;
}

static nnc_cell cell_of(const nnc_field *field, const char *value)
{
    double number = 0;
    if (field->type == NNC_FIELD_BOOL) {
        const bool on =
            strcmp(value, "on") == 0 || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
        return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = on };
    }
    if (joins(field) || !nnc_read_double(value, &number)) {
        return (nnc_cell){ .kind = NNC_CELL_TEXT, .text = value };
    }
    int64_t whole = 0;
    return nnc_read_i64(value, &whole) ? (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = whole }
                                       : (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number };
}

/* Room for the values of a field of the plan as they stand in it; NULL: they are set from text. */
static char *room_for_bytes(nnc_sweep *sweep, const nnc_field *field, nnc_sweep_axis *axis)
{
    void *object = &sweep->point.plan;
    nnc_dtype dtype;
    if (axis->target != NNC_SWEEP_PLAN_FIELD || field->type == NNC_FIELD_TEXT ||
        field->capacity > 0 ||
        nnc_field_find(&nnc_plan_table, axis->field, &object, &dtype) != field) {
        return NULL;
    }
    axis->offset = (size_t)((char *)object - (char *)&sweep->point.plan) + field->offset;
    axis->size = field->size;
    return nnc_arena_array(sweep->arena, (size_t)axis->count, field->size);
}

/* Sets every value once, in every model for a field of one, so that none fails later. */
static nnc_status try_values(nnc_sweep *sweep, nnc_sweep_axis *axis, const nnc_field *field,
                             const char *where, nnc_error *err)
{
    const nnc_sweep_axis *models = &sweep->axes.axes[0];
    const bool of_model = axis->target == NNC_SWEEP_MODEL_FIELD;
    char *bytes = room_for_bytes(sweep, field, axis);
    for (int32_t m = of_model ? models->count - 1 : 0; m >= 0; m--) {
        nnc_point trial = sweep->point;
        for (int32_t i = 0; i < axis->count; i++) {
            if (of_model) {
                nnc_point_set(&trial, models, m, NULL);
            }
            if (nnc_point_set(&trial, axis, i, err) != NNC_OK) {
                return adopt(where, err);
            }
            if (bytes != NULL) {
                memcpy(bytes + (size_t)i * axis->size, (const char *)&trial.plan + axis->offset,
                       axis->size);
            }
        }
    }
    axis->bytes = bytes;
    return nnc_point_set(&sweep->point, axis, 0, err);
}

/* What stands before a value in a command; what is no option is --set. */
static nnc_status name_option(nnc_sweep *sweep, const nnc_found_field *found, nnc_sweep_axis *axis,
                              nnc_error *err)
{
    char name[NNC_OPTION_NAME], text[192];
    const bool plan = axis->target == NNC_SWEEP_PLAN_FIELD;
    axis->is_switch = plan && found->field->type == NNC_FIELD_BOOL;
    snprintf(text, sizeof text, plan ? " %s%s" : " --set %s%s",
             plan ? nnc_option_name(axis->field, name) : axis->name,
             !plan             ? "="
             : axis->is_switch ? ""
                               : " ");
    axis->option = nnc_arena_strdup(sweep->arena, text);
    return axis->option != NULL ? NNC_OK : nnc_no_memory(err);
}

/* The field's name in full, of which an alias and '-' for '_' are only ways to write it. */
static nnc_status name_axis(nnc_sweep *sweep, const char *where, const nnc_found_field *found,
                            nnc_sweep_axis *axis, nnc_error *err)
{
    axis->name = nnc_found_name(sweep->arena, found);
    if (axis->name == NULL) {
        return nnc_no_memory(err);
    }
    axis->field = axis->name + strlen(found->prefix);
    NNC_TRY(name_option(sweep, found, axis, err));
    for (int32_t i = 0; i < sweep->axes.axis_count; i++) {
        if (strcmp(sweep->axes.axes[i].name, axis->name) == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, where, "%s is given twice", axis->name);
        }
    }
    return NNC_OK;
}

static nnc_status bind_field(nnc_sweep *sweep, const char *where, const nnc_found_field *found,
                             const char *list, int32_t group, nnc_error *err)
{
    nnc_arena *arena = sweep->arena;
    nnc_sweep_axis *axis = NULL;
    NNC_TRY(add_axis(sweep, where, &axis, err));
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it is not NULL here */
    *axis = (nnc_sweep_axis){ .target = found->target, .group = group };
    NNC_TRY(name_axis(sweep, where, found, axis, err));
    NNC_TRY(nnc_sweep_list_of(arena, where, list, found->field, nnc_sweep_numeric(found->field),
                              &axis->values, &axis->count, err));
    if (joins(found->field)) {
        NNC_TRY(split_joined(sweep, axis, err));
    }
    nnc_cell *cells = nnc_arena_array(arena, (size_t)axis->count, sizeof *cells);
    if (cells == NULL) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < axis->count; i++) {
        cells[i] = cell_of(found->field, axis->values[i]);
    }
    axis->cells = cells;
    NNC_TRY(try_values(sweep, axis, found->field, where, err));
    sweep->axes.axis_count++;
    return NNC_OK;
}

static nnc_status find_field(nnc_sweep *sweep, const char *where, const char *name,
                             nnc_found_field *found, nnc_error *err)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    if (nnc_sweep_find(&sweep->point, name, false, found)) {
        return NNC_OK;
    }
    const size_t count = nnc_sweep_field_names(&sweep->point, names, NAMES_MAX);
    const char *nearest = nnc_nearest(name, names, count);
    return nnc_fail(err, NNC_BAD_USAGE, where,
                    "no such field of plan, model or device: \"%s\"%s%s%s", name,
                    nearest != NULL ? ", did you mean " : "", nearest != NULL ? nearest : "",
                    nearest != NULL ? "?" : "");
}

nnc_status nnc_sweep_add_as(nnc_sweep *sweep, const char *where, const char *name, const char *list,
                            nnc_error *err)
{
    nnc_found_field found;
    NNC_TRY(find_field(sweep, where, name, &found, err));
    return bind_field(sweep, where, &found, list, sweep->groups++, err);
}

/* NAME=LIST, a name as --set and options have it. */
static nnc_status add_pair(nnc_sweep *sweep, const char *option, const char *pair, int32_t group,
                           nnc_error *err)
{
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

nnc_status nnc_sweep_add_pair(nnc_sweep *sweep, const char *option, const char *pair,
                              nnc_error *err)
{
    return add_pair(sweep, option, pair, sweep->groups++, err);
}

nnc_status nnc_sweep_add_link(nnc_sweep *sweep, const char *option, const char *pairs,
                              nnc_error *err)
{
    char *text = nnc_arena_strdup(sweep->arena, pairs);
    const int32_t group = sweep->groups++;
    if (text == NULL) {
        return nnc_no_memory(err);
    }
    for (bool more = true; more;) {
        const size_t length = strcspn(text, ";");
        more = text[length] == ';';
        text[length] = '\0';
        NNC_TRY(add_pair(sweep, option, text, group, err));
        text += length + 1;
    }
    return NNC_OK;
}
