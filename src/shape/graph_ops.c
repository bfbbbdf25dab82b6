/* What each kind of op of a graph becomes in the op list, and who keeps what.   [graph] */
#include "shape/graph_ops.h"

#include "op/op_row.h"

typedef nnc_graph_lowering lowering;

nnc_graph_storage *nnc_graph_place(const lowering *l, const nnc_graph_tensor *t)
{
    return &l->walk->storages[t->storage];
}

bool nnc_graph_has_grad(const lowering *l, const nnc_graph_tensor *t)
{
    return (nnc_graph_place(l, t)->flags & NNC_PLACE_GRAD) != 0;
}

bool nnc_graph_keeps(const lowering *l, const nnc_graph_tensor *t)
{
    nnc_graph_storage *s = nnc_graph_place(l, t);
    const bool own = (s->flags & (NNC_PLACE_KEPT | NNC_PLACE_REMADE)) == 0;
    s->flags |= own ? NNC_PLACE_KEPT : 0;
    return own;
}

int64_t nnc_graph_all_elements(const lowering *l, const nnc_graph_tensor *t)
{
    return nnc_list_mul(&l->to, l->batch, nnc_graph_elements(t));
}

int64_t nnc_graph_all_positions(const lowering *l, const nnc_graph_tensor *t)
{
    return nnc_list_mul(&l->to, l->batch, nnc_graph_positions(t));
}

nnc_group nnc_graph_group(const nnc_graph_op *op, nnc_group unsaid)
{
    return op->node->group != NNC_GROUP_COUNT ? op->node->group : unsaid;
}

/* Of ops that work on one value at a time. */
static nnc_group pointwise_group(const nnc_graph_op *op)
{
    return nnc_graph_group(op, op->out.rank >= 3 ? NNC_GROUP_CONV : NNC_GROUP_MLP);
}

nnc_op *nnc_graph_pointwise(const lowering *l, const nnc_graph_op *op, nnc_pointwise_kind kind,
                            nnc_group group)
{
    nnc_op *written = nnc_list_pointwise(&l->to, op->node->label, kind, group,
                                         nnc_graph_all_elements(l, &op->out));
    written->split = op->out.sharded ? NNC_SPLIT_INNER : NNC_SPLIT_TOKENS;
    return written;
}

static double bytes_kept(const lowering *l, const nnc_graph_tensor *t)
{
    return nnc_graph_keeps(l, t) ? nnc_list_bytes(&l->to, nnc_graph_all_elements(l, t)) : 0.0;
}

static void remake(const lowering *l, const nnc_graph_op *op, const nnc_op *written)
{
    if (written->recomputed) {
        nnc_graph_place(l, &op->out)->flags |= NNC_PLACE_REMADE;
    }
}

/* ---- convolutions, norms, products ---- */

static void lower_conv(lowering *l, const nnc_graph_op *op)
{
    const int64_t *v = op->values;
    nnc_graph_window windows[2];
    nnc_graph_windows(op, windows);
    const nnc_conv conv = { .batch = l->batch,
                            .c_in = op->in.dims[0],
                            .c_out = op->out.dims[0],
                            .h_in = op->in.dims[1],
                            .w_in = op->in.dims[2],
                            .h_out = op->out.dims[1],
                            .w_out = op->out.dims[2],
                            .kernel = windows[0].kernel,
                            .kernel_w =
                                windows[1].kernel == windows[0].kernel ? 0 : windows[1].kernel,
                            .stride = windows[0].stride,
                            .groups = v[NNC_CONV_GROUPS],
                            .transposed = op->node->kind == NNC_GRAPH_CONV_TRANSPOSE,
                            .needs_grad_input = nnc_graph_has_grad(l, &op->in),
                            .keeps_input = nnc_graph_keeps(l, &op->in) };
    nnc_op *written = nnc_list_conv(&l->to, op->node->label, nnc_graph_group(op, NNC_GROUP_CONV),
                                    &conv, v[NNC_CONV_BIAS] > 0);
    written->weights.cols = op->weights.cols;
}

static bool of_map(const nnc_graph_op *op)
{
    return op->out.rank >= 3;
}

/* Does a profile that fuses the ops of maps run this one in the kernel of a norm before it? */
static bool is_inside(const lowering *l, const nnc_graph_tensor *t)
{
    return l->to.how->software->fused_maps && t->rank >= 3 &&
           (nnc_graph_place(l, t)->flags & NNC_PLACE_NORMED) != 0;
}

/* A norm of single channels is a batch norm of their samples, which autocast leaves in 16 bits: at::instance_norm of
 * PyTorch; written out, its moments are taken in fp32. */
static nnc_norm_keep norm_keep(const nnc_software *software, const nnc_graph_op *op)
{
    const bool grouped = op->values[NNC_NORM_PARAM_KIND] == NNC_NORM_GROUP;
    const bool single = op->values[NNC_NORM_PARAM_GROUPS] == nnc_graph_width(&op->in);
    return !grouped                           ? software->norm_keep
           : single && !software->written_out ? NNC_KEEP_FUSED
                                              : software->group_norm_keep;
}

static void lower_norm(lowering *l, const nnc_graph_op *op)
{
    const nnc_norm_kind kind = (nnc_norm_kind)op->values[NNC_NORM_PARAM_KIND];
    const int64_t per_position = op->values[NNC_NORM_PARAM_HEADS];
    const int64_t rows =
        kind == NNC_NORM_BATCH ? nnc_graph_width(&op->in)
        : kind == NNC_NORM_GROUP
            ? nnc_list_mul(&l->to, l->batch, op->values[NNC_NORM_PARAM_GROUPS])
            : nnc_list_mul(&l->to, nnc_graph_all_positions(l, &op->in), per_position);
    nnc_op *norm = nnc_list_norm(&l->to, op->node->label, kind, nnc_graph_all_elements(l, &op->in),
                                 rows, op->weights.vector);
    norm->group = nnc_graph_group(op, NNC_GROUP_NORM);
    norm->u.norm.turned &= op->values[NNC_NORM_PARAM_GROUPS] < nnc_graph_width(&op->in);
    norm->u.norm.keep = norm_keep(l->to.how->software, op);
    /* A copy in fp32 stands for the input. */
    const bool copy =
        norm->u.norm.keep != NNC_KEEP_FUSED && nnc_dtype_bytes(l->to.how->dtype) < 4.0;
    norm->u.norm.keeps_input = !copy && nnc_graph_keeps(l, &op->in);
    remake(l, op, norm);
    nnc_graph_place(l, &op->out)->producer = l->list->count - 1;
    nnc_graph_place(l, &op->out)->flags |= of_map(op) ? NNC_PLACE_NORMED : 0;
}

/* All-reduce of what tensor ranks add up, or of the gradient of what each of them reads. */
static void tensor_exchange(const lowering *l, const char *label, const nnc_graph_tensor *t,
                            bool entering)
{
    const nnc_exchange e = { .comm = NNC_COMM_TENSOR,
                             .forward = entering ? NNC_NO_COLLECTIVE : NNC_ALL_REDUCE,
                             .backward = entering ? NNC_ALL_REDUCE : NNC_NO_COLLECTIVE,
                             .bytes = nnc_list_bytes(&l->to, nnc_graph_all_elements(l, t)) };
    if (l->to.how->plan->tensor > 1) {
        nnc_list_exchange(&l->to, label, e);
    }
}

static void lower_linear(lowering *l, const nnc_graph_op *op)
{
    static const nnc_split splits[] = { NNC_SPLIT_TOKENS, NNC_SPLIT_COLUMN, NNC_SPLIT_ROW };
    const int64_t split = op->values[NNC_LINEAR_SPLIT];
    const bool keeps_a = nnc_graph_keeps(l, &op->in);
    if (split == NNC_LINEAR_COLUMNS) {
        tensor_exchange(l, op->node->label, &op->in, true);
    }
    nnc_op *linear = nnc_list_linear(&l->to, op->node->label, nnc_graph_group(op, NNC_GROUP_MLP),
                                     splits[split], nnc_graph_all_positions(l, &op->in),
                                     op->weights.cols, op->weights.rows, op->weights.vector > 0);
    linear->u.matmul.needs_grad_input = nnc_graph_has_grad(l, &op->in);
    linear->u.matmul.keeps_a = keeps_a;
    if (split == NNC_LINEAR_ROWS) {
        tensor_exchange(l, op->node->label, &op->out, false);
    }
}

/* ---- one value at a time ---- */

/* The word of a file is the pointwise kind: see NNC_ACTIVATION_LIST. */
_Static_assert((int)NNC_ACT_RELU == NNC_PW_RELU && (int)NNC_ACT_GEGLU == NNC_PW_GEGLU,
               "graph files list the activations in another order");

static void lower_act(lowering *l, const nnc_graph_op *op)
{
    const nnc_pointwise_kind kind = (nnc_pointwise_kind)op->values[0];
    const nnc_activation *row = nnc_activation_of(kind);
    nnc_op *act = nnc_graph_pointwise(l, op, kind, pointwise_group(op));
    act->recomputed = l->to.block >= 0 && nnc_list_recomputes(&l->to, NNC_RECOMPUTE_ACTIVATION);
    remake(l, op, act);
    act->u.pointwise.inside = !row->gated && is_inside(l, &op->in);
    if (row->gated && !l->to.how->software->fused_activation) {
        act->u.pointwise.fused = false;
        if (!act->recomputed) { /* the activated gate, an input of the product */
            act->u.pointwise.extra_kept_bytes = nnc_list_bytes(&l->to, act->u.pointwise.elements);
        }
    }
    if (!row->by_output || act->recomputed) {
        act->u.pointwise.keeps_input = nnc_graph_keeps(l, &op->in);
        return;
    }
    /* The output may lie where the norm's did: nothing to compute again. */
    const int32_t producer = nnc_graph_place(l, &op->in)->producer;
    act->u.pointwise.keeps_output = nnc_graph_keeps(l, &op->out);
    if (producer >= 0) {
        l->list->ops[producer].recomputed = false;
    }
}

static void lower_dropout(lowering *l, const nnc_graph_op *op)
{
    nnc_graph_pointwise(l, op, NNC_PW_DROPOUT, pointwise_group(op))->u.pointwise.keeps_mask = true;
}

static void lower_scale(lowering *l, const nnc_graph_op *op)
{
    const bool gain = op->values[0] == NNC_SCALE_GAIN;
    nnc_op *scale =
        nnc_graph_pointwise(l, op, gain ? NNC_PW_SCALE : NNC_PW_BIAS, pointwise_group(op));
    scale->weights.vector = op->weights.vector;
    /* what a batch norm of fixed statistics is */
    nnc_graph_place(l, &op->out)->flags |= of_map(op) ? NNC_PLACE_NORMED : 0;
    scale->u.pointwise.keeps_input = gain && nnc_graph_keeps(l, &op->in);
}

static void lower_add(lowering *l, const nnc_graph_op *op)
{
    if (op->in.rank != op->with.rank) {
        nnc_graph_pointwise(l, op, NNC_PW_TIME_ADD, pointwise_group(op));
        return;
    }
    nnc_op *sum = nnc_list_residual(&l->to, op->node->label, pointwise_group(op),
                                    nnc_graph_all_elements(l, &op->out));
    sum->split = op->out.sharded ? NNC_SPLIT_INNER : NNC_SPLIT_TOKENS;
    sum->u.pointwise.inside = is_inside(l, &op->in) || is_inside(l, &op->with);
    nnc_graph_place(l, &op->out)->flags |= sum->u.pointwise.inside ? NNC_PLACE_NORMED : 0;
}

static void lower_mul(lowering *l, const nnc_graph_op *op)
{
    const double kept = bytes_kept(l, &op->in) + bytes_kept(l, &op->with);
    nnc_graph_pointwise(l, op, NNC_PW_MUL, pointwise_group(op))->u.pointwise.extra_kept_bytes =
        kept;
}

static void lower_loss(lowering *l, const nnc_graph_op *op)
{
    nnc_op *loss =
        nnc_list_loss(&l->to, nnc_graph_all_positions(l, &op->in), nnc_graph_width(&op->in));
    loss->name = op->node->label;
    if (op->values[0] == NNC_LOSS_SQUARED_ERROR) {
        loss->u.loss.fused = loss->u.loss.squared_error = true;
        loss->u.loss.keep = NNC_LOSS_KEEPS_LOGITS; /* the prediction as it is */
    }
}

/* ---- copies ---- */

static void lower_pool(lowering *l, const nnc_graph_op *op)
{
    const bool max = op->node->kind == NNC_GRAPH_POOL && op->values[NNC_POOL_KIND] == NNC_POOL_MAX;
    nnc_op *pool = nnc_graph_pointwise(l, op, max ? NNC_PW_MAX_POOL2D : NNC_PW_AVG_POOL2D,
                                       nnc_graph_group(op, NNC_GROUP_RESAMPLE));
    pool->u.pointwise.input_elements = nnc_graph_all_elements(l, &op->in);
    if (max) { /* the indices, and the input they point into */
        pool->u.pointwise.keeps_mask = true;
        pool->u.pointwise.extra_kept_bytes = bytes_kept(l, &op->in);
    }
}

static void lower_upsample(lowering *l, const nnc_graph_op *op)
{
    const bool twice = op->values[NNC_UPSAMPLE_FACTOR] == 2;
    const bool nearest = op->values[NNC_UPSAMPLE_KIND] == NNC_UPSAMPLE_NEAREST;
    nnc_op *up = nnc_graph_pointwise(l, op,
                                     !twice    ? NNC_PW_RESIZE
                                     : nearest ? NNC_PW_UPSAMPLE_NEAREST
                                               : NNC_PW_UPSAMPLE_BILINEAR,
                                     nnc_graph_group(op, NNC_GROUP_RESAMPLE));
    up->u.pointwise.input_elements = twice ? 0 : nnc_graph_all_elements(l, &op->in);
}

/* The same values in another place. */
static void lower_copy(lowering *l, const nnc_graph_op *op)
{
    nnc_graph_pointwise(l, op, NNC_PW_CONCAT, nnc_graph_group(op, NNC_GROUP_RESAMPLE));
}

/* A view: nothing runs. Each part is kept by itself, unless the whole is. */
static void lower_view(lowering *l, const nnc_graph_op *op)
{
    nnc_graph_place(l, &op->out)->flags = nnc_graph_place(l, &op->in)->flags;
}

static nnc_graph_lower_fn *const rows[] = {
    [NNC_GRAPH_INPUT] = nnc_graph_lower_input,
    [NNC_GRAPH_CONV] = lower_conv,
    [NNC_GRAPH_CONV_TRANSPOSE] = lower_conv,
    [NNC_GRAPH_NORM] = lower_norm,
    [NNC_GRAPH_ACT] = lower_act,
    [NNC_GRAPH_DROPOUT] = lower_dropout,
    [NNC_GRAPH_POOL] = lower_pool,
    [NNC_GRAPH_GLOBAL_POOL] = lower_pool,
    [NNC_GRAPH_UPSAMPLE] = lower_upsample,
    [NNC_GRAPH_LINEAR] = lower_linear,
    [NNC_GRAPH_ATTENTION] = nnc_graph_lower_attention,
    [NNC_GRAPH_EMBED] = nnc_graph_lower_embed,
    [NNC_GRAPH_POSITION] = nnc_graph_lower_position,
    [NNC_GRAPH_TIMESTEP] = nnc_graph_lower_timestep,
    [NNC_GRAPH_SCALE] = lower_scale,
    [NNC_GRAPH_ADD] = lower_add,
    [NNC_GRAPH_MUL] = lower_mul,
    [NNC_GRAPH_CONCAT] = lower_copy,
    [NNC_GRAPH_SLICE] = lower_view,
    [NNC_GRAPH_PREPEND] = nnc_graph_lower_prepend,
    [NNC_GRAPH_SELECT] = lower_view,
    [NNC_GRAPH_VIEW] = lower_view,
    [NNC_GRAPH_FLATTEN] = lower_view,
    [NNC_GRAPH_TO_TOKENS] = lower_view,
    [NNC_GRAPH_TO_MAP] = lower_view,
    [NNC_GRAPH_FOLD] = lower_copy,
    [NNC_GRAPH_UNFOLD] = lower_copy,
    [NNC_GRAPH_LOSS] = lower_loss,
};
_Static_assert(sizeof rows / sizeof rows[0] == NNC_GRAPH_KIND_COUNT, "a kind has no row");

static bool other_grad(const lowering *l, const nnc_graph_tensor *t)
{
    return t->rank > 0 && nnc_graph_has_grad(l, t);
}

void nnc_graph_lower_op(void *context, nnc_graph_walk *walk, const nnc_graph_op *op)
{
    lowering *l = context;
    l->walk = walk;
    const bool fresh = op->node->kind == NNC_GRAPH_INPUT || op->node->kind == NNC_GRAPH_TIMESTEP;
    const bool grad = (!fresh && nnc_graph_has_grad(l, &op->in)) || other_grad(l, &op->with) ||
                      other_grad(l, &op->also) ||
                      (walk->frozen == 0 && (op->weights.count > 0 || op->weights.vector > 0));
    const int32_t first = l->list->count;
    const int64_t looked_up = l->list->lookup_params;
    rows[op->node->kind](l, op);
    for (int32_t i = first; i < l->list->count && walk->frozen > 0; i++) {
        l->list->ops[i].fixed = true;
    }
    if (walk->tied > 0) { /* counted where the weights were said first */
        l->list->lookup_params = looked_up;
        for (int32_t i = first; i < l->list->count; i++) {
            l->list->ops[i].weights.count = l->list->ops[i].weights.vector = 0;
        }
    }
    nnc_graph_place(l, &op->out)->flags |= grad ? NNC_PLACE_GRAD : 0;
}
