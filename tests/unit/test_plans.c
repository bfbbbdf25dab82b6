/* Tests plan files, the estimates recorded in plan files, and digests of files. */
#include <stdio.h>

#include "figures.h"
#include "input/input_internal.h"
#include "record/record_internal.h"

static nnc_plans plans;

static nnc_status parse(const char *text) {
    nnc_faults faults = { .name = "p.json", .err = &err };
    nnc_plans_parse(arena, text, strlen(text), &faults, &plans);
    return faults.status;
}

#define HEAD "{ \"schema\": \"nncost.plans/1\",\n"
#define COMMON "\"common\": { \"model\": \"m\", \"device\": \"d\", \"seq_len\": 128 },\n"
#define ONE HEAD COMMON "\"scenarios\": [ { \"id\": \"a\" } ]"

static const char *value_of(const nnc_plans_scenario *scenario, const char *key) {
    for (int32_t i = 0; i < scenario->values.count; i++) {
        if (strcmp(scenario->values.list[i].key, key) == 0) { return scenario->values.list[i].text; }
    }
    return NULL;
}

START_TEST(a_scenario_inherits_key_by_key) {
    const char *const text =
        HEAD "\"note\": \"x\",\n"
             "\"common\": { \"note\": \"y\", \"model\": \"m\", \"device\": \"d\", \"seq_len\": 128,\n"
             "  \"micro_batch\": 2, \"set\": { \"layers\": 4, \"hidden\": 8 },\n"
             "  \"require\": { \"mfu\": \">= 0.1\", \"step_s\": \"< 1\" },\n"
             "  \"tolerance\": { \"\": { \"relative\": 0.1 } } },\n"
             "\"scenarios\": [\n"
             "  { \"id\": \"a\" },\n"
             "  { \"id\": \"b\", \"device\": \"e\", \"software\": \"s\", \"seq_len\": null,\n"
             "    \"micro_batch\": 4, \"clip_gradients\": false, \"recompute\": \"norm,activation\",\n"
             "    \"tokens\": 300e9, \"zero\": 0, \"note\": \"z\",\n"
             "    \"set\": { \"layers\": null, \"device.clock_hz\": 1e9 },\n"
             "    \"require\": { \"step_s\": \"< 2\", \"mfu\": null },\n"
             "    \"tolerance\": { \"step_s\": { \"absolute\": 1 } } } ] }";
    ck_assert_msg(parse(text) == NNC_OK, "%s: %s", err.where, err.what);
    ck_assert_int_eq(plans.scenario_count, 2);
    const nnc_plans_scenario *a = &plans.scenarios[0], *b = &plans.scenarios[1];
    ck_assert_str_eq(a->refs[NNC_REF_DEVICE], "d");
    ck_assert_ptr_null(a->refs[NNC_REF_SOFTWARE]);
    ck_assert_str_eq(value_of(a, "seq_len"), "128");
    ck_assert_str_eq(value_of(a, "micro_batch"), "2");
    ck_assert_int_eq(a->sets.count, 2);
    ck_assert_int_eq(a->requirement_count, 2);
    ck_assert_int_eq(a->tolerance_count, 1);
    ck_assert_int_eq(a->line, 8);

    ck_assert_str_eq(b->refs[NNC_REF_MODEL], "m");
    ck_assert_str_eq(b->refs[NNC_REF_DEVICE], "e");
    ck_assert_str_eq(b->refs[NNC_REF_SOFTWARE], "s");
    ck_assert_ptr_null(value_of(b, "seq_len"));
    ck_assert_str_eq(value_of(b, "micro_batch"), "4");
    ck_assert_str_eq(value_of(b, "clip_gradients"), "off");
    ck_assert_str_eq(value_of(b, "recompute"), "norm,activation");
    ck_assert_str_eq(value_of(b, "tokens"), "300000000000");
    ck_assert_int_eq(b->sets.count, 2);
    ck_assert_str_eq(b->sets.list[0].key, "hidden");
    ck_assert_str_eq(b->sets.list[1].key, "device.clock_hz");
    ck_assert_int_eq(b->requirement_count, 1);
    ck_assert_str_eq(b->requirements[0].rule, "< 2");
    ck_assert_int_eq(b->tolerance_count, 2);
    ck_assert_int_eq(b->line, 9);
    ck_assert(a->digest != b->digest);
}
END_TEST

/* The digest of a plan changes with every field that changes the estimate. The digest does not change with the order of
 * keys. */
START_TEST(the_digest_of_a_plan_is_what_counts) {
    ck_assert_int_eq(parse(HEAD "\"scenarios\": [ { \"id\": \"a\", \"model\": \"m\", \"device\": "
                                "\"d\", \"seq_len\": 8, \"micro_batch\": 2 } ] }"),
                     NNC_OK);
    const uint64_t digest = plans.scenarios[0].digest;
    ck_assert_int_eq(parse(HEAD "\"common\": { \"micro_batch\": 2.0, \"device\": \"d\" }, \"scenarios\": [ "
                                "{ \"require\": { \"mfu\": \"> 0\" }, \"note\": \"n\", \"seq_len\": 8, \"id\": "
                                "\"b\", \"model\": \"m\" } ] }"),
                     NNC_OK);
    ck_assert(plans.scenarios[0].digest == digest);
    ck_assert_int_eq(parse(HEAD "\"scenarios\": [ { \"id\": \"a\", \"model\": \"m\", \"device\": "
                                "\"d\", \"seq_len\": 8, \"micro_batch\": 3 } ] }"),
                     NNC_OK);
    ck_assert(plans.scenarios[0].digest != digest);
}
END_TEST

START_TEST(bad_plan_files_are_refused) {
    static const struct {
        const char *text, *where, *what;
    } cases[] = {
        { "", "p.json:1:1", "expected a value" },
        { "[]", "p.json", "expected an object" },
        { "{}", "p.json: schema", "missing" },
        { "{ \"schema\": 1 }", "p.json:1: schema", "not a plan file" },
        { "{ \"schema\": \"nncost.device/1\" }", "p.json:1: schema", "not a plan file" },
        { "{ \"schema\": \"nncost.plans/2\" }", "p.json:1: schema", "another version" },
        { HEAD "\"scenario\": [] }", "p.json:2: scenario", "perhaps \"scenarios\"" },
        { HEAD "\"common\": {} }", "p.json: scenarios", "missing" },
        { HEAD "\"scenarios\": {} }", "p.json:2: scenarios", "a list of 1 to 10000" },
        { HEAD "\"scenarios\": [] }", "p.json:2: scenarios", "a list of 1 to 10000" },
        { HEAD "\"scenarios\": [ 1 ] }", "p.json:2: scenarios[0]", "an object" },
        { HEAD COMMON "\"scenarios\": [ {} ] }", "p.json:3: scenarios[0].id", "missing" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"\" } ] }", "p.json:3: scenarios[0].id", "bad id" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a,b\" } ] }", "p.json:3: scenarios[0].id", "without commas" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\" },\n{ \"id\": \"a\" } ] }", "p.json:4: scenarios[1].id",
          "repeated id" },
        { HEAD "\"scenarios\": [ { \"id\": \"a\", \"model\": \"m\" } ] }", "p.json:2: scenarios[0].device", "missing" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"model\": null } ] }", "p.json:3: scenarios[0].model",
          "missing" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"model\": 7 } ] }", "p.json:3: scenarios[0].model",
          "an id or a path" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"micro-batch\": 2 } ] }",
          "p.json:3: scenarios[0].micro-batch", "perhaps \"micro_batch\"" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"micro_batch\": 0 } ] }",
          "p.json:3: scenarios[0].micro_batch", "out of range" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"micro_batch\": 1.5 } ] }",
          "p.json:3: scenarios[0].micro_batch", "whole number" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"micro_batch\": \"2\" } ] }",
          "p.json:3: scenarios[0].micro_batch", "wrong type" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"precision\": \"bf61\" } ] }",
          "p.json:3: scenarios[0].precision", "unknown value" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"clip_gradients\": 1 } ] }",
          "p.json:3: scenarios[0].clip_gradients", "true or false" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"recompute\": [] } ] }", "p.json:3: scenarios[0].recompute",
          "wrong type" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"require\": { \"mfu\": 0.4 } } ] }",
          "p.json:3: scenarios[0].require.mfu", "wrong type" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"require\": { \"mfu\": \"0.4\" } } ] }",
          "p.json:3: scenarios[0].require.mfu", "not a requirement" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"tolerance\": { \"mfu\": 1 } } ] }",
          "p.json:3: scenarios[0].tolerance.mfu", "an object" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"tolerance\": { \"mfu\": { \"relativ\": 1 } } } ] }",
          "p.json:3: scenarios[0].tolerance.mfu.relativ", "perhaps \"relative\"" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"set\": { \"a=b\": 1 } } ] }",
          "p.json:3: scenarios[0].set.a=b", "not a name" },
        { HEAD COMMON "\"scenarios\": [ { \"id\": \"a\", \"set\": { \"layers\": [] } } ] }",
          "p.json:3: scenarios[0].set.layers", "wrong type" },
        { ONE ",\n\"record\": \"step_s\" }", "p.json:4: record", "a list of texts" },
        { ONE ",\n\"recorded\": [] }", "p.json:4: recorded", "an object" },
        { ONE ",\n\"recorded\": {} }", "p.json:4: recorded.schema", "missing" },
        { ONE ",\n\"recorded\": { \"schema\": \"nncost.recorded/2\" } }", "p.json:4: recorded.schema",
          "another version" },
        { ONE ",\n\"recorded\": { \"schema\": \"nncost.recorded/1\", \"tool\": \"x\" } }", "p.json:4: recorded.tool",
          "not a version" },
        { ONE ",\n\"recorded\": { \"schema\": \"nncost.recorded/1\", \"tool\": \"999.0.0\" } }",
          "p.json:4: recorded.tool", "newer" },
        { ONE ",\n\"recorded\": { \"schema\": \"nncost.recorded/1\", \"tool\": \"0.1.0\" } }", "p.json:4: recorded",
          "edited by hand or damaged" },
        { ONE, "p.json:3:31", "expected ',' or '}'" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ck_assert_msg(parse(cases[i].text) == NNC_BAD_SPEC, "%s is taken", cases[i].text);
        ck_assert_msg(strcmp(err.where, cases[i].where) == 0 && strstr(err.what, cases[i].what) != NULL, "%s\n%s: %s",
                      cases[i].text, err.where, err.what);
    }
}
END_TEST

/* ---- the recorded part of a plan file ---- */

static const nnc_recorded_digest digests[] = { { "model", "m", "1" }, { "plan", "a", "2" } };
static const nnc_figures to_find = { old_list, COUNT_OF(old_list) - 1 };

static nnc_packed pack(nnc_figures figures) {
    nnc_packed packed;
    ck_assert(nnc_packed_make(arena, figures, NULL, &packed));
    return packed;
}

static nnc_figures unpack(const nnc_packed *packed) {
    return (nnc_figures){ nnc_packed_list(arena, packed), nnc_packed_count(packed) };
}

static nnc_recorded to_record(const nnc_recorded_estimate *estimates, int32_t count) {
    return (nnc_recorded){ .tool = "0.1.0",
                           .conventions = NNC_RECORDED_CONVENTIONS,
                           .digests = digests,
                           .digest_count = 2,
                           .estimates = estimates,
                           .estimate_count = count };
}

/* A packed list shares names and kinds with the packed list before it, and keeps its own numbers and texts. */
START_TEST(packed_figures_are_what_they_were) {
    const nnc_figure lists[][3] = {
        { { "a", NULL, 1.5 }, { "b", "x", (double)NAN }, { "c", NULL, -0.0 } },
        { { "a", NULL, 2.5 }, { "b", "y", (double)NAN }, { "c", NULL, (double)INFINITY } },
        { { "a", "1.5", (double)NAN }, { "b", "y", (double)NAN }, { "c", NULL, 0.0 } },
        { { "a", "1.5", (double)NAN }, { "d", "y", (double)NAN }, { "c", NULL, 0.0 } },
    };
    nnc_packed before = { NULL, NULL };
    ck_assert_int_eq(nnc_packed_count(&before), 0);
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        nnc_packed packed;
        ck_assert(nnc_packed_make(arena, (nnc_figures){ lists[i], 3 }, &before, &packed));
        ck_assert_int_eq(packed.kinds == before.kinds, i == 1);
        before = packed;
        for (int32_t k = 0; k < nnc_packed_count(&packed); k++) {
            const nnc_figure figure = nnc_packed_figure(&packed, k), *is = &lists[i][k];
            ck_assert_str_eq(figure.name, is->name);
            ck_assert_pstr_eq(figure.text, is->text);
            ck_assert(is->text != NULL || memcmp(&figure.number, &is->number, sizeof is->number) == 0);
        }
    }
}
END_TEST

/* Records estimates in a plan file, and returns the new text of the file. */
static const char *put_into(const char *text, const nnc_recorded *recorded, bool one_line, size_t *size) {
    nnc_buffer part = { 0 };
    ck_assert_msg(parse(text) == NNC_OK, "%s: %s", err.where, err.what);
    nnc_recorded_write(&part, recorded, one_line);
    nnc_buffer_byte(&part, '\0');
    ck_assert(!part.failed);
    const char *whole = nnc_plans_with_recorded(arena, &plans, part.bytes, size);
    nnc_buffer_free(&part);
    ck_assert_ptr_nonnull(whole);
    ck_assert_uint_eq(*size, strlen(whole));
    return whole;
}

static const char *record_into(const char *text, bool one_line, size_t *size) {
    const nnc_recorded_estimate one = { .id = "a", .figures = pack(to_find) };
    const nnc_recorded recorded = to_record(&one, 1);
    return put_into(text, &recorded, one_line, size);
}

START_TEST(what_is_recorded_is_read_again) {
    size_t size = 0, again_size = 0;
    nnc_change changes[64];
    for (int one_line = 0; one_line < 2; one_line++) {
        const char *text = record_into(ONE "\r\n\t}\n\n", one_line, &size);
        ck_assert_msg(parse(text) == NNC_OK, "%s: %s\n%s", err.where, err.what, text);
        const nnc_recorded *recorded = &plans.recorded;
        ck_assert_str_eq(recorded->tool, "0.1.0");
        ck_assert_int_eq(recorded->digest_count, 2);
        ck_assert_str_eq(recorded->digests[1].kind, "plan");
        ck_assert_int_eq(recorded->estimate_count, 1);
        ck_assert_str_eq(recorded->estimates[0].id, "a");
        const nnc_figures found = unpack(&recorded->estimates[0].figures);
        ck_assert_int_eq(nnc_figures_compare(found, to_find, NULL, 0, changes), 0);
        ck_assert_int_eq(found.count, to_find.count);
        /* Recording the same estimates again does not change the file. */
        const char *again = record_into(text, one_line, &again_size);
        ck_assert_uint_eq(again_size, size);
        ck_assert_mem_eq(again, text, size);
    }
}
END_TEST

/* The reader of a plan file reads the recorded estimates one at a time. The message about a fault names the line of its
 * estimate, and the digest covers all estimates. */
START_TEST(estimates_are_read_one_by_one) {
    const nnc_figure slow = { .name = "step.step_s", .text = "slow" };
    const nnc_recorded_estimate several[] = { { .id = "a", .figures = pack(to_find) },
                                              { .id = "none" },
                                              { .id = "b", .figures = pack((nnc_figures){ &slow, 1 }) } };
    nnc_recorded recorded = to_record(several, 2);
    size_t size = 0;
    ck_assert_int_eq(parse(put_into(ONE " }", &recorded, true, &size)), NNC_OK);
    ck_assert_int_eq(plans.recorded.estimate_count, 2);
    ck_assert_int_eq(nnc_packed_count(&plans.recorded.estimates[0].figures), to_find.count);
    ck_assert_int_eq(nnc_packed_count(&plans.recorded.estimates[1].figures), 0);

    recorded.estimate_count = 3;
    const char *text = put_into(ONE " }", &recorded, true, &size);
    char where[64];
    long line = 1;
    for (const char *at = text; at < strstr(text, "\"b\""); at++) { line += *at == '\n'; }
    snprintf(where, sizeof where, "p.json:%ld: recorded.estimates.b.step.step_s", line);
    ck_assert_int_eq(parse(text), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, where);
    ck_assert_ptr_nonnull(strstr(err.what, "wrong type, expected a number"));

    char *twice = nnc_arena_strdup(arena, text);
    memcpy(strstr(twice, "\"none\""), "\"a\"   ", 6);
    ck_assert_int_eq(parse(twice), NNC_BAD_SPEC);
    ck_assert_ptr_nonnull(strstr(err.what, "repeated key"));
}
END_TEST

/* Recording keeps every byte before and after the recorded part, in any layout of the file. */
START_TEST(every_other_byte_stays) {
    static const char head[] = "\n {\t\"schema\":\r\n\"nncost.plans/1\" ,\"note\":\"\\\"recorded\\\"} "
                               "{[\\\\\",\"common\":{\"model\":\"recorded\",\"device\":\"d\"} ,",
                      tail[] = "\"scenarios\":[{\"id\":\"a\"\n\n}]}  \n\n";
    char text[512];
    size_t size = 0;
    /* If the file has no recorded part, the recorded part is appended. */
    snprintf(text, sizeof text, "%s%s", head, tail);
    const char *first = record_into(text, false, &size);
    const size_t kept = strlen(text) - strlen("}  \n\n");
    ck_assert_mem_eq(first, text, kept);
    ck_assert_mem_eq(first + kept, ",\n  \"recorded\": {", 17);
    ck_assert_str_eq(first + size - strlen("}  \n\n"), "}  \n\n");
    /* In this file, the recorded part is in the middle. */
    const char *begin = strchr(first + kept, '{'), *end = first + size - strlen("}  \n\n");
    char *moved = nnc_arena_alloc(arena, size + 64);
    snprintf(moved, size + 64, "%s\"recorded\" : %.*s,%s", head, (int)(end - begin), begin, tail);
    size_t moved_size = 0;
    const char *second = record_into(moved, false, &moved_size);
    ck_assert_str_eq(second, moved);
}
END_TEST

/* Reading the file detects a change of any digit in the recorded part. */
START_TEST(an_edit_by_hand_is_noticed) {
    size_t size = 0;
    const char *text = record_into(ONE " }", false, &size);
    char *copy = nnc_arena_strdup(arena, text);
    int edits = 0;
    for (size_t i = plans.places.insert + 40; i < size; i++) {
        if (copy[i] < '1' || copy[i] > '8' || strstr(text + i, "\"estimates\"") != NULL) { continue; }
        copy[i]++;
        ck_assert_msg(parse(copy) == NNC_BAD_SPEC, "byte %zu: %s", i, copy);
        copy[i]--;
        edits++;
    }
    ck_assert_int_gt(edits, 5);
    ck_assert_int_eq(parse(copy), NNC_OK);
}
END_TEST

START_TEST(every_truncation_is_refused) {
    size_t size = 0;
    const char *text = record_into(ONE " }", false, &size);
    for (size_t i = 0; i < size; i++) {
        char *copy = nnc_arena_alloc(arena, i + 1);
        memcpy(copy, text, i);
        ck_assert_int_eq(parse(copy), NNC_BAD_SPEC);
    }
}
END_TEST

/* Plan files may be larger than other files. A repeated key is found in a large file, too. */
START_TEST(large_files_are_read) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    fputs(HEAD COMMON "\"scenarios\": [", out);
    for (int i = 0; i < 5000; i++) {
        fprintf(out, "%s\n{ \"id\": \"s%d\", \"micro_batch\": 2, \"seq_len\": 64 }", i > 0 ? "," : "", i);
    }
    fputs("] }", out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_msg(parse(text) == NNC_OK, "%s: %s", err.where, err.what);
    ck_assert_int_eq(plans.scenario_count, 5000);
    ck_assert_int_eq(plans.scenarios[4999].line, 5002 + 1);
    free(text);

    out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    fputs(HEAD COMMON "\"set\": {", out);
    for (int i = 0; i < 100; i++) { fprintf(out, "%s\"k%d\": 1", i > 0 ? ",\n" : "", i == 80 ? 7 : i); }
    fputs("} }", out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(parse(text), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, "p.json:83: set.k7");
    free(text);
}
END_TEST

/* ---- digests of files ---- */

static uint64_t digest_of(const char *text) {
    char path[] = "/tmp/nncost-digest-XXXXXX";
    uint64_t digest = 0;
    const int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
    nnc_specs *set = nnc_specs_open(NULL);
    ck_assert_int_eq(nnc_spec_digest(set, path, &digest, &err), NNC_OK);
    nnc_specs_close(set);
    remove(path);
    return digest;
}

START_TEST(a_digest_is_of_what_a_file_says) {
    const uint64_t digest = digest_of("{ \"a\": 1, \"b\": [1, 2, \"x\"], \"c\": { \"d\": true } }");
    ck_assert(digest_of("{\"c\":{\"d\":true,\"note\":\"n\"},\"b\":[1.0,2,\"x\"],\n\"a\":10e-1,"
                        "\"sources\":{\"\":\"s\"}}") == digest);
    ck_assert(digest_of("{ \"a\": 1, \"b\": [2, 1, \"x\"], \"c\": { \"d\": true } }") != digest);
    ck_assert(digest_of("{ \"a\": 2, \"b\": [1, 2, \"x\"], \"c\": { \"d\": true } }") != digest);
    ck_assert(digest_of("{ \"a\": 1, \"b\": [1, 2, \"x\"], \"c\": { \"d\": false } }") != digest);
    ck_assert(digest_of("{ \"a\": 1, \"b\": [1, 2, \"x\"], \"c\": { \"e\": true } }") != digest);
}
END_TEST

/* The published vectors of FNV-1a. */
START_TEST(the_digest_is_fnv_1a) {
    ck_assert(nnc_digest_bytes(NNC_DIGEST_START, "", 0) == UINT64_C(0xcbf29ce484222325));
    ck_assert(nnc_digest_bytes(NNC_DIGEST_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    ck_assert(nnc_digest_bytes(NNC_DIGEST_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        a_scenario_inherits_key_by_key, the_digest_of_a_plan_is_what_counts, bad_plan_files_are_refused,
        what_is_recorded_is_read_again, packed_figures_are_what_they_were,   estimates_are_read_one_by_one,
        every_other_byte_stays,         an_edit_by_hand_is_noticed,          every_truncation_is_refused,
        large_files_are_read,           a_digest_is_of_what_a_file_says,     the_digest_is_fnv_1a,
    };
    return run_tests_with("plans", open_arena, close_arena, tests, COUNT_OF(tests));
}
