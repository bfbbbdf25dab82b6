/* Strict JSON: a document, its values, and faults that say where they are. */
#ifndef NNCOST_INPUT_JSON_H
#define NNCOST_INPUT_JSON_H

#include <nncost/spec.h>

#include "base/arena.h"

enum { NNC_FAULTS_MAX = 100 };

/* What is wrong with a file. Reading goes on after a fault in the content, so that `report` hears of
 * each of them (up to NNC_FAULTS_MAX); without it only the first counts, and reading stops. */
typedef struct nnc_faults {
    const char *name;     /* of the file, in messages; NULL = no file */
    nnc_error *err;       /* receives the first fault; may be NULL */
    nnc_fault_fn *report; /* receives every fault; may be NULL */
    void *context;
    nnc_status status; /* of the first fault */
    int count;
    bool no_memory; /* one of them is that */
} nnc_faults;

/* An object whose members, objects themselves, are read one at a time: a large file is no large tree. */
typedef struct nnc_json_apart {
    const char *name;           /* dotted: "recorded.estimates" */
    const struct cJSON *object; /* NULL: there is none, or it was read like the rest */
    int32_t count;              /* of its members */
    size_t *places;             /* where they stand in the text; 0 = read like the rest */
    size_t end;                 /* behind the object */
    uint64_t *digests;          /* of those that were closed */
} nnc_json_apart;

typedef struct nnc_json_doc {
    nnc_faults *faults;
    nnc_arena *arena; /* for texts that outlive the document */
    const char *text;
    size_t size;
    int values_max;   /* 0 = NNC_SCAN_VALUES_MAX; beyond it the text may be large, too */
    bool foreign;     /* may be the configuration of a published model: see nnc_json_parse */
    bool lenient;     /* unknown keys of such a file are skipped, and named */
    nnc_specs *specs; /* where the data files of such a file are; NULL = nowhere */
    nnc_json_apart apart;
    struct cJSON *root;        /* NULL: no document, faults carry no line */
    struct nnc_json_doc *like; /* whose values it took over, freed with it; NULL = none */
} nnc_json_doc;

/* A value in a document; passed by value. node NULL = absent. */
typedef struct nnc_json {
    const nnc_json_doc *doc;
    const struct cJSON *node;
} nnc_json;

typedef enum nnc_json_type {
    NNC_JSON_ABSENT,
    NNC_JSON_NULL,
    NNC_JSON_BOOL,
    NNC_JSON_NUMBER,
    NNC_JSON_TEXT,
    NNC_JSON_LIST,
    NNC_JSON_OBJECT
} nnc_json_type;

/* doc: faults, arena, text and size are given; text[size] must be a NUL. false: a fault was noted. With
 * doc->foreign a text without a "schema" may be as Python writes it: Infinity and NaN are read as texts
 * ("+inf"), which no number's key accepts, and there may be many values. */
bool nnc_json_parse(nnc_json_doc *doc);
void nnc_json_free(nnc_json_doc *doc);

nnc_json nnc_json_root(const nnc_json_doc *doc);
nnc_json_type nnc_json_type_of(nnc_json at);
nnc_json nnc_json_get(nnc_json object, const char *key);
/* The first value of a list or object, and the one after a value. */
nnc_json nnc_json_first(nnc_json container);
nnc_json nnc_json_next(nnc_json at);
const char *nnc_json_key(nnc_json at); /* "" in a list */

/* Follows a dotted name as far as it exists; *rest is what is left of it. */
nnc_json nnc_json_follow(nnc_json at, const char *dotted, const char **rest);

/* A member of the object that is apart, which is empty until it is opened; false: a fault was noted. Closing keeps
 * its digest, which skips the same names (see below). Any other value is as it is. */
bool nnc_json_open(nnc_json at, int32_t index);
void nnc_json_close(nnc_json at, int32_t index, const char *const *skip);

/* Of the right type only. */
bool nnc_json_bool(nnc_json at);
double nnc_json_number(nnc_json at);
const char *nnc_json_text(nnc_json at); /* lives as long as the document */
int nnc_json_count(nnc_json at);
/* The value as text, in the arena of the document; NULL when it is absent, or out of memory. */
const char *nnc_json_copy(nnc_json at);

/* Digest of a value: keys in any order, members named in `skip` (ends with NULL) of its objects, at
 * any depth, left out. */
uint64_t nnc_json_digest(nnc_json at, const char *const *skip);

/* ---- changing a document ---- */

/* Another text for a text. */
void nnc_json_set_text(nnc_json at, const char *text);
/* Adds to an object a value of this or another document, which has to live as long; it is marked as
 * inherited, and so is an object made empty under a key. */
void nnc_json_inherit(nnc_json object, nnc_json value);
nnc_json nnc_json_inherit_object(nnc_json object, const char *key);
bool nnc_json_inherited(nnc_json at);

/* Notes a fault. member: a dotted name below `at`, which need not exist; NULL = `at` itself. */
void nnc_json_fault(nnc_json at, const char *member, const char *format, ...) NNC_PRINTF(3, 4);
/* "what, expected ..., found" and the value itself. */
void nnc_json_mismatch(nnc_json at, const char *what, const char *expected);
/* Should reading go on? */
bool nnc_json_go_on(nnc_json at);
void nnc_faults_no_memory(nnc_faults *faults);
void nnc_faults_note(nnc_faults *faults, const nnc_error *fault);

#endif
