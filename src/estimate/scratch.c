/* What can be asked about the last estimate made with a scratch, beyond its result. */
#include "estimate/scratch.h"

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "estimate/timeline.h"

nnc_status nnc_timeline(nnc_scratch *scratch, const nnc_result *result, nnc_interval_fn *interval,
                        void *context, nnc_error *err)
{
    const double passes = nnc_timeline_passes(&scratch->step, &result->plan);
    if (passes > NNC_INTERVALS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--timeline",
                        "the step is too long to be shown, expected at most %d passes of all "
                        "stages, found %.0f: fewer --micro-batches or stages",
                        NNC_INTERVALS_MAX, passes);
    }
    if (!nnc_timeline_replay(&scratch->step, &result->plan, result->step_s, interval, context)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--timeline", "the schedule cannot be replayed");
    }
    return NNC_OK;
}

/* The collective runs by whatever is fastest; which one it was is seen by trying them alone. */
static nnc_algorithm algorithm_of(const nnc_route *route, nnc_collective kind, double bytes,
                                  unsigned allowed)
{
    static const struct {
        nnc_algorithm name;
        unsigned allowed;
    } tries[] = {
        { NNC_BY_RING, NNC_ALGORITHM_RING },
        { NNC_BY_TREE, NNC_ALGORITHM_TREE },
        { NNC_BY_SWITCH, NNC_ALGORITHM_IN_NETWORK },
        { NNC_BY_LEVELS, NNC_ALGORITHM_HIERARCHICAL },
    };
    const double fastest_s = nnc_collective_by_s(route, kind, bytes, allowed);
    if (kind == NNC_P2P) {
        return NNC_BY_HOP;
    }
    if (route->axes > 0) { /* a torus has only its own */
        return NNC_BY_LEVELS;
    }
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        if ((tries[i].allowed & allowed) != 0 &&
            nnc_collective_by_s(route, kind, bytes, tries[i].allowed) <= fastest_s) {
            return tries[i].name;
        }
    }
    return NNC_BY_LEVEL_TREE;
}

/* The slower of a ring's hops; a ring passes a domain through all its NICs. */
static void ring_of(const nnc_route *route, nnc_collective kind, nnc_ranks *ranks)
{
    const bool inside = route->inner > 1, across = route->outer > 1;
    const bool hop = kind == NNC_P2P;
    const double near = hop ? route->link_bytes_per_s : route->inner_bytes_per_s;
    const double far = route->outer_bytes_per_s * (hop ? 1 : route->inner);
    ranks->ring_bytes_per_s = !across ? near : !inside ? far : nnc_min(near, far);
    ranks->ring_latency_s =
        nnc_max(inside ? route->inner_latency_s : 0.0, across ? route->outer_latency_s : 0.0);
}

/* How the row was timed: as fitted, or in ideal mode by the datasheet. */
static nnc_collective_fit fit_of(const nnc_scratch *scratch, const nnc_op_cost *row, bool ideal,
                                 double bytes)
{
    const nnc_exchange *e = &row->op->u.exchange;
    const nnc_route *route = &scratch->network.routes[nnc_network_route_of(e)];
    nnc_collective_fit fit = nnc_collective_fit_of(route, e->forward, bytes);
    if (route->fitted == NULL || ideal) {
        return (nnc_collective_fit){ *route, NNC_ALGORITHM_ALL, 1.0, 0.0 };
    }
    fit.fixed_s += route->fitted->step_fixed_s;
    return fit;
}

nnc_ranks nnc_scratch_ranks(const nnc_scratch *scratch, const nnc_op_cost *exchange)
{
    const nnc_exchange *e = &exchange->op->u.exchange;
    if (e->comm == NNC_COMM_OFFLOAD) {
        const bool memory = e->route == NNC_OFFLOAD_HOST_MEMORY;
        const double rate =
            memory ? scratch->network.host_mem_bytes_per_s : scratch->network.host_bytes_per_s;
        return (nnc_ranks){ .size = 1,
                            .inner = 1,
                            .outer = 1,
                            .ring_bytes_per_s = rate,
                            .bytes = e->bytes,
                            .stretch = 1.0,
                            .link = exchange->link,
                            .algorithm = memory ? NNC_BY_HOST_MEMORY : NNC_BY_HOST_LINK };
    }
    const char *link = NULL;
    const bool ideal = exchange->network_s == nnc_network_ideal_s(&scratch->network, e, &link);
    const double bytes = nnc_network_bytes(&scratch->network, e, ideal);
    const nnc_collective_fit fit = fit_of(scratch, exchange, ideal, bytes);
    const nnc_route *route = &fit.route;
    nnc_ranks ranks = { .size = route->size,
                        .inner = route->inner,
                        .outer = route->outer,
                        .inner_bytes_per_s = route->inner_bytes_per_s,
                        .inner_latency_s = route->inner_latency_s,
                        .outer_bytes_per_s = route->outer_bytes_per_s,
                        .outer_latency_s = route->outer_latency_s,
                        .knee_bytes = route->knee_bytes,
                        .bytes = bytes,
                        .stretch = fit.stretch,
                        .fixed_s = fit.fixed_s,
                        .link = exchange->link };
    for (int32_t i = 0; i < route->axes; i++) {
        const int32_t length = route->axis_length[i];
        ranks.hops +=
            (double)route->axis_stride[i] * (route->axis_wraps[i] ? length / 2 : length - 1);
    }
    ring_of(route, e->forward, &ranks);
    ranks.algorithm = algorithm_of(route, e->forward, bytes, fit.algorithms);
    return ranks;
}

NNC_ENUM_NAMES(nnc_activity, NNC_ACTIVITY_LIST)

NNC_ENUM_NAMES(nnc_algorithm, NNC_ALGORITHM_LIST)
