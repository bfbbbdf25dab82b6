/* Serving: prefill, decode, the KV cache, latency and throughput under load, and the cost of a token. */
#ifndef NNCOST_SERVE_H
#define NNCOST_SERVE_H

#include <nncost/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How requests arrive. */
#define NNC_SERVE_MODE_LIST(X)                                                       \
    X(NNC_SERVE_STATIC, "static", "A batch of requests starts and ends together.")   \
    X(NNC_SERVE_CLOSED, "closed-loop", "A fixed number of requests is always open.") \
    X(NNC_SERVE_OPEN, "open-loop", "Requests arrive at a given rate.")               \
    X(NNC_SERVE_OFFLINE, "offline", "As many requests at a time as memory and engine allow.")
NNC_ENUM(nnc_serve_mode, NNC_SERVE_MODE_LIST, NNC_SERVE_MODE_COUNT);
NNC_API const char *nnc_serve_mode_name(nnc_serve_mode mode);
NNC_API const char *nnc_serve_mode_help(nnc_serve_mode mode);

/* A recorded request. A length of 0 means that the request has the length in nnc_serve_ask. */
typedef struct nnc_serve_arrival {
    double arrival_s; /* time of arrival; recorded requests are sorted by it */
    int64_t input_len, output_len;
} nnc_serve_arrival;

/* Inputs of a deployment. A value of 0, NaN, or the COUNT value of an enumeration means "not given": the software
 * profile then gives a default, or the value is computed. */
typedef struct nnc_serve_ask {
    size_t struct_size; /* sizeof (nnc_serve_ask); nnc_serve_ask_default sets it */
    int32_t devices;    /* number of all devices; 0 = the product of the degrees */
    int32_t tensor, pipeline, expert;
    int32_t data;           /* replicas that share the requests; 0 = devices / product of the other degrees */
    int32_t attention_data; /* number of groups of ranks with requests of their own; all groups share the experts */
    int64_t input_len, output_len; /* input_len: tokens of the prompt of a request; output_len: tokens of the answer */
    int64_t batch, concurrency; /* batch: requests that start together; concurrency: open requests; give at most one of
                                 * batch, concurrency, request_rate, offline */
    double request_rate;        /* requests per second */
    bool offline;
    nnc_dtype precision; /* format in which products are computed */
    nnc_stored weights;  /* storage format of the weights */
    nnc_stored kv_precision;
    int64_t group_size; /* number of elements that share a scale, in formats that do not fix it */
    double memory_use;  /* share of the device memory that the engine may use */
    int64_t block;      /* tokens per block of the KV cache */
    int64_t chunk;      /* maximum tokens of a prefill step */
    int64_t max_batch;  /* maximum sequences that decode together, per replica */
    double prefix_hit;  /* share of a prompt whose keys and values are already cached */
    double imbalance;   /* tokens of the busiest expert rank / mean over all ranks */
    double price;       /* price of one device-hour; NaN = from the device file */
    /* Speculative decoding, by formula only. draft_length: tokens that a draft model proposes (0 = no draft);
     * acceptance: probability that a token is accepted; draft_share: time of a draft step / time of a model step. */
    int64_t draft_length;
    double acceptance, draft_share;
    /* Networks that denoise images. steps: forward passes per image (with guidance, each pass has twice the batch);
     * image: pixels per side, 0 = from the model; beside_s: other time per image. */
    int64_t steps, image;
    bool guidance;
    double beside_s;
    int32_t prefill_workers, decode_workers; /* prefill_workers: replicas that only prefill; decode_workers: replicas
                                              * that only decode; both 0 = every replica does both */
    double carbon_g_per_kwh;                 /* carbon intensity of the grid; NaN = unknown */
    double waves; /* closed loop: number of requests of the benchmark / number of open requests */
    /* For results by formula only. draft: the draft model as the user names it; draft_model: the loaded draft model;
     * disaggregate: the text "P:D" with P = prefill_workers and D = decode_workers. */
    char draft[128];
    const nnc_model *draft_model;
    char disaggregate[24];
    /* Simulation of an open or closed loop. requests: number of requests; seed: for arrivals and lengths; burstiness:
     * shape of the gamma distribution of the time between arrivals, 1 = Poisson; length_spread: lengths differ by at
     * most this share from their mean (uniform distribution). */
    int64_t requests, seed;
    double burstiness, length_spread;
    bool preempt; /* on here or in the engine: a request starts when its prompt fits, and may be preempted; off in
                   * both: it starts when its whole length fits */
    /* Recorded arrivals of an open loop: file name and rows. The rows are assigned to the replicas in turn. */
    char arrivals[256];
    const nnc_serve_arrival *arrival_list;
    int64_t arrival_count;
    /* While sequences decode, a prompt does not start at once, but waits for further prompts: at most wait_steps steps,
     * and only until the tokens of the next step (decoding sequences and waiting prompts) reach the share wait_share of
     * `chunk`. */
    int64_t wait_steps;
    double wait_share;
} nnc_serve_ask;

NNC_API void nnc_serve_ask_init(nnc_serve_ask *ask, size_t struct_size);
static inline nnc_serve_ask nnc_serve_ask_default(void) {
    nnc_serve_ask ask;
    nnc_serve_ask_init(&ask, sizeof ask);
    return ask;
}

/* Checks that all members are within the limits of the command line. NNC_ILLEGAL_PLAN: err names the wrong option. */
NNC_API nnc_status nnc_serve_ask_check(const nnc_serve_ask *ask, nnc_error *err);

/* One step of one replica, with the work and time of one device of the replica. */
typedef struct nnc_serve_step {
    double sequences, new_tokens, context; /* sequences: number of sequences; new_tokens: tokens computed per
                                            * sequence; context: tokens of a sequence at the end of the step */
    double steps;                          /* passes over the weights; a prefill has one per chunk */
    double flops, weight_bytes, kv_bytes,
        bytes; /* work, and bytes read, of one device; bytes = weight_bytes + kv_bytes */
    double intensity_flops_per_byte;
    double product_s, expert_s, attention_s, head_s; /* parts of time_s, together with comm_s and host_s */
    double comm_s, host_s, time_s;
    double lower_bound_s; /* time at datasheet rates, with everything overlapped */
    double network_bytes; /* bytes that one device sends */
    nnc_bound bound;
} nnc_serve_step;

/* The result for a deployment. NaN = unknown. */
typedef struct nnc_serve {
    size_t struct_size; /* size of the struct; nnc_serve_of sets it */
    nnc_serve_ask plan; /* inputs of the deployment, with all defaults filled in */
    nnc_serve_mode mode;
    /* prefill: one prompt, or the whole static batch; decode: one step at the mean context */
    nnc_serve_step prefill, decode;
    double critical_batch;                 /* sequences at which decode becomes compute-bound; NaN = never */
    double intensity_limit_flops_per_byte; /* intensity of decode with infinitely many sequences */
    /* latency */
    double ttft_s, tpot_s, request_s, queue_s;
    double ttft_interval_s[2], tpot_interval_s[2]; /* ranges that contain 90 % of measurements */
    double ttft_lower_bound_s, tpot_lower_bound_s, request_lower_bound_s;
    /* throughput of the whole deployment */
    double running; /* mean number of sequences that decode at the same time, whole deployment */
    double output_tokens_per_s, input_tokens_per_s, output_tokens_per_s_per_device;
    double tokens_per_s_per_user, requests_per_s, utilization;
    double upper_bound_tokens_per_s; /* output tokens, computed from the lower bounds */
    double saturation_rate;          /* maximum requests per second */
    bool saturated;
    /* memory of one device */
    double params, weight_bytes, workspace_bytes, kv_bytes_per_token, kv_bytes, paging_waste_bytes;
    double state_bytes_per_sequence; /* size of the states of layers that keep a state instead of keys and values */
    double free_bytes, max_tokens;   /* free_bytes: bytes left for the KV cache; max_tokens: number of tokens that
                                      * fit into free_bytes */
    double max_sequences;            /* sequences of full length that fit on the whole deployment */
    double total_bytes, capacity_bytes, headroom_bytes; /* headroom_bytes is negative when the deployment does not
                                                         * fit */
    bool fits;
    /* money and energy */
    double price_per_device_hour, per_million_output_tokens;
    /* prefilled: price of prefill per million prompt tokens; decoded: price of decode per million output tokens */
    double per_million_prefilled_tokens, per_million_decoded_tokens;
    double energy_j_per_token;
    double ttft_p99_s; /* 99 % quantile over the requests of a simulated loop */
    /* the next results follow from formulas only and were not compared with measurements */
    double tokens_per_verify, speculation_speedup, speculation_tpot_s;
    double transfer_bytes, transfer_s; /* transfer_bytes: bytes of the KV cache of a prompt; transfer_s: time to send
                                        * these bytes to another worker */
    double apart_requests_per_s, apart_workers_ratio, apart_ttft_s, apart_tpot_s;
    double carbon_g_per_million_tokens; /* carbon per million output tokens, at rated power */
    double draft_s, verify_s;           /* draft_s: time of a draft step; verify_s: time of a verification step */
    /* 50, 90 and 99 % quantiles over the requests of a simulated loop */
    double ttft_p50_s, ttft_p90_s, tpot_p50_s, tpot_p90_s, tpot_p99_s;
    double request_p50_s, request_p90_s, request_p99_s;
    double simulated, preemptions; /* simulated: number of simulated requests; preemptions: number of preemptions */
    double prompt_s;               /* time that prefilling a prompt adds to a decode step */
} nnc_serve;

/* One op of a step, summed over all layers, on one device. */
typedef struct nnc_serve_op {
    const char *name;  /* static storage */
    const char *phase; /* "prefill", "decode" */
    double count;      /* number of kernels of the op */
    double rows, flops, weight_bytes, kv_bytes, time_s;
    nnc_bound bound;
} nnc_serve_op;

enum { NNC_SERVE_OPS_MAX = 160 };

/* Computes latency, throughput, memory and cost of a deployment. software: profile of an engine; NULL = neutral
 * profile. ops: an array of NNC_SERVE_OPS_MAX entries that receives the ops of prefill and decode; may be NULL. A
 * deployment that does not fit or is saturated is a result, not an error. NNC_ILLEGAL_PLAN: the model cannot be
 * deployed with these inputs; err names the option. */
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
/* Returns the 90 % range of measured / predicted time per output token. experts: true for models with experts. */
const nnc_spread *nnc_serve_spread(const nnc_serve_engine *engine, bool experts);
/* Returns the factor that widens both ends of the range on a device whose serving efficiencies are not measured; 1 on
 * other devices. */
double nnc_serve_beyond(const nnc_device *device);
nnc_spread nnc_spread_times(const nnc_spread *of, double beyond);
#endif /* NNC_STATIC_LINKING_ONLY */

/* ---- single formulas ---- */

/* Returns the number of experts that m = `tokens` tokens activate, if each token takes k = `chosen` of E = `experts` at
 * random: E (1 - (1 - k/E)^m). */
NNC_API double nnc_serve_experts_touched(double experts, double chosen, double tokens);
/* Returns the time of a small all-reduce, s. One round: every rank sends all data to all others. Two rounds: every rank
 * sends its part twice. fixed_s: time per call; second_s: time of the second round; the fractions are shares of
 * link_bytes_per_s, one direction. */
NNC_API double nnc_serve_all_reduce_s(double ranks, double bytes, double link_bytes_per_s, double fixed_s,
                                      double second_s, double one_shot_fraction, double two_shot_fraction);
/* Returns the expected number of tokens from one verification of y = `drafted` tokens, if each token is accepted with
 * probability a = `acceptance`: (1 - a^(y+1)) / (1 - a); arXiv:2211.17192, equation 1. */
NNC_API double nnc_serve_accepted(double acceptance, double drafted);
/* Return the mean waiting time in s in a queue with one server and constant service time (M/D/1), and its 99th
 * percentile by an exponential tail: max(0, (mean / rho) x ln(100 rho)), where rho is the load. */
NNC_API double nnc_serve_mean_wait_s(double service_s, double load);
NNC_API double nnc_serve_p99_wait_s(double service_s, double load);

#ifdef __cplusplus
}
#endif

#endif
