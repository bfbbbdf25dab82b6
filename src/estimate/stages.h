/* Dealing layers out to pipeline stages, and the time of one micro-batch on each. */
#ifndef NNCOST_ESTIMATE_STAGES_H
#define NNCOST_ESTIMATE_STAGES_H

#include <nncost/estimate.h>

#include "cost/fabric.h"
#include "cost/rows.h"
#include "cost/segment.h"
#include "pipeline/pipeline.h"
#include "pipeline/schedule.h"

enum {
    NNC_STAGES_MAX = NNC_PIPELINE_STAGES_MAX,
    NNC_VIRTUAL_STAGES_MAX = NNC_PIPELINE_VIRTUAL_MAX
};

/* How many instances of each segment one virtual stage, or one device, holds. */
typedef struct nnc_share {
    int64_t instances[NNC_SEGMENTS_MAX];
} nnc_share;

/* Virtual stages in the order a micro-batch meets them, and where they live. Layers are dealt out
 * evenly; the first stages get one more when they do not divide. Embedding and head go to the
 * ends. */
typedef struct nnc_deal {
    int32_t stages, virtual_stages; /* devices of the pipeline; virtual stages in all */
    int32_t segments;
    nnc_share shares[NNC_VIRTUAL_STAGES_MAX];
    bool alike[NNC_VIRTUAL_STAGES_MAX]; /* seen to hold what the one before does */
} nnc_deal;

void nnc_deal_layers(const nnc_op_list *list, const nnc_plan *plan, nnc_deal *deal);

/* Device of a virtual stage: round and round when interleaved, down and back up for zb-v. */
int32_t nnc_deal_device(const nnc_plan *plan, int32_t virtual_stage);

/* Instances of each segment that one device holds. DualPipe: its stage of both directions. */
void nnc_deal_device_share(const nnc_deal *deal, const nnc_plan *plan, int32_t device,
                           int64_t instances[NNC_SEGMENTS_MAX]);

/* Seconds of one instance of a segment in one pass: compute and exposed communication of each part
 * (forward, backward, recompute), and their sums. weight_s is the part of backward_s that computes
 * weight gradients. */
enum { NNC_PASS_PARTS = NNC_PART_RECOMPUTE + 1 };
typedef struct nnc_unit {
    double forward_s, backward_s, weight_s, recompute_s;
    double compute_s[NNC_PASS_PARTS];
    double exposed_s[NNC_PASS_PARTS][NNC_COMM_COUNT];
    double host_s[NNC_PASS_PARTS]; /* what issuing the ops adds to both */
    /* Behind which nothing hides yet on a fabric: compute, and what others carry exposed. */
    double free_s[NNC_PASS_PARTS][NNC_LANES];
} nnc_unit;

/* Shares of each kind of communication that hide, in [0, 1]. */
typedef struct nnc_overlap {
    double share[NNC_COMM_COUNT];
    double tensor_backward; /* of tensor-parallel exchanges in backward passes */
    double context_ahead;   /* of what attention waits for before it begins */
    double ring_share;      /* of the attention, blocks that run while another one travels */
    bool weight_apart;      /* weight gradients run at another time: nothing hides behind them */
} nnc_overlap;
nnc_overlap nnc_overlap_of(const nnc_plan *plan, const nnc_software *software);

/* Hides what can hide: in each segment and phase, exchanges run beside the compute there is, those
 * that pass blocks beside the attention first. An exposed exchange keeps its row's time, a hidden one
 * loses it: t = C + N - share min(C, N).   [overlap] */
void nnc_rows_hide(nnc_rows *rows, const nnc_op_list *list, const nnc_network *network,
                   const nnc_overlap *overlap, nnc_derivation *why);

/* The host's time to issue an op, and each of the products of a group that a library issues one by one. */
typedef struct nnc_launch {
    double op_s, product_s;
    bool recorded_attention; /* norms and attention take it none: they are recorded and replayed */
} nnc_launch;
static inline double nnc_launch_of_op_s(const nnc_launch *launch, const nnc_op *op)
{
    const double products = op->kind == NNC_OP_MATMUL ? (double)op->u.matmul.experts : 0.0;
    if (launch->recorded_attention &&
        (op->group == NNC_GROUP_ATTENTION || op->group == NNC_GROUP_NORM)) {
        return 0.0;
    }
    return launch->op_s + (products > 1.0 ? products * launch->product_s : 0.0);
}

/* Sums the rows of each segment into units, one instance and pass each. The host issues one op after
 * the other while the device works through them: a part takes
 *     (device^4 + host^4)^(1/4)
 * of both, of which host_s is what exceeds the device's.   [launch] */
void nnc_units_sum(const nnc_rows *rows, const nnc_op_list *list, const nnc_network *network,
                   const nnc_launch *launch, nnc_unit units[NNC_SEGMENTS_MAX], nnc_derivation *why);

/* Layers of a share that full recomputation runs again. */
int64_t nnc_recomputed_layers(const nnc_plan *plan, const nnc_op_list *list, int32_t segment,
                              int64_t instances);

#endif
