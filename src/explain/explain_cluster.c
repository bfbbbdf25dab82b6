/* What the formulas of a step on several devices say and name. */
#include <math.h>
#include <string.h>

#include "explain/explain.h"
#include "pipeline/pipeline.h"
#include "pipeline/schedule.h"

static bool is_split(const nnc_plan *plan)
{
    return plan->tensor > 1 || plan->pipeline > 1 || plan->context > 1 || plan->expert > 1;
}

/* Parameters whose optimizer states one rank keeps. Experts are spread over other ranks than the
 * rest, so that those of a mixture are taken from the bytes they need. */
static double sharded_params(const nnc_report *report, double stage_params)
{
    const nnc_plan *plan = &report->result->plan;
    const double bytes = nnc_policy_bytes(plan->policy).gradient_bytes;
    if (plan->zero >= 2 && bytes > 0) {
        return (double)report->result->memory.gradient_bytes / bytes;
    }
    return plan->zero > 0 ? stage_params / plan->shard : stage_params;
}

static void add_kinds(nnc_scope *scope, const nnc_result *result)
{
    char name[32];
    for (int kind = 0; kind < NNC_COMM_COUNT; kind++) {
        snprintf(name, sizeof name, "exposed.%s", nnc_comm_name(kind));
        nnc_scope_add(scope, name, result->exposed_s[kind], "s");
        snprintf(name, sizeof name, "communication.%s", nnc_comm_name(kind));
        nnc_scope_add(scope, name, result->communication_s[kind], "s");
    }
}

/* Attention is what forward and backward take beyond two and four FLOPs per parameter. */
static void add_pairs(nnc_scope *scope, const nnc_result *result)
{
    const double linear = (double)result->matmul_params * (double)result->tokens;
    nnc_scope_add(scope, "forward_pair_flops", result->forward_flops - 2.0 * linear, "FLOP");
    nnc_scope_add(scope, "backward_pair_flops", result->backward_flops - 4.0 * linear, "FLOP");
}

void nnc_cluster_scope_fill(nnc_scope *scope, const nnc_report *report)
{
    const nnc_result *result = report->result;
    const nnc_plan *plan = &result->plan;
    if (report->stages == NULL) {
        return;
    }
    const nnc_stage *full = &report->stages[result->memory_stage];
    const nnc_stage *busy = &report->stages[result->stage];
    const double shards = plan->zero > 0 ? plan->shard : 1.0;
    const double sharded = sharded_params(report, (double)full->params);
    const struct {
        const char *name, *unit;
        double value;
    } symbols[] = {
        { "data", NULL, plan->data },
        { "tensor", NULL, plan->tensor },
        { "pipeline", NULL, plan->pipeline },
        { "context", NULL, plan->context },
        { "virtual_stages", NULL, plan->virtual_stages },
        { "micro_batches", NULL, (double)plan->micro_batches },
        { "memory.stage", NULL, result->memory_stage },
        { "stage_layers", NULL, (double)full->layers },
        { "stage_params", NULL, (double)full->params },
        { "shards", NULL, shards },
        { "sharded_params", NULL, sharded },
        { "stored_params", NULL, plan->zero > 0 ? sharded : (double)full->params },
        { "in_flight", NULL, full->in_flight },
        { "stage_forward_s", "s", busy->forward_s },
        { "stage_backward_s", "s", busy->backward_s },
        { "stage_weight_s", "s", busy->weight_s },
        { "busy_s", "s", result->step_s - result->bubble_s },
    };
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        nnc_scope_add(scope, symbols[i].name, symbols[i].value, symbols[i].unit);
    }
    add_kinds(scope, result);
    add_pairs(scope, result);
}

bool nnc_on_cluster(const nnc_plan *plan)
{
    return plan->devices > 1 || plan->offload != 0;
}

/* "exposed.tensor + exposed.data", of the kinds there are. */
static const char *exposed_formula(const nnc_result *result, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "nothing is exchanged");
    for (int kind = 0; kind < NNC_COMM_COUNT && used < size; kind++) {
        if (result->communication_s[kind] > 0) {
            used += (size_t)snprintf(text + used, size - used, "%sexposed.%s",
                                     used > 0 ? " + " : "", nnc_comm_name(kind));
        }
    }
    return text;
}

static const char *weights_formula(const nnc_plan *plan)
{
    return (plan->offload & NNC_OFFLOAD_WEIGHTS) != 0 ? "nothing: weights lie in host memory"
           : plan->zero == 3                          ? "sharded_params * weight_bytes_per_param"
                                                      : "stage_params * weight_bytes_per_param";
}

static const char *activations_formula(const nnc_plan *plan)
{
    if ((plan->offload & NNC_OFFLOAD_ACTIVATIONS) != 0) {
        return "at most twice what the largest block keeps: one on its way to host memory, one "
               "being made";
    }
    if (plan->activations == NNC_ACTIVATIONS_KORTHIKANTI) {
        return "in_flight * stage_layers * the layer's bytes, and those of embedding and head";
    }
    return (plan->recompute & NNC_RECOMPUTE_FULL) != 0
               ? "in_flight * (inputs of the stage's blocks and what ops outside them keep)"
               : "in_flight * (sum over the stage's forward ops of what each keeps)";
}

static const char *flops_formula(const nnc_result *result, bool forward)
{
    if (!is_split(&result->plan)) {
        return forward ? "data * (sum over the forward rows of one device)"
                       : "data * (sum over the backward rows of one device)";
    }
    return forward ? "2 * matmul_params * tokens + forward_pair_flops"
                   : "4 * matmul_params * tokens + backward_pair_flops";
}

const char *nnc_cluster_formula(const nnc_report *report, const char *name, char *text, size_t size)
{
    const nnc_result *result = report->result;
    const nnc_plan *plan = &result->plan;
    if (strcmp(name, "exposed_comm_s") == 0) {
        return exposed_formula(result, text, size);
    }
    if (strcmp(name, "in_flight") == 0) {
        return plan->pipeline > 1 ? nnc_schedule_of(plan->schedule)->in_flight_text : "1";
    }
    if (!nnc_on_cluster(plan)) {
        return NULL;
    }
    const bool states_leave = (plan->offload & NNC_OFFLOAD_OPTIMIZER) != 0;
    const struct {
        const char *name, *formula;
    } formulas[] = {
        { "forward_flops", flops_formula(result, true) },
        { "backward_flops", flops_formula(result, false) },
        { "executed_flops", "the sum of what the kernels of every rank run" },
        { "upper_bound_s", "the schedule replayed with the compute, memory and exchange of each op "
                           "one after the other" },
        { "weight_bytes", weights_formula(plan) },
        { "gradient_bytes", plan->zero >= 2 ? "sharded_params * gradient_bytes_per_param"
                                            : "stage_params * gradient_bytes_per_param" },
        { "optimizer_bytes", states_leave ? "nothing: states lie in host memory" : NULL },
        { "activation_bytes", activations_formula(plan) },
        { "intensity", "device_flops / (read_bytes + write_bytes)" },
    };
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        if (strcmp(formulas[i].name, name) == 0) {
            return formulas[i].formula;
        }
    }
    return NULL;
}

/* One line per exchange of the step. */
static void explain_exchanges(nnc_explainer *explainer, const nnc_report *report)
{
    enum { ROWS_SHOWN = 40 };
    int shown = 0;
    for (int32_t i = 0; i < report->op_count && shown < ROWS_SHOWN; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        const nnc_op *op = cost->op;
        if (op->kind != NNC_OP_COLLECTIVE || cost->repeat == 0) {
            continue;
        }
        nnc_scope scope = { .count = 0 };
        char name[64], meaning[128];
        shown++;
        snprintf(name, sizeof name, "%s %s", op->name, nnc_phase_name(op->phase));
        snprintf(meaning, sizeof meaning, "%s, %s over %s", nnc_comm_name(op->u.exchange.comm),
                 nnc_op_kind_name(op), cost->link != NULL ? cost->link : "?");
        nnc_scope_add(&scope, "network_s", cost->network_s, "s");
        nnc_scope_add(&scope, "hidden_s", fmax(0, cost->network_s - cost->time_s), "s");
        nnc_scope_add(&scope, "repeat", cost->repeat, NULL);
        nnc_explain_line(explainer, "exposed_comm_s", &scope,
                         &(nnc_derivation){ .name = name,
                                            .unit = "s",
                                            .formula = "(network_s - hidden_s) * repeat",
                                            .meaning = meaning,
                                            .result = cost->time_s * cost->repeat });
    }
}

void nnc_explain_beside(nnc_explainer *explainer, const nnc_report *report, const nnc_scope *scope,
                        const char *name)
{
    const nnc_result *result = report->result;
    if (strcmp(name, "exposed_comm_s") == 0) {
        explain_exchanges(explainer, report);
    } else if (strcmp(name, "bubble_s") == 0 && result->plan.pipeline > 1) {
        const nnc_plan *plan = &result->plan;
        const nnc_stage *stage = &report->stages[result->stage];
        const double parts = nnc_schedule_dual(plan) ? 2 : 1; /* stages that a device holds */
        const double value = nnc_pipeline_bubble_s(
            plan->schedule, plan->pipeline, plan->virtual_stages, stage->forward_s / parts,
            stage->backward_s / parts, stage->weight_s / parts);
        nnc_explain_line(
            explainer, "bubble_s", scope,
            &(nnc_derivation){ .name = "equal stages",
                               .unit = "s",
                               .formula = nnc_schedule_of(plan->schedule)->bubble_text,
                               .meaning = "the closed form, if every stage took as long as the "
                                          "busiest and nothing had to be sent",
                               .source = "arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437",
                               .result = value });
    }
}
