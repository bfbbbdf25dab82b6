/* Words as a shell reads them. */
#ifndef NNCOST_BASE_SHELL_WORD_H
#define NNCOST_BASE_SHELL_WORD_H

#include "base/buffer.h"

/* Bare where that is safe, else in single quotes. */
void nnc_shell_word(nnc_buffer *out, const char *text);

/* Takes a line apart in place, at its spaces but those in quotes; a backslash takes the next character as it is.
 * Returns how many words there are, or -1 where they are more than `most`. */
int nnc_shell_split(char *line, char **words, int most);

#endif
