/* Tests FLOPs and price per token of fine-tuning, distillation and reinforcement learning, against counts by hand,
 * worked examples and published totals. */
#include "evaluate.h"
#include "run_cases.h"

#define LLAMA_8B 8030261248.0

/* Returns options for one token per step and a policy of one parameter: 6 FLOPs. */
static nnc_run_ask unit_ask(nnc_method method) {
    nnc_run_ask ask = nnc_run_ask_default();
    ask.method = method;
    ask.policy_params = 1.0;
    ask.step_flops = 6.0;
    ask.step_s = 6.0;
    return ask;
}

static double flops_of(const nnc_run_ask *ask) {
    nnc_plan plan = devices_of(1);
    plan.global_batch = 1;
    plan.seq_len = 1;
    plan.tokens = 1.0;
    return run_of(&plan, ask).flops_per_token;
}

/* FLOPs per token of each method. N is the number of parameters of the policy. */
START_TEST(flops_of_a_token) {
    nnc_run_ask ask = unit_ask(NNC_METHOD_TRAIN);
    ck_assert_double_eq(flops_of(&ask), 6.0);
    /* DPO has 16 N FLOPs for a pair of tokens, or 12 N if the answers of the reference model are stored */
    ask = unit_ask(NNC_METHOD_DPO);
    ck_assert_double_eq(flops_of(&ask), 16.0 / 2.0);
    ask.reference_params = 0.0;
    ck_assert_double_eq(flops_of(&ask), 12.0 / 2.0);
    /* FLOPs: 2 each for rollout, old policy, reference, reward model and critic, and 6 + 6 for policy and critic in
     * each of K updates */
    ask = unit_ask(NNC_METHOD_PPO);
    ck_assert_double_eq(flops_of(&ask), 22.0);
    ask.update_epochs = 4.0;
    ck_assert_double_eq(flops_of(&ask), 58.0);
    ask.reward_params = 3.0; /* here the reward model has three times as many parameters as the policy */
    ck_assert_double_eq(flops_of(&ask), 62.0);
    /* FLOPs: 6 for the policy, 2 for the policy on a second answer, and 4 for the reference model on the first and the
     * second answer */
    ask = unit_ask(NNC_METHOD_KTO);
    ck_assert_double_eq(flops_of(&ask), 12.0);
    ask = unit_ask(NNC_METHOD_GRPO);
    ck_assert_double_eq(flops_of(&ask), 12.0);
    ask.sampler_logprobs = true;
    ck_assert_double_eq(flops_of(&ask), 10.0);
    ask.reference_params = 0.0;
    ck_assert_double_eq(flops_of(&ask), 8.0);
    ask = unit_ask(NNC_METHOD_DISTILL);
    ask.teacher_params = 10.0;
    ck_assert_double_eq(flops_of(&ask), 6.0 + 20.0);
    ask.method = NNC_METHOD_DISTILL_ON_POLICY;
    ck_assert_double_eq(flops_of(&ask), 2.0 + 20.0 + 6.0);
}
END_TEST

/* If the answer length is not given, nncost cannot separate prompts from answers: it counts all tokens as generated. */
START_TEST(prompts_of_unknown_share) {
    nnc_run_ask ask = unit_ask(NNC_METHOD_GRPO);
    nnc_plan plan = devices_of(1);
    plan.global_batch = 8;
    plan.seq_len = 100;
    plan.tokens = 800.0;
    ask.prompt_tokens = 25.0;
    ask.rollout_tokens_per_s = 100.0;
    CLOSE(run_of(&plan, &ask).rollout_step_s, 8.0, 1e-12);
    ask.response_tokens = 75.0;
    CLOSE(run_of(&plan, &ask).rollout_step_s, 6.0, 1e-12);
}
END_TEST

/* In distillation, the teacher computes each sample once. The student trains on each sample in three epochs. */
START_TEST(a_teacher_speaks_once) {
    nnc_run_ask ask = unit_ask(NNC_METHOD_DISTILL);
    nnc_plan plan = devices_of(1);
    plan.global_batch = 1;
    plan.seq_len = 1;
    ask.teacher_params = 10.0;
    ask.epochs = 3.0;
    ask.dataset_size = 100.0;
    const nnc_run run = run_of(&plan, &ask);
    CLOSE(run.flops, 300.0 * 6.0 + 100.0 * 20.0, 1e-12);
    CLOSE(run.train_s, 300.0 * 6.0, 1e-12);
    CLOSE(run.score_s, 100.0 * 20.0, 1e-12);
    CLOSE(run.run_s, 3800.0, 1e-12);
}
END_TEST

/* Llama 3 8B with GRPO on one H100 at 2.95 USD an hour: training at 40 % of the peak, scoring at 50 %, and decoding of
 * 192 sequences with a mean context of 2,048 tokens at the rate of the memory. */
static nnc_run worked(double tail) {
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_plan plan = devices_of(1);
    const double tokens = 192.0 * 2048.0;
    plan.global_batch = 192;
    plan.seq_len = 2048;
    plan.tokens = tokens * 100.0;
    plan.price = 2.95;
    ask.method = NNC_METHOD_GRPO;
    ask.step_s = tokens * 6.0 * LLAMA_8B / (0.4 * 989.4e12);
    ask.step_flops = tokens * 6.0 * LLAMA_8B;
    ask.score_s = tokens * 4.0 * LLAMA_8B / (0.5 * 989.4e12);
    ask.rollout_tokens_per_s = 192.0 / 0.020179;
    ask.rollout_tail = tail;
    return run_of(&plan, &ask);
}

START_TEST(price_of_a_generated_token) {
    const nnc_run run = worked(1.0);
    CLOSE(run.tokens / run.train_s, 8214.2, 1e-4);
    CLOSE(run.tokens / run.score_s, 15401.6, 1e-4);
    CLOSE(run.tokens / run.rollout_s, 9514.8, 1e-4);
    CLOSE(run.rollout_s / run.run_s, 0.3602, 1e-3);
    CLOSE(run.cost_per_million_tokens, 0.2391, 1e-3);
    CLOSE(worked(2.0).rollout_s / worked(2.0).run_s, 0.5296, 1e-3);
    CLOSE(worked(3.0).rollout_s / worked(3.0).run_s, 0.6281, 1e-3);
    CLOSE(worked(3.0).cost_per_million_tokens, 0.4113, 1e-3);
    CLOSE(run.train_s / run.run_s * run.cost_per_million_tokens, 0.0998, 1e-3); /* cost of fine-tuning alone (SFT) */
}
END_TEST

/* The decode step of the worked example is 20.179 ms: weights and KV cache divided by the memory bandwidth. The bytes
 * of a decode step do not include the embedding table. */
START_TEST(decode_behind_it) {
    const nnc_model *llama = NULL;
    const nnc_device *h100 = NULL;
    nnc_serve_ask ask = nnc_serve_ask_default();
    nnc_serve serve;
    ck_assert_int_eq(nnc_model_load(specs, "llama3-8b", &llama, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    ask.batch = 192;
    ask.input_len = 1;
    ask.output_len = 4095;
    ck_assert_int_eq(nnc_serve_of(llama, h100, NULL, &ask, scratch, &serve, NULL), NNC_OK);
    CLOSE(serve.tpot_lower_bound_s, 0.020179, 0.02);
}
END_TEST

/* Tulu 3 405B, allenai.org/blog/tulu-3-405B: 240 devices train and 16 generate. An iteration takes 550 s for
 * generation, 25 s for the transfer of weights and 1,500 s for training. */
START_TEST(tulu_iteration) {
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_plan plan = devices_of(240);
    plan.global_batch = 1;
    plan.samples = 1.0;
    ask.method = NNC_METHOD_PPO;
    ask.step_s = 1500.0;
    ask.critic_params = 0.0;
    ask.score_s = 0.0;
    ask.rollout_s = 550.0;
    ask.sync_s = 25.0;
    ask.rollout_devices = 16.0;
    nnc_run run = run_of(&plan, &ask);
    CLOSE(run.run_s, 2075.0, 1e-12);
    CLOSE(run.device_hours, 147.6, 1e-3);
    CLOSE(run.train_s / run.run_s, 0.72, 5e-3);
    /* Devices draw the busy power while they train or generate (2050 of 2075 s), and the idle power while weights are
     * sent. */
    ask.idle_w = 100.0;
    ask.busy_w = 1000.0;
    run = run_of(&plan, &ask);
    CLOSE(run.busy_share, 2050.0 / 2075.0, 1e-12);
    CLOSE(run.power_w, 100.0 + 900.0 * 2050.0 / 2075.0, 1e-12);

    /* generation overlaps with training on weights that are one iteration old; the run waits only for the transfer of
     * new weights */
    ask.rollout_overlap = true;
    run = run_of(&plan, &ask);
    CLOSE(run.run_s, 1525.0, 1e-12);
    ask.rollout_s = 2000.0;
    CLOSE(run_of(&plan, &ask).run_s, 2025.0, 1e-12);
}
END_TEST

static double hours_of(double devices, double hours, double *cost) {
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_plan plan = devices_of((int32_t)devices);
    plan.price = 2.0;
    ask.days = hours / 24.0;
    const nnc_run run = run_of(&plan, &ask);
    *cost += run.cost;
    return run.device_hours;
}

/* Published device-hours, and their cost at a rental price of 2 USD an hour. */
START_TEST(published_totals) {
    double cost = 0.0;
    /* DeepSeek-R1, arXiv:2501.12948 version 2, table 7. With the 648 devices that press reports name, the run takes
     * more device-hours. */
    const double r1 = hours_of(512, 198, &cost) + 5000.0 + hours_of(512, 80, &cost);
    CLOSE(r1, 147336.0, 1e-12);
    CLOSE(cost + 5000.0 * 2.0, 294672.0, 1e-12);
    /* DeepSeek-V3, arXiv:2412.19437, table 1: pre-training, context extension and post-training on 2,048 H800. */
    cost = 0.0;
    CLOSE(hours_of(2048, 2.788e6 / 2048.0, &cost), 2.788e6, 1e-12);
    CLOSE(cost, 5.576e6, 1e-12);
    CLOSE(2.664e6 / 14.8, 180e3, 1e-12); /* device-hours per trillion tokens */
    /* InstructGPT, arXiv:2203.02155 section 5.1, in PetaFLOP/s-days. */
    CLOSE((4.9 + 60.0) / 3640.0, 0.0178, 2e-3);
    CLOSE(60.0 * 1e15 * 86400.0, 5.184e21, 1e-12);
}
END_TEST

/* A run never becomes longer if its training, generation, scoring or transfer of weights becomes faster. Without
 * generation, scoring and transfer, the run takes exactly the time of training. */
START_TEST(beside_training) {
    nnc_run_ask ask = unit_ask(NNC_METHOD_PPO);
    nnc_plan plan = devices_of(8);
    plan.global_batch = 64;
    plan.seq_len = 128;
    plan.tokens = 1e9;
    ask.rollout_tokens_per_s = 100.0;
    ask.sync_bytes_per_s = 1.0;
    const nnc_run first = run_of(&plan, &ask);
    for (int i = 0; i < 6; i++) {
        nnc_run_ask better = ask;
        *(i == 0 ? &better.rollout_tokens_per_s : i == 1 ? &better.sync_bytes_per_s : &better.prompt_tokens) *= 2.0;
        better.reward_params = i == 2 ? 0.0 : better.reward_params;
        better.critic_params = i == 3 ? 0.5 : better.critic_params;
        better.sampler_logprobs = i == 4;
        if (i == 5) { /* half of each sequence is the prompt */
            better.prompt_tokens = better.response_tokens = 64.0;
        }
        ck_assert_double_lt(run_of(&plan, &better).run_s, first.run_s);
    }
    ask.reference_params = ask.reward_params = ask.critic_params = 0.0;
    ask.sampler_logprobs = true;
    ask.rollout_s = ask.sync_s = 0.0;
    nnc_run_ask alone = unit_ask(NNC_METHOD_TRAIN);
    ck_assert_double_eq(run_of(&plan, &ask).run_s, run_of(&plan, &alone).run_s);
}
END_TEST

START_TEST(refused_methods) {
    nnc_error err;
    nnc_run run;
    const nnc_plan plan = devices_of(8);
    nnc_run_ask ask = unit_ask(NNC_METHOD_DISTILL);
    ck_assert_int_eq(nnc_run_of(NULL, NULL, &plan, &ask, &run, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "--teacher-params");
    ask = unit_ask(NNC_METHOD_DPO);
    ask.rollout_devices = 8.0;
    ck_assert_int_eq(nnc_run_of(NULL, NULL, &plan, &ask, &run, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "--rollout-devices");
    ask = unit_ask(NNC_METHOD_GRPO);
    ask.rollout_overlap = true;
    ck_assert_int_eq(nnc_run_of(NULL, NULL, &plan, &ask, &run, &err), NNC_BAD_USAGE);
    ck_assert_str_eq(err.where, "--rollout-overlap");
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        flops_of_a_token,           prompts_of_unknown_share, a_teacher_speaks_once,
        price_of_a_generated_token, decode_behind_it,         tulu_iteration,
        published_totals,           beside_training,          refused_methods,
    };
    return run_tests_with("run_method", open_support, close_support, tests, COUNT_OF(tests));
}
