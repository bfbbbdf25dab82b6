/* New memory of a training step on a CPU. PyTorch takes each tensor from malloc and frees it, and the operating system
 * clears a page when it is written for the first time.
 *
 * The file makes a list of op instances in time order from the op list, allocates and frees their tensors in a model of
 * the heap of glibc over three steps, and counts the bytes of new pages. The file counts kept tensors, gradients, two
 * temporary tensors of Adam, and the copies that oneDNN makes for convolutions. Small objects between the tensors are
 * not counted (docs/measure.md). */
#include "cost/cost_internal.h"
#include "op/op_internal.h"

/* ---- the heap of glibc: allocating, freeing, giving memory back ---- */

/* Constants of malloc.c of glibc 2.36 on 64 bits: size of a page (PAGE), M_TOP_PAD (TOP_PAD), MINSIZE (TOP_LEAST),
 * DEFAULT_MMAP_THRESHOLD_MAX (MAPPED_MOST), FASTBIN_CONSOLIDATION_THRESHOLD (FREED_LEAST). A tensor begins at a
 * multiple of 64 B (ALIGNED), after the 16 B header of its block. */
enum { PAGE = 4096, TOP_PAD = 131072, TOP_LEAST = 32, MAPPED_MOST = 33554432, FREED_LEAST = 65536, ALIGNED = 64 };

static int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

static int64_t chunk_of(int64_t bytes) { return round_up(bytes + 16, ALIGNED); }

/* Adds the pages of a new block that the program has not written before to new_bytes. Returns the address of the
 * block. */
static int64_t touch(nnc_heap *h, int64_t at, int64_t size) {
    const int64_t end = round_up(at + size, PAGE);
    h->new_bytes += end > h->touched ? (double)(end - h->touched) : 0.0;
    h->touched = end > h->touched ? end : h->touched;
    return at;
}

int64_t nnc_heap_take(nnc_heap *h, int64_t bytes) {
    const int64_t size = chunk_of(bytes);
    int32_t best = -1;
    for (int32_t i = 0; i < h->count; i++) {
        if (h->holes[i].size >= size && (best < 0 || h->holes[i].size < h->holes[best].size)) { best = i; }
    }
    if (best >= 0) {
        const int64_t at = h->holes[best].at;
        h->holes[best].at += size;
        h->holes[best].size -= size;
        if (h->holes[best].size == 0) {
            h->count--;
            memmove(&h->holes[best], &h->holes[best + 1], (size_t)(h->count - best) * sizeof *h->holes);
        }
        return touch(h, at, size);
    }
    if (h->end - h->top < size + TOP_LEAST) {
        if (size >= h->mapped_least) {
            h->new_bytes += (double)round_up(size, PAGE);
            return NNC_HEAP_MAPPED;
        }
        h->end = round_up(h->top + size + TOP_PAD + TOP_LEAST, PAGE);
    }
    h->top += size;
    return touch(h, h->top - size, size);
}

/* If at least trim_least bytes are free at the end of the heap, gives this end back to the operating system. */
static void trim(nnc_heap *h) {
    const int64_t end = h->top + TOP_PAD + TOP_LEAST + 1;
    if (h->end - h->top >= h->trim_least && h->end > end) {
        h->end = round_up(end, PAGE);
        h->touched = h->touched < h->end ? h->touched : h->end;
    }
}

void nnc_heap_free(nnc_heap *h, int64_t at, int64_t bytes) {
    int64_t size = chunk_of(bytes);
    if (at == NNC_HEAP_MAPPED) {
        size = round_up(size, PAGE);
        if (size > h->mapped_least && size <= MAPPED_MOST) {
            h->mapped_least = size;
            h->trim_least = 2 * size;
        }
        return;
    }
    /* holes `first` to `last` - 1 are adjacent to the freed block; the block and these holes become one hole */
    int32_t first = 0;
    while (first < h->count && h->holes[first].at < at) { first++; }
    int32_t last = first;
    if (last < h->count && at + size == h->holes[last].at) { size += h->holes[last++].size; }
    if (first > 0 && h->holes[first - 1].at + h->holes[first - 1].size == at) {
        at = h->holes[--first].at;
        size += h->holes[first].size;
    }
    const bool is_top = at + size == h->top;
    const int32_t kept = is_top ? 0 : 1;
    memmove(&h->holes[first + kept], &h->holes[last], (size_t)(h->count - last) * sizeof *h->holes);
    h->count += first + kept - last;
    if (is_top) {
        h->top = at;
    } else {
        h->holes[first] = (nnc_hole){ at, size };
    }
    if ((is_top ? h->end - at : size) >= FREED_LEAST) { trim(h); }
}

/* ---- the tensors of a step, in the order in which they are allocated and freed ---- */

typedef struct tensor {
    int64_t at, bytes; /* a tensor in the heap: address and size; bytes 0 = there is no tensor */
} tensor;

/* Bytes that oneDNN 2.6 allocates for a convolution: copies of input, output and weights in its own layout, and the
 * working set of the weight gradient. If an op is not a convolution, all members are 0. */
typedef struct copies {
    double in, out, weights, working;
} copies;

/* An instance of an op: sizes of its tensors, and the tensors that are in memory now. */
typedef struct instance {
    double kept_bytes, input_bytes, params; /* input_bytes: bytes of the gradient of the input of the op */
    copies copies;
    tensor kept, gradient;
} instance;

/* State of a program that trains on a CPU. */
typedef struct trainer {
    nnc_heap heap;
    const nnc_plan *plan;
    instance *of;
    int32_t count;
    double params;
    /* copy of the output of the last convolution in the layout of oneDNN; bytes 0 = the next op has read and freed the
     * copy */
    tensor unread;
    tensor coming; /* gradient of the output of the op whose backward is next */
} trainer;

/* largest number of op instances of a step; instances beyond this number are not counted */
enum { INSTANCES_MAX = 4096 };

static tensor take(trainer *t, double bytes) {
    tensor made = { 0, bytes > 0.0 ? (int64_t)nnc_min(bytes, 1e18) : 0 };
    made.at = made.bytes > 0 ? nnc_heap_take(&t->heap, made.bytes) : 0;
    return made;
}

static void drop(trainer *t, tensor *gone) {
    if (gone->bytes > 0) { nnc_heap_free(&t->heap, gone->at, gone->bytes); }
    gone->bytes = 0;
}

/* Allocates two operands and a result of the given sizes, then frees the operands. Returns the tensor of the result. */
static tensor take_with(trainer *t, double first_bytes, double second_bytes, double result_bytes) {
    tensor first = take(t, first_bytes), second = take(t, second_bytes);
    const tensor result = take(t, result_bytes);
    drop(t, &second);
    drop(t, &first);
    return result;
}

/* Largest side of a kernel for which oneDNN 2.6 computes the weight gradient of a convolution without a working set.
 * For kernel sides of 15 to 64 the working set is four times the weights plus the part of one image that the windows
 * cover; for kernel sides of 2 to 14 it is 0. Measured by tests/measured_here.py --convolution SIDE
 * (docs/measure.md). */
enum { SIDE_MOST = 14 };

/* Returns the bytes that oneDNN allocates for an op. A convolution with a kernel of one element reads PyTorch's layout
 * and needs no copies. A convolution with at most three input channels needs no copy of its input. */
static copies copies_of(const nnc_op *op) {
    const nnc_conv *p = &op->u.conv;
    if (op->kind != NNC_OP_CONV || p->kernel <= 1) { return (copies){ 0 }; }
    const double element_bytes = nnc_dtype_bytes(op->dtype), weights = element_bytes * nnc_op_trained_params(op);
    const double image = element_bytes * (double)p->c_in * (double)p->h_in * (double)p->w_in;
    return (copies){ .in = p->c_in > 3 ? (double)p->batch * image : 0.0,
                     .out = element_bytes * (double)p->batch * (double)p->c_out * (double)p->h_out * (double)p->w_out,
                     .weights = weights,
                     .working = p->kernel > SIDE_MOST ? 4.0 * weights + image : 0.0 };
}

/* Returns the bytes of the gradient of an op's input, which backward of the op writes. */
static double input_gradient_bytes(const nnc_op *op) {
    nnc_op backward[NNC_BACKWARD_MAX];
    const int count = op->recorded ? 0 : nnc_op_backward(op, backward);
    double bytes = op->recorded ? nnc_op_transient_bytes(op) / 2.0 : 0.0;
    for (int k = 0; k < count; k++) {
        if (backward[k].phase != NNC_PHASE_GRAD_WEIGHT) { bytes = nnc_op_work(&backward[k]).write_bytes; }
    }
    return bytes;
}

static void run_forward(trainer *t, instance *i) {
    i->kept = take(t, i->kept_bytes);
    drop(t, &t->unread);
    t->unread = take_with(t, i->copies.in, i->copies.weights, i->copies.out);
}

static void run_backward(trainer *t, instance *i) {
    const copies *c = &i->copies;
    const double gradient_bytes = nnc_policy_bytes(t->plan->policy).gradient_bytes * i->params;
    tensor copy = i->input_bytes > 0.0 ? take_with(t, c->out, c->weights, c->in) : (tensor){ 0 };
    tensor input = take(t, i->input_bytes);
    drop(t, &copy);
    if (gradient_bytes > 0.0) {
        copy = take_with(t, c->out, c->in, c->weights);
        tensor working = take(t, c->working);
        drop(t, &working);
        tensor made = take(t, gradient_bytes);
        drop(t, &copy);
        /* an earlier pass has made a gradient; PyTorch adds the new gradient `made` to the earlier one and frees
         * `made` */
        if (i->gradient.bytes > 0) {
            drop(t, &made);
        } else {
            i->gradient = made;
        }
    }
    if (input.bytes > 0) {
        drop(t, &t->coming);
        t->coming = input;
    }
    drop(t, &i->kept);
}

static void run_pass(trainer *t) {
    for (int32_t i = 0; i < t->count; i++) { run_forward(t, &t->of[i]); }
    drop(t, &t->unread);
    for (int32_t i = t->count - 1; i >= 0; i--) { run_backward(t, &t->of[i]); }
    drop(t, &t->coming);
}

/* Runs the update. In the first step the update allocates the moments; Adam also computes the square root of the second
 * moment and a quotient in two temporary tensors of the size of each parameter. */
static void run_update(trainer *t, bool first) {
    const bool adam = t->plan->optimizer == NNC_OPTIMIZER_ADAMW || t->plan->optimizer == NNC_OPTIMIZER_ADAM;
    const int moments = adam ? 2 : t->plan->optimizer == NNC_OPTIMIZER_MOMENTUM ? 1 : 0;
    for (int32_t i = 0; first && i < t->count; i++) {
        for (int k = 0; k < moments; k++) { take(t, 4.0 * t->of[i].params); }
    }
    for (int32_t i = 0; adam && i < t->count; i++) {
        tensor quotient = take_with(t, 4.0 * t->of[i].params, 0.0, 4.0 * t->of[i].params);
        drop(t, &quotient);
    }
}

static void add_instances(trainer *t, const nnc_op *op, double repeat) {
    const bool again = (t->plan->recompute & NNC_RECOMPUTE_FULL) != 0 && op->block >= 0;
    const instance made = { .kept_bytes = again ? 0.0 : nnc_op_kept_bytes(op),
                            .input_bytes = input_gradient_bytes(op),
                            .params = nnc_op_trained_params(op),
                            .copies = copies_of(op) };
    for (int32_t k = 0; k < repeat && t->count < INSTANCES_MAX; k++) {
        t->of[t->count++] = made;
        t->params += made.params;
    }
}

static void add_ops(trainer *t, const nnc_op_list *list) {
    for (int32_t s = 0; s < list->segment_count; s++) {
        for (int64_t n = 0; n < list->segments[s].instances && t->count < INSTANCES_MAX; n++) {
            for (int32_t i = 0; i < list->count; i++) {
                const nnc_op *op = &list->ops[i];
                if (op->segment == s && op->phase == NNC_PHASE_FORWARD && !nnc_op_is_collective(op)) {
                    add_instances(t, op, nnc_op_instances(list, op));
                }
            }
        }
    }
}

double nnc_new_bytes_per_param(const nnc_op_list *list, const nnc_plan *plan, const nnc_software *software,
                               int64_t passes) {
    trainer t = { .heap = { .mapped_least = TOP_PAD, .trim_least = TOP_PAD }, .plan = plan };
    t.of = calloc(INSTANCES_MAX, sizeof *t.of);
    /* The array of holes is large enough: between two tensors there is at most one hole. */
    t.heap.holes = malloc(((size_t)INSTANCES_MAX * 5 + 16) * sizeof *t.heap.holes);
    double bytes = (double)NAN;
    if (t.of != NULL && t.heap.holes != NULL) {
        add_ops(&t, list);
        for (int step = 0; step < 3; step++) { /* from the third step on, each step takes the same number of new
                                                * pages */
            const double before = t.heap.new_bytes;
            for (int32_t i = 0; !software->zero_gradients && i < t.count; i++) { drop(&t, &t.of[i].gradient); }
            run_pass(&t);
            const double once = t.heap.new_bytes;
            if (passes > 1) { run_pass(&t); }
            const double again = t.heap.new_bytes - once;
            run_update(&t, step == 0);
            bytes = t.heap.new_bytes - before + again * nnc_max((double)passes - 2.0, 0.0);
        }
    }
    free(t.of);
    free(t.heap.holes);
    return t.params > 0.0 ? bytes / t.params : bytes * 0.0;
}
