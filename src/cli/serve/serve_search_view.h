/* What a search for a deployment shows. */
#ifndef NNCOST_CLI_SERVE_SERVE_SEARCH_VIEW_H
#define NNCOST_CLI_SERVE_SERVE_SEARCH_VIEW_H

#include "metrics/report.h"
#include "render/format.h"
#include "serve/serve_search.h"

typedef struct nnc_serve_searched {
    const nnc_report *report; /* model, device, software and what was asked */
    const char *slo;          /* as given; NULL = none */
    const nnc_serve_limit *limits;
    const nnc_serve_search_result *result;
} nnc_serve_searched;

extern const nnc_view nnc_serve_search_view;

#endif
