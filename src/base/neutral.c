#include "base/neutral.h"

#include <math.h>
#include <string.h>

void nnc_efficiencies_neutral(nnc_efficiencies *e)
{
    const nnc_efficiency kernel = { 1, 1, 0 };
    const nnc_flash_efficiency flash = { 1, 1, 1, 0, 0, 1, 0 };
    const nnc_collective_efficiency collective = { .bus_fraction = 1.0 };
    memset(e, 0, sizeof *e);
    e->calibration = 1.0;
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        e->gemm[i] = (nnc_gemm_efficiency){ .sustained_fraction = 1.0,
                                            .boost_ratio = 1.0,
                                            .memory_fraction = 1.0,
                                            .l2_bytes_per_s = (double)NAN,
                                            .wave_quantization = (double)NAN,
                                            .unaligned_ratio = 1.0 };
    }
    e->attention = (nnc_attention_efficiencies){ flash, flash, flash };
    e->conv = e->pointwise = e->optimizer = kernel;
    e->collectives.all_reduce = e->collectives.all_gather = collective;
    e->collectives.reduce_scatter = e->collectives.all_to_all = collective;
    e->collectives.scale_out_fraction = 1.0;
}
