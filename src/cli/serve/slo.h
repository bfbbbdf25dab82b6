/* "ttft_s<=0.5,tpot_s<=0.03": what a deployment has to hold. */
#ifndef NNCOST_CLI_SERVE_SLO_H
#define NNCOST_CLI_SERVE_SLO_H

#include "base/arena.h"
#include "serve/serve_search.h"

/* Reads text; NULL: no limits. Names are figures of latency, throughput, memory and cost in 'nncost serve
 * --format json', in full or their last part. NNC_BAD_USAGE names the nearest. */
nnc_status nnc_slo_read(const char *text, nnc_arena *arena,
                        nnc_serve_limit limits[NNC_SERVE_LIMITS], int32_t *count, nnc_error *err);

#endif
