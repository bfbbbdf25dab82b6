/* The walk of a graph expands macros and repeats into single ops and infers the shapes of their tensors. The file also
 * has functions that return sizes of a tensor, and functions that count the parameters, ops and equal layers of a
 * network. */
#include "base/base_internal.h"
#include "graph/graph_internal.h"

NNC_ENUM_TEXTS(nnc_graph_kind, NNC_GRAPH_KIND_LIST)

const nnc_graph_kind_row *nnc_graph_kind_row_of(nnc_graph_kind kind) {
    static const nnc_graph_kind_row *const rows[] = {
#define NNC_GRAPH_KIND_AT(name, text, help, row) [name] = &nnc_graph_##row##_row,
        NNC_GRAPH_KIND_LIST(NNC_GRAPH_KIND_AT)
#undef NNC_GRAPH_KIND_AT
    };
    return rows[kind];
}

/* ---- sizes of tensors ---- */

int nnc_graph_width_axis(const nnc_graph_tensor *t) { return t->rank >= 3 ? 0 : t->rank - 1; }

int64_t nnc_graph_width(const nnc_graph_tensor *t) { return t->rank > 0 ? t->dims[nnc_graph_width_axis(t)] : 1; }

int64_t nnc_graph_elements(const nnc_graph_tensor *t) {
    int64_t product = 1;
    for (int32_t i = 0; i < t->rank; i++) { product *= t->dims[i]; }
    return product;
}

int64_t nnc_graph_positions(const nnc_graph_tensor *t) { return nnc_graph_elements(t) / nnc_graph_width(t); }

const char *nnc_graph_shape_text(const nnc_graph_tensor *t, char text[96]) {
    text[0] = '\0';
    for (int32_t i = 0; i < t->rank; i++) { nnc_text_append(text, 96, " x ", "%" PRId64, t->dims[i]); }
    return text;
}

bool nnc_graph_fail(nnc_graph_walk *walk, const nnc_graph_node *node, const char *format, ...) {
    va_list args;
    if (walk->fault->where == NULL) {
        walk->fault->where = node->where;
        va_start(args, format);
        vsnprintf(walk->fault->what, sizeof walk->fault->what, format, args);
        va_end(args);
    }
    return false;
}

/* ---- names of tensors, inside macros ---- */

static nnc_graph_binding *find(nnc_graph_walk *w, int32_t name, int32_t from) {
    for (int32_t i = w->binding_count - 1; i >= from; i--) {
        if (w->bindings[i].name == name) { return &w->bindings[i]; }
    }
    return NULL;
}

/* Gives the current tensor the name `name` in the current macro. If the macro has already used the name for another
 * tensor, the name now stands for the current tensor. Returns false if a fault was recorded. */
static bool bind(nnc_graph_walk *w, const nnc_graph_node *node, int32_t name) {
    nnc_graph_binding *old = find(w, name, w->frame);
    if (!w->begun) { return nnc_graph_fail(w, node, "names a tensor before any tensor exists"); }
    if (old == NULL && w->binding_count == NNC_GRAPH_NAMES_MAX) {
        return nnc_graph_fail(w, node, "too many names at a time, expected at most %d", NNC_GRAPH_NAMES_MAX);
    }
    *(old != NULL ? old : &w->bindings[w->binding_count++]) = (nnc_graph_binding){ name, w->current };
    return true;
}

static bool look_up(nnc_graph_walk *w, const nnc_graph_node *node, int32_t name, nnc_graph_tensor *tensor) {
    const nnc_graph_binding *found = find(w, name, 0);
    if (found == NULL) { return nnc_graph_fail(w, node, "no tensor is called \"%s\" here", w->net->names[name]); }
    *tensor = found->tensor;
    return true;
}

/* ---- ops: values of their parameters, their tensors, checks ---- */

static bool value_of(nnc_graph_walk *w, const nnc_graph_node *node, const char *what, const nnc_expr *expr,
                     const int64_t *args, int64_t *value) {
    return nnc_expr_value(expr, w->lets, args, value) ||
           nnc_graph_fail(w, node,
                          "%s: \"%s\": expected a whole number, found a division with a remainder, or a result out "
                          "of range",
                          what, expr->text);
}

static bool read_values(nnc_graph_walk *w, const nnc_graph_node *node, const int64_t *args,
                        int64_t values[NNC_GRAPH_PARAMS_MAX]) {
    const nnc_graph_kind_row *row = nnc_graph_kind_row_of(node->kind);
    for (int32_t i = 0; i < row->param_count; i++) {
        const nnc_graph_param *param = &row->params[i];
        const nnc_graph_value *said = &node->values[i];
        values[i] = param->type == NNC_GRAPH_NUMBER || said->index < 0 ? param->unsaid : said->index;
        if (said->number.count == 0) { continue; }
        if (!value_of(w, node, param->name, &said->number, args, &values[i])) { return false; }
        if (values[i] < param->min || values[i] > param->max) {
            return nnc_graph_fail(w, node, "%s: %s out of range, expected %" PRId64 " to %" PRId64 ", found %" PRId64,
                                  node->label, param->name, param->min, param->max, values[i]);
        }
    }
    return true;
}

/* Sets op->with and op->also to the tensors that the op names in its parameters. The op reads the named tensors in
 * addition to the current tensor. If the input is not valid, notes a fault and returns false. */
static bool find_others(nnc_graph_walk *w, const nnc_graph_node *node, nnc_graph_op *op) {
    const nnc_graph_kind_row *row = nnc_graph_kind_row_of(node->kind);
    nnc_graph_tensor *next = &op->with;
    for (int32_t i = 0; i < row->param_count; i++) {
        if (row->params[i].type == NNC_GRAPH_TENSOR && node->values[i].index >= 0) {
            if (!look_up(w, node, node->values[i].index, next)) { return false; }
            next = &op->also;
        }
    }
    return true;
}

static bool check_size(nnc_graph_walk *w, const nnc_graph_op *op) {
    int64_t product = 1;
    for (int32_t i = 0; i < op->out.rank; i++) {
        if (op->out.dims[i] < 1 || op->out.dims[i] > NNC_GRAPH_DIM_MAX ||
            !nnc_mul_i64(product, op->out.dims[i], &product) || product > NNC_GRAPH_NUMBER_MAX) {
            char text[96];
            return nnc_graph_fail(w, op->node, "%s: the output has no values or too many: its shape is %s",
                                  op->node->label, nnc_graph_shape_text(&op->out, text));
        }
    }
    const nnc_graph_weights *weights = &op->weights;
    int64_t params = 0;
    if (!nnc_mul_i64(weights->rows, weights->cols, &params) || !nnc_mul_i64(params, weights->count, &params) ||
        params > NNC_GRAPH_NUMBER_MAX) {
        return nnc_graph_fail(w, op->node, "%s: too many parameters", op->node->label);
    }
    return true;
}

static bool shape_of(nnc_graph_walk *w, const nnc_graph_node *node, const int64_t *args, nnc_graph_tensor *t) {
    t->rank = node->shape_count;
    for (int32_t i = 0; i < node->shape_count; i++) {
        if (!value_of(w, node, "shape", &node->shape[i], args, &t->dims[i])) { return false; }
    }
    return true;
}

/* Checks the inputs of an op whose width may be divided over tensor ranks. A product that is split by columns leaves a
 * part of the width on each rank; the next product that is split by rows restores the whole width. An op between a
 * product split by columns and a product split by rows must not need the whole width, and must not read one tensor that
 * is divided over ranks together with one that is whole. Returns false if a fault was recorded. */
static bool check_parts(nnc_graph_walk *w, const nnc_graph_op *op, bool parts) {
    const bool differ = op->with.rank > 0 && op->with.sharded != op->in.sharded;
    return (!op->in.sharded || parts) && !differ
               ? true
               : nnc_graph_fail(w, op->node,
                                "%s: needs the whole width, but tensor ranks have only parts of it: expected a linear "
                                "with split row before this op",
                                op->node->label);
}

static bool run_op(nnc_graph_walk *w, const nnc_graph_node *node, const int64_t *args) {
    int64_t values[NNC_GRAPH_PARAMS_MAX] = { 0 };
    nnc_graph_op op = { .node = node, .values = values, .in = w->current };
    if (!w->begun && node->kind != NNC_GRAPH_INPUT) {
        return nnc_graph_fail(w, node, "%s has no input tensor", node->label);
    }
    if (!read_values(w, node, args, values) || !find_others(w, node, &op)) { return false; }
    op.out = op.in;
    op.out.storage = w->storage_count;
    if (node->shape_count > 0 && !shape_of(w, node, args, &op.out)) { return false; }
    const nnc_graph_kind_row *row = nnc_graph_kind_row_of(node->kind);
    if (!check_parts(w, &op, row->parts || node->kind == NNC_GRAPH_INPUT) || !row->infer(w, &op) ||
        !check_size(w, &op)) {
        return false;
    }
    if (op.out.storage == w->storage_count) {
        if (w->storage_count == NNC_GRAPH_TENSORS_MAX) {
            return nnc_graph_fail(w, node, "too many ops, expected at most %d", NNC_GRAPH_TENSORS_MAX);
        }
        w->storages[w->storage_count++] = (nnc_graph_storage){ 0, -1 };
    }
    w->sink->op(w->sink->context, w, &op);
    w->current = op.out;
    w->begun = true;
    return true;
}

/* ---- repeats: equal iterations are walked once ---- */

/* State of a walk at the start of an iteration of a repeat. Iterations that start with equal states have equal ops and
 * equal shapes. */
typedef struct state {
    nnc_graph_tensor current;
    nnc_graph_binding bindings[NNC_GRAPH_NAMES_MAX];
    uint32_t flags[NNC_GRAPH_NAMES_MAX + 1];
    int32_t alias[NNC_GRAPH_NAMES_MAX]; /* for each name of a tensor: index of the first name whose tensor has the same
                                         * storage as this tensor */
    int32_t count;
    bool current_alias[NNC_GRAPH_NAMES_MAX];
} state;

static void take_state(const nnc_graph_walk *w, int32_t count, state *s) {
    s->current = w->current;
    s->count = count;
    s->flags[count] = w->storages[w->current.storage].flags;
    for (int32_t i = 0; i < count; i++) {
        const int32_t storage = w->bindings[i].tensor.storage;
        s->bindings[i] = w->bindings[i];
        s->flags[i] = w->storages[storage].flags;
        s->current_alias[i] = storage == w->current.storage;
        s->alias[i] = i;
        for (int32_t k = 0; k < i && s->alias[i] == i; k++) {
            s->alias[i] = w->bindings[k].tensor.storage == storage ? k : i;
        }
    }
}

static bool same_tensor(const nnc_graph_tensor *a, const nnc_graph_tensor *b) {
    return nnc_graph_same_shape(a, b) && a->sharded == b->sharded;
}

static bool same_state(const state *a, const state *b) {
    bool same = same_tensor(&a->current, &b->current) && a->flags[a->count] == b->flags[b->count];
    for (int32_t i = 0; same && i < a->count; i++) {
        same = a->bindings[i].name == b->bindings[i].name &&
               same_tensor(&a->bindings[i].tensor, &b->bindings[i].tensor) && a->flags[i] == b->flags[i] &&
               a->alias[i] == b->alias[i] && a->current_alias[i] == b->current_alias[i];
    }
    return same;
}

static bool run_ops(nnc_graph_walk *w, const nnc_graph_ops *ops, const int64_t *args);

/* Walks the iterations of a repeat. If several iterations start with equal states, the function walks only the first.
 * Returns false if a fault was recorded. */
static bool run_repeat(nnc_graph_walk *w, const nnc_graph_node *node, const int64_t *args, int64_t turns) {
    state before, after;
    bool done = true;
    if (turns > 0 && !w->begun) { return nnc_graph_fail(w, node, "a repeat has no input tensor"); }
    w->repeats++;
    for (int64_t turn = 0; done && turn < turns; turn++) {
        const int32_t count = w->binding_count;
        take_state(w, count, &before);
        const int32_t mark = w->sink->enter(w->sink->context, w, node);
        done = run_ops(w, &node->ops, args);
        int64_t equal = 1;
        if (done && turn + 1 < turns) {
            take_state(w, count, &after);
            equal = same_state(&before, &after) ? turns - turn : 1;
        }
        w->sink->leave(w->sink->context, mark, equal);
        turn += equal - 1;
    }
    w->repeats--;
    return done;
}

static bool run_use(nnc_graph_walk *w, const nnc_graph_node *node, const int64_t *args) {
    const nnc_graph_define *define = node->define;
    int64_t own[NNC_GRAPH_ARGS_MAX];
    const int32_t frame = w->frame;
    for (int32_t i = 0; i < define->arg_count; i++) {
        const bool said = node->args[i].count > 0;
        if (!value_of(w, node, define->args[i], said ? &node->args[i] : &define->defaults[i], said ? args : own,
                      &own[i])) {
            return false;
        }
    }
    w->frame = w->binding_count;
    const bool done = run_ops(w, &define->ops, own);
    w->binding_count = w->frame;
    w->frame = frame;
    return done;
}

/* Walks a list of ops with shared weights (tied) or untrained weights (frozen). *marks is the number of lists with
 * shared (or untrained) weights that contain the current op. A list whose `count` has the value 0 has no effect: its
 * ops are walked as if they were outside of the list. Returns false if a fault was recorded. */
static bool run_marked(nnc_graph_walk *w, const nnc_graph_node *node, const int64_t *args, const char *what,
                       int32_t *marks) {
    int64_t count = 0;
    if (!value_of(w, node, what, &node->count, args, &count)) { return false; }
    *marks += count != 0;
    const bool done = run_ops(w, &node->ops, args);
    *marks -= count != 0;
    return done;
}

static bool run_node(nnc_graph_walk *w, const nnc_graph_node *node, const int64_t *args) {
    int64_t count = 0;
    switch (node->step) {
    case NNC_STEP_OP: return run_op(w, node, args);
    case NNC_STEP_USE: return run_use(w, node, args);
    case NNC_STEP_REPEAT:
        return value_of(w, node, "repeat", &node->count, args, &count) &&
               ((count >= 0 && count <= NNC_GRAPH_TURNS_MAX) ||
                nnc_graph_fail(w, node, "repeat: out of range, expected 0 to %d, found %" PRId64, NNC_GRAPH_TURNS_MAX,
                               count)) &&
               run_repeat(w, node, args, count);
    case NNC_STEP_IF:
        return value_of(w, node, "if", &node->count, args, &count) && (count == 0 || run_ops(w, &node->ops, args));
    case NNC_STEP_TIED: return run_marked(w, node, args, "tied", &w->tied);
    case NNC_STEP_FROZEN: return run_marked(w, node, args, "frozen", &w->frozen);
    case NNC_STEP_FROM: return look_up(w, node, node->from, &w->current);
    default: return true;
    }
}

static bool run_ops(nnc_graph_walk *w, const nnc_graph_ops *ops, const int64_t *args) {
    bool done = true;
    w->depth++;
    for (int32_t i = 0; done && i < ops->count; i++) {
        const nnc_graph_node *node = &ops->nodes[i];
        if (w->depth > NNC_GRAPH_DEPTH_MAX || w->steps++ == NNC_GRAPH_STEPS_MAX) {
            return nnc_graph_fail(w, node,
                                  w->depth > NNC_GRAPH_DEPTH_MAX
                                      ? "too deep, expected fewer nested macros"
                                      : "too many ops, expected fewer iterations of a repeat whose shapes change");
        }
        done = run_node(w, node, args) && (node->as < 0 || bind(w, node, node->as));
    }
    w->depth--;
    return done;
}

static bool begin(nnc_graph_walk *w, const int64_t *lets) {
    const struct nnc_graph_net *net = w->net;
    for (int32_t i = 0; i < net->let_count; i++) {
        w->lets[i] = lets[i];
        if (net->lets[i].count > 0 && !nnc_expr_value(&net->lets[i], w->lets, NULL, &w->lets[i])) {
            return nnc_graph_fail(w, &net->input,
                                  "let %s: \"%s\": expected a whole number, found a division with a remainder, or a "
                                  "result out of range",
                                  net->let_names[i], net->lets[i].text);
        }
    }
    return true;
}

bool nnc_graph_run(const struct nnc_graph_net *net, const int64_t *lets, const nnc_graph_sink *sink,
                   nnc_graph_fault *fault) {
    nnc_graph_walk w;
    w.net = net;
    w.sink = sink;
    w.fault = fault;
    w.begun = false;
    w.current = (nnc_graph_tensor){ 0 };
    w.binding_count = w.frame = w.storage_count = w.steps = w.depth = w.repeats = w.tied = w.frozen = 0;
    fault->where = NULL;
    return begin(&w, lets) && run_op(&w, &net->input, NULL) &&
           (net->input.as < 0 || bind(&w, &net->input, net->input.as)) && run_ops(&w, &net->ops, NULL);
}

/* ---- a sink that counts parameters, ops and layers of a whole network ---- */

typedef struct measure {
    const struct nnc_graph_net *net;
    nnc_graph_sizes sizes;
    struct {
        int64_t params, ops;
        bool layers;
    } marks[NNC_GRAPH_DEPTH_MAX + 1];
    int32_t depth;
    int32_t runs; /* number of times that the walk has begun a sequence of equal layers */
} measure;

static void measure_op(void *context, nnc_graph_walk *walk, const nnc_graph_op *op) {
    measure *m = context;
    const nnc_graph_weights *weights = &op->weights;
    int64_t params = 0;
    m->sizes.ops++;
    m->sizes.tables = m->sizes.tables || op->node->kind == NNC_GRAPH_TABLE;
    if (walk->tied > 0) { return; }
    if (!nnc_mul_i64(weights->rows * weights->cols, weights->count, &params) ||
        !nnc_add_i64(params, weights->vector, &params) || !nnc_add_i64(params, m->sizes.params, &m->sizes.params)) {
        nnc_graph_fail(walk, op->node, "more parameters than a 64-bit number can count");
    }
}

static int32_t measure_enter(void *context, nnc_graph_walk *walk, const nnc_graph_node *repeat) {
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

static void measure_leave(void *context, int32_t mark, int64_t turns) {
    measure *m = context;
    int64_t own = m->sizes.params - m->marks[mark].params;
    if (!nnc_mul_i64(own, turns, &own) || !nnc_add_i64(m->marks[mark].params, own, &own)) { own = INT64_MAX; }
    m->sizes.params = own;
    const double ops = (double)(m->sizes.ops - m->marks[mark].ops) * (double)turns;
    m->sizes.ops = m->marks[mark].ops + (ops < 1e15 ? (int64_t)ops : NNC_GRAPH_NUMBER_MAX);
    m->sizes.layers += m->marks[mark].layers ? turns : 0;
    m->depth = mark;
}

bool nnc_graph_measure(const struct nnc_graph_net *net, const int64_t *lets, nnc_graph_sizes *sizes,
                       nnc_graph_fault *fault) {
    measure m = { .net = net };
    const nnc_graph_sink sink = { &m, measure_op, measure_enter, measure_leave };
    const bool done = nnc_graph_run(net, lets, &sink, fault) && fault->where == NULL;
    *sizes = m.sizes;
    /* sets the number of layers only if the network has exactly one sequence of equal layers */
    if (m.runs != 1) { sizes->layers = 0; }
    return done;
}

/* ---- evaluation of expressions in postfix order ---- */

static bool apply(nnc_code_kind kind, int64_t a, int64_t b, int64_t *out) {
    switch (kind) {
    case NNC_CODE_ADD: return nnc_add_i64(a, b, out);
    case NNC_CODE_SUBTRACT: return nnc_add_i64(a, -b, out);
    case NNC_CODE_MULTIPLY: return nnc_mul_i64(a, b, out);
    default:
        if (b == 0 || a % b != 0) { /* sizes of tensors are whole numbers, so a division with a remainder is a fault */
            return false;
        }
        *out = a / b;
        return true;
    }
}

bool nnc_expr_value(const nnc_expr *expr, const int64_t *lets, const int64_t *args, int64_t *value) {
    int64_t stack[NNC_GRAPH_STACK_MAX] = { 0 };
    int32_t depth = 0;
    for (int32_t i = 0; i < expr->count; i++) {
        const nnc_code *code = &expr->code[i];
        int64_t result = code->value;
        if (code->kind == NNC_CODE_LET) {
            result = lets[code->value];
        } else if (code->kind == NNC_CODE_ARG) {
            /* An expression refers to arguments only in the body of a macro; in the body of a macro, args is not NULL.
             * NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
            result = args[code->value];
        } else if (code->kind != NNC_CODE_NUMBER) {
            depth -= 2;
            if (!apply(code->kind, stack[depth], stack[depth + 1], &result)) { return false; }
        }
        if (result > NNC_GRAPH_NUMBER_MAX || result < -NNC_GRAPH_NUMBER_MAX) { return false; }
        stack[depth++] = result;
    }
    *value = stack[0];
    return true;
}
