/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a whole run from the time of one step: days, device-hours, money, energy and carbon. The time of the run
 * contains failures with lost work, checkpoints, evaluation, and steps that wait for training data. */
#ifndef NNCOST_RUN_H
#define NNCOST_RUN_H

#include <nncost/estimate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of failures that a mean time between failures includes. */
#define NNC_STOPS_LIST(X)                                                                          \
    X(NNC_STOPS_ANY, "any", "Every failure that loses work: hardware, software, network, people.") \
    X(NNC_STOPS_HARDWARE, "hardware", "Only failures of the hardware.")
NNC_ENUM(nnc_stops, NNC_STOPS_LIST, NNC_STOPS_COUNT);
NNC_API const char *nnc_stops_name(nnc_stops stops);
NNC_API const char *nnc_stops_help(nnc_stops stops);

/* Training methods, such as pre-training or DPO. A training method determines which models process the tokens of a step
 * in addition to the trained model. */
#define NNC_METHOD_LIST(X)                                                                                            \
    X(NNC_METHOD_TRAIN, "train", "Training steps on a dataset: pre-training, fine-tuning, adapters.")                 \
    X(NNC_METHOD_DISTILL, "distill", "Steps on the outputs of a teacher, which were computed once for every token.")  \
    X(NNC_METHOD_DISTILL_ON_POLICY, "distill-on-policy", "The student generates answers, and a teacher scores them.") \
    X(NNC_METHOD_DPO, "dpo", "Preferred and rejected answers, scored by a reference model.")                          \
    X(NNC_METHOD_GRPO, "grpo", "Generated groups of answers, scored by a reference model.")                           \
    X(NNC_METHOD_PPO, "ppo", "Generated answers, scored by reference and reward models; a critic is trained too.")    \
    X(NNC_METHOD_KTO, "kto", "Single answers, good or bad, scored by a reference model.")
NNC_ENUM(nnc_method, NNC_METHOD_LIST, NNC_METHOD_COUNT);
NNC_API const char *nnc_method_name(nnc_method method);
NNC_API const char *nnc_method_help(nnc_method method);
/* Tests whether a training method generates tokens, as reinforcement learning does. */
NNC_API bool nnc_method_rolls_out(nnc_method method);
typedef struct nnc_run_ask nnc_run_ask;
/* Sets the plan members for the memory of the helper models of a training method (ask->method). A helper model whose
 * size is not given is a copy of the trained model. If only adapters are trained, the trained model and its copies
 * share the frozen weights and differ only in their adapters, so a copy needs no further weights in memory. */
NNC_API void nnc_method_helpers(const nnc_run_ask *ask, nnc_plan *plan);

/* Inputs of a run in addition to its step. NaN = not given: nncost then computes the value, uses a published default,
 * or leaves out the part of the run that needs the value. Shares are numbers from 0 to 1. Times are in seconds unless
 * the name of the member says otherwise. */
struct nnc_run_ask {
    size_t struct_size; /* sizeof (nnc_run_ask); nnc_run_ask_default sets this member */
    /* Amount of training. The user gives exactly one value: epochs, days or device_hours in this struct, or tokens or
     * samples in the plan. */
    double epochs, dataset_size; /* epochs: passes over the dataset; dataset_size: tokens of the dataset (samples if the
                                  * model has no tokens) */
    double days;                 /* duration of the run in days, given as the amount of training */
    /* Time and FLOPs of one step, used instead of the time and FLOPs of an estimate. */
    /* step_s: seconds of one step; step_flops: FLOPs of one step, summed over all devices */
    double step_s, step_flops;
    /* The next inputs describe failures of devices and nodes. */
    nnc_stops stops;                     /* kinds of failures that the value of device_mtbf_s includes */
    double device_mtbf_s;                /* mean time between failures of a job x number of its devices; NaN = not
                                          * known, so nncost computes a run without failures */
    double detect_s, start_s, replace_s; /* detect_s: time until a failure is detected; start_s: time to start all
                                          * ranks; replace_s: time to replace a node */
    /* share of the spot nodes that the seller takes back in a month; 0 = the seller takes back no nodes */
    double reclaim_per_month;
    double spares, repair_s; /* spares: number of spare nodes; repair_s: seconds until a failed node is repaired */
    double failing_share;    /* share of the failures after which a node cannot be used until it is
                                          * repaired */
    /* inputs of the run that describe checkpoints and the storage of checkpoints */
    double checkpoint_bytes; /* bytes of one checkpoint of the whole model and its optimizer states */
    /* Bytes per second that all devices together write to the storage (storage_write_bytes_per_s) or read from the
     * storage (storage_read_bytes_per_s). */
    double storage_write_bytes_per_s, storage_read_bytes_per_s;
    double block_s, save_s, load_s; /* block_s: time that training waits for a checkpoint; save_s: time until the
                                     * checkpoint is safely stored; load_s: time to load a checkpoint */
    /* seconds of training between two checkpoints; NaN = nncost computes the best interval */
    double checkpoint_interval_s;
    bool asynchronous; /* true: training continues while a checkpoint is written to the storage */
    /* inputs of the run for times in which no training takes place */
    double evaluate_every, evaluate_s; /* evaluate_every: steps between two evaluations, 0 = no evaluation; evaluate_s:
                                        * time of one evaluation */
    double warmup_s;                   /* time that the run spends once: start of the job, compilation, ramp of the
                                        * batch size */
    double planned_stops;              /* number of planned stops, for example maintenance, each as long as a restart; 0
                                        * = no stops */
    /* share of the time that is lost because some devices are slower than others; 0 = no time is lost */
    double straggler_share;
    /* Inputs of a run on several sites, which train separately and average their weights from time to time (local SGD,
     * DiLoCo: arXiv:2311.08105). Each site has as many devices as the plan. */
    double sites;       /* number of sites that average their weights; 1 = a single site, no averages */
    double outer_every; /* number of steps after which the sites average their weights */
    /* bytes of weights that one site sends for one average of the sites; NaN = 4 bytes per parameter */
    double outer_bytes;
    double site_bytes_per_s; /* rate of the network link of one site, B/s in one direction */
    double outer_overlap_s;  /* part of the seconds of one average of the sites' weights that overlaps with training; 0
                              * = no overlap */
    /* The next inputs describe data loading. */
    double sample_bytes;      /* bytes of one training sample in the storage */
    double input_bytes_per_s; /* bytes of samples per second that all devices together can read from the storage */
    double access_share;   /* share of input_bytes_per_s that is reached if samples are read in the order of training */
    double cached_share;   /* share of the samples that are read from caches on the nodes, not from the storage */
    double prepare_s;      /* seconds in which one worker process prepares one sample (decoding, augmentation) */
    double workers;        /* number of worker processes that load data for each device */
    double prefetch;       /* number of batches that each worker process loads in advance */
    double prepared_bytes; /* bytes of a prepared sample when it is sent to the device */
    bool serial_input;     /* true: data loading does not overlap with compute, so a step waits for its data */
    /* The next inputs describe energy and carbon emissions. */
    double idle_w, busy_w; /* power of a node with host and cooling, divided by the number of its devices: idle_w while
                            * idle, busy_w while training */
    double network_w;      /* power in watts of all network switches together */
    double pue;            /* power usage effectiveness: energy of the data centre / energy of the machines in it */
    double carbon_g_per_kwh;
    double embodied_kg;       /* kg of CO2 emitted to make one device and its share of a node */
    double life_s, use_share; /* life_s: time from first to last use of a device; use_share: share of this time in which
                               * the device works */
    /* The next inputs describe costs of storage and of data transfer. */
    double stored_bytes, storage_price; /* stored_bytes: bytes in storage during the run; storage_price: price of one GB
                                         * for one month */
    double egress_bytes, egress_price;  /* egress_bytes: bytes that are sent out of the data centre during the run;
                                         * egress_price: price of one GB */
    /* Inputs of a fine-tuning method with helper models. reference_params, reward_params, critic_params,
     * teacher_params: number of active parameters of each helper model; NaN = as many as policy_params; 0 = the method
     * has no such model. */
    nnc_method method;
    /* active parameters of the policy model, the model that the run trains; NaN = the number of the estimated model */
    double policy_params;
    double reference_params, reward_params, critic_params, teacher_params;
    double update_epochs;  /* number of times that training uses each sample that one step generates */
    bool sampler_logprobs; /* true: training reuses the log probabilities of tokens that generation has computed */
    double prompt_tokens, response_tokens; /* prompt_tokens: tokens of a prompt; response_tokens: tokens of an answer
                                            * (NaN = seq_len - prompt_tokens) */
    double group;                          /* number of answers that generation produces for each prompt */
    double rollout_batch, rollout_tensor;  /* rollout_batch: number of sequences that a replica generates in parallel
                                            * (NaN = as many as fit in memory); rollout_tensor: number of devices of a
                                            * replica that generates */
    /* number of devices that generate answers and do not train; 0 = the training devices generate */
    double rollout_devices;
    bool rollout_overlap;        /* true: answers for a later step are generated while the model is trained */
    double rollout_tail;         /* number of tokens of the longest answer / mean number of tokens of all answers */
    double rollout_tokens_per_s; /* output tokens per second that one device generates */
    double rollout_s, score_s, sync_s; /* times of one step: rollout_s to generate, score_s to score answers, sync_s
                                            * to send new weights to the generating devices; each replaces the computed
                                            * time */
    double sync_bytes_per_s;           /* rate at which new weights are sent to the generating devices; NaN =
                                            * sending takes no time */
    double device_hours;               /* amount of training, as the product of devices and hours of the run */
    /* Elastic job: if one of elastic_replicas replicas fails, the replicas that did not fail continue while the failed
     * replica is replaced. 0 = no elastic job: after a failure all devices stop and go back to the last checkpoint. */
    double elastic_replicas, reshard_s; /* reshard_s: seconds from the failure of a replica of an elastic job until the
                                         * replicas that did not fail continue */
    double encode_s;                    /* device time to encode one sample (image, text) with frozen encoders; 0 =
                                         * encoded samples are cached */
    /* number of all parameters of a helper model with experts, from which its memory is computed; NaN = equal to the
     * number of its active parameters */
    double reference_total_params, reward_total_params, critic_total_params, teacher_total_params;
};

/* Sets every member to the default of `nncost run`: for example 600 s to detect a failure and 30 s to start
 * (arXiv:2402.15627), 2 days for a repair, 8 workers per device, PUE 1. struct_size: sizeof (nnc_run_ask) in the
 * calling program, because programs in other languages do not read this header. */
NNC_API void nnc_run_ask_init(nnc_run_ask *ask, size_t struct_size);
static inline nnc_run_ask nnc_run_ask_default(void) {
    nnc_run_ask ask;
    nnc_run_ask_init(&ask, sizeof ask);
    return ask;
}

/* Returns NNC_ILLEGAL_PLAN if a member of the nnc_run_ask is outside the limits of its command-line option; err names
 * the option. */
NNC_API nnc_status nnc_run_ask_check(const nnc_run_ask *ask, nnc_error *err);

/* The result of a run. NaN = not known. Times are seconds unless the name says otherwise. */
typedef struct nnc_run {
    size_t struct_size; /* sizeof (nnc_run); nnc_run_of sets this member */
    double devices, nodes;
    /* The next results describe the amount of training. */
    double samples, tokens, steps, flops;
    /* The next results are seconds of data loading for one step. */
    double fetch_s, prepare_s, transfer_s; /* fetch_s: time to read from storage; prepare_s: time of the workers;
                                            * transfer_s: time to send the samples to the device */
    double input_s;      /* time to load the data of one step: the maximum of fetch_s, prepare_s and transfer_s, or, if
                          * serial_input is true, the sum of these three times */
    double input_wait_s; /* seconds of a step in which the device waits for training data */
    /* bytes per second that all devices together have to read from the storage so that no device waits */
    double input_bytes_per_s;
    /* smallest number of workers per device with which the device does not wait for training data */
    double workers_needed;
    double prefetch_bytes; /* bytes of host memory for the batches that the workers of one device load in advance */
    bool input_bound;
    /* The next results describe averages of the weights of several sites. */
    double outer_bytes, outer_s; /* outer_bytes: bytes that a site sends and receives for one average; outer_s: time
                                  * that one average adds to the run */
    double step_s;               /* seconds of a step, including the wait for training data */
    /* The next results describe failures and checkpoints. */
    double device_mtbf_s, system_mtbf_s, survive_hour;
    double checkpoint_bytes, block_s, save_s, load_s;
    double restart_s;            /* time from a failure until training continues: the sum of the times to detect the
                                  * failure, to replace the node, to start all ranks, and to load a checkpoint */
    double young_s, interval_s;  /* training time between two checkpoints. young_s: best interval by Young's formula;
                                  * interval_s: interval that the run uses */
    double first_order, goodput; /* useful time / wall time of the training; first_order is computed by a first-order
                                  * formula, goodput without this approximation */
    double stops;                /* expected number of failures during the run */
    double nodes_out, spares_needed,
        short_share; /* nodes_out: mean number of nodes that cannot be used; spares_needed: number of spare nodes that
                      * is enough in 99 % of the time; short_share: share of the time in which nodes are missing */
    /* Parts of the wall time of the run in seconds. train_s, wait_s, straggler_s, save_time_s, lost_s, evaluate_s,
     * warmup_s, planned_s, sites_s, rollout_s, score_s and sync_s add up to run_s. */
    double train_s, wait_s, straggler_s, save_time_s, lost_s, evaluate_s, warmup_s, planned_s;
    double sites_s; /* seconds of the run in which training waits for averages of the sites */
    double run_s, days, device_hours;
    /* The next results are amounts of money, in the currency of the prices. */
    double price_per_device_hour, cost_devices, cost_storage, cost_egress, cost;
    /* The next results describe energy and carbon emissions. */
    double busy_share, power_w; /* means over the run for one device. busy_share: share of the time in which the device
                                 * works; power_w: power in watts */
    double energy_j;            /* energy of the run in joules, which includes the factor PUE */
    double rated_energy_j; /* energy as published totals are computed: rated power of the devices x run time x PUE */
    double carbon_kg, rated_carbon_kg, embodied_carbon_kg;
    /* Fine-tuning methods: seconds outside training. Members whose names end in _step_s are seconds per step;
     * rollout_s, score_s and sync_s are seconds of the whole run. */
    double rollout_step_s, score_step_s, sync_step_s;
    double rollout_s, score_s, sync_s;
    /* flops_per_token: FLOPs per trained token; cost_per_million_tokens: cost of the run per million trained tokens */
    double flops_per_token, cost_per_million_tokens;
} nnc_run;

/* Computes a run. result: the result of an estimate; NULL = `ask` gives time and FLOPs of a step, and `plan` gives
 * devices, tokens or samples, batch and price. device: source of prices, power and failure rates; may be NULL. Returns
 * NNC_BAD_USAGE if inputs are missing or contradict each other. */
NNC_API nnc_status nnc_run_into(const nnc_result *result, const nnc_device *device, const nnc_plan *plan,
                                const nnc_run_ask *ask, nnc_run *run, nnc_error *err);
static inline nnc_status nnc_run_of(const nnc_result *result, const nnc_device *device, const nnc_plan *plan,
                                    const nnc_run_ask *ask, nnc_run *run, nnc_error *err) {
    run->struct_size = sizeof *run;
    return nnc_run_into(result, device, plan, ask, run, err);
}

/* ---- formulas for a single result: checkpoint interval, goodput, number of spare nodes ---- */

/* These functions return the best seconds of training between two checkpoints: by Young's formula, and by Daly's
 * formula of higher order (doi:10.1016/j.future.2004.11.016). block_s: seconds that training stops to write a
 * checkpoint; mtbf_s: mean seconds between two failures. */
NNC_API double nnc_young_interval(double block_s, double mtbf_s);
NNC_API double nnc_daly_interval(double block_s, double mtbf_s);
/* Returns the goodput: useful training time / wall time. The formula assumes that failures come at random times, and
 * that a failure can also happen during a restart or a save. If `asynchronous` is true, training continues during a
 * save, and the checkpoint is complete save_s seconds after the start of the save. If mtbf_s is infinite, no failures
 * happen. */
NNC_API double nnc_goodput(double interval_s, double block_s, double save_s, double restart_s, double mtbf_s,
                           bool asynchronous);
/* Returns the smallest sufficient number of spare nodes: in at least the share enough_share (0 to 1) of the time, every
 * failed node can be replaced by a spare node. The number of failed nodes that are not yet repaired has a Poisson
 * distribution with the mean nodes_out. *short_share gets the share of the time in which more nodes have failed than
 * there are spare nodes. */
NNC_API double nnc_spares(double nodes_out, double enough_share, double *short_share);

/* ---- budgets: the best model for an amount of money or of FLOPs ---- */

/* Published scaling laws for a model with N parameters that is trained on D tokens. Most laws state a loss E + A / N^a
 * + B / D^b with fitted constants E, A, B, a and b. The laws without a loss state only the best N or the best D. */
#define NNC_LAW_LIST(X)                                                                                         \
    X(NNC_LAW_RULE_20, "rule-of-20", "Twenty tokens per parameter, arXiv:2203.15556.")                          \
    X(NNC_LAW_PRINTED, "printed", "Approach 3 of arXiv:2203.15556 as printed.")                                 \
    X(NNC_LAW_TEX, "tex", "Approach 3 of arXiv:2203.15556, with the digits of the paper's TeX source.")         \
    X(NNC_LAW_EPOCH, "epoch", "The replication of arXiv:2404.10102.")                                           \
    X(NNC_LAW_APPROACH_1, "approach-1", "Approach 1 of arXiv:2203.15556, by its table 3.")                      \
    X(NNC_LAW_APPROACH_2, "approach-2", "Approach 2 of arXiv:2203.15556, by its table A3.")                     \
    X(NNC_LAW_LLAMA_3, "llama-3", "Tokens of arXiv:2407.21783, refitted to its figure.")                        \
    X(NNC_LAW_LLAMA_3_PRINTED, "llama-3-printed",                                                               \
      "Tokens of arXiv:2407.21783 by the printed formula, which does not result in the paper's 16.55T tokens.") \
    X(NNC_LAW_DEEPSEEK, "deepseek", "arXiv:2401.02954, without embeddings.")                                    \
    X(NNC_LAW_KAPLAN, "kaplan", "arXiv:2001.08361, without embeddings; superseded.")
NNC_ENUM(nnc_law, NNC_LAW_LIST, NNC_LAW_COUNT);
enum { NNC_LAW_SPACE = 32 };
NNC_API const char *nnc_law_name(nnc_law law);
NNC_API const char *nnc_law_help(nnc_law law);

typedef struct nnc_optimum {
    nnc_law law;
    /* best model by one scaling law: parameters, training tokens and loss (NaN if the law states no loss) */
    double params, tokens, loss;
    /* a second model with the same loss as the best model: the one with the fewest FLOPs for training and inference
     * together. served_params: parameters of the second model; served_tokens: its training tokens; saved_share: 1 -
     * FLOPs of the second model / FLOPs of the best model, each for training and inference */
    double served_params, served_tokens, saved_share;
} nnc_optimum;

/* Returns the model (N parameters, D training tokens) with the smallest loss by a scaling law, if training costs
 * `flops` FLOPs: 6 N D = flops. */
NNC_API nnc_optimum nnc_compute_optimal(nnc_law law, double flops);
/* Compares models with equal loss: by a scaling law, their loss is the loss of a model with `params` parameters after
 * `tokens` training tokens. Among these models, returns the model (N parameters, D training tokens) that needs the
 * fewest FLOPs for training and for inference on T = `served` tokens: 6 N D + 2 N T (arXiv:2401.00448). All members of
 * the result are NaN if the scaling law states no loss. */
NNC_API nnc_optimum nnc_serving_optimal(nnc_law law, double params, double tokens, double served);
/* Returns the loss, by a scaling law, of a model with `params` parameters after `tokens` training tokens; NaN = the
 * scaling law states no loss. */
NNC_API double nnc_law_loss(nnc_law law, double params, double tokens);

/* Inputs of a training budget: either money or FLOPs to spend, or a model and its training tokens. NaN = not given. */
typedef struct nnc_budget_ask {
    size_t struct_size; /* sizeof (nnc_budget_ask); nnc_budget_ask_default sets this member */
    double cost, days, params, tokens;
    double mfu, goodput; /* MFU and goodput that the user expects the run to reach */
    double price;        /* price of one device-hour; NaN = the price of the device file */
    double flops;        /* FLOPs that the training may need; the user gives either `flops` or `cost` as the budget */
    double serve_tokens; /* number of tokens that the trained model processes in inference */
} nnc_budget_ask;

/* Sets every member to its default: MFU 0.4 and goodput 0.95, as reported for large runs. struct_size: sizeof
 * (nnc_budget_ask) in the calling program, because programs in other languages do not read this header. */
NNC_API void nnc_budget_ask_init(nnc_budget_ask *ask, size_t struct_size);
static inline nnc_budget_ask nnc_budget_ask_default(void) {
    nnc_budget_ask ask;
    nnc_budget_ask_init(&ask, sizeof ask);
    return ask;
}

typedef struct nnc_budget {
    size_t struct_size; /* sizeof (nnc_budget); nnc_budget_of sets this member */
    /* cost, device-hours and FLOPs of the training (6 N D for N parameters and D tokens) */
    double cost, device_hours, flops;
    double devices, days; /* number of devices that finish the training in `days` days; if the user gives no days,
                           * `devices` and `days` are NaN */
    double flops_per_s;   /* model FLOPs per second of one device in the run: peak x MFU x goodput */
    double price_per_device_hour;
    /* parameters and training tokens that the user gave; NaN = the user gave cost or FLOPs instead */
    double params, tokens;
    nnc_optimum optima[NNC_LAW_SPACE]; /* best model that `flops` FLOPs can train, one entry for each scaling law */
    /* the member `flops` / fewest FLOPs with which some model reaches the loss of the given model, for each scaling
     * law; NaN = not known */
    double over_training[NNC_LAW_SPACE];
} nnc_budget;

/* Computes the best model that an amount of money or FLOPs can train, or the money for a given model and its training
 * tokens. device: gives the peak in bf16 (or else in fp16) and the price; may be NULL if ask->flops is given. Returns
 * NNC_BAD_USAGE if a value is out of range, if both a budget and a model are given, or if neither a budget nor a model
 * is given. */
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
