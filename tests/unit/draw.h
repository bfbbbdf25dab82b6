/* Draws models, devices and plans at random, from a fixed seed. */
#ifndef NNCOST_TESTS_UNIT_DRAW_H
#define NNCOST_TESTS_UNIT_DRAW_H

#include "cluster.h"

/* Knuth's 64-bit linear congruential generator. A random number uses only the high bits of the generator's state. */
static uint64_t state;

static inline uint64_t draw(uint64_t count) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % count;
}

static inline int64_t between(int64_t low, int64_t high) { return low + (int64_t)draw((uint64_t)(high - low + 1)); }

static inline bool coin(void) { return draw(2) != 0; }

/* Returns a random number from low to high. The logarithm of the number is evenly distributed. */
static inline double scaled(double low, double high) { return low * pow(high / low, (double)draw(1000) / 999.0); }

static inline void seed(int number) {
    state = UINT64_C(20250131) * (uint64_t)(number + 1);
    draw(2);
}

static inline int32_t power(int highest) { return (int32_t)1 << draw((uint64_t)highest + 1); }

typedef struct split_case {
    nnc_model model;
    nnc_device device;
    nnc_software software;
    nnc_plan plan;
} split_case;

/* Draws a model whose dimensions are multiples of most degrees. */
static inline nnc_model draw_layers(void) {
    const int64_t layers = between(4, 13), seq_len = 32 * between(1, 4), vocab = 64 * between(2, 40);
    switch (draw(4)) {
    case 0: return gpt(layers, 128, 8, vocab, seq_len);
    case 1: return llama(layers, 128, 16, power(4), 256, vocab, seq_len);
    case 2: return mixtral(layers, 128, 8, power(3), 64, 8, vocab, seq_len);
    default: return deepseek(layers, seq_len);
    }
}

static inline nnc_device draw_links(void) {
    nnc_device device = cluster_device();
    device.matmul_flops_per_s[NNC_BF16] = scaled(1e12, 1e15);
    device.vector_flops_per_s[NNC_FP32] = scaled(1e11, 1e14);
    device.mem_bytes_per_s = scaled(1e10, 1e13);
    device.scale_up.devices = power(4);
    device.scale_up.kind = device.scale_up.devices == 1 ? NNC_LINK_NONE : coin() ? NNC_LINK_SWITCH : NNC_LINK_RING;
    device.scale_up.bytes_per_s = scaled(1e10, 1e12);
    device.scale_up.latency_s = coin() ? 0.0 : scaled(1e-7, 1e-5);
    device.scale_up.reduces_in_switch = coin();
    device.scale_out.bytes_per_s = scaled(1e9, 1e11);
    device.scale_out.latency_s = coin() ? 0.0 : scaled(1e-7, 1e-5);
    device.host.bytes_per_s = scaled(1e9, 1e11);
    device.host.mem_bytes_per_s = scaled(1e10, 1e12);
    device.efficiency.gemm[NNC_BF16].fixed_s = coin() ? 0.0 : scaled(1e-7, 1e-5);
    return device;
}

static inline nnc_plan draw_split(void) {
    nnc_plan plan = plan_of(power(4), power(3), coin() ? 1 : (int32_t)between(2, 8));
    plan.context = coin() ? 1 : power(2);
    plan.expert = coin() ? 1 : power(3);
    plan.sequence_parallel = plan.tensor > 1 && coin();
    plan.zero = (int32_t)draw(4);
    plan.shard = plan.zero > 0 && coin() ? power(2) : 0;
    plan.reshard = coin();
    plan.schedule = (nnc_schedule)draw(NNC_SCHEDULE_COUNT);
    plan.virtual_stages = plan.schedule == NNC_SCHEDULE_INTERLEAVED ? power(1) : 1;
    plan.context_kind = (nnc_context_kind)draw(NNC_CONTEXT_KIND_COUNT);
    plan.rank_order = (nnc_rank_order)draw(NNC_ORDER_COUNT);
    plan.offload = coin() ? 0 : (unsigned)draw(8);
    plan.overlap = coin() ? (double)NAN : (double)draw(5) / 4;
    plan.capacity_factor = coin() ? 0.0 : 1.25;
    plan.imbalance = coin() ? 1.0 : 1.3;
    plan.recompute = coin() ? 0 : (unsigned)draw(16);
    plan.recompute_every = between(1, 3);
    plan.recompute_layers = between(0, 3);
    plan.micro_batch = between(1, 3);
    plan.micro_batches = coin() ? between(1, 9) : plan.pipeline * between(1, 6);
    plan.clip_gradients = coin();
    plan.attention = draw(4) == 0 ? NNC_ATTENTION_UNFUSED : NNC_ATTENTION_FLASH;
    plan.optimizer = (nnc_optimizer)draw(NNC_OPTIMIZER_COUNT);
    return plan;
}

static inline split_case draw_cluster(int number) {
    seed(number);
    split_case c = { .model = draw_layers(), .device = draw_links() };
    c.software = nnc_software_default();
    c.software.overlap_tensor = scaled(0.1, 1.0);
    c.software.overlap_expert = scaled(0.1, 1.0);
    c.software.overlap_data = scaled(0.1, 1.0);
    c.software.overlap_pipeline = scaled(0.1, 1.0);
    c.plan = draw_split();
    return c;
}

/* Draws plans until a plan is legal. Adds the number of drawn plans to *number. */
static inline split_case draw_legal(int *number) {
    for (;;) {
        const split_case c = draw_cluster((*number)++);
        nnc_plan plan;
        if (nnc_plan_resolve(&c.plan, &c.model, &c.device, &plan, NULL) == NNC_OK) { return c; }
    }
}

static inline nnc_result result_of_split(const split_case *c) {
    return estimate_with(&c->model, &c->device, &c->software, &c->plan);
}

#endif
