/* JSON text: one pass over it checks the grammar of RFC 8259, names the first error, and builds the tree (nnc_json_build)
 * or no tree (nnc_json_scan). Keys and texts of the tree lie in a copy of the text, each ended by a NUL in the place of
 * its closing quote. nnc_walk finds the places of values in text that is known to be valid; it checks nothing, so it can
 * skip megabytes quickly. */
#include "input/input_internal.h"

/* The lexemes that may come next. */
enum { VALUE = 1, KEY = 2, COLON = 4, COMMA = 8, CLOSE = 16, END = 32 };

enum { NUMBER_MAX = 63 }; /* characters */

typedef struct scan {
    const char *begin, *at, *end;
    unsigned allowed;
    uint64_t objects; /* one bit per open bracket, the innermost lowest: 1 = object, 0 = list */
    int depth;
    int values, values_max;     /* number of values so far */
    bool escaped;               /* the text that was scanned last has an escape */
    nnc_json_scan_fault *fault; /* NULL: do not describe the error */
    nnc_arena *arena;           /* of the tree; NULL: build none */
    char *copy;                 /* of the text */
    const char *key;            /* of the next member */
    uint32_t tag;
    nnc_json_node *open[NNC_SCAN_DEPTH_MAX +
                        1]; /* the containers around the place, after the node above the root */
} scan;

nnc_position nnc_json_position(const char *text, const char *at)
{
    nnc_position position = { 1, 1 };
    for (const char *c = text; c < at; c++) {
        if (*c == '\n') {
            position.line++;
            position.column = 1;
        } else if (((unsigned char)*c & 0xC0) != 0x80) { /* only the first byte of a character
                                                          * counts */
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

static bool refuse_as(scan *s, const char *at, const char *what, const char *expected,
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
    return refuse_as(s, at, what, expected, found);
}

/* The four hexadecimal digits at a place; -1: other characters. */
static int hexadecimal(const scan *s, const char *at)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = at + i < s->end ? at[i] : '\0';
        const char letter = (char)(c | 0x20);
        if (c >= '0' && c <= '9') {
            value = value * 16 + (c - '0');
        } else if (letter >= 'a' && letter <= 'f') {
            value = value * 16 + (letter - 'a' + 10);
        } else {
            return -1;
        }
    }
    return value;
}

static bool between(int value, int least, int most)
{
    return value >= least && value <= most;
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
    const int code = hexadecimal(s, s->at + 2);
    if (code < 0) {
        return refuse(s, s->at, "bad escape in text", "four hexadecimal digits after \\u");
    }
    if (code == 0) {
        return refuse(s, s->at, "NUL in text", "a character from \\u0001");
    }
    if (!between(code, 0xD800, 0xDFFF)) {
        s->at += 6;
        return true;
    }
    if (code >= 0xDC00 || s->end - s->at < 12 || s->at[6] != '\\' || s->at[7] != 'u' ||
        !between(hexadecimal(s, s->at + 8), 0xDC00, 0xDFFF)) {
        return refuse_as(s, s->at, "bad text", "paired surrogates after \\u", "a half");
    }
    s->at += 12;
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
        if (c >= 0x20 && c < 0x80 && c != '\\') {
            s->at++;
            continue;
        }
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

/* Writes a character as UTF-8. Returns the place after it. */
static char *put_character(char *to, unsigned code)
{
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char first[] = { 0, 0xC0, 0xE0, 0xF0 };
    *to++ = (char)(unsigned char)(first[more] | code >> (6 * more));
    for (int i = more - 1; i >= 0; i--) {
        *to++ = (char)(unsigned char)(0x80 | (code >> (6 * i) & 0x3F));
    }
    return to;
}

/* Replaces the escapes of a valid text, [from, end), in the copy, where it becomes shorter. Returns its new end. */
static char *unescape(const scan *s, const char *from, const char *end, char *to)
{
    static const char names[] = "bfnrt", controls[] = "\b\f\n\r\t";
    while (from < end) {
        if (*from != '\\') {
            *to++ = *from++;
        } else if (from[1] != 'u') {
            const char *name = strchr(names, from[1]);
            *to++ = name != NULL ? controls[name - names] : from[1];
            from += 2;
        } else {
            unsigned code = (unsigned)hexadecimal(s, from + 2);
            from += 6;
            if (between((int)code, 0xD800, 0xDBFF)) {
                code =
                    0x10000 + ((code & 0x3FF) << 10 | ((unsigned)hexadecimal(s, from + 2) & 0x3FF));
                from += 6;
            }
            to = put_character(to, code);
        }
    }
    return to;
}

/* The text in the copy whose scan just ended; `from`: its opening quote. */
static char *take_text(scan *s, const char *from)
{
    char *text = s->copy + (from + 1 - s->begin);
    char *end = s->copy + (s->at - 1 - s->begin);
    if (s->escaped) {
        end = unescape(s, from + 1, s->at - 1, text);
    }
    *end = '\0';
    return text;
}

uint32_t nnc_json_tag(const char *key)
{
    const size_t length = strlen(key);
    const uint32_t first = (unsigned char)key[0], middle = (unsigned char)key[length / 2];
    const uint32_t last = (unsigned char)key[length - (length > 0)];
    return (uint32_t)length << 24 ^ first << 16 ^ middle << 8 ^ last;
}

void nnc_json_node_append(nnc_json_node *container, nnc_json_node *child)
{
    if (container->u.children.first == NULL) {
        container->u.children.first = child;
    } else {
        container->u.children.last->next = child;
    }
    container->u.children.last = child;
    container->count++;
}

/* Adds a node to the innermost open container. NULL: out of memory. */
static nnc_json_node *add_node(scan *s, nnc_json_type type)
{
    nnc_json_node *node = nnc_arena_alloc(s->arena, sizeof *node);
    if (node == NULL) {
        if (s->fault != NULL) {
            s->fault->what[0] = '\0';
        }
        return NULL;
    }
    node->type = type;
    node->key = s->key;
    node->tag = s->tag;
    nnc_json_node_append(s->open[s->depth], node);
    return node;
}

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
    if (length > NUMBER_MAX) {
        return refuse(s, s->at, "number too long", "at most 63 characters");
    }
    if (!nnc_read_double_span(s->at, length, value)) {
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

/* ---- the grammar, with error messages ---- */

static bool scan_word(scan *s, nnc_json_type *type, bool *truth)
{
    static const char *const words[] = { "true", "false", "null" };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]);
        if (word_length(s->at, s->end) == length && memcmp(s->at, words[i], length) == 0) {
            s->at += length;
            *truth = i == 0;
            *type = i == 2 ? NNC_JSON_NULL : NNC_JSON_BOOL;
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
    if (s->arena != NULL) {
        nnc_json_node *node = add_node(s, object ? NNC_JSON_OBJECT : NNC_JSON_LIST);
        if (node == NULL) {
            return false;
        }
        s->open[s->depth + 1] = node;
        s->key = NULL;
    }
    s->at++;
    s->depth++;
    s->objects = s->objects << 1 | (object ? 1U : 0U);
    s->allowed = object ? KEY | CLOSE : VALUE | CLOSE;
    return true;
}

static void close_bracket(scan *s)
{
    s->at++;
    s->depth--;
    s->objects >>= 1;
    s->allowed = s->depth > 0 ? COMMA | CLOSE : END;
}

/* A text, a number or a word. */
static bool scan_plain(scan *s, char c)
{
    const char *from = s->at;
    nnc_json_type type = c == '"' ? NNC_JSON_TEXT : NNC_JSON_NUMBER;
    double number = 0.0;
    bool truth = false;
    if (!(c == '"'           ? scan_text(s)
          : begins_number(c) ? scan_number(s, &number)
                             : scan_word(s, &type, &truth))) {
        return false;
    }
    if (s->arena == NULL) {
        return true;
    }
    nnc_json_node *node = add_node(s, type);
    if (node == NULL) {
        return false;
    }
    if (type == NNC_JSON_TEXT) {
        node->u.text = take_text(s, from);
    } else if (type == NNC_JSON_NUMBER) {
        node->u.number = number;
    } else {
        node->u.truth = truth;
    }
    return true;
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
    return scan_plain(s, c);
}

static bool scan_key(scan *s)
{
    const char *from = s->at;
    s->allowed = COLON;
    if (!scan_text(s)) {
        return false;
    }
    if (s->arena != NULL) {
        s->key = take_text(s, from);
        s->tag = nnc_json_tag(s->key);
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
        if (s->at == s->end && s->allowed == END) {
            return true;
        }
    } while (scan_next(s));
    return false;
}

static bool scan_text_all(scan *s)
{
    if (s->end - s->begin >= 3 && memcmp(s->begin, "\xEF\xBB\xBF", 3) == 0) {
        return refuse(s, s->begin, "byte order mark", "plain UTF-8 text");
    }
    return scan_all(s);
}

bool nnc_json_scan(const char *text, size_t size, int values_max, nnc_json_scan_fault *fault)
{
    scan s = { .begin = text,
               .at = text,
               .end = text + size,
               .allowed = VALUE,
               .values_max = values_max,
               .fault = fault };
    return scan_text_all(&s);
}

nnc_json_node *nnc_json_build(const char *text, size_t size, int values_max, nnc_arena *arena,
                              nnc_json_scan_fault *fault)
{
    nnc_json_node above = { .type = NNC_JSON_LIST };
    scan s = { .begin = text,
               .at = text,
               .end = text + size,
               .allowed = VALUE,
               .values_max = values_max,
               .fault = fault,
               .arena = arena,
               .copy = nnc_arena_alloc(arena, size + 1),
               .open = { &above } };
    fault->what[0] = '\0';
    if (s.copy == NULL) {
        return NULL;
    }
    memcpy(s.copy, text, size);
    return scan_text_all(&s) ? above.u.children.first : NULL;
}

/* ---- places in valid text ---- */

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
