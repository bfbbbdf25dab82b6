/* Converts TOML to JSON in which each value keeps its line number, so that the JSON reader and its error messages also
 * work for TOML files.
 *
 * For example, the table "[training] steps = 1_000" becomes {"training.steps":1000}. The keys of a table are joined to
 * the name of the table by dots, because a TOML file may have the keys of one table at several places. The keys of a
 * JSON object must be at one place. The reader accepts tables, dotted keys, strings, numbers, true, false, lists and
 * inline tables; dates become strings. The reader refuses arrays of tables ([[name]]), because no launch file has an
 * array of tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "launch/launch_internal.h"

enum { TOML_BYTES_MAX = 1000 * 1000, PREFIX_TEXT = 160, DEPTH_MAX = NNC_SCAN_DEPTH_MAX - 4 };

typedef struct toml {
    const char *name, *at, *end, *line_start;
    unsigned long line, written; /* line: current line of the TOML text, from 1. written: number of lines written so
                                  * far */
    char prefix[PREFIX_TEXT];    /* name of the TOML table that is being read, with a dot at its end */
    bool any;                    /* true: at least one member of the JSON object was written, so the next one needs a
                                  * comma */
    nnc_buffer *out;
    nnc_error *err;
    nnc_status status;
} toml;

static bool fail(toml *t, const char *what) {
    char where[512];
    if (t->status == NNC_OK) {
        snprintf(where, sizeof where, "%.400s:%lu:%lu", t->name, t->line, (unsigned long)(t->at - t->line_start) + 1);
        t->status = nnc_fail(t->err, NNC_BAD_SPEC, where, "bad syntax, expected %s", what);
    }
    return false;
}

static char peek(const toml *t) { return (char)(t->at < t->end ? *t->at : '\0'); }

static bool starts(const toml *t, const char *with) {
    const size_t length = strlen(with);
    return (size_t)(t->end - t->at) >= length && memcmp(t->at, with, length) == 0;
}

static void step(toml *t) {
    if (*t->at++ == '\n') {
        t->line++;
        t->line_start = t->at;
    }
}

/* Skips blanks and a comment in the TOML text. over: true = also skips line ends. */
static void skip(toml *t, bool over) {
    while (t->at < t->end) {
        const char c = *t->at;
        if (c == '#') {
            while (t->at < t->end && *t->at != '\n') { t->at++; }
        } else if (c == ' ' || c == '\t' || c == '\r' || (over && c == '\n')) {
            step(t);
        } else {
            return;
        }
    }
}

static bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Appends the Unicode character with number `code` as UTF-8. Returns false if no character has this number; the error
 * is then in t->err. */
static bool put_character(toml *t, nnc_buffer *text, unsigned long code) {
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) { return fail(t, "a character of Unicode"); }
    if (code < 0x80) {
        nnc_buffer_byte(text, (char)code);
        return true;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char first[] = { 0, 0xC0, 0xE0, 0xF0 };
    nnc_buffer_byte(text, (char)(first[more] | (code >> (6 * more))));
    for (int i = more - 1; i >= 0; i--) { nnc_buffer_byte(text, (char)(0x80 | ((code >> (6 * i)) & 0x3F))); }
    return true;
}

/* Reads an escape sequence of a TOML string, from the character after the backslash. Returns false if the sequence is
 * wrong; the error is then in t->err. */
static bool read_escape(toml *t, nnc_buffer *text) {
    static const char names[] = "btnfr\"\\", values[] = "\b\t\n\f\r\"\\";
    const char c = peek(t);
    const char *found = c != '\0' ? strchr(names, c) : NULL;
    if (found != NULL) {
        nnc_buffer_byte(text, values[found - names]);
        t->at++;
        return true;
    }
    const int digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    char hex[9] = "", *end = hex;
    if (digits == 0 || t->end - t->at <= digits) { return fail(t, "an escape such as \\n"); }
    memcpy(hex, t->at + 1, (size_t)digits);
    const unsigned long code = strtoul(hex, &end, 16);
    if (end != hex + digits || strspn(hex, "0123456789abcdefABCDEF") != (size_t)digits) {
        return fail(t, "hexadecimal digits");
    }
    t->at += digits + 1;
    return put_character(t, text, code);
}

/* Reads a TOML string in quotes, and appends its characters to `text`, which the caller frees. Returns false if the
 * string is wrong. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): a list of cases */
static bool read_text(toml *t, nnc_buffer *text) {
    const char quote = *t->at;
    const char three[] = { quote, quote, quote, '\0' };
    const bool many = starts(t, three), literal = quote == '\'';
    t->at += many ? 3 : 1;
    if (many && starts(t, "\r\n")) { t->at++; }
    if (many && peek(t) == '\n') { step(t); }
    while (t->at < t->end) {
        if (many ? starts(t, three) : *t->at == quote) {
            t->at += many ? 3 : 1;
            /* in a string with three quotes, quotes directly before the three closing ones belong to the string */
            while (many && peek(t) == quote) {
                nnc_buffer_byte(text, quote);
                t->at++;
            }
            return true;
        }
        if (*t->at == '\0' || (!many && *t->at == '\n')) { break; }
        if (*t->at == '\\' && !literal) {
            t->at++;
            const char *blanks = t->at;
            while (many && blanks < t->end && strchr(" \t\r", *blanks) != NULL && *blanks != '\0') { blanks++; }
            /* in a string with three quotes, a backslash at the end of a line joins this line with the next */
            if (many && blanks < t->end && *blanks == '\n') {
                t->at = blanks;
                while (t->at < t->end && *t->at != '\0' && strchr(" \t\r\n", *t->at) != NULL) { step(t); }
            } else if (!read_escape(t, text)) {
                return false;
            }
        } else {
            nnc_buffer_byte(text, *t->at);
            step(t);
        }
    }
    return fail(t, "the end of a quoted text");
}

/* Reads a TOML key, such as a.b."c", into `key`. Returns false if there is no valid key; the error is then in
 * t->err. */
static bool read_key(toml *t, nnc_buffer *key) {
    for (;;) {
        skip(t, false);
        if (peek(t) == '"' || peek(t) == '\'') {
            if (!read_text(t, key)) { return false; }
        } else if (is_bare(peek(t))) {
            while (is_bare(peek(t))) { nnc_buffer_byte(key, *t->at++); }
        } else {
            return fail(t, "a key");
        }
        skip(t, false);
        if (peek(t) != '.') {
            nnc_buffer_byte(key, '\0');
            return true;
        }
        nnc_buffer_byte(key, '.');
        t->at++;
    }
}

/* Writes line breaks until the JSON text has as many lines as the TOML text before this value. */
static void to_line(toml *t, unsigned long line) {
    for (; t->written < line; t->written++) { nnc_buffer_byte(t->out, '\n'); }
}

/* Converts a TOML number: decimal, or with 0x, 0o, 0b; underscores are allowed. Returns false if the word is not a TOML
 * number. */
static bool read_number(const char *word, double *number) {
    char digits[64], *end = digits;
    size_t used = 0;
    for (const char *c = word; *c != '\0'; c++) {
        if (*c != '_' || used == 0) {
            if (used + 2 > sizeof digits) { return false; }
            digits[used++] = *c;
        }
    }
    digits[used] = '\0';
    const char *first = digits + (digits[0] == '+' || digits[0] == '-');
    const int base = first[0] != '0' ? 10 : first[1] == 'x' ? 16 : first[1] == 'o' ? 8 : first[1] == 'b' ? 2 : 10;
    if (base != 10) {
        *number = (double)strtoull(first + 2, &end, base);
        return first == digits && *end == '\0' && end > first + 2 && first[2] != '-' && first[2] != '+';
    }
    const bool leading = first[0] == '0' && first[1] >= '0' && first[1] <= '9';
    return !leading && first[0] >= '0' && first[0] <= '9' && strspn(first, "0123456789.eE+-") == strlen(first) &&
           nnc_read_double(digits[0] == '+' ? first : digits, number) && isfinite(*number);
}

/* Converts a TOML value without quotes to JSON: true, false and numbers stay the same; a date, an infinity or nan
 * becomes a string. Returns false if the word is not a TOML value. */
static bool put_word(toml *t) {
    char word[80];
    size_t length = 0;
    double number = 0.0;
    while (length + 1 < sizeof word && t->at < t->end &&
           (is_bare(*t->at) || (*t->at != '\0' && strchr("+.:", *t->at) != NULL))) {
        word[length++] = *t->at++;
    }
    word[length] = '\0';
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
        nnc_buffer_text(t->out, word);
    } else if (read_number(word, &number)) {
        nnc_buffer_number(t->out, number);
    } else if (length > 0 && (strchr(word, ':') != NULL || strchr(word, '-') != NULL || strstr(word, "inf") != NULL ||
                              strcmp(word, "nan") == 0)) {
        nnc_put_json_text(t->out, word); /* a date, inf or nan is written as a JSON string */
    } else {
        return fail(t, "a value");
    }
    return true;
}

static bool put_quoted(toml *t) {
    nnc_buffer text = { 0 };
    const unsigned long line = t->line;
    bool read = read_text(t, &text);
    nnc_buffer_byte(&text, '\0');
    if (read && text.failed) {
        t->status = nnc_no_memory(t->err);
        read = false;
    }
    if (read) {
        to_line(t, line);
        nnc_put_json_text(t->out, text.bytes);
    }
    nnc_buffer_free(&text);
    return read;
}

static bool put_member(toml *t, const char *prefix, int depth);

/* Writes a value, which may be a list or an inline table. Returns false if the text is wrong; the error is then in
 * t->err. NOLINTNEXTLINE(misc-no-recursion) */
static bool put_value(toml *t, int depth) {
    const char open = peek(t), close = open == '[' ? ']' : '}';
    if (open == '"' || open == '\'') { return put_quoted(t); }
    to_line(t, t->line);
    if (open != '[' && open != '{') { return put_word(t); }
    if (depth == DEPTH_MAX) { return fail(t, "fewer levels"); }
    t->at++;
    nnc_buffer_byte(t->out, open);
    for (bool first = true;; first = false) {
        skip(t, true);
        if (peek(t) == close) { break; }
        if (!first) {
            if (peek(t) != ',') { return fail(t, "a comma"); }
            t->at++;
            skip(t, true);
            if (peek(t) == close) { break; }
            nnc_buffer_byte(t->out, ',');
        }
        if (open == '[' ? !put_value(t, depth + 1) : !put_member(t, "", depth + 1)) { return false; }
    }
    t->at++;
    nnc_buffer_byte(t->out, close);
    return true;
}

/* Reads "key = value" from the TOML text and writes a JSON member with this key and value.
 * NOLINTNEXTLINE(misc-no-recursion) */
static bool put_member(toml *t, const char *prefix, int depth) {
    nnc_buffer key = { 0 };
    nnc_buffer_text(&key, prefix);
    bool read = read_key(t, &key);
    if (read && key.failed) {
        t->status = nnc_no_memory(t->err);
        read = false;
    }
    if (read && peek(t) != '=') { read = fail(t, "="); }
    if (read) {
        t->at++;
        skip(t, false);
        to_line(t, t->line);
        nnc_put_json_text(t->out, key.bytes);
        nnc_buffer_byte(t->out, ':');
        read = put_value(t, depth);
    }
    nnc_buffer_free(&key);
    return read;
}

/* Reads the heading of a TOML table, "[a.b]". Returns false if the heading is wrong; the error is then in t->err. */
static bool read_table(toml *t) {
    nnc_buffer key = { 0 };
    t->at++;
    if (peek(t) == '[') { return fail(t, "no array of tables ([[name]])"); }
    bool read = read_key(t, &key);
    if (read && (key.failed || peek(t) != ']')) {
        read = fail(t, "]");
    } else if (read && snprintf(t->prefix, sizeof t->prefix, "%s.", key.bytes) >= (int)sizeof t->prefix) {
        read = fail(t, "a shorter name of a table");
    } else if (read) {
        t->at++;
    }
    nnc_buffer_free(&key);
    return read;
}

nnc_status nnc_toml_to_json(const char *name, const char *text, size_t size, nnc_buffer *json, nnc_error *err) {
    toml t = { .name = name,
               .at = text,
               .end = text + size,
               .line_start = text,
               .line = 1,
               .written = 1,
               .out = json,
               .err = err };
    if (size > TOML_BYTES_MAX) { return nnc_file_too_large(name, TOML_BYTES_MAX, err); }
    t.at += starts(&t, "\xEF\xBB\xBF") ? 3 : 0;
    nnc_buffer_byte(json, '{');
    for (skip(&t, true); t.at < t.end && t.status == NNC_OK; skip(&t, true)) {
        if (*t.at == '[') {
            (void)read_table(&t);
        } else {
            to_line(&t, t.line);
            if (t.any) { nnc_buffer_byte(json, ','); }
            t.any = true;
            (void)put_member(&t, t.prefix, 0);
        }
        skip(&t, false);
        if (t.status == NNC_OK && t.at < t.end && *t.at != '\n') { (void)fail(&t, "the end of the line"); }
    }
    nnc_buffer_byte(json, '}');
    return t.status == NNC_OK && json->failed ? nnc_no_memory(err) : t.status;
}
