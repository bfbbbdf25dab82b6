/* What 'nncost docs' writes: text that follows from the tables of commands, options and fields. */
#ifndef NNCOST_CLI_DOCS_H
#define NNCOST_CLI_DOCS_H

#include <nncost/spec.h>

#include "base/buffer.h"
#include "metrics/metric.h"

/* nncost(1), and nncost-files(5). */
void nnc_docs_man(nnc_buffer *out);
void nnc_docs_man_files(nnc_buffer *out);
void nnc_docs_completion_bash(nnc_buffer *out);
void nnc_docs_completion_zsh(nnc_buffer *out);
void nnc_docs_completion_fish(nnc_buffer *out);
/* Every command with its options as JSON, from which a form can be made. */
void nnc_docs_options(nnc_buffer *out);
/* JSON Schema, draft 2020-12, of one kind of file. */
void nnc_docs_schema(nnc_buffer *out, nnc_spec_kind kind);
void nnc_docs_plan_schema(nnc_buffer *out);
/* The same of what --format json prints: that of number `index`, by name; NULL past the last. */
const char *nnc_docs_output_name(int index);
/* What they describe, for people. */
const char *nnc_docs_file_title(nnc_spec_kind kind);
const char *nnc_docs_output_title(int index);
/* The table that it is printed by; of a sweep, of its columns that are no metrics of an estimate. */
const nnc_metrics *nnc_docs_output_metrics(int index);
/* NNC_NO_MEMORY, or NNC_OK. */
nnc_status nnc_docs_output_schema(nnc_buffer *out, int index);

#endif
