/* Overlap of gradients and gathered weights: buckets by bytes, units by blocks, in every family. */
#include "draw.h"
#include "suite.h"

static nnc_result sd1_on_a100(int32_t devices, int32_t zero)
{
    const nnc_model *sd1 = NULL;
    const nnc_device *a100 = NULL;
    const nnc_software *compiled = NULL;
    nnc_plan plan = nnc_plan_default();
    plan.devices = devices;
    plan.micro_batch = 4;
    plan.zero = zero;
    ck_assert_int_eq(nnc_model_load(specs, "sd1-unet", &sd1, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "a100", &a100, NULL), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-compile", &compiled, NULL), NNC_OK);
    return estimate_with(sd1, a100, compiled, &plan);
}

/* 1.7 GB of gradients are sent in 66 buckets of 25 MiB: only the last one has no compute to overlap with. */
START_TEST(a_unet_hides_its_gradients)
{
    const nnc_result r = sd1_on_a100(8, 0); /* over NVLink */
    const double all_s = r.communication_s[NNC_COMM_DATA], exposed_s = r.exposed_s[NNC_COMM_DATA];
    ck_assert_double_gt(exposed_s, 0.0);
    ck_assert_double_lt(exposed_s, 0.1 * all_s);
    near(exposed_s / all_s, 26214400.0 / (2.0 * (double)r.params), 1e-9);
}
END_TEST

/* Sharded, it gathers block by block: the first block is exposed, and two blocks are held at once, not the network. */
START_TEST(a_unet_is_gathered_by_blocks)
{
    const nnc_result whole = sd1_on_a100(64, 2), sharded = sd1_on_a100(64, 3);
    ck_assert_double_gt(sharded.exposed_s[NNC_COMM_DATA], 0.0);
    ck_assert_double_lt(sharded.exposed_s[NNC_COMM_DATA],
                        0.2 * sharded.communication_s[NNC_COMM_DATA]);
    ck_assert_int_lt(sharded.memory.total_bytes, whole.memory.total_bytes);
    ck_assert_int_lt(sharded.memory.transient_bytes, 2 * sharded.params);
}
END_TEST

/* GPT-2's table is 31 % of its gradients and is reduced last, when no compute is left to overlap with. */
START_TEST(a_table_is_not_cut)
{
    const nnc_model *gpt2 = NULL;
    const nnc_device *h100 = NULL;
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.devices = 8;
    plan.micro_batch = 16;
    ck_assert_int_eq(nnc_model_load(specs, "gpt2", &gpt2, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    const nnc_result r = estimate_with(gpt2, h100, &software, &plan);
    const double table = (double)(gpt2->decoder.vocab + gpt2->decoder.seq_len) *
                         (double)gpt2->decoder.hidden / (double)r.params;
    near(r.exposed_s[NNC_COMM_DATA] / r.communication_s[NNC_COMM_DATA], table, 1e-9);
}
END_TEST

/* Tensor ranks use NVLink while gradients cross the network: the two overlaps do not compete, so full
 * overlap is never slower than partial overlap. */
START_TEST(fabrics_do_not_share_a_window)
{
    const nnc_model *llama = NULL;
    const nnc_device *h100 = NULL;
    const nnc_software *eager = NULL;
    nnc_plan plan = nnc_plan_default();
    plan.tensor = 8;
    plan.data = 8;
    plan.zero = 2;
    plan.seq_len = 2048;
    plan.sequence_parallel = true;
    plan.optimizer = NNC_OPTIMIZER_ADAM8BIT;
    plan.recompute = NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION;
    ck_assert_int_eq(nnc_model_load(specs, "llama3-8b", &llama, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, NULL), NNC_OK);
    const nnc_result usual = estimate_with(llama, h100, eager, &plan);
    plan.overlap = 1.0;
    const nnc_result hidden = estimate_with(llama, h100, eager, &plan);
    ck_assert_double_le(hidden.step_s, usual.step_s);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_unet_hides_its_gradients,
        a_unet_is_gathered_by_blocks,
        a_table_is_not_cut,
        fabrics_do_not_share_a_window,
    };
    return run_tests_with("beside_data", open_support, close_support, tests, COUNT_OF(tests));
}
