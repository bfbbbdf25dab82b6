#ifndef NNCOST_CLI_TERMINAL_H
#define NNCOST_CLI_TERMINAL_H

/* Columns of the terminal that standard output is; 0 = not known. */
int nnc_terminal_columns(void);

#endif
