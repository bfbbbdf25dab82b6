/* Fuzzes the reader of training logs. The reader must accept any bytes as lines, and a step that it finds must have a
 * positive time. */
#include "as_file.h"
#include "lab/lab_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(void *context, const nnc_log *log) {
    (void)context;
    if (log->judged < 1 || log->judged + log->skipped != log->readings || !(nnc_log_step_s(log) > 0.0)) { abort(); }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char path[FUZZ_PATH], file[FUZZ_PATH + 8];
    nnc_result plan = { .tokens = 1000, .model_flops = 1e12, .peak_flops_per_s = 1e14 };
    plan.plan.devices = 2;
    plan.plan.global_batch = 8;
    nnc_log log = nnc_log_begin();
    nnc_error err;
    if (path[0] == '\0') {
        fuzz_folder(path);
        snprintf(file, sizeof file, "%s/log", path);
    }
    fuzz_write(file, data, size);
    if (nnc_log_read(file, &plan, &log, judge, NULL, &err) != NNC_OK) { abort(); /* the file exists */ }
    const double step_s = nnc_log_step_s(&log);
    if (step_s <= 0.0 || log.allocated_bytes < 0.0 || log.reserved_bytes < 0.0) { abort(); }
    return 0;
}
