#include "render/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Past this a double holds no single units, and the grouping below would run out of int64_t. */
static const double whole_max = 9007199254740992.0;

char *nnc_count_text(double value, char text[NNC_NUMBER_TEXT])
{
    const double size = fabs(value);
    if (isnan(value)) {
        snprintf(text, NNC_NUMBER_TEXT, "-");
    } else if (size < 999.5 || size > whole_max) {
        snprintf(text, NNC_NUMBER_TEXT, "%.4g", value);
    } else {
        char digits[NNC_NUMBER_TEXT];
        const int count = snprintf(digits, sizeof digits, "%" PRId64, (int64_t)llround(size));
        int at = 0;
        if (value < 0) {
            text[at++] = '-';
        }
        for (int i = 0; i < count; i++) {
            if (i > 0 && (count - i) % 3 == 0) {
                text[at++] = ',';
            }
            text[at++] = digits[i];
        }
        text[at] = '\0';
    }
    return text;
}

char *nnc_percent_text(double share, char text[NNC_NUMBER_TEXT])
{
    if (isnan(share)) {
        snprintf(text, NNC_NUMBER_TEXT, "-");
    } else {
        snprintf(text, NNC_NUMBER_TEXT, "%.1f%%", 100.0 * share);
    }
    return text;
}

char *nnc_scaled_text(double value, char text[NNC_NUMBER_TEXT])
{
    nnc_unit_text(value, "", text);
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') {
        text[--length] = '\0';
    }
    return text;
}

char *nnc_binary_text(double bytes, char text[NNC_NUMBER_TEXT])
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    size_t unit = 0;
    while (fabs(bytes) >= 1024.0 && unit + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1024.0;
        unit++;
    }
    snprintf(text, NNC_NUMBER_TEXT, "%.2f %s", bytes, units[unit]);
    return text;
}

static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xC0u) != 0x80u;
}

int nnc_text_width(const char *text)
{
    int width = 0;
    for (; *text; text++) {
        width += starts_character(*text) ? 1 : 0;
    }
    return width;
}

static void put_printable(nnc_buffer *out, char byte)
{
    nnc_buffer_byte(out, (unsigned char)byte < 0x20u || byte == 0x7F ? '?' : byte);
}

void nnc_put_plain(nnc_buffer *out, const char *text, int max)
{
    for (; *text; text++) {
        if (starts_character(*text) && max-- <= 0) {
            return;
        }
        put_printable(out, *text);
    }
}

void nnc_put_markdown(nnc_buffer *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*<|[", *text) != NULL) {
            nnc_buffer_byte(out, '\\');
        }
        put_printable(out, *text);
    }
}
