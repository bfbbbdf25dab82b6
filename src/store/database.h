/* The rows of a sweep in an SQLite file, which remembers how far the sweep has come: killed at any
 * moment, it goes on from its last commit. */
#ifndef NNCOST_STORE_DATABASE_H
#define NNCOST_STORE_DATABASE_H

#include <nncost/status.h>

#include "base/cell.h"
#include "base/digest.h"

enum { NNC_DATABASE_COLUMNS_MAX = 256 };

/* What a file belongs to. */
typedef struct nnc_database_head {
    char digest[NNC_DIGEST_TEXT]; /* of all that decides the rows, but the shard */
    int32_t shard, shards;        /* 1 of 1: not divided */
    int64_t rows;                 /* that this shard looks at */
    int64_t done;                 /* of them */
    int64_t count;                /* of the rows in the file */
    uint64_t rows_digest;         /* of their cells, in their order */
    bool disposable;              /* the file is deleted when anything fails: it needs no journal */
} nnc_database_head;

typedef struct nnc_database nnc_database;

/* Opens or creates a file. The first name is "row", a whole number. An existing file must be of the
 * same digest and shard, and have the same columns; head->done receives how far it is. It is read once, as SQLite
 * has no checksums of its own. Errors: NNC_BAD_SPEC for a file of something else or one that is damaged, NNC_IO,
 * NNC_BAD_USAGE when built without SQLite, and for a name that SQLite does not take for that of a file. */
nnc_status nnc_database_open(const char *path, nnc_database_head *head, const char *const *names,
                             int count, nnc_database **database, nnc_error *err);

/* Adds a row of as many cells as there are names. */
nnc_status nnc_database_put(nnc_database *db, const nnc_cell *cells, nnc_error *err);

/* Makes what was put last, together with how far the sweep is. */
nnc_status nnc_database_commit(nnc_database *db, int64_t done, nnc_error *err);

/* Rows in the file, with what was put. */
int64_t nnc_database_count(const nnc_database *db);

/* What was put since the last commit is lost. */
void nnc_database_close(nnc_database *db);

/* Reads a file from its first row to its last. */
typedef struct nnc_database_reader nnc_database_reader;

nnc_status nnc_database_reader_open(const char *path, nnc_database_reader **out, nnc_error *err);
const nnc_database_head *nnc_database_reader_head(const nnc_database_reader *reader);
const char *const *nnc_database_reader_names(const nnc_database_reader *reader, int *count);
/* *cells: valid until the next call; NULL after the last row. NNC_BAD_SPEC when the rows are not those that were
 * written, which only the last call can tell. */
nnc_status nnc_database_reader_next(nnc_database_reader *reader, const nnc_cell **cells,
                                    nnc_error *err);
void nnc_database_reader_close(nnc_database_reader *reader);

#endif
