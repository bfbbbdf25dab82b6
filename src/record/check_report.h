/* What a check, or a comparison of two estimates, found. */
#ifndef NNCOST_RECORD_CHECK_REPORT_H
#define NNCOST_RECORD_CHECK_REPORT_H

#include <nncost/check.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "metrics/report.h"
#include "record/plan_file.h"

/* An op whose time in the step changed most: repeat x time_s before and now, NaN = it is not there. */
typedef struct nnc_check_op {
    const char *name, *phase;
    double old_s, now_s;
} nnc_check_op;

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
    nnc_check_row *rows;
    int32_t row_count;
    bool updated;                /* the new figures have taken the place of the old */
    const nnc_check_line *lines; /* the changes of all rows */
    int32_t line_count;
} nnc_check_report;

/* What is kept of scenarios whose figures have not changed: nothing but that; their estimates, to be recorded; or the figures
 * of every row, too. */
typedef enum nnc_check_keeping {
    NNC_KEEPS_CHANGES,
    NNC_KEEPS_ESTIMATES,
    NNC_KEEPS_ROWS
} nnc_check_keeping;

nnc_status nnc_check_make(nnc_specs *specs, const char *path, nnc_check_keeping keeping,
                          nnc_check **check, nnc_error *err);
const nnc_check_report *nnc_check_report_of(const nnc_check *check);

/* Lists the changes of all rows. NNC_OK or NNC_NO_MEMORY. */
nnc_status nnc_check_list_changes(nnc_arena *arena, nnc_check_report *report, nnc_error *err);

/* Compares two recordings: one estimate with one other, whatever their names; else by name, in the order
 * of the new. */
nnc_status nnc_diff_make(nnc_arena *arena, const char *old_path, const char *now_path,
                         nnc_check_report *report, nnc_error *err);

/* How the rows add up. */
typedef struct nnc_check_sum {
    int32_t states[NNC_CHECK_STATE_COUNT];
    int32_t requirements, missed;
    bool passed; /* nothing moved, or the move was accepted; nothing is missed */
} nnc_check_sum;

nnc_check_sum nnc_check_sum_of(const nnc_check_report *report);
int32_t nnc_check_missed(const nnc_check_row *row);
bool nnc_check_row_moved(const nnc_check_row *row);
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

#define NNC_CHECK_SCHEMA "nncost.check/1"

/* Of an nnc_check_report; of an nnc_check_op. */
extern const nnc_metrics nnc_check_document, nnc_diff_document, nnc_check_op_metrics;

/* The changes of a report, an nnc_check_report, as lines. */
nnc_lines nnc_check_lines(const void *record);

#endif
