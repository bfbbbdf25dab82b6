/* Options that a command was given and that its computation does not read, because another option is missing: they are
 * refused with that option. One row per option: when it is read, and what it needs. Rows of a sweep are not checked: an
 * axis may switch the reader on in some rows. */
#include <math.h>
#include <string.h>

#include "base/base_internal.h"
#include "run/run_internal.h"
#include "scenario/scenario_internal.h"

/* Inputs that read an option: the plan of a run, of fine-tuning, or of a deployment. */
typedef struct asked {
    const nnc_run_ask *run;
    const nnc_plan *plan; /* as given */
    const nnc_serve_ask *serve;
    const nnc_device *device;
} asked;

static bool evaluates(const asked *a)
{
    return a->run->evaluate_every > 0.0;
}

static bool stops(const asked *a)
{
    return !isnan(a->run->device_mtbf_s) || a->run->reclaim_per_month > 0.0 ||
           !isnan(a->run->stops == NNC_STOPS_ANY ? a->device->mtbf.any_s
                                                 : a->device->mtbf.hardware_s);
}

static bool saves(const asked *a)
{
    return stops(a) || !isnan(a->run->checkpoint_interval_s);
}

static bool replaces(const asked *a)
{
    return a->run->replace_s > 0.0;
}

static bool is_elastic(const asked *a)
{
    return a->run->elastic_replicas > 0.0;
}

static bool tunes(const asked *a)
{
    return a->run->method != NNC_METHOD_TRAIN;
}

static bool rolls_out(const asked *a)
{
    return nnc_method_rolls_out(a->run->method);
}

static bool has_reference(const asked *a)
{
    const nnc_method method = a->run->method;
    return method == NNC_METHOD_DPO || method == NNC_METHOD_GRPO || method == NNC_METHOD_PPO;
}

static bool has_reward(const asked *a)
{
    return a->run->method == NNC_METHOD_PPO || rolls_out(a);
}

static bool has_critic(const asked *a)
{
    return a->run->method == NNC_METHOD_PPO;
}

static bool has_teacher(const asked *a)
{
    return a->run->method == NNC_METHOD_DISTILL || a->run->method == NNC_METHOD_DISTILL_ON_POLICY;
}

static bool generates(const asked *a)
{
    return rolls_out(a) && isnan(a->run->rollout_s);
}

static bool has_sites(const asked *a)
{
    return a->run->sites > 1.0;
}

static bool reads_samples(const asked *a)
{
    return !isnan(a->run->sample_bytes);
}

static bool reads_storage(const asked *a)
{
    return reads_samples(a) && !isnan(a->run->input_bytes_per_s);
}

static bool has_input(const asked *a)
{
    return reads_samples(a) || !isnan(a->run->prepare_s) || !isnan(a->run->prepared_bytes);
}

static bool prepares(const asked *a)
{
    return !isnan(a->run->prepare_s) || !isnan(a->run->prepared_bytes);
}

static bool is_embodied(const asked *a)
{
    const nnc_run_ask *run = a->run;
    return !(isnan(run->embodied_kg) && isnan(a->device->embodied_kg)) && !isnan(run->life_s) &&
           !isnan(run->use_share);
}

static bool stores(const asked *a)
{
    return !isnan(a->run->stored_bytes);
}

static bool moves_out(const asked *a)
{
    return !isnan(a->run->egress_bytes);
}

static bool drafts(const asked *a)
{
    return a->serve->draft[0] != '\0' || a->serve->draft_length > 0;
}

static bool denoises(const asked *a)
{
    return a->serve->steps > 0;
}

static bool freezes(const asked *a)
{
    return a->plan->adapter_rank > 0 || a->plan->train != NNC_TRAIN_ALL;
}

static bool splits_products(const asked *a)
{
    return a->plan->tensor > 1 || !a->plan->sequence_parallel;
}

static bool is_open(const asked *a)
{
    return !isnan(a->serve->request_rate) && a->serve->arrivals[0] == '\0';
}

static bool is_closed(const asked *a)
{
    return a->serve->concurrency > 0;
}

static bool loops(const asked *a)
{
    return is_closed(a) || !isnan(a->serve->request_rate) || a->serve->arrivals[0] != '\0';
}

typedef struct reader {
    const char *field;
    bool (*reads)(const asked *a);
    const char *needs;
} reader;

#define OF_A_METHOD "--method grpo, ppo, dpo or distill"
#define OF_GENERATION "--method grpo, ppo or distill-on-policy"
#define OF_FAILURES "--device-mtbf-s"
#define OF_LOOPS "--request-rate, --arrivals or --concurrency"
#define OF_LIFE "--embodied-kg, --life-s and --use-share together"

static const reader run_readers[] = {
    { "frozen", freezes, "--adapter-rank or --train" },
    { "sequence_parallel", splits_products, "--tensor" },
    { "evaluate_s", evaluates, "--evaluate-every" },
    { "detect_s", stops, OF_FAILURES },
    { "start_s", stops, OF_FAILURES },
    { "replace_s", stops, OF_FAILURES },
    { "repair_s", stops, OF_FAILURES },
    { "failing_share", stops, OF_FAILURES },
    { "elastic_replicas", stops, OF_FAILURES },
    { "spares", replaces, "--replace-s" },
    { "reshard_s", is_elastic, "--elastic-replicas" },
    { "checkpoint_bytes", saves, OF_FAILURES " or --checkpoint-interval-s" },
    { "storage_write_bytes_per_s", saves, OF_FAILURES " or --checkpoint-interval-s" },
    { "storage_read_bytes_per_s", saves, OF_FAILURES " or --checkpoint-interval-s" },
    { "asynchronous", saves, OF_FAILURES " or --checkpoint-interval-s" },
    { "block_s", saves, OF_FAILURES " or --checkpoint-interval-s" },
    { "save_s", saves, OF_FAILURES " or --checkpoint-interval-s" },
    { "load_s", saves, OF_FAILURES " or --checkpoint-interval-s" },
    { "policy_params", tunes, OF_A_METHOD },
    { "reference_params", has_reference, "--method grpo, ppo or dpo" },
    { "reward_params", has_reward, OF_GENERATION },
    { "critic_params", has_critic, "--method ppo" },
    { "teacher_params", has_teacher, "--method distill or distill-on-policy" },
    { "update_epochs", tunes, OF_A_METHOD },
    { "sampler_logprobs", rolls_out, OF_GENERATION },
    { "prompt_tokens", rolls_out, OF_GENERATION },
    { "response_tokens", rolls_out, OF_GENERATION },
    { "group", rolls_out, OF_GENERATION },
    { "rollout_batch", generates, OF_GENERATION " without --rollout-s" },
    { "rollout_tensor", rolls_out, OF_GENERATION },
    { "rollout_devices", rolls_out, OF_GENERATION },
    { "rollout_overlap", rolls_out, OF_GENERATION },
    { "rollout_tail", generates, OF_GENERATION " without --rollout-s" },
    { "rollout_tokens_per_s", generates, OF_GENERATION " without --rollout-s" },
    { "rollout_s", rolls_out, OF_GENERATION },
    { "score_s", tunes, OF_A_METHOD },
    { "sync_s", rolls_out, OF_GENERATION },
    { "sync_bytes_per_s", rolls_out, OF_GENERATION },
    { "outer_every", has_sites, "--sites" },
    { "outer_bytes", has_sites, "--sites" },
    { "site_bytes_per_s", has_sites, "--sites" },
    { "outer_overlap_s", has_sites, "--sites" },
    { "input_bytes_per_s", reads_samples, "--sample-bytes" },
    { "access_share", reads_storage, "--sample-bytes and --input-bytes-per-s" },
    { "cached_share", reads_storage, "--sample-bytes and --input-bytes-per-s" },
    { "workers", prepares, "--prepare-s" },
    { "prefetch", prepares, "--prepared-bytes" },
    { "serial_input", has_input, "--sample-bytes or --prepare-s" },
    { "embodied_kg", is_embodied, OF_LIFE },
    { "life_s", is_embodied, OF_LIFE },
    { "use_share", is_embodied, OF_LIFE },
    { "storage_price", stores, "--stored-bytes" },
    { "egress_price", moves_out, "--egress-bytes" },
};

static const reader serve_readers[] = {
    { "waves", is_closed, "--concurrency" },
    { "burstiness", is_open, "--request-rate" },
    { "length_spread", loops, OF_LOOPS },
    { "preempt", loops, OF_LOOPS },
    { "requests", loops, OF_LOOPS },
    { "seed", loops, OF_LOOPS },
    { "acceptance", drafts, "--draft or --draft-length" },
    { "draft_share", drafts, "--draft or --draft-length" },
    { "image", denoises, "--steps" },
    { "beside_s", denoises, "--steps" },
    { "guidance", denoises, "--steps" },
};

static nnc_status refuse_unread(const nnc_scenario_args *given, const reader *readers, size_t count,
                                const asked *a, nnc_error *err)
{
    for (int i = 0; i < given->own_count; i++) {
        const char *name = given->settings[i].field->name;
        for (size_t r = 0; r < count; r++) {
            char option[NNC_OPTION_NAME];
            if (strcmp(readers[r].field, name) != 0 || readers[r].reads(a)) {
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
    const asked a = { .run = &scenario->run_ask,
                      .plan = &scenario->plan,
                      .device = &scenario->device };
    return refuse_unread(given, run_readers, NNC_COUNT_OF(run_readers), &a, err);
}

nnc_status nnc_serve_scenario_check_read(const nnc_scenario_args *given,
                                         const nnc_serve_scenario *scenario, nnc_error *err)
{
    const asked a = { .serve = &scenario->ask, .device = &scenario->base.device };
    return refuse_unread(given, serve_readers, NNC_COUNT_OF(serve_readers), &a, err);
}
