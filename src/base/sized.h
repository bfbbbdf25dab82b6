/* Structs that begin with their size, as the program was compiled with it: an older program has a shorter
 * one than this library, a newer program a longer one. Members are only ever appended. */
#ifndef NNCOST_BASE_SIZED_H
#define NNCOST_BASE_SIZED_H

#include <stddef.h>

#include <nncost/status.h>

/* Copies what `given` has into `full`, which holds the defaults of the rest. A longer one may only have zeros
 * where this library has no members. what: "nnc_plan". NNC_BAD_USAGE: the size was not set, or it says what
 * only a later library knows. */
nnc_status nnc_sized_read(void *full, size_t full_size, const void *given, const char *what,
                          nnc_error *err);

/* Copies of `full` what `given` has room for; zeros behind it. The size of `given` is kept. */
void nnc_sized_write(void *given, const void *full, size_t full_size);

/* Is the size that a struct begins with one that a program can have? */
nnc_status nnc_sized_check(const void *given, size_t full_size, const char *what, nnc_error *err);

#endif
