/* What happens once per step between ranks: gradients, sharded weights, tied tables, offload. */
#ifndef NNCOST_ESTIMATE_SYNC_H
#define NNCOST_ESTIMATE_SYNC_H

#include "cost/memory.h"
#include "cost/network.h"
#include "cost/rows.h"
#include "estimate/stages.h"

/* One device's times that exchanges of the whole step can hide behind. */
typedef struct nnc_hideout {
    double forward_s, backward_s; /* of one pass over everything the device holds */
    int64_t layers;
} nnc_hideout;

/* Appends to a list the exchanges that a unit of ZeRO-3 or of offload makes in every pass: weights
 * gathered before use, gradients scattered after, kept activations moved out and back. Before rows
 * are built; the list's segments and sums are of one rank. */
void nnc_cluster_unit_exchanges(nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                const nnc_lowering *how);

/* Writes the exchanges of one whole step of a device into ops; returns how many, at most
 * NNC_STEP_EXCHANGES_MAX. ends: the device holds one end of the pipeline, with a tied table. */
enum { NNC_STEP_EXCHANGES_MAX = 12 };
int nnc_cluster_step_exchanges(const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                               const nnc_holding *holding, const nnc_plan *plan, double tied_params,
                               nnc_op ops[NNC_STEP_EXCHANGES_MAX]);

/* Exposed seconds of an exchange of the whole step that takes exchange_s: gradients travel in as many
 * buckets as there are layers, each as soon as its layer is done:
 *     max(t + N / L, N + t / L) - t     for the share that overlaps, N for the rest.
 * Source: PyTorch DDP arXiv:2006.15704.   [bucketed-overlap] */
double nnc_cluster_exposed_s(const nnc_exchange *exchange, double exchange_s, double share,
                             const nnc_hideout *hideout);
double nnc_cluster_say_exposed_s(const nnc_exchange *exchange, double exchange_s, double share,
                                 const nnc_hideout *hideout, nnc_derivation *why);

#endif
