/* The fields of a device's fitted parameters, by kind of kernel. Defaults are neutral: fractions 1, fixed
 * times 0, so that a device without measurements runs at its datasheet rates. */
#include <math.h>
#include <string.h>

#include "input/input_internal.h"

#define FITTED_ON                                                                 \
    {                                                                             \
        NNC_FIELD_COMMENT("fitted_on"),                                           \
            .required = true,                                                     \
            .help = "The measured rows that the values were fitted on, and when." \
    }
#define SUSTAINED(type)                                                  \
    {                                                                    \
        NNC_FIELD(type, sustained_fraction),                             \
            .max = 1, .above_min = true, NNC_DEFAULT(1),                 \
            .help = "Share of the peak FLOP/s that these kernels reach." \
    }
#define MEMORY(type)                                                          \
    {                                                                         \
        NNC_FIELD(type, memory_fraction),                                     \
            .max = 1, .above_min = true, NNC_DEFAULT(1),                      \
            .help = "Share of the memory bandwidth that these kernels reach." \
    }
#define FIXED(type)                                                                         \
    {                                                                                       \
        NNC_FIELD(type, fixed_s), .unit = "s", .max = 1, NNC_DEFAULT(0),                    \
                                  .help = "Fixed time per kernel, independent of its work." \
    }

static const nnc_field efficiency_fields[] = {
    SUSTAINED(nnc_efficiency),
    MEMORY(nnc_efficiency),
    FIXED(nnc_efficiency),
    FITTED_ON,
};

static const nnc_field map_fields[] = {
    { NNC_FIELD(nnc_efficiency, memory_fraction), .max = 1, .above_min = true,
      .help = "Share of the memory bandwidth that norms, activations and sums of feature maps "
              "reach; not given: as pointwise." },
    FIXED(nnc_efficiency),
    FITTED_ON,
};

static const nnc_field conv_fields[] = {
    SUSTAINED(nnc_conv_efficiency),
    MEMORY(nnc_conv_efficiency),
    FIXED(nnc_conv_efficiency),
    { NNC_FIELD(nnc_conv_efficiency, channels_half), .max = 1e5, NNC_DEFAULT(0),
      .help = "Channels per group at which half of the rate is reached." },
    { NNC_FIELD(nnc_conv_efficiency, depth_half), .max = 1e5, NNC_DEFAULT(0),
      .help = "Terms in the sum of an output value at which half of the rate is reached." },
    { NNC_FIELD(nnc_conv_efficiency, vector_fraction), .max = 1, .above_min = true,
      .help = "Share of the vector units' peak that convolutions reach there, when that is faster; "
              "not given: not used." },
    FITTED_ON,
};

static const nnc_field gemm_fields[] = {
    SUSTAINED(nnc_gemm_efficiency),
    { NNC_FIELD(nnc_gemm_efficiency, boost_ratio), .min = 1, .max = 10, NNC_DEFAULT(1),
      .help = "Rate of short kernels over that of long ones, which run at a lower clock." },
    MEMORY(nnc_gemm_efficiency),
    FIXED(nnc_gemm_efficiency),
    { NNC_FIELD(nnc_gemm_efficiency, k_fill), .max = 1e5, NNC_DEFAULT(0),
      .help = "Start and end of a tile take the time of this many elements of k." },
    { NNC_FIELD(nnc_gemm_efficiency, l2_bytes_per_flop), .unit = "B/FLOP", .max = 1e3,
      .above_min = true,
      .help = "Operand bytes that the cache delivers per FLOP of the peak; the rate scales with "
              "the peak." },
    { NNC_FIELD(nnc_gemm_efficiency, l2_bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX,
      .above_min = true,
      .help = "The same as a rate independent of the peak; replaces the field above." },
    { NNC_FIELD(nnc_gemm_efficiency, wave_quantization), .max = 1,
      .help = "Share of a partly filled wave of tiles that counts as full; not given: a constant "
              "rate without tiles." },
    { NNC_FIELD(nnc_gemm_efficiency, unaligned_ratio), .min = 1, .max = 100, NNC_DEFAULT(1),
      .help = "Time of a product over that of one whose dimensions are multiples of 8." },
    { NNC_FIELD(nnc_gemm_efficiency, block_ratio), .min = 0.1, .max = 100, NNC_DEFAULT(1),
      .help = "Time of a product with scales per block of 128 over that of one with a scale per "
              "tensor." },
    { NNC_FIELD(nnc_gemm_efficiency, group_ratio), .min = 0.1, .max = 100, NNC_DEFAULT(1),
      .help = "Time of grouped products with varying numbers of rows over that of one product with "
              "the same total." },
    { NNC_FIELD(nnc_gemm_efficiency, power_share), .max = 10,
      .help = "Share of the board power that the matrix units draw at their peak; above 1 they "
              "cannot sustain it." },
    FITTED_ON,
};

static const nnc_field flash_fields[] = {
    SUSTAINED(nnc_flash_efficiency),
    { NNC_FIELD(nnc_flash_efficiency, backward_ratio), .max = 10, .above_min = true, NNC_DEFAULT(1),
      .help = "Rate of backward over that of forward." },
    MEMORY(nnc_flash_efficiency),
    FIXED(nnc_flash_efficiency),
    { NNC_FIELD(nnc_flash_efficiency, seq_half), .max = 1e6, NNC_DEFAULT(0),
      .help = "Sequence length at which half of the rate is reached." },
    { NNC_FIELD(nnc_flash_efficiency, narrow_ratio), .max = 1, .above_min = true, NNC_DEFAULT(1),
      .help = "Rate of heads of width 64 over that of heads of 128 and more." },
    { NNC_FIELD(nnc_flash_efficiency, block_penalty), .max = 1e3, NNC_DEFAULT(0),
      .help = "Loss of rate when the blocks of queries fill the units exactly once." },
    { NNC_FIELD(nnc_flash_efficiency, head_multiple), .min = 1, .max = 1024, NNC_DEFAULT(32),
      .help = "Kernels support head widths that are multiples of this; others are padded." },
    FITTED_ON,
};

#define KERNEL(kernel, text, about)                      \
    { .name = (text),                                    \
      .type = NNC_FIELD_OBJECT,                          \
      .offset = (kernel) * sizeof(nnc_flash_efficiency), \
      .size = sizeof(nnc_flash_efficiency),              \
      NNC_FIELD_TABLE(flash_fields),                     \
      .help = (about) },
static const nnc_field attention_fields[] = { NNC_FLASH_KERNEL_LIST(KERNEL) };

static const nnc_field collective_fields[] = {
    { NNC_FIELD(nnc_collective_efficiency, fixed_s), .unit = "s", .max = 1, NNC_DEFAULT(0),
      .help = "Fixed time of one call." },
    { NNC_FIELD(nnc_collective_efficiency, log2_s), .unit = "s", .max = 1, NNC_DEFAULT(0),
      .help = "Additional time per doubling of the group size." },
    { NNC_FIELD(nnc_collective_efficiency, bus_fraction), .max = 1, .above_min = true,
      NNC_DEFAULT(1), .help = "Share of the link bandwidth that large messages reach." },
    { NNC_FIELD(nnc_collective_efficiency, knee_bytes), .unit = "B", .max = NNC_BYTES_MAX,
      NNC_DEFAULT(0), .help = "Message size per rank that takes twice its time at full rate." },
    { NNC_FIELD(nnc_collective_efficiency, small_group_loss), .max = 3.9, NNC_DEFAULT(0),
      .help = "A group of n ranks reaches 1 - this / n^2 of the rate." },
    FITTED_ON,
};

static const nnc_field collectives_fields[] = {
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_collective_efficiencies, all_reduce),
      NNC_FIELD_TABLE(collective_fields), .help = "Inside a scale-up domain." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_collective_efficiencies, all_gather),
      NNC_FIELD_TABLE(collective_fields), .help = "Inside a scale-up domain." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_collective_efficiencies, reduce_scatter),
      NNC_FIELD_TABLE(collective_fields), .help = "Inside a scale-up domain." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_collective_efficiencies, all_to_all),
      NNC_FIELD_TABLE(collective_fields), .help = "Inside a scale-up domain." },
    { NNC_FIELD(nnc_collective_efficiencies, step_fixed_s), .unit = "s", .max = 1, NNC_DEFAULT(0),
      .help = "Additional time of a call inside a training step: launch and skew between ranks." },
    { NNC_FIELD(nnc_collective_efficiencies, scale_out_fraction), .max = 1, .above_min = true,
      NNC_DEFAULT(1), .help = "Share of the network bandwidth that collectives reach." },
    { NNC_FIELD(nnc_collective_efficiencies, scale_out_fixed_s), .unit = "s", .max = 1,
      NNC_DEFAULT(0), .help = "Additional time of a call that leaves the domain." },
    FITTED_ON,
};

static const nnc_field power_fields[] = {
    { NNC_FIELD(nnc_power_efficiency, idle_share), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the board power that is always drawn." },
    { NNC_FIELD(nnc_power_efficiency, memory_share), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the board power that the memory draws at full bandwidth." },
    { NNC_FIELD(nnc_power_efficiency, exponent), .max = 1, NNC_DEFAULT(0),
      .help = "Times grow with this power of (power drawn / power limit); 0 = no effect." },
    FITTED_ON,
};

/* Without a measurement a device borrows the fractions of h100-sxm5-80gb. */
#define STREAM(member, value) \
    NNC_FIELD(nnc_stream_efficiency, member), .max = 1, .above_min = true, NNC_DEFAULT(value)
static const nnc_field stream_fields[] = {
    { STREAM(memory_fraction, 0.88), .help = "Share of the memory bandwidth." },
    { STREAM(mixed_fraction, 0.58), .help = "The same of casts, and operands of two types." },
    { STREAM(norm_fraction, 0.7), .help = "The same of norms as one kernel." },
    { STREAM(softmax_fraction, 0.38), .help = "The same of softmax." },
    { STREAM(loss_fraction, 0.66), .help = "The same of cross-entropy." },
    { STREAM(adamw_fraction, 0.78), .help = "The same of fused AdamW with fp32 states." },
    { STREAM(adamw_narrow_fraction, 0.66), .help = "The same with 16-bit states." },
    { NNC_FIELD(nnc_stream_efficiency, norm_row_s), .unit = "s", .max = 1, NNC_DEFAULT(9.3e-10),
      .help = "Time in addition for each row of a norm." },
    { NNC_FIELD(nnc_stream_efficiency, norm_row_backward_s), .unit = "s", .max = 1,
      NNC_DEFAULT(3.9e-9), .help = "The same in backward." },
    { NNC_FIELD(nnc_stream_efficiency, fixed_s), .unit = "s", .max = 1, NNC_DEFAULT(3e-6),
      .help = "Time of a kernel without work, behind another." },
    FITTED_ON,
};

const nnc_field nnc_efficiencies_fields[NNC_EFFICIENCIES_FIELDS] = {
    { NNC_FIELD(nnc_efficiencies, basis), NNC_FIELD_NAMES(nnc_basis, NNC_BASIS_COUNT),
      .help = "Source of the values; none makes all of them neutral: the datasheet alone." },
    { NNC_FIELD(nnc_efficiencies, calibration), .max = 10, .above_min = true, NNC_DEFAULT(1),
      .help = "Factor of one machine on the rate of matrix products, attention and convolution." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT_BY_DTYPE, nnc_efficiencies, gemm), NNC_FIELD_TABLE(gemm_fields),
      .help = "Matrix products, by the format of the operands." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, attention),
      NNC_FIELD_TABLE(attention_fields), .help = "Fused attention, by generation of kernels." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, conv), NNC_FIELD_TABLE(conv_fields),
      .help = "Convolutions." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, maps), NNC_FIELD_TABLE(map_fields),
      .help = "Norms, activations, sums and copies of feature maps." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, maps_tuned), NNC_FIELD_TABLE(map_fields),
      .help = "The same with kernels written for the device; not given: as maps." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, pointwise),
      NNC_FIELD_TABLE(efficiency_fields), .help = "Norms, activations, copies and the loss." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, pointwise_tuned),
      NNC_FIELD_TABLE(efficiency_fields),
      .help = "The same with kernels written for the device; not given: as pointwise." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, optimizer),
      NNC_FIELD_TABLE(efficiency_fields), .help = "The optimizer step." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, stream), NNC_FIELD_TABLE(stream_fields),
      .help = "Kernels of single operators, as PyTorch issues them one by one." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, collectives),
      NNC_FIELD_TABLE(collectives_fields), .help = "Collectives." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, power), NNC_FIELD_TABLE(power_fields),
      .help = "Power draw: where the power limit reduces the rates." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, serving),
      NNC_FIELD_TABLE(nnc_serve_efficiency_fields),
      .help = "Serving: small batches in captured graphs. Not used in training." },
    { NNC_FIELD_COMMENT("fitted_on"),
      .help = "The measured rows that the calibration was fitted on." },
};

void nnc_efficiencies_neutral(nnc_efficiencies *e)
{
    static const nnc_field_table table = { "efficiency", nnc_efficiencies_fields,
                                           NNC_EFFICIENCIES_FIELDS };
    memset(e, 0, sizeof *e);
    nnc_fields_init(&table, e);
    e->pointwise_tuned.memory_fraction = (double)NAN; /* not given */
    e->maps.sustained_fraction = e->maps_tuned.sustained_fraction =
        1.0; /* the maps object has no such field */
}
