#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/lab/accuracy_view.h"
#include "cli/lab/measured_rows.h"
#include "shape/family.h"

typedef struct accuracy {
    nnc_session *session;
    nnc_arena *arena;
    nnc_scratch *scratch;
    nnc_scenario *scenario;
    nnc_row_choice choice;
    nnc_measured_file *files;
    int32_t file_count;
    nnc_scored *rows;
    int32_t count;
} accuracy;

/* A summary adds up what has the device, the profile and the kind of model in common. */
static nnc_status set_what(accuracy *a, nnc_scored *scored, nnc_error *err)
{
    const nnc_scenario *s = a->scenario;
    const bool experts = nnc_model_sizes_of(&s->model).experts > 0;
    char text[160];
    snprintf(text, sizeof text, "%s, %s, %s", scored->device, s->software.id,
             experts ? "experts" : nnc_family_name(s->model.family));
    scored->what = nnc_arena_strdup(a->arena, text);
    return scored->what != NULL ? NNC_OK : nnc_no_memory(err);
}

/* Loads what a row names, lets the options change it, and predicts. */
static nnc_status score(accuracy *a, const nnc_measured *row, nnc_scored *scored, nnc_error *err)
{
    nnc_specs *specs = a->session->specs;
    nnc_scenario *s = a->scenario;
    nnc_error why = { 0 };
    nnc_status status = nnc_row_load_device(specs, row, s, &scored->device, &why);
    if (row->reason != NULL) {
        scored->reason = row->reason;
        return NNC_OK;
    }
    if (status == NNC_OK) {
        status = nnc_row_load(specs, &a->session->options, row, s, &why);
    }
    if (status != NNC_OK) {
        return nnc_left_out_reason(a->arena, &why, &scored->reason, err);
    }
    NNC_TRY(nnc_scenario_apply(specs, &a->session->options.given, s, err));
    const char *id = scored->device; /* of its file; the scenario is the next row's */
    status =
        nnc_score_row(row, &s->model, &s->device, &s->software, &s->plan, a->scratch, scored, &why);
    scored->device = id;
    if (status == NNC_OK && a->session->options.summary) {
        NNC_TRY(set_what(a, scored, err));
    }
    return status == NNC_OK ? NNC_OK : nnc_left_out_reason(a->arena, &why, &scored->reason, err);
}

static nnc_status read_files(accuracy *a, nnc_error *err)
{
    size_t rows = 0;
    NNC_TRY(nnc_rows_read(a->session, a->arena, &a->files, &a->file_count, err));
    for (int32_t f = 0; f < a->file_count; f++) {
        rows += (size_t)a->files[f].count;
    }
    a->rows = nnc_arena_array(a->arena, rows + 1, sizeof *a->rows);
    return a->rows != NULL ? NNC_OK : nnc_no_memory(err);
}

static nnc_status score_files(accuracy *a, nnc_error *err)
{
    for (int32_t f = 0; f < a->file_count; f++) {
        for (int32_t i = 0; i < a->files[f].count; i++) {
            const nnc_measured *row = &a->files[f].rows[i];
            if (!nnc_row_passes(&a->choice, row) || !nnc_row_in_fold(&a->choice, row)) {
                continue;
            }
            nnc_scored *scored = &a->rows[a->count++];
            *scored = nnc_scored_open(row);
            NNC_TRY(score(a, row, scored, err));
        }
    }
    return NNC_OK;
}

static nnc_status report(accuracy *a, nnc_error *err)
{
    nnc_accuracy_report found = {
        .files = a->files,
        .file_count = a->file_count,
        .rows = a->rows,
        .count = a->count,
        .overrides = a->scenario->overrides[0] != '\0' ? a->scenario->overrides : NULL,
        .summary = a->session->options.summary,
        .all_rows = a->session->options.rows,
    };
    nnc_left_out *left_out = nnc_arena_array(a->arena, (size_t)a->count + 1, sizeof *left_out);
    for (int32_t i = 0; left_out != NULL && i < a->count; i++) {
        if (a->rows[i].reason != NULL) {
            nnc_left_out_add(left_out, &found.left_out_count, a->rows[i].row, a->rows[i].reason);
        }
    }
    found.left_out = left_out;
    found.groups = nnc_score_groups(a->arena, a->rows, a->count, &found.group_count);
    if (found.groups == NULL || left_out == NULL) {
        return nnc_no_memory(err);
    }
    nnc_view_write(a->session->out, a->session->style, &nnc_accuracy_view, &found);
    return NNC_OK;
}

static nnc_status score_all(accuracy *a, nnc_error *err)
{
    NNC_TRY(nnc_row_choice_read(&a->session->options, &a->choice, err));
    if (a->choice.together != 0 && a->choice.parts == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--group", "needs --fold K/N");
    }
    const char *software = a->session->options.given.software;
    if (software != NULL) { /* else it is a reason to leave out every row */
        NNC_TRY(nnc_software_asked(a->session->specs, software, &a->scenario->software, err));
    }
    NNC_TRY(read_files(a, err));
    NNC_TRY(nnc_row_choice_check(&a->choice, a->files, a->file_count, err));
    NNC_TRY(score_files(a, err));
    return report(a, err);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    accuracy a = { .session = session,
                   .arena = nnc_arena_create(),
                   .scratch = nnc_scratch_create(),
                   .scenario = calloc(1, sizeof(nnc_scenario)) };
    nnc_status status = NNC_NO_MEMORY;
    if (a.arena == NULL || a.scratch == NULL || a.scenario == NULL) {
        nnc_no_memory(err);
    } else {
        status = score_all(&a, err);
    }
    free(a.scenario);
    nnc_scratch_destroy(a.scratch);
    nnc_arena_destroy(a.arena);
    return status;
}

const nnc_command nnc_cmd_accuracy = {
    .name = "accuracy",
    .operands = "FILE.csv...",
    .summary = "Predictions beside measurements: mean, median and largest errors per file, device "
               "and framework.",
    .notes =
        "Each file holds measured training steps, served requests, kernels or collectives, one "
        "per line; tests/published/README.md names the columns. A row that cannot be expressed is "
        "listed with the reason, one that leaves recompute or another deciding field open is "
        "scored apart from the rest. An error is predicted / measured - 1. Options of the "
        "plan and --set hold for every row, in place of what it says.",
    .min_operands = 1,
    .max_operands = 10000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCORE,
    .run = NNC_OFF_PAGE(run),
};
