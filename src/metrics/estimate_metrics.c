/* Metrics tables of an estimate: plan, work, step, throughput, model, device, memory, cost. The help text of a plan
 * metric is the help text of its field in nnc_plan_table. */
#include "estimate/estimate_internal.h"
#include "metrics/metrics_internal.h"

static const nnc_metric degree_rows[] = {
    NNC_WHOLE(nnc_plan, devices),
    NNC_WHOLE(nnc_plan, data, .head = "data", .drop = 7),
    NNC_WHOLE(nnc_plan, tensor, .head = "tensor"),
    NNC_WHOLE(nnc_plan, pipeline, .head = "pipeline"),
    NNC_WHOLE(nnc_plan, virtual_stages, .head = "virtual", .drop = 9),
    NNC_WHOLE(nnc_plan, context, .head = "context"),
    NNC_WHOLE(nnc_plan, expert, .head = "expert"),
    NNC_BOOL(nnc_plan, sequence_parallel, .head = "SP"),
    NNC_WHOLE(nnc_plan, zero, .head = "ZeRO"),
};
static const nnc_metrics degrees = NNC_METRICS("degrees of parallelism", degree_rows, nnc_plan);

static const nnc_metric batch_rows[] = {
    NNC_WHOLE(nnc_plan, micro_batch, .head = "micro-batch"),
    NNC_WHOLE(nnc_plan, micro_batches),
    NNC_WHOLE(nnc_plan, global_batch),
};
static const nnc_metrics batch = NNC_METRICS("batch sizes", batch_rows, nnc_plan);

static nnc_cell get_recompute(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_plan *plan = place->record;
    nnc_recompute_text(plan->recompute, text, NNC_METRIC_TEXT_MAX);
    return (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text };
}

static nnc_cell get_offload(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_plan *plan = place->record;
    nnc_offload_text(plan->offload, text, NNC_METRIC_TEXT_MAX);
    return (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text };
}

/* Returns true if outputs leave out the schedule of the pipeline: the plan has no pipeline, or has the usual schedule
 * ("interleaved" with virtual stages, "1f1b" without). */
static bool is_usual(const nnc_plan *plan) {
    return plan->pipeline == 1 ||
           plan->schedule == (plan->virtual_stages > 1 ? NNC_SCHEDULE_INTERLEAVED : NNC_SCHEDULE_1F1B);
}

char *nnc_plan_word(const nnc_plan *plan, char text[NNC_METRIC_TEXT_MAX]) {
    const struct {
        const char *name;
        int64_t degree, unsaid;
    } parts[] = { { "dp", plan->data, 0 },
                  { "tp", plan->tensor, 1 },
                  { "pp", plan->pipeline, 1 },
                  { "vpp", plan->virtual_stages, 1 },
                  { "cp", plan->context, 1 },
                  { "ep", plan->expert, 1 },
                  { "zero", (int64_t)plan->zero, 0 },
                  { "mb", plan->micro_batch, 0 } };
    char flags[128];
    enum { SIZE = NNC_METRIC_TEXT_MAX };
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].degree != parts[i].unsaid) {
            nnc_text_append(text, SIZE, " ", "%s%" PRId64, parts[i].name, parts[i].degree);
        }
        if (i == 1 && plan->sequence_parallel) { nnc_text_append(text, SIZE, "", " sp"); }
    }
    if (!is_usual(plan)) { nnc_text_append(text, SIZE, "", " %s", nnc_schedule_name((unsigned)plan->schedule)); }
    if (plan->ends_as_layers && plan->pipeline > 1) { nnc_text_append(text, SIZE, "", " ends"); }
    if (plan->recompute != NNC_RECOMPUTE_NONE) {
        nnc_recompute_text(plan->recompute, flags, sizeof flags);
        nnc_text_append(text, SIZE, "", " recompute=%s", flags);
    }
    if (plan->offload != NNC_OFFLOAD_NONE) {
        nnc_offload_text(plan->offload, flags, sizeof flags);
        nnc_text_append(text, SIZE, "", " offload=%s", flags);
    }
    /* writes "+" between the elements of a value, because "," separates the values in lists of plans */
    for (char *c = text; *c != '\0'; c++) {
        if (*c == ',') { *c = '+'; }
    }
    return text;
}

static const nnc_metric plan_rows[] = {
    NNC_ROWS(&degrees),
    NNC_WHOLE(nnc_plan, shard),
    NNC_BOOL(nnc_plan, reshard),
    NNC_WHOLE(nnc_plan, devices_per_node),
    NNC_NAMED(nnc_plan, schedule, nnc_schedule_name, NNC_SCHEDULE_COUNT),
    NNC_NAMED(nnc_plan, context_kind, nnc_context_kind_name, NNC_CONTEXT_KIND_COUNT),
    NNC_NAMED(nnc_plan, rank_order, nnc_rank_order_name, NNC_ORDER_COUNT),
    NNC_NUMBER(nnc_plan, overlap),
    NNC_NUMBER(nnc_plan, capacity_factor),
    NNC_NUMBER(nnc_plan, imbalance),
    NNC_ROWS(&batch),
    NNC_WHOLE(nnc_plan, seq_len, .blank_zero = true),
    NNC_WHOLE(nnc_plan, image, .blank_zero = true),
    NNC_NAMED(nnc_plan, precision, nnc_dtype_name, NNC_DTYPE_COUNT),
    NNC_NAMED(nnc_plan, policy, nnc_policy_name, NNC_POLICY_COUNT),
    NNC_NAMED(nnc_plan, optimizer, nnc_optimizer_name, NNC_OPTIMIZER_COUNT),
    NNC_AS("recompute", TEXT, .get = get_recompute),
    NNC_WHOLE(nnc_plan, recompute_every),
    NNC_WHOLE(nnc_plan, recompute_layers),
    NNC_AS("offload", TEXT, .get = get_offload),
    NNC_NAMED(nnc_plan, attention, nnc_attention_name, NNC_ATTENTION_COUNT),
    NNC_NAMED(nnc_plan, activations, nnc_activations_name, NNC_ACTIVATIONS_COUNT),
};
const nnc_metrics nnc_plan_metrics = NNC_METRICS("a plan", plan_rows, nnc_plan);

static nnc_cell get_train(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_plan *plan = place->record;
    nnc_train_text(plan->train, text, NNC_METRIC_TEXT_MAX);
    return nnc_text_cell(text);
}

static nnc_cell get_adapters(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_plan *plan = place->record;
    nnc_adapted_text(plan->adapters, text, NNC_METRIC_TEXT_MAX);
    return nnc_text_cell(text);
}

/* Returns the value of the metric plan.reserve_bytes: null if the plan has -1, which means that the software profile
 * sets the reserve. */
NNC_GET(get_plan_reserve, nnc_plan,
        (nnc_cell){ .kind = self->reserve_bytes >= 0 ? NNC_CELL_WHOLE : NNC_CELL_NULL, .whole = self->reserve_bytes })

/* Rows for the fields of a plan that are not in nnc_plan_metrics. An output lists all fields of a plan, so that a user
 * can repeat the estimate. If a field has no row, the test every_field_of_a_plan_is_written fails. */
static const nnc_metric other_plan_rows[] = {
    NNC_BOOL(nnc_plan, ends_as_layers),
    NNC_WHOLE(nnc_plan, first_stage_layers),
    NNC_WHOLE(nnc_plan, last_stage_layers),
    NNC_BOOL(nnc_plan, whole_experts),
    NNC_AS("train", TEXT, .get = get_train),
    NNC_WHOLE(nnc_plan, train_layers),
    NNC_WHOLE(nnc_plan, train_from),
    NNC_BOOL(nnc_plan, next_tokens),
    NNC_WHOLE(nnc_plan, adapter_rank),
    NNC_AS("adapters", TEXT, .get = get_adapters),
    NNC_BOOL(nnc_plan, dora),
    NNC_BOOL(nnc_plan, oft),
    NNC_NAMED(nnc_plan, frozen, nnc_frozen_name, NNC_FROZEN_COUNT),
    NNC_BOOL(nnc_plan, fp8_inputs),
    NNC_WHOLE(nnc_plan, optimizer_rank),
    NNC_NAMED(nnc_plan, optimizer_kernels, nnc_optimizer_kernels_name, NNC_OPTIMIZER_KERNELS_COUNT),
    NNC_NAMED(nnc_plan, flops_convention, nnc_flops_convention_name, NNC_CONVENTION_COUNT),
    NNC_BOOL(nnc_plan, clip_gradients),
    NNC_NUMBER(nnc_plan, tokens),
    NNC_NUMBER(nnc_plan, samples),
    NNC_NUMBER(nnc_plan, price),
    NNC_AS("reserve_bytes", WHOLE, .get = get_plan_reserve, .unit = "B"),
};
static const nnc_metrics other_plan_metrics = NNC_METRICS("other fields of a plan", other_plan_rows, nnc_plan);

static const nnc_metric choice_rows[] = {
    NNC_ROWS(&degrees),
    NNC_ROWS(&batch),
    NNC_NAMED(nnc_plan, schedule, nnc_schedule_name, NNC_SCHEDULE_COUNT, .head = "schedule"),
    NNC_BOOL(nnc_plan, ends_as_layers),
    NNC_AS("recompute", TEXT, .get = get_recompute, .head = "recompute", .shrinks = true),
    NNC_AS("offload", TEXT, .get = get_offload, .head = "offload", .drop = 8),
};
const nnc_metrics nnc_plan_choice_metrics =
    NNC_METRICS("the fields of a plan that a search chooses", choice_rows, nnc_plan);

static const char roofline_paper[] = "Williams, Waterman, Patterson, CACM 52(4), 2009";

static const nnc_metric work_rows[] = {
    NNC_NUMBER(nnc_result, forward_flops, .unit = "FLOP",
               .help = "FLOPs of matrix products and convolutions in the forward passes of one step over all devices, "
                       "by flops_convention.",
               .more = NNC_MORE(.source = "2 FLOPs per multiply-add: 2 m n k per product, 2 n h w c_out c_in k^2 per "
                                          "convolution")),
    NNC_NUMBER(nnc_result, backward_flops, .unit = "FLOP",
               .help = "FLOPs of matrix products and convolutions in backward: one product for the gradient of the "
                       "input and one for the gradient of the weight.",
               .more = NNC_MORE(.source = "twice forward, minus the gradients of inputs that need no gradient")),
    NNC_NUMBER(nnc_result, recompute_flops, .unit = "FLOP",
               .help = "FLOPs recomputed in backward, in the convention of model_flops."),
    NNC_NUMBER(nnc_result, model_flops, .unit = "FLOP",
               .help = "Model FLOPs: the FLOPs that the mathematics of one step needs, by flops_convention.",
               .more = NNC_MORE(.source = "palm: arXiv:2204.02311 appendix B, windowed attention over the "
                                          "window; causal: pairs under the mask; 6nd: arXiv:2001.08361")),
    NNC_NUMBER(nnc_result, causal_flops, .unit = "FLOP",
               .help = "Model FLOPs, with attention only over the pairs of tokens that the mask leaves.",
               .more = NNC_MORE(.source = "arXiv:2307.08691")),
    NNC_NUMBER(nnc_result, hardware_flops, .unit = "FLOP",
               .help = "Model FLOPs plus recomputed FLOPs, in the convention of model_flops.",
               .more = NNC_MORE(.source = "arXiv:2205.05198 section 5")),
    NNC_NUMBER(nnc_result, executed_flops, .full = true, .unit = "FLOP",
               .help = "FLOPs that kernels run on the matrix units: fused attention skips masked "
                       "pairs and recomputes its scores in backward.",
               .more = NNC_MORE(.source = "arXiv:2307.08691; only executed work takes time")),
    NNC_NUMBER(nnc_result, vector_flops, .full = true, .unit = "FLOP",
               .help = "FLOPs of all kernels on the vector units."),
    NNC_NUMBER(nnc_result, six_nd_flops, .unit = "FLOP",
               .help = "FLOPs by the rule of thumb 6 N D: for each token and each parameter of a matrix product, 2 "
                       "FLOPs in forward and 4 in backward.",
               .more = NNC_MORE(.source = "arXiv:2001.08361")),
    NNC_AS("flops_convention", ENUM, NNC_IN(nnc_result, plan.flops_convention), .name_of = nnc_flops_convention_name,
           .values = NNC_CONVENTION_COUNT,
           .help = "Rule for model FLOPs: whether they include attention over all pairs of tokens, over unmasked "
                   "pairs, or no attention."),
    NNC_NUMBER(nnc_result, read_bytes, .full = true, .unit = "B",
               .help = "Bytes that one device of the busiest stage reads from its memory in a step."),
    NNC_NUMBER(nnc_result, write_bytes, .full = true, .unit = "B",
               .help = "Bytes that one device of the busiest stage writes to its memory in a step."),
    NNC_NUMBER(nnc_result, input_bytes, .unit = "B", .help = "Training data of one step: token ids or images."),
    NNC_WHOLE(nnc_result, tokens, .blank_zero = true, .show = NNC_SHOW_COUNT,
              .help = "Tokens of one step; null for images."),
};
const nnc_metrics nnc_work_metrics = NNC_METRICS("work of the step", work_rows, nnc_result);

static const char step_s[] = "step.step_s";

NNC_GET(get_launch_advice, nnc_result, nnc_text_cell(nnc_launch_advice(self)))

#define STEP_PART(member, heading, ...) \
    NNC_NUMBER(nnc_result, member, .head = heading, .unit = "s", .more = NNC_MORE(.part_of = step_s), __VA_ARGS__)

static const nnc_metric step_rows[] = {
    NNC_NUMBER(nnc_result, step_s, .unit = "s", .help = "Time of one optimizer step: the sum of its parts.",
               .more = NNC_MORE(.source = "each op by the roofline model: Williams, Waterman, "
                                          "Patterson, CACM 52(4), 2009")),
    NNC_NUMBER(nnc_result, interval_s, .full = true, .each_count = 2, .unit = "s",
               .help = "Interval of the step time: the range that should contain nine of ten measurements."),
    NNC_NUMBER(nnc_result, lower_bound_s, .full = true, .unit = "s",
               .help = "Lower bound for any software: time of the busiest engine at its datasheet rate. Work of all "
                       "less busy engines overlaps with this time, and norms and pointwise ops are fused into other "
                       "kernels.",
               .more = NNC_MORE(.source = roofline_paper)),
    NNC_NUMBER(nnc_result, upper_bound_s, .full = true, .unit = "s",
               .help = "Upper bound of the step: the rates of step_s, but without overlap.",
               .more = NNC_MORE(.source = roofline_paper)),
    STEP_PART(forward_s, "forward", .help = "Time of the forward passes of the busiest stage."),
    STEP_PART(backward_s, "backward",
              .help = "Time of the backward passes of the busiest stage, without recomputation."),
    STEP_PART(recompute_s, "recompute", .help = "Time of forward work that backward repeats."),
    STEP_PART(update_s, "update", .help = "Time of the optimizer's update."),
    NNC_NUMBER(nnc_result, exposed_comm_s, .head = "exposed", .unit = "s",
               .help = "Time of communication between ranks and with the host that does not overlap with compute.",
               .more = NNC_MORE(.part_of = step_s, .source = "arXiv:2104.04473, arXiv:1910.02054, arXiv:2006.15704")),
    NNC_NUMBER(nnc_result, bubble_s, .head = "bubble", .unit = "s",
               .help = "Idle time of the busiest stage, from a replay of the schedule with the times of all stages.",
               .more = NNC_MORE(.part_of = step_s,
                                .source = "arXiv:1811.06965, arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437")),
    NNC_NUMBER(nnc_result, host_s, .head = "host", .unit = "s",
               .help = "Time in which the device waits until the host issues ops.",
               .more = NNC_MORE(.part_of = step_s, .source = "docs/formulas.md, launch")),
    NNC_AS("exposed_comm", NUMBER, NNC_IN(nnc_result, exposed_s), .each_count = NNC_COMM_COUNT, .unit = "s",
           .help = "Part of exposed_comm_s that this kind of parallelism (tensor, data ...) causes.",
           .more = NNC_MORE(.each = nnc_comm_name)),
    NNC_AS("communication", NUMBER, NNC_IN(nnc_result, communication_s), .full = true, .each_count = NNC_COMM_COUNT,
           .unit = "s", .help = "Time of communication by kind of parallelism (tensor, data ...), overlapped or not.",
           .more = NNC_MORE(.each = nnc_comm_name)),
    NNC_NUMBER(nnc_result, bubble_ratio, .show = NNC_SHOW_PERCENT,
               .help = "Idle time of the busiest stage divided by its busy time.",
               .more = NNC_MORE(.source = "arXiv:2104.04473 section 2.2")),
    NNC_NUMBER(nnc_result, bubble_share, .show = NNC_SHOW_PERCENT,
               .help = "Idle time of the busiest stage divided by the step time."),
    NNC_NUMBER(nnc_result, idle_share, .full = true, .show = NNC_SHOW_PERCENT,
               .help = "Mean idle share of the pipeline stages: idle time of a stage / step time, averaged over all "
                       "stages."),
    NNC_WHOLE(nnc_result, stage, .help = "Number of the busiest pipeline stage, counted from 0."),
    NNC_NAMED(nnc_result, bound, nnc_bound_name, NNC_BOUND_COUNT, .full = true,
              .help = "Resource of the largest part of the step: compute, memory, network, host or bubble."),
    NNC_NAMED(nnc_result, next_bound, nnc_bound_name, NNC_BOUND_COUNT, .full = true,
              .help = "Resource of the second largest part of the step."),
    NNC_NUMBER(nnc_result, bound_s, .full = true, .each_count = NNC_BOUND_COUNT, .unit = "s",
               .help = "Step time by cause: time of ops by the resource that bounds them, time in which the host "
                       "issues ops (host), and idle time in the pipeline (bubble). The times of all causes add up "
                       "to step_s, except in ideal mode, where they overlap.",
               .more = NNC_MORE(.each = nnc_bound_name)),
    NNC_NUMBER(nnc_result, step_without_bound_s, .full = true, .unit = "s",
               .help = "Step time of a second estimate, in which the resource `bound` is unlimited."),
    NNC_AS("advice", TEXT, .get = get_launch_advice, .full = true,
           .help = "Advice if the step is host-bound; else null."),
    NNC_NUMBER(nnc_result, kernels, .full = true,
               .help = "Number of kernels of forward and backward on one device, if the model's library issues its "
                       "operators one by one. null: nncost does not know the operators of the library."),
};
const nnc_metrics nnc_step_metrics = NNC_METRICS("time of the step", step_rows, nnc_result);

NNC_GET(get_tokens_per_s, nnc_result, nnc_number_cell(self->tokens > 0 ? self->tokens_per_s : (double)NAN))

NNC_GET(get_tokens_per_s_per_device, nnc_result,
        nnc_number_cell(self->tokens > 0 ? self->tokens_per_s_per_device : (double)NAN))

static const nnc_metric throughput_rows[] = {
    NNC_NUMBER(nnc_result, samples_per_s, .help = "Sequences or images trained on per second."),
    NNC_AS("tokens_per_s", NUMBER, .get = get_tokens_per_s, .help = "Tokens trained on per second; null for images."),
    NNC_AS("tokens_per_s_per_device", NUMBER, .get = get_tokens_per_s_per_device,
           .help = "Tokens trained on per second and device; null for images."),
    NNC_NUMBER(nnc_result, model_flops_per_s_per_device, .unit = "FLOP/s",
               .help = "Model FLOPs per second and device."),
    NNC_NUMBER(nnc_result, mfu, .show = NNC_SHOW_PERCENT,
               .help = "Model FLOPs utilisation: model FLOPs / (peak x devices x step time).",
               .more = NNC_MORE(.source = "arXiv:2204.02311 appendix B")),
    NNC_NUMBER(nnc_result, causal_mfu, .show = NNC_SHOW_PERCENT,
               .help = "MFU if attention counts only the pairs of tokens that the mask leaves. causal_mfu is at most 1 "
                       "and does not depend on flops_convention.",
               .more = NNC_MORE(.source = "arXiv:2307.08691")),
    NNC_NUMBER(nnc_result, hfu, .show = NNC_SHOW_PERCENT,
               .help = "Hardware FLOPs utilisation: hardware FLOPs / (peak x devices x step time).",
               .more = NNC_MORE(.source = "arXiv:2205.05198 section 5")),
};
const nnc_metrics nnc_throughput_metrics = NNC_METRICS("throughput of the step", throughput_rows, nnc_result);

#define RESULT(member) NNC_VIA(nnc_report, result), NNC_IN(nnc_result, member)
#define MODEL(member) NNC_VIA(nnc_report, model), NNC_IN(nnc_model, member)
#define DEVICE(member) NNC_VIA(nnc_report, device), NNC_IN(nnc_device, member)

static const char zero_paper[] = "arXiv:1910.02054 section 3";

NNC_IF(trains_part, nnc_report, self->result->trained_params != self->result->params)
NNC_IF(has_notes, nnc_report, self->model->note_count > 0)

NNC_IF(is_padded, nnc_report, nnc_padded_rows(self) > 0)
NNC_GET(get_padded, nnc_report,
        (nnc_cell){ .kind = nnc_padded_rows(self) > 0 ? NNC_CELL_WHOLE : NNC_CELL_NULL,
                    .whole = nnc_padded_rows(self) })

static const nnc_metric model_rows[] = {
    NNC_AS("id", CHARS, MODEL(id), .help = "Id of the model."),
    NNC_AS("name", CHARS, MODEL(name), .help = "Name of the model."),
    NNC_AS("family", ENUM, MODEL(family), .name_of = nnc_family_name, .values = NNC_FAMILY_COUNT,
           .help = "Family of the model."),
    NNC_AS("params", WHOLE, RESULT(params), .show = NNC_SHOW_COUNT, .help = "Parameters of the model.",
           .more = NNC_MORE(.source = "the tensors of the op list, each counted once")),
    NNC_AS("active_params", WHOLE, RESULT(active_params), .show = NNC_SHOW_COUNT,
           .help = "Parameters that one token uses: all parameters except those of experts that the token is not "
                   "sent to."),
    NNC_AS("trained_params", WHOLE, RESULT(trained_params), .show = NNC_SHOW_COUNT,
           .help = "Parameters that the step trains; all other parameters are frozen.",
           .more = NNC_MORE(.when = trains_part)),
    NNC_AS("matmul_params", WHOLE, RESULT(matmul_params), .show = NNC_SHOW_COUNT,
           .help = "Parameters of matrix products that one token uses: N in 6 N D."),
    NNC_AS("params_by_group", WHOLE, RESULT(params_by_group), .each_count = NNC_GROUP_COUNT, .sparse = true,
           .show = NNC_SHOW_COUNT, .help = "Number of parameters of each part of the network.",
           .more = NNC_MORE(.each = nnc_group_name, .part_of = "model.params")),
    NNC_AS("padded_vocab", WHOLE, .get = get_padded, .show = NNC_SHOW_COUNT,
           .help = "Number of rows of the vocabulary table, including padding rows: tensor ranks can divide this "
                   "number.",
           .more = NNC_MORE(.when = is_padded, .source = "Megatron-LM, --make-vocab-size-divisible-by")),
    NNC_AS("notes", TEXTS, MODEL(notes), NNC_COUNT(nnc_model, note_count),
           .help = "Values that a Hugging Face configuration does not state and that nncost assumes.",
           .more = NNC_MORE(.when = has_notes)),
};
static const nnc_metrics model_metrics = NNC_METRICS("the model", model_rows, nnc_report);

static const nnc_metric device_rows[] = {
    NNC_AS("id", CHARS, DEVICE(id), .help = "Id of the device."),
    NNC_AS("name", CHARS, DEVICE(name), .help = "Name of the device."),
    NNC_AS("peak_flops_per_s", NUMBER, RESULT(peak_flops_per_s), .unit = "FLOP/s",
           .help = "Dense peak of the matrix units in the plan's precision."),
    NNC_AS("mem_bytes", WHOLE, DEVICE(mem_bytes), .unit = "B", .help = "Capacity of the device memory."),
    NNC_AS("mem_bytes_per_s", NUMBER, DEVICE(mem_bytes_per_s), .unit = "B/s",
           .help = "Bandwidth of the device memory."),
    NNC_AS("ridge_flops_per_byte", NUMBER, RESULT(ridge_flops_per_byte), .unit = "FLOP/B", .show = NNC_SHOW_SHORT,
           .help = "Ridge point: an op with fewer FLOPs per byte is memory-bound, an op with more is compute-bound.",
           .more = NNC_MORE(.source = roofline_paper)),
    NNC_AS("critical_tokens", NUMBER, RESULT(critical_tokens), .show = NNC_SHOW_SHORT,
           .help = "The critical batch: with this many tokens or more, reading the weights does not bound a matrix "
                   "product in the plan's precision.",
           .more = NNC_MORE(.source = "Pope et al., arXiv:2211.05102, section 2")),
    NNC_AS("critical_width", NUMBER, RESULT(critical_width), .show = NNC_SHOW_SHORT,
           .help = "The critical width: if two devices divide the summed dimension of a matrix product, and this "
                   "dimension has at least this size, the link between the devices does not bound the product.",
           .more = NNC_MORE(.source = "Austin et al., How to scale your model, 2025, chapter 1")),
    NNC_AS("fitted", BOOL, DEVICE(efficiency.fitted),
           .help = "Whether the device file has efficiencies that were fitted to measurements."),
    NNC_AS("basis", ENUM, DEVICE(efficiency.basis), .name_of = nnc_basis_name, .values = NNC_BASIS_COUNT,
           .help = "Kind of measurements behind the efficiencies of the device."),
};
static const nnc_metrics device_metrics = NNC_METRICS("the device", device_rows, nnc_report);

static const nnc_metric source_file_rows[] = {
    NNC_TEXT(nnc_source_file, file, .help = "The launch file, as the command line names it."),
    NNC_TEXT(nnc_source_file, format, .help = "Format of the launch file."),
    NNC_TEXT(nnc_source_file, options, .help = "Options that have the same meaning as the launch file."),
};
static const nnc_metrics source_file_metrics = NNC_METRICS("a launch file", source_file_rows, nnc_source_file);

static const nnc_metric ignored_key_rows[] = {
    NNC_TEXT(nnc_ignored_key, file, .help = "The file."),
    NNC_WHOLE(nnc_ignored_key, line, .help = "Line of the key in the launch file, counted from 1."),
    NNC_TEXT(nnc_ignored_key, key,
             .help = "Name of the key, preceded by the names of the keys that contain it, all joined by dots."),
    NNC_TEXT(nnc_ignored_key, why, .help = "Reason why the key sets no option."),
    NNC_BOOL(nnc_ignored_key, skipped,
             .help = "Whether --lenient skipped the key of the launch file. A skipped key may affect the real step; "
                     "the estimate ignores it."),
};
static const nnc_metrics ignored_key_metrics =
    NNC_METRICS("a key that sets no option", ignored_key_rows, nnc_ignored_key);
NNC_IF(has_launch, nnc_report, self->launch != NULL)

static const nnc_metric launch_rows[] = {
    NNC_AS("source_files", LIST, NNC_VIA(nnc_report, launch), NNC_IN(nnc_launch_said, files),
           NNC_COUNT(nnc_launch_said, file_count), .rows = &source_file_metrics,
           .help = "Launch files that the plan comes from.", .more = NNC_MORE(.when = has_launch)),
    NNC_AS("ignored_keys", LIST, NNC_VIA(nnc_report, launch), NNC_IN(nnc_launch_said, ignored),
           NNC_COUNT(nnc_launch_said, ignored_count), .rows = &ignored_key_metrics,
           .help = "Keys of the launch files that set no option.", .more = NNC_MORE(.when = has_launch)),
};
const nnc_metrics nnc_launch_metrics = NNC_METRICS("launch files", launch_rows, nnc_report);

static const nnc_metric resolved_plan_rows[] = {
    NNC_ROWS(&nnc_plan_metrics, RESULT(plan)),
    NNC_AS("software", CHARS, NNC_VIA(nnc_report, software), NNC_IN(nnc_software, id),
           .help = "Software profile, which states the fused kernels and the tensors that these kernels keep for "
                   "backward."),
    NNC_AS("software_chosen", BOOL, NNC_IN(nnc_report, software_chosen),
           .help = "Whether nncost chose the software profile; false: the user chose it."),
    NNC_AS("mode", ENUM, RESULT(plan.mode), .name_of = nnc_mode_name, .values = NNC_MODE_COUNT),
    NNC_TEXT(nnc_report, overrides, .help = "Fields that --set changed."),
    NNC_TEXT(nnc_report, cluster, .help = "Cluster file with the links between devices."),
    NNC_ROWS(&other_plan_metrics, RESULT(plan)),
    NNC_ROWS(&nnc_launch_metrics),
};
const nnc_metrics nnc_resolved_plan_metrics = NNC_METRICS("the plan as resolved", resolved_plan_rows, nnc_report);

static const char total_bytes[] = "memory.total_bytes";

static const nnc_metric memory_part_rows[] = {
    NNC_WHOLE(nnc_memory, weight_bytes, .head = "weights", .unit = "B",
              .help = "Weights that forward and backward read, in the format of the precision policy.",
              .more = NNC_MORE(.part_of = total_bytes, .source = "arXiv:1910.02054 section 3.1, arXiv:1710.03740")),
    NNC_WHOLE(nnc_memory, gradient_bytes, .head = "gradients", .unit = "B",
              .help = "Gradients; these bytes do not grow with the number of micro-batches.",
              .more = NNC_MORE(.part_of = total_bytes, .source = "arXiv:1910.02054 section 3.1")),
    NNC_WHOLE(nnc_memory, optimizer_bytes, .head = "optimizer", .unit = "B",
              .help = "The optimizer's moments, and the fp32 master copy if there is one.",
              .more = NNC_MORE(.part_of = total_bytes,
                               .source = "arXiv:1910.02054 section 3.1; adam8bit: arXiv:2110.02861; adafactor: "
                                         "arXiv:1804.04235")),
    NNC_WHOLE(nnc_memory, activation_bytes, .head = "activations", .unit = "B",
              .help = "Tensors kept for backward, including logits or loss probabilities.",
              .more =
                  NNC_MORE(.part_of = total_bytes,
                           .source = "each op's own inputs, outputs and masks; preset korthikanti: arXiv:2205.05198 "
                                     "section 4")),
    NNC_WHOLE(nnc_memory, transient_bytes, .head = "transient", .unit = "B", .drop = 2,
              .help = "Transient memory: the largest temporary tensors at the peak.",
              .more = NNC_MORE(.part_of = total_bytes)),
    NNC_WHOLE(nnc_memory, apart_bytes, .head = "not at once", .unit = "B", .drop = 2, .any_sign = true,
              .help = "Peak memory of the step minus the sum of all classes of memory. The difference is usually "
                      "negative, because backward frees activations while it adds gradients.",
              .more = NNC_MORE(.part_of = total_bytes)),
    NNC_WHOLE(nnc_memory, reserve_bytes, .head = "reserve", .unit = "B", .drop = 1,
              .help = "Reserve: --reserve-bytes, or the memory for driver context, collectives and fragmentation by "
                      "the software profile.",
              .more = NNC_MORE(.part_of = total_bytes)),
    NNC_WHOLE(nnc_memory, total_bytes, .head = "total", .unit = "B",
              .help = "Memory of one device in use at the peak of the step.", .more = NNC_MORE(.source = zero_paper)),
};
const nnc_metrics nnc_memory_metrics = NNC_METRICS("memory of one device, by class", memory_part_rows, nnc_memory);

NNC_GET(get_fits, nnc_report, nnc_bool_cell(self->result->memory.headroom_bytes >= 0))

static const nnc_metric advice_rows[] = {
    NNC_CHARS(nnc_advice, text, .help = "The changes of the advice, as command-line options."),
    NNC_WHOLE(nnc_advice, total_bytes, .unit = "B", .help = "Memory of one device with the changes of the advice."),
    NNC_NUMBER(nnc_advice, step_s, .unit = "s", .help = "Time of one step with the changes of the advice."),
};
static const nnc_metrics advice_metrics =
    NNC_METRICS("a change with which the plan would fit", advice_rows, nnc_advice);

#define STATIC_HELP                                                                                        \
    "Bytes that stay allocated between two steps: weight_bytes, gradient_bytes, optimizer_bytes, and the " \
    "workspaces of matrix products that the software profile states. Megatron-LM logs this number as "     \
    "mem-allocated-bytes."
static const nnc_metric memory_stage_rows[] = {
    NNC_ROWS(&nnc_memory_metrics, NNC_IN(nnc_stage, memory)),
    NNC_AS("static_bytes", WHOLE, NNC_IN(nnc_stage, static_bytes), .unit = "B", .help = STATIC_HELP),
};
NNC_GET(get_static_bytes, nnc_report,
        nnc_whole_cell(self->result->memory.weight_bytes + self->result->memory.gradient_bytes +
                       self->result->memory.optimizer_bytes +
                       (int64_t)nnc_held_bytes(self->device, self->software,
                                               nnc_model_sizes_of(self->model).experts > 0)))

static const nnc_metrics memory_stage_metrics =
    NNC_METRICS("memory of one device of a stage, by class", memory_stage_rows, nnc_stage);
NNC_IF(has_helpers, nnc_report, self->result->memory.helper_bytes > 0)
NNC_GET(get_helper_bytes, nnc_report,
        (nnc_cell){ .kind = self->result->memory.helper_bytes > 0 ? NNC_CELL_WHOLE : NNC_CELL_NULL,
                    .whole = self->result->memory.helper_bytes })
NNC_IF(has_stage_list, nnc_report, self->stage_count > 1)

static const nnc_metric memory_rows[] = {
    NNC_AS("stage", WHOLE, RESULT(memory_stage),
           .help = "Number of the pipeline stage that needs most memory, counted from 0."),
    NNC_ROWS(&nnc_memory_metrics, RESULT(memory)),
    NNC_AS("capacity_bytes", WHOLE, RESULT(memory.capacity_bytes), .unit = "B",
           .help = "Memory capacity of one device."),
    NNC_AS("headroom_bytes", WHOLE, RESULT(memory.headroom_bytes), .unit = "B", .any_sign = true,
           .help = "Free memory of one device: capacity minus total; negative when the plan does not fit."),
    NNC_AS("total_interval_bytes", WHOLE, RESULT(memory.total_interval_bytes), .each_count = 2, .unit = "B",
           .help =
               "Range of measured peaks under the software profile: one measured peak in ten is above the upper end."),
    NNC_AS("peak_allocated_bytes", WHOLE, RESULT(memory.peak_allocated_bytes), .unit = "B",
           .help = "Bytes that the allocator has given to tensors at the peak: max_memory_allocated of PyTorch."),
    NNC_AS("peak_reserved_bytes", WHOLE, RESULT(memory.peak_reserved_bytes), .unit = "B",
           .help = "Bytes that the allocator has taken from the driver at the peak: max_memory_reserved of PyTorch."),
    NNC_AS("context_bytes", WHOLE, RESULT(memory.context_bytes), .unit = "B",
           .help = "Bytes outside the allocator: driver context and libraries."),
    NNC_AS("static_bytes", WHOLE, .get = get_static_bytes, .unit = "B", .help = STATIC_HELP),
    NNC_AS("transient_what", TEXT, RESULT(memory.transient_what), .help = "Names of the tensors in transient_bytes."),
    NNC_AS("fits", BOOL, .get = get_fits, .help = "Whether the plan fits into the device memory."),
    NNC_AS("fit", ENUM, RESULT(verdict), .name_of = nnc_verdict_name, .values = NNC_VERDICT_COUNT,
           .help = "fits, tight or does_not_fit. tight: the lower end of total_interval_bytes fits into the capacity, "
                   "but the upper end does not."),
    NNC_AS("advice", LIST, NNC_IN(nnc_report, advice), NNC_COUNT(nnc_report, advice_count), .rows = &advice_metrics,
           .null_empty = true,
           .help = "Changes with which the plan would fit. Changes that keep the longest sequences are first; "
                   "changes with equal sequences are sorted by step time."),
    NNC_AS("stages", LIST, NNC_IN(nnc_report, stages), NNC_COUNT(nnc_report, stage_count),
           .rows = &memory_stage_metrics,
           .help = "Memory of one device of each pipeline stage, if the plan has several stages.",
           .more = NNC_MORE(.when = has_stage_list)),
    NNC_AS("helper_bytes", WHOLE, .get = get_helper_bytes, .unit = "B",
           .help = "Part of weight_bytes: the frozen models of --method (reference, reward model, teacher).",
           .more = NNC_MORE(.when = has_helpers)),
};
static const nnc_metrics memory_metrics = NNC_METRICS("memory of the fullest device", memory_rows, nnc_report);

NNC_GET(get_currency, nnc_report, nnc_text_cell(nnc_report_currency(self)))

NNC_GET(get_per_million_tokens, nnc_report,
        nnc_number_cell(self->result->tokens > 0 ? nnc_report_unit_cost(self->result, NULL) : (double)NAN))

NNC_GET(get_per_thousand_samples, nnc_report,
        nnc_number_cell(self->result->tokens > 0 ? (double)NAN : nnc_report_unit_cost(self->result, NULL)))

static const nnc_metric cost_rows[] = {
    NNC_AS("price_per_device_hour", NUMBER, RESULT(price_per_device_hour), .help = "Price of one device for one hour."),
    NNC_AS("currency", TEXT, .get = get_currency,
           .help = "Currency of the prices: the currency of the device file, or USD if the file has no prices."),
    NNC_AS("step", NUMBER, RESULT(cost_step), .help = "Price of one step over all devices."),
    NNC_AS("per_million_tokens", NUMBER, .get = get_per_million_tokens,
           .help = "Price of training on a million tokens; null for images."),
    NNC_AS("per_thousand_samples", NUMBER, .get = get_per_thousand_samples,
           .help = "Price of training on a thousand images; null for tokens."),
    NNC_AS("run", NUMBER, RESULT(cost_run),
           .help = "Price of the steps of --tokens or --samples alone; run.cost adds failures, checkpoints and input."),
    NNC_AS("device_hours", NUMBER, RESULT(device_hours),
           .help = "Device-hours of the steps alone; run.device_hours are the device-hours of the whole run."),
    NNC_AS("run_s", NUMBER, RESULT(run_s), .unit = "s",
           .help = "Time of the steps of --tokens or --samples alone; run.run_s adds failures, checkpoints and input."),
    NNC_AS("energy_j", NUMBER, RESULT(energy_j), .unit = "J",
           .help =
               "Energy of the steps of the run, or of one step if no run is given, at the rated power of the board."),
};
static const nnc_metrics cost_metrics = NNC_METRICS("cost", cost_rows, nnc_report);

static const nnc_metric estimate_rows[] = {
    NNC_AS("model", OBJECT, .rows = &model_metrics),
    NNC_AS("device", OBJECT, .rows = &device_metrics),
    NNC_AS("plan", OBJECT, .rows = &nnc_resolved_plan_metrics),
    NNC_AS("work", OBJECT, NNC_VIA(nnc_report, result), .rows = &nnc_work_metrics),
    NNC_AS("step", OBJECT, NNC_VIA(nnc_report, result), .rows = &nnc_step_metrics),
    NNC_AS("throughput", OBJECT, NNC_VIA(nnc_report, result), .rows = &nnc_throughput_metrics),
    NNC_AS("memory", OBJECT, .rows = &memory_metrics),
    NNC_AS("cost", OBJECT, .rows = &cost_metrics),
};
const nnc_metrics nnc_estimate_metrics = NNC_METRICS("one training step", estimate_rows, nnc_report);

NNC_IF(has_run, nnc_report, self->run != NULL)

#define RUN_ROW                                                                       \
    NNC_AS("run", OBJECT, NNC_VIA(nnc_report, run), .rows = &nnc_run_metrics,         \
           .help = "Results of the whole run, if options set the length of the run.", \
           .more = NNC_MORE(.when = has_run))

static const nnc_metric estimate_run_rows[] = { NNC_ROWS(&nnc_estimate_metrics), RUN_ROW };
const nnc_metrics nnc_estimate_run_metrics =
    NNC_METRICS("one training step, and the run", estimate_run_rows, nnc_report);

NNC_IF(has_stages, nnc_report, self->all_stages)

NNC_IF(has_timeline, nnc_report, self->intervals != NULL)

static const nnc_metric own_rows[] = {
    NNC_NUMBER(nnc_own_step, step_s, .unit = "s", .help = "The measured step time."),
    NNC_NUMBER(nnc_own_step, mfu,
               .help = "Model FLOPs of the step divided by the FLOPs that all devices can execute at their peak in "
                       "the measured time."),
    NNC_NUMBER(nnc_own_step, predicted_over, .help = "The predicted time divided by the measured time."),
    NNC_BOOL(nnc_own_step, possible,
             .help = "Whether the measured step is possible: at least as long as the lower bound."),
};
static const nnc_metrics own_metrics = NNC_METRICS("a measured step", own_rows, nnc_own_step);
static const nnc_metric past_rows[] = {
    NNC_NAMED(nnc_past, of, nnc_past_name, NNC_PAST_COUNT,
              .help = "Steps from which `error` and `bias` are computed. device: steps of the device that no fit "
                      "has used. all_devices: steps of all devices that no fit has used, because the device has "
                      "fewer than ten such steps. other_devices: steps of all devices that no fit has used, because "
                      "the device has no such step. seen: all steps of the device, also steps that a fit has used, "
                      "because the error of all steps is larger. too_few: there are fewer than ten steps on all "
                      "devices. For a CPU, only steps of this CPU count."),
    NNC_WHOLE(nnc_past, device_rows, .help = "Number of steps of the device that no fit has used."),
    NNC_WHOLE(nnc_past, rows, .help = "Number of measured steps that `of` selects."),
    NNC_WHOLE(nnc_past, unseen,
              .help = "Number of steps that no fit has used. `error` and `bias` are computed from the steps that no "
                      "fit has used, or from all rows if `of` is seen."),
    NNC_NUMBER(nnc_past, error, .help = "Mean absolute value of predicted / measured - 1."),
    NNC_NUMBER(nnc_past, bias, .help = "Mean of predicted / measured - 1, with its sign."),
};
static const nnc_metrics past_metrics =
    NNC_METRICS("measured steps of the family under the profile", past_rows, nnc_past);
static nnc_cell get_trust_rows(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_past *p = place->record;
    (void)text;
    return nnc_whole_cell(p->of == NNC_PAST_SEEN ? p->rows : p->unseen);
}

/* Metrics of the section `trust`: number and mean absolute error of the measured steps with which the predictions were
 * compared. The compared steps are the steps that no fit has used; if `of` is NNC_PAST_SEEN, the compared steps are all
 * measured steps of the device. */
static const nnc_metric trust_rows[] = {
    NNC_NAMED(nnc_past, of, nnc_past_name, NNC_PAST_COUNT,
              .help = "Devices of the steps from which the error is computed; accuracy.of explains the values."),
    NNC_AS("rows", WHOLE, .get = get_trust_rows,
           .help = "Number of measured steps that no fit has used; if accuracy.of is seen, number of all measured "
                   "steps of the device."),
    NNC_NUMBER(nnc_past, error,
               .help = "Mean absolute error of the steps in trust.rows; null if there are fewer than ten."),
    NNC_NUMBER(nnc_past, error_range, .each_count = 2,
               .help = "Range in which the mean error of nine of ten new groups of ten or more steps lies. The ends "
                       "of the range are error / 2 and error x 2, found with groups of steps of other models. If "
                       "`of` is all_devices or other_devices, the ends are error / 3.5 and error x 3.5, found with "
                       "groups of steps from other sources."),
};
static const nnc_metrics trust_metrics = NNC_METRICS("expected error of an estimate", trust_rows, nnc_past);
static const nnc_metric fact_rows[] = {
    NNC_TEXT(nnc_open_fact, name,
             .help = "Name of the option for the setting; a name with a dot is a field for --set."),
    NNC_AS("values", TEXTS, NNC_IN(nnc_open_fact, values), NNC_COUNT(nnc_open_fact, value_count),
           .help = "Possible values of the option."),
    NNC_NUMBER(nnc_open_fact, effect,
               .help = "Largest relative change of the step time over all values of the option."),
};
static const nnc_metrics fact_metrics =
    NNC_METRICS("a setting of the software that the plan does not state", fact_rows, nnc_open_fact);
NNC_IF(has_facts, nnc_report, self->open_fact_count > 0)
NNC_IF(has_past, nnc_report, self->past.of != NNC_PAST_NONE)
NNC_IF(has_own, nnc_report, self->own != NULL)
NNC_IF(has_sensitivity, nnc_report, self->sensitivity != NULL)

static nnc_cell get_sentence(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    return nnc_text_cell(nnc_report_sentence(place->record, text));
}

static const nnc_metric document_rows[] = {
    NNC_AS("sentence", TEXT, .get = get_sentence, .help = "The verdict on the plan, in one sentence."),
    NNC_ROWS(&nnc_estimate_metrics),
    RUN_ROW,
    NNC_AS("stages", LIST, NNC_IN(nnc_report, stages), NNC_COUNT(nnc_report, stage_count), .rows = &nnc_stage_metrics,
           .help = "Every stage of the pipeline, with --stages.", .more = NNC_MORE(.when = has_stages)),
    NNC_AS("timeline", LIST, NNC_IN(nnc_report, intervals), NNC_COUNT(nnc_report, interval_count),
           .rows = &nnc_interval_metrics, .help = "Activity of every stage over time, with --timeline.",
           .more = NNC_MORE(.when = has_timeline)),
    NNC_AS("accuracy", OBJECT, NNC_IN(nnc_report, past), .rows = &past_metrics,
           .help = "Accuracy of predicted steps of this model family under this software profile.",
           .more = NNC_MORE(.when = has_past)),
    NNC_AS("trust", OBJECT, NNC_IN(nnc_report, past), .rows = &trust_metrics,
           .help = "Error of predictions of steps that are similar to this step and that no fit has used.",
           .more = NNC_MORE(.when = has_past)),
    NNC_AS("open_facts", LIST, NNC_IN(nnc_report, open_facts), NNC_COUNT(nnc_report, open_fact_count),
           .rows = &fact_metrics,
           .help = "Settings of the software that the plan does not state. The setting with the largest effect on the "
                   "step time is first.",
           .more = NNC_MORE(.when = has_facts)),
    NNC_AS("measured", OBJECT, NNC_VIA(nnc_report, own), .rows = &own_metrics,
           .help = "The step of --measured compared with the estimate.", .more = NNC_MORE(.when = has_own)),
    NNC_AS("sensitivity", LIST, NNC_IN(nnc_report, sensitivity), NNC_COUNT(nnc_report, sensitivity_count),
           .rows = &nnc_sensitivity_metrics,
           .help = "Gain in step time if one parameter of the device improves, for each parameter; with --sensitivity.",
           .more = NNC_MORE(.when = has_sensitivity)),
    NNC_AS("ops", LIST, NNC_IN(nnc_report, ops), NNC_COUNT(nnc_report, op_count), .rows = &nnc_op_metrics,
           .help = "All ops of the step on one device of the busiest stage."),
};
const nnc_metrics nnc_estimate_document = NNC_METRICS("an estimate", document_rows, nnc_report);
