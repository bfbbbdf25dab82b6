#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest whole number below which a double holds every whole number. */
#define EXACT_MAX 9007199254740992.0

enum { NUMBER_LENGTH_MAX = 63 };

bool nnc_mul_i64(int64_t a, int64_t b, int64_t *out)
{
    const uint64_t small = (uint64_t)1 << 31; /* most are: no division then */
    if (a >= 0 && b >= 0 && (uint64_t)a < small && (uint64_t)b < small) {
        *out = a * b;
        return true;
    }
    if (a != 0 && b != 0) {
        const bool same_sign = (a > 0) == (b > 0);
        if (same_sign ? (a > 0 ? a > INT64_MAX / b : a < INT64_MAX / b)
                      : (a > 0 ? b < INT64_MIN / a : a < INT64_MIN / b)) {
            return false;
        }
    }
    *out = a * b;
    return true;
}

bool nnc_add_i64(int64_t a, int64_t b, int64_t *out)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
        return false;
    }
    *out = a + b;
    return true;
}

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

/* A number of at most 15 digits and a small power of ten: both are exact, and so is the rounding of
 * their one product or quotient. Most numbers are, and this needs neither strtod nor its locale.
 * Source: Clinger, How to read floating point numbers accurately, PLDI 1990. */
static bool read_short(const char *text, size_t size, double *value)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    int64_t mantissa = 0;
    int digit_count = 0, power = 0, exponent = 0;
    bool fraction = false;
    size_t at = text[0] == '-' ? 1 : 0;
    for (; at < size && text[at] != 'e' && text[at] != 'E'; at++) {
        if (text[at] == '.') {
            fraction = true;
        } else {
            mantissa = 10 * mantissa + (text[at] - '0');
            power -= fraction;
            if (++digit_count > 15) {
                return false;
            }
        }
    }
    const bool negative = at + 1 < size && text[at + 1] == '-';
    const bool plus = at + 1 < size && text[at + 1] == '+';
    for (at += negative || plus ? 2 : 1; at < size; at++) {
        exponent = 10 * exponent + (text[at] - '0');
        if (exponent > 99) {
            return false;
        }
    }
    power += negative ? -exponent : exponent;
    if (power < -22 || power > 22) {
        return false;
    }
    *value = power < 0 ? (double)mantissa / powers[-power] : (double)mantissa * powers[power];
    *value = text[0] == '-' ? -*value : *value;
    return true;
}

/* strtod reads the decimal point of the caller's locale: write the number with that point. */
static double to_double(const char *text, size_t size)
{
    double exact;
    if (read_short(text, size, &exact)) {
        return exact;
    }
    char probe[16], number[NUMBER_LENGTH_MAX + sizeof(probe)];
    snprintf(probe, sizeof(probe), "%.1f", 0.5); /* "0.5", "0,5" */
    const size_t point_length = strlen(probe) - 2;
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '.') {
            memcpy(number + length, probe + 1, point_length);
            length += point_length;
        } else {
            number[length++] = text[i];
        }
    }
    number[length] = '\0';
    return strtod(number, NULL);
}

bool nnc_read_double(const char *text, double *out)
{
    const size_t size = strlen(text);
    if (size == 0 || size > NUMBER_LENGTH_MAX || nnc_number_span(text, size) != size) {
        return false;
    }
    const double value = to_double(text, size);
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

char *nnc_number_text(double value, char text[NNC_NUMBER_TEXT])
{
    if (!isfinite(value)) {
        snprintf(text, NNC_NUMBER_TEXT, "null");
    } else if (value == 0) {
        snprintf(text, NNC_NUMBER_TEXT, "0"); /* -0 too */
    } else {
        snprintf(text, NNC_NUMBER_TEXT, "%.12g", value);
        fix_point(text);
        shorten_exponent(text);
    }
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
