/* Sums the kernels of a trace by operator, and finds operators that could be faster. A row of the summary has all calls
 * of an operator with the same shapes.
 *
 *     `expected time` = predicted time x sqrt(machine x near), where `machine` and `near` are two factors.
 *     `saving`        = measured time - expected time.
 *
 * The factor `machine` is the median of measured / predicted time over all rows of matrix products; for an operator
 * that is no matrix product, it is the median over all rows of operators that are no matrix product. The factor `near`
 * is the median of measured / predicted time over the eight rows with the nearest sizes.
 *
 * The factor sqrt(machine x near) takes account of a machine that is slower than its device file states, so that not
 * every row becomes a finding. A median counts each row once, so a single slow operator does not change the median. */
#include <stdlib.h>
#include <string.h>

#include "trace/trace_internal.h"

#define NS 1e-9

/* ---- finding the operator that issued each kernel ---- */

static int by_correlation(const void *a, const void *b) {
    const nnc_trace_launch *x = a, *y = b;
    return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

static int launch_in_time(const void *a, const void *b) {
    const nnc_trace_launch *const *x = a, *const *y = b;
    const int thread = ((*x)->thread > (*y)->thread) - ((*x)->thread < (*y)->thread);
    return thread != 0 ? thread : ((*x)->start_ns > (*y)->start_ns) - ((*x)->start_ns < (*y)->start_ns);
}

/* Comparison function for qsort that orders calls by thread, then by start. If two calls have the same start, the
 * longer call comes first, because it contains the other call. */
static int call_in_time(const void *a, const void *b) {
    const nnc_trace_call *x = a, *y = b;
    const int thread = (x->thread > y->thread) - (x->thread < y->thread);
    const int start = (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
    return thread != 0 ? thread : start != 0 ? start : (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

static int by_external(const void *a, const void *b) {
    const nnc_trace_call *const *x = a, *const *y = b;
    return ((*x)->external > (*y)->external) - ((*x)->external < (*y)->external);
}

enum { NESTING_MAX = 256 };

/* For each launch t->launches[i], sets issuer[i] to the call of the operator that issued the launch. The issuer is the
 * innermost call that contains the launch in time and whose operator has recorded shapes; NULL = there is no such call.
 * in_time: the launches, sorted by thread and time. */
static void find_issuers(const nnc_trace *t, nnc_trace_launch *const *in_time, const nnc_trace_call **issuer) {
    const nnc_trace_call *open[NESTING_MAX];
    int depth = 0;
    int64_t next = 0;
    for (int64_t i = 0; i < t->launch_count; i++) {
        const nnc_trace_launch *l = in_time[i];
        while (next < t->call_count &&
               (t->calls[next].thread < l->thread ||
                (t->calls[next].thread == l->thread && t->calls[next].start_ns <= l->start_ns))) {
            const nnc_trace_call *c = &t->calls[next++];
            while (depth > 0 && (open[depth - 1]->thread != c->thread || open[depth - 1]->end_ns <= c->start_ns)) {
                depth--;
            }
            if (depth < NESTING_MAX) { open[depth++] = c; }
        }
        const nnc_trace_call *found = NULL;
        for (int k = depth - 1; k >= 0 && found == NULL; k--) {
            const bool around = open[k]->thread == l->thread && open[k]->end_ns >= l->start_ns;
            found = around && t->kinds[open[k]->kind].dims != NULL ? open[k] : NULL;
        }
        issuer[l - t->launches] = found;
    }
}

typedef struct links {
    nnc_trace_launch **in_time;
    const nnc_trace_call **issuer;      /* for each launch of the trace, the call that issued it; NULL = not known */
    const nnc_trace_call **by_external; /* all calls of the trace, sorted by their member `external` */
} links;

static void links_free(links *l) {
    free(l->in_time);
    free(l->issuer);
    free(l->by_external);
}

static bool links_make(nnc_trace *t, links *l) {
    l->in_time = calloc((size_t)t->launch_count + 1, sizeof *l->in_time);
    l->issuer = calloc((size_t)t->launch_count + 1, sizeof *l->issuer);
    l->by_external = calloc((size_t)t->call_count + 1, sizeof *l->by_external);
    if (l->in_time == NULL || l->issuer == NULL || l->by_external == NULL) { return false; }
    if (t->launch_count > 0) { qsort(t->launches, (size_t)t->launch_count, sizeof *t->launches, by_correlation); }
    if (t->call_count > 0) { qsort(t->calls, (size_t)t->call_count, sizeof *t->calls, call_in_time); }
    for (int64_t i = 0; i < t->launch_count; i++) { l->in_time[i] = &t->launches[i]; }
    for (int64_t i = 0; i < t->call_count; i++) { l->by_external[i] = &t->calls[i]; }
    qsort(l->in_time, (size_t)t->launch_count, sizeof *l->in_time, launch_in_time);
    qsort(l->by_external, (size_t)t->call_count, sizeof *l->by_external, by_external);
    find_issuers(t, l->in_time, l->issuer);
    return true;
}

/* Returns the launch that belongs to a kernel; NULL = the trace has no such launch. The launches must be sorted by
 * correlation. */
static const nnc_trace_launch *launch_of(const nnc_trace *t, const nnc_trace_kernel *kernel) {
    const nnc_trace_launch key = { .correlation = kernel->correlation };
    return kernel->correlation >= 0 && t->launch_count > 0
               ? bsearch(&key, t->launches, (size_t)t->launch_count, sizeof key, by_correlation)
               : NULL;
}

/* Returns the call of the operator that issued a kernel. The call is found by the launch of the kernel or, without a
 * launch, by the kernel's external id. Returns NULL if the operator of the kernel is not known. */
static const nnc_trace_call *issuer_of(const nnc_trace *t, const links *l, const nnc_trace_kernel *kernel) {
    const nnc_trace_launch *launch = launch_of(t, kernel);
    if (launch != NULL && l->issuer[launch - t->launches] != NULL) { return l->issuer[launch - t->launches]; }
    const nnc_trace_call wanted = { .external = kernel->external }, *at = &wanted;
    /* PyTorch before 2.0 writes the correlation of a kernel as its External id; such an id does not name an operator */
    const bool names = kernel->external > 0 && kernel->external != kernel->correlation;
    const nnc_trace_call **call =
        names && t->call_count > 0 ? bsearch(&at, l->by_external, (size_t)t->call_count, sizeof at, by_external) : NULL;
    return call != NULL && t->kinds[(*call)->kind].dims != NULL ? *call : NULL;
}

/* Tests, by the name of a kernel, whether the kernel runs on tensor cores and rounds fp32 operands to tf32. */
static bool rounds_to_tf32(const char *kernel) {
    return strstr(kernel, "tf32") != NULL || strstr(kernel, "s1688gemm") != NULL ||
           strstr(kernel, "s1688fprop") != NULL || strstr(kernel, "s1688dgrad") != NULL ||
           strstr(kernel, "s1688wgrad") != NULL;
}

/* Adds the time of a kernel to a row of the summary. rows[0] to rows[kind_count - 1] are for operators with shapes. The
 * rows from rows[kind_count] on are for kernels whose operator is not known, one row for each kernel name. */
static void add_kernel(const nnc_trace *t, const nnc_trace_kernel *k, const nnc_trace_call *call, bool first,
                       nnc_trace_row *rows) {
    nnc_trace_row *row = call != NULL ? &rows[call->kind] : &rows[t->kind_count + k->name];
    const double seconds = (double)(k->end_ns - k->start_ns) * NS;
    row->op = call != NULL ? t->kinds[call->kind].name : t->names[k->name];
    if (call != NULL) {
        row->dims = t->kinds[call->kind].dims;
        row->types = t->kinds[call->kind].types;
        row->values = t->kinds[call->kind].values;
    }
    row->linked = call != NULL;
    row->calls += first;
    row->kernels++;
    row->measured_s += seconds;
    row->class = k->class;
    row->tf32 = row->tf32 || rounds_to_tf32(t->names[k->name]);
    if (row->kernel == NULL || seconds > row->longest_s) {
        row->longest_s = seconds;
        row->kernel = t->names[k->name];
    }
}

static int most_time_first(const void *a, const void *b) {
    const nnc_trace_row *x = a, *y = b;
    return (x->measured_s < y->measured_s) - (x->measured_s > y->measured_s);
}

static nnc_status make_rows(nnc_trace *t, nnc_trace_sum *sum, nnc_error *err) {
    links l = { 0 };
    const size_t most = (size_t)(t->kind_count + t->name_count);
    nnc_trace_row *rows = nnc_arena_array(t->arena, most + 1, sizeof *rows);
    unsigned char *counted = calloc((size_t)t->call_count + 1, 1);
    if (rows == NULL || counted == NULL || !links_make(t, &l)) {
        links_free(&l);
        free(counted);
        return nnc_no_memory(err);
    }
    double linked_s = 0.0, unlaunched_s = 0.0;
    for (int64_t i = 0; i < t->kernel_count; i++) {
        const nnc_trace_kernel *k = &t->kernels[i];
        const nnc_trace_call *call = issuer_of(t, &l, k);
        const double seconds = (double)(k->end_ns - k->start_ns) * NS;
        const bool first = call == NULL || counted[call - t->calls] == 0;
        if (call != NULL) {
            counted[call - t->calls] = 1;
            linked_s += seconds;
        } else if (launch_of(t, k) == NULL) {
            unlaunched_s += seconds;
        }
        add_kernel(t, k, call, first, rows);
        sum->kernel_s += seconds;
        *(k->class == NNC_TRACE_COPY      ? &sum->copy_s
          : k->class == NNC_TRACE_COMPUTE ? &sum->compute_s
                                          : &sum->communication_s) += seconds;
    }
    for (size_t i = 0; i < most; i++) {
        if (rows[i].kernels > 0) {
            rows[sum->row_count] = rows[i];
            rows[sum->row_count++].share = rows[i].measured_s / sum->kernel_s;
        }
    }
    qsort(rows, (size_t)sum->row_count, sizeof *rows, most_time_first);
    sum->rows = rows;
    sum->linked_share = sum->kernel_s > 0.0 ? linked_s / sum->kernel_s : (double)NAN;
    sum->unlaunched_share = sum->kernel_s > 0.0 ? unlaunched_s / sum->kernel_s : (double)NAN;
    links_free(&l);
    free(counted);
    return NNC_OK;
}

/* ---- the predicted times of rows, and the rows that could be faster (findings) ---- */

/* A row of the summary whose time can be predicted. call_s: predicted seconds of one call; ratio: measured time /
 * predicted time. */
typedef struct sized {
    double call_s, ratio;
    nnc_trace_row *row;
} sized;

static int smallest_first(const void *a, const void *b) {
    const sized *x = a, *y = b;
    return (x->call_s > y->call_s) - (x->call_s < y->call_s);
}

enum { FACTOR_ROWS = 3, NEAR_ROWS = 4 };

/* Returns the median of measured / predicted time over the rows with the nearest sizes. The rows are sorted by
 * predicted time per call; the function uses four rows on each side of row `at`, without row `at` itself. The median is
 * 1 if `at` is the only row. */
static double factor_near(const sized *rows, int64_t count, int64_t at) {
    double near[2 * NEAR_ROWS] = { 1.0 };
    int64_t found = 0;
    const int64_t first = at < NEAR_ROWS ? 0 : at - NEAR_ROWS;
    for (int64_t i = first; i < count && i <= at + NEAR_ROWS; i++) {
        if (i != at) { near[found++] = rows[i].ratio; }
    }
    return found > 0 ? nnc_median(near, (size_t)found) : 1.0;
}

/* Sets the factor of each row that is a matrix product (products = true), or of each row that is no matrix product
 * (products = false). The factor of a row is the geometric mean of two medians of measured / predicted time. One median
 * is over all rows (the machine's factor), the other median is over the rows with a similar predicted time. Because of
 * the factors of the rows, neither a slow machine nor a prediction error that grows with size makes a row a finding.
 * Returns the machine's factor; NaN = there are too few rows. */
static double expect(const nnc_trace_sum *sum, bool products, sized *rows, double *ratios) {
    int64_t count = 0;
    for (int64_t i = 0; i < sum->row_count; i++) {
        nnc_trace_row *r = &sum->rows[i];
        if (r->price.product == products && r->price.predicted_s > 0.0) {
            ratios[count] = r->measured_s / r->price.predicted_s;
            rows[count] = (sized){ r->price.predicted_s / (double)r->calls, ratios[count], r };
            count++;
        }
    }
    /* largest factor that is used; a larger median means that the user named another device than the device of the
     * trace */
    const double slowest = 2.0;
    const double factor = count < FACTOR_ROWS ? 1.0 : nnc_min(nnc_median(ratios, (size_t)count), slowest);
    qsort(rows, (size_t)count, sizeof *rows, smallest_first);
    for (int64_t i = 0; i < count; i++) {
        const double near = count > (int64_t)2 * NEAR_ROWS ? factor_near(rows, count, i) : factor;
        rows[i].row->factor = sqrt(factor * nnc_min(near, slowest));
    }
    return count < FACTOR_ROWS ? (double)NAN : factor;
}

/* Returns the alignment of the operands in elements, as the name of a kernel states it; 0 = the name states no
 * alignment. Names of CUTLASS kernels and of most cuBLAS kernels have the alignment at the end: "..._tn_align4". */
static int aligned_to(const char *kernel) {
    const char *at = strstr(kernel, "_align");
    const char digit = (char)(at != NULL ? at[6] : '\0');
    return digit >= '1' && digit <= '9' && (at[7] < '0' || at[7] > '9') ? digit - '0' : 0;
}

static void price_row(const nnc_device *device, nnc_trace_row *row) {
    const double unknown = (double)NAN, calls = (double)row->calls;
    row->expected_s = row->times = row->save_s = unknown;
    row->price = (nnc_trace_price){
        .flops = unknown, .moved_bytes = unknown, .bound_s = unknown, .predicted_s = unknown, .padded_s = unknown
    };
    if (device != NULL && row->linked && row->class == NNC_TRACE_COMPUTE) {
        const nnc_trace_kind kind = { row->op, row->dims, row->types, row->values };
        const nnc_trace_hint hint = { row->tf32, aligned_to(row->kernel), (double)row->kernels / calls };
        row->price = nnc_trace_price_of(device, &kind, hint);
        row->price.flops *= calls;
        row->price.moved_bytes *= calls;
        row->price.bound_s *= calls;
        row->price.predicted_s *= calls;
        row->price.padded_s *= calls;
    }
}

static int most_saved_first(const void *a, const void *b) {
    const nnc_trace_row *x = a, *y = b;
    return (x->save_s < y->save_s) - (x->save_s > y->save_s);
}

/* Returns the largest ratio of measured to expected time that is within the usual error of predictions. The usual error
 * is two standard deviations of the logarithms of the ratios, either of all matrix products (products = true), or of
 * all operators that are no matrix product (products = false). The standard deviation is 1.4826 times the median
 * deviation from the median, as in a normal distribution, so that single slow operators do not change it. Returns 1 if
 * there are too few rows to compute the usual error. logs: memory for one number per row. */
static double usual_error(const nnc_trace_sum *sum, bool products, double *logs) {
    size_t count = 0;
    for (int64_t i = 0; i < sum->row_count; i++) {
        const nnc_trace_row *r = &sum->rows[i];
        if (r->price.product == products && r->times > 0.0) { logs[count++] = log(r->times); }
    }
    if (count < FACTOR_ROWS) { return 1.0; }
    const double middle = nnc_median(logs, count);
    for (size_t i = 0; i < count; i++) { logs[i] = fabs(logs[i] - middle); }
    return exp(2.0 * 1.4826 * nnc_median(logs, count));
}

/* Sets the expected time of a row and the time that the row could save, measured time - expected time. If the product
 * is faster with its dimensions padded to multiples of 16 bytes, the saving is measured time - time of the padded
 * product. If a product is faster than expected, the measured time shows that unaligned operands cost little. If a
 * product is faster than expected, nncost predicts the padded product only if the name of the kernel states unaligned
 * operands. */
static void save(nnc_trace_row *r) {
    const double padded_s = r->price.padded_s * r->factor;
    r->expected_s = nnc_max(r->price.predicted_s * r->factor, r->price.bound_s);
    r->times = r->measured_s / r->expected_s;
    r->save_s = r->measured_s - r->expected_s;
    const bool costs = r->times >= 1.0 || (r->kernel != NULL && aligned_to(r->kernel) > 0);
    if (costs && padded_s < r->expected_s && padded_s < r->measured_s) {
        r->save_s = r->measured_s - padded_s;
        r->price.padded_s = padded_s;
    } else {
        r->price.odd = 0;
    }
}

/* Lists the findings, which are rows that could save more than 5 % of their measured time. A finding is a product that
 * would be faster with padding, or an operator whose time exceeds the expected time by more than the usual error. */
static nnc_status find(nnc_trace *t, nnc_trace_sum *sum, nnc_error *err) {
    double *ratios = malloc(((size_t)sum->row_count + 1) * sizeof *ratios);
    sized *sizes = malloc(((size_t)sum->row_count + 1) * sizeof *sizes);
    sum->findings = nnc_arena_array(t->arena, (size_t)sum->row_count + 1, sizeof *sum->findings);
    if (ratios == NULL || sizes == NULL || sum->findings == NULL) {
        free(ratios);
        free(sizes);
        return nnc_no_memory(err);
    }
    sum->product_factor = expect(sum, true, sizes, ratios);
    sum->memory_factor = expect(sum, false, sizes, ratios);
    for (int64_t i = 0; i < sum->row_count; i++) { save(&sum->rows[i]); }
    const double usual[] = { usual_error(sum, false, ratios), usual_error(sum, true, ratios) };
    free(ratios);
    free(sizes);
    for (int64_t i = 0; i < sum->row_count; i++) {
        const nnc_trace_row *r = &sum->rows[i];
        if (r->save_s > 0.05 * r->measured_s && (r->price.odd > 0 || r->times > usual[r->price.product])) {
            sum->findings[sum->finding_count++] = *r;
            sum->save_s += r->save_s;
        }
    }
    qsort(sum->findings, (size_t)sum->finding_count, sizeof *sum->findings, most_saved_first);
    return NNC_OK;
}

/* ---- the time in which the device is busy, and the time in which it is idle ---- */

static int by_start(const void *a, const void *b) {
    const nnc_trace_kernel *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

enum { DEVICES_MAX = 4096 };

/* Returns the index of the device that ran the most kernels. *devices is set to the number of devices in the trace. */
static int32_t main_device(const nnc_trace *t, int32_t *devices) {
    int64_t counts[DEVICES_MAX + 2] = { 0 };
    int32_t best = 0;
    *devices = 0;
    for (int64_t i = 0; i < t->kernel_count; i++) {
        int64_t *count = &counts[t->kernels[i].device + 1];
        *devices += (*count)++ == 0;
    }
    for (int32_t d = 1; d < DEVICES_MAX + 2; d++) { best = counts[d] > counts[best] ? d : best; }
    return best - 1;
}

/* Returns the nanoseconds in which the device runs at least one kernel of the selected classes. wanted: one bit for
 * each class of kernels. The kernels of the trace must be sorted by start before this call. */
static int64_t covered_ns(const nnc_trace *t, int32_t device, unsigned wanted) {
    int64_t end = INT64_MIN, covered = 0;
    for (int64_t i = 0; i < t->kernel_count; i++) {
        const nnc_trace_kernel *k = &t->kernels[i];
        if (k->device == device && (wanted >> k->class & 1) != 0) {
            const int64_t from = k->start_ns > end ? k->start_ns : end;
            covered += k->end_ns > from ? k->end_ns - from : 0;
            end = k->end_ns > end ? k->end_ns : end;
        }
    }
    return covered;
}

/* Returns the nanoseconds in which the device is idle because of the host. The result includes an idle time if the host
 * launched the next kernel only when the device was already idle. The kernels of the trace must be sorted by start, and
 * the launches by correlation. */
static int64_t idle_for_host_ns(const nnc_trace *t, int32_t device) {
    int64_t end = INT64_MAX, late = 0;
    for (int64_t i = 0; i < t->kernel_count; i++) {
        const nnc_trace_kernel *k = &t->kernels[i];
        if (k->device != device) { continue; }
        if (k->start_ns > end) {
            const nnc_trace_launch *launch = launch_of(t, k);
            late += launch != NULL && launch->start_ns > end ? k->start_ns - end : 0;
        }
        end = end == INT64_MAX || k->end_ns > end ? k->end_ns : end;
    }
    return late;
}

static void add_time(nnc_trace *t, nnc_trace_sum *sum) {
    const unsigned compute = 1u << NNC_TRACE_COMPUTE, traffic = 1u << NNC_TRACE_COMMUNICATION;
    int64_t first = INT64_MAX, last = INT64_MIN;
    const int32_t device = main_device(t, &sum->devices);
    qsort(t->kernels, (size_t)t->kernel_count, sizeof *t->kernels, by_start);
    for (int64_t i = 0; i < t->kernel_count; i++) {
        const nnc_trace_kernel *k = &t->kernels[i];
        if (k->device == device) {
            first = k->start_ns < first ? k->start_ns : first;
            last = k->end_ns > last ? k->end_ns : last;
        }
    }
    const int64_t busy = covered_ns(t, device, ~0u);
    const int64_t exposed = covered_ns(t, device, compute | traffic) - covered_ns(t, device, compute);
    sum->span_s = (double)(last - first) * NS;
    sum->busy_s = (double)busy * NS;
    sum->idle_s = (double)(last - first - busy) * NS;
    sum->idle_host_s = (double)idle_for_host_ns(t, device) * NS;
    sum->exposed_s = (double)exposed * NS;
    sum->issue_s = sum->span_s / (double)t->kernel_count;
}

nnc_status nnc_trace_sum_up(nnc_trace *trace, const char *path, const nnc_device *device, nnc_trace_sum *sum,
                            nnc_error *err) {
    *sum = (nnc_trace_sum){ .trace = trace, .device = device };
    if (trace->kernel_count == 0) {
        return nnc_fail(err, NNC_BAD_SPEC, path,
                        "no kernel of a device, expected a trace with activity of CUDA, ROCm or XPU");
    }
    NNC_TRY(make_rows(trace, sum, err));
    for (int64_t i = 0; i < sum->row_count; i++) { price_row(device, &sum->rows[i]); }
    NNC_TRY(find(trace, sum, err));
    add_time(trace, sum);
    return NNC_OK;
}

/* ---- the ranks of one training: how long each rank waits for other ranks inside collectives ----
 *
 * The rank that enters a collective first waits for the other ranks, so its collective takes longest. The rank that
 * enters last does not wait, so its collective is shortest.
 *
 *     rank 0   compute ....|collective          |
 *     rank 1   compute .............|collective |
 *
 * The clocks of ranks can differ, so start times are not compared. The code compares durations: each rank has a
 * duration of the nth collective with the same kernel and the same group of ranks. */

static int in_order(const void *a, const void *b) {
    const nnc_trace_collective *x = a, *y = b;
    return x->what != y->what ? (x->what > y->what) - (x->what < y->what)
                              : (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

bool nnc_trace_collectives(const nnc_trace *t, int32_t rank, nnc_buffer *all) {
    const size_t before = all->size;
    for (int64_t i = 0; i < t->kernel_count; i++) {
        const nnc_trace_kernel *k = &t->kernels[i];
        const char *name = t->names[k->name];
        if (k->class == NNC_TRACE_COMMUNICATION && strstr(name, "SendRecv") == NULL) {
            const nnc_trace_collective one = { .what = nnc_digest_text(NNC_DIGEST_START, name) ^ k->group,
                                               .start_ns = k->start_ns,
                                               .rank = rank,
                                               .seconds = (double)(k->end_ns - k->start_ns) * NS };
            nnc_buffer_put(all, &one, sizeof one);
        }
    }
    if (all->failed || all->size == before) { return !all->failed; }
    nnc_trace_collective *own = (nnc_trace_collective *)(void *)(all->bytes + before);
    const size_t count = (all->size - before) / sizeof *own;
    qsort(own, count, sizeof *own, in_order);
    for (size_t i = 0; i < count; i++) {
        own[i].nth = i > 0 && own[i].what == own[i - 1].what ? own[i - 1].nth + 1 : 0;
    }
    return true;
}

static int by_number(const void *a, const void *b) {
    const nnc_trace_collective *x = a, *y = b;
    return x->what != y->what ? (x->what > y->what) - (x->what < y->what) : (x->nth > y->nth) - (x->nth < y->nth);
}

/* Adds the waiting times of the ranks in all collectives of one kind, which are sorted by number (nth). If the ranks
 * have different numbers of these collectives, the function does nothing, because collectives with equal numbers may
 * then be different collectives. */
static void wait_in_kind(const nnc_trace_collective *all, int64_t count, nnc_trace_rank *ranks) {
    int64_t members = 0;
    while (members < count && all[members].nth == 0) { members++; }
    if (members < 2 || count != members * (all[count - 1].nth + 1)) { return; }
    for (int64_t i = 0; i < count; i += members) {
        double least = all[i].seconds;
        for (int64_t k = i + 1; k < i + members; k++) { least = nnc_min(least, all[k].seconds); }
        for (int64_t k = i; k < i + members; k++) {
            ranks[all[k].rank].waits_s += all[k].seconds - least;
            ranks[all[k].rank].compared++;
        }
    }
}

void nnc_trace_wait(nnc_trace_collective *all, int64_t count, nnc_trace_rank *ranks) {
    if (count > 0) { qsort(all, (size_t)count, sizeof *all, by_number); }
    for (int64_t i = 0, end = 0; i < count; i = end) {
        while (end < count && all[end].what == all[i].what) { end++; }
        wait_in_kind(all + i, end - i, ranks);
    }
}
