/* The measured rows that figures are fitted to. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cli/lab/calibrate.h"

/* Of what is served: a row of the engine, on the device that is asked for if one is. */
static bool is_of_engine(nnc_calibrate *c, const nnc_measured *row)
{
    const nnc_device *device = NULL, *asked = NULL;
    nnc_error why;
    if (row->software == NULL || strcmp(row->software, c->engine.id) != 0) {
        return row->kind != NNC_MEASURED_SERVING; /* which is said of it */
    }
    return c->asked == NULL || strcmp(row->device, c->asked) == 0 ||
           (nnc_device_load(c->session->specs, row->device, &device, &why) == NNC_OK &&
            nnc_device_load(c->session->specs, c->asked, &asked, &why) == NNC_OK &&
            strcmp(device->id, asked->id) == 0);
}

static bool is_ours(nnc_calibrate *c, const nnc_measured *row)
{
    const nnc_device *device = NULL;
    nnc_error why;
    if (c->fit->served) {
        return is_of_engine(c, row);
    }
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

/* Is it of the device, the model or the source that --hold-out names? */
static bool is_held_out(const nnc_calibrate *c, const nnc_measured *row)
{
    return c->held != NULL &&
           (strcmp(c->held, row->device) == 0 || strcmp(c->held, c->scenario->device.id) == 0 ||
            strcmp(c->held, row->model_name) == 0 || strcmp(c->held, c->scenario->model.id) == 0 ||
            strcmp(c->held, row->source) == 0);
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
    const bool held = is_held_out(c, row);
    c->held_count += held ? 1 : 0;
    const nnc_fit_row kept = {
        .row = row,
        .model = share(c, last != NULL ? last->model : NULL, &s->model, sizeof s->model),
        .device = share(c, last != NULL ? last->device : NULL, &s->device, sizeof s->device),
        .software =
            share(c, last != NULL ? last->software : NULL, &s->software, sizeof s->software),
        .plan = s->plan,
        .digest = nnc_row_digest(&c->choice, row),
        .file = file,
        .held = !nnc_row_in_fold(&c->choice, row) || held,
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
    if (reason != NULL || !nnc_fit_takes(row, c->fit->served, &reason)) {
        count_unused(c, row, reason);
        return NNC_OK;
    }
    if (row->undecided[0] != '\0') { /* a guess at it would end up in the figures */
        nnc_fail(&why, NNC_BAD_SPEC, "leaves open", "%s", row->undecided);
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
    NNC_TRY(nnc_scenario_apply(c->session->specs, &c->session->options.given, c->scenario, err));
    return add_row(c, row, file, err);
}

nnc_status nnc_calibrate_read(nnc_calibrate *c, nnc_error *err)
{
    size_t rows = 1;
    NNC_TRY(nnc_rows_read(c->session, c->arena, &c->files, &c->file_count, err));
    for (int32_t f = 0; f < c->file_count; f++) {
        rows += (size_t)c->files[f].count;
    }
    NNC_TRY(nnc_row_choice_check(&c->choice, c->files, c->file_count, err));
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
    return c->held == NULL || c->held_count > 0 || c->fit->row_count == 0
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, "--hold-out",
                          "no row is of such a device, model or source, found \"%s\"", c->held);
}
