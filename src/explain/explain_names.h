/* Every name that can be explained, from the tables of all outputs. */
#ifndef NNCOST_EXPLAIN_EXPLAIN_NAMES_H
#define NNCOST_EXPLAIN_EXPLAIN_NAMES_H

#include "explain/explain.h"

/* A member of an output, with the objects and lists around it: "best.step_s". */
typedef struct nnc_explained_name {
    const char *path, *output; /* output: the command that prints it */
    const nnc_metrics *table;
    const nnc_metric *row;
    bool again; /* its table was listed before */
} nnc_explained_name;

typedef struct nnc_explained_names {
    nnc_explained_name *list;
    int32_t count;
} nnc_explained_names;

/* Those of an estimate first, then of outputs (NULL = none). Fails with NNC_NO_MEMORY. */
nnc_status nnc_explained_names_of(const nnc_explain_output *outputs, nnc_arena *arena,
                                  nnc_explained_names *names);

/* The first that a word names: in full, by its last parts, or as one value of an array; NULL = none. */
const nnc_explained_name *nnc_explained_names_find(const nnc_explained_names *names,
                                                   const char *word);

/* What a row of a table is; a plan's own table describes its fields. */
const char *nnc_metric_meaning(const nnc_metric *row);

#endif
