/* Tests the routes of collectives and their times. Some routes are worked by hand, and random routes must obey
 * rules. */
#include "routes.h"

/* --- routes --- */

static void expect_levels(nnc_route r, int32_t inner, int32_t outer, const char *link) {
    ck_assert_int_eq(r.inner, inner);
    ck_assert_int_eq(r.outer, outer);
    ck_assert_str_eq(r.link, link);
}

START_TEST(routes_of_nodes_of_eight) {
    nnc_device d = device_of(NNC_LINK_SWITCH, 8, 450e9, 50e9);
    expect_levels(route_of(&d, 512, 0, 1, 1), 1, 1, "scale_up");
    expect_levels(route_of(&d, 512, 0, 8, 1), 8, 1, "scale_up");  /* tensor */
    expect_levels(route_of(&d, 32, 0, 4, 8), 1, 4, "scale_out");  /* data across */
    expect_levels(route_of(&d, 64, 0, 16, 4), 2, 8, "scale_out"); /* two per node */
    expect_levels(route_of(&d, 512, 0, 512, 1), 8, 64, "scale_out");
    expect_levels(route_of(&d, 64, 0, 2, 4), 2, 1, "scale_up");
    expect_levels(route_of(&d, 8, 0, 2, 4), 2, 1, "scale_up");
    expect_levels(route_of(&d, 4, 0, 4, 1), 4, 1, "scale_up");
    /* the ranks 0, 3, 6 and 9 count as 2 ranks in each of 2 nodes */
    expect_levels(route_of(&d, 64, 0, 4, 3), 2, 2, "scale_out");
    expect_levels(route_of(&d, 12, 0, 12, 1), 8, 2, "scale_out");
    /* With NICs of 100 GB/s, 8 NICs have a higher rate than 450 GB/s. */
    d.scale_out.bytes_per_s = 100e9;
    expect_levels(route_of(&d, 512, 0, 512, 1), 8, 64, "scale_up");
    /* In nodes of 4 devices, 4 x 100 GB/s are less than 450 GB/s. */
    expect_levels(route_of(&d, 512, 4, 8, 1), 4, 2, "scale_out");
}
END_TEST

START_TEST(rates_of_a_node) {
    nnc_device d = device_of(NNC_LINK_SWITCH, 8, 450e9, 50e9);
    d.scale_up.reduces_in_switch = true;
    nnc_route r = route_of(&d, 64, 0, 16, 4);
    ck_assert_double_eq(r.inner_bytes_per_s, 450e9);
    ck_assert_double_eq(r.outer_bytes_per_s, 50e9);
    ck_assert_double_eq(r.inner_latency_s, 0); /* not recorded */
    ck_assert_int_eq(r.axes, 0);
    d.scale_out.oversubscription = 2;
    d.scale_out.latency_s = 4e-6;
    r = route_of(&d, 64, 0, 8, 8);
    ck_assert_double_eq(r.outer_bytes_per_s, 25e9);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_P2P, 25e3), 5e-6, 1e-18); /* 4 us + 1 us */

    /* An all-reduce in the switch takes twice the latency plus bytes / bandwidth, but only inside a domain. */
    d.scale_up.latency_s = 1e-6;
    r = route_of(&d, 64, 0, 8, 1);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_ALL_REDUCE, 450e6), 1.002e-3, 1e-15);
    r = route_of(&d, 64, 0, 16, 1);
    ck_assert_double_eq(nnc_collective_by_s(&r, NNC_ALL_REDUCE, 450e6, NNC_ALGORITHM_IN_NETWORK),
                        nnc_collective_by_s(&r, NNC_ALL_REDUCE, 450e6, NNC_ALGORITHM_RING));
}
END_TEST

START_TEST(pairwise_links) {
    /* A device has 7 links of 64 GB/s. In a group of four devices, each device uses three links. A quarter of 1.92 GB
     * over each link takes 7.5 ms. */
    const nnc_device d = device_of(NNC_LINK_MESH, 8, 448e9, 50e9);
    nnc_route r = route_of(&d, 8, 0, 4, 1);
    ck_assert_double_eq(r.inner_bytes_per_s, 192e9);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_ALL_GATHER, 1.92e9), 7.5e-3, 1e-15);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_P2P, 64e6), 1e-3, 1e-15);
    r = route_of(&d, 8, 0, 8, 1);
    ck_assert_double_eq(r.inner_bytes_per_s, 448e9);
}
END_TEST

START_TEST(without_a_fabric) {
    const nnc_device none = device_of(NNC_LINK_NONE, 0, (double)NAN, 25e9);
    expect_levels(route_of(&none, 8, 8, 8, 1), 1, 8, "scale_out");
    const nnc_device pcie = device_of(NNC_LINK_PCIE, 8, 25e9, 25e9);
    expect_levels(route_of(&pcie, 16, 4, 4, 1), 4, 1, "scale_up");
    /* The devices form a ring of 8 with two links of 50 GB/s each. A group of half of the ring is a line. */
    const nnc_device ring = device_of(NNC_LINK_RING, 8, 100e9, 25e9);
    nnc_route r = route_of(&ring, 8, 0, 8, 1);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_ALL_GATHER, 8e9), 0.07, 1e-12);
    r = route_of(&ring, 8, 0, 4, 1);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_ALL_GATHER, 4e9), 0.06, 1e-12);
}
END_TEST

/* Returns RTX 4090 cards whose links carry 32 GB/s, and 50 GB/s between servers. */
static nnc_device cards(void) {
    nnc_device d = *load_device("hw/rtx-4090.json");
    d.scale_up.bytes_per_s = 32e9;
    d.scale_out.bytes_per_s = 50e9;
    d.scale_up.latency_s = d.scale_out.latency_s = (double)NAN;
    return d;
}

static void set(nnc_device *d, const char *field, const char *value) {
    nnc_error err = { 0 };
    ck_assert_msg(nnc_device_set(d, field, value, &err) == NNC_OK, "%s: %s", err.where, err.what);
}

static void expect_s(const nnc_device *d, int32_t size, nnc_collective kind, double seconds) {
    const nnc_route r = route_of(d, size, 0, size, 1);
    ck_assert_double_eq_tol(nnc_collective_predicted_s(&r, kind, 3.2e9), seconds, 1e-12);
}

START_TEST(cards_of_a_server_share_bridges) {
    /* n cards reach the share 0.377 (1 + 2.8 / n^2) of the 32 GB/s of their links, so eight cards reach 0.377 (1 + 2.8
     * / 64) = 0.393494. Two cards reach the share 0.377 (1 + 2.8 / 4) = 0.6409. */
    open_support();
    nnc_device d = cards();
    expect_s(&d, 8, NNC_ALL_REDUCE, 0.175 / 0.39349375);
    nnc_route r = route_of(&d, 8, 0, 8, 1);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_ALL_REDUCE, 3.2e9), 0.175, 1e-12);
    expect_s(&d, 2, NNC_ALL_GATHER, 0.05 / 0.6409);
    /* If two cards are in different servers, half of 3.2 GB is sent at 50 GB/s. */
    r = route_of(&d, 16, 0, 2, 8);
    ck_assert_double_eq_tol(nnc_collective_predicted_s(&r, NNC_ALL_GATHER, 3.2e9), 0.032, 1e-12);
    /* The links of a server with a switch have their full rate. An estimate at datasheet rates also uses the full rate
     * of the links. */
    set(&d, "scale_up.kind", "switch");
    expect_s(&d, 8, NNC_ALL_REDUCE, 0.175);
    set(&d, "scale_up.kind", "pcie");
    expect_s(&d, 8, NNC_ALL_REDUCE, 0.175 / 0.39349375);
    set(&d, "efficiency.basis", "none");
    ck_assert_ptr_null(route_of(&d, 8, 0, 8, 1).fitted);
    close_support();
}
END_TEST

START_TEST(a_set_share_changes_one_kind) {
    open_support();
    nnc_device d = cards();
    /* In an all-gather of 3.2 GB over 8 cards, a card receives 2.8 GB, which take 0.0875 s at 32 GB/s. If the user sets
     * the share of a link, groups of every size have the given share, even a pair. */
    set(&d, "efficiency.collectives.all_reduce.bus_fraction", "0.2");
    expect_s(&d, 8, NNC_ALL_REDUCE, 0.175 / 0.2);
    expect_s(&d, 2, NNC_ALL_REDUCE, 0.1 / 0.2);
    expect_s(&d, 8, NNC_ALL_GATHER, 0.0875 / 0.39349375);
    expect_s(&d, 8, NNC_REDUCE_SCATTER, 0.0875 / 0.39349375);
    /* If the user sets another field of the efficiency of collectives, the share of a link does not change. */
    d = cards();
    set(&d, "efficiency.collectives.all_gather.fixed_s", "1e-3");
    expect_s(&d, 8, NNC_ALL_GATHER, 0.0875 / 0.39349375 + 1e-3);
    set(&d, "efficiency.collectives.step_fixed_s", "1e-3");
    expect_s(&d, 8, NNC_ALL_REDUCE, 0.175 / 0.39349375);
    /* The order of options has no effect: a share does not change if the user sets the kind of the links after it. */
    d = cards();
    set(&d, "scale_up.kind", "switch");
    set(&d, "efficiency.collectives.all_reduce.bus_fraction", "0.2");
    expect_s(&d, 8, NNC_ALL_GATHER, 0.0875);
    set(&d, "scale_up.kind", "pcie");
    expect_s(&d, 8, NNC_ALL_REDUCE, 0.175 / 0.2);
    expect_s(&d, 8, NNC_ALL_GATHER, 0.0875 / 0.39349375);
    /* One field name sets the share for all kinds of collectives. */
    d = cards();
    set(&d, NNC_LINK_SHARE, "0.2");
    expect_s(&d, 8, NNC_ALL_REDUCE, 0.175 / 0.2);
    expect_s(&d, 8, NNC_ALL_GATHER, 0.0875 / 0.2);
    expect_s(&d, 2, NNC_REDUCE_SCATTER, 0.05 / 0.2);
    /* With more cards in a group, a collective never gets faster. */
    d = cards();
    double before_s = 0.0;
    for (int32_t n = 2; n <= 16; n++) {
        const nnc_route r = route_of(&d, n, 16, n, 1);
        const double time_s = nnc_collective_predicted_s(&r, NNC_ALL_REDUCE, 3.2e9);
        ck_assert_double_gt(time_s, before_s);
        before_s = time_s;
    }
    close_support();
}
END_TEST

static void expect_missing(const nnc_device *device, int32_t devices, int32_t size, int32_t stride, const char *where) {
    nnc_route r;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_route_find(device, devices, 0, size, stride, &r, &err), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, where);
    ck_assert_int_eq(nnc_route_find(device, devices, 0, size, stride, &r, NULL), NNC_BAD_SPEC);
    ck_assert_int_eq(nnc_route_find(device, devices, 0, 1, stride, &r, NULL), NNC_OK);
}

START_TEST(missing_figures_are_named) {
    nnc_device d = device_of(NNC_LINK_SWITCH, 8, (double)NAN, 50e9);
    expect_missing(&d, 8, 8, 1, "demo: scale_up.bytes_per_s");
    expect_levels(route_of(&d, 64, 0, 8, 8), 1, 8, "scale_out"); /* needs no fabric */
    d = device_of(NNC_LINK_SWITCH, 8, 450e9, (double)NAN);
    d.path = "hw/demo.json";
    expect_missing(&d, 64, 8, 8, "hw/demo.json: scale_out.bytes_per_s");
    expect_levels(route_of(&d, 64, 0, 8, 1), 8, 1, "scale_up"); /* needs no network */
    d = device_of(NNC_LINK_SWITCH, 0, 450e9, 50e9);
    expect_missing(&d, 64, 8, 1, "demo: scale_up.devices");
}
END_TEST

/* --- tori --- */

static void expect_axis(nnc_route r, int32_t i, int32_t length, int32_t stride, bool wraps) {
    ck_assert_int_lt(i, r.axes);
    ck_assert_int_eq(r.axis_length[i], length);
    ck_assert_int_eq(r.axis_stride[i], stride);
    ck_assert_int_eq(r.axis_wraps[i], wraps);
}

START_TEST(routes_in_a_plane) {
    const nnc_device v5e = torus(16, 16, 1, WRAPPED, 50e9);
    nnc_route r = route_of(&v5e, 256, 0, 256, 1);
    ck_assert_int_eq(r.axes, 2);
    expect_axis(r, 0, 16, 1, true);
    expect_axis(r, 1, 16, 1, true);
    ck_assert_double_eq(r.inner_bytes_per_s, 200e9); /* four links */

    r = route_of(&v5e, 64, 0, 64, 1); /* 8x8 has no wrap-around */
    ck_assert_int_eq(r.axes, 2);
    expect_axis(r, 0, 8, 1, false);
    expect_axis(r, 1, 8, 1, false);
    ck_assert_double_eq(r.inner_bytes_per_s, 100e9);

    r = route_of(&v5e, 128, 0, 128, 1); /* 8x16 on one axis */
    expect_axis(r, 0, 8, 1, false);
    expect_axis(r, 1, 16, 1, true);

    r = route_of(&v5e, 256, 0, 16, 1); /* tensor ranks are along the first axis, data ranks along the second axis */
    ck_assert_int_eq(r.axes, 1);
    expect_axis(r, 0, 16, 1, true);
    r = route_of(&v5e, 256, 0, 16, 16);
    ck_assert_int_eq(r.axes, 1);
    expect_axis(r, 0, 16, 1, true);

    r = route_of(&v5e, 256, 0, 4, 1); /* a group with only a part of an axis is a line */
    expect_axis(r, 0, 4, 1, false);
    r = route_of(&v5e, 256, 0, 64, 4); /* the group has every fourth rank of axis 0, and all ranks of axis 1 */
    ck_assert_int_eq(r.axes, 2);
    expect_axis(r, 0, 4, 4, true);
    expect_axis(r, 1, 16, 1, true);
    ck_assert_double_eq(r.inner_bytes_per_s, 2 * 50e9 / 4 + 2 * 50e9);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_P2P, 50e6), 4e-3, 1e-15);

    r = route_of(&v5e, 512, 0, 512, 1); /* two pods */
    expect_levels(r, 256, 2, "scale_up");
    r = route_of(&v5e, 512, 0, 2, 256);
    expect_levels(r, 1, 2, "scale_out");
    r = route_of(&v5e, 128, 32, 128, 1); /* four slices of 4x8 */
    ck_assert_int_eq(r.outer, 4);
    expect_axis(r, 0, 4, 1, false);
    expect_axis(r, 1, 8, 1, false);
    r = route_of(&v5e, 17, 0, 17, 1); /* no rectangle: a line */
    ck_assert_int_eq(r.axes, 1);
    expect_axis(r, 0, 17, 1, false);
}
END_TEST

START_TEST(latency_and_pods_in_a_plane) {
    nnc_device v5e = torus(16, 16, 1, WRAPPED, 50e9);
    v5e.scale_up.latency_s = 1;
    nnc_route r = route_of(&v5e, 256, 0, 256, 1); /* half of each ring */
    ck_assert_double_eq(nnc_collective_s(&r, NNC_ALL_GATHER, 0), 8 + 8);
    ck_assert_double_eq(nnc_collective_s(&r, NNC_ALL_GATHER, 1e9), 8 + 8); /* overlaps 5 ms */
    r = route_of(&v5e, 256, 0, 4, 1);                                      /* all of a line */
    ck_assert_double_eq(nnc_collective_s(&r, NNC_ALL_REDUCE, 0), 2 * 3);
    /* latency: two steps over four links each on axis 0, and eight links, half of the ring of 16, on axis 1 */
    r = route_of(&v5e, 256, 0, 64, 4);
    ck_assert_double_eq(nnc_collective_s(&r, NNC_ALL_GATHER, 0), 8 + 8);

    /* With two pods, the broadcast first sends all bytes to the other pod at the 200 GB/s of one device, and then
     * distributes them inside each pod at 200 GB/s. */
    v5e.scale_up.latency_s = 0;
    r = route_of(&v5e, 512, 0, 512, 1);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_BROADCAST, 200e9), 2, 1e-9);
    /* 255/256 of the bytes are sent at 200 GB/s inside a pod. Half of the bytes are sent between the pods, at 150 GB/s
     * of all NICs. */
    v5e.scale_out.bytes_per_s = 150e9 / 256;
    expect_levels(route_of(&v5e, 512, 0, 512, 1), 256, 2, "scale_up");
    v5e.scale_out.bytes_per_s = 90e9 / 256;
    expect_levels(route_of(&v5e, 512, 0, 512, 1), 256, 2, "scale_out");
}
END_TEST

START_TEST(slices_of_three_axes) {
    /* The table lists the shapes that Cloud TPU offers. In shapes of 4x4x4 and larger, every axis wraps around. */
    static const int32_t shapes[][3] = {
        { 2, 2, 2 }, { 2, 2, 4 },  { 2, 4, 4 },   { 4, 4, 4 },    { 4, 4, 8 },    { 4, 8, 8 },
        { 8, 8, 8 }, { 8, 8, 16 }, { 8, 16, 16 }, { 16, 16, 16 }, { 16, 16, 24 }, { 16, 20, 28 },
    };
    const nnc_device v5p = torus(16, 20, 28, WRAPPED, 100e9);
    const nnc_device turned = torus(28, 16, 20, WRAPPED, 100e9);
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        const int32_t n = shapes[i][0] * shapes[i][1] * shapes[i][2];
        const nnc_route r = route_of(&v5p, n, 0, n, 1), same = route_of(&turned, n, 0, n, 1);
        ck_assert_int_eq(r.axes, 3);
        for (int32_t k = 0; k < 3; k++) {
            expect_axis(r, k, shapes[i][k], 1, n >= 64);
            expect_axis(same, k, shapes[i][k], 1, n >= 64);
        }
    }
    /* 14 = 2 x 7 ranks do not fit into a box in 4 x 4 x 4, so they form a line of 14. */
    const nnc_device small = torus(4, 4, 4, WRAPPED, 100e9);
    expect_axis(route_of(&small, 14, 0, 14, 1), 0, 14, 1, false);
    const nnc_route pair = route_of(&v5p, 4, 0, 4, 1); /* 1x2x2 */
    ck_assert_int_eq(pair.axes, 2);
}
END_TEST

/* The torus has two axes of 4 ranks, and only the first axis wraps around. 8 ranks are a box of 2 x 4. The long side of
 * the box is on the first axis, so the long side wraps around. A rank has 1 link along the short side and 2 links along
 * the long side, with 50 GB/s each. */
START_TEST(axes_of_one_length) {
    nnc_device plane = torus(4, 4, 1, WRAPPED, 50e9);
    plane.scale_up.wrap[1] = false;
    const nnc_route r = route_of(&plane, 8, 0, 8, 1);
    ck_assert_int_eq(r.axes, 2);
    expect_axis(r, 0, 2, 1, false);
    expect_axis(r, 1, 4, 1, true);
    ck_assert_double_eq(r.inner_bytes_per_s, 150e9);
}
END_TEST

/* Returns the bytes on the busiest link of an axis, if k interleaved groups of X ranks run an all-to-all. Each message
 * takes the shorter direction. If both directions are equally long, each direction carries half of the message. */
static double busiest_link(int32_t X, int32_t k, bool wrap, double bytes_per_pair) {
    const int32_t L = X * k;
    double right[64] = { 0 };
    for (int32_t from = 0; from < L; from++) {
        for (int32_t to = from % k; to < L; to += k) {
            const int32_t ahead = wrap ? (to - from + L) % L : to - from;
            const double part = wrap && 2 * ahead == L ? 0.5 : 1.0;
            for (int32_t hop = 0; hop < ahead && (!wrap || 2 * ahead <= L); hop++) {
                right[(from + hop) % L] += part * bytes_per_pair;
            }
        }
    }
    double most = 0; /* the links in the opposite direction carry the same number of bytes */
    for (int32_t i = 0; i < L; i++) { most = right[i] > most ? right[i] : most; }
    return most;
}

START_TEST(all_to_all_loads_links_as_counted) {
    for (int32_t X = 2; X <= 8; X += 2) {
        for (int32_t k = 1; k <= 4; k *= 2) {
            for (int wrap = 0; wrap < 2; wrap++) {
                const nnc_device d = torus(X * k, 1, 1, wrap, 1e9);
                const nnc_route r = route_of(&d, X * k, 0, X, k);
                ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_ALL_TO_ALL, 1e9 * X), busiest_link(X, k, wrap, 1),
                                        1e-9);
            }
        }
    }
}
END_TEST

/* --- what holds for any route --- */

static uint64_t seed;

static uint32_t below(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

static int32_t power(uint32_t most) { return 1 << below(most + 1); }

static double between(double low, double high) { return low + (high - low) * below(1000000) / 1e6; }

static nnc_device any_device(void) {
    static const nnc_link_kind kinds[] = { NNC_LINK_NONE, NNC_LINK_SWITCH, NNC_LINK_MESH,
                                           NNC_LINK_RING, NNC_LINK_PCIE,   NNC_LINK_TORUS };
    const nnc_link_kind kind = kinds[below(6)];
    nnc_device d = device_of(kind, power(6), between(1e9, 1e12), between(1e9, 1e11));
    if (kind == NNC_LINK_TORUS) { d = torus(2 * power(2), 2 * power(2), power(3), below(2), between(1e9, 1e11)); }
    d.scale_up.reduces_in_switch = below(2);
    d.scale_up.latency_s = between(0, 1e-5);
    d.scale_out.latency_s = between(0, 1e-5);
    d.scale_out.oversubscription = between(1, 4);
    return d;
}

typedef struct any_group {
    nnc_device device;
    int32_t devices, per_node, size, stride;
    nnc_route route;
} any_group;

static any_group any(void) {
    any_group g = { .device = any_device(), .size = power(7), .stride = power(5) };
    g.devices = g.size * g.stride * power(2);
    g.per_node = below(3) == 0 ? power(4) : 0;
    g.route = route_of(&g.device, g.devices, g.per_node, g.size, g.stride);
    return g;
}

static nnc_collective any_kind(void) { return (nnc_collective)below(NNC_COLLECTIVE_COUNT); }

enum { ROUNDS = 20000 };

START_TEST(levels_as_counted) {
    seed = 1;
    for (int i = 0; i < ROUNDS; i++) {
        const any_group g = any();
        const nnc_scale_up *up = &g.device.scale_up;
        int32_t domain = g.per_node > 0 ? g.per_node : up->devices;
        if (up->kind == NNC_LINK_TORUS && domain > up->devices) { domain = up->devices; }
        domain = up->kind == NNC_LINK_NONE ? 1 : domain;
        int32_t first = 0, domains = 0, last = -1;
        for (int32_t rank = 0; rank < g.size; rank++) {
            const int32_t at = rank * g.stride / domain;
            first += at == 0;
            domains += at != last;
            last = at;
        }
        ck_assert_int_eq(g.route.inner, first);
        ck_assert_int_eq(g.route.outer, domains);
        ck_assert_int_eq(g.route.size, first * domains);
        int32_t members = 1;
        for (int32_t k = 0; k < g.route.axes; k++) { members *= g.route.axis_length[k]; }
        if (g.route.axes > 0) { ck_assert_int_eq(members, g.route.inner); }
    }
}
END_TEST

START_TEST(time_grows_with_bytes_and_latency) {
    seed = 2;
    for (int i = 0; i < ROUNDS; i++) {
        const any_group g = any();
        const nnc_collective kind = any_kind();
        const double bytes = between(0, 1e10), t = nnc_collective_s(&g.route, kind, bytes);
        if (g.size == 1) {
            ck_assert_double_eq(t, 0);
            continue;
        }
        ck_assert(isfinite(t) && t >= 0);
        ck_assert_double_ge(nnc_collective_s(&g.route, kind, bytes * between(1, 2) + 1), t);
        const double near = nnc_collective_s(&g.route, kind, bytes * (1 + 1e-9));
        ck_assert_double_le(near, t * (1 + 2e-9)); /* no jumps */

        any_group h = g;
        switch (below(5)) {
        case 0: h.device.scale_up.latency_s *= 1.5; break;
        case 1: h.device.scale_out.latency_s *= 1.5; break;
        case 2: h.device.scale_up.bytes_per_s /= 1.5; break;
        case 3: h.device.scale_out.bytes_per_s /= 1.5; break;
        default: h.device.scale_out.oversubscription *= 1.5; break;
        }
        h.route = route_of(&h.device, h.devices, h.per_node, h.size, h.stride);
        ck_assert_double_ge(nnc_collective_s(&h.route, kind, bytes), t);
    }
}
END_TEST

START_TEST(fastest_algorithm_counts) {
    seed = 3;
    for (int i = 0; i < ROUNDS; i++) {
        const any_group g = any();
        const nnc_collective kind = any_kind();
        const double bytes = between(0, 1e9), t = nnc_collective_s(&g.route, kind, bytes);
        double best = INFINITY;
        for (unsigned algorithm = 1; algorithm < NNC_ALGORITHM_ALL; algorithm *= 2) {
            const double one = nnc_collective_by_s(&g.route, kind, bytes, algorithm);
            best = one < best ? one : best;
        }
        ck_assert_double_le(t, best);
        /* If the same algorithm is chosen from two sets of algorithms, both sets give the same time. */
        const char *name = NULL, *alone = NULL;
        const double say_s = nnc_collective_say_s(&g.route, kind, bytes, NNC_ALGORITHM_ALL, NULL, &name);
        for (unsigned set = 1; set < NNC_ALGORITHM_ALL; set++) {
            const double one = nnc_collective_say_s(&g.route, kind, bytes, set, NULL, &alone);
            ck_assert_int_eq(strcmp(name, "none") == 0,
                             strcmp(alone, "none") == 0); /* if no algorithm of the set fits, the first is chosen */
            ck_assert_msg(name != alone || (!(one > say_s) && !(one < say_s)), "%s: %g s, %g s", name, one, say_s);
        }
    }
}
END_TEST

/* Every algorithm sends 1000 B, and its time is worked by hand. Links have 100 B/s and a latency of 1 s in a domain (50
 * B/s to one rank), and 20 B/s and a latency of 7 s between domains. In a group of 4 ranks in each of 2 domains, a ring
 * has min(100, 4 * 20) = 80 B/s and steps of 7 s. An all-gather inside a domain takes 3 steps of 1 s, and 3/4 of 1000 B
 * at 100 B/s: together 10.5 s. An all-gather of a part of 250 B between two domains takes one step of 7 s, and 1/2 of
 * 250 B at 20 B/s: together 13.25 s. A torus has 4 ranks in a ring and 2 ranks in a line, with links of stride 2. The
 * farthest rank on the torus is 2 + 2 links away. Source: docs/formulas.md, collectives. */
START_TEST(algorithms_by_hand) {
    enum { RING = NNC_ALGORITHM_RING, TREE = NNC_ALGORITHM_TREE, LEVELS = NNC_ALGORITHM_HIERARCHICAL };
    static const struct {
        int32_t inner, outer, axes;
        double outer_bytes_per_s;
        nnc_collective kind;
        unsigned allowed;
        const char *by;
        double seconds;
    } cases[] = {
        { 4, 2, 0, 20, NNC_ALL_GATHER, RING, "ring", 7 * 7 + 7.0 / 8 * 1000 / 80 },
        { 4, 2, 0, 20, NNC_ALL_GATHER, LEVELS, "levels", 10.5 + 13.25 },
        { 4, 2, 0, 20, NNC_REDUCE_SCATTER, RING, "ring", 7 * 7 + 7.0 / 8 * 1000 / 80 },
        { 4, 2, 0, 20, NNC_REDUCE_SCATTER, LEVELS, "levels", 10.5 + 13.25 },
        { 4, 2, 0, 20, NNC_ALL_REDUCE, RING, "ring", 2 * (7 * 7 + 7.0 / 8 * 1000 / 80) },
        /* The tree has two levels inside a domain and one level between domains. */
        { 4, 2, 0, 20, NNC_ALL_REDUCE, TREE, "tree", 2 * (2 * 1 + 7) + 2 * 1000.0 / 80 },
        { 4, 2, 0, 20, NNC_ALL_REDUCE, LEVELS, "levels", 2 * (10.5 + 13.25) },
        /* With 16 domains, the tree has 4 levels between domains. A tree of all ranks takes 2 * (2 + 28) + 20 s: in
         * each of two directions 2 s of latency inside domains and 28 s between domains, and 20 s for the bytes. */
        { 4, 16, 0, 1000, NNC_ALL_REDUCE, NNC_ALGORITHM_ALL, "levels, a tree across",
          2 * 10.5 + 2 * 4 * 7 + 2 * 250.0 / 1000 },
        { 4, 1, 0, 20, NNC_ALL_REDUCE, NNC_ALGORITHM_IN_NETWORK, "switch", 2 * 1 + 10 },
        { 4, 1, 0, 20, NNC_ALL_REDUCE, RING, "ring", 2 * 10.5 },
        { 4, 1, 0, 20, NNC_ALL_REDUCE, TREE, "tree", 2 * 2 * 1 + 2 * 10 },
        { 1, 8, 0, 20, NNC_ALL_REDUCE, TREE, "tree", 2 * 3 * 7 + 2 * 50 },
        { 1, 8, 0, 20, NNC_ALL_GATHER, RING, "ring", 7 * 7 + 7.0 / 8 * 1000 / 20 },
        /* A rank sends 125 B to each of 3 ranks in its domain and 4 ranks in the other domain. */
        { 4, 2, 0, 20, NNC_ALL_TO_ALL, RING, "pairs", 3 * 1 + 4 * 7 + 125.0 * 4 / 20 },
        { 4, 2, 0, 20, NNC_ALL_TO_ALL, LEVELS, "levels", 10.5 + 7 + 500.0 / 20 },
        { 4, 1, 0, 20, NNC_ALL_TO_ALL, RING, "pairs", 10.5 },
        { 4, 2, 0, 20, NNC_BROADCAST, RING, "ring", 7 * 7 + 1000.0 / 80 },
        { 4, 2, 0, 20, NNC_BROADCAST, TREE, "tree", 7 + 50 + 2 * (1 + 10) },
        { 4, 2, 0, 20, NNC_P2P, RING, "hop", 7 + 50 },
        { 4, 1, 0, 20, NNC_P2P, RING, "hop", 1 + 20 },
        { 8, 1, 2, 20, NNC_ALL_GATHER, RING, "levels", 7.0 / 8 * 10 },
        { 8, 1, 2, 20, NNC_ALL_REDUCE, RING, "levels", 2 * 7.0 / 8 * 10 },
        /* In an all-to-all, the line of 2 ranks has half of a link per rank and takes 1000 B * 2 / (4 * 1/2 * 50 B/s) =
         * 20 s. The ring of 4 ranks has two links per rank and takes 1000 B * 4 / (4 * 2 * 50 B/s) = 10 s. */
        { 8, 1, 2, 20, NNC_ALL_TO_ALL, RING, "levels", 20 },
        { 8, 1, 2, 20, NNC_BROADCAST, RING, "levels", 10 },
        { 8, 1, 2, 20, NNC_P2P, RING, "hop", 2 * (1 + 20) },
        { 8, 2, 2, 20, NNC_ALL_GATHER, RING, "levels", 8.75 + 7 + 62.5 / 20 },
        { 8, 2, 2, 20, NNC_ALL_REDUCE, RING, "levels", 2 * (8.75 + 7 + 62.5 / 20) },
        { 8, 16, 2, 1000, NNC_ALL_REDUCE, TREE, "levels, a tree across", 2 * 8.75 + 2 * 4 * 7 + 2 * 125.0 / 1000 },
        { 8, 2, 2, 20, NNC_BROADCAST, RING, "levels", 7 + 10 + 10 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_route route = { .size = cases[i].inner * cases[i].outer,
                            .inner = cases[i].inner,
                            .outer = cases[i].outer,
                            .inner_bytes_per_s = 100,
                            .inner_latency_s = 1,
                            .outer_bytes_per_s = cases[i].outer_bytes_per_s,
                            .outer_latency_s = 7,
                            .link_bytes_per_s = 50,
                            .axes = cases[i].axes,
                            .axis_length = { 4, 2 },
                            .axis_stride = { 1, 2 },
                            .axis_wraps = { true, false },
                            .reduces_in_switch = true };
        const char *by = NULL;
        const double seconds = nnc_collective_say_s(&route, cases[i].kind, 1000, cases[i].allowed, NULL, &by);
        ck_assert_msg(strcmp(by, cases[i].by) == 0, "case %zu: %s", i, by);
        ck_assert_msg(fabs(seconds - cases[i].seconds) <= 1e-12 * seconds, "case %zu, %s: expected %.17g, found %.17g",
                      i, by, cases[i].seconds, seconds);
        /* With a knee of 250 B, 1000 B take as long as 1500 B without a knee. */
        nnc_route slow = route;
        slow.knee_bytes = 250;
        ck_assert_double_eq(nnc_collective_say_s(&slow, cases[i].kind, 1000, cases[i].allowed, NULL, &by),
                            nnc_collective_say_s(&route, cases[i].kind, 1500, cases[i].allowed, NULL, &by));
        /* With very fast links, only the latency of 4 links on the torus remains. */
        route.inner_bytes_per_s = route.link_bytes_per_s = 1e12;
        if (cases[i].axes > 0 && cases[i].outer == 1 && cases[i].kind != NNC_P2P) {
            ck_assert_double_eq(nnc_collective_by_s(&route, cases[i].kind, 1000, cases[i].allowed),
                                cases[i].kind == NNC_ALL_REDUCE ? 8 : 4);
        }
    }
}
END_TEST

/* Algorithms with levels need several ranks in each of several domains. Groups with a single domain, or with one rank
 * per domain, use a ring, a tree, or pairs of ranks. */
START_TEST(levels_need_two_levels) {
    nnc_route route = { .inner_bytes_per_s = 1e11, .outer_bytes_per_s = 1e9, .link_bytes_per_s = 1e11 };
    const int32_t sizes[][2] = { { 8, 1 }, { 1, 8 }, { 4, 2 } };
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const char *by = NULL;
        route.inner = sizes[i][0];
        route.outer = sizes[i][1];
        route.size = 8;
        nnc_collective_say_s(&route, NNC_ALL_TO_ALL, 1e9, NNC_ALGORITHM_HIERARCHICAL, NULL, &by);
        ck_assert_str_eq(by, i == 2 ? "levels" : "pairs");
        nnc_collective_say_s(&route, NNC_ALL_GATHER, 1e9, NNC_ALGORITHM_HIERARCHICAL, NULL, &by);
        ck_assert_str_eq(by, i == 2 ? "levels" : "ring");
    }
}
END_TEST

START_TEST(all_reduce_is_scatter_and_gather) {
    const unsigned rings = NNC_ALGORITHM_RING | NNC_ALGORITHM_HIERARCHICAL;
    seed = 4;
    for (int i = 0; i < ROUNDS; i++) {
        const any_group g = any();
        const double S = between(1, 1e10);
        const double gather = nnc_collective_by_s(&g.route, NNC_ALL_GATHER, S, rings);
        const double scatter = nnc_collective_by_s(&g.route, NNC_REDUCE_SCATTER, S, rings);
        const double reduce = nnc_collective_by_s(&g.route, NNC_ALL_REDUCE, S, rings);
        ck_assert_double_eq(gather, scatter);
        ck_assert_double_eq_tol(reduce, gather + scatter, 1e-18 + 1e-12 * reduce);
    }
}
END_TEST

START_TEST(gather_takes_in_the_other_shares) {
    seed = 5;
    for (int i = 0; i < ROUNDS; i++) {
        any_group g = any();
        const double n = g.size, S = between(1, 1e10);
        g.device.scale_up.latency_s = g.device.scale_out.latency_s = 0;
        const nnc_route r = route_of(&g.device, g.devices, g.per_node, g.size, g.stride);
        const double t = nnc_collective_s(&r, NNC_ALL_GATHER, S);
        if (r.inner == 1 || r.outer == 1) {
            const double B = r.inner == 1 ? r.outer_bytes_per_s : r.inner_bytes_per_s;
            ck_assert_double_eq_tol(t, g.size == 1 ? 0 : (n - 1) / n * S / B, 1e-18 + 1e-12 * t);
        } else { /* a rank cannot receive faster than over its two links together */
            const double B = r.inner_bytes_per_s + r.outer_bytes_per_s;
            ck_assert_double_ge(t * (1 + 1e-12), (n - 1) / n * S / B);
        }
    }
}
END_TEST

START_TEST(names_and_sent_bytes) {
    for (int kind = 0; kind < NNC_COLLECTIVE_COUNT; kind++) {
        ck_assert_ptr_nonnull(nnc_collective_name((nnc_collective)kind));
        ck_assert_double_eq(nnc_collective_sent_bytes((nnc_collective)kind, 1, 1e9), 0);
    }
    ck_assert_str_eq(nnc_collective_name(NNC_REDUCE_SCATTER), "reduce_scatter");
    ck_assert_double_eq(nnc_collective_sent_bytes(NNC_ALL_TO_ALL, 4, 8), 6);
    ck_assert_double_eq(nnc_collective_sent_bytes(NNC_P2P, 4, 8), 8);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        routes_of_nodes_of_eight,
        rates_of_a_node,
        pairwise_links,
        without_a_fabric,
        cards_of_a_server_share_bridges,
        a_set_share_changes_one_kind,
        missing_figures_are_named,
        routes_in_a_plane,
        latency_and_pods_in_a_plane,
        slices_of_three_axes,
        axes_of_one_length,
        all_to_all_loads_links_as_counted,
        levels_as_counted,
        time_grows_with_bytes_and_latency,
        fastest_algorithm_counts,
        levels_need_two_levels,
        algorithms_by_hand,
        all_reduce_is_scatter_and_gather,
        gather_takes_in_the_other_shares,
        names_and_sent_bytes,
    };
    return run_tests_with("link", NULL, NULL, tests, COUNT_OF(tests));
}
