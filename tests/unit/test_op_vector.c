/* Tests FLOPs and bytes of norms, pointwise ops, embedding lookup, loss and optimizer update, counted by hand. */
#include "answers.h"

/* ---- norms ---- */

/* 4 rows of 5 elements. Layer norm 8 FLOPs an element forward, 14 backward; RMS 4 and 10. */
START_TEST(norms) {
    nnc_op op = op_of(NNC_OP_NORM);
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_LAYER, .elements = 20, .rows = 4, .fused = true, .keeps_input = true };
    ck_work(nnc_op_work(&op), 0, 8 * 20, 40, 40);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 80);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 14 * 20, 80, 40);
    op.u.norm.fused = false; /* six passes, and nine back */
    ck_work(nnc_op_work(&op), 0, 14 * 20, 180, 180);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 8 * 20, 120, 120);
    op.u.norm.kind = NNC_NORM_RMS; /* five */
    ck_work(nnc_op_work(&op), 0, 4 * 20, 100, 100);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 10 * 20, 150, 150);
    /* One kernel each for mean, variance and the rest; backward one each for the sums over rows and
     * over columns, of x and dy, and for the rest. */
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_LAYER, .elements = 20, .rows = 4, .fused = true, .by_reductions = true };
    ck_work(nnc_op_work(&op), 0, 14 * 20, 240, 40);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 8 * 20, 120, 40);
    op.phase = NNC_PHASE_BACKWARD;
    /* Transposed: dy, x and dx are read and written once more; forward x and y. */
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_GROUP, .elements = 20, .rows = 4, .fused = true, .turned = true };
    ck_work(nnc_op_work(&op), 0, 14 * 20, 80 + 120, 40 + 120);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 8 * 20, 40 + 80, 40 + 80);
    op.phase = NNC_PHASE_BACKWARD;
    /* Statistics of a channel come from the whole batch, so x is read twice. */
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_BATCH, .elements = 20, .rows = 4, .fused = true };
    ck_work(nnc_op_work(&op), 0, 14 * 20, 160, 40);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 8 * 20, 80, 40);
    /* A group stays on the chip up to 65536 elements. */
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_GROUP, .elements = 65536, .rows = 1, .fused = true };
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, 131072);
    op.u.norm.elements = 2 * 65537;
    op.u.norm.rows = 2;
    ck_assert_double_eq(nnc_op_work(&op).read_bytes, 2 * 2 * 131074);
}
END_TEST

/* 4 rows of 5 elements in bf16: the input 40 B, its fp32 copy 80 B; two fp32 statistics a row, RMS
 * one. Written out: copy, square, statistic, normalised value. */
START_TEST(norms_keep) {
    nnc_op op = op_of(NNC_OP_NORM);
    op.u.norm = (nnc_norm){ .kind = NNC_NORM_LAYER, .elements = 20, .rows = 4, .fused = true, .keeps_input = true };
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 40 + 32);
    op.u.norm.keep = NNC_KEEP_UPCAST;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 80 + 32);
    op.u.norm.kind = NNC_NORM_RMS;
    op.u.norm.keep = NNC_KEEP_EAGER;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 80 + 80 + 16 + 40);
    op.dtype = NNC_FP32; /* fp32 needs no copy; the value itself is twice as wide */
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 80 + 80 + 16 + 80);
    op.u.norm.keep = NNC_KEEP_UPCAST;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 80 + 16);
    op.u.norm.keep = NNC_KEEP_FUSED;
    op.u.norm.keeps_input = false;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 16);
}
END_TEST

/* ---- pointwise ---- */

/* A cast before a product divided by columns reads a whole input, and backward a rank's part of the gradient of the
 * output; before one divided by rows, the reverse. Other ops work on the tokens of their rank. */
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

/* Worked by hand, per output element of 4 B, so that a quarter is whole: FLOPs, bytes in one
 * kernel, bytes with one kernel per primitive, each forward and backward. kept: input elements per
 * output element of a kept input. */
static const struct {
    nnc_pointwise_kind kind;
    double flops[2], fused[2], unfused[2], kept, mask;
} examples[] = {
    /* y = f(x): x in, y out, 8 B; backward x (or y) and dy in, dx out, 12 B. */
    { NNC_PW_RELU, { 1, 1 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    { NNC_PW_SILU, { 4, 7 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    { NNC_PW_SIGMOID, { 3, 3 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    { NNC_PW_TANH, { 4, 3 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    { NNC_PW_HARD_SIGMOID, { 3, 2 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    { NNC_PW_HARD_SWISH, { 4, 4 }, { 8, 12 }, { 8, 12 }, 1, 0 },
    /* Eight primitives forward, 8 x 8 B; backward eight with two inputs, 8 x 12 B. */
    { NNC_PW_GELU, { 8, 13 }, { 8, 12 }, { 64, 96 }, 1, 0 },
    /* max and square, 2 x 8 B; backward a product of two and one with dy: 12 + 8 B. */
    { NNC_PW_RELU2, { 2, 3 }, { 8, 12 }, { 16, 20 }, 1, 0 },
    /* backward: dy x sum over the row reads both once more */
    { NNC_PW_SCALE, { 1, 3 }, { 8, 12 }, { 8, 16 }, 1, 0 },
    /* Three kernels of 8 B; backward one more input: 3 x 8 + 4 B. */
    { NNC_PW_SOFTCAP, { 3, 4 }, { 8, 12 }, { 24, 28 }, 1, 0 },
    { NNC_PW_SOFTMAX, { 5, 4 }, { 8, 12 }, { 24, 28 }, 1, 0 },
    /* Two in, one out; backward three in, two out; unfused two products of two inputs. */
    { NNC_PW_MUL, { 1, 2 }, { 12, 20 }, { 12, 24 }, 2, 0 },
    /* The same; unfused the activation (8 B) and the product (12 B); backward 12 + 8 + 12 B. */
    { NNC_PW_SWIGLU, { 5, 10 }, { 12, 20 }, { 20, 32 }, 2, 0 },
    { NNC_PW_GEGLU, { 6, 12 }, { 12, 20 }, { 20, 32 }, 2, 0 },
    /* One in, one out; backward reads dy for the sum over rows; dx is dy itself. */
    { NNC_PW_BIAS, { 1, 1 }, { 8, 4 }, { 8, 4 }, 1, 0 },
    { NNC_PW_POSITION_ADD, { 1, 1 }, { 8, 4 }, { 8, 4 }, 1, 0 },
    { NNC_PW_TIME_ADD, { 1, 1 }, { 8, 4 }, { 8, 4 }, 1, 0 },
    /* One in, one out, both ways; a mask of 1 B is written forward and read backward. */
    { NNC_PW_DROPOUT, { 1, 1 }, { 9, 9 }, { 9, 9 }, 1, 1 },
    { NNC_PW_SCALE_MASK, { 2, 1 }, { 8, 8 }, { 8, 8 }, 1, 0 },
    /* Fused it is part of the norm after it: 8 B there, 4 B backward. Unfused two in, one out, both
     * ways. */
    { NNC_PW_RESIDUAL, { 1, 1 }, { 8, 4 }, { 12, 12 }, 1, 0 },
    /* x and the stream in, the sum out, and the mask: 13 B. Unfused bias 8 + dropout 9 + sum 12 B;
     * backward the mask and 8 B, unfused 8 + 9 + 4 B. */
    { NNC_PW_BIAS_DROPOUT_RESIDUAL, { 3, 2 }, { 13, 9 }, { 29, 21 }, 1, 1 },
    /* Unfused: a swap of halves (8 B), two products (16 B). */
    { NNC_PW_ROTARY, { 3, 3 }, { 8, 8 }, { 24, 24 }, 1, 0 },
    /* Only written. */
    { NNC_PW_TIMESTEP, { 2, 0 }, { 4, 0 }, { 4, 0 }, 0, 0 },
    /* 2x2 windows: four in, one out, and an index of 8 B; backward the reverse. */
    { NNC_PW_MAX_POOL, { 4, 1 }, { 28, 28 }, { 28, 28 }, 4, 8 },
    /* The output alone, with its index; the input is in pools_of_any_window. */
    { NNC_PW_MAX_POOL2D, { 0, 1 }, { 12, 12 }, { 12, 12 }, 1, 8 },
    { NNC_PW_AVG_POOL2D, { 1, 1 }, { 4, 4 }, { 4, 4 }, 1, 0 },
    { NNC_PW_RESIZE, { 1, 0 }, { 4, 4 }, { 4, 4 }, 1, 0 },
    /* One in for four out; backward the reverse. */
    { NNC_PW_UPSAMPLE_NEAREST, { 0, 1 }, { 5, 5 }, { 5, 5 }, 0.25, 0 },
    { NNC_PW_UPSAMPLE_BILINEAR, { 7, 7 }, { 5, 5 }, { 5, 5 }, 0.25, 0 },
    /* Copies compute nothing; the gradient of a join is two views, that of a split is a join. */
    { NNC_PW_CONCAT, { 0, 0 }, { 8, 0 }, { 8, 0 }, 1, 0 },
    { NNC_PW_COPY, { 0, 0 }, { 8, 8 }, { 8, 8 }, 1, 0 },
    { NNC_PW_HALVES, { 0, 0 }, { 0, 8 }, { 0, 8 }, 1, 0 },
    /* The joined side; the parts are in parts_by_heads. */
    { NNC_PW_BY_HEADS, { 0, 0 }, { 4, 4 }, { 4, 4 }, 0, 0 },
    /* 4 B read, 2 written; backward the reverse; in one buffer also copied and cast: 6 + 8 + 6
     * B. */
    { NNC_PW_CAST_WEIGHTS, { 0, 0 }, { 6, 6 }, { 6, 20 }, 0, 0 },
    /* Unfused only: 28 and 40 B per value of 16 bits. */
    { NNC_PW_EXPERT_BIAS, { 2, 4 }, { 0, 4 }, { 56, 80 }, 0, 0 },
    /* Two halves and their join: two in, two out; backward also the gradient. */
    { NNC_PW_CLAMP, { 1, 1 }, { 16, 20 }, { 16, 20 }, 1, 0 },
    /* 4 B in, 1 B out, both ways. */
    { NNC_PW_CAST, { 2, 2 }, { 5, 5 }, { 5, 5 }, 1, 1 },
    /* Written; the stored weights are the input. */
    { NNC_PW_DEQUANTIZE, { 1, 0 }, { 4, 0 }, { 4, 0 }, 0, 0 },
    /* The copies; the tokens are in dispatch_and_combine. */
    { NNC_PW_DISPATCH, { 0, 1 }, { 4, 4 }, { 4, 4 }, 0, 0 },
    { NNC_PW_SUM_COPIES, { 0, 0 }, { 4, 4 }, { 4, 4 }, 0, 0 },
    { NNC_PW_COMBINE, { 0, 0 }, { 4, 4 }, { 4, 4 }, 0, 0 },
    /* fp32 and a half of 16 bits in, fp32 out. */
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

/* The gradient that a cast turns into 8 bit has the shape of the product's output. */
START_TEST(cast_backward_has_its_own_size) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_CAST, .elements = 10, .backward_elements = 30 };
    ck_work(nnc_op_work(&op), 0, 20, 20, 10);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 60, 60, 30);
}
END_TEST

/* 12 elements of 2 B. Softmax by reductions: maximum and sum read them once each, the quotient
 * reads and writes them; backward the sum of a row's products reads two inputs, and so does the
 * rest. Random numbers of 4 B. */
START_TEST(sums_and_random_numbers_apart) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_SOFTMAX, .elements = 12, .fused = true, .by_reductions = true };
    ck_work(nnc_op_work(&op), 0, 5 * 12, 3 * 24, 24);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 4 * 12, 4 * 24, 24);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_DROPOUT, .elements = 12, .fused = true, .random_written = true };
    ck_work(nnc_op_work(&op), 0, 12, 24 + 12, 24); /* the mask */
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 12, 24 + 48, 24 + 12 + 48);
}
END_TEST

/* 36 values become 9, each read once; backward reads 9 gradients and writes 36. Maximum: an index
 * of 8 B, one compare per input. Mean: one addition per input and 9 divisions. At 2 B. */
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

/* 3 tokens of width 4, two copies each: dispatch reads rows and writes copies, and backward adds
 * the copies up; combine is the reverse. */
START_TEST(dispatch_and_combine) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_DISPATCH, .elements = 24, .input_elements = 12 };
    ck_work(nnc_op_work(&op), 0, 0, 24, 48);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 24, 48, 24);
    op.phase = NNC_PHASE_FORWARD;
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_COMBINE, .elements = 12, .input_elements = 24 };
    ck_work(nnc_op_work(&op), 0, 48, 48, 24);
    op.phase = NNC_PHASE_BACKWARD; /* a weight per copy, and a dot product per weight */
    ck_work(nnc_op_work(&op), 0, 72, 24 + 48, 48);
    op.u.pointwise.kind = NNC_PW_SUM_COPIES; /* weighted before: each copy has the gradient unchanged */
    ck_work(nnc_op_work(&op), 0, 0, 24, 48);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 24, 48, 24);
}
END_TEST

/* 3 rows of 2 heads: 4 values of keys and values in, 5 out with a rotated one per head; 2 B each. */
START_TEST(parts_by_heads) {
    nnc_op op = op_of(NNC_OP_POINTWISE);
    op.u.pointwise = (nnc_pointwise){ .kind = NNC_PW_BY_HEADS, .elements = 30, .input_elements = 24 };
    ck_work(nnc_op_work(&op), 0, 0, 48, 60);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 0, 60, 48);
}
END_TEST

/* SwiGLU of 6 values, each row weighted: backward reads the gate, the other half and the gradient for the input, and
 * the three once more for the scores: 2 x 3 x 12 B. */
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

/* 3 tokens of width 4: ids 24 B, rows 24 B. Backward adds to fp32 rows. */
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

/* 3 tokens of 5 classes in bf16. Unfused: cast (2 in, 4 out) and log-softmax (4, 4); its gradient
 * (4+4 in, 4 out ... 2 out), 28 B a logit in all. */
START_TEST(loss) {
    nnc_op op = op_of(NNC_OP_LOSS);
    op.u.loss = (nnc_loss){ .tokens = 3, .classes = 5, .fused = true };
    ck_work(nnc_op_work(&op), 0, 75, 30, 0);
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 30);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 0);
    op.u.loss.keep = NNC_LOSS_KEEPS_FP32;
    ck_assert_double_eq(nnc_op_kept_bytes(&op), 60);
    op.u.loss.fused = false; /* logits, fp32 copy and fp32 probabilities, minus the kept bytes */
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 15 * (2 + 4 + 4) - 60);
    ck_work(nnc_op_work(&op), 0, 75, 15 * 6, 15 * 8);
    op.phase = NNC_PHASE_BACKWARD;
    ck_work(nnc_op_work(&op), 0, 30, 15 * 8, 15 * 6);
    op.u.loss.split = true; /* of ranks that do not divide the classes, the same */
    ck_work(nnc_op_work(&op), 0, 30, 15 * 8, 15 * 6);
    op.u.loss.divided = true; /* exp (4, 4), sum (8, 4), product (4, 4), cast (4, 2) and zeros (0, 4) */
    ck_work(nnc_op_work(&op), 0, 30, 15 * 20, 15 * 18);
    op.phase = NNC_PHASE_FORWARD; /* cast (2, 4), maximum (4, 0), difference, exp (4, 4), sum (4, 0), difference */
    ck_work(nnc_op_work(&op), 0, 75, 15 * 22, 15 * 16);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 15 * 16 - 60); /* four fp32 copies, one of them kept */
    op.phase = NNC_PHASE_BACKWARD;
    op.u.loss.fused = true;
    ck_work(nnc_op_work(&op), 0, 30, 30, 30);
    op.u.loss.squared_error = true; /* prediction and target in, gradient out */
    ck_work(nnc_op_work(&op), 0, 30, 60, 30);
    op.phase = NNC_PHASE_FORWARD;
    ck_work(nnc_op_work(&op), 0, 45, 60, 0);
    ck_assert_double_eq(nnc_op_transient_bytes(&op), 0);
}
END_TEST

/* Liger-Kernel: 16,384 tokens, width 4,096 and 32,000 words make 32,000 / 4,096 = 8 chunks of 2,048 rows. In bf16 the
 * logits of a chunk take 131,072,000 B, and the gradient of the input 134,217,728 B. Source: ops/
 * fused_linear_cross_entropy.py of https://github.com/linkedin/Liger-Kernel. */
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

/* 6 lookups of width 4 in fp32 rows that are updated in place, 3 of them summed to one bf16 output: 2 outputs, (6 - 2) * 4
 * additions; ids of 8 B. Backward reads 2 gradients, reads and writes 6 rows, and has two operations per value. */
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

/* A group norm in fp32 of 20 values of 16 bits: the norm reads and writes 4 B per value (backward it reads two), and the
 * casts before and after it read 2 + 4 B and write 4 + 2 B per value. In fp32 there is no cast. */
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
    op.u.norm.kind = NNC_NORM_LAYER; /* its kernel casts */
    ck_work(nnc_op_work(&op), 0, 14 * 20, 80, 40);
}
END_TEST

/* Kept inputs of 8 bits take 1 B of the 2 B of each value: 12 values of SwiGLU have 2 x 12 inputs. A recomputed output is in
 * memory with the gradients of output and inputs. */
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

/* A dequantization of 240 weights: ranks that divide tokens convert all of them, tensor ranks (4) their columns, ranks with
 * experts (5 of 2 tensor ranks) their experts. The busiest of 5 expert ranks has 1.5 times the mean: 240 values of an
 * activation on 12 ranks are 20 of a mean rank. */
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
    op.split = NNC_SPLIT_HEADS; /* the sinks of 8 heads */
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

/* Bytes per parameter of one fused step, by the table of the handbook (optimizer step cost), and
 * what follows from it for the other optimizers: state read and written. 100 parameters, 60 of them
 * in matrices, 30 factored elements. */
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
        /* g twice, w in and out, rows and columns in and out */
        { NNC_OPTIMIZER_ADAFACTOR, NNC_POLICY_FP32, 1400, 100 * (4 + 4 + 4 + 4) + 2 * 4 * 30 },
        { NNC_OPTIMIZER_ADAM8BIT, NNC_POLICY_FP32, 2400, 100 * (12 + 2 * 2.03125) },
        { NNC_OPTIMIZER_ADAM4BIT, NNC_POLICY_FP32, 2400, 100 * (12 + 2 * 1.0625) },
        { NNC_OPTIMIZER_ADAM_MINI, NNC_POLICY_FP32, 1200, 2000 },
        /* 28 as Adam; the direction in and out, the weight in: arXiv:1904.00962 */
        { NNC_OPTIMIZER_LAMB, NNC_POLICY_FP32, 2200, 2800 + 100 * (4 + 4 + 4) },
        /* 20 as momentum; weight and gradient in: arXiv:1708.03888 */
        { NNC_OPTIMIZER_LARS, NNC_POLICY_FP32, 1000, 2000 + 100 * (4 + 4) },
        { NNC_OPTIMIZER_LARS, NNC_POLICY_MIXED, 1000, 2000 + 100 * (4 + 2) },
        /* one moment for 60, two for 40; five iterations of four passes of 2 B over 60 */
        { NNC_OPTIMIZER_MUON, NNC_POLICY_FP32, 400, 1200 + 2 * 4 * (60 + 80) + 5 * 4 * 2 * 60 },
    };
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        const nnc_op op = update(steps[i].optimizer, steps[i].policy, true);
        const nnc_work work = nnc_op_work(&op);
        ck_assert_double_eq(work.vector_flops, steps[i].flops);
        ck_assert_double_eq_tol(bytes_of(&work), steps[i].bytes, 1e-9);
    }
    /* 60 of 100 parameters are projected to rank 2, with sides of 23 in all: 2 * 23 values of 4 B, and 80 of the other
     * 40 parameters. Read and written once by a fused kernel, besides 12 B of gradient and weight, and 13 (9) passes of
     * 4 B over 40; 4 (2) FLOPs per rank and projected parameter. */
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
    /* Twenty passes of 4 B, one per primitive. */
    const nnc_op unfused = update(NNC_OPTIMIZER_ADAMW, NNC_POLICY_FP32, false);
    const nnc_work work = nnc_op_work(&unfused);
    ck_assert_double_eq_tol(bytes_of(&work), 8000, 1e-9);
    /* Weights and moments of 2 B. */
    const nnc_op narrow = update(NNC_OPTIMIZER_ADAMW, NNC_POLICY_BF16_PURE, false);
    const nnc_work half = nnc_op_work(&narrow);
    ck_assert_double_eq_tol(bytes_of(&half), 4000, 1e-9);
    /* A master copy: the gradient of 2 B is cast to 4 B, the master is read, and the weight of 2 B is written. */
    const nnc_op mixed = update(NNC_OPTIMIZER_ADAMW, NNC_POLICY_MIXED, false);
    const nnc_work cast = nnc_op_work(&mixed);
    ck_assert_double_eq_tol(cast.read_bytes, 0.6 * 8000 + 100 * (2 + 4), 1e-9);
    ck_assert_double_eq_tol(cast.write_bytes, 0.4 * 8000 + 100 * (4 + 2), 1e-9);
    ck_assert_double_eq(nnc_optimizer_list_kernels(NNC_OPTIMIZER_ADAMW), 8);
    ck_assert_double_eq(nnc_optimizer_list_bytes(NNC_OPTIMIZER_ADAMW, NNC_POLICY_BF16_PURE), 2);
    ck_assert_double_eq(nnc_optimizer_list_bytes(NNC_OPTIMIZER_MOMENTUM, NNC_POLICY_FP32), 0);
}
END_TEST

/* Clipping reads 100 gradients of 4 B; unfused it also scales them. Zeroing writes them. Three
 * passes in bf16 are added to sums in fp32: 6 B read, 4 B written. */
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

/* 2x3: X X^T 2*2*2*3, its square 2*2*2*2, times X 2*2*2*3; five times. Either way round. */
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
