/* Replay of a pipeline schedule: when does each stage run which micro-batch? */
#ifndef NNCOST_PIPELINE_PIPELINE_H
#define NNCOST_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nncost/plan.h>

/* One schedule to replay. Virtual stages are numbered in the order a micro-batch meets them going
 * forward; there are stages * chunks of them. Each device runs a fixed order list, an op as soon as
 * its input has arrived and the op before it in the list is done. What is in the lists, and their
 * sources, stand with the rows in schedule.c.   [pipeline] */
typedef struct nnc_pipeline {
    nnc_schedule schedule;
    int32_t stages; /* devices in the pipeline, >= 1 */
    int32_t chunks; /* virtual stages per device; 1 but for interleaved and 2 for zb-v */
    int64_t micro_batches;
    const double *forward_s;  /* per virtual stage */
    const double *backward_s; /* input gradient, and recomputation */
    const double *weight_s;   /* weight gradient: an op of its own for zb-* and dualpipe, else run
                               * as one op with the input gradient */
    double send_s; /* to the next virtual stage on another device, each way; blocks neither */
} nnc_pipeline;

typedef enum nnc_pipeline_phase {
    NNC_RUN_FORWARD,
    NNC_RUN_BACKWARD, /* the whole backward where the schedule does not split it */
    NNC_RUN_WEIGHT
} nnc_pipeline_phase;

typedef struct nnc_pipeline_event {
    int32_t device, chunk; /* chunk: 0 <= chunk < chunks; for dualpipe the direction, 0 or 1 */
    int64_t micro_batch;
    nnc_pipeline_phase phase;
    double start_s, end_s;
} nnc_pipeline_event;

/* Called once per interval, per device in the order of time. */
typedef void nnc_pipeline_event_fn(void *context, const nnc_pipeline_event *event);

enum {
    NNC_PIPELINE_STAGES_MAX = 1024,
    NNC_PIPELINE_VIRTUAL_MAX = 4096 /* stages * chunks; both directions of dualpipe count */
};

/* Per device, the first `stages` entries are filled. */
typedef struct nnc_pipeline_result {
    /* The longest of span_s: the time of a step. */
    double total_s;
    double makespan_s; /* from the first start to the last end of all */
    /* What a step takes of a device. zb-*: from its own first start to its own last end, as steps follow each
     * other without a barrier, which these schedules ask for; dualpipe: to its own last end; else makespan_s. */
    double span_s[NNC_PIPELINE_STAGES_MAX];
    double busy_s[NNC_PIPELINE_STAGES_MAX];
    double in_flight[NNC_PIPELINE_STAGES_MAX]; /* most micro-batches kept at once, a chunk counts
                                                * 1/chunks; see nnc_pipeline_in_flight */
} nnc_pipeline_result;

/* Working memory of a replay, a few MB that are touched as far as the pipeline is large. Defined in
 * pipeline/pipeline_replay.h; calloc it once, use it for any number of replays. */
typedef struct nnc_pipeline_memory nnc_pipeline_memory;

/* Replays the whole schedule, op by op in a topological order; event may be NULL. Exact,
 * O(stages * chunks * micro_batches). false when the pipeline breaks a rule above or is larger than
 * the limits. */
bool nnc_pipeline_replay(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory,
                         nnc_pipeline_result *result, nnc_pipeline_event_fn *event, void *context);

/* The same total, makespan and counts, for many micro-batches much faster: replays until growth is
 * steady and carries it on in closed form. Equal to the replay digit for digit where nothing is
 * skipped (micro_batches <= 16), to rounding elsewhere. Takes up to INT64_MAX / (4 * chunks)
 * micro-batches. Should no steady growth show within 2^23 / stages of them, which takes stages that
 * are very nearly equal, the growth seen so far is carried on and the result is a little low. */
bool nnc_pipeline_run(const nnc_pipeline *pipeline, nnc_pipeline_memory *memory,
                      nnc_pipeline_result *result);

/* Some pipelines of one schedule, with equally many stages, chunks and micro-batches, side by side: the times of virtual
 * stage s on track k stand at s * NNC_TRACKS + k. */
enum { NNC_TRACKS = 8, NNC_TRACKS_STAGES_MAX = NNC_PIPELINE_STAGES_MAX / NNC_TRACKS };

/* Runs the first `count` of them, each as nnc_pipeline_run does, to the digit; send_s is each track's, the pipeline's own
 * is not read. Fills in span_s, that of device d on track k at d * NNC_TRACKS + k, and total_s of each track. false: the
 * devices do not move in step, there are fewer than two or more than NNC_TRACKS_STAGES_MAX, or nnc_pipeline_run would refuse. */
bool nnc_pipeline_run_tracks(const nnc_pipeline *pipeline, const double send_s[NNC_TRACKS],
                             int32_t count, nnc_pipeline_memory *memory, double *span_s,
                             double total_s[NNC_TRACKS]);

/* Closed-form idle time of the schedule when every stage takes the same times (per stage, all
 * chunks) and sending takes none: total_s less the busy time. The zb-h forms hold from m = p and
 * m = 2p-1 on; for tW > tF they give the idle time that the published in-flight limit leaves; the
 * published form is less there. zb-v has no bubble for tF = tB = tW and m >= 2p-1, else its
 * 0 is a lower bound. DualPipe's is for tF = tB, tW <= tF, m even and >= 2p.   [bubble] */
double nnc_pipeline_bubble_s(nnc_schedule schedule, int32_t stages, int32_t chunks,
                             double forward_s, double backward_s, double weight_s);

/* Most micro-batches whose activations a device keeps at once, in its own layers' worth. Kept from
 * the start of the forward to the end of the backward; zb-h2, zb-v and dualpipe to the end of the
 * weight gradient; zb-h1 is counted to the end of the input gradient, as published.
 * [in-flight] */
double nnc_pipeline_in_flight(nnc_schedule schedule, int32_t stages, int32_t chunks,
                              int64_t micro_batches, int32_t stage);

#endif
