/* Tests the bound of a step, which is the resource with the largest part of the step time. Also tests the step time
 * without the work of the bounding resource. */
#include "cost/cost_internal.h"
#include "draw.h"
#include "estimate/estimate_internal.h"
#include "suite.h"

enum { CASES = 400 };

/* Draws a random plan for several devices. In the drawn plan, the host may be the slowest resource. */
static split_case draw_issued(int *number) {
    split_case c = draw_legal(number);
    c.software.launch_s = coin() ? 0.0 : scaled(1e-7, 1e-4);
    return c;
}

/* The times of compute, memory, network, host and bubble add up to the step time. The bound is the resource with the
 * longest time. */
START_TEST(everything_competes) {
    for (int i = 0, number = 0; i < CASES; i++) {
        const split_case c = draw_issued(&number);
        const nnc_result r = result_of_split(&c);
        double sum = 0.0;
        for (int b = 0; b < NNC_BOUND_COUNT; b++) {
            sum += r.bound_s[b];
            ck_assert_double_le(r.bound_s[b], r.bound_s[r.bound]);
            ck_assert(b == (int)r.bound || r.bound_s[b] <= r.bound_s[r.next_bound]);
        }
        ck_assert_msg(fabs(sum - r.step_s) <= 1e-9 * r.step_s, "case %d: %g of %g", number, sum, r.step_s);
        ck_assert_double_ge(r.bound_s[NNC_BOUND_HOST], r.host_s);
        ck_assert_double_eq(r.bound_s[NNC_BOUND_BUBBLE], r.bubble_s);
    }
}
END_TEST

/* A step does not become longer if the work of its bound takes no time. A step without the work of its bound takes at
 * least the time that the busiest stage needs for all resources except the bound. */
START_TEST(without_a_limit_the_rest_remains) {
    int seen[NNC_BOUND_COUNT] = { 0 };
    /* number of a random case in which shorter passes lead to another schedule, so the step ends later */
    int odd = 21230;
    for (int i = 0, number = 0; i <= CASES; i++) {
        split_case c = draw_issued(i < CASES ? &number : &odd);
        nnc_result r;
        nnc_error err;
        c.device.host.kernel_s = 1e-5; /* a kernel_s of 0 means that the device is its own host */
        ck_assert_int_eq(nnc_estimate(&c.model, &c.device, &c.software, &c.plan, scratch, &r, &err), NNC_OK);
        int32_t count = 0;
        const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
        double compute_s = 0.0, memory_s = 0.0, issue_s = 0.0;
        for (int32_t k = 0; k < count; k++) {
            const nnc_op_cost *row = &rows[k];
            compute_s += row->compute_s * row->repeat;
            memory_s += row->memory_s * row->repeat;
            const bool issued = row->op->phase != NNC_PHASE_UPDATE && row->op->phase != NNC_PHASE_COMM;
            issue_s += issued ? c.software.launch_s * row->repeat : 0.0;
        }
        const double least = 1.0 - 1e-9, without_s = r.step_without_bound_s;
        ck_assert_double_le(without_s * least, r.step_s);
        ck_assert(r.bound != NNC_BOUND_BUBBLE || without_s == r.step_s - r.bubble_s);
        ck_assert(r.bound == NNC_BOUND_COMPUTE || without_s >= compute_s * least);
        ck_assert(r.bound == NNC_BOUND_MEMORY || without_s >= memory_s * least);
        ck_assert_msg(r.bound == NNC_BOUND_HOST || without_s >= issue_s * least, "case %d: %g below %g to issue",
                      number, without_s, issue_s);
        seen[r.bound]++;
    }
    for (int b = 0; b < NNC_BOUND_COUNT; b++) {
        ck_assert_msg(seen[b] > 0, "no case is bound by %s", nnc_bound_name((nnc_bound)b));
    }
}
END_TEST

/* An ideal step overlaps all resources. If the work of its bound takes no time, an ideal step takes the longest of the
 * remaining times of compute, memory and network. */
START_TEST(without_a_limit_an_ideal_step_is_its_next) {
    int seen[NNC_BOUND_COUNT] = { 0 };
    for (int i = 0, number = 0; i < CASES; i++) {
        split_case c = draw_issued(&number);
        c.plan.mode = NNC_MODE_IDEAL;
        const nnc_result r = result_of_split(&c);
        double next_s = 0.0;
        for (int b = NNC_BOUND_COMPUTE; b <= NNC_BOUND_NETWORK; b++) {
            next_s = b != (int)r.bound ? fmax(next_s, r.bound_s[b]) : next_s;
        }
        seen[r.bound]++;
        if (r.bound <= NNC_BOUND_NETWORK) { ck_assert_double_eq(r.step_without_bound_s, next_s); }
        ck_assert_double_eq(r.bound_s[NNC_BOUND_HOST], 0.0);
    }
    ck_assert(seen[NNC_BOUND_COMPUTE] > 0 && seen[NNC_BOUND_MEMORY] > 0 && seen[NNC_BOUND_NETWORK] > 0);
}
END_TEST

static const nnc_model *gpt2;
static const nnc_device *h100;
static const nnc_software *eager;

static void load_eager_gpt2(void) {
    nnc_error err;
    ck_assert_int_eq(nnc_model_load(specs, "gpt2", &gpt2, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, &err), NNC_OK);
}

/* GPT-2 runs op by op on one H100. The bound is the host, not the memory. */
START_TEST(a_slow_host_is_named) {
    load_eager_gpt2();
    const nnc_plan plan = nnc_plan_default();
    const nnc_result r = estimate_with(gpt2, h100, eager, &plan);
    ck_assert_int_eq(r.bound, NNC_BOUND_HOST);
    ck_assert_double_gt(r.bound_s[NNC_BOUND_HOST], 0.5 * r.step_s);
    ck_assert_double_lt(r.step_without_bound_s, 0.5 * r.step_s);
    /* The host needs 0.1 ms per kernel. The device waits for the host for a fifth of the step or longer, so the host is
     * the bound of the ops in passes. */
    nnc_device slow = *h100;
    nnc_model listed = *gpt2;
    slow.host.kernel_s = 1e-4;
    listed.implementation = NNC_IMPLEMENTATION_TRANSFORMERS;
    const nnc_result late = estimate_with(&listed, &slow, eager, &plan);
    ck_assert_double_ge(late.host_s, 0.2 * late.step_s);
    int32_t count = 0, held = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        held += rows[i].bound == NNC_BOUND_HOST;
        ck_assert(rows[i].bound == NNC_BOUND_HOST || rows[i].op->phase == NNC_PHASE_UPDATE);
    }
    ck_assert_int_gt(held, count / 2);
    /* The host gets slower until the host is the bound of the step. With a host that is a tenth faster, the device
     * still waits for a fifth of the step. */
    nnc_result r2 = { .bound = NNC_BOUND_MEMORY };
    for (slow.host.kernel_s = 1e-6; r2.bound != NNC_BOUND_HOST && slow.host.kernel_s < 1e-4;
         slow.host.kernel_s *= 1.01) {
        r2 = estimate_with(&listed, &slow, eager, &plan);
    }
    ck_assert_int_eq(r2.bound, NNC_BOUND_HOST);
    ck_assert_double_gt(r2.host_s, 0.23 * r2.step_s);
    slow.host.kernel_s *= 0.9 / 1.01;
    const nnc_result sooner = estimate_with(&listed, &slow, eager, &plan);
    ck_assert_double_eq_tol(sooner.host_s / sooner.step_s, 0.2, 0.02);
}
END_TEST

/* The user names no host, so the range includes a host that needs 10 us per kernel in place of 37.5 us. The step with
 * this fast host is proportionally shorter, but at least as long as the step without the time in which the device waits
 * for the host. f is the logarithm of step time / step time with the fast host, and h is the logarithm of step time /
 * lower end of the range with a named host. The lower end of the range is step / exp(sqrt(h^2 + f^2)), as h and f are
 * independent. */
START_TEST(a_range_includes_fast_hosts) {
    load_eager_gpt2();
    static const char *const hosts[] = { "h100-server", "desktop" };
    for (int i = 0; i < 2; i++) { /* the constants of this test are the values of the shipped hosts */
        double kernel_s = 0.0;
        ck_assert_int_eq(nnc_host_kernel_s(specs, hosts[i], &kernel_s, NULL), NNC_OK);
        ck_assert_double_eq(kernel_s, i == 0 ? NNC_HOST_USUAL_S : NNC_HOST_FAST_S);
    }
    nnc_model listed = *gpt2;
    listed.implementation = NNC_IMPLEMENTATION_TRANSFORMERS;
    for (int64_t batch = 1; batch <= 64; batch *= 4) {
        nnc_plan plan = nnc_plan_default();
        plan.micro_batch = batch;
        nnc_device named = *h100;
        named.host.kernel_s *= 1.0 + 1e-12;
        const nnc_result open = estimate_with(&listed, h100, eager, &plan);
        const nnc_result known = estimate_with(&listed, &named, eager, &plan);
        const double fast_s = fmax(open.step_s - open.host_s, open.step_s * 10.0 / 37.5);
        const double h = log(known.step_s / known.interval_s[0]), f = log(open.step_s / fast_s);
        const double low_s = fmax(open.step_s / exp(sqrt(h * h + f * f)), open.lower_bound_s);
        ck_assert_double_eq_tol(open.interval_s[0], low_s, 1e-9 * low_s);
        ck_assert_double_eq_tol(open.interval_s[1], known.interval_s[1], 1e-9 * open.step_s);
        ck_assert(batch > 1 || f > 0.5);
        /* without the operators of a library, kernels take the launch time of the profile */
        const double low_of_launches_s = estimate_with(gpt2, &named, eager, &plan).interval_s[0];
        ck_assert_double_eq(estimate_with(gpt2, h100, eager, &plan).interval_s[0], low_of_launches_s);
    }
}
END_TEST

/* By hand: 0.3 of the profile and 0.4 of the device make a half width h = sqrt(0.3^2 + 0.4^2) = 0.5. A share x of
 * network time adds (0.25 x)^2 to h^2, and a share y of waiting adds (0.5 y)^2 to h^2. As a logarithm, the range is
 * 0.85 h below the prediction and 1.15 h above. If a range was measured on this device and family, here 0.1 with a skew
 * of 0.25, it replaces the parts of profile and device (0.3 and 0.4) and the skew. A range that was measured for
 * another family of models replaces no value. A range that was measured on all devices replaces the part of the profile
 * (0.3) and the skew. */
START_TEST(a_range_widens_with_what_is_uncertain) {
    for (int i = 0, number = 0; i < CASES; i++) {
        split_case c = draw_issued(&number);
        c.device.efficiency.basis = NNC_BASIS_KERNELS;
        c.software.spread.own = 0.3;
        c.software.spread.kernels = 0.4;
        c.software.spread.experts = 0.0;
        const nnc_result r = result_of_split(&c);
        if (r.plan.mode != NNC_MODE_PREDICTED) { continue; }
        const double x = r.bound_s[NNC_BOUND_NETWORK] / r.step_s;
        const double y = (r.bound_s[NNC_BOUND_HOST] + r.bound_s[NNC_BOUND_BUBBLE]) / r.step_s;
        const double shares = 0.0625 * x * x + 0.25 * y * y;
        const double half = sqrt(0.25 + shares);
        ck_assert_double_eq_tol(log(r.interval_s[1] / r.step_s), 1.15 * half, 1e-9);
        ck_assert_double_eq_tol(r.interval_s[0], fmax(r.step_s * exp(-0.85 * half), r.lower_bound_s), 1e-9 * r.step_s);
        nnc_range measured[] = { { .of = "decoder", .own = 0.1, .skew = 0.25 },
                                 { .of = "experts", .own = 0.1, .skew = 0.25 } };
        for (int of = 0; of < 2; of++) { snprintf(measured[of].device, sizeof measured->device, "%s", c.device.id); }
        c.software.ranges = measured;
        c.software.range_count = 2;
        const double narrow = log(result_of_split(&c).interval_s[1] / r.step_s);
        ck_assert_double_eq_tol(narrow, 1.25 * sqrt(0.01 + shares), 1e-9);
        /* if the ranges were measured on all devices, they replace the part of the profile, but not the part of the
         * device */
        measured[0].device[0] = measured[1].device[0] = '\0';
        const double group = log(result_of_split(&c).interval_s[1] / r.step_s);
        ck_assert_double_eq_tol(group, 1.25 * sqrt(0.01 + 0.16 + shares), 1e-9);
        snprintf(measured[0].of, sizeof measured->of, "vit");
        snprintf(measured[1].of, sizeof measured->of, "unet");
        const double wide = log(result_of_split(&c).interval_s[1] / r.step_s);
        ck_assert_double_eq_tol(wide, 1.15 * half, 1e-9);
        c.software.spread.own = (double)NAN;
        ck_assert(isnan(result_of_split(&c).interval_s[0]));
    }
}
END_TEST

/* In an ideal step, the time of a row of communication is the load of its links. If the busiest link takes longer than
 * the longest engine, the difference of the two times is divided among the rows of communication. The shares of all
 * rows add up to the difference between the busiest link and the longest engine. */
START_TEST(ideal_rows_load_their_links) {
    int exposed = 0;
    for (int i = 0, number = 0; i < CASES; i++) {
        split_case c = draw_legal(&number);
        nnc_network network;
        nnc_error err = { 0 };
        c.plan.mode = NNC_MODE_IDEAL;
        const nnc_result r = result_of_split(&c);
        int32_t count = 0;
        const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
        double sums_s[NNC_COMM_COUNT] = { 0.0 }, exposed_s = 0.0, links_s[NNC_FABRICS] = { 0.0 };
        ck_assert_int_eq(nnc_network_find(&c.device, &r.plan, &network, &err), NNC_OK);
        for (int32_t k = 0; k < count; k++) {
            const nnc_op_cost *row = &rows[k];
            double load_s[NNC_FABRICS], all_s = 0.0;
            if (!nnc_op_is_collective(row->op)) { continue; }
            nnc_fabric_load(&network, &row->op->u.collective, load_s);
            for (int f = 0; f < NNC_FABRICS; f++) {
                all_s += load_s[f];
                links_s[f] += load_s[f] * row->repeat;
            }
            ck_assert_double_eq_tol(row->network_s, all_s, 1e-12 * all_s);
            sums_s[row->op->u.collective.comm] += all_s * row->repeat;
            exposed_s += row->time_s * row->repeat;
        }
        double busiest_s = 0.0;
        for (int f = 0; f < NNC_FABRICS; f++) { busiest_s = fmax(busiest_s, links_s[f]); }
        for (int k = 0; k < NNC_COMM_COUNT; k++) {
            ck_assert_double_eq_tol(r.communication_s[k], sums_s[k], 1e-9 * sums_s[k] + 1e-300);
        }
        ck_assert_double_le(busiest_s, r.bound_s[NNC_BOUND_NETWORK] * (1.0 + 1e-9));
        /* Without its exposed communication, a step takes at least the time of the longest engine, which may be on any
         * stage. */
        const double engine_s = fmax(r.bound_s[NNC_BOUND_COMPUTE], r.bound_s[NNC_BOUND_MEMORY]);
        ck_assert_double_ge(r.step_s - r.exposed_comm_s, engine_s * (1.0 - 1e-9));
        if (r.plan.pipeline == 1) { /* messages between stages have no row */
            ck_assert_double_eq_tol(r.bound_s[NNC_BOUND_NETWORK], busiest_s, 1e-9 * busiest_s + 1e-300);
            ck_assert_double_eq_tol(exposed_s, r.exposed_comm_s, 1e-9 * r.exposed_comm_s + 1e-300);
        }
        /* The upper bound is the time of all rows one after the other, or the step time if messages make the step
         * longer. */
        double rows_s = r.bubble_s;
        for (int32_t k = 0; k < count; k++) {
            rows_s += (rows[k].compute_s + rows[k].memory_s) * rows[k].repeat;
            rows_s += nnc_op_is_collective(rows[k].op) ? rows[k].network_s * rows[k].repeat : 0.0;
        }
        ck_assert_double_eq_tol(r.upper_bound_s, fmax(rows_s, r.step_s), 1e-9 * r.upper_bound_s);

        ck_assert_double_eq_tol(r.bubble_share * (1.0 + r.bubble_ratio), r.bubble_ratio,
                                1e-9 * r.bubble_ratio + 1e-300);
        exposed += r.exposed_comm_s > 0.0;
    }
    ck_assert_int_gt(exposed, CASES / 20);
}
END_TEST

/* A pipeline has two stages and two replicas. The stage with five of six layers has the busiest links. The stage with
 * the busiest links may be the first stage, which has the word table, or the last stage, which has an equally large
 * head and a norm. */
START_TEST(any_stage_may_have_the_busiest_links) {
    const nnc_model model = llama(6, 256, 4, 2, 1024, 2000, 64);
    nnc_plan plan = plan_of(2, 1, 2);
    plan.mode = NNC_MODE_IDEAL;
    plan.micro_batches = 4;
    plan.first_stage_layers = 5;
    const double first_s = estimate_on_cluster(&model, &plan).bound_s[NNC_BOUND_NETWORK];
    plan.first_stage_layers = 1;
    const double last_s = estimate_on_cluster(&model, &plan).bound_s[NNC_BOUND_NETWORK];
    ck_assert_double_gt(last_s, first_s);
    ck_assert_double_lt(last_s, 1.001 * first_s);
}
END_TEST

/* If two resources take equal times, the first one is the bound, and the second one is the next bound. */
START_TEST(equal_resources) {
    nnc_result r = { .struct_size = sizeof r };
    for (int b = 0; b < NNC_BOUND_COUNT; b++) { r.bound_s[b] = 1.0; }
    nnc_step_rank(&r);
    ck_assert_int_eq(r.bound, NNC_BOUND_COMPUTE);
    ck_assert_int_eq(r.next_bound, NNC_BOUND_MEMORY);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        everything_competes,         without_a_limit_the_rest_remains,      without_a_limit_an_ideal_step_is_its_next,
        a_slow_host_is_named,        a_range_widens_with_what_is_uncertain, a_range_includes_fast_hosts,
        ideal_rows_load_their_links, any_stage_may_have_the_busiest_links,  equal_resources,
    };
    return run_tests_with("bound", open_support, close_support, tests, COUNT_OF(tests));
}
