/* Tests that an output file is either complete or absent, also if writing fails. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_internal.h"
#include "support.h"

static char folder[32], path[64];

/* Creates a file that has two letters and that only its owner may read. */
static void open_folder(void) {
    strcpy(folder, "/tmp/nncost.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("no", file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path, 0600), 0);
}

static void close_folder(void) {
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(folder), 0); /* the folder contains no file except the output file */
}

static void ck_holds(const char *name, const char *expected) {
    char text[16] = "";
    FILE *file = fopen(name, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_str_eq(text, expected);
}

static nnc_atomic_file written(const char *name) {
    nnc_atomic_file file;
    ck_assert(nnc_atomic_file_open(&file, name));
    ck_assert_uint_eq(nnc_write_bytes(file.descriptor, "yes", 3), 3);
    return file;
}

START_TEST(keeping_replaces) {
    struct stat status;
    nnc_atomic_file file = written(path);
    ck_holds(path, "no");
    ck_assert(nnc_atomic_file_keep(&file, true));
    ck_holds(path, "yes");
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777U, 0600);
}
END_TEST

START_TEST(dropping_leaves_what_was) {
    nnc_atomic_file file = written(path);
    nnc_atomic_file_drop(&file);
    ck_holds(path, "no");
    nnc_atomic_file_drop(&file);
}
END_TEST

START_TEST(a_new_file_gets_the_rights_of_any) {
    char name[80];
    struct stat status;
    snprintf(name, sizeof name, "%s/new", folder);
    const mode_t mask = umask(027);
    nnc_atomic_file file = written(name);
    umask(mask);
    ck_assert(nnc_atomic_file_keep(&file, false));
    ck_assert_int_eq(stat(name, &status), 0);
    ck_assert_uint_eq(status.st_mode & 0777U, 0640);
    ck_assert_int_eq(unlink(name), 0);
}
END_TEST

START_TEST(a_link_stays) {
    char name[80];
    struct stat status;
    snprintf(name, sizeof name, "%s/link", folder);
    ck_assert_int_eq(symlink("file", name), 0);
    nnc_atomic_file file = written(name);
    ck_assert(nnc_atomic_file_keep(&file, false));
    ck_assert_int_eq(lstat(name, &status), 0);
    ck_assert(S_ISLNK(status.st_mode));
    ck_holds(path, "yes");
    ck_assert_int_eq(unlink(name), 0);
}
END_TEST

START_TEST(no_folder_no_file) {
    char name[80];
    nnc_atomic_file file;
    snprintf(name, sizeof name, "%s/none/file", folder);
    ck_assert(!nnc_atomic_file_open(&file, name));
    ck_assert_int_eq(errno, ENOENT);
    nnc_atomic_file_drop(&file);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { keeping_replaces, dropping_leaves_what_was, a_new_file_gets_the_rights_of_any,
                                   a_link_stays, no_folder_no_file };
    return run_tests_with("beside", open_folder, close_folder, tests, COUNT_OF(tests));
}
