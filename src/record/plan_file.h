/* Plan files ("nncost.plans/1"): scenarios, what is required of them, and the estimates that
 * `nncost check --update` recorded in the same file. */
#ifndef NNCOST_RECORD_PLAN_FILE_H
#define NNCOST_RECORD_PLAN_FILE_H

#include <nncost/check.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "input/field.h"
#include "input/json.h"
#include "record/packed.h"

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

/* Text of a file that may be a plan file with recorded estimates, so of up to NNC_RECORDED_BYTES_MAX; text[size] is
 * NUL, to be freed. What a pipe holds stays with the specs: it may be asked for again. */
nnc_status nnc_plans_text(nnc_specs *specs, const char *path, char **text, size_t *size,
                          nnc_error *err);

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

void nnc_plans_read_scenarios(nnc_json root, nnc_plans *plans);
/* Fills in plans->places, and the lines where its scenarios begin. */
void nnc_plans_find_places(nnc_plans *plans, size_t estimates_end, long *lines, int32_t count);
void nnc_recorded_of(nnc_json at, nnc_recorded *recorded);

#endif
