#include "shape/context.h"

#include "base/names.h"

/* Blocks pass around, each to the next rank; gradients of keys and values travel in fp32, along with the
 * blocks themselves. Source: arXiv:2310.01889. */
static void pass_blocks(const nnc_context_part *part, bool before, nnc_exchange *e)
{
    if (before) {
        e->forward = e->backward = NNC_P2P;
        e->bytes = part->key_value * part->bytes;
        e->backward_bytes = part->key_value * (part->bytes + 4.0);
        e->count = part->ranks - 1.0;
        e->hides = true;
    }
}

static void gather(const nnc_context_part *part, bool before, nnc_exchange *e)
{
    if (before) {
        e->forward = e->backward = NNC_ALL_GATHER;
        e->backward_again = NNC_REDUCE_SCATTER;
        e->bytes = part->key_value * part->ranks * part->bytes;
    }
}

/* Tokens for heads, and back. Source: arXiv:2309.14509. */
static void swap(const nnc_context_part *part, bool before, nnc_exchange *e)
{
    e->forward = e->backward = NNC_ALL_TO_ALL;
    e->bytes = (before ? part->query + part->key_value : part->output) * part->bytes;
}

static const nnc_context_row NNC_ROW(NNC_CONTEXT_RING) = { false, true, pass_blocks };
static const nnc_context_row NNC_ROW(NNC_CONTEXT_ALL_GATHER) = { false, false, gather };
static const nnc_context_row NNC_ROW(NNC_CONTEXT_ULYSSES) = { true, false, swap };
static const nnc_context_row *const rows[] = { NNC_CONTEXT_KIND_LIST(NNC_ROW_AT) };

const nnc_context_row *nnc_context_of(const nnc_plan *plan)
{
    return rows[plan->context_kind];
}
