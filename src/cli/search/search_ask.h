/* What a search was asked for on the command line. */
#ifndef NNCOST_CLI_SEARCH_SEARCH_ASK_H
#define NNCOST_CLI_SEARCH_SEARCH_ASK_H

#include "cli/command.h"
#include "search/search_task.h"

enum { NNC_SEARCH_SIZES_MAX = 1024 };

/* Takes the options of a search out of the options; those left hold for every plan. max_devices: 0 = no
 * limit. */
nnc_status nnc_search_options_read(nnc_options *options, nnc_arena *arena, nnc_search_task *task,
                                   int64_t *max_devices, nnc_error *err);

/* Applies --max-devices to the sizes, or makes sizes of it where neither they nor the plan's devices
 * are given. */
nnc_status nnc_search_sizes_settle(const nnc_plan *base, const nnc_device *device,
                                   int64_t max_devices, nnc_arena *arena, nnc_search_task *task,
                                   nnc_error *err);

#endif
