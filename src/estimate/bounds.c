#include "estimate/bounds.h"

#include <string.h>

#include "base/number.h"
#include "estimate/engine.h"
#include "estimate/update.h"

/* Seconds of one segment, by part of a pass and by engine; the last engine: one after the other. */
enum { WEIGHT_PART = NNC_PASS_PARTS, SUMMED_PARTS };
typedef struct engine_sums {
    double parts[SUMMED_PARTS]
                [NNC_ENGINES + 1]; /* the last part: weight gradients, in backward too */
} engine_sums;

/* All that a replay reads of a unit. */
static void set_unit(const engine_sums *sums, int engine, nnc_unit *unit)
{
    unit->forward_s = sums->parts[NNC_PART_FORWARD][engine];
    unit->backward_s = sums->parts[NNC_PART_BACKWARD][engine];
    unit->recompute_s = sums->parts[NNC_PART_RECOMPUTE][engine];
    unit->weight_s = sums->parts[WEIGHT_PART][engine];
}

static void add_times(double sums[NNC_ENGINES + 1], double matrix_s, double vector_s,
                      double memory_s, double serial_s)
{
    sums[NNC_ENGINE_MATRIX] += matrix_s;
    sums[NNC_ENGINE_VECTOR] += vector_s;
    sums[NNC_ENGINE_MEMORY] += memory_s;
    sums[NNC_ENGINES] += serial_s;
}

void nnc_bound_units_sum(const nnc_step *step, const nnc_rows *rows, nnc_bound_units *units)
{
    const nnc_engine_rates rates = nnc_engine_rates_of(step->device);
    engine_sums all[NNC_SEGMENTS_MAX];
    const int32_t segments = step->list->segment_count;
    memset(all, 0, sizeof all[0] * (size_t)segments);
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        const nnc_op *op = row->op;
        const double instances = (double)step->list->segments[op->segment].instances;
        const double repeat = instances > 1.0 ? row->repeat / instances : row->repeat;
        const double matrix_s =
            nnc_engine_time_s(&rates, NNC_ENGINE_MATRIX, op, &row->work, NULL) * repeat;
        const double vector_s =
            nnc_engine_time_s(&rates, NNC_ENGINE_VECTOR, op, &row->work, NULL) * repeat;
        const double memory_s =
            nnc_engine_time_s(&rates, NNC_ENGINE_MEMORY, op, &row->work, NULL) * repeat;
        const double serial_s = (row->compute_s + row->memory_s + row->fixed_s + row->network_s +
                                 nnc_launch_of_op_s(&step->launch, op)) *
                                repeat;
        engine_sums *sums = &all[op->segment];
        add_times(sums->parts[nnc_part_of(row)], matrix_s, vector_s, memory_s, serial_s);
        if (op->phase == NNC_PHASE_GRAD_WEIGHT) {
            add_times(sums->parts[WEIGHT_PART], matrix_s, vector_s, memory_s, serial_s);
        }
    }
    for (int32_t s = 0; s < segments; s++) {
        for (int e = 0; e < NNC_ENGINES; e++) {
            set_unit(&all[s], e, &units->engine[e][s]);
        }
        set_unit(&all[s], NNC_ENGINES, &units->serial[s]);
    }
}

double nnc_upper_bound(const nnc_step *step, const nnc_bound_units *units, double send_s,
                       nnc_step_memory *m)
{
    double longest = 0.0;
    if (!nnc_step_run(step, units->serial, send_s, m)) {
        return -1.0;
    }
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        nnc_tail room;
        double sum = 0.0;
        if (m->alike[d]) {
            continue;
        }
        const nnc_tail *t = nnc_tail_of(step, &m->holdings[d], &room);
        for (int i = 0; i < t->exchange_count; i++) {
            sum += t->exchange_s[i] * (double)t->exchanges[i].repeat;
        }
        for (int i = 0; i < t->update_count; i++) {
            sum += t->times[i].compute_s + t->times[i].memory_s + t->times[i].fixed_s;
        }
        longest = nnc_max(longest, sum);
    }
    NNC_LET(step->why, serial_passes_s, "s", m->run.total_s);
    NNC_LET(step->why, serial_rest_s, "s", longest);
    NNC_SAY(step->why, upper_bound_s, "s", serial_passes_s + serial_rest_s);
    NNC_NOTE(step->why,
             "the schedule replayed with compute, memory and network of each op one after "
             "the other; then what happens once per step, likewise");
    return upper_bound_s;
}
