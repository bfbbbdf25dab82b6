/* The table of all kinds of ops, and functions that call the row of an op's kind. The file also has small tables: bytes
 * of number formats, names of phases and collectives, FLOPs conventions. */
#include <nncost/dtype.h>

#include "base/base_internal.h"
#include "op/op_internal.h"

const nnc_op_row *const nnc_op_rows[NNC_OP_KIND_COUNT] = {
#define NNC_OP_ROW(kind, row) [kind] = &nnc_##row##_row,
    NNC_OP_KIND_LIST(NNC_OP_ROW)
#undef NNC_OP_ROW
};

/* Bytes that the pointwise kernels of a library read / bytes that these kernels read and write. Assumption: half of the
 * kernels read two operands, the other half read one operand, so there are 1.5 reads per write. */
static const double issued_reads = 0.6;

/* Returns the work of an op for which a library issues several kernels. work: work of the op as one kernel. */
NNC_SAYING nnc_work issued_work(const nnc_op *op, nnc_work work, nnc_derivation *why) {
    const nnc_issued issued = nnc_op_issued(op);
    NNC_PUT(why, issued_reads, NULL);
    NNC_PUT(why, issued.bytes, "B");
    NNC_PUT(why, issued.mixed_bytes, "B");
    if (op->issued_as == NNC_ISSUED_INSTEAD) {
        NNC_SET(why, work.read_bytes, "B", issued_reads * (issued.bytes + issued.mixed_bytes));
        NNC_NOTE(why, "bytes of the kernels that the library issues instead of one kernel");
        NNC_SET(why, work.write_bytes, "B", (1.0 - issued_reads) * (issued.bytes + issued.mixed_bytes));
    } else if (issued.bytes + issued.mixed_bytes > 0.0) {
        NNC_LET(why, own_read_bytes, "B", work.read_bytes);
        NNC_LET(why, own_write_bytes, "B", work.write_bytes);
        NNC_SET(why, work.read_bytes, "B", own_read_bytes + issued_reads * (issued.bytes + issued.mixed_bytes));
        NNC_NOTE(why, "with the bytes of further kernels that the library issues: casts, biases, sums of gradients");
        NNC_SET(why, work.write_bytes, "B",
                own_write_bytes + (1.0 - issued_reads) * (issued.bytes + issued.mixed_bytes));
    }
    return work;
}

nnc_work nnc_op_work(const nnc_op *op) {
    const nnc_work work = nnc_op_row_of(op)->work(op);
    return op->issued_as != NNC_ISSUED_NOT ? issued_work(op, work, NULL) : work;
}

void nnc_op_say_issued(const nnc_op *op, nnc_derivation *why) {
    if (op->issued_as != NNC_ISSUED_NOT) { (void)issued_work(op, nnc_op_row_of(op)->work(op), why); }
}

/* Returns the number of elements by which library_kept and library_transient are multiplied: elements of the input of a
 * product, the logits of a loss, the output of a pointwise op or norm, the scores of attention; 0 for all other kinds
 * of ops. */
static double op_elements(const nnc_op *op) {
    switch (op->kind) {
    case NNC_OP_MATMUL: return (double)op->u.matmul.batch * (double)op->u.matmul.m * (double)op->u.matmul.k;
    case NNC_OP_NORM: return (double)op->u.norm.elements;
    case NNC_OP_POINTWISE: return (double)op->u.pointwise.elements;
    case NNC_OP_LOSS: return (double)op->u.loss.tokens * (double)op->u.loss.classes;
    case NNC_OP_FLASH: return nnc_flash_scores(&op->u.flash);
    default: return 0.0;
    }
}

/* Returns the bytes that an op of a library keeps for backward: library_kept for each element, and the statistics of a
 * norm (4 bytes per row of an RMS norm, 8 bytes per row of other norms). */
static double library_kept(const nnc_op *op) {
    const bool norm = op->kind == NNC_OP_NORM;
    const double rows = norm ? (double)op->u.norm.rows : 0.0;
    const double row_bytes = norm && op->u.norm.kind == NNC_NORM_RMS ? 4.0 : 8.0;
    return op->library_kept * op_elements(op) + row_bytes * rows;
}

double nnc_op_kept_bytes(const nnc_op *op) {
    return op->forward_only || nnc_op_keeps_nothing(op) ? 0.0
           : op->recorded                               ? op->recorded_kept
           : op->by_library                             ? library_kept(op)
                                                        : nnc_op_row_of(op)->kept(op);
}

double nnc_op_dropped_bytes(const nnc_op *op) {
    nnc_op whole = *op;
    whole.dropped = false;
    return op->dropped ? nnc_op_kept_bytes(&whole) - nnc_op_kept_bytes(op) : 0.0;
}

double nnc_op_transient_bytes(const nnc_op *op) {
    return op->forward_only                                ? 0.0
           : op->recorded                                  ? op->recorded_transient
           : op->by_library && op->library_transient > 0.0 ? op->library_transient * op_elements(op)
                                                           : nnc_op_row_of(op)->transient(op);
}

void nnc_op_say(const nnc_op *op, nnc_derivation *why) {
    if (!op->recorded && !(op->by_library && op->phase == NNC_PHASE_FORWARD)) {
        nnc_op_row_of(op)->say(op, why);
        return;
    }
    /* this copy of the op gets the phase recompute, because the functions of its row record no kept bytes in this
     * phase */
    nnc_op work = *op;
    work.phase = op->phase == NNC_PHASE_FORWARD ? NNC_PHASE_RECOMPUTE : op->phase;
    nnc_op_row_of(op)->say(&work, why);
    NNC_LET(why, kept_bytes, "B", nnc_op_kept_bytes(op));
    NNC_NOTE(why, op->recorded ? "storages that this operator created and autograd kept, as captured"
                               : "tensors that the operators of the library keep for backward");
    (void)kept_bytes;
}

int nnc_op_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]) {
    /* the op list of a captured program contains its backward operators already, so none is added */
    if (op->recorded) {
        backward[0] = *op;
        return op->phase == NNC_PHASE_FORWARD ? 0 : 1;
    }
    const int count = op->forward_only ? 0 : nnc_op_row_of(op)->backward(op, backward);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (!op->frozen || backward[i].phase != NNC_PHASE_GRAD_WEIGHT) {
            backward[kept] = backward[i];
            backward[kept].issued_as = op->issued_as;
            memcpy(backward[kept].issued, op->issued, sizeof op->issued);
            kept++;
        }
    }
    return kept;
}

const char nnc_kept_note[] = "kept for backward; a tensor that another op keeps is counted in the other op";
const char nnc_transient_note[] = "in memory only while its backward runs: gradients of its input and output";

int nnc_op_no_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]) {
    (void)op, (void)backward;
    return 0;
}

int nnc_op_same_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX]) {
    backward[0] = *op;
    backward[0].phase = NNC_PHASE_BACKWARD;
    return 1;
}

static double op_no_bytes(const nnc_op *op) {
    (void)op;
    return 0.0;
}

void nnc_op_not_sharded(nnc_op *op, const nnc_degrees *degrees) { (void)op, (void)degrees; }

int64_t nnc_at_least_one(int64_t value) { return value > 0 ? value : 1; }

int64_t nnc_scaled_up(int64_t value, double factor) {
    const double exact = (double)value * factor;
    const int64_t whole = (int64_t)exact;
    return (double)whole < exact ? whole + 1 : whole;
}

int64_t nnc_weights_active(const nnc_weights *weights) {
    const nnc_weights *w = weights;
    const bool some = w->active > 0;
    return (some ? w->active : w->count) * w->rows * w->cols + (some ? w->vector / w->count * w->active : w->vector);
}

int64_t nnc_weights_params(const nnc_weights *weights) {
    return weights->count * weights->rows * weights->cols + weights->vector;
}

void nnc_op_say_params(const nnc_op *op, nnc_derivation *why) {
    const nnc_weights *w = &op->weights;
    if (w->count == 0 && w->vector == 0) { return; }
    NNC_LET(why, matrices, NULL, (double)w->count);
    NNC_LET(why, rows, NULL, (double)w->rows);
    NNC_LET(why, columns, NULL, (double)w->cols);
    NNC_LET(why, vector, NULL, (double)w->vector);
    NNC_SAY(why, params, NULL, matrices * rows * columns + vector);
    NNC_NOTE(why, "parameters of one instance on one rank; vector: biases and gains");
    (void)params;
}

const char *nnc_op_name(const nnc_op *op) { return op != NULL ? op->name : "?"; }

const char *nnc_op_path(const nnc_op *op, char *text, size_t size) {
    const char *in = op->place != NULL ? op->place : "", *name = op->name;
    const size_t head = strcspn(in, ".");
    if (head > 0 && strncmp(in, name, head) == 0 && name[head] == '.') { name += head + 1; }
    snprintf(text, size, "%s%s%s", in, head > 0 ? "." : "", name);
    return text;
}

const char *nnc_op_kind_name(const nnc_op *op) {
    const nnc_op_row *row = op != NULL ? nnc_op_row_of(op) : NULL;
    return row == NULL ? "?" : row->name_of != NULL ? row->name_of(op) : row->name;
}

nnc_phase nnc_op_phase(const nnc_op *op) { return op != NULL ? op->phase : NNC_PHASE_COUNT; }

nnc_group nnc_op_group(const nnc_op *op) { return op != NULL ? op->group : NNC_GROUP_COUNT; }

void nnc_op_shape(const nnc_op *op, char *text, unsigned long size) {
    if (text == NULL || size == 0) { return; }
    text[0] = '\0';
    if (op != NULL) { nnc_op_row_of(op)->shape(op, text, size); }
}

NNC_ENUM_NAMES(nnc_phase, NNC_PHASE_LIST)

static const char all_pairs[] = "one pass; attention over all pairs",
                  wide_pairs[] = "one pass; attention over all pairs, with a window over its width",
                  masked_pairs[] = "one pass; attention over the pairs under the mask";
static const nnc_convention NNC_ROW(NNC_CONVENTION_PALM) = { NNC_COUNTS_WINDOW, false, wide_pairs };
static const nnc_convention NNC_ROW(NNC_CONVENTION_CAUSAL) = { NNC_COUNTS_MASK, false, masked_pairs };
static const nnc_convention NNC_ROW(NNC_CONVENTION_6ND) = { NNC_COUNTS_ALL, true, all_pairs };
static const nnc_convention *const conventions[] = { NNC_CONVENTION_LIST(NNC_ROW_AT) };

const nnc_convention *nnc_convention_of(nnc_flops_convention convention) { return conventions[convention]; }

double nnc_dtype_bytes(nnc_dtype dtype) {
    static const double bytes_of[NNC_DTYPE_COUNT] = {
#define BYTES(name, text, bytes) [name] = (bytes),
        NNC_DTYPE_LIST(BYTES)
#undef BYTES
    };
    return (unsigned)dtype < NNC_DTYPE_COUNT ? bytes_of[dtype] : (double)NAN;
}

double nnc_stored_bytes(nnc_stored stored, double group_size) {
    static const struct {
        double bits, scale_bits, zero_bits, group;
    } rows[NNC_STORED_COUNT] = {
#define STORED(name, text, bits, scale_bits, zero_bits, group, math) \
    [name] = { (bits), (scale_bits), (zero_bits), (group) },
        NNC_STORED_LIST(STORED)
#undef STORED
    };
    if ((unsigned)stored >= NNC_STORED_COUNT) { return (double)NAN; }
    const double group = rows[stored].group > 0.0 ? rows[stored].group : group_size;
    const double shared = rows[stored].scale_bits + rows[stored].zero_bits;
    return (rows[stored].bits + (shared > 0.0 ? shared / group : 0.0)) / 8.0;
}

double nnc_block_format_bytes(double element_bytes, double scale_bytes, double block) {
    return element_bytes + scale_bytes / block;
}

/* ---- collectives: communication between ranks ----
 * A collective has no FLOPs, moves no bytes of device memory and keeps no tensor; the links between the ranks decide
 * its time (src/cost). The backward of an all-gather is a reduce-scatter, and the backward of a reduce-scatter is an
 * all-gather. */

NNC_ENUM_NAMES(nnc_collective, NNC_COLLECTIVE_LIST)
NNC_ENUM_NAMES(nnc_comm, NNC_COMM_LIST)

static nnc_work collective_work(const nnc_op *op) {
    (void)op;
    return (nnc_work){ 0 };
}

static void collective_say(const nnc_op *op, nnc_derivation *why) { (void)op, (void)why; }

static int collective_backward(const nnc_op *op, nnc_op *backward) {
    const nnc_collective_op *e = &op->u.collective;
    const nnc_collective runs[] = { e->backward, e->backward_again };
    const double backward_bytes = e->backward_bytes > 0.0 ? e->backward_bytes : e->bytes;
    const double bytes[] = { backward_bytes, e->again_bytes > 0.0 ? e->again_bytes : backward_bytes };
    int count = 0;
    for (int i = 0; i < 2; i++) {
        if (runs[i] != NNC_NO_COLLECTIVE) {
            backward[count] = *op;
            backward[count].phase = NNC_PHASE_BACKWARD;
            backward[count].u.collective.forward = runs[i];
            backward[count].u.collective.bytes = bytes[i];
            count++;
        }
    }
    return count;
}

static void collective_shape(const nnc_op *op, char *text, size_t size) {
    snprintf(text, size, "bytes=%.0f", op->u.collective.bytes);
}

static const char *collective_name(const nnc_op *op) { return nnc_collective_name(op->u.collective.forward); }

const nnc_op_row nnc_collective_row = {
    .name_of = collective_name,
    .work = collective_work,
    .kept = op_no_bytes,
    .transient = op_no_bytes,
    .say = collective_say,
    .backward = collective_backward,
    .shard = nnc_op_not_sharded,
    .shape = collective_shape,
    .timed = NNC_TIMED_NETWORK,
};

/* ---- operators of captured programs other than products, convolutions and attention: each reads and writes its
 * tensors once ---- */

/* Returns the work of an operator of a captured program: it reads each of its inputs once and writes each of its
 * outputs once; their bytes were recorded. The arithmetic of the operator is not counted, because it takes much less
 * time than the memory traffic on every device.   [captured-kernel] */
NNC_SAYING nnc_work kernel_work(const nnc_op *op, nnc_derivation *why) {
    const nnc_kernel *p = &op->u.kernel;
    nnc_work work = { 0 };
    NNC_LET(why, recorded_read_bytes, "B", p->read_bytes);
    NNC_LET(why, recorded_write_bytes, "B", p->write_bytes);
    NNC_SET(why, work.read_bytes, "B", recorded_read_bytes);
    NNC_SET(why, work.write_bytes, "B", recorded_write_bytes);
    NNC_NOTE(why, "bytes of its tensors as captured, each tensor once");
    return work;
}

static nnc_work kernel_plain_work(const nnc_op *op) { return kernel_work(op, NULL); }

static void kernel_say(const nnc_op *op, nnc_derivation *why) { (void)kernel_work(op, why); }

static void kernel_shape(const nnc_op *op, char *text, size_t size) {
    const nnc_kernel *p = &op->u.kernel;
    snprintf(text, size, "read=%.0f written=%.0f", p->read_bytes, p->write_bytes);
}

static nnc_timed kernel_timed(const nnc_op *op) {
    const bool map = op->group == NNC_GROUP_CONV || op->group == NNC_GROUP_RESAMPLE;
    return map ? NNC_TIMED_MAP : NNC_TIMED_POINTWISE;
}

const nnc_op_row nnc_kernel_row = {
    .name = "kernel",
    .work = kernel_plain_work,
    .kept = op_no_bytes,
    .transient = op_no_bytes,
    .say = kernel_say,
    .backward = nnc_op_no_backward,
    .shard = nnc_op_not_sharded,
    .shape = kernel_shape,
    .timed_of = kernel_timed,
    .fuses = true,
};
