/* Compares claims of popular texts about training systems with the results that nncost computes from the numbers in
 * these texts. test_run_input.c (loaders, money, failures) and test_link_examples.c test further claims. */
#include "op/op_internal.h"
#include "run_cases.h"

static const nnc_device *device_named(const char *id) {
    const nnc_device *device = NULL;
    ck_assert_int_eq(nnc_device_load(specs, id, &device, NULL), NNC_OK);
    return device;
}

static nnc_result gpt2_xl(int64_t micro_batch, const nnc_device *device) {
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = micro_batch;
    plan.seq_len = 1024;
    return estimate_with(load_model("models/gpt2-xl.json"), device, NULL, &plan);
}

/* A text claims: "32 x 1,024 tokens in 64 bits are 256 KB and cross 15.75 GB/s in 0.016 ms". The exact time is 0.0166
 * ms. */
START_TEST(token_ids_cross_the_link) {
    nnc_device *device = NULL;
    nnc_plan plan = devices_of(1);
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_run run;
    nnc_error err;
    ck_assert_int_eq(nnc_device_copy(specs, device_named("v100"), &device, &err), NNC_OK);
    device->host.bytes_per_s = 15.75e9;
    plan.global_batch = 32;
    plan.samples = 32.0;
    ask.step_s = 0.08;
    ask.prepared_bytes = 1024.0 * 8.0;
    ck_assert_int_eq(nnc_run_of(NULL, device, &plan, &ask, &run, &err), NNC_OK);
    CLOSE(run.transfer_s * 15.75e9, 262144.0, 1e-12);
    CLOSE(run.transfer_s, 1.66441e-5, 1e-5);
}
END_TEST

/* A text claims: "The forward pass takes 80 ms on a V100 and 45 ms on an A100". At the peak rates of V100 and A100, the
 * pass takes 0.9 s and 0.36 s. The text also claims: "380 samples/s on eight V100, used to more than 95 %". A rate of
 * 380 samples/s needs four times the peak of the eight devices. The vocabulary is 50,257. */
START_TEST(faster_than_the_peak) {
    const nnc_device *v100 = device_named("v100"), *a100 = device_named("a100");
    double vocab = 0.0;
    const nnc_result r = gpt2_xl(32, v100);
    CLOSE(r.forward_flops, 112e12, 0.02);
    CLOSE(r.forward_flops / nnc_device_matmul_peak(v100, NNC_FP16), 0.90, 0.02);
    CLOSE(r.forward_flops / nnc_device_matmul_peak(a100, NNC_BF16), 0.36, 0.02);
    ck_assert_double_gt(r.lower_bound_s, 10 * 0.080); /* nncost's lower bound */
    CLOSE(r.model_flops / 32.0 * 380.0, 4.00e15, 0.02);
    CLOSE(8.0 * nnc_device_matmul_peak(v100, NNC_FP16), 1.00e15, 0.01);
    ck_assert_int_eq(nnc_model_number(load_model("models/gpt2-xl.json"), "vocab", &vocab, NULL), NNC_OK);
    ck_assert_double_eq(vocab, 50257.0);
}
END_TEST

/* A text claims: "An iteration is the longest of fetching, processing and transfer". The compute time of the device is
 * a fourth possible limit of an iteration. */
START_TEST(the_device_is_a_roof_too) {
    nnc_plan plan = devices_of(1);
    nnc_run_ask ask = nnc_run_ask_default();
    plan.global_batch = 1;
    plan.samples = 1.0;
    ask.step_s = 0.08;
    ask.workers = 1.0;
    ask.prepare_s = 0.010 + 0.015 + 0.005; /* crop, jitter, normalise: 30 ms */
    nnc_run run = run_of(&plan, &ask);
    CLOSE(run.prepare_s, 0.030, 1e-12);
    ck_assert_double_eq(run.step_s, 0.08);
    ask.prepare_s = 0.12;
    run = run_of(&plan, &ask);
    CLOSE(run.step_s, 0.12, 1e-12);
    CLOSE(run.input_wait_s, 0.04, 1e-12);
}
END_TEST

/* A text claims that the memory of a V100 has 900 GB/s, and that tensor cores are about ten times as fast as fp32. The
 * peak of tensor cores is 8 times the fp32 peak on the V100, and 16 times on the A100. */
START_TEST(rates_of_devices) {
    const nnc_device *v100 = device_named("v100"), *a100 = device_named("a100");
    CLOSE(v100->mem_bytes_per_s, 900e9, 0.01);
    CLOSE(nnc_device_matmul_peak(v100, NNC_FP16) / nnc_device_matmul_peak(v100, NNC_FP32), 8.0, 0.01);
    CLOSE(nnc_device_matmul_peak(a100, NNC_BF16) / nnc_device_matmul_peak(a100, NNC_FP32), 16.0, 0.01);
}
END_TEST

/* A text claims that a TPU v5e is compute-bound above 240 tokens. The text also claims that two chips that divide the
 * width D need D/2 > 4377 to be compute-bound, with links of 45 GB/s. The result of
 * nncost is D = 8755.6. */
START_TEST(widths_from_which_arithmetic_counts) {
    nnc_device *v5e = NULL;
    nnc_error err;
    ck_assert_int_eq(nnc_device_copy(specs, device_named("tpu-v5e"), &v5e, &err), NNC_OK);
    v5e->scale_up.bytes_per_s = 45e9;
    const nnc_result r = gpt2_xl(1, v5e);
    CLOSE(r.critical_tokens, 240.0, 0.005);
    CLOSE(r.critical_width, 8755.6, 1e-5);
}
END_TEST

/* A text claims that a billion parameters take 4 GB, and 2 GB in half precision, and that 70 billion parameters of 4
 * bits run on a mobile GPU. The 4-bit weights are 35 GB, plus the scales of groups of 128. */
START_TEST(bytes_of_weights) {
    ck_assert_double_eq(nnc_policy_bytes(NNC_POLICY_FP32).weight_bytes * 1e9, 4e9);
    ck_assert_double_eq(nnc_policy_bytes(NNC_POLICY_BF16_PURE).weight_bytes * 1e9, 2e9);
    CLOSE(70e9 * 0.5, 35e9, 1e-12);
    CLOSE(70e9 * nnc_stored_bytes(NNC_STORED_INT4, 128.0), 35e9 + 70e9 / 128.0 * 2.5, 1e-12);
}
END_TEST

/* A text claims that 8 devices with micro-batches of 16 samples and accumulation over 4 micro-batches process 512
 * samples per step. The text also claims that this accumulation sends 75 % fewer bytes, but takes three times the
 * memory for gradients. The bytes that are sent per sample decrease as claimed. The memory for gradients stays the
 * same. */
START_TEST(accumulation) {
    const nnc_device *a100 = device_named("a100");
    const nnc_model *gpt2 = load_model("models/gpt2.json");
    nnc_plan plan = nnc_plan_default();
    plan.devices = 8;
    plan.micro_batch = 16;
    const nnc_result once = estimate_with(gpt2, a100, NULL, &plan);
    plan.micro_batches = 4;
    const nnc_result four = estimate_with(gpt2, a100, NULL, &plan);
    ck_assert_int_eq(four.plan.global_batch, 512);
    CLOSE(four.communication_s[NNC_COMM_DATA] / 512.0, once.communication_s[NNC_COMM_DATA] / 128.0 / 4.0, 1e-9);
    ck_assert_int_eq(four.memory.gradient_bytes, once.memory.gradient_bytes);
}
END_TEST

/* A text claims that BERT-Base sends 8 GB in each iteration on 64 devices. BERT-Base has 0.44 GB of gradients, and each
 * device sends 0.86 GB. */
START_TEST(gradients_of_bert) {
    nnc_model *base = NULL;
    nnc_error err;
    ck_assert_int_eq(nnc_model_copy(specs, load_model("models/bert-large.json"), &base, &err), NNC_OK);
    ck_assert_int_eq(nnc_model_set(base, "layers", "12", &err), NNC_OK);
    ck_assert_int_eq(nnc_model_set(base, "hidden", "768", &err), NNC_OK);
    ck_assert_int_eq(nnc_model_set(base, "heads", "12", &err), NNC_OK);
    nnc_plan plan = nnc_plan_default();
    plan.devices = 64;
    plan.policy = NNC_POLICY_FP32;
    plan.precision = NNC_FP32;
    const nnc_result r = estimate_with(base, device_named("a100"), NULL, &plan);
    CLOSE((double)r.memory.gradient_bytes, 0.44e9, 0.02);
    CLOSE(2.0 * 63.0 / 64.0 * (double)r.memory.gradient_bytes, 0.86e9, 0.02);
}
END_TEST

/* A text claims that a million images in batches of 4 are 250,000 steps, and a hundred thousand images are 25,000
 * steps. */
START_TEST(steps_of_a_dataset) {
    nnc_plan plan = devices_of(1);
    nnc_run_ask ask = nnc_run_ask_default();
    plan.global_batch = 4;
    ask.step_s = 1.0;
    ask.epochs = 1.0;
    ask.dataset_size = 1e6;
    ck_assert_double_eq(run_of(&plan, &ask).steps, 250000.0);
    ask.dataset_size = 1e5;
    ck_assert_double_eq(run_of(&plan, &ask).steps, 25000.0);
}
END_TEST

/* A text recommends a checkpoint every 100 to 1,000 iterations. The best interval is a time that does not depend on the
 * step time: 4.2 minutes for Llama 3, 1.93 hours for BLOOM. */
START_TEST(intervals_are_times) {
    CLOSE(nnc_daly_interval(2.835, 54.0 * DAY / 419.0) / 60.0, 4.156, 1e-3);
    CLOSE(nnc_young_interval(40.0, 168.0 * HOUR) / HOUR, 1.932, 1e-3);
    nnc_plan plan = devices_of(384);
    nnc_run_ask ask = nnc_run_ask_default();
    plan.global_batch = 384;
    plan.samples = 1e9;
    ask.device_mtbf_s = 384.0 * 168.0 * HOUR;
    ask.block_s = ask.save_s = ask.load_s = 40.0;
    ask.step_s = 1.0;
    const double interval_s = run_of(&plan, &ask).interval_s;
    ask.step_s = 100.0;
    ck_assert_double_eq(run_of(&plan, &ask).interval_s, interval_s);
}
END_TEST

/* A text claims that paged attention wastes no memory. Paged attention wastes less than one block for every
 * sequence. */
START_TEST(paging_wastes_less_than_a_block) {
    nnc_serve_ask ask = nnc_serve_ask_default();
    nnc_serve serve;
    ask.batch = 8;
    ask.input_len = 1000;
    ask.output_len = 17;
    ask.block = 16;
    ck_assert_int_eq(
        nnc_serve_of(load_model("models/llama3-8b.json"), device_named("h100"), NULL, &ask, scratch, &serve, NULL),
        NNC_OK);
    ck_assert_double_ge(serve.paging_waste_bytes, 0.0);
    ck_assert_double_lt(serve.paging_waste_bytes, 8.0 * 16.0 * serve.kv_bytes_per_token);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        token_ids_cross_the_link,
        faster_than_the_peak,
        the_device_is_a_roof_too,
        rates_of_devices,
        bytes_of_weights,
        accumulation,
        gradients_of_bert,
        steps_of_a_dataset,
        intervals_are_times,
        paging_wastes_less_than_a_block,
        widths_from_which_arithmetic_counts,
    };
    return run_tests_with("claims", open_support, close_support, tests, COUNT_OF(tests));
}
