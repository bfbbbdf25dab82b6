#include "input/scan.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

typedef struct scan {
    const char *begin, *at, *end;
    uint64_t objects; /* one bit per open bracket, the innermost lowest: 1 = object, 0 = list */
    int depth;
    int values;      /* begun so far */
    const char *key; /* where the key of the coming value begins; NULL in a list */
    int values_max;
    int wanted;        /* ordinal of the value to find, -1 = none */
    const char *found; /* where it begins */
    nnc_scan_fault *fault;
} scan;

typedef enum step {
    REFUSED,
    VALUE_DUE,  /* a value has to begin here */
    VALUE_DONE, /* a value has just ended */
    TEXT_DONE
} step;

nnc_position nnc_scan_position(const char *text, const char *at)
{
    nnc_position position = { 1, 1 };
    for (const char *c = text; c < at; c++) {
        if (*c == '\n') {
            position.line++;
            position.column = 1;
        } else if (((unsigned char)*c & 0xC0) != 0x80) { /* not the middle of a character */
            position.column++;
        }
    }
    return position;
}

static size_t word_length(const char *at, const char *end)
{
    size_t n = 0;
    while (at + n < end && n < 24 &&
           ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= 'A' && at[n] <= 'Z') ||
            (at[n] >= '0' && at[n] <= '9') || at[n] == '.' || at[n] == '+' || at[n] == '-')) {
        n++;
    }
    return n;
}

/* What stands at a place, as a message calls it. */
static void describe(const scan *s, const char *at, char *text, size_t size)
{
    const size_t left = (size_t)(s->end - at);
    const size_t word = word_length(at, s->end);
    const size_t character = nnc_utf8_length(at, left);
    if (left == 0) {
        snprintf(text, size, "the end of the text");
    } else if (word > 1) {
        snprintf(text, size, "%.*s", (int)word, at);
    } else if (character == 0 || (unsigned char)*at < 0x20 || *at == 0x7F) {
        snprintf(text, size, "byte 0x%02X", (unsigned)(unsigned char)*at);
    } else {
        snprintf(text, size, "'%.*s'", (int)character, at);
    }
}

static step refuse(scan *s, const char *at, const char *what, const char *expected)
{
    char found[48];
    describe(s, at, found, sizeof(found));
    snprintf(s->fault->what, sizeof(s->fault->what), "%s, expected %s, found %s", what, expected,
             found);
    s->fault->at = nnc_scan_position(s->begin, at);
    return REFUSED;
}

static void skip_blanks(scan *s)
{
    while (s->at < s->end &&
           (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r')) {
        s->at++;
    }
}

static bool next_is(scan *s, char c)
{
    skip_blanks(s);
    return s->at < s->end && *s->at == c;
}

/* After a backslash. \u0000 is refused because it would end the C string early. */
static step scan_escape(scan *s)
{
    if (s->end - s->at < 2 || strchr("\"\\/bfnrtu", s->at[1]) == NULL || s->at[1] == '\0') {
        return refuse(s, s->at, "bad escape in text",
                      "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    }
    if (s->at[1] != 'u') {
        s->at += 2;
        return VALUE_DONE;
    }
    bool zero = true;
    for (int i = 2; i < 6; i++) {
        const int c = s->at + i < s->end ? s->at[i] : 0;
        if (c == 0 || strchr("0123456789abcdefABCDEF", c) == NULL) {
            return refuse(s, s->at, "bad escape in text", "four hexadecimal digits after \\u");
        }
        zero = zero && c == '0';
    }
    if (zero) {
        return refuse(s, s->at, "NUL in text", "a character from \\u0001");
    }
    s->at += 6;
    return VALUE_DONE;
}

static step scan_text(scan *s)
{
    s->at++;
    while (s->at < s->end && *s->at != '"') {
        const size_t length = nnc_utf8_length(s->at, (size_t)(s->end - s->at));
        if (length == 0) {
            return refuse(s, s->at, "bad character in text", "UTF-8");
        }
        if ((unsigned char)*s->at < 0x20) {
            return refuse(s, s->at, "raw control character in text", "an escape such as \\n");
        }
        if (*s->at != '\\') {
            s->at += length;
        } else if (scan_escape(s) == REFUSED) {
            return REFUSED;
        }
    }
    if (s->at == s->end) {
        return refuse(s, s->at, "bad syntax", "'\"' at the end of a text");
    }
    s->at++;
    return VALUE_DONE;
}

static step scan_number(scan *s)
{
    char number[64]; /* cJSON looks at no more than 63 characters */
    double value;
    const size_t length = nnc_number_span(s->at, (size_t)(s->end - s->at));
    const char *after = s->at + length;
    if (length == 0 ||
        (after < s->end && strchr("0123456789.eE+-", *after) != NULL && *after != '\0')) {
        return refuse(s, s->at, "bad number", "one such as 12, -0.5 or 3e9");
    }
    if (length >= sizeof(number)) {
        return refuse(s, s->at, "number too long", "at most 63 characters");
    }
    memcpy(number, s->at, length);
    number[length] = '\0';
    if (!nnc_read_double(number, &value)) {
        return refuse(s, s->at, "infinite number", "at most 1.79e308");
    }
    s->at = after;
    return VALUE_DONE;
}

static step scan_word(scan *s)
{
    static const char *const words[] = { "true", "false", "null" };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]);
        if (word_length(s->at, s->end) == length && memcmp(s->at, words[i], length) == 0) {
            s->at += length;
            return VALUE_DONE;
        }
    }
    return refuse(s, s->at, "bad syntax", "a value");
}

static step scan_key(scan *s)
{
    if (!next_is(s, '"')) {
        return refuse(s, s->at, "bad syntax", "a key in quotes");
    }
    s->key = s->at;
    if (scan_text(s) == REFUSED) {
        return REFUSED;
    }
    if (!next_is(s, ':')) {
        return refuse(s, s->at, "bad syntax", "':' after a key");
    }
    s->at++;
    return VALUE_DUE;
}

static step close_bracket(scan *s)
{
    s->at++;
    s->objects >>= 1;
    s->depth--;
    return VALUE_DONE;
}

static step open_bracket(scan *s)
{
    const bool object = *s->at == '{';
    if (s->depth == NNC_SCAN_DEPTH_MAX) {
        return refuse(s, s->at, "nested too deeply", "at most 64 levels");
    }
    s->at++;
    s->objects = s->objects << 1 | (object ? 1U : 0U);
    s->depth++;
    if (next_is(s, object ? '}' : ']')) {
        return close_bracket(s);
    }
    s->key = NULL;
    return object ? scan_key(s) : VALUE_DUE;
}

static step begin_value(scan *s)
{
    skip_blanks(s);
    if (s->values == s->wanted) {
        s->found = s->key != NULL ? s->key : s->at;
        return TEXT_DONE;
    }
    if (s->values++ == s->values_max) {
        char expected[32];
        snprintf(expected, sizeof(expected), "at most %d", s->values_max);
        return refuse(s, s->at, "too many values", expected);
    }
    s->key = NULL;
    if (s->at == s->end) {
        return refuse(s, s->at, "bad syntax", "a value");
    }
    if (*s->at == '{' || *s->at == '[') {
        return open_bracket(s);
    }
    if (*s->at == '"') {
        return scan_text(s);
    }
    if (*s->at == '-' || (*s->at >= '0' && *s->at <= '9')) {
        return scan_number(s);
    }
    return scan_word(s);
}

static step end_value(scan *s)
{
    const bool object = (s->objects & 1U) != 0;
    skip_blanks(s);
    if (s->depth == 0) {
        return s->at == s->end ? TEXT_DONE
                               : refuse(s, s->at, "bad syntax", "nothing after the last brace");
    }
    if (next_is(s, object ? '}' : ']')) {
        return close_bracket(s);
    }
    if (!next_is(s, ',')) {
        return refuse(s, s->at, "bad syntax", object ? "',' or '}'" : "',' or ']'");
    }
    s->at++;
    return object ? scan_key(s) : VALUE_DUE;
}

static step scan_all(scan *s)
{
    step now = VALUE_DUE;
    while (now == VALUE_DUE || now == VALUE_DONE) {
        now = now == VALUE_DUE ? begin_value(s) : end_value(s);
    }
    return now;
}

bool nnc_scan(const char *text, size_t size, int values_max, nnc_scan_fault *fault)
{
    scan s = { .begin = text,
               .at = text,
               .end = text + size,
               .values_max = values_max,
               .wanted = -1,
               .fault = fault };
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        refuse(&s, text, "byte order mark", "plain UTF-8 text");
        return false;
    }
    return scan_all(&s) == TEXT_DONE;
}

nnc_position nnc_scan_value(const char *text, size_t size, int ordinal)
{
    nnc_scan_fault unused;
    scan s = { .begin = text,
               .at = text,
               .end = text + size,
               .values_max = NNC_SCAN_VALUES_MANY,
               .wanted = ordinal,
               .fault = &unused };
    scan_all(&s);
    return nnc_scan_position(text, s.found != NULL ? s.found : text);
}
