#include "sweep/sweep_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

enum { DEPTH_MAX = 64, NAME_MAX_SIZE = 64 };

/* Operators of two letters go by another one. */
enum {
    OP_OR = 'o',
    OP_AND = 'a',
    OP_EQ = '=',
    OP_NE = 'n',
    OP_LE = 'l',
    OP_GE = 'g',
    OP_NEG = 'm'
};

typedef struct operator_text {
    const char *text;
    char op;
    int level; /* binds tighter with more */
} operator_text;

/* Longer ones before those they begin with. */
static const operator_text operators[] = {
    { "||", OP_OR, 1 }, { "&&", OP_AND, 2 }, { "==", OP_EQ, 3 }, { "!=", OP_NE, 3 },
    { "<=", OP_LE, 3 }, { ">=", OP_GE, 3 },  { "<", '<', 3 },    { ">", '>', 3 },
    { "+", '+', 4 },    { "-", '-', 4 },     { "*", '*', 5 },    { "/", '/', 5 },
    { "%", '%', 5 },
};
enum { OPERATOR_COUNT = sizeof operators / sizeof operators[0], TIGHTEST = 5 };

typedef struct parser {
    const char *option, *text, *at;
    nnc_where_name *name;
    void *context;
    nnc_where *where;
    nnc_error *err;
    nnc_status status;
    int depth;
} parser;

static int32_t parse_level(parser *p, int level);

static int32_t refuse(parser *p, const char *expected)
{
    if (p->status == NNC_OK && *p->at == '\0') {
        p->status = nnc_fail(p->err, NNC_BAD_USAGE, p->option, "expected %s at the end of \"%s\"",
                             expected, p->text);
    } else if (p->status == NNC_OK) {
        p->status = nnc_fail(p->err, NNC_BAD_USAGE, p->option,
                             "expected %s at column %d of \"%s\", found \"%.20s\"", expected,
                             (int)(p->at - p->text) + 1, p->text, p->at);
    }
    return -1;
}

static int32_t add_node(parser *p, nnc_where_node node)
{
    if (p->where->node_count == NNC_WHERE_NODES) {
        if (p->status == NNC_OK) {
            p->status = nnc_fail(p->err, NNC_BAD_USAGE, p->option,
                                 "too long, expected at most %d names, numbers and operators",
                                 NNC_WHERE_NODES);
        }
        return -1;
    }
    p->where->nodes[p->where->node_count] = node;
    return p->where->node_count++;
}

static void skip_blanks(parser *p)
{
    p->at += strspn(p->at, " \t\n");
}

static int32_t parse_number(parser *p)
{
    char number[NNC_NUMBER_TEXT * 2];
    nnc_where_node node = { .op = '0', .left = -1, .right = -1 };
    size_t length = nnc_number_span(p->at, strlen(p->at));
    if (length > 0) { /* and its unit, where one stands behind it */
        length += strspn(p->at + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        length += strncmp(p->at + length, "/s", 2) == 0 ? 2 : 0;
    }
    snprintf(number, sizeof number, "%.*s", (int)length, p->at);
    if (length == 0 || length >= sizeof number || !nnc_read_typed(number, &node.number)) {
        return refuse(p, "a number, such as 9.5, 860ms or 70GB");
    }
    p->at += length;
    return add_node(p, node);
}

static int32_t parse_text(parser *p)
{
    const char quote = *p->at;
    const char *end = strchr(p->at + 1, quote);
    const size_t length = end != NULL ? (size_t)(end - p->at - 1) : 0;
    nnc_where *where = p->where;
    if (end == NULL || length + 1 > sizeof where->texts - (size_t)where->text_size) {
        return refuse(p, end == NULL ? "the closing quote" : "texts of fewer characters");
    }
    const nnc_where_node node = { .op = 't', .left = -1, .right = -1, .text = where->text_size };
    memcpy(where->texts + where->text_size, p->at + 1, length);
    where->texts[where->text_size + (int32_t)length] = '\0';
    where->text_size += (int32_t)length + 1;
    p->at = end + 1;
    return add_node(p, node);
}

static int32_t parse_name(parser *p)
{
    char name[NAME_MAX_SIZE];
    nnc_where_node node = { .op = 'v', .left = -1, .right = -1 };
    size_t length = 0;
    while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_' || p->at[length] == '.') {
        length++;
    }
    if (length >= sizeof name) {
        return refuse(p, "a name");
    }
    snprintf(name, sizeof name, "%.*s", (int)length, p->at);
    if (p->status == NNC_OK) {
        p->status = p->name(p->context, name, &node.variable, p->err);
    }
    p->at += length;
    return add_node(p, node);
}

static int32_t parse_operand(parser *p)
{
    skip_blanks(p);
    if (p->status != NNC_OK || p->depth == DEPTH_MAX) {
        return refuse(p, "fewer brackets and signs inside each other");
    }
    if (*p->at == '!' || *p->at == '-') {
        nnc_where_node node = { .op = *p->at == '-' ? OP_NEG : '!', .right = -1 };
        p->at++;
        p->depth++;
        node.left = parse_operand(p);
        p->depth--;
        return node.left < 0 ? -1 : add_node(p, node);
    }
    if (*p->at == '(') {
        p->at++;
        p->depth++;
        const int32_t inner = parse_level(p, 1);
        p->depth--;
        if (inner < 0 || *p->at != ')') {
            return refuse(p, "\")\"");
        }
        p->at++;
        return inner;
    }
    if (*p->at == '\'' || *p->at == '"') {
        return parse_text(p);
    }
    if (isdigit((unsigned char)*p->at)) {
        return parse_number(p);
    }
    if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        return parse_name(p);
    }
    return refuse(p, "a name, a number or \"(\"");
}

static const operator_text *operator_here(const parser *p)
{
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        if (strncmp(p->at, operators[i].text, strlen(operators[i].text)) == 0) {
            return &operators[i];
        }
    }
    return NULL;
}

/* Operators that bind at least as tightly as level; equal ones group from the left. */
static int32_t parse_level(parser *p, int level)
{
    int32_t left = level > TIGHTEST ? parse_operand(p) : parse_level(p, level + 1);
    while (left >= 0 && level <= TIGHTEST) {
        skip_blanks(p);
        const operator_text *found = operator_here(p);
        if (found == NULL || found->level != level) {
            break;
        }
        p->at += strlen(found->text);
        const int32_t right = parse_level(p, level + 1);
        left = right < 0
                   ? -1
                   : add_node(p, (nnc_where_node){ .op = found->op, .left = left, .right = right });
    }
    return left;
}

nnc_status nnc_where_parse(const char *option, const char *text, nnc_where_name *name,
                           void *context, nnc_where *where, nnc_error *err)
{
    parser p = { .option = option,
                 .text = text,
                 .at = text,
                 .name = name,
                 .context = context,
                 .where = where,
                 .err = err };
    *where = (nnc_where){ 0 };
    where->root = parse_level(&p, 1);
    if (p.status == NNC_OK && *p.at != '\0') {
        refuse(&p, "an operator");
    }
    return p.status;
}

/* A value while a constraint is tested. */
typedef struct value {
    bool later; /* not known yet */
    double number;
    const char *text; /* NULL: a number */
} value;

typedef struct tester {
    const nnc_where *where;
    nnc_where_read *read;
    void *context;
} tester;

static value of_number(double number)
{
    return (value){ .number = number };
}

static value of_cell(const nnc_cell *cell)
{
    if (cell == NULL) {
        return (value){ .later = true };
    }
    switch (cell->kind) {
    case NNC_CELL_NUMBER: return of_number(cell->number);
    case NNC_CELL_WHOLE: return of_number((double)cell->whole);
    case NNC_CELL_BOOL: return of_number(cell->flag ? 1.0 : 0.0);
    case NNC_CELL_TEXT: return (value){ .number = (double)NAN, .text = cell->text };
    case NNC_CELL_NULL: break;
    }
    return of_number((double)NAN);
}

static double compute(char op, value a, value b)
{
    const double x = a.number, y = b.number;
    switch (op) {
    case OP_EQ:
    case OP_NE: {
        const bool texts = a.text != NULL && b.text != NULL;
        const bool equal = texts ? strcmp(a.text, b.text) == 0 : x == y;
        return equal == (op == OP_EQ);
    }
    case OP_LE: return x <= y;
    case OP_GE: return x >= y;
    case '<': return x < y;
    case '>': return x > y;
    case '+': return x + y;
    case '-': return x - y;
    case '*': return x * y;
    case '/': return x / y;
    default: return fmod(x, y);
    }
}

/* A figure that is not recorded is not true. */
static nnc_truth truth_of(value v)
{
    if (v.later) {
        return NNC_NOT_KNOWN_YET;
    }
    return v.text != NULL || (!isnan(v.number) && v.number != 0.0) ? NNC_TRUE : NNC_FALSE;
}

static value of_truth(nnc_truth truth)
{
    return (value){ .later = truth == NNC_NOT_KNOWN_YET, .number = truth == NNC_TRUE };
}

static value test_node(const tester *t, int32_t index) /* NOLINT(misc-no-recursion): NODES deep */
{
    const nnc_where_node *node = &t->where->nodes[index];
    switch (node->op) {
    case '0': return of_number(node->number);
    case 't': return (value){ .number = (double)NAN, .text = t->where->texts + node->text };
    case 'v': return of_cell(t->read(t->context, node->variable));
    default: break;
    }
    const value a = test_node(t, node->left);
    if (node->op == OP_NEG || node->op == '!') {
        const nnc_truth truth = truth_of(a);
        return a.later              ? a
               : node->op == OP_NEG ? of_number(-a.number)
                                    : of_number(truth == NNC_FALSE);
    }
    const bool is_and = node->op == OP_AND, joins = is_and || node->op == OP_OR;
    const nnc_truth decides = is_and ? NNC_FALSE : NNC_TRUE;
    if (joins && truth_of(a) == decides) {
        return of_truth(decides);
    }
    const value b = test_node(t, node->right);
    if (joins) {
        const nnc_truth right = truth_of(b);
        return of_truth(right == decides ? decides : a.later ? NNC_NOT_KNOWN_YET : right);
    }
    if (a.later || b.later) {
        return (value){ .later = true };
    }
    return of_number(compute(node->op, a, b));
}

nnc_truth nnc_where_test(const nnc_where *where, nnc_where_read *read, void *context)
{
    const tester t = { where, read, context };
    return truth_of(test_node(&t, where->root));
}
