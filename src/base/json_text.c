/* Text as JSON has it. */
#include "base/json_text.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"

/* A control character, of at most three bytes of UTF-8, as \uXXXX. */
static void put_escape(nnc_buffer *out, const char *text, size_t length)
{
    unsigned code = (unsigned char)text[0] & (length == 1 ? 0x7FU : length == 2 ? 0x1FU : 0x0FU);
    for (size_t i = 1; i < length; i++) {
        code = code << 6U | ((unsigned char)text[i] & 0x3FU);
    }
    nnc_buffer_print(out, "\\u%04x", code);
}

void nnc_put_json_text(nnc_buffer *out, const char *text)
{
    const size_t begin = nnc_plain_length(text, SIZE_MAX);
    nnc_buffer_byte(out, '"');
    nnc_buffer_put(out, text, begin); /* of most texts that is all */
    text += begin;
    for (size_t left = strlen(text); left > 0;) {
        const size_t plain = nnc_plain_length(text, left);
        const size_t length = plain > 0 ? plain : nnc_utf8_length(text, left);
        if (plain > 0) {
            nnc_buffer_put(out, text, plain);
        } else if (length == 0) {
            nnc_buffer_text(out, "\\ufffd");
        } else if (*text == '"' || *text == '\\') {
            nnc_buffer_byte(out, '\\');
            nnc_buffer_byte(out, *text);
        } else if (nnc_control_length(text) > 0) {
            put_escape(out, text, length);
        } else {
            nnc_buffer_put(out, text, length);
        }
        text += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    nnc_buffer_byte(out, '"');
}
