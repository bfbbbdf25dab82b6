/* The step time: replays the passes in the pipeline schedule, finds the stage that ends last with its step end, and
 * divides the time of the busiest stage into parts. The file also computes the FLOPs of a step, its timeline, and the
 * time of a single op.
 *
 *     stage 0   F F F F B B B B | step end
 *     stage 1     F F F F B B B B | step end          step = the longest of passes + step end
 *
 * [step] */
#include <assert.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"

/* ---- seconds of all passes in the pipeline schedule ---- */

static void find_virtual_times(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                               nnc_step_memory *m) {
    const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    for (int32_t v = 0; v < m->partition.virtual_stages; v++) {
        double forward = 0.0, backward = 0.0, weight = 0.0;
        const nnc_stage_layers *share = &m->partition.shares[v];
        if (m->partition.alike[v]) {
            m->forward_s[v] = m->forward_s[v - 1];
            m->backward_s[v] = m->backward_s[v - 1];
            m->weight_s[v] = m->weight_s[v - 1];
            continue;
        }
        for (int32_t s = 0; s < step->list->segment_count; s++) {
            const int64_t n = share->instances[s];
            const double again =
                full ? (double)nnc_recomputed_layers(step->plan, step->list, s, share->instances) : (double)n;
            forward += (double)n * units[s].forward_s;
            backward += (double)n * (units[s].backward_s - units[s].weight_s) + again * units[s].recompute_s;
            weight += (double)n * units[s].weight_s;
        }
        m->forward_s[v] = forward;
        m->backward_s[v] = backward;
        m->weight_s[v] = weight;
    }
}

nnc_pipeline nnc_step_pipeline(const nnc_plan *plan, const nnc_step_memory *m) {
    return (nnc_pipeline){ .schedule = plan->schedule,
                           .stages = plan->pipeline,
                           .chunks = m->partition.virtual_stages / plan->pipeline,
                           .micro_batches = plan->micro_batches,
                           .forward_s = m->forward_s,
                           .backward_s = m->backward_s,
                           .weight_s = m->weight_s,
                           .send_s = m->send_s };
}

static bool rerun(const nnc_plan *plan, double send_s, nnc_step_memory *m) {
    m->send_s = send_s;
    m->runs++;
    if (plan->pipeline == 1) {
        m->run.total_s = (double)plan->micro_batches * (m->forward_s[0] + m->backward_s[0] + m->weight_s[0]);
        m->run.span_s[0] = m->run.busy_s[0] = m->run.total_s;
        return true;
    }
    const nnc_pipeline pipeline = nnc_step_pipeline(plan, m);
    return nnc_pipeline_run(&pipeline, &m->pipeline, &m->run);
}

bool nnc_step_run(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], double send_s,
                  nnc_step_memory *m) {
    find_virtual_times(step, units, m);
    return rerun(step->plan, send_s, m);
}

/* ---- the busiest stage: its rows and times ---- */

int32_t nnc_step_busiest(const nnc_step_memory *m, int32_t stages) {
    int32_t stage = 0;
    for (int32_t d = 1; d < stages; d++) { stage = m->run.busy_s[d] > m->run.busy_s[stage] ? d : stage; }
    return stage;
}

void nnc_step_restrict(const nnc_step *step, const nnc_stage_residency *holding, nnc_rows *rows) {
    const nnc_plan *plan = step->plan;
    const double passes = (double)nnc_step_passes(plan);
    for (int32_t i = 0; i < rows->count; i++) {
        nnc_op_cost *row = &rows->rows[i];
        const int32_t s = row->op->segment;
        const double all = (double)step->list->segments[s].instances;
        const bool again = row->op->phase == NNC_PHASE_RECOMPUTE && (plan->recompute & NNC_RECOMPUTE_FULL) != 0;
        const int64_t held = again ? holding->recomputed[s] : holding->instances[s];
        row->repeat = row->repeat * ((double)held / all) * passes;
    }
}

/* Appends to the op table a row for the messages that a device sends to other stages. exposed_s: seconds by which
 * messages make the step longer; the time and the repeat of the row are set so that their product is exposed_s. */
static void append_sends(const nnc_step *step, const nnc_step_memory *m, int32_t device, double exposed_s,
                         nnc_rows *rows) {
    const nnc_plan *plan = step->plan;
    const nnc_op op = { .name = "pipeline.send",
                        .kind = NNC_OP_COLLECTIVE,
                        .phase = NNC_PHASE_COMM,
                        .group = NNC_GROUP_NETWORK,
                        .dtype = NNC_FP32,
                        .math_dtype = NNC_FP32,
                        .repeat = 1,
                        .block = -1,
                        .u.collective = { .comm = NNC_COMM_PIPELINE, .forward = NNC_P2P, .bytes = step->send_bytes } };
    /* messages that one stage sends for one micro-batch: activations to the next virtual stage, and gradients to the
     * virtual stage before */
    double sends = 0.0;
    for (int32_t v = 0; v < m->partition.virtual_stages; v++) {
        if (nnc_partition_device(plan, v) == device) {
            sends += (v < m->partition.virtual_stages - 1 ? 1.0 : 0.0) + (v > 0 ? 1.0 : 0.0);
        }
    }
    if (sends > 0.0) {
        nnc_rows_add(rows, &op, step->device, step->network, sends * (double)plan->micro_batches);
        nnc_op_cost *row = &rows->rows[rows->count - 1];
        nnc_say_of_row(step->why, rows->count - 1);
        NNC_LET(step->why, delay_s, "s", exposed_s);
        NNC_PUT(step->why, row->repeat, NULL);
        NNC_SET(step->why, row->time_s, "s", delay_s / row->repeat);
        NNC_NOTE(step->why, "time that the messages between stages add to the step");
        nnc_say_of_step(step->why);
    }
}

/* ---- sums: parts of the step, traffic, bounds ---- */

/* Adds to the result the seconds that each part of the step takes on one device, computed from the seconds of the
 * device's layers. */
static void add_units(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                      const nnc_stage_residency *holding, nnc_result *r) {
    const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    const double passes = (double)nnc_step_passes(step->plan);
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        const double n = (double)holding->instances[s] * passes;
        const double again = full ? (double)holding->recomputed[s] * passes : n;
        r->forward_s += n * units[s].compute_s[NNC_PART_FORWARD];
        r->backward_s += n * units[s].compute_s[NNC_PART_BACKWARD];
        r->recompute_s += again * units[s].compute_s[NNC_PART_RECOMPUTE];
        r->host_s += nnc_layers_wait_s(&units[s], n, again);
        for (int k = 0; k < NNC_COMM_COUNT && step->network != NULL; k++) {
            r->exposed_s[k] +=
                n * (units[s].exposed_s[NNC_PART_FORWARD][k] + units[s].exposed_s[NNC_PART_BACKWARD][k]) +
                again * units[s].exposed_s[NNC_PART_RECOMPUTE][k];
        }
    }
}

/* Adds to the result the sums over all rows: bytes read and written, seconds of each kind of communication (all
 * seconds, and exposed seconds), and seconds of each bound. */
static void add_rows(const nnc_rows *rows, nnc_result *r) {
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        r->bound_s[row->bound] += row->time_s * row->repeat;
        r->read_bytes += row->work.read_bytes * row->repeat;
        r->write_bytes += row->work.write_bytes * row->repeat;
        if (nnc_op_is_collective(row->op)) {
            r->communication_s[row->op->u.collective.comm] += row->network_s * row->repeat;
        }
    }
    r->bound_s[NNC_BOUND_HOST] += r->host_s;
    r->bound_s[NNC_BOUND_BUBBLE] += r->bubble_s;
}

double nnc_held_bytes(const nnc_device *device, const nnc_software *software, bool has_experts) {
    /* names of the GPU architectures before Hopper */
    static const char *const early[] = { "pascal", "volta", "turing", "ampere", "ada" };
    const nnc_reserve *r = &software->reserve;
    bool is_early = false;
    for (size_t i = 0; i < sizeof early / sizeof early[0]; i++) {
        is_early = is_early || strcmp(device->architecture, early[i]) == 0;
    }
    return is_early ? r->held_early + (has_experts ? r->held_experts_early : 0.0)
                    : r->held + (has_experts ? r->held_experts : 0.0);
}

double nnc_step_held_bytes(const nnc_step *step) {
    bool has_experts = false;
    for (int32_t i = 0; i < step->list->count; i++) {
        const nnc_split split = step->list->ops[i].split;
        has_experts = has_experts || split == NNC_SPLIT_EXPERT_COLUMN || split == NNC_SPLIT_EXPERT_ROW;
    }
    return nnc_held_bytes(step->device, step->software, has_experts);
}

void nnc_step_describe(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m) {
    const nnc_plan *plan = step->plan;
    const int32_t last = step->list->segment_count - 1;
    const int64_t held = (int64_t)nnc_step_held_bytes(step);
    for (int32_t d = 0; d < plan->pipeline; d++) {
        const nnc_stage_residency *h = &m->holdings[d];
        nnc_stage *stage = &m->stages[d];
        const nnc_memory *memory = &stage->memory;
        const bool apart = nnc_schedule_splits(plan);
        /* the members memory, exchange_s and update_s keep their values, because other functions have set them
         * before */
        *stage = (nnc_stage){ .memory = stage->memory,
                              .exchange_s = stage->exchange_s,
                              .update_s = stage->update_s,
                              .params = (int64_t)nnc_stage_residency_params(step->sums, h),
                              .embedding = h->instances[0] > 0,
                              .head = h->instances[last] > 0,
                              .in_flight = h->in_flight,
                              .busy_s = m->run.busy_s[d],
                              .bubble_s = m->run.total_s - m->run.busy_s[d],
                              .static_bytes =
                                  memory->weight_bytes + memory->gradient_bytes + memory->optimizer_bytes + held };
        for (int32_t s = 0; s <= last; s++) {
            const double n = (double)h->instances[s];
            const double weight = n * units[s].weight_s;
            stage->layers += step->list->segments[s].layer ? h->instances[s] : 0;
            stage->forward_s += n * units[s].forward_s;
            stage->weight_s += apart ? weight : 0.0;
            stage->backward_s +=
                n * units[s].backward_s - (apart ? weight : 0.0) + (double)h->recomputed[s] * units[s].recompute_s;
        }
    }
}

void nnc_step_set_send(nnc_step *step, double send_bytes) {
    const nnc_collective_op send = { .comm = NNC_COMM_PIPELINE, .forward = NNC_P2P, .bytes = send_bytes };
    const char *link = NULL;
    step->send_bytes = send_bytes;
    step->send_s = step->plan->pipeline > 1 ? nnc_network_exchange_s(step->network, &send, &link) : 0.0;
}

double nnc_step_send_s(const nnc_step *step) { return step->free[NNC_BOUND_NETWORK] ? 0.0 : step->send_s; }

static double exposed_send_s(const nnc_step *step) {
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    return nnc_step_send_s(step) * (1.0 - overlap.share[NNC_COMM_PIPELINE]);
}

void nnc_step_core_times(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m) {
    find_virtual_times(step, units, m);
    m->send_s = exposed_send_s(step);
}

bool nnc_step_core_run(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_step_memory *m,
                       nnc_step_times *times) {
    *times = (nnc_step_times){ .send_s = exposed_send_s(step) };
    if (!nnc_step_run(step, units, times->send_s, m)) { return false; }
    times->total_s = m->run.total_s;
    times->run = m->runs;
    times->stage = nnc_step_busiest(m, step->plan->pipeline);
    return true;
}

/* Returns the seconds that one pipeline stage works in a step: from its first pass to the end of its last pass, then
 * its step end. */
static double ends_s(const nnc_step_memory *m, int32_t stage) {
    return m->run.span_s[stage] + (m->stages[stage].exchange_s + m->stages[stage].update_s);
}

static int32_t slowest_stage(const nnc_step_memory *m, int32_t stages) {
    int32_t slowest = 0;
    for (int32_t d = 1; d < stages; d++) { slowest = ends_s(m, d) > ends_s(m, slowest) ? d : slowest; }
    return slowest;
}

double nnc_step_core_s(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_step_memory *m) {
    /* since `times` was computed, m->run was overwritten by the replay of another plan, so the schedule is replayed
     * again */
    if (times->run != m->runs && nnc_schedule_splits(step->plan)) { (void)nnc_step_run(step, units, times->send_s, m); }
    for (int32_t d = 0; d < step->plan->pipeline && !nnc_schedule_splits(step->plan); d++) {
        m->run.span_s[d] = times->total_s; /* in schedules without split backward all devices end their passes at the
                                            * same time */
    }
    const int32_t slowest = slowest_stage(m, step->plan->pipeline);
    NNC_LET(step->why, passes_s, "s", m->run.span_s[slowest]);
    NNC_LET(step->why, once_per_step_s, "s", m->stages[slowest].exchange_s + m->stages[slowest].update_s);
    NNC_SAY(step->why, step_s, "s", passes_s + once_per_step_s);
    NNC_NOTE(step->why, "time of the slowest stage: passes_s, by replaying the schedule with the times of all stages; "
                        "once_per_step_s, its collectives and update at the end");
    return step_s;
}

/* Sets m->delay_s, the seconds by which messages between stages make the step longer, as the step time of a replay with
 * messages minus the step time of a replay without messages. Returns false if the pipeline is too large to replay. */
static bool find_delay(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_step_memory *m) {
    const int32_t stages = step->plan->pipeline;
    m->delay_s = 0.0;
    if (!(times->send_s > 0.0)) { return true; }
    if (!nnc_step_run(step, units, 0.0, m)) { return false; }
    NNC_LET(step->why, without_messages_s, "s", ends_s(m, slowest_stage(m, stages)));
    /* the replay with messages comes last, because later code reads the results of this replay in m->run */
    if (!rerun(step->plan, times->send_s, m)) { return false; }
    NNC_LET(step->why, with_messages_s, "s", ends_s(m, slowest_stage(m, stages)));
    NNC_SET(step->why, m->delay_s, "s", nnc_max(0.0, with_messages_s - without_messages_s));
    NNC_NOTE(step->why, "step of the slowest stage with the messages between stages, less the step without their time");
    return true;
}

bool nnc_step_core_parts(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                         const nnc_step_times *times, nnc_step_memory *m, nnc_result *r) {
    const nnc_plan *plan = step->plan;
    if (!find_delay(step, units, times, m)) { return false; }
    r->exposed_s[NNC_COMM_PIPELINE] = m->delay_s;
    r->stage = times->stage;
    const nnc_stage_residency *holding = &m->holdings[r->stage];
    add_units(step, units, holding, r);
    nnc_step_end_add(m->ends[r->stage], r);
    for (int k = 0; k < NNC_COMM_COUNT; k++) { r->exposed_comm_s += r->exposed_s[k]; }
    if (step->why != NULL) { nnc_say_step(step, units, holding, m->ends[r->stage]->wait_s, r); }
    NNC_SAY(step->why, busy_s, "s",
            r->forward_s + r->backward_s + r->recompute_s + r->update_s + r->exposed_comm_s + r->host_s);
    if (plan->pipeline > 1) {
        r->step_s = nnc_step_core_s(step, units, times, m);
        NNC_SET(step->why, r->bubble_s, "s", nnc_max(0.0, r->step_s - busy_s));
    } else {
        NNC_SET(step->why, r->bubble_s, "s", 0.0);
        NNC_NOTE(step->why, "one pipeline stage, so no stage waits");
        NNC_SET(step->why, r->step_s, "s", busy_s + r->bubble_s);
    }
    NNC_SET(step->why, r->bubble_ratio, NULL, r->bubble_s / busy_s);
    NNC_SET(step->why, r->bubble_share, NULL, r->bubble_s / r->step_s);
    return true;
}

/* ---- the largest bound, and the step time without this bound ---- */

void nnc_step_rank(nnc_result *r) {
    r->bound = NNC_BOUND_COMPUTE;
    for (int b = 0; b < NNC_BOUND_COUNT; b++) {
        if (r->bound_s[b] > r->bound_s[r->bound]) { r->bound = (nnc_bound)b; }
    }
    r->next_bound = r->bound == NNC_BOUND_COMPUTE ? NNC_BOUND_MEMORY : NNC_BOUND_COMPUTE;
    for (int b = 0; b < NNC_BOUND_COUNT; b++) {
        if (b != (int)r->bound && r->bound_s[b] > r->bound_s[r->next_bound]) { r->next_bound = (nnc_bound)b; }
    }
}

static void free_rows(const nnc_step *step, nnc_rows *rows) {
    for (int32_t i = 0; i < rows->count; i++) {
        nnc_op_cost *row = &rows->rows[i];
        if (nnc_op_is_collective(row->op)) {
            row->network_s = step->free[NNC_BOUND_NETWORK] ? 0.0 : row->network_s;
            row->time_s = row->network_s;
        } else {
            row->time_s = nnc_step_free_s(step, row->compute_s, row->memory_s, row->fixed_s);
        }
    }
}

static double without_bound_s(const nnc_step *step, nnc_bound bound, nnc_rows *fresh, nnc_step_memory *m) {
    nnc_step freed = *step;
    nnc_segment_time units[NNC_SEGMENTS_MAX];
    nnc_step_times times = { .stage = 0 };
    nnc_result r;
    freed.why = NULL;
    freed.free[bound] = true;
    if (bound == NNC_BOUND_HOST) { freed.launch = (nnc_launch){ .op_s = 0.0 }; }
    free_rows(&freed, fresh);
    nnc_step_segment_times(&freed, fresh, units);
    const nnc_overlap overlap = nnc_overlap_of(freed.plan, freed.software);
    nnc_step_ends_set(&freed, units, &overlap, m);
    if (step->plan->pipeline > 1) {
        return nnc_step_core_run(&freed, units, m, &times) ? nnc_step_core_s(&freed, units, &times, m) : (double)NAN;
    }
    memset(&r, 0, sizeof r);
    return nnc_step_core_parts(&freed, units, &times, m, &r) ? r.step_s : (double)NAN;
}

/* ---- the whole step: op table, times, bounds ---- */

/* Sets r->step_without_bound_s: the step time if the resource with the largest bound took no time. fresh: op table of
 * one micro-batch without overlap; the function overwrites it. */
static void free_bound(const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_rows *fresh, nnc_step_memory *m, nnc_result *r) {
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    NNC_PUT(step->why, r->step_s, "s");
    NNC_PUT(step->why, r->bubble_s, "s");
    if (r->bound == NNC_BOUND_BUBBLE) {
        NNC_SET(step->why, r->step_without_bound_s, "s", r->step_s - r->bubble_s);
        NNC_NOTE(step->why, "the step if no stage waits for another");
        return;
    }
    NNC_LET(step->why, step_again_s, "s", without_bound_s(step, r->bound, fresh, m));
    NNC_SET(step->why, r->step_without_bound_s, "s", nnc_min(step_again_s, r->step_s));
    NNC_NOTE(step->why, "the step if the time of its bound were zero: overlap, host time and pipeline are computed "
                        "again; at most step_s");
    /* replays the step again with the times of all resources, because later code reads the results from *m */
    if (step->plan->pipeline > 1) { (void)nnc_step_run(step, units, times->send_s, m); }
    nnc_step_ends_set(step, units, &overlap, m);
}

/* The op table names the host as the bound of all ops if the device waits for the host in at least the share held_share
 * of the step. The device must also wait for at least the share held_share of the step if the host's time per kernel is
 * shorter by the share host_margin. Times per kernel of programs on the same host differ by about the share host_margin
 * (33.6 to 37.8 us per kernel; the default is 37.5 us, hosts/h100-server.json). held_share has no source: measured
 * steps of an H100 were known when it was chosen. If the host is the bound, faster kernels make the step only a little
 * shorter. [issue] */
static const double held_share = 0.2, host_margin = 0.1;

static void mark_host(nnc_rows *rows, const nnc_result *r, double kernel_s) {
    double kernels = 0.0;
    if (r->host_s < held_share * r->step_s) { return; }
    for (int32_t i = 0; i < rows->count; i++) {
        kernels += nnc_op_issued(rows->rows[i].op).kernels * rows->rows[i].repeat;
    }
    const double sooner_s = host_margin * kernels * kernel_s;
    const bool held = r->host_s - sooner_s >= held_share * (r->step_s - sooner_s);
    for (int32_t i = 0; i < rows->count && held; i++) { rows->rows[i].bound = NNC_BOUND_HOST; }
}

bool nnc_step_time(const nnc_step *step, nnc_rows *rows, nnc_rows *spare, nnc_step_memory *m, nnc_result *r) {
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    nnc_segment_time units[NNC_SEGMENTS_MAX];
    nnc_step_times times;
    spare->count = rows->count;
    memcpy(spare->rows, rows->rows, sizeof *rows->rows * (size_t)rows->count);
    nnc_step_segment_times(step, rows, units);
    nnc_step_ends_set(step, units, &overlap, m);
    if (!nnc_step_core_run(step, units, m, &times) || !nnc_step_core_parts(step, units, &times, m, r)) { return false; }
    nnc_step_describe(step, units, m);
    const nnc_stage_residency *holding = &m->holdings[r->stage];
    nnc_step_restrict(step, holding, rows);
    if (step->plan->pipeline > 1) { append_sends(step, m, r->stage, m->delay_s, rows); }
    if (step->launch.kernel_s > 0.0) { mark_host(rows, r, step->launch.kernel_s); }
    nnc_step_end_append(step, units, m, r->stage, &overlap, rows);
    add_rows(rows, r);
    if (step->why != NULL) {
        nnc_say_rows(rows, r, step->why);
        nnc_say_bounds(rows, r, step->why);
        nnc_say_serial(step, rows, r);
        nnc_say_equal_stages(step, &m->stages[r->stage]);
    }
    nnc_step_rank(r);
    free_bound(step, units, &times, spare, m, r);
    return true;
}

/* ---- FLOPs of the step, and its timeline ---- */

bool nnc_step_recomputed(const nnc_step *step, const nnc_step_memory *m, double shares[NNC_SEGMENTS_MAX]) {
    bool everywhere = true;
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        int64_t again = 0, held = 0;
        for (int32_t d = 0; d < step->plan->pipeline; d++) {
            again += m->holdings[d].recomputed[s];
            held += m->holdings[d].instances[s];
        }
        const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
        shares[s] = full ? (held > 0 ? (double)again / (double)held : 0.0) : 1.0;
        everywhere = everywhere && (!full || again == held);
    }
    return everywhere;
}

static double counted_flops(const nnc_work *work, const nnc_convention *convention) {
    return convention->pairs == NNC_COUNTS_MASK     ? work->causal_flops
           : convention->pairs == NNC_COUNTS_WINDOW ? work->window_flops
                                                    : work->full_flops;
}

void nnc_step_pass_work(const nnc_step *step, const nnc_rows *rows, const double again[NNC_SEGMENTS_MAX],
                        nnc_pass_work *work) {
    const nnc_convention *convention = nnc_convention_of(step->plan->flops_convention);
    memset(work, 0, sizeof *work);
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        const nnc_part part = nnc_part_of(row);
        const double repeat = part == NNC_PART_RECOMPUTE ? row->repeat * again[row->op->segment] : row->repeat;
        const double flops = counted_flops(&row->work, convention) * repeat;
        work->counted[part] += flops;
        work->causal += part == NNC_PART_RECOMPUTE ? 0.0 : row->work.causal_flops * repeat;
        NNC_WHEN(step->why, work->groups.sums[part][row->op->group] += flops);
    }
}

NNC_SAYING void add_work(const nnc_step *step, const nnc_pass_work *work, nnc_result *r, nnc_derivation *why) {
    const nnc_plan *plan = step->plan;
    const double passes = (double)plan->micro_batches * plan->data;
    NNC_PUT(why, passes, NULL);
    NNC_LET(why, forward_pass_flops, "FLOP", work->counted[NNC_PART_FORWARD]);
    NNC_LET(why, backward_pass_flops, "FLOP", work->counted[NNC_PART_BACKWARD]);
    NNC_LET(why, recomputed_pass_flops, "FLOP", work->counted[NNC_PART_RECOMPUTE]);
    if (why != NULL) {
        const nnc_group_sums *groups = &work->groups;
        nnc_say_groups(groups, NNC_PART_FORWARD, "forward_pass_flops", forward_pass_flops, why);
        nnc_say_groups(groups, NNC_PART_BACKWARD, "backward_pass_flops", backward_pass_flops, why);
    }
    NNC_SET(why, r->forward_flops, "FLOP", forward_pass_flops * passes);
    NNC_NOTE(why, "passes: number of micro-batches of all data-parallel ranks");
    NNC_SET(why, r->backward_flops, "FLOP", backward_pass_flops * passes);
    NNC_SET(why, r->model_flops, "FLOP", (forward_pass_flops + backward_pass_flops) * passes);
    NNC_NOTE(why, nnc_convention_of(plan->flops_convention)->note);
    NNC_LET(why, masked_flops, "FLOP", work->causal);
    NNC_SET(why, r->causal_flops, "FLOP", masked_flops * passes);
    NNC_NOTE(why, "masked_flops: FLOPs of one pass, with attention only over the unmasked pairs");
    NNC_SET(why, r->recompute_flops, "FLOP", recomputed_pass_flops * passes);
}

void nnc_step_work(const nnc_step *step, const nnc_pass_work *work, nnc_result *r) {
    if (step->why != NULL) {
        add_work(step, work, r, step->why);
    } else {
        add_work(step, work, r, NULL);
    }
}

void nnc_step_count_work(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r) {
    double again[NNC_SEGMENTS_MAX];
    nnc_pass_work work;
    (void)nnc_step_recomputed(step, m, again);
    nnc_step_pass_work(step, rows, again, &work);
    nnc_step_work(step, &work, r);
}

NNC_SAYING void add_executed(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r,
                             nnc_derivation *why) {
    const nnc_plan *plan = step->plan;
    const double ranks = (double)plan->tensor * plan->context * plan->data;
    double again[NNC_SEGMENTS_MAX], matrix[NNC_PARTS] = { 0 }, vector[NNC_PARTS] = { 0 };
    (void)nnc_step_recomputed(step, m, again);
    r->kernels = step->launch.kernel_s > 0.0 ? 0.0 : (double)NAN;
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        double repeat = row->repeat * (double)plan->micro_batches * ranks;
        if (nnc_part_of(row) == NNC_PART_RECOMPUTE) { repeat *= again[row->op->segment]; }
        r->kernels += nnc_op_issued(row->op).kernels * repeat / ranks;
        r->executed_flops += row->work.flops * repeat;
        r->vector_flops += row->work.vector_flops * repeat;
        NNC_WHEN(why, matrix[nnc_part_of(row)] += row->work.flops * repeat);
        NNC_WHEN(why, vector[nnc_part_of(row)] += row->work.vector_flops * repeat);
    }
    for (int32_t d = 0; d < plan->pipeline; d++) {
        const nnc_step_end *tail = step->ends->of[d];
        for (int i = 0; i < tail->update_count; i++) {
            r->kernels += d == r->stage ? nnc_op_issued(&tail->updates[i]).kernels : 0.0;
            r->executed_flops += tail->works[i].flops * ranks;
            r->vector_flops += tail->works[i].vector_flops * ranks;
            NNC_WHEN(why, matrix[NNC_PART_UPDATE] += tail->works[i].flops * ranks);
            NNC_WHEN(why, vector[NNC_PART_UPDATE] += tail->works[i].vector_flops * ranks);
        }
    }
    if (why != NULL) {
        nnc_say_parts(matrix, "executed_flops", "FLOP", r->executed_flops, why);
        NNC_NOTE(why, "sum over all micro-batches and ranks");
        nnc_say_parts(vector, "vector_flops", "FLOP", r->vector_flops, why);
        NNC_NOTE(why, "sum over all micro-batches and ranks");
    }
}

void nnc_step_executed(const nnc_step *step, const nnc_rows *rows, const nnc_step_memory *m, nnc_result *r) {
    if (step->why != NULL) {
        add_executed(step, rows, m, r, step->why);
    } else {
        add_executed(step, rows, m, r, NULL);
    }
}

/* Tests whether the pipeline schedule has no barrier between two steps. Without a barrier, the step of a stage begins
 * with the first pass of this stage, and not with the first pass of the first stage. */
static bool rolls(const nnc_plan *plan) { return plan->pipeline > 1 && nnc_schedule_of(plan->schedule)->rolls; }

/* Returns the number of passes that a timeline shows as intervals, summed over all stages. */
static double timeline_passes(const nnc_step_memory *m, const nnc_plan *plan) {
    return (double)m->partition.virtual_stages * (double)plan->micro_batches * (nnc_schedule_splits(plan) ? 3.0 : 2.0);
}

/* State of writing a timeline. For each stage: started = its first interval has been reported; begin_s = seconds at
 * which its first interval began; end_s = seconds up to which its intervals have been reported. */
typedef struct timeline {
    nnc_interval_fn *interval;
    void *context;
    bool rolls;
    double step_s;
    bool started[NNC_STAGES_MAX];
    double begin_s[NNC_STAGES_MAX], end_s[NNC_STAGES_MAX];
} timeline;

/* Reports an interval in which a stage is idle, from the end of its last interval to until_s (seconds). An idle time as
 * short as a rounding error is not reported. */
static void idle_until(timeline *w, int32_t stage, double until_s) {
    const double start_s = w->end_s[stage];
    assert(w->interval != NULL);
    if (until_s - start_s > 1e-12 * w->step_s) {
        w->interval(w->context, &(nnc_interval){ .stage = stage,
                                                 .micro_batch = -1,
                                                 .activity = NNC_ACTIVITY_IDLE,
                                                 .start_s = start_s,
                                                 .end_s = until_s });
    }
    w->end_s[stage] = until_s;
}

static void add_interval(timeline *w, const nnc_interval *interval) {
    const int32_t stage = interval->stage;
    if (!w->started[stage]) {
        w->started[stage] = true;
        w->begin_s[stage] = w->end_s[stage] = w->rolls ? interval->start_s : 0.0;
    }
    idle_until(w, stage, interval->start_s);
    assert(w->interval != NULL);
    w->interval(w->context, interval);
    w->end_s[stage] = interval->end_s;
}

static void add_pass(void *context, const nnc_pipeline_event *event) {
    static const nnc_activity activities[] = { [NNC_RUN_FORWARD] = NNC_ACTIVITY_FORWARD,
                                               [NNC_RUN_BACKWARD] = NNC_ACTIVITY_BACKWARD,
                                               [NNC_RUN_WEIGHT] = NNC_ACTIVITY_WEIGHT };
    add_interval(context, &(nnc_interval){ .stage = event->device,
                                           .chunk = event->chunk,
                                           .micro_batch = event->micro_batch,
                                           .activity = activities[event->phase],
                                           .start_s = event->start_s,
                                           .end_s = event->end_s });
}

/* Adds the passes of a plan without a pipeline to a timeline: for each micro-batch its forward, then its backward. */
static void add_passes(const nnc_step_memory *m, const nnc_plan *plan, timeline *w) {
    const double backward_s = m->backward_s[0] + m->weight_s[0];
    double now_s = 0.0;
    for (int64_t i = 0; i < plan->micro_batches; i++) {
        nnc_pipeline_event event = { .micro_batch = i, .phase = NNC_RUN_FORWARD };
        event.start_s = now_s;
        event.end_s = now_s + m->forward_s[0];
        add_pass(w, &event);
        event.phase = NNC_RUN_BACKWARD;
        event.start_s = event.end_s;
        event.end_s += backward_s;
        add_pass(w, &event);
        now_s = event.end_s;
    }
}

static void end_stage(timeline *w, const nnc_stage *stages, int32_t stage) {
    nnc_interval next = { .stage = stage, .micro_batch = -1, .start_s = w->end_s[stage] };
    next.end_s = next.start_s + stages[stage].exchange_s;
    next.activity = NNC_ACTIVITY_EXCHANGE;
    if (next.end_s > next.start_s) { add_interval(w, &next); }
    next.start_s = next.end_s;
    next.end_s += stages[stage].update_s;
    next.activity = NNC_ACTIVITY_UPDATE;
    if (next.end_s > next.start_s) { add_interval(w, &next); }
    idle_until(w, stage, nnc_max(w->begin_s[stage] + w->step_s, w->end_s[stage]));
}

/* Replays the passes of the last estimate, and calls `interval` for each interval as nnc_timeline() describes. Returns
 * false if the pipeline is too large to replay. */
static bool timeline_replay(nnc_step_memory *m, const nnc_plan *plan, double step_s, nnc_interval_fn *interval,
                            void *context) {
    timeline w = { .interval = interval, .context = context, .rolls = rolls(plan), .step_s = step_s };
    if (plan->pipeline == 1) {
        add_passes(m, plan, &w);
    } else {
        nnc_pipeline_result result;
        const nnc_pipeline pipeline = nnc_step_pipeline(plan, m);
        if (!nnc_pipeline_replay(&pipeline, &m->pipeline, &result, add_pass, &w)) { return false; }
    }
    for (int32_t d = 0; d < plan->pipeline; d++) { end_stage(&w, m->stages, d); }
    return true;
}

/* ---- public function: the timeline of the last estimate ---- */

nnc_status nnc_timeline(nnc_scratch *scratch, const nnc_result *result, nnc_interval_fn *interval, void *context,
                        nnc_error *err) {
    nnc_result whole = { 0 };
    NNC_TRY(nnc_need("nnc_timeline", "scratch", scratch != NULL, err));
    NNC_TRY(nnc_need("nnc_timeline", "result", result != NULL, err));
    NNC_TRY(nnc_need("nnc_timeline", "interval", interval != NULL, err));
    NNC_TRY(nnc_sized_read(&whole, sizeof whole, result, "nnc_result", err));
    const double passes = timeline_passes(&scratch->step, &whole.plan);
    if (passes > NNC_INTERVALS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--timeline",
                        "the step is too long to be shown, expected at most %d passes of all stages, found %.0f; use "
                        "fewer --micro-batches or stages",
                        NNC_INTERVALS_MAX, passes);
    }
    if (scratch->shown == NULL || !timeline_replay(&scratch->step, &whole.plan, whole.step_s, interval, context)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--timeline", "the schedule cannot be replayed");
    }
    return NNC_OK;
}

NNC_ENUM_NAMES(nnc_activity, NNC_ACTIVITY_LIST)

/* ---- a single op on a device (command nncost op): its FLOPs and bytes, roofline time and predicted time ---- */

typedef struct kind {
    const char *name, *dims; /* dims: names of the dimensions of this kind of op, for messages; NULL for a collective */
    int least, most;
    void (*fill)(const nnc_single_op *alone, nnc_op *op);
    nnc_collective collective;
} kind;

/* Fills a matrix product from the dimensions M x N x K, or BATCH x M x N x K. */
static void fill_matmul(const nnc_single_op *a, nnc_op *op) {
    const int64_t *d = a->dims + a->dim_count - 3;
    op->kind = NNC_OP_MATMUL;
    nnc_matmul_set(&op->u.matmul, a->dim_count > 3 ? a->dims[0] : 1, d[0], d[1], d[2]);
    /* true if the user gives no batch, because the second matrix of a product without batch counts as a weight */
    op->u.matmul.b_is_weight = a->dim_count == 3;
}

/* Fills an attention from the dimensions batch x heads x tokens x head width, and optionally the number of key and
 * value heads. The mask is causal unless a->unmasked is true. */
static void fill_attention(const nnc_single_op *a, nnc_op *op) {
    const int64_t *d = a->dims;
    const double all = (double)d[2] * (double)d[2];
    const bool causal = !a->unmasked;
    op->kind = NNC_OP_FLASH;
    op->u.flash = (nnc_flash){ .batch = d[0],
                               .heads = d[1],
                               .kv_heads = a->dim_count > 4 ? d[4] : d[1],
                               .s_q = d[2],
                               .s_k = d[2],
                               .head_dim = d[3],
                               .value_dim = d[3],
                               .pairs = (double)nnc_attention_pairs(d[2], d[2], causal, 0),
                               .full_pairs = all,
                               .window_pairs = all,
                               .causal = causal,
                               .kept_s_k = d[2],
                               .kept_kv_heads = d[1],
                               .kernel = NNC_FLASH2 };
}

/* Fills a convolution from the dimensions batch x input channels x height x width x output channels x kernel, and
 * optionally stride and groups. The padding is kernel / 2. */
static void fill_conv(const nnc_single_op *a, nnc_op *op) {
    const int64_t *d = a->dims;
    const int64_t stride = a->dim_count > 6 ? d[6] : 1;
    op->kind = NNC_OP_CONV;
    op->u.conv = (nnc_conv){ .batch = d[0],
                             .c_in = d[1],
                             .c_out = d[4],
                             .h_in = d[2],
                             .w_in = d[3],
                             .h_out = (d[2] - 1) / stride + 1,
                             .w_out = (d[3] - 1) / stride + 1,
                             .kernel = d[5],
                             .stride = stride,
                             .groups = a->dim_count > 7 ? d[7] : 1,
                             .needs_grad_input = true,
                             .contiguous = a->layout != NULL && a->layout[0] == 'c' && a->layout[1] == 'o' };
}

/* Operators of PyTorch. Each array has one entry for forward and one for backward. kernels: number of kernels. values:
 * elements that the kernels read and write, for each element of the tensor. cast: bytes per element that a cast between
 * fp32 and 16 bits moves; 0 = the operator has no cast. The kernels of the operator `loss` are log_softmax in forward,
 * and the gradients of the loss and of log_softmax in backward. Fused AdamW reads four values of each parameter and
 * writes three. */
static const struct {
    const char *name;
    nnc_op_kind kind;
    nnc_pointwise_kind pointwise;
    double kernels[2], values[2], cast[2];
} operators[] = {
    { "copy", NNC_OP_POINTWISE, NNC_PW_COPY, { 1, 1 }, { 2, 2 }, { 0 } },
    { "add", NNC_OP_POINTWISE, NNC_PW_RESIDUAL, { 1, 1 }, { 3, 3 }, { 0 } },
    { "cast", NNC_OP_POINTWISE, NNC_PW_COPY, { 1, 1 }, { 0 }, { 6, 6 } },
    { "gelu", NNC_OP_POINTWISE, NNC_PW_GELU, { 1, 1 }, { 2, 3 }, { 0 } },
    { "softmax", NNC_OP_POINTWISE, NNC_PW_SOFTMAX, { 1, 1 }, { 2, 3 }, { 0 } },
    { "norm", NNC_OP_NORM, NNC_PW_KIND_COUNT, { 1, 2 }, { 2, 5 }, { 0 } },
    { "loss", NNC_OP_LOSS, NNC_PW_KIND_COUNT, { 2, 3 }, { 2, 4 }, { 0 } },
    { "loss-fp32", NNC_OP_LOSS, NNC_PW_KIND_COUNT, { 3, 4 }, { 2, 4 }, { 6, 6 } },
    { "optimizer", NNC_OP_UPDATE, NNC_PW_KIND_COUNT, { 1, 1 }, { 7, 7 }, { 0 } },
    { "embedding", NNC_OP_POINTWISE, NNC_PW_COPY, { 1, 1 }, { 2, 3 }, { 0 } },
};

bool nnc_streaming_op(const char *name, int64_t rows, int64_t columns, nnc_dtype dtype, nnc_op *op) {
    size_t i = 0;
    while (i < sizeof operators / sizeof operators[0] && strcmp(operators[i].name, name) != 0) { i++; }
    if (i == sizeof operators / sizeof operators[0]) { return false; }
    const int64_t values = rows * columns;
    const double cast = operators[i].cast[0];
    const double width = operators[i].kind == NNC_OP_LOSS && cast > 0.0 ? 4.0 : nnc_dtype_bytes(dtype);
    op->kind = operators[i].kind;
    switch (op->kind) {
    case NNC_OP_NORM: op->u.norm = (nnc_norm){ .kind = NNC_NORM_LAYER, .elements = values, .rows = rows }; break;
    case NNC_OP_LOSS: op->u.loss = (nnc_loss){ .tokens = rows, .classes = columns }; break;
    case NNC_OP_UPDATE:
        op->u.update = (nnc_update){ .optimizer = NNC_OPTIMIZER_ADAMW,
                                     .policy = width < 4.0 ? NNC_POLICY_BF16_PURE : NNC_POLICY_FP32,
                                     .fused = true,
                                     .params = values };
        break;
    default: op->u.pointwise = (nnc_pointwise){ .kind = operators[i].pointwise, .elements = values }; break;
    }
    op->issued_as = NNC_ISSUED_INSTEAD;
    for (int way = 0; way < 2; way++) {
        op->issued[way] = (nnc_issued){ operators[i].kernels[way], width * operators[i].values[way] * (double)values,
                                        operators[i].cast[way] * (double)values };
    }
    return true;
}

/* Fills the op of a PyTorch operator whose dimensions are ROWS x COLUMNS, or one number: the number of values. */
static void fill_operator(const nnc_single_op *a, nnc_op *op) {
    (void)nnc_streaming_op(a->kind, a->dims[0], a->dim_count > 1 ? a->dims[1] : 1, a->precision, op);
}

#define COLLECTIVE(text, which) \
    { .name = (text), .collective = (which) }
#define OPERATOR(text, numbers)                                                                           \
    {                                                                                                     \
        .name = (text), .dims = (numbers) > 1 ? "ROWSxCOLUMNS" : "VALUES", .least = (numbers), .most = 2, \
        .fill = fill_operator                                                                             \
    }
static const kind kinds[] = {
    { .name = "matmul", .dims = "[BATCHx]MxNxK", .least = 3, .most = 4, .fill = fill_matmul },
    { .name = "attention",
      .dims = "BATCHxHEADSxTOKENSxWIDTH[xKV_HEADS]",
      .least = 4,
      .most = 5,
      .fill = fill_attention },
    { .name = "conv",
      .dims = "BATCHxINxHEIGHTxWIDTHxOUTxKERNEL[xSTRIDE[xGROUPS]]",
      .least = 6,
      .most = 8,
      .fill = fill_conv },
    COLLECTIVE("all-reduce", NNC_ALL_REDUCE),
    COLLECTIVE("all-gather", NNC_ALL_GATHER),
    COLLECTIVE("reduce-scatter", NNC_REDUCE_SCATTER),
    COLLECTIVE("all-to-all", NNC_ALL_TO_ALL),
    COLLECTIVE("broadcast", NNC_BROADCAST),
    COLLECTIVE("p2p", NNC_P2P),
    OPERATOR("copy", 1),
    OPERATOR("add", 1),
    OPERATOR("cast", 1),
    OPERATOR("gelu", 1),
    OPERATOR("softmax", 2),
    OPERATOR("norm", 2),
    OPERATOR("loss", 2),
    OPERATOR("loss-fp32", 2),
    OPERATOR("optimizer", 1),
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Tests whether the product of the dimensions is too large for exact arithmetic. */
static bool too_large(const nnc_single_op *a) {
    double product = 1.0;
    for (int32_t i = 0; i < a->dim_count; i++) { product *= (double)a->dims[i]; }
    return product > 1e18;
}

/* Sets the kernel of an attention from its name: a name of torch.nn.attention.SDPBackend, or a name in device files
 * (flash1 to flash3). The kernel "efficient" has the values of the first generation of FlashAttention. Returns
 * NNC_BAD_USAGE for an unknown name, or for cudnn on a device without measured values of cudnn. */
static nnc_status choose_kernel(const nnc_device *device, const nnc_single_op *a, nnc_op *op, nnc_error *err) {
    static const char *const others[] = { "flash", "efficient", "math" };
    static const nnc_flash_kernel stands_for[] = { NNC_FLASH2, NNC_FLASH1, NNC_FLASH2 };
    const nnc_names names = { nnc_flash_kernel_name, NNC_FLASH_KERNEL_COUNT };
    int found = nnc_names_find(names, a->kernel);
    for (int i = 0; i < 3 && found < 0; i++) { found = strcmp(others[i], a->kernel) == 0 ? (int)stands_for[i] : -1; }
    if (found < 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--kernel",
                        "unknown, expected flash, cudnn, efficient, math, or flash1 to flash3, found \"%.40s\"",
                        a->kernel);
    }
    op->u.flash.kernel = (nnc_flash_kernel)found;
    if (found == NNC_CUDNN && !(device->efficiency.attention[NNC_CUDNN].sustained_fraction < 1.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--kernel",
                        "cudnn: not measured on %s, expected flash3, efficient, flash or math", device->id);
    }
    if (strcmp(a->kernel, "math") == 0) { nnc_write_out(op); }
    return NNC_OK;
}

static nnc_status time_op(const kind *k, const nnc_device *device, nnc_single_op *a, nnc_error *err) {
    if (a->devices > 1 || a->devices_per_node > 0) {
        return nnc_fail(err, NNC_BAD_USAGE, a->devices > 1 ? "--devices" : "--devices-per-node",
                        "has no effect here, expected together with a collective, such as all-reduce");
    }
    nnc_op op = { .name = k->name,
                  .phase = NNC_PHASE_FORWARD,
                  .dtype = a->precision,
                  .math_dtype = a->precision,
                  .repeat = 1,
                  .block = -1 };
    if (a->dim_count < k->least || a->dim_count > k->most || too_large(a)) {
        return nnc_fail(err, NNC_BAD_USAGE, k->name, "wrong size, expected %s, found %d numbers%s", k->dims,
                        (int)a->dim_count, too_large(a) ? ", whose product is too large" : "");
    }
    op.issued_as = NNC_ISSUED_TOO; /* gives the op the times that were measured with PyTorch, if the device file has
                                    * such times */
    op.issued[0].kernels = 1.0;
    k->fill(a, &op);
    if (op.kind == NNC_OP_FLASH && op.u.flash.heads % op.u.flash.kv_heads != 0) {
        return nnc_fail(err, NNC_BAD_USAGE, k->name, "the number of heads is no multiple of the number of key heads");
    }
    if (a->kernel != NULL && op.kind == NNC_OP_FLASH) { NNC_TRY(choose_kernel(device, a, &op, err)); }
    if (op.kind == NNC_OP_CONV && (op.u.conv.c_in % op.u.conv.groups != 0 || op.u.conv.c_out % op.u.conv.groups != 0)) {
        return nnc_fail(err, NNC_BAD_USAGE, k->name, "the number of channels is no multiple of the number of groups");
    }
    const nnc_work work = nnc_op_work(&op);
    const nnc_timing t = nnc_op_time(device, &op, &work);
    const double peak = nnc_device_matmul_peak(device, a->precision);
    nnc_op_shape(&op, a->shape, sizeof a->shape);
    a->flops = work.flops;
    a->moved_bytes = work.read_bytes + work.write_bytes;
    a->flops_per_byte = a->flops / a->moved_bytes;
    a->ridge_flops_per_byte = peak / device->mem_bytes_per_s;
    a->bound_s = nnc_max(a->flops / peak, a->moved_bytes / device->mem_bytes_per_s);
    if (op.kind == NNC_OP_CONV) { /* Winograd kernels need fewer multiplications than the definition of the
                                   * convolution */
        a->bound_s = nnc_min(a->bound_s, nnc_max(t.compute_s, a->moved_bytes / device->mem_bytes_per_s));
    }
    a->compute_s = t.compute_s;
    a->memory_s = t.memory_s;
    a->fixed_s = t.fixed_s;
    a->time_s = t.time_s;
    a->bound = t.bound;
    a->flops_per_s = a->flops / t.time_s;
    a->bytes_per_s = a->moved_bytes / t.time_s;
    a->peak_share = a->bound_s / t.time_s;
    return NNC_OK;
}

static nnc_status time_collective(const kind *k, const nnc_device *device, nnc_single_op *a, nnc_error *err) {
    nnc_route route;
    if (a->devices < 2) {
        return nnc_fail(err, NNC_BAD_USAGE, "--devices",
                        "missing, expected the number of devices that take part, at least 2");
    }
    if (!(a->bytes > 0.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, k->name, "wrong size, expected the bytes of the whole tensor, such as 1GB");
    }
    NNC_TRY(nnc_route_find(device, a->devices, a->devices_per_node, a->devices, 1, &route, err));
    a->moved_bytes = nnc_collective_sent_bytes(k->collective, route.size, a->bytes);
    a->bound_s = nnc_collective_s(&route, k->collective, a->bytes);
    a->time_s = a->network_s = nnc_collective_predicted_s(&route, k->collective, a->bytes);
    a->bytes_per_s = a->moved_bytes / a->time_s;
    a->peak_share = a->bound_s / a->time_s;
    a->bound = NNC_BOUND_NETWORK;
    a->link = route.link;
    snprintf(a->shape, sizeof a->shape, "devices=%d", (int)a->devices);
    return NNC_OK;
}

nnc_status nnc_single_op_time(const nnc_device *device, nnc_single_op *a, nnc_error *err) {
    const kind *k = kinds;
    while (k < kinds + KINDS && strcmp(k->name, a->kind) != 0) { k++; }
    if (k == kinds + KINDS) {
        return nnc_fail(err, NNC_BAD_USAGE, "KIND",
                        "unknown op, expected matmul, attention, conv, all-reduce, all-gather, "
                        "reduce-scatter, all-to-all, broadcast, p2p, copy, add, cast, gelu, "
                        "softmax, norm, loss, loss-fp32 or optimizer, found \"%.40s\"",
                        a->kind);
    }
    a->flops = a->flops_per_byte = a->ridge_flops_per_byte = a->compute_s = a->memory_s = a->fixed_s = a->network_s =
        a->flops_per_s = (double)NAN;
    a->link = NULL;
    return k->fill != NULL ? time_op(k, device, a, err) : time_collective(k, device, a, err);
}
