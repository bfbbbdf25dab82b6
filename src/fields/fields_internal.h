/* Field tables: one row per member of a public struct. The row is the only place that defines the name of the member
 * (in JSON, in --set, as an option, as a CSV column and in the docs), its unit, limits, default and help. The readers
 * of files and options use these rows. The functions that set defaults and check a struct use them, too.
 *
 *     field.c            finds a field by name; sets, prints, checks and initialises members
 *     software_fields.c  texts of the public enumerations and flag sets; nnc_software
 *     plan_fields.c      nnc_plan, nnc_run_ask, nnc_budget_ask, nnc_serve_ask, serving parameters
 *
 * This folder is below the core, because the core fills in and checks these structs. Tables of structs that exist only
 * in files (devices, models, clusters, prices) are in input/. */
#ifndef NNCOST_FIELDS_FIELDS_INTERNAL_H
#define NNCOST_FIELDS_FIELDS_INTERNAL_H

#include <nncost/plan.h>

#include "base/base_internal.h"

/* ---- rows ---- */

typedef enum nnc_field_type {
    NNC_FIELD_BOOL,     /* bool; JSON true/false, text on/off/true/false/1/0 */
    NNC_FIELD_I32,      /* int32_t */
    NNC_FIELD_I64,      /* int64_t */
    NNC_FIELD_F64,      /* double; NaN = not recorded */
    NNC_FIELD_ENUM,     /* an enum (the size of int), read and written by the names of its values */
    NNC_FIELD_TEXT,     /* char[size]; size 0: accepted in files, not stored */
    NNC_FIELD_RATES,    /* double[NNC_DTYPE_COUNT]; JSON: an object keyed by number format */
    NNC_FIELD_I32_LIST, /* int32_t[capacity] and an int32_t count at count_offset */
    NNC_FIELD_I64_LIST,
    NNC_FIELD_BOOL_LIST,
    NNC_FIELD_ENUM_LIST,
    NNC_FIELD_RECOMPUTE,      /* unsigned flags: none, selective, full, or names joined by commas */
    NNC_FIELD_TRAIN,          /* unsigned flags: all, or names joined by commas */
    NNC_FIELD_ADAPTERS,       /* unsigned flags: linear, or names joined by commas */
    NNC_FIELD_OFFLOAD,        /* unsigned flags: none, or names joined by commas */
    NNC_FIELD_OBJECT,         /* a nested struct; offsets in its table are relative to this field */
    NNC_FIELD_OBJECT_BY_DTYPE /* an array of nested structs, one per number format */
} nnc_field_type;

/* A row of a field table. Its members are ordered by size, which keeps each row small: the tables have many rows. */
typedef struct nnc_field {
    const char *name;
    uint32_t offset, size;
    nnc_field_type type : 8;
    bool above_min : 1;    /* the value must be larger than min, not equal to it */
    bool required : 1;     /* every JSON file must have the key */
    bool zero_unknown : 1; /* for a whole number: the value 0 means not recorded */
    bool rare : 1;         /* outputs list the field only when it is set */
    bool has_default : 1;  /* the field has a default: default_value */
    uint32_t field_count;  /* number of rows of a nested table */
    const char *unit;      /* unit of the value, such as "B"; NULL = a pure number */
    double min, max;       /* smallest and largest allowed value; both 0 = no limits */
    double usual; /* a typical value; it suggests the intended unit of a value out of range; 0 = no suggestion */
    double default_value;
    nnc_names names;                        /* names of the values of an enum */
    const char *(*help_of)(unsigned value); /* function that returns the help of each enumerator; NULL = the enumerators
                                             * have no help */
    uint32_t count_offset;                  /* offset of the count of a list */
    int32_t capacity;
    const struct nnc_field *fields; /* fields of a nested table */
    const char *alias;              /* second name of the option: "tp" for tensor; NULL = no second name */
    const char *default_text;       /* text of the default in help: "1", "the device file's"; NULL = no default */
    const char *help;
    const char *group; /* heading in help; NULL = the heading of the previous row */
} nnc_field;

typedef struct nnc_field_table {
    const char *what; /* what the table describes: "device" */
    const nnc_field *fields;
    size_t count;
} nnc_field_table;

#define NNC_COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

/* Sets name, offset, size and type of a member. A misspelt member does not compile. */
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

/* Sets name, offset and size of a member, with an explicit type: for members whose C type does not decide the type of
 * the field. */
#define NNC_FIELD_AS(field_type, owner, member) \
    .name = #member, .type = (field_type), .offset = offsetof(owner, member), .size = sizeof(((owner *)0)->member)

#define NNC_FIELD(owner, member) NNC_FIELD_AS(NNC_FIELD_TYPE_OF(((owner *)0)->member), owner, member)

/* Describes a member of the struct `inner`, which is a member of the struct `owner`. In files the field has the name
 * `member` alone. */
/* NOLINTBEGIN(bugprone-macro-parentheses): the name of a member takes none */
#define NNC_FIELD_IN(owner, inner, member)                                                                           \
    .name = #member, .type = NNC_FIELD_TYPE_OF(((owner *)0)->inner.member), .offset = offsetof(owner, inner.member), \
    .size = sizeof(((owner *)0)->inner.member)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Sets the offset of the count of a list, and the capacity of the list. */
#define NNC_FIELD_COUNTED(owner, list, count) \
    .count_offset = offsetof(owner, count),   \
    .capacity = (int32_t)(sizeof(((owner *)0)->list) / sizeof(((owner *)0)->list[0]))

/* Sets the enumeration of a field: the functions for names and help, and the number of values. */
#define NNC_FIELD_NAMES(type, values) .names = { type##_name, (values) }, .help_of = type##_help

#define NNC_FIELD_TABLE(list) .fields = (list), .field_count = sizeof(list) / sizeof((list)[0])

/* Describes a key whose text is for people only; the text is not stored. */
#define NNC_FIELD_COMMENT(key) .name = (key), .type = NNC_FIELD_TEXT

/* Sets the default of a member. NNC_DEFAULT: help shows the token of the macro; NNC_DEFAULT_AS: help shows another
 * text. The initial value of a member without a default means "not given": NaN for doubles, else 0. default_text then
 * names the value that is used ("the device file's"). */
#define NNC_DEFAULT(value) NNC_DEFAULT_AS(value, #value)
#define NNC_DEFAULT_AS(value, text) .has_default = true, .default_value = (value), .default_text = (text)
#define NNC_DEFAULT_ON NNC_DEFAULT_AS(1, "on")
#define NNC_DEFAULT_OFF NNC_DEFAULT_AS(0, "off")

/* Upper limits that no real device or plan reaches: FLOP/s, bytes, B/s. */
#define NNC_RATE_MAX 1e21
#define NNC_BYTES_MAX 1e15
#define NNC_LINK_MAX 1e18

extern const nnc_field_table nnc_plan_table, nnc_run_table, nnc_budget_table, nnc_serve_table, nnc_software_table,
    nnc_switch_table; /* nnc_switch_table: the fields of a software profile that are switches */

/* Lengths of the tables of serving parameters: of a device's efficiency object, and of an engine in a software
 * profile. */
enum { NNC_SERVE_EFFICIENCY_FIELDS = 11, NNC_SERVE_ENGINE_FIELDS = 29 };
extern const nnc_field nnc_serve_efficiency_fields[NNC_SERVE_EFFICIENCY_FIELDS];
extern const nnc_field nnc_serve_engine_fields[NNC_SERVE_ENGINE_FIELDS];

/* ---- using a table ---- */

/* Tests whether a field is a row of this table. */
bool nnc_field_is_of(const nnc_field_table *table, const nnc_field *field);

/* Returns the row of a table for the JSON key `key`; NULL = unknown key. */
const nnc_field *nnc_field_of_key(const nnc_field_table *table, const char *key);
/* Returns the help of the field with the JSON key `name`; NULL = unknown key. */
const char *nnc_field_help(const nnc_field_table *table, const char *name);

/* Finds the field with a dotted name; NULL = unknown. *object is the outermost struct before the call, and the struct
 * that contains the field after the call. For RATES and OBJECT_BY_DTYPE the last part of the name is a number format,
 * which is written to *dtype (else NNC_DTYPE_COUNT). */
const nnc_field *nnc_field_find(const nnc_field_table *table, const char *dotted, void **object, nnc_dtype *dtype);

/* Finds a field as nnc_field_find does. NNC_BAD_USAGE: the name is unknown; the message has the nearest name. */
nnc_status nnc_field_at(const nnc_field_table *table, const char *dotted, void **object, const nnc_field **field,
                        nnc_dtype *dtype, nnc_error *err);

/* Sets a field from text. NNC_BAD_USAGE: unknown name or bad value; err->where is the dotted name as given. */
nnc_status nnc_field_set(const nnc_field_table *table, void *object, const char *dotted, const char *value,
                         nnc_error *err);
/* Sets a field that nnc_field_find found, in the struct that nnc_field_find returned in *object. */
nnc_status nnc_field_set_found(const nnc_field *field, void *object, nnc_dtype dtype, const char *dotted,
                               const char *value, nnc_error *err);

/* Works as nnc_field_set for a field that is known. If the field is of another table, sets the field of the same name
 * in `table`. */
nnc_status nnc_field_set_known(const nnc_field_table *table, void *object, const nnc_field *field, const char *value,
                               nnc_error *err);

/* Writes the value of a field as text ("bf16", "80", "4, 8"); "-" = not recorded. */
void nnc_field_text(const nnc_field *field, const void *object, char *text, size_t size);

/* Writes the values that a field accepts: "at least 1 B", "one of flash, unfused", "a whole number from 1 to 8" ... */
void nnc_field_expected(const nnc_field *field, char *text, size_t size);

/* Sets the members of a zeroed object to their defaults. Members without a row stay unchanged. */
void nnc_fields_init(const nnc_field_table *table, void *object);

/* Checks a struct that a program filled in: every number must be within its limits, or equal to its default. prefix:
 * name of the struct in messages, "software"; NULL = messages name the option of the field. NNC_ILLEGAL_PLAN: err names
 * the first wrong field. */
nnc_status nnc_fields_check(const nnc_field_table *table, const char *prefix, const void *object, nnc_error *err);

/* NNC_OPTION_NAME: bytes of an option. nnc_option_name writes the option of a field, "--micro-batch" for
 * micro_batch. */
enum { NNC_OPTION_NAME = 40 };
char *nnc_option_name(const char *field, char text[NNC_OPTION_NAME]);

/* ---- one value ---- */

/* Returns the type of one element of a list or of RATES. Returns other types unchanged. */
nnc_field_type nnc_field_element(nnc_field_type type);
/* Returns the error in a value, such as "out of range", and writes the accepted values to `expected`; NULL = no
 * error. */
const char *nnc_field_refuse(const nnc_field *field, double value, char *expected, size_t size);
/* Stores a value in a field; if the field is a list, as its element `index`. */
void nnc_field_store(const nnc_field *field, void *place, int index, double value);

/* ---- flag sets ---- */

typedef struct nnc_flag {
    const char *name; /* name of the flag; NULL ends a list of flags */
    unsigned flag;
    bool also; /* a second name: it is read, but never printed */
} nnc_flag;

/* Lists of flags, one per field. If a flag has two names, outputs print the first; the second has `also` set. */
extern const nnc_flag nnc_recompute_flags[], nnc_offload_flags[], nnc_train_flags[], nnc_adapted_flags[];

/* Returns the list of flags for a field type; NULL = the type is not a set of flags. */
const nnc_flag *nnc_flags_of(nnc_field_type type);

/* Tests whether a text is one value of a field of flags or of a list, such as "norm,activation" or "16,20,28", and not
 * several values joined by commas. In several values the parts of one value are joined by '+', or an item is a range or
 * the name of a whole value (none, all, selective, full). Returns false for other fields. */
bool nnc_field_is_one_set(const nnc_field *field, const char *list);
/* Changes "norm+activation" to "norm,activation", the form that fields read. Drops a '+' at the end: "norm+" is one
 * value. */
void nnc_field_join(const nnc_field *field, char *value);

/* Returns the union of all flags of a list. */
unsigned nnc_flags_all(const nnc_flag *list);

/* Reads names of flags joined by commas, or the word for no flags ("none"; "all" in nnc_train_flags, "linear" in
 * nnc_adapted_flags). '-' and '_' are equal. Returns false for an unknown name. */
bool nnc_flags_read(const nnc_flag *list, const char *text, unsigned *flags);

/* Tests whether the first `length` characters of text are `name`; '-' and '_' are equal. name NULL: returns false. */
bool nnc_same_name(const char *name, const char *text, size_t length);

#endif
