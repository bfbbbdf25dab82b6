#ifndef NNCOST_STORE_STORE_INTERNAL_H
#define NNCOST_STORE_STORE_INTERNAL_H

#include <nncost/status.h>

#include "base/base_internal.h"

/* ---- merge.c: output of lines ---- */

/* Output of whole lines to a file or to standard output. If the output stops early, the last written line is complete,
 * except for outputs that cannot be shortened, such as a pipe (see `cuts`). */

typedef struct nnc_file {
    int descriptor;
    const char *name;        /* name of the output for error messages: the path, or "standard output" */
    nnc_atomic_file written; /* temporary file that becomes the regular file; not open if the output is no regular
                              * file */
    /* true: the output is standard output, redirected to a regular file, so an incomplete last line can be cut off */
    bool cuts;
} nnc_file;

/* Opens an output for lines; path NULL means standard output. A regular file has a temporary name until it is complete.
 * Returns NNC_IO if the output cannot be opened. */
nnc_status nnc_file_open(nnc_file *file, const char *path, nnc_error *err);

/* Writes whole lines to an output. If writing fails, returns NNC_IO, and removes an incomplete last line if the output
 * can be shortened. */
nnc_status nnc_file_write(nnc_file *file, const char *lines, size_t size, nnc_error *err);

/* Closes an output; must be called once after a successful nnc_file_open. keep: true = a regular file gets its final
 * name and replaces an old file with this name; false = the new file is deleted and the old file stays. Returns NNC_IO
 * if closing fails. */
nnc_status nnc_file_close(nnc_file *file, bool keep, nnc_error *err);

/* ---- database.c: SQLite files ---- */

/* An SQLite file with the rows of a sweep and the progress of the sweep. A sweep that was killed continues after the
 * rows that were committed last. */

enum { NNC_DATABASE_COLUMNS_MAX = 256 };

/* Describes the sweep to which the rows of a database belong, and the progress of this sweep. */
typedef struct nnc_database_head {
    char digest[NNC_DIGEST_TEXT]; /* digest of all inputs on which the rows depend, except the shard number */
    int32_t shard, shards;        /* number of the shard in this file (from 1), and number of all shards; 1 and 1 = the
                                   * sweep is not divided */
    int64_t rows;                 /* number of combinations of axis values in this shard */
    int64_t done;                 /* number of combinations that have been evaluated so far */
    int64_t count;                /* number of rows in the database */
    uint64_t rows_digest;         /* digest of the cells of all rows in the database, in order */
    bool disposable;              /* true: the database is deleted after any failure, so SQLite needs no journal */
} nnc_database_head;

typedef struct nnc_database nnc_database;

/* Opens or creates a database. names: names of the columns. The first column of a database must be "row"; its values
 * are integers. An existing database must have the digest and shard of *head and the columns `names`. nnc_database_open
 * then sets head->done to the progress of the database, reads all rows of the database once and compares the rows with
 * the digest of the rows, because SQLite has no checksums. Returns NNC_BAD_SPEC if the database belongs to another
 * sweep or is damaged. Returns NNC_BAD_USAGE if this build has no SQLite or the path is a name that SQLite does not use
 * as a file. Other errors: NNC_IO. */
nnc_status nnc_database_open(const char *path, nnc_database_head *head, const char *const *names, int count,
                             nnc_database **database, nnc_error *err);

/* Adds a row to a database. cells: one cell for each column, in the order of the argument `names` of
 * nnc_database_open. */
nnc_status nnc_database_put(nnc_database *db, const nnc_cell *cells, nnc_error *err);

/* Commits all rows that were added since the last commit. done: number of combinations that have been evaluated so
 * far. */
nnc_status nnc_database_commit(nnc_database *db, int64_t done, nnc_error *err);

/* Returns the number of rows in a database, including rows that were added but not committed. */
int64_t nnc_database_count(const nnc_database *db);

/* Closes a database. Closing a database discards the rows that were added since the last commit. db can be NULL. */
void nnc_database_close(nnc_database *db);

/* A reader returns the rows of a database in order. */
typedef struct nnc_database_reader nnc_database_reader;

nnc_status nnc_database_reader_open(const char *path, nnc_database_reader **out, nnc_error *err);
const nnc_database_head *nnc_database_reader_head(const nnc_database_reader *reader);
const char *const *nnc_database_reader_names(const nnc_database_reader *reader, int *count);
/* Reads the next row of a database. *cells is valid until the next call of this function; after the last row, *cells is
 * NULL. Returns NNC_BAD_SPEC if the rows differ from their digest; only the call after the last row can find a
 * difference. */
nnc_status nnc_database_reader_next(nnc_database_reader *reader, const nnc_cell **cells, nnc_error *err);
void nnc_database_reader_close(nnc_database_reader *reader);

/* ---- merge.c: merging shards ---- */

/* Merges the shards of a sweep into one output, in the order of the row numbers. */

/* Merges inputs that are all CSV, all JSON Lines, or all databases. The first column of each input must be "row".
 * Databases are merged into CSV or JSON Lines if the name `out` ends in .csv, .json or .jsonl; for any other name, they
 * are merged into a database. The merged output has a temporary name until it is complete. Returns NNC_BAD_SPEC if
 * headings differ, if a row is given twice, or if a shard is missing, given twice or not finished. Other errors:
 * NNC_IO. */
nnc_status nnc_merge(const char *out, char *const *inputs, int count, nnc_error *err);

#endif
