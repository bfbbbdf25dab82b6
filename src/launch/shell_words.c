/* Expands the words of a shell script, and stores the values of its variables.
 *
 * The functions here expand $NAME, ${NAME}, ${NAME:-word} and similar forms, arrays, $((..)), quotes and line
 * continuation. Three things stay in the text as "${NAME}": a variable that the script does not set, a placeholder
 * ("<path of the data>"), and the output of a command. Each character keeps the number of its line when it is copied to
 * a variable and back, so that an error can name the line of an option. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "launch/launch_internal.h"

bool nnc_shell_goes_on(const nnc_shell *s) { return s->status == NNC_OK; }

void nnc_shell_refuse(nnc_shell *s, const char *what) {
    char where[512];
    if (nnc_shell_goes_on(s)) {
        snprintf(where, sizeof where, "%.400s:%d", s->name, (int)s->line);
        s->status = nnc_fail(s->err, NNC_BAD_SPEC, where, "%s", what);
    }
}

int32_t nnc_script_cells_count(const nnc_script_cells *of) {
    return (int32_t)(of->bytes.size / sizeof(nnc_script_cell));
}

void nnc_script_cells_put(nnc_shell *s, nnc_script_cells *to, char c, int32_t line, bool kept) {
    const nnc_script_cell one = { .line = s->reads_at > 0 ? s->reads_at : line, .c = c, .is_kept = kept };
    if (nnc_script_cells_count(to) < NNC_SCRIPT_CELLS_MAX) {
        nnc_buffer_put(&to->bytes, &one, sizeof one);
    } else {
        nnc_shell_refuse(s, "a value is too long");
    }
}

void nnc_script_cells_put_text(nnc_shell *s, nnc_script_cells *to, const char *text, size_t length, bool kept) {
    for (size_t i = 0; i < length; i++) { nnc_script_cells_put(s, to, text[i], s->line, kept); }
}

enum { NUMBER_TEXT = 24 };

/* Returns the name of the variable at `name`. If "shift" has renumbered an argument, returns the number that the
 * argument has on the command line, and writes this number to `number`. */
static const char *name_of(const nnc_shell *s, const char *name, size_t *length, char number[NUMBER_TEXT]) {
    int64_t asked = 0;
    if (s->shifted == 0 || !isdigit((unsigned char)*name)) { return name; }
    for (size_t i = 0; i < *length && isdigit((unsigned char)name[i]); i++) {
        /* after INT32_MAX, further digits are skipped, because no command line has more than INT32_MAX arguments */
        asked = asked < INT32_MAX ? 10 * asked + (name[i] - '0') : asked;
    }
    if (asked == 0) { return name; } /* $0 is the name of the script */
    *length = (size_t)snprintf(number, NUMBER_TEXT, "%" PRId64, asked + s->shifted);
    return number;
}

nnc_shell_var *nnc_shell_variable(const nnc_shell *s, const char *name, size_t length) {
    nnc_shell_var *v = s->variables;
    char number[NUMBER_TEXT];
    name = name_of(s, name, &length, number);
    while (v != NULL && (strncmp(v->name, name, length) != 0 || v->name[length] != '\0')) { v = v->next; }
    return v;
}

bool nnc_script_cell_is_blank(const nnc_script_cell *c) {
    return !c->is_kept && (c->c == ' ' || c->c == '\t' || c->c == '\n');
}

const char *nnc_script_cells_text(nnc_shell *s, const nnc_script_cell *from, int32_t count) {
    char *text = nnc_arena_alloc(s->arena, (size_t)count + 1);
    int32_t used = 0;
    if (text == NULL) {
        s->status = nnc_no_memory(s->err);
        return "";
    }
    for (int32_t i = 0; i < count; i++) {
        if (from[i].c != '\0') { text[used++] = from[i].c; }
    }
    text[used] = '\0';
    return text;
}

/* NOLINTNEXTLINE(misc-no-recursion): as nnc_shell_expand */
const char *nnc_shell_expand_text(nnc_shell *s, const char *at, const char *end) {
    nnc_script_cells cells = { 0 };
    nnc_shell_expand(s, at, end, &cells);
    const char *text = nnc_script_cells_text(s, (const nnc_script_cell *)(const void *)cells.bytes.bytes,
                                             nnc_script_cells_count(&cells));
    nnc_buffer_free(&cells.bytes);
    return text;
}

const char *nnc_shell_decides(const nnc_shell *s) {
    for (int i = s->depth - 1; i >= 0; i--) {
        if (s->frames[i].decides != NULL) { return s->frames[i].decides; }
    }
    return s->decides;
}

/* Appends "${branch:NAME}", which marks a value that the script assigns in a branch (of an if or case). NAME is the
 * variable whose value decides whether the branch runs. */
static void put_branch(nnc_shell *s, const char *name, nnc_script_cells *to) {
    nnc_script_cells_put_text(s, to, "${branch", 8, true);
    nnc_script_cells_put_text(s, to, ":", name != NULL ? 1 : 0, true);
    nnc_script_cells_put_text(s, to, name != NULL ? name : "", name != NULL ? strlen(name) : 0, true);
    nnc_script_cells_put_text(s, to, "}", 1, true);
}

/* Tests whether a value begins with an option, such as "--tp 2". */
static bool has_options(const nnc_script_cell *from, int32_t count) {
    int32_t i = 0;
    while (i < count && strchr(" \t\n", from[i].c) != NULL) { i++; } /* also skips '\0' */
    return i + 1 < count && from[i].c == '-' && (from[i + 1].c == '-' || isalpha((unsigned char)from[i + 1].c));
}

/* The assignment of the value possibly does not run, so the function appends only the names of the options in the
 * value, each with the unknown value "${branch}". */
static void put_options(nnc_shell *s, const nnc_script_cell *list, int32_t count, nnc_script_cells *to) {
    bool at_begin = true, is_option = false;
    for (int32_t i = 0; i <= count; i++) {
        const bool ends = i == count || strchr(" \t\n", list[i].c) != NULL;
        is_option = at_begin && !ends ? list[i].c == '-' : is_option;
        if (is_option && ends && !at_begin) {
            nnc_script_cells_put(s, to, ' ', s->line, false);
            put_branch(s, nnc_shell_decides(s), to);
            nnc_script_cells_put(s, to, ' ', s->line, false);
        } else if (is_option && !ends) {
            nnc_script_cells_put(s, to, list[i].c, list[i].line, list[i].is_kept);
        }
        at_begin = ends;
    }
}

/* Adds a variable without a value at the front of a list. Returns NULL, with s->status set, if memory ran out. */
static nnc_shell_var *add_to(nnc_shell *s, nnc_shell_var **list, const char *name, size_t length) {
    nnc_shell_var *v = nnc_arena_alloc(s->arena, sizeof *v);
    char *copy = nnc_arena_alloc(s->arena, length + 1);
    if (v == NULL || copy == NULL) {
        s->status = nnc_no_memory(s->err);
        return NULL;
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    *v = (nnc_shell_var){ .next = *list, .name = copy };
    *list = v;
    return v;
}

/* Stores the name of the variable that decides whether the current branch of the script runs. The current branch
 * assigns a value to the variable `name`, but the branch does not run. */
static void note_skipped(nnc_shell *s, const char *name, size_t length) {
    nnc_shell_var *v = add_to(s, &s->skipped, name, length);
    if (v != NULL) { v->decides = nnc_shell_decides(s); }
}

/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): a list of cases */
void nnc_shell_assign(nnc_shell *s, const char *name, size_t length, const nnc_script_cells *value, bool append,
                      bool is_array) {
    nnc_shell_var *v = nnc_shell_variable(s, name, length);
    nnc_script_cells all = { 0 };
    const bool has_value = v != NULL;
    const nnc_script_cell *from = (const nnc_script_cell *)(const void *)value->bytes.bytes;
    int32_t i = 0, count = nnc_script_cells_count(value);
    if (s->runs == NNC_RUNS_NOT && v == NULL && nnc_shell_decides(s) != NULL) { note_skipped(s, name, length); }
    /* if a variable gets options only in a branch that does not run, the variable is empty */
    if (s->runs == NNC_RUNS_NOT) {
        while (i < count && strchr(" \t\n", from[i].c) != NULL) { i++; } /* also skips '\0' */
        if (has_value || i == count || from[i].c != '-') { return; }
        count = 0;
    }
    if (has_value && v->is_given && !append && !is_array && count > 0 &&
        strstr(nnc_script_cells_text(s, from, count), "${") != NULL) {
        return;
    }
    if (v == NULL) { v = add_to(s, &s->variables, name, length); }
    if (v == NULL) { return; }
    if (append && v->count > 0) {
        nnc_buffer_put(&all.bytes, v->value, (size_t)v->count * sizeof(nnc_script_cell));
        if (is_array) { nnc_script_cells_put(s, &all, ' ', s->line, false); }
    }
    const bool maybe = s->runs == NNC_RUNS_MAYBE, has_old = v->count > 0 && has_options(v->value, v->count);
    const bool is_empty = nnc_script_cells_text(s, from, count)[0] == '\0';
    /* true: the value of the variable contains the options that are assigned in all branches (of an if or case) that
     * may run */
    const bool joins = maybe && !append && !is_array && (has_options(from, count) || (is_empty && has_old)) &&
                       (v->count == 0 || has_old || nnc_script_cells_text(s, v->value, v->count)[0] == '\0');
    if (joins && has_old) { put_options(s, v->value, v->count, &all); }
    /* if the branch possibly does not run, the added options get unknown values */
    if (maybe && (append || is_array || joins)) {
        put_options(s, from, count, &all);
    } else {
        for (i = 0; i < count; i++) {
            if (is_array || from[i].c != '\0') {
                nnc_script_cells_put(s, &all, from[i].c, from[i].line, from[i].is_kept);
            }
        }
    }
    const bool same = v->count == nnc_script_cells_count(&all) && !v->is_unknown && has_value &&
                      strcmp(nnc_script_cells_text(s, v->value, v->count),
                             nnc_script_cells_text(s, (const nnc_script_cell *)(const void *)all.bytes.bytes,
                                                   nnc_script_cells_count(&all))) == 0;
    v->is_unknown = maybe && !append && !is_array && !joins && !same;
    v->decides = v->is_unknown ? nnc_shell_decides(s) : NULL;
    v->is_given = v->is_given || s->reads_given;
    v->count = nnc_script_cells_count(&all);
    v->value = nnc_arena_alloc(s->arena, all.bytes.size + 1);
    if (v->value == NULL || all.bytes.failed || v->count >= NNC_SCRIPT_CELLS_MAX) {
        nnc_shell_refuse(s, "a value is too long");
        v->count = 0;
    } else if (all.bytes.size > 0) {
        memcpy(v->value, all.bytes.bytes, all.bytes.size);
    }
    nnc_buffer_free(&all.bytes);
}

/* NOLINTNEXTLINE(misc-no-recursion): calls itself for each pair of brackets */
const char *nnc_shell_end_of(const char *at, int depth) {
    const char first = at[at[0] == '$'];
    const char closes[] = "(){}", *open = strchr(closes, first);
    char close = first;
    if (open != NULL && (first == '(' || first == '{')) { close = open[1]; }
    if (depth > NNC_SHELL_NESTING_MAX) { return NULL; }
    at += at[0] == '$' ? 2 : 1;
    while (*at != '\0' && *at != close) {
        const bool nested = first != '\'' && (*at == '`' || (*at == '$' && (at[1] == '(' || at[1] == '{')));
        const bool quoted = (first == '(' || first == '{') && (*at == '"' || *at == '\'');
        const bool bracket = first == '(' && *at == '(';
        if (*at == '\\' && first != '\'' && at[1] != '\0') {
            at += 2;
        } else if (nested || quoted || bracket) {
            at = nnc_shell_end_of(at, depth + 1);
            if (at == NULL) { return NULL; }
        } else {
            at++;
        }
    }
    return *at == close ? at + 1 : NULL;
}

static bool is_name(char c, bool first) {
    return isalpha((unsigned char)c) || c == '_' || (!first && isdigit((unsigned char)c));
}

size_t nnc_shell_name_length(const char *at) {
    size_t length = 0;
    while (is_name(at[length], length == 0)) { length++; }
    return length;
}

size_t nnc_shell_parameter_length(const char *at) {
    const size_t digits = strspn(at, "0123456789");
    return digits > 0 ? digits : nnc_shell_name_length(at);
}

static void put_variable(nnc_shell *s, const nnc_shell_var *v, bool quoted, bool items, nnc_script_cells *to) {
    for (int32_t i = 0; i < v->count; i++) {
        const nnc_script_cell c = v->value[i];
        nnc_script_cells_put(s, to, c.c, c.line, quoted && (!items || c.is_kept));
    }
}

size_t nnc_shell_blank_length(const char *at) {
    enum { LENGTH_MAX = 120 };
    const size_t length = at[0] == '<' && isalpha((unsigned char)at[1]) ? strcspn(at + 1, "<>|;&$`'\"\n") + 1 : 0;
    const bool closed =
        length > 0 && length < LENGTH_MAX && at[length] == '>' && !isspace((unsigned char)at[length - 1]);
    return closed && strchr(" \t\r\n\"'/\\)", at[length + 1]) != NULL ? length + 1 : 0;
}

/* Appends to the cells `to` the text "${TEXT}", where TEXT is a piece of the script whose value is not known. */
static void put_unknown(nnc_shell *s, const char *at, size_t length, nnc_script_cells *to) {
    nnc_script_cells_put_text(s, to, "${", 2, true);
    for (size_t i = 0; i < length && i < 60; i++) { /* a blank becomes '_', so that "${TEXT}" is a single word */
        nnc_script_cells_put(s, to, (char)(isspace((unsigned char)at[i]) ? '_' : at[i]), s->line, true);
    }
    nnc_script_cells_put_text(s, to, "}", 1, true);
}

/* Finds the variable that the user has to set so that the value of the variable at `at` becomes known; sets *at to the
 * name of the found variable. If the value of the variable at `at` is "${OTHER}", the result is OTHER; otherwise the
 * result is the variable at `at` itself. Returns the length of the found name; 0 = the value of the variable at `at` is
 * a known number. */
static size_t find_needed(nnc_shell *s, const char **at) {
    const size_t length = nnc_shell_name_length(*at);
    const nnc_shell_var *v = nnc_shell_variable(s, *at, length);
    const char *value = v != NULL ? nnc_script_cells_text(s, v->value, v->count) : "";
    const char *inside = strncmp(value, "${", 2) == 0 ? value + 2 : "";
    const size_t other = nnc_shell_parameter_length(inside);
    double number = 0.0;
    if (v != NULL && !v->is_unknown && nnc_read_double(value, &number)) { return 0; }
    if (other == 0 || inside[other] != '}') { return length; }
    *at = inside;
    return other;
}

/* Expands the arithmetic $((..)) or $(expr ..) between `at` and `end`, without its brackets: appends its value. If the
 * value is not known, appends "${NAME}" for the first variable of the expression without a known value, or else
 * "${TEXT}" with the text of the expression. */
static void expand_sum(nnc_shell *s, const char *at, const char *end, nnc_script_cells *to) {
    double result = 0.0;
    char number[32];
    const char *text = nnc_shell_expand_text(s, at, end);
    if (!nnc_shell_goes_on(s)) { return; }
    if (nnc_shell_calculate(s, text, &result)) {
        snprintf(number, sizeof number, "%.0f", result);
        nnc_script_cells_put_text(s, to, number, strlen(number), true);
        return;
    }
    size_t needed = 0;
    while (needed == 0 && *text != '\0' && strncmp(text, "${", 2) != 0) {
        const char *name = text;
        const size_t length = nnc_shell_parameter_length(text);
        needed = is_name(*text, true) ? find_needed(s, &name) : 0;
        text = needed > 0 ? name : text + (length > 0 ? length : 1);
    }
    if (needed == 0 && *text != '\0') {
        text += 2;
        needed = nnc_shell_parameter_length(text);
        if (text[needed] != '}') { needed = 0; }
    }
    if (needed > 0) {
        put_unknown(s, text, needed, to);
    } else {
        put_unknown(s, at, (size_t)(end - at), to);
    }
}

static void put_changed(nnc_shell *s, const nnc_shell_var *v, int (*change)(int), int32_t from, int32_t end,
                        nnc_script_cells *to) {
    for (int32_t i = from; i < end; i++) {
        const char c = v->value[i].c;
        nnc_script_cells_put(s, to, (char)(change != NULL ? change((unsigned char)c) : c), v->value[i].line, true);
    }
}

/* Expands ${NAME%word}, ${NAME%%x*}, ${NAME#word}, ${NAME##*x}: the value without its end or start. If the pattern has
 * another form, the value becomes unknown. NOLINTNEXTLINE(misc-no-recursion) */
static void put_trimmed(nnc_shell *s, const nnc_shell_var *v, const char *at, const char *end, nnc_script_cells *to) {
    const char sign = *at;
    const bool longest = at[1] == sign;
    const char *text = nnc_script_cells_text(s, v->value, v->count);
    const char *part = nnc_shell_expand_text(s, at + 1 + longest, end);
    size_t size = strlen(part);
    const int32_t length = (int32_t)strlen(text);
    int32_t begin = 0, stop = length;
    const bool any = size > 0 && part[sign == '%' ? size - 1 : 0] == '*'; /* true: the pattern has a '*' at its open
                                                                           * end, such as "x*" after '%' or "*x" after
                                                                           * '#' */
    if (any) {
        size--;
        part += sign == '#';
    }
    const bool plain = strcspn(part, "*?[$") >= size && length == v->count;
    for (int32_t i = 0; plain && nnc_shell_goes_on(s) && size > 0 && i + (int32_t)size <= length; i++) {
        /* the positions go from the position of the longest match to the position of the shortest match; the last
         * position that matches is used or, if `longest` is true, the first */
        const int32_t place = sign == '%' ? i : length - (int32_t)size - i;
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
}

/* Expands the word of ${NAME:-word}. If ${NAME:-word} is inside quotes, the result is one word, even if the value
 * contains blanks. For ${NAME:=word}, the variable `name` also gets the result. name: NULL = no variable gets the
 * result. NOLINTNEXTLINE(misc-no-recursion) */
static void put_default(nnc_shell *s, const char *word, const char *end, bool quoted, const char *name, size_t length,
                        nnc_script_cells *to) {
    const int32_t before = nnc_script_cells_count(to);
    nnc_shell_expand(s, word, end, to);
    nnc_script_cell *all = (nnc_script_cell *)(void *)to->bytes.bytes;
    const int32_t count = nnc_script_cells_count(to) - before;
    for (int32_t i = before; quoted && i < before + count; i++) { all[i].is_kept = true; }
    nnc_script_cells value = { 0 };
    if (name != NULL && all != NULL) {
        nnc_buffer_put(&value.bytes, all + before, (size_t)count * sizeof *all);
        nnc_shell_assign(s, name, length, &value, false, false);
    }
    nnc_buffer_free(&value.bytes);
}

/* Returns the length of the variable name at `at`, of the digits of an argument such as $12, or of $@ and $*. */
static size_t name_or_number_length(const char *at, const char *end) {
    const size_t length = nnc_shell_parameter_length(at), given = (size_t)(end - at);
    if (given > 0 && (*at == '@' || *at == '*')) { return 1; }
    return !isdigit((unsigned char)*at) || length < given ? length : given;
}

const char *nnc_shell_subscript_end(const char *at, const char *end) {
    for (at++; at != NULL && at < end && *at != ']';) {
        const bool expands = *at == '$' && (at[1] == '{' || at[1] == '(');
        at = expands || *at == '"' ? nnc_shell_end_of(at, 0) : at + 1;
    }
    return at != NULL && at < end ? at : NULL;
}

/* Returns the number of cells of "[key]=" at the beginning of an array item; 0 = the item does not begin with this
 * key. */
static int32_t key_length(const nnc_script_cell *from, int32_t count, const char *key) {
    const int32_t length = (int32_t)strlen(key);
    bool has = count >= length + 3 && from[0].c == '[' && from[length + 1].c == ']' && from[length + 2].c == '=';
    for (int32_t i = 0; i < length && has; i++) { has = from[i + 1].c == key[i]; }
    return has ? length + 3 : 0;
}

/* Finds the item of an array for a subscript `key`: the last item of the form "[key]=value", otherwise the item with
 * the number `key`. Returns the cells of the item's value; NULL = the array has no item for the subscript. */
static nnc_script_cell *find_item(const nnc_shell_var *v, const char *key, int32_t *count) {
    nnc_script_cell *found = NULL;
    const size_t digits = strspn(key, "0123456789");
    const long wanted = digits > 0 && digits < 6 && key[digits] == '\0' ? strtol(key, NULL, 10) : -1;
    long number = 0;
    bool is_named = false;
    for (int32_t begin = 0, i = 0; i <= v->count; i++) {
        if (i < v->count && !nnc_script_cell_is_blank(&v->value[i])) { continue; }
        nnc_script_cell *from = v->value + begin;
        const int32_t before = key_length(from, i - begin, key);
        if (before > 0 || (!is_named && i > begin && from->c != '[' && number == wanted)) {
            found = from + before;
            *count = i - begin - before;
            is_named = before > 0;
        }
        number += i > begin ? 1 : 0;
        begin = i + 1;
    }
    return found;
}

/* If a subscript is at *rest, writes the item of the array to `item`, sets *rest to the text after the subscript, and
 * returns `item`. If no subscript is at *rest, returns the variable itself. NULL = the array has no item for the
 * subscript. NOLINTNEXTLINE(misc-no-recursion) */
static const nnc_shell_var *take_item(nnc_shell *s, const nnc_shell_var *v, const char **rest, const char *end,
                                      nnc_shell_var *item) {
    const char *close = *rest < end && **rest == '[' ? nnc_shell_subscript_end(*rest, end) : NULL;
    if (close == NULL) { return v; }
    const char *text = nnc_shell_expand_text(s, *rest + 1, close);
    *rest = close + 1;
    if (v == NULL) { return NULL; }
    *item = (nnc_shell_var){ .name = v->name, .is_unknown = v->is_unknown || strstr(text, "${") != NULL };
    item->value = item->is_unknown ? NULL : find_item(v, text, &item->count);
    return item->is_unknown || item->value != NULL ? item : NULL;
}

/* Returns the variable of argument `number`, such as $3; NULL = the argument is not given. */
static const nnc_shell_var *argument(const nnc_shell *s, int32_t number) {
    char name[16];
    const size_t length = (size_t)snprintf(name, sizeof name, "%d", (int)number);
    return nnc_shell_variable(s, name, length);
}

int32_t nnc_shell_arguments_given(const nnc_shell *s) {
    const nnc_shell_var *v = nnc_shell_variable(s, "@", 1);
    int32_t count = v != NULL && v->count > 0 ? 1 : 0;
    for (int32_t i = 0; v != NULL && i < v->count; i++) { count += nnc_script_cell_is_blank(&v->value[i]) ? 1 : 0; }
    while (v == NULL && count < 99 && argument(s, count + 1) != NULL) { count++; }
    return count;
}

/* Appends "${NAME}" for a variable whose value is not known. An argument that "shift" has renumbered gets the number
 * that it has on the command line. */
static void put_number_or_name(nnc_shell *s, const char *at, size_t length, nnc_script_cells *to) {
    char number[NUMBER_TEXT];
    const char *name = name_of(s, at, &length, number);
    put_unknown(s, name, length, to);
}

/* Expands $@ and $*: all arguments, each as a word, from argument `first` on. The arguments of the script itself become
 * "${@}", unless the user gives them (1=VALUE). */
static void put_arguments(nnc_shell *s, long first, nnc_script_cells *to) {
    const nnc_shell_var *v = nnc_shell_variable(s, "@", 1);
    const int32_t given = nnc_shell_arguments_given(s);
    if (v != NULL) {
        for (int32_t i = 0; i < v->count; i++) {
            first -= nnc_script_cell_is_blank(&v->value[i]) ? 1 : 0;
            if (first <= 1) { nnc_script_cells_put(s, to, v->value[i].c, s->line, v->value[i].is_kept); }
        }
    } else if (given == 0) {
        nnc_script_cells_put_text(s, to, NNC_SHELL_ARGUMENTS, strlen(NNC_SHELL_ARGUMENTS), true);
    }
    const int32_t from = first < 1 ? 1 : first > given ? given + 1 : (int32_t)first; /* $0 is the script */
    for (int32_t i = from; v == NULL && i <= given; i++) {
        if (i > from) { nnc_script_cells_put(s, to, ' ', s->line, false); }
        put_variable(s, argument(s, i), true, false, to);
    }
}

/* Expands ${NAME}, ${NAME:-word}, ${NAME[key]} or ${NAME[@]}; `at` is the name, `end` the closing bracket.
 * NOLINTNEXTLINE(misc-no-recursion,readability-function-cognitive-complexity) */
static void expand_braces(nnc_shell *s, const char *at, const char *end, bool quoted, nnc_script_cells *to) {
    const size_t length = name_or_number_length(at, end);
    const nnc_shell_var *v = nnc_shell_variable(s, at, length);
    const char *rest = at + length;
    bool items = false;
    if (*at == '@' || *at == '*') {
        const bool is_part = rest < end && *rest == ':' && isdigit((unsigned char)rest[1]);
        put_arguments(s, is_part ? strtol(rest + 1, NULL, 10) : 1, to);
        return;
    }
    if (end - rest >= 3 && (strncmp(rest, "[@]", 3) == 0 || strncmp(rest, "[*]", 3) == 0)) {
        rest += 3;
        items = true;
    }
    nnc_shell_var item;
    v = take_item(s, v, &rest, end, &item);
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
        if (!empty) { nnc_shell_expand(s, word, end, to); }
    } else if (empty && (sign == '-' || sign == '=')) {
        put_default(s, word, end, quoted, sign == '=' ? at : NULL, length, to);
    } else if (v == NULL || v->is_unknown) {
        const nnc_shell_var *skipped = v == NULL ? s->skipped : NULL;
        while (skipped != NULL && (strncmp(skipped->name, at, length) != 0 || skipped->name[length] != '\0')) {
            skipped = skipped->next;
        }
        const char *of = skipped != NULL ? skipped->decides : v != NULL ? v->decides : NULL;
        if (of != NULL) {
            put_branch(s, of, to);
        } else {
            put_number_or_name(s, at, length, to);
        }
    } else {
        put_variable(s, v, quoted, items, to);
    }
}

/* Expands $(basename x/y) to "y"; `at` is the word. Returns false if there are several words.
 * NOLINTNEXTLINE(misc-no-recursion) */
static bool expand_base_name(nnc_shell *s, const char *at, const char *end, nnc_script_cells *to) {
    const char *text = nnc_shell_expand_text(s, at, end);
    const char *slash = strrchr(text, '/');
    const bool is_one = strpbrk(text, " \t\n") == NULL;
    text = slash != NULL ? slash + 1 : text;
    if (is_one) { nnc_script_cells_put_text(s, to, text, strlen(text), true); }
    return is_one;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
const char *nnc_shell_expand_one(nnc_shell *s, const char *at, const char *limit, bool quoted, nnc_script_cells *to) {
    const char next = at[1];
    const bool bracket = *at == '`' || next == '(' || next == '{';
    const char *end = bracket ? nnc_shell_end_of(at, 0) : NULL;
    if (bracket && (end == NULL || end > limit)) {
        nnc_shell_refuse(s, "bad syntax, expected the end of an expansion");
        return limit;
    }
    if (end != NULL && strncmp(at, "$((", 3) == 0 && end - at >= 5 && end[-2] == ')') {
        expand_sum(s, at + 3, end - 2, to);
        return end;
    }
    if (end != NULL && strncmp(at, "$(expr ", 7) == 0) {
        expand_sum(s, at + 7, end - 1, to);
        return end;
    }
    if (strncmp(at, "$(basename ", 11) == 0 && expand_base_name(s, at + 11, end - 1, to)) { return end; }
    if (*at == '`' || next == '(') {
        put_unknown(s, at, (size_t)(end - at), to);
        return end;
    }
    if (next == '{') {
        expand_braces(s, at + 2, end - 1, quoted, to);
        return end;
    }
    const bool is_argument = isdigit((unsigned char)next) || next == '@' || next == '*';
    const size_t length = is_argument ? 1 : nnc_shell_name_length(at + 1);
    if (next == '#') {
        char number[NUMBER_TEXT];
        snprintf(number, sizeof number, "%d", (int)nnc_shell_arguments_given(s));
        nnc_script_cells_put_text(s, to, number, strlen(number), true);
        return at + 2;
    }
    if (length == 0) {
        nnc_script_cells_put(s, to, next == '?' ? '0' : '$', s->line, true);
        return at + 1 + (next == '?');
    }
    expand_braces(s, at + 1, at + 1 + length, quoted, to);
    return at + 1 + length;
}

/* NOLINTNEXTLINE(misc-no-recursion,readability-function-cognitive-complexity) */
void nnc_shell_expand(nnc_shell *s, const char *at, const char *end, nnc_script_cells *to) {
    bool quoted = false;
    int32_t opened = 0; /* number of cells of `to` when the quote that is now open began */
    if (++s->nesting > NNC_SHELL_NESTING_MAX) { nnc_shell_refuse(s, "nested too deeply"); }
    while (at < end && nnc_shell_goes_on(s)) {
        const int32_t line = s->line;
        if (*at == '\\' && at + 1 < end) {
            const bool plain = quoted && strchr("$`\"\\\n", at[1]) == NULL;
            if (plain) { nnc_script_cells_put(s, to, '\\', line, true); }
            if (at[1] == '\n') {
                s->line++;
            } else {
                nnc_script_cells_put(s, to, at[1], line, true);
            }
            at += 2;
        } else if (*at == '\'' && !quoted) {
            const char *close = memchr(at + 1, '\'', (size_t)(end - at - 1));
            if (close == at + 1) { nnc_script_cells_put(s, to, '\0', line, true); }
            for (at++; at < end && at != close; at++) {
                nnc_script_cells_put(s, to, *at, s->line, true);
                s->line += *at == '\n';
            }
            at++;
        } else if (*at == '"') {
            /* the empty text "" is a word without characters; a quoted empty array "${A[@]}" is no word at all */
            if (quoted && nnc_script_cells_count(to) == opened && at[-1] != '}') {
                nnc_script_cells_put(s, to, '\0', line, true);
            }
            quoted = !quoted;
            opened = nnc_script_cells_count(to);
            at++;
        } else if (*at == '$' || *at == '`') {
            const char *next = nnc_shell_expand_one(s, at, end, quoted, to);
            s->line = line;
            for (; at < next; at++) { s->line += *at == '\n'; }
        } else if (!quoted && nnc_shell_blank_length(at) > 0) {
            put_unknown(s, at, nnc_shell_blank_length(at), to);
            at += nnc_shell_blank_length(at);
        } else {
            nnc_script_cells_put(s, to, *at, line, quoted);
            s->line += *at == '\n';
            at++;
        }
    }
    s->nesting--;
}

/* ---- here documents ---- */

/* Writes a line "key: value" of a here document, whose value is not known, as "key: ${NAME}". Returns false if the line
 * does not have this form. */
static bool put_unset(nnc_shell *s, const char *at, const char *end, const char *name, nnc_script_cells *to) {
    const char *colon = memchr(at, ':', (size_t)(end - at));
    const char *value = colon != NULL ? colon + 1 + strspn(colon + 1, " ") : end;
    const size_t length = nnc_shell_name_length(name);
    if (value >= end || *value == '\n') { return false; }
    nnc_script_cells_put_text(s, to, at, (size_t)(value - at), true);
    nnc_script_cells_put_text(s, to, "\"${", 3, true);
    nnc_script_cells_put_text(s, to, length > 0 ? name : "?", length > 0 ? length : 1, true);
    nnc_script_cells_put_text(s, to, "}\"\n", 3, true);
    return true;
}

void nnc_shell_expand_line(nnc_shell *s, const char *at, const char *end, nnc_script_cells *to) {
    const char *begin = at;
    nnc_script_cells made = { 0 };
    if (s->writes == NNC_RUNS_MAYBE && put_unset(s, at, end, "branch", to)) { return; }
    while (at < end && nnc_shell_goes_on(s)) {
        if (s->is_plain || (*at != '$' && *at != '`' && *at != '\\')) {
            nnc_script_cells_put(s, &made, *at++, s->line, true);
        } else if (*at == '\\') {
            at += at[1] != '\0' && strchr("$`\\\n", at[1]) != NULL;
            nnc_script_cells_put(s, &made, *at++, s->line, true);
        } else {
            at = nnc_shell_expand_one(s, at, end, true, &made);
        }
    }
    const char *unset = strstr(nnc_script_cells_text(s, (const nnc_script_cell *)(const void *)made.bytes.bytes,
                                                     nnc_script_cells_count(&made)),
                               "${");
    if (unset == NULL || !put_unset(s, begin, end, unset + 2, to)) {
        nnc_buffer_put(&to->bytes, made.bytes.bytes, made.bytes.size);
    }
    nnc_buffer_free(&made.bytes);
}

void nnc_shell_write_file(nnc_shell *s, const nnc_script_cells *text) {
    const char *made = nnc_script_cells_text(s, (const nnc_script_cell *)(const void *)text->bytes.bytes,
                                             nnc_script_cells_count(text));
    nnc_script_file *file = s->script->files;
    while (file != NULL && strcmp(file->path, s->into) != 0) { file = file->next; }
    if (file == NULL) {
        file = nnc_arena_alloc(s->arena, sizeof *file);
        if (file == NULL) {
            s->status = nnc_no_memory(s->err);
            return;
        }
        *file = (nnc_script_file){ .next = s->script->files, .path = s->into, .text = "" };
        s->script->files = file;
    }
    const size_t before = s->appends || s->writes == NNC_RUNS_MAYBE ? strlen(file->text) : 0;
    char *all = nnc_arena_alloc(s->arena, before + strlen(made) + 1);
    if (all == NULL) {
        s->status = nnc_no_memory(s->err);
    } else if (before < NNC_SCRIPT_CELLS_MAX) {
        memcpy(all, file->text, before);
        memcpy(all + before, made, strlen(made) + 1);
        file->text = all;
    }
}

/* ---- commands ----
 *
 * Converts the commands of a shell script to JSON: one object with the options of the launcher, one with the options of
 * the program. */

/* If a word is the name of a launcher, returns the name of the launch format of its options, such as "torchrun";
 * otherwise NULL. */
static const char *launcher_of(const char *text) {
    static const char *const launchers[][2] = {
        { "torchrun", "torchrun" },
        { "torch.distributed.run", "torchrun" },
        { "torch.distributed.launch", "torchrun" },
        { "composer", "torchrun" },
        { "msrun", "torchrun" },
        { "accelerate", "accelerate-launch" },
        { "accelerate.commands.launch", "accelerate-launch" },
        { "deepspeed", "deepspeed-launch" },
        { "srun", "srun" },
        { "mpirun", "mpirun" },
        { "mpiexec", "mpirun" },
    };
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (strcmp(nnc_shell_base_name(text), launchers[i][0]) == 0) { return launchers[i][1]; }
    }
    return NULL;
}

/* Tests whether a word names a training or serving program that a shell starts without python, such as "vllm". */
static bool is_program(const char *text) {
    static const char *const programs[] = { "llamafactory-cli", "axolotl", "vllm", "trtllm-serve", "sglang", "swift" };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(nnc_shell_base_name(text), programs[i]) == 0) { return true; }
    }
    return false;
}

/* Returns the index of the first word that is an interpreter, such as "python" in "srun -n 8 python train.py", between
 * the indexes `from` and `end`; `end` = no word is an interpreter. */
static int32_t interpreter_at(const nnc_script_words *w, int32_t from, int32_t end) {
    static const char *const names[] = { "python", "python3", "bash", "sh", "env" };
    for (; from < end; from++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (strcmp(nnc_shell_base_name(w->items[from].text), names[i]) == 0) { return from; }
        }
    }
    return end;
}

/* Returns the index of the word that names the program of a command: a Python file, the module after -m, or a known
 * program; -1 = the command has no such word. */
static int32_t program_at(const nnc_script_words *w) {
    for (int32_t i = 0; i < w->count; i++) {
        const char *text = w->items[i].text;
        const bool module = i > 0 && strcmp(w->items[i - 1].text, "-m") == 0;
        const bool engine = strcmp(nnc_shell_base_name(text), "vllm") == 0 || strcmp(text, "sglang") == 0;
        const char *next = i + 1 < w->count ? w->items[i + 1].text : "";
        const bool serves = strcmp(next, "serve") == 0; /* true for "vllm serve", false for "vllm bench" */
        const bool swift = strcmp(text, "swift") == 0 && strcmp(next, "sft") != 0 && strcmp(next, "pt") != 0 &&
                           strcmp(next, "rlhf") != 0; /* true for a command of ms-swift that does not train */
        if (nnc_ends_in(text, ".py") || (is_program(text) && (!engine || serves) && !swift) ||
            (module && launcher_of(text) == NULL && strchr(text, '.') != NULL) ||
            (i > 1 && nnc_shell_is_vllm_image(text))) {
            return i;
        }
    }
    return -1;
}

bool nnc_shell_is_option(const char *text) {
    return text[0] == '-' && text[1] != '\0' && !isdigit((unsigned char)text[1]) && text[1] != '.';
}

/* Adds a first member to the JSON options of a program. For a serving engine, the member has the engine and its model,
 * {"vllm":"MODEL",..}. For ms-swift, the member has the task, {"swift":"sft",..}. For a program that is neither a
 * serving engine nor ms-swift, returns `options` unchanged. */
static const char *with_engine(nnc_shell_commands *s, const nnc_script_words *w, int32_t program, const char *options) {
    const char *name = nnc_shell_engine(w->items[program].text);
    if (name == NULL) { return options; }
    const int32_t at = nnc_shell_model_at(w, program);
    const char *model = at >= 0 ? nnc_name_in_folder(w->items[at].text) : "";
    nnc_buffer out = { 0 };
    nnc_buffer_byte(&out, '{');
    nnc_put_json_text(&out, name);
    nnc_buffer_byte(&out, ':');
    nnc_put_json_text(&out, model);
    nnc_buffer_text(&out, options[1] == '}' ? "" : ",");
    nnc_buffer_text(&out, options + 1);
    nnc_buffer_byte(&out, '\0');
    const char *json = out.failed ? NULL : nnc_arena_strdup(s->arena, out.bytes);
    nnc_buffer_free(&out);
    if (json == NULL) { s->status = nnc_no_memory(s->err); }
    return json != NULL ? json : options;
}

/* Returns the index of the word that ends a command inside quotes, such as ">" in "cd x; train.py --a > log"; the
 * number of words if no word ends it. */
static int32_t command_end(const nnc_script_words *w, int32_t from) {
    static const char *const ends[] = { ">", ">>", "<", "|", "||", "&&", ";", "2>&1", "&>", "&>>", "2>", "&" };
    for (; from < w->count; from++) {
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            if (strcmp(w->items[from].text, ends[i]) == 0) { return from; }
        }
    }
    return from;
}

static void add_command(nnc_shell_commands *s, nnc_shell_command made) {
    nnc_shell_command *grown = nnc_arena_grow(s->arena, s->list, s->count, &s->capacity, sizeof *grown);
    if (grown == NULL) {
        s->status = nnc_no_memory(s->err);
        return;
    }
    s->list = grown;
    s->list[s->count++] = made;
}

/* Returns the words of a launcher's options: the words after the launcher, up to `end`. For srun, the options of
 * #SBATCH lines come first, because srun's own options, which come after these, replace them. */
static nnc_script_words launcher_words(nnc_shell_commands *s, const nnc_script_words *w, int32_t launcher,
                                       int32_t end) {
    const bool is_srun = strcmp(launcher_of(w->items[launcher].text), "srun") == 0;
    const int32_t before = is_srun ? s->slurm.count : 0, count = before + end - launcher - 1;
    nnc_script_words all = { .items = nnc_arena_array(s->arena, (size_t)count + 1, sizeof *all.items) };
    if (all.items == NULL) {
        s->status = nnc_no_memory(s->err);
        return all;
    }
    for (int32_t i = 0; i < count; i++) {
        all.items[i] = i < before ? s->slurm.items[i] : w->items[launcher + 1 + i - before];
    }
    all.count = count;
    return all;
}

/* Tests whether a word is the path of a configuration file in YAML or TOML. */
static bool is_config(const char *text) {
    return nnc_ends_in(text, ".yaml") || nnc_ends_in(text, ".yml") || nnc_ends_in(text, ".toml");
}

/* Tests whether an option, such as --config-file, gives the path of the configuration file of a training program. */
static bool names_config(const char *text) {
    static const char *const names[] = { "--config", "--config-file", "--config_file", "--job.config_file",
                                         "--job.config-file" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) { return true; }
    }
    return false;
}

/* Tests whether a program trains, by the last part of the program's name ("maxtext.trainers.pre_train.train",
 * "run_sft.py") or by the word after the name ("axolotl train"). Other programs that read a configuration convert,
 * evaluate or generate. */
static bool trains(const nnc_script_words *w, int32_t program, int32_t end) {
    static const char *const words[] = { "train", "tune", "sft", "dpo", "orpo", "kto" };
    char name[96];
    snprintf(name, sizeof name, "%s", nnc_shell_base_name(w->items[program].text));
    char *suffix = nnc_ends_in(name, ".py") ? strrchr(name, '.') : NULL;
    if (suffix != NULL) { *suffix = '\0'; }
    const char *last = strrchr(name, '.'), *next = program + 1 < end ? w->items[program + 1].text : "";
    last = last != NULL ? last : name;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(last, words[i]) != NULL || strcmp(next, words[i]) == 0) { return true; }
    }
    return false;
}

/* Converts a word KEY=VALUE, or an option, to the option "--key=value", with '_' in place of each '-' of the key. NULL
 * = the word has neither form. is_first: true = the word is before the first option, so the word can be KEY=VALUE. */
static const char *change_of(nnc_shell_commands *s, const char *text, bool is_first) {
    const bool option = nnc_shell_is_option(text);
    const char *key = text + (option ? strspn(text, "-") : 0), *equals = strchr(key, '=');
    const size_t length = equals != NULL ? (size_t)(equals - key) : strlen(key);
    if (!option && (!is_first || equals == NULL || strcspn(key, "/${} ") < length)) { return NULL; }
    char *change = nnc_arena_alloc(s->arena, strlen(key) + 3);
    if (change == NULL) {
        s->status = nnc_no_memory(s->err);
        return NULL;
    }
    snprintf(change, strlen(key) + 3, "--%s", key);
    for (size_t i = 2; i < length + 2; i++) { change[i] = (char)(change[i] == '-' ? '_' : change[i]); }
    return change;
}

/* Finds the configuration file among the words `from` to `end` of a command, and the options of the command that change
 * keys of this file. In "axolotl train FILE --launcher torchrun -- OPTIONS", the words after "--" are options of the
 * launcher. */
static void read_config(nnc_shell_commands *s, const nnc_script_words *w, int32_t from, int32_t end,
                        nnc_shell_command *made) {
    nnc_script_words own = { .items = nnc_arena_array(s->arena, (size_t)(end - from) + 1, sizeof *own.items) };
    bool is_first = true;
    if (own.items == NULL) {
        s->status = nnc_no_memory(s->err);
        return;
    }
    for (int32_t i = from; i < end; i++) {
        const char *text = w->items[i].text;
        is_first = is_first && !nnc_shell_is_option(text);
        if (strcmp(text, "--") == 0 && made->launcher != NULL) {
            made->launcher_options = nnc_shell_options(s, w, i + 1, end, made->launcher);
            break;
        }
        if (strcmp(text, "--launcher") == 0 && i + 1 < end && launcher_of(w->items[i + 1].text) != NULL) {
            made->launcher = launcher_of(w->items[++i].text);
        } else if (names_config(text) && i + 1 < end && is_config(w->items[i + 1].text)) {
            made->config = w->items[++i].text;
        } else if (is_first && is_config(text) && strchr(text, '=') == NULL) {
            made->config = text;
        } else {
            const char *change = change_of(s, text, is_first);
            if (change == NULL && is_first) { continue; }
            own.items[own.count++] = (nnc_script_word){ change != NULL ? change : text, w->items[i].line };
        }
    }
    made->changes = nnc_shell_options(s, &own, 0, own.count, NULL);
}

void nnc_shell_keep(nnc_shell_commands *s, const nnc_script_words *w) {
    const int32_t program = program_at(w);
    int32_t launcher = -1;
    nnc_shell_command made = { .line = 1 };
    for (int32_t i = 0; i < program; i++) { launcher = launcher_of(w->items[i].text) != NULL ? i : launcher; }
    const int32_t end = program < 0 ? 0 : command_end(w, program + 1);
    if (program < 0 || end - program < 2) { return; }
    made.line = w->items[program].line;
    const char *options = nnc_shell_options(s, w, program + 1, end, nnc_shell_base_name(w->items[program].text));
    made.options = with_engine(s, w, program, options);
    made.launcher_options = "{}";
    if (launcher >= 0) {
        made.launcher = launcher_of(w->items[launcher].text);
        const nnc_script_words own = launcher_words(s, w, launcher, interpreter_at(w, launcher + 1, program));
        made.launcher_options = nnc_shell_options(s, &own, 0, own.count, made.launcher);
    }
    if (made.options == options && trains(w, program, end)) { read_config(s, w, program + 1, end, &made); }
    add_command(s, made);
}

bool nnc_shell_has_program(const nnc_script_words *w) { return program_at(w) >= 0; }

bool nnc_shell_starts_unknown(const nnc_script_words *w) {
    bool is_unknown = false;
    for (int32_t i = 1; i < w->count && launcher_of(w->items[0].text) != NULL && program_at(w) < 0; i++) {
        if (is_unknown && nnc_shell_is_option(w->items[i].text)) { return true; }
        is_unknown = !nnc_shell_is_option(w->items[i - 1].text) && strstr(w->items[i].text, "${") != NULL;
    }
    return false;
}

void nnc_shell_keep_options(nnc_shell_commands *s, const nnc_script_words *w) {
    add_command(s, (nnc_shell_command){ .options = nnc_shell_options(s, w, 0, w->count, ""),
                                        .launcher_options = "{}",
                                        .line = w->items[0].line });
}

nnc_status nnc_shell_arguments(nnc_arena *arena, char **list, int count, nnc_shell_command *command, nnc_error *err) {
    nnc_shell_commands s = { .arena = arena, .err = err };
    nnc_script_words w = { .items = nnc_arena_array(arena, (size_t)count, sizeof(nnc_script_word)), .count = count };
    if (w.items == NULL) { return nnc_no_memory(err); }
    for (int i = 0; i < count; i++) { w.items[i] = (nnc_script_word){ list[i], 1 }; }
    if (!nnc_shell_is_option(list[0])) { nnc_shell_keep(&s, &w); }
    if (s.count > 0) {
        *command = s.list[0];
    } else {
        command->options = nnc_shell_options(&s, &w, 0, count, "");
    }
    return s.status;
}
