/* Reads a trace of PyTorch's profiler, one event after the other. Only the text of one event is in memory at a time.
 * A trace is either an object { "deviceProperties": [...], "traceEvents": [ {event}, ... ], ... }, or only the list of
 * events [ {event}, ... ].
 *
 * Texts that occur several times (names, shapes) are stored once. Events without "ts" or "dur", and events of
 * categories that this file does not use, are skipped. The zlib library, which is loaded when a trace is read, also
 * reads files that are not compressed. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/trace_internal.h"

bool nnc_trace_is(const char *path) {
    char head[4096];
    if (nnc_ends_in(path, ".gz")) { return true; }
    FILE *file = nnc_ends_in(path, ".json") ? fopen(path, "rb") : NULL;
    const size_t size = file != NULL ? fread(head, 1, sizeof head - 1, file) : 0;
    head[size] = '\0';
    if (file != NULL) { (void)fclose(file); }
    return strstr(head, "\"traceEvents\"") != NULL || strstr(head, "\"schemaVersion\"") != NULL ||
           head[strspn(head, " \n\t\r")] == '[';
}

#ifdef NNC_HAVE_ZLIB
#include <zlib.h>

enum {
    WINDOW_BYTES = 1 << 16,
    /* first size of the memory for the text of an event, in bytes; the size is doubled for a longer event */
    EVENT_BYTES = 1 << 12,
    /* largest number of bytes in the text of an event; the longest events are foreach kernels, which list all their
     * tensors */
    EVENT_BYTES_MAX = 1 << 22,
    DEPTH_MAX = 200,
};

#define ZLIB_CALLS(X) \
    X(gzopen)         \
    X(gzread)         \
    X(gzclose)        \
    X(gzerror)
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define POINTER(name) __typeof__(name) *name;
typedef struct zlib_calls {
    ZLIB_CALLS(POINTER)
} zlib_calls;
#undef POINTER

static nnc_status load(zlib_calls *calls, nnc_error *err) {
#ifdef NNC_ZLIB_LIBRARY
#define NAME(name) #name,
    static const char *const names[] = { ZLIB_CALLS(NAME) };
    return nnc_dlopen_functions(NNC_ZLIB_LIBRARY, NNC_ZLIB_PACKAGE, names, sizeof names / sizeof *names, calls, err);
#else
#define ADDRESS(name) .name = name,
    (void)err;
    *calls = (zlib_calls){ ZLIB_CALLS(ADDRESS) };
    return NNC_OK;
#endif
}

/* ---- the strings of a trace; each string is stored once ---- */

typedef struct texts {
    nnc_arena *arena;
    const char **list; /* all different strings of the trace; their number is `count` */
    /* hash table with `size` entries, a power of two; an entry is 1 + the index of a string in `list`, or 0 if the
     * entry is empty */
    int32_t *slots;
    int32_t count, capacity, size;
} texts;

static uint64_t hash_of(const char *text, size_t size) {
    uint64_t hash = 14695981039346656037u; /* start value of the FNV-1a hash with 64 bits */
    for (size_t i = 0; i < size; i++) { hash = (hash ^ (unsigned char)text[i]) * 1099511628211u; }
    return hash;
}

static bool grow_slots(texts *t) {
    const int32_t size = t->size == 0 ? 256 : 2 * t->size;
    int32_t *slots = calloc((size_t)size, sizeof *slots);
    if (slots == NULL) { return false; }
    for (int32_t i = 0; i < t->count; i++) {
        uint64_t at = hash_of(t->list[i], strlen(t->list[i]));
        while (slots[at & (uint64_t)(size - 1)] != 0) { at++; }
        slots[at & (uint64_t)(size - 1)] = i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->size = size;
    return true;
}

/* Returns the index of a string in t->list. If t->list does not contain the string, appends the string to the list.
 * Returns -1 when out of memory. */
static int32_t number_of(texts *t, const char *text, size_t size) {
    if (2 * t->count >= t->size && !grow_slots(t)) { return -1; }
    uint64_t at = hash_of(text, size);
    for (; t->slots[at & (uint64_t)(t->size - 1)] != 0; at++) {
        const int32_t i = t->slots[at & (uint64_t)(t->size - 1)] - 1;
        if (strncmp(t->list[i], text, size) == 0 && t->list[i][size] == '\0') { return i; }
    }
    t->list = nnc_arena_grow(t->arena, t->list, t->count, &t->capacity, sizeof *t->list);
    char *copy = nnc_arena_alloc(t->arena, size + 1);
    if (t->list == NULL || copy == NULL) { return -1; }
    memcpy(copy, text, size);
    t->list[t->count] = copy;
    t->slots[at & (uint64_t)(t->size - 1)] = t->count + 1;
    return t->count++;
}

/* ---- reading the trace file byte by byte ---- */

typedef struct reader {
    zlib_calls z;
    gzFile file;
    const char *path;
    char window[WINDOW_BYTES + 1]; /* the part of the file's text that is in memory; a NUL follows its last byte */
    int at, filled;
    double before;     /* number of bytes of text in the file before the current window */
    bool failed;       /* true: an error occurred while reading; err describes the error */
    char *event;       /* text of the value that take_value copied last; NULL = take_value has not copied a value yet */
    size_t event_size; /* number of bytes that are allocated for `event` */
    texts names, kinds, threads;
    nnc_buffer calls, launches, kernels; /* arrays with elements of type nnc_trace_call, nnc_trace_launch and
                                          * nnc_trace_kernel */
    nnc_buffer key;
    nnc_trace *trace;
    nnc_error *err;
} reader;

static void fail(reader *r, nnc_status status, const char *what) {
    char where[512];
    if (!r->failed) {
        snprintf(where, sizeof where, "%.400s: byte %.0f", r->path, r->before + r->at);
        nnc_fail(r->err, status, where, "%s", what);
        r->failed = true;
    }
}

static void no_memory(reader *r) {
    if (!r->failed) {
        nnc_no_memory(r->err);
        r->failed = true;
    }
}

/* Returns the next byte of the text without moving past it; -1 = the text has ended, or reading has failed. */
static int peek(reader *r) {
    if (r->at < r->filled) { return (unsigned char)r->window[r->at]; }
    if (r->failed) { return -1; }
    r->before += r->filled;
    r->at = r->filled = 0;
    const int got = r->z.gzread(r->file, r->window, WINDOW_BYTES);
    int code = 0;
    const char *why = r->z.gzerror(r->file, &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
        char what[256];
        snprintf(what, sizeof what, "cannot read: %.200s", code == Z_ERRNO ? strerror(errno) : why);
        fail(r, code == Z_ERRNO ? NNC_IO : NNC_BAD_SPEC, what);
        return -1;
    }
    r->filled = got;
    r->window[got] = '\0';
    return got > 0 ? (unsigned char)r->window[0] : -1;
}

static int peek_word(reader *r) {
    int c = peek(r);
    while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        r->at++;
        c = peek(r);
    }
    return c;
}

static bool take(reader *r, char expected) {
    char what[64];
    const int c = peek_word(r);
    if (c == expected) {
        r->at++;
        return true;
    }
    snprintf(what, sizeof what, c < 0 ? "ends too early, expected '%c'" : "bad syntax, expected '%c'", expected);
    fail(r, NNC_BAD_SPEC, what);
    return false;
}

/* true for the bytes that can begin or end a string, a list, an object, a member or a value of JSON, and for NUL. The
 * reader skips all bytes between two bytes of this table at once. */
static const bool stops[256] = { ['"'] = true, ['\\'] = true, ['{'] = true, ['}'] = true, ['['] = true,
                                 [']'] = true, [','] = true,  [':'] = true, ['\0'] = true };

/* Moves past the bytes in the window before the next byte of `stops`, but past at most `most` bytes. Unless `to` is
 * NULL, copies the skipped bytes to `to`. Returns the number of bytes. */
static size_t take_run(reader *r, char *to, size_t most) {
    const char *from = r->window + r->at;
    const size_t there = (size_t)(r->filled - r->at);
    size_t n = 0;
    while (n < there && n < most && !stops[(unsigned char)from[n]]) { n++; }
    if (to != NULL) { memcpy(to, from, n); }
    r->at += (int)n;
    return n;
}

/* Position inside a JSON value. depth: number of open brackets. text: true = the position is inside a string. escaped:
 * true = the previous byte, inside a string, was a backslash that escapes the next byte. */
typedef struct nesting {
    int depth;
    bool text, escaped;
} nesting;

static void pass(nesting *at, int c) {
    if (at->text) {
        at->text = at->escaped || c != '"';
        at->escaped = !at->escaped && c == '\\';
    } else {
        at->text = c == '"';
        at->depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
}

/* Doubles the memory for the text of an event. Returns false when out of memory. */
static bool grow_event(reader *r) {
    const size_t size = r->event_size > 0 ? 2 * r->event_size : EVENT_BYTES;
    char *grown = realloc(r->event, size);
    if (grown == NULL) {
        no_memory(r);
        return false;
    }
    r->event = grown;
    r->event_size = size;
    return true;
}

/* Appends a byte to the text of an event, which has `size` bytes so far. Returns false when out of memory. */
static bool add_byte(reader *r, size_t size, int c) {
    if (size + 1 >= r->event_size && !grow_event(r)) { return false; }
    r->event[size] = (char)c;
    return true;
}

/* Moves past bytes as take_run does. kept: true = also appends these bytes to the text of the event, as many bytes as
 * fit into the memory for this text. */
static size_t take_plain(reader *r, bool kept, size_t size) {
    return kept ? take_run(r, r->event + size, r->event_size - 1 - size) : take_run(r, NULL, EVENT_BYTES_MAX - size);
}

/* Moves past one JSON value of the file and returns its number of bytes. kept: true = copies the text of the value to
 * r->event and adds a NUL. take_value only counts brackets; read_members checks the content of objects. */
static size_t take_value(reader *r, bool kept) {
    size_t size = 0;
    nesting at = { .depth = 0 };
    int c = peek_word(r);
    for (; c >= 0; c = peek(r)) {
        const bool ends = !at.text && at.depth == 0 && (c == ',' || c == '}' || c == ']' || c == ':');
        if (ends && size > 0) { break; }
        if (ends || size >= EVENT_BYTES_MAX || at.depth > DEPTH_MAX) {
            fail(r, NNC_BAD_SPEC, ends ? "bad syntax, expected a value" : "a value is too long");
            return 0;
        }
        if (kept && !add_byte(r, size, c)) { return 0; }
        r->at++;
        size++;
        pass(&at, c);
        if (!at.text && at.depth == 0 && (c == '"' || c == '}' || c == ']')) { break; }
        if (!at.escaped) { size += take_plain(r, kept, size); }
    }
    if (c < 0) {
        fail(r, NNC_BAD_SPEC, "ends too early, within a value");
        return 0;
    }
    if (kept) { r->event[size] = '\0'; }
    return size;
}

/* A part of the text of an event: the value that belongs to one key. text NULL = the event does not have this key. */
typedef struct slice {
    const char *text;
    size_t size;
} slice;

typedef struct event {
    slice ph, cat, name, pid, tid, ts, dur;
    slice external, correlation, dims, types, values, device, group;
    /* values of the keys "rank" and "world_size" in the object "distributedInfo" of the trace */
    slice rank, world_size;
} event;

static bool is(slice s, const char *text) { return s.size == strlen(text) && memcmp(s.text, text, s.size) == 0; }

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') { p++; }
    return p;
}

/* Returns the address after the JSON string that begins at p; NULL = the string has no end. */
static const char *skip_text(const char *p) {
    for (p++; *p != '"'; p++) {
        if (*p == '\0' || (*p == '\\' && *++p == '\0')) { return NULL; }
    }
    return p + 1;
}

/* Returns the address after the JSON list or object that begins at p; NULL = the value has no end, or too many nested
 * levels. */
static const char *skip_nested(const char *p) {
    int depth = 0;
    do {
        while (!stops[(unsigned char)*p]) { p++; }
        if (*p == '"') {
            p = skip_text(p);
            if (p == NULL) { return NULL; }
            continue;
        }
        if (*p == '\0' || depth > DEPTH_MAX - 3) { return NULL; }
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        p++;
    } while (depth > 0);
    return p;
}

/* Finds the JSON value that begins at p. *value becomes the text of the value: a string without its quotes, a list or
 * object with its brackets, a number or a word. Returns the address after the value; NULL = there is no value at p. */
static const char *slice_value(const char *p, slice *value) {
    const char *begin = p;
    if (*p == '"') {
        p = skip_text(p);
        *value = (slice){ begin + 1, p != NULL ? (size_t)(p - begin) - 2 : 0 };
        return p;
    }
    if (*p == '{' || *p == '[') {
        p = skip_nested(p);
        *value = (slice){ begin, p != NULL ? (size_t)(p - begin) : 0 };
        return p;
    }
    while (!stops[(unsigned char)*p]) { p++; }
    const char *end = p;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\t' || end[-1] == '\r')) { end--; }
    *value = (slice){ begin, (size_t)(end - begin) };
    return end > begin ? p : NULL;
}

typedef void member_fn(event *e, slice key, slice value);

/* Calls the function `each` for every member of the JSON object at p, and the function `each_arg` for every member of
 * the object "args" inside it. If each_arg is NULL, the function treats the member "args" in the same way as all other
 * members. Returns the address after the object; NULL = the text at p is not an object. */
static const char *read_members(const char *p, event *e, member_fn *each, member_fn *each_arg) {
    slice key, value;
    p = skip_blanks(p + 1);
    while (*p != '}') {
        if (*p != '"' || (p = slice_value(p, &key)) == NULL || *(p = skip_blanks(p)) != ':') { return NULL; }
        p = skip_blanks(p + 1);
        if (*p == '{' && each_arg != NULL && is(key, "args")) {
            p = read_members(p, e, each_arg, NULL);
        } else if ((p = slice_value(p, &value)) != NULL) {
            each(e, key, value);
        }
        if (p == NULL) { return NULL; }
        p = skip_blanks(p);
        if (*p == ',') {
            p = skip_blanks(p + 1);
        } else if (*p != '}') {
            return NULL;
        }
    }
    return p + 1;
}

typedef struct named_slice {
    slice name;
    size_t at; /* offset in the struct `event` of the slice that receives the value of this key */
} named_slice;

#define KEY(text, member) \
    { { (text), sizeof(text) - 1 }, offsetof(event, member) }

static void set_member(const named_slice *rows, event *e, slice key, slice value) {
    for (; rows->name.text != NULL; rows++) {
        if (rows->name.size == key.size && memcmp(rows->name.text, key.text, key.size) == 0) {
            *(slice *)((char *)e + rows->at) = value;
            return;
        }
    }
}

static void set_outer(event *e, slice key, slice value) {
    static const named_slice rows[] = {
        KEY("ph", ph),   KEY("cat", cat), KEY("name", name), KEY("pid", pid),
        KEY("tid", tid), KEY("ts", ts),   KEY("dur", dur),   { { NULL, 0 }, 0 },
    };
    set_member(rows, e, key, value);
}

static void set_arg(event *e, slice key, slice value) {
    static const named_slice rows[] = {
        KEY("External id", external),
        KEY("external id", external),
        KEY("correlation", correlation),
        KEY("Input Dims", dims),
        KEY("Input dims", dims), /* PyTorch before 1.9 writes "Input dims" instead of "Input Dims" */
        KEY("Input type", types),
        KEY("Concrete Inputs", values),
        KEY("device", device),
        KEY("Process Group Ranks", group),
        KEY("rank", rank),
        KEY("world_size", world_size),
        { { NULL, 0 }, 0 },
    };
    set_member(rows, e, key, value);
}
#undef KEY

/* Converts a number of microseconds that is written with an exponent, such as "1.7e+15", to nanoseconds. Returns false
 * if the text is not a number or the number is too large. */
static bool from_exponent(slice s, int64_t *ns) {
    char *end = NULL;
    const double value = 1e3 * strtod(s.text, &end);
    const bool good = end == s.text + s.size && fabs(value) < 9e18;
    *ns = good ? llround(value) : 0;
    return good;
}

/* Converts a number of microseconds, given as text, to nanoseconds. Returns false if the text is not a number from
 * -9.2e15 to 9.2e15. */
static bool nanoseconds(slice s, int64_t *ns) {
    int64_t value = 0;
    int decimals = -1;
    const bool negative = s.size > 1 && s.text[0] == '-';
    for (size_t i = negative; i < s.size; i++) {
        const char c = s.text[i];
        if (c == '.' && decimals < 0) {
            decimals = 0;
        } else if ((c == 'e' || c == 'E') && i > negative) {
            return from_exponent(s, ns);
        } else if (c < '0' || c > '9' || value > INT64_MAX / 10 - 1) {
            return false;
        } else if (decimals < 3) {
            value = 10 * value + (c - '0');
            decimals += decimals >= 0;
        }
    }
    for (int i = decimals < 0 ? 0 : decimals; i < 3; i++) {
        if (value > INT64_MAX / 10) { return false; }
        value *= 10;
    }
    *ns = negative ? -value : value;
    return s.size > 0;
}

static int64_t whole(slice s) {
    int64_t value = 0;
    for (size_t i = 0; i < s.size; i++) {
        if (s.text[i] < '0' || s.text[i] > '9' || value > INT64_MAX / 10 - 1) { return -1; }
        value = 10 * value + (s.text[i] - '0');
    }
    return s.size > 0 ? value : -1;
}

/* Appends the text of a JSON list to a key, with exactly one blank after each comma, so that equal lists have equal
 * texts. */
static void put_list(nnc_buffer *out, slice list) {
    bool text = false;
    for (size_t i = 0; i < list.size; i++) {
        const char c = list.text[i];
        const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        text = text != (c == '"');
        if (text || !blank) { nnc_buffer_byte(out, c); }
        if (!text && c == ',') { nnc_buffer_byte(out, ' '); }
    }
}

/* Returns the index of the string that is in r->key. If the string in r->key is new, appends it to the list of
 * strings. */
static int32_t key_number(reader *r, texts *t) {
    const char *text = r->key.size > 0 ? r->key.bytes : "";
    const int32_t number = r->key.failed ? -1 : number_of(t, text, r->key.size);
    if (number < 0) { no_memory(r); }
    return number;
}

/* Returns the index of the thread on which an event ran. The key of a thread is the process id and the thread id of the
 * event, joined by a byte that cannot occur in JSON text. */
static int32_t thread_of(reader *r, const event *e) {
    nnc_buffer_clear(&r->key);
    nnc_buffer_put(&r->key, e->pid.text, e->pid.size);
    nnc_buffer_byte(&r->key, '\x01');
    nnc_buffer_put(&r->key, e->tid.text, e->tid.size);
    return key_number(r, &r->threads);
}

static int32_t kind_of(reader *r, const event *e) {
    const slice lists[] = { e->dims, e->types, e->values };
    nnc_buffer_clear(&r->key);
    nnc_buffer_put(&r->key, e->name.text, e->name.size);
    for (int i = 0; i < 3; i++) {
        nnc_buffer_byte(&r->key, '\x01');
        put_list(&r->key, lists[i]);
    }
    return key_number(r, &r->kinds);
}

static int32_t name_of(reader *r, const event *e) {
    nnc_buffer_clear(&r->key);
    nnc_buffer_put(&r->key, e->name.text, e->name.size);
    return key_number(r, &r->names);
}

typedef enum category { OTHER, OPERATOR, RUNTIME, KERNEL, COPY, ANNOTATION } category;

static category category_of(slice text) {
    static const struct {
        const char *name;
        category of;
    } rows[] = { { "cpu_op", OPERATOR },     { "Operator", OPERATOR },  { "cuda_runtime", RUNTIME },
                 { "cuda_driver", RUNTIME }, { "Runtime", RUNTIME },    { "hip_runtime", RUNTIME },
                 { "xpu_runtime", RUNTIME }, { "xpu_driver", RUNTIME }, { "kernel", KERNEL },
                 { "Kernel", KERNEL },       { "gpu_memcpy", COPY },    { "Memcpy", COPY },
                 { "gpu_memset", COPY },     { "Memset", COPY },        { "user_annotation", ANNOTATION } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (is(text, rows[i].name)) { return rows[i].of; }
    }
    return OTHER;
}

static void add_event(reader *r, const event *e, int64_t start, int64_t lasts) {
    const category of = category_of(e->cat);
    if (of == OPERATOR) {
        const nnc_trace_call call = { .start_ns = start,
                                      .end_ns = start + lasts,
                                      .external = whole(e->external),
                                      .thread = thread_of(r, e),
                                      .kind = kind_of(r, e) };
        nnc_buffer_put(&r->calls, &call, sizeof call);
    } else if (of == RUNTIME && e->correlation.size > 0) {
        const nnc_trace_launch launch = { whole(e->correlation), start, thread_of(r, e) };
        nnc_buffer_put(&r->launches, &launch, sizeof launch);
    } else if (of == KERNEL || of == COPY) {
        const int64_t device = whole(e->device.size > 0 ? e->device : e->pid);
        const nnc_trace_kernel kernel = { .start_ns = start,
                                          .end_ns = start + lasts,
                                          .correlation = whole(e->correlation),
                                          .external = whole(e->external),
                                          .name = name_of(r, e),
                                          .device = device > 4096 ? -1 : (int32_t)device,
                                          .class = of == COPY ? NNC_TRACE_COPY : NNC_TRACE_COMPUTE,
                                          .group = (uint32_t)hash_of(e->group.text, e->group.size) };
        nnc_buffer_put(&r->kernels, &kernel, sizeof kernel);
    } else if (of == ANNOTATION && e->name.size > 13 && memcmp(e->name.text, "ProfilerStep#", 13) == 0) {
        r->trace->steps++;
    }
    if (r->calls.failed || r->launches.failed || r->kernels.failed) { no_memory(r); }
}

/* Reads an event of the trace. If the window contains the whole event, the function reads the event in the window
 * without a copy. An event that continues after the end of the window, or that is not valid, is first copied. Faults of
 * a copied event are found when the copy is read. */
static void read_event(reader *r) {
    event e = { 0 };
    int64_t start = 0, lasts = 0;
    const bool object = peek_word(r) == '{';
    const char *begin = r->window + r->at;
    const char *end = object ? read_members(begin, &e, set_outer, set_arg) : NULL;
    if (end != NULL) {
        r->at += (int)(end - begin);
    } else {
        e = (event){ 0 };
        const size_t size = take_value(r, true);
        if (r->failed) { return; }
        if (r->event[0] != '{' || read_members(r->event, &e, set_outer, set_arg) != r->event + size) {
            fail(r, NNC_BAD_SPEC, "bad syntax, expected an event as an object");
            return;
        }
    }
    if (is(e.ph, "X") && e.name.text != NULL && nanoseconds(e.ts, &start) && nanoseconds(e.dur, &lasts) &&
        start >= -INT64_MAX / 4 && start <= INT64_MAX / 2 && lasts >= 0 && lasts <= INT64_MAX / 4) {
        add_event(r, &e, start, lasts);
    }
}

static void read_events(reader *r) {
    if (!take(r, '[')) { return; }
    int c = peek_word(r);
    while (!r->failed && c != ']') {
        read_event(r);
        c = peek_word(r);
        if (c == ',') {
            r->at++;
            c = peek_word(r);
        } else if (c != ']') {
            (void)take(r, ']');
        }
    }
    r->at += c == ']';
}

/* Reads the name of the first device in the trace, which is the member "name" of the first object in
 * "deviceProperties". */
static void read_devices(reader *r) {
    event e = { 0 };
    const size_t size = take_value(r, true);
    const char *first = size > 0 ? strchr(r->event, '{') : NULL;
    if (!r->failed && first != NULL && read_members(first, &e, set_outer, NULL) != NULL && e.name.size > 0) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", e.name.size < 120 ? (int)e.name.size : 120, e.name.text);
        r->trace->device = nnc_arena_strdup(r->trace->arena, name);
    }
}

static void read_ranks(reader *r) {
    event e = { 0 };
    const size_t size = take_value(r, true);
    if (!r->failed && size > 0 && r->event[0] == '{' && read_members(r->event, &e, set_arg, NULL) != NULL) {
        r->trace->rank = whole(e.rank);
        r->trace->world_size = whole(e.world_size);
    }
}

static void read_document(reader *r) {
    /* Chrome's traces have two forms; in the form that begins with '[', the whole document is the list of events */
    if (peek_word(r) == '[') {
        read_events(r);
        return;
    }
    if (!take(r, '{')) { return; }
    bool events = false;
    int c = peek_word(r);
    while (!r->failed && c != '}') {
        take_value(r, true);
        const bool list = !r->failed && strcmp(r->event, "\"traceEvents\"") == 0;
        const bool devices = !r->failed && strcmp(r->event, "\"deviceProperties\"") == 0;
        const bool ranks = !r->failed && strcmp(r->event, "\"distributedInfo\"") == 0;
        if (r->failed || !take(r, ':')) { return; }
        events = events || list;
        if (list) {
            read_events(r);
        } else if (devices) {
            read_devices(r);
        } else if (ranks) {
            read_ranks(r);
        } else {
            take_value(r, false);
        }
        c = peek_word(r);
        if (c == ',') {
            r->at++;
            c = peek_word(r);
        } else if (c != '}' && !r->failed) {
            (void)take(r, '}');
        }
    }
    if (!events) { fail(r, NNC_BAD_SPEC, "no list \"traceEvents\", expected a trace of PyTorch's profiler"); }
}

/* Splits the key under which each operator was stored into its name, dims, types and values. Returns false when out of
 * memory. */
static bool split_kinds(reader *r) {
    nnc_trace *t = r->trace;
    t->kind_count = r->kinds.count;
    t->kinds = nnc_arena_array(t->arena, (size_t)t->kind_count + 1, sizeof *t->kinds);
    for (int64_t i = 0; t->kinds != NULL && i < t->kind_count; i++) {
        char *parts[4] = { NULL }, *p = nnc_arena_strdup(t->arena, r->kinds.list[i]);
        for (int k = 0; k < 4 && p != NULL; k++) {
            parts[k] = p;
            p = strchr(p, '\x01');
            if (p != NULL) { *p++ = '\0'; }
        }
        if (parts[0] == NULL) { return false; }
        const bool shaped = parts[1] != NULL && *parts[1] != '\0';
        t->kinds[i] = (nnc_trace_kind){ .name = parts[0],
                                        .dims = shaped ? parts[1] : NULL,
                                        .types = shaped ? parts[2] : NULL,
                                        .values = shaped ? parts[3] : NULL };
    }
    return t->kinds != NULL;
}

/* Finds, by their names, the kernels that communicate, and sets their class to NNC_TRACE_COMMUNICATION. The names in
 * the table are those of NCCL, RCCL, oneCCL, DeepEP, NVSHMEM, FlashInfer (trtllm_allreduce_fusion.cuh), vLLM
 * (csrc/custom_all_reduce.cuh) and PyTorch's symmetric memory (symm_mem/CUDASymmetricMemoryOps.cu). Returns false when
 * out of memory. */
static bool find_communication(const nnc_trace *t) {
    static const char *const marks[] = { "nccl",
                                         "rccl",
                                         "oneccl",
                                         "deep_ep",
                                         "nvshmem",
                                         "cross_device_reduce",
                                         "multimem_",
                                         "_shot_all_reduce_kernel",
                                         "allreduce_fusion" };
    unsigned char *communicates = nnc_arena_array(t->arena, (size_t)t->name_count + 1, 1);
    for (int64_t i = 0; communicates != NULL && i < t->name_count; i++) {
        for (size_t m = 0; m < sizeof marks / sizeof *marks; m++) {
            communicates[i] |= strstr(t->names[i], marks[m]) != NULL;
        }
    }
    for (int64_t i = 0; communicates != NULL && i < t->kernel_count; i++) {
        nnc_trace_kernel *k = &t->kernels[i];
        if (k->class == NNC_TRACE_COMPUTE && communicates[k->name]) { k->class = NNC_TRACE_COMMUNICATION; }
    }
    return communicates != NULL;
}

static void read_open(reader *r) {
    nnc_trace *t = r->trace;
    r->names.arena = r->kinds.arena = r->threads.arena = t->arena;
    read_document(r);
    if (!r->failed && !split_kinds(r)) { no_memory(r); }
    t->bytes = r->before + r->at;
    t->names = r->names.list;
    t->name_count = r->names.count;
    t->calls = (nnc_trace_call *)(void *)r->calls.bytes;
    t->call_count = (int64_t)(r->calls.size / sizeof *t->calls);
    t->launches = (nnc_trace_launch *)(void *)r->launches.bytes;
    t->launch_count = (int64_t)(r->launches.size / sizeof *t->launches);
    t->kernels = (nnc_trace_kernel *)(void *)r->kernels.bytes;
    t->kernel_count = (int64_t)(r->kernels.size / sizeof *t->kernels);
    if (!r->failed && !find_communication(t)) { no_memory(r); }
    free(r->event);
    nnc_buffer_free(&r->key);
    free(r->names.slots);
    free(r->kinds.slots);
    free(r->threads.slots);
}

nnc_status nnc_trace_read(const char *path, nnc_trace **trace, nnc_error *err) {
    struct stat about;
    reader *r = calloc(1, sizeof *r);
    nnc_trace *t = calloc(1, sizeof *t);
    nnc_error local;
    *trace = NULL;
    if (r == NULL || t == NULL || (t->arena = nnc_arena_create()) == NULL) {
        free(r);
        free(t);
        return nnc_no_memory(err);
    }
    r->err = err != NULL ? err : &local;
    r->path = path;
    r->trace = t;
    t->rank = t->world_size = -1;
    nnc_status status = load(&r->z, r->err);
    if (status == NNC_OK &&
        (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || (r->file = r->z.gzopen(path, "rb")) == NULL)) {
        status = nnc_fail(err, NNC_IO, path, "cannot open: %s",
                          errno != 0 && stat(path, &about) != 0 ? strerror(errno) : "not a regular file");
    }
    if (status == NNC_OK) {
        read_open(r);
        r->z.gzclose(r->file);
        status = r->failed ? r->err->status : NNC_OK;
    }
    free(r);
    if (status != NNC_OK) {
        nnc_trace_free(t);
        return status;
    }
    *trace = t;
    return NNC_OK;
}

void nnc_trace_free(nnc_trace *trace) {
    if (trace != NULL) {
        nnc_arena_destroy(trace->arena);
        free(trace->calls);
        free(trace->launches);
        free(trace->kernels);
    }
    free(trace);
}

#else

nnc_status nnc_trace_read(const char *path, nnc_trace **trace, nnc_error *err) {
    *trace = NULL;
    return nnc_fail(err, NNC_BAD_USAGE, path, "this program was built without zlib");
}

void nnc_trace_free(nnc_trace *trace) { (void)trace; }

#endif
