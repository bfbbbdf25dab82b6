#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "op/op_row.h"

const nnc_op_row *const nnc_op_rows[NNC_OP_KIND_COUNT] = {
#define NNC_OP_ROW(kind, row) [kind] = &nnc_##row##_row,
    NNC_OP_KIND_LIST(NNC_OP_ROW)
#undef NNC_OP_ROW
};

nnc_work nnc_op_work(const nnc_op *op)
{
    return nnc_op_row_of(op)->work(op);
}

double nnc_op_kept_bytes(const nnc_op *op)
{
    return op->forward_only || nnc_op_keeps_nothing(op) ? 0.0 : nnc_op_row_of(op)->kept(op);
}

double nnc_op_dropped_bytes(const nnc_op *op)
{
    nnc_op whole = *op;
    whole.dropped = false;
    return op->dropped ? nnc_op_kept_bytes(&whole) - nnc_op_kept_bytes(op) : 0.0;
}

double nnc_op_transient_bytes(const nnc_op *op)
{
    return op->forward_only ? 0.0 : nnc_op_row_of(op)->transient(op);
}

int nnc_op_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX])
{
    const int count = op->forward_only ? 0 : nnc_op_row_of(op)->backward(op, backward);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (!op->frozen || backward[i].phase != NNC_PHASE_GRAD_WEIGHT) {
            backward[kept++] = backward[i];
        }
    }
    return kept;
}

const char nnc_kept_note[] = "for backward, of tensors that no other op keeps";
const char nnc_transient_note[] = "while its backward runs: gradients of its input and output";

int nnc_op_no_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX])
{
    (void)op;
    (void)backward;
    return 0;
}

int nnc_op_same_backward(const nnc_op *op, nnc_op backward[NNC_BACKWARD_MAX])
{
    backward[0] = *op;
    backward[0].phase = NNC_PHASE_BACKWARD;
    return 1;
}

void nnc_op_not_sharded(nnc_op *op, const nnc_degrees *degrees)
{
    (void)op;
    (void)degrees;
}

int64_t nnc_at_least_one(int64_t value)
{
    return value > 0 ? value : 1;
}

int64_t nnc_scaled_up(int64_t value, double factor)
{
    const double exact = (double)value * factor;
    const int64_t whole = (int64_t)exact;
    return (double)whole < exact ? whole + 1 : whole;
}

int64_t nnc_weights_active(const nnc_weights *weights)
{
    const nnc_weights *w = weights;
    const bool some = w->active > 0;
    return (some ? w->active : w->count) * w->rows * w->cols +
           (some ? w->vector / w->count * w->active : w->vector);
}

int64_t nnc_weights_params(const nnc_weights *weights)
{
    return weights->count * weights->rows * weights->cols + weights->vector;
}

void nnc_op_say_params(const nnc_op *op, nnc_derivation *why)
{
    const nnc_weights *w = &op->weights;
    if (w->count == 0 && w->vector == 0) {
        return;
    }
    NNC_LET(why, matrices, NULL, (double)w->count);
    NNC_LET(why, rows, NULL, (double)w->rows);
    NNC_LET(why, columns, NULL, (double)w->cols);
    NNC_LET(why, vector, NULL, (double)w->vector);
    NNC_SAY(why, params, NULL, matrices * rows * columns + vector);
    NNC_NOTE(why, "of one instance, on one rank; vector: biases and gains");
    (void)params;
}

const char *nnc_op_name(const nnc_op *op)
{
    return op != NULL ? op->name : "?";
}

/* "down.conv" of "down.0" is "down.0.conv". */
const char *nnc_op_path(const nnc_op *op, char *text, size_t size)
{
    const char *in = op->place != NULL ? op->place : "", *name = op->name;
    const size_t head = strcspn(in, ".");
    if (head > 0 && strncmp(in, name, head) == 0 && name[head] == '.') {
        name += head + 1;
    }
    snprintf(text, size, "%s%s%s", in, head > 0 ? "." : "", name);
    return text;
}

const char *nnc_op_kind_name(const nnc_op *op)
{
    return op != NULL ? nnc_op_row_of(op)->name(op) : "?";
}

nnc_phase nnc_op_phase(const nnc_op *op)
{
    return op != NULL ? op->phase : NNC_PHASE_COUNT;
}

nnc_group nnc_op_group(const nnc_op *op)
{
    return op != NULL ? op->group : NNC_GROUP_COUNT;
}

void nnc_op_shape(const nnc_op *op, char *text, unsigned long size)
{
    if (text == NULL || size == 0) {
        return;
    }
    text[0] = '\0';
    if (op != NULL) {
        nnc_op_row_of(op)->shape(op, text, size);
    }
}

NNC_ENUM_NAMES(nnc_phase, NNC_PHASE_LIST)
