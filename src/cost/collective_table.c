/* Which algorithms a collective has, and which of them runs. */
#include <math.h>

#include "base/number.h"
#include "cost/collective.h"

/* Groups of ranks that an algorithm suits: a set of flags. */
enum {
    PLAIN = 1, /* no torus */
    ONE = 2,   /* no torus, one level: inside a domain, or a rank of each */
    TWO = 4,   /* no torus, two levels */
    ADDS = 8,  /* inside a domain whose switch adds up */
    TORUS = 16,
    TORUSES = 32 /* several of them */
};

static unsigned group_of(const nnc_route *r)
{
    if (r->axes > 0) {
        return TORUS | (r->outer > 1 ? TORUSES : 0U);
    }
    return PLAIN | (r->inner > 1 && r->outer > 1 ? TWO : ONE) |
           (r->reduces_in_switch && r->outer == 1 ? ADDS : 0U);
}

/* The algorithms of a collective, one row each, and an empty one; of equally fast ones the first runs. */
typedef struct algorithm {
    const char *by;
    unsigned groups;
    unsigned needs; /* NNC_ALGORITHM_*: all of them must be allowed */
    double (*seconds)(const nnc_route *r, double moved, nnc_derivation *why);
} algorithm;

enum { ALGORITHMS = 8 };
#define LEVELS NNC_ALGORITHM_HIERARCHICAL

static const algorithm algorithms[NNC_COLLECTIVE_COUNT][ALGORITHMS] = {
    [NNC_ALL_REDUCE] = { { "ring", PLAIN, NNC_ALGORITHM_RING, nnc_reduce_ring_s },
                         { "tree", PLAIN, NNC_ALGORITHM_TREE, nnc_reduce_tree_s },
                         { "switch", ADDS, NNC_ALGORITHM_IN_NETWORK, nnc_reduce_switch_s },
                         { "levels", TWO, LEVELS, nnc_reduce_levels_s },
                         { "levels, a tree across", TWO, LEVELS | NNC_ALGORITHM_TREE,
                           nnc_reduce_level_tree_s },
                         { "levels", TORUS, 0, nnc_reduce_levels_s },
                         { "levels, a tree across", TORUSES, NNC_ALGORITHM_TREE,
                           nnc_reduce_level_tree_s } },
    [NNC_ALL_GATHER] = { { "ring", PLAIN, NNC_ALGORITHM_RING, nnc_gather_ring_s },
                         { "levels", TWO, LEVELS, nnc_gather_levels_s },
                         { "levels", TORUS, 0, nnc_gather_levels_s } },
    [NNC_REDUCE_SCATTER] = { { "ring", PLAIN, NNC_ALGORITHM_RING, nnc_gather_ring_s },
                             { "levels", TWO, LEVELS, nnc_gather_levels_s },
                             { "levels", TORUS, 0, nnc_gather_levels_s } },
    [NNC_ALL_TO_ALL] = { { "pairs", ONE, 0, nnc_all_to_all_levels_s },
                         { "pairs", TWO, NNC_ALGORITHM_RING, nnc_pairs_s },
                         { "levels", TWO, LEVELS, nnc_all_to_all_levels_s },
                         { "levels", TORUS, 0, nnc_all_to_all_levels_s } },
    [NNC_BROADCAST] = { { "ring", PLAIN, NNC_ALGORITHM_RING, nnc_broadcast_ring_s },
                        { "tree", PLAIN, NNC_ALGORITHM_TREE, nnc_broadcast_tree_s },
                        { "levels", TORUS, 0, nnc_torus_broadcast_s } },
    [NNC_P2P] = { { "hop", PLAIN | TORUS, 0, nnc_hop_s } },
};

/* The fastest that is allowed, else the first that suits; NULL if the collective moves nothing. */
static const algorithm *fastest(const nnc_route *route, nnc_collective kind, double moved,
                                unsigned allowed, double *seconds)
{
    const unsigned group = group_of(route);
    const algorithm *best = NULL, *first = NULL;
    for (const algorithm *a = algorithms[kind]; a->seconds != NULL; a++) {
        if ((a->groups & group) == 0) {
            continue;
        }
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
        *seconds = first->seconds(route, moved, NULL);
    }
    return best != NULL ? best : first;
}

static void say_route(const nnc_route *r, nnc_derivation *why)
{
    NNC_PUT(why, (double)r->inner, NULL);
    NNC_PUT(why, (double)r->outer, NULL);
    NNC_PUT(why, r->inner_bytes_per_s, "B/s");
    NNC_PUT(why, r->inner_latency_s, "s");
    NNC_PUT(why, r->outer_bytes_per_s, "B/s");
    NNC_PUT(why, r->outer_latency_s, "s");
}

double nnc_collective_say_s(const nnc_route *route, nnc_collective kind, double bytes,
                            unsigned allowed, nnc_derivation *why, const char **by)
{
    double seconds = 0.0, moved = bytes;
    *by = "none";
    if (route->size <= 1) {
        return 0.0;
    }
    if (route->knee_bytes > 0.0) {
        NNC_PUT(why, route->knee_bytes, "B");
        NNC_SET(why, moved, "B", bytes + sqrt(route->knee_bytes * bytes));
        NNC_NOTE(why, "small messages take as long as larger ones where the link has a knee");
    }
    const algorithm *a = fastest(route, kind, moved, allowed, &seconds);
    if (a != NULL) {
        *by = a->by;
    }
    if (a != NULL && why != NULL) {
        NNC_PUT(why, moved, "B");
        say_route(route, why);
        a->seconds(route, moved, why);
    }
    return seconds;
}

double nnc_collective_by_s(const nnc_route *route, nnc_collective kind, double bytes,
                           unsigned allowed)
{
    const char *by = NULL;
    return nnc_collective_say_s(route, kind, bytes, allowed, NULL, &by);
}

double nnc_collective_s(const nnc_route *route, nnc_collective kind, double bytes)
{
    return nnc_collective_by_s(route, kind, bytes, NNC_ALGORITHM_ALL);
}

double nnc_collective_sent_bytes(nnc_collective kind, int32_t size, double bytes)
{
    if (size <= 1) {
        return 0.0;
    }
    const double most = (size - 1.0) / size * bytes;
    switch (kind) {
    case NNC_ALL_REDUCE: return 2.0 * most;
    case NNC_ALL_GATHER:
    case NNC_REDUCE_SCATTER:
    case NNC_ALL_TO_ALL: return most;
    default: return bytes;
    }
}
