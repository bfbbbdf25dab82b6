/* The fields of serving: a deployment (options, and a plan of a file), the fitted serving parameters of a device, and
 * the parameters of a serving engine. */
#include <string.h>

#include <nncost/serve.h>

#include "fields/fields_internal.h"

#define LENGTH_MAX 1e8
#define DEGREE(member) NNC_FIELD(nnc_serve_ask, member), .min = 1, .max = 1e6
#define COUNT(member) NNC_FIELD(nnc_serve_ask, member), .min = 1, .max = 1e9
#define LENGTH(member) \
    NNC_FIELD(nnc_serve_ask, member), .unit = "tokens", .min = 1, .max = LENGTH_MAX

/* Names without help: docs/serving.md describes the formats. */
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
    { LENGTH(input_len), .group = "Requests", .alias = "isl", NNC_DEFAULT(1024),
      .help = "Tokens of a prompt." },
    { LENGTH(output_len), .alias = "osl", NNC_DEFAULT(256),
      .help = "Generated tokens per request." },
    { COUNT(batch), .default_text = "1, where none of the next three is given",
      .help = "Static batch: requests that start and end together." },
    { COUNT(concurrency), .help = "Closed loop: this many requests are always open." },
    { NNC_FIELD(nnc_serve_ask, waves), .min = 1, .max = 1e9, NNC_DEFAULT(10),
      .help = "Closed loop: requests of the whole benchmark over --concurrency. All prompts of the "
              "first wave arrive together. More than --requests: a steady state, without the first "
              "quarter." },
    { NNC_FIELD(nnc_serve_ask, request_rate), .max = 1e9, .above_min = true,
      .help = "Open loop: requests per second." },
    { NNC_FIELD(nnc_serve_ask, offline), NNC_DEFAULT_OFF,
      .help = "Run as many requests at a time as memory and engine allow." },
    { NNC_FIELD(nnc_serve_ask, burstiness), .min = 0.01, .max = 1e6, NNC_DEFAULT(1),
      .help =
          "Open loop: shape of the gamma distribution of the time between arrivals. 1: Poisson; "
          "below: bursts; above: more even." },
    { NNC_FIELD(nnc_serve_ask, arrivals), .default_text = "none",
      .help = "CSV file of recorded requests: arrival_s and, where they differ, input_len and "
              "output_len." },
    { NNC_FIELD(nnc_serve_ask, length_spread), .max = 0.99, NNC_DEFAULT(0.1),
      .help = "Loops: lengths are uniform within this share of --input-len and --output-len, on "
              "both sides. 0: all are equal, and the clients of a closed loop move in step." },
    { NNC_FIELD(nnc_serve_ask, preempt), NNC_DEFAULT_OFF,
      .help = "Loops: a request starts when the cache holds its prompt. When the cache is full, "
              "the newest one loses its place and is computed again. Otherwise a request starts "
              "when its whole length fits." },
    { NNC_FIELD(nnc_serve_ask, requests), .min = 1, .max = 1 << 20, NNC_DEFAULT(10000),
      .help = "Open loop: simulated requests of each replica; the first tenth is not counted." },
    { NNC_FIELD(nnc_serve_ask, seed), .max = 1e15, NNC_DEFAULT(1),
      .help = "Loops: seed of arrivals and lengths." },
    { NNC_FIELD(nnc_serve_ask, prefix_hit), .max = 1, NNC_DEFAULT(0),
      .help = "Share of a prompt whose keys and values are already cached." },
    { DEGREE(devices), .group = "Parallelism", .default_text = "the product of the degrees",
      .help = "Total number of devices." },
    { DEGREE(tensor), .alias = "tp", NNC_DEFAULT(1),
      .help = "Devices that split each matrix product." },
    { DEGREE(pipeline), .alias = "pp", NNC_DEFAULT(1), .help = "Pipeline stages." },
    { DEGREE(data), .alias = "dp", .default_text = "devices / the other degrees",
      .help = "Replicas that share the requests." },
    { DEGREE(expert), .alias = "ep", NNC_DEFAULT(1),
      .help = "Devices that hold whole experts; a divisor of tensor x attention_data. 1 = every "
              "expert is "
              "split over these devices." },
    { DEGREE(attention_data), NNC_DEFAULT(1),
      .help =
          "Groups of tensor ranks that each attend to their own requests; all of them share the "
          "experts." },
    { NNC_FIELD(nnc_serve_ask, imbalance), .min = 1, .max = 1e3, NNC_DEFAULT(1),
      .help = "Tokens of the busiest expert rank over the mean." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, precision), .group = "Numbers",
      .names = { dtype_name, NNC_DTYPE_COUNT },
      NNC_DEFAULT_AS(NNC_DTYPE_COUNT, "what the device computes with such weights"),
      .help = "Format in which products are computed." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, weights), STORED_NAMES,
      NNC_DEFAULT_AS(NNC_STORED_COUNT, "as --precision, else bf16"),
      .help = "Format in which weights are stored." },
    { NNC_FIELD(nnc_serve_ask, group_size), .min = 1, .max = 1e6, NNC_DEFAULT(128),
      .help = "int4: weights that share a scale and a zero point." },
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_serve_ask, kv_precision), STORED_NAMES,
      NNC_DEFAULT_AS(NNC_STORED_COUNT, "bf16"),
      .help = "Format in which keys and values are cached." },
    { NNC_FIELD(nnc_serve_ask, memory_use), .group = "Engine", .max = 1, .above_min = true,
      .default_text = "the profile's, 0.9", .help = "Share of the device memory that is used." },
    { LENGTH(block), .default_text = "the profile's, 16",
      .help = "Tokens per block of the paged cache." },
    { LENGTH(chunk), .default_text = "the profile's, 8192",
      .help = "Maximum tokens of one prefill step." },
    { COUNT(max_batch), .default_text = "the profile's, 256",
      .help = "Maximum sequences that decode together." },
    { NNC_FIELD(nnc_serve_ask, draft), .group = "Draft and separate workers, not scored",
      .default_text = "none",
      .help =
          "Draft model of speculative decoding, by id or file. Its step is computed on the same "
          "devices, and its weights and cache take memory." },
    { COUNT(draft_length), .default_text = "no draft; 4 with --draft",
      .help = "Tokens that the draft model proposes before each step, which verifies them." },
    { NNC_FIELD(nnc_serve_ask, acceptance), .max = 1, NNC_DEFAULT(0.7),
      .help = "Probability that a proposed token is accepted." },
    { NNC_FIELD(nnc_serve_ask, draft_share), .max = 10,
      NNC_DEFAULT_AS(0.05, "that of --draft, 0.05"),
      .help = "Time of a draft step over that of a model step." },
    { NNC_FIELD(nnc_serve_ask, disaggregate), .default_text = "none",
      .help = "P:D: P replicas only prefill, D replicas only decode." },
    { COUNT(steps), .group = "Images", .default_text = "0: tokens are generated",
      .help = "Forward passes per image of a network that denoises; --batch images at a time." },
    { NNC_FIELD(nnc_serve_ask, guidance), NNC_DEFAULT_OFF,
      .help = "Run each pass twice, with and without the prompt." },
    { COUNT(image), .unit = "pixels", .default_text = "the model's", .help = "Pixels per side." },
    { NNC_FIELD(nnc_serve_ask, beside_s), .unit = "s", .max = 1e6, NNC_DEFAULT(0),
      .help = "Additional time per image, outside the networks that the model file names." },
    { NNC_FIELD(nnc_serve_ask, price), .group = "Engine", .max = 1e6, .above_min = true,
      .default_text = "the device file's newest", .help = "Price of one device for one hour." },
    { NNC_FIELD(nnc_serve_ask, carbon_g_per_kwh), .unit = "g/kWh", .max = 1e5,
      .default_text = "that of --region", .help = "Carbon intensity of the grid." },
};
const nnc_field_table nnc_serve_table = { "serve plan", serve_fields, NNC_COUNT_OF(serve_fields) };

void nnc_serve_ask_init(nnc_serve_ask *ask, size_t struct_size)
{
    nnc_serve_ask unset;
    if (ask != NULL && struct_size >= sizeof struct_size) {
        memset(&unset, 0, sizeof unset);
        nnc_fields_init(&nnc_serve_table, &unset);
        ask->struct_size = struct_size;
        nnc_sized_write(ask, &unset, sizeof unset);
    }
}

nnc_status nnc_serve_ask_check(const nnc_serve_ask *ask, nnc_error *err)
{
    NNC_TRY(nnc_need("nnc_serve_ask_check", "ask", ask != NULL, err));
    return nnc_fields_check(&nnc_serve_table, NULL, ask, err);
}

/* ---- fitted parameters of a device ---- */

#define FRACTION .max = 1, .above_min = true
#define SECONDS .unit = "s", .max = 1e3

/* A row of a number that depends on the storage format; the rest of the row follows. */
#define BY_STORED(stored, text)                                                 \
    .name = (text), .type = NNC_FIELD_F64, .offset = (stored) * sizeof(double), \
    .size = sizeof(double)

#define SHARE(stored, text, ...) \
    { BY_STORED(stored, text), FRACTION, .help = "Share of the memory bandwidth for this format." },
static const nnc_field share_fields[] = { NNC_STORED_LIST(SHARE) };

#define STORED_SECONDS(stored, text, ...) \
    { BY_STORED(stored, text), SECONDS, .help = "Time with weights in this format." },
static const nnc_field stored_seconds_fields[] = { NNC_STORED_LIST(STORED_SECONDS) };

static const nnc_field all_reduce_fields[] = {
    { NNC_FIELD(nnc_small_all_reduce, fixed_s), SECONDS, .help = "Time of one call." },
    { NNC_FIELD(nnc_small_all_reduce, rank_s), SECONDS, NNC_DEFAULT(0),
      .help = "Additional time per rank of the group." },
    { NNC_FIELD(nnc_small_all_reduce, two_shot_s), SECONDS, .help = "Time of a second round." },
    { NNC_FIELD(nnc_small_all_reduce, one_shot_fraction), FRACTION,
      .help = "Share of the link bandwidth when each rank sends everything to all others." },
    { NNC_FIELD(nnc_small_all_reduce, two_shot_fraction), FRACTION,
      .help = "Share of the link bandwidth when each rank sends its part, twice." },
    { NNC_FIELD(nnc_small_all_reduce, node_s), SECONDS, .default_text = "scale_out_fixed_s",
      .help = "Additional time of a group that spans nodes." },
};

#define EFFICIENCY(member) NNC_FIELD(nnc_serve_efficiency, member)
const nnc_field nnc_serve_efficiency_fields[NNC_SERVE_EFFICIENCY_FIELDS] = {
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, stream_fraction),
      NNC_FIELD_TABLE(share_fields),
      .help = "Share of the memory bandwidth of products with few rows, by the format of the "
              "weights." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, kv_fraction),
      NNC_FIELD_TABLE(share_fields),
      .help = "Share of the memory bandwidth of decode attention, by the format of the cache." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, product_fraction),
      NNC_FIELD_TABLE(share_fields),
      .help = "Share of the peak FLOP/s of products with many rows, by the format of the weights; "
              "products computed in 16 bits count as bf16." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, product_s),
      NNC_FIELD_TABLE(stored_seconds_fields), .default_text = "kernel_s",
      .help = "Fixed time of one product, including the cast of its input, by the format of the "
              "weights." },
    { EFFICIENCY(attention_fraction), FRACTION,
      .help = "Share of the 16-bit peak of prefill attention." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, expert_fraction),
      NNC_FIELD_TABLE(share_fields),
      .help = "Share of the memory bandwidth of products of many experts, by the format of the "
              "weights." },
    { EFFICIENCY(kernel_s), SECONDS, .help = "Fixed time of one kernel in a captured graph." },
    { EFFICIENCY(attention_s), SECONDS, .default_text = "kernel_s",
      .help = "Fixed time of one decode attention." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_efficiency, all_reduce),
      NNC_FIELD_TABLE(all_reduce_fields), .help = "Small all-reduces inside a scale-up domain." },
    { NNC_FIELD_COMMENT("fitted_on"), .required = true,
      .help = "The measured rows that the values were fitted on, and when." },
};

/* ---- engines ---- */

static const nnc_field spread_fields[] = {
    { NNC_FIELD(nnc_spread, low), .max = 1, .above_min = true, .required = true,
      .help = "5 % quantile of measurement over prediction." },
    { NNC_FIELD(nnc_spread, high), .min = 1, .max = 100, .required = true,
      .help = "95 % quantile of measurement over prediction." },
};

#define STORED_FACTOR(stored, text, ...)                                     \
    { BY_STORED(stored, text), .max = 10, .above_min = true, NNC_DEFAULT(1), \
      .help = "Share of the device's rate with weights in this format." },
static const nnc_field factor_fields[] = { NNC_STORED_LIST(STORED_FACTOR) };

#define EXPERT_SECONDS(stored, text, ...)               \
    { BY_STORED(stored, text), SECONDS, NNC_DEFAULT(0), \
      .help = "Time with weights in this format." },
static const nnc_field expert_seconds_fields[] = { NNC_STORED_LIST(EXPERT_SECONDS) };

#define FACTOR .max = 100, .above_min = true, NNC_DEFAULT(1)
#define ENGINE(member) NNC_FIELD(nnc_serve_engine, member)
const nnc_field nnc_serve_engine_fields[NNC_SERVE_ENGINE_FIELDS] = {
    { ENGINE(step_s), SECONDS, NNC_DEFAULT(0), .help = "Host time of one step." },
    { ENGINE(layer_s), SECONDS, NNC_DEFAULT(0),
      .help = "Time of a layer outside its products and its attention." },
    { ENGINE(sequence_s), SECONDS, NNC_DEFAULT(0),
      .help = "Additional time of a step per decoding sequence." },
    { ENGINE(prefill_factor), FACTOR,
      .help = "Time of the ops of a prefill step over the device's." },
    { ENGINE(decode_factor), FACTOR,
      .help = "Time of the ops of a decode step over the device's." },
    { ENGINE(ttft_s), SECONDS, NNC_DEFAULT(0),
      .help = "Time to first token outside queue and prefill." },
    { ENGINE(ttft_wave), .max = 100, NNC_DEFAULT(1),
      .help = "Not used: the first wave of a closed loop is simulated. Older files have it." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, stream_factor),
      NNC_FIELD_TABLE(factor_fields), .help = "Rate of reading weights over the device's." },
    { ENGINE(kv_factor), FACTOR, .help = "Rate of reading the cache over the device's." },
    { ENGINE(unit_bytes_per_clock), .unit = "B", .max = 1e6, .above_min = true,
      .default_text = "no limit",
      .help = "Maximum bytes that decode kernels read per unit and clock of the device: kernels "
              "written for smaller devices do not reach the memory bandwidth of larger ones." },
    { ENGINE(all_reduce_factor), FACTOR, .help = "Time of an all-reduce over the device's." },
    { ENGINE(all_reduce_s), SECONDS, NNC_DEFAULT(0),
      .help = "Additional time of each all-reduce." },
    { ENGINE(attention_factor), FACTOR,
      .help = "Time of the attention of a prefill over the device's." },
    { ENGINE(kv_reread), .max = 1, NNC_DEFAULT(0),
      .help = "Share of the cache that decode attention reads again for each further query head "
              "with the same keys and values." },
    { ENGINE(stall), .max = 1, NNC_DEFAULT(1),
      .help = "Not used: prompts in decode steps are simulated. Older files have it." },
    { ENGINE(host_layer_s), SECONDS, NNC_DEFAULT(0),
      .help = "Host time to launch a layer; overlaps with device work." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, expert_s),
      NNC_FIELD_TABLE(expert_seconds_fields), NNC_DEFAULT(0),
      .help = "Additional time of a layer of experts when the device cannot compute in the format "
              "of the weights." },
    { ENGINE(captured), NNC_DEFAULT_ON,
      .help = "A decode step is one captured graph; off: every kernel is launched." },
    { ENGINE(launch_s), SECONDS, NNC_DEFAULT(0),
      .help = "Host time to launch one kernel of a step that is not captured." },
    { ENGINE(paged), NNC_DEFAULT_ON,
      .help = "The cache has blocks; off: a sequence reserves its full length at the start." },
    { ENGINE(chunk), .unit = "tokens", .min = 1, .max = LENGTH_MAX, .default_text = "8192",
      .help = "Maximum tokens of a prefill step." },
    { ENGINE(max_batch), .min = 1, .max = 1e9, .default_text = "256",
      .help = "Maximum sequences that decode together." },
    { ENGINE(block), .unit = "tokens", .min = 1, .max = LENGTH_MAX, .default_text = "16",
      .help = "Tokens per block of the paged cache." },
    { ENGINE(memory_use), FRACTION, .default_text = "0.9",
      .help = "Share of the device memory that is used." },
    { ENGINE(workspace_bytes), .unit = "B", .max = NNC_BYTES_MAX, .default_text = "2e9",
      .help = "Memory outside weights and cache: activations, graphs, workspace." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, tpot), NNC_FIELD_TABLE(spread_fields),
      .help = "Range of nine in ten measured times per output token." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, tpot_experts),
      NNC_FIELD_TABLE(spread_fields),
      .help = "The same for models with experts; not given: as tpot." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_serve_engine, ttft), NNC_FIELD_TABLE(spread_fields),
      .help = "Range of nine in ten measured times to first token." },
    { NNC_FIELD_COMMENT("fitted_on"), .required = true,
      .help = "The measured rows that the values were fitted on, and when." },
};
