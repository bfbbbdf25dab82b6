/* Internal declarations of serving (inference). The declarations are in the order of the computation: ops of the
 * network, rates of the device, inputs (nnc_serve_ask) with their defaults, one step, load and cost. The declarations
 * of image generation and of the search for a deployment come last. */
#ifndef NNCOST_SERVE_SERVE_INTERNAL_H
#define NNCOST_SERVE_SERVE_INTERNAL_H

#include <nncost/serve.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

/* ---- the network of a served model; equal ops in equal layers share one entry ---- */

/* A matrix product of activations with weights. The product occurs once in each of `layers` equal layers; n: number of
 * outputs; k: number of inputs. */
typedef struct nnc_serve_product {
    const char *name;
    nnc_group group;
    nnc_split split;
    double layers, n, k;
    double heads, kv_heads; /* in the product that computes queries, keys and values: number of query heads (heads), and
                             * of key-value heads (kv_heads); otherwise 0 */
    double experts, chosen; /* experts: number of experts in the layer (0 = no experts); chosen: number of experts per
                             * token */
    /* true: the weights of this product stay in 16 bits, whatever the storage format of other weights is */
    bool plain;
    bool last; /* true: only the last token of a prompt goes through this product, as in the head */
} nnc_serve_product;

/* One kind of attention over the KV cache. `layers` is the number of equal layers that have this kind. */
typedef struct nnc_serve_attention {
    const char *name;
    double layers, heads, kv_heads, key_dim, value_dim;
    double window;       /* number of latest positions that a token attends to, and that the KV cache keeps; 0 = all
                          * positions */
    double latent, rope; /* latent: size of the latent that all heads share (0 = attention without a latent); rope: size
                          * of the key with rotary positions that belongs to the latent */
    bool shared;         /* true: the key of a token is also its value */
    /* compressed keys. far_ratio: number of tokens per compressed key; 0 = the layer has no compressed keys. far_most:
     * largest number of compressed keys that a token attends to; 0 = a token attends to all */
    double far_ratio, far_most;
    bool picked; /* true: a token attends to far_most of all positions, which an indexer picks; the
                                    * cache keeps all positions (sparse attention of DeepSeek-V3.2) */
    double index_heads,
        index_dim;      /* the indexer that picks far_most keys: number of its heads, and their width; 0 = the
                                    * layer has no indexer of its own */
    bool reuses;        /* true: the layers read the cache of an earlier layer, and have none of their own */
    double open_values; /* number of fp32 values that one layer stores for the windows without a compressed key */
} nnc_serve_attention;

/* A recurrent state of fixed size, which a layer stores for each sequence. */
typedef struct nnc_serve_state {
    const char *name;
    double layers, elements; /* layers: number of layers with this state; elements: number of fp32 values in the state
                              * of one layer */
    double flops;            /* FLOPs per token that one layer needs to update its recurrent state */
} nnc_serve_state;

enum { NNC_SERVE_PRODUCTS = 96, NNC_SERVE_ATTENTIONS = 8 };

typedef struct nnc_serve_net {
    nnc_serve_product products[NNC_SERVE_PRODUCTS];
    nnc_serve_attention attentions[NNC_SERVE_ATTENTIONS];
    nnc_serve_state states[NNC_SERVE_ATTENTIONS];
    int32_t product_count, attention_count, state_count;
    double layers, hidden, vocab, experts;
    double params;       /* number of all parameters of the model */
    double other_params; /* number of parameters that are not in matrix products: input table, norms, biases */
    bool tied_head;      /* true: the head reads the input table */
    double reductions;   /* number of all-reduces over the tensor ranks in one forward pass */
    double kernels;      /* number of kernels of one forward pass, without all-reduces and without the kernels that
                          * quantise the inputs of products (docs/serving.md, "Prefill and decode") */
    double expert_layers;
    double expert_groups, groups_per_token; /* the router selects groups_per_token of expert_groups groups of experts
                                             * for each token; 0 = no groups */
} nnc_serve_net;

/* Writes the op list of the model to scratch, and fills in *net from this list: products, attentions and states (equal
 * ops in equal layers share one entry), and totals. Returns NNC_ILLEGAL_PLAN if nncost cannot compute serving for this
 * model. */
nnc_status nnc_serve_net_of(const nnc_model *model, const nnc_software *software, nnc_scratch *scratch,
                            nnc_serve_net *net, nnc_error *err);

/* ---- rates that a device reaches in serving ---- */

/* Dispatch and combine of experts over ranks in several nodes. [experts] */
typedef struct nnc_serve_dispatch {
    /* nodes: number of nodes of the ranks that share experts. If `nodes` is at most 1, all ranks are in one node, or
     * each expert is split over all ranks; tokens are then sent at the rate exchange_bytes_per_s. node_ranks: ranks in
     * each node. */
    double nodes, node_ranks;
    double across_bytes_per_s, inside_bytes_per_s; /* bytes per second that one rank sends: across_bytes_per_s to other
                                                    * nodes, inside_bytes_per_s to ranks of its node */
    double token_bytes, result_bytes; /* bytes of one value: token_bytes of a token that is sent to experts,
                                                    * result_bytes of a result that is sent back */
    bool once_per_node; /* true: a token of a prompt is sent to each node once, and from there to all of its experts in
                         * the node */
    double compute_share; /* share of the units of the device that compute while tokens are sent */
} nnc_serve_dispatch;

typedef struct nnc_serve_rates {
    double peak_flops_per_s, dense_flops_per_s;       /* FLOP/s of matrix products in the precision of the plan.
                                                       * peak_flops_per_s: peak in the datasheet; dense_flops_per_s:
                                                       * rate that long products reach */
    double plain_peak_flops_per_s, plain_flops_per_s; /* FLOP/s of 16-bit matrix products. plain_peak_flops_per_s: peak
                                                       * in the datasheet; plain_flops_per_s: rate that kernels reach */
    double attention_flops_per_s; /* FLOP/s that attention kernels reach in the number format of attention */
    double mem_bytes_per_s;       /* bandwidth of the device memory in the datasheet, in bytes per
                                                       * second */
    /* stream_bytes_per_s: rate of reading weights in their storage format; plain_bytes_per_s: rate of reading 16-bit
     * weights */
    double stream_bytes_per_s, plain_bytes_per_s;
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
    /* several query heads share one key-value head; kv_reread: fraction of the KV cache that each query head after the
     * first reads again */
    double kv_reread;
    bool unmeasured; /* true: serving was not measured on this device, so the rates are medians of other devices */
    /* few_reread and few_kv_bytes_per_s are used instead of kv_reread and kv_bytes_per_s in decode steps with few
     * heads: sequences x query heads per device is at most reread_above. If reread_above is 0, all decode steps use
     * kv_reread and kv_bytes_per_s */
    double reread_above, few_reread, few_kv_bytes_per_s;
    /* bytes per second of all links of a rank to the other tensor ranks; NaN = the device file has no such rate, which
     * is an error on more than one device */
    double link_bytes_per_s;
    double exchange_bytes_per_s, exchange_fixed_s; /* communication between all ranks that share experts.
                                                    * exchange_bytes_per_s: rate; exchange_fixed_s: fixed time */
    nnc_serve_dispatch dispatch;
    /* pipeline stages of a replica that spans nodes: stage_crossings: number of hops to a stage in another node;
     * stage_bytes_per_s, stage_fixed_s: rate and fixed time of such a hop, for each tensor rank */
    double stage_crossings, stage_bytes_per_s, stage_fixed_s;
    double weight_bytes, plain_bytes, kv_bytes; /* bytes of one element: weight_bytes of weights in the storage
                                                    * format; plain_bytes of 16-bit weights; kv_bytes of keys and
                                                    * values */
    bool kv_scaled;                             /* true: keys and values have an fp32 scale for each token and
                                                    * head */
    double group_size;
} nnc_serve_rates;

nnc_status nnc_serve_rates_of(const nnc_device *device, const nnc_software *software, const nnc_serve_ask *plan,
                              nnc_serve_rates *rates, nnc_error *err);

/* ---- inputs of serving with their defaults ---- */

/* Copies the inputs `ask` to *plan, and sets the members of *plan that the user did not give. Fails if the model, the
 * device or the engine does not support the plan. */
nnc_status nnc_serve_resolve(const nnc_serve_ask *ask, const nnc_model *model, const nnc_device *device,
                             const nnc_software *software, nnc_serve_ask *plan, nnc_serve_mode *mode, nnc_error *err);

/* ---- time of one decode step or prefill step ---- */

/* Counts and times of the kernels in a forward pass of software that issues kernels one by one, as PyTorch does without
 * CUDA graphs. (docs/serving.md, "Without a serving engine") */
typedef struct nnc_serve_issues {
    double kernels; /* number of kernels in a forward pass; 0 = the software replays a recorded program instead */
    double others;  /* number of kernels of a pass, not counting one kernel for each product and one for each
                      * attention */
    /* device seconds per token, without fixed times, of all ops except matrix products, attention and head */
    double token_s;
    double kernel_s;         /* fixed seconds that each kernel takes on the device */
    double host_s;           /* seconds that the host needs to issue one kernel */
    double copy_bytes_per_s; /* bytes read plus bytes written per second by a kernel that copies a tensor */
    bool in_place;           /* true: new keys and values are written into a cache of full size, without copies of
                              * older ones */
} nnc_serve_issues;

/* Inputs from which the steps of one replica of a deployment are computed. */
typedef struct nnc_serve_case {
    const struct nnc_serve_case *draft; /* inputs for the steps of the draft model; NULL = no draft model */
    const nnc_serve_net *net;
    const nnc_serve_ask *plan; /* inputs that the user gave, with defaults for the members that the user did not give */
    const nnc_serve_engine *engine;
    nnc_serve_rates rates;
    nnc_serve_issues issues;
    double network_bytes_per_s;  /* bandwidth of one NIC in bytes per second */
    struct nnc_serve_work *work; /* working memory for the simulation of a load */
    /* true: nnc_serve_answer sets only the memory and the verdict; for a static batch it also sets the time per
     * token */
    bool brief;
} nnc_serve_case;

/* List of the ops of a step, for output; the functions that compute a step append the ops. If the argument `list` of a
 * function for a step is NULL, the function appends no ops. */
typedef struct nnc_serve_list {
    nnc_serve_op *ops;
    int32_t count;
} nnc_serve_list;

/* nnc_serve_decode computes one decode step of a replica with `sequences` sequences; each sequence attends to `context`
 * positions, including the position of its new token. nnc_serve_prefill computes the prefill of `sequences` prompts at
 * the same time: in each prompt, `fresh` tokens are computed, and `cached` tokens before them are already in the KV
 * cache. */
nnc_serve_step nnc_serve_decode(const nnc_serve_case *of, double sequences, double context, nnc_serve_list *list);
nnc_serve_step nnc_serve_prefill(const nnc_serve_case *of, double sequences, double cached, double fresh,
                                 nnc_serve_list *list);

/* Computes a decode step of `sequences` sequences in which `prompts` prompts are prefilled as well (chunked prefill).
 * In each prompt, `fresh` tokens are computed, and `cached` tokens before them are already in the KV cache. */
nnc_serve_step nnc_serve_mixed(const nnc_serve_case *of, double sequences, double context, double prompts,
                               double cached, double fresh);

/* Computes a decode step that verifies the tokens of a draft model: for each sequence, a replica computes `tokens`
 * tokens and the logits of all of them. */
nnc_serve_step nnc_serve_verify(const nnc_serve_case *of, double sequences, double context, double tokens);

/* Returns the seconds in which the host issues the kernels of one step with prompts that computes `tokens` tokens.
 * Returns 0 if the engine records such a step as a CUDA graph, or if its profile has no issue_s. */
double nnc_serve_issue_s(const nnc_serve_case *of, double tokens);

/* Tests whether the weights of a product stay in 16 bits although other weights are stored in a narrower format. */
bool nnc_serve_is_plain(const nnc_serve_case *of, const nnc_serve_product *product);

/* nnc_serve_kv_bytes returns the bytes of keys and values that a sequence of `tokens` tokens needs on one device.
 * nnc_serve_state_bytes returns the bytes of all recurrent states of one sequence on one device. */
double nnc_serve_kv_bytes(const nnc_serve_case *of, double tokens);
double nnc_serve_state_bytes(const nnc_serve_case *of);
/* Returns the bytes by which one token enlarges the KV cache of one device, for one kind of attention, summed over all
 * layers that have this kind. */
double nnc_serve_kv_token(const nnc_serve_case *of, const nnc_serve_attention *attention);

/* Returns the share of a matrix product that one device computes, from 0 to 1. Tensor ranks divide the product;
 * attention groups divide the products of experts as well. */
double nnc_serve_share(const nnc_serve_case *of, const nnc_serve_product *product);
/* Returns the number of layers of the largest pipeline stage divided by the number of all layers. */
double nnc_serve_stage_share(const nnc_serve_case *of);

/* Returns the smallest number of concurrent sequences with which a decode step is compute-bound; NaN = the step is not
 * compute-bound with any number of sequences. context: number of positions that each sequence attends to.
 * *intensity_limit is set to the arithmetic intensity (FLOPs per byte) that the step approaches with a very large
 * number of sequences. (docs/serving.md, "Two steps") */
double nnc_serve_critical_batch(const nnc_serve_case *of, double context, double *intensity_limit, nnc_derivation *why);

/* ---- load, memory and cost of a deployment ---- */

/* Returns the rate of requests, per second, at which a replica saturates. decode_s: seconds of a decode step of
 * `sequences` sequences; prefill_s: seconds that each prompt adds. */
double nnc_serve_say_saturation(double decode_s, double prefill_s, double output_len, double sequences,
                                nnc_derivation *why);

/* Returns the seconds of a decode step of `sequences` sequences. With speculative decoding, the result includes the
 * draft model's passes and the verification. */
double nnc_serve_decode_s(const nnc_serve_case *of, double sequences, double context);
/* Returns the bytes of KV cache and recurrent states that a sequence of `tokens` tokens needs on the device with the
 * most layers. Incomplete cache blocks are counted as whole blocks. */
double nnc_serve_sequence_bytes(const nnc_serve_case *of, double tokens);

/* The inputs for the simulation of one replica under a load of requests. */
typedef struct nnc_serve_load_case {
    const nnc_serve_case *of;
    double input, output, cached, fresh; /* numbers of tokens of a request: prompt (input), answer (output), prompt
                                          * tokens found in the cache, prompt tokens to compute */
    double context;                      /* mean number of positions that a sequence attends to in one decode step */
    double shortest, longest;            /* shortest and longest number of positions that a sequence attends to in a
                                          * decode step */
    double prefill_s, busy_s;            /* seconds of the prefill of one prompt: until it ends (prefill_s), and on the
                                          * busiest pipeline stage (busy_s) */
    double prefill_flops;
    double stages; /* prefill_s / busy_s: number of prompts that pipeline stages and attention groups compute at
                            * the same time */
    /* number of output tokens that one decode step gives for a sequence, which is 1 without speculative decoding */
    double tokens_of_step;
    double chunk;         /* largest number of prompt tokens that the engine computes in one iteration */
    double slots, places; /* largest number of sequences that run at the same time: by the limit of the engine (slots),
                            * and by the space of the KV cache for whole sequences (places) */
    /* largest number of sequences that run at the same time: the smaller of slots and places. With preemption, `most`
     * can be larger than `places`, because a sequence takes cache space token by token */
    double most;
    double room_bytes; /* bytes of KV cache and recurrent states that a sequence of mean length needs */
    double requests_per_s;
    /* factor on the rate of recorded arrivals: the recorded times between two arrivals are divided by `pace` */
    double pace;
    /* true: the arrivals are simulated only once, even if the mean TTFT of one simulation is uncertain */
    bool once;
    int64_t replicas; /* replicas that are simulated together: 1, or several in a closed loop
                                              * whose replicas differ in their number of open requests */
    /* number of open requests of all simulated replicas in a closed loop; 0 = the load is an open loop */
    int64_t open;
    int64_t count, skipped; /* count: number of simulated requests; the statistics leave out the first
                                              * `skipped` requests */
    /* numbers of prefill workers and of decode workers; both are 0 if the same engine does prefill and decode */
    int32_t prefill_workers, decode_workers;
    double transfer_s; /* seconds to send the cache of a prompt from a prefill worker to a decode
                                              * worker */
} nnc_serve_load_case;

/* Returns the seconds by which `prompts` prompts make a decode step of `sequences` sequences longer. If sequences is 0,
 * returns the seconds of the prompts alone. */
double nnc_serve_added_s(const nnc_serve_load_case *load, double sequences, double prompts);

/* Mean and quantiles (50, 90 and 99 %) of one kind of time (such as TTFT) over all simulated requests. */
typedef struct nnc_serve_spread_of {
    double mean, p50, p90, p99;
} nnc_serve_spread_of;

typedef struct nnc_serve_replayed {
    nnc_serve_spread_of ttft, tpot, request; /* seconds as the client measures them: ttft from sending the request to
                                              * the first token; tpot per further token; request from sending the
                                              * request to the end of the answer */
    /* mean number of sequences in a decode step, weighted by the duration of the steps */
    double sequences;
    /* time at which the last answer ends, in seconds from the start of the simulation */
    double end_s;
    int64_t requests, preemptions;
} nnc_serve_replayed;

/* Simulates the replica that *load describes. The working memory load->of->work must have space for load->count
 * requests. */
void nnc_serve_replay(const nnc_serve_load_case *load, nnc_serve_replayed *result);

/* largest number of prefill workers, and largest number of decode workers, that can be simulated */
enum { NNC_SERVE_WORKERS = 64 };
typedef struct nnc_serve_work nnc_serve_work;
/* Returns the number of requests in the simulation of one replica. */
int64_t nnc_serve_requests_of(const nnc_serve_ask *plan);
/* Returns working memory for the simulation of `requests` requests, which is valid until the next use of scratch; NULL
 * = out of memory. */
nnc_serve_work *nnc_serve_work_of(nnc_scratch *scratch, int64_t requests);

/* Tests whether the load is a closed or open loop in which prefill and decode have separate workers. */
bool nnc_serve_is_apart(const nnc_serve_ask *plan);
/* Returns the number of replicas that decode: all of them, or, if prefill and decode have separate workers, the decode
 * workers of all groups. */
double nnc_serve_decoders(const nnc_serve_ask *plan);

/* Sets the bytes of weights and workspace on the device that needs the most memory, and the number of sequences for
 * which the remaining memory is enough. */
void nnc_serve_memory(const nnc_serve_case *of, const nnc_device *device, nnc_serve *serve, nnc_derivation *why);
/* The functions nnc_serve_chunk_by_memory and nnc_serve_share_by_memory return defaults of engines whose profile has
 * sized_by_memory, for a device with mem_bytes bytes of memory. nnc_serve_chunk_by_memory: largest number of tokens of
 * a prefill step. nnc_serve_share_by_memory: share of the memory for weights and cache. The degrees and the chunk size
 * of *plan must be set before the call. */
int64_t nnc_serve_chunk_by_memory(double mem_bytes);
double nnc_serve_share_by_memory(double mem_bytes, const nnc_serve_ask *plan);
/* Sets latency and throughput of the deployment under the load that the user asks for. */
void nnc_serve_load(const nnc_serve_case *of, nnc_serve *serve, nnc_serve_list *list, nnc_derivation *why);
/* Sets the intervals of the results of nnc_serve_load, and the reason for intervals that are wider than usual. An open
 * loop is simulated again for each end of the intervals. */
void nnc_serve_intervals(const nnc_serve_case *of, nnc_serve *serve);
/* Computes the memory that the deployment needs under the load that the user asks for, and sets whether this memory
 * fits in the device. */
void nnc_serve_fit(const nnc_serve_case *of, nnc_serve *serve, nnc_derivation *why);
/* Returns the seconds per token of a static batch. nnc_serve_memory must have set the memory in *serve. */
double nnc_serve_token_s(const nnc_serve_case *of, const nnc_serve *serve);
/* Sets price, energy and carbon per output token. */
void nnc_serve_cost(const nnc_serve_case *of, const nnc_device *device, nnc_serve *serve, nnc_derivation *why);

/* Sets the results that follow from formulas which were not compared with measurements: speculative decoding and
 * disaggregated prefill. */
void nnc_serve_extra(const nnc_serve_case *of, const nnc_device *device, nnc_serve *serve, nnc_derivation *why);

/* The two parts of nnc_serve_say. nnc_serve_begin sets *net and *of, which depend only on model, device and software.
 * nnc_serve_answer computes serving for one `ask`; `shared` is a pointer to the *of that nnc_serve_begin has set.
 * Several calls of nnc_serve_answer can use the same `shared`. */
nnc_status nnc_serve_begin(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                           nnc_scratch *scratch, nnc_serve_net *net, nnc_serve_case *of, nnc_error *err);
nnc_status nnc_serve_answer(const nnc_serve_case *shared, const nnc_model *model, const nnc_device *device,
                            const nnc_software *software, const nnc_serve_ask *ask, nnc_scratch *scratch, nnc_serve *s,
                            nnc_serve_list *list, nnc_derivation *why, nnc_error *err);
/* Computes serving as nnc_serve_into does, and records each formula with its numbers in `why`. */
nnc_status nnc_serve_say(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                         const nnc_serve_ask *ask, nnc_scratch *scratch, nnc_serve *serve, nnc_serve_list *list,
                         nnc_derivation *why, nnc_error *err);

/* ---- image generation by diffusion ---- */

enum { NNC_IMAGES_ENCODERS = 4 };

/* Inputs of image generation. A member that is NaN or 0 was not given by the user. */
typedef struct nnc_images_ask {
    int64_t steps;   /* number of forward passes that the denoiser runs for each image */
    bool guidance;   /* true: the denoiser runs each step with and without the prompt (classifier-free guidance) */
    int64_t image;   /* pixels per side of an image; 0 = the size that the model file states */
    int64_t batch;   /* number of images that are generated together; 0 = one image */
    double beside_s; /* seconds per image that the program spends outside the networks */
    nnc_dtype precision;
    double price;                                   /* price of a device-hour; NaN = the price in the device file */
    double carbon_g_per_kwh;                        /* carbon intensity of the grid in g/kWh; NaN = unknown */
    const nnc_model *encoders[NNC_IMAGES_ENCODERS]; /* the text encoders, which are the models that encode the prompt */
    int32_t encoder_count;
    /* the model that decodes the latent image to pixels; NULL = the image pipeline has no decoder */
    const nnc_model *decoder;
} nnc_images_ask;

typedef struct nnc_images {
    /* inputs that the user gave, with defaults for the members that the user did not give */
    nnc_images_ask plan;
    double forward_s, forward_flops; /* one forward pass of the denoiser over the whole batch, guidance included.
                                      * forward_s: seconds; forward_flops: FLOPs */
    double text_s, decode_s;         /* seconds per batch: text_s of the text encoders; decode_s of the image
                                      * decoder; 0 = the model lacks this network */
    double image_s, lower_bound_s;   /* seconds until all images of a batch are done. image_s: prediction;
                                      * lower_bound_s: lower bound */
    double images_per_s, utilization;
    double weight_bytes, capacity_bytes;
    bool fits; /* true: the weights of all networks of the image pipeline fit in memory at the same time */
    double price_per_device_hour, per_thousand_images, energy_j_per_image;
    double carbon_g_per_thousand_images;
} nnc_images;

/* Tests whether a model is a denoiser of images. */
bool nnc_denoises(const nnc_model *model);

/* Computes time, cost and energy of image generation from estimates of one forward pass of each network. Returns
 * NNC_ILLEGAL_PLAN if the model is not a denoiser of images. */
nnc_status nnc_images_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                         const nnc_images_ask *ask, nnc_scratch *scratch, nnc_images *images, nnc_derivation *why,
                         nnc_error *err);

/* ---- search for a deployment: degrees of parallelism and numbers of concurrent requests ---- */

/* A limit on one metric of nnc_serve (SLO). The metric is the member of type double at `offset`. */
typedef struct nnc_serve_limit {
    const char *name; /* name of the limited metric, such as "latency.ttft_s" */
    size_t offset;
    bool at_least; /* true: the metric must be at least `value`; false: it must be at most `value` */
    double value;
} nnc_serve_limit;

enum { NNC_SERVE_LIMITS = 8, NNC_SERVE_FRONT = 128 };

/* A deployment with one number of concurrent requests. For the cheapest deployment, the members broken, broken_requests
 * and broken_value name the limit that the next larger number of requests breaks. */
typedef struct nnc_serve_found {
    nnc_serve_ask plan;
    double ttft_s, tpot_s, request_s, output_tokens_per_s, output_tokens_per_s_per_device;
    double tokens_per_s_per_user, per_million_output_tokens, headroom_bytes;
    nnc_bound bound; /* resource that bounds the decode step of the deployment */
    /* index of the limit that the next larger number of requests breaks; -1 = no limit is broken */
    int32_t broken;
    /* number of concurrent requests with which the deployment breaks the limit with index `broken`; 0 if `broken` is
     * -1 */
    double broken_requests;
    double broken_value; /* value that the limited metric has with broken_requests requests */
} nnc_serve_found;

typedef struct nnc_serve_search {
    const nnc_serve_limit *limits;
    int32_t limit_count;
    /* largest number of devices, and largest degree, that the search tries (1, 2, 4 ...). If `ask` sets the number of
     * devices or a degree, the search tries only this value */
    int32_t devices_most;
} nnc_serve_search;

typedef struct nnc_serve_search_result {
    int64_t deployments, evaluated, fitting, meeting; /* deployments: number of legal deployments; evaluated, fitting
                                                       * (in memory), meeting (all limits): number of pairs of a
                                                       * deployment and a number of requests */
    nnc_serve_found cheapest, fastest;                /* cheapest: most tokens per second and device; fastest: least
                                                       * time per token */
    bool found;
    nnc_serve_found front[NNC_SERVE_FRONT]; /* deployments for which no other deployment is better both in tokens per
                                             * second and device and in tokens per second and user; sorted by tokens per
                                             * second and user */
    int32_t front_count;
    /* number of deployments that were not added to `front` because it was full; `front` can then contain a deployment
     * that is worse than one of the deployments that were not added */
    int32_t front_left_out;
    /* The deployment that misses a limit by the smallest factor; set only if no deployment meets all limits. */
    nnc_serve_found nearest;
    /* index of the limit that `nearest` breaks; -1 = no limit is broken by a deployment that fits in memory and can
     * serve the requested rate */
    int32_t nearest_limit;
    double nearest_value;
    /* some deployments are saturated at the requested rate; saturation_rate: highest saturation rate of these
     * deployments, in requests per second; 0 = there is no such deployment */
    double saturation_rate;
} nnc_serve_search_result;

/* Searches for deployments that meet limits. Tries all numbers of devices, degrees and numbers of concurrent requests;
 * a quantity that `ask` sets to one value is not varied. Fails if no deployment is legal; err then has the reason why
 * the deployment tried last is not legal. */
nnc_status nnc_serve_search_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                               const nnc_serve_ask *ask, const nnc_serve_search *search, nnc_scratch *scratch,
                               nnc_serve_search_result *result, nnc_error *err);

#endif
