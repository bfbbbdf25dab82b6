/* From model and plan to the op list of one rank: rules for lowering, checks of the list, sizes of the whole model, and
 * the communication that ZeRO-3 and offload add in every pass.
 *
 *     nnc_lower (in shape/) -> nnc_check_list -> nnc_list_shard (in shape/) -> sums of segments
 *     -> casts of weights, collectives of ZeRO-3 units, transfers of offload */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

nnc_plan nnc_plan_lowering_key(const nnc_plan *plan) {
    const nnc_plan unset = { 0 };
    nnc_plan seen = *plan;
    seen.devices = unset.devices;
    seen.devices_per_node = unset.devices_per_node;
    seen.rank_order = unset.rank_order;
    seen.data = unset.data;
    seen.pipeline = unset.pipeline;
    seen.virtual_stages = unset.virtual_stages;
    seen.schedule = unset.schedule;
    seen.zero = plan->adapter_rank > 0 ? (plan->zero > 0) : unset.zero; /* number format of adapters */
    seen.shard = unset.shard;
    seen.reshard = unset.reshard;
    seen.offload = unset.offload;
    seen.overlap = unset.overlap;
    seen.micro_batches = unset.micro_batches;
    seen.global_batch = unset.global_batch;
    seen.mode = unset.mode;
    seen.clip_gradients = unset.clip_gradients;
    seen.tokens = unset.tokens;
    seen.samples = unset.samples;
    seen.price = unset.price;
    seen.reserve_bytes = unset.reserve_bytes;
    seen.optimizer = unset.optimizer;
    seen.optimizer_kernels = unset.optimizer_kernels;
    seen.optimizer_rank = nnc_optimizer_projects(plan->optimizer) ? plan->optimizer_rank : unset.optimizer_rank;
    return seen;
}

nnc_lowering nnc_lowering_of(const nnc_plan *plan, const nnc_software *software, nnc_attention attention) {
    const double passes = (double)plan->micro_batches;
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    const bool own_buffer = sizes.gradient_bytes > sizes.weight_bytes;
    /* true: the matrix product only writes the gradient of its weights; a separate kernel adds this gradient to the sum
     * of earlier gradients */
    const bool adds = software->added_gradients;
    return (nnc_lowering){
        .plan = plan,
        .software = software,
        .attention = attention,
        .dtype = nnc_precision_is_narrow(plan->precision) ? NNC_BF16 : plan->precision,
        .linear_dtype = plan->precision,
        .grad_bytes = adds && own_buffer ? sizes.weight_bytes : nnc_policy_gradient_io_bytes(plan->policy),
        /* Fraction of the micro-batches in which the product of a weight gradient reads the sum of earlier gradients in
         * addition to writing it. With a separate fp32 buffer for the gradients of 16-bit weights, all micro-batches
         * read the sum. Without a separate fp32 buffer, all micro-batches except the first read the sum; the first only
         * writes it. */
        .grad_accumulate = adds         ? 0.0
                           : own_buffer ? 1.0
                                        : (passes - 1.0) / passes,
    };
}

nnc_lowering nnc_lowering_seen(const nnc_plan *plan, const nnc_software *software, nnc_plan *seen) {
    nnc_lowering how = nnc_lowering_of(plan, software, plan->attention);
    *seen = nnc_plan_lowering_key(plan);
    how.plan = seen;
    return how;
}

/* A model with this number of parameters or more is refused; no real model has so many parameters. With fewer
 * parameters, the number of bytes of all parameters is exact in a double. */
#define PARAMS_MAX 0x1p47

nnc_status nnc_check_list(const nnc_op_list *list, const nnc_model *model, nnc_error *err) {
    if (list->overflow) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, model->id,
                        "a tensor of this plan has more elements than a 64-bit number can count");
    }
    if (list->truncated) {
        return nnc_fail(err, NNC_BAD_SPEC, model->id, "too many distinct operations, expected at most %d", NNC_OPS_MAX);
    }
    if (list->layers_short > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--train-layers",
                        "%s has %" PRId64 " layers too few for this range of layers", model->id, list->layers_short);
    }
    bool trained = false;
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_weights *w = &list->ops[i].weights;
        trained = trained || (!list->ops[i].frozen && w->count + w->vector > 0);
    }
    if (!trained && !list->forward_pass) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--train", "selects no weights of %s, expected other parts of the model",
                        model->id);
    }
    double params = 0.0; /* a double, because the number of parameters may exceed the range of 64-bit integers */
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_weights *w = &list->ops[i].weights;
        params +=
            ((double)w->count * (double)w->rows * (double)w->cols + (double)w->vector) * (double)list->ops[i].repeat;
    }
    if (!(params < PARAMS_MAX)) {
        return nnc_fail(err, NNC_BAD_SPEC, model->id, "has more than %.0f parameters", PARAMS_MAX);
    }
    return NNC_OK;
}

/* Returns the parameters of the layers that predict further tokens (multi-token prediction). A layer for multi-token
 * prediction has the parameters of the last layer of the model, three norms, and a product that merges two streams of
 * width h; embedding table and head are shared with the model. Source: arXiv:2412.19437, section 2.2. */
static int64_t next_params(const nnc_op_list *list, const nnc_decoder *d) {
    int32_t last = list->segment_count - 1;
    int64_t params = 2 * d->hidden * d->hidden + (d->plain_norms ? 0 : 3 * d->hidden);
    while (last > 0 && !list->segments[last].layer) { last--; }
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_op *op = &list->ops[i];
        if (op->segment == last) {
            params += nnc_weights_params(&op->weights) * (op->repeat / list->segments[last].instances);
        }
    }
    return params * d->next_layers;
}

/* Sets in the result sizes of the whole model, from the op list before it is sharded: parameters, tokens and input
 * bytes of a step, and FLOPs by the rule 6 N D. If `why` is not NULL, records the formulas of the sizes. */
static void describe_model(const nnc_op_list *list, const nnc_device *device, nnc_result *r, nnc_derivation *why) {
    const nnc_plan *plan = &r->plan;
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_op *op = &list->ops[i];
        const int64_t params = nnc_weights_params(&op->weights) * op->repeat;
        r->params += params;
        r->active_params += nnc_weights_active(&op->weights) * op->repeat;
        r->params_by_group[op->group] += params;
        r->trained_params += op->frozen ? 0 : params;
    }
    if (why != NULL) {
        nnc_say_plan(plan, why);
        nnc_say_params(list, r, why);
    }
    const int64_t pass_tokens = list->tokens;
    NNC_PUT(why, pass_tokens, NULL);
    NNC_LET(why, pass_input_bytes, "B", list->input_bytes);
    NNC_PUT(why, list->lookup_params, NULL);
    NNC_SET(why, r->tokens, NULL, pass_tokens * plan->micro_batches * plan->data);
    NNC_NOTE(why, "pass_tokens: tokens of one micro-batch");
    NNC_SET(why, r->input_bytes, "B", pass_input_bytes * (double)plan->micro_batches * plan->data);
    NNC_SET(why, r->matmul_params, NULL, r->active_params - list->lookup_params);
    NNC_NOTE(why,
             "lookup_params: parameters of position tables and of an untied input embedding, which multiply nothing");
    r->six_nd_flops = NAN;
    if (list->tokens > 0) { NNC_SET(why, r->six_nd_flops, "FLOP", 6.0 * (double)r->matmul_params * (double)r->tokens); }
    r->peak_flops_per_s = nnc_device_matmul_peak(device, plan->precision);
    NNC_PUT(why, r->peak_flops_per_s, "FLOP/s");
    NNC_PUT(why, device->mem_bytes_per_s, "B/s");
    NNC_SET(why, r->ridge_flops_per_byte, "FLOP/B", r->peak_flops_per_s / device->mem_bytes_per_s);
    NNC_LET(why, element_bytes, "B", nnc_dtype_bytes(plan->precision));
    NNC_LET(why, link_bytes_per_s, "B/s", device->scale_up.bytes_per_s);
    NNC_SET(why, r->critical_tokens, NULL, r->ridge_flops_per_byte * element_bytes / 2.0);
    NNC_NOTE(why, "tokens at which a product leaves the memory bound: T tokens do 2 T FLOPs per weight that is read (T "
                  "small against both widths)");
    NNC_SET(why, r->critical_width, NULL, element_bytes * r->peak_flops_per_s / link_bytes_per_s);
    NNC_NOTE(why, "width at which tensor parallelism over two devices leaves the network bound: each device does T D F "
                  "FLOPs and sends T F elements");
}

/* Returns the number of parameters of the tied embedding table's second copy that one rank holds. The last pipeline
 * stage holds the second copy of the table as its head; 0 = there is no second copy. */
static double second_table(const nnc_op_list *list, const nnc_plan *plan) {
    return plan->pipeline > 1 && !nnc_schedule_ends_meet(plan)
               ? (double)list->tied_rows / plan->tensor * (double)list->tied_cols
               : 0.0;
}

/* Returns the bytes of activations that one rank sends from a pipeline stage to the next stage for one micro-batch. */
static double send_bytes(const nnc_op_list *list, const nnc_lowering *how) {
    const nnc_plan *plan = how->plan;
    const double ranks = (double)plan->context * (plan->sequence_parallel ? plan->tensor : 1);
    return (double)list->stream_elements / ranks * nnc_dtype_bytes(how->dtype);
}

/* Tests whether the plan leaves the embedding table untrained. If embedding and head are tied, the embedding table is
 * also the head. */
static bool table_is_frozen(const nnc_plan *plan) {
    return !nnc_plan_trains_all(plan) && (plan->train & NNC_TRAIN_EMBEDDING) == 0;
}

static void unit_exchange(nnc_op_list *list, const nnc_lowering *how, const char *name, int32_t segment,
                          nnc_collective_op exchange) {
    const double units = nnc_list_units(list, segment);
    const nnc_writer w = { list, how, (int64_t)((double)list->segments[segment].instances * units), -1, NULL };
    exchange.bytes /= units;
    nnc_list_collective(&w, name, exchange);
    list->ops[list->count - 1].segment = segment;
}

/* Adds the collectives of ZeRO 3 for one unit of trained weights. In every pass the weights are gathered for forward
 * and again for backward, and the gradients are scattered in backward; if several groups of ranks hold the same shards
 * (`--shard`), the gradients of these groups are added up, too. Without resharding, weights are gathered once per step;
 * in pipelines, gradients are scattered once per step. The collectives that run once per step are added in step_end.c.
 * With `fp8_gather` in the software profile, matrices of layers, except those of experts, are gathered in 8 bits. */
static void sharded_unit(nnc_op_list *list, const nnc_lowering *how, int32_t segment, const nnc_parameters *p,
                         nnc_route_kind route, double shards) {
    const nnc_plan *plan = how->plan;
    const bool narrow = how->software->fp8_gather && plan->precision == NNC_FP8 && route == NNC_ROUTE_SHARD &&
                        list->segments[segment].layer;
    const bool whole = nnc_gradients_stay_whole(plan);
    const double in_8bit = narrow ? p->matrix_params : 0.0;
    const double weights = nnc_policy_used_bytes(plan->policy) * (p->params - in_8bit) + in_8bit;
    const double gradients = nnc_policy_gradient_io_bytes(plan->policy) * p->params;
    nnc_collective_op e = { .comm = NNC_COMM_DATA,
                            .route = (int32_t)route,
                            .forward = NNC_ALL_GATHER,
                            .backward = NNC_ALL_GATHER,
                            .bytes = weights };
    if (p->params <= 0.0) { return; }
    if (shards > 1.0) {
        if (plan->reshard) { unit_exchange(list, how, "data.gather_weights", segment, e); }
        e = (nnc_collective_op){
            .comm = NNC_COMM_DATA, .route = (int32_t)route, .backward = NNC_REDUCE_SCATTER, .bytes = gradients
        };
        if (!whole) { unit_exchange(list, how, "data.scatter_gradients", segment, e); }
    }
    if (!whole && nnc_shard_replicas(plan, route, shards) > 1) {
        e = (nnc_collective_op){ .comm = NNC_COMM_DATA,
                                 .route = (int32_t)nnc_replica_route(route),
                                 .backward = NNC_ALL_REDUCE,
                                 .bytes = gradients / shards };
        unit_exchange(list, how, "data.reduce_replicas", segment, e);
    }
}

/* Adds the all-gathers of ZeRO 3 for one unit of frozen weights, which have no gradient. */
static void frozen_unit(nnc_op_list *list, const nnc_lowering *how, int32_t segment, const nnc_parameters *p,
                        nnc_route_kind route, double shards) {
    if (p->params > 0.0 && shards > 1.0) {
        unit_exchange(list, how, "data.gather_frozen", segment,
                      (nnc_collective_op){ .comm = NNC_COMM_DATA,
                                           .route = (int32_t)route,
                                           .forward = NNC_ALL_GATHER,
                                           .backward = NNC_ALL_GATHER,
                                           .bytes = nnc_frozen_bytes(p, how->plan) });
    }
}

static void add_casts(nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_lowering *how) {
    const nnc_software *software = how->software;
    const bool wide = nnc_policy_bytes(how->plan->policy).weight_bytes > 2.0;
    if (list->recorded || !software->cast_weights || !wide || nnc_dtype_bytes(how->dtype) > 2.0) { return; }
    for (int32_t s = 0; s < list->segment_count; s++) {
        const double frozen =
            how->plan->frozen == NNC_FROZEN_32 ? sums[s].frozen.params + sums[s].frozen_expert.params : 0.0;
        const double params = sums[s].dense.params + sums[s].expert.params + frozen;
        const nnc_writer w = { list, how, (int64_t)list->segments[s].instances, -1, NULL };
        if (params > 0.0) {
            nnc_op *op =
                nnc_list_pointwise(&w, "weights.cast", NNC_PW_CAST_WEIGHTS, NNC_GROUP_OPTIMIZER, (int64_t)params);
            op->dtype = NNC_FP32;
            op->segment = s;
            op->u.pointwise.fused = !software->flat_weights;
        }
    }
}

/* Returns the activation bytes that forward of a captured program stores for backward in its recompute blocks. */
static double units_kept_bytes(const nnc_op_list *list) {
    double sum = 0.0;
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_op *op = &list->ops[i];
        sum += op->block >= 0 ? (double)op->repeat * nnc_op_kept_bytes(op) : 0.0;
    }
    return sum;
}

static void add_unit_collectives(nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                 const nnc_lowering *how) {
    const nnc_plan *plan = how->plan;
    const nnc_policy_sizes sizes = nnc_policy_bytes(plan->policy);
    for (int32_t s = 0; s < list->segment_count; s++) {
        const double dense = sums[s].dense.params / nnc_dense_shards(plan);
        const double expert = sums[s].expert.params / nnc_expert_shards(plan);
        if (plan->zero == 3) {
            sharded_unit(list, how, s, &sums[s].dense, NNC_ROUTE_SHARD, nnc_dense_shards(plan));
            sharded_unit(list, how, s, &sums[s].expert, NNC_ROUTE_EXPERT_SHARD, nnc_expert_shards(plan));
            frozen_unit(list, how, s, &sums[s].frozen, NNC_ROUTE_SHARD, nnc_dense_shards(plan));
            frozen_unit(list, how, s, &sums[s].frozen_expert, NNC_ROUTE_EXPERT_SHARD, nnc_expert_shards(plan));
        }
        nnc_collective_op e = { .comm = NNC_COMM_OFFLOAD, .forward = NNC_P2P, .backward = NNC_P2P };
        if ((plan->offload & NNC_OFFLOAD_WEIGHTS) != 0) {
            e.bytes = sizes.weight_bytes * (dense + expert) +
                      nnc_frozen_bytes(&sums[s].frozen, plan) / nnc_dense_shards(plan) +
                      nnc_frozen_bytes(&sums[s].frozen_expert, plan) / nnc_expert_shards(plan);
            unit_exchange(list, how, "offload.weights", s, e);
        }
        if ((plan->offload & NNC_OFFLOAD_ACTIVATIONS) != 0 && (list->recorded || list->segments[s].layer)) {
            const bool full = (plan->recompute & NNC_RECOMPUTE_FULL) != 0;
            e.bytes = list->recorded ? units_kept_bytes(list) : full ? sums[s].input_bytes : sums[s].kept_bytes;
            unit_exchange(list, how, "offload.activations", s, e);
        }
    }
}

void nnc_finish_list(nnc_op_list *list, const nnc_lowering *how, nnc_segment_sums sums[NNC_SEGMENTS_MAX]) {
    const double table = second_table(list, how->plan);
    const bool frozen = table_is_frozen(how->plan);
    nnc_segment_sums *last = &sums[list->segment_count - 1];
    nnc_parameters *head = frozen ? &last->frozen : &last->dense;
    if (table > 0.0) {
        head->params += table;
        *(frozen ? &last->unit_frozen : &last->unit_params) += table;
        head->factored_elements += table / (double)list->tied_cols + (double)list->tied_cols;
    }
    add_casts(list, sums, how);
    add_unit_collectives(list, sums, how);
}

void nnc_split_list(nnc_op_list *list, const nnc_lowering *how, nnc_segment_sums sums[NNC_SEGMENTS_MAX]) {
    nnc_list_shard(list, how->plan);
    nnc_segments_sum(list, sums);
    nnc_finish_list(list, how, sums);
}

/* Seconds that the host needs to issue one kernel. Source: the assumption of software/torch-eager.json, key launch_s: a
 * Python program issues a kernel in about 10 us. */
#define NNC_KERNEL_LAUNCH_S 1e-5

bool nnc_host_issues(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                     const nnc_plan *plan) {
    const bool listed = model->captured != NULL || nnc_listing_of(model, device) != NNC_LISTING_NONE;
    return listed && software->lists_operators && nnc_plan_is_whole(plan);
}

static nnc_launch launch_of(const nnc_model *model, const nnc_plan *plan, const nnc_device *device,
                            const nnc_software *software) {
    const bool experts = nnc_model_sizes_of(model).experts > 0;
    if (device->host.kernel_s == 0.0) { /* on a CPU the host is the device: no time is spent on issuing kernels */
        return (nnc_launch){ 0 };
    }
    if (nnc_host_issues(model, device, software, plan)) {
        return (nnc_launch){ .kernel_s = nnc_issue_s(model, plan, device) };
    }
    if (model->captured != NULL) { /* in a captured program each op is one kernel */
        return (nnc_launch){ .op_s = nnc_min(software->launch_s, NNC_KERNEL_LAUNCH_S) };
    }
    return (nnc_launch){ .op_s = experts && !isnan(software->launch_expert_s) ? software->launch_expert_s
                                                                              : software->launch_s,
                         .product_s = software->launch_product_s,
                         .recorded_attention = software->recorded_attention };
}

/* Times of hooks, as multiples of the time in which the same host issues one kernel. Measured with DeepSpeed 0.12.6 and
 * PyTorch 1.13 on one core of a Xeon, in layers of width 32, so that the times are those of Python: 8.2 us for an
 * operator, 48 us for one pass of a module, 32 us for a parameter in forward or backward and 17 us for a parameter that
 * is already in memory, 135 us for a gradient with ZeRO 3 and 60 us with ZeRO 2. On a GPU, 3.8 us for the launch are
 * added to each operator, and to each call of the runtime in a hook: one for a module (wait_stream), two for a
 * parameter (all-gather, event), three for a gradient (copy to the bucket, its event, reduce), one for a gradient with
 * ZeRO 2 (copy). (48 + 3.8) / 12 = 4.3, (32 + 7.6) / 12 = 3.3, 17 / 12 = 1.4, (135 + 11.4) / 12 = 12.2, (60 + 3.8) / 12
 * = 5.3. [hooks] */
static const double module_kernels = 4.3, tensor_kernels = 3.3, again_kernels = 1.4, gradient_kernels = 12.2,
                    bucket_kernels = 5.3;

/* Adds the times of the hooks to *launch. ZeRO 3 has hooks of modules and hooks of gradients; ZeRO 2 has only hooks of
 * gradients. With ZeRO 1 the hooks of gradients return at once, except in the last micro-batch, and are not counted. */
static void add_hooks(const nnc_plan *plan, const nnc_device *device, const nnc_software *software,
                      nnc_launch *launch) {
    const double kernel_s = device->host.kernel_s;
    const int32_t stage = nnc_hooks_stage(software, plan);
    if (stage == 0) { return; }
    launch->gradient_s = kernel_s * (stage == 3 ? gradient_kernels : bucket_kernels);
    if (stage < 3) { return; }
    launch->module_s = kernel_s * module_kernels;
    launch->tensor_s = kernel_s * tensor_kernels;
    launch->again_s = kernel_s * again_kernels;
}

nnc_status nnc_step_begin(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                          const nnc_plan *plan, nnc_network *network, nnc_step *step, nnc_error *err) {
    const bool alone = plan->devices == 1 && plan->offload == 0;
    NNC_TRY(nnc_power_check(device, err));
    if (!alone) { NNC_TRY(nnc_network_find(device, plan, network, err)); }
    *step = (nnc_step){ .device = device,
                        .plan = plan,
                        .software = software,
                        .network = alone ? NULL : network,
                        .launch = launch_of(model, plan, device, software) };
    add_hooks(plan, device, software, &step->launch);
    return NNC_OK;
}

void nnc_step_set_list(nnc_step *step, const nnc_op_list *list, const nnc_lowering *how,
                       const nnc_segment_sums sums[NNC_SEGMENTS_MAX]) {
    step->list = list;
    step->sums = sums;
    nnc_step_set_send(step, send_bytes(list, how));
    step->tied_params = second_table(list, step->plan);
}

void nnc_describe_model(const nnc_model *model, const nnc_op_list *whole, const nnc_step *step, nnc_result *r) {
    describe_model(whole, step->device, r, step->why);
    const nnc_plan *plan = step->plan;
    if (model->decoder.next_layers > 0 && plan->adapter_rank == 0 && !plan->next_tokens) {
        r->next_params = next_params(whole, &model->decoder);
    }
}

bool nnc_plan_is_whole(const nnc_plan *plan) { return plan->tensor == 1 && plan->context == 1 && plan->expert == 1; }
