/* The result of a search. */
#ifndef NNCOST_CLI_SEARCH_SEARCH_VIEW_H
#define NNCOST_CLI_SEARCH_SEARCH_VIEW_H

#include "render/format.h"
#include "search/search_task.h"

/* Of an nnc_search_report. */
extern const nnc_view nnc_search_output;

void nnc_report_search(nnc_buffer *out, nnc_style style, const nnc_search_report *report);

#endif
