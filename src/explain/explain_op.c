#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cost/fabric.h"
#include "cost/roofline.h"
#include "estimate/scratch.h"
#include "explain/explain.h"
#include "op/op_row.h"

/* Copies the lines of one derivation, under the name of the row. */
static void add_lines(nnc_answer *answer, const nnc_derivation *why, const char *heading,
                      const char *of)
{
    const nnc_line *lines = NULL;
    int count = 0;
    answer->failed = !nnc_derivation_lines(why, &lines, &count) || answer->failed;
    for (int i = 0; i < count; i++) {
        nnc_explained e = { .heading = i == 0 ? heading : NULL, .line = lines[i] };
        e.line.of = of;
        nnc_answer_add(answer, e);
    }
}

static void say_intensity(const nnc_device *device, const nnc_op_cost *cost, bool numbers,
                          nnc_derivation *why)
{
    const nnc_work *work = &cost->work;
    char verdict[160];
    if (!(work->read_bytes + work->write_bytes > 0.0)) {
        return;
    }
    nnc_say_work(work, why);
    NNC_SAY(why, intensity, "FLOP/B",
            (work->flops + work->vector_flops) / (work->read_bytes + work->write_bytes));
    (void)intensity;
    const char *bound = nnc_bound_name(cost->bound);
    if (!numbers) {
        snprintf(verdict, sizeof verdict, "FLOPs per byte moved");
    } else if (work->flops > 0.0) {
        snprintf(
            verdict, sizeof verdict,
            "FLOPs per byte moved: bound by %s; the ridge point of the device is at %.1f FLOP/B",
            bound, nnc_device_ridge(device, cost->op->math_dtype));
    } else {
        snprintf(verdict, sizeof verdict, "FLOPs per byte moved: bound by %s; no matrix product",
                 bound);
    }
    nnc_say_note(why, verdict);
}

/* Some units serve the network, or the step's average power would be above the limit. */
static void say_slowed(const nnc_op_cost *cost, const nnc_timing *alone, double lent_factor,
                       nnc_derivation *why)
{
    nnc_timing slowed = *alone, *t = &slowed;
    NNC_LET(why, fixed_s, "s", t->fixed_s);
    if (lent_factor > 1.0) {
        NNC_LET(why, all_units_compute_s, "s", t->compute_s);
        NNC_LET(why, all_units_s, "s", t->time_s);
        NNC_PUT(why, lent_factor, NULL);
        NNC_NOTE(why, "kernels of the expert exchange keep units: units / (units - network_units)");
        NNC_SAY(why, compute_s, "s", all_units_compute_s * lent_factor);
        NNC_SAY(why, time_s, "s", (all_units_s - fixed_s) * lent_factor + fixed_s);
        t->compute_s = compute_s;
        t->time_s = time_s;
    }
    if (!(cost->time_s > t->time_s)) {
        return;
    }
    NNC_LET(why, full_clock_compute_s, "s", t->compute_s);
    NNC_LET(why, full_clock_s, "s", t->time_s);
    NNC_LET(why, power_factor, NULL, (cost->time_s - t->fixed_s) / (t->time_s - t->fixed_s));
    NNC_NOTE(why, "the average power of the step would be above the limit of the device");
    NNC_SOURCE(why, "docs/formulas.md, power-limit");
    NNC_SAY(why, compute_s, "s", full_clock_compute_s * power_factor);
    NNC_SAY(why, time_s, "s", (full_clock_s - fixed_s) * power_factor + fixed_s);
    (void)compute_s;
    (void)time_s;
}

static void say_compute(const nnc_report *report, const nnc_op_cost *cost, bool numbers,
                        nnc_derivation *why)
{
    const nnc_op *op = cost->op;
    nnc_op_row_of(op)->say(op, why);
    if (op->phase == NNC_PHASE_FORWARD) {
        nnc_op_say_params(op, why);
    }
    say_intensity(report->device, cost, numbers, why);
    if (report->result->plan.mode == NNC_MODE_IDEAL) {
        nnc_ideal_say_row(&report->scratch->bound, report->device, cost, why);
    } else {
        const nnc_timing t = nnc_op_say_time(report->device, op, &cost->work, why);
        if (cost->time_s > t.time_s) {
            say_slowed(
                cost, &t,
                nnc_row_fills_units(cost)
                    ? nnc_rows_lent_factor(report->device, &report->result->plan, report->software)
                    : 1.0,
                why);
        }
    }
}

/* "8 ranks inside one domain, over scale_up, by ring". */
static void route_text(const nnc_network *network, const nnc_op_cost *cost, const char *by,
                       char *text, size_t size)
{
    const nnc_exchange *e = &cost->op->u.exchange;
    const nnc_route *route = &network->routes[nnc_network_route_of(e)];
    if (e->comm == NNC_COMM_OFFLOAD) {
        snprintf(text, size, "between the device and host memory, over the host link");
    } else if (route->outer == 1) {
        snprintf(text, size, "%d ranks inside one domain, over %s%s%s", (int)route->size,
                 route->link, by != NULL ? ", by " : "", by != NULL ? by : "");
    } else {
        snprintf(text, size, "%d ranks, %d in each of %d domains, slowed by %s%s%s",
                 (int)route->size, (int)route->inner, (int)route->outer, cost->link,
                 by != NULL ? ", by " : "", by != NULL ? by : "");
    }
}

/* How long the collective takes, then how much of that the step says stays exposed. */
static void say_network(const nnc_report *report, const nnc_op_cost *cost,
                        const nnc_derivation *step, char *route, size_t size, nnc_derivation *why)
{
    const bool ideal = report->result->plan.mode == NNC_MODE_IDEAL;
    const nnc_network *network = &report->scratch->network;
    const char *by = NULL;
    if (ideal) {
        nnc_fabric_say_load(network, &cost->op->u.exchange, why);
    } else {
        by = nnc_network_say_s(network, &cost->op->u.exchange, why);
    }
    const nnc_line *lines = NULL;
    char row[16];
    int count = 0;
    route_text(network, cost, by, route, size);
    snprintf(row, sizeof row, "#%d", (int)(cost - report->ops));
    (void)nnc_derivation_lines(step, &lines, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(lines[i].of, row) == 0) {
            nnc_say_copy(why, &lines[i]);
        }
    }
}

static void explain_row(nnc_answer *answer, const nnc_report *report, const nnc_derivation *step,
                        const nnc_op_cost *cost, nnc_derivation *why)
{
    char of[96], heading[384], route[192], shape[128];
    const nnc_op *op = cost->op;
    const double step_s = report->result->step_s;
    nnc_derivation_clear(why);
    snprintf(of, sizeof of, "%s %s", op->name, nnc_phase_name(op->phase));
    nnc_op_shape(op, shape, sizeof shape);
    if (nnc_op_is_collective(op)) {
        say_network(report, cost, step, route, sizeof route, why);
        snprintf(heading, sizeof heading, "%s, %s of %s ranks, %s, %.0f in one step", of,
                 nnc_op_kind_name(op), nnc_comm_name(op->u.exchange.comm), route, cost->repeat);
    } else {
        say_compute(report, cost, answer->report != NULL, why);
        snprintf(heading, sizeof heading, "%s, %s, %s, %.0f in one step", of, nnc_op_kind_name(op),
                 shape, cost->repeat);
    }
    if (answer->report == NULL) { /* without the numbers of the example */
        snprintf(heading, sizeof heading, "%s, %s", of, nnc_op_kind_name(op));
    }
    NNC_PUT(why, cost->time_s, "s");
    NNC_PUT(why, cost->repeat, NULL);
    NNC_PUT(why, step_s, "s");
    NNC_SAY(why, share, NULL, cost->time_s * cost->repeat / step_s);
    (void)share;
    add_lines(answer, why, nnc_arena_strdup(answer->arena, heading),
              nnc_arena_strdup(answer->arena, of));
}

static bool is_named(const nnc_op_cost *cost, const char *name)
{
    char path[NNC_METRIC_TEXT_MAX];
    return strcmp(cost->op->name, name) == 0 ||
           strcmp(nnc_op_path(cost->op, path, sizeof path), name) == 0;
}

/* The row of an op that takes longest in a phase, NULL if it has none. */
static const nnc_op_cost *longest_row(const nnc_report *report, const char *name, nnc_phase phase)
{
    const nnc_op_cost *longest = NULL;
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        if (cost->op->phase == phase && is_named(cost, name) &&
            (longest == NULL || cost->time_s * cost->repeat > longest->time_s * longest->repeat)) {
            longest = cost;
        }
    }
    return longest;
}

bool nnc_explain_op(nnc_answer *answer, const nnc_report *report, const nnc_derivation *step,
                    nnc_derivation *why, const char *name)
{
    enum { ROWS_SHOWN = 8 };
    int rows = 0;
    for (int32_t i = 0; i < report->op_count; i++) {
        rows += is_named(&report->ops[i], name) ? 1 : 0;
    }
    const bool all = answer->report != NULL && rows <= ROWS_SHOWN;
    for (int32_t i = 0; i < report->op_count && all; i++) {
        if (is_named(&report->ops[i], name)) {
            explain_row(answer, report, step, &report->ops[i], why);
        }
    }
    for (int phase = 0; phase < NNC_PHASE_COUNT && !all; phase++) {
        const nnc_op_cost *longest = longest_row(report, name, (nnc_phase)phase);
        if (longest != NULL) {
            explain_row(answer, report, step, longest, why);
        }
    }
    return rows > 0;
}
