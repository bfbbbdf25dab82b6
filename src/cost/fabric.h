/* What a collective loads on each fabric at least, whatever algorithm runs it. */
#ifndef NNCOST_COST_FABRIC_H
#define NNCOST_COST_FABRIC_H

#include "cost/network.h"

typedef enum nnc_fabric {
    NNC_FABRIC_SCALE_UP,
    NNC_FABRIC_SCALE_OUT,
    NNC_FABRIC_HOST,
    NNC_FABRICS
} nnc_fabric;

/* "scale_up", "scale_out", "host"; static. */
const char *nnc_fabric_name(nnc_fabric fabric);
/* Which fabrics an exchange needs, by where its ranks are and not by how fast the links are: exchanges in different
 * lanes that do not meet run side by side. */
typedef enum nnc_lane {
    NNC_LANE_SCALE_UP,  /* within domains */
    NNC_LANE_SCALE_OUT, /* between domains, one rank in each */
    NNC_LANE_HOST,
    NNC_LANE_BOTH, /* within and between domains */
    NNC_LANES
} nnc_lane;
/* Inline, since these are asked for every row of every plan. */
static inline nnc_lane nnc_lane_of(const nnc_network *network, const nnc_exchange *exchange)
{
    if (exchange->comm == NNC_COMM_OFFLOAD) {
        return NNC_LANE_HOST;
    }
    const nnc_route *route =
        network != NULL ? &network->routes[nnc_network_route_of(exchange)] : NULL;
    return route == NULL || route->outer <= 1 ? NNC_LANE_SCALE_UP
           : route->inner > 1                 ? NNC_LANE_BOTH
                                              : NNC_LANE_SCALE_OUT;
}

static inline bool nnc_lanes_meet(nnc_lane a, nnc_lane b)
{
    return a == b || (a == NNC_LANE_BOTH && b != NNC_LANE_HOST) ||
           (b == NNC_LANE_BOTH && a != NNC_LANE_HOST);
}

/* Seconds that one rank's links of each fabric are busy with an exchange, at the rates of the datasheet:
 * the bytes that have to pass, which no algorithm gets below, without latency. Inside a domain and
 * between domains they pass over different links, so the sums of several exchanges stand for themselves.
 * [fabric-loads] */
void nnc_fabric_load(const nnc_network *network, const nnc_exchange *exchange,
                     double load_s[NNC_FABRICS]);
/* The same, saying how: leaves network_s, the sum of the loads. */
void nnc_fabric_say_load(const nnc_network *network, const nnc_exchange *exchange,
                         nnc_derivation *why);

#endif
