/* Expressions of a graph file as postfix code: "2 * heads + 1" becomes 2, heads, *, 1, +. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/base_internal.h"
#include "base/expression.h"
#include "input/input_internal.h"

enum { CODE_MAX = 64, NESTING_MAX = 17, DIGITS_MAX = 15 };

typedef struct parser {
    nnc_json at;
    const nnc_expr_scope *scope;
    const char *text;
    nnc_code code[CODE_MAX];
    int32_t count, waiting; /* operands that wait during the evaluation */
} parser;

static void refuse(void *context, const char *expected, const char *at)
{
    const parser *p = context;
    if (*at == '\0') {
        nnc_json_fault(p->at, NULL, "not an expression, expected %s, found the end of \"%.60s\"",
                       expected, p->text);
    } else {
        nnc_json_fault(p->at, NULL, "not an expression, expected %s, found \"%.20s\" in \"%.60s\"",
                       expected, at, p->text);
    }
}

static bool put(parser *p, nnc_code_kind kind, int64_t value)
{
    p->waiting += kind <= NNC_CODE_ARG ? 1 : -1;
    if (p->count == CODE_MAX || p->waiting > NNC_GRAPH_STACK_MAX) {
        nnc_json_fault(p->at, NULL, "too long an expression, expected fewer parts in \"%.60s\"",
                       p->text);
        return false;
    }
    p->code[p->count++] = (nnc_code){ kind, value };
    return true;
}

static int32_t index_of(const char *const *names, int32_t count, const char *text, size_t length)
{
    for (int32_t i = 0; i < count; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0) {
            return i;
        }
    }
    return -1;
}

static bool put_name(void *context, const char *name, size_t length)
{
    parser *p = context;
    const nnc_expr_scope *s = p->scope;
    const char *known[NNC_GRAPH_LETS_MAX + NNC_GRAPH_ARGS_MAX];
    char found[64];
    size_t count = 0;
    const int32_t arg = index_of(s->args, s->arg_count, name, length);
    const int32_t let = index_of(s->lets, s->let_count, name, length);
    if (arg >= 0 || let >= 0) {
        return put(p, arg >= 0 ? NNC_CODE_ARG : NNC_CODE_LET, arg >= 0 ? arg : let);
    }
    for (int32_t i = 0; i < s->arg_count; i++) {
        known[count++] = s->args[i];
    }
    for (int32_t i = 0; i < s->let_count; i++) {
        known[count++] = s->lets[i];
    }
    snprintf(found, sizeof found, "%.*s", (int)length, name);
    const char *near = nnc_nearest(found, known, count);
    nnc_json_fault(p->at, NULL,
                   "unknown name, expected a let or an argument of the macro around%s%s%s, found "
                   "\"%s\"",
                   near != NULL ? ", perhaps \"" : "", near != NULL ? near : "",
                   near != NULL ? "\"" : "", found);
    return false;
}

static size_t put_number(void *context, const char *at)
{
    char digits[DIGITS_MAX + 1];
    int64_t value = 0;
    const size_t length = strspn(at, "0123456789");
    snprintf(digits, sizeof digits, "%.*s", (int)(length < DIGITS_MAX ? length : DIGITS_MAX), at);
    if (length > DIGITS_MAX || isalpha((unsigned char)at[length]) || at[length] == '_' ||
        !nnc_read_i64(digits, &value)) {
        refuse(context, "a whole number below 1e15", at);
        return 0;
    }
    return put(context, NNC_CODE_NUMBER, value) ? length : 0;
}

static bool put_operator(void *context, nnc_operator of)
{
    return put(context,
               of == NNC_OPERATOR_ADD        ? NNC_CODE_ADD
               : of == NNC_OPERATOR_SUBTRACT ? NNC_CODE_SUBTRACT
               : of == NNC_OPERATOR_MULTIPLY ? NNC_CODE_MULTIPLY
                                             : NNC_CODE_DIVIDE,
               0);
}

static bool read_text(parser *p)
{
    static const nnc_expression_reader grammar = { .operators = NNC_OPERATORS_ARITHMETIC,
                                                   .nesting_max = NESTING_MAX,
                                                   .name_marks = "_",
                                                   .number = put_number,
                                                   .name = put_name,
                                                   .operate = put_operator,
                                                   .refuse = refuse };
    return nnc_expression_read(&grammar, p->text, p);
}

static bool keep(parser *p, nnc_expr *expr)
{
    nnc_arena *arena = p->at.doc->arena;
    nnc_code *code = nnc_arena_array(arena, (size_t)p->count, sizeof *code);
    const char *text = nnc_arena_strdup(arena, p->text);
    if (code == NULL || text == NULL) {
        nnc_faults_no_memory(p->at.doc->faults);
        return false;
    }
    memcpy(code, p->code, (size_t)p->count * sizeof *code);
    *expr = (nnc_expr){ code, p->count, text };
    return true;
}

bool nnc_expr_read(nnc_json at, const nnc_expr_scope *scope, nnc_expr *expr)
{
    char text[NNC_NUMBER_TEXT];
    parser p = { .at = at, .scope = scope };
    if (nnc_json_type_of(at) == NNC_JSON_TEXT) {
        p.text = nnc_json_text(at);
        return read_text(&p) && keep(&p, expr);
    }
    const bool is_switch = nnc_json_type_of(at) == NNC_JSON_BOOL;
    const double value = is_switch ? (double)nnc_json_bool(at) : nnc_json_number(at);
    if ((!is_switch && nnc_json_type_of(at) != NNC_JSON_NUMBER) || value != floor(value) ||
        fabs(value) > (double)NNC_GRAPH_NUMBER_MAX) {
        nnc_json_mismatch(at, "wrong type",
                          "a whole number or a text of numbers, names and + - * /");
        return false;
    }
    p.text = nnc_number_text(value, text);
    return put(&p, NNC_CODE_NUMBER, (int64_t)value) && keep(&p, expr);
}
