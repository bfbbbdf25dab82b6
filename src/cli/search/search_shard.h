/* The shards of a search: files that 'nncost search --shard I/N --format json' wrote, and one result
 * made of them. */
#ifndef NNCOST_CLI_SEARCH_SEARCH_SHARD_H
#define NNCOST_CLI_SEARCH_SEARCH_SHARD_H

#include "base/arena.h"
#include "base/digest.h"
#include "cli/command.h"
#include "cli/search/search_view.h"
#include "cli/share.h"
#include "search/front.h"

/* What such a file holds. */
typedef struct nnc_search_shard {
    nnc_shard shard;
    char digest[NNC_DIGEST_TEXT];
    nnc_objective objective;
    int32_t best; /* how many were asked for */
    nnc_search_total total;
    double elapsed_s;
    int32_t threads;
    nnc_front front;        /* of the one size */
    nnc_error why;          /* no combination of it is legal; status NNC_OK: one is */
    nnc_search_size *sizes; /* of several, in the arena; NULL = one */
    int32_t size_count;
} nnc_search_shard;

/* Does a file begin as JSON with a schema? Only a look at its text; false when it cannot be read. */
bool nnc_search_shard_is(const char *path);

/* NNC_BAD_SPEC: not a shard, or one that was stopped before its end; NNC_IO, NNC_NO_MEMORY. */
nnc_status nnc_search_shard_read(nnc_arena *arena, const char *path, nnc_search_shard *shard,
                                 nnc_error *err);

/* Writes what one search would have written, as CSV where out ends in .csv, else as JSON; the session
 * puts it there. NNC_BAD_SPEC: a shard twice, or of another search; NNC_BAD_USAGE: one is missing. */
nnc_status nnc_search_merge(nnc_session *session, const char *out, char *const *inputs, int count,
                            nnc_error *err);

#endif
