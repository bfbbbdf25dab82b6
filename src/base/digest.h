/* A digest that shows whether something changed: FNV-1a with 64 bits. It tells slips apart, not
 * forgeries.
 * Source: Fowler, Noll, Vo, draft-eastlake-fnv. */
#ifndef NNCOST_BASE_DIGEST_H
#define NNCOST_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define NNC_DIGEST_START UINT64_C(0xcbf29ce484222325)

/* The digest of what came before, continued by these bytes. */
uint64_t nnc_digest_bytes(uint64_t digest, const void *bytes, size_t size);
/* The same by a text and its NUL, so that two texts in a row do not run together. */
uint64_t nnc_digest_text(uint64_t digest, const char *text);
/* The same by a number, whatever the order of its bytes in memory. */
uint64_t nnc_digest_number(uint64_t digest, uint64_t number);

/* CRC-32 as zlib and PNG have it, for names that others must be able to divide in the same way; start with 0. */
uint32_t nnc_crc32(uint32_t crc, const void *bytes, size_t size);

/* Sixteen hexadecimal digits. Returns text. */
enum { NNC_DIGEST_TEXT = 17 };
char *nnc_digest_print(uint64_t digest, char text[NNC_DIGEST_TEXT]);

#endif
