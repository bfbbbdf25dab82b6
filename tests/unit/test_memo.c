/* Tests the caches that several estimates share: the stored values, the plans that have the same cache key, and that no
 * entry is computed twice. test_alike.c compares digits of estimates that share entries; test_memo.c counts entries. */
#include "draw.h"
#include "memo/memo_internal.h"
#include "suite.h"

/* ---- the mechanism ---- */

typedef struct pair {
    uint64_t hashed, other; /* only the first word is hashed */
} pair;

/* The cache finds a key until another key replaces it, and returns the value that was written last. Keys with the same
 * hashed word share slots, but each key has its own value. */
static void check_table(uint32_t slots, uint32_t ways, uint64_t keys, bool all_stay) {
    nnc_memo memo;
    uint64_t written[64] = { 0 };
    uint32_t found = 0;
    ck_assert(nnc_memo_create(&memo, slots, ways, sizeof(pair), sizeof(uint64_t), sizeof(uint64_t)));
    for (uint64_t i = 1; i <= 40 * keys; i++) {
        const uint64_t number = draw(keys);
        const pair key = { number / 2, number };
        uint64_t *value = nnc_memo_find(&memo, &key);
        if (value != NULL) {
            ck_assert_uint_eq(*value, written[number]);
            found++;
        } else {
            ck_assert(!all_stay || written[number] == 0);
            value = nnc_memo_add(&memo, &key);
        }
        ck_assert_uint_eq((uintptr_t)value % sizeof *value, 0);
        *value = written[number] = i;
        ck_assert_ptr_eq(nnc_memo_find(&memo, &key), value);
    }
    ck_assert_uint_le(memo.count, slots);
    ck_assert_uint_gt(found, keys);
    if (all_stay) { /* the values are stored in order of arrival, each of them once */
        uint64_t sum = 0, wanted = 0;
        for (uint32_t i = 0; i < memo.count; i++) { sum += *(uint64_t *)nnc_memo_value(&memo, i); }
        for (uint64_t i = 0; i < keys; i++) { wanted += written[i]; }
        ck_assert_uint_eq(memo.count, keys);
        ck_assert_uint_eq(sum, wanted);
    }
    nnc_memo_clear(&memo);
    ck_assert_ptr_null(nnc_memo_find(&memo, &(pair){ 0, 0 }));
    ck_assert_uint_eq(memo.count, 0);
    nnc_memo_destroy(&memo);
}

START_TEST(a_table_holds_what_was_added) {
    seed(1);
    check_table(8, 8, 8, true);    /* 8 keys in 8 slots without a hash, so a key may be in any slot */
    check_table(1, 1, 1, true);    /* one entry */
    check_table(64, 4, 4, true);   /* a test with few keys: two hash words with two keys each, in at least four slots */
    check_table(16, 4, 48, false); /* a test with more keys than slots, so some keys are replaced */
    check_table(2, 2, 5, false);
}
END_TEST

/* ---- keys ---- */

/* Plans that differ only in fields that have no effect on an op list have the same key. A change of a field that has an
 * effect on the op list changes the key. */
START_TEST(lists_are_shared) {
    static const char *const shared[][2] = {
        { "devices", "64" },
        { "devices_per_node", "4" },
        { "rank_order", "tensor-pipeline-context-data" },
        { "data", "4" },
        { "pipeline", "2" },
        { "virtual_stages", "2" },
        { "schedule", "zb-h1" },
        { "zero", "3" },
        { "shard", "4" },
        { "reshard", "off" },
        { "offload", "optimizer" },
        { "overlap", "0.5" },
        { "micro_batches", "5" },
        { "global_batch", "40" },
        { "mode", "ideal" },
        { "clip_gradients", "off" },
        { "tokens", "1e12" },
        { "samples", "1e6" },
        { "price", "2.5" },
        { "reserve_bytes", "1000" },
        { "optimizer", "sgd" },
        { "optimizer_kernels", "foreach" },
    };
    static const char *const own[][2] = {
        { "tensor", "2" },
        { "context", "2" },
        { "expert", "2" },
        { "sequence_parallel", "on" },
        { "micro_batch", "3" },
        { "seq_len", "512" },
        { "recompute", "full" },
        { "precision", "fp8" },
        { "policy", "bf16-pure" },
        { "attention", "unfused" },
        { "activations", "korthikanti" },
        { "adapter_rank", "8" },
    };
    const nnc_plan plain = nnc_plan_default();
    const nnc_plan key = nnc_plan_lowering_key(&plain);
    nnc_error err = { 0 };
    for (size_t i = 0; i < COUNT_OF(shared); i++) {
        nnc_plan plan = plain;
        ck_assert_msg(nnc_plan_set(&plan, shared[i][0], shared[i][1], &err) == NNC_OK, "%s: %s", err.where, err.what);
        ck_assert_msg(!nnc_same_bytes(&plan, &plain, sizeof plan), "%s", shared[i][0]);
        const nnc_plan other = nnc_plan_lowering_key(&plan);
        ck_assert_msg(nnc_same_bytes(&other, &key, sizeof key), "%s", shared[i][0]);
    }
    for (size_t i = 0; i < COUNT_OF(own); i++) {
        nnc_plan plan = plain;
        ck_assert_msg(nnc_plan_set(&plan, own[i][0], own[i][1], &err) == NNC_OK, "%s: %s", err.where, err.what);
        const nnc_plan other = nnc_plan_lowering_key(&plan);
        ck_assert_msg(!nnc_same_bytes(&other, &key, sizeof key), "%s", own[i][0]);
    }
}
END_TEST

/* ---- what estimates share ---- */

static nnc_result brief_result(const nnc_model *model, const nnc_device *device, const nnc_plan *plan,
                               nnc_scratch *with) {
    const nnc_software software = nnc_software_default();
    nnc_result result;
    nnc_error err = { 0 };
    ck_assert_msg(nnc_estimate(model, device, &software, plan, with, &result, &err) == NNC_OK, "%s: %s", err.where,
                  err.what);
    return result;
}

/* The plans differ only in the number of micro-batches, the length of the run and the price. From the second plan on,
 * the plans share one op list and one entry of passes. The cache does not keep an op list that only one plan uses. */
START_TEST(passes_are_found_again) {
    const nnc_model model = llama(4, 64, 4, 2, 128, 256, 64);
    const nnc_device device = cluster_device();
    scratch = nnc_scratch_create();
    nnc_plan plan = plan_of(2, 1, 2);
    scratch->brief = true;
    ck_assert(nnc_scratch_share(scratch, &model, &device, false));
    nnc_estimate_cache *cache = scratch->shared;
    for (int i = 1; i <= 12; i++) {
        plan.micro_batches = 2 * i;
        plan.tokens = 1e9 * i;
        plan.price = i;
        (void)brief_result(&model, &device, &plan, scratch);
        ck_assert_uint_eq(cache->alikes.count, 1);
        ck_assert_uint_eq(cache->lists, 1);
        ck_assert_uint_eq(cache->passes.count, i > 1 ? 1 : 0);
    }
    /* with another ZeRO stage, the op list is the same, but the passes have an entry of their own */
    for (int i = 1; i <= 3; i++) {
        plan.zero = i;
        (void)brief_result(&model, &device, &plan, scratch);
        ck_assert_uint_eq(cache->lists, 1);
        ck_assert_uint_eq(cache->passes.count, 1 + (uint32_t)i);
    }
    plan.micro_batch = 2;
    (void)brief_result(&model, &device, &plan, scratch);
    ck_assert_uint_eq(cache->lists, 2);
    nnc_scratch_destroy(scratch);
}
END_TEST

/* ---- tables of similar lists ---- */

static int timed;

static nnc_timing count_time(void *context, const nnc_device *device, const nnc_op *op, const nnc_work *work) {
    (void)context;
    timed++;
    return nnc_op_time(device, op, work);
}

static void check_rows(const nnc_rows *found, const nnc_rows *wanted) {
    ck_assert_int_eq(found->count, wanted->count);
    for (int32_t i = 0; i < found->count; i++) {
        const nnc_op_cost *a = &found->rows[i], *b = &wanted->rows[i];
        ck_assert_int_eq(a->op->phase, b->op->phase);
        ck_assert_str_eq(a->op->name, b->op->name);
        ck_assert_double_eq(a->repeat, b->repeat);
        ck_assert_double_eq(a->time_s, b->time_s);
        ck_assert_double_eq(a->work.flops, b->work.flops);
        ck_assert_double_eq(a->work.read_bytes + a->work.write_bytes, b->work.read_bytes + b->work.write_bytes);
    }
}

/* A table copies the rows of equal ops from another table. If two plans differ only in recomputation, no op of the
 * second plan is timed. If two plans differ only in the share of passes that add to a sum, only weight gradients of the
 * second plan are timed. If one op has other dims, only the rows of this op are timed. The copied rows are equal to the
 * rows of a table that is built without copies. */
START_TEST(rows_of_equal_ops_are_copied) {
    static nnc_op_list list;
    static nnc_rows first, copied, anew;
    const nnc_op_timer timer = { count_time, NULL };
    const nnc_model model = llama(4, 64, 4, 2, 128, 256, 64);
    const nnc_device device = cluster_device();
    nnc_plan plan = plan_of(1, 1, 1);
    scratch = nnc_scratch_create();
    ck_assert(nnc_scratch_share(scratch, &model, &device, false));
    (void)brief_result(&model, &device, &plan, scratch);
    memcpy(&list, &scratch->shared->last->list, sizeof list);
    first.timer = copied.timer = anew.timer = &timer;
    nnc_rows_build(&list, &device, NULL, &plan, &first);
    static nnc_op_list before;
    memcpy(&before, &list, sizeof list);
    const nnc_rows_like like = { &before, before.count, &first, true };
    for (int what = 0; what < 4; what++) {
        int wanted = 0;
        int32_t changed = 0;
        memcpy(&list, &before, sizeof list);
        for (int32_t i = 0; i < list.count; i++) {
            list.ops[i].recomputed = what == 1;
            list.ops[i].grad_accumulate = what == 2 ? 0.75 : list.ops[i].grad_accumulate;
            changed = list.ops[i].kind == NNC_OP_MATMUL ? i : changed;
        }
        list.ops[changed].u.matmul.m *= what == 3 ? 2 : 1;
        timed = 0;
        nnc_rows_build(&list, &device, NULL, &plan, &anew);
        ck_assert_int_gt(timed, list.count);
        for (int32_t i = 0; i < anew.count; i++) {
            const nnc_op *op = anew.rows[i].op;
            wanted += what == 2 && op->phase == NNC_PHASE_GRAD_WEIGHT;
            wanted += what == 3 && op->kind == NNC_OP_MATMUL && strcmp(op->name, list.ops[changed].name) == 0;
        }
        timed = 0;
        nnc_rows_build_like(&list, &device, NULL, &plan, &like, &copied);
        ck_assert_msg(timed == wanted, "%d: %d timed, expected %d", what, timed, wanted);
        check_rows(&copied, &anew);
    }
    nnc_scratch_destroy(scratch);
}
END_TEST

/* Makes a product whose format, phase and flags are set by the bits of `bits`. */
enum { PRODUCTS_TOLD = 512 };

static nnc_op product_of(int bits) {
    static const nnc_phase phases[] = { NNC_PHASE_FORWARD, NNC_PHASE_BACKWARD, NNC_PHASE_GRAD_INPUT,
                                        NNC_PHASE_GRAD_WEIGHT };
    return (nnc_op){ .kind = NNC_OP_MATMUL,
                     .phase = phases[bits & 3],
                     .dtype = NNC_BF16,
                     .math_dtype = (bits & 4) != 0 ? NNC_BF16 : NNC_FP16,
                     .u.matmul = { .m = 64,
                                   .n = 64,
                                   .k = 64,
                                   .batch = 1,
                                   .b_is_weight = (bits & 8) != 0,
                                   .in_blocks = (bits & 16) != 0,
                                   .one_by_one = (bits & 32) != 0,
                                   .padded = (bits & 64) != 0,
                                   .ragged = (bits & 128) != 0,
                                   .vocab = (bits & 256) != 0 ? 63 : 0 } };
}

/* Products that differ in format, phase or a flag have separate entries, for every pair of products. With the cache,
 * each product takes the same time as without the cache. */
START_TEST(products_are_told_apart) {
    const nnc_model model = llama(4, 64, 4, 2, 128, 256, 64);
    const nnc_device device = cluster_device();
    const nnc_work work = { .flops = 2.0 * 64 * 64 * 64, .read_bytes = 16384, .write_bytes = 8192 };
    scratch = nnc_scratch_create();
    ck_assert(nnc_scratch_share(scratch, &model, &device, true));
    const nnc_op_timer *timer = &scratch->shared->timer;
    /* The first pairs of products differ in one bit or in no bit, and all of these pairs are tested. Pairs after these
     * may differ in any bits, and every seventh of them is tested. (Every third pair would leave out all pairs that
     * differ in one bit, because 512 a + a +- 2^k is never a multiple of 3.) */
    enum { BITS = 9, SINGLE = PRODUCTS_TOLD * (BITS + 1) };
    for (int k = 0; k < SINGLE + PRODUCTS_TOLD * PRODUCTS_TOLD; k += k < SINGLE ? 1 : 7) {
        const int bits = k / (BITS + 1), bit = k % (BITS + 1);
        const int i = k >= SINGLE ? k - SINGLE : bits * PRODUCTS_TOLD + (bit < BITS ? bits ^ 1 << bit : bits);
        const nnc_op one = product_of(i / PRODUCTS_TOLD), other = product_of(i % PRODUCTS_TOLD);
        nnc_memo_clear(&scratch->shared->products);
        (void)timer->time(timer->context, &device, &one, &work);
        const nnc_timing found = timer->time(timer->context, &device, &other, &work);
        ck_assert_double_eq(found.time_s, nnc_op_time(&device, &other, &work).time_s);
        ck_assert_uint_eq(scratch->shared->products.count, i / PRODUCTS_TOLD == i % PRODUCTS_TOLD ? 1 : 2);
    }
    nnc_op issued = product_of(0); /* PyTorch's own kernels take longer than the product */
    issued.issued_as = NNC_ISSUED_TOO;
    issued.dtype = NNC_FP32;
    for (int i = 0; i < 2; i++) {
        const nnc_op plain = product_of(0);
        ck_assert_double_eq(timer->time(timer->context, &device, &plain, &work).time_s,
                            nnc_op_time(&device, &plain, &work).time_s);
        ck_assert_double_eq(timer->time(timer->context, &device, &issued, &work).time_s,
                            nnc_op_time(&device, &issued, &work).time_s);
    }
    nnc_scratch_destroy(scratch);
}
END_TEST

/* The lower bound of a product is at most its time. The bound also holds if products in blocks, or groups of experts,
 * are faster than plain products. */
START_TEST(products_take_their_least) {
    nnc_device device = cluster_device();
    for (int i = 0; i < PRODUCTS_TOLD; i++) {
        nnc_op op = product_of(i);
        op.u.matmul.m = op.u.matmul.n = op.u.matmul.k = 8192; /* bound by compute */
        op.u.matmul.experts = i % 3;
        device.efficiency.gemm[op.math_dtype].block_ratio = (i & 4) != 0 ? 0.5 : 2.0;
        device.efficiency.gemm[op.math_dtype].group_ratio = (i & 8) != 0 ? 0.25 : 4.0;
        const nnc_work work = nnc_op_work(&op);
        const double least_s = nnc_product_least_s(&device, &op, &work);
        ck_assert_double_gt(least_s, 0.0);
        ck_assert_double_le(least_s, nnc_op_time(&device, &op, &work).time_s * (1.0 + 1e-12));
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = { a_table_holds_what_was_added, lists_are_shared,        passes_are_found_again,
                                   rows_of_equal_ops_are_copied, products_are_told_apart, products_take_their_least };
    return run_tests_with("memo", NULL, NULL, tests, COUNT_OF(tests));
}
