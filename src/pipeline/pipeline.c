/* Pipeline schedules: time and activations kept, replayed. */
#include "pipeline/pipeline.h"

#include <float.h>
#include <math.h>

#include "base/number.h"
#include "pipeline/pipeline_replay.h"

static double device_busy_s(const nnc_replay *replay, int32_t d)
{
    const nnc_pipeline *const pipeline = replay->pipeline;
    const int32_t p = pipeline->stages;
    const bool dual = replay->dual;
    const int64_t m = pipeline->micro_batches, first = dual ? (m + 1) / 2 : m;
    double busy_s = 0;
    for (int32_t chunk = 0; chunk < replay->virtual_stages / p; chunk++) {
        const int32_t v = replay->folded && chunk == 1 ? 2 * p - 1 - d : chunk * p + d;
        const int32_t at = v % replay->chain;
        busy_s += (double)(chunk == 0 || !dual ? first : m - first) *
                  (pipeline->forward_s[at] + pipeline->backward_s[at] + pipeline->weight_s[at]);
    }
    return busy_s;
}

/* Whole backwards end in a cascade, and what follows them waits for the last one. */
static void wait_for_all(const nnc_replay *replay, nnc_pipeline_result *result)
{
    for (int32_t d = 0; d < replay->pipeline->stages && !replay->row->splits; d++) {
        result->span_s[d] = result->total_s;
    }
}

static void summarise(const nnc_replay *replay, nnc_pipeline_result *result)
{
    const nnc_pipeline *const pipeline = replay->pipeline;
    result->total_s = result->makespan_s = 0;
    for (int32_t d = 0; d < pipeline->stages; d++) {
        const nnc_pipeline_device *const device = &replay->memory->device[d];
        const double first_s = replay->dual ? 0 : device->first_s; /* it starts at both ends */
        result->span_s[d] = device->free_s - first_s;
        result->total_s = nnc_max(result->total_s, result->span_s[d]);
        result->makespan_s = nnc_max(result->makespan_s, device->free_s);
        result->in_flight[d] =
            replay->quiet ? nnc_pipeline_in_flight(pipeline->schedule, pipeline->stages,
                                                   pipeline->chunks, pipeline->micro_batches, d)
                          : (double)device->kept_max / (double)pipeline->chunks;
        result->busy_s[d] = device_busy_s(replay, d);
    }
    wait_for_all(replay, result);
}

static void summarise_wave(const nnc_replay *replay, nnc_pipeline_result *result)
{
    const nnc_pipeline *const pipeline = replay->pipeline;
    const nnc_wave *const wave = &replay->memory->wave;
    result->total_s = result->makespan_s = 0;
    for (int32_t d = 0; d < pipeline->stages; d++) {
        result->span_s[d] = wave->now.free_s[d] - wave->first_s[d];
        result->total_s = nnc_max(result->total_s, result->span_s[d]);
        result->makespan_s = nnc_max(result->makespan_s, wave->now.free_s[d]);
        result->in_flight[d] = nnc_pipeline_in_flight(pipeline->schedule, pipeline->stages,
                                                      pipeline->chunks, pipeline->micro_batches, d);
        result->busy_s[d] = device_busy_s(replay, d);
    }
    wait_for_all(replay, result);
}

bool nnc_pipeline_run_tracks(const nnc_pipeline *pipeline, const double send_s[NNC_TRACKS],
                             int32_t count, nnc_pipeline_memory *memory, double *span_s,
                             double total_s[NNC_TRACKS])
{
    nnc_replay replay = { .quiet = true };
    if (pipeline->stages < 2 || pipeline->stages > NNC_TRACKS_STAGES_MAX ||
        !nnc_replay_layout(&replay, pipeline, memory) || replay.row->wave == NULL) {
        return false;
    }
    const nnc_wave_shape shape = nnc_wave_shape_of(pipeline, send_s, NNC_TRACKS);
    const nnc_wave *const wave = &memory->tracks;
    nnc_wave_run_tracks(&shape, count, &memory->tracks);
    for (int32_t k = 0; k < NNC_TRACKS; k++) {
        total_s[k] = 0;
    }
    for (int32_t d = 0; d < pipeline->stages; d++) {
        for (int32_t k = 0; k < NNC_TRACKS; k++) {
            const int32_t at = d * NNC_TRACKS + k;
            span_s[at] = wave->now.free_s[at] - wave->first_s[at];
            total_s[k] = nnc_max(total_s[k], span_s[at]);
        }
    }
    for (int32_t i = 0; i < pipeline->stages * NNC_TRACKS && !replay.row->splits; i++) {
        span_s[i] = total_s[i % NNC_TRACKS];
    }
    return true;
}

bool nnc_pipeline_replay(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory,
                         nnc_pipeline_result *result, nnc_pipeline_event_fn *event, void *context)
{
    nnc_replay replay = { .event = event, .context = context };
    if (!nnc_replay_layout(&replay, pipeline, memory)) {
        return false;
    }
    nnc_replay_begin(&replay);
    while (nnc_replay_sweep(&replay)) {
    }
    if (!nnc_replay_done(&replay)) {
        return false;
    }
    summarise(&replay, result);
    return true;
}

/* Every queue, in a fixed order; NULL where a chain of virtual stages ends. */
static nnc_queue *queue_at(const nnc_replay *replay, int32_t i)
{
    const int32_t s = i / 2;
    if (s % replay->chain == 0) {
        return NULL;
    }
    return i % 2 == 0 ? &replay->memory->forward[s] : &replay->memory->backward[s - 1];
}

static void remember(const nnc_replay *replay)
{
    nnc_pipeline_moment *const moment = &replay->memory->moment;
    for (int32_t d = 0; d < replay->pipeline->stages; d++) {
        const nnc_pipeline_device *const device = &replay->memory->device[d];
        moment->device[d].free_s = device->free_s;
        moment->device[d].left = device->left;
        moment->device[d].run = device->run;
        moment->device[d].op = device->op;
    }
    double *arrival_s = moment->arrival_s;
    for (int32_t i = 0; i < 2 * replay->virtual_stages; i++) {
        const nnc_queue *const queue = queue_at(replay, i);
        for (uint64_t k = queue != NULL ? queue->got : 0; queue != NULL && k < queue->put; k++) {
            *arrival_s++ = queue->arrival_s[k & queue->mask];
        }
    }
}

/* Repeats since the remembered moment when the pipeline stands as it did then, only later by
 * *later_s; else 0. Equal times may differ by the rounding of a few additions, or by anything once
 * the replay has taken too long. */
static int64_t period(const nnc_replay *replay, double *later_s)
{
    const nnc_pipeline *const pipeline = replay->pipeline;
    const nnc_pipeline_moment *const moment = &replay->memory->moment;
    const nnc_pipeline_device *const device = replay->memory->device;
    const int64_t repeats = moment->device[0].left - device[0].left;
    const double delta_s = device[0].free_s - moment->device[0].free_s;
    const bool forced = repeats >= NNC_SKIP_FORCE_OPS / pipeline->stages;
    const double slack_s = forced ? INFINITY : 8 * DBL_EPSILON * device[0].free_s;
    if (repeats <= 0) {
        return 0;
    }
    for (int32_t d = 0; d < pipeline->stages; d++) {
        if (device[d].run != moment->device[d].run || device[d].op != moment->device[d].op ||
            moment->device[d].left - device[d].left != repeats || device[d].run == device[d].runs ||
            !(fabs(device[d].free_s - moment->device[d].free_s - delta_s) <= slack_s)) {
            return 0;
        }
    }
    const double *arrival_s = moment->arrival_s;
    for (int32_t i = 0; i < 2 * replay->virtual_stages; i++) {
        const nnc_queue *const queue = queue_at(replay, i);
        for (uint64_t k = queue != NULL ? queue->got : 0; queue != NULL && k < queue->put; k++) {
            if (!(fabs(queue->arrival_s[k & queue->mask] - *arrival_s++ - delta_s) <= slack_s)) {
                return 0;
            }
        }
    }
    *later_s = delta_s;
    return repeats;
}

/* Counts an op of the order list as done, some more times. */
static void skip_op(nnc_pipeline_device *device, uint8_t op, int64_t times)
{
    nnc_stream *const stream = device->stream;
    const bool forward = op <= NNC_F1 || op >= NNC_F0_BW1;
    if (op < NNC_STREAMS) {
        stream[op].done += times;
        return;
    }
    const int32_t chunk = op == NNC_BW1 || op == NNC_F0_BW1;
    stream[NNC_B0 + chunk].done += times;
    stream[NNC_W0 + chunk].done += times;
    if (forward) {
        stream[NNC_F1 - chunk].done += times;
    }
}

/* The state after `times` more periods. */
static void skip(const nnc_replay *replay, int64_t repeats, int64_t times, double later_s)
{
    const double skip_s = (double)times * later_s;
    for (int32_t d = 0; d < replay->pipeline->stages; d++) {
        nnc_pipeline_device *const device = &replay->memory->device[d];
        const nnc_order_run *const run = &device->order[device->run];
        device->left -= times * repeats;
        device->free_s += skip_s;
        for (int32_t i = 0; i < run->ops; i++) {
            skip_op(device, run->op[i], times * repeats);
        }
    }
    for (int32_t i = 0; i < 2 * replay->virtual_stages; i++) {
        const nnc_queue *const queue = queue_at(replay, i);
        for (uint64_t k = queue != NULL ? queue->got : 0; queue != NULL && k < queue->put; k++) {
            queue->arrival_s[k & queue->mask] += skip_s;
        }
    }
}

/* Skips what is left of the present runs in whole periods, keeping one repeat; true if any. */
static bool skip_periods(const nnc_replay *replay)
{
    double later_s = 0;
    const int64_t repeats = period(replay, &later_s);
    int64_t left = INT64_MAX;
    if (repeats == 0) {
        return false;
    }
    for (int32_t d = 0; d < replay->pipeline->stages; d++) {
        const int64_t here = replay->memory->device[d].left;
        left = here < left ? here : left;
    }
    const int64_t times = (left - 1) / repeats;
    if (times * repeats < NNC_SKIP_MIN) {
        return false;
    }
    skip(replay, repeats, times, later_s);
    return true;
}

/* Brent's cycle detection: a remembered moment is held against each later one, and replaced after
 * 1, 2, 4, ... sweeps, so that a period is found whatever its length and its run-up. */
bool nnc_pipeline_run(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory,
                      nnc_pipeline_result *result)
{
    nnc_replay replay = { .quiet = true };
    if (!nnc_replay_layout(&replay, pipeline, memory)) {
        return false;
    }
    if (replay.row->wave != NULL) {
        nnc_wave_run(pipeline, &memory->wave);
        summarise_wave(&replay, result);
        return true;
    }
    nnc_replay_begin(&replay);
    const bool skips =
        pipeline->micro_batches > NNC_SKIP_MIN && pipeline->micro_batches / 2 >= pipeline->stages;
    int64_t age = 0, age_max = 0;
    while (nnc_replay_sweep(&replay)) {
        if (!skips) {
            continue;
        }
        if (age == age_max || skip_periods(&replay)) {
            age_max = age == age_max ? 2 * age_max + 1 : 1;
            age = 0;
            remember(&replay);
        }
        age++;
    }
    if (!nnc_replay_done(&replay)) {
        return false;
    }
    summarise(&replay, result);
    return true;
}
