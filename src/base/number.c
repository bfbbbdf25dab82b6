/* Strict reading of numbers, units and prefixes, and printing of numbers with at most 12 digits.
 *
 * Numbers are printed without printf, because sweeps print many numbers. nnc_number_write() takes about 350
 * instructions per number; snprintf("%.12g") takes 3,700 (measured with callgrind on 10,000 random numbers).
 * nnc_number_write() multiplies the 53-bit mantissa of the number by the first 64 bits of a power of ten. If the
 * rounding error of the multiplication could change the 12th digit, nnc_number_write() calls snprintf instead. */
#include <float.h>

#if defined(_WIN32)
#include <locale.h>
#define RADIXCHAR 0
#define nl_langinfo(item) (localeconv()->decimal_point)
#else
#include <langinfo.h>
#endif

#include "base/base_internal.h"

#if FLT_EVAL_METHOD == 2
#error "intermediate results have other digits than a double: build with -msse2 -mfpmath=sse"
#endif

/* 2^53: doubles represent every whole number from 0 to 2^53. */
#define EXACT_MAX 9007199254740992.0

enum { NUMBER_LENGTH_MAX = 63 };

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void nnc_sort_numbers(double *values, size_t count) { qsort(values, count, sizeof *values, ascending); }

double nnc_median(double *values, size_t count) {
    nnc_sort_numbers(values, count);
    return (values[(count - 1) / 2] + values[count / 2]) / 2.0;
}

static size_t digits(const char *text, size_t size) {
    size_t n = 0;
    while (n < size && text[n] >= '0' && text[n] <= '9') { n++; }
    return n;
}

size_t nnc_number_span(const char *text, size_t size) {
    size_t at = size > 0 && text[0] == '-' ? 1 : 0;
    const size_t whole = digits(text + at, size - at);
    if (whole == 0 || (whole > 1 && text[at] == '0')) { return 0; }
    at += whole;
    if (at < size && text[at] == '.') {
        const size_t part = digits(text + at + 1, size - at - 1);
        if (part == 0) { return 0; }
        at += 1 + part;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        const size_t sign = at + 1 < size && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0;
        const size_t part = digits(text + at + 1 + sign, size - at - 1 - sign);
        if (part == 0) { return 0; }
        at += 1 + sign + part;
    }
    return at;
}

/* Converts the text of a JSON number to a double with strtod. strtod expects the decimal point of the caller's locale.
 * If this decimal point is not '.', the function replaces '.' in a copy of the text. nl_langinfo returns the decimal
 * point of the locale of the current thread, even if the locale was set for this thread only. */
static double to_double(const char *text) {
    char *end, own[NUMBER_LENGTH_MAX + 16];
    const double value = strtod(text, &end);
    if (*end == '\0') { return value; }
    snprintf(own, sizeof own, "%.*s%s%s", (int)(end - text), text, nl_langinfo(RADIXCHAR), end + 1);
    return strtod(own, NULL);
}

/* The powers of ten from 10^0 to 10^22, which doubles represent exactly. */
static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* Reads a decimal number with at most 15 digits and a power of ten from -22 to 22 (the number of decimals is subtracted
 * from the power). A double represents up to 15 digits and powers of ten from -22 to 22 exactly, so one multiplication
 * or division gives the nearest double. Source: Clinger, PLDI '90. Returns false if the text is not a decimal number
 * with at most 15 digits and a power of ten from -22 to 22. */
static bool read_short(const char *text, double *out) {
    int64_t value = 0;
    int digits = 0, decimals = 0, power = 0;
    const char *point = NULL, *c = text;
    for (; digits <= 15 && ((*c >= '0' && *c <= '9') || (*c == '.' && point == NULL && c > text)); c++) {
        if (*c == '.') {
            point = c;
        } else {
            value = 10 * value + (*c - '0');
            digits++;
            decimals += point != NULL;
        }
    }
    if (*c == 'e' && digits > 0) {
        const bool negative = c[1] == '-';
        c += negative ? 2 : 1;
        if (*c < '0' || *c > '9') { return false; }
        power = *c++ - '0';
        if (*c >= '0' && *c <= '9') { power = 10 * power + (*c++ - '0'); }
        power = negative ? -power : power;
    }
    power -= decimals;
    if (digits == 0 || digits > 15 || *c != '\0' || (point != NULL && decimals == 0) ||
        (text[0] == '0' && digits - decimals > 1) || power < -22 || power > 22) {
        return false;
    }
    *out = power < 0 ? (double)value / tens[-power] : (double)value * tens[power];
    return true;
}

bool nnc_read_double(const char *text, double *out) {
    if (read_short(text, out)) { return true; }
    const size_t size = strlen(text);
    if (size == 0 || size > NUMBER_LENGTH_MAX || nnc_number_span(text, size) != size) { return false; }
    const double value = to_double(text);
    if (!isfinite(value)) { return false; }
    *out = value;
    return true;
}

double nnc_rounded(double value, int digits) {
    char text[NNC_NUMBER_TEXT];
    double rounded = value;
    snprintf(text, sizeof text, "%.*g", digits, value);
    return nnc_read_double(text, &rounded) ? rounded : value;
}

bool nnc_read_i64(const char *text, int64_t *out) {
    double value;
    if (!nnc_read_double(text, &value) || fabs(value) > EXACT_MAX || value != floor(value)) { return false; }
    *out = (int64_t)value;
    return true;
}

bool nnc_decimals_write(double value, int decimals, char *text) {
    const double scaled = value * tens[decimals], whole = floor(scaled);
    int64_t left = (int64_t)whole + (scaled - whole > 0.5 ? 1 : 0);
    if (fabs(scaled - whole - 0.5) < 1e-6) { return false; }
    const int64_t before = left / (int64_t)tens[decimals];
    char *at = text + nnc_whole_write(before, text);
    left -= before * (int64_t)tens[decimals];
    if (decimals > 0) { *at++ = '.'; }
    for (int i = decimals - 1; i >= 0; i--, left /= 10) { at[i] = (char)('0' + left % 10); }
    at[decimals] = '\0';
    return true;
}

/* Writes a number with four significant digits, trailing zeros included: 12.30, 312.0, 4096. A number of 99999.5 or
 * more, or below 1e-3, is written with an exponent. */
static void four_digits(double value, char *text, size_t size) {
    const double size_of = fabs(value);
    if (size_of == 0) {
        snprintf(text, size, "0");
    } else if (size_of >= 99999.5 || size_of < 1e-3) {
        snprintf(text, size, "%.3e", value);
        nnc_shorten_exponent(text);
    } else {
        double least = 999.95; /* a value below `least` needs one more decimal to show four digits */
        int decimals = 0;
        while (size_of < least) {
            least /= 10;
            decimals++;
        }
        *text = '-';
        if (nnc_decimals_write(size_of, decimals, text + (value < 0.0))) { return; }
        snprintf(text, size, "%.*f", decimals, value);
    }
    nnc_fix_point(text);
}

/* Writes several texts (`parts`) one after the other into `text`, at most NNC_NUMBER_TEXT bytes. snprintf would need
 * several times as many instructions. */
static char *join(char text[NNC_NUMBER_TEXT], const char *const parts[], int count) {
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        for (const char *c = parts[i]; *c != '\0' && used + 1 < NNC_NUMBER_TEXT; c++) { text[used++] = *c; }
    }
    text[used] = '\0';
    return text;
}

static char *seconds_text(double value, char text[NNC_NUMBER_TEXT]) {
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
    while (fabs(value) < units[i].from) { i++; }
    char number[NNC_NUMBER_TEXT - 8];
    four_digits(value / units[i].seconds, number, sizeof(number));
    const char *const parts[] = { number, " ", value == 0 ? "s" : units[i].unit };
    return join(text, parts, 3);
}

char *nnc_unit_text(double value, const char *unit, char text[NNC_NUMBER_TEXT]) {
    static const char *const prefixes[] = { "n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y" };
    const size_t one = 3, last = sizeof(prefixes) / sizeof(prefixes[0]) - 1;
    if (!isfinite(value)) {
        snprintf(text, NNC_NUMBER_TEXT, "-");
        return text;
    }
    if (strcmp(unit, "s") == 0) { return seconds_text(value, text); }
    /* A value below 1 in bytes or FLOPs gets no SI prefix: "0.2500 FLOP/B", not "250 mFLOP/B". */
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
    const char *const parts[] = { number, bare ? "" : " ", prefixes[prefix], unit };
    return join(text, parts, 4);
}

/* ---- printing numbers with at most 12 digits ---- */

void nnc_fix_point(char *text) {
    char *at = text + (text[0] == '-');
    at += strspn(at, "0123456789");
    if (*at == '\0' || *at == 'e') { return; }
    char *rest = at;
    while (*rest != '\0' && (*rest < '0' || *rest > '9')) { rest++; }
    *at = '.';
    memmove(at + 1, rest, strlen(rest) + 1);
}

void nnc_shorten_exponent(char *text) {
    char *at = strchr(text, 'e');
    if (at == NULL) { return; }
    at++;
    char *rest = at + 1; /* printf always writes a sign before the exponent */
    if (*at == '-') { at++; }
    while (*rest == '0' && rest[1] != '\0') { rest++; }
    memmove(at, rest, strlen(rest) + 1);
}

enum { DIGITS = 12, POWER_MIN = -22, POWER_MAX = 27 };

/* The upper 64 bits of the powers of ten from 10^-22 to 10^27, for twelve_digits(). The entries of the table for 10^0
 * to 10^27 are exact. */
static const uint64_t powers[] = {
    0xF1C90080BAF72CB1u, 0x971DA05074DA7BEEu, 0xBCE5086492111AEAu, 0xEC1E4A7DB69561A5u, 0x9392EE8E921D5D07u,
    0xB877AA3236A4B449u, 0xE69594BEC44DE15Bu, 0x901D7CF73AB0ACD9u, 0xB424DC35095CD80Fu, 0xE12E13424BB40E13u,
    0x8CBCCC096F5088CBu, 0xAFEBFF0BCB24AAFEu, 0xDBE6FECEBDEDD5BEu, 0x89705F4136B4A597u, 0xABCC77118461CEFCu,
    0xD6BF94D5E57A42BCu, 0x8637BD05AF6C69B5u, 0xA7C5AC471B478423u, 0xD1B71758E219652Bu, 0x83126E978D4FDF3Bu,
    0xA3D70A3D70A3D70Au, 0xCCCCCCCCCCCCCCCCu, 0x8000000000000000u, 0xA000000000000000u, 0xC800000000000000u,
    0xFA00000000000000u, 0x9C40000000000000u, 0xC350000000000000u, 0xF424000000000000u, 0x9896800000000000u,
    0xBEBC200000000000u, 0xEE6B280000000000u, 0x9502F90000000000u, 0xBA43B74000000000u, 0xE8D4A51000000000u,
    0x9184E72A00000000u, 0xB5E620F480000000u, 0xE35FA931A0000000u, 0x8E1BC9BF04000000u, 0xB1A2BC2EC5000000u,
    0xDE0B6B3A76400000u, 0x8AC7230489E80000u, 0xAD78EBC5AC620000u, 0xD8D726B7177A8000u, 0x878678326EAC9000u,
    0xA968163F0A57B400u, 0xD3C21BCECCEDA100u, 0x84595161401484A0u, 0xA56FA5B99019A5C8u, 0xCECB8F27F4200F3Au,
};
_Static_assert(sizeof powers / sizeof powers[0] == POWER_MAX - POWER_MIN + 1, "a power is missing");

/* Returns the upper 64 bits of the 128-bit product a * b; *low receives the lower 64 bits. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low) {
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t least = a0 * b0, middle = a1 * b0 + (least >> 32);
    const uint64_t other = a0 * b1 + (middle & UINT32_MAX);
    *low = other << 32 | (least & UINT32_MAX);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* Computes the first 12 digits of a normal number above 0 as a whole number (*whole), and the power of ten of the first
 * digit (*power). Multiplies the mantissa of the number by a power of ten from the table `powers` and keeps the upper
 * 64 bits of the product. The table has rounded powers of ten, so the upper 64 bits of the product can be too small, by
 * less than 1. Returns false if the table lacks the power of ten, or if the 12th digit is uncertain: because the
 * product is rounded, or because the number lies in the middle between two values with 12 digits. */
static bool twelve_digits(double value, uint64_t *whole, int *power) {
    uint64_t bits, low;
    memcpy(&bits, &value, sizeof bits);
    const int binary = (int)(bits >> 52 & 0x7FF) - 1023;
    const int ten = ((binary * 78913 + (1000 << 18)) >> 18) - 1000; /* power of ten of the first digit of `value`, or 1
                                                                     * less */
    const int shift = DIGITS - 1 - ten;
    if (shift < POWER_MIN || shift > POWER_MAX) { return false; }
    const uint64_t all = (UINT64_C(1) << 52 | (bits & (UINT64_MAX >> 12))) << 11;
    const uint64_t high = multiply(all, powers[shift - POWER_MIN], &low);
    /* `all` is the mantissa, shifted left to 64 bits: value = all * 2^(binary - 63). The entry of the table `powers`
     * for the power of ten `shift` is the number for which 10^shift = entry * 2^(floor(shift * log2(10)) - 63), apart
     * from rounding. The product all * entry is high * 2^64 + low, so value * 10^shift = (high * 2^64 + low) * 2^two.
     * The fraction 217706 / 2^16 is about log2(10). */
    const int two = binary - 63 + ((shift * 217706 + (1000 << 16)) >> 16) - 1000 - 63;
    /* the low `cut` bits (20 to 28) of `high` are the fraction that follows the 12 digits */
    const int cut = -two - 64;
    const uint64_t fraction_mask = (UINT64_C(1) << cut) - 1, half = UINT64_C(1) << (cut - 1);
    uint64_t digits = high >> cut, fraction = high & fraction_mask, scale = 1;
    *power = ten;
    /* if `digits` has 13 digits, its last digit becomes part of the fraction */
    if (digits >= UINT64_C(1000000000000)) {
        fraction += digits % 10 << cut;
        digits /= 10;
        scale = 10;
        ++*power;
    }
    *whole = digits + (fraction >= half * scale ? 1 : 0);
    /* If the fraction differs from one half by more than the last bit of `high`, the bits of the product that were cut
     * off cannot change the rounding. */
    return (fraction > half * scale || fraction + 1 < half * scale) && *whole < UINT64_C(1000000000000);
}

/* The texts of the numbers from 00 to 99, two digits each, one after the other. */
static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

static void put_four(char *text, uint32_t number) {
    memcpy(text, pairs + (size_t)(number / 100) * 2, 2);
    memcpy(text + 2, pairs + (size_t)(number % 100) * 2, 2);
}

/* Writes the number whose first 12 digits are `whole` in the form of "%.12g" in the C locale, but with a shorter
 * exponent. Returns the end of the written text. */
static char *put_plain(double value, uint64_t whole, int power, char *text) {
    char digit[DIGITS];
    int count = DIGITS;
    put_four(digit, (uint32_t)(whole / 100000000));
    put_four(digit + 4, (uint32_t)(whole / 10000 % 10000));
    put_four(digit + 8, (uint32_t)(whole % 10000));
    while (count > 1 && digit[count - 1] == '0') { count--; }
    const bool scientific = power < -4 || power >= DIGITS;
    int before = scientific ? 1 : power + 1; /* number of digits before the decimal point of the written number */
    if (value < 0) { *text++ = '-'; }
    if (before < 1) { /* a number below 1 is written as "0.", zeros, and the digits */
        memcpy(text, "0.000", 5);
        text += 2 - before;
        before = 0;
    } else {
        /* copies all 12 digits: zeros at the end, too, because they may be before the decimal point */
        memcpy(text, digit, DIGITS);
        text += before;
        if (before < count) { *text++ = '.'; }
    }
    if (before < count) {
        memcpy(text, digit + before, (size_t)(count - before));
        text += count - before;
    }
    if (scientific) {
        *text++ = 'e';
        char exponent[NNC_NUMBER_TEXT];
        const size_t length = nnc_whole_write(power, exponent);
        memcpy(text, exponent, length);
        text += length;
    }
    *text = '\0';
    return text;
}

size_t nnc_number_write(double value, char text[NNC_NUMBER_TEXT]) {
    uint64_t whole;
    int power;
    if (isnormal(value) && twelve_digits(fabs(value), &whole, &power)) {
        return (size_t)(put_plain(value, whole, power, text) - text);
    }
    if (!isfinite(value)) {
        snprintf(text, NNC_NUMBER_TEXT, "null");
    } else if (value == 0) {
        snprintf(text, NNC_NUMBER_TEXT, "0"); /* the value of the number is 0 or -0 */
    } else {
        snprintf(text, NNC_NUMBER_TEXT, "%.12g", value);
        nnc_fix_point(text);
        nnc_shorten_exponent(text);
    }
    return strlen(text);
}

size_t nnc_number_write_read(double value, char text[NNC_NUMBER_TEXT], double *read) {
    uint64_t whole;
    int power;
    if (isnormal(value) && twelve_digits(fabs(value), &whole, &power) && abs(power - (DIGITS - 1)) <= 22) {
        /* power of ten of the last of the 12 digits; if this power is from -22 to 22, one multiplication or division
         * gives `result` exactly */
        const int last = power - (DIGITS - 1);
        const double result = last < 0 ? (double)whole / tens[-last] : (double)whole * tens[last];
        *read = value < 0 ? -result : result;
        return (size_t)(put_plain(value, whole, power, text) - text);
    }
    const size_t size = nnc_number_write(value, text);
    *read = 0.0;
    (void)nnc_read_double(text, read);
    return size;
}

char *nnc_number_text(double value, char text[NNC_NUMBER_TEXT]) {
    (void)nnc_number_write(value, text);
    return text;
}

size_t nnc_whole_write(int64_t value, char text[NNC_NUMBER_TEXT]) {
    char digit[24];
    int count = 0;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char *at = text;
    do {
        digit[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0) { *at++ = '-'; }
    while (count > 0) { *at++ = digit[--count]; }
    *at = '\0';
    return (size_t)(at - text);
}

/* ---- reading numbers with units in the spelling of people: "1T", "8k", "2GiB", "30d", "3.35TB/s" ---- */

typedef struct suffix {
    const char *text;
    double factor;
} suffix;

/* Returns the factor of a suffix in a list of suffixes that ends with NULL; 0 = the list does not contain the
 * suffix. */
static double factor_of(const suffix *list, const char *text) {
    while (list->text != NULL && strcmp(list->text, text) != 0) { list++; }
    return list->text != NULL ? list->factor : 0.0;
}

static double time_factor(const char *text) {
    static const suffix units[] = { { "ns", 1e-9 },  { "us", 1e-6 },   { "ms", 1e-3 },    { "s", 1.0 }, { "min", 60.0 },
                                    { "h", 3600.0 }, { "d", 86400.0 }, { "w", 604800.0 }, { NULL, 0.0 } };
    return factor_of(units, text);
}

/* Returns the factor of a suffix of a count: 1000 for "k", 10^6 for "M"; 0 = unknown suffix. If `length` is true, the
 * count is a length in tokens and "k" means 1024, because a context of "8k" has 8192 tokens. */
static double count_factor(const char *text, bool length) {
    static const suffix counts[] = { { "k", 1e3 }, { "K", 1e3 },  { "M", 1e6 },  { "B", 1e9 }, { "b", 1e9 },
                                     { "G", 1e9 }, { "T", 1e12 }, { "t", 1e12 }, { NULL, 0.0 } };
    static const suffix lengths[] = { { "k", 1024.0 }, { "K", 1024.0 }, { "M", 1048576.0 }, { NULL, 0.0 } };
    return factor_of(length ? lengths : counts, text);
}

/* Returns the factor of an SI or binary prefix of a unit; 0 = unknown prefix. After the prefix, `text` must end or
 * contain the unit. */
static double prefix_factor(const char *text, const char *unit) {
    static const suffix prefixes[] = {
        { "Ki", 1024.0 },
        { "Mi", 1048576.0 },
        { "Gi", 1073741824.0 },
        { "Ti", 1099511627776.0 },
        { "k", 1e3 },
        { "M", 1e6 },
        { "G", 1e9 },
        { "T", 1e12 },
        { "P", 1e15 },
        { "E", 1e18 },
        { "", 1.0 },
        { NULL, 0.0 },
    };
    const bool bytes = unit[0] == 'B';
    for (const suffix *prefix = prefixes; prefix->text != NULL; prefix++) {
        const size_t length = strlen(prefix->text);
        const char *rest = text + length;
        const bool binary = length == 2;
        if (strncmp(text, prefix->text, length) == 0 && (bytes || !binary) &&
            (strcmp(rest, unit) == 0 || (*rest == '\0' && length > 0))) {
            return prefix->factor;
        }
    }
    return 0.0;
}

bool nnc_read_quantity(const char *text, const char *unit, bool whole, double *out) {
    char number[NNC_NUMBER_TEXT * 2];
    const size_t length = nnc_number_span(text, strlen(text));
    if (length == 0 || length >= sizeof number) { return false; }
    memcpy(number, text, length);
    number[length] = '\0';
    const char *rest = text + length + strspn(text + length, " ");
    double value = 0.0, factor = 1.0;
    if (!nnc_read_double(number, &value)) { return false; }
    if (*rest != '\0') {
        factor = unit == NULL                  ? count_factor(rest, false)
                 : strcmp(unit, "tokens") == 0 ? count_factor(rest, whole)
                 : strcmp(unit, "s") == 0      ? time_factor(rest)
                                               : prefix_factor(rest, unit);
    }
    if (factor == 0.0 || !isfinite(value * factor)) { /* NOLINT(clang-diagnostic-float-equal) */
        return false;
    }
    *out = value * factor;
    return true;
}

bool nnc_read_typed(const char *text, double *out) {
    static const char *const units[] = { "B/s", "FLOP/s", "B", "s" };
    const size_t length = nnc_number_span(text, strlen(text));
    const char *rest = text + length + strspn(text + length, " ");
    if (length == 0 || strcmp(rest, "B") == 0) { /* "B" alone is refused: it may mean bytes or billions */
        return false;
    }
    for (size_t i = 0; *rest != '\0' && i < 4; i++) {
        const bool is_time = strcmp(units[i], "s") == 0;
        if (is_time ? time_factor(rest) > 0.0 : nnc_ends_in(rest, units[i])) {
            return nnc_read_quantity(text, units[i], false, out);
        }
    }
    return *rest == '\0' && nnc_read_double(text, out);
}

bool nnc_read_money(const char *text, double *out, char currency[NNC_CURRENCY_TEXT]) {
    static const char *const signs[][2] = { { "$", "USD" }, { "\xE2\x82\xAC", "EUR" } };
    char number[NNC_NUMBER_TEXT * 2], word[8] = "";
    const bool dollars = text[0] == '$';
    text += dollars ? 1 : 0;
    const size_t length = nnc_number_span(text, strlen(text));
    const char *rest = text + length;
    const size_t prefix = strspn(rest, "kMBGT") == 1 ? 1 : 0;
    if (length == 0 || length + prefix >= sizeof number) { return false; }
    snprintf(number, sizeof number, "%.*s", (int)(length + prefix), text);
    rest += prefix;
    rest += strspn(rest, " ");
    const size_t letters = strcspn(rest, "/");
    const bool per_hour = rest[letters] == '/';
    snprintf(word, sizeof word, "%.*s", (int)(letters < 7 ? letters : 7), rest);
    if (dollars && word[0] == '\0') { snprintf(word, sizeof word, "USD"); }
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(word, signs[i][0]) == 0) { snprintf(word, sizeof word, "%s", signs[i][1]); }
    }
    const bool is_currency = word[0] == '\0' || (strlen(word) == 3 && strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3);
    snprintf(currency, NNC_CURRENCY_TEXT, "%.3s", word);
    return is_currency && (!per_hour || strcmp(rest + letters, "/h") == 0) &&
           nnc_read_quantity(number, NULL, false, out);
}

/* A double can represent every whole number up to 2^53. The code that groups digits converts only numbers up to 2^53 to
 * int64_t, so that the conversion cannot overflow. */
static const double whole_max = 9007199254740992.0;

char *nnc_count_text(double value, char text[NNC_NUMBER_TEXT]) {
    const double size = fabs(value);
    if (isnan(value)) {
        snprintf(text, NNC_NUMBER_TEXT, "-");
    } else if (size < 999.5 || size > whole_max) {
        snprintf(text, NNC_NUMBER_TEXT, "%.4g", value);
    } else {
        char digits[NNC_NUMBER_TEXT];
        const int count = (int)nnc_whole_write((int64_t)llround(size), digits);
        int at = 0;
        if (value < 0) { text[at++] = '-'; }
        for (int i = 0; i < count; i++) {
            if (i > 0 && (count - i) % 3 == 0) { text[at++] = ','; }
            text[at++] = digits[i];
        }
        text[at] = '\0';
    }
    return text;
}
