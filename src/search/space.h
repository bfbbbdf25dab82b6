/* The space of a search: which values each choice takes, and the plan of a place in it. */
#ifndef NNCOST_SEARCH_SPACE_H
#define NNCOST_SEARCH_SPACE_H

#include <nncost/search.h>

/* Choices in the order they vary, the last fastest. Those up to pipeline decide what one rank
 * computes and form a block; the others reorder or move it. */
typedef enum nnc_axis {
    NNC_AXIS_TENSOR,
    NNC_AXIS_CONTEXT,
    NNC_AXIS_EXPERT,
    NNC_AXIS_SEQUENCE_PARALLEL,
    NNC_AXIS_MICRO_BATCH,
    NNC_AXIS_RECOMPUTE,
    NNC_AXIS_PIPELINE,
    NNC_BLOCK_AXES,
    NNC_AXIS_SCHEDULE = NNC_BLOCK_AXES,
    NNC_AXIS_VIRTUAL_STAGES,
    NNC_AXIS_ZERO,
    NNC_AXIS_OFFLOAD,
    NNC_AXES
} nnc_axis;

typedef struct nnc_space {
    nnc_choice axes[NNC_AXES];
    uint64_t blocks, block_size; /* plans in all: blocks * block_size */
} nnc_space;

/* Fills in every open choice. NNC_BAD_USAGE: more values than a choice holds. */
nnc_status nnc_space_make(const nnc_model *model, const nnc_device *device,
                          const nnc_search *search, nnc_space *space, nnc_error *err);

/* Sets the choices of a block, or of a plan inside it, in plan. */
void nnc_space_block(const nnc_space *space, uint64_t block, nnc_plan *plan);
void nnc_space_inside(const nnc_space *space, uint64_t inside, nnc_plan *plan);

/* Blocks of a shard (from 1) of shards, and the block that is number `place` of them, from 0. Of every
 * `shards` blocks in a row each shard has one, by turns without a period: choices vary with periods,
 * and every N-th block could be all of one pipeline degree. Shard 1 has the first block of all. */
uint64_t nnc_space_shard_size(const nnc_space *space, int32_t shard, int32_t shards);
uint64_t nnc_space_shard_block(uint64_t place, int32_t shard, int32_t shards);

/* Plans of a block that differ in ZeRO stage and offload alone form a group: sets the others of its choices; number inside
 * the group, from 0: sets these two. */
uint64_t nnc_space_group_size(const nnc_space *space);
void nnc_space_group(const nnc_space *space, uint64_t group, nnc_plan *plan);
void nnc_space_moved(const nnc_space *space, uint64_t inside, nnc_plan *plan);

#endif
