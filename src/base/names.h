/* Names of values: one text for each number from 0 on. */
#ifndef NNCOST_BASE_NAMES_H
#define NNCOST_BASE_NAMES_H

#include <nncost/enum.h>

#define NNC_ENUM_FIRST(text, ...) text
#define NNC_ENUM_TEXT(name, ...) [name] = NNC_ENUM_FIRST(__VA_ARGS__, ""),

/* Defines const char *TYPE_name(TYPE value) of an enumeration: the text that its list gives the value,
 * "?" outside the list. */
#define NNC_ENUM_NAMES(type, list)                                                    \
    const char *type##_name(type value)                                               \
    {                                                                                 \
        static const char *const texts[] = { list(NNC_ENUM_TEXT) };                   \
        return (unsigned)value < sizeof texts / sizeof texts[0] ? texts[value] : "?"; \
    }

#define NNC_ENUM_SECOND(text, help, ...) help
#define NNC_ENUM_HELP(name, ...) [name] = NNC_ENUM_SECOND(__VA_ARGS__, "", ""),

/* Defines const char *TYPE_help(TYPE value) too: the line of help that the list gives the value. */
#define NNC_ENUM_TEXTS(type, list)                                                    \
    NNC_ENUM_NAMES(type, list)                                                        \
    const char *type##_help(type value)                                               \
    {                                                                                 \
        static const char *const texts[] = { list(NNC_ENUM_HELP) };                   \
        return (unsigned)value < sizeof texts / sizeof texts[0] ? texts[value] : "?"; \
    }

/* What else there is to know of a value stands in its row, defined under the name NNC_ROW(VALUE). A table
 * of pointers to them is { LIST(NNC_ROW_AT) }: it does not compile when a value has no row. */
#define NNC_ROW(value) nnc_row_of_##value
#define NNC_ROW_AT(name, ...) [name] = &NNC_ROW(name),

/* Where rows are lines of one table: the last value has one. tests/unit/test_rows.c looks at the others. */
#define NNC_ROW_EACH(rows, values) \
    _Static_assert(sizeof(rows) / sizeof(rows)[0] == (values), "a value has no row")

/* An enumeration by its names: how many values there are, and the text of each. */
typedef struct nnc_names {
    const char *(*of)(unsigned value); /* NULL = no names */
    int count;
} nnc_names;

/* The value of a name; -1 = it is none of them. */
int nnc_names_find(nnc_names names, const char *text);
/* The same, in either case: what people type. */
int nnc_names_find_typed(nnc_names names, const char *text);

#endif
