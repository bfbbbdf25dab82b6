/* The family of captured programs, whose ops are the operators that PyTorch issued in one training step.   [capture]
 *
 * The op list contains the parts of the program (nnc_captured_slot) in order. The list of each part has its forward ops
 * in order, and then its backward ops from the last to the first. The op table reverses the list for backward
 * (src/cost/op_rows.c), so the rows of the op table are in the order in which the operators ran. */
#include <inttypes.h>
#include <stdio.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

static nnc_op *write_product(const nnc_writer *w, const nnc_captured_op *c) {
    const bool words = c->phase == NNC_PHASE_BACKWARD && (c->m == c->words || c->k == c->words);
    nnc_op *op = nnc_list_add(w, c->name, NNC_OP_MATMUL, c->group);
    nnc_matmul_set(&op->u.matmul, c->batch, c->m, c->n, c->k);
    op->u.matmul.vocab = words ? c->words : 0;
    op->u.matmul.b_is_weight = c->batch == 1;
    return op;
}

static nnc_op *write_conv(const nnc_writer *w, const nnc_captured_op *c) {
    const nnc_conv conv = { .batch = c->batch,
                            .c_in = c->c_in,
                            .c_out = c->c_out,
                            .h_in = c->h_in,
                            .w_in = c->w_in,
                            .h_out = c->h_out,
                            .w_out = c->w_out,
                            .kernel = c->kernel,
                            .kernel_w = c->kernel_w == c->kernel ? 0 : c->kernel_w,
                            .stride = c->stride,
                            .groups = c->groups,
                            .transposed = c->transposed };
    nnc_op *op = nnc_list_conv(w, c->name, c->group, &conv, false);
    op->phase = c->kind == NNC_CAPTURED_CONV_GRAD_INPUT    ? NNC_PHASE_GRAD_INPUT
                : c->kind == NNC_CAPTURED_CONV_GRAD_WEIGHT ? NNC_PHASE_GRAD_WEIGHT
                                                           : NNC_PHASE_FORWARD;
    op->grad_bytes = nnc_dtype_bytes(c->dtype);
    return op;
}

static nnc_op *write_attention(const nnc_writer *w, const nnc_captured_op *c) {
    const double all = (double)c->s_q * (double)c->s_k;
    nnc_op *op = nnc_list_add(w, c->name, NNC_OP_FLASH, c->group);
    op->u.flash = (nnc_flash){ .batch = c->batch,
                               .heads = c->heads,
                               .kv_heads = c->kv_heads,
                               .own_kv_heads = c->kv_heads,
                               .s_q = c->s_q,
                               .s_k = c->s_k,
                               .head_dim = c->head_dim,
                               .value_dim = c->value_dim,
                               .full_pairs = all,
                               .window_pairs = all,
                               .kernel = nnc_attention_kernel(w->how->attention, w->how->software),
                               .causal = c->causal };
    op->u.flash.pairs = c->causal ? (double)nnc_attention_pairs(c->s_q, c->s_k, true, 0) : all;
    return op;
}

static nnc_op *write_kernel(const nnc_writer *w, const nnc_captured_op *c) {
    nnc_op *op = nnc_list_add(w, c->name, NNC_OP_KERNEL, c->group);
    op->u.kernel = (nnc_kernel){ c->read_bytes, c->write_bytes };
    return op;
}

typedef nnc_op *write_fn(const nnc_writer *w, const nnc_captured_op *c);
static write_fn *const writers[] = {
    [NNC_CAPTURED_KERNEL] = write_kernel,
    [NNC_CAPTURED_PRODUCT] = write_product,
    [NNC_CAPTURED_CONV] = write_conv,
    [NNC_CAPTURED_CONV_GRAD_INPUT] = write_conv,
    [NNC_CAPTURED_CONV_GRAD_WEIGHT] = write_conv,
    [NNC_CAPTURED_ATTENTION] = write_attention,
};

/* Sets the number and bytes of the kernels of a recorded op that runs eagerly: one kernel for each operator that
 * PyTorch issued, three kernels for the backward of fused attention, one more kernel for the bias of a convolution, and
 * the casts of autocast. A recurrent layer has one kernel for all its time steps. value_bytes: bytes of one value of
 * the op's result. */
static void issue(const nnc_captured_op *c, double value_bytes, nnc_op *op) {
    const bool streams = c->kind == NNC_CAPTURED_KERNEL;
    const double bytes = streams ? c->read_bytes + c->write_bytes : 0.0;
    op->issued_as = streams ? NNC_ISSUED_INSTEAD : NNC_ISSUED_TOO;
    const double backward = c->kind == NNC_CAPTURED_ATTENTION ? 3.0 : 1.0;
    const double steps = (double)c->steps, one = c->continues ? 0.0 : 1.0;
    op->issued[0] = (nnc_issued){ one * (1.0 + c->cast_kernels) / steps, bytes, c->cast_bytes / steps };
    if (c->kind == NNC_CAPTURED_CONV && c->bias && nnc_conv_adds_bias(&op->u.conv)) {
        op->issued[0].kernels += 1.0 / steps;
        op->issued[0].bytes = 2.0 * value_bytes * (double)c->batch * (double)c->c_out * (double)(c->h_out * c->w_out);
    }
    op->issued[1] = (nnc_issued){ one * (backward + c->cast_kernels) / steps, bytes, c->cast_bytes / steps };
}

/* Sets the number and bytes of the kernels of a recorded op under torch.compile. An op that is fused into the kernel of
 * another op gets 0 kernels. [compiled] */
static void issue_fused(const nnc_captured_op *c, nnc_op *op) {
    const bool streams = c->kind == NNC_CAPTURED_KERNEL;
    const double kernels = c->fused_kernels + c->fused_cast_kernels, steps = (double)c->steps;
    op->issued_as = streams ? NNC_ISSUED_INSTEAD : NNC_ISSUED_TOO;
    op->issued[0] = (nnc_issued){ kernels / steps, streams ? c->fused_bytes : 0.0, c->fused_cast_bytes / steps };
    op->issued[1] = op->issued[2] = op->issued[0];
}

static void write_op(const nnc_writer *w, const nnc_captured_op *c) {
    const nnc_plan *plan = w->how->plan;
    const bool autocast = plan->policy == NNC_POLICY_AMP;
    nnc_op *op = writers[c->kind](w, c);
    if (w->how->software->lists_operators) {
        issue(c, nnc_dtype_bytes(c->narrow ? plan->precision : c->dtype), op);
    } else if (nnc_fuses_captured(w->how->software)) {
        issue_fused(c, op);
    }
    op->place = c->module;
    op->repeat = c->repeat * c->steps;
    op->dtype = c->narrow ? plan->precision : c->dtype;
    /* without the policy amp, products of a step that was recorded in fp32 can run in tf32 */
    op->math_dtype = c->narrow ? plan->precision : c->dtype == NNC_FP32 && !autocast ? plan->precision : c->dtype;
    op->recorded = true;
    op->recorded_kept = c->kept_bytes / (double)c->steps;
    op->recorded_transient = c->transient_bytes;
    op->grad_accumulate = 0.0;
    op->frozen = c->frozen;
    op->weights =
        (nnc_weights){ .count = c->rows > 0, .rows = c->rows, .cols = c->cols, .vector = c->vector, .table = c->table };
    if (c->phase == NNC_PHASE_BACKWARD && op->phase == NNC_PHASE_FORWARD) {
        op->phase = c->again ? NNC_PHASE_RECOMPUTE : NNC_PHASE_BACKWARD;
    }
}

/* ---- a captured program whose vocabulary the plan pads ---- */

/* Number of rows of the tensors over the vocabulary: in the recorded step (from), and after padding (to). */
typedef struct padding {
    int64_t from, to;
} padding;

static padding padding_of(const nnc_model *model) {
    const int64_t rows = model->captured->vocab, multiple = model->decoder.vocab_multiple;
    return (padding){ rows, multiple > 1 && rows > 0 ? nnc_ceil_div(rows, multiple) * multiple : rows };
}

static double growth_of(padding p) { return p.from > 0 ? (double)p.to / (double)p.from : 1.0; }

int64_t nnc_captured_vocab(const nnc_model *model) {
    return model->captured != NULL && model->decoder.vocab_multiple <= 1 ? model->captured->vocab : 0;
}

bool nnc_is_forward_pass(const nnc_model *model, const nnc_plan *plan) {
    return model->captured != NULL ? model->captured->inference : (plan->train & NNC_TRAIN_NONE) != 0;
}

double nnc_issue_s(const nnc_model *model, const nnc_plan *plan, const nnc_device *device) {
    return device->host.kernel_s * (nnc_is_forward_pass(model, plan) ? NNC_HOST_SHARE_FORWARD : 1.0);
}

/* Returns a recorded operator, changed to a padded vocabulary. If a tensor of the operator has one row or column per
 * word, all bytes of the operator are multiplied by the growth of the vocabulary. The multiplied bytes are an upper
 * bound; for the logits and the embedding table the bytes are exact. */
static nnc_captured_op padded(const nnc_captured_op *recorded, padding p) {
    nnc_captured_op op = *recorded;
    int64_t *const dims[] = { &op.m, &op.n, &op.k, &op.rows, &op.cols, &op.words };
    double *const bytes[] = { &op.read_bytes, &op.write_bytes, &op.kept_bytes,      &op.transient_bytes,
                              &op.cast_bytes, &op.fused_bytes, &op.fused_cast_bytes };
    if (op.words == 0 || p.to == p.from) { return op; }
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) { *dims[i] = *dims[i] == p.from ? p.to : *dims[i]; }
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) { *bytes[i] *= growth_of(p); }
    return op;
}

/* ---- a number of samples between the numbers of two recorded steps ---- */

/* Interpolates a size between two recorded steps with different numbers of samples. one: size in the first step; two:
 * size in the second step; result: one + share x (two - one). The interpolated size is exact if the size is the sum of
 * a constant and a part proportional to the number of samples. [captured-kernel] */
static double between(double one, double two, double share) { return one + share * (two - one); }

static nnc_captured_op op_between(const nnc_captured_op *one, const nnc_captured_op *two, double share) {
#define AT(member) offsetof(nnc_captured_op, member)
    static const size_t dims[] = { AT(batch), AT(m),     AT(n),     AT(k),   AT(c_in), AT(c_out),    AT(h_in), AT(w_in),
                                   AT(h_out), AT(w_out), AT(heads), AT(s_q), AT(s_k),  AT(kv_heads), AT(steps) };
    static const size_t bytes[] = { AT(read_bytes), AT(write_bytes), AT(kept_bytes),      AT(transient_bytes),
                                    AT(cast_bytes), AT(fused_bytes), AT(fused_cast_bytes) };
#undef AT
    nnc_captured_op op = *one;
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        int64_t a = 0, b = 0;
        memcpy(&a, (const char *)one + dims[i], sizeof a);
        memcpy(&b, (const char *)two + dims[i], sizeof b);
        a = (int64_t)nnc_ceil(between((double)a, (double)b, share) - 1e-6);
        memcpy((char *)&op + dims[i], &a, sizeof a);
    }
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        double a = 0.0, b = 0.0;
        memcpy(&a, (const char *)one + bytes[i], sizeof a);
        memcpy(&b, (const char *)two + bytes[i], sizeof b);
        a = between(a, b, share);
        memcpy((char *)&op + bytes[i], &a, sizeof a);
    }
    return op;
}

/* Returns the recorded step. With --policy amp, returns the recorded step in the version for autocast, if the model
 * file has this version. */
static const struct nnc_captured *program_of(const struct nnc_captured *recorded, const nnc_plan *plan) {
    return plan->policy == NNC_POLICY_AMP && recorded->autocast != NULL ? recorded->autocast : recorded;
}

static double share_of(const struct nnc_captured *program, int64_t samples) {
    return program->second == NULL
               ? 0.0
               : (double)(samples - program->batch) / (double)(program->second->batch - program->batch);
}

/* The inputs for lowering a captured program. share: 0 = the plan has the number of samples of `program`; 1 = the
 * number of samples of `other`; between 0 and 1 = a number of samples between these two numbers. */
typedef struct lowered {
    const struct nnc_captured *program, *other;
    double share;
    padding vocab;
} lowered;

static void write_at(const nnc_writer *w, const lowered *l, int32_t i) {
    const nnc_captured_op *one = &l->program->ops[i];
    /* the plan has the number of samples and the vocabulary of the recorded step, so the recorded operator needs no
     * change */
    if (l->share == 0.0 && l->vocab.to == l->vocab.from) {
        write_op(w, one);
        return;
    }
    const nnc_captured_op found = op_between(one, &l->other->ops[i], l->share);
    const nnc_captured_op op = padded(&found, l->vocab);
    w->list->lookup_params += op.table && !op.tied ? (op.rows - one->rows) * op.cols * op.repeat : 0;
    write_op(w, &op);
}

/* Appends the slots of a captured program (successive operators of one unit, or between two units) in order. For each
 * slot, appends its forward ops and then its backward ops from the last to the first. [captured-units] */
static void write_slots(const nnc_writer *w, const lowered *l) {
    const struct nnc_captured *program = l->program;
    int32_t forward = 0, backward = program->count - 1;
    for (int32_t s = 0; s < program->slot_count; s++) {
        const nnc_captured_slot *slot = &program->slots[s];
        const nnc_writer inside = slot->unit ? nnc_list_block(w, slot->repeat, 0) : *w;
        if (slot->unit) {
            w->list->blocks[inside.block].input_bytes =
                between(slot->input_bytes, l->other->slots[s].input_bytes, l->share);
        }
        for (; forward < program->count &&
               (program->ops[forward].phase != NNC_PHASE_FORWARD || program->ops[forward].slot <= s);
             forward++) {
            if (program->ops[forward].phase == NNC_PHASE_FORWARD) { write_at(&inside, l, forward); }
        }
        for (; backward >= 0 && (program->ops[backward].phase == NNC_PHASE_FORWARD || program->ops[backward].slot <= s);
             backward--) {
            if (program->ops[backward].phase != NNC_PHASE_FORWARD) { write_at(&inside, l, backward); }
        }
    }
}

static void lower(const nnc_model *model, const nnc_writer *w) {
    const struct nnc_captured *recorded = model->captured;
    const struct nnc_captured *program = program_of(recorded, w->how->plan);
    const struct nnc_captured *other = recorded->second != NULL ? program_of(recorded->second, w->how->plan) : program;
    const double share = share_of(recorded, w->how->plan->micro_batch);
    const lowered all = { program, other, share, padding_of(model) };
    const double growth = growth_of(all.vocab); /* growth of the bytes by a padded vocabulary: an upper bound, see
                                                 * padded() */
    const double widths = nnc_policy_bytes(w->how->plan->policy).gradient_bytes /
                          /* widths: bytes of a gradient element under the policy of the plan / bytes of a gradient
                           * element in the recorded step */
                          nnc_dtype_bytes(program->dtype);
    w->list->recorded = true;
    w->list->recorded_update =
        nnc_optimizer_launches(recorded->optimizer_groups, recorded->optimizer_group_count, recorded->strongest);
    w->list->recorded_gradients = growth * widths * between(program->peak_gradients, other->peak_gradients, share);
    w->list->recorded_kept = growth * between(program->peak_kept, other->peak_kept, share);
    w->list->recorded_temporary = growth * between(program->peak_temporary, other->peak_temporary, share);
    w->list->input_bytes = between(program->input_bytes, other->input_bytes, share);
    w->list->tokens = (int64_t)between((double)program->tokens, (double)other->tokens, share);
    w->list->lookup_params = program->table_params;
    nnc_list_segment(w, 1, false);
    write_slots(w, &all);
}

/* Sets number format, optimizer and number of samples of the plan to the values of the recorded step, unless the user
 * gave them. Turns off the plan's gradient clipping: if the recorded step clips gradients, the operators that clip them
 * are among the recorded operators. */
static void defaults(const nnc_model *model, nnc_plan *p) {
    const struct nnc_captured *program = model->captured;
    const bool casts = program->autocast_dtype != NNC_DTYPE_COUNT && program->autocast != NULL;
    const bool narrow = p->precision == NNC_DTYPE_COUNT || nnc_dtype_bytes(p->precision) == 2.0;
    if (casts && p->policy == NNC_POLICY_DEFAULT && narrow) { p->policy = NNC_POLICY_AMP; }
    if (p->precision == NNC_DTYPE_COUNT) {
        p->precision = p->policy != NNC_POLICY_AMP ? program->dtype : casts ? program->autocast_dtype : NNC_BF16;
    }
    if (p->policy == NNC_POLICY_DEFAULT && program->dtype == NNC_BF16) { p->policy = NNC_POLICY_BF16_PURE; }
    if (p->optimizer == NNC_OPTIMIZER_ADAMW && program->optimizer != NNC_OPTIMIZER_COUNT) {
        /* adamw is also the default of a plan: the user may have given no optimizer, so the recorded optimizer is
         * used */
        p->optimizer = program->optimizer;
    }
    if (p->optimizer_kernels == NNC_KERNELS_DEFAULT && nnc_optimizer_list_kernels(p->optimizer) > 0.0) {
        p->optimizer_kernels = program->kernels;
    }
    /* a step that clips gradients was recorded with the operators of the clipping, so nncost adds none */
    p->clip_gradients = false;
    if (program->frozen != NNC_FROZEN_COUNT && p->frozen == NNC_FROZEN_16) { p->frozen = program->frozen; }
    if (p->micro_batch == 0 && p->global_batch == 0) { p->micro_batch = program->batch; }
}

static nnc_status refuse(const char *option, const char *what, nnc_error *err) {
    return nnc_fail(err, NNC_ILLEGAL_PLAN, option, "a captured program runs as it was recorded: %s", what);
}

static nnc_status check_precision(const struct nnc_captured *program, const nnc_plan *p, nnc_error *err) {
    const bool autocast = p->policy == NNC_POLICY_AMP && program->autocast != NULL &&
                          (p->precision == NNC_BF16 || p->precision == NNC_FP16);
    const bool same = p->precision == program->dtype || (program->dtype == NNC_FP32 && p->precision == NNC_TF32);
    if (autocast) { return NNC_OK; }
    if (!same) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--precision",
                        "a captured program runs in the formats that were recorded, expected %s%s, found %s",
                        nnc_dtype_name(program->dtype),
                        program->dtype == NNC_FP32 ? " or tf32, or bf16 and fp16 with --policy amp (autocast)" : "",
                        nnc_dtype_name(p->precision));
    }
    if (p->policy == NNC_POLICY_AMP || p->policy == NNC_POLICY_FP8) {
        return refuse("--policy",
                      p->policy == NNC_POLICY_AMP
                          ? "expected bf16 or fp16 with amp, and a step that was recorded in fp32"
                          : "expected a policy without casts, or amp",
                      err);
    }
    return NNC_OK;
}

void nnc_captured_batches(const struct nnc_captured *program, int64_t *least, int64_t *most) {
    const int64_t one = program->batch, two = program->second != NULL ? program->second->batch : one;
    *least = one < two ? one : two;
    *most = one < two ? two : one;
}

static nnc_status check_samples(const struct nnc_captured *program, int64_t samples, nnc_error *err) {
    const int64_t one = program->batch;
    const int64_t two = program->second != NULL ? program->second->batch : one;
    int64_t least = 0, most = 0;
    nnc_captured_batches(program, &least, &most);
    if (samples >= least && samples <= most) { return NNC_OK; }
    if (program->second != NULL) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--micro-batch",
                        "the step was recorded with %" PRId64 " and %" PRId64
                        " samples, expected a number between these two numbers, found %" PRId64,
                        one, two, samples);
    }
    return nnc_fail(err, NNC_ILLEGAL_PLAN, "--micro-batch",
                    "expected %" PRId64 ", the number of samples of the recorded step, found %" PRId64
                    "; python3 -m nncost.capture --join allows all numbers between those of two recorded steps",
                    one, samples);
}

/* Checks a plan for a captured program that uses recomputation, ZeRO 3 or offload of activations. The recorded step
 * must have exactly one forward and one backward pass; for recomputation and offload of activations, the step must be
 * divided into units. */
static nnc_status check_units(const struct nnc_captured *program, const nnc_plan *p, nnc_error *err) {
    const bool offloads = (p->offload & NNC_OFFLOAD_ACTIVATIONS) != 0;
    const char *option = p->recompute != 0 ? "--recompute" : offloads ? "--offload" : "--zero";
    bool any = false;
    for (int32_t i = 0; i < program->slot_count; i++) { any = any || program->slots[i].unit; }
    if (program->passes > 1) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                        "the step has several forward and backward passes, expected one, found %" PRId32
                        "; if the passes accumulate gradients, capture a step without accumulation and give "
                        "--micro-batches %" PRId32,
                        program->passes, program->passes);
    }
    if (p->recompute != 0 && p->recompute != NNC_RECOMPUTE_FULL) {
        return refuse(option, "expected full, none or paths of modules, such as layers.*.mlp", err);
    }
    for (int32_t i = 0; i < program->count && p->recompute != 0; i++) {
        if (program->ops[i].again) { return refuse(option, "it has checkpoints already, expected none", err); }
    }
    if (p->recompute != 0 && offloads) { return refuse(option, "expected none with --offload activations", err); }
    if ((p->recompute != 0 || offloads) && !any) {
        return refuse(option, "it has no modules in a numbered list, expected none", err);
    }
    return NNC_OK;
}

/* Refuses options of training for a captured program that has only a forward pass. */
static nnc_status check_inference(const nnc_plan *p, nnc_error *err) {
    const char *option = p->recompute != 0      ? "--recompute"
                         : p->zero > 0          ? "--zero"
                         : p->offload != 0      ? "--offload"
                         : p->micro_batches > 1 ? "--micro-batches"
                                                : NULL;
    return option == NULL ? NNC_OK : refuse(option, "a forward pass trains nothing, expected the default", err);
}

static nnc_status resolve(const nnc_model *model, nnc_plan *p, nnc_error *err) {
    const struct nnc_captured *program = model->captured;
    if (program->inference) { NNC_TRY(check_inference(p, err)); }
    NNC_TRY(check_precision(program, p, err));
    NNC_TRY(check_samples(program, p->micro_batch, err));
    if (p->recompute != 0 || p->zero > 2 || (p->offload & NNC_OFFLOAD_ACTIVATIONS) != 0) {
        NNC_TRY(check_units(program, p, err));
    }
    if (!nnc_plan_trains_all(p)) {
        const bool adapts = p->adapter_rank > 0;
        return refuse(adapts ? "--adapter-rank" : "--train",
                      adapts ? "expected no rank; --adapter-rank of nncost.capture records the step with adapters"
                             : "expected all or paths of modules, such as layers.*.mlp",
                      err);
    }
    if (p->frozen != (program->frozen == NNC_FROZEN_COUNT ? NNC_FROZEN_16 : program->frozen)) {
        return refuse("--frozen", "expected the format that was recorded; convert the weights before the step", err);
    }
    if (p->activations == NNC_ACTIVATIONS_KORTHIKANTI) { return refuse("--activations", "expected per-op", err); }
    if (p->seq_len > 0 && (program->tokens == 0 || p->seq_len != program->tokens / program->batch)) {
        return refuse("--seq-len", "expected no length", err);
    }
    if (p->image > 0 && p->image != program->image) { return refuse("--image", "expected no size", err); }
    p->seq_len = program->tokens / program->batch;
    p->image = program->tokens > 0 ? 0 : program->image;
    return NNC_OK;
}

static nnc_model_sizes sizes(const nnc_model *model) {
    const struct nnc_captured *program = model->captured;
    return (nnc_model_sizes){ .layers = 1,
                              .seq_len = program->tokens / program->batch,
                              .image = program->tokens > 0 ? 0 : program->image };
}

static void describe(const nnc_model *model, char shape[NNC_SHAPE_TEXT], char input[NNC_SHAPE_TEXT]) {
    const struct nnc_captured *program = model->captured;
    const bool text = program->tokens > 0;
    snprintf(shape, NNC_SHAPE_TEXT, "%" PRId64 " operators", program->operators);
    snprintf(input, NNC_SHAPE_TEXT, "%" PRId64 " %s", text ? program->tokens / program->batch : program->image,
             text ? "tokens" : "pixels");
}

const nnc_family_row nnc_capture_family = {
    .sizes = sizes,
    .defaults = defaults,
    .resolve = resolve,
    .lower = lower,
    .describe = describe,
};
