/* Lists relations that hold for every real device and software profile. A value in a wrong unit (GB for TB, MHz for
 * GHz) contradicts one of the relations. The relations decide whether a command may use the values of a file. The
 * limits of single fields, which are wider, decide whether the file can be read. The values of all devices in hw/ keep
 * a distance of at least a factor of 1.5 from the bounds of the relations. */
#include "base/base_internal.h"
#include "input/input_internal.h"

/* Returns the peak rate (FLOP/s) in the number format that training uses most: the faster of bf16 and fp16. If the
 * device computes neither in bf16 nor in fp16, returns the rate of its fastest format. */
static double main_peak(const nnc_device *d) {
    const double *peak = d->matmul_flops_per_s;
    double most = 0.0;
    if (peak[NNC_BF16] > 0.0 || peak[NNC_FP16] > 0.0) { return fmax(peak[NNC_BF16], peak[NNC_FP16]); }
    /* fmax ignores NaN, which means that the file states no peak for the format */
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) { most = fmax(most, peak[i]); }
    return most;
}

/* Returns the peak rate of the fastest number format (fastest = true) or of the slowest (fastest = false), divided by
 * main_peak. FP64 is not considered, because it is very slow on some devices. */
static double extreme_peak(const nnc_device *d, bool fastest) {
    double found = main_peak(d);
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        const double peak = d->matmul_flops_per_s[i];
        if (i != NNC_FP64 && peak > 0.0) { found = fastest ? fmax(found, peak) : fmin(found, peak); }
    }
    return found / main_peak(d);
}

/* ---- plausible ranges of fitted values: the end of a name selects the range ---- */

typedef struct rule {
    const char *ending;
    size_t length;
    double least, most;
    const char *what, *seen;
} rule;

#define ENDING(text) (text), sizeof(text) - 1
static const rule fitted[] = {
    { ENDING("channel_fraction"), 0.001, 1.0, "share of a rate", "0.013 weight gradient of oneDNN" },
    { ENDING("fraction"), 0.02, 1.0, "share of a rate", "0.06 vector units, 0.18 attention of the B200" },
    { ENDING("ratio"), 0.05, 20.0, "factor on a rate", "0.6 flash attention backward, 7.2 unaligned" },
    { ENDING("calibration"), 0.05, 20.0, "factor on a rate", "1" },
    { ENDING("_per_s"), 1e6, 1e18, "rate", "1e12 and more" },
    { ENDING("_s"), 1e-10, 2e-3, "fixed time, s", "9.3e-10 row of a norm, 1e-4 collectives of the H800" },
    { ENDING("_half"), 1e-6, 3e4, "size at half of the rate", "12 to 2,204" },
    { ENDING("knee_bytes"), 1e-3, 1e9, "message size at half of the rate, B", "2e7 and less" },
    { ENDING("block_penalty"), 1e-9, 5.0, "loss of rate", "1.26 B200" },
    { ENDING("l2_bytes_per_flop"), 1e-4, 1.0, "cache bytes per FLOP of a product", "0.0024 and more" },
    { ENDING("power_share"), 0.05, 50.0, "power of a product / power of the board", "1.24 to 3.25" },
};

/* A part of a dotted name. name: the name of a field or object. above: the object that contains it; NULL = no
 * object. */
typedef struct frame {
    const struct frame *above;
    const char *name;
} frame;

static void path_text(const frame *at, char *text, size_t size) {
    text[0] = '\0';
    if (at->above != NULL) { path_text(at->above, text, size); }
    nnc_text_append(text, size, ".", "%s", at->name);
}

static const rule *rule_of(const char *name) {
    const size_t length = strlen(name);
    for (const rule *r = fitted; r < fitted + NNC_COUNT_OF(fitted); r++) {
        if (name[length - 1] == r->ending[r->length - 1] && length >= r->length &&
            memcmp(name + length - r->length, r->ending, r->length) == 0) {
            return r;
        }
    }
    return NULL;
}

static bool is_possible(double value, const rule *by, const frame *at, char *text, size_t size) {
    const rule *own = isnan(value) || value == 0.0 ? NULL : rule_of(at->name);
    const rule *of = own != NULL ? own : by;
    if (of == NULL || isnan(value) || value == 0.0 || (value >= of->least && value <= of->most)) {
        /* accepts NaN (the file does not state the value) and 0 (the user may have set 0 on purpose) */
        return true;
    }
    path_text(at, text, size);
    nnc_text_append(text, size, "", ": %s, expected %g to %g, found %.4g", of->what, of->least, of->most, value);
    return false;
}

/* Tests whether all fitted values of a struct are in plausible ranges. If one value is implausible, writes the first
 * implausible value and its range to `text`. by: the range for members whose own name has no range in the table
 * `fitted`. */
static bool are_possible(const nnc_field *fields, size_t count, const char *object, const rule *by, const frame *above,
                         char *text, size_t size) {
    bool all = true;
    for (const nnc_field *f = fields; all && f < fields + count; f++) {
        const frame at = { above, f->name };
        const char *place = object + f->offset;
        const bool formats = f->type == NNC_FIELD_OBJECT_BY_DTYPE;
        const size_t copies = formats ? NNC_DTYPE_COUNT : f->type == NNC_FIELD_OBJECT ? 1 : 0;
        const rule *of = copies > 0 ? rule_of(f->name) : NULL;
        for (size_t i = 0; all && i < copies; i++) {
            const frame format = { &at, nnc_dtype_name((nnc_dtype)i) };
            all = are_possible(f->fields, f->field_count, place + i * (f->size / copies), of, formats ? &format : &at,
                               text, size);
        }
        all =
            all && (f->type != NNC_FIELD_F64 || is_possible(*(const double *)(const void *)place, by, &at, text, size));
    }
    return all;
}

/* ---- software profiles ---- */

static double host_s(const nnc_software *s) {
    const nnc_serve_engine *e = &s->serving;
    const double times[] = { s->launch_s,     s->launch_expert_s, s->launch_product_s, e->host_layer_s, e->sequence_s,
                             e->all_reduce_s, e->layer_s,         e->launch_s,         e->text_s };
    double most = 0.0;
    for (size_t i = 0; i < NNC_COUNT_OF(times); i++) { most = fmax(most, times[i]); }
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) { most = fmax(most, e->expert_s[i]); }
    return most;
}

static double factor_of(const nnc_software *s, bool most) {
    const nnc_serve_engine *e = &s->serving;
    const double factors[] = { e->attention_factor, e->decode_factor, e->prefill_factor, e->kv_factor,
                               e->all_reduce_factor };
    double found = 1.0;
    for (size_t i = 0; i < NNC_COUNT_OF(factors); i++) {
        found = most ? fmax(found, factors[i]) : fmin(found, factors[i]);
    }
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        found = most ? fmax(found, e->stream_factor[i]) : fmin(found, e->stream_factor[i]);
    }
    return found;
}

/* A value and its bounds. seen: smallest and largest value in hw/ and software/ as of 2026-11, with the files that have
 * these values. A value of 0 or NaN is always accepted: the user may have set 0 on purpose, and NaN means that the file
 * does not state the value. */
typedef struct bounds {
    double value, least, most;
    const char *what, *fields, *seen;
} bounds;

static bool is_within(const bounds *of, char *text, size_t size) {
    const double value = of->value;
    if (isnan(value) || value == 0.0 || isinf(value) || (value >= of->least && value <= of->most)) {
        return true; /* accepts an infinite value: the value is a ratio whose divisor is a field with the value 0 */
    }
    snprintf(text, size, "%s: %s, expected %g to %g, found %.4g", of->fields, of->what, of->least, of->most, value);
    return false;
}

static bool are_within(const bounds *list, size_t count, char *text, size_t size) {
    for (size_t i = 0; i < count; i++) {
        if (!is_within(&list[i], text, size)) { return false; }
    }
    return true;
}

bool nnc_device_is_plausible(const nnc_device *d, char *text, size_t size) {
    const double peak = main_peak(d);
    const bounds list[] = {
        { d->clock_hz, 2e8, 1e10, "clock, Hz", "clock_hz", "0.7 GHz TPU v2, 2.6 GHz RTX PRO 6000" },
        { peak / d->mem_bytes_per_s, 0.5, 3000.0, "16-bit FLOPs per byte of memory traffic (ridge)",
          "matmul_flops_per_s or mem_bytes_per_s", "0.75 WSE-3, 560 TPU v6e" },
        { extreme_peak(d, true), 1.0, 100.0, "peak of the fastest format / 16-bit peak", "matmul_flops_per_s",
          "16 VCK5000" },
        { extreme_peak(d, false), 0.005, 1.0, "peak of the slowest format / 16-bit peak", "matmul_flops_per_s",
          "0.03 B200 in FP32" },
        { d->units > 0 ? peak / (d->units * d->clock_hz) : (double)NAN, 4.0, 5e6, "16-bit FLOPs per unit and clock",
          "matmul_flops_per_s, units or clock_hz", "64 CPUs, 1e6 TPU v6e" },
        { d->vector_flops_per_s[NNC_FP32] / peak, 0.001, 4.0, "FP32 vector peak / 16-bit peak",
          "vector_flops_per_s or matmul_flops_per_s", "0.005 TPU v6e, 1 VCK5000" },
        { (double)d->mem_bytes / d->mem_bytes_per_s, 1e-6, 10.0, "seconds to read all memory",
          "mem_bytes or mem_bytes_per_s", "2e-6 WSE-3, 1.8 EPYC 9654" },
        { peak / (double)d->mem_bytes, 1.0, 6e6, "16-bit FLOP/s per byte of memory", "mem_bytes or matmul_flops_per_s",
          "6 EPYC 9654, 2.8e6 WSE-3" },
        { d->l2_bytes / (double)d->mem_bytes, 1e-5, 0.1, "cache / memory", "l2_bytes or mem_bytes",
          "1.2e-4 A40, 0.004 TPU v4" },
        { d->scale_up.bytes_per_s / d->mem_bytes_per_s, 0.002, 0.6, "scale-up link / memory bandwidth",
          "scale_up.bytes_per_s or mem_bytes_per_s", "0.014 TPU v7, 0.19 A100" },
        { d->scale_out.bytes_per_s / d->mem_bytes_per_s, 2e-6, 0.2, "scale-out link / memory bandwidth",
          "scale_out.bytes_per_s or mem_bytes_per_s", "7e-6 WSE-3, 0.06 L40S" },
        { d->scale_out.bytes_per_s / d->scale_up.bytes_per_s, 0.002, 5.0, "scale-out link / scale-up link",
          "scale_out.bytes_per_s or scale_up.bytes_per_s", "0.04 V100, 1.6 L40S" },
        { d->host.bytes_per_s / d->mem_bytes_per_s, 0.0005, 0.5, "host link / memory bandwidth",
          "host.bytes_per_s or mem_bytes_per_s", "0.005 TPU v5p, 0.15 VCK5000" },
        { peak / d->power_w, 5e9, 2e13, "16-bit FLOPs per joule of the rated power", "power_w or matmul_flops_per_s",
          "2e10 EPYC 9654, 2.3e12 MI350X" },
        { d->node_power.idle_w / d->node_power.busy_w, 0.02, 1.0, "idle power / busy power of a node", "node_power",
          "0.28 B200, 0.31 H100" },
        { d->node_power.busy_w / d->power_w, 0.5, 5.0, "busy power of a node / power_w", "node_power or power_w",
          "1.2 B200, 1.28 H100" },
        { d->mtbf.any_s, 1e6, 1e10, "seconds between failures of a device", "mtbf.any_s", "3.6e7 A100, 1.8e8 H100" },
        { d->embodied_kg, 10.0, 1e4, "embodied carbon of a device, kg", "embodied_kg", "281 H100, 318 A100" },
        { d->scale_up.latency_s, 1e-8, 1e-3, "latency of the scale-up link, s", "scale_up.latency_s",
          "1e-6 TPU v3, 2.5e-6 PCIe" },
        { d->scale_out.latency_s, 1e-8, 2e-3, "latency of the scale-out link, s", "scale_out.latency_s",
          "4e-6 InfiniBand; 1e-3 between sites" },
        { d->scale_up.kind == NNC_LINK_TORUS ? (double)NAN : d->scale_up.devices, 1.0, 2048.0,
          "devices on one switch, mesh or bus", "scale_up.devices", "72 GB300" },
        { d->scale_up.devices, 1.0, 1e5, "devices of one scale-up domain", "scale_up.devices", "9,216 TPU v7" },
        { d->scale_up.bytes_per_s, 1e9, 1e13, "scale-up link, B/s", "scale_up.bytes_per_s", "1.6e10 T4, 9e11 GB300" },
        { d->scale_out.bytes_per_s, 1e8, 2e12, "scale-out link, B/s", "scale_out.bytes_per_s",
          "3e9 TPU v5e, 1.5e11 WSE-3" },
        { d->scale_out.oversubscription, 1.0, 50.0, "bandwidth of the nodes / bandwidth of the network core",
          "scale_out.oversubscription", "1 in hw/ and clusters/; 3 to 8 in fat trees that save" },
        { d->host.bytes_per_s, 1e9, 5e12, "host link, B/s", "host.bytes_per_s", "1.5e10 TPU v4, 4.5e11 GH200" },
    };
    const nnc_field *efficiency = nnc_field_of_key(&nnc_device_table, "efficiency");
    return are_within(list, NNC_COUNT_OF(list), text, size) &&
           are_possible(efficiency->fields, efficiency->field_count, (const char *)d + efficiency->offset, NULL,
                        &(frame){ NULL, efficiency->name }, text, size);
}

bool nnc_software_is_plausible(const nnc_software *s, char *text, size_t size) {
    const bounds list[] = {
        { host_s(s), 1e-9, 2e-3, "longest host time of an op or a layer, s",
          "launch_s, launch_expert_s, launch_product_s or a time in serving", "1.5e-4 megatron, 4e-4 trtllm" },
        { s->serving.step_s, 1e-7, 0.05, "host time of a serving step, s", "serving.step_s", "0.0023 and less" },
        { s->serving.ttft_s, 1e-5, 2.0, "constant part of the first token, s", "serving.ttft_s", "0.2 and less" },
        { (double)s->bucket_bytes, 1e5, 1e11, "bytes of a bucket", "bucket_bytes", "2.6e7 and 1.6e8" },
        { (double)s->reserve.bytes, 1e6, 2e10, "bytes that the framework keeps", "reserve.bytes", "2e9 and less" },
        { (double)s->serving.workspace_bytes, 1e6, 1e11, "bytes of the engine's workspace", "serving.workspace_bytes",
          "9.3e9" },
        { s->reserve.high / s->reserve.low, 1.0, 4.0, "high end / low end of a reserve", "reserve.low or reserve.high",
          "1.6 and less" },
        { factor_of(s, true), 0.2, 100.0, "largest of the factors that multiply times of serving", "serving (a factor)",
          "33 attention" },
        { factor_of(s, false), 0.2, 100.0, "smallest of the factors that multiply times of serving",
          "serving (a factor)", "0.84 prefill" },
        { s->serving.unit_bytes_per_clock, 0.1, 1e3, "bytes per unit and clock", "serving.unit_bytes_per_clock",
          "6.2 to 12.2" },
    };
    return are_within(list, NNC_COUNT_OF(list), text, size);
}
