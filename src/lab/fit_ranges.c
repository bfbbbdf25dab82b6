/* How far a fitted figure may go, and in what steps it is tried. */
#include <math.h>
#include <string.h>

#include "lab/fit_moving.h"

/* Where no limit is given, the field's own holds. */
static const nnc_fit_range ranges[] = {
    { .member = "calibration", .low = 0.05, .high = 5, .step = 0.1, .usual = 1, .ratio = true },
    { .member = "sustained_fraction", .low = 0.01, .step = 0.15, .usual = 0.7, .ratio = true },
    { .member = "memory_fraction", .low = 0.02, .step = 0.15, .usual = 0.7, .ratio = true },
    { .member = "bus_fraction", .low = 0.005, .step = 0.15, .usual = 0.75, .ratio = true },
    { .member = "scale_out_fraction", .low = 0.02, .step = 0.15, .usual = 0.8, .ratio = true },
    { .member = "backward_ratio", .low = 0.1, .high = 5, .step = 0.1, .usual = 0.9, .ratio = true },
    { .member = "narrow_ratio", .low = 0.1, .step = 0.1, .usual = 0.9, .ratio = true },
    { .member = "l2_bytes_per_flop",
      .low = 1e-5,
      .high = 100,
      .step = 0.3,
      .usual = 0.02,
      .ratio = true },
    { .member = "l2_bytes_per_s",
      .low = 1e10,
      .high = 1e15,
      .step = 0.3,
      .usual = NAN,
      .ratio = true },
    { .member = "boost_ratio", .high = 2, .step = 0.05, .usual = 1.05 },
    { .member = "unaligned_ratio", .high = 10, .step = 0.3, .usual = 1.5 },
    { .member = "fixed_s", .high = 1e-2, .step = 2e-6, .usual = 5e-6 },
    { .member = "log2_s", .high = 1e-2, .step = 2e-6, .usual = 3e-6 },
    { .member = "step_fixed_s", .high = 1e-1, .step = 2e-5, .usual = 5e-5 },
    { .member = "scale_out_fixed_s", .high = 1e-1, .step = 5e-5, .usual = 1e-4 },
    { .member = "k_fill", .high = 1e4, .step = 50, .usual = 150 },
    { .member = "wave_quantization", .step = 0.2, .usual = 0.5 },
    { .member = "seq_half", .high = 1e5, .step = 150, .usual = 400 },
    { .member = "block_penalty", .high = 100, .step = 0.3, .usual = 0.5 },
    { .member = "knee_bytes", .high = 1e10, .step = 2e6, .usual = 4e6 },
    { .member = "small_group_loss", .high = 3.5, .step = 0.2, .usual = 0.5 },
    /* of an engine */
    { .member = "step_s", .high = 0.1, .step = 2e-4, .usual = 5e-4 },
    { .member = "layer_s", .high = 1e-3, .step = 5e-6, .usual = 1e-5 },
    { .member = "sequence_s", .high = 1e-3, .step = 5e-6, .usual = 1.5e-5 },
    { .member = "host_layer_s", .high = 1e-2, .step = 2e-5, .usual = 5e-5 },
    { .member = "launch_s", .high = 1e-3, .step = 2e-6, .usual = 5e-6 },
    { .member = "all_reduce_s", .high = 1e-3, .step = 5e-6, .usual = 1e-5 },
    { .member = "prefill_factor", .low = 0.1, .high = 20, .step = 0.1, .usual = 1, .ratio = true },
    { .member = "decode_factor", .low = 0.1, .high = 20, .step = 0.1, .usual = 1, .ratio = true },
    { .member = "kv_factor", .low = 0.02, .high = 5, .step = 0.15, .usual = 1, .ratio = true },
    { .member = "all_reduce_factor",
      .low = 0.1,
      .high = 20,
      .step = 0.2,
      .usual = 1,
      .ratio = true },
    { .member = "attention_factor",
      .low = 0.1,
      .high = 50,
      .step = 0.2,
      .usual = 1,
      .ratio = true },
    { .member = "unit_bytes_per_clock",
      .low = 0.1,
      .high = 1e4,
      .step = 0.15,
      .usual = 8,
      .ratio = true },
    { .member = "kv_reread", .high = 1, .step = 0.1, .usual = 0.2 },
    { .member = "stall", .high = 1, .step = 0.1, .usual = 1 },
    { .member = "ttft_s", .high = 10, .step = 0.02, .usual = 0.05 },
    { .member = "ttft_wave", .high = 100, .step = 0.5, .usual = 1 },
    /* by the format of weights */
    { .member = "bf16", .low = 0.02, .high = 5, .step = 0.15, .usual = 1, .ratio = true },
    { .member = "fp16", .low = 0.02, .high = 5, .step = 0.15, .usual = 1, .ratio = true },
    { .member = "fp8", .low = 0.02, .high = 5, .step = 0.15, .usual = 1, .ratio = true },
    { .member = "fp8-block", .low = 0.02, .high = 5, .step = 0.15, .usual = 1, .ratio = true },
    { .member = "int8", .low = 0.02, .high = 5, .step = 0.15, .usual = 1, .ratio = true },
    { .member = "int4", .low = 0.02, .high = 5, .step = 0.15, .usual = 1, .ratio = true },
    { .member = "nvfp4", .low = 0.02, .high = 5, .step = 0.15, .usual = 1, .ratio = true },
    { .member = "mxfp4", .low = 0.02, .high = 5, .step = 0.15, .usual = 1, .ratio = true },
};

const nnc_fit_range *nnc_fit_range_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    const char *member = dot != NULL ? dot + 1 : name;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (strcmp(ranges[i].member, member) == 0) {
            return &ranges[i];
        }
    }
    return NULL;
}
