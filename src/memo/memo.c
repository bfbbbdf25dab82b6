/* The hash table that all caches use. The table finds the value of a key by the bytes of the key. A slot is one
 * position of the hash table; it holds the number of an entry, or is free. The hash of a key selects a slot; the key
 * can be in this slot or in one of the next (ways - 1) slots. A slot has a tag, which is a part of the hash, and the
 * number of an entry, from 1; the number 0 marks a free slot. An entry is a key and its value; the table stores entries
 * in the order in which they are added, so that few entries occupy little memory.
 *
 * If a table has no more slots than `ways`, all slots are searched, and no hash is computed. If all slots of a new key
 * are in use, the new entry replaces the old entry of one of these slots; the next replacement then uses the next
 * slot. */
#include "base/base_internal.h"
#include "memo/memo_internal.h"
#include "op/op_internal.h"
#include "pipeline/pipeline_internal.h"
#include "shape/shape_internal.h"

enum { ALIGN = 16 };

static size_t aligned(size_t size) { return (size + ALIGN - 1) / ALIGN * ALIGN; }

bool nnc_memo_create(nnc_memo *memo, uint32_t slots, uint32_t ways, size_t key_size, size_t hashed, size_t value_size) {
    *memo = (nnc_memo){ .slots = slots,
                        .ways = ways < slots ? ways : slots,
                        .key_size = key_size,
                        .hashed = slots > ways ? hashed / sizeof(uint64_t) : 0,
                        .value_at = aligned(key_size),
                        .stride = aligned(key_size) + aligned(value_size) };
    memo->slot = calloc(slots, sizeof *memo->slot);
    memo->entries = malloc(slots * memo->stride);
    if (memo->slot == NULL || memo->entries == NULL) {
        nnc_memo_destroy(memo);
        return false;
    }
    return true;
}

void nnc_memo_destroy(nnc_memo *memo) {
    free(memo->slot);
    free(memo->entries);
    *memo = (nnc_memo){ .slots = 0 };
}

void nnc_memo_clear(nnc_memo *memo) {
    if (memo->count > 0) {
        memset(memo->slot, 0, memo->slots * sizeof *memo->slot);
        memo->count = 0;
    }
}

/* Returns the hash of the first memo->hashed words (8 bytes each) of a key. Each bit of the hashed words changes many
 * bits of the hash. */
static uint64_t hash_of(const nnc_memo *memo, const void *key) {
    uint64_t hash = 0, word;
    for (size_t i = 0; i < memo->hashed; i++) {
        memcpy(&word, (const char *)key + i * sizeof word, sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static nnc_memo_slot *slot_at(const nnc_memo *memo, uint32_t way) {
    return &memo->slot[((uint32_t)memo->hash + way) & (memo->slots - 1)];
}

static unsigned char *key_at(const nnc_memo *memo, uint32_t entry) {
    return memo->entries + (entry - 1) * memo->stride;
}

void *nnc_memo_find(nnc_memo *memo, const void *key) {
    memo->hash = hash_of(memo, key);
    const uint32_t tag = (uint32_t)(memo->hash >> 32);
    for (uint32_t i = 0; i < memo->ways; i++) {
        const nnc_memo_slot *slot = slot_at(memo, i);
        if (slot->entry > 0 && slot->tag == tag && memcmp(key_at(memo, slot->entry), key, memo->key_size) == 0) {
            return key_at(memo, slot->entry) + memo->value_at;
        }
    }
    return NULL;
}

void *nnc_memo_add(nnc_memo *memo, const void *key) {
    nnc_memo_slot *slot = slot_at(memo, 0);
    for (uint32_t i = 1; i < memo->ways && slot->entry > 0; i++) { slot = slot_at(memo, i); }
    if (slot->entry > 0) {
        slot = slot_at(memo, memo->turn++ & (memo->ways - 1));
    } else {
        slot->entry = ++memo->count;
    }
    slot->tag = (uint32_t)(memo->hash >> 32);
    memcpy(key_at(memo, slot->entry), key, memo->key_size);
    return key_at(memo, slot->entry) + memo->value_at;
}

void *nnc_memo_value(const nnc_memo *memo, uint32_t index) { return key_at(memo, index + 1) + memo->value_at; }

/* ---- estimates that share results: op lists that were lowered for a plan, with their op tables; times of matrix
 * products; and passes (times, memory and FLOPs of one micro-batch, for plans that differ only in the number of
 * micro-batches) ----
 *
 * The first estimate of a model on a device calls nnc_estimate_once. A later estimate that is brief, and whose passes
 * are in the cache, computes only step ends, pipeline and step. A later estimate that is not brief, or whose passes are
 * not in the cache, takes its op list from the cache or lowers it, and then computes partition, op table and
 * nnc_estimate_time. All three ways to compute an estimate return the results of nnc_estimate_once, equal in every
 * bit. */

/* ---- cache of the times of matrix products ---- */

/* Key of the cache of product times: all values of a matrix product on which the time of the product depends; the
 * device is the same for the whole cache. */
typedef struct product_key {
    int64_t m, n, k, batch, experts, flags; /* flags: number format, phase and layout of the operands, one or more bits
                                             * each */
    double flops, vector_flops, read_bytes, write_bytes;
} product_key;

enum { PRODUCTS = 1024, PRODUCT_WAYS = 4 };

static nnc_timing time_op(void *context, const nnc_device *device, const nnc_op *op, const nnc_work *work) {
    nnc_memo *memo = context;
    const nnc_matmul *u = &op->u.matmul;
    /* The time of an op that PyTorch runs as several kernels depends on more values than product_key has, so this time
     * is not cached. */
    if (nnc_op_timed(op) != NNC_TIMED_GEMM || op->issued_as != NNC_ISSUED_NOT) { return nnc_op_time(device, op, work); }
    const int64_t flags = (int64_t)op->math_dtype << 8 | (int64_t)op->phase << 16 | (u->one_by_one ? 1 : 0) |
                          (u->b_is_weight ? 2 : 0) | (u->in_blocks ? 4 : 0) | (u->padded ? 8 : 0) |
                          (u->ragged ? 16 : 0) | (u->vocab > 0 ? 32 : 0);
    const product_key key = { .m = u->m,
                              .n = u->n,
                              .k = u->k,
                              .flags = flags,
                              .read_bytes = work->read_bytes,
                              .batch = u->batch,
                              .experts = u->experts,
                              .flops = work->flops,
                              .vector_flops = work->vector_flops,
                              .write_bytes = work->write_bytes };
    const nnc_timing *known = nnc_memo_find(memo, &key);
    if (known != NULL) { return *known; }
    const nnc_timing timing = nnc_op_time(device, op, work);
    *(nnc_timing *)nnc_memo_add(memo, &key) = timing;
    return timing;
}

/* ---- cache of op lists that were lowered for a plan ---- */

typedef struct list_key {
    /* copy of the plan in which all fields that do not affect the op list are cleared; see nnc_plan_lowering_key */
    nnc_plan seen;
    nnc_software software;
} list_key;

/* Copies an op list. Unused elements in the arrays of the list are not copied. */
static void copy_list(nnc_op_list *to, const nnc_op_list *from) {
    memcpy(to, from, offsetof(nnc_op_list, mixed)); /* copies all members before the large arrays */
    memcpy(to->mixed, from->mixed, (size_t)from->mixed_count);
    memcpy(to->blocks, from->blocks, (size_t)from->block_count * sizeof from->blocks[0]);
    memcpy(to->ops, from->ops, (size_t)from->count * sizeof from->ops[0]);
}

static nnc_status lower(nnc_estimate_cache *shared, const nnc_lowering *how, nnc_lowered *a, nnc_error *err) {
    /* In two cases this function writes only the op list of one rank: if the whole model has the same list, and if the
     * estimate belongs to a search, which seldom needs the list of the whole model. */
    nnc_op_list *list = nnc_plan_is_whole(how->plan) || shared->ends.slots > 0 ? &a->list : &a->whole;
    nnc_lower(shared->model, how, list);
    NNC_TRY(nnc_check_list(list, shared->model, err));
    if (list == &a->whole) { copy_list(&a->list, list); }
    a->wholly = list == &a->whole;
    nnc_list_shard(&a->list, how->plan);
    nnc_segments_sum(&a->list, a->sums);
    a->count = a->list.count;
    a->grad_accumulate = how->grad_accumulate;
    a->listed = true;
    a->list_number = ++shared->lists;
    return NNC_OK;
}

/* Describes the whole model by the op list that the model has before the work is divided over ranks. Writes the op list
 * of the whole model first, if it does not exist yet. */
static void describe(nnc_estimate_cache *shared, nnc_lowered *a, const nnc_step *step, nnc_result *r) {
    const int32_t count = a->list.count;
    if (nnc_plan_is_whole(step->plan)) {
        a->list.count = a->count;
        nnc_describe_model(shared->model, &a->list, step, r);
        a->list.count = count;
        return;
    }
    if (!a->wholly) {
        nnc_plan seen;
        nnc_lowering how = nnc_lowering_seen(step->plan, step->software, &seen);
        how.listing = nnc_listing_of(shared->model, step->device);
        nnc_lower(shared->model, &how, &a->whole);
        a->wholly = true;
    }
    nnc_describe_model(shared->model, &a->whole, step, r);
}

static void accumulate(const nnc_estimate_cache *shared, double grad_accumulate, nnc_lowered *a) {
    if (a->grad_accumulate == grad_accumulate) { return; }
    for (int32_t i = 0; i < a->count; i++) { a->list.ops[i].grad_accumulate = grad_accumulate; }
    if (a->tabled) { nnc_rows_accumulate(&a->rows, shared->device, grad_accumulate); }
    a->grad_accumulate = grad_accumulate;
}

static double adds_of(const nnc_step *step) {
    return nnc_lowering_of(step->plan, step->software, step->plan->attention).grad_accumulate;
}

/* Finds the entry of a plan and a profile in the cache of lowered lists. If the cache has no entry of this plan and
 * profile, writes the op lists of the plan and adds an entry with them. */
static nnc_status find_list(nnc_estimate_cache *shared, const nnc_plan *plan, const nnc_software *software,
                            nnc_lowered **found, nnc_error *err) {
    list_key key;
    nnc_lowering how = nnc_lowering_of(plan, software, plan->attention);
    key.seen = nnc_plan_lowering_key(plan);
    memcpy(&key.software, software, sizeof key.software);
    nnc_lowered *a = nnc_memo_find(&shared->alikes, &key);
    if (a != NULL && a->listed) {
        a->found = true;
        shared->last = *found = a;
        return NNC_OK;
    }
    a = a != NULL ? a : nnc_memo_add(&shared->alikes, &key);
    memcpy(&a->software, software, sizeof a->software);
    a->rows.timer = shared->timer.time != NULL ? &shared->timer : NULL;
    a->listed = a->found = a->worked = a->tabled = a->summed = false;
    shared->last = *found = a;
    how.plan = &key.seen;
    how.listing = nnc_listing_of(shared->model, shared->device);
    return lower(shared, &how, a, err);
}

/* Returns the newest op table in the cache that belongs to another op list with the same software profile; the member
 * `list` of the result is NULL if there is no such table. Successive plans differ little, so that most rows of the
 * newest op table can be copied into the next table. */
static nnc_rows_like find_like(const nnc_estimate_cache *shared, const nnc_lowered *alike, const nnc_network *network) {
    const nnc_lowered *last = NULL;
    for (uint32_t i = 0; i < shared->alikes.count; i++) {
        const nnc_lowered *other = nnc_memo_value(&shared->alikes, i);
        if (other != alike && other->listed && other->tabled &&
            (last == NULL || other->list_number > last->list_number) &&
            strcmp(other->software.id, alike->software.id) == 0) {
            last = other;
        }
    }
    if (last == NULL) { return (nnc_rows_like){ .list = NULL }; }
    const bool same = network == NULL || nnc_same_bytes(last->routes, network->routes, sizeof last->routes);
    return (nnc_rows_like){ &last->list, last->count, &last->rows, same };
}

/* Makes the op table that all plans with the same op list share. If the op table already exists, computes the times of
 * its collectives again only if the routes of the plan differ from the routes of the table. Computes the times of
 * weight gradients again only if nnc_op.grad_accumulate (the share of micro-batches that add to earlier gradients) has
 * another value in the plan than in the table. */
static void make_table(nnc_estimate_cache *shared, nnc_lowered *a, const nnc_step *step) {
    const nnc_network *network = step->network;
    const size_t size = sizeof a->routes;
    accumulate(shared, adds_of(step), a);
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
        a->summed = false;
        memset(a->routes, 0, size);
        if (network != NULL) { memcpy(a->routes, network->routes, size); }
        a->tabled = true;
    }
}

/* Makes the op table of a plan from two tables: the table that all plans of the op list share, and the table of the ops
 * that only this plan adds to the list. */
static void join_rows(nnc_estimate_cache *shared, nnc_lowered *alike, const nnc_step *step, nnc_rows *rows) {
    make_table(shared, alike, step);
    nnc_rows_join(&alike->rows, &shared->rest, rows);
    nnc_rows_lend(rows, nnc_rows_lent_factor(step->device, step->plan, step->software));
    nnc_power_throttle(rows, step->device);
}

static void build_rest(nnc_estimate_cache *shared, const nnc_lowered *alike, const nnc_step *step) {
    shared->rest.timer = alike->rows.timer;
    nnc_rows_build_rest(&alike->list, alike->count, step->device, step->network, step->plan, &shared->rest);
}

void nnc_lowered_rows(nnc_estimate_cache *shared, nnc_lowered *alike, const nnc_step *step, nnc_rows *rows) {
    build_rest(shared, alike, step);
    join_rows(shared, alike, step, rows);
}

/* Returns the sum of the forward and backward times of all layers of a lowered list, in seconds for one micro-batch.
 * The sum of the times counts only the exposed part of the communication time. */
static double sum_table(nnc_lowered *alike, const nnc_step *step) {
    nnc_segment_time units[NNC_SEGMENTS_MAX];
    /* copy of the times before overlap; these times are written back into the table after nnc_step_segment_times has
     * shortened the times of collectives */
    double rows_s[NNC_ROWS_MAX];
    nnc_rows *rows = &alike->rows;
    nnc_plan plan = *step->plan;
    nnc_step joined = *step;
    plan.schedule = NNC_SCHEDULE_1F1B;
    joined.plan = &plan;
    joined.list = &alike->list;
    if (step->launch.kernel_s > 0.0) { joined.launch = (nnc_launch){ 0 }; }
    /* plans with different ZeRO stages share the op list, and only some stages run hooks (Python functions of the
     * framework); so the bound leaves out the host time of hooks */
    joined.launch.module_s = joined.launch.tensor_s = joined.launch.again_s = joined.launch.gradient_s = 0.0;
    const int32_t count = rows->count;
    for (int32_t i = 0; i < count; i++) { rows_s[i] = rows->rows[i].time_s; }
    nnc_step_segment_times(&joined, rows, units);
    for (int32_t i = 0; i < count; i++) { rows->rows[i].time_s = rows_s[i]; }
    double sum_s = 0.0;
    for (int32_t s = 0; s < alike->list.segment_count; s++) {
        sum_s += (double)alike->list.segments[s].instances * (units[s].forward_s + units[s].backward_s);
    }
    return sum_s;
}

double nnc_lowered_least_s(nnc_estimate_cache *shared, nnc_lowered *alike, const nnc_step *step) {
    const double adds = adds_of(step);
    const size_t size = sizeof alike->routes;
    const bool routed = step->network == NULL || nnc_same_bytes(alike->routes, step->network->routes, size);
    if (!alike->summed || !routed || alike->least_adds > adds) {
        make_table(shared, alike, step);
        alike->least_s = sum_table(alike, step);
        alike->least_adds = adds;
        alike->summed = true;
    }
    return alike->least_s;
}

double nnc_lowered_floor_s(const nnc_lowered *alike, const nnc_step *step) {
    nnc_plan plan = *step->plan;
    plan.schedule = NNC_SCHEDULE_1F1B;
    const nnc_overlap overlap = nnc_overlap_of(&plan, step->software);
    const double ahead = nnc_max(overlap.tensor_backward, overlap.context_ahead);
    double alone_s = 0.0, up_s = 0.0, out_s = 0.0;
    for (int32_t i = 0; i < alike->rows.count; i++) {
        const nnc_op_cost *row = &alike->rows.rows[i];
        const bool collective = nnc_op_is_collective(row->op);
        const nnc_comm comm = collective ? row->op->u.collective.comm : NNC_COMM_DATA;
        double load_s[NNC_FABRICS];
        if (row->op->phase == NNC_PHASE_RECOMPUTE) { continue; }
        if (!collective) { alone_s += row->repeat * nnc_product_least_s(step->device, row->op, &row->work); }
        /* the bound leaves out the traffic of weights and the host traffic, because neither grows with the
         * micro-batch */
        if (comm == NNC_COMM_DATA || comm == NNC_COMM_OFFLOAD) { continue; }
        nnc_fabric_load(step->network, &row->op->u.collective, load_s);
        const double busiest_s = nnc_max(load_s[NNC_FABRIC_SCALE_UP], load_s[NNC_FABRIC_SCALE_OUT]);
        alone_s += row->repeat * busiest_s * nnc_max(0.0, 1.0 - nnc_max(overlap.share[comm], ahead));
        up_s += row->repeat * load_s[NNC_FABRIC_SCALE_UP];
        out_s += row->repeat * load_s[NNC_FABRIC_SCALE_OUT];
    }
    return nnc_max(alone_s, nnc_max(up_s, out_s));
}

nnc_status nnc_prepare_list(nnc_estimate_cache *shared, const nnc_software *software, const nnc_plan *plan,
                            nnc_network *network, nnc_step *step, nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                            nnc_lowered **alike, nnc_error *err) {
    NNC_TRY(nnc_step_begin(shared->model, shared->device, software, plan, network, step, err));
    NNC_TRY(find_list(shared, plan, software, alike, err));
    shared->added = NULL;
    nnc_op_list *list = &(*alike)->list;
    const nnc_lowering how = nnc_lowering_of(plan, software, plan->attention);
    list->count = (*alike)->count;
    memcpy(sums, (*alike)->sums, sizeof(*alike)->sums);
    nnc_step_set_list(step, list, &how, sums);
    nnc_finish_list(list, &how, sums);
    return NNC_OK;
}

/* Updates the op list of a lowered entry for a plan that differs from the plan of the entry only in its number of
 * micro-batches. */
static void prepare_again(const nnc_step *step, nnc_lowered *alike) {
    /* receives the sums that nnc_finish_list computes; this function does not use them, because the step has its own
     * sums */
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    const nnc_plan *plan = step->plan;
    const nnc_lowering how = nnc_lowering_of(plan, step->software, plan->attention);
    alike->list.count = alike->count;
    memcpy(sums, alike->sums, sizeof alike->sums);
    nnc_finish_list(&alike->list, &how, sums);
}

void nnc_prepare_work(nnc_scratch *scratch, nnc_lowered *alike, const nnc_step *step, nnc_result *r) {
    double again[NNC_SEGMENTS_MAX];
    const bool everywhere = nnc_step_recomputed(step, &scratch->step, again);
    describe(scratch->shared, alike, step, r);
    /* Model FLOPs are counted on the op list of the whole model, before it is divided over ranks. */
    if (!everywhere || !alike->worked) {
        /* true: the plan divides no work over ranks, so the op table of one rank is also the op table of the whole
         * model */
        const bool whole = nnc_plan_is_whole(step->plan);
        if (whole) {
            make_table(scratch->shared, alike, step);
        } else {
            nnc_rows_build(&alike->whole, NULL, NULL, step->plan, &scratch->rows);
        }
        nnc_step_pass_work(step, whole ? &alike->rows : &scratch->rows, again, &alike->work);
        alike->worked = everywhere;
    }
    nnc_step_work(step, &alike->work, r);
}

/* ---- cache of passes: times, memory and FLOPs of one micro-batch ---- */

enum { PASSES = 256, PASS_WAYS = 4 };

/* Returns the key of a plan in the cache of passes: the plan with those fields set to 0 that have no effect on the
 * cached values (number of micro-batches, length of the run, price, overlap). */
static nnc_plan pass_key(const nnc_plan *plan) {
    const nnc_plan unset = { 0 };
    nnc_plan key = *plan;
    /* in DualPipe the overlap depends on the number of micro-batches, so this number stays in the key; see
     * nnc_overlap_of */
    if (!nnc_schedule_dual(plan)) { key.micro_batches = unset.micro_batches; }
    key.global_batch = unset.global_batch;
    key.tokens = unset.tokens;
    key.samples = unset.samples;
    key.price = unset.price;
    key.overlap = unset.overlap;
    return key;
}

nnc_pass_entry *nnc_pass_find(nnc_estimate_cache *shared, const nnc_plan *plan, const nnc_software *software) {
    const nnc_plan key = pass_key(plan);
    nnc_pass_entry *p = nnc_memo_find(&shared->passes, &key);
    const bool valid = p != NULL && p->alike->listed && p->alike->list_number == p->list_number &&
                       nnc_same_bytes(&p->alike->software, software, sizeof *software);
    return valid ? p : NULL;
}

/* Stores the times, memory and FLOPs of one micro-batch of an estimate in the cache of passes. units: times of the
 * segments; NULL = the plan does not fit, so no times were computed. */
static void keep_pass(nnc_estimate_cache *shared, const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                      const nnc_result *r) {
    const size_t segments = (size_t)step->list->segment_count;
    const nnc_plan key = pass_key(step->plan);
    /* If the cache already has an entry for this plan, the entry is no longer valid, so the function replaces the
     * values of the entry. */
    nnc_pass_entry *p = nnc_memo_find(&shared->passes, &key);
    p = p != NULL ? p : nnc_memo_add(&shared->passes, &key);
    p->alike = shared->last;
    p->list_number = shared->last->list_number;
    p->grad_accumulate = shared->last->grad_accumulate;
    p->overlap = step->plan->overlap;
    p->work = shared->last->work;
    p->step = *step;
    p->step.sums = p->sums;
    memcpy(p->sums, step->sums, segments * sizeof p->sums[0]);
    if (step->network != NULL) {
        p->network = *step->network;
        p->step.network = &p->network;
    }
    p->timed = units != NULL;
    if (p->timed) { memcpy(p->units, units, segments * sizeof units[0]); }
    shared->added = NULL;
    shared->partitioned = p;
    shared->ended = p->timed ? p : NULL;
    shared->ended_passes = step->plan->micro_batches;
    shared->memory = r->memory;
    shared->memory_stage = r->memory_stage;
}

/* Tests whether the step end of a plan (collectives and update) depends on the number of micro-batches. */
static bool counts_passes(const nnc_step *step) { return step->plan->zero == 2 || nnc_step_adds_gradients(step); }

/* Sets the partition of the layers in scratch and the memory in *r. Copies the memory of the previous plan if both
 * plans (the current and the previous one) have the same passes, and each stage keeps as many micro-batches in flight
 * as before. */
static void recall_memory(const nnc_model *model, const nnc_pass_entry *p, const nnc_step *step, nnc_scratch *scratch,
                          nnc_result *r) {
    nnc_estimate_cache *shared = scratch->shared;
    bool same = shared->partitioned == p;
    if (same) {
        same = nnc_step_partition_again(step, &scratch->step);
    } else {
        nnc_step_partition(step, &scratch->step);
    }
    if (same) {
        r->memory = shared->memory;
        r->memory_stage = shared->memory_stage;
        r->verdict = nnc_memory_verdict(&r->memory, r->memory.capacity_bytes);
    } else {
        nnc_stage_memory(step, model, true, &scratch->step, r);
        shared->partitioned = p;
        shared->memory = r->memory;
        shared->memory_stage = r->memory_stage;
    }
}

/* Sets the step ends of all stages in scratch; keeps the step ends of the previous plan in scratch if the current plan
 * has equal step ends. */
static void recall_ends(const nnc_pass_entry *p, const nnc_step *step, nnc_scratch *scratch) {
    nnc_estimate_cache *shared = scratch->shared;
    if (shared->ended != p || (shared->ended_passes != step->plan->micro_batches && counts_passes(step))) {
        nnc_step_ends_find(step, &scratch->step, &scratch->ends);
    }
    shared->ended = p;
    shared->ended_passes = step->plan->micro_batches;
}

/* Tests whether the estimate can end without times, because the caller needs times only of plans that fit
 * (scratch->fits_only) and this plan does not fit. */
static bool ends_untimed(const nnc_scratch *scratch, const nnc_result *r) {
    return scratch->fits_only && scratch->brief && r->plan.mode == NNC_MODE_PREDICTED &&
           (r->verdict == NNC_OVER_MEMORY || (scratch->tight_too && r->verdict == NNC_TIGHT));
}

static void keep_over(nnc_estimate_cache *shared, const nnc_software *software, const nnc_result *r) {
    if (shared->promised && r->verdict == NNC_OVER_MEMORY) {
        shared->over = r->plan;
        shared->over_bytes = (double)r->memory.total_bytes;
        memcpy(&shared->over_software, software, sizeof *software);
    }
}

/* Tests whether a plan surely does not fit, because it needs at least as much memory as `over`, the last plan that did
 * not fit. The plan and the earlier plan `over` must be equal, except that the plan may have a larger micro-batch or,
 * without a pipeline, more micro-batches. Returns false for very large memory, for which an estimate may report an
 * error instead of a verdict. */
static bool is_over_too(const nnc_estimate_cache *shared, const nnc_software *software, const nnc_plan *plan) {
    const nnc_plan *over = &shared->over;
    /* 2^52 bytes, half of the largest memory for which an estimate gives a verdict */
    const double most = 4503599627370496.0;
    nnc_plan like = *plan;
    like.micro_batch = over->micro_batch;
    like.micro_batches =
        plan->pipeline == 1 && plan->micro_batches > over->micro_batches ? over->micro_batches : plan->micro_batches;
    like.global_batch = over->global_batch;
    like.tokens = over->tokens;
    like.samples = over->samples;
    like.price = over->price;
    like.overlap = over->overlap;
    return shared->over_bytes > 0.0 && plan->micro_batch >= over->micro_batch &&
           shared->over_bytes / (double)over->micro_batch * (double)plan->micro_batch < most &&
           nnc_same_bytes(&like, over, sizeof like) &&
           nnc_same_bytes(software, &shared->over_software, sizeof *software);
}

/* Sets the sizes of the model and the memory in *r for a plan whose passes are in the cache. */
static void weigh_known(const nnc_model *model, const nnc_software *software, nnc_pass_entry *p, nnc_scratch *scratch,
                        nnc_result *r) {
    p->step.plan = &r->plan;
    p->step.software = software;
    p->step.ends = &scratch->ends;
    describe(scratch->shared, p->alike, &p->step, r);
    recall_memory(model, p, &p->step, scratch, r);
}

/* Computes the times of a plan whose passes are in the cache, and completes its estimate. The memory in *r must be set
 * before the call. */
static nnc_status time_known(const nnc_model *model, nnc_pass_entry *p, nnc_scratch *scratch, nnc_result *r,
                             nnc_error *err) {
    nnc_estimate_cache *shared = scratch->shared;
    const double share = adds_of(&p->step);
    nnc_step_work(&p->step, &p->work, r);
    recall_ends(p, &p->step, scratch);
    if (!nnc_same_bytes(&p->grad_accumulate, &share, sizeof share) ||
        !nnc_same_bytes(&p->overlap, &r->plan.overlap, sizeof p->overlap)) {
        /* compared with the plan of the entry, this plan changes only the weight-gradient ops of the op list */
        if (shared->added != p) {
            prepare_again(&p->step, p->alike);
            build_rest(shared, p->alike, &p->step);
            shared->added = p;
        }
        join_rows(shared, p->alike, &p->step, &scratch->rows);
        nnc_step_segment_times(&p->step, &scratch->rows, p->units);
        p->grad_accumulate = share;
        p->overlap = r->plan.overlap;
    }
    NNC_TRY(nnc_estimate_time_parts(&p->step, p->units, scratch, r, err));
    return nnc_estimate_finish(model, shared->device, &p->step, r, err);
}

/* ---- the estimate of a plan with all caches ---- */

/* Tests whether the passes of the current estimate are worth storing: the caller has called nnc_scratch_share, and at
 * least two plans have used the op list. */
static bool lasts(const nnc_estimate_cache *shared) { return shared->promised && shared->last->found; }

/* Computes the times as nnc_estimate_time does. If the estimate is brief, stores its passes in the cache of passes. */
static nnc_status time_and_keep(const nnc_model *model, nnc_step *step, nnc_scratch *scratch, nnc_result *r,
                                nnc_error *err) {
    nnc_estimate_cache *shared = scratch->shared;
    nnc_segment_time units[NNC_SEGMENTS_MAX];
    if (!lasts(shared) || !nnc_estimate_is_brief(scratch, &r->plan)) {
        return nnc_estimate_time(model, step, scratch, r, err);
    }
    if (r->memory.total_bytes == 0) { nnc_stage_memory(step, model, true, &scratch->step, r); }
    nnc_step_ends_find(step, &scratch->step, &scratch->ends);
    step->ends = &scratch->ends;
    nnc_step_segment_times(step, &scratch->rows, units);
    keep_pass(shared, step, units, r);
    return nnc_estimate_time_parts(step, units, scratch, r, err);
}

static nnc_status estimate_shared(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                  const nnc_plan *plan, nnc_scratch *scratch, nnc_result *r, nnc_error *err) {
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_step step;
    nnc_lowered *alike = NULL;
    nnc_estimate_cache *shared = scratch->shared;
    nnc_estimate_begin(scratch, r);
    NNC_TRY(nnc_plan_resolve_for(plan, model, device, software, &r->plan, err));
    if (scratch->fits_only && scratch->verdict_only && nnc_estimate_is_brief(scratch, &r->plan) &&
        is_over_too(shared, software, &r->plan)) {
        r->verdict = NNC_OVER_MEMORY;
        return NNC_OK;
    }
    nnc_pass_entry *known = shared->promised && scratch->brief && r->plan.mode == NNC_MODE_PREDICTED
                                ? nnc_pass_find(shared, &r->plan, software)
                                : NULL;
    if (known != NULL) {
        weigh_known(model, software, known, scratch, r);
        if (scratch->untimed) { return NNC_OK; }
        if (ends_untimed(scratch, r)) {
            keep_over(shared, software, r);
            return nnc_estimate_untimed(model, r, err);
        }
        if (known->timed) { return time_known(model, known, scratch, r, err); }
    }
    shared->partitioned = shared->ended = NULL;
    NNC_TRY(nnc_prepare_list(shared, software, &r->plan, &scratch->network, &step, sums, &alike, err));
    nnc_step_partition(&step, &scratch->step);
    if (scratch->fits_only) {
        nnc_stage_memory(&step, model, true, &scratch->step, r);
        if (scratch->untimed) { return NNC_OK; }
        if (ends_untimed(scratch, r)) {
            describe(shared, alike, &step, r);
            if (lasts(shared)) { keep_pass(shared, &step, NULL, r); }
            keep_over(shared, software, r);
            return nnc_estimate_untimed(model, r, err);
        }
    }
    if (scratch->workless && !shared->promised) {
        describe(shared, alike, &step, r);
    } else {
        nnc_prepare_work(scratch, alike, &step, r);
    }
    nnc_lowered_rows(shared, alike, &step, &scratch->rows);
    NNC_TRY(time_and_keep(model, &step, scratch, r, err));
    return nnc_estimate_finish(model, device, &step, r, err);
}

void nnc_estimate_cache_begin(nnc_estimate_cache *shared, const nnc_model *model, const nnc_device *device) {
    shared->model = model;
    shared->device = device;
    shared->partitioned = shared->ended = shared->added = NULL;
    shared->over_bytes = 0.0;
    shared->recalled = 0;
    nnc_memo_clear(&shared->products);
    nnc_memo_clear(&shared->alikes);
    nnc_memo_clear(&shared->passes);
    nnc_memo_clear(&shared->ends);
    nnc_memo_clear(&shared->partitions);
}

/* Decides whether an estimate uses the caches. An estimate uses the caches if the previous estimate had an equal model
 * and device, or if the caller states in scratch->lists that more estimates of this model follow. After
 * nnc_scratch_share the caches are always used. */
static void compare_specs(const nnc_scratch *scratch, const nnc_model *model, const nnc_device *device) {
    nnc_estimate_cache *shared = scratch->shared;
    /* true: the op list of the model follows from the bytes of its struct alone; false for a graph, a captured program
     * or a model with towers, whose op list depends on further data */
    const bool whole = model->family != NNC_FAMILY_GRAPH && model->captured == NULL && model->tower_count == 0;
    if (shared->promised) { return; }
    if (!whole || !nnc_same_bytes(&shared->last_model, model, sizeof *model) ||
        !nnc_same_bytes(&shared->last_device, device, sizeof *device)) {
        memcpy(&shared->last_model, model, sizeof *model);
        memcpy(&shared->last_device, device, sizeof *device);
        nnc_memo_clear(&shared->products);
        shared->model = NULL;
        /* the caches stay empty, because it is possible that no further estimate of this model follows */
        if (!whole || scratch->lists == 0) { return; }
    }
    if (shared->model == NULL) { nnc_estimate_cache_begin(shared, model, device); }
    /* the model and the device have the same bytes as those of the cache, but their addresses may be different */
    shared->model = model;
    shared->device = device;
}

static nnc_status estimate(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                           const nnc_plan *plan, nnc_scratch *scratch, nnc_result *result, nnc_error *err) {
    nnc_estimate_cache *shared = scratch->shared;
    shared->recalled = 0;
    compare_specs(scratch, model, device);
    /* alikes.ways is the number of op lists that are kept at the same time; 1: each list replaces the previous list,
     * because later plans may not need the previous list */
    shared->alikes.ways = shared->promised ? shared->alikes.slots : scratch->lists > 0 ? scratch->lists : 1;
    if (shared->model == model && shared->device == device && scratch->why == NULL) {
        return estimate_shared(model, device, software, plan, scratch, result, err);
    }
    shared->partitioned = shared->ended = NULL;
    if (scratch->untimed) { return nnc_estimate_memory(model, device, software, plan, scratch, result, err); }
    return nnc_estimate_once(model, device, software, plan, scratch, result, err);
}

/* ---- creates and frees a scratch ---- */

static bool create_lists(nnc_memo *memo, uint32_t count) {
    return nnc_memo_create(memo, count, count, sizeof(list_key), 0, sizeof(nnc_lowered));
}

enum {
    LOAD_BYTES = 6 << 20
    /* largest number of bytes that 16 simulations of 10,000 requests need; the operating system provides memory only
     * for pages that are used */
};

void *nnc_scratch_load(nnc_scratch *scratch, size_t bytes) {
    if (scratch->load_bytes < bytes) {
        free(scratch->load);
        scratch->load = malloc(bytes);
        scratch->load_bytes = scratch->load != NULL ? bytes : 0;
    }
    return scratch->load;
}

/* A scratch and its cache, allocated as one block: two blocks would need twice as many calls of the operating
 * system. */
typedef struct whole_scratch {
    nnc_scratch scratch; /* first member, so that the address of the scratch is the address of the whole struct */
    nnc_estimate_cache shared;
    void *block; /* memory that holds this struct; see nnc_alloc_at_line */
} whole_scratch;

/* Replays of pipelines read and write 32 bytes at once, and none of these accesses should cross the border between two
 * cache lines. In 32-bit programs the offsets of the struct members differ, but replays do not read or write 32 bytes
 * at once there. */
_Static_assert(sizeof(void *) == 4 ||
                   (offsetof(whole_scratch, scratch.step.pipeline) + offsetof(nnc_pipeline_memory, tracks)) % 32 == 0,
               "the tracks of a replay are not aligned");

void *nnc_alloc_at_line(size_t size, void **block) {
    enum { LINE = 64 }; /* bytes of a cache line */
    char *all = *block = calloc(1, size + LINE);
    return all != NULL ? all + LINE - (uintptr_t)all % LINE : NULL;
}

nnc_scratch *nnc_scratch_create(void) {
    void *block = NULL;
    whole_scratch *whole = nnc_alloc_at_line(sizeof *whole, &block);
    if (whole == NULL) { return NULL; }
    nnc_scratch *made = &whole->scratch;
    made->estimate = estimate;
    made->shared = &whole->shared;
    whole->block = block;
    if (!create_lists(&made->shared->alikes, NNC_LOWERED_LISTS) || nnc_scratch_load(made, LOAD_BYTES) == NULL) {
        nnc_scratch_destroy(made);
        return NULL;
    }
    return made;
}

void nnc_scratch_destroy(nnc_scratch *scratch) {
    if (scratch != NULL) {
        nnc_memo_destroy(&scratch->shared->products);
        nnc_memo_destroy(&scratch->shared->alikes);
        nnc_memo_destroy(&scratch->shared->passes);
        nnc_memo_destroy(&scratch->shared->ends);
        nnc_memo_destroy(&scratch->shared->partitions);
        free(scratch->load);
        free(((whole_scratch *)scratch)->block);
    }
}

/* Creates the cache of product times and the other caches that only a search uses. Returns false if memory ran out. */
static bool create_search(nnc_scratch *scratch) {
    nnc_estimate_cache *shared = scratch->shared;
    shared->timer = (nnc_op_timer){ time_op, &shared->products };
    scratch->rows.timer = scratch->ideal_rows.timer = &shared->timer;
    return nnc_memo_create(&shared->products, PRODUCTS, PRODUCT_WAYS, sizeof(product_key), offsetof(product_key, batch),
                           sizeof(nnc_timing)) &&
           nnc_search_memos_create(shared);
}

bool nnc_scratch_share(nnc_scratch *scratch, const nnc_model *model, const nnc_device *device, bool search) {
    nnc_estimate_cache *shared = scratch->shared;
    /* first call with this scratch: creates the cache of passes and the caches of a search */
    if (shared->passes.slots == 0) {
        if (!nnc_memo_create(&shared->passes, PASSES, PASS_WAYS, sizeof(nnc_plan), sizeof(nnc_plan),
                             sizeof(nnc_pass_entry)) ||
            (search && !create_search(scratch))) {
            return false;
        }
    }
    shared->promised = true;
    nnc_estimate_cache_begin(shared, model, device);
    return true;
}

/* ---- caches that only a search uses ---- */

/* ---- cache of step ends (the work of a device after its last backward) ---- */

/* Key of the cache of step ends: all values on which the step end of a stage depends, for one model, device file and
 * network. The key has the trained parameters of the stage, and the plan without the fields that only change passes and
 * their order. */
typedef struct end_key {
    uint64_t degrees; /* hash of the degrees of the plan (data, tensor, pipeline, shard), ZeRO stage and offload */
    nnc_step_end_params params;
    nnc_plan plan;
    const nnc_software *software;
    int64_t passes; /* number of passes in a step; 0 = the step end does not depend on this number */
} end_key;

enum { ENDS = 1024, END_WAYS = 4 };

static void set_plan(end_key *key, const nnc_step *step) {
    const nnc_plan *plan = step->plan;
    const bool every_pass = plan->zero == 2 || nnc_step_adds_gradients(step);
    memcpy(&key->plan, plan, sizeof key->plan);
    /* Micro-batch and recomputation stay in the key of a step end if the device file states new_bytes_per_s: they
     * change the activations, and thus the memory that a step allocates for the first time. */
    if (!(step->device->host.new_bytes_per_s > 0.0)) {
        key->plan.micro_batch = key->plan.micro_batches = 0;
        key->plan.recompute = 0;
    }
    key->plan.sequence_parallel = false;
    key->plan.schedule = NNC_SCHEDULE_1F1B;
    key->plan.virtual_stages = 0;
    key->degrees = ((((uint64_t)plan->data * 31 + (uint64_t)plan->tensor) * 31 + (uint64_t)plan->pipeline) * 31 +
                    (uint64_t)plan->shard) *
                       31 +
                   (uint64_t)plan->zero * 8 + plan->offload;
    key->software = step->software;
    key->passes = every_pass ? nnc_step_passes(plan) : 0;
}

static const nnc_step_end *find_end(nnc_memo *memo, const nnc_step *step, const nnc_stage_residency *holding) {
    end_key key;
    set_plan(&key, step);
    key.params = nnc_step_end_params_of(step, holding);
    nnc_step_end *end = nnc_memo_find(memo, &key);
    if (end == NULL) {
        end = nnc_memo_add(memo, &key);
        nnc_step_end_find(step, &key.params, end);
    }
    return end;
}

void nnc_step_ends_recall(nnc_scratch *scratch, const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX]) {
    nnc_step_memory *m = &scratch->step;
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    for (int32_t d = 0; d < step->plan->pipeline; d++) {
        if (m->alike[d]) {
            nnc_step_end_set_alike(m, d);
            continue;
        }
        const nnc_step_end *end = find_end(&scratch->shared->ends, step, &m->holdings[d]);
        m->own_ends[d] = nnc_step_end_expose(step, units, &m->holdings[d], &overlap, end);
        nnc_step_end_set(m, d, &m->own_ends[d]);
    }
}

/* ---- cache of partitions (which layers each stage holds) ---- */

enum { PARTITIONS = 256, PARTITION_STAGES = 32, PARTITION_VIRTUAL = 64 };

typedef struct partition {
    int32_t virtual_stages;
    bool alike[PARTITION_STAGES], virtual_alike[PARTITION_VIRTUAL];
    nnc_stage_residency holdings[PARTITION_STAGES];
    nnc_stage_layers shares[PARTITION_VIRTUAL];
} partition;

uint64_t nnc_list_layers_digest(const nnc_op_list *list) {
    const uint64_t factor = 0x100000001b3;
    uint64_t digest = 0;
    for (int32_t s = 0; s < list->segment_count; s++) {
        const nnc_segment *segment = &list->segments[s];
        digest = (digest ^ ((uint64_t)segment->instances * 2 + (segment->layer ? 1 : 0))) * factor;
    }
    for (int32_t i = 0; i < list->mixed_count; i++) { digest = (digest ^ list->mixed[i]) * factor; }
    return digest;
}

/* Returns the key of a plan in the cache of partitions. If two plans have the same key, each stage holds the same
 * layers under both plans. Returns 0 if the pipeline is too long for the cache. */
static uint64_t key_of(const nnc_plan *plan, uint64_t layers) {
    const int32_t chunks = nnc_schedule_chunks(plan);
    const bool full = (plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    if (plan->pipeline > PARTITION_STAGES || chunks > PARTITION_VIRTUAL / plan->pipeline) { return 0; }
    return (layers << 24) | (plan->ends_as_layers ? 1u << 23 : 0) | ((uint64_t)chunks << 16) |
           ((uint64_t)plan->pipeline << 3) | (nnc_schedule_dual(plan) ? 4 : 0) |
           (nnc_schedule_ends_meet(plan) ? 2 : 0) | (full ? 1 : 0);
}

static void keep(const nnc_step_memory *m, int32_t stages, partition *to) {
    const size_t count = (size_t)m->partition.virtual_stages, devices = (size_t)stages;
    to->virtual_stages = m->partition.virtual_stages;
    memcpy(to->alike, m->alike, devices * sizeof m->alike[0]);
    memcpy(to->virtual_alike, m->partition.alike, count * sizeof m->partition.alike[0]);
    memcpy(to->holdings, m->holdings, devices * sizeof m->holdings[0]);
    memcpy(to->shares, m->partition.shares, count * sizeof m->partition.shares[0]);
}

static void recall(const partition *from, int32_t stages, int32_t segments, nnc_step_memory *m) {
    const size_t count = (size_t)from->virtual_stages, devices = (size_t)stages;
    m->partition.stages = stages;
    m->partition.virtual_stages = from->virtual_stages;
    m->partition.segments = segments;
    memcpy(m->alike, from->alike, devices * sizeof m->alike[0]);
    memcpy(m->partition.alike, from->virtual_alike, count * sizeof m->partition.alike[0]);
    for (size_t d = 0; d < devices; d++) { nnc_stage_residency_copy(&m->holdings[d], &from->holdings[d]); }
    memcpy(m->partition.shares, from->shares, count * sizeof m->partition.shares[0]);
}

void nnc_step_partition_recall(nnc_scratch *scratch, const nnc_step *step, uint64_t layers) {
    nnc_memo *memo = &scratch->shared->partitions;
    nnc_step_memory *m = &scratch->step;
    const nnc_plan *plan = step->plan;
    const uint64_t key = key_of(plan, layers);
    if (key != 0 && scratch->shared->recalled == key) {
        (void)nnc_step_partition_again(step, m);
        return;
    }
    scratch->shared->recalled = key;
    const partition *known = key != 0 ? nnc_memo_find(memo, &key) : NULL;
    if (known != NULL) {
        recall(known, plan->pipeline, step->list->segment_count, m);
        (void)nnc_step_partition_again(step, m);
        return;
    }
    nnc_step_partition(step, m);
    if (key != 0) { keep(m, plan->pipeline, nnc_memo_add(memo, &key)); }
}

bool nnc_search_memos_create(nnc_estimate_cache *shared) {
    return nnc_memo_create(&shared->ends, ENDS, END_WAYS, sizeof(end_key), offsetof(end_key, plan),
                           sizeof(nnc_step_end)) &&
           nnc_memo_create(&shared->partitions, PARTITIONS, 4, sizeof(uint64_t), sizeof(uint64_t), sizeof(partition));
}
