/* Predictions beside measurements, as text and Markdown. */
#ifndef NNCOST_CLI_LAB_ACCURACY_TEXT_H
#define NNCOST_CLI_LAB_ACCURACY_TEXT_H

#include "base/arena.h"
#include "cli/lab/accuracy_view.h"
#include "render/style.h"

nnc_status nnc_accuracy_write_text(nnc_buffer *out, nnc_style style, nnc_arena *arena,
                                   const nnc_accuracy_report *report);

/* The last part of a path. */
const char *nnc_accuracy_file_name(const char *path);

/* What a group is called, and its largest error: NaN if it has none. */
const char *nnc_accuracy_group_name(const nnc_score_group *group);
double nnc_accuracy_worst(const nnc_score_group *group);

#endif
