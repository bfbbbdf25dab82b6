/* Numbers as texts of twelve digits: those of printf("%.12g"), without it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

void nnc_fix_point(char *text)
{
    char *at = text + (text[0] == '-');
    at += strspn(at, "0123456789");
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

void nnc_shorten_exponent(char *text)
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

enum { DIGITS = 12, POWER_MIN = -22, POWER_MAX = 27 };

/* The first 64 bits of powers of ten from 10^-22 on; from 10^0 on these are all bits. */
static const uint64_t powers[] = {
    0xF1C90080BAF72CB1u, 0x971DA05074DA7BEEu, 0xBCE5086492111AEAu, 0xEC1E4A7DB69561A5u,
    0x9392EE8E921D5D07u, 0xB877AA3236A4B449u, 0xE69594BEC44DE15Bu, 0x901D7CF73AB0ACD9u,
    0xB424DC35095CD80Fu, 0xE12E13424BB40E13u, 0x8CBCCC096F5088CBu, 0xAFEBFF0BCB24AAFEu,
    0xDBE6FECEBDEDD5BEu, 0x89705F4136B4A597u, 0xABCC77118461CEFCu, 0xD6BF94D5E57A42BCu,
    0x8637BD05AF6C69B5u, 0xA7C5AC471B478423u, 0xD1B71758E219652Bu, 0x83126E978D4FDF3Bu,
    0xA3D70A3D70A3D70Au, 0xCCCCCCCCCCCCCCCCu, 0x8000000000000000u, 0xA000000000000000u,
    0xC800000000000000u, 0xFA00000000000000u, 0x9C40000000000000u, 0xC350000000000000u,
    0xF424000000000000u, 0x9896800000000000u, 0xBEBC200000000000u, 0xEE6B280000000000u,
    0x9502F90000000000u, 0xBA43B74000000000u, 0xE8D4A51000000000u, 0x9184E72A00000000u,
    0xB5E620F480000000u, 0xE35FA931A0000000u, 0x8E1BC9BF04000000u, 0xB1A2BC2EC5000000u,
    0xDE0B6B3A76400000u, 0x8AC7230489E80000u, 0xAD78EBC5AC620000u, 0xD8D726B7177A8000u,
    0x878678326EAC9000u, 0xA968163F0A57B400u, 0xD3C21BCECCEDA100u, 0x84595161401484A0u,
    0xA56FA5B99019A5C8u, 0xCECB8F27F4200F3Au,
};
_Static_assert(sizeof powers / sizeof powers[0] == POWER_MAX - POWER_MIN + 1, "one of each");

/* The product of two numbers: its upper and its lower half. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low)
{
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t least = a0 * b0, middle = a1 * b0 + (least >> 32);
    const uint64_t other = a0 * b1 + (middle & UINT32_MAX);
    *low = other << 32 | (least & UINT32_MAX);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* The first twelve digits of a normal number above 0 as a whole number, and the power of ten of the first. The product
 * of its bits with those of a power of ten is short by less than one in its upper half; false where that, or a tie,
 * could decide the last digit, or where there is no such power. */
static bool twelve_digits(double value, uint64_t *whole, int *power)
{
    uint64_t bits, low;
    memcpy(&bits, &value, sizeof bits);
    const int binary = (int)(bits >> 52 & 0x7FF) - 1023;
    const int ten =
        ((binary * 78913 + (1000 << 18)) >> 18) - 1000; /* of the first digit, or one too small */
    const int shift = DIGITS - 1 - ten;
    if (shift < POWER_MIN || shift > POWER_MAX) {
        return false;
    }
    const uint64_t all = (UINT64_C(1) << 52 | (bits & (UINT64_MAX >> 12))) << 11;
    const uint64_t high = multiply(all, powers[shift - POWER_MIN], &low);
    /* The product is high * 2^64 + low times this power of two: value is all * 2^(binary - 63). */
    const int two = binary - 63 + ((shift * 217706 + (1000 << 16)) >> 16) - 1000 - 63;
    const int cut = -two - 64; /* bits of high that are a fraction, 20 to 28 of them */
    const uint64_t fraction_mask = (UINT64_C(1) << cut) - 1, half = UINT64_C(1) << (cut - 1);
    uint64_t digits = high >> cut, fraction = high & fraction_mask, scale = 1;
    *power = ten;
    if (digits >= UINT64_C(1000000000000)) { /* thirteen of them */
        fraction += digits % 10 << cut;
        digits /= 10;
        scale = 10;
        ++*power;
    }
    *whole = digits + (fraction >= half * scale ? 1 : 0);
    /* Above the half by a whole unit of high, or below by two, it is so with all bits, too. */
    return (fraction > half * scale || fraction + 1 < half * scale) &&
           *whole < UINT64_C(1000000000000);
}

/* Two digits of each number below 100. */
static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

static void put_four(char *text, uint32_t number)
{
    memcpy(text, pairs + (size_t)(number / 100) * 2, 2);
    memcpy(text + 2, pairs + (size_t)(number % 100) * 2, 2);
}

/* What "%.12g" writes in the C locale, its exponent shortened; most numbers of an output are such. Returns its end;
 * NULL: it is not sure. */
static char *put_plain(double value, char *text)
{
    char digit[DIGITS];
    uint64_t whole;
    int power, count = DIGITS;
    if (!twelve_digits(fabs(value), &whole, &power)) {
        return NULL;
    }
    put_four(digit, (uint32_t)(whole / 100000000));
    put_four(digit + 4, (uint32_t)(whole / 10000 % 10000));
    put_four(digit + 8, (uint32_t)(whole % 10000));
    while (count > 1 && digit[count - 1] == '0') {
        count--;
    }
    const bool scientific = power < -4 || power >= DIGITS;
    int before = scientific ? 1 : power + 1; /* digits before the point */
    if (value < 0) {
        *text++ = '-';
    }
    if (before < 1) { /* 0.000digits */
        memcpy(text, "0.000", 5);
        text += 2 - before;
        before = 0;
    } else {
        memcpy(text, digit, DIGITS); /* zeros before the point, too */
        text += before;
        if (before < count) {
            *text++ = '.';
        }
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

size_t nnc_number_write(double value, char text[NNC_NUMBER_TEXT])
{
    if (isnormal(value)) {
        const char *const end = put_plain(value, text);
        if (end != NULL) {
            return (size_t)(end - text);
        }
    }
    if (!isfinite(value)) {
        snprintf(text, NNC_NUMBER_TEXT, "null");
    } else if (value == 0) {
        snprintf(text, NNC_NUMBER_TEXT, "0"); /* -0 too */
    } else {
        snprintf(text, NNC_NUMBER_TEXT, "%.12g", value);
        nnc_fix_point(text);
        nnc_shorten_exponent(text);
    }
    return strlen(text);
}

char *nnc_number_text(double value, char text[NNC_NUMBER_TEXT])
{
    (void)nnc_number_write(value, text);
    return text;
}

size_t nnc_whole_write(int64_t value, char text[NNC_NUMBER_TEXT])
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
    return (size_t)(at - text);
}

char *nnc_whole_text(int64_t value, char text[NNC_NUMBER_TEXT])
{
    (void)nnc_whole_write(value, text);
    return text;
}
