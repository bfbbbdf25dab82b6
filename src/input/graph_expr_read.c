/* Expressions of a graph file: from text to operands before their operators. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/graph_read.h"

enum { CODE_MAX = 64, NESTING_MAX = 16 };

typedef struct parser {
    nnc_json at;
    const nnc_expr_scope *scope;
    const char *text, *next;
    nnc_code code[CODE_MAX];
    int32_t count, waiting; /* operands that wait while it is worked out */
    int depth;
} parser;

static bool refuse(parser *p, const char *expected)
{
    if (*p->next == '\0') {
        nnc_json_fault(p->at, NULL, "not an expression, expected %s, found the end of \"%.60s\"",
                       expected, p->text);
    } else {
        nnc_json_fault(p->at, NULL, "not an expression, expected %s, found \"%.20s\" in \"%.60s\"",
                       expected, p->next, p->text);
    }
    return false;
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

static void skip(parser *p)
{
    p->next += strspn(p->next, " ");
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
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

static bool name(parser *p)
{
    const nnc_expr_scope *s = p->scope;
    const char *known[NNC_GRAPH_LETS_MAX + NNC_GRAPH_ARGS_MAX];
    char found[64];
    size_t length = 0, count = 0;
    while (is_name(p->next[length])) {
        length++;
    }
    const int32_t arg = index_of(s->args, s->arg_count, p->next, length);
    const int32_t let = index_of(s->lets, s->let_count, p->next, length);
    if (arg >= 0 || let >= 0) {
        p->next += length;
        return put(p, arg >= 0 ? NNC_CODE_ARG : NNC_CODE_LET, arg >= 0 ? arg : let);
    }
    for (int32_t i = 0; i < s->arg_count; i++) {
        known[count++] = s->args[i];
    }
    for (int32_t i = 0; i < s->let_count; i++) {
        known[count++] = s->lets[i];
    }
    snprintf(found, sizeof found, "%.*s", (int)length, p->next);
    const char *near = nnc_nearest(found, known, count);
    nnc_json_fault(p->at, NULL,
                   "unknown name, expected a let or an argument of the macro around%s%s%s, found "
                   "\"%s\"",
                   near != NULL ? ", perhaps \"" : "", near != NULL ? near : "",
                   near != NULL ? "\"" : "", found);
    return false;
}

static bool sum(parser *p);

static bool operand(parser *p)
{
    skip(p);
    if (*p->next == '(') {
        p->next++;
        if (++p->depth > NESTING_MAX) {
            return refuse(p, "fewer brackets inside each other");
        }
        if (!sum(p)) {
            return false;
        }
        p->depth--;
        if (*p->next != ')') {
            return refuse(p, "\")\"");
        }
        p->next++;
        return true;
    }
    if (*p->next >= '0' && *p->next <= '9') {
        char digits[20];
        int64_t value = 0;
        const size_t length = strspn(p->next, "0123456789");
        snprintf(digits, sizeof digits, "%.*s", (int)(length < 20 ? length : 19), p->next);
        if (length > 15 || is_name(p->next[length]) || !nnc_read_i64(digits, &value)) {
            return refuse(p, "a whole number below 1e15");
        }
        p->next += length;
        return put(p, NNC_CODE_NUMBER, value);
    }
    return is_name(*p->next) ? name(p) : refuse(p, "a number, a name or \"(\"");
}

static bool product(parser *p)
{
    if (!operand(p)) {
        return false;
    }
    for (skip(p); *p->next == '*' || *p->next == '/'; skip(p)) {
        const bool times = *p->next++ == '*';
        if (!operand(p) || !put(p, times ? NNC_CODE_MULTIPLY : NNC_CODE_DIVIDE, 0)) {
            return false;
        }
    }
    return true;
}

static bool sum(parser *p)
{
    if (!product(p)) {
        return false;
    }
    for (skip(p); *p->next == '+' || *p->next == '-'; skip(p)) {
        const bool plus = *p->next++ == '+';
        if (!product(p) || !put(p, plus ? NNC_CODE_ADD : NNC_CODE_SUBTRACT, 0)) {
            return false;
        }
    }
    return true;
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
        p.text = p.next = nnc_json_text(at);
        return sum(&p) && (*p.next == '\0' || refuse(&p, "an operator")) && keep(&p, expr);
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
