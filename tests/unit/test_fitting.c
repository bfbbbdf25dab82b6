/* Tests memory, by hand and for random plans: bytes kept by libraries of models, the peak during backward, and the
 * largest sizes that fit. */
#include <string.h>

#include "cluster.h"
#include "estimate/estimate_internal.h"

/* The model has one layer of width h = 64, 4 heads, 100 words and T = 32 tokens. */
enum { T = 32, H = 64, A = 4, V = 100 };

static nnc_software eager(void) {
    nnc_software software = nnc_software_default();
    software.library_kept = true;
    software.norm_keep = NNC_KEEP_UPCAST;
    software.fused_activation = false;
    software.reserve = (nnc_reserve){ .share = 0.03, .low = 1.0, .high = 1.0, .context = 100.0 };
    return software;
}

static nnc_result again(nnc_model model, nnc_policy policy, unsigned recompute) {
    const nnc_device device = plain_device();
    const nnc_software software = eager();
    nnc_plan plan = nnc_plan_default();
    plan.policy = policy;
    plan.precision = NNC_BF16;
    plan.micro_batch = 1;
    plan.recompute = recompute;
    return estimate_with(&model, &device, &software, &plan);
}

static nnc_result under(nnc_model model, nnc_policy policy) { return again(model, policy, NNC_RECOMPUTE_NONE); }

/* The numbers are bytes that GPT-2 of transformers keeps per token and hidden unit. Under autocast, two norms keep
 * their fp32 inputs (2 x 4 bytes), and c_attn and c_fc keep 16-bit copies (2 x 2 bytes). Attention keeps Q, K and V (3
 * x 2 bytes) and its output (2 bytes). gelu_new works on 4 h values, and keeps 14 bytes and a cast output of 2 bytes
 * for each. The sum is 84. In pure bf16, the norms keep 2 x 2 bytes, c_attn and c_fc keep 2 x 2 bytes, attention keeps
 * 8 bytes, and gelu_new keeps (8 + 2) x 4 bytes. The sum is 56. Sources: src/shape/issued.c. */
START_TEST(gpt2_by_hand) {
    nnc_model model = gpt(1, H, A, V, T);
    model.implementation = NNC_IMPLEMENTATION_TRANSFORMERS;
    model.composed_gelu = model.joined_qkv = true;
    const double statistics = T * (2 * 8.0 + 4.0 * A); /* of norms; log-sum-exp */
    const double ids = nnc_positions_learned(model.decoder.positions) ? T * 16.0 : T * 8.0;
    const double amp_ends = T * (H * (4.0 + 2.0) + 8.0 + 4.0 * V) + ids;
    const double half_ends = T * (H * (2.0 + 2.0) + 8.0 + 4.0 * V) + ids;
    ck_assert_double_eq((double)under(model, NNC_POLICY_AMP).memory.activation_bytes,
                        84.0 * T * H + statistics + amp_ends);
    ck_assert_double_eq((double)under(model, NNC_POLICY_BF16_PURE).memory.activation_bytes,
                        56.0 * T * H + statistics + half_ends);
    /* The parts of a layer that backward computes again keep only their inputs. With recomputed norms, c_attn and c_fc
     * keep no copies (2 x 2 bytes). With recomputed activations, gelu_new keeps its 16-bit input (2 bytes for each of 4
     * h values), and c_proj keeps no tensor. A recomputed MLP keeps its input instead of a 16-bit copy of the input.
     * The input of the MLP is fp32 under autocast. Attention in one kernel keeps its inputs in any case. */
    const struct {
        unsigned recompute;
        double amp, half; /* kept bytes per token and hidden unit */
    } parts[] = {
        { NNC_RECOMPUTE_ATTENTION, 84.0, 56.0 },
        { NNC_RECOMPUTE_NORM, 84.0 - 4.0, 56.0 - 4.0 },
        { NNC_RECOMPUTE_ACTIVATION, 84.0 - 14.0 * 4 - 2.0 * 4 + 2.0 * 4, 56.0 - 8.0 * 4 - 2.0 * 4 + 2.0 * 4 },
        { NNC_RECOMPUTE_MLP, 84.0 - 14.0 * 4 - 2.0 * 4 + 4.0 - 2.0, 56.0 - 8.0 * 4 - 2.0 * 4 },
    };
    for (size_t i = 0; i < NNC_COUNT_OF(parts); i++) {
        ck_assert_double_eq((double)again(model, NNC_POLICY_AMP, parts[i].recompute).memory.activation_bytes,
                            parts[i].amp * T * H + statistics + amp_ends);
        ck_assert_double_eq((double)again(model, NNC_POLICY_BF16_PURE, parts[i].recompute).memory.activation_bytes,
                            parts[i].half * T * H + statistics + half_ends);
    }
}
END_TEST

/* The model has RMS norms and a gated MLP with ffn = 4 h. Bytes are per token and hidden unit. Recomputed norms keep
 * their fp32 input (4 of 8 bytes), and queries, keys, values, gate and up keep no copies (5 x 2 bytes). A recomputed
 * activation keeps gate and up (4 of 6 bytes), and the product after the activation keeps no input (2 bytes). */
START_TEST(llama_by_hand) {
    nnc_model model = gpt(1, H, A, V, T);
    model.implementation = NNC_IMPLEMENTATION_TRANSFORMERS;
    model.decoder.norm = NNC_NORM_RMS;
    model.decoder.mlp = NNC_MLP_SWIGLU;
    const double whole = (double)under(model, NNC_POLICY_AMP).memory.activation_bytes;
    const nnc_memory norms = again(model, NNC_POLICY_AMP, NNC_RECOMPUTE_NORM).memory;
    const nnc_memory activations = again(model, NNC_POLICY_AMP, NNC_RECOMPUTE_ACTIVATION).memory;
    ck_assert_double_eq(whole - (double)norms.activation_bytes, (2 * 4.0 + 5 * 2.0) * T * H);
    ck_assert_double_eq(whole - (double)activations.activation_bytes, (2.0 + 2.0) * 4 * T * H);
}
END_TEST

/* The attention of T5 runs in separate fp32 kernels, which keep the scores and fp32 copies of queries, keys and values.
 * Recomputed attention keeps only the 16-bit values of queries, keys and values. */
START_TEST(t5_by_hand) {
    nnc_model model = gpt(1, H, A, V, T);
    model.implementation = NNC_IMPLEMENTATION_TRANSFORMERS;
    model.decoder.positions = NNC_POSITIONS_RELATIVE;
    const double whole = (double)under(model, NNC_POLICY_AMP).memory.activation_bytes;
    const double part = (double)again(model, NNC_POLICY_AMP, NNC_RECOMPUTE_ATTENTION).memory.activation_bytes;
    ck_assert_double_eq(whole - part, 4.0 * A * T * T + (4.0 - 2.0) * 3 * T * H);
}
END_TEST

/* When the loss runs, all kept tensors exist, and no gradient exists. Three fp32 tensors of the size of the logits also
 * exist: the log-softmax, which is kept, and two more. */
START_TEST(peak_at_the_loss) {
    nnc_model model = gpt(1, H, A, 5000, T);
    const nnc_memory m = under(model, NNC_POLICY_BF16_PURE).memory;
    const double counted = (double)(m.weight_bytes + m.optimizer_bytes + m.activation_bytes);
    const double peak = counted + 8.0 * T * 5000;
    ck_assert_double_eq((double)m.peak_allocated_bytes, ceil(peak / 512.0) * 512.0);
    ck_assert_int_eq(m.total_bytes - m.reserve_bytes, (int64_t)peak);
    ck_assert_int_eq(m.apart_bytes, (int64_t)peak - m.weight_bytes - m.optimizer_bytes - m.activation_bytes -
                                        m.gradient_bytes - m.transient_bytes);
    ck_assert_int_eq(m.context_bytes, 100);
    ck_assert_int_eq(m.peak_reserved_bytes % 2097152, 0);
    ck_assert_int_ge(m.peak_reserved_bytes, m.peak_allocated_bytes);
}
END_TEST

/* With few tokens, the peak is at the update. During the update, all gradients exist, but no activations. */
START_TEST(peak_at_the_update) {
    nnc_model model = gpt(2, 512, A, V, 1);
    const nnc_memory m = under(model, NNC_POLICY_BF16_PURE).memory;
    const int64_t states = m.weight_bytes + m.optimizer_bytes + m.gradient_bytes;
    const int64_t counted = m.total_bytes - m.reserve_bytes;
    ck_assert_int_ge(counted, states);
    ck_assert_int_lt(counted, states + m.activation_bytes + m.transient_bytes);
}
END_TEST

/* The largest micro-batch fits, and a micro-batch with one more sample does not fit. The largest micro-batch that may
 * fit has the verdict fits or tight; with one more sample, the plan does not fit. */
START_TEST(largest_micro_batch) {
    const nnc_model model = gpt(4, 128, A, 1000, 64);
    const nnc_software software = eager();
    const nnc_profiles profiles = nnc_profiles_of_one(&software);
    nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    nnc_fitting *fit = calloc(1, sizeof *fit);
    int adapters = 0;
    for (int64_t mem = 20000000; mem < 2000000000; mem *= 3) {
        device.mem_bytes = mem;
        ck_assert_int_eq(nnc_fitting_find(&model, &device, &profiles, &plan, scratch, fit, NULL), NNC_OK);
        for (int i = 0; i < 4; i++) {
            const bool tight = i >= 2;
            nnc_plan tried = plan;
            tried.micro_batch = (tight ? fit->micro_batch_tight : fit->micro_batch) + i % 2;
            const nnc_verdict verdict = estimate_with(&model, &device, &software, &tried).verdict;
            const bool fits = verdict == NNC_FITS || (tight && verdict == NNC_TIGHT);
            ck_assert(tried.micro_batch == 0 || fits == (i % 2 == 0));
        }
        ck_assert_int_le(fit->micro_batch, fit->micro_batch_tight);
        ck_assert_int_eq(fit->margin_bytes,
                         fit->result.memory.total_interval_bytes[1] - fit->result.memory.total_interval_bytes[0]);
        int64_t fits = -1, tight = -1;
        nnc_fitting_micro_batches(&model, &device, &profiles, &plan, scratch, &fits, &tight);
        ck_assert_int_eq(fits, fit->micro_batch);
        ck_assert_int_eq(tight, fit->micro_batch_tight);
        for (int32_t i = 0; i < fit->remedy_count; i++) {
            if (strcmp(fit->remedies[i].options, "--lora 16") == 0) { /* the largest micro-batch with adapters */
                nnc_plan tried = plan;
                tried.adapter_rank = 16;
                tried.micro_batch = fit->remedies[i].micro_batch;
                ck_assert_int_eq(estimate_with(&model, &device, &software, &tried).verdict, NNC_FITS);
                tried.micro_batch++;
                ck_assert(estimate_with(&model, &device, &software, &tried).verdict != NNC_FITS);
                adapters++;
            }
            ck_assert_int_gt(fit->remedies[i].micro_batch, 0);
            ck_assert_int_le(fit->remedies[i].total_bytes, mem);
            ck_assert_double_gt(fit->remedies[i].step_s, 0.0);
        }
    }
    ck_assert_int_gt(adapters, 0);
    free(fit);
}
END_TEST

/* The plan fits with the largest adapter rank that the library returns. With an adapter rank that is larger by one, the
 * plan does not fit or fits only tightly. */
START_TEST(largest_rank) {
    const nnc_model model = gpt(4, 128, A, 1000, 64);
    const nnc_software software = eager();
    const nnc_profiles profiles = nnc_profiles_of_one(&software);
    nnc_device device = plain_device();
    nnc_plan plan = nnc_plan_default();
    nnc_fitting *fit = calloc(1, sizeof *fit);
    int found = 0;
    plan.adapter_rank = 1;
    for (int64_t mem = 8000000; mem < 64000000; mem *= 2) {
        device.mem_bytes = mem;
        ck_assert_int_eq(nnc_fitting_find(&model, &device, &profiles, &plan, scratch, fit, NULL), NNC_OK);
        if (fit->lora_rank == 0) { continue; }
        found++;
        for (int i = 0; i < 2; i++) {
            nnc_plan tried = plan;
            tried.adapter_rank = (int32_t)fit->lora_rank + i;
            ck_assert((estimate_with(&model, &device, &software, &tried).verdict == NNC_FITS) == (i == 0));
        }
    }
    ck_assert_int_gt(found, 1);
    free(fit);
}
END_TEST

START_TEST(an_optimizer_with_a_smaller_form) {
    const nnc_model model = gpt(4, 128, A, 1000, 64);
    const nnc_software software = eager();
    const nnc_profiles profiles = nnc_profiles_of_one(&software);
    const nnc_optimizer optimizers[] = { NNC_OPTIMIZER_ADAMW, NNC_OPTIMIZER_SGD };
    /* the advice names 8-bit moments for AdamW; SGD has no moments */
    for (size_t i = 0; i < COUNT_OF(optimizers); i++) {
        nnc_device device = plain_device();
        nnc_plan plan = nnc_plan_default();
        nnc_fitting *fit = calloc(1, sizeof *fit);
        bool named = false;
        plan.optimizer = optimizers[i];
        device.mem_bytes = 200000000;
        ck_assert_int_eq(nnc_fitting_find(&model, &device, &profiles, &plan, scratch, fit, NULL), NNC_OK);
        for (int32_t k = 0; k < fit->remedy_count; k++) {
            named = named || strncmp(fit->remedies[k].options, "--optimizer", 11) == 0;
        }
        ck_assert_int_eq(named, i == 0);
        free(fit);
    }
}
END_TEST

/* A recorded program has its own optimizer, so no remedy names another optimizer. */
START_TEST(remedies_of_a_recorded_program) {
    nnc_model model = *load_model("tests/text/inputs/captured.json");
    struct nnc_captured program = *model.captured;
    const nnc_software software = nnc_software_default();
    const nnc_profiles profiles = nnc_profiles_of_one(&software);
    const nnc_plan plan = nnc_plan_default();
    nnc_device device = plain_device();
    nnc_fitting *fit = calloc(1, sizeof *fit);
    program.optimizer = NNC_OPTIMIZER_SGD;
    model.captured = &program;
    device.mem_bytes = 3000000;
    ck_assert_int_eq(nnc_fitting_find(&model, &device, &profiles, &plan, scratch, fit, NULL), NNC_OK);
    ck_assert_int_gt(fit->remedy_count, 0);
    for (int32_t i = 0; i < fit->remedy_count; i++) {
        ck_assert_msg(strstr(fit->remedies[i].options, "adam") == NULL, "%s", fit->remedies[i].options);
    }
    free(fit);
}
END_TEST

/* With 2 dense layers, the shortest model has 3 layers. The 2 dense layers, with about 1 M weights, fit. The third
 * layer has 64 experts of 3 x 256 x 1024 weights and takes 0.8 GB in training. */
START_TEST(a_layer_with_experts) {
    nnc_model model = mixtral(5, 256, 4, 4, 1024, 64, 1000, 64);
    const nnc_software software = eager();
    const nnc_profiles profiles = nnc_profiles_of_one(&software);
    const nnc_plan plan = nnc_plan_default();
    nnc_device device = plain_device();
    nnc_fitting *fit = calloc(1, sizeof *fit);
    model.decoder.dense_layers = 2;
    for (int i = 0; i < 2; i++) {
        device.mem_bytes = i == 0 ? 500000000 : 1300000000;
        ck_assert_int_eq(nnc_fitting_find(&model, &device, &profiles, &plan, scratch, fit, NULL), NNC_OK);
        ck_assert_int_eq(fit->layers, i == 0 ? 0 : 3);
    }
    /* a model with one dense layer fits, but the shortest model of this network also has a layer with experts */
    model.decoder.dense_layers = 1;
    device.mem_bytes = 500000000;
    ck_assert_int_eq(nnc_fitting_find(&model, &device, &profiles, &plan, scratch, fit, NULL), NNC_OK);
    ck_assert_int_eq(fit->layers, 0);
    free(fit);
}
END_TEST

/* Over random plans, advice is never empty if one of these changes alone makes the plan fit: the format of frozen
 * weights, a shorter sequence, tensor ranks, recomputation or offload. */
START_TEST(advice_misses_no_remedy) {
    static const int64_t lengths[] = { 256, 512, 2048, 4096 };
    uint32_t seed = 12345;
    int over = 0, helped = 0;
    const nnc_software software = eager();
    const nnc_profiles profiles = nnc_profiles_of_one(&software);
    for (int i = 0; i < 2000; i++) {
        uint32_t draw[6];
        for (int k = 0; k < 6; k++) {
            seed = seed * 1664525U + 1013904223U;
            draw[k] = seed >> 16;
        }
        const nnc_model model = gpt(2 + draw[0] % 6, 128 << draw[1] % 3, A, 2000, lengths[draw[2] % 4]);
        nnc_device device = plain_device();
        nnc_plan plan = nnc_plan_default();
        plan.devices = 1 << draw[3] % 4;
        plan.micro_batch = 1 + draw[4] % 4;
        plan.adapter_rank = draw[5] % 3 == 0 ? 8 : 0;
        nnc_result now;
        if (nnc_estimate(&model, &device, &software, &plan, scratch, &now, NULL) != NNC_OK) { continue; }
        device.mem_bytes = now.memory.total_bytes * (20 + draw[3] % 75) / 100;
        if (estimate_with(&model, &device, &software, &plan).verdict == NNC_FITS) { continue; }
        over++;
        nnc_advice advice[3];
        const int count = nnc_advise_by_plan(&model, &device, &profiles, &plan, scratch, advice, 3);
        bool any = false;
        for (int k = 0; k < 6; k++) {
            nnc_plan tried = plan;
            tried.frozen = k == 0 ? NNC_FROZEN_NF4 : tried.frozen;
            tried.seq_len = k == 1 ? 256 : tried.seq_len;
            tried.recompute = k == 2 ? NNC_RECOMPUTE_FULL : tried.recompute;
            tried.offload = k == 3 ? NNC_OFFLOAD_OPTIMIZER | NNC_OFFLOAD_ACTIVATIONS : 0;
            tried.tensor = k >= 4 ? (k == 4 ? 2 : 4) : 1;
            nnc_result r;
            any = any || (nnc_estimate(&model, &device, &software, &tried, scratch, &r, NULL) == NNC_OK &&
                          r.verdict == NNC_FITS);
        }
        ck_assert_msg(!any || count > 0, "plan %d has no advice", i);
        for (int k = 0; k < count; k++) {
            const nnc_result r = estimate_with(&model, &device, &software, &advice[k].plan);
            ck_assert_int_eq(r.verdict, advice[k].verdict);
            ck_assert(r.verdict == NNC_FITS || (r.verdict == NNC_TIGHT && !any));
            ck_assert_int_eq(r.memory.total_bytes, advice[k].total_bytes);
        }
        helped += any;
    }
    ck_assert_int_gt(over, 400);
    ck_assert_int_gt(helped, 200);
}
END_TEST

/* The capacity is usable_bytes, even if it is far below mem_bytes. If the user sets mem_bytes, the capacity is
 * mem_bytes. If the user also sets usable_bytes, before or after mem_bytes, the capacity is the smaller of both
 * values. */
START_TEST(capacity) {
    nnc_device device = plain_device();
    device.mem_bytes = 1000000000;
    device.usable_bytes = 990000000.0;
    ck_assert_int_eq(nnc_device_capacity(&device), 990000000);
    device.usable_bytes = 660000000.0;
    ck_assert_int_eq(nnc_device_capacity(&device), 660000000);
    ck_assert_int_eq(nnc_device_set(&device, "mem_bytes", "2GB", NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_capacity(&device), 2000000000);
    ck_assert_int_eq(nnc_device_set(&device, "usable_bytes", "1.5GB", NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_capacity(&device), 1500000000);
    ck_assert_int_eq(nnc_device_set(&device, "mem_bytes", "3GB", NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_capacity(&device), 1500000000);
    ck_assert_int_eq(nnc_device_set(&device, "mem_bytes", "1GB", NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_capacity(&device), 1000000000);
}
END_TEST

/* Makes devices that are joined by links of W bytes/s, in one switch of 64 or on one axis of a torus. The peak C is 100
 * TFLOP/s in bf16. */
static nnc_device joined(double bytes_per_s, bool axis) {
    nnc_device device = plain_device();
    device.mem_bytes_per_s = 1e15; /* never the bound */
    device.vector_flops_per_s[NNC_FP32] = 1e18;
    device.scale_up = (nnc_scale_up){
        .kind = NNC_LINK_SWITCH, .devices = 64, .bytes_per_s = bytes_per_s, .latency_s = 0.0, .knee_bytes = (double)NAN
    };
    if (axis) {
        device.scale_up.kind = NNC_LINK_TORUS;
        device.scale_up.dims[0] = 64;
        device.scale_up.wrap[0] = true;
        device.scale_up.dims_count = device.scale_up.wrap_count = 1;
    }
    return device;
}

static nnc_limit_answer limit_of(const nnc_model *model, const nnc_device *device, const nnc_plan *plan, nnc_limit of) {
    const nnc_software software = nnc_software_default();
    const nnc_profiles profiles = nnc_profiles_of_one(&software);
    nnc_limit_answer answer;
    nnc_error err = { 0 };
    ck_assert_msg(nnc_limit_find(model, device, &profiles, plan, of, scratch, &answer, &err) == NNC_OK, "%s: %s",
                  err.where, err.what);
    return answer;
}

/* Source: "How to Scale Your Model", chapter 5. If n ranks shard the P weights, a step sends each 16-bit weight three
 * times, which are 6 P (n - 1) / n bytes over links of W bytes/s. A step has 6 P T FLOPs, which a device computes at
 * the rate C. So a rank needs T >= C / W (n - 1) / n tokens. On an axis of a torus, a rank has two links with W bytes/s
 * each. Layers are wide and words are few, so attention and tables take less than 1 % of the time. */
START_TEST(tokens_per_device) {
    const nnc_model model = gpt(4, 16384, 128, 128, 4096);
    for (int axis = 0; axis < 2; axis++) {
        const nnc_device device = joined(1e11, axis != 0);
        nnc_plan plan = nnc_plan_default();
        plan.data = 64;
        plan.zero = 3;
        const nnc_limit_answer a = limit_of(&model, &device, &plan, NNC_LIMIT_DATA);
        const double links = axis != 0 ? 2.0 : 1.0;
        const double expected = 1e14 / (1e11 * links) * 63.0 / 64.0;
        ck_assert_double_eq_tol(a.limit, expected, 0.01 * expected);
        ck_assert_str_eq(a.stop, "network");
        for (int32_t i = 1; i < a.count; i++) { /* from small to large degrees, the bound changes once, at the limit */
            ck_assert_double_lt(a.points[i - 1].size, a.points[i].size);
            ck_assert_int_eq(a.points[i].size < a.limit, a.points[i].bound == NNC_BOUND_NETWORK);
        }
    }
}
END_TEST

/* A layer has two all-reduces of T h numbers in forward and two in backward, which are 16 T h (t - 1) / t bytes over
 * links of W bytes/s. The matrices of a layer have 72 T h^2 / t FLOPs, which a device computes at the rate C. So t - 1
 * <= 4.5 h W / C. The next legal degree above the limit is bound by the network. */
START_TEST(tensor_degree) {
    /* the model has so many layers that the all-reduces of table and head add only 1 % */
    const nnc_model model = gpt(48, 16384, 64, 128, 512);
    static const struct {
        double ratio; /* 4.5 h W / C */
        double limit;
        const char *stop;
    } cases[] = { { 7.4, 8, "network" }, { 6.6, 4, "network" }, { 100, 64, "plan" }, { 0.5, 1, "network" } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const nnc_device device = joined(cases[i].ratio * 1e14 / (4.5 * 16384), false);
        const nnc_plan plan = nnc_plan_default();
        const nnc_limit_answer a = limit_of(&model, &device, &plan, NNC_LIMIT_TENSOR);
        ck_assert_double_eq(a.limit, cases[i].limit);
        ck_assert_str_eq(a.stop, cases[i].stop);
        ck_assert_int_eq(a.count, 7); /* 1, 2, 4 ... 64 */
    }
}
END_TEST

/* A step reads 16-bit weights and reads and writes optimizer states. With one token less than the limit, the batch is
 * bound by memory. At the limit, the batch is bound by compute. */
START_TEST(critical_batch) {
    const nnc_model model = gpt(2, 4096, 32, 128, 8192);
    const nnc_device device = plain_device();
    const nnc_plan plan = nnc_plan_default();
    const nnc_limit_answer a = limit_of(&model, &device, &plan, NNC_LIMIT_BATCH);
    ck_assert_str_eq(a.stop, "memory");
    /* The traffic per parameter is two reads of the weight and the gradient, 2 B each, and 28 B of AdamW. These 28 B
     * are 2 + 2 for the weight, 2 for the gradient, and 2 x 12 - 2 for master copy and moments. The compute per
     * parameter is 6 T FLOPs. Activations add traffic that grows with the number T of tokens. */
    ck_assert_double_gt(a.limit, 100e12 / 1e12 * 30.0 / 6.0);
    ck_assert_double_lt(a.limit, 100e12 / 1e12 * 60.0 / 6.0);
    nnc_plan at = nnc_plan_default();
    at.mode = NNC_MODE_IDEAL;
    for (int i = 0; i < 2; i++) {
        at.seq_len = (int64_t)a.limit - i;
        const nnc_software software = nnc_software_default();
        ck_assert_int_eq(estimate_with(&model, &device, &software, &at).bound,
                         i == 0 ? NNC_BOUND_COMPUTE : NNC_BOUND_MEMORY);
    }
    nnc_plan alone = nnc_plan_default();
    nnc_limit_answer none;
    const nnc_software software = nnc_software_default();
    const nnc_profiles profiles = nnc_profiles_of_one(&software);
    ck_assert_int_eq(nnc_limit_find(&model, &device, &profiles, &alone, NNC_LIMIT_DATA, scratch, &none, NULL),
                     NNC_ILLEGAL_PLAN);
    alone.data = alone.context = 2; /* four ranks share the gradients */
    const nnc_device cluster = cluster_device();
    ck_assert_int_eq(nnc_limit_find(&model, &cluster, &profiles, &alone, NNC_LIMIT_DATA, scratch, &none, NULL), NNC_OK);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { gpt2_by_hand,
                                   llama_by_hand,
                                   t5_by_hand,
                                   peak_at_the_loss,
                                   peak_at_the_update,
                                   largest_micro_batch,
                                   largest_rank,
                                   remedies_of_a_recorded_program,
                                   an_optimizer_with_a_smaller_form,
                                   a_layer_with_experts,
                                   advice_misses_no_remedy,
                                   capacity,
                                   tokens_per_device,
                                   tensor_degree,
                                   critical_batch };
    return run_tests("fitting", tests, COUNT_OF(tests));
}
