/* "--shard I/N": a share of the work, where a number alone is the plan's option of that name. */
#ifndef NNCOST_CLI_SHARE_H
#define NNCOST_CLI_SHARE_H

#include "cli/option.h"

typedef struct nnc_shard {
    int64_t number, of; /* number counts from 1; 1 of 1: not divided */
} nnc_shard;

enum { NNC_SHARDS_MAX = 1000000 };

/* Does the setting ask for a share? */
bool nnc_shard_asked(const nnc_setting *setting);

/* NNC_BAD_USAGE: not I/N, or I beyond N. */
nnc_status nnc_shard_read(const char *text, nnc_shard *shard, nnc_error *err);

#endif
