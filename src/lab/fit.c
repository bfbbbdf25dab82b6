#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/field.h"
#include "lab/fit_moving.h"

/* What it costs to be a step away from the start: little for a lone figure, which any row
 * determines. Of several, those that few rows say little about would go astray; rows scatter by some
 * per cent, and so many of them outweigh this. */
static const double pull_least = 1e-5, pull_of_rows = 0.01;

static const nnc_field *field_of(nnc_fit_moving *m, const char *name)
{
    const bool served = m->fit->served;
    void *object = served ? (void *)&m->software : (void *)&m->device;
    nnc_dtype dtype;
    return nnc_field_find(served ? &nnc_software_table : &nnc_device_table, name, &object, &dtype);
}

static double value_at(const nnc_fit_moving *m, int i, double x)
{
    const nnc_fit_range *r = m->ranges[i];
    return r->ratio ? m->start[i] * exp(x * r->step) : m->start[i] + x * r->step;
}

static double place_of(const nnc_fit_moving *m, int i, double value)
{
    const nnc_fit_range *r = m->ranges[i];
    return r->ratio ? log(value / m->start[i]) / r->step : (value - m->start[i]) / r->step;
}

static void put_engine(const nnc_fit *fit, nnc_software *software)
{
    for (int32_t i = 0; i < fit->figure_count; i++) {
        const nnc_fit_figure *figure = &fit->figures[i];
        if (figure->reason == NULL && !isnan(figure->value)) {
            *(double *)(void *)((char *)software + figure->offset) = figure->value;
        }
    }
}

static void put_figures(const nnc_fit *fit, nnc_device *device)
{
    for (int32_t i = 0; i < fit->figure_count; i++) {
        const nnc_fit_figure *figure = &fit->figures[i];
        if (figure->reason == NULL && !isnan(figure->value)) {
            *(double *)(void *)((char *)device + figure->offset) = figure->value;
            device->efficiency.fitted = true;
            device->efficiency.collectives.fitted |=
                strncmp(figure->name, "efficiency.collectives.", 23) == 0;
        }
    }
}

/* Seconds of a row on its device with the figures as they stand; NaN when it has no prediction. */
static double predict(nnc_fit_moving *m, const nnc_fit_row *r)
{
    nnc_scored scored;
    const nnc_device *device = r->device;
    const nnc_software *software = r->software;
    if (m->fit->served) {
        m->software = *software;
        put_engine(m->fit, &m->software);
        software = &m->software;
    } else {
        m->device = *device;
        put_figures(m->fit, &m->device);
        device = &m->device;
    }
    const nnc_status status =
        nnc_score_row(r->row, r->model, device, software, &r->plan, m->fit->scratch, &scored, NULL);
    return status == NNC_OK ? scored.predicted_s : (double)NAN;
}

bool nnc_fit_uses(const nnc_fit_moving *m, const nnc_fit_row *r)
{
    return !r->held && (m->group < 0 || r->group == m->group) &&
           (m->left_out < 0 || r->part != m->left_out);
}

/* Rows of a file, then files, then groups count alike. */
static void weigh_rows(const nnc_fit_moving *m)
{
    nnc_fit *fit = m->fit;
    int32_t groups = 0;
    for (int32_t g = 0; g < fit->group_count; g++) {
        int32_t files = 0;
        for (int32_t i = 0; i < fit->row_count; i++) {
            nnc_fit_row *r = &fit->rows[i];
            if (r->group != g || !nnc_fit_uses(m, r)) {
                continue;
            }
            int32_t same = 0;
            bool first = true;
            for (int32_t k = 0; k < fit->row_count; k++) {
                const nnc_fit_row *o = &fit->rows[k];
                if (o->group == g && o->file == r->file && nnc_fit_uses(m, o)) {
                    same++;
                    first = first && k >= i;
                }
            }
            files += first;
            r->weight = 1.0 / (double)same;
        }
        for (int32_t i = 0; i < fit->row_count && files > 0; i++) {
            fit->rows[i].weight /= fit->rows[i].group == g ? (double)files : 1.0;
        }
        groups += files > 0;
    }
    for (int32_t i = 0; i < fit->row_count && groups > 0; i++) {
        fit->rows[i].weight /= (double)groups;
    }
}

static void set_figures(nnc_fit_moving *m, const double *x)
{
    for (int i = 0; i < m->count; i++) {
        m->figures[i]->value = value_at(m, i, x[i]);
    }
}

static double misfit(nnc_fit_moving *m, const double *x)
{
    double sum = 0.0;
    set_figures(m, x);
    for (int32_t i = 0; i < m->fit->row_count; i++) {
        const nnc_fit_row *r = &m->fit->rows[i];
        if (nnc_fit_uses(m, r)) {
            sum += r->weight * fabs(log(predict(m, r) / r->row->measured_s));
        }
    }
    return sum;
}

static double objective(const double *x, void *context)
{
    nnc_fit_moving *m = context;
    double away = 0.0;
    for (int i = 0; i < m->count; i++) {
        away += log1p(x[i] * x[i]); /* far away it no longer grows by much */
    }
    return misfit(m, x) + m->pull * away;
}

/* Twice the bandwidth of the memory is where caches begin. */
static double usual_of(const nnc_fit_moving *m, int i)
{
    return isnan(m->ranges[i]->usual) ? 2.0 * m->fit->rows[0].device->mem_bytes_per_s
                                      : m->ranges[i]->usual;
}

/* A field's default changes nothing; without one it is not recorded. */
static bool is_neutral(double value, const nnc_field *field)
{
    double neutral = (double)NAN;
    return isnan(value) || (field->default_text != NULL &&
                            nnc_read_double(field->default_text, &neutral) && value == neutral);
}

/* Starts from the device's own figures, or where these are neutral and it fits better, from usual
 * ones. Limits make room for a start outside of them. */
static void begin(nnc_fit_moving *m)
{
    double own[NNC_MINIMISE_MAX] = { 0 }, usual[NNC_MINIMISE_MAX] = { 0 };
    bool complete = true, neutral = false;
    for (int i = 0; i < m->count; i++) {
        const double before = m->figures[i]->before;
        const bool none = is_neutral(before, m->fields[i]);
        complete = complete && !isnan(before);
        neutral = neutral || none;
        m->start[i] = none ? usual_of(m, i) : before;
    }
    for (int i = 0; i < m->count; i++) {
        const double before = m->figures[i]->before;
        const nnc_fit_range *r = m->ranges[i];
        const double low = r->low > 0 ? r->low : m->fields[i]->min;
        const double high = r->high > 0 ? r->high : m->fields[i]->max;
        m->low[i] = place_of(m, i, nnc_min(low, m->start[i]));
        m->high[i] = place_of(m, i, nnc_max(high, m->start[i]));
        m->step[i] = 1.0;
        own[i] = isnan(before) ? 0.0 : place_of(m, i, before);
    }
    if (neutral && complete && misfit(m, own) < misfit(m, usual)) {
        for (int i = 0; i < m->count; i++) {
            m->low[i] -= own[i];
            m->high[i] -= own[i];
            m->start[i] = m->figures[i]->before;
        }
    }
}

/* Leaves out the figures that change nothing whichever way they are moved. */
static void drop_idle(nnc_fit_moving *m)
{
    double x[NNC_MINIMISE_MAX] = { 0 };
    const double still = misfit(m, x);
    int kept = 0;
    bool idle[NNC_MINIMISE_MAX];
    for (int i = 0; i < m->count; i++) {
        x[i] = nnc_min(1.0, m->high[i]);
        const double up = misfit(m, x);
        x[i] = m->low[i] > -1.0 ? m->low[i] : -1.0;
        const double down = misfit(m, x);
        x[i] = 0.0;
        idle[i] = up == still && down == still;
    }
    for (int i = 0; i < m->count; i++) {
        if (idle[i]) {
            m->figures[i]->reason = "changes nothing about these rows";
            m->figures[i]->value = (double)NAN;
            continue;
        }
        m->figures[kept] = m->figures[i];
        m->ranges[kept] = m->ranges[i];
        m->fields[kept] = m->fields[i];
        m->start[kept] = m->start[i];
        m->low[kept] = m->low[i];
        m->high[kept] = m->high[i];
        m->step[kept++] = m->step[i];
    }
    m->count = kept;
}

/* What a device file says: six digits. */
static double six_digits(double value)
{
    char text[NNC_NUMBER_TEXT];
    double rounded = value;
    snprintf(text, sizeof text, "%.6g", value);
    return nnc_read_double(text, &rounded) ? rounded : value;
}

static void note_limits(nnc_fit_moving *m, const double *x)
{
    for (int i = 0; i < m->count; i++) {
        const double room = 1e-3;
        m->figures[i]->at_limit = x[i] - m->low[i] < room || m->high[i] - x[i] < room;
    }
}

static int32_t count_rows(const nnc_fit_moving *m)
{
    int32_t count = 0;
    for (int32_t i = 0; i < m->fit->row_count; i++) {
        count += nnc_fit_uses(m, &m->fit->rows[i]);
    }
    return count;
}

/* Moves the figures of a group to where its rows want them. false: out of memory. */
bool nnc_fit_move(nnc_fit_moving *m)
{
    double x[NNC_MINIMISE_MAX] = { 0 };
    weigh_rows(m);
    if (m->count == 0) {
        return true;
    }
    m->pull = pull_least + (m->count > 1 ? pull_of_rows / count_rows(m) : 0.0);
    const nnc_minimise_problem problem = { .count = m->count,
                                           .low = m->low,
                                           .high = m->high,
                                           .step = m->step,
                                           .value = objective,
                                           .context = m };
    if (isnan(nnc_minimise(&problem, x))) {
        return false;
    }
    set_figures(m, x);
    for (int i = 0; i < m->count; i++) {
        m->figures[i]->value = six_digits(m->figures[i]->value);
    }
    if (m->left_out < 0) {
        note_limits(m, x);
    }
    return true;
}

/* Fits the figures of a group. false: out of memory. */
static bool fit_group(nnc_fit_moving *m, nnc_fit *fit, int32_t group)
{
    *m = (nnc_fit_moving){ .fit = fit, .group = group, .left_out = -1 };
    for (int32_t i = 0; i < fit->figure_count; i++) {
        nnc_fit_figure *figure = &fit->figures[i];
        if (figure->group != group || figure->reason != NULL) {
            continue;
        }
        if (m->count == NNC_MINIMISE_MAX || nnc_fit_range_of(figure->name) == NULL ||
            field_of(m, figure->name) == NULL) {
            figure->reason = "is one figure too many";
            continue;
        }
        m->ranges[m->count] = nnc_fit_range_of(figure->name);
        m->fields[m->count] = field_of(m, figure->name);
        m->figures[m->count++] = figure;
    }
    weigh_rows(m);
    begin(m);
    drop_idle(m);
    if (!nnc_fit_move(m)) {
        return false;
    }
    for (int i = 0; i < m->count; i++) {
        m->figures[i]->rows = count_rows(m);
    }
    return true;
}

double nnc_fit_error(nnc_fit_moving *m, const nnc_fit_row *r)
{
    return predict(m, r) / r->row->measured_s - 1.0;
}

/* A figure of the caller's own for all rows makes one group of them. */
static bool is_joint(const nnc_fit *fit)
{
    return fit->figure_count > 0 && fit->figures[0].group < 0;
}

/* Each group's figures; the moving parts stay for the cross-validation. */
static bool fit_all(nnc_fit *fit, nnc_fit_moving *m, nnc_fit_hand *hands)
{
    const int32_t first = is_joint(fit) ? -1 : 0;
    const int32_t count = is_joint(fit) ? 1 : fit->group_count;
    bool ok = true;
    for (int32_t i = 0; i < count && ok; i++) {
        ok = fit_group(&m[i], fit, first + i);
    }
    for (int32_t i = 0; i < fit->row_count && ok; i++) {
        fit->rows[i].after = nnc_fit_error(&m[0], &fit->rows[i]);
    }
    for (int32_t i = 0; i < count && ok; i++) {
        ok = nnc_fit_cross(&m[i], hands);
    }
    return ok;
}

nnc_status nnc_fit_run(nnc_fit *fit, nnc_error *err)
{
    const size_t rows = (size_t)fit->row_count + 1;
    nnc_fit_moving *m = calloc((size_t)fit->group_count + 1, sizeof *m);
    nnc_fit_hand *hands = calloc(rows, sizeof *hands);
    double *errors = calloc(rows, sizeof *errors);
    bool ok = m != NULL && hands != NULL && errors != NULL;
    for (int32_t i = 0; i < fit->figure_count; i++) {
        fit->figures[i].value = (double)NAN;
    }
    if (ok) {
        m[0].fit = fit;
    }
    for (int32_t i = 0; i < fit->row_count && ok; i++) {
        nnc_fit_row *r = &fit->rows[i];
        r->crossed = r->after = (double)NAN;
        r->before = nnc_fit_error(&m[0], r);
    }
    ok = ok && fit_all(fit, m, hands);
    if (ok) {
        nnc_fit_sum_errors(fit, errors);
    }
    free(errors);
    free(hands);
    free(m);
    return ok ? NNC_OK : nnc_fail(err, NNC_NO_MEMORY, "calibrate", "out of memory");
}
