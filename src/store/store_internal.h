#ifndef NNCOST_STORE_STORE_INTERNAL_H
#define NNCOST_STORE_STORE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <nncost/status.h>

#include "base/atomic_file.h"
#include "base/cell.h"
#include "base/digest.h"

/* ---- lines (line_file.c) ---- */

/* Where lines go: a file, or standard output. What is left behind ends with a whole line. */

typedef struct nnc_file {
    int descriptor;
    const char *name;  /* for messages */
    nnc_beside beside; /* of a regular file; not open otherwise */
    bool cuts;         /* standard output is a regular file, and can be cut back */
} nnc_file;

/* path NULL: standard output. A regular file is written beside path and takes its name when it is
 * complete. Fails with NNC_IO. */
nnc_status nnc_file_open(nnc_file *file, const char *path, nnc_error *err);

/* Writes whole lines. When that fails part way, a line that was cut off is taken back where the
 * output can be. Fails with NNC_IO. */
nnc_status nnc_file_write(nnc_file *file, const char *lines, size_t size, nnc_error *err);

/* Must be called once after a successful open. keep: let the file take its name; otherwise what path
 * held before stays. Fails with NNC_IO. */
nnc_status nnc_file_close(nnc_file *file, bool keep, nnc_error *err);

/* ---- databases (database.c) ---- */

/* The rows of a sweep in an SQLite file, which remembers how far the sweep has come: killed at any
 * moment, it goes on from its last commit. */

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

/* ---- merging shards (merge.c) ---- */

/* The shards of a sweep put together again, in the order of their rows. */

/* Inputs are all files of CSV or JSON lines whose first column is "row", or all databases. Databases
 * may become a database, or lines by the ending of out (.csv, .json, .jsonl). out takes its name when
 * it is complete. NNC_BAD_SPEC: headings that differ, a row twice, a shard that is missing, given
 * twice or not finished; NNC_IO. */
nnc_status nnc_merge(const char *out, char *const *inputs, int count, nnc_error *err);

#endif
