/* The step time against the parameters of the device. */
#ifndef NNCOST_CLI_ESTIMATE_SENSITIVITY_VIEW_H
#define NNCOST_CLI_ESTIMATE_SENSITIVITY_VIEW_H

#include "metrics/report.h"
#include "render/format.h"

void nnc_sensitivity_write(nnc_buffer *out, nnc_style style, const nnc_report *report);

#endif
