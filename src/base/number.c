#include "base/number.h"

#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest whole number below which a double holds every whole number. */
#define EXACT_MAX 9007199254740992.0

enum { NUMBER_LENGTH_MAX = 63 };

static size_t digits(const char *text, size_t size)
{
    size_t n = 0;
    while (n < size && text[n] >= '0' && text[n] <= '9') {
        n++;
    }
    return n;
}

size_t nnc_number_span(const char *text, size_t size)
{
    size_t at = size > 0 && text[0] == '-' ? 1 : 0;
    const size_t whole = digits(text + at, size - at);
    if (whole == 0 || (whole > 1 && text[at] == '0')) {
        return 0;
    }
    at += whole;
    if (at < size && text[at] == '.') {
        const size_t part = digits(text + at + 1, size - at - 1);
        if (part == 0) {
            return 0;
        }
        at += 1 + part;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        const size_t sign = at + 1 < size && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0;
        const size_t part = digits(text + at + 1 + sign, size - at - 1 - sign);
        if (part == 0) {
            return 0;
        }
        at += 1 + sign + part;
    }
    return at;
}

/* strtod follows the caller's locale. Where it stops at the point, that locale writes another one: put
 * it in. nl_langinfo names it for the thread's own locale too. */
static double to_double(const char *text)
{
    char *end, own[NUMBER_LENGTH_MAX + 16];
    const double value = strtod(text, &end);
    if (*end == '\0') {
        return value;
    }
    snprintf(own, sizeof own, "%.*s%s%s", (int)(end - text), text, nl_langinfo(RADIXCHAR), end + 1);
    return strtod(own, NULL);
}

bool nnc_read_double(const char *text, double *out)
{
    const size_t size = strlen(text);
    if (size == 0 || size > NUMBER_LENGTH_MAX || nnc_number_span(text, size) != size) {
        return false;
    }
    const double value = to_double(text);
    if (!isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

bool nnc_read_i64(const char *text, int64_t *out)
{
    double value;
    if (!nnc_read_double(text, &value) || fabs(value) > EXACT_MAX || value != floor(value)) {
        return false;
    }
    *out = (int64_t)value;
    return true;
}

/* Four significant digits, trailing zeros kept: 12.30, 312.0, 4096. */
static void four_digits(double value, char *text, size_t size)
{
    const double size_of = fabs(value);
    if (size_of == 0) {
        snprintf(text, size, "0");
    } else if (size_of >= 99999.5 || size_of < 1e-3) {
        snprintf(text, size, "%.3e", value);
        nnc_shorten_exponent(text);
    } else {
        double least = 999.95; /* of what needs no more decimals */
        int decimals = 0;
        while (size_of < least) {
            least /= 10;
            decimals++;
        }
        snprintf(text, size, "%.*f", decimals, value);
    }
    nnc_fix_point(text);
}

static char *seconds_text(double value, char text[NNC_NUMBER_TEXT])
{
    static const struct {
        double from, seconds;
        const char *unit;
    } units[] = {
        { 2 * 365.25 * 86400.0, 365.25 * 86400.0, "years" },
        { 2 * 86400.0, 86400.0, "days" },
        { 7200.0, 3600.0, "h" },
        { 0.99995, 1.0, "s" },
        { 0.99995e-3, 1e-3, "ms" },
        { 0.99995e-6, 1e-6, "us" },
        { 0, 1e-9, "ns" },
    };
    size_t i = 0;
    while (fabs(value) < units[i].from) {
        i++;
    }
    char number[NNC_NUMBER_TEXT - 8];
    four_digits(value / units[i].seconds, number, sizeof(number));
    snprintf(text, NNC_NUMBER_TEXT, "%s %s", number, value == 0 ? "s" : units[i].unit);
    return text;
}

char *nnc_unit_text(double value, const char *unit, char text[NNC_NUMBER_TEXT])
{
    static const char *const prefixes[] = { "n", "u", "m", "",  "k", "M",
                                            "G", "T", "P", "E", "Z", "Y" };
    const size_t one = 3, last = sizeof(prefixes) / sizeof(prefixes[0]) - 1;
    if (!isfinite(value)) {
        snprintf(text, NNC_NUMBER_TEXT, "-");
        return text;
    }
    if (strcmp(unit, "s") == 0) {
        return seconds_text(value, text);
    }
    /* Bytes and FLOPs come in whole numbers: "0.2500 FLOP/B", not "250 mFLOP/B". */
    const bool whole = unit[0] == 'B' || strncmp(unit, "FLOP", 4) == 0;
    size_t prefix = one;
    while (prefix < last && fabs(value) >= 999.95) {
        value /= 1000;
        prefix++;
    }
    while (!whole && prefix > 0 && value != 0 && fabs(value) < 0.99995) {
        value *= 1000;
        prefix--;
    }
    char number[NNC_NUMBER_TEXT / 2];
    if (prefix == one && strcmp(unit, "B") == 0 && value == floor(value)) {
        snprintf(number, sizeof(number), "%.0f", value);
    } else {
        four_digits(value, number, sizeof(number));
    }
    const bool bare = unit[0] == '\0' && prefix == one;
    snprintf(text, NNC_NUMBER_TEXT, "%s%s%s%s", number, bare ? "" : " ", prefixes[prefix], unit);
    return text;
}
