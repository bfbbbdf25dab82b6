/* Tables of the lists of an estimate: ops, stages, intervals, sensitivities. */
#include "base/base_internal.h"
#include "metrics/metrics_internal.h"
#include "op/op_internal.h"

/* ---- ops ---- */

NNC_GET(get_op_name, nnc_op_cost, nnc_text_cell(nnc_op_name(self->op)))

static nnc_cell get_op_path(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_op_cost *cost = place->record;
    return nnc_text_cell(nnc_op_path(cost->op, text, NNC_METRIC_TEXT_MAX));
}

static bool is_kept(const nnc_op *op)
{
    return op->phase == NNC_PHASE_FORWARD;
}

NNC_GET(get_op_kept, nnc_op_cost,
        nnc_number_cell(is_kept(self->op) ? nnc_op_kept_bytes(self->op) : (double)NAN))

NNC_GET(get_op_kind, nnc_op_cost, nnc_text_cell(nnc_op_kind_name(self->op)))

static nnc_cell get_op_shape(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_op_cost *cost = place->record;
    nnc_op_shape(cost->op, text, NNC_METRIC_TEXT_MAX);
    return nnc_text_cell(text);
}

NNC_GET(get_op_intensity, nnc_op_cost, nnc_number_cell(nnc_intensity(&self->work)))

NNC_GET(get_op_share, nnc_op_cost,
        nnc_number_cell(self->time_s * self->repeat / NNC_OWNER(nnc_report)->result->step_s))

NNC_GET(get_op_network_s, nnc_op_cost,
        nnc_number_cell(self->link != NULL ? self->network_s : (double)NAN))

static const nnc_metric op_rows[] = {
    NNC_AS("name", TEXT, .get = get_op_name, .help = "Name of the op."),
    NNC_AS("path", TEXT, .get = get_op_path, .help = "Its name, with its part of the network."),
    NNC_AS("kind", TEXT, .get = get_op_kind,
           .help = "Kind of the op; for pointwise ops and collectives, the variety."),
    NNC_AS("phase", ENUM, NNC_VIA(nnc_op_cost, op), NNC_IN(nnc_op, phase),
           .names = { nnc_phase_name, NNC_PHASE_COUNT }, .help = "Phase of the step it runs in."),
    NNC_AS("group", ENUM, NNC_VIA(nnc_op_cost, op), NNC_IN(nnc_op, group),
           .names = { nnc_group_name, NNC_GROUP_COUNT },
           .help = "Part of the network it belongs to."),
    NNC_NUMBER(nnc_op_cost, repeat, .show = NNC_SHOW_COUNT,
               .help = "Instances in one step on one device."),
    NNC_AS("shape", TEXT, .get = get_op_shape, .help = "Dims; for a matrix product m, n and k."),
    NNC_AS("flops", NUMBER, NNC_IN(nnc_op_cost, work.flops), .unit = "FLOP",
           .help = "FLOPs of one instance on the matrix units."),
    NNC_AS("vector_flops", NUMBER, NNC_IN(nnc_op_cost, work.vector_flops), .unit = "FLOP",
           .help = "FLOPs of one instance on the vector units."),
    NNC_AS("read_bytes", NUMBER, NNC_IN(nnc_op_cost, work.read_bytes), .unit = "B",
           .help = "Bytes that one instance reads from memory."),
    NNC_AS("write_bytes", NUMBER, NNC_IN(nnc_op_cost, work.write_bytes), .unit = "B",
           .help = "Bytes that one instance writes to memory."),
    NNC_AS("kept_bytes", NUMBER, .get = get_op_kept, .unit = "B",
           .help = "Bytes that one instance of a forward op keeps for backward, unless its block "
                   "is recomputed."),
    NNC_AS("intensity_flops_per_byte", NUMBER, .get = get_op_intensity, .unit = "FLOP/B",
           .show = NNC_SHOW_COUNT, .help = "Arithmetic intensity: FLOPs per byte read or written."),
    NNC_NUMBER(nnc_op_cost, time_s, .unit = "s",
               .help = "Time of one instance on the critical path."),
    NNC_AS("share", NUMBER, .get = get_op_share, .show = NNC_SHOW_PERCENT,
           .help = "Share of the step that all instances take."),
    NNC_NAMED(nnc_op_cost, bound, nnc_bound_name, NNC_BOUND_COUNT,
              .help = "The limit that bounds it."),
    NNC_TEXT(nnc_op_cost, link, .help = "The link on which a collective takes longest."),
    NNC_AS("network_s", NUMBER, .get = get_op_network_s, .unit = "s",
           .help = "Time of a collective, overlapped or not."),
};

/* The busiest stage may not contain every op. */
NNC_IF(is_run, nnc_op_cost, self->repeat > 0)

const nnc_metrics nnc_op_metrics = { .what = "one op of the step",
                                     .rows = op_rows,
                                     .count = sizeof op_rows / sizeof op_rows[0],
                                     .record_size = sizeof(nnc_op_cost),
                                     .listed = is_run };

/* ---- stages ---- */

NNC_GET(get_stage, void, nnc_whole_cell(place->index))

NNC_GET(get_ends, nnc_stage,
        nnc_text_cell(self->embedding && self->head ? "embedding, head"
                      : self->embedding             ? "embedding"
                      : self->head                  ? "head"
                                                    : ""))

/* Only schedules with a split backward have this time. */
NNC_GET(get_shown_weight_s, nnc_stage,
        nnc_number_cell(self->weight_s > 0 ? self->weight_s : (double)NAN))

NNC_GET(get_busiest, void,
        nnc_text_cell(place->index == NNC_OWNER(nnc_report)->result->stage ? "busiest" : ""))

NNC_GET(get_stage_fits, nnc_stage, nnc_bool_cell(self->memory.headroom_bytes >= 0))

static const nnc_metric stage_time_rows[] = {
    NNC_AS("stage", WHOLE, .get = get_stage, .head = "stage",
           .help = "Number of the pipeline stage, from 0."),
    NNC_WHOLE(nnc_stage, layers, .head = "layers", .help = "Layers it holds."),
    NNC_HEAD("and", TEXT, .get = get_ends, .drop = 4),
    NNC_BOOL(nnc_stage, embedding, .help = "Whether it holds the embedding."),
    NNC_AS("head", BOOL, NNC_IN(nnc_stage, head), .help = "Whether it holds the head."),
    NNC_WHOLE(nnc_stage, params, .head = "params", .show = NNC_SHOW_SCALED, .drop = 3,
              .help = "Parameters of one of its ranks."),
    NNC_NUMBER(nnc_stage, forward_s, .head = "forward", .unit = "s",
               .help = "Forward pass of one micro-batch."),
    NNC_NUMBER(nnc_stage, backward_s, .head = "backward", .unit = "s",
               .help = "Backward pass of one micro-batch."),
    NNC_HEAD("weight", NUMBER, .get = get_shown_weight_s, .unit = "s", .drop = 2),
    NNC_NUMBER(nnc_stage, weight_s, .unit = "s",
               .help =
                   "Weight gradients of one micro-batch, for schedules that run them separately."),
    NNC_NUMBER(nnc_stage, busy_s, .head = "busy", .unit = "s", .help = "Passes of the whole step."),
    NNC_NUMBER(nnc_stage, bubble_s, .head = "bubble", .unit = "s",
               .help = "Its idle time in the step."),
    NNC_NUMBER(nnc_stage, exchange_s, .unit = "s", .help = "Exposed collectives, once per step."),
    NNC_NUMBER(nnc_stage, update_s, .unit = "s", .help = "The optimizer's update."),
    NNC_NUMBER(nnc_stage, in_flight, .head = "in flight", .show = NNC_SHOW_COUNT,
               .help = "Micro-batches whose activations it keeps at the same time."),
    NNC_HEAD("", TEXT, .get = get_busiest, .drop = 1),
};
const nnc_metrics nnc_stage_time_metrics =
    NNC_METRICS("times of a pipeline stage", stage_time_rows, nnc_stage);

static const nnc_metric stage_rows[] = {
    NNC_ROWS(&nnc_stage_time_metrics),
    NNC_ROWS(&nnc_memory_metrics, NNC_IN(nnc_stage, memory)),
    NNC_AS("fits", BOOL, .get = get_stage_fits, .help = "Whether it fits into the device memory."),
};
const nnc_metrics nnc_stage_metrics = NNC_METRICS("one pipeline stage", stage_rows, nnc_stage);

/* ---- timeline ---- */

NNC_GET(get_micro_batch, nnc_interval,
        (nnc_cell){ .kind = self->micro_batch >= 0 ? NNC_CELL_WHOLE : NNC_CELL_NULL,
                    .whole = self->micro_batch })

NNC_GET(get_chunk, nnc_interval,
        (nnc_cell){ .kind = self->micro_batch >= 0 ? NNC_CELL_WHOLE : NNC_CELL_NULL,
                    .whole = self->chunk })

static const nnc_metric interval_rows[] = {
    NNC_WHOLE(nnc_interval, stage, .help = "Number of the pipeline stage, from 0."),
    NNC_NAMED(nnc_interval, activity, nnc_activity_name, NNC_ACTIVITY_COUNT,
              .help = "Activity of the stage."),
    NNC_AS("micro_batch", WHOLE, .get = get_micro_batch,
           .help = "Number of the micro-batch, from 0; null outside a pass."),
    NNC_AS("chunk", WHOLE, .get = get_chunk,
           .help = "Chunk of an interleaved stage, or direction of DualPipe; null outside a pass."),
    NNC_NUMBER(nnc_interval, start_s, .unit = "s", .help = "When it begins."),
    NNC_NUMBER(nnc_interval, end_s, .unit = "s", .help = "When it ends."),
};
const nnc_metrics nnc_interval_metrics =
    NNC_METRICS("one interval of a pipeline stage", interval_rows, nnc_interval);

/* ---- sensitivity ---- */

NNC_GET(get_lever, nnc_sensitivity,
        nnc_text_cell(nnc_sensitivity_parameter_name(self->figure,
                                                     NNC_OWNER(nnc_report)->result->plan.precision,
                                                     text)))

/* The unit is that of the parameter. */
NNC_GET(get_shown_value, nnc_sensitivity,
        nnc_text_cell(nnc_unit_text(self->value, nnc_sensitivity_parameter_unit(self->figure),
                                    text)))

static nnc_cell get_shown_elasticity(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_sensitivity *entry = place->record;
    snprintf(text, NNC_METRIC_TEXT_MAX, "%.3f", entry->elasticity + 0.0); /* no -0 */
    return nnc_text_cell(text);
}

NNC_GET(get_change, nnc_sensitivity,
        nnc_number_cell(self->doubled_s / NNC_OWNER(nnc_report)->result->step_s - 1.0))

static const nnc_metric sensitivity_rows[] = {
    NNC_AS("figure", TEXT, .get = get_lever, .head = "figure",
           .help = "Parameter of the device file, as --set names it."),
    NNC_NUMBER(nnc_sensitivity, value, .help = "Value of the device."),
    NNC_HEAD("value", NUMBER, .get = get_shown_value),
    NNC_NUMBER(nnc_sensitivity, elasticity,
               .help = "Change of the step in percent when the parameter grows by one percent."),
    NNC_HEAD("elasticity", NUMBER, .get = get_shown_elasticity),
    NNC_AS("step_if_doubled_s", NUMBER, NNC_IN(nnc_sensitivity, doubled_s),
           .head = "step if doubled", .unit = "s", .help = "One step with twice the value."),
    NNC_HEAD("change", NUMBER, .get = get_change, .show = NNC_SHOW_PERCENT, .drop = 1),
    NNC_NUMBER(nnc_sensitivity, needed,
               .help = "For mem_bytes: memory that the plan needs; else null."),
};
const nnc_metrics nnc_sensitivity_metrics =
    NNC_METRICS("gain from one parameter of the device", sensitivity_rows, nnc_sensitivity);
