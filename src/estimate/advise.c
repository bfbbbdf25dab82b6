/* Advice for a plan that does not fit: the smallest changes that make the plan fit while the device and the global
 * batch stay the same.
 *
 * A change has one or more strengths (`step` in the code); for example, the micro-batch is divided by 2 (strength 1),
 * by 4 (strength 2) ... A change is gentle if it keeps the training result and costs little time. With adapters, fewer
 * bits for the frozen weights and shorter sequences also count as gentle.
 *
 * The search first tries sets of one to four gentle changes: the smallest sets first, each at the mildest strengths
 * that fit. Among the plans with the longest sequences, the search keeps the fastest. On several devices, the search
 * then changes the fastest plan further, as long as a further change makes the plan faster. If no set of gentle changes
 * fits, the search tries sets that also contain changes which are not gentle, small sets first, and at last all changes
 * together.
 *
 * The search computes the memory of a plan before its time. If a plan with all changes of a set at full strength does
 * not fit, the set costs only one estimate of memory. If no plan fits with all gentle changes at full strength, sets of
 * two or more gentle changes are not tried. */
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

/* Changes that save memory. First in the list are the gentle changes, which keep the training result; the changes after
 * them alter the numerics or the task. */
typedef enum change {
    /* change for a plan with adapters: the sequences are shortened. This change is the first entry of the list, because
     * try_set tries all strengths of the later changes before it shortens the sequences further, and so finds the
     * longest sequences that fit. */
    CHANGE_SEQ_LEN,
    CHANGE_MICRO_BATCH,
    CHANGE_RECOMPUTE,
    CHANGE_SEQUENCE,
    CHANGE_ZERO,
    CHANGE_TENSOR,
    CHANGE_PIPELINE,
    CHANGE_CONTEXT,
    /* change for a plan with adapters: the frozen weights are stored in int8 or NF4 instead of 16 bits */
    CHANGE_FROZEN,
    /* first change that is not gentle: this change and all later ones alter the numerics or the task, or cost much
     * time */
    CHANGES_GENTLE,
    CHANGE_PRECISION = CHANGES_GENTLE,
    CHANGE_OPTIMIZER,
    CHANGE_POLICY,
    CHANGE_SHORTER, /* change for a plan without adapters: the sequences are shortened */
    CHANGE_OFFLOAD,
    CHANGE_ADAPTERS,
    CHANGES
} change;

/* Limits of the search. STEPS_MAX: largest number of strengths of one change. DOUBLINGS_MAX: largest number of
 * doublings of a degree. TRIES_MAX: largest number of estimates in each of two searches (with gentle changes only, and
 * with all changes). TRIED_MAX: largest number of plans in the table of tried plans. AT_ONCE: largest number of gentle
 * changes in one set. SHORTEST: smallest number of tokens of a shortened sequence. */
enum { STEPS_MAX = 40, DOUBLINGS_MAX = 3, TRIES_MAX = 4000, SHORTEST = 256, TRIED_MAX = 512, AT_ONCE = 4 };
_Static_assert(STEPS_MAX < 64 && CHANGES_GENTLE <= 10, "the steps of a plan fit in one number");

/* Kinds of recomputation that the search tries, sorted by the work that backward computes again, the least work
 * first. */
static const unsigned recomputes[] = { NNC_RECOMPUTE_ATTENTION, NNC_RECOMPUTE_NORM,
                                       NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION, NNC_RECOMPUTE_FULL };

/* Returns how many times `value` can be divided by 2 without a remainder; at most `max`. */
static int halvings(int64_t value, int max) {
    int count = 0;
    while (count < max && value > 1 && value % 2 == 0) {
        value /= 2;
        count++;
    }
    return count;
}

static int shorter_steps(const nnc_plan *plan) {
    int count = 0;
    for (int64_t s = plan->seq_len; s % 2 == 0 && s / 2 >= SHORTEST; s /= 2) { count++; }
    return count;
}

/* Returns the number of strengths that a change has for the base plan; 0 = the change is not possible. Some of the
 * strengths of a change may make the plan illegal; the estimate of an illegal plan fails. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity,readability-function-size): one case after the other */
static int steps_of(change what, const nnc_model *model, const nnc_plan *plan, const nnc_device *device) {
    const bool single = plan->precision == NNC_FP32 || plan->precision == NNC_TF32;
    const bool smaller = nnc_optimizer_smaller(plan->optimizer) != plan->optimizer;
    const bool splits = nnc_family_of(model)->split != NULL && plan->devices > 1;
    const bool adapted = plan->adapter_rank > 0, trains = !nnc_is_forward_pass(model, plan);
    switch (what) {
    case CHANGE_MICRO_BATCH: return halvings(plan->micro_batch, STEPS_MAX);
    case CHANGE_RECOMPUTE:
        return (plan->recompute & NNC_RECOMPUTE_FULL) != 0 || !trains ? 0
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
    case CHANGE_OPTIMIZER: return smaller && trains ? 1 : 0;
    case CHANGE_FROZEN: return (adapted || !trains) && plan->frozen == NNC_FROZEN_16 ? 2 : 0;
    case CHANGE_SEQ_LEN: return adapted ? shorter_steps(plan) : 0;
    case CHANGE_SHORTER: return adapted ? 0 : shorter_steps(plan);
    case CHANGE_OFFLOAD: return plan->offload == 0 && trains ? 3 : 0;
    case CHANGE_ADAPTERS: return plan->train == NNC_TRAIN_ALL && plan->train_layers == 0 && !adapted ? 2 : 0;
    default: return plan->policy == NNC_POLICY_BF16_PURE || single || !trains ? 0 : 1;
    }
}

/* Divides the number of data ranks by 2^step, and multiplies another degree by 2^step. With 2^step times fewer data
 * ranks, each replica runs 2^step times as many micro-batches. Returns false if 2^step does not divide the number of
 * data ranks, or if the degree would be too large. */
static bool take_from_data(int step, nnc_plan *plan, int32_t *degree) {
    const bool whole = plan->shard == plan->data * plan->context;
    if (plan->data % (1 << step) != 0 || *degree > INT32_MAX >> step) { return false; }
    plan->data >>= step;
    *degree <<= step;
    plan->micro_batches <<= step;
    if (whole) { plan->shard = plan->data * plan->context; }
    return true;
}

/* Changes a resolved plan by the change `what` with strength `step` (from 1). Returns false if the change is not
 * possible. */
static bool apply(change what, int step, const nnc_device *device, nnc_plan *plan) {
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
    case CHANGE_FROZEN: plan->frozen = step == 1 ? NNC_FROZEN_INT8 : NNC_FROZEN_NF4; break;
    case CHANGE_SEQ_LEN:
    case CHANGE_SHORTER: plan->seq_len >>= step; break;
    case CHANGE_OFFLOAD:
        plan->offload = NNC_OFFLOAD_OPTIMIZER | (step > 1 ? (unsigned)NNC_OFFLOAD_ACTIVATIONS : 0) |
                        (step > 2 ? (unsigned)NNC_OFFLOAD_WEIGHTS : 0);
        break;
    case CHANGE_ADAPTERS:
        plan->adapter_rank = 16;
        plan->frozen = step == 2 ? NNC_FROZEN_NF4 : plan->frozen;
        break;
    default: plan->policy = NNC_POLICY_BF16_PURE; break;
    }
    return true;
}

/* Writes to `text` the command-line options that change the plan `from` to the plan `to`. */
static void write_changes(const nnc_plan *from, const nnc_plan *to, char *text, size_t size) {
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
            nnc_text_append(text, size, " ", "--recompute %s", name);
        }
        if (i == 2 && from->sequence_parallel != to->sequence_parallel) {
            nnc_text_append(text, size, " ", "--sequence-parallel");
        }
        if (numbers[i].from != numbers[i].to) {
            nnc_text_append(text, size, " ", "%s %" PRId64, numbers[i].option, numbers[i].to);
        }
    }
    if (precision) { nnc_text_append(text, size, " ", "--precision %s", nnc_dtype_name(to->precision)); }
    if (precision && policy) { nnc_text_append(text, size, " ", "--policy %s", nnc_policy_name(to->policy)); }
    if (from->optimizer != to->optimizer) {
        nnc_text_append(text, size, " ", "--optimizer %s", nnc_optimizer_name(to->optimizer));
    }
    if (policy && !precision) { nnc_text_append(text, size, " ", "--policy %s", nnc_policy_name(to->policy)); }
    if (from->adapter_rank != to->adapter_rank) {
        nnc_text_append(text, size, " ", "--lora %d", (int)to->adapter_rank);
    }
    if (from->frozen != to->frozen) { nnc_text_append(text, size, " ", "--frozen %s", nnc_frozen_name(to->frozen)); }
    if (from->seq_len != to->seq_len) { nnc_text_append(text, size, " ", "--seq-len %" PRId64, to->seq_len); }
    if (from->offload != to->offload) {
        nnc_offload_text(to->offload, name, sizeof name);
        nnc_text_append(text, size, " ", "--offload %s", name);
    }
}

/* A tried plan that has only gentle changes.
 * key: a bit 1, followed by 6 bits for the strength of each gentle change; key 0 marks an unused entry.
 * step_s: seconds in which the plan processes as many tokens as one step of the base plan; 0 = the plan does not
 * fit. */
typedef struct tried_plan {
    uint64_t key;
    double step_s;
} tried_plan;

typedef struct search {
    const nnc_model *model;
    const nnc_device *device;
    /* the loaded software profiles; a plan without `--software` gets one of them by default */
    const nnc_profiles *profiles;
    /* software profile of the plan that does not fit; all changed plans use this profile */
    const nnc_software *software;
    const nnc_plan *base;
    nnc_scratch *scratch;
    nnc_variant variant; /* the changed plan that the search estimates at the moment */
    int steps[CHANGES];
    /* strength of each change in the fastest plan with gentle changes that was found so far; 0 = the plan does not have
     * the change */
    int best[CHANGES];
    double best_s;
    int tries; /* number of estimates that the search is still allowed to make */
    /* true: try_set tries every strength, because a stronger change can need more memory than a weaker one */
    bool patient;
    bool gentle_tried; /* true: all sets of up to AT_ONCE gentle changes were tried, so try_sets skips these sets */
    /* true: the verdict "tight" is accepted, too: a plan counts as fitting if its estimated memory fits, even if
     * measured peaks may be above the capacity */
    bool takes_tight;
    bool shipped; /* true: changed plans use only features that the framework of the software profile has */
    tried_plan tried[TRIED_MAX];
    int tried_count;
} search;

typedef enum outcome { OUTCOME_ILLEGAL, OUTCOME_OVER, OUTCOME_FITS } outcome;

/* Estimates the base plan with strength at[c] of each change c (0 = no change). If the plan fits, fills *advice. timed:
 * true = also computes the step time. Each call takes 1 from s->tries; if s->tries is 0, the plan counts as illegal. */
static outcome try_plan(search *s, const int at[CHANGES], bool timed, nnc_advice *advice) {
    nnc_result result;
    nnc_variant *v = &s->variant;
    bool possible = true;
    *advice = (nnc_advice){ .plan = *s->base };
    for (int c = 0; c < CHANGES && possible; c++) {
        if (at[c] > 0) {
            possible = apply((change)c, at[c], s->device, &advice->plan);
            advice->changes++;
        }
    }
    s->scratch->untimed = !timed;
    s->scratch->tight_too = !s->takes_tight;
    v->plan = &advice->plan;
    v->model = s->model;
    v->software = s->software;
    if (!possible || s->tries-- <= 0 || !nnc_variant_complete(v, s->profiles, s->base) ||
        (s->shipped && !nnc_software_ships(v->software, v->plan, NULL)) ||
        nnc_estimate_read(v->model, s->device, v->software, v->plan, s->scratch, &result, NULL) != NNC_OK) {
        return OUTCOME_ILLEGAL;
    }
    if (result.verdict != NNC_FITS &&
        !(s->takes_tight && result.verdict == NNC_TIGHT && result.memory.headroom_bytes >= 0)) {
        return OUTCOME_OVER;
    }
    advice->verdict = result.verdict;
    advice->total_bytes = result.memory.total_bytes;
    advice->step_s = result.step_s;
    return OUTCOME_FITS;
}

/* For each of `count` found plans, writes to its `text` the command-line options that turn the base plan into the found
 * plan. */
static void write_texts(const search *s, nnc_advice *advice, int count) {
    for (nnc_advice *one = advice; one < advice + count; one++) {
        write_changes(s->base, &one->plan, one->text, sizeof one->text);
        const nnc_software *usual = nnc_profile_of(s->profiles, s->model, s->device, &one->plan);
        if (strcmp(usual->id, s->software->id) != 0) {
            nnc_text_append(one->text, sizeof one->text, " ", "--software %s", s->software->id);
        }
    }
}

/* Returns the entry of a plan in the hash table of tried plans, and its key in *key. If the plan was not tried, the
 * entry has key 0. */
static tried_plan *place_of(search *s, const int at[CHANGES], uint64_t *key) {
    *key = 1;
    for (int c = 0; c < CHANGES_GENTLE; c++) { *key = *key << 6 | (unsigned)at[c]; }
    size_t place = *key * UINT64_C(0x9E3779B97F4A7C15) >> 54;
    while (s->tried[place % TRIED_MAX].key != 0 && s->tried[place % TRIED_MAX].key != *key) { place++; }
    return &s->tried[place % TRIED_MAX];
}

/* Stores the step time of a tried plan in the table of tried plans, if the plan has only gentle changes. step_s 0 = the
 * plan does not fit, or is illegal. The function `refine` reads the table of tried plans. */
static void remember(search *s, const int at[CHANGES], double step_s) {
    uint64_t key;
    for (int c = CHANGES_GENTLE; c < CHANGES; c++) {
        if (at[c] > 0) { return; }
    }
    tried_plan *place = place_of(s, at, &key);
    if (place->key == 0 && s->tried_count < TRIED_MAX / 2) {
        *place = (tried_plan){ key, step_s };
        s->tried_count++;
    }
}

/* Returns the seconds in which a plan processes as many tokens as one step of the base plan. A plan with sequences of
 * half the length needs two steps for the tokens of one step of the base plan. */
static double time_of_tokens(const search *s, const nnc_advice *one) {
    const int64_t before = s->base->seq_len, now = one->plan.seq_len;
    return before > now && now > 0 ? one->step_s * ((double)before / (double)now) : one->step_s;
}

/* Tries a set of changes at all combinations of strengths, from weak to strong, until a plan fits. Bit c of `set`
 * stands for change c. From one plan to the next, the strength of the last change of the set varies fastest. If
 * s->patient is false, first tries the set with all changes at full strength, and stops if that plan does not fit.
 * Returns true if a plan fits. */
static bool try_set(search *s, unsigned set, nnc_advice *advice) {
    int at[CHANGES] = { 0 }, strongest[CHANGES] = { 0 };
    for (int c = 0; c < CHANGES; c++) {
        at[c] = (set >> c & 1U) != 0 ? 1 : 0;
        strongest[c] = at[c] > 0 ? s->steps[c] : 0;
    }
    if (!s->patient && try_plan(s, strongest, false, advice) == OUTCOME_OVER) {
        remember(s, strongest, 0.0);
        return false;
    }
    while (s->tries > 0) {
        const bool fits = try_plan(s, at, true, advice) == OUTCOME_FITS;
        const double step_s = fits ? time_of_tokens(s, advice) : 0.0;
        remember(s, at, step_s);
        if (fits) {
            if (step_s < s->best_s) {
                s->best_s = step_s;
                memcpy(s->best, at, sizeof at);
            }
            return true;
        }
        int c = CHANGES - 1;
        while (c >= 0 && (at[c] == 0 || at[c] == s->steps[c])) {
            at[c] = at[c] > 0 ? 1 : 0;
            c--;
        }
        if (c < 0) { return false; }
        at[c]++;
    }
    return false;
}

/* Returns the next set with the same number of changes: the smallest number greater than `set` that has the same number
 * of bits set. */
static unsigned next_set(unsigned set) {
    const unsigned lowest = set & (0U - set), raised = set + lowest;
    return ((raised ^ set) >> 2) / lowest | raised;
}

/* Inserts a plan that fits into the list of found plans, which has at most `max` plans. Plans with longer sequences
 * come first, because shorter sequences alter the training. Plans with equal sequences are sorted by time if by_time is
 * true (the fastest first), else in the order in which they were found. Returns the new number of plans in the list. */
static int insert(const search *s, nnc_advice *advice, int found, int max, bool by_time, const nnc_advice *one) {
    int place = found;
    for (; place > 0; place--) {
        const nnc_advice *last = &advice[place - 1];
        const bool sooner = one->plan.seq_len != last->plan.seq_len
                                ? one->plan.seq_len > last->plan.seq_len
                                : by_time && time_of_tokens(s, one) < time_of_tokens(s, last);
        if (!sooner) { break; }
    }
    if (place == max) { return found; }
    found += found < max ? 1 : 0;
    memmove(&advice[place + 1], &advice[place], sizeof *advice * (size_t)(found - 1 - place));
    advice[place] = *one;
    return found;
}

/* Sets of changes with which a plan was found to fit, one bit for each change. A set that contains all changes of a
 * fitting set and more is not tried. */
typedef struct found_sets {
    unsigned sets[64];
    int count;
} found_sets;

static bool holds_one(const found_sets *found, unsigned set) {
    bool holds = false;
    for (int i = 0; i < found->count && !holds; i++) { holds = (set & found->sets[i]) == found->sets[i]; }
    return holds;
}

/* Tries all sets of `size` changes out of the first `changes` changes of the enum `change`. If the sets contain only
 * gentle changes, `advice` gets the `max` best plans: plans with longer sequences are better, and among plans with
 * equal sequences the faster ones are better. If the sets can contain changes that are not gentle, `advice` gets the
 * first `max` plans that fit. */
static void try_sets(search *s, int size, int changes, found_sets *fitting, nnc_advice *advice, int *found, int max) {
    nnc_advice one;
    const bool gentle = changes == CHANGES_GENTLE;
    unsigned usable = 0;
    for (int c = 0; c < changes; c++) { usable |= s->steps[c] > 0 ? 1U << c : 0; }
    for (unsigned set = (1U << size) - 1; set < 1U << changes && s->tries > 0 && (gentle || *found < max);
         set = next_set(set)) {
        const bool tried = s->gentle_tried && size <= AT_ONCE && set < 1U << CHANGES_GENTLE;
        if ((set & ~usable) == 0 && !tried && !holds_one(fitting, set) && try_set(s, set, &one)) {
            /* a set of only shorter sequences does not go to `fitting`, so that larger sets with shorter sequences are
             * tried, too: another change can make longer sequences fit */
            const bool only_shortens = set == 1U << CHANGE_SEQ_LEN;
            if (fitting->count < 64 && !only_shortens) { fitting->sets[fitting->count++] = set; }
            *found = insert(s, advice, *found, max, gentle, &one);
        }
    }
}

/* Tests whether a plan recomputes, although the same plan without recomputation is known to fit; recomputation then
 * only makes the step longer. Always returns false for a plan with a pipeline: recomputation makes passes longer, but
 * longer passes can let the schedule of a pipeline end earlier. */
static bool recomputes_in_vain(search *s, const int at[CHANGES]) {
    int milder[CHANGES];
    uint64_t key;
    if (at[CHANGE_RECOMPUTE] == 0 || s->base->recompute != 0 || s->base->pipeline > 1 || at[CHANGE_PIPELINE] > 0) {
        return false;
    }
    memcpy(milder, at, sizeof milder);
    milder[CHANGE_RECOMPUTE] = 0;
    return nnc_same_bytes(milder, s->best, sizeof milder) || place_of(s, milder, &key)->step_s > 0.0;
}

/* Returns the step time of a plan in seconds; 0 = the plan does not fit, or cannot be faster than the best plan so far.
 * If the plan is faster than the best plan, it becomes the best plan and is written to *advice. */
static double time_of(search *s, const int at[CHANGES], nnc_advice *advice) {
    nnc_advice one;
    uint64_t key;
    const tried_plan *place = place_of(s, at, &key);
    if (nnc_same_bytes(at, s->best, sizeof s->best)) { return s->best_s; }
    if (place->key != 0) { return place->step_s; }
    if (recomputes_in_vain(s, at)) { return 0.0; }
    const bool fits = try_plan(s, at, true, &one) == OUTCOME_FITS && one.changes > 0;
    const double step_s = fits ? time_of_tokens(s, &one) : 0.0;
    remember(s, at, step_s);
    if (fits && step_s < s->best_s) {
        s->best_s = step_s;
        memcpy(s->best, at, sizeof s->best);
        *advice = one;
    }
    return step_s;
}

/* The search tries the strengths of a change in increasing order. If a plan takes more than far_slower times as long as
 * the best plan, the search does not try stronger strengths of the same change. */
static const double far_slower = 1.1;

/* Tries other strengths of change d: first all strengths weaker than at[d], then the strengths stronger than at[d] one
 * by one. Stops when a plan that fits is slower than the plan with the next weaker strength, or slower than far_slower
 * times the best plan. */
static void try_row(search *s, int at[CHANGES], int d, nnc_advice *advice) {
    const int own = at[d];
    double last_s = nnc_same_bytes(at, s->best, sizeof s->best) ? s->best_s : (double)INFINITY, step_s = 0.0;
    for (at[d] = 0; at[d] < own; at[d]++) { (void)time_of(s, at, advice); }
    for (at[d] = own + 1; at[d] <= s->steps[d] && !(step_s > last_s) && !(step_s > far_slower * s->best_s); at[d]++) {
        last_s = step_s > 0.0 ? step_s : last_s;
        step_s = time_of(s, at, advice);
    }
    at[d] = own;
}

/* Changes the fastest plan with gentle changes until no change makes it faster. A trial either gives one change another
 * strength, or weakens one change and gives a second change any strength. Weakening one change and giving a second
 * change another strength is useful, because a weaker change often makes the plan faster but needs more memory, which
 * the second change saves. One more trial adds sequence parallelism and tensor ranks together, because sequence
 * parallelism needs tensor ranks. Returns true if a faster plan was found; *advice is then this plan. */
static bool refine(search *s, nnc_advice *advice) {
    const double first_s = s->best_s;
    double before_s;
    do {
        int at[CHANGES];
        before_s = s->best_s;
        for (int d = 0; d < CHANGES_GENTLE; d++) {
            memcpy(at, s->best, sizeof at);
            try_row(s, at, d, advice);
        }
        for (int c = 0; c < CHANGES_GENTLE; c++) {
            for (int i = s->best[c] - 1; i >= 0; i--) {
                for (int d = 0; d < CHANGES_GENTLE; d++) {
                    memcpy(at, s->best, sizeof at);
                    at[c] = i;
                    if (c == CHANGE_TENSOR && i == 0 && s->base->tensor == 1) { at[CHANGE_SEQUENCE] = 0; }
                    if (d != c) { try_row(s, at, d, advice); }
                }
            }
        }
        memcpy(at, s->best, sizeof at);
        at[CHANGE_SEQUENCE] = s->steps[CHANGE_SEQUENCE];
        try_row(s, at, CHANGE_TENSOR, advice);
    } while (s->best_s < before_s);
    return s->best_s < first_s;
}

/* ---- tries all changes together ---- */

static bool is_degree(int c) { return c == CHANGE_TENSOR || c == CHANGE_PIPELINE || c == CHANGE_CONTEXT; }

/* Adds the first `changes` values of `change`, except the degrees, one by one to `at`, until the plan fits. Each change
 * is added at full strength, or at the strongest that is legal. Returns true if the plan fits. */
static bool add_until_it_fits(search *s, int changes, int at[CHANGES]) {
    nnc_advice one;
    outcome now = try_plan(s, at, false, &one);
    for (int c = 0; c < changes && now != OUTCOME_FITS; c++) {
        if (is_degree(c)) { continue; }
        for (at[c] = s->steps[c]; at[c] > 0; at[c]--) {
            const outcome next = try_plan(s, at, false, &one);
            if (next != OUTCOME_ILLEGAL) {
                now = next;
                break;
            }
        }
    }
    return now == OUTCOME_FITS;
}

/* Data ranks can be turned into tensor, pipeline and context ranks in several ways, which are numbered; `way` is such a
 * number. Sets in `at` the strengths of the changes of the tensor, pipeline and context degree for the way number
 * `way`, and 0 as the strength of all other changes. Returns false if no way has the number `way`. */
static bool set_way(const search *s, int way, int at[CHANGES]) {
    const int tensor = s->steps[CHANGE_TENSOR] + 1, pipeline = s->steps[CHANGE_PIPELINE] + 1;
    memset(at, 0, CHANGES * sizeof at[0]);
    at[CHANGE_TENSOR] = way % tensor;
    at[CHANGE_PIPELINE] = way / tensor % pipeline;
    at[CHANGE_CONTEXT] = way / tensor / pipeline;
    return at[CHANGE_CONTEXT] <= s->steps[CHANGE_CONTEXT];
}

/* Returns false if no plan with gentle changes can fit. Tries all gentle changes at full strength, for each way of
 * turning data ranks into tensor, pipeline and context ranks, until a plan fits. Sets s->tries to TRIES_MAX at the
 * end. */
static bool may_fit_gently(search *s) {
    nnc_advice one;
    int at[CHANGES];
    bool fits = false;
    for (int way = 0; !fits && set_way(s, way, at); way++) {
        outcome now = OUTCOME_ILLEGAL;
        for (int c = 0; c < CHANGES_GENTLE; c++) { at[c] = is_degree(c) ? at[c] : s->steps[c]; }
        at[CHANGE_SEQUENCE] = s->base->tensor > 1 || at[CHANGE_TENSOR] > 0 ? at[CHANGE_SEQUENCE] : 0;
        for (; now == OUTCOME_ILLEGAL && at[CHANGE_ZERO] >= 0; at[CHANGE_ZERO]--) {
            now = try_plan(s, at, false, &one); /* the loop lowers the ZeRO stage, because some plans are illegal with
                                                 * the highest stages */
        }
        if (now == OUTCOME_ILLEGAL && set_way(s, way, at) && try_plan(s, at, false, &one) != OUTCOME_ILLEGAL) {
            now = add_until_it_fits(s, CHANGES_GENTLE, at) ? OUTCOME_FITS : OUTCOME_OVER;
        }
        fits = now == OUTCOME_FITS;
    }
    s->tries = TRIES_MAX;
    return fits;
}

/* Sets at[c] to the weakest strength of change c with which the plan fits while all other changes keep their
 * strengths. */
static void weaken(search *s, int at[CHANGES], int c) {
    nnc_advice one;
    const int strongest = at[c];
    for (at[c] = 0; at[c] < strongest && try_plan(s, at, false, &one) != OUTCOME_FITS;) { at[c]++; }
}

/* Tries all changes together, for each way of turning data ranks into tensor, pipeline and context ranks; then weakens
 * each change as far as the plan still fits. try_sets would need too many estimates for sets of so many changes. Writes
 * the plan with the fewest changes to *advice. Returns the number of plans written: 1 if a plan fits, else 0. */
static int try_all_together(search *s, nnc_advice *advice) {
    int found = 0, at[CHANGES];
    for (int way = 0; set_way(s, way, at); way++) {
        nnc_advice one;
        s->tries = TRIES_MAX / 10;
        if (add_until_it_fits(s, CHANGES, at)) {
            /* shorter sequences alter the training most, so this change is weakened before the other changes */
            weaken(s, at, CHANGE_SHORTER);
            for (int c = CHANGES - 1; c >= 0; c--) { weaken(s, at, c); }
            if (try_plan(s, at, true, &one) == OUTCOME_FITS && (found == 0 || one.changes < advice->changes)) {
                *advice = one;
                found = 1;
            }
        }
    }
    return found;
}

/* If every found plan has shorter sequences than the base plan, searches for a plan that fits with the sequence length
 * of the base plan, and adds it to the list. Returns the new number of plans in the list. */
static int keep_lengths(search *s, nnc_advice *advice, int found, int max) {
    found_sets fitting = { .count = 0 };
    nnc_advice keeps;
    const int shortens = s->steps[CHANGE_SEQ_LEN];
    int kept = 0;
    bool all_shorten = found > 0;
    for (int i = 0; i < found; i++) { all_shorten = all_shorten && advice[i].plan.seq_len != s->base->seq_len; }
    if (!all_shorten) { return found; }
    s->steps[CHANGE_SEQ_LEN] = 0;
    for (int size = 1; kept == 0 && size <= AT_ONCE; size++) {
        try_sets(s, size, CHANGES_GENTLE, &fitting, &keeps, &kept, 1);
    }
    s->steps[CHANGE_SEQ_LEN] = shortens;
    return kept > 0 ? insert(s, advice, found < max ? found : max - 1, max, true, &keeps) : found;
}

/* If every found plan has shorter sequences than the base plan, searches for a plan with longer sequences. The search
 * first applies adapters, frozen weights of fewer bits, full recomputation and small micro-batches at full strength,
 * and finds the longest sequences that fit with these changes. The search then weakens each of the applied changes as
 * far as the sequences still fit. If the plan found this way has longer sequences than every plan in the list, adds it
 * to the list. Returns the new number of plans in the list. */
static int lengthen(search *s, nnc_advice *advice, int found, int max) {
    static const change helpers[] = { CHANGE_RECOMPUTE, CHANGE_MICRO_BATCH, CHANGE_FROZEN, CHANGE_ADAPTERS };
    const change shorter = s->steps[CHANGE_SEQ_LEN] > 0 ? CHANGE_SEQ_LEN : CHANGE_SHORTER;
    int at[CHANGES] = { 0 };
    nnc_advice one;
    if (found == 0 || advice->plan.seq_len >= s->base->seq_len) { return found; }
    for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++) { at[helpers[i]] = s->steps[helpers[i]]; }
    at[shorter] = s->steps[shorter];
    s->tries = TRIES_MAX;
    weaken(s, at, (int)shorter);
    if (s->base->seq_len >> at[shorter] <= advice->plan.seq_len) { return found; }
    for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++) { weaken(s, at, (int)helpers[i]); }
    return try_plan(s, at, true, &one) == OUTCOME_FITS ? insert(s, advice, found, max, true, &one) : found;
}

/* Does the work of nnc_advise, for a plan that nnc_plan_read has read and checked. Returns the number of plans in
 * `advice`. */
static int advise(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles, const nnc_plan *plan,
                  nnc_scratch *scratch, nnc_advice *advice, int max) {
    const nnc_software *software = nnc_profile_of(profiles, model, device, plan);
    nnc_plan base;
    nnc_result now;
    int found = 0;
    if (max < 1 || nnc_plan_resolve_read(plan, model, device, &base, NULL) != NNC_OK ||
        nnc_estimate_memory(model, device, software, plan, scratch, &now, NULL) != NNC_OK || now.verdict == NNC_FITS) {
        return 0;
    }
    search s = { .model = model,
                 .device = device,
                 .profiles = profiles,
                 .software = software,
                 .base = &base,
                 .scratch = scratch,
                 .best_s = (double)INFINITY,
                 .tries = TRIES_MAX,
                 .shipped = !profiles->any && nnc_software_ships(software, &base, NULL) };
    for (int c = 0; c < CHANGES; c++) { s.steps[c] = steps_of((change)c, model, &base, device); }
    found_sets fitting = { .count = 0 };
    const int unchanged[CHANGES] = { 0 };
    remember(&s, unchanged, 0.0);
    const bool brief = scratch->brief, fits_only = scratch->fits_only;
    scratch->brief = scratch->fits_only = scratch->workless = true;
    scratch->lists = 4;
    bool gentle = true;
    for (int size = 1; gentle && size <= AT_ONCE && (found == 0 || (size == 2 && found < max)); size++) {
        try_sets(&s, size, CHANGES_GENTLE, &fitting, advice, &found, max);
        gentle = size > 1 || found > 0 || may_fit_gently(&s);
    }
    nnc_advice faster;
    if (found > 0 && plan->devices != 1 && refine(&s, &faster)) {
        found = insert(&s, advice, found, max, true, &faster);
    }
    found = keep_lengths(&s, advice, found, max);
    s.gentle_tried = s.tries > 0;
    s.tries = TRIES_MAX;
    const bool alters = found == 0;
    for (int size = 1; size <= CHANGES && found == 0; size++) {
        try_sets(&s, size, CHANGES, &fitting, advice, &found, max);
    }
    /* If a set with changes that are not gentle fits, LoRA with recomputation is tried in addition, because it is often
     * faster than offload. */
    const unsigned adapted = 1U << CHANGE_ADAPTERS | 1U << CHANGE_RECOMPUTE;
    if (alters && found > 0 && found < max && s.steps[CHANGE_ADAPTERS] > 0 && s.steps[CHANGE_RECOMPUTE] > 0 &&
        !holds_one(&fitting, adapted) && try_set(&s, adapted, &advice[found])) {
        found++;
    }
    s.patient = true;
    for (int size = 1; size <= 2 && found == 0; size++) { try_sets(&s, size, CHANGES, &fitting, advice, &found, max); }
    found = found == 0 ? try_all_together(&s, advice) : found;
    found = lengthen(&s, advice, found, max);
    s.takes_tight = true;
    found = found == 0 ? try_all_together(&s, advice) : found;
    write_texts(&s, advice, found);
    scratch->brief = brief;
    scratch->fits_only = fits_only;
    scratch->workless = scratch->untimed = scratch->tight_too = false;
    scratch->lists = 0;
    return found;
}

int nnc_advise(const nnc_model *model, const nnc_device *device, const nnc_software *software, const nnc_plan *plan,
               nnc_scratch *scratch, nnc_advice *advice, int max) {
    nnc_estimate_args asked;
    if (scratch == NULL || advice == NULL ||
        nnc_estimate_args_read("nnc_advise", model, device, software, plan, &asked, NULL) != NNC_OK) {
        return 0;
    }
    const nnc_profiles profiles = nnc_profiles_of_one(asked.software);
    return advise(model, device, &profiles, &asked.plan, scratch, advice, max);
}

int nnc_advise_by_plan(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                       const nnc_plan *plan, nnc_scratch *scratch, nnc_advice *advice, int max) {
    nnc_plan full;
    if (model == NULL || device == NULL || profiles == NULL || scratch == NULL || advice == NULL ||
        nnc_plan_read(plan, &full, NULL) != NNC_OK) {
        return 0;
    }
    return advise(model, device, profiles, &full, scratch, advice, max);
}
