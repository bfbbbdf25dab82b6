/* Outputs that have a schema. */
#ifndef NNCOST_CLI_DOCS_H
#define NNCOST_CLI_DOCS_H

#include "metrics/metric.h"

/* Name of output number index; NULL past the last. */
const char *nnc_docs_output_name(int index);
/* The table that it is printed by; of a sweep, its columns that are no metrics of an estimate. */
const nnc_metrics *nnc_docs_output_metrics(int index);

#endif
