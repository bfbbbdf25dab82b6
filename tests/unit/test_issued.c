/* Compares the kernels that nncost counts for a network with the operators that the network's library issues. A
 * dispatch mode of PyTorch 1.13 recorded these operators. Dropout, copies of gradients into buffers, and views are left
 * out.   [issued] */
#include "cost/cost_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "serve/serve_internal.h"
#include "shape/shape_internal.h"
#include "support.h"

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

/* Kernels of one layer: ops that repeat as often as there are layers. */
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

/* Kernels that join maps: forward, or the sums of gradients in backward. */
static double of_joins(const char *id, bool forward) {
    const nnc_model *model = NULL;
    const nnc_software *eager = NULL;
    int32_t count = 0;
    double kernels = 0.0;
    nnc_error err = { 0 };
    nnc_plan plan = nnc_plan_default();
    nnc_result r = { .struct_size = sizeof r };
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

/* transformers-gpt2.bf16-sdpa has 19 kernels forward in a layer, 2 of them dropout; amp-sdpa 31. Of backward's 39 in 16
 * bits 2 are dropout, 8 copies of gradients, 1 joins the gradients of q, k and v; a norm's gradient is 2 kernels on a
 * GPU, attention's 3: 39 - 11 - 1 + 1 + 2 x 1 + 2 = 32 less that join. */
START_TEST(layer_of_gpt2) {
    (void)estimate_eager(CONFIGS "gpt2.json", NNC_POLICY_BF16_PURE, "1024");
    near(of_a_layer(12, true), 17);
    near(of_a_layer(12, false), 31);
    (void)estimate_eager(CONFIGS "gpt2.json", NNC_POLICY_AMP, "1024");
    near(of_a_layer(12, true), 29);
}
END_TEST

/* transformers-llama2-7b.bf16-sdpa: 38; amp-sdpa: 48. */
START_TEST(layer_of_llama) {
    (void)estimate_eager(CONFIGS "llama-7b.json", NNC_POLICY_BF16_PURE, "2048");
    near(of_a_layer(32, true), 38);
    (void)estimate_eager(CONFIGS "llama-7b.json", NNC_POLICY_AMP, "2048");
    near(of_a_layer(32, true), 48);
}
END_TEST

/* A model as PyTorch alone runs it. */
static nnc_model *alone(const char *file, nnc_model *model) {
    *model = *load_model(file);
    nnc_implementation_take(NNC_IMPLEMENTATION_PYTORCH, model);
    return model;
}

/* A layer of GPT-2 as in nanoGPT has 10 kernels in forward: 2 norms, 4 products, attention, GELU, 2 sums. Backward has 2
 * products and 1 sum over rows for each of 4 products with bias, 2 kernels for each norm, 3 of attention, 1 of GELU, and
 * 1 for each sum: 4 (2 + 1) + 4 + 3 + 1 + 2 = 22.
 * A layer of LLaMA has 21: 2 norms, 4 products, attention, 10 of the rotation, 2 of SwiGLU, 2 sums. */
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

/* Inference with LLaMA 7B in PyTorch alone: 32 layers of 21 kernels, the word table, the last norm and the head are 675
 * kernels; without gradients the host issues each in 0.6 of its 1 ms. */
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

/* A decode step of LLaMA 7B in PyTorch alone: 32 layers of 21 kernels and 2 that write keys and values into the cache,
 * the word table, the last norm, the head and the choice of the token are 740 kernels, each 0.6 of the host's 1 ms. The
 * cache has its full size, so the step copies 4 B for each of the new 2 x 32 x 4096 values, not the older ones. */
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
    /* attention reads 3584 older positions more; the copies are equal */
    ck_assert_double_lt(serve.decode.attention_s - attention_s, 3584.0 * copied / 2.0 / (0.7 * 3.35e12));
}
END_TEST

/* Recorded steps of torchvision: DenseNet-121 sums 6 x 7 / 2 + 12 x 13 / 2 + 24 x 25 / 2 + 16 x 17 / 2 = 535 gradients;
 * the four branches of GoogLeNet's 9 blocks are 9 joins, and each block sums 3 gradients of its input; SqueezeNet has 8
 * blocks of two branches. */
START_TEST(joins_of_branches) {
    near(of_joins("densenet121", false), 535);
    near(of_joins("googlenet", true), 9);
    near(of_joins("googlenet", false), 27);
    near(of_joins("squeezenet1_1", false), 8);
}
END_TEST

/* transformers-bert-base.amp-sdpa: 30 kernels, 2 of them dropout. */
START_TEST(layer_of_bert) {
    (void)estimate_eager(CONFIGS "bert-base.json", NNC_POLICY_AMP, "128");
    near(of_a_layer(12, true), 28);
}
END_TEST

/* gelu_new of 1024 x 3072 values: 8 kernels and 36 bytes per value in 16 bits; under autocast 9 and 70. There the
 * cast to fp32 and the last product, 6 and 10 bytes, have operands of two types. */
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

/* 50257 columns: the three products of the head, and no other. */
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

/* The host holds a step of one sequence: its kernels at 37.5 us each are within it, and the bound says so. */
START_TEST(host_holds) {
    const nnc_result r = estimate_eager(CONFIGS "gpt2.json", NNC_POLICY_AMP, "1024");
    ck_assert_int_eq(r.bound, NNC_BOUND_HOST);
    ck_assert_double_le(r.step_s, r.upper_bound_s);
    /* Steps follow each other without a pause of the host, so a step takes the time in which its kernels are issued.
     * The device works meanwhile; it ends the update while the host issues the next forward. */
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

/* T5's bias takes no fused kernel: the encoder keeps fp32 scores of 12 heads, 512 x 512, and q, k and v in fp32;
 * forward is two products of 2 x 12 x 512 x 512 x 64 FLOPs in fp32. Attention to the encoder is fused. */
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

/* timm-swin_base_patch4_window7_224 lists 29 kernels forward in a block, 32 if the block shifts its windows, and 36 and 38
 * backward. On a GPU padding is two kernels, each of two slices two, the sum of the bias gradient by index four more, and the
 * gradient of each of two norms two; the last stage has one window. */
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

/* Under autocast a batch norm writes 16 bits, so ResNet-50 adds 16-bit maps: two reads and a write are 6 bytes a value,
 * and so is the sum of both gradients in backward. ConvNeXt's layer norms write fp32: 4 + 2 + 4 bytes forward; in
 * backward 3 x 4 for the sum of gradients, 4 + 2 for the cast of one of them. Both sums of the first stage have 56 x 56
 * positions, with 256 and 96 channels. */
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
        double bytes = 0.0, mixed = 0.0; /* of the sum with the most values */
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

/* The kernels of an op, and the bytes that they move for each element, counted by hand from the operators; the second
 * count is that of kernels with operands of two formats. A value has 2 B in 16 bits and 4 B in fp32; a cast moves 2 + 4 B.
 * In this order: 16 bits, fp32, autocast; forward, backward. */
START_TEST(bytes_of_operators) {
    enum { ELEMENTS = 8 };
    static const struct {
        nnc_op_kind kind;
        int in_kind;
        nnc_implementation by;
        const char *name;
        nnc_issued of[3][2];
    } cases[] = {
        /* One kernel reads and writes a value; its gradient reads two and writes one. */
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
        /* The same behind a norm, whose output is fp32 under autocast. */
        { NNC_OP_POINTWISE,
          NNC_PW_SILU,
          NNC_IMPLEMENTATION_DIFFUSERS,
          "act",
          { { { 1, 4, 0 }, { 1, 6, 0 } }, { { 1, 8, 0 }, { 1, 12, 0 } }, { { 1, 8, 0 }, { 1, 12, 0 } } } },
        /* SiLU 2 values, product 3; backward two products of 3, and 3. GELU of the gate has one backward kernel more. */
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
        /* A row is gathered twice; backward fills with zeros, and adds. */
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
        /* PyTorch 2.5 and later read grouped heads without a copy. */
        { NNC_OP_POINTWISE,
          NNC_PW_DISPATCH,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "attn.expand_kv",
          { { { 0, 0, 0 }, { 0, 0, 0 } }, { { 0, 0, 0 }, { 0, 0, 0 } }, { { 0, 0, 0 }, { 0, 0, 0 } } } },
        /* Two values in, one out; backward the same for the sum of two gradients. Under autocast the stream is fp32: 4
         * and 2 in, 4 out; backward 3 fp32 values, and the cast of one gradient. */
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
        /* Dropout reads and writes a value and writes a mask of 1 B; its gradient reads the mask. Then the sum. */
        { NNC_OP_POINTWISE,
          NNC_PW_BIAS_DROPOUT_RESIDUAL,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "add",
          { { { 2, 5 + 6, 0 }, { 2, 5 + 6, 0 } },
            { { 2, 9 + 12, 0 }, { 2, 9 + 12, 0 } },
            { { 2, 5, 10 }, { 3, 5 + 12, 6 } } } },
        /* Backward sums the gradient over the samples. */
        { NNC_OP_POINTWISE,
          NNC_PW_POSITION_ADD,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "places",
          { { { 1, 6, 0 }, { 1, 2, 0 } }, { { 1, 12, 0 }, { 1, 4, 0 } }, { { 1, 12, 0 }, { 1, 4, 0 } } } },
        /* The gradient of a layer norm is read twice with the input, and written once. */
        { NNC_OP_NORM,
          NNC_NORM_LAYER,
          NNC_IMPLEMENTATION_TRANSFORMERS,
          "norm",
          { { { 1, 4, 0 }, { 2, 10, 0 } }, { { 1, 8, 0 }, { 2, 20, 0 } }, { { 1, 8, 0 }, { 2, 20, 0 } } } },
        /* Moments 1 value, factors of channels, product and sum 2; under autocast a cast before, and one of the
         * gradient. */
        { NNC_OP_NORM,
          NNC_NORM_GROUP,
          NNC_IMPLEMENTATION_DIFFUSERS,
          "norm",
          { { { 3, 6, 0 }, { 4, 10, 0 } }, { { 3, 12, 0 }, { 4, 20, 0 } }, { { 4, 12, 6 }, { 5, 20, 6 } } } },
        /* One kernel as layer norm: in and out; backward reads gradient and input twice and writes once. */
        { NNC_OP_NORM,
          NNC_NORM_RMS,
          NNC_IMPLEMENTATION_PYTORCH,
          "norm",
          { { { 1, 2 * 2, 0 }, { 2, 5 * 2, 0 } },
            { { 1, 2 * 4, 0 }, { 2, 5 * 4, 0 } },
            { { 1, 2 * 4, 0 }, { 2, 5 * 4, 0 } } } },
        /* PyTorch alone, in 16 bits without casts: log_softmax (2 in, 2 out), nll_loss; backward zeros (2), nll_loss,
         * log_softmax (4 in, 2 out). */
        { NNC_OP_LOSS,
          false,
          NNC_IMPLEMENTATION_PYTORCH,
          "loss",
          { { { 2, 4, 0 }, { 3, 2 + 6, 0 } }, { { 2, 8, 0 }, { 3, 4 + 12, 0 } }, { { 3, 8, 6 }, { 4, 4 + 12, 6 } } } },
        /* Cast, log_softmax (4 in, 4 out), nll_loss of one value per row; backward zeros (4), nll_loss, log_softmax (8 in,
         * 4 out), cast. */
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
            const nnc_lowering how = { .plan = &plan, .dtype = mode == 1 ? NNC_FP32 : NNC_BF16 };
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

/* A convolution of timm with a bias, which cuDNN does not add: one kernel more. Under autocast the weight and the bias are
 * cast: 4 kernels, then 1 for the gradient of the input, and 4 for those of weight and bias. */
START_TEST(convolutions_under_autocast) {
    static nnc_op_list list;
    for (int bias = 0; bias < 2; bias++) {
        for (int casts = 0; casts < 2; casts++) {
            nnc_plan plan = nnc_plan_default();
            plan.policy = casts ? NNC_POLICY_AMP : NNC_POLICY_BF16_PURE;
            const nnc_lowering how = { .plan = &plan, .dtype = NNC_BF16 };
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

/* In diffusers a convolution of a residual block reads the output of a norm, which is fp32 under autocast, so its input of
 * 2 x 9 values is cast: 4 B read, 2 B written. */
START_TEST(convolutions_behind_norms) {
    static const char *const names[] = { "block.conv1", "block.conv2", "conv_in" };
    static nnc_op_list list;
    const nnc_model model = { .family = NNC_FAMILY_UNET, .implementation = NNC_IMPLEMENTATION_DIFFUSERS };
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_AMP;
    const nnc_lowering how = { .plan = &plan, .dtype = NNC_BF16 };
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

/* A product of two activations is one kernel, and one for each gradient. */
START_TEST(products_of_activations) {
    static nnc_op_list list;
    const nnc_model model = { .family = NNC_FAMILY_GRAPH, .implementation = NNC_IMPLEMENTATION_TIMM };
    const nnc_plan plan = nnc_plan_default();
    const nnc_lowering how = { .plan = &plan, .dtype = NNC_BF16 };
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

/* Sets the kernels of one op of a model, in 16 bits (mode 0), fp32 (1) or under autocast (2). */
static void issue_one(nnc_op_list *list, const nnc_op *op, const nnc_model *model, int mode) {
    static const nnc_policy policies[] = { NNC_POLICY_MIXED, NNC_POLICY_FP32, NNC_POLICY_AMP, NNC_POLICY_BF16_PURE };
    nnc_plan plan = nnc_plan_default();
    plan.policy = policies[mode];
    plan.micro_batch = 1;
    const nnc_lowering how = { .plan = &plan, .dtype = mode == 1 ? NNC_FP32 : NNC_BF16 };
    list->ops[0] = *op;
    list->count = 1;
    nnc_list_issue(list, model, &how);
}

/* The forward kernels of an RMS norm: cast, power, mean, sum, root, product, cast, product with the weight. In fp32 a
 * power and a product move 8 B, the mean 4, those of rows nothing; the casts 6 B each; the last product 2 + 2 B in 16 bits.
 * A norm has no casts under autocast, where its input is fp32, and none in fp32.
 * GELU written out: 0.5 x (4 B in 16 bits), power, product, sum with x (6), product, tanh, sum, product of two (6). */
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
        if (mode == 2) { continue; } /* composed_gelu has the numbers under autocast */
        issue_one(&list, &gelu, &model, mode);
        is = list.ops[0].issued[0];
        ck_assert_double_eq(is.kernels, gelus[mode].kernels);
        ck_assert_double_eq(is.bytes, 8 * gelus[mode].bytes);
        ck_assert_double_eq(is.mixed_bytes + list.ops[0].issued[1].mixed_bytes, 0); /* one format */
    }
    /* of one format: in fp32 backward moves twice the bytes of 16 bits with as many kernels */
    issue_one(&list, &gelu, &model, 0);
    const nnc_issued half = list.ops[0].issued[1];
    issue_one(&list, &gelu, &model, 1);
    ck_assert_double_eq(list.ops[0].issued[1].kernels, half.kernels);
    ck_assert_double_eq(list.ops[0].issued[1].bytes, 2 * half.bytes);
}
END_TEST

/* Rotary embedding: for queries and for keys the negative half (1 value moved), the join (2), two products (2 each), the
 * sum (3). Backward moves 12.5 values. Under autocast the products write fp32 (6 B each), the sum moves 12 B, and a cast
 * follows. */
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

/* Adapters (rank 2, outputs of three parts: n = 6) keep an fp32 copy of their input for each part, 3 * 4 B per value. The
 * first product of an adapter behind attention also counts the output of attention, 2 B per value, and no other op does.
 * With 16-bit adapters (policy bf16-pure) all parts share the 16-bit input, 2 B per value, which behind attention is the
 * output of attention itself. */
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
    plan.precision = NNC_BF16;
    plan.adapter_rank = 2;
    plan.tensor = plan.context = 1;
    const nnc_lowering how = { .plan = &plan, .dtype = NNC_BF16, .linear_dtype = NNC_BF16 };
    static nnc_op_list list;
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        const size_t at = i / 2;
        const double kept = i % 2 == 0 ? cases[at].kept : cases[at].narrow;
        plan.policy = i % 2 == 0 ? NNC_POLICY_MIXED : NNC_POLICY_BF16_PURE;
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

/* A group norm of 8 values in channels last, against one of contiguous maps: in fp32 2 and 3 maps of 4 B, in and out; in
 * 16 bits of 2 B; under autocast the maps within the norm have 4 B, the one behind it 2 B. */
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

/* Queries or keys divided by their lengths, under autocast. Forward: the norm reads 2 B, the division reads 2 and writes 4,
 * the cast moves 6. Backward: 8 for the division, 32 for the length, 24 for the norm and 6 for the sum; five casts of 6.
 * The norm of a map on a GPU with a rate of maps takes the time of a fused kernel. */
START_TEST(lengths_of_queries_and_keys) {
    enum { ELEMENTS = 8 };
    static nnc_op_list list;
    const nnc_model model = { .family = NNC_FAMILY_GRAPH, .implementation = NNC_IMPLEMENTATION_TIMM };
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_AMP;
    const nnc_lowering how = { .plan = &plan, .dtype = NNC_FP16, .listing = NNC_LISTING_COUNTED };
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

/* Adapters of queries, keys and values, 2 rows of 4 values, fp32 weights. Each of the three first products casts the input
 * (2 + 4 B) and reads the fp32 copy (4 B); in backward its gradient of the input is cast back (4 + 2 B) and added in 16
 * bits (3 x 2 B), and the gradient of the weights reads the copy again. The second products read and write fp32 only. In
 * fp32, and with 16-bit weights (bf16-pure), nothing is cast; in the latter the gradients of the input are added. The sum
 * runs three times, with 3 kernels in 16 bits and 2 else; backward 3, 1, 2 and 1. */
START_TEST(products_of_adapters) {
    enum { INPUT = 2 * 4, PARTS = 3 };
    static const double sums[4][2] = { { 9, 9 }, { 6, 3 }, { 6, 6 }, { 6, 3 } };
    static const nnc_policy policies[] = { NNC_POLICY_MIXED, NNC_POLICY_FP32, NNC_POLICY_AMP, NNC_POLICY_BF16_PURE };
    const nnc_model model = { .family = NNC_FAMILY_DECODER, .implementation = NNC_IMPLEMENTATION_TRANSFORMERS };
    static nnc_op_list list;
    for (int mode = 0; mode < 4; mode++) {
        nnc_plan plan = nnc_plan_default();
        plan.policy = policies[mode];
        const nnc_lowering how = { .plan = &plan, .dtype = mode == 1 ? NNC_FP32 : NNC_BF16 };
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

/* The sum of a linear layer and its adapter, whose output is fp32: the scale reads and writes it, 8 B; the sum reads 4
 * and 2 and writes 4; without autocast a cast back reads 4 and writes 2. Backward scales, 8 B, and casts the gradient:
 * once more without autocast. In fp32 and with 16-bit adapters the scale moves 2 values and the sum 3; backward scales. */
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

/* Attention with a bias of positions, 2 samples, 3 heads, 4 queries, 5 keys of width 6. Casts between 16 bits and fp32
 * move 6 B per value: forward those of bias, queries, keys, values and output; backward two of the bias gradient, which
 * is the sum over the samples, and those of the gradients of output, queries, keys and values. */
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
    /* Backward, per score in fp32: three products read or write it (dP, dQ, dK) and dV reads the probabilities, 16 B;
     * softmax 12; the sum over samples reads it, 4. The sum of the bias gradient is written, 4, and added to that of the
     * layer before, 12. Of keys and values: two of each read and written by products, the scaling of the keys, 8, and a
     * copy in 16 bits, 4. Of queries: the copy of the gradient in fp32, 8, which two products read, 8; the query is read,
     * its gradient written, 4 each; scaling 8; a copy in 16 bits, 4. Forward, per key: scaling and copy 8 each, read 4; per
     * value copy 8, read 4. The bytes of queries in forward and of the search for rows without keys are those of the
     * recorded operators. */
    ck_assert_double_eq(is[1].bytes, (16 + 12 + 4) * 120 + (4 + 12) * bias + (8 + 8 + 4 + 4 + 8 + 4) * queries +
                                         (8 + 8 + 4 + 8 + 4) * keys);
    ck_assert_double_eq(is[0].bytes, 39 * 120 + 28 * queries + (20 + 12) * keys);
}
END_TEST

/* Attention of 8 heads, whose profile copies 2 key heads for all of them: PyTorch reads the 2 heads. */
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

/* Returns the value of the last line of this name in a derivation; NaN = no such line. */
static double last_said(const nnc_derivation *why, const char *name) {
    const nnc_line *lines = NULL;
    int count = 0;
    double value = (double)NAN;
    ck_assert(nnc_derivation_lines(why, &lines, &count));
    for (int i = 0; i < count; i++) { value = strcmp(lines[i].name, name) == 0 ? lines[i].value : value; }
    return value;
}

/* A product of 10 x 30 and 30 x 20 values of 2 B reads 1,800 B and writes 400 B; further kernels move 100 + 50 B, 0.6 of
 * them read. If the kernels run instead of the product, only their bytes count. */
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

/* Attention in a window, one head. Values moved for each score: forward writes it, adds the bias (2) and in every second
 * block the mask (2), takes softmax (2), and reads it: 7. Backward writes the gradient, softmax 3, the sum of the bias
 * gradient 1, three products read: 8. Under autocast scores have 2 B up to the sum with the fp32 bias: 2 + 6 + 4 + 8, a
 * cast of 6, read 2: 28 B; backward 2, a cast of 6, 12, 4, a cast of 6, 6: 36 B. A learned scale, also of one head,
 * reads and writes each score; it has three kernels forward and four backward. */
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

/* Estimates ResNet-50 under torch-eager, with the operators of `by`. Returns the kernels per step; writes the seconds
 * of the device in the op table, without waiting. */
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

/* On a GPU older than Hopper the operators of timm count the kernels on maps: as many as on an H100, while the device
 * needs the time of the fused kernels, as without a library. Only the last product and the loss, less than a hundredth of
 * the step, have their own times. With --implementation timm, all operators have their times. A plan of weights in 16
 * bits and fp32 runs under autocast. */
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

/* A name of pytorch-image-models; a host by its id. */
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
