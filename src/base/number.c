#include "base/number.h"

#include <float.h>
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

/* Replaces the decimal point of the caller's locale, whatever its length, by '.'. */
static void fix_point(char *text)
{
    char *at = text + (text[0] == '-');
    at += digits(at, strlen(at));
    if (*at == '\0' || *at == 'e') {
        return;
    }
    char *rest = at;
    while (*rest != '\0' && (*rest < '0' || *rest > '9')) {
        rest++;
    }
    *at = '.';
    memmove(at + 1, rest, strlen(rest) + 1);
}

/* "1e+15" -> "1e15", "1e-05" -> "1e-5". */
static void shorten_exponent(char *text)
{
    char *at = strchr(text, 'e');
    if (at == NULL) {
        return;
    }
    at++;
    char *rest = at + 1; /* printf always writes the sign */
    if (*at == '-') {
        at++;
    }
    while (*rest == '0' && rest[1] != '\0') {
        rest++;
    }
    memmove(at, rest, strlen(rest) + 1);
}

enum { DIGITS = 12, POWERS = 22 };

/* A power of ten that a double, and so a long double, holds exactly. */
static const double powers[POWERS + 1] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* The first twelve digits of a number above 0 as a whole number, and the power of ten of the first. One product
 * with an exact power is off by less than half a unit of a long double; false where that could decide the last
 * digit, or where the power is not exact. */
static bool twelve_digits(double value, int64_t *whole, int *power)
{
    const long double tolerance = 4.0L * 1e12L * LDBL_EPSILON;
    int binary;
    (void)frexp(value, &binary);
    int ten =
        (int)floor((binary - 1) * 0.30102999566398120); /* of the first digit, or one too small */
    for (int tries = 0; tries < 2; tries++, ten++) {
        const int shift = DIGITS - 1 - ten;
        if (shift > POWERS || shift < -POWERS) {
            return false;
        }
        const long double scaled =
            shift >= 0 ? (long double)value * powers[shift] : (long double)value / powers[-shift];
        if (scaled >= 1e12L - 0.5L + tolerance) {
            continue;
        }
        const int64_t below = (int64_t)scaled;
        const long double rest = scaled - (long double)below - 0.5L;
        *whole = below + (rest > 0.0L ? 1 : 0);
        *power = ten;
        return fabsl(rest) > tolerance && scaled < 1e12L - 0.5L - tolerance && scaled >= 1e11L;
    }
    return false;
}

/* What "%.12g" writes in the C locale, its exponent shortened; most numbers of an output are such. */
static bool plain_text(double value, char text[NNC_NUMBER_TEXT])
{
    char digit[DIGITS];
    int64_t whole;
    int power, count = DIGITS;
    if (!twelve_digits(fabs(value), &whole, &power)) {
        return false;
    }
    for (int i = DIGITS - 1; i >= 0; i--) {
        digit[i] = (char)('0' + whole % 10);
        whole /= 10;
    }
    while (count > 1 && digit[count - 1] == '0') {
        count--;
    }
    const bool scientific = power < -4 || power >= DIGITS;
    const int before =
        scientific ? 1 : power + 1; /* digits before the point; below 1: zeros after it */
    char *at = text;
    if (value < 0) {
        *at++ = '-';
    }
    for (int i = before < 1 ? before - 1 : 0; i < count || i < before; i++) {
        *at++ = (char)(i >= 0 && i < count ? digit[i] : '0');
        if (i + 1 == before && i + 1 < count) {
            *at++ = '.';
        }
    }
    if (scientific) {
        at += snprintf(at, 8, "e%d", power);
    }
    *at = '\0';
    return true;
}

char *nnc_number_text(double value, char text[NNC_NUMBER_TEXT])
{
    if (!isfinite(value)) {
        snprintf(text, NNC_NUMBER_TEXT, "null");
    } else if (value == 0) {
        snprintf(text, NNC_NUMBER_TEXT, "0"); /* -0 too */
    } else if (!plain_text(value, text)) {
        snprintf(text, NNC_NUMBER_TEXT, "%.12g", value);
        fix_point(text);
        shorten_exponent(text);
    }
    return text;
}

char *nnc_whole_text(int64_t value, char text[NNC_NUMBER_TEXT])
{
    char digit[24];
    int count = 0;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char *at = text;
    do {
        digit[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0) {
        *at++ = '-';
    }
    while (count > 0) {
        *at++ = digit[--count];
    }
    *at = '\0';
    return text;
}

/* Four significant digits, trailing zeros kept: 12.30, 312.0, 4096. */
static void four_digits(double value, char *text, size_t size)
{
    const double size_of = fabs(value);
    if (size_of == 0) {
        snprintf(text, size, "0");
    } else if (size_of >= 99999.5 || size_of < 1e-3) {
        snprintf(text, size, "%.3e", value);
        shorten_exponent(text);
    } else {
        double least = 999.95; /* of what needs no more decimals */
        int decimals = 0;
        while (size_of < least) {
            least /= 10;
            decimals++;
        }
        snprintf(text, size, "%.*f", decimals, value);
    }
    fix_point(text);
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
