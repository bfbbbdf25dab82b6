/* Traces: a file of any bytes is read and summed, or refused. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/trace_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/nncost-trace-XXXXXX";
    nnc_error err;
    nnc_trace *trace = NULL;
    nnc_trace_sum sum;
    const int file = mkstemp(path);
    if (file < 0 || write(file, data, size) != (ssize_t)size) {
        abort();
    }
    (void)close(file);
    if (nnc_trace_read(path, &trace, &err) == NNC_OK &&
        nnc_trace_sum_up(trace, path, NULL, &sum, &err) == NNC_OK &&
        !(sum.linked_share >= 0.0 && sum.linked_share <= 1.0 + 1e-9) && sum.kernel_s > 0.0) {
        abort();
    }
    nnc_trace_free(trace);
    (void)unlink(path);
    return 0;
}
