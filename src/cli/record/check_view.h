/* What `nncost check` and `nncost diff` found, in every format. */
#ifndef NNCOST_CLI_RECORD_CHECK_VIEW_H
#define NNCOST_CLI_RECORD_CHECK_VIEW_H

#include <nncost/check.h>

#include "metrics/report.h"
#include "render/format.h"

/* What --format takes here: those of every command, and two for what runs checks. */
extern const nnc_format nnc_format_junit, nnc_format_github;
enum { NNC_CHECK_FORMAT_COUNT = NNC_FORMAT_COUNT + 2 };
const nnc_format *nnc_check_format_at(unsigned index);
const char *nnc_check_format_name(unsigned index); /* "?" past the last */

#define NNC_CHECK_STATE_LIST(X)                                                             \
    X(NNC_CHECK_SAME, "same")                                                               \
    X(NNC_CHECK_MOVED, "moved")                                                             \
    X(NNC_CHECK_ADDED, "not recorded")  /* there is no estimate of it among the old ones */ \
    X(NNC_CHECK_REMOVED, "removed")     /* there is only an old one */                      \
    X(NNC_CHECK_NOT_ASKED, "estimated") /* nothing is recorded at all: only requirements count */
NNC_ENUM(nnc_check_state, NNC_CHECK_STATE_LIST, NNC_CHECK_STATE_COUNT);
const char *nnc_check_state_name(nnc_check_state state);

typedef struct nnc_check_verdict {
    const nnc_requirement *requirement;
    const nnc_figure *figure;
    bool met;
} nnc_check_verdict;

/* An op whose time in the step changed most: repeat x time_s before and now, NaN = it is not there. */
typedef struct nnc_check_op {
    const char *name, *phase;
    double old_s, now_s;
} nnc_check_op;

/* One scenario. */
typedef struct nnc_check_row {
    const char *id;
    long line; /* of the plan file; 0 = none */
    nnc_check_state state;
    nnc_figures old, now;
    const nnc_change *changes; /* as nnc_figures_compare orders them */
    int32_t change_count;
    const char *const *causes; /* "plan: micro_batch 1 -> 2" */
    int32_t cause_count;
    const nnc_check_verdict *verdicts;
    int32_t verdict_count;
    const nnc_check_op *ops; /* largest change first; only where both sides list their ops */
    int32_t op_count;
} nnc_check_row;

/* A change and the scenario it is of. */
typedef struct nnc_check_line {
    const nnc_check_row *row;
    const nnc_change *change;
} nnc_check_line;

typedef struct nnc_check_report {
    const char *path;     /* of the plan file, or of the old estimate */
    const char *other;    /* diff: of the new one */
    const char *tool;     /* version that made the new figures */
    const char *old_tool; /* and the old ones; NULL = none, or not known */
    const nnc_check_row *rows;
    int32_t row_count;
    bool updated;                /* the new figures have taken the place of the old */
    const nnc_check_line *lines; /* the changes of all rows */
    int32_t line_count;
} nnc_check_report;

/* How the rows add up. */
typedef struct nnc_check_sum {
    int32_t states[NNC_CHECK_STATE_COUNT];
    int32_t requirements, missed;
    bool passed; /* nothing moved, or the move was accepted; nothing is missed */
} nnc_check_sum;

nnc_check_sum nnc_check_sum_of(const nnc_check_report *report);
/* Did this scenario move, without being accepted, or miss a requirement? */
bool nnc_check_row_failed(const nnc_check_report *report, const nnc_check_row *row);
/* "2 of 3 scenarios as recorded, 1 moved; 1 of 4 requirements missed" */
void nnc_check_summary(const nnc_check_report *report, char *text, size_t size);
/* "step 412.0 ms -> 415.0 ms (+0.73 %), most of it backward_s", "" when neither is in both. */
void nnc_check_headline(const nnc_check_row *row, char *text, size_t size);

/* Figures as people read them, "step_s <= 0.4, found 0.412": with units where they tell the two
 * apart, else with every digit. */
typedef struct nnc_change_text {
    char old[64], now[64], percent[32];
} nnc_change_text;
nnc_change_text nnc_change_text_of(const nnc_change *change);
const char *nnc_change_name(const nnc_change *change);
void nnc_verdict_text(const nnc_check_verdict *verdict, char *text, size_t size);

/* NNC_OK or NNC_NO_MEMORY. */
nnc_status nnc_report_check(nnc_buffer *out, nnc_style style, const nnc_check_report *report);
nnc_status nnc_report_diff(nnc_buffer *out, nnc_style style, const nnc_check_report *report);

/* Of an nnc_check_report. */
extern const nnc_view nnc_check_output, nnc_diff_output;

/* Of an nnc_check_report; of an nnc_check_op. */
extern const nnc_metrics nnc_check_document, nnc_diff_document, nnc_check_op_metrics;

/* ---- between the files of this report ---- */

/* The changes of a report as lines. */
nnc_lines nnc_check_lines(const void *record);
/* Writes a view of a report once its changes are listed. */
nnc_status nnc_check_write(nnc_buffer *out, nnc_style style, const nnc_view *view,
                           const nnc_check_report *report);
/* At most `most` changes as a table. */
void nnc_changes_write(nnc_buffer *out, nnc_style style, const nnc_check_row *row, int32_t most,
                       const char *old_head, const char *now_head);

#endif
