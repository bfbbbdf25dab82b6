/* Options that a command was given and that its computation does not read, because another option is missing: they are
 * refused with that option. One row per condition: is it met, what it needs, and the options that are read then. Rows
 * of a sweep are not checked: an axis may switch the reader on in some rows. */
#include "base/base_internal.h"
#include "run/run_internal.h"
#include "scenario/scenario_internal.h"

typedef struct reader {
    bool reads;
    const char *needs;
    const char *fields; /* joined by spaces */
} reader;

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static nnc_status refuse_unread(const nnc_scenario_args *given, const reader *readers, size_t count,
                                nnc_error *err)
{
    for (int i = 0; i < given->own_count; i++) {
        const char *name = given->settings[i].field->name;
        for (size_t r = 0; r < count; r++) {
            char option[NNC_OPTION_NAME];
            if (readers[r].reads || !has_word(readers[r].fields, name)) {
                continue;
            }
            nnc_option_name(name, option);
            return nnc_fail(err, NNC_BAD_USAGE, option, "changes nothing here, expected it with %s",
                            readers[r].needs);
        }
    }
    return NNC_OK;
}

nnc_status nnc_scenario_check_read(const nnc_scenario_args *given, const nnc_scenario *scenario,
                                   nnc_error *err)
{
    const nnc_run_ask *run = &scenario->run_ask;
    const nnc_device *device = &scenario->device;
    const nnc_method method = run->method;
    const bool tunes = method != NNC_METHOD_TRAIN, rolls_out = nnc_method_rolls_out(method);
    const bool stops =
        !isnan(run->device_mtbf_s) || run->reclaim_per_month > 0.0 ||
        !isnan(run->stops == NNC_STOPS_ANY ? device->mtbf.any_s : device->mtbf.hardware_s);
    const bool reads_samples = !isnan(run->sample_bytes);
    const bool prepares = !isnan(run->prepare_s) || !isnan(run->prepared_bytes);
    const bool is_embodied = !(isnan(run->embodied_kg) && isnan(device->embodied_kg)) &&
                             !isnan(run->life_s) && !isnan(run->use_share);
    static const char of_a_method[] = "--method grpo, ppo, dpo or distill";
    static const char of_generation[] = "--method grpo, ppo or distill-on-policy";
    static const char of_failures[] = "--device-mtbf-s";
    const reader readers[] = {
        { run->evaluate_every > 0.0, "--evaluate-every", "evaluate_s" },
        { stops, of_failures,
          "detect_s start_s replace_s repair_s failing_share elastic_replicas" },
        { run->replace_s > 0.0, "--replace-s", "spares" },
        { run->elastic_replicas > 0.0, "--elastic-replicas", "reshard_s" },
        { stops || !isnan(run->checkpoint_interval_s), "--device-mtbf-s or --checkpoint-interval-s",
          "checkpoint_bytes storage_write_bytes_per_s storage_read_bytes_per_s asynchronous "
          "block_s save_s load_s" },
        { tunes, of_a_method, "policy_params update_epochs score_s" },
        { method == NNC_METHOD_DPO || method == NNC_METHOD_GRPO || method == NNC_METHOD_PPO,
          "--method grpo, ppo or dpo", "reference_params" },
        { method == NNC_METHOD_PPO || rolls_out, of_generation, "reward_params" },
        { method == NNC_METHOD_PPO, "--method ppo", "critic_params" },
        { method == NNC_METHOD_DISTILL || method == NNC_METHOD_DISTILL_ON_POLICY,
          "--method distill or distill-on-policy", "teacher_params" },
        { rolls_out, of_generation,
          "sampler_logprobs prompt_tokens response_tokens group rollout_tensor rollout_devices "
          "rollout_overlap rollout_s sync_s sync_bytes_per_s" },
        { rolls_out && isnan(run->rollout_s),
          "--method grpo, ppo or distill-on-policy without --rollout-s",
          "rollout_batch rollout_tail rollout_tokens_per_s" },
        { run->sites > 1.0, "--sites", "outer_every outer_bytes site_bytes_per_s outer_overlap_s" },
        { reads_samples, "--sample-bytes", "input_bytes_per_s" },
        { reads_samples && !isnan(run->input_bytes_per_s), "--sample-bytes and --input-bytes-per-s",
          "access_share cached_share" },
        { prepares, "--prepare-s", "workers" },
        { prepares, "--prepared-bytes", "prefetch" },
        { reads_samples || prepares, "--sample-bytes or --prepare-s", "serial_input" },
        { is_embodied, "--embodied-kg, --life-s and --use-share together",
          "embodied_kg life_s use_share" },
        { !isnan(run->stored_bytes), "--stored-bytes", "storage_price" },
        { !isnan(run->egress_bytes), "--egress-bytes", "egress_price" },
    };
    return refuse_unread(given, readers, NNC_COUNT_OF(readers), err);
}

nnc_status nnc_serve_scenario_check_read(const nnc_scenario_args *given,
                                         const nnc_serve_scenario *scenario, nnc_error *err)
{
    const nnc_serve_ask *ask = &scenario->ask;
    const bool opens = !isnan(ask->request_rate) || ask->arrivals[0] != '\0';
    const reader readers[] = {
        { opens, "--request-rate", "burstiness" },
        { opens || ask->concurrency > 0, "--request-rate or --concurrency", "requests seed" },
        { opens || ask->concurrency > 0 || ask->offline,
          "--request-rate, --concurrency or --offline", "length_spread" },
        { ask->draft[0] != '\0' || ask->draft_length > 0, "--draft or --draft-length",
          "acceptance draft_share" },
        { ask->steps > 0, "--steps", "image beside_s guidance" },
    };
    return refuse_unread(given, readers, NNC_COUNT_OF(readers), err);
}
