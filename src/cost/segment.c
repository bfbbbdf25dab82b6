#include "cost/segment.h"

#include <string.h>

#include "base/number.h"
#include "op/op_row.h"

static void add_weights(const nnc_weights *w, double instances, nnc_parameters *sum)
{
    const double matrices = (double)w->count * instances;
    const double elements = matrices * (double)w->rows * (double)w->cols;
    const double vector = (double)w->vector * instances;
    sum->params += elements + vector;
    sum->factored_elements += matrices * ((double)w->rows + (double)w->cols) + vector;
    if (!w->table) {
        sum->matrix_params += elements;
        sum->orthogonalise_flops += matrices * nnc_muon_flops(w->rows, w->cols);
    }
}

static bool is_expert(const nnc_op *op)
{
    return op->split == NNC_SPLIT_EXPERT_COLUMN || op->split == NNC_SPLIT_EXPERT_ROW;
}

/* Where the parameters of an op are added up. */
static nnc_parameters *kind_of(const nnc_op *op, nnc_segment_sums *s)
{
    if (op->frozen) {
        return is_expert(op) ? &s->frozen_expert : &s->frozen;
    }
    return is_expert(op) ? &s->expert : &s->dense;
}

/* Parameters of a block, of one of its repeats; or of what lies outside blocks. */
static void add_unit(const nnc_op_list *list, const nnc_op *op, double instances, double *params,
                     double outside[NNC_SEGMENTS_MAX])
{
    nnc_parameters own = { 0 };
    if (op->block < 0) {
        add_weights(&op->weights, instances, &own);
        outside[op->segment] += own.params;
    } else {
        add_weights(&op->weights, (double)op->repeat / (double)list->blocks[op->block].repeat,
                    &own);
        params[op->block] += own.params;
    }
}

/* The largest unit of each segment; one that is a unit by itself is all of it. */
static void set_units(const nnc_op_list *list, const double *params, const double *frozen,
                      const double outside[NNC_SEGMENTS_MAX],
                      const double frozen_outside[NNC_SEGMENTS_MAX],
                      nnc_segment_sums sums[NNC_SEGMENTS_MAX])
{
    for (int32_t s = 0; s < list->segment_count; s++) {
        sums[s].unit_params = outside[s];
        sums[s].unit_frozen = frozen_outside[s];
    }
    for (int32_t i = 0; i < list->block_count; i++) {
        nnc_segment_sums *s = &sums[list->blocks[i].segment];
        s->unit_params = nnc_max(s->unit_params, params[i]);
        s->unit_frozen = nnc_max(s->unit_frozen, frozen[i]);
    }
    for (int32_t s = 0; s < list->segment_count; s++) {
        if (!(nnc_list_units(list, s) > 1.0)) {
            sums[s].unit_params = sums[s].dense.params + sums[s].expert.params;
            sums[s].unit_frozen = sums[s].frozen.params + sums[s].frozen_expert.params;
        }
    }
}

void nnc_segments_sum(const nnc_op_list *list, nnc_segment_sums sums[NNC_SEGMENTS_MAX])
{
    double live[NNC_BLOCKS_MAX], again[NNC_BLOCKS_MAX], params[NNC_BLOCKS_MAX],
        outside[NNC_SEGMENTS_MAX] = { 0 };
    double frozen[NNC_BLOCKS_MAX], frozen_outside[NNC_SEGMENTS_MAX] = { 0 };
    memset(sums, 0, sizeof sums[0] * NNC_SEGMENTS_MAX);
    for (int32_t i = 0; i < list->block_count; i++) {
        const nnc_block *block = &list->blocks[i];
        live[i] = again[i] = params[i] = frozen[i] = 0.0;
        sums[block->segment].input_bytes += block->input_bytes * (double)block->repeat /
                                            (double)list->segments[block->segment].instances;
    }
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_op *op = &list->ops[i];
        nnc_segment_sums *s = &sums[op->segment];
        const double instances = (double)op->repeat / (double)list->segments[op->segment].instances;
        const double kept = nnc_op_kept_bytes(op), transient = nnc_op_transient_bytes(op);
        if (op->weights.count > 0 || op->weights.vector > 0) {
            add_weights(&op->weights, instances, kind_of(op, s));
            add_unit(list, op, instances, op->frozen ? frozen : params,
                     op->frozen ? frozen_outside : outside);
        }
        s->kept_bytes += kept * instances;
        if (op->block >= 0) {
            live[op->block] += kept;
            s->live_bytes = nnc_max(s->live_bytes, live[op->block]);
            again[op->block] += nnc_op_dropped_bytes(op);
            s->again_bytes = nnc_max(s->again_bytes, again[op->block]);
        } else {
            s->input_bytes += kept * instances;
        }
        if (transient > s->transient_bytes) {
            s->transient_bytes = transient;
            s->transient_what = nnc_op_row_of(op)->transient_what;
        }
    }
    set_units(list, params, frozen, outside, frozen_outside, sums);
}
