/* From files to structs: strict JSON, field tables, spec files found by id.
 *
 *     json.c           documents, values, and errors that name line and key
 *     json_scan.c      JSON text: grammar check before cJSON, positions of values after it
 *     read.c           objects read by field tables; recorded results read by tables of metrics; comma-separated values
 *     folders.c        data folders: from an id, alias, path or name of the Hugging Face hub to a file
 *     spec.c           the set of loaded specs; one file of any kind
 *     inherit.c        "like", "same_as" and "references"
 *     device.c         devices with their fitted parameters, and the links of clusters
 *     model.c          models of every family                 decoder_model.c  image_model.c  graph_model.c
 *     capture.c        captured PyTorch programs
 *     software.c       software profiles, releases            catalogue.c      prices, regions, buildings
 *     plausible.c      relations that every real device and software profile holds
 *     foreign/         model configurations of other programs
 *
 * Every error names the file, line and key, what was expected and what was found. Reading continues after an error in
 * the content when the caller wants all of them. */
#ifndef NNCOST_INPUT_INPUT_INTERNAL_H
#define NNCOST_INPUT_INPUT_INTERNAL_H

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "fields/fields_internal.h"
#include "graph/graph_internal.h"
#include "metrics/metrics_internal.h"

/* ---- files ---- */

enum {
    NNC_FILE_BYTES_MAX = 16 * 1000 * 1000,
    NNC_RECORDED_BYTES_MAX = 1000 * 1000 * 1000 /* a file with many recorded estimates */
};

/* Reads a whole file into *text, which the caller frees; a NUL follows its *size bytes. NNC_IO: cannot be read, or a
 * folder; NNC_BAD_SPEC: larger than NNC_FILE_BYTES_MAX (than `most`). */
nnc_status nnc_file_read(const char *path, char **text, size_t *size, nnc_error *err);
nnc_status nnc_file_read_large(const char *path, size_t most, char **text, size_t *size, nnc_error *err);
/* NNC_BAD_SPEC, "too large". */
nnc_status nnc_file_too_large(const char *path, size_t most, nnc_error *err);

/* Copies text of a caller, which need not end with a NUL; the caller frees *copy. */
nnc_status nnc_text_copy(const char *name, const char *text, size_t size, char **copy, nnc_error *err);

/* Is it a path rather than an id? A path contains '/' or ends in ".json". */
bool nnc_is_path(const char *text);
/* Is it standard input or another pipe? */
bool nnc_is_pipe(const char *path);
bool nnc_is_folder(const char *path);
/* Resolves a path in a file relative to the folder of that file. In the arena; NULL when out of memory. */
const char *nnc_path_from(nnc_arena *arena, const char *file, const char *path);

/* ---- CSV, RFC 4180 ---- */

enum { NNC_CSV_CELLS_MAX = 256 };

/* Reads lines of cells and decodes them in place: the cells point into the text, which changes. */
typedef struct nnc_csv {
    const char *name; /* name of the file in messages */
    char *at, *end;
    long line;     /* line of the next row, from 1 */
    long row_line; /* line of the row read last */
    char *cells[NNC_CSV_CELLS_MAX];
    int count;
} nnc_csv;

/* text[size] must be a NUL. Skips a byte order mark. */
nnc_csv nnc_csv_begin(const char *name, char *text, size_t size);

/* Reads the next row that is not empty into cells; *more = false: no further row. NNC_BAD_SPEC: a quote in the wrong
 * place or not closed, a NUL, too many cells. */
nnc_status nnc_csv_next(nnc_csv *csv, bool *more, nnc_error *err);

/* Reads the recorded requests of the file ask->arrivals; the rows live with the specs. */
nnc_status nnc_arrivals_load(nnc_specs *specs, nnc_serve_ask *ask, nnc_error *err);

/* ---- JSON text ---- */

enum {
    NNC_SCAN_DEPTH_MAX = 64,
    NNC_SCAN_VALUES_MAX = 100000,               /* keeps the tree below 5 MB */
    NNC_SCAN_VALUES_MANY = 700000,              /* a configuration written by another program */
    NNC_SCAN_VALUES_RECORDED = 50 * 1000 * 1000 /* a file with many recorded estimates */
};

/* Both count from 1; a column is a character, not a byte. */
typedef struct nnc_position {
    long line, column;
} nnc_position;

typedef struct nnc_json_scan_fault {
    nnc_position at;
    char what[160]; /* "bad syntax, expected a value, found '}'" */
} nnc_json_scan_fault;

/* Fast check of numbers and strings only. false: the text may contain a number, a string or a character that cJSON
 * accepts and RFC 8259 does not, be nested too deeply, or hold more than values_max values. cJSON checks the order of
 * the lexemes. */
bool nnc_json_scan_lexemes(const char *text, size_t size, int values_max);

/* Full check: one JSON value (RFC 8259), valid UTF-8, finite numbers of at most 63 characters, within the limits. On an
 * error fills `fault` (may be NULL). Does not check for unpaired surrogates. */
bool nnc_json_scan(const char *text, size_t size, int values_max, nnc_json_scan_fault *fault);

/* Line and column of a place in the text. */
nnc_position nnc_json_position(const char *text, const char *at);

/* A walk over text that is known to be valid JSON: finds the places of values without a tree. */
typedef struct nnc_walk {
    const char *text;
    size_t at;
    long line;         /* line of the place, from 1 */
    size_t key;        /* start of the current member's key, with its quotes; in a list, start of the
                 * value */
    size_t key_length; /* 0 in a list */
    long key_line;
} nnc_walk;

/* Starts at the value of the text. */
nnc_walk nnc_walk_begin(const char *text);
/* From an opening bracket, or after a value inside it, to the value of the next member. false: no further member; the
 * walk is after the closing bracket. */
bool nnc_walk_member(nnc_walk *w, bool object);
/* Skips a value of any type. */
void nnc_walk_value(nnc_walk *w);
/* Moves forward to a place and counts lines on the way. */
void nnc_walk_on(nnc_walk *w, size_t to);
/* Is this the key of the current member? false also when the key is written with escapes. */
bool nnc_walk_key_is(const nnc_walk *w, const char *key);

/* ---- JSON documents ---- */

enum { NNC_FAULTS_MAX = 100 };

/* The errors of a file. With `report`, reading continues after an error and reports up to NNC_FAULTS_MAX of them;
 * without it, reading stops at the first. */
typedef struct nnc_faults {
    const char *name;     /* name of the file in messages; NULL = no file */
    nnc_error *err;       /* receives the first error; may be NULL */
    nnc_fault_fn *report; /* receives every error; may be NULL */
    void *context;
    nnc_status status; /* status of the first error */
    int count;
    bool no_memory; /* one of the faults is "out of memory" */
} nnc_faults;

/* One large object whose members (objects) are parsed one at a time, so that a file of 1 GB needs no tree of that
 * size. */
typedef struct nnc_json_large {
    const char *name;           /* dotted: "recorded.estimates" */
    const struct cJSON *object; /* NULL: no such object, or it was parsed together with the rest */
    int32_t count;              /* number of its members */
    size_t *places;             /* offset of each member in the text; 0 = parsed as usual */
    size_t end;                 /* offset after the object */
    uint64_t *digests;          /* digests of the members that were closed */
} nnc_json_large;

typedef struct nnc_json_doc {
    nnc_faults *faults;
    nnc_arena *arena; /* arena for texts that outlive the document */
    const char *text;
    size_t size;
    int values_max;   /* 0 = NNC_SCAN_VALUES_MAX; a higher limit also allows a larger file */
    bool foreign;     /* may be the configuration of another program: see nnc_json_parse */
    bool lenient;     /* skip unknown keys of such a configuration and note them */
    nnc_specs *specs; /* where the data files of its architecture are; NULL = nowhere */
    uint64_t *digest; /* the digests of those data files are added here; NULL = not needed */
    nnc_json_large apart;
    struct cJSON *root;        /* NULL: no document, errors have no line */
    struct nnc_json_doc *like; /* the file whose values it inherits, freed with it; NULL = none */
} nnc_json_doc;

/* A value of a document, passed by value. node NULL = absent. */
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

/* Parses a document whose faults, arena, text and size are set; text[size] must be a NUL. false: an error was noted.
 * With doc->foreign, a text without "schema" may be as Python writes it: Infinity and NaN are read as texts ("+inf"),
 * which no number field accepts, and more values are allowed. */
bool nnc_json_parse(nnc_json_doc *doc);
void nnc_json_free(nnc_json_doc *doc);

nnc_json nnc_json_root(const nnc_json_doc *doc);
nnc_json_type nnc_json_type_of(nnc_json at);
nnc_json nnc_json_get(nnc_json object, const char *key);
/* The first value of a list or object, and the next value. */
nnc_json nnc_json_first(nnc_json container);
nnc_json nnc_json_next(nnc_json at);
const char *nnc_json_key(nnc_json at); /* "" in a list */

/* Follows a dotted name as far as it exists; *rest is the remainder. */
nnc_json nnc_json_follow(nnc_json at, const char *dotted, const char **rest);

/* Parses and frees a member of the large object (nnc_json_large); other values stay as they are. Closing keeps the
 * digest of the member, without the members named in `skip`. open: false = an error was noted. */
bool nnc_json_open(nnc_json at, int32_t index);
void nnc_json_close(nnc_json at, int32_t index, const char *const *skip);

/* Only for a value of the right type. */
bool nnc_json_bool(nnc_json at);
double nnc_json_number(nnc_json at);
const char *nnc_json_text(nnc_json at); /* lives as long as the document */
int nnc_json_count(nnc_json at);
/* The value as JSON text, in the arena of the document; NULL when absent or out of memory. */
const char *nnc_json_copy(nnc_json at);

/* Digest of a value, independent of the order of keys, without the members named in `skip` (ends with NULL) at any
 * depth. */
uint64_t nnc_json_digest(nnc_json at, const char *const *skip);
/* Adds the digest of a data file to that of a document that is read by it, where the document collects it. */
void nnc_json_digest_add(const nnc_json_doc *doc, nnc_json data);

/* Changing a document. An inherited value comes from this or another document, which must live as long; it is marked,
 * and so is an object created empty. */
void nnc_json_set_text(nnc_json at, const char *text);
void nnc_json_inherit(nnc_json object, nnc_json value);
nnc_json nnc_json_inherit_object(nnc_json object, const char *key);
bool nnc_json_inherited(nnc_json at);

/* Notes an error at a member of `at`: a dotted name, which need not exist; NULL = `at` itself. */
void nnc_json_fault(nnc_json at, const char *member, const char *format, ...) NNC_PRINTF(3, 4);
/* The same with the text "what, expected ..., found <the value>". */
void nnc_json_mismatch(nnc_json at, const char *what, const char *expected);
/* The line of a value of the document: of its key, or of the value in a list. From 1. */
long nnc_json_line(nnc_json at);
/* Should reading continue? */
bool nnc_json_go_on(nnc_json at);
void nnc_faults_no_memory(nnc_faults *faults);
void nnc_faults_note(nnc_faults *faults, const nnc_error *fault);

/* ---- objects read by field tables ---- */

/* Reads a value into a field of an object. */
void nnc_read_field(nnc_json at, const nnc_field *field, void *object);
/* Reads the members of an object by a table. Errors: a required key is missing, a key is unknown, a value is wrong.
 * Keys in `others` (ends with NULL) are left to the caller; "note" is allowed everywhere, "same_as" where `others` is
 * NULL. */
void nnc_read_object(nnc_json at, const nnc_field_table *table, const char *const *others, void *object);
/* Reads a list of objects into an array of structs of `size` bytes, which begin with the defaults of the table. In the
 * arena; NULL and *count 0 when absent or (with an error) not a list. */
void *nnc_read_objects(nnc_json at, const nnc_field_table *table, const char *const *others, size_t size,
                       int32_t *count);

/* Checks the whole numbers of an object that was filled by other means: within the limits of the table, or 0 where
 * they are not required. false: an error was noted. */
bool nnc_check_ranges(nnc_json at, const nnc_field_table *table, const void *object);
/* Notes "unknown key, expected one of the device's keys, perhaps ..., found ...". */
void nnc_refuse_unknown(nnc_json at, const nnc_field_table *table, const char *const *others);
bool nnc_is_one_of(const char *key, const char *const *keys);

/* A text, copied to the arena; NULL when absent or (with an error) not a text. */
const char *nnc_read_text(nnc_json at);
/* A list of texts; empty when absent. */
void nnc_read_texts(nnc_json at, const char *const **texts, int32_t *count);
/* The "sources" of a file: each key names fields, each value is a text or a list of texts. */
void nnc_read_sources(nnc_json root, const nnc_field_table *table, const char *const *others,
                      const nnc_source **sources, int32_t *count);
/* Adds the "fitted_on" texts of the objects under a key of the root to the sources, with their dotted names. */
void nnc_read_fitted(nnc_json root, const char *key, const nnc_source **sources, int32_t *count);

/* Checks "schema" and "id": the schema must be this one; the id must be usable as a file name and equal to stem (NULL =
 * any). */
void nnc_read_identity(nnc_json root, const char *schema, const char *stem);
void nnc_read_schema(nnc_json root, const char *schema);
void nnc_read_id(nnc_json root, const char *stem);
/* A file without a name has its id as name. */
void nnc_name_by_id(char *name, size_t size, const char *id);

/* Called first for each row of a recorded object; true: it has read the value, which may be absent, itself. record: the
 * struct that the row describes. */
typedef bool nnc_record_take(nnc_json object, const nnc_metric *row, nnc_json value, void *record);

/* Reads a recorded result back: the members that a table of metrics names, in its order, into a zeroed record whose
 * pointers to other records are set. Texts and lists go to the arena of the document. Computed members are skipped; a
 * number that is null becomes NaN, an object that is null stays zeroed. Errors: a wrong value, or a missing member that
 * the values read so far require. */
void nnc_record_read(nnc_json object, const nnc_metrics *metrics, void *record, nnc_record_take *take);

/* ---- kinds of spec ---- */

/* Reads a spec of one kind into its struct. stem: the id must be equal to it; NULL = any. */
typedef void nnc_spec_read_fn(nnc_json root, const char *stem, void *spec);
nnc_spec_read_fn nnc_device_read, nnc_model_read, nnc_software_read;

typedef struct nnc_spec_info {
    const char *what, *plural; /* words for messages, and for "nncost list" */
    const char *folder;        /* inside a data folder */
    const char *argument;      /* place of a wrong id on the command line */
    const char *schema;
    size_t size;
    size_t path_offset;
    bool has_aliases;
    nnc_spec_read_fn *read;
} nnc_spec_info;
extern const nnc_spec_info nnc_spec_kinds[NNC_SPEC_KIND_COUNT];

extern const nnc_field_table nnc_device_table, nnc_price_table, nnc_cluster_table, nnc_framework_table, nnc_track_table,
    nnc_range_table;

/* The kind that "schema" names; NNC_SPEC_KIND_COUNT = unknown (_of: with an error). */
nnc_spec_kind nnc_spec_kind_of(nnc_json root);

/* Reads a spec from an open document into a struct of its kind. */
void nnc_spec_read_open(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind, const char *stem, void *out);
/* The same from text; text[size] must be a NUL. */
nnc_status nnc_spec_read(nnc_specs *specs, nnc_spec_kind kind, const char *stem, const char *text, size_t size,
                         nnc_faults *faults, void *out);
/* The same from a file into the arena, with its path. */
nnc_status nnc_spec_load(nnc_specs *specs, nnc_spec_kind kind, const char *path, const void **out, nnc_error *err);

enum { NNC_STEM_MAX = 256 };
/* "hw/h100.json" -> "h100"; with `config`, a config.json is named after its folder. */
void nnc_spec_stem(const char *path, bool config, char *stem, size_t size);
/* The id that the file must have: its stem in a folder where files are found by id (hw/, models/ ...); elsewhere, and for a
 * pipe, NULL: any. */
const char *nnc_spec_required_id(const char *path, char stem[NNC_STEM_MAX]);

/* Digest of the content of a spec file, inherited values included: independent of the order of keys, without notes and
 * sources. */
nnc_status nnc_spec_digest(nnc_specs *specs, const char *path, uint64_t *digest, nnc_error *err);

/* ---- the set of specs ---- */

nnc_arena *nnc_specs_arena(nnc_specs *specs);
bool nnc_specs_are_lenient(const nnc_specs *specs);
/* Folders of data of a kind. Returns their number. */
int nnc_specs_folders(const nnc_specs *specs, const char *const **folders);
/* The list of implausible inputs of this answer, "" = none; adds one to it. */
const char *nnc_specs_marks(const nnc_specs *specs);
void nnc_specs_mark(nnc_specs *specs, const char *text);

/* plausible.c: do the relations that hold for every real device, or software profile, hold? If not, text says which one: its
 * fields, the expected range and the value. */
enum { NNC_IMPLAUSIBLE_TEXT = 200 };
bool nnc_device_is_plausible(const nnc_device *device, char *text, size_t size);
bool nnc_software_is_plausible(const nnc_software *software, char *text, size_t size);

/* "ID FIELD=VALUE FIELD=VALUE ...": a shipped model with fields set, under another name. */
nnc_status nnc_model_make(nnc_specs *specs, const char *text, const char *name, nnc_model **model, nnc_error *err);
/* Seconds in which a host of hosts/ issues one kernel. */
nnc_status nnc_host_kernel_s(nnc_specs *specs, const char *id, double *kernel_s, nnc_error *err);
/* --implementation: the library of every model that is loaded. */
/* Reads a launch file that a scenario names as its model: adds what it says to `given`, an nnc_scenario_args, and replaces
 * *model. Other models stay. A program that reads launch files sets it, as they lie above the library. */
typedef nnc_status nnc_model_reader(nnc_specs *specs, const char *device, const char **model, void *given,
                                    nnc_error *err);
nnc_model_reader **nnc_specs_model_reader(nnc_specs *specs);

nnc_status nnc_specs_set_implementation(nnc_specs *specs, const char *name, nnc_error *err);
void nnc_specs_take_implementation(const nnc_specs *specs, nnc_model *model);
/* nnc_file_read; "-" is standard input. The content of a pipe is kept with the specs, because it can be read only
 * once. */
nnc_status nnc_specs_read(nnc_specs *specs, const char *path, char **text, size_t *size, nnc_error *err);

/* The file of an id or an alias. NNC_UNKNOWN_ID names the nearest id. */
nnc_status nnc_specs_find(nnc_specs *specs, nnc_spec_kind kind, const char *id, const char **path, nnc_error *err);
/* The same for files that are not specs. */
nnc_status nnc_specs_find_like(nnc_specs *specs, const nnc_spec_info *info, const char *id, const char **path,
                               nnc_error *err);
/* Any file by its path inside a data folder, "grid/regions.json"; *path stays NULL when nothing is found. */
nnc_status nnc_specs_file(nnc_specs *specs, const char *name, const char **path, nnc_error *err);
/* The file that a model path means: for a folder its config.json, or that of the network that its model_index.json
 * names; for a file itself. *path stays NULL for a name on the Hugging Face hub. */
nnc_status nnc_place_of_model(nnc_specs *specs, const char *asked, const char **path, nnc_error *err);

/* A name of the hub, looked up in hub/names.json. */
typedef struct nnc_hub_name {
    const char *path;    /* the file with its shape; NULL = the name is not known */
    const char *shape;   /* the file's id */
    const char *source;  /* place of the configuration; NULL = the shape is a shipped model */
    const char *stored;  /* format of weights in the name, "int4"; NULL = none */
    const char *nearest; /* known name nearest to an unknown one; NULL = none is near */
} nnc_hub_name;
nnc_status nnc_hub_find(nnc_specs *specs, const char *name, nnc_hub_name *hub, nnc_error *err);
/* The usual name on the hub for a shipped id; another text is returned unchanged. */
nnc_status nnc_hub_usual(nnc_specs *specs, const char *id, const char **name, nnc_error *err);
/* Adds a note to a model that was found by its name: the shape that the name has. */
nnc_status nnc_hub_tell(nnc_specs *specs, const char *asked, const nnc_hub_name *hub, nnc_model *model, nnc_error *err);

/* Files may be "like" each other in a chain of this length. */
enum { NNC_LIKE_MAX = 4 };
/* Between these two calls a file waits for the file it is like. begin: false = the chain is too long. */
bool nnc_specs_begin_like(nnc_specs *specs, const char *name);
void nnc_specs_end_like(nnc_specs *specs);
/* Does a file wait for another? Then being like it would be a circle. */
bool nnc_specs_is_reading(const nnc_specs *specs, const char *path);

/* Completes a document before it is read: replaces "@key" by the texts of "references", inherits from the file that
 * this one is "like" (not for NNC_SPEC_KIND_COUNT), fills in objects that are "same_as" another. Inherited values are
 * marked. false: an error was noted, and reading makes no sense. */
bool nnc_spec_complete(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind);

/* A chain of files, each like the next, and which of them sets a field. *lineage stays NULL when the file is not like
 * another, or path is NULL. */
typedef struct nnc_lineage nnc_lineage;
nnc_status nnc_lineage_open(nnc_specs *specs, nnc_spec_kind kind, const char *path, nnc_lineage **lineage,
                            nnc_error *err);
void nnc_lineage_close(nnc_lineage *lineage);
/* The id of the file that sets the field with this dotted name; NULL = none of them. */
const char *nnc_lineage_of(const nnc_lineage *lineage, const char *dotted);

/* ---- data folders: used by the set of specs ---- */

typedef struct nnc_id_list { /* starts as { 0 }; lives in the arena */
    const char **ids;
    int32_t count, capacity;
} nnc_id_list;

typedef struct nnc_folders {
    nnc_arena *arena;
    const char **paths; /* the first one that has a file wins */
    int count;
    nnc_error trouble; /* first error of the system in reading them; status NNC_OK = none */
} nnc_folders;

/* The folders of $NNCOST_PATH, the user's own, and data_path unless it is NULL. false: out of memory. */
bool nnc_folders_open(nnc_folders *folders, const char *data_path);
/* NNC_IO: the system failed to read a folder or a file; err is the first such failure. */
nnc_status nnc_folders_trouble(const nnc_folders *folders, nnc_error *err);
/* The ids of all folders, sorted, each once. false: out of memory. */
bool nnc_folders_list(nnc_folders *folders, nnc_spec_kind kind, nnc_id_list *list);
/* The same of a folder by its name, "foreign". */
bool nnc_folders_list_folder(nnc_folders *folders, const char *folder, nnc_id_list *list);
bool nnc_specs_list_folder(nnc_specs *specs, const char *folder, nnc_id_list *list);
/* The file of an id or alias; *path stays NULL when nothing is found. */
nnc_status nnc_folders_id(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char **path, nnc_error *err);
/* The same; NNC_UNKNOWN_ID names the nearest id. _like: for files that are not specs. */
nnc_status nnc_folders_find(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char **path,
                            nnc_error *err);
nnc_status nnc_folders_find_like(nnc_folders *folders, const nnc_spec_info *info, const char *id, const char **path,
                                 nnc_error *err);
/* The path of device "." where no file of the measured machine is found. */
#define NNC_THIS_MACHINE "nvidia-smi -q -x"
/* Asks nvidia-smi for a description of this machine; the caller frees the text. NNC_UNKNOWN_ID: there is no nvidia-smi. */
nnc_status nnc_machine_ask(char **text, size_t *size, nnc_error *err);
/* Is a text the XML of nvidia-smi? */
bool nnc_is_machine(const char *text);
/* Turns that XML into the text of a device file. NNC_BAD_SPEC: no GPU, or GPUs of several products. */
nnc_status nnc_machine_json(const char *name, const char *text, nnc_buffer *json, nnc_error *err);
/* A file by its path inside a folder; *path stays NULL when nothing is found. */
nnc_status nnc_folders_file(nnc_folders *folders, const char *name, const char **path, nnc_error *err);

/* The content of a pipe that was read. */
typedef struct nnc_piped {
    const struct nnc_piped *next;
    const char *path;
    char *text; /* in the arena */
    size_t size;
} nnc_piped;
const nnc_piped **nnc_specs_piped(nnc_specs *specs);

/* Lines "hw/h100=h100-sxm5-80gb": the aliases of the files that come with the program. */
extern const char nnc_shipped_aliases[];

/* ---- devices, clusters, catalogues ---- */

/* Sets every efficiency to its neutral value: fractions 1, fixed times 0, no tiles. The datasheet alone counts. */
enum { NNC_EFFICIENCIES_FIELDS = 15 };
extern const nnc_field nnc_efficiencies_fields[NNC_EFFICIENCIES_FIELDS];
void nnc_efficiencies_neutral(nnc_efficiencies *e);

/* A cluster file replaces the links of a device. Errors are noted; the device is valid only without errors. */
bool nnc_is_cluster(nnc_json root);
void nnc_cluster_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem, nnc_device *device);

/* Catalogues: prices of sellers ("nncost.prices/1"), carbon intensity of regions ("nncost.grid/1"), energy overhead of
 * buildings ("nncost.buildings/1"). */
bool nnc_is_catalogue(nnc_json root);
void nnc_catalogue_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem);
/* Architectures of configurations, "nncost.foreign/1". */
bool nnc_is_architecture(nnc_json root);
void nnc_architecture_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem);

/* ---- models ---- */

/* The fields of a family: the common ones first. _of: those of one model; a graph has its own numbers. */
const nnc_field_table *nnc_model_table(nnc_family family);
const nnc_field_table *nnc_model_table_of(const nnc_model *model);

void nnc_model_rules(nnc_json at, const nnc_model *model);

/* How the files of a family are read: one row per family. */
typedef struct nnc_family_fields {
    nnc_field_table table;
    void (*begin)(nnc_model *model);                    /* sets defaults that are not 0; NULL = all are 0 */
    void (*complete)(nnc_json root, nnc_model *model);  /* sets defaults that depend on other fields */
    void (*rules)(nnc_json at, const nnc_model *model); /* checks the fields against each other */
    const char *const *keys; /* keys without a field, ends with NULL; NULL = those of every model */
} nnc_family_fields;

#define NNC_FAMILY_FIELDS(name, text, help, row) extern const nnc_family_fields nnc_##row##_fields;
NNC_FAMILY_LIST(NNC_FAMILY_FIELDS)
#undef NNC_FAMILY_FIELDS

const nnc_family_fields *nnc_family_fields_of(nnc_family family);

/* Limits far above any network, and so low that a product of two dimensions cannot overflow. */
#define NNC_LAYERS_MAX 1e5
#define NNC_WIDTH_MAX 1e7
#define NNC_VOCAB_MAX 1e9
#define NNC_TOKENS_MAX 1e9
#define NNC_SIDE_MAX 1e6

/* The first rows of every family's table. */
/* clang-format off */
#define NNC_COMMON_FIELDS                                                                    \
    { NNC_FIELD(nnc_model, id), .required = true,                                            \
      .help = "Name of the file without \".json\", and on the command line." },              \
    { NNC_FIELD(nnc_model, name), .default_text = "id", .help = "Full name." },             \
    { NNC_FIELD(nnc_model, family), NNC_FIELD_NAMES(nnc_family, NNC_FAMILY_COUNT),           \
      .required = true,                                                                      \
      .help = "Kind of network; it decides the other fields." },                             \
    { NNC_FIELD(nnc_model, published_params), .max = 1e15, .zero_unknown = true,             \
      .help = "Number of parameters as the authors publish it." },                           \
    { NNC_FIELD(nnc_model, text_encoders), .rare = true,                                     \
      .help = "For a network that denoises images: models that read the prompt, ids joined by commas." }, \
    { NNC_FIELD(nnc_model, image_decoder), .rare = true,                                     \
      .help = "For a network that denoises images: the model that decodes the latent into an image." }, \
    { NNC_FIELD(nnc_model, image_factor), .min = 1, .max = 1e4, .rare = true,                \
      .zero_unknown = true,                                                                  \
      .help = "For a graph that reads latents: pixels per side of one position of its input. --image counts pixels." }
/* clang-format on */

/* A configuration of another program instead of one of our files? Reads one (all but what depends on other fields);
 * model->id is left to the caller. false: an error was noted. */
bool nnc_is_foreign(nnc_json root);
bool nnc_foreign_read(nnc_json root, nnc_model *model);

/* A captured program (src/input/capture.c) instead of a model file? Reads one; model->id is left to the caller. */
#define NNC_CAPTURE_SCHEMA "nncost.capture/1"
bool nnc_is_capture(nnc_json root);
void nnc_capture_read(nnc_json root, nnc_model *model);

/* The names that an expression of a graph file may use. */
typedef struct nnc_expr_scope {
    const char *const *lets;
    int32_t let_count;
    const char *const *args; /* arguments of the macro around it */
    int32_t arg_count;
} nnc_expr_scope;

/* Reads the network of a graph file into a model, with its fields. */
void nnc_graph_take(nnc_json root, nnc_model *model);
/* Adds the network of an object to a model as another tower. An error is noted when its ops do not fit together. */
void nnc_graph_tower(nnc_json at, nnc_model *model);

/* Scaling a model by --set hidden=N. _record keeps the dimensions of the file. _follow, after `field` was set: changes
 * the dimensions that were not set by the user, in proportion to hidden (heads keep their width). _check notes an error
 * for each that is not whole. _text: the dimensions that changed, "heads=20, ffn_hidden=5120"; "" = none. */
void nnc_scale_dims_record(nnc_model *model);
void nnc_scale_dims_follow(nnc_model *model, const char *field);
void nnc_scale_dims_check(nnc_json at, const nnc_model *model);
void nnc_scale_dims_text(const nnc_model *model, char *text, size_t size);

/* ---- software profiles ---- */

/* The profile that is used when none is named. */
#define NNC_SOFTWARE_DEFAULT "torch-compile"
/* --software any: every plan has its own profile, and a search may use options that no profile supports. */
#define NNC_SOFTWARE_ANY "any"

/* Is the profile chosen by the plan (NULL or NNC_SOFTWARE_ANY)? */
bool nnc_software_is_chosen(const char *asked);
/* The profiles by plan, or one profile for all plans. */
nnc_status nnc_profiles_asked(nnc_specs *specs, const char *asked, nnc_profiles *profiles, nnc_error *err);
/* The profile of one kind of plan. */
nnc_status nnc_profile_load(nnc_specs *specs, nnc_profile_kind kind, const nnc_software **software, nnc_error *err);
/* The named profile; NULL = the default profile, from its file if a data folder has it. */
nnc_status nnc_software_asked(nnc_specs *specs, const char *asked, nnc_software *software, nnc_error *err);

/* ---- software.c: releases of frameworks ---- */

/* A release that is asked for: by words ("NeMo 25.11"), else by the profile of it, else by name and version. And the ids
 * of device and model and the family of the model, on which its entries depend. */
typedef struct nnc_release_ask {
    const char *words;
    const nnc_software *software;
    const char *framework, *version;
    const char *device, *model, *family;
} nnc_release_ask;

/* entry NULL = nothing found. */
typedef struct nnc_release {
    const nnc_software *software;
    const nnc_framework *entry;
    const char *version; /* as the user wrote it */
    size_t named;        /* length of the name that was found */
    int met;             /* length of the conditions that hold */
} nnc_release;

/* Which fields of a plan are given; the release fills in the others. */
typedef struct nnc_given {
    bool (*is)(const void *in, const char *field);
    const void *in;
} nnc_given;

extern const nnc_field_table nnc_recipe_table;

/* The entry with the longest name; of these the newest release that is not newer; of these the most conditions. */
nnc_status nnc_release_find(nnc_specs *specs, const nnc_release_ask *ask, nnc_release *release, nnc_error *err);
/* Fills in what a plan and its model leave open. _switch: sets the switches of the release's recipes in the profile. */
void nnc_release_fill(const nnc_framework *f, const nnc_given *given, nnc_model *model, nnc_plan *plan);
nnc_status nnc_release_switch(const nnc_release *release, const nnc_release_ask *ask, nnc_dtype precision,
                              nnc_software *software, nnc_error *err);

#endif
