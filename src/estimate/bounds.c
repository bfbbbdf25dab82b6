/* The bounds of the step time. Lower bound (ideal mode): every engine (matrix units, vector units, memory) and every
 * fabric runs at its datasheet rate, and the bound is the time of the engine or fabric that is busy longest. Upper
 * bound: the predicted times without any overlap.
 *
 *     matrix  ##########        the step (with bubble) as if only this engine took time
 *     vector  ###
 *     memory  #######
 *     network ############      the longest bar is the lower bound; the part of the network's bar
 *                               that is longer than all engines' bars is exposed communication */
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"

/* Seconds that each engine takes for one FLOP (matrix_s for each format, vector_s) or one byte (memory_s). vector_s is
 * 0 if the device file has no rate of vector units. */
typedef struct engine_rates {
    double matrix_s[NNC_DTYPE_COUNT], vector_s, memory_s;
} engine_rates;

static engine_rates rates_of(const nnc_device *device) {
    const double vector_rate = device->vector_flops_per_s[NNC_FP32];
    engine_rates rates = { .vector_s = isnan(vector_rate) ? 0.0 : 1.0 / vector_rate,
                           .memory_s = 1.0 / device->mem_bytes_per_s };
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        rates.matrix_s[i] = 1.0 / nnc_device_matmul_peak(device, (nnc_dtype)i);
    }
    return rates;
}

NNC_SAYING double engine_time_s(const engine_rates *rates, nnc_engine engine, const nnc_op *op, const nnc_work *w,
                                nnc_derivation *why) {
    switch (engine) {
    case NNC_ENGINE_MATRIX: {
        if (!(w->flops > 0.0)) { return 0.0; }
        NNC_LET(why, s_per_matrix_flop, NULL, rates->matrix_s[op->math_dtype]);
        double matrix_s = 0.0;
        NNC_SET(why, matrix_s, "s", w->flops * s_per_matrix_flop);
        if (nnc_op_products_saved(op) > 1.0) {
            NNC_LET(why, saved, NULL, nnc_op_products_saved(op));
            NNC_SET(why, matrix_s, "s", w->flops / saved * s_per_matrix_flop);
            NNC_NOTE(why, "Winograd's algorithm needs fewer multiplications");
        }
        return matrix_s;
    }
    case NNC_ENGINE_VECTOR: {
        NNC_LET(why, s_per_vector_flop, NULL, rates->vector_s);
        NNC_SAY(why, vector_s, "s", w->vector_flops * s_per_vector_flop);
        return vector_s;
    }
    default: {
        if (nnc_op_row_of(op)->fuses) { return 0.0; }
        NNC_LET(why, s_per_byte, NULL, rates->memory_s);
        NNC_SAY(why, memory_s, "s", (w->read_bytes + w->write_bytes) * s_per_byte);
        return memory_s;
    }
    }
}

/* Seconds of one layer of a segment, as parts[row][column]. Rows 0 to NNC_PASS_PARTS - 1 are the parts of a pass
 * (forward, backward, ...). The row of backward includes weight gradients; the row WEIGHT_PART has the weight gradients
 * alone. Columns 0 to NNC_ENGINES - 1 are the engines; column NNC_ENGINES has the time without overlap: the sum over
 * compute, memory, network, fixed times and the host. */
enum { WEIGHT_PART = NNC_PASS_PARTS, SUMMED_PARTS };
typedef struct engine_sums {
    double parts[SUMMED_PARTS][NNC_ENGINES + 1];
} engine_sums;

/* Copies to *unit the seconds of one layer in forward, backward, recompute and weight gradients. engine: the engine
 * whose seconds are copied; NNC_ENGINES = the seconds without overlap are copied. */
static void set_unit(const engine_sums *sums, int engine, nnc_segment_time *unit) {
    unit->forward_s = sums->parts[NNC_PART_FORWARD][engine];
    unit->backward_s = sums->parts[NNC_PART_BACKWARD][engine];
    unit->recompute_s = sums->parts[NNC_PART_RECOMPUTE][engine];
    unit->weight_s = sums->parts[WEIGHT_PART][engine];
}

static void add_times(double sums[NNC_ENGINES + 1], double matrix_s, double vector_s, double memory_s,
                      double serial_s) {
    sums[NNC_ENGINE_MATRIX] += matrix_s;
    sums[NNC_ENGINE_VECTOR] += vector_s;
    sums[NNC_ENGINE_MEMORY] += memory_s;
    sums[NNC_ENGINES] += serial_s;
}

void nnc_bound_segment_times_sum(const nnc_step *step, const nnc_rows *rows, nnc_bound_segment_times *units) {
    const engine_rates rates = rates_of(step->device);
    engine_sums all[NNC_SEGMENTS_MAX];
    const int32_t segments = step->list->segment_count;
    memset(all, 0, sizeof all[0] * (size_t)segments);
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        const nnc_op *op = row->op;
        const double instances = (double)step->list->segments[op->segment].instances;
        const double repeat = instances > 1.0 ? row->repeat / instances : row->repeat;
        const double matrix_s = engine_time_s(&rates, NNC_ENGINE_MATRIX, op, &row->work, NULL) * repeat;
        const double vector_s = engine_time_s(&rates, NNC_ENGINE_VECTOR, op, &row->work, NULL) * repeat;
        const double memory_s = engine_time_s(&rates, NNC_ENGINE_MEMORY, op, &row->work, NULL) * repeat;
        const double serial_s =
            (row->compute_s + row->memory_s + row->fixed_s + row->network_s + nnc_launch_of_op_s(&step->launch, op)) *
            repeat;
        engine_sums *sums = &all[op->segment];
        add_times(sums->parts[nnc_part_of(row)], matrix_s, vector_s, memory_s, serial_s);
        if (op->phase == NNC_PHASE_GRAD_WEIGHT) {
            add_times(sums->parts[WEIGHT_PART], matrix_s, vector_s, memory_s, serial_s);
        }
    }
    for (int32_t s = 0; s < segments; s++) {
        for (int e = 0; e < NNC_ENGINES; e++) { set_unit(&all[s], e, &units->engine[e][s]); }
        set_unit(&all[s], NNC_ENGINES, &units->serial[s]);
    }
}

double nnc_upper_bound(const nnc_step *step, const nnc_bound_segment_times *units, double send_s, nnc_step_memory *m) {
    double longest = 0.0;
    if (!nnc_step_run(step, units->serial, send_s, m)) { return -1.0; }
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        double sum = 0.0;
        if (m->alike[d]) { continue; }
        const nnc_step_end *t = step->ends->of[d];
        for (int i = 0; i < t->exchange_count; i++) { sum += t->exchange_s[i] * (double)t->exchanges[i].repeat; }
        for (int i = 0; i < t->update_count; i++) {
            sum += t->times[i].compute_s + t->times[i].memory_s + t->times[i].fixed_s;
        }
        longest = nnc_max(longest, sum);
    }
    NNC_LET(step->why, serial_passes_s, "s", m->run.total_s);
    NNC_LET(step->why, serial_rest_s, "s", longest);
    NNC_SAY(step->why, upper_bound_s, "s", serial_passes_s + serial_rest_s);
    NNC_NOTE(step->why, "the schedule without overlap: compute, memory and network of each op run one after the other; "
                        "then the work that happens once per step");
    return upper_bound_s;
}

/* ---- the ideal step: the lower bound of the step time ---- */

/* Sets forward_s, backward_s, recompute_s and update_s of *ideal to the seconds that the engine `engine` works in these
 * parts of the step on one device. stage: index of this device in the pipeline. */
static void engine_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_step_memory *m,
                         int32_t stage, const engine_rates *rates, nnc_engine engine, nnc_ideal *ideal) {
    const nnc_stage_residency *holding = &m->holdings[stage];
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
    const nnc_step_end *t = step->ends->of[stage];
    for (int i = 0; i < t->update_count; i++) {
        ideal->update_s += engine_time_s(rates, engine, &t->updates[i], &t->works[i], NULL);
    }
}

static double parts_s(const nnc_ideal *i) {
    return i->forward_s + i->backward_s + i->recompute_s + i->update_s + i->exposed_comm_s + i->bubble_s;
}

/* Seconds for which the collectives of one layer of a segment occupy each fabric in one pass. once_s: collectives of
 * forward and backward; again_s: the additional collectives if backward computes the layer again (recomputation). */
typedef struct link_loads {
    double once_s[NNC_SEGMENTS_MAX][NNC_FABRICS], again_s[NNC_SEGMENTS_MAX][NNC_FABRICS];
} link_loads;

static void load_links(const nnc_step *step, const nnc_rows *rows, link_loads *loads) {
    const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    memset(loads, 0, sizeof *loads);
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        if (nnc_op_is_collective(row->op)) {
            const int32_t s = row->op->segment;
            double *const sums = full && nnc_part_of(row) == NNC_PART_RECOMPUTE ? loads->again_s[s] : loads->once_s[s];
            double load_s[NNC_FABRICS];
            nnc_fabric_load(step->network, &row->op->u.collective, load_s);
            for (int f = 0; f < NNC_FABRICS; f++) {
                sums[f] += load_s[f] * row->repeat / (double)step->list->segments[s].instances;
            }
        }
    }
}

/* Returns the seconds that the busiest fabric of a device works in a step, whether its communication overlaps or not.
 * Sets *fabric to this fabric. */
static double device_network_s(const nnc_step *step, const link_loads *loads, const nnc_stage_residency *holding,
                               const nnc_step_end *t, nnc_fabric *fabric) {
    const double passes = (double)nnc_step_passes(step->plan);
    double sums[NNC_FABRICS] = { 0 };
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        for (int f = 0; f < NNC_FABRICS; f++) {
            sums[f] += passes * ((double)holding->instances[s] * loads->once_s[s][f] +
                                 (double)holding->recomputed[s] * loads->again_s[s][f]);
        }
    }
    for (int i = 0; i < t->exchange_count; i++) {
        double load_s[NNC_FABRICS];
        nnc_fabric_load(step->network, &t->exchanges[i].u.collective, load_s);
        for (int f = 0; f < NNC_FABRICS; f++) { sums[f] += load_s[f] * (double)t->exchanges[i].repeat; }
    }
    *fabric = NNC_FABRIC_SCALE_UP;
    for (int f = 0; f < NNC_FABRICS; f++) { *fabric = sums[f] > sums[*fabric] ? (nnc_fabric)f : *fabric; }
    return sums[*fabric];
}

/* Finds the device whose busiest fabric works longest. Sets *stage to the index of this device, ideal->fabric to its
 * busiest fabric, and ideal->network_s to the seconds that this fabric works in a step. */
static void find_busiest_links(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_ideal *ideal,
                               int32_t *stage) {
    link_loads loads;
    ideal->network_s = 0.0;
    ideal->fabric = NNC_FABRIC_SCALE_UP;
    if (step->network == NULL) { return; }
    load_links(step, rows, &loads);
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        const nnc_stage_residency *h = &m->holdings[d];
        if (d == 0 || !nnc_stage_residency_same(h, &h[-1])) {
            nnc_fabric fabric;
            const double one_s = device_network_s(step, &loads, h, step->ends->of[d], &fabric);
            if (one_s > ideal->network_s) {
                *stage = d;
                ideal->network_s = one_s;
                ideal->fabric = fabric;
            }
        }
    }
}

/* Returns an upper bound, in seconds, of the time of all passes in the pipeline: one pass of each stage, plus one pass
 * of the slowest stage for each micro-batch. Sets *busy_s to the seconds of all passes of the slowest stage. */
static double longest_s(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_step_memory *m,
                        double *busy_s) {
    double all = 0.0, slowest = 0.0;
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        double one = 0.0;
        for (int32_t s = 0; s < step->list->segment_count; s++) {
            one +=
                (double)m->holdings[d].instances[s] * (units[s].forward_s + units[s].backward_s + units[s].recompute_s);
        }
        all += one;
        slowest = nnc_max(slowest, one);
    }
    *busy_s = (double)step->plan->micro_batches * slowest;
    return all + *busy_s;
}

/* Computes the ideal step as if only `engine` took time, and writes it to *one. Returns false if the pipeline is too
 * large to replay. */
static bool engine_step(const nnc_step *step, const nnc_bound_segment_times *units, const engine_rates *rates,
                        nnc_engine engine, nnc_step_memory *m, nnc_ideal *one) {
    *one = (nnc_ideal){ .engine = engine };
    if (!nnc_step_run(step, units->engine[engine], 0.0, m)) { return false; }
    one->stage = nnc_step_busiest(m, step->plan->pipeline);
    engine_parts(step, units->engine[engine], m, one->stage, rates, engine, one);
    if (step->plan->pipeline > 1) {
        one->bubble_s = nnc_max(0.0, m->run.total_s - one->forward_s - one->backward_s - one->recompute_s);
    }
    one->step_s = parts_s(one);
    return true;
}

/* Called if the links of a device are busy for longer than every engine. Changes *ideal so that it describes the device
 * `stage`, whose links are busiest. The new values in *ideal are the seconds of the parts of the step on ideal->engine,
 * the bubble of the device, and its exposed communication: busy seconds of the links minus the seconds of the step on
 * this engine. */
static void wait_for_links(const nnc_step *step, const nnc_bound_segment_times *units, const engine_rates *rates,
                           int32_t stage, const nnc_step_memory *m, nnc_ideal *ideal) {
    const double engine_s = ideal->step_s;
    if (stage != ideal->stage) {
        ideal->stage = stage;
        engine_parts(step, units->engine[ideal->engine], m, stage, rates, ideal->engine, ideal);
        ideal->bubble_s = 0.0;
        ideal->bubble_s = nnc_max(0.0, engine_s - parts_s(ideal));
    }
    ideal->exposed_comm_s = nnc_max(0.0, ideal->network_s - parts_s(ideal));
    ideal->step_s = parts_s(ideal);
}

bool nnc_ideal_step(const nnc_step *step, const nnc_rows *rows, const nnc_bound_segment_times *units,
                    nnc_step_memory *m, nnc_ideal *ideal) {
    const engine_rates rates = rates_of(step->device);
    double most_s[NNC_ENGINES], busy_s[NNC_ENGINES], engine_s[NNC_ENGINES];
    int first = 0;
    for (int e = 0; e < NNC_ENGINES; e++) {
        nnc_ideal update;
        engine_parts(step, units->engine[e], m, 0, &rates, (nnc_engine)e, &update);
        most_s[e] = longest_s(step, units->engine[e], m, &busy_s[e]) + 2.0 * update.update_s;
        first = busy_s[e] > busy_s[first] ? e : first;
    }
    if (!engine_step(step, units, &rates, (nnc_engine)first, m, ideal)) { return false; }
    engine_s[first] = ideal->step_s;
    for (int e = 0; e < NNC_ENGINES; e++) {
        nnc_ideal one;
        if (e == first) { continue; }
        if (step->plan->pipeline > 1 && most_s[e] < ideal->step_s) {
            /* the engine e cannot be the busiest engine, so its step is not replayed; only its seconds of work are
             * computed */
            engine_s[e] = busy_s[e];
            continue;
        }
        if (!engine_step(step, units, &rates, (nnc_engine)e, m, &one)) { return false; }
        engine_s[e] = one.step_s;
        if (one.step_s > ideal->step_s) { *ideal = one; }
    }
    memcpy(ideal->engine_s, engine_s, sizeof engine_s);
    int32_t stage = ideal->stage;
    find_busiest_links(step, rows, m, ideal, &stage);
    if (ideal->network_s > ideal->step_s) { wait_for_links(step, units, &rates, stage, m, ideal); }
    return true;
}

/* ---- op table and derivation lines of the ideal step ---- */

void nnc_ideal_say(const nnc_ideal *ideal, nnc_derivation *why) {
    NNC_LET(why, matrix_s, "s", ideal->engine_s[NNC_ENGINE_MATRIX]);
    NNC_LET(why, vector_s, "s", ideal->engine_s[NNC_ENGINE_VECTOR]);
    NNC_LET(why, memory_s, "s", ideal->engine_s[NNC_ENGINE_MEMORY]);
    NNC_PUT(why, ideal->network_s, "s");
    NNC_SAY(why, lower_bound_s, "s", nnc_max(nnc_max(matrix_s, vector_s), nnc_max(memory_s, ideal->network_s)));
    NNC_NOTE(why, "time of the busiest engine at its datasheet rate; norms and pointwise ops are fused at no cost; "
                  "attention is fused unless separate products take less");
    (void)lower_bound_s;
}

void nnc_ideal_say_row(const nnc_ideal *ideal, const nnc_device *device, const nnc_op_cost *row, nnc_derivation *why) {
    const engine_rates rates = rates_of(device);
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
    for (int e = 0; e < NNC_ENGINES; e++) { times[e] = engine_time_s(&rates, (nnc_engine)e, op, &row->work, why); }
    const double matrix_s = times[NNC_ENGINE_MATRIX], vector_s = times[NNC_ENGINE_VECTOR];
    double memory_s = times[NNC_ENGINE_MEMORY];
    (void)memory_s; /* avoids a warning: memory_s is used only if the function records a derivation */
    if (nnc_op_row_of(op)->fuses) {
        NNC_SET(why, memory_s, "s", 0.0);
        NNC_NOTE(why, "ideal fusion: the neighbouring ops already move its tensors");
    }
    NNC_PUT(why, matrix_s, "s");
    NNC_SAY(why, compute_s, "s", nnc_max(matrix_s, vector_s));
    (void)compute_s;
    nnc_say_formula(why, "time_s", "s",
                    ideal->engine == NNC_ENGINE_MATRIX   ? "matrix_s"
                    : ideal->engine == NNC_ENGINE_VECTOR ? "vector_s"
                                                         : "memory_s",
                    row->time_s);
    NNC_NOTE(why, "time of this op on the busiest engine of the step");
}

/* Records the formulas of two parts of the ideal step. Bubble: seconds of the step on the busiest engine minus seconds
 * of forward, backward, recompute and update. Exposed communication: seconds by which the busiest fabric works longer
 * than the busiest engine. */
static void say_ideal_step(const nnc_step *step, const nnc_ideal *ideal, const nnc_rows *rows, const nnc_result *r) {
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
    nnc_say_formula(why, "exposed_comm_s", "s",
                    "max(0, links_s - (forward_s + backward_s + recompute_s + update_s + bubble_s))",
                    r->exposed_comm_s);
    nnc_say_note(why, "time of the busiest link minus time of the busiest engine");
    nnc_say_formula(why, "host_s", "s", "0", 0.0);
}

/* Sets the bounds of an ideal step, in seconds. In an ideal step all resources work at the same time, so without the
 * resource with the largest bound, the step would take as long as the second largest bound. */
static void set_bounds(const nnc_ideal *ideal, nnc_result *r, nnc_derivation *why) {
    NNC_LET(why, matrix_s, "s", ideal->engine_s[NNC_ENGINE_MATRIX]);
    NNC_LET(why, vector_s, "s", ideal->engine_s[NNC_ENGINE_VECTOR]);
    NNC_LET(why, memory_s, "s", ideal->engine_s[NNC_ENGINE_MEMORY]);
    NNC_PUT(why, ideal->network_s, "s");
    NNC_SET_AS(why, "bound_s.compute", r->bound_s[NNC_BOUND_COMPUTE], "s", nnc_max(matrix_s, vector_s));
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

/* Sets row->network_s to the seconds for which a collective occupies the fabrics, summed over all fabrics. Returns the
 * seconds of exposed communication of a collective: the exposed communication of the step x (seconds of this collective
 * on the busiest fabric / seconds of all collectives on that fabric). */
static double exposed_of(const nnc_step *step, const nnc_ideal *ideal, nnc_op_cost *row) {
    nnc_derivation *const why = step->why;
    double load_s[NNC_FABRICS];
    int most = 0;
    nnc_fabric_load(step->network, &row->op->u.collective, load_s);
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
        NNC_NOTE(why, "share of this collective in the time by which the busiest link exceeds the busiest engine; "
                      "busiest_s: its time on that link");
    }
    return time_s;
}

/* Fills m->stages, the times of each pipeline stage, for an ideal step. Exposed communication and update are computed
 * only for the stage that decides the step time, and are used for all stages. rows: op table that nnc_ideal_step has
 * filled. */
static void describe_stages(const nnc_step *step, const nnc_ideal *ideal, const nnc_rows *rows, nnc_step_memory *m) {
    nnc_bound_segment_times units;
    nnc_bound_segment_times_sum(step, rows, &units);
    nnc_step_run(step, units.engine[ideal->engine], 0.0, m);
    nnc_step_describe(step, units.engine[ideal->engine], m);
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        m->stages[d].exchange_s = ideal->exposed_comm_s;
        m->stages[d].update_s = ideal->update_s;
    }
}

void nnc_ideal_rows(const nnc_step *step, const nnc_ideal *ideal, nnc_rows *rows, nnc_step_memory *m, nnc_result *r) {
    const engine_rates rates = rates_of(step->device);
    const nnc_overlap hidden = { .share = { 1.0, 1.0, 1.0, 1.0, 1.0, 1.0 } };
    nnc_segment_time none[NNC_SEGMENTS_MAX];
    memset(none, 0, sizeof none);
    describe_stages(step, ideal, rows, m);
    nnc_step_restrict(step, &m->holdings[ideal->stage], rows);
    nnc_step quiet = *step;
    quiet.why = NULL; /* NULL = records no derivation, because the next loop replaces the times of the rows */
    nnc_step_end_append(&quiet, none, m, ideal->stage, &hidden, rows);
    nnc_derivation *const why = step->why;
    double rows_s = 0.0, compute_total_s = 0.0, memory_total_s = 0.0, network_total_s = 0.0;
    for (int32_t i = 0; i < rows->count; i++) {
        nnc_op_cost *row = &rows->rows[i];
        const double matrix_s = engine_time_s(&rates, NNC_ENGINE_MATRIX, row->op, &row->work, NULL);
        const double vector_s = engine_time_s(&rates, NNC_ENGINE_VECTOR, row->op, &row->work, NULL);
        const double traffic_s = (row->work.read_bytes + row->work.write_bytes) * rates.memory_s;
        row->memory_s = engine_time_s(&rates, NNC_ENGINE_MEMORY, row->op, &row->work, NULL);
        row->compute_s = nnc_max(matrix_s, vector_s);
        row->bound = nnc_op_is_collective(row->op) ? NNC_BOUND_NETWORK
                     : row->compute_s >= traffic_s ? NNC_BOUND_COMPUTE
                                                   : NNC_BOUND_MEMORY;
        row->fixed_s = 0.0;
        row->time_s = engine_time_s(&rates, ideal->engine, row->op, &row->work, NULL);
        if (nnc_op_is_collective(row->op)) {
            nnc_say_of_row(why, i);
            row->time_s = exposed_of(step, ideal, row);
            nnc_say_of_step(why);
            r->communication_s[row->op->u.collective.comm] += row->network_s * row->repeat;
            r->exposed_s[row->op->u.collective.comm] += row->time_s * row->repeat;
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
    NNC_SAY(why, busy_s, "s", r->forward_s + r->backward_s + r->recompute_s + r->update_s + r->exposed_comm_s);
    NNC_SET(why, r->step_s, "s", busy_s + r->bubble_s);
    NNC_SET(why, r->bubble_ratio, NULL, r->bubble_s / (r->step_s - r->bubble_s));
    NNC_SET(why, r->bubble_share, NULL, r->bubble_s / r->step_s);
    NNC_PUT(why, compute_total_s, "s");
    NNC_PUT(why, memory_total_s, "s");
    NNC_PUT(why, network_total_s, "s");
    NNC_WHEN(why, nnc_say_formula(why, "rows_s", "s", "compute_total_s + memory_total_s + network_total_s", rows_s));
    NNC_SET(why, r->upper_bound_s, "s", nnc_max(rows_s + r->bubble_s, r->step_s));
    set_bounds(ideal, r, why);
}
