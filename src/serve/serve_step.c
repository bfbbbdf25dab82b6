/* Computes the rates that a device reaches in serving (inference) with an engine: fitted values of the device file or,
 * if the file has none, medians of the measured devices (docs/serving.md). serve_step.c also computes the time of one
 * step. */
#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "serve/serve_internal.h"

/* The constants that follow are medians over the measured devices. nncost uses these medians for a device whose file
 * has no serving measurements (docs/serving.md). */
/* share of the datasheet memory bandwidth that kernels reach when they read 16-bit weights */
#define STREAM_FRACTION 0.80
/* bandwidth reached when reading 8-bit weights / bandwidth reached when reading 16-bit weights */
#define EIGHT_BIT_RATIO 0.97
/* bandwidth reached when reading 4-bit weights / bandwidth reached when reading 16-bit weights */
#define FOUR_BIT_RATIO 0.78
#define KV_FRACTION 0.87
/* bandwidth at which grouped products of experts read weights / bandwidth of one product, in 16 and 8 bits */
#define EXPERT_RATIO 1.05
/* FLOP/s of long products in 8 and 4 bits in serving / FLOP/s of these products in training */
#define NARROW_PRODUCT_RATIO 0.78
#define KERNEL_S 2.5e-6
#define ATTENTION_S 9e-6 /* fixed seconds of one attention op in a decode step */
#define ATTENTION_FRACTION 0.43
static const nnc_small_all_reduce all_reduce_default = { 4.5e-6, 0.0, 3e-6, 0.5, 0.6, (double)NAN };

static double said(double value, double otherwise) { return isnan(value) ? otherwise : value; }

/* Returns the number of bits of one stored element. Scales and zero points of the storage format are not included;
 * nnc_stored_bytes includes them. */
static double math_bits(nnc_stored stored) {
    static const double bits[NNC_STORED_COUNT] = {
#define BITS(name, text, bits, scale, zero, group, math) [name] = (bits),
        NNC_STORED_LIST(BITS)
#undef BITS
    };
    return bits[stored];
}

/* Returns the number format in which attention and head compute: the format of the products if it is fp32, tf32 or
 * fp64, otherwise the first of bf16, fp16, tf32 and fp32 in which the device has a peak. */
static nnc_dtype plain_format(const nnc_device *device, nnc_dtype precision) {
    if (precision == NNC_FP32 || precision == NNC_TF32 || precision == NNC_FP64) { return precision; }
    static const nnc_dtype order[] = { NNC_BF16, NNC_FP16, NNC_TF32, NNC_FP32 };
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (nnc_device_matmul_peak(device, order[i]) > 0.0) { return order[i]; }
    }
    return NNC_BF16;
}

/* Returns the storage format whose measured fraction of the peak is used for products that compute in `dtype`. */
static nnc_stored reached_as(nnc_dtype dtype, nnc_stored weights) {
    switch (dtype) {
    case NNC_FP8: return weights == NNC_STORED_FP8_BLOCK ? weights : NNC_STORED_FP8;
    case NNC_FP4: return NNC_STORED_NVFP4;
    case NNC_INT8: return NNC_STORED_INT8;
    default: return NNC_STORED_BF16;
    }
}

/* Returns the FLOP/s that matrix products reach in serving: peak x product_fraction of the device file. If the file has
 * no product_fraction, the rate of short kernels in training is used: peak x sustained_fraction x boost_ratio. */
static double dense_rate(const nnc_device *device, nnc_dtype dtype, nnc_stored weights) {
    const nnc_efficiencies *e = &device->efficiency;
    const bool fitted = e->basis != NNC_BASIS_NONE;
    const bool narrow = fitted && (dtype == NNC_FP8 || dtype == NNC_FP4 || dtype == NNC_INT8);
    const double trained = nnc_min(e->gemm[dtype].sustained_fraction * e->gemm[dtype].boost_ratio, 1.0) *
                           (narrow ? NARROW_PRODUCT_RATIO : 1.0);
    return nnc_device_matmul_peak(device, dtype) *
           nnc_min(said(e->serving.product_fraction[reached_as(dtype, weights)], trained) * e->calibration, 1.0);
}

/* Returns the share of the cache that decode attention reads again for each further query head of a group. The share in
 * the device file was measured with kernels that read the cache again, so it is used only for engines with such
 * kernels. */
static double reread_share(const nnc_serve_efficiency *s, const nnc_serve_engine *engine) {
    return engine->kv_reread > 0.0 ? nnc_max(engine->kv_reread, s->kv_reread) : 0.0;
}

/* Returns the share of the memory bandwidth that decode attention reaches with a cache in the format `format`; NaN =
 * this share was not measured. In a device file with kv_reread above 0, the shares kv_fraction were measured with
 * kernels that read keys and values more than once, so they are not used for an engine whose kv_reread is 0. */
static double kv_share(const nnc_serve_efficiency *s, const nnc_serve_engine *engine, nnc_stored format) {
    return s->kv_reread > 0.0 && engine->kv_reread == 0.0 ? (double)NAN : s->kv_fraction[format];
}

/* Returns the share of the threads of a wave that the kernels of this engine use. Kernels that are written for warps of
 * 32 threads leave half of a wave of 64 threads idle, and request half as many bytes at the same time.
 * (https://github.com/ggml-org/llama.cpp/pull/11519) */
static double used_threads(const nnc_device *device, const nnc_serve_engine *engine) {
    const double wave = device->wave > 0.0 ? device->wave : 32.0;
    return nnc_min(said(engine->wave_threads, wave) / wave, 1.0);
}

static void memory_rates(const nnc_device *device, const nnc_serve_engine *engine, const nnc_serve_ask *plan,
                         nnc_serve_rates *r) {
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
    const double kv16 = said(kv_share(s, engine, NNC_STORED_BF16), fitted ? KV_FRACTION : 1.0);
    const double kv = said(kv_share(s, engine, plan->kv_precision), kv16);
    r->stream_bytes_per_s = r->mem_bytes_per_s * stream;
    r->plain_bytes_per_s = r->mem_bytes_per_s * nnc_min(plain * engine->stream_factor[NNC_STORED_BF16], 1.0);
    r->expert_bytes_per_s = r->mem_bytes_per_s * experts;
    r->kv_bytes_per_s = r->mem_bytes_per_s * nnc_min(kv * engine->kv_factor, 1.0);
    r->few_kv_bytes_per_s =
        !(s->kv_reread > 0.0) ? r->kv_bytes_per_s : r->mem_bytes_per_s * nnc_min(KV_FRACTION * engine->kv_factor, 1.0);
    r->state_bytes_per_s = r->mem_bytes_per_s * nnc_min(kv16 * engine->kv_factor, 1.0);
    /* The kernels of this engine request a limited number of bytes at the same time; `most` is the memory bandwidth, in
     * bytes per second, that they can reach with this number. */
    const double most =
        said(engine->unit_bytes_per_clock * used_threads(device, engine) * device->units * device->clock_hz,
             (double)INFINITY);
    double *const rates[] = { &r->stream_bytes_per_s, &r->plain_bytes_per_s,  &r->expert_bytes_per_s,
                              &r->kv_bytes_per_s,     &r->few_kv_bytes_per_s, &r->state_bytes_per_s };
    for (size_t i = 0; i < sizeof rates / sizeof rates[0] && most > 0.0; i++) { *rates[i] = nnc_min(*rates[i], most); }
}

static void kernel_times(const nnc_device *device, const nnc_serve_engine *engine, const nnc_serve_ask *plan,
                         nnc_serve_rates *r) {
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

static double scale_up_rate(const nnc_device *device) {
    return device->scale_up.kind != NNC_LINK_NONE ? device->scale_up.bytes_per_s : device->host.bytes_per_s;
}

/* Sets how tokens are sent to experts if the ranks that share experts are in several nodes. Between nodes, tokens are
 * sent at the rate that collectives reach in training. Tokens have 8 bits only if weights have scales per block:
 * otherwise vLLM quantises them after dispatch (deepep_ht_prepare_finalize.py). [experts] */
static void dispatch_of(const nnc_device *device, const nnc_software *software, const nnc_serve_ask *plan, double ranks,
                        double node, nnc_serve_rates *r) {
    const bool narrow =
        software->expert_dispatch_8bit && plan->precision == NNC_FP8 && plan->weights == NNC_STORED_FP8_BLOCK;
    const double nodes = plan->expert > 1 ? nnc_ceil(ranks / node) : 1.0;
    if (nodes > 1.0 && software->expert_once_per_node) { /* kernels of DeepEP write to other devices themselves, so the
                                                          * time in which NCCL begins a collective is not added */
        r->exchange_fixed_s = r->all_reduce.fixed_s + said(device->scale_out.latency_s, 0.0);
    }
    r->dispatch = (nnc_serve_dispatch){
        .nodes = nodes,
        .node_ranks = ranks / nodes,
        .across_bytes_per_s = device->scale_out.bytes_per_s * device->efficiency.collectives.scale_out_fraction,
        .inside_bytes_per_s = scale_up_rate(device) * r->all_reduce.two_shot_fraction,
        .token_bytes = narrow ? NNC_DISPATCH_8BIT_BYTES : 2.0,
        .result_bytes = 2.0,
        .once_per_node = software->expert_once_per_node,
        .compute_share =
            device->units > 0 ? 1.0 - nnc_min((double)software->network_units / (double)device->units, 1.0) : 1.0,
    };
}

/* Returns the rate at which a tensor rank sends to the other tensor ranks of its domain, as in training: in a torus
 * over the links of all axes that the ranks span, in a mesh over the links to these ranks alone. [routes] */
static double tensor_link_rate(const nnc_device *device, int32_t tensor) {
    const nnc_link_kind kind = device->scale_up.kind;
    nnc_route route;
    if (kind != NNC_LINK_TORUS && kind != NNC_LINK_RING && kind != NNC_LINK_MESH) { return scale_up_rate(device); }
    return nnc_route_find(device, tensor, 0, tensor, 1, &route, NULL) == NNC_OK && route.inner > 1
               ? route.inner_bytes_per_s
               : scale_up_rate(device);
}

nnc_status nnc_serve_rates_of(const nnc_device *device, const nnc_software *software, const nnc_serve_ask *plan,
                              nnc_serve_rates *r, nnc_error *err) {
    const nnc_serve_engine *engine = &software->serving;
    const nnc_dtype plain = plain_format(device, plan->precision);
    const nnc_flash_efficiency *flash = &device->efficiency.attention[software->flash_kernel];
    const bool fitted = device->efficiency.basis != NNC_BASIS_NONE;
    const double attention =
        said(device->efficiency.serving.attention_fraction, flash->sustained_fraction < 1.0 ? flash->sustained_fraction
                                                            : fitted                        ? ATTENTION_FRACTION
                                                                                            : 1.0);
    *r = (nnc_serve_rates){
        .peak_flops_per_s = nnc_device_matmul_peak(device, plan->precision),
        .dense_flops_per_s = dense_rate(device, plan->precision, plan->weights),
        .weight_only = math_bits(plan->weights) < 16.0 && plan->precision == plain,
        .plain_peak_flops_per_s = nnc_device_matmul_peak(device, plain),
        .plain_flops_per_s = dense_rate(device, plain, NNC_STORED_BF16),
        .mem_bytes_per_s = device->mem_bytes_per_s,
        .link_bytes_per_s = tensor_link_rate(device, plan->tensor),
        .group_size = (double)plan->group_size,
        .plain_bytes = plan->weights == NNC_STORED_FP32 ? 4.0 : 2.0,
        .kv_bytes = math_bits(plan->kv_precision) / 8.0,
        .kv_scaled = plan->kv_precision == NNC_STORED_INT8 || plan->kv_precision == NNC_STORED_INT4,
        .weight_bytes = nnc_stored_bytes(plan->weights, (double)plan->group_size),
    };
    if (!(r->plain_peak_flops_per_s > 0.0)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, device->id,
                        "has no peak rate in bf16, fp16 or fp32, but serving needs one of these formats");
    }
    if (plan->kv_precision == NNC_STORED_NVFP4 || plan->kv_precision == NNC_STORED_MXFP4) {
        r->kv_bytes = nnc_stored_bytes(plan->kv_precision, 1.0);
    }
    r->attention_flops_per_s = r->plain_peak_flops_per_s * nnc_min(attention * device->efficiency.calibration, 1.0);
    r->kv_reread = reread_share(&device->efficiency.serving, engine);
    r->unmeasured = fitted && isnan(device->efficiency.serving.stream_fraction[NNC_STORED_BF16]);
    r->reread_above = engine->reread_above;
    r->few_reread = engine->kv_reread;
    memory_rates(device, engine, plan, r);
    kernel_times(device, engine, plan, r);
    const double across = (double)plan->tensor * (double)plan->attention_data;
    const double node = device->scale_up.devices > 1 ? (double)device->scale_up.devices : 8.0;
    const double outside = nnc_min(said(r->link_bytes_per_s, (double)INFINITY), device->scale_out.bytes_per_s * node);
    const double hop = said(device->scale_out.latency_s, 0.0) +
                       said(r->all_reduce.node_s, device->efficiency.collectives.scale_out_fixed_s);
    r->exchange_bytes_per_s = across > node ? device->scale_out.bytes_per_s : scale_up_rate(device);
    r->exchange_fixed_s = r->all_reduce.fixed_s + (across > node ? hop : 0.0);
    dispatch_of(device, software, plan, across, node, r);
    r->stage_fixed_s = r->all_reduce.fixed_s + hop;
    if ((double)plan->tensor > node) { /* if the tensor ranks span several nodes, all network links of a node are used
                                        * together */
        r->link_bytes_per_s = outside;
        r->all_reduce.fixed_s += hop;
    }
    r->stage_crossings = plan->pipeline > 1
                             ? nnc_min(nnc_ceil(across * (double)plan->pipeline / node), (double)plan->pipeline) - 1.0
                             : 0.0;
    r->stage_bytes_per_s = device->scale_out.bytes_per_s * device->efficiency.collectives.scale_out_fraction;
    if (r->stage_crossings > 0.0 && !(r->stage_bytes_per_s > 0.0)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "%s has no rate of a link between devices of several nodes, expected at most %.0f devices in a "
                        "replica, or a cluster with --cluster",
                        device->id, node);
    }
    if (across * (double)plan->pipeline > 1.0 && !(nnc_min(r->link_bytes_per_s, r->exchange_bytes_per_s) > 0.0)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tensor",
                        "%s has no rate of a link between devices%s, expected one device, or a cluster with --cluster",
                        device->id, across > node ? " of several nodes" : "");
    }
    return NNC_OK;
}

/* ---- One step of a replica: the time of each op on one device by the roofline, and the sum of these times.
 * (docs/serving.md, "Two steps")
 *
 * Order of this part: the ops of a step; the communication between devices; the whole step; the share of products,
 * weights and cache that one device has; the memory of the device that needs the most. ---- */

/* Rate of grouped products of experts / rate of one dense product, in FLOP/s. The kernel converts weights of less than
 * 8 bits to the format of a 16-bit product; EXPERT_COMPUTE_WIDENED is for such weights. EXPERT_COMPUTE is for all other
 * weights. Source: docs/accuracy-serving.md, "What is fitted, on what". */
#define EXPERT_COMPUTE 0.7
#define EXPERT_COMPUTE_WIDENED 0.26

static double expert_compute(const nnc_serve_ask *plan) {
    const bool whole = plan->precision == NNC_BF16 || plan->precision == NNC_FP16;
    return whole && math_bits(plan->weights) < 8.0 ? EXPERT_COMPUTE_WIDENED : EXPERT_COMPUTE;
}

double nnc_serve_experts_touched(double experts, double chosen, double tokens) {
    return experts * (1.0 - pow(1.0 - chosen / experts, tokens));
}

double nnc_serve_all_reduce_s(double ranks, double bytes, double link_bytes_per_s, double fixed_s, double second_s,
                              double one_shot_fraction, double two_shot_fraction) {
    const double one = fixed_s + (ranks - 1.0) * bytes / (one_shot_fraction * link_bytes_per_s);
    const double two =
        fixed_s + second_s + 2.0 * (ranks - 1.0) / ranks * bytes / (two_shot_fraction * link_bytes_per_s);
    return ranks > 1.0 ? nnc_min(one, two) : 0.0;
}

/* State of the computation of one step, to which functions add ops one by one. */
typedef struct making {
    const nnc_serve_case *of;
    const char *phase;
    bool decode, verify;                          /* decode: true = a decode step, false = a prefill; verify: true = the
                                                   * head computes every token of the step, not only the last */
    double sequences;                             /* number of sequences that one attention group computes */
    double cached, fresh;                         /* tokens per sequence. cached: in the cache before the step;
                                                   * fresh: computed in the step */
    double passes;                                /* number of times that the step reads the weights: one for each chunk
                                                   * of a prefill */
    double prompts, prompt_cached, prompt_tokens; /* prompts that are prefilled in the same step (chunked prefill).
                                                   * prompts: number of prompts; prompt_cached: cached tokens of each
                                                   * prompt; prompt_tokens: tokens to compute of each prompt */
    double bound_compute_s;
    double prompt_comm_s;                /* seconds in which the tokens of prompts are sent to experts and back */
    double memory_s, compute_s, fixed_s; /* sums of seconds: memory_s of memory-bound ops; compute_s of compute-bound
                                          * ops; fixed_s of fixed times */
    nnc_serve_step step;
    nnc_serve_list *list;
} making;

/* Returns the time of a product from its compute time and its memory time. If the two times are similar (products of
 * some hundred rows), kernels overlap compute and memory access only in part, so the result lies between the larger of
 * the two times and their sum. */
static double overlapped(double compute_s, double memory_s) {
    const double sum = compute_s * sqrt(compute_s) + memory_s * sqrt(memory_s);
    /* the result is (compute_s^1.5 + memory_s^1.5)^(2/3) */
    return nnc_max(cbrt(sum * sum), nnc_max(compute_s, memory_s));
}

/* Adds one op to a step. The op runs as `count` kernels; flops, bytes and seconds are totals over all these kernels.
 * Returns the seconds of the op. */
static double add_op(making *m, const char *name, double count, double rows, double flops, double weight_bytes,
                     double kv_bytes, double compute_s, double memory_s, double fixed_s) {
    const double larger = weight_bytes > 0.0 ? overlapped(compute_s, memory_s) : nnc_max(compute_s, memory_s);
    const double time_s = larger + fixed_s;
    const nnc_bound bound = fixed_s > larger        ? NNC_BOUND_HOST
                            : compute_s >= memory_s ? NNC_BOUND_COMPUTE
                                                    : NNC_BOUND_MEMORY;
    m->step.flops += flops;
    m->step.weight_bytes += weight_bytes;
    m->step.kv_bytes += kv_bytes;
    m->fixed_s += fixed_s;
    *(compute_s >= memory_s ? &m->compute_s : &m->memory_s) += larger;
    if (m->list != NULL && m->list->count < NNC_SERVE_OPS_MAX) {
        m->list->ops[m->list->count++] = (nnc_serve_op){ .name = name,
                                                         .phase = m->phase,
                                                         .count = count,
                                                         .rows = rows,
                                                         .flops = flops,
                                                         .weight_bytes = weight_bytes,
                                                         .kv_bytes = kv_bytes,
                                                         .time_s = time_s,
                                                         .bound = bound };
    }
    return time_s;
}

/* Returns the fixed time of a product in seconds, which is its kernel launch. With weight-only formats (products
 * compute in a wider format than the stored weights), the engine needs additional time in each layer with experts; the
 * result for the second product of the experts includes this time. */
static double product_fixed_s(const making *m, const nnc_serve_product *p, bool plain) {
    const nnc_serve_rates *r = &m->of->rates;
    const double kernel = m->decode ? r->kernel_s : r->prefill_kernel_s;
    const bool ends = p->split == NNC_SPLIT_EXPERT_ROW && r->weight_only;
    return (plain ? kernel : nnc_max(kernel, r->product_s)) +
           (ends ? m->of->engine->expert_s[m->of->plan->weights] : 0.0);
}

/* Adds a product over the tokens of the step. A product of experts processes the tokens of all attention groups, other
 * products the tokens of one group. */
static void add_product(making *m, const nnc_serve_product *p) {
    const nnc_serve_case *of = m->of;
    const nnc_serve_rates *r = &of->rates;
    const double groups = p->experts > 0.0 ? of->plan->attention_data : 1.0;
    const double prompts = p->last ? m->prompts : m->prompts * m->prompt_tokens;
    const double rows = groups * (m->sequences * (p->last && !m->verify ? 1.0 : m->fresh) + prompts);
    const bool plain = nnc_serve_is_plain(of, p);
    const double share = nnc_serve_share(of, p);
    const double busy = p->experts > 0.0 && of->plan->expert > 1 ? of->plan->imbalance : 1.0;
    const double used = p->experts > 0.0 ? p->chosen : 1.0;
    const double passes = p->last ? 1.0 : m->passes;
    const double read =
        p->experts > 0.0 ? nnc_min(nnc_serve_experts_touched(p->experts, p->chosen, rows / passes) * busy, p->experts)
                         : 1.0;
    const double elements = p->layers * p->n * p->k * share;
    const double flops = 2.0 * rows * used * busy * elements;
    const double bytes = passes * read * elements * (plain ? r->plain_bytes : r->weight_bytes);
    const double rate =
        (plain ? r->plain_flops_per_s : r->dense_flops_per_s) * (p->experts > 0.0 ? expert_compute(of->plan) : 1.0);
    const double reads = p->experts > 0.0 ? r->expert_bytes_per_s
                         : plain          ? r->plain_bytes_per_s
                                          : r->stream_bytes_per_s;
    const double count = p->layers * passes;
    const double time_s = add_op(m, p->name, count, rows, flops, bytes, 0.0, flops / rate, bytes / reads,
                                 count * product_fixed_s(m, p, plain));
    m->bound_compute_s += flops / (plain ? r->plain_peak_flops_per_s : r->peak_flops_per_s);
    *(p->last ? &m->step.head_s : p->experts > 0.0 ? &m->step.expert_s : &m->step.product_s) += time_s;
}

/* Returns the number of pairs of a query and a compressed key among the first n positions of a sequence. The query at
 * position i attends to min(floor(i / ratio), most) compressed keys; most = 0 means that it attends to all floor(i /
 * ratio). [shared-keys] */
static double far_attended(double n, double ratio, double most) {
    const double all = ratio > 0.0 ? floor(n / ratio) : 0.0;
    const double keys = most > 0.0 ? nnc_min(all, most) : all;
    return keys * (n + 1.0) - ratio * keys * (keys + 1.0) / 2.0;
}

/* Returns the number of pairs of a query and a key in attention over the first n positions of a sequence: each query is
 * counted with the keys that it attends to. */
static double attended(double n, const nnc_serve_attention *a) {
    const double w = a->window;
    const double near = a->picked ? 0.0 : w <= 0.0 || n <= w ? n * (n + 1.0) / 2.0 : w * (w + 1.0) / 2.0 + (n - w) * w;
    return near + far_attended(n, a->far_ratio, a->far_most);
}

/* Returns the FLOPs of one kind of attention in all its layers on one device, for the tokens of a sequence from
 * position `from` to position `to`. On every tensor rank, the indexer computes a score for every compressed key. */
static double attention_flops(const nnc_serve_case *of, const nnc_serve_attention *a, double width, double from,
                              double to) {
    const double scored = far_attended(to, a->far_ratio, 0.0) - far_attended(from, a->far_ratio, 0.0);
    return 2.0 * a->layers *
           (a->heads / of->plan->tensor * width * (attended(to, a) - attended(from, a)) +
            (a->index_heads * a->index_dim + a->index_heads) * scored);
}

/* Returns the size of the indexer's key of one position, as a fraction of the elements that the cache stores for one
 * position on one device. */
static double index_share(const nnc_serve_case *of, const nnc_serve_attention *a) {
    const double heads = nnc_max(a->kv_heads / of->plan->tensor, 1.0);
    return a->index_dim / (a->latent > 0.0 ? a->latent + a->rope
                           : a->shared     ? a->key_dim
                                           : heads * (a->key_dim + a->value_dim));
}

/* Returns the number of positions read from the cache. A decode step reads all attended positions; a chunk of a prefill
 * reads the attended positions before the chunk. */
static double cache_reads(const making *m, const nnc_serve_attention *a) {
    const double chunks = nnc_ceil(m->fresh / (double)m->of->plan->chunk);
    const double chunk = nnc_min((double)m->of->plan->chunk, m->fresh);
    const double all = m->decode ? m->cached + 1.0 : chunks * m->cached + chunk * chunks * (chunks - 1.0) / 2.0;
    const double near = a->picked ? 0.0 : a->window > 0.0 ? nnc_min(all, (m->decode ? 1.0 : chunks) * a->window) : all;
    if (a->far_ratio == 0.0) { return near; }
    /* A decode step reads only the keys that its indexer picks. A chunk of a prefill reads all keys, because its tokens
     * pick different keys. The indexer reads its own, shorter key for each key that it can pick. */
    const double far = all / a->far_ratio;
    const double picked = m->decode && a->far_most > 0.0 ? nnc_min(far, a->far_most) : far;
    return near + picked + far * index_share(m->of, a);
}

/* Tests whether a decode step has so few sequences and query heads that the engine divides each sequence among
 * units. */
static bool divides(const making *m, const nnc_serve_attention *a) {
    const nnc_serve_case *of = m->of;
    return m->decode && m->sequences * a->heads / of->plan->tensor <= of->rates.reread_above;
}

/* Returns how many times a decode step reads the KV cache. The result is above 1 if several query heads share keys and
 * values, because the kernels of these heads read a part of the cache again. */
static double rereads(const making *m, const nnc_serve_attention *a) {
    const nnc_serve_rates *r = &m->of->rates;
    const double t = m->of->plan->tensor;
    const double sharing = a->heads / t / nnc_max(a->kv_heads / t, 1.0);
    return a->latent > 0.0 ? 1.0 : 1.0 + (divides(m, a) ? r->few_reread : r->kv_reread) * (sharing - 1.0);
}

/* Adds the attention ops of the prompts that are prefilled in the same step as a decode. */
static void add_prompt_attention(making *m, const nnc_serve_attention *a) {
    const double flops = m->prompts * attention_flops(m->of, a, a->key_dim + a->value_dim, m->prompt_cached,
                                                      m->prompt_cached + m->prompt_tokens);
    if (m->prompts > 0.0) {
        m->step.attention_s +=
            add_op(m, a->name, 0.0, m->prompts * m->prompt_tokens, flops, 0.0, 0.0,
                   m->of->engine->attention_factor * flops / m->of->rates.attention_flops_per_s, 0.0, 0.0);
        m->bound_compute_s += flops / m->of->rates.plain_peak_flops_per_s;
    }
}

static void add_attention(making *m, const nnc_serve_attention *a) {
    const nnc_serve_case *of = m->of;
    const nnc_serve_rates *r = &of->rates;
    /* With latent attention (MLA), a decode step attends directly to the latents; a prefill attends to keys and values
     * that are computed from the latents. */
    const double width = m->decode && a->latent > 0.0 ? 2.0 * a->latent + a->rope : a->key_dim + a->value_dim;
    const double flops = m->sequences * attention_flops(of, a, width, m->cached, m->cached + m->fresh);
    const double token = nnc_serve_kv_token(of, a);
    const double bytes = m->sequences * token * (cache_reads(m, a) + (a->reuses ? 0.0 : m->fresh));
    const double count = a->layers * m->passes;
    const double slower = m->decode ? 1.0 : of->engine->attention_factor;
    const double again = m->decode ? rereads(m, a) : 1.0;
    const double cache_rate = divides(m, a) ? r->few_kv_bytes_per_s : r->kv_bytes_per_s;
    m->step.attention_s +=
        add_op(m, a->name, count, m->sequences * m->fresh, flops, 0.0, bytes, slower * flops / r->attention_flops_per_s,
               again * bytes / cache_rate, count * (m->decode ? r->attention_s : r->prefill_attention_s));
    m->bound_compute_s += flops / r->plain_peak_flops_per_s;
    add_prompt_attention(m, a);
}

/* Returns how many times the step reads and writes the state of a sequence, as a sum over all sequences. A sequence
 * counts once, and once more for each chunk of a prefill that ends inside its prompt, because the next chunk reads the
 * state again. */
static double state_accesses(const making *m) {
    const double chunk = (double)m->of->plan->chunk;
    double common = chunk, rest = nnc_max(floor(m->fresh), 1.0);
    while (rest > 0.0) { /* computes the greatest common divisor of the chunk size and the prompt length (Euclid) */
        const double next = fmod(common, rest);
        common = rest;
        rest = next;
    }
    /* number of chunks before the last chunk; some of these chunks end exactly at the end of a prompt */
    const double ends = m->passes - 1.0;
    return m->sequences + ends - floor(ends * common / nnc_max(floor(m->fresh), 1.0));
}

/* Adds the update of a recurrent state. The FLOPs of the update are computed at the rate of 16-bit attention. Each
 * prompt that is prefilled in the same step as a decode reads and writes a state as well. */
static void add_state(making *m, const nnc_serve_state *s) {
    const nnc_serve_rates *r = &m->of->rates;
    const double share = 1.0 / m->of->plan->tensor;
    const double token_flops = s->layers * s->flops * share, state_bytes = 8.0 * s->layers * s->elements * share;
    const double flops = m->sequences * m->fresh * token_flops, bytes = state_accesses(m) * state_bytes;
    const double prompt_flops = m->prompts * m->prompt_tokens * token_flops, prompt_bytes = m->prompts * state_bytes;
    const double count = s->layers * m->passes;
    m->step.attention_s +=
        add_op(m, s->name, count, m->sequences * m->fresh, flops, 0.0, bytes, flops / r->attention_flops_per_s,
               bytes / r->state_bytes_per_s, count * (m->decode ? r->kernel_s : r->prefill_kernel_s));
    if (m->prompts > 0.0) {
        m->step.attention_s +=
            add_op(m, s->name, 0.0, m->prompts * m->prompt_tokens, prompt_flops, 0.0, prompt_bytes,
                   prompt_flops / r->attention_flops_per_s, prompt_bytes / r->state_bytes_per_s, 0.0);
    }
    m->bound_compute_s += (flops + prompt_flops) / r->plain_peak_flops_per_s;
}

/* Adds sampling, which reads the fp32 logits of every sequence. */
static void add_sampling(making *m) {
    const nnc_serve_rates *r = &m->of->rates;
    const double bytes = m->sequences * m->of->net->vocab * 4.0 / m->of->plan->tensor;
    m->step.head_s +=
        add_op(m, "head.sample", 1.0, m->sequences, 0.0, 0.0, 0.0, 0.0, bytes / r->mem_bytes_per_s, r->kernel_s);
}

/* Adds two groups of kernels for software that issues operators one by one: the kernels of the forward pass, and the
 * copies of the KV cache. In each layer, transformers appends new keys and values with torch.cat, which reads and
 * writes all keys, then all values (DynamicLayer.update, src/transformers/cache_utils.py). A program in PyTorch alone
 * writes the new keys, then the new values, into a cache of full size (KVCache.update, model.py of gpt-fast). Returns
 * the host seconds of the pass. (docs/serving.md, "Without a serving engine") */
static double add_issued(making *m) {
    const nnc_serve_issues *e = &m->of->issues;
    double appends = 0.0, copied_bytes = 0.0;
    for (int32_t i = 0; i < m->of->net->attention_count; i++) {
        const nnc_serve_attention *a = &m->of->net->attentions[i];
        if (a->reuses) { continue; }
        const double kept = a->window > 0.0 ? nnc_min(m->cached, a->window - 1.0) : m->cached;
        const double before = e->in_place ? 0.0 : kept;
        appends += 2.0 * a->layers;
        copied_bytes += 2.0 * m->sequences * (before + m->fresh) * nnc_serve_kv_token(m->of, a);
    }
    const double sampled = m->decode ? 1.0 : 0.0;
    m->step.product_s += add_op(m, "operators", e->others, m->sequences * m->fresh, 0.0, 0.0, 0.0, 0.0,
                                m->sequences * m->fresh * e->token_s, e->others * e->kernel_s);
    m->step.attention_s += add_op(m, "cache.append", appends, m->sequences * m->fresh, 0.0, 0.0, 0.0, 0.0,
                                  copied_bytes / e->copy_bytes_per_s, appends * e->kernel_s);
    return (e->kernels + appends + sampled) * e->host_s;
}

/* ---- the communication between devices in a step ---- */

/* Bytes per value of the tokens that one rank sends: to ranks of its node (inside), to other nodes (across). */
typedef struct copies_sent {
    double inside, across;
} copies_sent;

/* Returns the mean number of times that a rank sends a token in dispatch. once: a token is sent to each node that it
 * reaches, and from there to each rank that it reaches; otherwise each copy is sent to the rank of its expert.
 * [experts] */
static copies_sent copies_of(const making *m, double chosen, bool once) {
    const nnc_serve_dispatch *d = &m->of->rates.dispatch;
    const double other_nodes = (d->nodes - 1.0) / d->nodes, other_ranks = (d->node_ranks - 1.0) / d->node_ranks;
    const nnc_collective_op e = { .copies = chosen,
                                  .groups = m->of->net->expert_groups,
                                  .groups_met = m->of->net->groups_per_token };
    return once ? (copies_sent){ nnc_network_reached_domains(&e, d->nodes * d->node_ranks, NULL) * other_ranks,
                                 nnc_network_reached_domains(&e, d->nodes, NULL) * other_nodes }
                : (copies_sent){ chosen / d->nodes * other_ranks, chosen * other_nodes };
}

/* Returns the seconds of dispatch and combine without fixed times, and sets *sent to the bytes that a rank sends.
 * decoded: tokens of decode steps on each rank; prefilled: tokens of prompts on each rank. If ranks are in several
 * nodes, links inside and between nodes work at the same time, and the bytes are those of the busiest rank. Tokens of
 * decode steps are then sent copy by copy, because their kernels are made for a short time (low-latency kernels of
 * DeepEP, docs/legacy.md). [experts] */
static double transfer_s(const making *m, const nnc_serve_product *p, double decoded, double prefilled, double *sent) {
    const nnc_serve_rates *r = &m->of->rates;
    const nnc_serve_dispatch *d = &r->dispatch;
    const double t = m->of->plan->tensor, groups = m->of->plan->attention_data;
    if (!(d->nodes > 1.0)) {
        const double bytes = (decoded + prefilled) * m->of->net->hidden * 2.0;
        *sent = 2.0 * p->layers * bytes * p->chosen / t * (groups - 1.0) / groups;
        return *sent / (r->all_reduce.two_shot_fraction * r->exchange_bytes_per_s);
    }
    const copies_sent one = copies_of(m, p->chosen, false), many = copies_of(m, p->chosen, d->once_per_node);
    const double bytes = (d->token_bytes + d->result_bytes) * m->of->plan->imbalance * p->layers * p->n / t;
    const double inside = bytes * (decoded * one.inside + prefilled * many.inside);
    const double across = bytes * (decoded * one.across + prefilled * many.across);
    *sent = inside + across;
    return nnc_max(inside / d->inside_bytes_per_s, across / d->across_bytes_per_s);
}

/* Adds dispatch and combine of a layer with experts: tokens of attention groups are sent to the ranks of their experts,
 * and the results are sent back. If the communication of prompts overlaps, each of two micro-batches has a dispatch and
 * a combine. [experts] */
static void add_dispatch(making *m, const nnc_serve_product *p) {
    const nnc_serve_rates *r = &m->of->rates;
    const double calls = 2.0 * p->layers * m->passes;
    const double fixed_s = calls * (r->exchange_fixed_s + r->all_reduce.rank_s * m->of->plan->attention_data);
    const double decoded = m->decode ? m->sequences * m->fresh : 0.0;
    const double prefilled = m->decode ? m->prompts * m->prompt_tokens : m->sequences * m->fresh;
    const bool divided = prefilled > 0.0 && m->of->plan->overlap_expert > 0.0;
    double sent = 0.0, unused = 0.0;
    const double all_s = transfer_s(m, p, decoded, prefilled, &sent) + (sent > 0.0 ? fixed_s : 0.0);
    m->step.network_bytes += sent;
    m->step.comm_s += all_s;
    if (divided) {
        const double decoded_s = decoded > 0.0 ? transfer_s(m, p, decoded, 0.0, &unused) + fixed_s : 0.0;
        m->step.comm_s += fixed_s;
        m->prompt_comm_s += all_s - decoded_s + fixed_s;
    }
}

/* Subtracts from the communication time of the step the seconds of prompt communication that overlap with compute.
 * While prompt communication overlaps with compute, some units of the device send tokens and do not compute.
 * [overlap] */
static void overlap_experts(making *m) {
    const double compute_s = m->step.product_s + m->step.expert_s + m->step.attention_s;
    m->step.comm_s -=
        m->of->plan->overlap_expert * nnc_min(compute_s, m->prompt_comm_s * m->of->rates.dispatch.compute_share);
}

static void add_comm(making *m) {
    const nnc_serve_case *of = m->of;
    const nnc_serve_rates *r = &of->rates;
    const nnc_small_all_reduce *a = &r->all_reduce;
    const double t = of->plan->tensor, groups = of->plan->attention_data;
    const double rows = (m->sequences * m->fresh + m->prompts * m->prompt_tokens) / m->passes;
    const double bytes = rows * of->net->hidden * 2.0;
    /* number of all-reduces of a step: those in the layers, and one for the embedding */
    const double all_reduces = (of->net->reductions + 1.0) * m->passes;
    double comm_s = 0.0;
    if (t > 1.0) {
        const double device_s = nnc_serve_all_reduce_s(t, bytes, r->link_bytes_per_s, a->fixed_s + a->rank_s * t,
                                                       a->two_shot_s, a->one_shot_fraction, a->two_shot_fraction);
        comm_s += all_reduces * (of->engine->all_reduce_factor * device_s + of->engine->all_reduce_s);
        m->step.network_bytes += all_reduces * 2.0 * (t - 1.0) / t * bytes;
    }
    m->step.comm_s = comm_s;
    for (int32_t i = 0; i < of->net->product_count && groups > 1.0; i++) {
        if (of->net->products[i].split == NNC_SPLIT_EXPERT_ROW) { add_dispatch(m, &of->net->products[i]); }
    }
    if (of->plan->pipeline > 1) { /* pipeline stages send activations to the next stage */
        const double hops = (double)of->plan->pipeline - 1.0;
        const double crossings = r->stage_crossings, inside = hops - crossings;
        const double sent = m->passes * bytes / t; /* bytes that each rank sends in one hop */
        m->step.comm_s += inside * (m->passes * a->fixed_s + sent / (a->one_shot_fraction * r->link_bytes_per_s));
        if (crossings > 0.0) {
            m->step.comm_s += crossings * (m->passes * r->stage_fixed_s + sent / r->stage_bytes_per_s);
        }
        m->step.network_bytes += hops * sent / (hops + 1.0);
    }
}

static nnc_bound bound_of(const making *m) {
    const double host = m->step.host_s + m->fixed_s;
    const double largest = nnc_max(nnc_max(m->compute_s, m->memory_s), nnc_max(m->step.comm_s, host));
    return largest == host               ? NNC_BOUND_HOST
           : largest == m->step.comm_s   ? NNC_BOUND_NETWORK
           : m->compute_s >= m->memory_s ? NNC_BOUND_COMPUTE
                                         : NNC_BOUND_MEMORY;
}

double nnc_serve_issue_s(const nnc_serve_case *of, double tokens) {
    const nnc_serve_net *net = of->net;
    const bool narrow = of->plan->precision != NNC_BF16 && of->plan->precision != NNC_FP16;
    double kernels = net->kernels + (of->plan->tensor > 1 ? net->reductions + 1.0 : 0.0);
    for (int32_t i = 0; i < net->product_count && narrow; i++) {
        const nnc_serve_product *p = &net->products[i];
        kernels += nnc_serve_is_plain(of, p) ? 0.0 : p->layers; /* the input of the product is quantised */
    }
    return tokens <= (double)of->plan->graph_tokens ? 0.0 : kernels * of->engine->issue_s;
}

static nnc_serve_step finish(making *m, double factor) {
    const nnc_serve_engine *engine = m->of->engine;
    nnc_serve_step *s = &m->step;
    for (int32_t i = 0; i < m->of->net->product_count; i++) { add_product(m, &m->of->net->products[i]); }
    for (int32_t i = 0; i < m->of->net->attention_count; i++) { add_attention(m, &m->of->net->attentions[i]); }
    for (int32_t i = 0; i < m->of->net->state_count; i++) { add_state(m, &m->of->net->states[i]); }
    if (m->decode) { add_sampling(m); }
    const double issue_s = m->of->issues.kernels > 0.0 ? add_issued(m)
                           : m->decode                 ? 0.0
                                       : m->passes * nnc_serve_issue_s(m->of, m->sequences * m->fresh / m->passes);
    add_comm(m);
    overlap_experts(m);
    s->product_s *= factor;
    s->expert_s *= factor;
    s->attention_s *= factor;
    s->head_s *= factor;
    s->comm_s *= factor;
    const double layers = m->passes * m->of->net->layers;
    const double device_s = s->product_s + s->expert_s + s->attention_s + s->head_s + s->comm_s;
    /* The host issues kernels while the device still runs earlier kernels, so issuing makes the step longer only if it
     * takes longer than the device. */
    const double shown_s = nnc_max(layers * engine->host_layer_s + issue_s - device_s, layers * engine->layer_s);
    s->host_s = m->passes * engine->step_s + shown_s + (m->decode ? m->sequences * engine->sequence_s : 0.0);
    s->bytes = s->weight_bytes + s->kv_bytes;
    s->intensity_flops_per_byte = s->flops / s->bytes;
    s->lower_bound_s = nnc_max(m->bound_compute_s, s->bytes / m->of->rates.mem_bytes_per_s);
    s->time_s =
        nnc_max(s->product_s + s->expert_s + s->attention_s + s->head_s + s->comm_s + s->host_s, s->lower_bound_s);
    s->bound = bound_of(m);
    return *s;
}

/* Computes a decode step that computes `tokens` tokens of each sequence. */
static nnc_serve_step decode(const nnc_serve_case *of, double sequences, double context, double tokens,
                             nnc_serve_list *list) {
    /* At any time, the pipeline stages work on different sequences; each stage has at least one sequence. */
    const double share = nnc_max(sequences / of->plan->pipeline, nnc_min(sequences, 1.0));
    making m = { .of = of,
                 .phase = "decode",
                 .decode = true,
                 .verify = tokens > 1.0,
                 .sequences = share / of->plan->attention_data,
                 .cached = context - 1.0,
                 .fresh = tokens,
                 .passes = 1.0,
                 .list = list,
                 .step = { .sequences = sequences, .new_tokens = tokens, .context = context, .steps = 1.0 } };
    return finish(&m, of->engine->decode_factor);
}

nnc_serve_step nnc_serve_decode(const nnc_serve_case *of, double sequences, double context, nnc_serve_list *list) {
    return decode(of, sequences, context, 1.0, list);
}

nnc_serve_step nnc_serve_verify(const nnc_serve_case *of, double sequences, double context, double tokens) {
    return decode(of, sequences, context, tokens, NULL);
}

nnc_serve_step nnc_serve_prefill(const nnc_serve_case *of, double sequences, double cached, double fresh,
                                 nnc_serve_list *list) {
    const double share = nnc_max(sequences / of->plan->pipeline, nnc_min(sequences, 1.0));
    const double group = nnc_max(share / of->plan->attention_data, nnc_min(share, 1.0));
    making m = { .of = of,
                 .phase = "prefill",
                 .sequences = group,
                 .cached = cached,
                 .fresh = fresh,
                 .passes = nnc_ceil(group * fresh / (double)of->plan->chunk),
                 .list = list,
                 .step = { .sequences = sequences, .new_tokens = fresh, .context = cached + fresh } };
    m.step.steps = m.passes;
    return finish(&m, of->engine->prefill_factor);
}

nnc_serve_step nnc_serve_mixed(const nnc_serve_case *of, double sequences, double context, double prompts,
                               double cached, double fresh) {
    const double share = nnc_max(sequences / of->plan->pipeline, nnc_min(sequences, 1.0));
    const double group = of->plan->attention_data;
    making m = { .of = of,
                 .phase = "decode",
                 .decode = true,
                 .sequences = share / group,
                 .cached = context - 1.0,
                 .fresh = 1.0,
                 .passes = 1.0,
                 .prompts = prompts * share / sequences / group,
                 .prompt_cached = cached,
                 .prompt_tokens = fresh,
                 .step = { .sequences = sequences, .new_tokens = 1.0, .context = context, .steps = 1.0 } };
    return finish(&m, 1.0);
}

/* ---- the share of products, weights and KV cache that one device has ---- */

double nnc_serve_share(const nnc_serve_case *of, const nnc_serve_product *p) {
    const double t = of->plan->tensor;
    switch (p->split) {
    case NNC_SPLIT_TOKENS:
    case NNC_SPLIT_SEQUENCE: return 1.0;
    case NNC_SPLIT_QKV: /* every rank has at least one key-value head, even if there are fewer key-value heads than
                         * tensor ranks */
        return p->kv_heads == 0.0
                   ? 1.0 / t /* a layer that reuses keys and values projects to queries alone */
                   : (p->heads / t + 2.0 * nnc_max(p->kv_heads / t, 1.0)) / (p->heads + 2.0 * p->kv_heads);
    case NNC_SPLIT_EXPERT_COLUMN:
    case NNC_SPLIT_EXPERT_ROW: return 1.0 / (t * of->plan->attention_data);
    default: return 1.0 / t;
    }
}

bool nnc_serve_is_plain(const nnc_serve_case *of, const nnc_serve_product *p) {
    /* In published checkpoints of models with experts, attention weights stay in 16 bits if expert weights have 4 bits,
     * or if products compute in a wider format than that of the stored weights (weight-only). */
    const bool narrow = of->rates.weight_bytes < 1.0 || of->rates.weight_only;
    return p->plain || (narrow && of->net->experts > 0.0 && p->group == NNC_GROUP_ATTENTION);
}

double nnc_serve_stage_share(const nnc_serve_case *of) {
    return nnc_ceil(of->net->layers / of->plan->pipeline) / of->net->layers;
}

static double kv_element_bytes(const nnc_serve_case *of, double width) {
    return of->rates.kv_bytes + (of->rates.kv_scaled ? 4.0 / width : 0.0);
}

double nnc_serve_kv_token(const nnc_serve_case *of, const nnc_serve_attention *a) {
    const double heads = nnc_max(a->kv_heads / of->plan->tensor, 1.0);
    return a->latent > 0.0 ? a->layers * (a->latent + a->rope) * kv_element_bytes(of, a->latent + a->rope)
                           : a->layers * heads *
                                 (a->key_dim * kv_element_bytes(of, a->key_dim) +
                                  (a->shared ? 0.0 : a->value_dim * kv_element_bytes(of, a->value_dim)));
}

/* Returns the number of positions that the cache stores for a sequence. A key that the indexer can pick counts as 1
 * position, and the indexer's own key for it as index_share positions. */
static double kept_positions(const nnc_serve_case *of, const nnc_serve_attention *a, double tokens) {
    const double near = a->picked ? 0.0 : a->window > 0.0 ? nnc_min(tokens, a->window) : tokens;
    return a->far_ratio > 0.0 ? near + tokens / a->far_ratio * (1.0 + index_share(of, a)) : near;
}

double nnc_serve_kv_bytes(const nnc_serve_case *of, double tokens) {
    double bytes = 0.0;
    for (int32_t i = 0; i < of->net->attention_count; i++) {
        const nnc_serve_attention *a = &of->net->attentions[i];
        bytes += a->reuses ? 0.0 : nnc_serve_kv_token(of, a) * kept_positions(of, a, tokens);
    }
    return bytes + (of->draft != NULL ? nnc_serve_kv_bytes(of->draft, tokens) : 0.0);
}

double nnc_serve_state_bytes(const nnc_serve_case *of) {
    double bytes = 0.0;
    for (int32_t i = 0; i < of->net->state_count; i++) {
        bytes += 4.0 * of->net->states[i].layers * of->net->states[i].elements / of->plan->tensor;
    }
    /* every tensor rank stores the values of windows without a compressed key, because all heads share these keys */
    for (int32_t i = 0; i < of->net->attention_count; i++) {
        bytes += 4.0 * of->net->attentions[i].layers * of->net->attentions[i].open_values;
    }
    return bytes;
}

double nnc_serve_critical_batch(const nnc_serve_case *of, double context, double *intensity_limit,
                                nnc_derivation *why) {
    /* few: number of sequences with one sequence in each pipeline stage. most: factor on `few`, so large that a step
     * reads every expert */
    const double few = of->plan->pipeline, most = 1e6;
    const nnc_serve_step one = nnc_serve_decode(of, few, context, NULL);
    const nnc_serve_step all = nnc_serve_decode(of, few * most, context, NULL);
    double critical_batch = (double)NAN;
    NNC_LET(why, ridge, NULL, of->rates.peak_flops_per_s / of->rates.mem_bytes_per_s);
    NNC_LET(why, flops_per_sequence, "FLOP", all.flops / most);
    NNC_LET(why, kv_bytes_per_sequence, "B", one.kv_bytes);
    NNC_LET(why, all_weight_bytes, "B", all.weight_bytes);
    NNC_SAY(why, spare_bytes, "B", flops_per_sequence / ridge - kv_bytes_per_sequence);
    NNC_NOTE(why, "memory time per sequence that compute covers, available for reading weights");
    if (spare_bytes > 0.0) { NNC_SET(why, critical_batch, NULL, all_weight_bytes / spare_bytes); }
    double intensity_limit_flops_per_byte = 0.0;
    NNC_SET(why, intensity_limit_flops_per_byte, NULL, flops_per_sequence / kv_bytes_per_sequence);
    *intensity_limit = intensity_limit_flops_per_byte;
    return critical_batch;
}
