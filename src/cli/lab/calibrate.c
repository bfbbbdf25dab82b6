/* nncost calibrate: fits parameters of a device file, or of a serving engine, to measured rows. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "render/render_internal.h"
#include "scenario/scenario_internal.h"

enum { NEXT_MAX = 200 };

/* A device parameter on which the estimated step time of a model depends, with the range of its value. */
typedef struct next_parameter {
    char name[NNC_FIT_NAME];
    double low, high, low_step_s, high_step_s;
    double share;        /* size of the effect of the range on the step time: |ln(low_step_s / high_step_s)| */
    int32_t rows;        /* number of measured rows to which the parameter was fitted */
    const char *measure; /* text: the kind of measured rows that make the range of the parameter narrower */
} next_parameter;

typedef struct calibration {
    nnc_session *session;
    nnc_arena *arena;
    nnc_scenario *scenario;
    const char *asked;        /* value of --device; NULL = rows of any device (only if served requests are fitted) */
    const char *held;         /* value of the option --hold-out; NULL = no rows are held out */
    const nnc_device *device; /* device whose parameters are fitted; NULL if parameters of an engine are fitted */
    nnc_scenario_args change; /* options of the command line that change the scenario of each row */
    nnc_device start;         /* the device after the changes by options; it has the start values of the fit */
    nnc_software engine;      /* software profile of a serving engine whose parameters are fitted to served requests */
    nnc_row_choice choice;
    nnc_measured_file *files;
    int32_t file_count;
    nnc_fit *fit;
    nnc_left_out *unused;
    int32_t unused_count, other_devices, room;
    int32_t held_count; /* number of rows that the fit does not use because of --hold-out */
    /* name of the first device in the rows that is not the fitted device; NULL if parameters of an engine are fitted */
    const char *other;
    /* device name of the previous row; if the next row has the same device name, the device is not looked up a second
     * time */
    const char *last_name;
    bool last_is_ours;
} calibration;

typedef struct nnc_calibration_report {
    /* device or software profile whose parameters are fitted; one of these two pointers is NULL */
    const char *device, *software;
    const char *data;      /* text that names the files and rows of the fit, as in "fitted_on" of the written file */
    const char *overrides; /* text of the changes by the option --set; NULL = the option is not given */
    const char *written;   /* path of the device file that calibrate has written; NULL = none was written */
    int32_t rows, held, other_devices;
    const nnc_fit_parameter *parameters;
    int32_t parameter_count;
    const nnc_fit_group *groups;
    int32_t group_count;
    /* Errors of predicted step times. `loo_before` has the errors with the parameters before the fit. `loo` has the
     * errors with cross-validation: the steps of each model are predicted with parameters that were fitted on the rows
     * of all other models. If all steps are of one model, cross-validation is not possible, and the member `scored` is
     * 0. */
    nnc_score_stats loo_before, loo;
    const nnc_left_out *unused;
    int32_t unused_count;
    const char *asked_model; /* id or path of the model that --explain names; NULL = --explain is not given */
    const next_parameter *next;
    int32_t next_count;
} nnc_calibration_report;

NNC_IF(is_fitted, nnc_fit_parameter, self->reason == NULL)

static bool is_left(const nnc_place *place) { return !is_fitted(place); }

NNC_GET(get_parameter_name, nnc_fit_parameter, nnc_text_cell(self->name))

NNC_GET(get_group_name, nnc_fit_group, nnc_text_cell(self->name))

NNC_GET(get_after, nnc_fit_parameter, nnc_number_cell(self->reason == NULL ? self->value : self->before))

NNC_GET(get_remark, nnc_fit_parameter, nnc_text_cell(self->at_limit ? "at its limit" : ""))

static const nnc_metric parameter_rows[] = {
    NNC_AS("name", TEXT, .get = get_parameter_name, .head = "parameter", .help = "Name of the parameter in the file."),
    NNC_NUMBER(nnc_fit_parameter, before, .head = "before", .show = NNC_SHOW_PLAIN,
               .help = "Value of the parameter before the fit."),
    NNC_AS("after", NUMBER, .get = get_after, .head = "after", .show = NNC_SHOW_PLAIN,
           .help = "Fitted value of the parameter."),
    NNC_NUMBER(nnc_fit_parameter, low, .head = "from", .show = NNC_SHOW_PLAIN,
               .help = "Smallest value of the parameter with which the mean error of its rows is at most 1 % larger "
                       "than with the fitted value."),
    NNC_NUMBER(nnc_fit_parameter, high, .head = "to", .show = NNC_SHOW_PLAIN,
               .help = "Largest value of the parameter with which the mean error of its rows is at most 1 % larger "
                       "than with the fitted value."),
    NNC_WHOLE(nnc_fit_parameter, rows, .head = "rows", .help = "Number of rows on which the parameter was fitted."),
    NNC_AS("of", TEXT, NNC_IN(nnc_fit_parameter, of), .head = "of",
           .help = "Group of rows that determines the parameter."),
    NNC_BOOL(nnc_fit_parameter, at_limit,
             .help = "Whether the fitted value of the parameter is at a limit of its field."),
    NNC_TEXT(nnc_fit_parameter, reason, .help = "Reason why the parameter was not fitted."),
    NNC_HEAD("", TEXT, .get = get_remark),
};
static const nnc_metrics parameters = NNC_METRICS("a parameter of the device", parameter_rows, nnc_fit_parameter);
static const nnc_metrics fitted = { .rows = parameter_rows,
                                    .count = sizeof parameter_rows / sizeof parameter_rows[0],
                                    .record_size = sizeof(nnc_fit_parameter),
                                    .listed = is_fitted };

static const nnc_metric left_rows[] = {
    NNC_HEAD("parameter", TEXT, .get = get_parameter_name),
    NNC_HEAD("value", NUMBER, NNC_IN(nnc_fit_parameter, before), .show = NNC_SHOW_PLAIN),
    NNC_HEAD("why", TEXT, NNC_IN(nnc_fit_parameter, reason), .shrinks = true),
};
static const nnc_metrics left = { .rows = left_rows,
                                  .count = sizeof left_rows / sizeof left_rows[0],
                                  .record_size = sizeof(nnc_fit_parameter),
                                  .listed = is_left };

static const nnc_metric error_rows[] = {
    NNC_WHOLE(nnc_score_stats, scored, .help = "Number of rows with a prediction."),
    NNC_NUMBER(nnc_score_stats, mape, .help = "Mean of the absolute errors."),
    NNC_NUMBER(nnc_score_stats, median, .help = "Median of the absolute errors."),
    NNC_NUMBER(nnc_score_stats, p90,
               .help = "Ninth decile of the absolute errors: nine tenths of the rows have at most this error."),
    NNC_NUMBER(nnc_score_stats, bias, .help = "Mean of the signed errors."),
};
static const nnc_metrics errors = NNC_METRICS("errors of rows", error_rows, nnc_score_stats);

#define ERRORS(member) NNC_IN(nnc_fit_group, member), .rows = &errors
static const nnc_metric group_rows[] = {
    NNC_AS("name", TEXT, .get = get_group_name, .help = "Property that the rows of the group share."),
    NNC_WHOLE(nnc_fit_group, rows, .help = "Number of rows that values were fitted on."),
    NNC_AS("held_out", WHOLE, NNC_IN(nnc_fit_group, held), .help = "Number of rows that were held out."),
    NNC_WHOLE(nnc_fit_group, parts, .help = "Number of parts of the cross-validation."),
    NNC_AS("before", OBJECT, ERRORS(before), .help = "Error on the fitted rows with the values before the fit."),
    NNC_AS("after", OBJECT, ERRORS(after), .help = "Error on the fitted rows with the fitted values."),
    NNC_AS("cross_validated", OBJECT, ERRORS(crossed),
           .help = "Error on the fitted rows, if each row is predicted with values that were fitted to the parts of "
                   "the rows that do not contain this row."),
    NNC_AS("loo", OBJECT, ERRORS(left),
           .help = "Error on the fitted rows, if each row is predicted with values that were fitted without the rows "
                   "of its model."),
    NNC_AS("held_out_before", OBJECT, ERRORS(held_before),
           .help = "Error on the held-out rows with the values before the fit."),
    NNC_AS("held_out_after", OBJECT, ERRORS(held_after), .help = "Error on the held-out rows with the fitted values."),
};
#undef ERRORS
static const nnc_metrics groups = NNC_METRICS("a group of rows", group_rows, nnc_fit_group);

/* ---- metrics of --explain: which measurement to make next ---- */

NNC_GET(get_next_name, next_parameter, nnc_text_cell(self->name))

static const nnc_metric next_rows[] = {
    NNC_AS("parameter", TEXT, .get = get_next_name, .help = "Name of the parameter in the file."),
    NNC_NUMBER(
        next_parameter, low, .show = NNC_SHOW_PLAIN,
        .help = "Smallest value of the parameter that agrees with the rows, or the smallest of the shipped devices."),
    NNC_NUMBER(next_parameter, high, .show = NNC_SHOW_PLAIN,
               .help =
                   "Largest value of the parameter that agrees with the rows, or the largest of the shipped devices."),
    NNC_NUMBER(next_parameter, low_step_s, .unit = "s",
               .help = "Step time with the smallest value of the parameter (low)."),
    NNC_NUMBER(next_parameter, high_step_s, .unit = "s",
               .help = "Step time with the largest value of the parameter (high)."),
    NNC_WHOLE(next_parameter, rows, .help = "Number of rows on which the parameter was fitted."),
    NNC_TEXT(next_parameter, measure, .shrinks = true,
             .help = "Kind of measurement that would make the range of this parameter narrower."),
};
static const nnc_metrics next_metrics = NNC_METRICS("a measurement that would help", next_rows, next_parameter);

static const nnc_metric document_rows[] = {
    NNC_TEXT(nnc_calibration_report, device, .help = "Id of the device whose parameters were fitted."),
    NNC_TEXT(nnc_calibration_report, software,
             .help = "Id of the engine whose parameters were fitted, for rows of served requests."),
    NNC_TEXT(nnc_calibration_report, data, .help = "Files and rows of the fit."),
    NNC_TEXT(nnc_calibration_report, overrides, .help = "Fields that --set changed."),
    NNC_TEXT(nnc_calibration_report, written, .help = "The device file that was written."),
    NNC_WHOLE(nnc_calibration_report, rows, .help = "Number of rows that values were fitted on."),
    NNC_AS("held_out", WHOLE, NNC_IN(nnc_calibration_report, held), .help = "Number of rows that were held out."),
    NNC_WHOLE(nnc_calibration_report, other_devices,
              .help = "Number of rows of other devices, which the fit leaves out."),
    NNC_AS("loo_error", NUMBER, NNC_IN(nnc_calibration_report, loo.mape),
           .help = "Mean error of the steps. The prediction of a step uses values that were fitted without the rows of "
                   "its model."),
    NNC_AS("loo_median", NUMBER, NNC_IN(nnc_calibration_report, loo.median),
           .help = "Median error of the steps. Each step is predicted with values that were fitted without the rows "
                   "of its model."),
    NNC_AS("loo_error_before", NUMBER, NNC_IN(nnc_calibration_report, loo_before.mape),
           .help = "Mean error of the steps with the values before the fit."),
    NNC_AS("figures", LIST, NNC_IN(nnc_calibration_report, parameters),
           NNC_COUNT(nnc_calibration_report, parameter_count), .rows = &parameters,
           .help = "Parameters of the device."),
    NNC_AS("groups", LIST, NNC_IN(nnc_calibration_report, groups), NNC_COUNT(nnc_calibration_report, group_count),
           .rows = &groups, .help = "Errors by group of rows."),
    NNC_AS("unused", LIST, NNC_IN(nnc_calibration_report, unused), NNC_COUNT(nnc_calibration_report, unused_count),
           .rows = &nnc_left_out_metrics, .help = "Measured rows that the fit does not use."),
    NNC_AS("explained_model", TEXT, NNC_IN(nnc_calibration_report, asked_model),
           .help = "Model of --explain: the listed measurements make the interval of this model narrower."),
    NNC_AS(
        "next", LIST, NNC_IN(nnc_calibration_report, next), NNC_COUNT(nnc_calibration_report, next_count),
        .rows = &next_metrics,
        .help =
            "Measurements that would make the interval of the model of --explain narrower. The most useful is first."),
};
static const nnc_metrics document = NNC_METRICS("a calibration", document_rows, nnc_calibration_report);

static nnc_lines lines_of(const void *record) {
    const nnc_calibration_report *report = record;
    return (nnc_lines){ &parameters, report, report->parameters, report->parameter_count };
}

/* ---- the page that calibrate prints ---- */

static void put_percent(nnc_table *table, double share) {
    nnc_buffer_print(&table->cells, isnan(share) ? "-" : "%.2f%%", 100.0 * share);
    nnc_table_cell(table, "");
}

static void put_errors(nnc_table *table, const char *name, const char *what, const nnc_score_stats *before,
                       const nnc_score_stats *after, const nnc_score_stats *crossed) {
    nnc_table_cell(table, name);
    nnc_table_cell(table, what);
    nnc_table_whole(table, before->rows);
    put_percent(table, before->mape);
    put_percent(table, before->median);
    put_percent(table, after->mape);
    put_percent(table, after->median);
    put_percent(table, crossed != NULL ? crossed->mape : (double)NAN);
    put_percent(table, crossed != NULL ? crossed->median : (double)NAN);
}

static void write_errors(nnc_buffer *out, nnc_style style, const nnc_calibration_report *report) {
    static const nnc_head heads[] = {
        { .text = "", .left = true }, { .text = "", .left = true },  { .text = "rows" },
        { .text = "MAPE before" },    { .text = "median" },          { .text = "after" },
        { .text = "median" },         { .text = "cross-validated" }, { .text = "median" },
    };
    bool crossed = false;
    nnc_table table;
    nnc_table_begin(&table, heads, sizeof heads / sizeof heads[0]);
    for (int32_t i = 0; i < report->group_count; i++) {
        const nnc_fit_group *g = &report->groups[i];
        crossed = crossed || g->parts > 0;
        if (g->rows > 0) { put_errors(&table, g->name, "fitted on", &g->before, &g->after, &g->crossed); }
        if (g->held > 0) { put_errors(&table, g->name, "held out", &g->held_before, &g->held_after, NULL); }
    }
    nnc_sheet_heading(out, style, "errors");
    nnc_table_write(&table, out, style);
    if (report->loo.scored > 0) {
        nnc_buffer_print(
            out,
            "\nsteps, each predicted with values that were fitted without the rows of its model: mean error "
            "%.2f%%, median %.2f%%; with the values before the fit: mean %.2f%%, median %.2f%%\n",
            100.0 * report->loo.mape, 100.0 * report->loo.median, 100.0 * report->loo_before.mape,
            100.0 * report->loo_before.median);
    }
    if (!crossed) { nnc_buffer_text(out, "\nno cross-validation: it needs two rows that may be in different parts\n"); }
}

static void write_next(nnc_buffer *out, nnc_style style, const nnc_calibration_report *report) {
    const int32_t most = 5;
    char from[NNC_NUMBER_TEXT], to[NNC_NUMBER_TEXT];
    nnc_sheet_heading(out, style, "measurements that would make the interval narrower, the most useful first");
    for (int32_t i = 0; i < report->next_count && i < most; i++) {
        const next_parameter *n = &report->next[i];
        nnc_sheet_line(out, style, "%s: %s from %.4g to %.4g, a step from %s to %s", n->measure, n->name, n->low,
                       n->high, nnc_unit_text(n->low_step_s, "s", from), nnc_unit_text(n->high_step_s, "s", to));
    }
    nnc_sheet_line(out, style, "a measured step of %s would help more than any of these measurements",
                   report->asked_model);
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const nnc_calibration_report *report = record;
    nnc_lines lines = lines_of(report);
    const bool served = report->software != NULL;
    nnc_buffer_print(out, "%s: fitted on %d row%s, %d held out, %d of other %s\n",
                     served ? report->software : report->device, (int)report->rows, report->rows == 1 ? "" : "s",
                     (int)report->held, (int)report->other_devices, served ? "engines or devices" : "devices");
    if (report->overrides != NULL) { nnc_buffer_print(out, "with %s\n", report->overrides); }
    lines.metrics = &fitted;
    if (!nnc_table_under(out, style, lines, "fitted")) { nnc_buffer_text(out, "\nno parameter was fitted\n"); }
    lines.metrics = &left;
    (void)nnc_table_under(out, style, lines, "not fitted");
    write_errors(out, style, report);
    (void)nnc_table_under(out, style,
                          (nnc_lines){ &nnc_left_out_metrics, report, report->unused, report->unused_count },
                          "rows that are not used");
    if (report->asked_model != NULL) { write_next(out, style, report); }
    if (report->written != NULL) {
        nnc_buffer_text(out, "\nwritten to ");
        nnc_put_plain(out, report->written, nnc_text_width(report->written));
        nnc_buffer_byte(out, '\n');
    } else {
        nnc_buffer_print(out, "\nno %s is written: --output FILE.json writes one\n",
                         served ? "profile" : "device file");
    }
}

const nnc_view nnc_calibration_view = {
    .schema = "nncost.calibration/1", .document = &document, .lines = lines_of, .page = write_page
};

/* Tests whether a fit with the option --serve uses a row. The row must name the engine; if the option --device is
 * given, the row must also name this device. */
static bool is_of_engine(calibration *c, const nnc_measured *row) {
    const nnc_device *device = NULL, *asked = NULL;
    nnc_error why;
    if (row->software == NULL || strcmp(row->software, c->engine.id) != 0) {
        /* Rows that are no serving rows pass the test, so that the report can list these rows as not used. */
        return row->kind != NNC_MEASURED_SERVING;
    }
    return c->asked == NULL || strcmp(row->device, c->asked) == 0 ||
           (nnc_device_load(c->session->specs, row->device, &device, &why) == NNC_OK &&
            nnc_device_load(c->session->specs, c->asked, &asked, &why) == NNC_OK && strcmp(device->id, asked->id) == 0);
}

static bool is_ours(calibration *c, const nnc_measured *row) {
    const nnc_device *device = NULL;
    nnc_error why;
    if (c->fit->served) { return is_of_engine(c, row); }
    if (c->last_name != NULL && strcmp(c->last_name, row->device) == 0) { return c->last_is_ours; }
    bool ours = strcmp(row->device, c->asked) == 0 || strcmp(row->device, c->device->id) == 0;
    for (int32_t i = 0; i < c->device->alias_count && !ours; i++) {
        ours = strcmp(row->device, c->device->aliases[i]) == 0;
    }
    if (!ours && nnc_device_load(c->session->specs, row->device, &device, &why) == NNC_OK) {
        /* a copy of the device file, or a file that calibrate wrote, has another id but the same name as the device */
        ours = strcmp(device->id, c->device->id) == 0 || strcmp(device->name, c->device->name) == 0;
    }
    c->last_name = row->device;
    c->last_is_ours = ours;
    return ours;
}

static void count_unused(calibration *c, const nnc_measured *row, const char *reason) {
    nnc_left_out_add(c->unused, &c->unused_count, row, reason);
}

static nnc_status give_reason(calibration *c, const nnc_measured *row, const nnc_error *why, nnc_error *err) {
    const char *reason = NULL;
    NNC_TRY(nnc_left_out_reason(c->arena, why, &reason, err));
    count_unused(c, row, reason);
    return NNC_OK;
}

static void *copy(calibration *c, const void *bytes, size_t size) {
    void *place = nnc_arena_alloc(c->arena, size);
    if (place != NULL) { memcpy(place, bytes, size); }
    return place;
}

/* Returns `last` if the bytes at `last` are equal to the new bytes, otherwise a copy of the new bytes in the arena.
 * Successive equal rows therefore share one copy of their bytes. */
static const void *share(calibration *c, const void *last, const void *bytes, size_t size) {
    return last != NULL && memcmp(last, bytes, size) == 0 ? last : copy(c, bytes, size);
}

/* Tests whether --hold-out names the device, the model or the source of a row. */
static bool is_held_out(const calibration *c, const nnc_measured *row) {
    return c->held != NULL && (strcmp(c->held, row->device) == 0 || strcmp(c->held, c->scenario->device.id) == 0 ||
                               strcmp(c->held, row->model_name) == 0 || strcmp(c->held, c->scenario->model.id) == 0 ||
                               strcmp(c->held, row->source) == 0);
}

/* A row whose measured time differs from its prediction by more than this factor probably gives its time in another
 * unit. Units of time differ by a factor of 1,000. The largest difference in 2,935 published steps is a factor of 6.4
 * (nncost accuracy --rows). */
static const double other_unit = 300.0;

/* Adds a row to the fit if nncost can predict it; otherwise counts the row as left out, with the reason. */
static nnc_status add_row(calibration *c, const nnc_measured *row, int32_t file, nnc_error *err) {
    const nnc_scenario *s = c->scenario;
    nnc_fit *fit = c->fit;
    assert(fit->rows != NULL);
    const nnc_fit_row *last = fit->row_count > 0 ? &fit->rows[fit->row_count - 1] : NULL;
    nnc_scored scored;
    nnc_error why = { 0 };
    const nnc_status status =
        nnc_score_row(row, &s->model, &s->device, &s->software, &s->plan, fit->scratch, &scored, &why);
    if (status != NNC_OK) { return give_reason(c, row, &why, err); }
    if (!(scored.predicted_s > 0.0) || !isfinite(scored.predicted_s)) {
        count_unused(c, row, "has no prediction");
        return NNC_OK;
    }
    const double times = row->measured_s / scored.predicted_s;
    if (times > other_unit || times < 1.0 / other_unit) {
        count_unused(c, row,
                     times > 1.0 ? "the measured time is over 300 times the prediction; probably its unit is wrong"
                                 : "the measured time is below 1/300 of the prediction; probably its unit is wrong");
        return NNC_OK;
    }
    const bool held = is_held_out(c, row);
    c->held_count += held ? 1 : 0;
    const nnc_fit_row kept = {
        .row = row,
        .model = share(c, last != NULL ? last->model : NULL, &s->model, sizeof s->model),
        .device = share(c, last != NULL ? last->device : NULL, &s->device, sizeof s->device),
        .software = share(c, last != NULL ? last->software : NULL, &s->software, sizeof s->software),
        .plan = s->plan,
        .digest = nnc_row_digest(&c->choice, row),
        .file = file,
        .held = !nnc_row_in_fold(&c->choice, row) || held,
    };
    if (kept.model == NULL || kept.device == NULL || kept.software == NULL) { return nnc_no_memory(err); }
    fit->rows[fit->row_count++] = kept;
    return NNC_OK;
}

static nnc_status take_row(calibration *c, const nnc_measured *row, int32_t file, nnc_error *err) {
    const char *reason = row->reason;
    nnc_error why = { 0 };
    if (!nnc_row_passes(&c->choice, row)) { return NNC_OK; }
    if (!is_ours(c, row)) {
        c->other = c->other_devices++ == 0 && !c->fit->served ? row->device : c->other;
        return NNC_OK;
    }
    if (reason != NULL || !nnc_fit_takes(row, c->fit->served, &reason)) {
        count_unused(c, row, reason);
        return NNC_OK;
    }
    /* A row whose source does not state a deciding field is not used: a wrong assumption about the field would change
     * the fitted parameters. */
    if (row->undecided[0] != '\0') {
        nnc_fail(&why, NNC_BAD_SPEC, "no column or cell for", "%s", row->undecided);
        return give_reason(c, row, &why, err);
    }
    if (c->fit->served) {
        const char *id = NULL;
        if (nnc_row_load_device(c->session->specs, row, c->scenario, &id, &why) != NNC_OK) {
            return give_reason(c, row, &why, err);
        }
    } else {
        c->scenario->device = *c->device;
    }
    if (nnc_row_load(c->session->specs, &c->session->options, row, c->scenario, &why) != NNC_OK) {
        return give_reason(c, row, &why, err);
    }
    NNC_TRY(nnc_scenario_apply(c->session->specs, &c->change, c->scenario, err));
    return add_row(c, row, file, err);
}

static nnc_status read_rows(calibration *c, nnc_error *err) {
    size_t rows = 1;
    for (int32_t f = 0; f < c->file_count; f++) { rows += (size_t)c->files[f].count; }
    c->fit->rows = nnc_arena_array(c->arena, rows, sizeof *c->fit->rows);
    c->unused = nnc_arena_array(c->arena, rows, sizeof *c->unused);
    if (c->fit->rows == NULL || c->unused == NULL) { return nnc_no_memory(err); }
    for (int32_t f = 0; f < c->file_count; f++) {
        for (int32_t i = 0; i < c->files[f].count; i++) { NNC_TRY(take_row(c, &c->files[f].rows[i], f, err)); }
    }
    return c->held == NULL || c->held_count > 0 || c->fit->row_count == 0
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, "--hold-out", "no row has this device, model or source, found \"%s\"",
                          c->held);
}

static int32_t count_fitted(const nnc_fit *fit) {
    int32_t count = 0;
    for (int32_t i = 0; i < fit->row_count; i++) { count += !fit->rows[i].held; }
    return count;
}

static const char *subject_of(const calibration *c) { return c->fit->served ? c->engine.id : c->device->id; }

/* Returns a text by which a reader finds the rows of a fit again: "rows.csv, more.csv: 12 rows of h100, fold 1/2,
 * digest of the ids 0123456789abcdef". group: index of the fit group whose rows are named; -1 = rows of all fit
 * groups. */
static const char *data_text(calibration *c, int32_t group) {
    const nnc_fit *fit = c->fit;
    const nnc_options *options = &c->session->options;
    char text[1024] = "", digits[NNC_DIGEST_TEXT];
    uint64_t digest = NNC_DIGEST_START;
    int32_t rows = 0;
    for (int32_t f = 0; f < c->file_count; f++) {
        bool any = false;
        for (int32_t i = 0; i < fit->row_count; i++) {
            const nnc_fit_row *r = &fit->rows[i];
            if (r->file == f && !r->held && (group < 0 || r->group == group)) {
                digest = nnc_digest_text(digest, r->row->id);
                rows++;
                any = true;
            }
        }
        const size_t used = strlen(text);
        if (any && used < sizeof text / 2) {
            snprintf(text + used, sizeof text - used, "%s%.200s", used > 0 ? ", " : "",
                     nnc_measured_file_name(c->files[f].path));
        }
    }
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, ": %d row%s of %s%s%.32s%s%.64s%s%.64s, digest of the ids %s", (int)rows,
             rows == 1 ? "" : "s", subject_of(c), options->fold != NULL ? ", fold " : "",
             options->fold != NULL ? options->fold : "", options->group != NULL ? " by " : "",
             options->group != NULL ? options->group : "", options->hold_out != NULL ? ", without " : "",
             options->hold_out != NULL ? options->hold_out : "", nnc_digest_print(digest, digits));
    return nnc_arena_strdup(c->arena, text);
}

static nnc_basis basis_of(const nnc_fit *fit) {
    for (int32_t i = 0; i < fit->parameter_count; i++) {
        const nnc_fit_parameter *f = &fit->parameters[i];
        for (int32_t g = 0; g < fit->group_count && f->reason == NULL; g++) {
            if ((f->group < 0 || f->group == g) && fit->groups[g].rows > 0 &&
                fit->groups[g].kind == NNC_MEASURED_STEP) {
                return NNC_BASIS_STEPS;
            }
        }
    }
    return NNC_BASIS_KERNELS;
}

static nnc_status write_file(calibration *c, const char *path, nnc_error *err) {
    const nnc_fit *fit = c->fit;
    char stem[sizeof c->start.id];
    nnc_fitted_value *values = nnc_arena_array(c->arena, (size_t)fit->parameter_count + 1, sizeof *values);
    nnc_device_change change = { .id = stem, .basis = basis_of(fit), .values = values, .engine = fit->served };
    const char *text = NULL;
    size_t size = 0;
    if (values == NULL) { return nnc_no_memory(err); }
    nnc_spec_stem(path, false, stem, sizeof stem);
    for (int32_t i = 0; i < fit->parameter_count; i++) {
        const nnc_fit_parameter *f = &fit->parameters[i];
        if (f->reason == NULL && !isnan(f->value)) {
            values[change.count++] = (nnc_fitted_value){ f->name, f->value, data_text(c, f->group) };
            if (values[change.count - 1].fitted_on == NULL) { return nnc_no_memory(err); }
        }
    }
    nnc_status status = nnc_device_rewrite(c->session->specs, fit->served ? c->engine.path : c->device->path, &change,
                                           &text, &size, err);
    return status == NNC_OK ? nnc_output_write(path, text, size, err) : status;
}

/* ---- --explain MODEL: which measurement to make next ----
 *
 * Finds the measurement that would make the range of the estimated step time of MODEL narrowest.
 *
 * Each device parameter has a range of values. A fitted parameter has the range that the fitted rows allow. The range
 * of a parameter that was not fitted goes from value x (10th percentile / median) to value x (90th percentile /
 * median); median and percentiles are taken over the shipped devices. Only the range of host.kernel_s is computed in
 * another way, because the files of shipped devices do not state it: for s = spread.idle of the software profile, the
 * range goes from value x exp(-s) to value x exp(s). For each parameter, the step time is estimated at both ends of the
 * parameter's range, while all other parameters keep the values that they have after the fit. The parameter to measure
 * next is the one whose range has the largest difference between the step times at its two ends. */

/* Kinds of measured rows to which a parameter can be fitted, by the beginning of the parameter's name. */
static const struct {
    const char *begin, *measure;
} measures[] = {
    { "efficiency.gemm.", "matrix products of this number format" },
    { "efficiency.attention.", "this attention kernel alone, forward and backward" },
    { "efficiency.conv.", "convolutions" },
    { "efficiency.pointwise.", "norms, softmax and activations" },
    { "efficiency.maps.", "norms of feature maps" },
    { "efficiency.stream.", "copies, sums and ReLU" },
    { "efficiency.optimizer.", "updates of the optimizer" },
    { "efficiency.collectives.scale_out", "collectives between nodes" },
    { "efficiency.collectives.", "collectives within a node" },
    { "host.", "a step with a small batch, which waits for the host" },
};

/* Parameters that --explain varies even if they were not fitted. */
static const char *const others[] = {
    "efficiency.gemm.bf16.sustained_fraction",
    "efficiency.gemm.fp8.sustained_fraction",
    "efficiency.gemm.tf32.sustained_fraction",
    "efficiency.gemm.fp32.sustained_fraction",
    "efficiency.attention.flash1.sustained_fraction",
    "efficiency.attention.flash2.sustained_fraction",
    "efficiency.attention.flash3.sustained_fraction",
    "efficiency.attention.cudnn.sustained_fraction",
    "efficiency.conv.sustained_fraction",
    "efficiency.conv.memory_fraction",
    "efficiency.pointwise.memory_fraction",
    "efficiency.maps.memory_fraction",
    "efficiency.stream.memory_fraction",
    "efficiency.optimizer.memory_fraction",
    "efficiency.collectives.all_reduce.bus_fraction",
    "efficiency.collectives.all_gather.bus_fraction",
    "efficiency.collectives.reduce_scatter.bus_fraction",
    "efficiency.collectives.all_to_all.bus_fraction",
    "efficiency.collectives.scale_out_fraction",
    "host.kernel_s",
};
enum { OTHERS = sizeof others / sizeof others[0], DEVICES_MOST = 512 };

static const char *measure_of(const char *name) {
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++) {
        if (nnc_begins(name, measures[i].begin)) { return measures[i].measure; }
    }
    return NULL;
}

/* Finds the 10th and 90th percentile of a parameter over the shipped devices with fitted efficiencies, both divided by
 * the median. Returns false if fewer than five devices have the parameter, or if all have the same value. */
static bool spread_of(nnc_specs *specs, const char *name, double ratio[2]) {
    const char *const *ids = NULL;
    double values[DEVICES_MOST];
    int32_t count = 0, found = 0;
    if (nnc_specs_list(specs, NNC_SPEC_DEVICE, &ids, &count, NULL) != NNC_OK) { return false; }
    for (int32_t i = 0; i < count && found < DEVICES_MOST; i++) {
        const nnc_device *device = NULL;
        nnc_parameter_place place = { 0 };
        if (nnc_device_load(specs, ids[i], &device, NULL) != NNC_OK) { continue; }
        nnc_device copy = *device;
        if (copy.efficiency.fitted && nnc_parameter_find(&copy, name, &place, NULL) == NNC_OK && *place.value > 0.0) {
            values[found++] = *place.value;
        }
    }
    if (found < 5) { return false; }
    nnc_sort_numbers(values, (size_t)found);
    ratio[0] = values[found / 10] / values[found / 2];
    ratio[1] = values[found - 1 - found / 10] / values[found / 2];
    return ratio[1] > ratio[0];
}

/* Finds the range of a parameter that was not fitted: the lowest and highest value, both divided by the value of the
 * parameter. Returns false if the range of the parameter is not known. */
static bool range_of(nnc_specs *specs, const nnc_software *software, const char *name, double ratio[2]) {
    if (strcmp(name, "host.kernel_s") != 0) { return spread_of(specs, name, ratio); }
    ratio[0] = exp(-software->spread.idle);
    ratio[1] = exp(software->spread.idle);
    return ratio[1] > ratio[0];
}

typedef struct question {
    nnc_specs *specs;
    const nnc_fit *fit;
    const nnc_device *start;
    next_parameter *list;
    int32_t count;
} question;

static const nnc_fit_parameter *fitted_of(const nnc_fit *fit, const char *name) {
    for (int32_t i = 0; i < fit->parameter_count; i++) {
        if (fit->parameters[i].reason == NULL && strcmp(fit->parameters[i].name, name) == 0) {
            return &fit->parameters[i];
        }
    }
    return NULL;
}

/* Returns the seconds of a step if the device parameter `name` has the value `value` and all other parameters are
 * unchanged; NaN = there is no estimate. */
static double step_with(nnc_scenario *s, nnc_scratch *scratch, const char *name, double value) {
    const nnc_device kept = s->device;
    nnc_parameter_place place = { 0 };
    double step_s = (double)NAN;
    if (nnc_parameter_find(&s->device, name, &place, NULL) == NNC_OK) {
        *place.value = value;
        nnc_result result;
        if (nnc_report_estimate(&s->report, &s->plan, scratch, &result, NULL) == NNC_OK) { step_s = result.step_s; }
    }
    s->device = kept;
    return step_s;
}

static void try_parameter(question *q, nnc_scenario *s, nnc_scratch *scratch, const char *name) {
    const nnc_fit_parameter *known = fitted_of(q->fit, name);
    nnc_parameter_place place = { 0 };
    double ratio[2];
    for (int32_t i = 0; i < q->count; i++) {
        if (strcmp(q->list[i].name, name) == 0) { return; }
    }
    if (measure_of(name) == NULL || q->count == NEXT_MAX ||
        nnc_parameter_find(&s->device, name, &place, NULL) != NNC_OK || !(*place.value > 0.0)) {
        return;
    }
    next_parameter next = { .measure = measure_of(name), .rows = known != NULL ? known->rows : 0 };
    snprintf(next.name, sizeof next.name, "%s", name);
    if (known != NULL) {
        next.low = known->low;
        next.high = known->high;
    } else if (range_of(q->specs, &s->software, name, ratio)) {
        const double high = *place.value * ratio[1];
        next.low = nnc_rounded(*place.value * ratio[0], 4);
        next.high = nnc_rounded(strstr(name, "fraction") != NULL ? fmin(high, 1.0) : high, 4);
    } else {
        return;
    }
    next.low_step_s = step_with(s, scratch, name, next.low);
    next.high_step_s = step_with(s, scratch, name, next.high);
    next.share = fabs(log(next.low_step_s / next.high_step_s));
    if (next.share > 1e-4) { q->list[q->count++] = next; }
}

static int widest_first(const void *a, const void *b) {
    const next_parameter *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

static nnc_status ask(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                      nnc_error *err) {
    question *q = context;
    (void)session, (void)err;
    scenario->device = *q->start;
    for (int32_t i = 0; i < q->fit->parameter_count; i++) {
        const nnc_fit_parameter *p = &q->fit->parameters[i];
        if (p->reason == NULL && !isnan(p->value)) {
            *(double *)(void *)((char *)&scenario->device + p->offset) = p->value;
        }
    }
    for (int32_t i = 0; i < q->fit->parameter_count; i++) {
        try_parameter(q, scenario, scratch, q->fit->parameters[i].name);
    }
    for (int i = 0; i < OTHERS; i++) { try_parameter(q, scenario, scratch, others[i]); }
    if (q->count > 0) { qsort(q->list, (size_t)q->count, sizeof *q->list, widest_first); }
    return NNC_OK;
}

/* Lists the parameters on which the step time of `model` (an id or a path) depends, the one with the largest effect
 * first. The list must have space for NEXT_MAX entries. The plan comes from the options of the session. */
static nnc_status next_measurements(nnc_session *session, const nnc_fit *fit, const nnc_device *start,
                                    const char *device, const char *model, next_parameter *list, int32_t *count,
                                    nnc_error *err) {
    question q = { .specs = session->specs, .fit = fit, .start = start, .list = list };
    const nnc_status status = nnc_scenario_report(session, model, device, ask, &q, err);
    if (status != NNC_OK && strcmp(err->where, "MODEL") == 0) { snprintf(err->where, sizeof err->where, "--explain"); }
    *count = q.count;
    return status;
}

/* Writes the report of calibrate to the output of the session. written: path of the device file that calibrate has
 * written, NULL = none. */
static nnc_status write_report(calibration *c, const char *written, nnc_error *err) {
    const nnc_fit *fit = c->fit;
    const char *data = data_text(c, -1);
    const int32_t rows = count_fitted(fit);
    const char *model = c->session->options.explain;
    next_parameter *next = nnc_arena_array(c->arena, NEXT_MAX, sizeof *next);
    int32_t next_count = 0;
    if (data == NULL || next == NULL) { return nnc_no_memory(err); }
    if (model != NULL) {
        NNC_TRY(next_measurements(c->session, fit, &c->start, c->asked, model, next, &next_count, err));
    }
    const nnc_calibration_report found = {
        .device = fit->served ? NULL : c->device->id,
        .software = fit->served ? c->engine.id : NULL,
        .data = data,
        .overrides = c->scenario->overrides[0] != '\0' ? c->scenario->overrides : NULL,
        .written = written,
        .rows = rows,
        .held = fit->row_count - rows,
        .other_devices = c->other_devices,
        .parameters = fit->parameters,
        .parameter_count = fit->parameter_count,
        .groups = fit->groups,
        .group_count = fit->group_count,
        .loo_before = fit->steps_before,
        .loo = fit->steps_left,
        .unused = c->unused,
        .unused_count = c->unused_count,
        .asked_model = model,
        .next = next,
        .next_count = next_count,
    };
    nnc_view_write(c->session->out, c->session->style, &nnc_calibration_view, &found);
    return NNC_OK;
}

static nnc_status need_rows(const calibration *c, nnc_error *err) {
    if (count_fitted(c->fit) > 0) { return NNC_OK; }
    int32_t unused = 0;
    for (int32_t i = 0; i < c->unused_count; i++) { unused += c->unused[i].rows; }
    return nnc_fail(err, NNC_BAD_SPEC, c->session->options.operands[0],
                    "no row to fit on, expected rows of %s, found %d of other %s%s%.64s%s, %d held out "
                    "and %d that cannot be used%s%s%s",
                    subject_of(c), (int)c->other_devices, c->fit->served ? "engines or devices" : "devices",
                    c->other != NULL ? " (the first: " : "", c->other != NULL ? c->other : "",
                    c->other != NULL ? ")" : "", (int)c->fit->row_count, (int)unused, unused > 0 ? " (the first: " : "",
                    unused > 0 ? c->unused[0].reason : "", unused > 0 ? ")" : "");
}

static nnc_status find_parameter(calibration *c, const char *name, nnc_parameter_place *place, nnc_error *err) {
    return c->fit->served ? nnc_engine_parameter_find(&c->engine, name, place, err)
                          : nnc_parameter_find(&c->start, name, place, err);
}

static nnc_status place_parameter(calibration *c, nnc_fit_parameter *parameter, nnc_error *err) {
    nnc_parameter_place place = { 0 };
    NNC_TRY(find_parameter(c, parameter->name, &place, err));
    parameter->offset = (size_t)((char *)place.value - (c->fit->served ? (char *)&c->engine : (char *)&c->start));
    /* A negative small_group_loss is the default over PCIe, where small groups of ranks are faster. A device file
     * cannot have a negative value, so the fit starts with 0. */
    parameter->before = *place.value < 0.0 ? 0.0 : *place.value;
    return NNC_OK;
}

static nnc_status add_asked(calibration *c, const char *name, nnc_error *err) {
    nnc_parameter_place place = { 0 };
    const nnc_status status = find_parameter(c, name, &place, err);
    if (status != NNC_OK) {
        char where[sizeof err->where];
        snprintf(where, sizeof where, "--fit %.256s", name);
        memcpy(err->where, where, sizeof where);
        return status;
    }
    for (int32_t i = 0; i < c->fit->parameter_count; i++) {
        if (strcmp(c->fit->parameters[i].name, place.name) == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, "--fit", "names %s twice", place.name);
        }
    }
    if (!nnc_fit_add(c->fit, place.name)) { return nnc_fail(err, NNC_BAD_USAGE, "--fit", "names too many parameters"); }
    return NNC_OK;
}

static nnc_status choose_parameters(calibration *c, nnc_error *err) {
    const char *asked = c->session->options.fit;
    nnc_fit_group_rows(c->fit);
    if (asked == NULL) { nnc_fit_choose(c->fit); }
    while (asked != NULL && *asked != '\0') {
        char name[NNC_FIT_NAME];
        const size_t length = strcspn(asked, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), asked);
        NNC_TRY(add_asked(c, name, err));
        asked += length + (asked[length] == ',');
    }
    for (int32_t i = 0; i < c->fit->parameter_count; i++) { NNC_TRY(place_parameter(c, &c->fit->parameters[i], err)); }
    return NNC_OK;
}

/* Loads the device with the start values of the fit, and applies the options of the command line to the device. */
static nnc_status load_device(calibration *c, nnc_error *err) {
    static const nnc_measured nothing = { .device = "", .framework = "", .version = "" };
    NNC_TRY(nnc_option_device(c->session->specs, c->asked, &c->device, err));
    c->scenario->device = *c->device;
    nnc_measured row = nothing;
    row.plan = nnc_plan_default();
    row.internode_bytes_per_s = (double)NAN;
    NNC_TRY(nnc_row_load(c->session->specs, &c->session->options, &row, c->scenario, err));
    NNC_TRY(nnc_scenario_apply(c->session->specs, &c->change, c->scenario, err));
    c->start = c->scenario->device;
    return NNC_OK;
}

/* Without the option --device: uses the device that the rows name, if all rows name the same device. */
static nnc_status find_device(calibration *c, nnc_error *err) {
    for (int32_t f = 0; f < c->file_count; f++) {
        for (int32_t i = 0; i < c->files[f].count; i++) {
            const nnc_measured *row = &c->files[f].rows[i];
            if (!nnc_row_passes(&c->choice, row)) { continue; }
            if (c->asked != NULL && strcmp(c->asked, row->device) != 0) {
                return nnc_fail(err, NNC_BAD_USAGE, "--device",
                                "missing, expected the device whose parameters are fitted: the "
                                "rows are of %.64s, %.64s",
                                c->asked, row->device);
            }
            c->asked = row->device;
        }
    }
    return c->asked != NULL && *c->asked != '\0'
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, "--device", "missing, expected the device whose parameters are fitted");
}

/* Loads the serving profile with the start values of the fit. */
static nnc_status load_engine(calibration *c, nnc_error *err) {
    const char *asked = c->session->options.given.software;
    const nnc_device *device = NULL;
    if (c->asked != NULL) { /* checks that the device exists; without this check, the error for an unknown device is
                             * only that the fit has no rows */
        NNC_TRY(nnc_option_device(c->session->specs, c->asked, &device, err));
    }
    NNC_TRY(nnc_software_asked(c->session->specs, asked != NULL ? asked : NNC_SERVE_SOFTWARE, &c->engine, err));
    return c->engine.serving.fitted ? NNC_OK
                                    : nnc_fail(err, NNC_BAD_USAGE, "--software",
                                               "expected the profile of an engine, such as %s, found \"%s\"",
                                               NNC_SERVE_SOFTWARE, c->engine.id);
}

/* Checks options of calibrate that contradict each other, before any file is read. */
static nnc_status check_options(calibration *c, const char *output, nnc_error *err) {
    NNC_TRY(nnc_minimise_available(err));
    if (c->session->options.explain != NULL && c->fit->served) {
        return nnc_fail(err, NNC_BAD_USAGE, "--explain", "has no effect on rows of served requests");
    }
    if (output != NULL && !nnc_ends_in(output, ".json")) {
        return nnc_fail(err, NNC_BAD_USAGE, "--output", "expected a %s, which ends in .json, found \"%s\"",
                        c->fit->served ? "profile" : "device file", output);
    }
    if (output != NULL && strlen(nnc_measured_file_name(output)) - strlen(".json") >= sizeof c->start.id) {
        return nnc_fail(err, NNC_BAD_USAGE, "--output", "too long a name, expected at most %d characters before %s",
                        (int)sizeof c->start.id - 1, ".json");
    }
    NNC_TRY(nnc_row_choice_read(&c->session->options, &c->choice, err));
    if (c->fit->served && c->choice.together == 0) { nnc_row_choice_by_model(&c->choice); }
    return NNC_OK;
}

static nnc_status calibrate(calibration *c, nnc_error *err) {
    nnc_options *options = &c->session->options;
    const char *output = options->output;
    options->output = NULL; /* the device file is written to --output, the report to standard output */
    c->session->style = nnc_output_style(options);
    NNC_TRY(check_options(c, output, err));
    c->change = options->given;
    if (options->explain != NULL) {
        c->change.setting_count = 0; /* options of the plan describe the plan of --explain, not the rows */
    }
    NNC_TRY(nnc_rows_read(c->session, &c->choice, c->arena, &c->files, &c->file_count, err));
    if (c->asked == NULL && !c->fit->served) { NNC_TRY(find_device(c, err)); }
    NNC_TRY(c->fit->served ? load_engine(c, err) : load_device(c, err));
    NNC_TRY(read_rows(c, err));
    NNC_TRY(need_rows(c, err));
    NNC_TRY(choose_parameters(c, err));
    NNC_TRY(nnc_fit_run(c->fit, err));
    NNC_TRY(write_report(c, output, err));
    return output != NULL ? write_file(c, output, err) : NNC_OK;
}

static nnc_status run_either(nnc_session *session, bool served, nnc_error *err) {
    calibration c = { .session = session,
                      .asked = session->options.device,
                      .held = session->options.hold_out,
                      .arena = nnc_arena_create(),
                      .fit = calloc(1, sizeof(nnc_fit)),
                      .scenario = calloc(1, sizeof(nnc_scenario)) };
    nnc_status status = NNC_NO_MEMORY;
    if (c.fit != NULL) {
        c.fit->scratch = nnc_scratch_create();
        c.fit->served = served;
    }
    if (c.arena == NULL || c.scenario == NULL || c.fit == NULL || c.fit->scratch == NULL) {
        nnc_no_memory(err);
    } else {
        status = calibrate(&c, err);
    }
    if (c.fit != NULL) { nnc_scratch_destroy(c.fit->scratch); }
    free(c.fit);
    free(c.scenario);
    nnc_arena_destroy(c.arena);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err) { return run_either(session, false, err); }

static nnc_status run_served(nnc_session *session, nnc_error *err) { return run_either(session, true, err); }

const nnc_command nnc_cmd_serve_calibrate = {
    .name = "calibrate",
    .operands = "FILE.csv... --serve",
    .summary = "Fit an engine's parameters to measured requests: errors before and after, and the profile with the "
               "fitted values.",
    .notes =
        "The files have the format of files for 'accuracy', with rows of the engine that --software names. Rows of "
        "all devices are used, or only rows of --device. A cross-validation never divides the rows of one source and "
        "model, unless --group names other columns. With --fold or --hold-out, some rows are held out, and their "
        "errors are printed. --output writes the new profile and names the profile after the file; the report goes "
        "to standard output.",
    .min_operands = 1,
    .max_operands = 10000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_CALIBRATE | NNC_TAKES_SERVING,
    .run = NNC_NOT_ON_PAGE(run_served),
};

const nnc_command nnc_cmd_calibrate = {
    .name = "calibrate",
    .operands = "FILE...",
    .summary = "Fit a device's efficiency parameters to measured rows: errors before and after, and the device file "
               "with the fitted values.",
    .notes = "FILE is a file of measured rows as for 'accuracy', a file of nncost.measure, or a trace of PyTorch "
             "(each operator of the trace is a row). Without --device, nncost fits the device that all rows name. "
             "Only parameters that the rows can determine are fitted: one step determines one factor of the machine, "
             "and more rows determine more parameters. --fit names other parameters. With --fold, the rows outside "
             "the selected part are held out, and their errors are printed. --output writes the new device file and "
             "names the device after the file; the report goes to standard output. Options of the plan and --set "
             "replace the values of every row; the new device file does not contain the values of --set.",
    .min_operands = 1,
    .max_operands = 10000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_CALIBRATE,
    .run = NNC_NOT_ON_PAGE(run),
    .serving = &nnc_cmd_serve_calibrate,
};
