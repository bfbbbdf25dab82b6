/* Serving a decoder: prefill, decode, the cache of keys and values, latency and throughput under load,
 * and what a token costs. */
#ifndef NNCOST_SERVE_H
#define NNCOST_SERVE_H

#include <nncost/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How requests come. */
#define NNC_SERVE_MODE_LIST(X)                                                     \
    X(NNC_SERVE_STATIC, "static", "A batch of requests starts and ends together.") \
    X(NNC_SERVE_CLOSED, "closed-loop", "So many requests are always open.")        \
    X(NNC_SERVE_OPEN, "open-loop", "Requests come at a rate of their own.")        \
    X(NNC_SERVE_OFFLINE, "offline", "As many requests at a time as memory and engine allow.")
NNC_ENUM(nnc_serve_mode, NNC_SERVE_MODE_LIST, NNC_SERVE_MODE_COUNT);
NNC_API const char *nnc_serve_mode_name(nnc_serve_mode mode);
NNC_API const char *nnc_serve_mode_help(nnc_serve_mode mode);

/* What is asked. 0, NaN and the number of values of an enumeration stand for "not given": a default of the
 * software profile, or worked out. */
typedef struct nnc_serve_ask {
    size_t struct_size; /* as of nnc_plan; nnc_serve_ask_default sets it */
    int32_t devices;    /* in all; 0 = the product of the degrees */
    int32_t tensor, pipeline, expert;
    int32_t data;           /* replicas that share the requests; 0 = devices over the rest */
    int32_t attention_data; /* ranks that attend to requests of their own, and share the experts */
    int64_t input_len, output_len; /* tokens of a request */
    int64_t batch, concurrency;    /* requests; of these four at most one is given */
    double request_rate;           /* requests per second */
    bool offline;
    nnc_dtype precision; /* of the arithmetic of products */
    nnc_stored weights;  /* as they are stored */
    nnc_stored kv_precision;
    int64_t group_size; /* elements that share a scale, of formats that do not fix it */
    double memory_use;  /* share of the device memory that the engine takes */
    int64_t block;      /* tokens of a block of the cache */
    int64_t chunk;      /* tokens of a prefill step at most */
    int64_t max_batch;  /* sequences that decode together at most, of a replica */
    double prefix_hit;  /* share of a prompt whose keys and values are cached already */
    double imbalance;   /* tokens of the busiest expert rank over the mean */
    double price;       /* of one device for one hour; NaN = the device file's */
    /* by formula alone: tokens that a draft proposes (0 = none), the chance that one is accepted, and the
     * time of a draft's step over the model's */
    int64_t draft_length;
    double acceptance, draft_share;
    /* of a network that denoises images: forward passes of an image, each twice with guidance; pixels per side
     * (0 = the model's); text encoder and decoder of the latent, per image */
    int64_t steps, image;
    bool guidance;
    double beside_s;
    int32_t prefill_workers,
        decode_workers;      /* replicas that do one of both alone; 0 = they do both */
    double carbon_g_per_kwh; /* of the grid; NaN = not known */
    double waves; /* of a closed loop: requests of a benchmark over those that are open */
    /* by formula alone: what proposes tokens, as it is asked for and as it is loaded; "P:D", P replicas that
     * prefill alone and D that decode alone, in place of prefill_workers and decode_workers */
    char draft[128];
    const nnc_model *draft_model;
    char disaggregate[24];
} nnc_serve_ask;

NNC_API void nnc_serve_ask_init(nnc_serve_ask *ask, size_t struct_size);
static inline nnc_serve_ask nnc_serve_ask_default(void)
{
    nnc_serve_ask ask;
    nnc_serve_ask_init(&ask, sizeof ask);
    return ask;
}

/* Is every member within its limits, those of the command line? NNC_ILLEGAL_PLAN; err names the option. */
NNC_API nnc_status nnc_serve_ask_check(const nnc_serve_ask *ask, nnc_error *err);

/* One step of one replica: what a device of it does, and how long that takes. */
typedef struct nnc_serve_step {
    double sequences, new_tokens, context; /* of a sequence: tokens computed, positions attended */
    double steps;                          /* passes over the weights: chunks of a prefill */
    double flops, weight_bytes, kv_bytes, bytes; /* of one device */
    double intensity_flops_per_byte;
    double product_s, expert_s, attention_s, head_s; /* parts of time_s, with comm_s and host_s */
    double comm_s, host_s, time_s;
    double lower_bound_s; /* datasheet rates, everything overlapped */
    double network_bytes; /* that one device sends */
    nnc_bound bound;
} nnc_serve_step;

/* What serving comes to. Figures that are not known are NaN. */
typedef struct nnc_serve {
    size_t struct_size; /* nnc_serve_of sets it */
    nnc_serve_ask plan; /* resolved */
    nnc_serve_mode mode;
    /* one prompt, or the whole static batch; one step of the batch at its mean context */
    nnc_serve_step prefill, decode;
    double
        critical_batch; /* sequences at which decode becomes compute-bound; NaN = no number does */
    double intensity_limit_flops_per_byte; /* of decode, of ever more sequences */
    /* latency */
    double ttft_s, tpot_s, request_s, queue_s;
    double ttft_interval_s[2], tpot_interval_s[2]; /* where nine of ten measurements fall */
    double ttft_lower_bound_s, tpot_lower_bound_s, request_lower_bound_s;
    /* throughput of the whole deployment */
    double running; /* sequences that decode together, of the deployment, on average */
    double output_tokens_per_s, input_tokens_per_s, output_tokens_per_s_per_device;
    double tokens_per_s_per_user, requests_per_s, utilization;
    double upper_bound_tokens_per_s; /* of output tokens, by the lower bounds */
    double saturation_rate;          /* requests per second that it can take at most */
    bool saturated;
    /* memory of one device */
    double params, weight_bytes, workspace_bytes, kv_bytes_per_token, kv_bytes, paging_waste_bytes;
    double state_bytes_per_sequence; /* beside keys and values: layers that keep a state */
    double free_bytes, max_tokens;   /* for the cache; what it holds */
    double max_sequences;            /* of the deployment, at full length */
    double total_bytes, capacity_bytes, headroom_bytes; /* headroom: negative = does not fit */
    bool fits;
    /* money and energy */
    double price_per_device_hour, per_million_output_tokens;
    double per_million_prefilled_tokens, per_million_decoded_tokens; /* by the time each takes */
    double energy_j_per_token;
    /* by formula alone, nothing measured to compare with */
    double ttft_p99_s; /* open loop */
    double tokens_per_verify, speculation_speedup, speculation_tpot_s;
    double transfer_bytes, transfer_s; /* cache of a prompt, from one worker to another */
    double apart_requests_per_s, apart_workers_ratio, apart_ttft_s, apart_tpot_s;
    double carbon_g_per_million_tokens; /* of output tokens, at rated power */
    double draft_s, verify_s; /* of a draft's step; of one that verifies what it proposed */
} nnc_serve;

/* One op of a step, all its layers together, on one device. */
typedef struct nnc_serve_op {
    const char *name;  /* static storage */
    const char *phase; /* "prefill", "decode" */
    double count;      /* kernels */
    double rows, flops, weight_bytes, kv_bytes, time_s;
    nnc_bound bound;
} nnc_serve_op;

enum { NNC_SERVE_OPS_MAX = 160 };

/* Works it out. software: an engine's profile; NULL = neutral. ops: room for NNC_SERVE_OPS_MAX, filled with
 * the ops of prefill and decode; NULL = not wanted. Fails with NNC_ILLEGAL_PLAN where a model cannot be
 * served so, naming the option; that it does not fit, or is saturated, is an answer. */
NNC_API nnc_status nnc_serve_into(const nnc_model *model, const nnc_device *device,
                                  const nnc_software *software, const nnc_serve_ask *ask,
                                  nnc_scratch *scratch, nnc_serve *serve, nnc_serve_op *ops,
                                  int32_t *op_count, nnc_error *err);
static inline nnc_status nnc_serve_of(const nnc_model *model, const nnc_device *device,
                                      const nnc_software *software, const nnc_serve_ask *ask,
                                      nnc_scratch *scratch, nnc_serve *serve, nnc_error *err)
{
    serve->struct_size = sizeof *serve;
    return nnc_serve_into(model, device, software, ask, scratch, serve, NULL, NULL, err);
}

#ifdef NNC_STATIC_LINKING_ONLY
/* Where nine of ten measured times per token fall, over prediction. */
const nnc_spread *nnc_serve_spread(const nnc_serve_engine *engine, bool experts);
#endif /* NNC_STATIC_LINKING_ONLY */

/* ---- the formulas one by one ---- */

/* Experts that `tokens` touch where each takes `chosen` of `experts` at random: E (1 - (1 - k/E)^m). */
NNC_API double nnc_serve_experts_touched(double experts, double chosen, double tokens);
/* Seconds of a small all-reduce: every rank sends all to all others at once, or its part twice.
 * fixed_s, of a call; second_s, of the second round; fractions of link_bytes_per_s, one direction. */
NNC_API double nnc_serve_all_reduce_s(double ranks, double bytes, double link_bytes_per_s,
                                      double fixed_s, double second_s, double one_shot_fraction,
                                      double two_shot_fraction);
/* Tokens that one verification of `drafted` tokens yields, each accepted with this chance:
 * (1 - a^(y+1)) / (1 - a); arXiv:2211.17192, equation 1. */
NNC_API double nnc_serve_accepted(double acceptance, double drafted);
/* Waiting time in a queue of one server with constant service time, M/D/1, and its 99th percentile by an
 * exponential tail: max(0, mean / rho ln(100 rho)). */
NNC_API double nnc_serve_mean_wait_s(double service_s, double load);
NNC_API double nnc_serve_p99_wait_s(double service_s, double load);

#ifdef __cplusplus
}
#endif

#endif
