/* Reading a graph file, between graph_read.c (the file) and graph_nodes.c (its steps). */
#ifndef NNCOST_INPUT_GRAPH_READER_H
#define NNCOST_INPUT_GRAPH_READER_H

#include "input/graph_read.h"

enum {
    NNC_GRAPH_PATH_MAX = 256,
    NNC_GRAPH_DEFINES_MAX = 128,
    NNC_GRAPH_TENSOR_NAMES_MAX = 512,
    NNC_GRAPH_NESTING_MAX = 12
};

/* Where reading stands. */
typedef struct nnc_graph_reader {
    struct nnc_graph_net *net;
    nnc_arena *arena;
    nnc_faults *faults;
    nnc_graph_define *defines; /* those above */
    int32_t define_count;
    const nnc_graph_define *inside; /* NULL = in the network itself */
    const char **names;             /* of tensors */
    int32_t name_count;
    int depth;
    char path[NNC_GRAPH_PATH_MAX];
} nnc_graph_reader;

/* In the arena; NULL: out of memory, a fault was noted. */
const char *nnc_graph_text_copy(nnc_graph_reader *r, const char *text);
/* A name as expressions can use it; NULL: a fault was noted. */
const char *nnc_graph_read_name(nnc_graph_reader *r, nnc_json at, const char *text);
bool nnc_graph_read_expr(const nnc_graph_reader *r, nnc_json at, nnc_expr *expr);
/* The number of a tensor's name, a new one included; -1: a fault was noted. */
int32_t nnc_graph_tensor_name(nnc_graph_reader *r, nnc_json at);
void nnc_graph_refuse_key(nnc_json at, const char *what, const char *const *keys);
/* The parameters of an op, whose kind is known. */
void nnc_graph_read_op(nnc_graph_reader *r, nnc_json at, nnc_graph_node *node);
nnc_graph_ops nnc_graph_read_ops(nnc_graph_reader *r, nnc_json at);

#endif
