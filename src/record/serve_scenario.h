/* One model served on one device with one engine: loading it, with what is changed on top. */
#ifndef NNCOST_RECORD_SERVE_SCENARIO_H
#define NNCOST_RECORD_SERVE_SCENARIO_H

#include "record/scenario.h"
#include "serve/serve_images.h"

/* The profile of an engine that is taken where none is named. */
#define NNC_SERVE_SOFTWARE "vllm"

/* report points into the rest: it must not be moved once it is served. */
typedef struct nnc_serve_scenario {
    nnc_scenario base; /* its plan is not used */
    nnc_serve_ask ask;
    nnc_serve serve;
    nnc_serve_op ops[NNC_SERVE_OPS_MAX];
    nnc_images_ask images_ask; /* steps 0: it generates tokens */
    nnc_images images;
} nnc_serve_scenario;

/* As nnc_scenario_load: the files, then what is given; settings are of the serve plan. */
nnc_status nnc_serve_scenario_load(nnc_specs *specs, const nnc_given *given,
                                   const char *model_asked, const char *device_asked,
                                   nnc_serve_scenario *scenario, nnc_error *err);

/* Serves it: base.report is complete afterwards. */
nnc_status nnc_serve_scenario_answer(nnc_serve_scenario *scenario, nnc_scratch *scratch,
                                     nnc_error *err);

#endif
