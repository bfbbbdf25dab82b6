/* Plans that run the same passes, another number of them: what a pass takes, what the devices hold and what they do once
 * per step is worked out for the first of them. For estimates that leave out the rows of a step. */
#ifndef NNCOST_ESTIMATE_KNOWN_H
#define NNCOST_ESTIMATE_KNOWN_H

#include "estimate/alike.h"
#include "estimate/update.h"

/* Of such plans. It points to the list of plans lowered alike, of which segments and blocks alone are read: what a
 * plan adds to it are ops. */
typedef struct nnc_known {
    nnc_alike *alike;
    nnc_plan plan; /* what passes depend on */
    nnc_step step; /* of the plan and the profile that ask, else all its own */
    nnc_network network;
    nnc_segment_sums sums[NNC_SEGMENTS_MAX];
    nnc_pass_work work;
    double grad_accumulate; /* that units are of, and tails */
    nnc_unit units[NNC_SEGMENTS_MAX];
    nnc_tails tails;
    nnc_tail_store store; /* of so many passes, where that matters */
    int64_t passes;
} nnc_known;

/* Found by a hash of their plans, each in one of a few places in a row. */
enum { NNC_KNOWN = 256, NNC_KNOWN_TRIES = 4 };
typedef struct nnc_known_key {
    uint64_t hash, list; /* number of the list; 0 = nothing is known here */
} nnc_known_key;
typedef struct nnc_known_store {
    nnc_known_key keys[NNC_KNOWN];
    nnc_known of[NNC_KNOWN];
    uint32_t kept; /* so far */
    const nnc_known
        *dealt; /* whose layers are dealt out, and whose memory that is; NULL = none's */
    nnc_memory memory;
    int32_t memory_stage;
} nnc_known_store;

/* Nothing is known any more. */
void nnc_known_forget(nnc_known_store *store);

/* What is known of a plan, under its profile; NULL = nothing. */
nnc_known *nnc_known_find(nnc_known_store *store, const nnc_plan *plan,
                          const nnc_software *software);

/* Keeps what was worked out of a step; alike: where its list is from. */
nnc_known *nnc_known_keep(nnc_known_store *store, nnc_alike *alike, const nnc_step *step,
                          const nnc_unit units[NNC_SEGMENTS_MAX], const nnc_result *r);

/* The step of a plan of which this is known; it points into it. accumulate: its share of passes that add to gradients
 * already there; where it is another one the caller sums the units again. */
nnc_step nnc_known_step(nnc_known *known, const nnc_plan *plan, const nnc_software *software,
                        bool *accumulates);

#endif
