/* The stages of a pipeline, side by side. */
#ifndef NNCOST_CLI_ESTIMATE_STAGES_VIEW_H
#define NNCOST_CLI_ESTIMATE_STAGES_VIEW_H

#include "metrics/report.h"
#include "render/format.h"

void nnc_stages_write(nnc_buffer *out, nnc_style style, const nnc_report *report);

#endif
