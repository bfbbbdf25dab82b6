/* The engines of a device at datasheet rates, each for itself: what the bounds of a step are made of. */
#ifndef NNCOST_ESTIMATE_ENGINE_H
#define NNCOST_ESTIMATE_ENGINE_H

#include <math.h>

#include "cost/roofline.h"
#include "estimate/bounds.h"
#include "op/op_row.h"

/* Seconds of one engine per second of work, 0 where its rate is not published. */
typedef struct nnc_engine_rates {
    double matrix_s[NNC_DTYPE_COUNT], vector_s, memory_s;
} nnc_engine_rates;

static inline nnc_engine_rates nnc_engine_rates_of(const nnc_device *device)
{
    const double vector_rate = device->vector_flops_per_s[NNC_FP32];
    nnc_engine_rates rates = { .vector_s = isnan(vector_rate) ? 0.0 : 1.0 / vector_rate,
                               .memory_s = 1.0 / device->mem_bytes_per_s };
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        rates.matrix_s[i] = 1.0 / nnc_device_matmul_peak(device, (nnc_dtype)i);
    }
    return rates;
}

NNC_SAYING double nnc_engine_time_s(const nnc_engine_rates *rates, nnc_engine engine,
                                    const nnc_op *op, const nnc_work *w, nnc_derivation *why)
{
    switch (engine) {
    case NNC_ENGINE_MATRIX: {
        if (!(w->flops > 0.0)) {
            return 0.0;
        }
        NNC_LET(why, s_per_matrix_flop, NULL, rates->matrix_s[op->math_dtype]);
        double matrix_s = 0.0;
        NNC_SET(why, matrix_s, "s", w->flops * s_per_matrix_flop);
        if (nnc_op_products_saved(op) > 1.0) {
            NNC_LET(why, saved, NULL, nnc_op_products_saved(op));
            NNC_SET(why, matrix_s, "s", w->flops / saved * s_per_matrix_flop);
            NNC_NOTE(why, "Winograd's algorithm takes fewer products");
        }
        return matrix_s;
    }
    case NNC_ENGINE_VECTOR: {
        NNC_LET(why, s_per_vector_flop, NULL, rates->vector_s);
        NNC_SAY(why, vector_s, "s", w->vector_flops * s_per_vector_flop);
        return vector_s;
    }
    default: {
        if (nnc_op_row_of(op)->fuses) {
            return 0.0;
        }
        NNC_LET(why, s_per_byte, NULL, rates->memory_s);
        NNC_SAY(why, memory_s, "s", (w->read_bytes + w->write_bytes) * s_per_byte);
        return memory_s;
    }
    }
}

#endif
