/* The links each kind of parallelism uses under a plan. */
#ifndef NNCOST_COST_NETWORK_H
#define NNCOST_COST_NETWORK_H

#include "cost/link.h"

/* Groups of ranks that exchange. Dense weights are summed over data x context ranks, experts' over
 * those of them that hold the same experts; a shard group shares one copy of sharded states, its
 * replicas hold the others. */
typedef enum nnc_route_kind {
    NNC_ROUTE_TENSOR,
    NNC_ROUTE_CONTEXT,
    NNC_ROUTE_EXPERT,
    NNC_ROUTES_OF_LAYERS, /* what layers exchange travels by those above */
    NNC_ROUTE_SHARD = NNC_ROUTES_OF_LAYERS,
    NNC_ROUTE_REPLICA,
    NNC_ROUTE_EXPERT_SHARD,
    NNC_ROUTE_EXPERT_REPLICA,
    NNC_ROUTE_PIPELINE,
    NNC_ROUTE_COUNT
} nnc_route_kind;

/* A device's share of host memory where its file records none: two sockets of eight channels of DDR5-4800, 307.2e9 B/s
 * each, for eight devices. */
#define NNC_HOST_MEM_BYTES_PER_S 76.8e9

/* Share of a host's memory bandwidth that its updates reach. Fitted: see docs/accuracy.md. */
#define NNC_HOST_UPDATE_SHARE 0.3

typedef struct nnc_network {
    nnc_route routes[NNC_ROUTE_COUNT];
    double host_bytes_per_s;
    double host_mem_bytes_per_s;
} nnc_network;

/* What an offload exchange uses: the link, or host memory alone. */
enum { NNC_OFFLOAD_HOST_LINK, NNC_OFFLOAD_HOST_MEMORY };

/* Finds the routes of a legal plan. Fails with NNC_BAD_SPEC naming the figure that is missing. */
nnc_status nnc_network_find(const nnc_device *device, const nnc_plan *plan, nnc_network *network,
                            nnc_error *err);

/* The group of an exchange, other than over the host link. */
static inline nnc_route_kind nnc_network_route_of(const nnc_exchange *exchange)
{
    switch (exchange->comm) {
    case NNC_COMM_TENSOR: return NNC_ROUTE_TENSOR;
    case NNC_COMM_CONTEXT: return NNC_ROUTE_CONTEXT;
    case NNC_COMM_EXPERT: return NNC_ROUTE_EXPERT;
    case NNC_COMM_PIPELINE: return NNC_ROUTE_PIPELINE;
    default: return (nnc_route_kind)exchange->route;
    }
}

/* Bytes of an exchange that its route carries. Of k copies of a token that go to ranks drawn at random
 * from M domains, software may send one to each domain that gets any,
 *     M (1 - (1 - 1/M)^k)
 * on average; ideal: it always does.   [experts] */
double nnc_network_carried_bytes(const nnc_network *network, const nnc_exchange *exchange,
                                 bool ideal, nnc_derivation *why);

/* Do two exchanges take as long on any network? */
bool nnc_network_same(const nnc_exchange *a, const nnc_exchange *b);

/* Seconds of one exchange in a training step, and the link it loads. */
double nnc_network_exchange_s(const nnc_network *network, const nnc_exchange *exchange,
                              const char **link);
/* The same, saying how: leaves network_s. Returns the name of the algorithm. */
const char *nnc_network_say_s(const nnc_network *network, const nnc_exchange *exchange,
                              nnc_derivation *why);

#endif
