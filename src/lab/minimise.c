/* Finds the least value of a function with NLopt; no other file includes NLopt. A program that was built without NLopt
 * cannot fit parameters. */
#ifdef NNC_HAVE_NLOPT
#include <nlopt.h>
#endif

#include "base/base_internal.h"
#include "lab/lab_internal.h"

#ifdef NNC_HAVE_NLOPT

enum { EVALUATIONS_PER_NUMBER = 200, STARTS_MAX = 6 };

/* A restart of the search that reduces the value of the function by less than this fraction is the last one. */
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

/* Runs the Subplex search of NLopt once, from the point x. If it finds a smaller value than *least, sets x and *least.
 * Returns false if the search could not run. */
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
    /* NLOPT_ROUNDOFF_LIMITED counts as success: the search stopped because of rounding errors */
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
    /* a copy, because NLopt passes the problem to evaluate() as a pointer without const */
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
