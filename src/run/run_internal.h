/* The parts of a run, in the order of the computation. Each reads what the parts before it left in `run`. */
#ifndef NNCOST_RUN_RUN_INTERNAL_H
#define NNCOST_RUN_RUN_INTERNAL_H

#include <nncost/run.h>

#include "base/base_internal.h"
#include "base/derivation.h"

/* Default storage bandwidth per device: Llama 3's, 2 TB/s for 16,384 devices, arXiv:2407.21783 section
 * 3.3.1. */
#define NNC_STORAGE_OF_A_DEVICE (2e12 / 16384.0)

/* Input pipeline, where `ask` describes a sample: adds the wait for input to step_s. */
void nnc_run_input(const nnc_run_ask *ask, double link_bytes_per_s, double samples_per_step, double computed_s,
                   nnc_run *run, nnc_derivation *why);

/* Fine-tuning methods: sets the times of generation, scoring and weight synchronisation, and scales the
 * FLOPs and seconds of a step to all its updates. tokens: of a step over all sites. */
nnc_status nnc_run_method_check(const nnc_result *result, const nnc_run_ask *ask, nnc_error *err);
void nnc_run_method(const nnc_result *result, const nnc_run_ask *ask, double tokens, double *flops, double *seconds,
                    nnc_run *run, nnc_derivation *why);

/* Averaging over sites: sets outer_s; once the number of steps is known, its total time. */
void nnc_run_sites(const nnc_result *result, const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why);
void nnc_run_sites_time(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why);

/* Failures and checkpoints: sets goodput, 1 where neither is described. */
void nnc_run_failures(const nnc_run_ask *ask, double link_bytes_per_s, nnc_run *run, nnc_derivation *why);

/* Power, energy and carbon of a run whose times are known. busy_share: share of a step in which the device
 * computes. result, device: may be NULL. */
void nnc_run_energy(const nnc_result *result, const nnc_device *device, const nnc_run_ask *ask, double busy_share,
                    nnc_run *run, nnc_derivation *why);

/* nnc_run_into with a derivation: `why` records each formula with its numbers. */
nnc_status nnc_run_say(const nnc_result *result, const nnc_device *device, const nnc_plan *plan, const nnc_run_ask *ask,
                       nnc_run *run, nnc_derivation *why, nnc_error *err);

#endif
