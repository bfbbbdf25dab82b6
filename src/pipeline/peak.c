/* Peak of what one device of a pipeline keeps for backward, when its chunks keep different amounts: the first has the
 * embedding, the last the head, and some have one layer more. The peak follows from the order list alone:
 *
 *     device 1 of 2, interleaved, 2 chunks, c1 has the head:   F0 F0 F1 B1 F1 B1 F0 B0 ...
 *     kept of c0, c1 after each forward:                       1  2  2     2     3
 *                                                              0  0  1     1     0
 *
 * A chunk is kept from the start of its forward to the end of the op that frees it; see nnc_pipeline_in_flight. */
#include "base/base_internal.h"
#include "pipeline/pipeline_internal.h"

typedef struct peak {
    const double *bytes;
    double highest;
    double *counts; /* per chunk, at the highest moment so far */
    int32_t chunks;
} peak;

static void look(peak *to, const int64_t *kept)
{
    double sum = 0.0;
    for (int32_t c = 0; c < to->chunks; c++) {
        /* Callers fill as many entries as there are chunks. */
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
        sum += (double)kept[c] * to->bytes[c];
    }
    if (sum > to->highest) {
        to->highest = sum;
        for (int32_t c = 0; c < to->chunks; c++) {
            to->counts[c] = (double)kept[c];
        }
    }
}

/* ---- interleaved: closed form ---- */

/* Passes of the chunk in place `place` of the order, among the first `ops` passes of a phase: groups of p
 * micro-batches take the chunks in turn. */
static int64_t passes_of(int64_t ops, int64_t place, int64_t p, int64_t v)
{
    const int64_t rest = ops % (p * v) - place * p;
    return ops / (p * v) * p + (rest < 0 ? 0 : rest > p ? p : rest);
}

/* Kept before backward number k, when `ahead` + k forwards have started. */
static void look_after(peak *to, int64_t ahead, int64_t k, int64_t p, int64_t v)
{
    int64_t kept[NNC_PIPELINE_VIRTUAL_MAX];
    for (int64_t c = 0; c < v; c++) {
        kept[c] = passes_of(ahead + k, c, p, v) - passes_of(k, v - 1 - c, p, v);
    }
    look(to, kept);
}

/* Counts are linear between the moments where a phase changes its chunk, and repeat after p v passes. */
static void find_interleaved(peak *to, int64_t p, int64_t v, int64_t m, int64_t d)
{
    const int64_t lead = 2 * (p - d - 1) + (v - 1) * p + 1, all = m * v;
    const int64_t ahead = lead < all ? lead : all;
    const int64_t end = all - ahead < p * v ? all - ahead : p * v;
    look_after(to, ahead, 0, p, v);
    look_after(to, ahead, end, p, v);
    for (int64_t k = p; k < end; k += p) {
        look_after(to, ahead, k, p, v);
    }
    for (int64_t k = (p - ahead % p) % p; k < end; k += p) {
        look_after(to, ahead, k, p, v);
    }
}

/* ---- other schedules: the order list, pass by pass ---- */

typedef struct walk {
    int64_t done[NNC_STREAMS], limit[NNC_STREAMS];
    int64_t kept[2]; /* per stream number */
    int32_t freeing; /* NNC_B0 or NNC_W0: the phase that frees */
    bool swapped;    /* stream 0 is direction 1 */
    peak *to;
} walk;

static void run_stream(walk *w, int32_t stream)
{
    if (w->done[stream] >= w->limit[stream]) {
        return;
    }
    w->done[stream]++;
    if (stream <= NNC_F1) {
        w->kept[stream]++;
        const int64_t kept[2] = { w->kept[w->swapped ? 1 : 0], w->kept[w->swapped ? 0 : 1] };
        look(w->to, kept);
    } else if (stream - stream % 2 == w->freeing) {
        w->kept[stream % 2]--;
    }
}

static void run_op(walk *w, int32_t op)
{
    const bool pair = op == NNC_F0_BW1 || op == NNC_F1_BW0; /* both at the same time */
    const bool frees = pair || op == NNC_BW0 || op == NNC_BW1;
    if (pair) {
        run_stream(w, op == NNC_F0_BW1 ? NNC_F0 : NNC_F1);
    }
    if (frees) {
        const bool second = op == NNC_BW1 || op == NNC_F0_BW1;
        run_stream(w, second ? NNC_B1 : NNC_B0);
        run_stream(w, second ? NNC_W1 : NNC_W0);
    } else {
        run_stream(w, op);
    }
}

/* Whole repeats change the counts evenly, so the first and the last of them show the peak. */
static void run_repeats(walk *w, const nnc_order_run *run)
{
    for (int64_t i = 0; i < run->repeat; i++) {
        const walk before = *w;
        for (uint8_t k = 0; k < run->ops; k++) {
            run_op(w, run->op[k]);
        }
        const int64_t between = run->repeat - 2 - i;
        bool whole = between > 0;
        for (int32_t s = 0; s < NNC_STREAMS && whole; s++) {
            const int64_t each = w->done[s] - before.done[s];
            whole = each == 0 || each <= (w->limit[s] - w->done[s]) / (between + 1);
        }
        for (int32_t s = 0; s < NNC_STREAMS && whole; s++) {
            w->done[s] += (w->done[s] - before.done[s]) * between;
        }
        for (int32_t c = 0; c < 2 && whole; c++) {
            w->kept[c] += (w->kept[c] - before.kept[c]) * between;
        }
        i += whole ? between : 0;
    }
}

double nnc_pipeline_peak(const nnc_pipeline *pipeline, int32_t device, const double *bytes,
                         double *counts)
{
    const nnc_schedule_row *row = nnc_schedule_of(pipeline->schedule);
    const int64_t p = pipeline->stages, m = pipeline->micro_batches;
    const bool dual = row->dual && p > 1;
    const int32_t chunks = dual ? 2 : pipeline->chunks;
    peak found = { .bytes = bytes, .counts = counts, .chunks = chunks, .highest = -1.0 };
    if (row->chunks == 0 && chunks > 1) {
        find_interleaved(&found, p, chunks, m, device);
        return found.highest;
    }
    nnc_pipeline_device order = { .runs = 0 };
    walk w = { .freeing = row->splits && !row->frees_early ? NNC_W0 : NNC_B0,
               .swapped = dual && device >= p / 2,
               .to = &found };
    for (int32_t s = 0; s < NNC_STREAMS; s++) {
        const bool first = (s % 2 == 0) != w.swapped;
        w.limit[s] = dual ? (first ? (m + 1) / 2 : m / 2) : m;
    }
    row->write(pipeline, device, &order);
    for (int32_t r = 0; r < order.runs; r++) {
        run_repeats(&w, &order.order[r]);
    }
    return found.highest;
}
