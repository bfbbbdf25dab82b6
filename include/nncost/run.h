/* SPDX-License-Identifier: Apache-2.0 */
/* The whole run: from the time of one step to days, device-hours, money, energy and carbon, with what
 * training runs lose on the way: stops and lost work, checkpoints, evaluation, a starving input. */
#ifndef NNCOST_RUN_H
#define NNCOST_RUN_H

#include <nncost/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which stops a mean time between failures counts. */
#define NNC_STOPS_LIST(X)                                                                       \
    X(NNC_STOPS_ANY, "any", "Every stop that loses work: hardware, software, network, people.") \
    X(NNC_STOPS_HARDWARE, "hardware", "Stops that a fault of the hardware caused.")
NNC_ENUM(nnc_stops, NNC_STOPS_LIST, NNC_STOPS_COUNT);
NNC_API const char *nnc_stops_name(nnc_stops stops);
NNC_API const char *nnc_stops_help(nnc_stops stops);

/* How a model is trained, and so what else runs on the tokens of a step. */
#define NNC_METHOD_LIST(X)                                                                    \
    X(NNC_METHOD_TRAIN, "train", "Steps on data alone: pre-training, fine-tuning, adapters.") \
    X(NNC_METHOD_DISTILL, "distill", "On what a teacher says of every token, computed once.") \
    X(NNC_METHOD_DISTILL_ON_POLICY, "distill-on-policy",                                      \
      "The student generates, a teacher scores it.")                                          \
    X(NNC_METHOD_DPO, "dpo", "Preferred and rejected answers, scored by a reference model.")  \
    X(NNC_METHOD_GRPO, "grpo",                                                                \
      "Groups of answers are generated, and scored by a reference model.")                    \
    X(NNC_METHOD_PPO, "ppo", "The same with a reward model, and a critic that is trained too.")
NNC_ENUM(nnc_method, NNC_METHOD_LIST, NNC_METHOD_COUNT);
NNC_API const char *nnc_method_name(nnc_method method);
NNC_API const char *nnc_method_help(nnc_method method);
/* Is anything generated? */
NNC_API bool nnc_method_rolls_out(nnc_method method);

/* What is known of a run beside its step. A figure that is not given is NaN and then worked out, taken
 * from a default that names its source, or left out of the answer; 0 where the comment says so.
 * Shares are from 0 to 1. */
typedef struct nnc_run_ask {
    size_t struct_size; /* as of nnc_plan; nnc_run_ask_default sets it */
    /* what is trained on: one of these, or tokens or samples of the plan */
    double epochs, dataset_size; /* times through so many tokens, or samples where there are none */
    double days;                 /* or for so long */
    /* in place of an estimate */
    double step_s, step_flops; /* of the whole step */
    /* failures */
    nnc_stops stops;      /* what device_mtbf_s counts */
    double device_mtbf_s; /* device-seconds per stop; NaN = none is known, and no stop is counted */
    double detect_s, start_s,
        replace_s;            /* until a stop is seen; until ranks are up; for a new node */
    double reclaim_per_month; /* share of spot nodes that is taken back; 0 = none */
    double spares, repair_s;  /* nodes that stand ready; until one is back */
    double failing_share;     /* of stops that take a node out */
    /* checkpoints */
    double checkpoint_bytes;                                    /* of the whole model */
    double storage_write_bytes_per_s, storage_read_bytes_per_s; /* of all devices together */
    double block_s, save_s, load_s; /* training waits; until durable; until loaded */
    double checkpoint_interval_s;   /* of useful work; NaN = the best */
    bool asynchronous;              /* training goes on while a checkpoint is written */
    /* beside training */
    double evaluate_every, evaluate_s; /* steps between evaluations; 0 = none */
    double warmup_s;                   /* once: start of the job, compilation, ramp of the batch */
    double planned_stops;              /* maintenance, each as long as a restart; 0 = none */
    double straggler_share;            /* of time lost to slow devices; 0 = none */
    /* several sites, each with the devices of the plan, that average their weights now and then
     * (local SGD, DiLoCo: arXiv:2311.08105) */
    double sites;            /* 1 = one */
    double outer_every;      /* steps between two averages */
    double outer_bytes;      /* of the weights as they are sent; NaN = 4 per parameter */
    double site_bytes_per_s; /* of the link of one site, in one direction */
    double outer_overlap_s;  /* of an average that training goes on beside; 0 = none */
    /* input */
    double sample_bytes;      /* read from storage, of a sample as it is stored */
    double input_bytes_per_s; /* of storage for input, of all devices together */
    double access_share;      /* of that rate that this access pattern reaches */
    double cached_share;      /* of the samples that are in memory already */
    double prepare_s;         /* of one sample on one worker: decoding, augmentation */
    double workers;           /* processes per device */
    double prefetch;          /* batches that each worker holds */
    double prepared_bytes;    /* of a sample as it goes to the device */
    bool serial_input;        /* nothing is prepared while the device computes */
    /* energy */
    double idle_w, busy_w; /* of one device with its share of host and cooling inside the node */
    double network_w;      /* of all switches */
    double pue;            /* of the building */
    double carbon_g_per_kwh;
    double embodied_kg;       /* of one device with its share of a node */
    double life_s, use_share; /* of a device: until it is retired; of that time in use */
    /* money */
    double stored_bytes, storage_price; /* kept during the run; per GB and month */
    double egress_bytes, egress_price;  /* moved out; per GB */
    /* fine-tuning; parameters: active ones, NaN = as many as the policy, 0 = there is no such model */
    nnc_method method;
    double policy_params; /* NaN = the model's */
    double reference_params, reward_params, critic_params, teacher_params;
    double update_epochs;  /* times that what was generated is trained on */
    bool sampler_logprobs; /* the sampler's probabilities are kept, not computed again */
    double prompt_tokens,
        response_tokens;                  /* of an answer; NaN response: a sequence is all answer */
    double group;                         /* answers that share a prompt */
    double rollout_batch, rollout_tensor; /* sequences at once on so many devices; NaN = that fit */
    double rollout_devices;               /* that do nothing else; 0 = those that train */
    bool rollout_overlap;                 /* they generate while the others train */
    double rollout_tail;                  /* longest answer over the mean, where all wait for it */
    double rollout_tokens_per_s;          /* of one device that generates */
    double rollout_s, score_s, sync_s;    /* of a step, in place of what is worked out */
    double sync_bytes_per_s;              /* at which weights reach what generates; NaN: at once */
    double device_hours;                  /* an amount of training, as days is */
    /* replicas that go on while one is replaced; 0 = all wait, and go back to a checkpoint */
    double elastic_replicas, reshard_s; /* until those that are left go on */
    double encode_s; /* of a device, for a sample that it encodes itself: image, text; 0 = cached */
} nnc_run_ask;

/* With every default that has no source of its own: detection 600 s and start 30 s as in
 * arXiv:2402.15627, repair 2 days, two batches per worker, a building without overhead. */
NNC_API void nnc_run_ask_init(nnc_run_ask *ask, size_t struct_size);
static inline nnc_run_ask nnc_run_ask_default(void)
{
    nnc_run_ask ask;
    nnc_run_ask_init(&ask, sizeof ask);
    return ask;
}

/* Is every member within its limits, those of the command line? NNC_ILLEGAL_PLAN; err names the option. */
NNC_API nnc_status nnc_run_ask_check(const nnc_run_ask *ask, nnc_error *err);

/* What stands between the answer and its parts. Figures that are not known are NaN. */
typedef struct nnc_run {
    size_t struct_size; /* nnc_run_of sets it */
    double devices, nodes;
    /* work */
    double samples, tokens, steps, flops;
    /* input, of one step */
    double fetch_s, prepare_s, transfer_s; /* storage; workers; link to the device */
    double input_s;                        /* the slowest of them, or their sum */
    double input_wait_s;                   /* what the device waits */
    double input_bytes_per_s;              /* from storage, of all devices */
    double workers_needed;                 /* per device, to keep it fed */
    double prefetch_bytes;                 /* host memory of one device's workers */
    bool input_bound;
    /* sites */
    double outer_bytes, outer_s; /* sent and received by a site for one average; what it waits */
    double step_s;               /* with the wait */
    /* failures and checkpoints */
    double device_mtbf_s, system_mtbf_s, survive_hour;
    double checkpoint_bytes, block_s, save_s, load_s;
    double restart_s;                             /* seen, replaced, started, loaded */
    double young_s, interval_s;                   /* Young's; the one that is used */
    double first_order, goodput;                  /* useful over wall time of the training part */
    double stops;                                 /* that are to be expected */
    double nodes_out, spares_needed, short_share; /* on average; for 99 %; time with too few */
    /* time; the parts add up to run_s */
    double train_s, wait_s, straggler_s, save_time_s, lost_s, evaluate_s, warmup_s, planned_s;
    double sites_s; /* waiting for the averages of sites */
    double run_s, days, device_hours;
    /* money */
    double price_per_device_hour, cost_devices, cost_storage, cost_egress, cost;
    /* energy */
    double busy_share, power_w; /* of one device; mean over the run */
    double energy_j;            /* of the building */
    double rated_energy_j;      /* rated power x hours x PUE, as published totals are counted */
    double carbon_kg, rated_carbon_kg, embodied_carbon_kg;
    /* fine-tuning: of a step, beside training; and of the run */
    double rollout_step_s, score_step_s, sync_step_s;
    double rollout_s, score_s, sync_s;
    double flops_per_token, cost_per_million_tokens; /* of what is trained on */
} nnc_run;

/* Works a run out. result: of an estimate; NULL: ask has the step, plan the devices, tokens, samples,
 * batch and price. params: for the bytes of a checkpoint; 0 = unknown. power_w: rated, of a device;
 * link_bytes_per_s: of a host to one of its devices; NaN = unknown. Fails with NNC_BAD_USAGE where what
 * is given contradicts itself or is too little. */
NNC_API nnc_status nnc_run_into(const nnc_result *result, const nnc_device *device,
                                const nnc_plan *plan, const nnc_run_ask *ask, nnc_run *run,
                                nnc_error *err);
static inline nnc_status nnc_run_of(const nnc_result *result, const nnc_device *device,
                                    const nnc_plan *plan, const nnc_run_ask *ask, nnc_run *run,
                                    nnc_error *err)
{
    run->struct_size = sizeof *run;
    return nnc_run_into(result, device, plan, ask, run, err);
}

/* ---- the formulas one by one ---- */

/* Useful work between two checkpoints that loses least, by Young and by Daly's higher order
 * (doi:10.1016/j.future.2004.11.016): block_s, what a checkpoint costs, against mtbf_s. */
NNC_API double nnc_young_interval(double block_s, double mtbf_s);
NNC_API double nnc_daly_interval(double block_s, double mtbf_s);
/* Useful time over wall time where stops come at random and may strike during a restart or a save. A
 * save that goes on beside training is durable save_s after it began. mtbf_s infinite: no stops. */
NNC_API double nnc_goodput(double interval_s, double block_s, double save_s, double restart_s,
                           double mtbf_s, bool asynchronous);
/* Smallest number of spare nodes that is enough for a share of the time, where nodes_out are out on
 * average (Poisson); *short_share: of the time it is not. */
NNC_API double nnc_spares(double nodes_out, double enough_share, double *short_share);

/* ---- what a budget buys ---- */

/* Published constants of scaling laws: of a loss E + A / N^a + B / D^b, or of the best N or D alone. */
#define NNC_LAW_LIST(X)                                                                          \
    X(NNC_LAW_RULE_20, "rule-of-20", "Twenty tokens per parameter, arXiv:2203.15556.")           \
    X(NNC_LAW_PRINTED, "printed", "Approach 3 of arXiv:2203.15556 as printed.")                  \
    X(NNC_LAW_TEX, "tex", "The same with the digits of the paper's TeX source.")                 \
    X(NNC_LAW_EPOCH, "epoch", "The replication of arXiv:2404.10102.")                            \
    X(NNC_LAW_APPROACH_1, "approach-1", "Approach 1 of arXiv:2203.15556, by its table 3.")       \
    X(NNC_LAW_APPROACH_2, "approach-2", "Approach 2 of arXiv:2203.15556, by its table A3.")      \
    X(NNC_LAW_LLAMA_3, "llama-3", "Tokens of arXiv:2407.21783, fitted to its figure once more.") \
    X(NNC_LAW_LLAMA_3_PRINTED, "llama-3-printed",                                                \
      "The same as printed, which misses the paper's own 16.55T tokens.")                        \
    X(NNC_LAW_DEEPSEEK, "deepseek", "arXiv:2401.02954, without embeddings.")                     \
    X(NNC_LAW_KAPLAN, "kaplan", "arXiv:2001.08361, without embeddings; by now held to be wrong.")
NNC_ENUM(nnc_law, NNC_LAW_LIST, NNC_LAW_COUNT);
enum { NNC_LAW_ROOM = 32 };
NNC_API const char *nnc_law_name(nnc_law law);
NNC_API const char *nnc_law_help(nnc_law law);

typedef struct nnc_optimum {
    nnc_law law;
    double params, tokens, loss; /* loss NaN where the law says none */
    /* of the same loss, where so many tokens are served: fewest FLOPs in all, and the share that saves */
    double served_params, served_tokens, saved_share;
} nnc_optimum;

/* The model and tokens that reach the smallest loss with so many FLOPs, C = 6 N D. */
NNC_API nnc_optimum nnc_compute_optimal(nnc_law law, double flops);
/* Model and tokens of the loss that N parameters reach after D tokens, with the fewest FLOPs for training and
 * for serving T tokens, 6 N D + 2 N T (arXiv:2401.00448); NaN where the law says no loss. */
NNC_API nnc_optimum nnc_serving_optimal(nnc_law law, double params, double tokens, double served);
/* The loss of N parameters after D tokens; NaN for laws of the optimum alone. */
NNC_API double nnc_law_loss(nnc_law law, double params, double tokens);

/* What is spent, or what is to be trained; NaN = not given. */
typedef struct nnc_budget_ask {
    size_t struct_size; /* as of nnc_plan; nnc_budget_ask_default sets it */
    double cost, days, params, tokens;
    double mfu, goodput; /* shares that the run is expected to reach */
    double price;        /* of one device for one hour; NaN = the device file's */
    double flops;        /* to spend, in place of money */
    double serve_tokens; /* that the model reads and writes once it is trained */
} nnc_budget_ask;

/* MFU 0.4 and goodput 0.95, as large runs report. */
NNC_API void nnc_budget_ask_init(nnc_budget_ask *ask, size_t struct_size);
static inline nnc_budget_ask nnc_budget_ask_default(void)
{
    nnc_budget_ask ask;
    nnc_budget_ask_init(&ask, sizeof ask);
    return ask;
}

typedef struct nnc_budget {
    size_t struct_size;               /* nnc_budget_of sets it */
    double cost, device_hours, flops; /* flops: 6 N D */
    double devices, days;             /* devices: that end in time; NaN without days */
    double flops_per_s;               /* of one device, useful */
    double price_per_device_hour;
    double params, tokens;              /* as asked; NaN where money was given */
    nnc_optimum optima[NNC_LAW_ROOM];   /* what so many FLOPs train best */
    double over_training[NNC_LAW_ROOM]; /* FLOPs over the fewest for the same loss; NaN = unknown */
} nnc_budget;

/* From money or FLOPs to the model that they train best, or from a model and its tokens to money. device: its peak in
 * bf16 (else fp16) and its price; NULL: none, where flops are given. What is not known is NaN. Fails with NNC_BAD_USAGE where neither or both are given, or a figure is out
 * of range. */
NNC_API nnc_status nnc_budget_into(const nnc_device *device, const nnc_budget_ask *ask,
                                   nnc_budget *budget, nnc_error *err);
static inline nnc_status nnc_budget_of(const nnc_device *device, const nnc_budget_ask *ask,
                                       nnc_budget *budget, nnc_error *err)
{
    budget->struct_size = sizeof *budget;
    return nnc_budget_into(device, ask, budget, err);
}

#ifdef __cplusplus
}
#endif

#endif
