/* Tests the networks of published vision measurements. The models of foreign/names/members.json must have the counts
 * that pytorch-image-models publishes (tests/published/vision_counts.csv). */
#include "input/input_internal.h"
#include "lab/lab_internal.h"
#include "shape/shape_internal.h"
#include "support.h"

typedef struct network {
    const nnc_model *model; /* NULL: reason */
    const char *reason;
} network;

static cJSON *table;
static cJSON *own_size; /* networks of timm whose default image size is a size with published counts */

static void open_members(void) {
    open_support();
    table = read_json(NNCOST_SOURCE_DIR "/foreign/names/members.json");
}

static void close_members(void) {
    cJSON_Delete(table);
    close_support();
}

/* Finds the network of an entry. The entry is a text "MODEL FIELD=VALUE ...", as in a row of a table. */
static network find(const char *name, const char *task) {
    char key[160], text[512];
    nnc_error err = { 0 };
    nnc_measured_file file;
    snprintf(key, sizeof key, "%s/%s", name, task);
    const cJSON *at = cJSON_GetObjectItemCaseSensitive(member(table, "members"), key);
    at = at != NULL ? at : cJSON_GetObjectItemCaseSensitive(member(table, "members"), name);
    if (!cJSON_IsString(at)) { return (network){ NULL, at != NULL ? member(at, "refused")->valuestring : "" }; }
    snprintf(text, sizeof text,
             "id,device,devices,micro_batch,recompute,model_name,model,measured_s\n"
             "a,x,1,1,none,%s,%s,1\n",
             name, at->valuestring);
    ck_assert_msg(nnc_measured_parse(specs, "row", text, strlen(text), &file, &err) == NNC_OK, "%s: %s", err.where,
                  err.what);
    network found = { file.rows[0].model, file.rows[0].reason };
    if (file.rows[0].model_id != NULL && nnc_model_load(specs, file.rows[0].model_id, &found.model, &err) != NNC_OK) {
        found.reason = "unknown model";
    }
    return found;
}

static double let(network m, const char *field) {
    double value = NAN;
    ck_assert_int_eq(nnc_model_number(m.model, field, &value, NULL), NNC_OK);
    return value;
}

START_TEST(a_member_is_a_model_with_fields_set) {
    const network m = find("resnext101_32x8d", "");
    ck_assert_str_eq(m.model->id, "resnet-50");
    ck_assert_str_eq(m.model->name, "resnext101_32x8d");
    ck_assert_double_eq(let(m, "n3"), 23);
    ck_assert_double_eq(let(m, "groups"), 32);
}
END_TEST

START_TEST(a_task_comes_before_a_name) {
    ck_assert_int_eq(find("bert-large", "pretrain").model->decoder.head, NNC_HEAD_MASKED);
    ck_assert_int_eq(find("bert-large", "sft").model->decoder.head, NNC_HEAD_NONE);
}
END_TEST

START_TEST(names_without_a_place_say_why) {
    ck_assert_ptr_null(find("no-such-network", "").model);
    ck_assert_ptr_null(find("dlrm", "").model);
    ck_assert_str_eq(find("dlrm", "").reason, "a recommender: out of scope");
}
END_TEST

START_TEST(every_entry_is_a_model) {
    const cJSON *at = NULL;
    int count = 0;
    cJSON_ArrayForEach(at, member(table, "members")) {
        const network m = find(at->string, "");
        ck_assert_msg((m.model != NULL && m.reason == NULL) == cJSON_IsString(at), "%s: %s", at->string, m.reason);
        count++;
    }
    ck_assert_int_gt(count, 200);
}
END_TEST

/* Loads a model by its name, as a command does. Replaces the letter `from` in the name by the letter `to`. */
static nnc_model spelled(const char *name, char from, char to) {
    char other[96];
    nnc_error err = { 0 };
    const nnc_model *found = NULL;
    snprintf(other, sizeof other, "%s", name);
    for (char *c = other; *c != '\0'; c++) { *c = *c == from ? to : *c; }
    ck_assert_msg(nnc_model_load(specs, other, &found, &err) == NNC_OK, "%s: %s", other, err.what);
    nnc_model model = *found;
    ck_assert_int_eq(nnc_specs_take_library(specs, other, &model, &err), NNC_OK);
    return model;
}

START_TEST(dashes_and_underscores_are_one_name) {
    const cJSON *at = NULL;
    cJSON_ArrayForEach(at, member(table, "members")) {
        if (!cJSON_IsString(at) || strchr(at->string, '/') != NULL) { continue; }
        const nnc_plan plan = nnc_plan_default();
        const nnc_model one = spelled(at->string, '-', '_'), two = spelled(at->string, '_', '-');
        ck_assert_msg(one.implementation == two.implementation, "%s: another library", at->string);
        const double first = estimate(&one, &plan).step_s, second = estimate(&two, &plan).step_s;
        ck_assert_msg(memcmp(&first, &second, sizeof first) == 0, "%s: %g and %g", at->string, first, second);
    }
}
END_TEST

/* A network has the same estimate if it is named by its id, by an alias, or by its name in a library. */
START_TEST(a_network_has_one_meaning) {
    const cJSON *at = NULL;
    const nnc_plan plan = nnc_plan_default();
    cJSON_ArrayForEach(at, member(table, "members")) {
        if (!cJSON_IsString(at) || strpbrk(at->valuestring, " ") != NULL || strchr(at->string, '/') != NULL) {
            continue;
        }
        const nnc_model named = spelled(at->string, '_', '_');
        if (named.family != NNC_FAMILY_GRAPH && named.family != NNC_FAMILY_VIT) { continue; }
        const double step_s = estimate(&named, &plan).step_s;
        for (int32_t i = -1; i < named.alias_count; i++) {
            const nnc_model other = spelled(i < 0 ? at->valuestring : named.aliases[i], '_', '_');
            const double other_s = estimate(&other, &plan).step_s;
            ck_assert_msg(other.implementation == named.implementation && memcmp(&step_s, &other_s, sizeof step_s) == 0,
                          "%s: %s has another estimate", at->string, i < 0 ? at->valuestring : named.aliases[i]);
        }
    }
    ck_assert_int_eq(spelled("resnet-50", '_', '_').implementation, NNC_IMPLEMENTATION_TIMM);
    ck_assert_int_eq(spelled("dit-xl-2", '_', '_').implementation, NNC_IMPLEMENTATION_NONE);
}
END_TEST

static nnc_result one_image(const nnc_model *model, const char *side) {
    nnc_plan plan = nnc_plan_default();
    plan.image = strtol(side, NULL, 10);
    plan.micro_batch = 1;
    return estimate(model, &plan);
}

/* Returns the multiply-adds that pytorch-image-models counts for group norms, in millions: five for each output of a
 * convolution, or 0 for a network without group norms. */
static double group_norms(network m, const char *activations) {
    double present = 0;
    return nnc_model_number(m.model, "group_norm", &present, NULL) == NNC_OK ? 5 * present * strtod(activations, NULL)
                                                                             : 0;
}

static void check_counts(const char *cells[5]) {
    /* pytorch-image-models does not count convolutions with the padding "same", which are the depthwise convolutions of
     * ConvMixer. */
    const double within = strncmp(cells[0], "convmixer", 9) == 0 ? 0.08 : 0.05;
    const network m = find(cells[0], "");
    ck_assert_msg(m.model != NULL, "%s", cells[0]);
    if (nnc_model_sizes_of(m.model).image == strtoll(cells[1], NULL, 10)) { cJSON_AddTrueToObject(own_size, cells[0]); }
    const nnc_result r = one_image(m.model, cells[1]);
    const double params = strtod(cells[2], NULL), gmacs = strtod(cells[3], NULL) - 1e-3 * group_norms(m, cells[4]);
    ck_assert_msg(fabs(1e-6 * (double)r.params / params - 1.0) < 0.02, "%s: %.3f M, not %.2f M", cells[0],
                  1e-6 * (double)r.params, params);
    /* Published counts have two decimal places. For some networks, pytorch-image-models leaves out a part of norms,
     * gates and products of attention. */
    ck_assert_msg(fabs(0.5e-9 * r.forward_flops - gmacs) < within * gmacs + 0.006,
                  "%s at %s: %.3f G multiply-adds, not %.2f", cells[0], cells[1], 0.5e-9 * r.forward_flops, gmacs);
}

static void exempt_from_size(const char *cells[5]) { cJSON_AddTrueToObject(own_size, cells[0]); }

/* Without --image, a network of pytorch-image-models has one of the sizes for which its counts are published. The sizes
 * of torchvision are in a separate table. */
static void check_size(const char *cells[5]) {
    const char *size = strstr(cells[0], "_384");
    const network m = find(cells[0], "");
    ck_assert_msg(cJSON_HasObjectItem(own_size, cells[0]), "%s: %" PRId64 " pixels", cells[0],
                  nnc_model_sizes_of(m.model).image);
    ck_assert_msg(size == NULL || strncmp(cells[0], "levit", 5) == 0 || nnc_model_sizes_of(m.model).image == 384, "%s",
                  cells[0]);
}

/* A stand-in is another network with similar counts. The multiply-adds of network and stand-in differ by less than 15
 * %. */
static void check_stand_in(const char *cells[5]) {
    const nnc_model *model = NULL;
    ck_assert_msg(nnc_model_load(specs, cells[0], &model, NULL) == NNC_OK, "%s", cells[0]);
    const double found = 0.5e-9 * one_image(model, cells[1]).forward_flops;
    const double gmacs = strtod(cells[3], NULL);
    ck_assert_msg(model->stand_in && fabs(found - gmacs) < 0.15 * gmacs + 0.006,
                  "%s at %s: %.3f G multiply-adds, not %.2f", cells[0], cells[1], found, gmacs);
}

/* Calls `check` for each line of a table of counts. */
static void check_lines(const char *path, void (*check)(const char *cells[5]), int lines) {
    char *text = NULL;
    size_t size = 0;
    bool more = false;
    int count = 0;
    ck_assert_int_eq(nnc_file_read(path, &text, &size, NULL), NNC_OK);
    nnc_csv csv = nnc_csv_begin("counts", text, size);
    ck_assert_int_eq(nnc_csv_next(&csv, &more, NULL), NNC_OK);
    while (nnc_csv_next(&csv, &more, NULL) == NNC_OK && more) {
        const char *cells[5] = { csv.cells[0], csv.cells[1], csv.cells[2], csv.cells[3], csv.cells[4] };
        check(cells);
        count++;
    }
    ck_assert_int_eq(count, lines);
    free(text);
}

/* Parameters and multiply-adds must be exactly equal. The model must have the operators of the library. Cells: name,
 * side, parameters, multiply-adds or empty. */
static void check_torchvision(const char *cells[5]) {
    const nnc_model *model = NULL;
    ck_assert_msg(nnc_model_load(specs, cells[0], &model, NULL) == NNC_OK && !model->stand_in, "%s", cells[0]);
    ck_assert_msg(model->implementation == NNC_IMPLEMENTATION_TIMM, "%s", cells[0]);
    const nnc_result r = one_image(model, cells[1]);
    ck_assert_msg(r.params == strtoll(cells[2], NULL, 10), "%s: %" PRId64 " parameters, not %s", cells[0], r.params,
                  cells[2]);
    ck_assert_msg(cells[3][0] == '\0' || r.forward_flops == 2.0 * strtod(cells[3], NULL),
                  "%s: %.0f FLOPs, not twice %s", cells[0], r.forward_flops, cells[3]);
}

START_TEST(networks_without_a_shape_say_how_to_record_them) {
    const nnc_model *model = NULL;
    nnc_error err = { 0 };
    ck_assert_int_eq(nnc_model_load(specs, "fcn-resnet50", &model, &err), NNC_UNKNOWN_ID);
    ck_assert_ptr_nonnull(strstr(err.what, "--network torchvision:fcn_resnet50 -o"));
}
END_TEST

START_TEST(torchvision_networks_are_counted_exactly) {
    check_lines(NNCOST_SOURCE_DIR "/tests/published/torchvision_counts.csv", check_torchvision, 80);
}
END_TEST

START_TEST(members_are_counted_as_their_code_is) {
    own_size = cJSON_CreateObject();
    check_lines(NNCOST_SOURCE_DIR "/tests/published/torchvision_counts.csv", exempt_from_size, 80);
    check_lines(NNCOST_SOURCE_DIR "/tests/published/vision_counts.csv", check_counts, 631);
    check_lines(NNCOST_SOURCE_DIR "/tests/published/vision_counts.csv", check_size, 631);
    cJSON_Delete(own_size);
}
END_TEST

START_TEST(stand_ins_have_the_counts_of_others) {
    check_lines(NNCOST_SOURCE_DIR "/tests/published/vision_stand_ins.csv", check_stand_in, 147);
}
END_TEST

/* If a ResNet-50 is the stand-in of a network, the ranges of its estimate are wider. The half-width of the time range
 * is sqrt(own^2 + 0.5^2) instead of `own`, and the upper end of the memory range is 1.3 times as large. */
START_TEST(stand_ins_have_wider_ranges_and_leave_the_network_open) {
    nnc_measured_file file;
    nnc_error err = { 0 };
    const char *text = "id,device,devices,micro_batch,recompute,model_name,measured_s\n"
                       "a,x,1,1,none,resnetv2_50d_frn,1\n"
                       "b,x,1,1,none,resnet50,1\n";
    ck_assert_int_eq(nnc_measured_parse(specs, "rows", text, strlen(text), &file, &err), NNC_OK);
    ck_assert_str_eq(file.rows[0].undecided, "network");
    ck_assert_str_eq(file.rows[1].undecided, "");
    nnc_model model = { 0 };
    const nnc_model *loaded = NULL;
    ck_assert_int_eq(nnc_model_load(specs, "resnetv2_50d_frn", &loaded, NULL), NNC_OK);
    ck_assert_int_eq(loaded->note_count, 1);
    model = *loaded;
    const nnc_device *device = NULL;
    const nnc_software *software = NULL;
    ck_assert_int_eq(nnc_device_load(specs, "rtx-3090", &device, NULL), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-compile", &software, NULL), NNC_OK);
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 64;
    const nnc_result wide = estimate_with(&model, device, software, &plan);
    model.stand_in = false;
    const nnc_result narrow = estimate_with(&model, device, software, &plan);
    const double above = 1.4; /* 1 + skew of graphs in software/torch-compile.json */
    const double half = log(narrow.interval_s[1] / narrow.step_s) / above;
    ck_assert_double_eq_tol(log(wide.interval_s[1] / wide.step_s) / above, sqrt(half * half + 0.25), 1e-9);
    ck_assert_double_eq_tol((double)wide.memory.total_interval_bytes[1],
                            1.3 * (double)narrow.memory.total_interval_bytes[1], 2);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { a_member_is_a_model_with_fields_set,
                                   a_task_comes_before_a_name,
                                   names_without_a_place_say_why,
                                   every_entry_is_a_model,
                                   dashes_and_underscores_are_one_name,
                                   a_network_has_one_meaning,
                                   networks_without_a_shape_say_how_to_record_them,
                                   torchvision_networks_are_counted_exactly,
                                   members_are_counted_as_their_code_is,
                                   stand_ins_have_the_counts_of_others,
                                   stand_ins_have_wider_ranges_and_leave_the_network_open };
    Suite *suite = suite_create("members");
    TCase *tcase = add_case(suite, "members", open_members, close_members);
    for (size_t i = 0; i < COUNT_OF(tests); i++) { tcase_add_test(tcase, tests[i]); }
    return run_suite(suite);
}
