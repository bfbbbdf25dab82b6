/* Fits parameters of a device, or of the software profile of a serving engine, to measured rows. fit_choose.c lists the
 * fit groups (rows that the same parameters explain), and the parameters that each group determines.
 *
 * The fit groups are fitted in the order of the list in fit_choose.c. Groups of kernels come before groups of steps. A
 * fit on steps does not change a parameter that was fitted on kernels. If the caller names the parameters, nncost fits
 * them to the rows of all groups at once.
 *
 * Two checks refuse fitted parameters. A factor that was fitted on steps is refused if it increases the error of the
 * rows of a kernel, because a step needs time in addition to its kernels. Parameters that were fitted on kernels are
 * refused if they increase the error of steps, because device files are used to predict steps.
 *
 * A fit minimises a mean of |ln(predicted / measured)|: the mean over the rows of each file, then over the files, then
 * over the groups. In a fit of several parameters, each parameter adds a small penalty, (0.01 / rows) ln(1 + d^2),
 * where d is the distance of the parameter's value from its start, divided by the step size of the search. If the rows
 * do not determine a parameter, the penalty keeps this parameter near its start. */
#ifdef NNC_HAVE_NLOPT
#include <nlopt.h>
#endif

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"
#include "lab/lab_internal.h"
#include "shape/shape_internal.h"

/* Limits of a parameter, the step size of the search for its best value, and the start of this search if the value in
 * the device file is neutral. The search changes a factor by multiplication. The search changes times and sizes by
 * addition, because times and sizes may be 0. */
typedef struct range {
    const char *member;
    double low, high; /* low: smallest allowed value; high: largest allowed value; 0 = the limit of the field in the
                       * device table */
    double step;      /* step size of the search: of the logarithm of the value if `ratio` is true, else of the value */
    /* start of the search; NaN: the search starts at twice the memory bandwidth, about the smallest bandwidth of L2
     * caches */
    double usual;
    bool ratio;
} range;

/* clang-format off */
#define FACTOR(name, lowest, highest, by, begin) \
    { .member = (name), .low = (lowest), .high = (highest), .step = (by), .usual = (begin), .ratio = true }
#define AMOUNT(name, highest, by, begin) { .member = (name), .high = (highest), .step = (by), .usual = (begin) }
static const range ranges[] = {
    FACTOR("calibration", 0.05, 5, 0.1, 1),
    FACTOR("sustained_fraction", 0.01, 0, 0.15, 0.7),
    FACTOR("library_sustained_fraction", 0.01, 0, 0.15, 0.7),
    FACTOR("memory_fraction", 0.02, 0, 0.15, 0.7),
    FACTOR("bus_fraction", 0.005, 0, 0.15, 0.75),
    FACTOR("scale_out_fraction", 0.02, 0, 0.15, 0.8),
    FACTOR("backward_ratio", 0.1, 5, 0.1, 0.9),
    FACTOR("narrow_ratio", 0.1, 0, 0.1, 0.9),
    FACTOR("l2_bytes_per_flop", 1e-5, 100, 0.3, 0.02),
    FACTOR("l2_bytes_per_s", 1e10, 1e15, 0.3, NAN),
    AMOUNT("boost_ratio", 2, 0.05, 1.05),
    AMOUNT("unaligned_ratio", 10, 0.3, 1.5),
    AMOUNT("unaligned_backward_ratio", 10, 0.3, 1.5),
    AMOUNT("fixed_s", 1e-2, 2e-6, 5e-6),
    AMOUNT("log2_s", 1e-2, 2e-6, 3e-6),
    AMOUNT("step_fixed_s", 1e-1, 2e-5, 5e-5),
    AMOUNT("scale_out_fixed_s", 1e-1, 5e-5, 1e-4),
    AMOUNT("kernel_s", 1e-2, 2e-6, 1e-5),
    AMOUNT("k_fill", 1e4, 50, 150),
    FACTOR("vector_fraction", 0.005, 0, 0.15, 0.05),
    AMOUNT("depth_half", 1e4, 20, 30),
    AMOUNT("library_channels_half", 1e4, 20, 30),
    FACTOR("library_tf32_backward_ratio", 0.1, 0, 0.1, 1),
    FACTOR("library_tf32_contiguous_ratio", 0.1, 0, 0.1, 1),
    FACTOR("library_channel_fraction", 0.005, 0, 0.15, 0.05),
    FACTOR("library_channel_weight_ratio", 0.1, 0, 0.15, 1),
    AMOUNT("library_unmasked_half", 1e4, 50, 100),
    AMOUNT("library_backward_bytes", 1e3, 10, 20),
    AMOUNT("wave_quantization", 0, 0.2, 0.5),
    AMOUNT("seq_half", 1e5, 150, 400),
    AMOUNT("block_penalty", 100, 0.3, 0.5),
    AMOUNT("knee_bytes", 1e10, 2e6, 4e6),
    AMOUNT("small_group_loss", 3.5, 0.2, 0.5),
    /* The next entries of this table are fields of a software profile that describe its serving engine. */
    AMOUNT("step_s", 0.1, 2e-4, 5e-4),
    AMOUNT("layer_s", 1e-3, 5e-6, 1e-5),
    AMOUNT("sequence_s", 1e-3, 5e-6, 1.5e-5),
    AMOUNT("host_layer_s", 1e-2, 2e-5, 5e-5),
    AMOUNT("launch_s", 1e-3, 2e-6, 5e-6),
    AMOUNT("issue_s", 1e-3, 2e-6, 2e-5),
    AMOUNT("all_reduce_s", 1e-3, 5e-6, 1e-5),
    FACTOR("prefill_factor", 0.1, 20, 0.1, 1),
    FACTOR("decode_factor", 0.1, 20, 0.1, 1),
    FACTOR("kv_factor", 0.02, 5, 0.15, 1),
    FACTOR("all_reduce_factor", 0.1, 20, 0.2, 1),
    FACTOR("attention_factor", 0.1, 50, 0.2, 1),
    FACTOR("unit_bytes_per_clock", 0.1, 1e4, 0.15, 8),
    AMOUNT("kv_reread", 1, 0.1, 0.2),
    AMOUNT("ttft_s", 10, 0.02, 0.05),
    AMOUNT("text_s", 1e-2, 2e-5, 1e-4),
};
/* Range of the factors of a serving engine that have one value for each format of weights. */
static const range of_format = FACTOR("", 0.02, 5, 0.15, 1);
/* clang-format on */

/* Returns the limits and step size of a parameter; NULL: no parameter of this name can be fitted. */
static const range *range_of(const char *name) {
    static const char formats[] = " bf16 fp16 fp8 fp8-block int8 int4 nvfp4 mxfp4 ";
    const char *dot = strrchr(name, '.');
    const char *member = dot != NULL ? dot + 1 : name;
    char word[NNC_FIT_NAME + 2];
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (strcmp(ranges[i].member, member) == 0) { return &ranges[i]; }
    }
    snprintf(word, sizeof word, " %s ", member);
    return strstr(formats, word) != NULL ? &of_format : NULL;
}

/* ---- finds the least value of a function with NLopt ----
 *
 * NLopt is included only in this file. A program that was built without NLopt cannot fit parameters. */

#ifdef NNC_HAVE_NLOPT

enum { EVALUATIONS_PER_NUMBER = 200, STARTS_MAX = 6 };

/* If a restart of the search reduces the value of the function by less than this fraction, the search ends. */
static const double gain_least = 2e-3;

/* clang-format off */
#define CALLS(X)                                                                             \
    X(create) X(destroy) X(optimize) X(set_ftol_rel) X(set_initial_step) X(set_lower_bounds) \
    X(set_maxeval) X(set_min_objective) X(set_upper_bounds) X(set_xtol_rel)
/* clang-format on */

typedef struct calls {
#define CALL(name) __typeof__(nlopt_##name) *name; /* NOLINT(bugprone-macro-parentheses) */
    CALLS(CALL)
} calls;

static nnc_status load(calls *call, nnc_error *err) {
#ifdef NNC_NLOPT_LIBRARY
#define NAME(name) "nlopt_" #name,
    static const char *const names[] = { CALLS(NAME) };
    return nnc_dlopen_functions(NNC_NLOPT_LIBRARY, NNC_NLOPT_PACKAGE, names, sizeof names / sizeof *names, call, err);
#else
#define ADDRESS(name) .name = nlopt_##name,
    (void)err;
    *call = (calls){ CALLS(ADDRESS) };
    return NNC_OK;
#endif
}

nnc_status nnc_minimise_available(nnc_error *err) {
    calls call;
    return load(&call, err);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type is NLopt's */
static double evaluate(unsigned count, const double *x, double *gradient, void *context) {
    const nnc_minimise_problem *problem = context;
    (void)count, (void)gradient; /* NLopt asks for no gradient, because Subplex needs no derivatives */
    const double value = problem->value(x, problem->context);
    return isfinite(value) ? value : HUGE_VAL;
}

/* Runs the Subplex search of NLopt once, from the point x. If the search finds a value smaller than *least, the
 * function sets x and *least. Returns false if the search could not run. */
static bool start(const calls *call, nnc_minimise_problem *problem, double *x, double *least) {
    double at[NNC_MINIMISE_MAX];
    nlopt_opt opt = call->create(NLOPT_LN_SBPLX, (unsigned)problem->count);
    if (opt == NULL) { return false; }
    memcpy(at, x, (size_t)problem->count * sizeof *at);
    bool set = call->set_min_objective(opt, evaluate, problem) > 0;
    set = set && call->set_lower_bounds(opt, problem->low) > 0;
    set = set && call->set_upper_bounds(opt, problem->high) > 0;
    set = set && call->set_initial_step(opt, problem->step) > 0;
    set = set && call->set_ftol_rel(opt, problem->tolerance) > 0;
    set = set && call->set_xtol_rel(opt, problem->tolerance) > 0;
    set = set && call->set_maxeval(opt, EVALUATIONS_PER_NUMBER * problem->count) > 0;
    double found = NAN;
    /* counts NLOPT_ROUNDOFF_LIMITED as success: the search stopped because of rounding errors */
    const nlopt_result result = set ? call->optimize(opt, at, &found) : NLOPT_FAILURE;
    call->destroy(opt);
    const bool ran = result > 0 || result == NLOPT_ROUNDOFF_LIMITED;
    if (ran && found < *least) {
        memcpy(x, at, (size_t)problem->count * sizeof *at);
        *least = found;
    }
    return ran;
}

double nnc_minimise(const nnc_minimise_problem *problem, double *x) {
    /* NLopt passes the problem to evaluate() as a pointer without const, so the search works on a copy of the
     * problem */
    nnc_minimise_problem own = *problem;
    calls call;
    if (load(&call, NULL) != NNC_OK) { return (double)NAN; }
    double least = evaluate((unsigned)own.count, x, NULL, &own);
    for (int i = 0; i < STARTS_MAX; i++) {
        const double before = least;
        if (!start(&call, &own, x, &least)) { return (double)NAN; }
        if (!(before - least > gain_least * fabs(before))) { break; }
    }
    return least;
}

#else

nnc_status nnc_minimise_available(nnc_error *err) {
    return nnc_fail(err, NNC_BAD_USAGE, "calibrate", "this program was built without NLopt");
}

double nnc_minimise(const nnc_minimise_problem *problem, double *x) {
    (void)problem, (void)x;
    return (double)NAN;
}

#endif

/* ---- the state of one fit: the parameters that the minimiser changes, and the rows that it compares ---- */

/* A fit in progress of the parameters of one fit group, or of all rows. The minimiser sees each parameter as a number
 * x: (value - start) / step size; for a factor, ln(value / start) / step size. */
typedef struct moving {
    nnc_fit *fit;
    /* index of the fit group whose parameters this fit changes; -1 = the fit uses the rows of all groups */
    int32_t group;
    /* index of the part of the cross-validation that this fit leaves out; -1 = the fit uses the rows of every part */
    int32_t left_out;
    /* true: the fit minimises the mean of |predicted / measured - 1|; false: the mean of |ln(predicted / measured)| */
    bool relative;
    /* device for the prediction of a row: a copy of the row's device with the current values of the fitted
     * parameters */
    nnc_device device;
    nnc_software software;
    nnc_fit_parameter *parameters[NNC_MINIMISE_MAX];
    const range *ranges[NNC_MINIMISE_MAX];
    const nnc_field *fields[NNC_MINIMISE_MAX];
    double start[NNC_MINIMISE_MAX];
    double low[NNC_MINIMISE_MAX], high[NNC_MINIMISE_MAX], step[NNC_MINIMISE_MAX];
    int count;
    double pull; /* weight of the penalty for the distance between a parameter and its start */
} moving;

/* Weights of the penalty for the distance between a parameter and its start. A fit of a single parameter has the weight
 * pull_least, because any row determines this parameter. In a fit of several parameters, a parameter that few rows
 * determine could drift, so pull_of_rows / (number of rows) is added to the weight. Measurements scatter by some per
 * cent; with many rows, the penalty is small compared with this scatter. */
static const double pull_least = 1e-5, pull_of_rows = 0.01;

static const nnc_field *field_of(moving *m, const char *name) {
    const bool served = m->fit->served;
    void *object = served ? (void *)&m->software : (void *)&m->device;
    nnc_dtype dtype;
    return nnc_field_find(served ? &nnc_software_table : &nnc_device_table, name, &object, &dtype);
}

static double value_at(const moving *m, int i, double x) {
    /* limit in seconds or elements: a sum with a smaller absolute value is a rounding error and is replaced by 0 */
    const double none = 1e-12;
    const range *r = m->ranges[i];
    const double sum = m->start[i] + x * r->step;
    return r->ratio ? m->start[i] * exp(x * r->step) : fabs(sum) < none ? 0.0 : sum;
}

static double place_of(const moving *m, int i, double value) {
    const range *r = m->ranges[i];
    return r->ratio ? log(value / m->start[i]) / r->step : (value - m->start[i]) / r->step;
}

/* If a fit changes the bus_fraction of a collective, sets a negative small_group_loss (the gain of small groups over
 * PCIe) to its neutral value. Device files with a fitted bus_fraction state no gain of small groups. */
static void drop_gain(const nnc_fit_parameter *p, nnc_device *device) {
    if (!nnc_begins(p->name, "efficiency.collectives.") || !nnc_ends_in(p->name, ".bus_fraction")) { return; }
    const size_t start = p->offset - offsetof(nnc_collective_efficiency, bus_fraction);
    nnc_collective_efficiency *kind = (nnc_collective_efficiency *)(void *)((char *)device + start);
    if (kind->small_group_loss < 0.0) { kind->small_group_loss = 0.0; }
}

static void put_parameters(const nnc_fit *fit, nnc_device *device, nnc_software *software) {
    for (int32_t i = 0; i < fit->parameter_count; i++) {
        const nnc_fit_parameter *p = &fit->parameters[i];
        if (p->reason != NULL || isnan(p->value)) { continue; }
        char *object = fit->served ? (char *)software : (char *)device;
        *(double *)(void *)(object + p->offset) = p->value;
        if (!fit->served) {
            drop_gain(p, device);
            device->efficiency.fitted = true;
            device->efficiency.collectives.fitted |= nnc_begins(p->name, "efficiency.collectives.");
        }
    }
}

/* Returns the seconds that are predicted for a row with the current values of the fitted parameters; NaN = no
 * prediction. */
static double predict(moving *m, const nnc_fit_row *r) {
    nnc_scored scored;
    if (m->fit->served) {
        m->software = *r->software;
    } else {
        m->device = *r->device;
    }
    put_parameters(m->fit, &m->device, &m->software);
    const nnc_status status =
        nnc_score_row(r->row, r->model, m->fit->served ? r->device : &m->device,
                      m->fit->served ? &m->software : r->software, &r->plan, m->fit->scratch, &scored, NULL);
    return status == NNC_OK ? scored.predicted_s : (double)NAN;
}

static double error_of(moving *m, const nnc_fit_row *r) { return predict(m, r) / r->row->measured_s - 1.0; }

/* Tests whether the fit in progress compares its predictions with a row: the row is not held out, belongs to the fit
 * group, and is not in the part that the cross-validation leaves out. */
static bool uses(const moving *m, const nnc_fit_row *r) {
    return !r->held && (m->group < 0 || r->group == m->group) && (m->left_out < 0 || r->part != m->left_out);
}

static int32_t count_rows(const moving *m) {
    int32_t count = 0;
    for (int32_t i = 0; i < m->fit->row_count; i++) { count += uses(m, &m->fit->rows[i]); }
    return count;
}

/* Sets the weights of the rows of a fit group. The sum of the weights is 1. Every file has the same total weight, which
 * is divided evenly over the rows of the file. Returns false if the fit uses no row of the group. */
static bool weigh_group(const moving *m, int32_t group) {
    nnc_fit *fit = m->fit;
    int32_t files = 0;
    for (int32_t i = 0; i < fit->row_count; i++) {
        nnc_fit_row *r = &fit->rows[i];
        if (r->group != group || !uses(m, r)) { continue; }
        int32_t same = 0;
        bool first = true;
        for (int32_t k = 0; k < fit->row_count; k++) {
            const nnc_fit_row *other = &fit->rows[k];
            if (other->group == group && other->file == r->file && uses(m, other)) {
                same++;
                first = first && k >= i;
            }
        }
        files += first;
        r->weight = 1.0 / (double)same;
    }
    for (int32_t i = 0; i < fit->row_count && files > 0; i++) {
        fit->rows[i].weight /= fit->rows[i].group == group ? (double)files : 1.0;
    }
    return files > 0;
}

static void weigh_rows(const moving *m) {
    int32_t groups = 0;
    for (int32_t g = 0; g < m->fit->group_count; g++) { groups += weigh_group(m, g); }
    for (int32_t i = 0; i < m->fit->row_count && groups > 0; i++) { m->fit->rows[i].weight /= (double)groups; }
}

static double misfit(moving *m, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < m->count; i++) { m->parameters[i]->value = value_at(m, i, x[i]); }
    for (int32_t i = 0; i < m->fit->row_count; i++) {
        const nnc_fit_row *r = &m->fit->rows[i];
        if (uses(m, r)) {
            const double ratio = predict(m, r) / r->row->measured_s;
            sum += r->weight * fabs(m->relative ? ratio - 1.0 : log(ratio));
        }
    }
    return sum;
}

static double objective(const double *x, void *context) {
    moving *m = context;
    double away = 0.0;
    for (int i = 0; i < m->count; i++) {
        /* ln(1 + x^2) grows slowly with the distance x, so the penalty allows a parameter far from its start */
        away += log1p(x[i] * x[i]);
    }
    return misfit(m, x) + m->pull * away;
}

/* ---- the fit of the parameters of one fit group ---- */

/* Tests whether a parameter's value is neutral: NaN (not stated), or the default of the parameter's field. */
static bool is_neutral(double value, const nnc_field *field) {
    double neutral = (double)NAN;
    return isnan(value) ||
           (field->default_text != NULL && nnc_read_double(field->default_text, &neutral) && value == neutral);
}

/* Sets the start of each parameter: the value in the device file, or the usual value if the file's value is neutral. If
 * the error with all values of the device file, including the neutral values, is smaller than the error with these
 * starts, the search starts from the values of the file. The limits of each parameter are widened to include its
 * start. */
static void begin(moving *m) {
    double own[NNC_MINIMISE_MAX] = { 0 }, usual[NNC_MINIMISE_MAX] = { 0 };
    const double cache = 2.0 * m->fit->rows[0].device->mem_bytes_per_s;
    bool complete = true, neutral = false;
    for (int i = 0; i < m->count; i++) {
        const double before = m->parameters[i]->before;
        const range *r = m->ranges[i];
        const bool none = is_neutral(before, m->fields[i]);
        complete = complete && !isnan(before);
        neutral = neutral || none;
        m->start[i] = !none ? before : isnan(r->usual) ? cache : r->usual;
        const double low = r->low > 0 ? r->low : m->fields[i]->min;
        const double high = r->high > 0 ? r->high : m->fields[i]->max;
        m->low[i] = place_of(m, i, nnc_min(low, m->start[i]));
        m->high[i] = place_of(m, i, nnc_max(high, m->start[i]));
        m->step[i] = 1.0;
        own[i] = isnan(before) ? 0.0 : place_of(m, i, before);
    }
    if (neutral && complete && misfit(m, own) < misfit(m, usual)) {
        for (int i = 0; i < m->count; i++) {
            m->low[i] -= own[i];
            m->high[i] -= own[i];
            m->start[i] = m->parameters[i]->before;
        }
    }
}

/* Removes from the fit each parameter that does not change the error of the rows, neither with a larger nor with a
 * smaller value. */
static void drop_idle(moving *m) {
    double x[NNC_MINIMISE_MAX] = { 0 };
    const double still = misfit(m, x);
    int kept = 0;
    bool idle[NNC_MINIMISE_MAX];
    for (int i = 0; i < m->count; i++) {
        x[i] = nnc_min(1.0, m->high[i]);
        const double up = misfit(m, x);
        x[i] = m->low[i] > -1.0 ? m->low[i] : -1.0;
        const double down = misfit(m, x);
        x[i] = 0.0;
        idle[i] = up == still && down == still;
    }
    for (int i = 0; i < m->count; i++) {
        if (idle[i]) {
            m->parameters[i]->reason = "does not change the predictions of these rows";
            m->parameters[i]->value = (double)NAN;
            continue;
        }
        m->parameters[kept] = m->parameters[i];
        m->ranges[kept] = m->ranges[i];
        m->fields[kept] = m->fields[i];
        m->start[kept] = m->start[i];
        m->low[kept] = m->low[i];
        m->high[kept] = m->high[i];
        m->step[kept++] = m->step[i];
    }
    m->count = kept;
}

/* Number of significant digits of fitted values in a device file. */
enum { FITTED_DIGITS = 6 };

/* Runs the minimiser: sets the fitted parameters to the values with the least error of the rows that the fit uses.
 * Returns false when out of memory. */
static bool move(moving *m) {
    /* largest distance from a limit, in step sizes of the search, at which a value counts as at the limit */
    const double near = 1e-3;
    double x[NNC_MINIMISE_MAX] = { 0 };
    weigh_rows(m);
    if (m->count == 0) { return true; }
    m->pull = pull_least + (m->count > 1 ? pull_of_rows / count_rows(m) : 0.0);
    /* true: the search uses a larger tolerance, because three digits are enough for the errors of a cross-validation,
     * and each prediction of a training step takes a long time */
    const bool coarse = m->left_out >= 0 && m->group >= 0 && m->fit->groups[m->group].kind == NNC_MEASURED_STEP;
    const nnc_minimise_problem problem = { .count = m->count,
                                           .low = m->low,
                                           .high = m->high,
                                           .step = m->step,
                                           .tolerance = coarse ? 1e-4 : 1e-6,
                                           .value = objective,
                                           .context = m };
    if (isnan(nnc_minimise(&problem, x))) { return false; }
    for (int i = 0; i < m->count; i++) {
        m->parameters[i]->value = nnc_rounded(value_at(m, i, x[i]), FITTED_DIGITS);
        if (m->left_out < 0) { m->parameters[i]->at_limit = x[i] - m->low[i] < near || m->high[i] - x[i] < near; }
    }
    return true;
}

/* Finds a range of values for each parameter. In the range of a parameter, the mean of |ln(predicted / measured)| is at
 * most 0.01 above its minimum, while the other parameters keep their fitted values. */
static void find_ranges(moving *m) {
    double x[NNC_MINIMISE_MAX] = { 0 };
    for (int i = 0; i < m->count; i++) { x[i] = place_of(m, i, m->parameters[i]->value); }
    const double least = misfit(m, x) + 0.01;
    for (int i = 0; i < m->count; i++) {
        const double fitted = x[i];
        double ends[2] = { m->low[i], m->high[i] };
        for (int side = 0; side < 2; side++) {
            double inside = fitted, outside = x[i] = ends[side];
            for (int k = 0; k < 20 && (k > 0 || misfit(m, x) > least); k++) {
                x[i] = (inside + outside) / 2.0;
                *(misfit(m, x) > least ? &outside : &inside) = x[i];
                ends[side] = inside;
            }
        }
        x[i] = fitted;
        m->parameters[i]->low = nnc_rounded(value_at(m, i, ends[0]), FITTED_DIGITS);
        m->parameters[i]->high = nnc_rounded(value_at(m, i, ends[1]), FITTED_DIGITS);
    }
    for (int i = 0; i < m->count; i++) { m->parameters[i]->value = nnc_rounded(value_at(m, i, x[i]), FITTED_DIGITS); }
}

/* Returns the mean |error| of the rows of a fit group that are not held out; 0 if none of these rows has a
 * prediction. */
static double mean_error(moving *m, int32_t group) {
    double sum = 0.0;
    int32_t count = 0;
    for (int32_t i = 0; i < m->fit->row_count; i++) {
        const nnc_fit_row *r = &m->fit->rows[i];
        const double error = r->group == group && !r->held ? error_of(m, r) : (double)NAN;
        if (!isnan(error)) {
            sum += fabs(error);
            count++;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

/* Refuses each parameter that was fitted on training steps and that increases the error of the rows of kernels. Returns
 * true if the function refuses any parameter. */
static bool refuse_contradicted(moving *m) {
    bool any = false;
    for (int i = 0; i < m->count; i++) {
        nnc_fit_parameter *p = m->parameters[i];
        const double value = p->value;
        for (int32_t g = 0; g < m->fit->group_count && p->reason == NULL; g++) {
            const nnc_measured_kind kind = m->fit->groups[g].kind;
            if (m->fit->groups[g].rows > 0 && kind != NNC_MEASURED_STEP) {
                const double with = mean_error(m, g);
                p->value = (double)NAN;
                const double without = mean_error(m, g);
                p->value = value;
                if (with > without + 0.005) {
                    p->reason = "contradicts measured kernels";
                    any = true;
                }
            }
        }
    }
    return any;
}

/* Fits the parameters of one fit group. If the group consists of training steps, refuses parameters that increase the
 * error of kernels, and fits the remaining parameters again. Returns false when out of memory. */
static bool fit_group(moving *m, nnc_fit *fit, int32_t group) {
    *m = (moving){ .fit = fit, .group = group, .left_out = -1, .relative = m->relative };
    for (int32_t i = 0; i < fit->parameter_count; i++) {
        nnc_fit_parameter *p = &fit->parameters[i];
        if (p->group != group || p->reason != NULL) { continue; }
        m->ranges[m->count % NNC_MINIMISE_MAX] = range_of(p->name);
        if (m->count == NNC_MINIMISE_MAX || range_of(p->name) == NULL || field_of(m, p->name) == NULL) {
            p->reason = "is one parameter too many for the rows";
            continue;
        }
        m->fields[m->count] = field_of(m, p->name);
        m->parameters[m->count++] = p;
    }
    weigh_rows(m);
    begin(m);
    drop_idle(m);
    if (!move(m)) { return false; }
    if (group >= 0 && fit->groups[group].kind == NNC_MEASURED_STEP && refuse_contradicted(m)) {
        return fit_group(m, fit, group);
    }
    find_ranges(m);
    for (int i = 0; i < m->count; i++) {
        m->parameters[i]->rows = count_rows(m);
        m->parameters[i]->of = group >= 0 ? fit->groups[group].name : "all rows";
    }
    return true;
}

/* ---- cross-validation: each row is predicted with parameters that were fitted without this row ---- */

enum { PARTS_MAX = 5 };

/* A row of a fit and its digest. The cross-validation sorts the rows by digest and divides them over its parts. */
typedef struct hand {
    uint64_t digest;
    int32_t row;
} hand;

static int by_digest(const void *a, const void *b) {
    const hand *x = a, *y = b;
    const int digests = (x->digest > y->digest) - (x->digest < y->digest);
    return digests != 0 ? digests : (x->row > y->row) - (x->row < y->row);
}

/* Divides the rows of a fit group, sorted by their digests, over the parts of the cross-validation; rows with equal
 * digests get the same part. Returns the number of parts; 0 if all rows have the same digest. */
static int32_t assign_parts(const moving *m, hand *hands) {
    /* count: number of rows that the fit uses; different: number of different digests among these rows */
    int32_t count = 0, different = 0;
    for (int32_t i = 0; i < m->fit->row_count; i++) {
        if (uses(m, &m->fit->rows[i])) { hands[count++] = (hand){ m->fit->rows[i].digest, i }; }
    }
    qsort(hands, (size_t)count, sizeof *hands, by_digest);
    for (int32_t i = 0; i < count; i++) {
        different += i == 0 || hands[i].digest != hands[i - 1].digest;
        m->fit->rows[hands[i].row].part = (different - 1) % PARTS_MAX;
    }
    return different < 2 ? 0 : different < PARTS_MAX ? different : PARTS_MAX;
}

enum { MODELS_MAX = 8 };

static bool same_model(const nnc_measured *a, const nnc_measured *b) {
    return a->model_name == b->model_name ||
           (a->model_name != NULL && b->model_name != NULL && strcmp(a->model_name, b->model_name) == 0);
}

/* Divides the rows over the parts of the cross-validation so that all rows of a model are in the same part. Returns the
 * number of parts; 0 = all rows have the same model. */
static int32_t assign_models(const moving *m) {
    nnc_fit_row *rows = m->fit->rows;
    int32_t models = 0;
    for (int32_t i = 0; i < m->fit->row_count; i++) {
        int32_t k = 0;
        while (k < i && !(uses(m, &rows[k]) && same_model(rows[k].row, rows[i].row))) { k++; }
        if (uses(m, &rows[i])) { rows[i].part = k < i ? rows[k].part : models++ % MODELS_MAX; }
    }
    return models < 2 ? 0 : models < MODELS_MAX ? models : MODELS_MAX;
}

/* Fits the parameters without one part of the cross-validation, then predicts the rows of this part. During the fit,
 * the parameters of later fit groups have no value, as in the main fit. In the predictions, the parameters of later fit
 * groups have their final values (`last`). */
static bool cross_part(moving *m, int32_t part, const double *last, size_t error) {
    nnc_fit *fit = m->fit;
    double own[NNC_MINIMISE_MAX];
    for (int32_t i = 0; i < fit->parameter_count; i++) {
        if (m->group >= 0 && fit->parameters[i].group > m->group) { fit->parameters[i].value = (double)NAN; }
    }
    m->left_out = part;
    const bool ok = move(m);
    m->left_out = -1;
    for (int i = 0; i < m->count; i++) { own[i] = m->parameters[i]->value; }
    for (int32_t i = 0; i < fit->parameter_count; i++) { fit->parameters[i].value = last[i]; }
    for (int i = 0; i < m->count; i++) { m->parameters[i]->value = own[i]; }
    for (int32_t i = 0; i < fit->row_count; i++) {
        if (uses(m, &fit->rows[i]) && fit->rows[i].part == part) {
            *(double *)(void *)((char *)&fit->rows[i] + error) = error_of(m, &fit->rows[i]);
        }
    }
    for (int32_t i = 0; i < fit->parameter_count; i++) { fit->parameters[i].value = last[i]; }
    return ok;
}

/* Computes two errors of each row. For the error `crossed`, the parameters are fitted without the row's part of the
 * cross-validation. For the error `left`, the parameters are fitted without any row of the row's model. hands: space
 * for one element per row. Returns false when out of memory. */
static bool cross_validate(moving *m, hand *hands) {
    nnc_fit *fit = m->fit;
    double last[NNC_FIT_PARAMETERS_MAX];
    const int32_t parts = m->count > 0 ? assign_parts(m, hands) : 0;
    bool ok = true;
    for (int32_t i = 0; i < fit->parameter_count; i++) { last[i] = fit->parameters[i].value; }
    for (int32_t part = 0; part < parts && ok; part++) {
        ok = cross_part(m, part, last, offsetof(nnc_fit_row, crossed));
    }
    const bool steps = m->group >= 0 && fit->groups[m->group].kind == NNC_MEASURED_STEP;
    const int32_t models = steps && m->count > 0 ? assign_models(m) : 0;
    for (int32_t model = 0; model < models && ok; model++) {
        ok = cross_part(m, model, last, offsetof(nnc_fit_row, left));
    }
    for (int32_t g = 0; g < fit->group_count; g++) {
        if (m->group < 0 || m->group == g) { fit->groups[g].parts = fit->groups[g].rows > 0 ? parts : 0; }
    }
    return ok;
}

/* Computes the statistics of one kind of error over the rows of a fit group.
 * offset: offset of the error in nnc_fit_row.
 * held: true = over the held-out rows; false = over the rows to fit on.
 * group: index of the fit group; -1 = over the training steps of all groups that have an error `left`. */
static void add_up(nnc_fit *fit, int32_t group, bool held, size_t offset, double *errors, nnc_score_stats *stats) {
    int32_t count = 0;
    *stats = (nnc_score_stats){ 0 };
    for (int32_t i = 0; i < fit->row_count; i++) {
        const nnc_fit_row *r = &fit->rows[i];
        const double error = *(const double *)(const void *)((const char *)r + offset);
        const bool in = group < 0 ? r->row->kind == NNC_MEASURED_STEP && !isnan(r->left) : r->group == group;
        if (in && r->held == held && !isnan(error)) { errors[count++] = error; }
    }
    stats->rows = group < 0 ? count : held ? fit->groups[group].held : fit->groups[group].rows;
    nnc_errors_sum(errors, count, stats);
}

static void sum_errors(nnc_fit *fit, double *errors) {
    add_up(fit, -1, false, offsetof(nnc_fit_row, before), errors, &fit->steps_before);
    add_up(fit, -1, false, offsetof(nnc_fit_row, left), errors, &fit->steps_left);
    for (int32_t g = 0; g < fit->group_count; g++) {
        nnc_fit_group *group = &fit->groups[g];
        add_up(fit, g, false, offsetof(nnc_fit_row, before), errors, &group->before);
        add_up(fit, g, false, offsetof(nnc_fit_row, after), errors, &group->after);
        add_up(fit, g, false, offsetof(nnc_fit_row, crossed), errors, &group->crossed);
        add_up(fit, g, false, offsetof(nnc_fit_row, left), errors, &group->left);
        add_up(fit, g, true, offsetof(nnc_fit_row, before), errors, &group->held_before);
        add_up(fit, g, true, offsetof(nnc_fit_row, after), errors, &group->held_after);
    }
}

/* Copies the values of the fitted parameters to `values`, and sets the parameters to NaN (not fitted). */
static void set_aside(moving *m, double values[NNC_MINIMISE_MAX]) {
    for (int i = 0; i < m->count; i++) {
        values[i] = m->parameters[i]->value;
        m->parameters[i]->value = (double)NAN;
    }
}

/* Returns true if the fitted parameters reduce the sum of |error| of models whose rows a fit did not use. Also returns
 * true if every fit used the rows of all models. */
static bool helps_others(moving *m) {
    double values[NNC_MINIMISE_MAX] = { 0 }, without = 0.0, left = 0.0;
    int32_t count = 0;
    set_aside(m, values);
    for (int32_t i = 0; i < m->fit->row_count; i++) {
        const nnc_fit_row *r = &m->fit->rows[i];
        if (r->group == m->group && !r->held && !isnan(r->left)) {
            without += fabs(error_of(m, r));
            left += fabs(r->left);
            count++;
        }
    }
    for (int i = 0; i < m->count; i++) { m->parameters[i]->value = values[i]; }
    return count == 0 || left < without;
}

/* Checks the parameters of a fit group of training steps: predicts the steps of each model with parameters that were
 * fitted without the rows of this model. If the parameters do not improve the predictions of left-out models, keeps
 * only the first parameter. If the first parameter alone does not improve the predictions of left-out models, keeps no
 * parameter, because a fit that helps no left-out model describes only the models on which it was made. Returns false
 * when out of memory. */
static bool keep_helpful(nnc_fit *fit, moving *m, int32_t group, hand *hands) {
    if (fit->groups[group].kind != NNC_MEASURED_STEP) { return true; }
    bool ok = cross_validate(m, hands);
    for (int kept = m->count > 1 ? 1 : 0; ok && kept >= 0 && !helps_others(m); kept--) {
        for (int i = kept; i < m->count; i++) {
            m->parameters[i]->reason = "does not reduce the error of left-out models";
            m->parameters[i]->value = (double)NAN;
        }
        for (int32_t i = 0; i < fit->row_count && kept == 0; i++) {
            nnc_fit_row *r = &fit->rows[i];
            r->left = r->group == group && !isnan(r->left) ? error_of(m, r) : r->left;
        }
        ok = fit_group(m, fit, group) && (kept == 0 || cross_validate(m, hands));
    }
    return ok;
}

/* Returns the sum of |error| over all training steps that are not held out. */
static double error_of_steps(moving *m) {
    double sum = 0.0;
    for (int32_t g = 0; g < m->fit->group_count; g++) {
        const bool steps = m->fit->groups[g].kind == NNC_MEASURED_STEP;
        sum += steps ? mean_error(m, g) * m->fit->groups[g].rows : 0.0;
    }
    return sum;
}

/* Compares the errors with and without the fitted parameters of a fit group. *rows_worse: true = the parameters
 * increase the mean |error| of the group's own rows. *steps_worse: true = the parameters increase the sum of |error| of
 * all training steps. */
static void compare_without(moving *m, int32_t group, bool *rows_worse, bool *steps_worse) {
    double values[NNC_MINIMISE_MAX] = { 0 };
    const double rows = mean_error(m, group), steps = error_of_steps(m);
    set_aside(m, values);
    *rows_worse = rows > mean_error(m, group);
    *steps_worse = steps > error_of_steps(m);
    for (int i = 0; i < m->count; i++) { m->parameters[i]->value = values[i]; }
}

/* Refuses the parameters whose names end in `end`; end "" = all parameters. Returns the number of refused
 * parameters. */
static int leave_out(moving *m, const char *end, const char *reason) {
    int count = 0;
    for (int i = 0; i < m->count; i++) {
        nnc_fit_parameter *p = m->parameters[i];
        if (nnc_ends_in(p->name, end)) {
            p->reason = reason;
            p->value = p->low = p->high = (double)NAN;
            count++;
        }
    }
    return count;
}

/* Refuses fitted parameters of kernels that increase the mean |error| of the kernel rows of the group or the error of
 * the training steps. The error of steps can increase because kernels that were measured one call at a time, or with
 * operands in the L2 cache, differ from the kernels of a step. Before the function refuses all parameters of the group,
 * it tries a smaller change. If the error of the group's rows grows, the function fits the group again with |predicted
 * / measured - 1| instead of |ln(predicted / measured)|. If the error of steps grows, the function refuses only
 * fixed_s, because fixed_s contains the launch of a single call. Returns false when out of memory. */
static bool keep_for_steps(nnc_fit *fit, moving *m, int32_t group) {
    static const char for_rows[] = "does not reduce the mean error of its rows",
                      for_steps[] = "increases the error of the measured steps";
    while (fit->groups[group].kind != NNC_MEASURED_STEP && m->count > 0) {
        bool rows_worse, steps_worse;
        compare_without(m, group, &rows_worse, &steps_worse);
        if (!rows_worse && !steps_worse) { break; }
        if (rows_worse && !m->relative) {
            m->relative = true;
        } else if (rows_worse || leave_out(m, ".fixed_s", for_steps) == 0) {
            leave_out(m, "", rows_worse ? for_rows : for_steps);
        }
        if (!fit_group(m, fit, group)) { return false; }
    }
    return true;
}

/* Returns the error of a row that is predicted with neutral values of the parameters of its fit group. */
static double error_without(moving *m, const nnc_fit_row *r) {
    nnc_fit_parameter *parameters = m->fit->parameters;
    double values[NNC_FIT_PARAMETERS_MAX] = { 0 };
    for (int32_t i = 0; i < m->fit->parameter_count; i++) {
        values[i] = parameters[i].value;
        if (parameters[i].group == r->group) { parameters[i].value = (double)NAN; }
    }
    const double error = error_of(m, r);
    for (int32_t i = 0; i < m->fit->parameter_count; i++) { parameters[i].value = values[i]; }
    return error;
}

/* Fits the parameters of each fit group. If the caller names the parameters to fit, fits them to the rows of all groups
 * at once. m[]: the state of each fit, which the cross-validation uses again. */
static bool fit_all(nnc_fit *fit, moving *m, hand *hands) {
    const bool joint = fit->parameter_count > 0 && fit->parameters[0].group < 0;
    const int32_t first = joint ? -1 : 0, count = joint ? 1 : fit->group_count;
    bool ok = true;
    for (int32_t i = 0; i < count && ok; i++) {
        ok = fit_group(&m[i], fit, first + i) && (joint || keep_for_steps(fit, &m[i], first + i)) &&
             (joint || keep_helpful(fit, &m[i], first + i, hands));
    }
    /* left: true if at least one fit was made without the rows of a model. If all steps of a fit group are of one
     * model, no fit without this model is possible, because no rows are left. If no fit without the model exists, the
     * error `left` of a step is the error without the parameters of the step's group. */
    bool left = false;
    for (int32_t i = 0; i < fit->row_count; i++) { left = left || !isnan(fit->rows[i].left); }
    for (int32_t i = 0; i < fit->row_count && ok; i++) {
        nnc_fit_row *r = &fit->rows[i];
        r->after = error_of(&m[0], r);
        const bool alone = r->row->kind == NNC_MEASURED_STEP && !r->held && isnan(r->left);
        r->left = left && alone ? error_without(&m[0], r) : r->left;
    }
    for (int32_t i = 0; i < count && ok; i++) {
        const bool done = !joint && fit->groups[i].kind == NNC_MEASURED_STEP;
        ok = done || cross_validate(&m[i], hands);
    }
    return ok;
}

nnc_status nnc_fit_run(nnc_fit *fit, nnc_error *err) {
    const size_t rows = (size_t)fit->row_count + 1;
    moving *m = calloc((size_t)fit->group_count + 1, sizeof *m);
    hand *hands = calloc(rows, sizeof *hands);
    double *errors = calloc(rows, sizeof *errors);
    bool ok = m != NULL && hands != NULL && errors != NULL;
    for (int32_t i = 0; i < fit->parameter_count; i++) {
        fit->parameters[i].value = fit->parameters[i].low = fit->parameters[i].high = (double)NAN;
    }
    for (int32_t i = 0; i < fit->row_count && ok; i++) {
        nnc_fit_row *r = &fit->rows[i];
        m[0].fit = fit;
        r->crossed = r->left = r->after = (double)NAN;
        r->before = error_of(&m[0], r);
    }
    /* predictions of a fit compute times only, because a fit uses neither memory nor bounds */
    fit->scratch->brief = fit->scratch->workless = true;
    ok = ok && fit_all(fit, m, hands);
    fit->scratch->brief = fit->scratch->workless = false;
    if (ok) { sum_errors(fit, errors); }
    free(errors);
    free(hands);
    free(m);
    return ok ? NNC_OK : nnc_fail(err, NNC_NO_MEMORY, "calibrate", "out of memory");
}
