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
#include "record/serve_scenario.h"

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
                    "no row to fit on, expected rows of %s, found %d of other %s, %d held out "
                    "and %d that cannot be used%s%s%s",
                    nnc_calibrate_subject(c), (int)c->other_devices,
                    c->fit->served ? "engines or devices" : "devices", (int)c->fit->row_count,
                    (int)unused, unused > 0 ? " (the first: " : "",
                    unused > 0 ? c->unused[0].reason : "", unused > 0 ? ")" : "");
}

/* ---- figures ---- */

static nnc_status find_figure(nnc_calibrate *c, const char *name, nnc_figure_place *place,
                              nnc_error *err)
{
    return c->fit->served ? nnc_engine_find_place(&c->engine, name, place, err)
                          : nnc_figure_find_place(&c->start, name, place, err);
}

static nnc_status place_figure(nnc_calibrate *c, nnc_fit_figure *figure, nnc_error *err)
{
    nnc_figure_place place = { 0 };
    NNC_TRY(find_figure(c, figure->name, &place, err));
    figure->offset =
        (size_t)((char *)place.value - (c->fit->served ? (char *)&c->engine : (char *)&c->start));
    figure->before = *place.value;
    return NNC_OK;
}

static nnc_status add_asked(nnc_calibrate *c, const char *name, nnc_error *err)
{
    nnc_figure_place place = { 0 };
    const nnc_status status = find_figure(c, name, &place, err);
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
    NNC_TRY(nnc_option_device(c->session->specs, c->asked, &c->device, err));
    c->scenario->device = *c->device;
    nnc_measured row = nothing;
    row.plan = nnc_plan_default();
    row.internode_bytes_per_s = (double)NAN;
    NNC_TRY(nnc_row_load(c->session->specs, &c->session->options, &row, c->scenario, err));
    NNC_TRY(nnc_scenario_apply(c->session->specs, &c->session->options.given, c->scenario, err));
    c->start = c->scenario->device;
    return NNC_OK;
}

/* The engine that they start from. */
static nnc_status load_engine(nnc_calibrate *c, nnc_error *err)
{
    const char *asked = c->session->options.given.software;
    const nnc_device *device = NULL;
    if (c->asked != NULL) { /* else it has no rows, whatever the files hold */
        NNC_TRY(nnc_option_device(c->session->specs, c->asked, &device, err));
    }
    NNC_TRY(nnc_software_asked(c->session->specs, asked != NULL ? asked : NNC_SERVE_SOFTWARE,
                               &c->engine, err));
    return c->engine.serving.fitted
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, "--software",
                          "expected the profile of an engine, such as %s, found \"%s\"",
                          NNC_SERVE_SOFTWARE, c->engine.id);
}

/* What the command line must say, before any file is read. */
static nnc_status check_options(nnc_calibrate *c, const char *output, nnc_error *err)
{
    static const char ending[] = ".json";
    const size_t length = output != NULL ? strlen(output) : 0;
    NNC_TRY(nnc_minimise_available(err));
    if (c->asked == NULL && !c->fit->served) {
        return nnc_fail(err, NNC_BAD_USAGE, "--device",
                        "missing, expected the device whose figures are fitted");
    }
    if (output != NULL &&
        (length < sizeof ending || strcmp(output + length - strlen(ending), ending) != 0)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--output",
                        "expected a %s, which ends in .json, found \"%s\"",
                        c->fit->served ? "profile" : "device file", output);
    }
    if (output != NULL &&
        strlen(nnc_measured_file_name(output)) - strlen(ending) >= sizeof c->start.id) {
        return nnc_fail(err, NNC_BAD_USAGE, "--output",
                        "too long a name, expected at most %d characters before %s",
                        (int)sizeof c->start.id - 1, ending);
    }
    NNC_TRY(nnc_row_choice_read(&c->session->options, &c->choice, err));
    if (c->fit->served && c->choice.together == 0) {
        nnc_row_choice_by_model(&c->choice);
    }
    return NNC_OK;
}

static nnc_status calibrate(nnc_calibrate *c, nnc_error *err)
{
    nnc_options *options = &c->session->options;
    const char *output = options->output;
    options->output = NULL; /* takes the device file; the report goes to standard output */
    c->session->style = nnc_output_style(options);
    NNC_TRY(check_options(c, output, err));
    NNC_TRY(c->fit->served ? load_engine(c, err) : load_device(c, err));
    NNC_TRY(nnc_calibrate_read(c, err));
    NNC_TRY(need_rows(c, err));
    NNC_TRY(choose_figures(c, err));
    NNC_TRY(nnc_fit_run(c->fit, err));
    NNC_TRY(nnc_calibrate_report(c, output, err));
    return output != NULL ? nnc_calibrate_write(c, output, err) : NNC_OK;
}

static nnc_status run_either(nnc_session *session, bool served, nnc_error *err)
{
    nnc_calibrate c = { .session = session,
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
    if (c.fit != NULL) {
        nnc_scratch_destroy(c.fit->scratch);
    }
    free(c.fit);
    free(c.scenario);
    nnc_arena_destroy(c.arena);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    return run_either(session, false, err);
}

static nnc_status run_served(nnc_session *session, nnc_error *err)
{
    return run_either(session, true, err);
}

const nnc_command nnc_cmd_serve_calibrate = {
    .name = "calibrate",
    .operands = "FILE.csv... --serve",
    .summary = "An engine's figures fitted to measured requests, with the errors before and after, "
               "and the profile that has them.",
    .notes =
        "The files are those of 'accuracy', with rows of the engine that --software names, of all "
        "devices or of --device alone. Rows of one source and model stay together in a "
        "cross-validation unless --group says otherwise; with --fold or --hold-out the rest of the "
        "rows is held out and scored. --output takes the new profile, called after it; the report "
        "goes to standard output.",
    .min_operands = 1,
    .max_operands = 10000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_CALIBRATE | NNC_TAKES_SERVING,
    .run = NNC_OFF_PAGE(run_served),
};

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
    .serving = &nnc_cmd_serve_calibrate,
};
