#include <math.h>
#include <string.h>

#include "explain/explain.h"

/* What can be explained. formula NULL: it depends on the plan, see formula_of(). */
typedef struct quantity {
    const char *name, *unit, *formula, *meaning, *source;
} quantity;

static const quantity quantities[] = {
    { "params", NULL, NULL, "parameters, by the part of the network they belong to",
      "the tensors of the op list, each counted once" },
    { "forward_flops", "FLOP", NULL,
      "matrix products and convolutions of the forward passes of one step, attention over all "
      "pairs, by part of the network",
      "2 FLOPs per multiply-add: 2 m n k per product, 2 n h w c_out c_in k^2 per convolution" },
    { "backward_flops", "FLOP", NULL,
      "the same backward: one product for the gradient of the input, one for that of the weight",
      "the mathematics: twice forward, less the gradients of inputs that need none" },
    { "model_flops", "FLOP", NULL,
      "what the mathematics of one step asks for, by the convention "
      "of --flops-convention",
      "palm: arXiv:2204.02311 appendix B; causal: pairs under the mask; 6nd: arXiv:2001.08361" },
    { "hardware_flops", "FLOP", "model_flops + recompute_flops",
      "model FLOPs and what is computed again in backward, in the same convention",
      "arXiv:2205.05198 section 5" },
    { "executed_flops", "FLOP",
      "forward.executed + backward.executed + recompute.executed + update.executed",
      "what the kernels run on the matrix units: fused attention leaves masked pairs out and "
      "recomputes its scores backward",
      "arXiv:2307.08691; only executed work takes time" },
    { "six_nd_flops", "FLOP", "6 * matmul_params * tokens",
      "the rule of thumb: 2 FLOPs forward and 4 backward per token and parameter that sits in a "
      "matrix product",
      "arXiv:2001.08361" },
    { "mfu", NULL, "model_flops / (step_s * devices * peak_flops_per_s)",
      "model FLOPs utilisation: the share of the peak that the mathematics needs",
      "arXiv:2204.02311 appendix B" },
    { "hfu", NULL, "hardware_flops / (step_s * devices * peak_flops_per_s)",
      "hardware FLOPs utilisation: the same with recomputation", "arXiv:2205.05198 section 5" },
    { "step_s", "s",
      "forward_s + backward_s + recompute_s + update_s + exposed_comm_s + bubble_s + host_s",
      "one optimizer step: the time of every op, times its instances",
      "each op by the roofline model: Williams, Waterman, Patterson, CACM 52(4), 2009" },
    { "exposed_comm_s", "s", NULL,
      "exchanges between ranks and with the host that no compute hides, by kind",
      "arXiv:2104.04473, arXiv:1910.02054, arXiv:2006.15704" },
    { "host_s", "s", "the sum over passes and parts of (device^4 + host^4)^(1/4) - device",
      "what issuing the ops, launch_s of the software profile each, adds to the device's own time, "
      "pass by pass",
      "docs/formulas.md, launch" },
    { "bubble_s", "s", "step_s - busy_s",
      "what the busiest stage waits, by replaying the schedule with every stage's own times",
      "arXiv:1811.06965, arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437" },
    { "bubble_ratio", NULL, "bubble_s / busy_s", "the bubble over the stage's busy time",
      "arXiv:2104.04473 section 2.2" },
    { "bubble_share", NULL, "bubble_s / step_s", "the bubble over the step", NULL },
    { "in_flight", NULL, NULL,
      "micro-batches whose activations the fullest stage keeps at once, in its own layers' worth",
      "arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437" },
    { "devices", NULL, "data * tensor * pipeline * context",
      "experts are spread over data x context ranks, so they take no devices of their own", NULL },
    { "lower_bound_s", "s", NULL,
      "no implementation is faster: the busiest engine at its datasheet rate, everything else "
      "hidden behind it, norms and pointwise ops fused away",
      "Williams, Waterman, Patterson, CACM 52(4), 2009" },
    { "upper_bound_s", "s", "compute_total_s + memory_total_s + fixed_total_s",
      "the rates of step_s, with nothing overlapping",
      "Williams, Waterman, Patterson, CACM 52(4), 2009" },
    { "ridge_flops_per_byte", "FLOP/B", "peak_flops_per_s / mem_bytes_per_s",
      "the ridge point: below it an op waits for memory, above it for arithmetic",
      "Williams, Waterman, Patterson, CACM 52(4), 2009" },
    { "intensity", "FLOP/B", "(executed_flops + vector_flops) / (read_bytes + write_bytes)",
      "arithmetic intensity of the whole step; ops differ widely from it",
      "Williams, Waterman, Patterson, CACM 52(4), 2009" },
    { "tokens_per_s", NULL, "tokens / step_s", "tokens trained on per second", NULL },
    { "samples_per_s", NULL, "global_batch / step_s", "sequences or images trained on per second",
      NULL },
    { "total_bytes", "B",
      "weight_bytes + gradient_bytes + optimizer_bytes + activation_bytes + transient_bytes + "
      "reserve_bytes",
      "device memory at the peak", "arXiv:1910.02054 section 3" },
    { "weight_bytes", "B", "stored_params * weight_bytes_per_param",
      "the weights that passes read, by the precision policy",
      "arXiv:1910.02054 section 3.1, arXiv:1710.03740" },
    { "gradient_bytes", "B", "stored_params * gradient_bytes_per_param",
      "one gradient per weight; it does not grow with the number of micro-batches",
      "arXiv:1910.02054 section 3.1" },
    { "optimizer_bytes", "B", NULL, "the optimizer's moments, and the fp32 master copy if any",
      "arXiv:1910.02054 section 3.1; adam8bit: arXiv:2110.02861; adafactor: arXiv:1804.04235" },
    { "activation_bytes", "B", NULL, "tensors of one micro-batch that wait for backward",
      "each op's own inputs, outputs and masks; preset korthikanti: arXiv:2205.05198 section 4" },
    { "transient_bytes", "B", NULL, "the largest extra at the peak that is not kept", NULL },
    { "cost_step", NULL, "price_per_device_hour * devices * step_s / 3600",
      "price of one step; the price is per device", NULL },
    { "run_s", "s", NULL, "time to train on what --tokens or --samples says", NULL },
    { "device_hours", NULL, "devices * run_s / 3600", "device-hours of the run", NULL },
    { "cost_run", NULL, "price_per_device_hour * device_hours", "price of the run", NULL },
    { "energy_j", "J", NULL, "energy at the rated power of the board", NULL },
};
enum { QUANTITY_COUNT = sizeof quantities / sizeof quantities[0], FORMULA_MAX = 512 };

/* Names for several at once, and short ones. */
enum { ALIASED_MAX = 7 };
static const struct {
    const char *name, *stands_for[ALIASED_MAX];
} aliases[] = {
    { "flops", { "forward_flops", "backward_flops" } },
    { "step", { "step_s" } },
    { "bounds", { "lower_bound_s", "upper_bound_s" } },
    { "ridge", { "ridge_flops_per_byte" } },
    { "communication", { "exposed_comm_s" } },
    { "network", { "exposed_comm_s" } },
    { "bubble", { "bubble_s", "bubble_ratio", "bubble_share" } },
    { "plan", { "devices", "in_flight" } },
    { "throughput", { "tokens_per_s", "samples_per_s" } },
    { "memory",
      { "total_bytes", "weight_bytes", "gradient_bytes", "optimizer_bytes", "activation_bytes",
        "transient_bytes" } },
    { "cost", { "cost_step", "run_s", "device_hours", "cost_run" } },
    { "energy", { "energy_j" } },
};
enum { ALIAS_COUNT = sizeof aliases / sizeof aliases[0] };

/* "params.attention + params.mlp + ...", of the groups that have any. */
static void group_formula(const nnc_scope *scope, const char *prefix, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int group = 0; group < NNC_GROUP_COUNT && used < size; group++) {
        char name[32];
        snprintf(name, sizeof name, "%s.%s", prefix, nnc_group_name(group));
        const nnc_symbol *symbol = nnc_scope_find(scope, name, strlen(name));
        if (symbol != NULL && symbol->value > 0) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " + " : "", name);
        }
    }
}

static const char *optimizer_formula(nnc_optimizer optimizer)
{
    switch (optimizer) {
    case NNC_OPTIMIZER_SGD: return "stored_params * master_bytes_per_param";
    case NNC_OPTIMIZER_MOMENTUM:
    case NNC_OPTIMIZER_RMSPROP:
    case NNC_OPTIMIZER_LION: return "stored_params * (master_bytes_per_param + moment_bytes)";
    case NNC_OPTIMIZER_ADAM8BIT:
        return "stored_params * (master_bytes_per_param + 2 * (1 + 4 / 256))";
    case NNC_OPTIMIZER_ADAFACTOR:
        return "stored_params * master_bytes_per_param + moment_bytes * factored_elements";
    case NNC_OPTIMIZER_MUON:
        return "stored_params * master_bytes_per_param + moment_bytes * (2 * stored_params - "
               "matrix_params)";
    case NNC_OPTIMIZER_ADAMW:
    case NNC_OPTIMIZER_ADAM:
    case NNC_OPTIMIZER_COUNT: break;
    }
    return "stored_params * (master_bytes_per_param + 2 * moment_bytes)";
}

static const char *activation_formula(const nnc_plan *plan)
{
    if (plan->activations != NNC_ACTIVATIONS_KORTHIKANTI) {
        return (plan->recompute & NNC_RECOMPUTE_FULL) != 0
                   ? "sum of the inputs of all blocks and of what ops outside them keep"
                   : "sum over forward ops of what each keeps";
    }
    if ((plan->recompute & NNC_RECOMPUTE_FULL) != 0) {
        return "seq_len * micro_batch * (2 * layers * hidden + 5 * hidden + 4 * vocab)";
    }
    if ((plan->recompute & NNC_RECOMPUTE_ATTENTION) != 0) {
        return "seq_len * micro_batch * (34 * layers * hidden + 5 * hidden + 4 * vocab)";
    }
    return "seq_len * micro_batch * (layers * (34 * hidden + 5 * heads * seq_len) + 5 * hidden + "
           "4 * vocab)";
}

/* The bound counts flash attention and fused kernels; a plan without them has other ops. */
static const char *lower_bound_formula(const nnc_scope *scope, const nnc_result *result)
{
    double largest = 0.0;
    const char *const engines[] = { "matrix_s", "vector_s", "memory_s" };
    for (int i = 0; i < 3; i++) {
        const nnc_symbol *symbol = nnc_scope_find(scope, engines[i], strlen(engines[i]));
        largest = symbol != NULL && symbol->value > largest ? symbol->value : largest;
    }
    return fabs(largest - result->lower_bound_s) <= 1e-9 * largest
               ? "max(matrix_s, vector_s, memory_s)"
               : "the step of the same plan with --mode ideal, which fuses what this one does not";
}

static const char *formula_of(const quantity *q, const nnc_scope *scope, const nnc_report *report,
                              char text[FORMULA_MAX])
{
    const nnc_result *result = report->result;
    const nnc_plan *plan = &result->plan;
    const char *elsewhere = nnc_cluster_formula(report, q->name, text, FORMULA_MAX);
    if (elsewhere != NULL) {
        return elsewhere;
    }
    if (strcmp(q->name, "upper_bound_s") == 0 && report->software->launch_s > 0.0) {
        return "compute_total_s + memory_total_s + fixed_total_s + launch_total_s";
    }
    if (q->formula != NULL) {
        return q->formula;
    }
    if (strcmp(q->name, "params") == 0) {
        group_formula(scope, "params", text, FORMULA_MAX);
        return text;
    }
    if (strcmp(q->name, "forward_flops") == 0 || strcmp(q->name, "backward_flops") == 0) {
        group_formula(scope, q->name[0] == 'f' ? "forward" : "backward", text, FORMULA_MAX);
        return text;
    }
    if (strcmp(q->name, "model_flops") == 0) {
        return plan->flops_convention == NNC_CONVENTION_PALM ? "forward_flops + backward_flops"
               : plan->flops_convention == NNC_CONVENTION_CAUSAL
                   ? "forward.causal + backward.causal"
                   : "six_nd_flops";
    }
    if (strcmp(q->name, "lower_bound_s") == 0) {
        return lower_bound_formula(scope, result);
    }
    if (strcmp(q->name, "optimizer_bytes") == 0) {
        return optimizer_formula(plan->optimizer);
    }
    if (strcmp(q->name, "activation_bytes") == 0) {
        return activation_formula(plan);
    }
    if (strcmp(q->name, "run_s") == 0) {
        return isnan(plan->samples) ? "tokens_to_train / tokens_per_s"
                                    : "samples_to_train / samples_per_s";
    }
    if (strcmp(q->name, "energy_j") == 0) {
        return isnan(result->run_s) ? "power_w * devices * step_s" : "power_w * devices * run_s";
    }
    return result->memory.transient_what != NULL ? result->memory.transient_what : "nothing";
}

static bool explain_one(nnc_explainer *explainer, const nnc_report *report, const nnc_scope *scope,
                        const char *name)
{
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        const quantity *q = &quantities[i];
        if (strcmp(q->name, name) == 0) {
            char text[FORMULA_MAX];
            const nnc_symbol *symbol = nnc_scope_find(scope, name, strlen(name));
            const nnc_derivation line = {
                .name = q->name,
                .unit = q->unit,
                .formula = formula_of(q, scope, report, text),
                .meaning = q->meaning,
                .source = q->source,
                .result = symbol != NULL ? symbol->value : (double)NAN,
            };
            nnc_explain_line(explainer, "step", scope, &line);
            nnc_explain_beside(explainer, report, scope, name);
            return true;
        }
    }
    return false;
}

/* The tensors behind the parameters, op by op; not of networks with hundreds of them. */
static void explain_weights(nnc_explainer *explainer, const nnc_report *report)
{
    enum { OPS_SHOWN = 32 };
    int count = 0;
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op *op = report->ops[i].op;
        count += op->phase == NNC_PHASE_FORWARD && op->weights.count + op->weights.vector > 0;
    }
    for (int32_t i = 0; i < report->op_count && count <= OPS_SHOWN; i++) {
        const nnc_op *op = report->ops[i].op;
        const nnc_weights *w = &op->weights;
        nnc_scope scope;
        if (op->phase != NNC_PHASE_FORWARD || w->count + w->vector == 0) {
            continue;
        }
        scope.count = 0;
        nnc_scope_add(&scope, "instances", (double)op->repeat, NULL);
        nnc_scope_add(&scope, "matrices", (double)w->count, NULL);
        nnc_scope_add(&scope, "rows", (double)w->rows, NULL);
        nnc_scope_add(&scope, "columns", (double)w->cols, NULL);
        nnc_scope_add(&scope, "vector", (double)w->vector, NULL);
        const nnc_derivation line = {
            .name = op->name,
            .formula = w->count == 0    ? "instances * vector"
                       : w->vector == 0 ? "instances * matrices * rows * columns"
                                        : "instances * (matrices * rows * columns + vector)",
            .result = (double)op->repeat *
                      ((double)w->count * (double)w->rows * (double)w->cols + (double)w->vector),
        };
        nnc_explain_line(explainer, "params", &scope, &line);
    }
}

/* Of several quantities, those that this estimate has: tokens, the cost of a run. */
static bool applies(const nnc_result *result, const char *name)
{
    const bool run = strcmp(name, "run_s") == 0 || strcmp(name, "device_hours") == 0 ||
                     strcmp(name, "cost_run") == 0;
    return !(run && isnan(result->run_s)) &&
           !(strcmp(name, "tokens_per_s") == 0 && result->tokens == 0);
}

bool nnc_explain_quantity(nnc_explainer *explainer, const nnc_report *report, const char *name)
{
    nnc_scope scope;
    nnc_scope_fill(&scope, report);
    for (int i = 0; i < ALIAS_COUNT; i++) {
        if (strcmp(aliases[i].name, name) == 0) {
            for (int k = 0; k < ALIASED_MAX && aliases[i].stands_for[k] != NULL; k++) {
                if (applies(report->result, aliases[i].stands_for[k])) {
                    explain_one(explainer, report, &scope, aliases[i].stands_for[k]);
                }
            }
            return true;
        }
    }
    const bool found = explain_one(explainer, report, &scope, name);
    const nnc_plan *plan = &report->result->plan;
    const bool whole = plan->devices == plan->data; /* else rows hold a rank's share */
    if (found && strcmp(name, "params") == 0 && whole) {
        explain_weights(explainer, report);
    }
    return found;
}

size_t nnc_explain_names(const char **names, size_t max)
{
    size_t count = 0;
    for (int i = 0; i < ALIAS_COUNT && count < max; i++) {
        names[count++] = aliases[i].name;
    }
    for (int i = 0; i < QUANTITY_COUNT && count < max; i++) {
        names[count++] = quantities[i].name;
    }
    return count;
}
