/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two estimates: lists the values that differ, and names the part of a total (step time, memory) that changed
 * the total most. Checks the requirements of plan files. */
#ifndef NNCOST_CHECK_H
#define NNCOST_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <nncost/spec.h>
#include <nncost/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One value of an estimate. name: key of the value in the JSON output; dots join the keys of nested objects, as in
 * "step.step_s". */
typedef struct nnc_figure {
    const char *name;
    const char *text; /* text: the value, if the value is a text; NULL = the value is the member `number` */
    double number;
} nnc_figure;

typedef struct nnc_figures {
    const nnc_figure *list;
    int32_t count;
} nnc_figures;

/* Finds a value of an estimate. name: the full name of the value, or an end of the full name that no other value has:
 * "step_s", "bound_s.host". Returns NULL with NNC_BAD_SPEC if no value has this name (err->what gives the most similar
 * name), or if the names of several values end with `name`; err->where is `name`. */
NNC_API const nnc_figure *nnc_figure_find(nnc_figures figures, const char *name, nnc_error *err);

/* Tests whether a name selects one value of an estimate. name: the name; figure: the value. An empty `name` selects all
 * values. The name "step" selects all values of the section step; the names "step.step_s" and "step_s" select one
 * value. Returns the length of `name` if `name` selects the value; -1 = `name` does not select the value. */
NNC_API int nnc_figure_match(const char *name, const char *figure);

/* A tolerance: two values are equal for the comparison if their difference is at most this limit. The tolerance is the
 * larger of the absolute limit and the relative limit. */
typedef struct nnc_tolerance {
    /* name of the values to which the tolerance applies, in the form that nnc_figure_match accepts. If several
     * tolerances apply to one value, nncost uses the tolerance with the longest name */
    const char *name;
    double absolute; /* absolute limit of the difference between an old and a new value, in the unit of the values */
    /* relative limit of the difference between an old and a new value, divided by the old value: 0.01 for 1 % */
    double relative;
} nnc_tolerance;

typedef enum nnc_change_kind {
    NNC_CHANGE_MOVED,
    NNC_CHANGE_GONE,   /* the value is in the old estimate, but not in the new one */
    NNC_CHANGE_NEW,    /* the value is in the new estimate, but not in the old one */
    NNC_CHANGE_WITHIN, /* the old and the new value differ by no more than their tolerance */
    NNC_CHANGE_KIND_COUNT
} nnc_change_kind;

typedef struct nnc_change {
    nnc_change_kind kind;
    /* true: the compared value is an input of the estimate: a field of the model, the device or the plan */
    bool input;
    const nnc_figure *old, *now; /* the value in the old and in the new estimate; NULL = this estimate does not have the
                                  * value */
    /* relative change: (now - old) / abs(old); NaN if the compared value is a text or the old value is 0 */
    double relative;
} nnc_change;

/* Compares two estimates, and writes their differences to `changes`, an array with at least as many entries as both
 * estimates together have values. Numbers are compared at 12 significant digits. Returns the number of changes. In the
 * list of changes, step time, times of serving, total memory and cost come first if they differ by more than the
 * tolerance. Changed inputs come second. All remaining changes come third, sorted by nnc_change_kind and then from the
 * largest relative change to the smallest. Values that exist only in the new estimate are at the end of the list of
 * changes. */
NNC_API int32_t nnc_figures_compare(nnc_figures old, nnc_figures now, const nnc_tolerance *tolerances,
                                    int32_t tolerance_count, nnc_change *changes);

/* Finds one part of a total (step.step_s, memory.total_bytes). The function considers only parts whose change has the
 * sign of the total's change, and finds the one with the largest change. Returns the name of the part that changed
 * most, and writes the change of this part to *moved_by. Returns NULL if the total did not change or has no parts. */
NNC_API const char *nnc_figures_responsible(nnc_figures old, nnc_figures now, const char *total, double *moved_by);

typedef enum nnc_relation {
    NNC_AT_MOST,
    NNC_BELOW,
    NNC_AT_LEAST,
    NNC_ABOVE,
    NNC_EQUAL,
    NNC_RELATION_COUNT
} nnc_relation;

/* A requirement on one value of an estimate, as a plan file states it: "step_s": "<= 9.5". */
typedef struct nnc_requirement {
    /* name: name of the value that has to meet the requirement; rule: the rule as written in the plan file, such as "<=
     * 9.5" */
    const char *name, *rule;
    nnc_relation relation;
    /* text to which a value must be equal, if `relation` is NNC_EQUAL and the rule has a text; the pointer points into
     * the string `rule`; NULL = the rule has a number */
    const char *text;
    double number;
} nnc_requirement;

/* Reads a rule, for example "<= 9.5", into *requirement, which points to the texts `name` and `rule`: both texts must
 * be valid as long as the requirement is used. Returns NNC_BAD_SPEC if the rule is not valid; err->where is the
 * name. */
NNC_API nnc_status nnc_requirement_read(const char *name, const char *rule, nnc_requirement *requirement,
                                        nnc_error *err);
/* Tests whether a value of an estimate meets a requirement. A value that is not known (NULL or NaN) meets no
 * requirement. */
NNC_API bool nnc_requirement_met(const nnc_requirement *requirement, const nnc_figure *figure);

/* ---- plan files: scenarios with requirements and with the estimates recorded for them ---- */

#define NNC_CHECK_STATE_LIST(X)                                                                                        \
    X(NNC_CHECK_SAME, "same")                                                                                          \
    X(NNC_CHECK_MOVED, "moved")                                                                                        \
    X(NNC_CHECK_ADDED, "not recorded")  /* the plan file has the scenario, but no recorded estimate of the scenario */ \
    X(NNC_CHECK_REMOVED, "removed")     /* the plan file has a recorded estimate of the scenario, but no scenario */   \
    X(NNC_CHECK_NOT_ASKED, "estimated") /* the plan file records no estimates; requirements are checked */
NNC_ENUM(nnc_check_state, NNC_CHECK_STATE_LIST, NNC_CHECK_STATE_COUNT);
NNC_API const char *nnc_check_state_name(nnc_check_state state);

typedef struct nnc_check_verdict {
    const nnc_requirement *requirement;
    const nnc_figure *figure;
    bool met;
} nnc_check_verdict;

/* One scenario of a plan file, with the estimate recorded in the file and the new estimate. */
typedef struct nnc_check_row {
    const char *id;
    long line; /* line number of the scenario in the plan file; 0 = the file does not contain the scenario */
    nnc_check_state state;
    nnc_figures old, now;
    const nnc_change *changes; /* changes between the recorded and the new estimate, in the order of
                                * nnc_figures_compare */
    int32_t change_count;
    /* inputs that differ between the recorded and the new estimate, as texts: "plan: micro_batch 1 -> 2" */
    const char *const *causes;
    int32_t cause_count;
    const nnc_check_verdict *verdicts;
    int32_t verdict_count;
    /* ops whose times differ between two estimates; set only if a command compares two estimates */
    const struct nnc_check_op *ops;
    int32_t op_count;
    /* Causes of a change of the step time between two estimates with different software profiles. The members split,
     * change_s and framework_s are set only if a command compares two estimates. `split` is a text with the change of
     * the step time and its parts, "+209 ms: framework 196 ms, zero 12.6 ms"; NULL = nncost has not computed the parts.
     * The member change_s is the change of the step time in seconds, and framework_s is the part of change_s that the
     * software profile causes. */
    const char *split;
    double change_s, framework_s;
} nnc_check_row;

/* Result of a check. A check estimates the scenarios of a plan file a second time. The result contains the values that
 * differ from the estimates recorded in the file, the changed inputs that cause each difference, and the requirements
 * that are not met. */
typedef struct nnc_check nnc_check;

/* Reads a plan file and estimates its scenarios. The models and devices of the scenarios are loaded into `specs`, which
 * must stay open as long as *check is used. Errors: NNC_BAD_SPEC, NNC_UNKNOWN_ID, NNC_ILLEGAL_PLAN, NNC_IO,
 * NNC_NO_MEMORY; *check is NULL after an error. */
NNC_API nnc_status nnc_check_create(nnc_specs *specs, const char *path, nnc_check **check, nnc_error *err);
NNC_API void nnc_check_destroy(nnc_check *check);

/* Tests whether a plan file passed its check: no scenario changed by more than its tolerances (or nnc_check_update has
 * accepted the changes), and every requirement is met. */
NNC_API bool nnc_check_passed(const nnc_check *check);
/* Returns scenario `index` (from 0) of a check: first the scenarios of the plan file in their order, then the scenarios
 * that were removed from the file; NULL = there is no scenario with this index. The check owns the row of the scenario
 * that the function returns. */
NNC_API const nnc_check_row *nnc_check_scenario(const nnc_check *check, int32_t index);
/* Accepts all changes of a check: replaces the recorded estimates in the plan file by the new estimates. If the
 * function fails, the plan file does not change. */
NNC_API nnc_status nnc_check_update(nnc_check *check, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
