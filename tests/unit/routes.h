/* Devices and routes for tests of collectives. The devices have links but no compute rates. The routes consist of the
 * links of these devices. */
#ifndef NNCOST_TESTS_UNIT_ROUTES_H
#define NNCOST_TESTS_UNIT_ROUTES_H

#include "cost/cost_internal.h"
#include "support.h"

enum { WRAPPED = 1, LINE = 0 };

/* A route of n ranks that are joined by a switch. */
static inline nnc_route level(int32_t n, double bytes_per_s, double latency_s) {
    return (nnc_route){ .size = n,
                        .inner = n,
                        .outer = 1,
                        .inner_bytes_per_s = bytes_per_s,
                        .inner_latency_s = latency_s,
                        .link_bytes_per_s = bytes_per_s,
                        .link = "scale_up" };
}

static inline nnc_route two_levels(int32_t inner, double inner_rate, int32_t outer, double outer_rate) {
    nnc_route route = level(inner, inner_rate, 0);
    route.size = inner * outer;
    route.outer = outer;
    route.outer_bytes_per_s = outer_rate;
    return route;
}

static inline nnc_device device_of(nnc_link_kind kind, int32_t devices, double up, double out) {
    nnc_device device = { .id = "demo" };
    device.scale_up.kind = kind;
    device.scale_up.devices = devices;
    device.scale_up.bytes_per_s = up;
    device.scale_up.latency_s = (double)NAN;
    device.scale_out.bytes_per_s = out;
    device.scale_out.latency_s = (double)NAN;
    device.scale_out.oversubscription = (double)NAN;
    return device;
}

static inline nnc_device torus(int32_t a, int32_t b, int32_t c, bool wrap, double link) {
    nnc_device device = device_of(NNC_LINK_TORUS, a * b * c, link, 3e9);
    nnc_scale_up *up = &device.scale_up;
    const int32_t dims[3] = { a, b, c };
    for (int i = 0; i < 3 && dims[i] > 1; i++) {
        up->dims[up->dims_count++] = dims[i];
        up->wrap[up->wrap_count++] = wrap;
    }
    return device;
}

static inline nnc_route route_of(const nnc_device *device, int32_t devices, int32_t per_node, int32_t size,
                                 int32_t stride) {
    nnc_route route;
    nnc_error err = { 0 };
    const nnc_status status = nnc_route_find(device, devices, per_node, size, stride, &route, &err);
    ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
    return route;
}

/* The route over all ranks of a torus with one axis. */
static inline nnc_route axis(int32_t n, bool wrap, double link) {
    const nnc_device device = torus(n, 1, 1, wrap, link);
    return route_of(&device, n, 0, n, 1);
}

#endif
