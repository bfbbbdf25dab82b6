/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of a step, as listed in an estimate. */
#ifndef NNCOST_OP_H
#define NNCOST_OP_H

#include <nncost/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NNC_PHASE_LIST(X)                                                                                    \
    X(NNC_PHASE_FORWARD, "forward")                                                                          \
    X(NNC_PHASE_BACKWARD, "backward") /* input and weight gradients together */                              \
    X(NNC_PHASE_GRAD_INPUT, "grad_input")                                                                    \
    X(NNC_PHASE_GRAD_WEIGHT, "grad_weight")                                                                  \
    X(NNC_PHASE_RECOMPUTE, "recompute")                                                                      \
    X(NNC_PHASE_COMM, "comm") /* communication once per step or micro-batch, outside forward and backward */ \
    X(NNC_PHASE_UPDATE, "update")
NNC_ENUM(nnc_phase, NNC_PHASE_LIST, NNC_PHASE_COUNT);
NNC_API const char *nnc_phase_name(nnc_phase phase);

/* The part of the network that an op belongs to; its parameters are counted in the same part. */
#define NNC_GROUP_LIST(X)                                                                    \
    X(NNC_GROUP_EMBEDDING, "embedding")                                                      \
    X(NNC_GROUP_ATTENTION, "attention")                                                      \
    X(NNC_GROUP_MLP, "mlp")                                                                  \
    X(NNC_GROUP_NORM, "norm")                                                                \
    X(NNC_GROUP_CONV, "conv")                                                                \
    X(NNC_GROUP_RESAMPLE, "resample") /* pooling, upsampling, downsampling, concatenation */ \
    X(NNC_GROUP_TIME, "time")         /* time embedding and its projections */               \
    X(NNC_GROUP_HEAD, "head")         /* logits */                                           \
    X(NNC_GROUP_LOSS, "loss")                                                                \
    X(NNC_GROUP_OPTIMIZER, "optimizer")                                                      \
    X(NNC_GROUP_NETWORK, "network")
NNC_ENUM(nnc_group, NNC_GROUP_LIST, NNC_GROUP_COUNT);
NNC_API const char *nnc_group_name(nnc_group group);

/* Kind of communication. The ranks of each kind differ in only one degree. */
#define NNC_COMM_LIST(X)             \
    X(NNC_COMM_TENSOR, "tensor")     \
    X(NNC_COMM_CONTEXT, "context")   \
    X(NNC_COMM_EXPERT, "expert")     \
    X(NNC_COMM_DATA, "data")         \
    X(NNC_COMM_PIPELINE, "pipeline") \
    X(NNC_COMM_OFFLOAD, "offload") /* transfer over the host link */
NNC_ENUM(nnc_comm, NNC_COMM_LIST, NNC_COMM_COUNT);
NNC_API const char *nnc_comm_name(nnc_comm comm);

/* One operation of the network with its dimensions; nnc_op_cost has its cost. */
typedef struct nnc_op nnc_op;

/* Work of one instance of an op. flops: executed by the matrix units; vector_flops: executed by the vector units.
 * full_flops, window_flops and causal_flops: FLOPs of the mathematics in matrix products and convolutions. full_flops
 * counts attention over all pairs, window_flops over a whole window per query, causal_flops over causal pairs. These
 * three differ from flops in attention and in padded rows. */
typedef struct nnc_work {
    double flops, vector_flops, read_bytes, write_bytes;
    double full_flops, window_flops, causal_flops;
} nnc_work;

/* Return the name of an op ("attn.qkv"), its kind ("matmul", "rms_norm", "all_reduce"), phase and group. Texts have
 * static storage. */
NNC_API const char *nnc_op_name(const nnc_op *op);
NNC_API const char *nnc_op_kind_name(const nnc_op *op);
NNC_API nnc_phase nnc_op_phase(const nnc_op *op);
NNC_API nnc_group nnc_op_group(const nnc_op *op);
/* Writes the dimensions of an op as text: "m=1024 n=4800 k=1600". The op of a gradient has the dimensions of the
 * product that computes the gradient, not the dimensions of the forward product. */
NNC_API void nnc_op_shape(const nnc_op *op, char *text, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif
