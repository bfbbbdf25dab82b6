#ifndef NNCOST_STORE_STORE_INTERNAL_H
#define NNCOST_STORE_STORE_INTERNAL_H

#include <nncost/status.h>

#include "base/base_internal.h"

/* ---- lines (merge.c) ---- */

/* Output of whole lines to a file or standard output. An interrupted output ends with a whole line. */

typedef struct nnc_file {
    int descriptor;
    const char *name;        /* name of the output in messages */
    nnc_atomic_file written; /* temporary file that becomes the regular file; not open if the output is no regular
                              * file */
    bool cuts;               /* true: standard output is a regular file, so an incomplete last line can be cut off */
} nnc_file;

/* Opens an output; path NULL is standard output. A regular file has a temporary name until it is complete. Errors:
 * NNC_IO. */
nnc_status nnc_file_open(nnc_file *file, const char *path, nnc_error *err);

/* Writes whole lines. After a failure, removes an incomplete line if the output allows it. Errors: NNC_IO. */
nnc_status nnc_file_write(nnc_file *file, const char *lines, size_t size, nnc_error *err);

/* Closes an output; must be called once after a successful open. keep: true = a regular file gets its name; false = the
 * file that had this name before stays. Errors: NNC_IO. */
nnc_status nnc_file_close(nnc_file *file, bool keep, nnc_error *err);

/* ---- databases (database.c) ---- */

/* The rows of a sweep in an SQLite file, together with the progress of the sweep. A sweep that was killed continues
 * from its last commit. */

enum { NNC_DATABASE_COLUMNS_MAX = 256 };

/* Identity of the sweep in a file, and progress of the sweep. */
typedef struct nnc_database_head {
    char digest[NNC_DIGEST_TEXT]; /* digest of all inputs that decide the rows, except the shard */
    int32_t shard, shards;        /* number of the shard in this file (from 1), and number of all shards; 1 and 1 = the
                                   * sweep is not divided */
    int64_t rows;                 /* number of combinations in this shard */
    int64_t done;                 /* number of combinations evaluated so far */
    int64_t count;                /* number of rows in the file */
    uint64_t rows_digest;         /* digest of the cells of all rows, in order */
    bool disposable;              /* true: the file is deleted after any failure, so SQLite writes no journal */
} nnc_database_head;

typedef struct nnc_database nnc_database;

/* Opens or creates a file. names: columns; the first must be "row", an integer. An existing file must have the same
 * digest, shard and columns as *head and names; head->done receives its progress. All rows are read once and compared
 * with their digest, because SQLite has no checksums. NNC_BAD_SPEC: the file has another sweep, or is damaged.
 * NNC_BAD_USAGE: the program was built without SQLite, or SQLite would not treat this path as a file. NNC_IO. */
nnc_status nnc_database_open(const char *path, nnc_database_head *head, const char *const *names, int count,
                             nnc_database **database, nnc_error *err);

/* Adds a row. cells: one cell for each column, in the order of `names` of nnc_database_open. */
nnc_status nnc_database_put(nnc_database *db, const nnc_cell *cells, nnc_error *err);

/* Commits the rows since the last commit. done: number of combinations that are evaluated so far. */
nnc_status nnc_database_commit(nnc_database *db, int64_t done, nnc_error *err);

/* Returns the number of rows in the file, including rows that are not committed. */
int64_t nnc_database_count(const nnc_database *db);

/* Closes the file; the rows since the last commit are lost. db may be NULL. */
void nnc_database_close(nnc_database *db);

/* Reads the rows of a file in order. */
typedef struct nnc_database_reader nnc_database_reader;

nnc_status nnc_database_reader_open(const char *path, nnc_database_reader **out, nnc_error *err);
const nnc_database_head *nnc_database_reader_head(const nnc_database_reader *reader);
const char *const *nnc_database_reader_names(const nnc_database_reader *reader, int *count);
/* Reads the next row. *cells is valid until the next call, and NULL after the last row. NNC_BAD_SPEC: the rows differ
 * from their digest; only the last call can find this. */
nnc_status nnc_database_reader_next(nnc_database_reader *reader, const nnc_cell **cells, nnc_error *err);
void nnc_database_reader_close(nnc_database_reader *reader);

/* ---- merging shards (merge.c) ---- */

/* Merges the shards of a sweep in the order of their rows. */

/* Merges inputs that are all CSV, all JSON Lines, or all databases; the first column must be "row". Databases are
 * merged into a database, or into CSV or JSON Lines if out ends in .csv, .json or .jsonl. The output has a temporary
 * name until it is complete. NNC_BAD_SPEC: different headings, a row given twice, a shard that is missing, given twice
 * or not finished. NNC_IO. */
nnc_status nnc_merge(const char *out, char *const *inputs, int count, nnc_error *err);

#endif
