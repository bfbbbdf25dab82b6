/* Launch files: YAML as JSON, tables of formats, and real files with the plan that each stands for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch_internal.h"
#include "spec_reader.h"

/* ---- YAML ---- */

static const struct {
    const char *yaml, *json; /* json NULL: refused */
} texts[] = {
    { "a: 1\nb: 2\n", "{\"a\":1,\n\"b\":2}" },
    { "a:\n  b: x\n  c: [1, two]\n", "{\"a\":\n{\"b\":\"x\",\n\"c\":[1,\"two\"]}}" },
    { "# first\n\na: yes\n", "\n\n{\"a\":true}" },
    { "a: 'no'\nb: no\nc: NO\n", "{\"a\":\"no\",\n\"b\":false,\n\"c\":false}" },
    { "a:\nb: ~\nc: null\n", "{\"a\":null,\n\"b\":null,\n\"c\":null}" },
    { "a: 500_000\n", "{\"a\":500000}" },
    { "a: 2e-5\n", "{\"a\":2e-5}" },
    { "a: -.5\n", "{\"a\":\"-.5\"}" },
    { "a: 010\n", "{\"a\":\"010\"}" },   /* octal in YAML 1.1 */
    { "a: 0x10\n", "{\"a\":\"0x10\"}" }, /* never meant as a number here */
    { "a: 1:30\n", "{\"a\":\"1:30\"}" }, /* base 60 in YAML 1.1 */
    { "a: 1.2.3.4\n", "{\"a\":\"1.2.3.4\"}" },
    { "a: 1-2\n", "{\"a\":\"1-2\"}" },
    { "a: .inf\n", "{\"a\":\".inf\"}" },
    { "a: 1e999\n", "{\"a\":\"1e999\"}" },
    { "a: |\n  x\n  y\nb: 1\n", "{\"a\":\"x\\u000ay\\u000a\",\n\n\n\"b\":1}" },
    { "{a: {b: [{c: 1}]}}", "{\"a\":{\"b\":[{\"c\":1}]}}" },
    { "", "null" },
    { "- 1\n-\n- 2\n", "[1,\nnull,\n2]" },
    { "a: &x 1\n", NULL },
    { "a: *x\n", NULL },
    { "a: !!str 1\n", NULL },
    { "a: 1\n---\nb: 1\n", NULL },
    { "a: [1\n", NULL },
    { "? [a]\n: 1\n", NULL },
    { "a: \"\\0\"\n", NULL },
};

START_TEST(yaml_is_json_on_the_same_lines)
{
    nnc_buffer json = { 0 };
    const char *yaml = texts[_i].yaml;
    const nnc_status status = nnc_yaml_to_json("t.yaml", yaml, strlen(yaml), &json, &err);
    if (!nnc_yaml_is_read) {
        ck_assert_int_eq(status, NNC_IO);
    } else if (texts[_i].json == NULL) {
        ck_assert_int_eq(status, NNC_BAD_SPEC);
        ck_assert_msg(strncmp(err.where, "t.yaml:", 7) == 0, "%s", err.where);
    } else {
        ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
        nnc_buffer_byte(&json, '\0');
        ck_assert_str_eq(json.bytes, texts[_i].json);
    }
    nnc_buffer_free(&json);
}
END_TEST

START_TEST(deep_yaml_is_refused)
{
    char text[512];
    nnc_buffer json = { 0 };
    memset(text, '[', sizeof text);
    ck_assert_int_ne(nnc_yaml_to_json("t.yaml", text, sizeof text, &json, &err), NNC_OK);
    nnc_buffer_free(&json);
}
END_TEST

/* ---- real files ---- */

#define DEEPSPEED_EXAMPLES "DeepSpeedExamples--training--"

/* Files of tests/data/interop, with the options that each stands for, by hand. */
static const struct {
    const char *files[2];
    const char *options; /* NAME=VALUE, in any order */
    int open;            /* keys that the file leaves to others */
} samples[] = {
    /* Stage 3, optimizer and weights on the host, no overlap; bf16 and fp16, the three batch sizes and clipping are
     * "auto". */
    { { "LLaMA-Factory--deepspeed--ds_z3_offload_config.json" },
      "zero=3 offload=optimizer,weights overlap=0",
      6 },
    /* Stage 1 with overlap: that of the software profile. */
    { { "axolotl--deepspeed_configs--zero1.json" }, "zero=1", 6 },
    /* No ZeRO: stage 0. Clipping at 1.0. */
    { { DEEPSPEED_EXAMPLES "bing_bert--deepspeed_bsz32k_lamb_config_seq512.json" },
      "global_batch=32768 micro_batch=16 optimizer=lamb clip_gradients=on precision=fp16 zero=0 "
      "overlap=0",
      0 },
    /* AutoTP over 4. Stage 2: overlap_comm is off unless it is given. */
    { { DEEPSPEED_EXAMPLES "tensor_parallel--hf_integration--configs--ds_config.json" },
      "zero=2 tensor=4 optimizer=adamw overlap=0",
      5 },
    { { "LLaMA-Factory--accelerate--fsdp2_config.yaml" },
      "devices=2 devices_per_node=2 zero=3 reshard=on precision=bf16",
      0 },
    /* 16 processes on 2 machines. */
    { { "LLaMA-Factory--accelerate--fsdp_config_multiple_nodes.yaml" },
      "devices=16 devices_per_node=8 zero=3 reshard=on precision=bf16",
      0 },
    /* Data parallel; no mixed_precision is fp32. */
    { { "accelerate--config_yaml_templates--multi_node.yaml" },
      "devices=8 devices_per_node=4 zero=0 precision=fp32",
      0 },
    { { "accelerate--slurm--fsdp_config.yaml" }, "zero=3 reshard=on precision=fp32", 0 },
    /* 2 replicas of 2 shards of 2 tensor ranks. */
    { { "accelerate--torch_native_parallelism--configs--tp_hsdp.yaml" },
      "devices=8 devices_per_node=8 data=4 shard=2 tensor=2 context=1 zero=3 reshard=on "
      "precision=bf16",
      0 },
    /* The DeepSpeed file that the first one names by a path that does not exist here. */
    { { "accelerate--config_yaml_templates--deepspeed.yaml",
        "axolotl--deepspeed_configs--zero1.json" },
      "devices=2 zero=1",
      6 },
};

static char *interop(const char *name)
{
    char *path = malloc(512);
    ck_assert_ptr_nonnull(path);
    snprintf(path, 512, "%s/tests/data/interop/%s", NNCOST_SOURCE_DIR, name);
    return path;
}

static const char *value_of(const nnc_scenario_args *given, const char *name)
{
    for (int i = 0; i < given->setting_count; i++) {
        if (strcmp(given->settings[i].field->name, name) == 0) {
            return given->settings[i].value;
        }
    }
    return "";
}

static int count_skipped(const nnc_launch_said *said)
{
    int count = 0;
    for (int32_t i = 0; i < said->ignored_count; i++) {
        count += said->ignored[i].skipped ? 1 : 0;
    }
    return count;
}

START_TEST(real_files_are_understood)
{
    const nnc_launch_asked asked = { .may_be_open = true };
    nnc_scenario_args given = { .setting_count = 0 };
    char *operands[3] = { NULL }, *paths[2] = { NULL }, expected[256];
    int count = 0, words = 0;
    for (; count < 2 && samples[_i].files[count] != NULL; count++) {
        paths[count] = operands[count] = interop(samples[_i].files[count]);
    }
    const bool yaml = strstr(paths[0], ".yaml") != NULL;
    const nnc_status status = nnc_launch_take(specs, &asked, operands, &count, &given, &err);
    if (yaml && !nnc_yaml_is_read) {
        ck_assert_int_eq(status, NNC_IO);
    } else {
        ck_assert_msg(status == NNC_OK, "%s: %s", err.where, err.what);
        ck_assert_int_eq(count, 0);
        snprintf(expected, sizeof expected, "%s", samples[_i].options);
        for (char *word = strtok(expected, " "); word != NULL; word = strtok(NULL, " "), words++) {
            char *value = strchr(word, '=');
            *value++ = '\0';
            ck_assert_msg(strcmp(value_of(&given, word), value) == 0, "%s: expected %s, found %s",
                          word, value, value_of(&given, word));
        }
        ck_assert_int_eq(given.setting_count, words); /* and nothing else */
        ck_assert_int_eq(count_skipped(given.launch), samples[_i].open);
    }
    free(paths[0]);
    free(paths[1]);
}
END_TEST

/* ---- tables ---- */

static const char *const formats[] = { "accelerate", "deepspeed" };

/* Checks the names of fields in an object of a table. */
static void check_fields(nnc_json fields)
{
    for (nnc_json one = nnc_json_first(fields); one.node != NULL; one = nnc_json_next(one)) {
        const char *name = nnc_json_key(one);
        name += strchr("?!-", name[0]) != NULL;
        ck_assert_msg(nnc_field_of_key(&nnc_plan_table, name) != NULL, "no field %s", name);
        nnc_plan plan = nnc_plan_default();
        const char *value = nnc_json_text(one);
        ck_assert_msg(nnc_json_key(one)[0] == '!' || nnc_json_key(one)[0] == '-' ||
                          value[0] == '=' || nnc_plan_set(&plan, name, value, &err) == NNC_OK,
                      "%s=%s", name, value);
    }
}

static void check_row(nnc_json row)
{
    static const char *const kinds[] = { "to", "values", "sets", "file", "harmless" };
    const char *key = nnc_json_text(nnc_json_get(row, "key"));
    int kind_count = 0;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        kind_count += nnc_json_get(row, kinds[i]).node != NULL ? 1 : 0;
    }
    ck_assert_msg(kind_count == 1 || (kind_count == 0 && nnc_json_get(row, "instead").node != NULL),
                  "%s: %d kinds", key, kind_count);
    const nnc_json to = nnc_json_get(row, "to");
    ck_assert_msg(to.node == NULL || nnc_field_of_key(&nnc_plan_table, nnc_json_text(to)) != NULL,
                  "%s", key);
    check_fields(nnc_json_get(row, "sets"));
    const nnc_json values = nnc_json_get(row, "values"), open = nnc_json_get(row, "auto");
    for (nnc_json one = nnc_json_first(values); one.node != NULL; one = nnc_json_next(one)) {
        check_fields(one);
    }
    for (nnc_json one = nnc_json_first(open); one.node != NULL; one = nnc_json_next(one)) {
        ck_assert_ptr_nonnull(nnc_field_of_key(&nnc_plan_table, nnc_json_text(one)));
    }
}

START_TEST(rows_of_tables_are_sound)
{
    char path[512], *text = NULL;
    size_t size = 0;
    nnc_faults faults = { .name = path };
    snprintf(path, sizeof path, "%s/foreign/launch/%s.json", NNCOST_SOURCE_DIR, formats[_i]);
    ck_assert_int_eq(nnc_file_read(path, &text, &size, &err), NNC_OK);
    nnc_json_doc doc = {
        .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size
    };
    ck_assert(nnc_json_parse(&doc));
    const nnc_json root = nnc_json_root(&doc), keys = nnc_json_get(root, "keys");
    ck_assert_str_eq(nnc_json_text(nnc_json_get(root, "id")), formats[_i]);
    ck_assert_int_gt(nnc_json_count(keys), 40);
    for (nnc_json row = nnc_json_first(keys); row.node != NULL; row = nnc_json_next(row)) {
        check_row(row);
        for (nnc_json next = nnc_json_next(row); next.node != NULL; next = nnc_json_next(next)) {
            ck_assert_str_ne(nnc_json_text(nnc_json_get(row, "key")),
                             nnc_json_text(nnc_json_get(next, "key")));
        }
    }
    check_fields(nnc_json_get(root, "defaults"));
    const nnc_json rules = nnc_json_get(root, "rules");
    for (nnc_json rule = nnc_json_first(rules); rule.node != NULL; rule = nnc_json_next(rule)) {
        check_fields(nnc_json_get(rule, "set"));
        ck_assert_ptr_nonnull(nnc_json_get(rule, "why").node);
    }
    nnc_json_free(&doc);
    free(text);
}
END_TEST

/* Is each key of a table in docs/files.md, in a table row? */
START_TEST(rows_are_documented)
{
    char path[512], row_text[256], *text = NULL, *page = NULL;
    size_t size = 0, page_size = 0;
    nnc_faults faults = { .name = path };
    snprintf(path, sizeof path, "%s/docs/files.md", NNCOST_SOURCE_DIR);
    ck_assert_int_eq(nnc_file_read(path, &page, &page_size, &err), NNC_OK);
    snprintf(path, sizeof path, "%s/foreign/launch/%s.json", NNCOST_SOURCE_DIR, formats[_i]);
    ck_assert_int_eq(nnc_file_read(path, &text, &size, &err), NNC_OK);
    nnc_json_doc doc = {
        .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size
    };
    ck_assert(nnc_json_parse(&doc));
    const nnc_json keys = nnc_json_get(nnc_json_root(&doc), "keys");
    for (nnc_json row = nnc_json_first(keys); row.node != NULL; row = nnc_json_next(row)) {
        const nnc_json harmless = nnc_json_get(row, "harmless");
        snprintf(row_text, sizeof row_text, "\n| `%s` | %s",
                 nnc_json_text(nnc_json_get(row, "key")),
                 harmless.node != NULL ? nnc_json_text(harmless) : "");
        ck_assert_msg(strstr(page, row_text) != NULL, "docs/files.md lacks the row%s", row_text);
    }
    nnc_json_free(&doc);
    free(text);
    free(page);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("launch");
    TCase *tests = add_case(suite, "launch", set_up, tear_down);
    tcase_add_loop_test(tests, yaml_is_json_on_the_same_lines, 0, (int)COUNT_OF(texts));
    tcase_add_test(tests, deep_yaml_is_refused);
    tcase_add_loop_test(tests, real_files_are_understood, 0, (int)COUNT_OF(samples));
    tcase_add_loop_test(tests, rows_of_tables_are_sound, 0, (int)COUNT_OF(formats));
    tcase_add_loop_test(tests, rows_are_documented, 0, (int)COUNT_OF(formats));
    return run_suite(suite);
}
