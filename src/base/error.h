/* Filling nnc_error, and finding the name that was meant. */
#ifndef NNCOST_BASE_ERROR_H
#define NNCOST_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <nncost/status.h>

/* Writes status, where and the formatted what into err (which may be NULL); returns status.
 * Control characters that came from outside are replaced by '?', so a message stays one line. */
nnc_status nnc_fail(nnc_error *err, nnc_status status, const char *where, const char *format, ...)
    NNC_PRINTF(4, 5);
nnc_status nnc_vfail(nnc_error *err, nnc_status status, const char *where, const char *format,
                     va_list args) NNC_PRINTF(4, 0);

/* Puts what the fault lies in before where it is: "outer: where". */
void nnc_error_within(nnc_error *err, const char *outer);

/* Leaves the function with the status of a call that failed. For where nothing has to be released. */
#define NNC_TRY(call)                             \
    do {                                          \
        const nnc_status nnc_try_status = (call); \
        if (nnc_try_status != NNC_OK) {           \
            return nnc_try_status;                \
        }                                         \
    } while (0)

/* Refuses NULL where a function of the library needs a pointer: "nnc_estimate: no model ...". */
nnc_status nnc_need(const char *function, const char *what, bool given, nnc_error *err);

/* The same of a parameter, in a function that returns a status. */
#define NNC_NEED(pointer) NNC_TRY(nnc_need(__func__, #pointer, (pointer) != NULL, err))

/* "nncost: out of memory". */
nnc_status nnc_no_memory(nnc_error *err);

/* Bytes of the valid UTF-8 character at the start of text; 0 when there is none. */
size_t nnc_utf8_length(const char *text, size_t size);

/* Bytes of the control character that a NUL-terminated text begins with, 0 = it begins with none: C0 (the NUL
 * too), C1, what turns the direction of a text or ends a line of it. Terminals and pages must not see one. */
size_t nnc_control_length(const char *text);

/* Bytes of printable ASCII that a text begins with, at most so many, up to a quote or a backslash: what every format
 * writes as it is, and most of what is written. */
size_t nnc_plain_length(const char *text, size_t most);

/* The nearest of count names to `text` by edit distance, NULL when none is near enough to be a
 * slip (more than a third of its letters off). */
const char *nnc_nearest(const char *text, const char *const *names, size_t count);

#endif
