/* A reader of comma-separated values (RFC 4180) that decodes cells in place; recorded requests in such a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/serve.h>

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

/* ---- recorded requests ---- */

static nnc_status refuse_cell(const nnc_csv *csv, const char *column, const char *expected,
                              const char *found, nnc_error *err)
{
    char where[512];
    snprintf(where, sizeof where, "%.480s:%ld", csv->name, csv->row_line);
    return nnc_fail(err, NNC_BAD_SPEC, where, "%s: expected %s, found \"%.40s\"", column, expected,
                    found);
}

/* Columns of a file of requests; -1: the file does not have it. */
typedef struct arrival_columns {
    int place[3];
} arrival_columns;
static const char *const arrival_names[] = { "arrival_s", "input_len", "output_len" };

static nnc_status read_heads(const nnc_csv *csv, arrival_columns *columns, nnc_error *err)
{
    *columns = (arrival_columns){ { -1, -1, -1 } };
    for (int i = 0; i < csv->count; i++) {
        int name = 0;
        while (name < 3 && strcmp(csv->cells[i], arrival_names[name]) != 0) {
            name++;
        }
        if (name == 3 || columns->place[name] >= 0) {
            return refuse_cell(csv, "column", "arrival_s, input_len and output_len, each once",
                               csv->cells[i], err);
        }
        columns->place[name] = i;
    }
    return columns->place[0] >= 0
               ? NNC_OK
               : refuse_cell(csv, "column", "arrival_s", csv->count > 0 ? csv->cells[0] : "", err);
}

static nnc_status read_arrival(const nnc_csv *csv, const arrival_columns *columns, double before_s,
                               nnc_serve_arrival *arrival, nnc_error *err)
{
    int64_t *const lengths[] = { NULL, &arrival->input_len, &arrival->output_len };
    const char *time = columns->place[0] < csv->count ? csv->cells[columns->place[0]] : "";
    if (!nnc_read_quantity(time, "s", false, &arrival->arrival_s) ||
        !(arrival->arrival_s >= before_s)) {
        return refuse_cell(csv, "arrival_s", "a time that is not before the last one", time, err);
    }
    for (int i = 1; i < 3; i++) {
        double value = 0.0;
        if (columns->place[i] < 0) {
            continue;
        }
        const char *cell = columns->place[i] < csv->count ? csv->cells[columns->place[i]] : "";
        if (!nnc_read_quantity(cell, NULL, false, &value) || value != floor(value) ||
            !(value >= 1.0) || value > 1e8) {
            return refuse_cell(csv, arrival_names[i], "a whole number from 1 to 1e8", cell, err);
        }
        *lengths[i] = (int64_t)value;
    }
    return NNC_OK;
}

static nnc_status read_arrivals(nnc_csv *csv, nnc_arena *arena, nnc_serve_ask *ask, nnc_error *err)
{
    enum { ARRIVALS_MAX = 1 << 20 };
    nnc_serve_arrival *list = NULL;
    int32_t count = 0, capacity = 0;
    arrival_columns columns;
    bool more = false;
    NNC_TRY(nnc_csv_next(csv, &more, err));
    NNC_TRY(read_heads(csv, &columns, err));
    for (;;) {
        NNC_TRY(nnc_csv_next(csv, &more, err));
        if (!more) {
            break;
        }
        nnc_serve_arrival one = { .arrival_s = 0.0 };
        NNC_TRY(
            read_arrival(csv, &columns, count > 0 ? list[count - 1].arrival_s : 0.0, &one, err));
        if (count == ARRIVALS_MAX) {
            return refuse_cell(csv, "requests", "at most 1,048,576", "more", err);
        }
        nnc_serve_arrival *grown = nnc_arena_grow(arena, list, count, &capacity, sizeof *list);
        if (grown == NULL) {
            return nnc_no_memory(err);
        }
        list = grown;
        list[count++] = one;
    }
    ask->arrival_list = list;
    ask->arrival_count = count;
    return count > 0 ? NNC_OK : refuse_cell(csv, "requests", "at least one row", "none", err);
}

nnc_status nnc_arrivals_load(nnc_specs *specs, nnc_serve_ask *ask, nnc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_specs_read(specs, ask->arrivals, &text, &size, err));
    nnc_csv csv = nnc_csv_begin(ask->arrivals, text, size);
    const nnc_status status = read_arrivals(&csv, nnc_specs_arena(specs), ask, err);
    free(text);
    return status;
}
