/* What 'nncost docs' writes: text that follows from the tables of commands, options and fields. */
#ifndef NNCOST_CLI_DOCS_H
#define NNCOST_CLI_DOCS_H

#include <stdio.h>

#include <nncost/spec.h>

void nnc_docs_man(FILE *out);
void nnc_docs_completion(FILE *out);
/* JSON Schema, draft 2020-12, of one kind of file. */
void nnc_docs_schema(FILE *out, nnc_spec_kind kind);

#endif
