/* Tests the time of the host for hooks of modules, parameters and gradients, as DeepSpeed runs them.   [hooks] */
#include "cost/cost_internal.h"
#include "estimate/estimate_internal.h"
#include "shape/shape_internal.h"
#include "support.h"

static nnc_result estimate_hooked(const char *file, const char *const sets[], int32_t zero) {
    const nnc_software *deepspeed = NULL;
    nnc_error err = { 0 };
    nnc_plan plan = nnc_plan_default();
    nnc_result r = { .struct_size = sizeof r };
    plan.zero = zero;
    plan.clip_gradients = false;
    ck_assert_int_eq(nnc_software_load(specs, "deepspeed-0.14", &deepspeed, &err), NNC_OK);
    nnc_software software = *deepspeed;
    for (int i = 0; sets[i] != NULL; i += 2) {
        const bool switched = strcmp(sets[i], "module_hooks") == 0;
        ck_assert_int_eq(switched ? nnc_software_set(&software, sets[i], sets[i + 1], &err)
                                  : nnc_plan_set(&plan, sets[i], sets[i + 1], &err),
                         NNC_OK);
    }
    ck_assert_msg(nnc_estimate(load_model(file), load_device("hw/a100-sxm4-80gb.json"), &software, &plan, scratch, &r,
                               &err) == NNC_OK,
                  "%s", err.what);
    return r;
}

/* Adds up the modules and the tensors of one layer. Ops of layers are ops that repeat as often as there are layers. */
static void of_a_layer(double layers, double *modules, double *tensors) {
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    *modules = *tensors = 0.0;
    for (int32_t i = 0; i < count; i++) {
        if (rows[i].op->phase != NNC_PHASE_FORWARD || fabs(rows[i].repeat - layers) > 0.5) { continue; }
        *modules += (double)rows[i].op->modules;
        *tensors += (double)rows[i].op->tensors;
    }
}

/* A layer of LLaMA has 13 modules: the layer, attention, MLP, activation, two norms and seven linear layers. The
 * tensors are the weights of the linear layers and of the norms. peft adds four modules and two tensors to each linear
 * layer. A layer of Qwen has two linear layers less than a layer of LLaMA, because one product computes queries, keys
 * and values. In addition to its weights, a layer of Qwen has one tensor more, the bias of this product. */
START_TEST(modules_of_layers) {
    static const char llama[] = "tests/published/h100/configs/llama-3b.json";
    static const char qwen[] = "tests/published/finetuning/configs/qwen-1.8b.json";
    const struct {
        const char *file;
        const char *sets[5];
        double layers, modules, tensors;
    } rows[] = {
        { llama, { "seq_len", "256" }, 28, 13, 9 },
        { llama, { "seq_len", "256", "adapter_rank", "8" }, 28, 13 + 4 * 7, 9 + 2 * 7 },
        { qwen, { "seq_len", "256" }, 24, 11, 5 + 2 + 1 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double modules = 0.0, tensors = 0.0;
        (void)estimate_hooked(rows[i].file, rows[i].sets, 3);
        of_a_layer(rows[i].layers, &modules, &tensors);
        ck_assert_double_eq(modules, rows[i].modules);
        ck_assert_double_eq(tensors, rows[i].tensors);
    }
}
END_TEST

/* An op with 3 modules and 2 tensors. A pass of a module takes 10 s, a fetched tensor 5 s, a tensor in recomputation 1 s,
 * a gradient 100 s. A product has its gradients in the row of the weight gradient, a norm in the row of backward. Frozen
 * weights have no gradient. */
START_TEST(times_of_hooks) {
    const nnc_launch launch = { .module_s = 10, .tensor_s = 5, .again_s = 1, .gradient_s = 100 };
    const struct {
        nnc_op_kind kind;
        nnc_phase phase;
        bool frozen;
        double time_s;
    } rows[] = {
        { NNC_OP_MATMUL, NNC_PHASE_FORWARD, false, 3 * 10 + 2 * 5 },
        { NNC_OP_MATMUL, NNC_PHASE_RECOMPUTE, false, 3 * 10 + 2 * 1 },
        { NNC_OP_MATMUL, NNC_PHASE_GRAD_INPUT, false, 3 * 10 + 2 * 5 },
        { NNC_OP_MATMUL, NNC_PHASE_GRAD_WEIGHT, false, 2 * 100 },
        { NNC_OP_NORM, NNC_PHASE_BACKWARD, false, 3 * 10 + 2 * 5 + 2 * 100 },
        { NNC_OP_NORM, NNC_PHASE_BACKWARD, true, 3 * 10 + 2 * 5 },
        { NNC_OP_UPDATE, NNC_PHASE_UPDATE, false, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const nnc_op op = {
            .kind = rows[i].kind, .phase = rows[i].phase, .frozen = rows[i].frozen, .modules = 3, .tensors = 2
        };
        ck_assert_double_eq(nnc_hooks_of_op_s(&launch, &op), rows[i].time_s);
    }
}
END_TEST

/* The device waits for the host in a step with short sequences, so hooks make this step longer by their own time.
 * Expressed in launches of a kernel (37.5 us), the hooks of a LLaMA layer without recomputation take 2 * 13 * 4.3 + 2 *
 * 9 * 3.3 + 9 * 12.2 = 281 launches with ZeRO 3, and 9 * 5.3 = 47.7 launches with ZeRO 2. Embedding, last norm and head
 * together have 3 modules and 3 tensors, whose hooks run forward and backward. */
START_TEST(host_bound_steps) {
    static const char llama[] = "tests/published/h100/configs/llama-3b.json";
    const char *const with[] = { "seq_len", "16", NULL };
    const char *const without[] = { "seq_len", "16", "module_hooks", "off", NULL };
    const double layers = 28.0, kernel_s = 3.75e-5;
    const double of_3 = layers * (2 * 13 * 4.3 + 2 * 9 * 3.3 + 9 * 12.2) + 2 * 3 * 4.3 + 2 * 3 * 3.3 + 3 * 12.2;
    const double of_2 = layers * 9 * 5.3 + 3 * 5.3;
    const double longer_3 = estimate_hooked(llama, with, 3).step_s - estimate_hooked(llama, without, 3).step_s;
    const double longer_2 = estimate_hooked(llama, with, 2).step_s - estimate_hooked(llama, without, 2).step_s;
    ck_assert_double_eq(estimate_hooked(llama, with, 1).step_s, estimate_hooked(llama, without, 1).step_s);
    ck_assert_double_eq_tol(longer_3, of_3 * kernel_s, 0.01 * of_3 * kernel_s);
    ck_assert_double_eq_tol(longer_2, of_2 * kernel_s, 0.01 * of_2 * kernel_s);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { modules_of_layers, times_of_hooks, host_bound_steps };
    return run_tests("hooks", tests, COUNT_OF(tests));
}
