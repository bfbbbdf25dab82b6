/* Measures the time of one call of nnc_estimate, after the files of device, model and software are loaded.
 *     usage: bench_estimate DATA_DIR */
#include <math.h>
#include <stdio.h>

#include <nncost/nncost.h>

#include "clock.h"
#include "reference.h"

/* Each plan is for one device or for a cluster. The fields of a plan are written as on the command line. */
static const struct {
    const char *model, *plan[10][2];
} questions[] = {
    { "gpt2-xl", { { 0 } } },
    { "llama3-8b", { { 0 } } },
    { "sd1-unet", { { 0 } } },
    { "gpt3-175b",
      { { "tensor", "8" },
        { "pipeline", "8" },
        { "virtual_stages", "3" },
        { "data", "16" },
        { "sequence_parallel", "on" },
        { "zero", "1" },
        { "micro_batches", "64" } } },
    { "gpt3-175b",
      { { "tensor", "8" },
        { "pipeline", "8" },
        { "virtual_stages", "3" },
        { "data", "16" },
        { "sequence_parallel", "on" },
        { "zero", "1" },
        { "micro_batches", "96" } } },
    { "gpt3-175b", { { "tensor", "8" }, { "pipeline", "8" }, { "schedule", "zb-h2" }, { "micro_batches", "96" } } },
    { "llama3-70b",
      { { "tensor", "8" },
        { "pipeline", "4" },
        { "context", "8" },
        { "data", "4" },
        { "zero", "1" },
        { "seq_len", "131072" },
        { "micro_batches", "32" } } },
    { "llama3-70b", { { "data", "64" }, { "zero", "3" }, { "recompute", "full" } } },
};

enum { BATCHES = 9 };
static const double batch_s = 0.1;

typedef struct setup {
    const nnc_device *device;
    nnc_software software;
    nnc_plan plan;
    nnc_scratch *scratch;
} setup;

/* Makes `calls` calls of nnc_estimate and returns the mean time of a call, in seconds. */
static double time_calls(const setup *s, const nnc_model *model, long calls, nnc_result *result) {
    const double start = now_s();
    for (long i = 0; i < calls; i++) nnc_estimate(model, s->device, &s->software, &s->plan, s->scratch, result, NULL);
    return (now_s() - start) / (double)calls;
}

/* Measures batches of calls and takes the fastest batch, which other work on the machine disturbs least. */
static void bench(const setup *s, const nnc_model *model) {
    nnc_result result;
    long calls = 1;
    while (time_calls(s, model, calls, &result) * (double)calls < batch_s) calls *= 2;
    double best_s = INFINITY;
    for (int i = 0; i < BATCHES; i++) best_s = fmin(best_s, time_calls(s, model, calls, &result));
    printf("%-12s %5d devices %8.2f us per estimate, %5d ops, %8.3g op/s, %6.2f of the reference\n", model->id,
           (int)result.plan.devices, 1e6 * best_s, (int)result.op_count, result.op_count / best_s,
           best_s / bench_reference_s());
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "bench_estimate: expected the folder that holds hw/ and models/\n");
        return 2;
    }
    nnc_error err = { 0 };
    nnc_specs *specs = nnc_specs_open(argv[1]);
    setup s = { .software = nnc_software_default(), .plan = nnc_plan_default(), .scratch = nnc_scratch_create() };
    nnc_status status = NNC_NO_MEMORY;
    if (!specs || !s.scratch) goto done;
    status = nnc_device_load(specs, "a100", &s.device, &err);
    for (size_t i = 0; status == NNC_OK && i < sizeof questions / sizeof *questions; i++) {
        const nnc_model *found = NULL;
        nnc_model model;
        nnc_result result;
        s.plan = nnc_plan_default();
        for (int k = 0; status == NNC_OK && questions[i].plan[k][0]; k++)
            status = nnc_plan_set(&s.plan, questions[i].plan[k][0], questions[i].plan[k][1], &err);
        if (status == NNC_OK) status = nnc_model_load(specs, questions[i].model, &found, &err);
        if (status != NNC_OK) break;
        model = *found;
        if (s.plan.tensor > 1) /* sets vocab_multiple, so that the tensor ranks can divide the padded vocabulary */
            model.decoder.vocab_multiple = (int64_t)128 * s.plan.tensor;
        status = nnc_estimate(&model, s.device, &s.software, &s.plan, s.scratch, &result, &err);
        if (status == NNC_OK) bench(&s, &model);
    }
done:
    if (status != NNC_OK) fprintf(stderr, "bench_estimate: %s %s %s\n", nnc_status_text(status), err.where, err.what);
    nnc_scratch_destroy(s.scratch);
    nnc_specs_close(specs);
    return nnc_status_exit_code(status);
}
