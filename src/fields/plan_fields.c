/* The fields of training plans, runs, budgets and deployments. A field has one name, which is its JSON key, its name
 * for --set, its command-line option and the name of its sweep axis. */
#include <nncost/run.h>
#include <nncost/serve.h>
#include <nncost/spec.h>

#include "fields/fields_internal.h"

/* Defines the function TYPE_init for users of the library. TYPE_init sets the members of the caller's struct to the
 * defaults of `table`, and writes at most struct_size bytes, because the caller may use an older, shorter struct. */
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
    { DEGREE(devices_per_node), .default_text = "the device file's",
      .help = "Number of devices in one scale-up domain." },
    { DEGREE(data), .alias = "dp", .default_text = "devices / product of the other degrees",
      .help = "Number of model replicas that share the batch (data parallelism)." },
    { DEGREE(tensor), .alias = "tp", NNC_DEFAULT(1), .help = "Number of devices that split each matrix product." },
    { DEGREE(pipeline), .alias = "pp", NNC_DEFAULT(1),
      .help = "Number of pipeline stages, over which the layers are spread." },
    { DEGREE(virtual_stages), .alias = "vpp", NNC_DEFAULT(1),
      .help = "Number of groups of layers (virtual stages) per pipeline stage." },
    { NNC_FIELD(nnc_plan, ends_as_layers), NNC_DEFAULT_OFF,
      .help = "Balance stages with the embedding and the head as one layer each." },
    { NNC_FIELD(nnc_plan, first_stage_layers), .max = 1e5, NNC_DEFAULT(0),
      .help = "Number of layers of the first pipeline stage. 0 = layers are divided evenly among all stages without "
              "a given number." },
    { NNC_FIELD(nnc_plan, last_stage_layers), .max = 1e5, NNC_DEFAULT(0),
      .help = "Number of layers of the last pipeline stage. 0 = layers are divided evenly among all stages without "
              "a given number." },
    { DEGREE(context), .alias = "cp", NNC_DEFAULT(1),
      .help = "Number of devices that split each sequence (context parallelism)." },
    { DEGREE(expert), .alias = "ep", NNC_DEFAULT(1),
      .help = "Number of devices that share the experts (expert parallelism). N must be a divisor of data x context." },
    { NNC_FIELD(nnc_plan, whole_experts), NNC_DEFAULT_OFF,
      .help = "Keep each expert whole instead of splitting it over tensor ranks. With this option --expert must be "
              "a divisor of tensor x data x context (Megatron-LM: expert tensor parallel size 1)." },
    { NNC_FIELD(nnc_plan, sequence_parallel), NNC_DEFAULT_OFF,
      .help = "Sequence parallelism: tensor ranks also split norms and dropout." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_plan, zero), .group = "Memory", .names = { zero_name, 4 }, NNC_DEFAULT(0),
      .help = "ZeRO: divide optimizer states (1), also gradients (2), weights (3). Stage 1 divides optimizer "
              "states over --shard ranks, stage 2 optimizer states and gradients, stage 3 optimizer states, "
              "gradients and weights (FSDP); stage 0 divides no tensors." },
    { DEGREE(shard), .default_text = "data x context",
      .help = "Number of ranks that hold one copy of the tensors that ZeRO divides. If N is smaller than data x "
              "context, other groups of N ranks hold further copies (HSDP)." },
    { NNC_FIELD(nnc_plan, reshard), NNC_DEFAULT_ON,
      .help = "With --zero 3, a layer's gathered weights are freed after forward. Backward gathers the weights of "
              "the layer a second time; off: gathered weights stay in memory until backward of the layer." },
    { NNC_FIELD(nnc_plan, schedule), .group = "Parallelism", NNC_FIELD_NAMES(nnc_schedule, NNC_SCHEDULE_COUNT),
      NNC_DEFAULT_AS(NNC_SCHEDULE_COUNT, "1f1b; with virtual stages: interleaved"),
      .help = "Pipeline schedule: order of forward and backward passes of a stage." },
    { NNC_FIELD(nnc_plan, context_kind), NNC_FIELD_NAMES(nnc_context_kind, NNC_CONTEXT_KIND_COUNT),
      NNC_DEFAULT_AS(NNC_CONTEXT_RING, "ring"),
      .help = "How a context rank gets keys and values from other context ranks. ring: blocks of keys and values "
              "are passed around a ring; all-gather: each rank gathers all keys and values before attention; "
              "ulysses: after an all-to-all, each rank has all tokens of some heads." },
    { NNC_FIELD(nnc_plan, rank_order), NNC_FIELD_NAMES(nnc_rank_order, NNC_ORDER_COUNT),
      NNC_DEFAULT_AS(NNC_ORDER_TENSOR_CONTEXT_DATA_PIPELINE, "tensor-context-data-pipeline"),
      .help = "Order of ranks on the devices. Ranks of the first degree in NAME are neighbours; ranks of the last "
              "degree have the largest distance. Neighbours are in one node if the node has enough devices." },
    { NNC_FIELD_AS(NNC_FIELD_OFFLOAD, nnc_plan, offload), .group = "Memory", NNC_DEFAULT_AS(NNC_OFFLOAD_NONE, "none"),
      .help = "Tensors that are stored in host memory instead of device memory." },
    { NNC_FIELD(nnc_plan, overlap), .group = "Parallelism", .max = 1, .default_text = "the software profile's",
      .help = "Share of the communication that overlaps with compute, from 0 to 1. X replaces the shares of all "
              "kinds of communication in the software profile (overlap_tensor, overlap_data ...). Communication "
              "that cannot overlap with compute stays exposed, whatever the value of X." },
    { NNC_FIELD(nnc_plan, capacity_factor), .max = 1000, NNC_DEFAULT(0),
      .help = "Tokens that one expert can take / mean tokens of all experts. Tokens above the capacity of their "
              "expert are dropped: the expert does not process them. 0 = no limit, no token is dropped." },
    { NNC_FIELD(nnc_plan, imbalance), .min = 1, .max = 1000, NNC_DEFAULT(1),
      .help = "Tokens of the busiest expert rank / mean of all expert ranks." },
    { NNC_FIELD(nnc_plan, micro_batch), .group = "Batch", .min = 1, .max = SAMPLES_MAX, .default_text = "1",
      .help = "Number of sequences or images in a micro-batch of one replica." },
    { NNC_FIELD(nnc_plan, micro_batches), .min = 1, .max = SAMPLES_MAX, .alias = "grad-accum", .default_text = "1",
      .help = "Number of micro-batches per optimizer step (gradient accumulation)." },
    { NNC_FIELD(nnc_plan, global_batch), .min = 1, .max = 1e12, .default_text = "micro_batch x micro_batches x data",
      .help = "Number of sequences or images per step, of all replicas." },
    { NNC_FIELD(nnc_plan, seq_len), .unit = "tokens", .min = 1, .max = 1e9, .default_text = "the model's",
      .help = "Length of a sequence in tokens." },
    { NNC_FIELD(nnc_plan, image), .unit = "pixels", .min = 1, .max = 1e6, .default_text = "the model's",
      .help = "Height and width of an image in pixels." },
    { NNC_FIELD(nnc_plan, precision), .group = "Numbers", .names = { nnc_dtype_name, NNC_DTYPE_COUNT },
      NNC_DEFAULT_AS(NNC_DTYPE_COUNT, "first of bf16, fp16, fp32 that the device computes in"),
      .help = "Number format of the matrix products." },
    { NNC_FIELD(nnc_plan, policy), NNC_FIELD_NAMES(nnc_policy, NNC_POLICY_COUNT),
      NNC_DEFAULT_AS(NNC_POLICY_DEFAULT, "default"),
      .help = "Policy: formats of weights, gradients and optimizer states. The policy named default is fp32 if "
              "--precision is fp32 or tf32, and mixed for other precisions." },
    { NNC_FIELD(nnc_plan, optimizer), NNC_FIELD_NAMES(nnc_optimizer, NNC_OPTIMIZER_COUNT),
      NNC_DEFAULT_AS(NNC_OPTIMIZER_ADAMW, "adamw"),
      .help = "Optimizer, which decides the optimizer states and the update's work." },
    { NNC_FIELD(nnc_plan, optimizer_rank), .group = "Numbers", .min = 1, .max = 65536, NNC_DEFAULT(16),
      .help = "Rank of the gradient projections of --optimizer galore and apollo." },
    { NNC_FIELD(nnc_plan, optimizer_kernels), NNC_FIELD_NAMES(nnc_optimizer_kernels, NNC_OPTIMIZER_KERNELS_COUNT),
      NNC_DEFAULT_AS(NNC_KERNELS_DEFAULT, "default"),
      .help = "How the operations of the optimizer update are divided into kernels. fused: one kernel for all "
              "operations; foreach: one kernel per operation for all tensors; loop: one kernel per operation and "
              "tensor; default: as fused_optimizer of the software profile says, or as captured." },
    { NNC_FIELD_AS(NNC_FIELD_RECOMPUTE, nnc_plan, recompute), .group = "Memory",
      NNC_DEFAULT_AS(NNC_RECOMPUTE_NONE, "none"),
      .help = "Activation checkpointing: parts of forward that backward computes again. Forward does not keep the "
              "tensors inside the recomputed parts for backward. For a captured step, LIST can contain paths of "
              "modules, such as layers.*.mlp." },
    { NNC_FIELD_AS(NNC_FIELD_TRAIN, nnc_plan, train), .group = "Memory", NNC_DEFAULT_AS(NNC_TRAIN_ALL, "all"),
      .help = "Parts whose weights are trained; all other parts are frozen. none: the step is one forward pass "
              "(inference). For a captured step, LIST consists of paths of modules." },
    { NNC_FIELD(nnc_plan, train_layers), .group = "Memory", .max = 1e5, NNC_DEFAULT(0),
      .help = "Number of successive layers whose weights or adapters are trained. 0 = all layers. With N above 0, "
              "parts outside the layers (embedding, head) are frozen unless --train lists them." },
    { NNC_FIELD(nnc_plan, train_from), .group = "Memory", .min = -1, .max = 1e5, NNC_DEFAULT(-1),
      .help = "Index, from 0, of the first layer that --train-layers N trains. -1 = the last N layers of the model "
              "are trained." },
    { NNC_FIELD(nnc_plan, next_tokens), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "Also train the layers for multi-token prediction. The key next_layers of the model file is the number "
              "of layers for multi-token prediction." },
    { NNC_FIELD(nnc_plan, adapter_rank), .group = "Memory", .max = 65536, .alias = "lora", NNC_DEFAULT(0),
      .help = "LoRA rank: inner width of the adapters of linear layers. 0 = no adapters. If the model has adapters, "
              "weights outside of the adapters are trained only in parts that --train lists." },
    { NNC_FIELD_AS(NNC_FIELD_ADAPTERS, nnc_plan, adapters), .group = "Memory",
      NNC_DEFAULT_AS(NNC_ADAPTED_LINEAR, "linear"),
      .help =
          "Linear layers that get adapters. 'linear' stands for all linear layers except those of routed experts." },
    { NNC_FIELD(nnc_plan, dora), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "DoRA: adapters also train one magnitude per output of their layer. With DoRA, the low-rank matrices "
              "change only the direction of the weights." },
    { NNC_FIELD(nnc_plan, oft), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "OFT: each adapter rotates the inputs of its layer. An adapter rotates each block of --adapter-rank "
              "inputs with a learned matrix, instead of adding a low-rank product." },
    { NNC_FIELD(nnc_plan, frozen), .group = "Memory", NNC_FIELD_NAMES(nnc_frozen, NNC_FROZEN_COUNT),
      NNC_DEFAULT_AS(NNC_FROZEN_16, "16bit"),
      .help = "Storage format of frozen weights. For a captured step, give the paths of the modules whose weights "
              "are not trained, instead of a format." },
    { NNC_FIELD(nnc_plan, fp8_inputs), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "Forward keeps inputs of activation functions in 8 bits for backward." },
    { NNC_FIELD(nnc_plan, recompute_every), .min = 1, .max = 1e5, NNC_DEFAULT(1),
      .help = "Number of layers per recompute block of --recompute full. Only the input of the first layer of a "
              "block is kept." },
    { NNC_FIELD(nnc_plan, recompute_layers), .max = 1e5, NNC_DEFAULT(0),
      .help = "Number of layers per stage that --recompute full recomputes. 0 = all layers." },
    { NNC_FIELD(nnc_plan, attention), .group = "Numbers", NNC_FIELD_NAMES(nnc_attention, NNC_ATTENTION_COUNT),
      NNC_DEFAULT_AS(NNC_ATTENTION_FLASH, "flash"),
      .help = "Attention in one fused kernel, or in separate kernels (unfused). flash: fused kernel of the "
              "software profile; flash1 to flash3: kernel of this version of FlashAttention; unfused: kernels for "
              "scores, softmax and the product with the values." },
    { NNC_FIELD(nnc_plan, activations), .group = "Memory", NNC_FIELD_NAMES(nnc_activations, NNC_ACTIVATIONS_COUNT),
      NNC_DEFAULT_AS(NNC_ACTIVATIONS_PER_OP, "per-op"),
      .help = "Rule by which nncost counts the bytes of kept activations. per-op: sum of the tensors that each op "
              "keeps; korthikanti: the formula of arXiv:2205.05198." },
    { NNC_FIELD(nnc_plan, mode), .group = "Numbers", NNC_FIELD_NAMES(nnc_mode, NNC_MODE_COUNT),
      NNC_DEFAULT_AS(NNC_MODE_PREDICTED, "predicted"),
      .help = "Predicted step time, or lower bound of the step time (ideal). predicted: with the fitted "
              "efficiencies of the device; ideal: at datasheet rates and with complete overlap." },
    { NNC_FIELD(nnc_plan, flops_convention), NNC_FIELD_NAMES(nnc_flops_convention, NNC_CONVENTION_COUNT),
      NNC_DEFAULT_AS(NNC_CONVENTION_PALM, "palm"),
      .help = "Rule by which nncost counts model FLOPs. palm: attention between all pairs of tokens; causal: only "
              "between the pairs that a causal mask leaves; 6nd: 6 FLOPs per token and parameter." },
    { NNC_FIELD(nnc_plan, clip_gradients), NNC_DEFAULT_ON,
      .help = "Clip the gradients before the update by the norm of all gradients." },
    { NNC_FIELD(nnc_plan, tokens), .group = "Cost", .unit = "tokens", .min = 1, .max = RUN_MAX,
      .help = "Number of tokens to train on in the whole run." },
    { NNC_FIELD(nnc_plan, samples), .min = 1, .max = RUN_MAX,
      .help = "Number of sequences or images to train on in the whole run." },
    { NNC_FIELD(nnc_plan, price), .max = 1e6, .above_min = true, .default_text = "newest price in the device file",
      .help = "Price of one device for one hour. The price is in the currency of the device file (US dollars if the "
              "file has no prices)." },
    { NNC_FIELD(nnc_plan, reserve_bytes), .group = "Memory", .unit = "B", .max = 1e15,
      NNC_DEFAULT_AS(-1, "the software profile's"),
      .help = "Bytes of device memory for driver, collectives and fragmentation. With this option, the verdict "
              "(fits or not) compares the predicted peak with the capacity without a margin." },
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
      .help = "Number of passes over the dataset in the run. The option needs --dataset-size." },
    { NUMBER(dataset_size), .above_min = true,
      .help = "Size of the dataset in tokens. For a model without tokens: in images or other samples." },
    { NUMBER(days), .above_min = true, .help = "Duration of the run in days." },
    { NUMBER(device_hours), .above_min = true,
      .help = "Amount of training in device-hours: devices x hours of the run." },
    { TIME(step_s), .above_min = true, .default_text = "the estimated step time",
      .help = "Step time to use instead of the estimated step time." },
    { NNC_FIELD(nnc_run_ask, step_flops), .max = 1e30, .above_min = true, .unit = "FLOP",
      .default_text = "the estimated model FLOPs",
      .help = "Model FLOPs of one step to use instead of the estimated FLOPs." },
    { TIME(warmup_s), NNC_DEFAULT(0),
      .help = "Time that the run spends once at its start. The time includes the start of the job, compilation and the "
              "ramp of the batch size." },
    { NUMBER(evaluate_every), NNC_DEFAULT(0), .help = "Training steps between two evaluations; 0 = no evaluations." },
    { TIME(evaluate_s), .help = "Time of one evaluation of the model (--evaluate-every)." },
    { SHARE(straggler_share), NNC_DEFAULT(0),
      .help = "Share of the training time that is lost by waiting for slow devices." },

    { NNC_FIELD(nnc_run_ask, stops), .group = "Failures", NNC_FIELD_NAMES(nnc_stops, NNC_STOPS_COUNT),
      NNC_DEFAULT_AS(NNC_STOPS_ANY, "any"),
      .help = "Failures that nncost counts. any: all failures that lose work; hardware: only failures of the "
              "hardware. The device file has one mean time between failures for all failures and one for hardware "
              "failures." },
    { TIME(device_mtbf_s), .above_min = true, .default_text = "the device file's",
      .help = "Mean time between failures of one device. The mean time between failures of the run is X / number "
              "of devices." },
    { TIME(detect_s), NNC_DEFAULT(600), .help = "Time from a failure until it is detected." },
    { TIME(start_s), NNC_DEFAULT(30), .help = "Time to restart the training program on all ranks after a failure." },
    { TIME(replace_s), .default_text = "0", .help = "Time to replace a failed node if no spare node is ready." },
    { NUMBER(spares), NNC_DEFAULT(0), .help = "Number of spare nodes that can replace failed nodes at once." },
    { TIME(repair_s), NNC_DEFAULT_AS(2 * DAY_S, "2d"),
      .help = "Time from a node's failure until it is repaired and in use again." },
    { SHARE(failing_share), NNC_DEFAULT(1),
      .help = "Share of the failures after which the failed node must be repaired." },
    { SHARE(reclaim_per_month), NNC_DEFAULT(0), .help = "Share of spot nodes that the seller takes back per month." },
    { NUMBER(elastic_replicas), NNC_DEFAULT(0),
      .help = "Number of replicas of an elastic job. While a failed replica is replaced, the other replicas "
              "continue. 0 = not elastic: after a failure all replicas stop and return to the last checkpoint." },
    { TIME(reshard_s), NNC_DEFAULT(60),
      .help = "Elastic job: time from the detection of a failed replica until the healthy replicas continue." },
    { NUMBER(planned_stops), NNC_DEFAULT(0), .help = "Number of planned stops of the run, such as maintenance." },

    { BYTES(checkpoint_bytes), .group = "Checkpoints", .above_min = true,
      .default_text = "bytes of weights, master copy and moments",
      .help = "Bytes of one checkpoint of the whole model." },
    { RATE(storage_write_bytes_per_s), .default_text = "122 MB/s per device",
      .help = "Rate at which all devices together write checkpoints." },
    { RATE(storage_read_bytes_per_s), .default_text = "--storage-write-bytes-per-s",
      .help = "Rate at which all devices together read a checkpoint." },
    { NNC_FIELD(nnc_run_ask, asynchronous), NNC_DEFAULT_OFF,
      .help = "Training continues while a checkpoint is written to storage." },
    { TIME(block_s), .default_text = "--save-s; with --asynchronous the time of the copy to host memory",
      .help = "Time for which training stops to write one checkpoint." },
    { TIME(save_s), .default_text = "--checkpoint-bytes / --storage-write-bytes-per-s",
      .help = "Time from the start of a checkpoint until storage has all its bytes." },
    { TIME(load_s), .default_text = "--checkpoint-bytes / --storage-read-bytes-per-s",
      .help = "Time to load a checkpoint after a failure." },
    { TIME(checkpoint_interval_s), .above_min = true, .default_text = "the interval with the highest goodput",
      .help = "Training time between two checkpoints." },

    { NNC_FIELD(nnc_run_ask, method), .group = "Fine-tuning", NNC_FIELD_NAMES(nnc_method, NNC_METHOD_COUNT),
      NNC_DEFAULT_AS(NNC_METHOD_TRAIN, "train"),
      .help = "Training method. The method decides which helper models (reference, reward, critic, teacher) process "
              "the tokens of a step in addition to the trained model." },
    { NUMBER(policy_params), .above_min = true, .default_text = "active parameters of the model",
      .help = "Active parameters of the trained model (the policy)." },
    { NUMBER(reference_params), .default_text = "as many as --policy-params",
      .help = "Active parameters of the reference model. 0 = no reference model, or its outputs were stored before "
              "training." },
    { NUMBER(reward_params), .default_text = "ppo: as many as --policy-params; else 0",
      .help = "Active parameters of the reward model; 0 = no reward model." },
    { NUMBER(critic_params), .default_text = "as many as --policy-params",
      .help = "Active parameters of the critic (--method ppo); 0 = no critic." },
    { NUMBER(teacher_params), .above_min = true, .help = "Active parameters of the teacher model (distillation)." },
    { NUMBER(reference_total_params), .default_text = "--reference-params",
      .help = "Total parameters of the reference model, including all experts. The parameters of all experts are in "
              "memory." },
    { NUMBER(reward_total_params), .default_text = "--reward-params",
      .help = "Total parameters of the reward model, including all experts. The parameters of all experts are in "
              "memory." },
    { NUMBER(critic_total_params), .default_text = "--critic-params",
      .help = "Total parameters of the critic model, including all experts. The parameters of all experts are in "
              "memory." },
    { NUMBER(teacher_total_params), .default_text = "--teacher-params",
      .help = "Total parameters of the teacher model, including all experts. The parameters of all experts are in "
              "memory." },
    { NUMBER(update_epochs), .above_min = true, NNC_DEFAULT(1),
      .help = "Number of training passes over each batch of generated answers." },
    { NNC_FIELD(nnc_run_ask, sampler_logprobs), NNC_DEFAULT_OFF,
      .help = "Training uses the log probabilities that the sampler returned. off: a forward pass of the policy "
              "(the trained model) computes the log probabilities again." },
    { NUMBER(prompt_tokens), NNC_DEFAULT(0), .help = "Number of tokens of one prompt." },
    { NUMBER(response_tokens), .above_min = true, .default_text = "sequence length - --prompt-tokens",
      .help = "Mean number of generated tokens per answer." },
    { NUMBER(group), .min = 1, NNC_DEFAULT(1), .help = "Number of answers that are generated for each prompt." },
    { NUMBER(rollout_batch), .min = 1,
      .default_text = "the sequences of a step on one replica, or as many as fit into memory",
      .help = "Number of sequences that one generating replica decodes together." },
    { NUMBER(rollout_tensor), .min = 1, NNC_DEFAULT(1),
      .help = "Number of devices that split each matrix product during generation." },
    { NUMBER(rollout_devices), NNC_DEFAULT(0),
      .help = "Number of devices that only generate answers. 0 = no such devices: the training devices generate "
              "the answers." },
    { NNC_FIELD(nnc_run_ask, rollout_overlap), NNC_DEFAULT_OFF,
      .help = "Generate answers while training runs. The answers are generated with weights that are one step old." },
    { NUMBER(rollout_tail), .min = 1, NNC_DEFAULT(1),
      .help = "Tokens of the longest answer / mean tokens of an answer. A batch of answers is complete only when its "
              "longest answer is complete." },
    { NUMBER(rollout_tokens_per_s), .above_min = true,
      .default_text = "output tokens per second and device of 'nncost serve'",
      .help = "Tokens per second that one device generates." },
    { TIME(rollout_s), .default_text = "generated tokens / rate of all generating devices",
      .help = "Time to generate the answers of one training step." },
    { TIME(score_s), .default_text = "time of the forward passes of the helper models",
      .help = "Time to score the answers of one step with the helper models." },
    { TIME(sync_s), .default_text = "bytes of the weights / --sync-bytes-per-s",
      .help = "Time to send the new weights of one step to the generating devices." },
    { RATE(sync_bytes_per_s), .default_text = "rate of the scale-out network with --rollout-devices; else unlimited",
      .help = "Rate at which new weights are sent to the generating devices." },

    { NUMBER(sites), .min = 1, .group = "Sites", NNC_DEFAULT(1),
      .help = "Number of sites that train separately and average their weights. Each site has as many devices as the "
              "plan. Sites average every --outer-every steps." },
    { NUMBER(outer_every), .above_min = true,
      .help = "Number of steps between two averages of the sites' weights (DiLoCo)." },
    { BYTES(outer_bytes), .above_min = true, .default_text = "4 bytes per parameter",
      .help = "Bytes of all weights in the format in which sites send them." },
    { RATE(site_bytes_per_s), .help = "Bandwidth from one site to the other sites, in one direction." },
    { TIME(outer_overlap_s), NNC_DEFAULT(0), .help = "Time in which sites average their weights while training runs." },

    { BYTES(sample_bytes), .group = "Input", .help = "Bytes of one training sample in storage." },
    { RATE(input_bytes_per_s), .help = "Rate at which all devices together read training data from storage." },
    { SHARE(access_share), .above_min = true, NNC_DEFAULT(1),
      .help =
          "Rate of reading samples divided by --input-bytes-per-s. For small random reads, this ratio is 0.1 to 0.4." },
    { SHARE(cached_share), NNC_DEFAULT(0),
      .help = "Share of the samples that are read from a cache on the nodes. All samples outside of the cache are "
              "read from storage." },
    { TIME(prepare_s),
      .help = "Time in which a data-loading worker prepares one sample. The time includes decoding and augmentation." },
    { NUMBER(workers), .above_min = true, NNC_DEFAULT(8), .help = "Number of data-loading workers per device." },
    { NUMBER(prefetch), NNC_DEFAULT(2), .help = "Number of batches that each data-loading worker loads in advance." },
    { BYTES(prepared_bytes), .help = "Bytes of one prepared sample, which the host sends to the device." },
    { TIME(encode_s), NNC_DEFAULT(0),
      .help = "Device time to encode one sample by frozen encoders (images, text). 0 = the samples were encoded "
              "before training." },
    { NNC_FIELD(nnc_run_ask, serial_input), NNC_DEFAULT_OFF,
      .help = "A step loads its data first and then computes, without overlap." },

    { NNC_FIELD(nnc_run_ask, idle_w), .group = "Energy", .unit = "W", .max = 1e6,
      .default_text = "the device file's node_power",
      .help = "Power of an idle node in watts, divided by its number of devices." },
    { NNC_FIELD(nnc_run_ask, busy_w), .unit = "W", .max = 1e6, .default_text = "the device file's node_power",
      .help = "Power of a training node in watts, divided by its number of devices." },
    { NNC_FIELD(nnc_run_ask, network_w), .unit = "W", .max = 1e9, NNC_DEFAULT(0),
      .help = "Power of all network switches of the cluster in watts." },
    { NNC_FIELD(nnc_run_ask, pue), .min = 1, .max = 10, NNC_DEFAULT(1),
      .help = "PUE: energy of the data centre / energy of its computers." },
    { NNC_FIELD(nnc_run_ask, carbon_g_per_kwh), .unit = "g/kWh", .max = 1e5, .default_text = "value of --region",
      .help = "Carbon intensity of the grid, in grams of CO2 per kWh." },
    { NNC_FIELD(nnc_run_ask, embodied_kg), .unit = "kg", .max = 1e6,
      .help = "CO2 in kg that is emitted to make one device and its share of the node." },
    { TIME(life_s), .above_min = true,
      .help = "Lifetime of a device. nncost spreads --embodied-kg evenly over this lifetime." },
    { SHARE(use_share), .above_min = true, .help = "Share of the lifetime --life-s in which a device is in use." },

    { BYTES(stored_bytes), .group = "Cost", .help = "Bytes of data and checkpoints that are stored during the run." },
    { NNC_FIELD(nnc_run_ask, storage_price), .max = 1e6, .help = "Price of storing one gigabyte for one month." },
    { BYTES(egress_bytes), .help = "Bytes of data that the run sends out of the cloud (egress)." },
    { NNC_FIELD(nnc_run_ask, egress_price), .max = 1e6,
      .help = "Price of moving one gigabyte of data out of the cloud." },
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
      .help = "Largest number of days that the run may take. This limit decides the number of devices." },
    { NNC_FIELD(nnc_budget_ask, params), .max = AMOUNT_MAX, .above_min = true,
      .help = "Number of parameters of a model whose training cost is computed." },
    { NNC_FIELD(nnc_budget_ask, tokens), .unit = "tokens", .max = AMOUNT_MAX, .above_min = true,
      .help = "Number of tokens that the model of --params is trained on." },
    { NNC_FIELD(nnc_budget_ask, flops), .unit = "FLOP", .max = 1e40, .above_min = true,
      .help = "FLOPs to spend, instead of money (--cost). No device is needed." },
    { NNC_FIELD(nnc_budget_ask, serve_tokens), .unit = "tokens", .max = 1e30, .above_min = true,
      .help = "Number of tokens that the model will read and write after training. nncost also chooses the model "
              "with the fewest FLOPs for training and serving together." },
    { NNC_FIELD(nnc_budget_ask, mfu), .max = 1, .above_min = true, NNC_DEFAULT(0.4),
      .help = "Share of the peak FLOP/s that a step reaches (MFU); 'nncost estimate' computes it." },
    { NNC_FIELD(nnc_budget_ask, goodput), .max = 1, .above_min = true, NNC_DEFAULT(0.95),
      .help = "Share of the run that is useful training time (goodput); 'nncost run' computes it." },
    { NNC_FIELD(nnc_budget_ask, price), .max = 1e6, .above_min = true,
      .default_text = "newest price in the device file", .help = "Price of one device for one hour." },
};
const nnc_field_table nnc_budget_table = { "budget", budget_fields, NNC_COUNT_OF(budget_fields) };

INIT_BY_ROWS(nnc_budget_ask, nnc_budget_table)

/* ---- fields of serving: a deployment (options, and an entry of a plan file), the fitted serving parameters of a
 * device, and the parameters of a serving engine ---- */

#define LENGTH_MAX 1e8
#define SERVE_DEGREE(member) NNC_FIELD(nnc_serve_ask, member), .min = 1, .max = 1e6
#define COUNT(member) NNC_FIELD(nnc_serve_ask, member), .min = 1, .max = 1e9
#define LENGTH(member) NNC_FIELD(nnc_serve_ask, member), .unit = "tokens", .min = 1, .max = LENGTH_MAX

/* Names of the number formats of weights and cache in serving. The names of these number formats have no help texts,
 * because docs/serving.md describes the formats. */
#define STORED_NAMES .names = { stored_name, NNC_STORED_COUNT }

static const char *stored_name(unsigned value) { return nnc_stored_name((nnc_stored)value); }

static const char *dtype_name(unsigned value) { return nnc_dtype_name((nnc_dtype)value); }

static const nnc_field serve_fields[] = {
    { LENGTH(input_len), .group = "Requests", .alias = "isl", NNC_DEFAULT(1024),
      .help = "Number of tokens of one prompt." },
    { LENGTH(output_len), .alias = "osl", NNC_DEFAULT(256), .help = "Number of generated tokens per request." },
    { COUNT(batch), .default_text = "1 without --concurrency, --request-rate, --offline",
      .help = "Static batch: number of requests that start and end together." },
    { COUNT(concurrency), .help = "Closed loop: number of requests that are always open." },
    { NNC_FIELD(nnc_serve_ask, waves), .min = 1, .max = 1e9, NNC_DEFAULT(10),
      .help = "Closed loop: number of requests of the whole benchmark divided by --concurrency. At the start "
              "--concurrency requests arrive together. nncost simulates at most --requests requests (at least 4 x "
              "--concurrency); if the benchmark is longer, the results leave out the first quarter of the simulated "
              "requests (steady state)." },
    { NNC_FIELD(nnc_serve_ask, request_rate), .max = 1e9, .above_min = true,
      .help = "Open loop: number of requests that arrive per second." },
    { NNC_FIELD(nnc_serve_ask, offline), NNC_DEFAULT_OFF,
      .help = "Offline load: as many requests run at once as memory and engine allow." },
    { NNC_FIELD(nnc_serve_ask, burstiness), .min = 0.01, .max = 1e6, NNC_DEFAULT(1),
      .help = "Open loop: shape of the gamma distribution of the time between arrivals. 1: Poisson arrivals; below "
              "1: requests arrive in bursts; above 1: requests arrive more evenly." },
    { NNC_FIELD(nnc_serve_ask, arrivals), .default_text = "none",
      .help = "CSV file of recorded requests. The file has a column arrival_s and, if requests have different lengths, "
              "input_len and output_len." },
    { NNC_FIELD(nnc_serve_ask, length_spread), .max = 0.99, NNC_DEFAULT(0.1),
      .help = "Closed and open loop: largest relative deviation of request lengths. With the value 0.1, nncost "
              "draws the length of each prompt and answer uniformly between 0.9 and 1.1 times --input-len or "
              "--output-len. 0: all requests have the same lengths, and the requests of a closed loop end at the "
              "same time." },
    { NNC_FIELD(nnc_serve_ask, preempt), NNC_DEFAULT_AS(false, "as the serving engine of the profile does"),
      .help = "Closed and open loop: start a request when its prompt fits into the cache. When the cache is full, "
              "the engine preempts the newest request: it drops the cache of the request and computes it again "
              "later. off: a request starts only when its prompt and its answer fit into the cache." },
    { NNC_FIELD(nnc_serve_ask, wait_steps), .max = 1e6, NNC_DEFAULT(0),
      .help = "Closed and open loop: largest number of decode steps that a prompt waits. While sequences decode, a "
              "prompt waits for further prompts, so that all these prompts are computed together "
              "(batch_wait_timeout_iters of TensorRT-LLM)." },
    { NNC_FIELD(nnc_serve_ask, wait_share), .max = 1, NNC_DEFAULT(0),
      .help = "Closed and open loop: waiting prompts (--wait-steps) start early when the next step has X x --chunk "
              "tokens or more (batch_wait_max_tokens_ratio of TensorRT-LLM)." },
    { NNC_FIELD(nnc_serve_ask, balance_steps), .max = 1e6, NNC_DEFAULT(0),
      .help = "Closed and open loop with --attention-data: while sequences decode, prompts wait until each group has "
              "a prompt. At every N-th decode step, waiting prompts start even if some groups have no prompt "
              "(attention_dp_config.timeout_iters of TensorRT-LLM, with enable_balance). 0: no prompt waits." },
    { NNC_FIELD(nnc_serve_ask, balance_more), .max = 1e6, NNC_DEFAULT(0),
      .help = "Number of decode steps for which prompts still wait after each group has a prompt (--balance-steps; "
              "attention_dp_config.batching_wait_iters of TensorRT-LLM)." },
    { NNC_FIELD(nnc_serve_ask, receive_steps), .min = 1, .max = 1e6, NNC_DEFAULT(1),
      .help = "Closed and open loop: while sequences decode, the engine receives new requests at every N-th decode "
              "step, and after each step with prompts (--scheduler-recv-interval of SGLang)." },
    { NNC_FIELD(nnc_serve_ask, graph_tokens), .unit = "tokens", .min = 1, .max = LENGTH_MAX,
      NNC_DEFAULT_AS(0, "graph_tokens of the profile"),
      .help = "Steps with prompts of at most N tokens are recorded as CUDA graphs, so the host does not issue their "
              "kernels one by one (capture_num_tokens of TensorRT-LLM, piecewise_cuda_graph_max_tokens of SGLang, "
              "max_cudagraph_capture_size of vLLM)." },
    { NNC_FIELD(nnc_serve_ask, requests), .min = 1, .max = 1 << 20, NNC_DEFAULT(10000),
      .help = "Open loop: number of simulated requests per replica. The results leave out the first tenth of the "
              "requests. If the mean time to first token is uncertain by over 1 %, nncost makes 16 simulations. "
              "Closed loop: largest number of simulated requests (--waves)." },
    { NNC_FIELD(nnc_serve_ask, seed), .max = 1e15, NNC_DEFAULT(1),
      .help = "Closed and open loop: seed of random arrival times and request lengths." },
    { NNC_FIELD(nnc_serve_ask, prefix_hit), .max = 1, NNC_DEFAULT(0),
      .help = "Share of a prompt whose keys and values are in the cache already, from an earlier request." },
    { SERVE_DEGREE(devices), .group = "Parallelism", .default_text = "the product of the degrees",
      .help = "Total number of devices." },
    { SERVE_DEGREE(tensor), .alias = "tp", NNC_DEFAULT(1),
      .help = "Number of devices that split each matrix product." },
    { SERVE_DEGREE(pipeline), .alias = "pp", NNC_DEFAULT(1),
      .help = "Number of pipeline stages, over which the layers are spread." },
    { SERVE_DEGREE(data), .alias = "dp", .default_text = "devices / product of the other degrees",
      .help = "Number of replicas of the model that share the requests." },
    { SERVE_DEGREE(expert), .alias = "ep", NNC_DEFAULT(1),
      .help = "Number of devices over which whole experts are spread. N must be a divisor of tensor x "
              "attention_data. 1 = every expert is split over tensor x attention_data devices." },
    { SERVE_DEGREE(attention_data), NNC_DEFAULT(1),
      .help = "Attention data: number of groups of tensor ranks. Each group attends to its own requests, and all "
              "groups share the experts." },
    { NNC_FIELD(nnc_serve_ask, imbalance), .min = 1, .max = 1e3, NNC_DEFAULT(1),
      .help = "Tokens of the busiest expert rank / mean of all expert ranks." },
    { NNC_FIELD(nnc_serve_ask, overlap_expert), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the expert-parallel communication of a prefill that overlaps with compute, because the prefill "
              "is divided into two micro-batches (two-batch overlap)." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, precision), .group = "Numbers",
      .names = { dtype_name, NNC_DTYPE_COUNT },
      NNC_DEFAULT_AS(NNC_DTYPE_COUNT, "format in which the device computes with weights in the format of --weights"),
      .help = "Number format in which matrix products are computed." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, weights), STORED_NAMES,
      NNC_DEFAULT_AS(NNC_STORED_COUNT, "as published, else as --precision, else bf16"),
      .help = "Number format in which weights are stored." },
    { NNC_FIELD(nnc_serve_ask, group_size), .min = 1, .max = 1e6, NNC_DEFAULT(128),
      .help = "Number of int4 weights that have one scale and one zero point in common." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, kv_precision), STORED_NAMES, NNC_DEFAULT_AS(NNC_STORED_COUNT, "bf16"),
      .help = "Number format in which keys and values are stored in the cache." },
    { NNC_FIELD(nnc_serve_ask, memory_use), .group = "Engine", .max = 1, .above_min = true,
      .default_text = "the profile's, else 0.9, or usable_bytes if this is less",
      .help = "Share of the device memory that the serving engine may use." },
    { LENGTH(block), .default_text = "the profile's, else 16",
      .help = "Number of tokens per block of the paged KV cache." },
    { LENGTH(chunk), .default_text = "the profile's, else 8192",
      .help = "Maximum number of tokens in one prefill step. Each group of --attention-data has its own step." },
    { COUNT(max_batch), .default_text = "the profile's, else 256",
      .help =
          "Maximum number of sequences that decode together. Each group of --attention-data can have N sequences." },
    { NNC_FIELD(nnc_serve_ask, draft), .group = "Draft models and separate workers (not compared with measurements)",
      .default_text = "none",
      .help = "Draft model of speculative decoding: id of a model or a model file. The draft model runs on the "
              "devices of the served model, and the weights and the cache of the draft model are in the memory of "
              "these devices." },
    { COUNT(draft_length), .default_text = "4 with --draft, else no draft",
      .help = "Number of tokens that the draft model proposes at a time. The served model then verifies the proposed "
              "tokens in one step." },
    { NNC_FIELD(nnc_serve_ask, acceptance), .max = 1, NNC_DEFAULT(0.7),
      .help = "Probability that the served model accepts a token of the draft model." },
    { NNC_FIELD(nnc_serve_ask, draft_share), .max = 10, NNC_DEFAULT_AS(0.05, "computed with --draft; else 0.05"),
      .help = "Time of a step of the draft model divided by the time of a step of the served model." },
    { NNC_FIELD(nnc_serve_ask, disaggregate), .default_text = "none",
      .help = "N is P:D, such as 2:1 (also 2P1D): P replicas only prefill, and D replicas only decode. Each replica "
              "has tensor x pipeline devices; --devices is the number of devices of all replicas." },
    { COUNT(steps), .group = "Images", .default_text = "0: tokens are generated",
      .help = "Number of forward passes per image of a diffusion network. Each pass computes --batch images." },
    { NNC_FIELD(nnc_serve_ask, guidance), NNC_DEFAULT_OFF,
      .help = "Classifier-free guidance: compute each pass with and without the prompt." },
    { COUNT(image), .unit = "pixels", .default_text = "the model's",
      .help = "Height and width of an image in pixels." },
    { NNC_FIELD(nnc_serve_ask, beside_s), .unit = "s", .max = 1e6, NNC_DEFAULT(0),
      .help = "Time per image in addition to the networks of the model file." },
    { NNC_FIELD(nnc_serve_ask, price), .group = "Engine", .max = 1e6, .above_min = true,
      .default_text = "newest price in the device file", .help = "Price of one device for one hour." },
    { NNC_FIELD(nnc_serve_ask, carbon_g_per_kwh), .unit = "g/kWh", .max = 1e5, .default_text = "value of --region",
      .help = "Carbon intensity of the grid, in grams of CO2 per kWh." },
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

/* Sets name, type, offset and size of the row for one storage format. The field of the row is one element of an array
 * of doubles, which has an element for each storage format. */
#define BY_STORED(stored, text) \
    .name = (text), .type = NNC_FIELD_F64, .offset = (stored) * sizeof(double), .size = sizeof(double)

#define SERVE_SHARE(stored, text, ...)   \
    { BY_STORED(stored, text), FRACTION, \
      .help = "Share of the memory bandwidth that is reached if the data has this format." },
static const nnc_field share_fields[] = { NNC_STORED_LIST(SERVE_SHARE) };

#define STORED_SECONDS(stored, text, ...) \
    { BY_STORED(stored, text), SECONDS,   \
      .help = "Fixed time of one matrix product whose weights have the format that the key names." },
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
              "that are computed in 16 bits use the share of bf16." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, product_s), NNC_FIELD_TABLE(stored_seconds_fields),
      .default_text = "kernel_s",
      .help = "Fixed time of one product, including the cast of its input, by the format of the weights." },
    { EFFICIENCY(attention_fraction), FRACTION, .help = "Share of the 16-bit peak that prefill attention reaches." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, expert_fraction), NNC_FIELD_TABLE(share_fields),
      .help = "Share of the memory bandwidth that products of many experts reach, by the format of the weights." },
    { EFFICIENCY(kernel_s), SECONDS, .help = "Fixed time of one kernel in a recorded CUDA graph." },
    { EFFICIENCY(attention_s), SECONDS, .default_text = "kernel_s", .help = "Fixed time of one decode attention." },
    { EFFICIENCY(kv_reread), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the cache that decode attention reads again for each further query head with the same keys "
              "and values. Only engines whose profile has a kv_reread above 0 use the kv_reread and kv_fraction of "
              "the device. nncost then uses the larger of two values: kv_reread of the profile and kv_reread of the "
              "device." },
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
      .help = "Factor on the rate of reading weights in the format that the key names." },
static const nnc_field factor_fields[] = { NNC_STORED_LIST(STORED_FACTOR) };

#define EXPERT_SECONDS(stored, text, ...)               \
    { BY_STORED(stored, text), SECONDS, NNC_DEFAULT(0), \
      .help = "Additional time of a layer of experts whose weights have the format that the key names." },
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
      .help = "Time in which the server turns one output token into text and sends it, while the devices work. The "
              "server handles the tokens of all sequences one after the other." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, stream_factor), NNC_FIELD_TABLE(factor_fields),
      .help = "Factor on the rate at which the device reads weights." },
    { ENGINE(kv_factor), FACTOR, .help = "Factor on the rate at which the device reads the cache." },
    { ENGINE(unit_bytes_per_clock), .unit = "B", .max = 1e6, .above_min = true, .default_text = "no limit",
      .help = "Maximum bytes that decode kernels read per unit and clock cycle of the device. Kernels that were "
              "written for smaller devices do not reach the memory bandwidth of larger devices." },
    { ENGINE(wave_threads), .min = 1, .max = 1024, .default_text = "all",
      .help = "Number of threads per wave of the device that decode kernels use. On a device with wider waves, decode "
              "kernels read a smaller share of unit_bytes_per_clock." },
    { ENGINE(all_reduce_factor), FACTOR, .help = "Factor on the device's time of an all-reduce." },
    { ENGINE(all_reduce_s), SECONDS, NNC_DEFAULT(0), .help = "Additional time of each all-reduce." },
    { ENGINE(attention_factor), FACTOR, .help = "Factor on the device's time of the attention of a prefill." },
    { ENGINE(kv_reread), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the cache that decode attention reads again for each further query head "
              "with the same keys and values." },
    { ENGINE(reread_above), .max = 1e9, NNC_DEFAULT(0),
      .help = "Limit of sequences x query heads per device. Only decode steps above this limit use the kv_reread and "
              "kv_fraction of a device that has a kv_reread." },
    { ENGINE(host_layer_s), SECONDS, NNC_DEFAULT(0),
      .help = "Host time to launch a layer; overlaps with device work." },
    { ENGINE(issue_s), SECONDS, NNC_DEFAULT(0),
      .help = "Host time to issue one kernel of a step with prompts that is not recorded as a CUDA graph; overlaps "
              "with device work." },
    { ENGINE(graph_tokens), .unit = "tokens", .max = LENGTH_MAX, NNC_DEFAULT(0),
      .help = "Steps with prompts of at most this number of tokens are recorded as CUDA graphs." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, expert_s), NNC_FIELD_TABLE(expert_seconds_fields),
      NNC_DEFAULT(0),
      .help = "Additional time of a layer of experts when the device cannot compute in the format of the weights." },
    { ENGINE(captured), NNC_DEFAULT_ON,
      .help = "A decode step is one recorded CUDA graph; off: the host launches every kernel." },
    { ENGINE(launch_s), SECONDS, NNC_DEFAULT(0),
      .help = "Host time to launch one kernel of a step that is not recorded." },
    { ENGINE(paged), NNC_DEFAULT_ON,
      .help = "The cache has blocks; off: a sequence reserves its full length at the start." },
    { ENGINE(pipelined_passes), NNC_DEFAULT_OFF,
      .help = "A pipeline stage starts the next --chunk of a prompt while later stages compute the chunk before it. "
              "The overlap counts for static batches of fewer sequences than stages." },
    { ENGINE(preempt), NNC_DEFAULT_OFF, .help = "The engine always works as with --preempt." },
    { ENGINE(schedules_ahead), NNC_DEFAULT_OFF,
      .help = "The engine schedules a step when the step before it starts on the device, so a request that arrives in "
              "between waits one step more (overlap scheduler)." },
    { ENGINE(chunk), .unit = "tokens", .min = 1, .max = LENGTH_MAX, .default_text = "8192",
      .help = "Maximum number of tokens in one prefill step." },
    { ENGINE(max_batch), .min = 1, .max = 1e9, .default_text = "256",
      .help = "Maximum number of sequences that decode together." },
    { ENGINE(large_bytes), .unit = "B", .max = NNC_BYTES_MAX, .default_text = "none",
      .help = "Smallest memory of a large device. On large devices, large_chunk and large_batch are the defaults." },
    { ENGINE(large_chunk), .unit = "tokens", .min = 1, .max = LENGTH_MAX, .default_text = "as chunk",
      .help = "chunk on large devices." },
    { ENGINE(large_batch), .min = 1, .max = 1e9, .default_text = "as max_batch",
      .help = "max_batch on large devices." },
    { ENGINE(large_except), .default_text = "none", .help = "Text in the id of a device that never counts as large." },
    { ENGINE(block), .unit = "tokens", .min = 1, .max = LENGTH_MAX, .default_text = "16",
      .help = "Number of tokens per block of the paged KV cache." },
    { ENGINE(memory_use), FRACTION, .default_text = "0.9, or computed with sized_by_memory",
      .help = "Share of the device memory that the serving engine may use." },
    { ENGINE(memory_share), NNC_FIELD_NAMES(nnc_memory_share, NNC_MEMORY_SHARE_COUNT),
      NNC_DEFAULT_AS(NNC_SHARE_MEMORY, "memory"), .help = "Memory to which memory_use refers." },
    { ENGINE(workspace_bytes), .unit = "B", .max = NNC_BYTES_MAX, .default_text = "2e9",
      .help = "Memory outside weights and cache: libraries, graphs, workspace, and, if profiled is off, activations." },
    { ENGINE(ranks_bytes), .unit = "B", .max = NNC_BYTES_MAX, NNC_DEFAULT(0),
      .help = "Additional memory outside weights and cache if a replica has several ranks." },
    { ENGINE(profiled), NNC_DEFAULT_OFF,
      .help = "The engine runs the largest step before it allocates the cache, and subtracts the memory of its "
              "activations." },
    { ENGINE(logit_bytes), .unit = "B", .max = 1e3, NNC_DEFAULT(0),
      .help = "Memory per logit in the run that measures activations (profiled). This run samples a token for "
              "max_batch sequences." },
    { ENGINE(sized_by_memory), NNC_DEFAULT_OFF,
      .help = "Defaults of memory_use and chunk depend on the memory of the device, as in SGLang." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, tpot), NNC_FIELD_TABLE(spread_fields),
      .help = "Interval of the time per output token, as quantiles of measured / predicted." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, tpot_experts), NNC_FIELD_TABLE(spread_fields),
      .help = "Interval of the time per output token of models with experts; not given: as tpot." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, ttft), NNC_FIELD_TABLE(spread_fields),
      .help = "Interval of the time to first token, as quantiles of measured / predicted." },
    { NNC_FIELD_COMMENT("fitted_on"), .required = true,
      .help = "Measurements to which the values were fitted, and the date of the fit." },
};
