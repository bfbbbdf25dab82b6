/* Bytes -> seconds on the network: the links a group of ranks uses, and what a collective takes. */
#ifndef NNCOST_COST_LINK_H
#define NNCOST_COST_LINK_H

#include <nncost/status.h>

#include "base/derivation.h"
#include "op/dims.h"

/* Algorithms that may be used; the fastest one counts. A set of flags. */
enum {
    NNC_ALGORITHM_RING = 1, /* all-to-all: every pair by itself */
    NNC_ALGORITHM_TREE = 2,
    NNC_ALGORITHM_HIERARCHICAL = 4,
    NNC_ALGORITHM_IN_NETWORK = 8,
    NNC_ALGORITHM_ALL = 15
};

/* The links the ranks r, r + stride, ... of one group use. Groups of the same kind run at once, so
 * rates are one group's share. inner_* mean nothing when inner is 1, outer_* when outer is 1. */
typedef struct nnc_route {
    int32_t size;             /* ranks in the group */
    int32_t inner, outer;     /* ranks inside one scale-up domain; domains spanned */
    double inner_bytes_per_s; /* all the links of one rank that lead to the group, one direction */
    double inner_latency_s;
    double outer_bytes_per_s; /* per rank: its share of the NICs, after oversubscription */
    double outer_latency_s;
    double link_bytes_per_s; /* from one inner rank to one other; torus: of one link, unshared */
    int32_t axes;            /* torus, ring: axes the inner ranks span; 0 = joined pair by pair */
    int32_t axis_length[3];  /* ranks of the group along an axis */
    int32_t axis_stride[3];  /* links from one to the next, which as many groups share */
    bool axis_wraps[3];
    const nnc_collective_efficiencies *fitted; /* of the device; NULL = nothing fitted */
    double knee_bytes; /* of the slower link: small messages reach less bandwidth */
    bool reduces_in_switch;
    const char *link; /* "scale_up" or "scale_out", the one that takes longer; static */
} nnc_route;

/* Finds the route of a group of `size` ranks at distance `stride` in a world of `devices` ranks,
 * `devices_per_node` of which (0 = scale_up.devices) share a scale-up domain; torus: the size of a
 * slice, at most the pod. Without a scale-up fabric (kind none) every rank is a domain. Ranks fill
 * a domain before the next, and in a torus the shortest axis first. Counts are at least 1. Where
 * stride and size do not divide the domain, inner is rounded down and outer up. Fails with
 * NNC_BAD_SPEC naming the figure the route needs and the device file does not record
 * (scale_up.devices, scale_up.bytes_per_s, scale_out.bytes_per_s). Latency not recorded counts 0.
 * [routes] */
nnc_status nnc_route_find(const nnc_device *device, int32_t devices, int32_t devices_per_node,
                          int32_t size, int32_t stride, nnc_route *route, nnc_error *err);

/* Seconds of one collective over a route. bytes: the full tensor (all-gather: the gathered result,
 * reduce-scatter: the input, all-reduce: the tensor, all-to-all: one rank's send buffer, p2p and
 * broadcast: the message). 0 for a group of one. A message of S bytes moves as S (1 + sqrt(V0 / S))
 * would, V0 the knee of the slower link.
 * Sources: Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel Computing
 * 35(12), 2009 (double tree); "How to Scale Your Model", jax-ml.github.io/scaling-book (torus).
 * [collectives] */
double nnc_collective_s(const nnc_route *route, nnc_collective kind, double bytes);
/* The same with some algorithms only; the ring where none of them applies. A torus has only its
 * own. */
double nnc_collective_by_s(const nnc_route *route, nnc_collective kind, double bytes,
                           unsigned allowed);

/* The same with the device's fitted efficiencies, where it has some; else as above. With V the bytes
 * one rank sends, n the ranks of it in one domain, R the time above at the rates that collectives
 * reach (link rate x bus_fraction (1 - small_group_loss / n^2), NIC x scale_out_fraction) and
 * without in-switch reduction, whose gain the fitted rate has in it:
 *     t = R (1 + sqrt(knee_bytes / V)) + fixed_s + log2_s log2(n) + scale_out_fixed_s if it leaves
 *     the domain.   [collectives-fitted] */
double nnc_collective_predicted_s(const nnc_route *route, nnc_collective kind, double bytes);

/* The first and the last of these, saying how; *by names the algorithm: "ring", "tree" ... */
double nnc_collective_say_s(const nnc_route *route, nnc_collective kind, double bytes,
                            unsigned allowed, nnc_derivation *why, const char **by);
double nnc_collective_say_predicted_s(const nnc_route *route, nnc_collective kind, double bytes,
                                      nnc_derivation *why, const char **by);

/* Bytes one rank sends in a ring algorithm of the collective. */
double nnc_collective_sent_bytes(nnc_collective kind, int32_t size, double bytes);

#endif
