/* Tests single estimates: the parts of an estimate must add up, and each setting of the plan must have its documented
 * effect. */
#include "answers.h"
#include "cluster.h"

static double executed(const nnc_op_cost *row) { return row->work.flops; }

static double vector(const nnc_op_cost *row) { return row->work.vector_flops; }

static double moved(const nnc_op_cost *row) { return bytes_of(&row->work); }

static double time_of(const nnc_op_cost *row) { return row->time_s; }

static bool is_backward(const nnc_op_cost *row) {
    return row->op->phase == NNC_PHASE_BACKWARD || row->op->phase == NNC_PHASE_GRAD_INPUT ||
           row->op->phase == NNC_PHASE_GRAD_WEIGHT;
}

static bool is_forward(const nnc_op_cost *row) { return row->op->phase == NNC_PHASE_FORWARD; }

static bool is_recompute(const nnc_op_cost *row) { return row->op->phase == NNC_PHASE_RECOMPUTE; }

static void check_near(double found, double expected) {
    ck_assert_double_le(fabs(found - expected), 1e-12 * fabs(expected));
}

/* Checks rules that every result must follow. Uses the op table of the last estimate. */
static void check_sums(const nnc_result *r) {
    const nnc_memory *m = &r->memory;
    int32_t count = 0;
    nnc_scratch_ops(scratch, &count);
    ck_assert_int_eq(count, r->op_count);
    ck_assert_double_eq(r->forward_s + r->backward_s + r->recompute_s + r->update_s + r->exposed_comm_s + r->bubble_s +
                            r->host_s,
                        r->step_s);
    check_near((sum_rows(NULL, time_of) + r->host_s) / r->step_s, 1.0);
    check_near(sum_rows(is_forward, full_flops), r->forward_flops);
    check_near(sum_rows(is_backward, full_flops), r->backward_flops);
    check_near(sum_rows(NULL, executed), r->executed_flops);
    check_near(sum_rows(NULL, vector), r->vector_flops);
    check_near(sum_rows(NULL, moved), r->read_bytes + r->write_bytes);
    ck_assert_double_le(r->lower_bound_s, r->step_s);
    ck_assert_double_le(r->step_s, r->upper_bound_s * (1 + 1e-12));
    ck_assert_double_le(r->mfu, r->hfu);
    ck_assert_double_le(r->executed_flops / (r->step_s * r->peak_flops_per_s), 1 + 1e-12);
    ck_assert_double_gt(r->step_s, 0.0);
    ck_assert_double_le(r->step_without_bound_s, r->step_s * (1 + 1e-12));
    ck_assert_int_eq(m->weight_bytes + m->gradient_bytes + m->optimizer_bytes + m->activation_bytes +
                         m->transient_bytes + m->apart_bytes + m->reserve_bytes,
                     m->total_bytes);
    ck_assert_int_eq(m->capacity_bytes - m->total_bytes, m->headroom_bytes);
    ck_assert_int_eq(r->verdict, m->headroom_bytes < 0 ? NNC_OVER_MEMORY : NNC_FITS);
    ck_assert_ptr_nonnull(m->transient_what);
}

/* Estimates shipped models with every profile, mode, attention and kind of recomputation. `_i` is the index of the
 * model. */
START_TEST(parts_add_up) {
    static const char *const models[] = { "models/gpt2.json", "models/llama3-8b.json", "models/unet-classic.json",
                                          "models/sd1-unet.json" };
    static const char *const profiles[] = { "software/torch-compile.json", "software/torch-eager.json" };
    static const unsigned recompute[] = { NNC_RECOMPUTE_NONE, NNC_RECOMPUTE_ATTENTION,
                                          NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION, NNC_RECOMPUTE_FULL };
    const nnc_device *device = load_device("hw/a100-sxm4-80gb.json");
    const nnc_model *model = load_model(models[_i]);
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 3;
    plan.micro_batches = 2;
    plan.reserve_bytes = 1000;
    plan.clip_gradients = true;
    for (size_t s = 0; s < COUNT_OF(profiles); s++) {
        const nnc_software *software = load_software(profiles[s]);
        for (int attention = 0; attention < NNC_ATTENTION_COUNT; attention++) {
            for (size_t i = 0; i < COUNT_OF(recompute); i++) {
                plan.attention = (nnc_attention)attention;
                plan.recompute = recompute[i];
                plan.mode = NNC_MODE_PREDICTED;
                const nnc_result predicted = estimate_with(model, device, software, &plan);
                check_sums(&predicted);
                plan.mode = NNC_MODE_IDEAL;
                const nnc_result ideal = estimate_with(model, device, software, &plan);
                check_sums(&ideal);
                ck_assert_double_eq(ideal.step_s, ideal.lower_bound_s);
                ck_assert_double_eq(ideal.step_s, predicted.lower_bound_s);
                ck_assert_double_eq(ideal.forward_flops, predicted.forward_flops);
                ck_assert_int_eq(ideal.memory.total_bytes, predicted.memory.total_bytes);
            }
        }
    }
}
END_TEST

/* The times of all bounds of the step add up to the step time. */
START_TEST(bounds_add_up) {
    const nnc_model model = gpt(4, 256, 4, 1000, 128);
    const nnc_plan plan = nnc_plan_default();
    const nnc_result r = estimate(&model, &plan);
    double sum = 0.0;
    for (int i = 0; i < NNC_BOUND_COUNT; i++) {
        ck_assert_double_le(r.bound_s[i], r.bound_s[r.bound]);
        sum += r.bound_s[i];
    }
    check_near(sum, r.step_s);
    ck_assert_int_ne(r.bound, r.next_bound);
    ck_assert_double_eq(r.bound_s[NNC_BOUND_NETWORK], 0.0);
}
END_TEST

/* Ideal fusion changes how a network runs, but not which parts are trained. In this test, the text input of the network
 * needs a gradient. */
START_TEST(ideal_trains_the_same) {
    const nnc_model model = residual_unet(32, 8, 2);
    const nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    const double frozen = estimate(&model, &plan).backward_flops;
    software.context_frozen = software.fused_loss = false;
    const nnc_result predicted = estimate_with(&model, &device, &software, &plan);
    plan.mode = NNC_MODE_IDEAL;
    ck_assert_double_gt(predicted.backward_flops, frozen);
    ck_assert_double_eq(estimate_with(&model, &device, &software, &plan).backward_flops, predicted.backward_flops);
}
END_TEST

/* ---- recomputation ---- */

/* The model has 4 layers of width 64, 4 heads and 32 tokens. The plan has two sequences. */
static nnc_model model_of_recompute(void) { return gpt(4, 64, 4, 100, 32); }

static nnc_plan plan_of_recompute(unsigned recompute, nnc_attention attention) {
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 2;
    plan.precision = NNC_BF16;
    plan.recompute = recompute;
    plan.attention = attention;
    return plan;
}

/* Forward of all ops in the layers runs twice, so each product runs 4 times in total. Forward keeps only the input of
 * each layer and the tensors outside the layers. While backward runs, the tensors of one layer exist again. */
START_TEST(recompute_full) {
    const nnc_model model = model_of_recompute();
    const double tokens = 64, logits = 2 * tokens * 64 * 100;
    for (int attention = 0; attention < NNC_ATTENTION_COUNT; attention++) {
        nnc_plan plan = plan_of_recompute(NNC_RECOMPUTE_NONE, (nnc_attention)attention);
        const nnc_result none = estimate(&model, &plan);
        plan.recompute = NNC_RECOMPUTE_FULL;
        const nnc_result full = estimate(&model, &plan);
        check_sums(&full);
        ck_assert_double_eq(full.recompute_flops, none.forward_flops - logits);
        ck_assert_double_eq(full.model_flops, none.model_flops);
        ck_assert_double_eq(full.hardware_flops, 4 * (none.forward_flops - logits) + 3 * logits);
        ck_assert_double_gt(full.recompute_s, 0.0);
        ck_assert_double_le(full.recompute_s, full.forward_s);
        ck_assert_double_eq(full.forward_s, none.forward_s);
        ck_assert_double_eq(full.backward_s, none.backward_s);
        /* The tensors outside the layers are two ids, the input of the norm and its statistics, the input of the
         * logits, and the logits. */
        const double outside = tokens * (8 + 128 + 8 + 128 + 200) + 8 * 32;
        ck_assert_double_eq((double)full.memory.activation_bytes, 4 * tokens * 128 + outside);
        const double layer = ((double)none.memory.activation_bytes - outside) / 4;
        ck_assert_double_eq((double)full.memory.transient_bytes, (double)none.memory.transient_bytes + layer);
    }
}
END_TEST

/* Selective recomputation runs the two products with the scores again: Q times K, and scores times V. Selective
 * recomputation keeps neither the probabilities of 2 B, nor their copy after dropout, nor the mask of dropout. Fused
 * attention keeps neither the probabilities, nor their copy after dropout, nor the mask of dropout. */
START_TEST(recompute_selective) {
    const nnc_model model = model_of_recompute();
    /* FLOPs of the products with the scores: batch 2 x 4 layers x 4 s s h */
    const double core = 2 * 4.0 * 4 * 32 * 32 * 64;
    const int64_t probabilities = INT64_C(2) * 2 * 4 * 4 * 32 * 32;
    for (int attention = 0; attention < NNC_ATTENTION_COUNT; attention++) {
        nnc_plan plan = plan_of_recompute(NNC_RECOMPUTE_NONE, (nnc_attention)attention);
        const nnc_result none = estimate(&model, &plan);
        plan.recompute = NNC_RECOMPUTE_ATTENTION;
        const nnc_result selective = estimate(&model, &plan);
        check_sums(&selective);
        ck_assert_double_eq(selective.recompute_flops, core);
        ck_assert_int_eq(none.memory.activation_bytes - selective.memory.activation_bytes,
                         attention == NNC_ATTENTION_UNFUSED ? probabilities : 0);
    }
    nnc_model dropping = model;
    dropping.decoder.dropout = 0.1;
    nnc_plan plan = plan_of_recompute(NNC_RECOMPUTE_NONE, NNC_ATTENTION_UNFUSED);
    const int64_t kept = estimate(&dropping, &plan).memory.activation_bytes;
    plan.recompute = NNC_RECOMPUTE_ATTENTION;
    ck_assert_int_eq(kept - estimate(&dropping, &plan).memory.activation_bytes, probabilities / 2 * 5);
}
END_TEST

/* Recomputation saves the outputs of two norms, 2 B x 64 each, or of one activation, 2 B x 256, per token and layer.
 * The recomputed ops have no products, but only read and write memory. */
START_TEST(recompute_cheap) {
    const nnc_model model = model_of_recompute();
    nnc_plan plan = plan_of_recompute(NNC_RECOMPUTE_NONE, NNC_ATTENTION_FLASH);
    const nnc_result none = estimate(&model, &plan);
    static const struct {
        unsigned recompute;
        int64_t saved;
    } cases[] = { { NNC_RECOMPUTE_NORM, INT64_C(4) * 64 * 2 * 128 },
                  { NNC_RECOMPUTE_ACTIVATION, INT64_C(4) * 64 * 512 },
                  { NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION, INT64_C(4) * 64 * (2 * 128 + 512) } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        plan.recompute = cases[i].recompute;
        const nnc_result r = estimate(&model, &plan);
        check_sums(&r);
        ck_assert_double_eq(r.recompute_flops, 0.0);
        ck_assert_double_gt(r.recompute_s, 0.0);
        ck_assert_double_gt(sum_rows(is_recompute, moved), 0.0);
        ck_assert_int_eq(none.memory.activation_bytes - r.memory.activation_bytes, cases[i].saved);
    }
}
END_TEST

START_TEST(korthikanti_preset) {
    const nnc_model model = model_of_recompute();
    nnc_plan plan = plan_of_recompute(NNC_RECOMPUTE_NONE, NNC_ATTENTION_FLASH);
    plan.activations = NNC_ACTIVATIONS_KORTHIKANTI;
    const double sbh = 64 * 64;
    const double closing = 5 * sbh + 4 * 64 * 100;
    ck_assert_double_eq((double)estimate(&model, &plan).memory.activation_bytes,
                        4 * sbh * (34 + 5 * 4 * 32 / 64.0) + closing);
    plan.recompute = NNC_RECOMPUTE_ATTENTION;
    ck_assert_double_eq((double)estimate(&model, &plan).memory.activation_bytes, 4 * sbh * 34 + closing);
    plan.recompute = NNC_RECOMPUTE_FULL;
    ck_assert_double_eq((double)estimate(&model, &plan).memory.activation_bytes, 4 * sbh * 2 + closing);
}
END_TEST

/* ---- passes, optimizers, policies ---- */

/* A step with more passes has proportionally more work in these passes, but one update and the same memory. Every pass
 * adds to separate fp32 gradients, so all passes take the same time. */
START_TEST(gradient_accumulation) {
    const nnc_model model = gpt(3, 64, 4, 100, 32);
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_MIXED_FP32GRAD;
    const nnc_result one = estimate(&model, &plan);
    plan.micro_batches = 5;
    const nnc_result five = estimate(&model, &plan);
    ck_assert_double_eq(five.model_flops, 5 * one.model_flops);
    check_near(five.forward_s, 5 * one.forward_s);
    check_near(five.backward_s, 5 * one.backward_s);
    ck_assert_double_eq(five.update_s, one.update_s);
    ck_assert_int_eq(five.tokens, 5 * one.tokens);
    ck_assert_int_eq(five.plan.global_batch, 5);
    /* With one pass, memory of activations is freed while gradients are allocated. With five passes, all gradients
     * exist from the beginning of the second pass. */
    ck_assert_int_eq(five.memory.apart_bytes, 0);
    ck_assert_int_lt(one.memory.apart_bytes, 0);
    ck_assert_int_eq(five.memory.activation_bytes, one.memory.activation_bytes);
    ck_assert_int_eq(five.memory.gradient_bytes, one.memory.gradient_bytes);
    ck_assert_int_eq(five.memory.transient_bytes, one.memory.transient_bytes);
    /* Without separate sums, the first pass writes each gradient, and the later passes read and write each gradient. */
    plan.policy = NNC_POLICY_MIXED;
    const nnc_result plain = estimate(&model, &plan);
    plan.micro_batches = 1;
    ck_assert_double_gt(plain.backward_s, 5 * estimate(&model, &plan).backward_s);
}
END_TEST

/* A kernel adds the gradients of each pass to wider sums of all parameters. If a separate kernel adds the gradients, a
 * product writes 2 B per gradient, instead of reading and writing a sum of 4 B. If sums are not wider than gradients,
 * the gradients of the first pass are the first sums. */
START_TEST(added_gradients) {
    const nnc_model model = gpt(3, 64, 4, 100, 32);
    const nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_MIXED_FP32GRAD;
    plan.micro_batches = 5;
    const nnc_result inside = estimate_with(&model, &device, &software, &plan);
    software.added_gradients = true;
    const nnc_result added = estimate_with(&model, &device, &software, &plan);
    const double params = (double)added.params;
    ck_assert_double_lt(added.read_bytes + added.write_bytes, inside.read_bytes + inside.write_bytes + 5 * 10 * params);
    ck_assert_double_gt(added.read_bytes + added.write_bytes,
                        inside.read_bytes + inside.write_bytes + 5 * (10 - 6) * params);
    ck_assert_double_eq_tol(added.update_s - inside.update_s, 5 * 10 * params / device.mem_bytes_per_s,
                            1e-9 * added.update_s);
    ck_assert_double_eq(added.lower_bound_s, inside.lower_bound_s);
    plan.policy = NNC_POLICY_MIXED; /* with this policy, the sums have the number format of the weights */
    const nnc_result plain = estimate_with(&model, &device, &software, &plan);
    plan.micro_batches = 1;
    const nnc_result once = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq_tol(plain.update_s - once.update_s, 4 * 6 * params / device.mem_bytes_per_s,
                            1e-9 * plain.update_s);
    software.added_gradients = false;
    ck_assert_double_eq(once.step_s, estimate_with(&model, &device, &software, &plan).step_s);
}
END_TEST

/* The test compares the pages of a heap with numbers worked by hand from malloc.c of glibc 2.36. A C program with the
 * same calls of malloc takes the same number of pages. Blocks have 1,000,000 B, their chunks have 1,000,064 B, and
 * pages have 4096 B:
 *
 *     Take a block and free it: the block is mapped separately and has 245 pages. Later blocks below 1,003,520 B come
 *     from the heap. The heap is trimmed if at least 2,007,040 B are free at its end.
 *     Take the blocks a, b (100,000 B) and c: in the heap, a has 245 pages, b ends at page 269, and c ends at page 513.
 *     Free a, then take a block of 500,000 B: the block fits in the hole that a left, and takes no new pages.
 *     Free c and take it again: the end of the heap was not trimmed, so c takes no new pages.
 *     Free all blocks: 2,232,320 B are free at the end of the heap, and 33 pages stay (M_TOP_PAD and a chunk).
 *     Take a block: it takes 245 - 33 new pages. */
START_TEST(heap_of_glibc) {
    const double page = 4096.0;
    nnc_hole holes[8];
    nnc_heap h = { .mapped_least = 131072, .trim_least = 131072, .holes = holes };
    nnc_heap_free(&h, nnc_heap_take(&h, 1000000), 1000000);
    ck_assert_double_eq(h.new_bytes, 245 * page);
    ck_assert_int_eq(h.mapped_least, 1003520);
    ck_assert_int_eq(h.trim_least, 2007040);
    const int64_t a = nnc_heap_take(&h, 1000000), b = nnc_heap_take(&h, 100000), c = nnc_heap_take(&h, 1000000);
    ck_assert_int_eq(a, 0);
    ck_assert_int_eq(b, 1000064);
    ck_assert_int_eq(c, 1100096);
    ck_assert_double_eq(h.new_bytes, (245 + 513) * page);
    nnc_heap_free(&h, a, 1000000);
    const int64_t d = nnc_heap_take(&h, 500000);
    ck_assert_int_eq(d, 0);
    nnc_heap_free(&h, c, 1000000);
    ck_assert_int_eq(nnc_heap_take(&h, 1000000), c);
    ck_assert_double_eq(h.new_bytes, (245 + 513) * page);
    nnc_heap_free(&h, c, 1000000);
    nnc_heap_free(&h, b, 100000);
    ck_assert_int_eq(h.end, 2232320);
    nnc_heap_free(&h, d, 500000);
    ck_assert_int_eq(h.end, 33 * 4096);
    ck_assert_int_eq(h.count, 0);
    ck_assert_int_eq(nnc_heap_take(&h, 1000000), 0);
    ck_assert_double_eq(h.new_bytes, (245 + 513 + 245 - 33) * page);
}
END_TEST

/* This test uses the limits of malloc.c in glibc. The size of a chunk is the size of its block plus 16 B, and
 * the sum is rounded up to 64 B. A block
 * whose chunk has M_MMAP_THRESHOLD bytes is mapped separately. A block that is 64 B smaller comes from the heap:
 * 131,008 + 131,072 + 32 B are 64 pages, and the block touches 32 of these pages. If a mapped block that is larger than
 * the threshold is freed, the threshold rises to the size of this block, up to 32 MiB. Freeing a block that leaves a
 * hole of 64 KiB trims the end of the heap; a hole that is 64 B smaller does not. The end of the heap is trimmed if at
 * least trim_least bytes are free there. The 131,072 B in use, M_TOP_PAD of 131,072 B and 33 B remain, which are 65
 * pages. */
START_TEST(limits_of_the_heap) {
    const double page = 4096.0;
    nnc_hole holes[8];
    nnc_heap h = { .mapped_least = 131072, .trim_least = 131072, .holes = holes };
    ck_assert_int_eq(nnc_heap_take(&h, 131072 - 16), NNC_HEAP_MAPPED);
    ck_assert_double_eq(h.new_bytes, 32 * page);
    nnc_heap_free(&h, NNC_HEAP_MAPPED, 131072 - 16);
    ck_assert_int_eq(h.trim_least, 131072);
    ck_assert_int_eq(nnc_heap_take(&h, 131072 - 64 - 16), 0);
    ck_assert_double_eq(h.new_bytes, (32 + 32) * page);
    ck_assert_int_eq(h.end, 64 * 4096);
    nnc_heap_free(&h, NNC_HEAP_MAPPED, 33554432);
    ck_assert_int_eq(h.mapped_least, 131072);
    nnc_heap_free(&h, NNC_HEAP_MAPPED, 33554432 - 16);
    ck_assert_int_eq(h.mapped_least, 33554432);
    ck_assert_int_eq(h.trim_least, 67108864);
    /* There are three holes, and the block takes the hole of exactly its own size. */
    h = (nnc_heap){ .top = 8192, .end = 8192, .touched = 8192, .count = 3, .holes = holes };
    holes[0] = (nnc_hole){ 0, 128 };
    holes[1] = (nnc_hole){ 1024, 64 };
    holes[2] = (nnc_hole){ 4096, 256 };
    ck_assert_int_eq(nnc_heap_take(&h, 64 - 16), 1024);
    ck_assert_int_eq(h.count, 2);
    ck_assert_int_eq(holes[0].at, 0);
    ck_assert_int_eq(holes[1].at, 4096);
    ck_assert_int_eq(holes[1].size, 256);
    ck_assert_int_eq(nnc_heap_take(&h, 64 - 16), 0); /* the block takes the smallest hole that is large enough */
    ck_assert_int_eq(holes[0].at, 64);
    ck_assert_int_eq(holes[0].size, 64);
    for (int64_t less = 0; less <= 64; less += 64) {
        for (int more = 0; more < 2; more++) {
            h = (nnc_heap){ .trim_least = 97 * 4096 - 131072 + more, .top = 131072, .end = 97 * 4096, .holes = holes };
            h.touched = h.end;
            nnc_heap_free(&h, 0, 65536 - 16 - less);
            ck_assert_int_eq(h.count, 1);
            ck_assert_int_eq(h.end, less == 0 && more == 0 ? 65 * 4096 : 97 * 4096);
            ck_assert_int_eq(h.touched, h.end);
        }
    }
}
END_TEST

/* The op is one product of 16 rows with a matrix of 4096 x 4096, which has 64 MiB. The gradient of the matrix and two
 * temporary tensors of Adam are mapped separately in each step. The gradient and the two temporary tensors take 16,385
 * pages each, including the header of the chunk. The input of 256 KiB and its gradient are mapped in the first step, 65
 * pages each. After the first step, the input and its gradient are in the heap. At the end of the second step, 659,456
 * B are free at the end of the heap. 659,456 B are more than twice 65 pages, so the heap is trimmed to 33 pages. In the
 * third step, the input and its gradient (262,208 B each, with headers) end in page 129 of the heap. A second pass also
 * allocates the gradient, after the heap was trimmed a second time. */
START_TEST(new_memory_of_a_product) {
    static nnc_op_list list;
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_FP32;
    list.segment_count = list.count = 1;
    list.segments[0].instances = 1;
    list.ops[0] = (nnc_op){ .kind = NNC_OP_MATMUL,
                            .phase = NNC_PHASE_FORWARD,
                            .dtype = NNC_FP32,
                            .math_dtype = NNC_FP32,
                            .repeat = 1,
                            .block = -1,
                            .weights = { .count = 1, .rows = 4096, .cols = 4096 },
                            .u.matmul = { .batch = 1,
                                          .m = 16,
                                          .n = 4096,
                                          .k = 4096,
                                          .b_shared = 1,
                                          .b_is_weight = true,
                                          .needs_grad_input = true,
                                          .keeps_a = true,
                                          .kept_divisor = 1 } };
    const double params = 4096.0 * 4096.0, page = 4096.0;
    const double once = nnc_new_bytes_per_param(&list, &plan, &software, 1) * params;
    ck_assert_double_eq_tol(once, (3 * 16385 + 129 - 33) * page, 1e-3);
    ck_assert_double_eq_tol(nnc_new_bytes_per_param(&list, &plan, &software, 5) * params,
                            once + 4 * (16385 + 129 - 33) * page, 1e-3);
    plan.optimizer = NNC_OPTIMIZER_MOMENTUM;
    ck_assert_double_eq_tol(nnc_new_bytes_per_param(&list, &plan, &software, 1) * params, (16385 + 129 - 33) * page,
                            1e-3);
}
END_TEST

/* The op is a convolution to 5 channels of 2048 x 2048 in fp32. oneDNN copies maps to its own layout, except an input
 * with at most 3 channels. The kept input and the copies are mapped separately each time, with a header of 16 B. A map
 * of 4 channels (64 MiB) takes 16,385 pages, a map of 3 channels 12,289 pages, and a map of 5 channels 20,481 pages.
 * Forward keeps the input and copies input and output. The gradient of the weights copies the input and the gradient of
 * the output again. If the kernel is larger than 14 x 14, the gradient of the weights also needs a working set: one
 * image, and four times the weights (4 x 4 B x 4 x 5 x 225: 72,000 B). The gradient of the input copies its two maps
 * and writes its result. A kernel of one tap copies no maps. The weights are in the heap, whose size does not change
 * after the first step. */
START_TEST(new_memory_of_a_convolution) {
    static const struct {
        int64_t c_in, kernel;
        bool grad_input;
        double pages;
    } cases[] = { { 4, 3, false, 3 * 16385 + 2 * 20481 },       { 4, 3, true, 5 * 16385 + 3 * 20481 },
                  { 4, 15, false, 4 * 16385 + 17 + 2 * 20481 }, { 4, 14, false, 3 * 16385 + 2 * 20481 },
                  { 3, 3, false, 12289 + 2 * 20481 },           { 4, 1, false, 16385 },
                  { 3, 3, true, 2 * 12289 + 3 * 20481 } };
    static nnc_op_list list;
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_FP32;
    plan.optimizer = NNC_OPTIMIZER_SGD;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int64_t taps = cases[i].kernel * cases[i].kernel;
        list.segment_count = list.count = 1;
        list.segments[0].instances = 1;
        list.ops[0] = (nnc_op){ .kind = NNC_OP_CONV,
                                .phase = NNC_PHASE_FORWARD,
                                .dtype = NNC_FP32,
                                .math_dtype = NNC_FP32,
                                .repeat = 1,
                                .block = -1,
                                .weights = { .count = 1, .rows = cases[i].c_in * taps, .cols = 5 },
                                .u.conv = { .batch = 1,
                                            .c_in = cases[i].c_in,
                                            .c_out = 5,
                                            .h_in = 2048,
                                            .w_in = 2048,
                                            .h_out = 2048,
                                            .w_out = 2048,
                                            .kernel = cases[i].kernel,
                                            .stride = 1,
                                            .groups = 1,
                                            .needs_grad_input = cases[i].grad_input,
                                            .keeps_input = true } };
        const double params = (double)(cases[i].c_in * taps * 5);
        const double bytes = nnc_new_bytes_per_param(&list, &plan, &software, 1) * params;
        ck_assert_msg(fabs(bytes / 4096.0 - cases[i].pages) < 1e-6, "%zu: %.3f pages", i, bytes / 4096.0);
        /* Full recomputation keeps no input of an op inside a recompute block. The first block has the number 0. */
        plan.recompute = NNC_RECOMPUTE_FULL;
        for (int32_t block = -1; block < 2; block++) {
            list.ops[0].block = block;
            const double kept = block < 0 ? 0.0 : cases[i].c_in == 3 ? 12289.0 : 16385.0;
            ck_assert_double_eq_tol(nnc_new_bytes_per_param(&list, &plan, &software, 1) * params / 4096.0,
                                    cases[i].pages - kept, 1e-6);
        }
        plan.recompute = 0;
    }
}
END_TEST

/* A tensor of 131,072 x 64 in fp32 has 32 MiB. With the header of its chunk, the tensor takes 8193 pages and is mapped
 * separately each time. In each step, the gradient of the tensor (unless it is kept) and two temporary tensors of Adam
 * also have 32 MiB. All tensors of another size are in the heap. */
START_TEST(new_memory) {
    nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_FP32;
    const nnc_model model = gpt(3, 64, 4, 131072, 32);
    const double mapped = 8193 * 4096.0;
    double bytes[4];
    for (int i = 0; i < 4; i++) {
        software.zero_gradients = i % 2 == 1;
        plan.optimizer = i < 2 ? NNC_OPTIMIZER_ADAMW : NNC_OPTIMIZER_MOMENTUM;
        device.host.new_bytes_per_s = (double)NAN;
        const nnc_result old = estimate_with(&model, &device, &software, &plan);
        device.host.new_bytes_per_s = 2e9;
        const nnc_result new = estimate_with(&model, &device, &software, &plan);
        bytes[i] = (new.update_s - old.update_s) * 2e9;
        ck_assert_double_eq(new.backward_s, old.backward_s);
    }
    ck_assert_double_ge(bytes[0], 3 * mapped);
    ck_assert_double_lt(bytes[0], 4 * mapped);
    ck_assert_double_ge(bytes[1], 2 * mapped);
    ck_assert_double_ge(bytes[2], mapped);
    ck_assert_double_lt(bytes[3], bytes[1]);
}
END_TEST

/* On a device that is its own host, SGD with momentum reads and writes 20 B per parameter at half of the bandwidth, the
 * rate of sums. AdamW runs at a quarter of the bandwidth, with 28 B per parameter. On a device with a host, SGD and
 * AdamW use the efficiency of the optimizer. */
START_TEST(updates_of_a_cpu) {
    nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    const nnc_model model = gpt(3, 64, 4, 100, 32);
    nnc_plan plan = nnc_plan_default();
    plan.policy = NNC_POLICY_FP32;
    plan.clip_gradients = false;
    device.host.kernel_s = 0.0;
    device.efficiency.optimizer = (nnc_efficiency){ 1.0, 0.25, 0.0 };
    device.efficiency.stream.memory_fraction = 0.5;
    device.efficiency.stream.fixed_s = 0.0;
    const nnc_result adamw = estimate_with(&model, &device, &software, &plan);
    nnc_software slow = software;
    slow.launch_s = 1e-3; /* a launch time has no effect, because a CPU is its own host */
    ck_assert_double_eq(estimate_with(&model, &device, &slow, &plan).step_s, adamw.step_s);
    ck_assert_double_eq_tol(adamw.update_s, 28.0 * (double)adamw.params / (0.25 * device.mem_bytes_per_s), 1e-12);
    plan.optimizer = NNC_OPTIMIZER_MOMENTUM;
    const nnc_result momentum = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq_tol(momentum.update_s, 20.0 * (double)momentum.params / (0.5 * device.mem_bytes_per_s), 1e-12);
    device.host.kernel_s = 1e-5;
    const nnc_result hosted = estimate_with(&model, &device, &software, &plan);
    ck_assert_double_eq_tol(hosted.update_s, 20.0 * (double)hosted.params / (0.25 * device.mem_bytes_per_s), 1e-12);
}
END_TEST

/* On one device, gradients are added to sums of all trained parameters, including those of experts. */
START_TEST(added_gradients_of_experts) {
    nnc_model model = llama(2, 64, 4, 2, 32, 100, 32);
    model.decoder.experts = 4;
    model.decoder.experts_per_token = 2;
    model.decoder.expert_hidden = 32;
    const nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    int32_t count = 0, found = 0;
    software.added_gradients = true;
    plan.micro_batches = 5;
    const nnc_result r = estimate_with(&model, &device, &software, &plan);
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    for (int32_t i = 0; i < count; i++) {
        if (rows[i].op->kind == NNC_OP_UPDATE && rows[i].op->u.update.kind == NNC_UPDATE_ADD) {
            ck_assert_int_eq(rows[i].op->u.update.params, r.params);
            found++;
        }
    }
    ck_assert_int_eq(found, 1);
}
END_TEST

/* Once per step, gradients go to the host and weights come back, 2 B per parameter at 25 GB/s. */
START_TEST(offload_moves_once) {
    const nnc_model model = gpt(3, 64, 4, 100, 32);
    nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    device.host = (nnc_host_link){ .bytes_per_s = 25e9, .mem_bytes_per_s = 50e9 };
    plan.offload = NNC_OFFLOAD_OPTIMIZER;
    plan.micro_batches = 3;
    const nnc_result r = estimate_with(&model, &device, &software, &plan);
    int32_t count = 0, found = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    const double once_s = 2.0 * (double)r.params / 25e9;
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(rows[i].op->name, "offload.gradients") == 0 || strcmp(rows[i].op->name, "offload.weights") == 0) {
            ck_assert_double_eq(rows[i].repeat, 1.0);
            ck_assert_double_eq_tol(rows[i].network_s, once_s, 1e-9 * once_s);
            found++;
        }
    }
    ck_assert_int_eq(found, 2);
}
END_TEST

/* With twice as many replicas and the same micro-batch per replica, all devices together execute twice the products. */
START_TEST(replicas_execute_their_own) {
    const nnc_model model = gpt(2, 64, 4, 100, 8);
    nnc_plan plan = plan_of(1, 1, 1);
    const nnc_result one = estimate_on_cluster(&model, &plan);
    plan.data = 2;
    ck_assert_double_eq(estimate_on_cluster(&model, &plan).executed_flops, 2.0 * one.executed_flops);
}
END_TEST

static nnc_memory memory_of(const nnc_model *model, nnc_plan plan, nnc_method method, double params) {
    const nnc_device device = cluster_device();
    const nnc_software software = nnc_software_default();
    nnc_run_ask ask = nnc_run_ask_default();
    ask.method = method;
    ask.reference_params = ask.reward_params = ask.critic_params = params;
    ask.teacher_params = 1e6;
    nnc_method_helpers(&ask, &plan);
    return estimate_with(model, &device, &software, &plan).memory;
}

static nnc_memory memory_with(nnc_plan plan, nnc_method method, double params) {
    const nnc_model model = gpt(2, 64, 4, 100, 8);
    return memory_of(&model, plan, method, params);
}

/* The test compares the memory of frozen helper models with numbers worked by hand. Helper models take 2 bytes per
 * parameter. ZeRO 3 divides the weights of helper models over the ranks if weights are freed after forward. With
 * adapters, the reference model is the base model without adapters. With a trained critic, memory has twice the
 * weights, gradients and states. Sources: trl/trainer/dpo_trainer.py, trl/models/utils.py (prepare_deepspeed). */
START_TEST(helper_models) {
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.devices = 4;
    const double as_policy = (double)NAN;
    const nnc_memory alone = memory_with(plan, NNC_METHOD_TRAIN, as_policy);
    ck_assert_int_eq(alone.helper_bytes, 0);
    nnc_memory m = memory_with(plan, NNC_METHOD_DPO, as_policy);
    ck_assert_int_eq(m.helper_bytes, alone.weight_bytes);
    const nnc_model experts = mixtral(2, 64, 4, 4, 128, 16, 100, 8); /* experts have most weights */
    ck_assert_int_eq(memory_of(&experts, plan, NNC_METHOD_DPO, as_policy).helper_bytes,
                     memory_of(&experts, plan, NNC_METHOD_TRAIN, as_policy).weight_bytes);
    ck_assert_int_eq(m.weight_bytes, 2 * alone.weight_bytes);
    ck_assert_int_eq(m.optimizer_bytes, alone.optimizer_bytes);
    ck_assert_int_eq(memory_with(plan, NNC_METHOD_DPO, 0.0).weight_bytes, alone.weight_bytes);
    ck_assert_int_eq(memory_with(plan, NNC_METHOD_DPO, 5e5).helper_bytes, 1000000);
    ck_assert_int_eq(memory_with(plan, NNC_METHOD_DISTILL, as_policy).helper_bytes, 2000000);
    m = memory_with(plan, NNC_METHOD_PPO, as_policy); /* frozen: reference, reward; trained: policy, critic */
    ck_assert_int_eq(m.helper_bytes, 2 * alone.weight_bytes);
    ck_assert_int_eq(m.weight_bytes, 4 * alone.weight_bytes);
    ck_assert_int_eq(m.gradient_bytes, 2 * alone.gradient_bytes);
    ck_assert_int_eq(m.optimizer_bytes, 2 * alone.optimizer_bytes);
    nnc_plan projected = plan; /* with GaLore, the moments of the critic are as large as those of the policy */
    projected.optimizer = NNC_OPTIMIZER_GALORE;
    projected.optimizer_rank = 2;
    ck_assert_int_eq(memory_with(projected, NNC_METHOD_PPO, as_policy).optimizer_bytes,
                     2 * memory_with(projected, NNC_METHOD_TRAIN, as_policy).optimizer_bytes);
    plan.zero = 3;
    ck_assert_int_eq(memory_with(plan, NNC_METHOD_DPO, 5e5).helper_bytes, 250000);
    plan.reshard = false;
    ck_assert_int_eq(memory_with(plan, NNC_METHOD_DPO, 5e5).helper_bytes, 1000000);
    plan.zero = 0;
    plan.precision = NNC_FP32;
    ck_assert_int_eq(memory_with(plan, NNC_METHOD_DPO, as_policy).helper_bytes, 2 * alone.weight_bytes);
    plan.adapter_rank = 2;
    ck_assert_int_eq(memory_with(plan, NNC_METHOD_DPO, as_policy).helper_bytes, 0);
    plan.adapter_rank = 0;
    plan.helper_copies = -1.0;
    const nnc_model model = gpt(2, 64, 4, 100, 8);
    const nnc_device device = cluster_device();
    nnc_plan resolved = nnc_plan_default();
    ck_assert_int_eq(nnc_plan_resolve(&plan, &model, &device, &resolved, NULL), NNC_ILLEGAL_PLAN);
}
END_TEST

/* The table lists bytes per parameter for each policy: weights, gradients, and master copy with Adam's two moments. It
 * also lists temporary bytes. */
START_TEST(policies) {
    static const struct {
        nnc_policy policy;
        nnc_dtype precision;
        int64_t weight, gradient, states, transient;
    } cases[] = {
        { NNC_POLICY_FP32, NNC_FP32, 4, 4, 8, 0 },
        { NNC_POLICY_FP32, NNC_BF16, 4, 4, 8, 0 },
        { NNC_POLICY_MIXED, NNC_BF16, 2, 2, 12, 0 },
        { NNC_POLICY_MIXED_FP32GRAD, NNC_BF16, 2, 4, 12, 0 },
        { NNC_POLICY_MIXED_BOTH, NNC_BF16, 2, 6, 12, 0 },
        { NNC_POLICY_AMP, NNC_FP16, 4, 4, 8, 2 },
        { NNC_POLICY_BF16_STATES_FP32, NNC_BF16, 2, 0, 8, 2 },
        { NNC_POLICY_BF16_PURE, NNC_BF16, 2, 2, 4, 0 },
        { NNC_POLICY_FP8, NNC_FP8, 1, 4, 8, 0 },
    };
    nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    const nnc_model model = gpt(2, 64, 4, 100, 8);
    nnc_plan plan = nnc_plan_default();
    device.matmul_flops_per_s[NNC_FP8] = 200e12;
    plan.precision = NNC_BF16;
    const int64_t gradients_of_activations = estimate_with(&model, &device, &software, &plan).memory.transient_bytes;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        plan.policy = cases[i].policy;
        plan.precision = cases[i].precision;
        const nnc_result r = estimate_with(&model, &device, &software, &plan);
        check_sums(&r);
        ck_assert_int_eq(r.memory.weight_bytes, cases[i].weight * r.params);
        ck_assert_int_eq(r.memory.gradient_bytes, cases[i].gradient * r.params);
        ck_assert_int_eq(r.memory.optimizer_bytes, cases[i].states * r.params);
        if (cases[i].precision != NNC_FP32) {
            ck_assert_int_eq(r.memory.transient_bytes, gradients_of_activations + cases[i].transient * r.params);
        }
    }
}
END_TEST

/* GaLore of rank 128 trains LLaMA 7B in bf16. Each layer has four matrices of 4096 x 4096 and three matrices of 4096 x
 * 11008. The optimizer states of a matrix have 128 times its shorter side and twice 128 times its longer side. Tables
 * and norm weights have two whole moments. APOLLO has the same states as GaLore, but projects only once. */
START_TEST(projected_moments) {
    const nnc_model *model = load_model("models/llama-7b.json");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.policy = NNC_POLICY_BF16_PURE;
    plan.optimizer = NNC_OPTIMIZER_GALORE;
    plan.optimizer_rank = 128;
    const double sides = 32.0 * (4 * 3 * 4096.0 + 3 * (4096.0 + 2 * 11008.0));
    const double matrices = 32.0 * (4 * 4096.0 * 4096.0 + 3 * 4096.0 * 11008.0);
    const nnc_result galore = estimate(model, &plan);
    ck_assert_double_eq((double)galore.memory.optimizer_bytes,
                        2 * (128 * sides + 2 * ((double)galore.params - matrices)));
    plan.optimizer = NNC_OPTIMIZER_APOLLO;
    const nnc_result apollo = estimate(model, &plan);
    ck_assert_int_eq(apollo.memory.optimizer_bytes, galore.memory.optimizer_bytes);
    ck_assert_double_eq_tol(galore.executed_flops - apollo.executed_flops, 2.0 * 128 * matrices, 1e6);
    plan.optimizer = NNC_OPTIMIZER_GALORE; /* a rank of 4096 is the full rank of the matrices */
    plan.optimizer_rank = 4096;
    const nnc_result whole = estimate(model, &plan);
    plan.optimizer_rank = 65536;
    const nnc_result above = estimate(model, &plan);
    ck_assert_int_eq(above.memory.optimizer_bytes, whole.memory.optimizer_bytes);
    ck_assert_double_eq(above.executed_flops, whole.executed_flops);
    ck_assert_double_eq((double)whole.memory.optimizer_bytes,
                        2 * (4096 * sides + 2 * ((double)galore.params - matrices)));
    /* AdamW has two bf16 moments, and backward drops each gradient after its use */
    plan.optimizer = NNC_OPTIMIZER_ADAMW;
    plan.policy = NNC_POLICY_BF16_LAYERWISE;
    const nnc_result layerwise = estimate(model, &plan);
    ck_assert_int_eq(layerwise.memory.optimizer_bytes, 4 * layerwise.params);
    ck_assert_int_eq(layerwise.memory.gradient_bytes, 0);
}
END_TEST

/* The keys and values of BART's cross-attention are two matrices of 768 x 768. A layer of the encoder has 4 matrices of
 * 768 x 768 and 2 of 768 x 3072. A layer of the decoder has 8 matrices of 768 x 768 and 2 of 768 x 3072. */
START_TEST(projected_moments_of_two_stacks) {
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    plan.policy = NNC_POLICY_BF16_PURE;
    plan.optimizer = NNC_OPTIMIZER_GALORE;
    const nnc_result r = estimate(load_model("hub/bart-base.json"), &plan);
    const double sides = 6 * (12 * 3 * 768.0 + 4 * (768.0 + 2 * 3072.0));
    const double matrices = 6 * (12 * 768.0 * 768.0 + 4 * 768.0 * 3072.0);
    ck_assert_double_eq((double)r.memory.optimizer_bytes, 2 * (16 * sides + 2 * ((double)r.params - matrices)));
}
END_TEST

/* Moments are fp32. A layer of the tiny GPT has matrices of 4x12, 4x4, 4x16 and 16x4, and 52 elements of biases and
 * norm weights. The tables are 10x4 and 3x4. The last norm has 8 elements. */
START_TEST(optimizers) {
    const nnc_model model = gpt(2, 4, 2, 10, 3);
    const double params = 40 + 12 + 2 * (192 + 52) + 8, matrices = 2 * 192;
    const double factored = 2 * (16 + 8 + 20 + 20 + 52) + 14 + 7 + 8;
    /* Queries, keys, values and output are 4x4 matrices. The states have the shorter side of each matrix once and the
     * longer side twice. */
    const double projected = 2 * (4 * (4 + 8) + 2 * (4 + 32));
    const struct {
        nnc_optimizer optimizer;
        double bytes;
    } cases[] = {
        { NNC_OPTIMIZER_SGD, 0 },
        { NNC_OPTIMIZER_MOMENTUM, 4 * params },
        { NNC_OPTIMIZER_RMSPROP, 4 * params },
        { NNC_OPTIMIZER_ADAM, 8 * params },
        { NNC_OPTIMIZER_ADAMW, 8 * params },
        { NNC_OPTIMIZER_LION, 4 * params },
        { NNC_OPTIMIZER_LAMB, 8 * params },
        { NNC_OPTIMIZER_LARS, 4 * params },
        { NNC_OPTIMIZER_ADAM8BIT, ceil(2.03125 * params) },
        { NNC_OPTIMIZER_ADAM4BIT, ceil(1.0625 * params) },
        { NNC_OPTIMIZER_ADAM_MINI, 4 * params },
        { NNC_OPTIMIZER_ADAFACTOR, 4 * factored },
        { NNC_OPTIMIZER_MUON, 4 * (2 * params - matrices) },
        { NNC_OPTIMIZER_GALORE, 4 * (2 * projected + 2 * (params - matrices)) },
        { NNC_OPTIMIZER_APOLLO, 4 * (2 * projected + 2 * (params - matrices)) },
    };
    ck_assert_int_eq((int)COUNT_OF(cases), NNC_OPTIMIZER_COUNT);
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_FP32;
    plan.optimizer_rank = 2;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        plan.optimizer = cases[i].optimizer;
        const nnc_result r = estimate(&model, &plan);
        check_sums(&r);
        ck_assert_double_eq((double)r.memory.optimizer_bytes, cases[i].bytes);
        ck_assert_double_eq((double)r.memory.gradient_bytes, 4 * params);
    }
    /* In addition to the products of the model, Muon multiplies the four matrices of each layer. */
    plan.optimizer = NNC_OPTIMIZER_MUON;
    const nnc_result muon = estimate(&model, &plan);
    plan.optimizer = NNC_OPTIMIZER_ADAMW;
    ck_assert_double_eq(muon.executed_flops - estimate(&model, &plan).executed_flops,
                        2 * (nnc_muon_flops(4, 12) + nnc_muon_flops(4, 4) + 2 * nnc_muon_flops(4, 16)));
    ck_assert_double_eq(muon.model_flops, estimate(&model, &plan).model_flops);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("estimate");
    TCase *models = add_case(suite, "shipped models", open_support, close_support);
    tcase_add_loop_test(models, parts_add_up, 0, 4);
    TCase *tests = add_case(suite, "estimate", open_support, close_support);
    tcase_add_test(tests, bounds_add_up);
    tcase_add_test(tests, ideal_trains_the_same);
    tcase_add_test(tests, recompute_full);
    tcase_add_test(tests, recompute_selective);
    tcase_add_test(tests, recompute_cheap);
    tcase_add_test(tests, korthikanti_preset);
    tcase_add_test(tests, gradient_accumulation);
    tcase_add_test(tests, added_gradients);
    tcase_add_test(tests, heap_of_glibc);
    tcase_add_test(tests, limits_of_the_heap);
    tcase_add_test(tests, new_memory_of_a_product);
    tcase_add_test(tests, new_memory_of_a_convolution);
    tcase_add_test(tests, new_memory);
    tcase_add_test(tests, updates_of_a_cpu);
    tcase_add_test(tests, added_gradients_of_experts);
    tcase_add_test(tests, offload_moves_once);
    tcase_add_test(tests, policies);
    tcase_add_test(tests, helper_models);
    tcase_add_test(tests, replicas_execute_their_own);
    tcase_add_test(tests, projected_moments);
    tcase_add_test(tests, projected_moments_of_two_stacks);
    tcase_add_test(tests, optimizers);
    return run_suite(suite);
}
