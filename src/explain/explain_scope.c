#include <math.h>
#include <stddef.h>
#include <string.h>

#include "explain/explain.h"

/* Figures of the result that formulas name. */
static const struct {
    const char *name, *unit;
    size_t offset;
} figures[] = {
#define FIGURE(member, unit)                        \
    {                                               \
#member, unit, offsetof(nnc_result, member) \
    }
    FIGURE(forward_flops, "FLOP"),
    FIGURE(backward_flops, "FLOP"),
    FIGURE(recompute_flops, "FLOP"),
    FIGURE(model_flops, "FLOP"),
    FIGURE(hardware_flops, "FLOP"),
    FIGURE(executed_flops, "FLOP"),
    FIGURE(vector_flops, "FLOP"),
    FIGURE(six_nd_flops, "FLOP"),
    FIGURE(read_bytes, "B"),
    FIGURE(write_bytes, "B"),
    FIGURE(peak_flops_per_s, "FLOP/s"),
    FIGURE(ridge_flops_per_byte, NULL),
    FIGURE(step_s, "s"),
    FIGURE(lower_bound_s, "s"),
    FIGURE(upper_bound_s, "s"),
    FIGURE(forward_s, "s"),
    FIGURE(backward_s, "s"),
    FIGURE(recompute_s, "s"),
    FIGURE(update_s, "s"),
    FIGURE(exposed_comm_s, "s"),
    FIGURE(bubble_s, "s"),
    FIGURE(bubble_ratio, NULL),
    FIGURE(bubble_share, NULL),
    FIGURE(host_s, "s"),
    FIGURE(samples_per_s, NULL),
    FIGURE(tokens_per_s, NULL),
    FIGURE(mfu, NULL),
    FIGURE(hfu, NULL),
    FIGURE(price_per_device_hour, NULL),
    FIGURE(cost_step, NULL),
    FIGURE(cost_run, NULL),
    FIGURE(device_hours, NULL),
    FIGURE(run_s, "s"),
    FIGURE(energy_j, "J"),
#undef FIGURE
};

static bool is_forward(nnc_phase phase)
{
    return phase == NNC_PHASE_FORWARD;
}

static bool is_backward(nnc_phase phase)
{
    return phase == NNC_PHASE_BACKWARD || phase == NNC_PHASE_GRAD_INPUT ||
           phase == NNC_PHASE_GRAD_WEIGHT;
}

/* Sums over the ops of one step. */
static void add_sums(nnc_scope *scope, const nnc_report *report)
{
    double forward[NNC_GROUP_COUNT] = { 0 }, backward[NNC_GROUP_COUNT] = { 0 };
    double causal[2] = { 0 }, executed[4] = { 0 }, seconds[3] = { 0 }, device_flops = 0;
    double launches = 0;
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        const nnc_phase phase = cost->op->phase;
        const double full = cost->work.full_flops * cost->repeat;
        const int part = is_forward(phase)              ? 0
                         : is_backward(phase)           ? 1
                         : phase == NNC_PHASE_RECOMPUTE ? 2
                                                        : 3;
        forward[cost->op->group] += part == 0 ? full : 0.0;
        backward[cost->op->group] += part == 1 ? full : 0.0;
        causal[part == 1] += part < 2 ? cost->work.causal_flops * cost->repeat : 0.0;
        executed[part] += cost->work.flops * cost->repeat;
        device_flops += (cost->work.flops + cost->work.vector_flops) * cost->repeat;
        seconds[0] += cost->compute_s * cost->repeat;
        seconds[1] += cost->memory_s * cost->repeat;
        seconds[2] += cost->fixed_s * cost->repeat;
        launches += part == 3 ? 0.0 : cost->repeat; /* the update is not issued op by op */
    }
    for (int group = 0; group < NNC_GROUP_COUNT; group++) {
        char name[32];
        snprintf(name, sizeof name, "params.%s", nnc_group_name(group));
        nnc_scope_add(scope, name, (double)report->result->params_by_group[group], NULL);
        snprintf(name, sizeof name, "forward.%s", nnc_group_name(group));
        nnc_scope_add(scope, name, forward[group], "FLOP");
        snprintf(name, sizeof name, "backward.%s", nnc_group_name(group));
        nnc_scope_add(scope, name, backward[group], "FLOP");
    }
    nnc_scope_add(scope, "forward.causal", causal[0], "FLOP");
    nnc_scope_add(scope, "backward.causal", causal[1], "FLOP");
    nnc_scope_add(scope, "forward.executed", executed[0], "FLOP");
    nnc_scope_add(scope, "backward.executed", executed[1], "FLOP");
    nnc_scope_add(scope, "recompute.executed", executed[2], "FLOP");
    nnc_scope_add(scope, "update.executed", executed[3], "FLOP");
    nnc_scope_add(scope, "device_flops", device_flops, "FLOP");
    nnc_scope_add(scope, "compute_total_s", seconds[0], "s");
    nnc_scope_add(scope, "memory_total_s", seconds[1], "s");
    nnc_scope_add(scope, "fixed_total_s", seconds[2], "s");
    nnc_scope_add(scope, "launch_total_s", launches * report->software->launch_s, "s");
    nnc_scope_add(scope, "intensity",
                  device_flops / (report->result->read_bytes + report->result->write_bytes), NULL);
}

/* Seconds of each engine at its datasheet rate; norms and pointwise ops move nothing. */
static void add_engines(nnc_scope *scope, const nnc_report *report)
{
    const nnc_device *device = report->device;
    const double vector_rate = device->vector_flops_per_s[NNC_FP32];
    double matrix_s = 0.0, vector_s = 0.0, memory_s = 0.0;
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        const nnc_op_kind kind = cost->op->kind;
        if (cost->work.flops > 0) {
            matrix_s += cost->work.flops * cost->repeat /
                        nnc_device_matmul_peak(device, cost->op->math_dtype);
        }
        if (!isnan(vector_rate)) {
            vector_s += cost->work.vector_flops * cost->repeat / vector_rate;
        }
        if (kind != NNC_OP_NORM && kind != NNC_OP_POINTWISE) {
            memory_s += (cost->work.read_bytes + cost->work.write_bytes) * cost->repeat /
                        device->mem_bytes_per_s;
        }
    }
    nnc_scope_add(scope, "matrix_s", matrix_s, "s");
    nnc_scope_add(scope, "vector_s", vector_s, "s");
    nnc_scope_add(scope, "memory_s", memory_s, "s");
}

/* The optimizer's op, which knows the parameters as they are stored. */
static const nnc_update *update_of(const nnc_report *report)
{
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op *op = report->ops[i].op;
        if (op->kind == NNC_OP_UPDATE && op->u.update.kind == NNC_UPDATE_STEP) {
            return &op->u.update;
        }
    }
    return NULL;
}

static void add_memory(nnc_scope *scope, const nnc_report *report)
{
    const nnc_memory *memory = &report->result->memory;
    const nnc_policy_sizes sizes = nnc_policy_bytes(report->result->plan.policy);
    const nnc_update *update = update_of(report);
    nnc_scope_add(scope, "weight_bytes", (double)memory->weight_bytes, "B");
    nnc_scope_add(scope, "gradient_bytes", (double)memory->gradient_bytes, "B");
    nnc_scope_add(scope, "optimizer_bytes", (double)memory->optimizer_bytes, "B");
    nnc_scope_add(scope, "activation_bytes", (double)memory->activation_bytes, "B");
    nnc_scope_add(scope, "transient_bytes", (double)memory->transient_bytes, "B");
    nnc_scope_add(scope, "reserve_bytes", (double)memory->reserve_bytes, "B");
    nnc_scope_add(scope, "total_bytes", (double)memory->total_bytes, "B");
    nnc_scope_add(scope, "weight_bytes_per_param", sizes.weight_bytes, NULL);
    nnc_scope_add(scope, "gradient_bytes_per_param", sizes.gradient_bytes, NULL);
    nnc_scope_add(scope, "master_bytes_per_param", sizes.master_bytes, NULL);
    nnc_scope_add(scope, "moment_bytes", sizes.state_bytes, NULL);
    if (update != NULL) {
        /* On several devices nnc_cluster_scope_fill() knows them. */
        if (report->result->plan.devices == 1) {
            nnc_scope_add(scope, "stored_params", (double)update->params, NULL);
        }
        nnc_scope_add(scope, "matrix_params", (double)update->matrix_params, NULL);
        nnc_scope_add(scope, "factored_elements", update->factored_elements, NULL);
    }
}

static void add_plan(nnc_scope *scope, const nnc_report *report)
{
    const nnc_plan *plan = &report->result->plan;
    const nnc_decoder *decoder = &report->model->decoder;
    nnc_scope_add(scope, "devices", plan->devices, NULL);
    nnc_scope_add(scope, "global_batch", (double)plan->global_batch, NULL);
    nnc_scope_add(scope, "tokens", (double)report->result->tokens, NULL);
    nnc_scope_add(scope, "tokens_to_train", plan->tokens, NULL);
    nnc_scope_add(scope, "samples_to_train", plan->samples, NULL);
    nnc_scope_add(scope, "params", (double)report->result->params, NULL);
    nnc_scope_add(scope, "matmul_params", (double)report->result->matmul_params, NULL);
    nnc_scope_add(scope, "mem_bytes_per_s", report->device->mem_bytes_per_s, "B/s");
    nnc_scope_add(scope, "power_w", report->device->power_w, "W");
    nnc_scope_add(scope, "layers", (double)decoder->layers, NULL);
    nnc_scope_add(scope, "hidden", (double)decoder->hidden, NULL);
    nnc_scope_add(scope, "heads", (double)decoder->heads, NULL);
    nnc_scope_add(scope, "vocab", (double)decoder->vocab, NULL);
    nnc_scope_add(scope, "seq_len", (double)plan->seq_len, NULL);
    nnc_scope_add(scope, "micro_batch", (double)plan->micro_batch, NULL);
}

void nnc_scope_fill(nnc_scope *scope, const nnc_report *report)
{
    const nnc_result *result = report->result;
    scope->count = 0;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        double value = 0.0;
        memcpy(&value, (const char *)result + figures[i].offset, sizeof value);
        nnc_scope_add(scope, figures[i].name, value, figures[i].unit);
    }
    add_plan(scope, report);
    add_memory(scope, report);
    add_engines(scope, report);
    add_sums(scope, report);
    nnc_cluster_scope_fill(scope, report);
}
