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
    nnc_sqlite sql;
    sqlite3_stmt *insert, *progress;
    int64_t row_count;
    uint64_t digest; /* of the rows */
    int count;       /* of the columns */
    bool in_batch;
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

static nnc_status create(const nnc_sqlite *db, const nnc_database_head *head,
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
             (long long)nnc_sqlite_names_digest(names, count));
    nnc_buffer_put(&sql, text, strlen(text) + 1);
    nnc_status status = sql.failed ? nnc_fail(err, NNC_NO_MEMORY, db->path, "out of memory")
                                   : nnc_sqlite_run(db, sql.bytes, err);
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
static nnc_status check_rows(nnc_database *db, const nnc_database_head *head,
                             const char *const *names, nnc_error *err)
{
    sqlite3_stmt *query = NULL;
    nnc_cell cells[NNC_DATABASE_COLUMNS_MAX];
    bool read = true;
    db->digest = nnc_sqlite_names_digest(names, db->count);
    int code =
        db->sql.call.prepare_v2(db->sql.file, "SELECT * FROM rows ORDER BY row", -1, &query, NULL);
    if (code == SQLITE_OK && db->sql.call.column_count(query) == db->count) {
        for (code = db->sql.call.step(query); code == SQLITE_ROW && read;
             code = db->sql.call.step(query)) {
            for (int i = 0; i < db->count; i++) {
                read = nnc_sqlite_cell(&db->sql, query, i, &cells[i]) && read;
            }
            if (read) {
                db->digest = nnc_sqlite_row_digest(db->digest, cells, db->count);
                db->row_count++;
            }
        }
    }
    const bool same = db->row_count == head->count && db->digest == head->rows_digest;
    const nnc_status status = !read                         ? nnc_no_memory(err)
                              : code == SQLITE_DONE && same ? NNC_OK
                                                            : nnc_sqlite_damaged(&db->sql, err);
    db->sql.call.finalize(query);
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
        status = nnc_fail(err, NNC_NO_MEMORY, db->sql.path, "out of memory");
    } else if (!nnc_sqlite_prepare(&db->sql, sql.bytes, &db->insert) ||
               !nnc_sqlite_prepare(&db->sql,
                                   "UPDATE sweep SET done = ?, count = ?, rows_digest = ?",
                                   &db->progress)) {
        status = nnc_sqlite_fail(&db->sql, err);
    }
    nnc_buffer_free(&sql);
    return status;
}

static nnc_status open_file(nnc_database *db, const char *path, nnc_error *err)
{
    NNC_TRY(nnc_sqlite_open(&db->sql, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err));
    return db->sql.call.db_readonly(db->sql.file, "main") == 1
               ? nnc_fail(err, NNC_IO, path, "cannot write: the file is read-only")
               : NNC_OK;
}

/* One process at a time: the lock is kept after the transaction. */
static nnc_status lock(nnc_database *db, nnc_error *err)
{
    return nnc_sqlite_run(&db->sql, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT",
                          err);
}

static nnc_status open_all(nnc_database *db, const char *path, nnc_database_head *head,
                           const char *const *names, nnc_error *err)
{
    nnc_database_head found = { 0 };
    bool empty = true;
    NNC_TRY(open_file(db, path, err));
    if (head->disposable) {
        NNC_TRY(
            nnc_sqlite_run(&db->sql, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", err));
    }
    NNC_TRY(nnc_sqlite_inspect(&db->sql, &empty, err));
    NNC_TRY(lock(db, err));
    if (empty) {
        NNC_TRY(create(&db->sql, head, names, db->count, err));
    }
    NNC_TRY(nnc_sqlite_head(&db->sql, &found, err));
    NNC_TRY(check_head(path, &found, head, err));
    NNC_TRY(check_rows(db, &found, names, err));
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

static int bind(const nnc_database *db, int index, const nnc_cell *cell)
{
    switch (cell->kind) {
    case NNC_CELL_NUMBER: return db->sql.call.bind_double(db->insert, index, cell->number);
    case NNC_CELL_WHOLE: return db->sql.call.bind_int64(db->insert, index, cell->whole);
    case NNC_CELL_BOOL: return db->sql.call.bind_int(db->insert, index, cell->flag);
    case NNC_CELL_TEXT:
        return db->sql.call.bind_text(db->insert, index, cell->text, -1, SQLITE_STATIC);
    case NNC_CELL_NULL: break;
    }
    return db->sql.call.bind_null(db->insert, index);
}

static nnc_status begin_batch(nnc_database *db, nnc_error *err)
{
    if (db->in_batch) {
        return NNC_OK;
    }
    const nnc_status status = nnc_sqlite_run(&db->sql, "BEGIN IMMEDIATE", err);
    db->in_batch = status == NNC_OK;
    return status;
}

nnc_status nnc_database_put(nnc_database *db, const nnc_cell *cells, nnc_error *err)
{
    NNC_TRY(begin_batch(db, err));
    bool ok = true;
    for (int i = 0; i < db->count; i++) {
        ok = ok && bind(db, i + 1, &cells[i]) == SQLITE_OK;
    }
    ok = ok && db->sql.call.step(db->insert) == SQLITE_DONE;
    db->row_count += ok;
    db->digest = ok ? nnc_sqlite_row_digest(db->digest, cells, db->count) : db->digest;
    return db->sql.call.reset(db->insert) == SQLITE_OK && ok ? NNC_OK
                                                             : nnc_sqlite_fail(&db->sql, err);
}

nnc_status nnc_database_commit(nnc_database *db, int64_t done, nnc_error *err)
{
    NNC_TRY(begin_batch(db, err));
    const bool ok = db->sql.call.bind_int64(db->progress, 1, done) == SQLITE_OK &&
                    db->sql.call.bind_int64(db->progress, 2, db->row_count) == SQLITE_OK &&
                    db->sql.call.bind_int64(db->progress, 3, (int64_t)db->digest) == SQLITE_OK &&
                    db->sql.call.step(db->progress) == SQLITE_DONE;
    if (db->sql.call.reset(db->progress) != SQLITE_OK || !ok) {
        return nnc_sqlite_fail(&db->sql, err);
    }
    const nnc_status status = nnc_sqlite_run(&db->sql, "COMMIT", err);
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
        nnc_sqlite_finalize(&db->sql, db->insert);
        nnc_sqlite_finalize(&db->sql, db->progress);
        nnc_sqlite_close(&db->sql); /* rolls back */
        free(db);
    }
}
