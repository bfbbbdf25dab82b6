/* Fuzzes the readers of three kinds of files: prices of sellers, regions of the power grid, and data centres. */
#include <stdint.h>
#include <stdlib.h>

#include "as_file.h"
#include "base/base_internal.h"
#include "input/input_internal.h"
#include "toys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_any(nnc_specs *specs, const char *text, size_t size) {
    nnc_error err;
    nnc_faults faults = { .name = "fuzz", .err = &err };
    nnc_json_doc doc = { .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size };
    if (nnc_json_parse(&doc)) { nnc_catalogue_read_open(&doc, specs, "fuzz"); }
    nnc_json_free(&doc);
}

/* Aborts if an accepted price is not above 0. */
static void read_prices(nnc_specs *specs, const char *path) {
    nnc_device device = { .id = "round" };
    nnc_error err;
    for (int offer = 0; offer < NNC_OFFER_COUNT; offer++) {
        if (nnc_prices_load(specs, path, (nnc_offer)offer, NULL, &device, &err) != NNC_OK) { continue; }
        for (int32_t i = 0; i < device.price_count; i++) {
            if (!(device.prices[i].per_device_hour > 0.0)) { abort(); }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char path[FUZZ_PATH + 16]; /* kept for the whole process */
    nnc_specs *specs = fuzz_toys();
    char *text = NULL;
    nnc_error err;
    if (path[0] == '\0') {
        char folder[FUZZ_PATH];
        fuzz_folder(folder);
        snprintf(path, sizeof path, "%s/fuzz.json", folder);
    }
    if (specs == NULL || nnc_text_copy("fuzz", (const char *)data, size, &text, &err) != NNC_OK) { return 0; }
    read_any(specs, text, size);
    free(text);
    fuzz_write(path, data, size);
    read_prices(specs, path);
    return 0;
}
