#include "estimate/step.h"

#include <string.h>

#include "base/number.h"
#include "estimate/say.h"
#include "estimate/update.h"

/* ---- the busiest stage ---- */

int32_t nnc_step_busiest(const nnc_step_memory *m, int32_t stages)
{
    int32_t stage = 0;
    for (int32_t d = 1; d < stages; d++) {
        stage = m->run.busy_s[d] > m->run.busy_s[stage] ? d : stage;
    }
    return stage;
}

int64_t nnc_step_passes(const nnc_plan *plan)
{
    return plan->micro_batches / (nnc_schedule_dual(plan) ? 2 : 1);
}

void nnc_step_restrict(const nnc_step *step, const nnc_holding *holding, nnc_rows *rows)
{
    const nnc_plan *plan = step->plan;
    const double passes = (double)nnc_step_passes(plan);
    for (int32_t i = 0; i < rows->count; i++) {
        nnc_op_cost *row = &rows->rows[i];
        const int32_t s = row->op->segment;
        const double all = (double)step->list->segments[s].instances;
        const bool again =
            row->op->phase == NNC_PHASE_RECOMPUTE && (plan->recompute & NNC_RECOMPUTE_FULL) != 0;
        const int64_t held = again ? holding->recomputed[s] : holding->instances[s];
        row->repeat = row->repeat * ((double)held / all) * passes;
    }
}

/* Activations from stage to stage; what they delay shows in the pipeline, not here. */
static void append_sends(const nnc_step *step, const nnc_step_memory *m, int32_t device,
                         double exposed_s, nnc_rows *rows)
{
    const nnc_plan *plan = step->plan;
    const nnc_op op = {
        .name = "pipeline.send",
        .kind = NNC_OP_COLLECTIVE,
        .phase = NNC_PHASE_COMM,
        .group = NNC_GROUP_NETWORK,
        .dtype = NNC_FP32,
        .math_dtype = NNC_FP32,
        .repeat = 1,
        .block = -1,
        .u.exchange = { .comm = NNC_COMM_PIPELINE, .forward = NNC_P2P, .bytes = step->send_bytes }
    };
    double sends = 0.0; /* forward to the next virtual stage, backward to the one before */
    for (int32_t v = 0; v < m->deal.virtual_stages; v++) {
        if (nnc_deal_device(plan, v) == device) {
            sends += (v < m->deal.virtual_stages - 1 ? 1.0 : 0.0) + (v > 0 ? 1.0 : 0.0);
        }
    }
    if (sends > 0.0) {
        nnc_rows_add(rows, &op, step->device, step->network, sends * (double)plan->micro_batches);
        nnc_op_cost *row = &rows->rows[rows->count - 1];
        nnc_say_of_row(step->why, rows->count - 1);
        NNC_LET(step->why, delay_s, "s", exposed_s);
        NNC_PUT(step->why, row->repeat, NULL);
        NNC_SET(step->why, row->time_s, "s", delay_s / row->repeat);
        NNC_NOTE(step->why,
                 "what the step takes longer than with messages between stages for free");
        nnc_say_of_step(step->why);
    }
}

/* ---- sums ---- */

/* Parts of one device's step, from the units it holds. */
static void add_units(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                      const nnc_holding *holding, nnc_result *r)
{
    const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    const double passes = (double)nnc_step_passes(step->plan);
    for (int32_t s = 0; s < step->list->segment_count; s++) {
        const double n = (double)holding->instances[s] * passes;
        const double again = full ? (double)holding->recomputed[s] * passes : n;
        r->forward_s += n * units[s].compute_s[NNC_PART_FORWARD];
        r->backward_s += n * units[s].compute_s[NNC_PART_BACKWARD];
        r->recompute_s += again * units[s].compute_s[NNC_PART_RECOMPUTE];
        r->host_s += n * (units[s].host_s[NNC_PART_FORWARD] + units[s].host_s[NNC_PART_BACKWARD]) +
                     again * units[s].host_s[NNC_PART_RECOMPUTE];
        for (int k = 0; k < NNC_COMM_COUNT && step->network != NULL; k++) {
            r->exposed_s[k] += n * (units[s].exposed_s[NNC_PART_FORWARD][k] +
                                    units[s].exposed_s[NNC_PART_BACKWARD][k]) +
                               again * units[s].exposed_s[NNC_PART_RECOMPUTE][k];
        }
    }
}

/* What the rows add to the times: traffic, communication hidden or not, what bounds them. */
static void add_rows(const nnc_rows *rows, nnc_result *r)
{
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        r->bound_s[row->bound] += row->time_s * row->repeat;
        r->read_bytes += row->work.read_bytes * row->repeat;
        r->write_bytes += row->work.write_bytes * row->repeat;
        if (nnc_op_is_collective(row->op)) {
            r->communication_s[row->op->u.exchange.comm] += row->network_s * row->repeat;
        }
    }
    r->bound_s[NNC_BOUND_HOST] += r->host_s;
    r->bound_s[NNC_BOUND_BUBBLE] += r->bubble_s;
}

void nnc_step_describe(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                       nnc_step_memory *m)
{
    const nnc_plan *plan = step->plan;
    const int32_t last = step->list->segment_count - 1;
    for (int32_t d = 0; d < plan->pipeline; d++) {
        const nnc_holding *h = &m->holdings[d];
        nnc_stage *stage = &m->stages[d];
        const bool apart = nnc_schedule_splits(plan);
        *stage = (nnc_stage){ .memory = stage->memory, /* these three are filled before */
                              .exchange_s = stage->exchange_s,
                              .update_s = stage->update_s,
                              .params = (int64_t)nnc_holding_params(step->sums, h),
                              .embedding = h->instances[0] > 0,
                              .head = h->instances[last] > 0,
                              .in_flight = h->in_flight,
                              .busy_s = m->run.busy_s[d],
                              .bubble_s = m->run.total_s - m->run.busy_s[d] };
        for (int32_t s = 0; s <= last; s++) {
            const double n = (double)h->instances[s];
            const double weight = n * units[s].weight_s;
            stage->layers += step->list->segments[s].layer ? h->instances[s] : 0;
            stage->forward_s += n * units[s].forward_s;
            stage->weight_s += apart ? weight : 0.0;
            stage->backward_s += n * units[s].backward_s - (apart ? weight : 0.0) +
                                 (double)h->recomputed[s] * units[s].recompute_s;
        }
    }
}

void nnc_step_set_send(nnc_step *step, double send_bytes)
{
    const nnc_exchange send = { .comm = NNC_COMM_PIPELINE,
                                .forward = NNC_P2P,
                                .bytes = send_bytes };
    const char *link = NULL;
    step->send_bytes = send_bytes;
    step->send_s =
        step->plan->pipeline > 1 ? nnc_network_exchange_s(step->network, &send, &link) : 0.0;
}

double nnc_step_send_s(const nnc_step *step)
{
    return step->free[NNC_BOUND_NETWORK] ? 0.0 : step->send_s;
}

static double exposed_send_s(const nnc_step *step)
{
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    return nnc_step_send_s(step) * (1.0 - overlap.share[NNC_COMM_PIPELINE]);
}

void nnc_step_core_times(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                         nnc_step_memory *m)
{
    nnc_step_virtual_times(step, units, m);
    m->send_s = exposed_send_s(step);
}

bool nnc_step_core_run(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                       nnc_step_memory *m, nnc_step_times *times)
{
    *times = (nnc_step_times){ .send_s = exposed_send_s(step) };
    if (!nnc_step_run(step, units, times->send_s, m)) {
        return false;
    }
    times->total_s = m->run.total_s;
    times->run = m->runs;
    times->stage = nnc_step_busiest(m, step->plan->pipeline);
    return true;
}

/* A stage's passes and what it does after them. */
static double ends_s(const nnc_step_memory *m, int32_t stage)
{
    return m->run.span_s[stage] + (m->stages[stage].exchange_s + m->stages[stage].update_s);
}

static int32_t slowest_stage(const nnc_step_memory *m, int32_t stages)
{
    int32_t slowest = 0;
    for (int32_t d = 1; d < stages; d++) {
        slowest = ends_s(m, d) > ends_s(m, slowest) ? d : slowest;
    }
    return slowest;
}

double nnc_step_core_s(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_step_memory *m)
{
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    nnc_tail_stages(step, units, &overlap, m);
    if (times->run != m->runs && nnc_schedule_splits(step->plan)) { /* another plan ran since */
        (void)nnc_step_run(step, units, times->send_s, m);
    }
    for (int32_t d = 0; d < step->plan->pipeline && !nnc_schedule_splits(step->plan); d++) {
        m->run.span_s[d] = times->total_s; /* whole backwards end together */
    }
    const int32_t slowest = slowest_stage(m, step->plan->pipeline);
    NNC_LET(step->why, passes_s, "s", m->run.span_s[slowest]);
    NNC_LET(step->why, once_per_step_s, "s",
            m->stages[slowest].exchange_s + m->stages[slowest].update_s);
    NNC_SAY(step->why, step_s, "s", passes_s + once_per_step_s);
    NNC_NOTE(step->why, "of the slowest stage: its passes, by replaying the schedule with every "
                        "stage's own times; then "
                        "what it does once per step: collectives and update");
    return step_s;
}

/* What messages between stages delay: the same passes run again without them. */
static bool find_delay(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_step_memory *m)
{
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    const int32_t stages = step->plan->pipeline;
    m->delay_s = 0.0;
    if (!(times->send_s > 0.0)) {
        return true;
    }
    nnc_tail_stages(step, units, &overlap, m);
    if (!nnc_step_run(step, units, 0.0, m)) {
        return false;
    }
    NNC_LET(step->why, without_messages_s, "s", ends_s(m, slowest_stage(m, stages)));
    if (!nnc_step_rerun(step->plan, times->send_s, m)) { /* and for those who ask m->run */
        return false;
    }
    NNC_LET(step->why, with_messages_s, "s", ends_s(m, slowest_stage(m, stages)));
    NNC_SET(step->why, m->delay_s, "s", nnc_max(0.0, with_messages_s - without_messages_s));
    NNC_NOTE(step->why,
             "the step of the slowest stage with messages between stages, and with them for free");
    return true;
}

bool nnc_step_core_parts(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                         const nnc_step_times *times, nnc_step_memory *m, nnc_result *r)
{
    const nnc_plan *plan = step->plan;
    const nnc_overlap overlap = nnc_overlap_of(plan, step->software);
    if (!find_delay(step, units, times, m)) {
        return false;
    }
    r->exposed_s[NNC_COMM_PIPELINE] = m->delay_s;
    r->stage = times->stage;
    const nnc_holding *holding = &m->holdings[r->stage];
    add_units(step, units, holding, r);
    nnc_tail_times(step, units, holding, &overlap, r);
    for (int k = 0; k < NNC_COMM_COUNT; k++) {
        r->exposed_comm_s += r->exposed_s[k];
    }
    if (step->why != NULL) {
        nnc_say_step(step, units, holding, r);
    }
    NNC_SAY(step->why, busy_s, "s",
            r->forward_s + r->backward_s + r->recompute_s + r->update_s + r->exposed_comm_s +
                r->host_s);
    if (plan->pipeline > 1) {
        r->step_s = nnc_step_core_s(step, units, times, m);
        NNC_SET(step->why, r->bubble_s, "s", nnc_max(0.0, r->step_s - busy_s));
    } else {
        NNC_SET(step->why, r->bubble_s, "s", 0.0);
        NNC_NOTE(step->why, "there is no pipeline");
        NNC_SET(step->why, r->step_s, "s", busy_s + r->bubble_s);
    }
    NNC_SET(step->why, r->bubble_ratio, NULL, r->bubble_s / busy_s);
    NNC_SET(step->why, r->bubble_share, NULL, r->bubble_s / r->step_s);
    return true;
}

/* What the step would take without what binds it. */
static void free_bound(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                       const nnc_step_times *times, nnc_rows *fresh, nnc_step_memory *m,
                       nnc_result *r)
{
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    NNC_PUT(step->why, r->step_s, "s");
    NNC_PUT(step->why, r->bubble_s, "s");
    if (r->bound == NNC_BOUND_BUBBLE) {
        NNC_SET(step->why, r->step_without_bound_s, "s", r->step_s - r->bubble_s);
        NNC_NOTE(step->why, "with stages that never wait for each other");
        return;
    }
    NNC_LET(step->why, step_again_s, "s", nnc_step_without_s(step, r->bound, fresh, m));
    NNC_SET(step->why, r->step_without_bound_s, "s", nnc_min(step_again_s, r->step_s));
    NNC_NOTE(step->why,
             "the same step again where what binds it takes no time: what hides, what the "
             "host issues and the pipeline are worked out anew; at most the step, whose order of "
             "passes would do as well");
    if (step->plan->pipeline > 1) { /* for those who ask m of the step */
        (void)nnc_step_run(step, units, times->send_s, m);
        nnc_tail_stages(step, units, &overlap, m);
    }
}

bool nnc_step_time(const nnc_step *asked, nnc_rows *rows, nnc_rows *spare, nnc_step_memory *m,
                   nnc_result *r)
{
    nnc_tails tails;
    const nnc_step timed = nnc_step_keeping(asked, &tails), *step = &timed;
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    nnc_unit units[NNC_SEGMENTS_MAX];
    nnc_step_times times;
    spare->count = rows->count;
    memcpy(spare->rows, rows->rows, sizeof *rows->rows * (size_t)rows->count);
    nnc_step_units(step, rows, units);
    if (!nnc_step_core_run(step, units, m, &times) ||
        !nnc_step_core_parts(step, units, &times, m, r)) {
        return false;
    }
    if (step->plan->pipeline == 1) { /* else the step has them */
        nnc_tail_stages(step, units, &overlap, m);
    }
    nnc_step_describe(step, units, m);
    const nnc_holding *holding = &m->holdings[r->stage];
    nnc_step_restrict(step, holding, rows);
    if (step->plan->pipeline > 1) {
        append_sends(step, m, r->stage, m->delay_s, rows);
    }
    nnc_tail_append(step, units, holding, &overlap, rows);
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

void nnc_step_units(const nnc_step *step, nnc_rows *rows, nnc_unit units[NNC_SEGMENTS_MAX])
{
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    if (step->network != NULL) {
        nnc_rows_hide(rows, step->list, step->network, &overlap, step->why);
    }
    nnc_units_sum(rows, step->list, step->network, &step->launch, units, step->why);
}
