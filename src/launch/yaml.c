/* Converts YAML to JSON in which each value keeps its line number, so that the JSON reader and its error messages also
 * work for YAML files. For example, "a: yes" becomes {"a":true}.
 *
 * libyaml reports events (a key, a value, the end of a list ...), which are written as JSON in their order. Before each
 * key or value, line breaks are added up to the line of the event. An alias (*name) becomes the JSON text of its anchor
 * (&name), on one line. A key may be repeated if its earlier value is empty or the same, because programs use the last
 * value. libyaml is loaded when the first YAML file is read. */
#include <string.h>

#include "base/base_internal.h"
#include "launch/launch_internal.h"

#ifdef NNC_HAVE_YAML
#include <limits.h>
#include <math.h>
#include <yaml.h>

const bool nnc_yaml_is_read = true;

/* Limits of the YAML reader: bytes of a file, and depth of its nesting. Files that people write are far smaller; the
 * limits exclude malicious files, for which libyaml takes long. */
enum { YAML_BYTES_MAX = 1000 * 1000, DEPTH_MAX = NNC_SCAN_DEPTH_MAX - 4 };

#define YAML_CALLS(X)          \
    X(parser_initialize)       \
    X(parser_set_input_string) \
    X(parser_parse)            \
    X(parser_delete)           \
    X(event_delete)
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define POINTER(name) __typeof__(yaml_##name) *name;
typedef struct yaml_calls {
    YAML_CALLS(POINTER)
} yaml_calls;
#undef POINTER

static nnc_status load(yaml_calls *calls, nnc_error *err) {
#ifdef NNC_YAML_LIBRARY
#define NAME(name) "yaml_" #name,
    static const char *const names[] = { YAML_CALLS(NAME) };
    return nnc_dlopen_functions(NNC_YAML_LIBRARY, NNC_YAML_PACKAGE, names, sizeof names / sizeof *names, calls, err);
#else
#define ADDRESS(name) .name = yaml_##name,
    (void)err;
    *calls = (yaml_calls){ YAML_CALLS(ADDRESS) };
    return NNC_OK;
#endif
}

/* An open level of the JSON text: a list or object whose end is not yet written. */
typedef struct level {
    bool object, at_value; /* object: true = an object, false = a list; at_value: true = a key was written, and its
                            * value is next */
    /* true: the current key of the mapping is "<<"; this key is not written, because the members of the named mapping
     * take its place */
    bool merges;
    int count;
    size_t keys; /* size of writer.keys when the object began; later entries of writer.keys are members of this
                  * object */
    int anchor;  /* 1 + index of the anchor of this list or object; 0 = it has no anchor */
} level;

/* An anchor (&name) of the YAML text, and the position of its node in the JSON text. */
typedef struct anchor {
    char name[64];
    size_t begin, end; /* begin: start of the node in the JSON text; end: end of the node; end = 0: the node is not
                        * yet complete */
} anchor;
enum { ANCHORS_MAX = 32, KEYS_MAX = NNC_SCAN_VALUES_MAX, FILTER_BITS = 1 << 14 };

typedef struct writer {
    const char *name;
    nnc_buffer *out;
    unsigned long line; /* number of line breaks written to the JSON text so far */
    level levels[DEPTH_MAX];
    int depth;
    int documents;
    anchor anchors[ANCHORS_MAX];
    int anchor_count;
    nnc_buffer keys; /* array of `member`: the positions of the members of all objects that are still open */
    /* one bit for the digest of each key that was written, in open and in closed objects. If the bit of a key is 0, no
     * open object has this key, and no search is needed; this saves time in files with many keys */
    uint64_t filter[FILTER_BITS / 64];
    nnc_error *err;
} writer;

static nnc_status refuse(const writer *w, yaml_mark_t at, const char *what) {
    char where[512];
    snprintf(where, sizeof where, "%.400s:%lu:%lu", w->name, (unsigned long)at.line + 1, (unsigned long)at.column + 1);
    return nnc_fail(w->err, NNC_BAD_SPEC, where, "%s", what);
}

/* Prepares the JSON text for the next value or key: writes a comma if the value or key follows a list item or a member,
 * then line breaks up to the line of the YAML event. No line break is needed for a value on the line of its key. */
static void step_to(writer *w, yaml_mark_t at) {
    level *in = w->depth > 0 ? &w->levels[w->depth - 1] : NULL;
    if (in != NULL && !in->at_value && in->count++ > 0) { nnc_buffer_byte(w->out, ','); }
    for (; w->line < at.line; w->line++) { nnc_buffer_byte(w->out, '\n'); }
}

/* The converter calls this function after each value. In an object, the event after a value is a key. */
static void end_value(writer *w) {
    if (w->depth > 0) { w->levels[w->depth - 1].at_value = false; }
}

static bool is_word(const char *text, const char *const *words) {
    for (; *words != NULL; words++) {
        if (strcmp(text, *words) == 0) { return true; }
    }
    return false;
}

/* Converts a decimal number of YAML 1.1; underscores are skipped. An exponent without a dot before it (1e-5) is
 * accepted, because the programs that read launch files accept such numbers. Octal numbers such as 010 are refused.
 * Returns false if the text is no decimal number. */
static bool read_number(const char *text, double *number) {
    char digits[64];
    size_t used = 0;
    bool any = false, dot = false;
    for (const char *c = text; *c != '\0'; c++) {
        const bool digit = *c >= '0' && *c <= '9';
        if (*c == '_' && any) { continue; }
        if (*c == '.' && any && !dot && !(c[1] >= '0' && c[1] <= '9')) {
            dot = true; /* drops the dot of "1." and "1.e-5", which are numbers in YAML but not in JSON */
            continue;
        }
        dot = dot || *c == '.';
        if (used + 2 > sizeof digits || !(digit || strchr("+-.eE", *c) != NULL)) { return false; }
        any = any || digit;
        digits[used++] = *c;
    }
    digits[used] = '\0';
    const char *first = digits + (digits[0] == '-' || digits[0] == '+');
    const bool octal = first[0] == '0' && first[1] >= '0' && first[1] <= '9';
    return any && !octal && (*first == '.' || (*first >= '0' && *first <= '9')) &&
           nnc_read_double(digits[0] == '+' ? first : digits, number) && isfinite(*number);
}

static void put_plain(nnc_buffer *out, const char *text) {
    static const char *const yes[] = { "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", NULL };
    static const char *const no[] = { "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", NULL };
    static const char *const empty[] = { "", "~", "null", "Null", "NULL", NULL };
    double number = 0.0;
    const bool may_be_word = strchr("tTfFyYnNoO~", text[0]) != NULL; /* also true if `text` is empty */
    if (may_be_word && is_word(text, yes)) {
        nnc_buffer_text(out, "true");
    } else if (may_be_word && is_word(text, no)) {
        nnc_buffer_text(out, "false");
    } else if (may_be_word && is_word(text, empty)) {
        nnc_buffer_text(out, "null");
    } else if (read_number(text, &number)) {
        nnc_buffer_number(out, number);
    } else {
        nnc_put_json_text(out, text);
    }
}

/* Registers an anchor (&name) for the node whose JSON text begins now. *index receives 1 + the index of the anchor. */
static nnc_status begin_anchor(writer *w, const yaml_event_t *event, const unsigned char *name, int *index) {
    if (name == NULL) { return NNC_OK; }
    if (w->anchor_count == ANCHORS_MAX || strlen((const char *)name) >= sizeof w->anchors[0].name) {
        return refuse(w, event->start_mark, "too many anchors (&), or an anchor with too long a name");
    }
    anchor *a = &w->anchors[w->anchor_count++];
    snprintf(a->name, sizeof a->name, "%s", (const char *)name);
    a->begin = w->out->size;
    *index = w->anchor_count;
    return NNC_OK;
}

/* Returns the latest anchor with the name that an alias (*name) uses; NULL = no anchor has this name. */
static const anchor *find_anchor(const writer *w, const yaml_event_t *event) {
    const anchor *a = NULL;
    for (int i = 0; i < w->anchor_count; i++) {
        if (strcmp(w->anchors[i].name, (const char *)event->data.alias.anchor) == 0) { a = &w->anchors[i]; }
    }
    return a;
}

static nnc_status refuse_merge(const writer *w, const yaml_event_t *event) {
    return refuse(w, event->start_mark, "bad merge (<<), expected one alias (*) of a mapping");
}

/* A member of an open object (an element of writer.keys).
 * begin: position of the key in the JSON text.
 * length: number of characters of the key with its quotes and ':'; 0 = a merge ("<<") added the member.
 * digest: digest of the characters of the key, so that few keys have to be compared in full.
 * merged: true = a merge added the member.
 * repeats: true = an earlier member has the same key. */
typedef struct member {
    size_t begin, length;
    uint64_t digest;
    bool merged, repeats;
} member;

static uint64_t *filter_word(writer *w, uint64_t digest) { return &w->filter[digest % FILTER_BITS / 64]; }

static uint64_t filter_bit(uint64_t digest) { return (uint64_t)1 << digest % 64; }

static void add_member(writer *w, const member *added) {
    *filter_word(w, added->digest) |= filter_bit(added->digest);
    nnc_buffer_put(&w->keys, added, sizeof *added);
}

/* Finds the member of the open object `in` with a given key (with its quotes and ':') and its digest. *end receives the
 * position where the next member begins, or `last` for the last member. Returns false if the object has no member with
 * this key. */
static bool find_member(writer *w, const level *in, const char *key, size_t length, uint64_t digest, size_t last,
                        member *found, size_t *end) {
    if ((*filter_word(w, digest) & filter_bit(digest)) == 0) { return false; }
    const size_t count = (w->keys.size - in->keys) / sizeof *found;
    const member *list = count > 0 ? (const member *)(const void *)(w->keys.bytes + in->keys) : NULL;
    for (size_t i = 0; i < count && count < KEYS_MAX && !w->keys.failed; i++) {
        if (list[i].digest == digest && memcmp(w->out->bytes + list[i].begin, key, length) == 0) {
            *found = list[i];
            *end = i + 1 < count ? list[i + 1].begin : last;
            return true;
        }
    }
    return false;
}

/* Replaces a piece of the JSON text by blanks. If the piece contains an anchor, whose text an alias may need, the piece
 * stays; its key then occurs twice, which the JSON reader refuses. */
static void blank(writer *w, size_t from, size_t end) {
    for (int i = 0; i < w->anchor_count; i++) {
        if (w->anchors[i].begin >= from && w->anchors[i].begin < end) { return; }
    }
    for (size_t at = from; at < end; at++) { w->out->bytes[at] = w->out->bytes[at] == '\n' ? '\n' : ' '; }
}

/* Removes an earlier member of the open object `in` that has the same key as the member written last, if the earlier
 * value is empty (null) or a merge ("<<") added it. The text of the removed member is replaced by blanks. */
static void drop_earlier(writer *w, const level *in, size_t key) {
    const size_t length = w->out->size - key;
    if (w->out->failed) { return; }
    member written = { .begin = key, .length = length, .digest = nnc_quick_digest(w->out->bytes + key, length) };
    member found = { 0 };
    size_t end = 0;
    written.repeats = find_member(w, in, w->out->bytes + key, length, written.digest, key, &found, &end);
    if (written.repeats) {
        const char *value = w->out->bytes + found.begin + length;
        if (found.merged || strncmp(value + strspn(value, "\n"), "null", 4) == 0) { blank(w, found.begin, end); }
    }
    add_member(w, &written);
}

/* Removes an earlier member of the open object `in` with the same key and the same value as the member that was written
 * last. value: position of the value that was written last. The text of the removed member is replaced by blanks. */
static void drop_same(writer *w, const level *in, size_t value) {
    member written = { 0 }, found = { 0 };
    size_t end = 0;
    if (w->out->failed || w->keys.failed) { return; }
    memcpy(&written, w->keys.bytes + w->keys.size - sizeof written, sizeof written);
    const char *json = w->out->bytes;
    if (written.repeats &&
        find_member(w, in, json + written.begin, written.length, written.digest, written.begin, &found, &end) &&
        found.begin < written.begin) {
        const char *earlier = json + found.begin + written.length;
        const size_t length = w->out->size - value;
        earlier += strspn(earlier, "\n");
        if (memcmp(earlier, json + value, length) == 0 && strchr(",\n", earlier[length]) != NULL) {
            blank(w, found.begin, end);
        }
    }
}

/* `at` is the position where a member of a JSON object begins. Returns the position of the ',' or '}' that ends the
 * member. */
static size_t member_end(const char *json, size_t at, size_t end) {
    int depth = 0;
    bool quoted = false;
    for (; at < end; at++) {
        if (json[at] == '\\' && quoted) {
            at++;
        } else if (json[at] == '"') {
            quoted = !quoted;
        } else if (!quoted && depth == 0 && (json[at] == ',' || json[at] == '}')) {
            break;
        } else if (!quoted) {
            depth += (json[at] == '{' || json[at] == '[') - (json[at] == '}' || json[at] == ']');
        }
    }
    return at;
}

/* Merges a mapping into the open one, as "<<: *name" asks: copies the members of the mapping with the anchor `name`
 * whose keys the open mapping does not have. */
static nnc_status merge(writer *w, const yaml_event_t *event, level *in) {
    const anchor *a = find_anchor(w, event);
    if (a == NULL || a->end == 0 || w->out->failed || w->out->bytes[a->begin] != '{') {
        return refuse(w, event->start_mark, "bad merge (<<), expected an earlier mapping with this anchor (&)");
    }
    if (w->out->size + (a->end - a->begin) > YAML_BYTES_MAX) {
        return refuse(w, event->start_mark, "too long after its aliases (*) are replaced by their values");
    }
    in->at_value = false;
    for (; w->line < event->start_mark.line; w->line++) { nnc_buffer_byte(w->out, '\n'); }
    size_t next = 0;
    for (size_t at = a->begin + 1; at < a->end && !w->out->failed; at = next + 1) {
        next = member_end(w->out->bytes, at, a->end);
        at += strspn(w->out->bytes + at, " \n"); /* skips blanks, which stand where a member was removed */
        const char *colon = strstr(w->out->bytes + at, "\":");
        member found = { 0 };
        size_t end = 0;
        if (at >= next || colon == NULL) { continue; }
        const char *key = w->out->bytes + at;
        const size_t length = (size_t)(colon + 2 - key);
        member made = { .digest = nnc_quick_digest(key, length), .merged = true };
        if (find_member(w, in, key, length, made.digest, 0, &found, &end)) { continue; }
        if (in->count++ > 0) { nnc_buffer_byte(w->out, ','); }
        made.begin = w->out->size;
        add_member(w, &made);
        for (; at < next && !w->out->failed; at++) {
            const char c = w->out->bytes[at];
            nnc_buffer_byte(w->out, (char)(c == '\n' ? ' ' : c));
        }
    }
    return NNC_OK;
}

/* Writes the value of an alias (*name): a copy of the JSON text of the anchor's node, without the line breaks. */
static nnc_status put_alias(writer *w, const yaml_event_t *event) {
    level *in = w->depth > 0 ? &w->levels[w->depth - 1] : NULL;
    const anchor *a = find_anchor(w, event);
    if (in != NULL && in->merges) {
        in->merges = false;
        return merge(w, event, in);
    }
    if (a == NULL || a->end == 0 || (in != NULL && in->object && !in->at_value)) {
        return refuse(w, event->start_mark, "bad alias (*), expected an earlier value with this anchor (&)");
    }
    step_to(w, event->start_mark);
    if (w->out->size + (a->end - a->begin) > YAML_BYTES_MAX) {
        return refuse(w, event->start_mark, "too long after its aliases (*) are replaced by their values");
    }
    for (size_t i = a->begin; i < a->end; i++) {
        const char c = w->out->bytes[i];
        nnc_buffer_byte(w->out, (char)(c == '\n' ? ' ' : c));
    }
    end_value(w);
    return NNC_OK;
}

/* Replaces each NUL of a text by a space, because a NUL ends a JSON text here. Separators of a chat template may be
 * NUL. */
static void replace_nuls(yaml_char_t *text, size_t length) {
    const yaml_char_t *const end = text + length;
    while ((text = memchr(text, '\0', (size_t)(end - text))) != NULL) { *text = ' '; }
}

static nnc_status put_scalar(writer *w, const yaml_event_t *event) {
    const char *text = (const char *)event->data.scalar.value;
    level *in = w->depth > 0 ? &w->levels[w->depth - 1] : NULL;
    replace_nuls(event->data.scalar.value, event->data.scalar.length);
    if (in != NULL && in->merges) { return refuse_merge(w, event); }
    if (in != NULL && in->object && !in->at_value && strcmp(text, "<<") == 0 &&
        event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        in->merges = true;
        return NNC_OK;
    }
    step_to(w, event->start_mark);
    const size_t begins = w->out->size;
    int named = 0;
    if (in != NULL && in->object && !in->at_value) {
        if (event->data.scalar.anchor != NULL) {
            return refuse(w, event->start_mark, "bad key, expected a key without an anchor (&)");
        }
        nnc_put_json_text(w->out, text);
        nnc_buffer_byte(w->out, ':');
        if (!w->out->failed) { drop_earlier(w, in, begins); }
        in->at_value = true;
        return NNC_OK;
    }
    NNC_TRY(begin_anchor(w, event, event->data.scalar.anchor, &named));
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        put_plain(w->out, text);
    } else if (!nnc_put_object(w->out, text)) {
        nnc_put_json_text(w->out, text);
    }
    if (named > 0) { w->anchors[named - 1].end = w->out->size; }
    if (in != NULL && in->object) { drop_same(w, in, begins); }
    end_value(w);
    return NNC_OK;
}

static nnc_status begin(writer *w, const yaml_event_t *event, bool object) {
    const level *in = w->depth > 0 ? &w->levels[w->depth - 1] : NULL;
    if (w->depth == DEPTH_MAX) { return refuse(w, event->start_mark, "nested too deeply"); }
    if (in != NULL && in->merges) { return refuse_merge(w, event); }
    if (in != NULL && in->object && !in->at_value) {
        return refuse(w, event->start_mark, "bad key, expected a word, found a list or a mapping");
    }
    step_to(w, event->start_mark);
    level *opened = &w->levels[w->depth++];
    *opened = (level){ .object = object, .keys = w->keys.size };
    NNC_TRY(begin_anchor(w, event, object ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
                         &opened->anchor));
    nnc_buffer_byte(w->out, object ? '{' : '[');
    return NNC_OK;
}

static void end(writer *w) {
    const level *closed = &w->levels[--w->depth];
    nnc_buffer_byte(w->out, closed->object ? '}' : ']');
    w->keys.size = closed->keys;
    if (closed->anchor > 0) { w->anchors[closed->anchor - 1].end = w->out->size; }
    end_value(w);
}

/* Tests whether a YAML event has a tag (!tag). For a scalar without quotes, libyaml reports no tag. */
static bool has_tag(const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: return event->data.scalar.tag != NULL;
    case YAML_SEQUENCE_START_EVENT: return event->data.sequence_start.tag != NULL;
    case YAML_MAPPING_START_EVENT: return event->data.mapping_start.tag != NULL;
    default: return false;
    }
}

static nnc_status take_event(writer *w, const yaml_event_t *event) {
    if (has_tag(event)) { return refuse(w, event->start_mark, "cannot be read, expected no tag (!), found one"); }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return w->documents++ == 0
                   ? NNC_OK
                   : refuse(w, event->start_mark, "the file has a second document, expected one document in a file");
    case YAML_SCALAR_EVENT: return put_scalar(w, event);
    case YAML_ALIAS_EVENT: return put_alias(w, event);
    case YAML_SEQUENCE_START_EVENT: return begin(w, event, false);
    case YAML_MAPPING_START_EVENT: return begin(w, event, true);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: end(w); return NNC_OK;
    default: return NNC_OK;
    }
}

static nnc_status refuse_syntax(const writer *w, const yaml_parser_t *parser) {
    char what[256];
    if (parser->error == YAML_MEMORY_ERROR) { return nnc_no_memory(w->err); }
    snprintf(what, sizeof what, "bad syntax, expected YAML, found: %.200s",
             parser->problem != NULL ? parser->problem : "another text");
    return refuse(w, parser->problem_mark, what);
}

/* ---- shortens comments, which are two thirds of some files: libyaml reads each of their characters ---- */

/* Tests whether a quotation mark after the character `before` opens a quoted text. If `before` is another character,
 * the quotation mark is part of a word, as in "don't". */
static bool opens_quote(char before) { return strchr(" \t\n\r[]{},:\"'", before) != NULL; }

/* Tests whether a text contains the bytes `end`: one of the line breaks U+0085, U+2028 and U+2029 of YAML 1.1. */
static bool has_break(const char *text, size_t size, const char *end) {
    const size_t length = strlen(end);
    for (const char *at = text; (at = memchr(at, end[0], size - (size_t)(at - text))) != NULL; at++) {
        if (size - (size_t)(at - text) >= length && memcmp(at, end, length) == 0) { return true; }
    }
    return false;
}

/* Tests whether a text has NUL bytes, line breaks other than '\n' and '\r', or another encoding than UTF-8. The
 * comments of a text with one of these properties are not removed. */
static bool is_unusual(const char *text, size_t size) {
    return size == 0 || (unsigned char)text[0] >= 0x80 || memchr(text, '\0', size) != NULL ||
           has_break(text, size, "\xc2\x85") || has_break(text, size, "\xe2\x80\xa8") ||
           has_break(text, size, "\xe2\x80\xa9");
}

/* Returns the end of the quoted text that begins at `at`; NULL = the line ends before the quoted text does. */
static const char *quote_end(const char *at, const char *last) {
    const char quote = *at;
    for (at++; at < last && *at != '\n' && *at != '\r'; at++) {
        /* true: this character and the next one stand for one character of the text */
        const bool pair = quote == '"' ? *at == '\\' : *at == quote && at + 1 < last && at[1] == quote;
        if (*at == quote && !pair) { return at; }
        at += pair && at + 1 < last ? 1 : 0;
    }
    return NULL;
}

/* Returns the end of the line that begins at `line`. If the line has a comment, returns the position of the comment and
 * sets *comment to true. Returns NULL if text in quotes goes on after the line, or if a block of text ("|", ">") may
 * follow; in such texts, '#' begins no comment. */
static const char *line_end(const char *line, const char *last, bool *comment) {
    /* special[c]: true = outside quotes, c may end a line, or begin a comment, a quoted text or a block of text */
    static const bool special[UCHAR_MAX + 1] = {
        ['\n'] = true, ['\r'] = true, ['"'] = true, ['\''] = true, ['#'] = true, ['|'] = true, ['>'] = true
    };
    *comment = false;
    for (const char *at = line; at != NULL; at++) {
        while (at < last && !special[(unsigned char)*at]) { at++; }
        if (at >= last || *at == '\n' || *at == '\r') { return at; }
        const char before = (char)(at > line ? at[-1] : '\n');
        if (*at == '#' && strchr(" \t\n", before) != NULL) {
            *comment = true;
            return at;
        }
        if (*at == '#' || !opens_quote(before)) { continue; }
        at = *at == '|' || *at == '>' ? NULL : quote_end(at, last);
        if (at == NULL) { return NULL; }
    }
    return NULL;
}

/* Copies a YAML text without the words of its comments. All lines and columns stay. If a text in quotes or a block of
 * text continues on the next line, the YAML text is copied unchanged from this line to its end. */
static void shorten_comments(const char *text, size_t size, nnc_buffer *out) {
    const char *const last = text + size;
    for (bool plain = !is_unusual(text, size), comment = false; plain && text < last;) {
        const char *end = line_end(text, last, &comment);
        plain = end != NULL;
        if (!plain) { break; }
        nnc_buffer_put(out, text, (size_t)(end - text) + comment);
        if (comment) {
            const char *feed = memchr(end, '\n', (size_t)(last - end)), *next = feed != NULL ? feed : last;
            const char *back = memchr(end, '\r', (size_t)(next - end));
            end = back != NULL ? back : next;
        }
        if (end < last) { nnc_buffer_byte(out, *end); }
        text = end + (end < last);
    }
    nnc_buffer_put(out, text, (size_t)(last - text));
    nnc_buffer_byte(out, '\0');
}

nnc_status nnc_yaml_to_json(const char *name, const char *text, size_t size, nnc_buffer *json, nnc_error *err) {
    writer w = { .name = name, .out = json, .err = err };
    nnc_buffer shorter = { 0 };
    yaml_parser_t parser;
    yaml_calls call;
    nnc_status status = NNC_OK;
    bool more = true;
    if (size > YAML_BYTES_MAX) { return nnc_file_too_large(name, YAML_BYTES_MAX, err); }
    NNC_TRY(load(&call, err));
    shorten_comments(text, size, &shorter);
    if (shorter.failed || !call.parser_initialize(&parser)) {
        nnc_buffer_free(&shorter);
        return nnc_no_memory(err);
    }
    call.parser_set_input_string(&parser, (const unsigned char *)shorter.bytes, shorter.size - 1);
    while (status == NNC_OK && more) {
        yaml_event_t event;
        if (!call.parser_parse(&parser, &event)) {
            status = refuse_syntax(&w, &parser);
            break;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        status = take_event(&w, &event);
        call.event_delete(&event);
    }
    call.parser_delete(&parser);
    nnc_buffer_free(&shorter);
    nnc_buffer_free(&w.keys);
    if (status == NNC_OK && w.documents == 0) { nnc_buffer_text(json, "null"); }
    return status == NNC_OK && json->failed ? nnc_no_memory(err) : status;
}

#else

const bool nnc_yaml_is_read = false;

nnc_status nnc_yaml_to_json(const char *name, const char *text, size_t size, nnc_buffer *json, nnc_error *err) {
    (void)text, (void)size, (void)json;
    return nnc_fail(err, NNC_IO, name, "cannot be read: this program was built without libyaml");
}

#endif
