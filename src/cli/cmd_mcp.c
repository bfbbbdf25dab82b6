/* nncost mcp: the commands as tools of the Model Context Protocol, over standard input and output. One JSON-RPC 2.0
 * message a line. Source: modelcontextprotocol.io, specification 2025-06-18, "stdio" and "tools". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "render/render_internal.h"

#define PROTOCOL "2025-06-18"
enum { WORDS_MAX = 96 };

/* A tool is a command with its operands. */
static const struct tool {
    const char *name, *operands[2], *help;
} tools[] = {
    { "estimate",
      { "model", "device" },
      "Time with its bounds, memory and whether it fits, throughput and cost of one training "
      "step." },
    { "compare",
      { "model", "device" },
      "Several devices, models or plans side by side: comma lists in model, device or options." },
    { "search",
      { "model", "device" },
      "The best plans for devices and global_batch (options); several devices: a ranking of "
      "them." },
    { "scale",
      { "model", "device" },
      "1, 8, 64 ... devices: throughput, efficiency, and the causes of losses." },
    { "run",
      { "model", "device" },
      "The whole run, with tokens among the options: days, cost, energy, failures, checkpoints." },
    { "ops", { "model", "device" }, "Every op of the step: FLOPs, bytes, time, what bounds it." },
    { "explain", { "name", NULL }, "The meaning of a metric or an op: formula and source." },
    { "list", { "what", NULL }, "Ids: what is devices, models or software." },
    { "show",
      { "id", NULL },
      "Every parameter of a device, model or software profile, with its source." },
};
enum { TOOL_COUNT = sizeof tools / sizeof tools[0] };

static void put_pair(nnc_buffer *out, const char *key, const char *text)
{
    nnc_put_json_text(out, key);
    nnc_buffer_byte(out, ':');
    nnc_put_json_text(out, text);
}

static void put_tool(nnc_buffer *out, const struct tool *tool)
{
    nnc_buffer_byte(out, '{');
    put_pair(out, "name", tool->name);
    nnc_buffer_byte(out, ',');
    put_pair(out, "description", tool->help);
    nnc_buffer_text(out, ",\"inputSchema\":{\"type\":\"object\",\"properties\":{");
    for (int i = 0; i < 2 && tool->operands[i] != NULL; i++) {
        nnc_put_json_text(out, tool->operands[i]);
        nnc_buffer_text(out, ":{\"type\":\"string\"},");
    }
    nnc_buffer_text(
        out, "\"options\":{\"type\":\"object\",\"description\":\"Options of the command by "
             "name, such as {\\\"devices\\\": 64, \\\"zero\\\": 3, \\\"tokens\\\": \\\"1T\\\"}; "
             "'nncost help ");
    nnc_buffer_text(out, tool->name);
    nnc_buffer_text(out, "' has all\"}},\"required\":[");
    for (int i = 0; i < 2 && tool->operands[i] != NULL; i++) {
        nnc_buffer_text(out, i > 0 ? "," : "");
        nnc_put_json_text(out, tool->operands[i]);
    }
    nnc_buffer_text(out, "]}}");
}

/* ---- calls ---- */

typedef struct words {
    char *list[WORDS_MAX + 1];
    int count;
    nnc_arena *arena;
    bool failed;
} words;

/* The three texts in one. */
static void add_word(words *w, const char *begin, const char *middle, const char *end)
{
    const size_t size = strlen(begin) + strlen(middle) + strlen(end) + 1;
    char *word = w->count < WORDS_MAX ? nnc_arena_alloc(w->arena, size) : NULL;
    w->failed = w->failed || word == NULL;
    if (word != NULL) {
        snprintf(word, size, "%s%s%s", begin, middle, end);
        w->list[w->count++] = word;
        w->list[w->count] = NULL;
    }
}

/* Is standard input or a pipe in a comma list? Standard input holds the messages, and reading a pipe could block. */
static bool names_pipe(const char *list)
{
    char name[1024];
    for (bool more = true; more;) {
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), list);
        if (nnc_is_pipe(name)) {
            return true;
        }
        more = list[length] == ',';
        list += length + 1;
    }
    return false;
}

static bool is_option_name(const char *key)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t length = strlen(key);
    return length > 0 && length < NNC_OPTION_NAME && strspn(key, letters) == length;
}

/* A number with all its digits; whole numbers without an exponent. */
enum { DIGITS = 32 };
static const char *all_digits(double number, char text[DIGITS])
{
    const bool whole = fabs(number) < 0x1p53 && !(floor(number) < number);
    snprintf(text, DIGITS, whole ? "%.0f" : "%.15g", number);
    if (strtod(text, NULL) < number || strtod(text, NULL) > number) {
        snprintf(text, DIGITS, "%.17g", number);
    }
    return text;
}

/* "--micro-batch=4"; a switch is "--timeline". */
static void add_option(words *w, const char *key, nnc_json value)
{
    char name[NNC_OPTION_NAME + 3], number[DIGITS];
    const char *text = number;
    snprintf(name, sizeof name, "--%s", strncmp(key, "--", 2) == 0 ? key + 2 : key);
    for (char *c = name; *c != '\0'; c++) {
        *c = (char)(*c == '_' ? '-' : *c);
    }
    switch (nnc_json_type_of(value)) {
    case NNC_JSON_BOOL: add_word(w, name, nnc_json_bool(value) ? "" : "=off", ""); return;
    case NNC_JSON_NUMBER: all_digits(nnc_json_number(value), number); break;
    case NNC_JSON_TEXT: text = nnc_json_text(value); break;
    case NNC_JSON_LIST: /* repeat the option */
        for (nnc_json one = nnc_json_first(value); one.node != NULL; one = nnc_json_next(one)) {
            add_option(w, key, one);
        }
        return;
    default: w->failed = true; return;
    }
    w->failed = w->failed || names_pipe(text);
    add_word(w, name, "=", text);
}

static nnc_status add_options(words *w, nnc_json options, nnc_error *err)
{
    if (nnc_json_type_of(options) != NNC_JSON_OBJECT &&
        nnc_json_type_of(options) != NNC_JSON_ABSENT) {
        return nnc_fail(err, NNC_BAD_USAGE, "options", "wrong type, expected an object");
    }
    for (nnc_json one = nnc_json_first(options); one.node != NULL; one = nnc_json_next(one)) {
        const char *key = nnc_json_key(one);
        if (!is_option_name(key) || strcmp(key, "format") == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, "options", "not for tools, found \"%.60s\"", key);
        }
        add_option(w, key, one);
        if (w->failed) {
            return nnc_fail(
                err, NNC_BAD_USAGE, key,
                "expected a number, a text, a truth value or a list of them, and no pipe");
        }
    }
    return NNC_OK;
}

static const char *text_of(nnc_json object, const char *key)
{
    const nnc_json at = nnc_json_get(object, key);
    return nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : NULL;
}

static nnc_status call(nnc_json params, nnc_arena *arena, nnc_buffer *answer, nnc_error *err)
{
    const char *name = text_of(params, "name");
    const nnc_json arguments = nnc_json_get(params, "arguments");
    const struct tool *tool = NULL;
    words w = { .arena = arena };
    for (int i = 0; i < TOOL_COUNT && name != NULL; i++) {
        tool = strcmp(tools[i].name, name) == 0 ? &tools[i] : tool;
    }
    if (tool == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "name", "no such tool, see tools/list");
    }
    add_word(&w, "nncost", "", "");
    add_word(&w, tool->name, "", "");
    add_word(&w, "--no-defaults", "", "");
    add_word(&w, "--format=json", "", "");
    NNC_TRY(add_options(&w, nnc_json_get(arguments, "options"), err));
    add_word(&w, "--", "", "");
    for (int i = 0; i < 2 && tool->operands[i] != NULL; i++) {
        const char *operand = text_of(arguments, tool->operands[i]);
        if (operand == NULL) {
            return nnc_fail(err, NNC_BAD_USAGE, tool->operands[i], "missing, expected text");
        }
        if (names_pipe(operand)) {
            return nnc_fail(
                err, NNC_BAD_USAGE, tool->operands[i],
                "cannot be standard input or a pipe: standard input holds the messages");
        }
        add_word(&w, operand, "", "");
    }
    return w.failed ? nnc_fail(err, NNC_BAD_USAGE, "options", "too many")
                    : nnc_command_call(w.count, w.list, answer, err);
}

static void put_content(nnc_buffer *out, nnc_json params, nnc_arena *arena)
{
    nnc_buffer answer = { 0 };
    nnc_error err = { 0 };
    const nnc_status status = call(params, arena, &answer, &err);
    nnc_buffer_text(out, "\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
    if (status == NNC_OK) {
        nnc_buffer_byte(&answer, '\0');
        nnc_put_json_text(out, answer.bytes != NULL ? answer.bytes : "");
    } else {
        char text[sizeof err.where + sizeof err.what + 4];
        snprintf(text, sizeof text, "%s: %s", err.where, err.what);
        nnc_put_json_text(out, text);
    }
    nnc_buffer_print(out, "}],\"isError\":%s}", status == NNC_OK ? "false" : "true");
    nnc_buffer_free(&answer);
}

/* ---- messages ---- */

static void put_id(nnc_buffer *out, nnc_json id)
{
    nnc_buffer_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (nnc_json_type_of(id) == NNC_JSON_TEXT) {
        nnc_put_json_text(out, nnc_json_text(id));
    } else if (nnc_json_type_of(id) == NNC_JSON_NUMBER) {
        char number[DIGITS];
        nnc_buffer_text(out, all_digits(nnc_json_number(id), number));
    } else {
        nnc_buffer_text(out, "null");
    }
    nnc_buffer_byte(out, ',');
}

static void put_fault(nnc_buffer *out, int code, const char *message)
{
    nnc_buffer_print(out, "\"error\":{\"code\":%d,", code);
    put_pair(out, "message", message);
    nnc_buffer_text(out, "}");
}

static void reply(nnc_buffer *out, nnc_json root, nnc_arena *arena)
{
    const char *method = text_of(root, "method");
    const nnc_json params = nnc_json_get(root, "params");
    put_id(out, nnc_json_get(root, "id"));
    if (method == NULL) {
        put_fault(out, -32600, "expected a method");
    } else if (strcmp(method, "initialize") == 0) {
        nnc_buffer_text(out,
                        "\"result\":{\"protocolVersion\":\"" PROTOCOL
                        "\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"nncost\",");
        put_pair(out, "version", nnc_version());
        nnc_buffer_text(out, "}}");
    } else if (strcmp(method, "ping") == 0) {
        nnc_buffer_text(out, "\"result\":{}");
    } else if (strcmp(method, "tools/list") == 0) {
        nnc_buffer_text(out, "\"result\":{\"tools\":[");
        for (int i = 0; i < TOOL_COUNT; i++) {
            nnc_buffer_text(out, i > 0 ? "," : "");
            put_tool(out, &tools[i]);
        }
        nnc_buffer_text(out, "]}");
    } else if (strcmp(method, "tools/call") == 0) {
        put_content(out, params, arena);
    } else {
        put_fault(out, -32601, "no such method");
    }
    nnc_buffer_text(out, "}\n");
}

nnc_status nnc_mcp_answer(const char *line, size_t size, nnc_buffer *out, nnc_error *err)
{
    nnc_arena *arena = nnc_arena_create();
    nnc_error why = { 0 };
    nnc_faults faults = { .name = "message", .err = &why };
    nnc_json_doc doc = { .faults = &faults, .arena = arena, .text = line, .size = size };
    if (arena == NULL) {
        return nnc_no_memory(err);
    }
    if (!nnc_json_parse(&doc)) {
        nnc_buffer_text(out, "{\"jsonrpc\":\"2.0\",\"id\":null,");
        put_fault(out, -32700, why.what);
        nnc_buffer_text(out, "}\n");
    } else if (nnc_json_get(nnc_json_root(&doc), "id").node != NULL) {
        reply(out, nnc_json_root(&doc), arena);
    }
    nnc_json_free(&doc);
    nnc_arena_destroy(arena);
    return out->failed ? nnc_no_memory(err) : NNC_OK;
}

static nnc_status take_line(const char *line, size_t size, nnc_error *err)
{
    nnc_buffer out = { 0 };
    const nnc_status status = nnc_mcp_answer(line, size, &out, err);
    const bool written = out.size == 0 || (fwrite(out.bytes, 1, out.size, stdout) == out.size &&
                                           fflush(stdout) == 0);
    nnc_buffer_free(&out);
    NNC_TRY(status);
    return written ? NNC_OK : nnc_fail(err, NNC_IO, "standard output", "cannot be written");
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char *line = NULL;
    size_t capacity = 0;
    nnc_status status = NNC_OK;
    (void)session;
    for (ssize_t length = 0;
         status == NNC_OK && (length = getline(&line, &capacity, stdin)) >= 0;) {
        if (length > 1) {
            status = take_line(line, (size_t)length, err);
        }
    }
    free(line);
    return status;
}

const nnc_command nnc_cmd_mcp = {
    .name = "mcp",
    .operands = "",
    .summary =
        "A server of the Model Context Protocol for AI assistants, on standard input and output.",
    .notes =
        "Tools: estimate, compare, search, scale, run, ops, explain, list and show, with the "
        "operands and options of the commands. Answers are their JSON output. Each line is one "
        "JSON-RPC message; the server ends when standard input ends.",
    .takes = NNC_TAKES_HELP,
    .run = NNC_NOT_ON_PAGE(run),
};
