/* SPDX-License-Identifier: Apache-2.0 */
/* nncost: predicts the cost of a training step without running it.
 *
 *     nnc_specs *specs = nnc_specs_open(data_path);
 *     nnc_device_load(specs, "a100", &device, &err);
 *     nnc_model_load(specs, "gpt2-xl", &model, &err);
 *     nnc_estimate(model, device, &software, &plan, scratch, &result, &err);
 */
#ifndef NNCOST_NNCOST_H
#define NNCOST_NNCOST_H

#include <nncost/cell.h>
#include <nncost/check.h>
#include <nncost/dtype.h>
#include <nncost/estimate.h>
#include <nncost/hardware.h>
#include <nncost/model.h>
#include <nncost/op.h>
#include <nncost/plan.h>
#include <nncost/run.h>
#include <nncost/search.h>
#include <nncost/serve.h>
#include <nncost/spec.h>
#include <nncost/status.h>
#include <nncost/sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the library nncost, for example "1.0.0". */
NNC_API const char *nnc_version(void);

#ifdef __cplusplus
}
#endif

#endif
