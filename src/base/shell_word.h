/* A word as a shell reads it back. */
#ifndef NNCOST_BASE_SHELL_WORD_H
#define NNCOST_BASE_SHELL_WORD_H

#include "base/buffer.h"

/* Bare where that is safe, else in single quotes. */
void nnc_shell_word(nnc_buffer *out, const char *text);

#endif
