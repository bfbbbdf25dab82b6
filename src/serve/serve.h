/* The parts of serving, in the order in which they are worked out. */
#ifndef NNCOST_SERVE_SERVE_H
#define NNCOST_SERVE_SERVE_H

#include <nncost/serve.h>

#include "base/derivation.h"
#include "base/number.h"
#include "shape/list.h"

/* ---- the network as serving sees it: one row for equal ops of equal layers ---- */

/* A product with a matrix of weights. */
typedef struct nnc_serve_product {
    const char *name;
    nnc_group group;
    nnc_split split;
    double layers, n, k;
    double heads, kv_heads; /* that n is made of, of queries, keys and values; 0 = none */
    double experts, chosen; /* matrices, and those that a token passes; experts 0 = one matrix */
    bool plain;             /* stays in 16 bits whatever the weights are stored in */
    bool last;              /* the last token of a prompt alone passes it: the head */
} nnc_serve_product;

/* An attention over what is cached. */
typedef struct nnc_serve_attention {
    const char *name;
    double layers, heads, kv_heads, key_dim, value_dim;
    double window; /* positions that are attended and kept; 0 = all */
    double latent,
        rope; /* one latent per token for all heads, with a rotary key; 0 = plain heads */
} nnc_serve_attention;

/* A state that a layer keeps of a sequence, whatever its length. */
typedef struct nnc_serve_state {
    const char *name;
    double layers, elements; /* of fp32 */
    double flops;            /* per token */
} nnc_serve_state;

enum { NNC_SERVE_PRODUCTS = 64, NNC_SERVE_ATTENTIONS = 8 };

typedef struct nnc_serve_net {
    nnc_serve_product products[NNC_SERVE_PRODUCTS];
    nnc_serve_attention attentions[NNC_SERVE_ATTENTIONS];
    nnc_serve_state states[NNC_SERVE_ATTENTIONS];
    int32_t product_count, attention_count, state_count;
    double layers, hidden, vocab, experts;
    double params;       /* all of them */
    double other_params; /* of these, outside the products: the input table, norms, biases */
    double reductions;   /* all-reduces of tensor ranks in a pass */
    double expert_layers;
} nnc_serve_net;

/* Reads it from the model's op list, which is left in scratch. NNC_ILLEGAL_PLAN: it cannot be served. */
nnc_status nnc_serve_net_of(const nnc_model *model, const nnc_software *software,
                            nnc_scratch *scratch, nnc_serve_net *net, nnc_error *err);

/* ---- what a device reaches ---- */

typedef struct nnc_serve_rates {
    double peak_flops_per_s,
        dense_flops_per_s; /* of the products' arithmetic, datasheet and reached */
    double plain_peak_flops_per_s, plain_flops_per_s; /* of 16-bit products */
    double attention_flops_per_s;                     /* prefill */
    double mem_bytes_per_s;                           /* the datasheet's */
    double stream_bytes_per_s, plain_bytes_per_s;     /* weights as stored; in 16 bits */
    double expert_bytes_per_s, kv_bytes_per_s;
    double state_bytes_per_s;     /* of states, whatever the cache is stored in */
    double kernel_s, attention_s; /* of a decode step */
    double product_s;             /* of a product of weights as stored */
    bool weight_only;             /* products are computed wider than they are stored */
    double prefill_kernel_s, prefill_attention_s; /* of a prefill step */
    nnc_small_all_reduce all_reduce;
    double link_bytes_per_s;                       /* of tensor ranks; NaN = one device */
    double exchange_bytes_per_s, exchange_fixed_s; /* of all ranks that share experts */
    double weight_bytes, plain_bytes, kv_bytes;    /* of one element */
    bool kv_scaled;                                /* keys and values have scales, for each head */
    double group_size;
} nnc_serve_rates;

nnc_status nnc_serve_rates_of(const nnc_device *device, const nnc_software *software,
                              const nnc_serve_ask *plan, nnc_serve_rates *rates, nnc_error *err);

/* ---- the plan ---- */

/* Fills in what was left open and checks what the model, the device and the engine allow. */
nnc_status nnc_serve_resolve(const nnc_serve_ask *ask, const nnc_model *model,
                             const nnc_device *device, const nnc_software *software,
                             const nnc_serve_net *net, nnc_serve_ask *plan, nnc_serve_mode *mode,
                             nnc_error *err);

/* ---- a step ---- */

/* What a step is worked out from. */
typedef struct nnc_serve_case {
    const struct nnc_serve_case *draft; /* of what proposes tokens; NULL = none */
    const nnc_serve_net *net;
    const nnc_serve_ask *plan; /* resolved */
    const nnc_serve_engine *engine;
    nnc_serve_rates rates;
} nnc_serve_case;

/* Ops of steps as they are listed; NULL = they are not. */
typedef struct nnc_serve_list {
    nnc_serve_op *ops;
    int32_t count;
} nnc_serve_list;

/* Decode of `sequences` of a replica, each attending to `context` positions, its new one included; prefill
 * of `sequences` prompts at once, `fresh` tokens after `cached` ones of each. */
nnc_serve_step nnc_serve_decode(const nnc_serve_case *of, double sequences, double context,
                                nnc_serve_list *list);
nnc_serve_step nnc_serve_prefill(const nnc_serve_case *of, double sequences, double cached,
                                 double fresh, nnc_serve_list *list);

/* A decode step in which prompts ride along: so many per step, of them `fresh` tokens after `cached`. */
nnc_serve_step nnc_serve_mixed(const nnc_serve_case *of, double sequences, double context,
                               double prompts, double cached, double fresh);

/* A decode step that computes so many tokens of each sequence at once, and the logits of all of them. */
nnc_serve_step nnc_serve_verify(const nnc_serve_case *of, double sequences, double context,
                                double tokens);

/* Does a product stay in 16 bits? */
bool nnc_serve_is_plain(const nnc_serve_case *of, const nnc_serve_product *product);

/* Bytes of keys and values, and of states, that one sequence of so many tokens has on one device. */
double nnc_serve_kv_bytes(const nnc_serve_case *of, double tokens);
double nnc_serve_state_bytes(const nnc_serve_case *of);
/* The same of one attention on one device and for all its layers: what one token adds. */
double nnc_serve_kv_token(const nnc_serve_case *of, const nnc_serve_attention *attention);

/* Share of a product that one device of a tensor group has. */
double nnc_serve_share(const nnc_serve_case *of, const nnc_serve_product *product);
/* Layers of the stage that has most, over all layers. */
double nnc_serve_stage_share(const nnc_serve_case *of);

/* Sequences of one stage's share at which decode becomes compute-bound, NaN = no number does; and the
 * intensity that ever more of them come near.   [serve-critical] */
double nnc_serve_critical_batch(const nnc_serve_case *of, double context, double *intensity_limit,
                                nnc_derivation *why);

/* ---- what comes of it ---- */

/* TPOT where so many sequences run and each of them was prefilled; requests per second at which a replica
 * saturates; what runs where requests come at a rate. */
double nnc_serve_say_tpot(double decode_s, double prefill_s, double output_len, double sequences,
                          nnc_derivation *why);
double nnc_serve_say_saturation(double decode_s, double prefill_s, double output_len,
                                double sequences, nnc_derivation *why);
double nnc_serve_say_running(double rate, double ttft_s, double tpot_s, double output_len,
                             nnc_derivation *why);

/* Weights, cache and what fits beside them. */
void nnc_serve_memory(const nnc_serve_case *of, double capacity_bytes, nnc_serve *serve,
                      nnc_derivation *why);
/* Latency and throughput. */
void nnc_serve_load(const nnc_serve_case *of, nnc_serve *serve, nnc_serve_list *list,
                    nnc_derivation *why);
/* What runs against what there is room for. */
void nnc_serve_fit(const nnc_serve_case *of, nnc_serve *serve, nnc_derivation *why);
/* Money and energy. */
void nnc_serve_cost(const nnc_serve_case *of, const nnc_device *device, nnc_serve *serve,
                    nnc_derivation *why);

/* The tail of the queue, speculation, prefill apart from decode. */
void nnc_serve_extra(const nnc_serve_case *of, const nnc_device *device, nnc_serve *serve,
                     nnc_derivation *why);

/* nnc_serve_into, saying how. */
nnc_status nnc_serve_say(const nnc_model *model, const nnc_device *device,
                         const nnc_software *software, const nnc_serve_ask *ask,
                         nnc_scratch *scratch, nnc_serve *serve, nnc_serve_list *list,
                         nnc_derivation *why, nnc_error *err);

#endif
