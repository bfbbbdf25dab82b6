/* Communication of a plan: the route of each group of ranks, the seconds of a collective in a training step, and the
 * least time for which a collective occupies each fabric. A route has the number of ranks of the group in one scale-up
 * domain, rates and latencies inside a domain and between domains, and the axes of a torus or ring that the group
 * spans.   [routes] */
#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "shape/shape_internal.h"

/* ---- the route of a group of ranks ---- */

/* TORUS_AXES: largest number of axes of a torus. CUBE_ROOT_MAX: largest side of a cube whose number of ranks fits into
 * an int32_t. */
enum { TORUS_AXES = 3, CUBE_ROOT_MAX = 1290 };

/* A box of ranks in a torus, with its shortest axis first; an axis that the torus does not have has length 1. */
typedef struct box {
    int32_t length[TORUS_AXES];
    bool wraps[TORUS_AXES];
} box;

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static int32_t ceil_div(int32_t a, int32_t b) { return (int32_t)nnc_ceil_div(a, b); }

static double scale_out_rate(const nnc_device *device) {
    const double shared = device->scale_out.oversubscription;
    return device->scale_out.bytes_per_s / (shared > 1.0 ? shared : 1.0);
}

static double latency(double recorded_s) { return isnan(recorded_s) ? 0.0 : recorded_s; }

static nnc_status missing(const nnc_device *device, const char *figure, int32_t size, nnc_error *err) {
    char where[sizeof(err->where)];
    snprintf(where, sizeof(where), "%s: %s", device->path != NULL ? device->path : device->id, figure);
    return nnc_fail(err, NNC_BAD_SPEC, where,
                    "missing, expected a value, because a group of %d ranks uses this link, found nothing", size);
}

/* Returns the number of devices in the whole scale-up fabric (a pod, for example); 0 = the device file does not state
 * the number. */
static int32_t fabric_devices(const nnc_scale_up *up) {
    int64_t devices = up->devices;
    if (devices == 0 && up->kind == NNC_LINK_TORUS) {
        devices = 1;
        for (int32_t i = 0; i < up->dims_count && devices <= INT32_MAX; i++) { devices *= up->dims[i]; }
    }
    return devices < INT32_MAX ? (int32_t)devices : INT32_MAX;
}

static box whole_torus(const nnc_scale_up *up) {
    box pod = { { 1, 1, 1 }, { false, false, false } };
    for (int32_t i = 0; i < up->dims_count; i++) {
        int32_t at = 0; /* index at which axis i is inserted; the loop moves shorter axes to the front, so the lengths
                         * stay sorted */
        for (; at < TORUS_AXES - 1 && pod.length[at + 1] < up->dims[i]; at++) {
            pod.length[at] = pod.length[at + 1];
            pod.wraps[at] = pod.wraps[at + 1];
        }
        pod.length[at] = up->dims[i];
        pod.wraps[at] = i < up->wrap_count && up->wrap[i];
    }
    return pod;
}

/* Finds a box with n ranks that fits into the pod and is as near to a cube as possible: its shortest side is as long as
 * possible; among boxes with the same shortest side, the middle side is as long as possible. Writes the three side
 * lengths of the box, whose product is n, to `length`. Returns false if no box has n ranks. */
static bool cubic(const box *pod, int32_t n, int32_t length[TORUS_AXES]) {
    const int64_t b_max = pod->length[1], c_max = pod->length[2];
    int32_t a = least(pod->length[0], CUBE_ROOT_MAX);
    while (a * a * a > n) { a--; }
    for (; a >= 1 && a * b_max * c_max >= n; a--) {
        if (n % a != 0) { continue; }
        const int32_t rest = n / a;
        int32_t b = least(pod->length[1], (int32_t)sqrt((double)rest));
        for (; b >= a && b * c_max >= rest; b--) {
            if (rest % b == 0) {
                length[0] = a;
                length[1] = b;
                length[2] = rest / b;
                return true;
            }
        }
    }
    return false;
}

/* Returns the slice (box of ranks) of a torus that n ranks occupy. An axis of the slice keeps its wrap-around links if
 * it has the full length of the pod (TPU v5e, v6e). In three dimensions all axes keep their wrap-around links if the
 * slice consists of whole 4x4x4 cubes, because optical switches connect the faces of cubes freely (Jouppi et al., TPU
 * v4, arXiv:2304.01433; Cloud TPU documentation of v4 and v5p). If no box has n ranks, the n ranks count as a line. */
static box slice_of(const nnc_scale_up *up, int32_t n) {
    const box pod = whole_torus(up);
    box slice = { { 1, 1, n }, { false, false, false } };
    if (!cubic(&pod, n, slice.length)) { return slice; }
    bool cubes = up->dims_count == TORUS_AXES;
    for (int32_t i = 0; i < TORUS_AXES; i++) { cubes = cubes && slice.length[i] % 4 == 0; }
    for (int32_t i = 0; i < TORUS_AXES; i++) {
        slice.wraps[i] = pod.wraps[i] && (cubes || slice.length[i] == pod.length[i]);
    }
    return slice;
}

static void add_axis(nnc_route *route, int32_t length, int32_t stride, bool wraps) {
    route->axis_length[route->axes] = length;
    route->axis_stride[route->axes] = stride;
    route->axis_wraps[route->axes] = wraps;
    route->axes++;
}

/* Places the ranks of a group that are in one domain along the axes of a torus. If the group takes every k-th rank of
 * an axis, k groups share its links: each group gets 1/k of the rate, and a message to the next rank of the group
 * crosses k links. A group that does not fill an axis has a line there, without wrap-around links. up: if k does not
 * divide the length of an axis, rounds the number of ranks up instead of down. Returns false if the axes have too few
 * places for the ranks. */
static bool span_axes_by(const box *slice, int32_t stride, bool up, nnc_route *route) {
    int32_t left = route->inner;
    int64_t base = 1; /* difference between the rank numbers of two ranks that are neighbours along the axis */
    route->axes = 0;
    for (int32_t i = 0; i < TORUS_AXES && left > 1; i++) {
        const int32_t length = slice->length[i];
        const int32_t step = stride > base ? (int32_t)(stride / base) : 1;
        const int32_t places = up ? ceil_div(length, step) : length / step;
        const int32_t along = least(left, places);
        if (along > 1) {
            add_axis(route, along, step, slice->wraps[i] && along * step == length);
            left = ceil_div(left, along);
        }
        base *= length;
    }
    return left == 1;
}

static void span_axes(const box *slice, int32_t stride, nnc_route *route) {
    if (!span_axes_by(slice, stride, false, route) && !span_axes_by(slice, stride, true, route)) {
        route->axes = 0;
        add_axis(route, route->inner, stride, false);
    }
}

/* Sets the members of a route that describe its links inside one domain, if these links form a torus or ring;
 * route->link_bytes_per_s is set already. The rate of a gather on a torus or ring is the sum of the rates of all links
 * through which a rank receives, over all axes. Software reaches the sum of the rates of all links if parts of the data
 * cross the axes in different orders. On a line without wrap-around, the rate is that of one link per rank, because
 * ranks at the ends have no second link. */
static void torus_route(const nnc_scale_up *up, int32_t ranks, int32_t stride, nnc_route *route) {
    box slice = { { 1, 1, ranks }, { false, false, ranks == fabric_devices(up) } };
    if (up->kind == NNC_LINK_TORUS) { slice = slice_of(up, ranks); }
    span_axes(&slice, stride, route);
    double links = 0.0;
    for (int32_t i = 0; i < route->axes; i++) { links += (route->axis_wraps[i] ? 2.0 : 1.0) / route->axis_stride[i]; }
    route->inner_bytes_per_s = links * route->link_bytes_per_s;
}

/* Sets the members of a route that describe its links inside one scale-up domain. ranks: how many ranks of the whole
 * plan one domain holds. */
static void inner_route(const nnc_device *device, int32_t ranks, int32_t stride, nnc_route *route) {
    const nnc_scale_up *up = &device->scale_up;
    const double rate = device->scale_up.bytes_per_s;
    route->inner_latency_s = latency(up->latency_s);
    route->inner_bytes_per_s = route->link_bytes_per_s = rate;
    if (up->kind == NNC_LINK_MESH) {
        const int32_t fabric = fabric_devices(up);
        const int32_t peers = (fabric > route->inner ? fabric : route->inner) - 1;
        route->link_bytes_per_s = rate / peers;
        route->inner_bytes_per_s = route->link_bytes_per_s * (route->inner - 1);
    } else if (up->kind == NNC_LINK_TORUS) {
        torus_route(up, ranks, stride, route);
    } else if (up->kind == NNC_LINK_RING) {
        route->link_bytes_per_s = rate / 2.0; /* in a ring, each device has two links */
        torus_route(up, ranks, stride, route);
    } else {
        route->reduces_in_switch = up->kind == NNC_LINK_SWITCH && up->reduces_in_switch;
    }
}

/* Returns the name of the link that limits a large message: "scale_up" or "scale_out". A ring through all ranks is as
 * slow as the slower of the links of a domain and all its NICs together. If a hierarchical algorithm is faster than the
 * ring, the NICs are the slower link. A torus has only hierarchical algorithms, so their time inside a domain is
 * compared with their time between domains. */
static const char *slower_link(const nnc_route *route) {
    const double inner = route->inner, outer = route->outer;
    if (route->inner == 1 || route->outer == 1) { return route->outer > 1 ? "scale_out" : "scale_up"; }
    const double nics = inner * route->outer_bytes_per_s;
    const double share = route->axes == 0 ? 1.0 : (inner - 1.0) / inner * outer / (outer - 1.0);
    return share * nics > route->inner_bytes_per_s ? "scale_up" : "scale_out";
}

/* Returns how many ranks of the whole plan share one scale-up domain; 0 = the device file does not state the size of a
 * domain. */
static int32_t domain_of(const nnc_scale_up *up, int32_t devices_per_node) {
    const int32_t fabric = fabric_devices(up);
    if (up->kind == NNC_LINK_NONE) { return 1; }
    if (devices_per_node == 0) { return fabric; }
    return up->kind == NNC_LINK_TORUS ? least(devices_per_node, fabric) : devices_per_node;
}

/* Returns the fitted values for collectives of a device. NULL = the device has no such values, and its collectives
 * reach the full rates. A device on PCIe always has fitted values for collectives: cards on PCIe share bridges, so the
 * reader of device files sets values even if none were measured. */
static const nnc_collective_efficiencies *fitted_of(const nnc_device *device) {
    const nnc_efficiencies *e = &device->efficiency;
    const bool pcie = device->scale_up.kind == NNC_LINK_PCIE && e->basis != NNC_BASIS_NONE;
    return e->collectives.fitted || pcie ? &e->collectives : NULL;
}

nnc_status nnc_route_find(const nnc_device *device, int32_t devices, int32_t devices_per_node, int32_t size,
                          int32_t stride, nnc_route *route, nnc_error *err) {
    const nnc_scale_up *up = &device->scale_up;
    *route = (nnc_route){ .size = size, .inner = 1, .outer = 1, .link = "scale_up" };
    if (size <= 1) { return NNC_OK; }
    const int32_t domain = domain_of(up, devices_per_node);
    if (domain == 0) { return missing(device, "scale_up.devices", size, err); }
    const int32_t per_domain = devices <= domain ? size : stride >= domain ? 1 : domain / stride;
    route->inner = least(size, per_domain);
    route->outer = ceil_div(size, route->inner);
    if (route->inner > 1) {
        if (isnan(up->bytes_per_s)) { return missing(device, "scale_up.bytes_per_s", size, err); }
        inner_route(device, least(devices, domain), stride, route);
    }
    if (route->outer > 1) {
        if (isnan(device->scale_out.bytes_per_s)) { return missing(device, "scale_out.bytes_per_s", size, err); }
        route->outer_bytes_per_s = scale_out_rate(device);
        route->outer_latency_s = latency(device->scale_out.latency_s);
    }
    route->link = slower_link(route);
    route->fitted = fitted_of(device);
    const double knee_bytes =
        strcmp(route->link, "scale_out") == 0 ? device->scale_out.knee_bytes : device->scale_up.knee_bytes;
    route->knee_bytes = knee_bytes > 0.0 ? knee_bytes : 0.0;
    return NNC_OK;
}

/* ---- routes and seconds of the communication of a plan ---- */

typedef enum axis { TENSOR, CONTEXT, DATA, PIPELINE, AXES } axis;

/* The degrees of parallelism in the order in which ranks are numbered: ranks that differ only in the first degree have
 * successive numbers. */
typedef axis order[AXES];
#define ORDER(a, b, c, d) static const order NNC_ROW(NNC_ORDER_##a##_##b##_##c##_##d) = { a, b, c, d };
ORDER(TENSOR, CONTEXT, DATA, PIPELINE)
ORDER(TENSOR, CONTEXT, PIPELINE, DATA)
ORDER(TENSOR, PIPELINE, CONTEXT, DATA)
#undef ORDER
static const order *const orders[] = { NNC_RANK_ORDER_LIST(NNC_ROW_AT) };

/* For each degree of parallelism, sets strides[axis] to the difference between the rank numbers of two ranks that
 * differ in this degree by one. */
static void strides_of(const nnc_plan *plan, int32_t strides[AXES]) {
    const int32_t degrees[AXES] = { plan->tensor, plan->context, plan->data, plan->pipeline };
    int32_t stride = 1;
    for (int i = 0; i < AXES; i++) {
        const axis a = (*orders[plan->rank_order])[i];
        strides[a] = stride;
        stride *= degrees[a];
    }
}

nnc_status nnc_network_find(const nnc_device *device, const nnc_plan *plan, nnc_network *network, nnc_error *err) {
    int32_t strides[AXES];
    strides_of(plan, strides);
    const int32_t replicas = plan->data * plan->context;
    const bool adjacent = strides[DATA] == strides[CONTEXT] * plan->context;
    /* The group of all data and context ranks has the stride of the context ranks if the data ranks follow directly
     * after the context ranks in the numbering; otherwise the group has the stride of the data ranks. */
    const int32_t base = plan->context == 1 || !adjacent ? strides[DATA] : strides[CONTEXT];
    const int32_t same_experts = nnc_plan_expert_ranks(plan) / plan->expert;
    const int32_t expert_base = plan->whole_experts ? base / plan->tensor : base;
    /* without ZeRO no tensor is divided: the gradients of experts are summed over all their copies at once */
    const int32_t expert_shard = plan->zero > 0 && plan->shard < same_experts ? plan->shard : same_experts;
    const struct {
        int32_t size, stride;
    } groups[NNC_ROUTE_COUNT] = {
        [NNC_ROUTE_TENSOR] = { plan->tensor, strides[TENSOR] },
        [NNC_ROUTE_CONTEXT] = { plan->context, strides[CONTEXT] },
        [NNC_ROUTE_EXPERT] = { plan->expert, expert_base },
        [NNC_ROUTE_SHARD] = { plan->shard, base },
        [NNC_ROUTE_REPLICA] = { replicas / plan->shard, base * plan->shard },
        [NNC_ROUTE_EXPERT_SHARD] = { expert_shard, expert_base * plan->expert },
        [NNC_ROUTE_EXPERT_REPLICA] = { same_experts / expert_shard, expert_base * plan->expert * expert_shard },
        [NNC_ROUTE_PIPELINE] = { plan->pipeline, strides[PIPELINE] },
    };
    memset(network, 0, sizeof *network);
    network->host_bytes_per_s = device->host.bytes_per_s;
    network->host_mem_bytes_per_s =
        isnan(device->host.mem_bytes_per_s) ? NNC_HOST_MEM_BYTES_PER_S : device->host.mem_bytes_per_s;
    for (int i = 0; i < NNC_ROUTE_COUNT; i++) {
        NNC_TRY(nnc_route_find(device, plan->devices, plan->devices_per_node, groups[i].size, groups[i].stride,
                               &network->routes[i], err));
    }
    if (plan->offload != 0 && isnan(device->host.bytes_per_s)) {
        return nnc_fail(err, NNC_BAD_SPEC, device->id,
                        "offload needs host.bytes_per_s, which the device file does not record, "
                        "expected --set host.bytes_per_s=...");
    }
    return NNC_OK;
}

/* Returns the seconds of an offload transfer over the host link, or of an optimizer update in host memory. */
static double offload_s(const nnc_network *network, const nnc_collective_op *exchange, double count,
                        nnc_derivation *why) {
    const bool memory = exchange->route == NNC_OFFLOAD_HOST_MEMORY;
    NNC_PUT(why, exchange->bytes, "B");
    NNC_LET(why, host_bytes_per_s, "B/s",
            memory ? NNC_HOST_UPDATE_SHARE * network->host_mem_bytes_per_s : network->host_bytes_per_s);
    NNC_SAY(why, network_s, "s", count * (exchange->bytes / host_bytes_per_s));
    NNC_NOTE(why, memory ? "time of the update in host memory" : "transfers between device memory and host memory");
    return network_s;
}

/* Returns the mean number of scale-up domains that the copies of a token reach. If the router sends each token only to
 * a few groups of experts (groups_met > 0), the formula draws groups_met groups without replacement. A group of experts
 * may span several scale-up domains, or a domain may hold several groups of experts. */
NNC_SAYING double reached(const nnc_collective_op *e, double domains, nnc_derivation *why) {
    NNC_LET(why, copies, NULL, e->copies);
    if (!(e->groups_met > 0.0)) {
        NNC_SAY(why, reached_domains, NULL, domains * (1.0 - pow(1.0 - 1.0 / domains, copies)));
        NNC_NOTE(why, "domains that the copies of a token reach, if each copy goes to a random domain");
        return reached_domains;
    }
    NNC_LET(why, groups, NULL, e->groups);
    NNC_LET(why, groups_met, NULL, e->groups_met);
    if (domains > groups) {
        NNC_SAY(why, domains_per_group, NULL, domains / groups);
        NNC_SAY(why, reached_domains, NULL,
                groups_met * domains_per_group * (1.0 - pow(1.0 - 1.0 / domains_per_group, copies / groups_met)));
        NNC_NOTE(why, "domains that the copies of a token reach: the router selects groups of experts, and a group "
                      "spans several domains");
        return reached_domains;
    }
    NNC_SAY(why, groups_per_domain, NULL, groups / domains);
    double missed = 1.0;
    for (int i = 0; i < (int)groups_met; i++) { missed *= nnc_max(0.0, groups - groups_per_domain - i) / (groups - i); }
    NNC_PUT(why, missed, NULL);
    NNC_NOTE(why, "share of domains without a group that the router selected (groups are drawn without replacement)");
    NNC_SAY(why, reached_domains, NULL, domains * (1.0 - missed));
    return reached_domains;
}

double nnc_network_reached_domains(const nnc_collective_op *op, double domains, nnc_derivation *why) {
    return reached(op, domains, why);
}

double nnc_network_carried_bytes(const nnc_network *network, const nnc_collective_op *exchange, bool ideal,
                                 nnc_derivation *why) {
    const double bytes = exchange->bytes;
    const nnc_route *route = &network->routes[nnc_network_route_of(exchange)];
    const double copies = exchange->copies;
    /* in ideal mode, ranks of a group in one domain are counted as if each rank were a domain */
    const bool within = ideal && route->outer == 1;
    NNC_LET(why, domains, NULL, within ? route->inner : route->outer);
    if (!(copies > 1.0 && domains > 1.0 && (ideal || exchange->once_per_node))) { return bytes; }
    NNC_LET(why, all_bytes, "B", bytes);
    const double reached_domains = reached(exchange, domains, why);
    NNC_PUT(why, copies, NULL);
    NNC_PUT(why, reached_domains, NULL);
    NNC_SAY(why, carried, "B", all_bytes * reached_domains / copies);
    NNC_NOTE(why, "each token is sent once to each domain that its copies reach");
    return carried;
}

/* Returns the seconds of `count` collectives from the fitted values of the route. step_fixed_s is added for each
 * collective: it is the time to launch the collective and to wait for the slowest rank. */
static double fitted_s(const nnc_route *route, nnc_collective kind, double bytes, double count, const char **by,
                       nnc_derivation *why) {
    const double predicted_s = nnc_collective_say_predicted_s(route, kind, bytes, why, by);
    NNC_LET(why, step_fixed_s, "s", route->fitted->step_fixed_s);
    NNC_PUT(why, predicted_s, "s");
    NNC_SAY(why, network_s, "s", count * (predicted_s + step_fixed_s));
    NNC_NOTE(why, "time before overlap; rates are measured ones, of one direction of one rank; step_fixed_s: launch of "
                  "a call, and waiting for the slowest rank");
    return network_s;
}

/* Returns the seconds of a collective or offload transfer, and sets *by to the name of its algorithm ("host link" for
 * offload). */
static double exchange_s(const nnc_network *network, const nnc_collective_op *exchange, const char **by,
                         nnc_derivation *why) {
    NNC_LET(why, count, NULL, exchange->count > 0.0 ? exchange->count : 1.0);
    const nnc_route *route = &network->routes[nnc_network_route_of(exchange)];
    if (exchange->comm == NNC_COMM_OFFLOAD) {
        *by = "host link";
        return offload_s(network, exchange, count, why);
    }
    const double bytes = nnc_network_carried_bytes(network, exchange, false, why);
    NNC_PUT(why, bytes, "B");
    if (route->fitted != NULL && bytes > 0.0 && route->size > 1) {
        return fitted_s(route, exchange->forward, bytes, count, by, why);
    }
    const double collective_s = nnc_collective_say_s(route, exchange->forward, bytes, NNC_ALGORITHM_ALL, why, by);
    NNC_PUT(why, collective_s, "s");
    NNC_SAY(why, network_s, "s", count * collective_s);
    NNC_NOTE(why, "time before overlap; rates are of one direction of one rank");
    return network_s;
}

static bool equal(const double *a, const double *b) { return memcmp((const void *)a, (const void *)b, sizeof *a) == 0; }

bool nnc_network_same(const nnc_collective_op *a, const nnc_collective_op *b) {
    return a->comm == b->comm && a->route == b->route && a->forward == b->forward && equal(&a->bytes, &b->bytes) &&
           equal(&a->count, &b->count) && equal(&a->copies, &b->copies) && equal(&a->groups, &b->groups) &&
           equal(&a->groups_met, &b->groups_met) && a->once_per_node == b->once_per_node;
}

double nnc_network_exchange_s(const nnc_network *network, const nnc_collective_op *exchange, const char **link) {
    const char *by = NULL;
    *link = exchange->comm == NNC_COMM_OFFLOAD ? "host" : network->routes[nnc_network_route_of(exchange)].link;
    return exchange_s(network, exchange, &by, NULL);
}

const char *nnc_network_say_s(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why) {
    const char *by = NULL;
    exchange_s(network, exchange, &by, why);
    NNC_SOURCE(why, "Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel "
                    "Computing 35(12), 2009 (tree)");
    return by;
}

const char *nnc_fabric_name(nnc_fabric fabric) {
    static const char *const names[NNC_FABRICS] = { "scale_up", "scale_out", "host" };
    return names[fabric];
}

/* Bytes that one rank receives in a collective. The group has G ranks in each of M domains; the full tensor has S
 * bytes. The table gives the bytes for each kind of collective.
 *     collective                    from ranks of its domain           from ranks of other domains
 *     all-gather, reduce-scatter    S (G - 1) / G                      (S / G) (M - 1) / M
 *     all-reduce                    2 S (G - 1) / G; if a switch in    2 (S / G) (M - 1) / M
 *                                   the domain reduces: S
 *     all-to-all                    (S / M) (G - 1) / G                S (M - 1) / M
 *     broadcast                     S                                  S / G
 *     message                       S                                  S */
typedef struct bytes_in {
    double inside, across;
} bytes_in;

NNC_SAYING bytes_in bytes_of(const nnc_route *r, nnc_collective kind, double moved, nnc_derivation *why) {
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
            NNC_NOTE(why, "the switch adds up the data of all ranks, so a rank sends its data once");
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

/* Returns the seconds for which an all-to-all on a torus occupies its busiest links, those in the middle of an axis.
 * [collectives] */
NNC_SAYING double torus_pairs_s(const nnc_route *r, double moved, nnc_derivation *why) {
    double inside_s = 0.0;
    NNC_LET(why, domains, NULL, r->outer);
    NNC_PUT(why, r->link_bytes_per_s, "B/s");
    for (int32_t i = 0; i < r->axes; i++) {
        NNC_LET(why, longest_s, "s", inside_s);
        NNC_LET(why, length, NULL, r->axis_length[i]);
        NNC_LET(why, links, NULL, (r->axis_wraps[i] ? 2.0 : 1.0) / r->axis_stride[i]);
        NNC_SET(why, inside_s, "s", nnc_max(longest_s, moved / domains * length / (4.0 * links * r->link_bytes_per_s)));
        NNC_NOTE(why, "the larger of the time along this axis and the longest time so far");
    }
    return inside_s;
}

/* Returns the rate at which a rank receives bytes inside its domain. For a point-to-point message, the result is the
 * rate of one link divided by the largest number of links between a rank and the next rank of its group along an
 * axis. */
NNC_SAYING double inside_rate(const nnc_route *r, nnc_collective kind, nnc_derivation *why) {
    int32_t links = 1;
    if (kind != NNC_P2P) {
        NNC_PUT(why, r->inner_bytes_per_s, "B/s");
        return r->inner_bytes_per_s;
    }
    for (int32_t i = 0; i < r->axes; i++) { links = r->axis_stride[i] > links ? r->axis_stride[i] : links; }
    NNC_PUT(why, r->link_bytes_per_s, "B/s");
    NNC_PUT(why, links, NULL);
    NNC_SAY(why, hop_bytes_per_s, "B/s", r->link_bytes_per_s / links);
    return hop_bytes_per_s;
}

/* Seconds for which one call of a collective occupies the links inside domains, the links between domains, and the host
 * link. */
typedef struct loads {
    double inside_s, across_s, host_s;
} loads;

NNC_SAYING loads collective_loads(const nnc_route *r, nnc_collective kind, double moved, nnc_derivation *why) {
    loads l = { 0.0, 0.0, 0.0 };
    if (r->size <= 1 || !(moved > 0.0)) { return l; }
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

NNC_SAYING loads loads_of(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why) {
    loads l = { 0.0, 0.0, 0.0 };
    if (exchange->comm != NNC_COMM_OFFLOAD) {
        const double moved = nnc_network_carried_bytes(network, exchange, true, why);
        return collective_loads(&network->routes[nnc_network_route_of(exchange)], exchange->forward, moved, why);
    }
    NNC_PUT(why, exchange->bytes, "B");
    NNC_LET(why, host_bytes_per_s, "B/s",
            exchange->route == NNC_OFFLOAD_HOST_MEMORY ? network->host_mem_bytes_per_s : network->host_bytes_per_s);
    NNC_SET(why, l.host_s, "s", exchange->bytes / host_bytes_per_s);
    return l;
}

static double count_of(const nnc_collective_op *exchange) { return exchange->count > 0.0 ? exchange->count : 1.0; }

void nnc_fabric_load(const nnc_network *network, const nnc_collective_op *exchange, double load_s[NNC_FABRICS]) {
    const loads l = loads_of(network, exchange, NULL);
    const double count = count_of(exchange);
    load_s[NNC_FABRIC_SCALE_UP] = count * l.inside_s;
    load_s[NNC_FABRIC_SCALE_OUT] = count * l.across_s;
    load_s[NNC_FABRIC_HOST] = count * l.host_s;
}

void nnc_fabric_say_load(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why) {
    const loads l = loads_of(network, exchange, why);
    NNC_LET(why, count, NULL, count_of(exchange));
    NNC_PUT(why, l.inside_s, "s");
    NNC_PUT(why, l.across_s, "s");
    NNC_PUT(why, l.host_s, "s");
    NNC_SAY(why, network_s, "s", count * l.inside_s + count * l.across_s + count * l.host_s);
    NNC_NOTE(why, "time of all bytes on each kind of link, at its datasheet rate");
    (void)network_s;
}
