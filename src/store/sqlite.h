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

/* What SQLite says went wrong last. */
nnc_status nnc_sqlite_fail(sqlite3 *file, const char *path, nnc_error *err);
nnc_status nnc_sqlite_foreign(const char *path, nnc_error *err);
/* What SQLite said when a file could not be read: something in it is not as it was written. */
nnc_status nnc_sqlite_damaged(sqlite3 *file, const char *path, nnc_error *err);
/* Keeps a path; NNC_IO when it is too long, NNC_BAD_USAGE when it is not that of a file. */
nnc_status nnc_sqlite_path(char into[NNC_SQLITE_PATH], const char *path, nnc_error *err);
nnc_status nnc_sqlite_run(sqlite3 *file, const char *path, const char *sql, nnc_error *err);
/* The one number that a query gives. */
nnc_status nnc_sqlite_ask(sqlite3 *file, const char *path, const char *sql, int64_t *number,
                          nnc_error *err);
nnc_status nnc_sqlite_head(sqlite3 *file, const char *path, nnc_database_head *head,
                           nnc_error *err);
/* The digest of the rows so far, continued by one. */
uint64_t nnc_sqlite_row_digest(uint64_t digest, const nnc_cell *cells, int count);
/* A column of the row that a query is at. false: out of memory. */
bool nnc_sqlite_cell(sqlite3_stmt *query, int index, nnc_cell *cell);
/* Is there anything in it? NNC_BAD_SPEC when that is not of a sweep. */
nnc_status nnc_sqlite_inspect(sqlite3 *file, const char *path, bool *empty, nnc_error *err);

#endif
