/* Serving of a model: computes prefill, decode, KV cache, latency and throughput under load, and the cost per token. */
#ifndef NNCOST_SERVE_H
#define NNCOST_SERVE_H

#include <nncost/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of load: how requests arrive at a deployment. */
#define NNC_SERVE_MODE_LIST(X)                                                       \
    X(NNC_SERVE_STATIC, "static", "A batch of requests starts and ends together.")   \
    X(NNC_SERVE_CLOSED, "closed-loop", "A fixed number of requests is always open.") \
    X(NNC_SERVE_OPEN, "open-loop", "Requests arrive at a given rate.")               \
    X(NNC_SERVE_OFFLINE, "offline", "As many requests at a time as memory and engine allow.")
NNC_ENUM(nnc_serve_mode, NNC_SERVE_MODE_LIST, NNC_SERVE_MODE_COUNT);
NNC_API const char *nnc_serve_mode_name(nnc_serve_mode mode);
NNC_API const char *nnc_serve_mode_help(nnc_serve_mode mode);

/* A recorded request. If the prompt or the answer of a recorded request has the length 0, nncost uses the length in
 * nnc_serve_ask. */
typedef struct nnc_serve_arrival {
    /* seconds from the start of the recording to the arrival of the request; lists of requests are sorted by
     * arrival_s */
    double arrival_s;
    int64_t input_len, output_len;
} nnc_serve_arrival;

/* Inputs of a deployment. 0, NaN, or the COUNT value of an enumeration means "not given": nncost then uses the value of
 * the software profile, or computes one. */
typedef struct nnc_serve_ask {
    size_t struct_size; /* sizeof (nnc_serve_ask); nnc_serve_ask_default sets this member */
    int32_t devices;    /* number of all devices of the deployment; 0 = the product of the degrees of parallelism */
    int32_t tensor, pipeline, expert;
    /* number of replicas; each request is served by one replica. 0 = number of devices / product of the degrees of
     * parallelism inside a replica */
    int32_t data;
    int32_t attention_data; /* number of groups of ranks in a replica; each group has its own requests, and all groups
                             * share the experts */
    /* input_len: tokens of the prompt of a request; output_len: tokens of the answer */
    int64_t input_len, output_len;
    int64_t batch, concurrency; /* batch: number of requests that start and end together; concurrency: number of
                                    * open requests. At most one of batch, concurrency, request_rate and offline may
                                    * be given */
    double request_rate;        /* mean number of requests per second that arrive at the deployment */
    bool offline;
    nnc_dtype precision; /* number format in which devices compute matrix products */
    nnc_stored weights;  /* storage format of the weights of the served model */
    nnc_stored kv_precision;
    int64_t group_size; /* number of weights that share a scale; used only for storage formats that do not fix this
                         * number */
    double memory_use;  /* share of the device memory that the serving engine may use */
    int64_t block;      /* tokens in one block of the KV cache */
    int64_t chunk;      /* largest number of prompt tokens that one prefill step computes */
    int64_t max_batch;  /* largest number of sequences in one decode step of one replica */
    double prefix_hit;  /* share of a prompt whose keys and values are already in the KV cache */
    double imbalance;   /* tokens of the busiest expert rank / mean tokens of all expert ranks */
    double price;       /* price of one device-hour; NaN = the price of the device file */
    /* Inputs for speculative decoding, whose results follow from formulas only. draft_length: number of tokens that the
     * draft model proposes for each verification (0 = no draft model); acceptance: probability that a proposed token is
     * accepted; draft_share: time of a step of the draft model / time of a step of the served model. */
    int64_t draft_length;
    double acceptance, draft_share;
    /* Networks that denoise images. steps: number of forward passes for one image; guidance: true = each pass has twice
     * the batch (with and without prompt); image: pixels of one side of the image, 0 = the value of the model file;
     * beside_s: seconds for one image in addition to the passes. */
    int64_t steps, image;
    bool guidance;
    double beside_s;
    int32_t prefill_workers, decode_workers; /* prefill_workers: number of replicas that only prefill; decode_workers:
                                              * number of replicas that only decode; if prefill_workers and
                                              * decode_workers are 0, every replica does prefill and decode */
    double carbon_g_per_kwh; /* carbon intensity of the electricity, grams of CO2 per kWh; NaN = not known */
    double waves;            /* number of all requests of a closed-loop benchmark / number of open requests */
    /* Inputs of results that nncost computes by formulas only. draft: name of the draft model in the user's spelling;
     * draft_model: the loaded draft model; disaggregate: the text "P:D" with P = prefill_workers and D =
     * decode_workers. */
    char draft[128];
    const nnc_model *draft_model;
    char disaggregate[24];
    /* Simulation of a closed or an open loop. requests: number of simulated requests; seed: seed of the random arrival
     * times and lengths; burstiness: shape of the gamma distribution of the times between arrivals (1 = Poisson
     * process); length_spread: lengths of prompts and answers are uniformly distributed between mean x (1 -
     * length_spread) and mean x (1 + length_spread). */
    int64_t requests, seed;
    double burstiness, length_spread;
    bool preempt; /* true: a request starts when its prompt fits in the cache, and the engine may preempt it later;
                   * false: a request starts when its prompt and answer fit, unless `preempt` of the engine is true */
    /* Recorded requests for an open loop. arrivals: name of the file with the requests; arrival_list: the requests,
     * which are sent to the replicas in turn; arrival_count: number of requests in arrival_list. */
    char arrivals[256];
    const nnc_serve_arrival *arrival_list;
    int64_t arrival_count;
    /* Delay of the prefill of new prompts while sequences decode. A new prompt waits for further prompts before its
     * prefill starts. Prompts wait for at most wait_steps steps, and only until the number of decoding sequences + the
     * tokens of the waiting prompts reaches wait_share x chunk. */
    int64_t wait_steps;
    double wait_share;
    /* share of the expert communication of a prefill step that overlaps with compute of another micro-batch */
    double overlap_expert;
    /* Delay of prompts in a deployment with several attention data groups, while sequences decode. Prompts wait until
     * every group has a prompt, and then balance_more steps longer. If some groups get no prompt, the prompts that wait
     * in groups with a prompt start at every balance_steps-th step after the last start of prompts. If balance_steps is
     * 0, no prompt waits for prompts of other groups. */
    int64_t balance_steps, balance_more;
    int64_t receive_steps; /* While sequences decode, the engine receives new requests at each receive_steps-th decode
                            * step, and after each step with prompts. 1: at each step. */
    int64_t graph_tokens;  /* Steps with prompts of at most this number of tokens are recorded as CUDA graphs, so the
                            * host does not issue their kernels one by one. 0: as in the software profile. */
} nnc_serve_ask;

NNC_API void nnc_serve_ask_init(nnc_serve_ask *ask, size_t struct_size);
static inline nnc_serve_ask nnc_serve_ask_default(void) {
    nnc_serve_ask ask;
    nnc_serve_ask_init(&ask, sizeof ask);
    return ask;
}

/* Returns NNC_ILLEGAL_PLAN if a member of the nnc_serve_ask is outside the limits of its command-line option; err names
 * the option. */
NNC_API nnc_status nnc_serve_ask_check(const nnc_serve_ask *ask, nnc_error *err);

/* One step of one replica. FLOPs, bytes and times are for one device of the replica. */
typedef struct nnc_serve_step {
    double sequences, new_tokens, context; /* sequences: number of sequences in the step; new_tokens: tokens of each
                                            * sequence that are computed; context: tokens of each sequence after the
                                            * step */
    double steps;                          /* number of times that the step reads all weights; a prefill reads all
                                            * weights once for each chunk */
    double flops, weight_bytes, kv_bytes,
        bytes; /* per device: FLOPs of the step; bytes of the weights that the step reads; bytes of the keys and values
                * that the step reads; all bytes that the step reads */
    double intensity_flops_per_byte;
    /* parts of the step time in seconds: products, experts, attention, head. time_s is the sum of these four parts, of
     * comm_s and of host_s */
    double product_s, expert_s, attention_s, head_s;
    double comm_s, host_s, time_s;
    /* seconds of the step if compute, memory and network work at the same time at datasheet rates */
    double lower_bound_s;
    double network_bytes; /* bytes that one device sends to other devices in the step */
    nnc_bound bound;
} nnc_serve_step;

/* The result for a deployment. NaN = not known. Members whose names end in _s are seconds. */
typedef struct nnc_serve {
    size_t struct_size; /* sizeof (nnc_serve); nnc_serve_of sets this member */
    nnc_serve_ask plan; /* inputs from which the result was computed, with all defaults filled in */
    nnc_serve_mode mode;
    /* prefill: all steps that compute one prompt (several steps if the prompt is divided into chunks), or all prompts
     * of a static batch; decode: one step with sequences of mean length. */
    nnc_serve_step prefill, decode;
    /* smallest number of sequences with which decode is compute-bound; NaN = there is no such number */
    double critical_batch;
    /* FLOPs per byte of a decode step, in the limit of a very large number of sequences */
    double intensity_limit_flops_per_byte;
    /* Seconds of a request: until the first token (ttft_s), for each further token (tpot_s), from arrival to last token
     * (request_s), before prefill starts (queue_s). */
    double ttft_s, tpot_s, request_s, queue_s;
    double ttft_interval_s[2], tpot_interval_s[2]; /* ranges of ttft_s and of tpot_s, each as its smallest and its
                                                    * largest value; 90 % of the measurements are in the range */
    double ttft_lower_bound_s, tpot_lower_bound_s, request_lower_bound_s;
    /* results of the deployment: tokens and requests per second, summed over all replicas */
    double running; /* mean number of sequences that decode at the same time, summed over all replicas */
    double output_tokens_per_s, input_tokens_per_s, output_tokens_per_s_per_device;
    double tokens_per_s_per_user, requests_per_s, utilization;
    /* output tokens per second of the deployment if each step took its lower bound */
    double upper_bound_tokens_per_s;
    double saturation_rate; /* saturation: the largest number of requests per second that the deployment can serve */
    bool saturated;
    /* The next results are bytes in the memory of one device. */
    double params, weight_bytes, workspace_bytes, kv_bytes_per_token, kv_bytes, paging_waste_bytes;
    double state_bytes_per_sequence; /* bytes of the states of one sequence, in layers that have a state instead of keys
                                      * and values */
    double free_bytes, max_tokens;   /* free_bytes: bytes that are left for the KV cache; max_tokens: tokens that fit in
                                      * free_bytes */
    /* number of sequences of full length (prompt and answer) that fit in the KV caches of all replicas */
    double max_sequences;
    /* limit_bytes: bytes that weights, workspace and cache may take together; headroom_bytes: limit_bytes -
     * total_bytes, which is negative if the served model does not fit in memory */
    double total_bytes, capacity_bytes, limit_bytes, headroom_bytes;
    bool fits;
    /* The next results are amounts of money and energy. */
    double price_per_device_hour, per_million_output_tokens;
    /* per_million_prefilled_tokens: cost of the prefill of a million prompt tokens; per_million_decoded_tokens: cost of
     * the decode of a million output tokens */
    double per_million_prefilled_tokens, per_million_decoded_tokens;
    double energy_j_per_token;
    double ttft_p99_s; /* 99th percentile of the time to first token in a simulated loop, in seconds */
    /* Results for speculative decoding and for separate prefill workers. nncost computes these results by formulas, and
     * has not compared them with measurements. */
    double tokens_per_verify, speculation_speedup, speculation_tpot_s;
    double transfer_bytes, transfer_s; /* transfer_bytes: bytes of the KV cache of one prompt; transfer_s: time to send
                                        * these bytes to another worker */
    double apart_requests_per_s, apart_workers_ratio, apart_ttft_s, apart_tpot_s;
    double carbon_g_per_million_tokens; /* grams of carbon for a million output tokens, at the rated power of the
                                         * devices */
    double draft_s, verify_s;           /* draft_s: time of a step of the draft model; verify_s: time of a step in which
                                         * the served model verifies the proposed tokens */
    /* Percentiles of the requests of a simulated loop, in seconds: 50th, 90th and 99th. */
    double ttft_p50_s, ttft_p90_s, tpot_p50_s, tpot_p90_s, tpot_p99_s;
    double request_p50_s, request_p90_s, request_p99_s;
    double simulated, preemptions; /* simulated: number of simulated requests; preemptions: number of preemptions of
                                    * requests */
    double prompt_s;               /* seconds that the prefill of one prompt adds to a decode step */
    /* reason why the intervals ttft_interval_s and tpot_interval_s are wider than for measured devices and networks, in
     * static storage; NULL = the intervals are not wider */
    const char *interval_reason;
    double saturation_interval[2]; /* smallest and largest value of a range that contains 90 % of measured saturation
                                    * rates */
} nnc_serve;

/* One op of a prefill or decode step, summed over all layers, on one device of a replica. */
typedef struct nnc_serve_op {
    const char *name;  /* name of the op ("attn.qkv"), in static storage */
    const char *phase; /* phase to which the op belongs: "prefill" or "decode" */
    double count;      /* number of kernels that the op runs in one step */
    double rows, flops, weight_bytes, kv_bytes, time_s;
    nnc_bound bound;
} nnc_serve_op;

enum { NNC_SERVE_OPS_MAX = 160 };

/* Computes latency, throughput, memory and cost of a deployment. software: software profile of a serving engine; NULL =
 * the neutral profile. ops: array of NNC_SERVE_OPS_MAX entries, to which the ops of prefill and decode are written;
 * *op_count gets the number of written ops. ops and op_count may be NULL. It is no error if a deployment does not fit
 * in memory, or if more requests arrive than the deployment can serve. Returns NNC_ILLEGAL_PLAN if the model cannot be
 * served with the inputs in the nnc_serve_ask; err names the option. */
NNC_API nnc_status nnc_serve_into(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                  const nnc_serve_ask *ask, nnc_scratch *scratch, nnc_serve *serve, nnc_serve_op *ops,
                                  int32_t *op_count, nnc_error *err);
static inline nnc_status nnc_serve_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                      const nnc_serve_ask *ask, nnc_scratch *scratch, nnc_serve *serve,
                                      nnc_error *err) {
    serve->struct_size = sizeof *serve;
    return nnc_serve_into(model, device, software, ask, scratch, serve, NULL, NULL, err);
}

#ifdef NNC_STATIC_LINKING_ONLY
/* Returns the range of measured / predicted time per output token in which 90 % of the measurements lie. experts: true
 * for models with experts. */
const nnc_spread *nnc_serve_spread(const nnc_serve_engine *engine, bool experts);
/* Returns a range of measured / predicted time for a result of serving: a copy of *of if interval_reason of the result
 * is NULL. If interval_reason is not NULL, the returned range is wider than *of: the lower end is divided by 2.3, and
 * the upper end is multiplied by 2.3. */
nnc_spread nnc_serve_widened(const nnc_spread *of, const nnc_serve *serve);
#endif /* NNC_STATIC_LINKING_ONLY */

/* ---- formulas for a single result of serving: experts, all-reduce, speculative decoding, queue ---- */

/* Returns the expected number of experts that get at least one of m = `tokens` tokens, if each token is sent to k =
 * `chosen` of E = `experts` experts at random: E (1 - (1 - k/E)^m). */
NNC_API double nnc_serve_experts_touched(double experts, double chosen, double tokens);
/* Returns the seconds of an all-reduce of few bytes: the shorter time of two algorithms. In the one-shot algorithm,
 * every rank sends all its data to every other rank in one round. The two-shot algorithm has two rounds, a
 * reduce-scatter and an all-gather. Each call takes fixed_s seconds in addition, and the second round of the two-shot
 * algorithm takes second_s more seconds. The algorithms reach the shares one_shot_fraction and two_shot_fraction of
 * link_bytes_per_s (one direction). */
NNC_API double nnc_serve_all_reduce_s(double ranks, double bytes, double link_bytes_per_s, double fixed_s,
                                      double second_s, double one_shot_fraction, double two_shot_fraction);
/* Returns the expected number of tokens that one verification step of the served model yields, if a draft model
 * proposes y = `drafted` tokens and each proposed token is accepted with probability a = `acceptance`: (1 - a^(y+1)) /
 * (1 - a). Source: arXiv:2211.17192, equation 1. */
NNC_API double nnc_serve_accepted(double acceptance, double drafted);
/* These functions return the seconds that a request waits in a queue with one server and constant service time (M/D/1).
 * The function nnc_serve_mean_wait_s returns the mean of these seconds over all requests. The function
 * nnc_serve_p99_wait_s returns the 99 % quantile q of an exponential tail: q = max(0, (mean / rho) x ln(100 rho)). The
 * server takes service_s seconds for one request, and works during the share rho = `load` of the time. */
NNC_API double nnc_serve_mean_wait_s(double service_s, double load);
NNC_API double nnc_serve_p99_wait_s(double service_s, double load);

#ifdef __cplusplus
}
#endif

#endif
