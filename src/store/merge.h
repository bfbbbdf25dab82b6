/* The shards of a sweep put together again, in the order of their rows. */
#ifndef NNCOST_STORE_MERGE_H
#define NNCOST_STORE_MERGE_H

#include <nncost/status.h>

/* Inputs are all files of CSV or JSON lines whose first column is "row", or all databases. Databases
 * may become a database, or lines by the ending of out (.csv, .json, .jsonl). out takes its name when
 * it is complete. NNC_BAD_SPEC: headings that differ, a row twice, a shard that is missing, given
 * twice or not finished; NNC_IO. */
nnc_status nnc_merge(const char *out, char *const *inputs, int count, nnc_error *err);

#endif
