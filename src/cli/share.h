/* "--shard I/N": a share of the work, where a number alone is the plan's option of that name. */
#ifndef NNCOST_CLI_SHARE_H
#define NNCOST_CLI_SHARE_H

#include "cli/option.h"
#include "sweep/pool.h"

/* Does the setting ask for a share? */
bool nnc_shard_asked(const nnc_setting *setting);

/* NNC_BAD_USAGE: not I/N, or I beyond N. */
nnc_status nnc_shard_read(const char *text, nnc_shard *shard, nnc_error *err);

#endif
