/* Cross-validation: rows predicted by figures that other rows say. And all errors, added up. */
#include <math.h>
#include <stdlib.h>

#include "lab/fit_moving.h"

enum { PARTS_MAX = 5 };

static int by_digest(const void *a, const void *b)
{
    const nnc_fit_hand *x = a, *y = b;
    const int digests = (x->digest > y->digest) - (x->digest < y->digest);
    return digests != 0 ? digests : (x->row > y->row) - (x->row < y->row);
}

/* Deals the rows of a group out to parts, in the order of their digests. Returns how many parts
 * there are: 0 when all rows stay together. */
static int32_t deal(const nnc_fit_moving *m, nnc_fit_hand *hands)
{
    int32_t count = 0, different = 0; /* rows, and digests among them */
    for (int32_t i = 0; i < m->fit->row_count; i++) {
        if (nnc_fit_uses(m, &m->fit->rows[i])) {
            hands[count++] = (nnc_fit_hand){ m->fit->rows[i].digest, i };
        }
    }
    qsort(hands, (size_t)count, sizeof *hands, by_digest);
    for (int32_t i = 0; i < count; i++) {
        if (i == 0 || hands[i].digest != hands[i - 1].digest) {
            different++;
        }
        m->fit->rows[hands[i].row].part = (different - 1) % PARTS_MAX;
    }
    if (different < 2) {
        return 0;
    }
    return different < PARTS_MAX ? different : PARTS_MAX;
}

/* Figures as they stand, to come back to. */
static void keep(const nnc_fit *fit, double *values)
{
    for (int32_t i = 0; i < fit->figure_count; i++) {
        values[i] = fit->figures[i].value;
    }
}

static void restore(nnc_fit *fit, const double *values)
{
    for (int32_t i = 0; i < fit->figure_count; i++) {
        fit->figures[i].value = values[i];
    }
}

/* Every part predicted by figures that the other parts say. Later groups have no say in the fit, as
 * they had none before, and all in the prediction. */
bool nnc_fit_cross(nnc_fit_moving *m, nnc_fit_hand *hands)
{
    nnc_fit *fit = m->fit;
    double last[NNC_FIT_FIGURES_MAX], own[NNC_MINIMISE_MAX];
    const int32_t parts = m->count > 0 ? deal(m, hands) : 0;
    bool ok = true;
    keep(fit, last);
    for (int32_t part = 0; part < parts && ok; part++) {
        for (int32_t i = 0; i < fit->figure_count; i++) {
            if (m->group >= 0 && fit->figures[i].group > m->group) {
                fit->figures[i].value = (double)NAN;
            }
        }
        m->left_out = part;
        ok = nnc_fit_move(m);
        m->left_out = -1;
        for (int i = 0; i < m->count; i++) {
            own[i] = m->figures[i]->value;
        }
        restore(fit, last);
        for (int i = 0; i < m->count; i++) {
            m->figures[i]->value = own[i];
        }
        for (int32_t i = 0; i < fit->row_count; i++) {
            nnc_fit_row *r = &fit->rows[i];
            if (nnc_fit_uses(m, r) && r->part == part) {
                r->crossed = nnc_fit_error(m, r);
            }
        }
        restore(fit, last);
    }
    for (int32_t g = 0; g < fit->group_count; g++) {
        if (m->group < 0 || m->group == g) {
            fit->groups[g].parts = fit->groups[g].rows > 0 ? parts : 0;
        }
    }
    return ok;
}

/* ---- errors ---- */

static void add_up(nnc_fit *fit, int32_t group, bool held, size_t offset, double *errors,
                   nnc_score_stats *stats)
{
    int32_t count = 0;
    *stats = (nnc_score_stats){ 0 };
    for (int32_t i = 0; i < fit->row_count; i++) {
        const nnc_fit_row *r = &fit->rows[i];
        const double error = *(const double *)(const void *)((const char *)r + offset);
        if (r->group == group && r->held == held && !isnan(error)) {
            errors[count++] = error;
        }
    }
    stats->rows = held ? fit->groups[group].held : fit->groups[group].rows;
    nnc_errors_sum(errors, count, stats);
}

void nnc_fit_sum_errors(nnc_fit *fit, double *errors)
{
    for (int32_t g = 0; g < fit->group_count; g++) {
        nnc_fit_group *group = &fit->groups[g];
        add_up(fit, g, false, offsetof(nnc_fit_row, before), errors, &group->before);
        add_up(fit, g, false, offsetof(nnc_fit_row, after), errors, &group->after);
        add_up(fit, g, false, offsetof(nnc_fit_row, crossed), errors, &group->crossed);
        add_up(fit, g, true, offsetof(nnc_fit_row, before), errors, &group->held_before);
        add_up(fit, g, true, offsetof(nnc_fit_row, after), errors, &group->held_after);
    }
}
