/* What is taken of a run where nothing is said. */
#include <math.h>
#include <stddef.h>

#include "base/sized.h"
#include "run/run_internal.h"

#define DAY_S 86400.0

void nnc_run_ask_init(nnc_run_ask *ask, size_t struct_size)
{
    const double unknown = (double)NAN;
    const nnc_run_ask unset = {
        .epochs = unknown,
        .dataset_size = unknown,
        .days = unknown,
        .step_s = unknown,
        .step_flops = unknown,
        .device_mtbf_s = unknown,
        .detect_s = 600.0,
        .start_s = 30.0,
        .replace_s = unknown,
        .repair_s = 2.0 * DAY_S,
        .failing_share = 1.0,
        .checkpoint_bytes = unknown,
        .storage_write_bytes_per_s = unknown,
        .storage_read_bytes_per_s = unknown,
        .block_s = unknown,
        .save_s = unknown,
        .load_s = unknown,
        .checkpoint_interval_s = unknown,
        .evaluate_s = unknown,
        .sample_bytes = unknown,
        .input_bytes_per_s = unknown,
        .sites = 1.0,
        .outer_every = unknown,
        .outer_bytes = unknown,
        .site_bytes_per_s = unknown,
        .access_share = 1.0,
        .prepare_s = unknown,
        .workers = 8.0,
        .prefetch = 2.0,
        .prepared_bytes = unknown,
        .idle_w = unknown,
        .busy_w = unknown,
        .pue = 1.0,
        .carbon_g_per_kwh = unknown,
        .embodied_kg = unknown,
        .life_s = unknown,
        .use_share = unknown,
        .stored_bytes = unknown,
        .storage_price = unknown,
        .egress_bytes = unknown,
        .egress_price = unknown,
        .policy_params = unknown,
        .reference_params = unknown,
        .reward_params = unknown,
        .critic_params = unknown,
        .teacher_params = unknown,
        .update_epochs = 1.0,
        .response_tokens = unknown,
        .group = 1.0,
        .rollout_batch = unknown,
        .rollout_tensor = 1.0,
        .rollout_tail = 1.0,
        .rollout_tokens_per_s = unknown,
        .rollout_s = unknown,
        .score_s = unknown,
        .sync_s = unknown,
        .sync_bytes_per_s = unknown,
        .device_hours = unknown,
        .reshard_s = 60.0,
    };
    if (ask == NULL || struct_size < sizeof struct_size) {
        return;
    }
    ask->struct_size = struct_size;
    nnc_sized_write(ask, &unset, sizeof unset);
}
