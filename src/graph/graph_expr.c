/* Evaluates the postfix code of an expression of a graph file. */
#include "base/base_internal.h"
#include "graph/graph_internal.h"

static bool apply(nnc_code_kind kind, int64_t a, int64_t b, int64_t *out)
{
    switch (kind) {
    case NNC_CODE_ADD: return nnc_add_i64(a, b, out);
    case NNC_CODE_SUBTRACT: return nnc_add_i64(a, -b, out);
    case NNC_CODE_MULTIPLY: return nnc_mul_i64(a, b, out);
    default:
        if (b == 0 || a % b != 0) { /* dims are whole numbers */
            return false;
        }
        *out = a / b;
        return true;
    }
}

bool nnc_expr_value(const nnc_expr *expr, const int64_t *lets, const int64_t *args, int64_t *value)
{
    int64_t stack[NNC_GRAPH_STACK_MAX] = { 0 };
    int32_t depth = 0;
    for (int32_t i = 0; i < expr->count; i++) {
        const nnc_code *code = &expr->code[i];
        int64_t result = code->value;
        if (code->kind == NNC_CODE_LET) {
            result = lets[code->value];
        } else if (code->kind == NNC_CODE_ARG) {
            result = args[code->value];
        } else if (code->kind != NNC_CODE_NUMBER) {
            depth -= 2;
            if (!apply(code->kind, stack[depth], stack[depth + 1], &result)) {
                return false;
            }
        }
        if (result > NNC_GRAPH_NUMBER_MAX || result < -NNC_GRAPH_NUMBER_MAX) {
            return false;
        }
        stack[depth++] = result;
    }
    *value = stack[0];
    return true;
}
