/* Helpers of all unit tests: records of devices, models and software profiles, written by hand or read from shipped
 * files; one estimate; reference data. Every helper checks whether it succeeded, so a test checks only its own
 * claim. */
#ifndef NNCOST_TESTS_UNIT_SUPPORT_H
#define NNCOST_TESTS_UNIT_SUPPORT_H

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/nncost.h>

#include "input/input_internal.h"
#include "op/op_internal.h"
#include "suite.h"

#define REFERENCE NNCOST_SOURCE_DIR "/tests/data/reference/"

/* ---- fixture: one scratch and one set of specs per test ---- */

static nnc_scratch *scratch;
static nnc_specs *specs;

static inline void open_support(void) {
    scratch = nnc_scratch_create();
    specs = nnc_specs_open(NNCOST_SOURCE_DIR);
    ck_assert_ptr_nonnull(scratch);
    ck_assert_ptr_nonnull(specs);
}

static inline void close_support(void) {
    nnc_specs_close(specs);
    nnc_scratch_destroy(scratch);
}

/* ---- specs ---- */

static inline const nnc_device *load_device(const char *file) {
    char path[512];
    nnc_error err = { 0 };
    const nnc_device *device = NULL;
    snprintf(path, sizeof path, NNCOST_SOURCE_DIR "/%s", file);
    ck_assert_msg(nnc_device_load(specs, path, &device, &err) == NNC_OK, "%s: %s", err.where, err.what);
    return device;
}

static inline const nnc_model *load_model(const char *file) {
    char path[512];
    nnc_error err = { 0 };
    const nnc_model *model = NULL;
    snprintf(path, sizeof path, NNCOST_SOURCE_DIR "/%s", file);
    ck_assert_msg(nnc_model_load(specs, path, &model, &err) == NNC_OK, "%s: %s", err.where, err.what);
    return model;
}

static inline const nnc_software *load_software(const char *file) {
    char path[512];
    nnc_error err = { 0 };
    const nnc_software *software = NULL;
    snprintf(path, sizeof path, NNCOST_SOURCE_DIR "/%s", file);
    ck_assert_msg(nnc_software_load(specs, path, &software, &err) == NNC_OK, "%s: %s", err.where, err.what);
    return software;
}

/* Returns a device with round numbers: 100 TFLOP/s in 16 bits, 1 TB/s, 10 TFLOP/s on the vector units, 80 GB, every
 * efficiency 1. */
static inline nnc_device plain_device(void) {
    nnc_device device = { .id = "plain", .mem_bytes = 80000000000, .mem_bytes_per_s = 1e12 };
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        device.matmul_flops_per_s[i] = (double)NAN;
        device.vector_flops_per_s[i] = (double)NAN;
    }
    nnc_efficiencies_neutral(&device.efficiency);
    device.matmul_flops_per_s[NNC_BF16] = device.matmul_flops_per_s[NNC_FP16] = 100e12;
    device.matmul_flops_per_s[NNC_TF32] = 50e12;
    device.vector_flops_per_s[NNC_FP32] = 10e12;
    device.power_w = 400.0;
    return device;
}

/* Returns a GPT with learned positions, layer norms, biases, an MLP without a gate of 4 x hidden, and a tied head. */
static inline nnc_model gpt(int64_t layers, int64_t hidden, int64_t heads, int64_t vocab, int64_t seq_len) {
    return (nnc_model){ .id = "gpt",
                        .family = NNC_FAMILY_DECODER,
                        .decoder = { .layers = layers,
                                     .hidden = hidden,
                                     .heads = heads,
                                     .kv_heads = heads,
                                     .head_dim = hidden / heads,
                                     .ffn_hidden = 4 * hidden,
                                     .vocab = vocab,
                                     .vocab_multiple = 1,
                                     .seq_len = seq_len,
                                     .positions = NNC_POSITIONS_LEARNED,
                                     .norm = NNC_NORM_LAYER,
                                     .mlp = NNC_MLP_GELU,
                                     .biases = true,
                                     .tied_head = true } };
}

/* Returns a LLaMA with rotary positions, RMS norms, no biases, a gated MLP and an untied head. */
static inline nnc_model llama(int64_t layers, int64_t hidden, int64_t heads, int64_t kv_heads, int64_t ffn_hidden,
                              int64_t vocab, int64_t seq_len) {
    nnc_model model = gpt(layers, hidden, heads, vocab, seq_len);
    nnc_decoder *d = &model.decoder;
    d->kv_heads = kv_heads;
    d->ffn_hidden = ffn_hidden;
    d->positions = NNC_POSITIONS_ROTARY;
    d->norm = NNC_NORM_RMS;
    d->mlp = NNC_MLP_SWIGLU;
    d->biases = d->tied_head = false;
    return model;
}

/* Returns a segmentation network like the U-Net of milesial: batch norms, no convolution biases. */
static inline nnc_model double_conv_unet(int64_t image, int64_t channels, int32_t levels) {
    nnc_model model = { .id = "unet", .family = NNC_FAMILY_UNET };
    nnc_unet *u = &model.unet;
    *u = (nnc_unet){ .image = image,
                     .latent_factor = 1,
                     .in_channels = 3,
                     .out_channels = 2,
                     .channels = channels,
                     .levels = levels,
                     .blocks_per_level = 1,
                     .block = NNC_UNET_DOUBLE_CONV,
                     .norm = NNC_NORM_BATCH,
                     .kernel = 3,
                     .down = NNC_DOWN_MAX_POOL,
                     .up = NNC_UP_TRANSPOSED_CONV };
    for (int32_t i = 0; i < levels; i++) { u->channel_multipliers[i] = (int64_t)1 << i; }
    return model;
}

/* Returns a diffusion network: residual blocks with time embedding, attention on the first level. */
static inline nnc_model residual_unet(int64_t image, int64_t channels, int32_t levels) {
    nnc_model model = double_conv_unet(image, channels, levels);
    nnc_unet *u = &model.unet;
    u->in_channels = u->out_channels = 4;
    u->block = NNC_UNET_RESIDUAL;
    u->blocks_per_level = 2;
    u->norm = NNC_NORM_GROUP;
    u->norm_groups = 4;
    u->conv_biases = true;
    u->down = NNC_DOWN_CONV;
    u->up = NNC_UP_NEAREST_CONV;
    u->time_embed_width = 4 * channels;
    u->attention_levels[0] = true;
    u->attention_levels_count = levels;
    u->middle_attention = true;
    u->transformer_depth = 1;
    u->heads = 2;
    u->context_len = 7;
    u->context_width = 12;
    return model;
}

/* ---- estimates ---- */

static inline nnc_result estimate_with(const nnc_model *model, const nnc_device *device, const nnc_software *software,
                                       const nnc_plan *plan) {
    nnc_result result;
    nnc_error err = { 0 };
    const nnc_status status = nnc_estimate(model, device, software, plan, scratch, &result, &err);
    ck_assert_msg(status == NNC_OK, "%s: %s: %s", model->id, err.where, err.what);
    return result;
}

/* Estimates a step on the plain device, with the neutral software profile. */
static inline nnc_result estimate(const nnc_model *model, const nnc_plan *plan) {
    const nnc_device device = plain_device();
    const nnc_software software = nnc_software_default();
    return estimate_with(model, &device, &software, plan);
}

/* sum_rows adds up `value` over the rows of the last estimate for which `wanted` is true. If `wanted` is NULL, sum_rows
 * adds up all rows. */
typedef double row_value(const nnc_op_cost *row);
typedef bool row_test(const nnc_op_cost *row);

static inline double sum_rows(row_test *wanted, row_value *value) {
    int32_t count = 0;
    const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        if (wanted == NULL || wanted(&rows[i])) { sum += value(&rows[i]) * rows[i].repeat; }
    }
    return sum;
}

/* ---- reference data ---- */

static inline cJSON *read_json(const char *path) {
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    ck_assert_int_gt(size, 0);
    ck_assert_int_eq(fseek(file, 0, SEEK_SET), 0);
    char *text = calloc(1, (size_t)size + 1);
    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq((long)fread(text, 1, (size_t)size, file), size);
    ck_assert_int_eq(fclose(file), 0);
    cJSON *json = cJSON_Parse(text);
    free(text);
    ck_assert_msg(json != NULL, "%s is not JSON", path);
    return json;
}

static inline const cJSON *member(const cJSON *object, const char *key) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    ck_assert_msg(value != NULL, "no member %s", key);
    return value;
}

static inline double number(const cJSON *object, const char *key) {
    const cJSON *value = member(object, key);
    ck_assert_msg(cJSON_IsNumber(value), "%s is no number", key);
    return value->valuedouble;
}

static inline int64_t whole(const cJSON *object, const char *key) {
    const double value = number(object, key);
    ck_assert_double_eq(value, floor(value));
    return (int64_t)value;
}

static inline const char *text_of(const cJSON *object, const char *key) {
    const cJSON *value = member(object, key);
    ck_assert_msg(cJSON_IsString(value), "%s is no text", key);
    return value->valuestring;
}

/* Returns the element of a list whose member `key` is equal to `text`. */
static inline const cJSON *find_entry(const cJSON *list, const char *key, const char *text) {
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, list) {
        if (strcmp(text_of(entry, key), text) == 0) { return entry; }
    }
    ck_abort_msg("no %s %s", key, text);
    return NULL;
}

/* Runs tests that use only the fixture of this file. */
static inline int run_tests(const char *name, const TTest *const *tests, size_t count) {
    return run_tests_with(name, open_support, close_support, tests, count);
}

#endif
