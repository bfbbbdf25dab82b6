/* Tests src/base/: reading and writing numbers, error messages, nearest names, arenas and buffers. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/dtype.h>
#include <nncost/status.h>

#include "base/base_internal.h"
#include "suite.h"

static void expect_number(double value, const char *expected) {
    char text[NNC_NUMBER_TEXT];
    ck_assert_str_eq(nnc_number_text(value, text), expected);
}

static void expect_unit(double value, const char *unit, const char *expected) {
    char text[NNC_NUMBER_TEXT];
    ck_assert_str_eq(nnc_unit_text(value, unit, text), expected);
}

START_TEST(products_report_overflow) {
    int64_t out = 7;
    ck_assert(nnc_mul_i64(3000000000, 3, &out));
    ck_assert_int_eq(out, 9000000000);
    ck_assert(nnc_mul_i64(-4, 5, &out) && out == -20);
    ck_assert(nnc_mul_i64(-4, -5, &out) && out == 20);
    ck_assert(nnc_mul_i64(INT64_MIN, 1, &out) && out == INT64_MIN);
    ck_assert(nnc_mul_i64(0, INT64_MIN, &out) && out == 0);
    out = 7;
    ck_assert(!nnc_mul_i64(INT64_MAX, 2, &out));
    ck_assert(!nnc_mul_i64(INT64_MIN, -1, &out));
    ck_assert(!nnc_mul_i64(-1, INT64_MIN, &out));
    ck_assert(!nnc_mul_i64(INT64_MIN / 2, 3, &out));
    ck_assert(!nnc_mul_i64(3, INT64_MIN / 2, &out));
    ck_assert_int_eq(out, 7); /* untouched */
    ck_assert(nnc_add_i64(INT64_MAX - 1, 1, &out) && out == INT64_MAX);
    ck_assert(!nnc_add_i64(INT64_MAX, 1, &out));
    ck_assert(!nnc_add_i64(INT64_MIN, -1, &out));
    ck_assert_int_eq(nnc_ceil_div(10, 5), 2);
    ck_assert_int_eq(nnc_ceil_div(11, 5), 3);
    ck_assert_int_eq(nnc_ceil_div(0, 5), 0);
}
END_TEST

START_TEST(largest_keeps_nan) {
    const double none = (double)NAN;
    ck_assert_double_eq(nnc_max(1, 2), 2);
    ck_assert_double_eq(nnc_min(1, 2), 1);
    ck_assert(isnan(nnc_max(none, 1)) && isnan(nnc_max(1, none)));
    ck_assert(isnan(nnc_min(none, 1)) && isnan(nnc_min(1, none)));
}
END_TEST

static const char *const bad_numbers[] = { "",      " 1",  "1 ",   "+1",  ".5",  "1.",    "01",  "-",
                                           "0x10",  "inf", "nan",  "1e",  "1e+", "1e999", "1,5", "--1",
                                           "1.2.3", "1_0", "1e5x", "-01", "NaN", "-1e999" };

START_TEST(numbers_are_read_strictly) {
    double value = 42;
    int64_t whole = 42;
    char digits[128];
    for (size_t i = 0; i < COUNT_OF(bad_numbers); i++) {
        ck_assert_msg(!nnc_read_double(bad_numbers[i], &value), "%s", bad_numbers[i]);
        ck_assert_msg(!nnc_read_i64(bad_numbers[i], &whole), "%s", bad_numbers[i]);
    }
    memset(digits, '1', sizeof(digits));
    digits[sizeof(digits) - 1] = '\0';
    ck_assert(!nnc_read_double(digits, &value)); /* a text with more digits than any number needs is refused */
    ck_assert_double_eq(value, 42);
    ck_assert(nnc_read_double("80e9", &value) && value == 80e9);
    ck_assert(nnc_read_double("-0.5E-2", &value) && value == -0.005);
    ck_assert(nnc_read_double("0", &value) && value == 0);
    ck_assert(nnc_read_double("0.1", &value) && value == 0.1);
    ck_assert(nnc_read_i64("1e3", &whole) && whole == 1000);
    ck_assert(nnc_read_i64("-5", &whole) && whole == -5);
    ck_assert(!nnc_read_i64("1.5", &whole));
    ck_assert(nnc_read_i64("9007199254740992", &whole) && whole == INT64_C(1) << 53);
    ck_assert(!nnc_read_i64("9007199254740994", &whole)); /* past 2^53 */
}
END_TEST

/* A faster function reads short decimals. The value of a short decimal must be equal to the value that the C library
 * reads. */
START_TEST(short_numbers_are_exact) {
    uint64_t state = 1;
    for (int i = 0; i < 200000; i++) {
        char text[40];
        double value;
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint64_t whole = (state >> 11) % (uint64_t)pow(10.0, i % 17);
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int decimals = i / 17 % 17;
        const uint64_t part = (state >> 11) % (uint64_t)pow(10.0, decimals);
        if (decimals == 0) {
            snprintf(text, sizeof text, "%llu", (unsigned long long)whole);
        } else {
            snprintf(text, sizeof text, "%llu.%0*llu", (unsigned long long)whole, decimals, (unsigned long long)part);
        }
        ck_assert_msg(nnc_read_double(text, &value) && value == strtod(text, NULL), "%s", text);
    }
}
END_TEST

START_TEST(numbers_are_written_short) {
    expect_number(0, "0");
    expect_number(-0.0, "0");
    expect_number(0.1, "0.1");
    expect_number(1.0 / 3.0, "0.333333333333"); /* 12 digits */
    expect_number(85899345920, "85899345920");
    expect_number(989.4e12, "9.894e14");
    expect_number(2e-6, "2e-6");
    expect_number(-1.5e-300, "-1.5e-300");
    expect_number((double)NAN, "null");
    expect_number((double)INFINITY, "null");
}
END_TEST

START_TEST(units_have_prefixes) {
    expect_unit(0.0123, "s", "12.30 ms");
    expect_unit(8.59e10, "B", "85.90 GB");
    expect_unit(3.12e14, "FLOP/s", "312.0 TFLOP/s");
    expect_unit((double)NAN, "s", "-");
    expect_unit(0, "s", "0 s");
    expect_unit(3.5e-6, "s", "3.500 us");
    expect_unit(2e-9, "s", "2.000 ns");
    expect_unit(1, "s", "1.000 s");
    expect_unit(0.99999, "s", "1.000 s");
    expect_unit(3600, "s", "3600 s");
    expect_unit(7200, "s", "2.000 h");
    expect_unit(86400 * 3, "s", "3.000 days");
    expect_unit(86400 * 365.25 * 10, "s", "10.00 years");
    expect_unit(512, "B", "512 B");
    expect_unit(0.5, "B", "0.5000 B");
    expect_unit(999.99e6, "B", "1.000 GB"); /* 999.99 MB are rounded to 1.000 GB */
    expect_unit(0.25, "FLOP/B", "0.2500 FLOP/B");
    expect_unit(-2.5e9, "B", "-2.500 GB");
    expect_unit(0.25, "J", "250.0 mJ");
    expect_unit(1.5e9, "", "1.500 G");
    expect_unit(1e300, "B", "1.000e276 YB");
}
END_TEST

/* The test sets a locale, because a program that links the library may call setlocale. */
/* Expects the text that the system's printf writes with "%.12g", with a shortened exponent. */
static void check_written(double value) {
    char text[NNC_NUMBER_TEXT], expected[64];
    snprintf(expected, sizeof expected, "%.12g", value);
    char *e = strchr(expected, 'e');
    if (e != NULL) {
        const long power = strtol(e + 1, NULL, 10);
        snprintf(e + 1, 8, "%ld", power);
    }
    ck_assert_str_eq(nnc_number_text(value, text), expected);
    double read = 0.0, again = 0.0;
    ck_assert_uint_eq(nnc_number_write_read(value, text, &read), strlen(expected));
    ck_assert_str_eq(text, expected);
    ck_assert(nnc_read_double(expected, &again));
    ck_assert_mem_eq(&read, &again, sizeof read);
}

/* Draws random bits, random sizes, whole numbers, short decimals, and numbers halfway between two numbers with 12
 * digits. */
START_TEST(numbers_are_written_as_printf_does) {
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 100000; i++) {
        double value;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(&value, &state, sizeof value);
        if (isfinite(value) && value != 0.0) { check_written(value); }
        const double share = (double)(state >> 11) * 0x1p-53;
        check_written((share + 1e-9) * pow(10.0, (double)(state % 64) - 24.0));
        check_written((double)(state % 100000) / 1000.0 + 1.0);
        check_written(-(double)(state >> (state % 50 + 10)) - 1.0);
        check_written((double)(100000000000 + state % 1000) + 0.5);
        check_written((double)(state % 9 + 1) * pow(10.0, (double)(state % 600) - 300.0));
    }
    check_written(999999999999.5);
    check_written(9999999999995e-1);
    check_written(0.0001);
    check_written(9.99999999999951e-5);
    check_written(DBL_MAX);
    check_written(DBL_TRUE_MIN);
}
END_TEST

START_TEST(whole_numbers_are_written) {
    char text[NNC_NUMBER_TEXT];
    ck_assert_uint_eq(nnc_whole_write(0, text), strlen("0"));
    ck_assert_str_eq(text, "0");
    ck_assert_uint_eq(nnc_whole_write(-70, text), strlen("-70"));
    ck_assert_str_eq(text, "-70");
    ck_assert_uint_eq(nnc_whole_write(INT64_MAX, text), strlen("9223372036854775807"));
    ck_assert_str_eq(text, "9223372036854775807");
    ck_assert_uint_eq(nnc_whole_write(INT64_MIN, text), strlen("-9223372036854775808"));
    ck_assert_str_eq(text, "-9223372036854775808");
}
END_TEST

START_TEST(numbers_ignore_the_locale) {
    static const char *const locales[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF" };
    const char *set = NULL;
    double value;
    for (size_t i = 0; i < COUNT_OF(locales) && set == NULL; i++) { set = setlocale(LC_ALL, locales[i]); }
    ck_assert(nnc_read_double("1234.5", &value) && value == 1234.5);
    ck_assert(!nnc_read_double("1234,5", &value));
    expect_number(0.5, "0.5");
    expect_number(1.25e30, "1.25e30");
    expect_unit(0.0123, "s", "12.30 ms");
    setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(messages_stay_one_line) {
    nnc_error err;
    ck_assert_int_eq(nnc_fail(&err, NNC_BAD_SPEC, "a\nb", "found \"%s\"", "x\n\x1b[31m\x7f\xc2\x9b"), NNC_BAD_SPEC);
    ck_assert_int_eq(err.status, NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, "a?b");
    ck_assert_str_eq(err.what, "found \"x??[31m???\"");
    nnc_fail(&err, NNC_IO, "w", "%s",
             "gr\xc3\xb6\xc3\x9f"
             "e \xff");
    ck_assert_str_eq(err.what, "gr\xc3\xb6\xc3\x9f"
                               "e ?"); /* letters stay, bytes that are not UTF-8 become '?' */
    ck_assert_int_eq(nnc_fail(NULL, NNC_IO, "w", "x"), NNC_IO);
    nnc_fail(&err, NNC_IO, "w", "first");
    /* err.what is read as an argument while nnc_fail() writes err */
    nnc_fail(&err, NNC_IO, err.where, "then %s", err.what);
    ck_assert_str_eq(err.what, "then first");
}
END_TEST

START_TEST(nearest_name_is_a_slip_away) {
    static const char *const names[] = { "mem_bytes", "mem_bytes_per_s", "l2_bytes", "power_w" };
    const size_t count = COUNT_OF(names);
    char longest[200];
    ck_assert_str_eq(nnc_nearest("mem_byte", names, count), "mem_bytes");
    ck_assert_str_eq(nnc_nearest("mem_bytes_s", names, count), "mem_bytes");
    ck_assert_str_eq(nnc_nearest("pwoer_w", names, count), "power_w"); /* two swapped letters count as one error */
    static const char *const models[] = { "bit-larg", "bit-large", "vit-larger-s" };
    ck_assert_str_eq(nnc_nearest("vit-large", models, COUNT_OF(models)),
                     "vit-larger-s"); /* an equal first word counts more than a smaller number of changed letters */
    ck_assert_str_eq(nnc_nearest("wit-large", models, COUNT_OF(models)), "bit-large");
    ck_assert_str_eq(nnc_nearest("l2-bytes", names, count), "l2_bytes");
    ck_assert_ptr_null(nnc_nearest("colour", names, count));
    ck_assert_ptr_null(nnc_nearest("", names, count));
    memset(longest, 'm', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    ck_assert_ptr_null(nnc_nearest(longest, names, count));
}
END_TEST

START_TEST(characters_are_measured) {
    ck_assert_uint_eq(nnc_utf8_length("a", 1), 1);
    ck_assert_uint_eq(nnc_utf8_length("\xc3\xa9", 2), 2);
    ck_assert_uint_eq(nnc_utf8_length("\xe2\x82\xac", 3), 3);
    ck_assert_uint_eq(nnc_utf8_length("\xf0\x9f\x98\x80", 4), 4);
    ck_assert_uint_eq(nnc_utf8_length("\xe2\x82", 2), 0);         /* cut off */
    ck_assert_uint_eq(nnc_utf8_length("\xc0\xaf", 2), 0);         /* overlong */
    ck_assert_uint_eq(nnc_utf8_length("\xed\xa0\x80", 3), 0);     /* a surrogate */
    ck_assert_uint_eq(nnc_utf8_length("\xf4\x90\x80\x80", 4), 0); /* past U+10FFFF */
    ck_assert_uint_eq(nnc_utf8_length("\x80", 1), 0);
    ck_assert_uint_eq(nnc_utf8_length("", 0), 0);
}
END_TEST

/* The second arena gets the memory of the first arena. The first arena has filled this memory with values other than
 * zero. */
START_TEST(arena_gives_zeroed_aligned_memory) {
    nnc_arena *arena = NULL;
    for (int round = 0; round < 2; round++) {
        nnc_arena_destroy(arena);
        arena = nnc_arena_create();
        for (size_t size = 1; size < 40000; size = size * 3 + 1) {
            unsigned char *bytes = nnc_arena_alloc(arena, size);
            ck_assert_ptr_nonnull(bytes);
            ck_assert_uint_eq((uintptr_t)bytes % _Alignof(max_align_t), 0);
            for (size_t i = 0; i < size; i++) {
                ck_assert_uint_eq(bytes[i], 0);
                bytes[i] = 0xff;
            }
        }
    }
    ck_assert_str_eq(nnc_arena_strdup(arena, "text"), "text");
    ck_assert_ptr_nonnull(nnc_arena_array(arena, 3, sizeof(double)));
    ck_assert_ptr_null(nnc_arena_array(arena, SIZE_MAX / 2, 3));
    ck_assert_ptr_null(nnc_arena_alloc(arena, SIZE_MAX));
    ck_assert_ptr_null(nnc_arena_alloc(arena, SIZE_MAX - 64));
    nnc_arena_destroy(arena);
    nnc_arena_destroy(NULL);
}
END_TEST

/* Compares texts of every length around the sizes at which the buffer grows. */
START_TEST(buffers_grow) {
    enum { LENGTH = 5000 };
    char *expected = malloc(LENGTH + 16);
    nnc_buffer buffer = { 0 };
    size_t size = 0;
    for (int i = 0; size < LENGTH; i++) {
        size += (size_t)sprintf(expected + size, "%d,", i);
        nnc_buffer_print(&buffer, "%d%s", i, ",");
    }
    ck_assert_uint_eq(buffer.size, size);
    ck_assert_mem_eq(buffer.bytes, expected, size);
    nnc_buffer_clear(&buffer);
    nnc_buffer_print(&buffer, "%*s|", 3000, "");
    nnc_buffer_blanks(&buffer, 2);
    nnc_buffer_blanks(&buffer, -1);
    ck_assert_uint_eq(buffer.size, 3003);
    ck_assert(!buffer.failed);
    nnc_buffer_free(&buffer);
    free(expected);
}
END_TEST

/* For every size of the buffer, the text is the beginning of the whole text and ends with a zero byte. No byte after
 * the buffer changes. */
START_TEST(texts_are_appended_as_far_as_they_fit) {
    static const char whole[] = "--zero 3, --data 12, --tensor 4";
    for (size_t size = 1; size <= sizeof whole + 1; size++) {
        char text[64];
        memset(text, '#', sizeof text);
        text[0] = '\0';
        nnc_text_append(text, size, ", ", "--%s %d", "zero", 3);
        nnc_text_append(text, size, ", ", "--%s %d", "data", 12);
        nnc_text_append(text, size, ", ", "--%s %d", "tensor", 4);
        ck_assert(strncmp(whole, text, strlen(text)) == 0);
        ck_assert(strlen(text) + 3 > size || strcmp(text, whole) == 0); /* the separator may not fit */
        ck_assert(strlen(text) < size && text[size] == '#');
    }
}
END_TEST

START_TEST(statuses_have_exit_codes) {
    ck_assert_int_eq(nnc_status_exit_code(NNC_OK), 0);
    ck_assert_int_eq(nnc_status_exit_code(NNC_BAD_USAGE), 2);
    ck_assert_int_eq(nnc_status_exit_code(NNC_ILLEGAL_PLAN), 3);
    ck_assert_int_eq(nnc_status_exit_code(NNC_NO_MEMORY), 4);
    ck_assert_str_eq(nnc_status_text(NNC_UNKNOWN_ID), "unknown id");
    ck_assert_str_eq(nnc_status_text(NNC_STATUS_COUNT), "?");
}
END_TEST

START_TEST(formats_have_sizes) {
    ck_assert_double_eq(nnc_dtype_bytes(NNC_TF32), 4); /* stored as fp32 */
    ck_assert_double_eq(nnc_dtype_bytes(NNC_FP4), 0.5);
    ck_assert(isnan(nnc_dtype_bytes(NNC_DTYPE_COUNT)));
    ck_assert_str_eq(nnc_dtype_name(NNC_BF16), "bf16");
    ck_assert_str_eq(nnc_dtype_name(NNC_DTYPE_COUNT), "?");
    /* MXFP8 stores one byte per element and a one-byte scale per 32 elements. */
    ck_assert_double_eq(nnc_block_format_bytes(1, 1, 32), 1.03125);
}
END_TEST

START_TEST(lines_are_taken_apart_as_a_shell_does) {
    char line[] = "  gpt2 --set 'name=a b' it\\'s \"x \\\" y\" '' \t", *words[6];
    const char *const expected[] = { "gpt2", "--set", "name=a b", "it's", "x \" y", "" };
    ck_assert_int_eq(nnc_shell_split(line, words, 6), 6);
    for (int i = 0; i < 6; i++) { ck_assert_str_eq(words[i], expected[i]); }
    char more[] = "a b c", open[] = "'a b";
    ck_assert_int_eq(nnc_shell_split(more, words, 2), -1);
    ck_assert_int_eq(nnc_shell_split(open, words, 2), 1); /* without a closing quote, the word ends with the line */
    ck_assert_str_eq(words[0], "a b");
    /* nnc_shell_split() reads back the word that nnc_shell_word() writes. */
    nnc_buffer out = { 0 };
    nnc_shell_word(&out, "it's \"a\" \\ b");
    nnc_buffer_byte(&out, '\0');
    ck_assert_int_eq(nnc_shell_split(out.bytes, words, 2), 1);
    ck_assert_str_eq(words[0], "it's \"a\" \\ b");
    nnc_buffer_free(&out);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        products_report_overflow,
        largest_keeps_nan,
        numbers_are_read_strictly,
        short_numbers_are_exact,
        numbers_are_written_short,
        numbers_are_written_as_printf_does,
        whole_numbers_are_written,
        units_have_prefixes,
        numbers_ignore_the_locale,
        messages_stay_one_line,
        nearest_name_is_a_slip_away,
        lines_are_taken_apart_as_a_shell_does,
        characters_are_measured,
        arena_gives_zeroed_aligned_memory,
        buffers_grow,
        texts_are_appended_as_far_as_they_fit,
        statuses_have_exit_codes,
        formats_have_sizes,
    };
    return run_tests_with("base", NULL, NULL, tests, COUNT_OF(tests));
}
