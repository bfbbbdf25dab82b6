/* The field tables of a device's fitted figures. */
#include <math.h>
#include <string.h>

#include "input/input_internal.h"

#define FITTED_ON                                                                               \
    {                                                                                           \
        NNC_FIELD_COMMENT("fitted_on"),                                                         \
            .required = true, .help = "The measured rows the figures were fitted on, and when." \
    }
#define SUSTAINED(type)                                                         \
    {                                                                           \
        NNC_FIELD(type, sustained_fraction),                                    \
            .max = 1, .above_min = true, NNC_DEFAULT(1),                        \
            .help = "Share of the peak FLOP/s that kernels of this kind reach." \
    }
#define MEMORY(type)                                                                 \
    {                                                                                \
        NNC_FIELD(type, memory_fraction),                                            \
            .max = 1, .above_min = true, NNC_DEFAULT(1),                             \
            .help = "Share of the memory bandwidth that kernels of this kind reach." \
    }
#define FIXED(type)                                                              \
    {                                                                            \
        NNC_FIELD(type, fixed_s),                                                \
            .unit = "s", .max = 1, NNC_DEFAULT(0),                               \
            .help = "Time of one kernel that neither work nor traffic explains." \
    }

static const nnc_field efficiency_fields[] = {
    SUSTAINED(nnc_efficiency),
    MEMORY(nnc_efficiency),
    FIXED(nnc_efficiency),
    FITTED_ON,
};

static const nnc_field map_fields[] = {
    { NNC_FIELD(nnc_efficiency, memory_fraction), .max = 1, .above_min = true,
      .help =
          "Share of the memory bandwidth that norms, activations and sums of feature maps reach; "
          "not given: as pointwise." },
    FIXED(nnc_efficiency),
    FITTED_ON,
};

static const nnc_field conv_fields[] = {
    SUSTAINED(nnc_conv_efficiency),
    MEMORY(nnc_conv_efficiency),
    FIXED(nnc_conv_efficiency),
    { NNC_FIELD(nnc_conv_efficiency, channels_half), .max = 1e5, NNC_DEFAULT(0),
      .help = "Channels of a group at which half of the rate is reached." },
    { NNC_FIELD(nnc_conv_efficiency, depth_half), .max = 1e5, NNC_DEFAULT(0),
      .help = "Terms of the sum that a value is, at which half of the rate is reached." },
    { NNC_FIELD(nnc_conv_efficiency, vector_fraction), .max = 1, .above_min = true,
      .help = "Share of the vector units' rate that convolutions reach on them, where that is "
              "faster; not given: they are not used." },
    FITTED_ON,
};

static const nnc_field gemm_fields[] = {
    SUSTAINED(nnc_gemm_efficiency),
    { NNC_FIELD(nnc_gemm_efficiency, boost_ratio), .min = 1, .max = 10, NNC_DEFAULT(1),
      .help = "Rate of short kernels over that of long ones, which run at a lower clock." },
    MEMORY(nnc_gemm_efficiency),
    FIXED(nnc_gemm_efficiency),
    { NNC_FIELD(nnc_gemm_efficiency, k_fill), .max = 1e5, NNC_DEFAULT(0),
      .help = "Start and end of a tile cost as many elements of k." },
    { NNC_FIELD(nnc_gemm_efficiency, l2_bytes_per_flop), .unit = "B/FLOP", .max = 1e3,
      .above_min = true,
      .help = "Bytes of operands that the cache feeds to the units per FLOP of their peak: with "
              "the peak this rate grows." },
    { NNC_FIELD(nnc_gemm_efficiency, l2_bytes_per_s), .unit = "B/s", .max = NNC_LINK_MAX,
      .above_min = true,
      .help = "The same as a rate that the peak leaves as it is; taken where it is given." },
    { NNC_FIELD(nnc_gemm_efficiency, wave_quantization), .max = 1,
      .help = "Share of a partly filled wave of tiles that counts as full; not given: rates are "
              "constant, without tiles." },
    { NNC_FIELD(nnc_gemm_efficiency, unaligned_ratio), .min = 1, .max = 100, NNC_DEFAULT(1),
      .help = "Time over that of a weight whose sides are multiples of 8." },
    { NNC_FIELD(nnc_gemm_efficiency, block_ratio), .min = 0.1, .max = 100, NNC_DEFAULT(1),
      .help =
          "Time of a product whose operands have a scale for each block of 128, over that of one "
          "with a scale for each tensor." },
    { NNC_FIELD(nnc_gemm_efficiency, group_ratio), .min = 0.1, .max = 100, NNC_DEFAULT(1),
      .help =
          "Time of the products of a group, each of any number of rows, over that of one product "
          "of as many rows." },
    { NNC_FIELD(nnc_gemm_efficiency, power_share), .max = 10,
      .help = "Share of the board's power that the matrix units draw at their peak; above 1 they "
              "cannot hold it." },
    FITTED_ON,
};

static const nnc_field flash_fields[] = {
    SUSTAINED(nnc_flash_efficiency),
    { NNC_FIELD(nnc_flash_efficiency, backward_ratio), .max = 10, .above_min = true, NNC_DEFAULT(1),
      .help = "Rate of backward over that of forward." },
    MEMORY(nnc_flash_efficiency),
    FIXED(nnc_flash_efficiency),
    { NNC_FIELD(nnc_flash_efficiency, seq_half), .max = 1e6, NNC_DEFAULT(0),
      .help = "Tokens at which half the rate is reached." },
    { NNC_FIELD(nnc_flash_efficiency, narrow_ratio), .max = 1, .above_min = true, NNC_DEFAULT(1),
      .help = "Rate of heads of width 64 over those of 128 and more." },
    { NNC_FIELD(nnc_flash_efficiency, block_penalty), .max = 1e3, NNC_DEFAULT(0),
      .help = "Loss when the blocks of queries fill the units just once." },
    { NNC_FIELD(nnc_flash_efficiency, head_multiple), .min = 1, .max = 1024, NNC_DEFAULT(32),
      .help = "Kernels have heads of multiples of this; others are padded." },
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
      .help = "Time of one call." },
    { NNC_FIELD(nnc_collective_efficiency, log2_s), .unit = "s", .max = 1, NNC_DEFAULT(0),
      .help = "Time that each doubling of the group adds." },
    { NNC_FIELD(nnc_collective_efficiency, bus_fraction), .max = 1, .above_min = true,
      NNC_DEFAULT(1), .help = "Share of the link's rate that a large message reaches." },
    { NNC_FIELD(nnc_collective_efficiency, knee_bytes), .unit = "B", .max = NNC_BYTES_MAX,
      NNC_DEFAULT(0), .help = "Sent by one rank, it takes twice its time at full rate." },
    { NNC_FIELD(nnc_collective_efficiency, small_group_loss), .max = 3.9, NNC_DEFAULT(0),
      .help = "Groups of n reach 1 - this / n^2 of the rate." },
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
      .help = "What a call inside a training step adds: launch, and ranks out of step." },
    { NNC_FIELD(nnc_collective_efficiencies, scale_out_fraction), .max = 1, .above_min = true,
      NNC_DEFAULT(1), .help = "Share of the network bandwidth that collectives reach." },
    { NNC_FIELD(nnc_collective_efficiencies, scale_out_fixed_s), .unit = "s", .max = 1,
      NNC_DEFAULT(0), .help = "Time that a call between domains adds." },
    FITTED_ON,
};

static const nnc_field power_fields[] = {
    { NNC_FIELD(nnc_power_efficiency, idle_share), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the board's power that is drawn whatever runs." },
    { NNC_FIELD(nnc_power_efficiency, memory_share), .max = 1, NNC_DEFAULT(0),
      .help = "Share that the memory draws at its full bandwidth." },
    { NNC_FIELD(nnc_power_efficiency, exponent), .max = 1, NNC_DEFAULT(0),
      .help = "Times grow with this power of what is drawn over what may be; 0 = never." },
    FITTED_ON,
};

const nnc_field nnc_efficiencies_fields[NNC_EFFICIENCIES_FIELDS] = {
    { NNC_FIELD(nnc_efficiencies, basis), NNC_FIELD_NAMES(nnc_basis, NNC_BASIS_COUNT),
      .help = "On what the figures rest; set to none, all of them are neutral: the datasheet as it "
              "stands." },
    { NNC_FIELD(nnc_efficiencies, calibration), .max = 10, .above_min = true, NNC_DEFAULT(1),
      .help = "A machine's own factor on the rate of products, attention and convolution." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT_BY_DTYPE, nnc_efficiencies, gemm), NNC_FIELD_TABLE(gemm_fields),
      .help = "Matrix products, by the format of the operands." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, attention),
      NNC_FIELD_TABLE(attention_fields), .help = "Fused attention, by generation of kernels." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, conv), NNC_FIELD_TABLE(conv_fields),
      .help = "Convolutions." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, maps), NNC_FIELD_TABLE(map_fields),
      .help = "Norms, activations, sums and copies of feature maps." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, maps_tuned), NNC_FIELD_TABLE(map_fields),
      .help = "The same by kernels written for the device; not given: as maps." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, pointwise),
      NNC_FIELD_TABLE(efficiency_fields), .help = "Norms, activations, copies and the loss." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, pointwise_tuned),
      NNC_FIELD_TABLE(efficiency_fields),
      .help = "The same by kernels written for the device; not given: as pointwise." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, optimizer),
      NNC_FIELD_TABLE(efficiency_fields), .help = "The optimizer step." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, collectives),
      NNC_FIELD_TABLE(collectives_fields), .help = "Collectives." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, power), NNC_FIELD_TABLE(power_fields),
      .help = "What the device draws: where it limits the rates." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_efficiencies, serving),
      NNC_FIELD_TABLE(nnc_serve_efficiency_fields),
      .help = "Small batches in captured graphs, for serving; training does not read it." },
    { NNC_FIELD_COMMENT("fitted_on"), .help = "What the calibration was fitted on." },
};

void nnc_efficiencies_neutral(nnc_efficiencies *e)
{
    static const nnc_field_table table = { "efficiency", nnc_efficiencies_fields,
                                           NNC_EFFICIENCIES_FIELDS };
    memset(e, 0, sizeof *e);
    nnc_fields_init(&table, e);
    e->pointwise_tuned.memory_fraction = (double)NAN;                    /* not given */
    e->maps.sustained_fraction = e->maps_tuned.sustained_fraction = 1.0; /* not fields of maps */
}
