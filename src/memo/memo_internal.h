/* Caches of results between estimates. The functions of estimate/ use no cache; estimates with an nnc_scratch of this
 * folder are faster, and have results that are equal in every bit. All caches use the hash table of memo.c. For each
 * cache, this comment lists the values, the key, the changes that make entries invalid, and the largest gain: how many
 * times as many instructions a command executes without the cache.
 *
 * The cache of lowered lists has op lists before and after sharding, with the sums of segments, model FLOPs and op
 * table. The key of a lowered list is the software profile and the plan fields that an op list depends on
 * (nnc_plan_lowering_key). Lowered lists become invalid when model or device change. A sweep over micro-batches
 * executes 2.0 times as many instructions without the cache of lowered lists.
 *
 * The cache of passes has segment times, sums of segments, model FLOPs and routes. The key of an entry of the cache of
 * passes is the plan without the number of micro-batches, length of the run, price and overlap. An entry of the cache
 * of passes becomes invalid when its lowered list is replaced, or if the profile differs. A sweep over micro-batches
 * executes 1.3 times as many instructions without the cache of passes.
 *
 * The cache of product times has the nnc_timing of matrix products. The key of a product time is the dims, the format
 * and the work of the product. Product times become invalid when the device changes. A search executes 1.07 times as
 * many instructions without the cache of product times.
 *
 * The cache of step ends has the collectives and updates of step ends. The key of a step end is the plan without the
 * order of passes, and the trained parameters of the device. Step ends become invalid when model or device change. A
 * search executes 1.08 times as many instructions without the cache of step ends.
 *
 * The cache of partitions has the segments of each stage. The key of a partition is the stages, the chunks, whether
 * micro-batches enter at both ends, whether one device has both embedding and head, full recomputation, and the layers
 * of the list. Partitions become invalid when model or device change. A search of pipelines executes 1.07 times as many
 * instructions without the cache of partitions.
 *
 * Without one of the caches of product times, step ends and partitions, each command executes less than 1.3 times as
 * many instructions. The caches of product times, step ends and partitions are used all the same, because a search
 * without all three takes about a quarter longer. */
#ifndef NNCOST_MEMO_MEMO_INTERNAL_H
#define NNCOST_MEMO_MEMO_INTERNAL_H

#include "estimate/estimate_internal.h"

/* ---- memo.c: the hash table of all caches ---- */

typedef struct nnc_memo_slot {
    uint32_t entry, tag;
} nnc_memo_slot;

/* A cache: a hash table from keys to values. Keys are compared byte by byte. Because all bytes of a key count, the
 * caller must set the padding bytes of a key (with memset), or use keys whose members all have 8 bytes. */
typedef struct nnc_memo {
    uint32_t slots, ways, count, turn;
    size_t key_size, hashed, value_at, stride;
    uint64_t hash; /* hash of the key that the last call of nnc_memo_find looked for */
    nnc_memo_slot *slot;
    unsigned char *entries;
} nnc_memo;

/* Creates a cache with space for `slots` entries. The first `hashed` bytes of a key decide in which slots its entry can
 * be; `ways` is the number of these slots. Keys are compared in all bytes. slots and ways are powers of two. The
 * operating system provides memory only as entries are added. Returns false if memory ran out. */
bool nnc_memo_create(nnc_memo *memo, uint32_t slots, uint32_t ways, size_t key_size, size_t hashed, size_t value_size);
void nnc_memo_destroy(nnc_memo *memo);

/* Returns the address of the value that the cache has for a key; NULL = the key is not in the cache. The value stays at
 * the returned address until another entry replaces it. */
void *nnc_memo_find(nnc_memo *memo, const void *key);
/* Adds the key that the last call of nnc_memo_find has not found. Returns the space for the value of this key, which
 * the caller must fill. If all slots of the key are in use, the new entry replaces an old entry. */
void *nnc_memo_add(nnc_memo *memo, const void *key);

/* Removes all entries from a cache. */
void nnc_memo_clear(nnc_memo *memo);

/* Returns the value of the entry with number `index`; entries are numbered from 0 in the order in which they were
 * added. index must be below `count`. */
void *nnc_memo_value(const nnc_memo *memo, uint32_t index);

/* ---- memo.c: caches of lowered lists, product times and passes ---- */

/* An entry of the cache of lowered lists: the op lists of the whole model and of one rank, written for the plans that
 * share them, with the sums of their segments and the op table. */
typedef struct nnc_lowered {
    /* listed: the op lists are valid; worked: `work` is valid; tabled: `rows` is valid; found: a second plan has used
     * the list */
    bool listed, found, worked, tabled;
    uint64_t list_number; /* serial number of the op lists in this entry; nnc_estimate_cache.lists counts them */
    nnc_software software;
    bool wholly; /* true: `whole` is valid; a search writes `whole` only if it needs the list of the whole model */
    int32_t count;
    double grad_accumulate; /* value of nnc_op.grad_accumulate with which `list` and `rows` were computed */
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_pass_work work; /* FLOPs of one micro-batch; valid only if full recomputation is off, or runs all layers
                         * again */
    nnc_route routes[NNC_ROUTES_OF_LAYERS];
    bool summed;    /* true: `least_s` is valid for the current `routes` */
    double least_s; /* lower bound, in seconds, of the time of one micro-batch in all layers; see nnc_lowered_least_s */
    double least_adds; /* value of nnc_op.grad_accumulate with which `least_s` was computed */
    nnc_op_list whole; /* op list of the whole model, before it is divided over ranks */
    nnc_op_list list;  /* op list of one rank: first `count` ops, which are the same for all plans of this entry, then
                        * the ops that the last plan added */
    /* op table of the first `count` ops of `list`; the collectives in this table have the times of `routes` */
    nnc_rows rows;
} nnc_lowered;

/* Entry of the cache of passes: results of one micro-batch, such as its times, which plans with different numbers of
 * micro-batches share. The segments and recompute blocks of the op list are not copied into the entry; estimates read
 * them from the lowered list `alike`. */
typedef struct nnc_pass_entry {
    nnc_lowered *alike;
    /* value that alike->list_number had when this entry was made; the entry is invalid as soon as the two numbers
     * differ */
    uint64_t list_number;
    /* the step of the plan for which the entry was made; each later estimate that uses the entry replaces the plan, the
     * profile and the step ends in this step */
    nnc_step step;
    nnc_network network;
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_pass_work work;
    bool timed;             /* true: `units` and `work` are set; false: the plan needs too much memory, so its times
                             * were not computed */
    double grad_accumulate; /* value of nnc_op.grad_accumulate with which `units` were computed */
    double overlap;         /* value of nnc_plan.overlap with which `units` were computed */
    nnc_segment_time units[NNC_SEGMENTS_MAX];
} nnc_pass_entry;

/* NNC_LOWERED_LISTS: largest number of op lists that the caches of a scratch keep. `promised` is true after
 * nnc_scratch_share, whose caller promises that model and device do not change. Without the promise of
 * nnc_scratch_share, each estimate compares the bytes of its model and device with those of the previous estimate. */
enum { NNC_LOWERED_LISTS = 4 };
typedef struct nnc_estimate_cache {
    const nnc_model *model; /* model to which the cached results belong; NULL = the caches are empty */
    const nnc_device *device;
    bool promised;
    /* copy of the model of the previous estimate, compared with the next model unless `promised` is true */
    nnc_model last_model;
    nnc_device last_device;
    uint64_t lists; /* number of op lists that were written so far; the serial number of the newest one */
    nnc_op_timer timer;
    nnc_memo products, alikes, passes, ends, partitions;
    nnc_lowered *last; /* lowered list that the previous estimate used; NULL = there was no estimate yet */
    /* entry of the cache of passes to which the stages and the memory in scratch belong; NULL = they belong to no
     * entry */
    const nnc_pass_entry *partitioned;
    /* entry of the cache of passes for whose plan the ops of `rest` were listed; NULL = these ops were listed for a
     * plan without an entry */
    const nnc_pass_entry *added;
    /* entry of the cache of passes to which the step ends in scratch belong; NULL = they belong to no entry */
    const nnc_pass_entry *ended;
    int64_t ended_passes; /* number of micro-batches of the plan for which the step ends in scratch were computed */
    /* key of the partition that is in scratch; 0 = the partition in scratch was not set by nnc_step_partition_recall */
    uint64_t recalled;
    nnc_memory memory;
    int32_t memory_stage;
    /* the last plan that needed too much memory, its software profile, and the bytes that it needed; over_bytes 0 = no
     * such plan yet */
    nnc_plan over;
    nnc_software over_software;
    double over_bytes;
    nnc_rows rest; /* op table of the ops that the last plan added to its op list */
} nnc_estimate_cache;

/* Allocates memory filled with zeros that begins at a cache line, so that arrays in it can be aligned for vector
 * instructions. Sets *block to the address that free() needs. Returns NULL if memory ran out. */
void *nnc_alloc_at_line(size_t size, void **block);

/* Makes all later estimates with this scratch share their lowered op lists. Model and device must not change until the
 * next call of this function. search: true = also creates the caches that only a search uses. Returns false if memory
 * ran out. */
bool nnc_scratch_share(nnc_scratch *scratch, const nnc_model *model, const nnc_device *device, bool search);

/* Empties all caches of estimates, and sets the model and the device of the estimates that follow. */
void nnc_estimate_cache_begin(nnc_estimate_cache *shared, const nnc_model *model, const nnc_device *device);

/* Returns the entry that the cache of passes has for a plan and its software profile; NULL = the cache has no such
 * entry, or the op list of the entry was replaced since. */
nnc_pass_entry *nnc_pass_find(nnc_estimate_cache *shared, const nnc_plan *plan, const nnc_software *software);

/* Prepares the op list of one rank for a plan, and the sums of its segments. A search calls nnc_prepare_list and the
 * functions declared after it one by one, because the search needs the memory of a plan before the times of the
 * plan. */
nnc_status nnc_prepare_list(nnc_estimate_cache *shared, const nnc_software *software, const nnc_plan *plan,
                            nnc_network *network, nnc_step *step, nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                            nnc_lowered **alike, nnc_error *err);
/* Computes the FLOPs in *r from the segments that each device holds; scratch has these segments. Overwrites
 * scratch->rows. */
void nnc_prepare_work(nnc_scratch *scratch, nnc_lowered *alike, const nnc_step *step, nnc_result *r);
/* Makes the op table of a plan: the rows that plans with the same op list share, and the rows of the ops that only this
 * plan adds. The function then lengthens the times of kernels that share the device with expert communication, and of
 * kernels that the power cap slows down. */
void nnc_lowered_rows(nnc_estimate_cache *shared, nnc_lowered *alike, const nnc_step *step, nnc_rows *rows);

/* Returns a lower bound, in seconds, of the time of one micro-batch in all layers. The lower bound leaves out
 * recomputation, the ops that only this plan adds to its list, and the power limit. Recomputation, the added ops and
 * the power limit only add time: communication that overlaps with the added compute saves at most the time of this
 * compute. A cached bound is also valid for a plan in which a larger share of the micro-batches add to earlier
 * gradients, because adding takes at least as long as writing. */
double nnc_lowered_least_s(nnc_estimate_cache *shared, nnc_lowered *alike, const nnc_step *step);
/* Returns a second lower bound of the time of one micro-batch in seconds, for the op list of the last call of
 * nnc_lowered_least_s. The second lower bound is proportional to the micro-batch: with a micro-batch r times as large
 * (r >= 1), one pass takes at least r times this bound. The second lower bound is the largest of three times: the
 * matrix products (nnc_product_least_s) plus the traffic that cannot overlap; all traffic inside scale-up domains; all
 * traffic between scale-up domains. Traffic moves at datasheet rates. */
double nnc_lowered_floor_s(const nnc_lowered *alike, const nnc_step *step);

/* ---- memo.c: caches of step ends and partitions, which only a search uses ---- */

/* Sets the step ends of all stages in scratch as nnc_step_ends_set does, with collectives and updates from the cache.
 * nnc_scratch_share must have been called. */
void nnc_step_ends_recall(nnc_scratch *scratch, const nnc_step *step, const nnc_segment_time units[NNC_SEGMENTS_MAX]);

/* Returns a digest of the layers of an op list: of the number of instances of each segment, and of the order of
 * different layers. */
uint64_t nnc_list_layers_digest(const nnc_op_list *list);

/* Distributes the layers over the pipeline stages as nnc_step_partition does, or copies an equal result from the cache.
 * layers: digest of the layers (nnc_list_layers_digest). Between two calls, a plan may change only in pipeline,
 * schedule, virtual stages, micro-batches, full recomputation and software profile. Partitions of long pipelines are
 * not cached. */
void nnc_step_partition_recall(nnc_scratch *scratch, const nnc_step *step, uint64_t layers);

/* Creates the two caches that only a search uses: the cache of step ends, and the cache of partitions. Returns false if
 * memory ran out. */
bool nnc_search_memos_create(nnc_estimate_cache *shared);

#endif
