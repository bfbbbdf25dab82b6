/* The fields of a whole run and of a budget: options, and the "run" of a plan file. */
#include <string.h>

#include <nncost/run.h>

#include "fields/fields_internal.h"

#define AMOUNT_MAX 1e18
#define TIME_MAX 1e12
#define DAY_S 86400.0
#define TIME(member) NNC_FIELD(nnc_run_ask, member), .unit = "s", .max = TIME_MAX
#define BYTES(member) NNC_FIELD(nnc_run_ask, member), .unit = "B", .max = 1e18
#define RATE(member) NNC_FIELD(nnc_run_ask, member), .unit = "B/s", .max = 1e18, .above_min = true
#define SHARE(member) NNC_FIELD(nnc_run_ask, member), .max = 1
#define NUMBER(member) NNC_FIELD(nnc_run_ask, member), .max = AMOUNT_MAX

static const nnc_field run_fields[] = {
    { NUMBER(epochs), .above_min = true, .group = "Run",
      .help = "Passes over the dataset, with --dataset-size." },
    { NUMBER(dataset_size), .above_min = true,
      .help = "Tokens of the dataset; images or other samples for a model without tokens." },
    { NUMBER(days), .above_min = true, .help = "Train for this many days." },
    { NUMBER(device_hours), .above_min = true,
      .help = "Train for this many device-hours, the unit of published totals." },
    { TIME(step_s), .above_min = true, .default_text = "the estimate's",
      .help = "Time of one step, instead of the estimate." },
    { NNC_FIELD(nnc_run_ask, step_flops), .max = 1e30, .above_min = true, .unit = "FLOP",
      .default_text = "the estimate's",
      .help = "Model FLOPs of one step, instead of the estimate." },
    { TIME(warmup_s), NNC_DEFAULT(0),
      .help = "Time spent once: start of the job, compilation, ramp of the batch size." },
    { NUMBER(evaluate_every), NNC_DEFAULT(0), .help = "Steps between evaluations; 0 = none." },
    { TIME(evaluate_s), .help = "Time of one evaluation." },
    { SHARE(straggler_share), NNC_DEFAULT(0), .help = "Share of the time lost to slow devices." },

    { NNC_FIELD(nnc_run_ask, stops), .group = "Failures",
      NNC_FIELD_NAMES(nnc_stops, NNC_STOPS_COUNT), NNC_DEFAULT_AS(NNC_STOPS_ANY, "any"),
      .help = "Failures that the device file's mean time between failures counts." },
    { TIME(device_mtbf_s), .above_min = true, .default_text = "the device file's",
      .help = "Mean time between failures of one device; for the run it is divided by the number "
              "of devices." },
    { TIME(detect_s), NNC_DEFAULT(600), .help = "Time until a failure is detected." },
    { TIME(start_s), NNC_DEFAULT(30), .help = "Time to restart all ranks." },
    { TIME(replace_s), .default_text = "0",
      .help = "Time to replace a failed node when no spare is ready." },
    { NUMBER(spares), NNC_DEFAULT(0), .help = "Spare nodes that are ready." },
    { TIME(repair_s), NNC_DEFAULT_AS(2 * DAY_S, "2d"),
      .help = "Time until a failed node is repaired and back." },
    { SHARE(failing_share), NNC_DEFAULT(1), .help = "Share of the failures that cost a node." },
    { SHARE(reclaim_per_month), NNC_DEFAULT(0),
      .help = "Share of spot nodes that the seller takes back per month." },
    { NUMBER(elastic_replicas), NNC_DEFAULT(0),
      .help = "Number of replicas of an elastic job: the others continue while one is replaced. 0 "
              "= all stop and return to a checkpoint." },
    { TIME(reshard_s), NNC_DEFAULT(60),
      .help = "Time until the remaining replicas of an elastic job continue." },
    { NUMBER(planned_stops), NNC_DEFAULT(0), .help = "Planned stops, such as maintenance." },

    { BYTES(checkpoint_bytes), .group = "Checkpoints", .above_min = true,
      .default_text = "weights, master copy and moments", .help = "Bytes of one checkpoint." },
    { RATE(storage_write_bytes_per_s), .default_text = "122 MB/s per device",
      .help = "Rate at which all devices together write checkpoints." },
    { RATE(storage_read_bytes_per_s), .default_text = "as for writing",
      .help = "Rate at which all devices together read a checkpoint." },
    { NNC_FIELD(nnc_run_ask, asynchronous), NNC_DEFAULT_OFF,
      .help = "Training continues while a checkpoint is written." },
    { TIME(block_s), .default_text = "save_s; asynchronous: copy to the host",
      .help = "Time that training waits for a checkpoint." },
    { TIME(save_s), .default_text = "bytes over rate",
      .help = "Time until a checkpoint is durable." },
    { TIME(load_s), .default_text = "bytes over rate", .help = "Time to load a checkpoint." },
    { TIME(checkpoint_interval_s), .above_min = true, .default_text = "the best",
      .help = "Training time between two checkpoints." },

    { NNC_FIELD(nnc_run_ask, method), .group = "Fine-tuning",
      NNC_FIELD_NAMES(nnc_method, NNC_METHOD_COUNT), NNC_DEFAULT_AS(NNC_METHOD_TRAIN, "train"),
      .help = "Training method: which other models run on the tokens of a step." },
    { NUMBER(policy_params), .above_min = true, .default_text = "the model's active ones",
      .help = "Active parameters of the trained model; the next four are relative to it." },
    { NUMBER(reference_params), .default_text = "as many as the policy",
      .help = "Active parameters of the reference model; 0 = none, or its answers are stored." },
    { NUMBER(reward_params), .default_text = "ppo: as many as the policy; else none",
      .help = "Active parameters of the reward model; 0 = none." },
    { NUMBER(critic_params), .default_text = "as many as the policy",
      .help = "Active parameters of the critic of ppo; 0 = none." },
    { NUMBER(teacher_params), .above_min = true, .help = "Active parameters of the teacher." },
    { NUMBER(update_epochs), .above_min = true, NNC_DEFAULT(1),
      .help = "Training passes over each generated batch." },
    { NNC_FIELD(nnc_run_ask, sampler_logprobs), NNC_DEFAULT_OFF,
      .help = "Use the log probabilities of the sampler instead of computing them again with the "
              "policy." },
    { NUMBER(prompt_tokens), NNC_DEFAULT(0), .help = "Tokens of a prompt." },
    { NUMBER(response_tokens), .above_min = true, .default_text = "the rest of the sequence",
      .help = "Mean number of generated tokens per prompt." },
    { NUMBER(group), .min = 1, NNC_DEFAULT(1), .help = "Answers per prompt." },
    { NUMBER(rollout_batch), .min = 1, .default_text = "those of a step, or as many as fit",
      .help = "Sequences generated together on one replica." },
    { NUMBER(rollout_tensor), .min = 1, NNC_DEFAULT(1),
      .help = "Devices that split each matrix product during generation." },
    { NUMBER(rollout_devices), NNC_DEFAULT(0),
      .help = "Devices that only generate; 0 = the training devices also generate." },
    { NNC_FIELD(nnc_run_ask, rollout_overlap), NNC_DEFAULT_OFF,
      .help = "Generation overlaps with training, with weights that are one step old." },
    { NUMBER(rollout_tail), .min = 1, NNC_DEFAULT(1),
      .help = "Longest answer over the mean length: a batch waits for its longest answer." },
    { NUMBER(rollout_tokens_per_s), .above_min = true, .default_text = "that of 'nncost serve'",
      .help = "Generated tokens per second of one generating device." },
    { TIME(rollout_s), .default_text = "tokens over rate",
      .help = "Time to generate the samples of a step." },
    { TIME(score_s), .default_text = "that of its forward passes",
      .help = "Time to score the samples of a step." },
    { TIME(sync_s), .default_text = "bytes over rate",
      .help = "Time to send new weights to the generating devices." },
    { RATE(sync_bytes_per_s), .default_text = "devices of their own: the network; else at once",
      .help = "Rate at which new weights are sent." },

    { NUMBER(sites), .min = 1, .group = "Sites", NNC_DEFAULT(1),
      .help = "Sites, each with the devices of the plan, that average their weights every "
              "--outer-every steps." },
    { NUMBER(outer_every), .above_min = true,
      .help = "Steps between two averages of the weights (DiLoCo)." },
    { BYTES(outer_bytes), .above_min = true, .default_text = "4 per parameter",
      .help = "Bytes of the weights as they are sent between sites." },
    { RATE(site_bytes_per_s), .help = "Bandwidth of the link of one site in one direction." },
    { TIME(outer_overlap_s), NNC_DEFAULT(0),
      .help = "Part of the averaging time that overlaps with training." },

    { BYTES(sample_bytes), .group = "Input", .help = "Bytes of a sample in storage." },
    { RATE(input_bytes_per_s), .help = "Rate of the storage for input, for all devices together." },
    { SHARE(access_share), .above_min = true, NNC_DEFAULT(1),
      .help = "Share of that rate that the access pattern reaches; small random reads: 0.1 to "
              "0.4." },
    { SHARE(cached_share), NNC_DEFAULT(0), .help = "Share of the samples that are cached." },
    { TIME(prepare_s),
      .help = "Time of one worker to prepare one sample: decoding, augmentation." },
    { NUMBER(workers), .above_min = true, NNC_DEFAULT(8),
      .help = "Data-loading workers per device." },
    { NUMBER(prefetch), NNC_DEFAULT(2), .help = "Batches that each worker prefetches." },
    { BYTES(prepared_bytes), .help = "Bytes of a sample as it is sent to the device." },
    { TIME(encode_s), NNC_DEFAULT(0),
      .help = "Time of a device to encode a sample before the step (images to latents, texts); 0 = "
              "cached." },
    { NNC_FIELD(nnc_run_ask, serial_input), NNC_DEFAULT_OFF,
      .help = "Data loading does not overlap with compute." },

    { NNC_FIELD(nnc_run_ask, idle_w), .group = "Energy", .unit = "W", .max = 1e6,
      .default_text = "the device file's node_power",
      .help = "Power of an idle node, divided by its number of devices." },
    { NNC_FIELD(nnc_run_ask, busy_w), .unit = "W", .max = 1e6,
      .default_text = "the device file's node_power",
      .help = "Power of a busy node, divided by its number of devices." },
    { NNC_FIELD(nnc_run_ask, network_w), .unit = "W", .max = 1e9, NNC_DEFAULT(0),
      .help = "Power of all switches." },
    { NNC_FIELD(nnc_run_ask, pue), .min = 1, .max = 10, NNC_DEFAULT(1),
      .help = "Power usage effectiveness: energy of the building over that of its machines." },
    { NNC_FIELD(nnc_run_ask, carbon_g_per_kwh), .unit = "g/kWh", .max = 1e5,
      .default_text = "that of --region", .help = "Carbon intensity of the grid." },
    { NNC_FIELD(nnc_run_ask, embodied_kg), .unit = "kg", .max = 1e6,
      .help = "Embodied carbon of one device with its share of a node." },
    { TIME(life_s), .above_min = true, .help = "Lifetime of a device." },
    { SHARE(use_share), .above_min = true, .help = "Share of its lifetime in which it is used." },

    { BYTES(stored_bytes), .group = "Cost", .help = "Data and checkpoints kept during the run." },
    { NNC_FIELD(nnc_run_ask, storage_price), .max = 1e6,
      .help = "Price of one stored gigabyte per month." },
    { BYTES(egress_bytes), .help = "Data moved out (egress)." },
    { NNC_FIELD(nnc_run_ask, egress_price), .max = 1e6,
      .help = "Price of moving out one gigabyte." },
};
const nnc_field_table nnc_run_table = { "run", run_fields, NNC_COUNT_OF(run_fields) };

void nnc_run_ask_init(nnc_run_ask *ask, size_t struct_size)
{
    nnc_run_ask unset;
    if (ask != NULL && struct_size >= sizeof struct_size) {
        memset(&unset, 0, sizeof unset);
        nnc_fields_init(&nnc_run_table, &unset);
        ask->struct_size = struct_size;
        nnc_sized_write(ask, &unset, sizeof unset);
    }
}

nnc_status nnc_run_ask_check(const nnc_run_ask *ask, nnc_error *err)
{
    NNC_TRY(nnc_need("nnc_run_ask_check", "ask", ask != NULL, err));
    return nnc_fields_check(&nnc_run_table, NULL, ask, err);
}

/* ---- budget ---- */

static const nnc_field budget_fields[] = {
    { NNC_FIELD(nnc_budget_ask, cost), .max = 1e15, .above_min = true, .group = "Budget",
      .help = "Budget of the run." },
    { NNC_FIELD(nnc_budget_ask, days), .max = 1e6, .above_min = true,
      .help = "Days that the run may take; decides the number of devices." },
    { NNC_FIELD(nnc_budget_ask, params), .max = AMOUNT_MAX, .above_min = true,
      .help = "Parameters of a model whose training is to be priced." },
    { NNC_FIELD(nnc_budget_ask, tokens), .unit = "tokens", .max = AMOUNT_MAX, .above_min = true,
      .help = "Tokens that this model is trained on." },
    { NNC_FIELD(nnc_budget_ask, flops), .unit = "FLOP", .max = 1e40, .above_min = true,
      .help = "FLOPs to spend instead of money; needs no device." },
    { NNC_FIELD(nnc_budget_ask, serve_tokens), .unit = "tokens", .max = 1e30, .above_min = true,
      .help = "Tokens that the model will read and write after training: minimises the FLOPs of "
              "training and serving together." },
    { NNC_FIELD(nnc_budget_ask, mfu), .max = 1, .above_min = true, NNC_DEFAULT(0.4),
      .help = "Share of the peak that a step reaches; see 'nncost estimate'." },
    { NNC_FIELD(nnc_budget_ask, goodput), .max = 1, .above_min = true, NNC_DEFAULT(0.95),
      .help = "Share of the time that is useful; see 'nncost run'." },
    { NNC_FIELD(nnc_budget_ask, price), .max = 1e6, .above_min = true,
      .default_text = "the device file's newest", .help = "Price of one device for one hour." },
};
const nnc_field_table nnc_budget_table = { "budget", budget_fields, NNC_COUNT_OF(budget_fields) };

void nnc_budget_ask_init(nnc_budget_ask *ask, size_t struct_size)
{
    nnc_budget_ask unset;
    if (ask != NULL && struct_size >= sizeof struct_size) {
        memset(&unset, 0, sizeof unset);
        nnc_fields_init(&nnc_budget_table, &unset);
        ask->struct_size = struct_size;
        nnc_sized_write(ask, &unset, sizeof unset);
    }
}
