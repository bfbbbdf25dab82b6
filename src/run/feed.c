/* The input pipeline: storage, workers, link to the device. */
#include <math.h>
#include <stddef.h>

#include "run/run.h"

/* What a time is compared with or added to; a stage that nothing is known of takes none. */
static double or_nothing(double seconds)
{
    return isnan(seconds) ? 0.0 : seconds;
}

static void say_prefetch(const nnc_run_ask *ask, double samples, nnc_run *run, nnc_derivation *why)
{
    NNC_LET(why, workers, NULL, ask->workers);
    NNC_LET(why, prefetch, NULL, ask->prefetch);
    NNC_LET(why, samples_of_a_device, NULL, samples);
    NNC_LET(why, prepared_bytes, "B", ask->prepared_bytes);
    NNC_SET(why, run->prefetch_bytes, "B",
            workers * prefetch * samples_of_a_device * prepared_bytes);
    NNC_NOTE(why, "each worker holds whole batches of its device; pinned copies come on top");
}

static void say_stages(const nnc_run_ask *ask, double link_bytes_per_s, double samples,
                       double computed_s, nnc_run *run, nnc_derivation *why)
{
    NNC_LET(why, devices, NULL, run->devices);
    NNC_LET(why, samples_of_a_device, NULL, samples);
    NNC_LET(why, sample_bytes, "B", ask->sample_bytes);
    NNC_LET(why, cached_share, NULL, ask->cached_share);
    NNC_LET(why, access_share, NULL, ask->access_share);
    NNC_LET(why, storage_bytes_per_s, "B/s", ask->input_bytes_per_s);
    NNC_LET(why, worker_s, "s", ask->prepare_s);
    NNC_LET(why, workers, NULL, ask->workers);
    NNC_LET(why, prepared_bytes, "B", ask->prepared_bytes);
    NNC_PUT(why, link_bytes_per_s, "B/s");
    NNC_SET(why, run->fetch_s, "s",
            samples_of_a_device * sample_bytes * (1.0 - cached_share) /
                (storage_bytes_per_s * access_share / devices));
    NNC_NOTE(why, "worker_s: of one sample on one worker; storage is shared by all devices");
    NNC_SET(why, run->prepare_s, "s", samples_of_a_device * worker_s / workers);
    NNC_SET(why, run->transfer_s, "s", samples_of_a_device * prepared_bytes / link_bytes_per_s);
    NNC_SET(why, run->input_bytes_per_s, "B/s",
            devices * samples_of_a_device * sample_bytes * (1.0 - cached_share) / computed_s);
    NNC_NOTE(why, "what storage has to give where the device never waits");
    NNC_SET(why, run->workers_needed, NULL, ceil(samples_of_a_device * worker_s / computed_s));
}

void nnc_run_input(const nnc_run_ask *ask, double link_bytes_per_s, double samples_per_step,
                   double computed_s, nnc_run *run, nnc_derivation *why)
{
    const double samples = samples_per_step / run->devices;
    NNC_PUT(why, computed_s, "s");
    say_stages(ask, link_bytes_per_s, samples, computed_s, run, why);
    say_prefetch(ask, samples, run, why);
    NNC_LET(why, fetch, "s", or_nothing(run->fetch_s));
    NNC_LET(why, prepare, "s", or_nothing(run->prepare_s));
    NNC_LET(why, transfer, "s", or_nothing(run->transfer_s));
    if (ask->serial_input) {
        NNC_SET(why, run->input_s, "s", fetch + prepare + transfer);
        NNC_SET(why, run->step_s, "s", computed_s + run->input_s);
        NNC_NOTE(why, "one after the other");
    } else {
        NNC_SET(why, run->input_s, "s", nnc_max(fetch, nnc_max(prepare, transfer)));
        NNC_NOTE(why, "stages work on different batches at once: the slowest sets the pace");
        NNC_SET(why, run->step_s, "s", nnc_max(computed_s, run->input_s));
    }
    NNC_SET(why, run->input_wait_s, "s", run->step_s - computed_s);
    run->input_bound = ask->serial_input ? run->input_s > computed_s : run->input_wait_s > 0.0;
}
