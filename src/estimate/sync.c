#include "estimate/sync.h"

#include "base/number.h"
#include "estimate/step.h"
#include "op/work.h"
#include "parallel/split.h"

static void unit_exchange(nnc_op_list *list, const nnc_lowering *how, const char *name,
                          int32_t segment, nnc_exchange exchange)
{
    const double units = nnc_list_units(list, segment);
    const nnc_writer w = { list, how, (int64_t)((double)list->segments[segment].instances * units),
                           -1, NULL };
    exchange.bytes /= units;
    nnc_list_exchange(&w, name, exchange);
    list->ops[list->count - 1].segment = segment;
}

/* Ranks that hold the same shard of one kind of parameters. */
static int32_t replicas_of(const nnc_plan *plan, nnc_route_kind route, double shards)
{
    const int32_t same = route == NNC_ROUTE_SHARD ? plan->data * plan->context
                                                  : nnc_plan_expert_ranks(plan) / plan->expert;
    return same / (int32_t)shards;
}

static nnc_route_kind replica_route(nnc_route_kind route)
{
    return route == NNC_ROUTE_SHARD ? NNC_ROUTE_REPLICA : NNC_ROUTE_EXPERT_REPLICA;
}

/* Weights of a unit are gathered for forward and again for backward, when its gradient is scattered
 * too; replicas of a shard group add theirs up. Without resharding one gather serves the step. */
static void sharded_unit(nnc_op_list *list, const nnc_lowering *how, int32_t segment,
                         const nnc_parameters *p, nnc_route_kind route, double shards)
{
    const nnc_plan *plan = how->plan;
    const double weights = nnc_policy_bytes(plan->policy).weight_bytes * p->params;
    const double gradients = nnc_policy_gradient_io_bytes(plan->policy) * p->params;
    nnc_exchange e = { .comm = NNC_COMM_DATA,
                       .route = (int32_t)route,
                       .forward = NNC_ALL_GATHER,
                       .backward = NNC_ALL_GATHER,
                       .bytes = weights };
    if (p->params <= 0.0) {
        return;
    }
    if (shards > 1.0) {
        if (plan->reshard) {
            unit_exchange(list, how, "data.gather_weights", segment, e);
        }
        e = (nnc_exchange){ .comm = NNC_COMM_DATA,
                            .route = (int32_t)route,
                            .backward = NNC_REDUCE_SCATTER,
                            .bytes = gradients };
        unit_exchange(list, how, "data.scatter_gradients", segment, e);
    }
    if (replicas_of(plan, route, shards) > 1) {
        e = (nnc_exchange){ .comm = NNC_COMM_DATA,
                            .route = (int32_t)replica_route(route),
                            .backward = NNC_ALL_REDUCE,
                            .bytes = gradients / shards };
        unit_exchange(list, how, "data.reduce_replicas", segment, e);
    }
}

/* Weights that are not trained are gathered, and have no gradient. */
static void frozen_unit(nnc_op_list *list, const nnc_lowering *how, int32_t segment,
                        const nnc_parameters *p, nnc_route_kind route, double shards)
{
    if (p->params > 0.0 && shards > 1.0) {
        unit_exchange(list, how, "data.gather_frozen", segment,
                      (nnc_exchange){ .comm = NNC_COMM_DATA,
                                      .route = (int32_t)route,
                                      .forward = NNC_ALL_GATHER,
                                      .backward = NNC_ALL_GATHER,
                                      .bytes = nnc_frozen_bytes(p, how->plan) });
    }
}

void nnc_add_casts(nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                   const nnc_lowering *how)
{
    const nnc_software *software = how->software;
    const bool wide = nnc_policy_bytes(how->plan->policy).weight_bytes > 2.0;
    if (!software->cast_weights || !wide || nnc_dtype_bytes(how->dtype) > 2.0) {
        return;
    }
    for (int32_t s = 0; s < list->segment_count; s++) {
        const double params = sums[s].dense.params + sums[s].expert.params;
        const nnc_writer w = { list, how, (int64_t)list->segments[s].instances, -1, NULL };
        if (params > 0.0) {
            nnc_op *op = nnc_list_pointwise(&w, "weights.cast", NNC_PW_CAST_WEIGHTS,
                                            NNC_GROUP_OPTIMIZER, (int64_t)params);
            op->dtype = NNC_FP32;
            op->segment = s;
            op->u.pointwise.fused = !software->flat_weights;
        }
    }
}

void nnc_cluster_unit_exchanges(nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                const nnc_lowering *how)
{
    const nnc_plan *plan = how->plan;
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    for (int32_t s = 0; s < list->segment_count; s++) {
        const double dense = sums[s].dense.params / nnc_dense_shards(plan);
        const double expert = sums[s].expert.params / nnc_expert_shards(plan);
        if (plan->zero == 3) {
            sharded_unit(list, how, s, &sums[s].dense, NNC_ROUTE_SHARD, nnc_dense_shards(plan));
            sharded_unit(list, how, s, &sums[s].expert, NNC_ROUTE_EXPERT_SHARD,
                         nnc_expert_shards(plan));
            frozen_unit(list, how, s, &sums[s].frozen, NNC_ROUTE_SHARD, nnc_dense_shards(plan));
            frozen_unit(list, how, s, &sums[s].frozen_expert, NNC_ROUTE_EXPERT_SHARD,
                        nnc_expert_shards(plan));
        }
        nnc_exchange e = { .comm = NNC_COMM_OFFLOAD, .forward = NNC_P2P, .backward = NNC_P2P };
        if ((plan->offload & NNC_OFFLOAD_WEIGHTS) != 0) {
            e.bytes = sizes.weight_bytes * (dense + expert) +
                      nnc_frozen_bytes(&sums[s].frozen, plan) / nnc_dense_shards(plan) +
                      nnc_frozen_bytes(&sums[s].frozen_expert, plan) / nnc_expert_shards(plan);
            unit_exchange(list, how, "offload.weights", s, e);
        }
        if ((plan->offload & NNC_OFFLOAD_ACTIVATIONS) != 0 && list->segments[s].layer) {
            const bool full = (plan->recompute & NNC_RECOMPUTE_FULL) != 0;
            e.bytes = full ? sums[s].input_bytes : sums[s].kept_bytes;
            unit_exchange(list, how, "offload.activations", s, e);
        }
    }
}

typedef struct writer {
    nnc_op *ops;
    int count;
} writer;

static void add(writer *w, const char *name, nnc_comm comm, nnc_route_kind route,
                nnc_collective kind, double bytes, int64_t passes)
{
    if (bytes > 0.0 && w->count < NNC_STEP_EXCHANGES_MAX) {
        w->ops[w->count++] = (nnc_op){
            .name = name,
            .kind = NNC_OP_COLLECTIVE,
            .phase = NNC_PHASE_COMM,
            .group = NNC_GROUP_NETWORK,
            .dtype = NNC_FP32,
            .math_dtype = NNC_FP32,
            .repeat = passes,
            .block = -1,
            .u.exchange = { .comm = comm, .route = (int32_t)route, .forward = kind, .bytes = bytes }
        };
    }
}

/* Bytes of a gradient on its way; of one flat buffer, in the format of the products. */
static double sent_gradient_bytes(const nnc_plan *plan, bool flat)
{
    const double bytes = nnc_policy_gradient_io_bytes(plan->policy);
    return flat ? nnc_min(bytes, nnc_dtype_bytes(plan->precision)) : bytes;
}

/* Weights that are gathered so many times a step. */
static void add_weights(writer *w, const nnc_plan *plan, double params, nnc_route_kind route,
                        double shards, int64_t times)
{
    if (shards > 1.0) {
        add(w, "data.gather_weights", NNC_COMM_DATA, route, NNC_ALL_GATHER,
            nnc_policy_bytes(plan->policy).weight_bytes * params, times);
    }
}

/* Stage 2 frees the gradients of each pass, so it scatters in every one; weights of one flat buffer are gathered in
 * every one, too. These come first: what a pass exposes can hide what happens once, not the other way around. */
static void exchange_every_pass(writer *w, const nnc_plan *plan, bool flat, double params,
                                nnc_route_kind route, double shards)
{
    if (plan->zero == 2 && shards > 1.0) {
        add(w, "data.scatter_gradients", NNC_COMM_DATA, route, NNC_REDUCE_SCATTER,
            sent_gradient_bytes(plan, flat) * params, nnc_step_passes(plan));
    }
    if (flat && plan->zero == 2) {
        add_weights(w, plan, params, route, shards, nnc_step_passes(plan));
    }
}

/* Gradients of one kind of parameters, ZeRO stages 0 to 2. */
static void add_gradients(writer *w, const nnc_plan *plan, bool flat, double params,
                          nnc_route_kind route, double shards)
{
    const double g = sent_gradient_bytes(plan, flat) * params;
    const int32_t replicas = replicas_of(plan, route, shards);
    if (plan->zero == 0) {
        if (replicas > 1) {
            add(w, "data.reduce_gradients", NNC_COMM_DATA, route, NNC_ALL_REDUCE, g, 1);
        }
        return;
    }
    if (plan->zero == 1 && shards > 1.0) {
        add(w, "data.scatter_gradients", NNC_COMM_DATA, route, NNC_REDUCE_SCATTER, g, 1);
    }
    if (replicas > 1) {
        add(w, "data.reduce_replicas", NNC_COMM_DATA, replica_route(route), NNC_ALL_REDUCE,
            g / shards, 1);
    }
    if (!flat || plan->zero < 2) {
        add_weights(w, plan, params, route, shards, 1);
    }
}

int nnc_cluster_step_exchanges(double dense, double expert, const nnc_plan *plan, bool flat,
                               double tied_params, nnc_op ops[NNC_STEP_EXCHANGES_MAX])
{
    writer w = { .ops = ops };
    const double gradient = nnc_policy_gradient_io_bytes(plan->policy);
    const double local = dense / nnc_dense_shards(plan) + expert / nnc_expert_shards(plan);
    exchange_every_pass(&w, plan, flat, dense, NNC_ROUTE_SHARD, nnc_dense_shards(plan));
    exchange_every_pass(&w, plan, flat, expert, NNC_ROUTE_EXPERT_SHARD, nnc_expert_shards(plan));
    if (tied_params > 0.0) {
        add(&w, "pipeline.tied_table", NNC_COMM_PIPELINE, NNC_ROUTE_PIPELINE, NNC_P2P,
            gradient * tied_params, 1);
    }
    if (plan->zero < 3 && plan->data * plan->context > 1) {
        add_gradients(&w, plan, flat, dense, NNC_ROUTE_SHARD, nnc_dense_shards(plan));
        add_gradients(&w, plan, flat, expert, NNC_ROUTE_EXPERT_SHARD, nnc_expert_shards(plan));
    }
    if (plan->zero == 3 && !plan->reshard) {
        add_weights(&w, plan, dense, NNC_ROUTE_SHARD, nnc_dense_shards(plan), 1);
        add_weights(&w, plan, expert, NNC_ROUTE_EXPERT_SHARD, nnc_expert_shards(plan), 1);
    }
    if ((plan->offload & NNC_OFFLOAD_OPTIMIZER) != 0) {
        const double weights = nnc_policy_bytes(plan->policy).weight_bytes;
        add(&w, "offload.gradients", NNC_COMM_OFFLOAD, (nnc_route_kind)NNC_OFFLOAD_HOST_LINK,
            NNC_REDUCE_SCATTER, gradient * local, 1);
        add(&w, "offload.weights", NNC_COMM_OFFLOAD, (nnc_route_kind)NNC_OFFLOAD_HOST_LINK,
            NNC_ALL_GATHER, weights * local, 1);
    }
    return w.count;
}

NNC_SAYING double exposed_of(const nnc_exchange *exchange, double exchange_s, double share,
                             nnc_lane lane, const nnc_hideout *hideout, nnc_derivation *why)
{
    const bool data = exchange->comm == NNC_COMM_DATA;
    const nnc_route_kind route = data ? (nnc_route_kind)exchange->route : NNC_ROUTE_COUNT;
    const bool expert = route == NNC_ROUTE_EXPERT_SHARD || route == NNC_ROUTE_EXPERT_REPLICA;
    const bool replica = route == NNC_ROUTE_REPLICA || route == NNC_ROUTE_EXPERT_REPLICA;
    NNC_LET(why, network_s, "s", exchange_s);
    const bool host_update =
        exchange->comm == NNC_COMM_OFFLOAD && exchange->route == NNC_OFFLOAD_HOST_MEMORY;
    if (exchange->comm == NNC_COMM_PIPELINE || host_update) {
        NNC_SAY(why, time_s, "s", network_s);
        NNC_NOTE(why, host_update ? "the host updates once all gradients are there, and the next "
                                    "step waits for the weights"
                                  : "nothing else runs at the end of the pipeline");
        return time_s;
    }
    /* Gradients leave while backward runs, weights come back while the next forward does. */
    NNC_LET(why, window_s, "s",
            nnc_max(0.0, exchange->forward == NNC_ALL_GATHER ? hideout->forward_s[lane]
                                                             : hideout->backward_s[lane]));
    NNC_PUT(why, hideout->bucket_bytes, "B");
    NNC_LET(why, bytes, "B", exchange->bytes); /* of replicas: a shard of every bucket */
    NNC_LET(why, shards, NULL, !replica ? 1.0 : expert ? hideout->expert_shards : hideout->shards);
    NNC_LET(why, table_share, NULL, data && !expert ? hideout->table_share : 0.0);
    NNC_LET(why, overlap, NULL, share);
    NNC_PUT(why, hideout->unit_share, NULL);
    NNC_SAY(why, bucket_share, NULL,
            nnc_max(hideout->unit_share, nnc_min(1.0, hideout->bucket_bytes / (bytes * shards))));
    NNC_NOTE(why, "the first bucket leaves when so much of the window is over");
    NNC_SAY(why, last_share, NULL, nnc_max(bucket_share, table_share));
    NNC_NOTE(why, "the last one has nothing left to hide behind; a table is never cut");
    NNC_SAY(why, left_s, "s",
            nnc_max(window_s + network_s * last_share, network_s + window_s * bucket_share) -
                window_s);
    NNC_NOTE(
        why,
        "of what may overlap; window_s: of a pass, what the device and other links do, and what "
        "the host takes to issue it, without what travels by the same links");
    NNC_SAY(why, time_s, "s", overlap * nnc_min(left_s, network_s) + (1.0 - overlap) * network_s);
    NNC_SOURCE(why, "PyTorch DDP arXiv:2006.15704");
    return time_s;
}

double nnc_cluster_exposed_s(const nnc_exchange *exchange, double exchange_s, double share,
                             nnc_lane lane, const nnc_hideout *hideout)
{
    return exposed_of(exchange, exchange_s, share, lane, hideout, NULL);
}

double nnc_cluster_say_exposed_s(const nnc_exchange *exchange, double exchange_s, double share,
                                 nnc_lane lane, const nnc_hideout *hideout, nnc_derivation *why)
{
    return why != NULL ? exposed_of(exchange, exchange_s, share, lane, hideout, why)
                       : exposed_of(exchange, exchange_s, share, lane, hideout, NULL);
}
