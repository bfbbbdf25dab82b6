/* Advice for a plan that does not fit: the smallest changes that make it fit, without another device or global batch.
 *
 * Changes that keep the training result come first, up to four at once, and the fastest plans win. Only if none fits
 * are changes of the numerics tried, the mildest first. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "estimate/estimate_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

/* Changes that save memory. Those that keep the training result come before those that change its numerics. */
typedef enum change {
    CHANGE_MICRO_BATCH,
    CHANGE_RECOMPUTE,
    CHANGE_SEQUENCE,
    CHANGE_ZERO,
    CHANGE_TENSOR,
    CHANGE_PIPELINE,
    CHANGE_CONTEXT,
    CHANGES_GENTLE, /* from here on they change numerics */
    CHANGE_PRECISION = CHANGES_GENTLE,
    CHANGE_OPTIMIZER,
    CHANGE_POLICY,
    CHANGES
} change;

/* TRIES_MAX: estimates after which a search of a long pipeline stops. */
enum { STEPS_MAX = 40, DOUBLINGS_MAX = 3, TRIES_MAX = 4000 };

/* Recomputation to try, mildest first. */
static const unsigned recomputes[] = { NNC_RECOMPUTE_ATTENTION, NNC_RECOMPUTE_NORM,
                                       NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION,
                                       NNC_RECOMPUTE_FULL };

/* Number of times that value can be halved. */
static int halvings(int64_t value, int max)
{
    int count = 0;
    while (count < max && value > 1 && value % 2 == 0) {
        value /= 2;
        count++;
    }
    return count;
}

/* Number of steps of a change. An estimate shows whether a step is legal. */
static int steps_of(change what, const nnc_model *model, const nnc_plan *plan,
                    const nnc_device *device)
{
    const bool single = plan->precision == NNC_FP32 || plan->precision == NNC_TF32;
    const bool smaller = nnc_optimizer_smaller(plan->optimizer) != plan->optimizer;
    const bool splits = nnc_family_of(model)->split != NULL && plan->devices > 1;
    switch (what) {
    case CHANGE_MICRO_BATCH: return halvings(plan->micro_batch, STEPS_MAX);
    case CHANGE_RECOMPUTE:
        return (plan->recompute & NNC_RECOMPUTE_FULL) != 0
                   ? 0
                   : (int)(sizeof recomputes / sizeof recomputes[0]);
    case CHANGE_SEQUENCE: return splits && !plan->sequence_parallel ? 1 : 0;
    case CHANGE_ZERO: return plan->data * plan->context > 1 ? 3 - plan->zero : 0;
    case CHANGE_TENSOR:
    case CHANGE_PIPELINE:
    case CHANGE_CONTEXT: return splits ? halvings(plan->data, DOUBLINGS_MAX) : 0;
    case CHANGE_PRECISION:
        return single && (!isnan(nnc_device_matmul_peak(device, NNC_BF16)) ||
                          !isnan(nnc_device_matmul_peak(device, NNC_FP16)))
                   ? 1
                   : 0;
    case CHANGE_OPTIMIZER: return smaller ? 1 : 0;
    default: return plan->policy == NNC_POLICY_BF16_PURE || single ? 0 : 1;
    }
}

/* Moves devices from data parallelism to another degree; each replica then runs more passes. */
static bool take_from_data(int step, nnc_plan *plan, int32_t *degree)
{
    const bool whole = plan->shard == plan->data * plan->context;
    if (plan->data % (1 << step) != 0 || *degree > INT32_MAX >> step) {
        return false;
    }
    plan->data >>= step;
    *degree <<= step;
    plan->micro_batches <<= step;
    if (whole) {
        plan->shard = plan->data * plan->context;
    }
    return true;
}

/* Applies one step of a change to a resolved plan; false if it is not possible. */
static bool apply(change what, int step, const nnc_device *device, nnc_plan *plan)
{
    switch (what) {
    case CHANGE_MICRO_BATCH:
        plan->micro_batch >>= step;
        plan->micro_batches <<= step;
        break;
    case CHANGE_RECOMPUTE: {
        const unsigned before = plan->recompute, added = recomputes[step - 1];
        plan->recompute = added == NNC_RECOMPUTE_FULL ? added : before | added;
        return plan->recompute != before;
    }
    case CHANGE_SEQUENCE: plan->sequence_parallel = true; break;
    case CHANGE_ZERO: plan->zero += step; break;
    case CHANGE_TENSOR: return take_from_data(step, plan, &plan->tensor);
    case CHANGE_PIPELINE: return take_from_data(step, plan, &plan->pipeline);
    case CHANGE_CONTEXT: return take_from_data(step, plan, &plan->context);
    case CHANGE_PRECISION:
        plan->precision = isnan(nnc_device_matmul_peak(device, NNC_BF16)) ? NNC_FP16 : NNC_BF16;
        plan->policy = NNC_POLICY_MIXED;
        break;
    case CHANGE_OPTIMIZER: plan->optimizer = nnc_optimizer_smaller(plan->optimizer); break;
    default: plan->policy = NNC_POLICY_BF16_PURE; break;
    }
    return true;
}

static void add_text(char *text, size_t size, const char *format, ...) NNC_PRINTF(3, 4);
static void add_text(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    const size_t gap = used > 0 && used + 1 < size ? 1 : 0;
    va_list arguments;
    memset(text + used, ' ', gap);
    va_start(arguments, format);
    vsnprintf(text + used + gap, size - used - gap, format, arguments);
    va_end(arguments);
}

/* Writes the differences of two plans as options. */
static void write_changes(const nnc_plan *from, const nnc_plan *to, char *text, size_t size)
{
    char name[64];
    const struct {
        const char *option;
        int64_t from, to;
    } numbers[] = { { "--micro-batch", from->micro_batch, to->micro_batch },
                    { "--micro-batches", from->micro_batches, to->micro_batches },
                    { "--zero", from->zero, to->zero },
                    { "--data", from->data, to->data },
                    { "--tensor", from->tensor, to->tensor },
                    { "--pipeline", from->pipeline, to->pipeline },
                    { "--context", from->context, to->context } };
    const bool precision = from->precision != to->precision;
    const bool policy = from->policy != to->policy;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (i == 2 && from->recompute != to->recompute) {
            nnc_recompute_text(to->recompute, name, sizeof name);
            add_text(text, size, "--recompute %s", name);
        }
        if (i == 2 && from->sequence_parallel != to->sequence_parallel) {
            add_text(text, size, "--sequence-parallel");
        }
        if (numbers[i].from != numbers[i].to) {
            add_text(text, size, "%s %" PRId64, numbers[i].option, numbers[i].to);
        }
    }
    if (precision) {
        add_text(text, size, "--precision %s", nnc_dtype_name(to->precision));
    }
    if (precision && policy) {
        add_text(text, size, "--policy %s", nnc_policy_name(to->policy));
    }
    if (from->optimizer != to->optimizer) {
        add_text(text, size, "--optimizer %s", nnc_optimizer_name(to->optimizer));
    }
    if (policy && !precision) {
        add_text(text, size, "--policy %s", nnc_policy_name(to->policy));
    }
}

typedef struct search {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles; /* the usual ones, for the options that a plan needs */
    const nnc_software *software; /* of the plan that does not fit; its changes keep it */
    const nnc_plan *base;
    nnc_scratch *scratch;
    int steps[CHANGES];
    int tries;    /* that are left */
    bool shipped; /* only features of the profile's framework */
} search;

/* Does the plan fit with these steps of each change? */
static bool try_plan(search *s, const int at[CHANGES], nnc_advice *advice)
{
    nnc_result result;
    bool possible = true;
    *advice = (nnc_advice){ .plan = *s->base };
    for (int c = 0; c < CHANGES && possible; c++) {
        if (at[c] > 0) {
            possible = apply((change)c, at[c], s->device, &advice->plan);
            advice->changes++;
        }
    }
    const nnc_software *software = s->software;
    if (!possible || s->tries-- <= 0 ||
        (s->shipped && !nnc_software_ships(software, &advice->plan, NULL)) ||
        nnc_estimate_read(s->model, s->device, software, &advice->plan, s->scratch, &result,
                          NULL) != NNC_OK ||
        result.verdict != NNC_FITS) {
        return false;
    }
    write_changes(s->base, &advice->plan, advice->text, sizeof advice->text);
    const nnc_software *usual = nnc_profile_of(s->profiles, s->model, s->device, &advice->plan);
    if (strcmp(usual->id, software->id) != 0) {
        add_text(advice->text, sizeof advice->text, "--software %s", software->id);
    }
    advice->total_bytes = result.memory.total_bytes;
    advice->step_s = result.step_s;
    return true;
}

/* Tries the steps of all changes in the set, the last change fastest, until a plan fits: the mildest of its set. */
static bool try_set(search *s, unsigned set, nnc_advice *advice)
{
    int at[CHANGES] = { 0 };
    for (int c = 0; c < CHANGES; c++) {
        at[c] = (set >> c & 1U) != 0 ? 1 : 0;
    }
    while (s->tries > 0) {
        if (try_plan(s, at, advice)) {
            return true;
        }
        int c = CHANGES - 1;
        while (c >= 0 && (at[c] == 0 || at[c] == s->steps[c])) {
            at[c] = at[c] > 0 ? 1 : 0;
            c--;
        }
        if (c < 0) {
            return false;
        }
        at[c]++;
    }
    return false;
}

static int bits(unsigned set)
{
    int count = 0;
    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

/* Inserts a plan that fits among the fastest. */
static int keep_fastest(nnc_advice *advice, int found, int max, const nnc_advice *one)
{
    int place = found;
    while (place > 0 && one->step_s < advice[place - 1].step_s) {
        place--;
    }
    if (place == max) {
        return found;
    }
    found += found < max ? 1 : 0;
    memmove(&advice[place + 1], &advice[place], sizeof *advice * (size_t)(found - 1 - place));
    advice[place] = *one;
    return found;
}

/* Tries all steps of the changes from `c` on that keep the training result, at most `left` changes at once. */
static void try_gentle(search *s, int at[CHANGES], int c, int left, nnc_advice *advice, int *found,
                       int max)
{
    nnc_advice one;
    if (c == CHANGES_GENTLE || left == 0) {
        if (try_plan(s, at, &one) && one.changes > 0) {
            *found = keep_fastest(advice, *found, max, &one);
        }
        return;
    }
    for (int step = 0; step <= s->steps[c] && s->tries > 0; step++) {
        at[c] = step;
        try_gentle(s, at, c + 1, left - (step > 0 ? 1 : 0), advice, found, max);
    }
    at[c] = 0;
}

/* Tries the smallest sets of any changes, each with its mildest steps first. */
static int try_any(search *s, nnc_advice *advice, int max)
{
    int found = 0;
    for (int size = 1; size <= CHANGES && found == 0; size++) {
        for (unsigned set = 1; set < 1U << CHANGES && found < max; set++) {
            bool possible = bits(set) == size;
            for (int c = 0; c < CHANGES; c++) {
                possible = possible && ((set >> c & 1U) == 0 || s->steps[c] > 0);
            }
            if (possible && try_set(s, set, &advice[found])) {
                found++;
            }
        }
    }
    return found;
}

/* Advice for a plan that was read. */
static int advise(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                  const nnc_plan *plan, nnc_scratch *scratch, nnc_advice *advice, int max)
{
    enum { AT_ONCE = 4 };
    const nnc_software *software = nnc_profile_of(profiles, model, device, plan);
    nnc_plan base;
    nnc_result now;
    int at[CHANGES] = { 0 }, found = 0;
    if (max < 1 || nnc_plan_resolve_read(plan, model, device, &base, NULL) != NNC_OK ||
        nnc_estimate_read(model, device, software, plan, scratch, &now, NULL) != NNC_OK ||
        now.verdict == NNC_FITS) {
        return 0;
    }
    search s = { model,    device,    profiles,
                 software, &base,     scratch,
                 { 0 },    TRIES_MAX, !profiles->any && nnc_software_ships(software, &base, NULL) };
    for (int c = 0; c < CHANGES; c++) {
        s.steps[c] = steps_of((change)c, model, &base, device);
    }
    try_gentle(&s, at, 0, AT_ONCE, advice, &found, max);
    s.tries = TRIES_MAX;
    return found > 0 ? found : try_any(&s, advice, max);
}

int nnc_advise(const nnc_model *model, const nnc_device *device, const nnc_software *software,
               const nnc_plan *plan, nnc_scratch *scratch, nnc_advice *advice, int max)
{
    nnc_estimate_args asked;
    if (scratch == NULL || advice == NULL ||
        nnc_estimate_args_read("nnc_advise", model, device, software, plan, &asked, NULL) !=
            NNC_OK) {
        return 0;
    }
    const nnc_profiles profiles = nnc_profiles_of_one(asked.software);
    return advise(model, device, &profiles, &asked.plan, scratch, advice, max);
}

int nnc_advise_by_plan(const nnc_model *model, const nnc_device *device,
                       const nnc_profiles *profiles, const nnc_plan *plan, nnc_scratch *scratch,
                       nnc_advice *advice, int max)
{
    nnc_plan full;
    if (model == NULL || device == NULL || profiles == NULL || scratch == NULL || advice == NULL ||
        nnc_plan_read(plan, &full, NULL) != NNC_OK) {
        return 0;
    }
    return advise(model, device, profiles, &full, scratch, advice, max);
}
