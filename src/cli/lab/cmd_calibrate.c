#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/lab/calibrate.h"
#include "cli/output.h"
#include "lab/device_text.h"
#include "lab/minimise.h"

/* ---- rows ---- */

static bool is_ours(nnc_calibrate *c, const nnc_measured *row)
{
    const nnc_device *device = NULL;
    nnc_error why;
    if (c->last_name != NULL && strcmp(c->last_name, row->device) == 0) {
        return c->last_is_ours;
    }
    bool ours = strcmp(row->device, c->asked) == 0 || strcmp(row->device, c->device->id) == 0;
    for (int32_t i = 0; i < c->device->alias_count && !ours; i++) {
        ours = strcmp(row->device, c->device->aliases[i]) == 0;
    }
    if (!ours && nnc_device_load(c->session->specs, row->device, &device, &why) == NNC_OK) {
        ours = strcmp(device->id, c->device->id) == 0;
    }
    c->last_name = row->device;
    c->last_is_ours = ours;
    return ours;
}

static void count_unused(nnc_calibrate *c, const nnc_measured *row, const char *reason)
{
    nnc_left_out_add(c->unused, &c->unused_count, row, reason);
}

static nnc_status give_reason(nnc_calibrate *c, const nnc_measured *row, const nnc_error *why,
                              nnc_error *err)
{
    const char *reason = NULL;
    NNC_TRY(nnc_left_out_reason(c->arena, why, &reason, err));
    count_unused(c, row, reason);
    return NNC_OK;
}

static void *copy(nnc_calibrate *c, const void *bytes, size_t size)
{
    void *place = nnc_arena_alloc(c->arena, size);
    if (place != NULL) {
        memcpy(place, bytes, size);
    }
    return place;
}

/* Rows alike in it share one. */
static const void *share(nnc_calibrate *c, const void *last, const void *bytes, size_t size)
{
    return last != NULL && memcmp(last, bytes, size) == 0 ? last : copy(c, bytes, size);
}

/* Keeps what predicts a row, once it has shown that it does. */
static nnc_status add_row(nnc_calibrate *c, const nnc_measured *row, int32_t file, nnc_error *err)
{
    const nnc_scenario *s = c->scenario;
    nnc_fit *fit = c->fit;
    assert(fit->rows != NULL);
    const nnc_fit_row *last = fit->row_count > 0 ? &fit->rows[fit->row_count - 1] : NULL;
    nnc_scored scored;
    nnc_error why = { 0 };
    const nnc_status status = nnc_score_row(row, &s->model, &s->device, &s->software, &s->plan,
                                            fit->scratch, &scored, &why);
    if (status != NNC_OK) {
        return give_reason(c, row, &why, err);
    }
    if (!(scored.predicted_s > 0.0) || !isfinite(scored.predicted_s)) {
        count_unused(c, row, "has no prediction");
        return NNC_OK;
    }
    const nnc_fit_row kept = {
        .row = row,
        .model = share(c, last != NULL ? last->model : NULL, &s->model, sizeof s->model),
        .device = share(c, last != NULL ? last->device : NULL, &s->device, sizeof s->device),
        .software =
            share(c, last != NULL ? last->software : NULL, &s->software, sizeof s->software),
        .plan = s->plan,
        .digest = nnc_row_digest(&c->choice, row),
        .file = file,
        .held = !nnc_row_in_fold(&c->choice, row),
    };
    if (kept.model == NULL || kept.device == NULL || kept.software == NULL) {
        return nnc_no_memory(err);
    }
    fit->rows[fit->row_count++] = kept;
    return NNC_OK;
}

static nnc_status take_row(nnc_calibrate *c, const nnc_measured *row, int32_t file, nnc_error *err)
{
    const char *reason = row->reason;
    nnc_error why = { 0 };
    if (!nnc_row_passes(&c->choice, row)) {
        return NNC_OK;
    }
    if (!is_ours(c, row)) {
        c->other_devices++;
        return NNC_OK;
    }
    if (reason != NULL || !nnc_fit_takes(row, &reason)) {
        count_unused(c, row, reason);
        return NNC_OK;
    }
    if (row->undecided[0] != '\0') { /* a guess at it would end up in the figures */
        nnc_fail(&why, NNC_BAD_SPEC, "leaves open", "%s", row->undecided);
        return give_reason(c, row, &why, err);
    }
    c->scenario->device = *c->device;
    if (nnc_row_load(c->session->specs, &c->session->options, row, c->scenario, &why) != NNC_OK) {
        return give_reason(c, row, &why, err);
    }
    NNC_TRY(nnc_scenario_apply(c->session->specs, &c->session->options.given, c->scenario, err));
    return add_row(c, row, file, err);
}

static nnc_status read_rows(nnc_calibrate *c, nnc_error *err)
{
    size_t rows = 1;
    NNC_TRY(nnc_rows_read(c->session, c->arena, &c->files, &c->file_count, err));
    for (int32_t f = 0; f < c->file_count; f++) {
        rows += (size_t)c->files[f].count;
    }
    c->fit->rows = nnc_arena_array(c->arena, rows, sizeof *c->fit->rows);
    c->unused = nnc_arena_array(c->arena, rows, sizeof *c->unused);
    if (c->fit->rows == NULL || c->unused == NULL) {
        return nnc_no_memory(err);
    }
    for (int32_t f = 0; f < c->file_count; f++) {
        for (int32_t i = 0; i < c->files[f].count; i++) {
            NNC_TRY(take_row(c, &c->files[f].rows[i], f, err));
        }
    }
    return NNC_OK;
}

static nnc_status need_rows(const nnc_calibrate *c, nnc_error *err)
{
    if (nnc_calibrate_rows(c->fit) > 0) {
        return NNC_OK;
    }
    int32_t unused = 0;
    for (int32_t i = 0; i < c->unused_count; i++) {
        unused += c->unused[i].rows;
    }
    return nnc_fail(err, NNC_BAD_SPEC, c->session->options.operands[0],
                    "no row to fit on, expected rows of %s, found %d of other devices, %d held out "
                    "and %d that cannot be used%s%s%s",
                    c->device->id, (int)c->other_devices, (int)c->fit->row_count, (int)unused,
                    unused > 0 ? " (the first: " : "", unused > 0 ? c->unused[0].reason : "",
                    unused > 0 ? ")" : "");
}

/* ---- figures ---- */

static nnc_status place_figure(nnc_calibrate *c, nnc_fit_figure *figure, nnc_error *err)
{
    nnc_figure_place place = { 0 };
    NNC_TRY(nnc_figure_find_place(&c->start, figure->name, &place, err));
    figure->offset = (size_t)((char *)place.value - (char *)&c->start);
    figure->before = *place.value;
    return NNC_OK;
}

static nnc_status add_asked(nnc_calibrate *c, const char *name, nnc_error *err)
{
    nnc_figure_place place = { 0 };
    const nnc_status status = nnc_figure_find_place(&c->start, name, &place, err);
    if (status != NNC_OK) {
        char where[sizeof err->where];
        snprintf(where, sizeof where, "--fit %.256s", name);
        memcpy(err->where, where, sizeof where);
        return status;
    }
    for (int32_t i = 0; i < c->fit->figure_count; i++) {
        if (strcmp(c->fit->figures[i].name, place.name) == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, "--fit", "names %s twice", place.name);
        }
    }
    if (!nnc_fit_add(c->fit, place.name)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--fit", "names too many figures");
    }
    return NNC_OK;
}

static nnc_status choose_figures(nnc_calibrate *c, nnc_error *err)
{
    const char *asked = c->session->options.fit;
    nnc_fit_group_rows(c->fit);
    if (asked == NULL) {
        nnc_fit_choose(c->fit);
    }
    while (asked != NULL && *asked != '\0') {
        char name[NNC_FIT_NAME];
        const size_t length = strcspn(asked, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 asked);
        NNC_TRY(add_asked(c, name, err));
        asked += length + (asked[length] == ',');
    }
    for (int32_t i = 0; i < c->fit->figure_count; i++) {
        NNC_TRY(place_figure(c, &c->fit->figures[i], err));
    }
    return NNC_OK;
}

/* The device that the figures start from. */
static nnc_status load_device(nnc_calibrate *c, nnc_error *err)
{
    static const nnc_measured nothing = { .device = "", .framework = "" };
    NNC_TRY(nnc_device_load(c->session->specs, c->asked, &c->device, err));
    c->scenario->device = *c->device;
    nnc_measured row = nothing;
    row.plan = nnc_plan_default();
    row.internode_bytes_per_s = (double)NAN;
    NNC_TRY(nnc_row_load(c->session->specs, &c->session->options, &row, c->scenario, err));
    NNC_TRY(nnc_scenario_apply(c->session->specs, &c->session->options.given, c->scenario, err));
    c->start = c->scenario->device;
    return NNC_OK;
}

/* What the command line must say, before any file is read. */
static nnc_status check_options(nnc_calibrate *c, const char *output, nnc_error *err)
{
    static const char ending[] = ".json";
    const size_t length = output != NULL ? strlen(output) : 0;
    if (!nnc_minimise_available()) {
        return nnc_fail(err, NNC_BAD_USAGE, "calibrate", "this program was built without NLopt");
    }
    if (c->asked == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--device",
                        "missing, expected the device whose figures are fitted");
    }
    if (output != NULL &&
        (length < sizeof ending || strcmp(output + length - strlen(ending), ending) != 0)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--output",
                        "expected a device file, which ends in .json, found \"%s\"", output);
    }
    if (output != NULL &&
        strlen(nnc_measured_file_name(output)) - strlen(ending) >= sizeof c->start.id) {
        return nnc_fail(err, NNC_BAD_USAGE, "--output",
                        "too long a name, expected at most %d characters before %s",
                        (int)sizeof c->start.id - 1, ending);
    }
    return nnc_row_choice_read(&c->session->options, &c->choice, err);
}

static nnc_status calibrate(nnc_calibrate *c, nnc_error *err)
{
    nnc_options *options = &c->session->options;
    const char *output = options->output;
    options->output = NULL; /* takes the device file; the report goes to standard output */
    c->session->style = nnc_output_style(options);
    NNC_TRY(check_options(c, output, err));
    NNC_TRY(load_device(c, err));
    NNC_TRY(read_rows(c, err));
    NNC_TRY(need_rows(c, err));
    NNC_TRY(choose_figures(c, err));
    NNC_TRY(nnc_fit_run(c->fit, err));
    NNC_TRY(nnc_calibrate_report(c, output, err));
    return output != NULL ? nnc_calibrate_write(c, output, err) : NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    nnc_calibrate c = { .session = session,
                        .asked = session->options.device,
                        .arena = nnc_arena_create(),
                        .fit = calloc(1, sizeof(nnc_fit)),
                        .scenario = calloc(1, sizeof(nnc_scenario)) };
    nnc_status status = NNC_NO_MEMORY;
    if (c.fit != NULL) {
        c.fit->scratch = nnc_scratch_create();
    }
    if (c.arena == NULL || c.scenario == NULL || c.fit == NULL || c.fit->scratch == NULL) {
        nnc_no_memory(err);
    } else {
        status = calibrate(&c, err);
    }
    if (c.fit != NULL) {
        nnc_scratch_destroy(c.fit->scratch);
    }
    free(c.fit);
    free(c.scenario);
    nnc_arena_destroy(c.arena);
    return status;
}

const nnc_command nnc_cmd_calibrate = {
    .name = "calibrate",
    .operands = "FILE.csv... --device DEVICE",
    .summary = "A device's efficiency figures fitted to measured rows, with the errors before and "
               "after, and the device file that has them.",
    .notes =
        "The files are those of 'accuracy'. Only figures that the rows can determine are "
        "fitted: one machine factor from one step, more from more; --fit names others. With "
        "--fold the rest of the rows is held out and scored. --output takes the new device "
        "file, called after it, the report goes to standard output. Options of the plan and "
        "--set hold for every row, in place of what it says; what --set changes is not written.",
    .min_operands = 1,
    .max_operands = 10000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_CALIBRATE,
    .run = NNC_OFF_PAGE(run),
};
