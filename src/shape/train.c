/* Decides which weights a training step trains: all weights, the weights of some parts of a network, or low-rank
 * adapters of its linear layers. Frozen weights need no gradient; ops before the first trained weight need no backward.
 * Sources: LoRA arXiv:2106.09685; QLoRA arXiv:2305.14314; DoRA arXiv:2402.09353. [adapters] */
#include <string.h>

#include "shape/shape_internal.h"

static bool is_trained(const nnc_op *op, unsigned train) {
    static const unsigned flags[NNC_GROUP_COUNT] = {
        [NNC_GROUP_EMBEDDING] = NNC_TRAIN_EMBEDDING,
        [NNC_GROUP_ATTENTION] = NNC_TRAIN_ATTENTION,
        [NNC_GROUP_MLP] = NNC_TRAIN_MLP,
        [NNC_GROUP_NORM] = NNC_TRAIN_NORM,
        [NNC_GROUP_CONV] = NNC_TRAIN_CONV,
        [NNC_GROUP_TIME] = NNC_TRAIN_TIME,
        [NNC_GROUP_HEAD] = NNC_TRAIN_HEAD,
    };
    return !op->fixed && !op->outside && (train & (op->tower ? NNC_TRAIN_TOWERS : flags[op->group])) != 0;
}

/* Tests whether an op is the product of a tied head, which computes logits with the weights of the embedding table. */
static bool is_tied(const nnc_op *op) {
    return op->weights.table && op->weights.count == 0 && op->kind == NNC_OP_MATMUL;
}

static bool has_weights(const nnc_op *op) { return op->weights.count > 0 || op->weights.vector > 0; }

/* Tests whether an op is a linear layer: a matrix product whose weight no other op uses and that is neither an
 * embedding table nor the head. */
static bool is_linear(const nnc_op *op) {
    return op->kind == NNC_OP_MATMUL && op->u.matmul.b_is_weight && op->weights.count > 0 && !op->weights.table &&
           op->group != NNC_GROUP_HEAD;
}

/* Libraries store the weight of one linear layer of nncost's op list as one or several matrices (query, key, value
 * ...). Returns the matrices of the layer as a set of flags; 0 = the layer cannot have adapters. The function looks for
 * the first row of the table whose member `end` is the end of the op's name; this row has the matrices of the layer. */
static unsigned matrices_of(const nnc_op *op) {
    enum { QKV = NNC_ADAPTED_QUERY | NNC_ADAPTED_KEY | NNC_ADAPTED_VALUE };
#define END(text) text, sizeof(text) - 1
    static const struct {
        const char *end;
        uint16_t length, matrices;
    } rows[] = {
        { END(".qkv"), QKV },
        { END("index.q"), 0 },
        { END("index.k"), 0 },
        { END(".q"), NNC_ADAPTED_QUERY },
        { END(".q_down"), NNC_ADAPTED_QUERY },
        { END(".q_up"), NNC_ADAPTED_QUERY },
        { END(".k"), NNC_ADAPTED_KEY },
        { END(".v"), NNC_ADAPTED_VALUE },
        { END(".kv"), NNC_ADAPTED_KEY | NNC_ADAPTED_VALUE },
        { END(".kv_down"), NNC_ADAPTED_KEY },
        { END(".kv_up"), NNC_ADAPTED_KEY },
        { END("ssm.in"), NNC_ADAPTED_MIXER_IN },
        { END("ssm.gate_in"), NNC_ADAPTED_MIXER_IN },
        { END("ssm.decay"), NNC_ADAPTED_MIXER_IN },
        { END("ssm.out"), NNC_ADAPTED_MIXER_OUT },
        { END(".out"), NNC_ADAPTED_OUT },
        { END(".gate_up"), NNC_ADAPTED_GATE | NNC_ADAPTED_UP },
        { END(".gate"), NNC_ADAPTED_GATE },
        { END(".up"), NNC_ADAPTED_UP },
        { END(".down"), NNC_ADAPTED_DOWN },
        { END(".shared_gate_up"), NNC_ADAPTED_SHARED_GATE | NNC_ADAPTED_SHARED_UP },
        { END(".shared_up"), NNC_ADAPTED_SHARED_UP },
        { END(".shared_down"), NNC_ADAPTED_SHARED_DOWN },
    };
#undef END
    const size_t length = strlen(op->name);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t tail = rows[i].length;
        if (length >= tail && memcmp(op->name + length - tail, rows[i].end, tail) == 0) { return rows[i].matrices; }
    }
    return 0;
}

static int64_t bits_of(unsigned flags) {
    int64_t count = 0;
    for (; flags != 0; flags &= flags - 1) { count++; }
    return count;
}

static bool is_expert(const nnc_op *op) {
    return op->split == NNC_SPLIT_EXPERT_COLUMN || op->split == NNC_SPLIT_EXPERT_ROW;
}

/* Returns the number of matrices of a linear layer to which the plan adds adapters; 0 = the layer gets no adapter. Sets
 * *outputs to the number of outputs of the matrices with adapters together. Each routed expert has two adapters: one
 * for its gate and up matrices together, and one for its down matrix. Source: Axolotl,
 * src/axolotl/integrations/kernels/libs/scattermoe_lora/layers.py. */
static int64_t adapted_parts(const nnc_op *op, const nnc_plan *plan, int64_t *outputs) {
    const nnc_matmul *p = &op->u.matmul;
    unsigned asked = plan->adapters;
    *outputs = p->n;
    if (plan->adapter_rank == 0 || op->outside || !is_linear(op)) { return 0; }
    if (is_expert(op)) { return (asked & NNC_ADAPTED_EXPERTS) != 0 ? 1 : 0; }
    if (op->tower || op->weights.count != 1 || strcmp(op->name, "moe.router") == 0 ||
        (op->group != NNC_GROUP_ATTENTION && op->group != NNC_GROUP_MLP &&
         strcmp(op->name, "embed.inputs_project") != 0)) {
        return 0;
    }
    const bool is_qkv = op->split == NNC_SPLIT_QKV && nnc_ends_in(op->name, "qkv");
    const unsigned has = matrices_of(op);
    if (is_qkv && (asked & NNC_ADAPTED_QKV) != 0) { return 1; }
    if (asked == NNC_ADAPTED_LINEAR) { return has != 0 ? bits_of(has) : 1; }
    asked |= (asked & NNC_ADAPTED_MLP) / NNC_ADAPTED_GATE * NNC_ADAPTED_SHARED_GATE;
    if (is_qkv && (has & asked) != has) {
        const int64_t rows = p->heads + 2 * p->kv_heads;
        const int64_t kv = rows > 0 ? p->n / rows * p->kv_heads : 0;
        *outputs = ((has & asked & NNC_ADAPTED_QUERY) != 0 ? p->n - 2 * kv : 0) +
                   bits_of(has & asked & (NNC_ADAPTED_KEY | NNC_ADAPTED_VALUE)) * kv;
    } else if ((has & asked) != has) { /* only some matrices of the layer have adapters; all its matrices have equal
                                        * sizes */
        *outputs = p->n / bits_of(has) * bits_of(has & asked);
    }
    return bits_of(has & asked);
}

/* Adds the sizes of `count` matrices of rows x cols to *to: elements of the projections and moments, multiplications of
 * a projection, parameters. */
static void add_projected(nnc_projected *to, double rank, double count, double rows, double cols) {
    /* rank of the projection, which is at most the shorter side of the matrix */
    const double used = nnc_min(rank, nnc_min(rows, cols));
    to->elements += count * used * (rows + cols + nnc_max(rows, cols));
    to->products += count * used * rows * cols;
    to->params += count * rows * cols;
}

nnc_projected nnc_projected_of(const nnc_op *op, int64_t rank) {
    const nnc_matmul *p = &op->u.matmul;
    const double r = (double)rank;
    nnc_projected sum = { 0 };
    if (!is_linear(op) || is_expert(op) || op->tower) { return sum; }
    const double rows = (double)op->weights.rows, cols = (double)op->weights.cols, count = (double)op->weights.count;
    if (op->split == NNC_SPLIT_QKV && nnc_ends_in(op->name, "qkv") && p->heads + 2 * p->kv_heads > 0) {
        const double head = cols / (double)(p->heads + 2 * p->kv_heads);
        add_projected(&sum, r, count, rows, head * (double)p->heads);
        add_projected(&sum, r, 2.0 * count, rows, head * (double)p->kv_heads);
        return sum;
    }
    const double parts = nnc_ends_in(op->name, "gate_up") || nnc_ends_in(op->name, ".kv") ? 2.0 : 1.0;
    add_projected(&sum, r, count * parts, rows, cols / parts);
    return sum;
}

static bool is_adapted(const nnc_op *op, const nnc_plan *plan) {
    int64_t outputs;
    return adapted_parts(op, plan, &outputs) > 0;
}

/* A position in an op list at which the next op is inserted. */
typedef struct place {
    nnc_op_list *list;
    int32_t at; /* index of the next inserted op; each insertion adds 1 to it */
} place;

static nnc_op *insert(place *to, const nnc_op *base, const char *name, nnc_op_kind kind) {
    nnc_op_list *list = to->list;
    const nnc_op like = *base; /* a copy of the op *base, because the insertion can move this op in the list */
    if (list->count == NNC_OPS_MAX) {
        list->truncated = true;
        list->count--;
    }
    nnc_op *op = &list->ops[to->at];
    memmove(op + 1, op, (size_t)(list->count - to->at) * sizeof *op);
    list->count++;
    to->at++;
    *op = like;
    op->name = name;
    op->kind = kind;
    op->weights = (nnc_weights){ 0 };
    op->frozen = op->recomputed = false;
    memset(&op->u, 0, sizeof op->u);
    return op;
}

static nnc_op *over(place *to, const nnc_op *base, const char *name, nnc_pointwise_kind kind, int64_t elements) {
    const bool column = base->split == NNC_SPLIT_COLUMN || base->split == NNC_SPLIT_QKV;
    const bool expert = is_expert(base);
    nnc_op *op = insert(to, base, name, NNC_OP_POINTWISE);
    op->split = expert ? NNC_SPLIT_EXPERT_ROW : column ? NNC_SPLIT_INNER : NNC_SPLIT_TOKENS;
    op->u.pointwise = (nnc_pointwise){ .kind = kind, .elements = elements, .fused = true };
    return op;
}

/* Inserts the ops of a low-rank adapter of the linear layer y = x W, which becomes y = x W + (x A) B. The product x A
 * has adapter_rank values per token; every tensor rank computes all of these values. */
static void add_adapter(place *to, const nnc_op *base, const nnc_plan *plan) {
    const nnc_op linear = *base;
    const nnc_matmul p = linear.u.matmul;
    int64_t outputs;
    const int64_t rank = plan->adapter_rank, inner = adapted_parts(&linear, plan, &outputs) * rank;
    const bool column = linear.split == NNC_SPLIT_COLUMN || linear.split == NNC_SPLIT_QKV, expert = is_expert(&linear);
    /* With DoRA, the step also computes the matrix W + A B, because DoRA needs the length of one column of this matrix
     * for each output. */
    if (plan->dora) {
        nnc_op *weight = insert(to, &linear, "adapter.weight", NNC_OP_MATMUL);
        weight->split = NNC_SPLIT_COLUMN;
        weight->forward_only = weight->detached = true;
        weight->u.matmul = (nnc_matmul){ .batch = 1,
                                         .m = column ? p.k : outputs,
                                         .n = column ? outputs : p.k,
                                         .k = rank,
                                         .b_shared = 1,
                                         .kept_divisor = 1 };
        nnc_op *lengths = over(to, &linear, "adapter.lengths", NNC_PW_SCALE, p.k * outputs);
        lengths->forward_only = lengths->detached = true;
    }
    nnc_op *a = insert(to, &linear, "adapter.down", NNC_OP_MATMUL);
    a->split = column ? NNC_SPLIT_TOKENS : linear.split;
    a->weights = linear.weights;
    a->weights.vector = 0;
    a->weights.rows = p.k;
    a->weights.cols = inner;
    a->u.matmul = p;
    a->u.matmul.n = inner;
    a->u.matmul.heads = a->u.matmul.kv_heads = 0;
    nnc_op *b = insert(to, &linear, "adapter.up", NNC_OP_MATMUL);
    b->split = expert ? linear.split : column ? NNC_SPLIT_COLUMN : NNC_SPLIT_TOKENS;
    b->weights = a->weights;
    b->weights.rows = rank;
    b->weights.cols = outputs;
    b->u.matmul = p;
    b->u.matmul.n = outputs;
    b->u.matmul.k = rank;
    b->u.matmul.heads = b->u.matmul.kv_heads = 0;
    b->u.matmul.needs_grad_input = b->u.matmul.keeps_a = true;
    over(to, &linear, "adapter.add", NNC_PW_RESIDUAL, p.m * outputs);
    if (plan->dora) {
        nnc_op *length = over(to, &linear, "adapter.length", NNC_PW_SCALE, p.m * outputs);
        length->weights.vector = outputs;
        length->u.pointwise.keeps_input = true;
    }
}

/* Inserts the ops of an adapter that rotates the input of a linear layer (OFT): y = (x R) W. R consists of orthogonal
 * blocks with adapter_rank rows and columns, one block for each group of inputs. Each block of b rows has b (b - 1) / 2
 * parameters, which form a skew-symmetric matrix Q. The orthogonal block is I + 2 Q + 2 Q^2 + 2 Q^3 + Q^4, which takes
 * three products of b x b matrices. The number of blocks of R is rounded down. Source: peft,
 * src/peft/tuners/oft/layer.py, _cayley_batch. */
static void add_rotation(place *to, const nnc_op *base, const nnc_plan *plan) {
    const nnc_op linear = *base;
    const nnc_matmul p = linear.u.matmul;
    int64_t outputs;
    const int64_t b = plan->adapter_rank < p.k ? plan->adapter_rank : p.k;
    const int64_t blocks = adapted_parts(&linear, plan, &outputs) * (p.k / b);
    nnc_op *powers = insert(to, &linear, "adapter.blocks", NNC_OP_MATMUL);
    powers->split = NNC_SPLIT_TOKENS;
    powers->weights =
        (nnc_weights){ .count = blocks, .rows = b % 2 == 0 ? b / 2 : b, .cols = b % 2 == 0 ? b - 1 : (b - 1) / 2 };
    powers->u.matmul = (nnc_matmul){ .batch = 3 * blocks, .m = b, .n = b, .k = b, .b_shared = 1, .kept_divisor = 1 };
    powers->u.matmul.keeps_a = powers->u.matmul.needs_grad_input = true;
    nnc_op *rotate = insert(to, &linear, "adapter.rotate", NNC_OP_MATMUL);
    rotate->split = NNC_SPLIT_TOKENS;
    rotate->u.matmul =
        (nnc_matmul){ .batch = blocks, .m = p.batch * p.m, .n = b, .k = b, .b_shared = 1, .kept_divisor = 1 };
    rotate->u.matmul.keeps_a = rotate->u.matmul.keeps_b = rotate->u.matmul.needs_grad_input = true;
}

/* Tests whether a frozen weight is stored in fewer than 16 bits and has to be converted to 16 bits before each product,
 * in forward and in backward. Weights in fp8 need no conversion if products are computed in 8 or 4 bits. */
static bool is_dequantized(const nnc_plan *plan) {
    return plan->frozen != NNC_FROZEN_16 && plan->frozen != NNC_FROZEN_32 &&
           !(plan->frozen == NNC_FROZEN_FP8 && nnc_precision_is_narrow(plan->precision));
}

static void add_dequantize(place *to, const nnc_op *base, const nnc_plan *plan) {
    const nnc_op copy = *base, *linear = &copy;
    const nnc_weights *w = &linear->weights;
    const int64_t elements = w->count * w->rows * w->cols;
    nnc_op *op = insert(to, linear, "dequantize", NNC_OP_POINTWISE);
    op->split = is_expert(linear) ? NNC_SPLIT_EXPERT_INNER : linear->split;
    op->recomputed = true;
    op->dtype = NNC_BF16;
    op->u.pointwise = (nnc_pointwise){ .kind = NNC_PW_DEQUANTIZE,
                                       .elements = elements,
                                       .input_elements = plan->frozen == NNC_FROZEN_NF4 ? elements / 4 : elements / 2,
                                       .fused = true };
}

/* Tests whether a product after op `at` reads the input of op `at` and needs this input for backward; only products
 * before the next norm of this input are tested. A norm that directly follows op `at` is a norm of the output of op
 * `at`, as in latent attention. */
static bool read_again(const nnc_op_list *list, int32_t at, unsigned train, const nnc_plan *plan) {
    const nnc_matmul *p = &list->ops[at].u.matmul;
    for (int32_t i = at + 1; i < list->count; i++) {
        const nnc_op *op = &list->ops[i];
        if (op->kind == NNC_OP_NORM && i > at + 1) { return false; }
        if (op->kind == NNC_OP_MATMUL && op->u.matmul.b_is_weight && !op->u.matmul.keeps_a && op->u.matmul.k == p->k &&
            (is_trained(op, train) || (is_adapted(op, plan) && !plan->oft))) {
            return true;
        }
    }
    return false;
}

/* Tests whether an op belongs to a layer that comes before all layers that the plan trains. */
static bool is_before(const nnc_op_list *list, const nnc_op *op) { return list->segments[op->segment].before; }

/* Returns the index of the first op of the repeat that contains op `at`; returns `at` if no repeat contains the op. If
 * one op of a repeat is trained, all ops of this repeat need backward, because in the second iteration every op of the
 * repeat comes after the trained op of the first iteration. */
static int32_t begin_of(const nnc_op_list *list, int32_t at) {
    if (at == list->count) { return at; }
    const bool layer = list->segments[list->ops[at].segment].layer;
    const int32_t block = list->ops[at].block;
    for (int32_t i = 0; i < at; i++) {
        const nnc_op *op = &list->ops[i];
        if (layer ? list->segments[op->segment].layer && !is_before(list, op) : block >= 0 && op->block == block) {
            return i;
        }
    }
    return at;
}

/* Marks the first trained op of the list so that no gradient of its input is computed, because no op before it is
 * trained. If the first trained op is inside a repeat, the gradient of its input is still needed, because the later
 * iterations of the repeat come after the trained op. */
static void stop_gradient(nnc_op_list *list, int32_t first) {
    nnc_op *op = &list->ops[first];
    if (first == list->count || op->repeat > 1 || list->segments[op->segment].instances > 1) { return; }
    if (op->kind == NNC_OP_MATMUL) {
        op->u.matmul.needs_grad_input = false;
    } else if (op->kind == NNC_OP_CONV) {
        op->u.conv.needs_grad_input = false;
    }
}

/* For each recompute block whose ops have no backward: sets the bytes of its kept input to 0, because nothing in the
 * block is computed again. */
static void clear_blocks(nnc_op_list *list) {
    for (int32_t b = 0; b < list->block_count; b++) {
        bool backward = false;
        for (int32_t i = 0; i < list->count; i++) {
            backward = backward || (list->ops[i].block == b && !list->ops[i].forward_only);
        }
        list->blocks[b].input_bytes *= backward ? 1.0 : 0.0;
    }
}

/* ---- training only some of the layers (option --train-layers) [adapters] ---- */

/* The three parts into which a segment of layers is divided: the layers before the trained layers (BEFORE), the layers
 * that the plan trains (AMONG), and the layers after the trained layers (AFTER). */
enum { BEFORE, AMONG, AFTER, PARTS };

typedef struct layer_range {
    int64_t from, to; /* the plan trains the layers with the indices `from` to `to` - 1 */
} layer_range;

static int part_of(const layer_range *range, int64_t layer) {
    return layer < range->from ? BEFORE : layer < range->to ? AMONG : AFTER;
}

static int64_t within(int64_t value, int64_t from, int64_t until) {
    return value < from ? from : value > until ? until : value;
}

static int64_t layers_of(const nnc_op_list *list) {
    int64_t layers = 0;
    for (int32_t s = 0; s < list->segment_count; s++) {
        layers += list->segments[s].layer ? list->segments[s].instances : 0;
    }
    return layers;
}

/* Counts the layers of segment `s` in three parts: counts[part] is the number of layers before, among and after the
 * layers that the plan trains. first: index in the network of the segment's first layer; used if the layers of the
 * segment follow each other. */
static void count_parts(const nnc_op_list *list, const layer_range *range, int32_t s, int64_t first,
                        int64_t counts[PARTS]) {
    for (int part = 0; part < PARTS; part++) { counts[part] = 0; }
    for (int64_t i = 0; i < list->mixed_count; i++) { counts[part_of(range, i)] += list->mixed[i] == s ? 1 : 0; }
    if (list->mixed_count > 0) { return; }
    const int64_t last = first + list->segments[s].instances;
    const int64_t before = within(range->from, first, last), until = within(range->to, first, last);
    counts[BEFORE] = before - first;
    counts[AMONG] = until - before;
    counts[AFTER] = last - until;
}

/* Copies the ops and the recompute blocks of segment `s` to segment s + part. begin: index of the first op of segment
 * `s`; length: number of ops of segment `s`. */
static void copy_ops(nnc_op_list *list, int32_t s, int32_t begin, int32_t length, int32_t part) {
    nnc_op *ops = &list->ops[begin + part * length];
    const int32_t known = list->block_count;
    memcpy(ops, &list->ops[begin], (size_t)length * sizeof *ops);
    list->segments[s + part] = list->segments[s];
    for (int32_t i = 0; i < length; i++) { ops[i].segment = s + part; }
    for (int32_t b = 0; b < known; b++) {
        if (list->blocks[b].segment != s) { continue; }
        list->blocks[list->block_count] = list->blocks[b];
        list->blocks[list->block_count].segment = s + part;
        for (int32_t i = 0; i < length; i++) { ops[i].block = ops[i].block == b ? list->block_count : ops[i].block; }
        list->block_count++;
    }
}

/* Inserts `more` segments after segment `s`; each one is a copy of segment `s` with its ops and recompute blocks.
 * Returns the index of the first op of segment `s`, and sets *length to the number of ops of segment `s`. */
static int32_t copy_segment(nnc_op_list *list, int32_t s, int32_t more, int32_t *length) {
    int32_t begin = 0, end;
    while (begin < list->count && list->ops[begin].segment < s) { begin++; }
    for (end = begin; end < list->count && list->ops[end].segment == s;) { end++; }
    *length = end - begin;
    int32_t blocks = 0;
    for (int32_t b = 0; b < list->block_count; b++) { blocks += list->blocks[b].segment == s ? 1 : 0; }
    if (list->count + more * *length > NNC_OPS_MAX || list->segment_count + more > NNC_SEGMENTS_MAX ||
        list->block_count + more * blocks > NNC_BLOCKS_MAX) {
        list->truncated = true;
        return begin;
    }
    memmove(&list->ops[end + more * *length], &list->ops[end], (size_t)(list->count - end) * sizeof *list->ops);
    memmove(&list->segments[s + 1 + more], &list->segments[s + 1],
            (size_t)(list->segment_count - s - 1) * sizeof *list->segments);
    list->count += more * *length;
    list->segment_count += more;
    for (int32_t i = end + more * *length; i < list->count; i++) { list->ops[i].segment += more; }
    for (int32_t i = 0; i < list->mixed_count; i++) {
        list->mixed[i] = (uint8_t)(list->mixed[i] > s ? list->mixed[i] + more : list->mixed[i]);
    }
    for (int32_t b = 0; b < list->block_count; b++) {
        list->blocks[b].segment += list->blocks[b].segment > s ? more : 0;
    }
    for (int32_t part = 1; part <= more; part++) { copy_ops(list, s, begin, *length, part); }
    return begin;
}

/* Changes the number of layers of a segment from `all` to `layers`, and multiplies the repeats of its ops and recompute
 * blocks by layers / all. If `part` is not AMONG, marks the ops of the segment as frozen. */
static void set_part(nnc_op_list *list, int32_t s, int part, int64_t layers, int64_t all) {
    list->segments[s].instances = layers;
    list->segments[s].before = part == BEFORE;
    for (int32_t i = 0; i < list->count; i++) {
        nnc_op *op = &list->ops[i];
        if (op->segment != s) { continue; }
        op->repeat = op->repeat / all * layers;
        op->outside = part != AMONG;
    }
    for (int32_t b = 0; b < list->block_count; b++) {
        if (list->blocks[b].segment == s) { list->blocks[b].repeat = list->blocks[b].repeat / all * layers; }
    }
}

/* Divides a segment of layers into up to three segments: the layers before the trained layers, the layers that the plan
 * trains, and the layers after the trained layers. */
static void divide_segment(nnc_op_list *list, const layer_range *range, int32_t s, int64_t first) {
    const int64_t all = list->segments[s].instances;
    int64_t counts[PARTS];
    int32_t of_part[PARTS], parts = 0, length;
    count_parts(list, range, s, first, counts);
    for (int part = 0; part < PARTS; part++) { of_part[part] = s + (counts[part] > 0 ? parts++ : 0); }
    if (parts > 1) { (void)copy_segment(list, s, parts - 1, &length); }
    if (list->truncated) { return; }
    for (int32_t i = 0; i < list->mixed_count; i++) {
        if (list->mixed[i] == s) { list->mixed[i] = (uint8_t)of_part[part_of(range, i)]; }
    }
    for (int part = 0; part < PARTS; part++) {
        if (counts[part] > 0) { set_part(list, of_part[part], part, counts[part], all); }
    }
}

/* Divides each segment of layers into layers that the plan trains and layers that it does not train. If --train names
 * no parts of the network, all ops outside the layers become frozen. */
static void divide_layers(nnc_op_list *list, const nnc_plan *plan) {
    const int64_t layers = layers_of(list), count = plan->train_layers;
    const int64_t from = plan->train_from >= 0 ? plan->train_from : layers - count;
    const layer_range range = { from, from + count };
    list->layers_short = from < 0 ? -from : range.to > layers ? range.to - layers : 0;
    if (list->layers_short > 0) { return; }
    int64_t first = layers;
    for (int32_t s = list->segment_count - 1; s >= 0 && !list->truncated; s--) {
        if (list->segments[s].layer) {
            first -= list->segments[s].instances;
            divide_segment(list, &range, s, first);
        }
    }
    for (int32_t i = 0; i < list->count; i++) {
        nnc_op *op = &list->ops[i];
        op->outside = op->outside || (plan->train == NNC_TRAIN_ALL && !list->segments[op->segment].layer);
    }
}

static void freeze_ops(nnc_op_list *list, unsigned train, const nnc_plan *plan) {
    for (int32_t i = 0; i < list->count; i++) {
        nnc_op *op = &list->ops[i];
        op->frozen = is_tied(op) ? op->outside || (train & NNC_TRAIN_EMBEDDING) == 0
                                 : (has_weights(op) || op->fixed) && !is_trained(op, train);
        if (op->frozen && op->kind == NNC_OP_MATMUL && op->u.matmul.keeps_a && !read_again(list, i, train, plan)) {
            op->u.matmul.keeps_a = is_adapted(op, plan);
        } else if (op->frozen && op->kind == NNC_OP_CONV) {
            op->u.conv.keeps_input = false;
        }
    }
}

/* Inserts the ops of the adapters of op `at` into the op list. Returns the new index of the op that had the index
 * `at`. */
static int32_t adapt(nnc_op_list *list, int32_t at, const nnc_plan *plan) {
    nnc_op *op = &list->ops[at];
    if (plan->oft) {
        op->u.matmul.keeps_a = false;
        op->u.matmul.needs_grad_input = true;
        add_rotation(&(place){ list, at }, op, plan);
        /* add_rotation has inserted two ops before the linear layer, so the index of the linear layer has grown by
         * two */
        return at + 2;
    }
    add_adapter(&(place){ list, at + 1 }, op, plan);
    /* the linear layer and the first op of the adapter read the same input; the first op of the adapter counts the kept
     * bytes of this input */
    op->u.matmul.keeps_a = false;
    return at;
}

/* Marks the ops that have no backward, which are the ops before the first trained weight. */
static void set_forward_only(nnc_op_list *list) {
    int32_t first = 0;
    while (first < list->count && (!has_weights(&list->ops[first]) || list->ops[first].frozen)) { first++; }
    if (begin_of(list, first) == first) { stop_gradient(list, first); }
    first = begin_of(list, first);
    const bool begins_in_layers = first < list->count && list->segments[list->ops[first].segment].layer;
    for (int32_t i = 0; i < list->count; i++) {
        nnc_op *op = &list->ops[i];
        const bool before = i < first || (begins_in_layers && is_before(list, op));
        op->forward_only = op->forward_only || before;
        op->detached = op->detached && !before;
    }
    clear_blocks(list);
}

/* Changes the op list of a training step to the op list of inference: removes the loss, and lets batch norms use stored
 * means and deviations. [forward-pass] */
static void infer(nnc_op_list *list) {
    int32_t kept = 0;
    for (int32_t i = 0; i < list->count; i++) {
        nnc_op *op = &list->ops[i];
        if (op->kind == NNC_OP_NORM) { op->u.norm.running = op->u.norm.kind == NNC_NORM_BATCH; }
        if (op->group != NNC_GROUP_LOSS) { list->ops[kept++] = *op; }
    }
    list->count = kept;
}

void nnc_list_train(nnc_op_list *list, const nnc_lowering *how) {
    const nnc_plan *plan = how->plan;
    const unsigned train = plan->train != NNC_TRAIN_ALL ? plan->train
                           : plan->adapter_rank > 0     ? NNC_TRAIN_ADAPTERS
                                                        : ~0U;
    if (nnc_list_infers(list)) { infer(list); }
    if (plan->train_layers > 0) { divide_layers(list, plan); }
    freeze_ops(list, train, plan);
    for (int32_t i = list->count - 1; i >= 0 && !list->truncated; i--) {
        const int32_t at = is_adapted(&list->ops[i], plan) ? adapt(list, i, plan) : i;
        const nnc_op *op = &list->ops[at];
        if (op->frozen && is_dequantized(plan) && is_linear(op)) { add_dequantize(&(place){ list, at }, op, plan); }
    }
    set_forward_only(list);
}
