#include <math.h>

#include "base/number.h"
#include "cost/link.h"

/* S bytes of the full tensor, n ranks, B bytes per second, alpha seconds per step, as in the
 * papers; _i inside a domain, _o between domains.   [collectives] */

static int32_t ceil_log2(int32_t n)
{
    int32_t steps = 0;
    for (int64_t reach = 1; reach < n; reach *= 2) {
        steps++;
    }
    return steps;
}

/* n - 1 steps of S/n bytes: an all-gather or reduce-scatter around a ring, and an all-to-all of
 * S per rank. */
static double ring_s(int32_t n, double S, double B, double alpha)
{
    return n > 1 ? (n - 1.0) * alpha + (n - 1.0) / n * S / B : 0.0;
}

/* A ring through all nodes, node by node. Each NIC of a node closes a ring of its own (as NCCL
 * does), which carries its part of the data: a node's links are then as fast as all its NICs. */
static double flat_bytes_per_s(const nnc_route *r)
{
    if (r->inner == 1) {
        return r->outer_bytes_per_s;
    }
    return r->outer == 1 ? r->inner_bytes_per_s
                         : nnc_min(r->inner_bytes_per_s, r->inner * r->outer_bytes_per_s);
}

/* The steps of a ring keep pace with its slowest hop. */
static double flat_latency_s(const nnc_route *r)
{
    const double inner = r->inner > 1 ? r->inner_latency_s : 0.0;
    return r->outer > 1 ? nnc_max(inner, r->outer_latency_s) : inner;
}

static double flat_ring_s(const nnc_route *r, double S)
{
    return ring_s(r->size, S, flat_bytes_per_s(r), flat_latency_s(r));
}

/* Steps to the farthest rank of a torus, one axis after the other. */
static double torus_latency_s(const nnc_route *r)
{
    double hops = 0.0;
    for (int32_t i = 0; i < r->axes; i++) {
        const int32_t X = r->axis_length[i];
        hops += (double)r->axis_stride[i] * (r->axis_wraps[i] ? X / 2 : X - 1);
    }
    return hops * r->inner_latency_s;
}

/* On a torus bytes are on their way while the next are sent, so the longer of both counts. */
static double inner_gather_s(const nnc_route *r, double S)
{
    const double n = r->inner;
    return r->axes == 0 ? ring_s(r->inner, S, r->inner_bytes_per_s, r->inner_latency_s)
                        : nnc_max((n - 1.0) / n * S / r->inner_bytes_per_s, torus_latency_s(r));
}

static double outer_gather_s(const nnc_route *r, double S)
{
    return ring_s(r->outer, S, r->outer_bytes_per_s, r->outer_latency_s);
}

static bool two_levels(const nnc_route *r)
{
    return r->inner > 1 && r->outer > 1;
}

/* All-gather; a reduce-scatter runs the same steps backwards. In two levels the domains exchange
 * what their ranks hold, 1/inner of the tensor each. */
static double gather_s(const nnc_route *r, double S, unsigned algorithms)
{
    const double levels = inner_gather_s(r, S) + outer_gather_s(r, S / r->inner);
    const bool by_levels = (algorithms & NNC_ALGORITHM_HIERARCHICAL) != 0;
    if (!two_levels(r) || r->axes > 0) {
        return levels;
    }
    if (by_levels && (algorithms & NNC_ALGORITHM_RING) != 0) {
        return nnc_min(levels, flat_ring_s(r, S));
    }
    return by_levels ? levels : flat_ring_s(r, S);
}

/* Two trees, each with half the data, leaves of one inside the other. */
static double tree_s(const nnc_route *r, double S)
{
    const double alpha = (r->inner > 1 ? ceil_log2(r->inner) * r->inner_latency_s : 0.0) +
                         (r->outer > 1 ? ceil_log2(r->outer) * r->outer_latency_s : 0.0);
    return 2.0 * alpha + 2.0 * S / flat_bytes_per_s(r);
}

/* Reduce-scatter inside, all-reduce across, all-gather inside. */
static double all_reduce_levels_s(const nnc_route *r, double S, unsigned algorithms)
{
    const double part = S / r->inner;
    double across = 2.0 * outer_gather_s(r, part);
    if (r->outer > 1 && (algorithms & NNC_ALGORITHM_TREE) != 0) {
        across = nnc_min(across, 2.0 * ceil_log2(r->outer) * r->outer_latency_s +
                                     2.0 * part / r->outer_bytes_per_s);
    }
    return 2.0 * inner_gather_s(r, S) + across;
}

static double all_reduce_s(const nnc_route *r, double S, unsigned algorithms)
{
    if (r->axes > 0) {
        return all_reduce_levels_s(r, S, algorithms);
    }
    double best = INFINITY;
    if ((algorithms & NNC_ALGORITHM_HIERARCHICAL) != 0 && two_levels(r)) {
        best = all_reduce_levels_s(r, S, algorithms);
    }
    if ((algorithms & NNC_ALGORITHM_TREE) != 0) {
        best = nnc_min(best, tree_s(r, S));
    }
    if ((algorithms & NNC_ALGORITHM_IN_NETWORK) != 0 && r->reduces_in_switch && r->outer == 1) {
        best = nnc_min(best, 2.0 * r->inner_latency_s + S / r->inner_bytes_per_s);
    }
    if ((algorithms & NNC_ALGORITHM_RING) != 0 || isinf(best)) {
        best = nnc_min(best, 2.0 * flat_ring_s(r, S));
    }
    return best;
}

/* A byte to a random rank of an axis crosses X/4 places of a ring whose 2X links share the work; a
 * line's middle link carries a quarter of all. Axes work at once. */
static double torus_all_to_all_s(const nnc_route *r, double S)
{
    double slowest = torus_latency_s(r);
    for (int32_t i = 0; i < r->axes; i++) {
        const double links = (r->axis_wraps[i] ? 2.0 : 1.0) / r->axis_stride[i];
        slowest = nnc_max(slowest, S * r->axis_length[i] / (4.0 * links * r->link_bytes_per_s));
    }
    return slowest;
}

/* Pair by pair: inside and across use different links at the same time. */
static double pairs_s(const nnc_route *r, double S)
{
    const double near = r->inner - 1.0, far = r->size - r->inner;
    const double near_s = near > 0.0 ? S / r->size * near / r->inner_bytes_per_s : 0.0;
    const double far_s = far > 0.0 ? S / r->size * far / r->outer_bytes_per_s : 0.0;
    return near * r->inner_latency_s + far * r->outer_latency_s + nnc_max(near_s, far_s);
}

/* In two levels a rank first collects inside its domain what goes to its peers in the others. */
static double all_to_all_s(const nnc_route *r, double S, unsigned algorithms)
{
    const bool by_levels = (algorithms & NNC_ALGORITHM_HIERARCHICAL) != 0;
    const double inside = r->axes > 0 ? torus_all_to_all_s(r, S) : inner_gather_s(r, S);
    const double levels = inside + outer_gather_s(r, S);
    if (!two_levels(r) || r->axes > 0) {
        return levels;
    }
    if (by_levels && (algorithms & NNC_ALGORITHM_RING) != 0) {
        return nnc_min(levels, pairs_s(r, S));
    }
    return by_levels ? levels : pairs_s(r, S);
}

/* From domain to domain through all NICs of each, then along all axes at once. */
static double torus_broadcast_s(const nnc_route *r, double S)
{
    const double across =
        r->outer > 1 ? (r->outer - 1.0) * r->outer_latency_s + S / flat_bytes_per_s(r) : 0.0;
    return across + nnc_max(S / r->inner_bytes_per_s, torus_latency_s(r));
}

static double binomial_s(const nnc_route *r, double S)
{
    double time_s = 0.0;
    if (r->outer > 1) {
        time_s += ceil_log2(r->outer) * (r->outer_latency_s + S / r->outer_bytes_per_s);
    }
    if (r->inner > 1) {
        time_s += ceil_log2(r->inner) * (r->inner_latency_s + S / r->inner_bytes_per_s);
    }
    return time_s;
}

static double broadcast_s(const nnc_route *r, double S, unsigned algorithms)
{
    if (r->axes > 0) {
        return torus_broadcast_s(r, S);
    }
    const double ring = (r->size - 1.0) * flat_latency_s(r) + S / flat_bytes_per_s(r);
    if ((algorithms & NNC_ALGORITHM_TREE) == 0) {
        return ring;
    }
    const double tree = binomial_s(r, S);
    return (algorithms & NNC_ALGORITHM_RING) != 0 ? nnc_min(ring, tree) : tree;
}

/* From each rank to the next, all at once: the slowest of the hops. */
static double p2p_s(const nnc_route *r, double S)
{
    int32_t hops = 1;
    for (int32_t i = 0; i < r->axes; i++) {
        hops = r->axis_stride[i] > hops ? r->axis_stride[i] : hops;
    }
    const double inside =
        r->inner > 1 ? hops * (r->inner_latency_s + S / r->link_bytes_per_s) : 0.0;
    return r->outer > 1 ? nnc_max(inside, r->outer_latency_s + S / r->outer_bytes_per_s) : inside;
}

double nnc_collective_by_s(const nnc_route *route, nnc_collective kind, double bytes,
                           unsigned algorithms)
{
    if (route->size <= 1) {
        return 0.0;
    }
    if (route->knee_bytes > 0.0) {
        bytes += sqrt(route->knee_bytes * bytes);
    }
    switch (kind) {
    case NNC_NO_COLLECTIVE: return 0.0;
    case NNC_ALL_REDUCE: return all_reduce_s(route, bytes, algorithms);
    case NNC_ALL_GATHER:
    case NNC_REDUCE_SCATTER: return gather_s(route, bytes, algorithms);
    case NNC_ALL_TO_ALL: return all_to_all_s(route, bytes, algorithms);
    case NNC_BROADCAST: return broadcast_s(route, bytes, algorithms);
    case NNC_P2P: return p2p_s(route, bytes);
    default: break;
    }
    return NAN;
}

double nnc_collective_s(const nnc_route *route, nnc_collective kind, double bytes)
{
    return nnc_collective_by_s(route, kind, bytes, NNC_ALGORITHM_ALL);
}

static const nnc_collective_efficiency *efficiency_of(const nnc_collective_efficiencies *fitted,
                                                      nnc_collective kind)
{
    switch (kind) {
    case NNC_ALL_REDUCE: return &fitted->all_reduce;
    case NNC_ALL_GATHER: return &fitted->all_gather;
    case NNC_REDUCE_SCATTER: return &fitted->reduce_scatter;
    case NNC_ALL_TO_ALL: return &fitted->all_to_all;
    default: return NULL;
    }
}

/* The route at the rates that collectives reach. Latency inside a domain is in the fixed costs. */
static nnc_route reached(const nnc_route *route, const nnc_collective_efficiency *e)
{
    nnc_route r = *route;
    const double ranks = r.inner > 1 ? (double)r.inner : 2.0;
    const double share = e->bus_fraction * (1.0 - e->small_group_loss / (ranks * ranks));
    r.inner_bytes_per_s *= share;
    r.link_bytes_per_s *= share;
    r.outer_bytes_per_s *= r.fitted->scale_out_fraction;
    r.inner_latency_s = e->fixed_s + e->log2_s > 0.0 ? 0.0 : r.inner_latency_s;
    return r;
}

nnc_collective_fit nnc_collective_fit_of(const nnc_route *route, nnc_collective kind, double bytes)
{
    const nnc_collective_efficiency *e =
        route->fitted != NULL ? efficiency_of(route->fitted, kind) : NULL;
    nnc_collective_fit fit = { .route = *route, .algorithms = NNC_ALGORITHM_ALL, .stretch = 1.0 };
    if (e == NULL || route->size <= 1 || !(bytes > 0.0)) {
        return fit;
    }
    fit.route = reached(route, e);
    fit.algorithms &= ~(unsigned)NNC_ALGORITHM_IN_NETWORK;
    fit.stretch += sqrt(e->knee_bytes / nnc_collective_sent_bytes(kind, route->size, bytes));
    fit.fixed_s = e->fixed_s + (route->inner > 1 ? e->log2_s * log2((double)route->inner) : 0.0) +
                  (route->outer > 1 ? route->fitted->scale_out_fixed_s : 0.0);
    return fit;
}

double nnc_collective_predicted_s(const nnc_route *route, nnc_collective kind, double bytes)
{
    const nnc_collective_fit fit = nnc_collective_fit_of(route, kind, bytes);
    return fit.stretch * nnc_collective_by_s(&fit.route, kind, bytes, fit.algorithms) + fit.fixed_s;
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
