/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: one status per call, one line per message. */
#ifndef NNCOST_STATUS_H
#define NNCOST_STATUS_H

#include <nncost/enum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of the library. What has no NNC_API is there for programs that link the static library of the
 * very headers they were compiled with, and define NNC_STATIC_LINKING_ONLY before the first of them:
 * members of devices, models and software profiles, and functions that take or return such structs. They
 * change from release to release, and the shared library has no symbols for them. */
#if defined(__GNUC__)
#define NNC_API __attribute__((visibility("default")))
#define NNC_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define NNC_API
#define NNC_PRINTF(text, first)
#endif

/* name, exit code of the command, text */
#define NNC_STATUS_LIST(X)                  \
    X(NNC_OK, 0, "ok")                      \
    X(NNC_BAD_USAGE, 2, "bad command line") \
    X(NNC_BAD_SPEC, 3, "bad spec file")     \
    X(NNC_UNKNOWN_ID, 3, "unknown id")      \
    X(NNC_ILLEGAL_PLAN, 3, "illegal plan")  \
    X(NNC_IO, 4, "input/output failed")     \
    X(NNC_NO_MEMORY, 4, "out of memory")

NNC_ENUM(nnc_status, NNC_STATUS_LIST, NNC_STATUS_COUNT);

/* Pointers. Unless a comment says what it means, NULL is a mistake: a function that returns a status then
 * refuses it with NNC_BAD_USAGE and names the parameter; others return NaN, NULL, "?", 0 or false, and do
 * nothing. err may always be NULL, and functions that end something (..._destroy, ..._close, ..._free) take
 * NULL. What a function gives out belongs to who its comment says, else to the struct or set it came from.
 *
 * Structs of the caller's either begin with struct_size, or never change: nnc_error, nnc_work, nnc_cell,
 * nnc_figure(s), nnc_tolerance, nnc_change, nnc_requirement, nnc_policy_sizes, nnc_choice, nnc_advice,
 * nnc_sensitivity, nnc_target, nnc_optimum and the tallies. All others are made by the library alone; what it
 * gives out as a const pointer may grow at its end.
 *
 * Values of an enumeration that a later release adds come after those of today; a program should expect
 * them. */

/* What went wrong. The caller owns it and may pass NULL wherever one is taken.
 * where   "hw/demo.json: mem_bytes", "models/x.json:3:14", "--micro-batch"
 * what    "out of range, expected at least 1 B, found -5" */
typedef struct nnc_error {
    nnc_status status;
    char where[512];
    char what[512];
} nnc_error;

/* Exit code of the command for a status: 0, 2, 3 or 4. */
NNC_API int nnc_status_exit_code(nnc_status status);
/* Short text of a status; static storage. */
NNC_API const char *nnc_status_text(nnc_status status);

#ifdef __cplusplus
}
#endif

#endif
