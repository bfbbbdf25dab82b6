#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/sqlite.h"

enum { SHORT_NAME = 256 };

struct nnc_database {
    sqlite3 *file;
    sqlite3_stmt *insert, *progress;
    int64_t row_count;
    uint64_t digest; /* of the rows */
    int count;       /* of the columns */
    bool in_batch;
    char path[NNC_SQLITE_PATH];
};

/* A text of SQL between quotes, which are doubled inside. */
static void put_quoted(nnc_buffer *sql, char quote, const char *text)
{
    nnc_buffer_byte(sql, quote);
    for (; *text != '\0'; text++) {
        if (*text == quote) {
            nnc_buffer_byte(sql, quote);
        }
        nnc_buffer_byte(sql, *text);
    }
    nnc_buffer_byte(sql, quote);
}

/* Does another name end in it, at a dot or as a whole? SQL does not tell cases apart. */
static bool is_shared(const char *end, const char *const *names, int count, int own)
{
    const size_t length = strlen(end);
    for (int i = 0; i < count; i++) {
        const size_t whole = strlen(names[i]);
        if (i != own && whole >= length && strcasecmp(names[i] + whole - length, end) == 0 &&
            (whole == length || names[i][whole - length - 1] == '.')) {
            return true;
        }
    }
    return false;
}

/* A column goes by the last parts of its name that no other one ends in, a word that SQL takes without quotes:
 * "step.step_s" is step_s, "step.interval_s.0" interval_s_0. */
static void short_name(const char *const *names, int count, int index, char name[SHORT_NAME])
{
    const char *begin = names[index], *end = begin + strlen(begin);
    for (const char *at = end; at > begin; at--) {
        if (at[-1] == '.' && isalpha((unsigned char)*at) && !is_shared(at, names, count, index)) {
            begin = at;
            break;
        }
    }
    snprintf(name, SHORT_NAME, "%s", begin);
    for (char *dot = name; (dot = strchr(dot, '.')) != NULL;) {
        *dot = '_';
    }
}

/* Columns by their short names, and which name in full each has. */
static void put_columns(nnc_buffer *sql, const char *const *names, int count)
{
    char name[SHORT_NAME];
    nnc_buffer_text(sql, "CREATE TABLE rows (");
    for (int i = 0; i < count; i++) {
        nnc_buffer_text(sql, i > 0 ? ", " : "");
        short_name(names, count, i, name);
        put_quoted(sql, '"', name);
        nnc_buffer_text(sql, i > 0 ? "" : " INTEGER PRIMARY KEY");
    }
    nnc_buffer_text(sql, "); CREATE TABLE columns (short TEXT, name TEXT); "
                         "INSERT INTO columns VALUES ");
    for (int i = 0; i < count; i++) {
        nnc_buffer_text(sql, i > 0 ? ", (" : "(");
        short_name(names, count, i, name);
        put_quoted(sql, '\'', name);
        nnc_buffer_text(sql, ", ");
        put_quoted(sql, '\'', names[i]);
        nnc_buffer_byte(sql, ')');
    }
    nnc_buffer_text(sql, "; ");
}

static nnc_status create(sqlite3 *file, const char *path, const nnc_database_head *head,
                         const char *const *names, int count, nnc_error *err)
{
    char text[320];
    nnc_buffer sql = { 0 };
    snprintf(text, sizeof text, "BEGIN IMMEDIATE; PRAGMA application_id = %d;",
             NNC_SQLITE_APPLICATION);
    nnc_buffer_text(&sql, text);
    put_columns(&sql, names, count);
    snprintf(text, sizeof text,
             "CREATE TABLE sweep (digest TEXT, shard INTEGER, shards INTEGER, rows INTEGER, "
             "done INTEGER, count INTEGER, rows_digest INTEGER); "
             "INSERT INTO sweep VALUES ('%s', %d, %d, %lld, 0, 0, %lld); COMMIT;",
             head->digest, (int)head->shard, (int)head->shards, (long long)head->rows,
             (long long)NNC_DIGEST_START);
    nnc_buffer_put(&sql, text, strlen(text) + 1);
    nnc_status status = sql.failed ? nnc_fail(err, NNC_NO_MEMORY, path, "out of memory")
                                   : nnc_sqlite_run(file, path, sql.bytes, err);
    nnc_buffer_free(&sql);
    return status;
}

static nnc_status check_head(const char *path, const nnc_database_head *found,
                             const nnc_database_head *asked, nnc_error *err)
{
    if (strcmp(found->digest, asked->digest) != 0) {
        return nnc_fail(err, NNC_BAD_SPEC, path,
                        "holds another sweep (axes, constraints, columns, files or version "
                        "differ), expected %s, found %s",
                        asked->digest, found->digest);
    }
    if (found->shard != asked->shard || found->shards != asked->shards) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "holds another shard, expected %d/%d, found %d/%d",
                        (int)asked->shard, (int)asked->shards, (int)found->shard,
                        (int)found->shards);
    }
    return NNC_OK;
}

/* Reads the rows: are they those that were written? */
static nnc_status check_rows(nnc_database *db, const nnc_database_head *head, nnc_error *err)
{
    sqlite3_stmt *query = NULL;
    nnc_cell cells[NNC_DATABASE_COLUMNS_MAX];
    bool read = true;
    db->digest = NNC_DIGEST_START;
    int code = sqlite3_prepare_v2(db->file, "SELECT * FROM rows ORDER BY row", -1, &query, NULL);
    if (code == SQLITE_OK && sqlite3_column_count(query) == db->count) {
        for (code = sqlite3_step(query); code == SQLITE_ROW && read; code = sqlite3_step(query)) {
            for (int i = 0; i < db->count; i++) {
                read = nnc_sqlite_cell(query, i, &cells[i]) && read;
            }
            if (read) {
                db->digest = nnc_sqlite_row_digest(db->digest, cells, db->count);
                db->row_count++;
            }
        }
    }
    const bool same = db->row_count == head->count && db->digest == head->rows_digest;
    const nnc_status status = !read ? nnc_no_memory(err)
                              : code == SQLITE_DONE && same
                                  ? NNC_OK
                                  : nnc_sqlite_damaged(db->file, db->path, err);
    sqlite3_finalize(query);
    return status;
}

static nnc_status prepare(nnc_database *db, nnc_error *err)
{
    nnc_buffer sql = { 0 };
    nnc_buffer_text(&sql, "INSERT INTO rows VALUES (?");
    for (int i = 1; i < db->count; i++) {
        nnc_buffer_text(&sql, ", ?");
    }
    nnc_buffer_put(&sql, ")", 2);
    nnc_status status = NNC_OK;
    if (sql.failed) {
        status = nnc_fail(err, NNC_NO_MEMORY, db->path, "out of memory");
    } else if (sqlite3_prepare_v2(db->file, sql.bytes, -1, &db->insert, NULL) != SQLITE_OK ||
               sqlite3_prepare_v2(db->file, "UPDATE sweep SET done = ?, count = ?, rows_digest = ?",
                                  -1, &db->progress, NULL) != SQLITE_OK) {
        status = nnc_sqlite_fail(db->file, db->path, err);
    }
    nnc_buffer_free(&sql);
    return status;
}

static nnc_status open_file(nnc_database *db, nnc_error *err)
{
    if (sqlite3_open_v2(db->path, &db->file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK) {
        return nnc_sqlite_fail(db->file, db->path, err);
    }
    sqlite3_busy_timeout(db->file, NNC_SQLITE_BUSY_MS);
    return sqlite3_db_readonly(db->file, "main") == 1
               ? nnc_fail(err, NNC_IO, db->path, "cannot write: the file is read-only")
               : NNC_OK;
}

/* One process at a time: the lock is kept after the transaction. */
static nnc_status lock(nnc_database *db, nnc_error *err)
{
    return nnc_sqlite_run(db->file, db->path,
                          "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT", err);
}

static nnc_status open_all(nnc_database *db, const char *path, nnc_database_head *head,
                           const char *const *names, nnc_error *err)
{
    nnc_database_head found = { 0 };
    bool empty = true;
    NNC_TRY(nnc_sqlite_path(db->path, path, err));
    NNC_TRY(open_file(db, err));
    if (head->disposable) {
        NNC_TRY(nnc_sqlite_run(db->file, path,
                               "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", err));
    }
    NNC_TRY(nnc_sqlite_inspect(db->file, path, &empty, err));
    NNC_TRY(lock(db, err));
    if (empty) {
        NNC_TRY(create(db->file, path, head, names, db->count, err));
    }
    NNC_TRY(nnc_sqlite_head(db->file, path, &found, err));
    NNC_TRY(check_head(path, &found, head, err));
    NNC_TRY(check_rows(db, &found, err));
    NNC_TRY(prepare(db, err));
    head->done = found.done;
    return NNC_OK;
}

nnc_status nnc_database_open(const char *path, nnc_database_head *head, const char *const *names,
                             int count, nnc_database **database, nnc_error *err)
{
    nnc_database *db = calloc(1, sizeof *db);
    *database = db;
    if (db == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    db->count = count;
    const nnc_status status = open_all(db, path, head, names, err);
    if (status != NNC_OK) {
        nnc_database_close(db);
        *database = NULL;
    }
    return status;
}

static int bind(sqlite3_stmt *insert, int index, const nnc_cell *cell)
{
    switch (cell->kind) {
    case NNC_CELL_NUMBER: return sqlite3_bind_double(insert, index, cell->number);
    case NNC_CELL_WHOLE: return sqlite3_bind_int64(insert, index, cell->whole);
    case NNC_CELL_BOOL: return sqlite3_bind_int(insert, index, cell->flag);
    case NNC_CELL_TEXT: return sqlite3_bind_text(insert, index, cell->text, -1, SQLITE_STATIC);
    case NNC_CELL_NULL: break;
    }
    return sqlite3_bind_null(insert, index);
}

static nnc_status begin_batch(nnc_database *db, nnc_error *err)
{
    if (db->in_batch) {
        return NNC_OK;
    }
    const nnc_status status = nnc_sqlite_run(db->file, db->path, "BEGIN IMMEDIATE", err);
    db->in_batch = status == NNC_OK;
    return status;
}

nnc_status nnc_database_put(nnc_database *db, const nnc_cell *cells, nnc_error *err)
{
    NNC_TRY(begin_batch(db, err));
    bool ok = true;
    for (int i = 0; i < db->count; i++) {
        ok = ok && bind(db->insert, i + 1, &cells[i]) == SQLITE_OK;
    }
    ok = ok && sqlite3_step(db->insert) == SQLITE_DONE;
    db->row_count += ok;
    db->digest = ok ? nnc_sqlite_row_digest(db->digest, cells, db->count) : db->digest;
    return sqlite3_reset(db->insert) == SQLITE_OK && ok ? NNC_OK
                                                        : nnc_sqlite_fail(db->file, db->path, err);
}

nnc_status nnc_database_commit(nnc_database *db, int64_t done, nnc_error *err)
{
    NNC_TRY(begin_batch(db, err));
    const bool ok = sqlite3_bind_int64(db->progress, 1, done) == SQLITE_OK &&
                    sqlite3_bind_int64(db->progress, 2, db->row_count) == SQLITE_OK &&
                    sqlite3_bind_int64(db->progress, 3, (int64_t)db->digest) == SQLITE_OK &&
                    sqlite3_step(db->progress) == SQLITE_DONE;
    if (sqlite3_reset(db->progress) != SQLITE_OK || !ok) {
        return nnc_sqlite_fail(db->file, db->path, err);
    }
    const nnc_status status = nnc_sqlite_run(db->file, db->path, "COMMIT", err);
    db->in_batch = status != NNC_OK;
    return status;
}

int64_t nnc_database_count(const nnc_database *db)
{
    return db->row_count;
}

void nnc_database_close(nnc_database *db)
{
    if (db != NULL) {
        sqlite3_finalize(db->insert);
        sqlite3_finalize(db->progress);
        sqlite3_close(db->file); /* rolls back */
        free(db);
    }
}
