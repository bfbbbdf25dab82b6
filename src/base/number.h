/* Numbers: checked products, strict reading, and the only place that knows unit prefixes. */
#ifndef NNCOST_BASE_NUMBER_H
#define NNCOST_BASE_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a * b or a + b into *out; false on overflow, *out untouched. */
static inline bool nnc_mul_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product)) {
        return false;
    }
    *out = product;
    return true;
}
static inline bool nnc_add_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum)) {
        return false;
    }
    *out = sum;
    return true;
}

/* Larger and smaller of two; NaN if either is (fmax and fmin would drop it). */
static inline double nnc_max(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}
static inline double nnc_min(double a, double b)
{
    return isnan(a) || a < b ? a : b;
}

/* ceil without the call; x is positive and far below 2^63. */
static inline double nnc_ceil(double x)
{
    const double whole = (double)(int64_t)x;
    return whole < x ? whole + 1.0 : whole;
}

/* ceil(a / b) for a >= 0, b > 0. */
static inline int64_t nnc_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* Length of the number at the start of text by the grammar of JSON ("-0.5e9"; not "01", "1.", "+1",
 * ".5", "inf"); 0 when there is none. */
size_t nnc_number_span(const char *text, size_t size);

/* Reads a whole text as a finite decimal number ("80e9", "-5", "0.5"); no hex, no inf, no nan, no
 * blanks. false if it is anything else. Never follows the locale. */
bool nnc_read_double(const char *text, double *out);
/* The same for a whole number; "1e3" counts, "1.5" does not. */
bool nnc_read_i64(const char *text, int64_t *out);

/* Reads a number with a unit behind it, or none: of times ns, us, ms, s, min, h, d, w; of bytes and
 * rates a prefix, k M G T P by 1000, Ki Mi Gi Ti by 1024 for bytes, and the unit or not ("2GiB",
 * "3.35TB/s", "3.35T"); of counts (unit NULL, "tokens") k, M, B = G, T by 1000, of whole lengths in
 * tokens k and M by 1024. unit: that of the value in SI. */
bool nnc_read_quantity(const char *text, const char *unit, bool whole, double *out);

/* The same without a known unit, where it has to stand behind the number and to be read in one way only: times,
 * bytes, B/s and FLOP/s with a prefix ("860ms", "80GB", "400TFLOP/s"). Plain numbers count; "8k", "10B" and "5m" do
 * not. */
bool nnc_read_typed(const char *text, double *out);

/* An amount of money, its currency ("USD", "$", "EUR" ...) behind it or not, per hour or not: "2.5 USD/h", "200k",
 * "1.2M EUR". currency: upper case; "" = not said. */
enum { NNC_CURRENCY_TEXT = 4 };
bool nnc_read_money(const char *text, double *out, char currency[NNC_CURRENCY_TEXT]);

/* Shortest decimal text with at most 12 significant digits, '.' as the point in every locale, into
 * text; "null" for NaN and infinities. Returns text. */
enum { NNC_NUMBER_TEXT = 32 };
char *nnc_number_text(double value, char text[NNC_NUMBER_TEXT]);
/* A whole number. Returns text. */
char *nnc_whole_text(int64_t value, char text[NNC_NUMBER_TEXT]);
/* The same two; they return the length. */
size_t nnc_number_write(double value, char text[NNC_NUMBER_TEXT]);
size_t nnc_whole_write(int64_t value, char text[NNC_NUMBER_TEXT]);

/* Of what printf wrote: replaces the decimal point of the caller's locale, whatever its length, by '.'; makes "1e+15"
 * "1e15" and "1e-05" "1e-5". */
void nnc_fix_point(char *text);
void nnc_shorten_exponent(char *text);

/* Value with an SI prefix and four significant digits: 0.0123 "s" -> "12.30 ms", 8.59e10 "B" ->
 * "85.90 GB", 3.12e14 "FLOP/s" -> "312.0 TFLOP/s"; "-" for NaN. Bytes never get a prefix below 1;
 * hours, days and years are used for seconds from 7200 up. Returns text. */
char *nnc_unit_text(double value, const char *unit, char text[NNC_NUMBER_TEXT]);

#endif
