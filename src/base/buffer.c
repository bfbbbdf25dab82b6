#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static bool make_room(nnc_buffer *buffer, size_t size)
{
    if (size <= buffer->capacity - buffer->size) {
        return true;
    }
    size_t capacity = buffer->capacity > 0 ? buffer->capacity : 1024;
    while (capacity - buffer->size < size && capacity <= SIZE_MAX / 2) {
        capacity *= 2;
    }
    char *bytes = capacity - buffer->size < size ? NULL : realloc(buffer->bytes, capacity);
    if (bytes == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

void nnc_buffer_put(nnc_buffer *buffer, const void *bytes, size_t size)
{
    if (size > 0 && make_room(buffer, size)) {
        memcpy(buffer->bytes + buffer->size, bytes, size);
        buffer->size += size;
    }
}

void nnc_buffer_text(nnc_buffer *buffer, const char *text)
{
    nnc_buffer_put(buffer, text, strlen(text));
}

void nnc_buffer_byte(nnc_buffer *buffer, char byte)
{
    nnc_buffer_put(buffer, &byte, 1);
}

void nnc_buffer_number(nnc_buffer *buffer, double value)
{
    if (make_room(buffer, NNC_NUMBER_TEXT)) {
        buffer->size += nnc_number_write(value, buffer->bytes + buffer->size);
    }
}

void nnc_buffer_whole(nnc_buffer *buffer, int64_t value)
{
    if (make_room(buffer, NNC_NUMBER_TEXT)) {
        buffer->size += nnc_whole_write(value, buffer->bytes + buffer->size);
    }
}

void nnc_buffer_blanks(nnc_buffer *buffer, int count)
{
    if (count > 0 && make_room(buffer, (size_t)count)) {
        memset(buffer->bytes + buffer->size, ' ', (size_t)count);
        buffer->size += (size_t)count;
    }
}

void nnc_buffer_print(nnc_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    for (bool again = true; again;) {
        const size_t room = buffer->capacity - buffer->size;
        char *end = room > 0 ? buffer->bytes + buffer->size : NULL;
        va_start(arguments, format);
        const int length = vsnprintf(end, room, format, arguments);
        va_end(arguments);
        again = length >= 0 && (size_t)length >= room;
        if (length < 0 || (again && !make_room(buffer, (size_t)length + 1))) {
            buffer->failed = true;
            return;
        }
        buffer->size += again ? 0 : (size_t)length;
    }
}

void nnc_buffer_clear(nnc_buffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
}

void nnc_buffer_free(nnc_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (nnc_buffer){ 0 };
}
