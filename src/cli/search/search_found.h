/* Plans that a search has found, as rows of tables and of records. */
#ifndef NNCOST_CLI_SEARCH_SEARCH_FOUND_H
#define NNCOST_CLI_SEARCH_SEARCH_FOUND_H

#include "cli/search/search_view.h"
#include "render/grid.h"
#include "render/members.h"
#include "render/style.h"

/* Of an nnc_found. */
extern const nnc_metrics nnc_found_metrics;

/* Members of the object or row that is open; with the place in the space where the record is exact. */
void nnc_record_found(nnc_record *record, const nnc_found *found);

/* What a shard holds beyond its best plans, for nncost merge: the fastest that breaks a limit on the run,
 * and why nothing is legal. */
void nnc_record_shard_rest(nnc_record *record, const nnc_found *missed, const nnc_error *why);

/* A table; sizes: the plans are for different numbers of devices, which are shown. What a run or a
 * step costs is shown where the sizes differ, or the length of the run is known. */
nnc_status nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count,
                           bool sizes);

/* What a plan costs: money of the run, else device-hours of the run, else money of a step, else
 * device-seconds of a step. Returns what of these, for a heading. */
const char *nnc_found_cost(const nnc_found *found, double *cost);

/* The rows for several sizes, as JSON, CSV, or text. */
void nnc_sizes_record(nnc_record *record, const nnc_search_report *report);
nnc_status nnc_sizes_csv(nnc_buffer *out, const nnc_search_report *report);
nnc_status nnc_sizes_write(nnc_buffer *out, nnc_style style, const nnc_search_report *report);

#endif
