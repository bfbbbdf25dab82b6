/* Works on JSON text without a tree.
 *
 * nnc_json_scan checks the grammar of RFC 8259 and names the first error. nnc_json_scan_lexemes is faster: it checks
 * only numbers and strings and leaves the order of lexemes to cJSON. nnc_walk finds the places of values in valid text.
 * nnc_walk checks nothing, so it skips megabytes quickly. The last part of the file computes digests of values. */
#include "input/input_internal.h"

/* Kinds of lexemes (parts of JSON text), one bit each. A set of bits tells which kinds are allowed next. */
enum { VALUE = 1, KEY = 2, COLON = 4, COMMA = 8, CLOSE = 16, END = 32 };

typedef struct scan {
    const char *begin, *at, *end;
    unsigned allowed;
    /* one bit for each bracket that is open: 1 = an object, 0 = a list; the lowest bit belongs to the innermost
     * bracket */
    uint64_t objects;
    int depth;
    /* values: number of JSON values that the scan has found so far; values_max: largest number of values that the text
     * may have */
    int values, values_max;
    /* receives the place and the text of an error; NULL = the caller does not need the error */
    nnc_json_scan_fault *fault;
} scan;

nnc_position nnc_json_position(const char *text, const char *at) {
    nnc_position position = { 1, 1 };
    for (const char *c = text; c < at; c++) {
        if (*c == '\n') {
            position.line++;
            position.column = 1;
        } else if (((unsigned char)*c & 0xC0) != 0x80) { /* a character can have several bytes, and only its first byte
                                                          * is counted */
            position.column++;
        }
    }
    return position;
}

static size_t word_length(const char *at, const char *end) {
    size_t n = 0;
    while (at + n < end && n < 24 &&
           ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= 'A' && at[n] <= 'Z') || (at[n] >= '0' && at[n] <= '9') ||
            at[n] == '.' || at[n] == '+' || at[n] == '-')) {
        n++;
    }
    return n;
}

/* Describes the text at a position for an error message: as a word, a character, a byte, or the end of the text. */
static void describe(const scan *s, const char *at, char *text, size_t size) {
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

static bool refuse(scan *s, const char *at, const char *what, const char *expected) {
    char found[48];
    if (s->fault != NULL) {
        describe(s, at, found, sizeof(found));
        snprintf(s->fault->what, sizeof(s->fault->what), "%s, expected %s, found %s", what, expected, found);
        s->fault->at = nnc_json_position(s->begin, at);
    }
    return false;
}

/* Scans an escape such as \n. Refuses \u0000, which would end a C string early. If the input is not valid, notes a
 * fault and returns false. */
static bool scan_escape(scan *s) {
    if (s->end - s->at < 2 || strchr("\"\\/bfnrtu", s->at[1]) == NULL || s->at[1] == '\0') {
        return refuse(s, s->at, "bad escape in text", "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    }
    if (s->at[1] != 'u') {
        s->at += 2;
        return true;
    }
    bool zero = true;
    for (int i = 2; i < 6; i++) {
        const int c = s->at + i < s->end ? s->at[i] : 0;
        if (c == 0 || strchr("0123456789abcdefABCDEF", c) == NULL) {
            return refuse(s, s->at, "bad escape in text", "four hexadecimal digits after \\u");
        }
        zero = zero && c == '0';
    }
    if (zero) { return refuse(s, s->at, "NUL in text", "a character from \\u0001"); }
    s->at += 6;
    return true;
}

/* Returns a word in which bit 7 of each byte is 1 if the byte of `word` is 0. Bits 0 to 6 of each byte of the result
 * have no meaning. */
static uint64_t zeros(uint64_t word) { return (word - 0x0101010101010101U) & ~word; }

/* Skips blocks of 8 bytes, from `at` on, if all bytes of the block are printable ASCII characters and no byte is a
 * quote or a backslash. Returns the start of the first block with another character, or of the last bytes (fewer than
 * 8). */
static const char *past_plain(const char *at, const char *end) {
    static const uint64_t each = 0x0101010101010101U;
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        const uint64_t other = word | (word - each * ' ') | zeros(word ^ each * '"') | zeros(word ^ each * '\\');
        if ((other & each * 0x80) != 0) { break; }
    }
    return at;
}

static bool scan_text(scan *s) {
    s->at = past_plain(s->at + 1, s->end);
    while (s->at < s->end && *s->at != '"') {
        const unsigned char c = (unsigned char)*s->at;
        const size_t length = c < 0x80 ? 1 : nnc_utf8_length(s->at, (size_t)(s->end - s->at));
        if (length == 0) { return refuse(s, s->at, "bad character in text", "UTF-8"); }
        if (c < 0x20) { return refuse(s, s->at, "raw control character in text", "an escape such as \\n"); }
        if (c != '\\') {
            s->at += length;
        } else if (!scan_escape(s)) {
            return false;
        }
    }
    if (s->at == s->end) { return refuse(s, s->at, "bad syntax", "'\"' at the end of a text"); }
    s->at++;
    return true;
}

/* Tests whether a character could continue a number; such a character after a complete number is an error. */
static bool goes_on(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

static bool scan_number(scan *s) {
    char number[64]; /* cJSON reads at most 63 characters of a number, so longer numbers are refused */
    double value;
    const size_t length = nnc_number_span(s->at, (size_t)(s->end - s->at));
    const char *after = s->at + length;
    if (length == 0 || (after < s->end && goes_on(*after))) {
        return refuse(s, s->at, "bad number", "one such as 12, -0.5 or 3e9");
    }
    if (length >= sizeof(number)) { return refuse(s, s->at, "number too long", "at most 63 characters"); }
    /* if `fault` is NULL, refuse_values (json.c) searches for infinite numbers after the text was parsed */
    if (s->fault != NULL) {
        memcpy(number, s->at, length);
        number[length] = '\0';
        if (!nnc_read_double(number, &value)) { return refuse(s, s->at, "infinite number", "at most 1.79e308"); }
    }
    s->at = after;
    return true;
}

static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

static bool begins_number(char c) { return c == '-' || (c >= '0' && c <= '9'); }

bool nnc_json_scan_lexemes(const char *text, size_t size, int values_max) {
    scan s = { .begin = text, .at = text, .end = text + size };
    /* each opening bracket and each comma adds one to the number of values, so an empty list adds two */
    int values = 1, depth = 0;
    while (s.at < s.end) {
        const char c = *s.at;
        if (is_blank(c)) {
            s.at++;
            continue;
        }
        if (c == '"' ? !scan_text(&s) : begins_number(c) && !scan_number(&s)) { return false; }
        if (c == '"' || begins_number(c)) { continue; }
        const bool opens = c == '{' || c == '[';
        depth += opens ? 1 : c == '}' || c == ']' ? -1 : 0;
        values += opens || c == ',';
        if (depth > NNC_SCAN_DEPTH_MAX || values > values_max || (unsigned char)c > 0x7E || c < ' ') { return false; }
        s.at++;
    }
    return true;
}

/* ---- checks the grammar of JSON, with error messages ---- */

static bool scan_word(scan *s) {
    static const char *const words[] = { "true", "false", "null" };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]);
        if (word_length(s->at, s->end) == length && memcmp(s->at, words[i], length) == 0) {
            s->at += length;
            return true;
        }
    }
    return refuse(s, s->at, "bad syntax", "a value");
}

static bool in_object(const scan *s) { return (s->objects & 1U) != 0; }

static bool refuse_order(scan *s) {
    return refuse(s, s->at, "bad syntax",
                  (s->allowed & VALUE) != 0   ? "a value"
                  : (s->allowed & KEY) != 0   ? "a key in quotes"
                  : (s->allowed & COLON) != 0 ? "':' after a key"
                  : (s->allowed & END) != 0   ? "nothing after the last brace"
                  : in_object(s)              ? "',' or '}'"
                                              : "',' or ']'");
}

static bool open_bracket(scan *s) {
    const bool object = *s->at == '{';
    if (s->depth == NNC_SCAN_DEPTH_MAX) { return refuse(s, s->at, "nested too deeply", "at most 64 levels"); }
    s->at++;
    s->depth++;
    s->objects = s->objects << 1 | (object ? 1U : 0U);
    s->allowed = object ? KEY | CLOSE : VALUE | CLOSE;
    return true;
}

static void close_bracket(scan *s) {
    s->at++;
    s->depth--;
    s->objects >>= 1;
    s->allowed = s->depth > 0 ? COMMA | CLOSE : END;
}

static bool scan_value(scan *s, char c) {
    if (s->values++ == s->values_max) {
        char expected[32];
        snprintf(expected, sizeof(expected), "at most %d", s->values_max);
        return refuse(s, s->at, "too many values", expected);
    }
    if (c == '{' || c == '[') { return open_bracket(s); }
    s->allowed = s->depth > 0 ? COMMA | CLOSE : END;
    return c == '"' ? scan_text(s) : begins_number(c) ? scan_number(s) : scan_word(s);
}

/* Checks that the next lexeme is of an allowed kind, and moves past it. If the input is not valid, notes a fault and
 * returns false. */
static bool scan_next(scan *s) {
    const char c = *s->at; /* the character 0 marks the end of the text */
    if ((s->allowed & CLOSE) != 0 && c == (in_object(s) ? '}' : ']')) {
        close_bracket(s);
        return true;
    }
    if ((s->allowed & KEY) != 0 && c == '"') {
        s->allowed = COLON;
        return scan_text(s);
    }
    if (((s->allowed & COLON) != 0 && c == ':') || ((s->allowed & COMMA) != 0 && c == ',')) {
        s->allowed = c == ',' && in_object(s) ? KEY : VALUE;
        s->at++;
        return true;
    }
    return (s->allowed & VALUE) != 0 ? scan_value(s, c) : refuse_order(s);
}

static bool scan_all(scan *s) {
    do {
        while (s->at < s->end && is_blank(*s->at)) { s->at++; }
        if (s->at == s->end && s->allowed == END) { return true; }
    } while (scan_next(s));
    return false;
}

bool nnc_json_scan(const char *text, size_t size, int values_max, nnc_json_scan_fault *fault) {
    scan s = {
        .begin = text, .at = text, .end = text + size, .allowed = VALUE, .values_max = values_max, .fault = fault
    };
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        return refuse(&s, text, "byte order mark", "plain UTF-8 text");
    }
    return scan_all(&s);
}

static bool opens(char c) { return c == '{' || c == '['; }

static bool closes(char c) { return c == '}' || c == ']' || c == '\0'; }

static bool parts(char c) { return c == ',' || c == ':'; }

static void skip_blanks(nnc_walk *w) {
    const char *at = w->text + w->at;
    for (; is_blank(*at); at++) { w->line += *at == '\n'; }
    w->at = (size_t)(at - w->text);
}

/* Moves a walk over JSON text past a number, or past one of the words true, false and null. */
static void skip_plain(nnc_walk *w) {
    const char *at = w->text + w->at;
    while (*at != '"' && !is_blank(*at) && !parts(*at) && !opens(*at) && !closes(*at)) { at++; }
    w->at = (size_t)(at - w->text);
}

static void skip_quoted(nnc_walk *w) {
    const char *at = w->text + w->at + 1;
    for (; *at != '"'; at++) { at += *at == '\\'; }
    w->at = (size_t)(at - w->text) + 1;
}

nnc_walk nnc_walk_begin(const char *text) {
    nnc_walk w = { .text = text, .line = 1, .key_line = 1 };
    skip_blanks(&w);
    return w;
}

bool nnc_walk_member(nnc_walk *w, bool object) {
    skip_blanks(w);
    /* w->at is at the opening bracket of the object or list, or at the comma after the last member */
    if (!closes(w->text[w->at])) {
        w->at++;
        skip_blanks(w);
    }
    w->key = w->at;
    w->key_line = w->line;
    w->key_length = 0;
    if (closes(w->text[w->at])) {
        w->at++;
        return false;
    }
    if (object) {
        skip_quoted(w);
        w->key_length = w->at - w->key;
        skip_blanks(w);
        w->at++; /* moves past the colon that follows the key */
        skip_blanks(w);
    }
    return true;
}

bool nnc_walk_key_is(const nnc_walk *w, const char *key) {
    const size_t length = strlen(key);
    return w->key_length == length + 2 && memcmp(w->text + w->key + 1, key, length) == 0;
}

void nnc_walk_value(nnc_walk *w) {
    int depth = 0;
    do {
        skip_blanks(w);
        const char c = w->text[w->at];
        if (c == '"') {
            skip_quoted(w);
        } else if (opens(c)) {
            depth++;
            w->at++;
        } else if (closes(c)) {
            depth--;
            w->at++;
        } else if (parts(c)) {
            w->at++;
        } else {
            skip_plain(w);
        }
    } while (depth > 0);
}

void nnc_walk_on(nnc_walk *w, size_t to) {
    const char *end = w->text + to;
    for (const char *at = w->text + w->at; (at = memchr(at, '\n', (size_t)(end - at))) != NULL;) {
        w->line++;
        at++;
    }
    w->at = to;
}

/* ---- digests of JSON values ---- */

/* Returns the digest of a member's value. If the object is document.large (the one object whose members are read one at
 * a time) and this member was already read, returns the digest that was stored when the member was closed. */
static uint64_t member_digest(nnc_json object, nnc_json item, int32_t index, const char *const *skip) {
    const nnc_json_large *large = &object.doc->large;
    return object.node == large->object && large->places[index] > 0 ? large->digests[index]
                                                                    : nnc_json_digest(item, skip);
}

uint64_t nnc_digest_object(uint64_t members) {
    return nnc_digest_number(nnc_digest_number(NNC_DIGEST_START, NNC_JSON_OBJECT), members);
}

uint64_t nnc_json_digest_members(nnc_json object, const char *const *skip) {
    uint64_t sum = 0; /* adds the digests of all members, so that the order of the keys does not change the result */
    int32_t index = 0;
    for (nnc_json item = nnc_json_first(object); item.node != NULL; item = nnc_json_next(item), index++) {
        if (!nnc_is_one_of(nnc_json_key(item), skip)) {
            sum += nnc_digest_number(nnc_digest_text(NNC_DIGEST_START, nnc_json_key(item)),
                                     member_digest(object, item, index, skip));
        }
    }
    return sum;
}

uint64_t nnc_json_digest(nnc_json at, const char *const *skip) {
    const nnc_json_type type = nnc_json_type_of(at);
    uint64_t digest = nnc_digest_number(NNC_DIGEST_START, (uint64_t)type), bits = 0;
    double value = 0;
    switch (type) {
    case NNC_JSON_BOOL: return nnc_digest_number(digest, nnc_json_bool(at));
    case NNC_JSON_NUMBER:
        value = nnc_json_number(at);
        value = value == 0 ? 0 : value; /* turns -0 into 0, so that -0 and 0 have equal digests */
        memcpy(&bits, &value, sizeof(bits));
        return nnc_digest_number(digest, bits);
    case NNC_JSON_TEXT: return nnc_digest_text(digest, nnc_json_text(at));
    case NNC_JSON_LIST:
        for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
            digest = nnc_digest_number(digest, nnc_json_digest(item, skip));
        }
        return digest;
    case NNC_JSON_OBJECT: return nnc_digest_object(nnc_json_digest_members(at, skip));
    default: return digest;
    }
}

void nnc_json_digest_add(const nnc_json_doc *doc, nnc_json data) {
    static const char *const none[] = { "note", "source", NULL };
    if (doc->digest != NULL) { *doc->digest += nnc_json_digest(data, none); }
}
