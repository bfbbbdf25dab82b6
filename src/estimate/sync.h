/* What happens once per step between ranks: gradients, sharded weights, tied tables, offload. */
#ifndef NNCOST_ESTIMATE_SYNC_H
#define NNCOST_ESTIMATE_SYNC_H

#include "cost/fabric.h"
#include "cost/memory.h"
#include "cost/network.h"
#include "cost/rows.h"
#include "estimate/stages.h"

/* One device's times that exchanges of the whole step can hide behind, on each fabric: what the device computes,
 * the host takes longer to issue, and other fabrics carry, less what hides behind it already. */
typedef struct nnc_hideout {
    double forward_s[NNC_LANES], backward_s[NNC_LANES]; /* of one pass over what the device holds */
    double bucket_bytes,
        table_share;              /* of the dense gradients: a bucket; the first table's share */
    double unit_share;            /* of a unit, where units are the buckets; else 0 */
    double shards, expert_shards; /* of a replica's gradients */
} nnc_hideout;

/* Appends what casts weights held in fp32 for every micro-batch, of each segment. */
void nnc_add_casts(nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                   const nnc_lowering *how);

/* Appends to a list the exchanges that a unit of ZeRO-3 or of offload makes in every pass: weights
 * gathered before use, gradients scattered after, kept activations moved out and back. Before rows
 * are built; the list's segments and sums are of one rank. */
void nnc_cluster_unit_exchanges(nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                const nnc_lowering *how);

/* Writes the exchanges of one whole step of a device that holds so many parameters into ops; returns how many, at most
 * NNC_STEP_EXCHANGES_MAX. tied_params: of a table that the other end of the pipeline has, too; flat: weights are
 * one buffer, gathered for every pass, and their gradients are reduced in the format of the products. */
enum { NNC_STEP_EXCHANGES_MAX = 12 };
int nnc_cluster_step_exchanges(double dense, double expert, const nnc_plan *plan, bool flat,
                               double tied_params, nnc_op ops[NNC_STEP_EXCHANGES_MAX]);

/* Exposed seconds of an exchange of the whole step that takes N = exchange_s on a fabric, with a window of t
 * seconds beside it: gradients travel in buckets, a share f of them each, as soon as their layers are done, the last
 * of which, a share l, may be a whole table:
 *     max(t + l N, N + f t) - t     for the share that overlaps, N for the rest.
 * Source: PyTorch DDP arXiv:2006.15704.   [bucketed-overlap] */
double nnc_cluster_exposed_s(const nnc_exchange *exchange, double exchange_s, double share,
                             nnc_lane lane, const nnc_hideout *hideout);
double nnc_cluster_say_exposed_s(const nnc_exchange *exchange, double exchange_s, double share,
                                 nnc_lane lane, const nnc_hideout *hideout, nnc_derivation *why);

#endif
