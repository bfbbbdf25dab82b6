/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a whole run from the time of one step: days, device-hours, money, energy and carbon. Counts failures with
 * lost work, checkpoints, evaluation, and data loading that is slower than compute. */
#ifndef NNCOST_RUN_H
#define NNCOST_RUN_H

#include <nncost/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of failures that a mean time between failures counts. */
#define NNC_STOPS_LIST(X)                                                                          \
    X(NNC_STOPS_ANY, "any", "Every failure that loses work: hardware, software, network, people.") \
    X(NNC_STOPS_HARDWARE, "hardware", "Only failures of the hardware.")
NNC_ENUM(nnc_stops, NNC_STOPS_LIST, NNC_STOPS_COUNT);
NNC_API const char *nnc_stops_name(nnc_stops stops);
NNC_API const char *nnc_stops_help(nnc_stops stops);

/* Training methods. A method says which models process the tokens of a step, in addition to the trained model. */
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
/* Tests whether a method generates tokens during training. */
NNC_API bool nnc_method_rolls_out(nnc_method method);
typedef struct nnc_run_ask nnc_run_ask;
/* Sets in a plan the members that count the helper models of ask->method in memory. A helper model whose size is not
 * given is a copy of the trained model. With adapters, this copy is the frozen base with other adapters or with none,
 * so it has no weights of its own. */
NNC_API void nnc_method_helpers(const nnc_run_ask *ask, nnc_plan *plan);

/* Inputs of a run in addition to its step. NaN = not given: the value is then computed, or has a published default, or
 * the part of the run that needs it does not count. Shares are numbers from 0 to 1. Times are seconds unless the name
 * says otherwise. */
struct nnc_run_ask {
    size_t struct_size; /* sizeof (nnc_run_ask); nnc_run_ask_default sets it */
    /* Amount of training: give epochs, days or device_hours here, or tokens or samples in the plan. */
    double epochs, dataset_size; /* epochs: passes over the dataset; dataset_size: tokens of the dataset (samples if the
                                  * model has no tokens) */
    double days;                 /* duration of the run, in days */
    /* Time and FLOPs of a step, given instead of an estimate. */
    double step_s, step_flops; /* step_s: time of a whole step; step_flops: FLOPs of a whole step on all devices */
    /* inputs about failures of devices and nodes */
    nnc_stops stops;                     /* kind of failures that device_mtbf_s counts */
    double device_mtbf_s;                /* mean time between failures of a job x number of its devices; NaN = not
                                          * known, the run has no failures */
    double detect_s, start_s, replace_s; /* detect_s: time until a failure is detected; start_s: time to start all
                                          * ranks; replace_s: time to replace a node */
    double reclaim_per_month;            /* share of the spot nodes that the seller takes back in a month; 0 = no
                                          * nodes */
    double spares, repair_s;             /* spares: number of spare nodes; repair_s: time until a node is repaired */
    double failing_share;                /* share of the failures after which a node cannot be used until it is
                                          * repaired */
    /* inputs about checkpoints and their storage */
    double checkpoint_bytes; /* bytes of a checkpoint of the whole model */
    /* rate at which all devices together write to (storage_write_bytes_per_s) and read from (storage_read_bytes_per_s)
     * the storage */
    double storage_write_bytes_per_s, storage_read_bytes_per_s;
    double block_s, save_s, load_s; /* block_s: time that training waits for a checkpoint; save_s: time until the
                                     * checkpoint is safely stored; load_s: time to load a checkpoint */
    double checkpoint_interval_s;   /* training time between two checkpoints; NaN = the best interval is computed */
    bool asynchronous;              /* true: training continues while a checkpoint is written */
    /* time of the run in which the model is not trained */
    double evaluate_every, evaluate_s; /* evaluate_every: steps between two evaluations, 0 = no evaluation; evaluate_s:
                                        * time of one evaluation */
    double warmup_s;                   /* time that the run spends once: start of the job, compilation, ramp of the
                                        * batch size */
    double planned_stops;              /* number of planned stops, for example maintenance, each as long as a restart; 0
                                        * = no stops */
    double straggler_share;            /* share of the time that is lost because devices are slower than the others; 0 =
                                        * no time */
    /* Several sites that train separately and average their weights from time to time (local SGD, DiLoCo:
     * arXiv:2311.08105). Each site has the devices of the plan. */
    double sites;            /* number of sites that average their weights; 1 = a single site, no averages */
    double outer_every;      /* number of steps between two averages of the sites */
    double outer_bytes;      /* bytes of the weights that a site sends for an average; NaN = 4 bytes per parameter */
    double site_bytes_per_s; /* rate of the link of one site in one direction */
    double outer_overlap_s;  /* part of the time of an average that overlaps with training; 0 = no part */
    /* inputs about data loading */
    double sample_bytes;      /* bytes of a sample in the storage */
    double input_bytes_per_s; /* rate at which all devices together read samples from the storage */
    double access_share;      /* share of input_bytes_per_s that is reached with the order in which samples are read */
    double cached_share;      /* share of the samples that are cached on the nodes */
    double prepare_s;         /* time of one worker to prepare one sample: decoding, augmentation */
    double workers;           /* number of worker processes for each device */
    double prefetch;          /* number of batches that each worker loads in advance */
    double prepared_bytes;    /* bytes of a prepared sample, as it is sent to the device */
    bool serial_input;        /* true: data loading does not overlap with compute */
    /* inputs about energy and carbon */
    double idle_w, busy_w; /* power of a node with host and cooling, divided by the number of its devices: idle_w while
                            * idle, busy_w while training */
    double network_w;      /* power of all network switches, in watts */
    double pue;            /* power usage effectiveness: energy of the data centre / energy of its machines */
    double carbon_g_per_kwh;
    double embodied_kg;       /* carbon emitted to make one device and its share of a node, kg */
    double life_s, use_share; /* life_s: time from first to last use of a device; use_share: share of this time in which
                               * the device works */
    /* inputs about storage and network costs */
    double stored_bytes, storage_price; /* stored_bytes: bytes in storage during the run; storage_price: price of one GB
                                         * for one month */
    double egress_bytes, egress_price;  /* egress_bytes: bytes that are sent out of the data centre during the run;
                                         * egress_price: price of one GB */
    /* Fine-tuning methods with helper models. reference_params, reward_params, critic_params, teacher_params: active
     * parameters of each helper model; NaN = as many as policy_params; 0 = no such model. */
    nnc_method method;
    double policy_params; /* active parameters of the policy model, the model that the run trains; NaN = as in the
                           * estimate */
    double reference_params, reward_params, critic_params, teacher_params;
    double update_epochs;                  /* how often training passes over the samples that one step generates */
    bool sampler_logprobs;                 /* true: training uses the log probabilities that generation has computed */
    double prompt_tokens, response_tokens; /* prompt_tokens: tokens of a prompt; response_tokens: tokens of an answer
                                            * (NaN = seq_len - prompt_tokens) */
    double group;                          /* number of answers that are generated for each prompt */
    double rollout_batch, rollout_tensor;  /* rollout_batch: sequences that a replica generates at the same time (NaN =
                                            * as many as fit in memory); rollout_tensor: number of devices of a replica
                                            * that generates */
    double rollout_devices;                /* number of devices that only generate; 0 = the training devices generate */
    bool rollout_overlap;                  /* true: generation overlaps with training */
    double rollout_tail;                   /* tokens of the longest answer / mean tokens of an answer */
    double rollout_tokens_per_s;           /* tokens per second that one device generates */
    double rollout_s, score_s, sync_s;     /* times of one step: rollout_s to generate, score_s to score answers, sync_s
                                            * to send new weights to the generating devices; each replaces the computed
                                            * time */
    double sync_bytes_per_s;               /* rate at which new weights are sent to the generating devices; NaN =
                                            * sending takes no time */
    double device_hours;                   /* amount of training: device-hours of the run */
    /* Elastic job: number of replicas. If one replica fails, the other replicas continue while it is replaced. 0 = all
     * devices stop and go back to the last checkpoint. */
    double elastic_replicas, reshard_s; /* reshard_s: time until the other replicas continue after a failure */
    double encode_s;                    /* device time to encode one sample (image, text) with frozen encoders; 0 =
                                         * encoded samples are cached */
    double reference_total_params, reward_total_params, critic_total_params,
        teacher_total_params; /* all parameters of a helper model with experts, for its memory; NaN = as many as it has
                               * active parameters */
};

/* Sets every member to its default, the default of `nncost run`: for example 600 s to detect a failure and 30 s to
 * start (arXiv:2402.15627), 2 days for a repair, 8 workers per device, PUE 1. struct_size: size of the struct, for
 * programs that do not read this header. */
NNC_API void nnc_run_ask_init(nnc_run_ask *ask, size_t struct_size);
static inline nnc_run_ask nnc_run_ask_default(void) {
    nnc_run_ask ask;
    nnc_run_ask_init(&ask, sizeof ask);
    return ask;
}

/* Returns NNC_ILLEGAL_PLAN if a member is outside the limits of its command-line option; err names the option. */
NNC_API nnc_status nnc_run_ask_check(const nnc_run_ask *ask, nnc_error *err);

/* The result of a run. NaN = not known. Times are seconds unless the name says otherwise. */
typedef struct nnc_run {
    size_t struct_size; /* sizeof (nnc_run); nnc_run_of sets it */
    double devices, nodes;
    /* results: amount of training */
    double samples, tokens, steps, flops;
    /* results: data loading for one step */
    double fetch_s, prepare_s, transfer_s; /* fetch_s: time to read from storage; prepare_s: time of the workers;
                                            * transfer_s: time to send the samples to the device */
    double input_s;           /* time to load the data of one step: the maximum of fetch_s, prepare_s and transfer_s, or
                               * their sum with serial_input */
    double input_wait_s;      /* time of a step in which the device waits for data */
    double input_bytes_per_s; /* rate at which all devices together read from storage */
    double workers_needed;    /* number of workers for each device with which the device never waits for data */
    double prefetch_bytes;    /* bytes of host memory that the workers of one device use */
    bool input_bound;
    /* results: averages between sites */
    double outer_bytes, outer_s; /* outer_bytes: bytes that a site sends and receives for one average; outer_s: time
                                  * that one average adds to the run */
    double step_s;               /* time of a step, including the wait for data */
    /* results: failures and checkpoints */
    double device_mtbf_s, system_mtbf_s, survive_hour;
    double checkpoint_bytes, block_s, save_s, load_s;
    double restart_s;            /* time from a failure until training continues: detect it, replace the node, start,
                                  * load a checkpoint */
    double young_s, interval_s;  /* training time between two checkpoints. young_s: best interval by Young's formula;
                                  * interval_s: interval that the run uses */
    double first_order, goodput; /* useful time / wall time of training. first_order: by a first-order formula; goodput:
                                  * without this approximation */
    double stops;                /* expected number of failures in the run */
    double nodes_out, spares_needed,
        short_share; /* nodes_out: mean number of nodes that cannot be used; spares_needed: number of spare nodes that
                      * is enough in 99 % of the time; short_share: share of the time in which nodes are missing */
    /* Parts of the wall time of the run. train_s, wait_s, straggler_s, save_time_s, lost_s, evaluate_s, warmup_s,
     * planned_s, sites_s, rollout_s, score_s and sync_s add up to run_s. */
    double train_s, wait_s, straggler_s, save_time_s, lost_s, evaluate_s, warmup_s, planned_s;
    double sites_s; /* time in which sites wait for averages */
    double run_s, days, device_hours;
    /* results: money, in the currency of the prices */
    double price_per_device_hour, cost_devices, cost_storage, cost_egress, cost;
    /* results: energy and carbon */
    double busy_share, power_w; /* means over the run for one device. busy_share: share of the time in which the device
                                 * works; power_w: power in watts */
    double energy_j;            /* energy of the run, including the PUE */
    double rated_energy_j;      /* rated power x time x PUE, as published totals are computed */
    double carbon_kg, rated_carbon_kg, embodied_carbon_kg;
    /* Fine-tuning methods: time outside training. Members whose names end in _step_s are times per step; the others are
     * times of the whole run. */
    double rollout_step_s, score_step_s, sync_step_s;
    double rollout_s, score_s, sync_s;
    /* flops_per_token: FLOPs for each trained token; cost_per_million_tokens: cost of a million trained tokens */
    double flops_per_token, cost_per_million_tokens;
} nnc_run;

/* Computes a run. result: the result of an estimate; NULL = `ask` gives time and FLOPs of the step, and `plan` gives
 * devices, tokens or samples, batch and price. device: for prices, power and failures; may be NULL. Returns
 * NNC_BAD_USAGE if the inputs are incomplete or contradict each other. */
NNC_API nnc_status nnc_run_into(const nnc_result *result, const nnc_device *device, const nnc_plan *plan,
                                const nnc_run_ask *ask, nnc_run *run, nnc_error *err);
static inline nnc_status nnc_run_of(const nnc_result *result, const nnc_device *device, const nnc_plan *plan,
                                    const nnc_run_ask *ask, nnc_run *run, nnc_error *err) {
    run->struct_size = sizeof *run;
    return nnc_run_into(result, device, plan, ask, run, err);
}

/* ---- single formulas: checkpoint interval, goodput, spare nodes ---- */

/* These functions return the best training time between two checkpoints, in seconds: by Young's formula, and by Daly's
 * formula of higher order (doi:10.1016/j.future.2004.11.016). block_s: time that training waits for a checkpoint;
 * mtbf_s: mean time between failures. */
NNC_API double nnc_young_interval(double block_s, double mtbf_s);
NNC_API double nnc_daly_interval(double block_s, double mtbf_s);
/* Returns the goodput: useful time / wall time of training. Failures are random, and can also happen during a restart
 * or a save. asynchronous true: a save overlaps with training, and the checkpoint is safely stored save_s after the
 * start of the save. mtbf_s infinite = no failures. */
NNC_API double nnc_goodput(double interval_s, double block_s, double save_s, double restart_s, double mtbf_s,
                           bool asynchronous);
/* Returns the smallest number of spare nodes that is enough in the share enough_share (0 to 1) of the time, if a mean
 * number of nodes_out nodes cannot be used (Poisson distribution). *short_share gets the share of the time in which the
 * spare nodes are not enough. */
NNC_API double nnc_spares(double nodes_out, double enough_share, double *short_share);

/* ---- budgets: the best model for an amount of money or FLOPs ---- */

/* Published scaling laws for a model with N parameters that is trained on D tokens. Most laws give a loss E + A / N^a +
 * B / D^b, with constants E, A, B, a, b; the others give only the best N or D. */
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
    double params, tokens, loss; /* best model: parameters, training tokens and loss (NaN if the law gives no loss) */
    /* served_params, served_tokens: the model with the same loss as the best model that needs the fewest FLOPs for
     * training and serving together; saved_share: share of the best model's FLOPs that it saves */
    double served_params, served_tokens, saved_share;
} nnc_optimum;

/* Returns the number of parameters N and of tokens D with the smallest loss, if training costs `flops` FLOPs: 6 N D =
 * flops. */
NNC_API nnc_optimum nnc_compute_optimal(nnc_law law, double flops);
/* Returns the model (N parameters, D tokens) that has the same loss as `params` parameters after `tokens` tokens, and
 * needs the fewest FLOPs for training and for inference on T = `served` tokens: 6 N D + 2 N T (arXiv:2401.00448).
 * Members are NaN if the law gives no loss. */
NNC_API nnc_optimum nnc_serving_optimal(nnc_law law, double params, double tokens, double served);
/* Returns the loss of a model with `params` parameters after `tokens` tokens; NaN = the law gives no loss. */
NNC_API double nnc_law_loss(nnc_law law, double params, double tokens);

/* Inputs of a budget: either money or FLOPs to spend, or a model and its tokens. NaN = not given. */
typedef struct nnc_budget_ask {
    size_t struct_size; /* sizeof (nnc_budget_ask); nnc_budget_ask_default sets it */
    double cost, days, params, tokens;
    double mfu, goodput; /* MFU and goodput that the run is expected to reach */
    double price;        /* price of one device-hour; NaN = as in the device file */
    double flops;        /* FLOPs to spend, given instead of cost */
    double serve_tokens; /* tokens that the model processes in inference after training */
} nnc_budget_ask;

/* Sets every member to its default: MFU 0.4 and goodput 0.95, as reported for large runs. struct_size: size of the
 * struct, for programs that do not read this header. */
NNC_API void nnc_budget_ask_init(nnc_budget_ask *ask, size_t struct_size);
static inline nnc_budget_ask nnc_budget_ask_default(void) {
    nnc_budget_ask ask;
    nnc_budget_ask_init(&ask, sizeof ask);
    return ask;
}

typedef struct nnc_budget {
    size_t struct_size;               /* sizeof (nnc_budget); nnc_budget_of sets it */
    double cost, device_hours, flops; /* of the training: its cost, its device-hours, and its FLOPs (6 N D for N
                                       * parameters and D tokens) */
    double devices, days;             /* number of devices that finish the training in `days` days; both NaN if days is
                                       * not given */
    double flops_per_s;               /* FLOPs per second that one device does for the model: peak x MFU x goodput */
    double price_per_device_hour;
    double params, tokens;               /* parameters and tokens as given; both NaN if cost or FLOPs were given */
    nnc_optimum optima[NNC_LAW_SPACE];   /* best model for `flops` FLOPs, one for each scaling law */
    double over_training[NNC_LAW_SPACE]; /* flops / fewest FLOPs with which a model reaches the same loss, for each
                                          * scaling law; NaN = not known */
} nnc_budget;

/* Computes the best model for an amount of money or FLOPs, or the money for a model and its tokens. device: its peak in
 * bf16 (else fp16) and its price are used; may be NULL if ask->flops is given. Returns NNC_BAD_USAGE if a value is out
 * of range, or if a budget and a model are both given or both missing. */
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
