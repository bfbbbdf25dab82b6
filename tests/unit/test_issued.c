/* Compares the kernels that nncost counts for a network with the operators that the network's library issues. A
 * dispatch mode of PyTorch 1.13 recorded the operators of the library. Dropout, copies of gradients into buffers, and
 * views are left out. [issued] */
#include "cost/cost_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "serve/serve_internal.h"
#include "shape/shape_internal.h"
#include "support.h"

static nnc_software profile; /* a software profile without switches */

static void near(double found, double expected) { ck_assert_double_eq_tol(found, expected, 1e-9 * fabs(expected)); }

#define CONFIGS "tests/published/h100/configs/"

static nnc_result estimate_eager(const char *file, nnc_policy policy, const char *seq_len) {
    const nnc_software *eager = NULL;
    nnc_error err = { 0 };
    nnc_plan plan = nnc_plan_default();
    nnc_result r = { .struct_size = sizeof r };
    plan.policy = policy;
    plan.clip_gradients = false;
    ck_assert_int_eq(nnc_plan_set(&plan, "seq_len", seq_len, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, &err), NNC_OK);
    ck_assert_msg(nnc_estimate(load_model(file), load_device("hw/h100-sxm5-80gb.json"), eager, &plan, scratch, &r,
                               &err) == NNC_OK,
                  "%s", err.what);
    return r;
}

/* Returns the number of kernels of one layer. An op belongs to a layer if it repeats as often as there are layers. */
static double of_a_layer(double layers, bool forward) {
    int32_t count = 0;
    double kernels = 0.0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        const bool first = rows[i].op->phase == NNC_PHASE_FORWARD;
        if (fabs(rows[i].repeat - layers) < 0.5 && first == forward) { kernels += nnc_op_issued(rows[i].op).kernels; }
    }
    return kernels;
}

static double joined_bytes; /* bytes of all kernels that the last call of of_joins counted */

/* Returns the number of kernels that join maps in forward, or that add up gradients in backward. */
static double of_joins(const char *id, bool forward) {
    const nnc_model *model = NULL;
    const nnc_software *eager = NULL;
    int32_t count = 0;
    double kernels = 0.0;
    nnc_error err = { 0 };
    nnc_plan plan = nnc_plan_default();
    nnc_result r = { .struct_size = sizeof r };
    joined_bytes = 0.0;
    ck_assert_int_eq(nnc_model_load(specs, id, &model, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, &err), NNC_OK);
    ck_assert_int_eq(nnc_estimate(model, load_device("hw/h100-sxm5-80gb.json"), eager, &plan, scratch, &r, &err),
                     NNC_OK);
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        const nnc_op *op = rows[i].op;
        const bool joins = op->kind == NNC_OP_POINTWISE && op->u.pointwise.kind == NNC_PW_CONCAT;
        if (joins && (op->phase == NNC_PHASE_FORWARD) == forward) {
            kernels += nnc_op_issued(op).kernels * rows[i].repeat;
            joined_bytes += nnc_op_issued(op).bytes * rows[i].repeat;
        }
    }
    return kernels;
}

static const nnc_op_cost *row_of(const char *name, nnc_phase phase) {
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(rows[i].op->name, name) == 0 && rows[i].op->phase == phase) { return &rows[i]; }
    }
    ck_abort_msg("no row %s", name);
    return NULL;
}

/* In transformers-gpt2.bf16-sdpa, a layer has 19 kernels in forward, which include 2 kernels of dropout. In
 * transformers-gpt2.amp-sdpa, a layer has 31 kernels in forward. In 16 bits, backward has 39 kernels: 2 are dropout, 8
 * copy gradients, and 1 joins the gradients of Q, K and V. On a GPU, the gradient of a norm is 2 kernels and the
 * gradient of attention is 3, so backward of the layer has 32 kernels, or 31 without the join of gradients. */
START_TEST(layer_of_gpt2) {
    (void)estimate_eager(CONFIGS "gpt2.json", NNC_POLICY_BF16_PURE, "1024");
    near(of_a_layer(12, true), 17);
    near(of_a_layer(12, false), 31);
    (void)estimate_eager(CONFIGS "gpt2.json", NNC_POLICY_AMP, "1024");
    near(of_a_layer(12, true), 29);
}
END_TEST

/* A layer has 38 kernels in transformers-llama2-7b.bf16-sdpa, and 48 in transformers-llama2-7b.amp-sdpa. */
START_TEST(layer_of_llama) {
    (void)estimate_eager(CONFIGS "llama-7b.json", NNC_POLICY_BF16_PURE, "2048");
    near(of_a_layer(32, true), 38);
    (void)estimate_eager(CONFIGS "llama-7b.json", NNC_POLICY_AMP, "2048");
    near(of_a_layer(32, true), 48);
}
END_TEST

/* Returns a model with the operators of plain PyTorch, without another library. */
static nnc_model *alone(const char *file, nnc_model *model) {
    *model = *load_model(file);
    nnc_implementation_take(NNC_IMPLEMENTATION_PYTORCH, model);
    return model;
}

/* A layer of GPT-2 as in nanoGPT has 10 kernels in forward: 2 norms, 4 products, attention, GELU, 2 sums. In backward,
 * each of 4 products with bias has 2 products and 1 sum over rows. Each norm has 2 kernels, attention 3, GELU 1, and
 * each sum 1: 4 (2 + 1) + 4 + 3 + 1 + 2 = 22. A layer of LLaMA has 21 kernels in forward: 2 norms, 4 products,
 * attention, 10 kernels of the rotation, 2 kernels of SwiGLU, 2 sums. */
START_TEST(layers_of_pytorch_alone) {
    nnc_model model;
    const nnc_software *eager = NULL;
    nnc_error err = { 0 };
    nnc_plan plan = nnc_plan_default();
    nnc_result r = { .struct_size = sizeof r };
    const nnc_device *h100 = load_device("hw/h100-sxm5-80gb.json");
    plan.policy = NNC_POLICY_BF16_PURE;
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, &err), NNC_OK);
    ck_assert_int_eq(nnc_estimate(alone(CONFIGS "gpt2.json", &model), h100, eager, &plan, scratch, &r, &err), NNC_OK);
    near(of_a_layer(12, true), 10);
    near(of_a_layer(12, false), 22);
    ck_assert_int_eq(nnc_estimate(alone(CONFIGS "llama-7b.json", &model), h100, eager, &plan, scratch, &r, &err),
                     NNC_OK);
    near(of_a_layer(32, true), 21);
}
END_TEST

/* Inference with LLaMA 7B in plain PyTorch has 675 kernels: 32 layers of 21 kernels, the word table, the last norm and
 * the head. Without gradients, the host issues each kernel in 0.6 ms instead of 1 ms. */
START_TEST(a_forward_pass_of_pytorch_alone) {
    nnc_model model;
    const nnc_software *eager = NULL;
    nnc_error err = { 0 };
    nnc_plan plan = nnc_plan_default();
    nnc_result r = { .struct_size = sizeof r };
    nnc_device slow = *load_device("hw/h100-sxm5-80gb.json");
    slow.host.kernel_s = 1e-3;
    plan.train = NNC_TRAIN_NONE;
    plan.precision = NNC_BF16;
    plan.seq_len = 16;
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, &err), NNC_OK);
    ck_assert_int_eq(nnc_estimate(alone(CONFIGS "llama-7b.json", &model), &slow, eager, &plan, scratch, &r, &err),
                     NNC_OK);
    near(r.kernels, 675);
    ck_assert_double_eq_tol(r.step_s, 675 * 0.6e-3, 1e-3 * 0.405);
    ck_assert_int_eq(r.bound, NNC_BOUND_HOST);
}
END_TEST

/* A decode step of LLaMA 7B in plain PyTorch has 740 kernels: 32 layers of 21 kernels and 2 kernels that write keys and
 * values into the cache, the word table, the last norm, the head and the choice of the token. The host issues each
 * kernel in 0.6 ms instead of 1 ms. The cache is allocated in its full size at the start. So the step copies 4 B for
 * each of the new values of the cache (2 x 32 layers x 4096), but does not copy older values. */
START_TEST(decode_in_pytorch_alone) {
    nnc_model model;
    const nnc_software *eager = NULL;
    nnc_error err = { 0 };
    nnc_serve_ask ask = nnc_serve_ask_default();
    nnc_serve serve = { .struct_size = sizeof serve };
    nnc_device slow = *load_device("hw/h100-sxm5-80gb.json");
    slow.host.kernel_s = 1e-3;
    ask.batch = 1;
    ask.input_len = 512;
    ask.output_len = 2;
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, &err), NNC_OK);
    ck_assert_msg(nnc_serve_of(alone(CONFIGS "llama-7b.json", &model), &slow, eager, &ask, scratch, &serve, &err) ==
                      NNC_OK,
                  "%s", err.what);
    near(serve.decode.time_s, 740 * 0.6e-3);
    ck_assert_int_eq(serve.decode.bound, NNC_BOUND_HOST);
    slow.host.kernel_s = 0.0; /* the host takes no time */
    ck_assert_int_eq(nnc_serve_of(&model, &slow, eager, &ask, scratch, &serve, &err), NNC_OK);
    const double attention_s = serve.decode.attention_s, copied = 4.0 * 2.0 * 32.0 * 4096.0;
    ask.input_len = 4096;
    ck_assert_int_eq(nnc_serve_of(&model, &slow, eager, &ask, scratch, &serve, &err), NNC_OK);
    /* With the longer prompt, attention reads 3584 more positions, but the copies take the same time. */
    ck_assert_double_lt(serve.decode.attention_s - attention_s, 3584.0 * copied / 2.0 / (0.7 * 3.35e12));
}
END_TEST

/* The expected numbers follow from recorded steps of torchvision. DenseNet-121 adds up 6 x 7 / 2 + 12 x 13 / 2 + 24 x
 * 25 / 2 + 16 x 17 / 2 = 535 gradients. GoogLeNet has 9 blocks with four branches, so 9 joins, and each block adds up 3
 * gradients of its input. SqueezeNet has 8 blocks with two branches. */
START_TEST(joins_of_branches) {
    near(of_joins("densenet121", false), 535);
    near(of_joins("googlenet", true), 9);
    near(of_joins("googlenet", false), 27);
    near(of_joins("squeezenet1_1", false), 8);
    /* The 8 joins of SqueezeNet have sides of 55, 27 and 13. The sum of two gradients takes 6 B per 16-bit value. */
    near(joined_bytes, 6.0 * (2 * 128 * 55 * 55 + 2 * 256 * 27 * 27 + (2 * 384 + 2 * 512) * 13 * 13));
}
END_TEST

/* In transformers-bert-base.amp-sdpa, a layer has 30 kernels, which include 2 kernels of dropout. */
START_TEST(layer_of_bert) {
    (void)estimate_eager(CONFIGS "bert-base.json", NNC_POLICY_AMP, "128");
    near(of_a_layer(12, true), 28);
}
END_TEST

/* gelu_new of 1024 x 3072 values has 8 kernels, with 36 bytes per value in 16 bits. Under autocast, gelu_new has 9
 * kernels with 70 bytes per value. The cast to fp32 (6 bytes) and the last product (10 bytes) have operands of two
 * types. */
START_TEST(composed_gelu) {
    const double values = 1024.0 * 3072.0;
    (void)estimate_eager(CONFIGS "gpt2.json", NNC_POLICY_BF16_PURE, "1024");
    const nnc_op_cost *row = row_of("mlp.activation", NNC_PHASE_FORWARD);
    near(row->work.read_bytes + row->work.write_bytes, 36.0 * values);
    near(row->time_s, 36.0 * values / (0.88 * 3.35e12) + 8 * 3e-6);
    (void)estimate_eager(CONFIGS "gpt2.json", NNC_POLICY_AMP, "1024");
    row = row_of("mlp.activation", NNC_PHASE_FORWARD);
    near(row->work.read_bytes + row->work.write_bytes, 70.0 * values);
    near(row->time_s, 54.0 * values / (0.88 * 3.35e12) + 16.0 * values / (0.58 * 3.35e12) + 9 * 3e-6);
}
END_TEST

/* With 50257 columns, the three products of the head are slower. Other products are not slower. */
START_TEST(odd_vocabulary) {
    (void)estimate_eager(CONFIGS "gpt2.json", NNC_POLICY_BF16_PURE, "1024");
    const double forward = row_of("head.logits", NNC_PHASE_FORWARD)->time_s;
    const double input = row_of("head.logits", NNC_PHASE_GRAD_INPUT)->time_s;
    nnc_device plain = *load_device("hw/h100-sxm5-80gb.json");
    plain.efficiency.gemm[NNC_BF16].unaligned_ratio = 1.0;
    const nnc_op_cost *row = row_of("head.logits", NNC_PHASE_GRAD_WEIGHT);
    ck_assert_double_gt(row->time_s, 5.0 * nnc_op_time(&plain, row->op, &row->work).time_s);
    ck_assert_double_gt(input, 0.5 * forward);
    row = row_of("mlp.up", NNC_PHASE_FORWARD);
    near(row->time_s, nnc_op_time(&plain, row->op, &row->work).time_s);
}
END_TEST

/* For one sequence, the host is the bound of the step. The host takes 37.5 us for each kernel. */
START_TEST(host_holds) {
    const nnc_result r = estimate_eager(CONFIGS "gpt2.json", NNC_POLICY_AMP, "1024");
    ck_assert_int_eq(r.bound, NNC_BOUND_HOST);
    ck_assert_double_le(r.step_s, r.upper_bound_s);
    /* The host issues the kernels of successive steps without a pause. A step takes the time in which the host issues
     * all kernels of the step. The device ends the update while the host issues the next forward. */
    near(r.step_s, r.kernels * 3.75e-5);
    int32_t count = 0;
    double kernels = 0.0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        const bool passes = rows[i].op->phase != NNC_PHASE_UPDATE && rows[i].op->phase != NNC_PHASE_COMM;
        kernels += passes ? nnc_op_issued(rows[i].op).kernels * rows[i].repeat : 0.0;
    }
    const double updates = r.kernels - kernels;
    ck_assert_double_ge(updates, 1.0);
    near(nnc_scratch_stages(scratch, &count)->update_s, updates * 3.75e-5);
}
END_TEST

/* The attention of T5 has a bias, so it is not fused. The encoder keeps fp32 scores of 12 heads, 512 x 512 each, and
 * fp32 Q, K and V. Forward has two products of 2 x 12 x 512 x 512 x 64 FLOPs in fp32. Attention to the encoder is
 * fused. */
START_TEST(attention_of_t5) {
    (void)estimate_eager(CONFIGS "t5-base.json", NNC_POLICY_AMP, "512");
    const nnc_op_cost *row = row_of("attn.core", NNC_PHASE_FORWARD);
    const double scores = 12.0 * 512.0 * 512.0, width = 12.0 * 512.0 * 64.0;
    near(nnc_op_kept_bytes(row->op), 4.0 * scores + 3.0 * 4.0 * width);
    near(nnc_op_issued(row->op).kernels, 20);
    nnc_device twice = *load_device("hw/h100-sxm5-80gb.json");
    const double before = nnc_op_time(&twice, row->op, &row->work).time_s;
    const double fraction = twice.efficiency.gemm[NNC_FP32].sustained_fraction;
    twice.vector_flops_per_s[NNC_FP32] *= 2.0;
    near(before - nnc_op_time(&twice, row->op, &row->work).time_s, 0.5 * 4.0 * scores * 64.0 / (fraction * 66.9e12));
    row = row_of("cross.core", NNC_PHASE_FORWARD);
    ck_assert_double_lt(nnc_op_kept_bytes(row->op), 4.0 * scores);
}
END_TEST

/* timm-swin_base_patch4_window7_224 lists 29 kernels in forward for a block, or 32 if the block shifts its windows. In
 * backward, a block without shifted windows has 36 kernels, and a block with shifted windows 38. On a GPU, padding has
 * two kernels, and each of two slices has two. On a GPU, the sum by index for the bias gradient has four additional
 * kernels, and the gradient of each of two norms has two kernels. In the last stage, a map is one window. */
START_TEST(attention_of_swin) {
    const nnc_model *model = NULL;
    const nnc_software *eager = NULL;
    nnc_error err = { 0 };
    nnc_plan plan = nnc_plan_default();
    nnc_result r = { .struct_size = sizeof r };
    plan.policy = NNC_POLICY_FP32;
    plan.precision = NNC_FP32;
    ck_assert_int_eq(nnc_model_load(specs, "swin_base_patch4_window7_224", &model, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, &err), NNC_OK);
    ck_assert_int_eq(nnc_estimate(model, load_device("hw/h100-sxm5-80gb.json"), eager, &plan, scratch, &r, &err),
                     NNC_OK);
    near(of_a_layer(18, true), 0.5 * (29 + 32) + 1);
    near(of_a_layer(18, false), 0.5 * (36 + 38) + 1 + 2 + 3 + 2);
    const nnc_op_cost *row = row_of("block.attention", NNC_PHASE_FORWARD);
    const double scores = 4.0 * 64.0 * 49.0 * 49.0, width = 56.0 * 56.0 * 128.0;
    near(nnc_op_kept_bytes(row->op), 4.0 * scores + 3.0 * 4.0 * width);
    near(nnc_op_issued(row->op).bytes, 4.0 * (7.0 * scores + 21.0 * width));
}
END_TEST

/* Under autocast, a batch norm writes 16 bits, so ResNet-50 adds 16-bit maps. Two reads and a write are 6 bytes per
 * value, also in backward for the sum of two gradients. The layer norms of ConvNeXt write fp32, so in forward the sum
 * reads 4 + 2 bytes per value and writes 4. Backward takes 3 x 4 bytes for the sum of gradients and 4 + 2 bytes for the
 * cast of one gradient. The first sums of ResNet-50 and ConvNeXt have 56 x 56 positions of 256 and 96 channels. */
START_TEST(sums_of_maps) {
    static const struct {
        const char *id, *sum;
        double values, forward, backward, backward_mixed;
    } cases[] = { { "resnet50", "bottleneck.add", 56.0 * 56.0 * 256.0, 6, 6, 0 },
                  { "convnext_tiny", "block.add", 56.0 * 56.0 * 96.0, 10, 12, 6 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const nnc_model *model = NULL;
        const nnc_software *eager = NULL;
        nnc_error err = { 0 };
        nnc_plan plan = nnc_plan_default();
        nnc_result r = { .struct_size = sizeof r };
        plan.policy = NNC_POLICY_AMP;
        ck_assert_int_eq(nnc_model_load(specs, cases[i].id, &model, &err), NNC_OK);
        ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, &err), NNC_OK);
        ck_assert_int_eq(nnc_estimate(model, load_device("hw/h100-sxm5-80gb.json"), eager, &plan, scratch, &r, &err),
                         NNC_OK);
        const nnc_issued forward = nnc_op_issued(row_of(cases[i].sum, NNC_PHASE_FORWARD)->op);
        near(forward.bytes + forward.mixed_bytes, cases[i].forward * cases[i].values);
        int32_t count = 0;
        const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
        double bytes = 0.0, mixed = 0.0; /* bytes of the sum with the most values */
        for (int32_t k = 0; k < count; k++) {
            if (strcmp(rows[k].op->name, cases[i].sum) != 0 || rows[k].op->phase == NNC_PHASE_FORWARD) { continue; }
            bytes = fmax(bytes, nnc_op_issued(rows[k].op).bytes);
            mixed = fmax(mixed, nnc_op_issued(rows[k].op).mixed_bytes);
        }
        near(bytes, cases[i].backward * cases[i].values);
        ck_assert_double_eq(mixed, cases[i].backward_mixed * cases[i].values);
    }
}
END_TEST

/* The table lists the kernels of an op and the bytes per element that they read and write, counted by hand from the
 * operators. The second number of bytes is for kernels with operands of two formats. A value has 2 B in 16 bits and 4 B
 * in fp32, so a cast takes 2 + 4 B. A row has three pairs of counts, for 16 bits, fp32 and autocast. The first count of
 * a pair is that of forward, the second that of backward. */
START_TEST(bytes_of_operators) {
    enum { ELEMENTS = 8 };
    static const struct {
        nnc_op_kind kind;
        int in_kind;
        nnc_implementation by;
        const char *name;
        nnc_issued of[3][2];
    } cases[] = {
        /* One kernel reads and writes each value. The kernel of the gradient reads two values and writes one. */
        { NNC_OP_POINTWISE,
          NNC_PW_GELU,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "act",
          { { { 1, 4, 0 }, { 1, 6, 0 } }, { { 1, 8, 0 }, { 1, 12, 0 } }, { { 1, 4, 0 }, { 1, 6, 0 } } } },
        { NNC_OP_POINTWISE,
          NNC_PW_RELU,
          NNC_IMPLEMENTATION_TIMM,
          "act",
          { { { 1, 4, 0 }, { 1, 6, 0 } }, { { 1, 8, 0 }, { 1, 12, 0 } }, { { 1, 4, 0 }, { 1, 6, 0 } } } },
        /* The op follows a norm, which writes fp32 under autocast. */
        { NNC_OP_POINTWISE,
          NNC_PW_SILU,
          NNC_IMPLEMENTATION_DIFFUSERS,
          "act",
          { { { 1, 4, 0 }, { 1, 6, 0 } }, { { 1, 8, 0 }, { 1, 12, 0 } }, { { 1, 8, 0 }, { 1, 12, 0 } } } },
        /* In forward, SiLU reads and writes 2 values, and the product 3 values. Backward has two products of 3 values,
         * and a SiLU of 3 values. GELU of the gate has one more kernel in backward. */
        { NNC_OP_POINTWISE,
          NNC_PW_SWIGLU,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "act",
          { { { 2, 4 + 6, 0 }, { 3, 18, 0 } },
            { { 2, 8 + 12, 0 }, { 3, 36, 0 } },
            { { 2, 4 + 6, 0 }, { 3, 18, 0 } } } },
        { NNC_OP_POINTWISE,
          NNC_PW_GEGLU,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "act",
          { { { 2, 4 + 6, 0 }, { 4, 24, 0 } },
            { { 2, 8 + 12, 0 }, { 4, 48, 0 } },
            { { 2, 4 + 6, 0 }, { 4, 24, 0 } } } },
        /* A row is gathered twice. Backward fills a tensor with zeros, and adds to it. */
        { NNC_OP_POINTWISE,
          NNC_PW_DISPATCH,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "moe.dispatch",
          { { { 9, 8, 0 }, { 6, 16, 0 } }, { { 9, 16, 0 }, { 6, 32, 0 } }, { { 9, 8, 0 }, { 6, 16, 0 } } } },
        { NNC_OP_POINTWISE,
          NNC_PW_COMBINE,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "moe.combine",
          { { { 4, 7, 6 }, { 6, 14, 8 } }, { { 4, 26, 0 }, { 6, 44, 0 } }, { { 4, 7, 6 }, { 6, 14, 8 } } } },
        /* PyTorch 2.5 and later versions read grouped heads without a copy. */
        { NNC_OP_POINTWISE,
          NNC_PW_DISPATCH,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "attn.expand_kv",
          { { { 0, 0, 0 }, { 0, 0, 0 } }, { { 0, 0, 0 }, { 0, 0, 0 } }, { { 0, 0, 0 }, { 0, 0, 0 } } } },
        /* The sum reads two values and writes one. In backward, the sum of two gradients also reads two values and
         * writes one. Under autocast the residual stream is fp32, so the sum reads 4 + 2 B and writes 4 B. In backward,
         * the sum of two gradients reads and writes 3 fp32 values, and one gradient is cast. */
        { NNC_OP_POINTWISE,
          NNC_PW_RESIDUAL,
          NNC_IMPLEMENTATION_DIFFUSERS,
          "add",
          { { { 1, 6, 0 }, { 1, 6, 0 } }, { { 1, 12, 0 }, { 1, 12, 0 } }, { { 1, 6, 0 }, { 1, 6, 0 } } } },
        { NNC_OP_POINTWISE,
          NNC_PW_RESIDUAL,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "add",
          { { { 1, 6, 0 }, { 1, 6, 0 } }, { { 1, 12, 0 }, { 1, 12, 0 } }, { { 1, 0, 4 + 2 + 4 }, { 2, 12, 6 } } } },
        /* Dropout reads and writes a value and writes a mask of 1 B. Its gradient reads the mask. A sum follows. */
        { NNC_OP_POINTWISE,
          NNC_PW_BIAS_DROPOUT_RESIDUAL,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "add",
          { { { 2, 5 + 6, 0 }, { 2, 5 + 6, 0 } },
            { { 2, 9 + 12, 0 }, { 2, 9 + 12, 0 } },
            { { 2, 5, 10 }, { 3, 5 + 12, 6 } } } },
        /* Backward adds up the gradient over the samples. */
        { NNC_OP_POINTWISE,
          NNC_PW_POSITION_ADD,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "places",
          { { { 1, 6, 0 }, { 1, 2, 0 } }, { { 1, 12, 0 }, { 1, 4, 0 } }, { { 1, 12, 0 }, { 1, 4, 0 } } } },
        /* The backward kernels of a layer norm read gradient and input twice, and write the gradient of the input
         * once. */
        { NNC_OP_NORM,
          NNC_NORM_LAYER,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "norm",
          { { { 1, 4, 0 }, { 2, 10, 0 } }, { { 1, 8, 0 }, { 2, 20, 0 } }, { { 1, 8, 0 }, { 2, 20, 0 } } } },
        /* A group norm has three kernels: the moments read 1 value, the factors of channels take no bytes per value,
         * and product and sum take 2 values. Under autocast, the input and the gradient are also cast. */
        { NNC_OP_NORM,
          NNC_NORM_GROUP,
          NNC_IMPLEMENTATION_DIFFUSERS,
          "norm",
          { { { 3, 6, 0 }, { 4, 10, 0 } }, { { 3, 12, 0 }, { 4, 20, 0 } }, { { 4, 12, 6 }, { 5, 20, 6 } } } },
        /* One kernel, as for a layer norm, reads the input and writes the output. Backward reads gradient and input
         * twice and writes once. */
        { NNC_OP_NORM,
          NNC_NORM_RMS,
          NNC_IMPLEMENTATION_PYTORCH,
          "norm",
          { { { 1, 2 * 2, 0 }, { 2, 5 * 2, 0 } },
            { { 1, 2 * 4, 0 }, { 2, 5 * 4, 0 } },
            { { 1, 2 * 4, 0 }, { 2, 5 * 4, 0 } } } },
        /* Plain PyTorch in 16 bits has no casts: log_softmax (reads 2 B, writes 2 B) and nll_loss. Backward fills a
         * tensor with zeros (2 B), and runs nll_loss and log_softmax (reads 4 B, writes 2 B). */
        { NNC_OP_LOSS,
          false,
          NNC_IMPLEMENTATION_PYTORCH,
          "loss",
          { { { 2, 4, 0 }, { 3, 2 + 6, 0 } }, { { 2, 8, 0 }, { 3, 4 + 12, 0 } }, { { 3, 8, 6 }, { 4, 4 + 12, 6 } } } },
        /* Forward has a cast, log_softmax (reads 4 B, writes 4 B) and nll_loss of one value per row. Backward fills a
         * tensor with zeros (4 B), and runs nll_loss, log_softmax (reads 8 B, writes 4 B) and a cast. */
        { NNC_OP_LOSS,
          false,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "loss",
          { { { 3, 8, 6 }, { 4, 4 + 12, 6 } }, { { 2, 8, 0 }, { 3, 4 + 12, 0 } }, { { 3, 8, 6 }, { 4, 4 + 12, 6 } } } },
    };
    static const nnc_policy policies[] = { NNC_POLICY_BF16_PURE, NNC_POLICY_FP32, NNC_POLICY_AMP };
    static nnc_op_list list;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int mode = 0; mode < 3; mode++) {
            nnc_plan plan = nnc_plan_default();
            plan.policy = policies[mode];
            const nnc_lowering how = { .plan = &plan, .software = &profile, .dtype = mode == 1 ? NNC_FP32 : NNC_BF16 };
            const nnc_model model = { .family = NNC_FAMILY_GRAPH, .implementation = cases[i].by };
            nnc_op *op = &list.ops[0];
            *op = (nnc_op){ .name = cases[i].name, .kind = cases[i].kind };
            if (op->kind == NNC_OP_NORM) {
                op->u.norm = (nnc_norm){ .kind = (nnc_norm_kind)cases[i].in_kind, .elements = ELEMENTS };
            } else if (op->kind == NNC_OP_LOSS) {
                op->u.loss = (nnc_loss){ .tokens = 2, .classes = ELEMENTS / 2, .squared_error = cases[i].in_kind != 0 };
            } else {
                op->u.pointwise = (nnc_pointwise){ .kind = (nnc_pointwise_kind)cases[i].in_kind,
                                                   .elements = ELEMENTS,
                                                   .input_elements = ELEMENTS };
            }
            list.count = 1;
            nnc_list_issue(&list, &model, &how);
            for (int pass = 0; pass < 2; pass++) {
                const nnc_issued *expected = &cases[i].of[mode][pass];
                ck_assert_double_eq(op->issued[pass].kernels, expected->kernels);
                ck_assert_double_eq(op->issued[pass].bytes, ELEMENTS * expected->bytes);
                ck_assert_double_eq(op->issued[pass].mixed_bytes, ELEMENTS * expected->mixed_bytes);
            }
        }
    }
}
END_TEST

/* cuDNN does not add the bias of a convolution of timm, so the bias has its own kernel. Under autocast, weight and bias
 * are cast. Forward has 4 kernels, the gradient of the input 1 kernel, the gradients of weight and bias 4 kernels. */
START_TEST(convolutions_under_autocast) {
    static nnc_op_list list;
    for (int bias = 0; bias < 2; bias++) {
        for (int casts = 0; casts < 2; casts++) {
            nnc_plan plan = nnc_plan_default();
            plan.policy = casts ? NNC_POLICY_AMP : NNC_POLICY_BF16_PURE;
            const nnc_lowering how = { .plan = &plan, .software = &profile, .dtype = NNC_BF16 };
            const nnc_model model = { .family = NNC_FAMILY_GRAPH, .implementation = NNC_IMPLEMENTATION_TIMM };
            list.ops[0] = (nnc_op){ .name = "conv", .kind = NNC_OP_CONV };
            list.ops[0].weights.vector = bias ? 4 : 0;
            list.ops[0].u.conv =
                (nnc_conv){ 1, 2, 4, 3, 3, 3, 3, .kernel = 1, .stride = 1, .groups = 1, .separate_bias = true };
            list.count = 1;
            nnc_list_issue(&list, &model, &how);
            const nnc_issued *is = list.ops[0].issued;
            ck_assert(!list.ops[0].u.conv.separate_bias); /* counted above */
            ck_assert_double_eq(is[0].kernels, 1 + bias + casts * (1 + bias));
            ck_assert_double_eq(is[0].bytes, bias * 2.0 * 2.0 * 36.0); /* 36 values, read and written */
            ck_assert_double_eq(is[1].kernels, 1);
            ck_assert_double_eq(is[2].kernels, 1 + bias + casts * (1 + bias));
            ck_assert_double_eq(is[2].bytes, bias * 2.0 * 36.0);
        }
    }
}
END_TEST

/* In diffusers, a convolution of a residual block reads the output of a norm, which is fp32 under autocast. So the
 * input of the convolution, 2 x 9 values, is cast: 4 B are read and 2 B are written. */
START_TEST(convolutions_behind_norms) {
    static const char *const names[] = { "block.conv1", "block.conv2", "conv_in" };
    static nnc_op_list list;
    const nnc_model model = { .family = NNC_FAMILY_UNET, .implementation = NNC_IMPLEMENTATION_DIFFUSERS };
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_AMP;
    const nnc_lowering how = { .plan = &plan, .software = &profile, .dtype = NNC_BF16 };
    for (int i = 0; i < 3; i++) {
        list.ops[0] = (nnc_op){ .name = names[i], .kind = NNC_OP_CONV };
        list.ops[0].u.conv = (nnc_conv){ 1, 2, 4, 3, 3, 3, 3, .kernel = 1, .stride = 1, .groups = 1 };
        list.count = 1;
        nnc_list_issue(&list, &model, &how);
        ck_assert_double_eq(list.ops[0].issued[0].kernels, i < 2 ? 3 : 2);
        ck_assert_double_eq(list.ops[0].issued[0].mixed_bytes, i < 2 ? 6 * 18 : 0);
        ck_assert_double_eq(list.ops[0].issued[1].mixed_bytes, i < 2 ? 6 * 18 : 0);
    }
}
END_TEST

/* A product of two activations has one kernel in forward, and one kernel for each gradient. */
START_TEST(products_of_activations) {
    static nnc_op_list list;
    const nnc_model model = { .family = NNC_FAMILY_GRAPH, .implementation = NNC_IMPLEMENTATION_TIMM };
    const nnc_plan plan = nnc_plan_default();
    const nnc_lowering how = { .plan = &plan, .software = &profile, .dtype = NNC_BF16 };
    list.ops[0] =
        (nnc_op){ .name = "scores", .kind = NNC_OP_MATMUL, .u.matmul = { .batch = 2, .m = 3, .n = 4, .k = 5 } };
    list.count = 1;
    nnc_list_issue(&list, &model, &how);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(list.ops[0].issued[i].kernels, 1);
        ck_assert_double_eq(list.ops[0].issued[i].bytes + list.ops[0].issued[i].mixed_bytes, 0);
    }
}
END_TEST

/* Sets the kernels of one op of a model in 16 bits (mode 0), fp32 (1), under autocast (2) or with ZeRO (3). */
static void issue_one(nnc_op_list *list, const nnc_op *op, const nnc_model *model, int mode) {
    static const nnc_policy of_mode[] = { NNC_POLICY_BF16_PURE, NNC_POLICY_FP32, NNC_POLICY_AMP, NNC_POLICY_MIXED };
    nnc_plan plan = nnc_plan_default();
    plan.policy = of_mode[mode];
    plan.zero = mode == 3 ? 1 : 0;
    plan.micro_batch = 1;
    const nnc_lowering how = { .plan = &plan, .software = &profile, .dtype = mode == 1 ? NNC_FP32 : NNC_BF16 };
    list->ops[0] = *op;
    list->count = 1;
    nnc_list_issue(list, model, &how);
}

/* The forward kernels of an RMS norm are cast, power, mean, sum, root, product, cast, and product with the weight. In
 * fp32, a power and a product take 8 B per value each, the mean 4 B, and kernels on one value per row 0 B. Each cast
 * takes 6 B per value. In 16 bits, the last product reads 2 B and writes 2 B per value. Under autocast and in fp32, the
 * input of a norm is fp32, so a norm has no casts. GELU has 8 kernels: a product with 0.5 (4 B per value in 16 bits), a
 * power, a product, a sum with x (6 B), a product, a tanh, a sum, and a product of two values (6 B). */
START_TEST(chains_of_operators) {
    static const nnc_issued norms[] = { { 8, 8 + 4 + 8 + 4, 12 }, { 6, 8 + 4 + 8 + 8, 0 }, { 6, 8 + 4 + 8 + 8, 0 } };
    static const nnc_issued gelus[] = { { 8, 6 * 4 + 2 * 6, 0 }, { 8, 6 * 8 + 2 * 12, 0 } };
    const nnc_model model = { .family = NNC_FAMILY_DECODER,
                              .implementation = NNC_IMPLEMENTATION_TRANSFORMERS,
                              .composed_gelu = true };
    const nnc_op norm = { .name = "norm", .kind = NNC_OP_NORM, .u.norm = { .kind = NNC_NORM_RMS, .elements = 8 } };
    const nnc_op gelu = { .name = "mlp.act",
                          .kind = NNC_OP_POINTWISE,
                          .u.pointwise = { .kind = NNC_PW_GELU, .elements = 8 } };
    static nnc_op_list list;
    for (int mode = 0; mode < 3; mode++) {
        issue_one(&list, &norm, &model, mode);
        nnc_issued is = list.ops[0].issued[0];
        ck_assert_double_eq(is.kernels, norms[mode].kernels);
        ck_assert_double_eq(is.bytes, 8 * norms[mode].bytes);
        ck_assert_double_eq(is.mixed_bytes, 8 * norms[mode].mixed_bytes);
        ck_assert(mode == 0 || list.ops[0].issued[1].mixed_bytes == 0);
        if (mode == 2) { continue; } /* see composed_gelu for autocast */
        issue_one(&list, &gelu, &model, mode);
        is = list.ops[0].issued[0];
        ck_assert_double_eq(is.kernels, gelus[mode].kernels);
        ck_assert_double_eq(is.bytes, 8 * gelus[mode].bytes);
        ck_assert_double_eq(is.mixed_bytes + list.ops[0].issued[1].mixed_bytes, 0); /* one format */
    }
    /* In fp32, backward reads and writes twice the bytes of 16 bits with the same number of kernels. */
    issue_one(&list, &gelu, &model, 0);
    const nnc_issued half = list.ops[0].issued[1];
    issue_one(&list, &gelu, &model, 1);
    ck_assert_double_eq(list.ops[0].issued[1].kernels, half.kernels);
    ck_assert_double_eq(list.ops[0].issued[1].bytes, 2 * half.bytes);
}
END_TEST

/* Rotary embedding has five kernels for queries and five for keys: the negative half (1 value per element), the join
 * (2), two products (2 each) and the sum (3). Backward takes 12.5 values. Under autocast, the products write fp32 (6 B
 * each), the sum takes 12 B, and a cast follows. */
START_TEST(rotary_operators) {
    const nnc_model model = { .family = NNC_FAMILY_DECODER, .implementation = NNC_IMPLEMENTATION_TRANSFORMERS };
    const nnc_op op = { .name = "rotary",
                        .kind = NNC_OP_POINTWISE,
                        .u.pointwise = { .kind = NNC_PW_ROTARY, .elements = 8 } };
    static nnc_op_list list;
    for (int mode = 0; mode < 3; mode++) {
        issue_one(&list, &op, &model, mode);
        const nnc_issued *is = list.ops[0].issued;
        ck_assert_double_eq(is[0].kernels, mode == 2 ? 2 * (5 + 1) : 2 * 5);
        ck_assert_double_eq(is[0].bytes + is[0].mixed_bytes,
                            8 * (mode == 2 ? 2 + 4 + 2 * 6 + 12 + 6 : (mode == 1 ? 4 : 2) * 10));
        ck_assert_double_eq(is[1].bytes + is[1].mixed_bytes, 8 * (mode == 2 ? 51 : (mode == 1 ? 4 : 2) * 12.5));
        ck_assert(mode == 2 || is[0].mixed_bytes + is[1].mixed_bytes == 0);
        ck_assert(mode == 2 || is[1].kernels == 13);
    }
}
END_TEST

/* Adapters with rank 2 and outputs of three parts (n = 6) keep an fp32 copy of their input for each part, 3 * 4 B per
 * value. The first product of an adapter on the output projection, and no other op, also counts the output of
 * attention, 2 B per value. With 16-bit adapters (ZeRO, or narrow_adapters) all parts share their 16-bit input, 2 B per
 * value; on the output projection, this input is the output of attention. */
START_TEST(adapters_keep_their_input) {
    static const struct {
        const char *before, *name;
        double kept, narrow;
    } cases[] = { { "attn.out", "adapter.down", 3 * 4 + 2, 2 },
                  { "mlp.down", "adapter.down", 3 * 4, 2 },
                  { "attn.out", "adapter.up", 4, 2 },
                  { "attn.out", "mlp.down", 2, 2 } };
    const nnc_model model = { .family = NNC_FAMILY_DECODER, .implementation = NNC_IMPLEMENTATION_TRANSFORMERS };
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_BF16_PURE;
    plan.precision = NNC_BF16;
    plan.adapter_rank = 2;
    plan.tensor = plan.context = 1;
    const nnc_lowering how = { .plan = &plan, .software = &profile, .dtype = NNC_BF16, .linear_dtype = NNC_BF16 };
    static nnc_op_list list;
    for (size_t i = 0; i < 3 * COUNT_OF(cases); i++) {
        const size_t at = i / 3;
        const double kept = i % 3 == 0 ? cases[at].kept : cases[at].narrow;
        plan.zero = i % 3 == 1 ? 1 : 0;
        profile.narrow_adapters = i % 3 == 2;
        for (int k = 0; k < 2; k++) {
            nnc_op *op = &list.ops[k];
            *op = (nnc_op){ .name = k == 0 ? cases[at].before : cases[at].name, .kind = NNC_OP_MATMUL };
            op->u.matmul = (nnc_matmul){
                .batch = 1, .m = 2, .n = 6, .k = 4, .b_is_weight = true, .keeps_a = true, .kept_divisor = 1
            };
        }
        list.count = 2;
        nnc_list_keep_by_library(&list, &how, &model);
        ck_assert_double_eq(list.ops[1].library_kept, kept);
        ck_assert_double_eq(nnc_op_kept_bytes(&list.ops[1]), 8 * kept);
        ck_assert_double_eq(list.ops[0].library_kept, 2);
    }
}
END_TEST

/* A group norm of 8 values in channels last has 2 more copies of a map in forward and 3 in backward than a norm of
 * contiguous maps. Each copy reads and writes a map. A value has 4 B in fp32 and 2 B in 16 bits. Under autocast, maps
 * within the norm have 4 B, and the map after the norm has 2 B. */
START_TEST(group_norms_of_channels_last_turn_maps) {
    static const double bytes[3][2] = { { 4 + 4, 4 + 4 + 4 }, { 8 + 8, 8 + 8 + 8 }, { 8 + 4, 8 + 8 + 4 } };
    const nnc_model model = { .family = NNC_FAMILY_GRAPH, .implementation = NNC_IMPLEMENTATION_TIMM };
    static nnc_op_list list;
    for (int mode = 0; mode < 3; mode++) {
        nnc_op op = { .name = "norm", .kind = NNC_OP_NORM };
        op.u.norm.kind = NNC_NORM_GROUP;
        op.u.norm.elements = 8;
        issue_one(&list, &op, &model, mode);
        const nnc_issued plain[2] = { list.ops[0].issued[0], list.ops[0].issued[1] };
        op.u.norm.turned = true;
        issue_one(&list, &op, &model, mode);
        for (int i = 0; i < 2; i++) {
            ck_assert_double_eq(list.ops[0].issued[i].kernels - plain[i].kernels, 2 + i);
            ck_assert_double_eq(list.ops[0].issued[i].bytes - plain[i].bytes, 8 * bytes[mode][i]);
        }
    }
}
END_TEST

/* Queries or keys are divided by their lengths, under autocast. Per value, forward takes 2 B for the norm, 2 + 4 B for
 * the division and 6 B for the cast. Per value, backward takes 8 B for the division, 32 B for the length, 24 B for the
 * norm, 6 B for the sum and 6 B for each of five casts. On a GPU with map rates, a map norm takes the fused time. */
START_TEST(lengths_of_queries_and_keys) {
    enum { ELEMENTS = 8 };
    static nnc_op_list list;
    const nnc_model model = { .family = NNC_FAMILY_GRAPH, .implementation = NNC_IMPLEMENTATION_TIMM };
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_AMP;
    const nnc_lowering how = { .plan = &plan, .software = &profile, .dtype = NNC_FP16, .listing = NNC_LISTING_COUNTED };
    for (int i = 0; i < 2; i++) {
        list.ops[i] = (nnc_op){ .name = "q_norm", .kind = NNC_OP_NORM };
        list.ops[i].u.norm.kind = i == 0 ? NNC_NORM_RMS : NNC_NORM_BATCH;
        list.ops[i].u.norm.elements = ELEMENTS;
    }
    list.count = 2;
    nnc_list_issue(&list, &model, &how);
    const nnc_issued *is = list.ops[0].issued;
    ck_assert(list.ops[0].issued_as == NNC_ISSUED_INSTEAD && list.ops[1].issued_as == NNC_ISSUED_NOT);
    ck_assert_double_eq(is[0].kernels, 4);
    ck_assert_double_eq(is[0].bytes + is[0].mixed_bytes, (2 + 6 + 6) * ELEMENTS);
    ck_assert_double_eq(is[1].kernels, 17);
    ck_assert_double_eq(is[1].bytes, (8 + 32 + 24 + 6) * ELEMENTS);
    ck_assert_double_eq(is[1].mixed_bytes, 5 * 6 * ELEMENTS);
}
END_TEST

/* The adapters of queries, keys and values have 2 rows of 4 values and fp32 weights. Each of the three first products
 * casts the input (2 + 4 B) and reads the fp32 copy (4 B). In backward, the gradient of the input is cast back (4 + 2
 * B) and added in 16 bits (3 x 2 B). The weight gradient reads the fp32 copy again. The second products read and write
 * only fp32. In fp32 no tensors are cast. The sum runs three times. A sum has 3 kernels in 16 bits, 2 in fp32 and 2
 * under autocast. In backward, a sum has 3 kernels in 16 bits, 1 in fp32 and 2 under autocast. With weights of 16 bits
 * (ZeRO), nothing is cast, and the gradients of the input are added; a sum has 2 kernels in forward and 1 in backward. */
START_TEST(products_of_adapters) {
    enum { INPUT = 2 * 4, PARTS = 3 };
    static const double sums[4][2] = { { 9, 9 }, { 6, 3 }, { 6, 6 }, { 6, 3 } };
    static const nnc_policy policies[] = { NNC_POLICY_BF16_PURE, NNC_POLICY_FP32, NNC_POLICY_AMP, NNC_POLICY_MIXED };
    const nnc_model model = { .family = NNC_FAMILY_DECODER, .implementation = NNC_IMPLEMENTATION_TRANSFORMERS };
    static nnc_op_list list;
    for (int mode = 0; mode < 4; mode++) {
        nnc_plan plan = nnc_plan_default();
        plan.policy = policies[mode];
        plan.zero = mode == 3 ? 1 : 0;
        const nnc_lowering how = { .plan = &plan, .software = &profile, .dtype = mode == 1 ? NNC_FP32 : NNC_BF16 };
        static const char *const names[] = { "attn.qkv", "adapter.down", "adapter.up", "adapter.add" };
        for (int i = 0; i < 4; i++) { list.ops[i] = (nnc_op){ .name = names[i], .kind = NNC_OP_MATMUL }; }
        list.ops[0].u.matmul = (nnc_matmul){ .batch = 1, .m = 2, .n = 12, .k = 4, .b_is_weight = true };
        list.ops[1].u.matmul = (nnc_matmul){ .batch = 1, .m = 2, .n = 6, .k = 4, .b_is_weight = true };
        list.ops[2].u.matmul = (nnc_matmul){ .batch = 1, .m = 2, .n = 12, .k = 2, .b_is_weight = true };
        list.ops[3].kind = NNC_OP_POINTWISE;
        list.ops[3].u.pointwise = (nnc_pointwise){ .kind = NNC_PW_RESIDUAL, .elements = 24 };
        list.count = 4;
        nnc_list_issue(&list, &model, &how);
        const double casts = mode % 2 == 1 ? 0 : PARTS, added = mode == 1 ? 0 : PARTS;
        const nnc_issued down[3] = { { PARTS + casts, casts * 4 * INPUT, casts * 6 * INPUT },
                                     { PARTS + casts + added, added * 6 * INPUT, casts * 6 * INPUT },
                                     { PARTS, casts * 4 * INPUT, 0 } };
        for (int pass = 0; pass < 3; pass++) {
            const nnc_issued *first = &list.ops[1].issued[pass], *second = &list.ops[2].issued[pass];
            ck_assert_double_eq(first->kernels, down[pass].kernels);
            ck_assert_double_eq(first->bytes, down[pass].bytes);
            ck_assert_double_eq(first->mixed_bytes, down[pass].mixed_bytes);
            ck_assert_double_eq(second->kernels, PARTS);
            ck_assert_double_eq(second->bytes + second->mixed_bytes, 0);
            ck_assert(pass == 2 || list.ops[3].issued[pass].kernels == sums[mode][pass]);
        }
        ck_assert(list.ops[1].issued_as == NNC_ISSUED_TOO && list.ops[2].issued_as == NNC_ISSUED_TOO);
    }
}
END_TEST

/* The output of an adapter is fp32. In the sum with a linear layer, the scale takes 8 B, and the sum reads 4 + 2 B and
 * writes 4 B. Without autocast, a cast back reads 4 B and writes 2 B. Backward scales (8 B) and casts the gradient,
 * twice without autocast. In fp32 and with 16-bit adapters, scaling takes 2 values, the sum 3. Backward only scales. */
START_TEST(sums_of_adapters) {
    enum { ELEMENTS = 8 };
    static const nnc_issued expected[4][2] = { { { 3, 8, 10 + 6 }, { 3, 8, 6 + 6 } },
                                               { { 2, 2 * 4 + 3 * 4, 0 }, { 1, 2 * 4, 0 } },
                                               { { 2, 8, 10 }, { 2, 8, 6 } },
                                               { { 2, 2 * 2 + 3 * 2, 0 }, { 1, 2 * 2, 0 } } };
    const nnc_model model = { .family = NNC_FAMILY_DECODER, .implementation = NNC_IMPLEMENTATION_TRANSFORMERS };
    const nnc_op op = { .name = "adapter.add",
                        .kind = NNC_OP_POINTWISE,
                        .u.pointwise = { .kind = NNC_PW_RESIDUAL, .elements = ELEMENTS } };
    static nnc_op_list list;
    for (int mode = 0; mode < 4; mode++) {
        issue_one(&list, &op, &model, mode);
        for (int pass = 0; pass < 2; pass++) {
            const nnc_issued *is = &list.ops[0].issued[pass];
            ck_assert_double_eq(is->kernels, expected[mode][pass].kernels);
            ck_assert_double_eq(is->bytes, ELEMENTS * expected[mode][pass].bytes);
            ck_assert_double_eq(is->mixed_bytes, ELEMENTS * expected[mode][pass].mixed_bytes);
        }
    }
}
END_TEST

/* Attention has a bias of positions, 2 samples, 3 heads, 4 queries and 5 keys of width 6. Casts between 16 bits and
 * fp32 take 6 B per value. Forward casts bias, queries, keys, values and output. Backward casts the bias gradient (a
 * sum over the samples) twice, and casts the gradients of output, queries, keys and values. */
START_TEST(casts_of_attention_with_a_bias) {
    const double bias = 3 * 4 * 5, queries = 2 * 3 * 4 * 6, keys = 2 * 3 * 5 * 6;
    const nnc_model model = { .family = NNC_FAMILY_DECODER,
                              .implementation = NNC_IMPLEMENTATION_TRANSFORMERS,
                              .decoder.positions = NNC_POSITIONS_RELATIVE };
    const nnc_op op = { .name = "attn.core",
                        .kind = NNC_OP_FLASH,
                        .u.flash = { 2, 3, 3, 4, 5, .own_kv_heads = 3, .head_dim = 6, .value_dim = 6 } };
    static nnc_op_list list;
    issue_one(&list, &op, &model, 2);
    const nnc_issued *is = list.ops[0].issued;
    ck_assert_double_eq(is[0].kernels, 20);
    ck_assert_double_eq(is[1].kernels, 19);
    ck_assert_double_eq(is[0].mixed_bytes, 6 * (bias + 2 * queries + 2 * keys));
    ck_assert_double_eq(is[1].mixed_bytes, 6 * (2 * bias + 2 * queries + 2 * keys));
    /* In backward, each fp32 score takes 32 B: 16 B for three products that read or write the score (dP, dQ, dK) and
     * for dV, which reads the probabilities; 12 B for softmax; 4 B for the sum over samples. A value of the bias
     * gradient takes 4 B to write it, and 12 B to add it to the sum of the previous layer. For each value of K and V,
     * products read two tensors (8 B) and write two (8 B), scaling K takes 8 B, and each of two copies in 16 bits takes
     * 4 B. For each value of Q, the fp32 copy of the output's gradient takes 8 B, and two products read it (8 B).
     * Reading Q takes 4 B, writing its gradient 4 B, scaling it 8 B, and copying it in 16 bits 4 B. In forward, scaling
     * a value of K takes 8 B, copying it 8 B and reading it 4 B; copying a value of V takes 8 B and reading it 4 B. The
     * bytes of Q in forward, and of the search for rows without keys, are those of the recorded operators. */
    ck_assert_double_eq(is[1].bytes, (16 + 12 + 4) * 120 + (4 + 12) * bias + (8 + 8 + 4 + 4 + 8 + 4) * queries +
                                         (8 + 8 + 4 + 8 + 4) * keys);
    ck_assert_double_eq(is[0].bytes, 39 * 120 + 28 * queries + (20 + 12) * keys);
}
END_TEST

/* The profile copies 2 key heads for 8 query heads, but PyTorch reads the 2 key heads without copies. */
START_TEST(grouped_heads_are_read_without_copies) {
    const nnc_model model = { .family = NNC_FAMILY_DECODER, .implementation = NNC_IMPLEMENTATION_TRANSFORMERS };
    const nnc_op op = { .name = "attn.core",
                        .kind = NNC_OP_FLASH,
                        .u.flash = { 1, 8, 8, 4, 4, .own_kv_heads = 2, .head_dim = 6, .value_dim = 6 } };
    static nnc_op_list list;
    issue_one(&list, &op, &model, 0);
    ck_assert_int_eq(list.ops[0].u.flash.kv_heads, 2);
}
END_TEST

/* Returns the value of the last line with the given name in a derivation; NaN = no such line. */
static double last_said(const nnc_derivation *why, const char *name) {
    const nnc_line *lines = NULL;
    int count = 0;
    double value = (double)NAN;
    ck_assert(nnc_derivation_lines(why, &lines, &count));
    for (int i = 0; i < count; i++) { value = strcmp(lines[i].name, name) == 0 ? lines[i].value : value; }
    return value;
}

/* A product of 10 x 30 and 30 x 20 values of 2 B reads 1,800 B and writes 400 B. Additional kernels read 0.6 and write
 * 0.4 of 100 + 50 B. If the kernels run instead of the product, only the bytes of the kernels count. */
START_TEST(said_bytes_are_those_of_the_row) {
    nnc_op op = { .kind = NNC_OP_MATMUL, .dtype = NNC_BF16, .math_dtype = NNC_BF16, .issued = { { 3, 100, 50 } } };
    nnc_matmul_set(&op.u.matmul, 1, 10, 20, 30);
    op.u.matmul.b_is_weight = true;
    for (int too = 0; too < 2; too++) {
        nnc_derivation *why = nnc_derivation_create();
        op.issued_as = too ? NNC_ISSUED_TOO : NNC_ISSUED_INSTEAD;
        const nnc_work work = nnc_op_work(&op);
        nnc_op_say(&op, why);
        ck_assert_double_eq(last_said(why, "read_bytes"), 1800);
        nnc_op_say_issued(&op, why);
        ck_assert_double_eq(last_said(why, "read_bytes"), (too ? 1800 : 0) + 0.6 * 150);
        ck_assert_double_eq(last_said(why, "write_bytes"), (too ? 400 : 0) + 0.4 * 150);
        ck_assert_double_eq(last_said(why, "read_bytes"), work.read_bytes);
        ck_assert_double_eq(last_said(why, "write_bytes"), work.write_bytes);
        nnc_derivation_destroy(why);
    }
}
END_TEST

/* Attention in a window has one head. The numbers are values read or written per score. Forward moves 7 values per
 * score: it writes the score, adds the bias (2) and in every second block the mask (2), computes softmax (2), and reads
 * the score. Backward moves 8 values per score: it writes the gradient, computes softmax (3), adds up the bias gradient
 * (1), and three products read the gradient. Under autocast, scores have 2 B until the sum with the fp32 bias. Forward
 * writes the score (2 B), adds the bias (6 B), adds the mask in every second block (4 B), computes softmax (8 B), casts
 * (6 B) and reads the score (2 B): 28 B. Backward writes the gradient (2 B), casts (6 B), computes softmax (12 B), adds
 * up the bias gradient (4 B), casts (6 B), and three products read the gradient (6 B): 36 B. A learned scale of one
 * head reads and writes each score. The learned scale has three kernels in forward and four in backward. */
START_TEST(scores_of_windows) {
    static const double expected[3][2] = { { 2 * 7, 2 * 8 }, { 4 * 7, 4 * 8 }, { 28, 36 } };
    const nnc_model model = { .family = NNC_FAMILY_GRAPH, .implementation = NNC_IMPLEMENTATION_TIMM };
    static nnc_op_list list;
    for (int mode = 0; mode < 3; mode++) {
        for (int scaled = 0; scaled < 2; scaled++) {
            nnc_op op = { .name = "block.attention",
                          .kind = NNC_OP_FLASH,
                          .u.flash = { 2, 1, 1, 4, 4, .head_dim = 6, .value_dim = 6 } };
            op.weights.vector = scaled;
            issue_one(&list, &op, &model, mode);
            const nnc_issued few[2] = { list.ops[0].issued[0], list.ops[0].issued[1] };
            op.u.flash.s_k = 5; /* 2 * 4 more scores */
            issue_one(&list, &op, &model, mode);
            const nnc_issued *is = list.ops[0].issued;
            const double scale_bytes = scaled ? (mode == 1 ? 2 * 4 : 2 * 2) : 0;
            ck_assert_double_eq(is[0].bytes - few[0].bytes, 8 * (expected[mode][0] + scale_bytes));
            ck_assert(scaled || is[1].bytes - few[1].bytes == 8 * expected[mode][1]);
            ck_assert_double_eq(is[0].kernels, 20.5 + (mode == 2) + 3 * scaled);
            ck_assert_double_eq(is[1].kernels, 24 + 2 * (mode == 2) + 4 * scaled);
        }
    }
}
END_TEST

/* Estimates ResNet-50 with torch-eager and the operators of the library `by`. Returns the kernels per step. Writes the
 * device time of all rows of the op table, without waiting for the host, to rows_s. */
static double kernels_of_resnet(const char *device, nnc_implementation by, bool asked, nnc_policy policy,
                                double *rows_s) {
    const nnc_model *shipped = NULL;
    const nnc_software *eager = NULL;
    nnc_error err = { 0 };
    nnc_plan plan = nnc_plan_default();
    nnc_result r = { .struct_size = sizeof r };
    int32_t count = 0;
    plan.micro_batch = 64;
    plan.precision = NNC_BF16;
    plan.policy = policy;
    ck_assert_int_eq(nnc_model_load(specs, "resnet-50", &shipped, &err), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, &err), NNC_OK);
    nnc_model model = *shipped;
    model.implementation = by;
    model.implementation_asked = asked;
    ck_assert_int_eq(nnc_estimate(&model, load_device(device), eager, &plan, scratch, &r, &err), NNC_OK);
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    *rows_s = 0.0;
    for (int32_t i = 0; i < count; i++) {
        *rows_s += rows[i].op->phase == NNC_PHASE_UPDATE ? 0.0 : rows[i].time_s * rows[i].repeat;
    }
    return r.kernels;
}

/* On a GPU older than Hopper, the operators of timm count as many kernels on maps as on an H100. But the device takes
 * the time of the fused kernels, as without a library. Only the last product and the loss have their own times, which
 * are less than a hundredth of the step. With --implementation timm, all operators have their own times. A plan with
 * weights in 16 bits and fp32 runs under autocast. */
START_TEST(counted_on_older_gpus) {
    static const char old[] = "hw/a100-sxm4-80gb.json", hopper[] = "hw/h100-sxm5-80gb.json";
    const nnc_policy amp = NNC_POLICY_AMP;
    double counted_s = 0.0, fused_s = 0.0, priced_s = 0.0, other_s = 0.0;
    const double counted = kernels_of_resnet(old, NNC_IMPLEMENTATION_TIMM, false, amp, &counted_s);
    const double priced = kernels_of_resnet(old, NNC_IMPLEMENTATION_TIMM, true, amp, &priced_s);
    ck_assert(isnan(kernels_of_resnet(old, NNC_IMPLEMENTATION_NONE, false, amp, &fused_s)));
    near(counted, kernels_of_resnet(hopper, NNC_IMPLEMENTATION_TIMM, false, amp, &other_s));
    near(counted, priced);
    ck_assert(fabs(counted_s - fused_s) < 0.01 * fused_s);
    ck_assert(fabs(priced_s - fused_s) > 0.05 * fused_s);
    near(counted, kernels_of_resnet(old, NNC_IMPLEMENTATION_TIMM, false, NNC_POLICY_MIXED, &other_s));
}
END_TEST

/* Tests a name of a model of pytorch-image-models, and the id of a host. */
START_TEST(names) {
    const nnc_model *model = NULL;
    nnc_error err = { 0 };
    double kernel_s = 0.0;
    ck_assert_int_eq(nnc_model_load(specs, "vit_base_patch16_224", &model, &err), NNC_OK);
    ck_assert_int_eq(model->implementation, NNC_IMPLEMENTATION_TIMM);
    ck_assert_int_eq(nnc_host_kernel_s(specs, "desktop", &kernel_s, &err), NNC_OK);
    near(kernel_s, 1e-5);
    ck_assert_int_eq(nnc_host_kernel_s(specs, "nowhere", &kernel_s, &err), NNC_UNKNOWN_ID);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { layer_of_gpt2,
                                   layer_of_llama,
                                   layer_of_bert,
                                   composed_gelu,
                                   odd_vocabulary,
                                   host_holds,
                                   layers_of_pytorch_alone,
                                   a_forward_pass_of_pytorch_alone,
                                   decode_in_pytorch_alone,
                                   attention_of_t5,
                                   attention_of_swin,
                                   counted_on_older_gpus,
                                   names,
                                   joins_of_branches,
                                   bytes_of_operators,
                                   chains_of_operators,
                                   rotary_operators,
                                   adapters_keep_their_input,
                                   convolutions_under_autocast,
                                   products_of_activations,
                                   sums_of_maps,
                                   convolutions_behind_norms,
                                   group_norms_of_channels_last_turn_maps,
                                   lengths_of_queries_and_keys,
                                   sums_of_adapters,
                                   products_of_adapters,
                                   casts_of_attention_with_a_bias,
                                   grouped_heads_are_read_without_copies,
                                   said_bytes_are_those_of_the_row,
                                   scores_of_windows };
    return run_tests("issued", tests, COUNT_OF(tests));
}
