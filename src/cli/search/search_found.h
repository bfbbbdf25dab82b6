/* Plans that a search has found, as rows of tables and of records. */
#ifndef NNCOST_CLI_SEARCH_SEARCH_FOUND_H
#define NNCOST_CLI_SEARCH_SEARCH_FOUND_H

#include "cli/search/search_view.h"
#include "render/table.h"

/* A table; sizes: the plans are for different numbers of devices, which are shown. What a run or a
 * step costs is shown where the sizes differ, or the length of the run is known. currency: of the prices. */
void nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count,
                     const char *currency, bool sizes);

/* Do the plans run under more than one profile? */
bool nnc_found_differ(const nnc_found *list, int32_t count);

/* What a plan costs: money of the run, else device-hours of the run, else money of a step, else
 * device-seconds of a step. */
typedef struct nnc_spent {
    const char *what; /* "run cost" */
    double amount;
    const char *currency; /* NULL: it is no money */
} nnc_spent;
nnc_spent nnc_found_spent(const nnc_found *found, const char *currency);

/* "run cost 12.3 USD", into text; returns text. */
enum { NNC_SPENT_TEXT = 96 };
const char *nnc_spent_text(const nnc_found *found, const char *currency, char text[NNC_SPENT_TEXT]);

/* A page of several sizes. */
void nnc_sizes_write(nnc_buffer *out, nnc_style style, const nnc_search_report *report);

#endif
