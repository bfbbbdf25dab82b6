/* Computes the most bytes that one device of a pipeline keeps for backward at the same time, for devices whose chunks
 * keep different amounts per pass: the first chunk has the embedding, the last chunk has the head, or some chunks have
 * one more layer. The largest number of kept bytes follows from the order list of the device alone, without times.
 *
 *     `device 1 of 2, interleaved, 2 chunks`:                  F0 F0 F1 B1 F1 B1 F0 B0 ...
 *     passes that chunk 0 keeps, after each forward:           1  2  2     2     3
 *     passes that chunk 1 keeps, after each forward:           0  0  1     1     0 .
 *
 * A pass is kept in its chunk from the start of its forward to the end of the op that frees its activations; see
 * nnc_pipeline_in_flight. */
#include "base/base_internal.h"
#include "pipeline/pipeline_internal.h"

typedef struct peak {
    const double *bytes;
    double highest;
    /* for each chunk, the number of passes that it keeps at the moment with the most bytes found so far */
    double *counts;
    int32_t chunks;
} peak;

static void look(peak *to, const int64_t *kept) {
    double sum = 0.0;
    for (int32_t c = 0; c < to->chunks; c++) {
        /* Each caller sets kept[c] for every chunk c, so no element is read before it was set. */
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
        sum += (double)kept[c] * to->bytes[c];
    }
    if (sum > to->highest) {
        to->highest = sum;
        for (int32_t c = 0; c < to->chunks; c++) { to->counts[c] = (double)kept[c]; }
    }
}

/* ---- peak of a device of the interleaved schedule, in closed form ---- */

/* State of the search for the memory peak of a device of the interleaved schedule. From its first backward on, the
 * device keeps a constant number of passes. The peak therefore depends only on those chunks in which a pass keeps more
 * or fewer bytes than in chunk 1; `others` is the number of these chunks. */
typedef struct interleaved {
    int64_t stages, chunks, ahead; /* ahead: number of forwards that the device runs before its first backward */
    int32_t others;
    /* for each chunk whose kept bytes differ from chunk 1: position of the chunk in the order in which the device runs
     * its chunks */
    const int32_t *place;
    /* for each chunk whose kept bytes differ from chunk 1: bytes that a pass keeps in the chunk, minus the bytes that a
     * pass keeps in chunk 1 */
    const double *more_bytes;
    double highest;
    int64_t peak_at; /* number of the backward before which the device keeps the most bytes */
} interleaved;

/* Progress of a device after it has run a number of passes of one phase: the number of passes that each chunk has run.
 * In one round, a device runs p micro-batches (p: stages) on one chunk, then on the next chunk, until each chunk has
 * had its turn. */
typedef struct progress {
    int64_t whole; /* number of passes that each chunk has run in complete rounds */
    int64_t rest;  /* number of passes in the last, incomplete round, of all chunks together */
} progress;

static progress progress_of(const interleaved *in, int64_t ops) {
    const int64_t round = in->stages * in->chunks;
    return (progress){ .whole = ops / round * in->stages, .rest = ops % round };
}

/* Returns the number of passes that one chunk has run. place: position of this chunk in the order in which the device
 * runs its chunks. */
static int64_t passes_of(progress of, int64_t place, int64_t stages) {
    const int64_t rest = of.rest - place * stages;
    return of.whole + (rest < 0 ? 0 : rest > stages ? stages : rest);
}

/* Returns the number of passes that a chunk keeps for backward just before the device runs backward number k. */
static int64_t kept_at(const interleaved *in, int64_t k, int64_t chunk) {
    return passes_of(progress_of(in, in->ahead + k), chunk, in->stages) -
           passes_of(progress_of(in, k), in->chunks - 1 - chunk, in->stages);
}

static void look_at(interleaved *in, int64_t k) {
    double sum = 0.0;
    for (int32_t i = 0; i < in->others; i++) { sum += (double)kept_at(in, k, in->place[i]) * in->more_bytes[i]; }
    if (sum > in->highest) {
        in->highest = sum;
        in->peak_at = k;
    }
}

/* Computes the bytes that the device keeps before backward number k, and stores them if they are the most so far. A
 * negative k stands for the backward that is one round later, at the same place of its round. Does nothing if the
 * number of the backward is then not below `end`. */
static void look_in_round(interleaved *in, int64_t k, int64_t end) {
    const int64_t at = k < 0 ? k + in->stages * in->chunks : k;
    if (at < end) { look_at(in, at); }
}

/* Finds the peak of the kept bytes by looking only at moments at which it can occur. The number of passes that a chunk
 * keeps changes linearly between the moments at which the forwards or the backwards of this chunk begin or end; the
 * changes of one round are the same in every round. The number of kept micro-batches is highest when the forwards of
 * the chunk end or its backwards begin, and lowest when its forwards begin or its backwards end. */
static interleaved find_interleaved(const nnc_pipeline *pipeline, int64_t device, int32_t others, const int32_t *place,
                                    const double *more_bytes) {
    const int64_t p = pipeline->stages, v = pipeline->chunks, all = pipeline->micro_batches * v;
    const int64_t lead = 2 * (p - device - 1) + (v - 1) * p + 1;
    interleaved in = { .stages = p,
                       .chunks = v,
                       .ahead = lead < all ? lead : all,
                       .others = others,
                       .place = place,
                       .more_bytes = more_bytes,
                       .highest = -INFINITY };
    const int64_t end = all - in.ahead < p * v ? all - in.ahead : p * v;
    const int64_t begun = in.ahead % (p * v);
    look_at(&in, 0);
    look_at(&in, end);
    for (int32_t i = 0; i < others; i++) {
        const int64_t high = more_bytes[i] > 0.0 ? 1 : 0;
        look_in_round(&in, (v - place[i] - high) * p, end);
        look_in_round(&in, (place[i] + high) * p - begun, end);
    }
    return in;
}

/* Returns the most bytes that a device of the interleaved schedule keeps for backward; sets counts[c] to the number of
 * passes that chunk c keeps at this moment. */
static double interleaved_peak(const nnc_pipeline *pipeline, int64_t device, const double *bytes, double *counts) {
    int32_t place[NNC_PIPELINE_VIRTUAL_MAX], others = 0;
    double more_bytes[NNC_PIPELINE_VIRTUAL_MAX];
    for (int32_t c = 0; c < pipeline->chunks; c++) {
        if (bytes[c] < bytes[1] || bytes[c] > bytes[1]) {
            place[others] = c;
            more_bytes[others++] = bytes[c] - bytes[1];
        }
    }
    const interleaved in = find_interleaved(pipeline, device, others, place, more_bytes);
    double sum = 0.0;
    for (int32_t c = 0; c < pipeline->chunks; c++) {
        counts[c] = (double)kept_at(&in, in.peak_at, c);
        sum += counts[c] * bytes[c];
    }
    return sum;
}

bool nnc_pipeline_peak_of_one(const nnc_pipeline *pipeline, int32_t device, int32_t chunk, bool more, double *count,
                              double *all) {
    if (nnc_schedule_of(pipeline->schedule)->chunks != 0 || pipeline->chunks < 2) { return false; }
    const double sign = more ? 1.0 : -1.0;
    const interleaved in = find_interleaved(pipeline, device, 1, &chunk, &sign);
    *count = (double)kept_at(&in, in.peak_at, chunk);
    *all = (double)in.ahead;
    return true;
}

/* ---- peak of a device of any schedule except interleaved: replays its order list pass by pass, without times ---- */

typedef struct walk {
    int64_t done[NNC_STREAMS], limit[NNC_STREAMS];
    /* number of passes that chunk 0 and chunk 1 (in dualpipe: direction 0 and 1) keep; the digits in the names of
     * nnc_run_op are the numbers of these chunks */
    int64_t kept[2];
    int32_t freeing; /* the op after which a device frees activations: NNC_B0 (backward) or NNC_W0 (weight gradient) */
    bool swapped;    /* true: ops with digit 0 belong to direction 1 of dualpipe, and those with digit 1 to direction
                      * 0 */
    peak *to;
} walk;

static void run_stream(walk *w, int32_t stream) {
    if (w->done[stream] >= w->limit[stream]) { return; }
    w->done[stream]++;
    if (stream <= NNC_F1) {
        w->kept[stream]++;
        const int64_t kept[2] = { w->kept[w->swapped ? 1 : 0], w->kept[w->swapped ? 0 : 1] };
        look(w->to, kept);
    } else if (stream - stream % 2 == w->freeing) {
        w->kept[stream % 2]--;
    }
}

static void run_op(walk *w, int32_t op) {
    /* true: a pair, that is, a forward and a backward that run together */
    const bool pair = op == NNC_F0_BW1 || op == NNC_F1_BW0;
    const bool frees = pair || op == NNC_BW0 || op == NNC_BW1;
    if (pair) { run_stream(w, op == NNC_F0_BW1 ? NNC_F0 : NNC_F1); }
    if (frees) {
        const bool second = op == NNC_BW1 || op == NNC_F0_BW1;
        run_stream(w, second ? NNC_B1 : NNC_B0);
        run_stream(w, second ? NNC_W1 : NNC_W0);
    } else {
        run_stream(w, op);
    }
}

/* Counts the passes whose activations a device keeps, over the repeats of a sequence of ops. Each repeat changes the numbers of kept passes by
 * the same amounts, so the peak is in the first or in the last repeat; the repeats between them are skipped. */
static void run_repeats(walk *w, const nnc_order_run *run) {
    for (int64_t i = 0; i < run->repeat; i++) {
        const walk before = *w;
        for (uint8_t k = 0; k < run->ops; k++) { run_op(w, run->op[k]); }
        const int64_t between = run->repeat - 2 - i;
        bool whole = between > 0;
        for (int32_t s = 0; s < NNC_STREAMS && whole; s++) {
            const int64_t each = w->done[s] - before.done[s];
            whole = each == 0 || each <= (w->limit[s] - w->done[s]) / (between + 1);
        }
        for (int32_t s = 0; s < NNC_STREAMS && whole; s++) { w->done[s] += (w->done[s] - before.done[s]) * between; }
        for (int32_t c = 0; c < 2 && whole; c++) { w->kept[c] += (w->kept[c] - before.kept[c]) * between; }
        i += whole ? between : 0;
    }
}

/* Tests whether the device has a forward left to run. After the last forward of the device, the kept bytes only
 * decrease. */
static bool has_forward(const walk *w) {
    return w->done[NNC_F0] < w->limit[NNC_F0] || w->done[NNC_F1] < w->limit[NNC_F1];
}

double nnc_pipeline_peak(const nnc_pipeline *pipeline, int32_t device, const double *bytes, double *counts) {
    const nnc_schedule_row *row = nnc_schedule_of(pipeline->schedule);
    const int64_t p = pipeline->stages, m = pipeline->micro_batches;
    const bool dual = row->dual && p > 1;
    const int32_t chunks = dual ? 2 : pipeline->chunks;
    peak found = { .bytes = bytes, .counts = counts, .chunks = chunks, .highest = -1.0 };
    if (row->chunks == 0 && chunks > 1) { return interleaved_peak(pipeline, device, bytes, counts); }
    nnc_pipeline_device order = { .runs = 0 };
    walk w = { .freeing = row->splits && !row->frees_early ? NNC_W0 : NNC_B0,
               .swapped = dual && device >= p / 2,
               .to = &found };
    for (int32_t s = 0; s < NNC_STREAMS; s++) {
        const bool first = (s % 2 == 0) != w.swapped;
        w.limit[s] = dual ? (first ? (m + 1) / 2 : m / 2) : m;
    }
    row->write(pipeline, device, &order);
    for (int32_t r = 0; r < order.runs && has_forward(&w); r++) { run_repeats(&w, &order.order[r]); }
    return found.highest;
}
