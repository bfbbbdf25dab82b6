/* Functions of src/input, which read files: strict JSON, field tables, spec files found by id.
 *
 * The file json.c reads JSON documents, returns their values, and notes errors that name line and key.
 * The file json_scan.c checks the grammar of JSON text before cJSON reads it, and finds the positions of values in the
 * text. The file read.c reads objects by field tables, recorded results by tables of metrics, and comma-separated
 * values.
 * The file folders.c finds the file of an id, an alias, a path or a name of the Hugging Face hub in the data folders.
 * The file spec.c has the set of loaded specs, and loads a file of any kind.
 * The file inherit.c handles the keys "like", "same_as" and "references".
 * The file images.c reads shipped files as structs, which tools/images_make.c makes at build time.
 * The file device.c reads devices with their fitted parameters, and the links of clusters.
 * The files model.c, decoder_model.c and graph_model.c read models of every family, and capture.c reads captured
 * PyTorch programs.
 * The file software.c reads software profiles, and the releases that they describe.
 * The file catalogue.c reads prices, regions and buildings.
 * The file plausible.c tests relations that hold for every real device and software profile.
 * The folder foreign/ reads model configurations of other programs.
 *
 * Every error names the file, the line, the key, the expected value and the value that was found. If the caller wants
 * all errors, reading continues after an error in the content. */
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
    /* largest number of bytes that a file with recorded estimates may have */
    NNC_RECORDED_BYTES_MAX = 1000 * 1000 * 1000
};

/* Reads a whole file into memory. *text: bytes of the file, and a NUL after them; the caller frees *text. *size: number
 * of bytes without the NUL. Returns NNC_IO if the file cannot be read or is a folder, and NNC_BAD_SPEC if it has more
 * than NNC_FILE_BYTES_MAX bytes (nnc_file_read) or more than `most` bytes (nnc_file_read_large). */
nnc_status nnc_file_read(const char *path, char **text, size_t *size, nnc_error *err);
nnc_status nnc_file_read_large(const char *path, size_t most, char **text, size_t *size, nnc_error *err);

/* A file that is read in blocks. The buffer `bytes` has data of the file; the bytes from `at` to `size` - 1 are not
 * used yet. */
typedef struct nnc_blocks {
    int fd;
    char *bytes;
    size_t at, size, room;
} nnc_blocks;

/* Opens a regular file of at most NNC_RECORDED_BYTES_MAX bytes. Returns false if the file cannot be opened, has more
 * than NNC_RECORDED_BYTES_MAX bytes, or is not a regular file. The caller must call nnc_blocks_close in every case,
 * even after a failure. */
bool nnc_blocks_open(nnc_blocks *stream, const char *path);
void nnc_blocks_close(nnc_blocks *stream);
/* Reads from the file until `least` unused bytes are in memory. Returns the number of unused bytes; the number is less
 * than `least` at the end of the file, after an error of the operating system, or if memory ran out. */
size_t nnc_blocks_fill(nnc_blocks *stream, size_t least);
/* Writes to *err the error NNC_BAD_SPEC: the file has more than `most` bytes. Returns NNC_BAD_SPEC. */
nnc_status nnc_file_too_large(const char *path, size_t most, nnc_error *err);

/* Copies a text of `size` bytes, which need not end with a NUL, to *copy, and adds a NUL. The caller frees *copy.
 * Returns NNC_BAD_SPEC if the text has more than NNC_FILE_BYTES_MAX bytes. */
nnc_status nnc_text_copy(const char *name, const char *text, size_t size, char **copy, nnc_error *err);

/* Tests whether a text is a path instead of an id: a path contains '/', ends in ".json" or ".xml", or is "-" (standard
 * input). */
bool nnc_is_path(const char *text);
/* Tests whether a path is standard input ("-"), a pipe, a character device, or a file below the folder /dev. */
bool nnc_is_pipe(const char *path);
bool nnc_is_folder(const char *path);
/* Returns the path of a file to which another file refers. file: the file that refers. path: the reference; a relative
 * path starts in the folder of `file`. The result is allocated in the arena; NULL = out of memory. */
const char *nnc_path_from(nnc_arena *arena, const char *file, const char *path);

/* ---- CSV, RFC 4180 ---- */

enum { NNC_CSV_CELLS_MAX = 256 };

/* A reader of CSV text. Decoding a cell overwrites the text of the cell, and the pointers in `cells` point into the
 * text. */
typedef struct nnc_csv {
    const char *name; /* name of the CSV file in messages */
    char *at, *end;
    long line;     /* number of the line at which the next row begins; the first line of the file is 1 */
    long row_line; /* number of the line at which the row in `cells` begins */
    char *cells[NNC_CSV_CELLS_MAX];
    int count;
} nnc_csv;

/* Returns a reader of CSV text. The text must have a NUL at text[size]. A byte order mark at the start is skipped. */
nnc_csv nnc_csv_begin(const char *name, char *text, size_t size);

/* Reads the next row that is not empty into csv->cells. Sets *more to false if there is no further row. Returns
 * NNC_BAD_SPEC for a quote in the wrong place, a quote that is not closed, a NUL in the text, or too many cells. */
nnc_status nnc_csv_next(nnc_csv *csv, bool *more, nnc_error *err);

/* Reads recorded requests from the CSV file that ask->arrivals names, and stores them in ask->arrival_list. The list is
 * freed together with `specs`. */
nnc_status nnc_arrivals_load(nnc_specs *specs, nnc_serve_ask *ask, nnc_error *err);

/* ---- JSON text: checks of its grammar, and places of values in it ---- */

enum {
    NNC_SCAN_DEPTH_MAX = 64,
    /* largest number of JSON values in a file; the tree of so many values needs at most 5 MB */
    NNC_SCAN_VALUES_MAX = 100000,
    /* largest number of JSON values in a configuration that another program wrote */
    NNC_SCAN_VALUES_MANY = 700000,
    NNC_SCAN_VALUES_RECORDED = 50 * 1000 * 1000 /* largest number of JSON values in a file with recorded estimates */
};

/* A place in a text. The first line is line 1, and the first character of a line is column 1. Columns count characters,
 * not bytes. */
typedef struct nnc_position {
    long line, column;
} nnc_position;

typedef struct nnc_json_scan_fault {
    nnc_position at;
    char what[160]; /* message, such as "bad syntax, expected a value, found '}'" */
} nnc_json_scan_fault;

/* A fast check of JSON text. The function checks only numbers and strings, because cJSON checks the order of the
 * lexemes. Returns false if the text needs the full check nnc_json_scan. A text needs the full check if its lists and
 * objects are nested too deeply, or if the text has more than values_max values. A text also needs the full check if
 * RFC 8259 may forbid a number, string or character that cJSON accepts. */
bool nnc_json_scan_lexemes(const char *text, size_t size, int values_max);

/* The full check of JSON text. The text must be one JSON value (RFC 8259) with at most values_max values inside. The
 * text must have valid UTF-8, at most NNC_SCAN_DEPTH_MAX levels, and finite numbers of at most 63 characters. If the
 * text is not valid, writes the error to *fault, unless fault is NULL, and returns false. The check accepts unpaired
 * surrogates. */
bool nnc_json_scan(const char *text, size_t size, int values_max, nnc_json_scan_fault *fault);

/* Returns the line and the column of the character in `text` to which `at` points. */
nnc_position nnc_json_position(const char *text, const char *at);

/* Position of a walk over JSON text that is known to be valid. A walk finds the places of values without building a
 * tree. */
typedef struct nnc_walk {
    const char *text;
    size_t at;
    long line; /* number of the line of the position `at`; the first line is 1 */
    /* offset of the key of the current member, at its opening quote; in a list, offset of the current value */
    size_t key;
    size_t key_length; /* length of the key with its two quotes; 0 in a list */
    long key_line;
} nnc_walk;

/* Returns a walk that begins at the outermost value of a text. */
nnc_walk nnc_walk_begin(const char *text);
/* Moves from an opening bracket, or from the end of a value inside the brackets, to the value of the next member.
 * object: true = members of an object, false = elements of a list. Returns false if the object or list has no further
 * member; the position of the walk is then after the closing bracket. */
bool nnc_walk_member(nnc_walk *w, bool object);
/* Moves a walk from the start of a value of any type to the end of this value. */
void nnc_walk_value(nnc_walk *w);
/* Moves a walk forward to the offset `to` in the text, and counts the lines on the way. */
void nnc_walk_on(nnc_walk *w, size_t to);
/* Tests whether the key of the current member is `key`. A key that is written with escapes never matches: the function
 * then returns false. */
bool nnc_walk_key_is(const nnc_walk *w, const char *key);

/* ---- JSON documents ---- */

enum { NNC_FAULTS_MAX = 100 };

/* The errors in one file. If `report` is not NULL, reading continues after an error, and up to NNC_FAULTS_MAX errors
 * are reported. If `report` is NULL, reading stops at the first error. */
typedef struct nnc_faults {
    const char *name;     /* name of the file in messages; NULL = the text is not from a file */
    nnc_error *err;       /* receives the first error; NULL = the error is not stored */
    nnc_fault_fn *report; /* function that is called for every error; NULL = no function */
    void *context;
    nnc_status status; /* status of the first error; NNC_OK = the file has no error so far */
    int count;
    bool no_memory; /* true: one of the noted errors is "out of memory" */
} nnc_faults;

/* One large object or list of a file. The members of the large object or list are parsed one at a time, so that a file
 * of 1 GB needs no JSON tree of 1 GB. */
typedef struct nnc_json_large {
    const char *name; /* dotted name of the large object, such as "recorded.estimates" */
    /* the large object, whose members are parsed one at a time; NULL: the file has no such object, or the object was
     * parsed together with all values of the file */
    const struct cJSON *object;
    int32_t count; /* number of members of the large object */
    /* offset in the text of each member; 0 = the member was parsed together with all values around the large object */
    size_t *places;
    size_t end;        /* offset in the text of the first character after the large object */
    uint64_t *digests; /* digest of each member that nnc_json_close has freed */
} nnc_json_large;

/* A value of a shipped document, stored in the program (images.c). An object or list is followed by its members.
 * key: 8 x (1 + offset of the key in the texts) + nnc_json_type; for an element of a list, which has no key, 8 x 0 +
 * nnc_json_type. value: offset of a text, or index of a number, or number of members of an object or list. next:
 * distance to the next member of the same object or list; 0 = last member. */
typedef struct nnc_image_value {
    uint32_t key, value, next;
} nnc_image_value;

enum { NNC_IMAGE_TYPE = 7 }; /* bits of nnc_image_value.key that store the nnc_json_type */

/* The values of a shipped document, as they are stored in the program. values NULL: the document has no stored values,
 * and cJSON has parsed it. */
typedef struct nnc_image_values {
    const nnc_image_value *values;
    const char *texts;
    const double *numbers;
    /* array of index_count words with which values of the document are found, such as the index of hub names */
    const uint64_t *index;
    uint64_t index_count;
} nnc_image_values;

typedef struct nnc_json_doc {
    nnc_faults *faults;
    nnc_arena *arena; /* arena for strings that are used after the document was freed */
    const char *text;
    size_t size;
    /* largest number of JSON values that the file may have; 0 = NNC_SCAN_VALUES_MAX. A document that may have more
     * values may also have more bytes */
    int values_max;
    /* true: the document may be a configuration of another program, which nnc_json_parse reads less strictly */
    bool foreign;
    /* true: if the document is a configuration of another program, unknown keys are skipped and listed in the notes of
     * the model */
    bool lenient;
    /* set of specs with the data folders in which the files of foreign/ are searched; NULL = the document needs no such
     * files */
    nnc_specs *specs;
    /* sum of the digests of the files of foreign/ with which the document was read; NULL = the sum is not needed */
    uint64_t *digest;
    nnc_json_large large;
    nnc_image_values image;
    /* the tree of the document; NULL: the document was not parsed, and its errors have no line. If the document has an
     * image, its nodes are of the type nnc_image_value */
    const struct cJSON *root;
    /* document of the file that the key "like" names; it is freed with this document; NULL = the file has no key
     * "like" */
    struct nnc_json_doc *like;
} nnc_json_doc;

/* A value of a document; it is passed to functions by value. If `node` is NULL, the value is absent: the document does
 * not have it. */
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
 * notes an error and returns false. If doc->foreign is true and the text has no key "schema", Python may have written
 * the text: Infinity and NaN are then read as the strings "+inf" and "?", which no number field accepts. A text that
 * Python may have written may also have more values. */
bool nnc_json_parse(nnc_json_doc *doc);
void nnc_json_free(nnc_json_doc *doc);
/* Sets the functions that allocate and free the memory of JSON trees, in place of malloc and free. A program may call
 * this function only if no other code in its process uses cJSON, and if it reads documents on one thread. */
void nnc_json_allocate_with(void *(*allocate)(size_t), void (*release)(void *));

nnc_json nnc_json_root(const nnc_json_doc *doc);
nnc_json_type nnc_json_type_of(nnc_json at);
nnc_json nnc_json_get(nnc_json object, const char *key);
/* Returns the text of the member `key` of an object; NULL = the object has no such member, or it is no text. */
const char *nnc_json_text_in(nnc_json object, const char *key);
/* Tests whether the member "schema" of an object is the text `schema`. */
bool nnc_json_has_schema(nnc_json object, const char *schema);
/* nnc_json_first returns the first member of a list or object. nnc_json_next returns the member after `at` in the same
 * list or object. After the last member, and for an empty list or object, nnc_json_first and nnc_json_next return an
 * absent value. */
nnc_json nnc_json_first(nnc_json container);
nnc_json nnc_json_next(nnc_json at);
const char *nnc_json_key(nnc_json at); /* returns the key of a member of an object; "" for an element of a list */

/* Follows a dotted name from an object to the objects inside it, one part of the name after the other, until an object
 * lacks the next part. Returns the last value that was found; *rest is set to the end of the name, from the first part
 * that was not found on. */
nnc_json nnc_json_follow(nnc_json at, const char *dotted, const char **rest);

/* nnc_json_open parses the member with the index `index` of the large object (nnc_json_large), and returns false when
 * an error was noted. nnc_json_close frees the member that nnc_json_open has parsed, and stores its digest. The digest
 * of the member does not include inner members whose name is in `skip`. If `skip` is NULL, nnc_json_close stores no
 * digest. For a member that was parsed together with all values of the file, nnc_json_open and nnc_json_close do
 * nothing. */
bool nnc_json_open(nnc_json at, int32_t index);
void nnc_json_close(nnc_json at, int32_t index, const char *const *skip);

/* These functions return the value of a boolean, a number, or a string, and the number of members of a list or object.
 * The caller must first check the type of `at`. */
bool nnc_json_bool(nnc_json at);
double nnc_json_number(nnc_json at);
const char *nnc_json_text(nnc_json at); /* returns a string that is valid until the document is freed */
int nnc_json_count(nnc_json at);
/* Returns a value as JSON text, allocated in the arena of the document; NULL = the value is absent, or memory ran
 * out. */
const char *nnc_json_copy(nnc_json at);

/* Returns the digest of a value. The order of keys does not change the digest. Members with a name in the list `skip`
 * are left out, in inner objects too; NULL ends the list. */
uint64_t nnc_json_digest(nnc_json at, const char *const *skip);
/* nnc_json_digest_members returns the sum of the digests of all members of an object; nnc_digest_object computes the
 * digest of the object from the sum of the digests of its members. */
uint64_t nnc_json_digest_members(nnc_json object, const char *const *skip);
uint64_t nnc_digest_object(uint64_t members);
/* If a document collects digests (doc->digest), adds the digest of a data file with which the document was read. */
void nnc_json_digest_add(const nnc_json_doc *doc, nnc_json data);

/* nnc_json_set_text, nnc_json_inherit and nnc_json_inherit_object change a document. An inherited value may come from
 * another document, which must live as long as the changed document. Inherited values are marked as inherited. Empty
 * objects that nnc_json_inherit_object creates are also marked. */
void nnc_json_set_text(nnc_json at, const char *text);
void nnc_json_inherit(nnc_json object, nnc_json value);
nnc_json nnc_json_inherit_object(nnc_json object, const char *key);
bool nnc_json_inherited(nnc_json at);
/* Returns a value with the number `number`, for use in place of the value `at` of a document that cJSON has parsed. The
 * returned value is allocated in the arena of the document and does not belong to the tree of the document. If memory
 * runs out, notes an error and returns `at`. */
nnc_json nnc_json_number_as(nnc_json at, double number);

/* nnc_json_fault notes an error at a member of the value `at`. member: dotted name of the member, which may be absent;
 * NULL = the error is at `at` itself. nnc_json_mismatch notes the error "what, expected ..., found <the value>" at a
 * value. Both functions return false. */
bool nnc_json_fault(nnc_json at, const char *member, const char *format, ...) NNC_PRINTF(3, 4);
bool nnc_json_mismatch(nnc_json at, const char *what, const char *expected);
/* Notes that a value is not a whole number from `least` to `most`. Always returns false. */
bool nnc_json_refuse_number(nnc_json at, double least, double most);
/* These functions read a whole number from `least` to `most`; if the value is not such a number, they note an error and
 * return false. nnc_json_whole_value: `at` is the member `key` of an object. nnc_json_whole_member: the function looks
 * up the member `key`. */
bool nnc_json_whole(nnc_json at, double least, double most, int64_t *value);
bool nnc_json_whole_value(nnc_json object, nnc_json at, const char *key, double least, double most, int64_t *found);
bool nnc_json_whole_member(nnc_json object, const char *key, double least, double most, int64_t *found);
/* Tests whether the member `key` of `parent` is a list of at most `most` entries; if not, notes an error. */
bool nnc_json_is_list(nnc_json at, nnc_json parent, const char *key, int32_t most);

/* A list of numbers: either a JSON list, or a text in which spaces separate the numbers; such a text is read faster. */
typedef struct nnc_json_numbers {
    nnc_json list, at; /* at: the entry that is read next, if the list is a JSON list */
    /* if the list is a text: the text from the next number on; NULL = the list is a JSON list */
    const char *text;
} nnc_json_numbers;

nnc_json_numbers nnc_json_numbers_of(nnc_json list);
/* Tests whether the list has a number that is not yet read. A list that is a text ends at a comma or at the end of the
 * text. */
bool nnc_json_has_more(const nnc_json_numbers *n);
int32_t nnc_json_count_numbers(const nnc_json_numbers *n);
/* Reads the next number of a list; its limits and its errors are those of nnc_json_whole. */
bool nnc_json_next_whole(nnc_json_numbers *n, double least, double most, int64_t *value);
/* Tests whether a value has the JSON type `type`. If the value has another type, notes the error "wrong type, expected
 * ..." and returns false. */
bool nnc_json_expect(nnc_json at, nnc_json_type type, const char *expected);
/* Returns the number of the line with the key of a value; for an element of a list, the number of the line with the
 * value. The first line is 1. */
long nnc_json_line(nnc_json at);
/* Tests whether reading of a document continues after the errors that were noted so far. Reading stops at the first
 * error unless all errors are reported (nnc_faults). */
bool nnc_json_go_on(nnc_json at);
/* Notes the error "out of memory", at most once for a file. Always returns false, so that a function can end with
 * `return nnc_faults_no_memory(...)`. */
bool nnc_faults_no_memory(nnc_faults *faults);
void nnc_faults_note(nnc_faults *faults, const nnc_error *fault);

/* ---- JSON objects that are read into structs by field tables ---- */

/* Reads a JSON value into a field of the struct `object`. If the field does not accept the value, notes an error. */
void nnc_read_field(nnc_json at, const nnc_field *field, void *object);
/* Reads the members of a JSON object into a struct, by a field table. Errors: a required key is missing, a key is
 * unknown, or a value is wrong. Keys in the list `others` (NULL ends the list) are allowed but not read; the caller
 * reads them. The key "note" is allowed in every object. The key "same_as" is allowed if the list `others` is NULL. */
void nnc_read_object(nnc_json at, const nnc_field_table *table, const char *const *others, void *object);
/* Reads a list of objects into an array of structs of `size` bytes. Before an object is read, all fields of its struct
 * are set to their defaults in the field table. The array is allocated in the arena. If the list is absent, returns
 * NULL and sets *count to 0. If the value is not a list, the function also notes an error. */
void *nnc_read_objects(nnc_json at, const nnc_field_table *table, const char *const *others, size_t size,
                       int32_t *count);

/* Checks the whole-number fields of a struct that was not read from a file. Each value must be within the limits of its
 * field; 0 is also valid if the field is not required. If the input is not valid, notes an error and returns false. */
bool nnc_check_ranges(nnc_json at, const nnc_field_table *table, const void *object);
/* Notes the error that an object may not have the key of `at`: "unknown key, expected one of the device's keys, perhaps
 * ..., found ...". */
void nnc_refuse_unknown(nnc_json at, const nnc_field_table *table, const char *const *others);

/* Returns a copy, allocated in the arena, of a JSON string. NULL = the value is absent, or it is not a string and an
 * error was noted. */
const char *nnc_read_text(nnc_json at);
/* Reads a list of JSON strings. If the list is absent, sets *count to 0. */
void nnc_read_texts(nnc_json at, const char *const **texts, int32_t *count);
/* Reads the object "sources" of a file. Each key of "sources" names fields of the file, and the value of the key is a
 * string, or a list of strings, that names the source of these fields. */
void nnc_read_sources(nnc_json root, const nnc_field_table *table, const char *const *others,
                      const nnc_source **sources, int32_t *count);
/* Adds the value of each "fitted_on" inside the member `key` of the root to *sources. The key of each new source is the
 * dotted name of the object that contains the "fitted_on". */
void nnc_read_fitted(nnc_json root, const char *key, const nnc_source **sources, int32_t *count);

/* nnc_read_schema checks that "schema" is equal to `schema`. nnc_read_id checks that "id" can be a file name and equals
 * `stem` (NULL = "id" may have any value). nnc_read_identity checks "schema" and "id". */
void nnc_read_identity(nnc_json root, const char *schema, const char *stem);
void nnc_read_schema(nnc_json root, const char *schema);
void nnc_read_id(nnc_json root, const char *stem);
/* Copies the id to `name` if `name` is empty. */
void nnc_name_by_id(char *name, size_t size, const char *id);

/* Type of a function that nnc_record_read calls before it reads a metric. If the function returns true, it has read
 * `value` itself, and nnc_record_read skips the metric. `value` may be absent. record: the struct to which the metric
 * belongs. */
typedef bool nnc_record_take(nnc_json object, const nnc_metric *row, nnc_json value, void *record);

/* Reads a recorded result into `record`: the members that a table of metrics lists, in the order of the table. Before
 * the call, all bytes of the record must be 0, except pointers to other records, which must be set. Texts and lists are
 * allocated in the arena of the document. Members that are computed from other members are skipped. A number that is
 * null becomes NaN; for an object that is null, nothing is written. A wrong value is an error. A missing member is an
 * error if the values that were read before it require this member. */
void nnc_record_read(nnc_json object, const nnc_metrics *metrics, void *record, nnc_record_take *take);

/* ---- kinds of spec: device, model, software profile ---- */

/* Type of a function that reads a spec of one kind into its struct. stem: the id that the file must state; NULL = the
 * file may state any id. */
typedef void nnc_spec_read_fn(nnc_json root, const char *stem, void *spec);
nnc_spec_read_fn nnc_device_read, nnc_model_read, nnc_software_read;

typedef struct nnc_spec_info {
    /* what: name of a spec of this kind in messages ("device"); plural: the plural of `what`, for `nncost list` */
    const char *what, *plural;
    /* name of the subfolder of a data folder that has the files of this kind, such as "hw" */
    const char *folder;
    /* name of the command-line argument that takes the id of a spec of this kind; errors about a wrong id contain it */
    const char *argument;
    const char *schema;
    size_t size;
    size_t path_offset;
    bool has_aliases;
    nnc_spec_read_fn *read;
} nnc_spec_info;
extern const nnc_spec_info nnc_spec_kinds[NNC_SPEC_KIND_COUNT];

extern const nnc_field_table nnc_device_table, nnc_price_table, nnc_cluster_table, nnc_framework_table, nnc_track_table,
    nnc_range_table;

/* Returns the kind of spec that the key "schema" of a file names; for a configuration of another program, the kind is
 * model. If the schema is of no known kind, notes an error and returns NNC_SPEC_KIND_COUNT. */
nnc_spec_kind nnc_spec_kind_of(nnc_json root);

/* Completes a parsed document by nnc_spec_complete (references, inherited values), and then reads it into the struct
 * *out of its kind. */
void nnc_spec_read_open(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind, const char *stem, void *out);
/* Parses a text and reads it into the struct *out of its kind. The text must have a NUL at text[size]. */
nnc_status nnc_spec_read(nnc_specs *specs, nnc_spec_kind kind, const char *stem, const char *text, size_t size,
                         nnc_faults *faults, void *out);
/* Reads a spec from a file into a struct, which is allocated in the arena, and stores the path of the file in this
 * struct. */
nnc_status nnc_spec_load(nnc_specs *specs, nnc_spec_kind kind, const char *path, const void **out, nnc_error *err);

enum { NNC_STEM_MAX = 256 };
/* Writes the stem of a path: "hw/h100.json" -> "h100". If `config` is true and the file is a config.json, writes the
 * name of the file's folder instead of the stem. */
void nnc_spec_stem(const char *path, bool config, char *stem, size_t size);
/* Returns the id that a file must state. In folders where files are found by their id (hw/, models/ ...), the id is the
 * name of the file without its ending. NULL = the file may state any id, because it is in another folder or is a
 * pipe. */
const char *nnc_spec_required_id(const char *path, char stem[NNC_STEM_MAX]);

/* Computes the digest of the content of a spec file, including inherited values. The order of keys, notes and sources
 * do not change the digest. */
nnc_status nnc_spec_digest(nnc_specs *specs, const char *path, uint64_t *digest, nnc_error *err);

/* ---- images.c: shipped files as structs, values of shipped documents ---- */

/* The texts to which all images refer. Equal texts are stored once; the hash table `slots` finds them. */
typedef struct nnc_image_texts {
    nnc_buffer bytes;
    uint32_t *slots; /* 1 + the offset of a text in `bytes`; 0 = the slot is free */
    size_t slot_count, count;
} nnc_image_texts;

void nnc_image_texts_free(nnc_image_texts *texts);

/* Returns the digest of a text, which is used to find the image of a file, or a key in a table. The function reads
 * eight bytes at a time, so the digest depends on the byte order of the machine; the digest of nnc_digest_bytes does
 * not. */
uint64_t nnc_quick_digest(const char *text, size_t size);
/* Appends the image of a spec to `out` and its texts to `texts`. likes, digests: ids and digests of the `count` files
 * in its chain of "like" keys. Returns false when out of memory. */
bool nnc_image_write(nnc_specs *specs, nnc_spec_kind kind, const void *spec, const char *const *likes,
                     const uint64_t *digests, int count, nnc_buffer *out, nnc_image_texts *texts);
/* Appends the image of a parsed document to `out`: its values, and the index, an array of `count` words. Returns false
 * if memory ran out. */
bool nnc_image_write_document(const nnc_json_doc *doc, const uint64_t *index, size_t count, nnc_buffer *out,
                              nnc_image_texts *texts);
/* If an image was made from the text of a document, the document uses the values of the image, without parsing. Returns
 * false if no image was made from the text of the document. */
bool nnc_image_open(const uint64_t *images, nnc_json_doc *doc);
/* Fills a struct that is all 0 from the image of a file (the struct that was made from the file at build time), instead
 * of parsing the file. text: the present content of the file. Returns false, with the struct all 0, if no image belongs
 * to this text, or if a file in its chain of "like" keys has changed. stem: the id that the file must state; NULL = the
 * file may state any id. */
bool nnc_image_read(nnc_specs *specs, const uint64_t *images, nnc_spec_kind kind, const char *stem, const char *text,
                    size_t size, void *spec);

/* ---- the set of loaded specs ---- */

/* Sets the images of shipped files. If the text of a file has not changed since its image was made, the image is read
 * instead of the file; NULL = no images. */
void nnc_specs_set_images(nnc_specs *specs, const uint64_t *images);
/* Opens a document. Uses the image of the document's text; without an image, parses the text as nnc_json_parse does. */
bool nnc_specs_parse(nnc_specs *specs, nnc_json_doc *doc);
nnc_arena *nnc_specs_arena(nnc_specs *specs);
bool nnc_specs_are_lenient(const nnc_specs *specs);
/* Sets *folders to the paths of the data folders, and returns their number. */
int nnc_specs_folders(const nnc_specs *specs, const char *const **folders);
/* nnc_specs_marks returns a text that lists the implausible inputs of the current command; "" = all inputs are
 * plausible. nnc_specs_mark adds an input to this text. */
const char *nnc_specs_marks(const nnc_specs *specs);
void nnc_specs_mark(nnc_specs *specs, const char *text);

/* NNC_IMPLAUSIBLE_TEXT: bytes of the buffer for the reason why a device or profile is not plausible.
 * nnc_device_is_plausible and nnc_software_is_plausible test relations between values that hold for all real devices
 * and software profiles. If a relation is not true, the functions return false and write the fields, the expected range
 * and the value to `text`. */
enum { NNC_IMPLAUSIBLE_TEXT = 200 };
bool nnc_device_is_plausible(const nnc_device *device, char *text, size_t size);
bool nnc_software_is_plausible(const nnc_software *software, char *text, size_t size);

/* Makes a model from a text "ID FIELD=VALUE FIELD=VALUE ...". The model is a copy of the shipped model ID with some
 * changed fields, and with the name `name`. */
nnc_status nnc_model_make(nnc_specs *specs, const char *text, const char *name, nnc_model **model, nnc_error *err);
/* Reads how many seconds a host needs to issue one kernel. id: the host, a file in the folder hosts/ of a data
 * folder. */
nnc_status nnc_host_kernel_s(nnc_specs *specs, const char *id, double *kernel_s, nnc_error *err);
/* Type of a function that reads a launch file. A scenario can name a launch file as its model: the function then adds
 * the settings of the file to `given`, an nnc_scenario_args, and replaces *model. If *model is not a launch file, the
 * function changes nothing. The reader of launch files is in src/launch, which src/input must not call; so each program
 * that reads launch files stores the function here. */
typedef nnc_status nnc_model_reader(nnc_specs *specs, const char *device, const char **model, void *given,
                                    nnc_error *err);
nnc_model_reader **nnc_specs_model_reader(nnc_specs *specs);

/* Sets timm as the library of a shipped vision network that the user names by its id or an alias, if a library of
 * vision models has this network ("resnet-50" is "resnet50" of torchvision). With timm as its library, a network has
 * the same estimate under all of its names. nnc_model_load does not call this function: a network that is a part of
 * another network has no library of its own. */
nnc_status nnc_specs_take_library(nnc_specs *specs, const char *asked, nnc_model *model, nnc_error *err);
/* nnc_specs_set_implementation stores the library that the user names with --implementation.
 * nnc_specs_take_implementation sets the stored library in a model; without the option, it leaves the model
 * unchanged. */
nnc_status nnc_specs_set_implementation(nnc_specs *specs, const char *name, nnc_error *err);
void nnc_specs_take_implementation(const nnc_specs *specs, nnc_model *model);
/* Sets the library that runs a model, and the fields of the model that depend on the operators of this library. */
void nnc_implementation_take(nnc_implementation by, nnc_model *model);
/* Type of a function that looks a name up in a JSON document of the data folders and writes the answer to *found. */
typedef nnc_status nnc_look(nnc_specs *specs, nnc_json root, const char *name, void *found, nnc_error *err);
/* Reads a JSON document of the data folders, such as "hub/names.json", once, and passes the document to the function
 * look_in. Leaves *found as it is if no folder has the file. */
nnc_status nnc_specs_look(nnc_specs *specs, const char *file, nnc_look *look_in, const char *name, void *found,
                          nnc_error *err);

/* Reads a file as nnc_file_read does; "-" is standard input. Stores the content of a pipe in `specs`, because a pipe
 * can be read only once. */
nnc_status nnc_specs_read(nnc_specs *specs, const char *path, char **text, size_t *size, nnc_error *err);

/* Finds the file of a spec by its id or alias. Returns NNC_UNKNOWN_ID if no data folder has a file for the id; err then
 * names the most similar id. */
nnc_status nnc_specs_find(nnc_specs *specs, nnc_spec_kind kind, const char *id, const char **path, nnc_error *err);
/* Finds a file that is not a spec by its id or alias. `info` names the subfolder of the data folders that is
 * searched. */
nnc_status nnc_specs_find_like(nnc_specs *specs, const nnc_spec_info *info, const char *id, const char **path,
                               nnc_error *err);
/* Finds a file by its path relative to a data folder, such as "grid/regions.json". If no data folder has the file,
 * *path stays NULL. */
nnc_status nnc_specs_file(nnc_specs *specs, const char *name, const char **path, nnc_error *err);
/* Finds the file with the dimensions of a model that the user names by a path. For a folder, the file is its
 * config.json, or, if the folder has a diffusers pipeline, the config.json in the subfolder of the network. For the
 * model_index.json of a pipeline, the file is the config.json of the network of the pipeline. For a path to a file with
 * another name, the result is the file itself. For a name of the Hugging Face hub, *path is NULL. */
nnc_status nnc_place_of_model(nnc_specs *specs, const char *asked, const char **path, nnc_error *err);

/* The struct nnc_library describes the library that runs a model (`by`), with three properties of its code.
 * composed_gelu = true: the library computes GELU from several pointwise ops. joined_qkv = true: one product computes
 * queries, keys and values, and one computes gate and up matrices. split_gate = true: with joined_qkv, separate
 * products compute gate and up matrices.
 *
 * nnc_foreign_library returns the library of a published configuration. If no key of the configuration names a library,
 * the result is transformers. nnc_library_set sets the library of a model. */
typedef struct nnc_library {
    nnc_implementation by;
    bool composed_gelu, joined_qkv, split_gate;
} nnc_library;
nnc_library nnc_foreign_library(nnc_json root);
void nnc_library_set(const nnc_library *library, nnc_model *model);

/* Result of looking up a name of the Hugging Face hub in the table hub/names.json. */
typedef struct nnc_hub_name {
    /* path of the file with the dimensions of the network; NULL = the table does not have the name */
    const char *path;
    const char *shape; /* id of the file with the dimensions of the network */
    /* publication of the configuration; NULL = the dimensions come from a file of the folder models/ */
    const char *source;
    /* format of weights that the name contains, such as "int4"; NULL = the name contains no format */
    const char *stored;
    const char *nearest; /* if the table does not have the name: the most similar name; NULL = no name is similar */
    nnc_library library; /* library of the published configuration */
} nnc_hub_name;
nnc_status nnc_hub_find(nnc_specs *specs, const char *name, nnc_hub_name *hub, nnc_error *err);
/* Writes the index of a table of hub names to `words`, at most `most` words; the image of the table stores this index.
 * Returns the number of words; 0 = the index is not written. */
size_t nnc_hub_index(nnc_json table, uint64_t *words, size_t most);
/* Sets *name to the name that the shipped model `id` usually has on the Hugging Face hub. If `id` is not the id of a
 * shipped model, sets *name to `id`. */
nnc_status nnc_hub_usual(nnc_specs *specs, const char *id, const char **name, nnc_error *err);
/* Adds a note to a model that was found by its name on the Hugging Face hub. The note has the id of the file with the
 * dimensions of the model, and the source of this file. */
nnc_status nnc_hub_tell(nnc_specs *specs, const char *asked, const nnc_hub_name *hub, nnc_model *model, nnc_error *err);

/* Largest number of files in a chain of "like" keys (each file inherits from the next). */
enum { NNC_LIKE_MAX = 4 };
/* nnc_specs_begin_like notes that the file `name` is being read and waits for the file that its key "like" names. The
 * function returns false if too many files are being read. nnc_specs_end_like removes the note. */
bool nnc_specs_begin_like(nnc_specs *specs, const char *name);
void nnc_specs_end_like(nnc_specs *specs);
/* Tests whether the file `path` is being read and waits for the file that its key "like" names. If the file that is
 * read now names `path` by its key "like", the chain of "like" keys is a circle. */
bool nnc_specs_is_reading(const nnc_specs *specs, const char *path);

/* Completes a document before it is read. Replaces "@key" by the texts of "references". Adds the values that the
 * document inherits from the file that its key "like" names; with the kind NNC_SPEC_KIND_COUNT, the document inherits
 * nothing. Completes objects with the key "same_as". Marks inherited values. Returns false when an error was noted; the
 * document must not be read then. */
bool nnc_spec_complete(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind);

/* The files of a chain of "like" keys (the key "like" of each file names the next file). The chain is used to find out
 * which file sets a field. */
typedef struct nnc_lineage nnc_lineage;
/* Opens the chain that begins with the file `path`. Sets *lineage to NULL if the file has no key "like", or if path is
 * NULL. */
nnc_status nnc_lineage_open(nnc_specs *specs, nnc_spec_kind kind, const char *path, nnc_lineage **lineage,
                            nnc_error *err);
void nnc_lineage_close(nnc_lineage *lineage);
/* Returns the id of the first file in the chain that sets the field with the dotted name `dotted`; NULL = no file of
 * the chain sets the field. */
const char *nnc_lineage_of(const nnc_lineage *lineage, const char *dotted);

/* ---- data folders: used by the set of specs ---- */

typedef struct nnc_id_list { /* A list of ids, allocated in the arena; { 0 } is an empty list. */
    const char **ids;
    int32_t count, capacity;
} nnc_id_list;

typedef struct nnc_folders {
    nnc_arena *arena;
    /* paths of the data folders. If several folders have a file, the file in the first of these folders is used */
    const char **paths;
    int count;
    /* first error of the operating system while the folders were searched; status NNC_OK = no error */
    nnc_error trouble;
    /* Content of the file `text_of`, in which an alias was found last. nnc_specs_take_text passes the content on, so
     * that the file is not read twice. NULL = no content is stored. */
    char *text;
    const char *text_of;
    size_t text_size;
} nnc_folders;

/* Makes the list of data folders: those in $NNCOST_PATH, the user's own folder, and data_path unless data_path is NULL.
 * Returns false if memory ran out. */
bool nnc_folders_open(nnc_folders *folders, const char *data_path);
/* If the operating system reported an error while folders or files were read, writes the first error to *err and
 * returns NNC_IO; else returns NNC_OK. */
nnc_status nnc_folders_trouble(const nnc_folders *folders, nnc_error *err);
/* Lists the ids of all specs of one kind in all data folders, in alphabetical order and each id once. Returns false if
 * memory ran out. */
bool nnc_folders_list(nnc_folders *folders, nnc_spec_kind kind, nnc_id_list *list);
/* Lists the ids of all files in the subfolder `folder` (for example "foreign") of all data folders, in alphabetical
 * order and each id once. Returns false if memory ran out. */
bool nnc_folders_list_folder(nnc_folders *folders, const char *folder, nnc_id_list *list);
bool nnc_specs_list_folder(nnc_specs *specs, const char *folder, nnc_id_list *list);
/* Finds the file of a spec by its id or alias. If no data folder has the file of the spec, *path stays NULL. */
nnc_status nnc_folders_id(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char **path, nnc_error *err);
/* Reports an id for which no data folder has a file. If a spec of another kind has the id, the error names this kind.
 * near: a name, such as a hub name, that the error suggests if no id of the kind is similar; NULL = there is no such
 * name. Returns NNC_UNKNOWN_ID, or the error that stopped the search. */
nnc_status nnc_folders_unknown(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char *near,
                               nnc_error *err);
/* Returns the alias of a shipped file that is most similar to an unknown id; NULL = no alias is similar. */
const char *nnc_folders_nearest_alias(nnc_folders *folders, const nnc_spec_info *info, const char *id);
const char *nnc_specs_nearest_alias(nnc_specs *specs, nnc_spec_kind kind, const char *id);
/* nnc_folders_find finds the file of a spec by its id or alias. nnc_folders_find_like finds a file that is not a spec
 * by its id or alias. If no data folder has a file with the name, nnc_folders_find and nnc_folders_find_like return
 * NNC_UNKNOWN_ID, and err names the most similar id. */
nnc_status nnc_folders_find(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char **path,
                            nnc_error *err);
nnc_status nnc_folders_find_like(nnc_folders *folders, const nnc_spec_info *info, const char *id, const char **path,
                                 nnc_error *err);
/* Path of the device "." (this machine) if no data folder has measurements of the machine. The path is a command;
 * nncost reads the output of this command in place of a file. */
#define NNC_THIS_MACHINE "nvidia-smi -q -x"
/* Runs nvidia-smi, which describes the GPUs of this machine, and returns its output in *text. The caller frees the
 * text. Returns NNC_UNKNOWN_ID if nvidia-smi is not installed. */
nnc_status nnc_machine_ask(char **text, size_t *size, nnc_error *err);
/* Tests whether a text describes a machine: it is XML of nvidia-smi or of hwloc, or the matrix of links that
 * `nvidia-smi topo -m` prints. */
bool nnc_is_machine(const char *text);
/* Converts the XML of nvidia-smi or hwloc to the text of a device file. Returns NNC_BAD_SPEC if the XML names no GPU,
 * or GPUs of different products. */
nnc_status nnc_machine_json(const char *name, const char *text, nnc_buffer *json, nnc_error *err);
/* Finds a file by its path relative to a data folder. If several data folders have the file, the first of them is used.
 * If no data folder has the file, *path is NULL. */
nnc_status nnc_folders_file(nnc_folders *folders, const char *name, const char **path, nnc_error *err);

/* The content of a pipe, or of a file that was converted to another format; the content is stored together with the
 * specs. */
typedef struct nnc_piped {
    const struct nnc_piped *next;
    const char *path;
    char *text; /* the stored content, allocated in the arena */
    size_t size;
} nnc_piped;
const nnc_piped **nnc_specs_piped(nnc_specs *specs);
/* If `path` is the file in which an alias was found last, passes its content to the caller (*text, *size) and returns
 * true; for other files, returns false. */
bool nnc_specs_take_text(nnc_specs *specs, const char *path, char **text, size_t *size);
/* Returns the stored content of a pipe or converted file with the path `path`; NULL = no content is stored, and the
 * path is read from disk. */
const nnc_piped *nnc_specs_kept(nnc_specs *specs, const char *path);
/* Stores copies of `path` and `text` in `specs`. After the call, nnc_specs_read returns the stored text for this
 * path. */
nnc_status nnc_specs_keep(nnc_specs *specs, const char *path, const char *text, size_t size, nnc_error *err);

/* The aliases of all files that are shipped with nncost, as lines such as "hw/h100=h100-sxm5-80gb"
 * (folder/alias=id). */
extern const char nnc_shipped_aliases[];

/* ---- devices, clusters, catalogues ---- */

/* NNC_EFFICIENCIES_FIELDS: number of rows of the field table of efficiencies. nnc_efficiencies_neutral sets every
 * efficiency to its neutral value: fractions 1, fixed times 0, no tiles. With neutral efficiencies, times are computed
 * from the datasheet alone. */
enum { NNC_EFFICIENCIES_FIELDS = 15 };
extern const nnc_field nnc_efficiencies_fields[NNC_EFFICIENCIES_FIELDS];
void nnc_efficiencies_neutral(nnc_efficiencies *e);

/* nnc_is_cluster tests whether a document is a cluster file. nnc_cluster_read_open replaces the links of a device by
 * the links of the cluster file. If the file is not valid, errors are noted and the device must not be used. */
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

/* nnc_model_table returns the table of fields of a family of models; the fields that all families have come first.
 * nnc_model_table_of returns the table of fields of one model; a model of the graph family has its own fields. */
const nnc_field_table *nnc_model_table(nnc_family family);
const nnc_field_table *nnc_model_table_of(const nnc_model *model);

void nnc_model_rules(nnc_json at, const nnc_model *model);

/* The entry of a family of models: its fields, and the functions that complete and check a model. */
typedef struct nnc_family_fields {
    nnc_field_table table;
    /* called before the members of a model are read: sets the defaults that are not 0; NULL = all defaults are 0 */
    void (*begin)(nnc_model *model);
    /* called after the members of a model were read: sets those defaults that depend on other members */
    void (*complete)(nnc_json root, nnc_model *model);
    /* called last: checks rules between the fields of a model */
    void (*rules)(nnc_json at, const nnc_model *model);
    /* keys that a file of this family may have in addition to the fields (NULL ends the list); NULL = only the keys
     * that files of all families may have */
    const char *const *keys;
} nnc_family_fields;

#define NNC_FAMILY_FIELDS(name, text, help, row) extern const nnc_family_fields nnc_##row##_fields;
NNC_FAMILY_LIST(NNC_FAMILY_FIELDS)
#undef NNC_FAMILY_FIELDS

const nnc_family_fields *nnc_family_fields_of(nnc_family family);

/* Limits of the dimensions of a model. No real network reaches the limits. The product of two dimensions below the
 * limits cannot overflow. */
#define NNC_LAYERS_MAX 1e5
#define NNC_WIDTH_MAX 1e7
#define NNC_VOCAB_MAX 1e9
#define NNC_TOKENS_MAX 1e9
#define NNC_SIDE_MAX 1e6

/* Fields that models of every family have. The common fields are the first rows of the field table of each family. */
/* clang-format off */
#define NNC_COMMON_FIELDS                                                                    \
    { NNC_FIELD(nnc_model, id), .required = true,                                            \
      .help = "Name of the file without \".json\"; the command line uses this name." },              \
    { NNC_FIELD(nnc_model, name), .default_text = "id", .help = "Full name of the model." },           \
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

/* nnc_is_foreign tests whether a document is a configuration of another program. nnc_foreign_read reads such a document
 * into a model, but does not set fields that depend on other fields, nor model->id. nnc_foreign_read returns false when
 * an error was noted. */
bool nnc_is_foreign(nnc_json root);
bool nnc_foreign_read(nnc_json root, nnc_model *model);

/* NNC_CAPTURE_SCHEMA: value of "schema" in the file of a captured program. nnc_is_capture tests whether a document has
 * this schema. nnc_capture_read reads such a document into a model, without its id. asked: modules that the user
 * freezes, trains or checkpoints differently from the recorded step; NULL = the step stays as it was recorded. */
#define NNC_CAPTURE_SCHEMA "nncost.capture/1"
#ifdef __wasi__ /* the browser page is built without the reader of captured programs, to keep the page small */
enum { NNC_READS_CAPTURES = false };
#else
enum { NNC_READS_CAPTURES = true };
#endif
bool nnc_is_capture(nnc_json root);
/* Modules of a captured program that the user freezes, trains or checkpoints differently from the recorded step. Each
 * text has patterns of module paths, joined by commas; NULL = the option was not given. */
typedef struct nnc_modules {
    const char *train;     /* modules whose parameters are trained; the parameters of every module that this text does
                            * not name are frozen */
    const char *frozen;    /* modules whose parameters are frozen */
    const char *recompute; /* modules that keep only their inputs for backward; backward runs these modules again */
} nnc_modules;
void nnc_capture_read(nnc_json root, const nnc_modules *asked, nnc_model *model);
/* Reads the file of a captured program a second time, and changes the modules that `asked` names. model: a copy of the
 * recorded model; the function changes this copy. If an option is wrong, err->where is this option. */
nnc_status nnc_capture_ask(nnc_specs *specs, const nnc_modules *asked, nnc_model *model, nnc_error *err);

/* The names that an expression of a graph file may use: names of lets, and names of macro arguments. */
typedef struct nnc_expr_scope {
    const char *const *lets;
    int32_t let_count;
    const char *const *args; /* names of the arguments of the macro that contains the expression */
    int32_t arg_count;
} nnc_expr_scope;

/* Reads the network of a graph file into a model, and makes the table of fields that this model has. */
void nnc_graph_take(nnc_json root, nnc_model *model);
/* Adds a tower to a model. at: the object of the file with the network of the tower. Notes an error if the ops of the
 * tower do not fit together. */
void nnc_graph_tower(nnc_json at, nnc_model *model);

/* These functions scale a model after --set hidden=N.
 * nnc_scale_dims_record stores the dimensions of the model file.
 * nnc_scale_dims_follow is called after `field` was set. nnc_scale_dims_follow multiplies each dimension that the user
 * has not set by (new hidden / old hidden). The number of heads changes, and the width of a head stays the same.
 * nnc_scale_dims_check notes an error for each dimension that is not a whole number.
 * nnc_scale_dims_text writes the dimensions that changed, such as "heads=20, ffn_hidden=5120", or "" if none has
 * changed. */
void nnc_scale_dims_record(nnc_model *model);
void nnc_scale_dims_follow(nnc_model *model, const char *field);
void nnc_scale_dims_check(nnc_json at, const nnc_model *model);
void nnc_scale_dims_text(const nnc_model *model, char *text, size_t size);

/* ---- software profiles ---- */

/* Profiles that are used when the user names no profile: one for training steps, and one for serving engines. */
#define NNC_SOFTWARE_DEFAULT "torch-compile"
#define NNC_SERVE_SOFTWARE "vllm"
/* Value of --software for which every plan uses the default profile of its kind. With --software any, a search may also
 * use options that no profile supports. */
#define NNC_SOFTWARE_ANY "any"

/* Tests whether nncost chooses the profile for each plan. The result is true if the user names no profile (asked NULL)
 * or NNC_SOFTWARE_ANY. */
bool nnc_software_is_chosen(const char *asked);
/* Loads the software profiles. If `asked` names a profile, this profile is used for all kinds of plan; else each kind
 * of plan gets its default profile. */
nnc_status nnc_profiles_asked(nnc_specs *specs, const char *asked, nnc_profiles *profiles, nnc_error *err);
/* Loads the default profile of one kind of plan (nnc_profile_kind). */
nnc_status nnc_profile_load(nnc_specs *specs, nnc_profile_kind kind, const nnc_software **software, nnc_error *err);
/* Loads the profile `asked`. If `asked` is NULL, loads the default profile: from its file, or, if no data folder has
 * the file, from values in the program. */
nnc_status nnc_software_asked(nnc_specs *specs, const char *asked, nnc_software *software, nnc_error *err);

/* ---- software.c: releases of frameworks ---- */

/* Request for the release of a framework. The request names the release in one of three ways: by a software profile, by
 * words such as "NeMo 25.11", or by framework and version. If a release has several entries, the ids of device and
 * model and the family of the model select one entry. */
typedef struct nnc_release_ask {
    const char *words;
    const nnc_software *software;
    const char *framework, *version;
    const char *device, *model, *family;
} nnc_release_ask;

/* Result of the search for a release; entry NULL = no release was found. */
typedef struct nnc_release {
    const nnc_software *software;
    const nnc_framework *entry;
    const char *version; /* version that the user has named; "" = the user has named no version */
    /* number of characters of the framework's name that the user has given; 1 if the user has named a profile
     * instead */
    size_t named;
    int met; /* number of characters in the conditions (device, model, family) of the entry; more characters
              * = a more specific entry */
} nnc_release;

/* Function that tells whether the user has given a field of a plan, so that a release sets only fields that the user
 * has not given. in: pointer that is passed to the function `is`. */
typedef struct nnc_given {
    bool (*is)(const void *in, const char *field);
    const void *in;
} nnc_given;

extern const nnc_field_table nnc_recipe_table;

/* Finds the entry of a release that matches a request best. The first criterion of the match is the length of the
 * matching name of a framework. The second criterion is the version: the newest release that is not newer than the
 * requested version wins. The third criterion is the number of characters in the conditions: more specific conditions
 * win. */
nnc_status nnc_release_find(nnc_specs *specs, const nnc_release_ask *ask, nnc_release *release, nnc_error *err);
/* Tests two conditions: the release was found by the name of its framework, without a version, and its entry describes
 * the framework on one kind of hardware. An example is MaxText on GPUs. A release for one kind of hardware has
 * precedence over a profile with the name of the framework. */
bool nnc_release_of_hardware(const nnc_release *release);
/* nnc_release_fill sets those fields that neither the plan nor the model gives. nnc_release_switch sets switches of the
 * profile by the list "recipes" of its file: each entry lists its releases, devices, models, precisions and
 * formats of frozen weights. */
void nnc_release_fill(const nnc_framework *f, const nnc_given *given, nnc_model *model, nnc_plan *plan);
/* Fields of a plan that nnc_release_fill computes from other fields of the plan; NULL ends the list. A search chooses
 * the values of these computed fields, even if the release has values for them. */
extern const char *const nnc_released_fields[];
nnc_status nnc_release_switch(const nnc_release *release, const nnc_release_ask *ask, const nnc_plan *plan,
                              nnc_software *software, nnc_error *err);

#endif
