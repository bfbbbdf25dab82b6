/* Tests a vision transformer that is small enough to count by hand. Images of this transformer have 4 x 4 pixels
 * and 3 channels, in patches of 2 x 2: 4 patches and a class token. The transformer has width 8, 2 heads, MLPs of width
 * 16, 2 layers and 3 classes. */
#include "support.h"

static nnc_model tiny_vit(void) {
    return (nnc_model){ .id = "vit",
                        .family = NNC_FAMILY_VIT,
                        .vit = { .image = 4,
                                 .patch = 2,
                                 .in_channels = 3,
                                 .layers = 2,
                                 .hidden = 8,
                                 .heads = 2,
                                 .ffn_hidden = 16,
                                 .mlp = NNC_MLP_GELU,
                                 .classes = 3 } };
}

START_TEST(parameters) {
    const nnc_model model = tiny_vit();
    const nnc_plan plan = nnc_plan_default();
    const nnc_result r = estimate(&model, &plan);
    /* Parameters: patches 3 x 2 x 2 x 8 + 8 = 104, class token 8, positions 5 x 8 = 40. */
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_EMBEDDING], 104 + 8 + 40);
    /* Parameters of attention in a layer: qkv 8 x 24 + 24 = 216, output 8 x 8 + 8 = 72. Parameters of the MLP in a
     * layer: up 8 x 16 + 16 = 144, down 16 x 8 + 8 = 136. A layer has two norms of 16 parameters each, and the last
     * norm also has 16 parameters. */
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_ATTENTION], 2 * (216 + 72));
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_MLP], 2 * (144 + 136));
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_NORM], 2 * 32 + 16);
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_HEAD], 8 * 3 + 3);
    ck_assert_int_eq(r.params, 152 + 576 + 560 + 80 + 27);
}
END_TEST

/* Relative positions of 2 x 2 patches (BEiT, arXiv:2106.08254). A table has (2 * 2 - 1)^2 rows for distances and 3 rows
 * for the class token, with a value for each of 2 heads. Each of 2 layers has its own table. */
START_TEST(relative_positions) {
    nnc_model model = tiny_vit();
    const nnc_plan plan = nnc_plan_default();
    model.vit.relative_positions = true;
    const nnc_result r = estimate(&model, &plan);
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_ATTENTION], 2 * (216 + 72) + 2 * (3 * 3 + 3) * 2);
    ck_assert_int_eq(r.params_by_group[NNC_GROUP_EMBEDDING], 104 + 8); /* without positions of patches */
}
END_TEST

START_TEST(flops) {
    const nnc_model model = tiny_vit();
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 10;
    const nnc_result r = estimate(&model, &plan);
    /* FLOPs: patches 4 positions x 12 inputs x 8 outputs x 2 = 768. In a layer of 5 tokens, the FLOPs of qkv are 5 x 8
     * x 24 x 2 = 1920. The two products over 25 pairs and 2 heads of width 4 have 800 FLOPs. The output projection has
     * 5 x 8 x 8 x 2 = 640 FLOPs. Up and down projection together have 5 x 8 x 16 x 2 x 2 = 2560 FLOPs. The sum is 5920.
     * The head processes only the class token: 8 x 3 x 2 = 48. */
    ck_assert_double_eq(r.forward_flops, 10 * (768 + 2 * 5920 + 48));
    /* Backward has twice the FLOPs of forward, but does not compute the gradient of the image. */
    ck_assert_double_eq(r.backward_flops, 10 * (768 + 2 * (2 * 5920 + 48)));
    ck_assert_int_eq(r.tokens, 0); /* the work of images is not counted in tokens */
    ck_assert_double_eq(r.input_bytes, 10 * 4 * 4 * 3);
}
END_TEST

/* Each tensor rank has the whole embedding, all norms and the whole head. The tensor ranks divide the matrices of a
 * layer. */
START_TEST(tensor_ranks) {
    const nnc_model model = tiny_vit();
    nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    const nnc_result whole = estimate(&model, &plan);
    int32_t count = 0;
    plan.tensor = 2;
    device.scale_up.kind = NNC_LINK_SWITCH;
    device.scale_up.devices = 2;
    device.scale_up.bytes_per_s = 1e11;
    const nnc_result r = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(r.model_flops, whole.model_flops);
    /* A rank has qkv of 8 x 12 + 12, output 4 x 8 + 8, up 8 x 8 + 8 and down 8 x 8 + 8. */
    ck_assert_int_eq(nnc_scratch_stages(scratch, &count)->params, 152 + 2 * (108 + 40 + 72 + 72) + 80 + 27);
    ck_assert_double_gt(r.communication_s[NNC_COMM_TENSOR], 0);
}
END_TEST

static void shape_of(const char *name, char *shape, size_t size) {
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(nnc_op_name(rows[i].op), name) == 0) { nnc_op_shape(rows[i].op, shape, size); }
    }
}

/* With sequence parallelism, two ranks have 3 of 6 tokens each: 4 patches, a class token and a teacher token. Before
 * the patches, backward gathers the gradients of all tokens of 3 images, in 16 bits. The rank with the class tokens
 * sends their 8 values per image to the other rank. */
START_TEST(sequence_ranks) {
    nnc_model model = tiny_vit();
    nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    char patches[64] = "", classes[64] = "";
    model.vit.distilled = true;
    plan.tensor = 2;
    plan.micro_batch = 3;
    plan.sequence_parallel = true;
    device.scale_up.kind = NNC_LINK_SWITCH;
    device.scale_up.devices = 2;
    device.scale_up.bytes_per_s = 1e11;
    estimate_with(&model, &device, &software, &plan);
    shape_of("embed.tensor", patches, sizeof patches);
    shape_of("head.tensor", classes, sizeof classes);
    ck_assert_str_eq(patches, "bytes=288"); /* 3 images x 6 tokens x 8 values x 2 B */
    ck_assert_str_eq(classes, "bytes=48");  /* 3 x 8 x 2 */
}
END_TEST

/* A stage sends 5 tokens of 8 values in 16 bits per image to the next stage. */
START_TEST(pipeline_sends) {
    const nnc_model model = tiny_vit();
    nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.pipeline = 2;
    plan.micro_batch = 7;
    device.scale_out.bytes_per_s = 1e10;
    device.scale_out.latency_s = 0;
    estimate_with(&model, &device, &software, &plan);
    int32_t count = 0;
    char shape[64] = "";
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(nnc_op_name(rows[i].op), "pipeline.send") == 0) { nnc_op_shape(rows[i].op, shape, sizeof shape); }
    }
    ck_assert_str_eq(shape, "bytes=560");
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        parameters, relative_positions, flops, tensor_ranks, sequence_ranks, pipeline_sends
    };
    return run_tests("shape_vit", tests, COUNT_OF(tests));
}
