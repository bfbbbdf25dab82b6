#include "cost/collective.h"

#include "base/number.h"

/* `moved` bytes of the full tensor, `ranks` of them, rates in one direction; inner_ inside a domain,
 * outer_ between domains. In the papers S, n, B and alpha.   [collectives] */

static int32_t ceil_log2(int32_t n)
{
    int32_t steps = 0;
    for (int64_t reach = 1; reach < n; reach *= 2) {
        steps++;
    }
    return steps;
}

/* A ring through all nodes, node by node. Each NIC of a node closes a ring of its own (as NCCL
 * does), which carries its part of the data: a node's links are then as fast as all its NICs. */
static double flat_bytes_per_s(const nnc_route *r, nnc_derivation *why)
{
    double bytes_per_s = r->inner == 1 ? r->outer_bytes_per_s : r->inner_bytes_per_s;
    if (r->inner > 1 && r->outer > 1) {
        NNC_SET(why, bytes_per_s, "B/s",
                nnc_min(r->inner_bytes_per_s, r->inner * r->outer_bytes_per_s));
        NNC_NOTE(why, "a ring passes a domain through all its NICs");
    }
    NNC_PUT(why, bytes_per_s, "B/s");
    return bytes_per_s;
}

/* The steps of a ring keep pace with its slowest hop. */
static double flat_latency_s(const nnc_route *r, nnc_derivation *why)
{
    const double inner = r->inner > 1 ? r->inner_latency_s : 0.0;
    NNC_LET(why, latency_s, "s", r->outer > 1 ? nnc_max(inner, r->outer_latency_s) : inner);
    return latency_s;
}

/* n - 1 steps of S/n bytes: an all-gather or reduce-scatter around a ring. */
static double flat_ring_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    const double bytes_per_s = flat_bytes_per_s(r, why), latency_s = flat_latency_s(r, why);
    NNC_LET(why, ranks, NULL, r->size);
    NNC_SAY(why, ring_s, "s",
            (ranks - 1.0) * latency_s + (ranks - 1.0) / ranks * moved / bytes_per_s);
    return ring_s;
}

/* Steps to the farthest rank of a torus, one axis after the other. */
static double torus_latency_s(const nnc_route *r, nnc_derivation *why)
{
    double hops = 0.0;
    for (int32_t i = 0; i < r->axes; i++) {
        const int32_t X = r->axis_length[i];
        hops += (double)r->axis_stride[i] * (r->axis_wraps[i] ? X / 2 : X - 1);
    }
    NNC_PUT(why, hops, NULL);
    NNC_SAY(why, hops_s, "s", hops * r->inner_latency_s);
    NNC_NOTE(why, "to the farthest rank of the torus");
    return hops_s;
}

/* Inside a domain. On a torus bytes are on their way while the next are sent, so the longer of both
 * counts. */
static double inner_gather_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    double inside_s = 0.0;
    if (r->axes > 0) {
        const double hops_s = torus_latency_s(r, why);
        NNC_SET(why, inside_s, "s",
                nnc_max((r->inner - 1.0) / r->inner * moved / r->inner_bytes_per_s, hops_s));
    } else if (r->inner > 1) {
        NNC_SET(why, inside_s, "s",
                (r->inner - 1.0) * r->inner_latency_s +
                    (r->inner - 1.0) / r->inner * moved / r->inner_bytes_per_s);
    }
    NNC_PUT(why, inside_s, "s");
    return inside_s;
}

/* Between domains, `part` bytes of the tensor. */
static double outer_gather_s(const nnc_route *r, double part, nnc_derivation *why)
{
    double across_s = 0.0;
    NNC_PUT(why, part, "B");
    if (r->outer > 1) {
        NNC_SET(why, across_s, "s",
                (r->outer - 1.0) * r->outer_latency_s +
                    (r->outer - 1.0) / r->outer * part / r->outer_bytes_per_s);
    }
    NNC_PUT(why, across_s, "s");
    return across_s;
}

/* What each of a domain's ranks holds of the tensor. */
static double part_of(const nnc_route *r, double moved, nnc_derivation *why)
{
    NNC_SAY(why, part, "B", moved / r->inner);
    NNC_NOTE(why, "what one rank of a domain sends across");
    return part;
}

/* All-gather; a reduce-scatter runs the same steps backwards. */
double nnc_gather_ring_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    const double ring_s = flat_ring_s(r, moved, why);
    NNC_SAY(why, collective_s, "s", ring_s);
    return collective_s;
}

double nnc_gather_levels_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    const double inside_s = inner_gather_s(r, moved, why);
    const double across_s = outer_gather_s(r, part_of(r, moved, why), why);
    NNC_SAY(why, collective_s, "s", inside_s + across_s);
    return collective_s;
}

double nnc_reduce_ring_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    const double ring_s = flat_ring_s(r, moved, why);
    NNC_SAY(why, collective_s, "s", 2.0 * ring_s);
    NNC_NOTE(why, "a reduce-scatter, then an all-gather");
    return collective_s;
}

/* Two trees, each with half the data, leaves of one inside the other. */
double nnc_reduce_tree_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    const double bytes_per_s = flat_bytes_per_s(r, why);
    NNC_LET(why, inner_depth, NULL, r->inner > 1 ? ceil_log2(r->inner) : 0);
    NNC_LET(why, outer_depth, NULL, r->outer > 1 ? ceil_log2(r->outer) : 0);
    NNC_SAY(why, depth_s, "s", inner_depth * r->inner_latency_s + outer_depth * r->outer_latency_s);
    NNC_SAY(why, collective_s, "s", 2.0 * depth_s + 2.0 * moved / bytes_per_s);
    NNC_NOTE(why, "two trees, each with half of the data, the leaves of one inside the other");
    return collective_s;
}

/* Reduce-scatter inside, all-reduce across, all-gather inside. */
double nnc_reduce_levels_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    const double inside_s = inner_gather_s(r, moved, why);
    const double across_s = outer_gather_s(r, part_of(r, moved, why), why);
    NNC_SAY(why, collective_s, "s", 2.0 * inside_s + 2.0 * across_s);
    NNC_NOTE(why, "reduce-scatter inside, all-reduce across, all-gather inside");
    return collective_s;
}

double nnc_reduce_level_tree_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    const double inside_s = inner_gather_s(r, moved, why), part = part_of(r, moved, why);
    NNC_LET(why, outer_depth, NULL, ceil_log2(r->outer));
    NNC_SAY(why, across_s, "s",
            2.0 * outer_depth * r->outer_latency_s + 2.0 * part / r->outer_bytes_per_s);
    NNC_SAY(why, collective_s, "s", 2.0 * inside_s + across_s);
    NNC_NOTE(why, "reduce-scatter inside, a tree across, all-gather inside");
    return collective_s;
}

double nnc_reduce_switch_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    NNC_SAY(why, collective_s, "s", 2.0 * r->inner_latency_s + moved / r->inner_bytes_per_s);
    NNC_NOTE(why, "the switch adds up");
    return collective_s;
}

/* A byte to a random rank of an axis crosses X/4 places of a ring whose 2X links share the work; a
 * line's middle link carries a quarter of all. Axes work at once. */
static double torus_all_to_all_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    double inside_s = torus_latency_s(r, why);
    NNC_PUT(why, r->link_bytes_per_s, "B/s");
    for (int32_t i = 0; i < r->axes; i++) {
        NNC_LET(why, longest_s, "s", inside_s);
        NNC_LET(why, length, NULL, r->axis_length[i]);
        NNC_LET(why, links, NULL, (r->axis_wraps[i] ? 2.0 : 1.0) / r->axis_stride[i]);
        NNC_SET(why, inside_s, "s",
                nnc_max(longest_s, moved * length / (4.0 * links * r->link_bytes_per_s)));
        NNC_NOTE(why, "along one axis, or what took longest before");
    }
    NNC_PUT(why, inside_s, "s");
    return inside_s;
}

/* Pair by pair: inside and across use different links at the same time. */
double nnc_pairs_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    NNC_LET(why, ranks, NULL, r->size);
    NNC_LET(why, near, NULL, r->inner - 1.0);
    NNC_LET(why, far, NULL, r->size - r->inner);
    double near_s = 0.0, far_s = 0.0;
    if (near > 0.0) {
        NNC_SET(why, near_s, "s", moved / ranks * near / r->inner_bytes_per_s);
    }
    if (far > 0.0) {
        NNC_SET(why, far_s, "s", moved / ranks * far / r->outer_bytes_per_s);
    }
    NNC_PUT(why, near_s, "s");
    NNC_PUT(why, far_s, "s");
    NNC_SAY(why, collective_s, "s",
            near * r->inner_latency_s + far * r->outer_latency_s + nnc_max(near_s, far_s));
    NNC_NOTE(why, "every pair by itself; links inside and across work at once");
    return collective_s;
}

/* In two levels a rank first collects inside its domain what goes to its peers in the others. */
double nnc_all_to_all_levels_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    const double inside_s =
        r->axes > 0 ? torus_all_to_all_s(r, moved, why) : inner_gather_s(r, moved, why);
    const double across_s = outer_gather_s(r, moved, why);
    NNC_SAY(why, collective_s, "s", inside_s + across_s);
    return collective_s;
}

double nnc_broadcast_ring_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    const double bytes_per_s = flat_bytes_per_s(r, why), latency_s = flat_latency_s(r, why);
    NNC_LET(why, ranks, NULL, r->size);
    NNC_SAY(why, collective_s, "s", (ranks - 1.0) * latency_s + moved / bytes_per_s);
    return collective_s;
}

double nnc_broadcast_tree_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    double inside_s = 0.0, across_s = 0.0;
    NNC_LET(why, inner_depth, NULL, ceil_log2(r->inner));
    NNC_LET(why, outer_depth, NULL, ceil_log2(r->outer));
    if (r->outer > 1) {
        NNC_SET(why, across_s, "s",
                outer_depth * (r->outer_latency_s + moved / r->outer_bytes_per_s));
    }
    if (r->inner > 1) {
        NNC_SET(why, inside_s, "s",
                inner_depth * (r->inner_latency_s + moved / r->inner_bytes_per_s));
    }
    NNC_PUT(why, across_s, "s");
    NNC_PUT(why, inside_s, "s");
    NNC_SAY(why, collective_s, "s", across_s + inside_s);
    return collective_s;
}

/* From domain to domain through all NICs of each, then along all axes at once. */
double nnc_torus_broadcast_s(const nnc_route *r, double moved, nnc_derivation *why)
{
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

/* From each rank to the next, all at once: the slowest of the hops. */
double nnc_hop_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    int32_t links = 1;
    double inside_s = 0.0, across_s = 0.0;
    for (int32_t i = 0; i < r->axes; i++) {
        links = r->axis_stride[i] > links ? r->axis_stride[i] : links;
    }
    NNC_PUT(why, links, NULL);
    NNC_PUT(why, r->link_bytes_per_s, "B/s");
    if (r->inner > 1) {
        NNC_SET(why, inside_s, "s", links * (r->inner_latency_s + moved / r->link_bytes_per_s));
    }
    if (r->outer > 1) {
        NNC_SET(why, across_s, "s", r->outer_latency_s + moved / r->outer_bytes_per_s);
    }
    NNC_PUT(why, inside_s, "s");
    NNC_PUT(why, across_s, "s");
    NNC_SAY(why, collective_s, "s", nnc_max(inside_s, across_s));
    NNC_NOTE(why, "from each rank to the next, all at once: the slowest of the hops");
    return collective_s;
}
