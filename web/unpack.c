/* Unpacks what the page carries, by the decoder of Debian's package lzma: the program is a seventh smaller than as gzip,
 * the best that browsers unpack themselves. A module of its own, with a memory that grows and is given back as a whole. */
#include <stddef.h>

#include "LzmaDec.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* The first free byte; the linker knows where it is at first. */
extern Byte __heap_base;
static Byte *free_at = &__heap_base;

EXPORT("room") void *room(size_t size)
{
    Byte *at = free_at;
    const size_t end = (size_t)at + size, page = 65536;
    const size_t pages = (end + page - 1) / page, has = __builtin_wasm_memory_size(0);
    if (pages > has && __builtin_wasm_memory_grow(0, pages - has) == (size_t)-1) {
        return NULL;
    }
    free_at += (size + 15) / 16 * 16;
    return at;
}

static void *take(void *self, size_t size)
{
    (void)self;
    return room(size);
}

static void leave(void *self, void *memory)
{
    (void)self;
    (void)memory;
}

/* A file of 'xz --format=lzma' of so many bytes, whose text has so many; NULL where it is damaged. */
EXPORT("unpack") void *unpack(const Byte *file, size_t file_size, size_t size)
{
    enum { HEADER = LZMA_PROPS_SIZE + 8 };
    ISzAlloc memory = { take, leave };
    SizeT got = size, left = file_size - HEADER;
    ELzmaStatus status;
    Byte *text = room(size);
    const SRes fault = text == NULL
                           ? SZ_ERROR_MEM
                           : LzmaDecode(text, &got, file + HEADER, &left, file, LZMA_PROPS_SIZE,
                                        LZMA_FINISH_ANY, &status, &memory);
    return fault == SZ_OK && got == size ? text : NULL;
}
