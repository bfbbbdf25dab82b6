/* Results that are remembered between estimates. The functions of estimate/ know no cache; the nnc_scratch that this
 * folder makes gives them the same digits faster. memo.c is the one mechanism; these are its uses. Gain: instructions
 * of the command that gains most, without the cache, over those with it.
 *
 *     lowered lists   gain 2.0 (sweep over micro-batches)
 *         key      plan fields that an op list depends on (nnc_plan_lowering_key), software profile
 *         value    op list before and after sharding, sums of segments, model FLOPs, op table
 *         invalid  when model or device change
 *     passes          gain 1.3 (the same sweep)
 *         key      plan without the number of micro-batches, length of the run and price
 *         value    segment times, sums of segments, model FLOPs, routes
 *         invalid  when its lowered list is replaced, or the profile differs
 *     product times   gain 1.07 (search)
 *         key      dims, format and work of a matrix product
 *         value    its nnc_timing
 *         invalid  when the device changes
 *     step ends, and their seconds    gain 1.08 (search)
 *         key      plan without the order of passes, and trained parameters or segments of the device
 *         value    collectives and updates of the step end; their exposed seconds
 *         invalid  when model or device change
 *     partitions      gain 1.07 (search of pipelines)
 *         key      schedule, stages, virtual stages, full recomputation
 *         value    segments of each stage
 *         invalid  when model or device change
 *
 * The last three gain less than 1.3; they stay because a search without them takes about a quarter longer. */
#ifndef NNCOST_MEMO_MEMO_INTERNAL_H
#define NNCOST_MEMO_MEMO_INTERNAL_H

#include "estimate/estimate_internal.h"

/* ---- memo.c: the mechanism ---- */

typedef struct nnc_memo_slot {
    uint32_t entry, tag;
} nnc_memo_slot;

/* A cache of results by the bytes of their keys. Padding of a key must be set: use memset, or members of 8 bytes. */
typedef struct nnc_memo {
    uint32_t slots, ways, count, turn;
    size_t key_size, hashed, value_at, stride;
    uint64_t hash; /* hash of the key that was looked for last */
    nnc_memo_slot *slot;
    unsigned char *entries;
} nnc_memo;

/* Space for `slots` entries; a key may be in `ways` slots, both powers of two. The first `hashed` bytes of a key choose its
 * slots; all bytes are compared. false: out of memory. Memory is touched as entries come. */
bool nnc_memo_create(nnc_memo *memo, uint32_t slots, uint32_t ways, size_t key_size, size_t hashed, size_t value_size);
void nnc_memo_destroy(nnc_memo *memo);

/* The value of a key; NULL = none. It stays in place until it is replaced. */
void *nnc_memo_find(nnc_memo *memo, const void *key);
/* Space for the value of a key that nnc_memo_find just missed; the caller fills it: its bytes are unset. */
void *nnc_memo_add(nnc_memo *memo, const void *key);

/* Forgets all entries. */
void nnc_memo_clear(nnc_memo *memo);

/* The i-th entry in order of arrival, i < count. */
void *nnc_memo_value(const nnc_memo *memo, uint32_t index);

/* ---- memo.c: lowered lists, product times, passes ---- */

/* A lowered op list with its sums and its table. */
typedef struct nnc_lowered {
    bool listed, found, worked, tabled; /* found: for a second plan */
    uint64_t list_number;               /* unique per list */
    nnc_software software;
    nnc_op_list whole; /* before sharding */
    nnc_op_list list;  /* ops of one rank; entries past `count` are added by the last plan */
    int32_t count;
    double grad_accumulate; /* value for the list and the table */
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_pass_work work; /* work of a pass, if recomputation does not depend on the stage */
    nnc_rows rows;      /* rows of those `count` ops, over these routes */
    nnc_route routes[NNC_ROUTES_OF_LAYERS];
} nnc_lowered;

/* Passes of plans that differ only in their number. Borrows segments and blocks of the op list of its nnc_lowered. */
typedef struct nnc_pass_entry {
    nnc_lowered *alike;
    uint64_t list_number; /* number of that list; another number: the entry is invalid */
    nnc_step step;        /* plan, software and step ends are set for each estimate */
    nnc_network network;
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_pass_work work;
    bool timed;             /* false: the plan was over memory; work and units are unset */
    double grad_accumulate; /* value for the units */
    nnc_segment_time units[NNC_SEGMENTS_MAX];
} nnc_pass_entry;

/* The caches of a scratch. With the promise of nnc_scratch_share, model and device stay as they are; without it they are
 * compared byte by byte with those of the previous estimate. */
enum { NNC_LOWERED_LISTS = 4 };
typedef struct nnc_estimate_cache {
    const nnc_model *model; /* NULL: nothing is shared */
    const nnc_device *device;
    bool promised;
    nnc_model last_model; /* model of the previous estimate, without the promise */
    nnc_device last_device;
    uint64_t lists; /* made so far */
    nnc_op_timer timer;
    nnc_memo products, alikes, passes, ends, end_seconds, partitions;
    nnc_lowered *last;                 /* the last that was found; NULL = none yet */
    const nnc_pass_entry *partitioned; /* the entry whose stages and memory are current; NULL = none */
    const nnc_pass_entry *ended;       /* the entry whose step ends are current; NULL = none */
    int64_t ended_passes;              /* passes of that plan */
    nnc_memory memory;
    int32_t memory_stage;
} nnc_estimate_cache;

/* From now on plans share their lists, until this is called again: model and device must not change. search: with the
 * caches that only a search gains from. false: out of memory. */
bool nnc_scratch_share(nnc_scratch *scratch, const nnc_model *model, const nnc_device *device, bool search);

/* Empties the caches, for a model on a device. */
void nnc_estimate_cache_begin(nnc_estimate_cache *shared, const nnc_model *model, const nnc_device *device);

/* The entry of a plan under its profile; NULL = none. */
nnc_pass_entry *nnc_pass_find(nnc_estimate_cache *shared, const nnc_plan *plan, const nnc_software *software);

/* The estimate in parts, for a search, which looks at the memory of a plan before its times. The list of one rank and its
 * sums; */
nnc_status nnc_prepare_list(nnc_estimate_cache *shared, const nnc_software *software, const nnc_plan *plan,
                            nnc_network *network, nnc_step *step, nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                            nnc_lowered **alike, nnc_error *err);
/* the work, by the segments of each device in scratch (this overwrites scratch->rows); */
void nnc_prepare_work(nnc_scratch *scratch, nnc_lowered *alike, const nnc_step *step, nnc_result *r);
/* the table with the ops that the last plan added. */
void nnc_lowered_rows(nnc_estimate_cache *shared, nnc_lowered *alike, const nnc_step *step, nnc_rows *rows);

/* ---- memo.c: step ends and partitions of a search ---- */

/* nnc_step_ends_set for the stages in scratch, through two caches. like: a number that equal units, and equal plans but for
 * the order of passes, share, and that is not used again. Needs nnc_scratch_share. */
void nnc_step_ends_recall(nnc_scratch *scratch, const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                          uint64_t like);

/* nnc_step_partition through a cache, for plans of one list that differ only in pipeline, schedule, virtual stages,
 * micro-batches and full recomputation. Long pipelines are not kept. */
void nnc_step_partition_recall(nnc_scratch *scratch, const nnc_step *step);

/* Creates the caches. false: out of memory. */
bool nnc_search_memos_create(nnc_estimate_cache *shared);

#endif
