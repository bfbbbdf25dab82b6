/* Tests single ops of every kind (`nncost op`), by hand: FLOPs, bytes, bounds and errors. The device of the test has
 * 100 TFLOP/s in bf16, 1 TB/s of memory bandwidth and no fitted efficiency. Servers have eight devices with links of
 * 300 GB/s. */
#include "cluster.h"
#include "estimate/estimate_internal.h"
#include "run_cases.h"

static nnc_single_op asked(const char *kind, const int64_t *dims, int32_t count) {
    nnc_single_op a = { .kind = kind, .dim_count = count, .precision = NNC_BF16 };
    memcpy(a.dims, dims, sizeof *dims * (size_t)count);
    return a;
}

static nnc_status time_of(nnc_single_op *a, nnc_error *err) {
    const nnc_device device = cluster_device();
    memset(err, 0, sizeof *err);
    return nnc_single_op_time(&device, a, err);
}

/* Expected FLOPs and bytes. matmul: 2 batch M N K FLOPs; A, B and C have 2 bytes per value. attention: 4 FLOPs per
 * value, head and unmasked pair of tokens; Q and O of all heads, K and V of the key heads, and a log-sum-exp of 4 bytes
 * per head and token. conv: 2 FLOPs for each output, input channel and element of the kernel. A stride of 2 halves both
 * sides of a map of 8 x 4. */
START_TEST(ops_by_hand) {
    static const struct {
        const char *kind;
        int64_t dims[7];
        int32_t count;
        double flops, bytes;
    } cases[] = {
        { "matmul", { 3, 4, 5 }, 3, 2.0 * 3 * 4 * 5, 2.0 * (15 + 20 + 12) },
        { "matmul", { 2, 3, 4, 5 }, 4, 2.0 * 2 * 3 * 4 * 5, 2.0 * 2 * (15 + 20 + 12) },
        { "attention", { 2, 4, 3, 8 }, 4, 4.0 * 8 * 2 * 4 * 6, 2.0 * 4 * 192 + 4.0 * 24 },
        { "attention", { 2, 4, 3, 8, 2 }, 5, 4.0 * 8 * 2 * 4 * 6, 2.0 * (2 * 192 + 2 * 96) + 96 },
        { "conv", { 2, 3, 8, 4, 5, 3 }, 6, 2.0 * 2 * 8 * 4 * 5 * 3 * 9, 2.0 * (2 * 3 * 32 + 5 * 3 * 9 + 2 * 5 * 32) },
        { "conv", { 2, 3, 8, 4, 5, 3, 2 }, 7, 2.0 * 2 * 8 * 5 * 3 * 9, 2.0 * (2 * 3 * 32 + 5 * 3 * 9 + 2 * 5 * 8) },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_single_op a = asked(cases[i].kind, cases[i].dims, cases[i].count);
        nnc_error err;
        ck_assert_msg(time_of(&a, &err) == NNC_OK, "%zu: %s", i, err.what);
        ck_assert_msg(a.flops == cases[i].flops, "%zu: %g FLOPs", i, a.flops);
        ck_assert_msg(a.moved_bytes == cases[i].bytes, "%zu: %g bytes", i, a.moved_bytes);
        CLOSE(a.flops_per_byte, cases[i].flops / cases[i].bytes, 1e-12);
        CLOSE(a.ridge_flops_per_byte, 100.0, 1e-12);
        /* all ops of this test are below the ridge point, so memory bounds their time */
        CLOSE(a.bound_s, cases[i].bytes / 1e12, 1e-12);
        CLOSE(a.memory_s, cases[i].bytes / 1e12, 1e-12);
        CLOSE(a.flops_per_s * a.time_s, cases[i].flops, 1e-12);
        CLOSE(a.bytes_per_s * a.time_s, cases[i].bytes, 1e-12);
        CLOSE(a.peak_share * a.time_s, a.bound_s, 1e-12);
        ck_assert_double_ge(a.time_s, a.bound_s);
        ck_assert(isnan(a.network_s) && a.link == NULL);
    }
}
END_TEST

/* Far above the ridge point, products are bound by the peak: 2 x 8192^3 FLOPs at 100 TFLOP/s. Fast algorithms compute a
 * 3 x 3 convolution with fewer products, but the time is never below the time to move the bytes of the convolution. */
START_TEST(large_ops_are_bound_by_products) {
    nnc_error err;
    nnc_single_op product = asked("matmul", (const int64_t[]){ 8192, 8192, 8192 }, 3);
    ck_assert_int_eq(time_of(&product, &err), NNC_OK);
    CLOSE(product.bound_s, 2.0 * 8192 * 8192 * 8192 / 100e12, 1e-12);
    nnc_single_op point = asked("conv", (const int64_t[]){ 32, 512, 64, 64, 512, 1 }, 6);
    ck_assert_int_eq(time_of(&point, &err), NNC_OK);
    CLOSE(point.bound_s, 2.0 * 32 * 64 * 64 * 512 * 512 / 100e12, 1e-12);
    nnc_single_op conv = asked("conv", (const int64_t[]){ 32, 512, 64, 64, 512, 3 }, 6);
    ck_assert_int_eq(time_of(&conv, &err), NNC_OK);
    ck_assert_double_le(conv.bound_s, conv.flops / 100e12);
    ck_assert_double_eq(conv.bound_s, fmin(conv.flops / 100e12, fmax(conv.compute_s, conv.moved_bytes / 1e12)));
}
END_TEST

/* A product without a batch multiplies by a weight. If rows have 8191 values of 2 bytes, they do not start at multiples
 * of 16 bytes, and the product takes unaligned_ratio times as long. If a product has a batch, none of its operands is a
 * weight. */
START_TEST(odd_weights) {
    nnc_device device = cluster_device();
    double even_s = 0.0;
    for (int odd = 0; odd < 2; odd++) {
        nnc_single_op weight = asked("matmul", (const int64_t[]){ 8192, 8192 - odd, 8192 }, 3);
        nnc_single_op batch = asked("matmul", (const int64_t[]){ 1, 8192, 8192 - odd, 8192 }, 4);
        nnc_error err = { 0 };
        device.efficiency.gemm[NNC_BF16].unaligned_ratio = 4.0;
        ck_assert_int_eq(nnc_single_op_time(&device, &weight, &err), NNC_OK);
        ck_assert_int_eq(nnc_single_op_time(&device, &batch, &err), NNC_OK);
        even_s = odd == 0 ? weight.time_s : even_s;
        CLOSE(batch.time_s, even_s, 1e-3);
        CLOSE(weight.time_s / even_s, odd == 0 ? 1.0 : 4.0, 1e-3);
    }
}
END_TEST

/* 8 devices of a server and a tensor of 1 GB. Each device sends 7/8 of the tensor, or twice 7/8 in an all-reduce. A
 * broadcast and a p2p transfer move the whole tensor. */
START_TEST(collectives_by_hand) {
    static const struct {
        const char *kind;
        double sent, seconds;
    } cases[] = {
        { "all-reduce", 1.75e9, 1.75 / 300 },
        { "all-gather", 0.875e9, 0.875 / 300 },
        { "reduce-scatter", 0.875e9, 0.875 / 300 },
        { "all-to-all", 0.875e9, 0.875 / 300 },
        { "broadcast", 1e9, 1.0 / 300 },
        { "p2p", 1e9, 1.0 / 300 },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_single_op a = { .kind = cases[i].kind, .bytes = 1e9, .devices = 8 };
        nnc_error err;
        ck_assert_msg(time_of(&a, &err) == NNC_OK, "%zu: %s", i, err.what);
        CLOSE(a.moved_bytes, cases[i].sent, 1e-12);
        CLOSE(a.bound_s, cases[i].seconds, 1e-12);
        CLOSE(a.time_s, cases[i].seconds, 1e-12); /* the device has no fitted efficiency */
        CLOSE(a.network_s, cases[i].seconds, 1e-12);
        CLOSE(a.bytes_per_s, cases[i].sent / cases[i].seconds, 1e-12);
        CLOSE(a.peak_share, 1.0, 1e-12);
        ck_assert_int_eq((int)a.bound, NNC_BOUND_NETWORK);
        ck_assert_str_eq(a.link, "scale_up");
        ck_assert_str_eq(a.shape, "devices=8");
        ck_assert(isnan(a.flops) && isnan(a.compute_s) && isnan(a.memory_s) && isnan(a.fixed_s));
    }
}
END_TEST

/* If attention is bound by its products, its time is inversely proportional to the fraction of the peak that the kernel
 * reaches. `flash` is FlashAttention 2; `efficient` has the values of FlashAttention 1; `math` adds the times of
 * separate kernels; `cudnn` needs a value in the device file. */
START_TEST(kernels_of_attention) {
    static const struct {
        const char *kernel;
        double share; /* share of the peak; 0 = an error */
    } cases[] = { { "flash", 0.5 },  { "flash2", 0.5 }, { "efficient", 0.25 }, { "flash1", 0.25 },
                  { "flash3", 0.8 }, { "cudnn", 0.0 },  { "flush", 0.0 } };
    nnc_device device = cluster_device();
    device.efficiency.attention[NNC_FLASH1].sustained_fraction = 0.25;
    device.efficiency.attention[NNC_FLASH2].sustained_fraction = 0.5;
    device.efficiency.attention[NNC_FLASH3].sustained_fraction = 0.8;
    double flash_s = 0.0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_single_op a = asked("attention", (const int64_t[]){ 8, 32, 16384, 128 }, 4);
        nnc_error err = { 0 };
        a.kernel = cases[i].kernel;
        const nnc_status status = nnc_single_op_time(&device, &a, &err);
        ck_assert_int_eq(status, cases[i].share > 0.0 ? NNC_OK : NNC_BAD_USAGE);
        if (status == NNC_OK) {
            CLOSE(a.time_s, a.flops / (cases[i].share * 100e12), 1e-9);
            flash_s = i == 0 ? a.time_s : flash_s;
        } else {
            ck_assert_str_eq(err.where, "--kernel");
        }
    }
    device.efficiency.attention[NNC_CUDNN].sustained_fraction = 0.4;
    nnc_single_op a = asked("attention", (const int64_t[]){ 8, 32, 16384, 128 }, 4);
    nnc_error err = { 0 };
    a.kernel = "cudnn";
    ck_assert_int_eq(nnc_single_op_time(&device, &a, &err), NNC_OK);
    CLOSE(a.time_s, a.flops / (0.4 * 100e12), 1e-9);
    a.kernel = "math";
    ck_assert_int_eq(nnc_single_op_time(&device, &a, &err), NNC_OK);
    ck_assert_double_gt(a.time_s, 2.0 * flash_s);
}
END_TEST

START_TEST(refused) {
    static const struct {
        nnc_single_op alone;
        const char *where;
    } cases[] = {
        { { .kind = "matmul", .dims = { 3, 4 }, .dim_count = 2 }, "matmul" },
        { { .kind = "matmul", .dims = { 1, 2, 3, 4, 5 }, .dim_count = 5 }, "matmul" },
        { { .kind = "attention", .dims = { 2, 4, 3 }, .dim_count = 3 }, "attention" },
        { { .kind = "attention", .dims = { 2, 4, 3, 8, 3 }, .dim_count = 5 }, "attention" },
        { { .kind = "conv", .dims = { 2, 3, 8, 8, 5 }, .dim_count = 5 }, "conv" },
        { { .kind = "matmul", .dims = { 1000001, 1000000, 1000000 }, .dim_count = 3 }, "matmul" },
        { { .kind = "matmul", .dims = { 2, 3, 4 }, .dim_count = 3, .devices = 2 }, "--devices" },
        { { .kind = "matmul", .dims = { 2, 3, 4 }, .dim_count = 3, .devices_per_node = 1 }, "--devices-per-node" },
        { { .kind = "all-reduce", .bytes = 1e9, .devices = 1 }, "--devices" },
        { { .kind = "all-reduce", .bytes = 0.0, .devices = 2 }, "all-reduce" },
        { { .kind = "scatter", .bytes = 1e9, .devices = 2 }, "KIND" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_single_op a = cases[i].alone;
        nnc_error err;
        a.precision = NNC_BF16;
        ck_assert_msg(time_of(&a, &err) == NNC_BAD_USAGE, "case %zu", i);
        ck_assert_str_eq(err.where, cases[i].where);
    }
    nnc_single_op most = asked("matmul", (const int64_t[]){ 1000000, 1000000, 1000000 }, 3), two = most;
    nnc_error err;
    ck_assert_int_eq(time_of(&most, &err), NNC_OK); /* a product of 1e18 multiplications is legal */
    two = (nnc_single_op){ .kind = "all-reduce", .bytes = 1.0, .devices = 2 };
    ck_assert_int_eq(time_of(&two, &err), NNC_OK);
}
END_TEST

/* Compares operators of PyTorch with measured kernels of an H100 (tests/published/h100). Fused AdamW in bf16 moves 14
 * bytes per parameter. A loss with a cast of the logits moves 36 bytes per logit, forward and backward together. */
START_TEST(operators_of_pytorch) {
    static const struct {
        const char *kind;
        int64_t rows, columns;
        bool both;
        double bytes, measured_s, within;
    } cases[] = { { "copy", 268435456, 1, false, 4, 360.7e-6, 0.03 },
                  { "cast", 16777216, 1, false, 6, 56.384e-6, 0.04 },
                  { "softmax", 8192, 4096, false, 4, 109.28e-6, 0.02 },
                  { "norm", 65536, 320, true, 14, 447.3e-6, 0.02 },
                  { "loss-fp32", 8192, 50257, true, 36, 6937.6e-6, 0.03 },
                  { "optimizer", 100000000, 1, false, 14, 630.24e-6, 0.02 } };
    const nnc_device *h100 = load_device("hw/h100-sxm5-80gb.json");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_op op = { .name = cases[i].kind, .dtype = NNC_BF16, .math_dtype = NNC_BF16 };
        ck_assert(nnc_streaming_op(cases[i].kind, cases[i].rows, cases[i].columns, NNC_BF16, &op));
        double bytes = 0.0, time_s = 0.0;
        for (int way = 0; way <= (cases[i].both ? 1 : 0); way++) {
            op.phase = way == 0 ? NNC_PHASE_FORWARD : NNC_PHASE_BACKWARD;
            const nnc_work work = nnc_op_work(&op);
            bytes += work.read_bytes + work.write_bytes;
            time_s += nnc_op_time(h100, &op, &work).time_s;
        }
        const double values = (double)(cases[i].rows * cases[i].columns);
        ck_assert_double_eq_tol(bytes / values, cases[i].bytes, 1e-9);
        ck_assert_double_eq_tol(time_s / cases[i].measured_s, 1.0, cases[i].within);
    }
    nnc_op op = { .name = "sort" };
    ck_assert(!nnc_streaming_op("sort", 1, 1, NNC_BF16, &op));
}
END_TEST

/* On an A100, fp32 products run on vector units, 16 times slower than bf16. On vector units, the loss of short sums is
 * a sixteenth of the fitted k_fill. */
START_TEST(fills_take_as_long_on_slow_units) {
    const nnc_device *a100 = load_device("hw/a100-sxm4-80gb.json");
    nnc_single_op fp32 = { .kind = "matmul", .dims = { 4096, 4096, 64 }, .dim_count = 3, .precision = NNC_FP32 };
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_single_op_time(a100, &fp32, &err), NNC_OK);
    ck_assert_double_lt(fp32.time_s, 1.6 * fp32.bound_s);
}
END_TEST

/* Kernels and bytes of operators that move data, for 3 rows of 4 values in 16 bits. Each row has the number of kernels,
 * their bytes, and the bytes of casts between 16 and 32 bits. A copy reads one value and writes one; an addition reads
 * two values and writes one. Backward of gelu and softmax reads the gradient and a kept value. Backward of a norm runs
 * two kernels that both read gradient and input. The loss has log_softmax and the selection of the class; in fp32 it
 * has 4-byte values and casts. Fused AdamW reads weight, gradient and two moments, and writes weight and two moments.
 * The gradient of an embedding is read, added and written. */
START_TEST(operators_by_hand) {
    static const struct {
        const char *name;
        double kernels[2], bytes[2], mixed[2];
    } cases[] = {
        { "copy", { 1, 1 }, { 48, 48 }, { 0, 0 } },        { "add", { 1, 1 }, { 72, 72 }, { 0, 0 } },
        { "cast", { 1, 1 }, { 0, 0 }, { 72, 72 } },        { "gelu", { 1, 1 }, { 48, 72 }, { 0, 0 } },
        { "softmax", { 1, 1 }, { 48, 72 }, { 0, 0 } },     { "norm", { 1, 2 }, { 48, 120 }, { 0, 0 } },
        { "loss", { 2, 3 }, { 48, 96 }, { 0, 0 } },        { "loss-fp32", { 3, 4 }, { 96, 192 }, { 72, 72 } },
        { "optimizer", { 1, 1 }, { 168, 168 }, { 0, 0 } }, { "embedding", { 1, 1 }, { 48, 72 }, { 0, 0 } },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_op op = { .phase = NNC_PHASE_FORWARD };
        ck_assert(nnc_streaming_op(cases[i].name, 3, 4, NNC_BF16, &op));
        ck_assert_int_eq((int)op.issued_as, (int)NNC_ISSUED_INSTEAD);
        for (int way = 0; way < 2; way++) {
            ck_assert_msg(op.issued[way].kernels == cases[i].kernels[way], "%s: kernels", cases[i].name);
            ck_assert_msg(op.issued[way].bytes == cases[i].bytes[way], "%s: bytes", cases[i].name);
            ck_assert_msg(op.issued[way].mixed_bytes == cases[i].mixed[way], "%s: casts", cases[i].name);
        }
    }
    /* An op that is given only by its number of values works on a matrix with one column. A copy of 250 x 4 values
     * moves as many bytes as a copy of 1,000 values. */
    nnc_error err;
    nnc_single_op values = asked("copy", (const int64_t[]){ 1000 }, 1);
    nnc_single_op columns = asked("copy", (const int64_t[]){ 1000, 1 }, 2);
    nnc_single_op rows = asked("copy", (const int64_t[]){ 250, 4 }, 2);
    ck_assert_int_eq(time_of(&values, &err), NNC_OK);
    ck_assert_int_eq(time_of(&columns, &err), NNC_OK);
    ck_assert_int_eq(time_of(&rows, &err), NNC_OK);
    ck_assert_double_eq(values.time_s, columns.time_s);
    ck_assert_double_eq(values.moved_bytes, 4000.0);
    ck_assert_double_eq(rows.moved_bytes, 4000.0);
}
END_TEST

/* Convolutions read channels-last maps in the order of their products. Contiguous maps need a transposition, which runs
 * at the fitted fraction of 0.8 of the bandwidth. So a convolution that moves many bytes takes longer with contiguous
 * maps than with channels-last maps. */
START_TEST(layouts_differ) {
    const nnc_device *h100 = NULL;
    nnc_error err = { 0 };
    nnc_single_op last = asked("conv", (const int64_t[]){ 64, 64, 112, 112, 64, 3, 1, 64 }, 8), first = last,
                  unset = last;
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, &err), NNC_OK);
    last.layout = "channels-last";
    first.layout = "contiguous";
    ck_assert_int_eq(nnc_single_op_time(h100, &last, &err), NNC_OK);
    ck_assert_int_eq(nnc_single_op_time(h100, &first, &err), NNC_OK);
    ck_assert_int_eq(nnc_single_op_time(h100, &unset, &err), NNC_OK);
    ck_assert_double_eq(last.time_s, unset.time_s);
    ck_assert_double_ne(first.time_s, last.time_s);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { ops_by_hand,
                                   large_ops_are_bound_by_products,
                                   collectives_by_hand,
                                   refused,
                                   kernels_of_attention,
                                   operators_of_pytorch,
                                   operators_by_hand,
                                   layouts_differ,
                                   fills_take_as_long_on_slow_units,
                                   odd_weights };
    return run_tests("single op", tests, COUNT_OF(tests));
}
