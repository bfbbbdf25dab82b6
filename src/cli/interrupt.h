/* SIGHUP, SIGINT, SIGTERM, and what batch systems send before they end a job, SIGUSR1 and SIGXCPU, wait
 * while they are held, to be asked for where stopping is safe. Threads that are started meanwhile hold them
 * too. */
#ifndef NNCOST_CLI_INTERRUPT_H
#define NNCOST_CLI_INTERRUPT_H

#include <stdint.h>

typedef struct nnc_interrupt {
    uint32_t held, blocked; /* a bit for each signal; blocked: by this one, not before */
} nnc_interrupt;

/* No signal ends the program for what a call returns as an error. */
void nnc_interrupt_spare(void);

void nnc_interrupt_hold(nnc_interrupt *interrupt);
/* The signal that waits; 0 = none. */
int nnc_interrupt_asked(const nnc_interrupt *interrupt);
/* Lets signals through again, but those that waited. */
void nnc_interrupt_release(nnc_interrupt *interrupt);

#endif
