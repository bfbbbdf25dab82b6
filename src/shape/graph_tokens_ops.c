/* Attention, tables and inputs of a graph.   [graph] */
#include "op/op_row.h"
#include "shape/graph_ops.h"
#include "shape/transformer.h"

typedef nnc_graph_lowering lowering;

void nnc_graph_lower_input(lowering *l, const nnc_graph_op *op)
{
    const bool pixels = op->out.rank == 3; /* 8 bits each */
    const double bytes = op->out.ids ? 4.0 : pixels ? 1.0 : nnc_dtype_bytes(l->to.how->dtype);
    const int64_t elements = nnc_graph_all_elements(l, &op->out);
    nnc_graph_place(l, &op->out)->flags = NNC_PLACE_KEPT;
    l->list->input_bytes += bytes * (double)elements;
    if (op->out.ids && op->node == &l->net->input) {
        l->list->tokens = elements;
    }
}

/* Programs that copy heads also cut maps into windows and put them together again by copies, and shift every other
 * one, which is a copy there and one back: three in two blocks before attention, and behind it. */
static void copy_windows(lowering *l, const nnc_graph_op *op)
{
    if (l->to.how->software->copied_heads != NNC_HEADS_IN_PLACE) {
        const int64_t elements = nnc_graph_all_elements(l, &op->out);
        nnc_op *copy = nnc_list_pointwise(&l->to, "windows", NNC_PW_COPY, NNC_GROUP_ATTENTION,
                                          nnc_list_mul(&l->to, 3, elements) / 2);
        copy->split = op->in.sharded ? NNC_SPLIT_HEADS : NNC_SPLIT_TOKENS;
    }
}

/* Queries, keys and values, kept as one with the attention's own record of them; what an op before owns
 * already is not kept again. */
void nnc_graph_lower_attention(lowering *l, const nnc_graph_op *op)
{
    static const char *const parts[] = { "scores", "mask", "softmax", "dropout", "context" };
    const int64_t *v = op->values;
    const int64_t heads = v[NNC_ATTENTION_HEADS];
    const int64_t kv_heads =
        v[NNC_ATTENTION_KV_HEADS] == NNC_GRAPH_UNSAID ? heads : v[NNC_ATTENTION_KV_HEADS];
    const bool map = op->in.rank == 3, causal = v[NNC_ATTENTION_CAUSAL] > 0;
    const int64_t side = v[NNC_ATTENTION_WINDOW], tokens = nnc_graph_positions(&op->in);
    const int64_t square = map ? side * side : side;
    /* Windows of a causal attention slide; others stand side by side. */
    const bool blocks = side > 0 && !causal;
    const int64_t seq_len = blocks ? square : tokens;
    const int64_t own = nnc_graph_width(&op->in), out = nnc_graph_width(&op->out);
    const nnc_layer layer = { .hidden = out,
                              .heads = heads,
                              .kv_heads = kv_heads,
                              .head_dim =
                                  op->with.rank > 0 ? own / heads : own / (heads + 2 * kv_heads),
                              .value_dim = out / heads,
                              .window = causal ? side : 0,
                              .causal = causal };
    const nnc_core_names names = {
        op->node->label, parts[0], parts[1], parts[2], parts[3], parts[4]
    };
    const nnc_layer_writer w =
        nnc_layer_begin(&l->to, &layer, nnc_list_mul(&l->to, l->batch, tokens / seq_len), seq_len);
    if (blocks && map) {
        copy_windows(l, op);
    }
    const int32_t first = l->list->count;
    const bool owned = (nnc_graph_place(l, &op->in)->flags & NNC_PLACE_KEPT) != 0;
    nnc_layer_core(&w, &names,
                   op->with.rank > 0 && !blocks ? nnc_graph_positions(&op->with) : seq_len);
    for (int32_t i = first; i < l->list->count; i++) {
        l->list->ops[i].group = nnc_graph_group(op, NNC_GROUP_ATTENTION);
        l->list->ops[i].split = op->in.sharded ? NNC_SPLIT_HEADS : NNC_SPLIT_TOKENS;
    }
    if (blocks && map) {
        copy_windows(l, op);
    }
    if (op->weights.count > 0) {
        l->list->ops[first].weights = (nnc_weights){
            .count = 1, .rows = op->weights.rows, .cols = op->weights.cols, .table = true
        };
    }
    if (owned && l->list->ops[first].kind == NNC_OP_FLASH) {
        l->list->ops[first].u.flash.keeps_qkv = false;
    }
    nnc_graph_keeps(l, &op->in);
    if (op->with.rank > 0) {
        nnc_graph_keeps(l, &op->with);
    }
    if (op->also.rank > 0) {
        nnc_graph_keeps(l, &op->also);
    }
}

void nnc_graph_lower_embed(lowering *l, const nnc_graph_op *op)
{
    nnc_op *embed = nnc_list_add(&l->to, op->node->label, NNC_OP_EMBEDDING,
                                 nnc_graph_group(op, NNC_GROUP_EMBEDDING));
    embed->weights = (nnc_weights){
        .count = 1, .rows = op->weights.rows, .cols = op->weights.cols, .table = true
    };
    embed->u.embedding = (nnc_embedding){ .tokens = nnc_graph_all_positions(l, &op->out),
                                          .width = op->weights.cols };
    l->list->lookup_params += nnc_list_mul(&l->to, op->weights.rows, op->weights.cols);
}

void nnc_graph_lower_position(lowering *l, const nnc_graph_op *op)
{
    const bool rotary = op->values[NNC_POSITION_KIND] == NNC_POSITION_ROTARY;
    const nnc_group group = nnc_graph_group(op, rotary ? NNC_GROUP_ATTENTION : NNC_GROUP_EMBEDDING);
    nnc_op *position =
        nnc_graph_pointwise(l, op, rotary ? NNC_PW_ROTARY : NNC_PW_POSITION_ADD, group);
    position->u.pointwise.fused = !rotary || l->to.how->software->fused_rotary;
    if (op->weights.count > 0) {
        position->weights = (nnc_weights){
            .count = 1, .rows = op->weights.rows, .cols = op->weights.cols, .table = true
        };
        l->list->lookup_params += nnc_list_mul(&l->to, op->weights.rows, op->weights.cols);
    }
}

void nnc_graph_lower_timestep(lowering *l, const nnc_graph_op *op)
{
    nnc_graph_pointwise(l, op, NNC_PW_TIMESTEP, nnc_graph_group(op, NNC_GROUP_TIME));
    nnc_graph_place(l, &op->out)->flags = 0;
}

void nnc_graph_lower_prepend(lowering *l, const nnc_graph_op *op)
{
    nnc_op *tokens =
        nnc_graph_pointwise(l, op, NNC_PW_CONCAT, nnc_graph_group(op, NNC_GROUP_EMBEDDING));
    tokens->weights.vector = op->weights.vector;
    l->list->lookup_params += op->weights.vector;
}
