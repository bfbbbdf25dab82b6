/* Small pieces of text: numbers as people read them, headings of columns, widths, and escapes. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "render/render_internal.h"

/* Above this a double is not exact in units, and the grouping below would overflow int64_t. */
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

/* For a column whose heading names the unit: "386.5 G". */
static char *scaled_text(double value, char text[NNC_NUMBER_TEXT])
{
    nnc_unit_text(value, "", text);
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') {
        text[--length] = '\0';
    }
    return text;
}

/* 0.1234 -> "+12.3%", "x11.5" from ten times up, "-" for NaN. */
static char *error_text(double error, char text[NNC_NUMBER_TEXT])
{
    if (isnan(error)) {
        snprintf(text, NNC_NUMBER_TEXT, "-");
    } else if (fabs(error) >= 100.0) {
        snprintf(text, NNC_NUMBER_TEXT, "x%.4g", error + 1.0);
    } else {
        snprintf(text, NNC_NUMBER_TEXT, "%+.1f%%", 100.0 * error);
    }
    return text;
}

/* At most four significant digits. */
static char *short_text(double value, char text[NNC_NUMBER_TEXT])
{
    char rounded[NNC_NUMBER_TEXT];
    if (fabs(value) >= 1e4) {
        return nnc_unit_text(value, "", text);
    }
    snprintf(rounded, sizeof rounded, "%.3e", value);
    return nnc_number_text(strtod(rounded, NULL), text);
}

/* Does the unit take a prefix? Tokens and pixels are counts and take none. */
static bool is_measured(const char *unit)
{
    return !islower((unsigned char)unit[0]) || unit[1] == '\0';
}

const char *nnc_cell_text(const nnc_cell *cell, nnc_show show, const char *unit,
                          char text[NNC_METRIC_TEXT_MAX])
{
    const bool whole = cell->kind == NNC_CELL_WHOLE;
    const double value = whole ? (double)cell->whole : cell->number;
    if (cell->kind == NNC_CELL_TEXT) {
        return cell->text;
    }
    if (cell->kind == NNC_CELL_BOOL) {
        return cell->flag ? "yes" : "no";
    }
    if (cell->kind == NNC_CELL_NULL || isnan(value)) {
        return "-";
    }
    switch (show) {
    case NNC_SHOW_UNIT:
        if (unit != NULL && is_measured(unit)) {
            return nnc_unit_text(value, unit, text);
        }
        if (whole) {
            snprintf(text, NNC_NUMBER_TEXT, "%" PRId64, cell->whole);
            return text;
        }
        break;
    case NNC_SHOW_SHORT: break;
    case NNC_SHOW_COUNT: return nnc_count_text(value, text);
    case NNC_SHOW_PLAIN: return nnc_number_text(value, text);
    case NNC_SHOW_SCALED: return scaled_text(value, text);
    case NNC_SHOW_PERCENT: return nnc_percent_text(value, text);
    case NNC_SHOW_PERCENT2: snprintf(text, NNC_NUMBER_TEXT, "%.2f%%", 100.0 * value); return text;
    case NNC_SHOW_ERROR: return error_text(value, text);
    }
    return short_text(value, text);
}

/* The heading of a column: the last part of its name, "id" of model.id. */
static const char *last_part(const char *name)
{
    const char *dot = name != NULL ? strrchr(name, '.') : NULL;
    return dot != NULL ? dot + 1 : name;
}

nnc_head nnc_head_of(const nnc_metric *metric, const char *name)
{
    const bool text = metric->type == NNC_METRIC_TEXT || metric->type == NNC_METRIC_CHARS ||
                      metric->type == NNC_METRIC_ENUM || metric->type == NNC_METRIC_BOOL;
    return (nnc_head){ .name = name,
                       .text = last_part(name),
                       .unit = metric->unit,
                       .show = metric->show,
                       .left = text,
                       .shrinks = metric->shrinks,
                       .drop = metric->drop };
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

/* Writes a byte, or '?' for a control character. Returns the number of bytes read. */
static size_t put_printable(nnc_buffer *out, const char *text)
{
    const size_t control = nnc_control_length(text);
    nnc_buffer_byte(out, (char)(control > 0 ? '?' : *text));
    return control > 0 ? control : 1;
}

void nnc_put_plain(nnc_buffer *out, const char *text, int max)
{
    if (text[0] == ':' && text[1] == ':' &&
        max > 0) { /* at the start of a line it would be a workflow command */
        nnc_buffer_byte(out, '?');
        text++;
        max--;
    }
    while (*text != '\0') {
        const size_t plain = nnc_plain_length(text, max > 0 ? (size_t)max : 0);
        if (plain > 0) {
            nnc_buffer_put(out, text, plain);
            text += plain;
            max -= (int)plain;
            continue;
        }
        if (starts_character(*text) && max-- <= 0) {
            return;
        }
        text += put_printable(out, text);
    }
}

void nnc_put_markdown(nnc_buffer *out, const char *text)
{
    while (*text != '\0') {
        if (strchr("\\`*<|[", *text) != NULL) {
            nnc_buffer_byte(out, '\\');
        }
        text += put_printable(out, text);
    }
}
