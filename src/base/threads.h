/* Work side by side. */
#ifndef NNCOST_BASE_THREADS_H
#define NNCOST_BASE_THREADS_H

#include <stddef.h>
#include <stdint.h>

enum { NNC_THREADS_MAX = 256 };

/* Runs work on each of count contexts, which are size bytes apart: on the first in the calling thread, on the others in
 * threads of their own as far as these can be started,
 * NNC_THREADS_MAX at most. The work must be one that whoever runs takes from the others. */
void nnc_threads_run(void (*work)(void *context), void *contexts, size_t size, int32_t count);

#endif
