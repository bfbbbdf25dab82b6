/* An estimate to be read by people. */
#ifndef NNCOST_CLI_ESTIMATE_ESTIMATE_TEXT_H
#define NNCOST_CLI_ESTIMATE_ESTIMATE_TEXT_H

#include "metrics/report.h"
#include "render/format.h"

/* A page of an nnc_report. */
void nnc_estimate_page(nnc_buffer *out, nnc_style style, const void *record);

#endif
