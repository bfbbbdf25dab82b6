/* A search whose rounds others may work out. */
#ifndef NNCOST_SEARCH_SEARCH_H
#define NNCOST_SEARCH_SEARCH_H

#include "search/searcher.h"

/* Who works out the blocks of a round, in place of the threads of this process: as
 * nnc_searcher_work. */
typedef struct nnc_helpers {
    void *context;
    void (*work)(void *context, const nnc_front *known, uint64_t first, uint64_t end,
                 nnc_search_part *part);
} nnc_helpers;

typedef struct nnc_search_watch {
    nnc_search_progress_fn *progress; /* may be NULL */
    void *context;
} nnc_search_watch;

/* As nnc_search_run; helpers NULL: the threads of this process. */
nnc_status nnc_search_with(const nnc_model *model, const nnc_device *device,
                           const nnc_profiles *profiles, const nnc_search *search,
                           const nnc_helpers *helpers, const nnc_search_watch *watch,
                           nnc_search_result *result, nnc_error *err);

#endif
