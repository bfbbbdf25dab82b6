/* One step: its ops on one device, by the roofline, and what they add up to.   [serve-step] */
#include <math.h>

#include "serve/serve.h"

#define EXPERT_COMPUTE \
    0.7 /* rate of products of many experts over one of all rows; docs/serving.md */

double nnc_serve_experts_touched(double experts, double chosen, double tokens)
{
    return experts * (1.0 - pow(1.0 - chosen / experts, tokens));
}

double nnc_serve_all_reduce_s(double ranks, double bytes, double link_bytes_per_s, double fixed_s,
                              double second_s, double one_shot_fraction, double two_shot_fraction)
{
    const double one = fixed_s + (ranks - 1.0) * bytes / (one_shot_fraction * link_bytes_per_s);
    const double two = fixed_s + second_s +
                       2.0 * (ranks - 1.0) / ranks * bytes / (two_shot_fraction * link_bytes_per_s);
    return ranks > 1.0 ? nnc_min(one, two) : 0.0;
}

/* ---- ops ---- */

/* A step in the making. */
typedef struct making {
    const nnc_serve_case *of;
    const char *phase;
    bool decode, verify;  /* verify: the head sees every token of a step */
    double sequences;     /* of one attention group */
    double cached, fresh; /* tokens of each sequence, before and in this step */
    double passes;        /* over the weights */
    double prompts, prompt_cached, prompt_tokens; /* that ride in a decode step */
    double bound_compute_s;
    double memory_s, compute_s, fixed_s; /* by what bounds the ops */
    nnc_serve_step step;
    nnc_serve_list *list;
} making;

/* Where both matter, as with some hundred rows, kernels hide them behind each other in part alone: between
 * the larger of the two and their sum. */
static double overlapped(double compute_s, double memory_s)
{
    const double sum = compute_s * sqrt(compute_s) + memory_s * sqrt(memory_s);
    return nnc_max(cbrt(sum * sum), nnc_max(compute_s, memory_s)); /* (c^1.5 + m^1.5)^(2/3) */
}

/* Adds one op: `count` kernels of so much work in all. Returns its seconds. */
static double add_op(making *m, const char *name, double count, double rows, double flops,
                     double weight_bytes, double kv_bytes, double compute_s, double memory_s,
                     double fixed_s)
{
    const double larger =
        weight_bytes > 0.0 ? overlapped(compute_s, memory_s) : nnc_max(compute_s, memory_s);
    const double time_s = larger + fixed_s;
    const nnc_bound bound = fixed_s > larger        ? NNC_BOUND_HOST
                            : compute_s >= memory_s ? NNC_BOUND_COMPUTE
                                                    : NNC_BOUND_MEMORY;
    m->step.flops += flops;
    m->step.weight_bytes += weight_bytes;
    m->step.kv_bytes += kv_bytes;
    m->fixed_s += fixed_s;
    *(compute_s >= memory_s ? &m->compute_s : &m->memory_s) += larger;
    if (m->list != NULL && m->list->count < NNC_SERVE_OPS_MAX) {
        m->list->ops[m->list->count++] = (nnc_serve_op){ .name = name,
                                                         .phase = m->phase,
                                                         .count = count,
                                                         .rows = rows,
                                                         .flops = flops,
                                                         .weight_bytes = weight_bytes,
                                                         .kv_bytes = kv_bytes,
                                                         .time_s = time_s,
                                                         .bound = bound };
    }
    return time_s;
}

/* What a product takes whatever its size: its kernel, and of the second product of experts what the engine
 * adds to each layer of them. */
static double product_fixed_s(const making *m, const nnc_serve_product *p, bool plain)
{
    const nnc_serve_rates *r = &m->of->rates;
    const double kernel = m->decode ? r->kernel_s : r->prefill_kernel_s;
    const bool ends = p->split == NNC_SPLIT_EXPERT_ROW && r->weight_only;
    return (plain ? kernel : nnc_max(kernel, r->product_s)) +
           (ends ? m->of->engine->expert_s[m->of->plan->weights] : 0.0);
}

/* A product of all tokens of the step, or of those of all groups where they share experts. */
static void add_product(making *m, const nnc_serve_product *p)
{
    const nnc_serve_case *of = m->of;
    const nnc_serve_rates *r = &of->rates;
    const double groups = p->experts > 0.0 ? of->plan->attention_data : 1.0;
    const double prompts = p->last ? m->prompts : m->prompts * m->prompt_tokens;
    const double rows =
        groups * (m->sequences * (p->last && !m->verify ? 1.0 : m->fresh) + prompts);
    const bool plain = nnc_serve_is_plain(of, p);
    const double share = nnc_serve_share(of, p);
    const double busy = p->experts > 0.0 && of->plan->expert > 1 ? of->plan->imbalance : 1.0;
    const double used = p->experts > 0.0 ? p->chosen : 1.0;
    const double passes = p->last ? 1.0 : m->passes;
    const double read =
        p->experts > 0.0
            ? nnc_min(nnc_serve_experts_touched(p->experts, p->chosen, rows / passes) * busy,
                      p->experts)
            : 1.0;
    const double elements = p->layers * p->n * p->k * share;
    const double flops = 2.0 * rows * used * busy * elements;
    const double bytes = passes * read * elements * (plain ? r->plain_bytes : r->weight_bytes);
    const double rate = (plain ? r->plain_flops_per_s : r->dense_flops_per_s) *
                        (p->experts > 0.0 ? EXPERT_COMPUTE : 1.0);
    const double reads = p->experts > 0.0 ? r->expert_bytes_per_s
                         : plain          ? r->plain_bytes_per_s
                                          : r->stream_bytes_per_s;
    const double count = p->layers * passes;
    const double time_s = add_op(m, p->name, count, rows, flops, bytes, 0.0, flops / rate,
                                 bytes / reads, count * product_fixed_s(m, p, plain));
    m->bound_compute_s += flops / (plain ? r->plain_peak_flops_per_s : r->peak_flops_per_s);
    *(p->last            ? &m->step.head_s
      : p->experts > 0.0 ? &m->step.expert_s
                         : &m->step.product_s) += time_s;
}

/* Sum over the first n positions of what each attends to. */
static double attended(double n, double window)
{
    return window <= 0.0 || n <= window ? n * (n + 1.0) / 2.0
                                        : window * (window + 1.0) / 2.0 + (n - window) * window;
}

/* Positions whose keys and values are read from the cache: by a decode step all that are attended, by
 * each chunk of a prefill those before it. */
static double cache_reads(const making *m, double window)
{
    const double chunks = nnc_ceil(m->fresh / (double)m->of->plan->chunk);
    const double chunk = nnc_min((double)m->of->plan->chunk, m->fresh);
    const double all = chunks * m->cached + chunk * chunks * (chunks - 1.0) / 2.0;
    if (m->decode) {
        return window > 0.0 ? nnc_min(m->cached + 1.0, window) : m->cached + 1.0;
    }
    return window > 0.0 ? nnc_min(all, chunks * window) : all;
}

/* How often a decode step reads the cache, of query heads that share keys and values. */
static double rereads(const nnc_serve_case *of, const nnc_serve_attention *a)
{
    const double t = of->plan->tensor;
    const double sharing = a->heads / t / nnc_max(a->kv_heads / t, 1.0);
    return a->latent > 0.0 ? 1.0 : 1.0 + of->engine->kv_reread * (sharing - 1.0);
}

/* Of prompts that ride in a decode step. */
static void add_prompt_attention(making *m, const nnc_serve_attention *a)
{
    const double pairs = m->prompts * (attended(m->prompt_cached + m->prompt_tokens, a->window) -
                                       attended(m->prompt_cached, a->window));
    const double flops =
        2.0 * a->layers * a->heads / m->of->plan->tensor * (a->key_dim + a->value_dim) * pairs;
    if (m->prompts > 0.0) {
        m->step.attention_s += add_op(
            m, a->name, 0.0, m->prompts * m->prompt_tokens, flops, 0.0, 0.0,
            m->of->engine->attention_factor * flops / m->of->rates.attention_flops_per_s, 0.0, 0.0);
        m->bound_compute_s += flops / m->of->rates.plain_peak_flops_per_s;
    }
}

static void add_attention(making *m, const nnc_serve_attention *a)
{
    const nnc_serve_case *of = m->of;
    const nnc_serve_rates *r = &of->rates;
    const double pairs =
        m->sequences * (attended(m->cached + m->fresh, a->window) - attended(m->cached, a->window));
    /* A decode step works on the latent itself, a prefill on the keys and values made of it. */
    const double width =
        m->decode && a->latent > 0.0 ? 2.0 * a->latent + a->rope : a->key_dim + a->value_dim;
    const double flops = 2.0 * a->layers * a->heads / of->plan->tensor * width * pairs;
    const double token = nnc_serve_kv_token(of, a);
    const double bytes = m->sequences * token * (cache_reads(m, a->window) + m->fresh);
    const double count = a->layers * m->passes;
    const double slower = m->decode ? 1.0 : of->engine->attention_factor;
    const double again = m->decode ? rereads(of, a) : 1.0;
    m->step.attention_s +=
        add_op(m, a->name, count, m->sequences * m->fresh, flops, 0.0, bytes,
               slower * flops / r->attention_flops_per_s, again * bytes / r->kv_bytes_per_s,
               count * (m->decode ? r->attention_s : r->prefill_attention_s));
    m->bound_compute_s += flops / r->plain_peak_flops_per_s;
    add_prompt_attention(m, a);
}

/* A state is read and written once by a step; its work runs on the 16-bit units. */
static void add_state(making *m, const nnc_serve_state *s)
{
    const nnc_serve_rates *r = &m->of->rates;
    const double share = 1.0 / m->of->plan->tensor;
    const double flops = m->sequences * m->fresh * s->layers * s->flops * share;
    const double bytes = 8.0 * m->sequences * s->layers * s->elements * share * m->passes;
    const double count = s->layers * m->passes;
    m->step.attention_s += add_op(m, s->name, count, m->sequences * m->fresh, flops, 0.0, bytes,
                                  flops / r->attention_flops_per_s, bytes / r->state_bytes_per_s,
                                  count * (m->decode ? r->kernel_s : r->prefill_kernel_s));
    m->bound_compute_s += flops / r->plain_peak_flops_per_s;
}

/* Sampling reads the logits of every sequence, in fp32. */
static void add_sampling(making *m)
{
    const nnc_serve_rates *r = &m->of->rates;
    const double bytes = m->sequences * m->of->net->vocab * 4.0 / m->of->plan->tensor;
    m->step.head_s += add_op(m, "head.sample", 1.0, m->sequences, 0.0, 0.0, 0.0, 0.0,
                             bytes / r->mem_bytes_per_s, r->kernel_s);
}

/* ---- between devices ---- */

static void add_comm(making *m)
{
    const nnc_serve_case *of = m->of;
    const nnc_serve_rates *r = &of->rates;
    const nnc_small_all_reduce *a = &r->all_reduce;
    const double t = of->plan->tensor, groups = of->plan->attention_data;
    const double rows = (m->sequences * m->fresh + m->prompts * m->prompt_tokens) / m->passes;
    const double bytes = rows * of->net->hidden * 2.0;
    const double all_reduces = (of->net->reductions + 1.0) * m->passes; /* and the embedding's */
    double comm_s = 0.0;
    if (t > 1.0) {
        const double device_s =
            nnc_serve_all_reduce_s(t, bytes, r->link_bytes_per_s, a->fixed_s + a->rank_s * t,
                                   a->two_shot_s, a->one_shot_fraction, a->two_shot_fraction);
        comm_s +=
            all_reduces * (of->engine->all_reduce_factor * device_s + of->engine->all_reduce_s);
        m->step.network_bytes += all_reduces * 2.0 * (t - 1.0) / t * bytes;
    }
    if (groups > 1.0) { /* copies of each token to its experts, and their results back */
        for (int32_t i = 0; i < of->net->product_count; i++) {
            const nnc_serve_product *p = &of->net->products[i];
            const double sent =
                p->split == NNC_SPLIT_EXPERT_ROW
                    ? 2.0 * p->layers * m->passes * bytes * p->chosen / t * (groups - 1.0) / groups
                    : 0.0;
            comm_s += sent / (a->two_shot_fraction * r->exchange_bytes_per_s) +
                      (sent > 0.0 ? 2.0 * p->layers * m->passes *
                                        (r->exchange_fixed_s + a->rank_s * groups)
                                  : 0.0);
            m->step.network_bytes += sent;
        }
    }
    if (of->plan->pipeline > 1) { /* from stage to stage */
        const double hops = (double)of->plan->pipeline - 1.0;
        const double sent = hops * m->passes * bytes / t;
        comm_s +=
            hops * m->passes * a->fixed_s + sent / (a->one_shot_fraction * r->link_bytes_per_s);
        m->step.network_bytes += sent / (hops + 1.0);
    }
    m->step.comm_s = comm_s;
}

static nnc_bound bound_of(const making *m)
{
    const double host = m->step.host_s + m->fixed_s;
    const double largest =
        nnc_max(nnc_max(m->compute_s, m->memory_s), nnc_max(m->step.comm_s, host));
    return largest == host               ? NNC_BOUND_HOST
           : largest == m->step.comm_s   ? NNC_BOUND_NETWORK
           : m->compute_s >= m->memory_s ? NNC_BOUND_COMPUTE
                                         : NNC_BOUND_MEMORY;
}

static nnc_serve_step finish(making *m, double factor)
{
    const nnc_serve_engine *engine = m->of->engine;
    nnc_serve_step *s = &m->step;
    for (int32_t i = 0; i < m->of->net->product_count; i++) {
        add_product(m, &m->of->net->products[i]);
    }
    for (int32_t i = 0; i < m->of->net->attention_count; i++) {
        add_attention(m, &m->of->net->attentions[i]);
    }
    for (int32_t i = 0; i < m->of->net->state_count; i++) {
        add_state(m, &m->of->net->states[i]);
    }
    if (m->decode) {
        add_sampling(m);
    }
    add_comm(m);
    s->product_s *= factor;
    s->expert_s *= factor;
    s->attention_s *= factor;
    s->head_s *= factor;
    s->comm_s *= factor;
    const double layers = m->passes * m->of->net->layers;
    const double device_s = s->product_s + s->expert_s + s->attention_s + s->head_s + s->comm_s;
    /* Launching hides behind the device's work, as far as that goes. */
    const double shown_s =
        nnc_max(layers * engine->host_layer_s - device_s, layers * engine->layer_s);
    s->host_s = m->passes * engine->step_s + shown_s +
                (m->decode ? m->sequences * engine->sequence_s : 0.0);
    s->bytes = s->weight_bytes + s->kv_bytes;
    s->intensity_flops_per_byte = s->flops / s->bytes;
    s->lower_bound_s = nnc_max(m->bound_compute_s, s->bytes / m->of->rates.mem_bytes_per_s);
    s->time_s =
        nnc_max(s->product_s + s->expert_s + s->attention_s + s->head_s + s->comm_s + s->host_s,
                s->lower_bound_s);
    s->bound = bound_of(m);
    return *s;
}

/* A step in which so many tokens of each sequence are computed. */
static nnc_serve_step decode(const nnc_serve_case *of, double sequences, double context,
                             double tokens, nnc_serve_list *list)
{
    /* Stages of a pipeline work on a share of the sequences each. */
    const double share = nnc_max(sequences / of->plan->pipeline, nnc_min(sequences, 1.0));
    making m = {
        .of = of,
        .phase = "decode",
        .decode = true,
        .verify = tokens > 1.0,
        .sequences = share / of->plan->attention_data,
        .cached = context - 1.0,
        .fresh = tokens,
        .passes = 1.0,
        .list = list,
        .step = { .sequences = sequences, .new_tokens = tokens, .context = context, .steps = 1.0 }
    };
    return finish(&m, of->engine->decode_factor);
}

nnc_serve_step nnc_serve_decode(const nnc_serve_case *of, double sequences, double context,
                                nnc_serve_list *list)
{
    return decode(of, sequences, context, 1.0, list);
}

nnc_serve_step nnc_serve_verify(const nnc_serve_case *of, double sequences, double context,
                                double tokens)
{
    return decode(of, sequences, context, tokens, NULL);
}

nnc_serve_step nnc_serve_prefill(const nnc_serve_case *of, double sequences, double cached,
                                 double fresh, nnc_serve_list *list)
{
    const double share = nnc_max(sequences / of->plan->pipeline, nnc_min(sequences, 1.0));
    const double group = nnc_max(share / of->plan->attention_data, nnc_min(share, 1.0));
    making m = { .of = of,
                 .phase = "prefill",
                 .sequences = group,
                 .cached = cached,
                 .fresh = fresh,
                 .passes = nnc_ceil(group * fresh / (double)of->plan->chunk),
                 .list = list,
                 .step = {
                     .sequences = sequences, .new_tokens = fresh, .context = cached + fresh } };
    m.step.steps = m.passes;
    return finish(&m, of->engine->prefill_factor);
}

nnc_serve_step nnc_serve_mixed(const nnc_serve_case *of, double sequences, double context,
                               double prompts, double cached, double fresh)
{
    const double share = nnc_max(sequences / of->plan->pipeline, nnc_min(sequences, 1.0));
    const double group = of->plan->attention_data;
    making m = {
        .of = of,
        .phase = "decode",
        .decode = true,
        .sequences = share / group,
        .cached = context - 1.0,
        .fresh = 1.0,
        .passes = 1.0,
        .prompts = prompts * share / sequences / group,
        .prompt_cached = cached,
        .prompt_tokens = fresh,
        .step = { .sequences = sequences, .new_tokens = 1.0, .context = context, .steps = 1.0 }
    };
    return finish(&m, 1.0);
}
