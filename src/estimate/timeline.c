#include "estimate/timeline.h"

#include <string.h>

#include "base/number.h"
#include "estimate/update.h"

void nnc_ideal_stages(const nnc_step *step, const nnc_ideal *ideal, const nnc_rows *rows,
                      nnc_step_memory *m)
{
    nnc_bound_units units;
    nnc_bound_units_sum(step, rows, &units);
    nnc_step_run(step, units.engine[ideal->engine], 0.0, m);
    nnc_step_describe(step, units.engine[ideal->engine], m);
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        m->stages[d].exchange_s = ideal->exposed_comm_s;
        m->stages[d].update_s = ideal->update_s;
    }
}

/* Steps follow each other without a barrier: each stage's step begins with its own first pass. */
static bool rolls(const nnc_plan *plan)
{
    return plan->pipeline > 1 && nnc_schedule_of(plan->schedule)->rolls;
}

double nnc_timeline_passes(const nnc_step_memory *m, const nnc_plan *plan)
{
    return (double)m->deal.virtual_stages * (double)plan->micro_batches *
           (nnc_schedule_splits(plan) ? 3.0 : 2.0);
}

/* A timeline under way: where each stage has got to. */
typedef struct writer {
    nnc_interval_fn *interval;
    void *context;
    bool rolls;
    double step_s;
    bool started[NNC_STAGES_MAX];
    double begin_s[NNC_STAGES_MAX], end_s[NNC_STAGES_MAX];
} writer;

/* Gaps of a rounding error are none. */
static void idle_until(writer *w, int32_t stage, double until_s)
{
    const double start_s = w->end_s[stage];
    if (until_s - start_s > 1e-12 * w->step_s) {
        w->interval(w->context, &(nnc_interval){ .stage = stage,
                                                 .micro_batch = -1,
                                                 .activity = NNC_ACTIVITY_IDLE,
                                                 .start_s = start_s,
                                                 .end_s = until_s });
    }
    w->end_s[stage] = until_s;
}

static void work(writer *w, const nnc_interval *interval)
{
    const int32_t stage = interval->stage;
    if (!w->started[stage]) {
        w->started[stage] = true;
        w->begin_s[stage] = w->end_s[stage] = w->rolls ? interval->start_s : 0.0;
    }
    idle_until(w, stage, interval->start_s);
    w->interval(w->context, interval);
    w->end_s[stage] = interval->end_s;
}

static void pass(void *context, const nnc_pipeline_event *event)
{
    static const nnc_activity activities[] = { [NNC_RUN_FORWARD] = NNC_ACTIVITY_FORWARD,
                                               [NNC_RUN_BACKWARD] = NNC_ACTIVITY_BACKWARD,
                                               [NNC_RUN_WEIGHT] = NNC_ACTIVITY_WEIGHT };
    work(context, &(nnc_interval){ .stage = event->device,
                                   .chunk = event->chunk,
                                   .micro_batch = event->micro_batch,
                                   .activity = activities[event->phase],
                                   .start_s = event->start_s,
                                   .end_s = event->end_s });
}

/* One stage: forward and backward of each micro-batch in turn. */
static void passes(const nnc_step_memory *m, const nnc_plan *plan, writer *w)
{
    const double backward_s = m->backward_s[0] + m->weight_s[0];
    double now_s = 0.0;
    for (int64_t i = 0; i < plan->micro_batches; i++) {
        nnc_pipeline_event event = { .micro_batch = i, .phase = NNC_RUN_FORWARD };
        event.start_s = now_s;
        event.end_s = now_s + m->forward_s[0];
        pass(w, &event);
        event.phase = NNC_RUN_BACKWARD;
        event.start_s = event.end_s;
        event.end_s += backward_s;
        pass(w, &event);
        now_s = event.end_s;
    }
}

static void tail(writer *w, const nnc_stage *stages, int32_t stage)
{
    nnc_interval next = { .stage = stage, .micro_batch = -1, .start_s = w->end_s[stage] };
    next.end_s = next.start_s + stages[stage].exchange_s;
    next.activity = NNC_ACTIVITY_EXCHANGE;
    if (next.end_s > next.start_s) {
        work(w, &next);
    }
    next.start_s = next.end_s;
    next.end_s += stages[stage].update_s;
    next.activity = NNC_ACTIVITY_UPDATE;
    if (next.end_s > next.start_s) {
        work(w, &next);
    }
    idle_until(w, stage, nnc_max(w->begin_s[stage] + w->step_s, w->end_s[stage]));
}

bool nnc_timeline_replay(nnc_step_memory *m, const nnc_plan *plan, double step_s,
                         nnc_interval_fn *interval, void *context)
{
    writer w = { .interval = interval, .context = context, .rolls = rolls(plan), .step_s = step_s };
    if (plan->pipeline == 1) {
        passes(m, plan, &w);
    } else {
        nnc_pipeline_result result;
        const nnc_pipeline pipeline = nnc_step_pipeline(plan, m);
        if (!nnc_pipeline_replay(&pipeline, &m->pipeline, &result, pass, &w)) {
            return false;
        }
    }
    for (int32_t d = 0; d < plan->pipeline; d++) {
        tail(&w, m->stages, d);
    }
    return true;
}
