/* Dims of one op -> FLOPs, bytes, what it keeps, and the ops of its backward pass. */
#ifndef NNCOST_OP_WORK_H
#define NNCOST_OP_WORK_H

#include "base/derivation.h"
#include "op/dims.h"

/* Work of one instance of an op, forward or backward by its phase. Cannot fail. */
nnc_work nnc_op_work(const nnc_op *op);

/* Bytes one instance of a forward op keeps for its backward pass, of tensors it owns. A tensor that
 * several ops need is owned by one of them, so that kept bytes add up over a list. */
double nnc_op_kept_bytes(const nnc_op *op);
/* Of what it would keep, what is made again while its backward runs. */
double nnc_op_dropped_bytes(const nnc_op *op);

/* The name of an op with its place, "down.0.attn1.core", into text; returns text. */
const char *nnc_op_path(const nnc_op *op, char *text, size_t size);

/* Largest working set of the backward pass that is not kept: gradients of the op's input and
 * output, fp32 copies of an unfused loss. */
double nnc_op_transient_bytes(const nnc_op *op);

/* The backward ops of a forward op, in the order they run. Returns how many, at most
 * NNC_BACKWARD_MAX. */
enum { NNC_BACKWARD_MAX = 2 };
int nnc_op_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);

/* Elements of the parameters of one instance; of those, what one token uses. */
int64_t nnc_weights_active(const nnc_weights *weights);
int64_t nnc_weights_params(const nnc_weights *weights);

/* The same of one instance of an op, saying how. */
void nnc_op_say_params(const nnc_op *op, nnc_derivation *why);

/* Bytes of the optimizer's moments, the master copy apart.   [optimizer-states] */
double nnc_update_moment_bytes(const nnc_update *update);
double nnc_update_say_moments(const nnc_update *update, nnc_derivation *why);

/* The same optimizer with its moments in fewer bytes; itself where there is none. */
nnc_optimizer nnc_optimizer_smaller(nnc_optimizer kind);

/* Bytes per element of the gradient that backward writes and the update reads. */
double nnc_policy_gradient_io_bytes(nnc_policy policy);

/* Which FLOPs of a step count as the model's. */
typedef struct nnc_convention {
    enum { NNC_COUNTS_ALL, NNC_COUNTS_WINDOW, NNC_COUNTS_MASK } pairs; /* of attention */
    bool by_params;   /* by parameters and tokens, whatever the ops do */
    const char *note; /* what is counted of the ops */
} nnc_convention;
const nnc_convention *nnc_convention_of(nnc_flops_convention convention);

/* FLOPs to orthogonalise one matrix: five Newton-Schulz iterations of two products of r x c by its
 * transpose and one of r x r, r <= c. Source: Jordan 2024, "Muon".   [muon] */
double nnc_muon_flops(int64_t rows, int64_t cols);

/* How many times fewer products than counted an op takes: Winograd's F(2 x 2, 3 x 3) of convolutions in fp32.
 * Source: Lavin, Gray, arXiv:1509.09308.   [conv-time] */
static inline double nnc_op_products_saved(const nnc_op *op)
{
    const nnc_conv *p = &op->u.conv;
    return op->kind == NNC_OP_CONV && op->math_dtype == NNC_FP32 && p->kernel == 3 &&
                   (p->kernel_w == 0 || p->kernel_w == 3) && p->stride == 1 && p->groups == 1
               ? 2.25
               : 1.0;
}

/* Query-key pairs of one head. window 0 = none.
 * Sources: counts by inspection; docs/formulas.md [attention-pairs] */
int64_t nnc_attention_pairs(int64_t s_q, int64_t s_k, bool causal, int64_t window);

/* Does training in this format run its layers' products in it and the rest in 16 bits?
 * fp8: arXiv:2209.05433; fp4: NVFP4, arXiv:2509.25149. */
static inline bool nnc_precision_is_narrow(nnc_dtype precision)
{
    return precision == NNC_FP8 || precision == NNC_FP4;
}

#endif
