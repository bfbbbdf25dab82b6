/* The ops that work on tokens: table lookup, norm, attention, recurrence, and loss. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "op/op_internal.h"

enum { TOKEN_ID_BYTES = 8 }; /* bytes of a token id, which is an int64 */

/* Computes the work of an embedding, a lookup of one row of a table per token. Forward of an embedding reads the row
 * and writes it to the output, without FLOPs. Backward of an embedding reads the gradient dy of the output, and reads
 * and writes the gradient of the row, to which it adds dy. [embedding] */
NNC_SAYING nnc_work rows_work(const nnc_op *op, nnc_derivation *why) {
    NNC_LET(why, tokens, NULL, (double)op->u.embedding.tokens);
    NNC_LET(why, width, NULL, (double)op->u.embedding.width);
    NNC_LET(why, element_bytes, NULL, nnc_dtype_bytes(op->dtype));
    NNC_LET(why, token_id_bytes, NULL, TOKEN_ID_BYTES);
    nnc_work work = { 0 };
    if (op->phase == NNC_PHASE_BACKWARD) {
        NNC_LET(why, grad_bytes, NULL, op->grad_bytes);
        NNC_SET(why, work.vector_flops, "FLOP", tokens * width);
        NNC_SET(why, work.read_bytes, "B", tokens * width * (element_bytes + grad_bytes) + token_id_bytes * tokens);
        NNC_NOTE(why, "reads the gradient of the output, and the gradients of the rows to which it is added");
        NNC_SET(why, work.write_bytes, "B", tokens * width * grad_bytes);
    } else {
        NNC_SET(why, work.read_bytes, "B", tokens * width * element_bytes + token_id_bytes * tokens);
        NNC_NOTE(why, "one row of the table is read per token; a lookup has no FLOPs");
        NNC_SET(why, work.write_bytes, "B", tokens * width * element_bytes);
    }
    return work;
}

/* Computes the work of lookups in a table whose rows backward updates directly; several looked-up rows are summed to
 * one output. Backward reads the gradient dy of each output once, and reads and writes each row that was looked up.
 * [tables] */
NNC_SAYING nnc_work tables_work(const nnc_op *op, nnc_derivation *why) {
    NNC_LET(why, lookups, NULL, (double)op->u.embedding.tokens);
    NNC_LET(why, summed, NULL, (double)op->u.embedding.summed);
    NNC_LET(why, width, NULL, (double)op->u.embedding.width);
    NNC_LET(why, stored_bytes, NULL, NNC_TABLE_BYTES);
    NNC_LET(why, element_bytes, NULL, nnc_dtype_bytes(op->dtype));
    NNC_LET(why, token_id_bytes, NULL, TOKEN_ID_BYTES);
    NNC_LET(why, outputs, NULL, lookups / summed);
    nnc_work work = { 0 };
    if (op->phase == NNC_PHASE_BACKWARD) {
        NNC_SET(why, work.vector_flops, "FLOP", 2.0 * lookups * width);
        NNC_SET(why, work.read_bytes, "B",
                outputs * width * element_bytes + lookups * (width * stored_bytes + token_id_bytes));
        NNC_NOTE(why, "reads the gradient of the output, and the rows that it updates");
        NNC_SET(why, work.write_bytes, "B", lookups * width * stored_bytes);
    } else {
        NNC_SET(why, work.vector_flops, "FLOP", (lookups - outputs) * width);
        NNC_SET(why, work.read_bytes, "B", lookups * (width * stored_bytes + token_id_bytes));
        NNC_SET(why, work.write_bytes, "B", outputs * width * element_bytes);
    }
    return work;
}

NNC_SAYING nnc_work embedding_work(const nnc_op *op, nnc_derivation *why) {
    return op->in_place ? tables_work(op, why) : rows_work(op, why);
}

NNC_SAYING double embedding_kept(const nnc_op *op, nnc_derivation *why) {
    const double tokens = (double)op->u.embedding.tokens, token_id_bytes = TOKEN_ID_BYTES;
    /* tables_work() records `lookups` in the derivation but not `tokens`, which kept_bytes needs */
    if (op->in_place) { NNC_PUT(why, tokens, NULL); }
    NNC_SAY(why, kept_bytes, "B", token_id_bytes * tokens);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double embedding_transient(const nnc_op *op, nnc_derivation *why) {
    (void)op, (void)why;
    return 0.0;
}

NNC_OP_FUNCTIONS(embedding)

static void embedding_shard(nnc_op *op, const nnc_degrees *d) {
    op->u.embedding.tokens /= d->context;
    op->weights.rows /= op->split == NNC_SPLIT_VOCAB ? d->tensor : 1;
    op->weights.rows = op->in_place ? (op->weights.rows + d->expert - 1) / d->expert : op->weights.rows;
}

static void embedding_shape(const nnc_op *op, char *text, size_t size) {
    snprintf(text, size, "tokens=%" PRId64 " width=%" PRId64, op->u.embedding.tokens, op->u.embedding.width);
}

const nnc_op_row nnc_embedding_row = {
    .name = "embedding",
    NNC_OP_MEMBERS(embedding),
    .backward = nnc_op_same_backward,
    .shard = embedding_shard,
    .shape = embedding_shape,
    .timed = NNC_TIMED_POINTWISE,
};

/* ---- norms: layer, RMS, group and batch norm ---- */

/* One row per kind of norm. forward_flops, backward_flops: FLOPs per element. unfused_passes: memory passes of forward
 * if each primitive operation is a kernel; backward then has 1.5 times as many. statistics_bytes: bytes per row of the
 * input for mean and reciprocal deviation in fp32 (an RMS norm has no mean). on_chip_elements: largest row, in
 * elements, that stays on the chip between the pass that sums and the pass that scales; for group norms it is 128 KiB
 * in 16 bits, the shared memory of one core of a current GPU. Counts by inspection. */
static const struct {
    const char *name;
    double forward_flops, backward_flops, unfused_passes, statistics_bytes, on_chip_elements;
} kinds[NNC_NORM_KIND_COUNT] = {
    [NNC_NORM_LAYER] = { "layer_norm", 8, 14, 6, 8, INFINITY },
    [NNC_NORM_RMS] = { "rms_norm", 4, 10, 5, 4, INFINITY },
    [NNC_NORM_GROUP] = { "group_norm", 8, 14, 6, 8, 65536 },
    [NNC_NORM_BATCH] = { "batch_norm", 8, 14, 6, 8, 0 },
};

/* Computes the work of a norm with input x and output y. If a norm is one fused kernel, forward reads x and writes y;
 * backward reads x and the gradient dy, and writes the gradient dx. If a row of the norm does not stay on the chip,
 * forward reads x twice, and backward reads x and dy twice. A batch norm in inference needs no sums over its input, so
 * it reads x once. If each primitive operation is a kernel, forward has 6 memory passes (5 for RMS norms), and backward
 * has 1.5 times as many passes as forward. If each reduction of a norm is a kernel, forward has three kernels: mean,
 * variance and scaling. Backward of a norm with one kernel per reduction has three kernels, which compute the sums over
 * columns, the sums over rows, and the gradient; each kernel reads two inputs. [norm] */
NNC_SAYING nnc_work norm_work(const nnc_op *op, nnc_derivation *why) {
    const nnc_norm *p = &op->u.norm;
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    NNC_LET(why, elements, NULL, (double)p->elements);
    /* true: a group norm that computes in fp32; the program casts its 16-bit input to fp32, and its output back to 16
     * bits */
    const bool cast = p->kind == NNC_NORM_GROUP && p->keep == NNC_KEEP_UPCAST && nnc_dtype_bytes(op->dtype) < 4.0;
    NNC_LET(why, element_bytes, NULL, nnc_dtype_bytes(op->dtype));
    NNC_LET(why, flops_per_element, NULL, backward ? kinds[p->kind].backward_flops : kinds[p->kind].forward_flops);

    const int64_t width = p->elements / p->rows;
    double reads = backward ? 2.0 : 1.0, writes = 1.0;
    if (!p->fused) {
        const double passes = kinds[p->kind].unfused_passes * (backward ? 1.5 : 1.0);
        reads = passes / 2.0;
        writes = passes / 2.0;
    } else if (p->by_reductions) {
        reads = backward ? 6.0 : 3.0;
    } else if (!p->running && (double)width > kinds[p->kind].on_chip_elements) {
        reads *= 2.0;
    }
    NNC_PUT(why, reads, NULL);
    NNC_PUT(why, writes, NULL);
    nnc_work work = { 0 };
    NNC_SET(why, work.vector_flops, "FLOP", flops_per_element * elements);
    NNC_NOTE(why, "counts by inspection of the kernel; transcendentals count as one");
    NNC_SET(why, work.read_bytes, "B", reads * elements * element_bytes);
    NNC_NOTE(why, !p->fused          ? "one kernel per primitive"
                  : p->by_reductions ? "one kernel per reduction, and one for the other operations"
                                     : "one fused kernel; the input is read twice if a row does not fit on the chip");
    NNC_SET(why, work.write_bytes, "B", writes * elements * element_bytes);
    if (cast) {
        NNC_LET(why, cast_bytes, NULL, 4.0 + element_bytes);
        NNC_NOTE(why, "the casts to fp32 before the norm and back after it, in each direction");
        NNC_SET(why, work.read_bytes, "B", (reads * 4.0 + cast_bytes) * elements);
        NNC_SET(why, work.write_bytes, "B", (writes * 4.0 + cast_bytes) * elements);
    }
    /* number of maps that are copied to another layout: two in forward, three in backward; each copy reads and writes
     * its map */
    if (p->turned) {
        NNC_LET(why, maps, NULL, backward ? 3.0 : 2.0);
        NNC_LET(why, read_bytes, "B", work.read_bytes);
        NNC_LET(why, write_bytes, "B", work.write_bytes);
        NNC_SET(why, work.read_bytes, "B", read_bytes + maps * elements * element_bytes);
        NNC_SET(why, work.write_bytes, "B", write_bytes + maps * elements * element_bytes);
        NNC_NOTE(why, "channels-last maps are transposed before the norm and back after it");
    }
    return work;
}

/* Returns the bytes that a norm keeps for backward. With NNC_KEEP_EAGER (an RMS norm of 16-bit data in which each
 * primitive operation is an fp32 kernel), the norm keeps four tensors: the fp32 copy of the input, its square, the
 * reciprocal of each row, and the 16-bit normalised value before the gain. Source: tests/data/reference. */
NNC_SAYING double norm_kept(const nnc_op *op, nnc_derivation *why) {
    const nnc_norm *p = &op->u.norm;
    const double elements = (double)p->elements, element_bytes = nnc_dtype_bytes(op->dtype);
    NNC_LET(why, rows, NULL, (double)p->rows);
    NNC_LET(why, statistics_bytes, "B", kinds[p->kind].statistics_bytes);
    NNC_LET(why, input_bytes, "B", p->keeps_input ? elements * element_bytes : 0.0);
    /* bytes of the kept fp32 input: an fp32 copy of a 16-bit input, or an fp32 input itself */
    NNC_LET(why, upcast_bytes, "B", element_bytes < 4.0 ? elements * 4.0 : input_bytes);
    double kept_bytes = 0.0;
    switch (p->keep) {
    case NNC_KEEP_UPCAST: NNC_SET(why, kept_bytes, "B", upcast_bytes + statistics_bytes * rows); break;
    case NNC_KEEP_EAGER:
        NNC_SET(why, kept_bytes, "B",
                upcast_bytes + elements * 4.0 + statistics_bytes * rows + elements * element_bytes);
        break;
    default: NNC_SET(why, kept_bytes, "B", input_bytes + statistics_bytes * rows); break;
    }
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double norm_transient(const nnc_op *op, nnc_derivation *why) {
    const double elements = (double)op->u.norm.elements, element_bytes = nnc_dtype_bytes(op->dtype);
    NNC_SAY(why, transient_bytes, "B", 2.0 * elements * element_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(norm)

static void norm_shard(nnc_op *op, const nnc_degrees *d) {
    nnc_norm *p = &op->u.norm;
    /* Norms of queries and keys have NNC_SPLIT_INNER: each tensor rank normalises only its own heads. */
    const int64_t ranks = op->split == NNC_SPLIT_INNER ? d->context * d->tensor : d->sequence;
    p->elements /= ranks;
    p->rows /= p->across_heads ? d->context : ranks;
    op->weights.vector /= p->across_heads ? d->tensor : 1;
}

static void norm_shape(const nnc_op *op, char *text, size_t size) {
    snprintf(text, size, "rows=%" PRId64 " width=%" PRId64, op->u.norm.rows, op->u.norm.elements / op->u.norm.rows);
}

static const char *norm_name(const nnc_op *op) { return kinds[op->u.norm.kind].name; }

static nnc_timed norm_timed(const nnc_op *op) {
    const nnc_norm_kind kind = op->u.norm.kind;
    return kind == NNC_NORM_BATCH || kind == NNC_NORM_GROUP ? NNC_TIMED_MAP : NNC_TIMED_POINTWISE;
}

const nnc_op_row nnc_norm_row = {
    .name_of = norm_name,
    NNC_OP_MEMBERS(norm),
    .backward = nnc_op_same_backward,
    .shard = norm_shard,
    .shape = norm_shape,
    .timed_of = norm_timed,
    .fuses = true,
};

/* ---- fused attention (FlashAttention): the scores stay on the chip ---- */

int64_t nnc_attention_pairs(int64_t s_q, int64_t s_k, bool causal, int64_t window) {
    if (!causal) { return s_q * s_k; }
    /* Number of keys that precede the key at the position of the first query. The last query and the last key are at
     * the same position of the sequence. */
    const int64_t before = s_k - s_q;
    /* Number of queries at the beginning of the sequence that attend to fewer keys than the window has. */
    const int64_t rising = window > 0 ? window - before - 1 : s_q;
    const int64_t short_views = rising < 0 ? 0 : rising < s_q ? rising : s_q;
    return short_views * before + short_views * (short_views + 1) / 2 + (s_q - short_views) * window;
}

typedef struct dims {
    double batch, heads, kv_heads, s_q, s_k, head_dim, value_dim, pairs;
    double element_bytes;
} dims;

NNC_SAYING dims dims_of(const nnc_op *op, nnc_derivation *why) {
    const nnc_flash *p = &op->u.flash;
    dims d;
    NNC_DIM(why, batch, p->batch);
    NNC_DIM(why, heads, p->heads);
    NNC_DIM(why, kv_heads, p->kv_heads);
    NNC_DIM(why, s_q, p->s_q);
    NNC_DIM(why, s_k, p->s_k);
    NNC_DIM(why, head_dim, p->head_dim);
    NNC_DIM(why, value_dim, p->value_dim);
    NNC_DIM(why, pairs, p->pairs);
    NNC_DIM(why, element_bytes, nnc_dtype_bytes(op->dtype));
    return d;
}

/* Computes the work of attention in one kernel. Forward computes Q K^T and P V (P: the softmax of the scores) over the
 * pairs that the mask leaves; it reads Q, K and V once, and writes the output O and one fp32 log-sum-exp per query.
 * Forward has two products. Backward of fused attention has five products, because it computes the scores again; it
 * reads Q, K, V, O, dO and two fp32 numbers per query, and writes dQ, dK and dV. Model FLOPs (full_flops, window_flops,
 * causal_flops) do not include the repeated scores: the model FLOPs of backward are twice those of forward. The softmax
 * runs on the vector units. Per query-key pair, the softmax has five operations in forward: max, subtract, exp, sum and
 * divide. In backward, the softmax has again one subtract and one exp per query-key pair, and then four operations for
 * the gradient. Source: FlashAttention arXiv:2205.14135; FlashAttention-2 arXiv:2307.08691. [flash] */
NNC_SAYING nnc_work flash_work(const nnc_op *op, nnc_derivation *why) {
    const nnc_flash *p = &op->u.flash;
    const dims d = dims_of(op, why);
    nnc_work work = { 0 };
    NNC_SAY(why, pair_flops, "FLOP", 2.0 * d.batch * d.heads * (d.head_dim + d.value_dim));
    NNC_NOTE(why, "FLOPs of one query-key pair in all heads: Q K^T over head_dim, P V over value_dim");
    NNC_SAY(why, q_bytes, "B", d.batch * d.heads * d.s_q * d.head_dim * d.element_bytes);
    NNC_SAY(why, k_bytes, "B", d.batch * d.kv_heads * d.s_k * d.head_dim * d.element_bytes);
    NNC_SAY(why, v_bytes, "B", d.batch * d.kv_heads * d.s_k * d.value_dim * d.element_bytes);
    NNC_SAY(why, o_bytes, "B", d.batch * d.heads * d.s_q * d.value_dim * d.element_bytes);
    NNC_SAY(why, row_bytes, "B", 4.0 * d.batch * d.heads * d.s_q);
    NNC_NOTE(why, "one fp32 log-sum-exp per query");

    if (op->phase == NNC_PHASE_BACKWARD) {
        NNC_SET(why, work.flops, "FLOP", (2.0 * pair_flops + 2.0 * d.batch * d.heads * d.head_dim) * d.pairs);
        NNC_NOTE(why, "pairs: unmasked pairs of query and key; backward has four products and recomputes the scores");
        work.full_flops = 2.0 * pair_flops * p->full_pairs;
        work.window_flops = 2.0 * pair_flops * p->window_pairs;
        work.causal_flops = 2.0 * pair_flops * d.pairs;
        if (p->softcap) {
            NNC_SET(why, work.vector_flops, "FLOP", 13.0 * d.batch * d.heads * d.pairs);
            NNC_NOTE(
                why,
                "the soft cap adds 3 recomputed operations (divide, tanh, multiply) and 4 for its gradient per pair");
        } else {
            NNC_SET(why, work.vector_flops, "FLOP", 6.0 * d.batch * d.heads * d.pairs);
        }
        NNC_SET(why, work.read_bytes, "B", q_bytes + k_bytes + v_bytes + 2.0 * o_bytes + 2.0 * row_bytes);
        NNC_SET(why, work.write_bytes, "B", q_bytes + k_bytes + v_bytes);
        return work;
    }
    NNC_SET(why, work.flops, "FLOP", pair_flops * d.pairs);
    NNC_NOTE(why, "pairs: unmasked pairs of query and key");
    work.full_flops = pair_flops * p->full_pairs;
    work.window_flops = pair_flops * p->window_pairs;
    work.causal_flops = pair_flops * d.pairs;
    if (p->softcap) {
        NNC_SET(why, work.vector_flops, "FLOP", 8.0 * d.batch * d.heads * d.pairs);
        NNC_NOTE(why, "the soft cap adds 3 operations per pair: divide, tanh, multiply");
    } else {
        NNC_SET(why, work.vector_flops, "FLOP", 5.0 * d.batch * d.heads * d.pairs);
    }
    NNC_SET(why, work.read_bytes, "B", q_bytes + k_bytes + v_bytes);
    NNC_SET(why, work.write_bytes, "B", o_bytes + row_bytes);
    return work;
}

/* Returns the bytes that fused attention keeps for backward: Q, K, V and one log-sum-exp per query. If Q, K and V are
 * computed again, only the log-sum-exp is kept. If other ops count the tensors that this attention keeps, returns 0.
 * The output projection also keeps the output of attention; the bytes of this output are counted there. */
NNC_SAYING double flash_kept(const nnc_op *op, nnc_derivation *why) {
    const nnc_flash *p = &op->u.flash;
    const dims d = dims_of(op, NULL);
    if (!p->keeps_qkv) { return 0.0; }
    if (op->dropped) {
        NNC_SAY(why, kept_bytes, "B", 4.0 * d.batch * d.heads * d.s_q);
        NNC_NOTE(why, "only the log-sum-exp is kept; queries, keys and values are recomputed");
        return kept_bytes;
    }
    NNC_LET(why, kept_s_k, NULL, (double)p->kept_s_k);
    NNC_LET(why, kept_kv_heads, NULL, (double)p->kept_kv_heads);
    NNC_SAY(why, kept_elements, NULL,
            d.s_q * d.heads * d.head_dim + kept_s_k * kept_kv_heads * (d.head_dim + d.value_dim));
    NNC_SAY(why, kept_bytes, "B", d.batch * kept_elements * d.element_bytes + 4.0 * d.batch * d.heads * d.s_q);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double flash_transient(const nnc_op *op, nnc_derivation *why) {
    const dims d = dims_of(op, NULL);
    NNC_SAY(why, transient_bytes, "B",
            d.batch * (d.s_q * d.heads + d.s_k * d.kv_heads) * (d.head_dim + d.value_dim) * d.element_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(flash)

static void flash_shard(nnc_op *op, const nnc_degrees *d) {
    nnc_flash *p = &op->u.flash;
    if (op->split == NNC_SPLIT_TOKENS) { /* the heads are not divided: every tensor rank computes attention of all
                                          * heads */
        return;
    }
    p->heads /= d->heads;
    p->kv_heads = nnc_at_least_one(p->kv_heads / d->heads);
    p->kept_kv_heads = p->kept_kv_heads > 0 ? nnc_at_least_one(p->kept_kv_heads / d->heads) : 0;
    p->s_q /= d->positions;
    p->kept_s_k /= d->positions;
    p->pairs /= (double)d->positions;
    p->full_pairs /= (double)d->positions;
    p->window_pairs /= (double)d->positions;
    /* attention sinks (one value per head): tensor ranks that divide the heads divide these values */
    op->weights.vector /= d->tensor;
}

static void flash_shape(const nnc_op *op, char *text, size_t size) {
    const nnc_flash *p = &op->u.flash;
    snprintf(text, size, "b=%" PRId64 " heads=%" PRId64 "/%" PRId64 " s=%" PRId64 "x%" PRId64 " d=%" PRId64, p->batch,
             p->heads, p->kv_heads, p->s_q, p->s_k, p->head_dim);
}

const nnc_op_row nnc_flash_row = {
    .name = "flash_attention",
    NNC_OP_MEMBERS(flash),
    .backward = nnc_op_same_backward,
    .shard = flash_shard,
    .shape = flash_shape,
    .timed = NNC_TIMED_FLASH,
    .hides_ring = true,
};

/* ---- state-space and linear-attention mixers (Mamba, Mamba-2, gated delta rule): a recurrence over tokens ---- */

typedef struct scan_dims {
    double tokens, inner, state, groups, heads, chunk;
    double inputs; /* number of input elements per token: of values, keys, queries and decay factors */
    double element_bytes;
} scan_dims;

NNC_SAYING scan_dims scan_dims_of(const nnc_op *op, nnc_derivation *why) {
    const nnc_scan *p = &op->u.scan;
    scan_dims d;
    NNC_DIM(why, tokens, p->tokens);
    NNC_DIM(why, inner, p->inner);
    NNC_DIM(why, state, p->state);
    NNC_DIM(why, groups, p->groups);
    NNC_DIM(why, heads, (double)(p->heads > 0 ? p->heads : p->inner));
    NNC_DIM(why, chunk, p->chunk);
    NNC_DIM(why, element_bytes, nnc_dtype_bytes(op->dtype));
    NNC_SET(why, d.inputs, NULL, d.inner + 2.0 * d.groups * d.state + d.heads);
    return d;
}

/* Returns the FLOPs of a recurrence that computes one token after the other. For each token and each number of the
 * state there are two FLOPs for the discretised decay, two for the input, two to add the input to the decayed state,
 * and two to read the state. The skip connection of the recurrence has two FLOPs per value. Counts by inspection; a
 * transcendental function counts as one FLOP. Source: arXiv:2312.00752, algorithm 2. [scan] */
NNC_SAYING double selective_flops(const scan_dims *d, nnc_derivation *why) {
    const double tokens = d->tokens, inner = d->inner, state = d->state;
    NNC_SAY(why, recurrence_flops, "FLOP", tokens * inner * (8.0 * state + 2.0));
    NNC_NOTE(why, "decay, input, state and output of each token, computed on the vector units");
    return recurrence_flops;
}

/* Returns the FLOPs of a recurrence that is computed in chunks of tokens; *mathematics receives the FLOPs of the
 * recurrence itself, which count as model FLOPs. Within a chunk, tokens interact like in attention: there are products
 * of keys and queries (groups x state), then products with the values. From chunk to chunk, each token is added to the
 * state and reads the state. With the delta rule, computing the value that each token adds takes four more products:
 * two with keys, one with values, and one with the state. Sources: arXiv:2405.21060, section 6; arXiv:2412.06464,
 * section 3.3. [scan] */
NNC_SAYING double chunked_flops(const nnc_scan *p, const scan_dims *d, double *mathematics, nnc_derivation *why) {
    const double tokens = d->tokens, inner = d->inner, state = d->state, chunk = d->chunk;
    const double groups = d->groups, heads = d->heads;
    double pair_flops = 0.0, state_flops = 0.0;
    if (p->delta) {
        NNC_SET(why, pair_flops, "FLOP", 2.0 * tokens * chunk * (3.0 * heads * state + 2.0 * inner));
        NNC_SET(why, state_flops, "FLOP", 2.0 * tokens * 3.0 * state * inner);
    } else {
        NNC_SET(why, pair_flops, "FLOP", 2.0 * tokens * chunk * (groups * state + inner));
        NNC_SET(why, state_flops, "FLOP", 2.0 * tokens * 2.0 * state * inner);
    }
    NNC_NOTE(why, "each token updates the state and reads it; only this recurrence counts as model FLOPs");
    *mathematics = state_flops;
    NNC_SAY(why, scan_flops, "FLOP", pair_flops + state_flops);
    return scan_flops;
}

/* Computes the work of a recurrence. Only the inputs of the recurrence are kept, so backward first repeats the products
 * of forward; then it has two products for each product of forward. */
NNC_SAYING nnc_work scan_work(const nnc_op *op, nnc_derivation *why) {
    const nnc_scan *p = &op->u.scan;
    const scan_dims d = scan_dims_of(op, why);
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    NNC_LET(why, times, NULL, backward ? 3.0 : 1.0);
    nnc_work work = { 0 };
    double states_bytes = 0.0;
    if (p->chunk == 0) {
        const double recurrence_flops = selective_flops(&d, why);
        NNC_SET(why, work.vector_flops, "FLOP", times * recurrence_flops);
    } else {
        double state_flops = 0.0;
        const double scan_flops = chunked_flops(p, &d, &state_flops, why);
        NNC_SET(why, work.flops, "FLOP", times * scan_flops);
        NNC_NOTE(why, "backward repeats the forward pass, and has two products for each of its products");
        work.full_flops = (backward ? 2.0 : 1.0) * state_flops;
        work.window_flops = work.causal_flops = work.full_flops;
        NNC_SET(why, work.vector_flops, "FLOP", times * 3.0 * d.tokens * d.chunk * d.heads);
        NNC_NOTE(why, "the decay between two tokens of a chunk has 3 operations: subtract, exp, multiply");
        NNC_SET(why, states_bytes, "B", 4.0 * d.tokens / d.chunk * d.inner * d.state);
        NNC_NOTE(why, "one fp32 state per chunk is written and read");
    }
    NNC_PUT(why, states_bytes, "B");
    if (backward) {
        NNC_SET(why, work.read_bytes, "B", d.tokens * (d.inputs + d.inner) * d.element_bytes + 2.0 * states_bytes);
        NNC_SET(why, work.write_bytes, "B", d.tokens * d.inputs * d.element_bytes + 2.0 * states_bytes);
        return work;
    }
    NNC_SET(why, work.read_bytes, "B", d.tokens * d.inputs * d.element_bytes + states_bytes);
    NNC_SET(why, work.write_bytes, "B", d.tokens * d.inner * d.element_bytes + states_bytes);
    return work;
}

NNC_SAYING double scan_kept(const nnc_op *op, nnc_derivation *why) {
    const scan_dims d = scan_dims_of(op, NULL);
    NNC_SAY(why, kept_bytes, "B", d.tokens * d.inputs * d.element_bytes);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double scan_transient(const nnc_op *op, nnc_derivation *why) {
    const scan_dims d = scan_dims_of(op, NULL);
    NNC_SAY(why, transient_bytes, "B", d.tokens * (d.inputs + d.inner) * d.element_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(scan)

/* Divides a recurrence over ranks: the tokens over the context ranks; heads, values and groups of keys over the tensor
 * ranks. The numbers of heads and values are multiples of the tensor degree (an earlier check refuses other plans). The
 * number of groups of keys can be smaller: if there are fewer groups than tensor ranks, each rank has one group. */
static void scan_shard(nnc_op *op, const nnc_degrees *d) {
    nnc_scan *p = &op->u.scan;
    p->tokens /= d->context;
    p->inner /= d->tensor;
    p->heads /= d->tensor;
    p->groups = nnc_at_least_one(p->groups / d->tensor);
    op->weights.vector /= d->tensor;
}

static void scan_shape(const nnc_op *op, char *text, size_t size) {
    const nnc_scan *p = &op->u.scan;
    snprintf(text, size, "tokens=%" PRId64 " inner=%" PRId64 " state=%" PRId64, p->tokens, p->inner, p->state);
}

static const char *scan_name(const nnc_op *op) {
    return op->u.scan.chunk == 0 ? "selective_scan" : op->u.scan.delta ? "delta_scan" : "chunk_scan";
}

const nnc_op_row nnc_scan_row = {
    .name_of = scan_name,
    NNC_OP_MEMBERS(scan),
    .backward = nnc_op_same_backward,
    .shard = scan_shard,
    .shape = scan_shape,
    .timed = NNC_TIMED_POINTWISE,
};

/* ---- losses: cross-entropy and mean squared error ---- */

/* Computes the work of a loss. Cross-entropy has `tokens` rows of `classes` logits. A fused cross-entropy reads the
 * logits once in forward; in backward it reads the logits again and overwrites them with the gradient. An unfused
 * cross-entropy computes in fp32: forward casts the logits and computes the log-softmax; backward computes the gradient
 * of the log-softmax and casts it to the format of the logits. Mean squared error reads prediction and target in
 * forward, and writes one gradient in backward. Source: counts by inspection.   [cross-entropy]
 *
 * If is_split() is true (tensor ranks divide the classes of an unfused loss), each primitive operation is a kernel in
 * fp32: in forward cast, maximum, difference, exponential, sum, difference; in backward zeros, exponential, sum,
 * product, cast. Source: torch/distributed/tensor/parallel/loss.py of PyTorch (_log_softmax and
 * _nll_loss_and_log_softmax_backward). */
static bool is_split(const nnc_loss *p) { return p->split && p->divided && !p->fused && !p->in_place; }

NNC_SAYING nnc_work loss_work(const nnc_op *op, nnc_derivation *why) {
    const nnc_loss *p = &op->u.loss;
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    NNC_LET(why, tokens, NULL, (double)p->tokens);
    NNC_LET(why, classes, NULL, (double)p->classes);
    NNC_LET(why, element_bytes, NULL, nnc_dtype_bytes(op->dtype));
    NNC_LET(why, flops_per_element, NULL, backward ? 2.0 : p->squared_error ? 3.0 : 5.0);

    nnc_work work = { 0 };
    NNC_SET(why, work.vector_flops, "FLOP", flops_per_element * tokens * classes);
    NNC_NOTE(why, "counts by inspection of the kernel; transcendentals count as one");
    if (p->squared_error) {
        NNC_SET(why, work.read_bytes, "B", 2.0 * tokens * classes * element_bytes);
        NNC_NOTE(why, "prediction and target are read once");
    } else if (p->fused) {
        NNC_SET(why, work.read_bytes, "B", tokens * classes * element_bytes);
        NNC_NOTE(why, "one fused kernel reads the logits once");
    } else if (is_split(p)) {
        NNC_LET(why, logit_read_bytes, "B", backward ? 0.0 : element_bytes);
        NNC_LET(why, gradient_written_bytes, "B", backward ? element_bytes : 0.0);
        NNC_SET(why, work.read_bytes, "B", tokens * classes * (logit_read_bytes + 5.0 * 4.0));
        NNC_NOTE(why, "one fp32 kernel per primitive");
        NNC_SET(why, work.write_bytes, "B", tokens * classes * (gradient_written_bytes + 4.0 * 4.0));
        return work;
    } else if (backward) {
        NNC_SET(why, work.read_bytes, "B", tokens * classes * (4.0 + 4.0));
        NNC_NOTE(why, "unfused in fp32: gradient of the log-softmax, then the cast to the format of the logits");
        NNC_SET(why, work.write_bytes, "B", tokens * classes * (4.0 + element_bytes));
        return work;
    } else {
        NNC_SET(why, work.read_bytes, "B", tokens * classes * (element_bytes + 4.0));
        NNC_NOTE(why, "unfused in fp32: cast of the logits, then the log-softmax");
        NNC_SET(why, work.write_bytes, "B", tokens * classes * (4.0 + 4.0));
        return work;
    }
    if (backward) { NNC_SET(why, work.write_bytes, "B", tokens * classes * element_bytes); }
    return work;
}

NNC_SAYING double loss_kept(const nnc_op *op, nnc_derivation *why) {
    const nnc_loss *p = &op->u.loss;
    const double tokens = (double)p->tokens, classes = (double)p->classes;
    /* the loss itself keeps 0 bytes, because the product that computes the logits counts the one chunk of logits that
     * is kept */
    if (p->keep == NNC_LOSS_KEEPS_CHUNKS) { return 0.0; }
    NNC_LET(why, logit_bytes, NULL, p->keep == NNC_LOSS_KEEPS_FP32 ? 4.0 : nnc_dtype_bytes(op->dtype));
    if (p->in_place) {
        NNC_SAY(why, no_bytes, "B", 0.0);
        NNC_NOTE(why, "the gradient overwrites the logits, so the op that computes the logits counts it");
        return no_bytes;
    }
    NNC_SAY(why, kept_bytes, "B", tokens * classes * logit_bytes);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

/* Returns the transient bytes of a loss; 0 if the loss is fused, in place, or a squared error. A loss that is not fused
 * has the logits, their fp32 copy and the fp32 probabilities in memory at the same time. A loss whose classes are
 * divided over tensor ranks has four fp32 copies of the logits in memory: the log-softmax, the gradient, and the
 * operand and the result of a backward kernel. Tensors that the loss keeps are not part of its transient bytes, because
 * loss_kept() counts them. */
NNC_SAYING double loss_transient(const nnc_op *op, nnc_derivation *why) {
    const nnc_loss *p = &op->u.loss;
    const double tokens = (double)p->tokens, classes = (double)p->classes;
    const double element_bytes = nnc_dtype_bytes(op->dtype), kept_bytes = loss_kept(op, NULL);
    if (p->fused || p->in_place || p->squared_error) { return 0.0; }
    if (is_split(p)) {
        NNC_SAY(why, split_bytes, "B", tokens * classes * (4.0 * 4.0) - kept_bytes);
        NNC_NOTE(why, "backward holds four fp32 copies; kept tensors are counted elsewhere");
        return split_bytes;
    }
    NNC_SAY(why, transient_bytes, "B", tokens * classes * (element_bytes + 4.0 + 4.0) - kept_bytes);
    NNC_NOTE(why, "logits, their fp32 copy and the fp32 probabilities are in memory together; kept tensors are counted "
                  "elsewhere");
    return transient_bytes;
}

NNC_OP_FUNCTIONS(loss)

static void loss_shard(nnc_op *op, const nnc_degrees *d) {
    op->u.loss.tokens /= d->context;
    op->u.loss.divided = op->split == NNC_SPLIT_VOCAB && d->tensor > 1;
    op->u.loss.classes /= op->split == NNC_SPLIT_VOCAB ? d->tensor : 1;
}

static void loss_shape(const nnc_op *op, char *text, size_t size) {
    snprintf(text, size, "rows=%" PRId64 " classes=%" PRId64, op->u.loss.tokens, op->u.loss.classes);
}

static const char *loss_name(const nnc_op *op) { return op->u.loss.squared_error ? "squared_error" : "cross_entropy"; }

const nnc_op_row nnc_loss_row = {
    .name_of = loss_name,
    NNC_OP_MEMBERS(loss),
    .backward = nnc_op_same_backward,
    .shard = loss_shard,
    .shape = loss_shape,
    .timed = NNC_TIMED_POINTWISE,
    .transient_what = "fp32 logits of the loss",
};
