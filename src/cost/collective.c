/* Seconds of a collective over a route (the links that a group of ranks uses): one function for each algorithm, a table
 * of the algorithms of each collective, and the times with the fitted efficiencies of a device.
 *
 * `moved` is the number of bytes of the full tensor. Names that begin with inner_ mean links inside a scale-up domain,
 * names that begin with outer_ links between domains. Rates are for one direction. Papers and pages write S for
 * `moved`, n for the number of ranks, B for a rate, alpha for a latency. [collectives] [collectives-fitted] */
#include "cost/cost_internal.h"

static int32_t ceil_log2(int32_t n) {
    int32_t steps = 0;
    for (int64_t reach = 1; reach < n; reach *= 2) { steps++; }
    return steps;
}

/* Returns the rate of a ring that runs through all ranks of a group, one scale-up domain after the other. Each NIC of a
 * node belongs to one of several rings, and each ring carries a part of the data (as in NCCL). The rate of the ring is
 * therefore the lower of two rates: the rate of the links inside a domain, and the rate of all NICs of a domain
 * together. */
static double flat_bytes_per_s(const nnc_route *r, nnc_derivation *why) {
    double bytes_per_s = r->inner == 1 ? r->outer_bytes_per_s : r->inner_bytes_per_s;
    if (r->inner > 1 && r->outer > 1) {
        NNC_SET(why, bytes_per_s, "B/s", nnc_min(r->inner_bytes_per_s, r->inner * r->outer_bytes_per_s));
        NNC_NOTE(why, "one ring per NIC of a domain: the slower of the links inside and all NICs together");
    }
    NNC_PUT(why, bytes_per_s, "B/s");
    return bytes_per_s;
}

/* Returns the latency of one step of a ring through all ranks of a group: the latency of the slowest link in the
 * ring. */
static double flat_latency_s(const nnc_route *r, nnc_derivation *why) {
    const double inner = r->inner > 1 ? r->inner_latency_s : 0.0;
    NNC_LET(why, latency_s, "s", r->outer > 1 ? nnc_max(inner, r->outer_latency_s) : inner);
    return latency_s;
}

/* Returns the time of an all-gather or reduce-scatter of S bytes around a ring of n ranks: n - 1 steps, each with S/n
 * bytes. */
static double flat_ring_s(const nnc_route *r, double moved, nnc_derivation *why) {
    const double bytes_per_s = flat_bytes_per_s(r, why), latency_s = flat_latency_s(r, why);
    NNC_LET(why, ranks, NULL, r->size);
    NNC_SAY(why, ring_s, "s", (ranks - 1.0) * latency_s + (ranks - 1.0) / ranks * moved / bytes_per_s);
    return ring_s;
}

/* Returns the latency from a rank of a torus to the rank that is farthest away. On a torus, the data are sent along one
 * axis after another. */
static double torus_latency_s(const nnc_route *r, nnc_derivation *why) {
    double hops = 0.0;
    for (int32_t i = 0; i < r->axes; i++) {
        const int32_t X = r->axis_length[i];
        hops += (double)r->axis_stride[i] * (r->axis_wraps[i] ? X / 2 : X - 1);
    }
    NNC_PUT(why, hops, NULL);
    NNC_SAY(why, hops_s, "s", hops * r->inner_latency_s);
    NNC_NOTE(why, "hops to the farthest rank of the torus, along all axes");
    return hops_s;
}

/* Returns the time of an all-gather inside a scale-up domain; 0 if the group has only one rank in each domain. On a
 * torus, latency and transfer overlap, so the time of the all-gather is the longer of these two times. */
static double inner_gather_s(const nnc_route *r, double moved, nnc_derivation *why) {
    double inside_s = 0.0;
    if (r->axes > 0) {
        const double hops_s = torus_latency_s(r, why);
        NNC_SET(why, inside_s, "s", nnc_max((r->inner - 1.0) / r->inner * moved / r->inner_bytes_per_s, hops_s));
    } else if (r->inner > 1) {
        NNC_SET(why, inside_s, "s",
                (r->inner - 1.0) * r->inner_latency_s + (r->inner - 1.0) / r->inner * moved / r->inner_bytes_per_s);
    }
    NNC_PUT(why, inside_s, "s");
    return inside_s;
}

/* Returns the time of an all-gather between scale-up domains, after which each rank has `part` bytes; 0 if the group is
 * in a single domain. */
static double outer_gather_s(const nnc_route *r, double part, nnc_derivation *why) {
    double across_s = 0.0;
    NNC_PUT(why, part, "B");
    if (r->outer > 1) {
        NNC_SET(why, across_s, "s",
                (r->outer - 1.0) * r->outer_latency_s + (r->outer - 1.0) / r->outer * part / r->outer_bytes_per_s);
    }
    NNC_PUT(why, across_s, "s");
    return across_s;
}

/* Returns the bytes that one rank sends to other scale-up domains: the tensor divided by the number of ranks in a
 * domain. */
static double part_of(const nnc_route *r, double moved, nnc_derivation *why) {
    NNC_SAY(why, part, "B", moved / r->inner);
    NNC_NOTE(why, "bytes that one rank sends to other domains: the ranks of a domain divide the tensor");
    return part;
}

/* Returns the time of an all-gather around a ring. A reduce-scatter takes the same time as an all-gather, because it
 * has the steps of an all-gather in reverse order. */
static double gather_ring_s(const nnc_route *r, double moved, nnc_derivation *why) {
    const double ring_s = flat_ring_s(r, moved, why);
    NNC_SAY(why, collective_s, "s", ring_s);
    return collective_s;
}

static double gather_levels_s(const nnc_route *r, double moved, nnc_derivation *why) {
    const double inside_s = inner_gather_s(r, moved, why);
    const double across_s = outer_gather_s(r, part_of(r, moved, why), why);
    NNC_SAY(why, collective_s, "s", inside_s + across_s);
    return collective_s;
}

static double reduce_ring_s(const nnc_route *r, double moved, nnc_derivation *why) {
    const double ring_s = flat_ring_s(r, moved, why);
    NNC_SAY(why, collective_s, "s", 2.0 * ring_s);
    NNC_NOTE(why, "an all-reduce is a reduce-scatter, then an all-gather");
    return collective_s;
}

/* Returns the time of an all-reduce over two trees of ranks. Each tree carries half of the data; a rank that is a leaf
 * in one tree is an inner node in the other tree. */
static double reduce_tree_s(const nnc_route *r, double moved, nnc_derivation *why) {
    const double bytes_per_s = flat_bytes_per_s(r, why);
    NNC_LET(why, inner_depth, NULL, r->inner > 1 ? ceil_log2(r->inner) : 0);
    NNC_LET(why, outer_depth, NULL, r->outer > 1 ? ceil_log2(r->outer) : 0);
    NNC_SAY(why, depth_s, "s", inner_depth * r->inner_latency_s + outer_depth * r->outer_latency_s);
    NNC_SAY(why, collective_s, "s", 2.0 * depth_s + 2.0 * moved / bytes_per_s);
    NNC_NOTE(why, "two trees, each with half of the data; the leaves of one tree are inner nodes of the other");
    return collective_s;
}

/* Returns the time of an all-reduce in three stages: a reduce-scatter inside scale-up domains, an all-reduce between
 * domains, an all-gather inside domains. */
static double reduce_levels_s(const nnc_route *r, double moved, nnc_derivation *why) {
    const double inside_s = inner_gather_s(r, moved, why);
    const double across_s = outer_gather_s(r, part_of(r, moved, why), why);
    NNC_SAY(why, collective_s, "s", 2.0 * inside_s + 2.0 * across_s);
    NNC_NOTE(why, "reduce-scatter inside the domains, all-reduce between them, all-gather inside");
    return collective_s;
}

static double reduce_level_tree_s(const nnc_route *r, double moved, nnc_derivation *why) {
    const double inside_s = inner_gather_s(r, moved, why), part = part_of(r, moved, why);
    NNC_LET(why, outer_depth, NULL, ceil_log2(r->outer));
    NNC_SAY(why, across_s, "s", 2.0 * outer_depth * r->outer_latency_s + 2.0 * part / r->outer_bytes_per_s);
    NNC_SAY(why, collective_s, "s", 2.0 * inside_s + across_s);
    NNC_NOTE(why, "reduce-scatter inside the domains, a tree between them, all-gather inside");
    return collective_s;
}

static double reduce_switch_s(const nnc_route *r, double moved, nnc_derivation *why) {
    NNC_SAY(why, collective_s, "s", 2.0 * r->inner_latency_s + moved / r->inner_bytes_per_s);
    NNC_NOTE(why, "the switch adds up the data of all ranks, so a rank sends its data once");
    return collective_s;
}

/* Returns the time of an all-to-all on a torus. Along an axis of X ranks with wrap-around, a byte to a random rank
 * crosses X/4 links on average, and 2X links carry bytes at the same time. On an axis without wrap-around, a quarter of
 * all bytes cross the middle link in each direction. All axes of a torus work at the same time. */
static double torus_all_to_all_s(const nnc_route *r, double moved, nnc_derivation *why) {
    double inside_s = torus_latency_s(r, why);
    NNC_PUT(why, r->link_bytes_per_s, "B/s");
    for (int32_t i = 0; i < r->axes; i++) {
        NNC_LET(why, longest_s, "s", inside_s);
        NNC_LET(why, length, NULL, r->axis_length[i]);
        NNC_LET(why, links, NULL, (r->axis_wraps[i] ? 2.0 : 1.0) / r->axis_stride[i]);
        NNC_SET(why, inside_s, "s", nnc_max(longest_s, moved * length / (4.0 * links * r->link_bytes_per_s)));
        NNC_NOTE(why, "the larger of the time along this axis and the longest time so far");
    }
    NNC_PUT(why, inside_s, "s");
    return inside_s;
}

/* Returns the time of an all-to-all in which every rank sends directly to every other rank. Ranks in one scale-up
 * domain and ranks in different domains use different links, which work at the same time. */
static double pairs_s(const nnc_route *r, double moved, nnc_derivation *why) {
    NNC_LET(why, ranks, NULL, r->size);
    NNC_LET(why, near, NULL, r->inner - 1.0);
    NNC_LET(why, far, NULL, r->size - r->inner);
    double near_s = 0.0, far_s = 0.0;
    if (near > 0.0) { NNC_SET(why, near_s, "s", moved / ranks * near / r->inner_bytes_per_s); }
    if (far > 0.0) { NNC_SET(why, far_s, "s", moved / ranks * far / r->outer_bytes_per_s); }
    NNC_PUT(why, near_s, "s");
    NNC_PUT(why, far_s, "s");
    NNC_SAY(why, collective_s, "s", near * r->inner_latency_s + far * r->outer_latency_s + nnc_max(near_s, far_s));
    NNC_NOTE(why,
             "each rank sends to each other rank; links inside a domain and between domains work at the same time");
    return collective_s;
}

/* Returns the time of an all-to-all in two levels: first, a rank collects the data that the ranks of its scale-up
 * domain send to other domains; then it sends these data. */
static double all_to_all_levels_s(const nnc_route *r, double moved, nnc_derivation *why) {
    const double inside_s = r->axes > 0 ? torus_all_to_all_s(r, moved, why) : inner_gather_s(r, moved, why);
    const double across_s = outer_gather_s(r, moved, why);
    NNC_SAY(why, collective_s, "s", inside_s + across_s);
    return collective_s;
}

static double broadcast_ring_s(const nnc_route *r, double moved, nnc_derivation *why) {
    const double bytes_per_s = flat_bytes_per_s(r, why), latency_s = flat_latency_s(r, why);
    NNC_LET(why, ranks, NULL, r->size);
    NNC_SAY(why, collective_s, "s", (ranks - 1.0) * latency_s + moved / bytes_per_s);
    return collective_s;
}

static double broadcast_tree_s(const nnc_route *r, double moved, nnc_derivation *why) {
    double inside_s = 0.0, across_s = 0.0;
    NNC_LET(why, inner_depth, NULL, ceil_log2(r->inner));
    NNC_LET(why, outer_depth, NULL, ceil_log2(r->outer));
    if (r->outer > 1) {
        NNC_SET(why, across_s, "s", outer_depth * (r->outer_latency_s + moved / r->outer_bytes_per_s));
    }
    if (r->inner > 1) {
        NNC_SET(why, inside_s, "s", inner_depth * (r->inner_latency_s + moved / r->inner_bytes_per_s));
    }
    NNC_PUT(why, across_s, "s");
    NNC_PUT(why, inside_s, "s");
    NNC_SAY(why, collective_s, "s", across_s + inside_s);
    return collective_s;
}

/* Returns the time of a broadcast on a torus: first between scale-up domains through all NICs, then along all axes of
 * the torus at the same time. */
static double torus_broadcast_s(const nnc_route *r, double moved, nnc_derivation *why) {
    double across_s = 0.0;
    if (r->outer > 1) {
        const double bytes_per_s = flat_bytes_per_s(r, why);
        NNC_SET(why, across_s, "s", (r->outer - 1.0) * r->outer_latency_s + moved / bytes_per_s);
    }
    const double hops_s = torus_latency_s(r, why);
    NNC_PUT(why, across_s, "s");
    NNC_SAY(why, collective_s, "s", across_s + nnc_max(moved / r->inner_bytes_per_s, hops_s));
    return collective_s;
}

/* Returns the time in which each rank of a group sends one message to the next rank. All ranks send at the same time,
 * so the slowest link determines the time. */
static double hop_s(const nnc_route *r, double moved, nnc_derivation *why) {
    int32_t links = 1;
    double inside_s = 0.0, across_s = 0.0;
    for (int32_t i = 0; i < r->axes; i++) { links = r->axis_stride[i] > links ? r->axis_stride[i] : links; }
    NNC_PUT(why, links, NULL);
    NNC_PUT(why, r->link_bytes_per_s, "B/s");
    if (r->inner > 1) { NNC_SET(why, inside_s, "s", links * (r->inner_latency_s + moved / r->link_bytes_per_s)); }
    if (r->outer > 1) { NNC_SET(why, across_s, "s", r->outer_latency_s + moved / r->outer_bytes_per_s); }
    NNC_PUT(why, inside_s, "s");
    NNC_PUT(why, across_s, "s");
    NNC_SAY(why, collective_s, "s", nnc_max(inside_s, across_s));
    NNC_NOTE(why, "all ranks send to the next rank at the same time; the slowest hop decides");
    return collective_s;
}

/* Flags for the kinds of routes on which an algorithm of a collective works. */
enum {
    PLAIN = 1, /* a route without a torus, with any number of domains */
    ONE = 2,   /* no torus; the group has a single domain, or a single rank in each domain */
    TWO = 4,   /* no torus; the group has several domains, and several ranks in each domain */
    ADDS = 8,  /* a single domain, whose network switch adds the data of the ranks */
    TORUS = 16,
    TORUSES = 32 /* a route over several toruses, with ranks of the group in each of them */
};

static unsigned group_of(const nnc_route *r) {
    if (r->axes > 0) { return TORUS | (r->outer > 1 ? TORUSES : 0U); }
    return PLAIN | (r->inner > 1 && r->outer > 1 ? TWO : ONE) | (r->reduces_in_switch && r->outer == 1 ? ADDS : 0U);
}

/* One algorithm of a collective. An empty row ends the list of algorithms of a collective. If two algorithms take the
 * same time, the first one in the list is used. */
typedef struct algorithm {
    const char *by;
    unsigned groups;
    unsigned needs; /* NNC_ALGORITHM_* flags; the algorithm is used only if all these flags are allowed */
    double (*seconds)(const nnc_route *r, double moved, nnc_derivation *why);
} algorithm;

enum { ALGORITHMS = 8 };
#define LEVELS NNC_ALGORITHM_HIERARCHICAL

static const algorithm algorithms[NNC_COLLECTIVE_COUNT][ALGORITHMS] = {
    [NNC_ALL_REDUCE] = { { "ring", PLAIN, NNC_ALGORITHM_RING, reduce_ring_s },
                         { "tree", PLAIN, NNC_ALGORITHM_TREE, reduce_tree_s },
                         { "switch", ADDS, NNC_ALGORITHM_IN_NETWORK, reduce_switch_s },
                         { "levels", TWO, LEVELS, reduce_levels_s },
                         { "levels, a tree across", TWO, LEVELS | NNC_ALGORITHM_TREE, reduce_level_tree_s },
                         { "levels", TORUS, 0, reduce_levels_s },
                         { "levels, a tree across", TORUSES, NNC_ALGORITHM_TREE, reduce_level_tree_s } },
    [NNC_ALL_GATHER] = { { "ring", PLAIN, NNC_ALGORITHM_RING, gather_ring_s },
                         { "levels", TWO, LEVELS, gather_levels_s },
                         { "levels", TORUS, 0, gather_levels_s } },
    [NNC_REDUCE_SCATTER] = { { "ring", PLAIN, NNC_ALGORITHM_RING, gather_ring_s },
                             { "levels", TWO, LEVELS, gather_levels_s },
                             { "levels", TORUS, 0, gather_levels_s } },
    [NNC_ALL_TO_ALL] = { { "pairs", ONE, 0, all_to_all_levels_s },
                         { "pairs", TWO, NNC_ALGORITHM_RING, pairs_s },
                         { "levels", TWO, LEVELS, all_to_all_levels_s },
                         { "levels", TORUS, 0, all_to_all_levels_s } },
    [NNC_BROADCAST] = { { "ring", PLAIN, NNC_ALGORITHM_RING, broadcast_ring_s },
                        { "tree", PLAIN, NNC_ALGORITHM_TREE, broadcast_tree_s },
                        { "levels", TORUS, 0, torus_broadcast_s } },
    [NNC_P2P] = { { "hop", PLAIN | TORUS, 0, hop_s } },
};

/* Returns the fastest algorithm among those that are `allowed` and work on the route, and sets *seconds to the time of
 * this algorithm. If no allowed algorithm works on the route, returns the first algorithm in the list that works. If no
 * algorithm works on the route, returns NULL and does not change *seconds. */
static const algorithm *fastest(const nnc_route *route, nnc_collective kind, double moved, unsigned allowed,
                                double *seconds) {
    const unsigned group = group_of(route);
    const algorithm *best = NULL, *first = NULL;
    for (const algorithm *a = algorithms[kind]; a->seconds != NULL; a++) {
        if ((a->groups & group) == 0) { continue; }
        first = first != NULL ? first : a;
        if ((a->needs & ~allowed) == 0) {
            const double time_s = a->seconds(route, moved, NULL);
            if (best == NULL || time_s < *seconds) {
                *seconds = time_s;
                best = a;
            }
        }
    }
    if (best == NULL && first != NULL) {
        best = first;
        *seconds = first->seconds(route, moved, NULL);
    }
    return best;
}

static void say_route(const nnc_route *r, nnc_derivation *why) {
    NNC_PUT(why, (double)r->inner, NULL);
    NNC_PUT(why, (double)r->outer, NULL);
    NNC_PUT(why, r->inner_bytes_per_s, "B/s");
    NNC_PUT(why, r->inner_latency_s, "s");
    NNC_PUT(why, r->outer_bytes_per_s, "B/s");
    NNC_PUT(why, r->outer_latency_s, "s");
}

double nnc_collective_say_s(const nnc_route *route, nnc_collective kind, double bytes, unsigned allowed,
                            nnc_derivation *why, const char **by) {
    double seconds = 0.0, moved = bytes;
    *by = "none";
    if (route->size <= 1) { return 0.0; }
    if (route->knee_bytes > 0.0) {
        NNC_PUT(why, route->knee_bytes, "B");
        NNC_SET(why, moved, "B", bytes + sqrt(route->knee_bytes * bytes));
        NNC_NOTE(why, "effective size of the message: below the knee of the link, time falls slower than size");
    }
    const algorithm *a = fastest(route, kind, moved, allowed, &seconds);
    if (a != NULL) { *by = a->by; }
    if (a != NULL && why != NULL) {
        NNC_PUT(why, moved, "B");
        say_route(route, why);
        a->seconds(route, moved, why);
    }
    return seconds;
}

double nnc_collective_by_s(const nnc_route *route, nnc_collective kind, double bytes, unsigned allowed) {
    const char *by = NULL;
    return nnc_collective_say_s(route, kind, bytes, allowed, NULL, &by);
}

double nnc_collective_s(const nnc_route *route, nnc_collective kind, double bytes) {
    return nnc_collective_by_s(route, kind, bytes, NNC_ALGORITHM_ALL);
}

double nnc_collective_sent_bytes(nnc_collective kind, int32_t size, double bytes) {
    if (size <= 1) { return 0.0; }
    const double most = (size - 1.0) / size * bytes;
    switch (kind) {
    case NNC_ALL_REDUCE: return 2.0 * most;
    case NNC_ALL_GATHER:
    case NNC_REDUCE_SCATTER:
    case NNC_ALL_TO_ALL: return most;
    default: return bytes;
    }
}

/* ---- times of collectives with the fitted efficiencies of a device ---- */

static const nnc_collective_efficiency *efficiency_of(const nnc_collective_efficiencies *fitted, nnc_collective kind) {
    switch (kind) {
    case NNC_ALL_REDUCE: return &fitted->all_reduce;
    case NNC_ALL_GATHER: return &fitted->all_gather;
    case NNC_REDUCE_SCATTER: return &fitted->reduce_scatter;
    case NNC_ALL_TO_ALL: return &fitted->all_to_all;
    default: return NULL;
    }
}

/* Returns a copy of the route in which the rates of links are those that collectives reach on the device. If the device
 * has fitted fixed times, which include the latency inside a scale-up domain, this latency is 0 in the copy of the
 * route. */
static nnc_route reached_route(const nnc_route *route, const nnc_collective_efficiency *e, nnc_derivation *why) {
    nnc_route r = *route;
    NNC_LET(why, group, NULL, r.inner > 1 ? (double)r.inner : 2.0);
    NNC_PUT(why, e->bus_fraction, NULL);
    NNC_PUT(why, e->small_group_loss, NULL);
    NNC_SAY(why, reached, NULL, e->bus_fraction * (1.0 - e->small_group_loss / (group * group)));
    NNC_NOTE(why, "fraction of the link rate that collectives reach inside a domain; group: ranks of the collective in "
                  "one domain");
    r.link_bytes_per_s *= reached;
    if (r.inner > 1) {
        NNC_LET(why, domain_bytes_per_s, "B/s", r.inner_bytes_per_s);
        NNC_SET(why, r.inner_bytes_per_s, "B/s", domain_bytes_per_s * reached);
    }
    if (r.outer > 1) {
        NNC_LET(why, network_bytes_per_s, "B/s", r.outer_bytes_per_s);
        NNC_LET(why, scale_out_fraction, NULL, r.fitted->scale_out_fraction);
        NNC_SET(why, r.outer_bytes_per_s, "B/s", network_bytes_per_s * scale_out_fraction);
    }
    r.inner_latency_s = e->fixed_s + e->log2_s > 0.0 ? 0.0 : r.inner_latency_s;
    return r;
}

/* Returns the fixed seconds of one call of a collective: the sum of a constant, a time for each doubling of the ranks
 * in a scale-up domain, and a time for groups that span several domains. */
static double fixed_of(const nnc_route *route, const nnc_collective_efficiency *e, nnc_derivation *why) {
    NNC_LET(why, call_s, "s", e->fixed_s);
    NNC_LET(why, doubling_s, "s", route->inner > 1 ? e->log2_s : 0.0);
    NNC_LET(why, leaving_s, "s", route->outer > 1 ? route->fitted->scale_out_fixed_s : 0.0);
    NNC_PUT(why, (double)route->inner, NULL);
    NNC_SAY(why, fixed_s, "s", call_s + doubling_s * log2((double)route->inner) + leaving_s);
    return fixed_s;
}

double nnc_collective_say_predicted_s(const nnc_route *route, nnc_collective kind, double bytes, nnc_derivation *why,
                                      const char **by) {
    const nnc_collective_efficiency *e = route->fitted != NULL ? efficiency_of(route->fitted, kind) : NULL;
    if (e == NULL || route->size <= 1 || !(bytes > 0.0)) {
        return nnc_collective_say_s(route, kind, bytes, NNC_ALGORITHM_ALL, why, by);
    }
    const unsigned allowed = NNC_ALGORITHM_ALL & ~(unsigned)NNC_ALGORITHM_IN_NETWORK;
    const nnc_route r = reached_route(route, e, why);
    const double collective_s = nnc_collective_say_s(&r, kind, bytes, allowed, why, by);
    NNC_LET(why, sent_bytes, "B", nnc_collective_sent_bytes(kind, route->size, bytes));
    NNC_LET(why, call_knee_bytes, "B", e->knee_bytes);
    NNC_SAY(why, stretch, NULL, 1.0 + sqrt(call_knee_bytes / sent_bytes));
    NNC_NOTE(why, "factor on the time of small messages; sent_bytes: bytes that one rank sends");
    const double fixed_s = fixed_of(route, e, why);
    NNC_PUT(why, collective_s, "s");
    NNC_SAY(why, predicted_s, "s", stretch * collective_s + fixed_s);
    return predicted_s;
}

double nnc_collective_predicted_s(const nnc_route *route, nnc_collective kind, double bytes) {
    const char *by = NULL;
    return nnc_collective_say_predicted_s(route, kind, bytes, NULL, &by);
}
