/* The plan: what was left open, and what model, device and engine allow. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/names.h"
#include "base/sized.h"
#include "serve/serve.h"
#include "shape/family.h"

NNC_ENUM_TEXTS(nnc_serve_mode, NNC_SERVE_MODE_LIST)

/* ---- degrees ---- */

static nnc_status resolve_degrees(nnc_serve_ask *p, nnc_error *err)
{
    int64_t replica = 1, devices = 0;
    if (!nnc_mul_i64(p->tensor, p->pipeline, &replica) ||
        !nnc_mul_i64(replica, p->attention_data, &replica)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--devices", "too many devices");
    }
    if (p->data == 0) {
        p->data = 1;
        if (p->devices > 0 && p->devices % replica != 0) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, "--devices",
                            "is no multiple of tensor x pipeline x attention_data, %" PRId64
                            ", found %" PRId32,
                            replica, p->devices);
        }
        p->data = p->devices > 0 ? (int32_t)(p->devices / replica) : 1;
    }
    if (!nnc_mul_i64(replica, p->data, &devices) || devices > INT32_MAX) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--devices", "too many devices");
    }
    if (p->devices > 0 && p->devices != devices) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--devices",
                        "is not tensor x pipeline x attention_data x data, expected %" PRId64
                        ", found %" PRId32,
                        devices, p->devices);
    }
    p->devices = (int32_t)devices;
    return NNC_OK;
}

static nnc_status check_experts(const nnc_decoder *d, const nnc_serve_ask *p, nnc_error *err)
{
    const int64_t ranks = (int64_t)p->tensor * p->attention_data;
    if (d->experts == 0 && (p->expert > 1 || p->attention_data > 1)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, p->expert > 1 ? "--expert" : "--attention-data",
                        "the model has no experts, expected 1, found %" PRId32,
                        p->expert > 1 ? p->expert : p->attention_data);
    }
    if (p->expert > 1 && p->expert != ranks) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--expert",
                        "is not tensor x attention_data, expected 1 or %" PRId64 ", found %" PRId32,
                        ranks, p->expert);
    }
    if (p->expert > 1) {
        return nnc_divides("--expert", "experts", d->experts, p->expert, err);
    }
    return nnc_divides("--tensor", "expert_hidden", d->expert_hidden, ranks, err);
}

static nnc_status check_split(const nnc_model *model, const nnc_serve_ask *p, nnc_error *err)
{
    const nnc_decoder *d = &model->decoder;
    const int64_t t = p->tensor;
    if (p->pipeline > d->layers) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "has more stages than layers, expected at most %" PRId64 ", found %" PRId32,
                        d->layers, p->pipeline);
    }
    if (d->heads > 0) {
        NNC_TRY(nnc_divides("--tensor", "heads", d->heads, t, err));
    }
    if (d->heads > 0 && d->kv_lora_rank == 0 && d->kv_heads % t != 0 && t % d->kv_heads != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tensor",
                        "kv_heads %" PRId64 " neither divide over %" PRId64
                        " ranks nor are divided by them",
                        d->kv_heads, t);
    }
    NNC_TRY(nnc_divides("--tensor", "ffn_hidden", d->ffn_hidden, t, err));
    NNC_TRY(nnc_divides("--tensor", "shared_hidden", d->shared_hidden, t, err));
    NNC_TRY(nnc_divides("--tensor", "ssm_inner", d->ssm_inner, t, err));
    return check_experts(d, p, err);
}

/* ---- numbers ---- */

static nnc_dtype math_of(nnc_stored stored)
{
    static const nnc_dtype math[NNC_STORED_COUNT] = {
#define MATH(name, text, bits, scale, zero, group, dtype) [name] = (dtype),
        NNC_STORED_LIST(MATH)
#undef MATH
    };
    return math[stored];
}

static bool computes(const nnc_device *device, nnc_dtype dtype)
{
    return nnc_device_matmul_peak(device, dtype) > 0.0;
}

/* The widest-spread 16-bit format that the device has, else fp32. */
static nnc_dtype plain_math(const nnc_device *device)
{
    return computes(device, NNC_BF16) ? NNC_BF16 : computes(device, NNC_FP16) ? NNC_FP16 : NNC_FP32;
}

static nnc_stored stored_as(nnc_dtype dtype)
{
    switch (dtype) {
    case NNC_FP64:
    case NNC_TF32:
    case NNC_FP32: return NNC_STORED_FP32;
    case NNC_FP16: return NNC_STORED_FP16;
    case NNC_FP8: return NNC_STORED_FP8;
    case NNC_INT8: return NNC_STORED_INT8;
    case NNC_INT4: return NNC_STORED_INT4;
    case NNC_FP4: return NNC_STORED_NVFP4;
    default: return NNC_STORED_BF16;
    }
}

static nnc_status resolve_formats(const nnc_device *device, nnc_serve_ask *p, nnc_error *err)
{
    if (p->weights == NNC_STORED_COUNT) {
        p->weights = p->precision == NNC_DTYPE_COUNT ? stored_as(plain_math(device))
                                                     : stored_as(p->precision);
    }
    if (p->precision == NNC_DTYPE_COUNT) {
        /* mxfp4 meets activations of 8 bits where the device multiplies 4-bit numbers at all */
        const bool eight = p->weights == NNC_STORED_MXFP4 && computes(device, NNC_FP4);
        const nnc_dtype wanted = eight ? NNC_FP8 : math_of(p->weights);
        p->precision = computes(device, wanted) ? wanted : plain_math(device);
    }
    if (!computes(device, p->precision)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--precision", "%s has no peak in %s", device->id,
                        nnc_dtype_name(p->precision));
    }
    if (p->kv_precision == NNC_STORED_COUNT) {
        p->kv_precision = p->weights == NNC_STORED_FP32 ? NNC_STORED_FP32 : NNC_STORED_BF16;
    }
    return NNC_OK;
}

static void resolve_engine(const nnc_serve_engine *engine, nnc_serve_ask *p)
{
    const struct {
        int64_t *asked, engine, otherwise;
    } counts[] = { { &p->chunk, engine->chunk, 8192 },
                   { &p->max_batch, engine->max_batch, 256 },
                   { &p->block, engine->block, 16 } };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (*counts[i].asked == 0) {
            *counts[i].asked = counts[i].engine > 0 ? counts[i].engine : counts[i].otherwise;
        }
    }
    if (isnan(p->memory_use)) {
        p->memory_use = isnan(engine->memory_use) ? 0.9 : engine->memory_use;
    }
}

/* "1:2", and what a draft does unless something else is said. */
static nnc_status resolve_formulas(nnc_serve_ask *p, nnc_error *err)
{
    enum { WORKERS_MOST = 1000000, DRAFT_LENGTH = 4 };
    char *end = NULL;
    if (p->disaggregate[0] != '\0') {
        const long prefill = strtol(p->disaggregate, &end, 10);
        const long decode = *end == ':' ? strtol(end + 1, &end, 10) : 0;
        if (*end != '\0' || prefill < 1 || decode < 1 || prefill > WORKERS_MOST ||
            decode > WORKERS_MOST) {
            return nnc_fail(err, NNC_BAD_USAGE, "--disaggregate",
                            "expected P:D, such as 1:2, found \"%.32s\"", p->disaggregate);
        }
        p->prefill_workers = (int32_t)prefill;
        p->decode_workers = (int32_t)decode;
    }
    if ((p->prefill_workers > 0) != (p->decode_workers > 0)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--disaggregate",
                        "expected replicas that prefill and replicas that decode, found one kind");
    }
    if (p->draft_model != NULL && p->draft_length == 0) {
        p->draft_length = DRAFT_LENGTH;
    }
    return NNC_OK;
}

static nnc_status resolve_mode(nnc_serve_ask *p, nnc_serve_mode *mode, nnc_error *err)
{
    const int given =
        (p->batch > 0) + (p->concurrency > 0) + !isnan(p->request_rate) + (p->offline ? 1 : 0);
    if (given > 1) {
        return nnc_fail(err, NNC_BAD_USAGE, p->batch > 0 ? "--batch" : "--concurrency",
                        "one kind of load is enough, expected --batch, --concurrency, "
                        "--request-rate or --offline, found %d of them",
                        given);
    }
    *mode = p->offline                ? NNC_SERVE_OFFLINE
            : p->concurrency > 0      ? NNC_SERVE_CLOSED
            : !isnan(p->request_rate) ? NNC_SERVE_OPEN
                                      : NNC_SERVE_STATIC;
    if (given == 0) {
        p->batch = 1;
    }
    return resolve_formulas(p, err);
}

static nnc_status check_lengths(const nnc_model *model, const nnc_serve_ask *p, nnc_error *err)
{
    const nnc_decoder *d = &model->decoder;
    const int64_t rows = d->positions_max > 0 ? d->positions_max : d->seq_len;
    if (nnc_positions_learned(d->positions) && p->input_len + p->output_len > rows) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--input-len",
                        "with --output-len longer than the position table, expected at most "
                        "%" PRId64 " tokens, found %" PRId64,
                        rows, p->input_len + p->output_len);
    }
    return NNC_OK;
}

nnc_status nnc_serve_resolve(const nnc_serve_ask *ask, const nnc_model *model,
                             const nnc_device *device, const nnc_software *software,
                             const nnc_serve_net *net, nnc_serve_ask *plan, nnc_serve_mode *mode,
                             nnc_error *err)
{
    (void)net;
    *plan = *ask;
    if (ask->steps > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--steps",
                        "%s generates tokens, expected a U-Net that denoises images", model->id);
    }
    NNC_TRY(resolve_mode(plan, mode, err));
    NNC_TRY(resolve_degrees(plan, err));
    NNC_TRY(check_split(model, plan, err));
    NNC_TRY(resolve_formats(device, plan, err));
    resolve_engine(&software->serving, plan);
    return check_lengths(model, plan, err);
}
