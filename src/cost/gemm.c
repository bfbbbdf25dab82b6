#include "cost/roofline.h"

/* C[m,n] = A[m,k] B[k,n]: C is cut into tiles of tm x tn, each computed by one of the device's N
 * units; k may be split over s of them. A wave of N tiles runs at once:
 *     W  = s ceil(m / tm) ceil(n / tn) / N                      waves
 *     We = q ceil(W) + (1 - q) max(W, 1)                        of which the last counts q times whole
 *     tc = max(We 2 tm tn (k / s + k0) / (f P / N),             the units
 *              s ceil(m / tm) ceil(n / tn) (tm + tn) (k / s) e / L)   the cache that feeds them
 *     tv = bytes / (g B) + 8 m n s / L if s > 1                 memory; partial sums through the cache
 *     tb = min over tiles and s of (tc^4 + tv^4)^(1/4)
 *     t  = tb (1 + (b - 1) tb / (tb + 0.5 ms)) + t0             long kernels run at a lower clock
 * with L = l2_bytes_per_flop P, or l2_bytes_per_s where that is given, P the peak, f the rate of short kernels, b = boost_ratio. A weight whose sides are no
 * multiples of 8 takes unaligned_ratio times tc. A product that adds to sums waits for 0.6 of what their
 * way through memory has more than that of a plain result: the last step of a tile reads and writes them while its unit computes nothing. */

enum { TILES = 6, SPLIT_MOST = 8, ALIGNED = 8 };

/* Sides of the tiles: wide and narrow, as the libraries of the vendors have them. */
static const struct {
    int side_m, side_n; /* index into the sides below */
} kinds_of_tile[TILES] = { { 0, 1 }, { 1, 0 }, { 1, 1 }, { 1, 2 }, { 2, 1 }, { 2, 2 } };

enum { SIDES = 3 };
static const double sides[SIDES] = { 256.0, 128.0, 64.0 };

/* Splitting k fills units that would idle; it does not make more waves than these. */
static const double split_waves = 4.0;

/* Time after which the clock has come down half of the way. */
static const double throttle_s = 0.5e-3;

/* Share of the way of sums through memory, beyond that of a plain result, that products wait for. Fitted: see
 * docs/accuracy.md. */
static const double sums_share = 0.6;

typedef struct product {
    double count, m, n, k; /* so many products of this shape */
    double unit_s;         /* seconds of one multiply-add pair on one unit */
    double cache_s;        /* seconds per byte; 0 = no limit */
    double partial_s;      /* seconds per byte of partial sums */
    double element_bytes, units, k_fill, wave_quantization;
    double operands_s; /* operands and result through memory, once */
} product;

typedef struct choice {
    double tiled_s, moved_s, score; /* score: fourth power of their blend */
} choice;

NNC_SAYING choice try_split(const product *p, double tiles, double tm, double tn, double split,
                            nnc_derivation *why)
{
    NNC_SAY(why, blocks, NULL, tiles * split);
    NNC_SAY(why, waves, NULL, blocks / p->units);
    NNC_SAY(why, counted_waves, NULL,
            p->wave_quantization * nnc_ceil(waves) +
                (1.0 - p->wave_quantization) * nnc_max(waves, 1.0));
    NNC_NOTE(why, "a wave that is not full counts as full to this share");
    NNC_SAY(why, part, NULL, p->k / split);
    NNC_SAY(why, busy_s, "s", counted_waves * 2.0 * tm * tn * (part + p->k_fill) * p->unit_s);
    NNC_NOTE(why, "the units; a tile's start and end cost as much as k_fill elements of k");
    NNC_SAY(why, fed_s, "s", blocks * (tm + tn) * part * p->element_bytes * p->cache_s);
    NNC_NOTE(why, "the cache that feeds them");
    double partial_bytes = 0.0;
    if (split > 1.0) {
        NNC_SET(why, partial_bytes, "B", 8.0 * p->count * p->m * p->n * split);
        NNC_NOTE(why, "partial sums of the parts of k, written and read in fp32");
    }
    NNC_PUT(why, partial_bytes, "B");
    NNC_SAY(why, tiled_s, "s", nnc_max(busy_s, fed_s));
    NNC_SAY(why, moved_s, "s", p->operands_s + partial_bytes * p->partial_s);
    return (choice){ tiled_s, moved_s, nnc_pow4(tiled_s) + nnc_pow4(moved_s) };
}

/* How many tiles of each kind, and into how many parts k may be split. */
typedef struct grid {
    double rows[SIDES], columns[SIDES];
    double most_blocks;
} grid;

NNC_SAYING grid grid_of(const product *p)
{
    grid g = { .most_blocks = split_waves * p->units };
    for (int i = 0; i < SIDES; i++) {
        g.rows[i] = nnc_ceil(p->m / sides[i]) * p->count;
        g.columns[i] = nnc_ceil(p->n / sides[i]);
    }
    return g;
}

NNC_SAYING choice best_tiling(const product *p)
{
    choice best = { .score = INFINITY };
    const grid g = grid_of(p);
    for (int i = 0; i < TILES; i++) {
        const double tm = sides[kinds_of_tile[i].side_m], tn = sides[kinds_of_tile[i].side_n];
        const double count = g.rows[kinds_of_tile[i].side_m] * g.columns[kinds_of_tile[i].side_n];
        for (int split = 1; split == 1 || (split <= SPLIT_MOST && count * split <= g.most_blocks);
             split *= 2) {
            const choice c = try_split(p, count, tm, tn, split, NULL);
            best = c.score < best.score ? c : best;
        }
    }
    return best;
}

/* The first choice that was the best, again and saying why. */
static void say_tiling(const product *p, const choice *best, nnc_derivation *why)
{
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
            NNC_NOTE(why,
                     "of tm x tn, each computed by one unit; of the tiles and splits of k there "
                     "are, those that take least");
            try_split(p, tiles, tm, tn, split, why);
            return;
        }
    }
}

/* What the cache feeds to the units; NaN = no limit. */
NNC_SAYING double cache_rate_of(const nnc_gemm_efficiency *e, double matmul_flops_per_s,
                                nnc_derivation *why)
{
    if (!isnan(e->l2_bytes_per_s) || isnan(e->l2_bytes_per_flop)) {
        return e->l2_bytes_per_s;
    }
    NNC_PUT(why, e->l2_bytes_per_flop, "B/FLOP");
    NNC_PUT(why, matmul_flops_per_s, "FLOP/s");
    NNC_SAY(why, cache_rate, "B/s", e->l2_bytes_per_flop * matmul_flops_per_s);
    NNC_NOTE(why, "what the cache feeds to the units grows with their peak");
    return cache_rate;
}

NNC_SAYING product product_of(const nnc_device *device, const nnc_op *op,
                              const nnc_gemm_efficiency *e, double rate, double memory_rate,
                              nnc_derivation *why)
{
    const double cache_rate = cache_rate_of(e, nnc_device_matmul_peak(device, op->math_dtype), why);
    const nnc_matmul *u = &op->u.matmul;
    const double experts = u->experts > 0 ? (double)u->experts : 1.0;
    const bool grouped_k = op->phase == NNC_PHASE_GRAD_WEIGHT; /* rows of an expert are its k */
    product p = {
        .count = (double)u->batch * (u->one_by_one ? 1.0 : experts),
        .m = (double)u->m / (grouped_k ? 1.0 : experts),
        .n = (double)u->n,
        .k = (double)u->k / (grouped_k ? experts : 1.0),
        .cache_s = isnan(cache_rate) ? 0.0 : 1.0 / cache_rate,
        .partial_s = isnan(cache_rate) ? 1.0 / memory_rate : 1.0 / cache_rate,
        .element_bytes = nnc_dtype_bytes(op->math_dtype),
        .units = device->units,
        .k_fill = e->k_fill,
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
    NNC_NOTE(why,
             "of a multiply and an add on one of the device's units; cache_s and partial_s: of a "
             "byte of operands and of partial sums");
    return p;
}

/* Products of a group are one kernel, or as many as there are experts. */
static double kernels_of(const nnc_matmul *u)
{
    return u->one_by_one && u->experts > 1 ? (double)u->experts : 1.0;
}

static double alignment_of(const nnc_matmul *u, const nnc_gemm_efficiency *e)
{
    const bool ragged = u->experts > 1 && !(u->useful > 0.0); /* no slots of one size */
    const double scales = (u->in_blocks ? e->block_ratio : 1.0) * (ragged ? e->group_ratio : 1.0);
    const bool odd = u->n % ALIGNED != 0 || u->k % ALIGNED != 0 || u->m % ALIGNED != 0;
    return scales * (u->b_is_weight && odd ? e->unaligned_ratio : 1.0);
}

/* What sums take that are wider than a plain result, or are added to, as far as the units do not wait for memory
 * anyway. */
NNC_SAYING double sums_s_of(const nnc_rates *r, const nnc_op *op, const nnc_work *work,
                            double busy_share, nnc_derivation *why)
{
    if (op->phase != NNC_PHASE_GRAD_WEIGHT || !(op->grad_bytes > 0.0)) {
        return 0.0;
    }
    NNC_PUT(why, sums_share, NULL);
    NNC_PUT(why, busy_share, NULL);
    NNC_LET(why, grad_accumulate, NULL, op->grad_accumulate);
    NNC_LET(why, plain, NULL, nnc_min(nnc_dtype_bytes(op->dtype) / op->grad_bytes, 1.0));
    NNC_SAY(why, sums_s, "s",
            sums_share * busy_share * (1.0 + grad_accumulate - plain) * work->write_bytes /
                r->mem_bytes_per_s);
    NNC_NOTE(why,
             "sums that the product adds to, read and written at the end of each tile; plain: what "
             "a result as wide as other outputs takes of it");
    return sums_s;
}

NNC_SAYING nnc_timing gemm_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                                nnc_derivation *why)
{
    const nnc_gemm_efficiency *e = &device->efficiency.gemm[op->math_dtype];
    const nnc_efficiency shared = { e->sustained_fraction, e->memory_fraction, e->fixed_s };
    const nnc_rates r = nnc_rates_of(device, op->math_dtype, &shared, why);
    nnc_say_work(work, why);
    NNC_LET(why, alignment, NULL, alignment_of(&op->u.matmul, e));
    NNC_LET(why, kernels, NULL, kernels_of(&op->u.matmul));
    NNC_PUT(why, e->boost_ratio, NULL);
    const double vector_s = nnc_vector_s(&r, work, why);
    if (isnan(e->wave_quantization) || device->units <= 0) {
        NNC_SAY(why, sustained, NULL, nnc_min(r.sustained_fraction * r.calibration, 1.0));
        NNC_SAY(why, matrix_s, "s", work->flops / (sustained * r.matmul_flops_per_s) * alignment);
        NNC_SAY(why, compute_s, "s", nnc_max(matrix_s, vector_s));
        NNC_SAY(why, memory_s, "s",
                (work->read_bytes + work->write_bytes) / (r.memory_fraction * r.mem_bytes_per_s));
        return nnc_roofline(compute_s, memory_s, kernels * r.fixed_s, why);
    }
    NNC_SAY(why, rate, "FLOP/s",
            nnc_min(r.sustained_fraction * r.calibration * e->boost_ratio, 1.0) *
                r.matmul_flops_per_s);
    NNC_NOTE(why, "of short kernels");
    NNC_SAY(why, memory_rate, "B/s", r.memory_fraction * r.mem_bytes_per_s);
    product p = product_of(device, op, e, rate, memory_rate, why);
    NNC_SET(why, p.operands_s, "s", (work->read_bytes + work->write_bytes) / memory_rate / kernels);
    NNC_NOTE(why, "operands and result, once");
    const choice c = best_tiling(&p);
    NNC_WHEN(why, say_tiling(&p, &c, why));
    NNC_SAY(why, aligned_s, "s", c.tiled_s * alignment);
    NNC_NOTE(why,
             op->u.matmul.in_blocks
                 ? "a weight with a side that is no multiple of 8, and scales for blocks of 128 "
                   "in place of tensors, take longer"
                 : "a weight with a side that is no multiple of 8 takes longer");
    NNC_SAY(why, blend_s, "s", sqrt(sqrt(nnc_pow4(aligned_s) + nnc_pow4(c.moved_s))));
    NNC_NOTE(why, "units and memory at once");
    NNC_PUT(why, throttle_s, "s");
    NNC_SAY(why, all_s, "s", kernels * blend_s);
    NNC_SAY(why, clock, NULL, 1.0 + (e->boost_ratio - 1.0) * all_s / (all_s + throttle_s));
    NNC_NOTE(why, "long kernels run at a lower clock");
    NNC_SAY(why, compute_s, "s", nnc_max(kernels * aligned_s * clock, vector_s));
    NNC_SAY(why, memory_s, "s", kernels * c.moved_s * clock);
    nnc_timing t = nnc_roofline(compute_s, memory_s, kernels * r.fixed_s, NULL);
    const double busy_share = nnc_pow4(aligned_s) / nnc_pow4(blend_s);
    NNC_LET(why, sums_s, "s", sums_s_of(&r, op, work, busy_share, why));
    NNC_SET(why, t.time_s, "s", nnc_max(all_s * clock, vector_s) + sums_s + kernels * r.fixed_s);
    NNC_SOURCE(why, "Williams, Waterman, Patterson, CACM 52(4), 2009; docs/formulas.md, gemm-time");
    return t;
}

nnc_timing nnc_gemm_time(const nnc_device *device, const nnc_op *op, const nnc_work *work)
{
    return gemm_time(device, op, work, NULL);
}

nnc_timing nnc_gemm_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work,
                             nnc_derivation *why)
{
    return gemm_time(device, op, work, why);
}
