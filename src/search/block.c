#include "search/block.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "estimate/plan_asked.h"
#include "parallel/split.h"
#include "shape/family.h"

static const nnc_software *software_of(const nnc_plan_block *b, const nnc_plan *plan)
{
    return nnc_profile_of(b->profiles, b->model, b->device, plan);
}

/* Has the framework of the plan's profile what the plan asks for? */
static bool ships(const nnc_plan_block *b, const nnc_plan *plan, const char **option)
{
    return b->profiles->any || nnc_software_ships(software_of(b, plan), plan, option);
}

/* The schedules of pipelines that the framework of any ZeRO stage has. */
static void find_schedules(nnc_plan_block *b, const nnc_plan *base)
{
    const nnc_choice *zero = &b->space->axes[NNC_AXIS_ZERO];
    nnc_plan plan = *base;
    plan.pipeline = 2;
    for (int32_t i = 0; i < zero->count; i++) {
        plan.zero = (int32_t)zero->values[i];
        for (int k = 0; k < NNC_SCHEDULE_COUNT; k++) {
            b->schedules[k] =
                b->schedules[k] || b->profiles->any || software_of(b, &plan)->ships.schedules[k];
        }
    }
}

bool nnc_block_begin(nnc_plan_block *b, const nnc_plan *base, uint64_t number, nnc_error *err)
{
    nnc_plan *plain =
        &b->settled; /* with what breaks no rule of its own: all refuse what it does */
    *plain = *base;
    b->number = number;
    b->begun++;
    b->pass_count = b->pass_next = 0;
    b->listed = NULL;
    b->known = false;
    if (b->begun == 1) {
        b->layers = nnc_model_sizes_of(b->model).layers;
        find_schedules(b, base);
    }
    nnc_space_block(b->space, number, plain);
    plain->schedule = NNC_SCHEDULE_1F1B;
    plain->virtual_stages = 1;
    plain->zero = plain->shard > 0 ? 3 : 0; /* what is not sharded has no shards */
    plain->offload = NNC_OFFLOAD_NONE;
    return nnc_plan_settle(plain, b->model, b->device, plain, err) == NNC_OK;
}

bool nnc_block_ships(nnc_plan_block *b, nnc_error *err)
{
    const char *option = NULL;
    nnc_plan plan = b->settled;
    for (uint64_t inside = b->space->block_size; inside-- > 0;) {
        nnc_space_inside(b->space, inside, &plan);
        if (nnc_schedule_repeats(&plan)) {
            continue;
        }
        if (ships(b, &plan, &option)) {
            return true;
        }
    }
    if (option != NULL) {
        nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                 "software %s does not have it; --software any searches beyond what it has",
                 software_of(b, &plan)->id);
    }
    return false;
}

bool nnc_block_group(nnc_plan_block *b, uint64_t group)
{
    nnc_plan *plan = &b->settled;
    nnc_space_group(b->space, group, plan);
    b->group++;
    b->dealt = false;
    return (plan->pipeline == 1 || b->schedules[plan->schedule]) && !nnc_schedule_repeats(plan) &&
           nnc_plan_settle_schedule(plan, b->model, b->layers, NULL) == NNC_OK;
}

/* Which ZeRO stages go with which offloads does not depend on the schedule; nor does what else a framework lacks. */
static void find_allowed(nnc_plan_block *b)
{
    const uint64_t size = nnc_space_group_size(b->space);
    nnc_plan plan = b->settled;
    plan.schedule = NNC_SCHEDULE_COUNT; /* any */
    for (uint64_t i = 0; i < size; i++) {
        nnc_space_moved(b->space, i, &plan);
        b->software[i] = software_of(b, &plan);
        b->allowed[i] = ships(b, &plan, NULL) && nnc_plan_split_data(&plan, NULL) == NNC_OK;
    }
    b->known = true;
}

/* Has its framework the group's schedule? */
static bool has_schedule(const nnc_plan_block *b, const nnc_software *software)
{
    return b->profiles->any || b->settled.pipeline == 1 ||
           software->ships.schedules[b->settled.schedule];
}

/* Do two plans of a block hold and compute the same in a pass? Stage 3 gathers weights and some
 * offloading moves tensors in every pass; a schedule may put both ends on one device, which then
 * holds one table where there are two. */
static bool same_pass(const nnc_plan_block *block, const nnc_plan *a, const nnc_pass *pass)
{
    const nnc_plan *b = &pass->work.plan;
    const nnc_device *device = block->device;
    const unsigned moved = NNC_OFFLOAD_ACTIVATIONS | NNC_OFFLOAD_WEIGHTS;
    /* One device needs links only to offload; offload needs figures that not every file records. */
    const bool linked =
        a->devices > 1 && !isnan(device->host.bytes_per_s) && !isnan(device->host.mem_bytes_per_s);
    const bool tied = pass->usable && pass->step.list->tied_rows > 0;
    return software_of(block, a) == software_of(block, b) && (a->zero == 3) == (b->zero == 3) &&
           (a->offload & moved) == (b->offload & moved) &&
           (linked || (a->offload != 0) == (b->offload != 0)) &&
           (!tied || nnc_schedule_ends_meet(a) == nnc_schedule_ends_meet(b));
}

static nnc_pass *find_pass(nnc_plan_block *b, const nnc_plan *plan)
{
    for (int32_t i = 0; i < b->pass_count; i++) {
        if (same_pass(b, plan, &b->passes[i])) {
            return &b->passes[i];
        }
    }
    return NULL;
}

/* Units of a pass with the weight gradients in place or apart, when less hides. */
static void sum_units(nnc_plan_block *b, nnc_pass *pass, int apart)
{
    nnc_plan plan = pass->work.plan;
    nnc_step step = pass->step;
    step.plan = &plan;
    plan.schedule = apart ? NNC_SCHEDULE_ZB_H1 : NNC_SCHEDULE_1F1B;
    nnc_step_units(&step, &b->scratch->rows, pass->units[apart]);
    pass->pass_s[apart] = 0.0;
    for (int32_t s = 0; s < step.list->segment_count; s++) {
        const nnc_unit *unit = &pass->units[apart][s];
        pass->pass_s[apart] +=
            (double)step.list->segments[s].instances * (unit->forward_s + unit->backward_s);
    }
}

/* Makes its rows and sums them, unless a pass with the same rows was summed before. */
static bool time_pass(nnc_plan_block *b, nnc_pass *pass, int apart)
{
    const bool shared = pass->alike->list.count == pass->alike->count;
    const uint64_t table = nnc_alike_table(b->scratch->shared, pass->alike, &pass->step);
    for (int i = 0; i < NNC_PASSES_MAX && shared; i++) {
        const nnc_table_units *known = &b->units[i];
        if (known->table == table && known->apart == apart) {
            memcpy(pass->units[apart], known->units, sizeof known->units);
            pass->pass_s[apart] = known->pass_s;
            return true;
        }
    }
    nnc_alike_rows(b->scratch->shared, pass->alike, &pass->step, &b->scratch->rows);
    if (b->scratch->rows.truncated) {
        return false;
    }
    sum_units(b, pass, apart);
    if (shared) {
        nnc_table_units *kept = &b->units[b->units_next];
        b->units_next = (b->units_next + 1) % NNC_PASSES_MAX;
        kept->table = table;
        kept->apart = apart;
        kept->pass_s = pass->pass_s[apart];
        memcpy(kept->units, pass->units[apart], sizeof kept->units);
    }
    return true;
}

/* The mathematics of a block is the same in all its passes. */
static const nnc_result *known_work(const nnc_plan_block *b, const nnc_software *software)
{
    for (int32_t i = 0; i < b->pass_count; i++) {
        const nnc_pass *pass = &b->passes[i];
        if (pass->worked && pass->usable &&
            pass->step.software->context_frozen == software->context_frozen) {
            return &pass->work;
        }
    }
    return NULL;
}

/* Makes the list of a pass the last one. */
static bool list_pass(nnc_plan_block *b, nnc_pass *pass)
{
    if (b->listed == pass) {
        return true;
    }
    b->listed = pass;
    return nnc_prepare_list(b->scratch->shared, software_of(b, &pass->work.plan), &pass->work.plan,
                            &pass->network, &pass->step, pass->sums, &pass->alike, NULL) == NNC_OK;
}

static nnc_pass *make_pass(nnc_plan_block *b, const nnc_plan *plan)
{
    nnc_pass *pass = &b->passes[b->pass_next];
    b->pass_next = (b->pass_next + 1) % NNC_PASSES_MAX;
    b->pass_count = b->pass_count < NNC_PASSES_MAX ? b->pass_count + 1 : NNC_PASSES_MAX;
    memset(&pass->work, 0, sizeof pass->work);
    pass->work.plan = *plan;
    pass->number = ++b->made;
    pass->group = pass->holds = 0;
    pass->worked = pass->timed[0] = pass->timed[1] = false;
    b->listed = NULL;
    pass->usable = list_pass(b, pass);
    return pass;
}

/* The work of a pass, the same in all of a block. */
static void count_work(nnc_plan_block *b, nnc_pass *pass)
{
    const nnc_result *known = known_work(b, pass->step.software);
    const nnc_plan plan = pass->work.plan;
    if (known != NULL) {
        pass->work = *known;
        pass->work.plan = plan;
    } else if (list_pass(b, pass)) {
        nnc_prepare_work(b->scratch, pass->alike, &pass->step, &pass->work);
    }
    pass->worked = true;
}

void nnc_block_work(nnc_plan_block *b, nnc_pass *pass, nnc_result *result)
{
    const nnc_plan plan = result->plan;
    const nnc_memory memory = result->memory;
    const double step_s = result->step_s;
    if (!pass->worked) {
        count_work(b, pass);
    }
    *result = pass->work;
    result->plan = plan;
    result->memory = memory;
    result->step_s = step_s;
}

bool nnc_block_pass(nnc_plan_block *b, nnc_pass *pass, const nnc_plan *plan)
{
    const int apart = nnc_schedule_splits(plan) ? 1 : 0;
    if (!pass->timed[apart] && pass->usable) {
        pass->usable = list_pass(b, pass) && time_pass(b, pass, apart);
        pass->timed[apart] = true;
    }
    return pass->usable;
}

/* Does one device keep at least what another does, of every segment? */
static bool keeps_more(const nnc_holding *a, const nnc_holding *b)
{
    bool more = a->in_flight >= b->in_flight;
    for (int32_t s = 0; s < a->segments; s++) {
        more = more && a->recomputed[s] >= b->recomputed[s] &&
               a->instances[s] - a->recomputed[s] >= b->instances[s] - b->recomputed[s];
    }
    return more;
}

/* Leaves out stages that cannot be fuller than another one. */
static void drop_lighter(nnc_plan_block *b)
{
    const nnc_holding *h = b->scratch->step.holdings;
    int32_t count = 0;
    for (int32_t i = 0; i < b->heaviest_count; i++) {
        bool lighter = false;
        for (int32_t k = 0; k < b->heaviest_count && !lighter; k++) {
            lighter = k != i && keeps_more(&h[b->heaviest[k]], &h[b->heaviest[i]]) &&
                      (k < i || !keeps_more(&h[b->heaviest[i]], &h[b->heaviest[k]]));
        }
        if (!lighter) {
            b->heaviest[count++] = b->heaviest[i];
        }
    }
    b->heaviest_count = count;
}

/* Deals the layers of the group, and finds the stages that may be the fullest: of those that hold
 * the same, the one with most in flight. */
static void deal(nnc_plan_block *b, const nnc_step *step)
{
    const nnc_holding *h = b->scratch->step.holdings;
    nnc_step_deal_recall(b->scratch, step);
    b->heaviest_count = 0;
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        if (!b->scratch->step.alike[d]) {
            b->heaviest[b->heaviest_count++] = d;
        } else if (h[d].in_flight > h[b->heaviest[b->heaviest_count - 1]].in_flight) {
            b->heaviest[b->heaviest_count - 1] = d;
        }
    }
    drop_lighter(b);
    b->dealt = true;
}

/* What the i-th of the heaviest stages holds; room: where it is put when the pass does not keep it. */
static const nnc_held *find_held(const nnc_plan_block *b, nnc_pass *pass, const nnc_plan *plan,
                                 int32_t i, nnc_held *room)
{
    const nnc_holding *h = &b->scratch->step.holdings[b->heaviest[i]];
    nnc_held *held = i < NNC_PASS_STAGES ? &pass->held[i] : room;
    if (held == room || pass->holds != b->group) {
        *held = nnc_held_of(pass->step.list, pass->step.sums, h, plan);
    }
    return held;
}

/* The memory of the fullest stage. */
static void weigh(nnc_plan_block *b, nnc_pass *pass, nnc_result *result)
{
    const nnc_plan *plan = &result->plan;
    nnc_held room;
    for (int32_t i = 0; i < b->heaviest_count; i++) {
        const nnc_holding *h = &b->scratch->step.holdings[b->heaviest[i]];
        const nnc_held *held = find_held(b, pass, plan, i, &room);
        const nnc_memory memory = nnc_memory_held(b->model, pass->step.list, held, h, plan,
                                                  pass->step.software, b->device->mem_bytes);
        if (i == 0 || memory.total_bytes > result->memory.total_bytes) {
            result->memory = memory;
        }
    }
    pass->holds = b->group;
}

nnc_pass *nnc_block_plan(nnc_plan_block *b, uint64_t inside, nnc_result *result)
{
    if (!b->known) {
        find_allowed(b);
    }
    if (!b->allowed[inside] || !has_schedule(b, b->software[inside])) {
        return NULL;
    }
    nnc_plan *plan = &result->plan;
    *plan = b->settled;
    result->step_s = 0.0;
    nnc_space_moved(b->space, inside, plan);
    nnc_pass *pass = find_pass(b, plan);
    pass = pass != NULL ? pass : make_pass(b, plan);
    if (!pass->usable) {
        return NULL;
    }
    if (!b->dealt) {
        nnc_step step = pass->step;
        step.plan = plan;
        deal(b, &step);
    }
    weigh(b, pass, result);
    return pass;
}
