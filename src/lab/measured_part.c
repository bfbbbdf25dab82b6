/* Measured kernels and collectives. */
#include <math.h>
#include <string.h>

#include "lab/measured_cells.h"

/* NNC_DTYPE_COUNT and a reason when it is none of ours. */
static nnc_dtype dtype_of(nnc_measured_cells *cells, nnc_measured *row, const char *text)
{
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        if (strcmp(nnc_dtype_name((nnc_dtype)i), text) == 0) {
            return (nnc_dtype)i;
        }
    }
    nnc_measured_refuse(cells, row, "number format \"%.32s\" has no meaning here", text);
    return NNC_DTYPE_COUNT;
}

/* Results of 8-bit products are written in 16 bits. */
static nnc_dtype result_dtype(nnc_dtype math)
{
    return math == NNC_FP8 || math == NNC_INT8 || math == NNC_FP4 || math == NNC_INT4 ? NNC_BF16
                                                                                      : math;
}

/* Of a group the file states what one product has; the gradient of its weights as the product of forward,
 * whose rows are what is added up. */
static nnc_matmul product_of(const nnc_measured_cells *cells, bool grad_weight)
{
    const int64_t groups = nnc_cell_whole(cells, NNC_COLUMN_GROUPS);
    nnc_matmul p = { .batch = 1,
                     .m = nnc_cell_whole(cells, NNC_COLUMN_M),
                     .n = nnc_cell_whole(cells, NNC_COLUMN_N),
                     .k = nnc_cell_whole(cells, NNC_COLUMN_K),
                     .experts = groups > 1 ? groups : 0,
                     .one_by_one = groups > 1,
                     .b_shared = 1,
                     .kept_divisor = 1 };
    if (groups > 1 && p.m > 0 && p.m <= INT64_MAX / groups) {
        const int64_t rows = p.m * groups;
        p.m = grad_weight ? p.k : rows;
        p.k = grad_weight ? rows : p.k;
    }
    return p;
}

static void set_product(const nnc_measured_cells *cells, nnc_measured *row)
{
    const char *stage = cells->text[NNC_COLUMN_STAGE];
    const bool wide = strcmp(cells->text[NNC_COLUMN_OUT_DTYPE], "fp32") == 0;
    const bool adds = strcmp(cells->text[NNC_COLUMN_ACCUMULATE], "True") == 0;
    const bool grad_weight =
        strcmp(stage, "wgrad") == 0 || strcmp(stage, "bwd_grad_w") == 0 || adds;
    row->op.name = "gemm";
    row->op.kind = NNC_OP_MATMUL;
    row->op.grad_bytes =
        wide || (adds && strcmp(cells->text[NNC_COLUMN_OP], "matmul") != 0) ? 4.0 : 2.0;
    row->op.grad_accumulate = adds ? 1.0 : 0.0;
    if (grad_weight) {
        row->op.phase = NNC_PHASE_GRAD_WEIGHT;
    }
    row->op.u.matmul = product_of(cells, grad_weight);
}

static void set_vector(nnc_measured_cells *cells, nnc_measured *row)
{
    const char *op = cells->text[NNC_COLUMN_OP];
    const int64_t m = nnc_cell_whole(cells, NNC_COLUMN_M);
    const int64_t n = nnc_cell_whole(cells, NNC_COLUMN_N);
    const int64_t elements = m > 0 && n > 0 && m <= INT64_MAX / n ? m * n : 0;
    const bool gelu = strcmp(op, "gelu") == 0;
    row->kind = NNC_MEASURED_VECTOR;
    row->op.name = gelu ? "gelu" : "softmax";
    if (strcmp(op, "layernorm") == 0) {
        row->op.name = "norm";
        row->op.kind = NNC_OP_NORM;
        row->op.u.norm =
            (nnc_norm){ .kind = NNC_NORM_LAYER, .elements = elements, .rows = m, .fused = true };
    } else if (strcmp(op, "cast") == 0) {
        row->op.name = "cast";
        row->op.kind = NNC_OP_POINTWISE;
        row->op.dtype = NNC_BF16;
        row->op.u.pointwise =
            (nnc_pointwise){ .kind = NNC_PW_CAST, .elements = elements, .fused = true };
    } else if (gelu || strcmp(op, "softmax") == 0) {
        row->op.kind = NNC_OP_POINTWISE;
        row->op.u.pointwise = (nnc_pointwise){ .kind = gelu ? NNC_PW_GELU : NNC_PW_SOFTMAX,
                                               .elements = elements,
                                               .fused = true };
    } else {
        nnc_measured_refuse(cells, row, "operation \"%.32s\" has no meaning here", op);
    }
    if (elements <= 0) {
        nnc_measured_refuse(cells, row, "no size");
    }
}

void nnc_measured_product(nnc_measured_cells *cells, nnc_measured *row)
{
    const char *op = cells->text[NNC_COLUMN_OP];
    const nnc_dtype dtype = dtype_of(cells, row, cells->text[NNC_COLUMN_DTYPE]);
    row->op.repeat = 1;
    row->op.block = -1;
    row->op.math_dtype = dtype;
    row->op.dtype = result_dtype(dtype);
    if (op[0] == '\0' || strcmp(op, "matmul") == 0 || strcmp(op, "group_matmul") == 0) {
        set_product(cells, row);
        const nnc_matmul *p = &row->op.u.matmul;
        if (p->m < 1 || p->n < 1 || p->k < 1) {
            nnc_measured_refuse(cells, row, "no size");
        }
    } else {
        set_vector(cells, row);
    }
}

void nnc_measured_attention(nnc_measured_cells *cells, nnc_measured *row)
{
    const nnc_dtype dtype = dtype_of(cells, row, cells->text[NNC_COLUMN_DTYPE]);
    const int64_t seq_len = nnc_cell_whole(cells, NNC_COLUMN_SEQ_LEN);
    const int64_t heads = nnc_cell_whole(cells, NNC_COLUMN_N_HEADS);
    const int64_t kv_heads = nnc_cell_whole(cells, NNC_COLUMN_N_KV_HEADS);
    const int64_t width = nnc_cell_given(cells, NNC_COLUMN_QK_HEAD_DIM)
                              ? nnc_cell_whole(cells, NNC_COLUMN_QK_HEAD_DIM)
                              : nnc_cell_whole(cells, NNC_COLUMN_HEAD_DIM);
    const int64_t value = nnc_cell_whole(cells, NNC_COLUMN_V_HEAD_DIM);
    const char *op = cells->text[NNC_COLUMN_OP];
    const bool backward = strcmp(op, "sdp_bwd") == 0;
    if (op[0] != '\0' && !backward && strcmp(op, "sdp_fwd") != 0) {
        nnc_measured_refuse(cells, row, "operation \"%.32s\" has no meaning here", op);
    }
    row->causal = nnc_cell_whole(cells, NNC_COLUMN_CAUSAL) == 1;
    row->op = (nnc_op){
        .name = "attention",
        .kind = NNC_OP_FLASH,
        .phase = backward ? NNC_PHASE_BACKWARD : NNC_PHASE_FORWARD,
        .dtype = dtype,
        .math_dtype = dtype,
        .repeat = 1,
        .block = -1,
        .u.flash = { .batch = nnc_cell_whole(cells, NNC_COLUMN_BATCH),
                     .heads = heads,
                     .kv_heads = kv_heads > 0 ? kv_heads : heads,
                     .s_q = seq_len,
                     .s_k = seq_len,
                     .head_dim = width,
                     .value_dim = value > 0 ? value : width,
                     .kernel = NNC_FLASH3 }, /* all were measured with kernels of that time */
    };
    /* Pairs are counted in 64 bits. */
    if (row->op.u.flash.batch < 1 || heads < 1 || width < 1 || seq_len < 1 ||
        seq_len > 1000000000) {
        nnc_measured_refuse(cells, row, "no size");
    }
}

void nnc_measured_collective(nnc_measured_cells *cells, nnc_measured *row)
{
    const char *op = cells->text[NNC_COLUMN_OP];
    row->exchange = (nnc_measured_exchange){
        .devices = nnc_cell_degree(cells, NNC_COLUMN_N_DEVICES, 0),
        .nodes = nnc_cell_degree(cells, NNC_COLUMN_N_NODES, 1),
        .bytes = nnc_cell_number(cells, NNC_COLUMN_BYTES),
    };
    for (int i = NNC_NO_COLLECTIVE + 1; i < NNC_COLLECTIVE_COUNT; i++) {
        if (strcmp(nnc_collective_name((nnc_collective)i), op) == 0) {
            row->exchange.kind = (nnc_collective)i;
        }
    }
    if (row->exchange.kind == NNC_NO_COLLECTIVE) {
        nnc_measured_refuse(cells, row, "operation \"%.32s\" has no meaning here", op);
    }
    if (row->exchange.devices < 1 || row->exchange.nodes < 1 || !(row->exchange.bytes > 0.0)) {
        nnc_measured_refuse(cells, row, "no size");
    }
}
