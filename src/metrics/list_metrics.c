/* What the lists of an estimate say: ops, stages, intervals, sensitivities. */
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "metrics/report.h"
#include "op/dims.h"

/* ---- ops ---- */

static nnc_cell get_op_name(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_op_cost *cost = place->record;
    (void)text;
    return nnc_text_cell(nnc_op_name(cost->op));
}

static nnc_cell get_op_kind(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_op_cost *cost = place->record;
    (void)text;
    return nnc_text_cell(nnc_op_kind_name(cost->op));
}

static nnc_cell get_op_shape(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_op_cost *cost = place->record;
    nnc_op_shape(cost->op, text, NNC_METRIC_TEXT_MAX);
    return nnc_text_cell(text);
}

static nnc_cell get_op_intensity(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_op_cost *cost = place->record;
    (void)text;
    return nnc_number_cell(nnc_intensity(&cost->work));
}

static nnc_cell get_op_share(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_op_cost *cost = place->record;
    const nnc_report *report = place->owner;
    (void)text;
    return nnc_number_cell(cost->time_s * cost->repeat / report->result->step_s);
}

static nnc_cell get_op_network_s(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_op_cost *cost = place->record;
    (void)text;
    return nnc_number_cell(cost->link != NULL ? cost->network_s : (double)NAN);
}

static const nnc_metric op_rows[] = {
    { .name = "name", .type = NNC_METRIC_TEXT, .get = get_op_name, .help = "Name of the op." },
    { .name = "kind",
      .type = NNC_METRIC_TEXT,
      .get = get_op_kind,
      .help = "Kind of the op; of a pointwise op or a collective, which." },
    { .name = "phase",
      .type = NNC_METRIC_ENUM,
      NNC_VIA(nnc_op_cost, op),
      NNC_IN(nnc_op, phase),
      .names = { nnc_phase_name, NNC_PHASE_COUNT },
      .help = "Phase of the step it runs in." },
    { .name = "group",
      .type = NNC_METRIC_ENUM,
      NNC_VIA(nnc_op_cost, op),
      NNC_IN(nnc_op, group),
      .names = { nnc_group_name, NNC_GROUP_COUNT },
      .help = "Part of the network it belongs to." },
    { NNC_NUMBER(nnc_op_cost, repeat), .show = NNC_SHOW_COUNT,
      .help = "Instances in one step on one device." },
    { .name = "shape",
      .type = NNC_METRIC_TEXT,
      .get = get_op_shape,
      .help = "Dims; of a matrix product m, n and k." },
    { .name = "flops",
      .type = NNC_METRIC_NUMBER,
      NNC_IN(nnc_op_cost, work.flops),
      .unit = "FLOP",
      .help = "FLOPs of one instance on the matrix units." },
    { .name = "vector_flops",
      .type = NNC_METRIC_NUMBER,
      NNC_IN(nnc_op_cost, work.vector_flops),
      .unit = "FLOP",
      .help = "FLOPs of one instance on the vector units." },
    { .name = "read_bytes",
      .type = NNC_METRIC_NUMBER,
      NNC_IN(nnc_op_cost, work.read_bytes),
      .unit = "B",
      .help = "Bytes that one instance reads from memory." },
    { .name = "write_bytes",
      .type = NNC_METRIC_NUMBER,
      NNC_IN(nnc_op_cost, work.write_bytes),
      .unit = "B",
      .help = "Bytes that one instance writes to memory." },
    { .name = "intensity_flops_per_byte",
      .type = NNC_METRIC_NUMBER,
      .get = get_op_intensity,
      .unit = "FLOP/B",
      .show = NNC_SHOW_COUNT,
      .help = "Arithmetic intensity: FLOPs per byte that crosses memory." },
    { NNC_NUMBER(nnc_op_cost, time_s), .unit = "s",
      .help = "Time of one instance on the critical path." },
    { .name = "share",
      .type = NNC_METRIC_NUMBER,
      .get = get_op_share,
      .show = NNC_SHOW_PERCENT,
      .help = "Share of the step that all instances take.",
      .formula = "time_s * repeat / step_s" },
    { NNC_NAMED(nnc_op_cost, bound, nnc_bound_name, NNC_BOUND_COUNT), .help = "What bounds it." },
    { NNC_TEXT(nnc_op_cost, link), .help = "The link that a collective uses longest." },
    { .name = "network_s",
      .type = NNC_METRIC_NUMBER,
      .get = get_op_network_s,
      .unit = "s",
      .help = "Time of a collective, overlapped or not." },
};

/* The busiest stage need not hold every op. */
static bool is_run(const nnc_place *place)
{
    return ((const nnc_op_cost *)place->record)->repeat > 0;
}

const nnc_metrics nnc_op_metrics = { .what = "one op of the step",
                                     .rows = op_rows,
                                     .count = sizeof op_rows / sizeof op_rows[0],
                                     .record_size = sizeof(nnc_op_cost),
                                     .listed = is_run };

/* ---- stages ---- */

static nnc_cell get_stage(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    (void)text;
    return (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = place->index };
}

static nnc_cell get_ends(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_stage *stage = place->record;
    (void)text;
    return nnc_text_cell(stage->embedding && stage->head ? "embedding, head"
                         : stage->embedding              ? "embedding"
                         : stage->head                   ? "head"
                                                         : "");
}

/* Only schedules that run weight gradients apart have some. */
static nnc_cell get_shown_weight_s(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_stage *stage = place->record;
    (void)text;
    return nnc_number_cell(stage->weight_s > 0 ? stage->weight_s : (double)NAN);
}

static nnc_cell get_busiest(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_report *report = place->owner;
    (void)text;
    return nnc_text_cell(place->index == report->result->stage ? "busiest" : "");
}

static nnc_cell get_stage_fits(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_stage *stage = place->record;
    (void)text;
    return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = stage->memory.headroom_bytes >= 0 };
}

static const nnc_metric stage_time_rows[] = {
    { .name = "stage",
      .type = NNC_METRIC_WHOLE,
      .get = get_stage,
      .head = "stage",
      .help = "Number of the pipeline stage, from 0." },
    { NNC_WHOLE(nnc_stage, layers), .head = "layers", .help = "Layers it holds." },
    { .head = "and", .type = NNC_METRIC_TEXT, .get = get_ends, .drop = 4 },
    { NNC_BOOL(nnc_stage, embedding), .help = "Whether it holds the embedding." },
    { .name = "head",
      .type = NNC_METRIC_BOOL,
      NNC_IN(nnc_stage, head),
      .help = "Whether it holds the head." },
    { NNC_WHOLE(nnc_stage, params), .head = "params", .show = NNC_SHOW_SCALED, .drop = 3,
      .help = "Parameters of one of its ranks." },
    { NNC_NUMBER(nnc_stage, forward_s), .head = "forward", .unit = "s",
      .help = "Forward pass of one micro-batch." },
    { NNC_NUMBER(nnc_stage, backward_s), .head = "backward", .unit = "s",
      .help = "Backward pass of one micro-batch." },
    { .head = "weight",
      .type = NNC_METRIC_NUMBER,
      .get = get_shown_weight_s,
      .unit = "s",
      .drop = 2 },
    { NNC_NUMBER(nnc_stage, weight_s), .unit = "s",
      .help = "Weight gradients of one micro-batch, where they run apart from backward." },
    { NNC_NUMBER(nnc_stage, busy_s), .head = "busy", .unit = "s",
      .help = "Passes of the whole step." },
    { NNC_NUMBER(nnc_stage, bubble_s), .head = "bubble", .unit = "s",
      .help = "What it waits in the step." },
    { NNC_NUMBER(nnc_stage, exchange_s), .unit = "s",
      .help = "Exposed collectives, once per step." },
    { NNC_NUMBER(nnc_stage, update_s), .unit = "s", .help = "The optimizer's update." },
    { NNC_NUMBER(nnc_stage, in_flight), .head = "in flight", .show = NNC_SHOW_COUNT,
      .help = "Micro-batches whose activations it keeps at once." },
    { .head = "", .type = NNC_METRIC_TEXT, .get = get_busiest, .drop = 1 },
};
const nnc_metrics nnc_stage_time_metrics =
    NNC_METRICS("times of a pipeline stage", stage_time_rows, nnc_stage);

static const nnc_metric stage_rows[] = {
    { .type = NNC_METRIC_OBJECT, .rows = &nnc_stage_time_metrics },
    { .type = NNC_METRIC_OBJECT, NNC_IN(nnc_stage, memory), .rows = &nnc_memory_metrics },
    { .name = "fits",
      .type = NNC_METRIC_BOOL,
      .get = get_stage_fits,
      .help = "Whether it fits into the device memory." },
};
const nnc_metrics nnc_stage_metrics = NNC_METRICS("one pipeline stage", stage_rows, nnc_stage);

/* ---- timeline ---- */

static nnc_cell get_micro_batch(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_interval *interval = place->record;
    (void)text;
    return (nnc_cell){ .kind = interval->micro_batch >= 0 ? NNC_CELL_WHOLE : NNC_CELL_NULL,
                       .whole = interval->micro_batch };
}

static nnc_cell get_chunk(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_interval *interval = place->record;
    (void)text;
    return (nnc_cell){ .kind = interval->micro_batch >= 0 ? NNC_CELL_WHOLE : NNC_CELL_NULL,
                       .whole = interval->chunk };
}

static const nnc_metric interval_rows[] = {
    { NNC_WHOLE(nnc_interval, stage), .help = "Number of the pipeline stage, from 0." },
    { NNC_NAMED(nnc_interval, activity, nnc_activity_name, NNC_ACTIVITY_COUNT),
      .help = "What the stage does." },
    { .name = "micro_batch",
      .type = NNC_METRIC_WHOLE,
      .get = get_micro_batch,
      .help = "Number of the micro-batch, from 0; null outside a pass." },
    { .name = "chunk",
      .type = NNC_METRIC_WHOLE,
      .get = get_chunk,
      .help = "Chunk of an interleaved stage, direction of DualPipe; null outside a pass." },
    { NNC_NUMBER(nnc_interval, start_s), .unit = "s", .help = "When it begins." },
    { NNC_NUMBER(nnc_interval, end_s), .unit = "s", .help = "When it ends." },
};
const nnc_metrics nnc_interval_metrics =
    NNC_METRICS("what one pipeline stage does in one interval", interval_rows, nnc_interval);

/* ---- sensitivity ---- */

static nnc_cell get_lever(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_sensitivity *entry = place->record;
    const nnc_report *report = place->owner;
    return nnc_text_cell(nnc_lever_name(entry->figure, report->result->plan.precision, text));
}

/* The unit is that of the parameter. */
static nnc_cell get_shown_value(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_sensitivity *entry = place->record;
    return nnc_text_cell(nnc_unit_text(entry->value, nnc_lever_unit(entry->figure), text));
}

static nnc_cell get_shown_elasticity(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_sensitivity *entry = place->record;
    snprintf(text, NNC_METRIC_TEXT_MAX, "%.3f", entry->elasticity + 0.0); /* no -0 */
    return nnc_text_cell(text);
}

static nnc_cell get_change(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_sensitivity *entry = place->record;
    const nnc_report *report = place->owner;
    (void)text;
    return nnc_number_cell(entry->doubled_s / report->result->step_s - 1.0);
}

static const nnc_metric sensitivity_rows[] = {
    { .name = "figure",
      .type = NNC_METRIC_TEXT,
      .get = get_lever,
      .head = "figure",
      .help = "Parameter of the device file, as --set names it." },
    { NNC_NUMBER(nnc_sensitivity, value), .help = "What the device has." },
    { .head = "value", .type = NNC_METRIC_NUMBER, .get = get_shown_value },
    { NNC_NUMBER(nnc_sensitivity, elasticity),
      .help = "Percent that the step changes by when the parameter grows by one.",
      .formula = "d ln step_s / d ln value" },
    { .head = "elasticity", .type = NNC_METRIC_NUMBER, .get = get_shown_elasticity },
    { .name = "step_if_doubled_s",
      .type = NNC_METRIC_NUMBER,
      NNC_IN(nnc_sensitivity, doubled_s),
      .head = "step if doubled",
      .unit = "s",
      .help = "One step with twice the value." },
    { .head = "change",
      .type = NNC_METRIC_NUMBER,
      .get = get_change,
      .show = NNC_SHOW_PERCENT,
      .drop = 1 },
    { NNC_NUMBER(nnc_sensitivity, needed),
      .help = "Of mem_bytes: what the plan takes; else null." },
};
const nnc_metrics nnc_sensitivity_metrics =
    NNC_METRICS("what one parameter of the device would bring", sensitivity_rows, nnc_sensitivity);
