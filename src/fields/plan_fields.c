/* The fields of training plans, runs, budgets and deployments. The name of a field is its JSON key, its name for --set,
 * its option and the name of a sweep axis. */
#include <nncost/run.h>
#include <nncost/serve.h>
#include <nncost/spec.h>

#include "fields/fields_internal.h"

/* Defines the function TYPE_init, which sets the members of a caller's struct to the defaults of `table`, but writes no
 * more than struct_size bytes. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type */
#define INIT_BY_ROWS(type, table)                                  \
    void type##_init(type *object, size_t struct_size) {           \
        type unset;                                                \
        if (object != NULL && struct_size >= sizeof struct_size) { \
            memset(&unset, 0, sizeof unset);                       \
            nnc_fields_init(&(table), &unset);                     \
            object->struct_size = struct_size;                     \
            nnc_sized_write(object, &unset, sizeof unset);         \
        }                                                          \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

#define SAMPLES_MAX 1e9
#define RUN_MAX 1e18

/* Largest degree of parallelism: 2^24. */
#define DEGREES_MAX 16777216
#define DEGREE(member) NNC_FIELD(nnc_plan, member), .min = 1, .max = DEGREES_MAX

static const char *zero_name(unsigned stage) {
    static const char *const names[] = { "0", "1", "2", "3" };
    return names[stage < 4 ? stage : 3];
}

static const nnc_field plan_fields[] = {
    { DEGREE(devices), .group = "Parallelism", .default_text = "data x tensor x pipeline x context",
      .help = "Total number of devices." },
    { DEGREE(devices_per_node), .default_text = "the device file's", .help = "Devices in one scale-up domain." },
    { DEGREE(data), .alias = "dp", .default_text = "devices / product of the other degrees",
      .help = "Replicas that share the batch." },
    { DEGREE(tensor), .alias = "tp", NNC_DEFAULT(1), .help = "Devices that split each matrix product." },
    { DEGREE(pipeline), .alias = "pp", NNC_DEFAULT(1), .help = "Pipeline stages." },
    { DEGREE(virtual_stages), .alias = "vpp", NNC_DEFAULT(1), .help = "Groups of layers per pipeline stage." },
    { NNC_FIELD(nnc_plan, ends_as_layers), NNC_DEFAULT_OFF,
      .help = "Count embedding and head as one layer each when balancing stages." },
    { NNC_FIELD(nnc_plan, first_stage_layers), .max = 1e5, NNC_DEFAULT(0),
      .help = "Layers of the first pipeline stage; 0 = as many as other stages." },
    { NNC_FIELD(nnc_plan, last_stage_layers), .max = 1e5, NNC_DEFAULT(0),
      .help = "Layers of the last pipeline stage; 0 = as many as other stages." },
    { DEGREE(context), .alias = "cp", NNC_DEFAULT(1), .help = "Devices that split each sequence." },
    { DEGREE(expert), .alias = "ep", NNC_DEFAULT(1),
      .help = "Devices that share the experts; a divisor of data x context." },
    { NNC_FIELD(nnc_plan, whole_experts), NNC_DEFAULT_OFF,
      .help = "Do not split experts over tensor ranks (expert tensor parallel = 1): --expert is "
              "then a divisor of tensor x data x context." },
    { NNC_FIELD(nnc_plan, sequence_parallel), NNC_DEFAULT_OFF,
      .help = "Also split norms and dropout over tensor ranks." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_plan, zero), .group = "Memory", .names = { zero_name, 4 }, NNC_DEFAULT(0),
      .help = "ZeRO stage: 1 divides optimizer states, 2 also gradients, 3 also weights (FSDP)." },
    { DEGREE(shard), .default_text = "data x context",
      .help = "Ranks that share one copy of the tensors that ZeRO divides (HSDP)." },
    { NNC_FIELD(nnc_plan, reshard), NNC_DEFAULT_ON,
      .help = "ZeRO stage 3 frees weights after forward and gathers them again for backward." },
    { NNC_FIELD(nnc_plan, schedule), .group = "Parallelism", NNC_FIELD_NAMES(nnc_schedule, NNC_SCHEDULE_COUNT),
      NNC_DEFAULT_AS(NNC_SCHEDULE_COUNT, "1f1b, interleaved with virtual stages"),
      .help = "Pipeline schedule: the order of forward and backward micro-batches." },
    { NNC_FIELD(nnc_plan, context_kind), NNC_FIELD_NAMES(nnc_context_kind, NNC_CONTEXT_KIND_COUNT),
      NNC_DEFAULT_AS(NNC_CONTEXT_RING, "ring"),
      .help = "How context ranks attend to the tokens of other context ranks." },
    { NNC_FIELD(nnc_plan, rank_order), NNC_FIELD_NAMES(nnc_rank_order, NNC_ORDER_COUNT),
      NNC_DEFAULT_AS(NNC_ORDER_TENSOR_CONTEXT_DATA_PIPELINE, "tensor-context-data-pipeline"),
      .help = "Order in which ranks are numbered: the degree named first varies fastest." },
    { NNC_FIELD_AS(NNC_FIELD_OFFLOAD, nnc_plan, offload), .group = "Memory", NNC_DEFAULT_AS(NNC_OFFLOAD_NONE, "none"),
      .help = "Parts kept in host memory: optimizer, activations, weights." },
    { NNC_FIELD(nnc_plan, overlap), .group = "Parallelism", .max = 1, .default_text = "the software profile's",
      .help = "Share of the communication that overlaps with compute, where overlap is possible." },
    { NNC_FIELD(nnc_plan, capacity_factor), .max = 1000, NNC_DEFAULT(0),
      .help = "Slots of an expert divided by its mean number of tokens; 0 = no token is dropped." },
    { NNC_FIELD(nnc_plan, imbalance), .min = 1, .max = 1000, NNC_DEFAULT(1),
      .help = "Tokens of the busiest expert rank divided by the mean of all ranks." },
    { NNC_FIELD(nnc_plan, micro_batch), .group = "Batch", .min = 1, .max = SAMPLES_MAX, .default_text = "1",
      .help = "Sequences or images per micro-batch of one replica." },
    { NNC_FIELD(nnc_plan, micro_batches), .min = 1, .max = SAMPLES_MAX, .alias = "grad-accum", .default_text = "1",
      .help = "Micro-batches per optimizer step (gradient accumulation)." },
    { NNC_FIELD(nnc_plan, global_batch), .min = 1, .max = 1e12, .default_text = "micro_batch x micro_batches x data",
      .help = "Sequences or images per step." },
    { NNC_FIELD(nnc_plan, seq_len), .unit = "tokens", .min = 1, .max = 1e9, .default_text = "the model's",
      .help = "Length of a sequence." },
    { NNC_FIELD(nnc_plan, image), .unit = "pixels", .min = 1, .max = 1e6, .default_text = "the model's",
      .help = "Height and width of an image in pixels." },
    { NNC_FIELD(nnc_plan, precision), .group = "Numbers", .names = { nnc_dtype_name, NNC_DTYPE_COUNT },
      NNC_DEFAULT_AS(NNC_DTYPE_COUNT, "bf16, else fp16, else fp32"), .help = "Number format of the matrix products." },
    { NNC_FIELD(nnc_plan, policy), NNC_FIELD_NAMES(nnc_policy, NNC_POLICY_COUNT),
      NNC_DEFAULT_AS(NNC_POLICY_DEFAULT, "default"),
      .help = "Precision policy: formats of weights, gradients and optimizer states. default: fp32 if --precision is "
              "fp32 or tf32, else mixed." },
    { NNC_FIELD(nnc_plan, optimizer), NNC_FIELD_NAMES(nnc_optimizer, NNC_OPTIMIZER_COUNT),
      NNC_DEFAULT_AS(NNC_OPTIMIZER_ADAMW, "adamw"),
      .help = "Optimizer: determines the optimizer states and the work of the update." },
    { NNC_FIELD(nnc_plan, optimizer_rank), .group = "Numbers", .min = 1, .max = 65536, NNC_DEFAULT(16),
      .help = "Rank to which the optimizers galore and apollo project gradients." },
    { NNC_FIELD(nnc_plan, optimizer_kernels), NNC_FIELD_NAMES(nnc_optimizer_kernels, NNC_OPTIMIZER_KERNELS_COUNT),
      NNC_DEFAULT_AS(NNC_KERNELS_DEFAULT, "default"),
      .help = "Kernels of the update: one for all operations, or one for each operation." },
    { NNC_FIELD_AS(NNC_FIELD_RECOMPUTE, nnc_plan, recompute), .group = "Memory",
      NNC_DEFAULT_AS(NNC_RECOMPUTE_NONE, "none"),
      .help = "Activation checkpointing: parts of forward that backward computes again, so that their tensors are not "
              "kept. For a captured step also paths of modules, such as layers.*.mlp." },
    { NNC_FIELD_AS(NNC_FIELD_TRAIN, nnc_plan, train), .group = "Memory", NNC_DEFAULT_AS(NNC_TRAIN_ALL, "all"),
      .help = "Parts whose weights are trained; all other parts are frozen. For a captured step, paths of modules." },
    { NNC_FIELD(nnc_plan, train_layers), .group = "Memory", .max = 1e5, NNC_DEFAULT(0),
      .help = "Number of successive layers whose weights or adapters are trained; 0 = all layers. Parts outside the "
              "layers (embedding, head) are frozen unless --train lists them." },
    { NNC_FIELD(nnc_plan, train_from), .group = "Memory", .min = -1, .max = 1e5, NNC_DEFAULT(-1),
      .help = "Index, from 0, of the first of the layers that --train-layers trains; -1 = train the last layers." },
    { NNC_FIELD(nnc_plan, next_tokens), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "Also train the layers for multi-token prediction (next_layers of the model)." },
    { NNC_FIELD(nnc_plan, adapter_rank), .group = "Memory", .max = 65536, .alias = "lora", NNC_DEFAULT(0),
      .help = "Rank of low-rank adapters of linear layers (LoRA); 0 = no adapters. Only the "
              "adapters are trained unless --train adds parts." },
    { NNC_FIELD_AS(NNC_FIELD_ADAPTERS, nnc_plan, adapters), .group = "Memory",
      NNC_DEFAULT_AS(NNC_ADAPTED_LINEAR, "linear"),
      .help = "Linear layers with adapters; routed experts have none unless listed." },
    { NNC_FIELD(nnc_plan, dora), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "Adapters train the direction of each weight and a separate magnitude per output "
              "(DoRA)." },
    { NNC_FIELD(nnc_plan, oft), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "Adapters rotate the inputs of each layer, in blocks of --adapter-rank (OFT)." },
    { NNC_FIELD(nnc_plan, frozen), .group = "Memory", NNC_FIELD_NAMES(nnc_frozen, NNC_FROZEN_COUNT),
      NNC_DEFAULT_AS(NNC_FROZEN_16, "16bit"),
      .help = "Storage format of frozen weights. For a captured step, paths of modules that are not trained." },
    { NNC_FIELD(nnc_plan, fp8_inputs), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "Keep the inputs of activation functions in 8 bits for backward." },
    { NNC_FIELD(nnc_plan, recompute_every), .min = 1, .max = 1e5, NNC_DEFAULT(1),
      .help = "Number of layers that full recomputation runs again from one kept input." },
    { NNC_FIELD(nnc_plan, recompute_layers), .max = 1e5, NNC_DEFAULT(0),
      .help = "Number of layers of each stage that are recomputed in full; 0 = all layers." },
    { NNC_FIELD(nnc_plan, attention), .group = "Numbers", NNC_FIELD_NAMES(nnc_attention, NNC_ATTENTION_COUNT),
      NNC_DEFAULT_AS(NNC_ATTENTION_FLASH, "flash"), .help = "Attention as one fused kernel, or as separate kernels." },
    { NNC_FIELD(nnc_plan, activations), .group = "Memory", NNC_FIELD_NAMES(nnc_activations, NNC_ACTIVATIONS_COUNT),
      NNC_DEFAULT_AS(NNC_ACTIVATIONS_PER_OP, "per-op"),
      .help = "Rule by which the bytes of kept activations are counted." },
    { NNC_FIELD(nnc_plan, mode), .group = "Numbers", NNC_FIELD_NAMES(nnc_mode, NNC_MODE_COUNT),
      NNC_DEFAULT_AS(NNC_MODE_PREDICTED, "predicted"),
      .help = "Compute the predicted step with the fitted efficiencies of the device, or the lower bound at datasheet "
              "rates." },
    { NNC_FIELD(nnc_plan, flops_convention), NNC_FIELD_NAMES(nnc_flops_convention, NNC_CONVENTION_COUNT),
      NNC_DEFAULT_AS(NNC_CONVENTION_PALM, "palm"), .help = "Rule by which model FLOPs are counted." },
    { NNC_FIELD(nnc_plan, clip_gradients), NNC_DEFAULT_ON,
      .help = "Clip gradients by the norm of all gradients before the update." },
    { NNC_FIELD(nnc_plan, tokens), .group = "Cost", .unit = "tokens", .min = 1, .max = RUN_MAX,
      .help = "Tokens to train on in the whole run." },
    { NNC_FIELD(nnc_plan, samples), .min = 1, .max = RUN_MAX,
      .help = "Sequences or images to train on in the whole run." },
    { NNC_FIELD(nnc_plan, price), .max = 1e6, .default_text = "the device file's newest",
      .help = "Price of one device for one hour, in the currency of the device file (US dollars if "
              "it has no prices)." },
    { NNC_FIELD(nnc_plan, reserve_bytes), .group = "Memory", .unit = "B", .max = 1e15,
      NNC_DEFAULT_AS(-1, "the software profile's"),
      .help = "Device memory for other uses: driver, collectives, allocator fragmentation. If it is "
              "given, the verdict uses the predicted peak without a margin." },
};

const nnc_field_table nnc_plan_table = { "plan", plan_fields, NNC_COUNT_OF(plan_fields) };

_Static_assert(sizeof(nnc_plan) <= NNC_PLAN_SPACE, "nnc_plan is larger than its space in other structs");

INIT_BY_ROWS(nnc_plan, nnc_plan_table)

nnc_status nnc_plan_set(nnc_plan *plan, const char *field, const char *value, nnc_error *err) {
    NNC_NEED(plan);
    NNC_NEED(field);
    NNC_NEED(value);
    return nnc_field_set(&nnc_plan_table, plan, field, value, err);
}

nnc_status nnc_plan_check(const nnc_plan *plan, nnc_error *err) {
    NNC_TRY(nnc_need("nnc_plan_check", "plan", plan != NULL, err));
    return nnc_fields_check(&nnc_plan_table, NULL, plan, err);
}

/* ---- fields of a whole run and of a budget: options, and the key "run" of a plan file ---- */

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
      .help = "Number of passes over the dataset in the whole run; needs --dataset-size." },
    { NUMBER(dataset_size), .above_min = true,
      .help = "Size of the dataset: tokens, or images or other samples for a model without tokens." },
    { NUMBER(days), .above_min = true, .help = "Train for this many days." },
    { NUMBER(device_hours), .above_min = true,
      .help = "Train for this many device-hours, the unit of published totals." },
    { TIME(step_s), .above_min = true, .default_text = "the estimate's",
      .help = "Time of one step; it replaces the estimated step time." },
    { NNC_FIELD(nnc_run_ask, step_flops), .max = 1e30, .above_min = true, .unit = "FLOP",
      .default_text = "the estimate's", .help = "Model FLOPs of one step; they replace the estimated FLOPs." },
    { TIME(warmup_s), NNC_DEFAULT(0),
      .help = "Time that a run spends once, for the start of the job, compilation and the ramp of the batch size." },
    { NUMBER(evaluate_every), NNC_DEFAULT(0), .help = "Steps between evaluations; 0 = none." },
    { TIME(evaluate_s), .help = "Time of one evaluation." },
    { SHARE(straggler_share), NNC_DEFAULT(0), .help = "Share of the time lost to slow devices." },

    { NNC_FIELD(nnc_run_ask, stops), .group = "Failures", NNC_FIELD_NAMES(nnc_stops, NNC_STOPS_COUNT),
      NNC_DEFAULT_AS(NNC_STOPS_ANY, "any"),
      .help = "Kind of failures to count: the device file gives the mean time between failures of each kind." },
    { TIME(device_mtbf_s), .above_min = true, .default_text = "the device file's",
      .help = "Mean time between failures of one device; for the run it is divided by the number "
              "of devices." },
    { TIME(detect_s), NNC_DEFAULT(600), .help = "Time until a failure is detected." },
    { TIME(start_s), NNC_DEFAULT(30), .help = "Time to restart all ranks." },
    { TIME(replace_s), .default_text = "0", .help = "Time to replace a failed node when no spare is ready." },
    { NUMBER(spares), NNC_DEFAULT(0), .help = "Spare nodes that are ready." },
    { TIME(repair_s), NNC_DEFAULT_AS(2 * DAY_S, "2d"),
      .help = "Time until a failed node is repaired and in use again." },
    { SHARE(failing_share), NNC_DEFAULT(1), .help = "Share of the failures after which a node must be repaired." },
    { SHARE(reclaim_per_month), NNC_DEFAULT(0), .help = "Share of spot nodes that the seller takes back per month." },
    { NUMBER(elastic_replicas), NNC_DEFAULT(0),
      .help = "Number of replicas of an elastic job: while one is replaced, the other replicas continue. 0 = all "
              "replicas stop and return to a checkpoint." },
    { TIME(reshard_s), NNC_DEFAULT(60),
      .help = "Time from the detection of a failure until the other replicas of an elastic job continue." },
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
    { TIME(save_s), .default_text = "bytes / rate", .help = "Time until a checkpoint is durable." },
    { TIME(load_s), .default_text = "bytes / rate", .help = "Time to load a checkpoint." },
    { TIME(checkpoint_interval_s), .above_min = true, .default_text = "the best",
      .help = "Training time between two checkpoints." },

    { NNC_FIELD(nnc_run_ask, method), .group = "Fine-tuning", NNC_FIELD_NAMES(nnc_method, NNC_METHOD_COUNT),
      NNC_DEFAULT_AS(NNC_METHOD_TRAIN, "train"),
      .help = "Training method: which other models run on the tokens of a step." },
    { NUMBER(policy_params), .above_min = true, .default_text = "active parameters of the model",
      .help = "Active parameters of the trained model (the policy)." },
    { NUMBER(reference_params), .default_text = "as many as the policy",
      .help = "Active parameters of the reference model; 0 = no such model, or its answers are stored." },
    { NUMBER(reward_params), .default_text = "ppo: as many as the policy; else none",
      .help = "Active parameters of the reward model; 0 = no reward model." },
    { NUMBER(critic_params), .default_text = "as many as the policy",
      .help = "Active parameters of the critic of ppo; 0 = no critic." },
    { NUMBER(teacher_params), .above_min = true, .help = "Active parameters of the teacher." },
    { NUMBER(reference_total_params), .default_text = "--reference-params",
      .help = "Parameters of the reference model in memory, with all experts." },
    { NUMBER(reward_total_params), .default_text = "--reward-params",
      .help = "Parameters of the reward model in memory, with all experts." },
    { NUMBER(critic_total_params), .default_text = "--critic-params",
      .help = "Parameters of the critic in memory, with all experts." },
    { NUMBER(teacher_total_params), .default_text = "--teacher-params",
      .help = "Parameters of the teacher in memory, with all experts." },
    { NUMBER(update_epochs), .above_min = true, NNC_DEFAULT(1), .help = "Training passes over each generated batch." },
    { NNC_FIELD(nnc_run_ask, sampler_logprobs), NNC_DEFAULT_OFF,
      .help = "Use the log probabilities of the sampler instead of computing them again with the "
              "policy." },
    { NUMBER(prompt_tokens), NNC_DEFAULT(0), .help = "Tokens of a prompt." },
    { NUMBER(response_tokens), .above_min = true, .default_text = "the rest of the sequence",
      .help = "Mean number of generated tokens per prompt." },
    { NUMBER(group), .min = 1, NNC_DEFAULT(1), .help = "Generated answers per prompt." },
    { NUMBER(rollout_batch), .min = 1, .default_text = "sequences of a step, or as many as fit",
      .help = "Sequences generated together on one replica." },
    { NUMBER(rollout_tensor), .min = 1, NNC_DEFAULT(1),
      .help = "Devices that split each matrix product during generation." },
    { NUMBER(rollout_devices), NNC_DEFAULT(0),
      .help = "Devices that only generate; 0 = the training devices also generate." },
    { NNC_FIELD(nnc_run_ask, rollout_overlap), NNC_DEFAULT_OFF,
      .help = "Generation overlaps with training and uses weights that are one step old." },
    { NUMBER(rollout_tail), .min = 1, NNC_DEFAULT(1),
      .help = "Length of the longest answer divided by the mean length: a batch waits for its longest answer." },
    { NUMBER(rollout_tokens_per_s), .above_min = true, .default_text = "rate of 'nncost serve'",
      .help = "Generated tokens per second of one generating device." },
    { TIME(rollout_s), .default_text = "tokens / rate", .help = "Time to generate the samples of a step." },
    { TIME(score_s), .default_text = "time of the forward passes", .help = "Time to score the samples of a step." },
    { TIME(sync_s), .default_text = "bytes / rate", .help = "Time to send new weights to the generating devices." },
    { RATE(sync_bytes_per_s), .default_text = "network rate with --rollout-devices; else unlimited",
      .help = "Rate at which new weights are sent to the generating devices." },

    { NUMBER(sites), .min = 1, .group = "Sites", NNC_DEFAULT(1),
      .help = "Sites, each with the devices of the plan, that average their weights every "
              "--outer-every steps." },
    { NUMBER(outer_every), .above_min = true, .help = "Steps between two averages of the weights (DiLoCo)." },
    { BYTES(outer_bytes), .above_min = true, .default_text = "4 per parameter",
      .help = "Bytes of the weights as they are sent between sites." },
    { RATE(site_bytes_per_s), .help = "Bandwidth of the link of one site in one direction." },
    { TIME(outer_overlap_s), NNC_DEFAULT(0), .help = "Time of the averaging that overlaps with training." },

    { BYTES(sample_bytes), .group = "Input", .help = "Bytes of a sample in storage." },
    { RATE(input_bytes_per_s), .help = "Rate at which the storage delivers training data, for all devices together." },
    { SHARE(access_share), .above_min = true, NNC_DEFAULT(1),
      .help = "Share of the storage rate that reads of samples reach; small random reads reach 0.1 to 0.4." },
    { SHARE(cached_share), NNC_DEFAULT(0), .help = "Share of the samples that are cached and not read from storage." },
    { TIME(prepare_s), .help = "Time of one worker to prepare one sample: decoding, augmentation." },
    { NUMBER(workers), .above_min = true, NNC_DEFAULT(8), .help = "Data-loading workers per device." },
    { NUMBER(prefetch), NNC_DEFAULT(2), .help = "Batches that each worker prefetches." },
    { BYTES(prepared_bytes), .help = "Bytes of a sample as it is sent to the device." },
    { TIME(encode_s), NNC_DEFAULT(0),
      .help = "Time of a device to encode a sample before the step (image to latent, text to states); 0 = samples were "
              "encoded before training." },
    { NNC_FIELD(nnc_run_ask, serial_input), NNC_DEFAULT_OFF, .help = "Data loading does not overlap with compute." },

    { NNC_FIELD(nnc_run_ask, idle_w), .group = "Energy", .unit = "W", .max = 1e6,
      .default_text = "the device file's node_power",
      .help = "Power of an idle node, divided by its number of devices." },
    { NNC_FIELD(nnc_run_ask, busy_w), .unit = "W", .max = 1e6, .default_text = "the device file's node_power",
      .help = "Power of a busy node, divided by its number of devices." },
    { NNC_FIELD(nnc_run_ask, network_w), .unit = "W", .max = 1e9, NNC_DEFAULT(0),
      .help = "Power of all network switches of the cluster." },
    { NNC_FIELD(nnc_run_ask, pue), .min = 1, .max = 10, NNC_DEFAULT(1),
      .help = "Power usage effectiveness: energy of the building divided by the energy of its machines." },
    { NNC_FIELD(nnc_run_ask, carbon_g_per_kwh), .unit = "g/kWh", .max = 1e5, .default_text = "the region's",
      .help = "Carbon intensity of the grid." },
    { NNC_FIELD(nnc_run_ask, embodied_kg), .unit = "kg", .max = 1e6,
      .help = "Embodied carbon of one device with its share of a node." },
    { TIME(life_s), .above_min = true,
      .help = "Time for which a device is kept, over which embodied carbon is spread." },
    { SHARE(use_share), .above_min = true, .help = "Share of its lifetime (--life-s) in which a device is used." },

    { BYTES(stored_bytes), .group = "Cost", .help = "Bytes of data and checkpoints that are stored during the run." },
    { NNC_FIELD(nnc_run_ask, storage_price), .max = 1e6, .help = "Price of one stored gigabyte per month." },
    { BYTES(egress_bytes), .help = "Bytes that are moved out of the cloud (egress)." },
    { NNC_FIELD(nnc_run_ask, egress_price), .max = 1e6, .help = "Price of moving one gigabyte out of the cloud." },
};
const nnc_field_table nnc_run_table = { "run", run_fields, NNC_COUNT_OF(run_fields) };

INIT_BY_ROWS(nnc_run_ask, nnc_run_table)

nnc_status nnc_run_ask_check(const nnc_run_ask *ask, nnc_error *err) {
    NNC_TRY(nnc_need("nnc_run_ask_check", "ask", ask != NULL, err));
    return nnc_fields_check(&nnc_run_table, NULL, ask, err);
}

/* ---- fields of a budget ---- */

static const nnc_field budget_fields[] = {
    { NNC_FIELD(nnc_budget_ask, cost), .max = 1e15, .above_min = true, .group = "Budget",
      .help = "Budget of the run." },
    { NNC_FIELD(nnc_budget_ask, days), .max = 1e6, .above_min = true,
      .help = "Days that the run may take; decides the number of devices." },
    { NNC_FIELD(nnc_budget_ask, params), .max = AMOUNT_MAX, .above_min = true,
      .help = "Parameters of a model, to compute the cost of its training." },
    { NNC_FIELD(nnc_budget_ask, tokens), .unit = "tokens", .max = AMOUNT_MAX, .above_min = true,
      .help = "Tokens that the model of --params is trained on." },
    { NNC_FIELD(nnc_budget_ask, flops), .unit = "FLOP", .max = 1e40, .above_min = true,
      .help = "FLOPs to spend instead of money; needs no device." },
    { NNC_FIELD(nnc_budget_ask, serve_tokens), .unit = "tokens", .max = 1e30, .above_min = true,
      .help = "Tokens that the model will read and write after training: minimises the FLOPs of "
              "training and serving together." },
    { NNC_FIELD(nnc_budget_ask, mfu), .max = 1, .above_min = true, NNC_DEFAULT(0.4),
      .help = "Share of the peak FLOP/s that a step reaches (MFU); 'nncost estimate' computes it." },
    { NNC_FIELD(nnc_budget_ask, goodput), .max = 1, .above_min = true, NNC_DEFAULT(0.95),
      .help = "Share of the run that is useful training time (goodput); 'nncost run' computes it." },
    { NNC_FIELD(nnc_budget_ask, price), .max = 1e6, .above_min = true, .default_text = "the device file's newest",
      .help = "Price of one device for one hour." },
};
const nnc_field_table nnc_budget_table = { "budget", budget_fields, NNC_COUNT_OF(budget_fields) };

INIT_BY_ROWS(nnc_budget_ask, nnc_budget_table)

/* ---- fields of serving: a deployment (options, and an entry of a plan file), the fitted serving parameters of a
 * device, and the parameters of a serving engine ---- */

#define LENGTH_MAX 1e8
#define SERVE_DEGREE(member) NNC_FIELD(nnc_serve_ask, member), .min = 1, .max = 1e6
#define COUNT(member) NNC_FIELD(nnc_serve_ask, member), .min = 1, .max = 1e9
#define LENGTH(member) NNC_FIELD(nnc_serve_ask, member), .unit = "tokens", .min = 1, .max = LENGTH_MAX

/* Names of the formats in which weights and the cache are stored; docs/serving.md describes these formats, so they have
 * no help. */
#define STORED_NAMES .names = { stored_name, NNC_STORED_COUNT }

static const char *stored_name(unsigned value) { return nnc_stored_name((nnc_stored)value); }

static const char *dtype_name(unsigned value) { return nnc_dtype_name((nnc_dtype)value); }

static const nnc_field serve_fields[] = {
    { LENGTH(input_len), .group = "Requests", .alias = "isl", NNC_DEFAULT(1024), .help = "Tokens of a prompt." },
    { LENGTH(output_len), .alias = "osl", NNC_DEFAULT(256), .help = "Generated tokens per request." },
    { COUNT(batch), .default_text = "1 without --concurrency, --request-rate, --offline",
      .help = "Static batch: requests that start and end together." },
    { COUNT(concurrency), .help = "Closed loop: this many requests are always open." },
    { NNC_FIELD(nnc_serve_ask, waves), .min = 1, .max = 1e9, NNC_DEFAULT(10),
      .help = "Closed loop: requests of the whole benchmark divided by --concurrency. All prompts of the first wave "
              "arrive together. If the benchmark has more requests than --requests, its first quarter is not counted "
              "(steady state)." },
    { NNC_FIELD(nnc_serve_ask, request_rate), .max = 1e9, .above_min = true,
      .help = "Open loop: requests per second." },
    { NNC_FIELD(nnc_serve_ask, offline), NNC_DEFAULT_OFF,
      .help = "Run as many requests at a time as memory and engine allow." },
    { NNC_FIELD(nnc_serve_ask, burstiness), .min = 0.01, .max = 1e6, NNC_DEFAULT(1),
      .help = "Open loop: shape of the gamma distribution of the time between arrivals. 1: Poisson; below 1: bursts; "
              "above 1: more even arrivals." },
    { NNC_FIELD(nnc_serve_ask, arrivals), .default_text = "none",
      .help = "CSV file of recorded requests: arrival_s and, if lengths differ, input_len and output_len." },
    { NNC_FIELD(nnc_serve_ask, length_spread), .max = 0.99, NNC_DEFAULT(0.1),
      .help =
          "Closed and open loop: lengths of requests are drawn uniformly and differ from --input-len and --output-len "
          "by at most this share. 0: all lengths are equal, and the requests of a closed loop end at the same time." },
    { NNC_FIELD(nnc_serve_ask, preempt), NNC_DEFAULT_AS(false, "as the engine of the profile"),
      .help = "Closed and open loop: a request starts when its prompt fits into the cache; when the cache is full, the "
              "newest request is preempted. off: a request starts when its prompt and its answer fit." },
    { NNC_FIELD(nnc_serve_ask, wait_steps), .max = 1e6, NNC_DEFAULT(0),
      .help = "Closed and open loop: while sequences decode, prompts wait at most this many decode steps for further "
              "prompts (batch_wait_timeout_iters of TensorRT-LLM)." },
    { NNC_FIELD(nnc_serve_ask, wait_share), .max = 1, NNC_DEFAULT(0),
      .help = "Closed and open loop: prompts stop waiting (--wait-steps) when the tokens of the next step reach this "
              "share of --chunk (batch_wait_max_tokens_ratio of TensorRT-LLM)." },
    { NNC_FIELD(nnc_serve_ask, requests), .min = 1, .max = 1 << 20, NNC_DEFAULT(10000),
      .help = "Open loop: simulated requests of each replica; the first tenth is not counted. If the mean time to "
              "first token is uncertain by over 1 %, 16 simulations are made." },
    { NNC_FIELD(nnc_serve_ask, seed), .max = 1e15, NNC_DEFAULT(1),
      .help = "Closed and open loop: seed of the random arrivals and lengths." },
    { NNC_FIELD(nnc_serve_ask, prefix_hit), .max = 1, NNC_DEFAULT(0),
      .help = "Share of a prompt whose keys and values are already cached." },
    { SERVE_DEGREE(devices), .group = "Parallelism", .default_text = "the product of the degrees",
      .help = "Total number of devices." },
    { SERVE_DEGREE(tensor), .alias = "tp", NNC_DEFAULT(1), .help = "Devices that split each matrix product." },
    { SERVE_DEGREE(pipeline), .alias = "pp", NNC_DEFAULT(1), .help = "Pipeline stages." },
    { SERVE_DEGREE(data), .alias = "dp", .default_text = "devices / product of the other degrees",
      .help = "Replicas that share the requests." },
    { SERVE_DEGREE(expert), .alias = "ep", NNC_DEFAULT(1),
      .help = "Devices over which whole experts are spread; a divisor of tensor x attention_data. 1 = every expert is "
              "split over tensor x attention_data devices." },
    { SERVE_DEGREE(attention_data), NNC_DEFAULT(1),
      .help = "Groups of tensor ranks; each group attends to its own requests, and all groups share the experts." },
    { NNC_FIELD(nnc_serve_ask, imbalance), .min = 1, .max = 1e3, NNC_DEFAULT(1),
      .help = "Tokens of the busiest expert rank divided by the mean of all ranks." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, precision), .group = "Numbers",
      .names = { dtype_name, NNC_DTYPE_COUNT },
      NNC_DEFAULT_AS(NNC_DTYPE_COUNT, "format in which the device multiplies these weights"),
      .help = "Format in which products are computed." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, weights), STORED_NAMES,
      NNC_DEFAULT_AS(NNC_STORED_COUNT, "as published, else as --precision, else bf16"),
      .help = "Format in which weights are stored." },
    { NNC_FIELD(nnc_serve_ask, group_size), .min = 1, .max = 1e6, NNC_DEFAULT(128),
      .help = "Number of int4 weights that share a scale and a zero point." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, kv_precision), STORED_NAMES, NNC_DEFAULT_AS(NNC_STORED_COUNT, "bf16"),
      .help = "Format in which keys and values are cached." },
    { NNC_FIELD(nnc_serve_ask, memory_use), .group = "Engine", .max = 1, .above_min = true,
      .default_text = "the profile's, 0.9", .help = "Share of the device memory that is used." },
    { LENGTH(block), .default_text = "the profile's, 16", .help = "Tokens per block of the paged cache." },
    { LENGTH(chunk), .default_text = "the profile's, 8192",
      .help = "Maximum tokens of one prefill step, for each group of --attention-data." },
    { COUNT(max_batch), .default_text = "the profile's, 256",
      .help = "Maximum sequences that decode together, for each group of --attention-data." },
    { NNC_FIELD(nnc_serve_ask, draft), .group = "Draft and separate workers, not scored", .default_text = "none",
      .help = "Draft model of speculative decoding, by id or file. The draft model runs on the same devices, and its "
              "weights and cache take memory." },
    { COUNT(draft_length), .default_text = "no draft; 4 with --draft",
      .help = "Tokens that the draft model proposes before each step of the served model, which verifies them." },
    { NNC_FIELD(nnc_serve_ask, acceptance), .max = 1, NNC_DEFAULT(0.7),
      .help = "Probability that a proposed token is accepted." },
    { NNC_FIELD(nnc_serve_ask, draft_share), .max = 10, NNC_DEFAULT_AS(0.05, "computed with --draft; else 0.05"),
      .help = "Time of a step of the draft model divided by the time of a step of the served model." },
    { NNC_FIELD(nnc_serve_ask, disaggregate), .default_text = "none",
      .help = "P:D: P replicas only prefill, D replicas only decode." },
    { COUNT(steps), .group = "Images", .default_text = "0: tokens are generated",
      .help = "Forward passes per image of a network that denoises. Each pass computes --batch images." },
    { NNC_FIELD(nnc_serve_ask, guidance), NNC_DEFAULT_OFF,
      .help = "Compute each pass twice, once with and once without the prompt." },
    { COUNT(image), .unit = "pixels", .default_text = "the model's",
      .help = "Height and width of an image in pixels." },
    { NNC_FIELD(nnc_serve_ask, beside_s), .unit = "s", .max = 1e6, NNC_DEFAULT(0),
      .help = "Time per image in addition to the networks that the model file names." },
    { NNC_FIELD(nnc_serve_ask, price), .group = "Engine", .max = 1e6, .above_min = true,
      .default_text = "the device file's newest", .help = "Price of one device for one hour." },
    { NNC_FIELD(nnc_serve_ask, carbon_g_per_kwh), .unit = "g/kWh", .max = 1e5, .default_text = "the region's",
      .help = "Carbon intensity of the grid." },
};
const nnc_field_table nnc_serve_table = { "serve plan", serve_fields, NNC_COUNT_OF(serve_fields) };

INIT_BY_ROWS(nnc_serve_ask, nnc_serve_table)

nnc_status nnc_serve_ask_check(const nnc_serve_ask *ask, nnc_error *err) {
    NNC_TRY(nnc_need("nnc_serve_ask_check", "ask", ask != NULL, err));
    return nnc_fields_check(&nnc_serve_table, NULL, ask, err);
}

/* ---- fitted serving parameters of a device ---- */

#define FRACTION .max = 1, .above_min = true
#define SECONDS .unit = "s", .max = 1e3

/* Sets name, type, offset and size of a row for one storage format: such a row is one element of an array of doubles
 * that has one element per storage format. */
#define BY_STORED(stored, text) \
    .name = (text), .type = NNC_FIELD_F64, .offset = (stored) * sizeof(double), .size = sizeof(double)

#define SERVE_SHARE(stored, text, ...)   \
    { BY_STORED(stored, text), FRACTION, \
      .help = "Share of the memory bandwidth that is reached if the data has this format." },
static const nnc_field share_fields[] = { NNC_STORED_LIST(SERVE_SHARE) };

#define STORED_SECONDS(stored, text, ...) \
    { BY_STORED(stored, text), SECONDS, .help = "Fixed time of one product if weights have this format." },
static const nnc_field stored_seconds_fields[] = { NNC_STORED_LIST(STORED_SECONDS) };

static const nnc_field all_reduce_fields[] = {
    { NNC_FIELD(nnc_small_all_reduce, fixed_s), SECONDS, .help = "Fixed time of one all-reduce." },
    { NNC_FIELD(nnc_small_all_reduce, rank_s), SECONDS, NNC_DEFAULT(0),
      .help = "Additional time of an all-reduce per rank of the group." },
    { NNC_FIELD(nnc_small_all_reduce, two_shot_s), SECONDS, .help = "Additional time of an all-reduce in two rounds." },
    { NNC_FIELD(nnc_small_all_reduce, one_shot_fraction), FRACTION,
      .help = "Share of the link bandwidth that an all-reduce in one round reaches: each rank sends all its data to "
              "every other rank." },
    { NNC_FIELD(nnc_small_all_reduce, two_shot_fraction), FRACTION,
      .help = "Share of the link bandwidth that an all-reduce in two rounds (reduce-scatter, all-gather) reaches." },
    { NNC_FIELD(nnc_small_all_reduce, node_s), SECONDS, .default_text = "scale_out_fixed_s",
      .help = "Additional time of an all-reduce over several nodes." },
};

#define EFFICIENCY(member) NNC_FIELD(nnc_serve_efficiency, member)
const nnc_field nnc_serve_efficiency_fields[NNC_SERVE_EFFICIENCY_FIELDS] = {
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, stream_fraction), NNC_FIELD_TABLE(share_fields),
      .help = "Share of the memory bandwidth that products with few rows reach, by the format of the weights." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, kv_fraction), NNC_FIELD_TABLE(share_fields),
      .help = "Share of the memory bandwidth that decode attention reaches, by the format of the cache." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, product_fraction), NNC_FIELD_TABLE(share_fields),
      .help = "Share of the peak FLOP/s that products with many rows reach, by the format of the weights; products "
              "computed in 16 bits use the value of bf16." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, product_s), NNC_FIELD_TABLE(stored_seconds_fields),
      .default_text = "kernel_s",
      .help = "Fixed time of one product, including the cast of its input, by the format of the "
              "weights." },
    { EFFICIENCY(attention_fraction), FRACTION, .help = "Share of the 16-bit peak that prefill attention reaches." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, expert_fraction), NNC_FIELD_TABLE(share_fields),
      .help = "Share of the memory bandwidth that products of many experts reach, by the format of the weights." },
    { EFFICIENCY(kernel_s), SECONDS, .help = "Fixed time of one kernel in a recorded CUDA graph." },
    { EFFICIENCY(attention_s), SECONDS, .default_text = "kernel_s", .help = "Fixed time of one decode attention." },
    { EFFICIENCY(kv_reread), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the cache that decode attention reads again for each further query head with the same keys and "
              "values. If the engine has a larger kv_reread, its value is used." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, all_reduce), NNC_FIELD_TABLE(all_reduce_fields),
      .help = "Small all-reduces inside a scale-up domain." },
    { NNC_FIELD_COMMENT("fitted_on"), .required = true,
      .help = "Measurements to which the values were fitted, and the date of the fit." },
};

/* ---- parameters of serving engines, and the intervals of their results ---- */

static const nnc_field spread_fields[] = {
    { NNC_FIELD(nnc_spread, low), .max = 1, .above_min = true, .required = true,
      .help = "5 % quantile of measured / predicted." },
    { NNC_FIELD(nnc_spread, high), .min = 1, .max = 100, .required = true,
      .help = "95 % quantile of measured / predicted." },
};

#define STORED_FACTOR(stored, text, ...)                                     \
    { BY_STORED(stored, text), .max = 10, .above_min = true, NNC_DEFAULT(1), \
      .help = "Factor on the rate of reading weights if the weights have this format." },
static const nnc_field factor_fields[] = { NNC_STORED_LIST(STORED_FACTOR) };

#define EXPERT_SECONDS(stored, text, ...)               \
    { BY_STORED(stored, text), SECONDS, NNC_DEFAULT(0), \
      .help = "Additional time of a layer of experts if weights have this format." },
static const nnc_field expert_seconds_fields[] = { NNC_STORED_LIST(EXPERT_SECONDS) };

#define FACTOR .max = 100, .above_min = true, NNC_DEFAULT(1)
#define ENGINE(member) NNC_FIELD(nnc_serve_engine, member)
const nnc_field nnc_serve_engine_fields[NNC_SERVE_ENGINE_FIELDS] = {
    { ENGINE(step_s), SECONDS, NNC_DEFAULT(0), .help = "Host time of one step." },
    { ENGINE(layer_s), SECONDS, NNC_DEFAULT(0),
      .help = "Time of one layer in addition to its matrix products and its attention." },
    { ENGINE(sequence_s), SECONDS, NNC_DEFAULT(0), .help = "Additional time of a step per decoding sequence." },
    { ENGINE(prefill_factor), FACTOR, .help = "Factor on the device's time of the ops of a prefill step." },
    { ENGINE(decode_factor), FACTOR, .help = "Factor on the device's time of the ops of a decode step." },
    { ENGINE(ttft_s), SECONDS, NNC_DEFAULT(0),
      .help = "Part of the time to the first token that is neither queue nor prefill." },
    { ENGINE(text_s), SECONDS, NNC_DEFAULT(0),
      .help = "Time in which the server turns one output token into text and sends it, while the devices work. "
              "It handles the tokens of all sequences one after the other." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, stream_factor), NNC_FIELD_TABLE(factor_fields),
      .help = "Factor on the rate at which the device reads weights." },
    { ENGINE(kv_factor), FACTOR, .help = "Factor on the rate at which the device reads the cache." },
    { ENGINE(unit_bytes_per_clock), .unit = "B", .max = 1e6, .above_min = true, .default_text = "no limit",
      .help = "Maximum bytes that decode kernels read per unit and clock cycle of the device. Kernels that were "
              "written for smaller devices do not reach the memory bandwidth of larger devices." },
    { ENGINE(all_reduce_factor), FACTOR, .help = "Factor on the device's time of an all-reduce." },
    { ENGINE(all_reduce_s), SECONDS, NNC_DEFAULT(0), .help = "Additional time of each all-reduce." },
    { ENGINE(attention_factor), FACTOR, .help = "Factor on the device's time of the attention of a prefill." },
    { ENGINE(kv_reread), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the cache that decode attention reads again for each further query head "
              "with the same keys and values." },
    { ENGINE(host_layer_s), SECONDS, NNC_DEFAULT(0),
      .help = "Host time to launch a layer; overlaps with device work." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, expert_s), NNC_FIELD_TABLE(expert_seconds_fields),
      NNC_DEFAULT(0),
      .help = "Additional time of a layer of experts when the device cannot compute in the format "
              "of the weights." },
    { ENGINE(captured), NNC_DEFAULT_ON,
      .help = "A decode step is one recorded CUDA graph; off: the host launches every kernel." },
    { ENGINE(launch_s), SECONDS, NNC_DEFAULT(0),
      .help = "Host time to launch one kernel of a step that is not recorded." },
    { ENGINE(paged), NNC_DEFAULT_ON,
      .help = "The cache has blocks; off: a sequence reserves its full length at the start." },
    { ENGINE(preempt), NNC_DEFAULT_OFF, .help = "The engine always works as with --preempt." },
    { ENGINE(chunk), .unit = "tokens", .min = 1, .max = LENGTH_MAX, .default_text = "8192",
      .help = "Maximum tokens of a prefill step." },
    { ENGINE(max_batch), .min = 1, .max = 1e9, .default_text = "256",
      .help = "Maximum sequences that decode together." },
    { ENGINE(block), .unit = "tokens", .min = 1, .max = LENGTH_MAX, .default_text = "16",
      .help = "Tokens per block of the paged cache." },
    { ENGINE(memory_use), FRACTION, .default_text = "0.9", .help = "Share of the device memory that is used." },
    { ENGINE(workspace_bytes), .unit = "B", .max = NNC_BYTES_MAX, .default_text = "2e9",
      .help = "Memory outside weights and cache: activations, graphs, workspace." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, tpot), NNC_FIELD_TABLE(spread_fields),
      .help = "Interval of the time per output token, as quantiles of measured / predicted." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, tpot_experts), NNC_FIELD_TABLE(spread_fields),
      .help = "Interval of the time per output token of models with experts; not given: as tpot." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, ttft), NNC_FIELD_TABLE(spread_fields),
      .help = "Interval of the time to first token, as quantiles of measured / predicted." },
    { NNC_FIELD_COMMENT("fitted_on"), .required = true,
      .help = "Measurements to which the values were fitted, and the date of the fit." },
};
