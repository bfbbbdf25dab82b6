#include "base/shell_word.h"

#include <string.h>

/* Does a letter mean itself to a shell? */
static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("-_./=,:+@%", c) != NULL);
}

void nnc_shell_word(nnc_buffer *out, const char *text)
{
    const char *c = text;
    while (is_plain(*c)) {
        c++;
    }
    if (c > text && *c == '\0') {
        nnc_buffer_text(out, text);
        return;
    }
    nnc_buffer_byte(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            nnc_buffer_text(out, "'\\''");
        } else {
            nnc_buffer_byte(out, *text);
        }
    }
    nnc_buffer_byte(out, '\'');
}

/* Copies one word to its begin; returns where it ends in the line. */
static char *take_word(char *from, char *to)
{
    char quote = '\0';
    for (; *from != '\0' && (quote != '\0' || strchr(" \t\n", *from) == NULL); from++) {
        if (*from == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*from == '\'' || *from == '"')) {
            quote = *from;
        } else {
            from += *from == '\\' && quote != '\'' && from[1] != '\0' ? 1 : 0;
            *to++ = *from;
        }
    }
    char *end = *from != '\0' ? from + 1 : from;
    *to = '\0';
    return end;
}

int nnc_shell_split(char *line, char **words, int most)
{
    int count = 0;
    for (line += strspn(line, " \t\n"); *line != '\0'; line += strspn(line, " \t\n")) {
        if (count == most) {
            return -1;
        }
        words[count++] = line;
        line = take_word(line, line);
    }
    return count;
}
