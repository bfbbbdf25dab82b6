#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "cli/lab/calibrate.h"
#include "cli/output.h"
#include "input/kind.h"
#include "lab/device_text.h"

int32_t nnc_calibrate_rows(const nnc_fit *fit)
{
    int32_t count = 0;
    for (int32_t i = 0; i < fit->row_count; i++) {
        count += !fit->rows[i].held;
    }
    return count;
}

const char *nnc_calibrate_subject(const nnc_calibrate *c)
{
    return c->fit->served ? c->engine.id : c->device->id;
}

/* "rows.csv, more.csv: 12 rows, fold 1/2, digest 0123456789abcdef": what a reader needs to find
 * the rows again. group: -1 = all. */
static const char *data_text(nnc_calibrate *c, int32_t group)
{
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
    snprintf(text + used, sizeof text - used,
             ": %d row%s of %s%s%.32s%s%.64s%s%.64s, digest of the ids %s", (int)rows,
             rows == 1 ? "" : "s", nnc_calibrate_subject(c), options->fold != NULL ? ", fold " : "",
             options->fold != NULL ? options->fold : "", options->group != NULL ? " by " : "",
             options->group != NULL ? options->group : "",
             options->hold_out != NULL ? ", without " : "",
             options->hold_out != NULL ? options->hold_out : "", nnc_digest_print(digest, digits));
    return nnc_arena_strdup(c->arena, text);
}

static nnc_basis basis_of(const nnc_fit *fit)
{
    for (int32_t i = 0; i < fit->figure_count; i++) {
        const nnc_fit_figure *f = &fit->figures[i];
        for (int32_t g = 0; g < fit->group_count && f->reason == NULL; g++) {
            if ((f->group < 0 || f->group == g) && fit->groups[g].rows > 0 &&
                fit->groups[g].kind == NNC_MEASURED_STEP) {
                return NNC_BASIS_STEPS;
            }
        }
    }
    return NNC_BASIS_KERNELS;
}

nnc_status nnc_calibrate_write(nnc_calibrate *c, const char *path, nnc_error *err)
{
    const nnc_fit *fit = c->fit;
    char stem[sizeof c->start.id];
    nnc_fitted_value *values =
        nnc_arena_array(c->arena, (size_t)fit->figure_count + 1, sizeof *values);
    nnc_device_change change = {
        .id = stem, .basis = basis_of(fit), .values = values, .engine = fit->served
    };
    const char *text = NULL;
    size_t size = 0;
    if (values == NULL) {
        return nnc_no_memory(err);
    }
    nnc_spec_stem(path, false, stem, sizeof stem);
    for (int32_t i = 0; i < fit->figure_count; i++) {
        const nnc_fit_figure *f = &fit->figures[i];
        if (f->reason == NULL && !isnan(f->value)) {
            values[change.count++] =
                (nnc_fitted_value){ f->name, f->value, data_text(c, f->group) };
            if (values[change.count - 1].fitted_on == NULL) {
                return nnc_no_memory(err);
            }
        }
    }
    nnc_status status =
        nnc_device_with_figures(c->session->specs, fit->served ? c->engine.path : c->device->path,
                                &change, &text, &size, err);
    return status == NNC_OK ? nnc_output_write(path, text, size, err) : status;
}

nnc_status nnc_calibrate_report(nnc_calibrate *c, const char *written, nnc_error *err)
{
    const nnc_fit *fit = c->fit;
    nnc_calibration_figure *figures =
        nnc_arena_array(c->arena, (size_t)fit->figure_count + 1, sizeof *figures);
    nnc_calibration_group *groups =
        nnc_arena_array(c->arena, (size_t)fit->group_count + 1, sizeof *groups);
    const char *data = data_text(c, -1);
    const int32_t rows = nnc_calibrate_rows(fit);
    if (figures == NULL || groups == NULL || data == NULL) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < fit->figure_count; i++) {
        const nnc_fit_figure *f = &fit->figures[i];
        figures[i] = (nnc_calibration_figure){ .name = f->name,
                                               .before = f->before,
                                               .after = f->reason == NULL ? f->value : f->before,
                                               .rows = f->rows,
                                               .at_limit = f->at_limit,
                                               .reason = f->reason };
    }
    for (int32_t i = 0; i < fit->group_count; i++) {
        const nnc_fit_group *g = &fit->groups[i];
        groups[i] = (nnc_calibration_group){ .name = g->name,
                                             .rows = g->rows,
                                             .held = g->held,
                                             .parts = g->parts,
                                             .before = &g->before,
                                             .after = &g->after,
                                             .crossed = &g->crossed,
                                             .held_before = &g->held_before,
                                             .held_after = &g->held_after };
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
        .figures = figures,
        .figure_count = fit->figure_count,
        .groups = groups,
        .group_count = fit->group_count,
        .unused = c->unused,
        .unused_count = c->unused_count,
    };
    nnc_view_write(c->session->out, c->session->style, &nnc_calibration_view, &found);
    return NNC_OK;
}
