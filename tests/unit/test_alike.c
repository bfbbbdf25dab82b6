/* Tests that an estimate has the same digits if the estimate uses op lists and tables that were computed for another
 * plan, or if a part of the estimate is left out. */
#include "draw.h"
#include "memo/memo_internal.h"
#include "metrics/metrics_internal.h"
#include "suite.h"

enum { NETWORKS = 150, PLANS = 24 };

/* Changes the fields in which most plans of a search or sweep differ, so that plans share op lists. In some calls, the
 * function also changes further fields of the plan. */
static void move(nnc_plan *plan) {
    const nnc_plan other = draw_split();
    if (draw(3) == 0) { /* changes the number of passes, and keeps the ops of a pass */
        plan->micro_batches = draw(4) == 0 ? plan->micro_batches : between(1, 20) * (1 + coin());
        plan->tokens = draw(2) == 0 ? 1e9 : 2e9;
        plan->price = draw(2) == 0 ? 1.0 : 2.0;
        return;
    }
    if (draw(4) == 0) {
        *plan = other;
        plan->policy = (nnc_policy)draw(NNC_POLICY_COUNT);
        return;
    }
    plan->pipeline = coin() ? other.pipeline : plan->pipeline;
    plan->schedule = other.schedule;
    plan->virtual_stages = other.virtual_stages;
    plan->data = coin() ? other.data : plan->data;
    plan->zero = other.zero;
    plan->shard = other.shard;
    plan->reshard = other.reshard;
    plan->offload = other.offload;
    plan->overlap = other.overlap;
    plan->rank_order = other.rank_order;
    plan->recompute_layers = coin() ? other.recompute_layers : plan->recompute_layers;
    plan->micro_batches = other.micro_batches;
    plan->clip_gradients = other.clip_gradients;
    plan->mode = draw(8) == 0 ? NNC_MODE_IDEAL : NNC_MODE_PREDICTED;
}

/* Compares all bytes. All bytes of a result are zero before the estimate, and the pointers in a result point to static
 * texts. */
static void check_same(const nnc_result *a, const nnc_result *b) {
    const unsigned char *x = (const void *)a, *y = (const void *)b;
    const size_t last = offsetof(nnc_result, memory.one_moment), after = last + sizeof(bool);
    const size_t next = offsetof(nnc_result, memory) + sizeof a->memory;
    for (size_t i = 0; i < sizeof *a; i = i + 1 == after ? next : i + 1) { /* not its padding */
        ck_assert_msg(x[i] == y[i], "byte %zu of a result differs", i);
    }
}

/* Metrics that a brief estimate has are equal in the brief and in the full estimate. A brief estimate leaves out some
 * metrics, which then have no value. */
static void check_brief(const split_case *c, const nnc_result *full, const nnc_result *brief,
                        const nnc_columns *columns) {
    const nnc_report a = { .model = &c->model, .device = &c->device, .software = &c->software, .result = full };
    nnc_report b = a;
    b.result = brief;
    for (int32_t i = 0; i < columns->count; i++) {
        const nnc_column *column = &columns->list[i];
        char of_a[NNC_METRIC_TEXT_MAX], of_b[NNC_METRIC_TEXT_MAX];
        const nnc_cell x = nnc_column_read(column, (nnc_place){ .record = &a }, of_a);
        const nnc_cell y = nnc_column_read(column, (nnc_place){ .record = &b }, of_b);
        if (nnc_column_is_full(column)) {
            ck_assert_msg(y.kind == NNC_CELL_NULL, "%s", column->name);
            continue;
        }
        ck_assert_msg(x.kind == y.kind, "%s", column->name);
        if (x.kind == NNC_CELL_NUMBER) {
            ck_assert_msg(x.number == y.number, "%s", column->name);
        } else if (x.kind == NNC_CELL_WHOLE) {
            ck_assert_msg(x.whole == y.whole, "%s", column->name);
        } else if (x.kind == NNC_CELL_TEXT) {
            ck_assert_str_eq(x.text, y.text);
        }
    }
}

/* A repeated estimate takes results of the first estimate from the caches. Two models that are stored at the same
 * address, one after the other, share no results. */
static void check_twice(const split_case *c, const nnc_result *alone, nnc_scratch *own) {
    for (int i = 0; i < 3; i++) {
        nnc_result again;
        ck_assert_int_eq(nnc_estimate(&c->model, &c->device, &c->software, &c->plan, own, &again, NULL), NNC_OK);
        check_same(alone, &again);
    }
}

typedef struct scratches {
    nnc_scratch *alone, *shared, *brief, *twice;
} scratches;

/* known: number of plans for which the brief estimate finds the stored passes of an earlier plan. */
static int check_plan(const split_case *c, const scratches *s, const nnc_columns *columns, int *known) {
    nnc_result alone, shared, brief;
    nnc_estimate_cache_begin(s->alone->shared, NULL, NULL);
    const nnc_status status = nnc_estimate(&c->model, &c->device, &c->software, &c->plan, s->alone, &alone, NULL);
    ck_assert_int_eq(status, nnc_estimate(&c->model, &c->device, &c->software, &c->plan, s->shared, &shared, NULL));
    *known += status == NNC_OK && nnc_pass_find(s->brief->shared, &alone.plan, &c->software) != NULL;
    ck_assert_int_eq(status, nnc_estimate(&c->model, &c->device, &c->software, &c->plan, s->brief, &brief, NULL));
    if (status != NNC_OK) { return 0; }
    check_same(&alone, &shared);
    check_twice(c, &alone, s->twice);
    if (alone.plan.mode == NNC_MODE_PREDICTED) {
        check_brief(c, &alone, &brief, columns);
    } else {
        check_same(&alone, &brief);
    }
    return 1;
}

START_TEST(every_digit_is_kept) {
    const scratches s = { nnc_scratch_create(), nnc_scratch_create(), nnc_scratch_create(), nnc_scratch_create() };
    nnc_arena *arena = nnc_arena_create();
    nnc_columns columns;
    int legal = 0, known = 0;
    s.brief->brief = true;
    s.alone->shared->promised = true; /* each estimate begins without results */
    ck_assert_int_eq(nnc_columns_of(&nnc_estimate_metrics, arena, &columns), NNC_OK);
    for (int i = 0; i < NETWORKS; i++) {
        split_case c = draw_cluster(i);
        c.software.added_gradients = coin();
        ck_assert(nnc_scratch_share(s.shared, &c.model, &c.device, true));
        ck_assert(nnc_scratch_share(s.brief, &c.model, &c.device, false));
        for (int k = 0; k < PLANS; k++) {
            legal += check_plan(&c, &s, &columns, &known);
            move(&c.plan);
        }
    }
    ck_assert_int_gt(legal, NETWORKS); /* enough plans were compared */
    ck_assert_int_gt(known, NETWORKS);
    nnc_arena_destroy(arena);
    nnc_scratch_destroy(s.alone);
    nnc_scratch_destroy(s.shared);
    nnc_scratch_destroy(s.brief);
    nnc_scratch_destroy(s.twice);
}
END_TEST

/* The step time of a plan is equal in two scratches. One scratch shares results between plans, and the second scratch
 * begins without results. */
static void check_step(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                       const nnc_plan *plan, nnc_scratch *shares, nnc_scratch *alone) {
    nnc_result a, b;
    nnc_estimate_cache_begin(alone->shared, NULL, NULL);
    ck_assert_int_eq(nnc_estimate(model, device, software, plan, shares, &a, NULL), NNC_OK);
    ck_assert_int_eq(nnc_estimate(model, device, software, plan, alone, &b, NULL), NNC_OK);
    ck_assert_double_eq(a.step_s, b.step_s);
}

/* Under ZeRO 2 the end of a step depends on the number of micro-batches. Two plans have micro-batches of one sample,
 * two plans have micro-batches of two samples. The last plan has the same passes as the third plan and the same number
 * of passes as the second plan. */
START_TEST(ends_belong_to_a_number_of_passes) {
    const nnc_model model = gpt(4, 128, 4, 1000, 128);
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    const struct { int64_t micro_batch, micro_batches; } rows[] = { { 1, 2 }, { 1, 4 }, { 2, 3 }, { 2, 4 } };
    nnc_scratch *const shared = nnc_scratch_create(), *const alone = nnc_scratch_create();
    shared->brief = true;
    ck_assert(nnc_scratch_share(shared, &model, &device, false));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        nnc_plan plan = nnc_plan_default();
        plan.devices = plan.data = 8;
        plan.zero = 2;
        plan.micro_batch = rows[i].micro_batch;
        plan.micro_batches = rows[i].micro_batches;
        check_step(&model, &device, &software, &plan, shared, alone);
    }
    nnc_scratch_destroy(shared);
    nnc_scratch_destroy(alone);
}
END_TEST

/* In DualPipe, the overlap of the communication of experts grows with the number of passes. */
START_TEST(dual_passes_are_their_own) {
    const nnc_model model = mixtral(8, 128, 8, 2, 64, 8, 256, 128);
    const nnc_device device = cluster_device();
    nnc_scratch *const brief = nnc_scratch_create(), *const alone = nnc_scratch_create();
    nnc_software software = nnc_software_default();
    nnc_plan plan = plan_of(2, 1, 4);
    software.overlap_expert = 0.9;
    software.added_gradients = true; /* without it, passes differ anyway */
    plan.expert = 2;
    plan.schedule = NNC_SCHEDULE_DUALPIPE;
    brief->brief = true;
    ck_assert(nnc_scratch_share(brief, &model, &device, false));
    for (plan.micro_batches = 4; plan.micro_batches <= 64; plan.micro_batches += 4) {
        check_step(&model, &device, &software, &plan, brief, alone);
    }
    nnc_scratch_destroy(brief);
    nnc_scratch_destroy(alone);
}
END_TEST

/* Plans that share one op list add different collectives to the list, one plan after the other. A plan that is
 * estimated again must get its own collectives. */
START_TEST(added_rows_are_their_own) {
    const nnc_model model = mixtral(8, 128, 8, 2, 64, 8, 256, 128);
    const nnc_device device = cluster_device();
    nnc_scratch *const brief = nnc_scratch_create(), *const alone = nnc_scratch_create();
    const nnc_software software = nnc_software_default();
    nnc_plan plan = plan_of(2, 1, 4);
    brief->brief = true;
    ck_assert(nnc_scratch_share(brief, &model, &device, false));
    for (int i = 0; i < 48; i++) {
        plan.micro_batches = 4 + i % 3;
        plan.zero = i % 12 == 11 ? 1 : 3; /* every twelfth drawn plan gathers no weights */
        plan.reshard = i / 24 == 0;
        plan.mode = i % 12 == 11 ? NNC_MODE_IDEAL : NNC_MODE_PREDICTED; /* such passes are not kept */
        check_step(&model, &device, &software, &plan, brief, alone);
    }
    nnc_scratch_destroy(brief);
    nnc_scratch_destroy(alone);
}
END_TEST

/* An estimate that computes only the verdict gives the same verdict as a complete estimate. If a plan does not fit, the
 * plan with more samples in a micro-batch does not fit either. */
START_TEST(verdicts_are_the_same) {
    nnc_scratch *whole = nnc_scratch_create(), *quick = nnc_scratch_create();
    int told = 0;
    quick->brief = quick->fits_only = quick->verdict_only = true;
    for (int i = 0; i < NETWORKS; i++) {
        split_case c = draw_cluster(i);
        nnc_result r, q;
        if (nnc_estimate(&c.model, &c.device, &c.software, &c.plan, whole, &r, NULL) != NNC_OK) { continue; }
        c.device.mem_bytes = r.memory.total_bytes + r.memory.activation_bytes * between(0, 4);
        ck_assert(nnc_scratch_share(quick, &c.model, &c.device, false));
        for (int k = 0; k < PLANS; k++) {
            c.plan.micro_batch = between(1, 12);
            c.plan.micro_batches = coin() ? between(1, 5) : c.plan.micro_batches;
            c.plan.overlap = coin() ? 0.5 : c.plan.overlap;
            c.plan.recompute = draw(6) == 0 ? (nnc_recompute)draw(2) : c.plan.recompute;
            const nnc_status status = nnc_estimate(&c.model, &c.device, &c.software, &c.plan, whole, &r, NULL);
            ck_assert_int_eq(status, nnc_estimate(&c.model, &c.device, &c.software, &c.plan, quick, &q, NULL));
            if (status == NNC_OK) {
                ck_assert_int_eq(r.verdict, q.verdict);
                told += q.memory.total_bytes == 0;
            }
        }
    }
    ck_assert_int_gt(told, NETWORKS);
    nnc_scratch_destroy(whole);
    nnc_scratch_destroy(quick);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("alike");
    TCase *const alike = add_case(suite, "alike", NULL, NULL);
    tcase_add_test(alike, every_digit_is_kept);
    tcase_add_test(alike, ends_belong_to_a_number_of_passes);
    tcase_add_test(alike, dual_passes_are_their_own);
    tcase_add_test(alike, added_rows_are_their_own);
    tcase_add_test(alike, verdicts_are_the_same);
    return run_suite(suite);
}
