/* What a long command shows: a line with rate and time left. */
#ifndef NNCOST_CLI_PROGRESS_H
#define NNCOST_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <nncost/enum.h>

/* How it is shown. */
#define NNC_PROGRESS_LIST(X)     \
    X(NNC_PROGRESS_LINE, "line") \
    X(NNC_PROGRESS_JSON, "json") \
    X(NNC_PROGRESS_NONE, "none")
NNC_ENUM(nnc_progress_form, NNC_PROGRESS_LIST, NNC_PROGRESS_COUNT);
const char *nnc_progress_form_name(nnc_progress_form value);

typedef struct nnc_progress {
    bool shown; /* as JSON; or standard error is a terminal, and nothing else is written to it */
    bool json;  /* an object a line */
    int64_t done, said; /* the last that was done, and that was shown */
    const char *what;   /* "rows" */
    int64_t from, end;  /* the first to do, and the number of all */
    double begun_s, next_s;
} nnc_progress;

/* quiet: the terminal is busy with the result. */
nnc_progress nnc_progress_begin(const char *what, int64_t from, int64_t end, nnc_progress_form form,
                                bool quiet);
void nnc_progress_show(nnc_progress *progress, int64_t done);
/* Wipes the line, or shows the last of it. */
void nnc_progress_end(nnc_progress *progress);

#endif
