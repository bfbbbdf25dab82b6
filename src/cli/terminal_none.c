/* For systems without terminals. */
#include "cli/terminal.h"

int nnc_terminal_columns(void)
{
    return 0;
}
