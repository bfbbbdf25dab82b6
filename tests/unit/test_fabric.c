/* Tests the load of collectives, worked by hand. The load is the shortest time in which each fabric can transfer the
 * bytes of a collective. */
#include "cost/cost_internal.h"
#include "support.h"

/* The network has 4 domains of 8 ranks, with 450 GB/s inside a domain and 50 GB/s between domains. */
static nnc_network two_levels(void) {
    nnc_network network = { .host_bytes_per_s = 25e9 };
    for (int i = 0; i < NNC_ROUTE_COUNT; i++) {
        network.routes[i] = (nnc_route){ .size = 32,
                                         .inner = 8,
                                         .outer = 4,
                                         .inner_bytes_per_s = 450e9,
                                         .link_bytes_per_s = 450e9,
                                         .outer_bytes_per_s = 50e9 };
    }
    return network;
}

static void check_loads(const nnc_network *network, nnc_collective kind, double bytes, double inside_s,
                        double across_s) {
    const nnc_collective_op e = { .comm = NNC_COMM_TENSOR, .forward = kind, .bytes = bytes };
    double load_s[NNC_FABRICS];
    nnc_fabric_load(network, &e, load_s);
    ck_assert_double_eq_tol(load_s[NNC_FABRIC_SCALE_UP], inside_s, 1e-15);
    ck_assert_double_eq_tol(load_s[NNC_FABRIC_SCALE_OUT], across_s, 1e-15);
    ck_assert_double_eq(load_s[NNC_FABRIC_HOST], 0.0);
}

START_TEST(of_two_levels) {
    const nnc_network network = two_levels();
    /* A rank receives 7/8 of 6 GB from its own domain, and 3/4 of an eighth of 6 GB from the 3 other domains. */
    check_loads(&network, NNC_ALL_GATHER, 6e9, 5.25e9 / 450e9, 0.5625e9 / 50e9);
    check_loads(&network, NNC_REDUCE_SCATTER, 6e9, 5.25e9 / 450e9, 0.5625e9 / 50e9);
    check_loads(&network, NNC_ALL_REDUCE, 6e9, 10.5e9 / 450e9, 1.125e9 / 50e9);
    /* An all-to-all has 32 parts of 0.1875 GB. A rank receives 7 parts from its own domain and 24 parts from the 3
     * other domains. */
    check_loads(&network, NNC_ALL_TO_ALL, 6e9, 7 * 0.1875e9 / 450e9, 24 * 0.1875e9 / 50e9);
    check_loads(&network, NNC_BROADCAST, 6e9, 6e9 / 450e9, 0.75e9 / 50e9);
    check_loads(&network, NNC_P2P, 6e9, 6e9 / 450e9, 6e9 / 50e9);
    /* the mean size of the messages can be below one byte */
    check_loads(&network, NNC_P2P, 0.5, 0.5 / 450e9, 0.5 / 50e9);
    check_loads(&network, NNC_P2P, 0.0, 0.0, 0.0);
}
END_TEST

START_TEST(of_a_switch_that_adds_up) {
    nnc_network network = two_levels();
    network.routes[NNC_ROUTE_TENSOR].reduces_in_switch = true;
    check_loads(&network, NNC_ALL_REDUCE, 6e9, 6e9 / 450e9, 1.125e9 / 50e9);
}
END_TEST

/* The torus has a line of 4 ranks and a ring of 4 ranks. Each link of 50 GB/s carries 4/4 of a rank's bytes on the line
 * and 4/8 of them on the ring. So the line is slower. */
START_TEST(of_a_torus) {
    nnc_network network = two_levels();
    nnc_route *r = &network.routes[NNC_ROUTE_TENSOR];
    *r = (nnc_route){ .size = 16,
                      .inner = 16,
                      .outer = 1,
                      .axes = 2,
                      .axis_length = { 4, 4 },
                      .axis_stride = { 1, 1 },
                      .axis_wraps = { false, true },
                      .link_bytes_per_s = 50e9,
                      .inner_bytes_per_s = 150e9 };
    check_loads(&network, NNC_ALL_TO_ALL, 1e9, 1e9 * 4 / (4 * 1 * 50e9), 0.0);
    check_loads(&network, NNC_ALL_GATHER, 1.6e9, 1.5e9 / 150e9, 0.0);
    r->axis_length[1] = 12; /* with 12 ranks, the ring is slower than the line: 12/8 of a rank's bytes per link */
    r->size = r->inner = 48;
    check_loads(&network, NNC_ALL_TO_ALL, 1e9, 1e9 * 12 / (4 * 2 * 50e9), 0.0);
}
END_TEST

/* A ring of ranks passes on its blocks `count` times. Offloaded bytes load only the link to the host. */
START_TEST(of_blocks_and_of_the_host) {
    const nnc_network network = two_levels();
    const nnc_collective_op blocks = { .comm = NNC_COMM_CONTEXT, .forward = NNC_P2P, .bytes = 1e9, .count = 3 };
    const nnc_collective_op host = { .comm = NNC_COMM_OFFLOAD, .bytes = 5e9 };
    double load_s[NNC_FABRICS];
    nnc_fabric_load(&network, &blocks, load_s);
    ck_assert_double_eq_tol(load_s[NNC_FABRIC_SCALE_OUT], 3 * 1e9 / 50e9, 1e-12);
    nnc_fabric_load(&network, &host, load_s);
    ck_assert_double_eq_tol(load_s[NNC_FABRIC_HOST], 0.2, 1e-12);
    ck_assert_double_eq(load_s[NNC_FABRIC_SCALE_UP] + load_s[NNC_FABRIC_SCALE_OUT], 0.0);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { of_two_levels, of_a_switch_that_adds_up, of_a_torus, of_blocks_and_of_the_host };
    return run_tests("fabric", tests, COUNT_OF(tests));
}
