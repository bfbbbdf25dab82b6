#include <math.h>

#include "base/number.h"
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
 * with P the peak, f the rate of short kernels, b = boost_ratio. A weight whose sides are no
 * multiples of 8 takes unaligned_ratio times tc. */

enum { TILES = 6, SPLIT_MOST = 8, ALIGNED = 8 };

/* Sides of the tiles: wide and narrow, as the libraries of the vendors have them. */
static const struct {
    int side_m, side_n; /* index into the sides below */
} tiles[TILES] = { { 0, 1 }, { 1, 0 }, { 1, 1 }, { 1, 2 }, { 2, 1 }, { 2, 2 } };

enum { SIDES = 3 };
static const double sides[SIDES] = { 256.0, 128.0, 64.0 };

/* Splitting k fills units that would idle; it does not make more waves than these. */
static const double split_waves = 4.0;

/* Time after which the clock has come down half of the way. */
static const double throttle_s = 0.5e-3;

/* Whole and positive, far below 2^63: ceil without the call. */
static double round_up(double x)
{
    const double whole = (double)(int64_t)x;
    return whole < x ? whole + 1.0 : whole;
}

typedef struct product {
    double count, m, n, k; /* so many products of this shape */
    double memory_s;       /* operands and result, once */
    double unit_s;         /* seconds of one multiply-add pair on one unit */
    double cache_s;        /* seconds per byte; 0 = no limit */
    double partial_s;      /* seconds per byte of partial sums */
    double element_bytes, units, k_fill, quantization;
} product;

typedef struct choice {
    double compute_s, memory_s, score; /* score: fourth power of their blend */
} choice;

static double fourth(double x)
{
    return x * x * x * x;
}

static choice try_split(const product *p, double tile_count, double tm, double tn, double split)
{
    const double blocks = tile_count * split;
    const double waves = blocks / p->units;
    const double part = p->k / split;
    const double counted =
        p->quantization * round_up(waves) + (1.0 - p->quantization) * nnc_max(waves, 1.0);
    const double busy_s = counted * 2.0 * tm * tn * (part + p->k_fill) * p->unit_s;
    const double fed_s = blocks * (tm + tn) * part * p->element_bytes * p->cache_s;
    const double partial_bytes = split > 1.0 ? 8.0 * p->count * p->m * p->n * split : 0.0;
    choice c = { .compute_s = nnc_max(busy_s, fed_s),
                 .memory_s = p->memory_s + partial_bytes * p->partial_s };
    c.score = fourth(c.compute_s) + fourth(c.memory_s);
    return c;
}

static choice best_tiling(const product *p)
{
    choice best = { .score = INFINITY };
    double rows[SIDES], columns[SIDES];
    const double most_blocks = split_waves * p->units;
    for (int i = 0; i < SIDES; i++) {
        rows[i] = round_up(p->m / sides[i]) * p->count;
        columns[i] = round_up(p->n / sides[i]);
    }
    for (int i = 0; i < TILES; i++) {
        const double tm = sides[tiles[i].side_m], tn = sides[tiles[i].side_n];
        const double tile_count = rows[tiles[i].side_m] * columns[tiles[i].side_n];
        for (int split = 1;
             split == 1 || (split <= SPLIT_MOST && tile_count * split <= most_blocks); split *= 2) {
            const choice c = try_split(p, tile_count, tm, tn, split);
            best = c.score < best.score ? c : best;
        }
    }
    return best;
}

static product product_of(const nnc_device *device, const nnc_op *op, const nnc_gemm_efficiency *e,
                          double rate)
{
    const nnc_matmul *u = &op->u.matmul;
    const double experts = u->experts > 0 ? (double)u->experts : 1.0;
    const bool grouped_k = op->phase == NNC_PHASE_GRAD_WEIGHT; /* rows of an expert are its k */
    const double memory_rate = e->memory_fraction * device->mem_bytes_per_s;
    return (product){
        .count = (double)u->batch * experts,
        .m = (double)u->m / (grouped_k ? 1.0 : experts),
        .n = (double)u->n,
        .k = (double)u->k / (grouped_k ? experts : 1.0),
        .unit_s = device->units / rate,
        .cache_s = isnan(e->l2_bytes_per_s) ? 0.0 : 1.0 / e->l2_bytes_per_s,
        .partial_s = isnan(e->l2_bytes_per_s) ? 1.0 / memory_rate : 1.0 / e->l2_bytes_per_s,
        .element_bytes = nnc_dtype_bytes(op->math_dtype),
        .units = device->units,
        .k_fill = e->k_fill,
        .quantization = e->wave_quantization,
    };
}

static double alignment(const nnc_matmul *u, const nnc_gemm_efficiency *e)
{
    const bool odd = u->n % ALIGNED != 0 || u->k % ALIGNED != 0 || u->m % ALIGNED != 0;
    return u->b_is_weight && odd ? e->unaligned_ratio : 1.0;
}

nnc_timing nnc_gemm_time(const nnc_device *device, const nnc_op *op, const nnc_work *work)
{
    const nnc_gemm_efficiency *e = &device->efficiency.gemm[op->math_dtype];
    const double peak = nnc_device_matmul_peak(device, op->math_dtype);
    const double sustained = e->sustained_fraction * device->efficiency.calibration;
    const double rate = nnc_min(sustained * e->boost_ratio, 1.0) * peak;
    const double bytes = work->read_bytes + work->write_bytes;
    const double memory_s = bytes / (e->memory_fraction * device->mem_bytes_per_s);
    double vector_s = 0.0;
    if (!isnan(device->vector_flops_per_s[NNC_FP32])) {
        vector_s = work->vector_flops / device->vector_flops_per_s[NNC_FP32];
    }
    if (isnan(e->wave_quantization) || device->units <= 0) {
        const double compute_s = work->flops / (nnc_min(sustained, 1.0) * peak);
        return nnc_roofline(nnc_max(compute_s * alignment(&op->u.matmul, e), vector_s), memory_s,
                            e->fixed_s);
    }
    product p = product_of(device, op, e, rate);
    p.memory_s = memory_s;
    const choice c = best_tiling(&p);
    const double odd = alignment(&op->u.matmul, e);
    const double blend_s =
        sqrt(sqrt(odd > 1.0 ? fourth(c.compute_s * odd) + fourth(c.memory_s) : c.score));
    const double slower = 1.0 + (e->boost_ratio - 1.0) * blend_s / (blend_s + throttle_s);
    nnc_timing t = nnc_roofline(nnc_max(c.compute_s * odd * slower, vector_s), c.memory_s * slower,
                                e->fixed_s);
    t.time_s = nnc_max(blend_s * slower, vector_s) + e->fixed_s;
    return t;
}
