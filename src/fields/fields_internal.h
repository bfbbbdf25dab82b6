/* Field tables: each row describes one member of a public struct. The row is the only place that defines the name of
 * the member (in JSON, in --set, as an option, as a CSV column and in the docs), its unit, limits, default and help.
 * The readers of files and options use the rows of field tables, and so do the functions that set defaults and check a
 * struct.
 *
 *     `field.c`            finds a field by its name; sets, prints, checks and initialises the members of a struct.
 *     `software_fields.c`  has the table of nnc_software, and the texts of the public enumerations and flag sets.
 *     `plan_fields.c`      has the tables of nnc_plan, nnc_run_ask, nnc_budget_ask, nnc_serve_ask, and of the serving
 *                          parameters of devices and engines.
 *
 * The folder fields/ is below the core, because the core fills in and checks the structs of these tables. Tables of
 * structs that are only read from files (devices, models, clusters, prices) are in src/input/. */
#ifndef NNCOST_FIELDS_FIELDS_INTERNAL_H
#define NNCOST_FIELDS_FIELDS_INTERNAL_H

#include <nncost/plan.h>

#include "base/base_internal.h"

/* ---- rows of field tables ---- */

typedef enum nnc_field_type {
    NNC_FIELD_BOOL,     /* C type bool; in JSON true or false; as text on, off, true, false, 1 or 0 */
    NNC_FIELD_I32,      /* int32_t */
    NNC_FIELD_I64,      /* int64_t */
    NNC_FIELD_F64,      /* C type double; NaN = the user gave no value */
    NNC_FIELD_ENUM,     /* C type enum (as large as int); read and written as the name of its value */
    NNC_FIELD_TEXT,     /* C type char[size]; size 0: a file may have the key, but its text is not stored */
    NNC_FIELD_RATES,    /* C type double[NNC_DTYPE_COUNT]; in JSON an object with a number format as each key */
    NNC_FIELD_I32_LIST, /* C type int32_t[capacity]; the int32_t at count_offset is the number of elements */
    NNC_FIELD_I64_LIST,
    NNC_FIELD_BOOL_LIST,
    NNC_FIELD_ENUM_LIST,
    /* C type unsigned, a set of flags; as text: none, selective, full, or names of flags joined by commas */
    NNC_FIELD_RECOMPUTE,
    NNC_FIELD_TRAIN,    /* C type unsigned, a set of flags; as text: all, or names of flags joined by commas */
    NNC_FIELD_ADAPTERS, /* C type unsigned, a set of flags; as text: linear, or names of flags joined by commas */
    NNC_FIELD_OFFLOAD,  /* C type unsigned, a set of flags; as text: none, or names of flags joined by commas */
    /* C type struct, nested in the outer struct; the offsets in the field table of the nested struct are counted from
     * the start of the nested struct */
    NNC_FIELD_OBJECT,
    NNC_FIELD_OBJECT_BY_DTYPE /* C type array of structs, with one struct for each number format */
} nnc_field_type;

/* A row of a field table: the description of one field. The members are ordered by size, so that the compiler adds
 * little padding; the tables have many rows. */
typedef struct nnc_field {
    const char *name;
    uint32_t offset, size;
    nnc_field_type type : 8;
    bool above_min : 1;    /* true: the value must be larger than `min`; a value equal to `min` is refused */
    bool required : 1;     /* true: a JSON file without this key is refused */
    bool zero_unknown : 1; /* for a whole number: true = the value 0 says that the number is not known */
    bool rare : 1;         /* true: outputs list the field only if the user or a file has set its value */
    bool has_default : 1;  /* true: the field has a default, which is in default_value */
    uint32_t field_count;  /* for a nested struct: number of rows of its field table */
    const char *unit;      /* unit of the value, such as "B"; NULL = the value has no unit */
    double min, max;       /* smallest and largest allowed value; both 0 = the field has no limits */
    /* a typical value of the field; 0 = no such value. If a value is out of range, the typical value is used to suggest
     * the unit in which the user has probably given it */
    double usual;
    double default_value;
    nnc_names names; /* for an enum: the names of its values */
    /* function that returns the help text of one value of the enum; NULL = the values have no help texts */
    const char *(*help_of)(unsigned value);
    uint32_t count_offset; /* for a list: offset of the member that is the number of elements */
    int32_t capacity;
    const struct nnc_field *fields; /* for a nested struct: its field table */
    /* second name of the command-line option, such as "tp" for tensor; NULL = no second name */
    const char *alias;
    /* how help shows the default, such as "1" or "the device file's"; NULL = no default */
    const char *default_text;
    const char *help;
    /* heading above this field in help; NULL = the field is listed below the heading of an earlier row */
    const char *group;
} nnc_field;

typedef struct nnc_field_table {
    const char *what; /* name of the kind of struct that the table describes, as messages write it: "device" */
    const nnc_field *fields;
    size_t count;
} nnc_field_table;

#define NNC_COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

/* Returns the field type (nnc_field_type) that belongs to the C type of a struct member. If the struct has no such
 * member, the code does not compile. */
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

/* Sets name, offset and size of a row from a struct member, and sets its field type to field_type. A table uses the
 * macro NNC_FIELD_AS if the C type of the member does not decide the field type; for example, a member of type
 * `unsigned` can be an enum or a set of flags. */
#define NNC_FIELD_AS(field_type, owner, member) \
    .name = #member, .type = (field_type), .offset = offsetof(owner, member), .size = sizeof(((owner *)0)->member)

#define NNC_FIELD(owner, member) NNC_FIELD_AS(NNC_FIELD_TYPE_OF(((owner *)0)->member), owner, member)

/* Sets name, type, offset and size of a row for `member` of the struct `inner`, which is itself a member of the struct
 * `owner`. The name of the field is `member` alone. */
/* NOLINTBEGIN(bugprone-macro-parentheses): the name of a struct member must not stand in parentheses */
#define NNC_FIELD_IN(owner, inner, member)                                                                           \
    .name = #member, .type = NNC_FIELD_TYPE_OF(((owner *)0)->inner.member), .offset = offsetof(owner, inner.member), \
    .size = sizeof(((owner *)0)->inner.member)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Sets two members of the row of a list: count_offset, the offset of the number of elements, and capacity, the largest
 * number of elements. */
#define NNC_FIELD_COUNTED(owner, list, count) \
    .count_offset = offsetof(owner, count),   \
    .capacity = (int32_t)(sizeof(((owner *)0)->list) / sizeof(((owner *)0)->list[0]))

/* Sets two members of the row of an enum: `names` (the function that returns the name of a value, and the number of
 * values) and `help_of` (the function that returns the help of a value). */
#define NNC_FIELD_NAMES(type, values) .names = { type##_name, (values) }, .help_of = type##_help

#define NNC_FIELD_TABLE(list) .fields = (list), .field_count = sizeof(list) / sizeof((list)[0])

/* A row for a key that only people read: a file may have the key, and nncost does not store its text. */
#define NNC_FIELD_COMMENT(key) .name = (key), .type = NNC_FIELD_TEXT

/* The next macros set the default of a row of a field table. NNC_DEFAULT: help shows the default as it is written in C.
 * NNC_DEFAULT_AS: help shows another text. A member without a default starts as NaN (doubles) or 0, which means "not
 * given"; default_text then says which value is used instead, such as "the device file's". */
#define NNC_DEFAULT(value) NNC_DEFAULT_AS(value, #value)
#define NNC_DEFAULT_AS(value, text) .has_default = true, .default_value = (value), .default_text = (text)
#define NNC_DEFAULT_ON NNC_DEFAULT_AS(1, "on")
#define NNC_DEFAULT_OFF NNC_DEFAULT_AS(0, "off")

/* Upper limits that no real device or plan reaches: NNC_RATE_MAX for rates in FLOP/s, NNC_BYTES_MAX for sizes in bytes,
 * NNC_LINK_MAX for rates of links in B/s. */
#define NNC_RATE_MAX 1e21
#define NNC_BYTES_MAX 1e15
#define NNC_LINK_MAX 1e18
/* Seconds in which a host issues one kernel. NNC_HOST_USUAL_S is the default of host.kernel_s; NNC_HOST_FAST_S is the
 * value of the fastest shipped host. Sources: hosts/h100-server.json, hosts/desktop.json. */
#define NNC_HOST_USUAL_S 3.75e-5
#define NNC_HOST_FAST_S 1e-5

extern const nnc_field_table nnc_plan_table, nnc_run_table, nnc_budget_table, nnc_serve_table, nnc_software_table,
    /* nnc_switch_table: those rows of nnc_software_table that are switches (settings that are on or off, and that a
     * plan can change) */
    nnc_switch_table;

/* Numbers of rows of two tables of serving parameters. NNC_SERVE_EFFICIENCY_FIELDS: the fitted efficiencies in a device
 * file. NNC_SERVE_ENGINE_FIELDS: the parameters of the serving engine in a software profile. */
enum { NNC_SERVE_EFFICIENCY_FIELDS = 11, NNC_SERVE_ENGINE_FIELDS = 44 };
extern const nnc_field nnc_serve_efficiency_fields[NNC_SERVE_EFFICIENCY_FIELDS];
extern const nnc_field nnc_serve_engine_fields[NNC_SERVE_ENGINE_FIELDS];

/* ---- finding a field by name; setting, printing and checking it ---- */

/* Tests whether `field` points to a row of `table` and not of another table. */
bool nnc_field_is_of(const nnc_field_table *table, const nnc_field *field);

/* Returns the row of the table whose JSON key is `key`; NULL = no row has this key. */
const nnc_field *nnc_field_of_key(const nnc_field_table *table, const char *key);
/* Returns the help text of the field whose JSON key is `name`; NULL = no field has this key. */
const char *nnc_field_help(const nnc_field_table *table, const char *name);

/* Finds a field by its dotted name, such as "spread.own"; NULL = unknown name. Before the call, *object points to the
 * outermost struct, or is NULL if only the name is searched. The call sets *object to the struct that contains the
 * field. For the types RATES and OBJECT_BY_DTYPE, the last part of the name is a number format, and the function writes
 * this number format to *dtype; for all other field types, *dtype is NNC_DTYPE_COUNT. */
const nnc_field *nnc_field_find(const nnc_field_table *table, const char *dotted, void **object, nnc_dtype *dtype);

/* Finds a field as nnc_field_find does. Returns NNC_BAD_USAGE if no field has the name; the message then contains the
 * most similar name. */
nnc_status nnc_field_at(const nnc_field_table *table, const char *dotted, void **object, const nnc_field **field,
                        nnc_dtype *dtype, nnc_error *err);

/* Sets the field with the name `dotted` to the value that the text `value` states. Returns NNC_BAD_USAGE if no field
 * has the name or the value is wrong; err->where is then the dotted name. */
nnc_status nnc_field_set(const nnc_field_table *table, void *object, const char *dotted, const char *value,
                         nnc_error *err);
/* Sets a field that nnc_field_find has found. object: the pointer that nnc_field_find wrote to *object, the struct that
 * contains the field. */
nnc_status nnc_field_set_found(const nnc_field *field, void *object, nnc_dtype dtype, const char *dotted,
                               const char *value, nnc_error *err);

/* Sets the field of `table` that has the same name as `field`. `field` may be a row of `table` or of another table.
 * Returns the same errors as nnc_field_set. */
nnc_status nnc_field_set_known(const nnc_field_table *table, void *object, const nnc_field *field, const char *value,
                               nnc_error *err);

/* Writes the value of a field as text, such as "bf16", "80" or "4, 8"; "-" = the field has no value. */
void nnc_field_text(const nnc_field *field, const void *object, char *text, size_t size);

/* Writes to `text` which values a field accepts, such as "one of flash, unfused" or "a whole number from 1 to 8". */
void nnc_field_expected(const nnc_field *field, char *text, size_t size);

/* Sets the members of a struct to the defaults of the rows of `table`. All bytes of the struct must be 0 before.
 * Members without a row in the field table keep the value 0. */
void nnc_fields_init(const nnc_field_table *table, void *object);

/* Checks a struct that was filled in by a program that calls the library: every number must be within the limits of its
 * field or equal to its default. prefix: name of the struct in messages, such as "software"; NULL = messages name the
 * command-line option of the field. Returns NNC_ILLEGAL_PLAN if a value is wrong; err then names the first wrong
 * field. */
nnc_status nnc_fields_check(const nnc_field_table *table, const char *prefix, const void *object, nnc_error *err);

/* nnc_option_name writes to `text` the command-line option that sets the field `field`, for example "--micro-batch" for
 * micro_batch. `text` has space for NNC_OPTION_NAME bytes. */
enum { NNC_OPTION_NAME = 40 };
char *nnc_option_name(const char *field, char text[NNC_OPTION_NAME]);

/* ---- one value of a field ---- */

/* Returns the type of one element for a list type or for NNC_FIELD_RATES. Returns every other type unchanged. */
nnc_field_type nnc_field_element(nnc_field_type type);
/* Checks a number against the limits of a field. Returns NULL if the number is allowed. If the number is not allowed,
 * returns the error, such as "out of range", and writes to `expected` which values the field accepts. */
const char *nnc_field_refuse(const nnc_field *field, double value, char *expected, size_t size);
/* Stores a value at `place`, the address of a field. If the field is a list, stores the value in the element with the
 * index `index`. */
void nnc_field_store(const nnc_field *field, void *place, int index, double value);

/* ---- sets of flags, written as names joined by commas ---- */

typedef struct nnc_flag {
    const char *name; /* name of the flag; NULL = end of the list of flags */
    unsigned flag;
    bool also; /* true: this entry is a second name of the flag; nncost reads it and never prints it */
} nnc_flag;

/* The flags of each field that is a set of flags. If a flag has two names, outputs print the name whose member `also`
 * is false. */
extern const nnc_flag nnc_recompute_flags[], nnc_offload_flags[], nnc_train_flags[], nnc_adapted_flags[];

/* Returns the list of flags of a field type; NULL = fields of this type are not sets of flags. */
const nnc_flag *nnc_flags_of(nnc_field_type type);

/* For an option with several values, as in a sweep: tests whether the text is one value of a field of flags or of a
 * list, such as "norm,activation" or "16,20,28". The text has several values if it contains '+', "..", or a name for a
 * whole set (none, all, selective, full). Returns false for fields that are neither flags nor lists. */
bool nnc_field_is_one_set(const nnc_field *field, const char *list);
/* Changes "norm+activation" to "norm,activation", the form in which fields are read. A '+' at the end is removed, so
 * "norm+" means the one flag norm. */
void nnc_field_join(const nnc_field *field, char *value);

/* Returns the set that has all flags of a list. */
unsigned nnc_flags_all(const nnc_flag *list);

/* Reads names of flags joined by commas into *flags, or the one word for the empty set: "all" for nnc_train_flags,
 * "linear" for nnc_adapted_flags, "none" for the other lists. A '-' in a name counts as a '_'. Returns false if a name
 * is unknown. */
bool nnc_flags_read(const nnc_flag *list, const char *text, unsigned *flags);

/* Tests whether the first `length` characters of `text` are the name `name`. A '-' counts as a '_'. Returns false if
 * `name` is NULL. */
bool nnc_same_name(const char *name, const char *text, size_t length);

/* ---- rules of plans that readers of files and the search share ---- */

/* Tests whether `parts` pipeline stages or chunks have equal numbers of layers only if embedding and head count as one
 * layer each (ends_as_layers). */
static inline bool nnc_ends_even_stages(int64_t layers, int64_t parts) {
    return layers % parts != 0 && (layers + 2) % parts == 0;
}

#endif
