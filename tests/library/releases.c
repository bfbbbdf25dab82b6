/* Prints results of the library. The output must not change if this program is compiled with headers of another
 * release, whose structs have fewer or more members at their ends. */
#include <stdio.h>

#include <nncost/nncost.h>

/* A result, and a number that follows it in memory (the guard). The guard changes if the library writes bytes after the
 * end of the result. */
typedef struct guarded {
    nnc_result result;
    unsigned long guard;
} guarded;

static nnc_status estimate(const nnc_model *model, const nnc_device *device, nnc_error *err) {
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_plan plan = nnc_plan_default(), resolved;
    guarded out = { .guard = 0x5AFE5AFE };
    plan.devices = 4;
    plan.zero = 1;
    nnc_status status = nnc_estimate(model, device, NULL, &plan, scratch, &out.result, err);
    if (status == NNC_OK) status = nnc_plan_resolve(&plan, model, device, &resolved, err);
    if (status == NNC_OK)
        printf("step %.12g s, mfu %.12g, memory %lld B, data %d, %d ops, guard %lx\n", out.result.step_s,
               out.result.mfu, (long long)out.result.memory.total_bytes, (int)resolved.data,
               (int)(nnc_scratch_op(scratch, 0) != NULL), out.guard);
    nnc_scratch_destroy(scratch);
    return status;
}

static nnc_status search(const nnc_model *model, const nnc_device *device, nnc_error *err) {
    nnc_search search = nnc_search_default();
    nnc_search_result *result = nnc_search_result_create();
    search.base.devices = 4;
    search.base.global_batch = 8;
    const nnc_status status = nnc_search_run(model, device, NULL, &search, NULL, NULL, result, err);
    for (int32_t i = 0; nnc_search_result_best(result, i) != NULL; i++)
        printf("best %d: %.12g s\n", (int)i, nnc_search_result_best(result, i)->step_s);
    nnc_search_result_destroy(result);
    return status;
}

int main(int argc, char **argv) {
    nnc_error err = { NNC_OK, "", "" };
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    nnc_specs *specs = nnc_specs_open(argc > 1 ? argv[1] : ".");
    nnc_status status = nnc_model_load(specs, "dense", &model, &err);
    if (status == NNC_OK) status = nnc_device_load(specs, "round", &device, &err);
    if (status == NNC_OK) status = estimate(model, device, &err);
    if (status == NNC_OK) status = search(model, device, &err);
    if (status != NNC_OK) fprintf(stderr, "%s: %s\n", err.where, err.what);
    nnc_specs_close(specs);
    return (int)status;
}
