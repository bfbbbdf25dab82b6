#include "input/python_text.h"

#include <string.h>

/* Begins a number that JSON does not have; its length, 0 = none. */
static size_t word_at(const char *at)
{
    return strncmp(at, "-Infinity", 9) == 0  ? 9
           : strncmp(at, "Infinity", 8) == 0 ? 8
           : strncmp(at, "NaN", 3) == 0      ? 3
                                             : 0;
}

bool nnc_python_text(nnc_arena *arena, const char **text, size_t size)
{
    if (strstr(*text, "Infinity") == NULL && strstr(*text, "NaN") == NULL) {
        return true;
    }
    char *copy = nnc_arena_alloc(arena, size + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, *text, size);
    bool quoted = false;
    for (char *c = copy; *c != '\0'; c++) {
        const size_t length = quoted ? 0 : word_at(c);
        if (length > 0) { /* as long as before, so that places in the text stay where they are */
            const char *const word = length == 3   ? "\"?\""
                                     : length == 8 ? "\"+inf\"  "
                                                   : "\"-inf\"   ";
            memcpy(c, word, length);
            c += length - 1;
        } else if (quoted && *c == '\\' && c[1] != '\0') {
            c++;
        } else if (*c == '"') {
            quoted = !quoted;
        }
    }
    *text = copy;
    return true;
}
