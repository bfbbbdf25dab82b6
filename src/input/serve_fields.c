/* What is asked of serving, as options and as a plan of a file; what a device and an engine reach. */
#include <math.h>

#include <nncost/serve.h>

#include "input/kind.h"
#include "input/read.h"

#define LENGTH_MAX 1e8
#define DEGREE(member) NNC_FIELD(nnc_serve_ask, member), .min = 1, .max = 1e6
#define COUNT(member) NNC_FIELD(nnc_serve_ask, member), .min = 1, .max = 1e9
#define LENGTH(member) \
    NNC_FIELD(nnc_serve_ask, member), .unit = "tokens", .min = 1, .max = LENGTH_MAX

/* Names alone: what formats are is said in docs/serving.md. */
#define STORED_NAMES .names = { stored_name, NNC_STORED_COUNT }

static const char *stored_name(unsigned value)
{
    return nnc_stored_name((nnc_stored)value);
}

static const char *dtype_name(unsigned value)
{
    return nnc_dtype_name((nnc_dtype)value);
}

static const nnc_field serve_fields[] = {
    { LENGTH(input_len), .group = "Requests", .alias = "isl", .default_text = "1024",
      .help = "Tokens of a prompt." },
    { LENGTH(output_len), .alias = "osl", .default_text = "256",
      .help = "Tokens that are generated for it." },
    { COUNT(batch), .default_text = "1, where none of the next three is given",
      .help = "Static batch: requests that start and end together." },
    { COUNT(concurrency), .help = "Closed loop: requests that are always open." },
    { NNC_FIELD(nnc_serve_ask, waves), .min = 1, .max = 1e9, .default_text = "10",
      .help =
          "Closed loop: requests that a benchmark makes over --concurrency. Of the first wave all "
          "prompts come at once; 1e9: a server that has run for long." },
    { NNC_FIELD(nnc_serve_ask, request_rate), .max = 1e9, .above_min = true,
      .help = "Open loop: requests per second." },
    { NNC_FIELD(nnc_serve_ask, offline), .default_text = "off",
      .help = "As many requests at a time as memory and engine allow." },
    { NNC_FIELD(nnc_serve_ask, prefix_hit), .max = 1, .default_text = "0",
      .help = "Share of a prompt whose keys and values are cached already." },
    { DEGREE(devices), .group = "Parallelism", .default_text = "the product of the degrees",
      .help = "Devices in all." },
    { DEGREE(tensor), .alias = "tp", .default_text = "1",
      .help = "Devices that split each matrix product." },
    { DEGREE(pipeline), .alias = "pp", .default_text = "1",
      .help = "Stages the layers are spread over." },
    { DEGREE(data), .alias = "dp", .default_text = "devices / the other degrees",
      .help = "Replicas that share the requests." },
    { DEGREE(expert), .alias = "ep", .default_text = "1",
      .help =
          "Devices that hold whole experts, out of tensor x attention_data; 1 = every expert is "
          "split over them." },
    { DEGREE(attention_data), .default_text = "1",
      .help =
          "Groups of tensor ranks that each attend to requests of their own; experts are shared "
          "by all of them." },
    { NNC_FIELD(nnc_serve_ask, imbalance), .min = 1, .max = 1e3, .default_text = "1",
      .help = "Tokens of the busiest rank of experts over the mean." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, precision), .group = "Numbers",
      .names = { dtype_name, NNC_DTYPE_COUNT },
      .default_text = "what the device computes with such weights",
      .help = "Format that products are computed in." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, weights), STORED_NAMES,
      .default_text = "as --precision, else bf16", .help = "Format that weights are stored in." },
    { NNC_FIELD(nnc_serve_ask, group_size), .min = 1, .max = 1e6, .default_text = "128",
      .help = "Weights that share a scale and a zero point, of int4." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, kv_precision), STORED_NAMES,
      .default_text = "bf16", .help = "Format that keys and values are cached in." },
    { NNC_FIELD(nnc_serve_ask, memory_use), .group = "Engine", .max = 1, .above_min = true,
      .default_text = "the profile's, 0.9", .help = "Share of the device memory that is used." },
    { LENGTH(block), .default_text = "the profile's, 16",
      .help = "Tokens per block of the paged cache." },
    { LENGTH(chunk), .default_text = "the profile's, 8192",
      .help = "Tokens that one step of prefill computes at most." },
    { COUNT(max_batch), .default_text = "the profile's, 256",
      .help = "Sequences that decode together at most." },
    { NNC_FIELD(nnc_serve_ask, draft), .group = "By formula alone, not scored",
      .default_text = "none",
      .help = "Model that proposes tokens, by its id or file; its step is worked out on the same "
              "devices, "
              "and its weights and cache take memory." },
    { COUNT(draft_length), .default_text = "no draft; 4 with --draft",
      .help = "Tokens that a draft model proposes before each step, which verifies them." },
    { NNC_FIELD(nnc_serve_ask, acceptance), .max = 1, .default_text = "0.7",
      .help = "Chance that a proposed token is accepted." },
    { NNC_FIELD(nnc_serve_ask, draft_share), .max = 10, .default_text = "that of --draft, 0.05",
      .help = "Time of a step of the draft over that of the model." },
    { NNC_FIELD(nnc_serve_ask, disaggregate), .default_text = "none",
      .help = "P:D, replicas that prefill alone and replicas that decode alone." },
    { COUNT(steps), .group = "Images", .default_text = "0: tokens are generated",
      .help =
          "Forward passes for an image, of a network that denoises; --batch images at a time." },
    { NNC_FIELD(nnc_serve_ask, guidance), .default_text = "off",
      .help = "Each pass twice, with and without the prompt." },
    { COUNT(image), .unit = "pixels", .default_text = "the model's", .help = "Pixels per side." },
    { NNC_FIELD(nnc_serve_ask, beside_s), .unit = "s", .max = 1e6, .default_text = "0",
      .help = "What else an image takes, beside the networks that the model file names." },
    { NNC_FIELD(nnc_serve_ask, price), .group = "Engine", .max = 1e6, .above_min = true,
      .default_text = "the device file's newest", .help = "Price of one device for one hour." },
    { NNC_FIELD(nnc_serve_ask, carbon_g_per_kwh), .unit = "g/kWh", .max = 1e5,
      .default_text = "that of --region", .help = "Carbon intensity of the grid." },
};
const nnc_field_table nnc_serve_table = { "serve plan", serve_fields, NNC_COUNT_OF(serve_fields) };

/* ---- the device ---- */

#define FRACTION .max = 1, .above_min = true
#define SECONDS .unit = "s", .max = 1e3
#define BY_STORED(name_of, text, bits, scale, zero, group_of, math) \
    { .name = (text),                                               \
      .type = NNC_FIELD_F64,                                        \
      .offset = (name_of) * sizeof(double),                         \
      .size = sizeof(double),                                       \
      .max = 1,                                                     \
      .above_min = true,                                            \
      .help = "Share of the memory bandwidth, of what is stored so." },
static const nnc_field share_fields[] = { NNC_STORED_LIST(BY_STORED) };
#undef BY_STORED

#define BY_STORED(name_of, text, bits, scale, zero, group_of, math) \
    { .name = (text),                                               \
      .type = NNC_FIELD_F64,                                        \
      .offset = (name_of) * sizeof(double),                         \
      .size = sizeof(double),                                       \
      .unit = "s",                                                  \
      .max = 1e3,                                                   \
      .help = "Of weights stored so." },
static const nnc_field stored_seconds_fields[] = { NNC_STORED_LIST(BY_STORED) };
#undef BY_STORED

static const nnc_field all_reduce_fields[] = {
    { NNC_FIELD(nnc_small_all_reduce, fixed_s), SECONDS, .help = "Time of one call." },
    { NNC_FIELD(nnc_small_all_reduce, rank_s), SECONDS, .default_text = "0",
      .help = "What each rank of the group adds." },
    { NNC_FIELD(nnc_small_all_reduce, two_shot_s), SECONDS, .help = "Time of a second round." },
    { NNC_FIELD(nnc_small_all_reduce, one_shot_fraction), FRACTION,
      .help = "Share of the link's rate where each rank sends all to all others." },
    { NNC_FIELD(nnc_small_all_reduce, two_shot_fraction), FRACTION,
      .help = "Share of the link's rate where each rank sends parts, twice." },
    { NNC_FIELD(nnc_small_all_reduce, node_s), SECONDS, .default_text = "scale_out_fixed_s",
      .help = "What a group that spans nodes adds." },
};

#define EFFICIENCY(member) NNC_FIELD(nnc_serve_efficiency, member)
const nnc_field nnc_serve_efficiency_fields[NNC_SERVE_EFFICIENCY_FIELDS] = {
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, stream_fraction),
      NNC_FIELD_TABLE(share_fields),
      .help = "Of the memory bandwidth, products of few rows: by the format of the weights." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, kv_fraction),
      NNC_FIELD_TABLE(share_fields),
      .help = "Of the memory bandwidth, decode attention: by the format of the cache." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, product_fraction),
      NNC_FIELD_TABLE(share_fields),
      .help = "Of the peak of the arithmetic, products of many rows: by the format of the weights; "
              "those that are computed in 16 bits count as bf16." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, product_s),
      NNC_FIELD_TABLE(stored_seconds_fields), .default_text = "kernel_s",
      .help =
          "Fixed time of one product, with what casts its input: by the format of the weights." },
    { EFFICIENCY(attention_fraction), FRACTION, .help = "Of the 16-bit peak, prefill attention." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, expert_fraction),
      NNC_FIELD_TABLE(share_fields),
      .help = "Of the memory bandwidth, products of many experts: by the format of the weights." },
    { EFFICIENCY(kernel_s), SECONDS, .help = "Fixed time of one kernel in a captured graph." },
    { EFFICIENCY(attention_s), SECONDS, .default_text = "kernel_s",
      .help = "Fixed time of one decode attention." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, all_reduce),
      NNC_FIELD_TABLE(all_reduce_fields), .help = "Small all-reduces inside a scale-up domain." },
    { NNC_FIELD_COMMENT("fitted_on"), .required = true,
      .help = "The measured rows the figures were fitted on, and when." },
};

void nnc_serve_efficiency_unsaid(nnc_serve_efficiency *e)
{
    const double none = (double)NAN;
    for (int i = 0; i < NNC_STORED_COUNT; i++) {
        e->stream_fraction[i] = e->kv_fraction[i] = none;
        e->product_fraction[i] = e->product_s[i] = e->expert_fraction[i] = none;
    }
    e->attention_fraction = e->kernel_s = e->attention_s = none;
    e->all_reduce = (nnc_small_all_reduce){ none, 0.0, none, none, none, none };
}

/* ---- the engine ---- */

static const nnc_field spread_fields[] = {
    { NNC_FIELD(nnc_spread, low), .max = 1, .above_min = true, .required = true,
      .help = "Shortest measurement over prediction, but for one in twenty." },
    { NNC_FIELD(nnc_spread, high), .min = 1, .max = 100, .required = true,
      .help = "Longest measurement over prediction, but for one in twenty." },
};

#define BY_STORED(name_of, text, bits, scale, zero, group_of, math) \
    { .name = (text),                                               \
      .type = NNC_FIELD_F64,                                        \
      .offset = (name_of) * sizeof(double),                         \
      .size = sizeof(double),                                       \
      .max = 10,                                                    \
      .above_min = true,                                            \
      .default_text = "1",                                          \
      .help = "Share of the rate that the device reaches with such weights." },
static const nnc_field factor_fields[] = { NNC_STORED_LIST(BY_STORED) };
#undef BY_STORED

#define FACTOR .max = 100, .above_min = true, .default_text = "1"
#define ENGINE(member) NNC_FIELD(nnc_serve_engine, member)
const nnc_field nnc_serve_engine_fields[NNC_SERVE_ENGINE_FIELDS] = {
    { ENGINE(step_s), SECONDS, .default_text = "0", .help = "The host's time for one step." },
    { ENGINE(layer_s), SECONDS, .default_text = "0",
      .help = "What each layer adds to a step beside its products and its attention." },
    { ENGINE(sequence_s), SECONDS, .default_text = "0",
      .help = "What each decoding sequence adds to a step." },
    { ENGINE(prefill_factor), FACTOR, .help = "Time of the ops of a prefill over the device's." },
    { ENGINE(decode_factor), FACTOR,
      .help = "Time of the ops of a decode step over the device's." },
    { ENGINE(ttft_s), SECONDS, .default_text = "0",
      .help = "What the first token of a request takes beside queue and prefill." },
    { ENGINE(ttft_wave), .max = 100, .default_text = "1",
      .help = "Closed loop: share of the wait of the first wave in the mean time to first token." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, stream_factor),
      NNC_FIELD_TABLE(factor_fields), .help = "Rate of reading weights over the device's." },
    { ENGINE(kv_factor), FACTOR, .help = "Rate of reading the cache over the device's." },
    { ENGINE(unit_bytes_per_clock), .unit = "B", .max = 1e6, .above_min = true,
      .default_text = "no limit",
      .help =
          "What kernels of a decode step read at most, of each unit and clock of the device: "
          "those that were written for smaller devices do not reach the memory of larger ones." },
    { ENGINE(all_reduce_factor), FACTOR, .help = "Time of an all-reduce over the device's." },
    { ENGINE(all_reduce_s), SECONDS, .default_text = "0",
      .help = "What the engine adds to each all-reduce." },
    { ENGINE(attention_factor), FACTOR,
      .help = "Time of the attention of a prefill over the device's." },
    { ENGINE(kv_reread), .max = 1, .default_text = "0",
      .help = "Share of the cache that decode attention reads again for each further query head "
              "that shares keys and values." },
    { ENGINE(stall), .max = 1, .default_text = "1",
      .help = "Closed loop: share of the prefills of others that a decoding sequence waits for." },
    { ENGINE(host_layer_s), SECONDS, .default_text = "0",
      .help = "The host's time to launch a layer, which work of the device hides." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, expert_s),
      NNC_FIELD_TABLE(stored_seconds_fields), .default_text = "0",
      .help = "What a layer of experts adds where the device has no arithmetic for weights stored "
              "so." },
    { ENGINE(captured), .default_text = "on",
      .help = "A decode step is one captured graph; else every kernel is launched." },
    { ENGINE(launch_s), SECONDS, .default_text = "0",
      .help = "The host's time to launch one kernel of a step that is not captured." },
    { ENGINE(paged), .default_text = "on",
      .help = "The cache is in blocks; else a sequence has all of its length from the start." },
    { ENGINE(chunk), .unit = "tokens", .min = 1, .max = LENGTH_MAX, .default_text = "8192",
      .help = "Tokens of a prefill step at most." },
    { ENGINE(max_batch), .min = 1, .max = 1e9, .default_text = "256",
      .help = "Sequences that decode together at most." },
    { ENGINE(block), .unit = "tokens", .min = 1, .max = LENGTH_MAX, .default_text = "16",
      .help = "Tokens per block of the paged cache." },
    { ENGINE(memory_use), FRACTION, .default_text = "0.9",
      .help = "Share of the device memory that is used." },
    { ENGINE(workspace_bytes), .unit = "B", .max = NNC_BYTES_MAX, .default_text = "2e9",
      .help = "Memory beside weights and cache: activations, graphs, workspace." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, tpot), NNC_FIELD_TABLE(spread_fields),
      .help = "Where nine of ten measured times per output token fall." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, tpot_experts),
      NNC_FIELD_TABLE(spread_fields), .help = "The same of models with experts; else as tpot." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, ttft), NNC_FIELD_TABLE(spread_fields),
      .help = "Where nine of ten measured times to first token fall." },
    { NNC_FIELD_COMMENT("fitted_on"), .required = true,
      .help = "The measured rows the figures were fitted on, and when." },
};

nnc_serve_engine nnc_serve_engine_default(void)
{
    const double none = (double)NAN;
    nnc_serve_engine engine = { .prefill_factor = 1.0,
                                .decode_factor = 1.0,
                                .ttft_wave = 1.0,
                                .kv_factor = 1.0,
                                .all_reduce_factor = 1.0,
                                .attention_factor = 1.0,
                                .stall = 1.0,
                                .captured = true,
                                .paged = true,
                                .memory_use = none,
                                .unit_bytes_per_clock = none,
                                .workspace_bytes = none,
                                .tpot = { none, none },
                                .tpot_experts = { none, none },
                                .ttft = { none, none } };
    for (int i = 0; i < NNC_STORED_COUNT; i++) {
        engine.stream_factor[i] = 1.0;
    }
    return engine;
}
