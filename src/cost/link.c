/* The route of a group of ranks: how many ranks share a domain, the rate and latency inside it and between domains, and
 * in a torus or ring the axes that the group spans.   [routes] */
#include "base/base_internal.h"
#include "cost/cost_internal.h"

enum {
    AXES = 3,
    CUBE_ROOT_MAX = 1290
}; /* number of axes; largest side of a cube whose number of ranks fits into an
                                          * int32_t */

/* A box of ranks in a torus, shortest axis first. A missing axis has length 1. */
typedef struct box {
    int32_t length[AXES];
    bool wraps[AXES];
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
                    "missing, expected the figure that a group of %d ranks needs, found nothing", size);
}

/* Returns the number of devices in the full scale-up fabric; 0 = not recorded. */
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
        int32_t at = 0; /* place of axis i; the loop moves shorter axes to the front to keep the lengths sorted */
        for (; at < AXES - 1 && pod.length[at + 1] < up->dims[i]; at++) {
            pod.length[at] = pod.length[at + 1];
            pod.wraps[at] = pod.wraps[at + 1];
        }
        pod.length[at] = up->dims[i];
        pod.wraps[at] = i < up->wrap_count && up->wrap[i];
    }
    return pod;
}

/* Writes n as a product of three lengths that fit into the pod, as near to a cube as possible. Prefers the largest
 * shortest side, then the largest middle side. Returns false if n has no such product. */
static bool cubic(const box *pod, int32_t n, int32_t length[AXES]) {
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

/* Returns the part of a torus that n ranks occupy. An axis keeps its wrap-around links if it has the full length of the
 * pod (TPU v5e, v6e). In three dimensions, all axes also keep them if the slice consists of whole 4x4x4 cubes, because
 * optical switches connect the faces of cubes freely (Jouppi et al., TPU v4, arXiv:2304.01433; Cloud TPU documentation
 * of v4 and v5p). A number of ranks that fits no box is treated as a line. */
static box slice_of(const nnc_scale_up *up, int32_t n) {
    const box pod = whole_torus(up);
    box slice = { { 1, 1, n }, { false, false, false } };
    if (!cubic(&pod, n, slice.length)) { return slice; }
    bool cubes = up->dims_count == AXES;
    for (int32_t i = 0; i < AXES; i++) { cubes = cubes && slice.length[i] % 4 == 0; }
    for (int32_t i = 0; i < AXES; i++) { slice.wraps[i] = pod.wraps[i] && (cubes || slice.length[i] == pod.length[i]); }
    return slice;
}

static void add_axis(nnc_route *route, int32_t length, int32_t stride, bool wraps) {
    route->axis_length[route->axes] = length;
    route->axis_stride[route->axes] = stride;
    route->axis_wraps[route->axes] = wraps;
    route->axes++;
}

/* Places the inner ranks of a group along the axes of a torus. If the group takes every k-th place of an axis, k groups
 * share the links of the axis: each group has 1/k of the rate, and a message to the next rank crosses k links. A group
 * that fills only a part of an axis has a line there, without wrap-around. up: if k does not divide an axis, rounds the
 * number of places up instead of down. Returns false if some ranks find no place. */
static bool span_axes_by(const box *slice, int32_t stride, bool up, nnc_route *route) {
    int32_t left = route->inner;
    int64_t base = 1; /* distance in rank numbers between neighbours along the axis */
    route->axes = 0;
    for (int32_t i = 0; i < AXES && left > 1; i++) {
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

/* Sets the inner route of a torus or ring; the caller has set link_bytes_per_s. The rate of a gather is the rate of all
 * links through which a rank receives, over all axes; software reaches it if parts of the data take the axes in
 * different orders. On a line without wrap-around only one link per rank counts, because ranks at the ends have no
 * other link. */
static void torus_route(const nnc_scale_up *up, int32_t ranks, int32_t stride, nnc_route *route) {
    box slice = { { 1, 1, ranks }, { false, false, ranks == fabric_devices(up) } };
    if (up->kind == NNC_LINK_TORUS) { slice = slice_of(up, ranks); }
    span_axes(&slice, stride, route);
    double links = 0.0;
    for (int32_t i = 0; i < route->axes; i++) { links += (route->axis_wraps[i] ? 2.0 : 1.0) / route->axis_stride[i]; }
    route->inner_bytes_per_s = links * route->link_bytes_per_s;
}

/* Sets the part of the route inside one domain. ranks: number of ranks of the world in one domain. */
static void inner_route(const nnc_device *device, int32_t ranks, int32_t stride, nnc_route *route) {
    const nnc_scale_up *up = &device->scale_up;
    /* A PCIe device counts as having its own link to a root complex that carries all links at full rate. A server whose
     * PCIe switches share an uplink is slower in reality. */
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
        route->link_bytes_per_s = rate / 2.0; /* each device of a ring has two links */
        torus_route(up, ranks, stride, route);
    } else {
        route->reduces_in_switch = up->kind == NNC_LINK_SWITCH && up->reduces_in_switch;
    }
}

/* Returns the name of the link that limits a large message. A ring through all ranks is as slow as the slower one of
 * the domain's links and its NICs. If a hierarchical algorithm is faster than the ring, the NICs are the slower link.
 * A torus has only hierarchical algorithms: compares their time inside a domain with their time between domains. */
static const char *slower_link(const nnc_route *route) {
    const double inner = route->inner, outer = route->outer;
    if (route->inner == 1 || route->outer == 1) { return route->outer > 1 ? "scale_out" : "scale_up"; }
    const double nics = inner * route->outer_bytes_per_s;
    const double share = route->axes == 0 ? 1.0 : (inner - 1.0) / inner * outer / (outer - 1.0);
    return share * nics > route->inner_bytes_per_s ? "scale_up" : "scale_out";
}

/* Returns the number of ranks of the world that share a domain; 0 = not recorded. */
static int32_t domain_of(const nnc_scale_up *up, int32_t devices_per_node) {
    const int32_t fabric = fabric_devices(up);
    if (up->kind == NNC_LINK_NONE) { return 1; }
    if (devices_per_node == 0) { return fabric; }
    return up->kind == NNC_LINK_TORUS ? least(devices_per_node, fabric) : devices_per_node;
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
    route->fitted = device->efficiency.collectives.fitted ? &device->efficiency.collectives : NULL;
    const double knee_bytes = route->outer > 1 && strcmp(route->link, "scale_out") == 0 ? device->scale_out.knee_bytes
                                                                                        : device->scale_up.knee_bytes;
    route->knee_bytes = knee_bytes > 0.0 ? knee_bytes : 0.0;
    return NNC_OK;
}
