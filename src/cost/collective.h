/* The algorithms of collectives: seconds for `moved` bytes of the full tensor over a route, which is
 * said to `why` unless that is NULL.   [collectives] */
#ifndef NNCOST_COST_COLLECTIVE_H
#define NNCOST_COST_COLLECTIVE_H

#include "base/derivation.h"
#include "cost/link.h"

typedef double nnc_algorithm_fn(const nnc_route *route, double moved, nnc_derivation *why);
nnc_algorithm_fn nnc_all_to_all_levels_s, nnc_broadcast_ring_s, nnc_broadcast_tree_s,
    nnc_gather_levels_s, nnc_gather_ring_s, nnc_hop_s, nnc_pairs_s, nnc_reduce_level_tree_s,
    nnc_reduce_levels_s, nnc_reduce_ring_s, nnc_reduce_switch_s, nnc_reduce_tree_s,
    nnc_torus_broadcast_s;

#endif
