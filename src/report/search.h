/* The result of a search. */
#ifndef NNCOST_REPORT_SEARCH_H
#define NNCOST_REPORT_SEARCH_H

#include <nncost/search.h>

#include "report/report.h"

typedef struct nnc_search_report {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_search *search;
    const nnc_search_result *result;
    double elapsed_s;
} nnc_search_report;

nnc_status nnc_report_search(FILE *out, nnc_style style, const nnc_search_report *report);

#endif
