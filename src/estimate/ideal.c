/* The ideal step: which engine or link is the busiest, and for how long. */
#include <string.h>

#include "base/number.h"
#include "estimate/bounds.h"
#include "estimate/engine.h"
#include "estimate/update.h"

/* The engine's part of one device's step. */
static void engine_parts(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                         const nnc_holding *holding, const nnc_engine_rates *rates,
                         nnc_engine engine, nnc_ideal *ideal)
{
    const double passes = (double)nnc_step_passes(step->plan);
    const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    ideal->forward_s = ideal->backward_s = ideal->recompute_s = ideal->update_s = 0.0;
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        const double n = (double)holding->instances[s] * passes;
        const double again = full ? (double)holding->recomputed[s] * passes : n;
        ideal->forward_s += n * units[s].forward_s;
        ideal->backward_s += n * units[s].backward_s;
        ideal->recompute_s += again * units[s].recompute_s;
    }
    nnc_tail room;
    const nnc_tail *t = nnc_tail_of(step, holding, &room);
    for (int i = 0; i < t->update_count; i++) {
        ideal->update_s += nnc_engine_time_s(rates, engine, &t->updates[i], &t->works[i], NULL);
    }
}

static double parts_s(const nnc_ideal *i)
{
    return i->forward_s + i->backward_s + i->recompute_s + i->update_s + i->exposed_comm_s +
           i->bubble_s;
}

/* Seconds each fabric works in one pass over an instance of each segment: always, and where it is run
 * again. */
typedef struct link_loads {
    double once_s[NNC_SEGMENTS_MAX][NNC_FABRICS], again_s[NNC_SEGMENTS_MAX][NNC_FABRICS];
} link_loads;

static void load_links(const nnc_step *step, const nnc_rows *rows, link_loads *loads)
{
    const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    memset(loads, 0, sizeof *loads);
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        if (nnc_op_is_collective(row->op)) {
            const int32_t s = row->op->segment;
            double *const sums = full && nnc_part_of(row) == NNC_PART_RECOMPUTE ? loads->again_s[s]
                                                                                : loads->once_s[s];
            double load_s[NNC_FABRICS];
            nnc_fabric_load(step->network, &row->op->u.exchange, load_s);
            for (int f = 0; f < NNC_FABRICS; f++) {
                sums[f] += load_s[f] * row->repeat / (double)step->list->segments[s].instances;
            }
        }
    }
}

/* Seconds the busiest fabric of a device works over the step, hidden or not, and which it is. */
static double device_network_s(const nnc_step *step, const link_loads *loads,
                               const nnc_holding *holding, nnc_fabric *fabric)
{
    const double passes = (double)nnc_step_passes(step->plan);
    double sums[NNC_FABRICS] = { 0 };
    nnc_tail room;
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        for (int f = 0; f < NNC_FABRICS; f++) {
            sums[f] += passes * ((double)holding->instances[s] * loads->once_s[s][f] +
                                 (double)holding->recomputed[s] * loads->again_s[s][f]);
        }
    }
    const nnc_tail *t = nnc_tail_of(step, holding, &room);
    for (int i = 0; i < t->exchange_count; i++) {
        double load_s[NNC_FABRICS];
        nnc_fabric_load(step->network, &t->exchanges[i].u.exchange, load_s);
        for (int f = 0; f < NNC_FABRICS; f++) {
            sums[f] += load_s[f] * (double)t->exchanges[i].repeat;
        }
    }
    *fabric = NNC_FABRIC_SCALE_UP;
    for (int f = 0; f < NNC_FABRICS; f++) {
        *fabric = sums[f] > sums[*fabric] ? (nnc_fabric)f : *fabric;
    }
    return sums[*fabric];
}

/* The device whose links are busiest. */
static void find_busiest_links(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m,
                               nnc_ideal *ideal, int32_t *stage)
{
    link_loads loads;
    ideal->network_s = 0.0;
    ideal->fabric = NNC_FABRIC_SCALE_UP;
    if (step->network == NULL) {
        return;
    }
    load_links(step, rows, &loads);
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        const nnc_holding *h = &m->holdings[d];
        if (d == 0 || !nnc_holding_same(h, &h[-1])) {
            nnc_fabric fabric;
            const double one_s = device_network_s(step, &loads, h, &fabric);
            if (one_s > ideal->network_s) {
                *stage = d;
                ideal->network_s = one_s;
                ideal->fabric = fabric;
            }
        }
    }
}

/* Seconds a pipeline takes at the very most: every stage in turn, then the slowest for every other
 * micro-batch; and the longest any device works. */
static double longest_s(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                        const nnc_step_memory *m, double *busy_s)
{
    double all = 0.0, slowest = 0.0;
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        double one = 0.0;
        for (int32_t s = 0; s < step->list->segment_count; s++) {
            one += (double)m->holdings[d].instances[s] *
                   (units[s].forward_s + units[s].backward_s + units[s].recompute_s);
        }
        all += one;
        slowest = nnc_max(slowest, one);
    }
    *busy_s = (double)step->plan->micro_batches * slowest;
    return all + *busy_s;
}

/* The step of one engine for itself. false: too large to replay. */
static bool engine_step(const nnc_step *step, const nnc_bound_units *units,
                        const nnc_engine_rates *rates, nnc_engine engine, nnc_step_memory *m,
                        nnc_ideal *one)
{
    *one = (nnc_ideal){ .engine = engine };
    if (!nnc_step_run(step, units->engine[engine], 0.0, m)) {
        return false;
    }
    one->stage = nnc_step_busiest(m, step->plan->pipeline);
    engine_parts(step, units->engine[engine], &m->holdings[one->stage], rates, engine, one);
    if (step->plan->pipeline > 1) {
        one->bubble_s =
            nnc_max(0.0, m->run.total_s - one->forward_s - one->backward_s - one->recompute_s);
    }
    one->step_s = parts_s(one);
    return true;
}

/* The device with the busiest links decides: its parts, and what its engine waits. */
static void wait_for_links(const nnc_step *step, const nnc_bound_units *units,
                           const nnc_engine_rates *rates, int32_t stage, const nnc_step_memory *m,
                           nnc_ideal *ideal)
{
    const double engine_s = ideal->step_s;
    if (stage != ideal->stage) {
        ideal->stage = stage;
        engine_parts(step, units->engine[ideal->engine], &m->holdings[stage], rates, ideal->engine,
                     ideal);
        ideal->bubble_s = 0.0;
        ideal->bubble_s = nnc_max(0.0, engine_s - parts_s(ideal));
    }
    ideal->exposed_comm_s = nnc_max(0.0, ideal->network_s - parts_s(ideal));
    ideal->step_s = parts_s(ideal);
}

bool nnc_ideal_step(const nnc_step *step, const nnc_rows *rows, const nnc_bound_units *units,
                    nnc_step_memory *m, nnc_ideal *ideal)
{
    const nnc_engine_rates rates = nnc_engine_rates_of(step->device);
    double most_s[NNC_ENGINES], busy_s[NNC_ENGINES], engine_s[NNC_ENGINES];
    int first = 0;
    for (int e = 0; e < NNC_ENGINES; e++) {
        nnc_ideal update = { 0 };
        engine_parts(step, units->engine[e], &m->holdings[0], &rates, (nnc_engine)e, &update);
        most_s[e] = longest_s(step, units->engine[e], m, &busy_s[e]) + 2.0 * update.update_s;
        first = busy_s[e] > busy_s[first] ? e : first;
    }
    if (!engine_step(step, units, &rates, (nnc_engine)first, m, ideal)) {
        return false;
    }
    engine_s[first] = ideal->step_s;
    for (int e = 0; e < NNC_ENGINES; e++) {
        nnc_ideal one;
        if (e == first) {
            continue;
        }
        if (step->plan->pipeline > 1 && most_s[e] < ideal->step_s) {
            engine_s[e] = busy_s[e]; /* cannot be the busiest: no need to replay it */
            continue;
        }
        if (!engine_step(step, units, &rates, (nnc_engine)e, m, &one)) {
            return false;
        }
        engine_s[e] = one.step_s;
        if (one.step_s > ideal->step_s) {
            *ideal = one;
        }
    }
    memcpy(ideal->engine_s, engine_s, sizeof engine_s);
    int32_t stage = ideal->stage;
    find_busiest_links(step, rows, m, ideal, &stage);
    if (ideal->network_s > ideal->step_s) {
        wait_for_links(step, units, &rates, stage, m, ideal);
    }
    return true;
}
