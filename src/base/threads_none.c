/* For systems without threads. */
#include "base/threads.h"

void nnc_threads_run(void (*work)(void *context), void *contexts, size_t size, int32_t count)
{
    (void)size;
    (void)count;
    work(contexts);
}
