#include "store/sqlite.h"

#include <stdio.h>

#include "base/error.h"

nnc_status nnc_sqlite_fail(sqlite3 *file, const char *path, nnc_error *err)
{
    const int code = file != NULL ? sqlite3_errcode(file) & 0xFF : SQLITE_NOMEM;
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "not a database of a sweep: %s",
                        sqlite3_errmsg(file));
    }
    if (code == SQLITE_NOMEM) {
        return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    const bool reads = code == SQLITE_CANTOPEN || code == SQLITE_BUSY || code == SQLITE_LOCKED;
    return nnc_fail(err, NNC_IO, path, "%s: %s", reads ? "cannot open" : "cannot write",
                    sqlite3_errmsg(file));
}

nnc_status nnc_sqlite_foreign(const char *path, nnc_error *err)
{
    return nnc_fail(err, NNC_BAD_SPEC, path, "holds something else than the rows of a sweep");
}

nnc_status nnc_sqlite_run(sqlite3 *file, const char *path, const char *sql, nnc_error *err)
{
    return sqlite3_exec(file, sql, NULL, NULL, NULL) == SQLITE_OK
               ? NNC_OK
               : nnc_sqlite_fail(file, path, err);
}

nnc_status nnc_sqlite_ask(sqlite3 *file, const char *path, const char *sql, int64_t *number,
                          nnc_error *err)
{
    sqlite3_stmt *query = NULL;
    nnc_status status = NNC_OK;
    if (sqlite3_prepare_v2(file, sql, -1, &query, NULL) != SQLITE_OK ||
        sqlite3_step(query) != SQLITE_ROW) {
        status = nnc_sqlite_fail(file, path, err);
    } else {
        *number = sqlite3_column_int64(query, 0);
    }
    sqlite3_finalize(query);
    return status;
}

nnc_status nnc_sqlite_head(sqlite3 *file, const char *path, nnc_database_head *head, nnc_error *err)
{
    sqlite3_stmt *query = NULL;
    nnc_status status = NNC_OK;
    if (sqlite3_prepare_v2(file, "SELECT digest, shard, shards, rows, done FROM sweep", -1, &query,
                           NULL) != SQLITE_OK ||
        sqlite3_step(query) != SQLITE_ROW) {
        status = nnc_sqlite_fail(file, path, err);
    } else {
        const unsigned char *digest = sqlite3_column_text(query, 0);
        snprintf(head->digest, sizeof head->digest, "%s",
                 digest != NULL ? (const char *)digest : "");
        head->shard = sqlite3_column_int(query, 1);
        head->shards = sqlite3_column_int(query, 2);
        head->rows = sqlite3_column_int64(query, 3);
        head->done = sqlite3_column_int64(query, 4);
    }
    sqlite3_finalize(query);
    return status;
}

nnc_status nnc_sqlite_inspect(sqlite3 *file, const char *path, bool *empty, nnc_error *err)
{
    int64_t application = 0, tables = 0;
    NNC_TRY(nnc_sqlite_ask(file, path, "PRAGMA application_id", &application, err));
    NNC_TRY(nnc_sqlite_ask(file, path, "SELECT count(*) FROM sqlite_schema", &tables, err));
    *empty = tables == 0;
    return tables > 0 && application != NNC_SQLITE_APPLICATION ? nnc_sqlite_foreign(path, err)
                                                               : NNC_OK;
}

nnc_status nnc_sqlite_path(char into[NNC_SQLITE_PATH], const char *path, nnc_error *err)
{
    return snprintf(into, NNC_SQLITE_PATH, "%s", path) < NNC_SQLITE_PATH
               ? NNC_OK
               : nnc_fail(err, NNC_IO, path, "cannot open: the name is too long");
}
