/* Field tables: a member is declared once, and its name is its JSON key, its --set name, its option
 * and its heading in the docs. */
#ifndef NNCOST_INPUT_FIELD_H
#define NNCOST_INPUT_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include <nncost/plan.h>

#include "base/names.h"

typedef enum nnc_field_type {
    NNC_FIELD_BOOL,     /* bool; JSON true/false, text on/off/true/false/1/0 */
    NNC_FIELD_I32,      /* int32_t */
    NNC_FIELD_I64,      /* int64_t */
    NNC_FIELD_F64,      /* double */
    NNC_FIELD_ENUM,     /* an enum (int-sized), by the name list */
    NNC_FIELD_TEXT,     /* char[size] */
    NNC_FIELD_RATES,    /* double[NNC_DTYPE_COUNT], an object keyed by number format */
    NNC_FIELD_I32_LIST, /* int32_t[capacity] and an int32_t count at count_offset */
    NNC_FIELD_I64_LIST,
    NNC_FIELD_BOOL_LIST,
    NNC_FIELD_ENUM_LIST,
    NNC_FIELD_RECOMPUTE,      /* unsigned flags: none, selective, full, or names joined by commas */
    NNC_FIELD_TRAIN,          /* unsigned flags: all, or names joined by commas */
    NNC_FIELD_OFFLOAD,        /* unsigned flags: none, or names joined by commas */
    NNC_FIELD_OBJECT,         /* members of a nested table, offsets relative to this field's */
    NNC_FIELD_OBJECT_BY_DTYPE /* an array of such objects, one per number format */
} nnc_field_type;

/* Members of a size stand together: the tables are large, and the loader touches every page of them. */
typedef struct nnc_field {
    const char *name;
    uint32_t offset, size;
    nnc_field_type type : 8;
    bool above_min : 1;    /* min itself is excluded */
    bool required : 1;     /* in JSON */
    bool zero_unknown : 1; /* a whole number of 0 = not recorded */
    bool rare : 1;         /* shown where it is set, not where it is off */
    uint32_t field_count;  /* nested */
    const char *unit;      /* "B", "FLOP/s"; NULL = a pure number */
    double min, max;       /* inclusive; both 0 = no limits */
    double
        usual; /* what such a figure is like, by which a slip of the unit is named; 0 = no matter */
    nnc_names names;                        /* enum */
    const char *(*help_of)(unsigned value); /* what each value means; NULL = their names say it */
    uint32_t count_offset;                  /* lists */
    int32_t capacity;
    const struct nnc_field *fields; /* nested */
    const char *alias;              /* second option name: "tp" for tensor; NULL = none */
    const char *default_text;       /* as help shows it, "1"; NULL = none */
    const char *help;
    const char *group; /* heading in help; NULL = that of the field before */
} nnc_field;

typedef struct nnc_field_table {
    const char *what; /* "device" */
    const nnc_field *fields;
    size_t count;
} nnc_field_table;

extern const nnc_field_table nnc_device_table, nnc_price_table, nnc_framework_table,
    nnc_track_table, nnc_range_table, nnc_plan_table, nnc_run_table, nnc_budget_table,
    nnc_serve_table, nnc_software_table, nnc_cluster_table;

/* Is it a row of this table? */
static inline bool nnc_field_is_of(const nnc_field_table *table, const nnc_field *field)
{
    return field >= table->fields && field < table->fields + table->count;
}

/* Common fields first, then those of the family. */
const nnc_field_table *nnc_model_table(nnc_family family);
/* Those of one model: a graph has numbers of its own. */
const nnc_field_table *nnc_model_table_of(const nnc_model *model);

/* The field of a dotted name in a table, its object's address in *object (in: the root's).
 * NULL when there is none. For RATES and OBJECT_BY_DTYPE the last part names the format, left in
 * *dtype (NNC_DTYPE_COUNT otherwise). */
const nnc_field *nnc_field_find(const nnc_field_table *table, const char *dotted, void **object,
                                nnc_dtype *dtype);

/* The same; NNC_BAD_USAGE when there is none, naming the nearest. */
nnc_status nnc_field_at(const nnc_field_table *table, const char *dotted, void **object,
                        const nnc_field **field, nnc_dtype *dtype, nnc_error *err);

/* The sentence that says what a field of the table itself is; NULL if the table has no such field. */
const char *nnc_field_help(const nnc_field_table *table, const char *name);

/* Sets a field from text. err->where is the dotted name as given; an unknown name is refused with
 * the nearest known one. */
nnc_status nnc_field_set(const nnc_field_table *table, void *object, const char *dotted,
                         const char *value, nnc_error *err);

/* A field's value as text ("bf16", "80", "4, 8"), "-" when not recorded. */
void nnc_field_text(const nnc_field *field, const void *object, char *text, size_t size);

/* "at least 1 B", "one of flash, unfused", "a whole number from 1 to 8" ... */
void nnc_field_expected(const nnc_field *field, char *text, size_t size);

/* Writes the option of a field of the plan, "--micro-batch" for micro_batch, into text; returns text. */
enum { NNC_OPTION_NAME = 40 };
char *nnc_option_name(const char *field, char text[NNC_OPTION_NAME]);

#endif
