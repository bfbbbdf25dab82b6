/* Tests layers that predict later tokens (multi-token prediction); the models are small enough to count by hand.
 * [next-tokens] */
#include "named_rows.h"

/* A model of two layers: width 8, 4 query heads and 2 key heads of 2, inner width 12, 5 tokens, one trained layer for
 * prediction. The prediction layer has matrices of 8 * 16 (queries, keys and values) + 8 * 8 (output) + 3 * 8 * 12
 * (MLP) = 480 parameters, a product from 16 to 8 values, and the head of 10 words. Per token, each parameter of the
 * prediction layer costs two FLOPs. Attention has 4 * 2 FLOPs per pair of tokens and head. Embedding table and head are
 * shared with the model, so their parameters are not counted again. */
START_TEST(layers_that_predict_further_tokens_are_trained) {
    nnc_model model = llama(2, 8, 4, 2, 12, 10, 5);
    nnc_plan plan = causal_bf16();
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    nnc_result r;
    nnc_error err = { 0 };
    plan.next_tokens = true;
    ck_assert_int_eq(nnc_estimate(&model, &device, &software, &plan, scratch, &r, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--next-tokens");
    plan.next_tokens = false;
    model.decoder.next_layers = 1;
    const nnc_result none = estimate_on_cluster(&model, &plan);
    plan.next_tokens = true;
    const nnc_result one = estimate_on_cluster(&model, &plan);
    ck_assert_int_eq(one.next_params, 0);
    ck_assert_int_eq(one.params, none.params + 496 + 128 + 24);
    /* with the causal convention, attention counts 5 x 6 / 2 pairs of tokens */
    ck_assert_double_eq(one.forward_flops - none.forward_flops, 2 * 5 * (480 + 128 + 80) + 4 * 8 * 15);
    ck_assert_double_eq(runs("next.project"), 1);
    /* The op next.concat joins two tensors of 5 x 8 values of 2 B. */
    const nnc_op_cost *joined = find_row("next.concat", NNC_PHASE_FORWARD);
    ck_assert_double_eq(joined->work.read_bytes + joined->work.write_bytes, 2 * 2 * 5 * 8 * 2.0);
    ck_assert_double_eq(runs("embed.tokens"), 2);
    ck_assert_double_eq(runs("head.logits"), 2);
}
END_TEST

/* Seven layers over four stages. The last stage also has the prediction layer and its head. The layers, the prediction
 * layer and the head count as 9 layers, so the four stages get 3, 2, 2 and 2 of them. */
START_TEST(further_tokens_lie_on_the_last_stage) {
    nnc_model model = llama(7, 8, 4, 2, 12, 10, 5);
    nnc_plan plan = causal_bf16();
    model.decoder.next_layers = 1;
    plan.next_tokens = true;
    plan.devices = plan.pipeline = 4;
    plan.micro_batches = 4;
    estimate_on_cluster(&model, &plan);
    int32_t count = 0;
    const nnc_stage *stages = nnc_scratch_stages(scratch, &count);
    ck_assert_int_eq(count, 4);
    ck_assert_int_eq(stages[0].layers, 3);
    ck_assert_int_eq(stages[2].layers, 2);
    ck_assert_int_eq(stages[3].layers, 0);
    /* the last stage also has a head, a norm and a second embedding table */
    ck_assert_int_eq(stages[3].params, 496 + 128 + 24 + 80 + 8 + 80);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { layers_that_predict_further_tokens_are_trained,
                                   further_tokens_lie_on_the_last_stage };
    return run_tests("next_tokens", tests, COUNT_OF(tests));
}
