/* Reads expressions: "tensor * pipeline <= 64 && micro_batch > 1" of --where, "2 * heads + 1" of graph files.
 *
 *     ||   &&   == != < <= > >=   + -   * / %   ! -   ( )   numbers   names   'text'
 *
 * Loosest first, as in C. Operators of one level group from the left. The caller gets operands and operators in postfix
 * order, an operator after its operands, and keeps them as it likes. */
#ifndef NNCOST_BASE_EXPRESSION_H
#define NNCOST_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

typedef enum nnc_operator {
    NNC_OPERATOR_OR,
    NNC_OPERATOR_AND,
    NNC_OPERATOR_EQUAL,
    NNC_OPERATOR_NOT_EQUAL,
    NNC_OPERATOR_AT_MOST,
    NNC_OPERATOR_AT_LEAST,
    NNC_OPERATOR_LESS,
    NNC_OPERATOR_MORE,
    NNC_OPERATOR_ADD,
    NNC_OPERATOR_SUBTRACT,
    NNC_OPERATOR_MULTIPLY,
    NNC_OPERATOR_DIVIDE,
    NNC_OPERATOR_REMAINDER,
    NNC_OPERATOR_COUNT, /* number of operators with two operands */
    NNC_OPERATOR_NOT = NNC_OPERATOR_COUNT,
    NNC_OPERATOR_NEGATE
} nnc_operator;

/* Sets of operators, one bit each. NNC_OPERATORS_ALL also includes signs and texts. */
enum {
    NNC_OPERATORS_ARITHMETIC =
        1 << NNC_OPERATOR_ADD | 1 << NNC_OPERATOR_SUBTRACT | 1 << NNC_OPERATOR_MULTIPLY | 1 << NNC_OPERATOR_DIVIDE,
    NNC_OPERATORS_ALL = (1 << (NNC_OPERATOR_NEGATE + 1)) - 1
};

/* One grammar. A callback that returns false or 0 ends the reading; it has reported the reason. */
typedef struct nnc_expression_reader {
    unsigned operators;
    int nesting_max;        /* deepest nesting of brackets and signs */
    const char *name_marks; /* allowed in names after the first letter, in addition to letters and digits */
    size_t (*number)(void *context, const char *at); /* number of characters read */
    bool (*name)(void *context, const char *name, size_t length);
    bool (*text)(void *context, const char *text,
                 size_t length); /* text of the token without its quotes; may be NULL */
    bool (*operate)(void *context, nnc_operator of);
    void (*refuse)(void *context, const char *expected, const char *at);
} nnc_expression_reader;

/* Reads a whole text. Returns false when it is no expression of the grammar, or when a callback ended the reading. */
bool nnc_expression_read(const nnc_expression_reader *reader, const char *text, void *context);

#endif
