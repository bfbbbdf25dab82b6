/* From files to structs: strict JSON, field tables, spec files found by id.
 *
 *     json.c           documents, values, and errors that name line and key
 *     json_scan.c      JSON text: grammar check before cJSON, positions of values after it
 *     read.c           objects read by field tables; recorded results read by tables of metrics; comma-separated values
 *     folders.c        data folders: from an id, alias, path or name of the Hugging Face hub to a file
 *     spec.c           the set of loaded specs; one file of any kind
 *     inherit.c        "like", "same_as" and "references"
 *     images.c         shipped files as structs, which images_make.c makes at build time
 *     device.c         devices with their fitted parameters, and the links of clusters
 *     model.c          models of every family, U-Nets and ViTs   decoder_model.c  graph_model.c
 *     capture.c        captured PyTorch programs
 *     software.c       software profiles, releases            catalogue.c      prices, regions, buildings
 *     plausible.c      relations that every real device and software profile holds
 *     foreign/         model configurations of other programs
 *
 * Every error names the file, line and key, what was expected and what was found. If the caller wants all errors,
 * reading continues after an error in the content. */
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
    NNC_RECORDED_BYTES_MAX = 1000 * 1000 * 1000 /* most bytes of a file with recorded estimates */
};

/* Reads a whole file into *text, which the caller frees; a NUL follows its *size bytes. NNC_IO: the file cannot be
 * read, or is a folder. NNC_BAD_SPEC: the file has more bytes than NNC_FILE_BYTES_MAX, or than `most`
 * (nnc_file_read_large). */
nnc_status nnc_file_read(const char *path, char **text, size_t *size, nnc_error *err);
nnc_status nnc_file_read_large(const char *path, size_t most, char **text, size_t *size, nnc_error *err);

/* A file that is read block by block. The bytes from `at` to `size` are read and not used yet. */
typedef struct nnc_blocks {
    int fd;
    char *bytes;
    size_t at, size, room;
} nnc_blocks;

/* Opens a regular file of at most NNC_RECORDED_BYTES_MAX bytes. Returns false if the file cannot be opened, is larger,
 * or is not regular. The caller must call nnc_blocks_close also after a failure. */
bool nnc_blocks_open(nnc_blocks *stream, const char *path);
void nnc_blocks_close(nnc_blocks *stream);
/* Reads from the file until `least` unused bytes are in memory. Returns the number of unused bytes; this is less than
 * `least` at the end of the file, after an error of the system, or when out of memory. */
size_t nnc_blocks_fill(nnc_blocks *stream, size_t least);
/* Reports that a file is too large, with NNC_BAD_SPEC. */
nnc_status nnc_file_too_large(const char *path, size_t most, nnc_error *err);

/* Copies `size` bytes of a text that need not end with a NUL, and adds a NUL. The caller frees *copy. NNC_BAD_SPEC: the
 * text is larger than NNC_FILE_BYTES_MAX. */
nnc_status nnc_text_copy(const char *name, const char *text, size_t size, char **copy, nnc_error *err);

/* Tests whether a text is a path instead of an id: a path contains '/', ends in ".json" or ".xml", or is "-" (standard
 * input). */
bool nnc_is_path(const char *text);
/* Tests whether a path is standard input ("-"), a pipe, a character device, or below /dev. */
bool nnc_is_pipe(const char *path);
bool nnc_is_folder(const char *path);
/* Returns, in the arena, the path of the file that `file` names by `path`: a relative path starts in the folder of
 * `file`. NULL = out of memory. */
const char *nnc_path_from(nnc_arena *arena, const char *file, const char *path);

/* ---- CSV, RFC 4180 ---- */

enum { NNC_CSV_CELLS_MAX = 256 };

/* A reader of CSV text. It decodes the cells in place: the text changes, and `cells` points into it. */
typedef struct nnc_csv {
    const char *name; /* name of the file in messages */
    char *at, *end;
    long line;     /* line number of the next row; the first line is 1 */
    long row_line; /* line number of the row in `cells` */
    char *cells[NNC_CSV_CELLS_MAX];
    int count;
} nnc_csv;

/* Returns a reader of CSV text; text[size] must be a NUL. Skips a byte order mark. */
nnc_csv nnc_csv_begin(const char *name, char *text, size_t size);

/* Reads the next row that is not empty into cells; *more = false: there is no further row. NNC_BAD_SPEC: a quote in the
 * wrong place or not closed, a NUL, too many cells. */
nnc_status nnc_csv_next(nnc_csv *csv, bool *more, nnc_error *err);

/* Reads the requests recorded in the CSV file ask->arrivals into ask->arrival_list, which lives as long as `specs`. */
nnc_status nnc_arrivals_load(nnc_specs *specs, nnc_serve_ask *ask, nnc_error *err);

/* ---- JSON text: checks of its grammar, and places of values in it ---- */

enum {
    NNC_SCAN_DEPTH_MAX = 64,
    NNC_SCAN_VALUES_MAX = 100000,               /* most JSON values in a file; the tree of values then needs at most 5
                                                 * MB */
    NNC_SCAN_VALUES_MANY = 700000,              /* most JSON values in a configuration that another program wrote */
    NNC_SCAN_VALUES_RECORDED = 50 * 1000 * 1000 /* most JSON values in a file with recorded estimates */
};

/* A place in a text. Line and column count from 1; a column is a character, not a byte. */
typedef struct nnc_position {
    long line, column;
} nnc_position;

typedef struct nnc_json_scan_fault {
    nnc_position at;
    char what[160]; /* message, such as "bad syntax, expected a value, found '}'" */
} nnc_json_scan_fault;

/* Checks only numbers and strings, which is fast; cJSON checks the order of the lexemes. Returns false when a number, a
 * string or a character may be one that cJSON accepts but RFC 8259 forbids, when the text is nested too deeply, or when
 * it has more than values_max values. */
bool nnc_json_scan_lexemes(const char *text, size_t size, int values_max);

/* Checks the text in full: one JSON value (RFC 8259) with at most values_max values inside, valid UTF-8, at most
 * NNC_SCAN_DEPTH_MAX levels, finite numbers of at most 63 characters. On an error fills `fault` (may be NULL). Does not
 * check for unpaired surrogates. */
bool nnc_json_scan(const char *text, size_t size, int values_max, nnc_json_scan_fault *fault);

/* Returns line and column of the character at `at` in a text. */
nnc_position nnc_json_position(const char *text, const char *at);

/* A walk over valid JSON text: finds the places of values without building a tree. */
typedef struct nnc_walk {
    const char *text;
    size_t at;
    long line;         /* line number of the place `at`; the first line is 1 */
    size_t key;        /* start of the current member's key, with its quotes; in a list, start of the value */
    size_t key_length; /* length of the key, with its quotes; 0 in a list */
    long key_line;
} nnc_walk;

/* Returns a walk that begins at the outermost value of a text. */
nnc_walk nnc_walk_begin(const char *text);
/* Moves from an opening bracket, or from the end of a value inside the brackets, to the value of the next member.
 * object: true = members of an object, false = elements of a list. Returns false when there is no further member; the
 * walk is then after the closing bracket. */
bool nnc_walk_member(nnc_walk *w, bool object);
/* Moves a walk past the value at its place; the value may have any type. */
void nnc_walk_value(nnc_walk *w);
/* Moves a walk forward to the offset `to` in the text, and counts the lines on the way. */
void nnc_walk_on(nnc_walk *w, size_t to);
/* Tests whether the current member has a given key. Returns false also when the key is written with escapes. */
bool nnc_walk_key_is(const nnc_walk *w, const char *key);

/* ---- JSON documents ---- */

enum { NNC_FAULTS_MAX = 100 };

/* The errors of a file. With `report`, reading continues after an error, and up to NNC_FAULTS_MAX errors are reported.
 * Without it, reading stops at the first error. */
typedef struct nnc_faults {
    const char *name;     /* name of the file in messages; NULL = no file */
    nnc_error *err;       /* receives the first error; may be NULL */
    nnc_fault_fn *report; /* receives every error; may be NULL */
    void *context;
    nnc_status status; /* status of the first error of the file; NNC_OK = no error */
    int count;
    bool no_memory; /* true: one of the faults is "out of memory" */
} nnc_faults;

/* One large object or list of a file. Its members (objects) are parsed one at a time, so that a file of 1 GB needs
 * no tree of that size. */
typedef struct nnc_json_large {
    const char *name;           /* name of the object with dots, such as "recorded.estimates" */
    const struct cJSON *object; /* the object, whose members are parsed one at a time; NULL: the file has no such
                                 * object, or it was parsed with the other values */
    int32_t count;              /* number of members of the object */
    size_t *places;             /* offset of each member in the text; 0 = the member was parsed as usual */
    size_t end;                 /* offset of the first character after the object */
    uint64_t *digests;          /* digests of the members that nnc_json_close has freed */
} nnc_json_large;

/* A value of a shipped document in the program (images.c). Children follow their container. key: offset of the key in
 * the texts plus 1 (0 = element of a list), times 8, plus the nnc_json_type. value: of a text its offset, of a number
 * its index, of an object or list the number of members. next: distance to the next member of the same container; 0 =
 * last member. */
typedef struct nnc_image_value {
    uint32_t key, value, next;
} nnc_image_value;

enum { NNC_IMAGE_TYPE = 7 }; /* bits of nnc_image_value.key with the type */

/* The values of a shipped document in the program. values NULL: cJSON has parsed the document. */
typedef struct nnc_image_values {
    const nnc_image_value *values;
    const char *texts;
    const double *numbers;
    const uint64_t *index; /* further words of this document, such as the index of hub names */
    uint64_t index_count;
} nnc_image_values;

typedef struct nnc_json_doc {
    nnc_faults *faults;
    nnc_arena *arena; /* arena for strings that are used after the document is freed */
    const char *text;
    size_t size;
    int values_max;   /* largest number of JSON values in the file; 0 = NNC_SCAN_VALUES_MAX; a higher limit also allows
                       * a larger file */
    bool foreign;     /* true: the document may be a configuration of another program (see nnc_json_parse) */
    bool lenient;     /* true: unknown keys of a configuration of another program are skipped and listed in notes */
    nnc_specs *specs; /* set of specs whose data folders have the files of foreign/; NULL = these files cannot be
                       * read */
    uint64_t *digest; /* the digests of the files of foreign/ that the document needs are added to *digest; NULL = not
                       * needed */
    nnc_json_large large;
    nnc_image_values image;
    const struct cJSON *root;  /* the parsed document; NULL: there is no document, and errors have no line. The node of
                                * a document with an image is an nnc_image_value. */
    struct nnc_json_doc *like; /* file that the key "like" names, freed with the document; NULL = no such key */
} nnc_json_doc;

/* A value of a document, passed by value. node NULL = the value is absent. */
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

/* Parses a document whose faults, arena, text and size are set; text[size] must be a NUL. If the input is not valid,
 * notes an error and returns false. With doc->foreign, a text without "schema" may be written by Python: Infinity and
 * NaN become strings ("+inf", "?"), which no number field accepts, and more values are allowed. */
bool nnc_json_parse(nnc_json_doc *doc);
void nnc_json_free(nnc_json_doc *doc);
/* Sets the functions that allocate and free the memory of JSON trees, in place of malloc and free. Only for a
 * program that owns its process and reads on one thread. */
void nnc_json_allocate_with(void *(*allocate)(size_t), void (*release)(void *));

nnc_json nnc_json_root(const nnc_json_doc *doc);
nnc_json_type nnc_json_type_of(nnc_json at);
nnc_json nnc_json_get(nnc_json object, const char *key);
/* nnc_json_first returns the first value in a list or object; nnc_json_next returns the value after `at`. At the end
 * both return an absent value. */
nnc_json nnc_json_first(nnc_json container);
nnc_json nnc_json_next(nnc_json at);
const char *nnc_json_key(nnc_json at); /* key of a value; "" for an element of a list */

/* Follows a dotted name as far as its parts exist and returns the last value; *rest receives the remaining name. */
nnc_json nnc_json_follow(nnc_json at, const char *dotted, const char **rest);

/* nnc_json_open parses member number `index` of the large object (nnc_json_large); it returns false when an error was
 * noted. nnc_json_close frees this member, and keeps its digest without the members named in `skip`; skip NULL: keeps
 * no digest. Both do nothing for a member that was parsed with the other values. */
bool nnc_json_open(nnc_json at, int32_t index);
void nnc_json_close(nnc_json at, int32_t index, const char *const *skip);

/* Each function returns the value of a boolean, a number or a string; `at` must have this type. */
bool nnc_json_bool(nnc_json at);
double nnc_json_number(nnc_json at);
const char *nnc_json_text(nnc_json at); /* the returned string is valid until the document is freed */
int nnc_json_count(nnc_json at);
/* Returns the value as JSON text, in the arena of the document; NULL when absent or out of memory. */
const char *nnc_json_copy(nnc_json at);

/* Returns the digest of a value. The digest does not depend on the order of keys, and leaves out members named in
 * `skip` (ends with NULL) at any depth. */
uint64_t nnc_json_digest(nnc_json at, const char *const *skip);
/* nnc_json_digest_members returns the sum of the digests of the members of an object. nnc_digest_object computes the
 * digest of the object from this sum. */
uint64_t nnc_json_digest_members(nnc_json object, const char *const *skip);
uint64_t nnc_digest_object(uint64_t members);
/* Adds the digest of a data file that was used to read a document to the digests of the document, if the document has
 * digests. */
void nnc_json_digest_add(const nnc_json_doc *doc, nnc_json data);

/* nnc_json_set_text, nnc_json_inherit and nnc_json_inherit_object change a document. An inherited value may come
 * from another document, which must live as long as the changed document. Inherited values and objects that are
 * created empty are marked as inherited. */
void nnc_json_set_text(nnc_json at, const char *text);
void nnc_json_inherit(nnc_json object, nnc_json value);
nnc_json nnc_json_inherit_object(nnc_json object, const char *key);
bool nnc_json_inherited(nnc_json at);

/* nnc_json_fault notes an error at a member of `at`: a dotted name, which need not exist; NULL = `at` itself.
 * nnc_json_mismatch notes "what, expected ..., found <the value>" at a value. Both return false. */
bool nnc_json_fault(nnc_json at, const char *member, const char *format, ...) NNC_PRINTF(3, 4);
bool nnc_json_mismatch(nnc_json at, const char *what, const char *expected);
/* Tests whether a value has the type `type`; for another type, notes the error "wrong type, expected ...". */
bool nnc_json_expect(nnc_json at, nnc_json_type type, const char *expected);
/* Returns the line (from 1) of the key of a value; for an element of a list, the line of the value. */
long nnc_json_line(nnc_json at);
/* Tests whether a document is read further after the errors that were noted so far (see nnc_faults). */
bool nnc_json_go_on(nnc_json at);
/* Notes the error "out of memory", at most once for a file. Always returns false, which a reading function can return
 * directly. */
bool nnc_faults_no_memory(nnc_faults *faults);
void nnc_faults_note(nnc_faults *faults, const nnc_error *fault);

/* ---- JSON objects that are read into structs by field tables ---- */

/* Reads a JSON value into a field of a struct; notes an error if the field does not accept the value. */
void nnc_read_field(nnc_json at, const nnc_field *field, void *object);
/* Reads the members of a JSON object into a struct, by a field table. Errors: a required key is missing, a key is
 * unknown, a value is wrong. Keys in `others` (ends with NULL) are left to the caller. "note" is allowed in every
 * object, and "same_as" if `others` is NULL. */
void nnc_read_object(nnc_json at, const nnc_field_table *table, const char *const *others, void *object);
/* Reads a list of objects into an array of structs of `size` bytes, whose members start with the defaults of the table.
 * The array is in the arena. Returns NULL with *count 0 when the list is absent, or (with an error) not a list. */
void *nnc_read_objects(nnc_json at, const nnc_field_table *table, const char *const *others, size_t size,
                       int32_t *count);

/* Checks the whole-number fields of a struct that was not read from a file. Each value must be within the limits of its
 * field; 0 is also valid if the field is not required. If the input is not valid, notes an error and returns false. */
bool nnc_check_ranges(nnc_json at, const nnc_field_table *table, const void *object);
/* Notes the error that the key of `at` is unknown: "unknown key, expected one of the device's keys, perhaps ..., found
 * ...". */
void nnc_refuse_unknown(nnc_json at, const nnc_field_table *table, const char *const *others);
bool nnc_is_one_of(const char *key, const char *const *keys);

/* Returns a copy, in the arena, of a JSON string; NULL when it is absent or (with an error) not a string. */
const char *nnc_read_text(nnc_json at);
/* Reads a list of JSON strings; an absent list is empty. */
void nnc_read_texts(nnc_json at, const char *const **texts, int32_t *count);
/* Reads the "sources" of a file: each key names fields, each value is a string or a list of strings. */
void nnc_read_sources(nnc_json root, const nnc_field_table *table, const char *const *others,
                      const nnc_source **sources, int32_t *count);
/* Adds each string "fitted_on" inside the member `key` of the root to *sources, under the dotted name of the object
 * that contains the string. */
void nnc_read_fitted(nnc_json root, const char *key, const nnc_source **sources, int32_t *count);

/* nnc_read_schema checks that "schema" is equal to `schema`. nnc_read_id checks that "id" can be a file name and is
 * equal to stem (NULL = any id). nnc_read_identity does both checks. */
void nnc_read_identity(nnc_json root, const char *schema, const char *stem);
void nnc_read_schema(nnc_json root, const char *schema);
void nnc_read_id(nnc_json root, const char *stem);
/* Sets an empty `name` to the id. */
void nnc_name_by_id(char *name, size_t size, const char *id);

/* Type of a function that nnc_record_read calls before it reads a metric. The function returns true if it has read
 * `value` itself; `value` may be absent. record: the struct to which the metric belongs. */
typedef bool nnc_record_take(nnc_json object, const nnc_metric *row, nnc_json value, void *record);

/* Reads a recorded result: the members that a table of metrics lists, in the order of the table, into a zeroed record
 * whose pointers to other records are set. Texts and lists go to the arena of the document. Computed members are
 * skipped. A number that is null becomes NaN; an object that is null stays zeroed. Errors: a wrong value, or a missing
 * member that earlier values require. */
void nnc_record_read(nnc_json object, const nnc_metrics *metrics, void *record, nnc_record_take *take);

/* ---- kinds of spec: device, model, software profile ---- */

/* Type of a function that reads a spec of one kind into its struct. stem: the id must be equal to stem; NULL = any
 * id. */
typedef void nnc_spec_read_fn(nnc_json root, const char *stem, void *spec);
nnc_spec_read_fn nnc_device_read, nnc_model_read, nnc_software_read;

typedef struct nnc_spec_info {
    const char *what, *plural; /* name of a spec of this kind in messages, and its plural for "nncost list" */
    const char *folder;        /* name of the folder in a data folder in which the files of this kind are */
    const char *argument;      /* argument of the command line for a spec of this kind; errors about a wrong id name the
                                * argument */
    const char *schema;
    size_t size;
    size_t path_offset;
    bool has_aliases;
    nnc_spec_read_fn *read;
} nnc_spec_info;
extern const nnc_spec_info nnc_spec_kinds[NNC_SPEC_KIND_COUNT];

extern const nnc_field_table nnc_device_table, nnc_price_table, nnc_cluster_table, nnc_framework_table, nnc_track_table,
    nnc_range_table;

/* Returns the kind of spec that the key "schema" of a file names; a configuration of another program is a model. For
 * another schema, notes an error and returns NNC_SPEC_KIND_COUNT. */
nnc_spec_kind nnc_spec_kind_of(nnc_json root);

/* Completes a parsed document (nnc_spec_complete), then reads it into a struct of its kind. */
void nnc_spec_read_open(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind, const char *stem, void *out);
/* Reads a spec from text into a struct of its kind; text[size] must be a NUL. */
nnc_status nnc_spec_read(nnc_specs *specs, nnc_spec_kind kind, const char *stem, const char *text, size_t size,
                         nnc_faults *faults, void *out);
/* Reads a spec from a file into a struct in the arena, and stores the path of the file in the struct. */
nnc_status nnc_spec_load(nnc_specs *specs, nnc_spec_kind kind, const char *path, const void **out, nnc_error *err);

enum { NNC_STEM_MAX = 256 };
/* Writes the stem of a path: "hw/h100.json" -> "h100". With config true, the stem of a file config.json is the name of
 * its folder. */
void nnc_spec_stem(const char *path, bool config, char *stem, size_t size);
/* Returns the id that the file must have: its stem, if the folder is one in which files are found by id (hw/, models/
 * ...). Returns NULL (any id) for other folders and for a pipe. */
const char *nnc_spec_required_id(const char *path, char stem[NNC_STEM_MAX]);

/* Computes the digest of the content of a spec file, including inherited values. The digest does not depend on the
 * order of keys, and leaves out notes and sources. */
nnc_status nnc_spec_digest(nnc_specs *specs, const char *path, uint64_t *digest, nnc_error *err);

/* ---- images.c: shipped files as structs, values of shipped documents ---- */

/* The texts of all images. Equal texts are stored once; `slots` is a hash table of them. */
typedef struct nnc_image_texts {
    nnc_buffer bytes;
    uint32_t *slots; /* offset of a text plus 1; 0 = free */
    size_t slot_count, count;
} nnc_image_texts;

void nnc_image_texts_free(nnc_image_texts *texts);

/* Computes the digest of the text of a file. */
uint64_t nnc_image_digest(const char *text, size_t size);
/* Appends the image of a spec to `out` and its texts to `texts`. likes, digests: ids and digests of the `count` files
 * in its chain of "like" keys. Returns false when out of memory. */
bool nnc_image_write(nnc_specs *specs, nnc_spec_kind kind, const void *spec, const char *const *likes,
                     const uint64_t *digests, int count, nnc_buffer *out, nnc_image_texts *texts);
/* Appends the image of a parsed document: its values, and an index of `count` words. Returns false when out of
 * memory. */
bool nnc_image_write_document(const nnc_json_doc *doc, const uint64_t *index, size_t count, nnc_buffer *out,
                              nnc_image_texts *texts);
/* Gives a document the values that were made of its text. Returns false if no image belongs to this text. */
bool nnc_image_open(const uint64_t *images, nnc_json_doc *doc);
/* Fills a struct that is all 0 from the image of a file (the struct that was made from the file at build time), instead
 * of parsing the file. text: content of the file now. Returns false, with the struct all 0, if no image belongs to this
 * text, or if a file in its chain of "like" keys has changed. stem: the id that the file must have; NULL = any id. */
bool nnc_image_read(nnc_specs *specs, const uint64_t *images, nnc_spec_kind kind, const char *stem, const char *text,
                    size_t size, void *spec);

/* ---- the set of loaded specs ---- */

/* Sets the images of shipped files. An image is read in place of a file whose text has not changed since the image was
 * made; NULL = no images. */
void nnc_specs_set_images(nnc_specs *specs, const uint64_t *images);
/* Opens a document by its image, or parses it as nnc_json_parse does. */
bool nnc_specs_parse(nnc_specs *specs, nnc_json_doc *doc);
nnc_arena *nnc_specs_arena(nnc_specs *specs);
bool nnc_specs_are_lenient(const nnc_specs *specs);
/* Returns the number of data folders, and their paths. */
int nnc_specs_folders(const nnc_specs *specs, const char *const **folders);
/* nnc_specs_marks returns a text with the implausible inputs of the current command, "" = none. nnc_specs_mark adds an
 * input to this text. */
const char *nnc_specs_marks(const nnc_specs *specs);
void nnc_specs_mark(nnc_specs *specs, const char *text);

/* NNC_IMPLAUSIBLE_TEXT: bytes for the reason why a device or profile is not plausible. The two functions test
 * relations that hold for all real devices or profiles. If they return false, text receives the fields, the expected
 * range and the value. */
enum { NNC_IMPLAUSIBLE_TEXT = 200 };
bool nnc_device_is_plausible(const nnc_device *device, char *text, size_t size);
bool nnc_software_is_plausible(const nnc_software *software, char *text, size_t size);

/* Makes a model from a text "ID FIELD=VALUE FIELD=VALUE ...": a shipped model with changed fields and another name. */
nnc_status nnc_model_make(nnc_specs *specs, const char *text, const char *name, nnc_model **model, nnc_error *err);
/* Reads the time in seconds that a host of the folder hosts/ needs to issue one kernel. */
nnc_status nnc_host_kernel_s(nnc_specs *specs, const char *id, double *kernel_s, nnc_error *err);
/* Type of a function that reads a launch file which a scenario names as its model: the function adds the settings of
 * the file to `given`, an nnc_scenario_args, and replaces *model. It leaves other models unchanged. The reader of
 * launch files is in src/launch, which src/input must not call; so each program that reads launch files stores the
 * function here. */
typedef nnc_status nnc_model_reader(nnc_specs *specs, const char *device, const char **model, void *given,
                                    nnc_error *err);
nnc_model_reader **nnc_specs_model_reader(nnc_specs *specs);

/* nnc_specs_set_implementation sets the library of option --implementation. nnc_specs_take_implementation sets this
 * library in a model, if the option was given. */
nnc_status nnc_specs_set_implementation(nnc_specs *specs, const char *name, nnc_error *err);
void nnc_specs_take_implementation(const nnc_specs *specs, nnc_model *model);
/* Reads a file as nnc_file_read does; "-" is standard input. Keeps the content of a pipe with the specs, because a pipe
 * can be read only once. */
nnc_status nnc_specs_read(nnc_specs *specs, const char *path, char **text, size_t *size, nnc_error *err);

/* Finds the file of an id or an alias. NNC_UNKNOWN_ID: no data folder has such a file, and err names the nearest id. */
nnc_status nnc_specs_find(nnc_specs *specs, nnc_spec_kind kind, const char *id, const char **path, nnc_error *err);
/* Finds the file of an id or an alias in the folder that `info` names, for files that are not specs. */
nnc_status nnc_specs_find_like(nnc_specs *specs, const nnc_spec_info *info, const char *id, const char **path,
                               nnc_error *err);
/* Finds any file by its path inside a data folder, "grid/regions.json". *path stays NULL when there is no such file. */
nnc_status nnc_specs_file(nnc_specs *specs, const char *name, const char **path, nnc_error *err);
/* Finds the file of a model that is named by a path. In a folder: its config.json, or the config.json in the folder of
 * the network of a diffusers pipeline. For a model_index.json: the same config.json of the network. For another file:
 * the file itself. *path is NULL for a name on the Hugging Face hub. */
nnc_status nnc_place_of_model(nnc_specs *specs, const char *asked, const char **path, nnc_error *err);

/* Result of looking up a name of the Hugging Face hub in hub/names.json. */
typedef struct nnc_hub_name {
    const char *path;    /* path of the file with the dimensions of the model; NULL = the name is not known */
    const char *shape;   /* id of the file with the dimensions of the model */
    const char *source;  /* publication of the configuration; NULL = the dimensions are from a file of models/ */
    const char *stored;  /* format of weights that the name contains, "int4"; NULL = no format */
    const char *nearest; /* for an unknown name, the nearest known name; NULL = no name is near */
} nnc_hub_name;
nnc_status nnc_hub_find(nnc_specs *specs, const char *name, nnc_hub_name *hub, nnc_error *err);
/* Writes the index of a table of hub names (at most `most` words), for the image of the table. Returns the number of
 * words; 0 = no index. */
size_t nnc_hub_index(nnc_json table, uint64_t *words, size_t most);
/* Sets *name to the usual name, on the Hugging Face hub, of the shipped model `id`; for another text, to the text
 * itself. */
nnc_status nnc_hub_usual(nnc_specs *specs, const char *id, const char **name, nnc_error *err);
/* Adds a note to a model that was found by its name on the Hugging Face hub: the id of the file with its dimensions,
 * and the source of this file. */
nnc_status nnc_hub_tell(nnc_specs *specs, const char *asked, const nnc_hub_name *hub, nnc_model *model, nnc_error *err);

/* Largest number of files in a chain of "like" keys. */
enum { NNC_LIKE_MAX = 4 };
/* nnc_specs_begin_like marks that the reading of a file waits for the file that its key "like" names; returns false
 * when the chain is too long. nnc_specs_end_like removes the mark. */
bool nnc_specs_begin_like(nnc_specs *specs, const char *name);
void nnc_specs_end_like(nnc_specs *specs);
/* Tests whether the reading of the file `path` waits for the file that its key "like" names. A further key "like" that
 * names `path` would then make a circle. */
bool nnc_specs_is_reading(const nnc_specs *specs, const char *path);

/* Completes a document before it is read. Replaces "@key" by the texts of "references". Inherits from the file that the
 * key "like" names (not if kind is NNC_SPEC_KIND_COUNT). Completes objects with the key "same_as". Marks inherited
 * values. Returns false when an error was noted; the document must not be read then. */
bool nnc_spec_complete(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind);

/* A chain of files: the key "like" of each file names the next file. It serves to find the file that sets a field. */
typedef struct nnc_lineage nnc_lineage;
/* Opens the chain that begins with the file `path`. Sets *lineage to NULL if the file has no key "like", or if path is
 * NULL. */
nnc_status nnc_lineage_open(nnc_specs *specs, nnc_spec_kind kind, const char *path, nnc_lineage **lineage,
                            nnc_error *err);
void nnc_lineage_close(nnc_lineage *lineage);
/* Returns the id of the file in the chain that sets the field with a dotted name; NULL = no file sets it. */
const char *nnc_lineage_of(const nnc_lineage *lineage, const char *dotted);

/* ---- data folders: used by the set of specs ---- */

typedef struct nnc_id_list { /* A list of ids in the arena; { 0 } is an empty list. */
    const char **ids;
    int32_t count, capacity;
} nnc_id_list;

typedef struct nnc_folders {
    nnc_arena *arena;
    const char **paths; /* paths of the data folders; if several folders have a file, the first of these folders is
                         * used */
    int count;
    nnc_error trouble; /* first error of the system while reading the folders; status NNC_OK = no error */
    /* Content of the file text_of, in which an alias was found last; nnc_specs_take_text gives it to the caller. NULL =
     * no content. */
    char *text;
    const char *text_of;
    size_t text_size;
} nnc_folders;

/* Opens the folders of $NNCOST_PATH, the user's own folder, and data_path unless it is NULL. Returns false when out of
 * memory. */
bool nnc_folders_open(nnc_folders *folders, const char *data_path);
/* Returns NNC_IO when the system failed to read a folder or a file; err is the first failure. */
nnc_status nnc_folders_trouble(const nnc_folders *folders, nnc_error *err);
/* Lists the ids of a kind of spec in all data folders, sorted, without duplicates. Returns false when out of memory. */
bool nnc_folders_list(nnc_folders *folders, nnc_spec_kind kind, nnc_id_list *list);
/* Lists the ids in the folder of this name ("foreign") of all data folders, sorted, without duplicates. Returns false
 * when out of memory. */
bool nnc_folders_list_folder(nnc_folders *folders, const char *folder, nnc_id_list *list);
bool nnc_specs_list_folder(nnc_specs *specs, const char *folder, nnc_id_list *list);
/* Finds the file of an id or alias. *path stays NULL when there is no such file. */
nnc_status nnc_folders_id(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char **path, nnc_error *err);
/* Reports an id that no folder has. If another kind of spec has the id, the error says so. near: a name, such as a hub
 * name, that the error shows if no id of the kind is near; NULL = no such name. Returns NNC_UNKNOWN_ID, or the error
 * that stopped the search. */
nnc_status nnc_folders_unknown(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char *near,
                               nnc_error *err);
/* Returns the alias of a shipped file that is nearest to an id that no folder has; NULL = no alias is near. */
const char *nnc_folders_nearest_alias(nnc_folders *folders, const nnc_spec_info *info, const char *id);
const char *nnc_specs_nearest_alias(nnc_specs *specs, nnc_spec_kind kind, const char *id);
/* nnc_folders_find finds the file of an id or alias. nnc_folders_find_like does the same for files that are not
 * specs. NNC_UNKNOWN_ID: err names the nearest id. */
nnc_status nnc_folders_find(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char **path,
                            nnc_error *err);
nnc_status nnc_folders_find_like(nnc_folders *folders, const nnc_spec_info *info, const char *id, const char **path,
                                 nnc_error *err);
/* Path of the device "." if no data folder has measurements of this machine. The output of this command is read in
 * place of a file. */
#define NNC_THIS_MACHINE "nvidia-smi -q -x"
/* Asks nvidia-smi to describe this machine. The caller frees the text. NNC_UNKNOWN_ID: there is no nvidia-smi. */
nnc_status nnc_machine_ask(char **text, size_t *size, nnc_error *err);
/* Tests whether a text describes a machine: XML of nvidia-smi or of hwloc, or the matrix of `nvidia-smi topo -m`. */
bool nnc_is_machine(const char *text);
/* Converts XML of nvidia-smi or hwloc to a device file as text. NNC_BAD_SPEC: the text names no GPU, or GPUs of several
 * products. */
nnc_status nnc_machine_json(const char *name, const char *text, nnc_buffer *json, nnc_error *err);
/* Finds a file by its path relative to the data folders; the first folder that has the file decides. *path is NULL when
 * no folder has it. */
nnc_status nnc_folders_file(nnc_folders *folders, const char *name, const char **path, nnc_error *err);

/* The content of a pipe, or of a converted file, that the set of specs keeps. */
typedef struct nnc_piped {
    const struct nnc_piped *next;
    const char *path;
    char *text; /* content of the pipe or file, in the arena */
    size_t size;
} nnc_piped;
const nnc_piped **nnc_specs_piped(nnc_specs *specs);
/* If `path` is the file in which an alias was found last, gives its text to the caller; otherwise returns false. */
bool nnc_specs_take_text(nnc_specs *specs, const char *path, char **text, size_t *size);
/* Returns the kept content of a path; NULL = the path is read from disk. */
const nnc_piped *nnc_specs_kept(nnc_specs *specs, const char *path);
/* Keeps copies of path and text in the set of specs: nnc_specs_read returns the text from now on. */
nnc_status nnc_specs_keep(nnc_specs *specs, const char *path, const char *text, size_t size, nnc_error *err);

/* Lines "hw/h100=h100-sxm5-80gb": the aliases of the files that are shipped with the program. */
extern const char nnc_shipped_aliases[];

/* ---- devices, clusters, catalogues ---- */

/* NNC_EFFICIENCIES_FIELDS: rows of the table of efficiencies. nnc_efficiencies_neutral sets every efficiency to its
 * neutral value: fractions 1, fixed times 0, no tiles. Times then follow only from the datasheet. */
enum { NNC_EFFICIENCIES_FIELDS = 15 };
extern const nnc_field nnc_efficiencies_fields[NNC_EFFICIENCIES_FIELDS];
void nnc_efficiencies_neutral(nnc_efficiencies *e);

/* nnc_is_cluster tests whether a document is a cluster file. nnc_cluster_read_open replaces the links of a device by
 * the links of the cluster file. If errors were noted, the device is not valid. */
bool nnc_is_cluster(nnc_json root);
void nnc_cluster_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem, nnc_device *device);

/* nnc_is_catalogue tests whether a document has prices of sellers ("nncost.prices/1"), carbon intensity of regions
 * ("nncost.grid/1") or energy overhead of buildings ("nncost.buildings/1"). nnc_catalogue_read_open checks the values
 * of such a file. */
bool nnc_is_catalogue(nnc_json root);
void nnc_catalogue_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem);
/* nnc_is_architecture tests whether a document is the data file of an architecture ("nncost.foreign/1").
 * nnc_architecture_read_open checks such a file and notes its faults. */
bool nnc_is_architecture(nnc_json root);
void nnc_architecture_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem);

/* ---- models: fields and rules of each family ---- */

/* nnc_model_table returns the fields of a family; the common fields come first. nnc_model_table_of returns the fields
 * of one model: each graph has its own fields. */
const nnc_field_table *nnc_model_table(nnc_family family);
const nnc_field_table *nnc_model_table_of(const nnc_model *model);

void nnc_model_rules(nnc_json at, const nnc_model *model);

/* The entry of a family of models: its fields, and the functions that complete and check a model. */
typedef struct nnc_family_fields {
    nnc_field_table table;
    void (*begin)(nnc_model *model);                    /* called before a model is read: sets the defaults that are not
                                                         * 0; NULL = all defaults are 0 */
    void (*complete)(nnc_json root, nnc_model *model);  /* called after a model was read: sets the defaults that depend
                                                         * on other fields */
    void (*rules)(nnc_json at, const nnc_model *model); /* checks rules between the fields of a model */
    const char *const *keys; /* keys of a file that are no fields (ends with NULL); NULL = only the keys that files of
                              * all families may have */
} nnc_family_fields;

#define NNC_FAMILY_FIELDS(name, text, help, row) extern const nnc_family_fields nnc_##row##_fields;
NNC_FAMILY_LIST(NNC_FAMILY_FIELDS)
#undef NNC_FAMILY_FIELDS

const nnc_family_fields *nnc_family_fields_of(nnc_family family);

/* Largest values of dimensions: larger than in any real network, and so small that a product of two cannot overflow. */
#define NNC_LAYERS_MAX 1e5
#define NNC_WIDTH_MAX 1e7
#define NNC_VOCAB_MAX 1e9
#define NNC_TOKENS_MAX 1e9
#define NNC_SIDE_MAX 1e6

/* Fields that the models of every family have; the field table of each family begins with them. */
/* clang-format off */
#define NNC_COMMON_FIELDS                                                                    \
    { NNC_FIELD(nnc_model, id), .required = true,                                            \
      .help = "Name of the file without \".json\"; the command line uses this name." },              \
    { NNC_FIELD(nnc_model, name), .default_text = "id", .help = "Full name." },             \
    { NNC_FIELD(nnc_model, family), NNC_FIELD_NAMES(nnc_family, NNC_FAMILY_COUNT),           \
      .required = true,                                                                      \
      .help = "Kind of network; it decides the other fields." },                             \
    { NNC_FIELD(nnc_model, published_params), .max = 1e15, .zero_unknown = true,             \
      .help = "Number of parameters as the authors publish it." },                           \
    { NNC_FIELD_AS(NNC_FIELD_ENUM, nnc_model, published_weights), .rare = true,                            \
      .names = { nnc_stored_name, NNC_STORED_COUNT }, NNC_DEFAULT_AS(NNC_STORED_COUNT, "not stated"),         \
      .help = "Format in which the authors publish the weights; default of --weights." }, \
    { NNC_FIELD(nnc_model, published_group_size), .min = 1, .max = 1e6, .rare = true, .zero_unknown = true,  \
      .help = "Number of published int4 weights that share a scale; default of --group-size." },           \
    { NNC_FIELD(nnc_model, text_encoders), .rare = true,                                     \
      .help = "For a network that denoises images: models that read the prompt, ids joined by commas." }, \
    { NNC_FIELD(nnc_model, image_decoder), .rare = true,                                     \
      .help = "For a network that denoises images: the model that decodes the latent into an image." }, \
    { NNC_FIELD(nnc_model, image_factor), .min = 1, .max = 1e4, .rare = true,                \
      .zero_unknown = true,                                                                  \
      .help = "For a graph that reads latents: pixels per side of one latent position; --image counts pixels." }
/* clang-format on */

/* nnc_is_foreign tests whether a document is a configuration of another program. nnc_foreign_read reads such a
 * document, except fields that depend on other fields. The caller sets model->id. nnc_foreign_read returns false when
 * an error was noted. */
bool nnc_is_foreign(nnc_json root);
bool nnc_foreign_read(nnc_json root, nnc_model *model);

/* NNC_CAPTURE_SCHEMA: schema of a captured program. nnc_is_capture tests whether a document has this schema.
 * nnc_capture_read reads such a document, except the id. asked: modules that are treated in another way; NULL = the
 * step stays as it was recorded. */
#define NNC_CAPTURE_SCHEMA "nncost.capture/1"
#ifdef __wasi__ /* the browser page is for small files, so the linker removes the code */
enum { NNC_READS_CAPTURES = false };
#else
enum { NNC_READS_CAPTURES = true };
#endif
bool nnc_is_capture(nnc_json root);
/* Modules that a plan treats in another way than the recorded step did: patterns of module paths, joined by commas;
 * NULL = no such modules. */
typedef struct nnc_modules {
    const char *train;     /* the modules that are trained; all other modules are frozen */
    const char *frozen;    /* modules that are not trained */
    const char *recompute; /* modules that keep their inputs only, and run again in backward */
} nnc_modules;
void nnc_capture_read(nnc_json root, const nnc_modules *asked, nnc_model *model);
/* Reads the file of a captured step again, with modules that are treated in another way. model: a copy of the recorded
 * model, which changes. err->where: the option that is wrong. */
nnc_status nnc_capture_ask(nnc_specs *specs, const nnc_modules *asked, nnc_model *model, nnc_error *err);

/* Scope of an expression of a graph file: the names that the expression may use. */
typedef struct nnc_expr_scope {
    const char *const *lets;
    int32_t let_count;
    const char *const *args; /* names of the arguments of the macro in which the expression is */
    int32_t arg_count;
} nnc_expr_scope;

/* Reads the network of a graph file into a model, and makes the field table of this model. */
void nnc_graph_take(nnc_json root, nnc_model *model);
/* Adds a tower to a model. at: the object of the file with the network of the tower. Notes an error when its ops do not
 * fit together. */
void nnc_graph_tower(nnc_json at, nnc_model *model);

/* Functions that scale a model after --set hidden=N. nnc_scale_dims_record stores the dimensions of the model file.
 * nnc_scale_dims_follow is called after `field` was set: it multiplies each dimension that the user has not set by the
 * new hidden / the old hidden (heads keep their width). nnc_scale_dims_check notes an error for each dimension that is
 * not a whole number. nnc_scale_dims_text writes the dimensions that changed, "heads=20, ffn_hidden=5120", or "". */
void nnc_scale_dims_record(nnc_model *model);
void nnc_scale_dims_follow(nnc_model *model, const char *field);
void nnc_scale_dims_check(nnc_json at, const nnc_model *model);
void nnc_scale_dims_text(const nnc_model *model, char *text, size_t size);

/* ---- software profiles ---- */

/* Profile that is used when the user names no profile. */
#define NNC_SOFTWARE_DEFAULT "torch-compile"
/* --software any: every plan uses the profile of its kind, and a search may use options that no profile supports. */
#define NNC_SOFTWARE_ANY "any"

/* Tests whether each plan decides its own profile, because `asked` is NULL or NNC_SOFTWARE_ANY. */
bool nnc_software_is_chosen(const char *asked);
/* Loads the default profiles of all kinds of plan, or the profile `asked` for all plans. */
nnc_status nnc_profiles_asked(nnc_specs *specs, const char *asked, nnc_profiles *profiles, nnc_error *err);
/* Loads the default profile of one kind of plan. */
nnc_status nnc_profile_load(nnc_specs *specs, nnc_profile_kind kind, const nnc_software **software, nnc_error *err);
/* Loads the profile `asked`. NULL = the default profile: from its file, or with the built-in values if no data folder
 * has the file. */
nnc_status nnc_software_asked(nnc_specs *specs, const char *asked, nnc_software *software, nnc_error *err);

/* ---- software.c: releases of frameworks ---- */

/* A question for the release of a framework: by profile (software), else by words ("NeMo 25.11"), else by framework and
 * version. The ids of device and model and the family of the model select an entry of the release. */
typedef struct nnc_release_ask {
    const char *words;
    const nnc_software *software;
    const char *framework, *version;
    const char *device, *model, *family;
} nnc_release_ask;

/* A release that was found; entry NULL = not found. */
typedef struct nnc_release {
    const nnc_software *software;
    const nnc_framework *entry;
    const char *version; /* version that the user named; "" = no version */
    size_t named;        /* length of the framework's name that the user gave; 1 if the user gave a profile instead */
    int met;             /* number of characters in the conditions (device, model, family) of the entry; more characters
                          * = a more specific entry */
} nnc_release;

/* Tells whether the user gave a field of a plan. A release sets only fields that the user did not give. in: argument of
 * the function `is`. */
typedef struct nnc_given {
    bool (*is)(const void *in, const char *field);
    const void *in;
} nnc_given;

extern const nnc_field_table nnc_recipe_table;

/* Finds the entry that matches best: first by the longest matching name of a framework, then by the newest release that
 * is not newer than the asked version, then by the most specific conditions. */
nnc_status nnc_release_find(nnc_specs *specs, const nnc_release_ask *ask, nnc_release *release, nnc_error *err);
/* nnc_release_fill sets fields that the plan and the model do not give. nnc_release_switch sets switches of the profile
 * by the list "recipes" of its file: each entry names the releases, devices, models and precisions that it is for. */
void nnc_release_fill(const nnc_framework *f, const nnc_given *given, nnc_model *model, nnc_plan *plan);
/* The fields that nnc_release_fill derives from other fields of the plan. A search decides them without the release. */
enum { NNC_RELEASED_FIELDS = 6 };
extern const char *const nnc_released_fields[NNC_RELEASED_FIELDS];
nnc_status nnc_release_switch(const nnc_release *release, const nnc_release_ask *ask, nnc_dtype precision,
                              nnc_software *software, nnc_error *err);

#endif
