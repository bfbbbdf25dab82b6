/* Finds the largest micro-batch, sequence, LoRA rank or number of layers that fits on a device, and tries remedies:
 * options that save memory. The last part of the file searches the limits that the network sets: the largest degree,
 * and the smallest number of tokens, at which the network does not bound the step.
 *
 *     size -> memory of the plan with this size (no times) -> verdict; doubled until it does not fit, then bisected
 *
 * A plan fits if the upper end of the range of expected memory peaks is within the memory that a process can get; a
 * plan is tight if only the lower end is within this memory. Times are computed only for the plans that the output
 * shows. */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "fields/fields_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

typedef enum size_kind { SIZE_MICRO_BATCH, SIZE_SEQ_LEN, SIZE_RANK, SIZE_LAYERS } size_kind;

enum { SEQ_STEP = 64, SEQ_MAX = 1 << 24, BATCH_MAX = 1 << 24, RANK_MAX = 4096, LAYERS_MAX = 4096 };

typedef struct finder {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_profiles *profiles;
    nnc_scratch *scratch;
    const nnc_plan *base; /* plan as the user gave it; every other plan of the search is a change of this plan */
    nnc_model deeper;     /* copy of the model with another number of layers, to find the largest number of layers */
    nnc_variant variant;  /* the changed plan that is being estimated */
} finder;

static nnc_status estimate(finder *f, const nnc_model *model, const nnc_plan *plan, bool timed, nnc_result *r,
                           nnc_error *err) {
    nnc_variant *v = &f->variant;
    v->plan = plan;
    v->model = model;
    v->software = nnc_profile_of(f->profiles, model, f->device, plan);
    if (!nnc_variant_complete(v, f->profiles, f->base)) {
        return nnc_fail(err, NNC_BAD_SPEC, v->software->id, "recipes: expected fields of the profile");
    }
    return timed ? nnc_estimate_read(v->model, f->device, v->software, v->plan, f->scratch, r, err)
                 : nnc_estimate_memory(v->model, f->device, v->software, v->plan, f->scratch, r, err);
}

static const nnc_model *resize(finder *f, size_kind kind, int64_t size, nnc_plan *plan) {
    switch (kind) {
    case SIZE_MICRO_BATCH:
        plan->micro_batch = size;
        plan->global_batch = 0;
        break;
    case SIZE_SEQ_LEN: plan->seq_len = size * SEQ_STEP; break;
    case SIZE_RANK: plan->adapter_rank = (int32_t)size; break;
    case SIZE_LAYERS: f->deeper.decoder.layers = size; return &f->deeper;
    }
    return f->model;
}

/* Returns the largest size of the given kind with which the plan fits; if `tight` is true, the largest size with the
 * verdict fits or tight. 0 = the plan does not fit even with the smallest size. An illegal plan counts as a plan that
 * does not fit. */
static int64_t largest(finder *f, size_kind kind, const nnc_plan *base, bool tight) {
    static const int64_t limits[] = { BATCH_MAX, SEQ_MAX / SEQ_STEP, RANK_MAX, LAYERS_MAX };
    int64_t low = 0, high = 1, most = limits[kind];
    bool doubling = true;
    if (kind == SIZE_MICRO_BATCH && f->model->captured != NULL) {
        nnc_captured_batches(f->model->captured, &high, &most);
    }
    if (kind == SIZE_LAYERS) { high += f->model->decoder.dense_layers; }
    while (doubling ? high <= most : high - low > 1) {
        nnc_plan plan = *base;
        nnc_result r;
        const int64_t size = doubling ? high : low + (high - low) / 2;
        const nnc_model *model = resize(f, kind, size, &plan);
        const bool has_experts = kind != SIZE_LAYERS || size > f->model->decoder.dense_layers;
        const bool fits = has_experts && estimate(f, model, &plan, false, &r, NULL) == NNC_OK &&
                          (r.verdict == NNC_FITS || (tight && r.verdict == NNC_TIGHT));
        if (fits) {
            low = size;
            high = !doubling ? high : size < most && 2 * size > most ? most : 2 * size;
        } else {
            high = size;
            doubling = false;
        }
    }
    return low;
}

void nnc_fitting_micro_batches(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                               const nnc_plan *plan, nnc_scratch *scratch, int64_t *fits, int64_t *tight) {
    finder f = { model, device, profiles, scratch, plan, .deeper = *model };
    *fits = largest(&f, SIZE_MICRO_BATCH, plan, false);
    *tight = largest(&f, SIZE_MICRO_BATCH, plan, true);
}

/* ---- remedies: options that save memory ---- */

typedef struct option {
    /* options of the remedy as the output shows them; "--optimizer" without a value stands for the variant of the
     * optimizer with smaller states (nnc_optimizer_smaller) */
    const char *text;
    bool applies; /* true: the remedy is tried, because its options would change the plan */
} option;

/* Sets in a plan the options of a remedy. */
static void apply(const option *o, nnc_plan *plan) {
    char words[96], *rest = NULL;
    snprintf(words, sizeof words, "%s", o->text);
    for (char *name = strtok_r(words, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        const char *value = strtok_r(NULL, " ", &rest);
        if (value == NULL) {
            plan->optimizer = nnc_optimizer_smaller(plan->optimizer);
            continue;
        }
        (void)nnc_field_set(&nnc_plan_table, plan, name + 2, value, NULL);
        if (strcmp(name, "--data") == 0) {
            plan->devices = 0; /* 0 = the number of devices is computed as the product of the degrees */
        }
    }
}

static void add_remedy(finder *f, const option *o, const nnc_plan *base, const nnc_plan *resolved, nnc_fitting *fit) {
    nnc_plan plan = *base;
    nnc_result r;
    nnc_remedy *remedy = &fit->remedies[fit->remedy_count];
    plan.optimizer = resolved->optimizer;
    plan.recompute = resolved->recompute;
    apply(o, &plan);
    *remedy = (nnc_remedy){ .micro_batch = largest(f, SIZE_MICRO_BATCH, &plan, false) };
    if (remedy->micro_batch == 0) { return; }
    resize(f, SIZE_MICRO_BATCH, remedy->micro_batch, &plan);
    if (estimate(f, f->model, &plan, true, &r, NULL) != NNC_OK) { return; }
    remedy->samples_per_s = r.samples_per_s;
    if (fit->micro_batch > 0 && fit->micro_batch <= remedy->micro_batch) {
        plan.micro_batch = fit->micro_batch;
        if (estimate(f, f->model, &plan, true, &r, NULL) != NNC_OK) { return; }
    }
    remedy->total_bytes = r.memory.total_bytes;
    remedy->step_s = r.step_s;
    const bool renames = plan.optimizer != resolved->optimizer;
    snprintf(remedy->options, sizeof remedy->options, "%s%s%s", o->text, renames ? " " : "",
             renames ? nnc_optimizer_name(plan.optimizer) : "");
    fit->remedy_count++;
}

static void add_remedies(finder *f, const nnc_plan *base, const nnc_plan *p, nnc_fitting *fit) {
    const bool trains = !nnc_is_forward_pass(f->model, p);
    const bool stores_all = p->recompute == 0 && trains, has_adapters = p->adapter_rank > 0;
    const bool stores_scores = stores_all && p->attention == NNC_ATTENTION_UNFUSED;
    const bool offloads_none = p->offload == 0 && trains;
    const bool has_larger = nnc_optimizer_smaller(p->optimizer) != p->optimizer && !has_adapters && trains;
    const bool is_wide = trains && p->policy != NNC_POLICY_BF16_PURE && p->precision == NNC_BF16 && !has_adapters;
    const bool has_wide_frozen = (has_adapters || !trains) && p->frozen == NNC_FROZEN_16;
    const bool trains_all = !has_adapters && p->train == NNC_TRAIN_ALL && p->train_layers == 0;
    const bool is_alone = p->devices == 1, shares = p->data * p->context > 1, keeps = shares && p->zero < 3;
    const option options[] = {
        /* sorted by effect on the training: the remedies that change the training least come first */
        { "--recompute selective", stores_scores },
        { "--recompute full", stores_all },
        { "--optimizer", has_larger },
        { "--policy bf16-pure", is_wide },
        { "--frozen int8", has_wide_frozen },
        { "--frozen nf4", has_wide_frozen },
        { "--recompute full --frozen nf4", has_wide_frozen && stores_all },
        { "--lora 16", trains_all },
        { "--lora 16 --frozen nf4", trains_all },
        { "--recompute full --lora 16 --frozen nf4", trains_all && stores_all },
        { "--zero 1", trains && shares && p->zero == 0 },
        { "--zero 3", keeps },
        { "--zero 3 --recompute full", keeps && stores_all },
        { "--data 2 --zero 3", is_alone },
        { "--data 8 --zero 1", trains && is_alone },
        { "--data 8 --zero 3", is_alone },
        { "--data 8 --zero 3 --recompute full", is_alone && stores_all },
        { "--offload optimizer", offloads_none && !has_adapters },
        { "--offload optimizer,activations", offloads_none },
        { "--zero 3 --offload optimizer,activations", keeps && offloads_none },
    };
    _Static_assert((sizeof options / sizeof options[0]) <= NNC_REMEDIES_MAX, "more options than remedies");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].applies) { add_remedy(f, &options[i], base, p, fit); }
    }
}

nnc_status nnc_fitting_find(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                            const nnc_plan *plan, nnc_scratch *scratch, nnc_fitting *fit, nnc_error *err) {
    finder f = { model, device, profiles, scratch, .deeper = *model };
    nnc_plan read, shown;
    nnc_result now;
    NNC_TRY(nnc_plan_read(plan, &read, err));
    f.base = &read;
    NNC_TRY(estimate(&f, model, &read, false, &now, err));
    const nnc_plan *resolved = &now.plan;
    memset(fit, 0, sizeof *fit);
    if (model->captured != NULL) {
        int64_t least = 0;
        nnc_captured_batches(model->captured, &least, &fit->recorded_batch);
    }
    fit->micro_batch = largest(&f, SIZE_MICRO_BATCH, &read, false);
    fit->micro_batch_tight = largest(&f, SIZE_MICRO_BATCH, &read, true);
    if (resolved->seq_len > 0 && model->captured == NULL) {
        fit->seq_len = largest(&f, SIZE_SEQ_LEN, &read, false) * SEQ_STEP;
        if (now.verdict == NNC_FITS && fit->seq_len < resolved->seq_len) {
            /* the plan fits with its own sequence length; `largest` returned a smaller length, because it tries only
             * multiples of SEQ_STEP */
            fit->seq_len = resolved->seq_len;
        }
    }
    if (read.adapter_rank > 0) { fit->lora_rank = largest(&f, SIZE_RANK, &read, false); }
    if (model->family == NNC_FAMILY_DECODER && model->decoder.mixers_count == 0 && model->decoder.mlps_count == 0) {
        fit->layers = largest(&f, SIZE_LAYERS, &read, false);
    }
    add_remedies(&f, &read, resolved, fit);
    shown = read;
    if (fit->micro_batch > 0) { resize(&f, SIZE_MICRO_BATCH, fit->micro_batch, &shown); }
    NNC_TRY(estimate(&f, model, &shown, true, &fit->result, err));
    fit->margin_bytes = fit->result.memory.total_interval_bytes[1] - fit->result.memory.total_interval_bytes[0];
    return NNC_OK;
}

/* ---- limits: up to which degree, or down to how many tokens, the network does not bound the step ---- */

NNC_ENUM_TEXTS(nnc_limit, NNC_LIMIT_LIST)

enum { DEGREE_MAX = 4096, STEPS_MAX = 1 << 24 };

/* State of the search for a limit. A size is a number that the search tries. For the axes tensor and context, the size
 * is the degree. For the axes data and batch, a size n up to `parts` is one sequence shortened to n / parts of its
 * length; a larger n is n - parts + 1 whole sequences. */
typedef struct limit_search {
    finder f;
    const nnc_plan *base;
    nnc_limit_answer *answer;
    /* seq_len: tokens in one sequence of the plan, 0 for a model of images; parts: number of parts into which a
     * sequence is divided, 1 for a model of images */
    int64_t seq_len, parts;
    nnc_bound bound; /* resource that bounds the ideal step of the plan that was estimated last */
} limit_search;

static nnc_plan limit_plan(const limit_search *s, int64_t size) {
    nnc_plan plan = *s->base;
    switch (s->answer->of) {
    case NNC_LIMIT_TENSOR: plan.tensor = (int32_t)size; break;
    case NNC_LIMIT_CONTEXT: plan.context = (int32_t)size; break;
    default:
        plan.global_batch = 0;
        plan.micro_batch = size > s->parts ? size - s->parts + 1 : 1;
        if (size < s->parts) { plan.seq_len = size * (s->seq_len / s->parts); }
    }
    return plan;
}

/* Returns the number of tokens of one step divided by the number of devices; for models of images, the number of images
 * divided by the number of devices. */
static double per_device(const nnc_result *r) {
    return (double)(r->tokens > 0 ? r->tokens : r->plan.global_batch) / r->plan.devices;
}

/* Estimates the plan with the size `size` (see limit_search), writes the estimate to a->result, and adds a point to
 * a->points unless the array is full. Sets *past to true if the plan with the size `size` does not meet the condition
 * of the axis. */
static nnc_status try_size(limit_search *s, int64_t size, bool *past, nnc_error *err) {
    nnc_limit_answer *a = s->answer;
    const nnc_plan plan = limit_plan(s, size);
    nnc_plan ideal_plan = plan;
    nnc_result ideal, *r = &a->result;
    const bool degree = a->of == NNC_LIMIT_TENSOR || a->of == NNC_LIMIT_CONTEXT;
    ideal_plan.mode = NNC_MODE_IDEAL;
    NNC_TRY(estimate(&s->f, s->f.model, &ideal_plan, true, &ideal, err));
    NNC_TRY(estimate(&s->f, s->f.model, &plan, true, r, err));
    const nnc_limit_point point = { .size = degree ? (double)size : per_device(r),
                                    .micro_batch = r->plan.micro_batch,
                                    .seq_len = r->plan.seq_len,
                                    .compute_s = ideal.bound_s[NNC_BOUND_COMPUTE],
                                    .memory_s = ideal.bound_s[NNC_BOUND_MEMORY],
                                    .network_s = ideal.bound_s[NNC_BOUND_NETWORK],
                                    .step_s = r->step_s,
                                    .bound = ideal.bound,
                                    .verdict = r->verdict };
    s->bound = ideal.bound;
    *past = a->of == NNC_LIMIT_BATCH ? ideal.bound != NNC_BOUND_COMPUTE : ideal.bound == NNC_BOUND_NETWORK;
    if (a->count < NNC_LIMIT_POINTS_MAX) {
        int32_t at = a->count++;
        for (; at > 0 && a->points[at - 1].size > point.size; at--) { a->points[at] = a->points[at - 1]; }
        a->points[at] = point;
    }
    return NNC_OK;
}

/* Sets *size to the largest degree at which the network does not bound the step; 0 = no such degree. Tries every legal
 * degree. */
static nnc_status largest_degree(limit_search *s, int64_t *size, nnc_error *err) {
    nnc_limit_answer *a = s->answer;
    bool past = false, any = false;
    *size = 0;
    for (int64_t degree = 1; degree <= DEGREE_MAX; degree++) {
        nnc_error why;
        const nnc_status status = try_size(s, degree, &past, &why);
        if (status != NNC_OK && status != NNC_ILLEGAL_PLAN) {
            *err = why;
            return status;
        }
        any = any || status == NNC_OK;
        if (status == NNC_OK && !past) {
            *size = degree;
            a->stop = NULL;
        } else if (status == NNC_OK && a->stop == NULL) {
            a->stop = nnc_bound_name(s->bound);
        } else if (status != NNC_OK && degree == 2 * *size) {
            a->why = why;
        }
    }
    if (!any) { return try_size(s, 1, &past, err); }
    a->stop = a->stop == NULL ? "plan" : a->stop;
    return NNC_OK;
}

/* Finds the smallest size (see limit_search) that meets the condition of the axis: for the axis data, that the network
 * does not bound the step; for the axis batch, that compute bounds the step. Sets *size to the smallest size that meets
 * the condition; 0 = no size meets the condition. */
static nnc_status smallest_size(limit_search *s, int64_t *size, nnc_error *err) {
    int64_t low = 0, high = 1;
    bool past = true;
    while (past && high <= STEPS_MAX) {
        NNC_TRY(try_size(s, high, &past, err));
        if (past) {
            s->answer->stop = nnc_bound_name(s->bound);
            low = high;
            high *= 2;
        }
    }
    *size = past ? 0 : high;
    while (!past && *size - low > 1) {
        const int64_t middle = low + (*size - low) / 2;
        bool beyond = false;
        NNC_TRY(try_size(s, middle, &beyond, err));
        if (beyond) {
            s->answer->stop = nnc_bound_name(s->bound);
            low = middle;
        } else {
            *size = middle;
        }
    }
    return NNC_OK;
}

nnc_status nnc_limit_find(const nnc_model *model, const nnc_device *device, const nnc_profiles *profiles,
                          const nnc_plan *plan, nnc_limit of, nnc_scratch *scratch, nnc_limit_answer *answer,
                          nnc_error *err) {
    nnc_plan base, resolved;
    int64_t size = 0;
    bool past = false;
    NNC_TRY(nnc_plan_read(plan, &base, err));
    memset(answer, 0, sizeof *answer);
    answer->of = of;
    answer->limit = (double)NAN;
    limit_search s = { .f = { model, device, profiles, scratch, &base, .deeper = *model },
                       .base = &base,
                       .answer = answer };
    if (of == NNC_LIMIT_TENSOR || of == NNC_LIMIT_CONTEXT) {
        NNC_TRY(largest_degree(&s, &size, err));
    } else {
        NNC_TRY(nnc_plan_resolve_read(&base, model, device, &resolved, err));
        if (of == NNC_LIMIT_DATA && resolved.data * resolved.context == 1) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, "--data",
                            "a single data rank does not communicate, expected --data or --devices above 1");
        }
        const int64_t part = (int64_t)resolved.tensor * resolved.context * 2;
        s.seq_len = resolved.seq_len;
        s.parts = part == 2 ? resolved.seq_len : resolved.seq_len % part == 0 ? resolved.seq_len / part : 1;
        s.parts = resolved.seq_len == 0 ? 1 : s.parts;
        NNC_TRY(smallest_size(&s, &size, err));
    }
    if (size > 0) {
        const int32_t count = answer->count;
        /* this count marks the list of points as full: try_size estimates the plan of the limit again and writes the
         * estimate to answer->result, but does not add its point a second time */
        answer->count = NNC_LIMIT_POINTS_MAX;
        NNC_TRY(try_size(&s, size, &past, err));
        answer->count = count;
        answer->limit = of <= NNC_LIMIT_CONTEXT ? (double)size : per_device(&answer->result);
    }
    return NNC_OK;
}
