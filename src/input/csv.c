/* A reader of comma-separated values (RFC 4180) that decodes cells in place. */
#include <stdio.h>
#include <string.h>

#include "input/input_internal.h"

nnc_csv nnc_csv_begin(const char *name, char *text, size_t size)
{
    const size_t mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return (nnc_csv){ .name = name, .at = text + mark, .end = text + size, .line = 1 };
}

static nnc_status refuse(const nnc_csv *csv, const char *what, nnc_error *err)
{
    char where[512];
    snprintf(where, sizeof where, "%.480s:%ld", csv->name, csv->line);
    return nnc_fail(err, NNC_BAD_SPEC, where, "%s", what);
}

/* Length of the line break at a place; 0 = none. */
static size_t break_length(const char *at)
{
    return *at == '\n' ? 1 : at[0] == '\r' && at[1] == '\n' ? 2 : 0;
}

/* Decodes the quoted cell at csv->at; its text ends at *close. */
static nnc_status read_quoted(nnc_csv *csv, char **close, nnc_error *err)
{
    char *to = csv->at;
    const char *from = csv->at + 1;
    for (;; from++) {
        if (from >= csv->end) {
            return refuse(csv, "a quote that is not closed, expected '\"'", err);
        }
        if (*from == '"' && from[1] != '"') {
            break;
        }
        from += *from == '"'; /* a doubled quote stands for one */
        csv->line += *from == '\n';
        if (*from == '\0') {
            return refuse(csv, "a NUL byte, expected text", err);
        }
        *to++ = *from;
    }
    *close = to;
    csv->at += from + 1 - csv->at;
    return NNC_OK;
}

static nnc_status read_plain(nnc_csv *csv, char **close, nnc_error *err)
{
    while (csv->at < csv->end && *csv->at != ',' && break_length(csv->at) == 0) {
        if (*csv->at == '"' || *csv->at == '\0') {
            return refuse(csv, "a quote or NUL byte inside a plain cell, expected it in quotes",
                          err);
        }
        csv->at++;
    }
    *close = csv->at;
    return NNC_OK;
}

/* Reads one cell and its separator; *last: the separator was not a comma. */
static nnc_status read_cell(nnc_csv *csv, bool *last, nnc_error *err)
{
    char *start = csv->at, *close = start;
    if (csv->count == NNC_CSV_CELLS_MAX) {
        return refuse(csv, "more cells in a row than can be read, expected at most 256", err);
    }
    const bool quoted = csv->at < csv->end && *csv->at == '"';
    NNC_TRY(quoted ? read_quoted(csv, &close, err) : read_plain(csv, &close, err));
    const size_t ends = break_length(csv->at);
    *last = csv->at >= csv->end || ends > 0;
    if (!*last && *csv->at != ',') {
        return refuse(csv, "text after a closing quote, expected ',' or the end of the line", err);
    }
    if (csv->at < csv->end) {
        csv->at += ends > 0 ? ends : 1;
        csv->line += ends > 0;
    }
    *close = '\0'; /* over the separator, or before it */
    csv->cells[csv->count++] = start;
    return NNC_OK;
}

nnc_status nnc_csv_next(nnc_csv *csv, bool *more, nnc_error *err)
{
    bool last = false;
    csv->count = 0;
    for (size_t ends = 0; csv->at < csv->end && (ends = break_length(csv->at)) > 0; csv->line++) {
        csv->at += ends;
    }
    csv->row_line = csv->line;
    *more = csv->at < csv->end;
    while (*more && !last) {
        NNC_TRY(read_cell(csv, &last, err));
    }
    return NNC_OK;
}
