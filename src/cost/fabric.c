#include "cost/fabric.h"

#include "base/number.h"

const char *nnc_fabric_name(nnc_fabric fabric)
{
    static const char *const names[NNC_FABRICS] = { "scale_up", "scale_out", "host" };
    return names[fabric];
}

/* A rank of a group of G in each of M domains, S bytes of the full tensor. Bytes that it takes in:
 *
 *     collective                    from its domain                from the others
 *     all-gather, reduce-scatter    (G - 1)/G S                    (M - 1)/M S/G
 *     all-reduce                    twice that; S if a switch adds twice that
 *     all-to-all                    (G - 1)/G S/M                  (M - 1)/M S
 *     broadcast                     S                              S/G
 *     message                       S                              S
 */
typedef struct bytes_in {
    double inside, across;
} bytes_in;

NNC_SAYING bytes_in bytes_of(const nnc_route *r, nnc_collective kind, double moved,
                             nnc_derivation *why)
{
    bytes_in b = { 0.0, 0.0 };
    NNC_LET(why, near, NULL, r->inner);
    NNC_LET(why, domains, NULL, r->outer);
    NNC_PUT(why, moved, "B");
    switch (kind) {
    case NNC_ALL_GATHER:
    case NNC_REDUCE_SCATTER:
        NNC_SET(why, b.inside, "B", (near - 1.0) / near * moved);
        NNC_SET(why, b.across, "B", (domains - 1.0) / domains * moved / near);
        break;
    case NNC_ALL_REDUCE:
        NNC_SET(why, b.inside, "B", 2.0 * (near - 1.0) / near * moved);
        if (r->reduces_in_switch && near > 2.0) {
            NNC_SET(why, b.inside, "B", moved);
            NNC_NOTE(why, "the switch adds up");
        }
        NNC_SET(why, b.across, "B", 2.0 * (domains - 1.0) / domains * moved / near);
        break;
    case NNC_ALL_TO_ALL:
        NNC_SET(why, b.inside, "B", (near - 1.0) / near * moved / domains);
        NNC_SET(why, b.across, "B", (domains - 1.0) / domains * moved);
        break;
    case NNC_BROADCAST:
        NNC_SET(why, b.inside, "B", moved);
        NNC_SET(why, b.across, "B", moved / near);
        break;
    case NNC_P2P:
        NNC_SET(why, b.inside, "B", moved);
        NNC_SET(why, b.across, "B", moved);
        break;
    default: break;
    }
    return b;
}

/* An all-to-all on a torus loads the middle of its longest axis, as in [collectives]. */
NNC_SAYING double torus_pairs_s(const nnc_route *r, double moved, nnc_derivation *why)
{
    double inside_s = 0.0;
    NNC_LET(why, domains, NULL, r->outer);
    NNC_PUT(why, r->link_bytes_per_s, "B/s");
    for (int32_t i = 0; i < r->axes; i++) {
        NNC_LET(why, longest_s, "s", inside_s);
        NNC_LET(why, length, NULL, r->axis_length[i]);
        NNC_LET(why, links, NULL, (r->axis_wraps[i] ? 2.0 : 1.0) / r->axis_stride[i]);
        NNC_SET(why, inside_s, "s",
                nnc_max(longest_s, moved / domains * length / (4.0 * links * r->link_bytes_per_s)));
        NNC_NOTE(why, "along one axis, or what took longest before");
    }
    return inside_s;
}

/* A message crosses the links to the next rank of its group one after the other. */
NNC_SAYING double inside_rate(const nnc_route *r, nnc_collective kind, nnc_derivation *why)
{
    int32_t links = 1;
    if (kind != NNC_P2P) {
        NNC_PUT(why, r->inner_bytes_per_s, "B/s");
        return r->inner_bytes_per_s;
    }
    for (int32_t i = 0; i < r->axes; i++) {
        links = r->axis_stride[i] > links ? r->axis_stride[i] : links;
    }
    NNC_PUT(why, r->link_bytes_per_s, "B/s");
    NNC_PUT(why, links, NULL);
    NNC_SAY(why, hop_bytes_per_s, "B/s", r->link_bytes_per_s / links);
    return hop_bytes_per_s;
}

/* Of one of `count` exchanges, by fabric. */
typedef struct loads {
    double inside_s, across_s, host_s;
} loads;

NNC_SAYING loads collective_loads(const nnc_route *r, nnc_collective kind, double moved,
                                  nnc_derivation *why)
{
    loads l = { 0.0, 0.0, 0.0 };
    if (r->size <= 1 || !(moved > 0.0)) {
        return l;
    }
    const bytes_in b = bytes_of(r, kind, moved, why);
    if (r->inner > 1 && r->axes > 0 && kind == NNC_ALL_TO_ALL) {
        l.inside_s = torus_pairs_s(r, moved, why);
    } else if (r->inner > 1) {
        NNC_LET(why, inside_bytes_per_s, "B/s", inside_rate(r, kind, why));
        NNC_SET(why, l.inside_s, "s", b.inside / inside_bytes_per_s);
    }
    if (r->outer > 1) {
        NNC_PUT(why, r->outer_bytes_per_s, "B/s");
        NNC_SET(why, l.across_s, "s", b.across / r->outer_bytes_per_s);
    }
    return l;
}

NNC_SAYING loads loads_of(const nnc_network *network, const nnc_exchange *exchange,
                          nnc_derivation *why)
{
    loads l = { 0.0, 0.0, 0.0 };
    if (exchange->comm != NNC_COMM_OFFLOAD) {
        const double moved = nnc_network_carried_bytes(network, exchange, true, why);
        return collective_loads(&network->routes[nnc_network_route_of(exchange)], exchange->forward,
                                moved, why);
    }
    NNC_PUT(why, exchange->bytes, "B");
    NNC_LET(why, host_bytes_per_s, "B/s",
            exchange->route == NNC_OFFLOAD_HOST_MEMORY ? network->host_mem_bytes_per_s
                                                       : network->host_bytes_per_s);
    NNC_SET(why, l.host_s, "s", exchange->bytes / host_bytes_per_s);
    return l;
}

static double count_of(const nnc_exchange *exchange)
{
    return exchange->count > 0.0 ? exchange->count : 1.0;
}

void nnc_fabric_load(const nnc_network *network, const nnc_exchange *exchange,
                     double load_s[NNC_FABRICS])
{
    const loads l = loads_of(network, exchange, NULL);
    const double count = count_of(exchange);
    load_s[NNC_FABRIC_SCALE_UP] = count * l.inside_s;
    load_s[NNC_FABRIC_SCALE_OUT] = count * l.across_s;
    load_s[NNC_FABRIC_HOST] = count * l.host_s;
}

void nnc_fabric_say_load(const nnc_network *network, const nnc_exchange *exchange,
                         nnc_derivation *why)
{
    const loads l = loads_of(network, exchange, why);
    NNC_LET(why, count, NULL, count_of(exchange));
    NNC_PUT(why, l.inside_s, "s");
    NNC_PUT(why, l.across_s, "s");
    NNC_PUT(why, l.host_s, "s");
    NNC_SAY(why, network_s, "s", count * l.inside_s + count * l.across_s + count * l.host_s);
    NNC_NOTE(why, "what each kind of link has to carry, at its datasheet rate");
    (void)network_s;
}
