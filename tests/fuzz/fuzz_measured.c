/* Fuzzes the reader of measured rows. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "lab/lab_internal.h"
#include "toys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts if a row without a reason for refusal has a time that is not positive. Also aborts if the model of a row
 * without a reason for refusal breaks the rules of model files. */
static void check_row(const nnc_measured *row) {
    const bool of_step = row->kind == NNC_MEASURED_STEP && row->model_id == NULL;
    if (row->reason == NULL && !(row->measured_s > 0.0)) { abort(); }
    if (row->reason == NULL && of_step && nnc_model_check(row->model, "row", NULL) != NNC_OK) { abort(); }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* the set of specs also has the words of published tables and the software profiles */
    nnc_specs *specs = fuzz_toys();
    nnc_measured_file file;
    nnc_error err;
    if (specs != NULL && nnc_measured_parse(specs, "fuzz", (const char *)data, size, &file, &err) == NNC_OK) {
        for (int32_t i = 0; i < file.count; i++) { check_row(&file.rows[i]); }
    }
    return 0;
}
