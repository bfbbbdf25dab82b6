/* Tests graph files: shapes of tensors, definitions, repeats, the op that counts a kept tensor, and messages with the
 * place of each fault. */
#include "op/op_internal.h"
#include "support.h"

#define HEAD                                                                               \
    "{\"schema\":\"nncost.model/1\",\"id\":\"toy\",\"name\":\"Toy\",\"family\":\"graph\"," \
    "\"sources\":{\"\":\"made up\"},"

static nnc_error error;

static nnc_status parse(const char *body, nnc_model *model) {
    char text[8192];
    snprintf(text, sizeof text, HEAD "%s}", body);
    error = (nnc_error){ 0 };
    const nnc_model *read = NULL;
    const nnc_status status = nnc_model_parse(specs, "toy.json", text, strlen(text), &read, &error);
    if (status == NNC_OK) { *model = *read; }
    return status;
}

static nnc_model read_graph(const char *body) {
    nnc_model model;
    ck_assert_msg(parse(body, &model) == NNC_OK, "%s: %s", error.where, error.what);
    return model;
}

static nnc_result estimate_of(const nnc_model *model, nnc_plan plan) {
    const nnc_software software = nnc_software_default();
    const nnc_device device = plain_device();
    return estimate_with(model, &device, &software, &plan);
}

static nnc_plan fp32(void) {
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_FP32;
    return plan;
}

START_TEST(a_convolution_by_hand) {
    /* The convolution has 3 input channels, 8 output channels and a 3 x 3 kernel. 10 x 10 positions without padding
     * become 8 x 8. The convolution has 8 x 27 weights and 8 biases, and 64 positions x 216 weights x 2 FLOPs. After
     * the mean over positions, 8 channels remain. The linear layer has 8 x 4 weights and 4 biases. */
    const nnc_model model =
        read_graph("\"input\":{\"shape\":[3,10,10]},\"ops\":[{\"op\":\"conv\",\"out\":8,\"kernel\":3},"
                   "{\"op\":\"global_pool\"},{\"op\":\"linear\",\"out\":4},"
                   "{\"op\":\"loss\",\"kind\":\"cross_entropy\"}]");
    const nnc_result r = estimate_of(&model, fp32());
    ck_assert_int_eq(r.params, 216 + 8 + 32 + 4);
    ck_assert_double_eq(r.forward_flops, 2.0 * (64 * 216 + 32));
    /* The image needs no gradient. Backward of the convolution computes only the gradient of its weights, because the
     * input of the convolution is the image. The linear layer computes the gradients of input and weights. */
    ck_assert_double_eq(r.backward_flops, 2.0 * (64 * 216 + 2 * 32));
    /* Forward keeps the input of the linear layer and the logits. The image is an input and does not count. */
    ck_assert_int_eq(r.memory.activation_bytes, 4 * (8 + 4));
}
END_TEST

/* The linear layer has 8 x 6 weights. Only queries and values have a bias. */
START_TEST(outputs_without_a_bias) {
    const nnc_model model =
        read_graph("\"input\":{\"shape\":[8]},\"ops\":[{\"op\":\"linear\",\"out\":6,\"unbiased\":2},"
                   "{\"op\":\"loss\",\"kind\":\"cross_entropy\"}]");
    ck_assert_int_eq(estimate_of(&model, fp32()).params, 8 * 6 + 4);
}
END_TEST

static bool casts(const nnc_op_cost *row) { return strcmp(nnc_op_name(row->op), "weights.cast") == 0; }

static double moved_bytes(const nnc_op_cost *row) { return row->work.read_bytes + row->work.write_bytes; }

/* The network has a single weight. Under autocast, forward reads the 4 B of the weight and writes 2 B, and backward
 * casts the gradient. */
START_TEST(a_single_weight_is_cast) {
    const nnc_model model =
        read_graph("\"input\":{\"shape\":[1]},\"ops\":[{\"op\":\"linear\",\"out\":1,\"bias\":false},"
                   "{\"op\":\"loss\",\"kind\":\"squared_error\"}]");
    const nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    software.cast_weights = true;
    plan.policy = NNC_POLICY_AMP;
    ck_assert_int_eq(estimate_with(&model, &device, &software, &plan).params, 1);
    ck_assert_double_eq(sum_rows(casts, moved_bytes), 2 * (4 + 2));
}
END_TEST

/* One kernel joins three tensors, so the first of two successive concats copies no bytes. */
START_TEST(several_tensors_are_joined_at_once) {
    double step_s[2];
    for (int copy = 0; copy < 2; copy++) {
        char text[512];
        snprintf(text, sizeof text,
                 "\"input\":{\"shape\":[64,32,32]},\"ops\":[{\"op\":\"conv\",\"out\":64,\"as\":\"x\"},"
                 "{\"op\":\"concat\",\"with\":\"x\",\"copy\":%s},{\"op\":\"concat\",\"with\":\"x\"},"
                 "{\"op\":\"conv\",\"out\":8},{\"op\":\"loss\",\"kind\":\"squared_error\"}]",
                 copy > 0 ? "true" : "false");
        const nnc_model model = read_graph(text);
        step_s[copy] = estimate_of(&model, fp32()).step_s;
    }
    ck_assert_double_lt(step_s[0], step_s[1]);
}
END_TEST

/* If a graph file fixes the side of its image, no other side is accepted, not even a side of one pixel. Ops have the
 * names that the graph file gives them. */
START_TEST(fixed_shapes_and_names) {
    const nnc_model model =
        read_graph("\"input\":{\"shape\":[3,10,10]},\"ops\":[{\"op\":\"conv\",\"out\":8,\"kernel\":3},"
                   "{\"op\":\"global_pool\"},{\"op\":\"linear\",\"out\":4,\"name\":\"classes\"},"
                   "{\"op\":\"loss\",\"kind\":\"cross_entropy\",\"name\":\"objective\"}]");
    const nnc_device device = plain_device();
    int32_t count = 0, found = 0;
    estimate_of(&model, fp32());
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        found += nnc_op_phase(rows[i].op) == NNC_PHASE_FORWARD &&
                 (strcmp(nnc_op_name(rows[i].op), "classes") == 0 || strcmp(nnc_op_name(rows[i].op), "objective") == 0);
    }
    ck_assert_int_eq(found, 2);
    for (int image = 0; image < 11; image++) {
        nnc_plan plan = fp32(), resolved;
        plan.image = image;
        const nnc_status status = nnc_plan_resolve(&plan, &model, &device, &resolved, &error);
        ck_assert_int_eq(status, image == 0 ? NNC_OK : NNC_ILLEGAL_PLAN);
    }
    nnc_plan stages = fp32(), resolved; /* no layers repeat, so no stages are possible */
    stages.pipeline = 2;
    ck_assert_int_eq(nnc_plan_resolve(&stages, &model, &device, &resolved, &error), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(error.where, "--pipeline");
    ck_assert_ptr_nonnull(strstr(error.what, "stages consist of equal layers"));
}
END_TEST

/* A graph can have one of two kinds of loss. A squared error compares all values in one kernel and keeps only the
 * predicted values. */
START_TEST(losses_of_two_kinds) {
    for (int squared = 0; squared < 2; squared++) {
        char body[256];
        snprintf(body, sizeof body,
                 "\"input\":{\"shape\":[3,10,10]},\"ops\":[{\"op\":\"global_pool\"},{\"op\":\"linear\",\"out\":4},"
                 "{\"op\":\"loss\",\"kind\":\"%s\"}]",
                 squared ? "squared_error" : "cross_entropy");
        const nnc_model model = read_graph(body);
        int32_t count = 0, losses = 0;
        estimate_of(&model, fp32());
        const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
        for (int32_t i = 0; i < count; i++) {
            if (rows[i].op->kind != NNC_OP_LOSS || nnc_op_phase(rows[i].op) != NNC_PHASE_FORWARD) { continue; }
            losses++;
            ck_assert_int_eq(rows[i].op->u.loss.squared_error, squared);
            ck_assert(!squared || rows[i].op->u.loss.fused);
            ck_assert(!squared || nnc_op_kept_bytes(rows[i].op) == 4.0 * 4.0);
        }
        ck_assert_int_eq(losses, 1);
    }
}
END_TEST

START_TEST(windows_of_pools) {
    /* A side of 7, with 2 rows of padding, a kernel of 3 and a stride of 2, becomes (7 + 2 - 3) / 2 + 1 = 4. A map with
     * a side of 4 becomes a map with a side of 2. With ceil, a side of 5 becomes 3. */
    static const struct {
        int side, kernel, stride, pad, ceil, out;
    } cases[] = {
        { 7, 3, 2, 1, 0, 4 }, { 4, 2, 2, 0, 0, 2 }, { 5, 2, 2, 0, 1, 3 }, { 5, 2, 2, 0, 0, 2 }, { 6, 3, 2, 0, 1, 3 }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "\"input\":{\"shape\":[1,%d,%d]},\"ops\":[{\"op\":\"pool\",\"kind\":\"max\","
                 "\"kernel\":%d,\"stride\":%d,\"pad\":%d,\"ceil\":%d},"
                 "{\"op\":\"conv\",\"out\":1,\"kernel\":%d,\"bias\":false}]",
                 cases[i].side, cases[i].side, cases[i].kernel, cases[i].stride, cases[i].pad, cases[i].ceil,
                 cases[i].out);
        const nnc_model model = read_graph(body);
        /* The kernel is as large as the map, so there is one position with out x out products. */
        ck_assert_double_eq(estimate_of(&model, fp32()).forward_flops, 2.0 * cases[i].out * cases[i].out);
    }
}
END_TEST

#define BLOCK "{\"op\":\"conv\",\"out\":4,\"kernel\":3,\"pad\":1},{\"op\":\"act\",\"kind\":\"relu\"}"

/* A repeat gives the same result as its body written several times. The test uses all tensors that may be kept before
 * the first repeat. */
START_TEST(a_repeat_is_its_turns) {
    static const char *const bodies[][2] = {
        { "{\"repeat\":3,\"ops\":[" BLOCK "]}", BLOCK "," BLOCK "," BLOCK },
        { "{\"repeat\":3,\"ops\":[{\"as\":\"x\"}," BLOCK ",{\"op\":\"add\",\"with\":\"x\"}]}",
          "{\"as\":\"x\"}," BLOCK ",{\"op\":\"add\",\"with\":\"x\"},{\"as\":\"x\"}," BLOCK
          ",{\"op\":\"add\",\"with\":\"x\"},{\"as\":\"x\"}," BLOCK ",{\"op\":\"add\",\"with\":\"x\"}" },
        { "{\"repeat\":2,\"ops\":[{\"repeat\":2,\"ops\":[" BLOCK "]}]}", BLOCK "," BLOCK "," BLOCK "," BLOCK },
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        nnc_result r[2];
        for (int k = 0; k < 2; k++) {
            char body[2048];
            snprintf(body, sizeof body, "\"input\":{\"shape\":[4,8,8]},\"ops\":[" BLOCK ",%s]", bodies[i][k]);
            const nnc_model model = read_graph(body);
            r[k] = estimate_of(&model, fp32());
        }
        ck_assert_int_eq(r[0].params, r[1].params);
        ck_assert_double_eq(r[0].forward_flops, r[1].forward_flops);
        ck_assert_double_eq(r[0].backward_flops, r[1].backward_flops);
        ck_assert_int_eq(r[0].memory.activation_bytes, r[1].memory.activation_bytes);
        ck_assert_double_eq_tol(r[0].step_s, r[1].step_s, 1e-12);
    }
}
END_TEST

START_TEST(arguments_and_lets) {
    /* out = 2 * (width + 1) = 10. The default of `then` is 3 * out = 30. */
    nnc_model model = read_graph("\"let\":{\"width\":4,\"twice\":\"2*(width+1)\"},\"input\":{\"shape\":[\"width\"]},"
                                 "\"define\":{\"two\":{\"args\":{\"out\":null,\"then\":\"3*out\"},\"ops\":["
                                 "{\"op\":\"linear\",\"out\":\"out\",\"bias\":false},"
                                 "{\"op\":\"linear\",\"out\":\"then\",\"bias\":false}]}},"
                                 "\"ops\":[{\"use\":\"two\",\"out\":\"twice\"}]");
    ck_assert_int_eq(estimate_of(&model, fp32()).params, 4 * 10 + 10 * 30);
    ck_assert_int_eq(nnc_model_set(&model, "width", "5", &error), NNC_OK);
    ck_assert_int_eq(nnc_model_check(&model, "toy", &error), NNC_OK);
    ck_assert_int_eq(estimate_of(&model, fp32()).params, 5 * 12 + 12 * 36);
    ck_assert_int_eq(nnc_model_set(&model, "twice", "5", &error), NNC_BAD_USAGE);
}
END_TEST

/* If the graph file names a number as the side of the image, the image size of the plan replaces this number. */
START_TEST(a_plan_sets_the_image) {
    const nnc_model model = read_graph("\"let\":{\"image\":8},\"input\":{\"shape\":[4,\"image\",\"image\"]},"
                                       "\"ops\":[{\"op\":\"conv\",\"out\":4,\"kernel\":3,\"pad\":1,\"bias\":false}]");
    nnc_plan plan = fp32();
    ck_assert_double_eq(estimate_of(&model, plan).forward_flops, 2.0 * 64 * 144);
    plan.image = 16;
    ck_assert_double_eq(estimate_of(&model, plan).forward_flops, 2.0 * 256 * 144);
}
END_TEST

START_TEST(faults_name_the_op_and_the_dimension) {
    static const struct {
        const char *body, *where, *what;
    } cases[] = {
        { "\"input\":{\"shape\":[3,4,4]},\"ops\":[{\"op\":\"conv\",\"out\":8,\"kernel\":7}]", "ops[0]",
          "conv: height: a window of 7 does not fit into 4" },
        { "\"input\":{\"shape\":[6,4,4]},\"ops\":[{\"op\":\"conv\",\"out\":8,\"groups\":4}]", "ops[0]",
          "conv: groups: expected a divisor of 6 and 8 channels, found 4" },
        { "\"input\":{\"shape\":[6,4,4]},\"ops\":[{\"as\":\"x\"},{\"op\":\"conv\",\"out\":8},"
          "{\"op\":\"add\",\"with\":\"x\"}]",
          "ops[2]", "add: expected equal shapes, or one value per channel, found 8 x 4 x 4 and 6 x 4 x 4" },
        { "\"input\":{\"shape\":[6,4,4]},\"ops\":[{\"op\":\"conv\",\"out\":8,\"gain\":true}]", "ops[0]",
          "conv: gain: needs the parameter standardize, expected standardize 1, found 0" },
        { "\"input\":{\"shape\":[6]},\"ops\":[{\"op\":\"conv\",\"out\":8}]", "ops[0]",
          "conv: expected a map of channels x height x width, found 6" },
        { "\"input\":{\"shape\":[5,4,4]},\"define\":{\"m\":{\"ops\":[{\"op\":\"norm\",\"kind\":"
          "\"group\"}]"
          "}},\"ops\":[{\"use\":\"m\"}]",
          "define.m.ops[0]", "m.norm: groups: expected a divisor of 5 channels, found 32" },
        { "\"input\":{\"shape\":[8]},\"ops\":[{\"op\":\"linear\",\"out\":4,\"bias\":false,\"unbiased\":1}]", "ops[0]",
          "linear: unbiased: expected at most the outputs with a bias, 0, found 1" },
        { "\"input\":{\"tokens\":5},\"ops\":[{\"op\":\"linear\",\"out\":4}]", "ops[0]",
          "linear: expected values, found token ids" },
        { "\"let\":{\"n\":5},\"input\":{\"shape\":[8]},\"ops\":[{\"op\":\"linear\",\"out\":\"n/"
          "2\"}]",
          "ops[0]", "out: \"n/2\": expected a whole number" },
        { "\"input\":{\"shape\":[6,24]},\"ops\":[{\"op\":\"attention\",\"heads\":2,\"linear\":true,"
          "\"causal\":true}]",
          "ops[0]",
          "attention: linear: expected as many key heads as query heads, and no window, causal or position_biases" },
        { "\"input\":{\"shape\":[8]},\"ops\":[{\"op\":\"slice\",\"start\":8}]", "ops[0]",
          "slice: expected at most 8, found 1 from 8 on" },
        { "\"input\":{\"shape\":[8]},\"ops\":[{\"op\":\"slice\",\"start\":3},{\"op\":\"slice\",\"size\":6}]", "ops[1]",
          "slice: expected at most 5, found 6 from 0 on" },
        { "\"input\":{\"shape\":[8]},\"ops\":[{\"op\":\"lineer\",\"out\":4}]", "ops[0].op",
          "unknown op, perhaps \"linear\"" },
        { "\"input\":{\"shape\":[8]},\"ops\":[{\"op\":\"linear\",\"outs\":4}]", "ops[0].outs", "perhaps \"out\"" },
        { "\"input\":{\"shape\":[8]},\"ops\":[{\"op\":\"linear\"}]", "ops[0].out", "missing" },
        { "\"input\":{\"shape\":[8]},\"ops\":[{\"op\":\"linear\",\"out\":\"2*(3+\"}]", "ops[0].out",
          "expected a number, a name or \"(\", found the end" },
        { "\"input\":{\"shape\":[8]},\"ops\":[{\"use\":\"m\"}]", "ops[0].use", "unknown macro" },
        { "\"input\":{\"shape\":[8]},\"ops\":[{\"from\":\"y\"}]", "ops[0]", "no tensor is called \"y\" here" },
        { "\"input\":{\"shape\":[8]},\"ops\":[{\"op\":\"linear\",\"out\":4}],\"published_params\":"
          "37",
          "published_params", "expected 36, found 37" },
        { "\"input\":{\"shape\":[8]}", "ops", "missing" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nnc_model model;
        ck_assert_int_eq(parse(cases[i].body, &model), NNC_BAD_SPEC);
        ck_assert_msg(strstr(error.where, cases[i].where) != NULL, "%s: %s", error.where, cases[i].where);
        ck_assert_msg(strstr(error.what, cases[i].what) != NULL, "%s: %s", error.what, cases[i].what);
    }
}
END_TEST

/* Parameters and forward FLOPs were counted by running the code of each network. torchvision 0.14.1 ran at 224 pixels,
 * diffusers at 256 pixels. DiT-XL/2 was counted by hand: twice 118.62 G multiply-adds (118.64 in table 4 of its paper).
 * Other values of the constants (lets) in a graph file give other networks of the same kind. */
static const struct {
    const char *model, *lets;
    int64_t params;
    double forward_flops;
} counted[] = {
    { "resnet-50", "", 25557032, 8178368512 },
    { "resnet-50", "n2=8 n3=36", 60192808, 23027253248 },
    { "resnet-50", "inner=2", 68883240, 22796042240 },
    { "densenet-121", "", 7978856, 5668323328 },
    { "densenet-121", "growth=48 begin=96 n3=36 n4=24", 28681000, 15455814144 },
    { "efficientnet-b0", "", 5288548, 771629504 },
    { "convnext-t", "", 28589128, 8911062528 },
    { "convnext-t", "width=128 n3=27", 88591464, 30709458944 },
    { "swin-t", "", 28288354, 8981133312 },
    { "sd3-vae", "", 83819683, 895249022976 },
    { "dit-xl-2", "", 674834720, 237242843136 },
};

START_TEST(networks_are_counted_as_their_code_runs) {
    char file[64], lets[64];
    snprintf(file, sizeof file, "models/%s.json", counted[_i].model);
    snprintf(lets, sizeof lets, "%s", counted[_i].lets);
    nnc_model model = *load_model(file);
    for (char *let = strtok(lets, " "); let != NULL; let = strtok(NULL, " ")) {
        char *value = strchr(let, '=');
        *value++ = '\0';
        ck_assert_int_eq(nnc_model_set(&model, let, value, &error), NNC_OK);
    }
    ck_assert_int_eq(nnc_model_check(&model, "model", &error), NNC_OK);
    for (int attention = 0; attention < 2; attention++) {
        nnc_plan plan = nnc_plan_default();
        plan.attention = attention == 0 ? NNC_ATTENTION_FLASH : NNC_ATTENTION_UNFUSED;
        const nnc_result r = estimate_of(&model, plan);
        ck_assert_int_eq(r.params, counted[_i].params);
        ck_assert_double_eq(r.forward_flops, counted[_i].forward_flops);
    }
}
END_TEST

/* 6 tokens of width 8 have 2 heads of width 4. The cases are: Q, K and V from one layer; one key head for both heads;
 * keys and values of 3 other tokens; blocks of 2 tokens that attend only to themselves; linear attention; transposed
 * tokens. Each pair takes two products of 4 terms. In linear attention, each head multiplies its values (5 x 6, with
 * one row of ones) by its keys (6 x 4), and multiplies the result (5 x 4) by its queries (4 x 6). */
START_TEST(attention_by_hand) {
    static const struct {
        const char *ops;
        double products; /* query-key pairs in all heads */
    } cases[] = {
        { "{\"op\":\"linear\",\"out\":24},{\"op\":\"attention\",\"heads\":2}", 2 * 36 },
        { "{\"op\":\"linear\",\"out\":16},{\"op\":\"attention\",\"heads\":2,\"kv_heads\":1}", 2 * 36 },
        { "{\"as\":\"q\"},{\"op\":\"slice\",\"axis\":\"tokens\",\"size\":3},"
          "{\"op\":\"linear\",\"out\":16,\"as\":\"kv\"},{\"from\":\"q\"},"
          "{\"op\":\"attention\",\"heads\":2,\"key\":\"kv\"}",
          2 * 18 },
        { "{\"op\":\"linear\",\"out\":24},{\"op\":\"attention\",\"heads\":2,\"window\":2}", 2 * 12 },
        { "{\"op\":\"linear\",\"out\":24},{\"op\":\"attention\",\"heads\":2,\"linear\":true}", 2 * 5 * 6 },
        { "{\"op\":\"transpose\"},{\"op\":\"linear\",\"out\":24},{\"op\":\"attention\",\"heads\":2}", 2 * 64 },
    };
    static const double linears[] = { 6 * 8 * 24, 6 * 8 * 16, 3 * 8 * 16, 6 * 8 * 24, 6 * 8 * 24, 8 * 6 * 24 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[1024];
        snprintf(body, sizeof body, "\"input\":{\"shape\":[6,8]},\"ops\":[%s]", cases[i].ops);
        const nnc_model model = read_graph(body);
        ck_assert_double_eq(estimate_of(&model, fp32()).forward_flops, 2 * linears[i] + 2 * 2 * 4 * cases[i].products);
    }
}
END_TEST

/* Tensor ranks divide the layers that are marked in the graph: a column product with 24 outputs, an attention with 2
 * heads (or 4 heads with 2 key heads), and a row product with 8 inputs. A rank has (8 + 1) x 12 weights of the column
 * product, and 4 x 8 weights and all 8 biases of the row product. */
START_TEST(marked_layers_divide) {
    static const struct {
        const char *out, *attention;
        int32_t tensor;
        const char *fault; /* NULL: all layers are divided */
    } cases[] = { { "24", "\"heads\":2", 2, NULL },
                  { "24", "\"heads\":2", 4, "heads" },
                  { "16", "\"heads\":4,\"kv_heads\":2", 2, NULL },
                  { "16", "\"heads\":4,\"kv_heads\":2", 4, "kv_heads" },
                  { "24", "\"heads\":2", 5, "out" } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "\"input\":{\"shape\":[6,8]},\"ops\":[{\"op\":\"linear\",\"name\":\"in\",\"out\":%s,"
                 "\"split\":\"column\"},{\"op\":\"attention\",\"name\":\"core\",%s},{\"op\":\"linear\","
                 "\"name\":\"back\",\"out\":8,\"split\":\"row\"}]",
                 cases[i].out, cases[i].attention);
        const nnc_model model = read_graph(body);
        const nnc_software software = nnc_software_default();
        nnc_device device = plain_device();
        nnc_result r = { .struct_size = sizeof r };
        nnc_plan plan = fp32();
        int32_t count = 0;
        plan.tensor = cases[i].tensor;
        device.scale_up.kind = NNC_LINK_SWITCH;
        device.scale_up.devices = 8;
        device.scale_up.bytes_per_s = 1e11;
        error = (nnc_error){ 0 };
        const nnc_status status = nnc_estimate(&model, &device, &software, &plan, scratch, &r, &error);
        ck_assert_msg((status == NNC_OK) == (cases[i].fault == NULL), "%s", error.what);
        if (cases[i].fault != NULL) {
            ck_assert_int_eq(status, NNC_ILLEGAL_PLAN);
            ck_assert_msg(strstr(error.what, cases[i].fault) != NULL, "%s", error.what);
        } else {
            const int64_t out = atoi(cases[i].out);
            ck_assert_int_eq(nnc_scratch_stages(scratch, &count)->params, 9 * out / 2 + 4 * 8 + 8);
        }
    }
}
END_TEST

/* If no layer is marked, tensor ranks cannot divide a layer. */
START_TEST(unmarked_layers_do_not_divide) {
    const nnc_model model = read_graph("\"input\":{\"shape\":[6,8]},\"ops\":[{\"op\":\"linear\",\"out\":8}]");
    const nnc_software software = nnc_software_default();
    const nnc_device device = plain_device();
    nnc_result r = { .struct_size = sizeof r };
    nnc_plan plan = fp32();
    plan.tensor = 2;
    error = (nnc_error){ 0 };
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &error), NNC_ILLEGAL_PLAN);
    ck_assert_msg(strstr(error.what, "marked with a split, expected 1, found 2") != NULL, "%s", error.what);
}
END_TEST

/* SwiGLU has 6 x 16 inputs. If SwiGLU is one kernel, the kernel keeps gate and up, 6 x 16 values. If SwiGLU is two
 * kernels, they also keep the activated gate, 6 x 8 values, because the product of gate and up needs it in backward. If
 * backward computes the activated gate again, it is not kept. */
START_TEST(gates_of_two_kernels) {
    const nnc_model model = read_graph("\"input\":{\"shape\":[6,8]},\"ops\":[{\"op\":\"linear\",\"out\":16},"
                                       "{\"op\":\"act\",\"kind\":\"swiglu\"},{\"op\":\"linear\",\"out\":8}]");
    const nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    const nnc_plan plan = fp32();
    software.fused_activation = true;
    const nnc_result one = estimate_with(&model, &device, &software, &plan);
    software.fused_activation = false;
    const nnc_result two = estimate_with(&model, &device, &software, &plan);
    ck_assert_int_eq(two.memory.activation_bytes - one.memory.activation_bytes, 4 * 6 * 8);
    ck_assert_double_gt(two.forward_s, one.forward_s);
}
END_TEST

/* Adapters of rank 2 on 8 x 8 matrices have 2 x (8 + 8) parameters each. The ends of the names of ops identify queries,
 * keys, values and outputs of two attentions. The adapters of gate, up and down have 2 x (8 + 16) parameters each,
 * because these matrices have 16 columns. */
START_TEST(adapters_find_the_matrices_of_a_graph) {
    static const struct {
        unsigned adapters;
        int64_t trained;
    } cases[] = {
        { NNC_ADAPTED_ATTENTION, 6 * 32 },
        { NNC_ADAPTED_QUERY | NNC_ADAPTED_KEY, 3 * 32 },
        { NNC_ADAPTED_MLP, 3 * 48 },
        { NNC_ADAPTED_LINEAR, 6 * 32 + 3 * 48 },
    };
    const nnc_model model =
        read_graph("\"input\":{\"shape\":[6,8]},\"define\":{\"b\":{\"ops\":["
                   "{\"op\":\"linear\",\"name\":\"k\",\"out\":8,\"group\":\"attention\"},"
                   "{\"op\":\"linear\",\"name\":\"context.k\",\"out\":8,\"group\":\"attention\"},"
                   "{\"op\":\"linear\",\"name\":\"v\",\"out\":8,\"group\":\"attention\"},"
                   "{\"op\":\"linear\",\"name\":\"context.v\",\"out\":8,\"group\":\"attention\"},"
                   "{\"op\":\"linear\",\"name\":\"cross.q\",\"out\":8,\"group\":\"attention\"},"
                   "{\"op\":\"linear\",\"name\":\"context.out\",\"out\":8,\"group\":\"attention\"},"
                   "{\"op\":\"linear\",\"name\":\"gate\",\"out\":16},{\"op\":\"linear\",\"name\":\"down\",\"out\":8},"
                   "{\"op\":\"linear\",\"name\":\"up\",\"out\":16}]}},\"ops\":[{\"use\":\"b\"},"
                   "{\"op\":\"loss\",\"kind\":\"squared_error\"}]");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nnc_plan plan = nnc_plan_default();
        plan.adapter_rank = 2;
        plan.adapters = cases[i].adapters;
        ck_assert_int_eq(estimate_of(&model, plan).trained_params, cases[i].trained);
    }
}
END_TEST

/* A kernel of 1 x 7 has 7 taps. Only its width is padded. */
START_TEST(kernels_need_not_be_square) {
    const nnc_model model = read_graph("\"input\":{\"shape\":[2,5,9]},\"ops\":[{\"op\":\"conv\","
                                       "\"out\":3,\"kernel\":1,\"kernel_w\":7,"
                                       "\"pad_w\":3,\"bias\":false}]");
    const nnc_result r = estimate_of(&model, fp32());
    ck_assert_int_eq(r.params, 2 * 3 * 7);
    ck_assert_double_eq(r.forward_flops, 2.0 * 45 * 42);
}
END_TEST

/* Folding makes 2 x 2 positions with four times the channels from 4 x 4 positions, and unfolding reverses the folding.
 * The sides are then doubled by upsampling, or by a transposed convolution with a kernel of 2. */
START_TEST(maps_change_their_sides) {
    const nnc_model model = read_graph("\"input\":{\"shape\":[3,4,4]},\"ops\":[{\"op\":\"fold\",\"as\":\"x\"},"
                                       "{\"op\":\"conv\",\"out\":12,\"bias\":false},{\"op\":\"add\",\"with\":\"x\"},"
                                       "{\"op\":\"unfold\"},{\"op\":\"upsample\"},{\"op\":\"conv\",\"out\":1,"
                                       "\"kernel\":8,\"bias\":false},"
                                       "{\"op\":\"conv_transpose\",\"out\":5,\"kernel\":2,\"bias\":false}]");
    const nnc_result r = estimate_of(&model, fp32());
    ck_assert_int_eq(r.params, 12 * 12 + 3 * 64 + 5 * 4);
    ck_assert_double_eq(r.forward_flops, 2.0 * (4 * 144 + 192 + 20));
}
END_TEST

/* Two tables follow a vector of 4 values. One table has 1,000 rows of 8 values, and a sample adds up 3 rows. The second
 * table has 10 rows of 2 values. The tables and the linear layer have 8,000 + 20 + 15 parameters, like
 * torch.nn.EmbeddingBag and Linear(14, 1) of PyTorch. Four devices share the tables, with 250 and 3 rows each, at 4 B
 * per value. The linear layer has weights, gradients and two moments in fp32. */
static const char tables[] = "\"input\":{\"shape\":[4]},\"ops\":[{\"op\":\"table\",\"rows\":1000,\"width\":8,"
                             "\"lookups\":3},{\"op\":\"table\",\"rows\":10,\"width\":2},{\"op\":\"linear\",\"out\":1},"
                             "{\"op\":\"loss\",\"kind\":\"squared_error\"}]";

START_TEST(tables_are_shared_and_updated_in_place) {
    const nnc_model model = read_graph(tables);
    nnc_plan plan = fp32();
    plan.micro_batch = 32;
    nnc_result r = estimate_of(&model, plan);
    ck_assert_int_eq(r.params, 8000 + 20 + 15);
    ck_assert_int_eq(r.trained_params, r.params);
    ck_assert_double_eq(r.forward_flops, 2.0 * 32 * 14);
    ck_assert_double_eq(r.backward_flops, 2.0 * 2.0 * 32 * 14);
    ck_assert_int_eq(r.memory.weight_bytes, 4 * (8020 + 15));
    ck_assert_int_eq(r.memory.gradient_bytes, 4 * 15);
    ck_assert_int_eq(r.memory.optimizer_bytes, 8 * 15);
    /* kept: ids of the lookups, input of the linear layer, prediction */
    ck_assert_int_eq(r.memory.activation_bytes, 32 * (8 * (3 + 1) + 4 * 14 + 4));
    plan.data = plan.expert = 4;
    const nnc_software software = nnc_software_default();
    r = estimate_with(&model, load_device("hw/h100-sxm5-80gb.json"), &software, &plan);
    ck_assert_int_eq(r.params, 8000 + 20 + 15);
    ck_assert_int_eq(r.memory.weight_bytes, 4 * (250 * 8 + 3 * 2 + 15));
    ck_assert_int_eq(r.memory.gradient_bytes, 4 * 15);
}
END_TEST

/* Successive tables send the sums of 32 samples in one all-to-all, 8 + 2 values in fp32. A table after a product has
 * its own all-to-all, here of 2 values per sample. */
START_TEST(successive_tables_share_an_all_to_all) {
    const nnc_model model =
        read_graph("\"input\":{\"shape\":[4]},\"ops\":[{\"op\":\"linear\",\"out\":4},{\"op\":\"table\","
                   "\"rows\":1000,\"width\":8,\"lookups\":3},{\"op\":\"table\",\"rows\":10,\"width\":2},"
                   "{\"op\":\"linear\",\"out\":6},{\"op\":\"table\",\"rows\":10,\"width\":2},"
                   "{\"op\":\"linear\",\"out\":1},{\"op\":\"loss\",\"kind\":\"squared_error\"}]");
    const nnc_software software = nnc_software_default();
    nnc_plan plan = fp32();
    char shapes[128] = "";
    int32_t count = 0;
    plan.micro_batch = 32;
    plan.data = plan.expert = 4;
    (void)estimate_with(&model, load_device("hw/h100-sxm5-80gb.json"), &software, &plan);
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        const size_t used = strlen(shapes);
        if (strcmp(nnc_op_name(rows[i].op), "tables") != 0 || nnc_op_phase(rows[i].op) != NNC_PHASE_FORWARD) {
            continue;
        }
        nnc_op_shape(rows[i].op, shapes + used, sizeof shapes - used);
    }
    ck_assert_str_eq(shapes, "bytes=1280bytes=256");
}
END_TEST

START_TEST(all_ranks_share_the_tables) {
    const nnc_model model = read_graph(tables);
    const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
    const nnc_software software = nnc_software_default();
    nnc_plan plan = fp32();
    nnc_result r;
    plan.data = 4;
    plan.expert = 2;
    error = (nnc_error){ 0 };
    ck_assert_int_eq(nnc_estimate(&model, device, &software, &plan, scratch, &r, &error), NNC_ILLEGAL_PLAN);
    ck_assert_msg(strstr(error.what, "expected 4, found 2") != NULL, "%s", error.what);
}
END_TEST

/* Tests volumes. In PyTorch 1.13, torch.nn.Conv3d(4, 8, (3, 5, 2), stride=(1, 2, 2), padding=(1, 2, 0), groups=2) has
 * 488 parameters. Conv3d computes 8 x 6 x 5 x 5 = 1200 values from 4 x 6 x 9 x 10 values: 2 FLOPs x 1200 outputs x 2
 * channels x 30 taps. ConvTranspose3d(8, 4, (2, 3, 4), stride=(2, 1, 3)) has 772 parameters. ConvTranspose3d computes 4
 * x 12 x 7 x 16 values: 2 FLOPs x 1200 inputs x 4 channels x 24 taps. Pools of 2 give 4 x 6 x 3 x 8 values. Upsampling
 * by 2 gives 4 x 12 x 6 x 16 values. The last convolution has one tap and 4 weights. */
START_TEST(volumes_have_a_depth) {
    const nnc_model model =
        read_graph("\"input\":{\"shape\":[4,6,9,10]},\"ops\":[{\"op\":\"conv\",\"out\":8,\"kernel_d\":3,"
                   "\"kernel\":5,\"kernel_w\":2,\"stride\":2,\"stride_d\":1,\"pad\":2,\"pad_d\":1,\"pad_w\":0,"
                   "\"groups\":2},{\"op\":\"conv_transpose\",\"out\":4,\"kernel_d\":2,\"kernel\":3,\"kernel_w\":4,"
                   "\"stride_d\":2,\"stride\":1,\"stride_w\":3},{\"op\":\"pool\",\"kind\":\"max\",\"kernel\":2},"
                   "{\"op\":\"upsample\"},{\"op\":\"conv\",\"out\":1,\"bias\":false},{\"op\":\"to_tokens\"},"
                   "{\"op\":\"view\",\"shape\":[1152]}]");
    const nnc_result r = estimate_of(&model, fp32());
    ck_assert_int_eq(r.params, 488 + 772 + 4);
    ck_assert_double_eq(r.forward_flops, 2.0 * (1200 * 2 * 30 + 1200 * 4 * 24 + 1152 * 4));
}
END_TEST

/* Recurrent layers of width 16 read 7 tokens of width 24. The parameters are those of PyTorch 1.13: torch.nn.LSTM(24,
 * 16, bidirectional=.., bias=..), GRU and RNN. Forward has two FLOPs per weight and token. Backward computes the
 * gradients of state and weights of the products with the state, but only the weight gradient of the products with the
 * input. */
START_TEST(recurrent_layers_are_counted_as_pytorch_does) {
    static const struct {
        const char *kind;
        /* params: without and with biases; each for one direction and for both directions */
        int64_t gates, params[2][2];
        /* values that forward keeps per token and direction, in addition to output and prediction */
        int64_t kept;
    } layers[] = {
        { "lstm", 4, { { 2560, 5120 }, { 2688, 5376 } }, 64 + 16 },
        { "gru", 3, { { 1920, 3840 }, { 2016, 4032 } }, 48 + 32 },
        { "rnn", 1, { { 640, 1280 }, { 672, 1344 } }, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(layers); i++) {
        for (int both = 0; both < 2; both++) {
            for (int bias = 0; bias < 2; bias++) {
                char body[512];
                snprintf(body, sizeof body,
                         "\"input\":{\"shape\":[7,24]},\"ops\":[{\"op\":\"recurrent\",\"kind\":\"%s\",\"hidden\":16,"
                         "\"bidirectional\":%d,\"bias\":%d},{\"op\":\"loss\",\"kind\":\"squared_error\"}]",
                         layers[i].kind, both, bias);
                const nnc_model model = read_graph(body);
                const nnc_result r = estimate_of(&model, fp32());
                const int64_t outputs = 7 * layers[i].gates * 16 * (1 + both);
                ck_assert_int_eq(r.params, layers[i].params[bias][both]);
                ck_assert_double_eq(r.forward_flops, 2.0 * (double)(outputs * (24 + 16)));
                ck_assert_double_eq(r.backward_flops, 2.0 * (double)(outputs * (24 + 2 * 16)));
                /* Forward keeps the states and the gates, and the loss keeps the prediction. */
                ck_assert_int_eq(r.memory.activation_bytes, 4 * 7 * (1 + both) * (16 + layers[i].kept + 16));
            }
        }
    }
}
END_TEST

/* The convolution before the norm writes 4 channels of 8 x 8 values. A norm whose groups are single channels keeps
 * 16-bit values: 2 B per value and 8 B of statistics per channel. A norm of pairs of channels keeps an fp32 copy. A
 * norm whose moments are separate ops also keeps an fp32 copy. */
START_TEST(norms_of_single_channels_stay_in_16_bits) {
    static const struct {
        int groups;
        bool written_out;
        double bytes; /* of a value */
    } cases[] = { { 4, false, 2 }, { 2, false, 4 }, { 4, true, 4 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "\"input\":{\"shape\":[1,8,8]},\"ops\":[{\"op\":\"conv\",\"out\":4},"
                 "{\"op\":\"norm\",\"kind\":\"group\",\"groups\":%d},"
                 "{\"op\":\"global_pool\"},{\"op\":\"linear\",\"out\":1},"
                 "{\"op\":\"loss\",\"kind\":\"cross_entropy\"}]",
                 cases[i].groups);
        const nnc_model model = read_graph(body);
        const nnc_device device = plain_device();
        nnc_software software = nnc_software_default();
        nnc_plan plan = nnc_plan_default();
        plan.precision = NNC_FP16;
        software.group_norm_keep = NNC_KEEP_UPCAST;
        software.written_out = cases[i].written_out;
        const nnc_result r = estimate_with(&model, &device, &software, &plan);
        ck_assert_double_eq((double)r.memory.activation_bytes,
                            cases[i].bytes * 256 + 8.0 * cases[i].groups + 2 * (4 + 1));
    }
}
END_TEST

/* 16 positions of width 8 are divided into windows of 2 x 2. Before and after attention, 192 values are copied, so they
 * are read and written. In backward, the gradients of the copied values are copied in the same way. */
START_TEST(windows_are_copied) {
    const nnc_model model = read_graph("\"input\":{\"shape\":[8,4,4]},\"ops\":[{\"op\":\"linear\",\"out\":24},"
                                       "{\"op\":\"attention\",\"heads\":2,\"window\":2},{\"op\":\"global_pool\"},"
                                       "{\"op\":\"loss\",\"kind\":\"cross_entropy\"}]");
    const nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    const nnc_plan plan = fp32();
    const nnc_result in_place = estimate_with(&model, &device, &software, &plan);
    software.copied_heads = NNC_HEADS_UNFUSED; /* heads are not copied: the kernel is fused */
    const nnc_result copied = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(copied.read_bytes - in_place.read_bytes, 2 * 2 * 192 * 4);
    ck_assert_double_eq(copied.write_bytes - in_place.write_bytes, 2 * 2 * 192 * 4);
}
END_TEST

START_TEST(tied_steps_have_no_parameters) {
    /* 5 tokens look up a table of 10 x 4 weights. The logits use the same table: 2 FLOPs x 5 tokens x 4 x 10 weights. A
     * layer of 4 x 4 weights runs three times. The repeated layer has 16 weights and 3 runs x 2 FLOPs x 5 tokens x 16
     * weights. */
    const nnc_model model =
        read_graph("\"input\":{\"tokens\":5},\"ops\":[{\"op\":\"embed\",\"rows\":10,\"width\":4},"
                   "{\"op\":\"linear\",\"out\":4,\"bias\":false},"
                   "{\"tied\":1,\"ops\":[{\"repeat\":2,\"ops\":[{\"op\":\"linear\",\"out\":4,\"bias\":true}]},"
                   "{\"op\":\"linear\",\"out\":10,\"bias\":false}]},"
                   "{\"op\":\"loss\",\"kind\":\"cross_entropy\"}]");
    const nnc_result r = estimate_of(&model, fp32());
    ck_assert_int_eq(r.params, 40 + 16);
    ck_assert_double_eq(r.forward_flops, 2.0 * 5 * (40 + 3 * 16));
    ck_assert_double_eq(r.backward_flops, 2 * r.forward_flops);
    ck_assert_int_eq(r.memory.optimizer_bytes, 8 * 56); /* two moments per parameter */
    /* If the expression of "tied" is 0, weights are not tied. */
    const nnc_model own =
        read_graph("\"let\":{\"tie\":0},\"input\":{\"tokens\":5},\"ops\":[{\"op\":\"embed\",\"rows\":10,"
                   "\"width\":4},{\"tied\":\"tie\",\"ops\":[{\"op\":\"linear\",\"out\":10}]},"
                   "{\"op\":\"loss\",\"kind\":\"cross_entropy\"}]");
    ck_assert_int_eq(estimate_of(&own, fp32()).params, 40 + 40 + 10);
}
END_TEST

START_TEST(frozen_steps_are_not_trained) {
    /* 5 tokens of width 4 pass three layers of 16 weights. Only the second layer is trained. The first layer runs only
     * forward. The third layer computes only the gradient of its input. Each product has 2 * 5 * 16 FLOPs. */
    const nnc_model model = read_graph("\"input\":{\"shape\":[5,4]},\"ops\":["
                                       "{\"frozen\":1,\"ops\":[{\"op\":\"linear\",\"out\":4,\"bias\":false}]},"
                                       "{\"op\":\"linear\",\"out\":4,\"bias\":false},"
                                       "{\"frozen\":1,\"ops\":[{\"op\":\"linear\",\"out\":4,\"bias\":false}]},"
                                       "{\"op\":\"loss\",\"kind\":\"squared_error\"}]");
    const nnc_result r = estimate_of(&model, fp32());
    ck_assert_int_eq(r.params, 48);
    ck_assert_int_eq(r.trained_params, 16);
    ck_assert_double_eq(r.forward_flops, 3 * 2.0 * 5 * 16);
    ck_assert_double_eq(r.backward_flops, 2 * 2.0 * 5 * 16);
    ck_assert_int_eq(r.memory.optimizer_bytes, 8 * 16);
    ck_assert_int_eq(r.memory.gradient_bytes, 4 * 16);
    /* If a plan trains only MLPs, frozen layers stay frozen. */
    nnc_plan plan = fp32();
    plan.train = NNC_TRAIN_MLP;
    ck_assert_int_eq(estimate_of(&model, plan).trained_params, 16);
}
END_TEST

START_TEST(weights_are_standardized_once_per_pass) {
    /* The convolution has 8 x 27 weights, 8 biases and 8 gains. The norm of the weights is fp32 and does not depend on
     * the batch. */
    const nnc_model model =
        read_graph("\"input\":{\"shape\":[3,10,10]},\"ops\":[{\"op\":\"conv\",\"out\":8,\"kernel\":3,"
                   "\"standardize\":true,\"gain\":true},{\"op\":\"global_pool\"},"
                   "{\"op\":\"loss\",\"kind\":\"squared_error\"}]");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    for (int32_t batch = 1; batch <= 16; batch *= 16) {
        plan.micro_batch = batch;
        const nnc_result r = estimate_of(&model, plan);
        int32_t count = 0, found = 0;
        const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
        ck_assert_int_eq(r.params, 216 + 8 + 8);
        ck_assert_double_eq(r.forward_flops, 2.0 * batch * 64 * 216);
        for (int32_t i = 0; i < count; i++) {
            if (strcmp(nnc_op_name(rows[i].op), "conv.standardize") != 0) { continue; }
            found++;
            if (nnc_op_phase(rows[i].op) == NNC_PHASE_FORWARD) {
                ck_assert_double_eq(rows[i].work.write_bytes, 4.0 * 216);
            }
        }
        ck_assert_int_eq(found, 2);
    }
}
END_TEST

START_TEST(constants_have_no_parameters) {
    /* Multiplication with a constant reads and writes its map and keeps no tensor. Only the linear layers and the loss
     * keep bytes. */
    nnc_result r[2];
    for (int i = 0; i < 2; i++) {
        const nnc_model model =
            read_graph(i == 0 ? "\"input\":{\"shape\":[5,4]},\"ops\":[{\"op\":\"linear\",\"out\":4},"
                                "{\"op\":\"linear\",\"out\":4},{\"op\":\"loss\",\"kind\":\"squared_error\"}]"
                              : "\"input\":{\"shape\":[5,4]},\"ops\":[{\"op\":\"linear\",\"out\":4},"
                                "{\"op\":\"scale\",\"kind\":\"constant\"},"
                                "{\"op\":\"linear\",\"out\":4},{\"op\":\"loss\",\"kind\":\"squared_error\"}]");
        r[i] = estimate_of(&model, fp32());
    }
    ck_assert_int_eq(r[1].params, r[0].params);
    ck_assert_int_eq(r[1].memory.activation_bytes, r[0].memory.activation_bytes);
    ck_assert_double_gt(r[1].step_s, r[0].step_s);
}
END_TEST

/* Maps are contiguous. A crop of a contiguous map also writes a contiguous map. A layer norm and a view of attended
 * tokens write channels last. Later convolutions keep channels last. A group norm and a sum with a contiguous map write
 * contiguous maps. */
START_TEST(maps_of_tokens_are_channels_last) {
    static const struct {
        const char *ops;
        bool contiguous;
    } cases[] = {
        { "{\"op\":\"act\",\"kind\":\"relu\"}", true },
        { "{\"op\":\"to_tokens\"},{\"op\":\"to_map\",\"height\":4}", true },
        { "{\"op\":\"norm\",\"kind\":\"layer\"},{\"op\":\"act\",\"kind\":\"relu\"}", false },
        { "{\"op\":\"norm\",\"kind\":\"layer\"},{\"op\":\"conv\",\"out\":8}", false },
        { "{\"op\":\"norm\",\"kind\":\"layer\"},{\"op\":\"norm\",\"kind\":\"group\",\"groups\":2}", true },
        { "{\"op\":\"act\",\"kind\":\"relu\",\"as\":\"x\"},{\"op\":\"norm\",\"kind\":\"layer\"},"
          "{\"op\":\"add\",\"with\":\"x\"}",
          true },
        { "{\"op\":\"to_tokens\"},{\"op\":\"linear\",\"out\":8},{\"op\":\"to_map\",\"height\":4}", false },
    };
    const nnc_device device = plain_device();
    const nnc_plan plan = fp32();
    nnc_software software = nnc_software_default();
    software.contiguous_maps = true;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "\"input\":{\"shape\":[8,4,4]},\"ops\":[%s,{\"op\":\"conv\",\"out\":7},"
                 "{\"op\":\"global_pool\"},{\"op\":\"loss\",\"kind\":\"squared_error\"}]",
                 cases[i].ops);
        const nnc_model model = read_graph(body);
        int32_t count = 0, found = 0;
        estimate_with(&model, &device, &software, &plan);
        const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
        for (int32_t k = 0; k < count; k++) {
            if (rows[k].op->kind != NNC_OP_CONV || rows[k].op->u.conv.c_out != 7) { continue; }
            ck_assert(rows[k].op->u.conv.contiguous == cases[i].contiguous);
            found++;
        }
        ck_assert_int_gt(found, 0);
    }
}
END_TEST

/* Half of 8 channels of 16 positions are copied. A copy reads and writes each value once in forward and once in
 * backward, 4 B per value. A program that fuses the kernels of maps copies no bytes. */
START_TEST(parts_of_channels_are_packed) {
    const nnc_model model = read_graph("\"input\":{\"shape\":[3,4,4]},\"ops\":[{\"op\":\"conv\",\"out\":8},"
                                       "{\"op\":\"slice\",\"size\":4},{\"op\":\"conv\",\"out\":4},"
                                       "{\"op\":\"global_pool\"},{\"op\":\"loss\",\"kind\":\"squared_error\"}]");
    const nnc_device device = plain_device();
    const nnc_plan plan = fp32();
    nnc_software software = nnc_software_default();
    for (int fused = 0; fused < 2; fused++) {
        double bytes = 0.0;
        int32_t count = 0;
        software.fused_maps = fused;
        estimate_with(&model, &device, &software, &plan);
        const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
        for (int32_t i = 0; i < count; i++) {
            const bool part = strcmp(nnc_op_name(rows[i].op), "part") == 0;
            bytes += part ? rows[i].work.read_bytes + rows[i].work.write_bytes : 0.0;
        }
        ck_assert_double_eq(bytes, fused ? 0.0 : 2 * 2 * 4.0 * 4 * 16);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("graph");
    TCase *tests = add_case(suite, "graph", open_support, close_support);
    tcase_add_test(tests, maps_of_tokens_are_channels_last);
    tcase_add_test(tests, parts_of_channels_are_packed);
    tcase_add_test(tests, a_convolution_by_hand);
    tcase_add_test(tests, outputs_without_a_bias);
    tcase_add_test(tests, marked_layers_divide);
    tcase_add_test(tests, successive_tables_share_an_all_to_all);
    tcase_add_test(tests, unmarked_layers_do_not_divide);
    tcase_add_test(tests, gates_of_two_kernels);
    tcase_add_test(tests, a_single_weight_is_cast);
    tcase_add_test(tests, several_tensors_are_joined_at_once);
    tcase_add_test(tests, windows_of_pools);
    tcase_add_test(tests, fixed_shapes_and_names);
    tcase_add_test(tests, losses_of_two_kinds);
    tcase_add_test(tests, a_repeat_is_its_turns);
    tcase_add_test(tests, arguments_and_lets);
    tcase_add_test(tests, a_plan_sets_the_image);
    tcase_add_test(tests, faults_name_the_op_and_the_dimension);
    tcase_add_loop_test(tests, networks_are_counted_as_their_code_runs, 0, (int)COUNT_OF(counted));
    tcase_add_test(tests, attention_by_hand);
    tcase_add_test(tests, adapters_find_the_matrices_of_a_graph);
    tcase_add_test(tests, kernels_need_not_be_square);
    tcase_add_test(tests, maps_change_their_sides);
    tcase_add_test(tests, tables_are_shared_and_updated_in_place);
    tcase_add_test(tests, all_ranks_share_the_tables);
    tcase_add_test(tests, volumes_have_a_depth);
    tcase_add_test(tests, recurrent_layers_are_counted_as_pytorch_does);
    tcase_add_test(tests, windows_are_copied);
    tcase_add_test(tests, norms_of_single_channels_stay_in_16_bits);
    tcase_add_test(tests, tied_steps_have_no_parameters);
    tcase_add_test(tests, frozen_steps_are_not_trained);
    tcase_add_test(tests, weights_are_standardized_once_per_pass);
    tcase_add_test(tests, constants_have_no_parameters);
    return run_suite(suite);
}
