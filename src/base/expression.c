#include "base/expression.h"

#include <ctype.h>
#include <string.h>

enum { LOOSEST = 1, TIGHTEST = 5 };

/* Longer ones stand before those that they begin with. */
static const struct {
    const char *text;
    nnc_operator of;
    int level; /* higher binds tighter */
} operators[NNC_OPERATOR_COUNT] = {
    { "||", NNC_OPERATOR_OR, 1 },       { "&&", NNC_OPERATOR_AND, 2 },
    { "==", NNC_OPERATOR_EQUAL, 3 },    { "!=", NNC_OPERATOR_NOT_EQUAL, 3 },
    { "<=", NNC_OPERATOR_AT_MOST, 3 },  { ">=", NNC_OPERATOR_AT_LEAST, 3 },
    { "<", NNC_OPERATOR_LESS, 3 },      { ">", NNC_OPERATOR_MORE, 3 },
    { "+", NNC_OPERATOR_ADD, 4 },       { "-", NNC_OPERATOR_SUBTRACT, 4 },
    { "*", NNC_OPERATOR_MULTIPLY, 5 },  { "/", NNC_OPERATOR_DIVIDE, 5 },
    { "%", NNC_OPERATOR_REMAINDER, 5 },
};

typedef struct parser {
    const nnc_expression_reader *reader;
    void *context;
    const char *at;
    int nesting;
} parser;

static bool has(const parser *p, nnc_operator of)
{
    return (p->reader->operators >> of & 1u) != 0;
}

static bool refuse(const parser *p, const char *expected)
{
    p->reader->refuse(p->context, expected, p->at);
    return false;
}

static void skip_blanks(parser *p)
{
    p->at += strspn(p->at, " \t\n");
}

static bool read_text(parser *p)
{
    const char *begin = p->at + 1, *end = strchr(begin, *p->at);
    if (end == NULL) {
        return refuse(p, "the closing quote");
    }
    if (!p->reader->text(p->context, begin, (size_t)(end - begin))) {
        return false;
    }
    p->at = end + 1;
    return true;
}

static bool read_name(parser *p)
{
    const char *name = p->at;
    while (isalnum((unsigned char)*p->at) ||
           (*p->at != '\0' && strchr(p->reader->name_marks, *p->at) != NULL)) {
        p->at++;
    }
    return p->reader->name(p->context, name, (size_t)(p->at - name));
}

static bool read_number(parser *p)
{
    const size_t length = p->reader->number(p->context, p->at);
    p->at += length;
    return length > 0;
}

static bool read_level(parser *p, int level);

/* A sign or an opening bracket, and its operand. */
static bool read_nested(parser *p)
{
    const char first = *p->at++;
    p->nesting++;
    if (!read_level(p, first == '(' ? LOOSEST : TIGHTEST + 1)) {
        return false;
    }
    p->nesting--;
    if (first != '(') {
        return p->reader->operate(p->context,
                                  first == '-' ? NNC_OPERATOR_NEGATE : NNC_OPERATOR_NOT);
    }
    return *p->at++ == ')' || (p->at--, refuse(p, "\")\""));
}

static bool read_operand(parser *p)
{
    skip_blanks(p);
    if (p->nesting == p->reader->nesting_max) {
        return refuse(p, "fewer brackets and signs inside each other");
    }
    const char first = *p->at;
    if (first == '(' || (first == '!' && has(p, NNC_OPERATOR_NOT)) ||
        (first == '-' && has(p, NNC_OPERATOR_NEGATE))) {
        return read_nested(p);
    }
    if (isdigit((unsigned char)first)) {
        return read_number(p);
    }
    if (isalpha((unsigned char)first) || first == '_') {
        return read_name(p);
    }
    return (first == '\'' || first == '"') && p->reader->text != NULL
               ? read_text(p)
               : refuse(p, "a number, a name or \"(\"");
}

/* Row of the operator that the text is at; -1 = none of the grammar. */
static int operator_here(const parser *p)
{
    for (int i = 0; i < NNC_OPERATOR_COUNT; i++) {
        if (has(p, operators[i].of) &&
            strncmp(p->at, operators[i].text, strlen(operators[i].text)) == 0) {
            return i;
        }
    }
    return -1;
}

/* Reads operators that bind at least as tightly as level. */
static bool read_level(parser *p, int level) /* NOLINT(misc-no-recursion): nesting_max deep */
{
    if (level > TIGHTEST) {
        return read_operand(p);
    }
    if (!read_level(p, level + 1)) {
        return false;
    }
    for (;;) {
        skip_blanks(p);
        const int row = operator_here(p);
        if (row < 0 || operators[row].level != level) {
            return true;
        }
        p->at += strlen(operators[row].text);
        if (!read_level(p, level + 1) || !p->reader->operate(p->context, operators[row].of)) {
            return false;
        }
    }
}

bool nnc_expression_read(const nnc_expression_reader *reader, const char *text, void *context)
{
    parser p = { .reader = reader, .context = context, .at = text };
    return read_level(&p, LOOSEST) && (*p.at == '\0' || refuse(&p, "an operator"));
}
