/* Compares whole results with numbers worked by hand: energy, the order of advice, batch sizes that must agree, and
 * gathered weights. */
#include "cluster.h"
#include "cost/cost_internal.h"
#include "estimate/estimate_internal.h"
#include "pipeline/pipeline_internal.h"
#include "run/run_internal.h"
#include "run_cases.h"
#include "spec_text.h"

/* ---- runs ---- */

/* Eight devices of 400 W use 8 x 400 x 86,400 J in a day, times the PUE of the building. The rated carbon is the rated
 * energy in kWh (1 kWh = 3.6e6 J) at 500 g per kWh. If the power of a node is not given, a device draws its rated
 * power. The network adds 100 W to the energy, but not to the rated energy. */
START_TEST(rated_energy_has_the_building) {
    const nnc_device device = plain_device();
    const nnc_plan plan = devices_of(8);
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_error err = { 0 };
    nnc_run run;
    ask.days = 1.0;
    ask.pue = 1.25;
    ask.network_w = 100.0;
    ask.carbon_g_per_kwh = 500.0;
    ck_assert_msg(nnc_run_of(NULL, &device, &plan, &ask, &run, &err) == NNC_OK, "%s: %s", err.where, err.what);
    CLOSE(run.rated_energy_j, 8.0 * 400.0 * 86400.0 * 1.25, 1e-12);
    CLOSE(run.energy_j, (8.0 * 400.0 + 100.0) * 86400.0 * 1.25, 1e-12);
    CLOSE(run.rated_carbon_kg, 8.0 * 0.4 * 24.0 * 1.25 * 0.5, 1e-12);
    CLOSE(run.carbon_kg, 3.3 * 24.0 * 1.25 * 0.5, 1e-12);
}
END_TEST

/* The test compares Daly's interval between checkpoints with numbers worked by hand. With a save of 100 s and a failure
 * every 800 s, save / (2 x 800) is 1/16, so Daly's series gives an interval of 400 (1 + 1/12 + 1/144) - 100 s. With a
 * save of half a second and a failure every 100 s, save / (2 x 100) is 1/400, so Daly's series gives an interval of 10
 * (1 + 1/60 + 1/3600) - 1/2 s. */
START_TEST(interval_of_a_run) {
    static const struct {
        double save_s, mtbf_s, interval_s;
    } cases[] = { { 100.0, 800.0, 400.0 * 157.0 / 144.0 - 100.0 }, { 0.5, 100.0, 10.0 * 3661.0 / 3600.0 - 0.5 } };
    const nnc_plan plan = devices_of(1);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_run_ask ask = nnc_run_ask_default();
        ask.days = 1.0;
        ask.device_mtbf_s = cases[i].mtbf_s;
        ask.block_s = ask.save_s = cases[i].save_s;
        ask.load_s = ask.start_s = ask.detect_s = 0.0;
        CLOSE(run_of(&plan, &ask).interval_s, cases[i].interval_s, 1e-12);
    }
}
END_TEST

/* ---- plans ---- */

/* 2 samples x 3 passes x 4 replicas are 24 samples per step. If two of micro-batch, passes and global batch are given,
 * the third follows. */
START_TEST(batches_agree) {
    static const struct {
        int64_t micro, passes, global;
        nnc_status status;
        int64_t want_micro, want_passes, want_global;
    } cases[] = {
        { 2, 3, 24, NNC_OK, 2, 3, 24 },          { 2, 3, 25, NNC_BAD_USAGE, 0, 0, 0 },
        { 2, 3, 23, NNC_BAD_USAGE, 0, 0, 0 },    { 2, 0, 24, NNC_OK, 2, 3, 24 },
        { 0, 3, 24, NNC_OK, 2, 3, 24 },          { 2, 3, 0, NNC_OK, 2, 3, 24 },
        { 0, 0, 24, NNC_OK, 1, 6, 24 },          { 0, 0, 0, NNC_OK, 1, 1, 4 },
        { 2, 0, 20, NNC_ILLEGAL_PLAN, 0, 0, 0 }, { 0, 3, 20, NNC_ILLEGAL_PLAN, 0, 0, 0 },
        { 0, 5, 0, NNC_OK, 1, 5, 20 },           { 7, 0, 0, NNC_OK, 7, 1, 28 },
    };
    const nnc_model model = gpt(2, 64, 4, 100, 16);
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_plan plan = plan_of(4, 1, 1);
        nnc_result r;
        nnc_error err = { 0 };
        plan.micro_batch = cases[i].micro;
        plan.micro_batches = cases[i].passes;
        plan.global_batch = cases[i].global;
        const nnc_status status = nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err);
        ck_assert_msg(status == cases[i].status, "case %zu: status %d", i, (int)status);
        if (status == NNC_OK) {
            ck_assert_int_eq(r.plan.micro_batch, cases[i].want_micro);
            ck_assert_int_eq(r.plan.micro_batches, cases[i].want_passes);
            ck_assert_int_eq(r.plan.global_batch, cases[i].want_global);
        } else {
            ck_assert_str_eq(err.where, "--global-batch");
        }
    }
}
END_TEST

/* ---- work ---- */

/* In every convention, the FLOPs of a model depend only on its samples, not on how ranks divide the work. 8 samples run
 * on replicas, tensor ranks, stages and context ranks, with and without a window of 16 of 64 tokens, with fused and
 * unfused attention. */
START_TEST(splits_keep_the_flops) {
    static const int32_t splits[][4] = { { 2, 1, 1, 1 }, { 1, 2, 1, 1 }, { 1, 1, 2, 1 }, { 1, 1, 1, 2 },
                                         { 1, 1, 1, 4 }, { 2, 2, 2, 1 }, { 1, 2, 1, 2 } };
    nnc_model model = llama(4, 64, 8, 4, 128, 512, 64);
    for (int what = 0; what < 4 * NNC_CONVENTION_COUNT; what++) {
        model.decoder.sliding_window = what % 2 == 0 ? 0 : 16;
        nnc_plan one = plan_of(1, 1, 1);
        one.flops_convention = (nnc_flops_convention)(what / 4);
        one.attention = what / 2 % 2 == 0 ? NNC_ATTENTION_UNFUSED : one.attention;
        one.global_batch = 8;
        const nnc_result whole = estimate_on_cluster(&model, &one);
        for (size_t i = 0; i < COUNT_OF(splits); i++) {
            nnc_plan plan = one;
            if (splits[i][3] > 1 && one.attention == NNC_ATTENTION_UNFUSED) {
                continue; /* a plan with context ranks needs a fused kernel for attention */
            }
            plan.data = splits[i][0];
            plan.tensor = splits[i][1];
            plan.pipeline = splits[i][2];
            plan.context = splits[i][3];
            plan.schedule = plan.pipeline > 1 ? NNC_SCHEDULE_1F1B : plan.schedule;
            const nnc_result r = estimate_on_cluster(&model, &plan);
            CLOSE(r.model_flops, whole.model_flops, 1e-9);
            CLOSE(r.causal_flops, whole.causal_flops, 1e-9);
        }
    }
}
END_TEST

/* ---- memory ---- */

/* The model is a GPT of width 64 with LoRA rank 4 on every linear layer and ZeRO 3 over 4 ranks. A block has 12 x 64^2
 * frozen matrix elements and 13 x 64 frozen biases and norm weights. The adapters of rank 4 of a block have 4 x (64 +
 * 64) parameters for each of Q, K, V and the output, and 4 x (64 + 256) for each product of the MLP. ZeRO 3 gathers the
 * frozen weights of two blocks at 2 bytes each and the adapters of two blocks at 4 bytes each. ZeRO 3 also holds the
 * whole fp32 gradient of the adapters of one block. Under ZeRO 2, the memory of a rank has neither gathered weights nor
 * the whole gradient of a block. */
START_TEST(gathered_frozen_weights) {
    const nnc_model model = gpt(6, 64, 4, 100, 16);
    nnc_plan plan = plan_of(4, 1, 1);
    plan.adapter_rank = 4;
    plan.policy = NNC_POLICY_FP32;
    const double frozen = 12.0 * 64 * 64 + 13.0 * 64;
    const double adapters = 4.0 * (4 * 128 + 2 * 320);
    plan.zero = 2;
    const nnc_result two = estimate_on_cluster(&model, &plan);
    plan.zero = 3;
    plan.reshard = true;
    const nnc_result three = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(three.trained_params, (int64_t)adapters * 6);
    ck_assert_int_eq(three.memory.transient_bytes - two.memory.transient_bytes,
                     (int64_t)(2 * 2 * frozen + (2 * 4 + 4) * adapters));
}
END_TEST

/* Two stages have three blocks each. A block has 12 x 64 x 64 + 13 x 64 parameters in fp32. A pipeline that keeps
 * weights gathered also keeps whole gradients until its last micro-batch (torch/distributed/pipelining/stage.py). The
 * transient memory of a pipeline that keeps weights gathered has 4 bytes of weights for each parameter of the stage.
 * For the half of the parameters that is not in the rank's own shard, the transient memory also has 4 bytes of
 * gradient. With resharding, the transient memory has 2 x 4 bytes of gathered weights (two blocks) and 4 bytes of
 * gradient for each parameter of one block. Without resharding, data communication happens once per step, so twice as
 * many micro-batches do not change the time of this communication. */
START_TEST(whole_gradients_of_pipelines) {
    const nnc_model model = gpt(6, 64, 4, 100, 16);
    nnc_plan plan = plan_of(2, 1, 2);
    plan.policy = NNC_POLICY_FP32;
    plan.zero = 3;
    plan.micro_batches = 4;
    plan.reshard = true;
    const nnc_result freed = estimate_on_cluster(&model, &plan);
    plan.reshard = false;
    const nnc_result kept = estimate_on_cluster(&model, &plan);
    const double block = 12.0 * 64 * 64 + 13.0 * 64, shard = (double)freed.memory.gradient_bytes / 4.0;
    ck_assert_int_eq(kept.memory.gradient_bytes, freed.memory.gradient_bytes);
    ck_assert_int_eq(kept.memory.transient_bytes - freed.memory.transient_bytes,
                     (int64_t)(4.0 * 2.0 * shard + 4.0 * shard - (2.0 * 4.0 + 4.0) * block));
    plan.micro_batches = 8;
    const nnc_result longer = estimate_on_cluster(&model, &plan);
    CLOSE(longer.communication_s[NNC_COMM_DATA], kept.communication_s[NNC_COMM_DATA], 1e-12);
}
END_TEST

static nnc_op product_of(int64_t rows, int64_t cols, int32_t block, int64_t repeat, bool frozen) {
    return (nnc_op){ .kind = NNC_OP_MATMUL,
                     .weights = { .count = 1, .rows = rows, .cols = cols },
                     .block = block,
                     .repeat = repeat,
                     .frozen = frozen };
}

/* A network has one segment with two blocks: a block of 2 x 3 weights that runs three times, and a block of 4 x 5
 * weights and 2 x 2 frozen weights. Outside of blocks, the network has 7 weights. The largest unit that ZeRO 3 gathers
 * has 20 weights and 4 frozen weights. If the network has 30 weights outside blocks, these weights are the largest
 * unit. */
START_TEST(units_by_hand) {
    static nnc_op_list list;
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    memset(&list, 0, sizeof list);
    list.segment_count = 1;
    list.segments[0] = (nnc_segment){ .instances = 1 };
    list.block_count = 2;
    list.blocks[0] = (nnc_block){ .repeat = 3 };
    list.blocks[1] = (nnc_block){ .repeat = 1 };
    list.count = 4;
    list.ops[0] = product_of(2, 3, 0, 3, false);
    list.ops[1] = product_of(4, 5, 1, 1, false);
    list.ops[2] = product_of(2, 2, 1, 1, true);
    list.ops[3] = product_of(1, 7, -1, 1, false);
    nnc_segments_sum(&list, sums);
    ck_assert_double_eq(sums[0].unit_params, 20.0);
    ck_assert_double_eq(sums[0].unit_frozen, 4.0);
    ck_assert_double_eq(sums[0].dense.params, 3.0 * 6.0 + 20.0 + 7.0);
    ck_assert_double_eq(sums[0].frozen.params, 4.0);
    list.ops[3] = product_of(1, 30, -1, 1, false);
    nnc_segments_sum(&list, sums);
    ck_assert_double_eq(sums[0].unit_params, 30.0);
    list.ops[0] = product_of(2, 3 * 6, 0, 3, false); /* 36 in the first block */
    nnc_segments_sum(&list, sums);
    ck_assert_double_eq(sums[0].unit_params, 36.0);
}
END_TEST

/* ---- collectives ---- */

/* Without a knee, a message takes bytes / rate. With a knee, a message takes (bytes + sqrt(knee x bytes)) / rate. So a
 * message of the size of the knee takes twice the time, and a message of four times the knee takes 1.5 times the time.
 * A message inside a domain of 300 GB/s has the knee of the scale-up fabric. A message between domains of 25 GB/s has
 * the knee of the network. */
START_TEST(knees) {
    nnc_device device = cluster_device();
    nnc_error err = { 0 };
    nnc_route inside, across;
    device.scale_up.knee_bytes = 1e6;
    device.scale_out.knee_bytes = 4e6;
    ck_assert_int_eq(nnc_route_find(&device, 8, 0, 8, 1, &inside, &err), NNC_OK);
    ck_assert_int_eq(nnc_route_find(&device, 32, 0, 4, 8, &across, &err), NNC_OK);
    CLOSE(nnc_collective_s(&inside, NNC_ALL_GATHER, 1e6), 2e6 * 7.0 / 8.0 / 300e9, 1e-12);
    CLOSE(nnc_collective_s(&inside, NNC_ALL_GATHER, 4e6), 6e6 * 7.0 / 8.0 / 300e9, 1e-12);
    CLOSE(nnc_collective_s(&across, NNC_ALL_GATHER, 4e6), 8e6 * 3.0 / 4.0 / 25e9, 1e-12);
    CLOSE(nnc_collective_s(&across, NNC_ALL_GATHER, 1e6), 3e6 * 3.0 / 4.0 / 25e9, 1e-12);
}
END_TEST

/* ---- pipelines ---- */

/* With the V-shaped schedules, the virtual stages go from the first to the last of four devices and then back to the
 * first. With schedules that are not V-shaped, the second chunk of layers starts on the first device, too. */
START_TEST(devices_of_virtual_stages) {
    static const int32_t vee[] = { 0, 1, 2, 3, 3, 2, 1, 0 }, chunks[] = { 0, 1, 2, 3, 0, 1, 2, 3 };
    nnc_plan plan = nnc_plan_default();
    plan.pipeline = 4;
    for (int i = 0; i < NNC_SCHEDULE_COUNT; i++) {
        plan.schedule = (nnc_schedule)i;
        plan.virtual_stages = 2;
        const int32_t *expected = nnc_schedule_ends_meet(&plan) ? vee : chunks;
        for (int32_t v = 0; v < 8; v++) { ck_assert_int_eq(nnc_partition_device(&plan, v), expected[v]); }
    }
    plan.schedule = NNC_SCHEDULE_ZB_V;
    ck_assert(nnc_schedule_ends_meet(&plan));
    plan.schedule = NNC_SCHEDULE_1F1B;
    ck_assert(!nnc_schedule_ends_meet(&plan));
}
END_TEST

/* ---- runs of models without tokens ---- */

/* Methods that score tokens are refused for a model of images, but training is not refused. */
START_TEST(methods_need_tokens) {
    const nnc_model unet = double_conv_unet(32, 16, 2), text = gpt(2, 64, 4, 100, 16);
    nnc_plan plan = plan_of(1, 1, 1);
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_error err = { 0 };
    const nnc_result images = estimate(&unet, &plan);
    const nnc_result tokens = estimate(&text, &plan);
    ck_assert(images.tokens == 0 && tokens.tokens == 16);
    ask.method = NNC_METHOD_DPO;
    ck_assert_int_eq(nnc_run_method_check(&images, &ask, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "--method");
    ck_assert_int_eq(nnc_run_method_check(&tokens, &ask, &err), NNC_OK);
    ck_assert_int_eq(nnc_run_method_check(NULL, &ask, &err), NNC_OK);
    ask.method = NNC_METHOD_TRAIN;
    ck_assert_int_eq(nnc_run_method_check(&images, &ask, &err), NNC_OK);
}
END_TEST

/* ---- sensitivity ---- */

START_TEST(unknown_parameters_have_no_value) {
    const nnc_device device = cluster_device();
    ck_assert(isnan(nnc_sensitivity_parameter_value(&device, NNC_PARAMETER_COUNT, NNC_BF16)));
    ck_assert(isnan(nnc_sensitivity_parameter_value(&device, NNC_PARAMETER_MATMUL, NNC_DTYPE_COUNT)));
    ck_assert_double_eq(nnc_sensitivity_parameter_value(&device, NNC_PARAMETER_MATMUL, NNC_BF16), 100e12);
    ck_assert_double_eq(nnc_sensitivity_parameter_value(&device, NNC_PARAMETER_MEM_BYTES, NNC_BF16), 80e9);
}
END_TEST

/* ---- models ---- */

/* If head_dim is not given, it is hidden / heads. */
START_TEST(heads_divide_hidden) {
    static const char text[] = DECODER SOURCES;
    nnc_model model;
    nnc_error err = { 0 };
    char other[sizeof text];
    ck_assert_int_eq(nnc_model_parse_into(specs, "m.json", text, strlen(text), &model, &err), NNC_OK);
    ck_assert_int_eq(model.decoder.head_dim, 4); /* 8 / 2 */
    memcpy(other, text, sizeof text);
    strstr(other, "\"heads\": 2")[9] = '3';
    ck_assert_int_eq(nnc_model_parse_into(specs, "m.json", other, strlen(other), &model, &err), NNC_BAD_SPEC);
    ck_assert_ptr_nonnull(strstr(err.where, "heads"));
}
END_TEST

int main(void) {
    const TTest *const tests[] = { rated_energy_has_the_building,
                                   interval_of_a_run,
                                   batches_agree,
                                   splits_keep_the_flops,
                                   gathered_frozen_weights,
                                   whole_gradients_of_pipelines,
                                   units_by_hand,
                                   knees,
                                   devices_of_virtual_stages,
                                   methods_need_tokens,
                                   unknown_parameters_have_no_value,
                                   heads_divide_hidden };
    return run_tests("by hand", tests, COUNT_OF(tests));
}
