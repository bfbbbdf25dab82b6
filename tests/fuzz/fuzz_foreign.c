/* Fuzzes the reader of architectures that a user adds. The input becomes the file foreign/fuzz.json, and small
 * configurations name the architecture of this file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <nncost/spec.h>

#include "as_file.h"
#include "cli/cli_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each configuration names the architecture `fuzz`: for the whole model, or only for its vision part. */
static const char *const configurations[] = {
    "{\"model_type\": \"fuzz\", \"num_hidden_layers\": 4, \"hidden_size\": 64, "
    "\"num_attention_heads\": 4, \"intermediate_size\": 128, \"vocab_size\": 100, "
    "\"max_position_embeddings\": 32, \"layer_types\": [\"a\", \"b\", \"a\", \"b\"], "
    "\"sliding_window\": 8, \"depths\": [1, 2, 3, 4], \"norm_type\": \"a\", \"image_size\": 32}",
    "{\"_class_name\": \"fuzz\", \"block_out_channels\": [32, 64], \"sample_size\": 16, "
    "\"down_block_types\": [\"DownBlock2D\", \"A\"], \"up_block_types\": [\"A\", \"UpBlock2D\"], "
    "\"in_channels\": 4, \"out_channels\": 4, \"attention_head_dim\": [2, 4]}",
    "{\"model_type\": \"fuzz\", \"architectures\": [\"FuzzForCausalLM\"], \"text_config\": "
    "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_attention_heads\": 4}, "
    "\"vision_config\": {\"model_type\": \"fuzz\", \"hidden_size\": 32}, \"new_size\": 3}",
};

/* Reads all configurations. Opens a new set of specs for each input, because the arena keeps everything that a reader
 * adds. */
static void read_all(const char *folder) {
    nnc_specs *specs = nnc_specs_open(folder);
    nnc_model model;
    nnc_error err;
    if (specs != NULL) { nnc_specs_set_images(specs, nnc_shipped_images); }
    for (size_t i = 0; specs != NULL && i < sizeof configurations / sizeof configurations[0]; i++) {
        const char *text = configurations[i];
        (void)nnc_model_parse_into(specs, "fuzz", text, strlen(text), &model, &err);
    }
    nnc_specs_close(specs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char folder[FUZZ_PATH], path[FUZZ_PATH + 32]; /* kept for the whole process */
    if (path[0] == '\0') {
        fuzz_folder(folder);
        snprintf(path, sizeof path, "%s/foreign", folder);
        if (mkdir(path, 0700) != 0 || setenv("NNCOST_PATH", NNCOST_SOURCE_DIR, 1) != 0) { abort(); }
        snprintf(path, sizeof path, "%s/foreign/fuzz.json", folder);
    }
    fuzz_write(path, data, size);
    read_all(folder);
    return 0;
}
