/* The layout of a table that may be longer than memory. */
#include <string.h>

#include "render/row.h"

enum { GAP = 2 }; /* between columns */

/* Columns a UTF-8 text takes; wide characters count one. */
static int width_of(const char *text, size_t size)
{
    int width = 0;
    for (size_t i = 0; i < size; i++) {
        width += ((unsigned char)text[i] & 0xC0U) != 0x80U;
    }
    return width;
}

/* One cell of a line: the text up to the separator. */
typedef struct field {
    const char *text;
    size_t size;
    bool left;
    const char *next; /* NULL after the last */
} field;

static field field_at(const char *at)
{
    const size_t length = strcspn(at, "\x1f\n");
    const bool left = *at == NNC_TABLE_LEFT;
    return (field){ .text = at + left,
                    .size = length - left,
                    .left = left,
                    .next = at[length] == NNC_TABLE_SEPARATOR ? at + length + 1 : NULL };
}

static void measure(nnc_table *table, const char *line)
{
    for (int i = 0; line != NULL && i < table->count; i++) {
        const field f = field_at(line);
        const int width = width_of(f.text, f.size);
        table->widths[i] = width > table->widths[i] ? width : table->widths[i];
        table->left[i] = table->left[i] || f.left;
        line = f.next;
    }
}

static void put_blanks(nnc_buffer *out, int count)
{
    for (int i = 0; i < count; i++) {
        nnc_buffer_byte(out, ' ');
    }
}

static void lay_out(const nnc_table *table, const char *line, nnc_buffer *out)
{
    for (int i = 0; line != NULL && i < table->count; i++) {
        const field f = field_at(line);
        const int room = table->widths[i] - width_of(f.text, f.size);
        put_blanks(out, (i > 0 ? GAP : 0) + (table->left[i] ? 0 : room));
        nnc_buffer_put(out, f.text, f.size);
        if (table->left[i] && f.next != NULL) {
            put_blanks(out, room);
        }
        line = f.next;
    }
    nnc_buffer_byte(out, '\n');
}

static const char *line_end(const char *line, const char *end)
{
    const char *found = memchr(line, '\n', (size_t)(end - line));
    return found != NULL ? found + 1 : end;
}

static void put_held(nnc_table *table, nnc_buffer *out)
{
    const char *end = table->held.bytes + table->held.size;
    for (const char *line = table->held.bytes; line < end; line = line_end(line, end)) {
        measure(table, line);
    }
    for (const char *line = table->held.bytes; line < end; line = line_end(line, end)) {
        lay_out(table, line, out);
    }
    out->failed = out->failed || table->held.failed;
    nnc_buffer_free(&table->held);
    table->laid_out = true;
}

void nnc_table_put(nnc_table *table, const char *lines, size_t size, nnc_buffer *out)
{
    const char *end = lines + size;
    for (const char *line = lines; line < end; line = line_end(line, end)) {
        if (table->laid_out) {
            lay_out(table, line, out);
        } else {
            nnc_buffer_put(&table->held, line, (size_t)(line_end(line, end) - line));
            if (++table->held_count == NNC_TABLE_HELD) {
                put_held(table, out);
            }
        }
    }
}

void nnc_table_end(nnc_table *table, nnc_buffer *out)
{
    if (!table->laid_out && table->held_count > 0) {
        put_held(table, out);
    }
    nnc_buffer_free(&table->held);
}
