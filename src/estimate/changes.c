/* Tries changes of a plan that make its step faster or its memory smaller: one option at a time, then the best options
 * together. A kind of change is called a move.
 *
 *     plan as given + a move -> estimate -> samples per second, memory, cost
 *
 * The output lists a change as command-line options: the fields of the plan that differ from the given plan. The number
 * of devices stays the same. The global batch stays the same if another number of micro-batches allows this. Some
 * changes make the global batch larger: a larger micro-batch, or more micro-batches of a pipeline. Plans are compared
 * by samples per second, because their global batches can differ. */
#include "estimate/estimate_internal.h"
#include "fields/fields_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

typedef enum move {
    MOVE_COMPILE,
    MOVE_LAYOUT,
    MOVE_PRECISION,
    MOVE_ATTENTION,
    MOVE_PADDING,
    MOVE_MICRO_BATCH,
    MOVE_MICRO_BATCHES,
    MOVE_RECOMPUTE,
    MOVE_OPTIMIZER,
    MOVE_KERNELS,
    MOVE_ZERO,
    MOVE_FROZEN,
    /* MOVE_QUICK: if the caller asks for a quick search (`quick`), this move and all moves after it are not tried */
    MOVE_QUICK,
    MOVE_RESHARD = MOVE_QUICK,
    MOVE_SEQUENCE,
    MOVE_TENSOR,
    MOVE_PIPELINE,
    MOVE_VIRTUAL,
    MOVE_SMALLER,
    /* the moves from this value on train other weights than the given plan; these moves are never combined with other
     * moves, except QLoRA (find_together) */
    MOVE_TOGETHER,
    MOVE_LORA = MOVE_TOGETHER,
    MOVE_QLORA,
    MOVES
} move;

/* STEPS_MAX: largest number of strengths of a move. ROUNDS_MAX: largest number of rounds in `combine`. LORA_RANK:
 * adapter rank of the moves lora and qlora. PER_STAGE: micro-batches for each pipeline stage with which the bubble is
 * negligible (GPipe, arXiv:1811.06965, section 2.3). VOCAB_MULTIPLE: the move padding enlarges the vocabulary to a
 * multiple of this number, so that its products fill whole tiles of the matrix units. */
enum { STEPS_MAX = 10, ROUNDS_MAX = 8, LORA_RANK = 16, PER_STAGE = 4, VOCAB_MULTIPLE = 128 };

/* A change is listed only if the training gets faster by at least the fraction worth_faster, or the memory smaller by
 * at least the fraction worth_smaller. */
static const double worth_faster = 0.005, worth_smaller = 0.05;

/* A changed plan whose open fields are not yet filled in with defaults, and the profile and the model that the change
 * sets. */
typedef struct candidate {
    nnc_plan plan;
    const nnc_software *software; /* software profile that a move has set; NULL = the default profile for `plan` */
    bool padded;
} candidate;

typedef struct tuner {
    const nnc_plan_change_ask *ask;
    nnc_scratch *scratch;
    nnc_model padded; /* the model with a padded vocabulary, which padded_model() computes */
    nnc_result base;
    nnc_variant variant; /* the changed plan that is being estimated */
    bool shipped;        /* true: changed plans use only features that the framework of the software profile has */
    int tries;
} tuner;

static bool has_peak(const tuner *t, nnc_dtype precision) {
    return !isnan(nnc_device_matmul_peak(t->ask->device, precision));
}

/* Sets plan->micro_batches so that *plan keeps the global batch of the plan `now`, for the given micro-batch and number
 * of data ranks. If *plan states a global batch but no number of micro-batches, leaves *plan as it is, because the
 * number of micro-batches then follows from the global batch. Returns false if micro-batch x data ranks does not divide
 * the global batch. */
static bool keep_batch(const nnc_plan *now, int64_t micro_batch, int32_t data, nnc_plan *plan) {
    const int64_t product = micro_batch * data;
    if (now->global_batch % product != 0) { return false; }
    if (plan->global_batch == 0 || plan->micro_batches > 0) { plan->micro_batches = now->global_batch / product; }
    return true;
}

/* Sets one degree of parallelism, *asked (a field of *plan), to 2^(step - 1), and changes plan->data so that the number
 * of devices stays the same. most: largest value of the degree. degree: value of the degree in the plan `now`. Returns
 * false if 2^(step - 1) equals `degree`, is larger than `most`, or does not divide data ranks x degree of `now`. */
static bool split(const nnc_plan *now, int step, int32_t most, int32_t degree, int32_t *asked, nnc_plan *plan) {
    const int32_t to = 1 << (step - 1), all = now->data * degree;
    if (to == degree || to > most || all % to != 0) { return false; }
    *asked = to;
    plan->data = plan->data > 0 ? all / to : 0;
    return keep_batch(now, now->micro_batch, all / to, plan);
}

/* Multiplies the micro-batch by 2^step. base: the plan of the user. If the number of micro-batches of `now` is a
 * multiple of 2^step, divides it by 2^step, so that the global batch stays the same. Otherwise the global batch grows,
 * and the plan has one micro-batch; but if the number of micro-batches of `base` is even, returns false instead,
 * because a smaller factor on the micro-batch keeps the global batch. */
static bool grow_batch(const nnc_plan *base, const nnc_plan *now, int step, nnc_plan *plan) {
    const int64_t micro_batch = now->micro_batch << step;
    plan->micro_batch = micro_batch;
    if (now->micro_batches % (1 << step) == 0) { return keep_batch(now, micro_batch, now->data, plan); }
    if (base->micro_batches % 2 == 0) { return false; }
    plan->global_batch = plan->global_batch > 0 ? micro_batch * now->data : 0;
    plan->micro_batches = plan->micro_batches > 0 ? 1 : 0;
    return true;
}

/* Multiplies the number of micro-batches of a pipeline by 2^step, up to PER_STAGE for each stage. base: the plan of the
 * user; returns false if base states a batch. */
static bool fill_pipeline(const nnc_plan *base, const nnc_plan *now, int step, nnc_plan *plan) {
    const int64_t most = (int64_t)PER_STAGE * now->pipeline, before = now->micro_batches << (step - 1);
    plan->micro_batches = 2 * before < most ? 2 * before : most;
    return now->pipeline > 1 && before < most && base->micro_batches == 0 && base->global_batch == 0;
}

static bool set_precision(const tuner *t, const nnc_plan *now, int step, nnc_plan *plan) {
    static const nnc_dtype faster[] = { NNC_TF32, NNC_BF16, NNC_FP16, NNC_FP8 };
    const nnc_dtype to = faster[step - 1], from = now->precision;
    const bool single = from == NNC_FP32 || from == NNC_TF32;
    const bool half = from == NNC_BF16 || from == NNC_FP16;
    plan->precision = to;
    /* true: the model is a captured program, for which estimates in 16-bit formats exist only with autocast (the policy
     * amp) */
    const bool captured = t->ask->model->captured != NULL;
    if (single && to != NNC_TF32 && (captured || plan->policy == NNC_POLICY_FP32)) {
        plan->policy = captured ? NNC_POLICY_AMP : NNC_POLICY_MIXED;
    }
    return has_peak(t, to) && (to == NNC_TF32   ? from == NNC_FP32
                               : to == NNC_FP8  ? half
                               : to == NNC_FP16 ? single && !has_peak(t, NNC_BF16)
                                                : single);
}

/* Applies the move `what` with strength `step` (from 1) to the candidate *c. now: the plan of the candidate before the
 * move, with all defaults filled in. Returns false if the move is not possible or leaves the candidate as it was. */
static bool apply(const tuner *t, move what, int step, const nnc_plan *now, candidate *c) {
    static const unsigned recomputes[] = { NNC_RECOMPUTE_NONE, NNC_RECOMPUTE_ATTENTION,
                                           NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION, NNC_RECOMPUTE_FULL };
    nnc_plan *plan = &c->plan;
    const bool splits = nnc_family_of(t->ask->model)->split != NULL;
    const bool all = nnc_plan_trains_all(now);
    switch (what) {
    case MOVE_COMPILE:
    case MOVE_LAYOUT:
        c->software = t->ask->others[what == MOVE_LAYOUT ? 1 : 0];
        return step == 1 && c->software != NULL;
    case MOVE_PRECISION: return step <= 4 && set_precision(t, now, step, plan);
    case MOVE_ATTENTION:
        plan->attention = NNC_ATTENTION_FLASH;
        return step == 1 && now->attention == NNC_ATTENTION_UNFUSED;
    case MOVE_PADDING:
        c->padded = true;
        return step == 1 &&
               ((t->ask->model->family == NNC_FAMILY_DECODER && t->ask->model->decoder.vocab_multiple == 1 &&
                 t->ask->model->decoder.vocab % VOCAB_MULTIPLE != 0) ||
                nnc_captured_vocab(t->ask->model) % VOCAB_MULTIPLE != 0);
    case MOVE_MICRO_BATCH: return now->micro_batch < INT32_MAX && grow_batch(&t->base.plan, now, step, plan);
    case MOVE_MICRO_BATCHES: return fill_pipeline(t->ask->plan, now, step, plan);
    case MOVE_RECOMPUTE:
        if (step > 4 || recomputes[step - 1] == now->recompute) { return false; }
        plan->recompute = recomputes[step - 1];
        plan->recompute_layers = 0;
        return true;
    case MOVE_OPTIMIZER:
        plan->optimizer = nnc_optimizer_smaller(now->optimizer);
        return step == 1 && plan->optimizer != now->optimizer;
    case MOVE_KERNELS:
        plan->optimizer_kernels = NNC_KERNELS_FUSED;
        return step == 1 &&
               (now->optimizer_kernels == NNC_KERNELS_FOREACH || now->optimizer_kernels == NNC_KERNELS_LOOP);
    case MOVE_ZERO: plan->zero = step - 1; return step <= 4 && plan->zero != now->zero && now->data * now->context > 1;
    case MOVE_FROZEN:
        plan->frozen = NNC_FROZEN_NF4;
        return step == 1 && now->adapter_rank > 0 && now->frozen == NNC_FROZEN_16;
    case MOVE_RESHARD: plan->reshard = false; return step == 1 && now->zero == 3 && now->reshard;
    case MOVE_SEQUENCE: plan->sequence_parallel = true; return step == 1 && now->tensor > 1 && !now->sequence_parallel;
    case MOVE_TENSOR: return splits && split(now, step, now->devices_per_node, now->tensor, &plan->tensor, plan);
    case MOVE_PIPELINE: return splits && split(now, step, now->devices, now->pipeline, &plan->pipeline, plan);
    case MOVE_VIRTUAL: plan->virtual_stages = step; return now->pipeline > 1 && step != now->virtual_stages;
    case MOVE_SMALLER:
        plan->micro_batch = now->micro_batch >> step;
        return now->micro_batch % (1 << step) == 0 && keep_batch(now, plan->micro_batch, now->data, plan);
    default:
        plan->adapter_rank = LORA_RANK;
        plan->frozen = what == MOVE_QLORA ? NNC_FROZEN_NF4 : plan->frozen;
        return step == 1 && all;
    }
}

static const nnc_software *software_of(const tuner *t, const candidate *c) {
    return c->software != NULL ? c->software
                               : nnc_profile_of(t->ask->profiles, t->ask->model, t->ask->device, &c->plan);
}

/* Writes to `text` the command-line options that turn the given plan into the plan of the candidate: options for the
 * fields that differ, for the padded vocabulary, and for the software profile. */
static void write_options(const tuner *t, const candidate *c, char *text, size_t size) {
    char from[64], to[64], name[NNC_OPTION_NAME];
    text[0] = '\0';
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        const nnc_field *field = &nnc_plan_table.fields[i];
        if (field->count_offset == 0 && nnc_same_bytes((const char *)t->ask->plan + field->offset,
                                                       (const char *)&c->plan + field->offset, field->size)) {
            continue;
        }
        nnc_field_text(field, t->ask->plan, from, sizeof from);
        nnc_field_text(field, &c->plan, to, sizeof to);
        if (strcmp(from, to) == 0) { continue; }
        const char *option = nnc_option_name(strcmp(field->name, "adapter_rank") == 0 ? "lora" : field->name, name);
        const char *off = strcmp(to, "off") == 0 ? "=off" : "";
        const bool is_switch = field->type == NNC_FIELD_BOOL;
        nnc_text_append(text, size, " ", "%s%s%s", option, is_switch ? off : " ", is_switch ? "" : to);
    }
    if (c->padded) { nnc_text_append(text, size, " ", "--set vocab_multiple=%d", VOCAB_MULTIPLE); }
    /* The change can also select another default profile; the options then name this profile, because a part of the
     * effect comes from the profile. */
    const candidate base = { .plan = *t->ask->plan };
    const char *software = software_of(t, c)->id;
    if (strcmp(software, software_of(t, &base)->id) != 0) {
        nnc_text_append(text, size, " ", "--software %s", software);
    }
}

/* Returns a copy of the model whose vocabulary is a multiple of VOCAB_MULTIPLE. */
static const nnc_model *padded_model(tuner *t) {
    t->padded = *t->ask->model;
    t->padded.decoder.vocab_multiple = VOCAB_MULTIPLE;
    return &t->padded;
}

static bool estimate(tuner *t, const candidate *c, nnc_result *r) {
    nnc_variant *v = &t->variant;
    v->plan = &c->plan;
    v->model = c->padded ? padded_model(t) : t->ask->model;
    v->software = software_of(t, c);
    t->tries++;
    return (c->software != NULL || nnc_variant_complete(v, t->ask->profiles, t->ask->plan)) &&
           (!t->shipped || nnc_software_ships(v->software, v->plan, NULL)) &&
           nnc_estimate_read(v->model, t->ask->device, v->software, v->plan, t->scratch, r, NULL) == NNC_OK;
}

/* Tests whether the plan of result a is better than the plan of result b. A plan that fits is better than a plan that
 * does not. If both plans fit, plan a is better if it is faster by the share worth_faster. If neither plan fits, plan a
 * is better if it needs less memory by the share worth_smaller. */
static bool better(const nnc_result *a, const nnc_result *b) {
    if ((a->verdict == NNC_OVER_MEMORY) != (b->verdict == NNC_OVER_MEMORY)) { return b->verdict == NNC_OVER_MEMORY; }
    return a->verdict == NNC_OVER_MEMORY
               ? (double)a->memory.total_bytes < (1.0 - worth_smaller) * (double)b->memory.total_bytes
               : a->samples_per_s > (1.0 + worth_faster) * b->samples_per_s;
}

/* Applies the move `what` with each strength from 1 to `most` to the candidate *from, and writes the candidate with the
 * best plan (see `better`) to *to and its estimate to *r. now: the plan of *from with all defaults filled in. Returns
 * false if the move is not possible with any strength. */
static bool best_step(tuner *t, move what, const candidate *from, const nnc_plan *now, int most, candidate *to,
                      nnc_result *r) {
    bool any = false;
    for (int step = 1; step <= most; step++) {
        candidate next = *from;
        nnc_result found;
        if (!apply(t, what, step, now, &next) || !estimate(t, &next, &found)) { continue; }
        if (!any || better(&found, r)) {
            *to = next;
            *r = found;
            any = true;
        } else if (what == MOVE_MICRO_BATCH || what == MOVE_MICRO_BATCHES) {
            /* the doubled batch is not better than the batch before, so still larger batches are not tried */
            break;
        }
    }
    return any;
}

static void keep(const tuner *t, const candidate *c, const nnc_result *r, bool adapters, nnc_plan_change *change) {
    *change = (nnc_plan_change){ .step_s = r->step_s,
                                 .samples_per_s = r->samples_per_s,
                                 .gain = r->samples_per_s / t->base.samples_per_s,
                                 .cost_step = r->cost_step,
                                 .total_bytes = r->memory.total_bytes,
                                 .global_batch = r->plan.global_batch,
                                 .seq_len = r->plan.seq_len,
                                 .verdict = r->verdict,
                                 .adapters = adapters };
    write_options(t, c, change->options, sizeof change->options);
}

/* Tests whether a changed plan, whose estimate is *r, is worth listing. The changed plan has to fit in memory. If the
 * given plan fits in memory too, the changed plan also has to give more samples per second by the share worth_faster,
 * or to need less memory by the share worth_smaller. */
static bool is_worth(const tuner *t, const nnc_result *r) {
    const bool over = t->base.verdict == NNC_OVER_MEMORY;
    return r->verdict != NNC_OVER_MEMORY &&
           (over || r->samples_per_s > (1.0 + worth_faster) * t->base.samples_per_s ||
            (double)r->memory.total_bytes < (1.0 - worth_smaller) * (double)t->base.memory.total_bytes);
}

/* Applies moves to the candidate *best as long as a move makes its plan better, in at most ROUNDS_MAX rounds over all
 * moves. The moves from MOVE_TOGETHER on and the move optimizer are not tried. *reached is the estimate of *best, on
 * entry and on return. */
static void combine(tuner *t, candidate *best, nnc_result *reached) {
    int rounds = 0;
    for (bool helps = true; helps && rounds < ROUNDS_MAX; rounds += helps ? 1 : 0) {
        const candidate from = *best;
        const nnc_plan now = reached->plan;
        helps = false;
        for (move what = 0; what < MOVE_TOGETHER; what++) {
            candidate to;
            nnc_result r;
            if (what != MOVE_OPTIMIZER && best_step(t, what, &from, &now, STEPS_MAX, &to, &r) && better(&r, reached)) {
                *best = to;
                *reached = r;
                helps = true;
            }
        }
    }
}

/* Sets found->together to the best combination of moves if is_worth accepts this combination. Otherwise tries QLoRA
 * with other moves, and sets found->together to the best combination with QLoRA if is_worth accepts that combination.
 * If is_worth accepts no combination, found->together keeps its value. */
static void find_together(tuner *t, nnc_plan_changes *found) {
    candidate best = { .plan = *t->ask->plan }, qlora;
    nnc_result reached = t->base;
    combine(t, &best, &reached);
    if (is_worth(t, &reached)) {
        keep(t, &best, &reached, false, &found->together);
        return;
    }
    best = (candidate){ .plan = *t->ask->plan };
    if (best_step(t, MOVE_QLORA, &best, &t->base.plan, 1, &qlora, &reached)) {
        combine(t, &qlora, &reached);
        if (is_worth(t, &reached)) { keep(t, &qlora, &reached, true, &found->together); }
    }
}

/* Tests whether change a comes before change b in the list of changes: change a gives more samples per second, or it
 * gives as many samples per second and has the smaller `place`. */
static bool precedes(const nnc_plan_change *a, const nnc_plan_change *b) {
    return a->samples_per_s > b->samples_per_s || (!(a->samples_per_s < b->samples_per_s) && a->place < b->place);
}

/* Inserts the change *one into the list `changes` of `count` changes. The list is sorted by samples per second, the
 * fastest plan first. */
static void insert(nnc_plan_change *changes, int count, const nnc_plan_change *one) {
    int place = count;
    while (place > 0 && precedes(one, &changes[place - 1])) {
        changes[place] = changes[place - 1];
        place--;
    }
    changes[place] = *one;
}

/* Returns true if a quick search (`quick`) can leave out a move, because the move can only make the step longer.
 * Recomputation, for a plan that fits without recomputation, is the only move that a quick search leaves out because it
 * can only make the step longer. With a pipeline, recomputation is tried in any case, because the longer passes can let
 * the schedule of a pipeline end earlier. */
static bool only_slows(const tuner *t, move what) {
    const nnc_plan *now = &t->base.plan;
    return t->ask->quick && t->base.verdict != NNC_OVER_MEMORY && what == MOVE_RECOMPUTE &&
           now->recompute == NNC_RECOMPUTE_NONE && now->pipeline == 1;
}

/* Tries a move alone at its best strength, and adds the change to the list if it is worth listing. */
static void try_move(tuner *t, move what, nnc_plan_changes *found) {
    const candidate base = { .plan = *t->ask->plan };
    candidate to;
    nnc_result r;
    nnc_plan_change one;
    if (!only_slows(t, what) && best_step(t, what, &base, &t->base.plan, STEPS_MAX, &to, &r) && is_worth(t, &r)) {
        keep(t, &to, &r, what >= MOVE_TOGETHER, &one);
        one.place = what == MOVE_PADDING ? MOVES : (int)what;
        insert(found->list, found->count++, &one);
    }
}

/* Begins a search for changes: writes the estimate of the given plan to t->base, and sets t->shipped. Returns false if
 * the given plan cannot be estimated. */
static bool begin(tuner *t) {
    const candidate base = { .plan = *t->ask->plan };
    if (t->ask->base != NULL) {
        t->base = *t->ask->base;
        t->tries = 1;
    } else if (!estimate(t, &base, &t->base)) {
        return false;
    }
    t->shipped = !t->ask->profiles->any && nnc_software_ships(software_of(t, &base), &base.plan, NULL);
    return true;
}

int nnc_plan_changes_find(const nnc_plan_change_ask *ask, nnc_scratch *scratch, nnc_plan_changes *found) {
    /* `t` is not initialised as a whole, because its models and results are large, and the search writes them before it
     * reads them */
    tuner t;
    t.ask = ask;
    t.scratch = scratch;
    t.tries = 0;
    t.shipped = false;
    found->count = 0; /* the list is not cleared, because only `count` entries are read */
    found->together = (nnc_plan_change){ .options = "" };
    const bool brief = scratch->brief;
    scratch->brief = true;
    if (begin(&t)) {
        scratch->fits_only = scratch->workless = true;
        const move most = ask->quick ? MOVE_QUICK : MOVES;
        /* The moves from optimizer to zero do not change the op list, so they come first: `scratch` then still has the
         * op list of the given plan. */
        for (move what = MOVE_OPTIMIZER; what <= MOVE_ZERO; what++) { try_move(&t, what, found); }
        for (move what = 0; what < most; what++) {
            if (what != MOVE_PADDING && (what < MOVE_OPTIMIZER || what > MOVE_ZERO)) { try_move(&t, what, found); }
        }
        try_move(&t, MOVE_PADDING, found); /* padding comes last: it changes the model, so later estimates could not use
                                            * cached results */
        if (!ask->quick) { find_together(&t, found); }
    }
    scratch->brief = brief;
    scratch->fits_only = scratch->workless = false;
    found->tries = t.tries;
    return found->count;
}
