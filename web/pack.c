/* Packs standard input as PPMd, for unpack.c: pack ORDER <TEXT >PACKED. */
#include <stdio.h>
#include <stdlib.h>

#include "Ppmd7.h"
#include "packed.h"

static void put(void *stream, Byte byte) {
    (void)stream;
    putchar(byte);
}

static void *take(void *self, size_t size) {
    (void)self;
    return malloc(size);
}

static void leave(void *self, void *memory) {
    (void)self;
    free(memory);
}

int main(int argc, char **argv) {
    static CPpmd7 model;
    IByteOut out = { put };
    ISzAlloc memory = { take, leave };
    CPpmd7z_RangeEnc coder = { .Stream = &out };
    Ppmd7_Construct(&model);
    if (argc != 2 || !Ppmd7_Alloc(&model, MODEL_BYTES, &memory)) { return EXIT_FAILURE; }
    Ppmd7_Init(&model, (unsigned)strtoul(argv[1], NULL, 10));
    Ppmd7z_RangeEnc_Init(&coder);
    for (int byte = getchar(); byte != EOF; byte = getchar()) { Ppmd7_EncodeSymbol(&model, &coder, byte); }
    Ppmd7z_RangeEnc_FlushData(&coder);
    Ppmd7_Free(&model, &memory);
    return fflush(stdout) == 0 && !ferror(stdin) ? EXIT_SUCCESS : EXIT_FAILURE;
}
