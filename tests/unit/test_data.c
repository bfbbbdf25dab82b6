/* Tests every file of hw/, models/ and software/. The file must load and name the sources of its numbers. The numbers
 * of a file must agree with each other and with published numbers. */
#include <glob.h>

#include "input/input_internal.h"
#include "shape/shape_internal.h"
#include "support.h"

static const char *const folders[] = { "hw", "models", "software" };
enum { DEVICES, MODELS, SOFTWARE };

static glob_t files_of(int folder) {
    char pattern[512];
    glob_t found;
    snprintf(pattern, sizeof pattern, NNCOST_SOURCE_DIR "/%s/*.json", folders[folder]);
    ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
    ck_assert_uint_gt(found.gl_pathc, 0);
    return found;
}

/* Returns the part of a path that load_device() and similar functions take. */
static const char *below_root(const char *path) { return path + strlen(NNCOST_SOURCE_DIR "/"); }

static void no_fault(void *context, const nnc_error *fault) {
    (void)context;
    ck_abort_msg("%s: %s", fault->where, fault->what);
}

START_TEST(every_file_is_valid) {
    glob_t files = files_of(_i);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        ck_assert_int_eq(nnc_spec_validate(specs, files.gl_pathv[i], no_fault, NULL), 0);
    }
    globfree(&files);
}
END_TEST

/* ---- sources ---- */

/* Tests whether a figure has a source. The source may be for the whole file, for the figure alone, or for an object
 * that contains the figure. */
static bool has_source(const cJSON *sources, const char *figure) {
    for (const cJSON *source = sources->child; source != NULL; source = source->next) {
        const size_t length = strlen(source->string);
        if (length == 0 ||
            (strncmp(figure, source->string, length) == 0 && (figure[length] == '\0' || figure[length] == '.'))) {
            return true;
        }
    }
    return false;
}

static void check_figures(const char *file, const cJSON *sources, const cJSON *object, const char *prefix,
                          bool within) {
    /* Fitted values name their rows in `fitted_on`, which is in the same object or in an enclosing object. */
    const bool fitted =
        cJSON_HasObjectItem(object, "fitted_on") || (within && strncmp(prefix, "efficiency.serving.", 19) == 0);
    for (const cJSON *value = object->child; value != NULL; value = value->next) {
        char name[256];
        snprintf(name, sizeof name, "%s%s", prefix, value->string);
        if (cJSON_IsObject(value) && value != sources) {
            snprintf(name, sizeof name, "%s%s.", prefix, value->string);
            check_figures(file, sources, value, name, fitted);
        } else if (cJSON_IsNumber(value) || cJSON_IsArray(value)) {
            ck_assert_msg(fitted || strcmp(name, "aliases") == 0 || has_source(sources, name), "%s: %s has no source",
                          file, name);
        }
    }
}

START_TEST(every_figure_has_a_source) {
    glob_t files = files_of(_i);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        cJSON *root = read_json(files.gl_pathv[i]);
        check_figures(files.gl_pathv[i], member(root, "sources"), root, "", false);
        cJSON_Delete(root);
    }
    globfree(&files);
}
END_TEST

/* ---- names ---- */

/* An id or alias names one file. The file that an alias loads must list this alias. */
START_TEST(names_are_unique) {
    const char *names[2048], *owners[2048];
    size_t count = 0;
    cJSON *roots[512];
    size_t root_count = 0;
    for (int folder = DEVICES; folder <= SOFTWARE; folder++) {
        glob_t files = files_of(folder);
        for (size_t i = 0; i < files.gl_pathc; i++) {
            ck_assert_uint_lt(root_count, COUNT_OF(roots));
            cJSON *root = roots[root_count++] = read_json(files.gl_pathv[i]);
            const cJSON *aliases = cJSON_GetObjectItemCaseSensitive(root, "aliases");
            const char *id = text_of(root, "id");
            const cJSON *alias = aliases != NULL ? aliases->child : NULL;
            for (const char *name = id; name != NULL;) {
                ck_assert_uint_lt(count, COUNT_OF(names));
                for (size_t k = 0; k < count; k++) {
                    ck_assert_msg(strcmp(names[k], name) != 0, "%s and %s are both called %s", owners[k], id, name);
                }
                names[count] = name;
                owners[count++] = id;
                name = alias != NULL ? alias->valuestring : NULL;
                alias = alias != NULL ? alias->next : NULL;
            }
        }
        globfree(&files);
    }
    for (size_t i = 0; i < root_count; i++) { cJSON_Delete(roots[i]); }
}
END_TEST

/* The list of names has the names of devices in published measurements. */
START_TEST(published_devices_are_known) {
    static const char *const names[] = {
        "a100-80g-sxm", "a100-40g-sxm", "h100-sxm", "h100-96g-hbm2e-500w", "h200-sxm", "b200-sxm",
        "b300-sxm",     "gb200",        "gb300",    "v100-32g-sxm",        "tpu-v4",   "tpu-v5e",
        "tpu-v5p",      "tpu-v6e",      "tpu-v7x",
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const nnc_device *device = NULL;
        nnc_error err = { 0 };
        ck_assert_msg(nnc_device_load(specs, names[i], &device, &err) == NNC_OK, "%s: %s", err.where, err.what);
    }
}
END_TEST

/* ---- devices ---- */

/* Returns the 16-bit peak of the matrix units. For a device without 16-bit formats, such as a CPU, returns the fp32
 * peak of the vector units. */
static double peak_16(const nnc_device *device) {
    const double bf16 = device->matmul_flops_per_s[NNC_BF16];
    const double fp16 = device->matmul_flops_per_s[NNC_FP16];
    const double peak = isnan(bf16) ? fp16 : bf16;
    return isnan(peak) ? device->vector_flops_per_s[NNC_FP32] : peak;
}

/* In all designs of devices so far, the FLOPs per clock and unit are a power of two. A clock or a peak that is rounded
 * to three digits changes the FLOPs per clock by about one percent. A peak for sparse matrices gives another power of
 * two; the tests of ratios between two rates detect such a peak. */
static void check_power_of_two(const nnc_device *device, double flops_per_s, double tolerance) {
    if (device->units > 0 && !isnan(device->clock_hz) && !isnan(flops_per_s)) {
        const double per_clock = flops_per_s / (device->units * device->clock_hz);
        const double nearest = exp2(round(log2(per_clock)));
        ck_assert_msg(fabs(per_clock / nearest - 1.0) < tolerance, "%s: %g FLOP per clock and unit", device->id,
                      per_clock);
    }
}

/* Compares the rates of two formats of the matrix units, if both are recorded. */
static void check_ratio(const nnc_device *device, nnc_dtype dtype, nnc_dtype over, double low, double high) {
    const double ratio = device->matmul_flops_per_s[dtype] / device->matmul_flops_per_s[over];
    ck_assert_msg(isnan(ratio) || (ratio > 0.98 * low && ratio < 1.02 * high), "%s: %s runs at %g times the rate of %s",
                  device->id, nnc_dtype_name(dtype), ratio, nnc_dtype_name(over));
}

/* Trainium 3, MI455X and Rubin have higher rates in fp8 and narrower formats than their predecessors, but not in
 * bf16. */
static bool has_fast_fp8(const nnc_device *device) {
    return strcmp(device->vendor, "aws") == 0 || strcmp(device->architecture, "cdna5") == 0 ||
           strcmp(device->architecture, "rubin") == 0;
}

static void check_device(const nnc_device *device) {
    const double peak = peak_16(device);
    ck_assert_msg(peak > 0.0, "%s: no peak", device->id);
    ck_assert_msg(!(device->vector_flops_per_s[NNC_FP32] > peak) && !(device->matmul_flops_per_s[NNC_FP32] > peak),
                  "%s: fp32 is faster than 16 bit", device->id);
    const double ridge = peak / device->mem_bytes_per_s;
    /* A device that is a whole wafer has SRAM as its memory. */
    ck_assert_msg(ridge > 0.5 && ridge < 2000.0, "%s: ridge point %g", device->id, ridge);

    check_power_of_two(device, peak, 0.02);
    /* The source of a rate of the vector units may assume another clock than the source of the peak. */
    check_power_of_two(device, device->vector_flops_per_s[NNC_FP32], 0.1);
    /* Gaudi 3 runs fp16 at the rate of TF32, and Trainium runs TF32 at the rate of bf16. RDNA 2 and MI100 run bf16 at
     * half the rate of fp16. Huawei states fp16 rates up to 14 % above bf16. */
    const bool nvidia = strcmp(device->vendor, "nvidia") == 0;
    const double fp16_most = strcmp(device->vendor, "amd") == 0      ? 2.0
                             : strcmp(device->vendor, "huawei") == 0 ? 1.14
                                                                     : 1.0;
    check_ratio(device, NNC_FP16, NNC_BF16, nvidia ? 1.0 : 0.25, fp16_most);
    check_ratio(device, NNC_TF32, NNC_BF16, nvidia ? 0.5 : 0.25, nvidia ? 0.5 : 1.0);
    check_ratio(device, NNC_FP8, NNC_BF16, 1.0, has_fast_fp8(device) ? 4.375 : 2.0);
    check_ratio(device, NNC_INT4, NNC_INT8, 1.0, 2.0);
    check_ratio(device, NNC_FP4, NNC_FP8, 2.0, 28.0 / 9.0); /* B300: only fp4 is faster */
}

START_TEST(peaks_are_dense_and_plausible) {
    glob_t files = files_of(DEVICES);
    for (size_t i = 0; i < files.gl_pathc; i++) { check_device(load_device(below_root(files.gl_pathv[i]))); }
    globfree(&files);
}
END_TEST

/* ---- models ---- */

/* The list names networks without an exact published count: networks of measured programs, and networks of timm. The
 * published counts of timm are in millions with only two decimal places (tests/published/vision_counts.csv,
 * test_members.c). */
static const char *const uncounted[] = {
    "mask-rcnn-resnet-50",
    "nnunet-2d",
    "retinanet-resnext-50",
    "ssd-300",
    "unet-3d",
    "unet-valid",
    "coat-lite-tiny",
    "convmixer-1536-20",
    "crossvit-s",
    "gmlp-s16",
    "levit-256",
    "mixer-b-16",
    "pit-s",
    "poolformer-s12",
    "resmlp-24",
    "tnt-s",
    "twins-svt-s",
    "xcit-s12",
    "cspdarknet-53",
    "dpn-92",
    "gernet-l",
    "nfnet-f0",
    "regnetz-b16",
    "repvgg-b0",
    "resnest-50",
    "resnetv2-50",
    "resnext-26ts",
    "skresnet-50",
    "dla-60",
    "edgenext-s",
    "efficientnet-es",
    "fbnet-v3-b",
    "ghostnet-100",
    "hardcorenas-a",
    "hrnet-w18",
    "lcnet-100",
    "mixnet-s",
    "mobilevit-s",
    "mobilevit-v2-100",
    "rexnet-100",
    "swin-v2-cr-t",
    "vovnet-39",
    "xception",
    "xception-41",
    "efficientnet-b1-pruned",
    "efficientnet-b2-pruned",
    "efficientnet-b3-pruned",
    "inception-v4",
};

static bool is_uncounted(const nnc_model *model) {
    size_t i = 0;
    while (i < COUNT_OF(uncounted) && strcmp(uncounted[i], model->id) != 0) { i++; }
    return i < COUNT_OF(uncounted);
}

/* torchvision's retinanet_resnet50_fpn has 34,014,999 parameters. torchvision stores the 26,560 gains of the frozen
 * norms separately. The U-Net follows figure 1 of arXiv:1505.04597. Each convolution has 9 c c' + c' parameters, each
 * up-convolution 4 c c' + c' parameters. */
START_TEST(uncounted_networks_by_others) {
    const nnc_plan plan = nnc_plan_default();
    nnc_model model = *load_model("models/retinanet-resnext-50.json");
    static const char *const lets[] = { "inner", "groups" };
    for (size_t i = 0; i < COUNT_OF(lets); i++) { ck_assert_int_eq(nnc_model_set(&model, lets[i], "1", NULL), NNC_OK); }
    ck_assert_int_eq(nnc_model_set(&model, "classes", "91", NULL), NNC_OK);
    ck_assert_int_eq(estimate(&model, &plan).params, 34014999 + 26560);

    static const int64_t widths[] = { 1, 64, 128, 256, 512, 1024 };
    int64_t sum = 64 * 2 + 2;
    for (int i = 1; i < 6; i++) {
        const int64_t in = widths[i - 1], w = widths[i];
        sum += 9 * in * w + w + 9 * w * w + w;
        if (i > 1) { /* an up-convolution halves the width, then a convolution reads the joined maps */
            sum += 4 * w * in + in + 9 * w * in + in + 9 * in * in + in;
        }
    }
    ck_assert_int_eq(estimate(load_model("models/unet-valid.json"), &plan).params, sum);
}
END_TEST

START_TEST(parameters_are_the_published_ones) {
    const nnc_plan plan = nnc_plan_default();
    glob_t files = files_of(MODELS);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const nnc_model *model = load_model(below_root(files.gl_pathv[i]));
        const nnc_result result = estimate(model, &plan);
        char shape[NNC_SHAPE_TEXT], input[NNC_SHAPE_TEXT];
        nnc_family_of(model)->describe(model, shape, input);
        ck_assert_msg(strncmp(input, "0 ", 2) != 0, "%s: %s", model->id, input);
        ck_assert_int_eq(model->published_params == 0, is_uncounted(model));
        ck_assert_msg(result.params == model->published_params || is_uncounted(model),
                      "%s: %lld counted, %lld published", model->id, (long long)result.params,
                      (long long)model->published_params);
    }
    globfree(&files);
}
END_TEST

/* ---- software ---- */

/* The default profile also exists as a file, which users can read and copy. Without the file, nncost must give the same
 * results. */
START_TEST(default_software_is_the_file) {
    const nnc_software built_in = nnc_software_default();
    const nnc_software *file = load_software("software/torch-compile.json");
    for (size_t i = 0; i < nnc_software_table.count; i++) {
        const nnc_field *field = &nnc_software_table.fields[i];
        char expected[256], found[256];
        nnc_field_text(field, &built_in, expected, sizeof expected);
        nnc_field_text(field, file, found, sizeof found);
        if (strcmp(field->name, "name") != 0) {
            ck_assert_msg(strcmp(expected, found) == 0, "%s: %s in the file, %s built in", field->name, found,
                          expected);
        }
    }
}
END_TEST

/* ---- images ---- */

/* Makes images with one entry, from a text that names no other file under "like". */
static void make_images(nnc_spec_kind kind, const void *spec, const char *text, size_t size, nnc_buffer *images) {
    nnc_buffer image = { 0 };
    nnc_image_texts texts = { .slots = NULL };
    ck_assert(nnc_image_write(specs, kind, spec, NULL, NULL, 0, &image, &texts));
    const uint64_t head[] = { 1, 4 + image.size / 8, nnc_quick_digest(text, size), 4 };
    nnc_buffer_put(images, (const char *)head, sizeof head);
    nnc_buffer_put(images, image.bytes, image.size);
    nnc_buffer_put(images, texts.bytes.bytes != NULL ? texts.bytes.bytes : "", texts.bytes.size);
    nnc_buffer_free(&image);
    nnc_image_texts_free(&texts);
}

static void check_image(nnc_spec_kind kind, const nnc_field_table *table, const char *path) {
    char *text = NULL, *other = NULL;
    size_t size = 0;
    const void *parsed = NULL;
    nnc_error err = { 0 };
    nnc_buffer images = { 0 }, again = { 0 };
    char *read = nnc_arena_alloc(nnc_specs_arena(specs), nnc_spec_kinds[kind].size);
    ck_assert_int_eq(nnc_specs_read(specs, path, &text, &size, &err), NNC_OK);
    ck_assert_int_eq(nnc_spec_load(specs, kind, path, &parsed, &err), NNC_OK);
    make_images(kind, parsed, text, size, &images);
    const uint64_t *words = (const uint64_t *)(const void *)images.bytes;
    ck_assert_int_eq(nnc_text_copy(path, text, size, &other, &err), NNC_OK);
    other[size / 2] ^= 1;
    ck_assert(!nnc_image_read(specs, words, kind, NULL, other, size, read));
    ck_assert(!nnc_image_read(specs, words, kind, "another", text, size, read));
    ck_assert(nnc_image_read(specs, words, kind, NULL, text, size, read));
    for (size_t i = 0; i < table->count; i++) {
        char expected[256], found[256];
        nnc_field_text(&table->fields[i], parsed, expected, sizeof expected);
        nnc_field_text(&table->fields[i], read, found, sizeof found);
        ck_assert_msg(strcmp(expected, found) == 0, "%s: %s: %s, image %s", path, table->fields[i].name, expected,
                      found);
    }
    make_images(kind, read, text, size, &again); /* all members and lists */
    ck_assert_uint_eq(again.size, images.size);
    ck_assert_mem_eq(again.bytes, images.bytes, images.size);
    if (kind == NNC_SPEC_DEVICE) {
        const nnc_device *a = parsed, *b = (const nnc_device *)(const void *)read;
        ck_assert_int_eq(a->source_count, b->source_count);
        ck_assert_str_eq(a->sources[a->source_count - 1].text, b->sources[b->source_count - 1].text);
        ck_assert_int_eq(a->price_count, b->price_count);
        ck_assert_int_eq(a->alias_count, b->alias_count);
    } else {
        const nnc_software *a = parsed, *b = (const nnc_software *)(const void *)read;
        ck_assert_int_eq(a->stands_for_count, b->stands_for_count);
        ck_assert_int_eq(a->compared_count + a->recipe_count + a->range_count + a->source_count,
                         b->compared_count + b->recipe_count + b->range_count + b->source_count);
    }
    nnc_buffer_free(&images);
    nnc_buffer_free(&again);
    free(text);
    free(other);
}

START_TEST(images_are_the_files) {
    const nnc_spec_kind kind = _i == DEVICES ? NNC_SPEC_DEVICE : NNC_SPEC_SOFTWARE;
    glob_t files = files_of(_i);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        check_image(kind, _i == DEVICES ? &nnc_device_table : &nnc_software_table, files.gl_pathv[i]);
    }
    globfree(&files);
}
END_TEST

/* If a file names another file under "like", the image is used only as long as the other file has not changed. */
START_TEST(images_follow_like) {
    static const char text[] = "{}";
    const nnc_software *parsed = load_software("software/fsdp.json");
    const char *id = "fsdp";
    char *like = NULL;
    size_t size = 0;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_specs_read(specs, parsed->path, &like, &size, &err), NNC_OK);
    for (uint64_t other = 0; other < 2; other++) {
        const uint64_t digest = nnc_quick_digest(like, size) + other;
        nnc_buffer images = { 0 };
        nnc_image_texts texts = { .slots = NULL };
        nnc_software read = { .id = "" };
        const uint64_t head[] = { 1, 0, nnc_quick_digest(text, 2), 4 };
        nnc_buffer_put(&images, (const char *)head, sizeof head);
        ck_assert(nnc_image_write(specs, NNC_SPEC_SOFTWARE, parsed, &id, &digest, 1, &images, &texts));
        const uint64_t place = images.size / 8;
        memcpy(images.bytes + 8, &place, sizeof place);
        nnc_buffer_put(&images, texts.bytes.bytes, texts.bytes.size);
        const uint64_t *words = (const uint64_t *)(const void *)images.bytes;
        ck_assert(nnc_image_read(specs, words, NNC_SPEC_SOFTWARE, NULL, text, 2, &read) == (other == 0));
        ck_assert_str_eq(read.id, other == 0 ? "fsdp" : "");
        nnc_buffer_free(&images);
        nnc_image_texts_free(&texts);
    }
    free(like);
}
END_TEST

/* ---- images of documents ---- */

/* Checks that two values, and all values inside them, are equal. */
static void check_same(nnc_json parsed, nnc_json read) {
    ck_assert_int_eq(nnc_json_type_of(parsed), nnc_json_type_of(read));
    ck_assert_str_eq(nnc_json_key(parsed), nnc_json_key(read));
    ck_assert_int_eq(nnc_json_count(parsed), nnc_json_count(read));
    ck_assert(nnc_json_bool(parsed) == nnc_json_bool(read));
    if (nnc_json_type_of(parsed) == NNC_JSON_NUMBER) { ck_assert(nnc_json_number(parsed) == nnc_json_number(read)); }
    if (nnc_json_type_of(parsed) == NNC_JSON_TEXT) { ck_assert_str_eq(nnc_json_text(parsed), nnc_json_text(read)); }
    nnc_json other = nnc_json_first(read);
    for (nnc_json child = nnc_json_first(parsed); child.node != NULL; child = nnc_json_next(child)) {
        check_same(child, other);
        other = nnc_json_next(other);
    }
    ck_assert(other.node == NULL);
}

static nnc_json_doc document_of(const char *text, nnc_faults *faults) {
    return (nnc_json_doc){ .faults = faults, .arena = nnc_specs_arena(specs), .text = text, .size = strlen(text) };
}

/* Makes images with one entry, from a document. If the document has "shapes", the image also has an index of hub
 * names. */
static void make_document(const nnc_json_doc *parsed, nnc_buffer *images) {
    enum { INDEX_MAX = 100 * 1000 };
    static uint64_t index[INDEX_MAX];
    nnc_buffer image = { 0 };
    nnc_image_texts texts = { .slots = NULL };
    const nnc_json root = nnc_json_root(parsed);
    const size_t count = nnc_json_get(root, "shapes").node != NULL ? nnc_hub_index(root, index, INDEX_MAX) : 0;
    ck_assert(nnc_image_write_document(parsed, index, count, &image, &texts));
    const uint64_t head[] = { 1, 4 + image.size / 8, nnc_quick_digest(parsed->text, parsed->size), 4 };
    nnc_buffer_put(images, (const char *)head, sizeof head);
    nnc_buffer_put(images, image.bytes, image.size);
    if (texts.bytes.size > 0) { nnc_buffer_put(images, texts.bytes.bytes, texts.bytes.size); }
    nnc_buffer_free(&image);
    nnc_image_texts_free(&texts);
}

static void check_document(const char *text) {
    nnc_error err;
    nnc_faults faults = { .name = "document", .err = &err };
    nnc_json_doc parsed = document_of(text, &faults), read = document_of(text, &faults), other = read;
    nnc_buffer images = { 0 };
    ck_assert(nnc_json_parse(&parsed));
    make_document(&parsed, &images);
    const uint64_t *words = (const uint64_t *)(const void *)images.bytes;
    other.size--;
    ck_assert(!nnc_image_open(words, &other));
    ck_assert(nnc_image_open(words, &read));
    check_same(nnc_json_root(&parsed), nnc_json_root(&read));
    const nnc_json first = nnc_json_first(nnc_json_root(&parsed)), same = nnc_json_first(nnc_json_root(&read));
    const nnc_json last = nnc_json_next(nnc_json_next(first)), same_last = nnc_json_next(nnc_json_next(same));
    ck_assert_int_eq(nnc_json_line(last), nnc_json_line(same_last));
    if (nnc_json_type_of(last) == NNC_JSON_OBJECT) { ck_assert_str_eq(nnc_json_copy(last), nnc_json_copy(same_last)); }
    nnc_json_free(&parsed);
    nnc_json_free(&read);
    nnc_buffer_free(&images);
}

START_TEST(documents_are_the_files) {
    static const char *const patterns[] = { "/foreign/*.json", "/foreign/launch/*.json", "/hub/names.json" };
    for (size_t p = 0; p < NNC_COUNT_OF(patterns); p++) {
        char pattern[512];
        glob_t files;
        snprintf(pattern, sizeof pattern, NNCOST_SOURCE_DIR "%s", patterns[p]);
        ck_assert_int_eq(glob(pattern, 0, NULL, &files), 0);
        for (size_t i = 0; i < files.gl_pathc; i++) {
            char *text = NULL;
            size_t size = 0;
            nnc_error err;
            ck_assert_int_eq(nnc_specs_read(specs, files.gl_pathv[i], &text, &size, &err), NNC_OK);
            check_document(text);
            free(text);
        }
        globfree(&files);
    }
    check_document(
        "{\"a\": [],\n \"b\": -1.5e-3,\n \"c\": {\"d\": [true, false, null, \"\", [{\"e\": {}}]], \"f\": \"x\"}}");
    check_document("{\"a\": 1,\n\n\"b\": 1,\n\"c\": 2}");
}
END_TEST

static void check_name(const uint64_t *images, const char *name) {
    nnc_hub_name parsed, read;
    nnc_error err;
    nnc_specs_set_images(specs, NULL);
    ck_assert_int_eq(nnc_hub_find(specs, name, &parsed, &err), NNC_OK);
    nnc_specs_set_images(specs, images);
    ck_assert_int_eq(nnc_hub_find(specs, name, &read, &err), NNC_OK);
    nnc_specs_set_images(specs, NULL);
    const char *const a[] = { parsed.shape, parsed.stored, parsed.source, parsed.path, parsed.nearest };
    const char *const b[] = { read.shape, read.stored, read.source, read.path, read.nearest };
    for (size_t i = 0; i < NNC_COUNT_OF(a); i++) {
        ck_assert_msg((a[i] == NULL) == (b[i] == NULL) && (a[i] == NULL || strcmp(a[i], b[i]) == 0),
                      "%s: %s, with the index %s", name, a[i] != NULL ? a[i] : "none", b[i] != NULL ? b[i] : "none");
    }
}

/* Each name of the table is found, and the result is the shape that the table lists for the name. */
static void check_all_names(const uint64_t *images, nnc_json table) {
    nnc_specs_set_images(specs, images);
    nnc_json shape = nnc_json_first(nnc_json_get(table, "shapes"));
    for (; shape.node != NULL; shape = nnc_json_next(shape)) {
        for (nnc_json one = nnc_json_first(nnc_json_get(shape, "names")); one.node != NULL; one = nnc_json_next(one)) {
            nnc_hub_name found;
            nnc_error err;
            ck_assert_int_eq(nnc_hub_find(specs, nnc_json_text(one), &found, &err), NNC_OK);
            ck_assert_msg(found.shape != NULL && strcmp(found.shape, nnc_json_key(shape)) == 0, "%s: %s, expected %s",
                          nnc_json_text(one), found.shape != NULL ? found.shape : "none", nnc_json_key(shape));
        }
    }
    nnc_specs_set_images(specs, NULL);
}

/* A written launch file names the model that people mean by the id, not a fine-tuning with a shorter name. */
START_TEST(usual_names) {
    static const char *const cases[][2] = { { "llama3-8b", "meta-llama/Meta-Llama-3-8B" },
                                            { "mistral-7b", "mistralai/Mistral-7B-v0.1" },
                                            { "qwen3-8b", "Qwen/Qwen3-8B" },
                                            { "gpt2", "openai-community/gpt2" } };
    for (size_t i = 0; i < NNC_COUNT_OF(cases); i++) {
        const char *name = NULL;
        ck_assert_int_eq(nnc_hub_usual(specs, cases[i][0], &name, NULL), NNC_OK);
        ck_assert_str_eq(name, cases[i][1]);
    }
}
END_TEST

/* The index of hub names finds the same shapes as a search through all names. */
START_TEST(index_finds_hub_names) {
    static const char *const more[] = { "unsloth/Llama-3.2-1B-Instruct-bnb-4bit",
                                        "bartowski/Qwen_Qwen3-8B-GGUF",
                                        "META-LLAMA/llama-3.1-8b",
                                        "someone/Unknown-7B-Instruct",
                                        "x/instruct",
                                        "llama-4-scout",
                                        "TheBloke/Llama-2-7B-Chat-GPTQ",
                                        "base",
                                        "x/" };
    nnc_error err;
    nnc_faults faults = { .name = "names", .err = &err };
    char *text = NULL;
    size_t size = 0;
    nnc_buffer images = { 0 };
    ck_assert_int_eq(nnc_specs_read(specs, NNCOST_SOURCE_DIR "/hub/names.json", &text, &size, &err), NNC_OK);
    nnc_json_doc doc = document_of(text, &faults), read = doc;
    ck_assert(nnc_json_parse(&doc));
    make_document(&doc, &images);
    const uint64_t *words = (const uint64_t *)(const void *)images.bytes;
    ck_assert(nnc_image_open(words, &read) && read.image.index_count > 1000);
    int turn = 0;
    for (nnc_json shape = nnc_json_first(nnc_json_get(nnc_json_root(&doc), "shapes")); shape.node != NULL;
         shape = nnc_json_next(shape), turn++) {
        const nnc_json name = nnc_json_first(nnc_json_get(shape, "names"));
        if (turn % 8 != 0 || name.node == NULL) { continue; } /* a search for names without the index is slow */
        const char *slash = strrchr(nnc_json_text(name), '/');
        char copy[256];
        snprintf(copy, sizeof copy, "someone/%s-AWQ", slash != NULL ? slash + 1 : nnc_json_text(name));
        check_name(words, nnc_json_text(name));
        check_name(words, copy);
        check_name(words, nnc_json_key(shape));
    }
    for (size_t i = 0; i < NNC_COUNT_OF(more); i++) { check_name(words, more[i]); }
    check_all_names(words, nnc_json_root(&doc));
    nnc_json_free(&doc);
    nnc_buffer_free(&images);
    free(text);
}
END_TEST

/* A name of the hub has the library of its published configuration, even if the network is a shipped model. The id of a
 * shipped model has no library. */
START_TEST(hub_names_have_their_library) {
    static const struct {
        const char *name;
        nnc_implementation library;
        bool composed, joined;
    } rows[] = {
        { "llama3-8b", NNC_IMPLEMENTATION_NONE, false, false },
        { "gpt2-xl", NNC_IMPLEMENTATION_NONE, false, false },
        { "meta-llama/Llama-3.1-8B", NNC_IMPLEMENTATION_TRANSFORMERS, false, false },
        { "meta-llama/Llama-3.2-3B", NNC_IMPLEMENTATION_TRANSFORMERS, false, false },
        { "openai-community/gpt2-xl", NNC_IMPLEMENTATION_TRANSFORMERS, true, true },
        { "microsoft/Phi-3-mini-4k-instruct", NNC_IMPLEMENTATION_TRANSFORMERS, false, true },
        { "runwayml/stable-diffusion-v1-5", NNC_IMPLEMENTATION_DIFFUSERS, false, false },
        { "black-forest-labs/FLUX.1-dev", NNC_IMPLEMENTATION_DIFFUSERS, false, false },
    };
    for (size_t i = 0; i < NNC_COUNT_OF(rows); i++) {
        const nnc_model *model = NULL;
        nnc_error err;
        ck_assert_msg(nnc_model_load(specs, rows[i].name, &model, &err) == NNC_OK, "%s: %s", rows[i].name, err.what);
        ck_assert_msg(model->implementation == rows[i].library && model->composed_gelu == rows[i].composed &&
                          model->joined_qkv == rows[i].joined,
                      "%s: %s", rows[i].name, nnc_implementation_name(model->implementation));
    }
}
END_TEST

/* ---- ops ---- */

/* No op of a shipped device and model is faster than its roofline, with the profile of the plan. Each device is
 * combined with every third model, and each model with every third device. */
START_TEST(no_op_is_above_its_roof) {
    glob_t devices = files_of(DEVICES), models = files_of(MODELS);
    nnc_profiles profiles;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_profiles_asked(specs, NULL, &profiles, &err), NNC_OK);
    const nnc_plan plan = nnc_plan_default();
    size_t estimates = 0;
    const nnc_device *loaded[512];
    ck_assert_uint_le(devices.gl_pathc, COUNT_OF(loaded));
    for (size_t i = 0; i < devices.gl_pathc; i++) { loaded[i] = load_device(below_root(devices.gl_pathv[i])); }
    const nnc_model *model = NULL;
    for (size_t i = 0; i < models.gl_pathc * devices.gl_pathc; i++) {
        const nnc_device *device = loaded[i % devices.gl_pathc];
        nnc_result result;
        if ((i % devices.gl_pathc + i / devices.gl_pathc) % 3 != 0) { continue; }
        if (model == NULL || i % devices.gl_pathc < 3) {
            model = load_model(below_root(models.gl_pathv[i / devices.gl_pathc]));
        }
        if (nnc_estimate(model, device, nnc_profile_of(&profiles, model, device, &plan), &plan, scratch, &result,
                         NULL) != NNC_OK) {
            continue; /* the device lacks a figure */
        }
        estimates++;
        const double peak = result.peak_flops_per_s, rate = device->mem_bytes_per_s;
        int32_t count;
        const nnc_op_cost *rows = nnc_scratch_ops(scratch, &count);
        for (int32_t k = 0; k < count; k++) {
            const nnc_work *work = &rows[k].work;
            const double intensity = nnc_intensity(work), flops = work->flops + work->vector_flops;
            if (!(rows[k].time_s > 0.0 && rows[k].repeat > 0.0 && intensity > 0.0 && flops > 0.0)) { continue; }
            /* The peak of a device is the peak of matrix products. The peak is no limit for vector FLOPs. If the ridge
             * point is below 1, an op with only vector FLOPs may exceed the peak. */
            const bool free = work->flops == 0.0 && peak < rate;
            const double roof = free ? rate * intensity : fmin(peak, rate * intensity);
            ck_assert_msg(flops / rows[k].time_s <= 1.02 * roof, "%s %s: %s is above its roof", model->id, device->id,
                          rows[k].op->name);
        }
    }
    ck_assert_uint_gt(estimates, models.gl_pathc * devices.gl_pathc / 6);
    globfree(&devices);
    globfree(&models);
}
END_TEST

/* For an unknown id, a name of the hub that begins with the same word is nearer than an id that begins with another
 * word. */
START_TEST(first_word_is_nearest) {
    ck_assert(nnc_nearer("vit-large", "google/vit-large-patch16-224", "bert-large"));
    ck_assert(!nnc_nearer("vit-large", "google/vit-large-patch16-224", "vit-b-16"));
    ck_assert(!nnc_nearer("vit-large", "google/bit-large", "bert-large"));
    ck_assert(nnc_nearer("vit-large", "google/bit-large", NULL));
    const nnc_model *model = NULL;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_model_load(specs, "vit-large", &model, &err), NNC_UNKNOWN_ID);
    ck_assert_ptr_nonnull(strstr(err.what, "nearest \"google/vit-large-patch16-224\""));
}
END_TEST

int main(void) {
    /* The test does not read the user's own folders, because the user's files replace shipped files with the same
     * name. */
    unsetenv("NNCOST_PATH");
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);

    Suite *suite = suite_create("data");
    TCase *tests = add_case(suite, "data", open_support, close_support);
    tcase_add_loop_test(tests, every_file_is_valid, DEVICES, SOFTWARE + 1);
    tcase_add_loop_test(tests, every_figure_has_a_source, DEVICES, SOFTWARE + 1);
    tcase_add_test(tests, names_are_unique);
    tcase_add_test(tests, published_devices_are_known);
    tcase_add_test(tests, peaks_are_dense_and_plausible);
    tcase_add_test(tests, parameters_are_the_published_ones);
    tcase_add_test(tests, uncounted_networks_by_others);
    tcase_add_test(tests, default_software_is_the_file);
    tcase_add_loop_test(tests, images_are_the_files, DEVICES, DEVICES + 1);
    tcase_add_loop_test(tests, images_are_the_files, SOFTWARE, SOFTWARE + 1);
    tcase_add_test(tests, images_follow_like);
    tcase_add_test(tests, documents_are_the_files);
    tcase_add_test(tests, usual_names);
    tcase_add_test(tests, index_finds_hub_names);
    tcase_add_test(tests, hub_names_have_their_library);
    tcase_add_test(tests, first_word_is_nearest);
    tcase_add_test(tests, no_op_is_above_its_roof);
    return run_suite(suite);
}
