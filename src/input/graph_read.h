/* Reading the ops of a graph file. */
#ifndef NNCOST_INPUT_GRAPH_READ_H
#define NNCOST_INPUT_GRAPH_READ_H

#include "graph/graph.h"
#include "input/json.h"

/* The names that an expression may use. */
typedef struct nnc_expr_scope {
    const char *const *lets;
    int32_t let_count;
    const char *const *args; /* of the macro around */
    int32_t arg_count;
} nnc_expr_scope;

/* A whole number, a switch, or a text of + - * / ( ) and names. false: a fault was noted. */
bool nnc_expr_read(nnc_json at, const nnc_expr_scope *scope, nnc_expr *expr);

/* let, input, define and ops of a file; the values of its lets into lets. NULL: a fault was noted. */
const struct nnc_graph_net *nnc_graph_read(nnc_json root, int64_t lets[NNC_GRAPH_LETS_MAX]);

/* That network, and its fields, into a model. */
void nnc_graph_take(nnc_json root, nnc_model *model);
/* The network of an object as one more tower of a model. A fault is noted where its ops do not fit together. */
void nnc_graph_tower(nnc_json at, nnc_model *model);

#endif
