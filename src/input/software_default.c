/* The profile that nothing was said of: everything fused, everything shipped. */
#include <math.h>

#include "input/kind.h"

nnc_software nnc_software_default(void)
{
    nnc_shipped all = { .recompute_attention = true,
                        .recompute_norm = true,
                        .recompute_activation = true,
                        .recompute_full = true,
                        .recompute_modules = true,
                        .offload_optimizer = true,
                        .offload_activations = true,
                        .offload_weights = true };
    for (int i = 0; i < NNC_SCHEDULE_COUNT; i++) {
        all.schedules[i] = true;
    }
    return (nnc_software){
        .id = NNC_SOFTWARE_DEFAULT,
        .name = "PyTorch with torch.compile",
        .fused_norm = true,
        .fused_activation = true,
        .fused_residual = true,
        .fused_rotary = true,
        .fused_rotary_scale = true,
        .fused_softmax = true,
        .fused_loss = true,
        .fused_expert_bias = true,
        .fused_expert_clamp = true,
        .fused_optimizer = true,
        .flash_kernel = NNC_FLASH2,
        .norm_keep = NNC_KEEP_FUSED,
        .group_norm_keep = NNC_KEEP_FUSED,
        .loss_keep = NNC_LOSS_KEEPS_LOGITS,
        .context_frozen = true,
        .overlap_tensor_backward = (double)NAN,
        .bucket_bytes = 26214400.0,
        .launch_expert_s = (double)NAN,
        .overlap_context = 1.0,
        .overlap_data = 1.0,
        .overlap_pipeline = 1.0,
        .overlap_offload = 1.0,
        .spread = { .own = (double)NAN,
                    .network = 0.25,
                    .idle = 0.5,
                    .kernels = 0.05,
                    .carried = 0.1,
                    .experts = 0.05 },
        .reserve = { .low = 1.0, .high = 1.0 },
        .ships = all,
        .serving = nnc_serve_engine_default(),
    };
}
