/* Compares the ops of one rank with the ops of the whole network. The divided work of all ranks must add up to the work
 * of the network; the test lists the ops that every rank repeats. */
#include "cluster.h"
#include "cost/cost_internal.h"
#include "shape/shape_internal.h"

static nnc_op_list whole_list, rank_list;

static const nnc_model *models(int i) {
    static nnc_model all[5];
    all[0] = gpt(2, 128, 8, 256, 64);
    all[0].decoder.dropout = 0.1;
    all[1] = llama(2, 128, 8, 2, 256, 512, 64);
    all[2] = mixtral(2, 128, 8, 4, 64, 8, 512, 64);
    all[3] = deepseek(3, 64);
    all[4] = llama(2, 128, 16, 8, 256, 512, 64);
    all[4].decoder.sliding_window = 24;
    all[4].decoder.qkv_bias = true;
    return &all[i];
}

enum { MODELS = 5 };

static void lower(const nnc_model *model, const nnc_plan *plan, nnc_op_list *list) {
    static const nnc_software fused = { .fused_norm = true,
                                        .fused_activation = true,
                                        .fused_residual = true,
                                        .fused_rotary = true,
                                        .fused_softmax = true,
                                        .fused_loss = true,
                                        .fused_optimizer = true };
    const nnc_lowering how = { .plan = plan,
                               .software = &fused,
                               .attention = plan->attention,
                               .dtype = NNC_BF16,
                               .linear_dtype = NNC_BF16,
                               .grad_bytes = 2.0 };
    nnc_lower(model, &how, list);
    ck_assert(!list->truncated && !list->overflow);
}

/* Writes the op lists of the whole network and of one rank. The lists leave out communication, and the merges of ring
 * attention, which a single rank does not have. Returns false for an illegal plan. */
static bool split(const nnc_model *model, const nnc_plan *given) {
    const nnc_device device = cluster_device();
    nnc_plan plan;
    if (nnc_plan_resolve(given, model, &device, &plan, NULL) != NNC_OK) { return false; }
    nnc_plan alone = plan;
    alone.tensor = alone.context = alone.expert = 1;
    alone.sequence_parallel = false;
    lower(model, &alone, &whole_list);
    lower(model, &plan, &rank_list);
    nnc_list_shard(&rank_list, &plan);
    int32_t kept = 0;
    for (int32_t i = 0; i < rank_list.count; i++) {
        if (rank_list.ops[i].kind != NNC_OP_COLLECTIVE && strcmp(rank_list.ops[i].name, "attn.merge") != 0) {
            rank_list.ops[kept++] = rank_list.ops[i];
        }
    }
    rank_list.count = kept;
    ck_assert_int_eq(rank_list.count, whole_list.count);
    return true;
}

static bool in_list(const char *list, const char *name) {
    const char *at = strstr(list, name);
    const size_t length = strlen(name);
    return at != NULL && (at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0');
}

/* Returns true for ops of the residual stream. Every tensor rank computes an op of the residual stream for all tokens,
 * unless sequence parallelism divides the tokens. */
static bool in_stream(const nnc_op *op) {
    return op->kind == NNC_OP_NORM ||
           in_list("embed.positions embed.dropout attn.residual mlp.residual moe.router moe.scores "
                   "moe.dispatch moe.combine attn.q_down attn.kv_down",
                   op->name);
}

/* Returns the number of tensor ranks that repeat the work of an op. In a lookup, each rank looks up all tokens. */
static double repeated(const nnc_op *op, const nnc_plan *plan) {
    if (op->kind == NNC_OP_EMBEDDING) { return plan->tensor; }
    return in_stream(op) && !plan->sequence_parallel ? plan->tensor : 1.0;
}

/* Returns the parameters of an op on all tensor ranks. Ranks repeat the biases of products that are divided by rows,
 * and matrices that are not divided. */
static double params_on_ranks(const nnc_op *op, const nnc_plan *plan) {
    const nnc_weights *w = &op->weights;
    const double matrices = (double)w->count * (double)w->rows * (double)w->cols, t = plan->tensor;
    const bool row = in_list("attn.out mlp.down moe.shared_down", op->name);
    const bool column = in_list("attn.qkv attn.q attn.q_up attn.kv_up mlp.up mlp.gate_up "
                                "moe.shared_gate_up head.logits embed.tokens",
                                op->name);
    const bool expert = in_list("moe.gate_up moe.down", op->name);
    return matrices * (row || column || expert ? 1.0 : t) + (double)w->vector * (column ? 1.0 : t);
}

/* Returns the number of key and value heads that all tensor ranks together have in addition to the heads of the model.
 * Each rank has at least one head. */
static double extra_kv_heads(const nnc_model *model, int64_t ranks) {
    const nnc_decoder *d = &model->decoder;
    return d->kv_lora_rank == 0 && ranks > d->kv_heads ? (double)(ranks - d->kv_heads) : 0.0;
}

static void check_work(const nnc_model *model, const nnc_plan *plan) {
    const nnc_decoder *d = &model->decoder;
    const double t = plan->tensor, c = plan->context, e = plan->expert;
    const double tokens = (double)plan->micro_batch * (double)d->seq_len;
    const double extra_width = 2.0 * extra_kv_heads(model, plan->tensor) * (double)d->head_dim * (double)d->hidden;
    for (int32_t i = 0; i < whole_list.count; i++) {
        const nnc_op *whole = &whole_list.ops[i], *rank = &rank_list.ops[i];
        ck_assert_str_eq(whole->name, rank->name);
        const nnc_work w = nnc_op_work(whole), r = nnc_op_work(rank);
        const bool qkv = strcmp(whole->name, "attn.qkv") == 0;
        const double extra_flops = qkv ? 2.0 * tokens * extra_width : 0.0;
        const double again = repeated(whole, plan);
        ck_assert_msg(r.flops * t * c == w.flops * again + extra_flops, "%s: %.17g %.17g", whole->name, r.flops * t * c,
                      w.flops * again + extra_flops);
        if (!qkv) {
            ck_assert_double_eq(r.full_flops * t * c, w.full_flops * again);
            ck_assert_double_eq(r.causal_flops * t * c, w.causal_flops * again);
        }
        if (whole->weights.vector == 0) { /* each rank also adds the bias of an op that has a bias */
            ck_assert_msg(r.vector_flops * t * c == w.vector_flops * again, "%s: %.17g %.17g", whole->name,
                          r.vector_flops * t * c, w.vector_flops * again);
        }
        const double ranks = in_list("moe.gate_up moe.down", whole->name) ? t * e : t;
        const double bias = qkv && whole->weights.vector > 0 ? extra_width / (double)d->hidden : 0.0;
        ck_assert_msg((double)nnc_weights_params(&rank->weights) * ranks ==
                          params_on_ranks(whole, plan) + (qkv ? extra_width + bias : 0.0),
                      "%s: %.17g %.17g", whole->name, (double)nnc_weights_params(&rank->weights) * ranks,
                      params_on_ranks(whole, plan));
    }
}

/* Checks that the kept bytes of all ranks, minus repeated bytes, are those of one device. Without sequence parallelism,
 * ranks repeat the residual stream and the inputs of products divided by columns. With sequence parallelism, ranks
 * repeat the ids of the lookup, tokens that arrive at experts, and the key and value heads that they have in addition
 * to the heads of the model. */
static void check_kept(const nnc_model *model, const nnc_plan *plan) {
    const nnc_decoder *d = &model->decoder;
    const double t = plan->tensor, c = plan->context;
    const bool sp = plan->sequence_parallel;
    const bool ulysses = plan->context_kind == NNC_CONTEXT_ULYSSES;
    const double tokens = (double)plan->micro_batch * (double)d->seq_len;
    const int64_t kv_ranks = ulysses ? plan->tensor * plan->context : plan->tensor;
    for (int32_t i = 0; i < whole_list.count; i++) {
        const nnc_op *whole = &whole_list.ops[i], *rank = &rank_list.ops[i];
        const double all = nnc_op_kept_bytes(whole);
        const bool column = in_list("attn.qkv attn.q attn.q_up attn.kv_up mlp.up mlp.gate_up "
                                    "moe.shared_gate_up head.logits",
                                    whole->name);
        double expected = all;
        if (whole->kind == NNC_OP_EMBEDDING || strcmp(whole->name, "moe.gate_up") == 0 ||
            (!sp && (column || in_stream(whole)))) {
            expected = all * t;
        } else if (whole->kind == NNC_OP_FLASH) {
            expected = all + 2.0 * 2.0 * tokens * extra_kv_heads(model, kv_ranks) * (double)d->head_dim;
        } else if (strcmp(whole->name, "attn.scores") == 0 || strcmp(whole->name, "attn.context") == 0) {
            expected = all + 2.0 * tokens * extra_kv_heads(model, kv_ranks) * (double)d->head_dim;
        }
        ck_assert_msg(fabs(nnc_op_kept_bytes(rank) * t * c - expected) <= 1e-9 * expected,
                      "%s, tensor %g, context %g: %.17g %.17g", whole->name, t, c, nnc_op_kept_bytes(rank) * t * c,
                      expected);
    }
    for (int32_t i = 0; i < whole_list.block_count; i++) {
        ck_assert_double_eq(rank_list.blocks[i].input_bytes * c * (sp ? t : 1.0), whole_list.blocks[i].input_bytes);
    }
}

/* Tests every legal combination of tensor, sequence, context and expert parallelism. `_i`: index of the model. */
START_TEST(ranks_add_up) {
    const nnc_model *model = models(_i);
    int legal = 0, experts = 0, contexts = 0;
    for (int32_t t = 1; t <= 8; t *= 2) {
        for (int32_t c = 1; c <= 4; c *= 2) {
            for (int32_t e = 1; e <= 8; e *= 2) {
                for (int kind = 0; kind < 2 * NNC_CONTEXT_KIND_COUNT; kind++) {
                    nnc_plan plan = plan_of(8, t, 1);
                    plan.context = c;
                    plan.expert = e;
                    plan.context_kind = (nnc_context_kind)(kind / 2);
                    plan.sequence_parallel = kind % 2 == 1;
                    plan.micro_batch = 3;
                    plan.attention = c == 1 && kind >= 4 ? NNC_ATTENTION_UNFUSED : NNC_ATTENTION_FLASH;
                    if (split(model, &plan)) {
                        check_work(model, &plan);
                        check_kept(model, &plan);
                        legal++;
                        experts += e > 1;
                        contexts += c > 1;
                    }
                }
            }
        }
    }
    ck_assert_int_ge(legal, 30);
    ck_assert_int_gt(contexts, 0);
    ck_assert_int_eq(experts > 0, model->decoder.experts > 0);
}
END_TEST

/* If all degrees are one, every op stays the same to the last bit. */
START_TEST(degree_one_changes_nothing) {
    for (int i = 0; i < MODELS; i++) {
        nnc_plan plan = plan_of(4, 1, 2);
        plan.zero = 2;
        ck_assert(split(models(i), &plan));
        ck_assert_mem_eq(rank_list.ops, whole_list.ops, (size_t)whole_list.count * sizeof(nnc_op));
        ck_assert_mem_eq(rank_list.blocks, whole_list.blocks, (size_t)whole_list.block_count * sizeof(nnc_block));
    }
}
END_TEST

/* The busiest expert rank has more rows, and a smaller share of its rows is useful. */
START_TEST(imbalance) {
    const nnc_model *model = models(2);
    nnc_plan plan = plan_of(8, 1, 1);
    plan.expert = 4;
    plan.imbalance = 1.5;
    ck_assert(split(model, &plan));
    for (int32_t i = 0; i < whole_list.count; i++) {
        const nnc_op *whole = &whole_list.ops[i], *rank = &rank_list.ops[i];
        const bool expert = in_list("moe.gate_up moe.down", whole->name);
        const nnc_work w = nnc_op_work(whole), r = nnc_op_work(rank);
        ck_assert_double_eq(r.flops, w.flops * (expert ? 1.5 : 1.0));
        ck_assert_double_eq(r.full_flops, w.full_flops);
        if (whole->split == NNC_SPLIT_EXPERT_INNER || strncmp(whole->name, "moe.", 4) != 0) {
            const double rows = whole->split == NNC_SPLIT_EXPERT_INNER ? 1.5 : 1.0;
            ck_assert_double_eq(r.vector_flops, w.vector_flops * rows);
            ck_assert_double_eq(r.write_bytes, w.write_bytes * rows);
        }
    }
    plan.expert = 1; /* with one expert rank, imbalance has no effect */
    ck_assert(split(model, &plan));
    ck_assert_mem_eq(rank_list.ops, whole_list.ops, (size_t)whole_list.count * sizeof(nnc_op));
}
END_TEST

static double layer_kept(void) {
    double kept = 0.0;
    for (int32_t i = 0; i < rank_list.count; i++) {
        kept += rank_list.ops[i].block >= 0 ? nnc_op_kept_bytes(&rank_list.ops[i]) : 0.0;
    }
    return kept;
}

/* The published formula counts the bytes that unfused attention with dropout keeps in the op list, except the
 * statistics of two norms (8 bytes per token). Example F9.1: 175 billion parameters on eight ranks. */
START_TEST(published_layer) {
    static const struct {
        int32_t tensor;
        bool sequence;
        unsigned recompute;
        double bytes;
    } cases[] = {
        { 1, false, NNC_RECOMPUTE_NONE, 2868903936 },    { 8, false, NNC_RECOMPUTE_NONE, 578813952 },
        { 8, true, NNC_RECOMPUTE_NONE, 358612992 },      { 8, false, NNC_RECOMPUTE_ATTENTION, 327155712 },
        { 8, true, NNC_RECOMPUTE_ATTENTION, 106954752 },
    };
    nnc_model model = gpt(1, 12288, 96, 51200, 2048);
    model.decoder.dropout = 0.1;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_plan plan = plan_of(1, cases[i].tensor, 1);
        plan.sequence_parallel = cases[i].sequence;
        plan.recompute = cases[i].recompute;
        plan.attention = NNC_ATTENTION_UNFUSED;
        plan.micro_batch = 1;
        plan.seq_len = 2048;
        ck_assert_double_eq(nnc_korthikanti_layer_bytes(&model.decoder, &plan), cases[i].bytes);
        ck_assert(split(&model, &plan));
        const double statistics = 2 * 8 * 2048.0 / (cases[i].sequence ? 8 : 1);
        ck_assert_double_eq(layer_kept(), cases[i].bytes + statistics);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("shard");
    TCase *tests = add_case(suite, "shard", NULL, NULL);
    tcase_add_loop_test(tests, ranks_add_up, 0, MODELS);
    tcase_add_test(tests, degree_one_changes_nothing);
    tcase_add_test(tests, imbalance);
    tcase_add_test(tests, published_layer);
    return run_suite(suite);
}
