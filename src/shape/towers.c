/* What makes images or sounds into what a decoder reads.   [towers] */
#include "shape/decoder.h"
#include "shape/graph_ops.h"

/* A tower that reads nothing has its parameters all the same. */
static void idle(const nnc_graph *tower, const nnc_writer *to)
{
    nnc_graph_fault fault;
    nnc_graph_sizes sizes = { 0 };
    nnc_graph_measure(tower->net, tower->lets, &sizes, &fault);
    nnc_list_pointwise(to, "tower", NNC_PW_SCALE, NNC_GROUP_EMBEDDING, 0)->weights.vector =
        sizes.params;
}

void nnc_decoder_towers(const nnc_model *model, const nnc_writer *to)
{
    const int64_t images = model->decoder.tower_inputs;
    const int32_t first = to->list->count;
    for (int32_t i = 0; i < model->tower_count; i++) {
        if (images == 0) {
            idle(&model->towers[i], to);
        } else {
            nnc_graph_write_part(&model->towers[i], to,
                                 nnc_list_mul(to, to->how->plan->micro_batch, images));
        }
    }
    for (int32_t i = first; i < to->list->count; i++) {
        to->list->ops[i].tower = true;
    }
}
