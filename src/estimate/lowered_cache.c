#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"
#include "estimate/estimate_internal.h"
#include "op/work.h"
#include "parallel/shard.h"
#include "shape/family.h"

nnc_shared *nnc_shared_create(int32_t count)
{
    nnc_shared *made = calloc(1, sizeof *made + (size_t)count * sizeof made->alike[0]);
    if (made != NULL) {
        made->count = count;
    }
    return made;
}

void nnc_shared_begin(nnc_shared *shared, const nnc_model *model, const nnc_device *device)
{
    shared->model = model;
    shared->device = device;
    nnc_timed_begin(&shared->timed, device);
    for (int i = 0; i < shared->count; i++) {
        shared->alike[i].listed = false;
        shared->alike[i].rows.timed = &shared->timed;
    }
}

void nnc_shared_notice(nnc_shared *shared, const nnc_model *model, const nnc_device *device)
{
    /* Of these the bytes say all that an op list depends on; graphs stand elsewhere. */
    const bool whole = model->family != NNC_FAMILY_GRAPH && model->tower_count == 0;
    if (shared->promised) {
        return;
    }
    if (!whole || !nnc_same_bytes(&shared->last_model, model, sizeof *model) ||
        !nnc_same_bytes(&shared->last_device, device, sizeof *device)) {
        memcpy(&shared->last_model, model, sizeof *model);
        memcpy(&shared->last_device, device, sizeof *device);
        shared->model = NULL;
        return;
    }
    if (shared->model == NULL) {
        nnc_shared_begin(shared, model, device);
    }
    shared->model = model; /* elsewhere, perhaps */
    shared->device = device;
    shared->timed.on = device;
}

/* Copies what is filled of a list. */
static void copy_list(nnc_op_list *to, const nnc_op_list *from)
{
    const size_t mixed = offsetof(nnc_op_list, mixed_count); /* the numbers from there on */
    memcpy(to->ops, from->ops, (size_t)from->count * sizeof from->ops[0]);
    memcpy(to->blocks, from->blocks, (size_t)from->block_count * sizeof from->blocks[0]);
    to->count = from->count;
    to->block_count = from->block_count;
    memcpy(to->segments, from->segments, sizeof from->segments);
    to->segment_count = from->segment_count;
    memcpy(to->mixed, from->mixed, (size_t)from->mixed_count);
    memcpy((char *)to + mixed, (const char *)from + mixed, sizeof *to - mixed);
}

static nnc_status lower(nnc_shared *shared, const nnc_lowering *how, nnc_alike *a, nnc_error *err)
{
    nnc_lower(shared->model, how, &a->whole);
    NNC_TRY(nnc_check_list(&a->whole, shared->model, err));
    copy_list(&a->list, &a->whole);
    nnc_shard(&a->list, how->plan);
    nnc_segments_sum(&a->list, a->sums);
    a->count = a->list.count;
    a->grad_accumulate = how->grad_accumulate;
    a->listed = true;
    a->list_number = ++shared->lists;
    return NNC_OK;
}

void nnc_alike_accumulate(const nnc_shared *shared, double grad_accumulate, nnc_alike *a)
{
    if (a->grad_accumulate == grad_accumulate) {
        return;
    }
    for (int32_t i = 0; i < a->count; i++) {
        a->list.ops[i].grad_accumulate = grad_accumulate;
    }
    if (a->tabled) {
        nnc_rows_accumulate(&a->rows, shared->device, grad_accumulate);
        a->table = 0;
    }
    a->grad_accumulate = grad_accumulate;
}

nnc_status nnc_alike_find(nnc_shared *shared, const nnc_plan *plan, const nnc_software *software,
                          nnc_alike **found, nnc_error *err)
{
    nnc_plan seen;
    const nnc_lowering how = nnc_lowering_seen(plan, software, &seen);
    for (int i = 0; i < shared->count; i++) {
        nnc_alike *a = &shared->alike[i];
        if (a->listed && nnc_same_bytes(&a->seen, &seen, sizeof seen) &&
            nnc_same_bytes(&a->software, software, sizeof *software)) {
            nnc_alike_accumulate(shared, how.grad_accumulate, a);
            a->found = true;
            shared->last = *found = a;
            return NNC_OK;
        }
    }
    nnc_alike *a = &shared->alike[shared->oldest];
    shared->oldest = (shared->oldest + 1) % shared->count;
    memcpy(&a->seen, &seen, sizeof seen);
    memcpy(&a->software, software, sizeof *software);
    a->listed = a->found = a->worked = a->tabled = false;
    shared->last = *found = a;
    return lower(shared, &how, a, err);
}

/* The table that was made last of another list of the same framework: plans in a row differ in little. */
static nnc_rows_like find_like(const nnc_shared *shared, const nnc_alike *alike,
                               const nnc_network *network)
{
    const nnc_alike *last = NULL;
    for (int i = 0; i < shared->count; i++) {
        const nnc_alike *other = &shared->alike[i];
        if (other != alike && other->listed && other->tabled && !other->rows.truncated &&
            (last == NULL || other->list_number > last->list_number) &&
            strcmp(other->software.id, alike->software.id) == 0) {
            last = other;
        }
    }
    if (last == NULL) {
        return (nnc_rows_like){ .list = NULL };
    }
    const bool same =
        network == NULL || nnc_same_bytes(last->routes, network->routes, sizeof last->routes);
    return (nnc_rows_like){ &last->list, last->count, &last->rows, same };
}

uint64_t nnc_alike_table(nnc_shared *shared, nnc_alike *a, const nnc_step *step)
{
    const nnc_network *network = step->network;
    const size_t size = sizeof a->routes;
    if (!a->tabled || (network != NULL && !nnc_same_bytes(a->routes, network->routes, size))) {
        const int32_t count = a->list.count;
        a->list.count = a->count;
        if (a->tabled) {
            nnc_rows_reroute(&a->rows, network);
        } else {
            const nnc_rows_like like = find_like(shared, a, network);
            nnc_rows_build_like(&a->list, step->device, network, step->plan, &like, &a->rows);
        }
        a->list.count = count;
        memset(a->routes, 0, size);
        if (network != NULL) {
            memcpy(a->routes, network->routes, size);
        }
        a->tabled = true;
        a->table = 0;
    }
    a->table = a->table > 0 ? a->table : ++shared->tables;
    return a->table;
}

void nnc_alike_rows(nnc_shared *shared, nnc_alike *alike, const nnc_step *step, nnc_rows *rows)
{
    (void)nnc_alike_table(shared, alike, step);
    nnc_rows_join(&alike->rows, &alike->list, alike->count, step->device, step->network, step->plan,
                  rows);
    nnc_rows_lend(rows, nnc_rows_lent_factor(step->device, step->plan, step->software));
    nnc_power_throttle(rows, step->device);
}
