/* For systems without signals. */
#include "cli/interrupt.h"

void nnc_interrupt_spare(void)
{
}

void nnc_interrupt_hold(nnc_interrupt *interrupt)
{
    *interrupt = (nnc_interrupt){ 0, 0 };
}

int nnc_interrupt_asked(const nnc_interrupt *interrupt)
{
    (void)interrupt;
    return 0;
}

void nnc_interrupt_release(nnc_interrupt *interrupt)
{
    (void)interrupt;
}
