/* Bytes that grow: used again, it stops allocating. Starts as { 0 }. All output goes through one, which
 * remembers that something was not put, so that only its reader needs to ask. */
#ifndef NNCOST_BASE_BUFFER_H
#define NNCOST_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nncost/status.h>

typedef struct nnc_buffer {
    char *bytes;
    size_t size, capacity;
    bool failed; /* out of memory: something was not put */
} nnc_buffer;

void nnc_buffer_put(nnc_buffer *buffer, const void *bytes, size_t size);
void nnc_buffer_text(nnc_buffer *buffer, const char *text);
void nnc_buffer_byte(nnc_buffer *buffer, char byte);
void nnc_buffer_number(nnc_buffer *buffer, double value); /* as nnc_number_text */
void nnc_buffer_whole(nnc_buffer *buffer, int64_t value);
void nnc_buffer_blanks(nnc_buffer *buffer, int count); /* none for a count below 1 */
void nnc_buffer_print(nnc_buffer *buffer, const char *format, ...) NNC_PRINTF(2, 3);
/* Empties it and keeps its memory. */
void nnc_buffer_clear(nnc_buffer *buffer);
void nnc_buffer_free(nnc_buffer *buffer);

#endif
