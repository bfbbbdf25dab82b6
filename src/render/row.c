#include "render/row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

static bool is_control(char c)
{
    return (unsigned char)c < 0x20U || (unsigned char)c == 0x7FU;
}

static void put_json_text(nnc_buffer *out, const char *text)
{
    nnc_buffer_byte(out, '"');
    for (size_t left = strlen(text); left > 0;) {
        const size_t length = nnc_utf8_length(text, left);
        char escape[8];
        if (length == 0) {
            nnc_buffer_text(out, "\\ufffd");
        } else if (*text == '"' || *text == '\\') {
            snprintf(escape, sizeof escape, "\\%c", *text);
            nnc_buffer_text(out, escape);
        } else if (is_control(*text)) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*text);
            nnc_buffer_text(out, escape);
        } else {
            nnc_buffer_put(out, text, length);
        }
        text += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    nnc_buffer_byte(out, '"');
}

/* RFC 4180, but that a line break, which would end the line, becomes a blank. */
static void put_csv_text(nnc_buffer *out, const char *text)
{
    const bool quoted = strpbrk(text, ",\"") != NULL;
    nnc_buffer_text(out, quoted ? "\"" : "");
    for (; *text != '\0'; text++) {
        nnc_buffer_text(out, *text == '"' ? "\"" : "");
        nnc_buffer_byte(out, (char)(is_control(*text) ? ' ' : *text));
    }
    nnc_buffer_text(out, quoted ? "\"" : "");
}

/* For people; '|' would end a cell of Markdown. */
static void put_plain_text(nnc_buffer *out, const char *text, bool markdown)
{
    for (; *text != '\0'; text++) {
        nnc_buffer_text(out, markdown && strchr("|\\`*_<", *text) != NULL ? "\\" : "");
        nnc_buffer_byte(out, (char)(is_control(*text) ? ' ' : *text));
    }
}

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), end_length = strlen(end);
    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

/* The unit that a name carries; NULL = none. */
static const char *unit_of(const char *name)
{
    return strstr(name, "flops_per_s") != NULL ? "FLOP/s"
           : ends_with(name, "bytes_per_s")    ? "B/s"
           : ends_with(name, "_flops")         ? "FLOP"
           : ends_with(name, "_bytes")         ? "B"
           : ends_with(name, "_per_s")         ? NULL
           : ends_with(name, "_s")             ? "s"
                                               : NULL;
}

/* At most four digits that count. */
static char *short_text(double value, char text[NNC_NUMBER_TEXT])
{
    char rounded[NNC_NUMBER_TEXT];
    if (fabs(value) >= 1e4) {
        return nnc_unit_text(value, "", text);
    }
    snprintf(rounded, sizeof rounded, "%.3e", value);
    return nnc_number_text(strtod(rounded, NULL), text);
}

/* A figure for people, as the name says what it is. */
static const char *figure_text(const char *name, const nnc_cell *cell, char text[NNC_NUMBER_TEXT])
{
    const bool whole = cell->kind == NNC_CELL_WHOLE;
    const double value = whole ? (double)cell->whole : cell->number;
    const char *unit = unit_of(name);
    if (isnan(value)) {
        return "-";
    }
    if (unit != NULL) {
        return nnc_unit_text(value, unit, text);
    }
    if (whole) {
        snprintf(text, NNC_NUMBER_TEXT, "%" PRId64, cell->whole);
        return text;
    }
    if (ends_with(name, "mfu") || ends_with(name, "hfu") || ends_with(name, "_share")) {
        const int64_t tenths = (int64_t)llround(fmin(fabs(value), 1e6) * 1000.0);
        snprintf(text, NNC_NUMBER_TEXT, "%s%" PRId64 ".%d%%", value < 0 ? "-" : "", tenths / 10,
                 (int)(tenths % 10));
        return text;
    }
    return short_text(value, text);
}

/* The last part of a name; "model" of model.id. */
static void put_head(nnc_buffer *out, const char *name, bool markdown)
{
    char head[128];
    snprintf(head, sizeof head, "%s", name);
    if (ends_with(head, ".id")) {
        head[strlen(head) - strlen(".id")] = '\0';
    }
    const char *dot = strrchr(head, '.');
    put_plain_text(out, dot != NULL ? dot + 1 : head, markdown);
}

static void put_for_people(nnc_buffer *out, bool markdown, const char *name, const nnc_cell *cell)
{
    char text[NNC_NUMBER_TEXT];
    if (cell->kind == NNC_CELL_TEXT || cell->kind == NNC_CELL_BOOL) {
        if (!markdown) {
            nnc_buffer_byte(out, NNC_TABLE_LEFT);
        }
        put_plain_text(out,
                       cell->kind == NNC_CELL_TEXT ? cell->text
                       : cell->flag                ? "yes"
                                                   : "no",
                       markdown);
    } else {
        nnc_buffer_text(out, cell->kind == NNC_CELL_NULL ? "-" : figure_text(name, cell, text));
    }
}

static void put_for_programs(nnc_buffer *out, bool csv, const nnc_cell *cell)
{
    char text[NNC_NUMBER_TEXT];
    switch (cell->kind) {
    case NNC_CELL_NULL: nnc_buffer_text(out, csv ? "" : "null"); break;
    case NNC_CELL_NUMBER:
        nnc_buffer_text(out,
                        csv && !isfinite(cell->number) ? "" : nnc_number_text(cell->number, text));
        break;
    case NNC_CELL_WHOLE:
        snprintf(text, sizeof text, "%" PRId64, cell->whole);
        nnc_buffer_text(out, text);
        break;
    case NNC_CELL_BOOL: nnc_buffer_text(out, cell->flag ? "true" : "false"); break;
    case NNC_CELL_TEXT: (csv ? put_csv_text : put_json_text)(out, cell->text); break;
    }
}

static void put_packed(nnc_buffer *out, const nnc_cell *cell)
{
    nnc_buffer_byte(out, (char)cell->kind);
    switch (cell->kind) {
    case NNC_CELL_NULL: break;
    case NNC_CELL_NUMBER: nnc_buffer_put(out, &cell->number, sizeof cell->number); break;
    case NNC_CELL_WHOLE: nnc_buffer_put(out, &cell->whole, sizeof cell->whole); break;
    case NNC_CELL_BOOL: nnc_buffer_byte(out, (char)cell->flag); break;
    case NNC_CELL_TEXT: nnc_buffer_put(out, cell->text, strlen(cell->text) + 1); break;
    }
}

void nnc_row_unpack(const char *packed, nnc_cell *cells, int count)
{
    for (int i = 0; i < count; i++) {
        nnc_cell *cell = &cells[i];
        cell->kind = (nnc_cell_kind)*packed++;
        switch (cell->kind) {
        case NNC_CELL_NULL: break;
        case NNC_CELL_NUMBER:
            memcpy(&cell->number, packed, sizeof cell->number);
            packed += sizeof cell->number;
            break;
        case NNC_CELL_WHOLE:
            memcpy(&cell->whole, packed, sizeof cell->whole);
            packed += sizeof cell->whole;
            break;
        case NNC_CELL_BOOL: cell->flag = *packed++ != 0; break;
        case NNC_CELL_TEXT:
            cell->text = packed;
            packed += strlen(packed) + 1;
            break;
        }
    }
}

static const char *before(nnc_row_form form, int index)
{
    static const char separator[] = { NNC_TABLE_SEPARATOR, '\0' };
    switch (form) {
    case NNC_ROW_CSV: return index > 0 ? "," : "";
    case NNC_ROW_JSON: return index > 0 ? ", " : "{";
    case NNC_ROW_MARKDOWN: return index > 0 ? " | " : "| ";
    case NNC_ROW_TABLE: return index > 0 ? separator : "";
    default: return "";
    }
}

static const char *after(nnc_row_form form)
{
    return form == NNC_ROW_CSV        ? "\r\n"
           : form == NNC_ROW_JSON     ? "}\n"
           : form == NNC_ROW_MARKDOWN ? " |\n"
           : form == NNC_ROW_TABLE    ? "\n"
                                      : "";
}

void nnc_row_heading(nnc_buffer *out, nnc_row_form form, const char *const *names, int count)
{
    if (form == NNC_ROW_JSON || form == NNC_ROW_PACKED) {
        return;
    }
    for (int i = 0; i < count; i++) {
        nnc_buffer_text(out, before(form, i));
        if (form == NNC_ROW_CSV) {
            put_csv_text(out, names[i]);
        } else {
            put_head(out, names[i], form == NNC_ROW_MARKDOWN);
        }
    }
    nnc_buffer_text(out, after(form));
    for (int i = 0; i < count && form == NNC_ROW_MARKDOWN; i++) {
        nnc_buffer_text(out, i + 1 < count ? "|---" : "|---|\n");
    }
}

void nnc_row_put(nnc_buffer *out, nnc_row_form form, const char *const *names,
                 const nnc_cell *cells, int count)
{
    for (int i = 0; i < count; i++) {
        nnc_buffer_text(out, before(form, i));
        switch (form) {
        case NNC_ROW_JSON:
            put_json_text(out, names[i]);
            nnc_buffer_text(out, ": ");
            put_for_programs(out, false, &cells[i]);
            break;
        case NNC_ROW_CSV: put_for_programs(out, true, &cells[i]); break;
        case NNC_ROW_PACKED: put_packed(out, &cells[i]); break;
        default: put_for_people(out, form == NNC_ROW_MARKDOWN, names[i], &cells[i]); break;
        }
    }
    nnc_buffer_text(out, after(form));
}
