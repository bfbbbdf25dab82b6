/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates one training step, looks for a better plan, sweeps over batch sizes, and writes JSON.
 *     usage: train_step DATA_DIR [MODEL [DEVICE]]
 * DATA_DIR is the folder that holds hw/, models/ and software/:
 *     train_step "$(pkg-config --variable=datadir nncost)" llama3-8b h100 */
#include <stdio.h>

#include <nncost/nncost.h>

/* One step on eight devices, and the op that takes most of it. */
static nnc_status estimate(const nnc_model *model, const nnc_device *device,
                           const nnc_profiles *profiles, nnc_scratch *scratch, nnc_error *err)
{
    nnc_plan plan = nnc_plan_default(); /* every field at its default */
    nnc_result result;
    plan.devices = 8;
    plan.zero = 3; /* weights, gradients and states are sharded */
    plan.global_batch = 64;
    plan.recompute = NNC_RECOMPUTE_FULL;

    /* The profile says which kernels are fused and what overlaps; here the one that fits the plan. */
    const nnc_software *software = nnc_profile_of(profiles, model, device, &plan);
    const nnc_status status = nnc_estimate(model, device, software, &plan, scratch, &result, err);
    if (status != NNC_OK)
        return status;
    printf("step %.3f s, between %.3f and %.3f s; MFU %.1f %%; %s-bound\n", result.step_s,
           result.lower_bound_s, result.upper_bound_s, 100.0 * result.mfu,
           nnc_bound_name(result.bound));
    printf("memory %.1f GB of %.1f GB: it %s\n", (double)result.memory.total_bytes / 1e9,
           (double)result.memory.capacity_bytes / 1e9,
           result.verdict == NNC_FITS ? "fits" : "does not fit");

    /* The rows of the op table live in the scratch, until its next use. */
    const nnc_op_cost *longest = nnc_scratch_op(scratch, 0);
    for (int32_t i = 0; i < result.op_count; i++) {
        const nnc_op_cost *row = nnc_scratch_op(scratch, i);
        if (row->time_s * row->repeat > longest->time_s * longest->repeat)
            longest = row;
    }
    printf("longest op: %s %s, %.3f s in %.0f instances\n", nnc_op_name(longest->op),
           nnc_phase_name(nnc_op_phase(longest->op)), longest->time_s * longest->repeat,
           longest->repeat);
    return NNC_OK;
}

/* The fastest plans for eight devices, over every choice but the precision. */
static nnc_status search(const nnc_model *model, const nnc_device *device,
                         const nnc_profiles *profiles, nnc_error *err)
{
    nnc_search search = nnc_search_default();
    nnc_search_result *result = nnc_search_result_create();
    search.base.devices = 8;
    search.base.global_batch = 64;
    search.best = 3;
    search.zero = (nnc_choice){ { 1, 3 }, 2 }; /* of ZeRO these stages alone */
    const nnc_status status = result == NULL ? NNC_NO_MEMORY
                                             : nnc_search_by_plan(model, device, profiles, &search,
                                                                  NULL, NULL, result, err);
    if (status == NNC_OK)
        printf("searched %llu plans\n", (unsigned long long)nnc_search_result_tally(result).space);
    for (int32_t i = 0; status == NNC_OK && nnc_search_result_best(result, i) != NULL; i++) {
        const nnc_found *found = nnc_search_result_best(result, i);
        char recompute[64];
        nnc_recompute_text(found->plan.recompute, recompute, sizeof recompute);
        printf("  %.3f s: data %d, tensor %d, pipeline %d, context %d, ZeRO %d, recompute %s\n",
               found->step_s, (int)found->plan.data, (int)found->plan.tensor,
               (int)found->plan.pipeline, (int)found->plan.context, (int)found->plan.zero,
               recompute);
    }
    nnc_search_result_destroy(result);
    return status;
}

static bool print_row(void *context, int64_t row, const nnc_cell *cells)
{
    (void)context, (void)row; /* cells: one per column, in their order */
    printf("  batch %lld: %.3f s, %.1f GB\n", (long long)cells[0].whole, cells[1].number,
           (double)cells[2].whole / 1e9);
    return true; /* false would end the sweep */
}

/* One row for each size of the batch. */
static nnc_status sweep(nnc_specs *specs, const char *model, const char *device, nnc_error *err)
{
    nnc_sweep *sweep = NULL;
    nnc_status status = nnc_sweep_create(specs, model, device, NULL, NULL, &sweep, err);
    if (status == NNC_OK)
        status = nnc_sweep_add(sweep, "devices", "8", err);
    if (status == NNC_OK)
        status = nnc_sweep_add(sweep, "zero", "3", err);
    if (status == NNC_OK)
        status = nnc_sweep_add(sweep, "recompute", "full", err);
    if (status == NNC_OK)
        status = nnc_sweep_add(sweep, "global_batch", "8..64*2", err);
    if (status == NNC_OK)
        status = nnc_sweep_columns(sweep, "global_batch,step_s,total_bytes", err);
    if (status == NNC_OK)
        status = nnc_sweep_run(sweep, 1, print_row, NULL, NULL, err);
    nnc_sweep_destroy(sweep); /* NULL: nothing */
    return status;
}

/* The whole estimate, as `nncost estimate --format json` prints it. */
static nnc_status write_json(const nnc_model *model, const nnc_device *device,
                             const nnc_profiles *profiles, nnc_scratch *scratch, nnc_error *err)
{
    char *text = NULL;
    const nnc_status status =
        nnc_estimate_json_by_plan(model, device, profiles, NULL, scratch, &text, NULL, err);
    if (status == NNC_OK)
        fputs(text, stdout);
    nnc_text_free(text);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: train_step DATA_DIR [MODEL [DEVICE]]\n");
        return 2;
    }
    const char *model_id = argc > 2 ? argv[2] : "llama3-8b";
    const char *device_id = argc > 3 ? argv[3] : "h100";
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_profiles *profiles = NULL;
    nnc_error err = { NNC_NO_MEMORY, "train_step", "out of memory" };
    nnc_status status = NNC_NO_MEMORY;
    nnc_specs *specs = nnc_specs_open(argv[1]);  /* owns all that is loaded */
    nnc_scratch *scratch = nnc_scratch_create(); /* one per thread */
    if (specs != NULL && scratch != NULL)
        status = nnc_model_load(specs, model_id, &model, &err);
    if (status == NNC_OK)
        status = nnc_device_load(specs, device_id, &device, &err);
    if (status == NNC_OK)
        status = nnc_profiles_get(specs, false, &profiles, &err);
    if (status == NNC_OK)
        status = estimate(model, device, profiles, scratch, &err);
    if (status == NNC_OK)
        status = search(model, device, profiles, &err);
    if (status == NNC_OK)
        status = sweep(specs, model_id, device_id, &err);
    if (status == NNC_OK)
        status = write_json(model, device, profiles, scratch, &err);
    if (status != NNC_OK)
        fprintf(stderr, "%s: %s\n", err.where, err.what);
    nnc_scratch_destroy(scratch);
    nnc_specs_close(specs);
    return nnc_status_exit_code(status);
}
