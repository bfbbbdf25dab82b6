/* The op list of one forward pass: how ops are appended, with the choices of the software profile. */
#include <string.h>

#include "shape/shape_internal.h"

nnc_op *nnc_list_add(const nnc_writer *w, const char *name, nnc_op_kind kind, nnc_group group)
{
    nnc_op_list *list = w->list;
    if (list->count == NNC_OPS_MAX) {
        list->truncated = true;
        list->count--; /* the caller reports it; until then the last slot is reused */
    }
    nnc_op *op = &list->ops[list->count++];
    memset(op, 0, sizeof *op);
    op->name = name;
    op->place = w->place;
    op->kind = kind;
    op->phase = NNC_PHASE_FORWARD;
    op->group = group;
    op->dtype = w->how->dtype;
    op->math_dtype = w->how->dtype;
    op->repeat = w->repeat;
    op->block = w->block;
    op->segment = list->segment_count - 1;
    op->tuned = w->how->software->tuned_pointwise;
    op->grad_bytes = w->how->grad_bytes;
    op->grad_accumulate = w->how->grad_accumulate;
    return op;
}

double nnc_list_bytes(const nnc_writer *w, int64_t elements)
{
    return (double)elements * nnc_dtype_bytes(w->how->dtype);
}

nnc_writer nnc_list_block(const nnc_writer *w, int64_t repeat, int64_t input_elements)
{
    nnc_op_list *list = w->list;
    if (list->block_count == NNC_BLOCKS_MAX) {
        list->truncated = true;
        list->block_count--;
    }
    list->blocks[list->block_count] =
        (nnc_block){ repeat, nnc_list_bytes(w, input_elements), list->segment_count - 1 };
    return (nnc_writer){ list, w->how, repeat, list->block_count++, w->place };
}

void nnc_list_segment(const nnc_writer *w, int64_t instances, bool layer)
{
    nnc_op_list *list = w->list;
    if (list->segment_count == NNC_SEGMENTS_MAX) {
        list->truncated = true;
        list->segment_count--;
    }
    list->segments[list->segment_count++] = (nnc_segment){ instances, layer };
}

double nnc_list_units(const nnc_op_list *list, int32_t segment)
{
    double blocks = 0.0;
    for (int32_t i = 0; i < list->block_count; i++) {
        blocks += list->blocks[i].segment == segment ? (double)list->blocks[i].repeat : 0.0;
    }
    return nnc_max(1.0, blocks / (double)list->segments[segment].instances);
}

void nnc_list_again(const nnc_writer *w, int32_t first)
{
    bool entered = false;
    for (int32_t i = first; i < w->list->count; i++) {
        nnc_op *op = &w->list->ops[i];
        op->recomputed = true;
        op->dropped = entered;
        entered = entered || op->kind == NNC_OP_MATMUL;
    }
}

void nnc_list_collective(const nnc_writer *w, const char *name, nnc_collective_op exchange)
{
    nnc_list_add(w, name, NNC_OP_COLLECTIVE, NNC_GROUP_NETWORK)->u.collective = exchange;
}

nnc_op *nnc_list_linear(const nnc_writer *w, const char *name, nnc_group group, nnc_split split,
                        int64_t m, int64_t n, int64_t k, bool bias)
{
    const nnc_dtype dtype = w->block >= 0 ? w->how->linear_dtype : w->how->dtype;
    if (dtype != w->how->dtype) {
        /* 8-bit operands: the input is cast forward, the output's gradient backward */
        nnc_op *cast = nnc_list_pointwise(w, "cast", NNC_PW_CAST, group, nnc_list_mul(w, m, k));
        cast->split = split;
        cast->u.pointwise.backward_elements = nnc_list_mul(w, m, n);
    }
    nnc_op *op = nnc_list_add(w, name, NNC_OP_MATMUL, group);
    op->split = split;
    op->math_dtype = dtype;
    op->weights = (nnc_weights){ .count = 1, .rows = k, .cols = n, .vector = bias ? n : 0 };
    op->u.matmul = (nnc_matmul){ .batch = 1,
                                 .m = m,
                                 .n = n,
                                 .k = k,
                                 .b_shared = 1,
                                 .kept_divisor = 1,
                                 .b_is_weight = true,
                                 .padded = !w->how->software->lists_operators,
                                 .in_blocks = dtype == NNC_FP4 ||
                                              (dtype == NNC_FP8 && w->how->software->block_scales),
                                 .needs_grad_input = true,
                                 .keeps_a = true };
    nnc_list_mul(w, nnc_list_mul(w, m, n), k);
    return op;
}

/* Grouped convolutions for which matrix units have no channels-last kernel. */
static bool on_vectors(const nnc_software *software, const nnc_conv *conv)
{
    const int64_t width = conv->c_in / conv->groups;
    const bool kernel =
        conv->groups % 32 == 0 && (width == 4 || width == 8 || width == 16 || width == 32);
    return software->grouped_on_vectors && conv->groups > 1 && width > 1 && !kernel;
}

nnc_op *nnc_list_conv(const nnc_writer *w, const char *name, nnc_group group, const nnc_conv *conv,
                      bool bias)
{
    nnc_op *op = nnc_list_add(w, name, NNC_OP_CONV, group);
    const int64_t taps =
        nnc_list_mul(w, conv->kernel, conv->kernel_w > 0 ? conv->kernel_w : conv->kernel);
    op->u.conv = *conv;
    op->u.conv.contiguous = w->how->software->contiguous_maps;
    op->u.conv.separate_bias = bias && !w->how->software->fused_residual;
    op->u.conv.on_vectors = on_vectors(w->how->software, conv);
    op->weights = (nnc_weights){ .count = 1,
                                 .rows = conv->c_out,
                                 .cols = nnc_list_mul(w, conv->c_in / conv->groups, taps),
                                 .vector = bias ? conv->c_out : 0 };
    return op;
}

nnc_op *nnc_list_norm(const nnc_writer *w, const char *name, nnc_norm_kind kind, int64_t elements,
                      int64_t rows, int64_t params)
{
    const nnc_software *software = w->how->software;
    /* maps are never written out */
    const bool map = kind == NNC_NORM_BATCH || kind == NNC_NORM_GROUP;
    nnc_op *op = nnc_list_add(w, name, NNC_OP_NORM, NNC_GROUP_NORM);
    op->weights.vector = params;
    op->recomputed = w->block >= 0 && nnc_list_recomputes(w, NNC_RECOMPUTE_NORM);
    op->u.norm = (nnc_norm){ .kind = kind,
                             .elements = elements,
                             .rows = rows,
                             .fused = software->fused_norm && (map || !software->written_out),
                             .by_reductions = software->by_reductions && kind != NNC_NORM_BATCH,
                             .turned = software->turned_group_norms && kind == NNC_NORM_GROUP,
                             .keeps_input = true,
                             .keep = w->how->software->norm_keep };
    return op;
}

nnc_op *nnc_list_pointwise(const nnc_writer *w, const char *name, nnc_pointwise_kind kind,
                           nnc_group group, int64_t elements)
{
    nnc_op *op = nnc_list_add(w, name, NNC_OP_POINTWISE, group);
    op->u.pointwise = (nnc_pointwise){ .kind = kind, .elements = elements, .fused = true };
    return op;
}

nnc_op *nnc_list_residual(const nnc_writer *w, const char *name, nnc_group group, int64_t elements)
{
    nnc_op *op = nnc_list_pointwise(w, name, NNC_PW_RESIDUAL, group, elements);
    op->split = NNC_SPLIT_SEQUENCE;
    op->u.pointwise.fused = w->how->software->fused_residual;
    return op;
}

nnc_op *nnc_list_loss(const nnc_writer *w, int64_t rows, int64_t classes)
{
    nnc_op *op = nnc_list_add(w, "loss", NNC_OP_LOSS, NNC_GROUP_LOSS);
    op->u.loss = (nnc_loss){ .tokens = rows,
                             .classes = classes,
                             .fused = w->how->software->fused_loss,
                             .in_place = w->how->software->loss_in_place,
                             .keep = w->how->software->loss_keep };
    return op;
}
