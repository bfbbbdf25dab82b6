/* Seconds of one op on one device. Each form (formula for the time of an op) is a roofline with the losses of one kind
 * of kernel. nnc_op_time uses the form that the nnc_timed of the op selects: matrix product, fused attention,
 * convolution, or constant fractions (for pointwise ops, casts and optimizers). All forms use rates_of, vector_seconds
 * and roofline. A comment above each form gives its formula. */
#include "base/base_internal.h"
#include "cost/cost_internal.h"
#include "op/op_internal.h"

NNC_ENUM_NAMES(nnc_bound, NNC_BOUND_LIST)

double nnc_device_matmul_peak(const nnc_device *device, nnc_dtype dtype) {
    if (device == NULL || (unsigned)dtype >= NNC_DTYPE_COUNT) { return (double)NAN; }
    const double peak = device->matmul_flops_per_s[dtype];
    return isnan(peak) && dtype == NNC_FP32 ? device->vector_flops_per_s[dtype] : peak;
}

double nnc_device_ridge(const nnc_device *device, nnc_dtype dtype) {
    return device != NULL ? nnc_device_matmul_peak(device, dtype) / device->mem_bytes_per_s : (double)NAN;
}

int64_t nnc_device_capacity(const nnc_device *device) {
    const double usable = device->usable_bytes;
    return usable > 0.0 && usable <= (double)device->mem_bytes ? (int64_t)usable : device->mem_bytes;
}

double nnc_intensity(const nnc_work *work) {
    if (work == NULL) { return NAN; }
    const double bytes = work->read_bytes + work->write_bytes;
    return bytes > 0.0 ? (work->flops + work->vector_flops) / bytes : NAN;
}

/* Rates of one device and fitted values of one kind of kernel, from which all forms compute the time of an op. */
typedef struct device_rates {
    /* matmul_flops_per_s: peak rate of the matrix units; vector_flops_per_s: peak rate of the vector units, NaN = not
     * published */
    double matmul_flops_per_s, vector_flops_per_s;
    double mem_bytes_per_s, calibration;
    /* fitted for the kind of kernel: sustained_fraction: fraction of the peak rate that is reached; memory_fraction:
     * fraction of the memory bandwidth that is reached; fixed_s: fixed time in seconds */
    double sustained_fraction, memory_fraction, fixed_s;
} device_rates;

NNC_SAYING device_rates rates_of(const nnc_device *device, nnc_dtype dtype, const nnc_efficiency *e,
                                 nnc_derivation *why) {
    const device_rates r = { .matmul_flops_per_s = nnc_device_matmul_peak(device, dtype),
                             .vector_flops_per_s = device->vector_flops_per_s[NNC_FP32],
                             .mem_bytes_per_s = device->mem_bytes_per_s,
                             .calibration = device->efficiency.calibration,
                             .sustained_fraction = e->sustained_fraction,
                             .memory_fraction = e->memory_fraction,
                             .fixed_s = e->fixed_s };
    NNC_PUT(why, r.matmul_flops_per_s, "FLOP/s");
    NNC_PUT(why, r.vector_flops_per_s, "FLOP/s");
    NNC_PUT(why, r.mem_bytes_per_s, "B/s");
    NNC_PUT(why, r.calibration, NULL);
    NNC_PUT(why, r.sustained_fraction, NULL);
    NNC_PUT(why, r.memory_fraction, NULL);
    NNC_PUT(why, r.fixed_s, "s");
    return r;
}

/* Returns the seconds that the vector units need for the vector FLOPs of an op; 0 if the device file has no peak rate
 * of vector units. */
NNC_SAYING double vector_seconds(const device_rates *r, const nnc_work *work, nnc_derivation *why) {
    double vector_s = 0.0;
    if (!isnan(r->vector_flops_per_s)) {
        if (work->vector_flops > 0.0) { NNC_SET(why, vector_s, "s", work->vector_flops / r->vector_flops_per_s); }
    }
    NNC_PUT(why, vector_s, "s");
    return vector_s;
}

/* Returns the timing of an op: time_s is the larger of compute_s and memory_s, plus fixed_s; bound is the resource with
 * the longest of compute_s, memory_s and fixed_s. */
NNC_SAYING nnc_timing roofline(double compute_s, double memory_s, double fixed_s, nnc_derivation *why) {
    nnc_timing t = { .compute_s = compute_s, .memory_s = memory_s, .fixed_s = fixed_s };
    const double larger = nnc_max(compute_s, memory_s);
    NNC_SET(why, t.time_s, "s", nnc_max(compute_s, memory_s) + fixed_s);
    NNC_SOURCE(why, "Williams, Waterman, Patterson, CACM 52(4), 2009");
    t.bound = fixed_s > larger ? NNC_BOUND_HOST : compute_s >= memory_s ? NNC_BOUND_COMPUTE : NNC_BOUND_MEMORY;
    return t;
}

/* The functions of one form (formula for the time of an op). `time` computes the time only; `say` also records a
 * derivation. `efficiency` returns the fractions of the datasheet rates that a kind of kernel reaches, if the form uses
 * constant fractions; NULL = the form computes the fractions itself. */
typedef struct time_form {
    nnc_timing (*time)(const nnc_device *device, const nnc_op *op, const nnc_work *work);
    nnc_timing (*say)(const nnc_device *device, const nnc_op *op, const nnc_work *work, nnc_derivation *why);
    nnc_efficiency (*efficiency)(const nnc_device *device, const nnc_op *op);
} time_form;
static const time_form *form_of(const nnc_op *op);

/* ---- time of a matrix product ---- */

/* Time of C[m,n] = A[m,k] B[k,n]. C is cut into tiles of tm x tn, and each of the N units of the device computes one
 * tile at a time. k may be split into s parts. N tiles run at once and are called a wave:
 *     W  = s ceil(m / tm) ceil(n / tn) / N                      waves
 *     We = q ceil(W) + (1 - q) max(W, 1)                        q = 1: a last wave that is not full counts as full
 *     tc = max(We 2 tm tn (k / s + k0) / (f P / N),             time of the units
 *              s ceil(m / tm) ceil(n / tn) (tm + tn) (k / s) e / L)   time of the L2 cache that feeds the units
 *     tv = bytes / (g B) + (8 m n s / L if s > 1)               memory; fp32 partial sums through the L2 cache
 *     tb = min over tiles and s of (tc^4 + tv^4)^(1/4)
 *     t  = tb (1 + (b - 1) tb / (tb + 0.5 ms)) + t0             long kernels run at a lower clock
 * P is the peak FLOP/s of products, and f is the fraction of P that short kernels reach. B is the memory bandwidth, and
 * g is the fraction of B that products reach. L is the rate of the L2 cache (l2_bytes_per_s, or l2_bytes_per_flop x P),
 * and e is the bytes per element. The fitted values are k0 = k_fill, q = wave_quantization, b = boost_ratio and the
 * fixed time t0. If a dimension of the weight is not a multiple of 16 B, tc is multiplied by unaligned_ratio, in
 * backward by unaligned_backward_ratio if the device has this value. A product that adds to existing sums reads and
 * writes these sums at the end of each tile, while its unit computes nothing: t grows by 0.6 of the time of this
 * additional traffic. [gemm-time] */

enum { TILES = 6, SPLIT_MOST = 8 };

/* Sizes of the tiles that vendor libraries use for matrix products. */
static const struct {
    int side_m, side_n; /* indices into the array `sides`, the lengths of the sides of a tile */
} kinds_of_tile[TILES] = { { 0, 1 }, { 1, 0 }, { 1, 1 }, { 1, 2 }, { 2, 1 }, { 2, 2 } };

enum { SIDES = 3 };
static const double sides[SIDES] = { 256.0, 128.0, 64.0 };

/* Largest number of waves of tiles for which splits of k are tried. With more waves, few units are idle, so splitting k
 * does not make the product faster. */
static const double split_waves = 4.0;

/* Time in seconds after which the clock of a kernel has fallen by half of its total reduction. */
static const double throttle_s = 0.5e-3;

/* A weight gradient that is added to a sum in memory reads and writes more bytes than a plain result. sums_share:
 * fraction of the time of these additional bytes that is added to the time of the product; the rest of this time
 * overlaps with the product. Fitted: docs/accuracy.md. */
static const double sums_share = 0.6;

typedef struct product {
    double count, m, n, k; /* `count`: number of products with the dimensions m, n, k */
    double unit_s;         /* seconds in which one unit of the device computes one FLOP */
    /* seconds in which the L2 cache feeds one byte to the units; 0 = the L2 cache is never the limit */
    double cache_s;
    double partial_s; /* seconds for each byte of fp32 partial sums that a split of k moves through the L2 cache */
    double element_bytes, units, k_fill, wave_quantization;
    double operands_s; /* seconds to read both operands from memory and to write the result to memory once */
} product;

typedef struct choice {
    /* for one tile size and one split of k: tiled_s = seconds of the tiles on the units; moved_s = seconds of the
     * memory traffic; score = tiled_s^4 + moved_s^4 */
    double tiled_s, moved_s, score;
} choice;

NNC_SAYING choice try_split(const product *p, double tiles, double tm, double tn, double split, nnc_derivation *why) {
    NNC_SAY(why, blocks, NULL, tiles * split);
    NNC_SAY(why, waves, NULL, blocks / p->units);
    NNC_SAY(why, counted_waves, NULL,
            p->wave_quantization * nnc_ceil(waves) + (1.0 - p->wave_quantization) * nnc_max(waves, 1.0));
    NNC_NOTE(why, "wave_quantization: share of the rounding up to whole waves that counts");
    NNC_SAY(why, part, NULL, p->k / split);
    NNC_SAY(why, busy_s, "s", counted_waves * 2.0 * tm * tn * (part + p->k_fill) * p->unit_s);
    NNC_NOTE(why, "time of the units; start and end of a tile take as long as k_fill more elements of k");
    NNC_SAY(why, fed_s, "s", blocks * (tm + tn) * part * p->element_bytes * p->cache_s);
    NNC_NOTE(why, "time of the cache that feeds the units");
    double partial_bytes = 0.0;
    if (split > 1.0) {
        NNC_SET(why, partial_bytes, "B", 8.0 * p->count * p->m * p->n * split);
        NNC_NOTE(why, "split k: the fp32 partial sums are written and read once");
    }
    NNC_PUT(why, partial_bytes, "B");
    NNC_SAY(why, tiled_s, "s", nnc_max(busy_s, fed_s));
    NNC_SAY(why, moved_s, "s", p->operands_s + partial_bytes * p->partial_s);
    return (choice){ tiled_s, moved_s, nnc_pow4(tiled_s) + nnc_pow4(moved_s) };
}

/* For each length of a tile's side: number of tiles along m (rows) and along n (columns). most_blocks: number of tiles
 * above which k is not split. */
typedef struct grid {
    double rows[SIDES], columns[SIDES];
    double most_blocks;
} grid;

NNC_SAYING grid grid_of(const product *p) {
    grid g = { .most_blocks = split_waves * p->units };
    for (int i = 0; i < SIDES; i++) {
        g.rows[i] = nnc_ceil(p->m / sides[i]) * p->count;
        g.columns[i] = nnc_ceil(p->n / sides[i]);
    }
    return g;
}

NNC_SAYING choice best_tiling(const product *p) {
    choice best = { .score = INFINITY };
    const grid g = grid_of(p);
    const double least_moved = nnc_pow4(p->operands_s);
    for (int i = 0; i < TILES; i++) {
        const double tm = sides[kinds_of_tile[i].side_m], tn = sides[kinds_of_tile[i].side_n];
        const double count = g.rows[kinds_of_tile[i].side_m] * g.columns[kinds_of_tile[i].side_n];
        /* fed_s, the seconds in which the L2 cache feeds the tiles, is equal for all splits of k. If fed_s alone makes
         * the score of this tile size worse than the best score so far, no split of k is tried for this tile size. */
        const double fed_s = count * (tm + tn) * p->k * p->element_bytes * p->cache_s;
        if (nnc_pow4(fed_s) + least_moved >= best.score) { continue; }
        for (int split = 1; split == 1 || (split <= SPLIT_MOST && count * split <= g.most_blocks); split *= 2) {
            const choice c = try_split(p, count, tm, tn, split, NULL);
            best = c.score < best.score ? c : best;
        }
    }
    return best;
}

/* Adds to a derivation the formulas of the chosen tile size and split of k: the first pair whose score equals
 * best->score (the lowest score is the shortest time). */
static void say_tiling(const product *p, const choice *best, nnc_derivation *why) {
    for (int i = 0; i < TILES; i++) {
        for (int split = 1; split <= SPLIT_MOST; split *= 2) {
            const double tm = sides[kinds_of_tile[i].side_m], tn = sides[kinds_of_tile[i].side_n];
            const double count = nnc_ceil(p->m / tm) * p->count * nnc_ceil(p->n / tn);
            if ((split > 1 && count * split > split_waves * p->units) ||
                try_split(p, count, tm, tn, split, NULL).score != best->score) {
                continue;
            }
            NNC_PUT(why, tm, NULL);
            NNC_PUT(why, tn, NULL);
            NNC_PUT(why, (double)split, NULL);
            NNC_SAY(why, tiles, NULL, nnc_ceil(p->m / tm) * p->count * nnc_ceil(p->n / tn));
            NNC_NOTE(
                why,
                "tiles of tm x tn outputs, each computed by one unit; the fastest of all tile sizes and splits of k");
            try_split(p, tiles, tm, tn, split, why);
            return;
        }
    }
}

/* Returns the bytes per second that the L2 cache feeds to the units; NaN = the L2 cache is never the limit. */
NNC_SAYING double cache_rate_of(const nnc_gemm_efficiency *e, double matmul_flops_per_s, nnc_derivation *why) {
    if (!isnan(e->l2_bytes_per_s) || isnan(e->l2_bytes_per_flop)) { return e->l2_bytes_per_s; }
    NNC_PUT(why, e->l2_bytes_per_flop, "B/FLOP");
    NNC_PUT(why, matmul_flops_per_s, "FLOP/s");
    NNC_SAY(why, cache_rate, "B/s", e->l2_bytes_per_flop * matmul_flops_per_s);
    NNC_NOTE(why, "rate of the cache, in proportion to the peak of the units");
    return cache_rate;
}

/* Returns the factor on k_fill for fp32 products that run on the vector units. The start and the end of a tile take a
 * memory latency (CUTLASS, efficient_gemm.md: prologue and epilogue of the main loop). k_fill counts elements of k that
 * the matrix units compute in this time; slower units compute fewer. */
static double slower_units(const nnc_device *device, nnc_dtype dtype) {
    const nnc_dtype measured = isnan(device->matmul_flops_per_s[NNC_BF16]) ? NNC_FP16 : NNC_BF16;
    const double matrix = device->matmul_flops_per_s[measured];
    const bool vector = dtype == NNC_FP32 && isnan(device->matmul_flops_per_s[NNC_FP32]);
    return vector && !isnan(matrix) ? device->vector_flops_per_s[NNC_FP32] / matrix : 1.0;
}

NNC_SAYING product product_of(const nnc_device *device, const nnc_op *op, const nnc_gemm_efficiency *e, double rate,
                              double memory_rate, nnc_derivation *why) {
    const double cache_rate = cache_rate_of(e, nnc_device_matmul_peak(device, op->math_dtype), why);
    const nnc_matmul *u = &op->u.matmul;
    const double experts = u->experts > 0 ? (double)u->experts : 1.0;
    /* A weight gradient sums over the tokens of each expert, so the tokens are its dimension k. */
    const bool grouped_k = op->phase == NNC_PHASE_GRAD_WEIGHT;
    product p = {
        .count = (double)u->batch * (u->one_by_one ? 1.0 : experts),
        .m = (double)u->m / (grouped_k ? 1.0 : experts),
        .n = (double)u->n,
        .k = (double)u->k / (grouped_k ? experts : 1.0),
        .cache_s = isnan(cache_rate) ? 0.0 : 1.0 / cache_rate,
        .partial_s = isnan(cache_rate) ? 1.0 / memory_rate : 1.0 / cache_rate,
        .element_bytes = nnc_dtype_bytes(op->math_dtype),
        .units = device->units,
        .k_fill = e->k_fill * slower_units(device, op->math_dtype),
        .wave_quantization = e->wave_quantization,
    };
    NNC_PUT(why, p.count, NULL);
    NNC_PUT(why, p.m, NULL);
    NNC_PUT(why, p.n, NULL);
    NNC_PUT(why, p.k, NULL);
    NNC_PUT(why, p.cache_s, "s");
    NNC_PUT(why, p.partial_s, "s");
    NNC_PUT(why, p.element_bytes, NULL);
    NNC_PUT(why, p.units, NULL);
    NNC_PUT(why, p.k_fill, NULL);
    NNC_PUT(why, p.wave_quantization, NULL);
    NNC_SET(why, p.unit_s, "s", p.units / rate);
    NNC_NOTE(why, "time per FLOP on one unit; cache_s, partial_s: time per byte of operands and of partial sums");
    return p;
}

/* Returns the number of kernels in which a library computes the products of a group of experts: one for all, or one per
 * expert. */
static double kernels_of(const nnc_matmul *u) { return u->one_by_one && u->experts > 1 ? (double)u->experts : 1.0; }

/* Tests whether a dimension of the weight is not a multiple of 16 bytes, so that not all rows of operands and results
 * begin at multiples of 16 bytes. Token dimensions do not affect the test. For a gradient of a captured program it is
 * not known which dimensions count tokens, so only the last dimension and the vocabulary are tested. */
static bool is_odd(const nnc_op *op) {
    const nnc_matmul *u = &op->u.matmul;
    const int64_t multiple = (int64_t)(16.0 / nnc_dtype_bytes(op->math_dtype));
    const bool weight = op->phase == NNC_PHASE_GRAD_WEIGHT;
    const int64_t other = weight ? u->m : op->phase == NNC_PHASE_BACKWARD ? multiple : u->k;
    return !u->padded && (u->b_is_weight || weight || op->phase == NNC_PHASE_GRAD_INPUT) &&
           (u->n % multiple != 0 || other % multiple != 0 || u->vocab % multiple != 0);
}

static double alignment_of(const nnc_op *op, const nnc_gemm_efficiency *e) {
    const nnc_matmul *u = &op->u.matmul;
    const double scales = (u->in_blocks ? e->block_ratio : 1.0) * (u->experts > 1 && u->ragged ? e->group_ratio : 1.0);
    const bool gradient = op->phase == NNC_PHASE_GRAD_INPUT || op->phase == NNC_PHASE_GRAD_WEIGHT;
    const double ratio =
        gradient && e->unaligned_backward_ratio > 0.0 ? e->unaligned_backward_ratio : e->unaligned_ratio;
    return scales * (is_odd(op) ? ratio : 1.0);
}

/* Returns the seconds that a weight gradient takes in addition to a plain product, if it is written in a wider format
 * than the activations or is added to sums in memory; returns 0 for other products. busy_share: share of the product's
 * time in which the matrix units are the limit. The traffic of the sums takes additional time only in this busy_share;
 * in the rest of the time the traffic is a part of memory_s. */
NNC_SAYING double sums_s_of(const device_rates *r, const nnc_op *op, const nnc_work *work, double busy_share,
                            nnc_derivation *why) {
    if (op->phase != NNC_PHASE_GRAD_WEIGHT || !(op->grad_bytes > 0.0)) { return 0.0; }
    NNC_PUT(why, sums_share, NULL);
    NNC_PUT(why, busy_share, NULL);
    NNC_LET(why, grad_accumulate, NULL, op->grad_accumulate);
    NNC_LET(why, plain, NULL, nnc_min(nnc_dtype_bytes(op->dtype) / op->grad_bytes, 1.0));
    NNC_SAY(why, sums_s, "s",
            sums_share * busy_share * (1.0 + grad_accumulate - plain) * work->write_bytes / r->mem_bytes_per_s);
    NNC_NOTE(why, "time to read and write the accumulated gradient at the end of each tile; plain: part that a 16-bit "
                  "result would take, which is counted already");
    return sums_s;
}

NNC_SAYING nnc_timing gemm_time(const nnc_device *device, const nnc_op *op, const nnc_work *work, nnc_derivation *why) {
    const nnc_gemm_efficiency *e = &device->efficiency.gemm[op->math_dtype];
    const bool library = op->issued_as == NNC_ISSUED_TOO && !isnan(e->library_memory_fraction);
    const nnc_efficiency shared = { e->sustained_fraction, library ? e->library_memory_fraction : e->memory_fraction,
                                    e->fixed_s };
    const device_rates r = rates_of(device, op->math_dtype, &shared, why);
    nnc_say_work(work, why);
    NNC_LET(why, alignment, NULL, alignment_of(op, e));
    NNC_LET(why, kernels, NULL, kernels_of(&op->u.matmul));
    NNC_PUT(why, e->boost_ratio, NULL);
    const double vector_s = vector_seconds(&r, work, why);
    if (isnan(e->wave_quantization) || device->units <= 0) {
        NNC_SAY(why, sustained, NULL, nnc_min(r.sustained_fraction * r.calibration, 1.0));
        NNC_SAY(why, matrix_s, "s", work->flops / (sustained * r.matmul_flops_per_s) * alignment);
        NNC_SAY(why, compute_s, "s", nnc_max(matrix_s, vector_s));
        NNC_SAY(why, memory_s, "s", (work->read_bytes + work->write_bytes) / (r.memory_fraction * r.mem_bytes_per_s));
        NNC_LET(why, fixed_s, "s", kernels * r.fixed_s);
        return roofline(compute_s, memory_s, fixed_s, why);
    }
    NNC_SAY(why, rate, "FLOP/s",
            nnc_min(r.sustained_fraction * r.calibration * e->boost_ratio, 1.0) * r.matmul_flops_per_s);
    NNC_NOTE(why, "rate of short kernels, which run at the boost clock");
    NNC_SAY(why, memory_rate, "B/s", r.memory_fraction * r.mem_bytes_per_s);
    product p = product_of(device, op, e, rate, memory_rate, why);
    NNC_SET(why, p.operands_s, "s", (work->read_bytes + work->write_bytes) / memory_rate / kernels);
    NNC_NOTE(why, "time to move operands and result once");
    const choice c = best_tiling(&p);
    NNC_WHEN(why, say_tiling(&p, &c, why));
    NNC_SAY(why, aligned_s, "s", c.tiled_s * alignment);
    NNC_NOTE(why, op->u.matmul.in_blocks ? "alignment: factor for weights with a side that is no multiple of 16 bytes, "
                                           "and for scales per block of 128"
                                         : "alignment: factor for weights with a side that is no multiple of 16 bytes");
    NNC_SAY(why, blend_s, "s", sqrt(sqrt(nnc_pow4(aligned_s) + nnc_pow4(c.moved_s))));
    NNC_NOTE(why, "units and memory work at the same time: a smooth maximum of both");
    NNC_PUT(why, throttle_s, "s");
    NNC_SAY(why, all_s, "s", kernels * blend_s);
    NNC_SAY(why, clock, NULL, 1.0 + (e->boost_ratio - 1.0) * all_s / (all_s + throttle_s));
    NNC_NOTE(why, "factor of the clock: the longer the kernels, the lower the clock");
    NNC_SAY(why, compute_s, "s", nnc_max(kernels * aligned_s * clock, vector_s));
    NNC_SAY(why, memory_s, "s", kernels * c.moved_s * clock);
    nnc_timing t = roofline(compute_s, memory_s, kernels * r.fixed_s, NULL);
    const double busy_share = nnc_pow4(aligned_s) / nnc_pow4(blend_s);
    NNC_LET(why, sums_s, "s", sums_s_of(&r, op, work, busy_share, why));
    NNC_SET(why, t.time_s, "s", nnc_max(all_s * clock, vector_s) + sums_s + kernels * r.fixed_s);
    NNC_SOURCE(why, "Williams, Waterman, Patterson, CACM 52(4), 2009; docs/formulas.md, gemm-time");
    return t;
}

/* ---- time of fused attention ---- */

/* Time of an attention of F FLOPs:
 *     t      = (F / (f P)) (1 + h s0 s_q / pairs) (1 + c N / blocks) (1 + (1 / r - 1) (128 / d - 1)) (d' / d) + t0
 *     blocks = batch heads s_q / 128
 * Long sequences with many heads reach the rate f P; in backward f is multiplied by backward_ratio. There are s_q
 * queries, and `pairs` query-key pairs; d is the head width, and the factor with r is 1 from d = 128 on. N is the
 * number of units of the device; h is 1/2 under a causal mask, else 1. The fitted values are s0 = seq_half, c =
 * block_penalty, r = narrow_ratio and the fixed time t0. The factor with s0 is needed because starting and ending a
 * block of queries takes the same time for few keys as for many. The factor with c is needed because with few blocks
 * some units are idle. d' is d rounded up to a width that kernels have, or d for a neutral efficiency. Operands
 * are moved through memory once. For kernels that PyTorch issues, the factor with r uses d' instead of d, and backward
 * takes library_backward_bytes / B more per value of the queries (B: memory bandwidth). [flash-time] */

/* Rounds a head width up to a width that kernels have: 32, 64, 96, ... in FlashAttention, multiples of 128 on a TPU.
 * Returns `width` unchanged for a neutral efficiency (sustained_fraction 1). Sources:
 * csrc/flash_attn/src/static_switch.h of Dao-AILab/flash-attention; https://github.com/jax-ml/jax/issues/30861. */
static double padded(const nnc_flash_efficiency *e, int64_t width) {
    return e->sustained_fraction < 1.0 && e->head_multiple > 1.0
               ? nnc_ceil((double)width / e->head_multiple) * e->head_multiple
               : (double)width;
}

NNC_SAYING nnc_timing flash_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                                 nnc_derivation *why) {
    const nnc_flash *u = &op->u.flash;
    const nnc_flash_efficiency *e = &device->efficiency.attention[u->kernel];
    const nnc_efficiency shared = { e->sustained_fraction, e->memory_fraction, e->fixed_s };
    const device_rates r = rates_of(device, op->math_dtype, &shared, why);
    nnc_say_work(work, why);
    const bool library = op->issued_as == NNC_ISSUED_TOO, back = op->phase == NNC_PHASE_BACKWARD;
    const bool slower = library && !isnan(e->library_backward_ratio);
    NNC_LET(why, backward_ratio, NULL, !back ? 1.0 : slower ? e->library_backward_ratio : e->backward_ratio);
    NNC_PUT(why, (double)u->batch, NULL);
    NNC_PUT(why, (double)u->heads, NULL);
    NNC_PUT(why, (double)u->s_q, NULL);
    const double unmasked = library && !u->causal ? e->library_unmasked_half : (double)NAN;
    NNC_LET(why, seq_half, NULL, isnan(unmasked) ? e->seq_half : unmasked);
    NNC_PUT(why, e->narrow_ratio, NULL);
    NNC_PUT(why, e->block_penalty, NULL);
    NNC_PUT(why, device->units, NULL);
    NNC_LET(why, width, NULL, nnc_min(library ? padded(e, u->head_dim) : (double)u->head_dim, 128.0));

    NNC_SAY(why, sustained, NULL, nnc_min(r.sustained_fraction * r.calibration * backward_ratio, 1.0));
    NNC_SAY(why, blocks, NULL, (double)u->batch * (double)u->heads * (double)u->s_q / 128.0);
    NNC_SAY(why, long_s, "s", work->flops / (sustained * r.matmul_flops_per_s));
    NNC_NOTE(why, "time without the factors for few blocks, short sequences and narrow heads");
    NNC_LET(why, calls, NULL, u->blocks > 1 ? (double)u->blocks : 1.0);
    NNC_SAY(why, query_passes, NULL, 1.0 + 0.75 * (calls - 1.0));
    NNC_NOTE(why, "calls: one kernel per block of keys; each later kernel reads 3/4 of the queries");
    NNC_PUT(why, u->pairs, NULL);
    NNC_LET(why, masked, NULL, u->causal ? 0.5 : 1.0);
    NNC_SAY(why, short_factor, NULL, 1.0 + query_passes * masked * seq_half * (double)u->s_q / u->pairs);
    NNC_NOTE(why, "the fixed time of a block of queries counts more if it meets few keys");
    NNC_SAY(why, narrow_factor, NULL, 1.0 + (1.0 / e->narrow_ratio - 1.0) * (128.0 / width - 1.0));
    NNC_NOTE(why, "narrow heads use only part of a unit; width: head_dim, at most 128");
    NNC_LET(why, head_widths, NULL, (double)(u->head_dim + u->value_dim));
    NNC_LET(why, kernel_widths, NULL, padded(e, u->head_dim) + padded(e, u->value_dim));
    NNC_SAY(why, padded_factor, NULL, kernel_widths / head_widths);
    NNC_NOTE(why, "kernels pad head_dim and value_dim to a multiple of head_multiple");
    NNC_SAY(why, block_factor, NULL, 1.0 + e->block_penalty * device->units / blocks);
    NNC_NOTE(why, "with few blocks of queries some units are idle");
    NNC_SAY(why, matrix_s, "s", long_s * short_factor * narrow_factor * padded_factor * block_factor);
    const double vector_s = vector_seconds(&r, work, why);
    double compute_s = 0.0;
    NNC_SET(why, compute_s, "s", nnc_max(matrix_s, vector_s));
    if (library && back && !isnan(e->library_backward_bytes)) {
        NNC_LET(why, products_s, "s", compute_s);
        NNC_LET(why, value_bytes, "B", e->library_backward_bytes);
        NNC_LET(why, values, NULL, blocks * 128.0 * (double)u->head_dim);
        NNC_SET(why, compute_s, "s", products_s + value_bytes * values / (r.memory_fraction * r.mem_bytes_per_s));
        NNC_NOTE(
            why,
            "memory time of backward: fp32 gradients of queries, and the product of the results and their gradients");
    }
    NNC_SAY(why, memory_s, "s", (work->read_bytes + work->write_bytes) / (r.memory_fraction * r.mem_bytes_per_s));
    double fixed_s = r.fixed_s;
    if (calls > 1.0) {
        NNC_LET(why, call_s, "s", r.fixed_s);
        NNC_SET(why, fixed_s, "s", calls * call_s);
    }
    return roofline(compute_s, memory_s, fixed_s, why);
}

/* ---- time of a convolution ---- */

/* A convolution is computed as a matrix product: each output value is a sum over `depth` terms, for `channels` output
 * channels of a group at a time. A weight gradient is a product with c_out / groups rows and (c_in / groups) x taps
 * columns. Few channels or short sums leave units partly idle:
 *     f'  = f (channels / (channels + c0)) (depth / (depth + d0))
 *     f'  = f (rows / (rows + c0)) (columns / (columns + c0))    for a weight gradient
 *     t   = max(min(F / (f' P), F / (v V)), bytes / (g B)) + t0 + converted / B
 * F is the number of FLOPs, P the peak FLOP/s, and f the fraction of P that large convolutions reach. B is the memory
 * bandwidth, and g the fraction of B that convolutions reach. V is the rate of the vector units. The fitted values are
 * c0 = channels_half, d0 = depth_half, v = vector_fraction and the fixed time t0. Conversions to another layout move
 * `converted` bytes. The vector units compute depthwise convolutions, because the matrix units are slow for them. The
 * vector units also compute groups for which a library has no kernel for the matrix units; such a group reaches the
 * fraction 1.5 v of V. In fp32, 3 x 3 taps of stride 1 need 1 / 2.25 of the multiplications (Winograd). [conv-time] */

/* Factor on the bytes of a feature map in NCHW layout. A kernel reads the map and writes it in the other layout at 0.8
 * of the bandwidth, which takes as long as 1.25 times the bytes at full bandwidth. */
static const double converted_share = 1.25;

/* For kernels that PyTorch issues: bytes per value by which the conversion of an NCHW map to channels last is slower
 * than its traffic at full bandwidth. Measured on an H100: a convolution of 64 x 64 x 56 x 56 values to 64 channels
 * with 3 x 3 taps takes 104 us in bf16 and 168 us in tf32. After subtracting the time of the products and their fixed
 * time, the remaining time is the time to move 2 (w + 2) bytes for each value of w bytes. */
static const double turned_bytes = 2.0;

/* For kernels of PyTorch: factor on the bytes of convolution weights, which PyTorch converts because their taps are the
 * inner dimension. Reading and writing the 2 bytes of a weight runs at 0.3 of the bandwidth. Measured on an H100: 8 x
 * 2560 x 16 x 16 values to 1280 channels take 331 us in NCHW. The products alone take 195 us, as with channels last.
 * The difference of 136 us, minus the time to convert the maps, is the time to convert 29.5 million weights. */
static const double converted_weights_share = 3.3;

/* Fraction of the vector peak that convolutions of inputs with few channels reach (fewer than a vector of 16 bytes
 * holds). Measured on an H100: 64 x 3 x 224 x 224 values to 64 channels, 7 x 7 taps: 641 us in bf16 and in tf32. */
static const double few_channels_fraction = 0.36;
enum { FEW_CHANNELS = 8 };

NNC_SAYING double share_of(const nnc_op *op, const nnc_work *work, double channels_half, double depth_half,
                           nnc_derivation *why) {
    const nnc_conv *p = &op->u.conv;
    const double groups = (double)p->groups;
    if (op->phase == NNC_PHASE_GRAD_WEIGHT) {
        const int64_t width = p->kernel_w > 0 ? p->kernel_w : p->kernel;
        NNC_LET(why, rows, NULL, (double)p->c_out / groups);
        NNC_LET(why, columns, NULL, (double)p->c_in / groups * (double)(p->kernel * width));
        NNC_SAY(why, share, NULL, rows / (rows + channels_half) * (columns / (columns + channels_half)));
        NNC_NOTE(why, "fraction of the rate of a large weight gradient");
        return share;
    }
    const bool back = op->phase == NNC_PHASE_GRAD_INPUT;
    NNC_LET(why, positions, NULL,
            (double)p->batch * (back ? (double)(p->h_in * p->w_in) : (double)(p->h_out * p->w_out)));
    NNC_LET(why, all_channels, NULL, back ? (double)p->c_in : (double)p->c_out);
    NNC_LET(why, channels, NULL, all_channels / groups);
    NNC_SAY(why, depth, NULL, work->flops / (2.0 * positions * all_channels));
    NNC_NOTE(why, "terms of the sum for one output value");
    NNC_SAY(why, share, NULL, channels / (channels + channels_half) * (depth / (depth + depth_half)));
    NNC_NOTE(why, "fraction of the rate of a convolution with many channels and long sums");
    return share;
}

/* Tests whether a kernel of the matrix units needs a copy of a map with `channels` channels. Maps that are not channels
 * last are copied. With fitted losses, maps whose positions do not begin at multiples of 16 bytes are copied, too:
 * cuDNN adds channels (release notes of cuDNN 7.3). Inputs with few channels have special kernels. */
static bool is_copied(const nnc_device *device, const nnc_op *op, int64_t channels) {
    const int64_t multiple = (int64_t)(16.0 / nnc_dtype_bytes(op->math_dtype));
    const bool odd = channels >= FEW_CHANNELS && channels % multiple != 0 && op->u.conv.groups == 1;
    return op->u.conv.contiguous || (odd && !op->tuned && device->efficiency.conv.channels_half > 0.0);
}

NNC_SAYING double converted_s(const nnc_device *device, const nnc_op *op, nnc_derivation *why) {
    const nnc_conv *p = &op->u.conv;
    const bool library = op->issued_as == NNC_ISSUED_TOO;
    const bool by_product = p->contiguous && p->kernel == 1 && p->kernel_w <= 1 && p->stride == 1;
    const bool input = is_copied(device, op, p->c_in), output = is_copied(device, op, p->c_out);
    if (!(input || output) || op->math_dtype == NNC_FP32 || (library && by_product) ||
        (p->groups > 1 && p->groups == p->c_in)) {
        return 0.0;
    }
    NNC_LET(why, input_values, NULL, input ? (double)p->c_in * (double)(p->h_in * p->w_in) : 0.0);
    NNC_LET(why, output_values, NULL, output ? (double)p->c_out * (double)(p->h_out * p->w_out) : 0.0);
    NNC_LET(why, map_bytes, "B", nnc_dtype_bytes(op->math_dtype) * (double)p->batch * (input_values + output_values));
    const bool turned = library && p->contiguous;
    NNC_LET(why, converted, NULL, turned ? 1.0 + turned_bytes / nnc_dtype_bytes(op->math_dtype) : converted_share);
    NNC_LET(why, weight_bytes, "B",
            turned ? 2.0 * (double)p->c_out * ((double)p->c_in / (double)p->groups) *
                         (double)(p->kernel * (p->kernel_w > 0 ? p->kernel_w : p->kernel))
                   : 0.0);
    NNC_LET(why, converted_weights, NULL, converted_weights_share);
    NNC_SAY(why, conversion_s, "s",
            2.0 * (converted * map_bytes + converted_weights * weight_bytes) / device->mem_bytes_per_s);
    NNC_NOTE(why,
             "contiguous maps and weights are rewritten with channels last, and back; channels-last maps are copied "
             "if their positions do not begin at multiples of 16 bytes");
    return conversion_s;
}

/* Rate of the vector units on groups with several channels, divided by their rate on depthwise convolutions. */
static const double grouped_ratio = 1.5;

/* Tests whether PyTorch computes a depthwise convolution with its own kernels (conv_depthwise2d). For NCHW maps,
 * PyTorch's own kernels add up in fp32 on the vector units. */
static bool by_channel(const nnc_op *op) {
    return op->issued_as == NNC_ISSUED_TOO && op->u.conv.groups > 1 && op->u.conv.groups == op->u.conv.c_in;
}

/* FLOPs that a unit computes in a clock cycle in PyTorch's kernels for depthwise convolutions (DepthwiseConv2d.cu),
 * which compute indices and test borders per tap. Measured on an H100 of 132 units at 1.98 GHz, with 64 images of 384
 * channels of 28 x 28, 7 x 7 taps: forward takes 683 us, both gradients together 2,225 us. The gradient of the
 * input takes as long as forward; the gradient of the weights takes the remaining 1,542 us. Forward has special kernels
 * for 1 and 3 taps. native_blocks: blocks of 256 threads per unit; one block sums up the gradient of one weight. */
static const double native_flops = 10.6, native_weight_flops = 4.7, native_blocks = 8.0;

NNC_SAYING double native_s(const nnc_device *device, const nnc_op *op, const nnc_work *work, nnc_derivation *why) {
    const nnc_conv *p = &op->u.conv;
    NNC_PUT(why, device->units, NULL);
    NNC_PUT(why, device->clock_hz, "Hz");
    if (op->phase == NNC_PHASE_GRAD_WEIGHT) {
        NNC_PUT(why, native_weight_flops, NULL);
        NNC_PUT(why, native_blocks, NULL);
        NNC_LET(why, weights, NULL, (double)(p->c_out * p->kernel * (p->kernel_w > 0 ? p->kernel_w : p->kernel)));
        NNC_SAY(why, idle_factor, NULL, nnc_max(1.0, native_blocks * device->units / weights));
        NNC_SAY(why, matrix_s, "s",
                idle_factor * work->flops / (native_weight_flops * device->units * device->clock_hz));
        NNC_NOTE(why, "one block of threads per weight: with few weights, some units are idle");
        return matrix_s;
    }
    NNC_PUT(why, native_flops, NULL);
    NNC_SAY(why, matrix_s, "s", work->flops / (native_flops * device->units * device->clock_hz));
    NNC_NOTE(why, "depthwise convolution, computed in fp32 on the vector units");
    return matrix_s;
}

/* Tests whether a convolution takes the time of native_s. */
static bool takes_native_s(const nnc_device *device, const nnc_op *op) {
    return op->u.conv.native && op->issued_as == NNC_ISSUED_NOT && device->clock_hz > 0.0 && device->units > 0 &&
           (op->phase == NNC_PHASE_GRAD_WEIGHT || op->u.conv.kernel > 3);
}

/* Returns the number of tiles of 128 positions x 64 channels into which the output of a convolution is cut; a unit
 * computes one tile at a time. Returns infinity for a weight gradient: all units can share its sums over positions. */
static double tiles_of(const nnc_op *op) {
    const nnc_conv *p = &op->u.conv;
    if (op->phase == NNC_PHASE_GRAD_WEIGHT) { return INFINITY; }
    const bool back = op->phase == NNC_PHASE_GRAD_INPUT;
    const double map = back ? (double)p->h_in * (double)p->w_in : (double)p->h_out * (double)p->w_out;
    return nnc_ceil((double)p->batch * map / 128.0) * nnc_ceil((double)(back ? p->c_in : p->c_out) / 64.0);
}

NNC_SAYING double products_s(const nnc_op *op, const nnc_work *work, const nnc_conv_efficiency *e,
                             const device_rates *r, double units, nnc_derivation *why) {
    const bool shaped = e->channels_half > 0.0 || e->depth_half > 0.0;
    const bool library = op->issued_as == NNC_ISSUED_TOO && op->u.conv.groups == 1;
    const double saved = nnc_op_products_saved(op);
    double sustained = 0.0, matrix_s = 0.0;
    if (shaped) {
        NNC_PUT(why, e->channels_half, NULL);
        NNC_PUT(why, e->depth_half, NULL);
        NNC_LET(why, filled, NULL, share_of(op, work, e->channels_half, e->depth_half, why));
        NNC_SET(why, sustained, NULL, nnc_min(r->sustained_fraction * r->calibration, 1.0) * filled);
    } else {
        NNC_SET(why, sustained, NULL, nnc_min(r->sustained_fraction * r->calibration, 1.0));
    }
    if (library && units > 0.0 && !isnan(e->library_sustained_fraction)) {
        NNC_LET(why, used, NULL, nnc_min(1.0, tiles_of(op) / units));
        NNC_NOTE(why, "share of the units that have a tile of the result");
        NNC_LET(why, full, NULL, sustained);
        NNC_SET(why, sustained, NULL, full * used);
    }
    NNC_SET(why, matrix_s, "s", work->flops / (sustained * r->matmul_flops_per_s));
    if (library && op->u.conv.c_in < FEW_CHANNELS && !isnan(r->vector_flops_per_s)) {
        NNC_PUT(why, few_channels_fraction, NULL);
        NNC_SET(why, matrix_s, "s", work->flops / (few_channels_fraction * r->vector_flops_per_s));
        NNC_NOTE(why, "too few input channels for the matrix units: computed on the vector units");
        return matrix_s;
    }
    const bool contiguous = op->u.conv.contiguous && !isnan(e->library_tf32_contiguous_ratio);
    const double ratio = contiguous ? e->library_tf32_contiguous_ratio : e->library_tf32_backward_ratio;
    if (library && op->math_dtype == NNC_TF32 && op->phase != NNC_PHASE_FORWARD && !isnan(ratio)) {
        NNC_LET(why, forward_s, "s", matrix_s);
        NNC_LET(why, tf32_backward_ratio, NULL, ratio);
        NNC_SET(why, matrix_s, "s", tf32_backward_ratio * forward_s);
        NNC_NOTE(
            why,
            "gradients in tf32 transpose their operands first, because matrix units read the terms of a sum in order");
        return matrix_s;
    }
    if (saved > 1.0) {
        NNC_LET(why, saved_products, NULL, saved);
        NNC_SET(why, matrix_s, "s", work->flops / saved_products / (sustained * r->matmul_flops_per_s));
        NNC_NOTE(why, "Winograd's algorithm needs fewer multiplications");
    }
    if (!isnan(e->vector_fraction) && !isnan(r->vector_flops_per_s)) {
        NNC_LET(why, product_s, "s", matrix_s);
        NNC_PUT(why, e->vector_fraction, NULL);
        NNC_PUT(why, saved, NULL);
        NNC_SAY(why, least_s, "s", work->flops / saved / r->matmul_flops_per_s);
        NNC_SAY(why, plain_s, "s", work->flops / (e->vector_fraction * r->vector_flops_per_s));
        NNC_NOTE(why, "time on the vector units, which compute convolutions that suit no matrix unit");
        if (op->u.conv.on_vectors) {
            NNC_LET(why, single_s, "s", plain_s);
            NNC_PUT(why, grouped_ratio, NULL);
            NNC_SET(why, matrix_s, "s", nnc_max(product_s, single_s / grouped_ratio));
            NNC_NOTE(why, "grouped convolution that no kernel of the matrix units supports");
            return matrix_s;
        }
        NNC_SET(why, matrix_s, "s", nnc_max(nnc_min(product_s, plain_s), least_s));
    }
    return matrix_s;
}

/* Tests whether the device is a CPU whose file was written by nncost.measure. */
static bool is_own_host(const nnc_device *device) {
    return device->host.kernel_s == 0.0 && strcmp(device->vendor, "cpu") == 0;
}

/* Smallest batch for which PyTorch gives a convolution with one tap to oneDNN on one thread. Source: use_mkldnn,
 * aten/src/ATen/native/Convolution.cpp of PyTorch ("THNN is faster when single-threaded"). */
enum { LIBRARY_BATCH = 16 };

/* Tests whether PyTorch on a CPU computes a convolution with one tap as one matrix product per image. */
static bool is_product(const nnc_device *device, const nnc_op *op) {
    const nnc_conv *p = &op->u.conv;
    return device->units == 1 && p->kernel == 1 && p->kernel_w <= 1 && p->stride == 1 && p->groups == 1 &&
           p->batch < LIBRARY_BATCH;
}

/* Returns the matrix products of a convolution on a CPU, one for each image (see is_product), as one op: m x n results
 * with sums of k terms. The returned op has the phase recompute, so it keeps no tensor. */
static nnc_op images_of(const nnc_op *op) {
    const nnc_conv *p = &op->u.conv;
    const int64_t map = p->h_out * p->w_out;
    const bool input = op->phase == NNC_PHASE_GRAD_INPUT, weight = op->phase == NNC_PHASE_GRAD_WEIGHT;
    nnc_op made = {
        .kind = NNC_OP_MATMUL, .phase = NNC_PHASE_RECOMPUTE, .dtype = op->dtype, .math_dtype = op->math_dtype
    };
    const int64_t terms = weight ? map : input ? p->c_out : p->c_in;
    nnc_matmul_set(&made.u.matmul, p->batch, input ? p->c_in : p->c_out, weight ? p->c_in : map, terms);
    made.u.matmul.padded = true;
    return made;
}

/* Largest side of a kernel for which oneDNN 2.6 computes the weight gradient of a depthwise convolution with a vector
 * kernel. Measured on a Xeon with 2 x 200 x 26 x 26 values: 15.2 GFLOP/s with sides of 3; 1.7 to 2.0 GFLOP/s with sides
 * of 4, 5 and 7. The rows conv_grad_weight of `python3 -m nncost.measure` have sides of 3 and 5. */
enum { CHANNEL_SIDE_MOST = 3 };

/* Time of an fp32 convolution on a CPU. PyTorch computes the convolution as matrix products (is_product) or with
 * oneDNN, which copies operands and result between PyTorch's layout and its own:
 *     t = max(F / (f P), bytes / (g B)) + 2 bytes / (g B) + t0
 * F is the number of FLOPs, f P the rate and g B the bandwidth that the convolution reaches, and t0 the fixed time. The
 * weight gradient of a depthwise convolution with a large kernel takes F / (v V) instead of F / (f P); v is
 * library_channel_fraction, V the rate of the vector units.   [conv-time] */
NNC_SAYING nnc_timing host_conv_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                                     nnc_derivation *why) {
    if (is_product(device, op)) {
        const nnc_op products = images_of(op);
        const nnc_work own = nnc_op_work(&products);
        NNC_WHEN(why, nnc_op_say(&products, why));
        return gemm_time(device, &products, &own, why);
    }
    const nnc_conv_efficiency *e = &device->efficiency.conv;
    const nnc_efficiency shared = { e->sustained_fraction, e->memory_fraction, e->fixed_s };
    const device_rates r = rates_of(device, op->math_dtype, &shared, why);
    const bool depthwise = op->u.conv.groups > 1 && op->u.conv.groups == op->u.conv.c_in;
    nnc_say_work(work, why);
    double matrix_s = 0.0;
    if (depthwise && op->phase == NNC_PHASE_GRAD_WEIGHT && op->u.conv.kernel > CHANNEL_SIDE_MOST &&
        !isnan(e->library_channel_fraction)) {
        NNC_LET(why, channel_fraction, NULL, e->library_channel_fraction);
        NNC_SET(why, matrix_s, "s", work->flops / (channel_fraction * r.vector_flops_per_s));
        NNC_NOTE(why, "weight gradient of a depthwise convolution with more than 3 taps on a side: no vector kernel");
    } else {
        NNC_SAY(why, sustained, NULL, nnc_min(r.sustained_fraction * r.calibration, 1.0));
        NNC_SET(why, matrix_s, "s", work->flops / (sustained * r.matmul_flops_per_s));
    }
    const double vector_s = vector_seconds(&r, work, why);
    NNC_SAY(why, compute_s, "s", nnc_max(matrix_s, vector_s));
    NNC_SAY(why, memory_s, "s", (work->read_bytes + work->write_bytes) / (r.memory_fraction * r.mem_bytes_per_s));
    nnc_timing t = roofline(compute_s, memory_s, r.fixed_s, why);
    NNC_LET(why, product_time_s, "s", t.time_s);
    NNC_SET(why, t.time_s, "s", product_time_s + 2.0 * memory_s);
    NNC_NOTE(why, "oneDNN copies operands and result between the layouts of PyTorch and its own: one read, one write");
    return t;
}

NNC_SAYING nnc_timing conv_time(const nnc_device *device, const nnc_op *op, const nnc_work *work, nnc_derivation *why) {
    if (is_own_host(device) && op->math_dtype == NNC_FP32 && !op->u.conv.transposed) {
        return host_conv_time(device, op, work, why);
    }
    nnc_conv_efficiency e = device->efficiency.conv;
    if (op->issued_as == NNC_ISSUED_TOO && op->u.conv.groups == 1 && op->math_dtype != NNC_FP32 &&
        !isnan(e.library_sustained_fraction)) {
        e.sustained_fraction = e.library_sustained_fraction;
        e.channels_half = e.library_channels_half;
    }
    const nnc_efficiency shared = { e.sustained_fraction, e.memory_fraction, e.fixed_s };
    const device_rates r = rates_of(device, op->math_dtype, &shared, why);
    nnc_say_work(work, why);
    double matrix_s = 0.0;
    if (by_channel(op) && op->u.conv.contiguous && !isnan(e.library_channel_fraction)) {
        NNC_LET(why, channel_fraction, NULL, e.library_channel_fraction);
        NNC_LET(why, fp32_flops_per_s, "FLOP/s", device->vector_flops_per_s[NNC_FP32]);
        NNC_SET(why, matrix_s, "s", work->flops / (channel_fraction * fp32_flops_per_s));
        NNC_NOTE(why, "depthwise convolution, computed in fp32 on the vector units");
    } else if (takes_native_s(device, op)) {
        matrix_s = native_s(device, op, work, why);
    } else if (work->flops > 0.0) {
        matrix_s = products_s(op, work, &e, &r, device->units, why);
    }
    NNC_PUT(why, matrix_s, "s");
    const double vector_s = vector_seconds(&r, work, why);
    NNC_SAY(why, compute_s, "s", nnc_max(matrix_s, vector_s));
    double memory_s = 0.0;
    NNC_SET(why, memory_s, "s", (work->read_bytes + work->write_bytes) / (r.memory_fraction * r.mem_bytes_per_s));
    nnc_timing t = roofline(compute_s, memory_s, r.fixed_s, why);
    if (by_channel(op) && op->phase == NNC_PHASE_GRAD_WEIGHT && !isnan(e.library_channel_weight_ratio)) {
        NNC_LET(why, swept_s, "s", op->u.conv.contiguous ? nnc_max(compute_s, memory_s) : memory_s);
        NNC_LET(why, channel_weight_ratio, NULL, e.library_channel_weight_ratio);
        NNC_PUT(why, r.fixed_s, "s");
        NNC_SET(why, t.time_s, "s", nnc_max(compute_s, channel_weight_ratio * swept_s) + r.fixed_s);
        NNC_NOTE(why, "weight gradient of a depthwise convolution: a sum over all positions per tap; swept_s: kernel "
                      "time if contiguous, else memory time");
    }
    const double conversion_s = converted_s(device, op, why);
    if (conversion_s > 0.0) {
        NNC_LET(why, product_time_s, "s", t.time_s);
        NNC_SET(why, t.time_s, "s", product_time_s + conversion_s);
        NNC_NOTE(why, "separate kernels convert the layout before and after the product");
    }
    return t;
}

/* ---- time with constant fractions of the datasheet rates ---- */

/* Returns the time of an op from constant fractions of the datasheet rates. The rate of matrix products in an optimizer
 * update is multiplied by the calibration of the machine as well. */
NNC_SAYING nnc_timing constant_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                                    nnc_derivation *why) {
    const nnc_efficiency e = form_of(op)->efficiency(device, op);
    const device_rates r = rates_of(device, op->math_dtype, &e, why);
    nnc_say_work(work, why);
    double matrix_s = 0.0;
    if (work->flops > 0.0) {
        NNC_SAY(why, sustained, NULL, nnc_min(r.sustained_fraction * r.calibration, 1.0));
        NNC_SET(why, matrix_s, "s", work->flops / (sustained * r.matmul_flops_per_s));
    }
    NNC_PUT(why, matrix_s, "s");
    const double vector_s = vector_seconds(&r, work, why);
    NNC_SAY(why, compute_s, "s", nnc_max(matrix_s, vector_s));
    double memory_s = 0.0;
    NNC_SET(why, memory_s, "s", (work->read_bytes + work->write_bytes) / (r.memory_fraction * r.mem_bytes_per_s));
    if (op->kind == NNC_OP_UPDATE && op->u.update.new_bytes > 0.0) {
        NNC_LET(why, moved_s, "s", memory_s);
        NNC_LET(why, new_bytes, "B", op->u.update.new_bytes);
        NNC_LET(why, new_bytes_per_s, "B/s", device->host.new_bytes_per_s);
        NNC_SET(why, memory_s, "s", moved_s + new_bytes / new_bytes_per_s);
        NNC_NOTE(why, "tensors of the whole step lie in new memory, and the first write to a page is slow");
    }
    return roofline(compute_s, memory_s, r.fixed_s, why);
}

/* ---- the table of forms: one row per formula for the time of an op ---- */

static nnc_efficiency pointwise_efficiency(const nnc_device *device, const nnc_op *op) {
    const nnc_efficiencies *all = &device->efficiency;
    const bool tuned = op->tuned && !isnan(all->pointwise_tuned.memory_fraction);
    return tuned ? all->pointwise_tuned : all->pointwise;
}

static nnc_efficiency map_efficiency(const nnc_device *device, const nnc_op *op) {
    const nnc_efficiencies *all = &device->efficiency;
    const nnc_efficiency *maps = op->tuned && !isnan(all->maps_tuned.memory_fraction) ? &all->maps_tuned : &all->maps;
    return maps->memory_fraction > 0.0 ? *maps : pointwise_efficiency(device, op);
}

/* Returns the efficiency of casts to 8 bits. The library of matrix products runs casts to 8 bits, so a cast reaches the
 * bandwidth of that library. */
static nnc_efficiency cast_efficiency(const nnc_device *device, const nnc_op *op) {
    nnc_efficiency e = pointwise_efficiency(device, op);
    e.memory_fraction = device->efficiency.gemm[NNC_FP8].memory_fraction;
    e.fixed_s = device->efficiency.gemm[NNC_FP8].fixed_s;
    return e;
}

/* Returns the efficiency of an optimizer update. On a CPU the efficiency `optimizer` is measured with AdamW, whose
 * operators also compute roots and quotients. The operators of SGD only multiply and add, so they have the efficiency
 * of kernels that add tensors (`stream`). Measured with optimizer.step() of PyTorch 1.13 for 25.6 million parameters on
 * one core of an AMD EPYC: AdamW moves 10.7 GB/s, SGD with momentum 28 GB/s. */
static nnc_efficiency update_efficiency(const nnc_device *device, const nnc_op *op) {
    const nnc_stream_efficiency *stream = &device->efficiency.stream;
    const nnc_optimizer optimizer = op->u.update.optimizer;
    nnc_efficiency e = device->efficiency.optimizer;
    if (device->host.kernel_s == 0.0 && !isnan(stream->memory_fraction) && op->u.update.kind == NNC_UPDATE_STEP &&
        (optimizer == NNC_OPTIMIZER_SGD || optimizer == NNC_OPTIMIZER_MOMENTUM)) {
        e.memory_fraction = stream->memory_fraction;
        e.fixed_s = stream->fixed_s;
    }
    return e;
}

/* Defines the two functions of a form for the table of forms: form_plain without a derivation, and form_say with a
 * derivation. */
#define FORM(form)                                                                                     \
    static nnc_timing form##_plain(const nnc_device *device, const nnc_op *op, const nnc_work *work) { \
        return form(device, op, work, NULL);                                                           \
    }                                                                                                  \
    static nnc_timing form##_say(const nnc_device *device, const nnc_op *op, const nnc_work *work,     \
                                 nnc_derivation *why) {                                                \
        return form(device, op, work, why);                                                            \
    }
#define MEMBERS(form) .time = form##_plain, .say = form##_say

FORM(constant_time)
FORM(gemm_time)
FORM(flash_time)
FORM(conv_time)

#define ROW(value, ...) static const time_form NNC_ROW(value) = { __VA_ARGS__ };
ROW(NNC_TIMED_GEMM, MEMBERS(gemm_time))
ROW(NNC_TIMED_FLASH, MEMBERS(flash_time))
ROW(NNC_TIMED_CONV, MEMBERS(conv_time))
ROW(NNC_TIMED_POINTWISE, MEMBERS(constant_time), .efficiency = pointwise_efficiency)
ROW(NNC_TIMED_MAP, MEMBERS(constant_time), .efficiency = map_efficiency)
ROW(NNC_TIMED_CAST, MEMBERS(constant_time), .efficiency = cast_efficiency)
ROW(NNC_TIMED_UPDATE, MEMBERS(constant_time), .efficiency = update_efficiency)
/* The time of a collective follows from its links, so the functions in the row of collectives are never called. */
ROW(NNC_TIMED_NETWORK, MEMBERS(constant_time), .efficiency = pointwise_efficiency)

static const time_form *const forms[] = { NNC_TIMED_LIST(NNC_ROW_AT) };

static const time_form *form_of(const nnc_op *op) { return forms[nnc_op_timed(op)]; }

/* ---- time of the kernels that a library issues for an op ---- */

/* A library issues one op as several kernels, which together take
 *     t = bytes / (g B) + mixed bytes / (g_mixed B) + rows s + F / (f P) + kernels t0
 * Kernels reach the fraction g of the bandwidth B, and kernels whose operands have two formats reach g_mixed. s is the
 * time per row of a layer norm. F is the FLOPs of attention that runs as separate fp32 products, and f P the rate of
 * these products. t0 is the fixed time of a kernel. Returns the fraction g for an op.   [issued] */
static double issued_fraction(const nnc_stream_efficiency *e, const nnc_op *op) {
    if (op->kind == NNC_OP_UPDATE) {
        const bool passes =
            op->u.update.optimizer == NNC_OPTIMIZER_MOMENTUM && op->u.update.kernels != NNC_KERNELS_FUSED;
        return passes || !op->u.update.fused                 ? e->memory_fraction
               : op->u.update.policy == NNC_POLICY_BF16_PURE ? e->adamw_narrow_fraction
                                                             : e->adamw_fraction;
    }
    const bool fused_norm = op->kind == NNC_OP_NORM && op->u.norm.kind != NNC_NORM_RMS;
    return fused_norm                                                               ? e->norm_fraction
           : op->kind == NNC_OP_LOSS && !op->u.loss.squared_error                   ? e->loss_fraction
           : op->kind == NNC_OP_POINTWISE && op->u.pointwise.kind == NNC_PW_SOFTMAX ? e->softmax_fraction
                                                                                    : e->memory_fraction;
}

/* Returns the format of the matrix units that multiply fp32 operands. Devices without an fp32 rate round the operands
 * to a narrower format, as the compilers of Neuron (--auto-cast matmult) and XLA (default precision) do. */
static nnc_dtype units_of_fp32(const nnc_device *device) {
    static const nnc_dtype narrower[] = { NNC_FP32, NNC_TF32, NNC_BF16 };
    size_t i = 0;
    while (i < 2 && isnan(nnc_device_matmul_peak(device, narrower[i]))) { i++; }
    return narrower[i];
}

NNC_SAYING nnc_timing issued_time(const nnc_device *device, const nnc_op *op, nnc_derivation *why) {
    const nnc_stream_efficiency *e = &device->efficiency.stream;
    const nnc_issued i = nnc_op_issued(op);
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    const bool by_rows = op->kind == NNC_OP_NORM && op->u.norm.kind == NNC_NORM_LAYER;
    NNC_PUT(why, i.kernels, NULL);
    NNC_PUT(why, i.bytes, "B");
    NNC_PUT(why, i.mixed_bytes, "B");
    NNC_PUT(why, device->mem_bytes_per_s, "B/s");
    NNC_PUT(why, e->mixed_fraction, NULL);
    NNC_PUT(why, e->fixed_s, "s");
    NNC_LET(why, fraction, NULL, issued_fraction(e, op));
    NNC_LET(why, row_s, "s", !by_rows ? 0.0 : backward ? e->norm_row_backward_s : e->norm_row_s);
    NNC_LET(why, rows, NULL, by_rows ? (double)op->u.norm.rows : 0.0);
    NNC_SAY(why, issued_s, "s",
            i.bytes / (fraction * device->mem_bytes_per_s) +
                i.mixed_bytes / (e->mixed_fraction * device->mem_bytes_per_s) + rows * row_s);
    NNC_NOTE(why, "unfused: one kernel per operator, one after the other");
    double products_s = 0.0;
    if (op->kind == NNC_OP_FLASH) {
        const nnc_flash *p = &op->u.flash;
        const double widths = (double)(p->head_dim + p->value_dim);
        NNC_LET(why, flops, "FLOP", nnc_flash_scores(p) * 2.0 * widths * (backward ? 2.0 : 1.0));
        const nnc_dtype units = units_of_fp32(device);
        NNC_NOTE(why, "two products in forward, four in backward, in fp32");
        NNC_LET(why, fp32_fraction, NULL, device->efficiency.gemm[units].sustained_fraction);
        NNC_LET(why, fp32_flops_per_s, "FLOP/s", nnc_device_matmul_peak(device, units));
        NNC_SET(why, products_s, "s", flops / (fp32_fraction * fp32_flops_per_s));
    }
    NNC_PUT(why, products_s, "s");
    NNC_SAY(why, kernels_s, "s", issued_s + products_s);
    NNC_SAY(why, started_s, "s", i.kernels * e->fixed_s);
    return roofline(products_s, kernels_s, started_s, why);
}

NNC_SAYING nnc_timing issued_too(const nnc_device *device, const nnc_op *op, nnc_derivation *why) {
    const nnc_issued i = nnc_op_issued(op);
    const nnc_stream_efficiency *e = &device->efficiency.stream;
    nnc_op plain = *op;
    plain.issued_as = NNC_ISSUED_NOT;
    const nnc_work own = nnc_op_work(&plain);
    nnc_timing t = why != NULL ? form_of(op)->say(device, op, &own, why) : form_of(op)->time(device, op, &own);
    /* oneDNN adds the biases in the kernel of the convolution, so no other kernel adds them */
    const bool inside = op->kind == NNC_OP_CONV && is_own_host(device);
    const double bytes = inside ? 0.0 : i.bytes, kernels = nnc_max(0.0, i.kernels - 1.0);
    if (!(bytes + i.mixed_bytes + kernels > 0.0)) { return t; }
    NNC_PUT(why, bytes, "B");
    NNC_PUT(why, i.mixed_bytes, "B");
    NNC_PUT(why, kernels, NULL);
    NNC_PUT(why, device->mem_bytes_per_s, "B/s");
    NNC_PUT(why, e->memory_fraction, NULL);
    NNC_PUT(why, e->mixed_fraction, NULL);
    NNC_PUT(why, e->fixed_s, "s");
    NNC_LET(why, own_memory_s, "s", t.memory_s);
    NNC_LET(why, own_time_s, "s", t.time_s);
    NNC_SAY(why, further_s, "s",
            bytes / (e->memory_fraction * device->mem_bytes_per_s) +
                i.mixed_bytes / (e->mixed_fraction * device->mem_bytes_per_s) + kernels * e->fixed_s);
    NNC_NOTE(why, "further kernels that the library issues for this op: casts, biases, sums of gradients");
    NNC_SET(why, t.memory_s, "s", own_memory_s + further_s);
    NNC_SET(why, t.time_s, "s", own_time_s + further_s);
    return t;
}

nnc_timing nnc_op_time(const nnc_device *device, const nnc_op *op, const nnc_work *work) {
    if (op->issued_as != NNC_ISSUED_NOT) {
        return op->issued_as == NNC_ISSUED_INSTEAD ? issued_time(device, op, NULL) : issued_too(device, op, NULL);
    }
    return form_of(op)->time(device, op, work);
}

nnc_timing nnc_op_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work, nnc_derivation *why) {
    if (op->issued_as != NNC_ISSUED_NOT) {
        return op->issued_as == NNC_ISSUED_INSTEAD ? issued_time(device, op, why) : issued_too(device, op, why);
    }
    return form_of(op)->say(device, op, work, why);
}
