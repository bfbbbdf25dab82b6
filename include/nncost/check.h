/* SPDX-License-Identifier: Apache-2.0 */
/* Compares estimates: lists the changed values, finds the part of a total that changed it, and checks requirements. */
#ifndef NNCOST_CHECK_H
#define NNCOST_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <nncost/spec.h>
#include <nncost/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One value of an estimate. Its name is its key in the JSON output; dots join nested keys: "step.step_s". */
typedef struct nnc_figure {
    const char *name;
    const char *text; /* value as text; NULL = the value is a number */
    double number;
} nnc_figure;

typedef struct nnc_figures {
    const nnc_figure *list;
    int32_t count;
} nnc_figures;

/* Finds a value of an estimate by its full name or by a unique suffix of the name: "step_s", "bound_s.host". Returns
 * NULL with NNC_BAD_SPEC when no value matches (err->what has the nearest name) or when several values match;
 * err->where is the name. */
NNC_API const nnc_figure *nnc_figure_find(nnc_figures figures, const char *name, nnc_error *err);

/* Tests whether a name selects a figure: "" selects all, "step" selects every value of step; "step.step_s" and "step_s"
 * select one value. Returns the number of characters of the figure's name that match; -1 = not selected. */
NNC_API int nnc_figure_match(const char *name, const char *figure);

/* A tolerance: the largest change of a value that still counts as equal. The larger of its two limits applies. */
typedef struct nnc_tolerance {
    const char *name; /* name that selects values, as in nnc_figure_match; if several tolerances select a value, the
                       * most specific name is used */
    double absolute;  /* limit in the unit of the value */
    double relative;  /* limit as a share of the old value: 0.01 = 1 % */
} nnc_tolerance;

typedef enum nnc_change_kind {
    NNC_CHANGE_MOVED,
    NNC_CHANGE_GONE,   /* the value is only in the old estimate */
    NNC_CHANGE_NEW,    /* the value is only in the new estimate */
    NNC_CHANGE_WITHIN, /* the value changed, but not more than the tolerance */
    NNC_CHANGE_KIND_COUNT
} nnc_change_kind;

typedef struct nnc_change {
    nnc_change_kind kind;
    bool input;                  /* the value is an input: a field of the model, the device or the plan */
    const nnc_figure *old, *now; /* old: the value in the old estimate; now: the value in the new estimate; NULL =
                                  * this estimate lacks the value */
    double relative;             /* (now - old) / abs(old); NaN for text values and if the old value is 0 */
} nnc_change;

/* Compares two estimates and fills `changes`, which must have space for the values of both estimates. Numbers are
 * compared at 12 significant digits. Returns the number of changes. Order of the changes: step time, times of serving,
 * total memory and cost, if they changed beyond their tolerance; then inputs; then all other values, by nnc_change_kind
 * and with the largest relative change first. Values that only the new estimate has come last. */
NNC_API int32_t nnc_figures_compare(nnc_figures old, nnc_figures now, const nnc_tolerance *tolerances,
                                    int32_t tolerance_count, nnc_change *changes);

/* Returns the name of the part of a total (step.step_s, memory.total_bytes) that changed most, among the parts that
 * changed in the same direction as the total. *moved_by receives the change of this part. Returns NULL when the total
 * did not change or has no parts. */
NNC_API const char *nnc_figures_responsible(nnc_figures old, nnc_figures now, const char *total, double *moved_by);

typedef enum nnc_relation {
    NNC_AT_MOST,
    NNC_BELOW,
    NNC_AT_LEAST,
    NNC_ABOVE,
    NNC_EQUAL,
    NNC_RELATION_COUNT
} nnc_relation;

/* A rule for one value, as in a plan file: "step_s": "<= 9.5". */
typedef struct nnc_requirement {
    const char *name, *rule; /* name of the value; rule as written in the file */
    nnc_relation relation;
    const char *text; /* required text (points into rule), only with NNC_EQUAL; NULL = a number is required */
    double number;
} nnc_requirement;

/* Reads a rule such as "<= 9.5" into *requirement. name and rule must outlive the requirement. Returns NNC_BAD_SPEC for
 * an invalid rule; err->where is the name. */
NNC_API nnc_status nnc_requirement_read(const char *name, const char *rule, nnc_requirement *requirement,
                                        nnc_error *err);
/* Tests whether a value meets a requirement. An unknown value (NULL or NaN) never meets it. */
NNC_API bool nnc_requirement_met(const nnc_requirement *requirement, const nnc_figure *figure);

/* ---- plan files ---- */

#define NNC_CHECK_STATE_LIST(X)                                                              \
    X(NNC_CHECK_SAME, "same")                                                                \
    X(NNC_CHECK_MOVED, "moved")                                                              \
    X(NNC_CHECK_ADDED, "not recorded")  /* the scenario is not in the recorded estimates */  \
    X(NNC_CHECK_REMOVED, "removed")     /* the scenario is only in the recorded estimates */ \
    X(NNC_CHECK_NOT_ASKED, "estimated") /* nothing is recorded: only requirements count */
NNC_ENUM(nnc_check_state, NNC_CHECK_STATE_LIST, NNC_CHECK_STATE_COUNT);
NNC_API const char *nnc_check_state_name(nnc_check_state state);

typedef struct nnc_check_verdict {
    const nnc_requirement *requirement;
    const nnc_figure *figure;
    bool met;
} nnc_check_verdict;

/* One scenario of a plan file. */
typedef struct nnc_check_row {
    const char *id;
    long line; /* line of the scenario in the plan file; 0 = the scenario is not in the file */
    nnc_check_state state;
    nnc_figures old, now;
    const nnc_change *changes; /* changed values, in the order of nnc_figures_compare */
    int32_t change_count;
    const char *const *causes; /* changed inputs: "plan: micro_batch 1 -> 2" */
    int32_t cause_count;
    const nnc_check_verdict *verdicts;
    int32_t verdict_count;
    const struct nnc_check_op *ops; /* the ops that differ, only when two estimates are compared */
    int32_t op_count;
    /* Set only when two estimates with different software profiles are compared. split: the change of the step time
     * and its parts as text, "+209 ms: framework 196 ms, zero 12.6 ms"; NULL = not computed. change_s: the change;
     * framework_s: the part of the change that comes from the profile. */
    const char *split;
    double change_s, framework_s;
} nnc_check_row;

/* A plan file whose scenarios are estimated again. It lists the changes since the file was recorded, the causes of
 * each change, and the requirements that are not met. */
typedef struct nnc_check nnc_check;

/* Reads a plan file and estimates its scenarios. specs must outlive the check. Errors: NNC_BAD_SPEC, NNC_UNKNOWN_ID,
 * NNC_ILLEGAL_PLAN, NNC_IO, NNC_NO_MEMORY; *check is then NULL. */
NNC_API nnc_status nnc_check_create(nnc_specs *specs, const char *path, nnc_check **check, nnc_error *err);
NNC_API void nnc_check_destroy(nnc_check *check);

/* Returns true when no scenario changed beyond its tolerance (or nnc_check_update accepted the changes), and every
 * requirement is met. */
NNC_API bool nnc_check_passed(const nnc_check *check);
/* Returns a scenario by its index: scenarios in the order of the file, then scenarios that were removed from the file.
 * Returns NULL past the last. The check owns the row. */
NNC_API const nnc_check_row *nnc_check_scenario(const nnc_check *check, int32_t index);
/* Accepts all changes: atomically replaces the "recorded" part of the plan file by the new estimates. */
NNC_API nnc_status nnc_check_update(nnc_check *check, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
