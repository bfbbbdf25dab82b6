/* What searches over devices and over sizes have in common: a batch where none is asked for, and the estimate of a
 * plan that was found. */
#ifndef NNCOST_CLI_SEARCH_BATCH_CHOSEN_H
#define NNCOST_CLI_SEARCH_BATCH_CHOSEN_H

#include "cli/command.h"
#include "search/search_task.h"

/* The batch of the options; where they say none, one that such models are trained with becomes an option, and chosen
 * is set. A plan file has its own: 0. */
nnc_status nnc_batch_choose(nnc_session *session, nnc_arena *arena, int64_t *global_batch,
                            bool *chosen, nnc_error *err);

/* What a search does not keep of a plan: its parts, what limits it, the energy. In the arena; its rows, until the next
 * use of scratch. */
nnc_status nnc_found_estimate(const nnc_session *session, const nnc_search_report *report,
                              const nnc_found *found, nnc_scratch *scratch, nnc_arena *arena,
                              const nnc_result **result, nnc_error *err);

#endif
