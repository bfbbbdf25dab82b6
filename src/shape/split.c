/* The table of model families; functions that append ops to an op list; and the rules that decide how a plan is allowed
 * to divide a model over ranks. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

static const nnc_family_row *const family_rows[] = {
#define NNC_FAMILY_ROW(name, text, help, row) [name] = &nnc_##row##_family,
    NNC_FAMILY_LIST(NNC_FAMILY_ROW)
#undef NNC_FAMILY_ROW
};

const nnc_family_row *nnc_family_of(const nnc_model *model) { return family_rows[model->family]; }

nnc_model_sizes nnc_model_sizes_of(const nnc_model *model) { return family_rows[model->family]->sizes(model); }

int64_t nnc_vocab_split(int64_t words, int32_t tensor) {
    const int64_t multiple = 128 * (int64_t)tensor;
    return words % tensor == 0 ? words : nnc_ceil_div(words, multiple) * multiple;
}

bool nnc_plan_trains_all(const nnc_plan *plan) {
    return plan->train == NNC_TRAIN_ALL && plan->adapter_rank == 0 && plan->train_layers == 0;
}

/* Tests whether the op list has weights that the model file freezes under every plan. */
static bool has_fixed(const nnc_op_list *list) {
    bool fixed = false;
    for (int32_t i = 0; i < list->count && !fixed; i++) { fixed = list->ops[i].fixed; }
    return fixed;
}

void nnc_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list) {
    list->count = 0;
    list->block_count = 0;
    list->segment_count = 0;
    list->mixed_count = 0;
    list->truncated = false;
    list->overflow = false;
    list->forward_pass = nnc_is_forward_pass(model, how->plan);
    list->recorded = false;
    list->input_bytes = 0.0;
    list->tokens = 0;
    list->lookup_params = 0;
    list->stream_elements = 0;
    list->tied_rows = list->tied_cols = list->next_layers = list->layers_short = 0;
    list->projected_rank = how->plan->optimizer_rank;
    list->recorded_update = (nnc_launches){ .loop = 0.0 };
    family_rows[model->family]->lower(model, &(nnc_writer){ list, how, 1, -1, NULL });
    if (!nnc_plan_trains_all(how->plan) || has_fixed(list)) { nnc_list_train(list, how); }
    if (how->listing != NNC_LISTING_NONE && how->software->lists_operators &&
        how->plan->tensor * how->plan->context * how->plan->expert == 1) {
        nnc_list_issue(list, model, how);
    }
    if (how->software->module_hooks) { nnc_list_hook(list, model); }
    if (how->software->library_kept) { nnc_list_keep_by_library(list, how, model); }
}

nnc_status nnc_family_takes_images(const nnc_model *model, int64_t image, nnc_plan *plan, nnc_error *err) {
    const char *family = nnc_family_name(model->family);
    if (plan->seq_len > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--seq-len", "a %s takes images, not tokens", family);
    }
    if (!isnan(plan->tokens)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tokens", "a %s trains on images, expected --samples", family);
    }
    if (nnc_convention_of(plan->flops_convention)->by_params) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--flops-convention",
                        "%s counts one use of each parameter per token, and a %s counts images",
                        nnc_flops_convention_name(plan->flops_convention), family);
    }
    if (plan->activations == NNC_ACTIVATIONS_KORTHIKANTI) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--activations",
                        "the korthikanti formula counts a GPT, expected per-op");
    }
    plan->image = plan->image > 0 ? plan->image : image;
    return NNC_OK;
}

enum { NEAR_ENOUGH = 1000000 }; /* nearest_divisors() tries at most NEAR_ENOUGH numbers above `value` */

/* Writes two divisors of `whole` as text, such as "4 or 6": the largest divisor that is at most `value`, and the
 * smallest divisor above `value`. */
static void nearest_divisors(int64_t whole, int64_t value, char *text, size_t size) {
    int64_t below = 0, above = 0;
    for (int64_t i = value; i >= 1 && below == 0; i--) { below = whole % i == 0 ? i : 0; }
    for (int64_t i = value + 1; i <= whole && i <= value + NEAR_ENOUGH && above == 0; i++) {
        above = whole % i == 0 ? i : 0;
    }
    if (below > 0 && above > 0) {
        snprintf(text, size, "%" PRId64 " or %" PRId64, below, above);
    } else {
        snprintf(text, size, "%" PRId64, below > 0 ? below : above);
    }
}

nnc_status nnc_divides(const char *option, const char *what, int64_t whole, int64_t ranks, nnc_error *err) {
    char legal[64];
    if (ranks <= 1 || whole % ranks == 0) { return NNC_OK; }
    if (err == NULL) { /* without err the caller needs no message, so none is composed */
        return NNC_ILLEGAL_PLAN;
    }
    nearest_divisors(whole, ranks, legal, sizeof legal);
    return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                    "%s %" PRId64 " cannot be divided over %" PRId64 " ranks, expected %s", what, whole, ranks, legal);
}

/* ---- functions that append ops to an op list; properties of the ops depend on the software profile ---- */

nnc_op *nnc_list_add(const nnc_writer *w, const char *name, nnc_op_kind kind, nnc_group group) {
    nnc_op_list *list = w->list;
    if (list->count == NNC_OPS_MAX) {
        list->truncated = true;
        /* the list is full: the new op overwrites the last op, and the caller later reports list->truncated as an
         * error */
        list->count--;
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

double nnc_list_bytes(const nnc_writer *w, int64_t elements) {
    return (double)elements * nnc_dtype_bytes(w->how->dtype);
}

nnc_writer nnc_list_block(const nnc_writer *w, int64_t repeat, int64_t input_elements) {
    nnc_op_list *list = w->list;
    if (list->block_count == NNC_BLOCKS_MAX) {
        list->truncated = true;
        list->block_count--;
    }
    list->blocks[list->block_count] = (nnc_block){ repeat, nnc_list_bytes(w, input_elements), list->segment_count - 1 };
    return (nnc_writer){ list, w->how, repeat, list->block_count++, w->place };
}

void nnc_list_segment(const nnc_writer *w, int64_t instances, bool layer) {
    nnc_op_list *list = w->list;
    if (list->segment_count == NNC_SEGMENTS_MAX) {
        list->truncated = true;
        list->segment_count--;
    }
    list->segments[list->segment_count++] = (nnc_segment){ .instances = instances, .layer = layer };
}

double nnc_list_units(const nnc_op_list *list, int32_t segment) {
    double blocks = 0.0;
    for (int32_t i = 0; i < list->block_count; i++) {
        blocks += list->blocks[i].segment == segment ? (double)list->blocks[i].repeat : 0.0;
    }
    return nnc_max(1.0, blocks / (double)list->segments[segment].instances);
}

void nnc_list_again(const nnc_writer *w, int32_t first) {
    bool entered = false;
    for (int32_t i = first; i < w->list->count; i++) {
        nnc_op *op = &w->list->ops[i];
        op->recomputed = true;
        op->dropped = entered;
        entered = entered || op->kind == NNC_OP_MATMUL;
    }
}

void nnc_list_collective(const nnc_writer *w, const char *name, nnc_collective_op exchange) {
    nnc_list_add(w, name, NNC_OP_COLLECTIVE, NNC_GROUP_NETWORK)->u.collective = exchange;
}

nnc_op *nnc_list_linear(const nnc_writer *w, const char *name, nnc_group group, nnc_split split, int64_t m, int64_t n,
                        int64_t k, bool bias) {
    const nnc_dtype dtype = w->block >= 0 ? w->how->linear_dtype : w->how->dtype;
    if (dtype != w->how->dtype) {
        /* Operands of the product have fewer bits than activations, so forward casts the input of the layer, and
         * backward casts the gradient of its output. */
        nnc_op *cast = nnc_list_pointwise(w, "cast", NNC_PW_CAST, group, nnc_list_mul(w, m, k));
        cast->split = split;
        cast->u.pointwise.backward_elements = nnc_list_mul(w, m, n);
    }
    nnc_op *op = nnc_list_add(w, name, NNC_OP_MATMUL, group);
    op->split = split;
    op->math_dtype = dtype;
    op->weights = (nnc_weights){ .count = 1, .rows = k, .cols = n, .vector = bias ? n : 0 };
    nnc_matmul_set(&op->u.matmul, 1, m, n, k);
    op->u.matmul.b_is_weight = op->u.matmul.needs_grad_input = op->u.matmul.keeps_a = true;
    op->u.matmul.padded = !w->how->software->lists_operators;
    op->u.matmul.in_blocks = dtype == NNC_FP4 || (dtype == NNC_FP8 && w->how->software->block_scales);
    nnc_list_mul(w, nnc_list_mul(w, m, n), k);
    return op;
}

/* Tests whether a grouped convolution runs on the vector units of a GPU instead of its matrix units. Returns false for
 * depthwise convolutions. The matrix units have a channels-last kernel only if the number of groups is a multiple of 32
 * and each group has 4, 8, 16 or 32 channels. */
static bool on_vectors(const nnc_software *software, const nnc_conv *conv) {
    const int64_t width = conv->c_in / conv->groups;
    const bool kernel = conv->groups % 32 == 0 && (width == 4 || width == 8 || width == 16 || width == 32);
    return software->grouped_on_vectors && !software->contiguous_maps && conv->groups > 1 && width > 1 && !kernel;
}

/* Tests whether PyTorch computes a depthwise convolution of contiguous maps with its own kernels instead of kernels of
 * cuDNN. Source: use_cudnn_depthwise and check_cudnn_depthwise_workload_with_filter, PyTorch 1.12,
 * aten/src/ATen/native/Convolution.cpp, for cuDNN from 8.2 on. */
static bool is_native(const nnc_software *software, const nnc_conv *conv, nnc_dtype dtype) {
    const bool depthwise = conv->groups > 1 && conv->groups == conv->c_in;
    if (!software->lists_operators || !software->contiguous_maps || !depthwise) { return false; }
    const bool square = conv->kernel_w == 0 || conv->kernel_w == conv->kernel;
    const bool taps = square && (conv->kernel == 1 || conv->kernel == 3 || conv->kernel == 5);
    const bool many = conv->c_in >= 512 || (conv->c_in >= 256 && conv->w_in >= 28);
    const bool stride = conv->stride == 1 || (conv->stride == 2 && conv->kernel > 1 && many);
    return !(dtype == NNC_FP16 && conv->c_in >= 32 && conv->w_in >= 7 && taps && stride);
}

nnc_op *nnc_list_conv(const nnc_writer *w, const char *name, nnc_group group, const nnc_conv *conv, bool bias) {
    nnc_op *op = nnc_list_add(w, name, NNC_OP_CONV, group);
    const int64_t taps = nnc_list_mul(w, conv->kernel, conv->kernel_w > 0 ? conv->kernel_w : conv->kernel);
    op->u.conv = *conv;
    op->u.conv.contiguous = w->how->software->contiguous_maps;
    op->u.conv.separate_bias = bias && !w->how->software->fused_residual;
    op->u.conv.on_vectors = on_vectors(w->how->software, conv);
    op->u.conv.native = is_native(w->how->software, conv, op->math_dtype);
    op->weights = (nnc_weights){ .count = 1,
                                 .rows = conv->c_out,
                                 .cols = nnc_list_mul(w, conv->c_in / conv->groups, taps),
                                 .vector = bias ? conv->c_out : 0 };
    return op;
}

nnc_op *nnc_list_norm(const nnc_writer *w, const char *name, nnc_norm_kind kind, int64_t elements, int64_t rows,
                      int64_t params) {
    const nnc_software *software = w->how->software;
    /* Batch norms and group norms of feature maps run as one kernel, even if the profile runs other norms as several
     * primitive operators. */
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

nnc_op *nnc_list_pointwise(const nnc_writer *w, const char *name, nnc_pointwise_kind kind, nnc_group group,
                           int64_t elements) {
    nnc_op *op = nnc_list_add(w, name, NNC_OP_POINTWISE, group);
    op->u.pointwise = (nnc_pointwise){ .kind = kind, .elements = elements, .fused = true };
    return op;
}

nnc_op *nnc_list_residual(const nnc_writer *w, const char *name, nnc_group group, int64_t elements) {
    nnc_op *op = nnc_list_pointwise(w, name, NNC_PW_RESIDUAL, group, elements);
    op->split = NNC_SPLIT_SEQUENCE;
    op->u.pointwise.fused = w->how->software->fused_residual;
    return op;
}

nnc_op *nnc_list_loss(const nnc_writer *w, int64_t rows, int64_t classes) {
    /* true: a kernel of the library Liger-Kernel computes head and loss together */
    const bool chunks = w->how->software->loss_keep == NNC_LOSS_KEEPS_CHUNKS;
    nnc_op *op = nnc_list_add(w, "loss", NNC_OP_LOSS, NNC_GROUP_LOSS);
    op->u.loss = (nnc_loss){ .tokens = rows,
                             .classes = classes,
                             .fused = w->how->software->fused_loss || chunks,
                             .split = w->how->software->split_loss,
                             .in_place = w->how->software->loss_in_place,
                             .keep = w->how->software->loss_keep };
    return op;
}

/* ---- dividing a model over ranks: which plans are legal, and the dimensions of the ops of one rank ---- Each family
 * and each kind of layer has rules for the sizes that must be divided evenly; each kind of op has a function that
 * divides its dimensions (nnc_op_row.shard). */

static int32_t plan_replicas(const nnc_plan *plan) { return plan->data * plan->context; }

int32_t nnc_plan_expert_ranks(const nnc_plan *plan) {
    return plan_replicas(plan) * (plan->whole_experts ? plan->tensor : 1);
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b > 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns the smallest degree of data parallelism with which a plan has enough ranks for --expert and for --shard. */
static int32_t least_data(const nnc_plan *p) {
    const int64_t by_expert = (int64_t)p->context * (p->whole_experts ? p->tensor : 1);
    const int64_t for_expert = p->expert / common_divisor(p->expert, by_expert);
    const int64_t for_shard = p->shard > 0 ? p->shard / common_divisor(p->shard, p->context) : 1;
    const int64_t both = for_expert / common_divisor(for_expert, for_shard) * for_shard;
    return both > 0 && both <= INT32_MAX ? (int32_t)both : 1;
}

/* A context degree of this value or more is refused with a special message if it exceeds --devices, because the user
 * probably meant the sequence length. */
enum { CONTEXT_DOUBTED = 512 };

nnc_status nnc_plan_split_devices(nnc_plan *p, nnc_error *err) {
    int64_t others = 0, product = 0;
    if (p->context >= CONTEXT_DOUBTED && p->context > p->devices) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--context",
                        "the number of devices that share a sequence, expected at most the number of --devices, "
                        "found %" PRId32 "; did you mean --seq-len %" PRId32 "?",
                        p->context, p->context);
    }
    if (!nnc_mul_i64(p->tensor, p->pipeline, &others) || !nnc_mul_i64(others, p->context, &others) ||
        others > INT32_MAX) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tensor", "tensor x pipeline x context is more than any cluster has");
    }
    if (p->devices > 0 && p->data == 0) {
        if (p->devices % others != 0) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, "--devices",
                            "expected a multiple of tensor x pipeline x context = %" PRId64 ", found %" PRId32, others,
                            p->devices);
        }
        p->data = (int32_t)(p->devices / others);
    }
    p->data = p->data > 0 ? p->data : least_data(p);
    if (!nnc_mul_i64(others, p->data, &product) || product > INT32_MAX) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--data", "more devices than any cluster has");
    }
    if (p->devices > 0 && p->devices != product) {
        return nnc_fail(err, NNC_BAD_USAGE, "--devices",
                        "disagrees with data x tensor x pipeline x context, expected %" PRId64 ", found %" PRId32,
                        product, p->devices);
    }
    p->devices = (int32_t)product;
    return NNC_OK;
}

static nnc_status split_experts(int64_t experts, const nnc_plan *p, nnc_error *err) {
    if (p->expert == 1) { return NNC_OK; }
    if (experts == 0) { return nnc_fail(err, NNC_ILLEGAL_PLAN, "--expert", "the model has no experts, expected 1"); }
    if (p->imbalance > (double)p->expert) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--imbalance",
                        "one rank cannot process more than all tokens, expected at most --expert %" PRId32 ", found %g",
                        p->expert, p->imbalance);
    }
    if (experts != NNC_EXPERTS_ANY) { NNC_TRY(nnc_divides("--expert", "experts", experts, p->expert, err)); }
    if (p->whole_experts && p->tensor > 1 && !p->sequence_parallel) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--whole-experts",
                        "each tensor rank sends its own tokens to the experts, expected --sequence-parallel");
    }
    return nnc_divides("--expert", p->whole_experts ? "tensor x data x context" : "data x context",
                       nnc_plan_expert_ranks(p), p->expert, err);
}

nnc_status nnc_plan_split_data(nnc_plan *p, nnc_error *err) {
    const int64_t replicas = plan_replicas(p);
    if (p->shard > 0 && p->shard != replicas && p->zero == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--shard", "--zero 0 divides no tensors, expected --zero 1 to 3");
    }
    p->shard = p->shard > 0 ? p->shard : (int32_t)replicas;
    if (p->shard > replicas) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--shard",
                        "more ranks than replicas, expected at most %" PRId64 ", found %" PRId32, replicas, p->shard);
    }
    if ((p->offload & NNC_OFFLOAD_WEIGHTS) != 0 && p->zero < 3) {
        return nnc_fail(
            err, NNC_ILLEGAL_PLAN, "--offload",
            "weights can be stored in host memory only if ZeRO 3 divides them, expected --zero 3, found %" PRId32,
            p->zero);
    }
    if (nnc_optimizer_projects(p->optimizer) && ((p->zero > 0 && p->data * p->context > 1) || p->tensor > 1)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--optimizer",
                        "%s projects whole matrices, expected --zero 0 and --tensor 1",
                        nnc_optimizer_name(p->optimizer));
    }
    NNC_TRY(nnc_divides("--shard", "data x context", replicas, p->shard, err));
    /* number of ranks that have copies of the same expert */
    const int64_t copies = nnc_plan_expert_ranks(p) / p->expert;
    return copies > p->shard ? nnc_divides("--shard", "data x context / expert", copies, p->shard, err) : NNC_OK;
}

/* Is called for model families that only data parallelism can divide: refuses tensor, pipeline, context, expert and
 * sequence parallelism. */
static nnc_status split_nothing(const char *family, const nnc_plan *p, nnc_error *err) {
    const struct {
        const char *option;
        int32_t degree;
    } degrees[] = { { "--tensor", p->tensor },
                    { "--pipeline", p->pipeline },
                    { "--virtual-stages", p->virtual_stages },
                    { "--context", p->context },
                    { "--expert", p->expert } };
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        if (degrees[i].degree != 1) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, degrees[i].option,
                            "only data ranks can divide the work of a %s, expected 1, found %" PRId32, family,
                            degrees[i].degree);
        }
    }
    return !p->sequence_parallel ? NNC_OK
                                 : nnc_fail(err, NNC_ILLEGAL_PLAN, "--sequence-parallel",
                                            "only data ranks can divide the work of a %s", family);
}

nnc_status nnc_plan_split(const nnc_model *model, const nnc_device *device, nnc_plan *plan, nnc_error *err) {
    const nnc_family_row *family = nnc_family_of(model);
    if (family->split == NULL) {
        NNC_TRY(split_nothing(nnc_family_name(model->family), plan, err));
    } else {
        NNC_TRY(family->split(model, plan, err));
        NNC_TRY(split_experts(family->sizes(model).experts, plan, err));
    }
    if (plan->devices_per_node == 0) {
        plan->devices_per_node = device->scale_up.devices > 0 ? device->scale_up.devices : 1;
    }
    return nnc_plan_split_data(plan, err);
}

nnc_status nnc_layer_split_tensor(const nnc_layer *l, const nnc_plan *p, nnc_error *err) {
    const int64_t t = p->tensor;
    NNC_TRY(nnc_divides("--tensor", "heads", l->heads, t, err));
    if (l->kv_heads > 0 && t % l->kv_heads != 0) { /* kv_heads must be a multiple of the tensor degree, or the degree a
                                                    * multiple of kv_heads (each rank then has one whole head) */
        NNC_TRY(nnc_divides("--tensor", "kv_heads", l->kv_heads, t, err));
    }
    return nnc_divides("--tensor", "ffn_hidden", l->ffn_hidden, t, err);
}

nnc_status nnc_layer_split_sequence(const nnc_plan *p, int64_t tokens, nnc_error *err) {
    if (p->sequence_parallel && p->tensor == 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--sequence-parallel", "%s",
                        "shards activations over tensor ranks, expected --tensor 2 or more");
    }
    return p->sequence_parallel
               ? nnc_divides("--sequence-parallel", "the tokens of a rank", tokens / p->context, p->tensor, err)
               : NNC_OK;
}

nnc_status nnc_layer_split_context(const nnc_layer *l, const nnc_plan *p, int64_t seq_len, nnc_error *err) {
    const int64_t c = p->context, kv_heads = l->kv_heads / p->tensor;
    if (c == 1) { return NNC_OK; }
    if (nnc_context_over_heads(p)) {
        NNC_TRY(nnc_divides("--context", "heads of a tensor rank", l->heads / p->tensor, c, err));
        /* if the degree is a multiple of kv_heads, each rank gets a copy of one head (DeepSpeed,
         * runtime/sequence_parallel/ulysses_sp.py) */
        if (kv_heads >= 1 && c % kv_heads != 0) {
            NNC_TRY(nnc_divides("--context", "kv_heads of a tensor rank", kv_heads, c, err));
        }
        NNC_TRY(nnc_divides("--context", "seq_len", seq_len, c, err));
    } else if (seq_len % 2 != 0) {
        /* Each context rank gets one part of the first half of the tokens and one part of the second half. With a
         * causal mask, these two parts give all ranks equal work. */
        NNC_TRY(nnc_divides("--context", "seq_len", seq_len, 2 * c, err));
    } else {
        NNC_TRY(nnc_divides("--context", "half of seq_len", seq_len / 2, c, err));
    }
    if (p->attention == NNC_ATTENTION_UNFUSED) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--attention",
                        "context parallelism needs a fused attention kernel, expected flash, found unfused");
    }
    return NNC_OK;
}

static nnc_degrees degrees_of(const nnc_plan *plan) {
    const bool over_heads = nnc_context_over_heads(plan);
    nnc_degrees d = { .tensor = plan->tensor, .context = plan->context, .expert = plan->expert };
    d.expert_tensor = plan->whole_experts ? 1 : d.tensor;
    d.expert_rows = d.context * (d.tensor / d.expert_tensor);
    d.sequence = d.context * (plan->sequence_parallel ? d.tensor : 1);
    d.heads = over_heads ? d.tensor * d.context : d.tensor;
    d.positions = over_heads ? 1 : d.context;
    d.imbalance = plan->imbalance;
    return d;
}

void nnc_list_shard(nnc_op_list *list, const nnc_plan *plan) {
    const nnc_degrees d = degrees_of(plan);
    if (d.tensor == 1 && d.context == 1 && d.expert == 1) { return; }
    for (int32_t i = 0; i < list->count; i++) { nnc_op_row_of(&list->ops[i])->shard(&list->ops[i], &d); }
    /* The kept input of a recompute block is a part of the residual stream, so the ranks that divide the tokens of the
     * residual stream divide the input's bytes. */
    for (int32_t i = 0; i < list->block_count; i++) { list->blocks[i].input_bytes /= (double)d.sequence; }
}
