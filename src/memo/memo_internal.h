/* Caches of results between estimates. The functions of estimate/ use no cache. With an nnc_scratch of this folder,
 * estimates are faster, and their results bitwise equal. All caches use the hash table of memo.c. "gain" is the number
 * of instructions without the cache, divided by the number with it, for the command that gains most.
 *
 *     lowered lists   gain 2.0 (sweep over micro-batches)
 *         key      plan fields that an op list depends on (nnc_plan_lowering_key), software profile
 *         value    op list before and after sharding, sums of segments, model FLOPs, op table
 *         invalid  when model or device change
 *     passes          gain 1.3 (the same sweep)
 *         key      plan without the number of micro-batches, length of the run, price and overlap
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
 *         key      stages, chunks, whether micro-batches enter at both ends, whether one device has both embedding and
 *                  head, full recomputation
 *         value    segments of each stage
 *         invalid  when model or device change
 *
 * Each of the last three gains less than 1.3. They stay because a search without all three takes about a quarter
 * longer. */
#ifndef NNCOST_MEMO_MEMO_INTERNAL_H
#define NNCOST_MEMO_MEMO_INTERNAL_H

#include "estimate/estimate_internal.h"

/* ---- memo.c: the hash table ---- */

typedef struct nnc_memo_slot {
    uint32_t entry, tag;
} nnc_memo_slot;

/* A cache of results. Keys are compared byte by byte, so the caller must also set their padding bytes (by memset), or
 * use only members of 8 bytes. */
typedef struct nnc_memo {
    uint32_t slots, ways, count, turn;
    size_t key_size, hashed, value_at, stride;
    uint64_t hash; /* hash of the key of the last nnc_memo_find */
    nnc_memo_slot *slot;
    unsigned char *entries;
} nnc_memo;

/* Creates a cache with places for `slots` entries. An entry may be in any of `ways` places; both numbers are powers of
 * two. The first `hashed` bytes of a key choose these places; all bytes are compared. Memory is touched only as entries
 * come. Returns false if out of memory. */
bool nnc_memo_create(nnc_memo *memo, uint32_t slots, uint32_t ways, size_t key_size, size_t hashed, size_t value_size);
void nnc_memo_destroy(nnc_memo *memo);

/* Returns the value of a key; NULL = not cached. The value keeps its address until another entry replaces it. */
void *nnc_memo_find(nnc_memo *memo, const void *key);
/* Adds a key that the last call of nnc_memo_find did not find. Returns the space for its value, which the caller
 * must fill. If the cache is full, the new entry replaces an old entry. */
void *nnc_memo_add(nnc_memo *memo, const void *key);

/* Forgets all entries. */
void nnc_memo_clear(nnc_memo *memo);

/* Returns the value of the entry that was added as number `index`, counted from 0; index < count. */
void *nnc_memo_value(const nnc_memo *memo, uint32_t index);

/* ---- memo.c: lowered lists, product times, passes ---- */

/* A lowered op list, with the sums of its segments and its op table. */
typedef struct nnc_lowered {
    bool listed, found, worked, tabled; /* listed: the op lists are valid; worked: `work` is valid; tabled: `rows` is
                                         * valid; found: a second plan has used the list */
    uint64_t list_number;               /* serial number of the list */
    nnc_software software;
    bool wholly;       /* true: `whole` is valid; a search makes it only when it needs it */
    nnc_op_list whole; /* op list of the whole model, before sharding */
    nnc_op_list list;  /* op list of one rank: `count` ops that all plans share, then the ops that the last plan
                        * added */
    int32_t count;
    double grad_accumulate; /* value of grad_accumulate (see nnc_op) for which the list and the table were made */
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_pass_work work; /* FLOPs of one micro-batch; set if recomputation does not depend on the stage */
    nnc_rows rows;      /* op table of the first `count` ops, with collectives timed on `routes` */
    nnc_route routes[NNC_ROUTES_OF_LAYERS];
    bool summed;       /* true: `least_s` is valid for `routes` */
    double least_s;    /* time of one micro-batch in all layers; see nnc_lowered_least_s */
    double least_adds; /* value of grad_accumulate for which `least_s` was computed */
} nnc_lowered;

/* Results that plans with different numbers of micro-batches share, such as the times of a pass. Segments and recompute
 * blocks of the op list are not copied; they stay in `alike`. */
typedef struct nnc_pass_entry {
    nnc_lowered *alike;
    uint64_t list_number; /* list_number of `alike` when the entry was made; if alike->list_number differs now, the
                           * entry is invalid */
    nnc_step step;        /* the step; its plan, profile and step ends are set again for each estimate */
    nnc_network network;
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_pass_work work;
    bool timed;             /* true: `units` and `work` are set; false: the plan needs too much memory, so it has no
                             * times */
    double grad_accumulate; /* value of grad_accumulate (see nnc_op) for which `units` were computed */
    double overlap;         /* value of `overlap` in the plan for which `units` were computed */
    nnc_segment_time units[NNC_SEGMENTS_MAX];
} nnc_pass_entry;

/* NNC_LOWERED_LISTS: most op lists in the caches of a scratch. A caller of nnc_scratch_share promises that model and
 * device do not change. Without this promise, each estimate compares both byte by byte with the model and device of the
 * previous estimate. */
enum { NNC_LOWERED_LISTS = 4 };
typedef struct nnc_estimate_cache {
    const nnc_model *model; /* model of the cached results; NULL = no results are cached */
    const nnc_device *device;
    bool promised;
    nnc_model last_model; /* model of the previous estimate, compared if nnc_scratch_share was not called */
    nnc_device last_device;
    uint64_t lists; /* number of lists made so far */
    nnc_op_timer timer;
    nnc_memo products, alikes, passes, ends, end_seconds, partitions;
    nnc_lowered *last;                 /* the lowered list of the previous estimate; NULL = no estimate yet */
    const nnc_pass_entry *partitioned; /* the entry to which stages and memory in scratch belong; NULL = no entry */
    nnc_rows rest;                     /* table of the ops that the last plan added to its list */
    const nnc_pass_entry *added;       /* the entry whose plan added the ops of `rest`; NULL = a plan without entry */
    const nnc_pass_entry *ended;       /* the entry to which the step ends in scratch belong; NULL = no entry */
    int64_t ended_passes;              /* number of micro-batches for which the step ends in scratch were computed */
    uint64_t recalled;                 /* key of the partition in scratch, if a search set it; 0 = another partition */
    nnc_memory memory;
    int32_t memory_stage;
    nnc_plan over; /* the last plan that needs too much memory, its profile and its bytes; over_bytes 0 = no plan yet */
    nnc_software over_software;
    double over_bytes;
} nnc_estimate_cache;

/* Lets all later plans share lowered op lists. Model and device must not change until the next call of this function.
 * search: also creates the caches that only a search uses. Returns false if out of memory. */
bool nnc_scratch_share(nnc_scratch *scratch, const nnc_model *model, const nnc_device *device, bool search);

/* Empties the caches of estimates and sets the model and device of later results. */
void nnc_estimate_cache_begin(nnc_estimate_cache *shared, const nnc_model *model, const nnc_device *device);

/* Returns the valid entry of a plan and its profile in the cache of passes; NULL = no entry. */
nnc_pass_entry *nnc_pass_find(nnc_estimate_cache *shared, const nnc_plan *plan, const nnc_software *software);

/* Prepares the op list of one rank and the sums of the list. A search calls the parts of an estimate one by one,
 * because it needs the memory of a plan before its times. */
nnc_status nnc_prepare_list(nnc_estimate_cache *shared, const nnc_software *software, const nnc_plan *plan,
                            nnc_network *network, nnc_step *step, nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                            nnc_lowered **alike, nnc_error *err);
/* Sets the FLOPs in the result, from the segments that each device holds (in scratch). Overwrites scratch->rows. */
void nnc_prepare_work(nnc_scratch *scratch, nnc_lowered *alike, const nnc_step *step, nnc_result *r);
/* Makes the op table of a plan, including the ops that the plan added to its list. Kernels are slowed down by expert
 * communication and by the power cap. */
void nnc_lowered_rows(nnc_estimate_cache *shared, nnc_lowered *alike, const nnc_step *step, nnc_rows *rows);

/* Returns a lower bound of the time of one micro-batch in all layers, in seconds. It leaves out recomputation, the ops
 * that a plan adds to its list, and the power limit. Each of these only adds time: more compute overlaps with more
 * communication, but the added compute takes at least as long. A cached bound also holds for a plan that adds to
 * gradients in more of its micro-batches, because adding takes no less time than writing. */
double nnc_lowered_least_s(nnc_estimate_cache *shared, nnc_lowered *alike, const nnc_step *step);
/* Returns a lower bound of the result of the last nnc_lowered_least_s that grows with the micro-batch: with r >= 1
 * times the micro-batch, the pass takes at least r times as long. It is the longest of three times: products
 * (nnc_product_least_s) plus traffic that nothing overlaps; all traffic on links within domains; all traffic on links
 * between domains. Traffic is at datasheet rates. */
double nnc_lowered_floor_s(const nnc_lowered *alike, const nnc_step *step);

/* ---- memo.c: step ends and partitions of a search ---- */

/* Sets the step ends of the stages in scratch as nnc_step_ends_set does, from two caches where possible. like: a number
 * that identifies `units` and the plan. Calls with the same number must have equal units, and their plans may differ
 * only in the order of passes. Needs nnc_scratch_share. */
void nnc_step_ends_recall(nnc_scratch *scratch, const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX],
                          uint64_t like);

/* Returns a digest of the layers of a list: the segments, and the order of their layers. */
uint64_t nnc_list_layers_digest(const nnc_op_list *list);

/* Distributes the layers over the stages as nnc_step_partition does, from a cache where possible. Op lists with equal
 * layers have an equal `layers` (nnc_list_layers_digest). Plans may differ only in pipeline, schedule, virtual stages,
 * micro-batches, full recomputation and the software profile. Partitions of long pipelines are not cached. */
void nnc_step_partition_recall(nnc_scratch *scratch, const nnc_step *step, uint64_t layers);

/* Creates the caches of step ends, their seconds, and partitions. Returns false if out of memory. */
bool nnc_search_memos_create(nnc_estimate_cache *shared);

#endif
