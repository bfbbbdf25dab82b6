#include "store/sqlite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Databases first had no digest of their rows, then no names of their columns. */
static bool is_earlier(sqlite3 *file)
{
    sqlite3_stmt *query = NULL;
    const bool found =
        sqlite3_prepare_v2(
            file,
            "SELECT 1 FROM sqlite_master WHERE name = 'sweep' AND sql LIKE '%, done INTEGER%)' AND "
            "(sql NOT LIKE '%rows_digest%' OR NOT EXISTS "
            "(SELECT 1 FROM sqlite_master WHERE name = 'columns'))",
            -1, &query, NULL) == SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW;
    sqlite3_finalize(query);
    return found;
}

nnc_status nnc_sqlite_damaged(sqlite3 *file, const char *path, nnc_error *err)
{
    const int code = sqlite3_errcode(file) & 0xFF;
    if (code == SQLITE_NOMEM || code == SQLITE_IOERR || code == SQLITE_BUSY ||
        code == SQLITE_LOCKED) {
        return nnc_sqlite_fail(file, path, err);
    }
    if (is_earlier(file)) {
        return nnc_fail(err, NNC_BAD_SPEC, path,
                        "is of an earlier version of nncost, expected one with the digest of its "
                        "rows and the names "
                        "of its columns; go on with that version, or delete it to begin anew");
    }
    return nnc_fail(err, NNC_BAD_SPEC, path,
                    "is damaged, expected the rows as a sweep wrote them; delete it to begin anew");
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
    if (sqlite3_prepare_v2(
            file, "SELECT digest, shard, shards, rows, done, count, rows_digest FROM sweep", -1,
            &query, NULL) != SQLITE_OK ||
        sqlite3_step(query) != SQLITE_ROW) {
        status = nnc_sqlite_damaged(file, path, err);
    } else {
        const unsigned char *digest = sqlite3_column_text(query, 0);
        snprintf(head->digest, sizeof head->digest, "%s",
                 digest != NULL ? (const char *)digest : "");
        head->shard = sqlite3_column_int(query, 1);
        head->shards = sqlite3_column_int(query, 2);
        head->rows = sqlite3_column_int64(query, 3);
        head->done = sqlite3_column_int64(query, 4);
        head->count = sqlite3_column_int64(query, 5);
        head->rows_digest = (uint64_t)sqlite3_column_int64(query, 6);
        if (digest == NULL || head->done < 0 || head->done > head->rows ||
            head->count > head->done) {
            status = nnc_sqlite_damaged(file, path, err);
        }
    }
    sqlite3_finalize(query);
    return status;
}

/* A cell as it comes back: there are no numbers that are none, and no bools. */
uint64_t nnc_sqlite_row_digest(uint64_t digest, const nnc_cell *cells, int count)
{
    for (int i = 0; i < count; i++) {
        const nnc_cell *cell = &cells[i];
        uint64_t bits = 0;
        switch (cell->kind) {
        case NNC_CELL_NULL: digest = nnc_digest_bytes(digest, "n", 1); break;
        case NNC_CELL_NUMBER:
            memcpy(&bits, &cell->number, sizeof bits);
            digest = isnan(cell->number) ? nnc_digest_bytes(digest, "n", 1)
                                         : nnc_digest_number(digest, bits);
            break;
        case NNC_CELL_WHOLE: digest = nnc_digest_number(digest, (uint64_t)cell->whole); break;
        case NNC_CELL_BOOL: digest = nnc_digest_number(digest, cell->flag); break;
        case NNC_CELL_TEXT: digest = nnc_digest_text(digest, cell->text); break;
        }
    }
    return digest;
}

bool nnc_sqlite_cell(sqlite3_stmt *query, int index, nnc_cell *cell)
{
    *cell = (nnc_cell){ .kind = NNC_CELL_NULL };
    switch (sqlite3_column_type(query, index)) {
    case SQLITE_INTEGER:
        cell->kind = NNC_CELL_WHOLE;
        cell->whole = sqlite3_column_int64(query, index);
        break;
    case SQLITE_FLOAT:
        cell->kind = NNC_CELL_NUMBER;
        cell->number = sqlite3_column_double(query, index);
        break;
    case SQLITE_TEXT:
        cell->kind = NNC_CELL_TEXT;
        cell->text = (const char *)sqlite3_column_text(query, index);
        return cell->text != NULL;
    default: break;
    }
    return true;
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
    /* ":memory:", a URI and nothing at all are databases that end with the program. */
    if (path[0] == ':' || path[0] == '\0' || strncmp(path, "file:", 5) == 0) {
        return nnc_fail(
            err, NNC_BAD_USAGE, path,
            "not the name of a file, expected one such as rows.db, or ./%.80s for a file "
            "of that name",
            path);
    }
    return snprintf(into, NNC_SQLITE_PATH, "%s", path) < NNC_SQLITE_PATH
               ? NNC_OK
               : nnc_fail(err, NNC_IO, path, "cannot open: the name is too long");
}
