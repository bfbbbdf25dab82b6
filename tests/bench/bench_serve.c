/* Measures the time of one call of nnc_serve_of, after the files of device, model and engine are loaded, and the time
 * of one plan in a search.
 *     usage: bench_serve DATA_DIR */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "clock.h"
#include "input/input_internal.h"
#include "serve/serve_internal.h"

enum { BATCHES = 9, DEVICES_MOST = 1 << 20 };
static const double batch_s = 0.05;

typedef struct question {
    const char *what, *model;
    nnc_serve_ask ask;
} question;

typedef struct setup {
    const nnc_device *device;
    nnc_software software;
    const nnc_model *model;
    nnc_serve_ask ask;
    nnc_scratch *scratch;
    nnc_serve_search_result *found;
} setup;

static double time_calls(const setup *s, long calls, nnc_serve *serve) {
    const double start = now_s();
    for (long i = 0; i < calls; i++) nnc_serve_of(s->model, s->device, &s->software, &s->ask, s->scratch, serve, NULL);
    return (now_s() - start) / (double)calls;
}

/* Measures batches of calls and takes the fastest batch, which other work on the machine disturbs least. */
static void bench_call(const setup *s, const char *what) {
    nnc_serve serve;
    long calls = 1;
    while (time_calls(s, calls, &serve) * (double)calls < batch_s) calls *= 2;
    double best_s = INFINITY;
    for (int i = 0; i < BATCHES; i++) best_s = fmin(best_s, time_calls(s, calls, &serve));
    printf("%-14s %-28s %8.2f us per answer\n", s->model->id, what, 1e6 * best_s);
}

static void bench_search(const setup *s) {
    const nnc_serve_search search = { .devices_most = DEVICES_MOST };
    double best_s = INFINITY;
    for (int i = 0; i < BATCHES; i++) {
        const double start = now_s();
        nnc_serve_search_of(s->model, s->device, &s->software, &s->ask, &search, s->scratch, s->found, NULL);
        best_s = fmin(best_s, now_s() - start);
    }
    const double plans = (double)s->found->evaluated;
    printf("%-14s %-28s %8.2f us per plan, %.0f plans in %.1f ms, 100,000 in %.2f s\n", s->model->id, "search",
           1e6 * best_s / plans, plans, 1e3 * best_s, 1e5 * best_s / plans);
}

static nnc_status bench(setup *s, nnc_specs *specs, nnc_error *err) {
    nnc_serve_ask closed = nnc_serve_ask_default(), open = closed, batch = closed, tensor = closed;
    closed.concurrency = 64;
    open.request_rate = 4.0;
    batch.batch = 16;
    tensor.concurrency = 256;
    tensor.tensor = 8;
    tensor.weights = NNC_STORED_FP8;
    const question questions[] = {
        { "one request", "llama3-8b", nnc_serve_ask_default() },
        { "64 always open", "llama3-8b", closed },
        { "4 a second", "llama3-8b", open },
        { "static batch of 16", "llama3-8b", batch },
        { "256 open, fp8, 8 devices", "llama3-70b", tensor },
        { "256 open, fp8, 8 devices", "deepseek-v2", tensor },
        { "256 open, fp8, 8 devices", "gpt-oss-120b", tensor },
    };
    NNC_TRY(nnc_device_load(specs, "h100", &s->device, err));
    NNC_TRY(nnc_software_asked(specs, "vllm", &s->software, err));
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        nnc_serve serve;
        NNC_TRY(nnc_model_load(specs, questions[i].model, &s->model, err));
        s->ask = questions[i].ask;
        NNC_TRY(nnc_serve_of(s->model, s->device, &s->software, &s->ask, s->scratch, &serve, err));
        bench_call(s, questions[i].what);
    }
    s->ask = nnc_serve_ask_default();
    bench_search(s); /* searches deployments of the model with experts, which is the last model of the loop */
    NNC_TRY(nnc_model_load(specs, "llama3-70b", &s->model, err));
    bench_search(s);
    return NNC_OK;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "bench_serve: expected the folder that holds hw/ and models/\n");
        return 2;
    }
    nnc_error err = { 0 };
    nnc_specs *specs = nnc_specs_open(argv[1]);
    setup s = { .scratch = nnc_scratch_create(), .found = malloc(sizeof *s.found) };
    nnc_status status = NNC_NO_MEMORY;
    if (specs && s.scratch && s.found) status = bench(&s, specs, &err);
    if (status != NNC_OK) fprintf(stderr, "bench_serve: %s %s %s\n", nnc_status_text(status), err.where, err.what);
    free(s.found);
    nnc_scratch_destroy(s.scratch);
    nnc_specs_close(specs);
    return nnc_status_exit_code(status);
}
