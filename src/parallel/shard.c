#include "parallel/shard.h"

#include "op/op_row.h"
#include "shape/context.h"

static nnc_degrees degrees_of(const nnc_plan *plan)
{
    const bool over_heads = nnc_context_of(plan)->over_heads;
    nnc_degrees d = { .tensor = plan->tensor, .context = plan->context, .expert = plan->expert };
    d.expert_tensor = plan->whole_experts ? 1 : d.tensor;
    d.expert_rows = d.context * (d.tensor / d.expert_tensor);
    d.sequence = d.context * (plan->sequence_parallel ? d.tensor : 1);
    d.heads = over_heads ? d.tensor * d.context : d.tensor;
    d.positions = over_heads ? 1 : d.context;
    d.imbalance = plan->imbalance;
    return d;
}

void nnc_shard(nnc_op_list *list, const nnc_plan *plan)
{
    const nnc_degrees d = degrees_of(plan);
    if (d.tensor == 1 && d.context == 1 && d.expert == 1) {
        return;
    }
    for (int32_t i = 0; i < list->count; i++) {
        nnc_op_row_of(&list->ops[i])->shard(&list->ops[i], &d);
    }
    for (int32_t i = 0; i < list->block_count; i++) { /* block inputs lie in the residual stream */
        list->blocks[i].input_bytes /= (double)d.sequence;
    }
}
