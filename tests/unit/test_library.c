/* Tests that nncost finds device, model, software and cluster files by id, alias and path, and validates these
 * files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nncost/spec.h>

#include "spec_text.h"
#include "suite.h"

static nnc_specs *specs;
static nnc_error err;
static char folder[64];

static void write_file(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void make_folder(const char *name) {
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    ck_assert_int_eq(mkdir(path, 0777), 0);
}

/* Links a folder of the shipped data into the test folder. */
static void link_shipped(const char *name) {
    char path[256], shipped[512];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    snprintf(shipped, sizeof(shipped), "%s/%s", NNCOST_SOURCE_DIR, name);
    ck_assert_int_eq(symlink(shipped, path), 0);
}

static void make_library(void) {
    snprintf(folder, sizeof(folder), "/tmp/nncost-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    make_folder("hw");
    make_folder("models");
    make_folder("mine");
    make_folder("mine/hw");
    make_folder("gpt2-copy");
    write_file("hw/demo.json", DEVICE "\"aliases\": [\"d\", \"dd\"],\n" SOURCES);
    write_file(
        "hw/other.json",
        "{ \"schema\": \"nncost.device/1\", \"id\": \"other\", \"name\": \"d\",\n" DEVICE_PEAK DEVICE_MEMORY SOURCES);
    write_file("hw/wrong.json", DEVICE SOURCES); /* its id is "demo" */
    write_file("hw/broken.json", "{ \"aliases\": [\"brk\"], ");
    write_file("hw/notes.txt", "not a spec");
    write_file("mine/hw/demo.json", DEVICE "\"year\": 2001,\n" SOURCES);
    write_file("gpt2-copy/config.json", "{ \"model_type\": \"gpt2\", \"n_layer\": 1, \"n_embd\": 8, \"n_head\": 2, "
                                        "\"n_positions\": 4, \"vocab_size\": 10 }");
    link_shipped("foreign");
    unsetenv("NNCOST_PATH");
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    specs = nnc_specs_open(folder);
}

static void remove_library(void) {
    static const char *const names[] = { "hw/demo.json",
                                         "hw/other.json",
                                         "hw/wrong.json",
                                         "hw/broken.json",
                                         "hw/notes.txt",
                                         "mine/hw/demo.json",
                                         "gpt2-copy/config.json",
                                         "foreign",
                                         "gpt2-copy",
                                         "mine/hw",
                                         "mine",
                                         "models",
                                         "hw" };
    char path[256];
    nnc_specs_close(specs);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

static void expect_device(const char *name, nnc_status status, const char *where, const char *what) {
    const nnc_device *d;
    memset(&err, 0, sizeof(err));
    ck_assert_int_eq(nnc_device_load(specs, name, &d, &err), status);
    if (where != NULL) { ck_assert_ptr_nonnull(strstr(err.where, where)); }
    if (what != NULL) { ck_assert_str_eq(err.what, what); }
}

START_TEST(specs_are_found) {
    const nnc_device *d;
    const nnc_model *m;
    const char *const *ids;
    int32_t count;
    char path[256];
    ck_assert_int_eq(nnc_device_load(specs, "demo", &d, &err), NNC_OK);
    ck_assert_str_eq(d->id, "demo");
    snprintf(path, sizeof(path), "%s/hw/demo.json", folder);
    ck_assert_str_eq(d->path, path);
    ck_assert_int_eq(nnc_device_load(specs, "dd", &d, &err), NNC_OK); /* an alias */
    ck_assert_str_eq(d->id, "demo");
    ck_assert_int_eq(nnc_device_load(specs, "d", &d, &err), NNC_OK); /* no alias of "other" */
    ck_assert_str_eq(d->id, "demo");
    ck_assert_int_eq(nnc_device_load(specs, path, &d, &err), NNC_OK);
    ck_assert_int_eq(nnc_specs_list(specs, NNC_SPEC_DEVICE, &ids, &count, &err), NNC_OK);
    ck_assert_int_eq(count, 4);
    ck_assert_str_eq(ids[0], "broken");
    ck_assert_str_eq(ids[3], "wrong");
    ck_assert_int_eq(nnc_specs_list(specs, NNC_SPEC_SOFTWARE, &ids, &count, &err), NNC_OK);
    ck_assert_int_eq(count, 0);
    snprintf(path, sizeof(path), "%s/gpt2-copy/config.json", folder);
    ck_assert_int_eq(nnc_model_load(specs, path, &m, &err), NNC_OK);
    ck_assert_str_eq(m->id, "gpt2-copy"); /* the model of a config.json has the name of the folder */
}
END_TEST

/* The compiled program contains a table of the aliases of shipped files. In another folder, a file with the same name
 * may have another alias or no alias. */
START_TEST(files_say_what_an_alias_is) {
    const nnc_device *d = NULL;
    char text[1024];
    snprintf(text, sizeof text, "{ \"schema\": \"nncost.device/1\", \"id\": \"%s\", \"name\": \"d\",\n%s",
             "h100-sxm5-80gb", DEVICE_PEAK DEVICE_MEMORY SOURCES);
    write_file("hw/h100-sxm5-80gb.json", text);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &d, &err), NNC_UNKNOWN_ID);
    snprintf(text, sizeof text, "{ \"schema\": \"nncost.device/1\", \"id\": \"%s\", \"name\": \"d\",\n%s", "z",
             "\"aliases\": [\"h100\"]," DEVICE_PEAK DEVICE_MEMORY SOURCES);
    write_file("hw/z.json", text);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &d, &err), NNC_UNKNOWN_ID); /* read files stay */
    nnc_specs_close(specs);
    specs = nnc_specs_open(folder);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &d, &err), NNC_OK);
    ck_assert_str_eq(d->id, "z");
}
END_TEST

START_TEST(first_folder_wins) {
    char path[256];
    const nnc_device *d;
    snprintf(path, sizeof(path), ":%s/mine:/nonexistent", folder);
    setenv("NNCOST_PATH", path, 1);
    nnc_specs *both = nnc_specs_open(folder);
    ck_assert_int_eq(nnc_device_load(both, "demo", &d, &err), NNC_OK);
    ck_assert_int_eq(d->year, 2001);
    ck_assert_int_eq(nnc_device_load(both, "other", &d, &err), NNC_OK);
    nnc_specs_close(both);
}
END_TEST

START_TEST(missing_specs_are_named) {
    char path[256];
    const nnc_software *software;
    expect_device("dem", NNC_UNKNOWN_ID, "DEVICE",
                  "unknown device, expected one of broken, demo, other, wrong, nearest \"demo\", "
                  "found \"dem\"");
    expect_device("xyz", NNC_UNKNOWN_ID, "DEVICE",
                  "unknown device, expected one of broken, demo, other, wrong, found \"xyz\"");
    expect_device("", NNC_UNKNOWN_ID, "DEVICE", NULL);
    expect_device("..", NNC_UNKNOWN_ID, "DEVICE", NULL);
    expect_device("de\nmo", NNC_UNKNOWN_ID, "DEVICE",
                  "unknown device, expected one of broken, demo, other, wrong, nearest \"demo\", "
                  "found \"de?mo\"");
    expect_device("wrong", NNC_BAD_SPEC, "wrong.json:3: id",
                  "not the name of the file, expected \"wrong\", found \"demo\"");
    expect_device("brk", NNC_BAD_SPEC, "broken.json:1:23", NULL);
    expect_device("./none.json", NNC_IO, "./none.json",
                  "cannot be opened, expected a readable file, found: No such file or directory");
    expect_device(folder, NNC_IO, folder, "cannot be read, expected a readable file, found: Is a directory");
    snprintf(path, sizeof(path), "%s/hw/other.json", folder);
    ck_assert_int_eq(chmod(path, 0), 0);
    if (geteuid() != 0) { /* root can read every file, so this test is only for other users */
        expect_device("other", NNC_IO, "other.json",
                      "cannot be opened, expected a readable file, found: Permission denied");
    }
    ck_assert_int_eq(nnc_software_load(specs, "x", &software, &err), NNC_UNKNOWN_ID);
    ck_assert_str_eq(err.where, "--software");
}
END_TEST

static void collect(void *context, const nnc_error *found) {
    char *lines = context;
    const size_t used = strlen(lines);
    const char *name = strrchr(found->where, '/');
    snprintf(lines + used, 2048 - used, "%s: %s\n", name + 1, found->what);
}

START_TEST(every_fault_is_reported) {
    char path[256], lines[2048] = "";
    write_file("hw/other.json", DEVICE_HEAD "\"mem_bytes\": -1,\n\"colour\": 3,\n"
                                            "\"power_w\": \"700\",\n"
                                            "\"scale_up\": { \"kind\": 1, \"devices\": 0 },\n" SOURCES);
    snprintf(path, sizeof(path), "%s/hw/other.json", folder);
    ck_assert_int_eq(nnc_spec_validate(specs, path, collect, lines), 8);
    ck_assert_str_eq(lines, "other.json:5: mem_bytes: out of range, expected at least 1e6 B, found -1\n"
                            "other.json:6: colour: unknown key, expected a key of the device, found \"colour\"\n"
                            "other.json:7: power_w: wrong type, expected a number above 0 W, at most 1e6 W, found "
                            "\"700\"\n"
                            "other.json:8: scale_up.kind: wrong type, expected one of none, switch, torus, mesh, ring, "
                            "pcie, found 1\n"
                            "other.json:8: scale_up.devices: out of range, expected at least 1, found 0\n"
                            "other.json: matmul_flops_per_s: missing, expected an object keyed by number format, found "
                            "nothing\n"
                            "other.json: mem_bytes_per_s: missing, expected a number from 1e8 B/s to 1e18 B/s, "
                            "found nothing\n"
                            "other.json:3: id: not the name of the file, expected \"other\", found \"demo\"\n");
    lines[0] = '\0';
    snprintf(path, sizeof(path), "%s/hw/demo.json", folder);
    ck_assert_int_eq(nnc_spec_validate(specs, path, collect, lines), 0);
    snprintf(path, sizeof(path), "%s/hw/broken.json", folder);
    ck_assert_int_eq(nnc_spec_validate(specs, path, collect, lines), 1);
    snprintf(path, sizeof(path), "%s/hw/none.json", folder);
    ck_assert_int_eq(nnc_spec_validate(specs, path, collect, lines), 1);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        specs_are_found,         files_say_what_an_alias_is, first_folder_wins,
        missing_specs_are_named, every_fault_is_reported,
    };
    return run_tests_with("library", make_library, remove_library, tests, COUNT_OF(tests));
}
