#ifndef NNCOST_RECORD_RECORD_INTERNAL_H
#define NNCOST_RECORD_RECORD_INTERNAL_H

#include <nncost/check.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/digest.h"
#include "input/field.h"
#include "input/json.h"
#include "metrics/report.h"
#include "record/scenario.h"

/* ---- lists of values (figure.c) ---- */

/* Figures of many estimates, in little room: most have the names of the one before. */

typedef union nnc_packed_value {
    double number;
    const char *text;
} nnc_packed_value;

typedef struct nnc_packed {
    const nnc_figures *kinds; /* names, and which of them are texts; NULL = no figures */
    const nnc_packed_value *values;
} nnc_packed;

/* Their names and texts have to outlive it. false: out of memory. */
bool nnc_packed_make(nnc_arena *arena, nnc_figures figures, const nnc_packed *before,
                     nnc_packed *packed);

static inline int32_t nnc_packed_count(const nnc_packed *packed)
{
    return packed->kinds != NULL ? packed->kinds->count : 0;
}

nnc_figure nnc_packed_figure(const nnc_packed *packed, int32_t index);

/* All of them, as a list of their own; NULL = out of memory. */
const nnc_figure *nnc_packed_list(nnc_arena *arena, const nnc_packed *packed);

/* ---- plan files and recorded estimates (plan_file.c, recorded.c) ---- */

/* Plan files ("nncost.plans/1"): scenarios, what is required of them, and the estimates that
 * `nncost check --update` recorded in the same file. */

#define NNC_PLANS_SCHEMA "nncost.plans/1"
#define NNC_RECORDED_SCHEMA "nncost.recorded/1"
#define NNC_ESTIMATE_SCHEMA "nncost.estimate/1"
#define NNC_SERVE_SCHEMA "nncost.serve/1"
#define NNC_RECORDED_CONVENTIONS NNC_ESTIMATE_SCHEMA ", SI units, 12 significant digits"
#define NNC_DIGEST_OPEN "----------------" /* until it is known */

/* The specs a scenario names. */
typedef enum nnc_plans_ref {
    NNC_REF_MODEL,
    NNC_REF_DEVICE,
    NNC_REF_SOFTWARE,
    NNC_REF_CLUSTER, /* always a path */
    NNC_REF_COUNT
} nnc_plans_ref;
extern const char *const nnc_plans_ref_names[NNC_REF_COUNT];

enum { NNC_PLANS_PAIRS_MAX = 64, NNC_PLANS_SCENARIOS_MAX = 100000 };

/* A key and its value, as an option would give it. */
typedef struct nnc_pair {
    const char *key, *text;
    const nnc_field *field; /* of the plan, the run or the serve plan; NULL in other lists */
} nnc_pair;

typedef struct nnc_pairs {
    nnc_pair *list;
    int32_t count;
} nnc_pairs;

typedef struct nnc_plans_scenario {
    const char *id;
    long line;                       /* where it begins */
    bool serve;                      /* it is served; else trained */
    const char *refs[NNC_REF_COUNT]; /* as written; NULL = not given */
    nnc_pairs values;                /* fields of the plan, or of the serve plan */
    nnc_pairs sets;                  /* "model.layers", "40" */
    const nnc_requirement *requirements;
    const nnc_tolerance *tolerances;
    int32_t requirement_count, tolerance_count;
    uint64_t digest; /* of everything the estimate depends on, files aside */
} nnc_plans_scenario;

/* A digest recorded for a model, a device, a software profile or the plan of a scenario. */
typedef struct nnc_recorded_digest {
    const char *kind, *name, *digest;
} nnc_recorded_digest;

/* One row of an estimate's op table. */
typedef struct nnc_recorded_op {
    const char *name, *phase, *shape;
    double repeat, time_s;
} nnc_recorded_op;

typedef struct nnc_recorded_estimate {
    const char *id; /* of the scenario; "" in an estimate file */
    nnc_packed figures;
    const nnc_recorded_op *ops; /* only in an estimate file */
    int32_t op_count;
} nnc_recorded_estimate;

typedef struct nnc_recorded {
    const char *tool;        /* version; NULL = nothing is recorded */
    const char *conventions; /* how the figures are to be read: NNC_RECORDED_CONVENTIONS */
    const nnc_recorded_digest *digests;
    int32_t digest_count;
    const nnc_recorded_estimate *estimates;
    int32_t estimate_count;
} nnc_recorded;

/* Where the recorded part stands in the text: [begin, end) of its value; both 0 = there is none, and
 * insert is where its member goes. */
typedef struct nnc_plans_places {
    size_t begin, end, insert;
} nnc_plans_places;

typedef struct nnc_plans {
    const char *path;
    const char *text; /* the whole file */
    size_t size;
    const nnc_plans_scenario *scenarios;
    int32_t scenario_count;
    const char *const *record; /* figures to record, as in nnc_figure_match; none = all */
    int32_t record_count;
    nnc_recorded recorded;
    nnc_plans_places places;
} nnc_plans;

/* Does a file say it is a plan file? Only a look at its text; false when it cannot be read, or is a pipe and
 * specs NULL. */
bool nnc_plans_is(nnc_specs *specs, const char *path);

/* Reads a plan file; all of it lives in the arena. */
nnc_status nnc_plans_read(nnc_specs *specs, nnc_arena *arena, const char *path,
                          const nnc_plans **plans, nnc_error *err);
/* The same from text (text[size] is NUL), which has to outlive plans. Faults are noted. */
void nnc_plans_parse(nnc_arena *arena, const char *text, size_t size, nnc_faults *faults,
                     nnc_plans *plans);
/* Takes the recorded part out of a plan file, whole or not at all, and leaves every other byte as it is. */
nnc_status nnc_plans_forget(nnc_specs *specs, const char *path, nnc_error *err);
/* The recorded estimates of a plan file, or the one estimate of an `estimate --format json`. */
nnc_status nnc_recorded_read(nnc_arena *arena, const char *path, nnc_recorded *recorded,
                             nnc_error *err);

/* The same from text (text[size] is NUL). */
nnc_status nnc_recorded_parse(nnc_arena *arena, const char *name, const char *text, size_t size,
                              nnc_recorded *recorded, nnc_error *err);

/* Writes recorded estimates as the value of a plan file's "recorded", its digest still open: an
 * estimate takes a line for each of its parts, or, with one_line, one for all of it. */
void nnc_recorded_write(nnc_buffer *out, const nnc_recorded *recorded, bool one_line);

/* The file's text with `recorded` (as nnc_recorded_write wrote it; its digest is filled in) in the place
 * of the old one; every other byte stays. In the arena; NULL when out of memory. */
const char *nnc_plans_with_recorded(nnc_arena *arena, const nnc_plans *plans, char *recorded,
                                    size_t *size);

/* ---- between the files of this reader ---- */

/* Fills in plans->places, and the lines where its scenarios begin. */
void nnc_plans_find_places(nnc_plans *plans, size_t estimates_end, long *lines, int32_t count);
void nnc_recorded_of(nnc_json at, nnc_recorded *recorded);

/* ---- loading scenarios (plan_file_load.c) ---- */

typedef struct nnc_serve_scenario nnc_serve_scenario;

/* The scenarios of a plan file made concrete. */

/* Reads MODEL as a plan file if it is one; *plans stays NULL if it is not. */
nnc_status nnc_plans_open(nnc_specs *specs, nnc_arena *arena, const char *model,
                          const nnc_plans **plans, nnc_error *err);

/* The scenario of that id; with id NULL the only one. Fails with NNC_BAD_USAGE. */
nnc_status nnc_plans_pick(const nnc_plans *plans, const char *id,
                          const nnc_plans_scenario **scenario, nnc_error *err);

/* Loads a scenario with what is given on top; device NULL = its own. The error
 * names the file, the line and the scenario. */
nnc_status nnc_plans_load(nnc_specs *specs, const nnc_given *given, nnc_arena *arena,
                          const nnc_plans *plans, const nnc_plans_scenario *from,
                          const char *device, nnc_scenario *scenario, nnc_error *err);

/* The same of one that is served. */
nnc_status nnc_plans_load_served(nnc_specs *specs, const nnc_given *given, nnc_arena *arena,
                                 const nnc_plans *plans, const nnc_plans_scenario *from,
                                 const char *device, nnc_serve_scenario *scenario, nnc_error *err);

/* Puts "FILE:LINE: ID: " before err->where, and makes a bad option, which nobody gave, a bad file.
 * Returns the status. */
nnc_status nnc_plans_blame(const nnc_plans *plans, const nnc_plans_scenario *from, nnc_error *err);

/* Turns reports into figures; the names, the same for every estimate and for all that is served, are found
 * once. */
typedef struct nnc_collector {
    nnc_arena *arena;
    struct nnc_collected {
        nnc_columns columns; /* list NULL = not found yet */
        nnc_figure *figures; /* of the last one */
    } trained, served, images;
} nnc_collector;

/* The figures of an estimate, until the next of its kind; NULL list when out of memory. Their texts are static, or in
 * the arena. */
nnc_figures nnc_figures_of(nnc_collector *collector, const nnc_report *report);

/* ---- reports of a check (check_report.c) ---- */

/* What a check, or a comparison of two estimates, found. */

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
