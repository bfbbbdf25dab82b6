/* The schedules in which all devices move in step, replayed slot by slot.
 *
 * In slot t device i runs forward number t - i, then backward t - lead + skew * i, then weight
 * gradient t - lead - i, each where there is one; numbers count micro-batches, of one chunk each
 * where a device has several. That is the order list of gpipe, 1f1b, interleaved, zb-h1 and zb-h2
 * by the choice of lead and skew alone. A forward takes what the device above sent one slot
 * before, a backward what the device below sent in the same slot (skew 0) or one before (skew 1),
 * also from the last device around to the first: two rows of messages are all that is on the way,
 * and the devices of a slot can be run without asking what is ready. */
#include "pipeline/pipeline_wave.h"

#include "pipeline/schedule.h"

/* Devices first <= i < end. */
typedef struct device_range {
    int64_t first, end;
} device_range;

nnc_wave_shape nnc_wave_shape_of(const nnc_pipeline *pipeline)
{
    const nnc_schedule_row *const row = nnc_schedule_of(pipeline->schedule);
    const int64_t v = pipeline->chunks, m = pipeline->micro_batches;
    nnc_wave_shape shape = {
        .pipeline = pipeline, .p = pipeline->stages, .v = v, .ops = m * v, .splits = row->splits
    };
    row->wave(&shape, m);
    return shape;
}

static int64_t clamp(int64_t value, int64_t end)
{
    return value < 0 ? 0 : value > end ? end : value;
}

/* Devices whose number at + step * i is one of the ops; step is 1, 0 or -1. */
static device_range active(const nnc_wave_shape *shape, int64_t at, int64_t step)
{
    if (step == 0) {
        return (device_range){ 0, at >= 0 && at < shape->ops ? shape->p : 0 };
    }
    if (step > 0) {
        return (device_range){ clamp(-at, shape->p), clamp(shape->ops - at, shape->p) };
    }
    return (device_range){ clamp(at - shape->ops + 1, shape->p), clamp(at + 1, shape->p) };
}

static void set_forward(const nnc_wave_shape *shape, nnc_wave *wave, int64_t i, int64_t chunk)
{
    const nnc_pipeline *const pipeline = shape->pipeline;
    const int64_t p = shape->p;
    wave->forward_s[i] = pipeline->forward_s[chunk * p + i];
    wave->forward_send_s[i] = wave->forward_s[i] + (p > 1 ? pipeline->send_s : 0);
}

static void set_backward(const nnc_wave_shape *shape, nnc_wave *wave, int64_t i, int64_t chunk)
{
    const nnc_pipeline *const pipeline = shape->pipeline;
    const int64_t p = shape->p, s = chunk * p + i;
    wave->weight_s[i] = pipeline->weight_s[s];
    wave->backward_s[i] = pipeline->backward_s[s] + (shape->splits ? 0 : pipeline->weight_s[s]);
    /* Nothing is sent from the first virtual stage; what wraps around there is not read. */
    wave->backward_send_s[i] = wave->backward_s[i] + (p > 1 ? pipeline->send_s : 0);
}

/* The next device of a round; the next round is of the next chunk. */
static void go_on(const nnc_wave_shape *shape, nnc_wave_cursor *next)
{
    if (++next->place == shape->p) {
        next->place = 0;
        next->chunk = next->chunk + 1 < shape->v ? next->chunk + 1 : 0;
    }
}

/* In each slot one device at most goes on to its next chunk forward, and one backward. */
static void turn(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t)
{
    const int64_t p = shape->p, v = shape->v;
    set_forward(shape, wave, wave->forward.place, wave->forward.chunk);
    /* The ends of the pipeline wait for nobody. */
    if (wave->forward.chunk == 0) {
        wave->now.down_s[0] = 0;
    }
    go_on(shape, &wave->forward);
    if (t - shape->lead + p - 1 >= 0) {
        set_backward(shape, wave, p - 1 - wave->backward.place, v - 1 - wave->backward.chunk);
        if (wave->backward.chunk == 0) {
            wave->now.up_s[p] = 0;
        }
        go_on(shape, &wave->backward);
    }
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

static void forward_slot(nnc_wave *wave, device_range range)
{
    double *const restrict free_s = wave->now.free_s;
    double *const restrict down_s = wave->now.down_s;
    for (int64_t i = range.end - 1; i >= range.first; i--) {
        const double start_s = later(down_s[i], free_s[i]);
        free_s[i] = start_s + wave->forward_s[i];
        down_s[i + 1] = start_s + wave->forward_send_s[i];
    }
}

static void backward_slot(nnc_wave *wave, device_range range, int64_t skew)
{
    double *const restrict free_s = wave->now.free_s;
    double *const restrict up_s = wave->now.up_s;
    if (skew > 0) {
        for (int64_t i = range.first; i < range.end; i++) {
            const double start_s = later(up_s[i + 1], free_s[i]);
            free_s[i] = start_s + wave->backward_s[i];
            up_s[i] = start_s + wave->backward_send_s[i];
        }
        return;
    }
    double arrival_s = up_s[range.end]; /* handed on in a register: this chain is what takes time */
    for (int64_t i = range.end - 1; i >= range.first; i--) {
        const double start_s = later(arrival_s, free_s[i]);
        arrival_s = start_s + wave->backward_send_s[i];
        free_s[i] = start_s + wave->backward_s[i];
        up_s[i] = arrival_s;
    }
}

static void weight_slot(nnc_wave *wave, device_range range)
{
    for (int64_t i = range.first; i < range.end; i++) {
        wave->now.free_s[i] += wave->weight_s[i];
    }
}

void nnc_wave_slot(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t)
{
    const int64_t p = shape->p, at = t - shape->lead;
    if (shape->v > 1) {
        turn(shape, wave, t);
    }
    if (t < p) {
        wave->first_s[t] = wave->now.down_s[t];
    }
    forward_slot(wave, active(shape, t, -1));
    backward_slot(wave, active(shape, at, shape->skew), shape->skew);
    if (shape->splits) {
        weight_slot(wave, active(shape, at, -1));
    }
    if (shape->v > 1) {
        wave->now.down_s[0] = wave->now.down_s[p];
        wave->now.up_s[p] = wave->now.up_s[0];
    }
}

int64_t nnc_wave_same_until(const nnc_wave_shape *shape, int64_t t)
{
    const int64_t step[3] = { -1, shape->skew, -1 };
    const int64_t lead[3] = { 0, shape->lead, shape->lead };
    int64_t until = INT64_MAX;
    for (int i = 0; i < (shape->splits ? 3 : 2); i++) {
        const int64_t reach = step[i] * (shape->p - 1); /* of the last device against the first */
        const int64_t low = lead[i] - (reach > 0 ? reach : 0),
                      full = lead[i] - (reach < 0 ? reach : 0);
        const int64_t change = t < low                 ? low
                               : t < full              ? t
                               : t < low + shape->ops  ? low + shape->ops
                               : t < full + shape->ops ? t
                                                       : INT64_MAX;
        until = change < until ? change : until;
    }
    return until;
}

int64_t nnc_wave_slots(const nnc_wave_shape *shape)
{
    return shape->lead + shape->ops + (shape->splits ? shape->p - 1 : 0);
}

int64_t nnc_wave_turn(const nnc_wave_shape *shape)
{
    return shape->v > 1 ? shape->p * shape->v : 1;
}

void nnc_wave_begin(const nnc_wave_shape *shape, nnc_wave *wave)
{
    for (int64_t i = 0; i < shape->p; i++) {
        wave->now.free_s[i] = wave->now.down_s[i + 1] = wave->now.up_s[i] = 0;
        set_forward(shape, wave, i, 0);
        set_backward(shape, wave, i, shape->v - 1);
    }
    wave->now.down_s[0] = wave->now.up_s[shape->p] = 0;
    wave->forward = wave->backward = (nnc_wave_cursor){ 0, 0 };
}
