/* Builds pipelines for tests of the pipeline replay: pipelines with equal stages, and random pipelines. */
#ifndef NNCOST_TESTS_UNIT_PIPELINES_H
#define NNCOST_TESTS_UNIT_PIPELINES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "pipeline/pipeline_internal.h"
#include "suite.h"

enum { VIRTUAL = 256, DEVICES = 64, CASES = 4000 };

static nnc_pipeline_memory *memory;
static nnc_pipeline_result replayed, run;
static double forward_s[VIRTUAL], backward_s[VIRTUAL], weight_s[VIRTUAL];

static inline void open_memory(void) {
    memory = calloc(1, sizeof *memory);
    ck_assert_ptr_nonnull(memory);
}

static inline void close_memory(void) { free(memory); }

/* Returns random numbers x with 0 <= x < 1, which are equal on every machine. The generator is a xorshift. A random
 * number has the upper 53 bits of the generator's state. */
static uint64_t seed;

static inline double draw(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-53;
}

static inline int64_t draw_int(int64_t low, int64_t high) { return low + (int64_t)(draw() * (double)(high - low + 1)); }

static inline nnc_pipeline pipeline_of(nnc_schedule schedule, int32_t p, int32_t v, int64_t m) {
    return (nnc_pipeline){ .schedule = schedule,
                           .stages = p,
                           .chunks = v,
                           .micro_batches = m,
                           .forward_s = forward_s,
                           .backward_s = backward_s,
                           .weight_s = weight_s };
}

/* Returns a pipeline whose virtual stages are all equal. f, b, w: seconds of a whole stage for forward, backward and
 * weight gradients, which are divided by the number of virtual stages per stage. */
static inline nnc_pipeline equal_stages(nnc_schedule schedule, int32_t p, int32_t v, int64_t m, double f, double b,
                                        double w) {
    for (int i = 0; i < p * v; i++) {
        forward_s[i] = f / v;
        backward_s[i] = b / v;
        weight_s[i] = w / v;
    }
    return pipeline_of(schedule, p, v, m);
}

/* Returns a pipeline with a random schedule. The random times of the stages are drawn in one of five ways, which differ
 * in how equal the stages are. */
static inline nnc_pipeline random_pipeline(int64_t m_max) {
    const nnc_schedule schedule = (nnc_schedule)draw_int(0, NNC_SCHEDULE_COUNT - 1);
    const int64_t kind = draw_int(0, 4);
    int32_t p = (int32_t)draw_int(1, 16);
    int32_t v = 1;
    int64_t m = draw_int(1, draw() < 0.3 ? 20 : m_max);
    if (schedule == NNC_SCHEDULE_INTERLEAVED) {
        v = (int32_t)draw_int(1, 4);
        m = (m + p - 1) / p * p;
    } else if (schedule == NNC_SCHEDULE_ZB_V) {
        v = 2;
    } else if (schedule == NNC_SCHEDULE_DUALPIPE && p > 1) {
        p = (p + 1) / 2 * 2;
    }
    for (int i = 0; i < p * v; i++) {
        switch (kind) {
        case 0: /* all different */
            forward_s[i] = 0.1 + draw();
            backward_s[i] = 0.1 + draw();
            weight_s[i] = draw();
            break;
        case 1: /* the times are small whole numbers, so that many times are equal */
            forward_s[i] = (double)draw_int(0, 3);
            backward_s[i] = (double)draw_int(0, 3);
            weight_s[i] = (double)draw_int(0, 3);
            break;
        case 2: /* the stages are nearly equal, so that the replay becomes periodic only after many micro-batches */
            forward_s[i] = 1 + 1e-3 * draw();
            backward_s[i] = 1.5 + 1e-3 * draw();
            weight_s[i] = 0.7 + 1e-3 * draw();
            break;
        default: /* the first stage has an embedding, the last stage has a head */
            forward_s[i] = i == 0 ? 1.05 : i == p * v - 1 ? 1.3 : 1;
            backward_s[i] = forward_s[i];
            weight_s[i] = 0.8 * forward_s[i];
        }
    }
    nnc_pipeline pipeline = pipeline_of(schedule, p, v, m);
    pipeline.send_s = draw() < 0.5 ? 0 : kind == 1 ? 1 : 0.3 * draw();
    return pipeline;
}

static inline void replay(const nnc_pipeline *pipeline) {
    ck_assert(nnc_pipeline_replay(pipeline, memory, &replayed, NULL, NULL));
}

static inline void expect_near(double found, double expected, double tolerance) {
    ck_assert_double_le(fabs(found - expected), tolerance * fmax(1e-300, fabs(expected)));
}

#endif
