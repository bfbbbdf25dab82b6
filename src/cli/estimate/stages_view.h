/* The stages of a pipeline, side by side. */
#ifndef NNCOST_CLI_ESTIMATE_STAGES_VIEW_H
#define NNCOST_CLI_ESTIMATE_STAGES_VIEW_H

#include "base/arena.h"
#include "metrics/report.h"
#include "render/style.h"

nnc_status nnc_stages_write_text(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                                 const nnc_report *report);

#endif
