/* The search that a command line asks for. */
#ifndef NNCOST_CLI_SEARCH_ASKED_H
#define NNCOST_CLI_SEARCH_ASKED_H

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

/* Searches for plans of what model and device name, which are as those of nnc_scenario_load_asked, with progress on
 * standard error, and hands the result to write with its context, on one rank alone. Takes options out of the session's. Sets the exit code: 1 when nothing was found, of a signal that stopped it. */
typedef nnc_status nnc_search_writer(nnc_session *session, void *context,
                                     const nnc_search_report *report, nnc_error *err);
nnc_status nnc_search_asked(nnc_session *session, const char *model, const char *device,
                            nnc_search_writer *write, void *context, nnc_error *err);

#endif
