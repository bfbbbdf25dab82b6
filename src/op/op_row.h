/* What a kind of op is: one row each, filled in by the kind's own file. */
#ifndef NNCOST_OP_OP_ROW_H
#define NNCOST_OP_OP_ROW_H

#include <stddef.h>

#include "base/derivation.h"
#include "op/work.h"

/* Forms that time an op from the fitted values of a device; cost/op_time.c has a row for each. */
#define NNC_TIMED_LIST(X)                                                      \
    X(NNC_TIMED_GEMM, "matrix product")                                        \
    X(NNC_TIMED_FLASH, "fused attention")                                      \
    X(NNC_TIMED_CONV, "convolution")                                           \
    X(NNC_TIMED_POINTWISE, "pointwise")                                        \
    X(NNC_TIMED_MAP, "pointwise, of feature maps")                             \
    X(NNC_TIMED_CAST, "cast to 8 bits, by the library of the matrix products") \
    X(NNC_TIMED_UPDATE, "optimizer update")                                    \
    X(NNC_TIMED_NETWORK, "by the links between the ranks")
#define NNC_TIMED_VALUE(name, text) name,
typedef enum nnc_timed { NNC_TIMED_LIST(NNC_TIMED_VALUE) NNC_TIMED_COUNT } nnc_timed;
#undef NNC_TIMED_VALUE

/* Over how many ranks the dims of an op divide. */
typedef struct nnc_degrees {
    int64_t tensor, context, expert;
    int64_t expert_tensor; /* tensor ranks that share each expert */
    int64_t expert_rows;   /* ranks that tokens bound for experts divide over */
    int64_t sequence;      /* context, times tensor under sequence parallelism */
    int64_t heads;         /* ranks that share the heads of one attention */
    int64_t positions;     /* ranks that share the queries of one attention */
    double imbalance;      /* rows of the busiest expert rank over the mean */
} nnc_degrees;

/* A kind with nothing to keep, to undo or to divide has one of the functions below. */
typedef struct nnc_op_row {
    const char *(*name)(const nnc_op *op); /* of the kind or its variety: "matmul", "rms_norm" */
    nnc_work (*work)(const nnc_op *op);
    double (*kept)(const nnc_op *op);
    double (*transient)(const nnc_op *op);
    void (*say)(const nnc_op *op, nnc_derivation *why); /* all three, with their formulas */
    int (*backward)(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);
    void (*shard)(nnc_op *op, const nnc_degrees *degrees);
    void (*shape)(const nnc_op *op, char *text, size_t size);
    nnc_timed timed;
    nnc_timed (*timed_of)(const nnc_op *op); /* NULL: every variety as above */
    const char *transient_what; /* its working set in backward; NULL: gradients of activations */
    bool fuses;                 /* ideal fusion hides what it moves in its neighbours */
    bool hides_ring;            /* a ring of blocks travels while it runs */
} nnc_op_row;

/* The functions of a row, made of those of the kind: KIND_work, which also names its dims, KIND_kept
 * and KIND_transient, each NNC_SAYING and with a derivation. Only a forward op keeps anything. */
#define NNC_OP_FUNCTIONS(kind)                                    \
    static nnc_work kind##_plain_work(const nnc_op *op)           \
    {                                                             \
        return kind##_work(op, NULL);                             \
    }                                                             \
    static double kind##_plain_kept(const nnc_op *op)             \
    {                                                             \
        return kind##_kept(op, NULL);                             \
    }                                                             \
    static double kind##_plain_transient(const nnc_op *op)        \
    {                                                             \
        return kind##_transient(op, NULL);                        \
    }                                                             \
    static void kind##_say(const nnc_op *op, nnc_derivation *why) \
    {                                                             \
        (void)kind##_work(op, why);                               \
        if (op->phase == NNC_PHASE_FORWARD) {                     \
            if (!nnc_op_keeps_nothing(op)) {                      \
                (void)kind##_kept(op, why);                       \
            }                                                     \
            (void)kind##_transient(op, why);                      \
        }                                                         \
    }
#define NNC_OP_MEMBERS(kind)                                                                   \
    .work = kind##_plain_work, .kept = kind##_plain_kept, .transient = kind##_plain_transient, \
    .say = kind##_say

#define NNC_OP_ROW(kind, row) extern const nnc_op_row nnc_##row##_row;
NNC_OP_KIND_LIST(NNC_OP_ROW)
#undef NNC_OP_ROW

extern const nnc_op_row *const nnc_op_rows[NNC_OP_KIND_COUNT];

static inline const nnc_op_row *nnc_op_row_of(const nnc_op *op)
{
    return nnc_op_rows[op->kind];
}

static inline nnc_timed nnc_op_timed(const nnc_op *op)
{
    const nnc_op_row *row = nnc_op_row_of(op);
    return row->timed_of != NULL ? row->timed_of(op) : row->timed;
}

int nnc_op_no_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);
/* Backward is the same op, its work told apart by its phase. */
int nnc_op_same_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]);
void nnc_op_not_sharded(nnc_op *op, const nnc_degrees *degrees);

/* What lines of all kinds mean. */
extern const char nnc_kept_note[], nnc_transient_note[];

/* value, at least 1; value * factor rounded up. */
int64_t nnc_at_least_one(int64_t value);
int64_t nnc_scaled_up(int64_t value, double factor);

#endif
