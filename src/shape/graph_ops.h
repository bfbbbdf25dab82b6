/* Lowering of a graph, between graph.c (the family) and graph_ops.c (each kind of op). */
#ifndef NNCOST_SHAPE_GRAPH_OPS_H
#define NNCOST_SHAPE_GRAPH_OPS_H

#include "graph/graph_kinds.h"
#include "shape/family.h"

/* What is known of a place in memory. Every kept tensor has one owner: the first op whose backward needs
 * it. */
enum {
    NNC_PLACE_KEPT = 1,   /* an op owns it already, or it is an input of the network */
    NNC_PLACE_GRAD = 2,   /* its gradient is needed: a weight lies before it */
    NNC_PLACE_REMADE = 4, /* selective recomputation makes it again */
    NNC_PLACE_NORMED = 8, /* a norm wrote it, or a sum in the kernel of one */
};

/* Where ops are written, and what the walk remembers. */
typedef struct nnc_graph_lowering {
    nnc_writer to;
    nnc_graph_walk *walk;
    int64_t batch;
    nnc_op_list *list;
    const struct nnc_graph_net *net;
    int32_t marks[NNC_GRAPH_DEPTH_MAX + 1];
    int32_t depth;
    bool layered;           /* turns of the layers become segments, which stages are made of */
    int32_t layer_segments; /* found different by what they start from */
} nnc_graph_lowering;

/* Writes the ops of one op of the graph. */
void nnc_graph_lower_op(void *context, nnc_graph_walk *walk, const nnc_graph_op *op);

/* Writes a network into the list's last segment, as a part of another: its parameters are there once, its
 * work is that of `batch` samples. */
void nnc_graph_write_part(const nnc_graph *part, const nnc_writer *to, int64_t batch);

/* ---- for the kinds ---- */

nnc_graph_storage *nnc_graph_place(const nnc_graph_lowering *l, const nnc_graph_tensor *t);
bool nnc_graph_has_grad(const nnc_graph_lowering *l, const nnc_graph_tensor *t);
/* Backward of an op needs a tensor: true when this op has to keep it. */
bool nnc_graph_keeps(const nnc_graph_lowering *l, const nnc_graph_tensor *t);
/* Of all samples. */
int64_t nnc_graph_all_elements(const nnc_graph_lowering *l, const nnc_graph_tensor *t);
int64_t nnc_graph_all_positions(const nnc_graph_lowering *l, const nnc_graph_tensor *t);
/* The group that the file says, else this one. */
nnc_group nnc_graph_group(const nnc_graph_op *op, nnc_group unsaid);
/* One pass over the output. */
nnc_op *nnc_graph_pointwise(const nnc_graph_lowering *l, const nnc_graph_op *op,
                            nnc_pointwise_kind kind, nnc_group group);

typedef void nnc_graph_lower_fn(nnc_graph_lowering *l, const nnc_graph_op *op);
nnc_graph_lower_fn nnc_graph_lower_input, nnc_graph_lower_attention, nnc_graph_lower_embed,
    nnc_graph_lower_position, nnc_graph_lower_timestep, nnc_graph_lower_prepend;

#endif
