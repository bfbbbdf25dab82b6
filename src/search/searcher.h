/* The threads of one process that work out blocks of a search. */
#ifndef NNCOST_SEARCH_SEARCHER_H
#define NNCOST_SEARCH_SEARCHER_H

#include "search/front.h"
#include "search/space.h"

/* What became of some blocks. Legal plans, and those of them that fit, are counted before any is pruned, so that their
 * numbers do not depend on what was known: shards add up to the whole. The others tell of the work. */
typedef struct nnc_search_part {
    nnc_front front;
    uint64_t evaluated, pruned, legal, feasible;
} nnc_search_part;

void nnc_search_part_clear(nnc_search_part *part);
void nnc_search_part_add(nnc_search_part *part, const nnc_search *search,
                         const nnc_search_part *more);

/* Blocks that a search does: those of its shard, or all; and the one that is number `place` of them. */
uint64_t nnc_shard_size(const nnc_search *search, const nnc_space *space);
uint64_t nnc_shard_block(const nnc_search *search, uint64_t place);

/* Everything it is made with must outlive it. NULL when out of memory. */
typedef struct nnc_searcher nnc_searcher;
nnc_searcher *nnc_searcher_create(const nnc_model *model, const nnc_device *device,
                                  const nnc_profiles *profiles, const nnc_search *search,
                                  const nnc_space *space);
void nnc_searcher_destroy(nnc_searcher *searcher);

/* Works out the blocks at places first to end - 1, and adds what they hold to part; see nnc_searcher_complete. Nothing is
 * shared between them but what was known before, so what is pruned depends on that alone. */
void nnc_searcher_work(nnc_searcher *searcher, const nnc_front *known, uint64_t first, uint64_t end,
                       nnc_search_part *part);

/* Of a plan on a front its place, its step time and its memory may be all that is known: works out the rest. */
void nnc_searcher_complete(nnc_searcher *searcher, nnc_front *front);

/* Is any plan of the block at a place legal? If not, err names the rule. */
bool nnc_searcher_legal(nnc_searcher *searcher, uint64_t place, nnc_error *err);

#endif
