/* The network as serving sees it, from the op list of one forward pass. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "estimate/prepare.h"
#include "op/work.h"
#include "serve/serve.h"
#include "shape/family.h"

static nnc_status refuse(const nnc_model *model, const char *why, nnc_error *err)
{
    return nnc_fail(err, NNC_ILLEGAL_PLAN, model->id, "cannot be served: %s", why);
}

static nnc_status check_family(const nnc_model *model, nnc_error *err)
{
    const nnc_decoder *d = &model->decoder;
    if (model->family != NNC_FAMILY_DECODER) {
        return refuse(model, "only decoders are, which generate token after token", err);
    }
    if (d->bidirectional || d->head != NNC_HEAD_LOGITS) {
        return refuse(model, "it is an encoder, expected a decoder that generates tokens", err);
    }
    if (d->encoder_layers > 0) {
        return refuse(model, "it has an encoder before its decoder, expected a decoder alone", err);
    }
    return NNC_OK;
}

/* Lowers it at a length that shows its windows. */
static nnc_status lower(const nnc_model *model, const nnc_software *software, nnc_op_list *list,
                        nnc_error *err)
{
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = plan.micro_batches = plan.global_batch = 1;
    plan.seq_len = model->decoder.sliding_window > 0 ? 2 * model->decoder.sliding_window : 2;
    plan.precision = NNC_BF16;
    plan.policy = NNC_POLICY_MIXED;
    plan.attention = NNC_ATTENTION_FLASH;
    plan.tensor = plan.pipeline = plan.context = plan.expert = plan.data = 1;
    nnc_lowering how = nnc_lowering_of(&plan, software, plan.attention);
    nnc_lower(model, &how, list);
    return nnc_check_list(list, model, err);
}

static void add_product(nnc_serve_net *net, const nnc_op *op)
{
    const nnc_matmul *u = &op->u.matmul;
    const bool head = op->group == NNC_GROUP_HEAD;
    net->products[net->product_count++] = (nnc_serve_product){
        .name = op->name,
        .group = op->group,
        .split = op->split,
        .layers = (double)op->repeat,
        .n = (double)u->n,
        .k = (double)u->k,
        .heads = (double)u->heads,
        .kv_heads = (double)u->kv_heads,
        .experts = op->weights.active > 0 ? (double)op->weights.count : 0.0,
        .chosen = (double)op->weights.active,
        .plain = head || op->group == NNC_GROUP_EMBEDDING || strcmp(op->name, "moe.router") == 0,
        .last = head,
    };
}

static void add_attention(nnc_serve_net *net, const nnc_decoder *d, const nnc_op *op)
{
    const nnc_flash *u = &op->u.flash;
    const bool latent = d->kv_lora_rank > 0;
    const double window = u->window_pairs / (double)u->s_q;
    net->attentions[net->attention_count++] = (nnc_serve_attention){
        .name = op->name,
        .layers = (double)op->repeat,
        .heads = (double)u->heads,
        .kv_heads = (double)u->kv_heads,
        .key_dim = (double)u->head_dim,
        .value_dim = (double)u->value_dim,
        .window = u->window_pairs < u->full_pairs ? window : 0.0,
        .latent = latent ? (double)d->kv_lora_rank : 0.0,
        .rope = latent ? (double)d->qk_rope_head_dim : 0.0,
    };
}

/* A layer's state: what its scan carries, or the tokens that its convolution still sees. */
static void add_state(nnc_serve_net *net, const nnc_op *op, double elements, double flops)
{
    net->states[net->state_count++] = (nnc_serve_state){
        .name = op->name, .layers = (double)op->repeat, .elements = elements, .flops = flops
    };
}

static bool is_full(const nnc_serve_net *net)
{
    return net->product_count == NNC_SERVE_PRODUCTS ||
           net->attention_count == NNC_SERVE_ATTENTIONS || net->state_count == NNC_SERVE_ATTENTIONS;
}

static void add_op(nnc_serve_net *net, const nnc_decoder *d, const nnc_op *op)
{
    const double scanned = (double)op->u.scan.inner * (double)op->u.scan.state;
    switch (op->kind) {
    case NNC_OP_MATMUL: add_product(net, op); break;
    case NNC_OP_FLASH: add_attention(net, d, op); break;
    case NNC_OP_SCAN: add_state(net, op, scanned, 6.0 * scanned); break;
    case NNC_OP_CONV:
        add_state(net, op, (double)op->u.conv.c_in * (double)(op->u.conv.kernel - 1),
                  2.0 * (double)op->u.conv.c_in * (double)op->u.conv.kernel);
        break;
    default: break;
    }
}

/* What tensor ranks add up: the last product of the attention and of the MLP of each layer, or of both at
 * once where they run side by side. */
static double reductions_of(const nnc_serve_net *net, const nnc_decoder *d)
{
    const bool beside =
        d->norm_place == NNC_NORM_PARALLEL || d->norm_place == NNC_NORM_PARALLEL_TWO;
    double attention = 0.0, mlp = 0.0;
    for (int32_t i = 0; i < net->product_count; i++) {
        const nnc_serve_product *p = &net->products[i];
        if (p->split == NNC_SPLIT_ROW && p->group == NNC_GROUP_ATTENTION) {
            attention += p->layers;
        } else if (p->split == NNC_SPLIT_EXPERT_ROW ||
                   (p->split == NNC_SPLIT_ROW && strcmp(p->name, "mlp.down") == 0)) {
            mlp += p->layers;
        }
    }
    return beside ? nnc_max(attention, mlp) : attention + mlp;
}

nnc_status nnc_serve_net_of(const nnc_model *model, const nnc_software *software,
                            nnc_scratch *scratch, nnc_serve_net *net, nnc_error *err)
{
    const nnc_decoder *d = &model->decoder;
    const nnc_op_list *list = &scratch->list;
    double in_products = 0.0;
    *net = (nnc_serve_net){ .layers = 0.0 };
    NNC_TRY(check_family(model, err));
    NNC_TRY(lower(model, software, &scratch->list, err));
    net->layers = (double)d->layers;
    net->hidden = (double)d->hidden;
    net->vocab = (double)nnc_vocab_rows(d);
    net->experts = (double)d->experts;
    for (int32_t i = 0; i < list->count; i++) {
        net->params +=
            (double)nnc_weights_params(&list->ops[i].weights) * (double)list->ops[i].repeat;
        if (is_full(net)) {
            return nnc_fail(err, NNC_BAD_SPEC, model->id,
                            "too many kinds of layers to serve, expected at most %d products",
                            NNC_SERVE_PRODUCTS);
        }
        add_op(net, d, &list->ops[i]);
    }
    for (int32_t i = 0; i < net->product_count; i++) {
        const nnc_serve_product *p = &net->products[i];
        const double matrices = p->experts > 0.0 ? p->experts : 1.0;
        net->expert_layers += p->split == NNC_SPLIT_EXPERT_ROW ? p->layers : 0.0;
        in_products += p->last && d->tied_head ? 0.0 : p->layers * matrices * p->n * p->k;
    }
    net->other_params = net->params - in_products;
    net->reductions = reductions_of(net, d);
    return NNC_OK;
}
