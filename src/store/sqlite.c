#include "store/sqlite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/late.h"

nnc_status nnc_sqlite_fail(const nnc_sqlite *db, nnc_error *err)
{
    const int code = db->file != NULL ? db->call.errcode(db->file) & 0xFF : SQLITE_NOMEM;
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
        return nnc_fail(err, NNC_BAD_SPEC, db->path, "not a database of a sweep: %s",
                        db->call.errmsg(db->file));
    }
    if (code == SQLITE_NOMEM) {
        return nnc_fail(err, NNC_NO_MEMORY, db->path, "out of memory");
    }
    const bool reads = code == SQLITE_CANTOPEN || code == SQLITE_BUSY || code == SQLITE_LOCKED;
    return nnc_fail(err, NNC_IO, db->path, "%s: %s", reads ? "cannot open" : "cannot write",
                    db->call.errmsg(db->file));
}

nnc_status nnc_sqlite_foreign(const nnc_sqlite *db, nnc_error *err)
{
    return nnc_fail(err, NNC_BAD_SPEC, db->path, "holds something else than the rows of a sweep");
}

/* Databases first had no digest of their rows, then no names of their columns. */
static bool is_earlier(const nnc_sqlite *db)
{
    sqlite3_stmt *query = NULL;
    const bool found =
        nnc_sqlite_prepare(
            db,
            "SELECT 1 FROM sqlite_master WHERE name = 'sweep' AND sql LIKE '%, done INTEGER%)' AND "
            "(sql NOT LIKE '%rows_digest%' OR NOT EXISTS "
            "(SELECT 1 FROM sqlite_master WHERE name = 'columns'))",
            &query) &&
        db->call.step(query) == SQLITE_ROW;
    db->call.finalize(query);
    return found;
}

nnc_status nnc_sqlite_damaged(const nnc_sqlite *db, nnc_error *err)
{
    const int code = db->call.errcode(db->file) & 0xFF;
    if (code == SQLITE_NOMEM || code == SQLITE_IOERR || code == SQLITE_BUSY ||
        code == SQLITE_LOCKED) {
        return nnc_sqlite_fail(db, err);
    }
    if (is_earlier(db)) {
        return nnc_fail(err, NNC_BAD_SPEC, db->path,
                        "is of an earlier version of nncost, expected one with the digest of its "
                        "rows and the names "
                        "of its columns; go on with that version, or delete it to begin anew");
    }
    return nnc_fail(err, NNC_BAD_SPEC, db->path,
                    "is damaged, expected the rows as a sweep wrote them; delete it to begin anew");
}

bool nnc_sqlite_prepare(const nnc_sqlite *db, const char *sql, sqlite3_stmt **query)
{
    return db->call.prepare_v2(db->file, sql, -1, query, NULL) == SQLITE_OK;
}

nnc_status nnc_sqlite_run(const nnc_sqlite *db, const char *sql, nnc_error *err)
{
    return db->call.exec(db->file, sql, NULL, NULL, NULL) == SQLITE_OK ? NNC_OK
                                                                       : nnc_sqlite_fail(db, err);
}

nnc_status nnc_sqlite_ask(const nnc_sqlite *db, const char *sql, int64_t *number, nnc_error *err)
{
    sqlite3_stmt *query = NULL;
    nnc_status status = NNC_OK;
    if (!nnc_sqlite_prepare(db, sql, &query) || db->call.step(query) != SQLITE_ROW) {
        status = nnc_sqlite_fail(db, err);
    } else {
        *number = db->call.column_int64(query, 0);
    }
    db->call.finalize(query);
    return status;
}

nnc_status nnc_sqlite_head(const nnc_sqlite *db, nnc_database_head *head, nnc_error *err)
{
    sqlite3_stmt *query = NULL;
    nnc_status status = NNC_OK;
    if (!nnc_sqlite_prepare(
            db, "SELECT digest, shard, shards, rows, done, count, rows_digest FROM sweep",
            &query) ||
        db->call.step(query) != SQLITE_ROW) {
        status = nnc_sqlite_damaged(db, err);
    } else {
        const unsigned char *digest = db->call.column_text(query, 0);
        snprintf(head->digest, sizeof head->digest, "%s",
                 digest != NULL ? (const char *)digest : "");
        head->shard = db->call.column_int(query, 1);
        head->shards = db->call.column_int(query, 2);
        head->rows = db->call.column_int64(query, 3);
        head->done = db->call.column_int64(query, 4);
        head->count = db->call.column_int64(query, 5);
        head->rows_digest = (uint64_t)db->call.column_int64(query, 6);
        if (digest == NULL || head->done < 0 || head->done > head->rows ||
            head->count > head->done) {
            status = nnc_sqlite_damaged(db, err);
        }
    }
    db->call.finalize(query);
    return status;
}

uint64_t nnc_sqlite_names_digest(const char *const *names, int count)
{
    uint64_t digest = NNC_DIGEST_START;
    for (int i = 0; i < count; i++) {
        digest = nnc_digest_text(digest, names[i]);
    }
    return digest;
}

/* A cell as it comes back: there are no numbers that are none, and no bools. The same bits as a number, as a whole one or
 * as text are different cells: what SQLite keeps of a cell's type may be damaged, too. */
static const uint64_t NUMBER_MARK = UINT64_C(0x9e3779b97f4a7c15);
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
                                         : nnc_digest_number(digest, bits ^ NUMBER_MARK);
            break;
        case NNC_CELL_WHOLE: digest = nnc_digest_number(digest, (uint64_t)cell->whole); break;
        case NNC_CELL_BOOL: digest = nnc_digest_number(digest, cell->flag); break;
        case NNC_CELL_TEXT:
            digest = nnc_digest_text(nnc_digest_bytes(digest, "t", 1), cell->text);
            break;
        }
    }
    return digest;
}

bool nnc_sqlite_cell(const nnc_sqlite *db, sqlite3_stmt *query, int index, nnc_cell *cell)
{
    *cell = (nnc_cell){ .kind = NNC_CELL_NULL };
    switch (db->call.column_type(query, index)) {
    case SQLITE_INTEGER:
        cell->kind = NNC_CELL_WHOLE;
        cell->whole = db->call.column_int64(query, index);
        break;
    case SQLITE_FLOAT:
        cell->kind = NNC_CELL_NUMBER;
        cell->number = db->call.column_double(query, index);
        break;
    case SQLITE_TEXT:
        cell->kind = NNC_CELL_TEXT;
        cell->text = (const char *)db->call.column_text(query, index);
        return cell->text != NULL;
    default: break;
    }
    return true;
}

nnc_status nnc_sqlite_inspect(const nnc_sqlite *db, bool *empty, nnc_error *err)
{
    int64_t application = 0, tables = 0;
    NNC_TRY(nnc_sqlite_ask(db, "PRAGMA application_id", &application, err));
    NNC_TRY(nnc_sqlite_ask(db, "SELECT count(*) FROM sqlite_schema", &tables, err));
    *empty = tables == 0;
    return tables > 0 && application != NNC_SQLITE_APPLICATION ? nnc_sqlite_foreign(db, err)
                                                               : NNC_OK;
}

static nnc_status keep_path(nnc_sqlite *db, const char *path, nnc_error *err)
{
    /* ":memory:", a URI and nothing at all are databases that end with the program. */
    if (path[0] == ':' || path[0] == '\0' || strncmp(path, "file:", 5) == 0) {
        return nnc_fail(
            err, NNC_BAD_USAGE, path,
            "not the name of a file, expected one such as rows.db, or ./%.80s for a file "
            "of that name",
            path);
    }
    return snprintf(db->path, sizeof db->path, "%s", path) < NNC_SQLITE_PATH
               ? NNC_OK
               : nnc_fail(err, NNC_IO, path, "cannot open: the name is too long");
}

static nnc_status load(nnc_sqlite_calls *calls, nnc_error *err)
{
#ifdef NNC_SQLITE_LIBRARY
#define NAME(name) "sqlite3_" #name,
    static const char *const names[] = { NNC_SQLITE_CALLS(NAME) };
    return nnc_late_load(NNC_SQLITE_LIBRARY, NNC_SQLITE_PACKAGE, names,
                         sizeof names / sizeof *names, calls, err);
#else
#define ADDRESS(name) .name = sqlite3_##name,
    (void)err;
    *calls = (nnc_sqlite_calls){ NNC_SQLITE_CALLS(ADDRESS) };
    return NNC_OK;
#endif
}

nnc_status nnc_sqlite_open(nnc_sqlite *db, const char *path, int flags, nnc_error *err)
{
    db->file = NULL;
    NNC_TRY(keep_path(db, path, err));
    NNC_TRY(load(&db->call, err));
    /* One thread writes or reads it, so its calls need no lock. */
    if (db->call.open_v2(db->path, &db->file, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        return nnc_sqlite_fail(db, err);
    }
    db->call.busy_timeout(db->file, NNC_SQLITE_BUSY_MS);
    return NNC_OK;
}

void nnc_sqlite_close(nnc_sqlite *db)
{
    if (db->file != NULL) {
        db->call.close(db->file); /* rolls back */
    }
}

void nnc_sqlite_finalize(const nnc_sqlite *db, sqlite3_stmt *query)
{
    if (query != NULL) {
        db->call.finalize(query);
    }
}
