/* Several sites that average their weights every so many steps. */
#include <math.h>
#include <stddef.h>

#include "run/run.h"

/* An average is a ring all-reduce over the links of the sites: every site sends (k - 1) / k of the weights
 * twice. */
void nnc_run_sites(const nnc_result *result, const nnc_run_ask *ask, nnc_run *run,
                   nnc_derivation *why)
{
    run->outer_s = 0.0;
    if (ask->sites > 1.0) {
        NNC_LET(why, sites, NULL, ask->sites);
        NNC_LET(why, weight_bytes, "B",
                !isnan(ask->outer_bytes) ? ask->outer_bytes
                : result != NULL         ? 4.0 * (double)result->params
                                         : (double)NAN);
        NNC_LET(why, site_bytes_per_s, "B/s", ask->site_bytes_per_s);
        NNC_LET(why, outer_overlap_s, "s", ask->outer_overlap_s);
        NNC_SET(why, run->outer_bytes, "B", 2.0 * weight_bytes * (sites - 1.0) / sites);
        NNC_SET(why, run->outer_s, "s",
                nnc_max(0.0, run->outer_bytes / site_bytes_per_s - outer_overlap_s));
        NNC_SOURCE(why, "arXiv:2311.08105; not scored: no published run states its links");
        NNC_NOTE(why, "that fewer averages reach the same loss is not part of it");
    }
    NNC_PUT(why, run->outer_s, "s");
}

void nnc_run_sites_time(const nnc_run_ask *ask, nnc_run *run, nnc_derivation *why)
{
    run->sites_s = 0.0;
    if (ask->sites > 1.0) {
        NNC_LET(why, outer_every, NULL, ask->outer_every);
        NNC_SET(why, run->sites_s, "s", floor(run->steps / outer_every) * run->outer_s);
    }
    NNC_PUT(why, run->sites_s, "s");
}
