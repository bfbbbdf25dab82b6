/* Fuzzes the reader of profiler traces. The reader must either refuse a file, or predict its kernels, add up their
 * times, convert them to measured rows and compare the file with another rank. */
#include "as_file.h"
#include "toys.h"
#include "trace/trace_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const nnc_trace_sum *sum) {
    for (int64_t i = 0; i < sum->row_count; i++) {
        const nnc_trace_row *r = &sum->rows[i];
        const nnc_trace_kind kind = { r->op, r->dims, r->types, r->values };
        nnc_trace_sizes sizes;
        if (r->linked && nnc_trace_sizes_of(&kind, r->tf32, &sizes) &&
            (sizes.op == NULL || sizes.m < 1 || sizes.n < 1 || sizes.k < 0)) {
            abort();
        }
        if (r->price.predicted_s < 0.0 || r->price.bound_s < 0.0 || r->kernels < r->calls) { abort(); }
    }
}

static void check_ranks(const nnc_trace *trace) {
    nnc_buffer all = { 0 };
    nnc_trace_rank ranks[2] = { { .file = "a" }, { .file = "b" } };
    if (nnc_trace_collectives(trace, 0, &all) && nnc_trace_collectives(trace, 1, &all)) {
        nnc_trace_wait((nnc_trace_collective *)(void *)all.bytes, (int64_t)(all.size / sizeof(nnc_trace_collective)),
                       ranks);
    }
    if (ranks[0].waits_s != 0.0 || ranks[1].waits_s != 0.0 || ranks[0].compared != ranks[1].compared) {
        abort(); /* a rank that is compared with itself never waits */
    }
    nnc_buffer_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char path[FUZZ_PATH], file[FUZZ_PATH + 8];
    static nnc_device device; /* static, because the trace reads the device even after the set of specs is closed */
    const nnc_device *loaded = NULL;
    nnc_error err;
    nnc_trace *trace = NULL;
    nnc_trace_sum sum;
    if (path[0] == '\0') {
        fuzz_folder(path);
        snprintf(file, sizeof file, "%s/t.json", path);
        if (nnc_device_load(fuzz_toys(), "fitted", &loaded, &err) != NNC_OK) { abort(); }
        device = *loaded;
    }
    fuzz_write(file, data, size);
    (void)nnc_trace_is(file);
    if (nnc_trace_read(file, &trace, &err) == NNC_OK && nnc_trace_sum_up(trace, file, &device, &sum, &err) == NNC_OK) {
        if (sum.kernel_s > 0.0 && !(sum.linked_share >= 0.0 && sum.linked_share + sum.unlaunched_share <= 1.0 + 1e-9)) {
            abort();
        }
        check_rows(&sum);
        check_ranks(trace);
    }
    nnc_trace_free(trace);
    return 0;
}
