/* Chooses the parameters of a device, or of an engine's profile, that measured rows determine.
 *
 * Rows that the same parameters explain form a fit group. The following list has the parameters that each fit group
 * determines.
 *
 * Matrix products of a format determine sustained_fraction, boost_ratio, memory_fraction, fixed_s, k_fill and
 * wave_quantization. Matrix products also determine l2_bytes_per_s if the device file states it, otherwise
 * l2_bytes_per_flop, and unaligned_ratio if a product is unaligned. The rows of an attention kernel determine
 * sustained_fraction (from forward rows), backward_ratio (from backward rows), library_backward_bytes, fixed_s,
 * seq_half, block_penalty and library_unmasked_half, and narrow_ratio if heads have two widths. Norms, softmax and
 * activations determine pointwise.memory_fraction and pointwise.fixed_s.
 * Norms of feature maps determine maps.memory_fraction and maps.fixed_s.
 * Copies, sums and ReLU determine stream.memory_fraction and stream.fixed_s.
 * Updates: optimizer.memory_fraction.
 * Convolutions determine the members sustained_fraction, memory_fraction, fixed_s, vector_fraction and depth_half of
 * conv; if PyTorch issued a convolution, also the members of conv that begin with library_.
 * Collectives of one kind in a scale-up domain determine bus_fraction; 6 rows also determine fixed_s and knee_bytes,
 * and 6 rows with two numbers of ranks also log2_s and small_group_loss.
 * Collectives between scale-up domains determine scale_out_fraction; 6 rows also determine scale_out_fixed_s.
 * Launch-bound steps: host.kernel_s.
 * Five steps with unaligned products in one number format determine unaligned_backward_ratio if the device file states
 * unaligned_ratio; otherwise they determine unaligned_ratio.
 * Other training steps determine calibration; 5 rows with two hidden sizes and two sequence lengths also determine
 * pointwise.memory_fraction, because with fewer shapes the two parameters cannot be separated.
 * For each 5 further rows, other training steps determine one more parameter, in this order: the sustained_fraction of
 * an attention kernel that runs in 3 rows with two sequence lengths; step_fixed_s if 5 rows have tensor parallelism;
 * scale_out_fraction if 5 rows have several nodes.
 * Times per token of served requests determine step_s; 20 rows also determine sequence_s and prefill_factor, and
 * layer_s if the models have two numbers of layers.
 * Times to the first token of served requests determine ttft_s.
 *
 * A group of 20 or more rows of kernels determines all parameters that are listed for the group. A group of fewer than
 * 20 rows of kernels determines one of its listed parameters for each 3 rows, in the listed order. Parameters that
 * begin with library_ need a kernel that PyTorch issued. vector_fraction, depth_half and most parameters that begin
 * with library_ are fitted only if the device file does not state them (UNSTATED). */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "lab/lab_internal.h"
#include "shape/shape_internal.h"

enum { KERNEL_ROWS = 20, ROWS_PER_KERNEL_PARAMETER = 3, COLLECTIVE_ROWS = 6, STEP_ROWS = 5, ATTENTION_ROWS = 3 };

/* ---- fit groups: a fit group is all rows that the same parameters explain ---- */

/* Tests whether the row is a measured time to first token of a server. Returns false for a static batch: the time to
 * first token of a static batch is only the time of its prefill, which depends more on step times than on the
 * server. */
static bool is_first_token(const nnc_measured *row) { return row->served == NNC_SERVED_TTFT && row->ask.batch == 0; }

static const char host_steps[] = "launch-bound steps", unaligned_steps[] = "unaligned steps ";

/* Writes the name of the fit group of a row. Returns false if no parameter that can be fitted affects the prediction of
 * the row. */
static bool name_group(const nnc_fit_row *r, char *name, size_t size) {
    const nnc_measured *row = r->row;
    const nnc_measured_collective *c = &row->collective;
    switch (row->kind) {
    case NNC_MEASURED_STEP:
        snprintf(name, size, "%s%s",
                 r->launches    ? host_steps
                 : r->unaligned ? unaligned_steps
                                : "steps",
                 r->unaligned && !r->launches ? nnc_dtype_name(r->plan.precision) : "");
        return true;
    case NNC_MEASURED_GEMM: snprintf(name, size, "gemm %s", nnc_dtype_name(row->op.math_dtype)); return true;
    case NNC_MEASURED_ATTENTION:
        snprintf(name, size, "attention %s",
                 row->op.kind == NNC_OP_FLASH ? nnc_flash_kernel_name(row->op.u.flash.kernel) : "");
        return true;
    case NNC_MEASURED_CONV: snprintf(name, size, "conv"); return true;
    case NNC_MEASURED_VECTOR: {
        const nnc_timed timed = nnc_op_timed(&row->op);
        snprintf(name, size, "%s",
                 row->op.issued_as != NNC_ISSUED_NOT ? "stream"
                 : timed == NNC_TIMED_MAP            ? "maps"
                 : timed == NNC_TIMED_UPDATE         ? "optimizer"
                                                     : "pointwise");
        return true;
    }
    case NNC_MEASURED_COLLECTIVE:
        snprintf(name, size, "%s", c->nodes > 1 ? "collectives between nodes" : nnc_collective_name(c->kind));
        return c->kind == NNC_ALL_REDUCE || c->kind == NNC_ALL_GATHER || c->kind == NNC_REDUCE_SCATTER ||
               c->kind == NNC_ALL_TO_ALL;
    case NNC_MEASURED_SERVING:
        snprintf(name, size, is_first_token(row) ? "time to first token" : "time per token");
        return true;
    default: return false;
    }
}

bool nnc_fit_takes(const nnc_measured *row, bool served, const char **reason) {
    const nnc_fit_row alone = { .row = row };
    char name[sizeof((nnc_fit_group *)0)->name];
    *reason = NULL;
    if (served != (row->kind == NNC_MEASURED_SERVING)) {
        *reason = served ? "was not served" : "no efficiency parameter affects this row";
    } else if (served && row->served == NNC_SERVED_PASS) {
        *reason = "is a single pass, which no parameter of an engine affects";
    } else if (!name_group(&alone, name, sizeof name)) {
        *reason = "no efficiency parameter affects this row";
    } else if (!(row->measured_s > 0.0)) {
        *reason = "the row states no time";
    }
    return *reason == NULL;
}

/* Returns the position of a row's fit group in the order of the fits. Groups of kernels come before groups of steps,
 * because steps contain kernels. */
static int rank_of(const nnc_fit_row *r) {
    const nnc_measured *row = r->row;
    switch (row->kind) {
    case NNC_MEASURED_GEMM: return 0;
    case NNC_MEASURED_ATTENTION: return 1;
    case NNC_MEASURED_CONV:
    case NNC_MEASURED_VECTOR: return 2;
    case NNC_MEASURED_COLLECTIVE: return row->collective.nodes > 1 ? 4 : 3;
    case NNC_MEASURED_SERVING: return is_first_token(row) ? 5 : 4;
    default: return r->launches ? 5 : r->unaligned ? 6 : 7;
    }
}

/* Tests whether the step is launch-bound: without the time of launches, the predicted step is more than a fifth
 * shorter. If the device file has a host that is faster than usual (host.kernel_s), the prediction uses the usual
 * host. */
static bool is_launch_bound(nnc_fit *fit, const nnc_fit_row *r) {
    nnc_scored with, without;
    if (fit->served || r->row->kind != NNC_MEASURED_STEP || !(r->device->host.kernel_s > 0.0)) { return false; }
    nnc_device slow = *r->device, fast = *r->device;
    slow.host.kernel_s = nnc_max(slow.host.kernel_s, NNC_HOST_USUAL_S);
    /* if host.kernel_s were 0, the prediction would leave out the launches, so a very small value is used */
    fast.host.kernel_s = 1e-12;
    return nnc_score_row(r->row, r->model, &slow, r->software, &r->plan, fit->scratch, &with, NULL) == NNC_OK &&
           nnc_score_row(r->row, r->model, &fast, r->software, &r->plan, fit->scratch, &without, NULL) == NNC_OK &&
           without.predicted_s < 0.8 * with.predicted_s;
}

/* Tests whether products with unaligned dimensions make a predicted step longer by a twentieth or more. If the device
 * file does not state the rate of unaligned products, the prediction assumes that unaligned products take four times as
 * long as aligned products. Two numbers of this test were chosen without a fit: the limit of 1/20 on the lengthening of
 * the step, and the factor of 4 on the time of unaligned products. On an H100, unaligned products take 7.2 times as
 * long as aligned products in forward (hw/h100-sxm5-80gb.json). The limit of 1/20 selects the steps of GPT-2 in
 * tests/published/h100 ('nncost calibrate' prints the group "unaligned steps"). */
static bool is_unaligned(nnc_fit *fit, const nnc_fit_row *r) {
    const double usual_ratio = 4.0;
    nnc_scored with, without;
    if (fit->served || r->row->kind != NNC_MEASURED_STEP || r->launches || r->plan.precision >= NNC_DTYPE_COUNT) {
        return false;
    }
    nnc_device slow = *r->device, fast = *r->device;
    nnc_gemm_efficiency *e = &slow.efficiency.gemm[r->plan.precision];
    e->unaligned_ratio = nnc_max(e->unaligned_ratio, usual_ratio);
    fast.efficiency.gemm[r->plan.precision].unaligned_ratio = 1.0;
    fast.efficiency.gemm[r->plan.precision].unaligned_backward_ratio = (double)NAN;
    return nnc_score_row(r->row, r->model, &slow, r->software, &r->plan, fit->scratch, &with, NULL) == NNC_OK &&
           nnc_score_row(r->row, r->model, &fast, r->software, &r->plan, fit->scratch, &without, NULL) == NNC_OK &&
           without.predicted_s < 0.95 * with.predicted_s;
}

/* Marks the steps whose time depends on products with unaligned dimensions. If a number format has too few steps with
 * unaligned products to determine the rate of these products, the steps stay in the group of other training steps. */
static void find_unaligned(nnc_fit *fit) {
    int32_t count[NNC_DTYPE_COUNT] = { 0 };
    for (int32_t i = 0; i < fit->row_count; i++) {
        nnc_fit_row *r = &fit->rows[i];
        r->unaligned = is_unaligned(fit, r);
        if (r->unaligned && !r->held) { count[r->plan.precision]++; }
    }
    for (int32_t i = 0; i < fit->row_count; i++) {
        nnc_fit_row *r = &fit->rows[i];
        r->unaligned = r->unaligned && count[r->plan.precision] >= STEP_ROWS;
    }
}

static int32_t group_named(nnc_fit *fit, const char *name, nnc_measured_kind kind) {
    int32_t i = 0;
    while (i < fit->group_count && strcmp(fit->groups[i].name, name) != 0) { i++; }
    if (i == fit->group_count) {
        nnc_fit_group *group = &fit->groups[fit->group_count++];
        *group = (nnc_fit_group){ .kind = kind };
        snprintf(group->name, sizeof group->name, "%s", name);
    }
    return i;
}

void nnc_fit_group_rows(nnc_fit *fit) {
    char name[sizeof fit->groups[0].name];
    fit->group_count = 0;
    for (int32_t i = 0; i < fit->row_count; i++) { fit->rows[i].launches = is_launch_bound(fit, &fit->rows[i]); }
    find_unaligned(fit);
    for (int rank = 0; rank <= 7; rank++) {
        for (int32_t i = 0; i < fit->row_count; i++) {
            nnc_fit_row *r = &fit->rows[i];
            if (rank_of(r) == rank && name_group(r, name, sizeof name)) {
                r->group = group_named(fit, name, r->row->kind);
                fit->groups[r->group].rows += !r->held;
                fit->groups[r->group].held += r->held;
            }
        }
    }
}

typedef int64_t row_key(const nnc_fit_row *row);

static int64_t hidden_of(const nnc_fit_row *r) { return nnc_model_sizes_of(r->model).hidden; }

static int64_t seq_len_of(const nnc_fit_row *r) {
    return r->plan.seq_len > 0 ? r->plan.seq_len : nnc_model_sizes_of(r->model).seq_len;
}

static int64_t layers_of(const nnc_fit_row *r) { return nnc_model_sizes_of(r->model).layers; }

static int64_t ranks_of(const nnc_fit_row *r) { return r->row->collective.devices; }

static int64_t head_width_of(const nnc_fit_row *r) { return r->row->op.u.flash.head_dim; }

static int64_t backward_of(const nnc_fit_row *r) { return r->row->op.phase == NNC_PHASE_BACKWARD; }

static int64_t any_tensor_of(const nnc_fit_row *r) { return r->plan.tensor > 1; }

static int64_t any_nodes_of(const nnc_fit_row *r) {
    const int32_t node = r->plan.devices_per_node > 0 ? r->plan.devices_per_node : r->device->scale_up.devices;
    return r->plan.devices > node;
}

/* Tests whether the device file states the bandwidth of the L2 cache. If the file does not state the bandwidth, nncost
 * computes it from the peak rate. */
static int64_t cache_rate_of(const nnc_fit_row *r) {
    return !isnan(r->device->efficiency.gemm[r->row->op.math_dtype].l2_bytes_per_s);
}

/* Tests whether the device file states the rate of matrix products with unaligned dimensions. */
static int64_t unaligned_rate_of(const nnc_fit_row *r) {
    return r->plan.precision < NNC_DTYPE_COUNT && r->device->efficiency.gemm[r->plan.precision].unaligned_ratio > 1.0;
}

static int64_t issued_of(const nnc_fit_row *r) { return r->row->op.issued_as != NNC_ISSUED_NOT; }

/* Tests whether the row is a matrix product whose inner or outer dimension is no multiple of 16 bytes. */
static int64_t unaligned_of(const nnc_fit_row *r) {
    const nnc_matmul *p = &r->row->op.u.matmul;
    const int64_t multiple = (int64_t)(16.0 / nnc_dtype_bytes(r->row->op.dtype));
    return r->row->op.kind == NNC_OP_MATMUL && (p->n % multiple != 0 || p->k % multiple != 0);
}

/* Returns 1 + the index of the fused attention kernel that a step runs; 0 = the step runs no fused attention kernel. */
static int64_t flash_of(const nnc_fit_row *r) {
    const nnc_attention attention = r->plan.attention;
    return attention == NNC_ATTENTION_UNFUSED ? 0 : (int64_t)nnc_attention_kernel(attention, r->software) + 1;
}

static bool is_in(const nnc_fit_row *r, int32_t group) { return r->group == group && !r->held; }

static int32_t count_equal(const nnc_fit *fit, int32_t group, row_key *key, int64_t value) {
    int32_t count = 0;
    for (int32_t i = 0; i < fit->row_count; i++) {
        count += is_in(&fit->rows[i], group) && key(&fit->rows[i]) == value;
    }
    return count;
}

static bool differs(const nnc_fit *fit, int32_t group, row_key *key) {
    int32_t i = 0;
    while (i < fit->row_count && !is_in(&fit->rows[i], group)) { i++; }
    return i < fit->row_count && count_equal(fit, group, key, key(&fit->rows[i])) < fit->groups[group].rows;
}

/* ---- the parameters that the rows of a fit group can determine ---- */

static const char few_kernels[] = "needs 3 rows or more for each parameter";
static const char few_requests[] = "needs 20 rows or more";
static const char few_collectives[] = "needs 6 rows or more";
static const char few_steps[] = "needs 5 rows or more for each parameter";
static const char one_shape[] = "needs steps of two hidden sizes and two sequence lengths";
static const char one_size[] = "needs groups of two sizes";
static const char one_width[] = "needs heads of two widths";
static const char one_depth[] = "needs models of two depths; otherwise it is fitted together with step_s";
static const char from_kernels[] = "needs measured kernels";

bool nnc_fit_add(nnc_fit *fit, const char *name) {
    if (fit->parameter_count == NNC_FIT_PARAMETERS_MAX) { return false; }
    nnc_fit_parameter *parameter = &fit->parameters[fit->parameter_count++];
    *parameter = (nnc_fit_parameter){ .group = -1 };
    snprintf(parameter->name, sizeof parameter->name, "%s", name);
    return true;
}

/* Writes the name of a parameter, "PREFIXobject.member"; if `object` is empty, "PREFIXmember". */
static void name_parameter(char name[NNC_FIT_NAME], const char *prefix, const char *object, const char *member) {
    snprintf(name, NNC_FIT_NAME, "%.24s%.20s%s%.32s", prefix, object, object[0] != '\0' ? "." : "", member);
}

/* Adds the parameter "PREFIXobject.member" to the list of a fit group. reason: why the rows of the group cannot
 * determine the parameter; NULL = the rows determine it. */
static void add(nnc_fit *fit, int32_t group, const char *prefix, const char *object, const char *member,
                const char *reason) {
    char name[NNC_FIT_NAME];
    name_parameter(name, prefix, object, member);
    for (int32_t i = 0; i < fit->parameter_count && reason == NULL; i++) {
        if (fit->parameters[i].reason == NULL && strcmp(fit->parameters[i].name, name) == 0) { reason = from_kernels; }
    }
    if (nnc_fit_add(fit, name)) {
        fit->parameters[fit->parameter_count - 1].group = group;
        fit->parameters[fit->parameter_count - 1].reason = reason;
    }
}

/* Requirement of a parameter on the rows of its fit group. If the rows do not meet the requirement, the parameter is
 * not fitted. If the group has too few rows, head widths, depths or numbers of ranks, the list of parameters contains
 * the parameter with the reason why it is not fitted. If the group does not meet a requirement of any other kind, the
 * list does not contain the parameter at all. */
typedef enum need {
    ANY,
    FORWARD,  /* the parameter needs rows of forward kernels */
    BACKWARD, /* the parameter needs rows of backward kernels */
    /* the parameter needs 20 rows, or 3 rows for each parameter of the fit group; each requirement from RATE to WIDTHS
     * includes this number of rows */
    KERNELS,
    RATE,   /* the parameter needs a device whose file states the bandwidth of its L2 cache */
    RATIO,  /* the parameter needs a device whose file does not state the bandwidth of its L2 cache */
    ISSUED, /* the parameter needs kernels that PyTorch issued */
    /* the parameter needs kernels that PyTorch issued, and a device file that does not state the parameter */
    UNSTATED,
    NOT_ALIGNED, /* the parameter needs matrix products with a dimension that is no multiple of 16 bytes */
    WIDTHS,      /* the parameter needs rows of attention with two different head widths */
    NO_RATIO,    /* the parameter needs a device whose file does not state the rate of unaligned products */
    A_RATIO,     /* the parameter needs a device whose file states the rate of unaligned products */
    DEPTHS,      /* the parameter needs 20 rows of models with at least two different numbers of layers */
    MESSAGES,    /* the parameter needs 6 rows of collectives */
    SIZES        /* the parameter needs 6 rows of collectives, with two numbers of ranks */
} need;

/* Parameters that rows of a fit group can determine, for every group except "steps". group: the beginning of the
 * group's name. object: the object of the device file or profile; the end of the group's name is appended to it.
 * member: the member of this object. */
static const struct {
    const char *group, *object, *member;
    need need;
} choices[] = {
    { "gemm ", "efficiency.gemm.", "sustained_fraction", ANY },
    { "gemm ", "efficiency.gemm.", "boost_ratio", KERNELS },
    { "gemm ", "efficiency.gemm.", "memory_fraction", KERNELS },
    { "gemm ", "efficiency.gemm.", "fixed_s", KERNELS },
    { "gemm ", "efficiency.gemm.", "k_fill", KERNELS },
    { "gemm ", "efficiency.gemm.", "l2_bytes_per_s", RATE },
    { "gemm ", "efficiency.gemm.", "l2_bytes_per_flop", RATIO },
    { "gemm ", "efficiency.gemm.", "wave_quantization", KERNELS },
    { "gemm ", "efficiency.gemm.", "unaligned_ratio", NOT_ALIGNED },
    { "attention ", "efficiency.attention.", "sustained_fraction", FORWARD },
    { "attention ", "efficiency.attention.", "backward_ratio", BACKWARD },
    { "attention ", "efficiency.attention.", "library_backward_bytes", UNSTATED },
    { "attention ", "efficiency.attention.", "fixed_s", KERNELS },
    { "attention ", "efficiency.attention.", "seq_half", KERNELS },
    { "attention ", "efficiency.attention.", "block_penalty", KERNELS },
    { "attention ", "efficiency.attention.", "narrow_ratio", WIDTHS },
    { "attention ", "efficiency.attention.", "library_unmasked_half", UNSTATED },
    { "pointwise", "efficiency.pointwise.", "memory_fraction", ANY },
    { "pointwise", "efficiency.pointwise.", "fixed_s", KERNELS },
    { "maps", "efficiency.maps.", "memory_fraction", ANY },
    { "maps", "efficiency.maps.", "fixed_s", KERNELS },
    { "stream", "efficiency.stream.", "memory_fraction", ANY },
    { "stream", "efficiency.stream.", "fixed_s", KERNELS },
    { "optimizer", "efficiency.optimizer.", "memory_fraction", ANY },
    { "conv", "efficiency.conv.", "sustained_fraction", ANY },
    { "conv", "efficiency.conv.", "memory_fraction", KERNELS },
    { "conv", "efficiency.conv.", "fixed_s", KERNELS },
    { "conv", "efficiency.conv.", "vector_fraction", UNSTATED },
    { "conv", "efficiency.conv.", "depth_half", UNSTATED },
    { "conv", "efficiency.conv.", "library_sustained_fraction", ISSUED },
    { "conv", "efficiency.conv.", "library_channels_half", UNSTATED },
    { "conv", "efficiency.conv.", "library_tf32_backward_ratio", UNSTATED },
    { "conv", "efficiency.conv.", "library_tf32_contiguous_ratio", UNSTATED },
    { "conv", "efficiency.conv.", "library_channel_fraction", UNSTATED },
    { "conv", "efficiency.conv.", "library_channel_weight_ratio", UNSTATED },
    { "collectives between nodes", "efficiency.collectives.", "scale_out_fraction", ANY },
    { "collectives between nodes", "efficiency.collectives.", "scale_out_fixed_s", MESSAGES },
    { host_steps, "host.", "kernel_s", ANY },
    { unaligned_steps, "efficiency.gemm.", "unaligned_ratio", NO_RATIO },
    { unaligned_steps, "efficiency.gemm.", "unaligned_backward_ratio", A_RATIO },
    { "time to first token", "serving.", "ttft_s", ANY },
    { "time per token", "serving.", "step_s", ANY },
    { "time per token", "serving.", "prefill_factor", KERNELS },
    { "time per token", "serving.", "layer_s", DEPTHS },
    { "time per token", "serving.", "sequence_s", KERNELS },
    /* a fit group of collectives in a scale-up domain has the name of the collective, so the member `group` of this
     * entry is "" */
    { "", "efficiency.collectives.", "bus_fraction", ANY },
    { "", "efficiency.collectives.", "fixed_s", MESSAGES },
    { "", "efficiency.collectives.", "knee_bytes", MESSAGES },
    { "", "efficiency.collectives.", "log2_s", SIZES },
    { "", "efficiency.collectives.", "small_group_loss", SIZES },
};

/* Tests whether a fit group has enough rows for one more parameter: kernels need 20 rows, or 3 rows for each parameter;
 * served requests need 20 rows. Returns the reason why the rows are too few; NULL = the rows are enough. */
static const char *few_of(const nnc_fit *fit, int32_t g) {
    const nnc_fit_group *group = &fit->groups[g];
    int32_t parameters = 1;
    if (group->kind == NNC_MEASURED_SERVING) { return group->rows < KERNEL_ROWS ? few_requests : NULL; }
    for (int32_t i = 0; i < fit->parameter_count; i++) {
        parameters += fit->parameters[i].group == g && fit->parameters[i].reason == NULL;
    }
    return group->rows < KERNEL_ROWS && group->rows < ROWS_PER_KERNEL_PARAMETER * parameters ? few_kernels : NULL;
}

/* Returns the reason why the rows of a fit group do not meet a requirement; NULL = the rows meet the requirement.
 * *listed: false = the parameter with this requirement is left out of the list of parameters. */
/* One case per requirement. NOLINTNEXTLINE(readability-function-cognitive-complexity) */
static const char *unmet(const nnc_fit *fit, int32_t g, need what, bool *listed) {
    const int32_t rows = fit->groups[g].rows;
    const int32_t backward = what < KERNELS ? count_equal(fit, g, backward_of, 1) : 0;
    const bool rate = (what == RATE || what == RATIO) && count_equal(fit, g, cache_rate_of, 1) > 0;
    const char *kernels = few_of(fit, g);
    const char *messages = rows < COLLECTIVE_ROWS ? few_collectives : NULL;
    *listed = what == FORWARD    ? backward < rows
              : what == BACKWARD ? backward > 0
              : what == RATE     ? rate
              : what == RATIO    ? !rate
              : what == NO_RATIO || what == A_RATIO
                  ? (count_equal(fit, g, unaligned_rate_of, 1) > 0) == (what == A_RATIO)
              : what == NOT_ALIGNED                ? count_equal(fit, g, unaligned_of, 1) > 0
              : what == ISSUED || what == UNSTATED ? count_equal(fit, g, issued_of, 1) > 0
                                                   : true;
    switch (what) {
    case KERNELS:
    case RATE:
    case RATIO:
    case ISSUED:
    case UNSTATED:
    case NOT_ALIGNED: return kernels;
    case WIDTHS: return kernels != NULL ? kernels : !differs(fit, g, head_width_of) ? one_width : NULL;
    case DEPTHS: return kernels != NULL ? kernels : !differs(fit, g, layers_of) ? one_depth : NULL;
    case MESSAGES: return messages;
    case SIZES: return messages != NULL ? messages : !differs(fit, g, ranks_of) ? one_size : NULL;
    default: return NULL;
    }
}

/* Tests whether at least ATTENTION_ROWS steps of the fit group run the attention kernel, with two or more sequence
 * lengths. */
static bool knows_flash(const nnc_fit *fit, int32_t g, int64_t kernel) {
    int64_t length = -1;
    bool two = false;
    for (int32_t i = 0; i < fit->row_count; i++) {
        const nnc_fit_row *r = &fit->rows[i];
        if (is_in(r, g) && flash_of(r) == kernel) {
            two = two || (length >= 0 && seq_len_of(r) != length);
            length = seq_len_of(r);
        }
    }
    return two && count_equal(fit, g, flash_of, kernel) >= ATTENTION_ROWS;
}

static void choose_of_steps(nnc_fit *fit, int32_t g) {
    static const char all[] = "efficiency.";
    const int32_t rows = fit->groups[g].rows;
    const bool shapes = differs(fit, g, hidden_of) && differs(fit, g, seq_len_of);
    const char *why = rows < STEP_ROWS ? few_steps : !shapes ? one_shape : NULL;
    int32_t next = 2 * STEP_ROWS; /* number of rows that the fit group needs before one more parameter is fitted */
    add(fit, g, all, "", "calibration", NULL);
    add(fit, g, all, "pointwise", "memory_fraction", why);
    for (int64_t kernel = NNC_FLASH1; kernel < NNC_CUDNN; kernel++) {
        if (knows_flash(fit, g, kernel + 1)) {
            add(fit, g, "efficiency.attention.", nnc_flash_kernel_name((nnc_flash_kernel)kernel), "sustained_fraction",
                why != NULL   ? why
                : rows < next ? few_steps
                              : NULL);
            next += STEP_ROWS;
        }
    }
    if (count_equal(fit, g, any_tensor_of, 1) >= STEP_ROWS) {
        add(fit, g, all, "collectives", "step_fixed_s", rows < next ? few_steps : NULL);
        next += STEP_ROWS;
    }
    if (count_equal(fit, g, any_nodes_of, 1) >= STEP_ROWS) {
        add(fit, g, all, "collectives", "scale_out_fraction", rows < next ? few_steps : NULL);
    }
}

/* Tests whether the device file of the rows states a parameter. A parameter whose value is NaN or 0 is not stated. */
static bool is_stated(const nnc_fit *fit, const char *prefix, const char *object, const char *member) {
    char name[NNC_FIT_NAME];
    nnc_device device = *fit->rows[0].device;
    nnc_parameter_place place;
    name_parameter(name, prefix, object, member);
    return nnc_parameter_find(&device, name, &place, NULL) == NNC_OK && *place.value > 0.0;
}

/* Adds the parameters of a fit group to the list: the entries of the table `choices` whose `group` is the beginning of
 * the group's name. If entries with different values of `group` fit the name, only the entries with the first of these
 * values are used. */
static void choose_of_group(nnc_fit *fit, int32_t g) {
    const char *name = fit->groups[g].name, *group = NULL;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        bool listed = false;
        if (group == NULL && nnc_begins(name, choices[i].group)) { group = choices[i].group; }
        if (group != NULL && strcmp(group, choices[i].group) == 0) {
            const char *reason = unmet(fit, g, choices[i].need, &listed);
            const char *prefix = choices[i].object, *end = name + strlen(group), *member = choices[i].member;
            listed = listed && !(choices[i].need == UNSTATED && is_stated(fit, prefix, end, member));
            if (listed) { add(fit, g, prefix, end, member, reason); }
        }
    }
}

void nnc_fit_choose(nnc_fit *fit) {
    for (int32_t g = 0; g < fit->group_count; g++) {
        if (fit->groups[g].rows == 0) { continue; /* the fit group has only held-out rows */ }
        if (strcmp(fit->groups[g].name, "steps") == 0) {
            choose_of_steps(fit, g);
        } else {
            choose_of_group(fit, g);
        }
    }
}
