#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = { SIGHUP, SIGINT, SIGUSR1, SIGTERM, SIGXCPU };
enum { COUNT = sizeof numbers / sizeof numbers[0] };

void nnc_interrupt_spare(void)
{
    (void)signal(SIGXFSZ, SIG_IGN); /* a file past its limit is an error of write() */
}

static void set_of(uint32_t bits, sigset_t *set)
{
    sigemptyset(set);
    for (int i = 0; i < COUNT; i++) {
        if ((bits >> i & 1U) != 0) {
            sigaddset(set, numbers[i]);
        }
    }
}

/* A signal that the shell has turned off, as for a job in the background, stays so. */
void nnc_interrupt_hold(nnc_interrupt *interrupt)
{
    struct sigaction action;
    sigset_t held, before;
    *interrupt = (nnc_interrupt){ 0, 0 };
    for (int i = 0; i < COUNT; i++) {
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            interrupt->held |= 1U << i;
        }
    }
    set_of(interrupt->held, &held);
    sigemptyset(&before);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    for (int i = 0; i < COUNT; i++) {
        if (sigismember(&before, numbers[i]) == 0) {
            interrupt->blocked |= interrupt->held & 1U << i;
        }
    }
}

int nnc_interrupt_asked(const nnc_interrupt *interrupt)
{
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    for (int i = 0; i < COUNT; i++) {
        if ((interrupt->held >> i & 1U) != 0 && sigismember(&pending, numbers[i]) == 1) {
            return numbers[i];
        }
    }
    return 0;
}

void nnc_interrupt_release(nnc_interrupt *interrupt)
{
    int number = 0;
    sigset_t held, blocked;
    set_of(interrupt->held, &held);
    while (nnc_interrupt_asked(interrupt) != 0 && sigwait(&held, &number) == 0) {
    }
    set_of(interrupt->blocked, &blocked);
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
}
