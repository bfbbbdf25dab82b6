/* Tests the time of convolutions, worked by hand: the rate for each shape, on vector units and in other layouts. Also
 * tests the bytes that a bias, a norm and an activation of a feature map read and write.   [conv-time] */
#include "cost/cost_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"
#include "support.h"

/* The device has 1e12 FLOP/s in matrix units, 1e11 FLOP/s in vector units and 1e12 B/s. */
static nnc_device machine(void) {
    nnc_device d = plain_device();
    d.matmul_flops_per_s[NNC_BF16] = 1e12;
    d.matmul_flops_per_s[NNC_TF32] = 1e12;
    d.matmul_flops_per_s[NNC_FP32] = 1e11;
    d.vector_flops_per_s[NNC_FP32] = 1e11;
    d.mem_bytes_per_s = 1e12;
    d.efficiency.conv = (nnc_conv_efficiency){ 0.5, 1, 0, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    return d;
}

/* The convolution has 2 images of 8 x 8 positions, 16 input and 48 output channels, and 3 x 3 taps. */
static nnc_op conv(nnc_phase phase, nnc_dtype dtype, int64_t groups) {
    return (nnc_op){ .kind = NNC_OP_CONV,
                     .phase = phase,
                     .dtype = dtype,
                     .math_dtype = dtype,
                     .grad_bytes = 2,
                     .u.conv = { .batch = 2,
                                 .c_in = 16,
                                 .c_out = 48,
                                 .h_in = 8,
                                 .w_in = 8,
                                 .h_out = 8,
                                 .w_out = 8,
                                 .kernel = 3,
                                 .stride = 1,
                                 .groups = groups,
                                 .needs_grad_input = true } };
}

static double bytes_of(const nnc_work *work) { return work->read_bytes + work->write_bytes; }

static double compute_s(const nnc_device *device, const nnc_op *op) {
    const nnc_work work = nnc_op_work(op);
    return nnc_op_time(device, op, &work).compute_s;
}

static const double flops = 2.0 * 128 * 48 * 16 * 9;

START_TEST(few_channels_and_short_sums_are_slow) {
    nnc_device d = machine();
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_BF16, 1);
    ck_assert_double_eq_tol(compute_s(&d, &op), flops / 0.5e12, 1e-18);
    d.efficiency.conv.channels_half = 16;
    d.efficiency.conv.depth_half = 36;
    /* 48 output channels, each a sum of 144 terms: with channels_half 16 and depth_half 36, the rate is 48/64 x 144/180
     * of the sustained rate */
    ck_assert_double_eq_tol(compute_s(&d, &op), flops / (0.5e12 * 0.75 * 0.8), 1e-18);
    /* gradient of the input: 16 output channels, each a sum of 432 terms */
    op.phase = NNC_PHASE_GRAD_INPUT;
    ck_assert_double_eq_tol(compute_s(&d, &op), flops / (0.5e12 * 0.5 * 432 / 468), 1e-18);
    /* gradient of the weights: a matrix of 48 x 144 */
    op.phase = NNC_PHASE_GRAD_WEIGHT;
    ck_assert_double_eq_tol(compute_s(&d, &op), flops / (0.5e12 * 0.75 * 0.9), 1e-18);
    /* with four groups: 12 channels per group, each a sum of 36 terms, and a quarter of the products */
    op = conv(NNC_PHASE_FORWARD, NNC_BF16, 4);
    ck_assert_double_eq_tol(compute_s(&d, &op), 0.25 * flops / (0.5e12 * 12 / 28 * 0.5), 1e-18);
}
END_TEST

/* With one channel per group, channels_half 16 and depth_half 36, the rate of the matrix units is 1/17 x 9/45 of the
 * sustained rate. With one channel per group, the matrix units are slower than a fifth of the peak of the vector
 * units. */
START_TEST(vector_units_take_over) {
    nnc_device d = machine();
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_BF16, 16);
    op.u.conv.c_out = 16;
    d.efficiency.conv.channels_half = 16;
    d.efficiency.conv.depth_half = 36;
    const double own = 2.0 * 128 * 16 * 9;
    ck_assert_double_eq_tol(compute_s(&d, &op), own / (0.5e12 / 17 * 0.2), 1e-15);
    d.efficiency.conv.vector_fraction = 0.2;
    ck_assert_double_eq_tol(compute_s(&d, &op), own / 0.2e11, 1e-15);
    /* Groups of several channels that run on the vector units have 1.5 times the rate of single channels, but at most
     * the rate of the matrix units. */
    nnc_op grouped = op;
    grouped.u.conv.on_vectors = true;
    ck_assert_double_eq_tol(compute_s(&d, &grouped), own / (0.5e12 / 17 * 0.2), 1e-15);
    d.efficiency.conv.vector_fraction = 0.02;
    ck_assert_double_eq_tol(compute_s(&d, &grouped), own / 0.03e11, 1e-15);
    ck_assert_double_eq_tol(compute_s(&d, &op), own / (0.5e12 / 17 * 0.2), 1e-15);
    d.efficiency.conv.vector_fraction = 0.2;
    /* The rate is never above the peak of the matrix units. */
    d.vector_flops_per_s[NNC_FP32] = 1e15;
    ck_assert_double_eq_tol(compute_s(&d, &op), own / 1e12, 1e-18);
}
END_TEST

/* Winograd's algorithm F(2 x 2, 3 x 3) needs 16 products instead of 36 for 4 outputs of 9 taps: arXiv:1509.09308. */
START_TEST(winograd_takes_fewer_products) {
    const nnc_device d = machine();
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_FP32, 1);
    ck_assert_double_eq(nnc_op_products_saved(&op), 36.0 / 16.0);
    ck_assert_double_eq_tol(compute_s(&d, &op), flops / 2.25 / 0.5e11, 1e-15);
    op.u.conv.stride = 2;
    ck_assert_double_eq(nnc_op_products_saved(&op), 1.0);
    op = conv(NNC_PHASE_FORWARD, NNC_TF32, 1);
    ck_assert_double_eq(nnc_op_products_saved(&op), 1.0);
}
END_TEST

/* 128 positions of 64 channels of 2 B are transposed before and after the convolution. The transposes are extra
 * kernels, which do not overlap with the product. */
START_TEST(maps_in_another_order_are_turned) {
    const nnc_device d = machine();
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_BF16, 1);
    const nnc_work work = nnc_op_work(&op);
    const nnc_timing plain = nnc_op_time(&d, &op, &work);
    ck_assert_double_gt(plain.compute_s, plain.memory_s);
    op.u.conv.contiguous = true;
    ck_assert_double_eq_tol(nnc_op_time(&d, &op, &work).time_s - plain.time_s, 2 * 128 * 64 * 2 / 0.8e12, 1e-19);
    /* convolutions in fp32 do not run on the matrix units, so they need no transpose */
    op = conv(NNC_PHASE_FORWARD, NNC_FP32, 1);
    op.u.conv.contiguous = true;
    const nnc_work in_fp32 = nnc_op_work(&op);
    ck_assert_double_eq_tol(nnc_op_time(&d, &op, &in_fp32).memory_s, bytes_of(&in_fp32) / 1e12, 1e-20);
}
END_TEST

/* With the separate kernels of PyTorch, a transpose reads and writes each value of a map, and takes the time of 2
 * additional bytes for each value. The 48 x 16 x 9 weights are transposed, too, with 2 bytes each at 0.3 of the
 * bandwidth. A convolution with one tap transposes nothing. A convolution with three input channels runs at 0.36 of the
 * peak of the vector units. */
START_TEST(layouts_of_pytorch) {
    const nnc_device d = machine();
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_BF16, 1);
    op.issued_as = NNC_ISSUED_TOO;
    op.issued[0].kernels = 1.0;
    nnc_work work = nnc_op_work(&op);
    const double plain_s = nnc_op_time(&d, &op, &work).time_s;
    op.u.conv.contiguous = true;
    ck_assert_double_eq_tol(nnc_op_time(&d, &op, &work).time_s - plain_s,
                            2 * 128 * 64 * (2 + 2) / 1e12 + 2 * 2 * 3.3 * 48 * 16 * 9 / 1e12, 1e-19);
    op.u.conv.kernel = 1;
    work = nnc_op_work(&op);
    const double turned_s = nnc_op_time(&d, &op, &work).time_s;
    op.u.conv.contiguous = false;
    ck_assert_double_eq(nnc_op_time(&d, &op, &work).time_s, turned_s);
    op = conv(NNC_PHASE_FORWARD, NNC_BF16, 1);
    op.issued_as = NNC_ISSUED_TOO;
    op.issued[0].kernels = 1.0;
    op.u.conv.c_in = 3;
    work = nnc_op_work(&op);
    ck_assert_double_eq_tol(nnc_op_time(&d, &op, &work).compute_s, work.flops / (0.36 * d.vector_flops_per_s[NNC_FP32]),
                            1e-18);
    /* with 8 channels of 2 bytes, a position has 16 bytes, so the matrix units compute the convolution */
    op.u.conv.c_in = 8;
    work = nnc_op_work(&op);
    ck_assert_double_lt(nnc_op_time(&d, &op, &work).compute_s, work.flops / d.vector_flops_per_s[NNC_FP32]);
}
END_TEST

/* With the separate kernels of PyTorch, each gradient in TF32 takes 1.5 times as long as forward. A convolution of 16
 * contiguous single channels with 9 taps runs at 0.04 of the peak of the vector units in any format. The weight
 * gradient of single channels takes 2.5 times as long as forward. */
START_TEST(gradients_of_pytorch) {
    nnc_device d = machine();
    d.efficiency.conv.library_tf32_backward_ratio = 1.5;
    d.efficiency.conv.library_channel_fraction = 0.04;
    d.efficiency.conv.library_channel_weight_ratio = 2.5;
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_TF32, 1);
    op.issued_as = NNC_ISSUED_TOO;
    op.issued[0].kernels = op.issued[1].kernels = 1.0;
    ck_assert_double_eq_tol(compute_s(&d, &op), flops / 0.5e12, 1e-18);
    op.phase = NNC_PHASE_GRAD_INPUT;
    ck_assert_double_eq_tol(compute_s(&d, &op), 1.5 * flops / 0.5e12, 1e-18);
    op.phase = NNC_PHASE_GRAD_WEIGHT;
    ck_assert_double_eq_tol(compute_s(&d, &op), 1.5 * flops / 0.5e12, 1e-18);
    d.efficiency.conv.library_tf32_contiguous_ratio = 1.25; /* for contiguous maps only */
    ck_assert_double_eq_tol(compute_s(&d, &op), 1.5 * flops / 0.5e12, 1e-18);
    op.u.conv.contiguous = true;
    ck_assert_double_eq_tol(compute_s(&d, &op), 1.25 * flops / 0.5e12, 1e-18);
    op.math_dtype = NNC_BF16;
    ck_assert_double_eq_tol(compute_s(&d, &op), flops / 0.5e12, 1e-18);

    const double single_flops = 2.0 * 128 * 16 * 9;
    op = conv(NNC_PHASE_FORWARD, NNC_BF16, 16);
    op.u.conv.c_out = 16;
    op.u.conv.contiguous = true;
    op.issued_as = NNC_ISSUED_TOO;
    op.issued[0].kernels = op.issued[1].kernels = 1.0;
    ck_assert_double_eq_tol(compute_s(&d, &op), single_flops / (0.04 * 1e11), 1e-15);
    op.phase = NNC_PHASE_GRAD_WEIGHT;
    const nnc_work work = nnc_op_work(&op);
    ck_assert_double_eq_tol(nnc_op_time(&d, &op, &work).time_s, 2.5 * single_flops / (0.04 * 1e11), 1e-15);
}
END_TEST

/* cuDNN release notes 7.3: channels are padded to multiples of 8. A channels-last map of 20 channels is copied at 0.8
 * of the bandwidth. Maps of 16, 24 and 3 channels are not copied. A kernel that was written for the device takes maps
 * with any number of channels without a copy. */
START_TEST(odd_numbers_of_channels_are_padded) {
    nnc_device d = machine();
    d.efficiency.conv.channels_half = 1e-9;
    static const int64_t channels[] = { 16, 24, 3 };
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_BF16, 1);
    for (int i = 0; i < 3; i++) {
        op.u.conv.c_in = channels[i];
        const nnc_work work = nnc_op_work(&op);
        const nnc_timing t = nnc_op_time(&d, &op, &work);
        ck_assert_double_eq_tol(t.time_s, fmax(t.compute_s, t.memory_s), 1e-20);
    }
    op.u.conv.c_in = 20;
    const nnc_work work = nnc_op_work(&op);
    nnc_timing t = nnc_op_time(&d, &op, &work);
    ck_assert_double_eq_tol(t.time_s - t.compute_s, 2 * 128 * 20 * 2 / 0.8e12, 1e-19);
    op.math_dtype = NNC_TF32; /* 4 values are 16 B */
    t = nnc_op_time(&d, &op, &work);
    ck_assert_double_eq_tol(t.time_s, fmax(t.compute_s, t.memory_s), 1e-20);
    op.math_dtype = NNC_BF16;
    d.efficiency.conv.channels_half = 0.0; /* kernels without losses */
    t = nnc_op_time(&d, &op, &work);
    ck_assert_double_eq_tol(t.time_s, fmax(t.compute_s, t.memory_s), 1e-20);
    d.efficiency.conv.channels_half = 1e-9;
    op.tuned = true;
    t = nnc_op_time(&d, &op, &work);
    ck_assert_double_eq_tol(t.time_s, fmax(t.compute_s, t.memory_s), 1e-20);
}
END_TEST

/* Source: aten/src/ATen/native/cuda/DepthwiseConv2d.cu. Each of 4 units at 1 GHz computes 10.6 FLOPs per cycle. For the
 * weight gradient, a unit computes 4.7 FLOPs per cycle, with a block of threads for each of 16 x 49 weights. With one
 * tap, there are 16 blocks for 16 weights, half of the 4 x 8 blocks that the units can hold. Kernels of 3 x 3 taps are
 * compiled for their size. */
START_TEST(kernels_of_pytorch_for_single_channels) {
    nnc_device d = machine();
    d.units = 4;
    d.clock_hz = 1e9;
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_FP16, 16);
    d.matmul_flops_per_s[NNC_FP16] = 1e12;
    op.u.conv.c_out = 16;
    op.u.conv.kernel = 7;
    op.u.conv.contiguous = op.u.conv.native = true;
    const double own = 2.0 * 128 * 16 * 49;
    ck_assert_double_eq_tol(compute_s(&d, &op), own / (10.6 * 4e9), 1e-15);
    op.phase = NNC_PHASE_GRAD_INPUT;
    ck_assert_double_eq_tol(compute_s(&d, &op), own / (10.6 * 4e9), 1e-15);
    op.phase = NNC_PHASE_GRAD_WEIGHT;
    ck_assert_double_eq_tol(compute_s(&d, &op), own / (4.7 * 4e9), 1e-15);
    op.u.conv.kernel = 1;
    ck_assert_double_eq_tol(compute_s(&d, &op), 2.0 * own / 49 / (4.7 * 4e9), 1e-15);
    op.phase = NNC_PHASE_FORWARD;
    op.u.conv.kernel = 3;
    ck_assert_double_eq_tol(compute_s(&d, &op), 9.0 * own / 49 / (0.5 * 1e12), 1e-15);
}
END_TEST

/* With the separate kernels of PyTorch, 128 positions of 48 channels are one tile, which uses one of 4 units.
 * With 16 times as many positions, the convolution uses all units. The sums of a weight gradient are split over the
 * units. */
START_TEST(small_maps_leave_units_idle) {
    nnc_device d = machine();
    d.units = 4;
    d.efficiency.conv.library_sustained_fraction = 0.5;
    d.efficiency.conv.library_channels_half = 0.0;
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_BF16, 1);
    op.issued_as = NNC_ISSUED_TOO;
    op.issued[0].kernels = op.issued[1].kernels = 1.0;
    ck_assert_double_eq_tol(compute_s(&d, &op), 4.0 * flops / 0.5e12, 1e-18);
    op.phase = NNC_PHASE_GRAD_WEIGHT;
    ck_assert_double_eq_tol(compute_s(&d, &op), flops / 0.5e12, 1e-18);
    op.phase = NNC_PHASE_FORWARD;
    op.u.conv.batch = 32;
    ck_assert_double_eq_tol(compute_s(&d, &op), 16.0 * flops / 0.5e12, 1e-17);
}
END_TEST

/* If a separate kernel adds the bias, this kernel reads the output and writes it again. The gradient of the bias reads
 * the gradient of the output once more. */
START_TEST(a_bias_may_be_a_kernel) {
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_BF16, 1);
    op.weights.vector = 48;
    const double plain = nnc_op_work(&op).read_bytes + nnc_op_work(&op).write_bytes;
    op.u.conv.separate_bias = true;
    ck_assert_double_eq(nnc_op_work(&op).read_bytes + nnc_op_work(&op).write_bytes - plain, 2 * 2 * 128 * 48);
    op.phase = NNC_PHASE_GRAD_WEIGHT;
    const double apart = nnc_op_work(&op).read_bytes;
    op.u.conv.separate_bias = false;
    ck_assert_double_eq(apart - nnc_op_work(&op).read_bytes, 2 * 128 * 48);
}
END_TEST

/* A map has 1000 values of 2 B. A ReLU inside the kernel of the norm reads and writes no bytes. A sum inside the kernel
 * of the norm reads its second operand, and backward writes the gradient of this operand. A group norm in fp32 reads
 * and writes 4 B per value, and its casts read and write 6 B per value. */
START_TEST(norms_of_maps) {
    nnc_op op = { .kind = NNC_OP_POINTWISE,
                  .dtype = NNC_BF16,
                  .group = NNC_GROUP_CONV,
                  .u.pointwise = { .kind = NNC_PW_RELU, .elements = 1000, .inside = true } };
    const nnc_work inside = nnc_op_work(&op);
    ck_assert_double_eq(bytes_of(&inside), 0);
    op.u.pointwise.kind = NNC_PW_RESIDUAL;
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, 2000);
    ck_assert_double_eq(nnc_op_work(&op).write_bytes, 0);
    op.phase = NNC_PHASE_BACKWARD;
    ck_assert_double_eq(nnc_op_work(&op).write_bytes, 2000);
    op = (nnc_op){ .kind = NNC_OP_NORM,
                   .dtype = NNC_BF16,
                   .u.norm = {
                       .kind = NNC_NORM_GROUP, .elements = 1000, .rows = 10, .fused = true, .keep = NNC_KEEP_UPCAST } };
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, 1000 * (4 + 6));
    ck_assert_double_eq(nnc_op_work(&op).write_bytes, 1000 * (4 + 6));
    op.u.norm.keep = NNC_KEEP_FUSED;
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, 2000);
}
END_TEST

/* Norms of maps, and ops between convolutions, have a bandwidth of their own if this bandwidth was measured. */
START_TEST(maps_have_their_own_bandwidth) {
    nnc_device d = machine();
    const nnc_op norm = { .kind = NNC_OP_NORM,
                          .dtype = NNC_BF16,
                          .u.norm = { .kind = NNC_NORM_BATCH, .elements = 1000, .rows = 10, .fused = true } };
    const nnc_work work = nnc_op_work(&norm);
    d.vector_flops_per_s[NNC_FP32] = 1e15;
    d.efficiency.pointwise = (nnc_efficiency){ 1, 0.25, 1e-6 };
    ck_assert_double_eq_tol(nnc_op_time(&d, &norm, &work).time_s, bytes_of(&work) / 0.25e12 + 1e-6, 1e-18);
    d.efficiency.maps = (nnc_efficiency){ 1, 0.5, 2e-6 };
    ck_assert_double_eq_tol(nnc_op_time(&d, &norm, &work).time_s, bytes_of(&work) / 0.5e12 + 2e-6, 1e-18);
    d.efficiency.maps_tuned = (nnc_efficiency){ 1, 0.8, 3e-6 };
    ck_assert_double_eq_tol(nnc_op_time(&d, &norm, &work).time_s, bytes_of(&work) / 0.5e12 + 2e-6, 1e-18);
    nnc_op tuned = norm; /* a kernel that was tuned for the device */
    tuned.tuned = true;
    ck_assert_double_eq_tol(nnc_op_time(&d, &tuned, &work).time_s, bytes_of(&work) / 0.8e12 + 3e-6, 1e-18);
}
END_TEST

/* A CPU with one core has 1e11 FLOP/s in fp32 and 1e9 B/s. */
static nnc_device one_core(void) {
    nnc_device d = machine();
    d.host.kernel_s = 0.0;
    snprintf(d.vendor, sizeof d.vendor, "cpu");
    d.units = 1;
    d.mem_bytes_per_s = 1e9;
    d.efficiency.conv.memory_fraction = 0.5;
    return d;
}

static double time_s(const nnc_device *device, const nnc_op *op) {
    const nnc_work work = nnc_op_work(op);
    return nnc_op_time(device, op, &work).time_s;
}

/* The input has 128 x 16 values, the output 128 x 48 values and the weights 48 x 144 values, of 4 B each. At half of
 * 1e9 B/s, the 60,416 B of input, output and weights take 121 us. The 60,416 B are read or written three times: for the
 * convolution, for the copies to the layout of oneDNN, and for the copies back. The products take 35 us, without
 * Winograd's algorithm. A calibration factor of 0.5 doubles the time of the products. */
START_TEST(a_cpu_copies_to_another_layout) {
    nnc_device d = one_core();
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_FP32, 1);
    ck_assert_double_eq_tol(time_s(&d, &op), 3.0 * 60416 / 0.5e9, 1e-15);
    op.grad_bytes = 4;
    op.phase = NNC_PHASE_GRAD_WEIGHT;
    ck_assert_double_eq_tol(time_s(&d, &op), 3.0 * 60416 / 0.5e9, 1e-15);
    d.mem_bytes_per_s = 1e11;
    ck_assert_double_eq_tol(time_s(&d, &op), flops / 0.5e11 + 2.0 * 60416 / 0.5e11, 1e-15);
    d.efficiency.calibration = 0.5;
    ck_assert_double_eq_tol(time_s(&d, &op), flops / 0.25e11 + 2.0 * 60416 / 0.5e11, 1e-15);
}
END_TEST

/* With one tap and 2 images, the convolution is a product of 48 x 64 results, each a sum of 16 terms. For 2 images, the
 * product reads and writes matrices of 48 x 16, 16 x 64 and 48 x 64 values of 4 B: 2 (48 x 16 + 16 x 64 + 48 x 64) x 4
 * = 38,912 B. The gradients of input and weights are products with the same three dimensions as forward. With several
 * threads, or with 16 images, oneDNN computes the convolution. For 2 images, 2 (16 + 48) x 64 values of input and
 * output and 768 weights are 35,840 B. Source: use_mkldnn in Convolution.cpp of PyTorch. */
START_TEST(a_cpu_runs_one_tap_as_products) {
    nnc_device d = one_core();
    nnc_op op = conv(NNC_PHASE_FORWARD, NNC_FP32, 1);
    op.u.conv.kernel = 1;
    op.grad_bytes = 4;
    for (nnc_phase phase = NNC_PHASE_FORWARD; phase <= NNC_PHASE_GRAD_WEIGHT; phase++) {
        op.phase = phase == NNC_PHASE_BACKWARD ? NNC_PHASE_FORWARD : phase;
        ck_assert_double_eq_tol(time_s(&d, &op), 38912 / 1e9, 1e-15);
    }
    d.units = 2;
    op.phase = NNC_PHASE_FORWARD;
    ck_assert_double_eq_tol(time_s(&d, &op), 3.0 * 35840 / 0.5e9, 1e-15);
    d.units = 1;
    op.u.conv.batch = 16;
    ck_assert_double_eq_tol(time_s(&d, &op), 3.0 * (8.0 * 32768 + 3072) / 0.5e9, 1e-15);
}
END_TEST

/* 16 channels of 5 x 5 taps at 128 positions are 102,400 FLOPs, which take 102 us at 0.01 of 1e11 FLOP/s. The input and
 * the output of 2 x 1024 values each, and 400 weights, are 17,984 B. Only the weight gradient is slow, and only if the
 * kernel is larger than 3 x 3 taps. */
START_TEST(a_cpu_is_slow_at_gradients_of_channels) {
    nnc_device d = one_core();
    nnc_op op = conv(NNC_PHASE_GRAD_WEIGHT, NNC_FP32, 16);
    op.u.conv.c_out = 16;
    op.u.conv.kernel = 5;
    op.grad_bytes = 4;
    d.efficiency.conv.library_channel_fraction = 0.01;
    ck_assert_double_eq_tol(time_s(&d, &op), 102400 / 1e9 + 2.0 * 17984 / 0.5e9, 1e-15);
    op.phase = NNC_PHASE_GRAD_INPUT;
    ck_assert_double_eq_tol(time_s(&d, &op), 3.0 * 17984 / 0.5e9, 1e-15);
    op.phase = NNC_PHASE_GRAD_WEIGHT;
    op.u.conv.kernel = 3;
    ck_assert_double_eq_tol(time_s(&d, &op), 3.0 * 16960 / 0.5e9, 1e-15);
}
END_TEST

/* Groups of 4, 8, 16 or 32 channels have a kernel for the matrix units if the number of groups is a multiple of 32. All
 * other groups of 2 channels or more run on the vector units if the software profile says so. */
START_TEST(groups_on_vector_units) {
    static const struct {
        int64_t groups, channels;
        bool on_vectors;
    } cases[] = { { 32, 4, false }, { 32, 8, false }, { 32, 16, false }, { 32, 32, false },
                  { 96, 8, false }, { 32, 2, true },  { 32, 64, true },  { 16, 8, true },
                  { 2, 2, true },   { 48, 4, true },  { 1, 64, false },  { 64, 1, false } };
    static nnc_op_list list;
    const nnc_plan plan = nnc_plan_default();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int says = 0; says < 2; says++) {
            const nnc_software software = { .grouped_on_vectors = says != 0 };
            const nnc_lowering how = { .plan = &plan, .software = &software, .dtype = NNC_BF16 };
            const nnc_writer w = { .list = &list, .how = &how, .repeat = 1, .block = -1 };
            const int64_t all = cases[i].groups * cases[i].channels;
            const nnc_conv conv = { .batch = 1, .c_in = all, .c_out = all, .kernel = 3, .groups = cases[i].groups };
            list.count = 0;
            const nnc_op *op = nnc_list_conv(&w, "conv", NNC_GROUP_CONV, &conv, false);
            ck_assert_int_eq(op->u.conv.on_vectors, says != 0 && cases[i].on_vectors);
            ck_assert_int_eq(op->weights.cols, cases[i].channels * 9);
        }
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = { few_channels_and_short_sums_are_slow,
                                   groups_on_vector_units,
                                   vector_units_take_over,
                                   winograd_takes_fewer_products,
                                   maps_in_another_order_are_turned,
                                   layouts_of_pytorch,
                                   gradients_of_pytorch,
                                   odd_numbers_of_channels_are_padded,
                                   kernels_of_pytorch_for_single_channels,
                                   small_maps_leave_units_idle,
                                   a_bias_may_be_a_kernel,
                                   norms_of_maps,
                                   maps_have_their_own_bandwidth,
                                   a_cpu_copies_to_another_layout,
                                   a_cpu_runs_one_tap_as_products,
                                   a_cpu_is_slow_at_gradients_of_channels };
    return run_tests("conv_time", tests, COUNT_OF(tests));
}
