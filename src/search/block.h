/* The plans of a block of the space: what their ranks compute in a pass is worked out once. */
#ifndef NNCOST_SEARCH_BLOCK_H
#define NNCOST_SEARCH_BLOCK_H

#include "estimate/prepare.h"
#include "estimate/update.h"
#include "search/replays.h"
#include "search/space.h"

enum { NNC_PASSES_MAX = 8, NNC_PASS_STAGES = 4 };

/* What a rank computes in a pass under some of the choices inside a block. Of the op list that it points to only the
 * segments are read, and those are the model's. */
typedef struct nnc_pass {
    nnc_step step;
    nnc_alike *alike; /* its list; with what the pass adds while it is the last one listed */
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_unit units[2][NNC_SEGMENTS_MAX]; /* weight gradients with the rest of backward, or apart */
    nnc_network network;
    nnc_result work;                /* with the plan it was made for */
    double pass_s[2];               /* of all layers, one micro-batch */
    uint64_t number;                /* from 1, over all blocks */
    uint64_t holds;                 /* the group that held is of; 0 = none */
    nnc_held held[NNC_PASS_STAGES]; /* of the first of its heaviest stages */
    bool usable, worked, timed[2];  /* not timed: only what its memory needs is there */
    uint64_t group;                 /* that run is of, from 1; 0 = none yet */
    bool runs;                      /* the schedule can be replayed */
    nnc_step_times run;
    uint64_t waits; /* the group whose pipeline is on that track; 0 = none */
    nnc_replay_place track;
} nnc_pass;

/* Units of the last passes that add nothing to the table that they share. */
typedef struct nnc_table_units {
    uint64_t table; /* 0 = none */
    int apart;
    nnc_unit units[NNC_SEGMENTS_MAX];
    double pass_s;
} nnc_table_units;

typedef struct nnc_plan_block {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    const nnc_space *space;
    nnc_scratch *scratch;
    int64_t layers;         /* of the model */
    nnc_plan settled;       /* resolved plan of the group, but for ZeRO stage and offload */
    uint64_t number, group; /* groups count from 1, over all blocks */
    bool dealt, known;      /* layers of this group; allowed below */
    bool allowed[NNC_SEARCH_VALUES * NNC_SEARCH_VALUES]; /* ZeRO stages x offloads */
    const nnc_software *software[NNC_SEARCH_VALUES * NNC_SEARCH_VALUES]; /* of each */
    bool schedules[NNC_SCHEDULE_COUNT]; /* that any framework has */
    int32_t heaviest[NNC_STAGES_MAX];   /* of each run of equal stages the one that keeps most */
    int32_t heaviest_count;
    nnc_table_units units[NNC_PASSES_MAX];
    int32_t units_next;
    uint64_t begun, made; /* blocks and passes so far */
    nnc_pass passes[NNC_PASSES_MAX];
    int32_t pass_count, pass_next;
    const nnc_pass *listed; /* the last; NULL = none */
    nnc_replays *replays;   /* of plans that wait; NULL: none does */
} nnc_plan_block;

/* Begins a block; false: none of its plans is legal, err (which may be NULL) names the rule. */
bool nnc_block_begin(nnc_plan_block *block, const nnc_plan *base, uint64_t number, nnc_error *err);

/* Is any plan of the block one that its profile's framework has? If not, err says which choice it lacks, unless
 * all of its schedules are those of another block. */
bool nnc_block_ships(nnc_plan_block *block, nnc_error *err);

/* Begins a group, the plans of one schedule with one number of virtual stages; false: none is legal,
 * or they are those of another group. */
bool nnc_block_group(nnc_plan_block *block, uint64_t group);

/* Seconds that no schedule gets below: the mean device's work in every pass, which is timed. */
double nnc_block_least_s(const nnc_pass *pass, const nnc_plan *plan);

/* A plan of the group, with its memory in result; NULL: it is not legal. */
nnc_pass *nnc_block_plan(nnc_plan_block *block, uint64_t inside, nnc_result *result);

/* What its ranks compute in a pass. Most plans do not fit, and need none of it. false: it has more ops than a
 * table. */
bool nnc_block_pass(nnc_plan_block *block, nnc_pass *pass, const nnc_plan *plan);

/* Its step time alone, moved: its number in the group. false: it is too large to replay. */
bool nnc_block_time(nnc_plan_block *block, nnc_pass *pass, uint64_t moved, nnc_result *result);

/* Lets it wait for its step time with others of the same schedule, in place of nnc_block_time; waiting has all but what happens
 * once per step. false: it cannot. */
bool nnc_block_wait(nnc_plan_block *block, nnc_pass *pass, uint64_t moved, const nnc_result *result,
                    nnc_waiting *waiting);

/* Its work, for a plan that is timed. Most are not among the best, and need none of it. */
void nnc_block_work(nnc_plan_block *block, nnc_pass *pass, nnc_result *result);

/* The work, and the parts of its step, for a plan that was timed last. */
bool nnc_block_parts(nnc_plan_block *block, nnc_pass *pass, nnc_result *result);

#endif
