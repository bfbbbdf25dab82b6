#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The lead byte decides the length and the range of the second byte; the rest are 80..BF.
 * Source: The Unicode Standard, table 3-7 (no overlong forms, no surrogates, up to U+10FFFF). */
size_t nnc_utf8_length(const char *text, size_t size)
{
    const unsigned char *s = (const unsigned char *)text;
    if (size == 0) {
        return 0;
    }
    if (s[0] < 0x80) {
        return 1;
    }
    const size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || size < length) {
        return 0;
    }
    const unsigned low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    const unsigned high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if (s[i] < 0x80 || s[i] > 0xBF) {
            return 0;
        }
    }
    return length;
}

/* "##[", "##vso[": runners of workflows obey it anywhere in a line.
 * Source: github.com/actions/runner, ActionCommand.cs; learn.microsoft.com, "Logging commands". */
static bool is_order(const char *text)
{
    return text[0] == '#' && text[1] == '#' &&
           text[2 + strspn(text + 2, "abcdefghijklmnopqrstuvwxyz")] == '[';
}

/* Source: The Unicode Standard 15, tables 2-3 and 23-1, and annex 9, table 4. */
size_t nnc_control_length(const char *text)
{
    static const struct {
        unsigned first, last;
    } controls[] = { { 0x00, 0x1F },     { 0x7F, 0x9F },     { 0x61C, 0x61C },
                     { 0x200E, 0x200F }, { 0x2028, 0x202E }, { 0x2066, 0x2069 } };
    const unsigned char *s = (const unsigned char *)text;
    unsigned code = s[0];
    size_t length = 1;
    if (code >= 0x80) {
        length = nnc_utf8_length(text, strnlen(text, 3));
        code = length == 2   ? (s[0] & 0x1FU) << 6U | (s[1] & 0x3FU)
               : length == 3 ? (s[0] & 0x0FU) << 12U | (s[1] & 0x3FU) << 6U | (s[2] & 0x3FU)
                             : ' ';
    }
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        if (code >= controls[i].first && code <= controls[i].last) {
            return length;
        }
    }
    return is_order(text) ? 1 : 0;
}

size_t nnc_plain_length(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && text[length] >= ' ' && text[length] <= '~' && text[length] != '"' &&
           text[length] != '\\' && text[length] != '#') {
        length++;
    }
    return length;
}

/* Controls, and bytes that are no character. */
static void sanitise(char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        const size_t length = nnc_utf8_length(text + i, size - i);
        const size_t bad = length == 0 ? 1 : nnc_control_length(text + i);
        memset(text + i, '?', bad);
        i += bad > 0 ? bad : length;
    }
}

nnc_status nnc_vfail(nnc_error *err, nnc_status status, const char *where, const char *format,
                     va_list args)
{
    if (err != NULL) {
        char what[sizeof(err->what)]; /* the arguments may point into err */
        vsnprintf(what, sizeof(what), format, args);
        err->status = status;
        snprintf(err->where, sizeof(err->where), "%s", where);
        memcpy(err->what, what, sizeof(what));
        sanitise(err->where);
        sanitise(err->what);
    }
    return status;
}

nnc_status nnc_fail(nnc_error *err, nnc_status status, const char *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    nnc_vfail(err, status, where, format, args);
    va_end(args);
    return status;
}

void nnc_error_within(nnc_error *err, const char *outer)
{
    if (err != NULL) {
        char where[sizeof err->where];
        snprintf(where, sizeof where, "%.*s: ", (int)(sizeof where / 2), outer);
        const size_t used = strlen(where);
        snprintf(where + used, sizeof where - used, "%s", err->where);
        memcpy(err->where, where, sizeof where);
        sanitise(err->where);
    }
}

enum { NAME_MAX_LENGTH = 64 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours between two texts (optimal string
 * alignment); names are short. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][NAME_MAX_LENGTH + 1]; /* the last three, in turn */
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = smaller(replaced, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = smaller(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

const char *nnc_nearest(const char *text, const char *const *names, size_t count)
{
    const size_t length = strlen(text);
    const char *best = NULL;
    size_t best_distance = NAME_MAX_LENGTH + 1;
    if (length > NAME_MAX_LENGTH) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t name_length = strlen(names[i]);
        if (name_length > NAME_MAX_LENGTH) {
            continue;
        }
        const size_t distance = edit_distance(text, length, names[i], name_length);
        const size_t letters = length > name_length ? length : name_length;
        if (distance * 3 <= letters && distance < best_distance) {
            best = names[i];
            best_distance = distance;
        }
    }
    return best;
}

nnc_status nnc_no_memory(nnc_error *err)
{
    return nnc_fail(err, NNC_NO_MEMORY, "nncost", "out of memory");
}

nnc_status nnc_need(const char *function, const char *what, bool given, nnc_error *err)
{
    if (given) {
        return NNC_OK;
    }
    return nnc_fail(err, NNC_BAD_USAGE, function, "no %s, expected a pointer to it, found NULL",
                    what);
}
