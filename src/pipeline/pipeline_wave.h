/* Slot-by-slot replay of the schedules whose devices move in step; see pipeline_wave.c. */
#ifndef NNCOST_PIPELINE_PIPELINE_WAVE_H
#define NNCOST_PIPELINE_PIPELINE_WAVE_H

#include "pipeline/pipeline.h"

enum {
    NNC_SKIP_MIN = 16, /* repeats below which skipping gains nothing */
    NNC_SKIP_FORCE_OPS =
        1 << 22 /* op replays without a period after which growth is taken as even */
};

/* Numbers of a row: a place more than there are stages, and not so many that equal places of all rows meet in a cache. */
enum { NNC_WAVE_ROOM = NNC_PIPELINE_STAGES_MAX + 5 * NNC_TRACKS };

/* What a replay carries from slot to slot. 0 where nothing was ever sent. Of several pipelines side by side each has a
 * track: entry i of track k stands at i * tracks + k, here and below. */
typedef struct nnc_wave_state {
    double free_s[NNC_WAVE_ROOM]; /* end of the last op */
    double down_s[NNC_WAVE_ROOM]; /* forward arrival at i; [p] wraps around */
    double up_s[NNC_WAVE_ROOM];   /* backward arrival at i - 1; [0] wraps around */
} nnc_wave_state;

/* Who takes its next chunk in the next slot: chunks come round every turn, so what skips whole turns leaves it. */
typedef struct nnc_wave_cursor {
    int64_t place, chunk; /* from where micro-batches enter; in the order that they are met */
} nnc_wave_cursor;

typedef struct nnc_wave {
    nnc_wave_state now;
    nnc_wave_cursor forward, backward;
    nnc_wave_state then, later;    /* moments to hold the present against */
    nnc_wave_state saved, kept;    /* while others are tried; of tracks that are through */
    double first_s[NNC_WAVE_ROOM]; /* start of the first op */
    double forward_s[NNC_WAVE_ROOM], forward_send_s[NNC_WAVE_ROOM];
    double backward_s[NNC_WAVE_ROOM], backward_send_s[NNC_WAVE_ROOM];
    double weight_s[NNC_WAVE_ROOM];
} nnc_wave;

/* A schedule as lead and skew of its slots. */
typedef struct nnc_wave_shape {
    const nnc_pipeline *pipeline; /* its times are of so many tracks */
    const double *send_s;         /* of each track */
    int64_t tracks, stride;       /* 1 or NNC_TRACKS; those of the times */
    int64_t p, v, ops;            /* ops: of one phase on one device */
    int64_t lead, skew;
    bool splits, wide; /* wide: the processor adds four numbers at once */
} nnc_wave_shape;

/* The shape of a schedule; slots it takes, and the slots after which its chunks come round. */
nnc_wave_shape nnc_wave_shape_of(const nnc_pipeline *pipeline, const double *send_s,
                                 int64_t tracks);
int64_t nnc_wave_slots(const nnc_wave_shape *shape);
int64_t nnc_wave_turn(const nnc_wave_shape *shape);

void nnc_wave_begin(const nnc_wave_shape *shape, nnc_wave *wave);
/* Runs slot t, and those after it that run the same: so many in all. */
void nnc_wave_slot(const nnc_wave_shape *shape, nnc_wave *wave, int64_t t, int64_t times);

/* The first slot from t on that does not run just what slot t runs, on all devices or none; t
 * itself where a phase is on its way in or out. */
int64_t nnc_wave_same_until(const nnc_wave_shape *shape, int64_t t);

/* Runs all slots, skipping where it can. Leaves the start and end of each device in first_s and
 * now.free_s. */
void nnc_wave_run(const nnc_pipeline *pipeline, nnc_wave *wave);

/* The same of several pipelines, each to the digit as if it were alone. */
void nnc_wave_run_tracks(const nnc_wave_shape *shape, int32_t count, nnc_wave *wave);

#endif
