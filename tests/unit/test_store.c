/* Tests three outputs: files of lines (a file is either complete or absent), databases, and merged shards. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store_internal.h"
#include "support.h"

static char folder[64];

static void open_folder(void) {
    strcpy(folder, "/tmp/nncost-store-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void close_folder(void) {
    DIR *files_in = opendir(folder);
    ck_assert_ptr_nonnull(files_in);
    for (const struct dirent *entry; (entry = readdir(files_in)) != NULL;) {
        unlink(entry->d_name); /* unlink fails for "." and ".." */
    }
    closedir(files_in);
    ck_assert_int_eq(rmdir(folder), 0);
}

static const char *const names[] = { "row", "plan.tensor", "device.id", "step.step_s", "memory.total_bytes", "fits" };
enum { COLUMNS = COUNT_OF(names) };

static void fill(nnc_cell cells[COLUMNS], int64_t row, const char *text, double number) {
    cells[0] = (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = row };
    cells[1] = (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = 8 };
    cells[2] = (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text };
    cells[3] = (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number };
    cells[4] = (nnc_cell){ .kind = NNC_CELL_NULL };
    cells[5] = (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = true };
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void check_text(const char *path, const char *text) {
    char found[8192] = "";
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(found, text);
}

START_TEST(files) {
    nnc_file file;
    nnc_error err;
    write_text("old", "old\n");
    ck_assert_int_eq(nnc_file_open(&file, "old", &err), NNC_OK);
    ck_assert_int_eq(nnc_file_write(&file, "new\n", 4, &err), NNC_OK);
    check_text("old", "old\n"); /* the old file stays until the new one is complete */
    ck_assert_int_eq(nnc_file_close(&file, false, &err), NNC_OK);
    check_text("old", "old\n");
    ck_assert_int_eq(nnc_file_open(&file, "old", &err), NNC_OK);
    ck_assert_int_eq(nnc_file_write(&file, "new\n", 4, &err), NNC_OK);
    ck_assert_int_eq(nnc_file_close(&file, true, &err), NNC_OK);
    check_text("old", "new\n");
    ck_assert_int_eq(nnc_file_open(&file, "no/such", &err), NNC_IO);
    ck_assert_int_eq(nnc_file_open(&file, ".", &err), NNC_IO);
    ck_assert_int_eq(nnc_file_open(&file, "/dev/full", &err), NNC_OK);
    ck_assert_int_eq(nnc_file_write(&file, "new\n", 4, &err), NNC_IO);
    ck_assert_str_eq(err.where, "/dev/full");
    ck_assert_int_eq(nnc_file_close(&file, false, &err), NNC_OK);
}
END_TEST

/* If the disk becomes full in the middle of a line, the program removes the written part of this line. */
START_TEST(full_disk) {
    static const char lines[] = "first\nsecond\nthird\n";
    const struct rlimit limit = { 15, 15 };
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    nnc_file file;
    nnc_error err;
    const int out = open("out", O_WRONLY | O_CREAT, 0666);
    ck_assert_int_ge(out, 0);
    ck_assert_int_eq(dup2(out, STDOUT_FILENO), STDOUT_FILENO);
    sigaction(SIGXFSZ, &ignore, NULL);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(nnc_file_open(&file, NULL, &err), NNC_OK);
    ck_assert_int_eq(nnc_file_write(&file, lines, strlen(lines), &err), NNC_IO);
    ck_assert_str_eq(err.where, "standard output");
    check_text("out", "first\nsecond\n");
}
END_TEST

static bool has_sqlite(void) {
    nnc_database_reader *reader = NULL;
    return nnc_database_reader_open("none", &reader, NULL) != NNC_BAD_USAGE;
}

static nnc_database_head head_of(int32_t shard, int32_t shards, int64_t rows_in_all) {
    return (nnc_database_head){ .digest = "0123456789abcdef", .shard = shard, .shards = shards, .rows = rows_in_all };
}

/* Writes every third row, beginning with row shard - 1. */
static void write_database(const char *path, int32_t shard, int64_t rows_in_all, bool complete) {
    nnc_database *db = NULL;
    nnc_error err = { 0 };
    nnc_cell cells[COLUMNS];
    nnc_database_head head = head_of(shard, 3, rows_in_all);
    ck_assert_msg(nnc_database_open(path, &head, names, COLUMNS, &db, &err) == NNC_OK, "%s", err.what);
    for (int64_t i = 0; i < rows_in_all; i++) {
        fill(cells, shard - 1 + 3 * i, "x", 0.1 * (double)i);
        ck_assert_int_eq(nnc_database_put(db, cells, &err), NNC_OK);
    }
    ck_assert_int_eq(nnc_database_commit(db, complete ? rows_in_all : 1, &err), NNC_OK);
    nnc_database_close(db);
}

START_TEST(databases) {
    nnc_database *db = NULL;
    nnc_error err = { 0 };
    nnc_cell cells[COLUMNS];
    nnc_database_head head = head_of(1, 1, 10);
    if (!has_sqlite()) { return; }
    ck_assert_int_eq(nnc_database_open("a", &head, names, COLUMNS, &db, &err), NNC_OK);
    ck_assert_int_eq(head.done, 0);
    fill(cells, 0, "x", 1.0);
    ck_assert_int_eq(nnc_database_put(db, cells, &err), NNC_OK);
    ck_assert_int_eq(nnc_database_commit(db, 3, &err), NNC_OK);
    fill(cells, 4, "x", 1.0);
    ck_assert_int_eq(nnc_database_put(db, cells, &err), NNC_OK);
    nnc_database_close(db); /* discards uncommitted rows */
    ck_assert_int_eq(nnc_database_open("a", &head, names, COLUMNS, &db, &err), NNC_OK);
    ck_assert_int_eq(head.done, 3);
    ck_assert_int_eq(nnc_database_count(db), 1);
    /* only one process at a time may write a database */
    nnc_database *second = NULL;
    ck_assert_int_eq(nnc_database_open("a", &head, names, COLUMNS, &second, &err), NNC_IO);
    ck_assert_ptr_null(second);
    nnc_database_close(db);
}
END_TEST

START_TEST(databases_refused) {
    nnc_database *db = NULL;
    nnc_error err = { 0 };
    nnc_database_head head = head_of(1, 3, 4), other = head;
    if (!has_sqlite()) { return; }
    write_database("a", 1, 4, true);
    other.digest[0] = 'x';
    ck_assert_int_eq(nnc_database_open("a", &other, names, COLUMNS, &db, &err), NNC_BAD_SPEC);
    other = head_of(2, 3, 4);
    ck_assert_int_eq(nnc_database_open("a", &other, names, COLUMNS, &db, &err), NNC_BAD_SPEC);
    ck_assert_ptr_nonnull(strstr(err.what, "expected 2/3, found 1/3"));
    write_text("text", "This is a text that is long enough not to be taken for an empty file.\n"
                       "It has to be longer than the head of a database, which is 100 bytes.\n");
    ck_assert_int_eq(nnc_database_open("text", &head, names, COLUMNS, &db, &err), NNC_BAD_SPEC);
    ck_assert_int_eq(nnc_database_open("no/such", &head, names, COLUMNS, &db, &err), NNC_IO);
    /* a read-only file; root can write it, so the test gives up the rights of root */
    ck_assert_int_eq(chmod("a", 0444), 0);
    ck_assert_int_eq(chmod(folder, 0755), 0);
    if (geteuid() == 0) { ck_assert_int_eq(seteuid(65534), 0); }
    ck_assert_int_eq(nnc_database_open("a", &head, names, COLUMNS, &db, &err), NNC_IO);
    ck_assert_ptr_nonnull(strstr(err.what, "read-only"));
    if (getuid() == 0) { ck_assert_int_eq(seteuid(0), 0); }
}
END_TEST

START_TEST(merged_lines) {
    nnc_error err = { 0 };
    char *shards[] = { "b", "a", "c" };
    write_text("a", "row,x\r\n0,a\r\n3,\"d,d\"\r\n");
    write_text("b", "row,x\r\n1,b\r\n10,e\r\n");
    write_text("c", "row,x\r\n");
    ck_assert_msg(nnc_merge("out", shards, 3, &err) == NNC_OK, "%s: %s", err.where, err.what);
    check_text("out", "row,x\r\n0,a\r\n1,b\r\n3,\"d,d\"\r\n10,e\r\n");
    write_text("a", "{\"row\": 4}\n");
    write_text("b", "{\"row\": 2, \"x\": 1}\n{\"row\": 12, \"x\": 1}\n");
    write_text("c", "");
    ck_assert_int_eq(nnc_merge("out", shards, 3, &err), NNC_OK);
    check_text("out", "{\"row\": 2, \"x\": 1}\n{\"row\": 4}\n{\"row\": 12, \"x\": 1}\n");
}
END_TEST

START_TEST(merged_lines_refused) {
    static const char *const seconds[] = {
        "row,y\r\n1,b\r\n",        /* other columns */
        "row,x\r\n0,b\r\n",        /* the same row twice */
        "row,x\r\n4,b\r\n2,c\r\n", /* rows are not in ascending order */
        "row,x\r\n1,b\r\n2",       /* the last line of the file is not complete */
        "row,x\r\nb,1\r\n",        /* the line has no row number */
        "row,x\r\n-1,1\r\n",
    };
    nnc_error err;
    char *shards[] = { "a", "b" };
    write_text("a", "row,x\r\n0,a\r\n");
    for (size_t i = 0; i < COUNT_OF(seconds); i++) {
        write_text("b", seconds[i]);
        ck_assert_msg(nnc_merge("out", shards, 2, &err) == NNC_BAD_SPEC, "%s", seconds[i]);
        ck_assert_int_ne(access("out", F_OK), 0);
    }
    write_text("a", "x,row\r\n1,0\r\n");
    ck_assert_int_eq(nnc_merge("out", shards, 1, &err), NNC_BAD_SPEC);
    shards[1] = "none";
    ck_assert_int_eq(nnc_merge("out", shards + 1, 1, &err), NNC_IO);
}
END_TEST

START_TEST(merged_databases) {
    nnc_error err = { 0 };
    nnc_database_reader *reader = NULL;
    const nnc_cell *cells = NULL;
    char *shards[] = { "c", "a", "b" };
    if (!has_sqlite()) { return; }
    write_database("a", 1, 4, true);
    write_database("b", 2, 4, true);
    write_database("c", 3, 3, true);
    ck_assert_msg(nnc_merge("out", shards, 3, &err) == NNC_OK, "%s: %s", err.where, err.what);
    ck_assert_int_eq(nnc_database_reader_open("out", &reader, &err), NNC_OK);
    ck_assert_int_eq(nnc_database_reader_head(reader)->rows, 11);
    ck_assert_int_eq(nnc_database_reader_head(reader)->done, 11);
    ck_assert_int_eq(nnc_database_reader_head(reader)->shards, 1);
    for (int64_t row = 0; row < 11; row++) {
        ck_assert_int_eq(nnc_database_reader_next(reader, &cells, &err), NNC_OK);
        ck_assert_int_eq(cells[0].whole, row);
        const int64_t i = row / 3;
        ck_assert(cells[3].number == 0.1 * (double)i);
    }
    ck_assert_int_eq(nnc_database_reader_next(reader, &cells, &err), NNC_OK);
    ck_assert_ptr_null(cells);
    nnc_database_reader_close(reader);
    ck_assert_int_eq(nnc_merge("out.csv", shards + 1, 2, &err), NNC_BAD_USAGE); /* one shard is missing */
    shards[0] = "a";
    ck_assert_int_eq(nnc_merge("out2", shards, 3, &err), NNC_BAD_SPEC);
    ck_assert_int_eq(unlink("c"), 0);
    write_database("c", 3, 3, false);
    shards[0] = "c";
    ck_assert_int_eq(nnc_merge("out2", shards, 3, &err), NNC_BAD_SPEC);
    ck_assert_int_ne(access("out2", F_OK), 0);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        files, full_disk, databases, databases_refused, merged_lines, merged_lines_refused, merged_databases,
    };
    return run_tests_with("store", open_folder, close_folder, tests, COUNT_OF(tests));
}
