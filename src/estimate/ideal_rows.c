/* The ideal step op by op, and how it is explained. */
#include <string.h>

#include "base/number.h"
#include "estimate/bounds.h"
#include "estimate/engine.h"
#include "estimate/say.h"
#include "estimate/timeline.h"
#include "estimate/update.h"

void nnc_ideal_say(const nnc_ideal *ideal, nnc_derivation *why)
{
    NNC_LET(why, matrix_s, "s", ideal->engine_s[NNC_ENGINE_MATRIX]);
    NNC_LET(why, vector_s, "s", ideal->engine_s[NNC_ENGINE_VECTOR]);
    NNC_LET(why, memory_s, "s", ideal->engine_s[NNC_ENGINE_MEMORY]);
    NNC_PUT(why, ideal->network_s, "s");
    NNC_SAY(why, lower_bound_s, "s",
            nnc_max(nnc_max(matrix_s, vector_s), nnc_max(memory_s, ideal->network_s)));
    NNC_NOTE(why,
             "the busiest engine at its datasheet rate; norms and pointwise ops move nothing, the "
             "attention is fused unless the plan's own products take less");
    (void)lower_bound_s;
}

void nnc_ideal_say_row(const nnc_ideal *ideal, const nnc_device *device, const nnc_op_cost *row,
                       nnc_derivation *why)
{
    const nnc_engine_rates rates = nnc_engine_rates_of(device);
    const nnc_op *op = row->op;
    double times[NNC_ENGINES];
    NNC_LET(why, matmul_flops_per_s, "FLOP/s", nnc_device_matmul_peak(device, op->math_dtype));
    NNC_LET(why, vector_flops_per_s, "FLOP/s", device->vector_flops_per_s[NNC_FP32]);
    NNC_PUT(why, device->mem_bytes_per_s, "B/s");
    nnc_say_work(&row->work, why);
    if (row->work.flops > 0.0) {
        NNC_SAY(why, s_per_matrix_flop, NULL, 1.0 / matmul_flops_per_s);
        (void)s_per_matrix_flop;
    }
    if (rates.vector_s > 0.0) {
        NNC_SAY(why, s_per_vector_flop, NULL, 1.0 / vector_flops_per_s);
        (void)s_per_vector_flop;
    }
    NNC_SAY(why, s_per_byte, NULL, 1.0 / device->mem_bytes_per_s);
    (void)s_per_byte;
    for (int e = 0; e < NNC_ENGINES; e++) {
        times[e] = nnc_engine_time_s(&rates, (nnc_engine)e, op, &row->work, why);
    }
    const double matrix_s = times[NNC_ENGINE_MATRIX], vector_s = times[NNC_ENGINE_VECTOR];
    double memory_s = times[NNC_ENGINE_MEMORY];
    (void)memory_s; /* only said */
    if (nnc_op_row_of(op)->fuses) {
        NNC_SET(why, memory_s, "s", 0.0);
        NNC_NOTE(why, "ideal fusion hides what it moves in its neighbours");
    }
    NNC_PUT(why, matrix_s, "s");
    NNC_SAY(why, compute_s, "s", nnc_max(matrix_s, vector_s));
    (void)compute_s;
    nnc_say_formula(why, "time_s", "s",
                    ideal->engine == NNC_ENGINE_MATRIX   ? "matrix_s"
                    : ideal->engine == NNC_ENGINE_VECTOR ? "vector_s"
                                                         : "memory_s",
                    row->time_s);
    NNC_NOTE(why, "on the engine that is the busiest of the whole step");
}

/* Bubble and exposed communication are what is left of the engine's and the links' step. */
static void say_ideal_step(const nnc_step *step, const nnc_ideal *ideal, const nnc_rows *rows,
                           const nnc_result *r)
{
    nnc_derivation *const why = step->why;
    nnc_say_rows(rows, r, why);
    NNC_LET(why, engine_step_s, "s", ideal->engine_s[ideal->engine]);
    NNC_LET(why, links_s, "s", ideal->network_s);
    (void)engine_step_s, (void)links_s;
    nnc_say_formula(why, "bubble_s", "s",
                    step->plan->pipeline == 1 ? "0"
                                              : "max(0, engine_step_s - (forward_s + backward_s + "
                                                "recompute_s + update_s))",
                    r->bubble_s);
    nnc_say_formula(
        why, "exposed_comm_s", "s",
        "max(0, links_s - (forward_s + backward_s + recompute_s + update_s + bubble_s))",
        r->exposed_comm_s);
    nnc_say_note(why, "what the busiest link takes longer than the engine");
    nnc_say_formula(why, "host_s", "s", "0", 0.0);
}

/* Of the ideal step each resource may be busy all the time, so that without one the next decides. */
static void set_bounds(const nnc_ideal *ideal, nnc_result *r, nnc_derivation *why)
{
    NNC_LET(why, matrix_s, "s", ideal->engine_s[NNC_ENGINE_MATRIX]);
    NNC_LET(why, vector_s, "s", ideal->engine_s[NNC_ENGINE_VECTOR]);
    NNC_LET(why, memory_s, "s", ideal->engine_s[NNC_ENGINE_MEMORY]);
    NNC_PUT(why, ideal->network_s, "s");
    NNC_SET_AS(why, "bound_s.compute", r->bound_s[NNC_BOUND_COMPUTE], "s",
               nnc_max(matrix_s, vector_s));
    NNC_SET_AS(why, "bound_s.memory", r->bound_s[NNC_BOUND_MEMORY], "s", memory_s);
    NNC_SET_AS(why, "bound_s.network", r->bound_s[NNC_BOUND_NETWORK], "s", ideal->network_s);
    NNC_SET_AS(why, "bound_s.host", r->bound_s[NNC_BOUND_HOST], "s", 0.0);
    NNC_PUT(why, r->bubble_s, "s");
    NNC_SET_AS(why, "bound_s.bubble", r->bound_s[NNC_BOUND_BUBBLE], "s", r->bubble_s);
    nnc_step_rank(r);
    NNC_LET(why, compute_s, "s", r->bound_s[NNC_BOUND_COMPUTE]);
    if (r->bound == NNC_BOUND_COMPUTE) {
        NNC_SET(why, r->step_without_bound_s, "s", nnc_max(memory_s, ideal->network_s));
    } else if (r->bound == NNC_BOUND_MEMORY) {
        NNC_SET(why, r->step_without_bound_s, "s", nnc_max(compute_s, ideal->network_s));
    } else {
        NNC_SET(why, r->step_without_bound_s, "s", nnc_max(compute_s, memory_s));
    }
}

/* A collective's load on the links, and its share of what the busiest of them takes longer than the
 * engine. */
static double exposed_of(const nnc_step *step, const nnc_ideal *ideal, nnc_op_cost *row)
{
    nnc_derivation *const why = step->why;
    double load_s[NNC_FABRICS];
    int most = 0;
    nnc_fabric_load(step->network, &row->op->u.exchange, load_s);
    row->network_s = 0.0;
    for (int f = 0; f < NNC_FABRICS; f++) {
        row->network_s += load_s[f];
        most = load_s[f] > load_s[most] ? f : most;
    }
    row->link = nnc_fabric_name((nnc_fabric)most);
    NNC_PUT(why, ideal->exposed_comm_s, "s");
    NNC_LET(why, links_s, "s", ideal->network_s);
    NNC_LET(why, busiest_s, "s", load_s[ideal->fabric]);
    double time_s = 0.0;
    if (links_s > 0.0) {
        NNC_SET(why, time_s, "s", busiest_s * ideal->exposed_comm_s / links_s);
        NNC_NOTE(why, "its share of what the busiest link takes longer than the engine; busiest_s: "
                      "on that link");
    }
    return time_s;
}

void nnc_ideal_rows(const nnc_step *step, const nnc_ideal *ideal, nnc_rows *rows,
                    nnc_step_memory *m, nnc_result *r)
{
    const nnc_engine_rates rates = nnc_engine_rates_of(step->device);
    const nnc_overlap hidden = { .share = { 1.0, 1.0, 1.0, 1.0, 1.0, 1.0 } };
    nnc_unit none[NNC_SEGMENTS_MAX];
    memset(none, 0, sizeof none);
    nnc_ideal_stages(step, ideal, rows, m);
    nnc_step_restrict(step, &m->holdings[ideal->stage], rows);
    nnc_step quiet = *step;
    quiet.why = NULL; /* these times are replaced below */
    nnc_tail_append(&quiet, none, &m->holdings[ideal->stage], &hidden, rows);
    nnc_derivation *const why = step->why;
    double rows_s = 0.0, compute_total_s = 0.0, memory_total_s = 0.0, network_total_s = 0.0;
    for (int32_t i = 0; i < rows->count; i++) {
        nnc_op_cost *row = &rows->rows[i];
        const double matrix_s =
            nnc_engine_time_s(&rates, NNC_ENGINE_MATRIX, row->op, &row->work, NULL);
        const double vector_s =
            nnc_engine_time_s(&rates, NNC_ENGINE_VECTOR, row->op, &row->work, NULL);
        const double traffic_s = (row->work.read_bytes + row->work.write_bytes) * rates.memory_s;
        row->memory_s = nnc_engine_time_s(&rates, NNC_ENGINE_MEMORY, row->op, &row->work, NULL);
        row->compute_s = nnc_max(matrix_s, vector_s);
        row->bound = nnc_op_is_collective(row->op) ? NNC_BOUND_NETWORK
                     : row->compute_s >= traffic_s ? NNC_BOUND_COMPUTE
                                                   : NNC_BOUND_MEMORY;
        row->fixed_s = 0.0;
        row->time_s = nnc_engine_time_s(&rates, ideal->engine, row->op, &row->work, NULL);
        if (nnc_op_is_collective(row->op)) {
            nnc_say_of_row(why, i);
            row->time_s = exposed_of(step, ideal, row);
            nnc_say_of_step(why);
            r->communication_s[row->op->u.exchange.comm] += row->network_s * row->repeat;
            r->exposed_s[row->op->u.exchange.comm] += row->time_s * row->repeat;
        }
        r->read_bytes += row->work.read_bytes * row->repeat;
        r->write_bytes += row->work.write_bytes * row->repeat;
        rows_s += (row->compute_s + row->memory_s + row->network_s) * row->repeat;
        NNC_WHEN(why, compute_total_s += row->compute_s * row->repeat);
        NNC_WHEN(why, memory_total_s += row->memory_s * row->repeat);
        NNC_WHEN(why, network_total_s += row->network_s * row->repeat);
    }
    r->stage = ideal->stage;
    r->forward_s = ideal->forward_s;
    r->backward_s = ideal->backward_s;
    r->recompute_s = ideal->recompute_s;
    r->update_s = ideal->update_s;
    r->exposed_comm_s = ideal->exposed_comm_s;
    r->bubble_s = ideal->bubble_s;
    NNC_WHEN(why, say_ideal_step(step, ideal, rows, r));
    NNC_SAY(why, busy_s, "s",
            r->forward_s + r->backward_s + r->recompute_s + r->update_s + r->exposed_comm_s);
    NNC_SET(why, r->step_s, "s", busy_s + r->bubble_s);
    NNC_SET(why, r->bubble_ratio, NULL, r->bubble_s / (r->step_s - r->bubble_s));
    NNC_SET(why, r->bubble_share, NULL, r->bubble_s / r->step_s);
    NNC_PUT(why, compute_total_s, "s");
    NNC_PUT(why, memory_total_s, "s");
    NNC_PUT(why, network_total_s, "s");
    NNC_WHEN(why, nnc_say_formula(why, "rows_s", "s",
                                  "compute_total_s + memory_total_s + network_total_s", rows_s));
    NNC_SET(why, r->upper_bound_s, "s", nnc_max(rows_s + r->bubble_s, r->step_s));
    set_bounds(ideal, r, why);
}
