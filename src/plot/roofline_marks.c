#include "plot/roofline_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double rate_of(const nnc_op_cost *cost)
{
    return (cost->work.flops + cost->work.vector_flops) / cost->time_s;
}

static bool is_drawn(const nnc_op_cost *cost)
{
    const double rate = rate_of(cost), intensity = nnc_intensity(&cost->work);
    return cost->repeat > 0 && cost->time_s > 0 && isfinite(rate) && isfinite(intensity) &&
           rate > 0 && intensity > 0;
}

static double power_below(double value)
{
    return pow(10.0, floor(log10(value) + 1e-9));
}

/* Whole decades: of FLOP/B from 0.1 or the first op to eight times the ridge or the last; of FLOP/s at
 * most seven, down to the slowest op. */
void nnc_roofline_scale(nnc_roofline *r, nnc_box area)
{
    const nnc_report *both[] = { r->report, r->other };
    double least = 0.1, most = least, slowest = INFINITY, peak = 0.0, ridge = 0.0;
    for (int k = 0; k < 2 && both[k] != NULL; k++) {
        const double own = both[k]->result->peak_flops_per_s,
                     at = own / both[k]->device->mem_bytes_per_s;
        peak = nnc_max(peak, own);
        ridge = nnc_max(ridge, at);
        most = nnc_max(most, 8.0 * at);
        slowest = nnc_min(slowest, own / 1e3);
        for (int32_t i = 0; i < both[k]->op_count; i++) {
            const nnc_op_cost *cost = &both[k]->ops[i];
            if (is_drawn(cost)) {
                const double intensity = nnc_intensity(&cost->work);
                least = nnc_min(least, intensity);
                most = nnc_max(most, intensity);
                slowest = nnc_min(slowest, rate_of(cost));
            }
        }
    }
    least = nnc_max(least, 1e-4 * ridge);
    slowest = nnc_max(slowest, peak / 1e7);
    r->x = (nnc_scale){ power_below(least), 10.0 * power_below(most * 0.999), area.x,
                        area.x + area.w, true };
    r->y = (nnc_scale){ power_below(slowest), peak * 2.2, area.y + area.h, area.y, true };
}

/* What is nearer cannot be told apart; an op may be joined twice, first with its like, then with other small ones. */
static const nnc_px NEAR = NNC_PX(3) / 2;

/* Joins the same op in the same place. */
static void add_mark(nnc_roofline *r, const nnc_op_cost *cost, double share)
{
    const double intensity = nnc_intensity(&cost->work), flops_per_s = rate_of(cost);
    const nnc_px x = nnc_scale_at(&r->x, intensity), y = nnc_scale_at(&r->y, flops_per_s);
    for (int i = 0; i < r->count; i++) {
        nnc_roof_mark *m = &r->marks[i];
        if (abs(m->x - x) <= NEAR && abs(m->y - y) <= NEAR && m->cost->bound == cost->bound &&
            nnc_op_phase(m->cost->op) == nnc_op_phase(cost->op) &&
            strcmp(nnc_op_name(m->cost->op), nnc_op_name(cost->op)) == 0) {
            m->share += share;
            m->rows++;
            return;
        }
    }
    r->marks[r->count++] = (nnc_roof_mark){ cost, intensity, flops_per_s, share, 1, 0, x, y, 0 };
}

static int by_share(const void *a, const void *b)
{
    const nnc_roof_mark *x = a, *y = b;
    return x->share > y->share ? -1 : x->share < y->share ? 1 : x->cost < y->cost ? -1 : 1;
}

/* Marks of the smallest size that lie in one place become one, whatever their ops: a network of hundreds of
 * small ones is a cloud. */
static void join_small(nnc_roofline *r)
{
    const double small = 9.0 / (46.0 * 46.0); /* share from which a mark is larger */
    const bool page = r->canvas->how->marks > 0;
    const nnc_px near = page ? NNC_PX(6) : NEAR;
    int kept = 0;
    for (int i = 0; i < r->count; i++) {
        const nnc_roof_mark mark = r->marks[i];
        nnc_roof_mark *into = NULL;
        for (int k = 0; k < kept && mark.share < small && into == NULL; k++) {
            nnc_roof_mark *other = &r->marks[k];
            into = (other->share < small || other->others > 0) &&
                           other->cost->bound == mark.cost->bound &&
                           abs(other->x - mark.x) <= near && abs(other->y - mark.y) <= near
                       ? other
                       : NULL;
        }
        if (into != NULL) {
            into->share += mark.share;
            into->rows += mark.rows;
            into->others++;
        } else {
            r->marks[kept++] = mark;
        }
    }
    r->count = kept;
}

void nnc_roofline_gather(nnc_roofline *r, const nnc_report *report)
{
    r->count = 0;
    memset(r->bound_share, 0, sizeof r->bound_share);
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        const double share = cost->time_s * cost->repeat / report->result->step_s;
        if (!(cost->repeat > 0)) {
            continue;
        }
        if (is_drawn(cost) && rate_of(cost) >= r->y.from &&
            nnc_intensity(&cost->work) >= r->x.from && r->count < NNC_ROOF_MARKS_MAX) {
            add_mark(r, cost, share);
            r->bound_share[cost->bound] += share;
        }
    }
    r->not_drawn = 1.0;
    for (int bound = 0; bound < NNC_BOUND_COUNT; bound++) {
        r->not_drawn -= r->bound_share[bound];
    }
    qsort(r->marks, (size_t)r->count, sizeof *r->marks, by_share);
    join_small(r);
    qsort(r->marks, (size_t)r->count, sizeof *r->marks, by_share);
    for (int i = 0; i < r->count; i++) {
        const double radius = 46.0 * sqrt(r->marks[i].share);
        r->marks[i].radius = nnc_px_of(radius < 3.0 ? 3.0 : radius);
    }
}
