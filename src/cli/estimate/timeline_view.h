/* What every stage does when. */
#ifndef NNCOST_CLI_ESTIMATE_TIMELINE_VIEW_H
#define NNCOST_CLI_ESTIMATE_TIMELINE_VIEW_H

#include "metrics/report.h"
#include "render/format.h"

void nnc_timeline_write(nnc_buffer *out, nnc_style style, const nnc_report *report);

#endif
