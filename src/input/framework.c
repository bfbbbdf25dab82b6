/* What a software profile says of the frameworks that it stands for, and of the steps it was compared with. */
#include <stddef.h>

#include "base/names.h"
#include "input/read.h"

static const nnc_field framework_fields[] = {
    { NNC_FIELD(nnc_framework, framework), .required = true,
      .help = "What the name of a framework begins with." },
    { NNC_FIELD(nnc_framework, version), .help = "What its version begins with." },
    { NNC_FIELD(nnc_framework, hardware), .help = "What the row's device begins with." },
    { NNC_FIELD(nnc_framework, precision), .help = "What the row's precision begins with." },
    { NNC_FIELD(nnc_framework, notes), .help = "A word of the row's notes." },
    { NNC_FIELD(nnc_framework, model), .help = "What the name of the row's network begins with." },
    { NNC_FIELD(nnc_framework, precision_as),
      .help = "The format that runs at the speed of what the row calls its precision." },
    { NNC_FIELD(nnc_framework, policy), NNC_FIELD_NAMES(nnc_policy, NNC_POLICY_COUNT),
      .default_text = "default", .help = "Formats that it trains with." },
    { NNC_FIELD(nnc_framework, attention), NNC_FIELD_NAMES(nnc_attention, NNC_ATTENTION_COUNT),
      .default_text = "flash", .help = "Its attention kernel." },
    { NNC_FIELD(nnc_framework, context_kind),
      NNC_FIELD_NAMES(nnc_context_kind, NNC_CONTEXT_KIND_COUNT), .default_text = "ring",
      .help = "How context ranks attend to each other's tokens." },
    { NNC_FIELD(nnc_framework, adapter_context_kind),
      NNC_FIELD_NAMES(nnc_context_kind, NNC_CONTEXT_KIND_COUNT), .default_text = "ring",
      .help = "The same where only adapters are trained." },
    { NNC_FIELD(nnc_framework, overlap), .max = 1,
      .help = "Share of all communication that hides behind compute; not given: by the profile." },
    { NNC_FIELD(nnc_framework, capacity_factor), .max = 1e3, .default_text = "0",
      .help = "Of models with experts: tokens that an expert takes over its even share." },
    { NNC_FIELD(nnc_framework, fp16_dropout), .max = 0.999, .default_text = "0",
      .help = "Dropout of models that it trains in fp16." },
    { NNC_FIELD(nnc_framework, zero), .max = 3, .default_text = "0", .help = "ZeRO stage." },
    { NNC_FIELD(nnc_framework, micro_batch), .max = 1e9,
      .default_text = "a rank's whole share where it is small, else 1",
      .help = "Sequences of a pass." },
    { NNC_FIELD(nnc_framework, one_pass), .default_text = "off",
      .help = "A pass is a rank's whole share of the batch." },
    { NNC_FIELD(nnc_framework, vocab_multiple), .max = 1e9, .default_text = "0",
      .help = "The table is padded to a multiple of this times the tensor degree; 0 = not." },
    { NNC_FIELD(nnc_framework, sequence_parallel), .default_text = "off",
      .help = "Wherever there is tensor parallelism." },
    { NNC_FIELD(nnc_framework, interleaves), .default_text = "off",
      .help = "Pipelines hold a layer in each virtual stage, where micro-batches allow it." },
    { NNC_FIELD(nnc_framework, adapters), NNC_FIELD_NAMES(nnc_adapted, NNC_ADAPTED_COUNT),
      .default_text = "linear",
      .help = "Layers that have adapters, where only these are trained." },
    { NNC_FIELD(nnc_framework, half_selective), .default_text = "off",
      .help = "Selective recomputation means every other layer, or product of each." },
    { NNC_FIELD(nnc_framework, ends_as_layers), .default_text = "off",
      .help =
          "Table and head count as a layer each, where layers alone do not divide over stages." },
    { NNC_FIELD(nnc_framework, whole_experts), .default_text = "off",
      .help = "Tensor ranks are expert ranks, too, where experts are shared." },
    { NNC_FIELD(nnc_framework, gathered_in_pipelines), .default_text = "off",
      .help = "ZeRO stage 3 keeps weights gathered between the passes of a pipeline." },
    { NNC_FIELD(nnc_framework, host_pass_s), .unit = "s", .max = 1e3, .default_text = "0",
      .help = "Work of its programs on the host in a pass, for which the device waits." },
    { NNC_FIELD(nnc_framework, host_sample_s), .unit = "s", .max = 1e3, .default_text = "0",
      .help = "The same of each sample of a pass." },
    { NNC_FIELD(nnc_framework, input_samples_per_s), .max = 1e12, .default_text = "0",
      .help = "Samples that its programs prepare a second for each device of a host whose devices "
              "all train; 0 = enough." },
    { NNC_FIELD(nnc_framework, internode_latency_s), .unit = "s", .max = 1, .default_text = "0",
      .help =
          "Of a message between servers, as measured on the cluster of its rows; 0 = the device "
          "file's." },
};
const nnc_field_table nnc_framework_table = { "framework", framework_fields,
                                              NNC_COUNT_OF(framework_fields) };

static const nnc_field compared_fields[] = {
    { NNC_FIELD(nnc_track, device), .required = true, .help = "Id of a device." },
    { NNC_FIELD(nnc_track, family), .required = true,
      .help = "Family of models; of decoders with experts: experts." },
    { NNC_FIELD(nnc_track, rows), .max = 1e9, .required = true, .help = "Measured steps." },
    { NNC_FIELD(nnc_track, unseen), .max = 1e9, .required = true,
      .help = "Of those, how many are of groups that no fit saw." },
    { NNC_FIELD(nnc_track, error), .max = 1e3, .required = true,
      .help = "Mean size of predicted / measured - 1." },
    { NNC_FIELD(nnc_track, bias), .min = -1, .max = 1e3, .required = true,
      .help = "Its mean, with sign." },
};
static const nnc_field range_fields[] = {
    { NNC_FIELD(nnc_range, device), .required = true, .help = "Id of a device." },
    { NNC_FIELD(nnc_range, of), .required = true,
      .help = "Id of a network whose family is graph, else the family of models; of decoders with "
              "experts: experts." },
    { NNC_FIELD(nnc_range, own), .max = 5, .above_min = true, .required = true,
      .help = "In place of all of spread but network and idle." },
};
const nnc_field_table nnc_range_table = { "range", range_fields, NNC_COUNT_OF(range_fields) };

const nnc_field_table nnc_track_table = { "comparison", compared_fields,
                                          NNC_COUNT_OF(compared_fields) };
