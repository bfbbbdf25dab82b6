/* Relations that hold for every real device and software profile, as two lists: a value that was typed in another unit
 * (GB for TB, MHz for GHz) breaks one of them. The limits of single fields are wider, so that a file stays readable;
 * these judge what a command is about to compute with. Each bound leaves a factor of 1.5 or more to the devices in hw/ that come closest to it. */
#include "base/base_internal.h"
#include "input/input_internal.h"

/* The peak that training mostly uses: 16 bits, else the fastest other format. */
static double main_peak(const nnc_device *d)
{
    const double *peak = d->matmul_flops_per_s;
    double most = 0.0;
    if (peak[NNC_BF16] > 0.0 || peak[NNC_FP16] > 0.0) {
        return fmax(peak[NNC_BF16], peak[NNC_FP16]);
    }
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        most = fmax(most, peak[i]); /* fmax ignores NaN */
    }
    return most;
}

/* The fastest and the slowest format over the main peak. FP64 is left out: some devices hardly have it. */
static double extreme_peak(const nnc_device *d, bool fastest)
{
    double found = main_peak(d);
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        const double peak = d->matmul_flops_per_s[i];
        if (i != NNC_FP64 && peak > 0.0) {
            found = fastest ? fmax(found, peak) : fmin(found, peak);
        }
    }
    return found / main_peak(d);
}

/* The outermost values of one kind among the fitted efficiencies; NaN is left out. */
typedef struct extremes {
    double fraction, ratio; /* the smallest share of a rate; the smallest or largest factor */
    double fixed_s;         /* the longest fixed time */
} extremes;

static void add_shares(extremes *x, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        x->fraction = fmin(x->fraction, values[i]);
    }
}

static void add_ratio(extremes *x, double ratio)
{
    x->ratio = fmin(x->ratio, fmin(ratio, 1.0 / ratio));
}

static void add_kernel(extremes *x, const nnc_efficiency *e)
{
    add_shares(x, (const double[]){ e->sustained_fraction, e->memory_fraction }, 2);
    x->fixed_s = fmax(x->fixed_s, e->fixed_s);
}

static extremes extremes_of(const nnc_device *d)
{
    const nnc_efficiencies *e = &d->efficiency;
    const nnc_collective_efficiencies *c = &e->collectives;
    const nnc_efficiency *kernels[] = { &e->pointwise, &e->pointwise_tuned, &e->maps,
                                        &e->maps_tuned, &e->optimizer };
    const nnc_collective_efficiency *kinds[] = { &c->all_reduce, &c->all_gather, &c->reduce_scatter,
                                                 &c->all_to_all };
    extremes x = { 1.0, 1.0, 0.0 };
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        const nnc_gemm_efficiency *g = &e->gemm[i];
        add_shares(&x, (const double[]){ g->sustained_fraction, g->memory_fraction }, 2);
        add_ratio(&x, g->boost_ratio);
        x.fixed_s = fmax(x.fixed_s, g->fixed_s);
    }
    for (int i = 0; i < NNC_FLASH_KERNEL_COUNT; i++) {
        const nnc_flash_efficiency *a = &e->attention[i];
        add_shares(&x, (const double[]){ a->sustained_fraction, a->memory_fraction }, 2);
        add_ratio(&x, a->backward_ratio);
        x.fixed_s = fmax(x.fixed_s, a->fixed_s);
    }
    for (size_t i = 0; i < NNC_COUNT_OF(kernels); i++) {
        add_kernel(&x, kernels[i]);
    }
    for (size_t i = 0; i < NNC_COUNT_OF(kinds); i++) {
        add_shares(&x, &kinds[i]->bus_fraction, 1);
        x.fixed_s = fmax(x.fixed_s, fmax(kinds[i]->fixed_s, kinds[i]->log2_s));
    }
    add_shares(&x, &c->scale_out_fraction, 1);
    add_ratio(&x, e->calibration);
    x.fixed_s = fmax(x.fixed_s, fmax(c->step_fixed_s, c->scale_out_fixed_s));
    return x;
}

static double largest_half(const nnc_device *d)
{
    double most = 0.0;
    for (int i = 0; i < NNC_FLASH_KERNEL_COUNT; i++) {
        most = fmax(most, d->efficiency.attention[i].seq_half);
    }
    return most;
}

static double largest_penalty(const nnc_device *d)
{
    double most = 0.0;
    for (int i = 0; i < NNC_FLASH_KERNEL_COUNT; i++) {
        most = fmax(most, d->efficiency.attention[i].block_penalty);
    }
    return most;
}

static double largest_knee(const nnc_device *d)
{
    const nnc_collective_efficiencies *c = &d->efficiency.collectives;
    return fmax(fmax(c->all_reduce.knee_bytes, c->all_gather.knee_bytes),
                fmax(c->reduce_scatter.knee_bytes, c->all_to_all.knee_bytes));
}

/* ---- software profiles ---- */

static double host_s(const nnc_software *s)
{
    const nnc_serve_engine *e = &s->serving;
    const double times[] = { s->launch_s,     s->launch_expert_s, s->launch_product_s,
                             e->host_layer_s, e->sequence_s,      e->all_reduce_s,
                             e->layer_s,      e->launch_s };
    double most = 0.0;
    for (size_t i = 0; i < NNC_COUNT_OF(times); i++) {
        most = fmax(most, times[i]);
    }
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        most = fmax(most, e->expert_s[i]);
    }
    return most;
}

static double factor_of(const nnc_software *s, bool most)
{
    const nnc_serve_engine *e = &s->serving;
    const double factors[] = { e->attention_factor, e->decode_factor, e->prefill_factor,
                               e->kv_factor, e->all_reduce_factor };
    double found = 1.0;
    for (size_t i = 0; i < NNC_COUNT_OF(factors); i++) {
        found = most ? fmax(found, factors[i]) : fmin(found, factors[i]);
    }
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        found = most ? fmax(found, e->stream_factor[i]) : fmin(found, e->stream_factor[i]);
    }
    return found;
}

/* A value and its bounds: hw/ and software/ as of 2026-11 give the range in "seen", and its outermost devices. 0 and NaN
 * are not judged: not recorded, or set to nothing on purpose. */
typedef struct bounds {
    double value, least, most;
    const char *what, *fields, *seen;
} bounds;

static bool is_within(const bounds *of, char *text, size_t size)
{
    const double value = of->value;
    if (isnan(value) || value == 0.0 || isinf(value) || (value >= of->least && value <= of->most)) {
        return true; /* the ratio is infinite: the other field is 0 */
    }
    snprintf(text, size, "%s: %s, expected %g to %g, found %.4g", of->fields, of->what, of->least,
             of->most, value);
    return false;
}

static bool are_within(const bounds *list, size_t count, char *text, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_within(&list[i], text, size)) {
            return false;
        }
    }
    return true;
}

bool nnc_device_is_plausible(const nnc_device *d, char *text, size_t size)
{
    const double peak = main_peak(d);
    const extremes x = extremes_of(d);
    const bounds list[] = {
        { d->clock_hz, 2e8, 1e10, "clock, Hz", "clock_hz", "0.7 GHz TPU v2, 2.6 GHz RTX PRO 6000" },
        { peak / d->mem_bytes_per_s, 0.5, 3000.0, "16-bit FLOPs per byte of memory traffic (ridge)",
          "matmul_flops_per_s or mem_bytes_per_s", "0.75 WSE-3, 560 TPU v6e" },
        { extreme_peak(d, true), 1.0, 100.0, "fastest format over the 16-bit peak",
          "matmul_flops_per_s", "16 VCK5000" },
        { extreme_peak(d, false), 0.005, 1.0, "slowest format over the 16-bit peak",
          "matmul_flops_per_s", "0.03 B200 in FP32" },
        { d->units > 0 ? peak / (d->units * d->clock_hz) : (double)NAN, 4.0, 5e6,
          "16-bit FLOPs per unit and clock", "matmul_flops_per_s, units or clock_hz",
          "64 CPUs, 1e6 TPU v6e" },
        { d->vector_flops_per_s[NNC_FP32] / peak, 0.001, 4.0,
          "FP32 vector peak over the 16-bit peak", "vector_flops_per_s or matmul_flops_per_s",
          "0.005 TPU v6e, 1 VCK5000" },
        { (double)d->mem_bytes / d->mem_bytes_per_s, 1e-6, 10.0, "seconds to read all memory",
          "mem_bytes or mem_bytes_per_s", "2e-6 WSE-3, 1.8 EPYC 9654" },
        { peak / (double)d->mem_bytes, 1.0, 6e6, "16-bit FLOP/s per byte of memory",
          "mem_bytes or matmul_flops_per_s", "6 EPYC 9654, 2.8e6 WSE-3" },
        { d->l2_bytes / (double)d->mem_bytes, 1e-5, 0.1, "cache over memory",
          "l2_bytes or mem_bytes", "1.2e-4 A40, 0.004 TPU v4" },
        { d->scale_up.bytes_per_s / d->mem_bytes_per_s, 0.002, 0.6,
          "scale-up link over memory bandwidth", "scale_up.bytes_per_s or mem_bytes_per_s",
          "0.014 TPU v7, 0.19 A100" },
        { d->scale_out.bytes_per_s / d->mem_bytes_per_s, 2e-6, 0.2,
          "scale-out link over memory bandwidth", "scale_out.bytes_per_s or mem_bytes_per_s",
          "7e-6 WSE-3, 0.06 L40S" },
        { d->scale_out.bytes_per_s / d->scale_up.bytes_per_s, 0.002, 5.0,
          "scale-out over scale-up link", "scale_out.bytes_per_s or scale_up.bytes_per_s",
          "0.04 V100, 1.6 L40S" },
        { d->host.bytes_per_s / d->mem_bytes_per_s, 0.0005, 0.5, "host link over memory bandwidth",
          "host.bytes_per_s or mem_bytes_per_s", "0.005 TPU v5p, 0.15 VCK5000" },
        { peak / d->power_w, 5e9, 2e13, "16-bit FLOPs per joule of the rated power",
          "power_w or matmul_flops_per_s", "2e10 EPYC 9654, 2.3e12 MI350X" },
        { d->node_power.idle_w / d->node_power.busy_w, 0.02, 1.0, "idle over busy power of a node",
          "node_power", "0.28 B200, 0.31 H100" },
        { d->node_power.busy_w / d->power_w, 0.5, 5.0, "busy power of a node over power_w",
          "node_power or power_w", "1.2 B200, 1.28 H100" },
        { d->mtbf.any_s, 1e6, 1e10, "seconds between failures of a device", "mtbf.any_s",
          "3.6e7 A100, 1.8e8 H100" },
        { d->embodied_kg, 10.0, 1e4, "embodied carbon of a device, kg", "embodied_kg",
          "281 H100, 318 A100" },
        { d->scale_up.latency_s, 1e-8, 1e-3, "latency of the scale-up link, s",
          "scale_up.latency_s", "1e-6 TPU v3, 2.5e-6 PCIe" },
        { d->scale_out.latency_s, 1e-8, 2e-3, "latency of the scale-out link, s",
          "scale_out.latency_s", "4e-6 InfiniBand; 1e-3 between sites" },
        { x.fraction, 0.02, 1.0, "smallest share of a rate that kernels or links reach",
          "efficiency (a fraction)", "0.18 B200" },
        { x.ratio, 0.05, 1.0, "outermost factor on a rate, or 1 over it",
          "efficiency (a ratio or calibration)", "0.4 flash attention backward" },
        { x.fixed_s, 1e-9, 2e-3, "longest fixed time of a kernel or a collective, s",
          "efficiency (a fixed time)", "1e-4 collectives of the H800" },
        { largest_half(d), 1e-6, 3e4, "sequence length at half of the rate of attention",
          "efficiency.attention.seq_half", "1,000 and less" },
        { largest_penalty(d), 1e-9, 5.0, "loss of rate of attention",
          "efficiency.attention.block_penalty", "1.26 B200" },
        { d->efficiency.gemm[NNC_BF16].l2_bytes_per_flop, 1e-4, 1.0,
          "cache bytes per 16-bit FLOP of a product", "efficiency.gemm.bf16.l2_bytes_per_flop",
          "0.0096 and more" },
        { largest_knee(d), 1e-3, 1e9, "message size at half of the rate of a collective, B",
          "efficiency.collectives.knee_bytes", "1e7 and less" },
        { d->scale_up.bytes_per_s, 1e9, 1e13, "scale-up link, B/s", "scale_up.bytes_per_s",
          "1.6e10 T4, 9e11 GB300" },
        { d->scale_out.bytes_per_s, 1e8, 2e12, "scale-out link, B/s", "scale_out.bytes_per_s",
          "3e9 TPU v5e, 1.5e11 WSE-3" },
        { d->scale_out.oversubscription, 1.0, 50.0,
          "bandwidth of the nodes over that of the network core", "scale_out.oversubscription",
          "1 in hw/ and clusters/; 3 to 8 in fat trees that save" },
        { d->host.bytes_per_s, 1e9, 5e12, "host link, B/s", "host.bytes_per_s",
          "1.5e10 TPU v4, 4.5e11 GH200" },
    };
    return are_within(list, NNC_COUNT_OF(list), text, size);
}

bool nnc_software_is_plausible(const nnc_software *s, char *text, size_t size)
{
    const bounds list[] = {
        { host_s(s), 1e-9, 2e-3, "longest host time of an op or a layer, s",
          "launch_s, launch_expert_s, launch_product_s or serving (a time)",
          "1.5e-4 megatron, 4e-4 trtllm" },
        { s->serving.step_s, 1e-7, 0.05, "host time of a serving step, s", "serving.step_s",
          "0.0023 and less" },
        { s->serving.ttft_s, 1e-5, 2.0, "constant part of the first token, s", "serving.ttft_s",
          "0.2 and less" },
        { (double)s->bucket_bytes, 1e5, 1e11, "bytes of a bucket", "bucket_bytes",
          "2.6e7 and 1.6e8" },
        { (double)s->reserve.bytes, 1e6, 2e10, "bytes that the framework keeps", "reserve.bytes",
          "2e9 and less" },
        { (double)s->serving.workspace_bytes, 1e6, 1e11, "bytes of the engine's workspace",
          "serving.workspace_bytes", "9.3e9" },
        { s->reserve.high / s->reserve.low, 1.0, 4.0, "high over low end of a reserve",
          "reserve.low or reserve.high", "1.6 and less" },
        { factor_of(s, true), 0.2, 100.0, "largest factor on a serving time", "serving (a factor)",
          "33 attention" },
        { factor_of(s, false), 0.2, 100.0, "smallest factor on a serving time",
          "serving (a factor)", "0.84 prefill" },
        { s->serving.unit_bytes_per_clock, 0.1, 1e3, "bytes per unit and clock",
          "serving.unit_bytes_per_clock", "6.2 to 12.2" },
    };
    return are_within(list, NNC_COUNT_OF(list), text, size);
}
