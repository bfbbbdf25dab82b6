/* What an output says about a plan. The words of these rows are those of the plan's own fields. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "metrics/report.h"

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
static const nnc_metrics degrees =
    NNC_METRICS("how a plan divides the work", degree_rows, nnc_plan);

static const nnc_metric batch_rows[] = {
    NNC_WHOLE(nnc_plan, micro_batch, .head = "micro-batch"),
    NNC_WHOLE(nnc_plan, micro_batches),
    NNC_WHOLE(nnc_plan, global_batch),
};
static const nnc_metrics batch = NNC_METRICS("samples of a step", batch_rows, nnc_plan);

static nnc_cell get_recompute(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_plan *plan = place->record;
    nnc_recompute_text(plan->recompute, text, NNC_METRIC_TEXT_MAX);
    return (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text };
}

static nnc_cell get_offload(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_plan *plan = place->record;
    nnc_offload_text(plan->offload, text, NNC_METRIC_TEXT_MAX);
    return (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text };
}

/* "1f1b" needs no word, nor does "interleaved" where there are virtual stages. */
static bool is_usual(const nnc_plan *plan)
{
    return plan->pipeline == 1 ||
           plan->schedule ==
               (plan->virtual_stages > 1 ? NNC_SCHEDULE_INTERLEAVED : NNC_SCHEDULE_1F1B);
}

char *nnc_plan_word(const nnc_plan *plan, char text[NNC_METRIC_TEXT_MAX])
{
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
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].degree != parts[i].unsaid) {
            used += (size_t)snprintf(text + used, NNC_METRIC_TEXT_MAX - used, "%s%s%" PRId64,
                                     used > 0 ? " " : "", parts[i].name, parts[i].degree);
        }
        if (i == 1 && plan->sequence_parallel) {
            used += (size_t)snprintf(text + used, NNC_METRIC_TEXT_MAX - used, " sp");
        }
    }
    if (!is_usual(plan)) {
        used += (size_t)snprintf(text + used, NNC_METRIC_TEXT_MAX - used, " %s",
                                 nnc_schedule_name((unsigned)plan->schedule));
    }
    if (plan->recompute != NNC_RECOMPUTE_NONE) {
        nnc_recompute_text(plan->recompute, flags, sizeof flags);
        used += (size_t)snprintf(text + used, NNC_METRIC_TEXT_MAX - used, " recompute=%s", flags);
    }
    if (plan->offload != NNC_OFFLOAD_NONE) {
        nnc_offload_text(plan->offload, flags, sizeof flags);
        snprintf(text + used, NNC_METRIC_TEXT_MAX - used, " offload=%s", flags);
    }
    for (char *c = text; *c != '\0'; c++) { /* as a list of plans writes it */
        if (*c == ',') {
            *c = '+';
        }
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

static const nnc_metric choice_rows[] = {
    NNC_ROWS(&degrees),
    NNC_ROWS(&batch),
    NNC_NAMED(nnc_plan, schedule, nnc_schedule_name, NNC_SCHEDULE_COUNT, .head = "schedule"),
    NNC_AS("recompute", TEXT, .get = get_recompute, .head = "recompute", .shrinks = true),
    NNC_AS("offload", TEXT, .get = get_offload, .head = "offload", .drop = 8),
};
const nnc_metrics nnc_plan_choice_metrics =
    NNC_METRICS("what a search chooses of a plan", choice_rows, nnc_plan);
