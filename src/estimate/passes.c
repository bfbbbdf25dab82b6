/* The passes of a step, run through its schedule. */
#include <string.h>

#include "estimate/step.h"

void nnc_step_virtual_times(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX],
                            nnc_step_memory *m)
{
    const bool full = (step->plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    for (int32_t v = 0; v < m->deal.virtual_stages; v++) {
        double forward = 0.0, backward = 0.0, weight = 0.0;
        const nnc_share *share = &m->deal.shares[v];
        if (m->deal.alike[v]) {
            m->forward_s[v] = m->forward_s[v - 1];
            m->backward_s[v] = m->backward_s[v - 1];
            m->weight_s[v] = m->weight_s[v - 1];
            continue;
        }
        for (int32_t s = 0; s < step->list->segment_count; s++) {
            const int64_t n = share->instances[s];
            const double again =
                full ? (double)nnc_recomputed_layers(step->plan, step->list, s, n) : (double)n;
            forward += (double)n * units[s].forward_s;
            backward += (double)n * (units[s].backward_s - units[s].weight_s) +
                        again * units[s].recompute_s;
            weight += (double)n * units[s].weight_s;
        }
        m->forward_s[v] = forward;
        m->backward_s[v] = backward;
        m->weight_s[v] = weight;
    }
}

nnc_pipeline nnc_step_pipeline(const nnc_plan *plan, const nnc_step_memory *m)
{
    return (nnc_pipeline){ .schedule = plan->schedule,
                           .stages = plan->pipeline,
                           .chunks = m->deal.virtual_stages / plan->pipeline,
                           .micro_batches = plan->micro_batches,
                           .forward_s = m->forward_s,
                           .backward_s = m->backward_s,
                           .weight_s = m->weight_s,
                           .send_s = m->send_s };
}

static bool equal(const double *a, const double *b, int32_t count)
{
    return memcmp(a, b, sizeof *a * (size_t)count) == 0;
}

/* The same pipeline, run before; NULL if it is not among the last. */
static const nnc_replayed *find_replay(const nnc_plan *plan, const nnc_step_memory *m)
{
    const int32_t count = m->deal.virtual_stages;
    for (int i = 0; i < NNC_REPLAYS; i++) {
        const nnc_replayed *r = &m->replays[i];
        if (r->virtual_stages == count && r->schedule == plan->schedule &&
            r->stages == plan->pipeline && r->micro_batches == plan->micro_batches &&
            equal(&r->send_s, &m->send_s, 1) && equal(r->forward_s, m->forward_s, count) &&
            equal(r->backward_s, m->backward_s, count) && equal(r->weight_s, m->weight_s, count)) {
            return r;
        }
    }
    return NULL;
}

static void keep_replay(const nnc_plan *plan, nnc_step_memory *m)
{
    nnc_replayed *r = &m->replays[m->oldest];
    const size_t size = sizeof(double) * (size_t)m->deal.virtual_stages;
    m->oldest = (m->oldest + 1) % NNC_REPLAYS;
    r->schedule = plan->schedule;
    r->stages = plan->pipeline;
    r->virtual_stages = m->deal.virtual_stages;
    r->micro_batches = plan->micro_batches;
    r->send_s = m->send_s;
    r->total_s = m->run.total_s;
    memcpy(r->forward_s, m->forward_s, size);
    memcpy(r->backward_s, m->backward_s, size);
    memcpy(r->weight_s, m->weight_s, size);
    memcpy(r->span_s, m->run.span_s, sizeof(double) * (size_t)plan->pipeline);
    memcpy(r->busy_s, m->run.busy_s, sizeof(double) * (size_t)plan->pipeline);
}

bool nnc_step_run(const nnc_step *step, const nnc_unit units[NNC_SEGMENTS_MAX], double send_s,
                  nnc_step_memory *m)
{
    nnc_step_virtual_times(step, units, m);
    return nnc_step_rerun(step->plan, send_s, m);
}

bool nnc_step_rerun(const nnc_plan *plan, double send_s, nnc_step_memory *m)
{
    m->send_s = send_s;
    m->runs++;
    if (plan->pipeline == 1) {
        m->run.total_s =
            (double)plan->micro_batches * (m->forward_s[0] + m->backward_s[0] + m->weight_s[0]);
        m->run.span_s[0] = m->run.busy_s[0] = m->run.total_s;
        return true;
    }
    const nnc_replayed *known = find_replay(plan, m);
    if (known != NULL) {
        m->run.total_s = known->total_s;
        memcpy(m->run.span_s, known->span_s, sizeof(double) * (size_t)plan->pipeline);
        memcpy(m->run.busy_s, known->busy_s, sizeof(double) * (size_t)plan->pipeline);
        return true;
    }
    const nnc_pipeline pipeline = nnc_step_pipeline(plan, m);
    if (!nnc_pipeline_run(&pipeline, &m->pipeline, &m->run)) {
        return false;
    }
    keep_replay(plan, m);
    return true;
}
