/* Tests training steps on many devices. The parts of a step must add up to the step time. A plan for one device must
 * give the time of a single device. The time of a pipeline must be the time of its replay. */
#include "draw.h"
#include "pipeline/pipeline_internal.h"

enum { CASES = 1500 };

/* Tests a <= b, with a tolerance for the rounding of sums. */
static bool at_most(double a, double b) { return a <= b * (1 + 1e-9) + 1e-18; }

static double time_of(const nnc_op_cost *row) { return row->time_s; }

static void check_times(const nnc_result *r) {
    double exposed = 0.0;
    near(r->forward_s + r->backward_s + r->recompute_s + r->update_s + r->exposed_comm_s + r->bubble_s + r->host_s,
         r->step_s, 1e-12);
    for (int k = 0; k < NNC_COMM_COUNT; k++) {
        ck_assert_double_ge(r->exposed_s[k], 0.0);
        ck_assert(at_most(r->exposed_s[k], r->communication_s[k]) || k == NNC_COMM_PIPELINE);
        exposed += r->exposed_s[k];
    }
    near(exposed, r->exposed_comm_s, 1e-12);
    near(sum_rows(NULL, time_of) + r->bubble_s + r->host_s, r->step_s, 1e-9);
    ck_assert_double_ge(r->bubble_s, 0.0);
    near(r->bubble_share, r->bubble_ratio / (1.0 + r->bubble_ratio), 1e-9);
    ck_assert_msg(at_most(r->lower_bound_s, r->step_s), "%g %g", r->lower_bound_s, r->step_s);
    ck_assert_msg(at_most(r->step_s, r->upper_bound_s), "%g %g", r->step_s, r->upper_bound_s);
    ck_assert(at_most(r->mfu, r->hfu));
    ck_assert(at_most(r->executed_flops, r->step_s * r->plan.devices * r->peak_flops_per_s));
}

static void check_stages(const nnc_model *model, const nnc_result *r) {
    int32_t count = 0;
    int64_t layers = 0, fullest = 0;
    int embeddings = 0, heads = 0;
    const nnc_stage *stages = nnc_scratch_stages(scratch, &count);
    ck_assert_int_eq(count, r->plan.pipeline);
    for (int32_t i = 0; i < count; i++) {
        const nnc_memory *m = &stages[i].memory;
        ck_assert_int_eq(m->weight_bytes + m->gradient_bytes + m->optimizer_bytes + m->activation_bytes +
                             m->transient_bytes + m->apart_bytes + m->reserve_bytes,
                         m->total_bytes);
        ck_assert_int_eq(m->capacity_bytes - m->total_bytes, m->headroom_bytes);
        ck_assert_double_gt(stages[i].in_flight, 0.0);
        ck_assert_double_gt(stages[i].busy_s, 0.0);
        ck_assert(at_most(stages[i].busy_s + stages[i].exchange_s + stages[i].update_s, r->step_s));
        fullest = m->total_bytes > fullest ? m->total_bytes : fullest;
        layers += stages[i].layers;
        embeddings += stages[i].embedding;
        heads += stages[i].head;
    }
    const int copies = r->plan.schedule == NNC_SCHEDULE_DUALPIPE && count > 1 ? 2 : 1;
    ck_assert_int_eq(layers, copies * model->decoder.layers);
    ck_assert_int_eq(embeddings, copies);
    ck_assert_int_eq(heads, copies);
    ck_assert_mem_eq(&r->memory, &stages[r->memory_stage].memory, sizeof r->memory);
    ck_assert_int_eq(r->memory.total_bytes, fullest);
    ck_assert_int_eq(r->verdict, fullest > r->memory.capacity_bytes ? NNC_OVER_MEMORY : NNC_FITS);
}

START_TEST(parts_add_up) {
    int number = 0;
    for (int i = 0; i < CASES; i++) {
        split_case c = draw_legal(&number);
        const nnc_result r = result_of_split(&c);
        check_times(&r);
        check_stages(&c.model, &r);
        c.plan.mode = NNC_MODE_IDEAL;
        const nnc_result ideal = result_of_split(&c);
        near(ideal.step_s, r.lower_bound_s, 1e-12);
        near(ideal.forward_s + ideal.backward_s + ideal.recompute_s + ideal.update_s + ideal.exposed_comm_s +
                 ideal.bubble_s,
             ideal.step_s, 1e-12);
        ck_assert_int_eq(ideal.memory.total_bytes, r.memory.total_bytes);
    }
}
END_TEST

/* Neither the FLOPs of a model nor its parameters depend on the degrees of the plan. */
START_TEST(splitting_changes_no_mathematics) {
    int number = 0;
    for (int i = 0; i < CASES / 3; i++) {
        split_case c = draw_legal(&number);
        c.plan.offload = 0;
        c.plan.recompute_layers = 0; /* counted per stage */
        nnc_plan legal;
        if (nnc_plan_resolve(&c.plan, &c.model, &c.device, &legal, NULL) != NNC_OK) { continue; }
        const nnc_result r = result_of_split(&c);
        split_case alone = c;
        alone.plan.data = alone.plan.tensor = alone.plan.pipeline = alone.plan.context = 1;
        alone.plan.expert = alone.plan.virtual_stages = 1;
        alone.plan.schedule = NNC_SCHEDULE_COUNT;
        alone.plan.sequence_parallel = false;
        alone.plan.shard = alone.plan.zero = 0;
        alone.plan.micro_batches = 1;
        const nnc_result one = result_of_split(&alone);
        const double passes = (double)c.plan.data * (double)c.plan.micro_batches;
        near(r.model_flops, passes * one.model_flops, 1e-12);
        near(r.recompute_flops, passes * one.recompute_flops, 1e-12);
        near(r.hardware_flops, passes * one.hardware_flops, 1e-12);
        ck_assert_int_eq(r.params, one.params);
        ck_assert_int_eq(r.active_params, one.active_params);
        ck_assert_int_eq(r.tokens, (int64_t)passes * one.tokens);
    }
}
END_TEST

/* ---- one device ---- */

/* Compares all bytes of two results, except their plans and the padding after memory.one_moment, which may differ after
 * a copy. */
static bool same_answer(const nnc_result *a, const nnc_result *b) {
    nnc_result x = *a, y = *b;
    const size_t last = offsetof(nnc_result, memory.one_moment) + sizeof(bool);
    const size_t next = offsetof(nnc_result, memory) + sizeof x.memory;
    memset(&x.plan, 0, sizeof x.plan);
    memset(&y.plan, 0, sizeof y.plan);
    const char *one = (const char *)&x, *other = (const char *)&y;
    return memcmp(one, other, last) == 0 && memcmp(one + next, other + next, sizeof x - next) == 0;
}

/* If all degrees are one, no further property of plan and cluster changes a bit of the result. */
START_TEST(degree_one_is_one_device) {
    for (int i = 0; i < 200; i++) {
        split_case c = draw_cluster(i);
        c.plan.data = c.plan.devices = 0;
        c.plan.tensor = c.plan.pipeline = c.plan.context = c.plan.expert = 1;
        c.plan.virtual_stages = 1;
        c.plan.schedule = NNC_SCHEDULE_COUNT;
        c.plan.sequence_parallel = false;
        c.plan.shard = c.plan.zero = 0;
        c.plan.offload = 0;
        split_case given = c;
        given.plan.data = given.plan.devices = 1;
        given.plan.zero = (int32_t)draw(4);
        given.plan.shard = given.plan.zero > 0 ? 1 : 0;
        given.plan.schedule = (nnc_schedule)draw(NNC_SCHEDULE_COUNT);
        given.plan.rank_order = (nnc_rank_order)draw(NNC_ORDER_COUNT);
        given.plan.context_kind = (nnc_context_kind)draw(NNC_CONTEXT_KIND_COUNT);
        given.plan.reshard = coin();
        given.plan.overlap = 0.25;
        given.plan.imbalance = 2.0;
        given.plan.devices_per_node = 4;
        const nnc_result open = result_of_split(&c), closed = result_of_split(&given);
        ck_assert_msg(same_answer(&open, &closed), "case %d", i);
        ck_assert_double_eq(open.exposed_comm_s, 0.0);
        ck_assert_double_eq(open.bubble_s, 0.0);
    }
}
END_TEST

/* The expected results were recorded before nncost had clusters. The expected results are for the plain device. The
 * first plan has two samples per pass; the second has four passes with full recomputation. The sums of the result may
 * be rounded in another way than those of the recorded results. */
START_TEST(answers_of_one_device) {
    static const struct {
        int model;
        double step_s, lower_s, upper_s, hardware_flops;
        int64_t bytes;
    } cases[] = {
        { 0, 0x1.0b61f7bb93b77p-2, 0x1.9e6f00f280b1cp-3, 0x1.2e06ee3f124b3p-2, 0x1.322ceecp+44, INT64_C(30397754368) },
        { 0, 0x1.2dcc6f193c60dp+0, 0x1.105db806d06ddp+0, 0x1.5af510e22179bp+0, 0x1.9370eecp+46, INT64_C(25667759104) },
        { 1, 0x1.22609ee8efd7fp+3, 0x1.137cc9702c5a3p+3, 0x1.2d6d24732521dp+3, 0x1.af7cp+49, INT64_C(210378162176) },
        { 1, 0x1.73ecfc1fa026dp+5, 0x1.67ee6abb76d84p+5, 0x1.8254e2a18cab1p+5, 0x1.1bbep+52, INT64_C(141587382272) },
        { 2, 0x1.2b1c540ededfp-5, 0x1.d533cb953514fp-6, 0x1.56c4480de969dp-5, 0x1.4d6367ep+41, INT64_C(2618800800) },
        { 2, 0x1.80a3a5d24b05p-3, 0x1.35629aca6ba72p-3, 0x1.b91c3b33e0ec3p-3, 0x1.b7a9abb8p+43, INT64_C(1849945952) },
        { 3, 0x1.0c611159cacdfp+5, 0x1.0a21b3d27cc8p+5, 0x1.0e99bcfd42bb5p+5, 0x1.482cc7ab8ap+51,
          INT64_C(103711946752) },
        { 3, 0x1.58d836d51f9a6p+7, 0x1.561f32b86f414p+7, 0x1.5bc6cd625fa4cp+7, 0x1.b429dc2d3fp+53,
          INT64_C(48178703232) },
    };
    const nnc_model models[] = { gpt(48, 1600, 25, 50257, 1024), llama(32, 4096, 32, 8, 14336, 128256, 8192),
                                 double_conv_unet(572, 64, 5), residual_unet(512, 320, 4) };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_plan plan = nnc_plan_default();
        plan.devices = 1;
        plan.micro_batch = 2;
        if (i % 2 == 1) {
            plan.micro_batches = 4;
            plan.recompute = NNC_RECOMPUTE_FULL;
        }
        const nnc_result r = estimate(&models[cases[i].model], &plan);
        near(r.step_s, cases[i].step_s, 1e-14);
        near(r.lower_bound_s, cases[i].lower_s, 1e-14);
        near(r.upper_bound_s, cases[i].upper_s, 1e-14);
        ck_assert_double_eq(r.hardware_flops, cases[i].hardware_flops);
        ck_assert_int_eq(r.memory.total_bytes - r.memory.apart_bytes, cases[i].bytes);
    }
}
END_TEST

/* ---- pipelines ---- */

static bool splits_backward(nnc_schedule s) {
    return s == NNC_SCHEDULE_ZB_H1 || s == NNC_SCHEDULE_ZB_H2 || s == NNC_SCHEDULE_ZB_V || s == NNC_SCHEDULE_DUALPIPE;
}

/* The step of every schedule with one stage per device must be equal to a replay with the times of the stages. The
 * stages of the test include the head and have different numbers of layers. */
START_TEST(pipelines_are_their_replay) {
    static const nnc_schedule schedules[] = { NNC_SCHEDULE_1F1B, NNC_SCHEDULE_GPIPE, NNC_SCHEDULE_ZB_H1,
                                              NNC_SCHEDULE_ZB_H2 };
    nnc_pipeline_memory *memory = calloc(1, sizeof *memory);
    nnc_pipeline_result *run = calloc(1, sizeof *run);
    ck_assert(memory != NULL && run != NULL);
    for (int i = 0; i < 160; i++) {
        double forward[8], backward[8], weight[8], step_s = 0.0;
        seed(i);
        const nnc_model model = gpt(between(8, 20), 256, 8, between(10, 5000), 128);
        nnc_plan plan = plan_of(2, 1, (int32_t)between(2, 8));
        plan.schedule = schedules[i % 4];
        plan.micro_batches = between(1, 40);
        const nnc_result r = estimate_on_cluster(&model, &plan);
        int32_t count = 0;
        const nnc_stage *stages = nnc_scratch_stages(scratch, &count);
        for (int32_t d = 0; d < count; d++) {
            forward[d] = stages[d].forward_s;
            backward[d] = stages[d].backward_s;
            weight[d] = stages[d].weight_s;
            ck_assert_int_eq(weight[d] > 0.0, splits_backward(plan.schedule));
        }
        const nnc_pipeline pipeline = { plan.schedule, count, 1, plan.micro_batches, forward, backward, weight, 0.0 };
        ck_assert(nnc_pipeline_replay(&pipeline, memory, run, NULL, NULL));
        for (int32_t d = 0; d < count; d++) {
            step_s = fmax(step_s, run->span_s[d] + stages[d].exchange_s + stages[d].update_s);
            near(stages[d].busy_s, run->busy_s[d], 1e-12);
            near(stages[d].bubble_s + run->busy_s[d], run->total_s, 1e-12);
            ck_assert_double_eq(stages[d].in_flight,
                                nnc_pipeline_in_flight(plan.schedule, count, 1, plan.micro_batches, d));
        }
        near(r.step_s, step_s, 1e-12);
    }
    free(run);
    free(memory);
}
END_TEST

/* The layers are so much wider than embedding and head that all stages take nearly the same time. So the closed forms
 * hold. */
START_TEST(equal_stages_meet_the_closed_forms) {
    static const struct {
        nnc_schedule schedule;
        int32_t chunks;
    } cases[] = { { NNC_SCHEDULE_1F1B, 1 },
                  { NNC_SCHEDULE_GPIPE, 1 },
                  { NNC_SCHEDULE_INTERLEAVED, 2 },
                  { NNC_SCHEDULE_INTERLEAVED, 4 },
                  { NNC_SCHEDULE_ZB_H1, 1 } };
    nnc_model model = gpt(16, 2048, 8, 1, 64);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_plan plan = plan_of(1, 1, 4);
        plan.schedule = cases[i].schedule;
        plan.virtual_stages = cases[i].chunks;
        plan.micro_batches = 16;
        const nnc_result r = estimate_on_cluster(&model, &plan);
        int32_t count = 0;
        const nnc_stage *stages = nnc_scratch_stages(scratch, &count);
        const double bubble = nnc_pipeline_say_bubble(
            cases[i].schedule,
            &(nnc_equal_stages){ 4, cases[i].chunks, stages[1].forward_s, stages[1].backward_s, stages[1].weight_s },
            NULL);
        near(stages[1].bubble_s, bubble, 0.05);
        near(r.bubble_s, bubble, 0.05);
    }
}
END_TEST

/* 10 layers over 4 stages are divided as 3, 3, 2, 2. The first and the last stage both hold a tied word table. */
START_TEST(uneven_layers) {
    const nnc_model model = gpt(10, 64, 4, 1000, 32);
    nnc_plan plan = plan_of(1, 1, 4);
    plan.micro_batches = 8;
    const nnc_result r = estimate_on_cluster(&model, &plan);
    int32_t count = 0;
    int64_t params = 0;
    const nnc_stage *stages = nnc_scratch_stages(scratch, &count);
    for (int32_t d = 0; d < 4; d++) {
        ck_assert_int_eq(stages[d].layers, d < 2 ? 3 : 2);
        params += stages[d].params;
    }
    ck_assert_int_eq(params, r.params + 1000 * 64);
    ck_assert_double_eq(exchanged("pipeline.tied_table", NNC_PHASE_COMM), 2.0 * 1000 * 64);
    nnc_model untied = model;
    untied.decoder.tied_head = false;
    const nnc_result own = estimate_on_cluster(&untied, &plan);
    params = 0;
    for (int32_t d = 0; d < 4; d++) { params += stages[d].params; }
    ck_assert_int_eq(params, own.params);
    ck_assert_ptr_null(find_row("pipeline.tied_table", NNC_PHASE_COMM));
}
END_TEST

/* Passes run one after the other. With gradient accumulation, memory holds the activations of one pass, and gradients
 * are sent once per step. */
START_TEST(gradient_accumulation) {
    const nnc_model model = gpt(4, 128, 4, 500, 64);
    nnc_plan plan = plan_of(8, 1, 1);
    plan.policy = NNC_POLICY_MIXED_FP32GRAD; /* passes are alike */
    const nnc_result one = estimate_on_cluster(&model, &plan);
    plan.micro_batches = 4;
    const nnc_result four = estimate_on_cluster(&model, &plan);
    near(four.forward_s, 4 * one.forward_s, 1e-12);
    near(four.backward_s, 4 * one.backward_s, 1e-12);
    ck_assert_double_eq(four.update_s, one.update_s);
    ck_assert_double_eq(four.communication_s[NNC_COMM_DATA], one.communication_s[NNC_COMM_DATA]);
    ck_assert_double_eq(four.exposed_s[NNC_COMM_DATA], one.exposed_s[NNC_COMM_DATA]);
    ck_assert_mem_eq(&four.memory, &one.memory, sizeof one.memory);
    ck_assert_int_eq(four.plan.global_batch, 32);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { parts_add_up,
                                   splitting_changes_no_mathematics,
                                   degree_one_is_one_device,
                                   answers_of_one_device,
                                   pipelines_are_their_replay,
                                   equal_stages_meet_the_closed_forms,
                                   uneven_layers,
                                   gradient_accumulation };
    return run_tests("cluster", tests, COUNT_OF(tests));
}
