#include "base/base_internal.h"
#include "serve/serve_internal.h"

typedef struct searching {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    const nnc_serve_search *search;
    nnc_serve_net net;
    nnc_serve_search_result *result;
    nnc_scratch *scratch;
    nnc_status last; /* error status of the last tried deployment that is not legal */
    bool out_of_memory;
    nnc_error *err;
} searching;

static double figure(const nnc_serve *s, const nnc_serve_limit *limit) {
    double value = 0.0;
    memcpy(&value, (const char *)s + limit->offset, sizeof value);
    return value;
}

static bool holds(const nnc_serve *s, const nnc_serve_limit *limit) {
    const double value = figure(s, limit);
    return limit->at_least ? value >= limit->value : value <= limit->value;
}

/* Returns the factor by which the metric of a broken limit is worse than the limit; the factor is at least 1. */
static double miss(const nnc_serve *s, const nnc_serve_limit *limit) {
    const double value = figure(s, limit);
    return limit->at_least ? limit->value / value : value / limit->value;
}

/* Returns the index of the first limit that a deployment breaks; -1 = the deployment meets all limits. */
static int32_t broken(const searching *of, const nnc_serve *s) {
    for (int32_t i = 0; i < of->search->limit_count; i++) {
        if (!holds(s, &of->search->limits[i])) { return i; }
    }
    return -1;
}

static nnc_serve_found found_of(const nnc_serve *s) {
    return (nnc_serve_found){ .plan = s->plan,
                              .ttft_s = s->ttft_s,
                              .tpot_s = s->tpot_s,
                              .request_s = s->request_s,
                              .output_tokens_per_s = s->output_tokens_per_s,
                              .output_tokens_per_s_per_device = s->output_tokens_per_s_per_device,
                              .tokens_per_s_per_user = s->tokens_per_s_per_user,
                              .per_million_output_tokens = s->per_million_output_tokens,
                              .headroom_bytes = s->headroom_bytes,
                              .bound = s->decode.bound,
                              .broken = -1 };
}

/* Tests whether deployment `a` is at least as good as deployment `b` in two metrics: output tokens per second and
 * device, and tokens per second and user. */
static bool covers(const nnc_serve_found *a, const nnc_serve_found *b) {
    return a->output_tokens_per_s_per_device >= b->output_tokens_per_s_per_device &&
           a->tokens_per_s_per_user >= b->tokens_per_s_per_user;
}

static void add_to_front(nnc_serve_search_result *r, const nnc_serve_found *found) {
    int32_t kept = 0, place = 0;
    for (int32_t i = 0; i < r->front_count; i++) {
        if (covers(&r->front[i], found)) { return; }
    }
    for (int32_t i = 0; i < r->front_count; i++) {
        if (!covers(found, &r->front[i])) { r->front[kept++] = r->front[i]; }
    }
    r->front_count = kept;
    if (kept == NNC_SERVE_FRONT) {
        r->front_left_out++;
        return;
    }
    while (place < kept && r->front[place].tokens_per_s_per_user < found->tokens_per_s_per_user) { place++; }
    memmove(&r->front[place + 1], &r->front[place], sizeof *found * (size_t)(kept - place));
    r->front[place] = *found;
    r->front_count = kept + 1;
}

static void note_miss(searching *of, const nnc_serve *s, int32_t limit) {
    nnc_serve_search_result *r = of->result;
    const double far = miss(s, &of->search->limits[limit]);
    const bool nearer = r->nearest_limit < 0 || far < r->nearest_value;
    if (nearer) {
        r->nearest = found_of(s);
        r->nearest_limit = limit;
        r->nearest_value = far;
    }
}

/* Records a deployment that meets all limits. Returns true if the deployment is the cheapest of the deployments
 * recorded so far. */
static bool note_found(searching *of, const nnc_serve_found *found) {
    nnc_serve_search_result *r = of->result;
    const bool cheaper =
        !r->found || found->output_tokens_per_s_per_device > r->cheapest.output_tokens_per_s_per_device;
    if (cheaper) { r->cheapest = *found; }
    if (!r->found || found->tpot_s < 0.99 * r->fastest.tpot_s) { /* a deployment replaces the fastest one only if it is
                                                                  * more than 1 % faster */
        r->fastest = *found;
    }
    r->found = true;
    r->meeting++;
    add_to_front(r, found);
    return cheaper;
}

/* Returns the number of concurrent requests that is tried after `requests`; the numbers are 1, 2, 3, 4, 6, 8, 12 ... */
static double next_requests(double requests) {
    const double half = floor(requests * 4.0 / 3.0 + 0.5), power = exp2(floor(log2(requests)));
    return requests < 3.0                               ? requests + 1.0
           : half == power * 2.0 || half == power * 1.5 ? half
                                                        : power * (requests >= power * 1.5 ? 2.0 : 1.5);
}

typedef struct deployment {
    nnc_serve_case of;
    nnc_serve s;
    double most; /* largest number of concurrent requests per replica that the search tries */
} deployment;

static void answer(searching *of, deployment *d) {
    d->of.work = nnc_serve_work_of(of->scratch, nnc_serve_requests_of(&d->s.plan));
    if (d->of.work == NULL) {
        of->out_of_memory = true;
        return;
    }
    nnc_serve_load(&d->of, &d->s, NULL, NULL);
    nnc_serve_fit(&d->of, &d->s, NULL);
    nnc_serve_cost(&d->of, of->device, &d->s, NULL);
    of->result->evaluated++;
}

/* Computes a deployment under one load. Records the deployment if it fits in memory, is not saturated and meets the
 * limits. */
static void try_load(searching *of, deployment *d) {
    answer(of, d);
    if (!d->s.fits) { return; }
    of->result->fitting++;
    if (d->s.saturated) {
        of->result->saturation_rate = nnc_max(of->result->saturation_rate, d->s.saturation_rate);
        return;
    }
    const int32_t limit = broken(of, &d->s);
    if (limit >= 0) {
        note_miss(of, &d->s, limit);
        return;
    }
    const nnc_serve_found found = found_of(&d->s);
    (void)note_found(of, &found);
}

/* Computes a deployment with 1, 2, 3, 4, 6, 8 ... concurrent requests per replica, up to the largest number that memory
 * and engine allow, and records the numbers of requests with which it meets all limits. */
static void try_requests(searching *of, deployment *d) {
    bool cheapest = false, before = false;
    for (double requests = 1.0; requests <= d->most;) {
        d->s.plan.concurrency = (int64_t)(requests * d->s.plan.data);
        answer(of, d);
        of->result->fitting++;
        const int32_t limit = broken(of, &d->s);
        if (limit < 0) {
            const nnc_serve_found found = found_of(&d->s);
            cheapest = note_found(of, &found);
            before = true;
        } else {
            note_miss(of, &d->s, limit);
            /* this number of requests is the smallest with which the cheapest deployment breaks a limit, so the limit
             * and the number are stored */
            if (cheapest && before) {
                of->result->cheapest.broken = limit;
                of->result->cheapest.broken_requests = (double)d->s.plan.concurrency;
                of->result->cheapest.broken_value = figure(&d->s, &of->search->limits[limit]);
            }
            before = false;
        }
        const double next = next_requests(requests);
        requests = requests < d->most && next > d->most ? d->most : next;
    }
}

static void try_deployment(searching *of, const nnc_serve_ask *ask) {
    deployment d = { .of = { .net = &of->net,
                             .engine = &of->software->serving,
                             .network_bytes_per_s = of->device->scale_out.bytes_per_s } };
    nnc_error *err = of->result->deployments == 0 ? of->err : NULL;
    d.s = (nnc_serve){ .struct_size = sizeof d.s };
    d.of.plan = &d.s.plan;
    nnc_status status = nnc_serve_resolve(ask, of->model, of->device, of->software, &d.s.plan, &d.s.mode, err);
    status = status == NNC_OK ? nnc_serve_rates_of(of->device, of->software, &d.s.plan, &d.of.rates, err) : status;
    if (status != NNC_OK) {
        of->last = status;
        return;
    }
    of->result->deployments++;
    nnc_serve_memory(&d.of, of->device, &d.s, NULL);
    if (d.s.mode != NNC_SERVE_STATIC || ask->batch > 0) {
        try_load(of, &d);
        return;
    }
    d.s.plan.batch = 0;
    d.s.mode = NNC_SERVE_CLOSED;
    const double slots = (double)d.s.plan.max_batch * d.s.plan.attention_data;
    d.most = nnc_min(d.s.max_sequences / d.s.plan.data, slots);
    try_requests(of, &d);
}

/* Lists the values of a degree to try: only the degree that the user gave, or 1, 2, 4 ... up to `most`. */
static int32_t degrees(int32_t asked, int32_t most, int32_t list[32]) {
    int32_t count = 0;
    if (asked > 1 || most <= 1) {
        list[count++] = asked > 0 ? asked : 1;
        return count;
    }
    for (int32_t degree = 1; degree <= most && count < 32; degree *= 2) { list[count++] = degree; }
    return count;
}

static void try_degrees(searching *of, const nnc_serve_ask *ask, int32_t devices) {
    int32_t tensors[32], stages[32], groups[32];
    const bool experts = of->net.experts > 0.0;
    const int32_t group_most = experts ? devices : 1;
    const int32_t tensor_count = degrees(ask->tensor, devices, tensors);
    const int32_t stage_count = degrees(ask->pipeline, devices, stages);
    const int32_t group_count = degrees(ask->attention_data, group_most, groups);
    for (int32_t i = 0; i < tensor_count * stage_count * group_count; i++) {
        nnc_serve_ask one = *ask;
        one.devices = devices;
        one.tensor = tensors[i % tensor_count];
        one.pipeline = stages[i / tensor_count % stage_count];
        one.attention_data = groups[i / tensor_count / stage_count];
        const int64_t replica = (int64_t)one.tensor * one.pipeline * one.attention_data;
        if (replica > devices || devices % replica != 0 || (ask->data > 0 && devices / replica != ask->data)) {
            continue;
        }
        one.data = (int32_t)(devices / replica);
        try_deployment(of, &one);
        if (experts && ask->expert == 1 && one.tensor * one.attention_data > 1) {
            one.expert = one.tensor * one.attention_data; /* expert parallelism over all ranks: every rank holds whole
                                                           * experts */
            try_deployment(of, &one);
        }
    }
}

nnc_status nnc_serve_search_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                               const nnc_serve_ask *ask, const nnc_serve_search *search, nnc_scratch *scratch,
                               nnc_serve_search_result *result, nnc_error *err) {
    searching of = { .model = model,
                     .device = device,
                     .software = software,
                     .search = search,
                     .result = result,
                     .scratch = scratch,
                     .last = NNC_OK,
                     .err = err };
    int32_t counts[32];
    NNC_TRY(nnc_serve_ask_check(ask, err));
    NNC_TRY(nnc_serve_net_of(model, software, scratch, &of.net, err));
    memset(result, 0, sizeof *result);
    result->nearest_limit = -1;
    const int32_t count =
        degrees(ask->devices > 0 ? ask->devices : 0, ask->devices > 0 ? 1 : search->devices_most, counts);
    for (int32_t i = 0; i < count; i++) { try_degrees(&of, ask, counts[i]); }
    if (of.out_of_memory) { return nnc_no_memory(err); }
    return result->deployments > 0 ? NNC_OK : of.last;
}
