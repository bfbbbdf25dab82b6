/* One estimate, from a plan to a result. nnc_estimate_once below calls these functions:
 *
 *     lower                 fills in the plan; lowers the model to an op list
 *     nnc_step_partition    distributes the layers over the pipeline stages
 *     shard_and_cost        op list of one rank; time of each op
 *     nnc_estimate_time     memory; step ends; bounds; overlap; step time
 *     nnc_estimate_finish   rates, money, energy
 *
 * A brief estimate computes no bounds and no op table of the whole step, because searches and sweeps need neither.
 * estimate.c keeps no results from one estimate to the next; memo/ does that. */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "fields/fields_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

NNC_ENUM_NAMES(nnc_verdict, NNC_VERDICT_LIST)

_Static_assert(sizeof(nnc_memory) <= NNC_MEMORY_SPACE && (int)NNC_GROUP_COUNT <= NNC_GROUP_SPACE &&
                   (int)NNC_COMM_COUNT <= NNC_COMM_SPACE && (int)NNC_BOUND_COUNT <= NNC_BOUND_SPACE,
               "the space of a public struct or array is smaller than its contents");

/* ---- rates, money, energy, and the interval of the step time ---- */

void nnc_utilisation(nnc_result *r, nnc_derivation *why) {
    const nnc_plan *plan = &r->plan;
    const double devices = plan->devices;
    if (nnc_convention_of(plan->flops_convention)->by_params) {
        NNC_SET(why, r->model_flops, "FLOP", r->six_nd_flops);
        NNC_SET(why, r->forward_flops, "FLOP", r->six_nd_flops / 3.0);
        NNC_SET(why, r->backward_flops, "FLOP", r->six_nd_flops - r->forward_flops);
        NNC_NOTE(why, "6 N D: 2 N D in forward, 4 N D in backward");
    }
    NNC_SET(why, r->hardware_flops, "FLOP", r->model_flops + r->recompute_flops);
    NNC_SET(why, r->mfu, NULL, r->model_flops / (r->step_s * devices * r->peak_flops_per_s));
    NNC_SET(why, r->causal_mfu, NULL, r->causal_flops / (r->step_s * devices * r->peak_flops_per_s));
    NNC_SET(why, r->hfu, NULL, r->hardware_flops / (r->step_s * devices * r->peak_flops_per_s));
    NNC_SET(why, r->model_flops_per_s_per_device, "FLOP/s", r->model_flops / r->step_s / devices);
    NNC_SET(why, r->samples_per_s, NULL, (double)plan->global_batch / r->step_s);
    r->tokens_per_s = r->tokens_per_s_per_device = NAN;
    if (r->tokens > 0) {
        NNC_SET(why, r->tokens_per_s, NULL, (double)r->tokens / r->step_s);
        NNC_SET(why, r->tokens_per_s_per_device, NULL, r->tokens_per_s / devices);
    }
}

double nnc_price_of(double price, const nnc_device *device) {
    return !isnan(price) ? price : device->price_count > 0 ? device->prices[0].per_device_hour : (double)NAN;
}

void nnc_run_cost(const nnc_device *device, nnc_result *r, nnc_derivation *why) {
    const nnc_plan *plan = &r->plan;
    const double devices = plan->devices;
    r->price_per_device_hour = nnc_price_of(plan->price, device);
    NNC_PUT(why, r->price_per_device_hour, NULL);
    NNC_LET(why, power_w, "W", nnc_power_limit(device));
    NNC_SET(why, r->cost_step, NULL, r->step_s / 3600.0 * devices * r->price_per_device_hour);
    r->run_s = NAN;
    if (!isnan(plan->samples)) {
        NNC_LET(why, samples_to_train, NULL, plan->samples);
        NNC_SET(why, r->run_s, "s", samples_to_train / r->samples_per_s);
    } else if (!isnan(plan->tokens)) {
        NNC_LET(why, tokens_to_train, NULL, plan->tokens);
        NNC_SET(why, r->run_s, "s", tokens_to_train / r->tokens_per_s);
    }
    NNC_PUT(why, r->run_s, "s");
    NNC_SET(why, r->device_hours, "h", r->run_s / 3600.0 * devices);
    NNC_SET(why, r->cost_run, NULL, r->device_hours * r->price_per_device_hour);
    if (isnan(r->run_s)) {
        NNC_SET(why, r->energy_j, "J", power_w * devices * r->step_s);
    } else {
        NNC_SET(why, r->energy_j, "J", power_w * devices * r->run_s);
    }
}

/* STAND_IN: half of the range of the step time, as a natural logarithm, for a network whose counts are those of a
 * stand-in. A stand-in is another network with nearly equal counts (foreign/names/members.json). set_interval adds
 * the squares of STAND_IN and of the other half ranges. STAND_IN is fitted on the measured rows of timm networks whose
 * group name SOURCE/MODEL has an even CRC-32: docs/accuracy-vision.md. */
#define STAND_IN 0.5

/* Returns the name of the group of measurements that a model belongs to. Each network of a graph file and each captured
 * program is a group of its own, because its convolutions differ from those of other networks. All models with experts
 * form one group; models without experts are grouped by family. */
static const char *measured_of(const nnc_model *model, bool experts) {
    return model->family == NNC_FAMILY_GRAPH || model->captured != NULL ? model->id
           : experts                                                    ? "experts"
                                                                        : nnc_family_name(model->family);
}

/* Returns the range of errors that was measured for a software profile on the device `device` ("" = on all devices) and
 * for the models of the group `of`; NULL = no such range was measured. */
static const nnc_range *range_for(const nnc_software *software, const char *device, const char *of) {
    for (int32_t i = 0; i < software->range_count; i++) {
        const nnc_range *one = &software->ranges[i];
        if (strcmp(one->device, device) == 0 && strcmp(one->of, of) == 0) { return one; }
    }
    return NULL;
}

bool nnc_is_as_published(const nnc_result *r, const nnc_model *model) {
    const double stated = (double)model->published_params;
    return !(stated > 0.0) || r->plan.adapter_rank > 0 || r->plan.next_tokens ||
           fabs((double)r->params - stated) <= 0.01 * stated;
}

/* The interval of the step time is not symmetric, because real programs often do more work than is counted, and seldom
 * less. As logarithms, the upper end of the interval is (1 + SKEW) x half of the range above the prediction, and the
 * lower end is (1 - SKEW) x half of the range below the prediction. All measured rows were known when the value of SKEW
 * was chosen (docs/accuracy.md); tests/spreads.py shows the effect of SKEW. */
#define SKEW 0.15

/* The user has not named a host, and hosts need between NNC_HOST_FAST_S and NNC_HOST_USUAL_S to issue a kernel. Returns
 * how much shorter than predicted the step can be with a fast host, as a natural logarithm. A faster host shortens the
 * step until the device no longer waits for the host, but at most in proportion to the host's time per kernel. Returns
 * 0 if the host issues no operators one by one, or if the user named a host with another time per kernel. */
static double open_host(const nnc_model *model, const nnc_step *step, const nnc_result *r) {
    const bool open = step->device->host.kernel_s == NNC_HOST_USUAL_S &&
                      nnc_host_issues(model, step->device, step->software, &r->plan);
    const double fast_s = r->step_s * NNC_HOST_FAST_S / NNC_HOST_USUAL_S;
    return open ? log(r->step_s / nnc_max(r->step_s - r->host_s, fast_s)) : 0.0;
}

static void set_interval(const nnc_model *model, const nnc_step *step, nnc_result *r) {
    const nnc_spreads *s = &step->software->spread;
    const nnc_basis basis = step->device->efficiency.basis;
    r->interval_s[0] = r->interval_s[1] = NAN;
    if (step->device->implausible || step->software->implausible || !nnc_is_as_published(r, model)) { return; }
    if (basis == NNC_BASIS_NONE || r->plan.mode != NNC_MODE_PREDICTED || isnan(s->own)) { return; }
    const double guessed = basis == NNC_BASIS_STEPS ? 0.0 : basis == NNC_BASIS_KERNELS ? s->kernels : s->carried;
    const bool experts = nnc_model_sizes_of(model).experts > 0;
    const nnc_range *measured = range_for(step->software, step->device->id, measured_of(model, experts));
    const char *family = experts ? "experts" : nnc_family_name(model->family);
    const nnc_range *wide = range_for(step->software, "", family);
    const nnc_range *range = measured != NULL ? measured : wide;
    nnc_derivation *why = step->why;
    NNC_LET(why, own, NULL, range != NULL ? range->own : s->own);
    NNC_LET(why, device, NULL, measured != NULL ? 0.0 : guessed);
    NNC_LET(why, routed, NULL,
            /* a network with a stand-in has no experts, so the range gets either STAND_IN or the additional range of
             * experts */
            model->stand_in               ? STAND_IN
            : measured == NULL && experts ? s->experts
                                          : 0.0);
    NNC_LET(why, network_s, "s", r->bound_s[NNC_BOUND_NETWORK]);
    NNC_LET(why, waiting_s, "s", r->bound_s[NNC_BOUND_HOST] + r->bound_s[NNC_BOUND_BUBBLE]);
    NNC_LET(why, network_spread, NULL, s->network);
    NNC_LET(why, idle_spread, NULL, s->idle);
    NNC_SAY(why, network, NULL, network_spread * network_s / r->step_s);
    NNC_SAY(why, idle, NULL, idle_spread * waiting_s / r->step_s);
    NNC_SAY(why, half, NULL, sqrt(own * own + device * device + routed * routed + network * network + idle * idle));
    NNC_LET(why, skew, NULL, range != NULL ? range->skew : SKEW);
    NNC_SAY(why, below, NULL, 1.0 - skew);
    NNC_SAY(why, above, NULL, 1.0 + skew);
    NNC_LET(why, host, NULL, open_host(model, step, r));
    NNC_SAY(why, shorter, NULL, sqrt(below * half * (below * half) + host * host));
    NNC_SET(why, r->interval_s[0], "s", nnc_max(r->step_s / exp(shorter), r->lower_bound_s));
    NNC_SET(why, r->interval_s[1], "s", r->step_s * exp(above * half));
}

/* Returns an error if bytes in the result are too large to be exact, if the step time or the FLOPs are not finite, or
 * if the number of parameters differs from the number in the model file (unless the file is read with --lenient). */
static nnc_status check_result(const nnc_result *r, const nnc_model *model, nnc_error *err) {
    const double exact = 9007199254740992.0; /* 2^53 bytes = 9 PB, more than any device has; smaller integers are exact
                                              * in a double */
    const nnc_memory *m = &r->memory;
    if (!((double)m->activation_bytes < exact && (double)m->transient_bytes < exact)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, model->id, "the plan needs more than %.0f bytes on one device", exact);
    }
    if (!isfinite(r->step_s) || !isfinite(r->model_flops)) {
        return nnc_fail(err, NNC_BAD_SPEC, model->id, "the step time is not a finite number");
    }
    if (!model->lenient && !nnc_is_as_published(r, model)) {
        return nnc_fail(err, NNC_BAD_SPEC, model->id,
                        "published_params: the shape has %lld parameters, but the file states %lld; --lenient uses "
                        "the shape",
                        (long long)r->params, (long long)model->published_params);
    }
    return NNC_OK;
}

/* ---- lower and upper bound of the step time ---- */

/* Tests whether the plan and the software profile already do everything that ideal fusion does, so that ideal fusion
 * cannot lower the bound. Fusion of norms and pointwise ops is not tested: the lower bound never counts the bytes of
 * norms and pointwise ops. */
static bool is_ideal(const nnc_plan *plan, const nnc_software *software) {
    return plan->attention != NNC_ATTENTION_UNFUSED && software->fused_loss && software->fused_optimizer &&
           !software->zero_gradients && !software->added_gradients;
}

/* A step, its op table and its ideal step. An estimate has two structs `bound_rows`: one with ideal fusion, and one
 * with the plan's own ops. The shorter of the two ideal steps becomes the lower bound. */
typedef struct bound_rows {
    nnc_step step;
    nnc_rows *rows;
    nnc_ideal ideal;
} bound_rows;

/* Working memory of the function `fuse`: the software profile with ideal fusion, and the segment sums of the ideally
 * fused model. */
typedef struct fusing {
    nnc_software software;
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
} fusing;

/* Computes the ideal step of the plan's model with ideal fusion and flash attention, and writes it to *fused. Returns
 * false if the pipeline is too large to replay. */
static bool fuse(const nnc_model *model, const nnc_step *step, nnc_scratch *scratch, fusing *with, bound_rows *fused) {
    nnc_bound_segment_times units;
    with->software = nnc_software_default();
    /* context_frozen of the profile decides which weights are trained; all other settings of the profile only make
     * kernels faster, so they are not used */
    with->software.context_frozen = step->software->context_frozen;
    fused->step = *step;
    fused->step.software = &with->software;
    fused->step.list = &scratch->ideal;
    fused->step.sums = with->sums;
    fused->step.ends = &scratch->ideal_ends;
    fused->rows = &scratch->ideal_rows;
    const nnc_lowering how = nnc_lowering_of(step->plan, &with->software, NNC_ATTENTION_FLASH);
    nnc_lower(model, &how, &scratch->ideal);
    nnc_split_list(&scratch->ideal, &how, with->sums);
    nnc_rows_build(&scratch->ideal, step->device, step->network, step->plan, fused->rows);
    nnc_step_ends_find(&fused->step, &scratch->step, &scratch->ideal_ends);
    nnc_bound_segment_times_sum(&fused->step, fused->rows, &units);
    return nnc_ideal_step(&fused->step, fused->rows, &units, &scratch->step, &fused->ideal);
}

/* Sets the lower and the upper bound of the step time. The lower bound is the shorter of two ideal steps: the step of
 * the model with ideal fusion and flash attention, and the step with the ops that the plan sets. Each of the two steps
 * can be the shorter one, because in backward flash attention has five products and unfused attention has four. Returns
 * false if the pipeline is too large to replay. */
static bool bound_step(const nnc_model *model, const nnc_step *step, nnc_scratch *scratch, fusing *with,
                       bound_rows *lower, nnc_result *r) {
    nnc_bound_segment_times units;
    bound_rows own = { .step = *step, .rows = &scratch->rows };
    own.step.why = NULL;
    nnc_bound_segment_times_sum(&own.step, own.rows, &units);
    r->upper_bound_s = nnc_upper_bound(step, &units, nnc_step_send_s(step), &scratch->step);
    bool done = !(r->upper_bound_s < 0.0) && nnc_ideal_step(&own.step, own.rows, &units, &scratch->step, &own.ideal);
    *lower = own;
    if (done && !is_ideal(step->plan, step->software)) {
        done = fuse(model, &own.step, scratch, with, lower);
        if (lower->ideal.step_s > own.ideal.step_s) { *lower = own; }
    }
    r->lower_bound_s = lower->ideal.step_s;
    scratch->bound = lower->ideal;
    NNC_WHEN(step->why, nnc_ideal_say(&lower->ideal, step->why));
    lower->step.why = step->why;
    return done;
}

/* Sets the upper bound to the step time if the step time is longer. The step time is longer in two cases: some part of
 * the step takes longer with overlap than without overlap; or, if backward is split into input and weight gradients,
 * the pipeline ends later although its passes are shorter. */
static void raise_upper(nnc_result *r, nnc_derivation *why) {
    if (r->step_s > r->upper_bound_s) {
        NNC_LET(why, nothing_hides_s, "s", r->upper_bound_s);
        NNC_PUT(why, r->step_s, "s");
        NNC_SET(why, r->upper_bound_s, "s", nnc_max(nothing_hides_s, r->step_s));
    }
}

/* Sets r->idle_share, the mean over all pipeline stages of the share of the step in which a stage is idle. */
static void set_idle_share(const nnc_step *step, const nnc_stage *stages, nnc_result *r) {
    const int32_t count = step->plan->pipeline;
    double work_s = 0.0; /* seconds that a stage works in a step, as a mean over all pipeline stages */
    if (count == 1) {
        NNC_SET(step->why, r->idle_share, NULL, 0.0);
        NNC_NOTE(step->why, "one pipeline stage, so no stage waits");
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        work_s += (stages[i].busy_s + stages[i].exchange_s + stages[i].update_s) / count;
    }
    NNC_PUT(step->why, work_s, "s");
    NNC_SET(step->why, r->idle_share, NULL, nnc_max(0.0, 1.0 - work_s / r->step_s));
}

static nnc_status fail_long(nnc_error *err) {
    return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                    "the schedule is too long to replay, expected at most %d stages", NNC_STAGES_MAX);
}

/* Sets all values that a brief estimate does not compute to NaN. */
static void leave_out(nnc_result *r) {
    r->interval_s[0] = r->interval_s[1] = r->lower_bound_s = r->upper_bound_s = (double)NAN;
    r->executed_flops = r->vector_flops = r->read_bytes = r->write_bytes = (double)NAN;
    r->idle_share = r->step_without_bound_s = r->kernels = (double)NAN;
    for (int k = 0; k < NNC_COMM_COUNT; k++) { r->communication_s[k] = (double)NAN; }
    for (int b = 0; b < NNC_BOUND_COUNT; b++) { r->bound_s[b] = (double)NAN; }
    r->bound = r->next_bound = NNC_BOUND_COUNT;
}

/* ---- the step time, brief or with all values ---- */

bool nnc_estimate_is_brief(const nnc_scratch *scratch, const nnc_plan *plan) {
    return scratch->brief && plan->mode == NNC_MODE_PREDICTED;
}

nnc_status nnc_estimate_time_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                                   nnc_scratch *scratch, nnc_result *r, nnc_error *err) {
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    nnc_step_times times;
    nnc_step_ends_set(step, units, &overlap, &scratch->step);
    if (!nnc_step_core_run(step, units, &scratch->step, &times) ||
        !nnc_step_core_parts(step, units, &times, &scratch->step, r)) {
        return fail_long(err);
    }
    leave_out(r);
    return NNC_OK;
}

static nnc_status time_briefly(const nnc_step *step, nnc_scratch *scratch, nnc_result *r, nnc_error *err) {
    nnc_segment_time units[NNC_SEGMENTS_MAX];
    nnc_step_segment_times(step, &scratch->rows, units);
    return nnc_estimate_time_parts(step, units, scratch, r, err);
}

/* Computes the bounds, the step time and the op table of the whole step. In ideal mode the step is the ideal step. */
static nnc_status time_fully(const nnc_model *model, const nnc_step *step, nnc_scratch *scratch, nnc_result *r,
                             nnc_error *err) {
    bound_rows lower;
    fusing with;
    nnc_rows *rows = &scratch->rows;
    bool done = bound_step(model, step, scratch, &with, &lower, r);
    if (done && r->plan.mode == NNC_MODE_IDEAL) {
        rows = lower.rows;
        nnc_step_executed(&lower.step, rows, &scratch->step, r);
        nnc_ideal_rows(&lower.step, &lower.ideal, rows, &scratch->step, r);
    } else if (done) {
        nnc_step_executed(step, rows, &scratch->step, r);
        done = nnc_step_time(step, rows, &scratch->ideal_rows, &scratch->step, r);
        raise_upper(r, step->why);
    }
    if (!done) { return fail_long(err); }
    scratch->shown = rows;
    scratch->stages = step->plan->pipeline;
    r->op_count = rows->count;
    set_idle_share(step, scratch->step.stages, r);
    set_interval(model, step, r);
    return NNC_OK;
}

/* ---- one estimate: its parts in their order, and the whole ---- */

void nnc_estimate_begin(nnc_scratch *scratch, nnc_result *r) {
    memset(r, 0, sizeof *r);
    r->struct_size = sizeof *r;
    scratch->shown = NULL;
}

/* Fills in the fields that the plan leaves open (r->plan), and lowers the model. Writes the op list of the whole model
 * to scratch->list and the rules for lowering to *how, and sets the fields of *step that do not depend on the op list
 * of one rank. */
static nnc_status lower(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                        const nnc_plan *plan, nnc_scratch *scratch, nnc_derivation *why, nnc_lowering *how,
                        nnc_step *step, nnc_segment_sums sums[NNC_SEGMENTS_MAX], nnc_result *r, nnc_error *err) {
    nnc_plan seen;
    NNC_TRY(nnc_plan_resolve_for(plan, model, device, software, &r->plan, err));
    nnc_lowering from = nnc_lowering_seen(&r->plan, software, &seen);
    *how = nnc_lowering_of(&r->plan, software, r->plan.attention);
    NNC_TRY(nnc_step_begin(model, device, software, &r->plan, &scratch->network, step, err));
    step->why = why;
    from.listing = nnc_listing_of(model, device);
    nnc_lower(model, &from, &scratch->list);
    NNC_TRY(nnc_check_list(&scratch->list, model, err));
    nnc_step_set_list(step, &scratch->list, how, sums);
    return NNC_OK;
}

/* Shards the op list over ranks and computes the time of each op. Writes to scratch->rows the op table of one
 * micro-batch on a rank that holds every layer. Model FLOPs are counted on the list before it is sharded. */
static void shard_and_cost(const nnc_step *step, const nnc_lowering *how, nnc_scratch *scratch,
                           nnc_segment_sums sums[NNC_SEGMENTS_MAX], nnc_result *r) {
    const nnc_plan *plan = step->plan;
    const bool whole = nnc_plan_is_whole(plan);
    if (!whole) {
        nnc_rows_build(&scratch->list, NULL, NULL, plan, &scratch->rows);
        nnc_step_count_work(step, &scratch->rows, &scratch->step, r);
    }
    nnc_split_list(&scratch->list, how, sums);
    nnc_rows_build(&scratch->list, step->device, step->network, plan, &scratch->rows);
    nnc_rows_lend(&scratch->rows, nnc_rows_lent_factor(step->device, plan, step->software));
    nnc_power_throttle(&scratch->rows, step->device);
    if (whole) { nnc_step_count_work(step, &scratch->rows, &scratch->step, r); }
}

nnc_status nnc_estimate_time(const nnc_model *model, nnc_step *step, nnc_scratch *scratch, nnc_result *r,
                             nnc_error *err) {
    const bool brief = nnc_estimate_is_brief(scratch, &r->plan);
    /* r->memory.total_bytes is not 0 if the caller of a brief estimate has already computed the memory */
    if (!brief || r->memory.total_bytes == 0) { nnc_stage_memory(step, model, brief, &scratch->step, r); }
    if (scratch->ends_over && r->verdict == NNC_OVER_MEMORY) { return NNC_OK; }
    nnc_step_ends_find(step, &scratch->step, &scratch->ends);
    step->ends = &scratch->ends;
    return brief ? time_briefly(step, scratch, r, err) : time_fully(model, step, scratch, r, err);
}

nnc_status nnc_estimate_untimed(const nnc_model *model, nnc_result *r, nnc_error *err) {
    NNC_TRY(check_result(r, model, err));
    leave_out(r);
    r->step_s = r->samples_per_s = r->tokens_per_s = r->cost_step = r->mfu = (double)NAN;
    return NNC_OK;
}

nnc_status nnc_estimate_finish(const nnc_model *model, const nnc_device *device, const nnc_step *step, nnc_result *r,
                               nnc_error *err) {
    nnc_utilisation(r, step->why);
    nnc_run_cost(device, r, step->why);
    return check_result(r, model, err);
}

nnc_status nnc_estimate_once(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                             const nnc_plan *plan, nnc_scratch *scratch, nnc_result *r, nnc_error *err) {
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_lowering how;
    nnc_step step;
    nnc_estimate_begin(scratch, r);
    NNC_TRY(lower(model, device, software, plan, scratch, scratch->why, &how, &step, sums, r, err));
    nnc_describe_model(model, &scratch->list, &step, r);
    nnc_step_partition(&step, &scratch->step);
    shard_and_cost(&step, &how, scratch, sums, r);
    NNC_TRY(nnc_estimate_time(model, &step, scratch, r, err));
    return nnc_estimate_finish(model, device, &step, r, err);
}

nnc_status nnc_estimate_memory(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                               const nnc_plan *plan, nnc_scratch *scratch, nnc_result *r, nnc_error *err) {
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_lowering how;
    nnc_step step;
    nnc_estimate_begin(scratch, r);
    NNC_TRY(lower(model, device, software, plan, scratch, NULL, &how, &step, sums, r, err));
    nnc_step_partition(&step, &scratch->step);
    nnc_split_list(&scratch->list, &how, sums);
    nnc_stage_memory(&step, model, true, &scratch->step, r);
    return NNC_OK;
}

nnc_status nnc_estimate_read(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                             const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err) {
    return scratch->estimate(model, device, software, plan, scratch, result, err);
}

/* ---- public functions: rows and stages of the last estimate ---- */

const nnc_op_cost *nnc_scratch_ops(const nnc_scratch *scratch, int32_t *count) {
    *count = scratch->shown != NULL ? scratch->shown->count : 0;
    return scratch->shown != NULL ? scratch->shown->rows : NULL;
}

const nnc_stage *nnc_scratch_stages(const nnc_scratch *scratch, int32_t *count) {
    *count = scratch->shown != NULL ? scratch->stages : 0;
    return scratch->step.stages;
}

const nnc_op_cost *nnc_scratch_op(const nnc_scratch *scratch, int32_t index) {
    const nnc_rows *rows = scratch != NULL ? scratch->shown : NULL;
    return rows != NULL && index >= 0 && index < rows->count ? &rows->rows[index] : NULL;
}

const nnc_stage *nnc_scratch_stage(const nnc_scratch *scratch, int32_t index) {
    const bool known = scratch != NULL && scratch->shown != NULL;
    return known && index >= 0 && index < scratch->stages ? &scratch->step.stages[index] : NULL;
}

/* ---- public function: an estimate ---- */

/* Reads and checks the arguments of a public function, and copies them to scratch->plan and scratch->software. Does
 * nothing if the arguments have the same bytes as the copies that the previous call has left there. */
static nnc_status read_again(const char *function, const nnc_model *model, const nnc_device *device,
                             const nnc_software *software, const nnc_plan *plan, nnc_scratch *scratch, nnc_error *err) {
    nnc_estimate_args asked;
    NNC_TRY(nnc_need(function, "model", model != NULL, err));
    NNC_TRY(nnc_need(function, "device", device != NULL, err));
    /* Equal bytes are equal arguments. Arguments that differ only in padding bytes are read again, with the same
     * result. NOLINTBEGIN(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
    if (plan != NULL && software != NULL && memcmp(software, &scratch->software, sizeof *software) == 0 &&
        plan->struct_size == sizeof *plan && memcmp(plan, &scratch->plan, sizeof *plan) == 0) {
        return NNC_OK;
    }
    /* NOLINTEND(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
    scratch->plan.struct_size = 0; /* until the arguments are checked, struct_size 0 marks scratch->plan as not valid */
    NNC_TRY(nnc_estimate_args_read(function, model, device, software, plan, &asked, err));
    memcpy(&scratch->software, asked.software, sizeof scratch->software);
    memcpy(&scratch->plan, &asked.plan, sizeof scratch->plan);
    return NNC_OK;
}

nnc_status nnc_estimate_into(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                             const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err) {
    static const char here[] = "nnc_estimate";
    NNC_TRY(nnc_need(here, "scratch", scratch != NULL, err));
    NNC_TRY(nnc_need(here, "result", result != NULL, err));
    NNC_TRY(nnc_sized_check(result, sizeof *result, "nnc_result", err));
    nnc_result *const whole = result->struct_size == sizeof *result ? result : &scratch->result;
    nnc_status status = read_again(here, model, device, software, plan, scratch, err);
    if (status == NNC_OK) {
        status = nnc_estimate_read(model, device, &scratch->software, &scratch->plan, scratch, whole, err);
    } else {
        memset(whole, 0, sizeof *whole);
        whole->struct_size = sizeof *whole;
        scratch->shown = NULL;
    }
    if (whole != result) { nnc_sized_write(result, whole, sizeof *whole); }
    return status;
}
