#ifndef NNCOST_RECORD_RECORD_INTERNAL_H
#define NNCOST_RECORD_RECORD_INTERNAL_H

#include <nncost/check.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "metrics/metrics_internal.h"
#include "scenario/scenario_internal.h"

/* ---- figure.c: packed lists of the values of estimates ---- */

/* nnc_packed has the values of one estimate in a form that needs little memory. All estimates whose values have the
 * same names share one list of names. */

typedef union nnc_packed_value {
    double number;
    const char *text;
} nnc_packed_value;

typedef struct nnc_packed {
    /* names of the estimate's values; the entries also show which values are strings. NULL = the estimate has no
     * values */
    const nnc_figures *kinds;
    /* values of the estimate, in the order of the names in `kinds`; NULL = `kinds` contains the values too */
    const nnc_packed_value *values;
} nnc_packed;

/* Packs the values of an estimate. before: the estimate that was packed last, NULL = no estimate was packed before; if
 * the new estimate has the same list of names as this estimate, the two estimates share one list. Names and strings
 * must exist as long as the packed values. Returns false when out of memory. */
bool nnc_packed_make(nnc_arena *arena, nnc_figures figures, const nnc_packed *before, nnc_packed *packed);

static inline int32_t nnc_packed_count(const nnc_packed *packed) {
    return packed->kinds != NULL ? packed->kinds->count : 0;
}

nnc_figure nnc_packed_figure(const nnc_packed *packed, int32_t index);

/* Copies all values of a packed estimate into a list of figures in the arena, and returns the list; NULL = out of
 * memory. */
const nnc_figure *nnc_packed_list(nnc_arena *arena, const nnc_packed *packed);

/* ---- plan_file.c, recorded.c: plan files and recorded estimates ---- */

/* Plan files ("nncost.plans/1") hold scenarios, requirements, and the estimates that `nncost check --update`
 * recorded. */

#define NNC_PLANS_SCHEMA "nncost.plans/1"
#define NNC_RECORDED_SCHEMA "nncost.recorded/1"
#define NNC_ESTIMATE_SCHEMA "nncost.estimate/1"
#define NNC_SERVE_SCHEMA "nncost.serve/1"
#define NNC_RECORDED_CONVENTIONS NNC_ESTIMATE_SCHEMA ", SI units, 12 significant digits"
/* placeholder in the text of a plan file; the digest of the recorded part replaces it later */
#define NNC_DIGEST_OPEN "----------------"

/* The kinds of files that a scenario of a plan file names, by id or by path. */
typedef enum nnc_plans_ref {
    NNC_REF_MODEL,
    NNC_REF_DEVICE,
    NNC_REF_SOFTWARE,
    NNC_REF_CLUSTER, /* a cluster file, which a scenario always names by its path */
    NNC_REF_COUNT
} nnc_plans_ref;
extern const char *const nnc_plans_ref_names[NNC_REF_COUNT];

enum { NNC_PLANS_PAIRS_MAX = 64, NNC_PLANS_SCENARIOS_MAX = 100000 };

/* A key of a plan file, and its value as text, in the form that the option of the same field takes on the command
 * line. */
typedef struct nnc_pair {
    const char *key, *text;
    /* field of the plan, the run or the serving plan that the key sets; NULL in a list whose keys set no such field */
    const nnc_field *field;
} nnc_pair;

typedef struct nnc_pairs {
    nnc_pair *list;
    int32_t count;
} nnc_pairs;

typedef struct nnc_plans_scenario {
    const char *id;
    long line;                       /* line of the plan file at which the scenario starts */
    bool serve;                      /* true: the scenario describes serving; false: the scenario describes training */
    const char *refs[NNC_REF_COUNT]; /* names of model, device, profile and cluster as the file has them; NULL = not
                                      * given */
    /* keys and values of the scenario that set fields of the training plan or of the serving plan */
    nnc_pairs values;
    /* changes that the scenario makes as the option --set does: "model.layers", "40" */
    nnc_pairs sets;
    const nnc_requirement *requirements;
    const nnc_tolerance *tolerances;
    int32_t requirement_count, tolerance_count;
    /* digest of all inputs of the scenario's estimate, except the content of the files that the scenario names */
    uint64_t digest;
} nnc_plans_scenario;

/* A digest that a plan file records: the digest of a file (model, device, software profile or cluster) that a scenario
 * names, or of the plan of a scenario. */
typedef struct nnc_recorded_digest {
    const char *kind, *name, *digest;
} nnc_recorded_digest;

/* One op of an estimate file (the output of `estimate --format json`): its names, dimensions and time. */
typedef struct nnc_recorded_op {
    const char *name, *phase, *shape;
    double repeat, time_s;
} nnc_recorded_op;

typedef struct nnc_recorded_estimate {
    const char *id; /* id of the scenario of this estimate; "" = the estimate was read from an estimate file */
    nnc_packed figures;
    /* ops of the step; empty for an estimate of a plan file, because only estimate files list ops */
    const nnc_recorded_op *ops;
    int32_t op_count;
} nnc_recorded_estimate;

typedef struct nnc_recorded {
    /* version of nncost that wrote the recorded estimates; NULL = the plan file has no recorded estimates */
    const char *tool;
    const char *conventions; /* schema, units and digits of the recorded values, as text: NNC_RECORDED_CONVENTIONS */
    const nnc_recorded_digest *digests;
    int32_t digest_count;
    const nnc_recorded_estimate *estimates;
    int32_t estimate_count;
    /* The next two members are set only by nnc_plans_parse_head. `digest` is the digest that the plan file states for
     * its recorded part. `members` is the sum of the digests of all members of the recorded part except the
     * estimates. */
    const char *digest;
    uint64_t members;
} nnc_recorded;

/* Position of the recorded part (the value of the key "recorded") in the text of a plan file. The recorded part
 * consists of the bytes from `begin` to `end` - 1. If begin and end are 0, the file has no recorded part, and a new
 * recorded part is inserted at `insert`. */
typedef struct nnc_plans_places {
    size_t begin, end, insert;
} nnc_plans_places;

typedef struct nnc_plans {
    const char *path;
    const char *text; /* text of the whole plan file */
    size_t size;
    const nnc_plans_scenario *scenarios;
    int32_t scenario_count;
    const char *const *record; /* names of the values to record, in the form of nnc_figure_match; record_count 0 = all
                                * values are recorded */
    int32_t record_count;
    nnc_recorded recorded;
    nnc_plans_places places;
} nnc_plans;

/* Tests whether a file is a plan file. Returns false if the file is no plan file, if it cannot be read, or if it is a
 * pipe and `specs` is NULL. */
bool nnc_plans_is(nnc_specs *specs, const char *path);

/* Reads a plan file into memory of the arena. */
nnc_status nnc_plans_read(nnc_specs *specs, nnc_arena *arena, const char *path, const nnc_plans **plans,
                          nnc_error *err);
/* Reads a plan file from its text, which must exist as long as *plans; text[size] must be NUL. Adds the faults of the
 * text to `faults`. */
void nnc_plans_parse(nnc_arena *arena, const char *text, size_t size, nnc_faults *faults, nnc_plans *plans);
/* Parses a plan file as nnc_plans_parse does, but from a text that ends with "estimates": {}}}, because the caller has
 * cut all recorded estimates out of it. Does not check the digest of the recorded part. */
void nnc_plans_parse_head(nnc_arena *arena, const char *text, size_t size, nnc_faults *faults, nnc_plans *plans);
/* Removes the recorded part of a plan file; every other byte of the file stays. After a failure, the file is
 * unchanged. */
nnc_status nnc_plans_forget(nnc_specs *specs, const char *path, nnc_error *err);
/* Reads the recorded estimates of a plan file, or the single estimate of an estimate file (the output of `estimate
 * --format json`). */
nnc_status nnc_recorded_read(nnc_arena *arena, const char *path, nnc_recorded *recorded, nnc_error *err);

/* Reads recorded estimates as nnc_recorded_read does, but from the text of the file; text[size] must be NUL. */
nnc_status nnc_recorded_parse(nnc_arena *arena, const char *name, const char *text, size_t size, nnc_recorded *recorded,
                              nnc_error *err);

/* Writes recorded estimates as the value of the key "recorded" of a plan file, with a placeholder instead of the
 * digest. one_line: true = each estimate takes one line; false = each group of values, such as "step" or "memory",
 * takes one line. */
void nnc_recorded_write(nnc_buffer *out, const nnc_recorded *recorded, bool one_line);

/* A value of an estimate, with sizes and digests of the JSON text that was last written for the value. */
typedef struct nnc_written {
    nnc_figure figure;
    /* digests of parts of the value's text. group: digest of the first part of the name ("step" of "step.step_s"); key:
     * digest of the rest of the name ("step_s"); digest: digest of this rest and the value */
    uint64_t group, key, digest;
    /* number of bytes of the first part of the value's name, before the dot: 4 for "step.step_s" */
    uint32_t group_size;
    uint32_t key_size,
        /* sizes in bytes of the JSON text. key_size: size of the text before the value (a comma or the beginning of a
         * group, then the key); size: size of this text and of the value together */
        size;
    /* true: the value is the first value of its group ("step"), so the text of the group's beginning comes before the
     * value */
    bool opens;
} nnc_written;

/* The estimate that was written last. Most values of the next estimate are equal to values of this estimate, so nncost
 * copies the JSON text of these values from `text` and does not format them again. */
typedef struct nnc_written_estimate {
    nnc_written *values;
    int32_t count;   /* number of values whose JSON text is in `text` */
    nnc_buffer text; /* JSON text of the estimate's values, without the id of the scenario */
} nnc_written_estimate;

/* Writes one estimate with its scenario's id, in the format of nnc_recorded_write, and adds the digest of the estimate
 * to *members. The previously written estimate is in *last: the function copies the JSON text of equal values from
 * there, and then stores the new estimate in *last. If `last` is NULL, no text is copied. */
void nnc_recorded_put(nnc_buffer *out, const char *id, const nnc_packed *figures, bool one_line, bool first,
                      nnc_written_estimate *last, uint64_t *members);

/* The values of one estimate, collected while its JSON text is read. The list of values is in the arena of the JSON
 * document. */
typedef struct nnc_figure_list {
    nnc_figure *list;
    int32_t count, capacity;
    nnc_figures like; /* names of the values of the estimate that was read before; most estimates have equal names */
    bool quiet;       /* true: faults of the values are not reported */
    bool faulty;      /* true: at least one fault was found in the values of the estimate */
} nnc_figure_list;

/* Reads the recorded estimate of a scenario from its JSON text, in which text[size] is NUL, and adds the digest of the
 * estimate to *members. before: the estimate that was read before; NULL = no such estimate. found: working memory,
 * which each call uses again. Returns false if the text has a fault, or when out of memory. */
bool nnc_recorded_read_one(nnc_arena *arena, const char *id, const char *text, size_t size,
                           const nnc_recorded_estimate *before, nnc_figure_list *found, nnc_recorded_estimate *estimate,
                           uint64_t *members);

/* Returns a new text of a plan file. The text `recorded` (see nnc_recorded_write) replaces the old recorded part, and
 * the digest replaces its placeholder. All other bytes of the plan file stay unchanged. The returned text is in the
 * arena; NULL when out of memory. */
const char *nnc_plans_with_recorded(nnc_arena *arena, const nnc_plans *plans, char *recorded, size_t *size);

/* ---- functions that plan_file.c and recorded.c share ---- */

/* Sets plans->places to the position of the recorded part, and `lines` to the line numbers at which the scenarios of
 * the plan file begin. */
void nnc_plans_find_places(nnc_plans *plans, size_t estimates_end, long *lines, int32_t count);
void nnc_recorded_of(nnc_json at, bool head, nnc_recorded *recorded);

/* ---- plan_file.c: loading the scenarios of a plan file ---- */

typedef struct nnc_serve_scenario nnc_serve_scenario;

/* If `model`, the model argument of a command, is the path of a plan file, reads this file into *plans; otherwise sets
 * *plans to NULL. */
nnc_status nnc_plans_open(nnc_specs *specs, nnc_arena *arena, const char *model, const nnc_plans **plans,
                          nnc_error *err);

/* Finds the scenario of a plan file with an id. id NULL: the file must have only one scenario, which is returned.
 * Returns NNC_BAD_USAGE if the file has no scenario with the id. */
nnc_status nnc_plans_pick(const nnc_plans *plans, const char *id, const nnc_plans_scenario **scenario, nnc_error *err);

/* Loads a scenario of a plan file with the changes that the options of the command line make. device: id of the device
 * to use; NULL = the device that the scenario names. Errors name the file, the line and the scenario. */
nnc_status nnc_plans_load(nnc_specs *specs, const nnc_scenario_args *given, nnc_arena *arena, const nnc_plans *plans,
                          const nnc_plans_scenario *from, const char *device, nnc_scenario *scenario, nnc_error *err);

/* Loads a serving scenario of a plan file, as nnc_plans_load loads a training scenario. */
nnc_status nnc_plans_load_served(nnc_specs *specs, const nnc_scenario_args *given, nnc_arena *arena,
                                 const nnc_plans *plans, const nnc_plans_scenario *from, const char *device,
                                 nnc_serve_scenario *scenario, nnc_error *err);

/* Puts the path of the plan file, the line and the id of the scenario before err->where ("FILE:LINE: ID: "). Returns
 * the status of `err`. */
nnc_status nnc_plans_blame(const nnc_plans *plans, const nnc_plans_scenario *from, nnc_error *err);

/* Lists the values of reports one after the other. All reports of one kind (training, serving, images) have values with
 * the same names, so the names of each kind are found only once. */
typedef struct nnc_collector {
    nnc_arena *arena;
    struct nnc_collected {
        /* names of the values of the reports of one kind; columns.list NULL = the names have not been found yet */
        nnc_columns columns;
        nnc_figure *figures; /* values of the last listed report of the kind */
        int32_t of_step;     /* number of values that describe the step; the values after them describe the run */
    } trained, served, images;
} nnc_collector;

/* Returns the values of a report. The list is valid until the next call for a report of the same kind. The member
 * `list` is NULL when out of memory. Strings are static, or in the arena of the collector. */
nnc_figures nnc_figures_of(nnc_collector *collector, const nnc_report *report);
/* The function nnc_figures_named is a faster form of nnc_figures_of, which reads no values: the returned list has valid
 * names, but values of an earlier report. The caller then reads the values that it needs with nnc_figure_read, one
 * entry per call. nnc_figure_read returns false when out of memory. */
nnc_figures nnc_figures_named(nnc_collector *collector, const nnc_report *report);
bool nnc_figure_read(nnc_collector *collector, const nnc_report *report, int32_t index);
/* Tests whether a brief estimate of a training step leaves out the value with this index. */
bool nnc_figure_is_full(const nnc_collector *collector, int32_t index);

/* ---- change.c: reports of `nncost check` and `nncost diff` ---- */

/* An op whose time in the step (repeat x time_s) differs between the old and the new estimate. A time is NaN if the
 * estimate lacks the op. */
typedef struct nnc_check_op {
    const char *name, *phase;
    double old_s, now_s;
} nnc_check_op;

/* One changed value in the report of a check, and the row (scenario) of the report to which the value belongs. */
typedef struct nnc_check_line {
    const nnc_check_row *row;
    const nnc_change *change;
} nnc_check_line;

typedef struct nnc_check_report {
    const char *path;     /* path of the plan file that was checked, or of the file with the old estimate */
    const char *other;    /* path of the file with the new estimate; only nnc_diff_make sets it */
    const char *tool;     /* version of nncost that computed the new values */
    const char *old_tool; /* version of nncost that recorded the old values; NULL = no values are recorded, or the
                           * version is not known */
    nnc_check_row *rows;
    int32_t row_count;
    bool updated;                /* true: the new values replaced the old values in the plan file */
    const nnc_check_line *lines; /* the changed values of all rows of the report */
    int32_t line_count;
} nnc_check_report;

/* Data that `nncost check` keeps in memory about a scenario whose values did not change. With NNC_KEEPS_CHANGES, only
 * the state of the scenario is kept. With NNC_KEEPS_ESTIMATES, the estimate of the scenario is kept too, so that
 * --update can record it. With NNC_KEEPS_ROWS, the old and new values in the row of the report are kept in addition. */
typedef enum nnc_check_keeping { NNC_KEEPS_CHANGES, NNC_KEEPS_ESTIMATES, NNC_KEEPS_ROWS } nnc_check_keeping;

nnc_status nnc_check_make(nnc_specs *specs, const char *path, nnc_check_keeping keeping, nnc_check **check,
                          nnc_error *err);
const nnc_check_report *nnc_check_report_of(const nnc_check *check);

/* Lists the changed values of all rows of a report in report->lines. Returns NNC_OK or NNC_NO_MEMORY. */
nnc_status nnc_check_list_changes(nnc_arena *arena, nnc_check_report *report, nnc_error *err);

/* Compares two files of recorded estimates. If each file has exactly one estimate, compares the two estimates, even if
 * their names differ. For files with several estimates, pairs estimates with equal names, in the order of the new file.
 * If the two estimates of a pair have different software profiles, splits the change of the step time between profile
 * and plan. */
nnc_status nnc_diff_make(nnc_specs *specs, nnc_arena *arena, const char *old_path, const char *now_path,
                         nnc_check_report *report, nnc_error *err);

/* Totals over all rows of a check report: the number of rows in each state, of requirements, and of missed
 * requirements. */
typedef struct nnc_check_sum {
    int32_t states[NNC_CHECK_STATE_COUNT];
    int32_t requirements, missed;
    bool passed; /* true: every changed value was accepted, and every requirement is met */
} nnc_check_sum;

nnc_check_sum nnc_check_sum_of(const nnc_check_report *report);
int32_t nnc_check_missed(const nnc_check_row *row);
bool nnc_check_row_moved(const nnc_check_row *row);
/* Tests whether a scenario fails the check. A scenario fails if one of its values changed and the change was not
 * accepted, or if it misses a requirement. */
bool nnc_check_row_failed(const nnc_check_report *report, const nnc_check_row *row);

/* Writes the summary line of a check, such as "2 of 3 scenarios as recorded, 1 moved; 1 of 4 requirements missed". */
void nnc_check_summary(const nnc_check_report *report, char *text, size_t size);
/* Writes the change of the most important total of a scenario: "step 412.0 ms -> 415.0 ms (+0.73 %), most of it
 * backward_s". Writes "" if the old and the new estimate have no total in common. */
void nnc_check_headline(const nnc_check_row *row, char *text, size_t size);

/* A changed value as text for people: old value, new value and relative change. Values have units and four significant
 * digits. If the old and the new value are equal in four digits, both are written with all digits. */
typedef struct nnc_change_text {
    char old[64], now[64], percent[32];
} nnc_change_text;
nnc_change_text nnc_change_text_of(const nnc_change *change);
const char *nnc_change_name(const nnc_change *change);
/* Returns the change of the metric `name` if its value differs from the recorded value; NULL = the value did not
 * change. */
const nnc_change *nnc_change_find(const nnc_check_row *row, const char *name);
void nnc_verdict_text(const nnc_check_verdict *verdict, char *text, size_t size);

#define NNC_CHECK_SCHEMA "nncost.check/1"

/* Metrics tables of the check report of `nncost check`, of the check report of `nncost diff`, and of one op of a
 * diff. */
extern const nnc_metrics nnc_check_document, nnc_diff_document, nnc_check_op_metrics;

/* Returns the rows of the CSV output of a check report: one row for each changed value. */
nnc_lines nnc_check_lines(const void *record);

#endif
