#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "store/sqlite.h"

struct nnc_database_reader {
    sqlite3 *file;
    sqlite3_stmt *query;
    nnc_database_head head;
    int64_t row_count; /* read so far */
    uint64_t digest;   /* of them */
    int count;
    const char *names[NNC_DATABASE_COLUMNS_MAX];
    nnc_cell cells[NNC_DATABASE_COLUMNS_MAX];
    char path[NNC_SQLITE_PATH];
};

static nnc_status open_query(nnc_database_reader *reader, nnc_error *err)
{
    bool empty = true;
    if (sqlite3_open_v2(reader->path, &reader->file, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
        return nnc_sqlite_fail(reader->file, reader->path, err);
    }
    sqlite3_busy_timeout(reader->file, NNC_SQLITE_BUSY_MS);
    NNC_TRY(nnc_sqlite_inspect(reader->file, reader->path, &empty, err));
    if (empty) {
        return nnc_sqlite_foreign(reader->path, err);
    }
    NNC_TRY(nnc_sqlite_head(reader->file, reader->path, &reader->head, err));
    if (sqlite3_prepare_v2(reader->file, "SELECT * FROM rows ORDER BY row", -1, &reader->query,
                           NULL) != SQLITE_OK) {
        return nnc_sqlite_damaged(reader->file, reader->path, err);
    }
    reader->digest = NNC_DIGEST_START;
    reader->count = sqlite3_column_count(reader->query);
    if (reader->count < 1 || reader->count > NNC_DATABASE_COLUMNS_MAX) {
        return nnc_sqlite_foreign(reader->path, err);
    }
    for (int i = 0; i < reader->count; i++) {
        reader->names[i] = sqlite3_column_name(reader->query, i);
    }
    return NNC_OK;
}

nnc_status nnc_database_reader_open(const char *path, nnc_database_reader **out, nnc_error *err)
{
    nnc_database_reader *reader = calloc(1, sizeof *reader);
    *out = reader;
    if (reader == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    nnc_status status = nnc_sqlite_path(reader->path, path, err);
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
    const int code = sqlite3_step(reader->query);
    *cells = NULL;
    if (code == SQLITE_DONE && reader->row_count == reader->head.count &&
        reader->digest == reader->head.rows_digest) {
        return NNC_OK;
    }
    if (code != SQLITE_ROW) {
        return nnc_sqlite_damaged(reader->file, reader->path, err);
    }
    for (int i = 0; i < reader->count; i++) {
        if (!nnc_sqlite_cell(reader->query, i, &reader->cells[i])) {
            return nnc_no_memory(err);
        }
    }
    reader->row_count++;
    reader->digest = nnc_sqlite_row_digest(reader->digest, reader->cells, reader->count);
    *cells = reader->cells;
    return NNC_OK;
}

void nnc_database_reader_close(nnc_database_reader *reader)
{
    if (reader != NULL) {
        sqlite3_finalize(reader->query);
        sqlite3_close(reader->file);
        free(reader);
    }
}
