/* Finds the commands of a shell script that start programs, without running the script.
 *
 *     text -> tokens -> commands, one after the other. An assignment changes a variable. A command that starts a
 *     program with options is stored, after its words were expanded.
 *
 * A condition of the script is evaluated if the values in it are known. An assignment in a loop, or in a branch that
 * may not run, makes the value of its variable unknown.
 *
 * The body of a function is read at the command that calls the function. Another script that a command reads ("source
 * x.sh") or runs ("sbatch x.sh") is read in place of this command, if the file is found. If a script starts no program
 * and only sets variables for another script, the options in these variables are used. The text of a here document that
 * `cat` writes to a file is stored, because a command may name this file. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "launch/launch_internal.h"

enum {
    SOURCES_MAX = 16, /* largest number of other scripts that are read in place of commands */
    CALLS_MAX = 100,  /* CALLS_MAX: largest number of function calls that are read; CALLS_DEEP: largest number of calls
                       * inside each other */
    CALLS_DEEP = 6
};

static void read_text(nnc_shell *s, bool is_function);
static void begin_function(nnc_shell *s, const char *name);

typedef struct token {
    const char *at;
    size_t length; /* number of characters of the token; 0: the script has ended */
    bool is_word;
} token;

static bool is_token(const token *t, const char *text) {
    return t->length == strlen(text) && strncmp(t->at, text, t->length) == 0;
}

/* Reads a here document from s->at, the line after its command, to its end word. */
static void read_document(nnc_shell *s) {
    nnc_script_cells text = { 0 };
    while (s->marker != NULL && *s->at != '\0' && nnc_shell_goes_on(s)) {
        const char *begin = s->at + strspn(s->at, "\t");
        const size_t length = strcspn(begin, "\n");
        const bool last = length == s->marker_length && strncmp(begin, s->marker, length) == 0;
        const char *end = begin + length + (begin[length] == '\n');
        if (!last && s->into != NULL && s->writes != NNC_RUNS_NOT) { nnc_shell_expand_line(s, begin, end, &text); }
        s->at = end;
        s->line++;
        s->marker = last ? NULL : s->marker;
    }
    if (s->into != NULL && s->writes != NNC_RUNS_NOT && nnc_shell_goes_on(s)) { nnc_shell_write_file(s, &text); }
    s->into = NULL;
    nnc_buffer_free(&text.bytes);
}

static void skip_blanks(nnc_shell *s) {
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

/* Returns the end of the shell word that begins at `at`. An array assignment "A=(..)" is one word. */
static const char *word_end(nnc_shell *s, const char *at) {
    const char *begin = at;
    while (*at != '\0' && (strchr(" \t\r\n;&|<>()", *at) == NULL || nnc_shell_blank_length(at) > 0)) {
        const bool expands = *at == '`' || (*at == '$' && (at[1] == '(' || at[1] == '{'));
        if (*at == '\\' && at[1] != '\0') {
            at += 2;
        } else if (expands || *at == '\'' || *at == '"') {
            at = nnc_shell_end_of(at, 0);
            if (at == NULL) {
                nnc_shell_refuse(s, "bad syntax, expected the end of a quoted text");
                return begin;
            }
        } else {
            const size_t blank = nnc_shell_blank_length(at);
            at += blank > 0 ? blank : 1;
        }
        if (*at == '(' && at[-1] == '=' && nnc_shell_name_length(begin) > 0) {
            const char *end = nnc_shell_end_of(at, 0);
            if (end != NULL) { return end; }
        }
    }
    return at;
}

/* Returns the token at s->at, and sets s->at to its end. s->line stays the line where the token begins; the caller
 * calls pass() to add the line breaks of the token. */
static token next_token(nnc_shell *s) {
    static const char *const operators[] = { "&&", "||", ";;", "<<<", "<<", "&>>", ">>", ">&", "<&", "&>",
                                             "((", ";",  "&",  "|",   "(",  ")",   "<",  ">",  "\n" };
    skip_blanks(s);
    token t = { .at = s->at };
    const bool is_blank = nnc_shell_blank_length(s->at) > 0;
    for (size_t i = 0; i < sizeof operators / sizeof *operators && t.length == 0 && !is_blank; i++) {
        if (strncmp(s->at, operators[i], strlen(operators[i])) == 0) { t.length = strlen(operators[i]); }
    }
    if (t.length == 0 && *s->at != '\0') {
        t.length = (size_t)(word_end(s, s->at) - s->at);
        t.is_word = true;
    }
    s->at += t.length;
    return t;
}

static void pass(nnc_shell *s, const token *t) {
    for (size_t i = 0; i < t->length; i++) { s->line += t->at[i] == '\n'; }
}

static const char *token_text(nnc_shell *s, const token *t) {
    char *text = nnc_arena_alloc(s->arena, t->length + 1);
    if (text == NULL) {
        s->status = nnc_no_memory(s->err);
        return "";
    }
    memcpy(text, t->at, t->length);
    text[t->length] = '\0';
    return text;
}

static void add_word(nnc_shell *s, nnc_script_words *to, const nnc_script_cell *from, int32_t count) {
    nnc_script_word *grown = nnc_arena_grow(s->arena, to->items, to->count, &to->capacity, sizeof *to->items);
    if (grown == NULL) {
        s->status = nnc_no_memory(s->err);
        return;
    }
    to->items = grown;
    to->items[to->count++] = (nnc_script_word){ nnc_script_cells_text(s, from, count), from->line };
}

/* Divides an expanded value into words. Words end at unquoted spaces. at_all: true = words also end at quoted
 * spaces. */
static void split(nnc_shell *s, const nnc_script_cell *all, int32_t count, bool at_all, nnc_script_words *to) {
    int32_t begin = 0;
    for (int32_t i = 0; i <= count; i++) {
        const bool blank =
            i == count || nnc_script_cell_is_blank(&all[i]) || (at_all && isspace((unsigned char)all[i].c));
        if (blank && i > begin) { add_word(s, to, all + begin, i - begin); }
        begin = blank ? i + 1 : begin;
    }
}

static void expand_words(nnc_shell *s, const token *t, nnc_script_words *to) {
    nnc_script_cells all = { 0 };
    const int32_t line = s->line;
    /* true: the token is a whole command in quotes, because the token follows "bash -c", eval or --command */
    const char *last = to->count > 0 ? to->items[to->count - 1].text : "";
    const bool inner = strcmp(last, "-c") == 0 || strcmp(last, "eval") == 0 || strcmp(last, "-lc") == 0 ||
                       strcmp(last, "--command") == 0 || (t->length > 10 && strncmp(t->at, "--command=", 10) == 0);
    /* the shell that bash -c starts expands the variables of a command in single quotes */
    const size_t quotes = inner && t->length > 2 && t->at[0] == '\'' && t->at[t->length - 1] == '\'' ? 1 : 0;
    nnc_shell_expand(s, t->at + quotes, t->at + t->length - quotes, &all);
    const nnc_script_cell *list = (const nnc_script_cell *)(const void *)all.bytes.bytes;
    if (nnc_shell_goes_on(s) && list != NULL) { split(s, list, nnc_script_cells_count(&all), inner, to); }
    nnc_buffer_free(&all.bytes);
    s->line = line;
}

/* Stores a command of the script that starts a program, unless it is certain that the command does not run. */
static void keep(nnc_shell *s, const nnc_script_words *w) {
    if (s->runs != NNC_RUNS_NOT && nnc_shell_goes_on(s)) {
        nnc_shell_keep_command(s, w);
        s->status = s->made.status;
        s->starts_unknown = s->starts_unknown || nnc_shell_starts_unknown(w);
    }
}

/* Returns the certainty that a branch of a construct runs, from the certainty that the construct runs (`outside`) and
 * that the condition of the branch is true (`condition`). */
static nnc_certainty both(nnc_certainty outside, nnc_certainty condition) {
    return outside == NNC_RUNS_NOT || condition == NNC_RUNS_NOT       ? NNC_RUNS_NOT
           : outside == NNC_RUNS_MAYBE || condition == NNC_RUNS_MAYBE ? NNC_RUNS_MAYBE
                                                                      : NNC_RUNS;
}

static nnc_shell_frame *open_frame(nnc_shell *s, char kind) {
    if (s->depth == NNC_SHELL_NESTING_MAX) {
        nnc_shell_refuse(s, "nested too deeply");
        return &s->frames[NNC_SHELL_NESTING_MAX - 1];
    }
    nnc_shell_frame *f = &s->frames[s->depth++];
    *f = (nnc_shell_frame){ .kind = kind, .outside = s->runs, .behind = s->runs, .taken = NNC_RUNS_NOT };
    return f;
}

static void close_frame(nnc_shell *s, char kind) {
    if (s->depth == 0 || s->frames[s->depth - 1].kind != kind) {
        nnc_shell_refuse(s, "bad syntax, expected the end of the innermost construct");
        return;
    }
    s->runs = s->frames[--s->depth].behind;
}

static nnc_shell_frame *top(nnc_shell *s) { return s->depth > 0 ? &s->frames[s->depth - 1] : NULL; }

/* Skips the tokens of the script up to one of two words, such as "do", and this word itself. */
static void skip_to(nnc_shell *s, const char *a, const char *b) {
    for (;;) {
        const token t = next_token(s);
        pass(s, &t);
        if (t.length == 0 || !nnc_shell_goes_on(s) || is_token(&t, a) || is_token(&t, b)) { return; }
    }
}

/* Reads the head of a loop, "for NAME in ..". The value of the variable NAME becomes unknown, because the loop changes
 * the variable. */
static void begin_for(nnc_shell *s) {
    static const nnc_script_cells none = { 0 };
    open_frame(s, 'l');
    s->runs = both(s->runs, NNC_RUNS_MAYBE);
    const token name = next_token(s);
    if (name.is_word) { nnc_shell_assign(s, name.at, nnc_shell_name_length(name.at), &none, false, false); }
    skip_to(s, "do", "do");
}

/* Finds the first variable without a known value in the words of a condition, and stores its name: this variable
 * decides the condition. */
static void note_decides(nnc_shell *s, const nnc_script_words *w) {
    static const char branch[] = "branch:";
    for (int32_t i = 0; i < w->count; i++) {
        const char *at = strstr(w->items[i].text, "${");
        at = at != NULL ? at + 2 + (strncmp(at + 2, branch, sizeof branch - 1) == 0 ? sizeof branch - 1 : 0) : "";
        const size_t length = nnc_shell_parameter_length(at);
        char *name =
            length > 0 && at[length] == '}' && strncmp(at, "branch}", 7) != 0 ? nnc_arena_strdup(s->arena, at) : NULL;
        if (name != NULL) {
            name[length] = '\0';
            s->decides = name;
            return;
        }
    }
}

/* Reads the head of a case, "case WORD in". */
static void begin_case(nnc_shell *s) {
    nnc_script_words w = { 0 };
    token t = next_token(s);
    expand_words(s, &t, &w);
    pass(s, &t);
    nnc_shell_frame *f = open_frame(s, 'c');
    f->at_pattern = true;
    f->subject = w.count == 0 ? "" : nnc_shell_operand(w.items[0].text, s);
    s->decides = NULL;
    note_decides(s, &w);
    f->decides = s->decides;
    skip_to(s, "in", "in");
}

/* Reads the patterns before a branch of a case, "a|b)", and sets the certainty that the branch runs. */
static void read_patterns(nnc_shell *s, token t) {
    nnc_shell_frame *f = top(s);
    nnc_certainty met = NNC_RUNS_NOT;
    while (t.length > 0 && nnc_shell_goes_on(s) && !is_token(&t, ")")) {
        nnc_script_words w = { 0 };
        if (t.is_word) {
            expand_words(s, &t, &w);
            const char *text = w.count > 0 ? w.items[0].text : "";
            const nnc_certainty one = f->subject == NULL || (strpbrk(text, "*?[$") != NULL && strcmp(text, "*") != 0)
                                          ? NNC_RUNS_MAYBE
                                          : nnc_shell_truth(strcmp(text, "*") == 0 || strcmp(text, f->subject) == 0);
            met = one > met ? one : met;
        }
        pass(s, &t);
        t = next_token(s);
    }
    met = both(met, nnc_shell_not(f->taken));
    s->runs = both(f->outside, met);
    f->taken = met > f->taken ? met : f->taken;
    f->at_pattern = false;
}

/* Begins a branch of an if (then, elif or else). condition: certainty that the condition of the branch is true;
 * NNC_RUNS for an else. */
static void begin_branch(nnc_shell *s, nnc_certainty condition) {
    nnc_shell_frame *f = top(s);
    if (f == NULL || f->kind != 'i') {
        nnc_shell_refuse(s, "bad syntax, expected an earlier if");
        return;
    }
    const nnc_certainty met = both(condition == NNC_RUNS_LIKELY ? NNC_RUNS_MAYBE : condition, nnc_shell_not(f->taken));
    f->decides = s->decides;
    s->runs = both(f->outside, met);
    f->taken = met > f->taken ? met : f->taken;
    s->in_condition = false;
}

/* Handles a shell keyword that begins or ends a construct, such as "if" or "done". Returns false if the word is no
 * keyword. */
static bool take_keyword(nnc_shell *s, const token *t) {
    nnc_shell_frame *f = top(s);
    if (is_token(t, "if")) {
        open_frame(s, 'i');
        s->in_condition = true;
        s->decides = NULL;
    } else if (is_token(t, "then")) {
        begin_branch(s, s->last);
    } else if (is_token(t, "elif") || is_token(t, "else")) {
        if (f == NULL || f->kind != 'i') {
            nnc_shell_refuse(s, "bad syntax, expected an earlier if");
            return true;
        }
        s->runs = f->outside;
        s->in_condition = is_token(t, "elif");
        if (!s->in_condition) { begin_branch(s, NNC_RUNS); }
    } else if (is_token(t, "fi")) {
        close_frame(s, 'i');
    } else if (is_token(t, "for") || is_token(t, "select")) {
        begin_for(s);
    } else if (is_token(t, "while") || is_token(t, "until")) {
        open_frame(s, 'l');
    } else if (is_token(t, "do") && f != NULL && f->kind == 'l') {
        s->runs = both(f->outside, s->last == NNC_RUNS_NOT ? NNC_RUNS_NOT : NNC_RUNS_MAYBE);
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

/* Expands the items of an array "(a b c)" and appends them, with blanks between, to the cells `to`. */
static void read_items(nnc_shell *s, const char *at, const char *end, nnc_script_cells *to) {
    const char *after = s->at;
    const int32_t line = s->line;
    s->at = at;
    while (s->at < end && nnc_shell_goes_on(s)) {
        const token t = next_token(s);
        if (t.at >= end || t.length == 0) { break; }
        if (t.is_word) {
            if (nnc_script_cells_count(to) > 0) { nnc_script_cells_put(s, to, ' ', s->line, false); }
            const int32_t before = s->line;
            nnc_shell_expand(s, t.at, t.at + t.length, to);
            s->line = before;
        }
        pass(s, &t);
    }
    s->at = after;
    s->line = line;
}

/* Handles an assignment of the script: NAME=value, NAME+=value, NAME=(a b) or NAME[key]=value. Returns false if the
 * word is no assignment. */
static bool take_assignment(nnc_shell *s, const token *t) {
    const size_t digits = strspn(t->at, "0123456789"); /* a name of digits is an argument of the script, such as 1
                                                        * for $1 */
    const size_t length = digits > 0 && t->at[digits] == '=' ? digits : nnc_shell_name_length(t->at);
    const char *end = t->at + t->length;
    const char *close = length > 0 && t->at[length] == '[' ? nnc_shell_subscript_end(t->at + length, end) : NULL;
    const char *after = close != NULL ? close + 1 : t->at + length;
    const bool append = *after == '+';
    const char *value = after + append + 1;
    if (length == 0 || after[append] != '=') { return false; }
    nnc_script_cells cells_of = { 0 };
    const bool is_array = value < end && *value == '(';
    const int32_t line = s->line;
    if (close != NULL) {
        nnc_shell_expand(s, t->at + length, value, &cells_of); /* the item "[key]=value" keeps its
                                                                * key */
    }
    if (is_array) {
        read_items(s, value + 1, end - 1, &cells_of);
    } else {
        nnc_shell_expand(s, value, end, &cells_of);
    }
    s->line = line;
    if (nnc_shell_goes_on(s)) {
        nnc_shell_assign(s, t->at, length, &cells_of, append || close != NULL, is_array || close != NULL);
        nnc_shell_var *v = close != NULL ? nnc_shell_variable(s, t->at, length) : NULL;
        if (v != NULL && (append || s->runs == NNC_RUNS_MAYBE)) { v->is_unknown = true; }
    }
    nnc_buffer_free(&cells_of.bytes);
    return true;
}

/* Evaluates the arithmetic command ((..)), from the position after "((". Returns the certainty that the command
 * succeeds, that is, that its result is not 0. */
static nnc_certainty read_sum(nnc_shell *s) {
    double result = 0.0;
    const char *end = strstr(s->at, "))");
    if (end == NULL) {
        nnc_shell_refuse(s, "bad syntax, expected \"))\"");
        return NNC_RUNS_MAYBE;
    }
    const char *text = nnc_shell_expand_text(s, s->at, end);
    const bool known = nnc_shell_goes_on(s) && nnc_shell_calculate(s, text, &result);
    s->at = end + 2;
    return known ? nnc_shell_truth(result > 0.0 || result < 0.0) : NNC_RUNS_MAYBE;
}

/* Handles a redirection: the operator `of` (<, >, << ...) and the word after it. The text of a here document (<<)
 * begins on the next line. */
static void take_redirection(nnc_shell *s, const token *of, const char **file) {
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

/* Tests whether a token is the number of a file descriptor, a digit directly before < or >, as in "2> log". */
static bool is_descriptor(const nnc_shell *s, const token *t) {
    return t->length == 1 && isdigit((unsigned char)*t->at) && (*s->at == '<' || *s->at == '>');
}

/* Reads a text in place of a command: another script, or the body of a function up to its '}'.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void read_instead(nnc_shell *s, const char *name, const char *text, int32_t line, int32_t reads_at,
                         bool is_function) {
    const nnc_shell outer = *s;
    s->name = name;
    s->at = text;
    s->line = line;
    s->reads_at = reads_at;
    s->depth = 0;
    s->marker = NULL;
    s->after[0] = '\0';
    if (is_function) { open_frame(s, 'f'); }
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
    s->last = NNC_RUNS_LIKELY;
}

static void read_slurm(nnc_shell *s, const char *text);

/* Reads the script x.sh of "source x.sh". If the path begins with an unknown variable, "${A}/x.sh", looks for the rest
 * of the path. job: the options of sbatch as #SBATCH lines; NULL = the script is not submitted.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void read_source(nnc_shell *s, const char *path, const char *job) {
    const char *known = strrchr(path, '}');
    const char *from = known != NULL && known[1] == '/' ? known + 2 : path;
    const bool is_named = s->script->read != NULL && strstr(from, "${") == NULL;
    const char *text = is_named && s->sources < SOURCES_MAX ? s->script->read(s->script->context, from) : NULL;
    s->sources += is_named ? 1 : 0;
    if (text == NULL) {
        const char *argument = strstr(path, "${");
        while (argument != NULL && (argument == path || !isdigit((unsigned char)argument[2]))) {
            argument = strstr(argument + 2, "${");
        }
        char what[256];
        s->sourced = path;
        if (argument == NULL) { return; }
        snprintf(what, sizeof what, "reads %.120s, expected %.*s=VALUE among the arguments", path,
                 (int)nnc_shell_parameter_length(argument + 2), argument + 2);
        /* the script whose path is an argument of this script may set options of the command */
        nnc_shell_refuse(s, what);
        return;
    }
    const int32_t before = s->reads_at, reads_at = before > 0 ? before : s->line;
    s->reads_at = reads_at;
    if (job != NULL) {
        read_slurm(s, text);
        read_slurm(s, job);
    }
    s->reads_at = before;
    read_instead(s, from, text, 1, reads_at, false);
}

/* Stores the position of a function's body, so that it is read when a command calls the function. While the definition
 * of the function is read, the commands of its body do not run. */
static void begin_function(nnc_shell *s, const char *name) {
    if (s->runs != NNC_RUNS_NOT) {
        nnc_shell_function *f = nnc_arena_alloc(s->arena, sizeof *f);
        if (f == NULL) {
            s->status = nnc_no_memory(s->err);
            return;
        }
        *f = (nnc_shell_function){ s->functions, name, s->name, s->at, s->line, s->reads_at };
        s->functions = f;
    }
    open_frame(s, 'f');
    s->runs = NNC_RUNS_NOT;
}

/* Adds a variable that takes precedence over earlier variables with the same name. The value of the new variable is the
 * cells `value`. */
static void add_variable(nnc_shell *s, const char *name, const nnc_script_cells *value, bool is_unknown) {
    nnc_shell_var *v = nnc_arena_alloc(s->arena, sizeof *v);
    if (v == NULL) {
        s->status = nnc_no_memory(s->err);
        return;
    }
    *v = (nnc_shell_var){ .next = s->variables, .name = name };
    s->variables = v;
    nnc_shell_assign(s, name, 1, value, false, true);
    v->is_unknown = is_unknown;
}

/* Sets $1 to $9 and $@ to the words of a call, from index `from` on. */
static void set_arguments(nnc_shell *s, const nnc_script_words *w, int32_t from) {
    static const char *const names[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9" };
    const nnc_certainty runs = s->runs;
    nnc_script_cells all = { 0 };
    s->shifted = 0;
    s->runs = NNC_RUNS;
    for (int32_t i = 0; (from + i < w->count || i < (int32_t)NNC_COUNT_OF(names)) && nnc_shell_goes_on(s); i++) {
        nnc_script_cells value = { 0 };
        const char *text = from + i < w->count ? w->items[from + i].text : "";
        nnc_script_cells_put_text(s, &value, text, strlen(text), true);
        if (i > 0 && from + i < w->count) { nnc_script_cells_put(s, &all, ' ', s->line, false); }
        nnc_buffer_put(&all.bytes, value.bytes.bytes, value.bytes.size);
        if (i < (int32_t)NNC_COUNT_OF(names)) {
            add_variable(s, names[i], &value, runs == NNC_RUNS_MAYBE || strstr(text, "${") != NULL);
        }
        nnc_buffer_free(&value.bytes);
    }
    if (nnc_shell_goes_on(s)) { add_variable(s, "@", &all, false); }
    nnc_buffer_free(&all.bytes);
    s->runs = runs;
}

/* Removes the arguments of a call that has been read, so that $1 to $9 have the values of the caller again. before: the
 * value of s->variables before the call. */
static void drop_arguments(const nnc_shell *s, const nnc_shell_var *before) {
    for (nnc_shell_var *v = s->variables; v != before && v != NULL; v = v->next) {
        if (isdigit((unsigned char)v->name[0]) || v->name[0] == '@') { v->name = ""; }
    }
}

/* Handles the commands "shift" and "set -- WORDS". Returns false for another command. */
static bool shift(nnc_shell *s, const nnc_script_words *w) {
    const bool is_shift = strcmp(w->items[0].text, "shift") == 0;
    const bool is_set = strcmp(w->items[0].text, "set") == 0 && w->count > 2 && strcmp(w->items[1].text, "--") == 0;
    const nnc_shell_var *v = nnc_shell_variable(s, "@", 1);
    const long number = is_shift && w->count > 1 ? strtol(w->items[1].text, NULL, 10) : 1;
    nnc_script_words all = { 0 };
    if (is_set) {
        set_arguments(s, w, 2);
    } else if (is_shift && v == NULL) {
        s->shifted += number > 0 && number < 100 ? (int32_t)number : 0;
    } else if (is_shift) {
        split(s, v->value, v->count, false, &all);
        set_arguments(s, &all, number > 0 && number < all.count ? (int32_t)number : all.count);
    }
    return is_shift || is_set;
}

/* Reads the body of a function that a command calls, with its arguments. Returns false if the script has no function
 * with the name of the command. NOLINTNEXTLINE(misc-no-recursion): at most CALLS_DEEP deep */
static bool call(nnc_shell *s, const nnc_script_words *w) {
    const nnc_shell_var *before = s->variables;
    const int32_t shifted = s->shifted;
    const nnc_shell_function *f = s->functions;
    while (f != NULL && strcmp(f->name, w->items[0].text) != 0) { f = f->next; }
    if (f == NULL || s->calls == CALLS_MAX || s->called == CALLS_DEEP) { return f != NULL; }
    set_arguments(s, w, 1);
    if (!nnc_shell_goes_on(s)) { return true; }
    s->calls++;
    s->called++;
    read_instead(s, f->file, f->body, f->line, f->reads_at > 0 && s->reads_at == 0 ? s->line : s->reads_at, true);
    s->called--;
    drop_arguments(s, before);
    s->shifted = shifted;
    return true;
}

/* Returns the index of the word that names a script which the command runs, as in "bash x.sh" or "sbatch --nodes=2
 * x.sh"; -1 = the command runs no script. */
static int32_t script_at(const nnc_script_words *w) {
    static const char *const starts[] = { "bash", "sh", "sbatch" };
    static const char *const ends[] = { ".sh", ".slurm", ".sbatch" };
    bool is_start = false;
    for (size_t i = 0; i < sizeof starts / sizeof *starts && w->count > 0; i++) {
        is_start = is_start || strcmp(w->items[0].text, starts[i]) == 0;
    }
    for (int32_t at = is_start ? 1 : 0; at < (is_start ? w->count : 1) && at < w->count; at++) {
        if (strcmp(w->items[at].text, "-c") == 0) { return -1; }
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            if (nnc_ends_in(w->items[at].text, ends[i])) { return at; }
        }
    }
    return -1;
}

/* Reads a script that a command runs, if the script is found, with the arguments of the command. The options of sbatch
 * take precedence over the #SBATCH lines of the script. Returns false if the command runs no script.
 * NOLINTNEXTLINE(misc-no-recursion) */
static bool run_script(nnc_shell *s, const nnc_script_words *w) {
    const nnc_shell_var *before = s->variables;
    const int32_t at = script_at(w), shifted = s->shifted;
    nnc_buffer job = { 0 };
    if (at < 0 || s->runs == NNC_RUNS_NOT) { return false; }
    for (int32_t i = 1; i < at; i++) {
        nnc_buffer_print(&job, nnc_shell_is_option(w->items[i].text) ? "\n#SBATCH %s" : " %s", w->items[i].text);
    }
    nnc_buffer_byte(&job, '\0');
    set_arguments(s, w, at + 1);
    if (job.failed) { s->status = nnc_no_memory(s->err); }
    if (nnc_shell_goes_on(s)) {
        read_source(s, w->items[at].text, strcmp(w->items[0].text, "sbatch") == 0 ? job.bytes : NULL);
        drop_arguments(s, before);
        s->shifted = shifted;
    }
    nnc_buffer_free(&job);
    return true;
}

/* Reads one command of the script. Returns the operator that ends the command, such as "&&" or a line end. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): a list of cases */
static token read_command(nnc_shell *s) {
    nnc_script_words w = { 0 };
    const char *file = NULL; /* file into which the output of the command is redirected; NULL = no file */
    bool at_begin = true, negated = false, is_sum = false, declares = false;
    nnc_certainty sum_truth = NNC_RUNS_MAYBE;
    const int depth = s->depth;
    const nnc_certainty outside = s->runs, before = s->after[0] == '&' ? s->last : NNC_RUNS;
    if (s->after[0] == '&') {
        s->runs = both(outside, s->last == NNC_RUNS_LIKELY ? NNC_RUNS : s->last);
    } else if (s->after[0] == '|') {
        s->runs = both(outside, nnc_shell_not(s->last));
    }
    token t = next_token(s);
    for (; t.length > 0 && nnc_shell_goes_on(s); t = next_token(s)) {
        const nnc_shell_frame *f = top(s);
        if (at_begin && f != NULL && f->kind == 'c' && f->at_pattern && !is_token(&t, "\n") && !is_token(&t, "esac")) {
            if (is_token(&t, "(")) { t = next_token(s); }
            read_patterns(s, t);
            s->after[0] = '\0';
            return (token){ .at = ";", .length = 1 };
        }
        if (at_begin && t.is_word && take_keyword(s, &t)) {
            negated = negated != is_token(&t, "!");
            if (!is_token(&t, "!") && !is_token(&t, "time")) {
                if (s->depth > depth) {
                    s->frames[depth].behind = outside; /* commands after the construct run with the certainty from
                                                        * before the construct, as in "a || { b; } c" */
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
        } else if (is_descriptor(s, &t)) { /* skips the number of a file descriptor before < or >, as in 2>&1 */
            continue;
        } else if (t.is_word && at_begin && take_assignment(s, &t)) {
            s->last = NNC_RUNS;
        } else if (t.is_word) {
            const bool is_declaration = at_begin && (is_token(&t, "export") || is_token(&t, "local") ||
                                                     is_token(&t, "declare") || is_token(&t, "readonly"));
            const bool option = declares && at_begin && t.at[0] == '-'; /* true: an option of a declaration, as in
                                                                         * "declare -a" */
            declares = declares || is_declaration;
            if (!is_declaration && !option) {
                expand_words(s, &t, &w);
                at_begin = false;
            }
        } else if (is_token(&t, "(") && w.count == 1) { /* this is the beginning of a function, "name() {" */
            skip_to(s, "{", "{");
            begin_function(s, w.items[0].text);
            if (s->depth > depth) { s->frames[depth].behind = outside; }
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
    if (w.count > 0 && nnc_shell_goes_on(s)) { nnc_shell_edit(s, &w, file, is_token(&t, "|")); }
    if (s->marker != NULL && w.count == 1 && strcmp(first, "cat") == 0) {
        s->into = file;
        s->writes = s->runs;
    }
    if (w.count > 0 && (goes_on_test || strcmp(first, "[[") == 0)) {
        s->in_test = strcmp(w.items[w.count - 1].text, "]]") != 0;
    }
    if (s->runs == NNC_RUNS_NOT) { /* it is certain that this command does not run, so the command has no effect */
        s->runs = outside;
        return t;
    }
    if (first[0] == '[' || strcmp(first, "test") == 0 || goes_on_test) { note_decides(s, &w); }
    if (is_sum) {
        s->last = sum_truth;
    } else if (strcmp(first, "[") == 0 || strcmp(first, "[[") == 0 || strcmp(first, "test") == 0) {
        s->last = both(before, nnc_shell_test(s, &w, 1));
    } else if (goes_on_test && w.count > 0) {
        s->last = both(before, nnc_shell_test(s, &w, 0));
    } else if (w.count > 1 && (strcmp(first, ".") == 0 || strcmp(first, "source") == 0)) {
        read_source(s, w.items[1].text, NULL);
        s->last = NNC_RUNS_LIKELY;
    } else if (w.count > 0 && (shift(s, &w) || call(s, &w) || run_script(s, &w))) {
        s->last = NNC_RUNS_LIKELY;
    } else if (w.count > 0) {
        s->last = strcmp(first, "false") == 0 ? NNC_RUNS_NOT : strcmp(first, "true") == 0 ? NNC_RUNS : NNC_RUNS_LIKELY;
        keep(s, &w);
    }
    s->last = negated ? nnc_shell_not(s->last) : s->last;
    s->runs = outside;
    return t;
}

/* Handles the operator after a command: stores && or ||, reads here documents after a line end, and ends a branch or a
 * bracket. && inside [[ .. ]] is handled as the end of a command; s->in_test then says that the next words belong to
 * the test. */
static void take_end(nnc_shell *s, const token *t) {
    s->after[0] = '\0';
    if (is_token(t, "&&") || is_token(t, "||")) {
        s->after[0] = t->at[0];
    } else if (is_token(t, "\n")) {
        pass(s, t);
        read_document(s);
    } else if (is_token(t, ";;")) {
        nnc_shell_frame *f = top(s);
        if (f != NULL && f->kind == 'c') {
            f->at_pattern = true;
            s->runs = f->outside;
        }
    } else if (is_token(t, ")")) {
        if (top(s) != NULL && top(s)->kind == '(') { close_frame(s, '('); }
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void read_text(nnc_shell *s, bool is_function) {
    while (nnc_shell_goes_on(s) && *s->at != '\0' && (!is_function || s->depth > 0)) {
        const token t = read_command(s);
        take_end(s, &t);
    }
}

/* Reads lines such as "#SBATCH --nodes=2". Sets the variables that Slurm sets (SLURM_NNODES ...), and stores the
 * options of the #SBATCH lines for a program that srun starts. */
static void read_slurm(nnc_shell *s, const char *text) {
    const int32_t line = s->line;
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
        for (; counted < at; counted++) { s->line += *counted == '\n' ? 1 : 0; }
        const char *option = at + 7 + strspn(at + 7, " \t");
        nnc_script_cells words = { 0 };
        nnc_script_cells_put_text(s, &words, option, strcspn(option, "#\n"), false);
        split(s, (const nnc_script_cell *)(const void *)words.bytes.bytes, nnc_script_cells_count(&words), true,
              &s->made.slurm);
        nnc_buffer_free(&words.bytes);
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            const size_t length = strlen(options[i][0]);
            const bool is = strncmp(option, options[i][0], length) == 0;
            const char *value = is ? option + length + strspn(option + length, "= \t") : option;
            const size_t digits = strspn(value, "0123456789");
            if (is && value > option + length && digits > 0) {
                nnc_script_cells number = { 0 };
                nnc_script_cells_put_text(s, &number, value, digits, true);
                nnc_shell_assign(s, options[i][1], strlen(options[i][1]), &number, false, false);
                nnc_buffer_free(&number.bytes);
            }
        }
    }
    s->line = line;
}

/* Adds the option --tokenizer-model to the options of the script, if the script sets the variable TOKENIZER_MODEL: the
 * tokenizer decides the size of the vocabulary. */
static void add_tokenizer(nnc_shell *s, nnc_script_words *options) {
    static const char text[] = "--tokenizer-model ${TOKENIZER_MODEL}";
    const token t = { .at = text, .length = sizeof text - 1 };
    bool is_given = nnc_shell_variable(s, "TOKENIZER_MODEL", strlen("TOKENIZER_MODEL")) == NULL;
    for (int32_t i = 0; i < options->count && !is_given; i++) {
        is_given = strcmp(options->items[i].text, "--tokenizer-model") == 0;
    }
    if (!is_given) { expand_words(s, &t, options); }
}

/* Finds the options in the variables of a script that starts no program itself. If the value of a variable is a whole
 * command, stores this command. If no value is a command, joins all values that begin with an option. */
static void keep_variables(nnc_shell *s) {
    const nnc_shell_var *order[256];
    nnc_script_words all = { 0 };
    int count = 0;
    for (const nnc_shell_var *v = s->variables; v != NULL && count < 256; v = v->next) { order[count++] = v; }
    while (count > 0 && nnc_shell_goes_on(s)) {
        const nnc_shell_var *v = order[--count];
        nnc_script_words w = { 0 };
        split(s, v->value, v->count, true, &w);
        if (nnc_shell_has_program(&w)) {
            keep(s, &w);
        } else if (w.count > 1 && nnc_shell_is_option(w.items[0].text)) {
            split(s, v->value, v->count, true, &all);
        }
    }
    if (s->made.count == 0 && all.count > 0) { add_tokenizer(s, &all); }
    if (s->made.count == 0 && all.count > 0 && nnc_shell_goes_on(s)) {
        nnc_shell_keep_options(&s->made, &all);
        s->status = s->made.status;
    }
}

nnc_status nnc_shell_read(const char *name, const char *text, nnc_arena *arena, nnc_shell_script *script,
                          nnc_error *err) {
    nnc_shell s = { .name = name,
                    .at = text,
                    .line = 1,
                    .arena = arena,
                    .err = err,
                    .runs = NNC_RUNS,
                    .script = script,
                    .made = { .arena = arena, .err = err } };
    read_slurm(&s, text);
    if (script->given != NULL) {
        s.at = script->given;
        s.reads_given = true;
        read_text(&s, false);
        s.reads_given = false;
        s.at = text;
        s.line = 1;
    }
    read_text(&s, false);
    s.runs = NNC_RUNS;
    if (nnc_shell_goes_on(&s) && s.made.count == 0 && s.starts_unknown) {
        nnc_shell_refuse(
            &s, "starts a program, but the name of this program is known only when the script runs: give the options "
                "of the program");
    }
    const bool starts_none = s.made.count == 0;
    if (nnc_shell_goes_on(&s) && starts_none) { keep_variables(&s); }
    if (nnc_shell_goes_on(&s) && s.sourced != NULL && starts_none) { /* the program may be started in a script that was
                                                                      * not found */
        char what[256];
        if (s.sources > SOURCES_MAX) {
            snprintf(what, sizeof what,
                     "starts no program itself, and reads more than %d scripts: give the options of the program",
                     SOURCES_MAX);
        } else {
            snprintf(what, sizeof what,
                     "starts no program itself, and the script %.120s, which it reads, is not found: give the options "
                     "of the program",
                     s.sourced);
        }
        nnc_shell_refuse(&s, what);
    }
    script->commands = s.made.list;
    script->count = s.made.count;
    return s.status;
}
