/* Sets of plans with a total order: the best ones, and the Pareto front of step time and memory. */
#include <string.h>

#include "search/search_internal.h"

void nnc_front_clear(nnc_front *front)
{
    front->best_count = 0;
    front->pareto_count = 0;
    front->truncated = front->any_missed = false;
}

bool nnc_found_before(nnc_objective objective, const nnc_found *a, const nnc_found *b)
{
    const bool by_memory = objective == NNC_OBJECTIVE_MEMORY;
    if (by_memory && a->memory_bytes != b->memory_bytes) {
        return a->memory_bytes < b->memory_bytes;
    }
    if (a->step_s < b->step_s || a->step_s > b->step_s) {
        return a->step_s < b->step_s;
    }
    if (a->memory_bytes != b->memory_bytes) {
        return a->memory_bytes < b->memory_bytes;
    }
    return a->index < b->index;
}

static void insert(nnc_found *list, int32_t *count, int32_t place, int32_t most,
                   const nnc_found *found)
{
    const int32_t kept = *count < most ? *count : most - 1;
    memmove(&list[place + 1], &list[place], sizeof *list * (size_t)(kept - place));
    list[place] = *found;
    *count = kept + 1;
}

static void add_best(nnc_front *front, nnc_objective objective, int32_t best,
                     const nnc_found *found)
{
    int32_t place = front->best_count;
    if (place == best && !nnc_found_before(objective, found, &front->best[place - 1])) {
        return;
    }
    while (place > 0 && nnc_found_before(objective, found, &front->best[place - 1])) {
        place--;
    }
    if (place < best) {
        insert(front->best, &front->best_count, place, best, found);
    }
}

/* Number of plans on the front that take at most step_s. */
static int32_t no_slower(const nnc_front *front, double step_s)
{
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

static bool dominated(const nnc_front *front, const nnc_found *found)
{
    const int32_t place = no_slower(front, found->step_s);
    if (place == 0) {
        return false;
    }
    const nnc_found *one = &front->pareto[place - 1]; /* the least memory among those no slower */
    const bool equal = one->memory_bytes == found->memory_bytes && !(one->step_s < found->step_s);
    return equal ? one->index < found->index : one->memory_bytes <= found->memory_bytes;
}

static void add_pareto(nnc_front *front, const nnc_found *found)
{
    if (dominated(front, found)) {
        return;
    }
    int32_t first = no_slower(front, found->step_s);
    while (first > 0 && !(front->pareto[first - 1].step_s < found->step_s) &&
           front->pareto[first - 1].memory_bytes >= found->memory_bytes) {
        first--; /* as fast, and needs no less memory */
    }
    int32_t end = first;
    while (end < front->pareto_count && front->pareto[end].memory_bytes >= found->memory_bytes) {
        end++;
    }
    memmove(&front->pareto[first], &front->pareto[end],
            sizeof *found * (size_t)(front->pareto_count - end));
    front->pareto_count -= end - first;
    if (front->pareto_count == NNC_PARETO_MAX) {
        front->truncated = true; /* drops the plan with least memory */
    }
    if (first < NNC_PARETO_MAX) {
        insert(front->pareto, &front->pareto_count, first, NNC_PARETO_MAX, found);
    }
}

void nnc_front_add(nnc_front *front, nnc_objective objective, int32_t best, const nnc_found *found)
{
    add_best(front, objective, best, found);
    add_pareto(front, found);
}

/* Sets only the members that order plans; the others are large and are not read here. */
static void set_order(nnc_found *found, uint64_t index, double step_s, int64_t memory_bytes)
{
    found->index = index;
    found->step_s = step_s;
    found->memory_bytes = memory_bytes;
}

bool nnc_front_takes(const nnc_front *front, nnc_objective objective, int32_t best, uint64_t index,
                     double step_s, int64_t memory_bytes)
{
    nnc_found found;
    set_order(&found, index, step_s, memory_bytes);
    return front->best_count < best ||
           nnc_found_before(objective, &found, &front->best[best - 1]) || !dominated(front, &found);
}

void nnc_front_miss(nnc_front *front, const nnc_found *found)
{
    if (!front->any_missed || nnc_found_before(NNC_OBJECTIVE_TIME, found, &front->missed)) {
        front->missed = *found;
        front->any_missed = true;
    }
}

void nnc_front_merge(nnc_front *front, nnc_objective objective, int32_t best,
                     const nnc_front *other)
{
    for (int32_t i = 0; i < other->best_count; i++) {
        add_best(front, objective, best, &other->best[i]);
    }
    for (int32_t i = 0; i < other->pareto_count; i++) {
        add_pareto(front, &other->pareto[i]);
    }
    if (other->any_missed) {
        nnc_front_miss(front, &other->missed);
    }
    front->truncated = front->truncated || other->truncated;
}

bool nnc_front_beats(const nnc_front *front, nnc_objective objective, int32_t best, double least_s,
                     int64_t memory_bytes)
{
    nnc_found least;
    set_order(&least, 0, least_s, memory_bytes);
    const int32_t place = no_slower(front, least_s);
    return front->best_count == best &&
           !nnc_found_before(objective, &least, &front->best[best - 1]) && place > 0 &&
           front->pareto[place - 1].step_s < least_s &&
           front->pareto[place - 1].memory_bytes <= memory_bytes;
}

void nnc_front_copy(nnc_front *to, const nnc_front *from)
{
    memcpy(to->best, from->best, sizeof from->best[0] * (size_t)from->best_count);
    memcpy(to->pareto, from->pareto, sizeof from->pareto[0] * (size_t)from->pareto_count);
    to->best_count = from->best_count;
    to->pareto_count = from->pareto_count;
    to->truncated = from->truncated;
    to->any_missed = from->any_missed;
    to->missed = from->missed;
}

void nnc_front_result(const nnc_front *front, nnc_search_result *result)
{
    memcpy(result->best, front->best, sizeof front->best[0] * (size_t)front->best_count);
    memcpy(result->pareto, front->pareto, sizeof front->pareto[0] * (size_t)front->pareto_count);
    result->best_count = front->best_count;
    result->pareto_count = front->pareto_count;
    result->pareto_truncated = front->truncated;
    result->any_missed = front->any_missed && front->best_count == 0;
    result->missed = front->missed;
}

void nnc_front_of(const nnc_search_result *result, nnc_front *front)
{
    memcpy(front->best, result->best, sizeof front->best);
    memcpy(front->pareto, result->pareto, sizeof front->pareto);
    front->best_count = result->best_count;
    front->pareto_count = result->pareto_count;
    front->truncated = result->pareto_truncated;
    front->any_missed = result->any_missed;
    front->missed = result->missed;
}
