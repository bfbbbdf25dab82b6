/* The axes of a sweep, from operands and options. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/sweep/sweep.h"
#include "record/scenario.h"

/* What axes are made with. */
typedef struct binder {
    nnc_session *session;
    nnc_sweep *sweep;
    nnc_point trial; /* the specs of row 0, with the fields set that were bound so far */
    int32_t groups;
    nnc_error *err;
} binder;

static nnc_status adopt(binder *b, const char *where)
{
    if (where != b->err->where) {
        snprintf(b->err->where, sizeof b->err->where, "%s", where);
    }
    return b->err->status = NNC_BAD_USAGE;
}

static nnc_status no_memory(binder *b)
{
    return nnc_no_memory(b->err);
}

static nnc_sweep_axis *add_axis(binder *b, const char *where)
{
    nnc_sweep_axes *axes = &b->sweep->axes;
    if (axes->axis_count == NNC_SWEEP_AXES_MAX) {
        nnc_fail(b->err, NNC_BAD_USAGE, where, "too many axes, expected at most %d",
                 NNC_SWEEP_AXES_MAX);
        return NULL;
    }
    return &axes->axes[axes->axis_count];
}

/* Loads one value of a whole axis. */
static nnc_status load(binder *b, nnc_sweep_target target, const char *value, const void **spec)
{
    nnc_specs *specs = b->session->specs;
    const char *cluster = b->session->options.given.cluster;
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_software *software = NULL;
    nnc_status status = NNC_OK;
    if (target == NNC_SWEEP_MODEL) {
        status = nnc_model_load(specs, value, &model, b->err);
        *spec = model;
    } else if (target == NNC_SWEEP_SOFTWARE) {
        status = nnc_software_load(specs, value, &software, b->err);
        *spec = software;
    } else {
        status = nnc_device_load(specs, value, &device, b->err);
        *spec = device;
    }
    if (status != NNC_OK || device == NULL || cluster == NULL) {
        return status;
    }
    nnc_device *joined = nnc_arena_alloc(b->sweep->arena, sizeof *joined);
    if (joined == NULL) {
        return no_memory(b);
    }
    *joined = *device;
    *spec = joined;
    return nnc_cluster_load(specs, cluster, joined, b->err);
}

static const char *spec_id(nnc_sweep_target target, const void *spec)
{
    return target == NNC_SWEEP_MODEL    ? ((const nnc_model *)spec)->id
           : target == NNC_SWEEP_DEVICE ? ((const nnc_device *)spec)->id
                                        : ((const nnc_software *)spec)->id;
}

static nnc_status bind_whole(binder *b, nnc_sweep_target target, const char *name, const char *list)
{
    nnc_arena *arena = b->sweep->arena;
    const char *where = target == NNC_SWEEP_SOFTWARE ? "--software" : list;
    nnc_sweep_axis *axis = add_axis(b, where);
    if (axis == NULL) {
        return NNC_BAD_USAGE;
    }
    *axis = (nnc_sweep_axis){ .name = name, .target = target, .group = b->groups++ };
    nnc_status status =
        nnc_sweep_list(arena, where, list, false, &axis->values, &axis->count, b->err);
    if (status != NNC_OK) {
        return status;
    }
    nnc_cell *cells = nnc_arena_array(arena, (size_t)axis->count, sizeof *cells);
    axis->specs = nnc_arena_array(arena, (size_t)axis->count, sizeof *axis->specs);
    if (cells == NULL || axis->specs == NULL) {
        return no_memory(b);
    }
    for (int32_t i = 0; i < axis->count && status == NNC_OK; i++) {
        status = load(b, target, axis->values[i], &axis->specs[i]);
        if (status == NNC_OK) {
            cells[i] = (nnc_cell){ .kind = NNC_CELL_TEXT, .text = spec_id(target, axis->specs[i]) };
        }
    }
    axis->cells = cells;
    b->sweep->axes.axis_count++;
    return status == NNC_OK ? nnc_point_set(&b->trial, axis, 0, b->err) : status;
}

/* A field that a name stands for. */
typedef struct found_field {
    nnc_sweep_target target;
    const nnc_field *field;
    const char *dotted; /* below the target */
} found_field;

static const char *const prefixes[] = { "plan.", "model.", "device." };
static const nnc_sweep_target targets[] = { NNC_SWEEP_PLAN_FIELD, NNC_SWEEP_MODEL_FIELD,
                                            NNC_SWEEP_DEVICE_FIELD };
enum { TARGET_COUNT = 3 };

static const nnc_field_table *table_of(const binder *b, int target)
{
    return target == 0   ? &nnc_plan_table
           : target == 1 ? nnc_model_table(b->trial.model.family)
                         : &nnc_device_table;
}

static bool find_in(binder *b, int target, const char *dotted, found_field *found)
{
    void *object = target == 0   ? (void *)&b->trial.plan
                   : target == 1 ? (void *)&b->trial.model
                                 : (void *)&b->trial.device;
    nnc_dtype dtype;
    const nnc_field *field = nnc_field_find(table_of(b, target), dotted, &object, &dtype);
    *found = (found_field){ targets[target], field, dotted };
    return field != NULL;
}

static nnc_status find_field(binder *b, const char *where, const char *name, found_field *found)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (int i = 0; i < TARGET_COUNT; i++) {
        const size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0 && find_in(b, i, name + length, found)) {
            return NNC_OK;
        }
    }
    for (int i = 0; i < TARGET_COUNT; i++) {
        if (find_in(b, i, name, found)) {
            return NNC_OK;
        }
    }
    for (int i = 0; i < TARGET_COUNT; i++) {
        const nnc_field_table *table = table_of(b, i);
        for (size_t k = 0; k < table->count && count < NAMES_MAX; k++) {
            names[count++] = table->fields[k].name;
        }
    }
    const char *nearest = nnc_nearest(name, names, count);
    return nnc_fail(b->err, NNC_BAD_USAGE, where,
                    "no such field of plan, model or device: \"%s\"%s%s%s", name,
                    nearest != NULL ? ", did you mean " : "", nearest != NULL ? nearest : "",
                    nearest != NULL ? "?" : "");
}

/* '+' joins what belongs to one value, since ',' separates values. */
static bool joins(const nnc_field *field)
{
    return field->type == NNC_FIELD_RECOMPUTE || field->type == NNC_FIELD_OFFLOAD ||
           field->capacity > 0;
}

static nnc_status split_joined(binder *b, nnc_sweep_axis *axis)
{
    for (int32_t i = 0; i < axis->count; i++) {
        char *text = nnc_arena_strdup(b->sweep->arena, axis->values[i]);
        if (text == NULL) {
            return no_memory(b);
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

/* Sets every value once, in every model for a field of one, so that none fails later. */
static nnc_status try_values(binder *b, const nnc_sweep_axis *axis, const char *where)
{
    const nnc_sweep_axis *models = &b->sweep->axes.axes[0];
    const bool of_model = axis->target == NNC_SWEEP_MODEL_FIELD;
    for (int32_t m = of_model ? models->count - 1 : 0; m >= 0; m--) {
        nnc_point trial = b->trial;
        for (int32_t i = 0; i < axis->count; i++) {
            if (of_model) {
                nnc_point_set(&trial, models, m, NULL);
            }
            if (nnc_point_set(&trial, axis, i, b->err) != NNC_OK) {
                return adopt(b, where);
            }
        }
    }
    return nnc_point_set(&b->trial, axis, 0, b->err);
}

static nnc_status bind_field(binder *b, const char *where, const found_field *found,
                             const char *list, int32_t group)
{
    nnc_arena *arena = b->sweep->arena;
    nnc_sweep_axes *axes = &b->sweep->axes;
    nnc_sweep_axis *axis = add_axis(b, where);
    char name[192];
    if (axis == NULL) {
        return NNC_BAD_USAGE;
    }
    const int prefix = found->target == NNC_SWEEP_PLAN_FIELD    ? 0
                       : found->target == NNC_SWEEP_MODEL_FIELD ? 1
                                                                : 2;
    /* An alias and '-' for '_' are ways to write a name, not names; parts after a dot stay. */
    const char *rest = strchr(found->dotted, '.');
    const bool top = rest == NULL;
    snprintf(name, sizeof name, "%s%s", prefixes[prefix], top ? found->field->name : found->dotted);
    *axis = (nnc_sweep_axis){ .name = nnc_arena_strdup(arena, name),
                              .target = found->target,
                              .group = group };
    if (axis->name == NULL) {
        return no_memory(b);
    }
    axis->field = axis->name + strlen(prefixes[prefix]);
    for (int32_t i = 0; i < axes->axis_count; i++) {
        if (strcmp(axes->axes[i].name, axis->name) == 0) {
            return nnc_fail(b->err, NNC_BAD_USAGE, where, "%s is given twice", axis->name);
        }
    }
    nnc_status status = nnc_sweep_list(arena, where, list, nnc_sweep_numeric(found->field),
                                       &axis->values, &axis->count, b->err);
    if (status == NNC_OK && joins(found->field)) {
        status = split_joined(b, axis);
    }
    if (status != NNC_OK) {
        return status;
    }
    nnc_cell *cells = nnc_arena_array(arena, (size_t)axis->count, sizeof *cells);
    if (cells == NULL) {
        return no_memory(b);
    }
    for (int32_t i = 0; i < axis->count; i++) {
        cells[i] = cell_of(found->field, axis->values[i]);
    }
    axis->cells = cells;
    status = try_values(b, axis, where);
    axes->axis_count += status == NNC_OK;
    return status;
}

static nnc_status bind_settings(binder *b)
{
    const nnc_options *options = &b->session->options;
    nnc_status status = NNC_OK;
    for (int i = 0; i < options->given.setting_count && status == NNC_OK; i++) {
        const nnc_setting *setting = &options->given.settings[i];
        char name[NNC_OPTION_NAME];
        if (nnc_shard_asked(setting)) {
            status = nnc_shard_read(setting->value, &b->sweep->shard, b->err);
            continue;
        }
        const found_field found = { NNC_SWEEP_PLAN_FIELD, setting->field, setting->field->name };
        status = bind_field(b, nnc_option_name(setting->field->name, name), &found, setting->value,
                            b->groups++);
    }
    return status;
}

/* NAME=LIST, a name as --set and options have it. */
static nnc_status bind_pair(binder *b, const char *option, const char *pair, int32_t group)
{
    char name[160], where[192];
    found_field found;
    const size_t length = strcspn(pair, "=");
    if (pair[length] != '=' || length == 0 || length >= sizeof name) {
        return nnc_fail(b->err, NNC_BAD_USAGE, option, "expected NAME=LIST, found \"%s\"", pair);
    }
    snprintf(name, sizeof name, "%.*s", (int)length, pair);
    snprintf(where, sizeof where, "%s %s", option, name);
    const nnc_status status = find_field(b, option, name, &found);
    return status == NNC_OK ? bind_field(b, where, &found, pair + length + 1, group) : status;
}

static nnc_status bind_link(binder *b, const char *link)
{
    char *text = nnc_arena_strdup(b->sweep->arena, link);
    const int32_t group = b->groups++;
    nnc_status status = NNC_OK;
    if (text == NULL) {
        return no_memory(b);
    }
    for (bool more = true; more && status == NNC_OK;) {
        const size_t length = strcspn(text, ";");
        more = text[length] == ';';
        text[length] = '\0';
        status = bind_pair(b, "--link", text, group);
        text += length + 1;
    }
    return status;
}

nnc_status nnc_sweep_bind(nnc_session *session, nnc_sweep *sweep, nnc_error *err)
{
    const nnc_options *options = &session->options;
    binder *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return nnc_no_memory(err);
    }
    *b = (binder){ .session = session, .sweep = sweep, .err = err };
    b->trial.plan = nnc_plan_default();
    sweep->shard = (nnc_shard){ 1, 1 };
    sweep->cluster = options->given.cluster;
    nnc_status status = bind_whole(b, NNC_SWEEP_MODEL, "model.id", options->operands[0]);
    if (status == NNC_OK) {
        status = bind_whole(b, NNC_SWEEP_DEVICE, "device.id", options->operands[1]);
    }
    if (status == NNC_OK && options->given.software != NULL) {
        status = bind_whole(b, NNC_SWEEP_SOFTWARE, "plan.software", options->given.software);
    } else if (status == NNC_OK) {
        status = nnc_software_asked(session->specs, NULL, &sweep->software, err);
        sweep->axes.software = &sweep->software;
    }
    if (status == NNC_OK) {
        status = bind_settings(b);
    }
    for (int i = 0; i < options->given.set_count && status == NNC_OK; i++) {
        status = bind_pair(b, "--set", options->given.sets[i], b->groups++);
    }
    for (int i = 0; i < options->sweep.link_count && status == NNC_OK; i++) {
        status = bind_link(b, options->sweep.links[i]);
    }
    if (status == NNC_OK) {
        status = nnc_sweep_count(&sweep->axes, err);
    }
    if (status == NNC_OK) {
        sweep->shard_rows = (sweep->axes.rows - sweep->shard.number) / sweep->shard.of + 1;
        if (sweep->shard.number > sweep->axes.rows) {
            sweep->shard_rows = 0;
        }
    }
    free(b);
    return status;
}
