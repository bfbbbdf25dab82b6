/* Tests captured programs: FLOPs, bytes and parameters of single operators, worked by hand; folded layers; messages
 * with the place of each fault. */
#include "op/op_internal.h"
#include "support.h"

static nnc_error error;

/* Reads a captured program with the given operators, storages and blocks, and with the modules "" and "fc". */
static nnc_status parse(const char *ops, const char *storages, const char *blocks, int params, nnc_model *model) {
    char text[8192];
    snprintf(text, sizeof text,
             "{\"schema\":\"nncost.capture/1\",\"source\":{},\"batch\":2,\"parameters\":{\"count\":"
             "%d,\"trained\":%d},\"modules\":[\"\",\"fc\"],\"ops\":[%s],\"storages\":[%s],"
             "\"blocks\":[%s]}",
             params, params, ops, storages, blocks);
    error = (nnc_error){ 0 };
    const nnc_model *read = NULL;
    const nnc_status status = nnc_model_parse(specs, "step.json", text, strlen(text), &read, &error);
    if (status == NNC_OK) { *model = *read; }
    return status;
}

static nnc_result estimate_of(const char *ops, const char *storages, const char *blocks, int params) {
    nnc_model model;
    nnc_software software = nnc_software_default();
    const nnc_device device = plain_device();
    const nnc_plan plan = nnc_plan_default();
    snprintf(software.id, sizeof software.id, "plain"); /* fuses nothing */
    ck_assert_msg(parse(ops, storages, blocks, params, &model) == NNC_OK, "%s: %s", error.where, error.what);
    return estimate_with(&model, &device, &software, &plan);
}

#define F "\"float32\""
#define OP(name, phase, in, out, args, repeat)                                                                       \
    "{\"name\":\"aten." name ".default\",\"phase\":\"" phase "\",\"module\":1,\"inputs\":[" in "],\"outputs\":[" out \
    "],\"args\":[" args "],\"repeat\":" repeat "}"

/* Forward computes y[2,5] = x[2,3] w[3,5] + b[5]. Backward computes the gradient of w. */
#define LINEAR(repeat)                                                                                     \
    OP("addmm", "forward", "[" F ",[5],1],[" F ",[2,3],2],[" F ",[3,5],0]", "[" F ",[2,5],3]", "", repeat) \
    "," OP("mm", "backward", "[" F ",[3,2],2],[" F ",[2,5],3]", "[" F ",[3,5],4]", "", repeat)
#define PARAMETERS "[60,\"parameter\"," F ",-1,9],[20,\"parameter\"," F ",-1,9],"

START_TEST(a_linear_layer_by_hand) {
    const nnc_result r =
        estimate_of(LINEAR("1"),
                    PARAMETERS "[24,\"input\"," F ",-1,9],[40,\"kept\"," F ",0,1],[60,\"gradient\"," F ",1,2]", "", 20);
    ck_assert_int_eq(r.params, 20);
    ck_assert_double_eq(r.forward_flops, 2.0 * 2 * 3 * 5);
    ck_assert_double_eq(r.backward_flops, 2.0 * 2 * 3 * 5);
    ck_assert_int_eq(r.memory.activation_bytes, 24 + 40);
    ck_assert_int_eq(r.plan.micro_batch, 2);
    ck_assert_int_eq(r.plan.precision, NNC_FP32);
}
END_TEST

/* The captured program lists three equal layers once. The estimate has three times the FLOPs, the parameters and the
 * kept tensors of the listed layer. */
START_TEST(equal_layers_are_folded) {
    const nnc_result r = estimate_of(LINEAR("3"),
                                     PARAMETERS "[24,\"input\"," F ",-1,9],[40,\"kept\"," F ",0,1],[60,\"gradient\"," F
                                                ",1,2],[40,\"kept\"," F ",2,3],[40,\"kept\"," F ",4,5]",
                                     "[0,2,3]", 60);
    ck_assert_int_eq(r.params, 60);
    ck_assert_double_eq(r.forward_flops, 3 * 60.0);
    ck_assert_int_eq(r.memory.activation_bytes, 24 + 3 * 40);
    /* One row of the file can stand for equal tensors: here for 2 kept tensors, and the second is two positions after
     * the first. */
    const nnc_result short_r = estimate_of(LINEAR("3"),
                                           PARAMETERS "[24,\"input\"," F ",-1,9],[40,\"kept\"," F
                                                      ",0,1],[60,\"gradient\"," F ",1,2],[40,\"kept\"," F ",2,3,2,2,2]",
                                           "[0,2,3]", 60);
    ck_assert_int_eq(short_r.memory.activation_bytes, r.memory.activation_bytes);
    ck_assert_int_eq(short_r.memory.total_bytes, r.memory.total_bytes);
}
END_TEST

/* 4 tokens look up rows in a table of 6 words. The head has 6 words: x[4,3] w[3,6]. Backward computes the gradient of
 * w. After padding to a multiple of 4, the table has 8 rows of 3 values and the head has 8 columns. The padding
 * increases work, weights and logits by a third. */
START_TEST(a_vocabulary_is_padded) {
    nnc_model model;
    nnc_software software = nnc_software_default();
    const nnc_device device = plain_device();
    const nnc_plan plan = nnc_plan_default();
    const char *ops =
        OP("embedding", "forward", "[" F ",[6,3],0],[\"int64\",[4],2]", "[" F ",[4,3],3]", "",
           "1") "," OP("mm", "forward", "[" F ",[4,3],3],[" F ",[3,6],1]", "[" F ",[4,6],4]", "",
                       "1") "," OP("mm", "backward", "[" F ",[6,4],4],[" F ",[4,3],3]", "[" F ",[6,3],5]", "", "1");
    const char *storages =
        "[72,\"parameter\"," F ",-1,9],[72,\"parameter\"," F ",-1,9],[32,\"input\",\"int64\",-1,9],[48,"
        "\"kept\"," F ",0,2],[96,\"kept\"," F ",1,2],[72,\"gradient\"," F ",2,3]";
    snprintf(software.id, sizeof software.id, "plain");
    ck_assert_msg(parse(ops, storages, "", 36, &model) == NNC_OK, "%s: %s", error.where, error.what);
    const nnc_result was = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(was.forward_flops, 2.0 * 4 * 3 * 6);
    ck_assert_int_eq(nnc_model_set(&model, "vocab_multiple", "4", &error), NNC_OK);
    const nnc_result r = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(r.forward_flops, 2.0 * 4 * 3 * 8);
    ck_assert_double_eq(r.backward_flops, 2.0 * 4 * 3 * 8);
    ck_assert_int_eq(r.params, 2 * 8 * 3);
    ck_assert_int_eq(was.params, 2 * 6 * 3);
}
END_TEST

/* The head multiplies with the word table. The table is counted once, and 6ND counts the table, as for a model file
 * with a tied head. After padding, table and head have 8 words. */
START_TEST(a_tied_table_is_multiplied) {
    nnc_model model;
    nnc_software software = nnc_software_default();
    const nnc_device device = plain_device();
    const nnc_plan plan = nnc_plan_default();
    const char *ops =
        OP("embedding", "forward", "[" F ",[6,3],0],[\"int64\",[4],1]", "[" F ",[4,3],2]", "",
           "1") "," OP("mm", "forward", "[" F ",[4,3],2],[" F ",[3,6],0]", "[" F ",[4,6],3]", "",
                       "1") "," OP("mm", "backward", "[" F ",[6,4],3],[" F ",[4,3],2]", "[" F ",[6,3],4]", "", "1");
    const char *storages = "[72,\"parameter\"," F ",-1,9],[32,\"input\",\"int64\",-1,9],[48,\"kept\"," F
                           ",0,2],[96,\"kept\"," F ",1,2],[72,\"gradient\"," F ",2,3]";
    snprintf(software.id, sizeof software.id, "plain");
    ck_assert_msg(parse(ops, storages, "", 18, &model) == NNC_OK, "%s: %s", error.where, error.what);
    const nnc_result was = estimate_with(&model, &device, &software, &plan);
    ck_assert_int_eq(was.params, 6 * 3);
    ck_assert_int_eq(was.matmul_params, 6 * 3);
    ck_assert_double_eq(was.six_nd_flops, 6.0 * 6 * 3 * 4);
    ck_assert_int_eq(nnc_model_set(&model, "vocab_multiple", "4", &error), NNC_OK);
    const nnc_result r = estimate_with(&model, &device, &software, &plan);
    ck_assert_int_eq(r.matmul_params, 8 * 3);
}
END_TEST

/* A step of 2 samples looks up [n,4] tokens twice, and then runs a product. With n = 1, the step has two micro-batches
 * of one sample, so 2 x 4 tokens. With n = 2, the step reads both samples twice, as an encoder and a decoder do, so the
 * step has 8 tokens. */
static int64_t tokens_of(const char *n) {
    char ops[2048], lookup[2][512];
    for (int i = 0; i < 2; i++) {
        snprintf(lookup[i], sizeof lookup[i],
                 OP("embedding", "forward", "[" F ",[6,3],0],[\"int64\",[%s,4],2]", "[" F ",[%s,4,3],3]", "", "1"), n,
                 n);
    }
    snprintf(ops, sizeof ops, "%s,%s,%s,%s", lookup[0],
             OP("mm", "backward", "[" F ",[6,4],4],[" F ",[4,3],3]", "[" F ",[6,3],5]", "", "1"), lookup[1],
             OP("mm", "backward", "[" F ",[6,4],4],[" F ",[4,3],3]", "[" F ",[6,3],5]", "", "1"));
    const nnc_result r =
        estimate_of(ops,
                    "[72,\"parameter\"," F ",-1,9],[0,\"temporary\"," F ",-1,9],[64,\"input\","
                    "\"int64\",-1,9],[96,\"kept\"," F ",0,3],[96,\"kept\"," F ",0,3],[72,\"gradient\"," F ",1,4]",
                    "", 18);
    ck_assert_int_eq(r.plan.seq_len, 4);
    return r.tokens;
}

START_TEST(micro_batches_add_up_their_tokens) {
    ck_assert_int_eq(tokens_of("1"), 8);
    ck_assert_int_eq(tokens_of("2"), 8);
}
END_TEST

static bool is_recorded(const nnc_op_cost *row) { return nnc_op_phase(row->op) != NNC_PHASE_UPDATE; }

static double flops_of(const nnc_op_cost *row) { return row->work.flops; }

static double bytes_of(const nnc_op_cost *row) { return row->work.read_bytes + row->work.write_bytes; }

/* A kernel reads and writes the bytes of its tensors. For a broadcast tensor, the kernel reads only the bytes of its
 * storage. Temporary tensors count if they exist during backward. */
START_TEST(bytes_by_hand) {
    const nnc_result r = estimate_of(
        LINEAR("1") "," OP("add", "backward", "[" F ",[2,5],3],[" F ",[2,5],1]", "[" F ",[2,5],5]", "", "1"),
        PARAMETERS "[24,\"input\"," F ",-1,9],[40,\"kept\"," F ",0,1],[60,\"gradient\"," F
                   ",1,2],[1000,\"temporary\"," F ",2,2],[500,\"temporary\"," F ",0,0]",
        "", 20);
    const double linear = 4.0 * (5 + 6 + 15 + 10) + 4.0 * (6 + 10 + 15);
    ck_assert_int_eq(r.memory.transient_bytes, 1000);
    ck_assert_double_eq(sum_rows(is_recorded, bytes_of), linear + 40 + 20 + 40);
}
END_TEST

/* The operator adds up 3 rows of a table for each of 2 outputs. 6 indices read 6 of the 10 rows, which have 2 values
 * each. */
START_TEST(a_bag_by_hand) {
    const nnc_result r =
        estimate_of(OP("_embedding_bag", "forward", "[" F ",[10,2],0],[\"int64\",[6],1]", "[" F ",[2,2],2]", "",
                       "1") "," OP("sum", "backward", "[" F ",[2,2],2]", "[" F ",[2,2],3]", "", "1"),
                    "[80,\"parameter\"," F ",-1,9],[48,\"input\",\"int64\",-1,9],[16,\"kept\"," F
                    ",0,1],[16,\"temporary\"," F ",1,1]",
                    "", 20);
    ck_assert_double_eq(r.forward_flops, 0.0);
    ck_assert_double_eq(sum_rows(is_recorded, bytes_of), 6 * 8 + 48 + 16 + 16 + 16);
}
END_TEST

/* The peak is the largest memory at one moment. At the end of forward, 24 bytes of input, 40 kept bytes and 4096
 * temporary bytes are in use. In backward, 24 bytes of input, 40 kept bytes, 60 bytes of gradient and 3000 temporary
 * bytes are in use. The classes of memory add up to 80 bytes of gradients, 24 + 40 bytes of activations and 3000 bytes
 * of transient memory. */
START_TEST(the_peak_is_a_moment) {
    const nnc_result r = estimate_of(LINEAR("1"),
                                     PARAMETERS "[24,\"input\"," F ",-1,9],[40,\"kept\"," F ",0,1],[60,\"gradient\"," F
                                                ",1,2],[4096,\"temporary\"," F ",0,0],[3000,\"temporary\"," F ",1,1]",
                                     "", 20);
    ck_assert_int_eq(r.memory.transient_bytes, 3000);
    ck_assert_int_eq(r.memory.apart_bytes, 24 + 40 + 4096 - (80 + 24 + 40 + 3000));
}
END_TEST

/* Under autocast, addmm casts its bias, its input and its weight (3 kernels). relu runs in 16 bits. exp casts 16 bits
 * to fp32 (1 kernel). mm casts the gradient of y and the gradient of the weight (2 kernels), but not the input, which
 * forward has cast. The 6 casts and the 4 operators are 10 kernels. The update runs 8 operations on one list of
 * tensors. y is kept in 16 bits. */
START_TEST(autocast_by_hand) {
    const char *ops =
        OP("addmm", "forward", "[" F ",[5],1],[" F ",[2,3],2],[" F ",[3,5],0]", "[" F ",[2,5],3]", "", "1") "," OP(
            "relu", "forward", "[" F ",[2,5],3]", "[" F ",[2,5],5]", "",
            "1") "," OP("exp", "forward", "[" F ",[2,5],5]", "[" F ",[2,5],6]", "",
                        "1") "," OP("mm", "backward", "[" F ",[3,2],2],[" F ",[2,5],6]", "[" F ",[3,5],4]", "", "1");
    const char *storages = PARAMETERS "[24,\"input\"," F ",-1,9],[40,\"kept\"," F ",0,3],[60,\"gradient\"," F
                                      ",3,9],[40,\"temporary\"," F ",1,2],[40,\"temporary\"," F ",2,3]";
    nnc_model model;
    nnc_software software = nnc_software_default();
    nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    ck_assert_msg(parse(ops, storages, "", 20, &model) == NNC_OK, "%s: %s", error.where, error.what);
    software.lists_operators = true;
    device.host.kernel_s = 1e-6;
    plan.policy = NNC_POLICY_AMP;
    const nnc_result r = estimate_with(&model, &device, &software, &plan);
    ck_assert_int_eq(r.plan.precision, NNC_BF16);
    ck_assert_double_eq(r.kernels, 10 + 8);
    ck_assert_int_eq(r.memory.activation_bytes, 24 + 20);
    plan.policy = NNC_POLICY_DEFAULT;
    const nnc_result plain = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq(plain.kernels, 4 + 8);
    ck_assert_int_eq(plain.memory.activation_bytes, 24 + 40);
}
END_TEST

/* Two steps of a linear layer were recorded, with 2 and with 4 samples. 3 samples have 3 rows, so 1.5 times the
 * products of 2 samples. 5 samples are not between 2 and 4. */
START_TEST(two_steps_give_all_between) {
    static const char head[] = "\"source\":{},\"parameters\":{\"count\":20,\"trained\":20},"
                               "\"modules\":[\"\",\"fc\"],\"blocks\":[],";
    const char *two =
        OP("addmm", "forward", "[" F ",[5],1],[" F ",[2,3],2],[" F ",[3,5],0]", "[" F ",[2,5],3]", "", "1");
    const char *four =
        OP("addmm", "forward", "[" F ",[5],1],[" F ",[4,3],2],[" F ",[3,5],0]", "[" F ",[4,5],3]", "", "1");
    char text[4096];
    snprintf(text, sizeof text,
             "{\"schema\":\"nncost.capture/1\",\"batch\":2,%s\"ops\":[%s],\"storages\":[" PARAMETERS "[24,\"input\"," F
             ",-1,9],[40,\"kept\"," F ",0,0]],\"second\":{\"batch\":4,%s\"ops\":[%s],\"storages\":[" PARAMETERS
             "[48,\"input\"," F ",-1,9],[80,\"kept\"," F ",0,0]]}}",
             head, two, head, four);
    const nnc_model *read = NULL;
    const nnc_software software = nnc_software_default();
    const nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    error = (nnc_error){ 0 };
    ck_assert_msg(nnc_model_parse(specs, "step.json", text, strlen(text), &read, &error) == NNC_OK, "%s: %s",
                  error.where, error.what);
    plan.micro_batch = 3;
    const nnc_result r = estimate_with(read, &device, &software, &plan);
    ck_assert_double_eq(r.forward_flops, 2.0 * 3 * 3 * 5);
    ck_assert_int_eq(r.memory.activation_bytes, 36 + 60);
    nnc_result none;
    plan.micro_batch = 5;
    ck_assert_int_eq(nnc_estimate(read, &device, &software, &plan, scratch, &none, &error), NNC_ILLEGAL_PLAN);
    ck_assert_ptr_nonnull(strstr(error.what, "between"));
}
END_TEST

/* The convolution has 4 input and 4 output channels in 2 groups, a 3 x 3 kernel and stride 2. The convolution makes
 * maps of 4 x 4 from maps of 8 x 8. 72 weights are multiplied at 2 x 16 positions. The gradient of the input and the
 * gradient of the weights each have as many products as forward. A transposed convolution multiplies at every position
 * of its input. */
START_TEST(a_convolution_by_hand) {
    const char *ops = OP("convolution", "forward", "[" F ",[2,4,8,8],1],[" F ",[4,2,3,3],0]", "[" F ",[2,4,4,4],2]",
                         "null,[2,2],[1,1],[1,1],false,[0,0],2",
                         "1") "," OP("convolution_backward", "backward",
                                     "[" F ",[2,4,4,4],2],[" F ",[2,4,8,8],1],[" F ",[4,2,3,3],0]",
                                     "[" F ",[2,4,8,8],2],[" F ",[4,2,3,3],3]",
                                     "[0],[2,2],[1,1],[1,1],false,[0,0],2,[true,true,false]", "1");
    const char *storages = "[288,\"parameter\"," F ",-1,9],[2048,\"input\"," F ",-1,9],[512,\"kept\"," F
                           ",0,1],[288,\"gradient\"," F ",1,2]";
    const nnc_result r = estimate_of(ops, storages, "", 72);
    ck_assert_double_eq(r.forward_flops, 2.0 * 72 * 2 * 16);
    ck_assert_double_eq(r.backward_flops, 2 * 2.0 * 72 * 2 * 16);
    const char *turned = OP("convolution", "forward", "[" F ",[2,4,4,4],1],[" F ",[4,2,2,2],0]", "[" F ",[2,4,8,8],2]",
                            "null,[2,2],[0,0],[1,1],true,[0,0],2", "1");
    const nnc_result t = estimate_of(turned, storages, "", 72);
    ck_assert_double_eq(t.forward_flops, 2.0 * 2 * 16 * 4 * 2 * 4);
}
END_TEST

static double kernels_of(const char *ops, const char *storages, const char *blocks, int params) {
    nnc_model model;
    nnc_software software = nnc_software_default();
    nnc_device device = plain_device();
    const nnc_plan plan = nnc_plan_default();
    ck_assert_msg(parse(ops, storages, blocks, params, &model) == NNC_OK, "%s: %s", error.where, error.what);
    software.lists_operators = true;
    software.contiguous_maps = true;
    device.host.kernel_s = 1e-6;
    return estimate_with(&model, &device, &software, &plan).kernels;
}

static double issued_bytes(const nnc_op_cost *row) { return nnc_op_issued(row->op).bytes; }

/* cuDNN does not add the bias, so another kernel adds it. For depthwise convolutions of contiguous maps, PyTorch's own
 * kernel adds the bias. The update by AdamW has 8 kernels. */
START_TEST(biases_of_convolutions) {
    static const char in[] = "[64,\"parameter\"," F ",-1,9],[16,\"parameter\"," F ",-1,9],[2048,\"input\"," F
                             ",-1,9],[2048,\"kept\"," F ",0,1]";
#define CONV(bias, weight, groups)                                                                       \
    OP("convolution", "forward", "[" F ",[2,4,8,8],2],[" F "," weight ",0]" bias, "[" F ",[2,4,8,8],3]", \
       "[1,1],[0,0],[1,1],false,[0,0]," groups, "1")
    ck_assert_double_eq(kernels_of(CONV("", "[4,4,1,1]", "1"), in, "", 20), 1 + 8);
    ck_assert_double_eq(kernels_of(CONV(",[" F ",[4],1]", "[4,4,1,1]", "1"), in, "", 20), 2 + 8);
    /* The kernel that adds the bias reads and writes 2 x 4 maps of 8 x 8 values. */
    ck_assert_double_eq(sum_rows(is_recorded, issued_bytes), 2 * 4.0 * (2 * 4 * 64));
    static const char deep[] = "[16,\"parameter\"," F ",-1,9],[16,\"parameter\"," F ",-1,9],[2048,\"input\"," F
                               ",-1,9],[2048,\"kept\"," F ",0,1]";
    ck_assert_double_eq(kernels_of(CONV(",[" F ",[4],1]", "[4,1,1,1]", "4"), deep, "", 8), 1 + 8);
}
END_TEST

/* One call of a recurrent layer has an operator for 3 time steps and an operator for 2 time steps. The time steps of
 * the two operators together are one launch. */
START_TEST(time_steps_of_one_call) {
#define STEP(steps) OP("mm", "forward", "[" F ",[2,3],2],[" F ",[3,5],0]", "[" F ",[2,5],3]", "", "1,\"steps\":" steps)
    static const char in[] =
        "[60,\"parameter\"," F ",-1,9],[20,\"buffer\"," F ",-1,9],[24,\"input\"," F ",-1,9],[40,\"kept\"," F ",0,1]";
    ck_assert_double_eq(kernels_of(STEP("3") "," STEP("2"), in, "", 15), 1 + 8);
    ck_assert_double_eq(estimate_of(STEP("3") "," STEP("2"), in, "", 15).forward_flops, 5 * 60.0);
}
END_TEST

/* The step has two optimizers. AdamW updates a list of 65 tensors, with two launches per operation. In this step, SGD
 * updates its tensor three times. AdamW has eight operations, and SGD has one operation. Only the 10 parameters of
 * AdamW have two states. */
START_TEST(lists_of_optimizers) {
    static const char groups[] =
        "],\"optimizer\":{\"kernels\":\"%s\",\"groups\":[[\"adamw\",65,10,1],[\"sgd\",1,10,3]]},\"note\":[";
    static const char storages[] =
        PARAMETERS "[24,\"input\"," F ",-1,9],[40,\"kept\"," F ",0,1],[60,\"gradient\"," F ",1,2]";
    const char *ops = LINEAR("1") "," OP("mul_", "optimizer", "", "", "", "1");
    char blocks[256], wrong[256];
    snprintf(blocks, sizeof blocks, groups, "foreach");
    ck_assert_double_eq(kernels_of(ops, storages, blocks, 20), 2 + 8 * 2 + 3);
    ck_assert_int_eq(estimate_of(ops, storages, blocks, 20).memory.optimizer_bytes, 10 * 2 * 4);
    snprintf(blocks, sizeof blocks, groups, "loop");
    ck_assert_double_eq(kernels_of(ops, storages, blocks, 20), 2 + 8 * 65 + 3);
    snprintf(blocks, sizeof blocks, groups, "fused");
    ck_assert_double_eq(kernels_of(ops, storages, blocks, 20), 2 + 2 + 3);
    nnc_model model;
    snprintf(wrong, sizeof wrong, "],\"optimizer\":{\"kernels\":\"loop\",\"groups\":[[\"adamx\",1,20,1]]},\"note\":[");
    ck_assert_int_eq(parse(ops, storages, wrong, 20, &model), NNC_BAD_SPEC);
    ck_assert_msg(strstr(error.what, "[kind, tensors, elements, calls]") != NULL, "%s", error.what);
}
END_TEST

static bool is_update(const nnc_op_cost *row) { return nnc_op_phase(row->op) == NNC_PHASE_UPDATE; }

/* With lists of tensors, SGD with momentum reads and writes 32 bytes per parameter, SGD without momentum 12 bytes. */
START_TEST(lists_with_and_without_momentum) {
    static const char storages[] =
        PARAMETERS "[24,\"input\"," F ",-1,9],[40,\"kept\"," F ",0,1],[60,\"gradient\"," F ",1,2]";
    const char *ops = LINEAR("1") "," OP("mul_", "optimizer", "", "", "", "1");
    (void)kernels_of(ops, storages,
                     "],\"optimizer\":{\"kernels\":\"foreach\",\"groups\":[[\"momentum\",2,20,1]]},\"note\":[", 20);
    ck_assert_double_eq_tol(sum_rows(is_update, issued_bytes), 32.0 * 20, 1e-9);
    (void)kernels_of(
        ops, storages,
        "],\"optimizer\":{\"kernels\":\"foreach\",\"groups\":[[\"momentum\",1,15,1],[\"sgd\",1,5,1]]},\"note\":[", 20);
    ck_assert_double_eq_tol(sum_rows(is_update, issued_bytes), 32.0 * 15 + 12.0 * 5, 1e-9);
}
END_TEST

static bool is_attention(const nnc_op_cost *row) { return row->op->kind == NNC_OP_FLASH; }

static double kernel_of(const nnc_op_cost *row) { return (double)row->op->u.flash.kernel; }

/* Attention has 2 x 4 heads of width 16 and 8 tokens. The causal mask leaves 36 of 64 pairs of tokens. Forward takes 4
 * FLOPs per pair and value. Backward takes 10 FLOPs per pair and value, which include the scores that are computed
 * again. The usual convention of counting FLOPs counts all 64 pairs and no recomputed scores. The attention kernels of
 * forward and backward are those that the software profile names, as for a model of a library. */
START_TEST(fused_attention_by_hand) {
#define QKV "[" F ",[2,4,8,16],2],[" F ",[2,4,8,16],2],[" F ",[2,4,8,16],2]"
    const nnc_result r = estimate_of(
        LINEAR("1") "," OP("_scaled_dot_product_flash_attention", "forward", QKV, "[" F ",[2,4,8,16],3]",
                           "0.0,true,false", "1") "," OP("_scaled_dot_product_flash_attention_backward", "backward",
                                                         "[" F ",[2,4,8,16],3]," QKV, "[" F ",[2,4,8,16],3]",
                                                         "0.0,true", "1"),
        PARAMETERS "[4096,\"input\"," F ",-1,9],[4096,\"kept\"," F ",0,1],[60,\"gradient\"," F ",1,2]", "", 20);
    const double pairs = 2.0 * 4 * 36 * 16;
    ck_assert_double_eq(r.forward_flops + r.backward_flops, 120.0 + 12.0 * pairs / 36.0 * 64.0);
    ck_assert_double_eq(sum_rows(is_recorded, flops_of), 120.0 + 14.0 * pairs);
    ck_assert_double_eq(sum_rows(is_attention, kernel_of), 2.0 * (double)nnc_software_default().flash_kernel);
    ck_assert_int_ne(nnc_software_default().flash_kernel, 0);
}
END_TEST

/* Forward computes y = x w + b inside a checkpoint. Backward runs the product again, and then computes the gradient of
 * w. The model FLOPs are the products of forward and of the gradient, 60 FLOPs each. The device executes three
 * products. */
START_TEST(a_checkpoint_by_hand) {
    const nnc_result r = estimate_of(
        OP("addmm", "forward", "[" F ",[5],1],[" F ",[2,3],2],[" F ",[3,5],0]", "[" F ",[2,5],3]", "",
           "1") "," OP("addmm", "recompute", "[" F ",[5],1],[" F ",[2,3],2],[" F ",[3,5],0]", "[" F ",[2,5],5]", "",
                       "1") "," OP("mm", "backward", "[" F ",[3,2],2],[" F ",[2,5],5]", "[" F ",[3,5],4]", "", "1"),
        PARAMETERS "[24,\"input\"," F ",-1,9],[40,\"temporary\"," F ",0,0],[60,\"gradient\"," F
                   ",2,3],[40,\"temporary\"," F ",1,2]",
        "", 20);
    ck_assert_double_eq(r.forward_flops, 60.0);
    ck_assert_double_eq(r.backward_flops, 60.0);
    ck_assert_double_eq(r.recompute_flops, 60.0);
    ck_assert_double_eq(r.model_flops, 120.0);
    ck_assert_double_eq(r.hardware_flops, 180.0);
}
END_TEST

/* The recorded step has 2 sequences of 32 tokens in fp32. A plan may have the same settings as the recorded step.
 * Another sequence length or format needs another recording. TF32 runs the same operators as fp32. */
START_TEST(plans_run_as_recorded) {
    static const struct {
        const char *field, *value, *where, *what;
    } cases[] = { { "seq_len", "32", NULL, NULL },
                  { "precision", "tf32", NULL, NULL },
                  { "seq_len", "16", "--seq-len", "expected no length" },
                  { "precision", "fp16", "--precision",
                    "expected fp32 or tf32, or bf16 and fp16 with --policy amp (autocast), found fp16" },
                  { "image", "32", "--image", "expected no size" } };
    const nnc_model *model = load_model("tests/text/inputs/captured.json");
    const nnc_device device = plain_device();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_plan plan = nnc_plan_default(), resolved;
        nnc_error err = { 0 };
        ck_assert_int_eq(nnc_plan_set(&plan, cases[i].field, cases[i].value, &err), NNC_OK);
        const nnc_status status = nnc_plan_resolve(&plan, model, &device, &resolved, &err);
        ck_assert_msg(status == (cases[i].where == NULL ? NNC_OK : NNC_ILLEGAL_PLAN), "%s: %s", err.where, err.what);
        if (cases[i].where == NULL) { continue; }
        ck_assert_str_eq(err.where, cases[i].where);
        ck_assert_msg(strstr(err.what, cases[i].what) != NULL, "%s", err.what);
    }
}
END_TEST

static void refused(const char *ops, const char *blocks, int params, const char *where, const char *what) {
    nnc_model model;
    const char *storages = PARAMETERS "[24,\"input\"," F ",-1,9],[40,\"kept\"," F ",0,1],[60,\"gradient\"," F ",1,2]";
    ck_assert_int_ne(parse(ops, storages, blocks, params, &model), NNC_OK);
    ck_assert_msg(strstr(error.where, where) != NULL, "%s: %s", error.where, error.what);
    ck_assert_msg(strstr(error.what, what) != NULL, "%s: %s", error.where, error.what);
}

START_TEST(faults_have_their_place) {
    refused(LINEAR("3"), "[0,2,2]", 60, "blocks", "expected 6 positions, found 4");
    refused(LINEAR("1"), "", 19, "parameters.count", "expected 20, found 19");
    refused(OP("mm", "forward", "[" F ",[2,3],2],[" F ",[2,5],0]", "[" F ",[2,5],3]", "", "1"), "", 20, "ops[0].inputs",
            "m x k and k x n");
    refused(OP("mm", "forward", "[" F ",[2,3],9]", "", "", "1"), "", 20, "ops[0].inputs[0][2]",
            "expected a whole number from 0 to 4");
    refused(OP("_cudnn_rnn", "forward", "[" F ",[2,3],2]", "[" F ",[2,5],3]", "", "1"), "", 20, "ops[0].name",
            "FLOPs of this operator are not known");
    refused(OP("linalg_inv_ex", "forward", "[" F ",[129,129],2]", "[" F ",[129,129],3]", "", "1"), "", 20,
            "ops[0].name", "FLOPs of this operator are not known");
    refused(OP("mm", "forward", "[" F ",[2,3],2,4]", "", "", "1"), "", 20, "ops[0].inputs[0][3]",
            "expected a whole number from 1 to 3");
    refused(OP("mm", "optimizer", "", "", "", "1"), "", 20, "ops", "no training step");
    refused("{\"name\":\"aten.mm\",\"size\":1}", "", 20, "ops[0].size", "unknown key");
}
END_TEST

/* The step has three equal layers. With offload, the device keeps the activations of two layers and all activations
 * outside of layers. The recorded step clips gradients itself, so the plan adds no clipping. */
START_TEST(two_layers_stay_on_the_device) {
    const nnc_model *model = load_model("tests/text/inputs/captured.json");
    nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    double inside = 0.0, outside = 0.0;
    int32_t count = 0;
    snprintf(software.id, sizeof software.id, "plain");
    device.host = (nnc_host_link){ .bytes_per_s = 25e9, .mem_bytes_per_s = 50e9 };
    plan.clip_gradients = true;
    plan.offload = NNC_OFFLOAD_ACTIVATIONS;
    const nnc_result r = estimate_with(model, &device, &software, &plan);
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (nnc_op_phase(rows[i].op) != NNC_PHASE_FORWARD) { continue; }
        const double kept = (double)rows[i].repeat * nnc_op_kept_bytes(rows[i].op);
        *(rows[i].op->block < 0 ? &outside : &inside) += kept;
    }
    ck_assert_double_gt(inside, 0.0);
    ck_assert_double_eq((double)r.memory.activation_bytes, ceil(outside + 2.0 / 3.0 * inside));
    ck_assert(!r.plan.clip_gradients);
}
END_TEST

/* Three equal layers keep 4000 bytes each. The first layer also keeps its input of 24 bytes, so all layers keep 12024
 * bytes. The first gradient exists when all layers are kept, so the peak has 60 bytes of gradients. With activations in
 * host memory, the peak has two of the three layers and all 240 bytes of gradients. */
START_TEST(offload_keeps_two_layers_at_the_peak) {
    static const char storages[] =
        PARAMETERS "[24,\"input\"," F ",-1,9],[4000,\"kept\"," F ",0,5],[4000,\"kept\"," F ",1,4],[4000,\"kept\"," F
                   ",2,3],[60,\"gradient\"," F ",3,6],[60,\"gradient\"," F ",4,6],[60,\"gradient\"," F ",5,6]";
    nnc_model model;
    nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    snprintf(software.id, sizeof software.id, "plain");
    device.host = (nnc_host_link){ .bytes_per_s = 25e9, .mem_bytes_per_s = 50e9 };
    ck_assert_msg(parse(LINEAR("3"), storages, "[0,1,3],[1,1,3]", 60, &model) == NNC_OK, "%s: %s", error.where,
                  error.what);
    for (int offloads = 0; offloads < 2; offloads++) {
        plan.offload = offloads ? NNC_OFFLOAD_ACTIVATIONS : NNC_OFFLOAD_NONE;
        const nnc_memory m = estimate_with(&model, &device, &software, &plan).memory;
        ck_assert_int_eq(m.gradient_bytes + m.activation_bytes + m.transient_bytes + m.apart_bytes,
                         offloads ? 240 + 12024 * 2 / 3 : 60 + 12024);
    }
}
END_TEST

START_TEST(a_forward_pass_is_no_step) {
    nnc_model model = *load_model("tests/text/inputs/captured.json");
    const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
    struct nnc_captured pass = *model.captured;
    nnc_result result = { .step_s = 1.0, .verdict = NNC_FITS };
    const nnc_report report = { .model = &model, .device = device, .result = &result };
    char text[NNC_METRIC_TEXT_MAX];
    result.plan.devices = 1;
    ck_assert_ptr_eq(strstr(nnc_report_sentence(&report, text), "One step of "), text);
    pass.inference = true;
    model.captured = &pass;
    ck_assert_ptr_eq(strstr(nnc_report_sentence(&report, text), "One forward pass of "), text);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("capture");
    TCase *tests = add_case(suite, "capture", open_support, close_support);
    tcase_add_test(tests, a_linear_layer_by_hand);
    tcase_add_test(tests, equal_layers_are_folded);
    tcase_add_test(tests, a_vocabulary_is_padded);
    tcase_add_test(tests, a_tied_table_is_multiplied);
    tcase_add_test(tests, micro_batches_add_up_their_tokens);
    tcase_add_test(tests, bytes_by_hand);
    tcase_add_test(tests, a_bag_by_hand);
    tcase_add_test(tests, the_peak_is_a_moment);
    tcase_add_test(tests, two_steps_give_all_between);
    tcase_add_test(tests, autocast_by_hand);
    tcase_add_test(tests, a_convolution_by_hand);
    tcase_add_test(tests, biases_of_convolutions);
    tcase_add_test(tests, time_steps_of_one_call);
    tcase_add_test(tests, lists_of_optimizers);
    tcase_add_test(tests, lists_with_and_without_momentum);
    tcase_add_test(tests, fused_attention_by_hand);
    tcase_add_test(tests, a_checkpoint_by_hand);
    tcase_add_test(tests, two_layers_stay_on_the_device);
    tcase_add_test(tests, offload_keeps_two_layers_at_the_peak);
    tcase_add_test(tests, a_forward_pass_is_no_step);
    tcase_add_test(tests, plans_run_as_recorded);
    tcase_add_test(tests, faults_have_their_place);
    return run_suite(suite);
}
