/* Results that are remembered between estimates. The functions of estimate/ know no cache; an nnc_scratch of this folder
 * gives them the same digits faster. Each cache below: key, value, when an entry is invalid, gain (instructions without
 * the cache, relative to those with it, of the command where it gains most).
 *
 * | cache          | key                                | value                        | invalid when            | gain |
 * |----------------|------------------------------------|------------------------------|-------------------------|------|
 * | lowered lists  | plan fields that the op list       | op list before and after     | model or device change  | 2.0  |
 * |                | depends on; software profile       | sharding, sums, op table     |                         | sweep|
 * | passes         | plan without the number of         | segment times, sums, work,   | its lowered list is     | 1.3  |
 * |                | micro-batches, run length, price   | routes                       | replaced; profile       | sweep|
 * | product times  | dims, format and work of a matrix  | its nnc_timing               | device changes          | 1.07 |
 * |                | product                            |                              |                         |search|
 * | step ends      | plan without order of passes;      | collectives and updates of   | model or device change  | 1.08 |
 * |                | trained parameters of the device   | the step end, with times     |                         |search|
 * | partitions     | schedule, stages, virtual stages,  | layers of each stage         | op list changes         | 1.07 |
 * |                | full recomputation                 |                              |                         |search|
 *
 * The last three gain less than 1.3, and stay because a search without them is 25 % slower. */
#ifndef NNCOST_MEMO_MEMO_INTERNAL_H
#define NNCOST_MEMO_MEMO_INTERNAL_H

#include "estimate/estimate_internal.h"

/* ---- memo.c: the mechanism ---- */

/* A cache of results by the bytes of their keys. Padding of a key must be set: use memset, or members of 8 bytes. */
typedef struct nnc_memo {
    uint32_t slots, ways, count, turn;
    size_t key_size, value_at, stride;
    uint32_t *at;
    unsigned char *entries;
} nnc_memo;

/* Space for `slots` entries, a power of two; a key may be in `ways` slots. false: out of memory. Memory is touched as
 * entries come. */
bool nnc_memo_create(nnc_memo *memo, uint32_t slots, uint32_t ways, size_t key_size,
                     size_t value_size);
void nnc_memo_destroy(nnc_memo *memo);

/* The value of a key; NULL = none. It stays in place until it is replaced. */
void *nnc_memo_find(const nnc_memo *memo, const void *key);
/* The value of a key that nnc_memo_find did not find, for the caller to fill: bytes of an old value, or zeros. */
void *nnc_memo_add(nnc_memo *memo, const void *key);

/* Forgets all entries; takes no time. */
static inline void nnc_memo_clear(nnc_memo *memo)
{
    memo->count = 0;
}

/* The i-th entry in order of arrival, i < count. */
void *nnc_memo_value(const nnc_memo *memo, uint32_t index);

/* ---- estimate_memo.c: lowered lists, product times, passes ---- */

/* A lowered op list with its sums and its table. */
typedef struct nnc_alike {
    bool listed, found, worked, tabled; /* found: for a second plan */
    uint64_t list_number;               /* unique per list */
    nnc_software software;
    nnc_op_list whole; /* before sharding */
    nnc_op_list list;  /* of one rank; entries past `count` are added by the last plan */
    int32_t count;
    double grad_accumulate; /* of the list and the table */
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_pass_work work; /* if recomputation does not depend on the stage */
    nnc_rows rows;      /* of those `count` ops, over these routes */
    nnc_route routes[NNC_ROUTES_OF_LAYERS];
    uint64_t table; /* unique per table; 0 = none yet */
} nnc_alike;

/* Passes of plans that differ only in their number. Borrows segments and blocks of the op list of its nnc_alike. */
typedef struct nnc_pass_entry {
    nnc_alike *alike;
    uint64_t list_number; /* of that list; another number: the entry is invalid */
    nnc_step step;        /* plan, software and step ends are those of the plan that asks */
    nnc_network network;
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_pass_work work;
    double grad_accumulate; /* of the units */
    nnc_unit units[NNC_SEGMENTS_MAX];
} nnc_pass_entry;

/* The caches of a scratch. With the promise of nnc_scratch_share, model and device stay as they are; without it they are
 * compared byte by byte with those of the previous estimate. */
enum { NNC_ALIKE = 4 };
typedef struct nnc_shared {
    const nnc_model *model; /* NULL: nothing is shared */
    const nnc_device *device;
    bool promised;
    nnc_model last_model; /* of the previous estimate, without the promise */
    nnc_device last_device;
    uint64_t lists, tables; /* made so far */
    nnc_op_timer timer;
    nnc_memo products, alikes, passes, ends, end_seconds, partitions;
    nnc_alike *last;             /* the last that was found; NULL = none yet */
    const nnc_pass_entry *dealt; /* the entry whose stages and memory are current; NULL = none */
    int64_t dealt_passes;        /* of the plan whose step ends are current */
    nnc_memory memory;
    int32_t memory_stage;
} nnc_shared;

/* From now on plans share their lists, until this is called again: model and device must not change. false: out of
 * memory. */
bool nnc_scratch_share(nnc_scratch *scratch, const nnc_model *model, const nnc_device *device);

/* Empties the caches, for a model on a device. */
void nnc_shared_begin(nnc_shared *shared, const nnc_model *model, const nnc_device *device);

/* The entry of a plan under its profile; NULL = none. */
nnc_pass_entry *nnc_pass_find(const nnc_shared *shared, const nnc_plan *plan,
                              const nnc_software *software);

/* The estimate in parts, for a search, which looks at the memory of a plan before its times. The list of one rank and its
 * sums; */
nnc_status nnc_prepare_list(nnc_shared *shared, const nnc_software *software, const nnc_plan *plan,
                            nnc_network *network, nnc_step *step,
                            nnc_segment_sums sums[NNC_SEGMENTS_MAX], nnc_alike **alike,
                            nnc_error *err);
/* the work, by the segments of each device in scratch (this overwrites scratch->rows); */
void nnc_prepare_work(nnc_scratch *scratch, nnc_alike *alike, const nnc_step *step, nnc_result *r);
/* the number of the table that the plans of a list share, made if needed; */
uint64_t nnc_alike_table(nnc_shared *shared, nnc_alike *alike, const nnc_step *step);
/* the table with the ops that the last plan added. */
void nnc_alike_rows(nnc_shared *shared, nnc_alike *alike, const nnc_step *step, nnc_rows *rows);

/* ---- search_memo.c: step ends and partitions of a search ---- */

/* nnc_tail_stages for the stages in scratch, through two caches. like: a number that equal units, and equal plans but for
 * the order of passes, share, and that is not used again. Needs nnc_scratch_share. */
void nnc_tail_stages_recall(nnc_scratch *scratch, const nnc_step *step,
                            const nnc_unit units[NNC_SEGMENTS_MAX], uint64_t like);

/* nnc_step_deal through a cache, for plans of one list that differ only in pipeline, schedule, virtual stages,
 * micro-batches and full recomputation. Long pipelines are not kept. */
void nnc_step_deal_recall(nnc_scratch *scratch, const nnc_step *step);

/* Creates the caches. false: out of memory. */
bool nnc_search_memos_create(nnc_shared *shared);

#endif
