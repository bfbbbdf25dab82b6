#include "cli/lab/left_out.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"

static const nnc_metric rows[] = {
    NNC_TEXT(nnc_left_out, file, .help = "Name of the file."),
    NNC_WHOLE(nnc_left_out, rows, .head = "rows", .help = "How many."),
    NNC_HEAD("file", TEXT, NNC_IN(nnc_left_out, file)),
    NNC_TEXT(nnc_left_out, reason, .head = "reason", .shrinks = true, .help = "Why."),
    NNC_TEXT(nnc_left_out, first, .head = "the first", .shrinks = true, .drop = 1,
             .help = "Id of one of them."),
};
const nnc_metrics nnc_left_out_metrics = NNC_METRICS("rows that are not used", rows, nnc_left_out);

void nnc_left_out_add(nnc_left_out *list, int32_t *count, const nnc_measured *row,
                      const char *reason)
{
    const char *file = nnc_measured_file_name(row->file);
    for (int32_t i = 0; i < *count; i++) {
        if (strcmp(list[i].reason, reason) == 0 && strcmp(list[i].file, file) == 0) {
            list[i].rows++;
            return;
        }
    }
    list[(*count)++] = (nnc_left_out){ file, reason, row->id, 1 };
}

nnc_status nnc_left_out_reason(nnc_arena *arena, const nnc_error *why, const char **reason,
                               nnc_error *err)
{
    char text[sizeof why->where + sizeof why->what + 4];
    *reason = NULL;
    if (why->status == NNC_IO || why->status == NNC_NO_MEMORY) {
        *err = *why;
        return why->status;
    }
    /* By its name alone: the table is the same wherever the data are installed. */
    const char *file = why->where[0] == '/' ? strrchr(why->where, '/') + 1 : why->where;
    snprintf(text, sizeof text, "%s: %s", file, why->what);
    *reason = nnc_arena_strdup(arena, text);
    return *reason != NULL ? NNC_OK : nnc_no_memory(err);
}
