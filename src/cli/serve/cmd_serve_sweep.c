/* sweep --serve and compare --serve: every combination of the lists given. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/serve/serve_asked.h"
#include "cli/serve/serve_sweep_view.h"
#include "sweep/axes.h"

enum { ROWS_MAX = 20000 };

/* What varies: an operand, the profile, or a setting. */
typedef struct axis {
    const char **slot; /* where each value is put */
    const char **values;
    int32_t count;
} axis;

enum { AXES_MAX = NNC_SETTINGS_MAX + 3 };

typedef struct serve_sweep {
    nnc_session *session;
    nnc_arena *arena;
    nnc_scratch *scratch;
    nnc_given given;
    const char *model, *device;
    axis axes[AXES_MAX];
    int32_t axis_count;
    nnc_serve_rows rows;
    int64_t illegal;
    nnc_error last; /* why a row was not */
} serve_sweep;

static nnc_status add_axis(serve_sweep *s, const char *where, const char *list, bool numeric,
                           const char **slot, nnc_error *err)
{
    axis *a = &s->axes[s->axis_count++];
    a->slot = slot;
    return nnc_sweep_list(s->arena, where, list, numeric, &a->values, &a->count, err);
}

static nnc_status find_axes(serve_sweep *s, nnc_error *err)
{
    char **operands = s->session->options.operands;
    NNC_TRY(add_axis(s, "MODEL", operands[0], false, &s->model, err));
    NNC_TRY(add_axis(s, "DEVICE", operands[1], false, &s->device, err));
    if (s->given.software != NULL) {
        NNC_TRY(add_axis(s, "--software", s->given.software, false, &s->given.software, err));
    }
    for (int i = 0; i < s->given.setting_count; i++) {
        nnc_setting *setting = &s->given.settings[i];
        const bool numeric = setting->field->type == NNC_FIELD_I32 ||
                             setting->field->type == NNC_FIELD_I64 ||
                             setting->field->type == NNC_FIELD_F64;
        char *name = nnc_arena_alloc(s->arena, NNC_OPTION_NAME);
        if (name == NULL) {
            return nnc_no_memory(err);
        }
        NNC_TRY(add_axis(s, nnc_option_name(setting->field->name, name), setting->value, numeric,
                         &setting->value, err));
        if (s->axes[s->axis_count - 1].count > 1) {
            s->rows.names[s->rows.name_count] = setting->field->name;
            s->rows.axis_of[s->rows.name_count++] = s->axis_count - 1;
        }
    }
    s->rows.models = s->axes[0].count > 1;
    s->rows.devices = s->axes[1].count > 1;
    s->rows.engines = s->given.software != NULL && s->axes[2].count > 1;
    return NNC_OK;
}

static nnc_status count_rows(const serve_sweep *s, int64_t *rows, nnc_error *err)
{
    *rows = 1;
    for (int32_t i = 0; i < s->axis_count; i++) {
        *rows *= s->axes[i].count;
        if (*rows > ROWS_MAX) {
            return nnc_fail(err, NNC_BAD_USAGE, "sweep",
                            "too many combinations, expected at most %d", ROWS_MAX);
        }
    }
    return NNC_OK;
}

/* One row; illegal ones are counted and left out. */
static nnc_status add_row(serve_sweep *s, int64_t row, nnc_error *err)
{
    nnc_serve_rows *rows = &s->rows;
    nnc_serve_scenario *one = nnc_arena_alloc(s->arena, sizeof *one);
    const char **values = nnc_arena_array(s->arena, AXES_MAX, sizeof *values);
    if (one == NULL || values == NULL) {
        return nnc_no_memory(err);
    }
    memset(one, 0, sizeof *one);
    for (int32_t i = s->axis_count - 1; i >= 0; i--) {
        values[i] = s->axes[i].values[row % s->axes[i].count];
        *s->axes[i].slot = values[i];
        row /= s->axes[i].count;
    }
    NNC_TRY(nnc_serve_scenario_load(s->session->specs, &s->given, s->model, s->device, one, err));
    const nnc_status status = nnc_serve_scenario_answer(one, s->scratch, &s->last);
    if (status == NNC_ILLEGAL_PLAN) {
        s->illegal++;
        return NNC_OK;
    }
    if (status != NNC_OK) {
        *err = s->last;
        return status;
    }
    one->base.report.serve_ops = NULL;
    one->base.report.serve_op_count = 0;
    rows->values[rows->count] = values;
    rows->reports[rows->count++] = one->base.report;
    return NNC_OK;
}

static nnc_status sweep(serve_sweep *s, nnc_error *err)
{
    int64_t count = 0;
    NNC_TRY(find_axes(s, err));
    NNC_TRY(count_rows(s, &count, err));
    s->rows.reports = nnc_arena_array(s->arena, (size_t)count, sizeof *s->rows.reports);
    s->rows.values = nnc_arena_array(s->arena, (size_t)count, sizeof *s->rows.values);
    if (s->rows.reports == NULL || s->rows.values == NULL) {
        return nnc_no_memory(err);
    }
    for (int64_t row = 0; row < count; row++) {
        NNC_TRY(add_row(s, row, err));
    }
    if (s->rows.count == 0) {
        *err = s->last;
        return s->last.status;
    }
    s->rows.illegal = s->illegal;
    nnc_view_write(s->session->out, s->session->style,
                   s->rows.reports[0].images != NULL ? &nnc_images_sweep_view
                                                     : &nnc_serve_sweep_view,
                   &s->rows);
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    serve_sweep *s = calloc(1, sizeof *s);
    nnc_status status = NNC_NO_MEMORY;
    if (s == NULL) {
        return nnc_no_memory(err);
    }
    s->session = session;
    s->given = session->options.given;
    s->arena = nnc_arena_create();
    s->scratch = nnc_scratch_create();
    status = s->arena != NULL && s->scratch != NULL ? sweep(s, err) : nnc_no_memory(err);
    nnc_arena_destroy(s->arena);
    nnc_scratch_destroy(s->scratch);
    free(s);
    return status;
}

#define SWEEP_NOTES                                                                              \
    "Lists are values joined by commas and ranges: 1,2,4, 1..8, 1..64*2. Rows that are illegal " \
    "are left out, those that do not fit or are saturated are marked."

const nnc_command nnc_cmd_serve_sweep = {
    .name = "sweep",
    .operands = "MODELS DEVICES --serve",
    .summary = "Every combination of the lists given, served, one row each.",
    .notes = SWEEP_NOTES,
    .min_operands = 2,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SERVING,
    .run = run,
};
const nnc_command nnc_cmd_serve_compare = {
    .name = "compare",
    .operands = "MODELS DEVICES --serve",
    .summary = "Models, devices, engines or plans of serving side by side.",
    .notes = SWEEP_NOTES,
    .min_operands = 2,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_SERVE | NNC_TAKES_SERVING,
    .run = run,
};
