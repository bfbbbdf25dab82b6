/* Reads parts of a shell script without running it. Each section of this file reads one kind of text.
 * One section evaluates conditions such as [ $MODE = train ].
 * One section reads templates that sed fills in, such as sed "s/BATCH/8/" template.json >config.json.
 * One section converts the options of a command: "vllm serve NAME --tp 2" becomes { ".program": "vllm", "--tp": 2, ...
 * }.
 * One section reads run files of the MosaicML platform, whose command is a script.
 *
 * The file shell.c finds the commands, and shell_words.c expands their words. The last section compares commands:
 * commands that start the same program on several nodes count once. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "launch/launch_internal.h"

#if defined(_WIN32)
/* Replacement for fnmatch(), which Windows does not have: compares a text with a pattern that may contain '*' and '?'.
 * Returns 0 if the text matches the pattern. */
static int fnmatch(const char *pattern, const char *text, int flags) {
    for (; *pattern != '\0' && *pattern != '*'; pattern++, text++) {
        if (*text == '\0' || (*pattern != '?' && *pattern != *text)) { return 1; }
    }
    if (*pattern == '\0') { return *text != '\0'; }
    while (fnmatch(pattern + 1, text, flags) != 0) {
        if (*text++ == '\0') { return 1; }
    }
    return 0;
}
#else
#include <fnmatch.h>
#endif

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

/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): a list of cases */
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
 * ':' that belongs to the '?' before `at`. Returns NULL if the expression does not have this operator. */
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

/* Writes the value of an option as JSON. Quotes around the value are removed. If a script joins words in a variable and
 * starts them as a command with bash -c or eval, the value of an option has quotes, which bash -c or eval would
 * remove. */
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

/* Tests whether a word consists of a single unknown value, such as "${EXTRA_ARGS}". */
static bool is_unset(const char *text) {
    const char *end = strncmp(text, "${", 2) == 0 ? strchr(text, '}') : NULL;
    return end != NULL && end[1] == '\0';
}

/* Tests whether an unknown word may stand for options. Two kinds of words may stand for options: "${@}", which means
 * all arguments of the script, and a variable whose name means options, such as "${EXTRA_ARGS}". */
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

/* Tests whether all words from index `at` up to the next option are unknown. Unknown words may stand for further
 * options, so these words are no values of the option before them. is_first: true = the word at `at` directly follows
 * an option, and is usually the value of this option. */
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

/* ms-swift starts its processes itself, and environment variables give their number. Adds options of torchrun with the
 * same meaning to the last command of the script: from NPROC_PER_NODE and NNODES, or from CUDA_VISIBLE_DEVICES with one
 * device. */
static void keep_environment(nnc_shell *s, nnc_shell_command *last) {
    static const char *const names[][2] = { { "NPROC_PER_NODE", "--nproc_per_node" }, { "NNODES", "--nnodes" } };
    static const char visible[] = "CUDA_VISIBLE_DEVICES";
    nnc_script_word words[4];
    nnc_script_words own = { .items = words };
    if (strncmp(last->options, "{\"swift\":", 9) != 0 || last->launcher != NULL) { return; }
    for (size_t i = 0; i < NNC_COUNT_OF(names); i++) {
        const nnc_shell_var *v = nnc_shell_variable(s, names[i][0], strlen(names[i][0]));
        const char *text = v != NULL && !v->is_unknown ? nnc_script_cells_text(s, v->value, v->count) : NULL;
        if (v == NULL && i == 0) { /* if the script sets no number of processes, one visible device means one process */
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

/* For benchmarks, a script can set the mean number of tokens of a step with drafts in an environment variable of
 * SGLang. If the value is known, adds the value to the options of the last command, as simulate-acc-len. */
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

/* ---- conditions: [ .. ] and [[ .. ]] with values that are known ---- */

nnc_certainty nnc_shell_not(nnc_certainty t) {
    return t == NNC_RUNS          ? NNC_RUNS_NOT
           : t == NNC_RUNS_NOT    ? NNC_RUNS
           : t == NNC_RUNS_LIKELY ? NNC_RUNS_NOT
                                  : NNC_RUNS_MAYBE;
}

const char *nnc_shell_operand(const char *text, const nnc_shell *s) {
    const size_t length = strlen(text);
    if (strstr(text, "${") == NULL) { return text; }
    const bool whole = strncmp(text, "${", 2) == 0 && strchr(text, '}') == text + length - 1;
    return whole && nnc_shell_variable(s, text + 2, length - 3) == NULL &&
                   (nnc_shell_name_length(text + 2) == length - 3 || length == 4)
               ? ""
               : NULL;
}

nnc_certainty nnc_shell_truth(bool holds) { return holds ? NNC_RUNS : NNC_RUNS_NOT; }

/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): a list of cases */
static nnc_certainty compare(const char *a, const char *of, const char *b, bool has_patterns) {
    double x = 0.0, y = 0.0;
    const bool differs = strcmp(of, "!=") == 0;
    if (differs || strcmp(of, "=") == 0 || strcmp(of, "==") == 0) {
        const bool is_pattern = strpbrk(b, "*?[") != NULL;
        const bool same = is_pattern ? fnmatch(b, a, 0) == 0 : strcmp(a, b) == 0;
        return is_pattern && !has_patterns ? NNC_RUNS_MAYBE : nnc_shell_truth(same != differs);
    }
    if (!nnc_read_double(a, &x) || !nnc_read_double(b, &y)) { return NNC_RUNS_MAYBE; }
    return strcmp(of, "-eq") == 0   ? nnc_shell_truth(!(x < y || x > y))
           : strcmp(of, "-ne") == 0 ? nnc_shell_truth(x < y || x > y)
           : strcmp(of, "-gt") == 0 ? nnc_shell_truth(x > y)
           : strcmp(of, "-ge") == 0 ? nnc_shell_truth(x >= y)
           : strcmp(of, "-lt") == 0 ? nnc_shell_truth(x < y)
           : strcmp(of, "-le") == 0 ? nnc_shell_truth(x <= y)
                                    : NNC_RUNS_MAYBE;
}

/* Joins `count` words from index `from` with blanks, because an operand of a [[ ]] test may have blanks. Returns "" if
 * out of memory. */
static const char *joined(const nnc_shell *s, const nnc_script_words *w, int32_t from, int32_t count) {
    nnc_buffer text = { 0 };
    for (int32_t i = from; i < from + count; i++) {
        nnc_buffer_text(&text, i > from ? " " : "");
        nnc_buffer_text(&text, w->items[i].text);
    }
    nnc_buffer_byte(&text, '\0');
    const char *kept = text.failed ? NULL : nnc_arena_strdup(s->arena, text.bytes);
    nnc_buffer_free(&text);
    return kept != NULL ? kept : "";
}

nnc_certainty nnc_shell_test(const nnc_shell *s, const nnc_script_words *w, int32_t from) {
    int32_t count = w->count - from;
    const bool bracket = count > 0 && w->items[w->count - 1].text[0] == ']';
    count -= bracket ? 1 : 0;
    const bool negated = count > 0 && strcmp(w->items[from].text, "!") == 0;
    from += negated ? 1 : 0;
    count -= negated ? 1 : 0;
    const char *a = count > 0 ? nnc_shell_operand(w->items[from].text, s) : NULL;
    const char *b = count > 1 ? nnc_shell_operand(w->items[from + 1].text, s) : NULL;
    const char *c = count > 2 ? nnc_shell_operand(w->items[from + 2].text, s) : NULL;
    const bool is_double = strcmp(w->items[0].text, "[[") == 0;
    nnc_certainty found = NNC_RUNS_MAYBE;
    if (count == 2 && a != NULL && (strcmp(a, "==") == 0 || strcmp(a, "=") == 0 || strcmp(a, "!=") == 0)) {
        c = b, b = a, a = ""; /* the left operand is empty and thus is no word */
        count = 3;
    }
    if (is_double && count > 3) {
        a = nnc_shell_operand(joined(s, w, from, count - 2), s);
        b = w->items[from + count - 2].text;
        c = nnc_shell_operand(w->items[from + count - 1].text, s);
        count = 3;
    }
    if (count == 1 && a != NULL && (strcmp(a, "-z") == 0 || strcmp(a, "-n") == 0)) {
        /* "[ -z ]" or "[ -n ]": the operand was empty and thus is no word; -z is true, -n is false */
        found = nnc_shell_truth(a[1] == 'z');
    } else if (count == 1 && a != NULL) {
        found = nnc_shell_truth(a[0] != '\0');
    } else if (count == 2 && a != NULL && b != NULL && (strcmp(a, "-z") == 0 || strcmp(a, "-n") == 0)) {
        found = nnc_shell_truth((b[0] == '\0') == (a[1] == 'z'));
    } else if (count == 2 && a != NULL && b != NULL && strcmp(a, "-v") == 0) {
        found = nnc_shell_truth(nnc_shell_variable(s, b, strlen(b)) != NULL);
    } else if (count == 3 && a != NULL && b != NULL && c != NULL) {
        found = compare(a, b, c, is_double);
    }
    return negated ? nnc_shell_not(found) : found;
}

/* ---- files that sed makes from a template ---- */

/* Reads the commands of a shell script that make a file from a template, without running them. An
 * example is sed "s/BATCH_SIZE/${SIZE}/" template.json >config.json. nncost understands only replacements of words
 * without special characters. If another command writes a file, the content of the file stays unknown. */

/* A replacement "s/word/by/g" of sed. is_global: true = replaces the word everywhere in a line; false = only once. */
typedef struct replacement {
    const char *word, *by;
    size_t word_length, by_length;
    bool is_global;
} replacement;

/* Reads a replacement, such as "s/word/by/". An unknown value may contain the separator '/', so the last separator ends
 * the value. Returns false if the text is another command of sed. */
static bool read_replacement(const char *text, replacement *of) {
    if (text[0] != 's') { return false; }
    const char mark = text[1];
    const char *by = mark != '\0' && !isalnum((unsigned char)mark) ? strchr(text + 2, mark) : NULL;
    const char *end = by != NULL ? strrchr(by + 1, mark) : NULL;
    if (end == NULL) { return false; }
    *of = (replacement){ .word = text + 2, .by = by + 1 };
    of->word_length = (size_t)(by - of->word);
    of->by_length = (size_t)(end - of->by);
    of->is_global = strcmp(end + 1, "g") == 0;
    for (size_t i = 0; i < of->word_length; i++) {
        if (!isalnum((unsigned char)of->word[i]) && strchr("_- <>@%\"", of->word[i]) == NULL) { return false; }
    }
    return of->word_length > 0 && memchr(of->by, '&', of->by_length) == NULL &&
           memchr(of->by, '\\', of->by_length) == NULL && (of->is_global || end[1] == '\0');
}

/* Applies a replacement to a text. Returns the new text, which is in the arena; NULL = out of memory. */
static const char *replace(nnc_shell *s, const char *text, const replacement *of) {
    nnc_buffer out = { 0 };
    bool done = false; /* true: the word was already replaced in this line */
    while (*text != '\0') {
        const bool is = !(done && !of->is_global) && strncmp(text, of->word, of->word_length) == 0;
        done = is || (done && *text != '\n');
        nnc_buffer_put(&out, is ? of->by : text, is ? of->by_length : 1);
        text += is ? of->word_length : 1;
    }
    nnc_buffer_byte(&out, '\0');
    const char *made = out.failed ? NULL : nnc_arena_strdup(s->arena, out.bytes);
    nnc_buffer_free(&out);
    if (made == NULL) { s->status = nnc_no_memory(s->err); }
    return made;
}

/* Returns the text of a file that the script made, or of a file near the script; NULL = there is no such file. */
static const char *text_of(const nnc_shell *s, const char *path) {
    for (const nnc_script_file *file = s->script->files; file != NULL; file = file->next) {
        if (strcmp(file->path, path) == 0) { return file->text; }
    }
    return s->script->read != NULL ? s->script->read(s->script->context, path) : NULL;
}

/* Returns the text that the command "sed EXPRESSIONS [FILE]" writes; piped: the text that sed reads if the command has
 * no FILE. NULL = not known. */
static const char *edited(nnc_shell *s, const nnc_script_words *w, const char *piped) {
    replacement list[32];
    size_t count = 0;
    bool has_option = false;
    const char *text = piped;
    for (int32_t i = 1; i < w->count; i++) {
        const char *word = w->items[i].text;
        const bool is_option = strcmp(word, "-e") == 0 && i + 1 < w->count;
        if (word[0] == '-' && !is_option) { return NULL; }
        if (is_option || (count == 0 && !has_option)) {
            word = is_option ? w->items[++i].text : word;
            if (count == NNC_COUNT_OF(list) || !read_replacement(word, &list[count++])) { return NULL; }
        } else {
            text = text_of(s, word);
        }
        has_option = has_option || is_option;
    }
    for (size_t i = 0; i < count && text != NULL; i++) { text = replace(s, text, &list[i]); }
    return text;
}

void nnc_shell_edit(nnc_shell *s, const nnc_script_words *w, const char *file, bool is_piped) {
    const char *first = w->items[0].text, *text = s->stream;
    s->stream = NULL;
    if (s->runs == NNC_RUNS_NOT || s->marker != NULL || (file == NULL && !is_piped)) { return; }
    if (strcmp(first, "sed") == 0) {
        text = edited(s, w, text);
    } else if (strcmp(first, "cat") == 0 && w->count <= 2) {
        text = w->count == 2 ? text_of(s, w->items[1].text) : text;
    } else {
        return;
    }
    if (text == NULL || !nnc_shell_goes_on(s)) { return; }
    if (is_piped) {
        s->stream = text;
        return;
    }
    nnc_script_cells cells = { 0 };
    nnc_script_cells_put_text(s, &cells, text, strlen(text), true);
    s->into = file;
    s->writes = s->runs;
    if (nnc_shell_goes_on(s)) { nnc_shell_write_file(s, &cells); }
    s->into = NULL;
    nnc_buffer_free(&cells.bytes);
}

/* ---- run files of the MosaicML platform ---- */

/* Divides a run file of the MosaicML platform (mcli) into its parts.
 *
 * The key "command" of a run file has a script, such as "composer train.py /mnt/config/parameters.yaml".
 * The key "parameters" of a run file has the content of the configuration file that the script names, such as {
 * max_seq_len: 2048, ... }.
 * The key "compute" of a run file has the number of devices, such as { gpus: 8 }.
 *
 * Each part keeps the line numbers of the run file. */

bool nnc_run_file_is(nnc_json root) {
    static const char *const others[] = { "image", "compute", "integrations", "parameters" };
    const nnc_json command = nnc_json_get(root, "command");
    int count = 0;
    for (size_t i = 0; i < NNC_COUNT_OF(others); i++) { count += nnc_json_get(root, others[i]).node != NULL; }
    return command.node != NULL && nnc_json_type_of(command) == NNC_JSON_TEXT && count >= 2;
}

/* Returns a text with line breaks before it, so that the text begins on line `line`; NULL = out of memory. */
static const char *on_line(nnc_arena *arena, long line, const char *text, size_t length) {
    const size_t breaks = line > 1 ? (size_t)line - 1 : 0;
    char *made = nnc_arena_alloc(arena, breaks + length + 1);
    if (made == NULL) { return NULL; }
    memset(made, '\n', breaks);
    memcpy(made + breaks, text, length);
    made[breaks + length] = '\0';
    return made;
}

nnc_status nnc_run_file_read(nnc_arena *arena, const nnc_document *d, nnc_run_file *parts, nnc_error *err) {
    const nnc_json root = nnc_json_root(&d->doc), command = nnc_json_get(root, "command");
    const nnc_json devices = nnc_json_get(nnc_json_get(root, "compute"), "gpus");
    const char *text = nnc_json_text(command);
    char launcher[64] = "{}";
    /* the text of a block begins on the line after its key */
    parts->command = on_line(arena, nnc_json_line(command) + (strchr(text, '\n') != NULL), text, strlen(text));
    parts->parameters = "{}";
    nnc_walk w = nnc_walk_begin(d->doc.text);
    while (nnc_walk_member(&w, true)) {
        const bool is = nnc_walk_key_is(&w, "parameters");
        const size_t begin = w.at;
        const long line = w.line;
        nnc_walk_value(&w);
        if (is && d->doc.text[begin] == '{') {
            parts->parameters = on_line(arena, line, d->doc.text + begin, w.at - begin);
        }
    }
    if (devices.node != NULL && nnc_json_type_of(devices) == NNC_JSON_NUMBER) {
        snprintf(launcher, sizeof launcher, "{\"world-size\":%.0f}", nnc_json_number(devices));
    }
    parts->devices = on_line(arena, nnc_json_line(devices.node != NULL ? devices : root), launcher, strlen(launcher));
    return parts->command == NULL || parts->parameters == NULL || parts->devices == NULL ? nnc_no_memory(err) : NNC_OK;
}

/* ---- commands that start the same program ---- */

/* Returns the option that gives the rank of the node on which a command runs, such as "node-rank"; NULL = the command
 * has no such option. */
static const char *rank_of_node(nnc_json options) {
    static const char *const ranks[] = { "node-rank", "headless", "data-parallel-start-rank", NULL };
    for (int i = 0; ranks[i] != NULL; i++) {
        if (nnc_json_get(options, ranks[i]).node != NULL) { return ranks[i]; }
    }
    return NULL;
}

/* Tests whether each of `options` is also in `other` with an equal value; options that `places` names are not
 * compared. */
static bool has_options_of(nnc_json options, nnc_json other, const char *const *places) {
    for (nnc_json at = nnc_json_first(options); at.node != NULL; at = nnc_json_next(at)) {
        const nnc_json same = nnc_json_get(other, nnc_json_key(at));
        const char *own = nnc_json_copy(at), *value = same.node != NULL ? nnc_json_copy(same) : NULL;
        const bool equal = own != NULL && value != NULL && strcmp(own, value) == 0;
        if (!equal && !nnc_is_one_of(nnc_json_key(at), places)) { return false; }
    }
    return true;
}

bool nnc_commands_start_same(nnc_specs *specs, const nnc_shell_command *a, const nnc_shell_command *b) {
    /* options that say where the processes of a node run */
    static const char *const places[] = { "node-rank", "headless", "data-parallel-start-rank", "host", "port", NULL };
    static const char *const none[] = { NULL };
    nnc_error err;
    nnc_document one = { .faults = { .name = "", .err = &err } }, other = { .faults = { .name = "", .err = &err } };
    bool same = false;
    if (nnc_document_parse(specs, &one, a->options, strlen(a->options)) == NNC_OK &&
        nnc_document_parse(specs, &other, b->options, strlen(b->options)) == NNC_OK) {
        const nnc_json first = nnc_json_root(&one.doc), second = nnc_json_root(&other.doc);
        const char *const *ignored = rank_of_node(second) != NULL ? places : none;
        same = has_options_of(first, second, ignored) && has_options_of(second, first, ignored);
    }
    nnc_document_free(&one);
    nnc_document_free(&other);
    return same;
}
