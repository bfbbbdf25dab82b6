/* The step end of a device, after its last backward: gradients are reduced, the optimizer updates the weights, sharded
 * weights are gathered. Counts the communication of ZeRO 0 to 2, of ZeRO 3 once per step, and of tied embedding tables,
 * and the transfers of offloaded optimizer states.
 *
 *     backward ...[bucket][bucket][last bucket]| update | gather weights ... next forward
 *               gradients overlap with backward           weights overlap with forward
 *
 * [bucketed-overlap] */
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

typedef struct writer {
    nnc_op *ops;
    int count;
} writer;

static void add(writer *w, const char *name, nnc_comm comm, nnc_route_kind route, nnc_collective kind, double bytes,
                int64_t passes) {
    if (bytes > 0.0 && w->count < NNC_STEP_EXCHANGES_MAX) {
        w->ops[w->count++] =
            (nnc_op){ .name = name,
                      .kind = NNC_OP_COLLECTIVE,
                      .phase = NNC_PHASE_COMM,
                      .group = NNC_GROUP_NETWORK,
                      .dtype = NNC_FP32,
                      .math_dtype = NNC_FP32,
                      .repeat = passes,
                      .block = -1,
                      .u.collective = { .comm = comm, .route = (int32_t)route, .forward = kind, .bytes = bytes } };
    }
}

/* Returns the bytes of one gradient value in the format in which it is sent over the network. flat: true = all
 * gradients are in one flat buffer, which is sent in the number format of the matrix products if this format has fewer
 * bytes. */
static double sent_gradient_bytes(const nnc_plan *plan, bool flat) {
    const double bytes = nnc_policy_gradient_io_bytes(plan->policy);
    return flat ? nnc_min(bytes, nnc_dtype_bytes(plan->precision)) : bytes;
}

/* Adds to the step end an all-gather of weights that runs `times` times per step. params: number of weights that are
 * gathered; shards: number of ranks over which these weights are divided. */
static void add_weights(writer *w, const nnc_plan *plan, double params, nnc_route_kind route, double shards,
                        int64_t times) {
    if (shards > 1.0) {
        const double bytes =
            plan->zero == 3 ? nnc_policy_used_bytes(plan->policy) : nnc_policy_bytes(plan->policy).weight_bytes;
        add(w, "data.gather_weights", NNC_COMM_DATA, route, NNC_ALL_GATHER, bytes * params, times);
    }
}

/* Adds the communication that every micro-batch needs. ZeRO 2 frees gradients after each micro-batch, so the gradients
 * of each micro-batch are scattered. If the weights are in one flat buffer (`flat`), they are gathered for each
 * micro-batch as well. Collectives of every micro-batch come first in the list, so they overlap with compute first;
 * collectives that run once per step can overlap only with the rest of the compute. */
static void exchange_every_pass(writer *w, const nnc_plan *plan, bool flat, double params, nnc_route_kind route,
                                double shards) {
    if (plan->zero == 2 && shards > 1.0) {
        add(w, "data.scatter_gradients", NNC_COMM_DATA, route, NNC_REDUCE_SCATTER,
            sent_gradient_bytes(plan, flat) * params, nnc_step_passes(plan));
    }
    if (flat && plan->zero == 2) { add_weights(w, plan, params, route, shards, nnc_step_passes(plan)); }
}

/* Adds the collectives that run once per step: collectives of gradients for ZeRO 0 to 2, and for ZeRO 3 if a pipeline
 * keeps whole gradients; collectives of updated weights for ZeRO 1 and 2. params: all parameters of experts, or all
 * parameters outside experts. */
static void add_gradients(writer *w, const nnc_plan *plan, bool flat, double params, nnc_route_kind route,
                          double shards) {
    const double g = sent_gradient_bytes(plan, flat) * params;
    const int32_t replicas = nnc_shard_replicas(plan, route, shards);
    if (plan->zero == 0) {
        if (replicas > 1) { add(w, "data.reduce_gradients", NNC_COMM_DATA, route, NNC_ALL_REDUCE, g, 1); }
        return;
    }
    if ((plan->zero == 1 || plan->zero == 3) && shards > 1.0) {
        add(w, "data.scatter_gradients", NNC_COMM_DATA, route, NNC_REDUCE_SCATTER, g, 1);
    }
    if (replicas > 1) {
        add(w, "data.reduce_replicas", NNC_COMM_DATA, nnc_replica_route(route), NNC_ALL_REDUCE, g / shards, 1);
    }
    if (plan->zero < 2 || (plan->zero == 2 && !flat)) { add_weights(w, plan, params, route, shards, 1); }
}

static int step_collectives(double dense, double expert, const nnc_plan *plan, bool flat, double tied_params,
                            nnc_op ops[NNC_STEP_EXCHANGES_MAX]) {
    writer w = { .ops = ops };
    const double gradient = nnc_policy_gradient_io_bytes(plan->policy);
    const double local = dense / nnc_dense_shards(plan) + expert / nnc_expert_shards(plan);
    exchange_every_pass(&w, plan, flat, dense, NNC_ROUTE_SHARD, nnc_dense_shards(plan));
    exchange_every_pass(&w, plan, flat, expert, NNC_ROUTE_EXPERT_SHARD, nnc_expert_shards(plan));
    if (tied_params > 0.0) {
        add(&w, "pipeline.tied_table", NNC_COMM_PIPELINE, NNC_ROUTE_PIPELINE, NNC_P2P, gradient * tied_params, 1);
    }
    if (plan->zero < 3 || nnc_gradients_stay_whole(plan)) {
        add_gradients(&w, plan, flat, dense, NNC_ROUTE_SHARD, nnc_dense_shards(plan));
        add_gradients(&w, plan, flat, expert, NNC_ROUTE_EXPERT_SHARD, nnc_expert_shards(plan));
    }
    if (plan->zero == 3 && !plan->reshard) {
        add_weights(&w, plan, dense, NNC_ROUTE_SHARD, nnc_dense_shards(plan), 1);
        add_weights(&w, plan, expert, NNC_ROUTE_EXPERT_SHARD, nnc_expert_shards(plan), 1);
    }
    if ((plan->offload & NNC_OFFLOAD_OPTIMIZER) != 0) {
        const double weights = nnc_policy_bytes(plan->policy).weight_bytes;
        add(&w, "offload.gradients", NNC_COMM_OFFLOAD, (nnc_route_kind)NNC_OFFLOAD_HOST_LINK, NNC_REDUCE_SCATTER,
            gradient * local, 1);
        add(&w, "offload.weights", NNC_COMM_OFFLOAD, (nnc_route_kind)NNC_OFFLOAD_HOST_LINK, NNC_ALL_GATHER,
            weights * local, 1);
    }
    return w.count;
}

NNC_SAYING double exposed_of(const nnc_collective_op *exchange, double exchange_s, double share, nnc_lane lane,
                             const nnc_overlap_window *window, nnc_derivation *why) {
    const bool data = exchange->comm == NNC_COMM_DATA;
    const nnc_route_kind route = data ? (nnc_route_kind)exchange->route : NNC_ROUTE_COUNT;
    const bool expert = route == NNC_ROUTE_EXPERT_SHARD || route == NNC_ROUTE_EXPERT_REPLICA;
    const bool replica = route == NNC_ROUTE_REPLICA || route == NNC_ROUTE_EXPERT_REPLICA;
    NNC_LET(why, network_s, "s", exchange_s);
    const bool host_update = exchange->comm == NNC_COMM_OFFLOAD && exchange->route == NNC_OFFLOAD_HOST_MEMORY;
    if (exchange->comm == NNC_COMM_PIPELINE || host_update) {
        NNC_SAY(why, time_s, "s", network_s);
        NNC_NOTE(why, host_update
                          ? "the host updates after all gradients have arrived, and the next step waits for the weights"
                          : "no compute runs at the end of the pipeline that could overlap");
        return time_s;
    }
    /* gradients are sent during backward of this step, and weights are gathered during forward of the next step */
    NNC_LET(why, window_s, "s",
            nnc_max(0.0, exchange->forward == NNC_ALL_GATHER ? window->forward_s[lane] : window->backward_s[lane]));
    NNC_PUT(why, window->bucket_bytes, "B");
    /* B: bytes of the collective. Ranks with copies of a shard reduce only this shard of every bucket, so the share of
     * a bucket is computed from B x shards, the bytes of all shards */
    NNC_LET(why, bytes, "B", exchange->bytes);
    NNC_LET(why, shards, NULL, !replica ? 1.0 : expert ? window->expert_shards : window->shards);
    NNC_LET(why, table_share, NULL, data && !expert ? window->table_share : 0.0);
    NNC_LET(why, overlap, NULL, share);
    NNC_PUT(why, window->unit_share, NULL);
    NNC_SAY(why, bucket_share, NULL,
            nnc_max(window->unit_share, nnc_min(1.0, window->bucket_bytes / (bytes * shards))));
    NNC_NOTE(why, "share of the window after which the first bucket is sent");
    NNC_SAY(why, last_share, NULL, nnc_max(bucket_share, table_share));
    NNC_NOTE(why, "share of the communication that starts after the last compute (an embedding table is never split)");
    NNC_SAY(why, left_s, "s",
            nnc_max(window_s + network_s * last_share, network_s + window_s * bucket_share) - window_s);
    NNC_NOTE(why, "exposed part of the communication that may overlap; window_s: time of one pass without traffic on "
                  "the same links");
    NNC_SAY(why, time_s, "s", overlap * nnc_min(left_s, network_s) + (1.0 - overlap) * network_s);
    NNC_SOURCE(why, "PyTorch DDP arXiv:2006.15704");
    return time_s;
}

double nnc_cluster_exposed_s(const nnc_collective_op *exchange, double exchange_s, double share, nnc_lane lane,
                             const nnc_overlap_window *window, nnc_derivation *why) {
    return why != NULL ? exposed_of(exchange, exchange_s, share, lane, window, why)
                       : exposed_of(exchange, exchange_s, share, lane, window, NULL);
}

static bool holds(const nnc_stage_residency *holding, int32_t segment) { return holding->instances[segment] > 0; }

/* Returns the number of micro-batches whose gradients a separate kernel adds to the sum; 0 = the program has no such
 * kernel. If the sum has a wider format than the weights, the kernel adds the gradients of all micro-batches of the
 * device; otherwise the gradients of all micro-batches except the first. */
static int64_t added_passes(const nnc_step *step) {
    const nnc_policy_sizes sizes = nnc_policy_bytes(step->plan->policy);
    const bool own_buffer = sizes.gradient_bytes > sizes.weight_bytes;
    return nnc_step_adds_gradients(step) ? nnc_step_passes(step->plan) - (own_buffer ? 0 : 1) : 0;
}

static nnc_update update_of(const nnc_step *step, const nnc_step_end_params *held) {
    const nnc_optimizer_kernels kernels = step->plan->optimizer_kernels;
    nnc_update u = { .optimizer = step->plan->optimizer,
                     .policy = step->plan->policy,
                     .kernels = kernels,
                     .fused = kernels == NNC_KERNELS_DEFAULT ? step->software->fused_optimizer
                                                             : kernels == NNC_KERNELS_FUSED,
                     .launches = step->list->recorded_update };
    if (step->plan->zero > 0) { u.launches.lists = u.launches.fused = 0.0; }
    nnc_parameters_update(&held->dense, &held->expert, step->plan, &u);
    return u;
}

/* Factors for SGD with momentum over lists of tensors, which runs in three passes and moves 8 + 12 + 12 bytes per
 * parameter. momentum_passes: these bytes / the 20 bytes per parameter of one fused pass. momentum_lists: these bytes /
 * the 24 bytes per parameter of two passes. */
static const double momentum_passes = 32.0 / 20.0, momentum_lists = 32.0 / 24.0;

/* Returns the factor by which momentum increases the bytes of an update with SGD over lists of tensors. Parameters
 * without momentum move 12 bytes each in any case, so the factor is smaller if only some parameters have momentum. */
static double momentum_factor(const nnc_update *u) {
    const double share = u->launches.state_share > 0.0 ? u->launches.state_share : 1.0;
    const double bytes = u->fused ? 20.0 : 24.0, factor = u->fused ? momentum_passes : momentum_lists;
    return 1.0 + (factor - 1.0) * bytes * share / (bytes * share + 12.0 * (1.0 - share));
}

/* Sets the number of kernels and bytes of an optimizer update as torch.optim issues it. SGD with momentum runs over
 * lists of tensors unless the plan selects a fused kernel.   [optimizer-kernels] */
static void issue_update(nnc_op *op) {
    const nnc_work work = nnc_op_work(op);
    const nnc_update *u = &op->u.update;
    const double lists = nnc_optimizer_list_kernels(u->optimizer);
    const bool momentum = u->optimizer == NNC_OPTIMIZER_MOMENTUM && u->kernels != NNC_KERNELS_FUSED;
    const bool apart = momentum || (u->kernels != NNC_KERNELS_DEFAULT && !u->fused);
    const double parts =
        nnc_max(nnc_ceil((double)u->params / NNC_LAUNCH_ELEMENTS), apart ? u->launches.lists : u->launches.fused);
    op->issued_as = NNC_ISSUED_INSTEAD;
    op->issued[1] = (nnc_issued){
        .kernels = (apart ? lists : 1.0) * (u->kernels == NNC_KERNELS_LOOP ? u->launches.loop : parts),
        .bytes = (work.read_bytes + work.write_bytes) * nnc_max(u->launches.updates, 1.0) *
                 (momentum ? momentum_factor(u) : 1.0),
    };
}

static double new_bytes(const nnc_step *step, const nnc_step_end_params *held) {
    return !(step->device->host.new_bytes_per_s > 0.0)
               ? 0.0
               : (held->dense.params + held->expert.params) *
                     nnc_new_bytes_per_param(step->list, step->plan, step->software, nnc_step_passes(step->plan));
}

static void add_updates(const nnc_step *step, const nnc_step_end_params *held, const nnc_update *u, nnc_step_end *t) {
    static const struct {
        const char *name;
        nnc_update_kind kind;
    } kinds[NNC_UPDATE_KIND_COUNT] = { { "grad.add", NNC_UPDATE_ADD },
                                       { "grad.clip", NNC_UPDATE_CLIP },
                                       { "optimizer", NNC_UPDATE_STEP },
                                       { "grad.zero", NNC_UPDATE_ZERO } };
    const nnc_plan *plan = step->plan;
    const bool wanted[NNC_UPDATE_KIND_COUNT] = { added_passes(step) > 0, plan->clip_gradients,
                                                 (plan->offload & NNC_OFFLOAD_OPTIMIZER) == 0,
                                                 step->software->zero_gradients };
    t->update_count = 0;
    for (int i = 0; i < NNC_UPDATE_KIND_COUNT; i++) {
        if (wanted[i]) {
            nnc_op *op = &t->updates[t->update_count++];
            *op = (nnc_op){ .name = kinds[i].name,
                            .kind = NNC_OP_UPDATE,
                            .phase = NNC_PHASE_UPDATE,
                            .group = NNC_GROUP_OPTIMIZER,
                            .dtype = NNC_FP32,
                            .math_dtype = plan->precision,
                            .repeat = 1,
                            .block = -1,
                            .u.update = *u };
            op->u.update.kind = kinds[i].kind;
            if (kinds[i].kind == NNC_UPDATE_ADD) { /* gradients are added to their sum before ZeRO divides them, so the
                                                    * kernel that adds them processes all parameters */
                op->u.update.passes = added_passes(step);
                op->u.update.params = (int64_t)(held->dense.params + held->expert.params);
            }
            if (kinds[i].kind == NNC_UPDATE_STEP) { op->u.update.new_bytes = new_bytes(step, held); }
            if (kinds[i].kind == NNC_UPDATE_STEP && step->launch.kernel_s > 0.0) { issue_update(op); }
        }
    }
}

nnc_step_end_params nnc_step_end_params_of(const nnc_step *step, const nnc_stage_residency *holding) {
    const bool end = holds(holding, 0) || holds(holding, step->list->segment_count - 1);
    return (nnc_step_end_params){ .dense = nnc_stage_residency_trained(step->sums, holding, false),
                                  .expert = nnc_stage_residency_trained(step->sums, holding, true),
                                  .tied_params = end ? step->tied_params : 0.0 };
}

void nnc_step_end_find(const nnc_step *step, const nnc_step_end_params *held, nnc_step_end *t) {
    const nnc_plan *plan = step->plan;
    const nnc_update u = update_of(step, held);
    t->exchange_count = t->update_count = 0;
    if (nnc_list_infers(step->list)) { return; }
    if (step->network != NULL) {
        t->exchange_count = step_collectives(held->dense.params, held->expert.params, plan,
                                             step->software->flat_weights, held->tied_params, t->exchanges);
    }
    if ((plan->offload & NNC_OFFLOAD_OPTIMIZER) != 0 && step->network != NULL &&
        t->exchange_count < NNC_STEP_EXCHANGES_MAX && step->network->host_mem_bytes_per_s > 0.0) {
        nnc_op update = { .kind = NNC_OP_UPDATE, .u.update = u };
        const nnc_work work = nnc_op_work(&update);
        /* the update on the host runs after the last transfer, so its op is made from a copy of the op of this
         * transfer */
        update = t->exchanges[t->exchange_count - 1];
        update.name = "offload.update";
        update.u.collective = (nnc_collective_op){ .comm = NNC_COMM_OFFLOAD,
                                                   .route = NNC_OFFLOAD_HOST_MEMORY,
                                                   .forward = NNC_P2P,
                                                   .bytes = work.read_bytes + work.write_bytes };
        t->exchanges[t->exchange_count++] = update;
    }
    add_updates(step, held, &u, t);
    for (int i = 0; i < t->exchange_count; i++) {
        const char *link = "";
        t->exchange_s[i] = nnc_network_exchange_s(step->network, &t->exchanges[i].u.collective, &link);
    }
    for (int i = 0; i < t->update_count; i++) {
        t->works[i] = nnc_op_work(&t->updates[i]);
        t->times[i] = nnc_op_time(step->device, &t->updates[i], &t->works[i]);
    }
}

/* Returns the share of the gradients outside experts that belongs to the embedding table of the first segment. Backward
 * computes the gradients of the embedding table last, so they are reduced after all other gradients. */
static double table_share(const nnc_step *step, const nnc_stage_residency *holding) {
    const nnc_parameters *first = &step->sums[0].dense;
    double dense = 0.0;
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        dense += (double)holding->instances[s] * step->sums[s].dense.params;
    }
    const bool table = holds(holding, 0) && !step->list->segments[0].layer && dense > 0.0;
    return table ? (first->params - first->matrix_params) / dense : 0.0;
}

/* Returns the window of overlap of one device: the seconds in which communication of its step end can run at the same
 * time as compute. */
static nnc_overlap_window window_of(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                    const nnc_stage_residency *holding) {
    nnc_overlap_window h = { .bucket_bytes = step->software->bucket_bytes,
                             .table_share = table_share(step, holding),
                             .shards = nnc_dense_shards(step->plan),
                             .expert_shards = nnc_expert_shards(step->plan) };
    double count = 0.0;
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        count += (double)holding->instances[s] * nnc_list_units(step->list, s);
    }
    /* FSDP (ZeRO 3) sends all gradients of one unit at once, so each unit is a bucket, and the device has `count`
     * units */
    h.unit_share = step->plan->zero == 3 ? 1.0 / count : 0.0;
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        const double n = (double)holding->instances[s], again = (double)holding->recomputed[s];
        const nnc_segment_time *u = &units[s];
        for (int f = 0; f < NNC_LANES && holds(holding, s); f++) {
            h.forward_s[f] += n * (u->free_s[NNC_PART_FORWARD][f] + u->host_s[NNC_PART_FORWARD]);
            h.backward_s[f] += n * (u->free_s[NNC_PART_BACKWARD][f] + u->host_s[NNC_PART_BACKWARD]) +
                               again * (u->free_s[NNC_PART_RECOMPUTE][f] + u->host_s[NNC_PART_RECOMPUTE]);
        }
    }
    return h;
}

/* Returns the exposed seconds of a collective that takes raw_s seconds alone, and updates *window for later
 * collectives. In lanes that share links with the collective, the seconds in which it overlaps with compute are no
 * longer free for later collectives. In all other lanes, the exposed seconds of the collective become free, because
 * communication on other links can run while the device waits. */
static double expose(const nnc_step *step, const nnc_collective_op *e, double raw_s, const nnc_overlap *overlap,
                     nnc_overlap_window *window, nnc_derivation *why) {
    const nnc_lane lane = nnc_lane_of(step->network, e);
    const double exposed_s = nnc_cluster_exposed_s(e, raw_s, overlap->share[e->comm], lane, window, why);
    double *const left_s = e->forward == NNC_ALL_GATHER ? window->forward_s : window->backward_s;
    for (int l = 0; l < NNC_LANES; l++) {
        left_s[l] = nnc_lanes_meet((nnc_lane)l, lane) ? left_s[l] - (raw_s - exposed_s) : left_s[l] + exposed_s;
    }
    return exposed_s;
}

/* Returns the time in which the device waits for the host during one pass. */
static double pass_wait_s(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                          const nnc_stage_residency *holding) {
    const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    double wait_s = 0.0;
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        const double layers = (double)holding->instances[s];
        wait_s += nnc_layers_wait_s(&units[s], layers, full ? (double)holding->recomputed[s] : layers);
    }
    return wait_s;
}

/* Returns the time by which the step is longer because the host issues the n kernels of the update.   [issue]
 *     w = max(0, s - lead, n s + d / n - d - lead)
 *     result = w - min(max(0, w + d - n s), wait of a pass)
 * s: host time of a kernel. d: time of all n kernels on the device. lead: time by which the host is ahead at the end of
 * backward. w: time in which the device waits for the update. If the update takes longer on the device than the host
 * needs to issue it, the host gets ahead by w + d - n s seconds, and the device waits less in the next pass. */
static double update_wait_s(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                            const nnc_stage_residency *holding, const nnc_step_end *t, double update_s) {
    const double kernel_s = step->launch.kernel_s, lead_s = units[0].lead_s;
    double kernels = 0.0;
    for (int i = 0; i < t->update_count; i++) { kernels += nnc_op_issued(&t->updates[i]).kernels; }
    if (!(kernel_s > 0.0) || !(kernels > 0.0) || step->plan->pipeline > 1) { return 0.0; }
    const double last_s = kernels * kernel_s + update_s / kernels - update_s;
    const double wait_s = nnc_max(0.0, nnc_max(kernel_s, last_s) - lead_s);
    const double ahead_s = nnc_max(0.0, wait_s + update_s - kernels * kernel_s);
    return wait_s - nnc_min(ahead_s, pass_wait_s(step, units, holding));
}

nnc_step_end_seconds nnc_step_end_expose(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                         const nnc_stage_residency *holding, const nnc_overlap *overlap,
                                         const nnc_step_end *t) {
    nnc_overlap_window window = window_of(step, units, holding);
    nnc_step_end_seconds seconds = { .exchanges = t->exchange_count };
    for (int i = 0; i < t->exchange_count; i++) {
        const nnc_collective_op *e = &t->exchanges[i].u.collective;
        const double raw_s = step->free[NNC_BOUND_NETWORK] ? 0.0 : t->exchange_s[i];
        seconds.comm[i] = e->comm;
        seconds.exposed_s[i] = expose(step, e, raw_s, overlap, &window, NULL) * (double)t->exchanges[i].repeat;
    }
    for (int i = 0; i < t->update_count; i++) {
        const nnc_timing *time = &t->times[i];
        seconds.update_s += nnc_step_free_s(step, time->compute_s, time->memory_s, time->fixed_s);
    }
    seconds.wait_s = update_wait_s(step, units, holding, t, seconds.update_s);
    return seconds;
}

void nnc_step_end_add(const nnc_step_end_seconds *seconds, nnc_result *r) {
    for (int i = 0; i < seconds->exchanges; i++) { r->exposed_s[seconds->comm[i]] += seconds->exposed_s[i]; }
    r->update_s += seconds->update_s;
    r->host_s += seconds->wait_s;
}

void nnc_step_ends_find(const nnc_step *step, const nnc_step_memory *m, nnc_step_ends *ends) {
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        if (m->alike[d]) {
            ends->of[d] = ends->of[d - 1];
            continue;
        }
        const nnc_step_end_params params = nnc_step_end_params_of(step, &m->holdings[d]);
        nnc_step_end_find(step, &params, &ends->own[d]);
        ends->of[d] = &ends->own[d];
    }
}

void nnc_step_end_set(nnc_step_memory *m, int32_t d, const nnc_step_end_seconds *seconds) {
    nnc_stage *stage = &m->stages[d];
    double exposed_s[NNC_COMM_COUNT] = { 0.0 };
    m->ends[d] = seconds;
    for (int i = 0; i < seconds->exchanges; i++) { exposed_s[seconds->comm[i]] += seconds->exposed_s[i]; }
    stage->update_s = seconds->update_s + seconds->wait_s;
    stage->exchange_s = 0.0;
    for (int k = 0; k < NNC_COMM_COUNT; k++) { stage->exchange_s += exposed_s[k]; }
}

void nnc_step_end_set_alike(nnc_step_memory *m, int32_t d) {
    nnc_stage *stage = &m->stages[d];
    m->ends[d] = m->ends[d - 1];
    stage->exchange_s = stage[-1].exchange_s;
    stage->update_s = stage[-1].update_s;
}

void nnc_step_ends_set(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_overlap *overlap,
                       nnc_step_memory *m) {
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        if (m->alike[d]) {
            nnc_step_end_set_alike(m, d);
            continue;
        }
        m->own_ends[d] = nnc_step_end_expose(step, units, &m->holdings[d], overlap, step->ends->of[d]);
        nnc_step_end_set(m, d, &m->own_ends[d]);
    }
}

_Static_assert(NNC_STEP_EXCHANGES_MAX + (int)NNC_UPDATE_KIND_COUNT + 1 <= NNC_STEP_ROWS_MAX,
               "the table holds the step end and the messages between stages");

void nnc_step_end_append(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], const nnc_step_memory *m,
                         int32_t stage, const nnc_overlap *overlap, nnc_rows *rows) {
    const nnc_step_end *t = step->ends->of[stage];
    nnc_overlap_window window = window_of(step, units, &m->holdings[stage]);
    for (int i = 0; i < t->exchange_count; i++) {
        const nnc_collective_op *e = &t->exchanges[i].u.collective;
        nnc_rows_add(rows, &t->exchanges[i], step->device, step->network, (double)t->exchanges[i].repeat);
        nnc_op_cost *row = &rows->rows[rows->count - 1];
        nnc_say_of_row(step->why, rows->count - 1);
        row->time_s = expose(step, e, row->network_s, overlap, &window, step->why);
        nnc_say_of_step(step->why);
    }
    for (int i = 0; i < t->update_count; i++) { nnc_rows_add(rows, &t->updates[i], step->device, step->network, 1.0); }
}
