/* serve sweep */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/views_internal.h"
#include "serve/serve_images.h"
#include "sweep/axes.h"

typedef struct nnc_serve_rows {
    nnc_report *reports;
    int64_t count, illegal;        /* illegal: left out */
    bool models, devices, engines; /* these vary */
    const char
        *names[NNC_SETTINGS_MAX]; /* options that vary, and which of a row's values is theirs */
    int32_t axis_of[NNC_SETTINGS_MAX];
    int32_t name_count;
    const char ***values; /* of each row: as given */
} nnc_serve_rows;

static const nnc_metric sweep_rows[] = {
    NNC_AS("illegal", WHOLE, NNC_IN(nnc_serve_rows, illegal), .help = "Rows that were left out."),
    NNC_AS("rows", LIST, NNC_IN(nnc_serve_rows, reports), NNC_COUNT(nnc_serve_rows, count),
           .rows = &nnc_serve_metrics, .help = "One for each combination."),
};
static const nnc_metrics sweep_document =
    NNC_METRICS("served side by side", sweep_rows, nnc_serve_rows);

static const nnc_metric images_rows[] = {
    NNC_AS("illegal", WHOLE, NNC_IN(nnc_serve_rows, illegal), .help = "Rows that were left out."),
    NNC_AS("rows", LIST, NNC_IN(nnc_serve_rows, reports), NNC_COUNT(nnc_serve_rows, count),
           .rows = &nnc_images_metrics, .help = "One for each combination."),
};
static const nnc_metrics images_document =
    NNC_METRICS("images side by side", images_rows, nnc_serve_rows);

static nnc_lines images_lines(const void *record)
{
    const nnc_serve_rows *rows = record;
    return (nnc_lines){ &nnc_images_metrics, NULL, rows->reports, rows->count };
}

static nnc_lines sweep_lines(const void *record)
{
    const nnc_serve_rows *rows = record;
    return (nnc_lines){ &nnc_serve_metrics, NULL, rows->reports, rows->count };
}

/* One model that does, and all that are left do. */
static bool draws_images(const nnc_serve_rows *rows)
{
    return rows->reports[0].images != NULL;
}

static void put_heads(nnc_table *table, const nnc_serve_rows *rows)
{
    static const char *const tokens[] = { "TTFT",         "TPOT",       "request", "tok/s",
                                          "tok/s/device", "tok/s/user", "fit",     "per M out" };
    static const char *const images[] = { "time", "a step", "images/s", "per thousand", "energy" };
    const bool draws = draws_images(rows);
    const char *const *figures = draws ? images : tokens;
    const size_t figure_count =
        draws ? sizeof images / sizeof images[0] : sizeof tokens / sizeof tokens[0];
    const struct {
        const char *text;
        bool varies;
    } whole[] = { { "model", rows->models },
                  { "device", rows->devices },
                  { "software", rows->engines } };
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        if (whole[i].varies) {
            nnc_table_head(table, (nnc_head){ .text = whole[i].text, .left = true });
        }
    }
    for (int32_t i = 0; i < rows->name_count; i++) {
        nnc_table_head(table, (nnc_head){ .text = rows->names[i] });
    }
    for (size_t i = 0; i < figure_count; i++) {
        nnc_table_head(table, (nnc_head){ .text = figures[i] });
    }
    if (!draws) {
        nnc_table_head(table, (nnc_head){ .text = "decode", .left = true });
    }
    nnc_table_head(table, (nnc_head){ .text = "", .left = true });
}

static void put_count(nnc_table *table, double count)
{
    char text[NNC_NUMBER_TEXT];
    nnc_table_cell(table, nnc_count_text(count, text));
}

static void put_images(nnc_table *table, const nnc_images *images)
{
    nnc_table_number(table, images->image_s, "s");
    nnc_table_number(table, images->forward_s, "s");
    put_count(table, images->images_per_s);
    put_count(table, images->per_thousand_images);
    nnc_table_number(table, images->energy_j_per_image, "J");
    nnc_table_cell(table, images->fits ? "" : "does not fit");
}

static void put_row(nnc_table *table, const nnc_serve_rows *rows, int64_t row)
{
    const nnc_report *report = &rows->reports[row];
    const char *const whole[] = { report->model->id, report->device->id, report->software->id };
    const bool varies[] = { rows->models, rows->devices, rows->engines };
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        if (varies[i]) {
            nnc_table_cell(table, whole[i]);
        }
    }
    for (int32_t i = 0; i < rows->name_count; i++) {
        nnc_table_cell(table, rows->values[row][rows->axis_of[i]]);
    }
    if (report->images != NULL) {
        put_images(table, report->images);
        return;
    }
    const nnc_serve *s = report->serve;
    nnc_table_number(table, isinf(s->ttft_s) ? (double)NAN : s->ttft_s, "s");
    nnc_table_number(table, s->tpot_s, "s");
    nnc_table_number(table, isinf(s->request_s) ? (double)NAN : s->request_s, "s");
    put_count(table, s->output_tokens_per_s);
    put_count(table, s->output_tokens_per_s_per_device);
    put_count(table, s->tokens_per_s_per_user);
    put_count(table, s->max_sequences);
    put_count(table, s->per_million_output_tokens);
    nnc_table_cell(table, nnc_bound_name(s->decode.bound));
    nnc_table_cell(table, !s->fits ? "does not fit" : s->saturated ? "saturated" : "");
}

static void sweep_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_serve_rows *rows = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_table table = { .count = 0 };
    put_heads(&table, rows);
    for (int64_t row = 0; row < rows->count; row++) {
        put_row(&table, rows, row);
    }
    nnc_table_write(&table, out, style);
    if (rows->illegal > 0) {
        nnc_sheet_gap(&sheet);
        nnc_sheet_label(&sheet, "");
        nnc_sheet_words(&sheet, "%" PRId64 " illegal row%s left out", rows->illegal,
                        rows->illegal > 1 ? "s" : "");
        nnc_sheet_end(&sheet);
    }
}

const nnc_view nnc_serve_sweep_view = { .schema = "nncost.serve-sweep/1",
                                        .document = &sweep_document,
                                        .lines = sweep_lines,
                                        .page = sweep_page };
const nnc_view nnc_images_sweep_view = { .schema = "nncost.images-sweep/1",
                                         .document = &images_document,
                                         .lines = images_lines,
                                         .page = sweep_page };

/* sweep --serve and compare --serve: every combination of the lists given. */

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
