/* Texts that Python's json module wrote. */
#ifndef NNCOST_INPUT_PYTHON_TEXT_H
#define NNCOST_INPUT_PYTHON_TEXT_H

#include <stdbool.h>

#include "base/arena.h"

/* Replaces Infinity, -Infinity and NaN, which JSON does not have, by texts of the same length that no key of a
 * number accepts. *text becomes a copy in the arena where there are any. false: out of memory. */
bool nnc_python_text(nnc_arena *arena, const char **text, size_t size);

#endif
