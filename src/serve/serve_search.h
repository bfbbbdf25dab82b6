/* The search for a deployment: degrees of parallelism and requests at a time. */
#ifndef NNCOST_SERVE_SERVE_SEARCH_H
#define NNCOST_SERVE_SERVE_SEARCH_H

#include "serve/serve.h"

/* What a deployment has to hold: a figure of nnc_serve that is a double. */
typedef struct nnc_serve_limit {
    const char *name; /* "latency.ttft_s" */
    size_t offset;
    bool at_least; /* else at most */
    double value;
} nnc_serve_limit;

enum { NNC_SERVE_LIMITS = 8, NNC_SERVE_FRONT = 128 };

/* A deployment, and why no more requests at a time: the first limit that the next number breaks. */
typedef struct nnc_serve_found {
    nnc_serve_ask plan;
    double ttft_s, tpot_s, request_s, output_tokens_per_s, output_tokens_per_s_per_device;
    double tokens_per_s_per_user, per_million_output_tokens, headroom_bytes;
    nnc_bound bound;        /* of decode */
    int32_t broken;         /* index of the limit; -1 = none */
    double broken_requests; /* at so many requests; 0: memory or the engine take no more */
    double broken_value;    /* what the figure would be */
} nnc_serve_found;

typedef struct nnc_serve_search {
    const nnc_serve_limit *limits;
    int32_t limit_count;
    int32_t
        devices_most; /* of counts that are tried where the plan leaves them open: 1, 2, 4 ... */
} nnc_serve_search;

typedef struct nnc_serve_search_result {
    int64_t deployments, evaluated, fitting, meeting; /* of those that are legal */
    nnc_serve_found cheapest,
        fastest; /* most tokens per second and device; shortest time per token */
    bool found;
    nnc_serve_found front[NNC_SERVE_FRONT]; /* by tokens per second and user, rising */
    int32_t front_count;
    bool front_cut;
    /* the nearest miss where none meets the limits: least over its limit */
    nnc_serve_found nearest;
    int32_t nearest_limit; /* -1 = nothing fits */
    double nearest_value;
} nnc_serve_search_result;

/* ask: what is fixed; of devices, degrees and requests what is left at its default is searched. Fails where
 * nothing is legal: err says why the last was not. */
nnc_status nnc_serve_search_of(const nnc_model *model, const nnc_device *device,
                               const nnc_software *software, const nnc_serve_ask *ask,
                               const nnc_serve_search *search, nnc_scratch *scratch,
                               nnc_serve_search_result *result, nnc_error *err);

#endif
