#include "render/record.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

/* Length of the well-formed UTF-8 sequence that text starts with, 0 if it starts with none.
 * Source: Unicode 15, table 3-7. */
static int sequence_length(const unsigned char *text)
{
    const unsigned char first = text[0];
    unsigned char low = 0x80u, high = 0xBFu;
    int length = 0;
    if (first < 0x80u) {
        return 1;
    }
    if (first >= 0xC2u && first <= 0xDFu) {
        length = 2;
    } else if (first >= 0xE0u && first <= 0xEFu) {
        length = 3;
        low = first == 0xE0u ? 0xA0u : low;
        high = first == 0xEDu ? 0x9Fu : high;
    } else if (first >= 0xF0u && first <= 0xF4u) {
        length = 4;
        low = first == 0xF0u ? 0x90u : low;
        high = first == 0xF4u ? 0x8Fu : high;
    }
    for (int i = 1; i < length; i++) {
        if (text[i] < low || text[i] > high) {
            return 0;
        }
        low = 0x80u;
        high = 0xBFu;
    }
    return length;
}

void nnc_put_json_text(nnc_buffer *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    nnc_buffer_byte(out, '"');
    while (*at) {
        const int length = sequence_length(at);
        if (length == 0) {
            nnc_buffer_text(out, "\\ufffd");
            at++;
        } else if (length == 1 && (*at == '"' || *at == '\\')) {
            nnc_buffer_print(out, "\\%c", *at++);
        } else if (length == 1 && (*at < 0x20u || *at == 0x7Fu)) {
            nnc_buffer_print(out, "\\u%04x", *at++);
        } else {
            nnc_buffer_put(out, at, (size_t)length);
            at += length;
        }
    }
    nnc_buffer_byte(out, '"');
}

/* RFC 4180: fields with a comma, a quote or a line break stand in quotes, quotes are doubled. */
static void put_csv_text(nnc_buffer *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        nnc_buffer_text(out, text);
        return;
    }
    nnc_buffer_byte(out, '"');
    for (; *text; text++) {
        nnc_buffer_text(out, *text == '"' ? "\"" : "");
        nnc_buffer_byte(out, *text);
    }
    nnc_buffer_byte(out, '"');
}

/* The document's own members and the elements of its lists get a line each, the rest runs on. */
static void put_separator(nnc_record *record)
{
    const bool own_line = record->depth == 1 || (record->depth == 2 && record->list[2]);
    nnc_buffer_text(record->out, record->members[record->depth] > 0 ? "," : "");
    if (own_line) {
        nnc_buffer_print(record->out, "\n%*s", 2 * record->depth, "");
    } else {
        nnc_buffer_text(record->out, record->members[record->depth] > 0 ? " " : "");
    }
    record->members[record->depth]++;
}

/* Writes what stands before a value. false: this pass writes names only, leave the value out. */
static bool begin_value(nnc_record *record, const char *key)
{
    char index[16];
    if (!record->csv) {
        put_separator(record);
        if (key != NULL) {
            nnc_put_json_text(record->out, key);
            nnc_buffer_text(record->out, ": ");
        }
        return true;
    }
    nnc_buffer_text(record->out, record->members[0]++ > 0 ? "," : "");
    if (key == NULL) {
        snprintf(index, sizeof index, "%" PRId32, record->members[record->depth]++);
        key = index;
    }
    if (record->heading) {
        nnc_buffer_print(record->out, "%s%s", record->prefix, key);
    }
    return !record->heading;
}

nnc_record nnc_record_begin(nnc_buffer *out, const char *schema)
{
    nnc_record record = { .out = out, .depth = 1 };
    nnc_buffer_byte(out, '{');
    nnc_record_text(&record, "schema", schema);
    return record;
}

void nnc_record_end(nnc_record *record)
{
    assert(record->depth == 1);
    nnc_buffer_text(record->out, "\n}\n");
}

nnc_record nnc_record_csv(nnc_buffer *out)
{
    return (nnc_record){ .out = out, .csv = true };
}

void nnc_record_row(nnc_record *record, bool heading)
{
    record->heading = heading;
    record->depth = 0;
    record->members[0] = 0;
    record->prefix[0] = '\0';
}

void nnc_record_row_end(nnc_record *record)
{
    nnc_buffer_text(record->out, "\r\n");
}

static void open_level(nnc_record *record, const char *key, bool list)
{
    assert(record->depth + 1 < NNC_RECORD_DEPTH);
    if (record->csv) {
        const size_t used = strlen(record->prefix);
        snprintf(record->prefix + used, sizeof record->prefix - used, "%s.", key);
    } else {
        put_separator(record);
        if (key != NULL) {
            nnc_put_json_text(record->out, key);
            nnc_buffer_text(record->out, ": ");
        }
        nnc_buffer_byte(record->out, list ? '[' : '{');
    }
    record->depth++;
    record->members[record->depth] = 0;
    record->list[record->depth] = list;
}

void nnc_record_object(nnc_record *record, const char *key)
{
    open_level(record, key, false);
}

void nnc_record_list(nnc_record *record, const char *key)
{
    open_level(record, key, true);
}

void nnc_record_close(nnc_record *record)
{
    const bool list = record->list[record->depth];
    if (record->csv) {
        record->prefix[strlen(record->prefix) - 1] = '\0';
        char *dot = strrchr(record->prefix, '.');
        *(dot != NULL ? dot + 1 : record->prefix) = '\0';
    } else {
        if (list && record->depth == 2 && record->members[2] > 0) {
            nnc_buffer_text(record->out, "\n  ");
        }
        nnc_buffer_byte(record->out, list ? ']' : '}');
    }
    record->depth--;
}

void nnc_record_text(nnc_record *record, const char *key, const char *text)
{
    if (text == NULL) {
        nnc_record_null(record, key);
    } else if (begin_value(record, key)) {
        (record->csv ? put_csv_text : nnc_put_json_text)(record->out, text);
    }
}

void nnc_record_number(nnc_record *record, const char *key, double value)
{
    char text[NNC_NUMBER_TEXT];
    if (!isfinite(value)) {
        nnc_record_null(record, key);
    } else if (begin_value(record, key)) {
        if (record->exact) {
            snprintf(text, sizeof text, "%.17g", value);
        } else {
            nnc_number_text(value, text);
        }
        nnc_buffer_text(record->out, text);
    }
}

void nnc_record_whole(nnc_record *record, const char *key, int64_t value)
{
    if (begin_value(record, key)) {
        nnc_buffer_print(record->out, "%" PRId64, value);
    }
}

void nnc_record_bool(nnc_record *record, const char *key, bool value)
{
    if (begin_value(record, key)) {
        nnc_buffer_text(record->out, value ? "true" : "false");
    }
}

/* An empty field in CSV. */
void nnc_record_null(nnc_record *record, const char *key)
{
    if (begin_value(record, key) && !record->csv) {
        nnc_buffer_text(record->out, "null");
    }
}
