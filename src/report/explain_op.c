#include <math.h>
#include <string.h>

#include "report/explain.h"

/* Formulas of one op's work, and the names they use. */
typedef struct op_formulas {
    const char *flops, *vector_flops, *read_bytes, *write_bytes;
    const char *source;
} op_formulas;

static bool is_grad_weight(const nnc_op *op)
{
    return op->phase == NNC_PHASE_GRAD_WEIGHT;
}

static op_formulas matmul_formulas(const nnc_op *op, nnc_scope *scope)
{
    const nnc_matmul *p = &op->u.matmul;
    nnc_scope_add(scope, "batch", (double)p->batch, NULL);
    nnc_scope_add(scope, "m", (double)p->m, NULL);
    nnc_scope_add(scope, "n", (double)p->n, NULL);
    nnc_scope_add(scope, "k", (double)p->k, NULL);
    nnc_scope_add(scope, "b_shared", (double)p->b_shared, NULL);
    nnc_scope_add(scope, "bias", (double)op->weights.vector, NULL);
    return (op_formulas){
        .flops = "2 * batch * m * n * k",
        .vector_flops = is_grad_weight(op) ? "k * n" : "m * n",
        .read_bytes = is_grad_weight(op)
                          ? "(batch * m * k + batch / b_shared * k * n) * in_bytes + batch * m * n "
                            "* grad_bytes * grad_accumulate"
                      : op->weights.vector > 0
                          ? "(batch * m * k + batch / b_shared * k * n + bias) * in_bytes"
                          : "(batch * m * k + batch / b_shared * k * n) * in_bytes",
        .write_bytes =
            is_grad_weight(op) ? "batch * m * n * grad_bytes" : "batch * m * n * out_bytes",
        .source = "C[m,n] = A[m,k] B[k,n]: one multiply and one add per term; operands cross "
                  "memory once",
    };
}

static op_formulas conv_formulas(const nnc_op *op, nnc_scope *scope)
{
    const nnc_conv *p = &op->u.conv;
    const double kernel = (double)p->kernel;
    const double weights =
        (double)p->c_out * ((double)p->c_in / (double)p->groups) * kernel * kernel;
    nnc_scope_add(scope, "batch", (double)p->batch, NULL);
    nnc_scope_add(scope, "positions",
                  p->transposed ? (double)p->h_in * (double)p->w_in
                                : (double)p->h_out * (double)p->w_out,
                  NULL);
    nnc_scope_add(scope, "weights", weights, NULL);
    nnc_scope_add(scope, "c_in", (double)p->c_in, NULL);
    nnc_scope_add(scope, "h_in", (double)p->h_in, NULL);
    nnc_scope_add(scope, "w_in", (double)p->w_in, NULL);
    nnc_scope_add(scope, "c_out", (double)p->c_out, NULL);
    nnc_scope_add(scope, "h_out", (double)p->h_out, NULL);
    nnc_scope_add(scope, "w_out", (double)p->w_out, NULL);
    nnc_scope_add(scope, "bias", (double)op->weights.vector, NULL);
    op_formulas f = {
        .flops = "2 * batch * positions * weights",
        .vector_flops = "batch * c_out * h_out * w_out",
        .read_bytes = "(batch * c_in * h_in * w_in + weights + bias) * in_bytes",
        .write_bytes = "batch * c_out * h_out * w_out * out_bytes",
        .source = "weights = c_out c_in / groups kernel^2; positions are those of the output, of "
                  "the input if transposed; taps on the padding count",
    };
    if (op->phase == NNC_PHASE_GRAD_INPUT) {
        f.read_bytes = "(batch * c_out * h_out * w_out + weights) * in_bytes";
        f.write_bytes = "batch * c_in * h_in * w_in * out_bytes";
    } else if (is_grad_weight(op)) {
        f.read_bytes = "(batch * c_in * h_in * w_in + batch * c_out * h_out * w_out) * in_bytes + "
                       "weights * grad_bytes * grad_accumulate";
        f.write_bytes = "weights * grad_bytes";
    }
    return f;
}

static op_formulas flash_formulas(const nnc_op *op, const nnc_work *work, nnc_scope *scope)
{
    const nnc_flash *p = &op->u.flash;
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    const double per_pair = 4.0 * (double)p->batch * (double)p->heads * (double)p->head_dim;
    nnc_scope_add(scope, "batch", (double)p->batch, NULL);
    nnc_scope_add(scope, "heads", (double)p->heads, NULL);
    nnc_scope_add(scope, "kv_heads", (double)p->kv_heads, NULL);
    nnc_scope_add(scope, "head_dim", (double)p->head_dim, NULL);
    nnc_scope_add(scope, "s_q", (double)p->s_q, NULL);
    nnc_scope_add(scope, "s_k", (double)p->s_k, NULL);
    nnc_scope_add(scope, "pairs", work->flops / (backward ? 2.5 : 1.0) / per_pair, NULL);
    return (op_formulas){
        .flops = backward ? "10 * batch * heads * head_dim * pairs"
                          : "4 * batch * heads * head_dim * pairs",
        .vector_flops = backward ? "6 * batch * heads * pairs" : "5 * batch * heads * pairs",
        .read_bytes = backward
                          ? "out_bytes * batch * head_dim * (3 * s_q * heads + 2 * s_k * "
                            "kv_heads) + 8 * batch * heads * s_q"
                          : "out_bytes * batch * head_dim * (s_q * heads + 2 * s_k * kv_heads)",
        .write_bytes = backward
                           ? "out_bytes * batch * head_dim * (s_q * heads + 2 * s_k * kv_heads)"
                           : "out_bytes * batch * head_dim * s_q * heads + 4 * batch * heads * s_q",
        .source = "pairs: queries and keys that the mask lets meet; five products backward, since "
                  "the scores are recomputed; arXiv:2205.14135, arXiv:2307.08691",
    };
}

static double element_count(const nnc_op *op)
{
    switch (op->kind) {
    case NNC_OP_NORM: return (double)op->u.norm.elements;
    case NNC_OP_EMBEDDING: return (double)op->u.embedding.tokens * (double)op->u.embedding.width;
    case NNC_OP_LOSS: return (double)op->u.loss.tokens * (double)op->u.loss.classes;
    case NNC_OP_UPDATE: return (double)op->u.update.params;
    default: break;
    }
    const nnc_pointwise *p = &op->u.pointwise;
    return (double)(op->phase == NNC_PHASE_BACKWARD && p->backward_elements > 0
                        ? p->backward_elements
                        : p->elements);
}

/* Everything else is a pass over elements. */
static op_formulas element_formulas(const nnc_op *op, const nnc_work *work, nnc_scope *scope)
{
    const double elements = element_count(op);
    nnc_scope_add(scope, "elements", elements, NULL);
    nnc_scope_add(scope, "flops_per_element", work->flops / elements, NULL);
    nnc_scope_add(scope, "vector_flops_per_element", work->vector_flops / elements, NULL);
    nnc_scope_add(scope, "read_per_element", work->read_bytes / elements, NULL);
    nnc_scope_add(scope, "written_per_element", work->write_bytes / elements, NULL);
    return (op_formulas){
        .flops = "elements * flops_per_element",
        .vector_flops = "elements * vector_flops_per_element",
        .read_bytes = "elements * read_per_element",
        .write_bytes = "elements * written_per_element",
        .source = "counts by inspection of the kernel; transcendentals count as one",
    };
}

static const nnc_flash_efficiency *flash_of(const nnc_device *device, const nnc_op *op)
{
    const nnc_attention_efficiencies *all = &device->efficiency.attention;
    switch (op->u.flash.kernel) {
    case NNC_FLASH1: return &all->flash1;
    case NNC_FLASH3: return &all->flash3;
    default: return &all->flash2;
    }
}

/* The fractions that the forms of all kinds share. */
static nnc_efficiency efficiency_of(const nnc_device *device, const nnc_op *op)
{
    const nnc_gemm_efficiency *gemm = &device->efficiency.gemm[op->math_dtype];
    const nnc_flash_efficiency *flash = NULL;
    switch (op->kind) {
    case NNC_OP_MATMUL:
        return (nnc_efficiency){ gemm->sustained_fraction, gemm->memory_fraction, gemm->fixed_s };
    case NNC_OP_FLASH:
        flash = flash_of(device, op);
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

static op_formulas formulas_of(const nnc_op_cost *cost, nnc_scope *scope)
{
    const nnc_op *op = cost->op;
    switch (op->kind) {
    case NNC_OP_MATMUL: return matmul_formulas(op, scope);
    case NNC_OP_CONV: return conv_formulas(op, scope);
    case NNC_OP_FLASH: return flash_formulas(op, &cost->work, scope);
    default: break;
    }
    return element_formulas(op, &cost->work, scope);
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
    const op_formulas f = formulas_of(cost, &scope);
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
              is_grad_weight(cost->op)
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
