/* Norms: layer, RMS, group and batch. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "op/op_internal.h"

/* Normalisation: layer, RMS, group, batch. Per element: FLOPs of the kernel forward and backward,
 * and passes over memory forward when every primitive is a separate kernel (backward has half as
 * many again). Per row: bytes of statistics: mean and reciprocal deviation in fp32, RMS the latter
 * only. on_chip_elements: the longest row that stays on the chip between the pass that sums and the
 * pass that scales; for a group norm 128 KiB in 16 bit, the shared memory of one core of a current
 * GPU. Counts by inspection. */
static const struct {
    const char *name;
    double forward_flops, backward_flops, unfused_passes, statistics_bytes, on_chip_elements;
} kinds[NNC_NORM_KIND_COUNT] = {
    [NNC_NORM_LAYER] = { "layer_norm", 8, 14, 6, 8, INFINITY },
    [NNC_NORM_RMS] = { "rms_norm", 4, 10, 5, 4, INFINITY },
    [NNC_NORM_GROUP] = { "group_norm", 8, 14, 6, 8, 65536 },
    [NNC_NORM_BATCH] = { "batch_norm", 8, 14, 6, 8, 0 },
};

/* Normalisation in one kernel reads x and writes y; backward reads x and dy and writes dx. When a
 * row does not stay on the chip, x is read once more forward, x and dy once more backward. Without
 * fusion there is one kernel per primitive: 6 passes, 5 for RMS, and half as many again backward.
 * By reductions: one kernel each for mean, variance, and the rest; backward one each for sums over
 * columns, sums over rows, and the rest, with two inputs each.   [norm] */
NNC_SAYING nnc_work norm_work(const nnc_op *op, nnc_derivation *why)
{
    const nnc_norm *p = &op->u.norm;
    const bool backward = op->phase == NNC_PHASE_BACKWARD;
    NNC_LET(why, elements, NULL, (double)p->elements);
    /* a group norm that runs in fp32 has casts from 16 bits before it and back after it */
    const bool cast =
        p->kind == NNC_NORM_GROUP && p->keep == NNC_KEEP_UPCAST && nnc_dtype_bytes(op->dtype) < 4.0;
    NNC_LET(why, element_bytes, NULL, nnc_dtype_bytes(op->dtype));
    NNC_LET(why, flops_per_element, NULL,
            backward ? kinds[p->kind].backward_flops : kinds[p->kind].forward_flops);

    const int64_t width = p->elements / p->rows;
    double reads = backward ? 2.0 : 1.0, writes = 1.0;
    if (!p->fused) {
        const double passes = kinds[p->kind].unfused_passes * (backward ? 1.5 : 1.0);
        reads = passes / 2.0;
        writes = passes / 2.0;
    } else if (p->by_reductions) {
        reads = backward ? 6.0 : 3.0;
    } else if ((double)width > kinds[p->kind].on_chip_elements) {
        reads *= 2.0;
    }
    NNC_PUT(why, reads, NULL);
    NNC_PUT(why, writes, NULL);
    nnc_work work = { 0 };
    NNC_SET(why, work.vector_flops, "FLOP", flops_per_element * elements);
    NNC_NOTE(why, "counts by inspection of the kernel; transcendentals count as one");
    NNC_SET(why, work.read_bytes, "B", reads * elements * element_bytes);
    NNC_NOTE(why, !p->fused ? "one kernel per primitive"
                  : p->by_reductions
                      ? "one kernel per sum, and one for the rest"
                      : "in one kernel; read twice if a row does not stay on the chip");
    NNC_SET(why, work.write_bytes, "B", writes * elements * element_bytes);
    if (cast) {
        NNC_LET(why, cast_bytes, NULL, 4.0 + element_bytes);
        NNC_NOTE(why, "per direction: the casts to fp32 before the norm and back after it");
        NNC_SET(why, work.read_bytes, "B", (reads * 4.0 + cast_bytes) * elements);
        NNC_SET(why, work.write_bytes, "B", (writes * 4.0 + cast_bytes) * elements);
    }
    if (p->turned) { /* two maps forward, three backward; each is read and written */
        NNC_LET(why, maps, NULL, backward ? 3.0 : 2.0);
        NNC_LET(why, read_bytes, "B", work.read_bytes);
        NNC_LET(why, write_bytes, "B", work.write_bytes);
        NNC_SET(why, work.read_bytes, "B", read_bytes + maps * elements * element_bytes);
        NNC_SET(why, work.write_bytes, "B", write_bytes + maps * elements * element_bytes);
        NNC_NOTE(why, "channels-last maps, transposed for the norm and back");
    }
    return work;
}

/* Written out in fp32 ("eager"), an RMS norm of 16-bit data keeps the up-cast input and its square,
 * the reciprocal, and the normalised value before the gain. Source: tests/data/reference. */
NNC_SAYING double norm_kept(const nnc_op *op, nnc_derivation *why)
{
    const nnc_norm *p = &op->u.norm;
    const double elements = (double)p->elements, element_bytes = nnc_dtype_bytes(op->dtype);
    NNC_LET(why, rows, NULL, (double)p->rows);
    NNC_LET(why, statistics_bytes, "B", kinds[p->kind].statistics_bytes);
    NNC_LET(why, input_bytes, "B", p->keeps_input ? elements * element_bytes : 0.0);
    NNC_LET(why, upcast_bytes, "B",
            element_bytes < 4.0 ? elements * 4.0 : input_bytes); /* fp32 needs no copy */
    double kept_bytes = 0.0;
    switch (p->keep) {
    case NNC_KEEP_UPCAST:
        NNC_SET(why, kept_bytes, "B", upcast_bytes + statistics_bytes * rows);
        break;
    case NNC_KEEP_EAGER:
        NNC_SET(why, kept_bytes, "B",
                upcast_bytes + elements * 4.0 + statistics_bytes * rows + elements * element_bytes);
        break;
    default: NNC_SET(why, kept_bytes, "B", input_bytes + statistics_bytes * rows); break;
    }
    NNC_NOTE(why, nnc_kept_note);
    return kept_bytes;
}

NNC_SAYING double norm_transient(const nnc_op *op, nnc_derivation *why)
{
    const double elements = (double)op->u.norm.elements, element_bytes = nnc_dtype_bytes(op->dtype);
    NNC_SAY(why, transient_bytes, "B", 2.0 * elements * element_bytes);
    NNC_NOTE(why, nnc_transient_note);
    return transient_bytes;
}

NNC_OP_FUNCTIONS(norm)

static void norm_shard(nnc_op *op, const nnc_degrees *d)
{
    nnc_norm *p = &op->u.norm;
    /* norms of queries and keys: each rank has its heads */
    const int64_t ranks = op->split == NNC_SPLIT_INNER ? d->context * d->tensor : d->sequence;
    p->elements /= ranks;
    p->rows /= p->across_heads ? d->context : ranks;
    op->weights.vector /= p->across_heads ? d->tensor : 1;
}

static void norm_shape(const nnc_op *op, char *text, size_t size)
{
    snprintf(text, size, "rows=%" PRId64 " width=%" PRId64, op->u.norm.rows,
             op->u.norm.elements / op->u.norm.rows);
}

static const char *norm_name(const nnc_op *op)
{
    return kinds[op->u.norm.kind].name;
}

static nnc_timed norm_timed(const nnc_op *op)
{
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
