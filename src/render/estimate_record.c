#include "render/estimate_record.h"

#include <math.h>

/* Lengths that do not apply to a family stay 0 in the plan. */
static void whole_or_null(nnc_record *record, const char *key, int64_t value)
{
    if (value > 0) {
        nnc_record_whole(record, key, value);
    } else {
        nnc_record_null(record, key);
    }
}

static void record_model(nnc_record *record, const nnc_report *report)
{
    const nnc_result *result = report->result;
    nnc_record_object(record, "model");
    nnc_record_text(record, "id", report->model->id);
    nnc_record_text(record, "name", report->model->name);
    nnc_record_text(record, "family", nnc_family_name(report->model->family));
    nnc_record_whole(record, "params", result->params);
    nnc_record_whole(record, "active_params", result->active_params);
    nnc_record_whole(record, "matmul_params", result->matmul_params);
    nnc_record_object(record, "params_by_group");
    for (int group = 0; group < NNC_GROUP_COUNT; group++) {
        /* Every row of a CSV file has the same columns; JSON names the groups there are. */
        if (record->csv || result->params_by_group[group] > 0) {
            nnc_record_whole(record, nnc_group_name(group), result->params_by_group[group]);
        }
    }
    nnc_record_close(record);
    nnc_record_close(record);
}

static void record_device(nnc_record *record, const nnc_report *report)
{
    const nnc_device *device = report->device;
    nnc_record_object(record, "device");
    nnc_record_text(record, "id", device->id);
    nnc_record_text(record, "name", device->name);
    nnc_record_number(record, "peak_flops_per_s", report->result->peak_flops_per_s);
    nnc_record_whole(record, "mem_bytes", device->mem_bytes);
    nnc_record_number(record, "mem_bytes_per_s", device->mem_bytes_per_s);
    nnc_record_number(record, "ridge_flops_per_byte", report->result->ridge_flops_per_byte);
    nnc_record_bool(record, "fitted", device->efficiency.fitted);
    nnc_record_text(record, "basis", nnc_basis_name(device->efficiency.basis));
    nnc_record_close(record);
}

void nnc_record_degrees(nnc_record *record, const nnc_plan *plan)
{
    nnc_record_whole(record, "devices", plan->devices);
    nnc_record_whole(record, "data", plan->data);
    nnc_record_whole(record, "tensor", plan->tensor);
    nnc_record_whole(record, "pipeline", plan->pipeline);
    nnc_record_whole(record, "virtual_stages", plan->virtual_stages);
    nnc_record_whole(record, "context", plan->context);
    nnc_record_whole(record, "expert", plan->expert);
    nnc_record_bool(record, "sequence_parallel", plan->sequence_parallel);
    nnc_record_whole(record, "zero", plan->zero);
}

static void record_parallel(nnc_record *record, const nnc_plan *plan)
{
    nnc_record_degrees(record, plan);
    nnc_record_whole(record, "shard", plan->shard);
    nnc_record_bool(record, "reshard", plan->reshard);
    nnc_record_whole(record, "devices_per_node", plan->devices_per_node);
    nnc_record_text(record, "schedule", nnc_schedule_name(plan->schedule));
    nnc_record_text(record, "context_kind", nnc_context_kind_name(plan->context_kind));
    nnc_record_text(record, "rank_order", nnc_rank_order_name(plan->rank_order));
    nnc_record_number(record, "overlap", plan->overlap);
    nnc_record_number(record, "capacity_factor", plan->capacity_factor);
    nnc_record_number(record, "imbalance", plan->imbalance);
}

static void record_plan(nnc_record *record, const nnc_report *report)
{
    const nnc_plan *plan = &report->result->plan;
    char recompute[64], offload[64];
    nnc_recompute_text(plan->recompute, recompute, sizeof recompute);
    nnc_offload_text(plan->offload, offload, sizeof offload);
    nnc_record_object(record, "plan");
    record_parallel(record, plan);
    nnc_record_whole(record, "micro_batch", plan->micro_batch);
    nnc_record_whole(record, "micro_batches", plan->micro_batches);
    nnc_record_whole(record, "global_batch", plan->global_batch);
    whole_or_null(record, "seq_len", plan->seq_len);
    whole_or_null(record, "image", plan->image);
    nnc_record_text(record, "precision", nnc_dtype_name(plan->precision));
    nnc_record_text(record, "policy", nnc_policy_name(plan->policy));
    nnc_record_text(record, "optimizer", nnc_optimizer_name(plan->optimizer));
    nnc_record_text(record, "recompute", recompute);
    nnc_record_whole(record, "recompute_every", plan->recompute_every);
    nnc_record_whole(record, "recompute_layers", plan->recompute_layers);
    nnc_record_text(record, "offload", offload);
    nnc_record_text(record, "attention", nnc_attention_name(plan->attention));
    nnc_record_text(record, "activations", nnc_activations_name(plan->activations));
    nnc_record_text(record, "software", report->software->id);
    nnc_record_text(record, "mode", nnc_mode_name(plan->mode));
    nnc_record_text(record, "overrides", report->overrides);
    nnc_record_text(record, "cluster", report->cluster);
    nnc_record_close(record);
}

static void record_work(nnc_record *record, const nnc_result *result)
{
    nnc_record_object(record, "work");
    nnc_record_number(record, "forward_flops", result->forward_flops);
    nnc_record_number(record, "backward_flops", result->backward_flops);
    nnc_record_number(record, "recompute_flops", result->recompute_flops);
    nnc_record_number(record, "model_flops", result->model_flops);
    nnc_record_number(record, "hardware_flops", result->hardware_flops);
    nnc_record_number(record, "executed_flops", result->executed_flops);
    nnc_record_number(record, "vector_flops", result->vector_flops);
    nnc_record_number(record, "six_nd_flops", result->six_nd_flops);
    nnc_record_text(record, "flops_convention",
                    nnc_flops_convention_name(result->plan.flops_convention));
    nnc_record_number(record, "read_bytes", result->read_bytes);
    nnc_record_number(record, "write_bytes", result->write_bytes);
    nnc_record_number(record, "input_bytes", result->input_bytes);
    whole_or_null(record, "tokens", result->tokens);
    nnc_record_close(record);
}

/* Seconds by kind of communication. */
static void record_comm(nnc_record *record, const char *key, const double seconds[NNC_COMM_COUNT])
{
    nnc_record_object(record, key);
    for (int kind = 0; kind < NNC_COMM_COUNT; kind++) {
        nnc_record_number(record, nnc_comm_name(kind), seconds[kind]);
    }
    nnc_record_close(record);
}

static void record_step(nnc_record *record, const nnc_result *result)
{
    nnc_record_object(record, "step");
    nnc_record_number(record, "step_s", result->step_s);
    nnc_record_list(record, "interval_s");
    nnc_record_number(record, NULL, result->interval_s[0]);
    nnc_record_number(record, NULL, result->interval_s[1]);
    nnc_record_close(record);
    nnc_record_number(record, "lower_bound_s", result->lower_bound_s);
    nnc_record_number(record, "upper_bound_s", result->upper_bound_s);
    nnc_record_number(record, "forward_s", result->forward_s);
    nnc_record_number(record, "backward_s", result->backward_s);
    nnc_record_number(record, "recompute_s", result->recompute_s);
    nnc_record_number(record, "update_s", result->update_s);
    nnc_record_number(record, "exposed_comm_s", result->exposed_comm_s);
    nnc_record_number(record, "bubble_s", result->bubble_s);
    nnc_record_number(record, "host_s", result->host_s);
    record_comm(record, "exposed_comm", result->exposed_s);
    record_comm(record, "communication", result->communication_s);
    nnc_record_number(record, "bubble_ratio", result->bubble_ratio);
    nnc_record_number(record, "bubble_share", result->bubble_share);
    nnc_record_whole(record, "stage", result->stage);
    nnc_record_text(record, "bound", nnc_bound_name(result->bound));
    nnc_record_text(record, "next_bound", nnc_bound_name(result->next_bound));
    nnc_record_object(record, "bound_s");
    for (int bound = 0; bound < NNC_BOUND_COUNT; bound++) {
        nnc_record_number(record, nnc_bound_name(bound), result->bound_s[bound]);
    }
    nnc_record_close(record);
    nnc_record_number(record, "step_without_bound_s", result->step_without_bound_s);
    nnc_record_close(record);
}

static void record_throughput(nnc_record *record, const nnc_result *result)
{
    nnc_record_object(record, "throughput");
    nnc_record_number(record, "samples_per_s", result->samples_per_s);
    nnc_record_number(record, "tokens_per_s", result->tokens > 0 ? result->tokens_per_s : NAN);
    nnc_record_number(record, "tokens_per_s_per_device",
                      result->tokens > 0 ? result->tokens_per_s_per_device : NAN);
    nnc_record_number(record, "model_flops_per_s_per_device", result->model_flops_per_s_per_device);
    nnc_record_number(record, "mfu", result->mfu);
    nnc_record_number(record, "hfu", result->hfu);
    nnc_record_close(record);
}

void nnc_record_memory_parts(nnc_record *record, const nnc_memory *memory)
{
    nnc_record_whole(record, "weight_bytes", memory->weight_bytes);
    nnc_record_whole(record, "gradient_bytes", memory->gradient_bytes);
    nnc_record_whole(record, "optimizer_bytes", memory->optimizer_bytes);
    nnc_record_whole(record, "activation_bytes", memory->activation_bytes);
    nnc_record_whole(record, "transient_bytes", memory->transient_bytes);
    nnc_record_whole(record, "reserve_bytes", memory->reserve_bytes);
    nnc_record_whole(record, "total_bytes", memory->total_bytes);
}

static void record_memory(nnc_record *record, const nnc_report *report)
{
    const nnc_memory *memory = &report->result->memory;
    nnc_record_object(record, "memory");
    nnc_record_whole(record, "stage", report->result->memory_stage);
    nnc_record_memory_parts(record, memory);
    nnc_record_whole(record, "capacity_bytes", memory->capacity_bytes);
    nnc_record_whole(record, "headroom_bytes", memory->headroom_bytes);
    nnc_record_text(record, "transient_what", memory->transient_what);
    nnc_record_bool(record, "fits", report->result->verdict == NNC_FITS);
    if (!record->csv && report->advice_count == 0) {
        nnc_record_null(record, "advice");
    } else if (!record->csv) {
        nnc_record_list(record, "advice");
        for (int i = 0; i < report->advice_count; i++) {
            nnc_record_object(record, NULL);
            nnc_record_text(record, "text", report->advice[i].text);
            nnc_record_whole(record, "total_bytes", report->advice[i].total_bytes);
            nnc_record_number(record, "step_s", report->advice[i].step_s);
            nnc_record_close(record);
        }
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

static void record_cost(nnc_record *record, const nnc_report *report)
{
    const nnc_result *result = report->result;
    const nnc_price *price = nnc_report_price(report);
    const double unit_cost = nnc_report_unit_cost(result);
    nnc_record_object(record, "cost");
    nnc_record_number(record, "price_per_device_hour", result->price_per_device_hour);
    nnc_record_text(record, "currency", price != NULL ? price->currency : NULL);
    nnc_record_number(record, "step", result->cost_step);
    nnc_record_number(record, "per_million_tokens", result->tokens > 0 ? unit_cost : NAN);
    nnc_record_number(record, "per_thousand_samples", result->tokens > 0 ? NAN : unit_cost);
    nnc_record_number(record, "run", result->cost_run);
    nnc_record_number(record, "device_hours", result->device_hours);
    nnc_record_number(record, "run_s", result->run_s);
    nnc_record_number(record, "energy_j", result->energy_j);
    nnc_record_close(record);
}

void nnc_record_estimate(nnc_record *record, const nnc_report *report)
{
    record_model(record, report);
    record_device(record, report);
    record_plan(record, report);
    record_work(record, report->result);
    record_step(record, report->result);
    record_throughput(record, report->result);
    record_memory(record, report);
    record_cost(record, report);
}

void nnc_record_op(nnc_record *record, const nnc_report *report, const nnc_op_cost *cost)
{
    char shape[128];
    nnc_op_shape(cost->op, shape, sizeof shape);
    nnc_record_text(record, "name", cost->op->name);
    nnc_record_text(record, "kind", nnc_op_kind_name(cost->op));
    nnc_record_text(record, "phase", nnc_phase_name(cost->op->phase));
    nnc_record_text(record, "group", nnc_group_name(cost->op->group));
    nnc_record_number(record, "repeat", cost->repeat);
    nnc_record_text(record, "shape", shape);
    nnc_record_number(record, "flops", cost->work.flops);
    nnc_record_number(record, "vector_flops", cost->work.vector_flops);
    nnc_record_number(record, "read_bytes", cost->work.read_bytes);
    nnc_record_number(record, "write_bytes", cost->work.write_bytes);
    nnc_record_number(record, "intensity_flops_per_byte", nnc_intensity(&cost->work));
    nnc_record_number(record, "time_s", cost->time_s);
    nnc_record_number(record, "share", cost->time_s * cost->repeat / report->result->step_s);
    nnc_record_text(record, "bound", nnc_bound_name(cost->bound));
    nnc_record_text(record, "link", cost->link);
    nnc_record_number(record, "network_s",
                      cost->op->kind == NNC_OP_COLLECTIVE ? cost->network_s : (double)NAN);
}
