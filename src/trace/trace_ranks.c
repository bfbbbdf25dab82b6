/* The ranks of one run: how long each waits for the others.
 *
 *     rank 0   compute ....|collective          |          takes longest: it came first
 *     rank 1   compute .............|collective |          came last, and waited for no one
 *
 * Clocks of ranks need not agree: only durations are compared, of the nth collective of a kind. */
#include <stdlib.h>
#include <string.h>

#include "trace/trace_internal.h"

#define NS 1e-9

static int in_order(const void *a, const void *b)
{
    const nnc_trace_collective *x = a, *y = b;
    return x->what != y->what ? (x->what > y->what) - (x->what < y->what)
                              : (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

bool nnc_trace_collectives(const nnc_trace *t, int32_t rank, nnc_buffer *all)
{
    const size_t before = all->size;
    for (int64_t i = 0; i < t->kernel_count; i++) {
        const nnc_trace_kernel *k = &t->kernels[i];
        const char *name = t->names[k->name];
        if (k->class == NNC_TRACE_COMMUNICATION && strstr(name, "SendRecv") == NULL) {
            const nnc_trace_collective one = { .what = nnc_digest_text(NNC_DIGEST_START, name) ^
                                                       k->group,
                                               .start_ns = k->start_ns,
                                               .rank = rank,
                                               .seconds = (double)(k->end_ns - k->start_ns) * NS };
            nnc_buffer_put(all, &one, sizeof one);
        }
    }
    if (all->failed || all->size == before) {
        return !all->failed;
    }
    nnc_trace_collective *own = (nnc_trace_collective *)(void *)(all->bytes + before);
    const size_t count = (all->size - before) / sizeof *own;
    qsort(own, count, sizeof *own, in_order);
    for (size_t i = 0; i < count; i++) {
        own[i].nth = i > 0 && own[i].what == own[i - 1].what ? own[i - 1].nth + 1 : 0;
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    const nnc_trace_collective *x = a, *y = b;
    return x->what != y->what ? (x->what > y->what) - (x->what < y->what)
                              : (x->nth > y->nth) - (x->nth < y->nth);
}

void nnc_trace_wait(nnc_trace_collective *all, int64_t count, nnc_trace_rank *ranks)
{
    if (count > 0) {
        qsort(all, (size_t)count, sizeof *all, by_number);
    }
    for (int64_t i = 0, end = 0; i < count; i = end) {
        double least = all[i].seconds;
        for (end = i + 1; end < count && by_number(&all[i], &all[end]) == 0; end++) {
            least = nnc_min(least, all[end].seconds);
        }
        for (int64_t k = i; k < end; k++) {
            ranks[all[k].rank].waits_s += all[k].seconds - least;
        }
    }
}
