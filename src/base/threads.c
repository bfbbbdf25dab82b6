#include "base/threads.h"

#include <pthread.h>

typedef struct runner {
    void (*work)(void *context);
    void *context;
    pthread_t thread;
} runner;

static void *run(void *argument)
{
    const runner *self = argument;
    self->work(self->context);
    return NULL;
}

void nnc_threads_run(void (*work)(void *context), void *contexts, size_t size, int32_t count)
{
    runner runners[NNC_THREADS_MAX];
    int32_t started = 1;
    for (; started < count && started < NNC_THREADS_MAX; started++) {
        runner *one = &runners[started];
        one->work = work;
        one->context = (char *)contexts + (size_t)started * size;
        if (pthread_create(&one->thread, NULL, run, one) != 0) {
            break;
        }
    }
    work(contexts);
    for (int32_t i = 1; i < started; i++) {
        (void)pthread_join(runners[i].thread, NULL);
    }
}
