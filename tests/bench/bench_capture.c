/* Measures two times of captured PyTorch steps: the time to read the file, and the time of one call of nnc_estimate
 * after that.
 *     usage: bench_capture DATA_DIR DEVICE FILE... */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <nncost/nncost.h>

#include "clock.h"

enum { BATCHES = 9 };
static const double batch_s = 0.1;

typedef struct setup {
    const char *folder, *device;
    nnc_scratch *scratch;
} setup;

/* Measures the seconds to open the data folder and read one captured step; takes the shortest of several runs. */
static nnc_status time_reads(const setup *s, const char *path, double *best_s, nnc_error *err) {
    nnc_status status = NNC_OK;
    *best_s = INFINITY;
    for (int i = 0; status == NNC_OK && i < BATCHES; i++) {
        const nnc_model *model = NULL;
        nnc_specs *specs = nnc_specs_open(s->folder);
        const double start = now_s();
        status = specs != NULL ? nnc_model_load(specs, path, &model, err) : NNC_NO_MEMORY;
        *best_s = fmin(*best_s, now_s() - start);
        nnc_specs_close(specs);
    }
    return status;
}

static nnc_status bench(const setup *s, nnc_specs *specs, const char *path, nnc_error *err) {
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_profiles *profiles = NULL;
    const nnc_plan plan = nnc_plan_default();
    nnc_result result = { 0 };
    double read_s = 0, best_s = INFINITY;
    nnc_status status = nnc_model_load(specs, path, &model, err);
    if (status == NNC_OK) status = nnc_device_load(specs, s->device, &device, err);
    if (status == NNC_OK) status = nnc_profiles_get(specs, false, &profiles, err);
    if (status == NNC_OK) status = time_reads(s, path, &read_s, err);
    if (status != NNC_OK) return status;
    const nnc_software *software = nnc_profile_of(profiles, model, device, &plan);
    for (int i = 0; status == NNC_OK && i < BATCHES; i++) {
        const double start = now_s();
        long calls = 0;
        for (double spent_s = 0; status == NNC_OK && spent_s < batch_s; calls++, spent_s = now_s() - start)
            status = nnc_estimate(model, device, software, &plan, s->scratch, &result, err);
        best_s = fmin(best_s, (now_s() - start) / (double)calls);
    }
    const char *slash = strrchr(path, '/');
    if (status == NNC_OK)
        printf("%-48s %6d ops %7d kernels  read %7.3f ms  estimate %7.3f ms\n", slash ? slash + 1 : path,
               (int)result.op_count, (int)result.kernels, 1e3 * read_s, 1e3 * best_s);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: bench_capture DATA_DIR DEVICE FILE...\n");
        return 2;
    }
    nnc_error err = { 0 };
    nnc_specs *specs = nnc_specs_open(argv[1]);
    const setup s = { argv[1], argv[2], nnc_scratch_create() };
    nnc_status status = specs && s.scratch ? NNC_OK : NNC_NO_MEMORY;
    for (int i = 3; status == NNC_OK && i < argc; i++) status = bench(&s, specs, argv[i], &err);
    if (status != NNC_OK) fprintf(stderr, "bench_capture: %s %s %s\n", nnc_status_text(status), err.where, err.what);
    nnc_scratch_destroy(s.scratch);
    nnc_specs_close(specs);
    return nnc_status_exit_code(status);
}
