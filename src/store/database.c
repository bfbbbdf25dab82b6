/* Stores the rows of a sweep in an SQLite file. No other source file of the program uses SQLite. The SQLite file has
 * three tables.
 *
 * The table `rows` has one row for each combination that the sweep outputs; its first column is the row number. The
 * table `columns` has the short name and the full name of each column of the table `rows`. The table `sweep` has one
 * row, an nnc_database_head: which sweep this is, how many combinations are evaluated, and the digest of `rows`.
 *
 * The rows and the progress change in one transaction, so a sweep that was killed continues after its last commit.
 * SQLite has no checksums, so a reader compares the rows with the digest. In a build without SQLite, the functions of
 * this file exist, but return an error. */
#include "base/base_internal.h"
#include "store/store_internal.h"

#ifdef NNC_HAVE_SQLITE

#include <sqlite3.h>

enum {
    /* the bytes "nncS", which mark an SQLite file with the rows of a sweep (application id of SQLite) */
    APPLICATION = 0x6E6E6353,
    BUSY_MS = 1000,
    PATH_SIZE = 4096
};

/* clang-format off */
#define SQLITE_CALLS(X)                                                                  \
    X(bind_double) X(bind_int) X(bind_int64) X(bind_null) X(bind_text) X(busy_timeout)       \
    X(close) X(column_count) X(column_double) X(column_int) X(column_int64) X(column_text)   \
    X(column_type) X(db_readonly) X(errcode) X(errmsg) X(exec) X(finalize) X(open_v2)        \
    X(prepare_v2) X(reset) X(step)
/* clang-format on */

typedef struct sqlite_calls {
#define CALL(name) __typeof__(sqlite3_##name) *name; /* NOLINT(bugprone-macro-parentheses) */
    SQLITE_CALLS(CALL)
#undef CALL
} sqlite_calls;

/* An open SQLite file, and the addresses of the functions of the SQLite library. */
typedef struct connection {
    sqlite3 *file; /* the open database; NULL = no database is open; the functions in `call` may then not be loaded */
    sqlite_calls call;
    char path[PATH_SIZE];
} connection;

/* Describes the last error of SQLite in err, and returns the status of this error. */
static nnc_status sql_fail(const connection *db, nnc_error *err) {
    const int code = db->file != NULL ? db->call.errcode(db->file) & 0xFF : SQLITE_NOMEM;
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
        return nnc_fail(err, NNC_BAD_SPEC, db->path, "not a database of a sweep: %s", db->call.errmsg(db->file));
    }
    if (code == SQLITE_NOMEM) { return nnc_fail(err, NNC_NO_MEMORY, db->path, "out of memory"); }
    const bool reads = code == SQLITE_CANTOPEN || code == SQLITE_BUSY || code == SQLITE_LOCKED;
    return nnc_fail(err, NNC_IO, db->path, "%s: %s", reads ? "cannot open" : "cannot write", db->call.errmsg(db->file));
}

static nnc_status sql_foreign(const connection *db, nnc_error *err) {
    return nnc_fail(err, NNC_BAD_SPEC, db->path, "contains other data than the rows of a sweep");
}

static bool sql_prepare(const connection *db, const char *sql, sqlite3_stmt **query) {
    return db->call.prepare_v2(db->file, sql, -1, query, NULL) == SQLITE_OK;
}

/* Tests whether an earlier version of nncost wrote the database. The first versions of nncost stored no digest of the
 * rows; later versions stored the digest, but no table of column names. */
static bool is_earlier(const connection *db) {
    sqlite3_stmt *query = NULL;
    const bool found =
        sql_prepare(db,
                    "SELECT 1 FROM sqlite_master WHERE name = 'sweep' AND sql LIKE '%, done INTEGER%)' AND "
                    "(sql NOT LIKE '%rows_digest%' OR NOT EXISTS "
                    "(SELECT 1 FROM sqlite_master WHERE name = 'columns'))",
                    &query) &&
        db->call.step(query) == SQLITE_ROW;
    db->call.finalize(query);
    return found;
}

/* If memory, disk or a lock caused the last error of SQLite, returns the last error. For an error that memory, disk or
 * a lock did not cause, returns NNC_BAD_SPEC; the message tells that the database is of an earlier version of nncost or
 * is damaged. */
static nnc_status sql_damaged(const connection *db, nnc_error *err) {
    const int code = db->call.errcode(db->file) & 0xFF;
    if (code == SQLITE_NOMEM || code == SQLITE_IOERR || code == SQLITE_BUSY || code == SQLITE_LOCKED) {
        return sql_fail(db, err);
    }
    if (is_earlier(db)) {
        return nnc_fail(
            err, NNC_BAD_SPEC, db->path,
            "was written by an earlier version of nncost, expected a database with the digest of its rows and the "
            "names of its columns; continue with the earlier version, or delete the database to start again");
    }
    return nnc_fail(err, NNC_BAD_SPEC, db->path,
                    "is damaged, expected the rows that a sweep wrote; delete the database to start again");
}

static nnc_status sql_run(const connection *db, const char *sql, nnc_error *err) {
    return db->call.exec(db->file, sql, NULL, NULL, NULL) == SQLITE_OK ? NNC_OK : sql_fail(db, err);
}

/* Runs an SQL query and sets *number to the whole number in the first column of the first row of its result. Fails if
 * the result has no row. */
static nnc_status sql_ask(const connection *db, const char *sql, int64_t *number, nnc_error *err) {
    sqlite3_stmt *query = NULL;
    nnc_status status = NNC_OK;
    if (!sql_prepare(db, sql, &query) || db->call.step(query) != SQLITE_ROW) {
        status = sql_fail(db, err);
    } else {
        *number = db->call.column_int64(query, 0);
    }
    db->call.finalize(query);
    return status;
}

static nnc_status sql_head(const connection *db, nnc_database_head *head, nnc_error *err) {
    sqlite3_stmt *query = NULL;
    nnc_status status = NNC_OK;
    if (!sql_prepare(db, "SELECT digest, shard, shards, rows, done, count, rows_digest FROM sweep", &query) ||
        db->call.step(query) != SQLITE_ROW) {
        status = sql_damaged(db, err);
    } else {
        const unsigned char *digest = db->call.column_text(query, 0);
        snprintf(head->digest, sizeof head->digest, "%s", digest != NULL ? (const char *)digest : "");
        head->shard = db->call.column_int(query, 1);
        head->shards = db->call.column_int(query, 2);
        head->rows = db->call.column_int64(query, 3);
        head->done = db->call.column_int64(query, 4);
        head->count = db->call.column_int64(query, 5);
        head->rows_digest = (uint64_t)db->call.column_int64(query, 6);
        if (digest == NULL || head->done < 0 || head->done > head->rows || head->count > head->done) {
            status = sql_damaged(db, err);
        }
    }
    db->call.finalize(query);
    return status;
}

/* Returns the digest that a database with the given column names has before rows are added. */
static uint64_t digest_names(const char *const *names, int count) {
    uint64_t digest = NNC_DIGEST_START;
    for (int i = 0; i < count; i++) { digest = nnc_digest_text(digest, names[i]); }
    return digest;
}

static const uint64_t NUMBER_MARK = UINT64_C(0x9e3779b97f4a7c15);

/* Adds a row to the digest and returns the new digest. The digest is computed from cells in the form in which SQLite
 * returns them, where NaN is null and a boolean is an integer. Cells of different types have different digests even if
 * their bits are equal, because the stored type of a damaged cell can be wrong. */
static uint64_t digest_row(uint64_t digest, const nnc_cell *cells, int count) {
    for (int i = 0; i < count; i++) {
        const nnc_cell *cell = &cells[i];
        uint64_t bits = 0;
        switch (cell->kind) {
        case NNC_CELL_NULL: digest = nnc_digest_bytes(digest, "n", 1); break;
        case NNC_CELL_NUMBER:
            memcpy(&bits, &cell->number, sizeof bits);
            digest =
                isnan(cell->number) ? nnc_digest_bytes(digest, "n", 1) : nnc_digest_number(digest, bits ^ NUMBER_MARK);
            break;
        case NNC_CELL_WHOLE: digest = nnc_digest_number(digest, (uint64_t)cell->whole); break;
        case NNC_CELL_BOOL: digest = nnc_digest_number(digest, cell->flag); break;
        case NNC_CELL_TEXT: digest = nnc_digest_text(nnc_digest_bytes(digest, "t", 1), cell->text); break;
        }
    }
    return digest;
}

/* Reads the value in column `index` of the current row of a query. If the value is a text, it is valid until the next
 * row is read. Returns false if out of memory. */
static bool read_cell(const connection *db, sqlite3_stmt *query, int index, nnc_cell *cell) {
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

/* Sets *empty to true if the database has no tables. Returns NNC_BAD_SPEC if the database has tables, but not the
 * tables of a sweep. */
static nnc_status sql_inspect(const connection *db, bool *empty, nnc_error *err) {
    int64_t application = 0, tables = 0;
    NNC_TRY(sql_ask(db, "PRAGMA application_id", &application, err));
    NNC_TRY(sql_ask(db, "SELECT count(*) FROM sqlite_schema", &tables, err));
    *empty = tables == 0;
    return tables > 0 && application != APPLICATION ? sql_foreign(db, err) : NNC_OK;
}

static nnc_status keep_path(connection *db, const char *path, nnc_error *err) {
    /* This function refuses the names ":memory:" and "", and URIs, because SQLite can store their databases in memory
     * only, where the rows are lost. */
    if (path[0] == ':' || path[0] == '\0' || strncmp(path, "file:", 5) == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, path,
                        "not the name of a file, expected one such as rows.db, or ./%.80s for a file "
                        "of that name",
                        path);
    }
    return snprintf(db->path, sizeof db->path, "%s", path) < PATH_SIZE
               ? NNC_OK
               : nnc_fail(err, NNC_IO, path, "cannot open: the name is too long");
}

/* Loads the SQLite library when a command first needs it, and sets the addresses of its functions. If the program is
 * linked to SQLite, this function only sets the addresses. */
static nnc_status load(sqlite_calls *calls, nnc_error *err) {
#ifdef NNC_SQLITE_LIBRARY
#define NAME(name) "sqlite3_" #name,
    static const char *const names[] = { SQLITE_CALLS(NAME) };
    return nnc_dlopen_functions(NNC_SQLITE_LIBRARY, NNC_SQLITE_PACKAGE, names, sizeof names / sizeof *names, calls,
                                err);
#else
#define ADDRESS(name) .name = sqlite3_##name,
    (void)err;
    *calls = (sqlite_calls){ SQLITE_CALLS(ADDRESS) };
    return NNC_OK;
#endif
}

/* Opens an SQLite file. The caller must call sql_close afterwards, even if this function returns an error. */
static nnc_status sql_open(connection *db, const char *path, int flags, nnc_error *err) {
    db->file = NULL;
    NNC_TRY(keep_path(db, path, err));
    NNC_TRY(load(&db->call, err));
    /* only one thread uses the connection, so SQLite needs no mutex */
    if (db->call.open_v2(db->path, &db->file, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        return sql_fail(db, err);
    }
    db->call.busy_timeout(db->file, BUSY_MS);
    return NNC_OK;
}

static void sql_close(connection *db) {
    if (db->file != NULL) {
        db->call.close(db->file); /* closing the database also discards the rows that were not committed */
    }
}

static void sql_finalize(const connection *db, sqlite3_stmt *query) {
    if (query != NULL) { db->call.finalize(query); }
}

/* ---- reading the rows of a database in order ---- */

typedef struct cursor {
    sqlite3_stmt *query;
    int count;         /* number of columns of the table `rows` */
    int64_t row_count; /* number of rows that have been read so far */
    uint64_t digest;   /* digest of the column names and of the rows that have been read so far */
    int64_t last;      /* value in the column "row" of the row that was read last; -1 = no row has been read */
    nnc_cell cells[NNC_DATABASE_COLUMNS_MAX];
} cursor;

static nnc_status cursor_open(cursor *rows, const connection *db, nnc_error *err) {
    if (!sql_prepare(db, "SELECT * FROM rows ORDER BY row", &rows->query)) { return sql_damaged(db, err); }
    rows->last = -1;
    rows->count = db->call.column_count(rows->query);
    return rows->count < 1 || rows->count > NNC_DATABASE_COLUMNS_MAX ? sql_foreign(db, err) : NNC_OK;
}

/* Reads the next row into *cells; after the last row, sets *cells to NULL. After the last row, the function fails if
 * *head states another number of rows or another digest. */
static nnc_status cursor_next(cursor *rows, const connection *db, const nnc_database_head *head, const nnc_cell **cells,
                              nnc_error *err) {
    const int code = db->call.step(rows->query);
    *cells = NULL;
    if (code == SQLITE_DONE && rows->row_count == head->count && rows->digest == head->rows_digest) { return NNC_OK; }
    if (code != SQLITE_ROW) { return sql_damaged(db, err); }
    for (int i = 0; i < rows->count; i++) {
        if (!read_cell(db, rows->query, i, &rows->cells[i])) { return nnc_no_memory(err); }
    }
    const nnc_cell *number = &rows->cells[0];
    if (number->kind != NNC_CELL_WHOLE || number->whole <= rows->last) { return sql_damaged(db, err); }
    rows->last = number->whole;
    rows->row_count++;
    rows->digest = digest_row(rows->digest, rows->cells, rows->count);
    *cells = rows->cells;
    return NNC_OK;
}

enum { SHORT_NAME = 256 };

struct nnc_database {
    connection sql;
    sqlite3_stmt *insert, *progress;
    int64_t row_count;
    uint64_t digest; /* digest of the column names and of all rows added so far */
    int count;       /* number of columns of the table `rows` */
    bool in_batch;
};

/* Writes a text between quotes in the form of SQL: a quote character inside the text is written twice. */
static void put_quoted(nnc_buffer *sql, char quote, const char *text) {
    nnc_buffer_byte(sql, quote);
    for (; *text != '\0'; text++) {
        if (*text == quote) { nnc_buffer_byte(sql, quote); }
        nnc_buffer_byte(sql, *text);
    }
    nnc_buffer_byte(sql, quote);
}

/* Writes the SQL statements that create the table `rows` with short column names, and the table `columns` with the full
 * names. */
static void put_columns(nnc_buffer *sql, const char *const *names, int count) {
    char name[SHORT_NAME];
    nnc_buffer_text(sql, "CREATE TABLE rows (");
    for (int i = 0; i < count; i++) {
        nnc_buffer_text(sql, i > 0 ? ", " : "");
        nnc_short_name(names, count, i, name, sizeof name);
        put_quoted(sql, '"', name);
        nnc_buffer_text(sql, i > 0 ? "" : " INTEGER PRIMARY KEY");
    }
    nnc_buffer_text(sql, "); CREATE TABLE columns (short TEXT, name TEXT); "
                         "INSERT INTO columns VALUES ");
    for (int i = 0; i < count; i++) {
        nnc_buffer_text(sql, i > 0 ? ", (" : "(");
        nnc_short_name(names, count, i, name, sizeof name);
        put_quoted(sql, '\'', name);
        nnc_buffer_text(sql, ", ");
        put_quoted(sql, '\'', names[i]);
        nnc_buffer_byte(sql, ')');
    }
    nnc_buffer_text(sql, "; ");
}

static nnc_status create(const connection *db, const nnc_database_head *head, const char *const *names, int count,
                         nnc_error *err) {
    char text[320];
    nnc_buffer sql = { 0 };
    snprintf(text, sizeof text, "BEGIN IMMEDIATE; PRAGMA application_id = %d;", APPLICATION);
    nnc_buffer_text(&sql, text);
    put_columns(&sql, names, count);
    snprintf(text, sizeof text,
             "CREATE TABLE sweep (digest TEXT, shard INTEGER, shards INTEGER, rows INTEGER, "
             "done INTEGER, count INTEGER, rows_digest INTEGER); "
             "INSERT INTO sweep VALUES ('%s', %d, %d, %lld, 0, 0, %lld); COMMIT;",
             head->digest, (int)head->shard, (int)head->shards, (long long)head->rows,
             (long long)digest_names(names, count));
    nnc_buffer_put(&sql, text, strlen(text) + 1);
    nnc_status status =
        sql.failed ? nnc_fail(err, NNC_NO_MEMORY, db->path, "out of memory") : sql_run(db, sql.bytes, err);
    nnc_buffer_free(&sql);
    return status;
}

static nnc_status check_head(const char *path, const nnc_database_head *found, const nnc_database_head *asked,
                             nnc_error *err) {
    if (strcmp(found->digest, asked->digest) != 0) {
        return nnc_fail(err, NNC_BAD_SPEC, path,
                        "holds another sweep (axes, constraints, columns, files or version "
                        "differ), expected %s, found %s",
                        asked->digest, found->digest);
    }
    if (found->shard != asked->shard || found->shards != asked->shards) {
        return nnc_fail(err, NNC_BAD_SPEC, path, "holds another shard, expected %d/%d, found %d/%d", (int)asked->shard,
                        (int)asked->shards, (int)found->shard, (int)found->shards);
    }
    return NNC_OK;
}

/* Reads all rows of the database and compares them with the digest in *head. Sets db->digest and db->row_count. */
static nnc_status check_rows(nnc_database *db, const nnc_database_head *head, const char *const *names,
                             nnc_error *err) {
    cursor rows = { 0 };
    const nnc_cell *cells = NULL;
    nnc_status status = cursor_open(&rows, &db->sql, err);
    if (status == NNC_OK) { status = rows.count == db->count ? NNC_OK : sql_damaged(&db->sql, err); }
    rows.digest = digest_names(names, db->count);
    do {
        status = status == NNC_OK ? cursor_next(&rows, &db->sql, head, &cells, err) : status;
    } while (status == NNC_OK && cells != NULL);
    sql_finalize(&db->sql, rows.query);
    db->digest = rows.digest;
    db->row_count = rows.row_count;
    return status;
}

static nnc_status prepare(nnc_database *db, nnc_error *err) {
    nnc_buffer sql = { 0 };
    nnc_buffer_text(&sql, "INSERT INTO rows VALUES (?");
    for (int i = 1; i < db->count; i++) { nnc_buffer_text(&sql, ", ?"); }
    nnc_buffer_put(&sql, ")", 2);
    nnc_status status = NNC_OK;
    if (sql.failed) {
        status = nnc_fail(err, NNC_NO_MEMORY, db->sql.path, "out of memory");
    } else if (!sql_prepare(&db->sql, sql.bytes, &db->insert) ||
               !sql_prepare(&db->sql, "UPDATE sweep SET done = ?, count = ?, rows_digest = ?", &db->progress)) {
        status = sql_fail(&db->sql, err);
    }
    nnc_buffer_free(&sql);
    return status;
}

static nnc_status open_file(nnc_database *db, const char *path, nnc_error *err) {
    NNC_TRY(sql_open(&db->sql, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err));
    return db->sql.call.db_readonly(db->sql.file, "main") == 1
               ? nnc_fail(err, NNC_IO, path, "cannot write: the file is read-only")
               : NNC_OK;
}

/* Locks the file, so that no other process can use it. In the locking mode "exclusive", SQLite keeps the lock after the
 * end of the transaction. */
static nnc_status lock(nnc_database *db, nnc_error *err) {
    return sql_run(&db->sql, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT", err);
}

static nnc_status open_all(nnc_database *db, const char *path, nnc_database_head *head, const char *const *names,
                           nnc_error *err) {
    nnc_database_head found = { 0 };
    bool empty = true;
    NNC_TRY(open_file(db, path, err));
    if (head->disposable) { NNC_TRY(sql_run(&db->sql, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", err)); }
    NNC_TRY(sql_inspect(&db->sql, &empty, err));
    NNC_TRY(lock(db, err));
    if (empty) { NNC_TRY(create(&db->sql, head, names, db->count, err)); }
    NNC_TRY(sql_head(&db->sql, &found, err));
    NNC_TRY(check_head(path, &found, head, err));
    NNC_TRY(check_rows(db, &found, names, err));
    NNC_TRY(prepare(db, err));
    head->done = found.done;
    return NNC_OK;
}

nnc_status nnc_database_open(const char *path, nnc_database_head *head, const char *const *names, int count,
                             nnc_database **database, nnc_error *err) {
    nnc_database *db = calloc(1, sizeof *db);
    *database = db;
    if (db == NULL) { return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory"); }
    db->count = count;
    const nnc_status status = open_all(db, path, head, names, err);
    if (status != NNC_OK) {
        nnc_database_close(db);
        *database = NULL;
    }
    return status;
}

static int bind(const nnc_database *db, int index, const nnc_cell *cell) {
    switch (cell->kind) {
    case NNC_CELL_NUMBER: return db->sql.call.bind_double(db->insert, index, cell->number);
    case NNC_CELL_WHOLE: return db->sql.call.bind_int64(db->insert, index, cell->whole);
    case NNC_CELL_BOOL: return db->sql.call.bind_int(db->insert, index, cell->flag);
    case NNC_CELL_TEXT: return db->sql.call.bind_text(db->insert, index, cell->text, -1, SQLITE_STATIC);
    case NNC_CELL_NULL: break;
    }
    return db->sql.call.bind_null(db->insert, index);
}

static nnc_status begin_batch(nnc_database *db, nnc_error *err) {
    if (db->in_batch) { return NNC_OK; }
    const nnc_status status = sql_run(&db->sql, "BEGIN IMMEDIATE", err);
    db->in_batch = status == NNC_OK;
    return status;
}

nnc_status nnc_database_put(nnc_database *db, const nnc_cell *cells, nnc_error *err) {
    NNC_TRY(begin_batch(db, err));
    bool ok = true;
    for (int i = 0; i < db->count; i++) { ok = ok && bind(db, i + 1, &cells[i]) == SQLITE_OK; }
    ok = ok && db->sql.call.step(db->insert) == SQLITE_DONE;
    db->row_count += ok;
    db->digest = ok ? digest_row(db->digest, cells, db->count) : db->digest;
    return db->sql.call.reset(db->insert) == SQLITE_OK && ok ? NNC_OK : sql_fail(&db->sql, err);
}

nnc_status nnc_database_commit(nnc_database *db, int64_t done, nnc_error *err) {
    NNC_TRY(begin_batch(db, err));
    const bool ok = db->sql.call.bind_int64(db->progress, 1, done) == SQLITE_OK &&
                    db->sql.call.bind_int64(db->progress, 2, db->row_count) == SQLITE_OK &&
                    db->sql.call.bind_int64(db->progress, 3, (int64_t)db->digest) == SQLITE_OK &&
                    db->sql.call.step(db->progress) == SQLITE_DONE;
    if (db->sql.call.reset(db->progress) != SQLITE_OK || !ok) { return sql_fail(&db->sql, err); }
    const nnc_status status = sql_run(&db->sql, "COMMIT", err);
    db->in_batch = status != NNC_OK;
    return status;
}

int64_t nnc_database_count(const nnc_database *db) { return db->row_count; }

void nnc_database_close(nnc_database *db) {
    if (db != NULL) {
        sql_finalize(&db->sql, db->insert);
        sql_finalize(&db->sql, db->progress);
        sql_close(&db->sql); /* closing the database also discards the rows that were not committed */
        free(db);
    }
}

struct nnc_database_reader {
    connection sql;
    nnc_database_head head;
    cursor rows;
    nnc_arena *arena; /* memory in which the texts of the column names are stored */
    const char *names[NNC_DATABASE_COLUMNS_MAX];
};

/* Reads the full names of all columns from the table `columns` into reader->names. */
static nnc_status read_names(nnc_database_reader *reader, nnc_error *err) {
    sqlite3_stmt *query = NULL;
    int count = 0, code = reader->sql.call.prepare_v2(reader->sql.file, "SELECT name FROM columns ORDER BY rowid", -1,
                                                      &query, NULL);
    bool kept = true;
    reader->arena = nnc_arena_create();
    if (code == SQLITE_OK) {
        for (code = reader->sql.call.step(query); code == SQLITE_ROW && count < reader->rows.count && kept;
             code = reader->sql.call.step(query)) {
            const char *name = (const char *)reader->sql.call.column_text(query, 0);
            reader->names[count] = reader->arena != NULL && name != NULL ? nnc_arena_strdup(reader->arena, name) : NULL;
            kept = reader->names[count++] != NULL;
        }
    }
    reader->sql.call.finalize(query);
    return !kept                                                ? nnc_no_memory(err)
           : code == SQLITE_DONE && count == reader->rows.count ? NNC_OK
                                                                : sql_damaged(&reader->sql, err);
}

static nnc_status open_query(nnc_database_reader *reader, nnc_error *err) {
    bool empty = true;
    NNC_TRY(sql_inspect(&reader->sql, &empty, err));
    if (empty) { return sql_foreign(&reader->sql, err); }
    NNC_TRY(sql_head(&reader->sql, &reader->head, err));
    NNC_TRY(cursor_open(&reader->rows, &reader->sql, err));
    NNC_TRY(read_names(reader, err));
    reader->rows.digest = digest_names(reader->names, reader->rows.count);
    return NNC_OK;
}

nnc_status nnc_database_reader_open(const char *path, nnc_database_reader **out, nnc_error *err) {
    nnc_database_reader *reader = calloc(1, sizeof *reader);
    *out = reader;
    if (reader == NULL) { return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory"); }
    nnc_status status = sql_open(&reader->sql, path, SQLITE_OPEN_READONLY, err);
    if (status == NNC_OK) { status = open_query(reader, err); }
    if (status != NNC_OK) {
        nnc_database_reader_close(reader);
        *out = NULL;
    }
    return status;
}

const nnc_database_head *nnc_database_reader_head(const nnc_database_reader *reader) { return &reader->head; }

const char *const *nnc_database_reader_names(const nnc_database_reader *reader, int *count) {
    *count = reader->rows.count;
    return reader->names;
}

nnc_status nnc_database_reader_next(nnc_database_reader *reader, const nnc_cell **cells, nnc_error *err) {
    return cursor_next(&reader->rows, &reader->sql, &reader->head, cells, err);
}

void nnc_database_reader_close(nnc_database_reader *reader) {
    if (reader != NULL) {
        sql_finalize(&reader->sql, reader->rows.query);
        sql_close(&reader->sql);
        nnc_arena_destroy(reader->arena);
        free(reader);
    }
}

#else /* a build of nncost without SQLite can open no database */

static nnc_status not_built(const char *path, nnc_error *err) {
    return nnc_fail(err, NNC_BAD_USAGE, path, "this program was built without SQLite");
}

nnc_status nnc_database_open(const char *path, nnc_database_head *head, const char *const *names, int count,
                             nnc_database **database, nnc_error *err) {
    (void)head, (void)names, (void)count;
    *database = NULL;
    return not_built(path, err);
}

nnc_status nnc_database_put(nnc_database *db, const nnc_cell *cells, nnc_error *err) {
    (void)db, (void)cells;
    return not_built("", err);
}

nnc_status nnc_database_commit(nnc_database *db, int64_t done, nnc_error *err) {
    (void)db, (void)done;
    return not_built("", err);
}

int64_t nnc_database_count(const nnc_database *db) {
    (void)db;
    return -1;
}

void nnc_database_close(nnc_database *db) { (void)db; }

nnc_status nnc_database_reader_open(const char *path, nnc_database_reader **out, nnc_error *err) {
    *out = NULL;
    return not_built(path, err);
}

const nnc_database_head *nnc_database_reader_head(const nnc_database_reader *reader) {
    (void)reader;
    return NULL;
}

const char *const *nnc_database_reader_names(const nnc_database_reader *reader, int *count) {
    (void)reader;
    *count = 0;
    return NULL;
}

nnc_status nnc_database_reader_next(nnc_database_reader *reader, const nnc_cell **cells, nnc_error *err) {
    (void)reader;
    *cells = NULL;
    return not_built("", err);
}

void nnc_database_reader_close(nnc_database_reader *reader) { (void)reader; }

#endif
