#include "graph/graph_kinds.h"

static const nnc_graph_kind_row *const rows[] = {
#define NNC_GRAPH_KIND_AT(name, text, help, row) [name] = &nnc_graph_##row##_row,
    NNC_GRAPH_KIND_LIST(NNC_GRAPH_KIND_AT)
#undef NNC_GRAPH_KIND_AT
};

const nnc_graph_kind_row *nnc_graph_kind_row_of(nnc_graph_kind kind)
{
    return rows[kind];
}
