#include "base/shell_word.h"

#include <string.h>

void nnc_shell_word(nnc_buffer *out, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-_./=,:+@%";
    if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
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
