/* The parts of a run. Each reads what the ones before it left in `run`. */
#ifndef NNCOST_RUN_RUN_H
#define NNCOST_RUN_RUN_H

#include <nncost/run.h>

#include "base/derivation.h"
#include "base/number.h"

/* Llama 3's storage, 2 TB/s for 16,384 devices, arXiv:2407.21783 section 3.3.1: what a device has of
 * it where nothing else is said. */
#define NNC_STORAGE_OF_A_DEVICE (2e12 / 16384.0)

/* What keeps a device fed, where ask says what a sample takes: leaves step_s with the wait. */
void nnc_run_input(const nnc_run_ask *ask, double link_bytes_per_s, double samples_per_step,
                   double computed_s, nnc_run *run, nnc_derivation *why);

/* What a method runs beside training: leaves the times of a step, and changes the FLOPs and seconds of a
 * step to those of all its updates. tokens: of a step over all sites. */
nnc_status nnc_run_method_check(const nnc_result *result, const nnc_run_ask *ask, nnc_error *err);
void nnc_run_method(const nnc_result *result, const nnc_run_ask *ask, double tokens, double *flops,
                    double *seconds, nnc_run *run, nnc_derivation *why);

/* Averages over sites: leaves outer_s; and, once the steps are known, the time that they take. */
void nnc_run_sites(const nnc_result *result, const nnc_run_ask *ask, nnc_run *run,
                   nnc_derivation *why);
void nnc_run_sites_time(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why);

/* Stops and checkpoints: leaves goodput, 1 where nothing is known of them. */
void nnc_run_failures(const nnc_run_ask *ask, double link_bytes_per_s, nnc_run *run,
                      nnc_derivation *why);

/* Power, energy and carbon of a run whose times are known. busy_share: of a step in which the device
 * works. result and device: NULL = none. */
void nnc_run_energy(const nnc_result *result, const nnc_device *device, const nnc_run_ask *ask,
                    double busy_share, nnc_run *run, nnc_derivation *why);

/* nnc_run_of, saying how. */
nnc_status nnc_run_say(const nnc_result *result, const nnc_device *device, const nnc_plan *plan,
                       const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why, nnc_error *err);

#endif
