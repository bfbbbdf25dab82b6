/* Optimizers and precision policies: the bytes of optimizer states, and the work of an update. Each optimizer and each
 * policy has a row in a table of this file. */
#include "base/base_internal.h"
#include "op/op_internal.h"

NNC_ENUM_NAMES(nnc_update_kind, NNC_UPDATE_LIST)

/* Bytes per parameter under each policy, in this order: weights, gradients, fp32 master copy, one moment, temporary
 * 16-bit copy of the weights. Sources: ZeRO arXiv:1910.02054 section 3.1 (mixed), Megatron-LM (mixed-fp32grad),
 * DeepSeek-V3 arXiv:2412.19437 (fp8), scaling-book (bf16-states-fp32), Micikevicius arXiv:1710.03740.   [policies] */
static const nnc_policy_sizes NNC_ROW(NNC_POLICY_DEFAULT) = { 2, 2, 4, 4, 0 };
static const nnc_policy_sizes NNC_ROW(NNC_POLICY_FP32) = { 4, 4, 0, 4, 0 };
static const nnc_policy_sizes NNC_ROW(NNC_POLICY_MIXED) = { 2, 2, 4, 4, 0 };
static const nnc_policy_sizes NNC_ROW(NNC_POLICY_MIXED_FP32GRAD) = { 2, 4, 4, 4, 0 };
static const nnc_policy_sizes NNC_ROW(NNC_POLICY_MIXED_BOTH) = { 2, 6, 4, 4, 0 };
static const nnc_policy_sizes NNC_ROW(NNC_POLICY_AMP) = { 4, 4, 0, 4, 2 };
static const nnc_policy_sizes NNC_ROW(NNC_POLICY_BF16_STATES_FP32) = { 2, 0, 0, 4, 0 };
static const nnc_policy_sizes NNC_ROW(NNC_POLICY_BF16_PURE) = { 2, 2, 0, 2, 0 };
static const nnc_policy_sizes NNC_ROW(NNC_POLICY_FP8) = { 1, 4, 4, 2, 0 };
static const nnc_policy_sizes NNC_ROW(NNC_POLICY_BF16_LAYERWISE) = { 2, 0, 0, 2, 0 };
static const nnc_policy_sizes *const policies[] = { NNC_POLICY_LIST(NNC_ROW_AT) };

static const nnc_policy_sizes *sizes_of(nnc_policy policy) {
    return policies[(unsigned)policy < NNC_POLICY_COUNT ? policy : NNC_POLICY_DEFAULT];
}

nnc_policy_sizes nnc_policy_bytes(nnc_policy policy) {
    const double unknown = (double)NAN;
    return (unsigned)policy < NNC_POLICY_COUNT ? *sizes_of(policy)
                                               : (nnc_policy_sizes){ unknown, unknown, unknown, unknown, unknown };
}

static double gradient_io_bytes(const nnc_policy_sizes *sizes) {
    return sizes->gradient_bytes > 0.0
               ? sizes->gradient_bytes
               /* gradient_bytes 0: the step updates the weights of each layer during backward and frees their gradient
                * at once; backward writes the gradient in 16 bits, and the update reads it in 16 bits */
               : 2.0;
}

double nnc_policy_gradient_io_bytes(nnc_policy policy) { return gradient_io_bytes(sizes_of(policy)); }

double nnc_policy_used_bytes(nnc_policy policy) {
    const nnc_policy_sizes *sizes = sizes_of(policy);
    return sizes->cast_bytes > 0.0 ? sizes->cast_bytes : sizes->weight_bytes;
}

typedef struct dims {
    double params, matrix_params, factored_elements, projected_params, projected_elements, projected_products;
    double weight_bytes_per_param, gradient_bytes_per_param, master_bytes_per_param, moment_bytes_per_param;
} dims;

NNC_SAYING dims dims_of(const nnc_update *u, nnc_derivation *why) {
    const nnc_policy_sizes *sizes = sizes_of(u->policy);
    dims d;
    NNC_DIM(why, params, u->params);
    NNC_DIM(why, matrix_params, u->matrix_params);
    NNC_DIM(why, factored_elements, u->factored_elements);
    NNC_DIM(why, projected_params, u->projected_params);
    NNC_DIM(why, projected_elements, u->projected_elements);
    NNC_DIM(why, projected_products, u->projected_products);
    NNC_DIM(why, weight_bytes_per_param, sizes->weight_bytes);
    NNC_DIM(why, gradient_bytes_per_param, gradient_io_bytes(sizes));
    NNC_DIM(why, master_bytes_per_param, sizes->master_bytes);
    NNC_DIM(why, moment_bytes_per_param, sizes->state_bytes);
    return d;
}

static double factored(const dims *d, nnc_derivation *why) {
    NNC_SAY(why, moments_bytes, "B", d->moment_bytes_per_param * d->factored_elements);
    NNC_NOTE(why, "factored moments: one number per row and per column of each matrix, and all vectors");
    return moments_bytes;
}

/* Returns the bytes of the two moments that 8-bit Adam keeps, with their scales. Source: arXiv:2110.02861 */
static double in_8_bits(const dims *d, nnc_derivation *why) {
    NNC_SAY(why, moments_bytes, "B", 2.0 * (1.0 + 4.0 / 256.0) * d->params);
    NNC_NOTE(why, "two moments of 8 bits each, and an fp32 scale per block of 256");
    return moments_bytes;
}

/* Returns the bytes of the two moments that 4-bit Adam keeps, with their scales. Source: pytorch/ao,
 * torchao/optim/adam.py, AdamW4bit; arXiv:2309.01507 */
static double in_4_bits(const dims *d, nnc_derivation *why) {
    NNC_SAY(why, moments_bytes, "B", 2.0 * (0.5 + 4.0 / 128.0) * d->params);
    NNC_NOTE(why, "two moments of 4 bits each, and an fp32 scale per block of 128");
    return moments_bytes;
}

static double of_muon(const dims *d, nnc_derivation *why) {
    NNC_SAY(why, moments_bytes, "B", d->moment_bytes_per_param * (2.0 * d->params - d->matrix_params));
    NNC_NOTE(why, "one momentum for matrices; two Adam moments for tables, gains and biases");
    return moments_bytes;
}

/* Returns the bytes of the moments and projections of GaLore or APOLLO. Source: jiaweizhao/GaLore,
 * galore_torch/galore_projector.py and adamw.py; zhuhanqing/APOLLO, apollo_torch/apollo.py. */
static double projected(const dims *d, nnc_derivation *why) {
    NNC_SAY(why, moments_bytes, "B",
            d->moment_bytes_per_param * (d->projected_elements + 2.0 * (d->params - d->projected_params)));
    NNC_NOTE(why, "projected_elements: rank times the shorter side and twice the longer side of each projected matrix; "
                  "other parameters have two moments");
    return moments_bytes;
}

/* Returns the work that GaLore has beyond the work of every optimizer: one product projects the gradient, and one
 * projects the update back. For parameters that are not projected, GaLore has 13 memory passes in addition to the 7
 * passes over all parameters: 20 passes, as many as AdamW. */
static nnc_work project_twice(const nnc_update *u, const dims *d, nnc_derivation *why) {
    nnc_work work = { 0 };
    (void)u;
    NNC_SET(why, work.flops, "FLOP", 4.0 * d->projected_products);
    NNC_NOTE(why, "the gradient is projected, and the step is projected back: 2 rank FLOPs per parameter each");
    NNC_SET(why, work.read_bytes, "B", 0.6 * (13.0 * d->moment_bytes_per_param * (d->params - d->projected_params)));
    NNC_NOTE(why, "parameters that are not projected: 7 of the 20 passes of Adam are counted for all parameters");
    NNC_SET(why, work.write_bytes, "B", 0.4 * (13.0 * d->moment_bytes_per_param * (d->params - d->projected_params)));
    return work;
}

/* Returns the work that APOLLO has beyond the work of every optimizer: one product projects the gradient. Nothing is
 * projected back, because the moments only scale the gradient. For parameters that are not projected, APOLLO has 9
 * memory passes in addition to the 11 passes over all parameters: 20 passes, as many as AdamW. */
static nnc_work project_once(const nnc_update *u, const dims *d, nnc_derivation *why) {
    nnc_work work = { 0 };
    (void)u;
    NNC_SET(why, work.flops, "FLOP", 2.0 * d->projected_products);
    NNC_NOTE(why, "the gradient is projected: 2 rank FLOPs per parameter");
    NNC_SET(why, work.read_bytes, "B", 0.6 * (9.0 * d->moment_bytes_per_param * (d->params - d->projected_params)));
    NNC_NOTE(why, "parameters that are not projected: 11 of the 20 passes of Adam are counted for all parameters");
    NNC_SET(why, work.write_bytes, "B", 0.4 * (9.0 * d->moment_bytes_per_param * (d->params - d->projected_params)));
    return work;
}

/* Returns the work that Adafactor has beyond the work of every optimizer: it reads the gradient a second time, for the
 * means of its rows and columns. */
static nnc_work means(const nnc_update *u, const dims *d, nnc_derivation *why) {
    (void)u;
    NNC_SAY(why, more_read_bytes, "B", d->gradient_bytes_per_param * d->params);
    NNC_NOTE(why, "the gradient is read again for its row and column means");
    return (nnc_work){ .read_bytes = more_read_bytes };
}

static nnc_work orthogonalise(const nnc_update *u, const dims *d, nnc_derivation *why) {
    nnc_work work = { 0 };
    NNC_LET(why, orthogonalise_flops, "FLOP", u->orthogonalise_flops);
    NNC_SET(why, work.flops, "FLOP", orthogonalise_flops);
    NNC_NOTE(why, "sum over all matrices of r rows and c columns, r <= c: 5 (4 r^2 c + 2 r^3)");
    NNC_SAY(why, more_read_bytes, "B", 0.5 * (5.0 * 4.0 * 2.0 * d->matrix_params));
    NNC_NOTE(why, "five Newton-Schulz iterations, each with about four passes over a 16-bit copy");
    NNC_SAY(why, more_written_bytes, "B", 0.5 * (5.0 * 4.0 * 2.0 * d->matrix_params));
    work.read_bytes = more_read_bytes;
    work.write_bytes = more_written_bytes;
    return work;
}

/* Returns the work that LAMB has beyond the work of every optimizer: the direction of the update is written, and read
 * again when its norm is known. Source: arXiv:1904.00962 */
static nnc_work direction(const nnc_update *u, const dims *d, nnc_derivation *why) {
    (void)u;
    NNC_SAY(why, more_read_bytes, "B", 8.0 * d->params);
    NNC_NOTE(why, "the direction and the fp32 weight are read again after their norms");
    NNC_SAY(why, more_written_bytes, "B", 4.0 * d->params);
    NNC_NOTE(why, "the direction of the update is written once");
    return (nnc_work){ .read_bytes = more_read_bytes, .write_bytes = more_written_bytes };
}

/* Returns the work that LARS has beyond the work of every optimizer: weight and gradient are read once more for their
 * norms. Source: arXiv:1708.03888 */
static nnc_work norms(const nnc_update *u, const dims *d, nnc_derivation *why) {
    (void)u;
    NNC_SAY(why, more_read_bytes, "B", (4.0 + d->gradient_bytes_per_param) * d->params);
    NNC_NOTE(why, "the fp32 weight and the gradient are read again for their norms");
    return (nnc_work){ .read_bytes = more_read_bytes };
}

/* Row of one optimizer. moments: number of moments per parameter; the policy states the bytes of a moment. flops: FLOPs
 * per parameter and update. passes: number of reads and writes of all parameters if each primitive operation is a
 * kernel (Adam: 3 for the first moment, 5 for the second moment, 2 each for square root, scale and epsilon, 4 for
 * addcdiv; AdamW: 2 more for weight decay). Counts by inspection.   [optimizer-step] */
typedef struct optimizer {
    double moments, flops, passes;
    /* function that returns the bytes of all moments; NULL: the bytes are computed from `moments` */
    double (*moments_bytes)(const dims *d, nnc_derivation *why);
    /* function that returns the work beyond the work of every optimizer; NULL: there is no such work */
    nnc_work (*more)(const nnc_update *u, const dims *d, nnc_derivation *why);
    /* optimizers (one bit each) for which this optimizer is the variant with smaller moments */
    unsigned instead_of;
    double lists; /* number of kernels with which torch.optim updates a list of tensors (foreach=True); 0 = not known */
    bool copies;  /* true: an update over a list of tensors keeps the square root of the second moment until its last
                   * kernel */
} optimizer;
enum { ADAMS = 1 << NNC_OPTIMIZER_ADAMW | 1 << NNC_OPTIMIZER_ADAM };
static const optimizer NNC_ROW(NNC_OPTIMIZER_ADAMW) = { 2, 16, 20, NULL, NULL, 0, 8, true };
static const optimizer NNC_ROW(NNC_OPTIMIZER_ADAM) = { 2, 14, 18, NULL, NULL, 0, 7, true };
static const optimizer NNC_ROW(NNC_OPTIMIZER_SGD) = { 0, 2, 3, NULL, NULL, 0, 1, false };
static const optimizer NNC_ROW(NNC_OPTIMIZER_MOMENTUM) = { 1, 4, 6, NULL, NULL, 0, 3, false };
static const optimizer NNC_ROW(NNC_OPTIMIZER_RMSPROP) = { 1, 9, 13, NULL, NULL, 0, 5, true };
static const optimizer NNC_ROW(NNC_OPTIMIZER_ADAFACTOR) = { 0, 14, 18, factored, means, 0, 0, false };
static const optimizer NNC_ROW(NNC_OPTIMIZER_LION) = { 1, 8, 13, NULL, NULL, 0, 0, false };
static const optimizer NNC_ROW(NNC_OPTIMIZER_ADAM8BIT) = { 0, 24, 20, in_8_bits, NULL, ADAMS, 0, false };
static const optimizer NNC_ROW(NNC_OPTIMIZER_MUON) = { 1, 4, 6, of_muon, orthogonalise, 0, 0, false };
static const optimizer NNC_ROW(NNC_OPTIMIZER_LAMB) = { 2, 22, 24, NULL, direction, 0, 0, false };
static const optimizer NNC_ROW(NNC_OPTIMIZER_LARS) = { 1, 10, 12, NULL, norms, 0, 0, false };
static const optimizer NNC_ROW(NNC_OPTIMIZER_ADAM4BIT) = { 0, 24, 20, in_4_bits, NULL, 0, 0, false };
/* Adam-mini: arXiv:2406.16793 */
static const optimizer NNC_ROW(NNC_OPTIMIZER_ADAM_MINI) = { 1, 12, 16, NULL, NULL, 0, 0, false };
/* The two optimizers that project gradients. GaLore needs 7 memory passes over the parameters of projected matrices: 1
 * to project, 1 to project back, 2 to scale, 3 to add to the weight. APOLLO needs 11 passes: 1 to project, 2 to scale
 * by rows or columns, 1 for the norm, 2 to limit, 2 to scale, 3 to add to the weight. */
static const optimizer NNC_ROW(NNC_OPTIMIZER_GALORE) = { 0, 4, 7, projected, project_twice, 0, 0, false };
static const optimizer NNC_ROW(NNC_OPTIMIZER_APOLLO) = { 0, 8, 11, projected, project_once, 0, 0, false };
static const optimizer *const optimizers[] = { NNC_OPTIMIZER_LIST(NNC_ROW_AT) };

double nnc_optimizer_list_kernels(nnc_optimizer kind) { return optimizers[kind]->lists; }

double nnc_optimizer_list_bytes(nnc_optimizer kind, nnc_policy policy) {
    return optimizers[kind]->copies ? sizes_of(policy)->state_bytes : 0.0;
}

/* Largest number of tensors that one launch of a kernel for lists of tensors processes. list_tensors: for an operation
 * with two tensors per parameter. fused_tensors: for the fused kernel of Adam, with four tensors per parameter. Source:
 * depth_to_max_tensors, aten/src/ATen/native/cuda/MultiTensorApply.cuh of PyTorch. */
static const double list_tensors = 64.0, fused_tensors = 36.0;

/* Adds to *l the kernel launches of the updates of a list of tensors. share: kernels that the optimizer of the list
 * runs on one part of the list / kernels that the optimizer l->kind runs on one part. */
static void add_launches(nnc_launches *l, const nnc_optimizer_group *g, double share) {
    const double chunks = nnc_ceil(g->elements / NNC_LAUNCH_ELEMENTS);
    l->loop += g->calls * g->count * share;
    l->lists += g->calls * nnc_max(nnc_ceil(g->count / list_tensors), chunks) * share;
    l->fused += g->calls * nnc_max(nnc_ceil(g->count / fused_tensors), chunks);
}

/* Returns the number of passes over memory of an update that is not fused. If a step has several kinds of optimizers
 * and another kind has more operations, SGD with momentum over lists of tensors has eight passes (32 bytes per
 * parameter, [optimizer-kernels]). */
static double passes_of(nnc_optimizer kind, nnc_optimizer strongest) {
    return kind == NNC_OPTIMIZER_MOMENTUM && strongest != kind ? 8.0 : optimizers[kind]->passes;
}

nnc_launches nnc_optimizer_launches(const nnc_optimizer_group *groups, int32_t count, nnc_optimizer kind) {
    nnc_launches sum = { .kind = kind, .updates = 1.0 }, *l = &sum;
    double trained = 0.0, states = 0.0, passes = 0.0, largest = 0.0, once = 0.0, all = 0.0;
    if (kind == NNC_OPTIMIZER_COUNT) { /* the kinds are not known */
        for (int32_t i = 0; i < count; i++) { add_launches(l, &groups[i], 1.0); }
        return sum;
    }
    const double kernels = nnc_optimizer_list_kernels(l->kind), moments = optimizers[l->kind]->moments;
    for (int32_t i = 0; i < count; i++) {
        const nnc_optimizer_group *g = &groups[i];
        const double own = nnc_optimizer_list_kernels(g->kind);
        add_launches(l, g, kernels > 0.0 && own > 0.0 ? own / kernels : 1.0);
        /* bytes that an update in one kernel moves per element: reads gradient, weight and states, writes weight and
         * states */
        const double bytes = 12.0 + 8.0 * optimizers[g->kind]->moments;
        once += bytes * g->elements;
        all += bytes * g->elements * g->calls;
        trained += g->elements;
        states += optimizers[g->kind]->moments * g->elements;
        passes += passes_of(g->kind, l->kind) * g->elements * g->calls;
        if (nnc_optimizer_list_bytes(g->kind, NNC_POLICY_FP32) > 0.0) { largest = nnc_max(largest, g->elements); }
    }
    l->updates = once > 0.0 ? all / once : 1.0;
    l->state_share = moments > 0.0 && trained > 0.0 ? states / (moments * trained) : 0.0;
    l->pass_share = trained > 0.0 ? passes / (optimizers[l->kind]->passes * trained * l->updates) : 0.0;
    l->list_share = trained > 0.0 ? largest / trained : 0.0;
    return sum;
}

bool nnc_optimizer_projects(nnc_optimizer kind) { return optimizers[kind]->moments_bytes == projected; }

nnc_optimizer nnc_optimizer_smaller(nnc_optimizer kind) {
    for (int i = 0; i < NNC_OPTIMIZER_COUNT; i++) {
        if ((optimizers[i]->instead_of >> kind & 1U) != 0) { return (nnc_optimizer)i; }
    }
    return kind;
}

/* Returns `share`, a ratio that was recorded for a step with optimizers of several kinds. Returns 1 if the plan's
 * optimizer is not the kind to which the recorded share refers, or if no share was recorded. */
static double shared(const nnc_update *u, double share) {
    return share > 0.0 && u->launches.kind == u->optimizer ? share : 1.0;
}

static double moments_of(const nnc_update *u, const dims *d, nnc_derivation *why) {
    if (optimizers[u->optimizer]->moments_bytes != NULL) { return optimizers[u->optimizer]->moments_bytes(d, why); }
    NNC_LET(why, moments, NULL, optimizers[u->optimizer]->moments * shared(u, u->launches.state_share));
    NNC_SAY(why, moments_bytes, "B", d->moment_bytes_per_param * moments * d->params);
    return moments_bytes;
}

double nnc_update_moment_bytes(const nnc_update *update) {
    const dims d = dims_of(update, NULL);
    return moments_of(update, &d, NULL);
}

double nnc_update_say_moments(const nnc_update *update, nnc_derivation *why) {
    const dims d = dims_of(update, why);
    return moments_of(update, &d, why);
}

/* Computes the work of an optimizer step. A fused optimizer has one kernel: it reads the gradient, the moments and the
 * master copy (if there is no master copy, the weight), and writes the moments, the master copy and the weight. If the
 * optimizer is not fused, each primitive operation is a kernel that reads and writes fp32, or 16 bits if weights and
 * moments have 16 bits; with a master copy, one more kernel casts the new weight to its stored format. If the gradient
 * has fewer bits than fp32, another kernel casts the gradient to fp32. */
NNC_SAYING nnc_work step_work(const nnc_update *u, nnc_derivation *why) {
    const dims d = dims_of(u, why);
    const double moments_bytes = moments_of(u, &d, why);
    const optimizer *row = optimizers[u->optimizer];
    nnc_work work = { 0 };
    if (row->more != NULL) { work = row->more(u, &d, why); }
    NNC_LET(why, more_read_bytes, "B", work.read_bytes);
    NNC_LET(why, more_written_bytes, "B", work.write_bytes);
    NNC_LET(why, flops_per_param, NULL, row->flops);

    NNC_SET(why, work.vector_flops, "FLOP", flops_per_param * d.params);
    NNC_NOTE(why, "counts by inspection of the kernel; transcendentals count as one");
    if (u->fused) {
        NNC_LET(why, source_bytes, NULL,
                d.master_bytes_per_param > 0.0 ? d.master_bytes_per_param : d.weight_bytes_per_param);
        NNC_SET(why, work.read_bytes, "B",
                (d.gradient_bytes_per_param + source_bytes) * d.params + moments_bytes + more_read_bytes);
        NNC_NOTE(why, "one fused kernel; source_bytes: of the master weight, if kept, else of the weight");
        NNC_SET(why, work.write_bytes, "B",
                (d.master_bytes_per_param + d.weight_bytes_per_param) * d.params + moments_bytes + more_written_bytes);
        return work;
    }
    const bool master = d.master_bytes_per_param > 0.0, cast = master && d.gradient_bytes_per_param < 4.0;
    NNC_LET(why, passes, NULL, row->passes * shared(u, u->launches.pass_share));
    NNC_LET(why, value_bytes, "B",
            nnc_max(d.weight_bytes_per_param + d.master_bytes_per_param > 2.0 ? 4.0 : 2.0, d.moment_bytes_per_param));
    NNC_LET(why, cast_read, NULL, cast ? d.gradient_bytes_per_param : 0.0);
    NNC_LET(why, cast_written, NULL, cast ? 4.0 : 0.0);
    NNC_LET(why, master_read, NULL, master ? 4.0 : 0.0);
    NNC_LET(why, weight_written, NULL, master ? d.weight_bytes_per_param : 0.0);
    NNC_SET(why, work.read_bytes, "B",
            passes * value_bytes * d.params * 0.6 + (cast_read * d.params + master_read * d.params) + more_read_bytes);
    NNC_NOTE(why, "one kernel per primitive, in the widest format of the states, 6 of 10 passes are reads; the "
                  "gradient is cast up to this format");
    NNC_SET(why, work.write_bytes, "B",
            passes * value_bytes * d.params * 0.4 + (cast_written * d.params + weight_written * d.params) +
                more_written_bytes);
    NNC_NOTE(why, "4 of 10 passes are writes; the new weight is cast to its stored format");
    return work;
}

/* Computes the work of an op of the update phase. Clipping by the global norm reads each gradient once. If the
 * optimizer is fused, it also scales the gradients; if not, a further kernel reads and writes each gradient. Zeroing
 * writes each gradient once. Adding gradients reads the new gradient and the sum, and writes the sum, once per pass. */
NNC_SAYING nnc_work update_work(const nnc_op *op, nnc_derivation *why) {
    const nnc_update *u = &op->u.update;
    if (u->kind == NNC_UPDATE_STEP) { return step_work(u, why); }
    const dims d = dims_of(u, why);
    nnc_work work = { 0 };
    if (u->kind == NNC_UPDATE_ZERO) {
        NNC_SET(why, work.write_bytes, "B", d.gradient_bytes_per_param * d.params);
        NNC_NOTE(why, "each gradient is set to zero once");
        return work;
    }
    if (u->kind == NNC_UPDATE_ADD) {
        NNC_LET(why, passes, NULL, (double)u->passes);
        NNC_SET(why, work.vector_flops, "FLOP", passes * d.params);
        NNC_SET(why, work.read_bytes, "B", passes * (d.weight_bytes_per_param + d.gradient_bytes_per_param) * d.params);
        NNC_SET(why, work.write_bytes, "B", passes * d.gradient_bytes_per_param * d.params);
        NNC_NOTE(why, "each pass reads its gradient and the sum, and writes the sum");
        return work;
    }
    NNC_LET(why, flops_per_param, NULL, u->fused ? 2.0 : 3.0);
    NNC_LET(why, reads, NULL, u->fused ? 1.0 : 2.0);
    NNC_LET(why, writes, NULL, u->fused ? 0.0 : 1.0);
    NNC_SET(why, work.vector_flops, "FLOP", flops_per_param * d.params);
    NNC_NOTE(why, "global norm of the gradients; a fused step scales them itself, an unfused one in a separate pass");
    NNC_SET(why, work.read_bytes, "B", d.gradient_bytes_per_param * d.params * reads);
    NNC_SET(why, work.write_bytes, "B", d.gradient_bytes_per_param * d.params * writes);
    return work;
}

NNC_SAYING double update_kept(const nnc_op *op, nnc_derivation *why) {
    (void)op, (void)why;
    return 0.0;
}

NNC_SAYING double update_transient(const nnc_op *op, nnc_derivation *why) {
    (void)op, (void)why;
    return 0.0;
}

NNC_OP_FUNCTIONS(update)

double nnc_muon_flops(int64_t rows, int64_t cols) {
    const double r = (double)(rows < cols ? rows : cols), c = (double)(rows < cols ? cols : rows);
    return 5.0 * (4.0 * r * r * c + 2.0 * r * r * r);
}

static void update_shape(const nnc_op *op, char *text, size_t size) {
    snprintf(text, size, "params=%" PRId64, op->u.update.params);
}

static const char *update_name(const nnc_op *op) { return nnc_update_kind_name(op->u.update.kind); }

const nnc_op_row nnc_update_row = {
    .name_of = update_name,
    NNC_OP_MEMBERS(update),
    .backward = nnc_op_no_backward,
    .shard = nnc_op_not_sharded,
    .shape = update_shape,
    .timed = NNC_TIMED_UPDATE,
};
