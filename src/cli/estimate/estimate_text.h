/* An estimate to be read by people. */
#ifndef NNCOST_CLI_ESTIMATE_ESTIMATE_TEXT_H
#define NNCOST_CLI_ESTIMATE_ESTIMATE_TEXT_H

#include "metrics/report.h"
#include "render/style.h"

nnc_status nnc_estimate_write_text(nnc_buffer *out, nnc_style style, const nnc_report *report);

#endif
