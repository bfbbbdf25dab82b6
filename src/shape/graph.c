/* Any network as a list of ops.   [graph] */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "shape/graph_ops.h"

/* The numbers of the network, with the length that the plan asks for. */
static const int64_t *lets_of(const nnc_graph *g, int64_t length, int64_t own[NNC_GRAPH_LETS_MAX])
{
    const int32_t at = g->net->length_let;
    if (at < 0 || length == 0 || length == g->lets[at]) {
        return g->lets;
    }
    memcpy(own, g->lets, NNC_GRAPH_LETS_MAX * sizeof *own);
    own[at] = length;
    return own;
}

/* ---- lowering ---- */

/* Ops behind the layers are the last segment. */
static void hear(void *context, nnc_graph_walk *walk, const nnc_graph_op *op)
{
    nnc_graph_lowering *l = context;
    if (l->depth == 0 && l->list->segments[l->list->segment_count - 1].layer) {
        nnc_list_segment(&l->to, 1, false);
    }
    nnc_graph_lower_op(context, walk, op);
}

/* A turn of an outermost repeat is a recompute block; of the layers, a segment too. */
static int32_t enter(void *context, nnc_graph_walk *walk, const nnc_graph_node *repeat)
{
    nnc_graph_lowering *l = context;
    const int32_t mark = l->depth < NNC_GRAPH_DEPTH_MAX ? l->depth++ : l->depth;
    if (walk->repeats == 1) {
        const int64_t input = nnc_list_mul(&l->to, l->batch, nnc_graph_elements(&walk->current));
        if (repeat == l->net->layers && l->layered) {
            l->list->stream_elements = input;
            l->layer_segments++;
            nnc_list_segment(&l->to, 1, true);
        }
        l->to = nnc_list_block(&l->to, 1, input);
    }
    l->marks[mark] = l->list->count;
    return mark;
}

static void leave(void *context, int32_t mark, int64_t turns)
{
    nnc_graph_lowering *l = context;
    for (int32_t i = l->marks[mark]; i < l->list->count; i++) {
        l->list->ops[i].repeat = nnc_list_mul(&l->to, l->list->ops[i].repeat, turns);
    }
    l->depth = mark;
    if (mark == 0) {
        nnc_segment *segment = &l->list->segments[l->list->segment_count - 1];
        l->list->blocks[l->to.block].repeat = turns;
        segment->instances = segment->layer ? turns : 1;
        l->to.block = -1;
    }
}

/* Returns how many kinds of layer there were. */
static int32_t write(const nnc_graph *g, const nnc_writer *to, bool layered)
{
    const nnc_plan *plan = to->how->plan;
    nnc_graph_fault fault;
    int64_t own[NNC_GRAPH_LETS_MAX];
    nnc_graph_lowering l = {
        .to = *to, .list = to->list, .net = g->net, .batch = plan->micro_batch, .layered = layered
    };
    const nnc_graph_sink sink = { &l, hear, enter, leave };
    to->list->count = to->list->block_count = to->list->segment_count = 0;
    to->list->truncated = false;
    to->list->input_bytes = 0.0;
    to->list->lookup_params = to->list->stream_elements = 0;
    nnc_list_segment(to, 1, false);
    if (!nnc_graph_run(g->net, lets_of(g, g->net->images ? plan->image : plan->seq_len, own), &sink,
                       &fault)) {
        to->list->overflow = true; /* resolve has run it before */
    }
    return l.layer_segments;
}

static void hear_part(void *context, nnc_graph_walk *walk, const nnc_graph_op *op)
{
    nnc_graph_lower_op(context, walk, op);
}

/* The tokens of a part that works on those of the text. */
static void take_text(const nnc_graph *part, const nnc_plan *plan, int64_t own[NNC_GRAPH_LETS_MAX])
{
    memcpy(own, part->lets, NNC_GRAPH_LETS_MAX * sizeof *own);
    for (int32_t i = 0; i < part->net->let_count; i++) {
        if (strcmp(part->net->let_names[i], "text_len") == 0 && plan->seq_len > 0) {
            own[i] = plan->seq_len;
        }
    }
}

void nnc_graph_write_part(const nnc_graph *part, const nnc_writer *to, int64_t batch)
{
    nnc_graph_fault fault;
    nnc_graph_lowering l = { .to = *to, .list = to->list, .net = part->net, .batch = batch };
    const nnc_graph_sink sink = { &l, hear_part, enter, leave };
    int64_t own[NNC_GRAPH_LETS_MAX];
    take_text(part, to->how->plan, own);
    if (!nnc_graph_run(part->net, own, &sink, &fault)) {
        to->list->overflow = true; /* the reader has run it before */
    }
}

/* Segments that begin with the network and end with it, and two kinds of layer between them: more are no
 * layers. */
enum { LAYER_SEGMENTS_MAX = NNC_SEGMENTS_MAX - 2 };

static void lower(const nnc_model *model, const nnc_writer *to)
{
    const nnc_graph *g = &model->graph;
    if (g->net->layers == NULL || write(g, to, true) > LAYER_SEGMENTS_MAX) {
        write(g, to, false);
    }
}

/* ---- the row ---- */

/* The network once more, in the length that the plan asks for. */
static nnc_status check(const nnc_model *model, const char *option, int64_t length, nnc_error *err)
{
    const nnc_graph *g = &model->graph;
    int64_t own[NNC_GRAPH_LETS_MAX];
    nnc_graph_fault fault;
    nnc_graph_sizes measured;
    const int64_t *lets = lets_of(g, length, own);
    if (lets != g->lets && !nnc_graph_measure(g->net, lets, &measured, &fault)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, option, "%s: %s", fault.where, fault.what);
    }
    return NNC_OK;
}

static int64_t length_of(const nnc_graph *g)
{
    return g->net->length_let >= 0 ? g->lets[g->net->length_let] : 0;
}

/* Equal turns of the layers; 0 = the network is one piece. */
static int64_t layers_of(const nnc_graph *g)
{
    nnc_graph_fault fault;
    nnc_graph_sizes measured = { 0 };
    return g->net->layers != NULL && nnc_graph_measure(g->net, g->lets, &measured, &fault)
               ? measured.layers
               : 0;
}

static nnc_status resolve(const nnc_model *model, nnc_plan *p, nnc_error *err)
{
    const nnc_graph *g = &model->graph;
    const bool images = g->net->images;
    const int64_t asked = images ? p->image : p->seq_len, own = length_of(g);
    const char *option = images ? "--image" : "--seq-len";
    if (images) {
        NNC_TRY(nnc_family_takes_images(model, own, p, err));
    } else if (p->image > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--image", "%s takes tokens, not images", model->id);
    } else {
        p->seq_len = asked > 0 ? asked : own;
    }
    if (asked > 0 && g->net->length_let < 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                        "%s has an input of a fixed shape, whose last axis is no named number",
                        model->id);
    }
    if ((p->pipeline > 1 || p->virtual_stages > 1) && layers_of(g) == 0) {
        return nnc_fail(
            err, NNC_ILLEGAL_PLAN, p->pipeline > 1 ? "--pipeline" : "--virtual-stages",
            "stages are made of layers, and the ops of %s have no one repeat of equal turns, "
            "expected 1",
            model->id);
    }
    return check(model, option, asked, err);
}

static nnc_model_sizes sizes(const nnc_model *model)
{
    const nnc_graph *g = &model->graph;
    const int64_t length = length_of(g);
    const int64_t layers = layers_of(g);
    return (nnc_model_sizes){ .layers = layers > 0 ? layers : 1, /* one piece */
                              .seq_len = g->net->images ? 0 : length,
                              .image = g->net->images ? length : 0 };
}

static void describe(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT])
{
    const nnc_graph *g = &model->graph;
    nnc_graph_fault fault;
    nnc_graph_sizes measured;
    nnc_graph_measure(g->net, g->lets, &measured, &fault);
    snprintf(shape, NNC_SHAPE_TEXT, "%" PRId64 " ops", measured.ops);
    snprintf(input, NNC_SHAPE_TEXT, "%" PRId64 " %s", length_of(g),
             g->net->images ? "pixels" : "tokens");
}

/* What tensor ranks divide has to divide evenly. */
typedef struct divider {
    int64_t ranks;
    nnc_error *err;
    nnc_status status;
    int marked; /* products that are divided */
} divider;

static void divide(divider *d, const nnc_graph_op *op, const char *what, int64_t whole)
{
    char text[96];
    snprintf(text, sizeof text, "%.60s: %s", op->node->label, what);
    if (d->status == NNC_OK) {
        d->status = nnc_divides("--tensor", text, whole, d->ranks, d->err);
    }
}

static void hear_split(void *context, nnc_graph_walk *walk, const nnc_graph_op *op)
{
    divider *d = context;
    (void)walk;
    if (op->node->kind == NNC_GRAPH_LINEAR && op->out.sharded) {
        divide(d, op, "out", op->weights.cols);
        d->marked++;
    } else if (op->node->kind == NNC_GRAPH_ATTENTION && op->in.sharded) {
        const int64_t kv_heads = op->values[NNC_ATTENTION_KV_HEADS];
        divide(d, op, "heads", op->values[NNC_ATTENTION_HEADS]);
        divide(d, op, "kv_heads", kv_heads == NNC_GRAPH_UNSAID ? 0 : kv_heads);
    }
}

static int32_t enter_split(void *context, nnc_graph_walk *walk, const nnc_graph_node *repeat)
{
    (void)context;
    (void)walk;
    (void)repeat;
    return 0;
}

static void leave_split(void *context, int32_t mark, int64_t turns)
{
    (void)context;
    (void)mark;
    (void)turns;
}

static nnc_status split(const nnc_model *model, const nnc_plan *p, nnc_error *err)
{
    divider d = { .ranks = p->tensor, .err = err };
    const nnc_graph_sink sink = { &d, hear_split, enter_split, leave_split };
    nnc_graph_fault fault;
    if (p->context > 1 || p->sequence_parallel) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, p->context > 1 ? "--context" : "--sequence-parallel",
                        "the positions of a graph stay together");
    }
    if (p->tensor == 1) {
        return NNC_OK;
    }
    if (nnc_graph_run(model->graph.net, model->graph.lets, &sink, &fault) && d.marked == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tensor",
                        "no linear layer of %s is marked with a split, expected 1, found %" PRId32,
                        model->id, p->tensor);
    }
    return d.status;
}

const nnc_family_row nnc_graph_family = {
    .sizes = sizes,
    .resolve = resolve,
    .split = split,
    .lower = lower,
    .describe = describe,
};
