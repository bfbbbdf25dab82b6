/* The best plans found so far, and the Pareto front of time and memory. Both are sets with a total
 * order, so that merging them in any order gives the same. */
#ifndef NNCOST_SEARCH_FRONT_H
#define NNCOST_SEARCH_FRONT_H

#include <nncost/search.h>

enum { NNC_SEARCH_THREADS_MAX = 256 };

typedef struct nnc_front {
    nnc_found best[NNC_SEARCH_BEST_MAX]; /* best first */
    int32_t best_count;
    nnc_found pareto[NNC_PARETO_MAX]; /* fastest first, memory falling */
    int32_t pareto_count;
    bool truncated, any_missed;
    nnc_found missed; /* the fastest that breaks a limit on the run alone */
} nnc_front;

/* Does a come before b? The objective decides, then the other figure, then the place in the space. */
bool nnc_found_before(nnc_objective objective, const nnc_found *a, const nnc_found *b);

void nnc_front_clear(nnc_front *front);
/* All that a front says; the rest of it is room for more. */
void nnc_front_copy(nnc_front *to, const nnc_front *from);
void nnc_front_add(nnc_front *front, nnc_objective objective, int32_t best, const nnc_found *found);
/* Would nnc_front_add of such a plan change anything? */
bool nnc_front_takes(const nnc_front *front, nnc_objective objective, int32_t best, uint64_t index,
                     double step_s, int64_t memory_bytes);
void nnc_front_merge(nnc_front *front, nnc_objective objective, int32_t best,
                     const nnc_front *other);

/* A plan that fits and breaks a limit on the run. */
void nnc_front_miss(nnc_front *front, const nnc_found *found);

/* Would a plan of this memory that takes at least least_s change nothing? Sound: it is worse than the
 * last of the best, and a plan on the front is faster with no more memory. */
bool nnc_front_beats(const nnc_front *front, nnc_objective objective, int32_t best, double least_s,
                     int64_t memory_bytes);

/* What lies past the counts of a result stays as it is. */
void nnc_front_result(const nnc_front *front, nnc_search_result *result);
/* The front that a result came from. */
void nnc_front_of(const nnc_search_result *result, nnc_front *front);

#endif
