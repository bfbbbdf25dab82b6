/* From layers to pipeline stages: which layers of each segment every virtual stage and every device holds, for how many
 * micro-batches in flight, and how much memory each device needs.
 *
 *     10 layers, 2 stages x 2 chunks:   virtual stage   0    1    2    3
 *                                       layers          3    3    2    2      + embedding on 0, head on 3
 *                                       device          0    1    0    1
 *
 * A stage with the same layers as the stage before is marked in the array `alike`, so that times and memory of equal
 * stages are computed only once. */
#include "estimate/estimate_internal.h"

int32_t nnc_partition_device(const nnc_plan *plan, int32_t virtual_stage) {
    const int32_t p = plan->pipeline;
    const bool back = nnc_schedule_ends_meet(plan) && virtual_stage >= p;
    return back ? 2 * p - 1 - virtual_stage : virtual_stage % p;
}

/* The layers of the whole model are numbered. Returns how many of the layers `from` to `to` - 1 belong to a segment.
 * *first: on entry the number of the segment's first layer, on return the number of the next segment's first layer. If
 * layers of different kinds alternate, *first is not used. */
static int64_t layers_between(const nnc_op_list *list, int32_t segment, int64_t *first, int64_t from, int64_t to) {
    int64_t held = 0;
    for (int64_t i = from; list->mixed_count > 0 && i < to; i++) { held += list->mixed[i] == segment ? 1 : 0; }
    if (list->mixed_count > 0) { return held; }
    const int64_t last = *first + list->segments[segment].instances;
    from = from > *first ? from : *first;
    to = to < last ? to : last;
    *first = last;
    return to > from ? to - from : 0;
}

/* Items that are distributed over parts as evenly as possible: each part gets `each` items, and each of the first
 * `more` parts gets one item more. */
typedef struct even_parts {
    int64_t each, more;
} even_parts;

static even_parts divide(int64_t total, int64_t parts) {
    return parts > 0 ? (even_parts){ total / parts, total % parts } : (even_parts){ 0, 0 };
}

static int64_t part_of(even_parts all, int64_t part) { return all.each + (part < all.more ? 1 : 0); }

/* Number of layers of each virtual stage; embedding and head are included if the plan counts them as layers. The plan
 * may set the number of layers of the first and of the last pipeline stage; the members `first` and `last` distribute
 * these layers over the chunks of their stage. `rest` distributes all remaining layers over the chunks of the stages
 * whose numbers of layers the plan does not set. */
typedef struct slots {
    int64_t stages, others;
    bool own_first, own_last;
    even_parts first, last, rest;
} slots;

static slots slots_of(const nnc_plan *plan, int64_t total, int32_t chunks) {
    const int64_t p = plan->pipeline;
    const int64_t first = plan->first_stage_layers, last = plan->last_stage_layers;
    const int64_t others = p - (first > 0 ? 1 : 0) - (last > 0 ? 1 : 0);
    return (slots){ .stages = p,
                    .others = others,
                    .own_first = first > 0,
                    .own_last = last > 0,
                    .first = divide(first, chunks),
                    .last = divide(last, chunks),
                    .rest = divide(total - first - last, others * chunks) };
}

static int64_t slots_at(const slots *s, int64_t stage, int64_t chunk) {
    if (stage == 0 && s->own_first) { return part_of(s->first, chunk); }
    if (stage == s->stages - 1 && s->own_last) { return part_of(s->last, chunk); }
    return part_of(s->rest, chunk * s->others + stage - s->own_first);
}

/* Returns for each segment how many of the model's layers `from` to `to` - 1 belong to it. front: true = the embedding
 * is included; back: true = the head is included. */
static nnc_stage_layers share_of(const nnc_op_list *list, int64_t from, int64_t to, bool front, bool back) {
    nnc_stage_layers share = { { 0 } };
    int64_t first = 0; /* number of the model's layer with which segment s begins */
    for (int32_t s = 0; s < list->segment_count; s++) {
        const nnc_segment *segment = &list->segments[s];
        const bool held = (s == 0 && front) || (s > 0 && back);
        share.instances[s] = segment->layer ? layers_between(list, s, &first, from, to) : held ? segment->instances : 0;
    }
    return share;
}

/* The layers of the whole model are numbered. If all layers `from` to `to` - 1 are in one segment, returns the number
 * of the first layer after this segment; else returns INT64_MIN. */
static int64_t segment_end(const nnc_op_list *list, int64_t from, int64_t to) {
    int64_t first = 0;
    for (int32_t s = 0; s < list->segment_count && list->mixed_count == 0; s++) {
        const int64_t end = first + (list->segments[s].layer ? list->segments[s].instances : 0);
        if (from >= first && to <= end) { return end; }
        first = end;
    }
    return INT64_MIN;
}

/* Returns how many successive virtual stages have as many layers as stage v - 1, counted from stage v on. A result of 0
 * or less means that the number is not known. The last virtual stage is never included, because it has the head in
 * addition to its layers. */
static int64_t as_many(const slots *s, int64_t v, int64_t count) {
    const int64_t last = count - 1, more = s->rest.more;
    return s->own_first || s->own_last ? 0 : (v <= more && more < last ? more : last) - v;
}

void nnc_partition_layers(const nnc_op_list *list, const nnc_plan *plan, nnc_stage_partition *partition) {
    const int32_t chunks = plan->pipeline > 1 ? nnc_schedule_chunks(plan) : 1;
    const int32_t count = plan->pipeline * chunks;
    int64_t layers = 0, next = 0;
    partition->stages = plan->pipeline;
    partition->virtual_stages = count;
    partition->segments = list->segment_count;
    for (int32_t s = 0; s < list->segment_count; s++) {
        layers += list->segments[s].layer ? list->segments[s].instances : 0;
    }
    /* number of layers that the embedding is counted as when layers are distributed; the head is counted as the same
     * number */
    const int64_t ends = plan->ends_as_layers ? 1 : 0;
    /* each further token that the model predicts counts as two layers, because it has a layer and a head of its own */
    const int64_t further = 2 * list->next_layers;
    const slots all = slots_of(plan, layers + 2 * ends + further, chunks);
    for (int32_t v = 0; v < count;) {
        const int64_t size = slots_at(&all, v % plan->pipeline, v / plan->pipeline);
        const int64_t from = next > ends ? next - ends : 0;
        const int64_t to = next + size - ends < layers ? next + size - ends : layers;
        partition->alike[v] = false;
        partition->shares[v] = share_of(list, from, to, v == 0, v == count - 1);
        next += size;
        /* Stages after stage v that have as many layers as stage v, in the same segment, hold the same layers as stage
         * v. */
        const int64_t end = v > 0 && to - from == size ? segment_end(list, from, to) : INT64_MIN;
        const int64_t fit = end < to ? 0 : size > 0 ? (end - to) / size : count;
        const int64_t many = as_many(&all, v + 1, count), like = fit < many ? fit : many;
        const int32_t same = v + (like > 0 ? (int32_t)like : 0);
        for (; v < same; v++, next += size) {
            partition->alike[v + 1] = true;
            partition->shares[v + 1] = partition->shares[v];
        }
        v++;
    }
}

/* Returns the number of chunks of a device. With DualPipe the number of chunks is 2, because micro-batches pass through
 * the pipeline in both directions, and each direction has its own chunk. */
static int32_t chunks_of(const nnc_stage_partition *partition, const nnc_plan *plan) {
    return nnc_schedule_dual(plan) ? 2 : partition->virtual_stages / partition->stages;
}

static const nnc_stage_layers *chunk_of(const nnc_stage_partition *partition, const nnc_plan *plan, int32_t device,
                                        int32_t chunk) {
    const int32_t p = partition->stages;
    const bool back = nnc_schedule_ends_meet(plan) && chunk == 1;
    const int32_t v = back ? 2 * p - 1 - device : chunk * p + device;
    return &partition->shares[v < partition->virtual_stages ? v : v - partition->virtual_stages];
}

static void device_layers(const nnc_stage_partition *partition, const nnc_plan *plan, int32_t device,
                          int64_t instances[NNC_SEGMENTS_MAX]) {
    const int32_t chunks = chunks_of(partition, plan);
    for (int32_t c = 0; c < chunks; c++) {
        const nnc_stage_layers *share = chunk_of(partition, plan, device, c);
        for (int32_t s = 0; s < partition->segments; s++) {
            instances[s] = (c > 0 ? instances[s] : 0) + share->instances[s];
        }
    }
}

int64_t nnc_recomputed_layers(const nnc_plan *plan, const nnc_op_list *list, int32_t segment,
                              const int64_t instances[NNC_SEGMENTS_MAX]) {
    const int64_t held = instances[segment], most = plan->recompute_layers;
    int64_t before = 0, all = 0;
    if ((plan->recompute & NNC_RECOMPUTE_FULL) == 0) { return 0; }
    if (most == 0 || !list->segments[segment].layer) { return held; }
    for (int32_t s = 0; s < list->segment_count; s++) {
        const int64_t layers = list->segments[s].layer ? instances[s] : 0;
        before += s < segment ? layers : 0;
        all += layers;
    }
    if (most >= all) { return held; }
    if (list->mixed_count > 0) { return most * (before + held) / all - most * before / all; }
    return most <= before ? 0 : most - before < held ? most - before : held;
}

/* ---- number of layers of each segment on each device ---- */

/* Compares the layers of the chunks of a device. Sets h->uneven to true if the chunks differ, and h->odd_chunk to the
 * index of the chunk if only one chunk differs from the others; sets h->uneven_layers and h->odd_more, too. */
static void set_uneven(const nnc_stage_partition *partition, const nnc_step *step, int32_t device,
                       nnc_stage_residency *h) {
    const int32_t chunks = chunks_of(partition, step->plan);
    h->uneven = h->uneven_layers = h->odd_more = false;
    h->odd_chunk = -1;
    for (int32_t c = 0, odd = 0; c < chunks && chunks > 1; c++) {
        const nnc_stage_layers *second = chunk_of(partition, step->plan, device, 1);
        const nnc_stage_layers *share = chunk_of(partition, step->plan, device, c);
        bool more = false, less = false, layers = false;
        for (int32_t s = 0; s < h->segments; s++) {
            const int64_t extra = share->instances[s] - second->instances[s];
            more = more || extra > 0;
            less = less || extra < 0;
            layers = layers || (extra != 0 && step->list->segments[s].layer);
        }
        h->uneven_layers = h->uneven_layers || layers;
        if (more || less) {
            h->uneven = true;
            h->odd_chunk = odd++ == 0 && more != less ? c : -1;
            h->odd_more = more;
        }
    }
}

/* Sets in *h the number of layers of each segment on a device. Writes only the array elements of segments that the op
 * list has, to save time. */
static void set_holding(const nnc_step *step, const nnc_stage_partition *partition, int32_t device, double in_flight,
                        nnc_stage_residency *h) {
    h->segments = step->list->segment_count;
    device_layers(partition, step->plan, device, h->instances);
    nnc_holding_keep(h, in_flight);
    set_uneven(partition, step, device, h);
    for (int32_t s = 0; s < h->segments; s++) {
        h->recomputed[s] = 0;
        for (int32_t c = 0; c < chunks_of(partition, step->plan); c++) {
            const nnc_stage_layers *share = chunk_of(partition, step->plan, device, c);
            h->recomputed[s] += nnc_recomputed_layers(step->plan, step->list, s, share->instances);
        }
    }
}

/* Tests whether every virtual stage of a device is marked as equal to a stage of the device before: to the virtual
 * stage with the same chunk index. */
static bool like_before(const nnc_stage_partition *partition, const nnc_plan *plan, int32_t device) {
    bool like = device > 0 && !nnc_schedule_ends_meet(plan);
    for (int32_t v = device; like && v < partition->virtual_stages; v += partition->stages) {
        like = partition->alike[v];
    }
    return like;
}

static double in_flight_of(const nnc_plan *plan, int32_t device, nnc_derivation *why) {
    if (plan->pipeline == 1) {
        NNC_SAY(why, in_flight, NULL, 1.0);
        return in_flight;
    }
    const double kept = nnc_pipeline_say_in_flight(plan->schedule, plan->pipeline, nnc_schedule_chunks(plan),
                                                   plan->micro_batches, device, why);
    if (!nnc_schedule_dual(plan)) { return kept; }
    NNC_LET(why, of_both, NULL, kept);
    NNC_SAY(why, in_flight, NULL, of_both * 0.5);
    NNC_NOTE(why, "of_both counts the micro-batches of both directions, so one direction has half");
    return in_flight;
}

/* Records the formula for the number of micro-batches whose activations a device keeps at the same time. */
static void step_say_in_flight(const nnc_step *step, int32_t device) {
    (void)in_flight_of(step->plan, device, step->why);
}

void nnc_step_partition(const nnc_step *step, nnc_step_memory *memory) {
    const nnc_plan *plan = step->plan;
    nnc_partition_layers(step->list, plan, &memory->partition);
    for (int32_t d = 0; d < plan->pipeline; d++) {
        nnc_stage_residency *h = &memory->holdings[d];
        const double in_flight = in_flight_of(plan, d, NULL);
        const bool like = like_before(&memory->partition, plan, d);
        if (like) {
            nnc_stage_residency_copy(h, h - 1);
            nnc_holding_keep(h, in_flight);
        } else {
            set_holding(step, &memory->partition, d, in_flight, h);
        }
        memory->alike[d] = like || (d > 0 && nnc_stage_residency_same(h, h - 1));
    }
}

bool nnc_step_partition_again(const nnc_step *step, nnc_step_memory *memory) {
    bool same = true;
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        nnc_stage_residency *h = &memory->holdings[d];
        const double in_flight = in_flight_of(step->plan, d, NULL);
        same = same && !h->uneven && !(in_flight < h->in_flight) && !(in_flight > h->in_flight);
        nnc_holding_keep(h, in_flight);
    }
    return same;
}

/* Sets h->flight for a device with an odd chunk (a chunk that differs from the other chunks, which are equal). For each
 * segment, h->flight is the number of micro-batches in flight at the memory peak. Returns false if the device has no
 * odd chunk. */
static bool find_odd_peak(const nnc_step *step, const nnc_pipeline *pipeline, const nnc_step_memory *m, int32_t device,
                          nnc_stage_residency *h) {
    double count, all;
    if (h->odd_chunk < 0 || !nnc_pipeline_peak_of_one(pipeline, device, h->odd_chunk, h->odd_more, &count, &all)) {
        return false;
    }
    const nnc_plan *plan = step->plan;
    const nnc_stage_layers *odd = chunk_of(&m->partition, plan, device, h->odd_chunk);
    const nnc_stage_layers *other = chunk_of(&m->partition, plan, device, h->odd_chunk == 0 ? 1 : 0);
    for (int32_t s = 0; s < h->segments; s++) {
        const double kept = count * (double)odd->instances[s] + (all - count) * (double)other->instances[s];
        h->flight[s] = h->instances[s] > 0 ? kept / (double)h->instances[s] : h->in_flight;
    }
    return true;
}

/* Sets h->flight for a device whose chunks differ from each other. For each segment, h->flight is the number of
 * micro-batches in flight at the memory peak. */
static void find_uneven_peak(const nnc_step *step, const nnc_pipeline *pipeline, const nnc_step_memory *m,
                             int32_t device, nnc_stage_residency *h) {
    const nnc_plan *plan = step->plan;
    const int32_t chunks = chunks_of(&m->partition, plan);
    double bytes[NNC_VIRTUAL_STAGES_MAX], counts[NNC_VIRTUAL_STAGES_MAX];
    double instance_bytes[NNC_SEGMENTS_MAX];
    int32_t held[NNC_SEGMENTS_MAX], count = 0;
    for (int32_t s = 0; s < h->segments; s++) {
        h->flight[s] = h->in_flight;
        if (h->instances[s] > 0) {
            instance_bytes[count] = nnc_segment_kept_bytes(&step->sums[s], h, plan, s) / (double)h->instances[s];
            held[count++] = s;
        }
    }
    for (int32_t c = 0; c < chunks; c++) {
        const nnc_stage_layers *share = chunk_of(&m->partition, plan, device, c);
        bytes[c] = 0.0;
        for (int32_t i = 0; i < count; i++) { bytes[c] += instance_bytes[i] * (double)share->instances[held[i]]; }
    }
    (void)nnc_pipeline_peak(pipeline, device, bytes, counts);
    double kept[NNC_SEGMENTS_MAX] = { 0.0 };
    for (int32_t c = 0; c < chunks; c++) {
        const nnc_stage_layers *share = chunk_of(&m->partition, plan, device, c);
        for (int32_t i = 0; i < count; i++) { kept[i] += counts[c] * (double)share->instances[held[i]]; }
    }
    for (int32_t i = 0; i < count; i++) { h->flight[held[i]] = kept[i] / (double)h->instances[held[i]]; }
}

/* find_uneven_peak is called only for a device with unequal chunks, because it puts large arrays on the stack, and most
 * devices do not need it. */
void nnc_step_find_peak(const nnc_step *step, nnc_step_memory *m, int32_t device) {
    nnc_stage_residency *h = &m->holdings[device];
    const nnc_plan *plan = step->plan;
    const nnc_pipeline pipeline = { .schedule = plan->schedule,
                                    .stages = plan->pipeline,
                                    .chunks = nnc_schedule_chunks(plan),
                                    .micro_batches = plan->micro_batches };
    if (h->uneven && !find_odd_peak(step, &pipeline, m, device, h)) { find_uneven_peak(step, &pipeline, m, device, h); }
}

/* ---- memory of each pipeline stage ---- */

/* Records the formula of static_bytes of nnc_stage: the bytes that stay allocated between two steps. */
static void step_say_static(const nnc_step *step, const nnc_memory *memory) {
    const double weight_bytes = (double)memory->weight_bytes, gradient_bytes = (double)memory->gradient_bytes;
    const double optimizer_bytes = (double)memory->optimizer_bytes;
    NNC_LET(step->why, held_bytes, "B", nnc_step_held_bytes(step));
    NNC_SAY(step->why, static_bytes, "B", weight_bytes + gradient_bytes + optimizer_bytes + held_bytes);
    NNC_NOTE(step->why,
             "bytes that stay allocated between two steps; held_bytes: workspaces of matrix products, by the "
             "software profile");
}

void nnc_stage_memory(const nnc_step *step, const nnc_model *model, bool fullest, nnc_step_memory *m, nnc_result *r) {
    const nnc_plan *plan = step->plan;
    /* the stage whose memory was computed before the current stage; NULL = no stage yet */
    const nnc_stage_residency *before = NULL;
    nnc_memory memory = { 0 };
    for (int32_t d = 0; d < plan->pipeline; d++) {
        const nnc_stage_residency *h = &m->holdings[d];
        nnc_step_find_peak(step, m, d);
        const bool same = before != NULL && !h->uneven && !before->uneven && nnc_stage_residency_same(h, before);
        if (same && fullest && h->in_flight <= before->in_flight) { continue; }
        if (!same) {
            memory = nnc_memory_of(model, step->list, step->sums, h, plan, step->software,
                                   nnc_device_capacity(step->device));
        } else if (h->in_flight != before->in_flight) {
            memory = nnc_memory_in_flight(&memory, model, step->list, step->sums, h, plan, step->software);
        }
        before = h;
        m->stages[d].memory = memory;
        if (d == 0 || memory.total_bytes > r->memory.total_bytes) {
            r->memory = memory;
            r->memory_stage = d;
        }
    }
    r->verdict = nnc_memory_verdict(&r->memory, r->memory.capacity_bytes);
    if (step->why != NULL) {
        const nnc_stage_residency *h = &m->holdings[r->memory_stage];
        step_say_in_flight(step, r->memory_stage);
        nnc_memory_say(model, step->list, step->sums, h, plan, step->software, nnc_device_capacity(step->device),
                       step->why);
        step_say_static(step, &r->memory);
    }
}
