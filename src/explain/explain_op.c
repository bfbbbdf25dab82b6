#include <math.h>
#include <string.h>

#include "explain/explain_formulas.h"

/* The fractions that the forms of all kinds share. */
static nnc_efficiency efficiency_of(const nnc_device *device, const nnc_op *op)
{
    const nnc_gemm_efficiency *gemm = &device->efficiency.gemm[op->math_dtype];
    const nnc_flash_efficiency *flash = NULL;
    switch (op->kind) {
    case NNC_OP_MATMUL:
        return (nnc_efficiency){ gemm->sustained_fraction, gemm->memory_fraction, gemm->fixed_s };
    case NNC_OP_FLASH:
        flash = &device->efficiency.attention[op->u.flash.kernel];
        return (nnc_efficiency){ flash->sustained_fraction, flash->memory_fraction,
                                 flash->fixed_s };
    case NNC_OP_CONV: return device->efficiency.conv;
    case NNC_OP_UPDATE: return device->efficiency.optimizer;
    default: break;
    }
    if (op->kind == NNC_OP_POINTWISE && op->u.pointwise.kind == NNC_PW_CAST) {
        const nnc_gemm_efficiency *cast = &device->efficiency.gemm[NNC_FP8];
        return (nnc_efficiency){ 1.0, cast->memory_fraction, cast->fixed_s };
    }
    return device->efficiency.pointwise;
}

static void fill_scope(nnc_scope *scope, const nnc_report *report, const nnc_op_cost *cost)
{
    const nnc_op *op = cost->op;
    const nnc_device *device = report->device;
    const bool ideal = report->result->plan.mode == NNC_MODE_IDEAL;
    const nnc_efficiency efficiency = efficiency_of(device, op);
    scope->count = 0;
    nnc_scope_add(scope, "in_bytes", nnc_dtype_bytes(op->math_dtype), NULL);
    nnc_scope_add(scope, "out_bytes", nnc_dtype_bytes(op->dtype), NULL);
    nnc_scope_add(scope, "grad_bytes", op->grad_bytes, NULL);
    nnc_scope_add(scope, "grad_accumulate", op->grad_accumulate, NULL);
    nnc_scope_add(scope, "flops", cost->work.flops, "FLOP");
    nnc_scope_add(scope, "vector_flops", cost->work.vector_flops, "FLOP");
    nnc_scope_add(scope, "read_bytes", cost->work.read_bytes, "B");
    nnc_scope_add(scope, "write_bytes", cost->work.write_bytes, "B");
    nnc_scope_add(scope, "matmul_flops_per_s", nnc_device_matmul_peak(device, op->math_dtype),
                  "FLOP/s");
    nnc_scope_add(scope, "vector_flops_per_s", device->vector_flops_per_s[NNC_FP32], "FLOP/s");
    nnc_scope_add(scope, "mem_bytes_per_s", device->mem_bytes_per_s, "B/s");
    const double sustained =
        ideal ? 1.0 : fmin(efficiency.sustained_fraction * device->efficiency.calibration, 1.0);
    const double reached = ideal ? 1.0 : efficiency.memory_fraction;
    nnc_scope_add(scope, "sustained_fraction", sustained, NULL);
    nnc_scope_add(scope, "memory_fraction", reached, NULL);
    nnc_scope_add(scope, "shape_factor",
                  cost->compute_s * sustained * nnc_device_matmul_peak(device, op->math_dtype) /
                      cost->work.flops,
                  NULL);
    nnc_scope_add(scope, "partial_sums",
                  cost->memory_s * reached * device->mem_bytes_per_s /
                      (cost->work.read_bytes + cost->work.write_bytes),
                  NULL);
    nnc_scope_add(scope, "compute_s", cost->compute_s, "s");
    nnc_scope_add(scope, "memory_s", cost->memory_s, "s");
    nnc_scope_add(scope, "fixed_s", cost->fixed_s, "s");
    nnc_scope_add(scope, "time_s", cost->time_s, "s");
    nnc_scope_add(scope, "repeat", cost->repeat, NULL);
    nnc_scope_add(scope, "step_s", report->result->step_s, "s");
}

/* Is the product timed by tiles, or the attention by its shape? Then the time is not that of constant
 * rates. */
static bool by_shape(const nnc_report *report, const nnc_op *op)
{
    const nnc_efficiencies *e = &report->device->efficiency;
    const bool fitted = e->fitted && report->result->plan.mode != NNC_MODE_IDEAL;
    return fitted &&
           (op->kind == NNC_OP_FLASH || (op->kind == NNC_OP_MATMUL && report->device->units > 0 &&
                                         !isnan(e->gemm[op->math_dtype].wave_quantization)));
}

static const char *compute_formula(const nnc_report *report, const nnc_op_cost *cost)
{
    const nnc_work *work = &cost->work;
    const bool vector =
        work->vector_flops > 0 && !isnan(report->device->vector_flops_per_s[NNC_FP32]);
    if (by_shape(report, cost->op)) {
        return "flops / (sustained_fraction * matmul_flops_per_s) * shape_factor";
    }
    if (!vector) {
        return "flops / (sustained_fraction * matmul_flops_per_s)";
    }
    return work->flops > 0 ? "max(flops / (sustained_fraction * matmul_flops_per_s), "
                             "vector_flops / vector_flops_per_s)"
                           : "vector_flops / vector_flops_per_s";
}

/* Where it is explained: docs/formulas.md, gemm-time and flash-time. */
static const char *shape_meaning(const nnc_op *op)
{
    return op->kind == NNC_OP_MATMUL
               ? "shape_factor: tiles at the edges, waves, start and end of k, cache, clock; "
                 "formulas.md#gemm-time"
               : "shape_factor: short sequences, few blocks of queries, narrow heads; "
                 "formulas.md#flash-time";
}

static const char *memory_formula(const nnc_report *report, const nnc_op_cost *cost)
{
    return report->result->plan.mode == NNC_MODE_IDEAL && cost->memory_s == 0
               ? "nothing: ideal fusion with the ops around it"
           : by_shape(report, cost->op) && cost->op->kind == NNC_OP_MATMUL
               ? "(read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s) * partial_sums"
               : "(read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)";
}

/* In ideal mode an op counts for the time it takes of the engine that is busiest in the step. */
static const char *time_formula(const nnc_report *report, const nnc_op_cost *cost)
{
    if (report->result->plan.mode != NNC_MODE_IDEAL) {
        return by_shape(report, cost->op) && cost->op->kind == NNC_OP_MATMUL
                   ? "(compute_s^4 + memory_s^4)^(1/4) + fixed_s"
                   : "max(compute_s, memory_s) + fixed_s";
    }
    return cost->time_s == cost->compute_s  ? "compute_s"
           : cost->time_s == cost->memory_s ? "memory_s"
                                            : "its time on the busiest engine of the step";
}

static const char *verdict(const nnc_report *report, const nnc_op_cost *cost, char *text,
                           size_t size)
{
    const double ridge = nnc_device_ridge(report->device, cost->op->math_dtype);
    if (cost->work.flops > 0) {
        snprintf(text, size, "%s: bound by %s; the ridge point of the device is at %.1f FLOP/B",
                 "FLOPs per byte moved", nnc_bound_name(cost->bound), ridge);
    } else {
        snprintf(text, size, "%s: bound by %s; no matrix product", "FLOPs per byte moved",
                 nnc_bound_name(cost->bound));
    }
    return text;
}

static void explain_row(nnc_explainer *explainer, const nnc_report *report, const nnc_op_cost *cost)
{
    nnc_scope scope;
    char shape[128], of[64], judged[160];
    const nnc_work *work = &cost->work;
    if (cost->op->kind == NNC_OP_COLLECTIVE) {
        nnc_explain_exchange(explainer, report, cost);
        return;
    }
    fill_scope(&scope, report, cost);
    const nnc_op_formulas f = nnc_op_formulas_of(cost, &scope);
    nnc_op_shape(cost->op, shape, sizeof shape);
    snprintf(of, sizeof of, "%s %s", cost->op->name, nnc_phase_name(cost->op->phase));
    nnc_explain_heading(explainer, "%s: %s, %s, %.0f in one step", of, nnc_op_kind_name(cost->op),
                        shape, cost->repeat);

    const nnc_derivation lines[] = {
        { .name = "flops",
          .unit = "FLOP",
          .formula = f.flops,
          .result = work->flops,
          .source = f.source },
        { .name = "vector_flops",
          .unit = "FLOP",
          .formula = f.vector_flops,
          .result = work->vector_flops },
        { .name = "read_bytes",
          .unit = "B",
          .formula = f.read_bytes,
          .meaning =
              cost->op->phase == NNC_PHASE_GRAD_WEIGHT
                  ? "grad_accumulate: share of the passes that add to a gradient already there"
                  : NULL,
          .result = work->read_bytes },
        { .name = "write_bytes",
          .unit = "B",
          .formula = f.write_bytes,
          .result = work->write_bytes },
        { .name = "intensity",
          .unit = "FLOP/B",
          .formula = "(flops + vector_flops) / (read_bytes + write_bytes)",
          .meaning = verdict(report, cost, judged, sizeof judged),
          .result = nnc_intensity(&cost->work) },
        { .name = "compute_s",
          .unit = "s",
          .formula = compute_formula(report, cost),
          .meaning = by_shape(report, cost->op) ? shape_meaning(cost->op) : NULL,
          .result = cost->compute_s },
        { .name = "memory_s",
          .unit = "s",
          .formula = memory_formula(report, cost),
          .result = cost->memory_s },
        { .name = "time_s",
          .unit = "s",
          .formula = time_formula(report, cost),
          .source = "Williams, Waterman, Patterson, CACM 52(4), 2009",
          .result = cost->time_s },
        { .name = "share",
          .formula = "time_s * repeat / step_s",
          .result = cost->time_s * cost->repeat / report->result->step_s },
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const bool none = (i == 0 && work->flops == 0) || (i == 1 && work->vector_flops == 0);
        if (!none) {
            nnc_explain_line(explainer, of, &scope, &lines[i]);
        }
    }
}

static bool is_named(const nnc_op_cost *cost, const char *name)
{
    return strcmp(cost->op->name, name) == 0;
}

/* The row of an op that takes longest in a phase, NULL if it has none. */
static const nnc_op_cost *longest_row(const nnc_report *report, const char *name, nnc_phase phase)
{
    const nnc_op_cost *longest = NULL;
    for (int32_t i = 0; i < report->op_count; i++) {
        const nnc_op_cost *cost = &report->ops[i];
        if (cost->op->phase == phase && is_named(cost, name) &&
            (longest == NULL || cost->time_s * cost->repeat > longest->time_s * longest->repeat)) {
            longest = cost;
        }
    }
    return longest;
}

/* Every row of the op; of one with many shapes, the row that takes longest in each phase. */
bool nnc_explain_op(nnc_explainer *explainer, const nnc_report *report, const char *name)
{
    enum { ROWS_SHOWN = 8 };
    int rows = 0;
    for (int32_t i = 0; i < report->op_count; i++) {
        rows += is_named(&report->ops[i], name) ? 1 : 0;
    }
    for (int32_t i = 0; i < report->op_count && rows <= ROWS_SHOWN; i++) {
        if (is_named(&report->ops[i], name)) {
            explain_row(explainer, report, &report->ops[i]);
        }
    }
    for (int phase = 0; phase < NNC_PHASE_COUNT && rows > ROWS_SHOWN; phase++) {
        const nnc_op_cost *longest = longest_row(report, name, (nnc_phase)phase);
        if (longest != NULL) {
            explain_row(explainer, report, longest);
        }
    }
    return rows > 0;
}
