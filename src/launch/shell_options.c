/* Writes the options of a command of a shell script as JSON, and computes the whole-number arithmetic of the shell.
 *
 *     vllm serve NAME --tp 2 --enforce-eager   ->   { ".program": "vllm", "--tp": 2, "--enforce-eager": true }
 *
 * shell.c finds the commands, shell_words.c expands their words. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "launch/launch_internal.h"

/* ---- whole-number arithmetic of the shell: $((..)) ---- */

typedef struct sum {
    nnc_shell *s;
    double stack[16];
    int depth;
} sum;

static bool push(sum *of, double number) {
    const bool fits = of->depth < (int)(sizeof of->stack / sizeof *of->stack);
    if (fits) { of->stack[of->depth++] = number; }
    return fits;
}

static size_t sum_number(void *context, const char *at) {
    char *end = NULL;
    const long number = strtol(at, &end, 10);
    return push(context, (double)number) ? (size_t)(end - at) : 0;
}

static bool sum_name(void *context, const char *name, size_t length) {
    sum *of = context;
    const nnc_shell_var *v = nnc_shell_variable(of->s, name, length);
    double number = 0.0;
    return v != NULL && !v->is_unknown && nnc_read_double(nnc_script_cells_text(of->s, v->value, v->count), &number) &&
           push(of, number);
}

/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): one case after the other */
static bool sum_operate(void *context, nnc_operator of) {
    sum *to = context;
    if (of == NNC_OPERATOR_NEGATE) {
        to->stack[to->depth - 1] = -to->stack[to->depth - 1];
        return true;
    }
    const double b = to->stack[--to->depth], a = to->stack[to->depth - 1];
    const bool divides = of == NNC_OPERATOR_DIVIDE || of == NNC_OPERATOR_REMAINDER;
    if (divides && !(b > 0.0 || b < 0.0)) { return false; }
    const double quotient = divides ? (double)(int64_t)(a / b) : 0.0;
    to->stack[to->depth - 1] = of == NNC_OPERATOR_ADD         ? a + b
                               : of == NNC_OPERATOR_SUBTRACT  ? a - b
                               : of == NNC_OPERATOR_MULTIPLY  ? a * b
                               : of == NNC_OPERATOR_DIVIDE    ? quotient
                               : of == NNC_OPERATOR_REMAINDER ? a - quotient * b
                               : of == NNC_OPERATOR_LESS      ? a < b
                               : of == NNC_OPERATOR_MORE      ? a > b
                               : of == NNC_OPERATOR_AT_LEAST  ? a >= b
                               : of == NNC_OPERATOR_AT_MOST   ? a <= b
                               : of == NNC_OPERATOR_EQUAL     ? !(a < b || a > b)
                                                              : (a < b || a > b);
    return to->stack[to->depth - 1] < 1e15 && to->stack[to->depth - 1] > -1e15;
}

static void sum_refuse(void *context, const char *expected, const char *at) { (void)context, (void)expected, (void)at; }

/* Finds the operator of a choice "a ? b : c" in an expression. sign '?': the first '?' outside brackets; sign ':': the
 * ':' that belongs to the '?' before `at`. NULL: the expression has no such character. */
static const char *find_choice(const char *at, char sign) {
    int brackets = 0, choices = 0;
    for (; *at != '\0'; at++) {
        brackets += (*at == '(') - (*at == ')');
        if (brackets == 0 && choices == 0 && *at == sign) { return at; }
        choices += brackets == 0 ? (*at == '?') - (*at == ':') : 0;
    }
    return NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion): each part is shorter */
bool nnc_shell_calculate(nnc_shell *s, const char *text, double *result) {
    const char *ask = find_choice(text, '?');
    const char *other = ask != NULL ? find_choice(ask + 1, ':') : NULL;
    char part[256];
    if (other != NULL && strlen(text) < sizeof part) {
        double holds = 0.0;
        snprintf(part, sizeof part, "%.*s", (int)(ask - text), text);
        if (!nnc_shell_calculate(s, part, &holds)) { return false; }
        snprintf(part, sizeof part, "%.*s", (int)(other - ask - 1), ask + 1);
        return nnc_shell_calculate(s, holds > 0.0 || holds < 0.0 ? part : other + 1, result);
    }
    static const nnc_expression_reader grammar = {
        .operators = NNC_OPERATORS_ALL & ~(1 << NNC_OPERATOR_AND | 1 << NNC_OPERATOR_OR | 1 << NNC_OPERATOR_NOT),
        .nesting_max = 8,
        .name_marks = "_",
        .number = sum_number,
        .name = sum_name,
        .operate = sum_operate,
        .refuse = sum_refuse
    };
    sum of = { .s = s };
    const bool done = nnc_expression_read(&grammar, text, &of) && of.depth == 1;
    *result = done ? of.stack[0] : 0.0;
    return done;
}

bool nnc_put_object(nnc_buffer *out, const char *text) {
    nnc_json_scan_fault fault;
    if (text[strspn(text, " \n")] != '{' || !nnc_json_scan(text, strlen(text), NNC_SCAN_VALUES_RECORDED, &fault)) {
        return false;
    }
    for (; *text != '\0'; text++) { nnc_buffer_byte(out, (char)(*text == '\n' || *text == '\r' ? ' ' : *text)); }
    return true;
}

/* Writes the value of an option as JSON. Quotes around a value stay in it if the script joins words in a variable and
 * starts them by bash -c or eval, which removes these quotes. */
static void put_option(nnc_buffer *out, const char *text) {
    double number = 0.0;
    char inner[1024];
    const size_t length = strlen(text);
    const bool is_quoted = length >= 2 && strchr("'\"", text[0]) != NULL && text[length - 1] == text[0];
    if (is_quoted && length < sizeof inner) {
        snprintf(inner, sizeof inner, "%.*s", (int)length - 2, text + 1);
        text = inner;
    }
    if (nnc_read_double(text, &number)) {
        nnc_buffer_number(out, number);
    } else if (!nnc_put_object(out, text)) {
        nnc_put_json_text(out, text);
    }
}

/* ---- options of a command as JSON ---- */

const char *nnc_name_in_folder(const char *text) {
    const char *end = strrchr(text, '}');
    const bool is_path = strncmp(text, "${", 2) == 0 && strncmp(text, "${branch", 8) != 0 && end != NULL &&
                         end[1] == '/' && end[2] != '\0';
    return is_path ? end + 2 : text;
}

const char *nnc_shell_base_name(const char *text) {
    const char *slash = strrchr(text, '/');
    return slash != NULL ? slash + 1 : text;
}

bool nnc_shell_is_vllm_image(const char *text) { return strncmp(nnc_shell_base_name(text), "vllm-openai", 11) == 0; }

/* An option of a command, and its values: the words between this option and the next one. */
typedef struct flag {
    const char *name;
    /* value that is joined to the option, as in "--name=value"; NULL = the option has no such value */
    const char *joined;
    int32_t first, count, line;
} flag;

static void put_flag(nnc_buffer *out, const flag *f, const nnc_script_words *w) {
    nnc_put_json_text(out, f->name);
    nnc_buffer_byte(out, ':');
    if (f->joined != NULL) {
        put_option(out, f->joined);
    } else if (f->count == 0) {
        nnc_buffer_text(out, "true");
    } else if (f->count == 1) {
        put_option(out, w->items[f->first].text);
    } else {
        for (int32_t i = 0; i < f->count; i++) {
            nnc_buffer_byte(out, i == 0 ? '[' : ',');
            put_option(out, w->items[f->first + i].text);
        }
        nnc_buffer_byte(out, ']');
    }
}

/* Tests whether a word is nothing but one value that is not known, such as "${EXTRA_ARGS}". */
static bool is_unset(const char *text) {
    const char *end = strncmp(text, "${", 2) == 0 ? strchr(text, '}') : NULL;
    return end != NULL && end[1] == '\0';
}

/* Tests whether a word that is not known may stand for options of its own: all arguments of the script, or a variable
 * whose name says that it has options, such as "${EXTRA_ARGS}". */
static bool stands_for_options(const char *text) {
    static const char *const names[] = { "arg", "args", "flag", "flags", "opts", "option", "options", "extra" };
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "}"), text + 2);
    for (char *c = name; *c != '\0'; c++) { *c = (char)tolower((unsigned char)*c); }
    const char *last = strrchr(name, '_');
    last = last != NULL ? last + 1 : name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(last, names[i]) == 0) { return true; }
    }
    return strcmp(text, NNC_SHELL_ARGUMENTS) == 0;
}

/* Tests whether the words from index `at` up to the next option are not known, so that they may stand for more options
 * and do not belong to the option before them. is_first: the word is the first one after an option, which is usually
 * its value. */
static bool is_loose(const nnc_script_words *w, int32_t at, int32_t end, bool is_first) {
    if (!is_unset(w->items[at].text) || (is_first && !stands_for_options(w->items[at].text))) { return false; }
    for (at++; at < end && !nnc_shell_is_option(w->items[at].text); at++) {
        if (!is_unset(w->items[at].text)) { return false; }
    }
    return true;
}

/* Reads the option at index `at` of the words, and its values, into *f. Returns the index of the word after the
 * values. */
static int32_t read_flag(nnc_shell_commands *s, const nnc_script_words *w, int32_t at, int32_t end, flag *f) {
    const char *text = w->items[at].text + strspn(w->items[at].text, "-");
    const char *equals = strchr(text, '=');
    *f = (flag){ .first = at + 1, .line = w->items[at].line };
    char *name = nnc_arena_strdup(s->arena, text);
    if (name == NULL) {
        s->status = nnc_no_memory(s->err);
        name = "";
    } else if (equals != NULL) {
        name[equals - text] = '\0';
        f->joined = equals + 1;
    }
    f->name = name;
    for (at++; at < end && !nnc_shell_is_option(w->items[at].text) &&
               !is_loose(w, at, end, f->count == 0 && f->joined == NULL);
         at++) {
        f->count++;
    }
    return at;
}

static int compare_lines(const void *a, const void *b) {
    const flag *x = a, *y = b;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->first < y->first ? -1 : 1;
}

const char *nnc_shell_engine(const char *word) {
    static const char *const engines[] = { "vllm",
                                           "trtllm-serve",
                                           "sglang",
                                           "sglang.launch_server",
                                           "atom.entrypoints.openai_server",
                                           "swift",
                                           "vllm.entrypoints.openai.api_server" };
    const char *name = nnc_shell_is_vllm_image(word) ? "vllm" : nnc_shell_base_name(word);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (strcmp(engines[i], name) == 0) { return engines[i]; }
    }
    return NULL;
}

int32_t nnc_shell_model_at(const nnc_script_words *w, int32_t program) {
    int32_t at = program + 1;
    while (at < w->count && strcmp(w->items[at].text, "serve") == 0) { at++; }
    return at < w->count && !nnc_shell_is_option(w->items[at].text) &&
                   strcmp(w->items[at].text, NNC_SHELL_ARGUMENTS) != 0
               ? at
               : -1;
}

const char *nnc_shell_options(nnc_shell_commands *s, const nnc_script_words *w, int32_t from, int32_t end,
                              const char *program) {
    nnc_buffer out = { 0 };
    int32_t count = 0, line = 1;
    flag *flags = nnc_arena_array(s->arena, (size_t)(end - from) + 1, sizeof *flags);
    const bool is_program = program != NULL && from > 0;
    const int32_t model =
        is_program && nnc_shell_engine(w->items[from - 1].text) != NULL ? nnc_shell_model_at(w, from - 1) : -1;
    for (int32_t i = from; flags != NULL && i < end;) {
        const char *text = w->items[i].text;
        if (nnc_shell_is_option(text)) {
            i = read_flag(s, w, i, end, &flags[count]);
        } else if (i != model && is_unset(text) && (is_program || stands_for_options(text))) {
            flags[count] = (flag){ .name = text, .first = i + 1, .line = w->items[i].line };
            i++;
        } else {
            i++;
            continue;
        }
        int32_t same = 0;
        while (strcmp(flags[same].name, flags[count].name) != 0) { same++; }
        flags[same] = flags[count];
        count += same == count;
    }
    if (flags == NULL) {
        s->status = nnc_no_memory(s->err);
        return "{}";
    }
    qsort(flags, (size_t)count, sizeof *flags, compare_lines);
    nnc_buffer_byte(&out, '{');
    if (program != NULL) {
        nnc_buffer_text(&out, "\".program\":");
        nnc_put_json_text(&out, program);
    }
    for (int32_t i = 0; i < count; i++) {
        nnc_buffer_text(&out, i > 0 || program != NULL ? "," : "");
        for (; line < flags[i].line; line++) { nnc_buffer_byte(&out, '\n'); }
        put_flag(&out, &flags[i], w);
    }
    nnc_buffer_byte(&out, '}');
    nnc_buffer_byte(&out, '\0');
    const char *json = out.failed ? NULL : nnc_arena_strdup(s->arena, out.bytes);
    nnc_buffer_free(&out);
    if (json == NULL) { s->status = nnc_no_memory(s->err); }
    return json != NULL ? json : "{}";
}

/* ---- stores the commands of a script ---- */

/* ms-swift starts its processes itself: turns the variables NPROC_PER_NODE and NNODES, or CUDA_VISIBLE_DEVICES with one
 * device, into the options of torchrun that the last command of the script stands for. */
static void keep_environment(nnc_shell *s, nnc_shell_command *last) {
    static const char *const names[][2] = { { "NPROC_PER_NODE", "--nproc_per_node" }, { "NNODES", "--nnodes" } };
    static const char visible[] = "CUDA_VISIBLE_DEVICES";
    nnc_script_word words[4];
    nnc_script_words own = { .items = words };
    if (strncmp(last->options, "{\"swift\":", 9) != 0 || last->launcher != NULL) { return; }
    for (size_t i = 0; i < NNC_COUNT_OF(names); i++) {
        const nnc_shell_var *v = nnc_shell_variable(s, names[i][0], strlen(names[i][0]));
        const char *text = v != NULL && !v->is_unknown ? nnc_script_cells_text(s, v->value, v->count) : NULL;
        if (v == NULL && i == 0) { /* one process with one visible device */
            const nnc_shell_var *devices = nnc_shell_variable(s, visible, strlen(visible));
            text = devices != NULL && !devices->is_unknown && devices->count == 1 ? "1" : NULL;
        }
        if (text != NULL) {
            words[own.count++] = (nnc_script_word){ names[i][1], (int32_t)last->line };
            words[own.count++] = (nnc_script_word){ text, (int32_t)last->line };
        }
    }
    if (own.count > 0 && strcmp(words[0].text, names[0][1]) == 0) {
        last->launcher = "torchrun";
        last->launcher_options = nnc_shell_options(&s->made, &own, 0, own.count, last->launcher);
    }
}

/* A script can set the mean number of tokens of a step with drafts by the environment of SGLang, for benchmarks: adds a
 * value that is known to the options of the last command, as simulate-acc-len. */
static void keep_simulation(nnc_shell *s, nnc_shell_command *last) {
    static const char name[] = "SGLANG_SIMULATE_ACC_LEN";
    const nnc_shell_var *v = nnc_shell_variable(s, name, strlen(name));
    double tokens = 0.0;
    nnc_buffer out = { 0 };
    if (strncmp(last->options, "{\"sglang", 8) != 0 || v == NULL || v->is_unknown ||
        !nnc_read_double(nnc_script_cells_text(s, v->value, v->count), &tokens)) {
        return;
    }
    nnc_buffer_put(&out, last->options, strlen(last->options) - 1);
    nnc_buffer_text(&out, ",\"simulate-acc-len\":");
    nnc_buffer_number(&out, tokens);
    nnc_buffer_text(&out, "}");
    nnc_buffer_byte(&out, '\0');
    const char *json = out.failed ? NULL : nnc_arena_strdup(s->arena, out.bytes);
    nnc_buffer_free(&out);
    if (json == NULL) { s->status = nnc_no_memory(s->err); }
    last->options = json != NULL ? json : last->options;
}

void nnc_shell_keep_command(nnc_shell *s, const nnc_script_words *w) {
    const int32_t before = s->made.count;
    nnc_shell_keep(&s->made, w);
    if (s->made.count == before) { return; }
    nnc_shell_command *last = &s->made.list[s->made.count - 1];
    last->decides = s->runs == NNC_RUNS_MAYBE ? nnc_shell_decides(s) : NULL;
    keep_environment(s, last);
    keep_simulation(s, last);
}
