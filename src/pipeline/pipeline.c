/* Replay of the order lists of a pipeline: each op starts as soon as its input has arrived and its device is free.
 * nnc_pipeline_run skips the steady part of a long schedule: if the state of the replay repeats, with all times later
 * by the same amount, each further period takes this amount.   [pipeline] [pipeline-skip] */
#include <float.h>
#include <limits.h>
#include <string.h>

#include "base/base_internal.h"
#include "pipeline/pipeline_internal.h"

/* State of one replay of a pipeline. In dualpipe, each virtual stage counts as two, one for each direction. */
typedef struct replay {
    const nnc_pipeline *pipeline;
    const nnc_schedule_row *row;
    nnc_pipeline_memory *memory;
    nnc_pipeline_event_fn *event; /* receives every interval in which a device runs an op; NULL = intervals are not
                                   * reported */
    void *context;
    int32_t virtual_stages, chain; /* virtual_stages: number of all virtual stages; chain: number of virtual stages that
                                    * a micro-batch passes */
    bool dual;                     /* true: the schedule is dualpipe, on two devices or more */
    bool folded;                   /* true: in the second chunk or direction, micro-batches pass the devices from the
                                    * last to the first */
    bool splits;                   /* true: weight gradients are ops of their own, separate from the input gradients */
    bool quiet;                    /* true: the replay reports no intervals and does not count kept micro-batches */
    /* tracks: 1, or NNC_TRACKS pipelines that are replayed at the same time. The order of ops does not depend on times,
     * so it is the same for all tracks. In arrays of times, element i of track k is at index (i times tracks) + k. */
    int32_t tracks;
    const double *track_send_s; /* seconds that a message takes on each track; not used if tracks is 1 */
    bool wide;                  /* true: the replay uses vector instructions for four doubles */
    /* free_s: time at which each device ends its last op so far; first_s: time at which it starts its first op */
    double *free_s, *first_s;
} replay;

/* ---- preparation: the device of each virtual stage, streams of ops, queues of messages ---- */

static int32_t device_of(const replay *r, int32_t virtual_stage) {
    const int32_t p = r->pipeline->stages;
    return r->folded && virtual_stage >= p ? 2 * p - 1 - virtual_stage : virtual_stage % p;
}

static int32_t chunk_of(const replay *r, int32_t virtual_stage) { return virtual_stage / r->pipeline->stages; }

/* Gives a stream the message queues and the times of one phase on one virtual stage. */
static void bind(const replay *r, nnc_stream *stream, nnc_pipeline_phase phase, int32_t virtual_stage) {
    nnc_pipeline_memory *const memory = r->memory;
    const nnc_pipeline *const pipeline = r->pipeline;
    /* position of this virtual stage on the path that a micro-batch takes through the pipeline */
    const int32_t at = virtual_stage % r->chain;
    const bool first = at == 0, last = at == r->chain - 1;
    const ptrdiff_t index = (ptrdiff_t)at * r->tracks;
    stream->virtual_stage = virtual_stage;
    stream->in = stream->out = NULL;
    switch (phase) {
    case NNC_RUN_FORWARD:
        stream->in = first ? NULL : &memory->forward[virtual_stage];
        stream->out = last ? NULL : &memory->forward[virtual_stage + 1];
        stream->times_s = &pipeline->forward_s[index];
        stream->time_s = stream->times_s[0];
        break;
    case NNC_RUN_BACKWARD:
        stream->in = last ? NULL : &memory->backward[virtual_stage];
        stream->out = first ? NULL : &memory->backward[virtual_stage - 1];
        stream->times_s = &pipeline->backward_s[index];
        stream->time_s = stream->times_s[0] + (r->splits ? 0 : pipeline->weight_s[index]);
        break;
    case NNC_RUN_WEIGHT:
        stream->times_s = &pipeline->weight_s[index];
        stream->time_s = stream->times_s[0];
        break;
    }
    stream->send_s = stream->time_s + (stream->out != NULL ? stream->out->send_s : 0);
}

static void begin_stream(const replay *r, int32_t d, int32_t index) {
    const nnc_pipeline *const pipeline = r->pipeline;
    const int32_t p = pipeline->stages, v = pipeline->chunks;
    const int64_t m = pipeline->micro_batches;
    const nnc_pipeline_phase phase = (nnc_pipeline_phase)(index / 2);
    /* In dualpipe, micro-batches enter at both ends of the pipeline; stream 0 of a device belongs to the direction that
     * begins at the end nearer to this device. */
    const int32_t chunk = r->dual && d >= p / 2 ? 1 - index % 2 : index % 2;
    /* true: the weight gradient, an op of its own, frees the activations; false: the backward (or, with frees_early,
     * the input gradient) frees the activations */
    const bool late = r->splits && !r->row->frees_early;
    const nnc_pipeline_phase last = late ? NNC_RUN_WEIGHT : NNC_RUN_BACKWARD;
    nnc_stream *const stream = &r->memory->device[d].stream[index];
    stream->done = 0;
    stream->limit = m;
    stream->turn = INT64_MAX;
    stream->keeps = phase == NNC_RUN_FORWARD ? 1 : phase == last ? -1 : 0;
    int32_t virtual_stage = chunk == 1 ? 2 * p - 1 - d : d;
    if (r->dual) {
        stream->limit = chunk == 0 ? (m + 1) / 2 : m / 2;
    } else if (r->row->chunks == 0) {
        stream->limit = m * v;
        stream->turn = p;
        virtual_stage += phase == NNC_RUN_BACKWARD ? (v - 1) * p : 0;
    }
    stream->turn_left = stream->turn;
    bind(r, stream, phase, virtual_stage);
}

static void begin_device(const replay *r, int32_t d) {
    nnc_pipeline_device *const device = &r->memory->device[d];
    device->runs = 0;
    r->row->write(r->pipeline, d, device);
    for (ptrdiff_t k = (ptrdiff_t)d * r->tracks; k < (ptrdiff_t)(d + 1) * r->tracks; k++) {
        r->free_s[k] = r->first_s[k] = 0;
    }
    device->started = false;
    device->run = device->op = 0;
    device->left = device->order[0].repeat;
    device->kept = device->kept_max = 0;
    for (int32_t i = 0; i < NNC_STREAMS; i += r->folded ? 1 : 2) { begin_stream(r, d, i); }
}

static const double none_s[NNC_TRACKS]; /* array of zeros: times of an op or message that does not exist */

static double *begin_queue(const replay *r, nnc_queue *queue, double *slots, int32_t from, int32_t to) {
    const int32_t a = device_of(r, from), b = device_of(r, to);
    uint64_t count = NNC_QUEUE_SLOTS;
    /* A queue between devices that are not neighbours needs more elements, because as many messages as there are stages
     * can be on the way at the same time. */
    while ((a - b > 1 || b - a > 1) && count < (uint64_t)r->pipeline->stages) { count *= 2; }
    queue->arrival_s = slots;
    queue->send_s = a == b ? 0 : r->pipeline->send_s;
    queue->sends_s = a == b ? none_s : r->track_send_s;
    queue->mask = count - 1;
    queue->put = queue->got = 0;
    return slots + count * (uint64_t)r->tracks;
}

static bool lay_out(replay *r, const nnc_pipeline *pipeline, nnc_pipeline_memory *memory) {
    const int32_t p = pipeline->stages, v = pipeline->chunks;
    const int64_t m = pipeline->micro_batches;
    const nnc_schedule_row *const row = nnc_schedule_of(pipeline->schedule);
    const bool alone = row->dual && p == 1; /* true: dualpipe on a single device, which runs as 1f1b, with one
                                             * direction, and with input and weight gradient as one op */
    const bool dual = row->dual && !alone;
    int64_t chunk_ops;
    if (p < 1 || p > NNC_PIPELINE_STAGES_MAX || v < 1 || v > NNC_PIPELINE_VIRTUAL_MAX / p || m < 1 ||
        !nnc_mul_i64(m, 4 * (int64_t)v, &chunk_ops) || (row->chunks == 0 ? v > 1 && m % p != 0 : v != row->chunks) ||
        (dual && p % 2 != 0)) {
        return false;
    }
    r->pipeline = pipeline;
    r->row = row;
    r->memory = memory;
    r->virtual_stages = dual ? 2 * p : p * v;
    r->chain = p * v;
    r->dual = dual;
    r->folded = row->folded && !alone;
    r->splits = row->splits && !alone;
    nnc_wave *const wave = r->tracks > 1 ? &memory->tracks : &memory->wave;
    r->free_s = wave->now.free_s;
    r->first_s = wave->first_s;
    return true;
}

static void begin(const replay *r) {
    nnc_pipeline_memory *const memory = r->memory;
    double *slots = memory->arrival_s;
    for (int32_t s = 0; s < r->virtual_stages; s++) {
        if (s % r->chain != 0) {
            slots = begin_queue(r, &memory->forward[s], slots, s - 1, s);
            slots = begin_queue(r, &memory->backward[s - 1], slots, s, s - 1);
        }
    }
    for (int32_t d = 0; d < r->pipeline->stages; d++) { begin_device(r, d); }
}

static bool pending(const nnc_stream *stream) { return stream->done < stream->limit; }

static bool ready(const nnc_stream *stream) {
    const nnc_queue *const in = stream->in, *const out = stream->out;
    return (in == NULL || in->put != in->got) && (out == NULL || out->put - out->got <= out->mask);
}

/* Takes the next message from the input queue of a stream. Returns the arrival time of the message, or start_s if
 * start_s is later than the arrival time; returns start_s if the stream has no input. */
static double receive(nnc_stream *stream, double start_s) {
    nnc_queue *const in = stream->in;
    if (in == NULL) { return start_s; }
    const double arrival_s = in->arrival_s[in->got++ & in->mask];
    return arrival_s > start_s ? arrival_s : start_s;
}

static void send(nnc_stream *stream, double arrival_s) {
    nnc_queue *const out = stream->out;
    if (out != NULL) { out->arrival_s[out->put++ & out->mask] = arrival_s; }
}

static void report(const replay *r, int32_t d, const nnc_stream *stream, nnc_pipeline_phase phase, double start_s,
                   double end_s) {
    const nnc_pipeline *const pipeline = r->pipeline;
    const int32_t chunk = chunk_of(r, stream->virtual_stage);
    int64_t micro_batch = stream->done;
    if (r->row->chunks == 0) {
        const int64_t p = pipeline->stages;
        micro_batch = stream->done / (p * pipeline->chunks) * p + stream->done % p;
    } else if (r->dual && chunk == 1) {
        micro_batch += (pipeline->micro_batches + 1) / 2;
    }
    r->event(r->context, &(nnc_pipeline_event){ .device = d,
                                                .chunk = chunk,
                                                .micro_batch = micro_batch,
                                                .phase = phase,
                                                .start_s = start_s,
                                                .end_s = end_s });
}

/* Moves a stream of an interleaved device to its next chunk: a forward stream to the following chunk, a backward stream
 * to the previous chunk. */
static void turn(const replay *r, nnc_stream *stream, nnc_pipeline_phase phase) {
    const int32_t step = phase == NNC_RUN_FORWARD ? r->pipeline->stages : r->chain - r->pipeline->stages;
    stream->turn_left = stream->turn;
    bind(r, stream, phase, (stream->virtual_stage + step) % r->chain);
}

/* Runs one op of a stream on a device, from start_s on, and records its effects: the number of kept micro-batches, the
 * first start of the device, the interval. Returns the time at which the op ends. */
static double book(const replay *r, int32_t d, nnc_stream *stream, nnc_pipeline_phase phase, double start_s) {
    nnc_pipeline_device *const device = &r->memory->device[d];
    const double end_s = start_s + stream->time_s;
    device->kept += stream->keeps;
    if (device->kept > device->kept_max) { device->kept_max = device->kept; }
    if (!device->started) {
        device->started = true;
        r->first_s[d] = start_s;
    }
    if (r->event != NULL) { report(r, d, stream, phase, start_s, end_s); }
    stream->done++;
    r->free_s[d] = end_s;
    return end_s;
}

/* Takes the next message from the input queue of a stream. Returns the arrival times of this message, one per track;
 * zeros if the stream has no input. */
static inline const double *receive_tracks(nnc_stream *stream) {
    nnc_queue *const in = stream->in;
    return in != NULL ? &in->arrival_s[(in->got++ & in->mask) * NNC_TRACKS] : none_s;
}

/* Sends a message of a stream at the times at_s, one per track; it arrives out->sends_s (the time of a message)
 * later. */
NNC_EACH void send_tracks(nnc_stream *stream, const double *at_s) {
    nnc_queue *const out = stream->out;
    if (out == NULL) { return; }
    double *const arrival_s = &out->arrival_s[(out->put++ & out->mask) * NNC_TRACKS];
    for (int k = 0; k < NNC_TRACKS; k += NNC_STEP) {
        NNC_FOUR(&arrival_s[k]) = NNC_FOUR_OF(&at_s[k]) + NNC_FOUR_OF(&out->sends_s[k]);
    }
}

static void start_tracks(const replay *r, int32_t d, const double *f_s, const double *b_s) {
    r->memory->device[d].started = true;
    for (int64_t k = 0, at = (int64_t)d * NNC_TRACKS; k < NNC_TRACKS; k++, at++) {
        const double start_s = f_s[k] > r->free_s[at] ? f_s[k] : r->free_s[at];
        r->first_s[at] = b_s[k] > start_s ? b_s[k] : start_s;
    }
}

/* Runs one op of a stream on all tracks at once, as run_one does for a single pipeline. Returns false if the input of
 * the op has not arrived. */
NNC_EACH bool run_one_tracks(const replay *r, int32_t d, nnc_stream *stream) {
    if (!pending(stream)) { return true; }
    if (!ready(stream)) { return false; }
    double *const free_s = &r->free_s[(int64_t)d * NNC_TRACKS];
    const double *const in_s = receive_tracks(stream), *const times_s = stream->times_s;
    const double *const sends_s = stream->out != NULL ? stream->out->sends_s : none_s;
    double end_s[NNC_TRACKS], sent_s[NNC_TRACKS];
    if (!r->memory->device[d].started) { start_tracks(r, d, in_s, none_s); }
    for (int k = 0; k < NNC_TRACKS; k++) {
        const double start_s = in_s[k] > free_s[k] ? in_s[k] : free_s[k];
        end_s[k] = start_s + times_s[k];
        sent_s[k] = start_s + (times_s[k] + sends_s[k]);
    }
    nnc_queue *const out = stream->out;
    if (out != NULL) { nnc_copy_tracks(&out->arrival_s[(out->put++ & out->mask) * NNC_TRACKS], sent_s, NNC_TRACKS); }
    nnc_copy_tracks(free_s, end_s, NNC_TRACKS);
    stream->done++;
    return true;
}

/* Runs a forward (or none) together with the input and weight gradients of a micro-batch (or none) as one op on all
 * tracks at once, as run_quietly does for a single pipeline. A forward or backward that does not exist takes 0 seconds,
 * so that the loop has no branches. Returns false if an input has not arrived. */
NNC_EACH bool run_joined_tracks(const replay *r, int32_t d, nnc_stream *f, nnc_stream *b, nnc_stream *w) {
    const bool has_f = f != NULL && pending(f), has_b = pending(b);
    if ((has_f && !ready(f)) || (has_b && !ready(b))) { return false; }
    double *const free_s = &r->free_s[(int64_t)d * NNC_TRACKS];
    const double *const f_in_s = has_f ? receive_tracks(f) : none_s, *const b_in_s = has_b ? receive_tracks(b) : none_s;
    const double *const f_s = has_f ? f->times_s : none_s, *const b_s = has_b ? b->times_s : none_s;
    const double *const w_s = has_b ? w->times_s : none_s;
    double end_s[NNC_TRACKS];
    if (!r->memory->device[d].started) { start_tracks(r, d, f_in_s, b_in_s); }
    for (int k = 0; k < NNC_TRACKS; k++) {
        double at_s = f_in_s[k] > free_s[k] ? f_in_s[k] : free_s[k];
        at_s = b_in_s[k] > at_s ? b_in_s[k] : at_s;
        end_s[k] = at_s + f_s[k] + b_s[k] + w_s[k];
    }
    nnc_copy_tracks(free_s, end_s, NNC_TRACKS);
    if (has_f) {
        f->done++;
        send_tracks(f, end_s);
    }
    if (has_b) {
        b->done++;
        w->done++;
        send_tracks(b, end_s);
    }
    return true;
}

NNC_WIDE static bool run_one_wide(const replay *r, int32_t d, nnc_stream *stream) {
    return run_one_tracks(r, d, stream);
}

NNC_WIDE static bool run_joined_wide(const replay *r, int32_t d, nnc_stream *f, nnc_stream *b, nnc_stream *w) {
    return run_joined_tracks(r, d, f, b, w);
}

static bool run_one(const replay *r, int32_t d, int32_t index) {
    nnc_pipeline_device *const device = &r->memory->device[d];
    nnc_stream *const stream = &device->stream[index];
    const nnc_pipeline_phase phase = (nnc_pipeline_phase)(index / 2);
    if (r->tracks > 1) { return r->wide ? run_one_wide(r, d, stream) : run_one_tracks(r, d, stream); }
    if (!pending(stream)) { return true; }
    if (!ready(stream)) { return false; }
    const double start_s = receive(stream, r->free_s[d]);
    send(stream, start_s + stream->send_s);
    if (r->quiet) {
        if (!device->started) {
            device->started = true;
            r->first_s[d] = start_s;
        }
        stream->done++;
        r->free_s[d] = start_s + stream->time_s;
        if (--stream->turn_left == 0) { turn(r, stream, phase); }
        return true;
    }
    book(r, d, stream, phase, start_s);
    if (--stream->turn_left == 0) { turn(r, stream, phase); }
    return true;
}

/* Runs a forward (or none) together with the input and weight gradients of a micro-batch (or none) as one op. In
 * contrast to run_joined, run_quietly reports no interval and does not count kept micro-batches, because most replays
 * need neither. Returns false if an input has not arrived. */
static inline bool run_quietly(const replay *r, int32_t d, nnc_stream *f, nnc_stream *b, nnc_stream *w) {
    nnc_pipeline_device *const device = &r->memory->device[d];
    if (r->tracks > 1) { return r->wide ? run_joined_wide(r, d, f, b, w) : run_joined_tracks(r, d, f, b, w); }
    const bool has_f = f != NULL && pending(f), has_b = pending(b);
    if ((has_f && !ready(f)) || (has_b && !ready(b))) { return false; }
    double at_s = r->free_s[d];
    at_s = has_f ? receive(f, at_s) : at_s;
    at_s = has_b ? receive(b, at_s) : at_s;
    if (!device->started) {
        device->started = true;
        r->first_s[d] = at_s;
    }
    if (has_f) {
        at_s += f->time_s;
        f->done++;
    }
    if (has_b) {
        at_s += b->time_s;
        at_s += w->time_s;
        b->done++;
        w->done++;
    }
    r->free_s[d] = at_s;
    if (has_f) { send(f, at_s + (f->out != NULL ? f->out->send_s : 0)); }
    if (has_b) { send(b, at_s + (b->out != NULL ? b->out->send_s : 0)); }
    return true;
}

/* Runs a forward (or none) together with the input and weight gradients of a micro-batch (or none) as one op: the op
 * starts when the inputs of forward and backward have arrived, and sends the results of forward and backward when it
 * ends. Returns false if an input has not arrived. */
static bool run_joined(const replay *r, int32_t d, int32_t forward, int32_t chunk) {
    nnc_pipeline_device *const device = &r->memory->device[d];
    nnc_stream *const f = forward < 0 ? NULL : &device->stream[forward];
    nnc_stream *const b = &device->stream[NNC_B0 + chunk];
    nnc_stream *const w = &device->stream[NNC_W0 + chunk];
    if (r->quiet) { return run_quietly(r, d, f, b, w); }
    const bool has_f = f != NULL && pending(f), has_b = pending(b);
    if ((has_f && !ready(f)) || (has_b && !ready(b))) { return false; }
    double at_s = r->free_s[d];
    at_s = has_f ? receive(f, at_s) : at_s;
    at_s = has_b ? receive(b, at_s) : at_s;
    at_s = has_f ? book(r, d, f, NNC_RUN_FORWARD, at_s) : at_s;
    at_s = has_b ? book(r, d, b, NNC_RUN_BACKWARD, at_s) : at_s;
    at_s = has_b ? book(r, d, w, NNC_RUN_WEIGHT, at_s) : at_s;
    if (has_f) { send(f, at_s + (f->out != NULL ? f->out->send_s : 0)); }
    if (has_b) { send(b, at_s + (b->out != NULL ? b->out->send_s : 0)); }
    return true;
}

static bool run_op(const replay *r, int32_t d, uint8_t op) {
    switch (op) {
    case NNC_BW0: return run_joined(r, d, -1, 0);
    case NNC_BW1: return run_joined(r, d, -1, 1);
    case NNC_F0_BW1: return run_joined(r, d, NNC_F0, 1);
    case NNC_F1_BW0: return run_joined(r, d, NNC_F1, 0);
    default: return run_one(r, d, op);
    }
}

/* Runs the repeated pair of ops (F0_BW1, F1_BW0) of a dualpipe device until an input has not arrived. run_pairs is
 * faster than run_list, because it does not decode each op. Returns true if it has run at least one op. */
NNC_EACH bool run_pairs(const replay *r, int32_t d, const bool batch) {
    nnc_pipeline_device *const device = &r->memory->device[d];
    nnc_stream *const stream = device->stream;
    bool moved = false;
    for (; device->left > 0; moved = true) {
        const int32_t k = device->op;
        nnc_stream *const f = &stream[NNC_F0 + k], *const b = &stream[NNC_B1 - k], *const w = &stream[NNC_W1 - k];
        if (!(batch ? run_joined_tracks(r, d, f, b, w) : run_quietly(r, d, f, b, w))) { break; }
        device->op = 1 - k;
        device->left -= k;
    }
    return moved;
}

NNC_WIDE static bool run_pairs_wide(const replay *r, int32_t d) { return run_pairs(r, d, true); }

/* Runs the ops in the order list of one device until an input has not arrived. Returns true if it has run at least one
 * op. */
static bool run_list(const replay *r, int32_t d) {
    nnc_pipeline_device *const device = &r->memory->device[d];
    bool moved = false;
    while (device->run < device->runs) {
        const nnc_order_run *const run = &device->order[device->run];
        for (; device->left > 0; device->left--) {
            for (; device->op < run->ops; device->op++) {
                if (!run_op(r, d, run->op[device->op])) { return moved; }
                moved = true;
            }
            device->op = 0;
        }
        if (++device->run < device->runs) { device->left = device->order[device->run].repeat; }
    }
    return moved;
}

/* Runs the ops of one device until an input has not arrived: the repeated pairs of dualpipe with run_pairs, which is
 * faster, and all other ops with run_list. Returns true if at least one op has run. */
static bool run_device(const replay *r, int32_t d) {
    nnc_pipeline_device *const device = &r->memory->device[d];
    const nnc_order_run *const run = &device->order[device->run];
    const bool pairs =
        r->quiet && device->run < device->runs && run->ops == 2 && run->op[0] == NNC_F0_BW1 && run->op[1] == NNC_F1_BW0;
    const bool moved = pairs && (r->wide ? run_pairs_wide(r, d) : run_pairs(r, d, false));
    return pairs && device->left > 0 ? moved : run_list(r, d) || moved;
}

static bool sweep(replay *r) {
    bool moved = false;
    for (int32_t d = r->pipeline->stages - 1; d >= 0; d--) { moved |= run_device(r, d); }
    return moved;
}

static bool is_done(const replay *r) {
    for (int32_t d = 0; d < r->pipeline->stages; d++) {
        const nnc_pipeline_device *const device = &r->memory->device[d];
        if (device->run < device->runs) { return false; }
    }
    return true;
}

/* ---- the results of a replay, and the skipping of periods ---- */

static double device_busy_s(const replay *r, int32_t d) {
    const nnc_pipeline *const pipeline = r->pipeline;
    const int32_t p = pipeline->stages;
    const bool dual = r->dual;
    const int64_t m = pipeline->micro_batches, first = dual ? (m + 1) / 2 : m;
    double busy_s = 0;
    for (int32_t chunk = 0; chunk < r->virtual_stages / p; chunk++) {
        const int32_t v = r->folded && chunk == 1 ? 2 * p - 1 - d : chunk * p + d;
        const int32_t at = v % r->chain;
        busy_s += (double)(chunk == 0 || !dual ? first : m - first) *
                  (pipeline->forward_s[at] + pipeline->backward_s[at] + pipeline->weight_s[at]);
    }
    return busy_s;
}

/* Sets the step time of each device to total_s in schedules without separate weight gradients. Without separate weight
 * gradients, each device waits for the last device at the end of a step. */
static void wait_for_all(const replay *r, nnc_pipeline_result *result) {
    for (int32_t d = 0; d < r->pipeline->stages && !r->row->splits; d++) { result->span_s[d] = result->total_s; }
}

static void summarise(const replay *r, nnc_pipeline_result *result) {
    const nnc_pipeline *const pipeline = r->pipeline;
    result->total_s = result->makespan_s = 0;
    for (int32_t d = 0; d < pipeline->stages; d++) {
        const nnc_pipeline_device *const device = &r->memory->device[d];
        /* in dualpipe the first op starts at time 0, because micro-batches enter both ends of the pipeline at time 0 */
        const double first_s = r->dual ? 0 : r->first_s[d];
        result->span_s[d] = r->free_s[d] - first_s;
        result->total_s = nnc_max(result->total_s, result->span_s[d]);
        result->makespan_s = nnc_max(result->makespan_s, r->free_s[d]);
        result->in_flight[d] = r->quiet ? nnc_pipeline_in_flight(pipeline->schedule, pipeline->stages, pipeline->chunks,
                                                                 pipeline->micro_batches, d)
                                        : (double)device->kept_max / (double)pipeline->chunks;
        result->busy_s[d] = device_busy_s(r, d);
    }
    wait_for_all(r, result);
}

static void summarise_wave(const replay *r, nnc_pipeline_result *result) {
    const nnc_pipeline *const pipeline = r->pipeline;
    const nnc_wave *const wave = &r->memory->wave;
    result->total_s = result->makespan_s = 0;
    for (int32_t d = 0; d < pipeline->stages; d++) {
        result->span_s[d] = wave->now.free_s[d] - wave->first_s[d];
        result->total_s = nnc_max(result->total_s, result->span_s[d]);
        result->makespan_s = nnc_max(result->makespan_s, wave->now.free_s[d]);
        result->in_flight[d] =
            nnc_pipeline_in_flight(pipeline->schedule, pipeline->stages, pipeline->chunks, pipeline->micro_batches, d);
        result->busy_s[d] = device_busy_s(r, d);
    }
    wait_for_all(r, result);
}

bool nnc_pipeline_replay(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory, nnc_pipeline_result *result,
                         nnc_pipeline_event_fn *event, void *context) {
    replay r = { .event = event, .context = context, .tracks = 1 };
    if (!lay_out(&r, pipeline, memory)) { return false; }
    begin(&r);
    while (sweep(&r)) {}
    if (!is_done(&r)) { return false; }
    summarise(&r, result);
    return true;
}

/* Returns queue number i. Each virtual stage has two queues between itself and the virtual stage before it: one for
 * forward messages (even i), one for backward messages (odd i). The first virtual stage on the path of a micro-batch
 * has no queues, because no other virtual stage precedes it; for the numbers of its queues, queue_at returns NULL. */
static nnc_queue *queue_at(const replay *r, int32_t i) {
    const int32_t s = i / 2;
    if (s % r->chain == 0) { return NULL; }
    return i % 2 == 0 ? &r->memory->forward[s] : &r->memory->backward[s - 1];
}

/* Copies the state of all devices, and the arrival times of all messages on the way, to memory->moment. */
static void remember(const replay *r) {
    nnc_pipeline_moment *const moment = &r->memory->moment;
    const size_t tracks = (size_t)r->tracks, size = tracks * sizeof(double);
    for (int32_t d = 0; d < r->pipeline->stages; d++) {
        const nnc_pipeline_device *const device = &r->memory->device[d];
        moment->device[d].left = device->left;
        moment->device[d].run = device->run;
        moment->device[d].op = device->op;
    }
    memcpy(moment->free_s, r->free_s, (size_t)r->pipeline->stages * size);
    double *arrival_s = moment->arrival_s;
    for (int32_t i = 0; i < 2 * r->virtual_stages; i++) {
        const nnc_queue *const queue = queue_at(r, i);
        for (uint64_t k = queue != NULL ? queue->got : 0; queue != NULL && k < queue->put; k++) {
            memcpy(arrival_s, &queue->arrival_s[(k & queue->mask) * tracks], size);
            arrival_s += tracks;
        }
    }
}

/* Compares each device with the remembered moment (memory->moment): it must be at the same op of its order list, and
 * all devices must have done the same number of repeats since then. Returns the number of repeats since the remembered
 * moment; returns 0 if a device is at another op, or if the numbers of repeats differ. */
static int64_t repeats_since(const replay *r) {
    const nnc_pipeline_moment *const moment = &r->memory->moment;
    const nnc_pipeline_device *const device = r->memory->device;
    const int64_t repeats = moment->device[0].left - device[0].left;
    bool same = repeats > 0;
    for (int32_t d = 0; d < r->pipeline->stages && same; d++) {
        same = device[d].run == moment->device[d].run && device[d].op == moment->device[d].op &&
               moment->device[d].left - device[d].left == repeats && device[d].run < device[d].runs;
    }
    return same ? repeats : 0;
}

/* Tests whether all times of a track are later than at the remembered moment by the same amount, up to the rounding of
 * a few additions. Sets *later_s to this amount. If no period was found within NNC_SKIP_FORCE_OPS ops, the test returns
 * true for any times. */
static bool is_later(const replay *r, int64_t repeats, int32_t track, double *later_s) {
    const nnc_pipeline_moment *const moment = &r->memory->moment;
    const size_t tracks = (size_t)r->tracks, first = (size_t)track;
    const double *const now_s = r->free_s, *const then_s = moment->free_s;
    const double delta_s = now_s[first] - then_s[first];
    const bool forced = repeats >= NNC_SKIP_FORCE_OPS / r->pipeline->stages;
    const double slack_s = forced ? INFINITY : 8 * DBL_EPSILON * now_s[first];
    for (size_t i = first; i < (size_t)r->pipeline->stages * tracks; i += tracks) {
        if (!(fabs(now_s[i] - then_s[i] - delta_s) <= slack_s)) { return false; }
    }
    const double *arrival_s = moment->arrival_s + first;
    for (int32_t i = 0; i < 2 * r->virtual_stages; i++) {
        const nnc_queue *const queue = queue_at(r, i);
        for (uint64_t k = queue != NULL ? queue->got : 0; queue != NULL && k < queue->put; k++) {
            const double message_s = queue->arrival_s[(k & queue->mask) * tracks + first];
            if (!(fabs(message_s - *arrival_s - delta_s) <= slack_s)) { return false; }
            arrival_s += tracks;
        }
    }
    *later_s = delta_s;
    return true;
}

/* Changes the counts of a device as if it had run an op of its order list `times` more times. */
static void skip_op(nnc_pipeline_device *device, uint8_t op, int64_t times) {
    nnc_stream *const stream = device->stream;
    const bool forward = op <= NNC_F1 || op >= NNC_F0_BW1;
    if (op < NNC_STREAMS) {
        stream[op].done += times;
        return;
    }
    const int32_t chunk = op == NNC_BW1 || op == NNC_F0_BW1;
    stream[NNC_B0 + chunk].done += times;
    stream[NNC_W0 + chunk].done += times;
    if (forward) { stream[NNC_F1 - chunk].done += times; }
}

/* Moves the state of the replay forward by `times` periods. In one period, each device runs its current sequence of ops
 * `repeats` times, and all times of track k increase by later_s[k] seconds. */
static void skip(const replay *r, int64_t repeats, int64_t times, const double later_s[NNC_TRACKS]) {
    const size_t tracks = (size_t)r->tracks;
    double skip_s[NNC_TRACKS];
    for (size_t k = 0; k < tracks; k++) { skip_s[k] = (double)times * later_s[k]; }
    for (int32_t d = 0; d < r->pipeline->stages; d++) {
        nnc_pipeline_device *const device = &r->memory->device[d];
        const nnc_order_run *const run = &device->order[device->run];
        device->left -= times * repeats;
        for (size_t k = 0; k < tracks; k++) { r->free_s[(size_t)d * tracks + k] += skip_s[k]; }
        for (int32_t i = 0; i < run->ops; i++) { skip_op(device, run->op[i], times * repeats); }
    }
    for (int32_t i = 0; i < 2 * r->virtual_stages; i++) {
        const nnc_queue *const queue = queue_at(r, i);
        for (uint64_t m = queue != NULL ? queue->got : 0; queue != NULL && m < queue->put; m++) {
            for (size_t k = 0; k < tracks; k++) { queue->arrival_s[(m & queue->mask) * tracks + k] += skip_s[k]; }
        }
    }
}

/* Skips as many periods as possible, but never the last repeat of the sequence of ops that a device runs now.
 * active: one bit for each track that may skip. Returns the bits of the tracks that skipped; 0 = no track skipped. If
 * some tracks skipped, the times of the tracks that did not skip are wrong afterwards. */
static unsigned skip_periods(const replay *r, unsigned active) {
    double later_s[NNC_TRACKS] = { 0 };
    const int64_t repeats = repeats_since(r);
    int64_t left = INT64_MAX;
    unsigned skipped = 0;
    if (repeats == 0) { return 0; }
    for (int32_t d = 0; d < r->pipeline->stages; d++) {
        const int64_t here = r->memory->device[d].left;
        left = here < left ? here : left;
    }
    const int64_t times = (left - 1) / repeats;
    if (times * repeats < NNC_SKIP_MIN) { return 0; }
    for (int32_t k = 0; k < r->tracks; k++) {
        const unsigned bit = 1U << (unsigned)k;
        skipped |= (active & bit) != 0 && is_later(r, repeats, k, &later_s[k]) ? bit : 0;
    }
    if (skipped != 0) { skip(r, repeats, times, later_s); }
    return skipped;
}

/* Replays the tracks whose bits are in *active from the start of the schedule. If some tracks skip a period at a moment
 * at which other tracks cannot, the tracks that cannot skip it are removed from *active. Returns false if the schedule
 * cannot run. Periods are found with Brent's cycle detection: the current state is compared with a remembered state,
 * which is replaced after 1, 2, 4, ... rounds over all devices. Cycle detection finds periods of any length, and
 * periods that begin after an irregular part. */
static bool run_active(replay *r, unsigned *active) {
    const int64_t m = r->pipeline->micro_batches;
    const bool skips = m > NNC_SKIP_MIN && m / 2 >= r->pipeline->stages;
    int64_t age = 0, age_max = 0;
    begin(r);
    while (sweep(r)) {
        if (!skips) { continue; }
        const unsigned skipped = age == age_max ? 0 : skip_periods(r, *active);
        if (age == age_max || skipped != 0) {
            age_max = age == age_max ? 2 * age_max + 1 : 1;
            age = 0;
            remember(r);
        }
        *active = skipped != 0 ? skipped : *active;
        age++;
    }
    return is_done(r);
}

bool nnc_pipeline_run(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory, nnc_pipeline_result *result) {
    replay r = { .quiet = true, .tracks = 1 };
    unsigned active = 1;
    if (!lay_out(&r, pipeline, memory)) { return false; }
    if (r.row->wave != NULL) {
        const nnc_wave_shape shape = nnc_wave_shape_of(pipeline, &pipeline->send_s, 1);
        nnc_wave_run_tracks(&shape, 1, &memory->wave);
        summarise_wave(&r, result);
        return true;
    }
    if (!run_active(&r, &active)) { return false; }
    summarise(&r, result);
    return true;
}

/* Sets the step time of each device, in seconds, for those tracks whose bit is set in `tracks`, after they were
 * replayed. */
static void set_spans(const replay *r, unsigned tracks, double *span_s) {
    for (int32_t i = 0; i < r->pipeline->stages * NNC_TRACKS; i++) {
        if ((tracks & 1U << (unsigned)(i % NNC_TRACKS)) != 0) {
            span_s[i] = r->free_s[i] - (r->dual ? 0 : r->first_s[i]);
        }
    }
}

/* Replays `count` tracks (pipelines) of a schedule that wave.c cannot replay. If some tracks skip periods at a moment
 * at which other tracks cannot, the tracks that cannot skip them are replayed again afterwards, as a group of their
 * own. Returns false if the schedule cannot run. */
static bool run_groups(replay *r, int32_t count, double *span_s) {
    for (unsigned waiting = (1U << (unsigned)count) - 1; waiting != 0;) {
        unsigned active = waiting;
        if (!run_active(r, &active)) { return false; }
        set_spans(r, active, span_s);
        waiting &= ~active;
    }
    return true;
}

bool nnc_pipeline_run_tracks(const nnc_pipeline *pipeline, const double send_s[NNC_TRACKS], int32_t count,
                             nnc_pipeline_memory *memory, double *span_s, double total_s[NNC_TRACKS]) {
    replay r = { .quiet = true, .tracks = NNC_TRACKS, .track_send_s = send_s, .wide = nnc_is_wide() };
    if (pipeline->stages < 2 || pipeline->stages > NNC_TRACKS_STAGES_MAX || !lay_out(&r, pipeline, memory)) {
        return false;
    }
    if (r.row->wave != NULL) {
        const nnc_wave_shape shape = nnc_wave_shape_of(pipeline, send_s, NNC_TRACKS);
        nnc_wave_run_tracks(&shape, count, &memory->tracks);
        set_spans(&r, UINT_MAX, span_s);
    } else if (!run_groups(&r, count, span_s)) {
        return false;
    }
    for (int32_t k = 0; k < NNC_TRACKS; k++) { total_s[k] = 0; }
    for (int32_t i = 0; i < pipeline->stages * NNC_TRACKS; i++) {
        total_s[i % NNC_TRACKS] = nnc_max(total_s[i % NNC_TRACKS], span_s[i]);
    }
    for (int32_t i = 0; i < pipeline->stages * NNC_TRACKS && !r.row->splits; i++) {
        span_s[i] = total_s[i % NNC_TRACKS];
    }
    return true;
}
