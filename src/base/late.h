/* Functions of a library of the system that is loaded when a command first needs it: the others start without
 * waiting for it. */
#ifndef NNCOST_BASE_LATE_H
#define NNCOST_BASE_LATE_H

#include <stddef.h>

#include <nncost/status.h>

/* Fills a struct of pointers to functions with those of these names, in their order. The library stays loaded. NNC_IO: it, or one of
 * them, is not there; package: what brings it on Debian. */
nnc_status nnc_late_load(const char *library, const char *package, const char *const *names,
                         size_t count, void *functions, nnc_error *err);

#endif
