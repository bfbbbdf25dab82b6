/* Reads rows of tables of measurements that are no training steps: kernels (matrix products, attention, convolutions,
 * streaming operators), collectives, and served requests. Each function reads the cells of one line. */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "lab/lab_internal.h"

static nnc_status set_serve(void *object, const char *field, const char *value) {
    return nnc_field_set(&nnc_serve_table, object, field, value, NULL);
}

/* ---- reads the rows of kernels and collectives ---- */

/* Returns the number format in the column "dtype". If no format has this name, returns NNC_DTYPE_COUNT and stores the
 * reason why the row is not predicted. */
static nnc_dtype dtype_of(nnc_row_reading *r) {
    const char *text = nnc_row_text(r, "dtype");
    const int found = nnc_names_find((nnc_names){ nnc_dtype_name, NNC_DTYPE_COUNT }, text);
    if (found < 0) { nnc_row_refuse(r, "number format \"%.32s\" has no meaning here", text); }
    return found < 0 ? NNC_DTYPE_COUNT : (nnc_dtype)found;
}

/* Tests whether the kernel was timed in PyTorch: the id of a row that was timed in PyTorch contains "-torch/". */
static bool by_torch(const nnc_row_reading *r) { return strstr(nnc_row_text(r, "id"), "-torch/") != NULL; }

/* Reads the sizes of a matrix product. For a group of products, the file states the size of one product of the group.
 * For a weight gradient of a group, the file states the sizes of the forward product; the rows of the forward product
 * become the inner dimension of the gradient. */
static void set_product(nnc_row_reading *r, nnc_op *op) {
    const char *stage = nnc_row_text(r, "stage");
    const bool wide = nnc_row_is(nnc_row_text(r, "out_dtype"), "fp32");
    const bool adds = nnc_row_is(nnc_row_text(r, "accumulate"), "True");
    const bool grad_weight = nnc_row_is(stage, "wgrad") || nnc_row_is(stage, "bwd_grad_w") || adds;
    const int64_t groups = nnc_row_whole(r, "groups");
    nnc_matmul p = { .batch = 1,
                     .m = nnc_row_whole(r, "m"),
                     .n = nnc_row_whole(r, "n"),
                     .k = nnc_row_whole(r, "k"),
                     .experts = groups > 1 ? groups : 0,
                     .one_by_one = groups > 1,
                     .b_shared = 1,
                     /* true: the product uses a weight; nncost, like PyTorch, does not pad unaligned dimensions of such
                      * a product */
                     .b_is_weight = by_torch(r),
                     .kept_divisor = 1 };
    if (groups > 1 && p.m > 0 && p.m <= INT64_MAX / groups) {
        const int64_t rows = p.m * groups;
        p.m = grad_weight ? p.k : rows;
        p.k = grad_weight ? rows : p.k;
    }
    if (p.m < 1 || p.n < 1 || p.k < 1) { nnc_row_refuse(r, "no size"); }
    op->name = "gemm";
    op->kind = NNC_OP_MATMUL;
    op->grad_bytes = wide || (adds && !nnc_row_is(nnc_row_text(r, "op"), "matmul")) ? 4.0 : 2.0;
    op->grad_accumulate = adds ? 1.0 : 0.0;
    op->phase = grad_weight ? NNC_PHASE_GRAD_WEIGHT : op->phase;
    op->u.matmul = p;
}

/* Some rows in the output of nncost.measure are no ops: such a row is a figure of a device, or a whole step. The table
 * `figures` has the kinds of rows that are no ops, and the reason why the prediction leaves such rows out. */
static const struct {
    const char *kind, *reason;
} figures[] = { { "launch", "is host.kernel_s of a GPU, fixed_s of the kernels of a CPU" },
                { "memory", "is host.new_bytes_per_s of the device file" },
                { "link", "is host.bytes_per_s of the device file" },
                { "step", "is a step of a program, without its model and plan" } };

const char *nnc_row_reason_of_kind(const char *kind) {
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (nnc_row_is(kind, figures[i].kind)) { return figures[i].reason; }
    }
    return NULL;
}

/* Reads the op of a measured kernel that is neither a matrix product nor a convolution: a norm, an optimizer or a
 * pointwise op. The op has rows x cols elements; if the file has no column `rows`, the op has m x n elements; if the
 * file has neither `rows` nor `m`, the op has n elements. Copies, additions and ReLU are single operators of PyTorch,
 * and each reads and writes its tensors once. */
static void set_vector(nnc_row_reading *r, nnc_op *op) {
    static const struct {
        const char *name;
        nnc_op_kind kind;
        int32_t of; /* value of an enum, by the kind of the op: which pointwise op, which norm or which optimizer */
        bool alone;
    } known[] = { { "gelu", NNC_OP_POINTWISE, NNC_PW_GELU, false },
                  { "softmax", NNC_OP_POINTWISE, NNC_PW_SOFTMAX, false },
                  { "cast", NNC_OP_POINTWISE, NNC_PW_CAST, false },
                  { "copy", NNC_OP_POINTWISE, NNC_PW_COPY, true },
                  /* an addition is like an elementwise multiplication: it reads two tensors and writes one */
                  { "add", NNC_OP_POINTWISE, NNC_PW_MUL, true },
                  { "relu", NNC_OP_POINTWISE, NNC_PW_RELU, true },
                  { "layernorm", NNC_OP_NORM, NNC_NORM_LAYER, false },
                  { "layer_norm", NNC_OP_NORM, NNC_NORM_LAYER, false },
                  { "layer_norm_fb", NNC_OP_NORM, NNC_NORM_LAYER, false },
                  { "batch_norm", NNC_OP_NORM, NNC_NORM_BATCH, false },
                  { "adamw", NNC_OP_UPDATE, NNC_OPTIMIZER_ADAMW, false },
                  { "adamw_fused", NNC_OP_UPDATE, NNC_OPTIMIZER_ADAMW, false },
                  { "momentum", NNC_OP_UPDATE, NNC_OPTIMIZER_MOMENTUM, false } };
    const char *name = nnc_row_text(r, "op");
    const bool table = nnc_row_given(r, "rows");
    const int64_t m = table ? nnc_row_whole(r, "rows") : nnc_row_given(r, "m") ? nnc_row_whole(r, "m") : 1;
    const int64_t n = nnc_row_whole(r, table ? "cols" : "n");
    const int64_t elements = m > 0 && n > 0 && m <= INT64_MAX / n ? m * n : 0;
    size_t i = 0;
    const size_t count = sizeof known / sizeof known[0];
    while (i < count && !nnc_row_is(name, known[i].name)) { i++; }
    r->row->kind = NNC_MEASURED_VECTOR;
    r->row->both = nnc_row_is(name, "batch_norm") || nnc_row_is(name, "layer_norm_fb");
    if (i == count) {
        nnc_row_refuse(r, "operation \"%.32s\" has no meaning here", name);
        return;
    }
    op->name = known[i].kind == NNC_OP_NORM ? "norm" : known[i].name;
    op->kind = known[i].kind;
    if (op->kind == NNC_OP_NORM) {
        op->u.norm = (nnc_norm){ .kind = (nnc_norm_kind)known[i].of, .elements = elements, .rows = m, .fused = true };
    } else if (op->kind == NNC_OP_UPDATE) {
        const bool narrow = op->dtype == NNC_BF16;
        op->u.update = (nnc_update){ .kind = NNC_UPDATE_STEP,
                                     .optimizer = (nnc_optimizer)known[i].of,
                                     .policy = narrow ? NNC_POLICY_BF16_PURE : NNC_POLICY_AMP,
                                     .fused = true,
                                     .params = elements };
    } else {
        op->dtype = known[i].of == NNC_PW_CAST ? NNC_BF16 : op->dtype;
        op->u.pointwise =
            (nnc_pointwise){ .kind = (nnc_pointwise_kind)known[i].of, .elements = elements, .fused = true };
    }
    if (known[i].alone) {
        const nnc_work own = nnc_op_work(op);
        op->issued[0] = (nnc_issued){ 1, own.read_bytes + own.write_bytes, 0 };
        op->issued_as = NNC_ISSUED_INSTEAD;
    }
    if (elements <= 0) { nnc_row_refuse(r, "no size"); }
}

/* Returns the whole part of a number of elements; 0 if the number is NaN, below 1 or above 1e15. */
static int64_t count_of(double number) { return number >= 1.0 && number <= 1e15 ? (int64_t)number : 0; }

/* Reads a measured PyTorch operator by its name. The suffix "_fb" means that forward and backward were timed together.
 * The suffix "_f32" means that the loss casts the logits to fp32. */
static void set_operator(nnc_row_reading *r, nnc_op *op) {
    static const char names[] =
        "|copy=copy|add=add|cast_f32=cast|cast=cast|gelu=gelu|softmax=softmax|layer_norm=norm|"
        "layer_norm_fb=norm|cross_entropy_fb=loss|cross_entropy_fb_f32=loss-fp32|adamw_fused=optimizer|"
        "embedding=embedding|";
    const char *name = nnc_row_text(r, "op");
    const bool flat = !nnc_row_given(r, "rows"), sized = nnc_row_given(r, "n") || !flat;
    /* If a row of an embedding states no sizes, it states the bytes that the embedding moves. `one` is an embedding of
     * a single value, so the number of values is the stated bytes divided by the bytes of `one`. */
    nnc_op one = *op;
    const bool priced = !sized && nnc_streaming_op(name, 1, 1, op->dtype, &one);
    const int64_t rows = sized    ? nnc_row_whole(r, flat ? "n" : "rows")
                         : priced ? count_of(nnc_row_number(r, "least_bytes") / one.issued[0].bytes)
                                  : 0;
    const int64_t columns = flat ? 1 : nnc_row_whole(r, "cols");
    const char *as = nnc_list_entry(names, name, '=');
    char kind[32];
    r->row->kind = NNC_MEASURED_VECTOR;
    r->row->both = strstr(name, "_fb") != NULL;
    if (rows < 1 || columns < 1 || rows > INT64_MAX / columns) {
        nnc_row_refuse(r, "no size");
        return;
    }
    snprintf(kind, sizeof kind, "%.*s", as != NULL ? (int)strcspn(as, "|") : 0, as != NULL ? as : "");
    if (as == NULL || !nnc_streaming_op(kind, rows, columns, op->dtype, op)) {
        nnc_row_refuse(r, "operation \"%.32s\" has no meaning here", name);
    }
    /* name of the group: the part before the dash, so that "loss-fp32" becomes "loss" */
    snprintf(r->row->kernel, sizeof r->row->kernel, "%.*s", (int)strcspn(kind, "-"), kind);
}

/* Returns the whole number in a column, or 1 if the cell is empty or its number is not positive. */
static int64_t positive_of(const nnc_row_reading *r, const char *column) {
    const int64_t value = nnc_row_whole(r, column);
    return value > 1 ? value : 1;
}

/* Reads the sizes of a measured convolution. The tables have only convolutions whose padding on each side is half of
 * the kernel size. */
static void set_conv(nnc_row_reading *r, nnc_op *op) {
    const int64_t side = nnc_row_whole(r, "side"), kernel = nnc_row_whole(r, "kernel_side");
    const int64_t stride = positive_of(r, "stride");
    const int64_t groups = positive_of(r, "groups");
    const int64_t after = (side + kernel / 2 * 2 - kernel) / stride + 1;
    const nnc_conv conv = { .batch = nnc_row_whole(r, "batch"),
                            .c_in = nnc_row_whole(r, "channels_in"),
                            .c_out = nnc_row_whole(r, "channels_out"),
                            .h_in = side,
                            .w_in = side,
                            .h_out = after,
                            .w_out = after,
                            .kernel = kernel,
                            .stride = stride,
                            .groups = groups,
                            .needs_grad_input = true,
                            .contiguous = nnc_row_whole(r, "channels_last") != 1 };
    op->name = "conv";
    op->kind = NNC_OP_CONV;
    op->u.conv = conv;
    if (conv.batch < 1 || conv.c_in < 1 || conv.c_out < 1 || side < 1 || kernel < 1 || after < 1 || side > 1000000 ||
        kernel > side || conv.c_in % groups != 0 || conv.c_out % groups != 0) {
        nnc_row_refuse(r, "no size");
    }
}

void nnc_row_read_conv(nnc_row_reading *r, bool both) {
    nnc_op *op = &r->row->op;
    r->row->both = both;
    r->row->called = by_torch(r);
    r->row->measured_s = 1e-6 * nnc_row_number(r, both ? "both_us" : "forward_us");
    *op = (nnc_op){
        .math_dtype = dtype_of(r), .dtype = dtype_of(r), .repeat = 1, .block = -1, .issued_as = NNC_ISSUED_TOO
    };
    set_conv(r, op);
    if (r->row->called) {
        snprintf(r->row->kernel, sizeof r->row->kernel, "%s", op->u.conv.contiguous ? "contiguous" : "channels last");
    }
}

/* Writes the name of the group of kernels in which the errors of a matrix product are listed. A product with a
 * dimension that is no multiple of 8 belongs to the group "odd side". A product without such a dimension belongs to the
 * group of the product's number format, and has "few rows" in the name of the group if the product has few rows. */
static void name_product(nnc_measured *row) {
    enum { ALIGNED = 8, FEW_ROWS = 256 };
    const nnc_matmul *p = &row->op.u.matmul;
    const char *dtype = nnc_dtype_name(row->op.math_dtype);
    if (p->n % ALIGNED != 0 || p->k % ALIGNED != 0) {
        snprintf(row->kernel, sizeof row->kernel, "odd side");
    } else {
        snprintf(row->kernel, sizeof row->kernel, "%s%s", dtype, p->m <= FEW_ROWS ? ", few rows" : "");
    }
}

void nnc_row_read_product(nnc_row_reading *r) {
    const char *name = nnc_row_text(r, "op");
    if (nnc_row_reason_of_kind(name) != NULL) { nnc_row_refuse(r, "%s", nnc_row_reason_of_kind(name)); }
    const nnc_dtype math = dtype_of(r);
    r->row->called = by_torch(r);
    const bool narrow = math == NNC_FP8 || math == NNC_INT8 || math == NNC_FP4 || math == NNC_INT4;
    nnc_op *op = &r->row->op;
    op->repeat = 1;
    op->block = -1;
    op->math_dtype = math;
    /* number format of the output: 16 bits for a product whose operands have 8 or 4 bits */
    op->dtype = narrow ? NNC_BF16 : math;
    if (nnc_begins(name, "conv_")) {
        r->row->kind = NNC_MEASURED_CONV;
        r->row->both = nnc_row_is(name, "conv_both");
        op->phase = nnc_row_is(name, "conv_grad_input")    ? NNC_PHASE_GRAD_INPUT
                    : nnc_row_is(name, "conv_grad_weight") ? NNC_PHASE_GRAD_WEIGHT
                                                           : op->phase;
        set_conv(r, op);
    } else if (name[0] == '\0' || nnc_row_is(name, "matmul") || nnc_row_is(name, "group_matmul")) {
        set_product(r, op);
        op->issued_as = by_torch(r) ? NNC_ISSUED_TOO : NNC_ISSUED_NOT;
        if (by_torch(r)) { name_product(r->row); }
    } else if (by_torch(r)) {
        set_operator(r, op);
    } else {
        set_vector(r, op);
    }
}

void nnc_row_read_attention(nnc_row_reading *r) {
    const nnc_dtype dtype = dtype_of(r);
    const int64_t seq_len = nnc_row_whole(r, "seq_len");
    const int64_t heads = nnc_row_whole(r, "model.heads"), kv_heads = nnc_row_whole(r, "model.kv_heads");
    const int64_t width = nnc_row_whole(r, nnc_row_given(r, "qk_head_dim") ? "qk_head_dim" : "model.head_dim");
    const int64_t value = nnc_row_whole(r, "model.v_head_dim");
    const char *op = nnc_row_text(r, "op");
    const bool backward = nnc_row_is(op, "sdp_bwd");
    if (op[0] != '\0' && !backward && !nnc_row_is(op, "sdp_fwd")) {
        nnc_row_refuse(r, "operation \"%.32s\" has no meaning here", op);
    }
    r->row->causal = nnc_row_whole(r, "causal") == 1;
    r->row->called = by_torch(r);
    r->row->op = (nnc_op){
        .name = "attention",
        .kind = NNC_OP_FLASH,
        .phase = backward ? NNC_PHASE_BACKWARD : NNC_PHASE_FORWARD,
        .dtype = dtype,
        .math_dtype = dtype,
        .repeat = 1,
        .block = -1,
        .issued_as = by_torch(r) ? NNC_ISSUED_TOO : NNC_ISSUED_NOT,
        .issued = { { 1.0, 0.0, 0.0 }, { 3.0, 0.0, 0.0 } },
        .u.flash = { .batch = nnc_row_whole(r, "batch"),
                     .heads = heads,
                     .kv_heads = kv_heads > 0 ? kv_heads : heads,
                     .s_q = seq_len,
                     .s_k = seq_len,
                     .head_dim = width,
                     .value_dim = value > 0 ? value : width,
                     /* A kernel that is neither FlashAttention-2 nor cuDNN counts as FlashAttention-3: the tables list
                      * only kernels that are as fast as FlashAttention-3. */
                     .kernel = strstr(nnc_row_text(r, "kernel"), "FlashAttention-2") != NULL       ? NNC_FLASH2
                               : by_torch(r) && strstr(nnc_row_text(r, "kernel"), "cudnn") != NULL ? NNC_CUDNN
                                                                                                   : NNC_FLASH3 },
    };
    if (r->row->called) {
        snprintf(r->row->kernel, sizeof r->row->kernel, "%s",
                 r->row->op.u.flash.kernel == NNC_CUDNN ? "cudnn" : "flash");
    }
    /* The limits of batch, heads and tokens make sure that the number of query-key pairs fits into 64 bits. */
    if (r->row->op.u.flash.batch < 1 || heads < 1 || width < 1 || seq_len < 1 || seq_len > 1000000000) {
        nnc_row_refuse(r, "no size");
    }
}

void nnc_row_read_collective(nnc_row_reading *r) {
    const char *op = nnc_row_text(r, "op");
    const int kind = nnc_names_find((nnc_names){ nnc_collective_name, NNC_COLLECTIVE_COUNT }, op);
    nnc_measured_collective *c = &r->row->collective;
    *c = (nnc_measured_collective){ .devices = (int32_t)nnc_min((double)nnc_row_whole(r, "devices"), 1e9),
                                    .nodes = nnc_row_given(r, "nodes") ? (int32_t)nnc_row_whole(r, "nodes") : 1,
                                    .bytes = nnc_row_number(r, "bytes") };
    c->kind = kind < 0 ? NNC_NO_COLLECTIVE : (nnc_collective)kind;
    if (c->kind == NNC_NO_COLLECTIVE) { nnc_row_refuse(r, "operation \"%.32s\" has no meaning here", op); }
    if (c->devices < 1 || c->nodes < 1 || !(c->bytes > 0.0)) { nnc_row_refuse(r, "no size"); }
}

/* ---- reads the rows of served requests ---- */

static bool starts_together(const char *mode) {
    return nnc_row_is(mode, "static") || nnc_row_is(mode, "single-stream");
}

bool nnc_row_is_pass(const nnc_row_reading *r) {
    return nnc_row_given(r, "iterations_per_s") || (nnc_row_given(r, "latency_s") && !nnc_row_given(r, "output_len"));
}

/* Tests whether one kind of measurement that a line states becomes a row of its own. If a batch was timed as a whole,
 * the times of the single tokens of the batch are not used. */
static bool counts(const nnc_row_reading *r, nnc_served served) {
    const char *mode = nnc_row_text(r, "mode");
    const bool together = starts_together(mode);
    const bool latency = nnc_row_given(r, "latency_s");
    if (nnc_row_is_pass(r) || served == NNC_SERVED_PASS) { return nnc_row_is_pass(r) && served == NNC_SERVED_PASS; }
    switch (served) {
    case NNC_SERVED_TPOT: return !together && !nnc_row_is(mode, "offline-max");
    case NNC_SERVED_TTFT: return !together || (!latency && !nnc_row_given(r, "output_tokens_per_s"));
    case NNC_SERVED_REQUEST: return together;
    default: return nnc_row_is(mode, "offline-max") || (together && !latency);
    }
}

static double served_s(const nnc_row_reading *r, nnc_served served) {
    const bool timed = served == NNC_SERVED_PASS && !nnc_row_given(r, "iterations_per_s");
    const double value = nnc_row_number(r, timed ? "latency_s" : nnc_served_name(served));
    const bool rate = served == NNC_SERVED_TOKEN || (served == NNC_SERVED_PASS && !timed);
    return rate ? 1.0 / value : value;
}

static void read_load(nnc_row_reading *r, nnc_serve_ask *ask) {
    static const char *const loads[] = { "batch", "concurrency", "request_rate", NULL };
    const char *mode = nnc_row_text(r, "mode");
    nnc_row_set_fields(r, &nnc_serve_table, "", set_serve, ask, loads);
    ask->devices = ask->devices > 0 ? ask->devices : 1;
    if (starts_together(mode)) {
        ask->batch = nnc_row_whole(r, "batch");
    } else if (nnc_row_is(mode, "closed-loop")) {
        ask->concurrency = nnc_row_whole(r, "concurrency");
    } else if (nnc_row_is(mode, "open-loop")) {
        ask->request_rate = nnc_row_number(r, "request_rate");
    } else if (nnc_row_is(mode, "offline-max")) {
        ask->offline = true;
    } else {
        nnc_row_refuse(r, "mode %.32s: batch sizes of its parts are not recorded", mode);
    }
    /* Some rows state no degree of parallelism. If a row without a degree of parallelism states a maximum throughput or
     * a request rate, nncost predicts the row with 1, 2, 4 ... tensor ranks, up to the number of devices. The
     * measurement of a row without a degree of parallelism is compared with the prediction that has the highest
     * saturation rate among the predictions that fit in memory. */
    const bool open = !nnc_row_given(r, "tensor") && !nnc_row_given(r, "pipeline") && ask->devices > 1;
    ask->tensor = open ? ask->devices : ask->tensor;
    r->row->tensor_open = open && (nnc_row_is(mode, "offline-max") || nnc_row_is(mode, "open-loop"));
    if (!nnc_row_given(r, "input_len") || !nnc_row_given(r, "output_len") ||
        (ask->batch < 1 && ask->concurrency < 1 && !(ask->request_rate > 0.0) && !ask->offline)) {
        nnc_row_refuse(r, "the row states no lengths, or no load");
    }
}

/* Reads the row of a single forward pass. A row with iterations_per_s is a denoising step with guidance; in such a
 * step, the network runs two passes. */
static void read_pass(nnc_row_reading *r) {
    nnc_measured *row = r->row;
    const int found = nnc_names_find((nnc_names){ nnc_dtype_name, NNC_DTYPE_COUNT }, nnc_row_text(r, "weights"));
    row->pass_precision = found < 0 ? NNC_DTYPE_COUNT : (nnc_dtype)found;
    row->ask.batch = nnc_row_whole(r, "batch");
    row->ask.input_len = nnc_row_whole(r, "input_len");
    row->ask.guidance = nnc_row_given(r, "iterations_per_s");
    row->ask.steps = row->ask.guidance ? 1 : 0;
    if (found < 0 || row->ask.batch < 1) {
        nnc_row_refuse(r, "the row states no batch for its pass, or an unknown number format");
    }
}

static bool is_replayed(const nnc_row_reading *r) {
    for (int i = 0; i < r->width; i++) {
        /* tables of training steps have a column cuda_graph, too, but this function reads rows of served requests */
        if (nnc_row_is(r->columns[i].spelling, "cuda_graph")) { return nnc_row_is(r->csv.cells[i], "1"); }
    }
    return false;
}

/* Reads a prefill, or a decode step of sequences with `context` tokens, that was timed alone. If a row names no
 * software profile, the function sets the profile. If the measured program recorded a CUDA graph, the profile is
 * gpt-fast, whose steps run as a recorded program. If the measured program recorded no CUDA graph, the profile is
 * torch-eager, and nncost predicts the operators that a program in PyTorch, without other libraries, issues one by one.
 * Returns false unless row->served is NNC_SERVED_TPOT for a decode step, or NNC_SERVED_TTFT for a prefill. */
static bool read_timed(nnc_row_reading *r) {
    nnc_measured *row = r->row;
    const bool decode = nnc_row_is(nnc_row_text(r, "what"), "decode"),
               prefill = nnc_row_is(nnc_row_text(r, "what"), "prefill");
    if (row->served != (decode ? NNC_SERVED_TPOT : NNC_SERVED_TTFT)) { return false; }
    row->ask = nnc_serve_ask_default();
    row->undecided = nnc_row_text(r, "open");
    row->measured_s = nnc_row_number(r, "time_s");
    row->ask.devices = 1;
    row->ask.batch = nnc_row_whole(r, "batch");
    row->ask.input_len = nnc_row_whole(r, decode ? "context" : "tokens");
    row->ask.output_len = decode ? 2 : 1;
    row->implementation = is_replayed(r) ? NNC_IMPLEMENTATION_NONE : NNC_IMPLEMENTATION_PYTORCH;
    if (row->software == NULL) { row->software = is_replayed(r) ? "gpt-fast" : "torch-eager"; }
    if (!decode && !prefill) {
        nnc_row_refuse(r, "what %.32s, expected prefill or decode", nnc_row_text(r, "what"));
    } else if (row->ask.batch < 1 || row->ask.input_len < 1 || !(row->measured_s > 0.0)) {
        nnc_row_refuse(r, "the row states no lengths, no batch or no measured time");
    } else if (nnc_row_given(r, "config")) {
        nnc_row_read_configuration(r);
    } else {
        nnc_row_name_model(r, nnc_row_text(r, "model"));
    }
    return true;
}

/* If the engine of a row has no profile, predicts the row with the default engine of 'nncost serve'. A row whose engine
 * has no profile counts as a row whose source leaves the engine open. A row whose program uses PyTorch without a
 * serving engine is predicted with the library transformers. */
static void take_engine(nnc_row_reading *r) {
    nnc_measured *row = r->row;
    const nnc_software *profile = NULL;
    nnc_error err = { 0 };
    char open[192];
    if (nnc_row_is(row->software, "torch-eager")) { row->implementation = NNC_IMPLEMENTATION_TRANSFORMERS; }
    if (nnc_software_load(r->specs, row->software, &profile, &err) == NNC_UNKNOWN_ID) {
        snprintf(open, sizeof open, "engine (%.40s has no profile)%s%.100s", row->software,
                 row->undecided[0] != '\0' ? ", " : "", row->undecided);
        row->undecided = nnc_row_keep(r, open);
        row->software = NNC_SERVE_SOFTWARE;
    }
}

bool nnc_row_read_serving(nnc_row_reading *r) {
    nnc_measured *row = r->row;
    if (nnc_row_has(r, "what")) { return read_timed(r); }
    row->measured_s = served_s(r, row->served);
    if (!counts(r, row->served) || !(row->measured_s > 0.0)) { return false; }
    row->undecided = nnc_row_text(r, "open");
    row->ask = nnc_serve_ask_default();
    row->single = nnc_begins(nnc_row_text(r, "mode"), "single");
    if (row->software == NULL && row->reason != NULL) { return true; }
    row->software = row->software != NULL ? row->software : row->framework;
    row->framework = row->software;
    if (row->software[0] == '\0') {
        nnc_row_refuse(r, "the row does not state its engine");
        return true;
    }
    if (row->served == NNC_SERVED_PASS) {
        read_pass(r);
    } else {
        take_engine(r);
        read_load(r, &row->ask);
    }
    nnc_row_name_model(r, nnc_row_text(r, "model"));
    return true;
}
