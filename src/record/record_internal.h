#ifndef NNCOST_RECORD_RECORD_INTERNAL_H
#define NNCOST_RECORD_RECORD_INTERNAL_H

#include <nncost/check.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "metrics/metrics_internal.h"
#include "scenario/scenario_internal.h"

/* ---- figure.c: lists of values ---- */

/* The values of one estimate, packed to save memory. Estimates that have values with the same names share one list of
 * names. */

typedef union nnc_packed_value {
    double number;
    const char *text;
} nnc_packed_value;

typedef struct nnc_packed {
    const nnc_figures *kinds;       /* names of the values, and whether each value is a string; NULL = no values */
    const nnc_packed_value *values; /* the values; NULL = the entries of `kinds` also have the values */
} nnc_packed;

/* Packs the values of an estimate. before: the estimate that was packed before, whose list of names is used again if
 * the names are equal; NULL = no such estimate. Names and strings must outlive the packed values. Returns false when
 * out of memory. */
bool nnc_packed_make(nnc_arena *arena, nnc_figures figures, const nnc_packed *before, nnc_packed *packed);

static inline int32_t nnc_packed_count(const nnc_packed *packed) {
    return packed->kinds != NULL ? packed->kinds->count : 0;
}

nnc_figure nnc_packed_figure(const nnc_packed *packed, int32_t index);

/* Returns all packed values as a list of figures in the arena; NULL = out of memory. */
const nnc_figure *nnc_packed_list(nnc_arena *arena, const nnc_packed *packed);

/* ---- plan_file.c, recorded.c: plan files and recorded estimates ---- */

/* Plan files ("nncost.plans/1") hold scenarios, requirements, and the estimates that `nncost check --update`
 * recorded. */

#define NNC_PLANS_SCHEMA "nncost.plans/1"
#define NNC_RECORDED_SCHEMA "nncost.recorded/1"
#define NNC_ESTIMATE_SCHEMA "nncost.estimate/1"
#define NNC_SERVE_SCHEMA "nncost.serve/1"
#define NNC_RECORDED_CONVENTIONS NNC_ESTIMATE_SCHEMA ", SI units, 12 significant digits"
#define NNC_DIGEST_OPEN "----------------" /* placeholder for the digest in the text, until the digest is computed */

/* Files that a scenario names by their ids or paths. */
typedef enum nnc_plans_ref {
    NNC_REF_MODEL,
    NNC_REF_DEVICE,
    NNC_REF_SOFTWARE,
    NNC_REF_CLUSTER, /* the cluster, which a scenario always names by its path */
    NNC_REF_COUNT
} nnc_plans_ref;
extern const char *const nnc_plans_ref_names[NNC_REF_COUNT];

enum { NNC_PLANS_PAIRS_MAX = 64, NNC_PLANS_SCENARIOS_MAX = 100000 };

/* A key of a plan file, and its value as the text that its option would have on the command line. */
typedef struct nnc_pair {
    const char *key, *text;
    const nnc_field *field; /* field that the key sets, of the plan, the run or the serving plan; NULL in other lists */
} nnc_pair;

typedef struct nnc_pairs {
    nnc_pair *list;
    int32_t count;
} nnc_pairs;

typedef struct nnc_plans_scenario {
    const char *id;
    long line;                       /* line of the file at which the scenario starts */
    bool serve;                      /* true: a serving scenario; false: a training scenario */
    const char *refs[NNC_REF_COUNT]; /* names of model, device, profile and cluster as the file has them; NULL = not
                                      * given */
    nnc_pairs values;                /* fields of the plan (or of the serving plan) that the scenario sets */
    nnc_pairs sets;                  /* values of --set in the scenario: "model.layers", "40" */
    const nnc_requirement *requirements;
    const nnc_tolerance *tolerances;
    int32_t requirement_count, tolerance_count;
    uint64_t digest; /* digest of everything on which the estimate depends, except the content of files */
} nnc_plans_scenario;

/* Recorded digest of a file (model, device, software profile or cluster), or of the plan of a scenario. */
typedef struct nnc_recorded_digest {
    const char *kind, *name, *digest;
} nnc_recorded_digest;

/* One op of an estimate file: its names, dimensions and time. */
typedef struct nnc_recorded_op {
    const char *name, *phase, *shape;
    double repeat, time_s;
} nnc_recorded_op;

typedef struct nnc_recorded_estimate {
    const char *id; /* id of the scenario; "" in an estimate file */
    nnc_packed figures;
    const nnc_recorded_op *ops; /* ops of the step, which only an estimate file has */
    int32_t op_count;
} nnc_recorded_estimate;

typedef struct nnc_recorded {
    const char *tool;        /* version of nncost that wrote the estimates; NULL = nothing is recorded */
    const char *conventions; /* schema, units and digits of the values: NNC_RECORDED_CONVENTIONS */
    const nnc_recorded_digest *digests;
    int32_t digest_count;
    const nnc_recorded_estimate *estimates;
    int32_t estimate_count;
    /* Set only by nnc_plans_parse_head. digest: digest of the recorded part; members: sum of the digests of its members
     * other than the estimates. */
    const char *digest;
    uint64_t members;
} nnc_recorded;

/* Position of the recorded part in the text of the file: its value is [begin, end). If both are 0, the part is missing;
 * a new part is inserted at `insert`. */
typedef struct nnc_plans_places {
    size_t begin, end, insert;
} nnc_plans_places;

typedef struct nnc_plans {
    const char *path;
    const char *text; /* text of the whole file */
    size_t size;
    const nnc_plans_scenario *scenarios;
    int32_t scenario_count;
    const char *const *record; /* names of the values to record, in the form of nnc_figure_match; record_count 0 = all
                                * values are recorded */
    int32_t record_count;
    nnc_recorded recorded;
    nnc_plans_places places;
} nnc_plans;

/* Tests whether a file is a plan file. Returns false also if the file cannot be read, or is a pipe and specs is
 * NULL. */
bool nnc_plans_is(nnc_specs *specs, const char *path);

/* Reads a plan file into the arena. */
nnc_status nnc_plans_read(nnc_specs *specs, nnc_arena *arena, const char *path, const nnc_plans **plans,
                          nnc_error *err);
/* Reads a plan file from its text (text[size] is NUL), which must outlive plans. Reports faults to `faults`. */
void nnc_plans_parse(nnc_arena *arena, const char *text, size_t size, nnc_faults *faults, nnc_plans *plans);
/* Works as nnc_plans_parse, for the text of a plan file from which all recorded estimates were cut, so that it ends
 * with "estimates": {}}}. Does not check the digest of the recorded part. */
void nnc_plans_parse_head(nnc_arena *arena, const char *text, size_t size, nnc_faults *faults, nnc_plans *plans);
/* Removes the recorded part of a plan file; every other byte stays. If this fails, the file is unchanged. */
nnc_status nnc_plans_forget(nnc_specs *specs, const char *path, nnc_error *err);
/* Reads the recorded estimates of a plan file, or the one estimate in the output of `estimate --format json`. */
nnc_status nnc_recorded_read(nnc_arena *arena, const char *path, nnc_recorded *recorded, nnc_error *err);

/* Works as nnc_recorded_read, but reads from text (text[size] is NUL). */
nnc_status nnc_recorded_parse(nnc_arena *arena, const char *name, const char *text, size_t size, nnc_recorded *recorded,
                              nnc_error *err);

/* Writes recorded estimates as the value of "recorded" in a plan file, with a placeholder for the digest. With
 * one_line, each estimate takes one line; otherwise one line per part, such as "step" or "memory". */
void nnc_recorded_write(nnc_buffer *out, const nnc_recorded *recorded, bool one_line);

/* A value of an estimate, and its JSON text as it was last written. */
typedef struct nnc_written {
    nnc_figure figure;
    uint64_t group, key, digest; /* group: digest of the first part of the name ("step" of "step.step_s"); key: digest
                                  * of the other part; digest: digest of key and value */
    uint32_t group_size;         /* number of bytes of the first part of the name */
    uint32_t key_size,
        size;   /* key_size: bytes before the value, which are a comma or the beginning of a group, and the key; size:
                 * key_size plus the bytes of the value */
    bool opens; /* true: the value is the first one of its group */
} nnc_written;

/* The estimate that was written last. Most values of an estimate equal the values of the estimate before, so their text
 * is copied. */
typedef struct nnc_written_estimate {
    nnc_written *values;
    int32_t count;   /* number of values in `text` */
    nnc_buffer text; /* JSON text of the values, without the id of the scenario */
} nnc_written_estimate;

/* Writes one estimate and its id as nnc_recorded_write does, and adds its digest to *members. last: the estimate that
 * was written before; NULL = no such estimate. The text of values that did not change is copied from *last. Then *last
 * gets the text of this estimate. */
void nnc_recorded_put(nnc_buffer *out, const char *id, const nnc_packed *figures, bool one_line, bool first,
                      nnc_written_estimate *last, uint64_t *members);

/* A list of values of one estimate while it is read, in the arena of the document. */
typedef struct nnc_figure_list {
    nnc_figure *list;
    int32_t count, capacity;
    nnc_figures like; /* names of the previous estimate; most estimates have the same names */
    bool quiet;       /* true: faults are not reported */
    bool faulty;      /* true: at least one fault was found */
} nnc_figure_list;

/* Reads the recorded estimate of a scenario from its text (text[size] is NUL), and adds its digest to *members. before:
 * the estimate that was read before; NULL = no such estimate. found: memory that is used again for each estimate.
 * Returns false if the text has a fault, or when out of memory. */
bool nnc_recorded_read_one(nnc_arena *arena, const char *id, const char *text, size_t size,
                           const nnc_recorded_estimate *before, nnc_figure_list *found, nnc_recorded_estimate *estimate,
                           uint64_t *members);

/* Returns the text of the file in which `recorded` (from nnc_recorded_write) replaces the old recorded part, with
 * its digest filled in. Every other byte stays. The text is in the arena; NULL when out of memory. */
const char *nnc_plans_with_recorded(nnc_arena *arena, const nnc_plans *plans, char *recorded, size_t *size);

/* ---- functions that plan_file.c and recorded.c share ---- */

/* Sets plans->places, and the line numbers where the scenarios begin. */
void nnc_plans_find_places(nnc_plans *plans, size_t estimates_end, long *lines, int32_t count);
void nnc_recorded_of(nnc_json at, bool head, nnc_recorded *recorded);

/* ---- plan_file.c: loading scenarios ---- */

typedef struct nnc_serve_scenario nnc_serve_scenario;

/* If `model` is the path of a plan file, reads the file into *plans; otherwise sets *plans to NULL. */
nnc_status nnc_plans_open(nnc_specs *specs, nnc_arena *arena, const char *model, const nnc_plans **plans,
                          nnc_error *err);

/* Finds the scenario with this id. id NULL: the only scenario of the file. NNC_BAD_USAGE: there is no such scenario. */
nnc_status nnc_plans_pick(const nnc_plans *plans, const char *id, const nnc_plans_scenario **scenario, nnc_error *err);

/* Loads a scenario, changed by the options given on the command line. device: NULL = the device that the scenario
 * names. Errors name the file, the line and the scenario. */
nnc_status nnc_plans_load(nnc_specs *specs, const nnc_scenario_args *given, nnc_arena *arena, const nnc_plans *plans,
                          const nnc_plans_scenario *from, const char *device, nnc_scenario *scenario, nnc_error *err);

/* Works as nnc_plans_load, for a serving scenario. */
nnc_status nnc_plans_load_served(nnc_specs *specs, const nnc_scenario_args *given, nnc_arena *arena,
                                 const nnc_plans *plans, const nnc_plans_scenario *from, const char *device,
                                 nnc_serve_scenario *scenario, nnc_error *err);

/* Puts "FILE:LINE: ID: " before err->where. Returns the status of err. */
nnc_status nnc_plans_blame(const nnc_plans *plans, const nnc_plans_scenario *from, nnc_error *err);

/* Lists the values of reports. All reports of a kind have the same names of values, so the names are found only
 * once. */
typedef struct nnc_collector {
    nnc_arena *arena;
    struct nnc_collected {
        nnc_columns columns; /* names of the values of this kind of report; list NULL = not yet found */
        nnc_figure *figures; /* values of the last report of this kind */
        int32_t of_step;     /* number of values up to the values of the run, which come last */
    } trained, served, images;
} nnc_collector;

/* Returns the values of an estimate; they are valid until the next estimate of the same kind. The member `list` is NULL
 * when out of memory. Strings are static, or in the arena. */
nnc_figures nnc_figures_of(nnc_collector *collector, const nnc_report *report);

/* ---- change.c: reports of a check or of a comparison ---- */

/* An op whose time in the step (repeat x time_s) differs between two estimates. NaN: the old or the new estimate lacks
 * the op. */
typedef struct nnc_check_op {
    const char *name, *phase;
    double old_s, now_s;
} nnc_check_op;

/* One changed value of a report, with the row of the report (a scenario) that it belongs to. */
typedef struct nnc_check_line {
    const nnc_check_row *row;
    const nnc_change *change;
} nnc_check_line;

typedef struct nnc_check_report {
    const char *path;     /* path of the plan file, or of the old estimate */
    const char *other;    /* path of the new estimate (only in a diff) */
    const char *tool;     /* version of nncost that made the new values */
    const char *old_tool; /* version of nncost that recorded the old values; NULL = no values are recorded, or the
                           * version is not known */
    nnc_check_row *rows;
    int32_t row_count;
    bool updated;                /* true: the new values replaced the old values in the file */
    const nnc_check_line *lines; /* all changes of all rows */
    int32_t line_count;
} nnc_check_report;

/* Data that a check keeps in memory for a scenario whose values did not change. NNC_KEEPS_CHANGES: only its state.
 * NNC_KEEPS_ESTIMATES: also its estimate, so that it can be recorded. NNC_KEEPS_ROWS: also the old and new values of
 * its row. */
typedef enum nnc_check_keeping { NNC_KEEPS_CHANGES, NNC_KEEPS_ESTIMATES, NNC_KEEPS_ROWS } nnc_check_keeping;

nnc_status nnc_check_make(nnc_specs *specs, const char *path, nnc_check_keeping keeping, nnc_check **check,
                          nnc_error *err);
const nnc_check_report *nnc_check_report_of(const nnc_check *check);

/* Lists the changes of all rows. NNC_OK or NNC_NO_MEMORY. */
nnc_status nnc_check_list_changes(nnc_arena *arena, nnc_check_report *report, nnc_error *err);

/* Compares two files of recorded estimates. If each has one estimate, compares these two, whatever their names;
 * otherwise pairs estimates by name, in the order of the new file. If the software profiles of a pair differ, splits
 * the change of the step between profile and plan. */
nnc_status nnc_diff_make(nnc_specs *specs, nnc_arena *arena, const char *old_path, const char *now_path,
                         nnc_check_report *report, nnc_error *err);

/* Sums over all rows of a report: rows in each state, requirements, and missed requirements. */
typedef struct nnc_check_sum {
    int32_t states[NNC_CHECK_STATE_COUNT];
    int32_t requirements, missed;
    bool passed; /* true: every change was accepted, and every requirement is met */
} nnc_check_sum;

nnc_check_sum nnc_check_sum_of(const nnc_check_report *report);
int32_t nnc_check_missed(const nnc_check_row *row);
bool nnc_check_row_moved(const nnc_check_row *row);
/* Tests whether a scenario fails the check: it has a change that was not accepted, or misses a requirement. */
bool nnc_check_row_failed(const nnc_check_report *report, const nnc_check_row *row);

/* Writes a summary line: "2 of 3 scenarios as recorded, 1 moved; 1 of 4 requirements missed" */
void nnc_check_summary(const nnc_check_report *report, char *text, size_t size);
/* Writes the change of the main total: "step 412.0 ms -> 415.0 ms (+0.73 %), most of it backward_s". Writes "" if no
 * total is in both estimates. */
void nnc_check_headline(const nnc_check_row *row, char *text, size_t size);

/* A change as text for people. The values have units, and four digits; if four digits are equal in both values, all
 * digits. */
typedef struct nnc_change_text {
    char old[64], now[64], percent[32];
} nnc_change_text;
nnc_change_text nnc_change_text_of(const nnc_change *change);
const char *nnc_change_name(const nnc_change *change);
void nnc_verdict_text(const nnc_check_verdict *verdict, char *text, size_t size);

#define NNC_CHECK_SCHEMA "nncost.check/1"

/* Metrics tables for the nnc_check_report of a check and of a diff, and for an nnc_check_op. */
extern const nnc_metrics nnc_check_document, nnc_diff_document, nnc_check_op_metrics;

/* Returns the rows of the CSV output of an nnc_check_report: one row for each change. */
nnc_lines nnc_check_lines(const void *record);

#endif
