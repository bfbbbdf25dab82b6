/* Constraints: reading them as a tree, and testing them on a row, some of whose values are not known yet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base_internal.h"
#include "base/expression.h"
#include "sweep/sweep_internal.h"

/* ---- reading ---- */

typedef struct reading {
    const char *option, *text;
    nnc_where_name *name;
    void *context;
    nnc_where *where;
    int32_t waiting[NNC_WHERE_NODES]; /* nodes that wait for their operator */
    int32_t waiting_count;
    nnc_error *err;
    nnc_status status;
} reading;

static void refuse(void *context, const char *expected, const char *at)
{
    reading *r = context;
    r->status = *at == '\0' ? nnc_fail(r->err, NNC_BAD_USAGE, r->option,
                                       "expected %s at the end of \"%s\"", expected, r->text)
                            : nnc_fail(r->err, NNC_BAD_USAGE, r->option,
                                       "expected %s at column %d of \"%s\", found \"%.20s\"",
                                       expected, (int)(at - r->text) + 1, r->text, at);
}

static bool add_node(reading *r, nnc_where_node node)
{
    if (r->where->node_count == NNC_WHERE_NODES) {
        r->status =
            nnc_fail(r->err, NNC_BAD_USAGE, r->option,
                     "too long, expected at most %d names, numbers and operators", NNC_WHERE_NODES);
        return false;
    }
    r->waiting[r->waiting_count++] = r->where->root = r->where->node_count;
    r->where->nodes[r->where->node_count++] = node;
    return true;
}

static size_t add_number(void *context, const char *at)
{
    char number[NNC_NUMBER_TEXT * 2];
    nnc_where_node node = { .kind = NNC_WHERE_NUMBER };
    size_t length = nnc_number_span(at, strlen(at));
    if (length > 0) { /* a unit may follow */
        length += strspn(at + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        length += strncmp(at + length, "/s", 2) == 0 ? 2 : 0;
    }
    snprintf(number, sizeof number, "%.*s", (int)length, at);
    if (length == 0 || length >= sizeof number || !nnc_read_typed(number, &node.number)) {
        refuse(context, "a number, such as 9.5, 860ms or 70GB", at);
        return 0;
    }
    return add_node(context, node) ? length : 0;
}

static bool add_text(void *context, const char *text, size_t length)
{
    reading *r = context;
    nnc_where *where = r->where;
    if (length + 1 > sizeof where->texts - (size_t)where->text_size) {
        refuse(r, "texts of fewer characters", text - 1);
        return false;
    }
    const nnc_where_node node = { .kind = NNC_WHERE_WORD, .text = where->text_size };
    memcpy(where->texts + where->text_size, text, length);
    where->texts[where->text_size + (int32_t)length] = '\0';
    where->text_size += (int32_t)length + 1;
    return add_node(r, node);
}

static bool add_name(void *context, const char *text, size_t length)
{
    enum { NAME_SIZE = 64 };
    char name[NAME_SIZE];
    reading *r = context;
    nnc_where_node node = { .kind = NNC_WHERE_VARIABLE };
    if (length >= sizeof name) {
        refuse(r, "a name", text);
        return false;
    }
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    r->status = r->name(r->context, name, &node.variable, r->err);
    return r->status == NNC_OK && add_node(r, node);
}

static bool add_operator(void *context, nnc_operator of)
{
    reading *r = context;
    nnc_where_node node = { .kind = NNC_WHERE_OPERATOR, .of = of };
    node.right = of < NNC_OPERATOR_COUNT ? r->waiting[--r->waiting_count] : -1;
    node.left = r->waiting[--r->waiting_count];
    return add_node(r, node);
}

nnc_status nnc_where_parse(const char *option, const char *text, nnc_where_name *name,
                           void *context, nnc_where *where, nnc_error *err)
{
    static const nnc_expression_reader grammar = { .operators = NNC_OPERATORS_ALL,
                                                   .nesting_max = 64,
                                                   .name_marks = "_.",
                                                   .number = add_number,
                                                   .name = add_name,
                                                   .text = add_text,
                                                   .operate = add_operator,
                                                   .refuse = refuse };
    reading r = {
        .option = option, .text = text, .name = name, .context = context, .where = where, .err = err
    };
    *where = (nnc_where){ 0 };
    (void)nnc_expression_read(&grammar, text, &r); /* the status tells */
    return r.status;
}

/* ---- testing ---- */

/* A value during a test. */
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

static double compute(nnc_operator of, value a, value b)
{
    const double x = a.number, y = b.number;
    switch (of) {
    case NNC_OPERATOR_EQUAL:
    case NNC_OPERATOR_NOT_EQUAL: {
        const bool texts = a.text != NULL && b.text != NULL;
        const bool equal = texts ? strcmp(a.text, b.text) == 0 : x == y;
        return equal == (of == NNC_OPERATOR_EQUAL);
    }
    case NNC_OPERATOR_AT_MOST: return x <= y;
    case NNC_OPERATOR_AT_LEAST: return x >= y;
    case NNC_OPERATOR_LESS: return x < y;
    case NNC_OPERATOR_MORE: return x > y;
    case NNC_OPERATOR_ADD: return x + y;
    case NNC_OPERATOR_SUBTRACT: return x - y;
    case NNC_OPERATOR_MULTIPLY: return x * y;
    case NNC_OPERATOR_DIVIDE: return x / y;
    default: return fmod(x, y);
    }
}

/* A value that is not recorded counts as false. */
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
    switch (node->kind) {
    case NNC_WHERE_NUMBER: return of_number(node->number);
    case NNC_WHERE_WORD:
        return (value){ .number = (double)NAN, .text = t->where->texts + node->text };
    case NNC_WHERE_VARIABLE: return of_cell(t->read(t->context, node->variable));
    case NNC_WHERE_OPERATOR: break;
    }
    const value a = test_node(t, node->left);
    if (node->of >= NNC_OPERATOR_COUNT) {
        const nnc_truth truth = truth_of(a);
        return a.later                           ? a
               : node->of == NNC_OPERATOR_NEGATE ? of_number(-a.number)
                                                 : of_number(truth == NNC_FALSE);
    }
    const bool is_and = node->of == NNC_OPERATOR_AND, joins = is_and || node->of == NNC_OPERATOR_OR;
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
    return of_number(compute(node->of, a, b));
}

nnc_truth nnc_where_test(const nnc_where *where, nnc_where_read *read, void *context)
{
    const tester t = { where, read, context };
    return truth_of(test_node(&t, where->root));
}
