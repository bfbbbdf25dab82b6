/* The functions that compute the results of a run. They are called in the order method, input, sites, failures, energy;
 * each function uses the results that the functions called before it stored in `run`. */
#ifndef NNCOST_RUN_RUN_INTERNAL_H
#define NNCOST_RUN_RUN_INTERNAL_H

#include <nncost/run.h>

#include "base/base_internal.h"

/* Default storage bandwidth per device in bytes/s. The value is that of the training of Llama 3: 2 TB/s for 16,384
 * devices (arXiv:2407.21783, section 3.3.1). */
#define NNC_STORAGE_OF_A_DEVICE (2e12 / 16384.0)

/* Computes the input pipeline: the seconds in which the samples of one step are read, prepared and sent to the device.
 * Adds to run->step_s the time that the device waits for samples. */
void nnc_run_input(const nnc_run_ask *ask, double link_bytes_per_s, double samples_per_step, double computed_s,
                   nnc_run *run, nnc_derivation *why);

/* nnc_run_method computes a fine-tuning method: it sets the seconds of generation, scoring and weight synchronisation.
 * Before the call, *flops and *seconds are for one weight update; after the call, they are the sums over all weight
 * updates of a step. tokens: tokens of a step over all sites. nnc_run_method_check checks the options of the method. */
nnc_status nnc_run_method_check(const nnc_result *result, const nnc_run_ask *ask, nnc_error *err);
void nnc_run_method(const nnc_result *result, const nnc_run_ask *ask, double tokens, double *flops, double *seconds,
                    nnc_run *run, nnc_derivation *why);

/* nnc_run_sites computes run->outer_s, the seconds in which the sites average their weights once; nnc_run_sites_time
 * computes the total time of all averagings, after the number of steps is known. */
void nnc_run_sites(const nnc_result *result, const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why);
void nnc_run_sites_time(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why);

/* Computes checkpoints, failures and restarts, and sets run->goodput, which is 1 if `ask` describes neither failures
 * nor checkpoints. */
void nnc_run_failures(const nnc_run_ask *ask, double link_bytes_per_s, nnc_run *run, nnc_derivation *why);

/* Computes power, energy and carbon of a run whose times are already computed. busy_share: share of the step time in
 * which the device computes. result and device can be NULL. */
void nnc_run_energy(const nnc_result *result, const nnc_device *device, const nnc_run_ask *ask, double busy_share,
                    nnc_run *run, nnc_derivation *why);

/* Computes a run as nnc_run_into does, and records each formula with its numbers in `why`. */
nnc_status nnc_run_say(const nnc_result *result, const nnc_device *device, const nnc_plan *plan, const nnc_run_ask *ask,
                       nnc_run *run, nnc_derivation *why, nnc_error *err);

#endif
