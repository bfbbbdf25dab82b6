/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a whole run from the time of one step: days, device-hours, money, energy and carbon. Includes failures with
 * lost work, checkpoints, evaluation and slow data loading. */
#ifndef NNCOST_RUN_H
#define NNCOST_RUN_H

#include <nncost/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of failures that a mean time between failures counts. */
#define NNC_STOPS_LIST(X)                                                                          \
    X(NNC_STOPS_ANY, "any", "Every failure that loses work: hardware, software, network, people.") \
    X(NNC_STOPS_HARDWARE, "hardware", "Failures of the hardware.")
NNC_ENUM(nnc_stops, NNC_STOPS_LIST, NNC_STOPS_COUNT);
NNC_API const char *nnc_stops_name(nnc_stops stops);
NNC_API const char *nnc_stops_help(nnc_stops stops);

/* Training method: decides which models other than the trained one process the tokens of a step. */
#define NNC_METHOD_LIST(X)                                                                                            \
    X(NNC_METHOD_TRAIN, "train", "Steps on data alone: pre-training, fine-tuning, adapters.")                         \
    X(NNC_METHOD_DISTILL, "distill", "Steps on the outputs of a teacher, which were computed once for every token.")  \
    X(NNC_METHOD_DISTILL_ON_POLICY, "distill-on-policy", "The student generates answers, and a teacher scores them.") \
    X(NNC_METHOD_DPO, "dpo", "Preferred and rejected answers, scored by a reference model.")                          \
    X(NNC_METHOD_GRPO, "grpo", "Generated groups of answers, scored by a reference model.")                           \
    X(NNC_METHOD_PPO, "ppo", "Generated answers, scored by reference and reward models; a critic is trained too.")    \
    X(NNC_METHOD_KTO, "kto", "Single answers, good or bad, scored by a reference model.")
NNC_ENUM(nnc_method, NNC_METHOD_LIST, NNC_METHOD_COUNT);
NNC_API const char *nnc_method_name(nnc_method method);
NNC_API const char *nnc_method_help(nnc_method method);
/* Returns true when the method generates tokens. */
NNC_API bool nnc_method_rolls_out(nnc_method method);
typedef struct nnc_run_ask nnc_run_ask;
/* Sets the members of a plan that count the helper models of a method in memory. A helper without a given size is a
 * copy of the trained model; with adapters it is the frozen base with other adapters or without adapters, so it has no
 * weights of its own. */
NNC_API void nnc_method_helpers(const nnc_run_ask *ask, nnc_plan *plan);

/* Inputs of a run in addition to its step. NaN = not given: the value is computed or has a published default, or the
 * part of the run that needs it is left out. Shares are between 0 and 1. */
struct nnc_run_ask {
    size_t struct_size; /* sizeof (nnc_run_ask); nnc_run_ask_default sets it */
    /* Amount of training. Give epochs, days or device_hours here, or tokens or samples in the plan. */
    double epochs, dataset_size; /* epochs: number of passes over the dataset; dataset_size: tokens in the dataset
                                  * (samples if the model has no tokens) */
    double days;                 /* duration of the run in days */
    /* Time and FLOPs of a step, given instead of an estimate. */
    double step_s, step_flops; /* step_s: time of the whole step; step_flops: FLOPs of the whole step on all devices */
    /* failures */
    nnc_stops stops;                     /* kind of failures that device_mtbf_s counts */
    double device_mtbf_s;                /* device-seconds between failures; NaN = unknown, computed without failures */
    double detect_s, start_s, replace_s; /* detect_s: time to detect a failure; start_s: time to start all ranks;
                                          * replace_s: time to replace a node */
    double reclaim_per_month;            /* share of spot nodes that the seller takes back per month; 0 = no node */
    double spares, repair_s;             /* spares: number of spare nodes; repair_s: time until a node is repaired */
    double failing_share;                /* share of failures after which a node is out of use until it is repaired */
    /* checkpoints */
    double checkpoint_bytes;                                    /* size of a checkpoint of the whole model */
    double storage_write_bytes_per_s, storage_read_bytes_per_s; /* rates of the storage, shared by all devices.
                                                                 * storage_write_bytes_per_s for writing,
                                                                 * storage_read_bytes_per_s for reading */
    double block_s, save_s, load_s; /* block_s: time that training waits for a checkpoint; save_s: time until the
                                     * checkpoint is durable; load_s: time to load it */
    double checkpoint_interval_s;   /* training time between checkpoints; NaN = the optimum is computed */
    bool asynchronous;              /* training continues while a checkpoint is written */
    /* these members decide the time that a run spends outside training */
    double evaluate_every, evaluate_s; /* evaluate_every: steps between evaluations, 0 = no evaluation; evaluate_s:
                                        * time of one evaluation */
    double warmup_s;                   /* time spent once: job start, compilation, batch size ramp */
    double planned_stops;              /* number of stops such as maintenance, each as long as a restart; 0 = no stop */
    double straggler_share;            /* share of the time lost to slow devices; 0 = no time */
    /* Several sites that average their weights periodically (local SGD, DiLoCo: arXiv:2311.08105). Each site has the
     * devices of the plan. */
    double sites;            /* number of sites; 1 = a single site */
    double outer_every;      /* steps between two averages */
    double outer_bytes;      /* size of the weights as they are sent; NaN = 4 bytes per parameter */
    double site_bytes_per_s; /* rate of the link of one site, in one direction */
    double outer_overlap_s;  /* time of an average that overlaps with training; 0 = no overlap */
    /* input */
    double sample_bytes;      /* bytes read from storage per sample */
    double input_bytes_per_s; /* rate at which storage delivers input to all devices */
    double access_share;      /* share of input_bytes_per_s that is reached with the access pattern */
    double cached_share;      /* share of the samples that are cached */
    double prepare_s;         /* time of one worker for one sample: decoding, augmentation */
    double workers;           /* worker processes per device */
    double prefetch;          /* batches that each worker prefetches */
    double prepared_bytes;    /* size of a sample as it is sent to the device */
    bool serial_input;        /* data loading does not overlap with compute */
    /* energy */
    double idle_w, busy_w; /* power of a node with host and cooling, divided by the number of devices of the node:
                            * idle_w when idle, busy_w when busy */
    double network_w;      /* power of all network switches */
    double pue;            /* power usage effectiveness of the building */
    double carbon_g_per_kwh;
    double embodied_kg;       /* carbon emitted to make one device and its share of a node, kg */
    double life_s, use_share; /* life_s: lifetime of a device; use_share: share of this lifetime in which the device
                               * is used */
    /* money */
    double stored_bytes, storage_price; /* stored_bytes: bytes kept during the run; storage_price: price per GB and
                                         * month */
    double egress_bytes, egress_price;  /* egress_bytes: bytes sent out of the data centre during the run;
                                         * egress_price: price per GB */
    /* Fine-tuning. reference_params to teacher_params: active parameters of each model; NaN = as many as the policy
     * model has; 0 = no such model. */
    nnc_method method;
    double policy_params; /* active parameters of the policy model, which the run trains; NaN = parameters of the
                           * trained model */
    double reference_params, reward_params, critic_params, teacher_params;
    double update_epochs;                  /* passes over the generated samples in training */
    bool sampler_logprobs;                 /* training uses the log probabilities that generation computed */
    double prompt_tokens, response_tokens; /* prompt_tokens: tokens per prompt; response_tokens: tokens per answer
                                            * (NaN = seq_len - prompt_tokens) */
    double group;                          /* number of answers per prompt */
    double rollout_batch, rollout_tensor;  /* rollout_batch: sequences that a replica generates at once (NaN = as
                                            * many as fit); rollout_tensor: devices of a replica that generates */
    double rollout_devices;                /* devices that only generate; 0 = the training devices generate */
    bool rollout_overlap;                  /* generation overlaps with training */
    double rollout_tail;                   /* length of the longest answer / mean length */
    double rollout_tokens_per_s;           /* generation rate of one device */
    double rollout_s, score_s, sync_s;     /* times per step: rollout_s to generate, score_s to score, sync_s to send
                                            * weights; each replaces the computed time */
    double sync_bytes_per_s;               /* rate at which new weights are sent; NaN: sending takes no time */
    double device_hours;                   /* amount of training, in device-hours */
    /* Elastic job: number of replicas. If one replica fails, the others continue while it is replaced. 0 = all devices
     * stop and return to a checkpoint. */
    double elastic_replicas, reshard_s; /* reshard_s: time until the other replicas continue */
    double encode_s;                    /* device time to encode a sample (image, text); 0 = samples are cached */
    double reference_total_params, reward_total_params, critic_total_params,
        teacher_total_params; /* parameters of a model with experts in memory; NaN = as many as are active */
};

/* Sets every member to its default, as `nncost run` does: detection 600 s and start 30 s as in arXiv:2402.15627, repair
 * 2 days, 8 workers per device, PUE 1. */
NNC_API void nnc_run_ask_init(nnc_run_ask *ask, size_t struct_size);
static inline nnc_run_ask nnc_run_ask_default(void) {
    nnc_run_ask ask;
    nnc_run_ask_init(&ask, sizeof ask);
    return ask;
}

/* Checks that all members are within the limits of the command line. NNC_ILLEGAL_PLAN: err names the wrong option. */
NNC_API nnc_status nnc_run_ask_check(const nnc_run_ask *ask, nnc_error *err);

/* The result of a run and its parts. NaN = unknown. */
typedef struct nnc_run {
    size_t struct_size; /* size of the struct; nnc_run_of sets it */
    double devices, nodes;
    /* work */
    double samples, tokens, steps, flops;
    /* input of one step */
    double fetch_s, prepare_s, transfer_s; /* fetch_s: time to read from storage; prepare_s: time of the workers;
                                            * transfer_s: time of the transfer to the device */
    double input_s;           /* maximum of fetch_s, prepare_s and transfer_s; their sum if serial_input is on */
    double input_wait_s;      /* time that the device waits for input */
    double input_bytes_per_s; /* rate of reading from storage, all devices together */
    double workers_needed;    /* workers per device with which the device does not wait */
    double prefetch_bytes;    /* host memory that the workers of one device use */
    bool input_bound;
    /* sites */
    double outer_bytes, outer_s; /* outer_bytes: bytes that a site sends and receives for one average; outer_s: exposed
                                  * time per average */
    double step_s;               /* time of a step, including the wait for input */
    /* failures and checkpoints */
    double device_mtbf_s, system_mtbf_s, survive_hour;
    double checkpoint_bytes, block_s, save_s, load_s;
    double restart_s;            /* time to detect a failure, replace the node, start and load */
    double young_s, interval_s;  /* young_s: optimum interval between checkpoints by Young's formula; interval_s:
                                  * interval that the run uses */
    double first_order, goodput; /* useful time / wall time of training. first_order: first-order approximation;
                                  * goodput: exact value */
    double stops;                /* expected number of failures */
    double nodes_out, spares_needed,
        short_share; /* nodes_out: mean number of nodes that are out; spares_needed: spare nodes that suffice 99 % of
                      * the time; short_share: share of the time with too few nodes */
    /* Parts of the wall time of the run. The members from train_s to sites_s, with rollout_s, score_s and sync_s, add
     * up to run_s. */
    double train_s, wait_s, straggler_s, save_time_s, lost_s, evaluate_s, warmup_s, planned_s;
    double sites_s; /* time that sites wait for averages */
    double run_s, days, device_hours;
    /* money */
    double price_per_device_hour, cost_devices, cost_storage, cost_egress, cost;
    /* energy */
    double busy_share, power_w; /* means over the run, for one device. busy_share: share of the time that the device is
                                 * busy; power_w: power of the device */
    double energy_j;            /* energy with the PUE */
    double rated_energy_j;      /* rated power x hours x PUE, as in published totals */
    double carbon_kg, rated_carbon_kg, embodied_carbon_kg;
    /* fine-tuning: time outside training. Names with _step_s: per step; others: per run */
    double rollout_step_s, score_step_s, sync_step_s;
    double rollout_s, score_s, sync_s;
    double flops_per_token, cost_per_million_tokens; /* flops_per_token: FLOPs per trained token;
                                                      * cost_per_million_tokens: cost of a million trained tokens */
} nnc_run;

/* Computes a run. result: the result of an estimate. If it is NULL, ask gives the step, and plan gives devices,
 * tokens or samples, batch and price. device may be NULL. NNC_BAD_USAGE: the inputs are incomplete or contradict
 * each other. */
NNC_API nnc_status nnc_run_into(const nnc_result *result, const nnc_device *device, const nnc_plan *plan,
                                const nnc_run_ask *ask, nnc_run *run, nnc_error *err);
static inline nnc_status nnc_run_of(const nnc_result *result, const nnc_device *device, const nnc_plan *plan,
                                    const nnc_run_ask *ask, nnc_run *run, nnc_error *err) {
    run->struct_size = sizeof *run;
    return nnc_run_into(result, device, plan, ask, run, err);
}

/* ---- single formulas ---- */

/* Return the optimal training time between two checkpoints, by Young's formula, and by Daly's formula of higher order
 * (doi:10.1016/j.future.2004.11.016). block_s: time that training waits for a checkpoint. */
NNC_API double nnc_young_interval(double block_s, double mtbf_s);
NNC_API double nnc_daly_interval(double block_s, double mtbf_s);
/* Returns useful time / wall time. Failures are random and may also happen during a restart or a save. An asynchronous
 * save overlaps with training and is durable save_s after its start. mtbf_s infinite: no failures. */
NNC_API double nnc_goodput(double interval_s, double block_s, double save_s, double restart_s, double mtbf_s,
                           bool asynchronous);
/* Returns the smallest number of spare nodes that suffices during enough_share (0 to 1) of the time, if nodes_out nodes
 * are out on average (Poisson). *short_share receives the share of the time in which they do not suffice. */
NNC_API double nnc_spares(double nodes_out, double enough_share, double *short_share);

/* ---- budgets ---- */

/* Published scaling laws for N parameters and D tokens. Most give the constants of a loss E + A / N^a + B / D^b; others
 * give only the optimal N or D. */
#define NNC_LAW_LIST(X)                                                                                 \
    X(NNC_LAW_RULE_20, "rule-of-20", "Twenty tokens per parameter, arXiv:2203.15556.")                  \
    X(NNC_LAW_PRINTED, "printed", "Approach 3 of arXiv:2203.15556 as printed.")                         \
    X(NNC_LAW_TEX, "tex", "Approach 3 of arXiv:2203.15556, with the digits of the paper's TeX source.") \
    X(NNC_LAW_EPOCH, "epoch", "The replication of arXiv:2404.10102.")                                   \
    X(NNC_LAW_APPROACH_1, "approach-1", "Approach 1 of arXiv:2203.15556, by its table 3.")              \
    X(NNC_LAW_APPROACH_2, "approach-2", "Approach 2 of arXiv:2203.15556, by its table A3.")             \
    X(NNC_LAW_LLAMA_3, "llama-3", "Tokens of arXiv:2407.21783, refitted to its figure.")                \
    X(NNC_LAW_LLAMA_3_PRINTED, "llama-3-printed",                                                       \
      "Tokens of arXiv:2407.21783 as printed, which does not give the paper's 16.55T tokens.")          \
    X(NNC_LAW_DEEPSEEK, "deepseek", "arXiv:2401.02954, without embeddings.")                            \
    X(NNC_LAW_KAPLAN, "kaplan", "arXiv:2001.08361, without embeddings; superseded.")
NNC_ENUM(nnc_law, NNC_LAW_LIST, NNC_LAW_COUNT);
enum { NNC_LAW_SPACE = 32 };
NNC_API const char *nnc_law_name(nnc_law law);
NNC_API const char *nnc_law_help(nnc_law law);

typedef struct nnc_optimum {
    nnc_law law;
    double params, tokens, loss; /* params, tokens: parameters and training tokens of the best model; loss: loss of
                                  * the best model (NaN if the law gives no loss) */
    /* served_params, served_tokens: model with the same loss as the best model and the fewest FLOPs for training plus
     * serving; saved_share: share of the best model's FLOPs that the served model saves */
    double served_params, served_tokens, saved_share;
} nnc_optimum;

/* Returns the number of parameters N and the number of tokens D that give the smallest loss with 6 N D = `flops`. */
NNC_API nnc_optimum nnc_compute_optimal(nnc_law law, double flops);
/* Returns the model size N and tokens D with the same loss as `params` parameters after `tokens` tokens, and the fewest
 * FLOPs for training and for inference on T = `served` tokens: 6 N D + 2 N T (arXiv:2401.00448). NaN if the law gives
 * no loss. */
NNC_API nnc_optimum nnc_serving_optimal(nnc_law law, double params, double tokens, double served);
/* Returns the loss of a model of `params` parameters after `tokens` tokens; NaN = the law gives only the optimum. */
NNC_API double nnc_law_loss(nnc_law law, double params, double tokens);

/* Inputs of a budget: money or FLOPs to spend, or a model and its tokens. NaN = not given. */
typedef struct nnc_budget_ask {
    size_t struct_size; /* sizeof (nnc_budget_ask); nnc_budget_ask_default sets it */
    double cost, days, params, tokens;
    double mfu, goodput; /* expected MFU and goodput of the run */
    double price;        /* price of one device-hour; NaN = from the device file */
    double flops;        /* FLOPs, given instead of cost */
    double serve_tokens; /* tokens processed in inference after training */
} nnc_budget_ask;

/* Sets every member to its default: MFU 0.4 and goodput 0.95, as reported for large runs. */
NNC_API void nnc_budget_ask_init(nnc_budget_ask *ask, size_t struct_size);
static inline nnc_budget_ask nnc_budget_ask_default(void) {
    nnc_budget_ask ask;
    nnc_budget_ask_init(&ask, sizeof ask);
    return ask;
}

typedef struct nnc_budget {
    size_t struct_size;               /* size of the struct; nnc_budget_of sets it */
    double cost, device_hours, flops; /* cost: money for the training; device_hours: device-hours of the training;
                                       * flops: FLOPs of the training, 6 N D for N parameters and D tokens */
    double devices, days;             /* devices that finish in `days` days; both NaN if days is not given */
    double flops_per_s;               /* useful rate of one device */
    double price_per_device_hour;
    double params, tokens;               /* parameters and tokens as given; both NaN if cost or flops was given */
    nnc_optimum optima[NNC_LAW_SPACE];   /* best model for `flops`, one per scaling law */
    double over_training[NNC_LAW_SPACE]; /* flops / fewest FLOPs that reach the same loss, by law; NaN = unknown */
} nnc_budget;

/* Computes the best model for an amount of money or FLOPs, or the money for a model and its tokens. device gives the
 * bf16 (else fp16) peak and the price; it may be NULL if flops is given. NaN = unknown. NNC_BAD_USAGE: neither or both
 * of budget and model are given, or a value is out of range. */
NNC_API nnc_status nnc_budget_into(const nnc_device *device, const nnc_budget_ask *ask, nnc_budget *budget,
                                   nnc_error *err);
static inline nnc_status nnc_budget_of(const nnc_device *device, const nnc_budget_ask *ask, nnc_budget *budget,
                                       nnc_error *err) {
    budget->struct_size = sizeof *budget;
    return nnc_budget_into(device, ask, budget, err);
}

#ifdef __cplusplus
}
#endif

#endif
