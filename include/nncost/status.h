/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and error messages, which all functions of the library use. */
#ifndef NNCOST_STATUS_H
#define NNCOST_STATUS_H

/* Declares an enumeration together with the texts of its values. A list has one row per value: its name, its text in
 * files, options and output, and a line of help if users choose it:
 *     #define NNC_COLOUR_LIST(X)            \
 *         X(NNC_RED, "red", "Like a rose.") \
 *         X(NNC_BLUE, "blue", "Like the sky.")
 *     NNC_ENUM(nnc_colour, NNC_COLOUR_LIST, NNC_COLOUR_COUNT);
 * The last argument of NNC_ENUM is a constant that has the number of values. */
#define NNC_ENUM_VALUE(name, ...) name,
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a type or enumerator in parentheses does not compile */
#define NNC_ENUM(type, list, count) typedef enum type { list(NNC_ENUM_VALUE) count } type

#if defined(__FAST_MATH__)
#error "NaN means 'not given' in nncost: build without -ffast-math"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* NNC_API marks the functions of the shared library. Declarations without NNC_API are the members of devices, models
 * and software profiles, and the functions with one of these structs as parameter or result. Declarations without
 * NNC_API are only for programs that link the static library of their own release of nncost, and that define
 * NNC_STATIC_LINKING_ONLY before they include headers of nncost. Declarations without NNC_API may change with every
 * release. */
#if defined(__GNUC__)
#define NNC_API __attribute__((visibility("default")))
#if defined(__MINGW32__) && !defined(__clang__) /* with MinGW, __printf__ checks formats of Microsoft's C library
                                                 * instead of standard C */
#define NNC_PRINTF(text, first) __attribute__((__format__(__gnu_printf__, text, first)))
#else
#define NNC_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#endif
#else
#define NNC_API
#define NNC_PRINTF(text, first)
#endif

/* Status codes of functions. The columns are: enumerator, exit code of the program nncost, text. */
#define NNC_STATUS_LIST(X)                  \
    X(NNC_OK, 0, "ok")                      \
    X(NNC_BAD_USAGE, 2, "bad command line") \
    X(NNC_BAD_SPEC, 3, "bad spec file")     \
    X(NNC_UNKNOWN_ID, 3, "unknown id")      \
    X(NNC_ILLEGAL_PLAN, 3, "illegal plan")  \
    X(NNC_IO, 4, "input/output failed")     \
    X(NNC_NO_MEMORY, 4, "out of memory")

NNC_ENUM(nnc_status, NNC_STATUS_LIST, NNC_STATUS_COUNT);

/* Rules for the pointers and structs of this library.
 *
 * A pointer that is passed to a function must not be NULL unless the comment of the function gives NULL a meaning. If a
 * pointer that must not be NULL is NULL, a function that returns a status returns NNC_BAD_USAGE and names the parameter
 * in err; every other function does nothing and returns NaN, NULL, "?", 0 or false. The parameter err may always be
 * NULL, and functions whose names end in _destroy, _close or _free accept NULL. The comment of a function names the
 * owner of a pointer that the function returns; if the comment names no owner, the owner is the struct or set from
 * which the pointer was read.
 *
 * A struct that the caller allocates begins with struct_size, so that later releases can append members. The following
 * structs have no struct_size and never change: nnc_error, nnc_work, nnc_cell, nnc_figure(s), nnc_tolerance,
 * nnc_change, nnc_requirement, nnc_policy_sizes, nnc_choice, nnc_advice, nnc_sensitivity, nnc_target, nnc_optimum,
 * nnc_sweep_tally and nnc_search_tally. Only the library creates structs of types that are not named above; structs
 * that the library returns as const pointers may get more members at their end.
 *
 * A later release may add values at the end of an enumeration; a program should accept values that it does not know. */

/* An error: status, place and message. The caller owns the struct.
 * Examples of `where`, the place: "hw/demo.json: mem_bytes", "models/x.json:3:14", "--micro-batch".
 * Example of `what`, the message: "out of range, expected at least 1 B, found -5". */
typedef struct nnc_error {
    nnc_status status;
    char where[512];
    char what[512];
} nnc_error;

/* Returns the exit code with which the program nncost ends for a status: 0, 2, 3 or 4. */
NNC_API int nnc_status_exit_code(nnc_status status);
/* Returns the short text of a status ("out of memory"), in static storage. */
NNC_API const char *nnc_status_text(nnc_status status);

#ifdef __cplusplus
}
#endif

#endif
