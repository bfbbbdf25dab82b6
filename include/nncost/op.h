/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of a training step, which are the rows of an estimate: names, phases, groups, FLOPs and bytes of ops. */
#ifndef NNCOST_OP_H
#define NNCOST_OP_H

#include <nncost/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NNC_PHASE_LIST(X)                                                                                  \
    X(NNC_PHASE_FORWARD, "forward")                                                                        \
    X(NNC_PHASE_BACKWARD, "backward") /* one row has the gradients of input and weights */                 \
    X(NNC_PHASE_GRAD_INPUT, "grad_input")                                                                  \
    X(NNC_PHASE_GRAD_WEIGHT, "grad_weight")                                                                \
    X(NNC_PHASE_RECOMPUTE, "recompute")                                                                    \
    X(NNC_PHASE_COMM, "comm") /* collectives outside forward and backward, once per step or micro-batch */ \
    X(NNC_PHASE_UPDATE, "update")
NNC_ENUM(nnc_phase, NNC_PHASE_LIST, NNC_PHASE_COUNT);
NNC_API const char *nnc_phase_name(nnc_phase phase);

/* Groups of ops by the part of the network to which the ops belong. The parameters of an op are included in the number
 * of parameters of its group. */
#define NNC_GROUP_LIST(X)                                                                              \
    X(NNC_GROUP_EMBEDDING, "embedding")                                                                \
    X(NNC_GROUP_ATTENTION, "attention")                                                                \
    X(NNC_GROUP_MLP, "mlp")                                                                            \
    X(NNC_GROUP_NORM, "norm")                                                                          \
    X(NNC_GROUP_CONV, "conv")                                                                          \
    X(NNC_GROUP_RESAMPLE, "resample") /* pooling, upsampling, downsampling and concatenation */        \
    X(NNC_GROUP_TIME, "time")         /* embedding of the time step in a U-Net, and its projections */ \
    X(NNC_GROUP_HEAD, "head")         /* the matrix product that computes the logits */                \
    X(NNC_GROUP_LOSS, "loss")                                                                          \
    X(NNC_GROUP_OPTIMIZER, "optimizer")                                                                \
    X(NNC_GROUP_NETWORK, "network")
NNC_ENUM(nnc_group, NNC_GROUP_LIST, NNC_GROUP_COUNT);
NNC_API const char *nnc_group_name(nnc_group group);

/* Kinds of communication. The ranks that take part in one kind of communication differ only in one kind of parallelism:
 * data communication, for example, connects ranks that have equal tensor, pipeline and context ranks. */
#define NNC_COMM_LIST(X)             \
    X(NNC_COMM_TENSOR, "tensor")     \
    X(NNC_COMM_CONTEXT, "context")   \
    X(NNC_COMM_EXPERT, "expert")     \
    X(NNC_COMM_DATA, "data")         \
    X(NNC_COMM_PIPELINE, "pipeline") \
    X(NNC_COMM_OFFLOAD, "offload") /* transfers between device memory and host memory */
NNC_ENUM(nnc_comm, NNC_COMM_LIST, NNC_COMM_COUNT);
NNC_API const char *nnc_comm_name(nnc_comm comm);

/* One op of the network with its dimensions. The struct nnc_op_cost has the times of an op. */
typedef struct nnc_op nnc_op;

/* FLOPs and bytes of one instance of an op. The matrix units execute `flops` FLOPs, and the vector units execute
 * vector_flops FLOPs. The members full_flops, window_flops and causal_flops are the FLOPs of the mathematics of matrix
 * products and convolutions. For attention, full_flops includes all query-key pairs, window_flops a full window of keys
 * for each query, and causal_flops only the pairs that a causal mask allows. `flops` differs from full_flops,
 * window_flops and causal_flops in attention and in products with padded rows. */
typedef struct nnc_work {
    double flops, vector_flops, read_bytes, write_bytes;
    double full_flops, window_flops, causal_flops;
} nnc_work;

/* These functions return texts in static storage: the name of an op ("attn.qkv"), the kind of an op ("matmul",
 * "rms_norm", "all_reduce"), the name of a phase and the name of a group. */
NNC_API const char *nnc_op_name(const nnc_op *op);
NNC_API const char *nnc_op_kind_name(const nnc_op *op);
NNC_API nnc_phase nnc_op_phase(const nnc_op *op);
NNC_API nnc_group nnc_op_group(const nnc_op *op);
/* Writes the dimensions of an op, such as "m=1024 n=4800 k=1600", to `text`, cut to `size` bytes. An op that computes a
 * gradient has the dimensions of its own product, not the dimensions of the product in forward. */
NNC_API void nnc_op_shape(const nnc_op *op, char *text, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif
