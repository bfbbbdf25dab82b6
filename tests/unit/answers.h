/* Runs examples with known answers. For each id of an example, a test either computes the example with the library, or
 * lists the id with the reason why the test does not compute the example. */
#ifndef NNCOST_TESTS_UNIT_ANSWERS_H
#define NNCOST_TESTS_UNIT_ANSWERS_H

#include "cost/cost_internal.h"
#include "op/op_internal.h"
#include "support.h"

/* Values that the library computes for one example. rel: relative tolerance; 0 = the tolerance of the file. */
typedef struct answers {
    struct {
        const char *name, *text;
        double value, rel;
    } item[8];
    int count;
} answers;

static inline void give_near(answers *out, const char *name, double value, double rel) {
    ck_assert_int_lt(out->count, (int)COUNT_OF(out->item));
    out->item[out->count].name = name;
    out->item[out->count].text = NULL;
    out->item[out->count].value = value;
    out->item[out->count++].rel = rel;
}

static inline void give(answers *out, const char *name, double value) { give_near(out, name, value, 0.0); }

static inline void give_text(answers *out, const char *name, const char *text) {
    give_near(out, name, 0.0, 0.0);
    out->item[out->count - 1].text = text;
}

typedef void solve_fn(const cJSON *in, answers *out);

typedef struct solved {
    const char *id;
    solve_fn *solve;
    /* names of answers that the test does not compute; the file of the examples gives the reason */
    const char *without;
} solved;

typedef struct unsolved {
    const char *reason, *ids; /* blank-separated */
} unsolved;

/* Tests whether `word` is in `list`, whose words are separated by blanks. */
static inline bool has_word(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL && *at != '\0'; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0')) { return true; }
    }
    return false;
}

/* Compares one computed answer with the expected answer. rel: relative tolerance; 0 = exactly equal. */
static inline void check_answer(const char *id, const cJSON *expected, const answers *out, const char *without,
                                double rel) {
    const char *name = text_of(expected, "name");
    const cJSON *value = member(expected, "value");
    int i = 0;
    while (i < out->count && strcmp(out->item[i].name, name) != 0) { i++; }
    if (i == out->count) {
        ck_assert_msg(without != NULL && has_word(without, name), "%s: %s is not computed", id, name);
        return;
    }
    if (cJSON_IsString(value)) {
        ck_assert_str_eq(out->item[i].text, value->valuestring);
        return;
    }
    const double answer = cJSON_IsBool(value) ? cJSON_IsTrue(value) : value->valuedouble;
    const double allowed = (out->item[i].rel > 0.0 ? out->item[i].rel : rel);
    const double error = fabs(out->item[i].value - answer);
    ck_assert_msg(error <= allowed * fabs(answer), "%s: %s: expected %.17g, found %.17g", id, name, answer,
                  out->item[i].value);
}

/* Checks that every example is either computed or listed once as not computed. later_topics: topics with only examples
 * that are not computed; NULL = no such topic. */
static inline void ck_every_entry_has_its_place(const cJSON *entries, const solved *table, size_t solved_count,
                                                const unsolved *later, size_t later_count, const char *later_topics) {
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, entries) {
        const char *id = text_of(entry, "id");
        int places = later_topics != NULL && has_word(later_topics, text_of(entry, "topic"));
        for (size_t i = 0; i < solved_count; i++) { places += strcmp(table[i].id, id) == 0; }
        for (size_t i = 0; i < later_count; i++) { places += has_word(later[i].ids, id); }
        ck_assert_msg(places == 1, "%s stands in %d places, expected 1", id, places);
    }
}

/* ---- functions that several examples use ---- */

static inline nnc_op op_of(nnc_op_kind kind) {
    return (nnc_op){ .name = "op",
                     .kind = kind,
                     .dtype = NNC_BF16,
                     .math_dtype = NNC_BF16,
                     .repeat = 1,
                     .block = -1,
                     .grad_bytes = 2.0 };
}

/* Compares the work of an op with numbers counted by hand. */
#define ck_work(found, flop_count, vector_count, reads, writes) \
    do {                                                        \
        const nnc_work w_ = (found);                            \
        ck_assert_double_eq(w_.flops, (flop_count));            \
        ck_assert_double_eq(w_.vector_flops, (vector_count));   \
        ck_assert_double_eq(w_.read_bytes, (reads));            \
        ck_assert_double_eq(w_.write_bytes, (writes));          \
    } while (0)

static inline nnc_op linear(int64_t m, int64_t n, int64_t k) {
    nnc_op op = op_of(NNC_OP_MATMUL);
    op.weights = (nnc_weights){ .count = 1, .rows = k, .cols = n };
    op.u.matmul = (nnc_matmul){ .batch = 1,
                                .m = m,
                                .n = n,
                                .k = k,
                                .b_shared = 1,
                                .kept_divisor = 1,
                                .b_is_weight = true,
                                .needs_grad_input = true,
                                .keeps_a = true };
    return op;
}

static inline double bytes_of(const nnc_work *work) { return work->read_bytes + work->write_bytes; }

/* A device with only a matrix rate and a bandwidth. */
static inline nnc_device roof_of(double flops_per_s, double bytes_per_s) {
    nnc_device device = plain_device();
    device.matmul_flops_per_s[NNC_BF16] = flops_per_s;
    device.vector_flops_per_s[NNC_FP32] = (double)NAN;
    device.mem_bytes_per_s = bytes_per_s;
    return device;
}

/* Returns the time of work in a kernel without a fitted efficiency. */
static inline nnc_timing timing_on(const nnc_device *device, const nnc_work *work) {
    const nnc_op op = { .kind = NNC_OP_CONV, .math_dtype = NNC_BF16 };
    return nnc_op_time(device, &op, work);
}

/* Returns the smallest number of rows at which a product is compute-bound, if only the weights are read from memory.
 * The compute time grows with the number of rows, but the memory time is constant. The function returns the memory time
 * divided by the compute time of a product with one row. */
static inline double critical_rows(double flops_per_s, double bytes_per_s, nnc_dtype weights) {
    nnc_op op = linear(1, 1000000000, 1000000000);
    op.math_dtype = weights;
    const nnc_work work = nnc_op_work(&op);
    const nnc_device roof = roof_of(flops_per_s, bytes_per_s);
    const nnc_timing t = timing_on(&roof, &work);
    return t.memory_s / t.compute_s;
}

/* Returns the arithmetic intensity of fused attention with `group` query heads per key head. The formula leaves out the
 * bytes of the log-sum-exp. The heads are so wide that the bytes of the log-sum-exp have no effect. */
static inline double attention_intensity(int64_t s_q, int64_t s_k, int64_t group) {
    nnc_op op = op_of(NNC_OP_FLASH);
    op.u.flash = (nnc_flash){
        .batch = 1,
        .heads = group,
        .kv_heads = 1,
        .s_q = s_q,
        .s_k = s_k,
        .head_dim = 1 << 22,
        .value_dim = 1 << 22,
        .pairs = (double)(s_q * s_k),
        .full_pairs = (double)(s_q * s_k),
    };
    const nnc_work work = nnc_op_work(&op);
    return work.flops / bytes_of(&work);
}

static inline double kept_map_bytes(int64_t elements, nnc_dtype dtype) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.dtype = dtype;
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_RELU, .elements = elements, .keeps_output = true };
    return nnc_op_kept_bytes(&op);
}

/* Returns the bytes of weights, gradients, master copy and moments with Adam. */
static inline double adam_state_bytes(nnc_policy policy, double params) {
    const nnc_policy_sizes sizes = nnc_policy_bytes(policy);
    const nnc_update update = { .optimizer = NNC_OPTIMIZER_ADAM, .policy = policy, .params = (int64_t)params };
    return (sizes.weight_bytes + sizes.gradient_bytes + sizes.master_bytes) * params + nnc_update_moment_bytes(&update);
}

/* Tests whether a forward row contains the products with attention scores. */
static inline bool is_attention_core(const nnc_op_cost *row) {
    return row->op->phase == NNC_PHASE_FORWARD &&
           (row->op->kind == NNC_OP_FLASH || (row->op->kind == NNC_OP_MATMUL && !row->op->u.matmul.b_is_weight));
}

static inline double full_flops(const nnc_op_cost *row) { return row->work.full_flops; }

/* Returns the training FLOPs if attention counts s^2/2 pairs of tokens, a convention of some programs. The library
 * counts s(s+1)/2 pairs, which are all pairs under the causal mask. */
static inline double half_attention_flops(const nnc_result *r) {
    return r->model_flops - 1.5 * sum_rows(is_attention_core, full_flops);
}

#endif
