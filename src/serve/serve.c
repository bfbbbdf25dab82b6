/* Computes serving (inference of a decoder) from the inputs (nnc_serve_ask) to the result (nnc_serve). Order of work:
 *
 *     defaults and checks of the inputs  ->  op totals  ->  device rates  ->  memory  ->  load  ->  fit  ->  cost
 *         ->  extra (speculative decoding, disaggregated prefill)
 *
 * The first functions of this file run this sequence. The next functions compute the totals of all ops (nnc_serve_net)
 * from the op list of the model. Later functions set the defaults of the inputs, and check that
 * model, device and engine support the inputs. The last part of the file estimates image generation. */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "memo/memo_internal.h"
#include "op/op_internal.h"
#include "serve/serve_internal.h"
#include "shape/shape_internal.h"

void nnc_serve_cost(const nnc_serve_case *of, const nnc_device *device, nnc_serve *s, nnc_derivation *why) {
    NNC_LET(why, devices, NULL, (double)of->plan->devices);
    s->price_per_device_hour = nnc_price_of(of->plan->price, device);
    NNC_PUT(why, s->price_per_device_hour, NULL);
    NNC_PUT(why, s->output_tokens_per_s, NULL);
    NNC_SET(why, s->per_million_output_tokens, NULL,
            s->price_per_device_hour * devices / 3600.0 / s->output_tokens_per_s * 1e6);
    NNC_NOTE(why, "the output tokens carry the whole price");
    const double prompts = s->mode == NNC_SERVE_STATIC ? s->prefill.sequences : 1.0;
    const double stages = s->mode == NNC_SERVE_STATIC ? 1.0 : (double)of->plan->pipeline * of->plan->attention_data;
    NNC_LET(why, replica_price_per_s, NULL, s->price_per_device_hour / 3600.0 * devices / of->plan->data);
    NNC_LET(why, prompt_s, "s", s->prefill.time_s / prompts / stages);
    NNC_LET(why, input_len, NULL, (double)of->plan->input_len);
    NNC_SET(why, s->per_million_prefilled_tokens, NULL, replica_price_per_s * prompt_s / input_len * 1e6);
    NNC_NOTE(why, "price of the device time that prefill uses");
    NNC_LET(why, decode_s, "s", s->decode.time_s);
    NNC_LET(why, sequences, NULL, s->decode.sequences);
    NNC_SET(why, s->per_million_decoded_tokens, NULL, replica_price_per_s * decode_s / sequences * 1e6);
    NNC_NOTE(why, "price of the device time that decode uses");
    NNC_LET(why, power_w, "W", device->power_w);
    NNC_SET(why, s->energy_j_per_token, "J", power_w * devices / s->output_tokens_per_s);
    NNC_NOTE(why, "rated power of the boards; decode draws less");
    NNC_LET(why, carbon_g_per_kwh, "g/kWh", of->plan->carbon_g_per_kwh);
    NNC_SET(why, s->carbon_g_per_million_tokens, "g", s->energy_j_per_token * 1e6 / 3.6e6 * carbon_g_per_kwh);
}

bool nnc_serve_is_apart(const nnc_serve_ask *plan) {
    return plan->prefill_workers > 0 && (plan->concurrency > 0 || !isnan(plan->request_rate));
}

double nnc_serve_decoders(const nnc_serve_ask *plan) {
    return (double)plan->data * (nnc_serve_is_apart(plan) ? (double)plan->decode_workers : 1.0);
}

void nnc_serve_fit(const nnc_serve_case *of, nnc_serve *s, nnc_derivation *why) {
    const double groups = (double)of->plan->attention_data * nnc_serve_decoders(of->plan);
    const double held =
        s->mode == NNC_SERVE_STATIC ? (double)of->plan->batch : nnc_max(nnc_min(s->running, s->max_sequences), 1.0);
    const double stage = nnc_serve_stage_share(of);
    const double block = (double)of->plan->block;
    const double length = (double)(of->plan->input_len + of->plan->output_len);
    NNC_LET(why, sequences_of_device, NULL, nnc_ceil(held / groups));
    NNC_LET(why, sequence_bytes, "B", nnc_serve_kv_bytes(of, nnc_ceil(length / block) * block) * stage);
    NNC_SET(why, s->kv_bytes, "B", sequences_of_device * (sequence_bytes + s->state_bytes_per_sequence));
    NNC_SET(why, s->total_bytes, "B", s->weight_bytes + s->workspace_bytes + s->kv_bytes);
    NNC_SET(why, s->headroom_bytes, "B", s->limit_bytes - s->total_bytes);
    s->fits = s->headroom_bytes >= 0.0;
}

/* Loads the draft model of speculative decoding: fills in *net from its op list, and *draft with the inputs for its
 * steps. The draft model runs on the same devices as the served model, with weights in the same format. */
static nnc_status draft_of(const nnc_serve_case *of, const nnc_device *device, const nnc_software *software,
                           nnc_scratch *scratch, nnc_serve_net *net, nnc_serve_case *draft, nnc_error *err) {
    const nnc_model *model = of->plan->draft_model;
    const double tokens = of->net->vocab;
    nnc_serve_ask alone = *of->plan, resolved;
    nnc_serve_mode mode;
    alone.expert = alone.attention_data = 1;
    alone.devices = alone.data = 0;
    NNC_TRY(nnc_serve_net_of(model, software, scratch, net, err));
    if (fabs(net->vocab - tokens) > 0.01 * tokens) {
        return nnc_fail(
            err, NNC_ILLEGAL_PLAN, "--draft",
            "the draft model %s has another vocabulary than the served model, expected about %.0f tokens, found %.0f",
            model->id, tokens, net->vocab);
    }
    NNC_TRY(nnc_serve_resolve(&alone, model, device, software, &resolved, &mode, err));
    *draft = (nnc_serve_case){ .net = net, .plan = of->plan, .engine = of->engine, .rates = of->rates };
    return NNC_OK;
}

static nnc_serve_issues issues_of(const nnc_model *model, const nnc_device *device, const nnc_op_list *list);

nnc_status nnc_serve_begin(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                           nnc_scratch *scratch, nnc_serve_net *net, nnc_serve_case *of, nnc_error *err) {
    *of = (nnc_serve_case){ .net = net, .engine = &software->serving };
    NNC_TRY(nnc_serve_net_of(model, software, scratch, net, err));
    if (software->lists_operators && net->state_count > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--software",
                        "%s runs operators one by one, and nncost does not know the operators of recurrent layers, "
                        "expected an engine such as vllm",
                        software->id);
    }
    if (software->lists_operators) { of->issues = issues_of(model, device, &scratch->list); }
    of->network_bytes_per_s = device->scale_out.bytes_per_s;
    return NNC_OK;
}

nnc_status nnc_serve_answer(const nnc_serve_case *shared, const nnc_model *model, const nnc_device *device,
                            const nnc_software *software, const nnc_serve_ask *ask, nnc_scratch *scratch, nnc_serve *s,
                            nnc_serve_list *list, nnc_derivation *why, nnc_error *err) {
    nnc_serve_net draft_net;
    nnc_serve_case draft;
    nnc_serve_case of = *shared;
    *s = (nnc_serve){ .struct_size = sizeof *s };
    of.plan = &s->plan;
    NNC_TRY(nnc_serve_resolve(ask, model, device, software, &s->plan, &s->mode, err));
    NNC_TRY(nnc_serve_rates_of(device, software, &s->plan, &of.rates, err));
    of.work = nnc_serve_work_of(scratch, nnc_serve_requests_of(&s->plan));
    NNC_GOT(of.work, err);
    if (s->plan.draft_model != NULL) {
        NNC_TRY(draft_of(&of, device, software, scratch, &draft_net, &draft, err));
        of.draft = &draft;
    }
    nnc_serve_memory(&of, device, s, why);
    if (of.brief) {
        /* the memory is computed for one request; if one request fits, a load of more requests fits, too, because
         * requests without space wait */
        s->running = 1.0;
        nnc_serve_fit(&of, s, NULL);
        if (s->mode == NNC_SERVE_STATIC) { s->tpot_s = nnc_serve_token_s(&of, s); }
        return NNC_OK;
    }
    nnc_serve_load(&of, s, list, why);
    nnc_serve_intervals(&of, s);
    /* the intervals are fitted to measurements of real devices and programs, so they do not apply to implausible
     * inputs */
    if (device->implausible || software->implausible) {
        s->ttft_interval_s[0] = s->ttft_interval_s[1] = (double)NAN;
        s->tpot_interval_s[0] = s->tpot_interval_s[1] = (double)NAN;
        s->saturation_interval[0] = s->saturation_interval[1] = (double)NAN;
    }
    nnc_serve_fit(&of, s, why);
    nnc_serve_cost(&of, device, s, why);
    nnc_serve_extra(&of, device, s, why);
    return NNC_OK;
}

nnc_status nnc_serve_say(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                         const nnc_serve_ask *ask, nnc_scratch *scratch, nnc_serve *s, nnc_serve_list *list,
                         nnc_derivation *why, nnc_error *err) {
    nnc_serve_net net;
    nnc_serve_case of;
    NNC_TRY(nnc_serve_begin(model, device, software, scratch, &net, &of, err));
    return nnc_serve_answer(&of, model, device, software, ask, scratch, s, list, why, err);
}

nnc_status nnc_serve_into(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                          const nnc_serve_ask *ask, nnc_scratch *scratch, nnc_serve *serve, nnc_serve_op *ops,
                          int32_t *op_count, nnc_error *err) {
    static const char here[] = "nnc_serve_of";
    nnc_serve_ask full = nnc_serve_ask_default();
    nnc_serve_list list = { ops, 0 };
    nnc_estimate_args asked;
    nnc_serve whole;
    NNC_TRY(nnc_estimate_args_read(here, model, device, software, NULL, &asked, err));
    NNC_TRY(nnc_need(here, "scratch", scratch != NULL, err));
    NNC_TRY(nnc_need(here, "serve", serve != NULL, err));
    NNC_TRY(nnc_sized_check(serve, sizeof *serve, "nnc_serve", err));
    if (ask != NULL) { NNC_TRY(nnc_sized_read(&full, sizeof full, ask, "nnc_serve_ask", err)); }
    NNC_TRY(nnc_serve_ask_check(&full, err));
    NNC_TRY(
        nnc_serve_say(model, device, asked.software, &full, scratch, &whole, ops != NULL ? &list : NULL, NULL, err));
    nnc_sized_write(serve, &whole, sizeof whole);
    if (op_count != NULL) { *op_count = list.count; }
    return NNC_OK;
}

/* ---- computing the totals of the network (nnc_serve_net) from the op list of one forward pass ---- */

static nnc_status refuse(const nnc_model *model, const char *why, nnc_error *err) {
    return nnc_fail(err, NNC_ILLEGAL_PLAN, model->id, "cannot be served: %s", why);
}

#define PASS_INSTEAD "; for a forward pass: nncost estimate MODEL DEVICE --train none"
static nnc_status check_family(const nnc_model *model, nnc_error *err) {
    const nnc_decoder *d = &model->decoder;
    if (model->captured != NULL) {
        return refuse(model, "the model is a recorded step, expected a decoder of 'nncost list models' or a model file",
                      err);
    }
    if (model->family != NNC_FAMILY_DECODER) {
        return refuse(
            model,
            "the model generates no tokens, expected a decoder, or a diffusion model with --steps N" PASS_INSTEAD, err);
    }
    if (d->bidirectional || d->head != NNC_HEAD_LOGITS) {
        return refuse(model, "the model is an encoder, expected a decoder that generates tokens" PASS_INSTEAD, err);
    }
    if (d->encoder_layers > 0) {
        return refuse(model, "the model has an encoder before its decoder, expected a decoder alone", err);
    }
    return NNC_OK;
}

/* Tests whether attention reads the positions that an indexer picks among all tokens (not among compressed keys). */
static bool picks_tokens(const nnc_decoder *d) { return d->index_heads > 0 && !d->shared_keys; }

/* Returns the sequence length, in tokens, for which the op list is written. The list needs more tokens than the
 * attention window, and more than the number of positions that an indexer picks; so the result is twice the larger of
 * these two numbers, or 2 for a model without window and indexer. */
static int64_t lowered_len(const nnc_model *model) {
    const nnc_decoder *d = &model->decoder;
    const int64_t picked = picks_tokens(d) ? d->index_topk : 0;
    const int64_t most = d->sliding_window > picked ? d->sliding_window : picked;
    return most > 0 ? 2 * most : 2;
}

/* Writes the op list of the served model for one device and one sequence. */
static nnc_status lower(const nnc_model *model, const nnc_software *software, nnc_op_list *list, nnc_error *err) {
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = plan.micro_batches = plan.global_batch = 1;
    plan.seq_len = lowered_len(model);
    plan.precision = NNC_BF16;
    plan.policy = NNC_POLICY_MIXED;
    plan.tensor = plan.pipeline = plan.context = plan.expert = plan.data = 1;
    nnc_lowering how = nnc_lowering_of(&plan, software, NNC_ATTENTION_FLASH);
    how.listing = model->implementation != NNC_IMPLEMENTATION_NONE ? NNC_LISTING_PRICED : NNC_LISTING_NONE;
    nnc_lower(model, &how, list);
    return nnc_check_list(list, model, err);
}

static void add_product(nnc_serve_net *net, const nnc_op *op) {
    const nnc_matmul *u = &op->u.matmul;
    const bool head = op->group == NNC_GROUP_HEAD;
    net->products[net->product_count++] = (nnc_serve_product){
        .name = op->name,
        .group = op->group,
        .split = op->split,
        .layers = (double)op->repeat,
        .n = (double)u->n,
        .k = (double)u->k,
        .heads = (double)u->heads,
        .kv_heads = (double)u->kv_heads,
        .experts = op->weights.active > 0 ? (double)op->weights.count : 0.0,
        .chosen = (double)op->weights.active,
        .plain = head || op->group == NNC_GROUP_EMBEDDING || strcmp(op->name, "moe.router") == 0,
        .last = head,
    };
}

/* Sets the members of *a that describe compressed keys, in a model whose keys are shared by all heads. in: name of the
 * last product that computes compressed keys of the layer; NULL = the layer has none. An indexer has compressed keys of
 * its own. The tokens of the last, incomplete window have no compressed key yet, so the values and scores of each of
 * these tokens stay in memory. If windows overlap, a layer stores two windows with two sets of values per token.
 * [shared-keys] */
static void add_far_keys(nnc_serve_attention *a, const nnc_decoder *d, const char *in) {
    const bool picked = in != NULL && strcmp(in, "index.kv") == 0;
    const double ratio = (double)(picked ? d->index_ratio : in != NULL ? d->compress_ratio : 0);
    const double sets = picked ? 4.0 : 1.0; /* number of windows x number of sets of values per token */
    a->shared = d->shared_keys;
    a->far_ratio = ratio;
    if (picked) {
        a->far_most = (double)d->index_topk;
        a->index_heads = (double)d->index_heads;
        a->index_dim = (double)d->index_dim;
    }
    a->open_values = 2.0 * sets * ratio * (a->key_dim + a->index_dim);
}

/* Sets the inputs of a layer whose tokens attend only to positions that an indexer selects. indexer: the layer has an
 * indexer of its own; without one it uses the positions that an earlier layer has picked. The indexer has a key for
 * each token. [indexer] */
static void add_picked_keys(nnc_serve_attention *a, const nnc_decoder *d, bool indexer) {
    a->picked = true;
    a->window = 0.0;
    a->far_ratio = 1.0;
    a->far_most = (double)d->index_topk;
    a->index_heads = indexer ? (double)d->index_heads : 0.0;
    a->index_dim = indexer ? (double)d->index_dim : 0.0;
}

static void add_attention(nnc_serve_net *net, const nnc_decoder *d, const nnc_op *op, const char *far_keys) {
    const nnc_flash *u = &op->u.flash;
    const bool latent = d->kv_lora_rank > 0;
    const double window = u->window_pairs / (double)u->s_q;
    nnc_serve_attention *a = &net->attentions[net->attention_count++];
    *a = (nnc_serve_attention){
        .name = op->name,
        .layers = (double)op->repeat,
        .heads = (double)u->heads,
        .kv_heads = (double)u->own_kv_heads,
        .key_dim = (double)u->head_dim,
        .value_dim = (double)u->value_dim,
        .window = u->window_pairs < u->full_pairs ? window : 0.0,
        .latent = latent ? (double)d->kv_lora_rank : 0.0,
        .rope = latent ? (double)d->qk_rope_head_dim : 0.0,
        .reuses = u->kept_kv_heads == 0,
    };
    if (d->shared_keys) { add_far_keys(a, d, far_keys); }
    if (picks_tokens(d) && a->window == (double)d->index_topk) { add_picked_keys(a, d, far_keys != NULL); }
}

/* Appends an entry to net->states: the state of a scan, or the last inputs of a convolution, which a layer stores for
 * each sequence. elements: number of values in one layer; flops: FLOPs per token in one layer. */
static void add_state(nnc_serve_net *net, const nnc_op *op, double elements, double flops) {
    net->states[net->state_count++] =
        (nnc_serve_state){ .name = op->name, .layers = (double)op->repeat, .elements = elements, .flops = flops };
}

static bool is_full(const nnc_serve_net *net) {
    return net->product_count == NNC_SERVE_PRODUCTS || net->attention_count == NNC_SERVE_ATTENTIONS ||
           net->state_count == NNC_SERVE_ATTENTIONS;
}

/* Adds an op of the model to the totals *net. *far_keys: name of the last product of the layer that computes compressed
 * keys; the function changes it when the op is such a product. */
static void add_op(nnc_serve_net *net, const nnc_decoder *d, const nnc_op *op, const char **far_keys) {
    const double scanned = (double)op->u.scan.inner * (double)op->u.scan.state;
    switch (op->kind) {
    case NNC_OP_MATMUL:
        if (op->weights.count == 0 && d->index_heads > 0) { break; } /* scores of the indexer: add_attention */
        if (strcmp(op->name, "attn.far_kv") == 0 || strcmp(op->name, "index.kv") == 0 ||
            strcmp(op->name, "index.k") == 0) {
            *far_keys = op->name;
        }
        add_product(net, op);
        break;
    case NNC_OP_FLASH:
        add_attention(net, d, op, *far_keys);
        *far_keys = NULL;
        break;
    case NNC_OP_SCAN: add_state(net, op, scanned, 6.0 * scanned); break;
    case NNC_OP_CONV:
        add_state(net, op, (double)op->u.conv.c_in * (double)(op->u.conv.kernel - 1),
                  2.0 * (double)op->u.conv.c_in * (double)op->u.conv.kernel);
        break;
    default: break;
    }
}

/* Returns the number of all-reduces over tensor ranks in one forward pass: one after the attention and one after the
 * MLP of each layer; in layers that run attention and MLP in parallel, one for both. */
static double reductions_of(const nnc_serve_net *net, const nnc_decoder *d) {
    const bool parallel = d->norm_place == NNC_NORM_PARALLEL || d->norm_place == NNC_NORM_PARALLEL_TWO;
    double attention = 0.0, mlp = 0.0;
    for (int32_t i = 0; i < net->product_count; i++) {
        const nnc_serve_product *p = &net->products[i];
        if (p->split == NNC_SPLIT_ROW && p->group == NNC_GROUP_ATTENTION) {
            attention += p->layers;
        } else if (p->split == NNC_SPLIT_EXPERT_ROW ||
                   (p->split == NNC_SPLIT_ROW && strcmp(p->name, "mlp.down") == 0)) {
            mlp += p->layers;
        }
    }
    return parallel ? nnc_max(attention, mlp) : attention + mlp;
}

/* Returns the number of kernels that an engine issues for one op. The sum of a residual runs in the kernel of the next
 * norm. A scan over a sequence runs in chunks, which takes six kernels. (docs/serving.md, "Prefill and decode")
 * Sources: fused_add_rms_norm of vLLM and SGLang; chunk_gated_delta_rule_fwd in python/sglang/srt/layers/attention/fla/
 * chunk.py. */
static double kernels_of(const nnc_op *op) {
    enum { SCAN_KERNELS = 6 };
    switch (op->kind) {
    case NNC_OP_LOSS: return 0.0;
    case NNC_OP_SCAN: return SCAN_KERNELS;
    case NNC_OP_POINTWISE: return op->u.pointwise.kind == NNC_PW_RESIDUAL ? 0.0 : 1.0;
    default: return 1.0;
    }
}

nnc_status nnc_serve_net_of(const nnc_model *model, const nnc_software *software, nnc_scratch *scratch,
                            nnc_serve_net *net, nnc_error *err) {
    const nnc_decoder *d = &model->decoder;
    const nnc_op_list *list = &scratch->list;
    const char *far_keys = NULL;
    double in_products = 0.0;
    *net = (nnc_serve_net){ .layers = 0.0 };
    NNC_TRY(check_family(model, err));
    NNC_TRY(lower(model, software, &scratch->list, err));
    net->layers = (double)d->layers;
    net->hidden = (double)d->hidden;
    net->vocab = (double)nnc_vocab_rows(d);
    net->experts = (double)d->experts;
    net->expert_groups = (double)d->expert_groups;
    net->groups_per_token = (double)d->groups_per_token;
    for (int32_t i = 0; i < list->count; i++) {
        net->params += (double)nnc_weights_params(&list->ops[i].weights) * (double)list->ops[i].repeat;
        if (is_full(net)) {
            return nnc_fail(err, NNC_BAD_SPEC, model->id,
                            "the layers have too many different products to serve, expected at most %d",
                            NNC_SERVE_PRODUCTS);
        }
        net->kernels += kernels_of(&list->ops[i]) * (double)list->ops[i].repeat;
        add_op(net, d, &list->ops[i], &far_keys);
    }
    for (int32_t i = 0; i < net->product_count; i++) {
        const nnc_serve_product *p = &net->products[i];
        const double matrices = p->experts > 0.0 ? p->experts : 1.0;
        net->expert_layers += p->split == NNC_SPLIT_EXPERT_ROW ? p->layers : 0.0;
        in_products += p->last && d->tied_head ? 0.0 : p->layers * matrices * p->n * p->k;
    }
    net->other_params = net->params - in_products;
    net->tied_head = d->tied_head;
    net->reductions = reductions_of(net, d);
    return NNC_OK;
}

/* Counts the kernels of one forward pass and sums their times, for software that issues operators one by one. The op
 * list must have been written by nnc_serve_net_of before. (docs/serving.md, "Without a serving engine") */
static nnc_serve_issues issues_of(const nnc_model *model, const nnc_device *device, const nnc_op_list *list) {
    const nnc_stream_efficiency *e = &device->efficiency.stream;
    const bool alone = model->implementation == NNC_IMPLEMENTATION_PYTORCH;
    nnc_serve_issues sums = { .kernel_s = e->fixed_s,
                              .host_s = NNC_HOST_SHARE_FORWARD * device->host.kernel_s,
                              .copy_bytes_per_s = e->memory_fraction * device->mem_bytes_per_s,
                              .in_place = alone };
    for (int32_t i = 0; i < list->count; i++) {
        const nnc_op *op = &list->ops[i];
        const double repeat = (double)op->repeat, kernels = nnc_op_issued(op).kernels;
        /* counted: true = one kernel of this op is already counted by add_product or add_attention */
        const bool counted = op->kind == NNC_OP_MATMUL || op->kind == NNC_OP_FLASH;
        if (op->kind == NNC_OP_LOSS || nnc_op_is_collective(op)) { continue; }
        sums.kernels += repeat * kernels;
        sums.others += repeat * (counted ? kernels - 1.0 : kernels);
        if (!counted && op->group != NNC_GROUP_HEAD && kernels > 0.0) { /* the head is left out of the time per token: a
                                                                         * pass computes the head only for the last
                                                                         * tokens */
            const nnc_work work = nnc_op_work(op);
            const double moved_s = op->issued_as == NNC_ISSUED_INSTEAD
                                       ? nnc_op_time(device, op, &work).time_s - kernels * e->fixed_s
                                       : (work.read_bytes + work.write_bytes) / sums.copy_bytes_per_s;
            sums.token_s += repeat * nnc_max(0.0, moved_s) / (double)lowered_len(model);
        }
    }
    return sums;
}

/* ---- inputs of serving (nnc_serve_ask): setting and checking the members that depend on model, device and engine
 * ---- */

NNC_ENUM_TEXTS(nnc_serve_mode, NNC_SERVE_MODE_LIST)

/* Sets the degrees of parallelism that the user did not give, and checks that the product of all degrees is the number
 * of devices. */

static nnc_status resolve_degrees(nnc_serve_ask *p, nnc_error *err) {
    const bool apart = nnc_serve_is_apart(p);
    const int64_t workers = apart ? (int64_t)p->prefill_workers + p->decode_workers : 1;
    const char *const more = apart ? " x workers of --disaggregate" : "";
    int64_t replica = 1, devices = 0;
    if (!nnc_mul_i64(p->tensor, p->pipeline, &replica) || !nnc_mul_i64(replica, p->attention_data, &replica) ||
        !nnc_mul_i64(replica, workers, &replica)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--devices", "too many devices");
    }
    if (p->data == 0) {
        p->data = 1;
        if (p->devices > 0 && p->devices % replica != 0) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, "--devices",
                            "is no multiple of tensor x pipeline x attention_data%s, expected a multiple of %" PRId64
                            ", found %" PRId32,
                            more, replica, p->devices);
        }
        p->data = p->devices > 0 ? (int32_t)(p->devices / replica) : 1;
    }
    if (!nnc_mul_i64(replica, p->data, &devices) || devices > INT32_MAX) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--devices", "too many devices");
    }
    if (p->devices > 0 && p->devices != devices) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--devices",
                        "is not tensor x pipeline x attention_data x data%s, expected %" PRId64 ", found %" PRId32,
                        more, devices, p->devices);
    }
    p->devices = (int32_t)devices;
    return NNC_OK;
}

static nnc_status check_experts(const nnc_decoder *d, const nnc_serve_ask *p, nnc_error *err) {
    const int64_t ranks = (int64_t)p->tensor * p->attention_data;
    if (d->experts == 0 && (p->expert > 1 || p->attention_data > 1)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, p->expert > 1 ? "--expert" : "--attention-data",
                        "the model has no experts, expected 1, found %" PRId32,
                        p->expert > 1 ? p->expert : p->attention_data);
    }
    if (p->expert > 1 && p->expert != ranks) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--expert",
                        "is not tensor x attention_data, expected 1 or %" PRId64 ", found %" PRId32, ranks, p->expert);
    }
    if (p->expert > 1) { return nnc_divides("--expert", "experts", d->experts, p->expert, err); }
    NNC_TRY(nnc_divides("--tensor", "expert_hidden", d->expert_hidden, p->tensor, err));
    return nnc_divides("--attention-data", "expert_hidden of a tensor rank", d->expert_hidden / p->tensor,
                       p->attention_data, err);
}

static nnc_status check_split(const nnc_model *model, const nnc_serve_ask *p, nnc_error *err) {
    const nnc_decoder *d = &model->decoder;
    const int64_t t = p->tensor;
    if (p->pipeline > d->layers) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--pipeline",
                        "has more stages than layers, expected at most %" PRId64 ", found %" PRId32, d->layers,
                        p->pipeline);
    }
    if (d->heads > 0) { NNC_TRY(nnc_divides("--tensor", "heads", d->heads, t, err)); }
    if (d->heads > 0 && d->kv_lora_rank == 0 && d->kv_heads % t != 0 && t % d->kv_heads != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tensor",
                        "kv_heads %" PRId64
                        " is neither a multiple nor a divisor of the number of tensor ranks, %" PRId64,
                        d->kv_heads, t);
    }
    NNC_TRY(nnc_divides("--tensor", "ffn_hidden", d->ffn_hidden, t, err));
    for (int32_t i = 0; i < d->ffn_widths_count; i++) {
        NNC_TRY(nnc_divides("--tensor", "ffn_widths", d->ffn_widths[i], t, err));
    }
    NNC_TRY(nnc_divides("--tensor", "shared_hidden", d->shared_hidden, t, err));
    NNC_TRY(nnc_divides("--tensor", "ssm_inner", d->ssm_inner, t, err));
    return check_experts(d, p, err);
}

/* Returns the number format in which matrix products compute if their weights are stored in the format `stored` and the
 * device has a peak in this number format. */
static nnc_dtype math_of(nnc_stored stored) {
    static const nnc_dtype math[NNC_STORED_COUNT] = {
#define MATH(name, text, bits, scale, zero, group, dtype) [name] = (dtype),
        NNC_STORED_LIST(MATH)
#undef MATH
    };
    return math[stored];
}

static bool computes(const nnc_device *device, nnc_dtype dtype) { return nnc_device_matmul_peak(device, dtype) > 0.0; }

/* Returns the number format in which the device computes products of 16-bit weights: bf16 if the device file has a peak
 * in bf16, otherwise fp16 if it has a peak in fp16, otherwise fp32. */
static nnc_dtype plain_math(const nnc_device *device) {
    return computes(device, NNC_BF16) ? NNC_BF16 : computes(device, NNC_FP16) ? NNC_FP16 : NNC_FP32;
}

static nnc_stored stored_as(nnc_dtype dtype) {
    switch (dtype) {
    case NNC_FP64:
    case NNC_TF32:
    case NNC_FP32: return NNC_STORED_FP32;
    case NNC_FP16: return NNC_STORED_FP16;
    case NNC_FP8: return NNC_STORED_FP8;
    case NNC_INT8: return NNC_STORED_INT8;
    case NNC_INT4: return NNC_STORED_INT4;
    case NNC_FP4: return NNC_STORED_NVFP4;
    default: return NNC_STORED_BF16;
    }
}

/* Sets the storage format of the weights: the format that the model's name on the hub states, or else the format in
 * which the weights were published. */
static void take_published(const nnc_model *model, nnc_serve_ask *p) {
    for (int i = 0; i < NNC_STORED_COUNT && model->stored != NULL; i++) {
        if (strcmp(model->stored, nnc_stored_name((nnc_stored)i)) == 0) { p->weights = (nnc_stored)i; }
    }
    if (model->stored == NULL) {
        p->weights = model->published_weights;
        if (model->published_group_size > 0) { p->group_size = model->published_group_size; }
    }
}

static nnc_status resolve_formats(const nnc_model *model, const nnc_device *device, nnc_serve_ask *p, nnc_error *err) {
    if (p->weights == NNC_STORED_COUNT) { take_published(model, p); }
    if (p->weights == NNC_STORED_COUNT) {
        p->weights = p->precision == NNC_DTYPE_COUNT ? stored_as(plain_math(device)) : stored_as(p->precision);
    }
    if (p->precision == NNC_DTYPE_COUNT) {
        /* Devices that have 4-bit matrix products multiply mxfp4 weights with 8-bit activations. */
        const bool eight = p->weights == NNC_STORED_MXFP4 && computes(device, NNC_FP4);
        const nnc_dtype wanted = eight ? NNC_FP8 : math_of(p->weights);
        p->precision = computes(device, wanted) ? wanted : plain_math(device);
    }
    if (!computes(device, p->precision)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--precision", "%s has no peak rate in %s", device->id,
                        nnc_dtype_name(p->precision));
    }
    if (p->kv_precision == NNC_STORED_COUNT) {
        p->kv_precision = p->weights == NNC_STORED_FP32 ? NNC_STORED_FP32
                          : p->precision == NNC_FP16    ? NNC_STORED_FP16
                                                        : NNC_STORED_BF16;
    }
    return NNC_OK;
}

static void resolve_engine(const nnc_serve_engine *engine, const nnc_device *device, nnc_serve_ask *p) {
    const bool excepted = engine->large_except[0] != '\0' && strstr(device->id, engine->large_except) != NULL;
    const bool large = (double)nnc_device_capacity(device) >= engine->large_bytes && !excepted;
    const struct {
        int64_t *asked, engine, otherwise;
    } counts[] = { { &p->chunk, large && engine->large_chunk > 0 ? engine->large_chunk : engine->chunk,
                     engine->sized_by_memory ? nnc_serve_chunk_by_memory((double)device->mem_bytes) : 8192 },
                   { &p->max_batch, large && engine->large_batch > 0 ? engine->large_batch : engine->max_batch, 256 },
                   { &p->block, engine->block, 16 } };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (*counts[i].asked == 0) { *counts[i].asked = counts[i].engine > 0 ? counts[i].engine : counts[i].otherwise; }
    }
    if (p->graph_tokens == 0) { p->graph_tokens = engine->graph_tokens; }
    p->preempt = p->preempt || engine->preempt;
    if (isnan(p->memory_use)) { /* no process gets more than usable_bytes, e.g. 2/3 to 3/4 of an Apple chip's memory */
        const double usable = (double)nnc_device_capacity(device) / (double)device->mem_bytes;
        const double share = engine->sized_by_memory     ? nnc_serve_share_by_memory((double)device->mem_bytes, p)
                             : isnan(engine->memory_use) ? 0.9
                                                         : engine->memory_use;
        p->memory_use = engine->memory_share == NNC_SHARE_MEMORY ? nnc_min(share, usable) : share;
    }
}

/* Reads the numbers of prefill and decode workers from the option --disaggregate: "2:1", "2P1D" or "none". Writes the
 * text of the option as "2:1". */
static nnc_status resolve_workers(nnc_serve_ask *p, nnc_error *err) {
    enum { WORKERS_MOST = 1000000 };
    if (strcmp(p->disaggregate, "none") == 0) { p->disaggregate[0] = '\0'; }
    if (p->disaggregate[0] == '\0') { return NNC_OK; }
    char *end = NULL;
    const long prefill = strtol(p->disaggregate, &end, 10);
    const bool letters = *end == 'P' || *end == 'p';
    const long decode = letters || *end == ':' ? strtol(end + 1, &end, 10) : 0;
    end += letters && (*end == 'D' || *end == 'd');
    if (*end != '\0' || prefill < 1 || decode < 1 || prefill > WORKERS_MOST || decode > WORKERS_MOST) {
        return nnc_fail(err, NNC_BAD_USAGE, "--disaggregate", "expected P:D, such as 1:2, found \"%.32s\"",
                        p->disaggregate);
    }
    p->prefill_workers = (int32_t)prefill;
    p->decode_workers = (int32_t)decode;
    snprintf(p->disaggregate, sizeof p->disaggregate, "%ld:%ld", prefill, decode);
    return NNC_OK;
}

/* Sets the numbers of prefill and decode workers, and, if the user did not give it, the number of tokens that a draft
 * model proposes. */
static nnc_status resolve_formulas(nnc_serve_ask *p, nnc_error *err) {
    enum { DRAFT_LENGTH = 4 };
    NNC_TRY(resolve_workers(p, err));
    if ((p->prefill_workers > 0) != (p->decode_workers > 0)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--disaggregate",
                        "expected replicas that prefill and replicas that decode, found one kind");
    }
    if (p->draft_model != NULL && p->draft_length == 0) { p->draft_length = DRAFT_LENGTH; }
    return NNC_OK;
}

/* If every recorded request states its prompt length, sets the prompt length of the inputs to the mean of the recorded
 * prompt lengths; sets the output length in the same way. */
static void resolve_recorded_lengths(nnc_serve_ask *p) {
    double inputs = 0.0, outputs = 0.0;
    bool all_inputs = p->arrival_count > 0, all_outputs = all_inputs;
    for (int64_t i = 0; i < p->arrival_count; i++) {
        const nnc_serve_arrival *a = &p->arrival_list[i];
        inputs += (double)a->input_len;
        outputs += (double)a->output_len;
        all_inputs = all_inputs && a->input_len > 0;
        all_outputs = all_outputs && a->output_len > 0;
    }
    if (all_inputs) { p->input_len = (int64_t)floor(inputs / (double)p->arrival_count + 0.5); }
    if (all_outputs) { p->output_len = (int64_t)floor(outputs / (double)p->arrival_count + 0.5); }
}

static nnc_status resolve_mode(nnc_serve_ask *p, nnc_serve_mode *mode, nnc_error *err) {
    resolve_recorded_lengths(p);
    if (p->arrival_count > 0) {
        const double span_s = p->arrival_list[p->arrival_count - 1].arrival_s - p->arrival_list[0].arrival_s;
        const double rate = span_s > 0.0 ? (double)(p->arrival_count - 1) / span_s : 1e9;
        if (!isnan(p->request_rate) && p->request_rate != rate) {
            return nnc_fail(
                err, NNC_BAD_USAGE, "--request-rate",
                "recorded requests have their own rate, expected --arrivals without --request-rate, found %g",
                p->request_rate);
        }
        p->request_rate = rate;
    }
    const int given = (p->batch > 0) + (p->concurrency > 0) + !isnan(p->request_rate) + (p->offline ? 1 : 0);
    if (given > 1) {
        return nnc_fail(err, NNC_BAD_USAGE, p->batch > 0 ? "--batch" : "--concurrency",
                        "several kinds of load, expected only one of --batch, --concurrency, --request-rate and "
                        "--offline, found %d of them",
                        given);
    }
    *mode = p->offline                ? NNC_SERVE_OFFLINE
            : p->concurrency > 0      ? NNC_SERVE_CLOSED
            : !isnan(p->request_rate) ? NNC_SERVE_OPEN
                                      : NNC_SERVE_STATIC;
    if (given == 0) { p->batch = 1; }
    return resolve_formulas(p, err);
}

/* Returns NNC_ILLEGAL_PLAN if the load is too large to simulate: more concurrent requests per replica, or more prefill
 * or decode workers, than the simulation has space for. */
static nnc_status check_loop(const nnc_serve_ask *p, nnc_error *err) {
    enum { OPEN_MOST = 1 << 18 };
    if ((p->concurrency - 1) / p->data >= OPEN_MOST) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--concurrency",
                        "more requests than nncost simulates, expected at most %d for each replica, found %" PRId64,
                        (int)OPEN_MOST, p->concurrency);
    }
    if (nnc_serve_is_apart(p) && (p->prefill_workers > NNC_SERVE_WORKERS || p->decode_workers > NNC_SERVE_WORKERS)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--disaggregate",
                        "too many workers, expected at most %d for prefill and as many for decode; "
                        "--data N runs N such groups; found \"%s\"",
                        (int)NNC_SERVE_WORKERS, p->disaggregate);
    }
    return NNC_OK;
}

static nnc_status check_lengths(const nnc_model *model, const nnc_serve_ask *p, nnc_error *err) {
    const nnc_decoder *d = &model->decoder;
    const int64_t rows = d->positions_max > 0 ? d->positions_max : d->seq_len;
    int64_t longest = p->input_len + p->output_len;
    for (int64_t i = 0; i < p->arrival_count; i++) {
        const nnc_serve_arrival *a = &p->arrival_list[i];
        const int64_t length =
            (a->input_len > 0 ? a->input_len : p->input_len) + (a->output_len > 0 ? a->output_len : p->output_len);
        longest = length > longest ? length : longest;
    }
    if (nnc_positions_learned(d->positions) && longest > rows) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, p->arrival_count > 0 ? "--arrivals" : "--input-len",
                        "%s longer than the position table, expected at most %" PRId64 " tokens, found %" PRId64,
                        p->arrival_count > 0 ? "a prompt with its answer is"
                                             : "a prompt with --output-len more tokens is",
                        rows, longest);
    }
    return NNC_OK;
}

/* Checks the inputs for PyTorch without an inference engine, which means the function `generate` of transformers.
 * `generate` runs one batch on one device, and divides neither the KV cache into blocks nor a prompt into chunks; block
 * size and chunk size are set accordingly. */
static nnc_status resolve_eager(const nnc_model *model, const nnc_software *software, nnc_serve_mode mode,
                                nnc_serve_ask *p, nnc_error *err) {
    const bool plain = p->weights == NNC_STORED_BF16 || p->weights == NNC_STORED_FP16;
    const bool plain_kv = p->kv_precision == NNC_STORED_BF16 || p->kv_precision == NNC_STORED_FP16;
    const struct {
        const char *option;
        bool wrong;
        const char *expected;
    } rows[] = {
        { "--implementation",
          model->implementation != NNC_IMPLEMENTATION_TRANSFORMERS &&
              model->implementation != NNC_IMPLEMENTATION_PYTORCH,
          "expected transformers or pytorch, or an engine such as --software vllm" },
        { "--software", model->decoder.kv_lora_rank > 0 || model->decoder.shared_keys,
          "nncost does not know the copies of the model's latent cache, expected an engine such as --software vllm" },
        { "--batch", mode != NNC_SERVE_STATIC, "this software generates one batch at a time, expected --batch N" },
        { "--devices", p->devices > 1, "this software runs on one device, expected 1" },
        { "--weights", !plain, "expected bf16 or fp16" },
        { "--kv-precision", !plain_kv, "expected bf16 or fp16" },
        { "--draft", p->draft_length > 0,
          "this software has no draft models, expected an engine such as --software vllm" },
        { "--disaggregate", p->prefill_workers > 0,
          "this software has no separate prefill workers, expected an engine such as --software vllm" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].wrong) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, rows[i].option, "%s runs operators one by one: %s", software->id,
                            rows[i].expected);
        }
    }
    p->block = 1;
    p->chunk = p->batch * p->input_len;
    return NNC_OK;
}

nnc_status nnc_serve_resolve(const nnc_serve_ask *ask, const nnc_model *model, const nnc_device *device,
                             const nnc_software *software, nnc_serve_ask *plan, nnc_serve_mode *mode, nnc_error *err) {
    *plan = *ask;
    if (ask->steps > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--steps", "%s generates tokens, expected a U-Net that denoises images",
                        model->id);
    }
    NNC_TRY(resolve_mode(plan, mode, err));
    NNC_TRY(resolve_degrees(plan, err));
    NNC_TRY(check_split(model, plan, err));
    NNC_TRY(resolve_formats(model, device, plan, err));
    resolve_engine(&software->serving, device, plan);
    if (software->lists_operators) { NNC_TRY(resolve_eager(model, software, *mode, plan, err)); }
    NNC_TRY(check_loop(plan, err));
    return check_lengths(model, plan, err);
}

/* ---- image generation: text encoders, a denoiser that runs many steps, a decoder of the latent image ---- */

/* Tests whether a model is a denoiser of images: a U-Net with residual blocks, or a graph whose model file names the
 * network that decodes the latent image. */
bool nnc_denoises(const nnc_model *model) {
    return model->family == NNC_FAMILY_UNET ? model->unet.block == NNC_UNET_RESIDUAL : model->image_decoder[0] != '\0';
}

/* Sums over one forward pass of the denoiser, over one pass of all text encoders, or over one pass of the image
 * decoder. image: pixels per side of the image. */
typedef struct one_pass {
    double forward_s, flops, weight_bytes, peak_flops_per_s;
    int64_t image;
} one_pass;

static nnc_status run(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                      nnc_dtype precision, int64_t batch, int64_t image, nnc_scratch *scratch, one_pass *pass,
                      nnc_error *err) {
    nnc_result result;
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = batch;
    plan.image = image;
    plan.precision = precision;
    plan.train = NNC_TRAIN_NONE;
    NNC_TRY(nnc_estimate(model, device, software, &plan, scratch, &result, err));
    pass->forward_s += result.step_s;
    pass->flops += result.forward_flops;
    /* Image pipelines load fp32 weights if products compute in fp32 or TF32, otherwise 16-bit weights; 8-bit products
     * convert the 16-bit weights when they run. */
    pass->weight_bytes += nnc_max(nnc_dtype_bytes(precision), 2.0) * (double)result.params;
    pass->peak_flops_per_s = result.peak_flops_per_s;
    pass->image = result.plan.image;
    return NNC_OK;
}

static nnc_dtype plain(const nnc_device *device) {
    return nnc_device_matmul_peak(device, NNC_FP16) > 0.0   ? NNC_FP16
           : nnc_device_matmul_peak(device, NNC_BF16) > 0.0 ? NNC_BF16
                                                            : NNC_FP32;
}

static nnc_status resolve(const nnc_model *model, const nnc_device *device, const nnc_images_ask *ask,
                          nnc_images_ask *plan, nnc_error *err) {
    *plan = *ask;
    if (!nnc_denoises(model)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--steps",
                        "%s is no network that denoises images, expected a U-Net of residual blocks, or a graph "
                        "with an image_decoder; for a forward pass: nncost estimate MODEL DEVICE --train none",
                        model->id);
    }
    plan->batch = plan->batch > 0 ? plan->batch : 1;
    plan->precision = plan->precision < NNC_DTYPE_COUNT ? plan->precision : plain(device);
    plan->beside_s = isnan(plan->beside_s) ? 0.0 : plan->beside_s;
    return NNC_OK;
}

static double bound_s(const one_pass *pass, double mem_bytes_per_s) {
    return nnc_max(pass->flops / pass->peak_flops_per_s, pass->weight_bytes / mem_bytes_per_s);
}

static void say(const nnc_device *device, const one_pass *step, const one_pass *text, const one_pass *decoder,
                nnc_images *images, nnc_derivation *why) {
    const nnc_images_ask *plan = &images->plan;
    NNC_LET(why, steps, NULL, (double)plan->steps);
    NNC_LET(why, batch, NULL, (double)plan->batch);
    NNC_LET(why, beside_s, "s", plan->beside_s);
    images->forward_s = step->forward_s;
    images->forward_flops = step->flops;
    images->text_s = text->forward_s;
    images->decode_s = decoder->forward_s;
    NNC_PUT(why, images->forward_s, "s");
    NNC_PUT(why, images->forward_flops, "FLOP");
    NNC_PUT(why, images->text_s, "s");
    NNC_PUT(why, images->decode_s, "s");
    NNC_SET(why, images->image_s, "s",
            images->text_s + steps * images->forward_s + images->decode_s + batch * beside_s);
    NNC_NOTE(why, "forward passes of the estimate, with guidance over twice the batch");
    NNC_SET(why, images->images_per_s, NULL, batch / images->image_s);
    NNC_LET(why, peak_flops_per_s, "FLOP/s", step->peak_flops_per_s);
    NNC_SET(why, images->weight_bytes, "B", step->weight_bytes + text->weight_bytes + decoder->weight_bytes);
    NNC_LET(why, text_bound_s, "s", text->flops > 0.0 ? bound_s(text, device->mem_bytes_per_s) : 0.0);
    NNC_LET(why, step_bound_s, "s", bound_s(step, device->mem_bytes_per_s));
    NNC_LET(why, decode_bound_s, "s", decoder->flops > 0.0 ? bound_s(decoder, device->mem_bytes_per_s) : 0.0);
    NNC_SET(why, images->lower_bound_s, "s", text_bound_s + steps * step_bound_s + decode_bound_s);
    NNC_LET(why, other_flops, "FLOP", text->flops + decoder->flops);
    NNC_SET(why, images->utilization, NULL,
            (steps * images->forward_flops + other_flops) / images->image_s / peak_flops_per_s);
    images->capacity_bytes = (double)nnc_device_capacity(device);
    images->fits = images->weight_bytes <= images->capacity_bytes;
    images->price_per_device_hour = !isnan(plan->price)       ? plan->price
                                    : device->price_count > 0 ? device->prices[0].per_device_hour
                                                              : (double)NAN;
    NNC_PUT(why, images->price_per_device_hour, NULL);
    NNC_SET(why, images->per_thousand_images, NULL,
            images->price_per_device_hour / 3600.0 / images->images_per_s * 1000.0);
    NNC_LET(why, power_w, "W", device->power_w);
    NNC_SET(why, images->energy_j_per_image, "J", power_w / images->images_per_s);
    NNC_LET(why, carbon_g_per_kwh, "g/kWh", plan->carbon_g_per_kwh);
    NNC_SET(why, images->carbon_g_per_thousand_images, "g",
            images->energy_j_per_image * 1e3 / 3.6e6 * carbon_g_per_kwh);
}

nnc_status nnc_images_of(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                         const nnc_images_ask *ask, nnc_scratch *scratch, nnc_images *images, nnc_derivation *why,
                         nnc_error *err) {
    one_pass step = { .flops = 0.0 }, text = step, decoder = step;
    *images = (nnc_images){ .forward_s = 0.0 };
    nnc_images_ask *plan = &images->plan;
    NNC_TRY(resolve(model, device, ask, plan, err));
    const int64_t prompts = plan->batch * (plan->guidance ? 2 : 1);
    NNC_TRY(run(model, device, software, plan->precision, prompts, plan->image, scratch, &step, err));
    plan->image = step.image;
    for (int32_t i = 0; i < plan->encoder_count; i++) {
        NNC_TRY(run(plan->encoders[i], device, software, plan->precision, prompts, 0, scratch, &text, err));
    }
    if (plan->decoder != NULL) {
        NNC_TRY(
            run(plan->decoder, device, software, plan->precision, plan->batch, plan->image, scratch, &decoder, err));
    }
    say(device, &step, &text, &decoder, images, why);
    return NNC_OK;
}
