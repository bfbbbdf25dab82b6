/* The fields of a training plan: each is a JSON key, a --set name, an option and a sweep axis. */
#include <string.h>

#include <nncost/spec.h>

#include "fields/fields_internal.h"

#define SAMPLES_MAX 1e9
#define RUN_MAX 1e18

/* Degrees of parallelism. */
#define DEGREES_MAX 16777216
#define DEGREE(member) NNC_FIELD(nnc_plan, member), .min = 1, .max = DEGREES_MAX

static const char *zero_name(unsigned stage)
{
    static const char *const names[] = { "0", "1", "2", "3" };
    return names[stage < 4 ? stage : 3];
}

static const nnc_field plan_fields[] = {
    { DEGREE(devices), .group = "Parallelism", .default_text = "data x tensor x pipeline x context",
      .help = "Total number of devices." },
    { DEGREE(devices_per_node), .default_text = "the device file's",
      .help = "Devices in one scale-up domain." },
    { DEGREE(data), .alias = "dp", .default_text = "devices / the other degrees",
      .help = "Replicas that share the batch." },
    { DEGREE(tensor), .alias = "tp", NNC_DEFAULT(1),
      .help = "Devices that split each matrix product." },
    { DEGREE(pipeline), .alias = "pp", NNC_DEFAULT(1), .help = "Pipeline stages." },
    { DEGREE(virtual_stages), .alias = "vpp", NNC_DEFAULT(1),
      .help = "Groups of layers per pipeline stage." },
    { NNC_FIELD(nnc_plan, ends_as_layers), NNC_DEFAULT_OFF,
      .help = "Count embedding and head as one layer each when balancing stages." },
    { NNC_FIELD(nnc_plan, first_stage_layers), .max = 1e5, NNC_DEFAULT(0),
      .help = "Layers of the first pipeline stage; 0 = as many as the others." },
    { NNC_FIELD(nnc_plan, last_stage_layers), .max = 1e5, NNC_DEFAULT(0),
      .help = "Layers of the last pipeline stage; 0 = as many as the others." },
    { DEGREE(context), .alias = "cp", NNC_DEFAULT(1), .help = "Devices that split each sequence." },
    { DEGREE(expert), .alias = "ep", NNC_DEFAULT(1),
      .help = "Devices that share the experts; a divisor of data x context." },
    { NNC_FIELD(nnc_plan, whole_experts), NNC_DEFAULT_OFF,
      .help = "Do not split experts over tensor ranks (expert tensor parallel = 1): --expert is "
              "then a divisor of tensor x data x context." },
    { NNC_FIELD(nnc_plan, sequence_parallel), NNC_DEFAULT_OFF,
      .help = "Also split norms and dropout over tensor ranks." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_plan, zero), .group = "Memory", .names = { zero_name, 4 },
      NNC_DEFAULT(0),
      .help = "ZeRO stage: 1 shards optimizer states, 2 also gradients, 3 also weights (FSDP)." },
    { DEGREE(shard), .default_text = "data x context",
      .help = "Ranks that share one sharded copy of what ZeRO shards (HSDP)." },
    { NNC_FIELD(nnc_plan, reshard), NNC_DEFAULT_ON,
      .help = "ZeRO stage 3 frees weights after forward and gathers them again for backward." },
    { NNC_FIELD(nnc_plan, schedule), .group = "Parallelism",
      NNC_FIELD_NAMES(nnc_schedule, NNC_SCHEDULE_COUNT),
      NNC_DEFAULT_AS(NNC_SCHEDULE_COUNT, "1f1b, interleaved with virtual stages"),
      .help = "Pipeline schedule: the order of forward and backward micro-batches." },
    { NNC_FIELD(nnc_plan, context_kind), NNC_FIELD_NAMES(nnc_context_kind, NNC_CONTEXT_KIND_COUNT),
      NNC_DEFAULT_AS(NNC_CONTEXT_RING, "ring"),
      .help = "How context ranks attend to the tokens of the others." },
    { NNC_FIELD(nnc_plan, rank_order), NNC_FIELD_NAMES(nnc_rank_order, NNC_ORDER_COUNT),
      NNC_DEFAULT_AS(NNC_ORDER_TENSOR_CONTEXT_DATA_PIPELINE, "tensor-context-data-pipeline"),
      .help = "Which ranks are neighbours: the degree named first varies fastest." },
    { NNC_FIELD_AS(NNC_FIELD_OFFLOAD, nnc_plan, offload), .group = "Memory",
      NNC_DEFAULT_AS(NNC_OFFLOAD_NONE, "none"),
      .help = "Parts kept in host memory: optimizer, activations, weights." },
    { NNC_FIELD(nnc_plan, overlap), .group = "Parallelism", .max = 1,
      .default_text = "the software profile's",
      .help = "Share of the communication that overlaps with compute, where overlap is possible." },
    { NNC_FIELD(nnc_plan, capacity_factor), .max = 1000, NNC_DEFAULT(0),
      .help = "Slots per expert over its mean number of tokens; 0 = no token is dropped." },
    { NNC_FIELD(nnc_plan, imbalance), .min = 1, .max = 1000, NNC_DEFAULT(1),
      .help = "Tokens of the busiest expert rank over the mean." },
    { NNC_FIELD(nnc_plan, micro_batch), .group = "Batch", .min = 1, .max = SAMPLES_MAX,
      .default_text = "1", .help = "Sequences or images per micro-batch of one replica." },
    { NNC_FIELD(nnc_plan, micro_batches), .min = 1, .max = SAMPLES_MAX, .alias = "grad-accum",
      .default_text = "1", .help = "Micro-batches per optimizer step (gradient accumulation)." },
    { NNC_FIELD(nnc_plan, global_batch), .min = 1, .max = 1e12,
      .default_text = "micro_batch x micro_batches x data",
      .help = "Sequences or images per step." },
    { NNC_FIELD(nnc_plan, seq_len), .unit = "tokens", .min = 1, .max = 1e9,
      .default_text = "the model's", .help = "Length of a sequence." },
    { NNC_FIELD(nnc_plan, image), .unit = "pixels", .min = 1, .max = 1e6,
      .default_text = "the model's", .help = "Side of an image." },
    { NNC_FIELD(nnc_plan, precision), .group = "Numbers",
      .names = { nnc_dtype_name, NNC_DTYPE_COUNT },
      NNC_DEFAULT_AS(NNC_DTYPE_COUNT, "bf16, else fp16, else fp32"),
      .help = "Number format of the matrix products." },
    { NNC_FIELD(nnc_plan, policy), NNC_FIELD_NAMES(nnc_policy, NNC_POLICY_COUNT),
      NNC_DEFAULT_AS(NNC_POLICY_DEFAULT, "default"),
      .help = "Precision policy: formats of weights, gradients and optimizer states. default: fp32 "
              "for fp32 and tf32, else mixed." },
    { NNC_FIELD(nnc_plan, optimizer), NNC_FIELD_NAMES(nnc_optimizer, NNC_OPTIMIZER_COUNT),
      NNC_DEFAULT_AS(NNC_OPTIMIZER_ADAMW, "adamw"), .help = "Optimizer: its states and its step." },
    { NNC_FIELD_AS(NNC_FIELD_RECOMPUTE, nnc_plan, recompute), .group = "Memory",
      NNC_DEFAULT_AS(NNC_RECOMPUTE_NONE, "none"),
      .help =
          "Activation checkpointing: parts that are computed again in backward instead of kept." },
    { NNC_FIELD_AS(NNC_FIELD_TRAIN, nnc_plan, train), .group = "Memory",
      NNC_DEFAULT_AS(NNC_TRAIN_ALL, "all"),
      .help = "Parts with trained weights; others are frozen." },
    { NNC_FIELD(nnc_plan, next_tokens), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "Also train the layers for multi-token prediction (next_layers of the model)." },
    { NNC_FIELD(nnc_plan, adapter_rank), .group = "Memory", .max = 65536, .alias = "lora",
      NNC_DEFAULT(0),
      .help = "Rank of low-rank adapters of linear layers (LoRA); 0 = no adapters. Only the "
              "adapters are trained unless --train adds parts." },
    { NNC_FIELD(nnc_plan, adapters), .group = "Memory",
      NNC_FIELD_NAMES(nnc_adapted, NNC_ADAPTED_COUNT), NNC_DEFAULT_AS(NNC_ADAPTED_LINEAR, "linear"),
      .help = "Layers that have adapters." },
    { NNC_FIELD(nnc_plan, dora), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "Adapters train the direction of each weight and a separate magnitude per output "
              "(DoRA)." },
    { NNC_FIELD(nnc_plan, frozen), .group = "Memory", NNC_FIELD_NAMES(nnc_frozen, NNC_FROZEN_COUNT),
      NNC_DEFAULT_AS(NNC_FROZEN_16, "16bit"), .help = "Storage format of frozen weights." },
    { NNC_FIELD(nnc_plan, fp8_inputs), .group = "Memory", NNC_DEFAULT_OFF,
      .help = "Keep the inputs of activation functions in 8 bits for backward." },
    { NNC_FIELD(nnc_plan, recompute_every), .min = 1, .max = 1e5, NNC_DEFAULT(1),
      .help = "Full recomputation in segments of this many layers." },
    { NNC_FIELD(nnc_plan, recompute_layers), .max = 1e5, NNC_DEFAULT(0),
      .help = "Full recomputation of this many layers of each stage; 0 = all." },
    { NNC_FIELD(nnc_plan, attention), .group = "Numbers",
      NNC_FIELD_NAMES(nnc_attention, NNC_ATTENTION_COUNT),
      NNC_DEFAULT_AS(NNC_ATTENTION_FLASH, "flash"),
      .help = "Attention as one fused kernel, or as separate kernels." },
    { NNC_FIELD(nnc_plan, activations), .group = "Memory",
      NNC_FIELD_NAMES(nnc_activations, NNC_ACTIVATIONS_COUNT),
      NNC_DEFAULT_AS(NNC_ACTIVATIONS_PER_OP, "per-op"),
      .help = "How kept activations are counted." },
    { NNC_FIELD(nnc_plan, mode), .group = "Numbers", NNC_FIELD_NAMES(nnc_mode, NNC_MODE_COUNT),
      NNC_DEFAULT_AS(NNC_MODE_PREDICTED, "predicted"),
      .help = "Predict with the fitted efficiencies of the device, or give the lower bound of the "
              "datasheet." },
    { NNC_FIELD(nnc_plan, flops_convention),
      NNC_FIELD_NAMES(nnc_flops_convention, NNC_CONVENTION_COUNT),
      NNC_DEFAULT_AS(NNC_CONVENTION_PALM, "palm"), .help = "How model FLOPs are counted." },
    { NNC_FIELD(nnc_plan, clip_gradients), NNC_DEFAULT_ON,
      .help = "Clip gradients by their norm before the optimizer step." },
    { NNC_FIELD(nnc_plan, tokens), .group = "Cost", .unit = "tokens", .min = 1, .max = RUN_MAX,
      .help = "Tokens to train on in the whole run." },
    { NNC_FIELD(nnc_plan, samples), .min = 1, .max = RUN_MAX,
      .help = "Sequences or images to train on in the whole run." },
    { NNC_FIELD(nnc_plan, price), .max = 1e6, .default_text = "the device file's newest",
      .help = "Price of one device for one hour, in the currency of the device file (US dollars if "
              "it has no prices)." },
    { NNC_FIELD(nnc_plan, reserve_bytes), .group = "Memory", .unit = "B", .max = 1e15,
      NNC_DEFAULT_AS(-1, "the software profile's"),
      .help =
          "Device memory for other uses: driver, collectives, allocator fragmentation. If it is "
          "given, the verdict uses the predicted peak without a margin." },
};

const nnc_field_table nnc_plan_table = { "plan", plan_fields, NNC_COUNT_OF(plan_fields) };

_Static_assert(sizeof(nnc_plan) <= NNC_PLAN_SPACE,
               "nnc_plan is larger than its space in other structs");

void nnc_plan_init(nnc_plan *plan, size_t struct_size)
{
    nnc_plan unset;
    if (plan != NULL && struct_size >= sizeof struct_size) {
        memset(&unset, 0, sizeof unset);
        nnc_fields_init(&nnc_plan_table, &unset);
        plan->struct_size = struct_size;
        nnc_sized_write(plan, &unset, sizeof unset);
    }
}

nnc_status nnc_plan_set(nnc_plan *plan, const char *field, const char *value, nnc_error *err)
{
    NNC_NEED(plan);
    NNC_NEED(field);
    NNC_NEED(value);
    return nnc_field_set(&nnc_plan_table, plan, field, value, err);
}

nnc_status nnc_plan_check(const nnc_plan *plan, nnc_error *err)
{
    NNC_TRY(nnc_need("nnc_plan_check", "plan", plan != NULL, err));
    return nnc_fields_check(&nnc_plan_table, NULL, plan, err);
}
