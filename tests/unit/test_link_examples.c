/* Computes the time of collectives for worked examples of docs/formulas.md and for published exercises. */
#include "routes.h"

static cJSON *examples, *exercises;

static void read_references(void) {
    examples = read_json(REFERENCE "formula-examples.json");
    exercises = read_json(REFERENCE "exercises.json");
}

static void free_references(void) {
    cJSON_Delete(examples);
    cJSON_Delete(exercises);
}

static const cJSON *reference(const char *id) { return find_entry(id[0] == 'F' ? examples : exercises, "id", id); }

static double in(const char *id, const char *name) { return number(member(reference(id), "inputs"), name); }

static int32_t ranks(const char *id, const char *name) { return (int32_t)in(id, name); }

/* The examples state results with all digits, so the tolerance is 1e-9. Exercises give their own tolerance. */
static void expect(const char *id, const char *name, double value) {
    const cJSON *all = reference(id);
    const double want = number(find_entry(member(all, "expected"), "name", name), "value");
    const double rel = cJSON_HasObjectItem(all, "tolerance") ? number(member(all, "tolerance"), "rel") : 1e-9;
    ck_assert_msg(fabs(value - want) <= rel * fabs(want), "%s %s: expected %.9g, found %.9g", id, name, want, value);
}

START_TEST(examples_on_one_level) {
    const char *id = "F11.1";
    nnc_route r = level(ranks(id, "n"), in(id, "B_l"), in(id, "alpha"));
    expect(id, "time", nnc_collective_s(&r, NNC_ALL_REDUCE, in(id, "S")));
    expect(id, "sent_per_rank", nnc_collective_sent_bytes(NNC_ALL_REDUCE, ranks(id, "n"), in(id, "S")));
    r.inner_latency_s = 1; /* without bytes and with a latency of 1 s, the time is the number of steps */
    expect(id, "steps", nnc_collective_by_s(&r, NNC_ALL_REDUCE, 0, NNC_ALGORITHM_RING));

    id = "F11.2";
    r = level(ranks(id, "n"), in(id, "B_l"), in(id, "alpha"));
    const double S = in(id, "S");
    const double tree = nnc_collective_by_s(&r, NNC_ALL_REDUCE, S, NNC_ALGORITHM_TREE);
    expect(id, "ring", nnc_collective_by_s(&r, NNC_ALL_REDUCE, S, NNC_ALGORITHM_RING));
    expect(id, "tree", tree);
    ck_assert_double_eq(nnc_collective_s(&r, NNC_ALL_REDUCE, S), tree);

    id = "F11.6";
    const double t = in(id, "time");
    expect(id, "algbw", in(id, "S") / t);
    expect(id, "busbw", nnc_collective_sent_bytes(NNC_ALL_REDUCE, ranks(id, "n"), in(id, "S")) / t);
}
END_TEST

START_TEST(examples_on_two_levels) {
    const char *id = "F11.3";
    const double S = in(id, "S");
    const nnc_route r = two_levels(ranks(id, "G"), in(id, "B_1"), ranks(id, "M"), in(id, "B_2"));
    const nnc_route inside = level(r.inner, r.inner_bytes_per_s, 0);
    const nnc_route across = level(r.outer, r.outer_bytes_per_s, 0);
    expect(id, "intra", nnc_collective_s(&inside, NNC_ALL_REDUCE, S));
    expect(id, "inter", nnc_collective_s(&across, NNC_ALL_REDUCE, S / r.inner));
    expect(id, "total", nnc_collective_by_s(&r, NNC_ALL_REDUCE, S, NNC_ALGORITHM_HIERARCHICAL));
    /* There is one ring per NIC. 8 x 50 GB/s is less than 450 GB/s, so 2 x 31/32 x 6 GB are sent at 400 GB/s. */
    const double flat = nnc_collective_by_s(&r, NNC_ALL_REDUCE, S, NNC_ALGORITHM_RING);
    ck_assert_double_eq_tol(flat, 0.0290625, 1e-12);
}
END_TEST

START_TEST(examples_on_a_torus) {
    const char *id = "F11.4";
    double V = in(id, "V");
    nnc_route r = axis(ranks(id, "X"), LINE, in(id, "W_1"));
    expect(id, "time", nnc_collective_s(&r, NNC_ALL_GATHER, V));
    /* The asymptotic form leaves out the factor (n-1)/n. */
    r = axis(ranks(id, "X"), WRAPPED, in(id, "W_1"));
    expect(id, "asymptotic_ring_form", nnc_collective_s(&r, NNC_ALL_GATHER, V) * 4 / 3);

    id = "F11.5";
    V = in(id, "V");
    const int32_t n = ranks(id, "n");
    r = axis(n, WRAPPED, in(id, "W_bi") / 2);
    expect(id, "time", nnc_collective_s(&r, NNC_ALL_TO_ALL, V / n));
    expect(id, "all_gather_asymptotic", nnc_collective_s(&r, NNC_ALL_GATHER, V) * n / (n - 1.0));

    id = "shard-ag-line";
    V = in(id, "bytes");
    r = axis(ranks(id, "X"), LINE, in(id, "W_1"));
    expect(id, "line", nnc_collective_s(&r, NNC_ALL_GATHER, V));
    r = axis(ranks(id, "X"), WRAPPED, in(id, "W_1"));
    expect(id, "ring_asymptotic", nnc_collective_s(&r, NNC_ALL_GATHER, V) * 4 / 3);

    id = "shard-ag-x";
    V = 2 * in(id, "B") * in(id, "D") / in(id, "Y");
    r = axis(4, WRAPPED, in(id, "W_bi") / 2);
    expect(id, "time", nnc_collective_s(&r, NNC_ALL_GATHER, V) * 4 / 3);
}
END_TEST

START_TEST(examples_of_data_and_tensor_parallel) {
    const char *id = "F12.1";
    double Wt = in(id, "N") * in(id, "beta");
    int32_t n = ranks(id, "n");
    nnc_route r = level(n, in(id, "B_l"), 0);
    expect(id, "ddp_sent", nnc_collective_sent_bytes(NNC_ALL_REDUCE, n, Wt));
    expect(id, "ddp_time", nnc_collective_s(&r, NNC_ALL_REDUCE, Wt));
    expect(id, "zero3_sent",
           2 * nnc_collective_sent_bytes(NNC_ALL_GATHER, n, Wt) + nnc_collective_sent_bytes(NNC_REDUCE_SCATTER, n, Wt));
    expect(id, "zero3_time",
           2 * nnc_collective_s(&r, NNC_ALL_GATHER, Wt) + nnc_collective_s(&r, NNC_REDUCE_SCATTER, Wt));

    id = "F12.3";
    Wt = in(id, "N") * in(id, "beta");
    n = ranks(id, "shard");
    expect(id, "intra_sent",
           2 * nnc_collective_sent_bytes(NNC_ALL_GATHER, n, Wt) + nnc_collective_sent_bytes(NNC_REDUCE_SCATTER, n, Wt));
    expect(id, "inter_sent", nnc_collective_sent_bytes(NNC_ALL_REDUCE, ranks(id, "replicas"), Wt / n));
    expect(id, "weights_per_rank", Wt / n);

    id = "F13.1";
    const double S = in(id, "beta") * in(id, "b") * in(id, "s") * in(id, "h");
    n = ranks(id, "t");
    r = level(n, in(id, "B_l"), 0);
    expect(id, "S", S);
    expect(id, "per_layer_sent", 4 * nnc_collective_sent_bytes(NNC_ALL_REDUCE, n, S));
    expect(id, "per_layer_time", 4 * nnc_collective_s(&r, NNC_ALL_REDUCE, S));
}
END_TEST

START_TEST(thresholds_on_a_torus) {
    /* Backward of N parameters and T tokens takes 4NT/P. The all-reduce of 2N bytes takes as long as backward if T =
     * P/(axes W_bi), where W_bi is the rate of one axis in both directions together. In a pod of 4096 devices, (n-1)/n
     * is 1 within the tolerance. */
    const char *const ids[] = { "F12.2", "train-dp-threshold" };
    const char *const one[] = { "min_tokens_one_axis", "one" };
    const char *const three[] = { "min_tokens_three_axes", "three" };
    for (int i = 0; i < 2; i++) {
        const double P = in(ids[i], "P"), W_1 = in(ids[i], "W_bi") / 2, N = 1e9;
        const double full = 4096.0 / 4095.0;
        nnc_route r = axis(4096, WRAPPED, W_1);
        expect(ids[i], one[i], nnc_collective_s(&r, NNC_ALL_REDUCE, 2 * N) * P / (4 * N) * full);
        const nnc_device pod = torus(16, 16, 16, WRAPPED, W_1);
        r = route_of(&pod, 4096, 0, 4096, 1);
        expect(ids[i], three[i], nnc_collective_s(&r, NNC_ALL_REDUCE, 2 * N) * P / (4 * N) * full);
    }
}
END_TEST

START_TEST(published_claims) {
    /* An all-reduce of 100 MB over 8 devices takes 14 steps of a ring, not 7. */
    nnc_route r = level(8, 150e9, 1);
    ck_assert_double_eq(nnc_collective_by_s(&r, NNC_ALL_REDUCE, 0, NNC_ALGORITHM_RING), 14);
    /* 3.1 GB of gradients over 8 devices at 150 GB/s take 2 x 7/8 x 3.1/150 = 36 ms, not 5 ms. */
    r.inner_latency_s = 0;
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_ALL_REDUCE, 3.1e9), 0.03617, 1e-5);
    /* For four nodes at 12.5 GB/s, the time is 2 x 3/4 x 3.1/12.5 = 0.372 s. If each of the eight devices of a node
     * sends an eighth of the bytes, the time is 0.0465 s. */
    r = level(4, 12.5e9, 0);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_ALL_REDUCE, 3.1e9), 0.372, 1e-9);
    r = two_levels(8, 1e18, 4, 12.5e9);
    ck_assert_double_eq_tol(nnc_collective_s(&r, NNC_ALL_REDUCE, 3.1e9), 0.0465, 1e-8);
}
END_TEST

START_TEST(all_to_all_and_broadcast_on_two_levels) {
    /* A rank sends 24/32 of 1 GB over its NIC in 15 ms. With two levels, 7/8 of 1 GB is sent at 450 GB/s, and then 3/4
     * of 1 GB at 50 GB/s. */
    nnc_route r = two_levels(8, 450e9, 4, 50e9);
    const double pairs = nnc_collective_by_s(&r, NNC_ALL_TO_ALL, 1e9, NNC_ALGORITHM_RING);
    const double levels = nnc_collective_by_s(&r, NNC_ALL_TO_ALL, 1e9, NNC_ALGORITHM_HIERARCHICAL);
    ck_assert_double_eq_tol(pairs, 15e-3, 1e-12);
    ck_assert_double_eq_tol(levels, 15e-3 + 7.0 / 8 / 450, 1e-12);

    /* a ring takes 31 steps over slow links; a tree takes 3 steps over fast links and 2 steps over slow links */
    r.inner_latency_s = 1;
    r.outer_latency_s = 10;
    ck_assert_double_eq(nnc_collective_by_s(&r, NNC_BROADCAST, 0, NNC_ALGORITHM_RING), 310);
    ck_assert_double_eq(nnc_collective_by_s(&r, NNC_BROADCAST, 0, NNC_ALGORITHM_TREE), 23);
    ck_assert_double_eq(nnc_collective_s(&r, NNC_BROADCAST, 0), 23);
    ck_assert_double_eq(nnc_collective_by_s(&r, NNC_ALL_TO_ALL, 0, NNC_ALGORITHM_RING), 7 + 240);
    ck_assert_double_eq(nnc_collective_by_s(&r, NNC_ALL_TO_ALL, 0, NNC_ALGORITHM_HIERARCHICAL), 37);

    r.inner = 1; /* a domain has one rank, so the rate of links inside a domain is not used */
    r.inner_bytes_per_s = r.inner_latency_s = (double)NAN;
    ck_assert_double_eq(nnc_collective_by_s(&r, NNC_BROADCAST, 0, NNC_ALGORITHM_TREE), 20);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        examples_on_one_level,
        examples_on_two_levels,
        examples_on_a_torus,
        examples_of_data_and_tensor_parallel,
        thresholds_on_a_torus,
        published_claims,
        all_to_all_and_broadcast_on_two_levels,
    };
    return run_tests_with("link_examples", read_references, free_references, tests, COUNT_OF(tests));
}
