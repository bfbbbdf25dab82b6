/* SPDX-License-Identifier: Apache-2.0 */
/* Compares estimates: lists values that differ, finds the part of a total that changed it most, and checks
 * requirements. */
#ifndef NNCOST_CHECK_H
#define NNCOST_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <nncost/spec.h>
#include <nncost/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One value of an estimate. name: its key in the JSON output, where dots join the keys of objects inside objects:
 * "step.step_s". */
typedef struct nnc_figure {
    const char *name;
    const char *text; /* the value, if it is a text; NULL = the value is a number */
    double number;
} nnc_figure;

typedef struct nnc_figures {
    const nnc_figure *list;
    int32_t count;
} nnc_figures;

/* Finds a value of an estimate by its name, or by an end of the name that only one value has: "step_s", "bound_s.host".
 * Returns NULL with NNC_BAD_SPEC if no value has the name (err->what has the most similar name), or if several values
 * have it; err->where is the name. */
NNC_API const nnc_figure *nnc_figure_find(nnc_figures figures, const char *name, nnc_error *err);

/* Tests whether a name selects a value of an estimate. "" selects all values, "step" all values of the section step;
 * "step.step_s" and "step_s" select one value. Returns the number of characters of `figure` that match; -1 = not
 * selected. */
NNC_API int nnc_figure_match(const char *name, const char *figure);

/* A tolerance: the largest difference with which two values still count as equal. The larger of both limits applies. */
typedef struct nnc_tolerance {
    const char *name; /* selects values as in nnc_figure_match; if several tolerances select a value, the one that
                       * matches most characters applies */
    double absolute;  /* largest difference of two equal values, in the unit of the value */
    double relative;  /* limit as a share of the old value, for example 0.01 for 1 % */
} nnc_tolerance;

typedef enum nnc_change_kind {
    NNC_CHANGE_MOVED,
    NNC_CHANGE_GONE,   /* the value is only in the old estimate */
    NNC_CHANGE_NEW,    /* the value is only in the new estimate */
    NNC_CHANGE_WITHIN, /* the value differs by no more than its tolerance */
    NNC_CHANGE_KIND_COUNT
} nnc_change_kind;

typedef struct nnc_change {
    nnc_change_kind kind;
    bool input;                  /* true: the value is an input, a field of the model, the device or the plan */
    const nnc_figure *old, *now; /* the value in the old and in the new estimate; NULL = this estimate does not have the
                                  * value */
    double relative;             /* (now - old) / abs(old); NaN if the value is a text or the old value is 0 */
} nnc_change;

/* Compares two estimates, and writes the differences to `changes`, which must have space for the values of both.
 * Numbers are compared at 12 significant digits. Returns the number of changes. Their order: step time, times of
 * serving, total memory and cost, if they differ by more than the tolerance; then inputs; then all other values, by
 * nnc_change_kind and the largest relative change first; values that only the new estimate has come last. */
NNC_API int32_t nnc_figures_compare(nnc_figures old, nnc_figures now, const nnc_tolerance *tolerances,
                                    int32_t tolerance_count, nnc_change *changes);

/* Returns the name of the part of a total (step.step_s, memory.total_bytes) that changed most, among the parts that
 * changed in the same direction as the total; *moved_by gets its change. Returns NULL if the total did not change or
 * has no parts. */
NNC_API const char *nnc_figures_responsible(nnc_figures old, nnc_figures now, const char *total, double *moved_by);

typedef enum nnc_relation {
    NNC_AT_MOST,
    NNC_BELOW,
    NNC_AT_LEAST,
    NNC_ABOVE,
    NNC_EQUAL,
    NNC_RELATION_COUNT
} nnc_relation;

/* A requirement on one value, as in a plan file: "step_s": "<= 9.5". */
typedef struct nnc_requirement {
    const char *name, *rule; /* name: name of the value; rule: the rule as written in the file, here "<= 9.5" */
    nnc_relation relation;
    const char *text; /* the text that the value has to be (inside `rule`), only with NNC_EQUAL; NULL = the rule has a
                       * number */
    double number;
} nnc_requirement;

/* Reads a rule, for example "<= 9.5", into *requirement. name and rule must be valid as long as the requirement.
 * Returns NNC_BAD_SPEC if the rule is not valid; err->where is the name. */
NNC_API nnc_status nnc_requirement_read(const char *name, const char *rule, nnc_requirement *requirement,
                                        nnc_error *err);
/* Tests whether a value meets a requirement. A value that is not known (NULL or NaN) never meets it. */
NNC_API bool nnc_requirement_met(const nnc_requirement *requirement, const nnc_figure *figure);

/* ---- plan files: files with scenarios, requirements and recorded estimates ---- */

#define NNC_CHECK_STATE_LIST(X)                                                              \
    X(NNC_CHECK_SAME, "same")                                                                \
    X(NNC_CHECK_MOVED, "moved")                                                              \
    X(NNC_CHECK_ADDED, "not recorded")  /* the scenario is not in the recorded estimates */  \
    X(NNC_CHECK_REMOVED, "removed")     /* the scenario is only in the recorded estimates */ \
    X(NNC_CHECK_NOT_ASKED, "estimated") /* the plan file has no recorded estimates; only requirements count */
NNC_ENUM(nnc_check_state, NNC_CHECK_STATE_LIST, NNC_CHECK_STATE_COUNT);
NNC_API const char *nnc_check_state_name(nnc_check_state state);

typedef struct nnc_check_verdict {
    const nnc_requirement *requirement;
    const nnc_figure *figure;
    bool met;
} nnc_check_verdict;

/* One scenario of a plan file, with its recorded and its new estimate. */
typedef struct nnc_check_row {
    const char *id;
    long line; /* line of the scenario in the plan file; 0 = the scenario is not in the file */
    nnc_check_state state;
    nnc_figures old, now;
    const nnc_change *changes; /* changes between the recorded and the new estimate, in the order of
                                * nnc_figures_compare */
    int32_t change_count;
    const char *const *causes; /* inputs that differ between both estimates, as texts: "plan: micro_batch 1 -> 2" */
    int32_t cause_count;
    const nnc_check_verdict *verdicts;
    int32_t verdict_count;
    const struct nnc_check_op *ops; /* ops that differ; set only if two estimates are compared with each other */
    int32_t op_count;
    /* Set only if two estimates with different software profiles are compared with each other. split: change of the
     * step time and its parts as text, "+209 ms: framework 196 ms, zero 12.6 ms"; NULL = not computed. change_s: the
     * change in seconds; framework_s: the part of it that comes from the software profile. */
    const char *split;
    double change_s, framework_s;
} nnc_check_row;

/* A plan file whose scenarios are estimated again: what changed since the estimates were recorded, the causes of each
 * change, and the requirements that are not met. */
typedef struct nnc_check nnc_check;

/* Reads a plan file and estimates its scenarios. specs must be valid as long as the check. Errors: NNC_BAD_SPEC,
 * NNC_UNKNOWN_ID, NNC_ILLEGAL_PLAN, NNC_IO, NNC_NO_MEMORY; *check is then NULL. */
NNC_API nnc_status nnc_check_create(nnc_specs *specs, const char *path, nnc_check **check, nnc_error *err);
NNC_API void nnc_check_destroy(nnc_check *check);

/* Tests whether the check passed: no scenario changed by more than its tolerances (or nnc_check_update accepted the
 * changes), and every requirement is met. */
NNC_API bool nnc_check_passed(const nnc_check *check);
/* Returns a scenario by its index from 0: the scenarios of the file in their order, then those that were removed from
 * the file; NULL = there is no such scenario. The check owns the row. */
NNC_API const nnc_check_row *nnc_check_scenario(const nnc_check *check, int32_t index);
/* Accepts all changes: replaces the recorded estimates in the plan file by the new ones. The file is either replaced
 * completely or left as it was. */
NNC_API nnc_status nnc_check_update(nnc_check *check, nnc_error *err);

#ifdef __cplusplus
}
#endif

#endif
