/* Reads the commands of a shell script, without running it.
 *
 *     text -> tokens -> commands, one after the other. An assignment changes a variable. A command that starts a
 *     program with options is kept, with its words expanded.
 *
 * Expanded are $NAME, ${NAME}, ${NAME:-word} and similar forms, arrays, $((..)), quotes and line continuation. A
 * variable that the script does not set, and the output of a command, stay in the text as "${NAME}". A condition is
 * decided if its values are known. In a branch that may or may not run, and in a loop, an assignment makes its variable
 * unknown.
 *
 * The body of a function is read where a command calls the function. A script that the script reads ("source x.sh") is
 * read in place of this command, if it is found. If a script has no command and only sets variables for another script,
 * the options in its variables are used. A here document that `cat` writes to a file is kept, because a command may
 * name the file.
 *
 * A character keeps its line number through all variables, so that an error can name the line of an option. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "base/expression.h"
#include "launch/launch_internal.h"

enum {
    NESTING_MAX = 32,       /* deepest nesting: of constructs, and of expansions */
    CELLS_MAX = 200 * 1000, /* most characters of a value; without a limit, each line of a script could double a
                             * value */
    SOURCES_MAX = 16,       /* most other scripts that a script may read */
    CALLS_MAX = 100,        /* CALLS_MAX: most calls of functions; CALLS_DEEP: deepest nesting of calls */
    CALLS_DEEP = 6
};

/* A character of a value. */
typedef struct cell {
    int32_t line;
    char c;       /* the character; '\0': an empty string in quotes */
    bool is_kept; /* true: the character was quoted, so it does not separate words */
} cell;

typedef struct cells {
    nnc_buffer bytes; /* array of cells */
} cells;

typedef struct variable {
    struct variable *next;
    const char *name;
    cell *value; /* value of an array: its items with unquoted blanks between them */
    int32_t count;
    bool is_unknown;
} variable;

typedef struct function {
    struct function *next;
    const char *name, *file, *body;
    int32_t line, reads_at;
} function;

/* How certain it is that a command runs, or that a condition holds. A command that is no test succeeds with LIKELY. */
typedef enum truth { NO, MAYBE, LIKELY, YES } truth;

/* An open construct: if, a loop, case, a function, braces. */
typedef struct frame {
    char kind;     /* construct: 'i' = if, 'l' = loop, 'c' = case, 'f' = function, '{' or '(' = group of commands */
    truth outside; /* certainty that the construct itself runs */
    truth behind;  /* certainty that the command after the construct runs */
    truth taken;   /* certainty that an earlier branch of the construct has run */
    bool at_pattern;
    const char *subject; /* word after `case`, to compare with the patterns; NULL = unknown */
} frame;

typedef struct shell {
    const char *name, *at;
    int32_t line;
    nnc_arena *arena;
    nnc_error *err;
    nnc_status status;
    variable *variables;
    frame frames[NESTING_MAX];
    int depth, nesting;
    truth runs;         /* certainty that the current branch runs */
    truth last;         /* certainty that the last command succeeded */
    bool in_test;       /* inside "[[ .. ]]", after && or || */
    bool in_condition;  /* true: the commands between "if" and "then" are being read */
    char after[3];      /* operator in front of the command: "&&", "||" or "" */
    const char *marker; /* marker of a here document that begins on the next line */
    size_t marker_length;
    bool is_plain;    /* true: variables in the here document are not expanded */
    const char *into; /* name of the file to which the here document is written; NULL = no file */
    bool appends;
    truth writes; /* certainty that the command that writes the file runs */
    nnc_shell_commands made;
    bool starts_unknown; /* a launcher starts a program that is not known */
    nnc_shell_script *script;
    const char *sourced;        /* name of a script to read next; NULL = no script */
    int32_t reads_at;           /* line of the command that reads the script s->name; 0 = s->name is the first script */
    int sources, calls, called; /* numbers: scripts read so far; calls of functions so far; calls that are not
                                 * finished */
    function *functions;
} shell;

static bool goes_on(const shell *s)
{
    return s->status == NNC_OK;
}

static void refuse(shell *s, const char *what)
{
    char where[512];
    if (goes_on(s)) {
        snprintf(where, sizeof where, "%.400s:%d", s->name, (int)s->line);
        s->status = nnc_fail(s->err, NNC_BAD_SPEC, where, "%s", what);
    }
}

/* ---- values ---- */

static int32_t cell_count(const cells *of)
{
    return (int32_t)(of->bytes.size / sizeof(cell));
}

static void put_cell(shell *s, cells *to, char c, int32_t line, bool kept)
{
    const cell one = { .line = s->reads_at > 0 ? s->reads_at : line, .c = c, .is_kept = kept };
    if (cell_count(to) < CELLS_MAX) {
        nnc_buffer_put(&to->bytes, &one, sizeof one);
    } else {
        refuse(s, "a value is too long");
    }
}

static void put_text(shell *s, cells *to, const char *text, size_t length, bool kept)
{
    for (size_t i = 0; i < length; i++) {
        put_cell(s, to, text[i], s->line, kept);
    }
}

static variable *find_variable(const shell *s, const char *name, size_t length)
{
    variable *v = s->variables;
    while (v != NULL && (strncmp(v->name, name, length) != 0 || v->name[length] != '\0')) {
        v = v->next;
    }
    return v;
}

static bool is_blank(const cell *c)
{
    return !c->is_kept && (c->c == ' ' || c->c == '\t' || c->c == '\n');
}

/* Returns some characters of a value as a string. */
static const char *text_of(shell *s, const cell *from, int32_t count)
{
    char *text = nnc_arena_alloc(s->arena, (size_t)count + 1);
    int32_t used = 0;
    if (text == NULL) {
        s->status = nnc_no_memory(s->err);
        return "";
    }
    for (int32_t i = 0; i < count; i++) {
        if (from[i].c != '\0') {
            text[used++] = from[i].c;
        }
    }
    text[used] = '\0';
    return text;
}

/* Copies only the options from a list of words, and makes their values unknown, because they come from a branch that
 * may not run. */
static void put_options(shell *s, const cells *from, cells *to)
{
    const cell *list = (const cell *)(const void *)from->bytes.bytes;
    bool at_begin = true, is_option = false;
    for (int32_t i = 0; i <= cell_count(from); i++) {
        const bool ends = i == cell_count(from) || is_blank(&list[i]);
        is_option = at_begin && !ends ? list[i].c == '-' : is_option;
        if (is_option && ends && !at_begin) {
            put_cell(s, to, ' ', s->line, false);
            put_text(s, to, "${branch}", 9, true);
            put_cell(s, to, ' ', s->line, false);
        } else if (is_option && !ends) {
            put_cell(s, to, list[i].c, list[i].line, list[i].is_kept);
        }
        at_begin = ends;
    }
}

/* Sets a variable, or appends to it. In a branch that may not run, the variable becomes unknown. */
static void assign(shell *s, const char *name, size_t length, const cells *value, bool append, bool is_array)
{
    variable *v = find_variable(s, name, length);
    cells all = { 0 };
    const bool has_value = v != NULL;
    if (s->runs == NO) {
        return;
    }
    if (v == NULL) {
        v = nnc_arena_alloc(s->arena, sizeof *v);
        char *copy = nnc_arena_alloc(s->arena, length + 1);
        if (v == NULL || copy == NULL) {
            s->status = nnc_no_memory(s->err);
            return;
        }
        memcpy(copy, name, length);
        copy[length] = '\0';
        *v = (variable){ .next = s->variables, .name = copy };
        s->variables = v;
    }
    if (append && v->count > 0) {
        nnc_buffer_put(&all.bytes, v->value, (size_t)v->count * sizeof(cell));
        if (is_array) {
            put_cell(s, &all, ' ', s->line, false);
        }
    }
    if (s->runs == MAYBE && (append || is_array)) { /* in an uncertain branch, only the appended items are unknown */
        put_options(s, value, &all);
    } else {
        const cell *from = (const cell *)(const void *)value->bytes.bytes;
        for (int32_t i = 0; i < cell_count(value); i++) {
            if (is_array || from[i].c != '\0') {
                put_cell(s, &all, from[i].c, from[i].line, from[i].is_kept);
            }
        }
    }
    const bool same = v->count == cell_count(&all) && !v->is_unknown && has_value &&
                      strcmp(text_of(s, v->value, v->count),
                             text_of(s, (const cell *)(const void *)all.bytes.bytes, cell_count(&all))) == 0;
    v->is_unknown = s->runs == MAYBE && !append && !is_array && !same;
    v->count = cell_count(&all);
    v->value = nnc_arena_alloc(s->arena, all.bytes.size + 1);
    if (v->value == NULL || all.bytes.failed || v->count >= CELLS_MAX) {
        refuse(s, "a value is too long");
        v->count = 0;
    } else if (all.bytes.size > 0) {
        memcpy(v->value, all.bytes.bytes, all.bytes.size);
    }
    nnc_buffer_free(&all.bytes);
}

/* ---- finding the end of quotes and brackets ---- */

/* Finds the end of a quoted text, of "${..}", "$(..)" or "`..`" that begins at `at`; NULL = no end. The recursion is as
 * deep as the brackets are nested. NOLINTNEXTLINE(misc-no-recursion) */
static const char *end_of(const char *at, int depth)
{
    const char first = at[at[0] == '$'];
    const char closes[] = "(){}", *open = strchr(closes, first);
    char close = first;
    if (open != NULL && (first == '(' || first == '{')) {
        close = open[1];
    }
    if (depth > NESTING_MAX) {
        return NULL;
    }
    at += at[0] == '$' ? 2 : 1;
    while (*at != '\0' && *at != close) {
        const bool nested = first != '\'' && (*at == '`' || (*at == '$' && (at[1] == '(' || at[1] == '{')));
        const bool quoted = (first == '(' || first == '{') && (*at == '"' || *at == '\'');
        const bool bracket = first == '(' && *at == '(';
        if (*at == '\\' && first != '\'' && at[1] != '\0') {
            at += 2;
        } else if (nested || quoted || bracket) {
            at = end_of(at, depth + 1);
            if (at == NULL) {
                return NULL;
            }
        } else {
            at++;
        }
    }
    return *at == close ? at + 1 : NULL;
}

static bool is_name(char c, bool first)
{
    return isalpha((unsigned char)c) || c == '_' || (!first && isdigit((unsigned char)c));
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_name(at[length], length == 0)) {
        length++;
    }
    return length;
}

/* ---- arithmetic ---- */

typedef struct sum {
    shell *s;
    double stack[16];
    int depth;
} sum;

static bool push(sum *of, double number)
{
    const bool fits = of->depth < (int)(sizeof of->stack / sizeof *of->stack);
    if (fits) {
        of->stack[of->depth++] = number;
    }
    return fits;
}

static size_t sum_number(void *context, const char *at)
{
    char *end = NULL;
    const long number = strtol(at, &end, 10);
    return push(context, (double)number) ? (size_t)(end - at) : 0;
}

static bool sum_name(void *context, const char *name, size_t length)
{
    sum *of = context;
    const variable *v = find_variable(of->s, name, length);
    double number = 0.0;
    return v != NULL && !v->is_unknown && nnc_read_double(text_of(of->s, v->value, v->count), &number) &&
           push(of, number);
}

/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): one case after the other */
static bool sum_operate(void *context, nnc_operator of)
{
    sum *to = context;
    if (of == NNC_OPERATOR_NEGATE) {
        to->stack[to->depth - 1] = -to->stack[to->depth - 1];
        return true;
    }
    const double b = to->stack[--to->depth], a = to->stack[to->depth - 1];
    const bool divides = of == NNC_OPERATOR_DIVIDE || of == NNC_OPERATOR_REMAINDER;
    if (divides && !(b > 0.0 || b < 0.0)) {
        return false;
    }
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

static void sum_refuse(void *context, const char *expected, const char *at)
{
    (void)context, (void)expected, (void)at;
}

/* Finds the first '?' outside brackets, or the ':' that belongs to it; NULL: there is no such sign. */
static const char *find_choice(const char *at, char sign)
{
    int brackets = 0, choices = 0;
    for (; *at != '\0'; at++) {
        brackets += (*at == '(') - (*at == ')');
        if (brackets == 0 && choices == 0 && *at == sign) {
            return at;
        }
        choices += brackets == 0 ? (*at == '?') - (*at == ':') : 0;
    }
    return NULL;
}

/* Computes whole-number arithmetic as in $((..)), also "a > b ? a : b". Returns false if a value is not known. */
/* NOLINTNEXTLINE(misc-no-recursion): each part is shorter */
static bool calculate(shell *s, const char *text, double *result)
{
    const char *ask = find_choice(text, '?');
    const char *other = ask != NULL ? find_choice(ask + 1, ':') : NULL;
    char part[256];
    if (other != NULL && strlen(text) < sizeof part) {
        double holds = 0.0;
        snprintf(part, sizeof part, "%.*s", (int)(ask - text), text);
        if (!calculate(s, part, &holds)) {
            return false;
        }
        snprintf(part, sizeof part, "%.*s", (int)(other - ask - 1), ask + 1);
        return calculate(s, holds > 0.0 || holds < 0.0 ? part : other + 1, result);
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

/* ---- expansion ---- */

static void expand(shell *s, const char *at, const char *end, cells *to);
static void read_text(shell *s, bool is_function);
static void begin_function(shell *s, const char *name);

static void put_variable(shell *s, const variable *v, bool quoted, bool items, cells *to)
{
    for (int32_t i = 0; i < v->count; i++) {
        const cell c = v->value[i];
        put_cell(s, to, c.c, c.line, quoted && (!items || c.is_kept));
    }
}

/* Writes a part that cannot be expanded, such as "${NAME}", unchanged. */
static void put_unknown(shell *s, const char *at, size_t length, cells *to)
{
    put_text(s, to, "${", 2, true);
    for (size_t i = 0; i < length && i < 60; i++) { /* blanks become '_', so that the part remains one word */
        put_cell(s, to, (char)(isspace((unsigned char)at[i]) ? '_' : at[i]), s->line, true);
    }
    put_text(s, to, "}", 1, true);
}

/* Expands $((..)). `at` is the position after the two opening brackets. */
static void expand_sum(shell *s, const char *at, const char *end, cells *to)
{
    cells inside = { 0 };
    double result = 0.0;
    char number[32];
    expand(s, at, end, &inside);
    const char *text = text_of(s, (const cell *)(const void *)inside.bytes.bytes, cell_count(&inside));
    if (goes_on(s) && calculate(s, text, &result)) {
        snprintf(number, sizeof number, "%.0f", result);
        put_text(s, to, number, strlen(number), true);
    } else {
        put_unknown(s, at, (size_t)(end - at), to);
    }
    nnc_buffer_free(&inside.bytes);
}

static void put_changed(shell *s, const variable *v, int (*change)(int), int32_t from, int32_t end, cells *to)
{
    for (int32_t i = from; i < end; i++) {
        const char c = v->value[i].c;
        put_cell(s, to, (char)(change != NULL ? change((unsigned char)c) : c), v->value[i].line, true);
    }
}

/* Expands ${NAME%word}, ${NAME%%x*}, ${NAME#word}, ${NAME##*x}: the value without its end or start. Other patterns
 * remove no characters.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void put_trimmed(shell *s, const variable *v, const char *at, const char *end, cells *to)
{
    const char sign = *at;
    const bool longest = at[1] == sign;
    cells word = { 0 };
    expand(s, at + 1 + longest, end, &word);
    const char *text = text_of(s, v->value, v->count);
    const char *part = text_of(s, (const cell *)(const void *)word.bytes.bytes, cell_count(&word));
    size_t size = strlen(part);
    const int32_t length = (int32_t)strlen(text);
    int32_t begin = 0, stop = length;
    const bool any = size > 0 && part[sign == '%' ? size - 1 : 0] == '*'; /* "/\*", "*\/" */
    if (any) {
        size--;
        part += sign == '#';
    }
    const bool plain = strcspn(part, "*?[$") >= size && length == v->count;
    for (int32_t i = 0; plain && goes_on(s) && size > 0 && i + (int32_t)size <= length; i++) {
        const int32_t place = sign == '%' ? i : length - (int32_t)size - i; /* of several matches the last is used */
        const bool fits = any || (sign == '%' ? place + (int32_t)size == length : place == 0);
        if (fits && strncmp(text + place, part, size) == 0) {
            stop = sign == '%' && (!longest || stop == length) ? place : stop;
            begin = sign == '#' && (!longest || begin == 0) ? place + (int32_t)size : begin;
        }
    }
    if (plain) {
        put_changed(s, v, NULL, begin, stop, to);
    } else {
        put_unknown(s, at, (size_t)(end - at), to);
    }
    nnc_buffer_free(&word.bytes);
}

/* Expands the word of ${NAME:-word}. In quotes it stays one word.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void put_default(shell *s, const char *word, const char *end, bool quoted, cells *to)
{
    const int32_t before = cell_count(to);
    expand(s, word, end, to);
    cell *all = (cell *)(void *)to->bytes.bytes;
    for (int32_t i = before; quoted && i < cell_count(to); i++) {
        all[i].is_kept = true;
    }
}

/* Returns the length of a variable's name, or of the number of an argument. */
static size_t name_or_number_length(const char *at, const char *end)
{
    const size_t digits = strspn(at, "0123456789"), given = (size_t)(end - at);
    return digits == 0 ? name_length(at) : digits < given ? digits : given;
}

/* Expands ${NAME}, ${NAME:-word} or ${NAME[@]}; `at` is the name, `end` the closing bracket.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void expand_braces(shell *s, const char *at, const char *end, bool quoted, cells *to)
{
    const size_t length = name_or_number_length(at, end);
    const variable *v = find_variable(s, at, length);
    const char *rest = at + length;
    bool items = false;
    if (end - rest >= 3 && (strncmp(rest, "[@]", 3) == 0 || strncmp(rest, "[*]", 3) == 0)) {
        rest += 3;
        items = true;
    }
    const bool colon = rest < end && *rest == ':';
    const char sign = (char)(rest + colon < end ? rest[colon] : '\0');
    const char *word = rest + colon + 1;
    const bool empty = v == NULL || (v->count == 0 && !v->is_unknown && colon);
    const bool known = v != NULL && !v->is_unknown && length > 0;
    if (known && (strncmp(rest, ",,", 2) == 0 || strncmp(rest, "^^", 2) == 0)) {
        put_changed(s, v, *rest == ',' ? tolower : toupper, 0, v->count, to);
    } else if (known && (sign == '%' || sign == '#') && !colon) {
        put_trimmed(s, v, rest, end, to);
    } else if (length == 0 || (sign != '\0' && strchr("-=+?", sign) == NULL)) {
        put_unknown(s, at, (size_t)(end - at), to);
    } else if (sign == '+') {
        if (!empty) {
            expand(s, word, end, to);
        }
    } else if (empty && (sign == '-' || sign == '=')) {
        put_default(s, word, end, quoted, to);
    } else if (v == NULL || v->is_unknown) {
        put_unknown(s, at, length, to);
    } else {
        put_variable(s, v, quoted, items, to);
    }
}

/* Expands an expression that begins with '$' or '`', and returns its end. NOLINTNEXTLINE(misc-no-recursion) */
static const char *expand_one(shell *s, const char *at, const char *limit, bool quoted, cells *to)
{
    const char next = at[1];
    const bool bracket = *at == '`' || next == '(' || next == '{';
    const char *end = bracket ? end_of(at, 0) : NULL;
    if (bracket && (end == NULL || end > limit)) {
        refuse(s, "bad syntax, expected the end of an expansion");
        return limit;
    }
    if (end != NULL && strncmp(at, "$((", 3) == 0 && end - at >= 5 && end[-2] == ')') {
        expand_sum(s, at + 3, end - 2, to);
        return end;
    }
    if (*at == '`' || next == '(') {
        put_unknown(s, at, (size_t)(end - at), to);
        return end;
    }
    if (next == '{') {
        expand_braces(s, at + 2, end - 1, quoted, to);
        return end;
    }
    if (next == '@' || next == '*') { /* $@ and $* are empty, because the script is read without arguments */
        return at + 2;
    }
    const size_t length = isdigit((unsigned char)next) ? 1 : name_length(at + 1);
    if (length == 0) {
        const bool special = next == '#' || next == '?';
        put_cell(s, to, special ? '0' : '$', s->line, true);
        return at + 1 + special;
    }
    expand_braces(s, at + 1, at + 1 + length, quoted, to);
    return at + 1 + length;
}

/* Expands a part of the text. s->line is the line of `at` before the call, and the line of `end` after it.
 * NOLINTNEXTLINE(misc-no-recursion,readability-function-cognitive-complexity) */
static void expand(shell *s, const char *at, const char *end, cells *to)
{
    bool quoted = false;
    int32_t opened = 0; /* number of cells in `to` when the opening quote was read */
    if (++s->nesting > NESTING_MAX) {
        refuse(s, "nested too deeply");
    }
    while (at < end && goes_on(s)) {
        const int32_t line = s->line;
        if (*at == '\\' && at + 1 < end) {
            const bool plain = quoted && strchr("$`\"\\\n", at[1]) == NULL;
            if (plain) {
                put_cell(s, to, '\\', line, true);
            }
            if (at[1] == '\n') {
                s->line++;
            } else {
                put_cell(s, to, at[1], line, true);
            }
            at += 2;
        } else if (*at == '\'' && !quoted) {
            const char *close = memchr(at + 1, '\'', (size_t)(end - at - 1));
            if (close == at + 1) {
                put_cell(s, to, '\0', line, true);
            }
            for (at++; at < end && at != close; at++) {
                put_cell(s, to, *at, s->line, true);
                s->line += *at == '\n';
            }
            at++;
        } else if (*at == '"') {
            if (quoted && cell_count(to) == opened && at[-1] != '}') { /* "${A[@]}" adds no word if the array is
                                                                        * empty */
                put_cell(s, to, '\0', line, true);
            }
            quoted = !quoted;
            opened = cell_count(to);
            at++;
        } else if (*at == '$' || *at == '`') {
            const char *next = expand_one(s, at, end, quoted, to);
            s->line = line;
            for (; at < next; at++) {
                s->line += *at == '\n';
            }
        } else {
            put_cell(s, to, *at, line, quoted);
            s->line += *at == '\n';
            at++;
        }
    }
    s->nesting--;
}

/* ---- tokens ---- */

typedef struct token {
    const char *at;
    size_t length; /* number of characters; 0: the token is the end of the text */
    bool is_word;
} token;

static bool is_token(const token *t, const char *text)
{
    return t->length == strlen(text) && strncmp(t->at, text, t->length) == 0;
}

/* Writes a line "key: value" with an unknown value. Returns false if the line has another form. */
static bool put_unset(shell *s, const char *at, const char *end, const char *name, cells *to)
{
    const char *colon = memchr(at, ':', (size_t)(end - at));
    const char *value = colon != NULL ? colon + 1 + strspn(colon + 1, " ") : end;
    const size_t length = name_length(name);
    if (value >= end || *value == '\n') {
        return false;
    }
    put_text(s, to, at, (size_t)(value - at), true);
    put_text(s, to, "\"${", 3, true);
    put_text(s, to, length > 0 ? name : "?", length > 0 ? length : 1, true);
    put_text(s, to, "}\"\n", 3, true);
    return true;
}

/* Expands a line of a here document, in which quotes are ordinary characters. In a branch that may not run, values are
 * unknown. */
static void expand_line(shell *s, const char *at, const char *end, cells *to)
{
    const char *begin = at;
    cells made = { 0 };
    if (s->writes == MAYBE && put_unset(s, at, end, "branch", to)) {
        return;
    }
    while (at < end && goes_on(s)) {
        if (s->is_plain || (*at != '$' && *at != '`' && *at != '\\')) {
            put_cell(s, &made, *at++, s->line, true);
        } else if (*at == '\\') {
            at += at[1] != '\0' && strchr("$`\\\n", at[1]) != NULL;
            put_cell(s, &made, *at++, s->line, true);
        } else {
            at = expand_one(s, at, end, true, &made);
        }
    }
    const char *unset = strstr(text_of(s, (const cell *)(const void *)made.bytes.bytes, cell_count(&made)), "${");
    if (unset == NULL || !put_unset(s, begin, end, unset + 2, to)) {
        nnc_buffer_put(&to->bytes, made.bytes.bytes, made.bytes.size);
    }
    nnc_buffer_free(&made.bytes);
}

/* Stores the content of a file that the script writes. */
static void write_file(shell *s, const cells *text)
{
    const char *made = text_of(s, (const cell *)(const void *)text->bytes.bytes, cell_count(text));
    nnc_script_file *file = s->script->files;
    while (file != NULL && strcmp(file->path, s->into) != 0) {
        file = file->next;
    }
    if (file == NULL) {
        file = nnc_arena_alloc(s->arena, sizeof *file);
        if (file == NULL) {
            s->status = nnc_no_memory(s->err);
            return;
        }
        *file = (nnc_script_file){ .next = s->script->files, .path = s->into, .text = "" };
        s->script->files = file;
    }
    const size_t before = s->appends || s->writes == MAYBE ? strlen(file->text) : 0;
    char *all = nnc_arena_alloc(s->arena, before + strlen(made) + 1);
    if (all == NULL) {
        s->status = nnc_no_memory(s->err);
    } else if (before < CELLS_MAX) {
        memcpy(all, file->text, before);
        memcpy(all + before, made, strlen(made) + 1);
        file->text = all;
    }
}

/* Reads the text of a here document, which follows at the end of a line. */
static void read_document(shell *s)
{
    cells text = { 0 };
    while (s->marker != NULL && *s->at != '\0' && goes_on(s)) {
        const char *begin = s->at + strspn(s->at, "\t");
        const size_t length = strcspn(begin, "\n");
        const bool last = length == s->marker_length && strncmp(begin, s->marker, length) == 0;
        const char *end = begin + length + (begin[length] == '\n');
        if (!last && s->into != NULL && s->writes != NO) {
            expand_line(s, begin, end, &text);
        }
        s->at = end;
        s->line++;
        s->marker = last ? NULL : s->marker;
    }
    if (s->into != NULL && s->writes != NO && goes_on(s)) {
        write_file(s, &text);
    }
    s->into = NULL;
    nnc_buffer_free(&text.bytes);
}

static void skip_blanks(shell *s)
{
    for (;;) {
        if (*s->at == ' ' || *s->at == '\t' || *s->at == '\r') {
            s->at++;
        } else if (s->at[0] == '\\' && s->at[1] == '\n') {
            s->at += 2;
            s->line++;
        } else if (*s->at == '#') {
            s->at += strcspn(s->at, "\n");
        } else {
            return;
        }
    }
}

/* Finds the end of a word. An array "A=(..)" is one word. */
static const char *word_end(shell *s, const char *at)
{
    const char *begin = at;
    while (*at != '\0' && strchr(" \t\r\n;&|<>()", *at) == NULL) {
        const bool expands = *at == '`' || (*at == '$' && (at[1] == '(' || at[1] == '{'));
        if (*at == '\\' && at[1] != '\0') {
            at += 2;
        } else if (expands || *at == '\'' || *at == '"') {
            at = end_of(at, 0);
            if (at == NULL) {
                refuse(s, "bad syntax, expected the end of a quoted text");
                return begin;
            }
        } else {
            at++;
        }
        if (*at == '(' && at[-1] == '=' && name_length(begin) > 0) {
            const char *end = end_of(at, 0);
            if (end != NULL) {
                return end;
            }
        }
    }
    return at;
}

/* Reads the next token. s->line stays at the line where the token begins; the caller then calls pass(). */
static token next_token(shell *s)
{
    static const char *const operators[] = { "&&", "||", ";;", "<<<", "<<", "&>>", ">>", ">&", "<&", "&>",
                                             "((", ";",  "&",  "|",   "(",  ")",   "<",  ">",  "\n" };
    skip_blanks(s);
    token t = { .at = s->at };
    for (size_t i = 0; i < sizeof operators / sizeof *operators && t.length == 0; i++) {
        if (strncmp(s->at, operators[i], strlen(operators[i])) == 0) {
            t.length = strlen(operators[i]);
        }
    }
    if (t.length == 0 && *s->at != '\0') {
        t.length = (size_t)(word_end(s, s->at) - s->at);
        t.is_word = true;
    }
    s->at += t.length;
    return t;
}

static void pass(shell *s, const token *t)
{
    for (size_t i = 0; i < t->length; i++) {
        s->line += t->at[i] == '\n';
    }
}

static const char *token_text(shell *s, const token *t)
{
    char *text = nnc_arena_alloc(s->arena, t->length + 1);
    if (text == NULL) {
        s->status = nnc_no_memory(s->err);
        return "";
    }
    memcpy(text, t->at, t->length);
    text[t->length] = '\0';
    return text;
}

/* ---- words ---- */

static void add_word(shell *s, nnc_script_words *to, const cell *from, int32_t count)
{
    nnc_script_word *grown = nnc_arena_grow(s->arena, to->items, to->count, &to->capacity, sizeof *to->items);
    if (grown == NULL) {
        s->status = nnc_no_memory(s->err);
        return;
    }
    to->items = grown;
    to->items[to->count++] = (nnc_script_word){ text_of(s, from, count), from->line };
}

/* Divides cells into words, at unquoted blanks or (at_all) at all blanks. */
static void split(shell *s, const cell *all, int32_t count, bool at_all, nnc_script_words *to)
{
    int32_t begin = 0;
    for (int32_t i = 0; i <= count; i++) {
        const bool blank = i == count || is_blank(&all[i]) || (at_all && isspace((unsigned char)all[i].c));
        if (blank && i > begin) {
            add_word(s, to, all + begin, i - begin);
        }
        begin = blank ? i + 1 : begin;
    }
}

static void expand_words(shell *s, const token *t, nnc_script_words *to)
{
    cells all = { 0 };
    const int32_t line = s->line;
    expand(s, t->at, t->at + t->length, &all);
    const cell *list = (const cell *)(const void *)all.bytes.bytes;
    /* "bash -c '..'" and eval have a whole command in one quoted word */
    const char *last = to->count > 0 ? to->items[to->count - 1].text : "";
    const bool inner = strcmp(last, "-c") == 0 || strcmp(last, "eval") == 0 || strcmp(last, "-lc") == 0;
    if (goes_on(s) && list != NULL) {
        split(s, list, cell_count(&all), inner, to);
    }
    nnc_buffer_free(&all.bytes);
    s->line = line;
}

/* Adds a command that starts a program to the result, unless it is certain that its branch does not run. */
static void keep(shell *s, const nnc_script_words *w)
{
    if (s->runs != NO && goes_on(s)) {
        nnc_shell_keep(&s->made, w);
        s->status = s->made.status;
        s->starts_unknown = s->starts_unknown || nnc_shell_starts_unknown(w);
    }
}

/* ---- conditions ---- */

static truth not_of(truth t)
{
    return t == YES ? NO : t == NO ? YES : t == LIKELY ? NO : MAYBE;
}

/* Returns the operand of a test. A variable that nothing sets is empty. NULL: the value is not known. */
static const char *operand(const char *text, const shell *s)
{
    const size_t length = strlen(text);
    if (strstr(text, "${") == NULL) {
        return text;
    }
    const bool whole = strncmp(text, "${", 2) == 0 && strchr(text, '}') == text + length - 1;
    return whole && find_variable(s, text + 2, length - 3) == NULL &&
                   (name_length(text + 2) == length - 3 || length == 4)
               ? ""
               : NULL;
}

static truth truth_of(bool holds)
{
    return holds ? YES : NO;
}

/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): one case after the other */
static truth compare(const char *a, const char *of, const char *b, bool has_patterns)
{
    double x = 0.0, y = 0.0;
    const bool differs = strcmp(of, "!=") == 0;
    if (differs || strcmp(of, "=") == 0 || strcmp(of, "==") == 0) {
        const bool is_pattern = strpbrk(b, "*?[") != NULL;
        const bool same = is_pattern ? fnmatch(b, a, 0) == 0 : strcmp(a, b) == 0;
        return is_pattern && !has_patterns ? MAYBE : truth_of(same != differs);
    }
    if (!nnc_read_double(a, &x) || !nnc_read_double(b, &y)) {
        return MAYBE;
    }
    return strcmp(of, "-eq") == 0   ? truth_of(!(x < y || x > y))
           : strcmp(of, "-ne") == 0 ? truth_of(x < y || x > y)
           : strcmp(of, "-gt") == 0 ? truth_of(x > y)
           : strcmp(of, "-ge") == 0 ? truth_of(x >= y)
           : strcmp(of, "-lt") == 0 ? truth_of(x < y)
           : strcmp(of, "-le") == 0 ? truth_of(x <= y)
                                    : MAYBE;
}

/* Joins words by blanks; [[ ]] does not divide a value into words. "": out of memory. */
static const char *joined(const shell *s, const nnc_script_words *w, int32_t from, int32_t count)
{
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

/* Evaluates a test "[ .. ]" or "[[ .. ]]", or a part of it between && and ||. Its words begin at `from`. */
static truth test(const shell *s, const nnc_script_words *w, int32_t from)
{
    int32_t count = w->count - from;
    const bool bracket = count > 0 && w->items[w->count - 1].text[0] == ']';
    count -= bracket ? 1 : 0;
    const bool negated = count > 0 && strcmp(w->items[from].text, "!") == 0;
    from += negated ? 1 : 0;
    count -= negated ? 1 : 0;
    const char *a = count > 0 ? operand(w->items[from].text, s) : NULL;
    const char *b = count > 1 ? operand(w->items[from + 1].text, s) : NULL;
    const char *c = count > 2 ? operand(w->items[from + 2].text, s) : NULL;
    const bool is_double = strcmp(w->items[0].text, "[[") == 0;
    truth found = MAYBE;
    if (is_double && count > 3) {
        a = operand(joined(s, w, from, count - 2), s);
        b = w->items[from + count - 2].text;
        c = operand(w->items[from + count - 1].text, s);
        count = 3;
    }
    if (count == 1 && a != NULL && (strcmp(a, "-z") == 0 || strcmp(a, "-n") == 0)) {
        found = truth_of(a[1] == 'z'); /* the text after -z or -n was empty, so the shell removed it */
    } else if (count == 1 && a != NULL) {
        found = truth_of(a[0] != '\0');
    } else if (count == 2 && a != NULL && b != NULL && (strcmp(a, "-z") == 0 || strcmp(a, "-n") == 0)) {
        found = truth_of((b[0] == '\0') == (a[1] == 'z'));
    } else if (count == 3 && a != NULL && b != NULL && c != NULL) {
        found = compare(a, b, c, is_double);
    }
    return negated ? not_of(found) : found;
}

/* Returns the certainty that a branch runs. outside: certainty that the construct around it runs; condition: certainty
 * that its condition holds. */
static truth both(truth outside, truth condition)
{
    return outside == NO || condition == NO ? NO : outside == MAYBE || condition == MAYBE ? MAYBE : YES;
}

/* ---- constructs ---- */

static frame *open_frame(shell *s, char kind)
{
    if (s->depth == NESTING_MAX) {
        refuse(s, "nested too deeply");
        return &s->frames[NESTING_MAX - 1];
    }
    frame *f = &s->frames[s->depth++];
    *f = (frame){ .kind = kind, .outside = s->runs, .behind = s->runs, .taken = NO };
    return f;
}

static void close_frame(shell *s, char kind)
{
    if (s->depth == 0 || s->frames[s->depth - 1].kind != kind) {
        refuse(s, "bad syntax, expected the end of another construct");
        return;
    }
    s->runs = s->frames[--s->depth].behind;
}

static frame *top(shell *s)
{
    return s->depth > 0 ? &s->frames[s->depth - 1] : NULL;
}

/* Skips tokens up to and including one of two words, such as "do". */
static void skip_to(shell *s, const char *a, const char *b)
{
    for (;;) {
        const token t = next_token(s);
        pass(s, &t);
        if (t.length == 0 || !goes_on(s) || is_token(&t, a) || is_token(&t, b)) {
            return;
        }
    }
}

/* Reads "for NAME in ..". The loop makes the variable unknown. */
static void begin_for(shell *s)
{
    static const cells none = { 0 };
    open_frame(s, 'l');
    s->runs = both(s->runs, MAYBE);
    const token name = next_token(s);
    if (name.is_word) {
        assign(s, name.at, name_length(name.at), &none, false, false);
    }
    skip_to(s, "do", "do");
}

/* Reads "case WORD in". */
static void begin_case(shell *s)
{
    nnc_script_words w = { 0 };
    token t = next_token(s);
    expand_words(s, &t, &w);
    pass(s, &t);
    frame *f = open_frame(s, 'c');
    f->at_pattern = true;
    f->subject = w.count == 0 ? "" : operand(w.items[0].text, s);
    skip_to(s, "in", "in");
}

/* Reads the patterns of a branch of case: "a|b)". */
static void read_patterns(shell *s, token t)
{
    frame *f = top(s);
    truth met = NO;
    while (t.length > 0 && goes_on(s) && !is_token(&t, ")")) {
        nnc_script_words w = { 0 };
        if (t.is_word) {
            expand_words(s, &t, &w);
            const char *text = w.count > 0 ? w.items[0].text : "";
            const truth one = f->subject == NULL || (strpbrk(text, "*?[$") != NULL && strcmp(text, "*") != 0)
                                  ? MAYBE
                                  : truth_of(strcmp(text, "*") == 0 || strcmp(text, f->subject) == 0);
            met = one > met ? one : met;
        }
        pass(s, &t);
        t = next_token(s);
    }
    met = both(met, not_of(f->taken));
    s->runs = both(f->outside, met);
    f->taken = met > f->taken ? met : f->taken;
    f->at_pattern = false;
}

/* Begins a branch of an if. condition YES: the branch is an else. */
static void begin_branch(shell *s, truth condition)
{
    frame *f = top(s);
    if (f == NULL || f->kind != 'i') {
        refuse(s, "bad syntax, expected an if before it");
        return;
    }
    const truth met = both(condition == LIKELY ? MAYBE : condition, not_of(f->taken));
    s->runs = both(f->outside, met);
    f->taken = met > f->taken ? met : f->taken;
    s->in_condition = false;
}

/* Takes a word that begins or ends a construct. Returns false if it is another word. */
static bool take_keyword(shell *s, const token *t)
{
    frame *f = top(s);
    if (is_token(t, "if")) {
        open_frame(s, 'i');
        s->in_condition = true;
    } else if (is_token(t, "then")) {
        begin_branch(s, s->last);
    } else if (is_token(t, "elif") || is_token(t, "else")) {
        if (f == NULL || f->kind != 'i') {
            refuse(s, "bad syntax, expected an if before it");
            return true;
        }
        s->runs = f->outside;
        s->in_condition = is_token(t, "elif");
        if (!s->in_condition) {
            begin_branch(s, YES);
        }
    } else if (is_token(t, "fi")) {
        close_frame(s, 'i');
    } else if (is_token(t, "for") || is_token(t, "select")) {
        begin_for(s);
    } else if (is_token(t, "while") || is_token(t, "until")) {
        open_frame(s, 'l');
    } else if (is_token(t, "do") && f != NULL && f->kind == 'l') {
        s->runs = both(f->outside, s->last == NO ? NO : MAYBE);
    } else if (is_token(t, "done")) {
        close_frame(s, 'l');
    } else if (is_token(t, "case")) {
        begin_case(s);
    } else if (is_token(t, "esac")) {
        close_frame(s, 'c');
    } else if (is_token(t, "{")) {
        open_frame(s, '{');
    } else if (is_token(t, "}")) {
        close_frame(s, f != NULL && f->kind == 'f' ? 'f' : '{');
    } else if (is_token(t, "function")) {
        const token name = next_token(s);
        pass(s, &name);
        skip_to(s, "{", "{");
        begin_function(s, token_text(s, &name));
    } else {
        return is_token(t, "time") || is_token(t, "!");
    }
    return true;
}

/* ---- statements ---- */

/* Reads the items of "(a b c)". */
static void read_items(shell *s, const char *at, const char *end, cells *to)
{
    const char *after = s->at;
    const int32_t line = s->line;
    s->at = at;
    while (s->at < end && goes_on(s)) {
        const token t = next_token(s);
        if (t.at >= end || t.length == 0) {
            break;
        }
        if (t.is_word) {
            if (cell_count(to) > 0) {
                put_cell(s, to, ' ', s->line, false);
            }
            const int32_t before = s->line;
            expand(s, t.at, t.at + t.length, to);
            s->line = before;
        }
        pass(s, &t);
    }
    s->at = after;
    s->line = line;
}

/* Takes NAME=value, NAME+=value or NAME=(a b). Returns false if the word is no assignment. */
static bool take_assignment(shell *s, const token *t)
{
    const size_t digits = strspn(t->at, "0123456789"); /* digits in place of a name: an argument of the script */
    const size_t length = digits > 0 && t->at[digits] == '=' ? digits : name_length(t->at);
    const bool append = t->at[length] == '+';
    const char *value = t->at + length + append + 1;
    if (length == 0 || t->at[length + append] != '=') {
        return false;
    }
    cells cells_of = { 0 };
    const char *end = t->at + t->length;
    const bool is_array = value < end && *value == '(';
    const int32_t line = s->line;
    if (is_array) {
        read_items(s, value + 1, end - 1, &cells_of);
    } else {
        expand(s, value, end, &cells_of);
    }
    s->line = line;
    if (goes_on(s)) {
        assign(s, t->at, length, &cells_of, append, is_array);
    }
    nnc_buffer_free(&cells_of.bytes);
    return true;
}

/* Evaluates ((..)) as a command, after the token "((". */
static truth read_sum(shell *s)
{
    cells inside = { 0 };
    double result = 0.0;
    const char *end = strstr(s->at, "))");
    if (end == NULL) {
        refuse(s, "bad syntax, expected \"))\"");
        return MAYBE;
    }
    expand(s, s->at, end, &inside);
    const char *text = text_of(s, (const cell *)(const void *)inside.bytes.bytes, cell_count(&inside));
    const bool known = goes_on(s) && calculate(s, text, &result);
    nnc_buffer_free(&inside.bytes);
    s->at = end + 2;
    return known ? truth_of(result > 0.0 || result < 0.0) : MAYBE;
}

/* Takes the file after <, > or <<. After << a here document follows at the end of the line. */
static void take_redirection(shell *s, const token *of, const char **file)
{
    const token t = next_token(s);
    if (is_token(of, "<<") && t.is_word) {
        const bool dash = t.at[0] == '-';
        s->marker = t.at + dash;
        s->marker_length = t.length - dash;
        s->is_plain = s->marker_length > 2 && (s->marker[0] == '\'' || s->marker[0] == '"');
        if (s->is_plain) {
            s->marker++;
            s->marker_length -= 2;
        }
    } else if ((is_token(of, ">") || is_token(of, ">>")) && t.is_word) {
        nnc_script_words w = { 0 };
        expand_words(s, &t, &w);
        *file = w.count == 1 ? w.items[0].text : NULL;
        s->appends = is_token(of, ">>");
    }
    pass(s, &t);
}

/* Tests whether a token is a number directly before < or >. */
static bool is_descriptor(const shell *s, const token *t)
{
    return t->length == 1 && isdigit((unsigned char)*t->at) && (*s->at == '<' || *s->at == '>');
}

/* Reads a text in the place of a command: a script, or the body of a function up to its '}'.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void read_instead(shell *s, const char *name, const char *text, int32_t line, int32_t reads_at, bool is_function)
{
    const shell outer = *s;
    s->name = name;
    s->at = text;
    s->line = line;
    s->reads_at = reads_at;
    s->depth = 0;
    s->marker = NULL;
    s->after[0] = '\0';
    if (is_function) {
        open_frame(s, 'f');
    }
    read_text(s, is_function);
    memcpy(s->frames, outer.frames, sizeof s->frames);
    memcpy(s->after, outer.after, sizeof s->after);
    s->name = outer.name;
    s->at = outer.at;
    s->line = outer.line;
    s->reads_at = outer.reads_at;
    s->depth = outer.depth;
    s->marker = outer.marker;
    s->runs = outer.runs;
    s->in_test = s->in_condition = false;
    s->last = LIKELY;
}

/* Reads the script in "source x.sh". If the folder in the path is not known, the folder of the current script is used.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void read_source(shell *s, const nnc_script_words *w)
{
    const char *path = w->items[1].text, *known = strrchr(path, '}');
    const char *from = known != NULL && known[1] == '/' ? known + 2 : path;
    const char *text = s->script->read != NULL && strstr(from, "${") == NULL && s->sources++ < SOURCES_MAX
                           ? s->script->read(s->script->context, from)
                           : NULL;
    if (text == NULL) {
        s->sourced = path;
    } else {
        read_instead(s, from, text, 1, s->reads_at > 0 ? s->reads_at : s->line, false);
    }
}

/* Stores the position of a function's body, and skips the body. */
static void begin_function(shell *s, const char *name)
{
    if (s->runs != NO) {
        function *f = nnc_arena_alloc(s->arena, sizeof *f);
        if (f == NULL) {
            s->status = nnc_no_memory(s->err);
            return;
        }
        *f = (function){ s->functions, name, s->name, s->at, s->line, s->reads_at };
        s->functions = f;
    }
    open_frame(s, 'f');
    s->runs = NO;
}

/* Reads the body of a function that a command calls, with its arguments. Returns false if there is no such function.
 * NOLINTNEXTLINE(misc-no-recursion): CALLS_DEEP */
static bool call(shell *s, const nnc_script_words *w)
{
    enum { ARGUMENTS = 9 };
    static const char *const names[ARGUMENTS] = { "1", "2", "3", "4", "5", "6", "7", "8", "9" };
    variable *arguments[ARGUMENTS];
    const function *f = s->functions;
    while (f != NULL && strcmp(f->name, w->items[0].text) != 0) {
        f = f->next;
    }
    if (f == NULL || s->calls == CALLS_MAX || s->called == CALLS_DEEP) {
        return f != NULL;
    }
    for (int32_t i = 0; i < ARGUMENTS && goes_on(s); i++) {
        cells value = { 0 };
        const char *text = i + 1 < w->count ? w->items[i + 1].text : "";
        arguments[i] = nnc_arena_alloc(s->arena, sizeof *arguments[i]);
        if (arguments[i] == NULL) {
            s->status = nnc_no_memory(s->err);
            return true;
        }
        *arguments[i] = (variable){ .next = s->variables, .name = names[i] };
        s->variables = arguments[i];
        put_text(s, &value, text, strlen(text), true);
        assign(s, names[i], 1, &value, false, false);
        arguments[i]->is_unknown = strstr(text, "${") != NULL;
        nnc_buffer_free(&value.bytes);
    }
    s->calls++;
    s->called++;
    read_instead(s, f->file, f->body, f->line, f->reads_at > 0 && s->reads_at == 0 ? s->line : s->reads_at, true);
    s->called--;
    for (int i = 0; i < ARGUMENTS && goes_on(s); i++) {
        arguments[i]->name = ""; /* after the call, the arguments of the caller are valid again */
    }
    return true;
}

/* Reads one command up to the operator that ends it, which is returned. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): one case after the other */
static token read_command(shell *s)
{
    nnc_script_words w = { 0 };
    const char *file = NULL; /* file that receives the output of the command */
    bool at_begin = true, negated = false, is_sum = false;
    truth sum_truth = MAYBE;
    const int depth = s->depth;
    const truth outside = s->runs, before = s->after[0] == '&' ? s->last : YES;
    if (s->after[0] == '&') {
        s->runs = both(outside, s->last == LIKELY ? YES : s->last);
    } else if (s->after[0] == '|') {
        s->runs = both(outside, not_of(s->last));
    }
    token t = next_token(s);
    for (; t.length > 0 && goes_on(s); t = next_token(s)) {
        const frame *f = top(s);
        if (at_begin && f != NULL && f->kind == 'c' && f->at_pattern && !is_token(&t, "\n") && !is_token(&t, "esac")) {
            if (is_token(&t, "(")) {
                t = next_token(s);
            }
            read_patterns(s, t);
        } else if (at_begin && t.is_word && take_keyword(s, &t)) {
            negated = negated != is_token(&t, "!");
            if (!is_token(&t, "!") && !is_token(&t, "time")) {
                if (s->depth > depth) {
                    s->frames[depth].behind = outside; /* "a || { b; }" */
                }
                pass(s, &t);
                s->after[0] = '\0';
                return (token){ .at = ";", .length = 1 };
            }
        } else if (at_begin && is_token(&t, "((")) {
            sum_truth = read_sum(s);
            is_sum = true;
        } else if (at_begin && is_token(&t, "(")) {
            open_frame(s, '(')->behind = outside;
            pass(s, &t);
            return (token){ .at = ";", .length = 1 };
        } else if (is_descriptor(s, &t)) { /* 2>&1 */
            continue;
        } else if (t.is_word && at_begin && take_assignment(s, &t)) {
            s->last = YES;
        } else if (t.is_word) {
            const bool declares = at_begin && (is_token(&t, "export") || is_token(&t, "local") ||
                                               is_token(&t, "declare") || is_token(&t, "readonly"));
            const bool option = w.count == 0 && at_begin && t.at[0] == '-'; /* declare -a */
            if (!declares && !option) {
                expand_words(s, &t, &w);
                at_begin = false;
            }
        } else if (is_token(&t, "(") && w.count == 1) { /* name() { */
            skip_to(s, "{", "{");
            begin_function(s, w.items[0].text);
            s->frames[depth].behind = outside;
            return (token){ .at = ";", .length = 1 };
        } else if (strchr("<>", t.at[0]) != NULL || (t.at[0] == '&' && t.at[1] == '>')) {
            take_redirection(s, &t, &file);
        } else {
            break;
        }
        pass(s, &t);
    }
    const char *first = w.count > 0 ? w.items[0].text : "";
    const bool goes_on_test = s->in_test;
    if (s->marker != NULL && w.count == 1 && strcmp(first, "cat") == 0) {
        s->into = file;
        s->writes = s->runs;
    }
    if (w.count > 0 && (goes_on_test || strcmp(first, "[[") == 0)) {
        s->in_test = strcmp(w.items[w.count - 1].text, "]]") != 0;
    }
    if (s->runs == NO) { /* a command that does not run changes nothing */
        s->runs = outside;
        return t;
    }
    if (is_sum) {
        s->last = sum_truth;
    } else if (strcmp(first, "[") == 0 || strcmp(first, "[[") == 0 || strcmp(first, "test") == 0) {
        s->last = both(before, test(s, &w, 1));
    } else if (goes_on_test && w.count > 0) {
        s->last = both(before, test(s, &w, 0));
    } else if (w.count > 1 && (strcmp(first, ".") == 0 || strcmp(first, "source") == 0)) {
        read_source(s, &w);
        s->last = LIKELY;
    } else if (w.count > 0 && call(s, &w)) {
        s->last = LIKELY;
    } else if (w.count > 0) {
        s->last = strcmp(first, "false") == 0 ? NO : strcmp(first, "true") == 0 ? YES : LIKELY;
        keep(s, &w);
    }
    s->last = negated ? not_of(s->last) : s->last;
    s->runs = outside;
    return t;
}

/* Takes the operator that ends a command. "&&" inside [[ .. ]] also ends a command; the next part of the test is
 * then read as a command (in_test). */
static void take_end(shell *s, const token *t)
{
    s->after[0] = '\0';
    if (is_token(t, "&&") || is_token(t, "||")) {
        s->after[0] = t->at[0];
    } else if (is_token(t, "\n")) {
        pass(s, t);
        read_document(s);
    } else if (is_token(t, ";;")) {
        frame *f = top(s);
        if (f != NULL && f->kind == 'c') {
            f->at_pattern = true;
            s->runs = f->outside;
        }
    } else if (is_token(t, ")")) {
        if (top(s) != NULL && top(s)->kind == '(') {
            close_frame(s, '(');
        }
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void read_text(shell *s, bool is_function)
{
    while (goes_on(s) && *s->at != '\0' && (!is_function || s->depth > 0)) {
        const token t = read_command(s);
        take_end(s, &t);
    }
}

/* Sets the variables that Slurm sets, from lines such as "#SBATCH --nodes=2", and keeps the options for srun. */
static void read_slurm(shell *s, const char *text)
{
    static const char *const options[][2] = {
        { "--nodes", "SLURM_NNODES" },
        { "--nodes", "SLURM_JOB_NUM_NODES" },
        { "-N", "SLURM_NNODES" },
        { "-N", "SLURM_JOB_NUM_NODES" },
        { "--gpus-per-node", "SLURM_GPUS_PER_NODE" },
        { "--gpus-per-node", "SLURM_GPUS_ON_NODE" },
        { "--ntasks-per-node", "SLURM_NTASKS_PER_NODE" },
    };
    const char *counted = text;
    for (const char *at = strstr(text, "#SBATCH"); at != NULL; at = strstr(at + 1, "#SBATCH")) {
        for (; counted < at; counted++) {
            s->line += *counted == '\n' ? 1 : 0;
        }
        const char *option = at + 7 + strspn(at + 7, " \t");
        cells words = { 0 };
        put_text(s, &words, option, strcspn(option, "#\n"), false);
        split(s, (const cell *)(const void *)words.bytes.bytes, cell_count(&words), true, &s->made.slurm);
        nnc_buffer_free(&words.bytes);
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            const size_t length = strlen(options[i][0]);
            const bool is = strncmp(option, options[i][0], length) == 0;
            const char *value = is ? option + length + strspn(option + length, "= \t") : option;
            const size_t digits = strspn(value, "0123456789");
            if (is && value > option + length && digits > 0) {
                cells number = { 0 };
                put_text(s, &number, value, digits, true);
                assign(s, options[i][1], strlen(options[i][1]), &number, false, false);
                nnc_buffer_free(&number.bytes);
            }
        }
    }
    s->line = 1;
}

/* Takes the options from the variables of a script that starts no program itself: the options of a command in a
 * variable, or else all variables that hold options. */
static void keep_variables(shell *s)
{
    const variable *order[256];
    nnc_script_words all = { 0 };
    int count = 0;
    for (const variable *v = s->variables; v != NULL && count < 256; v = v->next) {
        order[count++] = v;
    }
    while (count > 0 && goes_on(s)) {
        const variable *v = order[--count];
        nnc_script_words w = { 0 };
        split(s, v->value, v->count, true, &w);
        if (nnc_shell_has_program(&w)) {
            keep(s, &w);
        } else if (w.count > 1 && nnc_shell_is_option(w.items[0].text)) {
            split(s, v->value, v->count, true, &all);
        }
    }
    if (s->made.count == 0 && all.count > 0 && goes_on(s)) {
        nnc_shell_keep_options(&s->made, &all);
        s->status = s->made.status;
    }
}

nnc_status nnc_shell_read(const char *name, const char *text, nnc_arena *arena, nnc_shell_script *script,
                          nnc_error *err)
{
    shell s = { .name = name,
                .at = text,
                .line = 1,
                .arena = arena,
                .err = err,
                .runs = YES,
                .script = script,
                .made = { .arena = arena, .err = err } };
    read_slurm(&s, text);
    read_text(&s, false);
    s.runs = YES;
    if (goes_on(&s) && s.made.count == 0 && s.starts_unknown) {
        refuse(&s, "starts a program whose name only a run of the script knows: give its options");
    }
    if (goes_on(&s) && s.made.count == 0) {
        keep_variables(&s);
    }
    if (goes_on(&s) && s.sourced != NULL && s.made.count == 0) {
        char what[256];
        snprintf(what, sizeof what, "starts no program itself; %.120s, which it reads, is not found: give its options",
                 s.sourced);
        refuse(&s, what);
    }
    script->commands = s.made.list;
    script->count = s.made.count;
    return s.status;
}
