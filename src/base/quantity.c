/* Numbers as people type them: "1T", "8k", "2GiB", "30d", "3.35TB/s". */
#include <stdio.h>
#include <string.h>

#include "base/number.h"

typedef struct suffix {
    const char *text;
    double factor;
} suffix;

/* The factor of a suffix; 0 = not in the list, which ends with NULL. */
static double factor_of(const suffix *list, const char *text)
{
    while (list->text != NULL && strcmp(list->text, text) != 0) {
        list++;
    }
    return list->text != NULL ? list->factor : 0.0;
}

static double time_factor(const char *text)
{
    static const suffix units[] = { { "ns", 1e-9 },   { "us", 1e-6 },    { "ms", 1e-3 },
                                    { "s", 1.0 },     { "min", 60.0 },   { "h", 3600.0 },
                                    { "d", 86400.0 }, { "w", 604800.0 }, { NULL, 0.0 } };
    return factor_of(units, text);
}

/* Lengths in tokens count by 1024: an "8k" context is 8192. */
static double count_factor(const char *text, bool length)
{
    static const suffix counts[] = { { "k", 1e3 }, { "K", 1e3 },  { "M", 1e6 }, { "B", 1e9 },
                                     { "G", 1e9 }, { "T", 1e12 }, { NULL, 0.0 } };
    static const suffix lengths[] = {
        { "k", 1024.0 }, { "K", 1024.0 }, { "M", 1048576.0 }, { NULL, 0.0 }
    };
    return factor_of(length ? lengths : counts, text);
}

/* An SI or a binary prefix, then the unit itself or nothing. */
static double prefix_factor(const char *text, const char *unit)
{
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

bool nnc_read_quantity(const char *text, const char *unit, bool whole, double *out)
{
    char number[NNC_NUMBER_TEXT * 2];
    const size_t length = nnc_number_span(text, strlen(text));
    if (length == 0 || length >= sizeof number) {
        return false;
    }
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    const char *rest = text + length + strspn(text + length, " ");
    double value = 0.0, factor = 1.0;
    if (!nnc_read_double(number, &value)) {
        return false;
    }
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

/* Does a text end with this, and more stand before it? */
static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

bool nnc_read_typed(const char *text, double *out)
{
    static const char *const units[] = { "B/s", "FLOP/s", "B", "s" };
    const size_t length = nnc_number_span(text, strlen(text));
    const char *rest = text + length + strspn(text + length, " ");
    if (length == 0 || strcmp(rest, "B") == 0) { /* a byte or 1e9? */
        return false;
    }
    for (size_t i = 0; *rest != '\0' && i < 4; i++) {
        const bool is_time = strcmp(units[i], "s") == 0;
        if (is_time ? time_factor(rest) > 0.0 : ends_with(rest, units[i])) {
            return nnc_read_quantity(text, units[i], false, out);
        }
    }
    return *rest == '\0' && nnc_read_double(text, out);
}

bool nnc_read_money(const char *text, double *out, char currency[NNC_CURRENCY_TEXT])
{
    static const char *const signs[][2] = { { "$", "USD" }, { "\xE2\x82\xAC", "EUR" } };
    char number[NNC_NUMBER_TEXT * 2], word[8] = "";
    const bool dollars = text[0] == '$';
    text += dollars ? 1 : 0;
    const size_t length = nnc_number_span(text, strlen(text));
    const char *rest = text + length;
    const size_t prefix = strspn(rest, "kMBGT") == 1 ? 1 : 0;
    if (length == 0 || length + prefix >= sizeof number) {
        return false;
    }
    snprintf(number, sizeof number, "%.*s", (int)(length + prefix), text);
    rest += prefix;
    rest += strspn(rest, " ");
    const size_t letters = strcspn(rest, "/");
    const bool per_hour = rest[letters] == '/';
    snprintf(word, sizeof word, "%.*s", (int)(letters < 7 ? letters : 7), rest);
    if (dollars && word[0] == '\0') {
        snprintf(word, sizeof word, "USD");
    }
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(word, signs[i][0]) == 0) {
            snprintf(word, sizeof word, "%s", signs[i][1]);
        }
    }
    const bool known =
        word[0] == '\0' || (strlen(word) == 3 && strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3);
    snprintf(currency, NNC_CURRENCY_TEXT, "%.3s", word);
    return known && (!per_hour || strcmp(rest + letters, "/h") == 0) &&
           nnc_read_quantity(number, NULL, false, out);
}
