/* The step below which no software gets, and the one in which nothing overlaps. */
#ifndef NNCOST_ESTIMATE_BOUNDS_H
#define NNCOST_ESTIMATE_BOUNDS_H

#include "cost/fabric.h"
#include "estimate/step.h"

typedef enum nnc_engine {
    NNC_ENGINE_MATRIX,
    NNC_ENGINE_VECTOR,
    NNC_ENGINE_MEMORY,
    NNC_ENGINES
} nnc_engine;

/* A step in ideal mode: every efficiency 1, fixed costs 0, norms and pointwise ops fused into their
 * neighbours, all communication hidden. The step of each engine is what it takes for itself,
 * bubble included; the busiest one decides. The vector engine counts 0 where its rate is not
 * published; a link that is busier than every engine adds the difference as exposed. The parts add
 * up to step_s. */
typedef struct nnc_ideal {
    double step_s;
    nnc_engine engine;
    int32_t stage;
    double forward_s, backward_s, recompute_s, update_s, exposed_comm_s, bubble_s;
    double engine_s[NNC_ENGINES], network_s; /* network_s: of the fabric that is the busiest */
    nnc_fabric fabric;
} nnc_ideal;

/* Seconds of one instance of each segment, in one pass: on each engine alone, and with compute,
 * memory and network one after the other, without its parts. rows: the op table of one micro-batch on a rank that held
 * every layer, untouched. */
typedef struct nnc_bound_units {
    nnc_unit engine[NNC_ENGINES][NNC_SEGMENTS_MAX];
    nnc_unit serial[NNC_SEGMENTS_MAX];
} nnc_bound_units;
void nnc_bound_units_sum(const nnc_step *step, const nnc_rows *rows, nnc_bound_units *units);

/* rows: the op table of one micro-batch on a rank that held every layer, untouched. false: the
 * pipeline is too large to replay. */
bool nnc_ideal_step(const nnc_step *step, const nnc_rows *rows, const nnc_bound_units *units,
                    nnc_step_memory *m, nnc_ideal *ideal);

/* Says which engine decides a lower bound; the time of one row in an ideal step. */
void nnc_ideal_say(const nnc_ideal *ideal, nnc_derivation *why);
void nnc_ideal_say_row(const nnc_ideal *ideal, const nnc_device *device, const nnc_op_cost *row,
                       nnc_derivation *why);

/* Leaves in rows those of the ideal step, and in the result its times. */
void nnc_ideal_rows(const nnc_step *step, const nnc_ideal *ideal, nnc_rows *rows,
                    nnc_step_memory *m, nnc_result *r);

/* The rates of the step, no overlap of compute, memory and network. Negative: the pipeline is
 * too large to replay. */
double nnc_upper_bound(const nnc_step *step, const nnc_bound_units *units, double send_s,
                       nnc_step_memory *m);

/* Where nine of ten measurements of steps like this one fall, by what it is made of. Not known for the
 * bare datasheet and for ideal mode; nothing is faster than the lower bound. */
void nnc_step_interval(const nnc_model *model, const nnc_step *step, nnc_result *r);

#endif
