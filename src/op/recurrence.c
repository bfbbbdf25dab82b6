/* State-space and linear-attention mixers (Mamba, Mamba-2, gated delta rule): a recurrence over tokens. */
#include <inttypes.h>
#include <stdio.h>

#include "op/op_internal.h"

typedef struct dims {
    double tokens, inner, state, groups, heads, chunk;
    double inputs; /* elements per token: values, keys and queries, decays */
    double element_bytes;
} dims;

NNC_SAYING dims dims_of(const nnc_op *op, nnc_derivation *why)
{
    const nnc_scan *p = &op->u.scan;
    dims d;
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

/* FLOPs per token and number of the state: two for the discretised decay, two for the input, two to
 * add it to the decayed state, two to read; and two per value for the skip connection. Counts by
 * inspection of the recurrence; transcendentals count as one. Source: arXiv:2312.00752, algorithm
 * 2.   [scan] */
NNC_SAYING double selective_flops(const dims *d, nnc_derivation *why)
{
    const double tokens = d->tokens, inner = d->inner, state = d->state;
    NNC_SAY(why, recurrence_flops, "FLOP", tokens * inner * (8.0 * state + 2.0));
    NNC_NOTE(why, "decay, input, state and output of every token, on the vector units");
    return recurrence_flops;
}

/* Within a chunk, tokens interact as in attention: products of keys and queries (groups x state),
 * then with the values. Between chunks, the state is written and read once per token. The delta
 * rule first solves for what each token adds: two more products with keys, one more with values,
 * and one more of the state. Sources: arXiv:2405.21060, section 6; arXiv:2412.06464, section 3.3.
 * [scan] */
NNC_SAYING double chunked_flops(const nnc_scan *p, const dims *d, double *mathematics,
                                nnc_derivation *why)
{
    const double tokens = d->tokens, inner = d->inner, state = d->state, chunk = d->chunk;
    const double groups = d->groups, heads = d->heads;
    double pair_flops = 0.0, state_flops = 0.0;
    if (p->delta) {
        NNC_SET(why, pair_flops, "FLOP",
                2.0 * tokens * chunk * (3.0 * heads * state + 2.0 * inner));
        NNC_SET(why, state_flops, "FLOP", 2.0 * tokens * 3.0 * state * inner);
    } else {
        NNC_SET(why, pair_flops, "FLOP", 2.0 * tokens * chunk * (groups * state + inner));
        NNC_SET(why, state_flops, "FLOP", 2.0 * tokens * 2.0 * state * inner);
    }
    NNC_NOTE(why, "the state is written and read; only this recurrence counts as model FLOPs");
    *mathematics = state_flops;
    NNC_SAY(why, scan_flops, "FLOP", pair_flops + state_flops);
    return scan_flops;
}

/* Backward repeats the forward products, since only the inputs are kept, and does two more for
 * each. */
NNC_SAYING nnc_work scan_work(const nnc_op *op, nnc_derivation *why)
{
    const nnc_scan *p = &op->u.scan;
    const dims d = dims_of(op, why);
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
        NNC_NOTE(why, "backward: the forward pass again, and two products for each");
        work.full_flops = (backward ? 2.0 : 1.0) * state_flops;
        work.window_flops = work.causal_flops = work.full_flops;
        NNC_SET(why, work.vector_flops, "FLOP", times * 3.0 * d.tokens * d.chunk * d.heads);
        NNC_NOTE(why, "the decay between two tokens of a chunk: subtract, exp, multiply");
        NNC_SET(why, states_bytes, "B", 4.0 * d.tokens / d.chunk * d.inner * d.state);
        NNC_NOTE(why, "one state per chunk in fp32, written and read");
    }
    NNC_PUT(why, states_bytes, "B");
    if (backward) {
        NNC_SET(why, work.read_bytes, "B",
                d.tokens * (d.inputs + d.inner) * d.element_bytes + 2.0 * states_bytes);
        NNC_SET(why, work.write_bytes, "B",
                d.tokens * d.inputs * d.element_bytes + 2.0 * states_bytes);
        return work;
    }
    NNC_SET(why, work.read_bytes, "B", d.tokens * d.inputs * d.element_bytes + states_bytes);
    NNC_SET(why, work.write_bytes, "B", d.tokens * d.inner * d.element_bytes + states_bytes);
    return work;
}

NNC_SAYING double scan_kept(const nnc_op *op, nnc_derivation *why)
{
    const dims d = dims_of(op, NULL);
    NNC_SAY(why, kept_bytes, "B", d.tokens * d.inputs * d.element_bytes);
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double scan_transient(const nnc_op *op, nnc_derivation *why)
{
    const dims d = dims_of(op, NULL);
    NNC_SAY(why, transient_bytes, "B", d.tokens * (d.inputs + d.inner) * d.element_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(scan)

/* Tensor ranks share the heads; the layer's rules guarantee that groups divide too. */
static void scan_shard(nnc_op *op, const nnc_degrees *d)
{
    nnc_scan *p = &op->u.scan;
    p->tokens /= d->context;
    p->inner /= d->tensor;
    p->heads /= d->tensor;
    p->groups = nnc_at_least_one(p->groups / d->tensor);
    op->weights.vector /= d->tensor;
}

static void scan_shape(const nnc_op *op, char *text, size_t size)
{
    const nnc_scan *p = &op->u.scan;
    snprintf(text, size, "tokens=%" PRId64 " inner=%" PRId64 " state=%" PRId64, p->tokens, p->inner,
             p->state);
}

static const char *scan_name(const nnc_op *op)
{
    return op->u.scan.chunk == 0 ? "selective_scan"
           : op->u.scan.delta    ? "delta_scan"
                                 : "chunk_scan";
}

const nnc_op_row nnc_scan_row = {
    .name_of = scan_name,
    NNC_OP_MEMBERS(scan),
    .backward = nnc_op_same_backward,
    .shard = scan_shard,
    .shape = scan_shape,
    .timed = NNC_TIMED_POINTWISE,
};
