/* Rates that a device reaches in serving with a given engine: fitted values of the device file, or medians
 * of measured devices where it has none (docs/serving.md). */
#include <math.h>

#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "serve/serve_internal.h"

/* Medians over the measured devices, for devices without serving measurements (docs/serving.md). */
#define STREAM_FRACTION 0.80 /* of the bandwidth, reading 16-bit weights */
#define EIGHT_BIT_RATIO 0.97 /* 8-bit over 16-bit weights */
#define FOUR_BIT_RATIO 0.78  /* 4-bit over 16-bit weights */
#define KV_FRACTION 0.87
#define EXPERT_RATIO 1.05 /* grouped products of experts over one product, in 16 and 8 bits */
#define NARROW_PRODUCT_RATIO 0.78 /* long products in 8 and 4 bits, serving over training */
#define KERNEL_S 2.5e-6
#define ATTENTION_S 9e-6 /* one decode attention */
#define ATTENTION_FRACTION 0.43
static const nnc_small_all_reduce all_reduce_default = { 4.5e-6, 0.0, 3e-6, 0.5, 0.6, (double)NAN };

static double said(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

/* Bits of one element. Weights include the scales of their groups; quantised keys and values include a
 * 16-bit scale and zero point per head. */
static double math_bits(nnc_stored stored)
{
    static const double bits[NNC_STORED_COUNT] = {
#define BITS(name, text, bits, scale, zero, group, math) [name] = (bits),
        NNC_STORED_LIST(BITS)
#undef BITS
    };
    return bits[stored];
}

/* Format of attention and head: 16 bits, or the format of the products where that is wider. */
static nnc_dtype plain_format(const nnc_device *device, nnc_dtype precision)
{
    if (precision == NNC_FP32 || precision == NNC_TF32 || precision == NNC_FP64) {
        return precision;
    }
    static const nnc_dtype order[] = { NNC_BF16, NNC_FP16, NNC_TF32, NNC_FP32 };
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (nnc_device_matmul_peak(device, order[i]) > 0.0) {
            return order[i];
        }
    }
    return NNC_BF16;
}

/* The storage format whose measured products give the rate of this arithmetic. */
static nnc_stored reached_as(nnc_dtype dtype, nnc_stored weights)
{
    switch (dtype) {
    case NNC_FP8: return weights == NNC_STORED_FP8_BLOCK ? weights : NNC_STORED_FP8;
    case NNC_FP4: return NNC_STORED_NVFP4;
    case NNC_INT8: return NNC_STORED_INT8;
    default: return NNC_STORED_BF16;
    }
}

/* Rate of long products: the rate fitted for training, which includes the boost clock of short kernels. */
static double dense_rate(const nnc_device *device, nnc_dtype dtype, nnc_stored weights)
{
    const nnc_efficiencies *e = &device->efficiency;
    const bool fitted = e->basis != NNC_BASIS_NONE;
    const bool narrow = fitted && (dtype == NNC_FP8 || dtype == NNC_FP4 || dtype == NNC_INT8);
    const double trained =
        nnc_min(e->gemm[dtype].sustained_fraction * e->gemm[dtype].boost_ratio, 1.0) *
        (narrow ? NARROW_PRODUCT_RATIO : 1.0);
    return nnc_device_matmul_peak(device, dtype) *
           nnc_min(said(e->serving.product_fraction[reached_as(dtype, weights)], trained) *
                       e->calibration,
                   1.0);
}

static void memory_rates(const nnc_device *device, const nnc_serve_engine *engine,
                         const nnc_serve_ask *plan, nnc_serve_rates *r)
{
    const nnc_serve_efficiency *s = &device->efficiency.serving;
    const bool fitted = device->efficiency.basis != NNC_BASIS_NONE;
    const double plain = said(s->stream_fraction[NNC_STORED_BF16], fitted ? STREAM_FRACTION : 1.0);
    const double bits = math_bits(plan->weights);
    const bool narrow = bits < 16.0;
    const double ratio = !fitted || !narrow ? 1.0 : bits < 8.0 ? FOUR_BIT_RATIO : EIGHT_BIT_RATIO;
    const double stored = said(s->stream_fraction[plan->weights], plain * ratio);
    const double stream = nnc_min(stored * engine->stream_factor[plan->weights], 1.0);
    const double experts = said(s->expert_fraction[narrow ? plan->weights : NNC_STORED_BF16],
                                nnc_min(stream * (fitted ? EXPERT_RATIO : 1.0), 1.0));
    const double kv16 = said(s->kv_fraction[NNC_STORED_BF16], fitted ? KV_FRACTION : 1.0);
    const double kv = said(s->kv_fraction[plan->kv_precision], kv16);
    r->stream_bytes_per_s = r->mem_bytes_per_s * stream;
    r->plain_bytes_per_s =
        r->mem_bytes_per_s * nnc_min(plain * engine->stream_factor[NNC_STORED_BF16], 1.0);
    r->expert_bytes_per_s = r->mem_bytes_per_s * experts;
    r->kv_bytes_per_s = r->mem_bytes_per_s * nnc_min(kv * engine->kv_factor, 1.0);
    r->state_bytes_per_s = r->mem_bytes_per_s * nnc_min(kv16 * engine->kv_factor, 1.0);
    /* Bandwidth limit of a device whose kernels cannot fill the memory queue. */
    const double most =
        said(engine->unit_bytes_per_clock * device->units * device->clock_hz, (double)INFINITY);
    double *const rates[] = { &r->stream_bytes_per_s, &r->plain_bytes_per_s, &r->expert_bytes_per_s,
                              &r->kv_bytes_per_s, &r->state_bytes_per_s };
    for (size_t i = 0; i < sizeof rates / sizeof rates[0] && most > 0.0; i++) {
        *rates[i] = nnc_min(*rates[i], most);
    }
}

static void kernel_times(const nnc_device *device, const nnc_serve_engine *engine,
                         const nnc_serve_ask *plan, nnc_serve_rates *r)
{
    const nnc_serve_efficiency *s = &device->efficiency.serving;
    const bool fitted = device->efficiency.basis != NNC_BASIS_NONE;
    const double kernel = said(s->kernel_s, fitted ? KERNEL_S : 0.0);
    const double attention = said(s->attention_s, fitted ? ATTENTION_S : 0.0);
    r->prefill_kernel_s = nnc_max(kernel, engine->launch_s);
    r->prefill_attention_s = r->prefill_kernel_s;
    r->kernel_s = engine->captured ? kernel : r->prefill_kernel_s;
    r->product_s = said(s->product_s[plan->weights], r->kernel_s);
    r->attention_s = engine->captured ? attention : nnc_max(attention, engine->launch_s);
    r->all_reduce = s->all_reduce;
    if (!fitted) {
        const double latency = said(device->scale_up.latency_s, 0.0);
        const nnc_small_all_reduce plain = { latency, 0.0, latency, 1.0, 1.0, 0.0 };
        r->all_reduce = isnan(s->all_reduce.fixed_s) ? plain : s->all_reduce;
    } else if (isnan(s->all_reduce.fixed_s)) {
        r->all_reduce = all_reduce_default;
    }
}

nnc_status nnc_serve_rates_of(const nnc_device *device, const nnc_software *software,
                              const nnc_serve_ask *plan, nnc_serve_rates *r, nnc_error *err)
{
    const nnc_serve_engine *engine = &software->serving;
    const nnc_dtype plain = plain_format(device, plan->precision);
    const nnc_flash_efficiency *flash = &device->efficiency.attention[software->flash_kernel];
    const bool fitted = device->efficiency.basis != NNC_BASIS_NONE;
    const double attention = said(device->efficiency.serving.attention_fraction,
                                  flash->sustained_fraction < 1.0 ? flash->sustained_fraction
                                  : fitted                        ? ATTENTION_FRACTION
                                                                  : 1.0);
    *r = (nnc_serve_rates){
        .peak_flops_per_s = nnc_device_matmul_peak(device, plan->precision),
        .dense_flops_per_s = dense_rate(device, plan->precision, plan->weights),
        .weight_only = math_bits(plan->weights) < 16.0 && plan->precision == plain,
        .plain_peak_flops_per_s = nnc_device_matmul_peak(device, plain),
        .plain_flops_per_s = dense_rate(device, plain, NNC_STORED_BF16),
        .mem_bytes_per_s = device->mem_bytes_per_s,
        .link_bytes_per_s = device->scale_up.kind != NNC_LINK_NONE ? device->scale_up.bytes_per_s
                                                                   : device->host.bytes_per_s,
        .group_size = (double)plan->group_size,
        .plain_bytes = math_bits(plan->weights) > 16.0 ? 4.0 : 2.0,
        .kv_bytes = math_bits(plan->kv_precision) / 8.0,
        .kv_scaled = plan->kv_precision == NNC_STORED_INT8 || plan->kv_precision == NNC_STORED_INT4,
        .weight_bytes = nnc_stored_bytes(plan->weights, (double)plan->group_size),
    };
    if (!(r->plain_peak_flops_per_s > 0.0)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, device->id,
                        "has no peak in bf16, fp16 or fp32, which serving needs");
    }
    if (plan->kv_precision == NNC_STORED_NVFP4 || plan->kv_precision == NNC_STORED_MXFP4) {
        r->kv_bytes = nnc_stored_bytes(plan->kv_precision, 1.0);
    }
    r->attention_flops_per_s =
        r->plain_peak_flops_per_s * nnc_min(attention * device->efficiency.calibration, 1.0);
    memory_rates(device, engine, plan, r);
    kernel_times(device, engine, plan, r);
    const double across = (double)plan->tensor * (double)plan->attention_data;
    const double node = device->scale_up.devices > 1 ? (double)device->scale_up.devices : 8.0;
    const double outside =
        nnc_min(said(r->link_bytes_per_s, (double)INFINITY), device->scale_out.bytes_per_s * node);
    const double hop = said(device->scale_out.latency_s, 0.0) +
                       said(r->all_reduce.node_s, device->efficiency.collectives.scale_out_fixed_s);
    r->exchange_bytes_per_s = across > node ? device->scale_out.bytes_per_s : r->link_bytes_per_s;
    r->exchange_fixed_s = r->all_reduce.fixed_s + (across > node ? hop : 0.0);
    if ((double)plan->tensor >
        node) { /* ranks on several nodes: all network links of a node together */
        r->link_bytes_per_s = outside;
        r->all_reduce.fixed_s += hop;
    }
    if (across * (double)plan->pipeline > 1.0 &&
        !(nnc_min(r->link_bytes_per_s, r->exchange_bytes_per_s) > 0.0)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tensor",
                        "%s has no rate of a link between devices%s, expected one device, or a "
                        "cluster with --cluster",
                        device->id, across > node ? " of several nodes" : "");
    }
    return NNC_OK;
}
