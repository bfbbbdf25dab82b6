/* A search over MPI ranks: in every round rank 0 hands out runs of blocks as ranks ask for them, and
 * merges what they found; all work, who has nothing to do sleeps. What is known, and so what is pruned, is the same as in one
 * process. Without MPI there is one rank. */
#ifndef NNCOST_SEARCH_SEARCH_RANKS_H
#define NNCOST_SEARCH_SEARCH_RANKS_H

#include "search/search.h"
#include "sweep/ranks.h"

/* As nnc_search_run, which it is for a crew of one. For rank 0, while the others serve. */
nnc_status nnc_crew_search(nnc_crew crew, const nnc_model *model, const nnc_device *device,
                           const nnc_profiles *profiles, const nnc_search *search,
                           const nnc_search_watch *watch, nnc_search_result *result,
                           nnc_error *err);

/* For any other rank: works for rank 0's searches, of this model, device and run, until they end. */
void nnc_crew_search_serve(nnc_crew crew, const nnc_model *model, const nnc_device *device,
                           const nnc_profiles *profiles, const nnc_run_ask *run, int32_t threads);

/* For rank 0: there are no more searches. */
void nnc_crew_search_end(nnc_crew crew);

#endif
