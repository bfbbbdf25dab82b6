/* JSON text in one pass: checks the grammar of RFC 8259, names the first error, and builds the tree where one is asked
 * for. nnc_walk finds the places of values in text that is known to be valid; it checks nothing, so it can skip
 * megabytes quickly. */
#include "input/input_internal.h"

/* The lexemes that may come next. */
enum { VALUE = 1, KEY = 2, COLON = 4, COMMA = 8, CLOSE = 16, END = 32 };

typedef struct scan {
    const char *begin, *at, *end;
    unsigned allowed;
    uint64_t objects; /* one bit per open bracket, the innermost lowest: 1 = object, 0 = list */
    int depth;
    int values, values_max;     /* number of values so far */
    nnc_json_scan_fault *fault; /* NULL: do not describe the error */
    bool escaped, part;         /* the last text has escapes; other text may follow the value */
    nnc_json_tree *tree;        /* NULL: build none */
    const char *key;            /* of the next value in an object */
    uint32_t hash;
    nnc_json_node *open[NNC_SCAN_DEPTH_MAX + 1]; /* the open containers, from 1 */
} scan;

nnc_position nnc_json_position(const char *text, const char *at)
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

/* The text at a place, for a message. */
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

static bool refuse_found(scan *s, const char *at, const char *what, const char *expected,
                         const char *found)
{
    if (s->fault != NULL) {
        snprintf(s->fault->what, sizeof(s->fault->what), "%s, expected %s, found %s", what,
                 expected, found);
        s->fault->at = nnc_json_position(s->begin, at);
    }
    return false;
}

static bool refuse(scan *s, const char *at, const char *what, const char *expected)
{
    char found[48];
    describe(s, at, found, sizeof(found));
    return refuse_found(s, at, what, expected, found);
}

/* ---- texts ---- */

/* The four hexadecimal digits of an escape; -1 = others. The text ends with a NUL. */
static int32_t code_at(const char *at)
{
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        const char c = at[i], lower = (char)(c | 0x20);
        const bool digit = c >= '0' && c <= '9';
        if (!digit && (lower < 'a' || lower > 'f')) {
            return -1;
        }
        code = code * 16 + (digit ? c - '0' : lower - 'a' + 10);
    }
    return code;
}

static bool is_surrogate(int32_t code, int32_t half)
{
    return (code & 0xFC00) == half;
}

/* After a backslash. \u0000 is refused because it would end the C string early. */
static bool scan_escape(scan *s)
{
    s->escaped = true;
    if (s->end - s->at < 2 || strchr("\"\\/bfnrtu", s->at[1]) == NULL || s->at[1] == '\0') {
        return refuse(s, s->at, "bad escape in text",
                      "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    }
    if (s->at[1] != 'u') {
        s->at += 2;
        return true;
    }
    const int32_t code = s->end - s->at < 6 ? -1 : code_at(s->at + 2);
    if (code < 0) {
        return refuse(s, s->at, "bad escape in text", "four hexadecimal digits after \\u");
    }
    if (code == 0) {
        return refuse(s, s->at, "NUL in text", "a character from \\u0001");
    }
    const bool first = is_surrogate(code, 0xD800);
    if (is_surrogate(code, 0xDC00) ||
        (first && (s->end - s->at < 12 || s->at[6] != '\\' || s->at[7] != 'u' ||
                   !is_surrogate(code_at(s->at + 8), 0xDC00)))) {
        return refuse_found(s, s->at, "bad text", "paired surrogates after \\u", "a half");
    }
    s->at += first ? 12 : 6;
    return true;
}

/* Sets bit 7 of each byte that is 0 (other bits are arbitrary). */
static uint64_t zeros(uint64_t word)
{
    return (word - 0x0101010101010101U) & ~word;
}

/* Skips printable ASCII without quotes and backslashes, eight bytes at a time: most of a text. */
static const char *past_plain(const char *at, const char *end)
{
    static const uint64_t each = 0x0101010101010101U;
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        const uint64_t other =
            word | (word - each * ' ') | zeros(word ^ each * '"') | zeros(word ^ each * '\\');
        if ((other & each * 0x80) != 0) {
            break;
        }
    }
    return at;
}

static bool scan_text(scan *s)
{
    s->escaped = false;
    s->at = past_plain(s->at + 1, s->end);
    while (s->at < s->end && *s->at != '"') {
        const unsigned char c = (unsigned char)*s->at;
        const size_t length = c < 0x80 ? 1 : nnc_utf8_length(s->at, (size_t)(s->end - s->at));
        if (length == 0) {
            return refuse(s, s->at, "bad character in text", "UTF-8");
        }
        if (c < 0x20) {
            return refuse(s, s->at, "raw control character in text", "an escape such as \\n");
        }
        if (c != '\\') {
            s->at += length;
        } else if (!scan_escape(s)) {
            return false;
        }
    }
    if (s->at == s->end) {
        return refuse(s, s->at, "bad syntax", "'\"' at the end of a text");
    }
    s->at++;
    return true;
}

/* Writes a character as UTF-8 and returns the place after it. */
static char *put_code(char *to, int32_t code)
{
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const int marks[] = { 0, 0xC0, 0xE0, 0xF0 };
    *to++ = (char)(marks[more] | code >> 6 * more);
    for (int i = more - 1; i >= 0; i--) {
        *to++ = (char)(0x80 | (code >> 6 * i & 0x3F));
    }
    return to;
}

/* The character of a valid escape; *at moves behind it. */
static int32_t read_escape(const char **at)
{
    static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char kind = (*at)[1];
    if (kind != 'u') {
        *at += 2;
        return meant[strchr(plain, kind) - plain];
    }
    const int32_t code = code_at(*at + 2);
    *at += is_surrogate(code, 0xD800) ? 12 : 6;
    return is_surrogate(code, 0xD800)
               ? 0x10000 + ((code & 0x3FF) << 10 | (code_at(*at - 4) & 0x3FF))
               : code;
}

/* A copy of the text that was just scanned and began, with its quote, at `from`; NULL: out of memory. */
static char *copy_text(scan *s, const char *from)
{
    const size_t length = (size_t)(s->at - from) - 2;
    char *copy = nnc_arena_alloc(s->tree->arena, length + 1), *to = copy;
    if (copy != NULL && !s->escaped) {
        memcpy(copy, from + 1, length);
    }
    for (const char *at = from + 1; copy != NULL && s->escaped && at < s->at - 1;) {
        if (*at == '\\') {
            to = put_code(to, read_escape(&at));
        } else {
            *to++ = *at++;
        }
    }
    s->tree->no_memory = s->tree->no_memory || copy == NULL;
    return copy;
}

/* ---- numbers ---- */

/* Can this character continue a number? After a complete number it is an error. */
static bool goes_on(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

static bool scan_number(scan *s, double *value)
{
    const size_t length = nnc_number_span(s->at, (size_t)(s->end - s->at));
    const char *after = s->at + length;
    if (length == 0 || (after < s->end && goes_on(*after))) {
        return refuse(s, s->at, "bad number", "one such as 12, -0.5 or 3e9");
    }
    if (length >= NNC_SCAN_NUMBER_MAX) {
        return refuse(s, s->at, "number too long", "at most 63 characters");
    }
    *value = s->fault != NULL || s->tree != NULL ? nnc_number_value(s->at, length) : 0.0;
    if (!isfinite(*value)) {
        return refuse(s, s->at, "infinite number", "at most 1.79e308");
    }
    s->at = after;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool begins_number(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

/* ---- the tree ---- */

enum { SEEN_MAX = 256 };

/* Do two keys have the same hash, or are there too many keys to tell? Most objects then need no sorting. */
static bool may_repeat(const nnc_json_node *object)
{
    uint32_t seen[SEEN_MAX], size = 8; /* 0 = empty slot */
    while (size < SEEN_MAX && size < 2 * (uint32_t)object->count) {
        size *= 2;
    }
    if (size < (uint32_t)object->count + 1) {
        return true;
    }
    memset(seen, 0, size * sizeof seen[0]);
    for (const nnc_json_node *at = object->child; at != NULL; at = at->next) {
        uint32_t place = at->hash;
        while (seen[place % size] != 0 && seen[place % size] != at->hash) {
            place++;
        }
        if (seen[place % size] == at->hash) {
            return true;
        }
        seen[place % size] = at->hash;
    }
    return false;
}

/* FNV-1a over words, never 0. */
static uint32_t hash_of(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037U;
    for (; length > 0; text += length < 8 ? length : 8, length -= length < 8 ? length : 8) {
        uint64_t word = 0;
        memcpy(&word, text, length < 8 ? length : 8);
        hash = (hash ^ word) * 1099511628211U;
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> 32) | 1;
}

void nnc_json_append(nnc_json_node *container, nnc_json_node *child)
{
    *(container->child == NULL ? &container->child : &container->last->next) = child;
    container->last = child;
    container->count++;
}

/* Adds a value at the place that the text has reached; NULL: there is no tree, or no memory. */
static nnc_json_node *add_value(scan *s, nnc_json_type type)
{
    nnc_json_tree *tree = s->tree;
    nnc_json_node *node = tree != NULL ? nnc_arena_alloc(tree->arena, sizeof *node) : NULL;
    if (node == NULL) {
        if (tree != NULL) {
            tree->no_memory = true;
        }
        return NULL;
    }
    node->type = type;
    if (s->depth == 0) {
        tree->root = node;
        return node;
    }
    nnc_json_node *parent = s->open[s->depth];
    if (parent->type == NNC_JSON_OBJECT) {
        node->key = s->key;
        node->hash = s->hash;
    }
    nnc_json_append(parent, node);
    return node;
}

/* ---- the grammar ---- */

static bool scan_word(scan *s)
{
    static const char *const words[] = { "true", "false", "null" };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]);
        if (word_length(s->at, s->end) == length && memcmp(s->at, words[i], length) == 0) {
            nnc_json_node *node = add_value(s, i < 2 ? NNC_JSON_BOOL : NNC_JSON_NULL);
            if (node != NULL) {
                node->number = i == 0 ? 1.0 : 0.0;
            }
            s->at += length;
            return true;
        }
    }
    return refuse(s, s->at, "bad syntax", "a value");
}

static bool in_object(const scan *s)
{
    return (s->objects & 1U) != 0;
}

static bool refuse_order(scan *s)
{
    return refuse(s, s->at, "bad syntax",
                  (s->allowed & VALUE) != 0   ? "a value"
                  : (s->allowed & KEY) != 0   ? "a key in quotes"
                  : (s->allowed & COLON) != 0 ? "':' after a key"
                  : (s->allowed & END) != 0   ? "nothing after the last brace"
                  : in_object(s)              ? "',' or '}'"
                                              : "',' or ']'");
}

static bool open_bracket(scan *s)
{
    const bool object = *s->at == '{';
    if (s->depth == NNC_SCAN_DEPTH_MAX) {
        return refuse(s, s->at, "nested too deeply", "at most 64 levels");
    }
    nnc_json_node *node = add_value(s, object ? NNC_JSON_OBJECT : NNC_JSON_LIST);
    s->at++;
    s->depth++;
    s->open[s->depth] = node;
    s->objects = s->objects << 1 | (object ? 1U : 0U);
    s->allowed = object ? KEY | CLOSE : VALUE | CLOSE;
    return true;
}

static void close_bracket(scan *s)
{
    const nnc_json_node *node = s->tree != NULL ? s->open[s->depth] : NULL;
    if (node != NULL && node->type == NNC_JSON_OBJECT && node->count > 1 && !s->tree->repeats) {
        s->tree->repeats = may_repeat(node);
    }
    s->at++;
    s->depth--;
    s->objects >>= 1;
    s->allowed = s->depth > 0 ? COMMA | CLOSE : END;
}

static bool scan_value(scan *s, char c)
{
    if (s->values++ == s->values_max) {
        char expected[32];
        snprintf(expected, sizeof(expected), "at most %d", s->values_max);
        return refuse(s, s->at, "too many values", expected);
    }
    if (c == '{' || c == '[') {
        return open_bracket(s);
    }
    s->allowed = s->depth > 0 ? COMMA | CLOSE : END;
    const char *from = s->at;
    double number = 0.0;
    if (c != '"' && !begins_number(c)) {
        return scan_word(s);
    }
    if (!(c == '"' ? scan_text(s) : scan_number(s, &number))) {
        return false;
    }
    nnc_json_node *node = add_value(s, c == '"' ? NNC_JSON_TEXT : NNC_JSON_NUMBER);
    if (node != NULL) {
        node->number = number;
        node->text = c == '"' ? copy_text(s, from) : NULL;
    }
    return true;
}

static bool scan_key(scan *s)
{
    const char *from = s->at;
    s->allowed = COLON;
    if (!scan_text(s)) {
        return false;
    }
    if (s->tree != NULL) {
        s->key = copy_text(s, from);
        s->hash = s->key != NULL ? hash_of(s->key, strlen(s->key)) : 0;
    }
    return true;
}

/* Scans the next lexeme if it is allowed here. */
static bool scan_next(scan *s)
{
    const char c = *s->at; /* a NUL at the end of the text */
    if ((s->allowed & CLOSE) != 0 && c == (in_object(s) ? '}' : ']')) {
        close_bracket(s);
        return true;
    }
    if ((s->allowed & KEY) != 0 && c == '"') {
        return scan_key(s);
    }
    if (((s->allowed & COLON) != 0 && c == ':') || ((s->allowed & COMMA) != 0 && c == ',')) {
        s->allowed = c == ',' && in_object(s) ? KEY : VALUE;
        s->at++;
        return true;
    }
    return (s->allowed & VALUE) != 0 ? scan_value(s, c) : refuse_order(s);
}

static bool scan_all(scan *s)
{
    do {
        while (s->at < s->end && is_blank(*s->at)) {
            s->at++;
        }
        if (s->allowed == END && (s->at == s->end || s->part)) {
            return true;
        }
    } while (scan_next(s) && (s->tree == NULL || !s->tree->no_memory));
    return false;
}

bool nnc_json_build(const char *text, size_t size, int values_max, nnc_json_tree *tree,
                    nnc_json_scan_fault *fault)
{
    scan s = { .begin = text,
               .at = text,
               .end = text + size,
               .allowed = VALUE,
               .values_max = values_max,
               .fault = fault,
               .tree = tree,
               .part = tree != NULL && tree->part };
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        return refuse(&s, text, "byte order mark", "plain UTF-8 text");
    }
    return scan_all(&s);
}

bool nnc_json_scan(const char *text, size_t size, int values_max, nnc_json_scan_fault *fault)
{
    return nnc_json_build(text, size, values_max, NULL, fault);
}

static bool opens(char c)
{
    return c == '{' || c == '[';
}

static bool closes(char c)
{
    return c == '}' || c == ']' || c == '\0';
}

static bool parts(char c)
{
    return c == ',' || c == ':';
}

static void skip_blanks(nnc_walk *w)
{
    const char *at = w->text + w->at;
    for (; is_blank(*at); at++) {
        w->line += *at == '\n';
    }
    w->at = (size_t)(at - w->text);
}

/* A number or a word. */
static void skip_plain(nnc_walk *w)
{
    const char *at = w->text + w->at;
    while (*at != '"' && !is_blank(*at) && !parts(*at) && !opens(*at) && !closes(*at)) {
        at++;
    }
    w->at = (size_t)(at - w->text);
}

static void skip_quoted(nnc_walk *w)
{
    const char *at = w->text + w->at + 1;
    for (; *at != '"'; at++) {
        at += *at == '\\';
    }
    w->at = (size_t)(at - w->text) + 1;
}

nnc_walk nnc_walk_begin(const char *text)
{
    nnc_walk w = { .text = text, .line = 1, .key_line = 1 };
    skip_blanks(&w);
    return w;
}

bool nnc_walk_member(nnc_walk *w, bool object)
{
    skip_blanks(w);
    if (!closes(w->text[w->at])) { /* skip the opening bracket or the comma */
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
        w->at++; /* skip the colon */
        skip_blanks(w);
    }
    return true;
}

bool nnc_walk_key_is(const nnc_walk *w, const char *key)
{
    const size_t length = strlen(key);
    return w->key_length == length + 2 && memcmp(w->text + w->key + 1, key, length) == 0;
}

void nnc_walk_value(nnc_walk *w)
{
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

void nnc_walk_on(nnc_walk *w, size_t to)
{
    const char *end = w->text + to;
    for (const char *at = w->text + w->at; (at = memchr(at, '\n', (size_t)(end - at))) != NULL;) {
        w->line++;
        at++;
    }
    w->at = to;
}
