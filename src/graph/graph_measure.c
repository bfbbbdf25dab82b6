/* Sizes of tensors, and what a network is by itself: parameters, ops, equal layers. */
#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"
#include "graph/graph.h"

int nnc_graph_width_axis(const nnc_graph_tensor *t)
{
    return t->rank >= 3 ? 0 : t->rank - 1;
}

int64_t nnc_graph_width(const nnc_graph_tensor *t)
{
    return t->rank > 0 ? t->dims[nnc_graph_width_axis(t)] : 1;
}

int64_t nnc_graph_elements(const nnc_graph_tensor *t)
{
    int64_t product = 1;
    for (int32_t i = 0; i < t->rank; i++) {
        product *= t->dims[i];
    }
    return product;
}

int64_t nnc_graph_positions(const nnc_graph_tensor *t)
{
    return nnc_graph_elements(t) / nnc_graph_width(t);
}

const char *nnc_graph_shape_text(const nnc_graph_tensor *t, char text[96])
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < t->rank && used < 96; i++) {
        const int n =
            snprintf(text + used, 96 - used, "%s%" PRId64, i > 0 ? " x " : "", t->dims[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

typedef struct measure {
    const struct nnc_graph_net *net;
    nnc_graph_sizes sizes;
    struct {
        int64_t params, ops;
        bool layers;
    } marks[NNC_GRAPH_DEPTH_MAX + 1];
    int32_t depth;
    int32_t runs; /* of the layers, told apart by what they start from */
} measure;

static void measure_op(void *context, nnc_graph_walk *walk, const nnc_graph_op *op)
{
    measure *m = context;
    const nnc_graph_weights *weights = &op->weights;
    int64_t params = 0;
    m->sizes.ops++;
    if (walk->tied > 0) {
        return;
    }
    if (!nnc_mul_i64(weights->rows * weights->cols, weights->count, &params) ||
        !nnc_add_i64(params, weights->vector, &params) ||
        !nnc_add_i64(params, m->sizes.params, &m->sizes.params)) {
        nnc_graph_fail(walk, op->node, "more parameters than 64 bits count");
    }
}

static int32_t measure_enter(void *context, nnc_graph_walk *walk, const nnc_graph_node *repeat)
{
    measure *m = context;
    const int32_t mark = m->depth < NNC_GRAPH_DEPTH_MAX ? m->depth++ : m->depth;
    m->marks[mark].params = m->sizes.params;
    m->marks[mark].ops = m->sizes.ops;
    m->marks[mark].layers = repeat == m->net->layers;
    if (m->marks[mark].layers) {
        m->runs++;
        m->sizes.stream = nnc_graph_elements(&walk->current);
    }
    return mark;
}

static void measure_leave(void *context, int32_t mark, int64_t turns)
{
    measure *m = context;
    int64_t own = m->sizes.params - m->marks[mark].params;
    if (!nnc_mul_i64(own, turns, &own) || !nnc_add_i64(m->marks[mark].params, own, &own)) {
        own = INT64_MAX;
    }
    m->sizes.params = own;
    const double ops = (double)(m->sizes.ops - m->marks[mark].ops) * (double)turns;
    m->sizes.ops = m->marks[mark].ops + (ops < 1e15 ? (int64_t)ops : NNC_GRAPH_NUMBER_MAX);
    m->sizes.layers += m->marks[mark].layers ? turns : 0;
    m->depth = mark;
}

bool nnc_graph_measure(const struct nnc_graph_net *net, const int64_t *lets, nnc_graph_sizes *sizes,
                       nnc_graph_fault *fault)
{
    measure m = { .net = net };
    const nnc_graph_sink sink = { &m, measure_op, measure_enter, measure_leave };
    const bool done = nnc_graph_run(net, lets, &sink, fault) && fault->where == NULL;
    *sizes = m.sizes;
    if (m.runs != 1) {
        sizes->layers = 0; /* they differ */
    }
    return done;
}
