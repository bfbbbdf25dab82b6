/* A JSON Schema as it is written: a line for each member. */
#ifndef NNCOST_CLI_SCHEMA_WRITER_H
#define NNCOST_CLI_SCHEMA_WRITER_H

#include "input/field.h"
#include "render/json_writer.h"

typedef struct nnc_schema_writer {
    nnc_buffer *out;
    int depth;  /* of objects that span lines */
    bool first; /* nothing stands in the innermost object yet */
} nnc_schema_writer;

/* A document, from its title to its end. */
nnc_schema_writer nnc_schema_begin(nnc_buffer *out, const char *comment, const char *title);
void nnc_schema_end(nnc_schema_writer *to);

/* Starts the line of a member. */
void nnc_schema_key(nnc_schema_writer *to, const char *key);
/* A member whose value is given as JSON. */
void nnc_schema_member(nnc_schema_writer *to, const char *key, const char *json);
void nnc_schema_open(nnc_schema_writer *to, const char *key);
void nnc_schema_close(nnc_schema_writer *to);

/* A field that fits on its line. inherits: null takes back what it would have from elsewhere. */
void nnc_schema_field(nnc_schema_writer *to, const nnc_field *field, bool inherits);

/* Parts of a field: its sentence, its limits, names as a list, a type that may be null too. */
void nnc_schema_help(nnc_buffer *out, const nnc_field *field);
void nnc_schema_limits(nnc_buffer *out, const nnc_field *field);
void nnc_schema_names(nnc_buffer *out, nnc_names names);
void nnc_schema_number_type(nnc_buffer *out, const char *type, bool nullable);

#endif
