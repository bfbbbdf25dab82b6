/* nncost mcp: a server of the Model Context Protocol on standard input and output, whose tools are the commands of
 * nncost. Each line of the input and of the output is a JSON-RPC 2.0 message. The server refuses a member that a tool
 * does not know, because an assistant does not notice that a member of its question was ignored. Source:
 * modelcontextprotocol.io, specification 2025-06-18, "stdio" and "tools". */
#include <limits.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "render/render_internal.h"

#define PROTOCOL "2025-06-18"
#define HELP_TOOL "help" /* the only tool that is no command */
enum { WORDS_MAX = 96, OPTIONS_MAX = 256, OPERANDS_MAX = 3, FIELDS_MAX = 64 };

/* A tool of the MCP server: a command of nncost, with the names of the operands of the command. */
static const struct tool {
    const char *name, *operands[OPERANDS_MAX], *help;
    const char *fields; /* members that the answer has if the call names no fields, separated by blanks; NULL = a short
                         * form of the whole answer */
    /* number of last operands that a call may leave out; a call leaves out all of them or none of them */
    int optional;
    /* usual: option that is added to a call without the option usual_key; NULL = none */
    const char *usual_key, *usual;
} tools[] = {
    { "estimate",
      { "model", "device" },
      "One training step: time with its bounds, memory and verdict, throughput, cost.",
      .fields = "sentence step.step_s step.interval_s step.lower_bound_s step.upper_bound_s step.bound "
                "step.exposed_comm_s step.bubble_s memory.total_bytes memory.capacity_bytes memory.fit memory.advice "
                "throughput.tokens_per_s throughput.samples_per_s throughput.mfu cost.step cost.currency "
                "cost.per_million_tokens plan.software trust open_facts" },
    { "advise",
      { "model", "device" },
      "The changes of a plan that help most, with the options, time, memory and cost of each.",
      .fields = NULL },
    { "fit",
      { "model", "device" },
      "The largest micro-batch and sequence that fit, and each way to save memory.",
      .fields = "micro_batch micro_batch_tight seq_len lora_rank total_bytes capacity_bytes margin_bytes step_s "
                "remedies changes" },
    { "compare",
      { "model", "device" },
      "Every combination of comma lists in model, device or options (micro_batch \"1,2,4\"), one row each.",
      .fields = "rows.command rows.step.step_s rows.memory.total_bytes rows.memory.fit rows.throughput.tokens_per_s "
                "rows.throughput.mfu rows.cost.per_million_tokens rows.model.id rows.device.id rows.plan.devices "
                "rows.plan.tensor rows.plan.batch rows.plan.concurrency rows.plan.disaggregate rows.latency.ttft_s "
                "rows.latency.tpot_s rows.throughput.output_tokens_per_s rows.memory.fits "
                "rows.cost.per_million_output_tokens" },
    { "search",
      { "model", "device" },
      "The best plans for the options devices and global_batch; with several devices, a ranking of these devices.",
      .fields = "best.command best.step_s best.memory_bytes best.mfu best.cost_run legal feasible currency plans "
                "devices sizes.devices sizes.best.command sizes.best.step_s sizes.best.mfu deployments meeting "
                "cheapest fastest why" },
    { "scale",
      { "model", "device" },
      "The best plan on 1, 8, 64 ... devices: throughput, efficiency, and the causes of losses.",
      .fields = NULL },
    { "limit",
      { "model", "device" },
      "The largest tensor or context degree, or the smallest batch, before the network or memory bounds the step; the "
      "option \"of\" selects the quantity.",
      .fields = "limit unit bound_by reason formula curve" },
    { "run",
      { "model", "device" },
      "The whole run, with tokens among the options: days, cost, energy, failures, checkpoints.",
      .fields =
          "step.step_s step.interval_s memory.total_bytes memory.capacity_bytes memory.fit memory.advice run.steps "
          "run.days run.goodput run.system_mtbf_s run.lost_s run.interval_s run.checkpoint_bytes cost" },
    { "serve",
      { "model", "device" },
      "A decoder under load: time to first token and per token, throughput, memory and cost.",
      .fields =
          "sentence latency.ttft_s latency.tpot_s latency.request_s latency.ttft_interval_s latency.tpot_interval_s "
          "throughput.output_tokens_per_s throughput.requests_per_s throughput.saturation_rate decode.bound "
          "memory.total_bytes memory.capacity_bytes memory.fits cost changes" },
    { "budget",
      { NULL },
      "The best model for a budget (cost, days, device among the options), by the scaling laws.",
      .fields = "device cost price_per_device_hour device_hours days devices flops params tokens optima.law "
                "optima.params optima.tokens optima.loss" },
    { "ops",
      { "model", "device" },
      "Every op of the step: FLOPs, bytes, time, and the resource that bounds it.",
      .fields = "ops.name ops.phase ops.repeat ops.shape ops.time_s ops.share ops.bound",
      .usual_key = "sort",
      .usual = "--sort=time" },
    { "op",
      { "kind", "dims", "device" },
      "One op, such as matmul 4096x4096x4096: its work, its roofline and its time.",
      .fields = NULL },
    { "explain",
      { "name", "model", "device" },
      "The meaning of a metric or an op: formula and source; with model and device also its numbers.",
      .optional = 2 },
    { "check",
      { "plans" },
      "Estimates the scenarios of a plan file again: estimates that differ from the recorded estimates, and the "
      "causes.",
      .fields = NULL },
    { "diff",
      { "before", "after" },
      "Two estimates (plan files): the metrics that differ, largest change first.",
      .fields = NULL },
    { "trace",
      { "file", "device" },
      "A trace of PyTorch's profiler: measured and expected time of each operator.",
      .fields = NULL,
      .optional = 1 },
    { "watch", { "log", "model", "device" }, "The log of a run compared with its estimate.", .fields = NULL },
    { "accuracy", { "rows" }, "Predictions compared with the measured rows of a CSV file.", .fields = NULL },
    { "list",
      { "what", "text" },
      "Ids of the devices, models or software; text selects the entries whose id, name or alias contains this text.",
      .fields = "devices.id models.id software.id",
      .optional = 1 },
    { "show", { "id" }, "Every parameter of a device, model or software profile, with its source.", .fields = NULL },
    { "validate", { "file" }, "Every fault of a device, model, software, cluster or plan file.", .fields = NULL },
    { HELP_TOOL,
      { "command", "option" },
      "The help of a command (a tool of this server) with its options, or the help of one option.",
      .optional = 1 },
};
enum { TOOL_COUNT = sizeof tools / sizeof tools[0] };

static void put_pair(nnc_buffer *out, const char *key, const char *text) {
    nnc_put_json_text(out, key);
    nnc_buffer_byte(out, ':');
    nnc_put_json_text(out, text);
}

static const nnc_command *command_of(const struct tool *tool) {
    const nnc_command *command = NULL;
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        if (strcmp(command->name, tool->name) == 0) { return command; }
    }
    return NULL;
}

/* Tests whether a tool of the MCP server has an option of its command. Options that write files and options that change
 * the page for people are left out. */
static bool is_for_tools(const nnc_option_text *option) {
    static const char *const others[] = { "--output",   "--trace",  "--plans",    "--db",    "--update",
                                          "--forget",   "--format", "--help",     "--brief", "--no-defaults",
                                          "--progress", "--width",  "--help-all", NULL };
    return !nnc_is_one_of(option->name, others);
}

/* Converts the name of an option to the key in a tool call: "--micro-batch" -> "micro_batch". */
static void key_of(const char *name, char key[NNC_OPTION_NAME]) {
    snprintf(key, NNC_OPTION_NAME, "%.*s", NNC_OPTION_NAME - 1, strncmp(name, "--", 2) == 0 ? name + 2 : name);
    for (char *c = key; *c != '\0'; c++) { *c = (char)(*c == '-' ? '_' : *c); }
}

/* Tests whether the options of a command accept lists of values. */
static bool takes_lists(const nnc_command *command) {
    return command == &nnc_cmd_compare || command == &nnc_cmd_search || command == &nnc_cmd_scale ||
           command == &nnc_cmd_sweep;
}

/* Writes the JSON schema type of an option's value. A switch is a boolean. A number may be given as a string too, so
 * that it can have a unit; some commands also accept a list of numbers in the string. A value from a fixed set of words
 * is an enum; commands that accept lists also allow a string with commas. */
static void put_type(nnc_buffer *out, const nnc_command *command, const nnc_option_text *option) {
    const nnc_field *field = option->field;
    const bool lists = takes_lists(command) && option->of_plan;
    switch (field->type) {
    case NNC_FIELD_BOOL: nnc_buffer_text(out, "{\"type\":\"boolean\"}"); return;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64: nnc_buffer_text(out, "{\"type\":[\"number\",\"string\"]}"); return;
    case NNC_FIELD_ENUM:
        nnc_buffer_text(out, lists ? "{\"anyOf\":[" : "");
        nnc_buffer_text(out, "{\"enum\":[");
        for (int i = 0; i < field->names.count; i++) {
            const char *name = field->names.of((unsigned)i);
            double number = 0.0;
            nnc_buffer_print(out, "%s%s%s", i > 0 ? "," : "", nnc_read_double(name, &number) ? name : "",
                             nnc_read_double(name, &number) ? "," : "");
            nnc_put_json_text(out, name);
        }
        nnc_buffer_text(out, "]}");
        nnc_buffer_text(out, lists ? ",{\"type\":\"string\",\"pattern\":\",\"}]}" : "");
        return;
    case NNC_FIELD_TEXT:
        nnc_buffer_text(out, field->capacity > 0 ? "{\"type\":[\"string\",\"array\"]}" : "{\"type\":\"string\"}");
        return;
    default: nnc_buffer_text(out, "{\"type\":\"string\"}");
    }
}

static void put_options(nnc_buffer *out, const struct tool *tool) {
    const nnc_command *command = command_of(tool);
    nnc_option_text option;
    bool more = false;
    for (int i = 0; command != NULL && nnc_option_at(command->takes, i, &option); i++) {
        char key[NNC_OPTION_NAME];
        if (!is_for_tools(&option)) { continue; }
        key_of(option.name, key);
        nnc_buffer_text(out, more ? "," : "");
        nnc_put_json_text(out, key);
        nnc_buffer_byte(out, ':');
        put_type(out, command, &option);
        more = true;
    }
}

static int required_of(const struct tool *tool) {
    int count = 0;
    while (count < OPERANDS_MAX && tool->operands[count] != NULL) { count++; }
    return count - tool->optional;
}

static void put_tool(nnc_buffer *out, const struct tool *tool) {
    nnc_buffer_byte(out, '{');
    put_pair(out, "name", tool->name);
    nnc_buffer_byte(out, ',');
    put_pair(out, "description", tool->help);
    nnc_buffer_text(out, ",\"inputSchema\":{\"type\":\"object\",\"properties\":{");
    for (int i = 0; i < OPERANDS_MAX && tool->operands[i] != NULL; i++) {
        nnc_put_json_text(out, tool->operands[i]);
        nnc_buffer_text(out, strcmp(tool->operands[i], "what") == 0
                                 ? ":{\"enum\":[\"devices\",\"models\",\"software\"]},"
                                 : ":{\"type\":\"string\"},");
    }
    if (command_of(tool) != NULL) {
        nnc_buffer_text(out,
                        "\"options\":{\"type\":\"object\",\"description\":\"Options of the command by name, such as "
                        "{\\\"devices\\\": 64, \\\"zero\\\": 3, \\\"tokens\\\": \\\"1T\\\"}; the tool " HELP_TOOL
                        " explains each\",\"properties\":{");
        put_options(out, tool);
        nnc_buffer_text(out, "},\"additionalProperties\":false},\"fields\":{\"type\":\"array\",\"items\":{"
                             "\"type\":\"string\"},\"description\":\"Members of the answer, such as "
                             "\\\"step.forward_s\\\" or \\\"memory\\\"; [\\\"all\\\"]: the whole answer. "
                             "Without: about 2 kB\"}");
    } else {
        out->size -= !out->failed; /* removes the comma after the last operand */
    }
    nnc_buffer_text(out, "},\"additionalProperties\":false,\"required\":[");
    for (int i = 0; i < required_of(tool); i++) {
        nnc_buffer_text(out, i > 0 ? "," : "");
        nnc_put_json_text(out, tool->operands[i]);
    }
    /* no tool writes a file, so a client need not ask the user before it calls a tool */
    nnc_buffer_text(out, "]},\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}");
}

/* ---- selecting parts of a JSON answer ----
 *
 * A whole estimate has 20 kB; 2 kB of it usually answer the question.
 *
 * A path such as "step.step_s" selects a member of the answer. In a list, a path selects the member of every element:
 * "best.step_s" is the step time of every plan in the list `best`. A path to an object or a list selects the whole
 * object or the whole list. Without paths, lists are cut and deeply nested objects are left out until the answer is
 * short. */

enum { SHORT_BYTES = 2000, PATH_BYTES = 256 };

/* The members of a JSON answer that a tool call selects. */
typedef struct choice {
    const char *const *paths; /* selected paths, NULL at the end; NULL = all members down to the level `depth` */
    bool *found;              /* for each path: true if the answer has a member with this path */
    int most, depth;          /* most: largest number of elements of a list in the selection; depth: largest depth of
                               * objects in the selection */
    int cut;                  /* number of elements of the longest list that was cut; 0 = no list was cut */
    nnc_buffer *out;
} choice;

typedef enum reach { REACH_NONE, REACH_BELOW, REACH_ALL } reach;

/* Returns REACH_ALL if the paths select the member with the path `at`, REACH_BELOW if they select only members inside
 * this member, REACH_NONE otherwise. If path number i of c->paths selects the member, sets c->found[i]. */
static reach reach_of(choice *c, const char *at) {
    const size_t length = strlen(at);
    reach found = c->paths == NULL || length == 0 ? REACH_BELOW : REACH_NONE;
    for (int i = 0; c->paths != NULL && c->paths[i] != NULL && length > 0; i++) {
        const size_t wanted = strlen(c->paths[i]);
        const bool same = strncmp(c->paths[i], at, wanted < length ? wanted : length) == 0;
        if (same && wanted <= length && (at[wanted] == '.' || at[wanted] == '\0')) {
            if (c->found != NULL) { c->found[i] = true; }
            return REACH_ALL;
        }
        if (same && wanted > length && c->paths[i][length] == '.') { found = REACH_BELOW; }
    }
    return found;
}

static bool is_container(nnc_json at) {
    return nnc_json_type_of(at) == NNC_JSON_OBJECT || nnc_json_type_of(at) == NNC_JSON_LIST;
}

static void put_value(choice *c, nnc_json at, const char *path, bool all, int depth);

static void put_object(choice *c, nnc_json at, const char *path, bool all, int depth) {
    bool more = false;
    nnc_buffer_byte(c->out, '{');
    for (nnc_json one = nnc_json_first(at); one.node != NULL; one = nnc_json_next(one)) {
        char below[PATH_BYTES];
        snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "", nnc_json_key(one));
        const reach kept = all ? REACH_ALL : reach_of(c, below);
        const bool leaf = !is_container(one);
        if (kept == REACH_NONE || (leaf && kept == REACH_BELOW && c->paths != NULL) || (!leaf && depth <= 1)) {
            continue;
        }
        nnc_buffer_text(c->out, more ? "," : "");
        nnc_put_json_text(c->out, nnc_json_key(one));
        nnc_buffer_byte(c->out, ':');
        put_value(c, one, below, kept == REACH_ALL, depth - 1);
        more = true;
    }
    nnc_buffer_byte(c->out, '}');
}

static void put_value(choice *c, nnc_json at, const char *path, bool all, int depth) {
    int count = 0;
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_OBJECT: put_object(c, at, path, all, depth); return;
    case NNC_JSON_LIST:
        nnc_buffer_byte(c->out, '[');
        for (nnc_json one = nnc_json_first(at); one.node != NULL && count < c->most;
             one = nnc_json_next(one), count++) {
            nnc_buffer_text(c->out, count > 0 ? "," : "");
            put_value(c, one, path, all, depth);
        }
        if (count < nnc_json_count(at) && c->cut < nnc_json_count(at)) { c->cut = nnc_json_count(at); }
        nnc_buffer_byte(c->out, ']');
        return;
    case NNC_JSON_TEXT: nnc_put_json_text(c->out, nnc_json_text(at)); return;
    case NNC_JSON_NUMBER: nnc_buffer_number(c->out, nnc_json_number(at)); return;
    case NNC_JSON_BOOL: nnc_buffer_text(c->out, nnc_json_bool(at) ? "true" : "false"); return;
    default: nnc_buffer_text(c->out, "null");
    }
}

/* Returns the index of the first path for which the answer has no member; -1 = the answer has a member for every
 * path. */
static int first_missing(const choice *c) {
    int i = 0;
    while (c->paths[i] != NULL && c->found[i]) { i++; }
    return c->paths[i] != NULL ? i : -1;
}

static nnc_status refuse_path(nnc_json root, const char *path, nnc_error *err) {
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    char head[PATH_BYTES];
    size_t count = 0;
    snprintf(head, sizeof head, "%.*s", (int)strcspn(path, "."), path);
    const nnc_json top = nnc_json_get(root, head);
    const nnc_json in = nnc_json_type_of(top) == NNC_JSON_OBJECT ? top : root;
    for (nnc_json one = nnc_json_first(in); one.node != NULL && count < NAMES_MAX; one = nnc_json_next(one)) {
        names[count++] = nnc_json_key(one);
    }
    const char *word = in.node == top.node && strchr(path, '.') != NULL ? strchr(path, '.') + 1 : path;
    const char *nearest = nnc_nearest(word, names, count);
    return nearest != NULL ? nnc_fail(err, NNC_BAD_USAGE, "fields",
                                      "no such member of the answer, did you mean \"%s%s%s\"?, found \"%.60s\"",
                                      in.node == top.node ? head : "", in.node == top.node ? "." : "", nearest, path)
                           : nnc_fail(err, NNC_BAD_USAGE, "fields",
                                      "no such member of the answer, expected a path such as "
                                      "\"step.step_s\", found \"%.60s\"",
                                      path);
}

/* Shortens an answer: cuts its lists, then leaves out deeply nested objects, until the answer has, if possible, at most
 * SHORT_BYTES bytes. If lists were cut, adds the members "lists_cut_to" and "longest_list" (the length of the longest
 * list). */
static void shorten(choice *c, nnc_json root) {
    static const struct {
        int most, depth;
    } cuts[] = { { 200, 9 }, { 20, 9 }, { 10, 9 }, { 5, 9 }, { 3, 3 }, { 2, 2 }, { 0, 2 }, { 0, 1 } };
    const size_t begin = c->out->size;
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        c->out->size = begin;
        c->most = cuts[i].most;
        c->depth = cuts[i].depth;
        c->cut = 0;
        put_value(c, root, "", false, c->depth);
        if (c->out->size - begin <= SHORT_BYTES) { break; }
    }
    if (c->cut > 0 && !c->out->failed) {
        c->out->size--; /* removes the closing brace of the JSON answer, so that a member can be appended */
        nnc_buffer_print(c->out, ",\"lists_cut_to\":%d,\"longest_list\":%d}", c->most, c->cut);
    }
}

/* Writes the members of an answer that the paths select; if `paths` is NULL, all members are selected. If `exact` is
 * true, lists are written in full, and a path for which the answer has no member is refused. If `exact` is false, the
 * answer is shortened. */
static nnc_status select_members(nnc_json root, const char *const *paths, bool exact, nnc_buffer *out, nnc_error *err) {
    bool found[FIELDS_MAX] = { false };
    choice c = { .paths = paths, .found = found, .most = INT32_MAX, .depth = 99, .out = out };
    if (!exact) {
        const size_t empty = out->size + strlen("{}"); /* size of the output if the paths select no member, so that the
                                                        * answer is "{}" */
        shorten(&c, root);
        if (paths != NULL && out->size == empty) {
            out->size = empty - strlen("{}");
            c.paths = NULL;
            shorten(&c, root);
        }
        return NNC_OK;
    }
    put_value(&c, root, "", false, c.depth);
    const int missing = first_missing(&c);
    return missing < 0 ? NNC_OK : refuse_path(root, paths[missing], err);
}

typedef struct words {
    char *list[WORDS_MAX + 1];
    int count;
    nnc_arena *arena;
    bool failed;
} words;

/* Joins three strings to one word, and appends the word to the command line of a tool call. */
static void add_word(words *w, const char *begin, const char *middle, const char *end) {
    const size_t size = strlen(begin) + strlen(middle) + strlen(end) + 1;
    char *word = w->count < WORDS_MAX ? nnc_arena_alloc(w->arena, size) : NULL;
    w->failed = w->failed || word == NULL;
    if (word != NULL) {
        snprintf(word, size, "%s%s%s", begin, middle, end);
        w->list[w->count++] = word;
        w->list[w->count] = NULL;
    }
}

/* Returns true if a comma-separated list of file names contains standard input, a pipe, or a name longer than any path.
 * Standard input is refused because it carries the messages of the server, and a pipe because reading it could wait
 * forever. */
static bool names_pipe(const char *list) {
    char name[PATH_MAX];
    for (bool more = true; more;) {
        const size_t length = strcspn(list, ",");
        if (length >= sizeof name) { /* a name with this many characters is longer than any path of a file */
            return true;
        }
        snprintf(name, sizeof name, "%.*s", (int)length, list);
        if (nnc_is_pipe(name)) { return true; }
        more = list[length] == ',';
        list += length + 1;
    }
    return false;
}

static bool is_option_name(const char *key) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t length = strlen(key);
    return length > 0 && length < NNC_OPTION_NAME && strspn(key, letters) == length;
}

/* Writes a number with all its digits; a whole number is written without an exponent. */
enum { DIGITS = 32 };
static const char *all_digits(double number, char text[DIGITS]) {
    const bool whole = fabs(number) < 0x1p53 && !(floor(number) < number);
    snprintf(text, DIGITS, whole ? "%.0f" : "%.15g", number);
    if (strtod(text, NULL) < number || strtod(text, NULL) > number) { snprintf(text, DIGITS, "%.17g", number); }
    return text;
}

/* Writes the elements of a list with commas between them, as commands read a list of values. Returns false if an
 * element is neither a number nor a text. */
static bool join_list(nnc_buffer *out, nnc_json list) {
    bool well = true;
    for (nnc_json one = nnc_json_first(list); one.node != NULL; one = nnc_json_next(one)) {
        char number[DIGITS];
        const bool is_number = nnc_json_type_of(one) == NNC_JSON_NUMBER,
                   is_text = nnc_json_type_of(one) == NNC_JSON_TEXT;
        well = well && (is_number || is_text);
        nnc_buffer_text(out, out->size > 0 ? "," : "");
        nnc_buffer_text(out, is_number ? all_digits(nnc_json_number(one), number) : is_text ? nnc_json_text(one) : "");
    }
    nnc_buffer_byte(out, '\0');
    return well && !out->failed;
}

/* Adds an option to the command line of a tool call: an option with a value in the form "--micro-batch=4", a switch in
 * the form "--timeline" or "--timeline=off". If the value is a list, adds the option once for each element; but if
 * `joined` is true, adds the option only once, with commas between the elements. Refuses a pipe as value. */
static void add_option(words *w, const char *key, nnc_json value, bool joined) {
    char name[NNC_OPTION_NAME + 3], number[DIGITS];
    const char *text = number;
    snprintf(name, sizeof name, "--%s", strncmp(key, "--", 2) == 0 ? key + 2 : key);
    for (char *c = name; *c != '\0'; c++) { *c = (char)(*c == '_' ? '-' : *c); }
    switch (nnc_json_type_of(value)) {
    case NNC_JSON_BOOL: add_word(w, name, nnc_json_bool(value) ? "" : "=off", ""); return;
    case NNC_JSON_NUMBER: all_digits(nnc_json_number(value), number); break;
    case NNC_JSON_TEXT: text = nnc_json_text(value); break;
    case NNC_JSON_LIST:
        if (joined) {
            nnc_buffer list = { 0 };
            w->failed = !join_list(&list, value) || names_pipe(list.bytes) || w->failed;
            if (!w->failed) { add_word(w, name, "=", list.bytes); }
            nnc_buffer_free(&list);
            return;
        }
        for (nnc_json one = nnc_json_first(value); one.node != NULL; one = nnc_json_next(one)) {
            add_option(w, key, one, false);
        }
        return;
    default: w->failed = true; return;
    }
    w->failed = w->failed || names_pipe(text);
    add_word(w, name, "=", text);
}

/* Tests whether a key of a tool call is an option of the command that needs a value. */
static bool takes_value(const nnc_command *command, const char *key) {
    nnc_option_text option;
    char typed[NNC_OPTION_NAME], name[NNC_OPTION_NAME];
    key_of(key, typed);
    for (int i = 0; command != NULL && nnc_option_at(command->takes, i, &option); i++) {
        key_of(option.name, name);
        if (strcmp(name, typed) == 0) { return option.field->type != NNC_FIELD_BOOL; }
    }
    return false;
}

static nnc_status add_options(words *w, const nnc_command *command, nnc_json options, nnc_error *err) {
    if (nnc_json_type_of(options) != NNC_JSON_OBJECT && nnc_json_type_of(options) != NNC_JSON_ABSENT) {
        return nnc_fail(err, NNC_BAD_USAGE, "options",
                        "wrong type, expected an object such as {\"devices\": 8, \"zero\": 3}");
    }
    for (nnc_json one = nnc_json_first(options); one.node != NULL; one = nnc_json_next(one)) {
        const char *key = nnc_json_key(one);
        if (!is_option_name(key) || strcmp(key, "format") == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, "options", "tools do not have this option, found \"%.60s\"", key);
        }
        if (nnc_json_type_of(one) == NNC_JSON_BOOL && takes_value(command, key)) {
            return nnc_fail(err, NNC_BAD_USAGE, key, "expected a value, found %s",
                            nnc_json_bool(one) ? "true" : "false");
        }
        add_option(w, key, one, command != NULL && takes_lists(command) && strcmp(key, "set") != 0);
        if (w->failed) {
            return nnc_fail(err, NNC_BAD_USAGE, key,
                            "expected a number, a text, true, false or a list of these values; a text cannot be the "
                            "path of a pipe");
        }
    }
    return NNC_OK;
}

/* Tests whether an object has at least one member whose name is in the list `names`. The list ends with NULL or after
 * OPERANDS_MAX - 1 names. */
static bool has_any(nnc_json object, const char *const *names) {
    bool found = false;
    for (int i = 0; i < OPERANDS_MAX - 1 && names[i] != NULL; i++) {
        found = found || nnc_json_type_of(nnc_json_get(object, names[i])) != NNC_JSON_ABSENT;
    }
    return found;
}

/* Checks the arguments of a tool call. Each member must be an operand of the tool, "options" or "fields". If a member
 * of the arguments is the name of an option, the error says that the option belongs inside "options". */
static nnc_status check_arguments(const struct tool *tool, nnc_json arguments, nnc_error *err) {
    for (nnc_json one = nnc_json_first(arguments); one.node != NULL; one = nnc_json_next(one)) {
        const char *key = nnc_json_key(one), *known[2 + OPERANDS_MAX + OPTIONS_MAX];
        char names[OPTIONS_MAX][NNC_OPTION_NAME];
        size_t count = 0;
        if (command_of(tool) != NULL) {
            known[count++] = "options";
            known[count++] = "fields";
        }
        for (int i = 0; i < OPERANDS_MAX && tool->operands[i] != NULL; i++) { known[count++] = tool->operands[i]; }
        bool is_known = false;
        for (size_t i = 0; i < count; i++) { is_known = is_known || strcmp(known[i], key) == 0; }
        if (is_known) { continue; }
        const nnc_command *command = command_of(tool);
        const size_t operands = count;
        nnc_option_text option;
        for (int i = 0; command != NULL && count < sizeof known / sizeof *known - 1 &&
                        nnc_option_at(command->takes, i, &option) && i < OPTIONS_MAX;
             i++) {
            key_of(option.name, names[i]);
            known[count++] = names[i];
        }
        char typed[NNC_OPTION_NAME];
        key_of(key, typed);
        const char *nearest = nnc_nearest(typed, known, count);
        bool is_option = false;
        for (int i = 0; command != NULL && i < nnc_option_alias_count; i++) { /* the key may be an option name of
                                                                               * another program, such as Megatron-LM */
            char alias[NNC_OPTION_NAME];
            key_of(nnc_option_aliases[i].name, alias);
            if (strcmp(alias, typed) == 0) {
                nearest = typed;
                is_option = true;
            }
        }
        for (size_t i = operands; i < count; i++) { is_option = is_option || known[i] == nearest; }
        return nearest == NULL ? nnc_fail(err, NNC_BAD_USAGE, "arguments",
                                          "unknown member, expected a member that tools/list "
                                          "describes, found \"%.60s\"",
                                          key)
               : is_option
                   ? nnc_fail(err, NNC_BAD_USAGE, "arguments",
                              "unknown member, expected \"%s\" inside \"options\", found \"%.60s\"", nearest, key)
                   : nnc_fail(err, NNC_BAD_USAGE, "arguments", "unknown member, did you mean \"%s\"?, found \"%.60s\"",
                              nearest, key);
    }
    return NNC_OK;
}

/* Checks the member "params" of a tool call, which may contain "name", "arguments" and "_meta". */
static nnc_status check_params(nnc_json params, nnc_error *err) {
    static const char *const known[] = { "name", "arguments", "_meta" };
    for (nnc_json one = nnc_json_first(params); one.node != NULL; one = nnc_json_next(one)) {
        const char *key = nnc_json_key(one);
        if (strcmp(key, known[0]) != 0 && strcmp(key, known[1]) != 0 && strcmp(key, known[2]) != 0) {
            const char *nearest = nnc_nearest(key, known, 2);
            return nnc_fail(err, NNC_BAD_USAGE, "params", "unknown member, expected \"%s\", found \"%.60s\"",
                            nearest != NULL ? nearest : "arguments", key);
        }
    }
    return NNC_OK;
}

/* Reads the list "fields" of a tool call, whose strings are paths. *all: true if one string is "all", which selects the
 * whole answer. */
static nnc_status read_fields(nnc_json fields, const char *paths[FIELDS_MAX + 1], bool *all, nnc_error *err) {
    int count = 0;
    const nnc_json_type type = nnc_json_type_of(fields);
    *all = false;
    if (type != NNC_JSON_LIST && type != NNC_JSON_ABSENT) {
        return nnc_fail(err, NNC_BAD_USAGE, "fields", "wrong type, expected a list of texts such as [\"step.step_s\"]");
    }
    for (nnc_json one = nnc_json_first(fields); one.node != NULL; one = nnc_json_next(one)) {
        if (nnc_json_type_of(one) != NNC_JSON_TEXT || count == FIELDS_MAX) {
            return nnc_fail(err, NNC_BAD_USAGE, "fields", "expected at most %d texts", (int)FIELDS_MAX);
        }
        paths[count++] = nnc_json_text(one);
        *all = *all || strcmp(paths[count - 1], "all") == 0;
    }
    paths[count] = NULL;
    return NNC_OK;
}

/* Splits a text at its blanks, in place, into a list of paths that ends with NULL. text NULL: an empty list. */
static void split_fields(char *text, const char *paths[FIELDS_MAX + 1]) {
    int count = 0;
    while (text != NULL && count < FIELDS_MAX) {
        char *end = strchr(text, ' ');
        if (end != NULL) { *end++ = '\0'; }
        paths[count++] = text;
        text = end;
    }
    paths[count] = NULL;
}

/* Reduces a JSON answer to the fields that the call selects. If the call selects no fields, reduces the answer to the
 * fields in the row of the tool. "all" selects the whole answer. Rows of a sweep are not reduced; a call that selects
 * fields of these rows gets an error. */
static nnc_status keep_fields(const struct tool *tool, nnc_json fields, nnc_arena *arena, nnc_buffer *answer,
                              nnc_error *err) {
    const char *paths[FIELDS_MAX + 1] = { NULL };
    bool all = false;
    nnc_error why = { 0 };
    nnc_faults faults = { .name = "answer", .err = &why };
    NNC_TRY(read_fields(fields, paths, &all, err));
    const bool exact = paths[0] != NULL;
    nnc_buffer_byte(answer, '\0');
    if (all || answer->failed || answer->bytes == NULL) { return NNC_OK; }
    nnc_json_doc doc = { .faults = &faults, .arena = arena, .text = answer->bytes, .size = answer->size - 1 };
    nnc_buffer chosen = { 0 };
    nnc_status status = NNC_OK;
    if (nnc_json_parse(&doc) && nnc_json_type_of(nnc_json_root(&doc)) == NNC_JSON_OBJECT) {
        if (!exact && tool->fields != NULL) { split_fields(nnc_arena_strdup(arena, tool->fields), paths); }
        status = select_members(nnc_json_root(&doc), paths[0] != NULL ? paths : NULL, exact, &chosen, err);
        nnc_buffer_byte(&chosen, '\0');
        nnc_buffer_free(answer);
        *answer = chosen;
    } else if (exact) {
        status =
            nnc_fail(err, NNC_BAD_USAGE, "fields", "the answer of this tool is a list of lines, which have no fields");
    }
    nnc_json_free(&doc);
    return status;
}

static const nnc_command *command_named(const char *name, nnc_error *err) {
    enum { COMMANDS_MAX = 64 };
    const char *names[COMMANDS_MAX];
    size_t count = 0;
    const nnc_command *command = NULL;
    for (int i = 0; count < COMMANDS_MAX && (command = nnc_command_at(i)) != NULL; i++) {
        if (strcmp(command->name, name) == 0) { return command; }
        names[count++] = command->name;
    }
    const char *nearest = nnc_nearest(name, names, count);
    nnc_fail(err, NNC_BAD_USAGE, "command", "unknown command, expected one such as \"%s\", found \"%.60s\"",
             nearest != NULL ? nearest : "estimate", name);
    return NULL;
}

/* Writes the help of a command, or of one of its options. */
static nnc_status put_help(nnc_json arguments, nnc_buffer *answer, nnc_error *err) {
    const char *name = nnc_json_text_in(arguments, "command"), *asked = nnc_json_text_in(arguments, "option");
    char key[NNC_OPTION_NAME], typed[NNC_OPTION_NAME], names[OPTIONS_MAX][NNC_OPTION_NAME];
    const char *known[OPTIONS_MAX];
    size_t count = 0;
    nnc_option_text option;
    if (name == NULL) { return nnc_fail(err, NNC_BAD_USAGE, "command", "missing, expected text"); }
    const nnc_command *command = command_named(name, err);
    if (command == NULL) { return NNC_BAD_USAGE; }
    if (asked == NULL) {
        nnc_help_command(answer, (nnc_style){ .format = &nnc_format_table, .width = 100 }, command, NNC_HELP_USUAL);
        nnc_buffer_byte(answer, '\0');
        return NNC_OK;
    }
    key_of(asked, typed);
    for (int i = 0; count < OPTIONS_MAX && nnc_option_at(command->takes, i, &option); i++) {
        key_of(option.name, key);
        if (strcmp(key, typed) == 0) {
            nnc_buffer_print(answer, "%s%s: %s\n", option.name, option.argument, option.help);
            nnc_buffer_byte(answer, '\0');
            return NNC_OK;
        }
        memcpy(names[count], key, sizeof key);
        known[count] = names[count];
        count++;
    }
    const char *nearest = nnc_nearest(typed, known, count);
    return nnc_fail(err, NNC_BAD_USAGE, "option",
                    "no such option of this command, did you mean \"%s\"?, found \"%.60s\"",
                    nearest != NULL ? nearest : "devices", asked);
}

static nnc_status call(nnc_json params, nnc_arena *arena, nnc_buffer *answer, nnc_error *err) {
    const char *name = nnc_json_text_in(params, "name");
    const nnc_json arguments = nnc_json_get(params, "arguments");
    const struct tool *tool = NULL;
    words w = { .arena = arena };
    for (int i = 0; i < TOOL_COUNT && name != NULL; i++) { tool = strcmp(tools[i].name, name) == 0 ? &tools[i] : tool; }
    if (tool == NULL) {
        const char *names[TOOL_COUNT];
        for (int i = 0; i < TOOL_COUNT; i++) { names[i] = tools[i].name; }
        const char *nearest = name != NULL ? nnc_nearest(name, names, TOOL_COUNT) : NULL;
        return nearest == NULL ? nnc_fail(err, NNC_BAD_USAGE, "name", "no such tool, see tools/list")
                               : nnc_fail(err, NNC_BAD_USAGE, "name", "no such tool, did you mean \"%s\"?", nearest);
    }
    NNC_TRY(check_params(params, err));
    if (nnc_json_type_of(arguments) != NNC_JSON_OBJECT && nnc_json_type_of(arguments) != NNC_JSON_ABSENT) {
        return nnc_fail(err, NNC_BAD_USAGE, "arguments", "wrong type, expected an object");
    }
    NNC_TRY(check_arguments(tool, arguments, err));
    if (command_of(tool) == NULL) { return put_help(arguments, answer, err); }
    add_word(&w, "nncost", "", "");
    add_word(&w, tool->name, "", "");
    add_word(&w, "--no-defaults", "", "");
    add_word(&w, "--format=json", "", "");
    NNC_TRY(add_options(&w, command_of(tool), nnc_json_get(arguments, "options"), err));
    const nnc_json own = nnc_json_get(arguments, "options");
    if (tool->usual != NULL && nnc_json_type_of(nnc_json_get(own, tool->usual_key)) == NNC_JSON_ABSENT) {
        add_word(&w, tool->usual, "", "");
    }
    add_word(&w, "--", "", "");
    for (int i = 0; i < OPERANDS_MAX && tool->operands[i] != NULL; i++) {
        const char *operand = nnc_json_text_in(arguments, tool->operands[i]);
        if (i == required_of(tool) && !has_any(arguments, &tool->operands[i])) { break; }
        if (operand == NULL) { return nnc_fail(err, NNC_BAD_USAGE, tool->operands[i], "missing, expected text"); }
        if (names_pipe(operand)) {
            return nnc_fail(err, NNC_BAD_USAGE, tool->operands[i],
                            "cannot be standard input or a pipe, because standard input contains the messages to the "
                            "server");
        }
        add_word(&w, operand, "", "");
    }
    if (w.failed) { return nnc_fail(err, NNC_BAD_USAGE, "options", "too many"); }
    NNC_TRY(nnc_command_call(w.count, w.list, answer, err));
    return keep_fields(tool, nnc_json_get(arguments, "fields"), arena, answer, err);
}

static void put_content(nnc_buffer *out, nnc_json params, nnc_arena *arena) {
    nnc_buffer answer = { 0 };
    nnc_error err = { 0 };
    const nnc_status status = call(params, arena, &answer, &err);
    nnc_buffer_text(out, "\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
    if (status == NNC_OK) {
        nnc_put_json_text(out, answer.bytes != NULL ? answer.bytes : "");
    } else {
        char text[sizeof err.where + sizeof err.what + 4];
        nnc_error shown;
        /* nnc_fail replaces control characters in the error message */
        nnc_fail(&shown, status, err.where, "%s", err.what);
        snprintf(text, sizeof text, "%s: %s", shown.where, shown.what);
        nnc_put_json_text(out, text);
    }
    nnc_buffer_print(out, "}],\"isError\":%s}", status == NNC_OK ? "false" : "true");
    nnc_buffer_free(&answer);
}

/* ---- MCP resources: the help text of each command ---- */

#define HELP "nncost://help/"

static void put_resources(nnc_buffer *out) {
    const nnc_command *command = NULL;
    nnc_buffer_text(out, "\"result\":{\"resources\":[");
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        nnc_buffer_text(out, i > 0 ? ",{\"uri\":\"" HELP : "{\"uri\":\"" HELP);
        nnc_buffer_print(out, "%s\",\"mimeType\":\"text/plain\",", command->name);
        put_pair(out, "name", command->name);
        nnc_buffer_byte(out, ',');
        put_pair(out, "description", command->summary);
        nnc_buffer_byte(out, '}');
    }
    nnc_buffer_text(out, "]}");
}

static void put_fault(nnc_buffer *out, int code, const char *message);

static void put_resource(nnc_buffer *out, nnc_json params) {
    const char *uri = nnc_json_text_in(params, "uri");
    const bool ours = uri != NULL && strncmp(uri, HELP, strlen(HELP)) == 0;
    const nnc_command *command = ours ? command_of(&(struct tool){ .name = uri + strlen(HELP) }) : NULL;
    nnc_buffer text = { 0 };
    if (command == NULL) {
        put_fault(out, -32002, "no such resource, see resources/list");
        return;
    }
    nnc_help_command(&text, (nnc_style){ .format = &nnc_format_table, .width = 100 }, command, NNC_HELP_ALL);
    nnc_buffer_byte(&text, '\0');
    nnc_buffer_text(out, "\"result\":{\"contents\":[{");
    put_pair(out, "uri", uri);
    nnc_buffer_text(out, ",\"mimeType\":\"text/plain\",");
    put_pair(out, "text", text.bytes != NULL ? text.bytes : "");
    nnc_buffer_text(out, "}]}");
    nnc_buffer_free(&text);
}

void nnc_mcp_put_id(nnc_buffer *out, nnc_json id) {
    if (nnc_json_type_of(id) == NNC_JSON_TEXT) {
        nnc_put_json_text(out, nnc_json_text(id));
    } else if (nnc_json_type_of(id) == NNC_JSON_NUMBER) {
        char number[DIGITS];
        nnc_buffer_text(out, all_digits(nnc_json_number(id), number));
    } else {
        nnc_buffer_text(out, "null");
    }
}

/* Tests whether the answer to a call can contain the id of the call unchanged: the id must be a string, or a number
 * that a double represents exactly. */
static bool is_id(nnc_json id) {
    return nnc_json_type_of(id) == NNC_JSON_TEXT ||
           (nnc_json_type_of(id) == NNC_JSON_NUMBER && fabs(nnc_json_number(id)) < 0x1p53);
}

static void put_head(nnc_buffer *out, nnc_json id) {
    nnc_buffer_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (is_id(id)) {
        nnc_mcp_put_id(out, id);
    } else {
        nnc_buffer_text(out, "null");
    }
    nnc_buffer_byte(out, ',');
}

static void put_fault(nnc_buffer *out, int code, const char *message) {
    nnc_buffer_print(out, "\"error\":{\"code\":%d,", code);
    put_pair(out, "message", message);
    nnc_buffer_text(out, "}");
}

static const char instructions[] =
    "nncost predicts time, memory and cost of training steps and of serving, without a GPU. model: an id, a name of "
    "the Hugging Face hub or the path of a config.json; device: a common name such as h100. Options go into "
    "\"options\", as in {\"devices\": 8, \"zero\": 3}; advice in answers names options as on a command line: "
    "--micro-batch 4 is {\"micro_batch\": 4}. The tool \"help\" explains a command or an option; \"list\" finds "
    "ids. An answer is about 2 kB; \"fields\" selects the members of the answer. _s is seconds, _bytes bytes, "
    "interval_s the 90 % range.";

static void reply(nnc_buffer *out, nnc_json root, nnc_arena *arena) {
    const char *method = nnc_json_text_in(root, "method");
    const nnc_json params = nnc_json_get(root, "params");
    put_head(out, nnc_json_get(root, "id"));
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        put_fault(out, -32600, "expected one request (a JSON object)");
    } else if (!is_id(nnc_json_get(root, "id"))) {
        put_fault(out, -32600, "id: expected a text or a number below 2^53");
    } else if (method == NULL) {
        put_fault(out, -32600, "expected a method");
    } else if (strcmp(method, "initialize") == 0) {
        nnc_buffer_text(out, "\"result\":{\"protocolVersion\":\"" PROTOCOL
                             "\",\"capabilities\":{\"tools\":{},\"resources\":{}},\"serverInfo\":{"
                             "\"name\":\"nncost\",");
        put_pair(out, "version", nnc_version());
        nnc_buffer_text(out, "},");
        put_pair(out, "instructions", instructions);
        nnc_buffer_byte(out, '}');
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
    } else if (strcmp(method, "resources/list") == 0) {
        put_resources(out);
    } else if (strcmp(method, "resources/read") == 0) {
        put_resource(out, params);
    } else {
        put_fault(out, -32601, "no such method");
    }
    nnc_buffer_text(out, "}\n");
}

/* Tests whether a message needs an answer. Notifications need no answer. Messages that are themselves answers need no
 * answer, because this server sends no requests. */
static bool wants_answer(nnc_json root) {
    return nnc_json_type_of(root) != NNC_JSON_OBJECT || nnc_json_get(root, "id").node != NULL ||
           nnc_json_get(root, "method").node == NULL;
}

nnc_status nnc_mcp_answer(const char *line, size_t size, nnc_buffer *out, nnc_error *err) {
    nnc_arena *arena = nnc_arena_create();
    nnc_error why = { 0 };
    nnc_faults faults = { .name = "message", .err = &why };
    nnc_json_doc doc = { .faults = &faults, .arena = arena, .text = line, .size = size };
    NNC_GOT(arena, err);
    if (!nnc_json_parse(&doc)) {
        nnc_buffer_text(out, "{\"jsonrpc\":\"2.0\",\"id\":null,");
        put_fault(out, -32700, why.what);
        nnc_buffer_text(out, "}\n");
    } else if (wants_answer(nnc_json_root(&doc))) {
        reply(out, nnc_json_root(&doc), arena);
    }
    nnc_json_free(&doc);
    nnc_arena_destroy(arena);
    return out->failed ? nnc_no_memory(err) : NNC_OK;
}

const nnc_command nnc_cmd_mcp = {
    .name = "mcp",
    .operands = "",
    .summary = "A server of the Model Context Protocol for AI assistants, on standard input and output.",
    .notes = "Tools: estimate, advise, fit, compare, search, scale, limit, run, serve, budget, ops, op, explain, "
             "check, diff, trace, watch, accuracy, list, show and validate, with the operands and options of the "
             "commands, and help. An answer is about 2 kB of the JSON output; \"fields\" selects the members of the "
             "answer, and [\"all\"] selects the whole output. The resources are the help texts of the commands. "
             "Each line is one JSON-RPC message. The server ends when standard input ends. Each call runs in a "
             "separate process, within the limits --deadline and --memory, and stops when the client cancels the "
             "call. A call reads only regular files below --root and the program's data.",
    .takes = NNC_TAKES_HELP | NNC_TAKES_MCP,
    .run = NNC_WITH_PROCESSES(nnc_mcp_serve),
};
