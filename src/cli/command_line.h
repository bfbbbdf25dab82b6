/* The command line that gives an estimate: what "command" says beside a plan of a search or a comparison. */
#ifndef NNCOST_CLI_COMMAND_LINE_H
#define NNCOST_CLI_COMMAND_LINE_H

#include "base/buffer.h"
#include "cli/option.h"
#include "search/search_task.h"

/* What is estimated, as it was asked for. */
typedef struct nnc_command_asked {
    const char *model, *device; /* model: or a plan file; device NULL = none */
    const char *scenario;       /* of a plan file; NULL = none */
    const nnc_given *given;
    bool lenient;
} nnc_command_asked;

/* "nncost estimate gpt2 a100 --tensor 2". */
void nnc_command_put(nnc_buffer *out, const nnc_command_asked *asked);

/* One more option. */
void nnc_command_option(nnc_buffer *out, const nnc_field *field, const char *value);

/* Gives every plan that a search has found its command, in the arena. of_plan_file: asked->model is one, whose plan may
 * differ from the default. Fails with NNC_NO_MEMORY. */
nnc_status nnc_command_all(nnc_arena *arena, const nnc_command_asked *asked, bool of_plan_file,
                           nnc_search_report *report, nnc_error *err);

/* The text of a buffer in the arena; empties the buffer. NULL when out of memory. */
const char *nnc_command_keep(nnc_arena *arena, nnc_buffer *out);

#endif
