/* Runs the order lists of a pipeline, every op as soon as its input and its device allow. */
#include "pipeline/pipeline_replay.h"

#include "base/number.h"

static int32_t device_of(const nnc_replay *replay, int32_t virtual_stage)
{
    const int32_t p = replay->pipeline->stages;
    return replay->folded && virtual_stage >= p ? 2 * p - 1 - virtual_stage : virtual_stage % p;
}

static int32_t chunk_of(const nnc_replay *replay, int32_t virtual_stage)
{
    return virtual_stage / replay->pipeline->stages;
}

/* Points a stream at the virtual stage whose ops come next. */
static void bind(const nnc_replay *replay, nnc_stream *stream, nnc_pipeline_phase phase,
                 int32_t virtual_stage)
{
    nnc_pipeline_memory *const memory = replay->memory;
    const nnc_pipeline *const pipeline = replay->pipeline;
    const int32_t at = virtual_stage % replay->chain; /* along the way of a micro-batch */
    const bool first = at == 0, last = at == replay->chain - 1;
    stream->virtual_stage = virtual_stage;
    stream->in = stream->out = NULL;
    switch (phase) {
    case NNC_RUN_FORWARD:
        stream->in = first ? NULL : &memory->forward[virtual_stage];
        stream->out = last ? NULL : &memory->forward[virtual_stage + 1];
        stream->time_s = pipeline->forward_s[at];
        break;
    case NNC_RUN_BACKWARD:
        stream->in = last ? NULL : &memory->backward[virtual_stage];
        stream->out = first ? NULL : &memory->backward[virtual_stage - 1];
        stream->time_s = pipeline->backward_s[at] + (replay->splits ? 0 : pipeline->weight_s[at]);
        break;
    case NNC_RUN_WEIGHT: stream->time_s = pipeline->weight_s[at]; break;
    }
    stream->send_s = stream->time_s + (stream->out != NULL ? stream->out->send_s : 0);
}

static void begin_stream(const nnc_replay *replay, int32_t d, int32_t index)
{
    const nnc_pipeline *const pipeline = replay->pipeline;
    const int32_t p = pipeline->stages, v = pipeline->chunks;
    const int64_t m = pipeline->micro_batches;
    const nnc_pipeline_phase phase = (nnc_pipeline_phase)(index / 2);
    /* Stream 0 of dualpipe is the direction that starts at this half of the devices. */
    const int32_t chunk = replay->dual && d >= p / 2 ? 1 - index % 2 : index % 2;
    /* An op of which phase lets the activations go. */
    const bool late = replay->splits && !replay->row->frees_early;
    const nnc_pipeline_phase last = late ? NNC_RUN_WEIGHT : NNC_RUN_BACKWARD;
    nnc_stream *const stream = &replay->memory->device[d].stream[index];
    stream->done = 0;
    stream->limit = m;
    stream->turn = INT64_MAX;
    stream->keeps = phase == NNC_RUN_FORWARD ? 1 : phase == last ? -1 : 0;
    int32_t virtual_stage = chunk == 1 ? 2 * p - 1 - d : d;
    if (replay->dual) {
        stream->limit = chunk == 0 ? (m + 1) / 2 : m / 2;
    } else if (replay->row->chunks == 0) {
        stream->limit = m * v;
        stream->turn = p;
        virtual_stage += phase == NNC_RUN_BACKWARD ? (v - 1) * p : 0;
    }
    stream->turn_left = stream->turn;
    bind(replay, stream, phase, virtual_stage);
}

static void begin_device(const nnc_replay *replay, int32_t d)
{
    nnc_pipeline_device *const device = &replay->memory->device[d];
    device->runs = 0;
    replay->row->write(replay->pipeline, d, device);
    device->free_s = device->first_s = 0;
    device->started = false;
    device->run = device->op = 0;
    device->left = device->order[0].repeat;
    device->kept = device->kept_max = 0;
    for (int32_t i = 0; i < NNC_STREAMS; i += replay->folded ? 1 : 2) {
        begin_stream(replay, d, i);
    }
}

static double *begin_queue(const nnc_replay *replay, nnc_queue *queue, double *slots, int32_t from,
                           int32_t to)
{
    const int32_t a = device_of(replay, from), b = device_of(replay, to);
    uint64_t count = NNC_QUEUE_SLOTS;
    /* Between the last device and the first a whole group of micro-batches can be on the way. */
    while ((a - b > 1 || b - a > 1) && count < (uint64_t)replay->pipeline->stages) {
        count *= 2;
    }
    queue->arrival_s = slots;
    queue->send_s = a == b ? 0 : replay->pipeline->send_s;
    queue->mask = count - 1;
    queue->put = queue->got = 0;
    return slots + count;
}

bool nnc_replay_layout(nnc_replay *replay, const nnc_pipeline *pipeline,
                       nnc_pipeline_memory *memory)
{
    const int32_t p = pipeline->stages, v = pipeline->chunks;
    const int64_t m = pipeline->micro_batches;
    const nnc_schedule_row *const row = nnc_schedule_of(pipeline->schedule);
    const bool alone = row->dual && p == 1; /* with nobody to fold or pair with */
    const bool dual = row->dual && !alone;
    int64_t chunk_ops;
    if (p < 1 || p > NNC_PIPELINE_STAGES_MAX || v < 1 || v > NNC_PIPELINE_VIRTUAL_MAX / p ||
        m < 1 || !nnc_mul_i64(m, 4 * (int64_t)v, &chunk_ops) ||
        (row->chunks == 0 ? v > 1 && m % p != 0 : v != row->chunks) || (dual && p % 2 != 0)) {
        return false;
    }
    replay->pipeline = pipeline;
    replay->row = row;
    replay->memory = memory;
    replay->virtual_stages = dual ? 2 * p : p * v;
    replay->chain = p * v;
    replay->dual = dual;
    replay->folded = row->folded && !alone;
    replay->splits = row->splits && !alone;
    return true;
}

void nnc_replay_begin(const nnc_replay *replay)
{
    nnc_pipeline_memory *const memory = replay->memory;
    double *slots = memory->arrival_s;
    for (int32_t s = 0; s < replay->virtual_stages; s++) {
        if (s % replay->chain != 0) {
            slots = begin_queue(replay, &memory->forward[s], slots, s - 1, s);
            slots = begin_queue(replay, &memory->backward[s - 1], slots, s, s - 1);
        }
    }
    for (int32_t d = 0; d < replay->pipeline->stages; d++) {
        begin_device(replay, d);
    }
}

static bool pending(const nnc_stream *stream)
{
    return stream->done < stream->limit;
}

static bool ready(const nnc_stream *stream)
{
    const nnc_queue *const in = stream->in, *const out = stream->out;
    return (in == NULL || in->put != in->got) && (out == NULL || out->put - out->got <= out->mask);
}

/* When the stream's input is there: start_s, or later. */
static double receive(nnc_stream *stream, double start_s)
{
    nnc_queue *const in = stream->in;
    if (in == NULL) {
        return start_s;
    }
    const double arrival_s = in->arrival_s[in->got++ & in->mask];
    return arrival_s > start_s ? arrival_s : start_s;
}

static void send(nnc_stream *stream, double arrival_s)
{
    nnc_queue *const out = stream->out;
    if (out != NULL) {
        out->arrival_s[out->put++ & out->mask] = arrival_s;
    }
}

static void report(const nnc_replay *replay, int32_t d, const nnc_stream *stream,
                   nnc_pipeline_phase phase, double start_s, double end_s)
{
    const nnc_pipeline *const pipeline = replay->pipeline;
    const int32_t chunk = chunk_of(replay, stream->virtual_stage);
    int64_t micro_batch = stream->done;
    if (replay->row->chunks == 0) {
        const int64_t p = pipeline->stages;
        micro_batch = stream->done / (p * pipeline->chunks) * p + stream->done % p;
    } else if (replay->dual && chunk == 1) {
        micro_batch += (pipeline->micro_batches + 1) / 2;
    }
    replay->event(replay->context, &(nnc_pipeline_event){ .device = d,
                                                          .chunk = chunk,
                                                          .micro_batch = micro_batch,
                                                          .phase = phase,
                                                          .start_s = start_s,
                                                          .end_s = end_s });
}

/* An interleaved device goes on with its next chunk: down the list forward, up it backward. */
static void turn(const nnc_replay *replay, nnc_stream *stream, nnc_pipeline_phase phase)
{
    const int32_t step = phase == NNC_RUN_FORWARD ? replay->pipeline->stages
                                                  : replay->chain - replay->pipeline->stages;
    stream->turn_left = stream->turn;
    bind(replay, stream, phase, (stream->virtual_stage + step) % replay->chain);
}

/* Books an interval of one stream on the device; returns its end. */
static double book(const nnc_replay *replay, int32_t d, nnc_stream *stream,
                   nnc_pipeline_phase phase, double start_s)
{
    nnc_pipeline_device *const device = &replay->memory->device[d];
    const double end_s = start_s + stream->time_s;
    device->kept += stream->keeps;
    if (device->kept > device->kept_max) {
        device->kept_max = device->kept;
    }
    if (!device->started) {
        device->started = true;
        device->first_s = start_s;
    }
    if (replay->event != NULL) {
        report(replay, d, stream, phase, start_s, end_s);
    }
    stream->done++;
    device->free_s = end_s;
    return end_s;
}

static bool run_one(const nnc_replay *replay, int32_t d, int32_t index)
{
    nnc_pipeline_device *const device = &replay->memory->device[d];
    nnc_stream *const stream = &device->stream[index];
    const nnc_pipeline_phase phase = (nnc_pipeline_phase)(index / 2);
    if (!pending(stream)) {
        return true;
    }
    if (!ready(stream)) {
        return false;
    }
    const double start_s = receive(stream, device->free_s);
    send(stream, start_s + stream->send_s);
    if (replay->quiet) {
        if (!device->started) {
            device->started = true;
            device->first_s = start_s;
        }
        stream->done++;
        device->free_s = start_s + stream->time_s;
        if (--stream->turn_left == 0) {
            turn(replay, stream, phase);
        }
        return true;
    }
    book(replay, d, stream, phase, start_s);
    if (--stream->turn_left == 0) {
        turn(replay, stream, phase);
    }
    return true;
}

/* The same as run_joined below where nobody listens: most of a long replay. */
static bool run_quietly(nnc_pipeline_device *device, nnc_stream *f, nnc_stream *b, nnc_stream *w)
{
    const bool has_f = f != NULL && pending(f), has_b = pending(b);
    if ((has_f && !ready(f)) || (has_b && !ready(b))) {
        return false;
    }
    double at_s = device->free_s;
    at_s = has_f ? receive(f, at_s) : at_s;
    at_s = has_b ? receive(b, at_s) : at_s;
    if (!device->started) {
        device->started = true;
        device->first_s = at_s;
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
    device->free_s = at_s;
    if (has_f) {
        send(f, at_s + (f->out != NULL ? f->out->send_s : 0));
    }
    if (has_b) {
        send(b, at_s + (b->out != NULL ? b->out->send_s : 0));
    }
    return true;
}

/* A forward (or NULL) and a whole backward (or NULL): both inputs first, both results last. */
static bool run_joined(const nnc_replay *replay, int32_t d, int32_t forward, int32_t chunk)
{
    nnc_pipeline_device *const device = &replay->memory->device[d];
    nnc_stream *const f = forward < 0 ? NULL : &device->stream[forward];
    nnc_stream *const b = &device->stream[NNC_B0 + chunk];
    nnc_stream *const w = &device->stream[NNC_W0 + chunk];
    if (replay->quiet) {
        return run_quietly(device, f, b, w);
    }
    const bool has_f = f != NULL && pending(f), has_b = pending(b);
    if ((has_f && !ready(f)) || (has_b && !ready(b))) {
        return false;
    }
    double at_s = device->free_s;
    at_s = has_f ? receive(f, at_s) : at_s;
    at_s = has_b ? receive(b, at_s) : at_s;
    at_s = has_f ? book(replay, d, f, NNC_RUN_FORWARD, at_s) : at_s;
    at_s = has_b ? book(replay, d, b, NNC_RUN_BACKWARD, at_s) : at_s;
    at_s = has_b ? book(replay, d, w, NNC_RUN_WEIGHT, at_s) : at_s;
    if (has_f) {
        send(f, at_s + (f->out != NULL ? f->out->send_s : 0));
    }
    if (has_b) {
        send(b, at_s + (b->out != NULL ? b->out->send_s : 0));
    }
    return true;
}

static bool run_op(const nnc_replay *replay, int32_t d, uint8_t op)
{
    switch (op) {
    case NNC_BW0: return run_joined(replay, d, -1, 0);
    case NNC_BW1: return run_joined(replay, d, -1, 1);
    case NNC_F0_BW1: return run_joined(replay, d, NNC_F0, 1);
    case NNC_F1_BW0: return run_joined(replay, d, NNC_F1, 0);
    default: return run_one(replay, d, op);
    }
}

/* One device, until it waits; true when it moved. */
static bool run_device(const nnc_replay *replay, int32_t d)
{
    nnc_pipeline_device *const device = &replay->memory->device[d];
    bool moved = false;
    while (device->run < device->runs) {
        const nnc_order_run *const run = &device->order[device->run];
        for (; device->left > 0; device->left--) {
            for (; device->op < run->ops; device->op++) {
                if (!run_op(replay, d, run->op[device->op])) {
                    return moved;
                }
                moved = true;
            }
            device->op = 0;
        }
        if (++device->run < device->runs) {
            device->left = device->order[device->run].repeat;
        }
    }
    return moved;
}

bool nnc_replay_sweep(nnc_replay *replay)
{
    bool moved = false;
    for (int32_t d = replay->pipeline->stages - 1; d >= 0; d--) {
        moved |= run_device(replay, d);
    }
    return moved;
}

bool nnc_replay_done(const nnc_replay *replay)
{
    for (int32_t d = 0; d < replay->pipeline->stages; d++) {
        const nnc_pipeline_device *const device = &replay->memory->device[d];
        if (device->run < device->runs) {
            return false;
        }
    }
    return true;
}
