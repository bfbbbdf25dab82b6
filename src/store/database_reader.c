#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "store/sqlite.h"

struct nnc_database_reader {
    nnc_sqlite sql;
    sqlite3_stmt *query;
    nnc_database_head head;
    int64_t row_count; /* read so far */
    uint64_t digest;   /* of them */
    int64_t last;      /* the last row's number; -1 = none yet */
    int count;
    nnc_arena *arena; /* of the names */
    const char *names[NNC_DATABASE_COLUMNS_MAX];
    nnc_cell cells[NNC_DATABASE_COLUMNS_MAX];
};

/* The columns by their names in full. */
static nnc_status read_names(nnc_database_reader *reader, nnc_error *err)
{
    sqlite3_stmt *query = NULL;
    int count = 0, code = reader->sql.call.prepare_v2(reader->sql.file,
                                                      "SELECT name FROM columns ORDER BY rowid", -1,
                                                      &query, NULL);
    bool kept = true;
    reader->arena = nnc_arena_create();
    if (code == SQLITE_OK) {
        for (code = reader->sql.call.step(query);
             code == SQLITE_ROW && count < reader->count && kept;
             code = reader->sql.call.step(query)) {
            const char *name = (const char *)reader->sql.call.column_text(query, 0);
            reader->names[count] = reader->arena != NULL && name != NULL
                                       ? nnc_arena_strdup(reader->arena, name)
                                       : NULL;
            kept = reader->names[count++] != NULL;
        }
    }
    reader->sql.call.finalize(query);
    return !kept                                           ? nnc_no_memory(err)
           : code == SQLITE_DONE && count == reader->count ? NNC_OK
                                                           : nnc_sqlite_damaged(&reader->sql, err);
}

static nnc_status open_query(nnc_database_reader *reader, nnc_error *err)
{
    bool empty = true;
    NNC_TRY(nnc_sqlite_inspect(&reader->sql, &empty, err));
    if (empty) {
        return nnc_sqlite_foreign(&reader->sql, err);
    }
    NNC_TRY(nnc_sqlite_head(&reader->sql, &reader->head, err));
    if (!nnc_sqlite_prepare(&reader->sql, "SELECT * FROM rows ORDER BY row", &reader->query)) {
        return nnc_sqlite_damaged(&reader->sql, err);
    }
    reader->last = -1;
    reader->count = reader->sql.call.column_count(reader->query);
    if (reader->count < 1 || reader->count > NNC_DATABASE_COLUMNS_MAX) {
        return nnc_sqlite_foreign(&reader->sql, err);
    }
    NNC_TRY(read_names(reader, err));
    reader->digest = nnc_sqlite_names_digest(reader->names, reader->count);
    return NNC_OK;
}

nnc_status nnc_database_reader_open(const char *path, nnc_database_reader **out, nnc_error *err)
{
    nnc_database_reader *reader = calloc(1, sizeof *reader);
    *out = reader;
    if (reader == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    nnc_status status = nnc_sqlite_open(&reader->sql, path, SQLITE_OPEN_READONLY, err);
    if (status == NNC_OK) {
        status = open_query(reader, err);
    }
    if (status != NNC_OK) {
        nnc_database_reader_close(reader);
        *out = NULL;
    }
    return status;
}

const nnc_database_head *nnc_database_reader_head(const nnc_database_reader *reader)
{
    return &reader->head;
}

const char *const *nnc_database_reader_names(const nnc_database_reader *reader, int *count)
{
    *count = reader->count;
    return reader->names;
}

nnc_status nnc_database_reader_next(nnc_database_reader *reader, const nnc_cell **cells,
                                    nnc_error *err)
{
    const int code = reader->sql.call.step(reader->query);
    *cells = NULL;
    if (code == SQLITE_DONE && reader->row_count == reader->head.count &&
        reader->digest == reader->head.rows_digest) {
        return NNC_OK;
    }
    if (code != SQLITE_ROW) {
        return nnc_sqlite_damaged(&reader->sql, err);
    }
    for (int i = 0; i < reader->count; i++) {
        if (!nnc_sqlite_cell(&reader->sql, reader->query, i, &reader->cells[i])) {
            return nnc_no_memory(err);
        }
    }
    const nnc_cell *row = &reader->cells[0]; /* the key of the table */
    if (row->kind != NNC_CELL_WHOLE || row->whole <= reader->last) {
        return nnc_sqlite_damaged(&reader->sql, err);
    }
    reader->last = row->whole;
    reader->row_count++;
    reader->digest = nnc_sqlite_row_digest(reader->digest, reader->cells, reader->count);
    *cells = reader->cells;
    return NNC_OK;
}

void nnc_database_reader_close(nnc_database_reader *reader)
{
    if (reader != NULL) {
        nnc_sqlite_finalize(&reader->sql, reader->query);
        nnc_sqlite_close(&reader->sql);
        nnc_arena_destroy(reader->arena);
        free(reader);
    }
}
