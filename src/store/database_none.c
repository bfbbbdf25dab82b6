/* Databases of a program that was built without SQLite: none can be opened. */
#include "base/error.h"
#include "store/database.h"

static nnc_status not_built(const char *path, nnc_error *err)
{
    return nnc_fail(err, NNC_BAD_USAGE, path, "this program was built without SQLite");
}

nnc_status nnc_database_open(const char *path, nnc_database_head *head, const char *const *names,
                             int count, nnc_database **database, nnc_error *err)
{
    (void)head, (void)names, (void)count;
    *database = NULL;
    return not_built(path, err);
}

nnc_status nnc_database_put(nnc_database *db, const nnc_cell *cells, nnc_error *err)
{
    (void)db, (void)cells;
    return not_built("", err);
}

nnc_status nnc_database_commit(nnc_database *db, int64_t done, nnc_error *err)
{
    (void)db, (void)done;
    return not_built("", err);
}

int64_t nnc_database_count(const nnc_database *db)
{
    (void)db;
    return -1;
}

void nnc_database_close(nnc_database *db)
{
    (void)db;
}

nnc_status nnc_database_reader_open(const char *path, nnc_database_reader **out, nnc_error *err)
{
    *out = NULL;
    return not_built(path, err);
}

const nnc_database_head *nnc_database_reader_head(const nnc_database_reader *reader)
{
    (void)reader;
    return NULL;
}

const char *const *nnc_database_reader_names(const nnc_database_reader *reader, int *count)
{
    (void)reader;
    *count = 0;
    return NULL;
}

nnc_status nnc_database_reader_next(nnc_database_reader *reader, const nnc_cell **cells,
                                    nnc_error *err)
{
    (void)reader;
    *cells = NULL;
    return not_built("", err);
}

void nnc_database_reader_close(nnc_database_reader *reader)
{
    (void)reader;
}
