#include "lab/score.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cost/link.h"
#include "cost/roofline.h"
#include "op/work.h"
#include "serve/serve_images.h"

/* Measured 8-bit products take 16-bit rows and cast them on the way: two reads, for the scale and for
 * the cast, and one write, in a kernel of its own. A step counts its casts as ops. */
static double cast_s(const nnc_device *device, const nnc_op *op)
{
    const nnc_gemm_efficiency *e = &device->efficiency.gemm[op->math_dtype];
    const double elements = (double)op->u.matmul.m * (double)op->u.matmul.k;
    const double bytes = elements * (2.0 * nnc_dtype_bytes(NNC_BF16) + nnc_dtype_bytes(NNC_FP8));
    return bytes / (e->memory_fraction * device->mem_bytes_per_s) + e->fixed_s;
}

/* Seconds of one kernel, timed as an estimate times it. */
static double kernel_s(const nnc_device *device, const nnc_op *op)
{
    const nnc_work work = nnc_op_work(op);
    const double time_s = nnc_op_time(device, op, &work).time_s;
    return op->kind == NNC_OP_MATMUL && op->math_dtype == NNC_FP8 ? time_s + cast_s(device, op)
                                                                  : time_s;
}

/* Operands may lie in a cache when a kernel is measured alone, so only its arithmetic bounds it. */
static double kernel_bound_s(const nnc_device *device, const nnc_op *op)
{
    const double peak = nnc_device_matmul_peak(device, op->math_dtype);
    const nnc_work work = nnc_op_work(op);
    return work.flops > 0.0 ? work.flops / peak : NAN;
}

static void score_kernel(const nnc_measured *row, const nnc_device *device, nnc_scored *scored)
{
    nnc_op op = row->op;
    if (op.kind == NNC_OP_FLASH) {
        nnc_flash *p = &op.u.flash;
        p->full_pairs = (double)nnc_attention_pairs(p->s_q, p->s_k, false, 0);
        p->pairs = (double)nnc_attention_pairs(p->s_q, p->s_k, row->causal, 0);
        p->causal = row->causal;
    }
    scored->predicted_s = kernel_s(device, &op);
    scored->lower_bound_s = kernel_bound_s(device, &op);
}

static nnc_status score_collective(const nnc_measured *row, const nnc_device *device,
                                   nnc_scored *scored, nnc_error *err)
{
    const nnc_measured_exchange *e = &row->exchange;
    nnc_route route;
    const int32_t per_node = e->nodes > 1 ? e->devices / e->nodes : 0;
    NNC_TRY(nnc_route_find(device, e->devices, per_node, e->devices, 1, &route, err));
    scored->predicted_s = nnc_collective_predicted_s(&route, e->kind, e->bytes);
    return NNC_OK;
}

/* The first kind of memory that the row states. */
static void score_memory(const nnc_measured *row, const nnc_result *result, nnc_scored *scored)
{
    const nnc_memory *memory = &result->memory;
    int stat = 0;
    while (stat < NNC_MEMORY_STAT_COUNT && isnan(row->measured_bytes[stat])) {
        stat++;
    }
    /* Peaks of live tensors know neither context nor fragmentation. */
    const bool live = stat == NNC_MEMORY_ALLOCATED;
    const double predicted = (double)(memory->total_bytes - (live ? memory->reserve_bytes : 0));
    scored->predicted_bytes = predicted;
    scored->most_bytes = (double)memory->total_interval_bytes[1];
    scored->fit = result->verdict;
    if (stat < NNC_MEMORY_STAT_COUNT) {
        scored->memory_stat = (nnc_memory_stat)stat;
        scored->memory_error = predicted / row->measured_bytes[stat] - 1.0;
    }
}

/* What recipes recompute by parts, the cheapest first; with experts that is never what is exchanged. Source:
 * scripts/performance/configs of NVIDIA-NeMo/Megatron-Bridge. */
static const unsigned parts[] = {
    NNC_RECOMPUTE_MLA_UP_PROJ,
    NNC_RECOMPUTE_MLA_UP_PROJ | NNC_RECOMPUTE_MLP,
    NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION | NNC_RECOMPUTE_MLA_UP_PROJ,
    NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION | NNC_RECOMPUTE_MLA_UP_PROJ |
        NNC_RECOMPUTE_SHARED_EXPERTS | NNC_RECOMPUTE_MLP,
};

/* A row that ran, and does not say what it recomputed, recomputed no less than lets it run: parts of layers, or
 * the fewest layers of each stage, or all of them where even that is too much. */
static nnc_status least_recomputed(const nnc_model *model, const nnc_device *device,
                                   const nnc_software *software, const nnc_plan *plan,
                                   nnc_scratch *scratch, nnc_result *result, nnc_error *err)
{
    nnc_plan again = *plan;
    const bool modules = model->family == NNC_FAMILY_DECODER && model->decoder.experts > 0 &&
                         software->ships.recompute_modules;
    const int first = modules ? 0 : 2, last = modules ? (int)(sizeof parts / sizeof parts[0]) : 3;
    again.recompute_layers = 0;
    for (int i = first; i < last; i++) {
        again.recompute = parts[i];
        NNC_TRY(nnc_estimate(model, device, software, &again, scratch, result, err));
        if (result->verdict != NNC_OVER_MEMORY) {
            return NNC_OK;
        }
    }
    again.recompute = NNC_RECOMPUTE_FULL;
    NNC_TRY(nnc_estimate(model, device, software, &again, scratch, result, err));
    const int64_t layers = model->family == NNC_FAMILY_DECODER ? model->decoder.layers : 0;
    int32_t few = 0, many = (int32_t)(layers / plan->pipeline);
    if (result->verdict == NNC_OVER_MEMORY || many < 2) {
        return NNC_OK;
    }
    while (many - few > 1) { /* few do not fit, many do */
        again.recompute_layers = few + (many - few) / 2;
        NNC_TRY(nnc_estimate(model, device, software, &again, scratch, result, err));
        if (result->verdict == NNC_OVER_MEMORY) {
            few = (int32_t)again.recompute_layers;
        } else {
            many = (int32_t)again.recompute_layers;
        }
    }
    again.recompute_layers = many;
    return nnc_estimate(model, device, software, &again, scratch, result, err);
}

/* Where a plan is guessed, too, its memory says less. */
#define GUESSED_NEEDS_RECOMPUTE 2.5

static bool must_recompute(const nnc_measured *row, const nnc_device *device, const nnc_plan *plan,
                           const nnc_result *result)
{
    const bool guessed = strstr(row->undecided, "parallelism") != NULL;
    const double most = (guessed ? GUESSED_NEEDS_RECOMPUTE : 1.0) * (double)device->mem_bytes;
    return strstr(row->undecided, "recompute") != NULL && plan->recompute == NNC_RECOMPUTE_NONE &&
           (double)result->memory.total_bytes > most;
}

/* How many times as long a step takes with what its program does on the host, and while it waits for samples. */
static double host_ratio(const nnc_measured *row, const nnc_plan *plan, const nnc_result *result)
{
    static const nnc_framework nothing = { .zero = 0 };
    const nnc_framework *from = row->from != NULL ? row->from : &nothing;
    const double passes = nnc_max((double)plan->micro_batches, 1.0);
    const double samples = passes * (double)plan->micro_batch;
    const double beside_s = passes * from->host_pass_s + samples * from->host_sample_s;
    const bool whole_host = plan->devices_per_node > 0 && plan->devices >= plan->devices_per_node;
    const double input_s =
        whole_host && from->input_samples_per_s > 0.0 ? samples / from->input_samples_per_s : 0.0;
    return nnc_max(result->step_s + beside_s, input_s) / result->step_s;
}

static nnc_status score_step(const nnc_measured *row, const nnc_model *model,
                             const nnc_device *device, const nnc_software *software,
                             const nnc_plan *plan, nnc_scratch *scratch, nnc_scored *scored,
                             nnc_error *err)
{
    nnc_result result;
    NNC_TRY(nnc_estimate(model, device, software, plan, scratch, &result, err));
    if (must_recompute(row, device, plan, &result)) {
        NNC_TRY(least_recomputed(model, device, software, plan, scratch, &result, err));
    }
    const double ratio = host_ratio(row, plan, &result);
    scored->predicted_s = ratio * result.step_s;
    scored->low_s = ratio * result.interval_s[0];
    scored->high_s = ratio * result.interval_s[1];
    /* Of a plan that is not stated nothing is bounded. */
    scored->lower_bound_s =
        strstr(row->undecided, "parallelism") == NULL ? result.lower_bound_s : NAN;
    scored->model_flops = result.model_flops;
    score_memory(row, &result, scored);
    return NNC_OK;
}

static double predicted_of(const nnc_serve *serve, nnc_served served)
{
    switch (served) {
    case NNC_SERVED_TPOT: return serve->tpot_s;
    case NNC_SERVED_TTFT: return serve->ttft_s;
    case NNC_SERVED_REQUEST: return serve->request_s;
    default: return 1.0 / serve->output_tokens_per_s;
    }
}

static void score_served(const nnc_measured *row, const nnc_serve *serve,
                         const nnc_software *software, nnc_scored *scored)
{
    const nnc_spread *spread = row->served == NNC_SERVED_TTFT
                                   ? &software->serving.ttft
                                   : nnc_serve_spread(&software->serving, scored->experts);
    const double bounds[NNC_SERVED_COUNT] = {
        [NNC_SERVED_TPOT] = serve->tpot_lower_bound_s,
        [NNC_SERVED_TTFT] = serve->ttft_lower_bound_s,
        [NNC_SERVED_REQUEST] = serve->request_lower_bound_s,
        [NNC_SERVED_TOKEN] = 1.0 / serve->upper_bound_tokens_per_s,
    };
    scored->predicted_s = predicted_of(serve, row->served);
    scored->lower_bound_s = bounds[row->served];
    scored->low_s = nnc_max(spread->low * scored->predicted_s, scored->lower_bound_s);
    scored->high_s = spread->high * scored->predicted_s;
    scored->fit = serve->fits ? NNC_FITS : NNC_OVER_MEMORY;
}

/* A denoising step, or an encoder over a batch. */
static nnc_status score_pass(const nnc_measured *row, const nnc_model *model,
                             const nnc_device *device, const nnc_software *software,
                             nnc_scratch *scratch, nnc_scored *scored, nnc_error *err)
{
    if (row->ask.steps > 0) {
        const nnc_images_ask ask = { .steps = 1,
                                     .guidance = row->ask.guidance,
                                     .batch = row->ask.batch,
                                     .precision = row->pass_precision,
                                     .price = NAN,
                                     .carbon_g_per_kwh = NAN };
        nnc_images images;
        NNC_TRY(nnc_images_of(model, device, software, &ask, scratch, &images, NULL, err));
        scored->predicted_s = images.forward_s;
        scored->lower_bound_s = images.lower_bound_s;
        return NNC_OK;
    }
    nnc_result result;
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = row->ask.batch;
    plan.seq_len = row->ask.input_len;
    plan.precision = row->pass_precision;
    NNC_TRY(nnc_estimate(model, device, software, &plan, scratch, &result, err));
    scored->predicted_s = result.forward_s;
    scored->lower_bound_s = result.forward_flops / result.peak_flops_per_s;
    return NNC_OK;
}

static nnc_status score_serving(const nnc_measured *row, const nnc_model *model,
                                const nnc_device *device, const nnc_software *software,
                                nnc_scratch *scratch, nnc_scored *scored, nnc_error *err)
{
    if (row->served == NNC_SERVED_PASS) {
        return score_pass(row, model, device, software, scratch, scored, err);
    }
    nnc_serve_ask ask = row->ask;
    nnc_serve serve, best = { 0 };
    scored->experts = model->family == NNC_FAMILY_DECODER && model->decoder.experts > 0;
    if (!row->tensor_open) {
        NNC_TRY(nnc_serve_of(model, device, software, &ask, scratch, &best, err));
        score_served(row, &best, software, scored);
        return NNC_OK;
    }
    nnc_status status = NNC_ILLEGAL_PLAN;
    for (ask.tensor = 1; ask.tensor <= row->ask.devices; ask.tensor *= 2) {
        const nnc_status tried = nnc_serve_of(model, device, software, &ask, scratch, &serve, err);
        if (tried == NNC_OK && serve.fits &&
            (status != NNC_OK || serve.output_tokens_per_s > best.output_tokens_per_s)) {
            best = serve;
            status = NNC_OK;
        }
    }
    if (status != NNC_OK) {
        return nnc_fail(err, status, "tensor", "no degree fits");
    }
    score_served(row, &best, software, scored);
    return NNC_OK;
}

nnc_scored nnc_scored_open(const nnc_measured *row)
{
    return (nnc_scored){ .row = row,
                         .what = "",
                         .predicted_s = NAN,
                         .low_s = NAN,
                         .high_s = NAN,
                         .lower_bound_s = NAN,
                         .error = NAN,
                         .model_flops = NAN,
                         .predicted_bytes = NAN,
                         .most_bytes = NAN,
                         .memory_error = NAN };
}

nnc_status nnc_score_row(const nnc_measured *row, const nnc_model *model, const nnc_device *device,
                         const nnc_software *software, const nnc_plan *plan, nnc_scratch *scratch,
                         nnc_scored *scored, nnc_error *err)
{
    nnc_status status = NNC_OK;
    *scored = nnc_scored_open(row);
    scored->device = device->id;
    if (row->kind == NNC_MEASURED_STEP) {
        status = score_step(row, model, device, software, plan, scratch, scored, err);
    } else if (row->kind == NNC_MEASURED_SERVING) {
        status = score_serving(row, model, device, software, scratch, scored, err);
    } else if (row->kind == NNC_MEASURED_COLLECTIVE) {
        status = score_collective(row, device, scored, err);
    } else {
        score_kernel(row, device, scored);
        if (plan->mode == NNC_MODE_IDEAL) {
            scored->predicted_s = scored->lower_bound_s;
        }
    }
    scored->error = scored->predicted_s / row->measured_s - 1.0;
    return status;
}

bool nnc_score_contradicts(const nnc_scored *scored)
{
    const double rounding = isnan(scored->row->rounding) ? 0.0 : scored->row->rounding;
    return scored->lower_bound_s > scored->row->measured_s * (1.0 + rounding);
}
