/* Derivations. A derivation has a list of lines (name = formula = formula with numbers = value) and a list of operands
 * (name, value, unit). When a line is added, each name in the formula of the line is replaced by the value of the
 * operand that has this name and was added last. */

#include <ctype.h>

#include "base/base_internal.h"

/* ---- formulas: making C source readable, and finding the names in a formula ---- */

static void formula_start(nnc_formula *formula) {
    formula->used = 0;
    formula->text[0] = '\0';
    formula->failed = false;
}

static void formula_put(nnc_formula *formula, const char *text, size_t length) {
    if (length >= sizeof formula->text - formula->used) {
        formula->failed = true;
        return;
    }
    memcpy(formula->text + formula->used, text, length);
    formula->used += length;
    formula->text[formula->used] = '\0';
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns the length of the C identifier at the start of `text`; 0 = `text` does not begin with an identifier. */
static size_t c_name(const char *text) {
    size_t length = 0;
    while (is_letter(text[length]) || (length > 0 && is_digit(text[length]))) { length++; }
    return length;
}

/* Appends the number at the start of `text` to the formula, without decimals if all decimals are zero (2.0 becomes
 * "2"). Returns the number of characters that were read from `text`. */
static size_t put_number(nnc_formula *formula, const char *text) {
    const size_t whole = strspn(text, "0123456789");
    const size_t zeros = text[whole] == '.' ? strspn(text + whole + 1, "0") : 0;
    const char *after = zeros > 0 ? text + whole + 1 + zeros : "0";
    if (strspn(after, "0123456789eE") == 0) {
        formula_put(formula, text, whole);
        return whole + 1 + zeros;
    }
    size_t length = whole + strspn(text + whole, ".0123456789");
    if (text[length] == 'e') { length += 1 + strspn(text + length + 1, "+-0123456789"); }
    formula_put(formula, text, length);
    return length;
}

/* Appends the C identifier at the start of `text` to the formula in readable form: the prefix "nnc_" and the "work->"
 * or "work." before a member are left out, and a call nnc_pow4(x) becomes x^4. Returns the number of characters that
 * were read from `text`. */
static size_t put_name(nnc_formula *formula, const char *text) /* NOLINT(misc-no-recursion): once */
{
    static const char pow4[] = "nnc_pow4(";
    const size_t length = c_name(text);
    const char *after = text + length;
    if (strncmp(after, "->", 2) == 0 && c_name(after + 2) > 0) {
        return length + 2; /* `text` begins with "name->"; the returned length includes "->" */
    }
    if (*after == '.' && c_name(after + 1) > 0) { return length + 1; }
    if (strncmp(text, pow4, strlen(pow4)) == 0) {
        size_t used = strlen(pow4); /* the argument of nnc_pow4(): an identifier, perhaps with "x->" or "x." before it,
                                     * up to ")" */
        while (text[used] != '\0' && text[used] != ')') { used += put_name(formula, text + used); }
        formula_put(formula, "^4", 2);
        return text[used] == ')' ? used + 1 : used;
    }
    const size_t prefix = strncmp(text, "nnc_", 4) == 0 ? 4 : 0;
    formula_put(formula, text + prefix, length - prefix);
    return length;
}

/* Appends a C expression to the formula as readable text. Casts to double, "x->" and "x." before members, and ".0" are
 * left out; x[1] becomes x.1, nnc_max becomes max, nnc_pow4(x) becomes x^4. */
static void formula_tidy(nnc_formula *formula, const char *code) {
    static const char cast[] = "(double)";
    while (*code) {
        if (strncmp(code, cast, strlen(cast)) == 0) {
            code += strlen(cast);
        } else if (is_digit(*code)) {
            code += put_number(formula, code);
        } else if (c_name(code) > 0) {
            code += put_name(formula, code);
        } else if (*code == '[' && is_digit(code[1]) && code[2] == ']') {
            formula_put(formula, ".", 1);
            formula_put(formula, code + 1, 1);
            code += 3;
        } else {
            formula_put(formula, code++, 1);
        }
    }
}

/* Returns the length of the name at the start of a formula, such as "flops" or "work.flops"; 0 = the formula does not
 * begin with a name. */
static size_t formula_name(const char *text) {
    size_t length = c_name(text);
    while (length > 0 && text[length] == '.' && (is_letter(text[length + 1]) || is_digit(text[length + 1]))) {
        length++;
        while (is_letter(text[length]) || is_digit(text[length])) { length++; }
    }
    return length;
}

const char *nnc_formula_name(const char **at, size_t *size) {
    while (**at) {
        const char *name = *at;
        *size = formula_name(name);
        *at += *size > 0 ? *size : 1;
        if (*size > 0) { return name; }
    }
    return NULL;
}

/* ---- creating, reading and clearing a derivation ---- */

enum { NAME_MAX_SIZE = 64 };

typedef struct symbol {
    char name[NAME_MAX_SIZE];
    const char *unit;
    double value;
} symbol;

struct nnc_derivation {
    nnc_arena *arena;
    symbol *symbols;
    int symbol_count, symbol_capacity;
    nnc_line *lines;
    int line_count, line_capacity;
    char of[NAME_MAX_SIZE * 2];
    char terms[NNC_FORMULA_MAX]; /* the sum so far, as text: "a + b"; nnc_say_sum() completes it */
    bool failed;
};

nnc_derivation *nnc_derivation_create(void) {
    nnc_derivation *why = calloc(1, sizeof *why);
    if (why != NULL) { why->arena = nnc_arena_create(); }
    if (why != NULL && why->arena == NULL) {
        free(why);
        return NULL;
    }
    return why;
}

void nnc_derivation_destroy(nnc_derivation *why) {
    if (why != NULL) {
        nnc_arena_destroy(why->arena);
        free(why->symbols);
        free(why->lines);
        free(why);
    }
}

/* Makes space for one more entry in a list of a derivation, by doubling the capacity of the list when it is full. When
 * out of memory, sets why->failed and returns false. */
static bool grow(nnc_derivation *why, void **list, int count, int *capacity, size_t size) {
    if (count < *capacity) { return true; }
    const int larger = *capacity > 0 ? 2 * *capacity : 64;
    void *grown = realloc(*list, (size_t)larger * size);
    if (grown == NULL) {
        why->failed = true;
        return false;
    }
    *list = grown;
    *capacity = larger;
    return true;
}

bool nnc_derivation_lines(const nnc_derivation *why, const nnc_line **lines, int *count) {
    *lines = why->lines;
    *count = why->line_count;
    return !why->failed;
}

void nnc_derivation_clear(nnc_derivation *why) {
    why->line_count = why->symbol_count = 0;
    why->of[0] = why->terms[0] = '\0';
}

/* ---- texts of one line of a derivation: the formula with numbers, the operands with units ---- */

static const char *keep(nnc_derivation *why, const nnc_formula *w) {
    const char *kept = nnc_arena_strdup(why->arena, w->text);
    why->failed = why->failed || w->failed || kept == NULL;
    return kept != NULL ? kept : "";
}

/* Returns the operand of a derivation that has the given name and was added last; NULL = no operand has this name. */
static const symbol *find(const nnc_derivation *why, const char *name, size_t length) {
    for (int i = why->symbol_count - 1; i >= 0; i--) {
        const symbol *s = &why->symbols[i];
        if (strlen(s->name) == length && memcmp(s->name, name, length) == 0) { return s; }
    }
    return NULL;
}

static void put_value(nnc_formula *w, double value) {
    char number[NNC_NUMBER_TEXT];
    const char *text = isnan(value) ? "unknown" : nnc_number_text(value, number);
    const bool negative = text[0] == '-';
    formula_put(w, "(", negative ? 1 : 0);
    formula_put(w, text, strlen(text));
    formula_put(w, ")", negative ? 1 : 0);
}

static void substitute(const nnc_derivation *why, const char *formula, nnc_formula *w) {
    const char *at = formula, *name = NULL;
    size_t length = 0;
    while ((name = nnc_formula_name(&at, &length)) != NULL) {
        const symbol *s = find(why, name, length);
        formula_put(w, formula, (size_t)(name - formula));
        if (s != NULL) {
            put_value(w, s->value);
        } else {
            formula_put(w, name, length);
        }
        formula = at;
    }
    formula_put(w, formula, strlen(formula));
}

/* Tests whether the name at position `at` of a formula has occurred in the formula before this position. */
static bool is_repeated(const char *formula, const char *at, size_t length) {
    const char *before = formula, *name = NULL;
    size_t other = 0;
    while ((name = nnc_formula_name(&before, &other)) != NULL && name < at) {
        if (other == length && memcmp(name, at, length) == 0) { return true; }
    }
    return false;
}

static void list_units(const nnc_derivation *why, const char *formula, nnc_formula *w) {
    const char *at = formula, *name = NULL;
    size_t length = 0;
    while ((name = nnc_formula_name(&at, &length)) != NULL) {
        const symbol *s = find(why, name, length);
        if (s != NULL && s->unit != NULL && !isnan(s->value) && !is_repeated(formula, name, length)) {
            char number[NNC_NUMBER_TEXT];
            formula_put(w, "\n", w->used > 0 ? 1 : 0);
            formula_put(w, s->name, strlen(s->name));
            formula_put(w, " ", 1);
            nnc_unit_text(s->value, s->unit, number);
            formula_put(w, number, strlen(number));
        }
    }
}

/* ---- functions that add operands and lines to a derivation ---- */

void nnc_say_of(nnc_derivation *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->of, sizeof why->of, format, arguments);
    va_end(arguments);
}

void nnc_say_operand(nnc_derivation *why, const char *name, const char *unit, double value) {
    void *symbols = why->symbols;
    if (strlen(name) >= NAME_MAX_SIZE ||
        !grow(why, &symbols, why->symbol_count, &why->symbol_capacity, sizeof(symbol))) {
        why->failed = true;
        return;
    }
    why->symbols = symbols;
    symbol *added = &why->symbols[why->symbol_count++];
    *added = (symbol){ .unit = unit, .value = value };
    memcpy(added->name, name, strlen(name) + 1);
}

/* Appends a line to a derivation. The value of the line becomes an operand, which formulas of later lines can use. */
static void add_line(nnc_derivation *why, const nnc_line *line) {
    void *lines = why->lines;
    if (grow(why, &lines, why->line_count, &why->line_capacity, sizeof *line)) {
        why->lines = lines;
        why->lines[why->line_count++] = *line;
        nnc_say_operand(why, line->name, line->unit, line->value);
    }
}

void nnc_say_formula(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value) {
    nnc_formula texts[5];
    for (int i = 0; i < 5; i++) { formula_start(&texts[i]); }
    formula_put(&texts[0], why->of, strlen(why->of));
    formula_put(&texts[1], name, strlen(name));
    formula_put(&texts[2], formula, strlen(formula));
    substitute(why, formula, &texts[3]);
    list_units(why, formula, &texts[4]);
    add_line(why, &(nnc_line){ .of = keep(why, &texts[0]),
                               .name = keep(why, &texts[1]),
                               .unit = unit,
                               .formula = keep(why, &texts[2]),
                               .numbers = keep(why, &texts[3]),
                               .where = keep(why, &texts[4]),
                               .value = value });
}

void nnc_say_copy(nnc_derivation *why, const nnc_line *line) { add_line(why, line); }

void nnc_say_let(nnc_derivation *why, const char *name, const char *unit, double value) {
    nnc_formula tidied;
    formula_start(&tidied);
    formula_tidy(&tidied, name);
    nnc_say_operand(why, tidied.text, unit, value);
}

void nnc_say_line(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value) {
    nnc_formula tidied, tidied_name;
    formula_start(&tidied);
    formula_start(&tidied_name);
    formula_tidy(&tidied, formula);
    formula_tidy(&tidied_name, name);
    why->failed = why->failed || tidied.failed || tidied_name.failed;
    nnc_say_formula(why, tidied_name.text, unit, tidied.text, value);
}

void nnc_say_named(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value) {
    nnc_formula tidied;
    formula_start(&tidied);
    formula_tidy(&tidied, formula);
    why->failed = why->failed || tidied.failed;
    nnc_say_formula(why, name, unit, tidied.text, value);
}

void nnc_say_note(nnc_derivation *why, const char *meaning) {
    if (why->line_count > 0) {
        const char *kept = nnc_arena_strdup(why->arena, meaning);
        why->lines[why->line_count - 1].meaning = kept;
        why->failed = why->failed || kept == NULL;
    }
}

void nnc_say_source(nnc_derivation *why, const char *source) {
    if (why->line_count > 0) { why->lines[why->line_count - 1].source = source; }
}

void nnc_say_term(nnc_derivation *why, const char *name, const char *unit, double value) {
    const size_t used = strlen(why->terms);
    if (value == 0.0) { return; }
    if (used + strlen(name) + sizeof " + " > sizeof why->terms) {
        why->failed = true;
        return;
    }
    snprintf(why->terms + used, sizeof why->terms - used, "%s%s", used > 0 ? " + " : "", name);
    nnc_say_operand(why, name, unit, value);
}

void nnc_say_sum(nnc_derivation *why, const char *name, const char *unit, double value) {
    nnc_say_formula(why, name, unit, why->terms[0] != '\0' ? why->terms : "0", value);
    why->terms[0] = '\0';
}

/* ---- parser of expressions such as "tensor * pipeline <= 64" ---- */

enum { LOOSEST = 1, TIGHTEST = 5 };

/* Operators with two operands. The parser takes the first operator of this table that the text begins with, so "<="
 * stands before "<". */
static const struct {
    const char *text;
    nnc_operator of;
    int level; /* precedence level: in an expression, operators with a higher level are applied first */
} operators[NNC_OPERATOR_COUNT] = {
    { "||", NNC_OPERATOR_OR, 1 },        { "&&", NNC_OPERATOR_AND, 2 },     { "==", NNC_OPERATOR_EQUAL, 3 },
    { "!=", NNC_OPERATOR_NOT_EQUAL, 3 }, { "<=", NNC_OPERATOR_AT_MOST, 3 }, { ">=", NNC_OPERATOR_AT_LEAST, 3 },
    { "<", NNC_OPERATOR_LESS, 3 },       { ">", NNC_OPERATOR_MORE, 3 },     { "+", NNC_OPERATOR_ADD, 4 },
    { "-", NNC_OPERATOR_SUBTRACT, 4 },   { "*", NNC_OPERATOR_MULTIPLY, 5 }, { "/", NNC_OPERATOR_DIVIDE, 5 },
    { "%", NNC_OPERATOR_REMAINDER, 5 },
};

typedef struct parser {
    const nnc_expression_reader *reader;
    void *context;
    const char *at;
    int nesting;
} parser;

static bool has(const parser *p, nnc_operator of) { return (p->reader->operators >> of & 1u) != 0; }

static bool refuse(const parser *p, const char *expected) {
    p->reader->refuse(p->context, expected, p->at);
    return false;
}

static void skip_blanks(parser *p) { p->at += strspn(p->at, " \t\n"); }

static bool read_text(parser *p) {
    const char *begin = p->at + 1, *end = strchr(begin, *p->at);
    if (end == NULL) { return refuse(p, "the closing quote"); }
    if (!p->reader->text(p->context, begin, (size_t)(end - begin))) { return false; }
    p->at = end + 1;
    return true;
}

static bool read_name(parser *p) {
    const char *name = p->at;
    while (isalnum((unsigned char)*p->at) || (*p->at != '\0' && strchr(p->reader->name_marks, *p->at) != NULL)) {
        p->at++;
    }
    return p->reader->name(p->context, name, (size_t)(p->at - name));
}

static bool read_number(parser *p) {
    const size_t length = p->reader->number(p->context, p->at);
    p->at += length;
    return length > 0;
}

static bool read_level(parser *p, int level);

/* Reads a part of an expression that begins with a minus sign, with "!" or with "(". Returns false if the operand after
 * the sign, "!" or "(" cannot be read, or if a ")" is missing. */
static bool read_nested(parser *p) {
    const char first = *p->at++;
    p->nesting++;
    if (!read_level(p, first == '(' ? LOOSEST : TIGHTEST + 1)) { return false; }
    p->nesting--;
    if (first != '(') { return p->reader->operate(p->context, first == '-' ? NNC_OPERATOR_NEGATE : NNC_OPERATOR_NOT); }
    return *p->at++ == ')' || (p->at--, refuse(p, "\")\""));
}

static bool read_operand(parser *p) {
    skip_blanks(p);
    if (p->nesting == p->reader->nesting_max) { return refuse(p, "fewer brackets and signs inside each other"); }
    const char first = *p->at;
    if (first == '(' || (first == '!' && has(p, NNC_OPERATOR_NOT)) || (first == '-' && has(p, NNC_OPERATOR_NEGATE))) {
        return read_nested(p);
    }
    if (isdigit((unsigned char)first)) { return read_number(p); }
    if (isalpha((unsigned char)first) || first == '_') { return read_name(p); }
    return (first == '\'' || first == '"') && p->reader->text != NULL ? read_text(p)
                                                                      : refuse(p, "a number, a name or \"(\"");
}

/* Returns the index in `operators` of the operator at the current position of the text; -1 = there is no operator at
 * this position. */
static int operator_here(const parser *p) {
    for (int i = 0; i < NNC_OPERATOR_COUNT; i++) {
        if (has(p, operators[i].of) && strncmp(p->at, operators[i].text, strlen(operators[i].text)) == 0) { return i; }
    }
    return -1;
}

/* Reads an expression with operators of precedence `level` or higher (1 = "||", 5 = "*"). Returns false if the text
 * does not follow the grammar of expressions. */
static bool read_level(parser *p, int level) /* NOLINT(misc-no-recursion): nesting_max deep */
{
    if (level > TIGHTEST) { return read_operand(p); }
    if (!read_level(p, level + 1)) { return false; }
    for (;;) {
        skip_blanks(p);
        const int row = operator_here(p);
        if (row < 0 || operators[row].level != level) { return true; }
        p->at += strlen(operators[row].text);
        if (!read_level(p, level + 1) || !p->reader->operate(p->context, operators[row].of)) { return false; }
    }
}

bool nnc_expression_read(const nnc_expression_reader *reader, const char *text, void *context) {
    parser p = { .reader = reader, .context = context, .at = text };
    return read_level(&p, LOOSEST) && (*p.at == '\0' || refuse(&p, "an operator"));
}
