/* What reading and writing a database share. Only src/store/database*.c and sqlite.c know SQLite. */
#ifndef NNCOST_STORE_SQLITE_H
#define NNCOST_STORE_SQLITE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "store/database.h"

enum {
    NNC_SQLITE_APPLICATION = 0x6E6E6353, /* "nncS": the file is of a sweep */
    NNC_SQLITE_BUSY_MS = 1000,
    NNC_SQLITE_PATH = 4096
};

/* clang-format off */
#define NNC_SQLITE_CALLS(X)                                                                  \
    X(bind_double) X(bind_int) X(bind_int64) X(bind_null) X(bind_text) X(busy_timeout)       \
    X(close) X(column_count) X(column_double) X(column_int) X(column_int64) X(column_text)   \
    X(column_type) X(db_readonly) X(errcode) X(errmsg) X(exec) X(finalize) X(open_v2)        \
    X(prepare_v2) X(reset) X(step)
/* clang-format on */

typedef struct nnc_sqlite_calls {
#define CALL(name) __typeof__(sqlite3_##name) *name; /* NOLINT(bugprone-macro-parentheses) */
    NNC_SQLITE_CALLS(CALL)
#undef CALL
} nnc_sqlite_calls;

/* A file, and the functions that read and write it. */
typedef struct nnc_sqlite {
    sqlite3 *file; /* NULL: not opened, and there may be no functions */
    nnc_sqlite_calls call;
    char path[NNC_SQLITE_PATH];
} nnc_sqlite;

/* Loads SQLite, where the program is not linked to it, and opens a file. NNC_IO when its path is too long or it
 * cannot be opened, NNC_BAD_USAGE when it is not that of a file. Closed by nnc_sqlite_close, whatever was returned. */
nnc_status nnc_sqlite_open(nnc_sqlite *db, const char *path, int flags, nnc_error *err);
void nnc_sqlite_close(nnc_sqlite *db);
void nnc_sqlite_finalize(const nnc_sqlite *db,
                         sqlite3_stmt *query); /* NULL: there is nothing to do */

/* What SQLite says went wrong last. */
nnc_status nnc_sqlite_fail(const nnc_sqlite *db, nnc_error *err);
nnc_status nnc_sqlite_foreign(const nnc_sqlite *db, nnc_error *err);
/* What SQLite said when a file could not be read: something in it is not as it was written. */
nnc_status nnc_sqlite_damaged(const nnc_sqlite *db, nnc_error *err);
bool nnc_sqlite_prepare(const nnc_sqlite *db, const char *sql, sqlite3_stmt **query);
nnc_status nnc_sqlite_run(const nnc_sqlite *db, const char *sql, nnc_error *err);
/* The one number that a query gives. */
nnc_status nnc_sqlite_ask(const nnc_sqlite *db, const char *sql, int64_t *number, nnc_error *err);
nnc_status nnc_sqlite_head(const nnc_sqlite *db, nnc_database_head *head, nnc_error *err);
/* The digest of no rows under columns of these names; of the rows so far, continued by one. */
uint64_t nnc_sqlite_names_digest(const char *const *names, int count);
uint64_t nnc_sqlite_row_digest(uint64_t digest, const nnc_cell *cells, int count);
/* A column of the row that a query is at. false: out of memory. */
bool nnc_sqlite_cell(const nnc_sqlite *db, sqlite3_stmt *query, int index, nnc_cell *cell);
/* Is there anything in it? NNC_BAD_SPEC when that is not of a sweep. */
nnc_status nnc_sqlite_inspect(const nnc_sqlite *db, bool *empty, nnc_error *err);

#endif
