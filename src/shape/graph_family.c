/* The family of networks whose model file lists their ops: graph files and ONNX files. [graph]
 *
 * The walk over the network (src/graph) infers all shapes and reports one op after the other. For each reported op,
 * this file appends forward ops to the op list, and decides which op counts the tensors that are kept for backward. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

/* Flags of the storage of a tensor. Every kept tensor has one owner, which is the first op whose backward needs the
 * tensor; only the owner counts the bytes of the tensor. */
enum {
    PLACE_KEPT = 1,   /* an op already owns the storage, or the storage is an input of the network */
    PLACE_GRAD = 2,   /* the tensor needs a gradient, because its values depend on a trained weight */
    PLACE_REMADE = 4, /* selective recomputation computes the tensor a second time in backward, so the tensor is not
                       * kept */
    PLACE_NORMED = 8, /* the tensor was written by a norm, or by an op that is fused into the kernel of a norm */
    PLACE_LAST = 16,  /* the channels are the innermost dimension of the tensor in any layout of maps */
    PLACE_PART = 32,  /* a part of the channels of a map, which is not packed in memory */
};

/* State while the ops of a graph are appended to an op list: the op list, and the walk over the graph. */
typedef struct lowering {
    nnc_writer to;
    nnc_graph_walk *walk;
    int64_t batch;
    nnc_op_list *list;
    const struct nnc_graph_net *net;
    int32_t marks[NNC_GRAPH_DEPTH_MAX + 1];
    int32_t depth;
    bool layered; /* true: each iteration of the repeat of layers becomes a segment, and pipeline stages divide these
                   * segments */
    /* 1 + index in the op list of the collective that the embedding tables added last share; 0 = the network has had no
     * tables so far */
    int32_t tables;
    /* number of segments that contain layers: one for each iteration of the repeat of layers that the walk visits
     * (iterations that start from different states) */
    int32_t layer_segments;
} lowering;

/* ---- which op counts the bytes of a kept tensor (its owner) ---- */

static nnc_graph_storage *place_of(const lowering *l, const nnc_graph_tensor *t) {
    return &l->walk->storages[t->storage];
}

static bool has_grad(const lowering *l, const nnc_graph_tensor *t) { return (place_of(l, t)->flags & PLACE_GRAD) != 0; }

/* Is called for an op whose backward needs the tensor t. Makes the op the owner of t and returns true, unless an
 * earlier op owns t, or selective recomputation computes t again; in these two cases returns false. */
static bool keeps(const lowering *l, const nnc_graph_tensor *t) {
    nnc_graph_storage *s = place_of(l, t);
    const bool own = (s->flags & (PLACE_KEPT | PLACE_REMADE)) == 0;
    s->flags |= own ? PLACE_KEPT : 0;
    return own;
}

static int64_t all_elements(const lowering *l, const nnc_graph_tensor *t) {
    return nnc_list_mul(&l->to, l->batch, nnc_graph_elements(t));
}

static int64_t all_positions(const lowering *l, const nnc_graph_tensor *t) {
    return nnc_list_mul(&l->to, l->batch, nnc_graph_positions(t));
}

/* Returns the group of an op (attention, MLP ...) that the graph file states; `unsaid` if the graph file states
 * none. */
static nnc_group group_of(const nnc_graph_op *op, nnc_group unsaid) {
    return op->node->group != NNC_GROUP_COUNT ? op->node->group : unsaid;
}

/* Returns the group of a pointwise op: the group that the graph file states. If the graph file states none, returns
 * "conv" for a feature map as output, and "mlp" for any other output. */
static nnc_group pointwise_group(const nnc_graph_op *op) {
    return group_of(op, op->out.rank >= 3 ? NNC_GROUP_CONV : NNC_GROUP_MLP);
}

static nnc_op *write_pointwise(const lowering *l, const nnc_graph_op *op, nnc_pointwise_kind kind, nnc_group group) {
    nnc_op *written = nnc_list_pointwise(&l->to, op->node->label, kind, group, all_elements(l, &op->out));
    written->split = op->out.sharded ? NNC_SPLIT_INNER : NNC_SPLIT_TOKENS;
    return written;
}

static double bytes_kept(const lowering *l, const nnc_graph_tensor *t) {
    return keeps(l, t) ? nnc_list_bytes(&l->to, all_elements(l, t)) : 0.0;
}

static void remake(const lowering *l, const nnc_graph_op *op, const nnc_op *written) {
    if (written->recomputed) { place_of(l, &op->out)->flags |= PLACE_REMADE; }
}

/* ---- functions that write convolutions, norms and linear layers ---- */

/* Appends the kernel that normalises the weights of a convolution: the weights of each output channel get the mean 0
 * and the variance 1. The kernel is a batch norm of the fp32 weights, so its work does not depend on the batch. Source:
 * ScaledStdConv2d and StdConv2d,
 * timm/models/layers/std_conv.py of pytorch-image-models.   [graph] */
static void standardize_weights(const lowering *l, const nnc_graph_op *op) {
    const int64_t rows = op->weights.rows, gains = op->values[NNC_CONV_GAIN] > 0 ? rows : 0;
    nnc_op *norm = nnc_list_norm(&l->to, "conv.standardize", NNC_NORM_BATCH,
                                 nnc_list_mul(&l->to, rows, op->weights.cols), rows, gains);
    norm->dtype = NNC_FP32;
    norm->recomputed = false;
    norm->u.norm.keep = NNC_KEEP_FUSED;
    norm->u.norm.keeps_input = false; /* the input is the weights, which are in memory anyway */
}

/* Appends the copy of a part of the channels of a map that a convolution reads: the libraries take only packed maps, so
 * PyTorch copies the part in forward, and joins the gradients of the parts in backward (input.contiguous() in
 * aten/src/ATen/native/cudnn/ConvShared.cpp, split_backward in torch/csrc/autograd/FunctionsManual.cpp). In a compiled
 * program, the kernel before the convolution writes the parts of the channels. [graph] */
static void pack_part(const lowering *l, const nnc_graph_op *op) {
    if ((place_of(l, &op->in)->flags & PLACE_PART) == 0 || l->to.how->software->fused_maps) { return; }
    nnc_list_pointwise(&l->to, "part", NNC_PW_COPY, NNC_GROUP_RESAMPLE, all_elements(l, &op->in));
}

static void lower_conv(lowering *l, const nnc_graph_op *op) {
    const int64_t *v = op->values;
    const bool transposed = op->node->kind == NNC_GRAPH_CONV_TRANSPOSE;
    nnc_graph_window windows[3];
    nnc_graph_windows(op, windows);
    /* A 3-d convolution is counted as a 2-d convolution with the same number of multiplications. The height of the 2-d
     * map is depth x height of the volume, and the height of the 2-d kernel is depth x height of the 3-d kernel. */
    const int last = op->in.rank - 1;
    const int64_t in_depth = last == 3 ? op->in.dims[1] : 1, out_depth = last == 3 ? op->out.dims[1] : 1;
    const int64_t kernel = windows[0].kernel * (last == 3 ? windows[2].kernel : 1);
    const nnc_conv conv = { .batch = l->batch,
                            .c_in = op->in.dims[0],
                            .c_out = op->out.dims[0],
                            .h_in = nnc_list_mul(&l->to, in_depth, op->in.dims[last - 1]),
                            .w_in = op->in.dims[last],
                            .h_out = nnc_list_mul(&l->to, out_depth, op->out.dims[last - 1]),
                            .w_out = op->out.dims[last],
                            .kernel = kernel,
                            .kernel_w = windows[1].kernel == kernel ? 0 : windows[1].kernel,
                            .stride = windows[0].stride,
                            .groups = v[NNC_CONV_GROUPS],
                            .transposed = transposed,
                            .needs_grad_input = has_grad(l, &op->in),
                            .keeps_input = keeps(l, &op->in) };
    if (!transposed && v[NNC_CONV_STANDARDIZE] > 0) { standardize_weights(l, op); }
    pack_part(l, op);
    nnc_op *written = nnc_list_conv(&l->to, op->node->label, group_of(op, NNC_GROUP_CONV), &conv, v[NNC_CONV_BIAS] > 0);
    written->weights.cols = op->weights.cols;
    if ((place_of(l, &op->in)->flags & PLACE_LAST) != 0) {
        written->u.conv.contiguous = written->u.conv.native = false;
    }
}

static bool of_map(const nnc_graph_op *op) { return op->out.rank >= 3; }

/* Tests whether an op that reads the feature map t is fused into the kernel of the norm that wrote t. The fusion of the
 * op into the kernel of a norm depends on the switch fused_maps of the software profile. */
static bool is_inside(const lowering *l, const nnc_graph_tensor *t) {
    return l->to.how->software->fused_maps && t->rank >= 3 && (place_of(l, t)->flags & PLACE_NORMED) != 0;
}

/* Returns which tensors a norm keeps for backward, and in which number format. Under autocast a batch norm runs in the
 * format of its input, because batch norm is in none of the operator lists of autocast. A group norm with one channel
 * per group is computed as a batch norm over samples (at::instance_norm of PyTorch). If the profile runs norms as
 * primitive operators, the kept tensors are fp32. */
static nnc_norm_keep norm_keep(const nnc_software *software, const nnc_graph_op *op) {
    const bool grouped = op->values[NNC_NORM_PARAM_KIND] == NNC_NORM_GROUP;
    const bool batch = op->values[NNC_NORM_PARAM_KIND] == NNC_NORM_BATCH;
    const bool single = op->values[NNC_NORM_PARAM_GROUPS] == nnc_graph_width(&op->in);
    return (batch || single) && !software->written_out ? NNC_KEEP_FUSED
           : grouped                                   ? software->group_norm_keep
                                                       : software->norm_keep;
}

static void lower_norm(lowering *l, const nnc_graph_op *op) {
    const nnc_norm_kind kind = (nnc_norm_kind)op->values[NNC_NORM_PARAM_KIND];
    const int64_t per_position = op->values[NNC_NORM_PARAM_HEADS];
    const int64_t rows = kind == NNC_NORM_BATCH   ? nnc_graph_width(&op->in)
                         : kind == NNC_NORM_GROUP ? nnc_list_mul(&l->to, l->batch, op->values[NNC_NORM_PARAM_GROUPS])
                                                  : nnc_list_mul(&l->to, all_positions(l, &op->in), per_position);
    nnc_op *norm = nnc_list_norm(&l->to, op->node->label, kind, all_elements(l, &op->in), rows, op->weights.vector);
    norm->group = group_of(op, NNC_GROUP_NORM);
    norm->u.norm.turned &= op->values[NNC_NORM_PARAM_GROUPS] < nnc_graph_width(&op->in);
    norm->u.norm.keep = norm_keep(l->to.how->software, op);
    /* A norm that computes in fp32 and reads 16-bit values keeps an fp32 copy of these values; the norm does not keep
     * its 16-bit input. */
    const bool copy = norm->u.norm.keep != NNC_KEEP_FUSED && nnc_dtype_bytes(l->to.how->dtype) < 4.0;
    norm->u.norm.keeps_input = !copy && keeps(l, &op->in);
    remake(l, op, norm);
    place_of(l, &op->out)->producer = l->list->count - 1;
    place_of(l, &op->out)->flags |= of_map(op) ? PLACE_NORMED : 0;
}

/* Appends an all-reduce over tensor ranks. With `entering` false, the all-reduce runs in forward and adds the partial
 * sums of an output. With `entering` true, the all-reduce runs in backward and adds the gradients of an input that
 * every rank reads. */
static void tensor_collective(const lowering *l, const char *label, const nnc_graph_tensor *t, bool entering) {
    const nnc_collective_op e = { .comm = NNC_COMM_TENSOR,
                                  .forward = entering ? NNC_NO_COLLECTIVE : NNC_ALL_REDUCE,
                                  .backward = entering ? NNC_ALL_REDUCE : NNC_NO_COLLECTIVE,
                                  .bytes = nnc_list_bytes(&l->to, all_elements(l, t)) };
    if (l->to.how->plan->tensor > 1) { nnc_list_collective(&l->to, label, e); }
}

static void lower_linear(lowering *l, const nnc_graph_op *op) {
    static const nnc_split splits[] = { NNC_SPLIT_TOKENS, NNC_SPLIT_COLUMN, NNC_SPLIT_ROW };
    const int64_t split = op->values[NNC_LINEAR_SPLIT];
    const bool keeps_a = keeps(l, &op->in);
    if (split == NNC_LINEAR_COLUMNS) { tensor_collective(l, op->node->label, &op->in, true); }
    nnc_op *linear =
        nnc_list_linear(&l->to, op->node->label, group_of(op, NNC_GROUP_MLP), splits[split], all_positions(l, &op->in),
                        op->weights.cols, op->weights.rows, op->weights.vector > 0);
    linear->weights.vector -= op->values[NNC_LINEAR_UNBIASED];
    linear->u.matmul.needs_grad_input = has_grad(l, &op->in);
    linear->u.matmul.keeps_a = keeps_a;
    if (split == NNC_LINEAR_ROWS) { tensor_collective(l, op->node->label, &op->out, false); }
}

/* ---- pointwise ops, and losses ---- */

/* Checks that each activation of graph files has the number of the equally named activation of nnc_pointwise_kind; see
 * NNC_ACTIVATION_LIST. */
_Static_assert((int)NNC_ACT_RELU == NNC_PW_RELU && (int)NNC_ACT_GEGLU == NNC_PW_GEGLU,
               "graph files list the activations in another order");

static void lower_act(lowering *l, const nnc_graph_op *op) {
    const nnc_pointwise_kind kind = (nnc_pointwise_kind)op->values[0];
    const nnc_activation *row = nnc_activation_of(kind);
    nnc_op *act = write_pointwise(l, op, kind, pointwise_group(op));
    act->recomputed = l->to.block >= 0 && nnc_list_recomputes(&l->to, NNC_RECOMPUTE_ACTIVATION);
    remake(l, op, act);
    act->u.pointwise.inside = !row->gated && is_inside(l, &op->in);
    if (row->gated && !l->to.how->software->fused_activation) {
        act->u.pointwise.fused = false;
        if (!act->recomputed) { /* the product of gate and up keeps the activated gate, which its backward needs */
            act->u.pointwise.extra_kept_bytes = nnc_list_bytes(&l->to, act->u.pointwise.elements);
        }
    }
    if (!row->by_output || act->recomputed) {
        act->u.pointwise.keeps_input = keeps(l, &op->in);
        return;
    }
    /* An activation whose backward reads its output overwrites the output of the norm before it and keeps its own
     * output, so the norm is not recomputed in backward. */
    const int32_t producer = place_of(l, &op->in)->producer;
    act->u.pointwise.keeps_output = keeps(l, &op->out);
    if (producer >= 0) { l->list->ops[producer].recomputed = false; }
}

static void lower_dropout(lowering *l, const nnc_graph_op *op) {
    if (nnc_list_infers(l->to.list)) { return; }
    write_pointwise(l, op, NNC_PW_DROPOUT, pointwise_group(op))->u.pointwise.keeps_mask = true;
}

static void lower_scale(lowering *l, const nnc_graph_op *op) {
    const bool gain = op->values[0] == NNC_SCALE_GAIN;
    /* a multiplication by a constant moves as many bytes as a copy, in forward and in backward, and keeps no tensor */
    if (op->values[0] == NNC_SCALE_CONSTANT) {
        write_pointwise(l, op, NNC_PW_COPY, pointwise_group(op));
        return;
    }
    nnc_op *scale = write_pointwise(l, op, gain ? NNC_PW_SCALE : NNC_PW_BIAS, pointwise_group(op));
    scale->weights.vector = op->weights.vector;
    /* A scale of a feature map is a batch norm with fixed statistics, so its output gets the flag of tensors that a
     * norm wrote. */
    place_of(l, &op->out)->flags |= of_map(op) ? PLACE_NORMED : 0;
    scale->u.pointwise.keeps_input = gain && keeps(l, &op->in);
}

static void lower_add(lowering *l, const nnc_graph_op *op) {
    if (op->in.rank != op->with.rank) {
        write_pointwise(l, op, NNC_PW_TIME_ADD, pointwise_group(op));
        return;
    }
    nnc_op *sum = nnc_list_residual(&l->to, op->node->label, pointwise_group(op), all_elements(l, &op->out));
    sum->split = op->out.sharded ? NNC_SPLIT_INNER : NNC_SPLIT_TOKENS;
    sum->u.pointwise.inside = is_inside(l, &op->in) || is_inside(l, &op->with);
    place_of(l, &op->out)->flags |= sum->u.pointwise.inside ? PLACE_NORMED : 0;
}

static void lower_mul(lowering *l, const nnc_graph_op *op) {
    const double kept = bytes_kept(l, &op->in) + bytes_kept(l, &op->with);
    write_pointwise(l, op, NNC_PW_MUL, pointwise_group(op))->u.pointwise.extra_kept_bytes = kept;
}

static void lower_loss(lowering *l, const nnc_graph_op *op) {
    nnc_op *loss = nnc_list_loss(&l->to, all_positions(l, &op->in), nnc_graph_width(&op->in));
    loss->name = op->node->label;
    if (op->values[0] == NNC_LOSS_SQUARED_ERROR) {
        loss->u.loss.fused = loss->u.loss.squared_error = true;
        loss->u.loss.keep = NNC_LOSS_KEEPS_LOGITS; /* backward of a squared error needs only the predicted values */
    }
}

/* ---- functions that write pools, upsampling, copies and views ---- */

static void lower_pool(lowering *l, const nnc_graph_op *op) {
    const bool max = op->node->kind == NNC_GRAPH_POOL && op->values[NNC_POOL_KIND] == NNC_POOL_MAX;
    nnc_op *pool =
        write_pointwise(l, op, max ? NNC_PW_MAX_POOL2D : NNC_PW_AVG_POOL2D, group_of(op, NNC_GROUP_RESAMPLE));
    pool->u.pointwise.input_elements = all_elements(l, &op->in);
    if (max) { /* backward of a max pool needs the positions of the maxima and the input of the pool */
        pool->u.pointwise.keeps_mask = true;
        pool->u.pointwise.extra_kept_bytes = bytes_kept(l, &op->in);
    }
}

static void lower_upsample(lowering *l, const nnc_graph_op *op) {
    const bool twice = op->values[NNC_UPSAMPLE_FACTOR] == 2 && op->in.rank == 3;
    const bool nearest = op->values[NNC_UPSAMPLE_KIND] == NNC_UPSAMPLE_NEAREST;
    nnc_op *up = write_pointwise(l, op,
                                 !twice    ? NNC_PW_RESIZE
                                 : nearest ? NNC_PW_UPSAMPLE_NEAREST
                                           : NNC_PW_UPSAMPLE_BILINEAR,
                                 group_of(op, NNC_GROUP_RESAMPLE));
    up->u.pointwise.input_elements = twice ? 0 : all_elements(l, &op->in);
}

/* Appends a copy of a tensor, for an op of the graph that changes the order of the values. */
static void lower_copy(lowering *l, const nnc_graph_op *op) {
    write_pointwise(l, op, NNC_PW_CONCAT, group_of(op, NNC_GROUP_RESAMPLE));
}

/* An op of the graph that runs no kernel: its output is a view of its input and gets the flags of the input. */
static void lower_view(lowering *l, const nnc_graph_op *op) {
    const bool part = op->node->kind == NNC_GRAPH_SLICE && op->out.rank >= 3 && op->out.dims[0] < op->in.dims[0];
    place_of(l, &op->out)->flags = place_of(l, &op->in)->flags | (part ? PLACE_PART : 0);
}

static void lower_concat(lowering *l, const nnc_graph_op *op) {
    if (op->values[NNC_CONCAT_COPY] == 0) {
        lower_view(l, op);
    } else {
        lower_copy(l, op);
    }
}

/* ---- functions that write inputs, attention, recurrent layers and tables ---- */

static void lower_input(lowering *l, const nnc_graph_op *op) {
    /* true: the input is images, which the data loader copies to the device as 8-bit pixels */
    const bool pixels = op->out.rank == 3;
    const double bytes = op->out.ids ? 4.0 : pixels ? 1.0 : nnc_dtype_bytes(l->to.how->dtype);
    const int64_t elements = all_elements(l, &op->out);
    place_of(l, &op->out)->flags = PLACE_KEPT;
    l->list->input_bytes += bytes * (double)elements;
    if (op->out.ids && op->node == &l->net->input) { l->list->tokens = elements; }
}

/* Appends the copies that windowed attention (Swin) makes before the attention, or after it. A profile that copies
 * queries, keys and values to a layout by heads (copied_heads) also copies feature maps into windows and back. In every
 * second layer of Swin the map is shifted: one more copy runs before the attention, and one more copy runs after the
 * attention. Two layers together have three copies before their attentions and three after, so one call of this
 * function appends one and a half copies. */
static void copy_windows(lowering *l, const nnc_graph_op *op) {
    if (l->to.how->software->copied_heads != NNC_HEADS_IN_PLACE) {
        const int64_t elements = all_elements(l, &op->out);
        nnc_op *copy = nnc_list_pointwise(&l->to, "windows", NNC_PW_COPY, NNC_GROUP_ATTENTION,
                                          nnc_list_mul(&l->to, 3, elements) / 2);
        copy->split = op->in.sharded ? NNC_SPLIT_HEADS : NNC_SPLIT_TOKENS;
    }
}

/* Appends the two linear layers that compute the position biases of Swin V2 from the coordinates of `rows` distances.
 * The work of the layers for position biases does not depend on the batch. */
static void lower_positions(lowering *l, const nnc_graph_op *op) {
    const int64_t rows = op->values[NNC_ATTENTION_BIASES], hidden = op->values[NNC_ATTENTION_MLP];
    const nnc_group group = group_of(op, NNC_GROUP_ATTENTION);
    nnc_op *in = nnc_list_linear(&l->to, "positions.in", group, NNC_SPLIT_TOKENS, rows, hidden, 2, true);
    in->u.matmul.needs_grad_input = in->u.matmul.keeps_a = false; /* the coordinates are a constant */
    nnc_op *act = nnc_list_pointwise(&l->to, "positions.relu", NNC_PW_RELU, group, nnc_list_mul(&l->to, rows, hidden));
    act->split = NNC_SPLIT_TOKENS;
    act->u.pointwise.keeps_output = true;
    nnc_op *out =
        nnc_list_linear(&l->to, "positions.out", group, NNC_SPLIT_TOKENS, rows, op->weights.cols, hidden, false);
    out->u.matmul.keeps_a = false;
}

/* Appends a product of two activations for each head of an attention. */
static void head_product(const lowering *l, const nnc_graph_op *op, const char *name, nnc_matmul product) {
    const int64_t heads = op->values[NNC_ATTENTION_HEADS];
    nnc_op *written = nnc_list_add(&l->to, name, NNC_OP_MATMUL, group_of(op, NNC_GROUP_ATTENTION));
    written->split = op->in.sharded ? NNC_SPLIT_HEADS : NNC_SPLIT_TOKENS;
    product.batch = nnc_list_mul(&l->to, l->batch, heads);
    product.b_shared = product.kept_divisor = 1;
    product.needs_grad_input = true;
    written->u.matmul = product;
}

/* Appends a linear attention: each head first adds up the products of its keys and values, then multiplies the sum with
 * the queries. A row of ones is appended to the values, so that one row of the result is the sum of the weights; all
 * rows except this one are divided by the sum. Source: arXiv:2006.16236, equations 4 and 5; arXiv:2410.10629, section
 * 2.2. [graph] */
static void lower_linear_attention(lowering *l, const nnc_graph_op *op, int64_t head_dim) {
    const int64_t heads = op->values[NNC_ATTENTION_HEADS], queries = nnc_graph_positions(&op->in);
    const int64_t keys = op->with.rank > 0 ? nnc_graph_positions(&op->with) : queries;
    const int64_t rows = nnc_graph_width(&op->out) / heads + 1;
    const bool keeps_query = keeps(l, &op->in);
    const bool keeps_key = op->with.rank > 0 ? keeps(l, &op->with) : keeps_query;
    const bool keeps_value = op->also.rank > 0 ? keeps(l, &op->also) : keeps_key;
    head_product(l, op, "state",
                 (nnc_matmul){ .m = rows, .n = head_dim, .k = keys, .keeps_a = keeps_value, .keeps_b = keeps_key });
    head_product(l, op, op->node->label,
                 (nnc_matmul){ .m = rows, .n = queries, .k = head_dim, .keeps_a = true, .keeps_b = keeps_query });
    nnc_op *divide = write_pointwise(l, op, NNC_PW_MUL, group_of(op, NNC_GROUP_ATTENTION));
    divide->name = "divide";
    divide->u.pointwise.keeps_output = keeps(l, &op->out);
}

/* Appends an attention op, which keeps queries, keys and values for backward as one tensor, unless an earlier op owns
 * this tensor. */
static void lower_attention(lowering *l, const nnc_graph_op *op) {
    static const char *const parts[] = { "scores", "mask", "softmax", "dropout", "context" };
    const int64_t *v = op->values;
    const int64_t heads = v[NNC_ATTENTION_HEADS];
    const int64_t kv_heads = v[NNC_ATTENTION_KV_HEADS] == NNC_GRAPH_UNSAID ? heads : v[NNC_ATTENTION_KV_HEADS];
    const bool map = op->in.rank == 3, causal = v[NNC_ATTENTION_CAUSAL] > 0;
    const int64_t side = v[NNC_ATTENTION_WINDOW], tokens = nnc_graph_positions(&op->in);
    const int64_t square = map ? side * side : side;
    /* In a causal attention, the windows slide over the tokens. In an attention without causal mask, the windows divide
     * the tokens into parts that do not overlap. */
    const bool blocks = side > 0 && !causal;
    const int64_t seq_len = blocks ? square : tokens;
    const int64_t own = nnc_graph_width(&op->in), out = nnc_graph_width(&op->out);
    const nnc_layer layer = { .hidden = out,
                              .heads = heads,
                              .kv_heads = kv_heads,
                              .head_dim = op->with.rank > 0 ? own / heads : own / (heads + 2 * kv_heads),
                              .value_dim = out / heads,
                              .window = causal ? side : 0,
                              .causal = causal };
    if (v[NNC_ATTENTION_LINEAR] > 0) {
        lower_linear_attention(l, op, layer.head_dim);
        return;
    }
    const nnc_core_names names = { op->node->label, parts[0], parts[1], parts[2], parts[3], parts[4] };
    const nnc_layer_writer w =
        nnc_layer_begin(&l->to, &layer, nnc_list_mul(&l->to, l->batch, tokens / seq_len), seq_len);
    if (v[NNC_ATTENTION_MLP] > 0) { lower_positions(l, op); }
    if (blocks && map) { copy_windows(l, op); }
    const int32_t first = l->list->count;
    const bool owned = (place_of(l, &op->in)->flags & PLACE_KEPT) != 0;
    nnc_layer_core(&w, &names, op->with.rank > 0 && !blocks ? nnc_graph_positions(&op->with) : seq_len);
    for (int32_t i = first; i < l->list->count; i++) {
        l->list->ops[i].group = group_of(op, NNC_GROUP_ATTENTION);
        l->list->ops[i].split = op->in.sharded ? NNC_SPLIT_HEADS : NNC_SPLIT_TOKENS;
    }
    if (blocks && map) { copy_windows(l, op); }
    if (v[NNC_ATTENTION_MLP] > 0) {
        l->list->ops[first].weights.vector = heads; /* the scales of the scores */
    } else if (op->weights.count > 0) {
        l->list->ops[first].weights =
            (nnc_weights){ .count = 1, .rows = op->weights.rows, .cols = op->weights.cols, .table = true };
    }
    if (owned && l->list->ops[first].kind == NNC_OP_FLASH) { l->list->ops[first].u.flash.keeps_qkv = false; }
    keeps(l, &op->in);
    if (op->with.rank > 0) { keeps(l, &op->with); }
    if (op->also.rank > 0) { keeps(l, &op->also); }
}

/* Appends a recurrent layer: one product of all tokens with the input weights; then, for each token, a product with the
 * state and a kernel for the gates. The first op of a recurrent layer counts all weights of the layer. A recurrent
 * layer keeps for backward the states before each token (the output of the layer), the gates and, in an LSTM, the cell.
 * A GRU keeps two more values, like PyTorch's fused cell. [graph] */
static void lower_recurrent(lowering *l, const nnc_graph_op *op) {
    static const int64_t kept[] = { 1, 2, 0 };
    const int64_t *v = op->values;
    const int64_t hidden = v[NNC_RECURRENT_HIDDEN], turns = 1 + v[NNC_RECURRENT_BOTH];
    const int64_t outputs = op->weights.cols / turns;
    const int64_t steps = nnc_list_mul(&l->to, nnc_graph_positions(&op->in), turns);
    const nnc_group group = group_of(op, NNC_GROUP_MLP);
    const bool keeps_a = keeps(l, &op->in);
    nnc_op *input = nnc_list_linear(&l->to, op->node->label, group, NNC_SPLIT_TOKENS, all_positions(l, &op->in),
                                    op->weights.cols, nnc_graph_width(&op->in), op->weights.vector > 0);
    input->weights.rows = op->weights.rows;
    input->weights.vector = op->weights.vector;
    input->u.matmul.needs_grad_input = has_grad(l, &op->in);
    input->u.matmul.keeps_a = keeps_a;
    nnc_op *state =
        nnc_list_linear(&l->to, "recurrent.state", group, NNC_SPLIT_TOKENS, l->batch, outputs, hidden, false);
    state->weights = (nnc_weights){ .count = 0 };
    state->repeat = nnc_list_mul(&l->to, state->repeat, steps);
    state->u.matmul.needs_grad_input = true;
    state->u.matmul.keeps_a = keeps(l, &op->out);
    nnc_op *gates =
        nnc_list_pointwise(&l->to, "recurrent.gates", NNC_PW_TANH, group, nnc_list_mul(&l->to, l->batch, outputs));
    gates->repeat = nnc_list_mul(&l->to, gates->repeat, steps);
    gates->split = NNC_SPLIT_TOKENS;
    gates->u.pointwise.keeps_output = v[NNC_RECURRENT_KIND] != NNC_RECURRENT_RNN;
    gates->u.pointwise.extra_kept_bytes =
        (double)kept[v[NNC_RECURRENT_KIND]] * nnc_list_bytes(&l->to, nnc_list_mul(&l->to, l->batch, hidden));
}

static void lower_embed(lowering *l, const nnc_graph_op *op) {
    nnc_op *embed = nnc_list_add(&l->to, op->node->label, NNC_OP_EMBEDDING, group_of(op, NNC_GROUP_EMBEDDING));
    embed->weights = (nnc_weights){ .count = 1, .rows = op->weights.rows, .cols = op->weights.cols, .table = true };
    embed->u.embedding = (nnc_embedding){ .tokens = all_positions(l, &op->out), .width = op->weights.cols };
    l->list->lookup_params += nnc_list_mul(&l->to, op->weights.rows, op->weights.cols);
}

/* Appends an embedding table whose looked-up rows are summed. The expert ranks divide the tables: each rank looks up
 * the rows of its tables for the samples of all ranks, and an all-to-all sends the sums to the ranks that have the
 * samples. Successive tables share one all-to-all. */
static void lower_table(lowering *l, const nnc_graph_op *op) {
    const nnc_plan *plan = l->to.how->plan;
    const int64_t width = op->weights.cols, lookups = op->values[NNC_TABLE_LOOKUPS];
    const bool joins = l->list->count > 0 && l->list->ops[l->list->count - 1].in_place && l->tables > 0;
    if (plan->expert > 1 && !joins) {
        nnc_list_collective(
            &l->to, "tables",
            (nnc_collective_op){ .comm = NNC_COMM_EXPERT, .forward = NNC_ALL_TO_ALL, .backward = NNC_ALL_TO_ALL });
        l->tables = l->list->count;
    }
    if (plan->expert > 1) {
        l->list->ops[l->tables - 1].u.collective.bytes += nnc_list_bytes(&l->to, nnc_list_mul(&l->to, l->batch, width));
    }
    nnc_op *table = nnc_list_add(&l->to, op->node->label, NNC_OP_EMBEDDING, group_of(op, NNC_GROUP_EMBEDDING));
    table->weights = (nnc_weights){ .count = 1, .rows = op->weights.rows, .cols = width, .table = true };
    table->in_place = true;
    table->u.embedding =
        (nnc_embedding){ .tokens = nnc_list_mul(&l->to, l->batch, lookups), .width = width, .summed = lookups };
    l->list->lookup_params += nnc_list_mul(&l->to, op->weights.rows, width);
    l->list->input_bytes += 8.0 * (double)table->u.embedding.tokens;
}

static void lower_position(lowering *l, const nnc_graph_op *op) {
    const bool rotary = op->values[NNC_POSITION_KIND] == NNC_POSITION_ROTARY;
    const nnc_group group = group_of(op, rotary ? NNC_GROUP_ATTENTION : NNC_GROUP_EMBEDDING);
    nnc_op *position = write_pointwise(l, op, rotary ? NNC_PW_ROTARY : NNC_PW_POSITION_ADD, group);
    position->u.pointwise.fused = !rotary || l->to.how->software->fused_rotary;
    if (op->weights.count > 0) {
        position->weights =
            (nnc_weights){ .count = 1, .rows = op->weights.rows, .cols = op->weights.cols, .table = true };
        l->list->lookup_params += nnc_list_mul(&l->to, op->weights.rows, op->weights.cols);
    }
}

static void lower_timestep(lowering *l, const nnc_graph_op *op) {
    write_pointwise(l, op, NNC_PW_TIMESTEP, group_of(op, NNC_GROUP_TIME));
    place_of(l, &op->out)->flags = 0;
}

static void lower_prepend(lowering *l, const nnc_graph_op *op) {
    nnc_op *tokens = write_pointwise(l, op, NNC_PW_CONCAT, group_of(op, NNC_GROUP_EMBEDDING));
    tokens->weights.vector = op->weights.vector;
    l->list->lookup_params += op->weights.vector;
}

/* ---- the function that writes each kind of op ---- */

typedef void lower_fn(lowering *l, const nnc_graph_op *op);
static lower_fn *const rows[] = {
    [NNC_GRAPH_INPUT] = lower_input,
    [NNC_GRAPH_CONV] = lower_conv,
    [NNC_GRAPH_CONV_TRANSPOSE] = lower_conv,
    [NNC_GRAPH_NORM] = lower_norm,
    [NNC_GRAPH_ACT] = lower_act,
    [NNC_GRAPH_DROPOUT] = lower_dropout,
    [NNC_GRAPH_POOL] = lower_pool,
    [NNC_GRAPH_GLOBAL_POOL] = lower_pool,
    [NNC_GRAPH_UPSAMPLE] = lower_upsample,
    [NNC_GRAPH_LINEAR] = lower_linear,
    [NNC_GRAPH_ATTENTION] = lower_attention,
    [NNC_GRAPH_RECURRENT] = lower_recurrent,
    [NNC_GRAPH_EMBED] = lower_embed,
    [NNC_GRAPH_TABLE] = lower_table,
    [NNC_GRAPH_POSITION] = lower_position,
    [NNC_GRAPH_TIMESTEP] = lower_timestep,
    [NNC_GRAPH_SCALE] = lower_scale,
    [NNC_GRAPH_ADD] = lower_add,
    [NNC_GRAPH_MUL] = lower_mul,
    [NNC_GRAPH_CONCAT] = lower_concat,
    [NNC_GRAPH_SLICE] = lower_view,
    [NNC_GRAPH_PREPEND] = lower_prepend,
    [NNC_GRAPH_SELECT] = lower_view,
    [NNC_GRAPH_VIEW] = lower_view,
    [NNC_GRAPH_FLATTEN] = lower_view,
    [NNC_GRAPH_TO_TOKENS] = lower_view,
    [NNC_GRAPH_TO_MAP] = lower_view,
    [NNC_GRAPH_TRANSPOSE] = lower_copy,
    [NNC_GRAPH_FOLD] = lower_copy,
    [NNC_GRAPH_UNFOLD] = lower_copy,
    [NNC_GRAPH_LOSS] = lower_loss,
};
_Static_assert(sizeof rows / sizeof rows[0] == NNC_GRAPH_KIND_COUNT, "a kind has no row");

static bool other_grad(const lowering *l, const nnc_graph_tensor *t) { return t->rank > 0 && has_grad(l, t); }

static bool is_last(const lowering *l, const nnc_graph_tensor *t) { return (place_of(l, t)->flags & PLACE_LAST) != 0; }

/* Tests whether an op writes the channels of a map or of tokens as the innermost dimension, independent of the layout
 * of maps that the program asks for. Layer norms, linear layers and attention write the channels as the innermost
 * dimension, and a view of tokens as a map moves no bytes. Convolutions and pointwise ops keep the order of their
 * inputs (Channels Last Memory Format in PyTorch,
 * https://docs.pytorch.org/tutorials/intermediate/memory_format_tutorial.html). */
static bool writes_last(const lowering *l, const nnc_graph_op *op) {
    const nnc_graph_kind kind = op->node->kind;
    const bool other = kind == NNC_GRAPH_INPUT || kind == NNC_GRAPH_VIEW || kind == NNC_GRAPH_UNFOLD;
    if (op->out.rank < 2 || other) { return false; }
    const int64_t norm = kind == NNC_GRAPH_NORM ? op->values[NNC_NORM_PARAM_KIND] : NNC_NORM_BATCH;
    if (norm == NNC_NORM_GROUP) { return false; } /* native_group_norm writes contiguous maps */
    return norm == NNC_NORM_LAYER || kind == NNC_GRAPH_LINEAR || kind == NNC_GRAPH_ATTENTION ||
           (is_last(l, &op->in) && (op->with.rank < 2 || is_last(l, &op->with)));
}

static void lower_op(void *context, nnc_graph_walk *walk, const nnc_graph_op *op) {
    lowering *l = context;
    l->walk = walk;
    const bool fresh = op->node->kind == NNC_GRAPH_INPUT || op->node->kind == NNC_GRAPH_TIMESTEP;
    const bool grad = (!fresh && has_grad(l, &op->in)) || other_grad(l, &op->with) || other_grad(l, &op->also) ||
                      (walk->frozen == 0 && (op->weights.count > 0 || op->weights.vector > 0));
    const int32_t first = l->list->count;
    const int64_t looked_up = l->list->lookup_params;
    rows[op->node->kind](l, op);
    for (int32_t i = first; i < l->list->count && walk->frozen > 0; i++) { l->list->ops[i].fixed = true; }
    /* an op whose weights are tied to those of an earlier op: the earlier op counts the weights */
    if (walk->tied > 0) {
        l->list->lookup_params = looked_up;
        for (int32_t i = first; i < l->list->count; i++) {
            l->list->ops[i].weights.count = l->list->ops[i].weights.vector = 0;
        }
    }
    place_of(l, &op->out)->flags |= (grad ? PLACE_GRAD : 0) | (writes_last(l, op) ? PLACE_LAST : 0);
}

/* Returns the values of the lets (named numbers) of a graph. If `length` is not 0 and differs from the image side or
 * sequence length of the model file, copies the lets to `own`, sets the let of this size to `length` and returns
 * `own`. */
static const int64_t *lets_of(const nnc_graph *g, int64_t length, int64_t own[NNC_GRAPH_LETS_MAX]) {
    const int32_t at = g->net->length_let;
    if (at < 0 || length == 0 || length == g->lets[at]) { return g->lets; }
    memcpy(own, g->lets, NNC_GRAPH_LETS_MAX * sizeof *own);
    own[at] = length;
    return own;
}

/* ---- lowering: the walk over the network fills the op list ---- */

/* Receives an op from the walk and appends its forward ops to the op list. The first op after the layers begins the
 * last segment of the list. */
static void hear(void *context, nnc_graph_walk *walk, const nnc_graph_op *op) {
    lowering *l = context;
    if (l->depth == 0 && l->list->segments[l->list->segment_count - 1].layer) { nnc_list_segment(&l->to, 1, false); }
    lower_op(context, walk, op);
}

/* The walk calls this function at the start of each iteration of a repeat. An iteration of a repeat that is not inside
 * another repeat becomes a recompute block; an iteration of the repeat of layers becomes a segment as well. Returns a
 * mark, which the walk passes to leave() at the end of the iteration. */
static int32_t enter(void *context, nnc_graph_walk *walk, const nnc_graph_node *repeat) {
    lowering *l = context;
    const int32_t mark = l->depth < NNC_GRAPH_DEPTH_MAX ? l->depth++ : l->depth;
    if (walk->repeats == 1) {
        const int64_t input = nnc_list_mul(&l->to, l->batch, nnc_graph_elements(&walk->current));
        if (repeat == l->net->layers && l->layered) {
            l->list->stream_elements = input;
            l->layer_segments++;
            nnc_list_segment(&l->to, 1, true);
        }
        l->to = nnc_list_block(&l->to, 1, input);
    }
    l->marks[mark] = l->list->count;
    return mark;
}

static void leave(void *context, int32_t mark, int64_t turns) {
    lowering *l = context;
    for (int32_t i = l->marks[mark]; i < l->list->count; i++) {
        l->list->ops[i].repeat = nnc_list_mul(&l->to, l->list->ops[i].repeat, turns);
    }
    l->depth = mark;
    if (mark == 0) {
        nnc_segment *segment = &l->list->segments[l->list->segment_count - 1];
        l->list->blocks[l->to.block].repeat = turns;
        segment->instances = segment->layer ? turns : 1;
        l->to.block = -1;
    }
}

/* Returns the number of image pixels, along one side, for one position of the network's input. The number of pixels per
 * position is 8 if the network reads a latent of 64 x 64 positions for an image of 512 x 512 pixels. */
static int64_t factor_of(const nnc_model *model) { return model->image_factor > 1 ? model->image_factor : 1; }

/* Fills the op list by a walk over the network. layered: true = all layers of one kind become a segment. Returns the
 * number of segments of layers. If the walk finds a fault in the network, sets list->overflow. */
static int32_t write(const nnc_graph *g, const nnc_writer *to, int64_t factor, bool layered) {
    const nnc_plan *plan = to->how->plan;
    nnc_graph_fault fault;
    int64_t own[NNC_GRAPH_LETS_MAX];
    lowering l = { .to = *to, .list = to->list, .net = g->net, .batch = plan->micro_batch, .layered = layered };
    const nnc_graph_sink sink = { &l, hear, enter, leave };
    to->list->count = to->list->block_count = to->list->segment_count = 0;
    to->list->truncated = false;
    to->list->input_bytes = 0.0;
    to->list->lookup_params = to->list->stream_elements = 0;
    nnc_list_segment(to, 1, false);
    const int64_t length = g->net->images ? plan->image / factor : plan->seq_len;
    if (!nnc_graph_run(g->net, lets_of(g, length, own), &sink, &fault)) {
        /* never happens, because resolve() has walked over this network before and found no fault */
        to->list->overflow = true;
    }
    return l.layer_segments;
}

static void hear_part(void *context, nnc_graph_walk *walk, const nnc_graph_op *op) { lower_op(context, walk, op); }

/* Copies the lets (named numbers) of a tower to `own`. A tower that reads the tokens of the text has a let text_len,
 * which is set to the sequence length of the plan. */
static void take_text(const nnc_graph *part, const nnc_plan *plan, int64_t own[NNC_GRAPH_LETS_MAX]) {
    memcpy(own, part->lets, NNC_GRAPH_LETS_MAX * sizeof *own);
    for (int32_t i = 0; i < part->net->let_count; i++) {
        if (strcmp(part->net->let_names[i], "text_len") == 0 && plan->seq_len > 0) { own[i] = plan->seq_len; }
    }
}

void nnc_graph_write_part(const nnc_graph *part, const nnc_writer *to, int64_t batch) {
    nnc_graph_fault fault;
    lowering l = { .to = *to, .list = to->list, .net = part->net, .batch = batch };
    const nnc_graph_sink sink = { &l, hear_part, enter, leave };
    int64_t own[NNC_GRAPH_LETS_MAX];
    take_text(part, to->how->plan, own);
    if (!nnc_graph_run(part->net, own, &sink, &fault)) {
        to->list->overflow = true; /* cannot happen: the reader of the model file has walked this network without a
                                    * fault */
    }
}

/* Largest number of kinds of layers. Each kind of layers needs one segment, and the ops before and after the layers
 * need two segments. A network with more kinds of layers cannot be divided into pipeline stages. */
enum { LAYER_SEGMENTS_MAX = NNC_SEGMENTS_MAX - 2 };

static void lower(const nnc_model *model, const nnc_writer *to) {
    const nnc_graph *g = &model->graph;
    const int64_t factor = factor_of(model);
    if (g->net->layers == NULL || write(g, to, factor, true) > LAYER_SEGMENTS_MAX) { write(g, to, factor, false); }
}

/* ---- the functions of nnc_family_row that check plans and return sizes of the network ---- */

/* Checks that the network has no fault when the sequence length or the image side has the value of the plan. */
static nnc_status check(const nnc_model *model, const char *option, int64_t length, nnc_error *err) {
    const nnc_graph *g = &model->graph;
    int64_t own[NNC_GRAPH_LETS_MAX];
    nnc_graph_fault fault;
    nnc_graph_sizes measured;
    const int64_t *lets = lets_of(g, length, own);
    if (lets != g->lets && !nnc_graph_measure(g->net, lets, &measured, &fault)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, option, "%s: %s", fault.where, fault.what);
    }
    return NNC_OK;
}

static int64_t length_of(const nnc_graph *g) { return g->net->length_let >= 0 ? g->lets[g->net->length_let] : 0; }

/* Returns the number of layers that pipeline stages can divide; 0 = pipeline stages cannot divide this network. */
static int64_t layers_of(const nnc_graph *g) {
    nnc_graph_fault fault;
    nnc_graph_sizes measured = { 0 };
    return g->net->layers != NULL && nnc_graph_measure(g->net, g->lets, &measured, &fault) ? measured.layers : 0;
}

static bool has_tables(const nnc_graph *g) {
    nnc_graph_fault fault;
    nnc_graph_sizes measured = { 0 };
    return nnc_graph_measure(g->net, g->lets, &measured, &fault) && measured.tables;
}

static nnc_status resolve(const nnc_model *model, nnc_plan *p, nnc_error *err) {
    const nnc_graph *g = &model->graph;
    const bool images = g->net->images;
    const int64_t asked = images ? p->image : p->seq_len, factor = images ? factor_of(model) : 1;
    /* the image side is given in pixels, although the network can read latents, which have fewer positions */
    const int64_t own = length_of(g) * factor;
    const char *option = images ? "--image" : "--seq-len";
    if (images) {
        NNC_TRY(nnc_family_takes_images(model, own, p, err));
    } else if (p->image > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--image", "%s takes tokens, not images", model->id);
    } else {
        p->seq_len = asked > 0 ? asked : own;
    }
    if (asked > 0 && g->net->length_let < 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                        "the input of %s has a fixed shape: its last axis is not a named number, expected --set with a "
                        "number of nncost show %s",
                        model->id, model->id);
    }
    if (asked % factor != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                        "is in pixels, and %s reads latents of %" PRId64 " pixels a position, expected a multiple of "
                        "%" PRId64 " such as %" PRId64 ", found %" PRId64,
                        model->id, factor, factor, own, asked);
    }
    if ((p->pipeline > 1 || p->virtual_stages > 1) && layers_of(g) == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, p->pipeline > 1 ? "--pipeline" : "--virtual-stages",
                        "stages consist of equal layers, and %s has no repeat with equal layers, expected 1",
                        model->id);
    }
    return check(model, option, asked / factor, err);
}

static nnc_model_sizes sizes(const nnc_model *model) {
    const nnc_graph *g = &model->graph;
    const int64_t length = length_of(g);
    const int64_t layers = layers_of(g);
    /* one layer means that pipeline stages cannot divide the network */
    return (nnc_model_sizes){ .layers = layers > 0 ? layers : 1,
                              .experts = has_tables(g) ? NNC_EXPERTS_ANY : 0,
                              .seq_len = g->net->images ? 0 : length,
                              .image = g->net->images ? length * factor_of(model) : 0 };
}

static void describe(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT]) {
    const nnc_graph *g = &model->graph;
    nnc_graph_fault fault;
    nnc_graph_sizes measured;
    nnc_graph_measure(g->net, g->lets, &measured, &fault);
    snprintf(shape, NNC_SHAPE_TEXT, "%" PRId64 " ops", measured.ops);
    const int64_t length = length_of(g), factor = factor_of(model);
    if (length == 0) {
        snprintf(input, NNC_SHAPE_TEXT, "fixed shape"); /* the last axis of the input is not a named number */
    } else if (g->net->images && factor > 1) {
        snprintf(input, NNC_SHAPE_TEXT, "%" PRId64 " pixels as latents of %" PRId64, length * factor, length);
    } else {
        snprintf(input, NNC_SHAPE_TEXT, "%" PRId64 " %s", length, g->net->images ? "pixels" : "tokens");
    }
}

/* State of a walk that checks whether the sizes of a network can be divided evenly over tensor ranks. */
typedef struct divider {
    int64_t ranks;
    nnc_error *err;
    nnc_status status;
    int marked; /* number of linear layers of the network that tensor ranks divide */
} divider;

static void divide(divider *d, const nnc_graph_op *op, const char *what, int64_t whole) {
    char text[96];
    snprintf(text, sizeof text, "%.60s: %s", op->node->label, what);
    if (d->status == NNC_OK) { d->status = nnc_divides("--tensor", text, whole, d->ranks, d->err); }
}

static void hear_split(void *context, nnc_graph_walk *walk, const nnc_graph_op *op) {
    divider *d = context;
    (void)walk;
    if (op->node->kind == NNC_GRAPH_LINEAR && op->out.sharded) {
        divide(d, op, "out", op->weights.cols);
        d->marked++;
    } else if (op->node->kind == NNC_GRAPH_ATTENTION && op->in.sharded) {
        const int64_t kv_heads = op->values[NNC_ATTENTION_KV_HEADS];
        divide(d, op, "heads", op->values[NNC_ATTENTION_HEADS]);
        divide(d, op, "kv_heads", kv_heads == NNC_GRAPH_UNSAID ? 0 : kv_heads);
    }
}

static int32_t enter_split(void *context, nnc_graph_walk *walk, const nnc_graph_node *repeat) {
    (void)context, (void)walk, (void)repeat;
    return 0;
}

static void leave_split(void *context, int32_t mark, int64_t turns) { (void)context, (void)mark, (void)turns; }

static nnc_status split(const nnc_model *model, const nnc_plan *p, nnc_error *err) {
    divider d = { .ranks = p->tensor, .err = err };
    if (p->expert != p->data && has_tables(&model->graph)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--expert",
                        "all data-parallel ranks share the tables, which are updated in place, expected %" PRId32
                        ", found %" PRId32,
                        p->data, p->expert);
    }
    const nnc_graph_sink sink = { &d, hear_split, enter_split, leave_split };
    nnc_graph_fault fault;
    if (p->context > 1 || p->sequence_parallel) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, p->context > 1 ? "--context" : "--sequence-parallel",
                        "nncost cannot divide the positions of a graph over ranks");
    }
    if (p->tensor == 1) { return NNC_OK; }
    if (nnc_graph_run(model->graph.net, model->graph.lets, &sink, &fault) && d.marked == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tensor",
                        "no linear layer of %s is marked with a split, expected 1, found %" PRId32, model->id,
                        p->tensor);
    }
    return d.status;
}

const nnc_family_row nnc_graph_family = {
    .sizes = sizes,
    .resolve = resolve,
    .split = split,
    .lower = lower,
    .describe = describe,
};
