/* Internal declarations of serving, in the order of the computation: network rows, device rates, resolved
 * request, one step, load and cost; then generation of images and the search for a deployment. */
#ifndef NNCOST_SERVE_SERVE_INTERNAL_H
#define NNCOST_SERVE_SERVE_INTERNAL_H

#include <nncost/serve.h>

#include "base/base_internal.h"
#include "base/derivation.h"
#include "shape/shape_internal.h"

/* ---- the network: one row for equal ops of equal layers ---- */

/* A matrix product with weights. */
typedef struct nnc_serve_product {
    const char *name;
    nnc_group group;
    nnc_split split;
    double layers, n, k;
    double heads, kv_heads; /* heads that make up n in the query, key and value product; 0 = no heads */
    double experts, chosen; /* experts in the layer and experts per token; experts = 0: a dense layer */
    bool plain;             /* weights stay in 16 bits in every storage format */
    bool last;              /* only the last token of a prompt passes it: the head */
} nnc_serve_product;

/* An attention over the cache of keys and values. */
typedef struct nnc_serve_attention {
    const char *name;
    double layers, heads, kv_heads, key_dim, value_dim;
    double window;       /* positions that are attended and kept; 0 = all */
    double latent, rope; /* size of the latent shared by all heads and of its rotary key; 0 = plain heads */
} nnc_serve_attention;

/* A recurrent state of fixed size that a layer keeps per sequence. */
typedef struct nnc_serve_state {
    const char *name;
    double layers, elements; /* elements are fp32 */
    double flops;            /* per token */
} nnc_serve_state;

enum { NNC_SERVE_PRODUCTS = 64, NNC_SERVE_ATTENTIONS = 8 };

typedef struct nnc_serve_net {
    nnc_serve_product products[NNC_SERVE_PRODUCTS];
    nnc_serve_attention attentions[NNC_SERVE_ATTENTIONS];
    nnc_serve_state states[NNC_SERVE_ATTENTIONS];
    int32_t product_count, attention_count, state_count;
    double layers, hidden, vocab, experts;
    double params;       /* total */
    double other_params; /* the part of params outside the products: input table, norms, biases */
    double reductions;   /* all-reduces over tensor ranks per pass */
    double expert_layers;
} nnc_serve_net;

/* Reads the rows from the model's op list; the list stays in scratch. NNC_ILLEGAL_PLAN: the model cannot be
 * served. */
nnc_status nnc_serve_net_of(const nnc_model *model, const nnc_software *software, nnc_scratch *scratch,
                            nnc_serve_net *net, nnc_error *err);

/* ---- rates that the device reaches ---- */

typedef struct nnc_serve_rates {
    double peak_flops_per_s, dense_flops_per_s; /* products in the chosen precision: datasheet peak and reached rate */
    double plain_peak_flops_per_s, plain_flops_per_s; /* the same for 16-bit products */
    double attention_flops_per_s;                     /* rate of prefill */
    double mem_bytes_per_s;                           /* datasheet */
    double stream_bytes_per_s,
        plain_bytes_per_s; /* rate of reading weights as stored; rate of reading 16-bit weights */
    double expert_bytes_per_s, kv_bytes_per_s;
    double state_bytes_per_s;                     /* rate of reading states, independent of the cache's format */
    double kernel_s, attention_s;                 /* fixed time per kernel and per attention in a decode step */
    double product_s;                             /* fixed time per product with stored weights */
    bool weight_only;                             /* products compute in a wider format than the weights' storage */
    double prefill_kernel_s, prefill_attention_s; /* the same in a prefill step */
    nnc_small_all_reduce all_reduce;
    double kv_reread, beyond;                      /* share of the cache read again per query head; width of ranges */
    double link_bytes_per_s;                       /* link rate between tensor ranks; NaN = one
                                                    * device */
    double exchange_bytes_per_s, exchange_fixed_s; /* rate and fixed time between all ranks that
                                                    * share experts */
    double weight_bytes, plain_bytes, kv_bytes;    /* per element */
    bool kv_scaled;                                /* keys and values carry a scale per head */
    double group_size;
} nnc_serve_rates;

nnc_status nnc_serve_rates_of(const nnc_device *device, const nnc_software *software, const nnc_serve_ask *plan,
                              nnc_serve_rates *rates, nnc_error *err);

/* ---- the request ---- */

/* Fills in open members and checks what the model, the device and the engine allow. */
nnc_status nnc_serve_resolve(const nnc_serve_ask *ask, const nnc_model *model, const nnc_device *device,
                             const nnc_software *software, const nnc_serve_net *net, nnc_serve_ask *plan,
                             nnc_serve_mode *mode, nnc_error *err);

/* ---- a step ---- */

/* Inputs of every step. */
typedef struct nnc_serve_case {
    const struct nnc_serve_case *draft; /* the draft model; NULL = no speculation with a model */
    const nnc_serve_net *net;
    const nnc_serve_ask *plan; /* resolved */
    const nnc_serve_engine *engine;
    nnc_serve_rates rates;
    double network_bytes_per_s;  /* rate of one NIC */
    struct nnc_serve_work *work; /* memory of the simulation of a loop */
} nnc_serve_case;

/* Ops of the computed steps, for listing; NULL = not wanted. */
typedef struct nnc_serve_list {
    nnc_serve_op *ops;
    int32_t count;
} nnc_serve_list;

/* One step of a replica. decode: each of `sequences` attends to `context` positions, the new one included.
 * prefill: `sequences` prompts at once, `fresh` tokens after `cached` ones each. */
nnc_serve_step nnc_serve_decode(const nnc_serve_case *of, double sequences, double context, nnc_serve_list *list);
nnc_serve_step nnc_serve_prefill(const nnc_serve_case *of, double sequences, double cached, double fresh,
                                 nnc_serve_list *list);

/* A decode step that also prefills `prompts` prompts: `fresh` tokens after `cached` ones each (chunked
 * prefill). */
nnc_serve_step nnc_serve_mixed(const nnc_serve_case *of, double sequences, double context, double prompts,
                               double cached, double fresh);

/* A decode step that computes `tokens` tokens of each sequence, and the logits of all of them (speculative
 * verification). */
nnc_serve_step nnc_serve_verify(const nnc_serve_case *of, double sequences, double context, double tokens);

/* True for a product whose weights stay in 16 bits. */
bool nnc_serve_is_plain(const nnc_serve_case *of, const nnc_serve_product *product);

/* Bytes of keys and values, and of states, of one sequence of `tokens` tokens on one device. */
double nnc_serve_kv_bytes(const nnc_serve_case *of, double tokens);
double nnc_serve_state_bytes(const nnc_serve_case *of);
/* Bytes that one token adds to the cache of one attention, on one device, all its layers. */
double nnc_serve_kv_token(const nnc_serve_case *of, const nnc_serve_attention *attention);

/* Share of a product on one device of a tensor group. */
double nnc_serve_share(const nnc_serve_case *of, const nnc_serve_product *product);
/* Layers of the largest pipeline stage over all layers. */
double nnc_serve_stage_share(const nnc_serve_case *of);

/* Sequences per stage at which decode becomes compute-bound; NaN: it never does. intensity_limit: the limit
 * of the arithmetic intensity as the sequences grow in number.   [serve-critical] */
double nnc_serve_critical_batch(const nnc_serve_case *of, double context, double *intensity_limit, nnc_derivation *why);

/* ---- load, memory, cost ---- */

/* Requests per second at which a replica saturates. */
double nnc_serve_say_saturation(double decode_s, double prefill_s, double output_len, double sequences,
                                nnc_derivation *why);

/* A step of `sequences` sequences with draft and verification, where there is a draft. */
double nnc_serve_decode_s(const nnc_serve_case *of, double sequences, double context);
/* Cache and states of a sequence, in whole blocks, on the fullest device. */
double nnc_serve_sequence_bytes(const nnc_serve_case *of, double tokens);

/* One replica under load. */
typedef struct nnc_serve_load_case {
    const nnc_serve_case *of;
    double input, output, cached, fresh; /* tokens per request; the prompt splits into a cached and a computed part */
    double context;                      /* mean context of a decode step */
    double shortest, longest;            /* contexts */
    double prefill_s, busy_s;            /* prefill of one prompt: its latency, and its time on the busiest stage */
    double prefill_flops;
    double stages;         /* quotient of the two times */
    double tokens_of_step; /* output tokens of a sequence in a decode step: 1 without a draft */
    double chunk;          /* the most tokens of prompts in an iteration */
    double slots, places;  /* the most sequences that the engine takes; the most that the cache
                            * holds */
    double most;           /* the smaller of the two */
    double room_bytes;     /* cache of a sequence of mean length */
    double requests_per_s;
    int64_t open;                            /* closed loop: requests of the fullest replica; 0 = open loop */
    int64_t count, skipped;                  /* simulated requests; requests among them that are not counted */
    int32_t prefill_workers, decode_workers; /* 0 = one engine does both */
    double transfer_s;                       /* time to move the cache of a prompt between them */
} nnc_serve_load_case;

/* Time that `prompts` prompts add to a decode step of `sequences` sequences; of 0: their time alone. */
double nnc_serve_added_s(const nnc_serve_load_case *load, double sequences, double prompts);

/* Mean over requests, and the 50, 90 and 99 % quantiles. */
typedef struct nnc_serve_spread_of {
    double mean, p50, p90, p99;
} nnc_serve_spread_of;

typedef struct nnc_serve_replayed {
    nnc_serve_spread_of ttft, tpot, request; /* s; of the client */
    double sequences;                        /* mean of a decode step */
    int64_t requests, preemptions;
} nnc_serve_replayed;

/* Simulates the replica; of->work has space for load->count requests. */
void nnc_serve_replay(const nnc_serve_load_case *load, nnc_serve_replayed *result);

enum { NNC_SERVE_WORKERS = 64 }; /* the most prefill workers, and decode workers, that are simulated */
typedef struct nnc_serve_work nnc_serve_work;
/* Requests that a load simulates on one replica. */
int64_t nnc_serve_requests_of(const nnc_serve_ask *plan);
/* Memory for them, in scratch until its next use; NULL: out of memory. */
nnc_serve_work *nnc_serve_work_of(nnc_scratch *scratch, int64_t requests);

/* True for a loop with separate workers for prefill and decode. */
bool nnc_serve_is_apart(const nnc_serve_ask *plan);
/* Devices of the deployment, all workers included. */
double nnc_serve_devices(const nnc_serve_ask *plan);

/* Weights, cache and workspace on the fullest device. */
void nnc_serve_memory(const nnc_serve_case *of, double capacity_bytes, nnc_serve *serve, nnc_derivation *why);
/* Latency and throughput under the requested load. */
void nnc_serve_load(const nnc_serve_case *of, nnc_serve *serve, nnc_serve_list *list, nnc_derivation *why);
/* Compares the memory of the requested load with the capacity. */
void nnc_serve_fit(const nnc_serve_case *of, nnc_serve *serve, nnc_derivation *why);
/* Price and energy per token. */
void nnc_serve_cost(const nnc_serve_case *of, const nnc_device *device, nnc_serve *serve, nnc_derivation *why);

/* Results by formula alone: speculative decoding, disaggregated prefill. */
void nnc_serve_extra(const nnc_serve_case *of, const nnc_device *device, nnc_serve *serve, nnc_derivation *why);

/* nnc_serve_into with a derivation: `why` records each formula with its numbers. */
nnc_status nnc_serve_say(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                         const nnc_serve_ask *ask, nnc_scratch *scratch, nnc_serve *serve, nnc_serve_list *list,
                         nnc_derivation *why, nnc_error *err);

/* ---- images by diffusion ---- */

enum { NNC_IMAGES_ENCODERS = 4 };

/* A request for images. NaN and 0 stand for "not given". */
typedef struct nnc_images_ask {
    int64_t steps;   /* forward passes of the denoiser per image */
    bool guidance;   /* classifier-free guidance: each pass runs with and without the prompt */
    int64_t image;   /* pixels per side; 0 = the model's */
    int64_t batch;   /* images generated together; 0 = 1 */
    double beside_s; /* other time per image */
    nnc_dtype precision;
    double price;                                   /* price per device and hour; NaN = the device file's */
    double carbon_g_per_kwh;                        /* grid; NaN = unknown */
    const nnc_model *encoders[NNC_IMAGES_ENCODERS]; /* text encoders */
    int32_t encoder_count;
    const nnc_model *decoder; /* decoder of the latent; NULL = none */
} nnc_images_ask;

typedef struct nnc_images {
    nnc_images_ask plan;             /* resolved */
    double forward_s, forward_flops; /* time and FLOPs of one pass over the batch, guidance
                                      * included */
    double text_s, decode_s;         /* per batch; 0 = the model names no encoder or decoder */
    double image_s, lower_bound_s;   /* time until all images of a batch are done */
    double images_per_s, utilization;
    double weight_bytes, capacity_bytes;
    bool fits; /* all weights are resident at the same time */
    double price_per_device_hour, per_thousand_images, energy_j_per_image;
    double carbon_g_per_thousand_images;
} nnc_images;

/* True for a model that denoises images. */
bool nnc_denoises(const nnc_model *model);

/* Computes time, cost and energy of image generation from estimates of forward passes. NNC_ILLEGAL_PLAN:
 * the model does not denoise images. */
nnc_status nnc_images_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                         const nnc_images_ask *ask, nnc_scratch *scratch, nnc_images *images, nnc_derivation *why,
                         nnc_error *err);

/* ---- search for a deployment: degrees of parallelism and concurrent requests ---- */

/* A limit on a metric of nnc_serve (a member of type double). */
typedef struct nnc_serve_limit {
    const char *name; /* "latency.ttft_s" */
    size_t offset;
    bool at_least; /* false: at most */
    double value;
} nnc_serve_limit;

enum { NNC_SERVE_LIMITS = 8, NNC_SERVE_FRONT = 128 };

/* A deployment, and the first limit that more concurrent requests would break. */
typedef struct nnc_serve_found {
    nnc_serve_ask plan;
    double ttft_s, tpot_s, request_s, output_tokens_per_s, output_tokens_per_s_per_device;
    double tokens_per_s_per_user, per_million_output_tokens, headroom_bytes;
    nnc_bound bound;        /* bound of the decode step */
    int32_t broken;         /* index of the limit; -1 = none */
    double broken_requests; /* concurrent requests that break the limit; 0: memory or the engine
                          * allows no more */
    double broken_value;    /* value of the metric at that number of requests */
} nnc_serve_found;

typedef struct nnc_serve_search {
    const nnc_serve_limit *limits;
    int32_t limit_count;
    int32_t devices_most; /* upper ends of the counts tried (1, 2, 4 ...) for members that the request leaves open */
} nnc_serve_search;

typedef struct nnc_serve_search_result {
    int64_t deployments, evaluated, fitting, meeting; /* counts of legal deployments */
    nnc_serve_found cheapest, fastest;                /* most tokens per second and device; least time per token */
    bool found;
    nnc_serve_found front[NNC_SERVE_FRONT]; /* rising tokens per second and user */
    int32_t front_count;
    bool front_cut;
    /* the nearest miss where no deployment meets the limits: smallest ratio to its limit */
    nnc_serve_found nearest;
    int32_t nearest_limit; /* -1 = no deployment fits */
    double nearest_value;
} nnc_serve_search_result;

/* Searches over devices, degrees and concurrent requests that `ask` leaves at their defaults. Fails where
 * no deployment is legal; err names the reason of the last one. */
nnc_status nnc_serve_search_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                               const nnc_serve_ask *ask, const nnc_serve_search *search, nnc_scratch *scratch,
                               nnc_serve_search_result *result, nnc_error *err);

#endif
