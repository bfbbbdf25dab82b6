#include <math.h>

#include <nncost/plan.h>

#include "base/error.h"
#include "base/names.h"
#include "base/sized.h"
#include "input/read.h"

NNC_ENUM_TEXTS(nnc_attention, NNC_ATTENTION_LIST)
NNC_ENUM_TEXTS(nnc_mode, NNC_MODE_LIST)
NNC_ENUM_TEXTS(nnc_activations, NNC_ACTIVATIONS_LIST)
NNC_ENUM_TEXTS(nnc_adapted, NNC_ADAPTED_LIST)
NNC_ENUM_TEXTS(nnc_frozen, NNC_FROZEN_LIST)
NNC_ENUM_TEXTS(nnc_schedule, NNC_SCHEDULE_LIST)
NNC_ENUM_TEXTS(nnc_context_kind, NNC_CONTEXT_KIND_LIST)
NNC_ENUM_TEXTS(nnc_rank_order, NNC_RANK_ORDER_LIST)

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
      .help = "Devices in all." },
    { DEGREE(devices_per_node), .default_text = "the device file's",
      .help = "Devices in one scale-up domain." },
    { DEGREE(data), .alias = "dp", .default_text = "devices / the other degrees",
      .help = "Replicas that share the batch." },
    { DEGREE(tensor), .alias = "tp", .default_text = "1",
      .help = "Devices that split each matrix product." },
    { DEGREE(pipeline), .alias = "pp", .default_text = "1",
      .help = "Stages the layers are spread over." },
    { DEGREE(virtual_stages), .alias = "vpp", .default_text = "1",
      .help = "Groups of layers per pipeline stage." },
    { NNC_FIELD(nnc_plan, ends_as_layers), .default_text = "off",
      .help = "Table and head count as a layer each where stages share the layers out." },
    { NNC_FIELD(nnc_plan, first_stage_layers), .max = 1e5, .default_text = "0",
      .help = "Layers of the first pipeline stage; 0 = as many as the others." },
    { NNC_FIELD(nnc_plan, last_stage_layers), .max = 1e5, .default_text = "0",
      .help = "Layers of the last pipeline stage; 0 = as many as the others." },
    { DEGREE(context), .alias = "cp", .default_text = "1",
      .help = "Devices that split each sequence." },
    { DEGREE(expert), .alias = "ep", .default_text = "1",
      .help = "Devices that share the experts, out of data x context." },
    { NNC_FIELD(nnc_plan, whole_experts), .default_text = "off",
      .help =
          "Tensor ranks are expert ranks, too, and none has a slice of an expert: --expert is out "
          "of tensor x data x context." },
    { NNC_FIELD(nnc_plan, sequence_parallel), .default_text = "off",
      .help = "Norms and dropout are split over tensor ranks too." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_plan, zero), .group = "Memory", .names = { zero_name, 4 },
      .default_text = "0",
      .help = "ZeRO stage: optimizer states, gradients too, weights too (FSDP) are sharded." },
    { DEGREE(shard), .default_text = "data x context",
      .help = "Ranks that share one copy of what ZeRO shards (HSDP)." },
    { NNC_FIELD(nnc_plan, reshard), .default_text = "on",
      .help = "ZeRO stage 3 frees weights after forward and gathers them again." },
    { NNC_FIELD(nnc_plan, schedule), .group = "Parallelism",
      NNC_FIELD_NAMES(nnc_schedule, NNC_SCHEDULE_COUNT),
      .default_text = "1f1b, interleaved with virtual stages",
      .help = "Pipeline schedule: the order of forward and backward micro-batches." },
    { NNC_FIELD(nnc_plan, context_kind), NNC_FIELD_NAMES(nnc_context_kind, NNC_CONTEXT_KIND_COUNT),
      .default_text = "ring", .help = "How context ranks attend to each other's tokens." },
    { NNC_FIELD(nnc_plan, rank_order), NNC_FIELD_NAMES(nnc_rank_order, NNC_ORDER_COUNT),
      .default_text = "tensor-context-data-pipeline",
      .help = "Which ranks are neighbours: the degree named first varies fastest." },
    { NNC_FIELD_AS(NNC_FIELD_OFFLOAD, nnc_plan, offload), .group = "Memory", .default_text = "none",
      .help = "What lives in host memory: optimizer, activations, weights." },
    { NNC_FIELD(nnc_plan, overlap), .group = "Parallelism", .max = 1,
      .default_text = "the software profile's",
      .help = "Share of the communication that could overlap with compute and does." },
    { NNC_FIELD(nnc_plan, capacity_factor), .max = 1000, .default_text = "0",
      .help = "Expert slots over the mean load; 0 = every token is served." },
    { NNC_FIELD(nnc_plan, imbalance), .min = 1, .max = 1000, .default_text = "1",
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
      .names = { nnc_dtype_name, NNC_DTYPE_COUNT }, .default_text = "bf16, else fp16, else fp32",
      .help = "Number format of the matrix products." },
    { NNC_FIELD(nnc_plan, policy), NNC_FIELD_NAMES(nnc_policy, NNC_POLICY_COUNT),
      .default_text = "default",
      .help = "Bytes kept per parameter; default: fp32 for fp32 and tf32, else mixed." },
    { NNC_FIELD(nnc_plan, optimizer), NNC_FIELD_NAMES(nnc_optimizer, NNC_OPTIMIZER_COUNT),
      .default_text = "adamw", .help = "Optimizer: its state and its step." },
    { NNC_FIELD_AS(NNC_FIELD_RECOMPUTE, nnc_plan, recompute), .group = "Memory",
      .default_text = "none", .help = "What is computed again in backward instead of kept." },
    { NNC_FIELD_AS(NNC_FIELD_TRAIN, nnc_plan, train), .group = "Memory", .default_text = "all",
      .help = "Whose weights are trained; the others are frozen." },
    { NNC_FIELD(nnc_plan, next_tokens), .group = "Memory", .default_text = "off",
      .help =
          "Layers that predict tokens further on (next_layers of the model) are trained, too." },
    { NNC_FIELD(nnc_plan, adapter_rank), .group = "Memory", .max = 65536, .alias = "lora",
      .default_text = "0",
      .help =
          "Rank of adapters beside linear layers (LoRA), which alone are trained unless --train "
          "says more; 0 = none." },
    { NNC_FIELD(nnc_plan, adapters), .group = "Memory",
      NNC_FIELD_NAMES(nnc_adapted, NNC_ADAPTED_COUNT), .default_text = "linear",
      .help = "Which layers have adapters." },
    { NNC_FIELD(nnc_plan, dora), .group = "Memory", .default_text = "off",
      .help =
          "Adapters train the direction of a weight, and a length per output beside it (DoRA)." },
    { NNC_FIELD(nnc_plan, frozen), .group = "Memory", NNC_FIELD_NAMES(nnc_frozen, NNC_FROZEN_COUNT),
      .default_text = "16bit", .help = "How weights that are not trained are stored." },
    { NNC_FIELD(nnc_plan, fp8_inputs), .group = "Memory", .default_text = "off",
      .help = "Inputs of activation functions are kept in 8 bits for backward." },
    { NNC_FIELD(nnc_plan, recompute_every), .min = 1, .max = 1e5, .default_text = "1",
      .help = "Full recomputation in segments of this many layers." },
    { NNC_FIELD(nnc_plan, recompute_layers), .max = 1e5, .default_text = "0",
      .help = "Full recomputation of this many layers of each stage; 0 = all." },
    { NNC_FIELD(nnc_plan, attention), .group = "Numbers",
      NNC_FIELD_NAMES(nnc_attention, NNC_ATTENTION_COUNT), .default_text = "flash",
      .help = "Attention in one kernel, or written out." },
    { NNC_FIELD(nnc_plan, activations), .group = "Memory",
      NNC_FIELD_NAMES(nnc_activations, NNC_ACTIVATIONS_COUNT), .default_text = "per-op",
      .help = "How kept activations are counted." },
    { NNC_FIELD(nnc_plan, mode), .group = "Numbers", NNC_FIELD_NAMES(nnc_mode, NNC_MODE_COUNT),
      .default_text = "predicted",
      .help = "With the device's fitted efficiency, or the bound of the datasheet." },
    { NNC_FIELD(nnc_plan, flops_convention),
      NNC_FIELD_NAMES(nnc_flops_convention, NNC_CONVENTION_COUNT), .default_text = "palm",
      .help = "How model FLOPs are counted." },
    { NNC_FIELD(nnc_plan, clip_gradients), .default_text = "on",
      .help = "Gradients are clipped by their norm before the step." },
    { NNC_FIELD(nnc_plan, tokens), .group = "Cost", .unit = "tokens", .min = 1, .max = RUN_MAX,
      .help = "Tokens to train on in the whole run." },
    { NNC_FIELD(nnc_plan, samples), .min = 1, .max = RUN_MAX,
      .help = "Sequences or images to train on in the whole run." },
    { NNC_FIELD(nnc_plan, price), .max = 1e6, .default_text = "the device file's newest",
      .help = "Price of one device for one hour, in the currency of the device file, or else US "
              "dollars." },
    { NNC_FIELD(nnc_plan, reserve_bytes), .group = "Memory", .unit = "B", .max = 1e15,
      .default_text = "the software profile's",
      .help = "Device memory set aside for other uses: the driver, collectives, what an allocator "
              "cannot hand out again. With a number the verdict counts no spread." },
};

const nnc_field_table nnc_plan_table = { "plan", plan_fields, NNC_COUNT_OF(plan_fields) };

_Static_assert(sizeof(nnc_plan) <= NNC_PLAN_ROOM, "a plan has less room in other structs");

void nnc_plan_init(nnc_plan *plan, size_t struct_size)
{
    const nnc_plan unset = {
        .tensor = 1,
        .pipeline = 1,
        .virtual_stages = 1,
        .context = 1,
        .expert = 1,
        .reshard = true,
        .schedule = NNC_SCHEDULE_COUNT,
        .overlap = (double)NAN,
        .imbalance = 1.0,
        .reserve_bytes = -1,
        .recompute_every = 1,
        .precision = NNC_DTYPE_COUNT,
        .clip_gradients = true,
        .tokens = (double)NAN,
        .samples = (double)NAN,
        .price = (double)NAN,
    };
    if (plan == NULL || struct_size < sizeof struct_size) {
        return;
    }
    plan->struct_size = struct_size;
    nnc_sized_write(plan, &unset, sizeof unset);
}

nnc_status nnc_plan_set(nnc_plan *plan, const char *field, const char *value, nnc_error *err)
{
    NNC_NEED(plan);
    NNC_NEED(field);
    NNC_NEED(value);
    return nnc_field_set(&nnc_plan_table, plan, field, value, err);
}
