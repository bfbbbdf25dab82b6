/* Tests the fitted formulas for the time of products, attention, collectives and launches against numbers worked by
 * hand. */
#include "answers.h"
#include "cost/cost_internal.h"
#include "estimate/estimate_internal.h"

/* The device has 100 units, 100 TFLOP/s and 1 TB/s. A partial wave takes as long as a whole wave. */
static nnc_device tiled(void) {
    nnc_device device = plain_device();
    nnc_gemm_efficiency *e = &device.efficiency.gemm[NNC_BF16];
    device.units = 100;
    device.vector_flops_per_s[NNC_FP32] = (double)NAN;
    e->sustained_fraction = 0.8;
    e->wave_quantization = 1.0;
    return device;
}

static nnc_op product(int64_t m, int64_t n, int64_t k) {
    return (nnc_op){ .kind = NNC_OP_MATMUL,
                     .dtype = NNC_BF16,
                     .math_dtype = NNC_BF16,
                     .u.matmul = { .batch = 1, .m = m, .n = n, .k = k, .b_shared = 1 } };
}

static nnc_timing time_of_product(const nnc_device *device, const nnc_op *op) {
    const nnc_work work = nnc_op_work(op);
    return nnc_op_time(device, op, &work);
}

static double blend(double a, double b) { return pow(pow(a, 4.0) + pow(b, 4.0), 0.25); }

static void near(double found, double expected) { ck_assert_double_eq_tol(found, expected, 1e-12 * expected); }

/* [gemm-time] 1280 x 1280 results are 10 x 10 tiles of 128 x 128, which are one wave on 100 units. With one row more,
 * 21 x 20 tiles of 64 x 64 in five waves are the fastest. */
START_TEST(waves) {
    const nnc_device device = tiled();
    const double unit_flops_per_s = 0.8 * 100e12 / 100;
    const nnc_op full = product(1280, 1280, 1024), more = product(1281, 1280, 1024);
    nnc_timing t = time_of_product(&device, &full);
    near(t.compute_s, 2.0 * 128 * 128 * 1024 / unit_flops_per_s); /* 41.9 us */
    near(t.memory_s, (2.0 * 1280 * 1024 + 1280 * 1280) * 2 / 1e12);
    near(t.time_s, blend(t.compute_s, t.memory_s));
    ck_assert_int_eq(t.bound, NNC_BOUND_COMPUTE);
    t = time_of_product(&device, &more);
    near(t.compute_s, 5 * 2.0 * 64 * 64 * 1024 / unit_flops_per_s); /* 52.4 us */
}
END_TEST

/* wave_quantization is the fraction by which a partial wave counts as a whole wave. With wave_quantization 0.5, 1.1
 * waves count as (2 + 1.1) / 2 waves. */
START_TEST(waves_by_half) {
    nnc_device device = tiled();
    nnc_op op = product(11 * 256, 10 * 256, 65536); /* k is so large that no other size of tiles is faster */
    device.efficiency.gemm[NNC_BF16].wave_quantization = 0.5;
    const nnc_timing t = time_of_product(&device, &op);
    /* 11 x 20 tiles of 256 x 128 are 2.2 waves, which count as (3 + 2.2) / 2. Tiles of 64 x 64 are 17.6 waves, which
     * count as (18 + 17.6) / 2 = 17.8 waves. A wave of 64 x 64 tiles takes an eighth of the time of a wave of 256 x 128
     * tiles. */
    const double wave_s = 2.0 * 64 * 64 * 65536 / (0.8 * 100e12 / 100);
    near(t.compute_s, 17.8 * wave_s);
}
END_TEST

/* [gemm-time] 4 experts have 384 rows each. One kernel for all experts has 24 x 20 tiles of 64 x 64 in five waves. If
 * each expert has its own kernel, a kernel has 120 tiles of 64 x 64 with k in two parts. The blocks of a kernel are
 * three waves, and the last wave is partly filled. Each kernel has its own fixed time. */
START_TEST(groups_one_by_one) {
    nnc_device device = tiled();
    nnc_op op = product(4 * 384, 1280, 1024);
    const double wave_s = 2.0 * 128 * 128 * 1024 / (0.8 * 100e12 / 100);
    device.efficiency.gemm[NNC_BF16].fixed_s = 1e-6;
    op.u.matmul.experts = 4;
    nnc_timing t = time_of_product(&device, &op);
    near(t.compute_s, 1.25 * wave_s);
    near(t.time_s, blend(t.compute_s, t.memory_s) + 1e-6);
    op.u.matmul.one_by_one = true;
    t = time_of_product(&device, &op);
    near(t.compute_s, 4 * 0.375 * wave_s);
    near(t.time_s, blend(t.compute_s, t.memory_s) + 4e-6);
    /* without this parameter, the time follows from rates only, as in a roofline */
    device.efficiency.gemm[NNC_BF16].wave_quantization = (double)NAN;
    t = time_of_product(&device, &op);
    near(t.compute_s, 2.0 * 4 * 384 * 1280 * 1024 / 80e12);
}
END_TEST

/* The start and the end of a tile cost as much time as k_fill elements of k. With a longer k, the start and the end are
 * a smaller share of the time. */
START_TEST(filling) {
    nnc_device device = tiled();
    device.efficiency.gemm[NNC_BF16].k_fill = 128.0;
    const nnc_op op = product(1280, 1280, 1024);
    near(time_of_product(&device, &op).compute_s, 2.0 * 128 * 128 * (1024 + 128) / 0.8e12);
}
END_TEST

/* A product of one tile with a large k is split into 8 parts. Each of the 8 parts computes an eighth of the terms, and
 * the partial sums are added. */
START_TEST(splitting) {
    const nnc_device device = tiled();
    const nnc_op op = product(128, 128, 65536);
    const nnc_timing t = time_of_product(&device, &op);
    /* The product has 4 tiles of 64 x 64. 4 tiles with 8 parts each are 32 blocks. */
    near(t.compute_s, 2.0 * 64 * 64 * 65536 / 8 / 0.8e12);
    near(t.memory_s, (2.0 * 128 * 65536 + 128 * 128) * 2 / 1e12 + 8.0 * 128 * 128 * 8 / 1e12);
}
END_TEST

/* A tile of 256 x 128 reads (256 + 128) k elements through the L2 cache. */
START_TEST(cache) {
    nnc_device device = tiled();
    device.efficiency.gemm[NNC_BF16].l2_bytes_per_s = 1e11;
    const nnc_op op = product(2560, 1280, 8192);
    near(time_of_product(&device, &op).compute_s, 100.0 * (256 + 128) * 8192 * 2 / 1e11);
}
END_TEST

/* A long kernel runs at the sustained rate. A short kernel is boost_ratio times as fast. The clock of a kernel of half
 * a millisecond is halfway between the clocks of a short and of a long kernel. */
START_TEST(throttling) {
    nnc_device device = tiled();
    device.efficiency.gemm[NNC_BF16].boost_ratio = 1.25; /* short kernels reach the peak */
    const nnc_op op = product(12800, 12800, 65536);
    const nnc_work work = nnc_op_work(&op);
    const double fast_s = blend(work.flops / 100e12, bytes_of(&work) / 1e12);
    const double clock = 1 + 0.25 * fast_s / (fast_s + 0.5e-3);
    near(time_of_product(&device, &op).time_s, fast_s * clock);
    near(time_of_product(&device, &op).compute_s, work.flops / 100e12 * clock);
    near(time_of_product(&device, &op).memory_s, bytes_of(&work) / 1e12 * clock);
    ck_assert_double_eq_tol(time_of_product(&device, &op).time_s, work.flops / 80e12, 1e-3);
}
END_TEST

/* [gemm-time] A weight gradient that is added to fp32 sums reads and writes 6 B more than a plain result in 16 bits. If
 * compute bounds the kernel, its time grows only by the time of 0.6 of the additional bytes. If half of the passes add
 * to the fp32 sums, a weight gradient writes 2 B more and reads 2 B more on average. With sums in 16 bits, a pass that
 * adds to the sum reads 2 B more, and a pass that does not add reads no additional bytes. */
START_TEST(sums) {
    static const struct {
        double grad_bytes, grad_accumulate, more;
    } rows[] = { { 4, 1, 6 }, { 4, 0.5, 4 }, { 4, 0, 2 }, { 2, 1, 2 }, { 2, 0, 0 } };
    const nnc_device device = tiled();
    nnc_op op = product(12800, 12800, 65536);
    op.phase = NNC_PHASE_GRAD_WEIGHT;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        op.grad_bytes = rows[i].grad_bytes;
        op.grad_accumulate = rows[i].grad_accumulate;
        const nnc_timing t = time_of_product(&device, &op);
        const double plain_s = blend(t.compute_s, t.memory_s);
        const double busy = pow(t.compute_s / plain_s, 4.0);
        near(t.time_s, plain_s + 0.6 * busy * rows[i].more * 12800 * 12800 / 1e12);
    }
}
END_TEST

/* A product with weights takes unaligned_ratio times as long if a dimension is not a multiple of 8. */
START_TEST(alignment) {
    nnc_device device = plain_device();
    device.efficiency.gemm[NNC_BF16].unaligned_ratio = 2.0;
    nnc_op op = product(8192, 50257, 8192);
    const double scores_s = time_of_product(&device, &op).compute_s;
    op.u.matmul.b_is_weight = true;
    near(time_of_product(&device, &op).compute_s, 2.0 * scores_s);
    device.efficiency.gemm[NNC_BF16].unaligned_backward_ratio = 1.5;
    near(time_of_product(&device, &op).compute_s, 2.0 * scores_s);
    op.phase = NNC_PHASE_GRAD_INPUT;
    near(time_of_product(&device, &op).compute_s, 1.5 * scores_s);
    op.phase = NNC_PHASE_FORWARD;
    op.u.matmul.n = 50264;
    near(time_of_product(&device, &op).compute_s, 2.0 * 8192 * 50264 * 8192 / 100e12);
}
END_TEST

/* The calibration factor of a machine changes the rate, but not beyond the peak. */
START_TEST(calibration) {
    nnc_device device = plain_device();
    nnc_op op = product(8192, 8192, 8192);
    const double whole_s = time_of_product(&device, &op).compute_s;
    device.efficiency.calibration = 0.5;
    near(time_of_product(&device, &op).compute_s, 2.0 * whole_s);
    device.efficiency.calibration = 3.0;
    near(time_of_product(&device, &op).compute_s, whole_s);
}
END_TEST

/* Makes the attention of a sequence to itself under the causal mask. window 0 = no window. */
static nnc_op causal_flash(int64_t heads, int64_t tokens, int64_t head_dim, int64_t window) {
    nnc_op op = { .kind = NNC_OP_FLASH, .dtype = NNC_BF16, .math_dtype = NNC_BF16 };
    op.u.flash = (nnc_flash){ .batch = 1,
                              .heads = heads,
                              .kv_heads = heads,
                              .s_q = tokens,
                              .s_k = tokens,
                              .head_dim = head_dim,
                              .value_dim = head_dim,
                              .pairs = (double)nnc_attention_pairs(tokens, tokens, true, window),
                              .full_pairs = (double)(tokens * tokens),
                              .causal = true,
                              .kernel = NNC_FLASH1 };
    return op;
}

/* [flash-time] 16 heads of width 64 have 1024 queries and 1024 keys, so forward has F = 4 x 16 x 64 x 1024 x 1025 / 2 =
 * 2.15 GFLOP. The kernel runs at half of 100 TFLOP/s. A sequence of seq_half tokens, here 1024, takes about twice the
 * time that its products take at the sustained rate, because short sequences are slow. In addition, 128 blocks on 100
 * units with block_penalty 0.5 multiply the time by 1 + 0.5 x 100 / 128, and heads of half the width multiply it by
 * 2. */
START_TEST(attention) {
    nnc_device device = tiled();
    device.efficiency.attention[NNC_FLASH1] = (nnc_flash_efficiency){ .sustained_fraction = 0.5,
                                                                      .backward_ratio = 0.8,
                                                                      .memory_fraction = 1.0,
                                                                      .fixed_s = 1e-6,
                                                                      .seq_half = 1024.0,
                                                                      .narrow_ratio = 0.5,
                                                                      .block_penalty = 0.5,
                                                                      .head_multiple = 32.0 };
    nnc_op op = causal_flash(16, 1024, 64, 0);
    const double ends = 1.0 + 1024.0 / 1025; /* seq_half adds 512 keys to the mean of 512.5 keys per query */
    const double shape = ends * (1.0 + 0.5 * 100 / 128) * 2.0;
    const double flops = 4.0 * 16 * 64 * 1024 * 1025 / 2;
    near(time_of_product(&device, &op).compute_s, flops / 50e12 * shape);
    near(time_of_product(&device, &op).time_s, flops / 50e12 * shape + 1e-6);
    /* If queries have an eighth of the pairs, the products take an eighth of their time, but the loss of short
     * sequences takes all of its time. */
    op.u.flash.pairs /= 8.0;
    near(time_of_product(&device, &op).compute_s, flops / 50e12 * shape / ends * (0.125 + ends - 1.0));
    op.u.flash.pairs *= 8.0;
    op.phase = NNC_PHASE_BACKWARD;
    near(time_of_product(&device, &op).compute_s, 2.5 * flops / 40e12 * shape);
    op.u.flash.kernel = NNC_FLASH2; /* neutral */
    near(time_of_product(&device, &op).compute_s, 2.5 * flops / 100e12);
    /* The kernel pads heads of width 40 to 64. A kernel with neutral efficiency does not pad heads. */
    op.phase = NNC_PHASE_FORWARD;
    op.u.flash.head_dim = op.u.flash.value_dim = 40;
    near(time_of_product(&device, &op).compute_s, flops * 40 / 64 / 100e12);
    op.u.flash.kernel = NNC_FLASH1;
    near(time_of_product(&device, &op).compute_s,
         flops * 40 / 64 / 50e12 * (ends * (1.0 + 0.5 * 100 / 128)) * (1.0 + (128.0 / 40 - 1.0)) * 64 / 40);
    /* With head_multiple 128, keys of width 96 and values of width 32 are padded to 128 each. So the kernel computes
     * 256 columns for keys and values instead of 128. */
    op.u.flash.head_dim = 96;
    op.u.flash.value_dim = 32;
    const double exact = time_of_product(&device, &op).compute_s;
    device.efficiency.attention[NNC_FLASH1].head_multiple = 128.0;
    near(time_of_product(&device, &op).compute_s, 2.0 * exact);
    /* With the separate kernels of PyTorch, backward takes the time of its products, plus the time to read or write 20
     * bytes for each of 1024 x 16 x 64 values. */
    op = causal_flash(16, 1024, 64, 0);
    op.phase = NNC_PHASE_BACKWARD;
    const double products_s = time_of_product(&device, &op).compute_s;
    op.issued_as = NNC_ISSUED_TOO;
    nnc_flash_efficiency *e = &device.efficiency.attention[NNC_FLASH1];
    e->library_backward_ratio = e->library_unmasked_half = (double)NAN;
    e->library_backward_bytes = 20.0;
    near(time_of_product(&device, &op).compute_s,
         products_s * 64 / 128 + 20.0 * 1024 * 16 * 64 / device.mem_bytes_per_s);
}
END_TEST

/* Attention to one more token never takes less time, with and without windows, although few keys and few blocks lower
 * the rate. */
START_TEST(attention_grows) {
    nnc_device device = tiled();
    device.efficiency.attention[NNC_FLASH1] = (nnc_flash_efficiency){ .sustained_fraction = 0.5,
                                                                      .backward_ratio = 1.0,
                                                                      .memory_fraction = 1.0,
                                                                      .seq_half = 2000.0,
                                                                      .narrow_ratio = 1.0,
                                                                      .block_penalty = 2.0,
                                                                      .head_multiple = 32.0 };
    static const int64_t windows[] = { 0, 1, 5, 40, 128 };
    for (size_t i = 0; i < COUNT_OF(windows); i++) {
        double before = 0.0;
        for (int64_t s = 1; s <= 400; s++) {
            const nnc_op op = causal_flash(1, s, 128, windows[i]);
            const double now = time_of_product(&device, &op).time_s;
            ck_assert_double_gt(now, before);
            before = now;
        }
    }
}
END_TEST

/* [collectives-fitted] In an all-reduce of 80 MB over 8 ranks with links of 100 GB/s, each rank sends 140 MB. */
START_TEST(collectives) {
    nnc_device device = plain_device();
    nnc_error err;
    nnc_route route;
    device.scale_up = (nnc_scale_up){
        .kind = NNC_LINK_SWITCH, .devices = 8, .bytes_per_s = 100e9, .latency_s = 1e-6, .reduces_in_switch = true
    };
    device.efficiency.collectives.all_reduce = (nnc_collective_efficiency){
        .fixed_s = 10e-6, .log2_s = 2e-6, .bus_fraction = 0.8, .knee_bytes = 35e6, .small_group_loss = 6.4
    };
    ck_assert_int_eq(nnc_route_find(&device, 8, 8, 8, 1, &route, &err), NNC_OK);
    near(nnc_collective_predicted_s(&route, NNC_ALL_REDUCE, 80e6), 2e-6 + 80e6 / 100e9); /* none */
    device.efficiency.collectives.fitted = true;
    ck_assert_int_eq(nnc_route_find(&device, 8, 8, 8, 1, &route, &err), NNC_OK);
    /* With bus_fraction 0.8 and small_group_loss 6.4, 8 ranks reach 0.8 (1 - 6.4 / 64) of the bandwidth of the link,
     * where 64 is the square of 8. The knee of 35 MB makes the transfer of 140 MB longer by sqrt(35 / 140), a half. The
     * fixed time is 10 us (fixed_s), plus log2(8) = 3 times 2 us (log2_s). */
    near(nnc_collective_predicted_s(&route, NNC_ALL_REDUCE, 80e6), 140e6 / 72e9 * 1.5 + 16e-6);
    near(nnc_collective_predicted_s(&route, NNC_ALL_GATHER, 80e6), 70e6 / 100e9 + 7e-6); /* bare */
}
END_TEST

/* [experts] 8 copies of a token go to ranks drawn from 8 domains. On average 8 (1 - (7/8)^8) = 5.25 domains get a copy.
 * If all ranks are in one domain, each copy is sent separately. At best, the copies of a token are sent only once to
 * each of 8 ranks. */
START_TEST(tokens_once_per_domain) {
    nnc_network network = { .routes[NNC_ROUTE_EXPERT] = { .size = 64, .inner = 8, .outer = 8 } };
    nnc_collective_op e = { .comm = NNC_COMM_EXPERT, .forward = NNC_ALL_TO_ALL, .bytes = 8e6, .copies = 8 };
    ck_assert_double_eq(nnc_network_carried_bytes(&network, &e, false, NULL), 8e6);
    near(nnc_network_carried_bytes(&network, &e, true, NULL), 8e6 * (1.0 - pow(7.0 / 8, 8)));
    e.once_per_node = true;
    near(nnc_network_carried_bytes(&network, &e, false, NULL), 8e6 * (1.0 - pow(7.0 / 8, 8)));
    e.once_per_node = false; /* count: number of calls per step; the time grows in proportion to it */
    network.routes[NNC_ROUTE_EXPERT].inner_bytes_per_s = network.routes[NNC_ROUTE_EXPERT].outer_bytes_per_s = 1e9;
    const char *link = NULL;
    const double once_s = nnc_network_exchange_s(&network, &e, &link);
    for (e.count = 0.5; e.count <= 2.0; e.count *= 2.0) {
        near(nnc_network_exchange_s(&network, &e, &link), e.count * once_s);
    }
    e.once_per_node = true;
    e.copies = 1.2; /* mean number of copies */
    near(nnc_network_carried_bytes(&network, &e, false, NULL), 8e6 * 8.0 * (1.0 - pow(7.0 / 8, 1.2)) / 1.2);
    e.copies = 1.0; /* one copy reaches one domain */
    ck_assert_double_eq(nnc_network_carried_bytes(&network, &e, false, NULL), 8e6);
    e.copies = 8.0;
    network.routes[NNC_ROUTE_EXPERT].outer = 1;
    ck_assert_double_eq(nnc_network_carried_bytes(&network, &e, false, NULL), 8e6);
    near(nnc_network_carried_bytes(&network, &e, true, NULL), 8e6 * (1.0 - pow(7.0 / 8, 8)));
}
END_TEST

/* [launch] The host takes 2 ms to launch each of three ops of 1 ms. The time is (3^4 + 6^4)^(1/4) ms. */
START_TEST(launches) {
    static nnc_rows rows;
    nnc_op op = { .kind = NNC_OP_NORM };
    nnc_op_list list = { .segment_count = 1, .segments = { { .instances = 1 } } };
    nnc_segment_time units[NNC_SEGMENTS_MAX];
    rows.count = 1;
    rows.rows[0] = (nnc_op_cost){ .op = &op, .repeat = 3, .time_s = 1e-3 };
    nnc_segment_times_sum(&rows, &list, NULL,
                          &(nnc_launch){ .op_s = 2e-3, .product_s = 0.0, .recorded_attention = false }, units, NULL);
    near(units[0].forward_s, blend(3e-3, 6e-3));
    near(units[0].host_s[NNC_PART_FORWARD], blend(3e-3, 6e-3) - 3e-3);
    nnc_segment_times_sum(&rows, &list, NULL,
                          &(nnc_launch){ .op_s = 0.0, .product_s = 0.0, .recorded_attention = false }, units, NULL);
    ck_assert_double_eq(units[0].forward_s, 3e-3);
    ck_assert_double_eq(units[0].host_s[NNC_PART_FORWARD], 0.0);
}
END_TEST

/* [issue] The host takes 2 ms to issue each of three kernels of 1 ms. The first pass ends at 7 ms and the second at 13
 * ms. In the second pass, the device waits 3 ms for the host. */
START_TEST(issues) {
    static nnc_rows rows;
    nnc_op op = { .kind = NNC_OP_NORM, .issued = { { .kernels = 1 } } };
    nnc_op_list list = { .segment_count = 1, .segments = { { .instances = 1 } } };
    nnc_segment_time units[NNC_SEGMENTS_MAX];
    rows.count = rows.forward_count = 1;
    rows.rows[0] = (nnc_op_cost){ .op = &op, .repeat = 3, .time_s = 1e-3 };
    nnc_segment_times_sum(&rows, &list, NULL, &(nnc_launch){ .kernel_s = 2e-3 }, units, NULL);
    near(units[0].host_s[NNC_PART_FORWARD], 3e-3);
    near(units[0].forward_s, 6e-3);
    nnc_segment_times_sum(&rows, &list, NULL, &(nnc_launch){ .kernel_s = 1e-4 }, units, NULL);
    near(units[0].forward_s, 3e-3);
}
END_TEST

/* [launch] A group of 4 products takes 0.5 ms per product, plus the 1 ms of the op itself. A plain product takes 1 ms.
 * An attention in a recorded program takes no time of the host. */
START_TEST(launches_of_groups) {
    const nnc_launch launch = { .op_s = 1e-3, .product_s = 5e-4, .recorded_attention = true };
    nnc_op op = { .kind = NNC_OP_MATMUL, .group = NNC_GROUP_MLP, .u.matmul.experts = 4 };
    near(nnc_launch_of_op_s(&launch, &op), 3e-3);
    op.u.matmul.experts = 1;
    near(nnc_launch_of_op_s(&launch, &op), 1e-3);
    op.group = NNC_GROUP_ATTENTION;
    ck_assert_double_eq(nnc_launch_of_op_s(&launch, &op), 0.0);
    const nnc_launch issued = { .op_s = 1e-3, .product_s = 5e-4, .recorded_attention = false };
    near(nnc_launch_of_op_s(&issued, &op), 1e-3);
}
END_TEST

/* [gemm-time] The lower bound of a product is the time of its rows at 80 TFLOP/s, without two rows of each expert: 998
 * of 1,000 rows, or 992 rows with 4 experts. A product with r times as many rows takes at least r times the lower
 * bound. A weight gradient sums over the tokens and leaves out two terms: 1,022 of 1,024 terms. */
START_TEST(products_grow) {
    nnc_device device = tiled();
    nnc_gemm_efficiency *e = &device.efficiency.gemm[NNC_BF16];
    nnc_op op = product(1000, 1280, 1024);
    const nnc_work work = nnc_op_work(&op);
    const double rows_s = 2.0 * 1000 * 1280 * 1024 / (0.8 * 100e12);
    e->block_ratio = e->group_ratio = 1.0;
    const double least_s = nnc_product_least_s(&device, &op, &work);
    near(least_s, 0.998 * rows_s);
    for (int64_t rows = 1000; rows < 40000; rows += 333) {
        const nnc_op more = product(rows, 1280, 1024);
        ck_assert_double_ge(time_of_product(&device, &more).time_s, least_s * (double)rows / 1000.0);
    }
    op.u.matmul.experts = 4;
    near(nnc_product_least_s(&device, &op, &work), 0.992 * rows_s);
    op.u.matmul.experts = 0;
    e->group_ratio = 0.5; /* group_ratio 0.5 (a faster kernel for experts) halves the bound */
    near(nnc_product_least_s(&device, &op, &work), 0.5 * 0.998 * rows_s);
    e->group_ratio = 1.25;
    op.phase = NNC_PHASE_GRAD_WEIGHT;
    near(nnc_product_least_s(&device, &op, &work), 1022.0 / 1024.0 * rows_s);
    op.kind = NNC_OP_POINTWISE;
    ck_assert_double_eq(nnc_product_least_s(&device, &op, &work), 0.0);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        products_grow,
        waves,
        waves_by_half,
        groups_one_by_one,
        sums,
        filling,
        splitting,
        cache,
        throttling,
        alignment,
        calibration,
        attention,
        attention_grows,
        collectives,
        launches,
        issues,
        launches_of_groups,
        tokens_once_per_domain,
    };
    return run_tests("efficiency", tests, COUNT_OF(tests));
}
