/* Unpacks the output of pack.c, by the decoder for PPMd of Debian's package lzma. unpack.c is a separate module, whose
 * memory only grows and is freed with the module. */
#include <stddef.h>
#include <string.h>

#include "Ppmd7.h"
#include "packed.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* The first free byte; the linker knows where it is at first. */
extern Byte __heap_base;
static Byte *free_at = &__heap_base;

EXPORT("room") void *room(size_t size) {
    Byte *at = free_at;
    const size_t end = (size_t)at + size, page = 65536;
    const size_t pages = (end + page - 1) / page, has = __builtin_wasm_memory_size(0);
    if (pages > has && __builtin_wasm_memory_grow(0, pages - has) == (size_t)-1) { return NULL; }
    free_at += (size + 15) / 16 * 16;
    return at;
}

static void *take(void *self, size_t size) {
    (void)self;
    return room(size);
}

static void leave(void *self, void *memory) {
    (void)self;
    (void)memory;
}

/* Bytes of a packed text, which are followed by zeros. */
typedef struct source {
    IByteIn in; /* the first member, so a pointer to it is also a pointer to the source */
    const Byte *at, *end;
} source;

static Byte get(void *self) {
    source *from = self;
    return from->at < from->end ? *from->at++ : 0;
}

/* Unpacks a packed text to `text`, which gets `size` bytes. Returns 1, or 0 if the packed text is damaged. */
EXPORT("unpack") int unpack(const Byte *packed, size_t packed_size, unsigned order, Byte *text, size_t size) {
    static CPpmd7 model;
    ISzAlloc memory = { take, leave };
    source from = { { get }, packed, packed + packed_size };
    CPpmd7z_RangeDec coder = { .Stream = &from.in };
    if (!Ppmd7_WasAllocated(&model)) {
        Ppmd7_Construct(&model);
        if (!Ppmd7_Alloc(&model, MODEL_BYTES, &memory)) { return 0; }
    }
    Ppmd7z_RangeDec_CreateVTable(&coder);
    if (!Ppmd7z_RangeDec_Init(&coder)) { return 0; }
    Ppmd7_Init(&model, order);
    for (size_t i = 0; i < size; i++) {
        const int byte = Ppmd7_DecodeSymbol(&model, &coder.p);
        if (byte < 0) { return 0; }
        text[i] = (Byte)byte;
    }
    return Ppmd7z_RangeDec_IsFinishedOK(&coder);
}
