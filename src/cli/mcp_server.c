/* The server 'nncost mcp': reads messages and answers them. Each tool call runs in its own process, which has a
 * deadline, limits for its memory and its answer, and a list of folders that it may read. While a call runs, the server
 * reads further messages, and stops the call if the client cancels it. Sources: modelcontextprotocol.io, specification
 * 2025-06-18, "cancellation"; JSON-RPC 2.0. */
#if !defined(__wasi__) && !defined(_WIN32)
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): memmem() */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "render/render_internal.h"

/* Limits in bytes. MESSAGE_MAX: one message (a line). INPUT_MAX: largest input that the server has read and not yet
 * processed. ANSWER_MAX: one answer. */
enum { MESSAGE_MAX = 1 << 20, INPUT_MAX = 2 << 20, ANSWER_MAX = 16 << 20, BLOCK = 1 << 16 };

/* LIMITS_MEMORY: 1 = the process of a tool call has a memory limit; 0 = it has none, because a sanitizer reserves much
 * more address space than the program uses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(NNCOST_FUZZ)
enum { LIMITS_MEMORY = 0 };
#else
enum { LIMITS_MEMORY = 1 };
#endif

static const char cancelled[] = "notifications/cancelled";

typedef struct server {
    double deadline_s;
    rlim_t memory_bytes;
    char *input;     /* buffer of INPUT_MAX + 1 bytes for text read from standard input */
    size_t used, at; /* used: number of bytes in `input`; at: offset of the next message in `input` */
    bool ended;      /* true: standard input has no more bytes to read */
    bool skipping;   /* true: a message is too long, and the server skips the bytes up to its end */
    bool cancels;    /* true: `input` may contain a message that cancels a call */
} server;

static nnc_status write_answer(const nnc_buffer *out, nnc_error *err) {
    if (out->failed) { return nnc_no_memory(err); }
    return nnc_write_bytes(STDOUT_FILENO, out->bytes, out->size) == out->size
               ? NNC_OK
               : nnc_fail(err, NNC_IO, "standard output", "cannot be written");
}

/* Reads bytes from standard input into the buffer, at most as many as the buffer has space for. */
static void read_input(server *s) {
    if (s->at > 0) {
        memmove(s->input, s->input + s->at, s->used - s->at);
        s->used -= s->at;
        s->at = 0;
    }
    const size_t room = INPUT_MAX - s->used;
    const ssize_t got = read(STDIN_FILENO, s->input + s->used, room < BLOCK ? room : BLOCK);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) { return; }
    s->ended = got <= 0;
    const size_t from = s->used > sizeof cancelled ? s->used - sizeof cancelled : 0;
    s->used += got > 0 ? (size_t)got : 0;
    s->cancels = s->cancels || memmem(s->input + from, s->used - from, cancelled, sizeof cancelled - 1) != NULL;
}

/* Returns the message at offset `at` of the input buffer; NULL = the message is not complete yet. *size gets the number
 * of bytes of the message without its line break. At the end of standard input, the last message needs no line
 * break. */
static char *message_at(const server *s, size_t at, size_t *size) {
    char *line = s->input + at, *end = memchr(line, '\n', s->used - at);
    *size = end != NULL ? (size_t)(end - line) : s->used - at;
    return end != NULL || (s->ended && *size > 0) ? line : NULL;
}

typedef struct message {
    char id[300]; /* id of the message as the answer repeats it, a number or a quoted string; "" = a notification */
    bool calls;   /* true: the message is a tool call */
    char cancels[300]; /* id of the call that the message cancels; "" = the message cancels no call */
} message;

static void take_id(nnc_json id, char text[300]) {
    nnc_buffer out = { 0 };
    nnc_mcp_put_id(&out, id);
    if (!out.failed && out.size > 0 && out.size < 300) {
        memcpy(text, out.bytes, out.size);
        text[out.size] = '\0';
    }
    nnc_buffer_free(&out);
}

static message read_message(char *line, size_t size) {
    message m = { .id = "" };
    nnc_arena *arena = nnc_arena_create();
    nnc_error why = { 0 };
    nnc_faults faults = { .name = "message", .err = &why };
    const char end = line[size];
    line[size] = '\0';
    nnc_json_doc doc = { .faults = &faults, .arena = arena, .text = line, .size = size };
    if (arena != NULL && nnc_json_parse(&doc)) {
        const nnc_json root = nnc_json_root(&doc), id = nnc_json_get(root, "id"), method = nnc_json_get(root, "method");
        const char *name = nnc_json_type_of(method) == NNC_JSON_TEXT ? nnc_json_text(method) : "";
        if (id.node != NULL) {
            take_id(id, m.id);
            m.calls = strcmp(name, "tools/call") == 0;
        } else if (strcmp(name, cancelled) == 0) {
            take_id(nnc_json_get(nnc_json_get(root, "params"), "requestId"), m.cancels);
        }
    }
    nnc_json_free(&doc);
    nnc_arena_destroy(arena);
    line[size] = end;
    return m;
}

/* Returns true if the input buffer has a message that cancels the tool call `m`. */
static bool is_cancelled(server *s, const message *m) {
    size_t at = s->at, size = 0;
    for (char *line; s->cancels && at < s->used && (line = message_at(s, at, &size)) != NULL; at += size + 1) {
        if (memmem(line, size, cancelled, sizeof cancelled - 1) != NULL &&
            strcmp(read_message(line, size).cancels, m->id) == 0) {
            return true;
        }
    }
    return false;
}

/* Runs a tool call in the current process, a child of the server: closes standard input, limits the memory, and writes
 * the answer into the pipe. */
static void work(const server *s, const char *line, size_t size, int pipe) {
    const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    nnc_buffer out = { 0 };
    nnc_error err = { 0 };
    if (none < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(none, STDOUT_FILENO) < 0) { _exit(1); }
    const struct rlimit most = { s->memory_bytes, s->memory_bytes };
    if (LIMITS_MEMORY) { (void)setrlimit(RLIMIT_DATA, &most); }
    const bool well = nnc_mcp_answer(line, size, &out, &err) == NNC_OK && out.size <= ANSWER_MAX &&
                      nnc_write_bytes(pipe, out.bytes, out.size) == out.size;
    _exit(well ? 0 : out.size > ANSWER_MAX ? 2 : 1);
}

static void put_failure(nnc_buffer *out, const message *m, const char *what) {
    nnc_buffer_clear(out);
    nnc_buffer_print(out,
                     "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\","
                     "\"text\":\"%s\"}],\"isError\":true}}\n",
                     m->id, what);
}

/* Reads the answer of a tool call from the pipe until the answer ends, the deadline passes, or the client cancels the
 * call. If the call fails, *out is an answer that reports the error. Returns false if the client needs no answer. */
static bool await(server *s, const message *m, pid_t child, int pipe, nnc_buffer *out) {
    char block[BLOCK];
    int status = 0;
    const double end_s = nnc_clock_s() + s->deadline_s;
    bool stopped = false, late = false;
    for (ssize_t got = 1; got != 0 && !stopped && !late;) {
        struct pollfd files[2] = { { .fd = pipe, .events = POLLIN },
                                   { .fd = s->ended || s->used - s->at >= INPUT_MAX - 1 ? -1 : STDIN_FILENO,
                                     .events = POLLIN } };
        const double left_s = end_s - nnc_clock_s();
        late = left_s <= 0.0 || poll(files, 2, (int)(1000.0 * left_s) + 1) == 0;
        if (files[1].revents != 0 && !late) {
            read_input(s);
            stopped = is_cancelled(s, m);
        }
        if (files[0].revents != 0 && !late && !stopped) {
            got = read(pipe, block, sizeof block);
            got = got < 0 && errno == EINTR ? 1 : got;
            if (got > 0 && files[0].revents != 0) { nnc_buffer_put(out, block, (size_t)got); }
        }
    }
    if (stopped || late) { kill(child, SIGKILL); }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (late) {
        char text[120];
        snprintf(text, sizeof text,
                 "the call was stopped after %g s; ask for less, or start the server with a longer --deadline",
                 s->deadline_s);
        put_failure(out, m, text);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || out->size == 0) {
        put_failure(out, m,
                    WIFEXITED(status) && WEXITSTATUS(status) == 2
                        ? "the answer is longer than 16 MB; ask for less"
                        : "the call needs more memory than --memory allows; ask for less");
    }
    return !stopped;
}

static nnc_status call(server *s, const message *m, const char *line, size_t size, nnc_error *err) {
    int pipes[2];
    nnc_buffer out = { 0 };
    /* pipe2() is not needed: the child starts no program that could inherit the pipe. macOS has no pipe2(). */
    if (pipe(pipes) != 0) { return nnc_fail(err, NNC_IO, "mcp", "cannot make a pipe: %s", strerror(errno)); }
    const pid_t child = fork();
    if (child == 0) { work(s, line, size, pipes[1]); }
    close(pipes[1]);
    nnc_status status = NNC_OK;
    if (child < 0) {
        status = nnc_fail(err, NNC_IO, "mcp", "cannot start a process: %s", strerror(errno));
    } else if (await(s, m, child, pipes[0], &out)) {
        status = write_answer(&out, err);
    }
    close(pipes[0]);
    nnc_buffer_free(&out);
    return status;
}

static nnc_status answer_too_long(nnc_error *err) {
    nnc_buffer out = { 0 };
    nnc_buffer_text(&out, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
                          "\"too large, expected at most 1 MB in one message\"}}\n");
    const nnc_status status = write_answer(&out, err);
    nnc_buffer_free(&out);
    return status;
}

/* Answers the message `line` at offset s->at of the input, and moves s->at to the next message. */
static nnc_status take(server *s, char *line, size_t size, nnc_error *err) {
    const message m = read_message(line, size);
    s->at += size + (s->at + size < s->used ? 1 : 0);
    if (size == 0 || (m.id[0] != '\0' && is_cancelled(s, &m))) { return NNC_OK; }
    char *copy = malloc(size + 1); /* a copy, because read_input moves the bytes of the input buffer while a call
                                    * runs */
    NNC_GOT(copy, err);
    memcpy(copy, line, size);
    copy[size] = '\0';
    nnc_buffer out = { 0 };
    nnc_status status = NNC_OK;
    if (m.calls) {
        status = call(s, &m, copy, size, err);
    } else {
        status = nnc_mcp_answer(copy, size, &out, err);
        status = status == NNC_OK ? write_answer(&out, err) : status;
    }
    nnc_buffer_free(&out);
    free(copy);
    return status;
}

static nnc_status serve(server *s, nnc_error *err) {
    while (!s->ended || s->at < s->used) {
        size_t size = 0;
        char *line = s->at < s->used ? message_at(s, s->at, &size) : NULL;
        /* the message is too long already, although its end has not been read */
        if (line == NULL && s->used - s->at > MESSAGE_MAX) {
            s->at = s->used;
            s->skipping = true;
        }
        if (line == NULL) {
            read_input(s);
            continue;
        }
        if (s->skipping || size > MESSAGE_MAX) {
            s->skipping = false;
            s->at += size + (s->at + size < s->used ? 1 : 0);
            NNC_TRY(answer_too_long(err));
            continue;
        }
        NNC_TRY(take(s, line, size, err));
    }
    return NNC_OK;
}

/* Sets the folders that tool calls may read with nnc_open_to_read: the folder of --root (without --root all folders),
 * and the data folders of the program. */
static nnc_status set_roots(nnc_session *session, nnc_error *err) {
    const char *asked = session->options.mcp.root;
    nnc_buffer roots = { 0 };
    char real[PATH_MAX];
    if (asked != NULL && realpath(asked, real) == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--root", "cannot be opened, expected a folder, found \"%s\"", asked);
    }
    nnc_buffer_text(&roots, asked != NULL ? real : "/");
    const char *const *folders = NULL;
    for (int i = 0, count = nnc_specs_folders(session->specs, &folders); i < count; i++) {
        if (realpath(folders[i], real) != NULL) { nnc_buffer_print(&roots, ":%s", real); }
    }
    nnc_buffer_byte(&roots, '\0');
    const bool set = !roots.failed && setenv(NNC_ROOTS_VARIABLE, roots.bytes, 1) == 0;
    nnc_buffer_free(&roots);
    return set ? NNC_OK : nnc_no_memory(err);
}

nnc_status nnc_mcp_serve(nnc_session *session, nnc_error *err) {
    server s = { .deadline_s = session->options.mcp.deadline_s,
                 .memory_bytes = (rlim_t)session->options.mcp.memory_bytes };
    s.input = malloc(INPUT_MAX + 1);
    NNC_GOT(s.input, err);
    nnc_status status = set_roots(session, err);
    if (status == NNC_OK) { status = serve(&s, err); }
    free(s.input);
    return status;
}
#else
typedef int nnc_no_mcp_server; /* C does not allow a file without declarations */
#endif
