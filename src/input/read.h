/* Writing field tables, and reading objects by them. */
#ifndef NNCOST_INPUT_READ_H
#define NNCOST_INPUT_READ_H

#include "input/field.h"
#include "input/json.h"

/* Name, offset, size and type of a member, so that a mistyped one does not compile. An enum is an
 * unsigned int to both compilers; int32_t arrays and the like are lists. */
#define NNC_FIELD_TYPE_OF(member) \
    _Generic((member),                      \
        bool: NNC_FIELD_BOOL,               \
        int32_t: NNC_FIELD_I32,             \
        int64_t: NNC_FIELD_I64,             \
        double: NNC_FIELD_F64,              \
        unsigned: NNC_FIELD_ENUM,           \
        char *: NNC_FIELD_TEXT,             \
        double *: NNC_FIELD_RATES,          \
        int32_t *: NNC_FIELD_I32_LIST,      \
        int64_t *: NNC_FIELD_I64_LIST,      \
        bool *: NNC_FIELD_BOOL_LIST,        \
        unsigned *: NNC_FIELD_ENUM_LIST)

/* Of a type given in full, for members whose C type does not tell. */
#define NNC_FIELD_AS(field_type, owner, member)                               \
    .name = #member, .type = (field_type), .offset = offsetof(owner, member), \
    .size = sizeof(((owner *)0)->member)

#define NNC_FIELD(owner, member) \
    NNC_FIELD_AS(NNC_FIELD_TYPE_OF(((owner *)0)->member), owner, member)

/* A member of a struct inside owner, known by its own name alone. */
/* NOLINTBEGIN(bugprone-macro-parentheses): the name of a member takes none */
#define NNC_FIELD_IN(owner, inner, member)                                  \
    .name = #member, .type = NNC_FIELD_TYPE_OF(((owner *)0)->inner.member), \
    .offset = offsetof(owner, inner.member), .size = sizeof(((owner *)0)->inner.member)
/* NOLINTEND(bugprone-macro-parentheses) */

/* How many of a list's places are in use. */
#define NNC_FIELD_COUNTED(owner, list, count) \
    .count_offset = offsetof(owner, count),   \
    .capacity = (int32_t)(sizeof(((owner *)0)->list) / sizeof(((owner *)0)->list[0]))

/* An enumeration: its type, and the number of its values. */
#define NNC_FIELD_NAMES(type, values) .names = { type##_name, (values) }, .help_of = type##_help

#define NNC_FIELD_TABLE(list) .fields = (list), .field_count = sizeof(list) / sizeof((list)[0])

/* What a text field without room means: accepted in the file, read by people only. */
#define NNC_FIELD_COMMENT(key) .name = (key), .type = NNC_FIELD_TEXT

/* What is wrong with a number for a field, "out of range" and the side it should be on in
 * `expected`; NULL = nothing. */
const char *nnc_field_refuse(const nnc_field *field, double value, char *expected, size_t size);
/* Writes a number that suits the field to place number `index` of its value (0 unless a list). */
void nnc_field_store(const nnc_field *field, void *place, int index, double value);
/* The type of a list's elements; any other type as it is. */
nnc_field_type nnc_field_element(nnc_field_type type);

/* Reads a value into a field of an object; faults where it does not suit. */
void nnc_read_field(nnc_json at, const nnc_field *field, void *object);
/* Reads the members of an object that the table names; faults for a missing required key, an
 * unknown one, and every value that does not suit. Keys in `others` (ends with NULL) are the
 * caller's to read; "note" is accepted everywhere, "same_as" where there are no others. */
void nnc_read_object(nnc_json at, const nnc_field_table *table, const char *const *others,
                     void *object);

/* A list of objects, each read like that into an array of structs that begin as `unsaid`. In the arena;
 * NULL with *count 0 when absent or, with a fault, when it is no list. */
void *nnc_read_objects(nnc_json at, const nnc_field_table *table, const char *const *others,
                       size_t size, const void *unsaid, int32_t *count);

/* Whole numbers of an object that was filled by other means: within the table's limits, or 0 where
 * they are not required. false: a fault was noted. */
bool nnc_check_ranges(nnc_json at, const nnc_field_table *table, const void *object);
/* "unknown key, expected one of the device's keys, perhaps ..., found ..." */
void nnc_refuse_unknown(nnc_json at, const nnc_field_table *table, const char *const *others);
const nnc_field *nnc_field_of_key(const nnc_field_table *table, const char *key);
bool nnc_is_one_of(const char *key, const char *const *keys);

/* A text, copied to the arena; NULL when absent or, with a fault, when it is none. */
const char *nnc_read_text(nnc_json at);
/* A list of texts; none when absent. */
void nnc_read_texts(nnc_json at, const char *const **texts, int32_t *count);
/* The "sources" of a root object: each key names fields, each value is one text or a list. */
void nnc_read_sources(nnc_json root, const nnc_field_table *table, const char *const *others,
                      const nnc_source **sources, int32_t *count);
/* Adds to the sources what objects under a key of the root, two levels deep, say beside their fitted
 * figures: "fitted_on", under the object's dotted name. */
void nnc_read_fitted(nnc_json root, const char *key, const nnc_source **sources, int32_t *count);
#define NNC_COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

/* "schema" and "id": the schema has to be this one, the id usable as a file name and equal to stem
 * (NULL = any). */
void nnc_read_identity(nnc_json root, const char *schema, const char *stem);

#endif
