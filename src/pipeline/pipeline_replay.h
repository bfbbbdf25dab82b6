/* Inside a pipeline replay: order lists, message queues, and the loop that runs them. */
#ifndef NNCOST_PIPELINE_PIPELINE_REPLAY_H
#define NNCOST_PIPELINE_PIPELINE_REPLAY_H

#include "pipeline/pipeline.h"
#include "pipeline/pipeline_wave.h"
#include "pipeline/schedule.h"

enum {
    NNC_RUNS_MAX = 16,   /* of one device's order list */
    NNC_RUN_OPS_MAX = 6, /* of one repeat */
    NNC_QUEUE_SLOTS = 8, /* messages on the way between neighbours; wrap-around takes >= stages */
    NNC_QUEUES_MAX = 2 * NNC_PIPELINE_VIRTUAL_MAX,
    NNC_SLOTS_MAX = NNC_QUEUES_MAX * NNC_QUEUE_SLOTS + 4 * NNC_PIPELINE_VIRTUAL_MAX
};

/* One op of an order list. 0 and 1 are the two chunks of zb-v or the two directions of dualpipe;
 * every other schedule uses 0 only. The first six are also the index of the op's stream. */
typedef enum nnc_run_op {
    NNC_F0,
    NNC_F1,
    NNC_B0,
    NNC_B1,
    NNC_W0,
    NNC_W1,
    NNC_STREAMS,
    NNC_BW0 = NNC_STREAMS, /* whole backward, the gradient is sent at its end */
    NNC_BW1,
    NNC_F0_BW1, /* a forward and a whole backward side by side, both sent at the end */
    NNC_F1_BW0
} nnc_run_op;

/* Some ops, repeated: order lists are short when written this way, whatever m. */
typedef struct nnc_order_run {
    int64_t repeat;
    uint8_t ops;
    uint8_t op[NNC_RUN_OPS_MAX];
} nnc_order_run;

/* Messages from one virtual stage to the next, in micro-batch order. */
typedef struct nnc_queue {
    double *arrival_s; /* mask + 1 of them, a power of two */
    double send_s;
    uint64_t mask, put, got;
} nnc_queue;

/* The ops of one phase on one device, in micro-batch order. */
typedef struct nnc_stream {
    double time_s, send_s;   /* of one op, without and with the way of its result */
    nnc_queue *in, *out;     /* NULL at the ends of the pipeline and for weight gradients */
    int64_t done, limit;     /* ops of an order list past the limit are left out */
    int64_t turn, turn_left; /* ops until an interleaved device takes its next chunk */
    int32_t virtual_stage;
    int32_t keeps; /* micro-batches kept more (forward), less (what releases them) or 0 */
} nnc_stream;

typedef struct nnc_pipeline_device {
    double free_s, first_s; /* end of the last op, start of the first */
    int32_t run, op;        /* where the order list stands */
    int64_t left;           /* repeats of the run not finished */
    int32_t kept, kept_max, runs;
    bool started;
    nnc_stream stream[NNC_STREAMS];
    nnc_order_run order[NNC_RUNS_MAX];
} nnc_pipeline_device;

/* A moment of the replay, to recognise it when it comes back later in time. */
typedef struct nnc_pipeline_moment {
    struct {
        double free_s;
        int64_t left;
        int32_t run, op;
    } device[NNC_PIPELINE_STAGES_MAX];
    double arrival_s[NNC_SLOTS_MAX]; /* on the way, queue by queue */
} nnc_pipeline_moment;

struct nnc_pipeline_memory {
    nnc_wave wave, tracks;
    nnc_pipeline_device device[NNC_PIPELINE_STAGES_MAX];
    nnc_queue forward[NNC_PIPELINE_VIRTUAL_MAX];  /* into each virtual stage, from the one before */
    nnc_queue backward[NNC_PIPELINE_VIRTUAL_MAX]; /* and from the one after */
    double arrival_s[NNC_SLOTS_MAX];
    nnc_pipeline_moment moment;
};

/* A replay under way. Virtual stages count both directions of dualpipe here. */
typedef struct nnc_replay {
    const nnc_pipeline *pipeline;
    const nnc_schedule_row *row;
    nnc_pipeline_memory *memory;
    nnc_pipeline_event_fn *event; /* NULL when nobody listens */
    void *context;
    int32_t virtual_stages, chain; /* all, and those one micro-batch passes */
    bool dual;                     /* dualpipe on two devices and more */
    bool folded;                   /* the second chunk or direction runs back up the devices */
    bool splits;                   /* weight gradients are ops of their own */
    bool quiet;                    /* nobody listens or counts what is kept */
} nnc_replay;

/* Checks the pipeline and lays it out; false when it breaks a rule or a limit. */
bool nnc_replay_layout(nnc_replay *replay, const nnc_pipeline *pipeline,
                       nnc_pipeline_memory *memory);

/* Empty queues, every device at the start of its list. */
void nnc_replay_begin(const nnc_replay *replay);

/* Runs every device until it has to wait for another; false when none could move. */
bool nnc_replay_sweep(nnc_replay *replay);

/* Every list is at its end. */
bool nnc_replay_done(const nnc_replay *replay);

#endif
