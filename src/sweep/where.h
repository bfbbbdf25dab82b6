/* Constraints: "tensor * pipeline <= 64 && micro_batch > 1".
 *
 *     ||   &&   == != < <= > >=   + -   * / %   ! -   ( )   numbers   names   'text'
 *
 * loosest first, as in C; true is 1, % is fmod(), text compares by == and != only. A figure that is
 * not recorded makes every comparison with it false but !=. */
#ifndef NNCOST_SWEEP_WHERE_H
#define NNCOST_SWEEP_WHERE_H

#include <nncost/status.h>

#include "base/cell.h"

enum { NNC_WHERES_MAX = 8, NNC_WHERE_NODES = 128, NNC_WHERE_TEXT = 512 };

typedef struct nnc_where_node {
    char op;             /* '0' number, 'v' variable, 't' text; else the operator */
    int32_t left, right; /* nodes; -1 = none */
    int32_t variable, text;
    double number;
} nnc_where_node;

typedef struct nnc_where {
    nnc_where_node nodes[NNC_WHERE_NODES];
    int32_t node_count, root;
    char texts[NNC_WHERE_TEXT];
    int32_t text_size;
} nnc_where;

/* Gives a name its number, which nnc_where_read is asked for later. */
typedef nnc_status nnc_where_name(void *context, const char *name, int32_t *variable,
                                  nnc_error *err);

/* Reads a constraint; what is wrong is said with its place, of option. NNC_BAD_USAGE, or what name
 * returns. */
nnc_status nnc_where_parse(const char *option, const char *text, nnc_where_name *name,
                           void *context, nnc_where *where, nnc_error *err);

/* The value of a variable; NULL when it is not known yet. */
typedef const nnc_cell *nnc_where_read(void *context, int32_t variable);

typedef enum nnc_truth { NNC_FALSE, NNC_TRUE, NNC_NOT_KNOWN_YET } nnc_truth;

/* Is the constraint met? NNC_NOT_KNOWN_YET: that depends on variables not known yet. */
nnc_truth nnc_where_test(const nnc_where *where, nnc_where_read *read, void *context);

#endif
