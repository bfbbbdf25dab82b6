/* What a transformer layer asks of the ranks that share it. */
#include "base/error.h"
#include "shape/context.h"
#include "shape/transformer.h"

nnc_status nnc_layer_split_tensor(const nnc_layer *l, const nnc_plan *p, nnc_error *err)
{
    const int64_t t = p->tensor;
    NNC_TRY(nnc_divides("--tensor", "heads", l->heads, t, err));
    if (l->kv_heads > 0 &&
        t % l->kv_heads != 0) { /* else each rank has a whole head, some the same one */
        NNC_TRY(nnc_divides("--tensor", "kv_heads", l->kv_heads, t, err));
    }
    return nnc_divides("--tensor", "ffn_hidden", l->ffn_hidden, t, err);
}

nnc_status nnc_layer_split_sequence(const nnc_plan *p, int64_t tokens, nnc_error *err)
{
    if (p->sequence_parallel && p->tensor == 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--sequence-parallel", "%s",
                        "shards activations over tensor ranks, expected --tensor 2 or more");
    }
    return p->sequence_parallel ? nnc_divides("--sequence-parallel", "the tokens of a rank",
                                              tokens / p->context, p->tensor, err)
                                : NNC_OK;
}

nnc_status nnc_layer_split_context(const nnc_layer *l, const nnc_plan *p, int64_t seq_len,
                                   nnc_error *err)
{
    const int64_t c = p->context, kv_heads = l->kv_heads / p->tensor;
    if (c == 1) {
        return NNC_OK;
    }
    if (nnc_context_of(p)->over_heads) {
        NNC_TRY(nnc_divides("--context", "heads of a tensor rank", l->heads / p->tensor, c, err));
        if (kv_heads >= 1) {
            NNC_TRY(nnc_divides("--context", "kv_heads of a tensor rank", kv_heads, c, err));
        }
        NNC_TRY(nnc_divides("--context", "seq_len", seq_len, c, err));
    } else if (seq_len % 2 != 0) {
        /* each rank takes a block from the front and one from the back: equal causal work */
        NNC_TRY(nnc_divides("--context", "seq_len", seq_len, 2 * c, err));
    } else {
        NNC_TRY(nnc_divides("--context", "half of seq_len", seq_len / 2, c, err));
    }
    if (p->attention == NNC_ATTENTION_UNFUSED) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--attention",
                        "context parallelism streams blocks through a fused kernel, expected "
                        "flash, found unfused");
    }
    return NNC_OK;
}
