/* Field tables: each row describes one member of a public struct. The row is the only place that defines the name of
 * the member (in JSON, in --set, as an option, as a CSV column and in the docs), its unit, limits, default and help.
 * The readers of files and options use these rows, and so do the functions that set defaults and check a struct.
 *
 *     field.c            finds a field by name; sets, prints, checks and initialises members
 *     software_fields.c  the table of nnc_software; texts of the public enumerations and flag sets
 *     plan_fields.c      the tables of nnc_plan, nnc_run_ask, nnc_budget_ask, nnc_serve_ask and serving parameters
 *
 * This folder is below the core, because the core fills in and checks these structs. Tables of structs that are only
 * read from files (devices, models, clusters, prices) are in src/input/. */
#ifndef NNCOST_FIELDS_FIELDS_INTERNAL_H
#define NNCOST_FIELDS_FIELDS_INTERNAL_H

#include <nncost/plan.h>

#include "base/base_internal.h"

/* ---- rows of field tables ---- */

typedef enum nnc_field_type {
    NNC_FIELD_BOOL,     /* bool; JSON: true or false; as text: on, off, true, false, 1, 0 */
    NNC_FIELD_I32,      /* int32_t */
    NNC_FIELD_I64,      /* int64_t */
    NNC_FIELD_F64,      /* double; NaN = no value was given */
    NNC_FIELD_ENUM,     /* an enum (the size of int), read and written by the names of its values */
    NNC_FIELD_TEXT,     /* char[size]; size 0: files may have the key, but its text is not stored */
    NNC_FIELD_RATES,    /* double[NNC_DTYPE_COUNT]; JSON: an object keyed by number format */
    NNC_FIELD_I32_LIST, /* int32_t[capacity]; an int32_t at count_offset holds the number of elements */
    NNC_FIELD_I64_LIST,
    NNC_FIELD_BOOL_LIST,
    NNC_FIELD_ENUM_LIST,
    NNC_FIELD_RECOMPUTE,      /* set of flags in an unsigned; text: none, selective, full, or names joined by commas */
    NNC_FIELD_TRAIN,          /* set of flags in an unsigned; text: all, or names joined by commas */
    NNC_FIELD_ADAPTERS,       /* set of flags in an unsigned; text: linear, or names joined by commas */
    NNC_FIELD_OFFLOAD,        /* set of flags in an unsigned; text: none, or names joined by commas */
    NNC_FIELD_OBJECT,         /* a nested struct; the offsets in its own field table count from the start of this
                               * struct */
    NNC_FIELD_OBJECT_BY_DTYPE /* an array of nested structs, one per number format */
} nnc_field_type;

/* A row of a field table. The members are ordered by size, so the struct has little padding: the tables have many
 * rows. */
typedef struct nnc_field {
    const char *name;
    uint32_t offset, size;
    nnc_field_type type : 8;
    bool above_min : 1;    /* true: the value must be larger than `min`; a value equal to `min` is refused */
    bool required : 1;     /* true: a JSON file without this key is refused */
    bool zero_unknown : 1; /* of a whole number: true = the value 0 means that the number is not known */
    bool rare : 1;         /* true: outputs list the field only if its value was set */
    bool has_default : 1;  /* true: default_value is the default of the field */
    uint32_t field_count;  /* number of rows of the field table of a nested struct */
    const char *unit;      /* unit of the value, such as "B"; NULL = a pure number */
    double min, max;       /* smallest and largest allowed value; both 0 = the field has no limits */
    double usual; /* a typical value, or 0; with it the message for a value out of range suggests the unit that was
                   * probably meant */
    double default_value;
    nnc_names names;                        /* names of the values of an enum */
    const char *(*help_of)(unsigned value); /* returns the help of one value of an enum; NULL = the values have no
                                             * help */
    uint32_t count_offset;                  /* of a list: offset of the member that holds its number of elements */
    int32_t capacity;
    const struct nnc_field *fields; /* field table of a nested struct */
    const char *alias;              /* second name of the option, such as "tp" for tensor; NULL = no second name */
    const char *default_text;       /* text of the default in help: "1", "the device file's"; NULL = no default */
    const char *help;
    const char *group; /* heading above this field in help; NULL = the heading of the previous row applies */
} nnc_field;

typedef struct nnc_field_table {
    const char *what; /* kind of struct that the table describes, for messages: "device" */
    const nnc_field *fields;
    size_t count;
} nnc_field_table;

#define NNC_COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

/* Returns the field type for the C type of a member. A member that does not exist does not compile. */
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

/* Sets name, offset and size of a row from a member, and the given field type. For members whose C type does not decide
 * the field type, such as flags. */
#define NNC_FIELD_AS(field_type, owner, member) \
    .name = #member, .type = (field_type), .offset = offsetof(owner, member), .size = sizeof(((owner *)0)->member)

#define NNC_FIELD(owner, member) NNC_FIELD_AS(NNC_FIELD_TYPE_OF(((owner *)0)->member), owner, member)

/* Sets name, type, offset and size of a row for `member` of the struct `inner`, which is itself a member of the struct
 * `owner`. The name of the field is `member` alone. */
/* NOLINTBEGIN(bugprone-macro-parentheses): the name of a member takes none */
#define NNC_FIELD_IN(owner, inner, member)                                                                           \
    .name = #member, .type = NNC_FIELD_TYPE_OF(((owner *)0)->inner.member), .offset = offsetof(owner, inner.member), \
    .size = sizeof(((owner *)0)->inner.member)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Sets two members of a row for a list: the offset of its number of elements (count_offset) and its capacity. */
#define NNC_FIELD_COUNTED(owner, list, count) \
    .count_offset = offsetof(owner, count),   \
    .capacity = (int32_t)(sizeof(((owner *)0)->list) / sizeof(((owner *)0)->list[0]))

/* Sets two members of a row for an enum: its names (function and number of values) and the function for its help. */
#define NNC_FIELD_NAMES(type, values) .names = { type##_name, (values) }, .help_of = type##_help

#define NNC_FIELD_TABLE(list) .fields = (list), .field_count = sizeof(list) / sizeof((list)[0])

/* A row for a key whose text is only for people: files may have the key, and its text is not stored. */
#define NNC_FIELD_COMMENT(key) .name = (key), .type = NNC_FIELD_TEXT

/* Set the default of a row. NNC_DEFAULT shows in help the value as it is written in C; NNC_DEFAULT_AS shows another
 * text. A member without a default starts as "not given": NaN for doubles, else 0. default_text then says which value
 * is used instead ("the device file's"). */
#define NNC_DEFAULT(value) NNC_DEFAULT_AS(value, #value)
#define NNC_DEFAULT_AS(value, text) .has_default = true, .default_value = (value), .default_text = (text)
#define NNC_DEFAULT_ON NNC_DEFAULT_AS(1, "on")
#define NNC_DEFAULT_OFF NNC_DEFAULT_AS(0, "off")

/* Upper limits that no real device or plan reaches: rates in FLOP/s, amounts in bytes, link rates in B/s. */
#define NNC_RATE_MAX 1e21
#define NNC_BYTES_MAX 1e15
#define NNC_LINK_MAX 1e18

extern const nnc_field_table nnc_plan_table, nnc_run_table, nnc_budget_table, nnc_serve_table, nnc_software_table,
    nnc_switch_table; /* nnc_switch_table: the rows of nnc_software_table that are switches */

/* Numbers of rows of the two tables of serving parameters: one describes the fitted efficiencies of a device file, the
 * other the serving engine of a software profile. */
enum { NNC_SERVE_EFFICIENCY_FIELDS = 11, NNC_SERVE_ENGINE_FIELDS = 29 };
extern const nnc_field nnc_serve_efficiency_fields[NNC_SERVE_EFFICIENCY_FIELDS];
extern const nnc_field nnc_serve_engine_fields[NNC_SERVE_ENGINE_FIELDS];

/* ---- finding a field by name; setting, printing and checking it ---- */

/* Tests whether `field` points to a row of `table`. */
bool nnc_field_is_of(const nnc_field_table *table, const nnc_field *field);

/* Returns the row of a table for the JSON key `key`; NULL = unknown key. */
const nnc_field *nnc_field_of_key(const nnc_field_table *table, const char *key);
/* Returns the help of the field with the JSON key `name`; NULL = unknown key. */
const char *nnc_field_help(const nnc_field_table *table, const char *name);

/* Finds a field by its dotted name, such as "spread.own"; NULL = unknown name. Before the call *object points to the
 * outermost struct, after the call to the struct that contains the field. For the types RATES and OBJECT_BY_DTYPE the
 * last part of the name is a number format, which *dtype receives; for other types *dtype is NNC_DTYPE_COUNT. */
const nnc_field *nnc_field_find(const nnc_field_table *table, const char *dotted, void **object, nnc_dtype *dtype);

/* Finds a field as nnc_field_find does. NNC_BAD_USAGE: the name is unknown; the message has the nearest name. */
nnc_status nnc_field_at(const nnc_field_table *table, const char *dotted, void **object, const nnc_field **field,
                        nnc_dtype *dtype, nnc_error *err);

/* Sets the field with a dotted name from text. NNC_BAD_USAGE: the name is unknown or the value is wrong; err->where is
 * the dotted name. */
nnc_status nnc_field_set(const nnc_field_table *table, void *object, const char *dotted, const char *value,
                         nnc_error *err);
/* Sets a field that nnc_field_find has found. `object` is the struct to which nnc_field_find set *object. */
nnc_status nnc_field_set_found(const nnc_field *field, void *object, nnc_dtype dtype, const char *dotted,
                               const char *value, nnc_error *err);

/* Sets a field whose row is known. If `field` is a row of another table, sets the field of the same name in `table`.
 * Errors as nnc_field_set. */
nnc_status nnc_field_set_known(const nnc_field_table *table, void *object, const nnc_field *field, const char *value,
                               nnc_error *err);

/* Writes the value of a field as text ("bf16", "80", "4, 8"); "-" = no value. */
void nnc_field_text(const nnc_field *field, const void *object, char *text, size_t size);

/* Writes which values a field accepts: "one of flash, unfused", "a whole number from 1 to 8" ... */
void nnc_field_expected(const nnc_field *field, char *text, size_t size);

/* Sets the members of a struct, all of whose bytes are 0, to their defaults. Members without a row in the table stay
 * 0. */
void nnc_fields_init(const nnc_field_table *table, void *object);

/* Checks a struct that a program filled in: every number must be within the limits of its field or equal to its
 * default. prefix: name of the struct in messages, "software"; NULL = messages name the option of the field.
 * NNC_ILLEGAL_PLAN: a value is wrong; err names the first such field. */
nnc_status nnc_fields_check(const nnc_field_table *table, const char *prefix, const void *object, nnc_error *err);

/* nnc_option_name writes the option of a field, "--micro-batch" for micro_batch, into `text`, which has space for
 * NNC_OPTION_NAME bytes. */
enum { NNC_OPTION_NAME = 40 };
char *nnc_option_name(const char *field, char text[NNC_OPTION_NAME]);

/* ---- one value of a field ---- */

/* Returns the type of one element if `type` is a list or RATES; else returns `type`. */
nnc_field_type nnc_field_element(nnc_field_type type);
/* Checks a number against the limits of a field. Returns the error, such as "out of range", and writes the accepted
 * values to `expected`; NULL = the number is accepted. */
const char *nnc_field_refuse(const nnc_field *field, double value, char *expected, size_t size);
/* Stores a value in the field at `place`; if the field is a list, in its element `index`. */
void nnc_field_store(const nnc_field *field, void *place, int index, double value);

/* ---- sets of flags, written as names joined by commas ---- */

typedef struct nnc_flag {
    const char *name; /* name of the flag; NULL ends a list of flags */
    unsigned flag;
    bool also; /* true: a second name of the flag, which is read but never printed */
} nnc_flag;

/* Lists of flags, one per field of flags. If a flag has two names, outputs print the name whose `also` is false. */
extern const nnc_flag nnc_recompute_flags[], nnc_offload_flags[], nnc_train_flags[], nnc_adapted_flags[];

/* Returns the list of flags for a field type; NULL = the type is not a set of flags. */
const nnc_flag *nnc_flags_of(nnc_field_type type);

/* For an option with several values, as in a sweep: tests whether the text is one value of a field of flags or of a
 * list, such as "norm,activation" or "16,20,28". The text has several values if it contains '+', "..", or a name that
 * stands for a whole set (none, all, selective, full). Returns false for fields that are neither flags nor lists. */
bool nnc_field_is_one_set(const nnc_field *field, const char *list);
/* Changes "norm+activation" to "norm,activation", the form in which fields are read. A '+' at the end is removed, so
 * "norm+" means the one flag norm. */
void nnc_field_join(const nnc_field *field, char *value);

/* Returns the union of all flags of a list. */
unsigned nnc_flags_all(const nnc_flag *list);

/* Reads names of flags joined by commas, or the word for the empty set ("all" in nnc_train_flags, "linear" in
 * nnc_adapted_flags, else "none"). In names, '-' and '_' are equal. Returns false for an unknown name. */
bool nnc_flags_read(const nnc_flag *list, const char *text, unsigned *flags);

/* Tests whether the first `length` characters of `text` equal the whole of `name`; '-' and '_' are equal. Returns false
 * if `name` is NULL. */
bool nnc_same_name(const char *name, const char *text, size_t length);

#endif
