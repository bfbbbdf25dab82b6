/* The space of a search: the values of each choice of a plan, and the plan that belongs to each index in the space. */
#include <math.h>
#include <string.h>

#include "base/base_internal.h"
#include "pipeline/pipeline_internal.h"
#include "search/search_internal.h"
#include "shape/shape_internal.h"

static nnc_status add(nnc_space_axis *choice, const char *option, int64_t value, nnc_error *err) {
    if (choice->count == NNC_SPACE_VALUES) {
        return nnc_fail(err, NNC_BAD_USAGE, option, "expected at most %d values to search", NNC_SPACE_VALUES);
    }
    choice->values[choice->count++] = value;
    return NNC_OK;
}

/* Appends to a choice all divisors of `whole` that are at most `most`, in ascending order. */
static nnc_status add_divisors(nnc_space_axis *choice, const char *option, int64_t whole, int64_t most,
                               nnc_error *err) {
    const int64_t root = (int64_t)sqrt((double)whole);
    for (int64_t i = 1; i <= most && i <= root; i++) {
        if (whole % i == 0) { NNC_TRY(add(choice, option, i, err)); }
    }
    for (int64_t i = root; i > 0; i--) { /* adds the larger divisor of each pair of divisors whose product is `whole` */
        if (whole % i == 0 && whole / i > i && whole / i <= most) { NNC_TRY(add(choice, option, whole / i, err)); }
    }
    return NNC_OK;
}

static nnc_status add_list(nnc_space_axis *choice, const char *option, const int64_t *values, int count,
                           nnc_error *err) {
    for (int i = 0; i < count; i++) { NNC_TRY(add(choice, option, values[i], err)); }
    return NNC_OK;
}

/* Appends to a choice the first `most` schedules, in the order in which a search tries schedules. */
static nnc_status add_schedules(nnc_space_axis *choice, int32_t most, nnc_error *err) {
    for (int32_t place = 1; place <= most; place++) {
        for (int i = 0; i < NNC_SCHEDULE_COUNT; i++) {
            if (nnc_schedule_of((nnc_schedule)i)->searched == place) { NNC_TRY(add(choice, "--schedule", i, err)); }
        }
    }
    return NNC_OK;
}

/* VIRTUAL_MOST: largest number of virtual stages that a search tries by default; more are not used in practice.
 * CONTEXT_MOST: largest context degree that a search tries by default. */
enum { VIRTUAL_MOST = 12, CONTEXT_MOST = 16 };

/* Tests whether, for one of the searched pipeline degrees, the stages have equal numbers of layers only if embedding
 * and head count as one layer each. virtual_stages: groups of layers per stage. */
static bool needs_ends(const nnc_space_axis *pipelines, int64_t layers, int64_t virtual_stages) {
    for (int32_t i = 0; i < pipelines->count; i++) {
        const int64_t pipeline = pipelines->values[i];
        if (pipeline > 1 && nnc_ends_even_stages(layers, pipeline * virtual_stages)) { return true; }
    }
    return false;
}

/* Appends to a choice the numbers of virtual stages that divide the number of layers. Also appends the numbers of
 * virtual stages that divide the number of layers + 2, if the base plan counts embedding and head as layers, or if the
 * stages of a searched pipeline have equal numbers of layers only if embedding and head are counted. */
static nnc_status add_virtual_stages(nnc_space_axis *choice, const nnc_space_axis *pipelines, const nnc_plan *base,
                                     int64_t layers, nnc_error *err) {
    for (int64_t i = 1; i <= VIRTUAL_MOST; i++) {
        if (layers % i == 0 || (base->ends_as_layers && (layers + 2) % i == 0) || needs_ends(pipelines, layers, i)) {
            NNC_TRY(add(choice, "--virtual-stages", i, err));
        }
    }
    return NNC_OK;
}

static nnc_status fill(const nnc_model *model, const nnc_device *device, const nnc_search *search, nnc_axis axis,
                       nnc_space *space, nnc_error *err) {
    nnc_space_axis *choice = &space->axes[axis];
    static const int64_t switches[] = { 0, 1 };
    static const int64_t stages[] = { 0, 1, 2, 3 };
    static const int64_t recomputes[] = { NNC_RECOMPUTE_NONE,
                                          NNC_RECOMPUTE_FULL,
                                          NNC_RECOMPUTE_NORM,
                                          NNC_RECOMPUTE_ACTIVATION,
                                          NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION,
                                          NNC_RECOMPUTE_ATTENTION };
    const bool scores =
        search->base.attention == NNC_ATTENTION_UNFUSED; /* only unfused attention keeps its scores for backward, so
                                                          * only then recomputing attention saves memory */
    static const int64_t offloads[] = { NNC_OFFLOAD_NONE, NNC_OFFLOAD_OPTIMIZER };
    const nnc_model_sizes sizes = nnc_model_sizes_of(model);
    const bool splits = nnc_family_of(model)->split != NULL;
    const int64_t layers = splits ? sizes.layers : 1;
    const int64_t devices = search->base.devices, batch = search->base.global_batch;
    switch (axis) {
    case NNC_AXIS_TENSOR: return add_divisors(choice, "--tensor", devices, splits ? devices : 1, err);
    case NNC_AXIS_CONTEXT: return add_divisors(choice, "--context", devices, splits ? CONTEXT_MOST : 1, err);
    case NNC_AXIS_EXPERT: return add_divisors(choice, "--expert", sizes.experts > 0 ? sizes.experts : 1, devices, err);
    case NNC_AXIS_SEQUENCE_PARALLEL: return add_list(choice, "--sequence-parallel", switches, splits ? 2 : 1, err);
    case NNC_AXIS_MICRO_BATCH: return add_divisors(choice, "--micro-batch", batch, batch, err);
    case NNC_AXIS_RECOMPUTE: return add_list(choice, "--recompute", recomputes, scores ? 6 : 5, err);
    case NNC_AXIS_PIPELINE: return add_divisors(choice, "--pipeline", devices, layers, err);
    case NNC_AXIS_SCHEDULE: return add_schedules(choice, splits ? NNC_SCHEDULE_COUNT : 1, err);
    case NNC_AXIS_VIRTUAL_STAGES:
        return add_virtual_stages(choice, &space->axes[NNC_AXIS_PIPELINE], &search->base, layers, err);
    case NNC_AXIS_ZERO: /* a plan with one device has no other ranks, so ZeRO has nothing to divide */
        return add_list(choice, "--zero", stages, devices > 1 ? 4 : 1, err);
    /* offload needs the bandwidth of host memory; if the device file does not state it, the search tries no offload */
    default: return add_list(choice, "--offload", offloads, isnan(device->host.mem_bytes_per_s) ? 1 : 2, err);
    }
}

nnc_status nnc_space_make(const nnc_model *model, const nnc_device *device, const nnc_search *search, nnc_space *space,
                          nnc_error *err) {
    const nnc_choice *asked[NNC_AXES] = {
        [NNC_AXIS_TENSOR] = &search->tensor,
        [NNC_AXIS_CONTEXT] = &search->context,
        [NNC_AXIS_EXPERT] = &search->expert,
        [NNC_AXIS_SEQUENCE_PARALLEL] = &search->sequence_parallel,
        [NNC_AXIS_MICRO_BATCH] = &search->micro_batch,
        [NNC_AXIS_RECOMPUTE] = &search->recompute,
        [NNC_AXIS_PIPELINE] = &search->pipeline,
        [NNC_AXIS_SCHEDULE] = &search->schedule,
        [NNC_AXIS_VIRTUAL_STAGES] = &search->virtual_stages,
        [NNC_AXIS_ZERO] = &search->zero,
        [NNC_AXIS_OFFLOAD] = &search->offload,
    };
    space->blocks = space->block_size = 1;
    for (int a = 0; a < NNC_AXES; a++) {
        space->axes[a].count = asked[a]->count;
        memcpy(space->axes[a].values, asked[a]->values, sizeof asked[a]->values);
        if (asked[a]->count == 0) { NNC_TRY(fill(model, device, search, (nnc_axis)a, space, err)); }
        *(a < NNC_BLOCK_AXES ? &space->blocks : &space->block_size) *= (uint64_t)space->axes[a].count;
    }
    return NNC_OK;
}

/* Writes the values of the axes `first` to `end` - 1 for their combination number `place` to values[first] ...
 * values[end - 1]. The last of the axes from `first` to `end` - 1 varies fastest. */
static void digits(const nnc_space *space, int first, int end, uint64_t place, int64_t *values) {
    for (int a = end - 1; a >= first; a--) {
        const uint64_t count = (uint64_t)space->axes[a].count;
        values[a] = space->axes[a].values[place % count];
        place /= count;
    }
}

/* Returns the index of the block of plans that a shard gets from the row number `place`. A row is `shards` consecutive
 * blocks, one for each shard; shards count from 1. The order of shards inside a row is rotated by a digest of the row
 * number: with a fixed order, one shard could get all blocks that have the same value of a choice. */
uint64_t nnc_space_shard_block(uint64_t place, int32_t shard, int32_t shards) {
    const uint64_t count = (uint64_t)shards;
    if (count == 1) { return place; }
    const uint64_t turn = nnc_digest_number(NNC_DIGEST_START, place) >> 32u; /* rotation of the row; the upper bits of a
                                                                              * digest are well mixed */
    return place * count + ((uint64_t)(shard - 1) + (place > 0 ? turn : 0)) % count;
}

uint64_t nnc_space_shard_size(const nnc_space *space, int32_t shard, int32_t shards) {
    const uint64_t rows = space->blocks / (uint64_t)shards; /* number of complete rows, in which every shard has one
                                                             * block */
    return rows + (nnc_space_shard_block(rows, shard, shards) < space->blocks ? 1 : 0);
}

void nnc_space_block(const nnc_space *space, uint64_t block, nnc_plan *plan) {
    int64_t v[NNC_AXES];
    digits(space, 0, NNC_BLOCK_AXES, block, v);
    plan->tensor = (int32_t)v[NNC_AXIS_TENSOR];
    plan->context = (int32_t)v[NNC_AXIS_CONTEXT];
    plan->expert = (int32_t)v[NNC_AXIS_EXPERT];
    plan->sequence_parallel = v[NNC_AXIS_SEQUENCE_PARALLEL] != 0;
    plan->micro_batch = v[NNC_AXIS_MICRO_BATCH];
    plan->recompute = (unsigned)v[NNC_AXIS_RECOMPUTE];
    plan->pipeline = (int32_t)v[NNC_AXIS_PIPELINE];
}

uint64_t nnc_space_group_size(const nnc_space *space) {
    return (uint64_t)space->axes[NNC_AXIS_ZERO].count * (uint64_t)space->axes[NNC_AXIS_OFFLOAD].count;
}

void nnc_space_group(const nnc_space *space, uint64_t group, nnc_plan *plan) {
    int64_t v[NNC_AXES];
    digits(space, NNC_BLOCK_AXES, NNC_AXIS_ZERO, group, v);
    plan->schedule = (nnc_schedule)v[NNC_AXIS_SCHEDULE];
    plan->virtual_stages = (int32_t)v[NNC_AXIS_VIRTUAL_STAGES];
}

void nnc_space_inside_group(const nnc_space *space, uint64_t inside, nnc_plan *plan) {
    int64_t v[NNC_AXES];
    digits(space, NNC_AXIS_ZERO, NNC_AXES, inside, v);
    plan->zero = (int32_t)v[NNC_AXIS_ZERO];
    plan->offload = (unsigned)v[NNC_AXIS_OFFLOAD];
}

void nnc_space_inside(const nnc_space *space, uint64_t inside, nnc_plan *plan) {
    nnc_space_group(space, inside / nnc_space_group_size(space), plan);
    nnc_space_inside_group(space, inside, plan);
}

/* ---- Ordered lists of plans: the best plans, and the Pareto front of step time and memory ---- */

void nnc_front_clear(nnc_front *front) {
    front->best_count = 0;
    front->pareto_count = 0;
    front->truncated = front->any_missed = false;
}

bool nnc_found_before(nnc_objective objective, const nnc_found *a, const nnc_found *b) {
    const bool by_memory = objective == NNC_OBJECTIVE_MEMORY;
    if (by_memory && a->memory_bytes != b->memory_bytes) { return a->memory_bytes < b->memory_bytes; }
    if (a->step_s < b->step_s || a->step_s > b->step_s) { return a->step_s < b->step_s; }
    if (a->memory_bytes != b->memory_bytes) { return a->memory_bytes < b->memory_bytes; }
    return a->index < b->index;
}

static void insert(nnc_found *list, int32_t *count, int32_t place, int32_t most, const nnc_found *found) {
    const int32_t kept = *count < most ? *count : most - 1;
    memmove(&list[place + 1], &list[place], sizeof *list * (size_t)(kept - place));
    list[place] = *found;
    *count = kept + 1;
}

static void add_best(nnc_front *front, nnc_objective objective, int32_t best, const nnc_found *found) {
    int32_t place = front->best_count;
    if (place == best && !nnc_found_before(objective, found, &front->best[place - 1])) { return; }
    while (place > 0 && nnc_found_before(objective, found, &front->best[place - 1])) { place--; }
    if (place < best) { insert(front->best, &front->best_count, place, best, found); }
}

/* Returns the number of plans on the Pareto front whose step time is at most step_s seconds. */
static int32_t no_slower(const nnc_front *front, double step_s) {
    int32_t low = 0, high = front->pareto_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (front->pareto[middle].step_s <= step_s) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool dominated(const nnc_front *front, const nnc_found *found) {
    const int32_t place = no_slower(front, found->step_s);
    if (place == 0) { return false; }
    /* among the plans of the front that are at least as fast as *found, the plan with the least memory */
    const nnc_found *one = &front->pareto[place - 1];
    const bool equal = one->memory_bytes == found->memory_bytes && !(one->step_s < found->step_s);
    return equal ? one->index < found->index : one->memory_bytes <= found->memory_bytes;
}

static void add_pareto(nnc_front *front, const nnc_found *found) {
    if (dominated(front, found)) { return; }
    int32_t first = no_slower(front, found->step_s);
    while (first > 0 && !(front->pareto[first - 1].step_s < found->step_s) &&
           front->pareto[first - 1].memory_bytes >= found->memory_bytes) {
        first--; /* also removes a plan of the front that is as fast as *found and needs at least as much memory */
    }
    int32_t end = first;
    while (end < front->pareto_count && front->pareto[end].memory_bytes >= found->memory_bytes) { end++; }
    memmove(&front->pareto[first], &front->pareto[end], sizeof *found * (size_t)(front->pareto_count - end));
    front->pareto_count -= end - first;
    if (front->pareto_count == NNC_PARETO_MAX) {
        front->truncated = true; /* the front is full, so inserting a plan removes the plan with the least memory */
    }
    if (first < NNC_PARETO_MAX) { insert(front->pareto, &front->pareto_count, first, NNC_PARETO_MAX, found); }
}

void nnc_front_add(nnc_front *front, nnc_objective objective, int32_t best, const nnc_found *found) {
    add_best(front, objective, best, found);
    add_pareto(front, found);
}

/* Sets only the members index, step_s and memory_bytes, because comparisons of plans read only these members. The other
 * members are large. */
static void set_order(nnc_found *found, uint64_t index, double step_s, int64_t memory_bytes) {
    found->index = index;
    found->step_s = step_s;
    found->memory_bytes = memory_bytes;
}

bool nnc_front_takes(const nnc_front *front, nnc_objective objective, int32_t best, uint64_t index, double step_s,
                     int64_t memory_bytes) {
    nnc_found found;
    set_order(&found, index, step_s, memory_bytes);
    return front->best_count < best || nnc_found_before(objective, &found, &front->best[best - 1]) ||
           !dominated(front, &found);
}

void nnc_front_miss(nnc_front *front, const nnc_found *found) {
    if (!front->any_missed || nnc_found_before(NNC_OBJECTIVE_TIME, found, &front->missed)) {
        front->missed = *found;
        front->any_missed = true;
    }
}

void nnc_front_merge(nnc_front *front, nnc_objective objective, int32_t best, const nnc_front *other) {
    for (int32_t i = 0; i < other->best_count; i++) { add_best(front, objective, best, &other->best[i]); }
    for (int32_t i = 0; i < other->pareto_count; i++) { add_pareto(front, &other->pareto[i]); }
    if (other->any_missed) { nnc_front_miss(front, &other->missed); }
    front->truncated = front->truncated || other->truncated;
}

bool nnc_front_beats(const nnc_front *front, nnc_objective objective, int32_t best, double least_s,
                     int64_t memory_bytes) {
    nnc_found least;
    set_order(&least, 0, least_s, memory_bytes);
    const int32_t place = no_slower(front, least_s);
    return front->best_count == best && !nnc_found_before(objective, &least, &front->best[best - 1]) && place > 0 &&
           front->pareto[place - 1].step_s < least_s && front->pareto[place - 1].memory_bytes <= memory_bytes;
}

void nnc_front_copy(nnc_front *to, const nnc_front *from) {
    memcpy(to->best, from->best, sizeof from->best[0] * (size_t)from->best_count);
    memcpy(to->pareto, from->pareto, sizeof from->pareto[0] * (size_t)from->pareto_count);
    to->best_count = from->best_count;
    to->pareto_count = from->pareto_count;
    to->truncated = from->truncated;
    to->any_missed = from->any_missed;
    to->missed = from->missed;
}

void nnc_front_result(const nnc_front *front, nnc_search_result *result) {
    memcpy(result->best, front->best, sizeof front->best[0] * (size_t)front->best_count);
    memcpy(result->pareto, front->pareto, sizeof front->pareto[0] * (size_t)front->pareto_count);
    result->best_count = front->best_count;
    result->pareto_count = front->pareto_count;
    result->pareto_truncated = front->truncated;
    result->any_missed = front->any_missed && front->best_count == 0;
    result->missed = front->missed;
}

void nnc_front_of(const nnc_search_result *result, nnc_front *front) {
    memcpy(front->best, result->best, sizeof front->best);
    memcpy(front->pareto, result->pareto, sizeof front->pareto);
    front->best_count = result->best_count;
    front->pareto_count = result->pareto_count;
    front->truncated = result->pareto_truncated;
    front->any_missed = result->any_missed;
    front->missed = result->missed;
}
