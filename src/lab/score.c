/* Predicts measured rows, and computes the statistics of their errors by group. A row is predicted as an estimate, a
 * serving estimate or a single op. If the row states the time that the measured program spends on the host, this time
 * is added to the prediction. */
#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "estimate/estimate_internal.h"
#include "lab/lab_internal.h"
#include "op/op_internal.h"
#include "serve/serve_internal.h"

/* Returns the time in seconds of the cast that belongs to a measured 8-bit matrix product. The operand has 16 bits; a
 * separate kernel reads the operand twice (to find the scale, and to cast) and writes it once. In a training step,
 * casts are ops of their own. */
static double cast_s(const nnc_device *device, const nnc_op *op) {
    const nnc_gemm_efficiency *e = &device->efficiency.gemm[op->math_dtype];
    const double elements = (double)op->u.matmul.m * (double)op->u.matmul.k;
    const double bytes = elements * (2.0 * nnc_dtype_bytes(NNC_BF16) + nnc_dtype_bytes(NNC_FP8));
    return bytes / (e->memory_fraction * device->mem_bytes_per_s) + e->fixed_s;
}

/* Returns the predicted time in seconds of one kernel that was measured alone. The time of an 8-bit product includes
 * the cast of its operand, unless the product was measured in PyTorch. */
static double kernel_s(const nnc_device *device, const nnc_op *op) {
    const nnc_work work = nnc_op_work(op);
    const double time_s = nnc_op_time(device, op, &work).time_s;
    const bool casts = op->kind == NNC_OP_MATMUL && op->math_dtype == NNC_FP8 &&
                       /* in PyTorch, the measured time of a product does not include the cast of its operand */
                       op->issued_as == NNC_ISSUED_NOT;
    return casts ? time_s + cast_s(device, op) : time_s;
}

/* Returns the sum of the times of an op's backward ops, in seconds. A single operator of PyTorch, such as a copy, has
 * one backward op. */
static double backward_s(const nnc_device *device, const nnc_op *op) {
    nnc_op backward[NNC_BACKWARD_MAX] = { *op };
    double time_s = 0.0;
    backward[0].phase = NNC_PHASE_BACKWARD;
    const int count = op->issued_as == NNC_ISSUED_INSTEAD ? 1 : nnc_op_backward(op, backward);
    for (int i = 0; i < count; i++) { time_s += kernel_s(device, &backward[i]); }
    return time_s;
}

/* Returns a lower bound of the time of a kernel in seconds: FLOPs / peak rate; NaN = the kernel has no FLOPs.
 * Memory traffic is not counted, because the operands of a kernel that is measured alone may be in the L2 cache. */
static double kernel_bound_s(const nnc_device *device, const nnc_op *op) {
    const double peak = nnc_device_matmul_peak(device, op->math_dtype);
    const nnc_work work = nnc_op_work(op);
    return work.flops > 0.0 ? work.flops / peak : NAN;
}

/* Returns the host time, in seconds, of a call in PyTorch that was timed alone; this time is a lower limit for the time
 * of the call. host.kernel_s is the mean host time of a kernel in a whole program. A forward call takes forward_share
 * of host.kernel_s, because it runs no Python code of a library. A forward call of a convolution or an attention takes
 * planned_share of host.kernel_s, because the host chooses a kernel in each of these calls. A backward call takes
 * backward_kernels times host.kernel_s, because autograd starts, uses its own thread, and issues several kernels.
 * Measured on the host of tests/published/h100: products and copies with almost no device time take 22 to 46 us,
 * convolutions and attention 38 to 47 us. Backward of convolutions and attention adds 154 to 225 us. */
static double called_s(const nnc_measured *row, const nnc_device *device) {
    static const double forward_share = 0.8, planned_share = 1.1, backward_kernels = 5.0;
    const bool backward = row->op.phase != NNC_PHASE_FORWARD;
    const bool planned = !row->both && (row->op.kind == NNC_OP_CONV || row->op.kind == NNC_OP_FLASH);
    return device->host.kernel_s * ((backward  ? 0.0
                                     : planned ? planned_share
                                               : forward_share) +
                                    (backward || row->both ? backward_kernels : 0.0));
}

static void score_kernel(const nnc_measured *row, const nnc_device *device, nnc_scored *scored) {
    nnc_op op = row->op;
    if (op.kind == NNC_OP_FLASH) {
        nnc_flash *p = &op.u.flash;
        p->full_pairs = (double)nnc_attention_pairs(p->s_q, p->s_k, false, 0);
        p->pairs = (double)nnc_attention_pairs(p->s_q, p->s_k, row->causal, 0);
        p->causal = row->causal;
    }
    const bool measured = device->efficiency.attention[NNC_CUDNN].sustained_fraction < 1.0;
    if (op.kind == NNC_OP_FLASH && op.u.flash.kernel == NNC_CUDNN && !measured) { op.u.flash.kernel = NNC_FLASH3; }
    const double device_s = kernel_s(device, &op) + (row->both ? backward_s(device, &op) : 0.0);
    scored->predicted_s = row->called ? nnc_max(device_s, called_s(row, device)) : device_s;
    scored->lower_bound_s = kernel_bound_s(device, &op);
}

static nnc_status score_collective(const nnc_measured *row, const nnc_device *device, nnc_scored *scored,
                                   nnc_error *err) {
    const nnc_measured_collective *e = &row->collective;
    nnc_route route;
    const int32_t per_node = e->nodes > 1 ? e->devices / e->nodes : 0;
    NNC_TRY(nnc_route_find(device, e->devices, per_node, e->devices, 1, &route, err));
    scored->predicted_s = nnc_collective_predicted_s(&route, e->kind, e->bytes);
    return NNC_OK;
}

/* Sets the predicted memory of a training step, and the error of this prediction. The error is computed for the first
 * kind of measured memory (allocated, reserved, unstated) that the row states. */
static void score_memory(const nnc_measured *row, const nnc_result *result, nnc_scored *scored) {
    const nnc_memory *memory = &result->memory;
    int stat = 0;
    while (stat < NNC_MEMORY_STAT_COUNT && isnan(row->measured_bytes[stat])) { stat++; }
    /* true: the row states the peak of live tensors, which contains neither the driver's context nor fragmentation */
    const bool live = stat == NNC_MEMORY_ALLOCATED;
    const double predicted = (double)(memory->total_bytes - (live ? memory->reserve_bytes : 0));
    scored->predicted_bytes = predicted;
    scored->most_bytes = (double)memory->total_interval_bytes[1];
    scored->fit = result->verdict;
    if (stat < NNC_MEMORY_STAT_COUNT) {
        scored->memory_stat = (nnc_memory_stat)stat;
        scored->memory_error = predicted / row->measured_bytes[stat] - 1.0;
    }
    scored->peak_allocated_error =
        (double)memory->peak_allocated_bytes / row->measured_bytes[NNC_MEMORY_ALLOCATED] - 1.0;
    scored->peak_reserved_error = (double)memory->peak_reserved_bytes / row->measured_bytes[NNC_MEMORY_RESERVED] - 1.0;
}

/* Sets of sublayers and ops of a layer that training recipes recompute, in ascending order of cost. If the ops of a set
 * in this list are computed again, the communication of experts does not run a second time. Source:
 * scripts/performance/configs of NVIDIA-NeMo/Megatron-Bridge. */
static const unsigned parts[] = {
    NNC_RECOMPUTE_MLA_UP_PROJ,
    NNC_RECOMPUTE_MLA_UP_PROJ | NNC_RECOMPUTE_MLP,
    NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION | NNC_RECOMPUTE_MLA_UP_PROJ,
    NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION | NNC_RECOMPUTE_MLA_UP_PROJ | NNC_RECOMPUTE_SHARED_EXPERTS |
        NNC_RECOMPUTE_MLP,
};

/* Returns the smallest memory in bytes that the step may need: the lower end of the predicted interval. nncost compares
 * this number with the memory of the device when it chooses settings that a row leaves open, because the measured run
 * did fit. */
static double least_bytes(const nnc_result *result) { return (double)result->memory.total_interval_bytes[0]; }

static bool may_run(const nnc_device *device, const nnc_result *result) {
    return least_bytes(result) <= (double)device->mem_bytes;
}

/* Finds the smallest recomputation with which a step fits into the memory of the device, for a row that does not state
 * its recomputation. The function first tries to recompute parts of layers, then the smallest number of whole layers of
 * each stage, then all layers. */
static nnc_status least_recomputed(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                   const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err) {
    nnc_plan again = *plan;
    const bool modules =
        model->family == NNC_FAMILY_DECODER && model->decoder.experts > 0 && software->ships.recompute_modules;
    const int first = modules ? 0 : 2, last = modules ? (int)(sizeof parts / sizeof parts[0]) : 3;
    again.recompute_layers = 0;
    for (int i = first; i < last; i++) {
        again.recompute = parts[i];
        NNC_TRY(nnc_estimate(model, device, software, &again, scratch, result, err));
        if (may_run(device, result)) { return NNC_OK; }
    }
    again.recompute = NNC_RECOMPUTE_FULL;
    NNC_TRY(nnc_estimate(model, device, software, &again, scratch, result, err));
    const int64_t layers = model->family == NNC_FAMILY_DECODER ? model->decoder.layers : 0;
    int32_t few = 0, many = (int32_t)(layers / plan->pipeline);
    if (!may_run(device, result) || many < 2) { return NNC_OK; }
    while (many - few > 1) {
        /* binary search: with `few` recomputed layers the step does not fit, with `many` recomputed layers it fits */
        again.recompute_layers = few + (many - few) / 2;
        NNC_TRY(nnc_estimate(model, device, software, &again, scratch, result, err));
        if (!may_run(device, result)) {
            few = (int32_t)again.recompute_layers;
        } else {
            many = (int32_t)again.recompute_layers;
        }
    }
    again.recompute_layers = many;
    return nnc_estimate(model, device, software, &again, scratch, result, err);
}

/* The predicted memory of a row that does not state its parallelism is uncertain. For a row without stated parallelism,
 * nncost assumes recomputation only if the predicted memory is larger than the memory of the device by the factor
 * GUESSED_NEEDS_RECOMPUTE. */
#define GUESSED_NEEDS_RECOMPUTE 2.5

static bool must_recompute(const nnc_measured *row, const nnc_device *device, const nnc_plan *plan,
                           const nnc_result *result) {
    const bool guessed = strstr(row->undecided, "parallelism") != NULL;
    const double most = (guessed ? GUESSED_NEEDS_RECOMPUTE : 1.0) * (double)device->mem_bytes;
    return !row->as_stated && strstr(row->undecided, "recompute") != NULL && plan->recompute == NNC_RECOMPUTE_NONE &&
           least_bytes(result) > most;
}

/* Handles a row that does not state its parallelism. If the guessed plan does not fit, the function tries more tensor
 * ranks, up to the devices of one scale-up domain. The predicted memory and the verdict become those of the first plan
 * that fits. The predicted time remains the time of the guessed plan. */
static void split_until_it_fits(const nnc_measured *row, const nnc_model *model, const nnc_device *device,
                                const nnc_software *software, const nnc_plan *plan, nnc_scratch *scratch,
                                nnc_result *result) {
    if (row->as_stated || strstr(row->undecided, "parallelism") == NULL) { return; }
    nnc_plan again = *plan;
    nnc_error ignored;
    for (again.tensor *= 2; result->verdict == NNC_OVER_MEMORY && again.tensor <= device->scale_up.devices &&
                            again.tensor <= plan->devices;
         again.tensor *= 2) {
        nnc_result other;
        again.data = again.shard = 0;
        again.micro_batches = 0;
        if (nnc_estimate(model, device, software, &again, scratch, &other, &ignored) == NNC_OK &&
            other.verdict != NNC_OVER_MEMORY) {
            result->memory = other.memory;
            result->verdict = other.verdict;
        }
    }
}

/* Returns the time of a step with the host work that the row states, divided by the predicted time of the step. If the
 * host needs more time to prepare the samples than the step with the host work takes, the result is the time of this
 * preparation divided by the predicted time of the step. */
static double host_ratio(const nnc_measured *row, const nnc_plan *plan, const nnc_result *result) {
    const double passes = nnc_max((double)plan->micro_batches, 1.0);
    const double samples = passes * (double)plan->micro_batch;
    const double beside_s = passes * row->host_pass_s + samples * row->host_sample_s;
    const bool whole_host = plan->devices_per_node > 0 && plan->devices >= plan->devices_per_node;
    const double input_s = whole_host && row->input_samples_per_s > 0.0 ? samples / row->input_samples_per_s : 0.0;
    return nnc_max(result->step_s + beside_s, input_s) / result->step_s;
}

static nnc_status score_step(const nnc_measured *row, const nnc_model *model, const nnc_device *device,
                             const nnc_software *software, const nnc_plan *plan, nnc_scratch *scratch,
                             nnc_scored *scored, nnc_error *err) {
    nnc_result result;
    NNC_TRY(nnc_estimate(model, device, software, plan, scratch, &result, err));
    if (must_recompute(row, device, plan, &result)) {
        NNC_TRY(least_recomputed(model, device, software, plan, scratch, &result, err));
    }
    const double ratio = host_ratio(row, plan, &result);
    scored->predicted_s = ratio * result.step_s;
    scored->low_s = ratio * result.interval_s[0];
    scored->high_s = ratio * result.interval_s[1];
    /* NaN for a guessed plan: a lower bound needs the true plan */
    scored->lower_bound_s = strstr(row->undecided, "parallelism") == NULL ? result.lower_bound_s : NAN;
    scored->model_flops = result.model_flops;
    split_until_it_fits(row, model, device, software, plan, scratch, &result);
    score_memory(row, &result, scored);
    if (row->max_batch > 0) {
        const nnc_profiles profiles = nnc_profiles_of_one(software);
        nnc_fitting_micro_batches(model, device, &profiles, plan, scratch, &scored->max_batch,
                                  &scored->max_batch_tight);
    }
    return NNC_OK;
}

/* Returns the predicted seconds of one kind of measurement of served requests. The times of a static batch are measured
 * inside the engine, not at the client. For a static batch, the function subtracts ttft_s, the time that the server
 * needs between engine and client. */
static double predicted_of(const nnc_serve *serve, const nnc_serve_engine *engine, nnc_served served) {
    const double server_s = serve->mode == NNC_SERVE_STATIC ? engine->ttft_s : 0.0;
    switch (served) {
    case NNC_SERVED_TPOT: return serve->tpot_s;
    case NNC_SERVED_TTFT: return serve->ttft_s - server_s;
    case NNC_SERVED_REQUEST: return serve->request_s - server_s;
    default: return (1.0 - server_s / serve->request_s) / serve->output_tokens_per_s;
    }
}

static void score_served(const nnc_measured *row, const nnc_serve *serve, const nnc_software *software,
                         nnc_scored *scored) {
    const nnc_spread *spread = row->served == NNC_SERVED_TTFT ? &software->serving.ttft
                                                              : nnc_serve_spread(&software->serving, scored->experts);
    const double bounds[NNC_SERVED_COUNT] = {
        [NNC_SERVED_TPOT] = serve->tpot_lower_bound_s,
        [NNC_SERVED_TTFT] = serve->ttft_lower_bound_s,
        [NNC_SERVED_REQUEST] = serve->request_lower_bound_s,
        [NNC_SERVED_TOKEN] = 1.0 / serve->upper_bound_tokens_per_s,
    };
    scored->predicted_s = predicted_of(serve, &software->serving, row->served);
    scored->lower_bound_s = bounds[row->served];
    if (serve->saturated) { /* the queue grows without limit, so the served rate is compared with the requested rate */
        scored->saturated = true;
        spread = nnc_serve_spread(&software->serving, scored->experts);
        scored->measured_s = 1.0 / row->ask.request_rate;
        scored->predicted_s = 1.0 / serve->saturation_rate;
        scored->lower_bound_s = (double)row->ask.output_len / serve->upper_bound_tokens_per_s;
    }
    const nnc_spread here = nnc_serve_widened(spread, serve);
    scored->low_s = nnc_max(here.low * scored->predicted_s, scored->lower_bound_s);
    scored->high_s = here.high * scored->predicted_s;
    if (serve->mode == NNC_SERVE_OPEN && !serve->saturated &&
        /* the intervals of tpot and ttft include the time in the queue */
        (row->served == NNC_SERVED_TPOT || row->served == NNC_SERVED_TTFT)) {
        const double *interval_s = row->served == NNC_SERVED_TPOT ? serve->tpot_interval_s : serve->ttft_interval_s;
        scored->low_s = interval_s[0];
        scored->high_s = interval_s[1];
    }
    scored->fit = serve->fits ? NNC_FITS : NNC_OVER_MEMORY;
}

/* Predicts the row of a single forward pass: a denoising step, or an encoder over a batch. */
static nnc_status score_pass(const nnc_measured *row, const nnc_model *model, const nnc_device *device,
                             const nnc_software *software, nnc_scratch *scratch, nnc_scored *scored, nnc_error *err) {
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
    plan.train = NNC_TRAIN_NONE;
    NNC_TRY(nnc_estimate(model, device, software, &plan, scratch, &result, err));
    scored->predicted_s = result.step_s;
    scored->lower_bound_s = result.forward_flops / result.peak_flops_per_s;
    return NNC_OK;
}

/* Refuses a row with a static batch if its source leaves no field open and its measured time is below the lower bound.
 * The datasheet rates do not allow a time below the lower bound, so the settings in the row cannot be the settings of
 * the measured run. An example is a benchmark with more tokens than the model has positions: the engine ends each
 * request after the prompt. For any other load than a static batch, the lower bound depends on the number of sequences
 * that run together, and this number is only an estimate. */
static nnc_status check_possible(const nnc_measured *row, nnc_scored *scored, nnc_error *err) {
    if (row->ask.batch == 0 || row->undecided[0] != '\0' || !nnc_score_contradicts(scored)) { return NNC_OK; }
    scored->predicted_s = scored->low_s = scored->high_s = NAN;
    return nnc_fail(err, NNC_ILLEGAL_PLAN, "row", "faster than the datasheet rates of the device allow");
}

static nnc_status score_serving(const nnc_measured *row, const nnc_model *model, const nnc_device *device,
                                const nnc_software *software, nnc_scratch *scratch, nnc_scored *scored,
                                nnc_error *err) {
    if (row->served == NNC_SERVED_PASS) { return score_pass(row, model, device, software, scratch, scored, err); }
    nnc_serve_ask ask = row->ask;
    nnc_serve serve, best = { 0 };
    scored->experts = model->family == NNC_FAMILY_DECODER && model->decoder.experts > 0;
    if (!row->tensor_open) {
        NNC_TRY(nnc_serve_of(model, device, software, &ask, scratch, &best, err));
        score_served(row, &best, software, scored);
        return check_possible(row, scored, err);
    }
    nnc_status status = NNC_ILLEGAL_PLAN;
    for (ask.tensor = 1; ask.tensor <= row->ask.devices; ask.tensor *= 2) {
        const nnc_status tried = nnc_serve_of(model, device, software, &ask, scratch, &serve, err);
        if (tried == NNC_OK && serve.fits && (status != NNC_OK || serve.saturation_rate > best.saturation_rate)) {
            best = serve;
            status = NNC_OK;
        }
    }
    if (status != NNC_OK) { return nnc_fail(err, status, "tensor", "no degree fits"); }
    score_served(row, &best, software, scored);
    return check_possible(row, scored, err);
}

nnc_scored nnc_scored_open(const nnc_measured *row) {
    return (nnc_scored){ .row = row,
                         .what = "",
                         .measured_s = row->measured_s,
                         .predicted_s = NAN,
                         .low_s = NAN,
                         .high_s = NAN,
                         .lower_bound_s = NAN,
                         .error = NAN,
                         .model_flops = NAN,
                         .predicted_bytes = NAN,
                         .most_bytes = NAN,
                         .memory_error = NAN,
                         .peak_allocated_error = NAN,
                         .peak_reserved_error = NAN };
}

nnc_status nnc_score_row(const nnc_measured *row, const nnc_model *model, const nnc_device *device,
                         const nnc_software *software, const nnc_plan *plan, nnc_scratch *scratch, nnc_scored *scored,
                         nnc_error *err) {
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
        if (plan->mode == NNC_MODE_IDEAL) { scored->predicted_s = scored->lower_bound_s; }
    }
    scored->error = scored->predicted_s / scored->measured_s - 1.0;
    return status;
}

bool nnc_score_contradicts(const nnc_scored *scored) {
    const double rounding = isnan(scored->row->rounding) ? 0.0 : scored->row->rounding;
    return scored->lower_bound_s > scored->measured_s * (1.0 + rounding);
}

/* Limit between small and large collectives, in bytes. The time of a larger collective depends mostly on the bandwidth
 * of the links; the time of a smaller collective depends mostly on latency. */
#define SMALL_BYTES 1e6

NNC_ENUM_NAMES(nnc_score_section, NNC_SCORE_SECTION_LIST)
NNC_ENUM_NAMES(nnc_score_by, NNC_SCORE_BY_LIST)

static int by_size(const void *a, const void *b) {
    const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

void nnc_errors_sum(double *errors, int32_t count, nnc_score_stats *stats) {
    double size = 0.0, sum = 0.0;
    stats->scored = count;
    stats->mape = stats->median = stats->p90 = stats->bias = NAN;
    if (count == 0) { return; }
    for (int32_t i = 0; i < count; i++) {
        size += fabs(errors[i]);
        sum += errors[i];
    }
    qsort(errors, (size_t)count, sizeof *errors, by_size);
    /* ceil(0.9 n): position of the 90th percentile in the sorted errors; the first position is 1 */
    const int32_t rank = (int32_t)((9 * (int64_t)count + 9) / 10);
    stats->mape = size / (double)count;
    stats->bias = sum / (double)count;
    stats->p90 = fabs(errors[rank - 1]);
    stats->median = (fabs(errors[(count - 1) / 2]) + fabs(errors[count / 2])) / 2.0;
}

static nnc_score_section served_section(const nnc_scored *scored) {
    const nnc_measured *row = scored->row;
    const nnc_serve_ask *ask = &row->ask;
    if (row->undecided[0] != '\0') { return NNC_SECTION_SERVING_APART; }
    if (scored->saturated) { return NNC_SECTION_SATURATED; }
    switch (row->served) {
    case NNC_SERVED_PASS: return NNC_SECTION_PASS;
    case NNC_SERVED_TPOT: return scored->experts ? NNC_SECTION_TPOT_EXPERTS : NNC_SECTION_TPOT;
    case NNC_SERVED_TTFT:
        return ask->concurrency > 0 ? NNC_SECTION_TTFT_CLOSED
               : ask->batch > 0     ? NNC_SECTION_BATCH
                                    : NNC_SECTION_TTFT_OPEN;
    default: return ask->offline ? NNC_SECTION_OFFLINE : row->single ? NNC_SECTION_SINGLE : NNC_SECTION_BATCH;
    }
}

static nnc_score_section time_section(const nnc_scored *scored) {
    const nnc_measured *row = scored->row;
    switch (row->kind) {
    case NNC_MEASURED_STEP: return row->undecided[0] == '\0' ? NNC_SECTION_STEP : NNC_SECTION_STEP_APART;
    case NNC_MEASURED_GEMM: return NNC_SECTION_GEMM;
    case NNC_MEASURED_ATTENTION: return NNC_SECTION_ATTENTION;
    case NNC_MEASURED_CONV: return NNC_SECTION_CONV;
    case NNC_MEASURED_VECTOR: return NNC_SECTION_VECTOR;
    case NNC_MEASURED_COLLECTIVE:
        return row->collective.bytes < SMALL_BYTES ? NNC_SECTION_COLLECTIVE_SMALL : NNC_SECTION_COLLECTIVE;
    case NNC_MEASURED_SERVING: return served_section(scored);
    default: return NNC_SECTION_RANK_MEMORY;
    }
}

/* Returns the section of the table of errors to which the memory of a row belongs; NNC_SECTION_COUNT = the row states
 * no memory. */
static nnc_score_section memory_section(const nnc_scored *scored) {
    const nnc_measured *row = scored->row;
    bool states = false;
    for (int i = 0; i < NNC_MEMORY_STAT_COUNT; i++) { states = states || !isnan(row->measured_bytes[i]); }
    return !states                                                                          ? NNC_SECTION_COUNT
           : row->undecided[0] == '\0' && !isnan(row->measured_bytes[NNC_MEMORY_ALLOCATED]) ? NNC_SECTION_MEMORY
                                                                                            : NNC_SECTION_MEMORY_APART;
}

static bool is_memory(nnc_score_section section) {
    return section == NNC_SECTION_MEMORY || section == NNC_SECTION_MEMORY_APART;
}

static const char *name_of(const nnc_scored *scored, nnc_score_by by) {
    switch (by) {
    case NNC_SCORE_BY_FILE: return scored->row->file;
    case NNC_SCORE_FITTED: return scored->row->fitted ? scored->row->file : "";
    case NNC_SCORE_UNFITTED: return scored->row->fitted ? "" : scored->row->file;
    case NNC_SCORE_BY_HALF: return scored->row->fitted ? "fitted" : "unfitted";
    case NNC_SCORE_BY_WHAT: return scored->what != NULL ? scored->what : "";
    case NNC_SCORE_BY_KERNEL: return scored->row->kernel;
    case NNC_SCORE_BY_DEVICE: return scored->device != NULL ? scored->device : scored->row->device;
    case NNC_SCORE_BY_FRAMEWORK: return scored->row->framework;
    default: return "";
    }
}

typedef struct gathering {
    nnc_arena *arena;
    const nnc_scored *rows;
    int32_t count;
    nnc_score_group *groups;
    int32_t group_count, capacity;
    double *errors; /* space for the errors of one group of rows */
    bool failed;
} gathering;

static void add_group(gathering *g, nnc_score_section section, nnc_score_by by, const char *name) {
    /* true: the groups have rows of training steps and served requests; rows of kernels have no model, and their column
     * "framework" is the version of a library */
    const bool of_steps = by == NNC_SCORE_BY_FRAMEWORK || by == NNC_SCORE_FITTED || by == NNC_SCORE_UNFITTED ||
                          by == NNC_SCORE_BY_HALF || by == NNC_SCORE_BY_WHAT;
    const bool has_models =
        section == NNC_SECTION_STEP || section == NNC_SECTION_STEP_APART || section >= NNC_SECTION_BATCH;
    if (of_steps && (name[0] == '\0' || !has_models)) { return; }
    if (by == NNC_SCORE_BY_KERNEL && name[0] == '\0') { return; }
    for (int32_t i = 0; i < g->group_count; i++) {
        const nnc_score_group *group = &g->groups[i];
        if (group->section == section && group->by == by && strcmp(group->name, name) == 0) { return; }
    }
    nnc_score_group *groups = nnc_arena_grow(g->arena, g->groups, g->group_count, &g->capacity, sizeof *groups);
    g->failed = g->failed || groups == NULL;
    if (groups == NULL) { return; }
    g->groups = groups;
    g->groups[g->group_count++] = (nnc_score_group){ .section = section, .by = by, .name = name };
}

static void add_interval(const nnc_scored *scored, nnc_score_stats *stats) {
    if (!isnan(scored->low_s) && !isnan(scored->high_s)) {
        const double measured_s = scored->measured_s;
        stats->intervals++;
        stats->inside += measured_s >= scored->low_s && measured_s <= scored->high_s ? 1.0 : 0.0;
    }
}

static void sum_group(gathering *g, nnc_score_group *group) {
    nnc_score_stats *stats = &group->stats;
    const bool memory = is_memory(group->section);
    double largest = -1.0;
    int32_t used = 0;
    for (int32_t i = 0; i < g->count; i++) {
        const nnc_scored *scored = &g->rows[i];
        const double error = memory ? scored->memory_error : scored->error;
        const nnc_score_section section = memory ? memory_section(scored) : time_section(scored);
        if (section != group->section || strcmp(name_of(scored, group->by), group->name) != 0) { continue; }
        stats->rows++;
        if (isnan(error)) { continue; }
        g->errors[used++] = error;
        if (!memory) { add_interval(scored, stats); }
        if (fabs(error) > largest) {
            largest = fabs(error);
            stats->worst = scored;
        }
    }
    nnc_errors_sum(g->errors, used, stats);
    stats->inside = stats->intervals > 0 ? stats->inside / (double)stats->intervals : NAN;
}

const nnc_score_group *nnc_score_groups(nnc_arena *arena, const nnc_scored *rows, int32_t count, int32_t *group_count) {
    gathering g = { .arena = arena, .rows = rows, .count = count };
    g.errors = nnc_arena_array(arena, (size_t)count + 1, sizeof *g.errors);
    g.groups = nnc_arena_grow(arena, NULL, 0, &g.capacity, sizeof *g.groups);
    if (g.errors == NULL || g.groups == NULL) { return NULL; }
    for (int section = 0; section < NNC_SECTION_COUNT; section++) {
        for (int by = 0; by < NNC_SCORE_BY_COUNT; by++) {
            for (int32_t i = 0; i < count; i++) {
                const bool memory = is_memory((nnc_score_section)section);
                const nnc_score_section own = memory ? memory_section(&rows[i]) : time_section(&rows[i]);
                if ((int)own == section) { add_group(&g, own, (nnc_score_by)by, name_of(&rows[i], (nnc_score_by)by)); }
            }
        }
    }
    for (int32_t i = 0; i < g.group_count; i++) { sum_group(&g, &g.groups[i]); }
    *group_count = g.group_count;
    return g.failed ? NULL : g.groups;
}
