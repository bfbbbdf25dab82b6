/* Tests FLOPs, bytes and communication of serving steps. The test compares a decode step with numbers counted by hand.
 * A prefill, a verification of draft tokens and a mixed step must be sums of decode steps. */
#include "run_cases.h"
#include "serve/serve_internal.h"
#include "serve_cases.h"

static nnc_device *device;
static nnc_software software;
static nnc_serve_net net;
static nnc_serve_ask plan;
static nnc_serve_case of;

static nnc_serve_ask ask_of(int32_t tensor, int32_t pipeline) {
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.tensor = tensor;
    ask.pipeline = pipeline;
    ask.input_len = 1000;
    ask.output_len = 10;
    ask.chunk = 100000;
    return ask;
}

static void set_up_model(const nnc_model *model, const nnc_serve_ask *ask) {
    nnc_error err = { 0 };
    nnc_serve_mode mode;
    ok(nnc_serve_net_of(model, &software, scratch, &net, &err), &err);
    ok(nnc_serve_resolve(ask, model, device, &software, &plan, &mode, &err), &err);
    of = (nnc_serve_case){ .net = &net, .plan = &plan, .engine = &software.serving };
    ok(nnc_serve_rates_of(device, &software, &plan, &of.rates, &err), &err);
}

static const nnc_model *load(const char *id) {
    nnc_error err = { 0 };
    const nnc_model *model = NULL;
    const nnc_device *h100 = NULL;
    software = nnc_software_default();
    ok(nnc_model_load(specs, id, &model, &err), &err);
    ok(nnc_device_load(specs, "h100", &h100, &err), &err);
    ok(nnc_device_copy(specs, h100, &device, &err), &err);
    ok(nnc_device_set(device, "efficiency.basis", "none", &err), &err);
    return model;
}

static void set_up(const char *id, int32_t tensor, int32_t pipeline) {
    const nnc_serve_ask ask = ask_of(tensor, pipeline);
    set_up_model(load(id), &ask);
}

static double decode_flops(double sequences, double context) {
    return nnc_serve_decode(&of, sequences, context, NULL).flops;
}

/* DeepSeek-V3.2 has 61 layers with a latent of 512 + 64 values, and an indexer of 64 heads with a key of 128 values per
 * token. A token attends to the 2,048 tokens that the indexer selects; the cache keeps all tokens. In decode, attention
 * of 128 heads works on the latent: 2 x 512 + 64 values per pair. */
START_TEST(picked_keys_by_hand) {
    set_up("deepseek-v3.2", 1, 1);
    CLOSE(nnc_serve_kv_bytes(&of, 1000.0), 61.0 * 1000.0 * 2.0 * (512.0 + 64.0 + 128.0), 1e-12);

    const nnc_serve_step at_1000 = nnc_serve_decode(&of, 1.0, 1000.0, NULL);
    const nnc_serve_step at_9000 = nnc_serve_decode(&of, 1.0, 9000.0, NULL);
    CLOSE(at_9000.kv_bytes, 61.0 * 2.0 * (2048.0 * 576.0 + 9000.0 * 128.0 + 576.0), 1e-12);
    CLOSE(at_9000.flops - at_1000.flops, 61.0 * 2.0 * (128.0 * 1088.0 * 1048.0 + (64.0 * 128.0 + 64.0) * 8000.0), 1e-9);
    for (int32_t i = 0; i < net.product_count;
         i++) { /* scores of the indexer belong to attention; they are no products with weights */
        ck_assert_str_ne(net.products[i].name, "index.scores");
    }
}
END_TEST

/* DeepSeek-V4-Flash: 2 layers have a window of 128 tokens. 21 layers add a key of 512 values for every 4 tokens, and an
 * indexer of 64 heads of 128 selects 512 of these keys. 20 layers add a key for every 128 tokens. In this attention,
 * each key is also the value. Until a group of tokens has its key, the cache keeps a value and a score of each of its
 * tokens in fp32: 4 x 4 tokens for groups of 4 (two sets of values, two windows), and 128 tokens for groups of 128. */
START_TEST(compressed_keys_by_hand) {
    const double vector = 512.0 * 2.0, near = 43.0 * 128.0;
    set_up("deepseek-v4-flash", 1, 1);
    CLOSE(nnc_serve_kv_bytes(&of, 1000.0),
          vector * (near + 21.0 * 250.0 * (1.0 + 128.0 / 512.0) + 20.0 * 1000.0 / 128.0), 1e-12);
    const double state = 4.0 * (21.0 * 2.0 * 4.0 * 4.0 * (512.0 + 128.0) + 20.0 * 2.0 * 128.0 * 512.0);
    CLOSE(nnc_serve_state_bytes(&of), state, 1e-12);
    /* The cache of a sequence has the state and, in blocks of 16 tokens, the keys of 1,008 tokens. */
    plan.block = 16;
    CLOSE(nnc_serve_sequence_bytes(&of, 1000.0),
          state + vector * (near + 21.0 * 252.0 * (1.0 + 128.0 / 512.0) + 20.0 * 1008.0 / 128.0), 1e-12);

    const nnc_serve_step at_400 = nnc_serve_decode(&of, 1.0, 400.0, NULL);
    const nnc_serve_step at_4000 = nnc_serve_decode(&of, 1.0, 4000.0, NULL);
    CLOSE(at_4000.kv_bytes, vector * (near + 21.0 * (512.0 + 1000.0 / 4.0) + 20.0 * 4000.0 / 128.0 + 43.0), 1e-12);
    /* from 400 to 4,000 tokens, 512 instead of 100 keys are selected, there are 31 instead of 3 keys of 128 tokens, and
     * 1000 instead of 100 keys get a score */
    CLOSE(at_4000.flops - at_400.flops,
          2.0 * 64.0 * 1024.0 * (21.0 * 412.0 + 20.0 * 28.0) + 21.0 * 2.0 * (64.0 * 128.0 + 64.0) * 900.0, 1e-9);

    /* In a prompt of 4,000 tokens, token i attends to min(i, 128) tokens, min(i / 4, 512) keys of 4 tokens, and i / 128
     * keys of 128 tokens. */
    const nnc_serve_step prompt = nnc_serve_prefill(&of, 1.0, 0.0, 4000.0, NULL);
    const nnc_serve_step first = nnc_serve_prefill(&of, 1.0, 0.0, 3999.0, NULL);
    double products = at_400.flops - 2.0 * 64.0 * 1024.0 * (43.0 * 128.0 + 21.0 * 100.0 + 20.0 * 3.0) -
                      21.0 * 2.0 * (64.0 * 128.0 + 64.0) * 100.0 - 2.0 * net.hidden * net.vocab;
    /* without the residual streams of the head, which only the last token has */
    products -= 2.0 * 4.0 * net.hidden * 4.0;
    CLOSE(prompt.flops - first.flops,
          products + 2.0 * 64.0 * 1024.0 * (near + 21.0 * 512.0 + 20.0 * 31.0) +
              21.0 * 2.0 * (64.0 * 128.0 + 64.0) * 1000.0,
          1e-9);
}
END_TEST

/* The head of Llama 3.2 1B reads the input table of 128,256 x 2,048 values. One device stores the table once, so the
 * weights take 2 B for each of 1,235,814,400 parameters. With two pipeline stages, each device stores 8 layers and the
 * table: the first device for the input, the last one for the head. The head of Llama 3 8B is a matrix of its own. */
START_TEST(a_tied_table_is_stored_once) {
    const double params = 1235814400.0, table = 128256.0 * 2048.0;
    nnc_serve s = { .struct_size = sizeof s };
    set_up("llama3.2-1b", 1, 1);
    nnc_serve_memory(&of, device, &s, NULL);
    CLOSE(s.weight_bytes, 2.0 * params, 1e-12);
    set_up("llama3.2-1b", 1, 2);
    nnc_serve_memory(&of, device, &s, NULL);
    CLOSE(s.weight_bytes, 2.0 * ((params - table) / 2.0 + table), 1e-5); /* 1e-5: the last norm */
    set_up("llama3-8b", 1, 1);
    nnc_serve_memory(&of, device, &s, NULL);
    CLOSE(s.weight_bytes, 2.0 * 8030261248.0, 1e-12);
}
END_TEST

/* Llama 3 8B has 6,979,321,856 elements in the products of its layers and 525,336,576 in the head, with 2 FLOPs per
 * element. Each of 32 layers has 4 x 32 x 128 FLOPs per attended position, and 2 x 8 x 128 elements of 2 bytes per
 * token in the cache. A step reads the cache of the attended positions and writes one position. In a prefill, only the
 * last token of a prompt passes the head. */
START_TEST(llama_by_hand) {
    const double layers = 6979321856.0, head = 525336576.0, pair = 32.0 * 4.0 * 32.0 * 128.0;
    const double token = 131072.0;
    set_up("llama3-8b", 1, 1);
    const nnc_serve_step d = nnc_serve_decode(&of, 3.0, 500.0, NULL);
    CLOSE(d.flops, 3.0 * (2.0 * (layers + head) + 500.0 * pair), 1e-12);
    CLOSE(d.weight_bytes, 2.0 * (layers + head), 1e-12);
    CLOSE(d.kv_bytes, 3.0 * token * (500.0 + 1.0), 1e-12);
    CLOSE(d.bytes, d.weight_bytes + d.kv_bytes, 1e-12);
    CLOSE(d.intensity_flops_per_byte, d.flops / d.bytes, 1e-12);
    ck_assert_double_eq(d.network_bytes, 0.0);
    CLOSE(d.time_s, d.product_s + d.attention_s + d.head_s + d.host_s, 1e-12);
    ck_assert_double_eq(d.expert_s, 0.0);
    CLOSE(d.lower_bound_s, fmax(d.bytes / 3.35e12, d.flops / nnc_device_matmul_peak(device, NNC_BF16)), 1e-9);

    /* 2 prompts of 7 tokens each after 5 cached tokens: positions 6 to 12 attend to all positions up to their own */
    const nnc_serve_step p = nnc_serve_prefill(&of, 2.0, 5.0, 7.0, NULL);
    CLOSE(p.flops, 2.0 * (7.0 * 2.0 * layers + 2.0 * head + 63.0 * pair), 1e-12);
    CLOSE(p.weight_bytes, 2.0 * (layers + head), 1e-12);
    CLOSE(p.kv_bytes, 2.0 * token * (5.0 + 7.0), 1e-12);
    ck_assert_double_eq(p.steps, 1.0);
    ck_assert_double_eq(p.context, 12.0);

    /* In chunks of 4, 2 x 7 tokens take 4 passes over the layers. Each prompt reads its cache twice: first 5 positions,
     * then 4 more. */
    plan.chunk = 4;
    const nnc_serve_step c = nnc_serve_prefill(&of, 2.0, 5.0, 7.0, NULL);
    ck_assert_double_eq(c.steps, 4.0);
    CLOSE(c.flops, p.flops, 1e-12);
    CLOSE(c.weight_bytes, 2.0 * (4.0 * layers + head), 1e-12);
    CLOSE(c.kv_bytes, 2.0 * token * (2.0 * 5.0 + 4.0 + 7.0), 1e-12);
}
END_TEST

/* A token has the same FLOPs in a prefill as in a decode step at its context, except for the head: a prefill computes
 * the head only for the last token. So a verification of n tokens, a prefill and a mixed step are sums of decode steps.
 * The models have windows (half of the layers of Gemma 2: 4,096 positions, with contexts below and above), experts
 * (GPT-OSS) and states (Jamba). */
START_TEST(steps_are_sums) {
    static const char *const ids[] = { "llama3-8b", "gemma2-9b", "gpt-oss-20b", "jamba-v0.1" };
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        double head = 0.0;
        set_up(ids[i], 1, 1);
        for (int32_t k = 0; k < net.product_count; k++) {
            const nnc_serve_product *p = &net.products[k];
            head += p->last ? 2.0 * p->layers * p->n * p->k : 0.0;
        }
        for (double context = 3.0; context < 10000.0; context = context * 8.0 + 1.0) {
            double sum = 0.0, tokens = 6.0;
            for (double t = 0.0; t < tokens; t += 1.0) { sum += decode_flops(2.0, context + t); }
            CLOSE(nnc_serve_verify(&of, 2.0, context, tokens).flops, sum, 1e-12);
            const nnc_serve_step prefill = nnc_serve_prefill(&of, 2.0, context - 1.0, tokens, NULL);
            CLOSE(prefill.flops, sum - 2.0 * (tokens - 1.0) * head, 1e-12);
            const nnc_serve_step one = nnc_serve_prefill(&of, 1.0, context - 1.0, tokens, NULL);
            const nnc_serve_step decode = nnc_serve_decode(&of, 5.0, context, NULL);
            const nnc_serve_step mixed = nnc_serve_mixed(&of, 5.0, context, 0.5, context - 1.0, tokens);
            CLOSE(mixed.flops, decode.flops + 0.5 * one.flops, 1e-12);
            ck_assert_double_gt(mixed.time_s, decode.time_s);
            const nnc_serve_step none = nnc_serve_mixed(&of, 5.0, context, 0.0, 0.0, 0.0);
            CLOSE(none.time_s, decode.time_s, 1e-12);
            CLOSE(none.flops, decode.flops, 1e-12);
            CLOSE(nnc_serve_verify(&of, 5.0, context, 1.0).time_s, decode.time_s, 1e-12);
            CLOSE(none.kv_bytes, decode.kv_bytes, 1e-12);
        }
    }
}
END_TEST

/* In Mamba 2.8B a step reads and writes the states of a sequence once, 8 bytes per value. Prompts have 1,000 tokens and
 * chunks 512. One prompt takes 2 chunks. 4 prompts take 8 chunks, and all 7 ends between these chunks are inside a
 * prompt, so states are read 4 + 7 times. Chunks of 500 and 2,000 end where prompts end. A mixed step also accesses the
 * states of its prompts. The ops of a step add up to its totals, and states have no weights. */
START_TEST(states_of_chunks) {
    set_up("mamba-2.8b", 1, 1);
    const double once = 2.0 * nnc_serve_state_bytes(&of);
    const struct {
        int64_t chunk;
        double prompts, accesses;
    } rows[] = { { 512, 1.0, 2.0 },  { 512, 4.0, 11.0 }, { 500, 1.0, 2.0 },     { 500, 4.0, 8.0 },
                 { 2000, 4.0, 4.0 }, { 2500, 4.0, 5.0 }, { 100000, 64.0, 64.0 } };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        plan.chunk = rows[i].chunk;
        CLOSE(nnc_serve_prefill(&of, rows[i].prompts, 0.0, 1000.0, NULL).kv_bytes, rows[i].accesses * once, 1e-12);
    }
    CLOSE(nnc_serve_decode(&of, 5.0, 700.0, NULL).kv_bytes, 5.0 * once, 1e-12);
    CLOSE(nnc_serve_mixed(&of, 5.0, 700.0, 2.0, 0.0, 1000.0).kv_bytes, 7.0 * once, 1e-12);
    nnc_serve_op ops[NNC_SERVE_OPS_MAX];
    nnc_serve_list list = { .ops = ops };
    const nnc_serve_step step = nnc_serve_decode(&of, 5.0, 700.0, &list);
    double flops = 0.0, weight_bytes = 0.0, kv_bytes = 0.0;
    for (int32_t i = 0; i < list.count; i++) {
        flops += ops[i].flops;
        weight_bytes += ops[i].weight_bytes;
        kv_bytes += ops[i].kv_bytes;
        ck_assert(ops[i].kv_bytes == 0.0 || ops[i].weight_bytes == 0.0);
        ck_assert_double_gt(ops[i].count, 0.0); /* a step without prompts has no ops for prompts */
    }
    CLOSE(flops, step.flops, 1e-12);
    CLOSE(weight_bytes, step.weight_bytes, 1e-12);
    CLOSE(kv_bytes, step.kv_bytes, 1e-12);
}
END_TEST

/* Two tensor ranks halve the FLOPs and the cache. There is an all-reduce after each of 2 x 32 products and one after
 * the embedding; each sends 2 x 1/2 of 4,096 values of 16 bits per row. With two stages, each stage has half of the
 * sequences, and their rows are sent once. */
START_TEST(ranks_and_stages) {
    set_up("llama3-8b", 1, 1);
    const nnc_serve_step one = nnc_serve_decode(&of, 8.0, 500.0, NULL);
    const nnc_serve_step half = nnc_serve_decode(&of, 4.0, 500.0, NULL);
    set_up("llama3-8b", 2, 1);
    const nnc_serve_step ranks = nnc_serve_decode(&of, 8.0, 500.0, NULL);
    CLOSE(ranks.flops, one.flops / 2.0, 1e-12);
    CLOSE(ranks.kv_bytes, one.kv_bytes / 2.0, 1e-12);
    CLOSE(ranks.weight_bytes, one.weight_bytes / 2.0, 1e-12);
    CLOSE(ranks.network_bytes, 65.0 * 8.0 * 4096.0 * 2.0, 1e-12);
    ck_assert_double_gt(ranks.comm_s, 0.0);
    set_up("llama3-8b", 1, 2);
    const nnc_serve_step stages = nnc_serve_decode(&of, 8.0, 500.0, NULL);
    CLOSE(stages.flops, half.flops,
          1e-12); /* FLOPs of all stages, but only for the sequences that are in one stage at a time */
    CLOSE(stages.network_bytes, 4.0 * 4096.0 * 2.0 / 2.0, 1e-12);
    ck_assert_double_eq(stages.sequences, 8.0);
    /* a single sequence is not divided over the stages */
    const nnc_serve_step few = nnc_serve_decode(&of, 1.0, 500.0, NULL);
    set_up("llama3-8b", 1, 1);
    CLOSE(few.flops, nnc_serve_decode(&of, 1.0, 500.0, NULL).flops, 1e-12);
}
END_TEST

/* Joins compute and memory time as (c^1.5 + m^1.5)^(2/3); see docs/serving.md. */
static double joint_s(double compute_s, double memory_s) {
    return pow(pow(compute_s, 1.5) + pow(memory_s, 1.5), 2.0 / 3.0);
}

/* Computes one decode step of Mixtral 8x7B, or of the same model with one expert, a second time. `sequences` sequences
 * run on p stages, and on g groups of t ranks. Attention and head process the sequences of a group; every rank of the
 * group computes the router. Experts process the sequences of all groups. The weights of an expert are read if a token
 * selected this expert. With expert parallelism, the busiest rank has `imbalance` times the mean. */
static void check_experts(double t, double g, double p, double busy, double sequences) {
    const double s = fmax(sequences / p, fmin(sequences, 1.0)) / g, context = 700.0;
    double flops = 0.0, weight_bytes = 0.0, expert_s = 0.0, dispatches = 0.0, chosen = 0.0;
    for (int32_t i = 0; i < net.product_count; i++) {
        const nnc_serve_product *one = &net.products[i];
        const bool routed = one->split == NNC_SPLIT_EXPERT_ROW || one->split == NNC_SPLIT_EXPERT_COLUMN;
        const double n = one->experts, k = one->chosen;
        const bool whole = one->split == NNC_SPLIT_TOKENS || one->split == NNC_SPLIT_SEQUENCE;
        const double share = routed ? 1.0 / (t * g) : whole ? 1.0 : 1.0 / t;
        const double elements = one->layers * one->n * one->k * share;
        const double rows = routed ? g * s * k * busy : s;
        const double read = routed ? fmin(n, busy * n * (1.0 - pow(1.0 - k / n, g * s))) : 1.0;
        flops += 2.0 * rows * elements;
        weight_bytes += 2.0 * read * elements;
        if (routed) {
            expert_s += joint_s(2.0 * rows * elements / (0.7 * of.rates.dense_flops_per_s),
                                2.0 * read * elements / of.rates.expert_bytes_per_s);
        }
        if (one->split == NNC_SPLIT_EXPERT_ROW) {
            dispatches = 2.0 * one->layers; /* dispatch sends tokens to the experts, combine sends them back */
            chosen = k;
        }
    }
    flops += s * context * 32.0 * 4.0 * 32.0 / t * 128.0;
    const double row_bytes = s * 4096.0 * 2.0, link = of.rates.link_bytes_per_s;
    const nnc_small_all_reduce *a = &of.rates.all_reduce;
    const double one_s = a->fixed_s + t * a->rank_s + (t - 1.0) * row_bytes / (a->one_shot_fraction * link);
    const double two_s =
        a->fixed_s + t * a->rank_s + a->two_shot_s + 2.0 * (t - 1.0) / t * row_bytes / (a->two_shot_fraction * link);
    const double sent = dispatches * chosen * row_bytes / t * (g - 1.0) / g;
    double comm_s = 0.0, network_bytes = sent;
    if (t > 1.0) {
        comm_s += 65.0 * (1.5 * fmin(one_s, two_s) + 3e-6);
        network_bytes += 65.0 * 2.0 * (t - 1.0) / t * row_bytes;
    }
    if (g > 1.0) {
        comm_s += dispatches * (of.rates.exchange_fixed_s + g * a->rank_s) +
                  sent / (a->two_shot_fraction * of.rates.exchange_bytes_per_s);
    }
    /* stages in other servers of 8 devices receive over the network; the fitted fraction of its rate is 1 here */
    const double outside = p > 1.0 ? fmin(ceil(t * g * p / 8.0), p) - 1.0 : 0.0;
    comm_s += (p - 1.0 - outside) * (a->fixed_s + row_bytes / t / (a->one_shot_fraction * link));
    comm_s += outside * (of.rates.stage_fixed_s + row_bytes / t / device->scale_out.bytes_per_s);
    network_bytes += (p - 1.0) * row_bytes / t / p;
    const nnc_serve_step d = nnc_serve_decode(&of, sequences, context, NULL);
    CLOSE(d.flops, flops, 1e-12);
    CLOSE(d.weight_bytes, weight_bytes, 1e-12);
    CLOSE(d.expert_s, expert_s, 1e-9);
    CLOSE(d.kv_bytes, s * (context + 1.0) * 131072.0 / t, 1e-12);
    ck_assert_double_eq_tol(d.comm_s, comm_s, 1e-12 * comm_s + 1e-30);
    ck_assert_double_eq_tol(d.network_bytes, network_bytes, 1e-12 * network_bytes + 1e-30);
}

START_TEST(groups_share_experts) {
    nnc_model model = *load("mixtral-8x7b");
    software.serving.all_reduce_factor = 1.5;
    software.serving.all_reduce_s = 3e-6;
    for (int i = 0; i < 2 * 3 * 3 * 2 * 2; i++) {
        const int32_t t = 1 << i % 3, g = 1 << i / 3 % 3, p = 1 + i / 9 % 2;
        const bool apart = i / 18 % 2 != 0;
        nnc_serve_ask ask = ask_of(t, p);
        model.decoder.experts = i / 36 == 0 ? 8 : t * g == 1 || !apart ? 1 : 8;
        model.decoder.experts_per_token = model.decoder.experts == 1 ? 1 : 2;
        ask.attention_data = g;
        ask.expert = apart && t * g <= 8 ? t * g : 1;
        ask.imbalance = 1.3;
        set_up_model(&model, &ask);
        of.rates.all_reduce = (nnc_small_all_reduce){ 1e-5, 1e-6, 2e-6, 0.5, 0.25, 0.0 };
        of.rates.link_bytes_per_s = 1e11;
        of.rates.exchange_bytes_per_s = 2e10;
        of.rates.exchange_fixed_s = 3e-5;
        for (double sequences = 1.0; sequences < 3000.0; sequences *= 7.0) {
            check_experts(t, g, p, ask.expert > 1 ? 1.3 : 1.0, sequences);
        }
    }
}
END_TEST

/* 3 workers compute prompts of 1,000 tokens with 2 stages and 2 attention groups, 4 prompts at a time. So one prompt
 * ends in each quarter of the prefill time. 2 workers decode 10 tokens of 8 requests each (4 slots of 2 groups), or of
 * the 5 requests that fit. The cache of a prompt, 131,072 B per token over 2 tensor ranks, is sent over the NICs of
 * both ranks. */
START_TEST(prefill_and_decode_apart) {
    const nnc_model *mixtral = load("mixtral-8x7b");
    nnc_serve_ask ask = ask_of(2, 2);
    ask.attention_data = 2;
    software.serving.ttft_s = 0.25;
    set_up_model(mixtral, &ask);
    plan.prefill_workers = 3;
    plan.decode_workers = 2;
    plan.max_batch = 4;
    const double prompt_s = nnc_serve_prefill(&of, 1.0, 0.0, 1000.0, NULL).time_s;
    for (int fits = 0; fits < 2; fits++) {
        nnc_serve s = { .max_sequences = fits ? 100.0 : 5.0 };
        nnc_serve_extra(&of, device, &s, NULL);
        const double batch = fits ? 8.0 : 5.0;
        const double step_s = nnc_serve_decode(&of, batch, 1005.0, NULL).time_s;
        const double prompts = 3.0 / (prompt_s / 4.0), decodes = 2.0 * batch / (10.0 * step_s);
        CLOSE(s.apart_requests_per_s, fmin(prompts, decodes), 1e-12);
        CLOSE(s.apart_workers_ratio, decodes / 2.0 / (prompts / 3.0), 1e-12);
        CLOSE(s.transfer_bytes, 131072.0 * 1000.0, 1e-12);
        CLOSE(s.transfer_s, 131072.0 * 1000.0 / 2.0 / device->scale_out.bytes_per_s, 1e-12);
        CLOSE(s.apart_ttft_s, prompt_s + s.transfer_s + 0.25, 1e-12);
        CLOSE(s.apart_tpot_s, step_s, 1e-12);
    }
}
END_TEST

/* Number of simulated requests with 4 replicas. 10 clients are simulated as 5 clients on 2 replicas, 3 clients as 1
 * client on one replica, and 1,030 clients as 258 clients on one replica. Each client sends four requests, or one per
 * wave if the benchmark has fewer waves. Of 10 recorded requests, a replica gets 3. An open loop simulates as many
 * requests as the plan states. */
START_TEST(requests_of_a_replica) {
    static const struct {
        int64_t concurrency, arrivals;
        double waves;
        int64_t count;
    } cases[] = { { 10, 0, 100.0, 20 },     { 10, 0, 2.0, 10 }, { 3, 0, 100.0, 4 },
                  { 1030, 0, 100.0, 1032 }, { 0, 10, 1.0, 3 },  { 0, 0, 1.0, 7 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        nnc_serve_ask ask = nnc_serve_ask_default();
        ask.data = 4;
        ask.requests = i + 1 == COUNT_OF(cases) ? 7 : 1;
        ask.concurrency = cases[i].concurrency;
        ask.arrival_count = cases[i].arrivals;
        ask.waves = cases[i].waves;
        ck_assert_int_eq(nnc_serve_requests_of(&ask), cases[i].count);
    }
}
END_TEST

/* Each token of a prompt is sent to its experts and back once, in chunks of any size: 4,096 x 2 B x 2 experts x 1/2,
 * there and back, in 32 layers. Each chunk has the fixed time of an all-to-all. Each of the two attention groups has
 * one of two prompts, so a device sends as many bytes for two prompts as for one. */
START_TEST(chunks_send_their_tokens_once) {
    const nnc_model *mixtral = load("mixtral-8x7b");
    nnc_serve_ask ask = ask_of(1, 1);
    ask.attention_data = 2;
    set_up_model(mixtral, &ask);
    of.rates.all_reduce = (nnc_small_all_reduce){ 1e-5, 0.0, 2e-6, 0.5, 0.25, 0.0 };
    of.rates.exchange_fixed_s = 3e-5;
    const double sent = 2.0 * 32.0 * 800.0 * 4096.0 * 2.0 * 2.0 / 2.0;
    for (int64_t chunks = 1; chunks <= 8; chunks *= 2) {
        plan.chunk = 800 / chunks;
        const nnc_serve_step p = nnc_serve_prefill(&of, 1.0, 0.0, 800.0, NULL);
        CLOSE(p.network_bytes, sent, 1e-12);
        CLOSE(nnc_serve_prefill(&of, 2.0, 0.0, 800.0, NULL).network_bytes, sent, 1e-12);
        CLOSE(p.comm_s, sent / (0.25 * of.rates.exchange_bytes_per_s) + 2.0 * 32.0 * (double)chunks * 3e-5, 1e-9);
    }
}
END_TEST

/* DeepSeek-V3 on 32 ranks in 4 nodes of 8. 58 layers send 7,168 values per token, as 7,168 x 33/32 = 7,392 B with
 * scales, and receive results of 14,336 B. 2 of 8 groups of experts are in each node, and a group is on 4 ranks. A
 * token of a prompt reaches 4 (1 - C(6,4) / C(8,4)) = 22/7 nodes. 3/4 of these nodes are not the node of the token:
 * 33/14. A token of a prompt reaches 4 x 4 (1 - (3/4)^2) = 7 ranks, 7/8 of them over NVLink. In decode, each of the 8
 * copies of a token is sent to its expert: 6 copies leave the node and 2 copies stay. Of the copies that stay, 7/8 are
 * sent over NVLink. [experts] */
static void check_dispatch(double token_bytes, double across, double inside) {
    const double bytes = 58.0 * (token_bytes + 14336.0), fixed_s = 2.0 * 58.0 * 3e-5;
    const nnc_serve_step prefill = nnc_serve_prefill(&of, 32.0, 0.0, 1000.0, NULL);
    CLOSE(prefill.network_bytes, 1000.0 * bytes * (across + inside), 1e-12);
    CLOSE(prefill.comm_s, 1000.0 * bytes * across / 4e10 + fixed_s, 1e-12);
    const nnc_serve_step decode = nnc_serve_decode(&of, 32.0 * 128.0, 1000.0, NULL);
    CLOSE(decode.network_bytes, 128.0 * bytes * 7.75, 1e-12);
    CLOSE(decode.comm_s, 128.0 * bytes * 6.0 / 4e10 + fixed_s, 1e-12);
    const nnc_serve_step mixed = nnc_serve_mixed(&of, 32.0 * 128.0, 1000.0, 32.0, 0.0, 1000.0);
    CLOSE(mixed.network_bytes, prefill.network_bytes + decode.network_bytes, 1e-12);
    CLOSE(mixed.comm_s, prefill.comm_s + decode.comm_s - fixed_s, 1e-12);
}

static void set_up_nodes(bool once, bool narrow, nnc_stored weights, int32_t ranks, double inside_bytes_per_s) {
    const nnc_model *model = load("deepseek-v3");
    nnc_serve_ask ask = ask_of(1, 1);
    ask.attention_data = ask.expert = ranks;
    ask.weights = weights;
    ask.precision = NNC_FP8;
    software.expert_once_per_node = once;
    software.expert_dispatch_8bit = narrow;
    set_up_model(model, &ask);
    of.rates.all_reduce = (nnc_small_all_reduce){ 1e-5, 0.0, 2e-6, 0.5, 0.25, 0.0 };
    of.rates.exchange_fixed_s = 3e-5;
    of.rates.dispatch.across_bytes_per_s = 4e10;
    of.rates.dispatch.inside_bytes_per_s = inside_bytes_per_s;
}

START_TEST(a_node_gets_a_token_once) {
    set_up_nodes(true, true, NNC_STORED_FP8_BLOCK, 32, 2e11);
    check_dispatch(7392.0, 33.0 / 14.0, 7.0 * 7.0 / 8.0);
    set_up_nodes(true, true, NNC_STORED_FP8, 32, 2e11); /* without a scale per block, tokens have 16 bits */
    check_dispatch(14336.0, 33.0 / 14.0, 7.0 * 7.0 / 8.0);
    set_up_nodes(false, false, NNC_STORED_FP8_BLOCK, 32, 2e11);
    check_dispatch(14336.0, 6.0, 7.0 / 4.0);
}
END_TEST

/* With 16 ranks in 2 nodes, a token reaches 2 (1 - C(4,4) / C(8,4)) = 69/35 nodes and 4 x 2 (1 - (1/2)^2) = 6 ranks.
 * The links inside a node take longer than the network. With 8 ranks, all ranks are in one node, and each of 8 copies
 * has 16 bits. */
START_TEST(links_inside_a_node_can_be_slower) {
    const double bytes = 1000.0 * 58.0 * (7392.0 + 14336.0), fixed_s = 2.0 * 58.0 * 3e-5;
    set_up_nodes(true, true, NNC_STORED_FP8_BLOCK, 16, 1e11);
    nnc_serve_step prefill = nnc_serve_prefill(&of, 16.0, 0.0, 1000.0, NULL);
    CLOSE(prefill.network_bytes, bytes * (69.0 / 70.0 + 5.25), 1e-12);
    CLOSE(prefill.comm_s, bytes * 5.25 / 1e11 + fixed_s, 1e-12);
    plan.imbalance = 1.5; /* with imbalance 1.5, the busiest rank sends 1.5 times as many bytes */
    CLOSE(nnc_serve_prefill(&of, 16.0, 0.0, 1000.0, NULL).network_bytes, 1.5 * prefill.network_bytes, 1e-12);
    set_up_nodes(true, true, NNC_STORED_FP8_BLOCK, 8, 1e11);
    prefill = nnc_serve_prefill(&of, 8.0, 0.0, 1000.0, NULL);
    CLOSE(prefill.network_bytes, 1000.0 * 58.0 * 2.0 * 14336.0 * 7.0, 1e-12);
}
END_TEST

/* Published times of dispatch + combine with DeepEP's low-latency kernels on H800, with 128 tokens of DeepSeek-V3 per
 * rank: for 16 ranks (118 + 195 us), 32, 64 and 128 ranks. Source: docs/legacy.md of
 * https://github.com/deepseek-ai/DeepEP. NCCL's fixed time of a collective between nodes is added only for software
 * that does not use DeepEP. */
START_TEST(low_latency_kernels_as_published) {
    static const double measured_us[] = { 118.0 + 195.0, 155.0 + 273.0, 173.0 + 314.0, 192.0 + 369.0 };
    nnc_error err = { 0 };
    const nnc_device *h800 = NULL;
    for (int i = 0; i < 4; i++) {
        set_up_nodes(true, true, NNC_STORED_FP8_BLOCK, 16 << i, 2e11);
        ok(nnc_device_load(specs, "h800", &h800, &err), &err);
        ok(nnc_serve_rates_of(h800, &software, &plan, &of.rates, &err), &err);
        const double us = nnc_serve_decode(&of, 128.0 * (double)(16 << i), 1000.0, NULL).comm_s / 58.0 * 1e6;
        ck_assert_double_eq_tol(us, measured_us[i], 0.1 * measured_us[i]);
        const double fixed_s = of.rates.exchange_fixed_s;
        software.expert_once_per_node = false;
        ok(nnc_serve_rates_of(h800, &software, &plan, &of.rates, &err), &err);
        CLOSE(of.rates.exchange_fixed_s, fixed_s + h800->efficiency.collectives.scale_out_fixed_s, 1e-12);
    }
}
END_TEST

/* With two micro-batches, dispatch and combine start twice in each layer. The communication time N of prompts overlaps
 * with compute, which then has 3/4 of the units: C + N - share min(C, 3/4 N). In decode, the communication of experts
 * does not overlap with compute. */
START_TEST(prompts_overlap_with_dispatch) {
    set_up_nodes(true, true, NNC_STORED_FP8_BLOCK, 32, 1e12);
    of.rates.dispatch.across_bytes_per_s = 2e11;
    const nnc_serve_step plain = nnc_serve_prefill(&of, 32.0, 0.0, 1000.0, NULL);
    const nnc_serve_step decode = nnc_serve_decode(&of, 4096.0, 1000.0, NULL);
    const double compute_s = plain.product_s + plain.expert_s + plain.attention_s, fixed_s = 2.0 * 58.0 * 3e-5;
    of.rates.dispatch.compute_share = 0.75;
    plan.overlap_expert = 0.5;
    const nnc_serve_step half = nnc_serve_prefill(&of, 32.0, 0.0, 1000.0, NULL);
    CLOSE(half.comm_s, plain.comm_s + fixed_s - 0.5 * 0.75 * (plain.comm_s + fixed_s), 1e-12);
    CLOSE(half.network_bytes, plain.network_bytes, 1e-12);
    CLOSE(nnc_serve_decode(&of, 4096.0, 1000.0, NULL).comm_s, decode.comm_s, 1e-12);
    const nnc_serve_step mixed = nnc_serve_mixed(&of, 4096.0, 1000.0, 32.0, 0.0, 1000.0);
    CLOSE(mixed.comm_s, decode.comm_s + 0.625 * plain.comm_s, 1e-12);
    CLOSE(mixed.network_bytes, plain.network_bytes + decode.network_bytes, 1e-12);
    plan.overlap_expert = 1.0;
    of.rates.dispatch.across_bytes_per_s = 1e8; /* communication takes longer than compute */
    const double long_s = 1000.0 * 58.0 * (7392.0 + 14336.0) * 33.0 / 14.0 / 1e8 + 2.0 * fixed_s;
    CLOSE(nnc_serve_prefill(&of, 32.0, 0.0, 1000.0, NULL).comm_s, long_s - compute_s, 1e-9);
}
END_TEST

/* Latent attention reads the latent of 512 values and the key of 64 once for all heads: 27 layers, 2 bytes per
 * value. */
START_TEST(a_latent_is_read_once) {
    set_up("deepseek-v2-lite", 1, 1);
    of.rates.kv_reread = 0.25;
    of.rates.attention_flops_per_s = 1e18; /* the products are so fast that reading the cache takes longer */
    const nnc_serve_step d = nnc_serve_decode(&of, 3.0, 500.0, NULL);
    CLOSE(d.kv_bytes, 3.0 * 501.0 * 27.0 * 576.0 * 2.0, 1e-12);
    CLOSE(d.attention_s, d.kv_bytes / of.rates.kv_bytes_per_s, 1e-12);
}
END_TEST

/* The factors of an engine never raise a rate above the memory bandwidth. A device without a number of units has no
 * limit per unit. Embedding tables and norms have 4 bytes per value in fp32 models, and 2 bytes in narrower formats. */
START_TEST(rates_end_at_the_memory) {
    nnc_error err = { 0 };
    set_up("llama3-8b", 1, 1);
    nnc_serve_engine *engine = &software.serving;
    engine->kv_factor = 1.5;
    engine->unit_bytes_per_clock = 10.0;
    device->units = 0;
    for (int i = 0; i < NNC_STORED_COUNT; i++) { engine->stream_factor[i] = 1.5; }
    for (int i = 0; i < NNC_STORED_COUNT; i++) {
        nnc_serve_rates r;
        plan.weights = (nnc_stored)i;
        ok(nnc_serve_rates_of(device, &software, &plan, &r, &err), &err);
        const double rates[] = { r.stream_bytes_per_s, r.plain_bytes_per_s, r.expert_bytes_per_s, r.kv_bytes_per_s,
                                 r.state_bytes_per_s };
        for (size_t k = 0; k < COUNT_OF(rates); k++) { ck_assert_double_eq(rates[k], device->mem_bytes_per_s); }
        ck_assert_double_eq(r.plain_bytes, i == NNC_STORED_FP32 ? 4.0 : 2.0);
    }
}
END_TEST

/* With one token, a product of 16-bit weights computes 2 FLOPs per weight of 2 bytes. If the device computes as many
 * FLOPs per second as it reads bytes, products and the step count as bound by compute. */
START_TEST(equal_times_count_as_compute) {
    set_up("llama3-8b", 1, 1);
    nnc_serve_rates *r = &of.rates;
    r->dense_flops_per_s = r->plain_flops_per_s = r->stream_bytes_per_s = r->plain_bytes_per_s = 0x1p30;
    nnc_serve_op ops[NNC_SERVE_OPS_MAX];
    nnc_serve_list list = { .ops = ops };
    const nnc_serve_step step = nnc_serve_decode(&of, 1.0, 1.0, &list);
    for (int32_t i = 0; i < list.count; i++) {
        ck_assert(ops[i].weight_bytes == 0.0 || ops[i].flops != ops[i].weight_bytes ||
                  ops[i].bound == NNC_BOUND_COMPUTE);
    }
    ck_assert_int_eq(step.bound, NNC_BOUND_COMPUTE);
}
END_TEST

/* A single device sends nothing, so the rate of its links may be unknown. */
START_TEST(one_device_needs_no_link) {
    set_up("llama3-8b", 1, 1);
    of.rates.link_bytes_per_s = of.rates.exchange_bytes_per_s = (double)NAN;
    ck_assert_double_eq(nnc_serve_decode(&of, 3.0, 500.0, NULL).comm_s, 0.0);
    ck_assert_double_eq(nnc_serve_decode(&of, 3.0, 500.0, NULL).network_bytes, 0.0);
}
END_TEST

/* The tensor ranks of a torus send over all links to their neighbours. 16 TPU v5e are a slice of 4 x 4, two lines
 * without wrap-around links, so each chip has 2 links of 50e9 B/s. 256 TPU v5e are the whole pod of 16 x 16 with
 * wrap-around links, so each chip has 4 links (Cloud TPU documentation of v5e: 1,600 Gb/s = 4 x 50e9 B/s per chip). In
 * the mesh of 8 MI300X, 4 ranks use 3 of the 7 links of 64e9 B/s. On 16 v5e, an all-reduce of b bytes in two rounds
 * takes 2 (15/16) b / (2 x 50e9 r2) seconds; r2 is the fraction of the link rate that two rounds reach. */
START_TEST(tensor_ranks_use_all_their_links) {
    static const struct {
        const char *id;
        int32_t tensor;
        double links, link_bytes_per_s;
    } cases[] = { { "tpu-v5e", 16, 2.0, 50e9 },
                  { "tpu-v5e", 256, 4.0, 50e9 },
                  { "mi300x", 4, 3.0, 64e9 },
                  { "mi300x", 8, 7.0, 64e9 } };
    nnc_error err = { 0 };
    set_up("llama3-8b", 1, 1);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const nnc_device *other;
        nnc_serve_rates r;
        ok(nnc_device_load(specs, cases[i].id, &other, &err), &err);
        plan.tensor = cases[i].tensor;
        ok(nnc_serve_rates_of(other, &software, &plan, &r, &err), &err);
        CLOSE(r.link_bytes_per_s, cases[i].links * cases[i].link_bytes_per_s, 1e-12);
    }
}
END_TEST

/* A replica of 2 stages with 8 devices each crosses once between servers of 8 H100; 8 stages of 4 devices cross 3
 * times. A message from one server to another has the rate of the network: in decode, each of t ranks sends bytes / t.
 * If the rate of the network is not known, the plan is refused, unless all stages are in one server. */
START_TEST(stages_in_several_servers) {
    nnc_error err = { 0 };
    nnc_serve_rates r;
    set_up("llama3-8b", 4, 2);
    ck_assert_double_eq(of.rates.stage_crossings, 0.0);
    set_up("llama3-8b", 4, 8);
    ck_assert_double_eq(of.rates.stage_crossings, 3.0);
    set_up("llama3-8b", 8, 2);
    ck_assert_double_eq(of.rates.stage_crossings, 1.0);
    CLOSE(of.rates.stage_bytes_per_s, device->scale_out.bytes_per_s * device->efficiency.collectives.scale_out_fraction,
          1e-12);
    const double once = nnc_serve_decode(&of, 8.0, 500.0, NULL).comm_s;
    of.rates.stage_bytes_per_s /= 2.0;
    const double twice = nnc_serve_decode(&of, 8.0, 500.0, NULL).comm_s;
    /* a message has 4 sequences of 4,096 values of 2 bytes, divided over 8 ranks */
    CLOSE(twice - once, 4.0 * 4096.0 * 2.0 / 8.0 / (2.0 * of.rates.stage_bytes_per_s), 1e-9);

    /* tensor ranks in two servers: the all-reduce and the hop each have the fixed time of the network once */
    plan.tensor = 16;
    ok(nnc_serve_rates_of(device, &software, &plan, &r, &err), &err);
    CLOSE(r.stage_fixed_s, r.all_reduce.fixed_s, 1e-12);
    plan.tensor = 8;

    device->scale_out.bytes_per_s = (double)NAN;
    ck_assert_int_eq(nnc_serve_rates_of(device, &software, &plan, &r, &err), NNC_ILLEGAL_PLAN);
    ck_assert_str_eq(err.where, "--pipeline");
    plan.tensor = 4;
    ok(nnc_serve_rates_of(device, &software, &plan, &r, &err), &err);
}
END_TEST

/* Without measurements, a device multiplies at its peak in every format. Only a fitted rate of training is lowered for
 * products of 8 bits. */
START_TEST(no_ratio_without_measurements) {
    nnc_error err = { 0 };
    set_up("llama3-8b", 1, 1);
    nnc_serve_rates r;
    plan.weights = NNC_STORED_FP8;
    plan.precision = NNC_FP8;
    device->efficiency.gemm[NNC_FP8].sustained_fraction = device->efficiency.gemm[NNC_FP8].boost_ratio = 1.0;
    device->efficiency.serving.product_fraction[NNC_STORED_FP8] = (double)NAN;
    ok(nnc_serve_rates_of(device, &software, &plan, &r, &err), &err);
    ck_assert_double_eq(r.dense_flops_per_s, nnc_device_matmul_peak(device, NNC_FP8));
    ok(nnc_device_set(device, "efficiency.basis", "kernels", &err), &err);
    ok(nnc_serve_rates_of(device, &software, &plan, &r, &err), &err);
    ck_assert_double_lt(r.dense_flops_per_s, nnc_device_matmul_peak(device, NNC_FP8));
    plan.weights = NNC_STORED_BF16; /* the rate of a 16-bit format is not lowered */
    plan.precision = NNC_BF16;
    device->efficiency.gemm[NNC_BF16].sustained_fraction = device->efficiency.gemm[NNC_BF16].boost_ratio = 1.0;
    device->efficiency.serving.product_fraction[NNC_STORED_BF16] = (double)NAN;
    ok(nnc_serve_rates_of(device, &software, &plan, &r, &err), &err);
    ck_assert_double_eq(r.dense_flops_per_s, nnc_device_matmul_peak(device, NNC_BF16));
}
END_TEST

/* A sequence of 1,000 tokens takes 63 cache blocks of 16 tokens, which are 1,008 tokens of 32 layers with 2 x 8 heads
 * of 128 values of 2 B. */
START_TEST(sequences_take_whole_blocks) {
    set_up("llama3-8b", 1, 1);
    plan.block = 16;
    CLOSE(nnc_serve_sequence_bytes(&of, 1000.0), 1008.0 * 32 * 2 * 8 * 128 * 2, 1e-12);
    plan.pipeline = 3; /* the stage with the most layers has 11 of 32 layers */
    CLOSE(nnc_serve_sequence_bytes(&of, 1000.0), 1008.0 * 11 * 2 * 8 * 128 * 2, 1e-12);
}
END_TEST

/* In this model, embedding table and head have the same size. With one stage, the device stores embedding table and
 * head; with two stages, each stage stores one of them. Each stage has half of the layers and norms. */
START_TEST(tables_lie_on_both_ends) {
    nnc_serve one = { 0 }, two = { 0 };
    set_up("llama3-8b", 1, 1);
    nnc_serve_memory(&of, device, &one, NULL);
    plan.pipeline = 2;
    nnc_serve_memory(&of, device, &two, NULL);
    const double table = 2.0 * 128256 * 4096, norms = 2.0 * 65 * 4096;
    const double layers = 2.0 * 32 * (4096.0 * (4096 + 2 * 1024) + 4096.0 * 4096 + 3 * 4096.0 * 14336);
    CLOSE(one.weight_bytes, layers + norms + 2 * table, 1e-12);
    CLOSE(two.weight_bytes, layers / 2 + norms / 2 + table, 1e-12);
}
END_TEST

/* A device costs 3,600 an hour, so 1 a second. A prompt of 1,000 tokens takes 6 s, and at any time it is on one of 2
 * stages and one of 3 attention groups. So a prompt of 1,000 tokens takes 6 s of one of 6 devices, and costs 6. A
 * static batch occupies all devices until it ends. */
START_TEST(prices_by_hand) {
    set_up("llama3-8b", 1, 1);
    plan.price = 3600.0;
    plan.input_len = 1000;
    plan.pipeline = 2;
    plan.attention_data = 3;
    plan.data = 1;
    for (int batch = 0; batch < 2; batch++) {
        nnc_serve s = { .mode = batch ? NNC_SERVE_STATIC : NNC_SERVE_OFFLINE, .output_tokens_per_s = 4.0 };
        s.prefill.time_s = 6.0;
        s.prefill.sequences = s.decode.sequences = 1.0;
        s.decode.time_s = 0.5;
        nnc_serve_cost(&of, device, &s, NULL);
        const double devices = plan.devices;
        CLOSE(s.per_million_output_tokens, devices / 4.0 * 1e6, 1e-12);
        CLOSE(s.per_million_prefilled_tokens, devices * (batch ? 6.0 : 1.0) / 1000.0 * 1e6, 1e-12);
        CLOSE(s.per_million_decoded_tokens, devices * 0.5 * 1e6, 1e-12);
    }
}
END_TEST

/* In a model with experts, attention stays in 16 bits if the experts have 4 bits, but not if they have 8 bits. */
START_TEST(attention_beside_narrow_experts) {
    set_up("mixtral-8x7b", 1, 1);
    for (int32_t i = 0; i < net.product_count; i++) {
        const nnc_serve_product *p = &net.products[i];
        of.rates.weight_only = false;
        of.rates.weight_bytes = 1.0;
        ck_assert(nnc_serve_is_plain(&of, p) == p->plain);
        of.rates.weight_bytes = 0.5;
        ck_assert(nnc_serve_is_plain(&of, p) == (p->plain || p->group == NNC_GROUP_ATTENTION));
        of.rates.weight_only = true;
        of.rates.weight_bytes = 1.0;
        ck_assert(nnc_serve_is_plain(&of, p) == (p->plain || p->group == NNC_GROUP_ATTENTION));
    }
}
END_TEST

/* If the plan gives no format of weights, the format and group size of the published checkpoint are used. */
START_TEST(weights_are_as_published) {
    nnc_model model = *load("llama3-8b");
    const nnc_serve_ask ask = ask_of(1, 1);
    set_up_model(&model, &ask);
    ck_assert_int_eq(plan.weights, NNC_STORED_BF16);
    ck_assert_int_eq(plan.kv_precision,
                     /* the cache has the format of the products, or 16 bits if the products are narrower */
                     NNC_STORED_BF16);
    static const nnc_dtype formats[] = { NNC_FP16, NNC_FP8, NNC_BF16 };
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        nnc_serve_ask other = ask;
        other.precision = formats[i];
        set_up_model(&model, &other);
        ck_assert_int_eq(plan.kv_precision, formats[i] == NNC_FP16 ? NNC_STORED_FP16 : NNC_STORED_BF16);
    }
    model.published_weights = NNC_STORED_INT4;
    model.published_group_size = 32;
    set_up_model(&model, &ask);
    ck_assert_int_eq(plan.weights, NNC_STORED_INT4);
    ck_assert_int_eq(plan.group_size, 32);
    model.published_group_size = 0; /* without a published group size, the group size of the plan is used */
    set_up_model(&model, &ask);
    ck_assert_int_eq(plan.group_size, ask.group_size);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { a_tied_table_is_stored_once,
                                   llama_by_hand,
                                   steps_are_sums,
                                   states_of_chunks,
                                   ranks_and_stages,
                                   chunks_send_their_tokens_once,
                                   prefill_and_decode_apart,
                                   requests_of_a_replica,
                                   a_node_gets_a_token_once,
                                   links_inside_a_node_can_be_slower,
                                   low_latency_kernels_as_published,
                                   prompts_overlap_with_dispatch,
                                   groups_share_experts,
                                   a_latent_is_read_once,
                                   rates_end_at_the_memory,
                                   no_ratio_without_measurements,
                                   weights_are_as_published,
                                   attention_beside_narrow_experts,
                                   sequences_take_whole_blocks,
                                   prices_by_hand,
                                   tables_lie_on_both_ends,
                                   one_device_needs_no_link,
                                   equal_times_count_as_compute,
                                   tensor_ranks_use_all_their_links,
                                   stages_in_several_servers,
                                   compressed_keys_by_hand,
                                   picked_keys_by_hand };
    return run_tests("serving steps", tests, COUNT_OF(tests));
}
