/* Internal declarations of serving (inference), in the order of the computation: ops of the network, rates of the
 * device, inputs (nnc_serve_ask) with their defaults, one step, load and cost. Image generation and the search for a
 * deployment come last. */
#ifndef NNCOST_SERVE_SERVE_INTERNAL_H
#define NNCOST_SERVE_SERVE_INTERNAL_H

#include <nncost/serve.h>

#include "base/base_internal.h"
#include "base/derivation.h"
#include "shape/shape_internal.h"

/* ---- the network of a served model: equal ops of equal layers are one entry ---- */

/* A matrix product of activations with weights, in `layers` equal layers. */
typedef struct nnc_serve_product {
    const char *name;
    nnc_group group;
    nnc_split split;
    double layers, n, k;
    double heads, kv_heads; /* in the product that computes queries, keys and values: number of query heads (heads), and
                             * of key-value heads (kv_heads); otherwise 0 */
    double experts, chosen; /* experts: number of experts in the layer (0 = no experts); chosen: number of experts per
                             * token */
    bool plain;             /* true: weights stay in 16 bits in every storage format */
    bool last;              /* true: only the last token of a prompt passes this product (the head) */
} nnc_serve_product;

/* One kind of attention over the KV cache, in `layers` equal layers. */
typedef struct nnc_serve_attention {
    const char *name;
    double layers, heads, kv_heads, key_dim, value_dim;
    double window;       /* number of latest positions that a token attends to, and that the KV cache keeps; 0 = all
                          * positions */
    double latent, rope; /* latent: size of the latent that all heads share (0 = attention without a latent); rope: size
                          * of the key with rotary positions that belongs to the latent */
    bool shared;         /* true: the key of a token is also its value */
    double far_ratio, far_most; /* compressed keys. far_ratio: number of tokens per compressed key (0 = no such
                                     * keys); far_most: largest number of them that a token attends to (0 = all) */
    bool picked;                /* true: a token attends to far_most of all positions, which an indexer picks; the
                                    * cache keeps all positions (sparse attention of DeepSeek-V3.2) */
    double index_heads,
        index_dim;      /* the indexer that picks far_most keys: number of its heads, and their width; 0 = the
                                    * layer has no indexer of its own */
    double open_values; /* fp32 values of the windows that have no compressed key yet, per layer */
} nnc_serve_attention;

/* A recurrent state of fixed size that a layer keeps per sequence. */
typedef struct nnc_serve_state {
    const char *name;
    double layers, elements; /* layers: number of layers with this state; elements: number of fp32 values in the state
                              * of one layer */
    double flops;            /* FLOPs of the recurrent state per token in one layer */
} nnc_serve_state;

enum { NNC_SERVE_PRODUCTS = 96, NNC_SERVE_ATTENTIONS = 8 };

typedef struct nnc_serve_net {
    nnc_serve_product products[NNC_SERVE_PRODUCTS];
    nnc_serve_attention attentions[NNC_SERVE_ATTENTIONS];
    nnc_serve_state states[NNC_SERVE_ATTENTIONS];
    int32_t product_count, attention_count, state_count;
    double layers, hidden, vocab, experts;
    double params;       /* number of all parameters of the model */
    double other_params; /* number of parameters outside the matrix products: input table, norms, biases */
    double reductions;   /* number of all-reduces over the tensor ranks in one forward pass */
    double expert_layers;
} nnc_serve_net;

/* Lowers the model to its op list in scratch, and fills *net from this list: products, attentions and states (one entry
 * for all equal ops of equal layers) and totals. NNC_ILLEGAL_PLAN: inference of this model is not supported. */
nnc_status nnc_serve_net_of(const nnc_model *model, const nnc_software *software, nnc_scratch *scratch,
                            nnc_serve_net *net, nnc_error *err);

/* ---- rates that the device reaches in serving ---- */

typedef struct nnc_serve_rates {
    double peak_flops_per_s, dense_flops_per_s;       /* FLOP/s of matrix products in the precision of the plan.
                                                       * peak_flops_per_s: peak in the datasheet; dense_flops_per_s:
                                                       * rate that long products reach */
    double plain_peak_flops_per_s, plain_flops_per_s; /* FLOP/s of 16-bit matrix products. plain_peak_flops_per_s: peak
                                                       * in the datasheet; plain_flops_per_s: rate that kernels reach */
    double attention_flops_per_s;                     /* FLOP/s that attention kernels reach */
    double mem_bytes_per_s;                           /* bandwidth of the device memory in the datasheet, in bytes per
                                                       * second */
    double stream_bytes_per_s,
        plain_bytes_per_s; /* stream_bytes_per_s: rate of reading weights in their storage format; plain_bytes_per_s: of
                            * reading 16-bit weights */
    double expert_bytes_per_s, kv_bytes_per_s;
    double state_bytes_per_s;                     /* rate of reading recurrent states; does not depend on the format of
                                                   * the KV cache */
    double kernel_s, attention_s;                 /* fixed times in a decode step: kernel_s per kernel, attention_s
                                                   * per attention */
    double product_s;                             /* fixed time of a product whose weights have the storage format of
                                                   * the plan */
    bool weight_only;                             /* true: products compute in a wider format than the storage format of
                                                   * their weights */
    double prefill_kernel_s, prefill_attention_s; /* fixed times in a prefill step: prefill_kernel_s per kernel,
                                                   * prefill_attention_s per attention */
    nnc_small_all_reduce all_reduce;
    double kv_reread, beyond;                      /* kv_reread: fraction of the KV cache that is read again for each
                                                    * further query head of a key-value head; beyond: factor that widens
                                                    * the intervals of the results */
    double link_bytes_per_s;                       /* bytes per second of a link between tensor ranks; NaN = not
                                                    * recorded, which is allowed only on one device */
    double exchange_bytes_per_s, exchange_fixed_s; /* communication between all ranks that share experts.
                                                    * exchange_bytes_per_s: rate; exchange_fixed_s: fixed time */
    double weight_bytes, plain_bytes, kv_bytes;    /* bytes of one element: weight_bytes of weights in the storage
                                                    * format; plain_bytes of 16-bit weights; kv_bytes of keys and
                                                    * values */
    bool kv_scaled;                                /* true: keys and values have an fp32 scale for each token and
                                                    * head */
    double group_size;
} nnc_serve_rates;

nnc_status nnc_serve_rates_of(const nnc_device *device, const nnc_software *software, const nnc_serve_ask *plan,
                              nnc_serve_rates *rates, nnc_error *err);

/* ---- inputs with defaults ---- */

/* Copies `ask` to *plan, and sets the members of *plan that the user did not give. Fails if the model, the device or
 * the engine does not allow the plan. */
nnc_status nnc_serve_resolve(const nnc_serve_ask *ask, const nnc_model *model, const nnc_device *device,
                             const nnc_software *software, nnc_serve_ask *plan, nnc_serve_mode *mode, nnc_error *err);

/* ---- time of one decode or prefill step ---- */

/* Kernels of a forward pass if the software issues them one by one, as PyTorch does without CUDA graphs.
 * (docs/serving.md, "Without an engine") */
typedef struct nnc_serve_issues {
    double kernels;  /* number of kernels of a pass; 0 = the pass is a recorded program */
    double others;   /* number of kernels of a pass, not counting one kernel for each product and one for each
                      * attention */
    double token_s;  /* device seconds per token, without fixed times, of all ops except products, attention and head */
    double kernel_s; /* fixed seconds on the device of each kernel */
    double host_s;   /* seconds that the host needs to issue a kernel */
    double copy_bytes_per_s; /* bytes per second that a copy kernel reads and writes */
} nnc_serve_issues;

/* Inputs for computing the steps of one replica of a deployment. */
typedef struct nnc_serve_case {
    const struct nnc_serve_case *draft; /* inputs for the draft model of speculative decoding; NULL = no draft model */
    const nnc_serve_net *net;
    const nnc_serve_ask *plan; /* inputs that the user gave, with defaults for the others */
    const nnc_serve_engine *engine;
    nnc_serve_rates rates;
    nnc_serve_issues issues;
    double network_bytes_per_s;  /* bytes per second of one NIC */
    struct nnc_serve_work *work; /* working memory for simulating a load */
} nnc_serve_case;

/* List of the ops of the computed steps, for output. A function whose argument `list` is NULL records no ops. */
typedef struct nnc_serve_list {
    nnc_serve_op *ops;
    int32_t count;
} nnc_serve_list;

/* nnc_serve_decode computes one decode step of a replica: each of `sequences` sequences attends to `context` positions,
 * its new token included. nnc_serve_prefill computes the prefill of `sequences` prompts at once: for each prompt,
 * `fresh` tokens are computed, and `cached` tokens before them are already in the KV cache. */
nnc_serve_step nnc_serve_decode(const nnc_serve_case *of, double sequences, double context, nnc_serve_list *list);
nnc_serve_step nnc_serve_prefill(const nnc_serve_case *of, double sequences, double cached, double fresh,
                                 nnc_serve_list *list);

/* Computes a decode step in which also `prompts` prompts are prefilled (chunked prefill). For each prompt, `fresh`
 * tokens are computed, and `cached` tokens before them are already in the KV cache. */
nnc_serve_step nnc_serve_mixed(const nnc_serve_case *of, double sequences, double context, double prompts,
                               double cached, double fresh);

/* Computes a decode step in which a replica computes `tokens` tokens of each sequence, and the logits of all these
 * tokens (speculative verification). */
nnc_serve_step nnc_serve_verify(const nnc_serve_case *of, double sequences, double context, double tokens);

/* Tests whether the weights of this product stay in 16 bits when other weights are stored in a narrower format. */
bool nnc_serve_is_plain(const nnc_serve_case *of, const nnc_serve_product *product);

/* nnc_serve_kv_bytes returns the bytes of keys and values of one sequence of `tokens` tokens on one device.
 * nnc_serve_state_bytes returns the bytes of the recurrent states of one sequence. */
double nnc_serve_kv_bytes(const nnc_serve_case *of, double tokens);
double nnc_serve_state_bytes(const nnc_serve_case *of);
/* Returns the bytes that one token adds to the KV cache in one kind of attention, in all its layers on one device. */
double nnc_serve_kv_token(const nnc_serve_case *of, const nnc_serve_attention *attention);

/* Returns the share of a matrix product that one device computes (tensor parallelism, and for experts also attention
 * groups), from 0 to 1. */
double nnc_serve_share(const nnc_serve_case *of, const nnc_serve_product *product);
/* Returns the number of layers of the largest pipeline stage / number of all layers. */
double nnc_serve_stage_share(const nnc_serve_case *of);

/* Returns the smallest number of sequences per pipeline stage for which a decode step is compute-bound; NaN = never.
 * context: positions that each sequence attends to. *intensity_limit: arithmetic intensity that the step approaches
 * with a very large number of sequences.   (docs/serving.md, "Two steps") */
double nnc_serve_critical_batch(const nnc_serve_case *of, double context, double *intensity_limit, nnc_derivation *why);

/* ---- load, memory, cost ---- */

/* Returns the requests per second at which a replica saturates: decode_s is the time of a decode step of `sequences`
 * sequences, prefill_s the time that each prompt adds. */
double nnc_serve_say_saturation(double decode_s, double prefill_s, double output_len, double sequences,
                                nnc_derivation *why);

/* Returns the seconds of a decode step of `sequences` sequences. With speculative decoding, these include draft and
 * verification. */
double nnc_serve_decode_s(const nnc_serve_case *of, double sequences, double context);
/* Returns the bytes of KV cache and recurrent states that a sequence of `tokens` tokens needs on the fullest device;
 * the KV cache is counted in whole cache blocks. */
double nnc_serve_sequence_bytes(const nnc_serve_case *of, double tokens);

/* One replica under load: the inputs of its simulation. */
typedef struct nnc_serve_load_case {
    const nnc_serve_case *of;
    double input, output, cached, fresh; /* numbers of tokens of a request: prompt (input), answer (output), prompt
                                          * tokens found in the cache, prompt tokens to compute */
    double context;                      /* mean number of positions that a sequence attends to in a decode step */
    double shortest, longest;            /* shortest and longest number of positions that a sequence attends to in a
                                          * decode step */
    double prefill_s, busy_s;            /* seconds of the prefill of one prompt: until it ends (prefill_s), and on the
                                          * busiest pipeline stage (busy_s) */
    double prefill_flops;
    double stages;         /* prefill_s / busy_s: number of prompts that pipeline stages and attention groups compute at
                            * the same time */
    double tokens_of_step; /* output tokens of a sequence per decode step: 1 without speculative decoding */
    double chunk;          /* largest number of prompt tokens that one iteration of the engine computes */
    double slots, places;  /* largest number of sequences that run at the same time: by the limit of the engine (slots),
                            * and by the space of the KV cache for whole sequences (places) */
    double most;           /* largest number of sequences that run together: the smaller of slots and places; with
                            * preemption more than `places`, because a sequence takes cache space token by token */
    double room_bytes;     /* bytes of KV cache and states of a sequence of mean length */
    double requests_per_s;
    int64_t replicas;                        /* replicas that are simulated together: 1, or several in a closed loop
                                              * whose replicas differ in their number of open requests */
    int64_t open;                            /* closed loop: open requests of these replicas; 0 = open loop */
    int64_t count, skipped;                  /* count: number of simulated requests; the statistics leave out the first
                                              * `skipped` requests */
    int32_t prefill_workers, decode_workers; /* numbers of workers; both are 0 if one engine does prefill and decode */
    double transfer_s;                       /* seconds to send the cache of a prompt from a prefill worker to a decode
                                              * worker */
} nnc_serve_load_case;

/* Returns the seconds that `prompts` prompts add to a decode step of `sequences` sequences. With sequences = 0: seconds
 * of the prompts alone. */
double nnc_serve_added_s(const nnc_serve_load_case *load, double sequences, double prompts);

/* Mean and quantiles (50, 90 and 99 %) of a time over all requests. */
typedef struct nnc_serve_spread_of {
    double mean, p50, p90, p99;
} nnc_serve_spread_of;

typedef struct nnc_serve_replayed {
    nnc_serve_spread_of ttft, tpot, request; /* seconds as the client measures them: ttft from sending the request to
                                              * the first token; tpot per further token; request from sending the
                                              * request to the end of the answer */
    double sequences;                        /* mean number of sequences in a decode step, over the simulated time */
    double end_s;                            /* time at which the last answer ends */
    int64_t requests, preemptions;
} nnc_serve_replayed;

/* Simulates one replica under a load. The work memory of the load must have space for load->count requests. */
void nnc_serve_replay(const nnc_serve_load_case *load, nnc_serve_replayed *result);

enum { NNC_SERVE_WORKERS = 64 }; /* largest number of prefill workers, and of decode workers */
typedef struct nnc_serve_work nnc_serve_work;
/* Returns the number of requests that are simulated on one replica for these inputs. */
int64_t nnc_serve_requests_of(const nnc_serve_ask *plan);
/* Returns memory for simulating `requests` requests, valid until the next use of scratch. NULL = out of memory. */
nnc_serve_work *nnc_serve_work_of(nnc_scratch *scratch, int64_t requests);

/* Tests whether the load is a closed or open loop with separate workers for prefill and decode. */
bool nnc_serve_is_apart(const nnc_serve_ask *plan);
/* Returns the number of devices of the deployment, all workers included. */
double nnc_serve_devices(const nnc_serve_ask *plan);

/* Sets the bytes of weights and workspace on the fullest device, and the number of sequences that fit. */
void nnc_serve_memory(const nnc_serve_case *of, double capacity_bytes, nnc_serve *serve, nnc_derivation *why);
/* Sets latency and throughput of the deployment under the requested load. */
void nnc_serve_load(const nnc_serve_case *of, nnc_serve *serve, nnc_serve_list *list, nnc_derivation *why);
/* Computes the memory that the requested load needs, and sets whether it fits in the memory of the device. */
void nnc_serve_fit(const nnc_serve_case *of, nnc_serve *serve, nnc_derivation *why);
/* Sets price, energy and carbon per token. */
void nnc_serve_cost(const nnc_serve_case *of, const nnc_device *device, nnc_serve *serve, nnc_derivation *why);

/* Sets the results that come from formulas without measurements: speculative decoding, disaggregated prefill. */
void nnc_serve_extra(const nnc_serve_case *of, const nnc_device *device, nnc_serve *serve, nnc_derivation *why);

/* Works as nnc_serve_into, and also records in `why` each formula with its numbers. */
nnc_status nnc_serve_say(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                         const nnc_serve_ask *ask, nnc_scratch *scratch, nnc_serve *serve, nnc_serve_list *list,
                         nnc_derivation *why, nnc_error *err);

/* ---- images by diffusion ---- */

enum { NNC_IMAGES_ENCODERS = 4 };

/* Inputs for the generation of images. NaN and 0 mean "not given". */
typedef struct nnc_images_ask {
    int64_t steps;   /* number of forward passes of the denoiser per image */
    bool guidance;   /* classifier-free guidance: true = the denoiser runs with and without the prompt */
    int64_t image;   /* pixels per side of an image; 0 = the size in the model file */
    int64_t batch;   /* number of images that are generated together; 0 means 1 */
    double beside_s; /* seconds per image that are spent outside the networks */
    nnc_dtype precision;
    double price;                                   /* price of a device-hour; NaN = the price of the device file */
    double carbon_g_per_kwh;                        /* carbon intensity of the grid; NaN = unknown */
    const nnc_model *encoders[NNC_IMAGES_ENCODERS]; /* the models that encode the prompt (text encoders) */
    int32_t encoder_count;
    const nnc_model *decoder; /* the model that decodes the latent image; NULL = the pipeline has no decoder */
} nnc_images_ask;

typedef struct nnc_images {
    nnc_images_ask plan;             /* inputs of image generation that the user gave, with defaults for the others */
    double forward_s, forward_flops; /* one forward pass of the denoiser over the whole batch, guidance included.
                                      * forward_s: seconds; forward_flops: FLOPs */
    double text_s, decode_s;         /* seconds per batch: text_s of the text encoders; decode_s of the image
                                      * decoder; 0 = the model lacks this network */
    double image_s, lower_bound_s;   /* seconds until all images of a batch are done. image_s: prediction;
                                      * lower_bound_s: lower bound */
    double images_per_s, utilization;
    double weight_bytes, capacity_bytes;
    bool fits; /* true: the weights of all networks fit in memory together */
    double price_per_device_hour, per_thousand_images, energy_j_per_image;
    double carbon_g_per_thousand_images;
} nnc_images;

/* Tests whether the model is a denoiser of images. */
bool nnc_denoises(const nnc_model *model);

/* Computes time, cost and energy of image generation from estimates of forward passes.
 * NNC_ILLEGAL_PLAN: the model is no denoiser of images. */
nnc_status nnc_images_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                         const nnc_images_ask *ask, nnc_scratch *scratch, nnc_images *images, nnc_derivation *why,
                         nnc_error *err);

/* ---- search for a deployment: degrees of parallelism and concurrent requests ---- */

/* A limit on a metric of nnc_serve: the member of type double at `offset`. */
typedef struct nnc_serve_limit {
    const char *name; /* name of the metric, such as "latency.ttft_s" */
    size_t offset;
    bool at_least; /* true: the metric must be at least the value; false: at most */
    double value;
} nnc_serve_limit;

enum { NNC_SERVE_LIMITS = 8, NNC_SERVE_FRONT = 128 };

/* A deployment with one number of concurrent requests. The cheapest deployment also has the limit that the next larger
 * number of requests breaks. */
typedef struct nnc_serve_found {
    nnc_serve_ask plan;
    double ttft_s, tpot_s, request_s, output_tokens_per_s, output_tokens_per_s_per_device;
    double tokens_per_s_per_user, per_million_output_tokens, headroom_bytes;
    nnc_bound bound;        /* resource that bounds the decode step */
    int32_t broken;         /* index of the limit that more requests break; -1 = no limit is broken */
    double broken_requests; /* number of concurrent requests at which the limit with index `broken` is broken; 0 if
                             * broken = -1 */
    double broken_value;    /* value of the limited metric at broken_requests */
} nnc_serve_found;

typedef struct nnc_serve_search {
    const nnc_serve_limit *limits;
    int32_t limit_count;
    int32_t devices_most; /* largest number of devices and largest degree to try (1, 2, 4 ...); a value that `ask` sets
                           * is the only one tried */
} nnc_serve_search;

typedef struct nnc_serve_search_result {
    int64_t deployments, evaluated, fitting, meeting; /* deployments: number of legal deployments; evaluated, fitting
                                                       * (in memory), meeting (all limits): number of pairs of a
                                                       * deployment and a number of requests */
    nnc_serve_found cheapest, fastest;                /* cheapest: most tokens per second and device; fastest: least
                                                       * time per token */
    bool found;
    nnc_serve_found front[NNC_SERVE_FRONT]; /* deployments that no other beats in both tokens per second and device, and
                                             * tokens per second and user; sorted by tokens per second and user */
    int32_t front_count;
    int32_t front_left_out; /* number of deployments that were left out because front was full; deployments that came
                             * later may be worse */
    /* If no deployment meets all limits: the deployment that exceeds the limit it breaks by the smallest factor. */
    nnc_serve_found nearest;
    int32_t nearest_limit; /* index of the limit that `nearest` breaks; -1 = no deployment that fits and is not
                            * saturated breaks a limit */
    double nearest_value;
    double saturation_rate; /* highest saturation rate, in requests per second, of the deployments that the requested
                             * rate saturates; 0 = no such deployment */
} nnc_serve_search_result;

/* Searches over all numbers of devices, degrees and concurrent requests that `ask` does not give. Fails if no
 * deployment is legal; err then has the reason why the last one is not. */
nnc_status nnc_serve_search_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                               const nnc_serve_ask *ask, const nnc_serve_search *search, nnc_scratch *scratch,
                               nnc_serve_search_result *result, nnc_error *err);

#endif
