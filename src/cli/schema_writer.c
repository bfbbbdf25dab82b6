#include "cli/schema_writer.h"

nnc_schema_writer nnc_schema_begin(nnc_buffer *out, const char *comment, const char *title)
{
    nnc_schema_writer to = { .out = out, .depth = 1, .first = true };
    nnc_buffer_byte(out, '{');
    nnc_schema_member(&to, "$schema", "\"https://json-schema.org/draft/2020-12/schema\"");
    nnc_schema_key(&to, "$comment");
    nnc_put_json_text(out, comment);
    nnc_schema_key(&to, "title");
    nnc_put_json_text(out, title);
    return to;
}

void nnc_schema_end(nnc_schema_writer *to)
{
    nnc_buffer_text(to->out, "\n}\n");
}

void nnc_schema_key(nnc_schema_writer *to, const char *key)
{
    nnc_buffer_text(to->out, to->first ? "\n" : ",\n");
    nnc_buffer_blanks(to->out, 2 * to->depth);
    nnc_put_json_text(to->out, key);
    nnc_buffer_text(to->out, ": ");
    to->first = false;
}

void nnc_schema_member(nnc_schema_writer *to, const char *key, const char *json)
{
    nnc_schema_key(to, key);
    nnc_buffer_text(to->out, json);
}

void nnc_schema_open(nnc_schema_writer *to, const char *key)
{
    nnc_schema_key(to, key);
    nnc_buffer_byte(to->out, '{');
    to->depth++;
    to->first = true;
}

void nnc_schema_close(nnc_schema_writer *to)
{
    to->depth--;
    nnc_buffer_byte(to->out, '\n');
    nnc_buffer_blanks(to->out, 2 * to->depth);
    nnc_buffer_byte(to->out, '}');
    to->first = false;
}
