/* Reads expressions: "tensor * pipeline <= 64 && micro_batch > 1" for --where, "2 * heads + 1" in graph files.
 *
 *     ||   &&   == != < <= > >=   + -   * / %   ! -   ( )   numbers   names   'text'
 *
 * The operators on the left are applied last, as in C. Operators of the same level group from the left. The reader
 * passes operands and operators to the callbacks in postfix order: an operator follows its operands. */
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

/* A grammar and its callbacks. A callback that returns false or 0 has reported an error, and reading ends. */
typedef struct nnc_expression_reader {
    unsigned operators;
    int nesting_max;        /* deepest nesting of brackets and signs */
    const char *name_marks; /* further characters of names after the first letter, besides letters and digits */
    size_t (*number)(void *context, const char *at); /* callback that reads a number and returns the number of
                                                      * characters read */
    bool (*name)(void *context, const char *name, size_t length);
    bool (*text)(void *context, const char *text,
                 size_t length); /* callback that receives a text without its quotes; NULL = the grammar has no texts */
    bool (*operate)(void *context, nnc_operator of);
    void (*refuse)(void *context, const char *expected, const char *at);
} nnc_expression_reader;

/* Reads a whole text. Returns false when the text is no expression of the grammar, or when a callback reported an
 * error. */
bool nnc_expression_read(const nnc_expression_reader *reader, const char *text, void *context);

#endif
