/* nncost sweep --serve and compare --serve: every combination of the lists given, served, one row each. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "cli/views_internal.h"
#include "serve/serve_internal.h"
#include "sweep/sweep_internal.h"

typedef struct serve_rows {
    nnc_report *reports;
    int64_t count, illegal;        /* illegal: left out */
    bool models, devices, engines; /* whether they vary */
    const char *
        names[NNC_SETTINGS_MAX]; /* options that vary, and the index of each among a row's values */
    int32_t axis_of[NNC_SETTINGS_MAX];
    int32_t name_count;
    const char ***values; /* of each row: as given */
} serve_rows;

#define ROWS(table)                                                                                \
    {                                                                                              \
        NNC_AS("illegal", WHOLE, NNC_IN(serve_rows, illegal), .help = "Rows that were left out."), \
            NNC_AS("rows", LIST, NNC_IN(serve_rows, reports), NNC_COUNT(serve_rows, count),        \
                   .rows = (table), .help = "One for each combination."),                          \
    }
static const nnc_metric sweep_rows[] = ROWS(&nnc_serve_metrics),
                        images_rows[] = ROWS(&nnc_images_metrics);
static const nnc_metrics sweep_document =
    NNC_METRICS("served side by side", sweep_rows, serve_rows);
static const nnc_metrics images_document =
    NNC_METRICS("images side by side", images_rows, serve_rows);

/* One model that makes images: all others that are left do, too. */
static bool makes_images(const serve_rows *rows)
{
    return rows->reports[0].images != NULL;
}

static const nnc_metrics *metrics_of(const serve_rows *rows)
{
    return makes_images(rows) ? &nnc_images_metrics : &nnc_serve_metrics;
}

static nnc_lines lines_of(const void *record)
{
    const serve_rows *rows = record;
    return (nnc_lines){ metrics_of(rows), NULL, rows->reports, rows->count };
}

/* A column of the page: its heading, and its text in braces, "-" without a value. */
typedef struct column {
    const char *head, *text;
    bool left;
} column;

static const column token_columns[] = {
    { "TTFT", "{latency.ttft_s}", false },
    { "TPOT", "{latency.tpot_s}", false },
    { "request", "{latency.request_s}", false },
    { "tok/s", "{throughput.output_tokens_per_s}", false },
    { "tok/s/device", "{throughput.output_tokens_per_s_per_device}", false },
    { "tok/s/user", "{throughput.tokens_per_s_per_user}", false },
    { "fit", "{memory.max_sequences}", false },
    { "per M out", "{cost.per_million_output_tokens:count}", false },
    { "decode", "{decode.bound}", true },
    { NULL, NULL, false },
};
static const column image_columns[] = {
    { "time", "{images.image_s}", false },
    { "a step", "{images.forward_s}", false },
    { "images/s", "{images.images_per_s:count}", false },
    { "per thousand", "{images.per_thousand_images:count}", false },
    { "energy", "{images.energy_j_per_image}", false },
    { NULL, NULL, false },
};

static const column *columns_of(const serve_rows *rows)
{
    return makes_images(rows) ? image_columns : token_columns;
}

static void put_heads(nnc_table *table, const serve_rows *rows)
{
    const char *const whole[] = { rows->models ? "model" : NULL, rows->devices ? "device" : NULL,
                                  rows->engines ? "software" : NULL };
    for (int i = 0; i < 3; i++) {
        if (whole[i] != NULL) {
            nnc_table_head(table, (nnc_head){ .text = whole[i], .left = true });
        }
    }
    for (int32_t i = 0; i < rows->name_count; i++) {
        nnc_table_head(table, (nnc_head){ .text = rows->names[i] });
    }
    for (const column *c = columns_of(rows); c->head != NULL; c++) {
        nnc_table_head(table, (nnc_head){ .text = c->head, .left = c->left });
    }
    nnc_table_head(table, (nnc_head){ .text = "", .left = true });
}

static const char *remark_of(const nnc_report *report)
{
    const bool fits = report->images != NULL ? report->images->fits : report->serve->fits;
    return !fits                                                ? "does not fit"
           : report->images == NULL && report->serve->saturated ? "saturated"
                                                                : "";
}

static void put_row(nnc_table *table, const serve_rows *rows, int64_t row)
{
    const nnc_report *report = &rows->reports[row];
    const char *const whole[] = { rows->models ? report->model->id : NULL,
                                  rows->devices ? report->device->id : NULL,
                                  rows->engines ? report->software->id : NULL };
    char text[NNC_PAGE_TEXT];
    for (int i = 0; i < 3; i++) {
        if (whole[i] != NULL) {
            nnc_table_cell(table, whole[i]);
        }
    }
    for (int32_t i = 0; i < rows->name_count; i++) {
        nnc_table_cell(table, rows->values[row][rows->axis_of[i]]);
    }
    for (const column *c = columns_of(rows); c->head != NULL; c++) {
        nnc_table_cell(table, nnc_page_text(metrics_of(rows), report, c->text, text) ? text : "-");
    }
    nnc_table_cell(table, remark_of(report));
}

static void sweep_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const serve_rows *rows = record;
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
                                        .lines = lines_of,
                                        .page = sweep_page };
const nnc_view nnc_images_sweep_view = { .schema = "nncost.images-sweep/1",
                                         .document = &images_document,
                                         .lines = lines_of,
                                         .page = sweep_page };

enum { ROWS_MAX = 20000 };

/* An operand, the profile or a setting that has a list of values. */
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
    nnc_scenario_args given;
    const char *model, *device;
    axis axes[AXES_MAX];
    int32_t axis_count;
    serve_rows rows;
    int64_t illegal;
    nnc_error last; /* of the last row that was illegal */
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

/* Adds a row; counts an illegal one and leaves it out. */
static nnc_status add_row(serve_sweep *s, int64_t row, nnc_error *err)
{
    serve_rows *rows = &s->rows;
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
    const nnc_status status = nnc_serve_scenario_compute(one, s->scratch, &s->last);
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
