/* Collectives at the rates that a device's fitted figures give them. */
#include <math.h>

#include "cost/link.h"

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
static nnc_route reached_route(const nnc_route *route, const nnc_collective_efficiency *e,
                               nnc_derivation *why)
{
    nnc_route r = *route;
    NNC_LET(why, group, NULL, r.inner > 1 ? (double)r.inner : 2.0);
    NNC_PUT(why, e->bus_fraction, NULL);
    NNC_PUT(why, e->small_group_loss, NULL);
    NNC_SAY(why, reached, NULL, e->bus_fraction * (1.0 - e->small_group_loss / (group * group)));
    NNC_NOTE(why, "of the rate of the links inside a domain; group: its ranks there");
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

/* What one call takes besides: fixed, per doubling of the group, and when it leaves the domain. */
static double fixed_of(const nnc_route *route, const nnc_collective_efficiency *e,
                       nnc_derivation *why)
{
    NNC_LET(why, call_s, "s", e->fixed_s);
    NNC_LET(why, doubling_s, "s", route->inner > 1 ? e->log2_s : 0.0);
    NNC_LET(why, leaving_s, "s", route->outer > 1 ? route->fitted->scale_out_fixed_s : 0.0);
    NNC_PUT(why, (double)route->inner, NULL);
    NNC_SAY(why, fixed_s, "s", call_s + doubling_s * log2((double)route->inner) + leaving_s);
    return fixed_s;
}

double nnc_collective_say_predicted_s(const nnc_route *route, nnc_collective kind, double bytes,
                                      nnc_derivation *why, const char **by)
{
    const nnc_collective_efficiency *e =
        route->fitted != NULL ? efficiency_of(route->fitted, kind) : NULL;
    if (e == NULL || route->size <= 1 || !(bytes > 0.0)) {
        return nnc_collective_say_s(route, kind, bytes, NNC_ALGORITHM_ALL, why, by);
    }
    const unsigned allowed = NNC_ALGORITHM_ALL & ~(unsigned)NNC_ALGORITHM_IN_NETWORK;
    const nnc_route r = reached_route(route, e, why);
    const double collective_s = nnc_collective_say_s(&r, kind, bytes, allowed, why, by);
    NNC_LET(why, sent_bytes, "B", nnc_collective_sent_bytes(kind, route->size, bytes));
    NNC_LET(why, call_knee_bytes, "B", e->knee_bytes);
    NNC_SAY(why, stretch, NULL, 1.0 + sqrt(call_knee_bytes / sent_bytes));
    NNC_NOTE(why, "small messages; sent_bytes: what one rank sends");
    const double fixed_s = fixed_of(route, e, why);
    NNC_PUT(why, collective_s, "s");
    NNC_SAY(why, predicted_s, "s", stretch * collective_s + fixed_s);
    return predicted_s;
}

double nnc_collective_predicted_s(const nnc_route *route, nnc_collective kind, double bytes)
{
    const char *by = NULL;
    return nnc_collective_say_predicted_s(route, kind, bytes, NULL, &by);
}
