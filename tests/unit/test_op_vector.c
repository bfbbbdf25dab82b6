/* Tests FLOPs and bytes of norms, pointwise ops, embedding lookup, loss and optimizer update, counted by hand. */
#include "answers.h"

/* ---- norms ---- */

/* 4 rows of 5 elements. Per element, layer norm has 8 FLOPs forward and 14 backward, RMS norm has 4 FLOPs forward and
 * 10 FLOPs backward. */
START_TEST(norms) {
    nnc_op op = op_of(NNC_OP_NORM);
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_LAYER, .elements = 20, .rows = 4, .fused = true, .keeps_input = true };
    ck_work(nnc_op_work(&op), 0, 8 * 20, 40, 40);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 80);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 14 * 20, 80, 40);
    op.u.norm.fused = false; /* unfused layer norm passes over memory six times in forward and nine times in backward */
    ck_work(nnc_op_work(&op), 0, 14 * 20, 180, 180);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 8 * 20, 120, 120);
    op.u.norm.kind = NNC_NORM_RMS; /* unfused RMS norm: five passes */
    ck_work(nnc_op_work(&op), 0, 4 * 20, 100, 100);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 10 * 20, 150, 150);
    /* A norm by reductions. Forward has one kernel each for the mean, for the variance, and for the operations that
     * follow. Backward has one kernel each for the sums of x and dy over rows, for the sums over columns, and for all
     * other operations. */
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_LAYER, .elements = 20, .rows = 4, .fused = true, .by_reductions = true };
    ck_work(nnc_op_work(&op), 0, 14 * 20, 240, 40);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 8 * 20, 120, 40);
    op.phase = NNC_PHASE_BACKWARD;
    /* Transposed maps: forward reads and writes x and y once more; backward reads and writes dy, x and dx once more. */
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_GROUP, .elements = 20, .rows = 4, .fused = true, .turned = true };
    ck_work(nnc_op_work(&op), 0, 14 * 20, 80 + 120, 40 + 120);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 8 * 20, 40 + 80, 40 + 80);
    op.phase = NNC_PHASE_BACKWARD;
    /* Batch norm computes the statistics of a channel from the whole batch, so x is read twice. */
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_BATCH, .elements = 20, .rows = 4, .fused = true };
    ck_work(nnc_op_work(&op), 0, 14 * 20, 160, 40);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 8 * 20, 80, 40);
    /* A group of at most 65536 elements stays on the chip. */
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_GROUP, .elements = 65536, .rows = 1, .fused = true };
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, 131072);
    op.u.norm.elements = 2 * 65537;
    op.u.norm.rows = 2;
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, 2 * 2 * 131074);
}
END_TEST

/* 4 rows of 5 elements in bf16: the input has 40 B, its fp32 copy 80 B. Layer norm keeps two fp32 statistics per row,
 * RMS norm one. The eager program keeps the fp32 copy, its square, the statistic and the normalised value. */
START_TEST(norms_keep) {
    nnc_op op = op_of(NNC_OP_NORM);
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_LAYER, .elements = 20, .rows = 4, .fused = true, .keeps_input = true };
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 40 + 32);
    op.u.norm.keep = NNC_KEEP_UPCAST;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 80 + 32);
    op.u.norm.kind = NNC_NORM_RMS;
    op.u.norm.keep = NNC_KEEP_EAGER;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 80 + 80 + 16 + 40);
    op.dtype = NNC_FP32; /* fp32 needs no copy; the normalised value has twice as many bytes */
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 80 + 80 + 16 + 80);
    op.u.norm.keep = NNC_KEEP_UPCAST;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 80 + 16);
    op.u.norm.keep = NNC_KEEP_FUSED;
    op.u.norm.keeps_input = false;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 16);
}
END_TEST

/* ---- pointwise ---- */

/* A cast before a product that is divided by columns: forward reads the whole input of the rank, backward the rank's
 * part of the gradient of the output. Before a product that is divided by rows, forward reads the rank's part of the
 * input, and backward reads the whole gradient of the output. Pointwise ops that are no casts process the tokens or
 * columns of their rank. */
START_TEST(casts_of_a_rank) {
    static const struct {
        nnc_split split;
        nnc_pointwise_kind kind;
        int64_t forward, backward;
    } cases[] = { { NNC_SPLIT_COLUMN, NNC_PW_CAST, 3, 12 },     { NNC_SPLIT_QKV, NNC_PW_CAST, 3, 12 },
                  { NNC_SPLIT_ROW, NNC_PW_CAST, 12, 3 },        { NNC_SPLIT_EXPERT_COLUMN, NNC_PW_CAST, 5, 10 },
                  { NNC_SPLIT_EXPERT_ROW, NNC_PW_CAST, 10, 5 }, { NNC_SPLIT_COLUMN, NNC_PW_GELU, 3, 3 },
                  { NNC_SPLIT_INNER, NNC_PW_GELU, 12, 12 },     { NNC_SPLIT_SEQUENCE, NNC_PW_GELU, 6, 6 },
                  { NNC_SPLIT_TOKENS, NNC_PW_GELU, 3, 3 } };
    const nnc_degrees degrees = {
        .tensor = 4, .context = 3, .expert = 1, .expert_tensor = 2, .expert_rows = 5, .sequence = 6, .imbalance = 1.5
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_op op = op_of(NNC_OP_POINTWISE);
        op.split = cases[i].split;
        op.u.pointwise =
            (nnc_pointwise){ .kind = cases[i].kind, .elements = 120, .input_elements = 240, .backward_elements = 360 };
        nnc_op_rows[NNC_OP_POINTWISE]->shard(&op, &degrees);
        ck_assert_int_eq(op.u.pointwise.elements, 120 / cases[i].forward);
        ck_assert_int_eq(op.u.pointwise.input_elements, 240 / cases[i].forward);
        ck_assert_int_eq(op.u.pointwise.backward_elements, 360 / cases[i].backward);
    }
}
END_TEST

/* Each row has numbers per output element of 4 B, worked by hand, first for forward and then for backward: the FLOPs,
 * the bytes that one fused kernel moves, and the bytes that separate kernels move, one per primitive. kept: number of
 * kept input elements per output element. With 4 B, a quarter of an element is a whole number of bytes. */
static const struct {
    nnc_pointwise_kind kind;
    double flops[2], fused[2], unfused[2], kept, mask;
} examples[] = {
    /* y = f(x). Forward reads x and writes y, 8 B. Backward reads x (or y) and dy and writes dx, 12 B. */
    { NNC_PW_RELU, { 1, 1 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    { NNC_PW_SILU, { 4, 7 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    { NNC_PW_SIGMOID, { 3, 3 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    { NNC_PW_TANH, { 4, 3 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    { NNC_PW_HARD_SIGMOID, { 3, 2 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    { NNC_PW_HARD_SWISH, { 4, 4 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    /* Unfused, forward has eight primitives of 8 B; backward has eight primitives with two inputs, which move 12 B
     * each. */
    { NNC_PW_GELU, { 8, 13 }, { 8, 12 }, { 64, 96 }, 1, 0 },
    /* Unfused, forward has a maximum and a square, 2 x 8 B. Backward has a product with dy (12 B) and a product with
     * the constant 2 (8 B). */
    { NNC_PW_RELU2, { 2, 3 }, { 8, 12 }, { 16, 20 }, 1, 0 },
    /* Unfused, backward has a product (8 B), and a sum of dy times x over the row, which reads dy and x (8 B). */
    { NNC_PW_SCALE, { 1, 3 }, { 8, 12 }, { 8, 16 }, 1, 0 },
    /* Unfused, forward has three kernels of 8 B. Unfused, backward reads one more input than forward: 3 x 8 + 4 B. */
    { NNC_PW_SOFTCAP, { 3, 4 }, { 8, 12 }, { 24, 28 }, 1, 0 },
    { NNC_PW_SOFTMAX, { 5, 4 }, { 8, 12 }, { 24, 28 }, 1, 0 },
    /* Forward reads two tensors and writes one. Backward reads three tensors and writes two tensors. Unfused, backward
     * has two products of two inputs. */
    { NNC_PW_MUL, { 1, 2 }, { 12, 20 }, { 12, 24 }, 2, 0 },
    /* Fused, SwiGLU and GEGLU move the same bytes as a product. Unfused, forward has the activation (8 B) and the
     * product (12 B). Unfused, backward has three kernels, which move 12, 8 and 12 B. */
    { NNC_PW_SWIGLU, { 5, 10 }, { 12, 20 }, { 20, 32 }, 2, 0 },
    { NNC_PW_GEGLU, { 6, 12 }, { 12, 20 }, { 20, 32 }, 2, 0 },
    /* Forward reads one tensor and writes one. Backward reads dy for the sum over rows; dx is the same tensor as dy. */
    { NNC_PW_BIAS, { 1, 1 }, { 8, 4 }, { 8, 4 }, 1, 0 },
    { NNC_PW_POSITION_ADD, { 1, 1 }, { 8, 4 }, { 8, 4 }, 1, 0 },
    { NNC_PW_TIME_ADD, { 1, 1 }, { 8, 4 }, { 8, 4 }, 1, 0 },
    /* Forward and backward read one tensor and write one. A mask of 1 B is written forward and read backward. */
    { NNC_PW_DROPOUT, { 1, 1 }, { 9, 9 }, { 9, 9 }, 1, 1 },
    { NNC_PW_SCALE_MASK, { 2, 1 }, { 8, 8 }, { 8, 8 }, 1, 0 },
    /* Fused into the next norm, the sum adds 8 B forward and 4 B backward. Unfused, forward and backward read two
     * tensors and write one. */
    { NNC_PW_RESIDUAL, { 1, 1 }, { 8, 4 }, { 12, 12 }, 1, 0 },
    /* Fused, forward reads x and the residual stream, and writes the sum and the mask: 13 B; backward moves the mask
     * and 8 B. Unfused, forward moves 8 B for the bias, 9 B for the dropout and 12 B for the sum. Unfused, backward
     * moves 8 B for the sum, 9 B for the dropout and 4 B for the bias. */
    { NNC_PW_BIAS_DROPOUT_RESIDUAL, { 3, 2 }, { 13, 9 }, { 29, 21 }, 1, 1 },
    /* Unfused, a swap of halves moves 8 B and two products move 16 B. */
    { NNC_PW_ROTARY, { 3, 3 }, { 8, 8 }, { 24, 24 }, 1, 0 },
    /* The output is only written. */
    { NNC_PW_TIMESTEP, { 2, 0 }, { 4, 0 }, { 4, 0 }, 0, 0 },
    /* 2x2 windows: forward reads four values and writes one value and an index of 8 B. Backward reads one value and the
     * index, and writes four values. */
    { NNC_PW_MAX_POOL, { 4, 1 }, { 28, 28 }, { 28, 28 }, 4, 8 },
    /* The row of max-pooling over any window counts only the output and its index; the test pools_of_any_window counts
     * the input. */
    { NNC_PW_MAX_POOL2D, { 0, 1 }, { 12, 12 }, { 12, 12 }, 1, 8 },
    { NNC_PW_AVG_POOL2D, { 1, 1 }, { 4, 4 }, { 4, 4 }, 1, 0 },
    { NNC_PW_RESIZE, { 1, 0 }, { 4, 4 }, { 4, 4 }, 1, 0 },
    /* Forward reads one value for each four that it writes. Backward does the reverse. */
    { NNC_PW_UPSAMPLE_NEAREST, { 0, 1 }, { 5, 5 }, { 5, 5 }, 0.25, 0 },
    { NNC_PW_UPSAMPLE_BILINEAR, { 7, 7 }, { 5, 5 }, { 5, 5 }, 0.25, 0 },
    /* Copies have no FLOPs. Backward of a concatenation makes two views and copies nothing. Backward of a split is a
     * concatenation. */
    { NNC_PW_CONCAT, { 0, 0 }, { 8, 0 }, { 8, 0 }, 1, 0 },
    { NNC_PW_COPY, { 0, 0 }, { 8, 8 }, { 8, 8 }, 1, 0 },
    { NNC_PW_HALVES, { 0, 0 }, { 0, 8 }, { 0, 8 }, 1, 0 },
    /* The row of NNC_PW_BY_HEADS counts the joined tensor; the test parts_by_heads counts the parts. */
    { NNC_PW_BY_HEADS, { 0, 0 }, { 4, 4 }, { 4, 4 }, 0, 0 },
    /* Forward reads 4 B and writes 2 B, backward reads 2 B and writes 4 B. If the gradients are copied to one buffer
     * and cast there, backward has three kernels, which move 6, 8 and 6 B. */
    { NNC_PW_CAST_WEIGHTS, { 0, 0 }, { 6, 6 }, { 6, 20 }, 0, 0 },
    /* Fused, forward moves no bytes and backward reads 4 B. Unfused, forward moves 28 B and backward 40 B per 16-bit
     * value. */
    { NNC_PW_EXPERT_BIAS, { 2, 4 }, { 0, 4 }, { 56, 80 }, 0, 0 },
    /* Clamps two halves and joins them: forward reads two tensors and writes two; backward also reads the gradient. */
    { NNC_PW_CLAMP, { 1, 1 }, { 16, 20 }, { 16, 20 }, 1, 0 },
    /* Forward and backward read 4 B and write 1 B. */
    { NNC_PW_CAST, { 2, 2 }, { 5, 5 }, { 5, 5 }, 1, 1 },
    /* The row of NNC_PW_DEQUANTIZE counts only the written weights, because the stored weights are the input of the
     * op. */
    { NNC_PW_DEQUANTIZE, { 1, 0 }, { 4, 0 }, { 4, 0 }, 0, 0 },
    /* The rows of dispatch and combine count the copies; the test dispatch_and_combine counts the tokens. */
    { NNC_PW_DISPATCH, { 0, 1 }, { 4, 4 }, { 4, 4 }, 0, 0 },
    { NNC_PW_SUM_COPIES, { 0, 0 }, { 4, 4 }, { 4, 4 }, 0, 0 },
    { NNC_PW_COMBINE, { 0, 0 }, { 4, 4 }, { 4, 4 }, 0, 0 },
    /* Reads an fp32 value and a 16-bit value, and writes an fp32 value. */
    { NNC_PW_MERGE, { 3, 1 }, { 10, 10 }, { 10, 10 }, 1, 0 },
};

#define ck_example(found, per_element, what)                                      \
    ck_assert_msg((found) == 12 * (per_element), "%s: %s: expected %g, found %g", \
                  nnc_pointwise_kind_name(op.u.pointwise.kind), what, 12 * (double)(per_element), (double)(found))

START_TEST(pointwise) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.dtype = NNC_FP32;
    op.u.pointwise = (nnc_pointwise){ .kind = examples[_i].kind, .elements = 12 };
    for (int backward = 0; backward < 2; backward++) {
        op.phase = backward != 0 ? NNC_PHASE_BACKWARD : NNC_PHASE_FORWARD;
        op.u.pointwise.fused = true;
        const nnc_work fused = nnc_op_work(&op);
        op.u.pointwise.fused = false;
        const nnc_work unfused = nnc_op_work(&op);
        ck_assert_double_eq(fused.flops, 0);
        ck_example(fused.vector_flops, examples[_i].flops[backward], "FLOPs");
        ck_example(bytes_of(&fused), examples[_i].fused[backward], "bytes in one kernel");
        ck_example(bytes_of(&unfused), examples[_i].unfused[backward], "bytes, unfused");
    }
    ck_example(nnc_op_kept_bytes(&op), 0, "kept");
    op.u.pointwise.keeps_input = true;
    ck_example(nnc_op_kept_bytes(&op), 4 * examples[_i].kept, "kept input");
    op.u.pointwise.keeps_mask = true;
    ck_example(nnc_op_kept_bytes(&op), 4 * examples[_i].kept + examples[_i].mask, "kept mask");
    op.u.pointwise.keeps_input = op.u.pointwise.keeps_mask = false;
    op.u.pointwise.keeps_output = true;
    op.u.pointwise.extra_kept_bytes = 7 * 12;
    ck_example(nnc_op_kept_bytes(&op), 4 + 7, "kept output");
}
END_TEST

START_TEST(every_pointwise_kind_has_an_example) {
    for (int kind = 0; kind < NNC_PW_KIND_COUNT; kind++) {
        size_t i = 0;
        while (i < COUNT_OF(examples) && (int)examples[i].kind != kind) { i++; }
        ck_assert_msg(i < COUNT_OF(examples), "%s: expected a worked example, found none",
                      nnc_pointwise_kind_name((nnc_pointwise_kind)kind));
    }
}
END_TEST

/* In backward, a product reads the gradient of its output in 8 bits. The cast of this gradient to 8 bits has as many
 * elements as the output of the product. */
START_TEST(cast_backward_has_its_own_size) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_CAST, .elements = 10, .backward_elements = 30 };
    ck_work(nnc_op_work(&op), 0, 20, 20, 10);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 60, 60, 30);
}
END_TEST

/* 12 elements of 2 B. In a softmax by reductions, the maximum and the sum read the elements once each, and the quotient
 * reads and writes them. In backward, one kernel reads two tensors for the sum of products over a row, and a second
 * kernel also reads two tensors. Random numbers have 4 B. */
START_TEST(sums_and_random_numbers_apart) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_SOFTMAX, .elements = 12, .fused = true, .by_reductions = true };
    ck_work(nnc_op_work(&op), 0, 5 * 12, 3 * 24, 24);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 4 * 12, 4 * 24, 24);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_DROPOUT, .elements = 12, .fused = true, .random_written = true };
    ck_work(nnc_op_work(&op), 0, 12, 24 + 12, 24); /* the read bytes include a mask of 12 B */
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 12, 24 + 48, 24 + 12 + 48);
}
END_TEST

/* Pooling turns 36 values into 9, at 2 B per value. Forward reads each value once; backward reads 9 gradients and
 * writes 36. Max pooling writes an index of 8 B per output, and has one comparison per input. Mean pooling has one
 * addition per input, and 9 divisions. */
START_TEST(pools_of_any_window) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_MAX_POOL2D, .elements = 9, .input_elements = 36, .fused = true };
    ck_work(nnc_op_work(&op), 0, 36, 72, 18 + 72);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 9, 18 + 72, 72);
    op.u.pointwise.kind = NNC_PW_AVG_POOL2D;
    ck_work(nnc_op_work(&op), 0, 9 + 36, 18, 72);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 9 + 36, 72, 18);
}
END_TEST

/* The test has 3 tokens of width 4, with two copies each. Dispatch reads rows and writes copies; its backward adds the
 * copies up. Combine adds copies forward and writes them backward. */
START_TEST(dispatch_and_combine) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_DISPATCH, .elements = 24, .input_elements = 12 };
    ck_work(nnc_op_work(&op), 0, 0, 24, 48);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 24, 48, 24);
    op.phase = NNC_PHASE_FORWARD;
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_COMBINE, .elements = 12, .input_elements = 24 };
    ck_work(nnc_op_work(&op), 0, 48, 48, 24);
    /* backward multiplies the gradient by the weight of each copy, and computes the gradient of each weight by a dot
     * product */
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 72, 24 + 48, 48);
    /* the copies already have their weights, so backward gives each copy the same gradient */
    op.u.pointwise.kind = NNC_PW_SUM_COPIES;
    ck_work(nnc_op_work(&op), 0, 0, 24, 48);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 24, 48, 24);
}
END_TEST

/* 3 rows of 2 heads, 2 B per value. Each head reads 4 values of keys and values; it writes 5, because each head gets a
 * copy of the rotated value. */
START_TEST(parts_by_heads) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_BY_HEADS, .elements = 30, .input_elements = 24 };
    ck_work(nnc_op_work(&op), 0, 0, 48, 60);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 0, 60, 48);
}
END_TEST

/* SwiGLU of 6 values whose rows have weights, the scores of the router. For the gradient of the input, backward reads
 * the gate, the second input and the gradient of the output. For the gradient of the scores, backward reads the three
 * tensors again: 2 x 3 x 12 B. */
START_TEST(scores_cost_a_second_read) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_SWIGLU, .elements = 6, .fused = true, .weighted = true };
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, 24);
    op.phase = NNC_PHASE_BACKWARD;
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, 72);
    ck_assert_double_eq(nnc_op_work(&op).write_bytes, 24);
}
END_TEST

/* ---- lookup, loss, update ---- */

/* 3 tokens of width 4: ids have 24 B, rows 24 B. Backward adds gradients to fp32 rows. */
START_TEST(embedding) {
    nnc_op op = op_of(NNC_OP_EMBEDDING);
    op.u.embedding = (nnc_embedding){ .tokens = 3, .width = 4 };
    op.grad_bytes = 4;
    ck_work(nnc_op_work(&op), 0, 0, 24 + 24, 24);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 24);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 12, 24 + 48 + 24, 48);
}
END_TEST

/* 3 tokens of 5 classes in bf16. The unfused loss moves 28 B per logit: forward has a cast (reads 2 B, writes 4 B) and
 * a log-softmax (reads 4 B, writes 4 B); backward reads 4 + 4 B for its gradient and writes 4 B, and a cast writes 2
 * B. */
START_TEST(loss) {
    nnc_op op = op_of(NNC_OP_LOSS);
    op.u.loss = (nnc_loss){ .tokens = 3, .classes = 5, .fused = true };
    ck_work(nnc_op_work(&op), 0, 75, 30, 0);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 30);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 0);
    op.u.loss.keep = NNC_LOSS_KEEPS_FP32;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 60);
    /* transient bytes: logits, their fp32 copy and the fp32 probabilities, minus the kept bytes */
    op.u.loss.fused = false;
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 15 * (2 + 4 + 4) - 60);
    ck_work(nnc_op_work(&op), 0, 75, 15 * 6, 15 * 8);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 30, 15 * 8, 15 * 6);
    op.u.loss.split = true; /* a split loss has the same work if the ranks do not divide the classes */
    ck_work(nnc_op_work(&op), 0, 30, 15 * 8, 15 * 6);
    /* read and written bytes: exp (4, 4), sum (8, 4), product (4, 4), cast (4, 2), zeros (0, 4) */
    op.u.loss.divided = true;
    ck_work(nnc_op_work(&op), 0, 30, 15 * 20, 15 * 18);
    /* read and written bytes: cast (2, 4), maximum (4, 0), difference (4, 4), exp (4, 4), sum (4, 0), difference (4,
     * 4) */
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 75, 15 * 22, 15 * 16);
    /* four fp32 tensors of the size of the logits; one of them is kept, so it is not transient */
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 15 * 16 - 60);
    op.phase = NNC_PHASE_BACKWARD;
    op.u.loss.fused = true;
    ck_work(nnc_op_work(&op), 0, 30, 30, 30);
    op.u.loss.squared_error = true; /* forward reads prediction and target; backward also writes a gradient */
    ck_work(nnc_op_work(&op), 0, 30, 60, 30);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 45, 60, 0);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 0);
}
END_TEST

/* In Liger-Kernel, 16,384 tokens, width 4,096 and 32,000 words make 32,000 / 4,096 = 8 chunks of 2,048 rows. In bf16
 * the logits of a chunk take 131,072,000 B, and the gradient of the input takes 134,217,728 B. Source:
 * ops/fused_linear_cross_entropy.py of https://github.com/linkedin/Liger-Kernel. */
START_TEST(chunked_loss) {
    nnc_op logits = op_of(NNC_OP_MATMUL), last = op_of(NNC_OP_LOSS);
    logits.u.matmul = (nnc_matmul){ .batch = 1, .m = 16384, .n = 32000, .k = 4096, .b_shared = 1 };
    ck_assert_double_eq(nnc_op_transient_bytes(&logits), 1048576000 + 134217728);
    logits.u.matmul.chunks = 8;
    ck_assert_double_eq(nnc_op_transient_bytes(&logits), 131072000 + 134217728);
    last.u.loss = (nnc_loss){ .tokens = 16384, .classes = 32000, .fused = true, .keep = NNC_LOSS_KEEPS_CHUNKS };
    ck_assert_double_eq(nnc_op_kept_bytes(&last), 0);
    ck_assert_double_eq(nnc_op_transient_bytes(&last), 0);
}
END_TEST

/* 6 lookups of width 4 in fp32 rows that are updated in place. Each output is the sum of 3 rows, in bf16: 2 outputs, (6
 * - 2) * 4 additions. Ids have 8 B. Backward reads 2 gradients, reads and writes 6 rows, and has two operations per
 * value. */
START_TEST(tables) {
    nnc_op op = op_of(NNC_OP_EMBEDDING);
    op.in_place = true;
    op.u.embedding = (nnc_embedding){ .tokens = 6, .summed = 3, .width = 4 };
    ck_work(nnc_op_work(&op), 0, 16, 6 * (16 + 8), 2 * 4 * 2);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 6 * 8);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 0);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 2 * 24, 2 * 4 * 2 + 6 * (16 + 8), 6 * 16);
}
END_TEST

/* A group norm in fp32 of 20 values of 16 bits. Forward reads 4 B and writes 4 B per value; backward reads 8 B. The
 * casts before and after the norm read 2 + 4 B and write 4 + 2 B per value. Values in fp32 need no cast. */
START_TEST(group_norms_cast) {
    nnc_op op = op_of(NNC_OP_NORM);
    op.u.norm = (nnc_norm){
        .kind = NNC_NORM_GROUP, .elements = 20, .rows = 4, .fused = true, .keep = NNC_KEEP_UPCAST, .keeps_input = true
    };
    ck_work(nnc_op_work(&op), 0, 8 * 20, 20 * (4 + 6), 20 * (4 + 6));
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 14 * 20, 20 * (8 + 6), 20 * (4 + 6));
    op.dtype = NNC_FP32;
    ck_work(nnc_op_work(&op), 0, 14 * 20, 160, 80);
    op.dtype = NNC_BF16;
    op.u.norm.kind = NNC_NORM_LAYER; /* the kernel of layer norm contains the cast */
    ck_work(nnc_op_work(&op), 0, 14 * 20, 80, 40);
}
END_TEST

/* An input that is kept in 8 bits takes 1 B per value; any other kept input takes 2 B per value. SwiGLU of 12 values
 * has 2 x 12 inputs. A recomputed output is in memory at the same time as the gradients of output and inputs. */
START_TEST(inputs_in_8_bits) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_SWIGLU, .elements = 12, .keeps_input = true, .keeps_8bit = true };
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 24);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 2 * (12 + 24));
    op.recomputed = true;
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 2 * (12 + 24 + 12));
    op.u.pointwise.keeps_8bit = false;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 48);
}
END_TEST

/* A dequantization of 240 weights. Ranks that divide only tokens convert all weights, 4 tensor ranks convert a quarter
 * each, and 5 expert ranks with 2 tensor ranks each convert the weights of their experts. The busiest of 5 expert ranks
 * has 1.5 times the mean number of tokens: of the 240 values of an activation, a mean rank has 20 and the busiest rank
 * 30. */
START_TEST(weights_and_busy_ranks) {
    static const struct {
        nnc_split split;
        int64_t weights;
    } cases[] = { { NNC_SPLIT_TOKENS, 240 }, { NNC_SPLIT_SEQUENCE, 240 }, { NNC_SPLIT_COLUMN, 60 },
                  { NNC_SPLIT_ROW, 60 },     { NNC_SPLIT_QKV, 60 },       { NNC_SPLIT_EXPERT_INNER, 24 } };
    const nnc_degrees degrees = {
        .tensor = 4, .context = 3, .expert = 5, .expert_tensor = 2, .expert_rows = 5, .sequence = 12, .imbalance = 1.5
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_op op = op_of(NNC_OP_POINTWISE);
        op.split = cases[i].split;
        op.weights.vector = 8;
        op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_DEQUANTIZE, .elements = 240, .extra_kept_bytes = 480 };
        nnc_op_rows[NNC_OP_POINTWISE]->shard(&op, &degrees);
        ck_assert_int_eq(op.u.pointwise.elements, cases[i].weights);
        ck_assert_double_eq(op.u.pointwise.extra_kept_bytes, 2.0 * (double)cases[i].weights);
        ck_assert_int_eq(op.weights.vector, 8);
    }
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.split = NNC_SPLIT_EXPERT_INNER;
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_SWIGLU, .elements = 240, .input_elements = 480 };
    nnc_op_rows[NNC_OP_POINTWISE]->shard(&op, &degrees);
    ck_assert_int_eq(op.u.pointwise.elements, 30);
    ck_assert_int_eq(op.u.pointwise.input_elements, 40);
    op = op_of(NNC_OP_POINTWISE);
    op.split = NNC_SPLIT_HEADS; /* the op has one sink for each of 8 heads */
    op.weights.vector = 8;
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_SOFTMAX, .elements = 240 };
    nnc_op_rows[NNC_OP_POINTWISE]->shard(&op, &degrees);
    ck_assert_int_eq(op.weights.vector, 2);
}
END_TEST

static nnc_op update(nnc_optimizer optimizer, nnc_policy policy, bool fused) {
    nnc_op op = op_of(NNC_OP_UPDATE);
    op.phase = NNC_PHASE_UPDATE;
    op.u.update = (nnc_update){ .optimizer = optimizer,
                                .policy = policy,
                                .fused = fused,
                                .params = 100,
                                .matrix_params = 60,
                                .factored_elements = 30 };
    return op;
}

/* Expected FLOPs and bytes of one fused update of 100 parameters; 60 of them are in matrices, and 30 elements are
 * factored. The bytes count each read and each write of the gradient, the weight and the states of the optimizer. */
START_TEST(update_steps) {
    static const struct {
        nnc_optimizer optimizer;
        nnc_policy policy;
        double flops, bytes;
    } steps[] = {
        { NNC_OPTIMIZER_SGD, NNC_POLICY_FP32, 200, 1200 },
        { NNC_OPTIMIZER_MOMENTUM, NNC_POLICY_FP32, 400, 2000 },
        { NNC_OPTIMIZER_ADAM, NNC_POLICY_FP32, 1400, 2800 },
        { NNC_OPTIMIZER_ADAMW, NNC_POLICY_MIXED, 1600, 2800 },
        { NNC_OPTIMIZER_ADAM, NNC_POLICY_MIXED_FP32GRAD, 1400, 3000 },
        { NNC_OPTIMIZER_RMSPROP, NNC_POLICY_FP32, 900, 2000 },
        { NNC_OPTIMIZER_LION, NNC_POLICY_FP32, 800, 2000 },
        { NNC_OPTIMIZER_ADAM, NNC_POLICY_BF16_PURE, 1400, 100 * (2 + 2 + 2 + 4 * 2) },
        /* Adafactor reads the gradient twice, and reads and writes the weight, the row statistics and the column
         * statistics */
        { NNC_OPTIMIZER_ADAFACTOR, NNC_POLICY_FP32, 1400, 100 * (4 + 4 + 4 + 4) + 2 * 4 * 30 },
        { NNC_OPTIMIZER_ADAM8BIT, NNC_POLICY_FP32, 2400, 100 * (12 + 2 * 2.03125) },
        { NNC_OPTIMIZER_ADAM4BIT, NNC_POLICY_FP32, 2400, 100 * (12 + 2 * 1.0625) },
        { NNC_OPTIMIZER_ADAM_MINI, NNC_POLICY_FP32, 1200, 2000 },
        /* LAMB moves 28 B per parameter as Adam does, then writes and reads the direction and reads the weight:
         * arXiv:1904.00962 */
        { NNC_OPTIMIZER_LAMB, NNC_POLICY_FP32, 2200, 2800 + 100 * (4 + 4 + 4) },
        /* LARS moves 20 B per parameter as momentum does, then reads weight and gradient: arXiv:1708.03888 */
        { NNC_OPTIMIZER_LARS, NNC_POLICY_FP32, 1000, 2000 + 100 * (4 + 4) },
        { NNC_OPTIMIZER_LARS, NNC_POLICY_MIXED, 1000, 2000 + 100 * (4 + 2) },
        /* Muon has one moment for 60 parameters and two for 40; five iterations make four passes of 2 B over the 60
         * parameters */
        { NNC_OPTIMIZER_MUON, NNC_POLICY_FP32, 400, 1200 + 2 * 4 * (60 + 80) + 5 * 4 * 2 * 60 },
    };
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        const nnc_op op = update(steps[i].optimizer, steps[i].policy, true);
        const nnc_work work = nnc_op_work(&op);
        ck_assert_double_eq(work.vector_flops, steps[i].flops);
        ck_assert_double_eq_tol(bytes_of(&work), steps[i].bytes, 1e-9);
    }
    /* GaLore and APOLLO: 60 of 100 parameters are projected to rank 2, and the projections have 23 rows and columns in
     * all. The moments are 2 * 23 values of 4 B, and 80 values of 4 B for the 40 parameters that are not projected. A
     * fused kernel reads and writes the moments, and moves 12 B of gradient and weight per parameter. Over the 40
     * parameters that are not projected, GaLore makes 13 passes of 4 B more than a fused kernel, and APOLLO makes 9
     * passes more. GaLore has 4 FLOPs per rank and projected parameter, APOLLO 2. */
    for (int i = 0; i < 2; i++) {
        nnc_op op = update(i == 0 ? NNC_OPTIMIZER_GALORE : NNC_OPTIMIZER_APOLLO, NNC_POLICY_FP32, true);
        op.u.update.projected_params = 60;
        op.u.update.projected_elements = 2 * 23;
        op.u.update.projected_products = 2 * 60;
        const nnc_work work = nnc_op_work(&op);
        ck_assert_double_eq(nnc_update_moment_bytes(&op.u.update), 4 * (2 * 23 + 80));
        ck_assert_double_eq(work.flops, (i == 0 ? 4 : 2) * 2 * 60);
        ck_assert_double_eq_tol(bytes_of(&work), 1200 + 2 * 4 * (46 + 80) + (i == 0 ? 13 : 9) * 4 * 40, 1e-9);
    }
    /* An unfused AdamW passes over memory twenty times, one time per primitive, with 4 B per parameter. */
    const nnc_op unfused = update(NNC_OPTIMIZER_ADAMW, NNC_POLICY_FP32, false);
    const nnc_work work = nnc_op_work(&unfused);
    ck_assert_double_eq_tol(bytes_of(&work), 8000, 1e-9);
    /* With weights and moments of 2 B, the unfused update moves half as many bytes. */
    const nnc_op narrow = update(NNC_OPTIMIZER_ADAMW, NNC_POLICY_BF16_PURE, false);
    const nnc_work half = nnc_op_work(&narrow);
    ck_assert_double_eq_tol(bytes_of(&half), 4000, 1e-9);
    /* With a master copy, the gradient of 2 B is cast to 4 B, the master copy is read, and the weight of 2 B is
     * written. */
    const nnc_op mixed = update(NNC_OPTIMIZER_ADAMW, NNC_POLICY_MIXED, false);
    const nnc_work cast = nnc_op_work(&mixed);
    ck_assert_double_eq_tol(cast.read_bytes, 0.6 * 8000 + 100 * (2 + 4), 1e-9);
    ck_assert_double_eq_tol(cast.write_bytes, 0.4 * 8000 + 100 * (4 + 2), 1e-9);
    ck_assert_double_eq(nnc_optimizer_list_kernels(NNC_OPTIMIZER_ADAMW), 8);
    ck_assert_double_eq(nnc_optimizer_list_bytes(NNC_OPTIMIZER_ADAMW, NNC_POLICY_BF16_PURE), 2);
    ck_assert_double_eq(nnc_optimizer_list_bytes(NNC_OPTIMIZER_MOMENTUM, NNC_POLICY_FP32), 0);
}
END_TEST

/* Clipping reads 100 gradients of 4 B; unfused clipping also scales them. Zeroing writes them. The gradients of three
 * passes in bf16 are added to fp32 sums: 6 B read, 4 B written per gradient. */
START_TEST(update_others) {
    nnc_op op = update(NNC_OPTIMIZER_ADAMW, NNC_POLICY_FP32, true);
    op.u.update.kind = NNC_UPDATE_CLIP;
    ck_work(nnc_op_work(&op), 0, 200, 400, 0);
    op.u.update.fused = false;
    ck_work(nnc_op_work(&op), 0, 300, 800, 400);
    op.u.update.kind = NNC_UPDATE_ZERO;
    ck_work(nnc_op_work(&op), 0, 0, 0, 400);
    op.u.update.kind = NNC_UPDATE_ADD;
    op.u.update.policy = NNC_POLICY_MIXED_FP32GRAD;
    op.u.update.passes = 3;
    ck_work(nnc_op_work(&op), 0, 300, 1800, 1200);
    nnc_op backward[NNC_BACKWARD_MAX];
    ck_assert_int_eq(nnc_op_backward(&op, backward), 0);
}
END_TEST

/* One iteration of Muon on a 2x3 matrix X has three products: X X^T of 2*2*2*3 FLOPs, its square of 2*2*2*2, and the
 * product with X of 2*2*2*3. There are five iterations. Muon on a 3x2 matrix has as many FLOPs as on a 2x3 matrix. */
START_TEST(muon) {
    ck_assert_double_eq(nnc_muon_flops(2, 3), 5 * (24 + 16 + 24));
    ck_assert_double_eq(nnc_muon_flops(3, 2), nnc_muon_flops(2, 3));
}
END_TEST

int main(void) {
    const TTest *const tests[] = { norms,
                                   norms_keep,
                                   sums_and_random_numbers_apart,
                                   casts_of_a_rank,
                                   cast_backward_has_its_own_size,
                                   dispatch_and_combine,
                                   parts_by_heads,
                                   scores_cost_a_second_read,
                                   embedding,
                                   loss,
                                   chunked_loss,
                                   tables,
                                   group_norms_cast,
                                   inputs_in_8_bits,
                                   weights_and_busy_ranks,
                                   update_steps,
                                   update_others,
                                   muon };
    Suite *suite = suite_create("op_vector");
    TCase *tcase = add_case(suite, "op_vector", NULL, NULL);
    for (size_t i = 0; i < COUNT_OF(tests); i++) { tcase_add_test(tcase, tests[i]); }
    tcase_add_loop_test(tcase, pointwise, 0, (int)COUNT_OF(examples));
    tcase_add_test(tcase, every_pointwise_kind_has_an_example);
    tcase_add_test(tcase, pools_of_any_window);
    return run_suite(suite);
}
