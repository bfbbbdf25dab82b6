/* Computes the work and the predicted time of an operator of a trace from the shapes that were recorded with it. The
 * texts of shapes and types, such as "[[8, 16], [16, 4]]" and "["float", "float"]", are read as tensors; the tensors
 * give an op of src/op, and nnc_op_time computes its time.
 *
 * A matrix product, a convolution or an attention becomes the op of src/op that describes it. Operators that are no
 * matrix product, convolution or attention are described by a table of forms. For an operator that is not in the table,
 * nncost assumes that it reads its inputs once and writes one tensor of the shape to which the inputs broadcast. nncost
 * predicts no time if the shapes of an operator do not determine its work; an example is a forward convolution whose
 * stride was not recorded. Source of the operators' names: native_functions.yaml of PyTorch. */
#include <stdlib.h>
#include <string.h>

#include "cost/cost_internal.h"
#include "trace/trace_internal.h"

enum { RANK_MAX = 8, TENSORS_MAX = 1024 };

typedef struct tensor {
    int64_t shape[RANK_MAX];
    int32_t rank, input; /* rank: number of dimensions; input: index of the operator's argument (the same for all
                          * tensors of a list) */
    double elements, bytes;
    nnc_dtype dtype;
} tensor;

typedef struct tensors {
    tensor of[TENSORS_MAX];
    int32_t count;
    bool too_many;
} tensors;

static const struct {
    const char *name;
    double bytes;
    nnc_dtype dtype; /* number format of the type; NNC_DTYPE_COUNT = the type is not a floating-point type */
} types[] = {
    { "float", 4, NNC_FP32 },
    { "c10::BFloat16", 2, NNC_BF16 },
    { "c10::Half", 2, NNC_FP16 },
    { "double", 8, NNC_FP64 },
    { "long int", 8, NNC_DTYPE_COUNT },
    { "long", 8, NNC_DTYPE_COUNT },
    { "int", 4, NNC_DTYPE_COUNT },
    { "short", 2, NNC_DTYPE_COUNT },
    { "short int", 2, NNC_DTYPE_COUNT },
    { "bool", 1, NNC_DTYPE_COUNT },
    { "unsigned char", 1, NNC_DTYPE_COUNT },
    { "signed char", 1, NNC_DTYPE_COUNT },
    { "c10::Float8_e4m3fn", 1, NNC_FP8 },
    { "c10::Float8_e5m2", 1, NNC_FP8 },
};

/* Copies element number `index` of a list such as ["float", "Scalar"] to `name`. A list of tensors counts as one
 * element, "TensorList". Returns false if the list of types has at most `index` elements. */
static bool type_at(const char *list, int32_t index, char name[32]) {
    const char *p = list != NULL ? strchr(list, '[') : NULL;
    int32_t i = 0;
    int depth = 0;
    for (; p != NULL && *p != '\0'; p++) {
        depth += (*p == '[') - (*p == ']');
        if (*p == ',' && depth == 1) {
            i++;
        } else if (*p == '"') {
            const char *end = strchr(p + 1, '"');
            if (end == NULL) { return false; }
            if (i == index) {
                const size_t size = (size_t)(end - p - 1) < 31 ? (size_t)(end - p - 1) : 31;
                memcpy(name, p + 1, size);
                name[size] = '\0';
                return true;
            }
            p = end;
        }
    }
    return false;
}

static void set_type(tensor *t, const char *list) {
    char name[32];
    t->dtype = NNC_DTYPE_COUNT;
    t->bytes = (double)NAN;
    if (type_at(list, t->input, name)) {
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            if (strcmp(types[i].name, name) == 0) {
                t->dtype = types[i].dtype;
                t->bytes = t->elements * types[i].bytes;
            }
        }
    }
}

/* Reads the shape of a tensor, whose opening bracket is at p, and appends the tensor to `all`. An empty shape is no
 * tensor, so it is not appended. Returns the address of the closing bracket; NULL = the text is not a shape. */
static const char *add_shape(const char *p, int32_t input, const char *type_list, tensors *all) {
    tensor t = { .input = input, .elements = 1.0 };
    for (p++; *p != ']'; p++) {
        char *end;
        const long long size = strtoll(p, &end, 10);
        if (end != p) {
            if (t.rank >= RANK_MAX || size < 0 || size > INT64_C(1000000000000)) { return NULL; }
            t.shape[t.rank++] = size;
            t.elements *= (double)size;
            p = end - 1;
        } else if (*p != ',' && *p != ' ') {
            return NULL;
        }
    }
    if (t.rank > 0 && all->count == TENSORS_MAX) {
        all->too_many = true;
    } else if (t.rank > 0) {
        set_type(&t, type_list);
        all->of[all->count++] = t;
    }
    return p;
}

static bool read_shapes(const nnc_trace_kind *kind, tensors *all) {
    int32_t input = 0;
    int depth = 0;
    all->count = 0;
    all->too_many = false;
    for (const char *p = kind->dims; p != NULL && *p != '\0'; p++) {
        const char *inner = p + 1;
        while (*p == '[' && (*inner == ' ' || *inner == '\n')) { inner++; }
        if (*p == '[' && depth > 0 && *inner != '[') {
            p = add_shape(p, input, kind->types, all);
            if (p == NULL) { return false; }
        } else {
            depth += (*p == '[') - (*p == ']');
            input += *p == ',' && depth == 1;
        }
    }
    return !all->too_many;
}

/* Returns the first tensor of argument number `input` of an operator; NULL = this argument is not a tensor. */
static const tensor *input_of(const tensors *all, int32_t input) {
    for (int32_t i = 0; i < all->count; i++) {
        if (all->of[i].input == input) { return &all->of[i]; }
    }
    return NULL;
}

/* Reads the whole numbers in element number `index` of a list of recorded values, for example the element "[1, 1]".
 * Returns the number of values that were read, at most `most`. */
static int values_of(const char *list, int32_t index, int64_t *values, int most) {
    char text[32];
    int count = 0;
    if (!type_at(list, index, text)) { return 0; }
    for (const char *p = text; *p != '\0' && count < most; p++) {
        char *end;
        const long long value = strtoll(p, &end, 10);
        if (end != p) {
            values[count++] = value;
            p = end - 1;
        }
    }
    return count;
}

static bool product_of(const tensor *a, const tensor *b, nnc_op *op) {
    const bool batched = a != NULL && b != NULL && a->rank == 3 && b->rank == 3;
    if (a == NULL || b == NULL || (!batched && (a->rank != 2 || b->rank != 2)) ||
        a->shape[a->rank - 1] != b->shape[b->rank - 2] || (batched && a->shape[0] != b->shape[0])) {
        return false;
    }
    op->kind = NNC_OP_MATMUL;
    nnc_matmul_set(&op->u.matmul, batched ? a->shape[0] : 1, a->shape[a->rank - 2], b->shape[b->rank - 1],
                   a->shape[a->rank - 1]);
    return op->u.matmul.batch > 0 && op->u.matmul.m > 0 && op->u.matmul.n > 0 && op->u.matmul.k > 0;
}

static bool conv_of(const tensor *x, const tensor *w, int64_t h_out, int64_t w_out, nnc_op *op) {
    if (x->rank != 4 || w->rank != 4 || w->shape[1] <= 0 || x->shape[1] % w->shape[1] != 0 || h_out <= 0 ||
        w_out <= 0) {
        return false;
    }
    const int64_t stride = (x->shape[2] + h_out / 2) / h_out;
    op->kind = NNC_OP_CONV;
    op->u.conv = (nnc_conv){ .batch = x->shape[0],
                             .c_in = x->shape[1],
                             .c_out = w->shape[0],
                             .h_in = x->shape[2],
                             .w_in = x->shape[3],
                             .h_out = h_out,
                             .w_out = w_out,
                             .kernel = w->shape[2],
                             .kernel_w = w->shape[3] == w->shape[2] ? 0 : w->shape[3],
                             .stride = stride > 0 ? stride : 1,
                             .groups = x->shape[1] / w->shape[1] };
    return x->shape[0] > 0 && w->shape[0] % op->u.conv.groups == 0;
}

/* Name of an operator that is a forward convolution, and the indices of its arguments for stride and padding. */
typedef struct conv_form {
    const char *name;
    int32_t stride, padding;
} conv_form;
static const conv_form convs[] = {
    { "conv2d", 3, 4 },
    { "convolution", 3, 4 },
    { "_convolution", 3, 4 },
    { "cudnn_convolution", 3, 2 },
    { "miopen_convolution", 4, 3 },
};

static bool forward_conv(const nnc_trace_kind *kind, const conv_form *form, const tensors *in, nnc_op *op) {
    int64_t stride[2], padding[2];
    const tensor *x = input_of(in, 0), *w = input_of(in, 1);
    const int strides = values_of(kind->values, form->stride, stride, 2);
    const int paddings = values_of(kind->values, form->padding, padding, 2);
    if (x == NULL || w == NULL || strides == 0 || paddings == 0 || x->rank != 4 || w->rank != 4 || stride[0] <= 0 ||
        stride[strides - 1] <= 0) {
        return false;
    }
    const int64_t high = x->shape[2] + 2 * padding[0] - w->shape[2];
    const int64_t wide = x->shape[3] + 2 * padding[paddings - 1] - w->shape[3];
    return conv_of(x, w, high / stride[0] + 1, wide / stride[strides - 1] + 1, op);
}

static bool attention_of(const nnc_trace_kind *kind, const tensors *in, nnc_op *op) {
    const tensor *q = input_of(in, 0), *k = input_of(in, 1), *v = input_of(in, 2);
    char causal[32] = "";
    /* the argument is_causal has the index 4 in flash attention, and the index 6 in attention kernels with a bias */
    const bool biased = strstr(kind->name, "flash") == NULL;
    if (q == NULL || k == NULL || v == NULL || q->rank != 4 || k->rank != 4 || v->rank != 4 || k->shape[1] <= 0 ||
        q->shape[1] % k->shape[1] != 0 || q->shape[2] <= 0 || !type_at(kind->values, biased ? 6 : 4, causal)) {
        return false;
    }
    const double all = (double)q->shape[2] * (double)k->shape[2];
    const bool masked = strcmp(causal, "True") == 0;
    op->kind = NNC_OP_FLASH;
    op->u.flash = (nnc_flash){ .batch = q->shape[0],
                               .heads = q->shape[1],
                               .kv_heads = k->shape[1],
                               .s_q = q->shape[2],
                               .s_k = k->shape[2],
                               .head_dim = q->shape[3],
                               .value_dim = v->shape[3],
                               .full_pairs = all,
                               .window_pairs = all,
                               .causal = masked };
    op->u.flash.pairs = masked ? (double)nnc_attention_pairs(q->shape[2], k->shape[2], true, 0) : all;
    return (masked && strcmp(causal, "True") == 0) || strcmp(causal, "False") == 0;
}

/* Form of a simple operator: the tensors that the operator reads and writes. */
typedef enum form {
    /* the operator reads all its inputs, and writes one tensor of the shape to which the inputs broadcast */
    MOVES_ALL,
    WRITES_FIRST, /* the operator overwrites its first input, and reads no tensor */
    COPIES,       /* the operator reads its second input, and overwrites its first input */
    /* the operator reads its inputs; nncost does not count the bytes that the operator writes, because the result is
     * small */
    REDUCES,
    JOINS, /* the operator reads its inputs, and writes as many bytes as it reads */
    /* for each element of its last input, the operator reads one row of its first input and writes this row */
    GATHERS,
    UPDATES, /* the operator reads several lists of tensors, and writes the tensors of the first list */
    ADAM     /* the operator reads parameters, gradients and moments, and writes the parameters and moments */
} form;

static const struct {
    const char *name;
    form form;
} moves[] = {
    { "fill_", WRITES_FIRST },
    { "zero_", WRITES_FIRST },
    { "copy_", COPIES },
    { "sum", REDUCES },
    { "mean", REDUCES },
    { "norm", REDUCES },
    { "linalg_vector_norm", REDUCES },
    { "max", REDUCES },
    { "argmax", REDUCES },
    { "all", REDUCES },
    { "any", REDUCES },
    { "cat", JOINS },
    { "embedding", GATHERS },
    { "index_select", GATHERS },
    { "_fused_adam_", ADAM },
    { "_fused_adamw_", ADAM },
    { "add", MOVES_ALL },
    { "add_", MOVES_ALL },
    { "sub", MOVES_ALL },
    { "sub_", MOVES_ALL },
    { "rsub", MOVES_ALL },
    { "mul", MOVES_ALL },
    { "mul_", MOVES_ALL },
    { "div", MOVES_ALL },
    { "div_", MOVES_ALL },
    { "addcmul", MOVES_ALL },
    { "addcmul_", MOVES_ALL },
    { "addcdiv", MOVES_ALL },
    { "addcdiv_", MOVES_ALL },
    { "lerp_", MOVES_ALL },
    { "pow", MOVES_ALL },
    { "sqrt", MOVES_ALL },
    { "rsqrt", MOVES_ALL },
    { "exp", MOVES_ALL },
    { "log", MOVES_ALL },
    { "neg", MOVES_ALL },
    { "abs", MOVES_ALL },
    { "clamp", MOVES_ALL },
    { "clamp_", MOVES_ALL },
    { "clamp_min", MOVES_ALL },
    { "clamp_min_", MOVES_ALL },
    { "where", MOVES_ALL },
    { "masked_fill", MOVES_ALL },
    { "masked_fill_", MOVES_ALL },
    { "tanh", MOVES_ALL },
    { "tanh_backward", MOVES_ALL },
    { "sigmoid", MOVES_ALL },
    { "sigmoid_backward", MOVES_ALL },
    { "relu", MOVES_ALL },
    { "relu_", MOVES_ALL },
    { "threshold_backward", MOVES_ALL },
    { "gelu", MOVES_ALL },
    { "gelu_backward", MOVES_ALL },
    { "silu", MOVES_ALL },
    { "silu_backward", MOVES_ALL },
    { "native_dropout", MOVES_ALL },
    { "native_dropout_backward", MOVES_ALL },
    { "_softmax", MOVES_ALL },
    { "_softmax_backward_data", MOVES_ALL },
    { "_log_softmax", MOVES_ALL },
    { "_log_softmax_backward_data", MOVES_ALL },
    { "native_layer_norm", MOVES_ALL },
    { "native_layer_norm_backward", MOVES_ALL },
    { "native_group_norm", MOVES_ALL },
    { "native_group_norm_backward", MOVES_ALL },
    { "native_batch_norm", MOVES_ALL },
    { "native_batch_norm_backward", MOVES_ALL },
    { "cudnn_batch_norm", MOVES_ALL },
    { "cudnn_batch_norm_backward", MOVES_ALL },
    { "_fused_rms_norm", MOVES_ALL },
    { "_fused_rms_norm_backward", MOVES_ALL },
    { "logical_and", MOVES_ALL },
    { "logical_or", MOVES_ALL },
    { "eq", MOVES_ALL },
    { "ne", MOVES_ALL },
    { "lt", MOVES_ALL },
    { "gt", MOVES_ALL },
    { "ge", MOVES_ALL },
    { "le", MOVES_ALL },
};

/* Returns the number of bytes of a tensor that has the shape to which all inputs broadcast, and the widest type of the
 * inputs. */
static double broadcast_bytes(const tensors *in) {
    int64_t shape[RANK_MAX] = { 0 };
    double elements = 1.0, width = 0.0;
    for (int32_t i = 0; i < in->count; i++) {
        const tensor *t = &in->of[i];
        for (int32_t d = 0; d < t->rank; d++) {
            int64_t *to = &shape[RANK_MAX - 1 - d];
            *to = t->shape[t->rank - 1 - d] > *to ? t->shape[t->rank - 1 - d] : *to;
        }
        if (t->elements > 0.0) { width = nnc_max(width, t->bytes / t->elements); }
    }
    for (int d = 0; d < RANK_MAX; d++) { elements *= shape[d] > 0 ? (double)shape[d] : 1.0; }
    return elements * width;
}

static bool moved_of(form how, const tensors *in, nnc_kernel *moved) {
    double all = 0.0, first = 0.0;
    for (int32_t i = 0; i < in->count; i++) {
        all += in->of[i].bytes;
        first += in->of[i].input == in->of[0].input ? in->of[i].bytes : 0.0;
    }
    const tensor *a = in->count > 0 ? &in->of[0] : NULL, *b = input_of(in, 1);
    if (a == NULL || isnan(all)) { return false; }
    switch (how) {
    case MOVES_ALL: *moved = (nnc_kernel){ all, broadcast_bytes(in) }; return true;
    case WRITES_FIRST: *moved = (nnc_kernel){ 0.0, first }; return true;
    case COPIES: *moved = (nnc_kernel){ b != NULL ? b->bytes : 0.0, first }; return b != NULL;
    case REDUCES: *moved = (nnc_kernel){ all, 0.0 }; return true;
    case JOINS: *moved = (nnc_kernel){ all, all }; return true;
    case UPDATES: *moved = (nnc_kernel){ all, first }; return true;
    case ADAM: *moved = (nnc_kernel){ all, all - first }; return true;
    case GATHERS: {
        const tensor *last = &in->of[in->count - 1];
        const double row = a->rank > 1 && a->shape[0] > 0 ? a->bytes / (double)a->shape[0] : 0.0;
        *moved = (nnc_kernel){ row * last->elements + last->bytes, row * last->elements };
        return in->count > 1 && row > 0.0;
    }
    }
    return false;
}

static bool kernel_of(const char *name, const tensors *in, nnc_op *op) {
    op->kind = NNC_OP_KERNEL;
    if (strncmp(name, "_foreach_", 9) == 0) { return moved_of(UPDATES, in, &op->u.kernel); }
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        if (strcmp(moves[i].name, name) == 0) { return moved_of(moves[i].form, in, &op->u.kernel); }
    }
    return false;
}

/* Converts an operator of a trace to ops of nncost; a backward convolution becomes two ops. Returns the number of ops;
 * 0 = nncost does not know the operator. */
static int ops_of(const nnc_trace_kind *kind, const char *name, const tensors *in, nnc_op ops[2]) {
    static const struct {
        const char *name;
        int32_t a, b;
    } products[] = {
        { "mm", 0, 1 },        { "bmm", 0, 1 }, { "addmm", 1, 2 }, { "baddbmm", 1, 2 }, { "_addmm_activation", 1, 2 },
        { "_scaled_mm", 0, 1 }
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (strcmp(name, products[i].name) == 0) {
            return product_of(input_of(in, products[i].a), input_of(in, products[i].b), ops);
        }
    }
    for (size_t i = 0; i < sizeof convs / sizeof *convs; i++) {
        if (strcmp(name, convs[i].name) == 0) { return forward_conv(kind, &convs[i], in, ops); }
    }
    if (strcmp(name, "convolution_backward") == 0) {
        const tensor *dy = input_of(in, 0), *x = input_of(in, 1), *w = input_of(in, 2);
        const bool known =
            dy != NULL && x != NULL && w != NULL && dy->rank == 4 && conv_of(x, w, dy->shape[2], dy->shape[3], ops);
        ops[1] = ops[0];
        ops[0].phase = NNC_PHASE_GRAD_INPUT;
        ops[1].phase = NNC_PHASE_GRAD_WEIGHT;
        return known ? 2 : 0;
    }
    if (strncmp(name, "_scaled_dot_product_", 20) == 0 && strstr(name, "backward") == NULL) {
        return attention_of(kind, in, ops);
    }
    return kernel_of(name, in, ops);
}

static bool row_of(const char *name, const tensors *in, nnc_trace_sizes *sizes) {
    static const struct {
        const char *name, *op;
    } rows[] = { { "gelu", "gelu" },
                 { "_softmax", "softmax" },
                 { "relu", "relu" },
                 { "add", "add" },
                 { "native_layer_norm", "layer_norm" },
                 { "copy_", "copy" } };
    const tensor *x = input_of(in, 0), *y = input_of(in, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && x != NULL; i++) {
        const bool pair = strcmp(name, "add") == 0 || strcmp(name, "copy_") == 0;
        if (strcmp(rows[i].name, name) == 0 && x->elements > 0.0 &&
            (!pair || (y != NULL && y->elements == x->elements && y->dtype == x->dtype))) {
            sizes->op = rows[i].op;
            sizes->n = x->shape[x->rank - 1];
            sizes->m = (int64_t)x->elements / sizes->n;
            return true;
        }
    }
    return false;
}

bool nnc_trace_sizes_of(const nnc_trace_kind *kind, bool tf32, nnc_trace_sizes *sizes) {
    const char *colons = strrchr(kind->name, ':');
    const char *name = colons != NULL ? colons + 1 : kind->name;
    tensors *in = malloc(sizeof *in);
    nnc_op ops[2] = { { .kind = NNC_OP_KERNEL }, { .kind = NNC_OP_KERNEL } };
    *sizes = (nnc_trace_sizes){ .op = NULL, .dtype = NNC_DTYPE_COUNT };
    bool known = in != NULL && read_shapes(kind, in) && in->count > 0;
    for (int32_t i = 0; known && i < in->count && sizes->dtype == NNC_DTYPE_COUNT; i++) {
        sizes->dtype = in->of[i].dtype;
    }
    sizes->dtype = sizes->dtype == NNC_FP32 && tf32 ? NNC_TF32 : sizes->dtype;
    if (known && ops_of(kind, name, in, ops) > 0 && ops[0].kind == NNC_OP_MATMUL) {
        const nnc_matmul *u = &ops[0].u.matmul;
        *sizes = (nnc_trace_sizes){ "matmul", sizes->dtype, u->batch, u->m, u->n, u->k };
    } else {
        known = known && row_of(name, in, sizes);
    }
    free(in);
    return known && sizes->dtype != NNC_DTYPE_COUNT;
}

/* Sets the kernels of an op that only moves bytes: one kernel of a library reads and writes all bytes of the op. */
static void issue(nnc_op *op) {
    const nnc_kernel *moved = &op->u.kernel;
    op->issued[0] = (nnc_issued){ .kernels = 1.0, .bytes = moved->read_bytes + moved->write_bytes };
    op->issued_as = NNC_ISSUED_INSTEAD;
}

static void add_time(const nnc_device *device, const nnc_op *op, nnc_trace_price *price) {
    const nnc_work work = nnc_op_work(op);
    const nnc_timing t = nnc_op_time(device, op, &work);
    const double moved = work.read_bytes + work.write_bytes;
    const double peak = nnc_device_matmul_peak(device, op->math_dtype);
    const bool pass = op->kind == NNC_OP_KERNEL;
    const double memory_s = moved / device->mem_bytes_per_s;
    const double compute_s = pass ? 0.0 : nnc_min(work.flops / peak, t.compute_s);
    price->flops += work.flops;
    price->moved_bytes += moved;
    price->bound_s += nnc_max(compute_s, memory_s);
    price->predicted_s += t.time_s;
}

/* Computes price->padded_s, the predicted time of a matrix product whose m, n and k are padded so that each is a
 * multiple of 16 bytes. A dimension of the product with at most 8 x 16 bytes is not padded. The dimension m, which need
 * not be the length of a row, is padded only in one case: n and k are multiples of 16 bytes, but the kernel's name
 * states operands that are not aligned. If no dimension needs padding, or the kernel's name states aligned operands,
 * price->padded_s does not change. aligned: as in nnc_trace_hint. */
static void try_padded(const nnc_device *device, const nnc_op *op, int aligned, nnc_trace_price *price) {
    nnc_op padded = *op;
    nnc_matmul *u = &padded.u.matmul;
    int64_t *sides[] = { &u->n, &u->k, &u->m };
    const int64_t step = (int64_t)(16.0 / nnc_dtype_bytes(op->dtype));
    const bool rows_odd = u->n % step != 0 || u->k % step != 0;
    if (aligned >= step) { return; }
    for (int i = 0; i < (aligned > 0 && !rows_odd ? 3 : 2); i++) {
        if (*sides[i] % step != 0 && *sides[i] > 8 * step) {
            price->odd = price->odd == 0 ? *sides[i] : price->odd;
            price->side = (char)(price->side == '\0' ? "nkm"[i] : price->side);
            *sides[i] += step - *sides[i] % step;
        }
    }
    u->padded = true;
    if (price->odd != 0) {
        const nnc_work work = nnc_op_work(&padded);
        price->padded_s = nnc_op_time(device, &padded, &work).time_s;
    }
}

/* Sets whether the operands of a matrix product are aligned to 16 bytes. If the name of a kernel states an alignment,
 * this alignment decides whether the operands are aligned. If the name of the kernel states no alignment, the lengths
 * of rows (n and k) decide whether the operands are aligned. The dimension m is the length of a row only if the first
 * operand is transposed, which shapes do not show. */
static void set_alignment(nnc_op *op, int aligned) {
    nnc_matmul *u = &op->u.matmul;
    const int64_t multiple = (int64_t)(16.0 / nnc_dtype_bytes(op->dtype));
    const bool odd = u->n % multiple != 0 || u->k % multiple != 0;
    u->padded = aligned > 0 && aligned >= multiple;
    u->b_is_weight = true;
    op->phase = aligned > 0 && aligned < multiple && !odd ? NNC_PHASE_GRAD_WEIGHT : op->phase;
}

/* Returns the predicted time of all kernels of a call after the first kernel. Kernels of a call after the first kernel
 * add up partial sums, for example. Each kernel of a call after the first takes the fixed time (fixed_s) of the device:
 * the fixed time of matrix products if the operator is a matrix product, otherwise the fixed time of streaming
 * kernels. */
static double further_s(const nnc_device *device, const nnc_op *op, double launches) {
    const double start_s =
        op->kind == NNC_OP_MATMUL ? device->efficiency.gemm[op->math_dtype].fixed_s : device->efficiency.stream.fixed_s;
    return nnc_max(launches - 1.0, 0.0) * start_s;
}

nnc_trace_price nnc_trace_price_of(const nnc_device *device, const nnc_trace_kind *kind, nnc_trace_hint hint) {
    const double unknown = (double)NAN;
    nnc_trace_price price = { .padded_s = unknown };
    const char *colons = strrchr(kind->name, ':');
    tensors *in = malloc(sizeof *in);
    nnc_dtype dtype = NNC_DTYPE_COUNT;
    nnc_op op = { .phase = NNC_PHASE_FORWARD, .repeat = 1, .block = -1, .name = kind->name };
    op.group = NNC_GROUP_MLP;
    int count = 0;
    nnc_op ops[2] = { op, op };
    if (in != NULL && read_shapes(kind, in)) {
        count = ops_of(kind, colons != NULL ? colons + 1 : kind->name, in, ops);
        for (int32_t i = 0; i < in->count && dtype == NNC_DTYPE_COUNT; i++) { dtype = in->of[i].dtype; }
    }
    free(in);
    const bool pass = ops[0].kind == NNC_OP_KERNEL;
    const nnc_dtype math = dtype == NNC_FP32 && hint.tf32 ? NNC_TF32 : dtype;
    const bool known = pass || (dtype != NNC_DTYPE_COUNT && !isnan(nnc_device_matmul_peak(device, math)));
    for (int i = 0; i < count && known; i++) {
        ops[i].dtype = dtype == NNC_DTYPE_COUNT ? NNC_FP32 : dtype;
        ops[i].math_dtype = pass ? ops[i].dtype : math;
        if (ops[i].kind == NNC_OP_MATMUL) { set_alignment(&ops[i], hint.aligned); }
        if (pass) { issue(&ops[i]); }
        add_time(device, &ops[i], &price);
    }
    if (count == 0 || !known) {
        price.flops = price.moved_bytes = price.bound_s = price.predicted_s = unknown;
        return price;
    }
    const double more_s = further_s(device, &ops[0], hint.launches);
    price.predicted_s += more_s;
    if (ops[0].kind == NNC_OP_MATMUL) {
        price.product = true;
        try_padded(device, &ops[0], hint.aligned, &price);
        price.padded_s += more_s;
    }
    return price;
}
