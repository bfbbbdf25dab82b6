#include "base/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t nnc_digest_bytes(uint64_t digest, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ at[i]) * UINT64_C(0x100000001b3); /* wraps on purpose */
    }
    return digest;
}

uint64_t nnc_digest_text(uint64_t digest, const char *text)
{
    return nnc_digest_bytes(digest, text, strlen(text) + 1);
}

uint64_t nnc_digest_number(uint64_t digest, uint64_t number)
{
    if (number <= 0xFF) { /* seven bytes of 0 only multiply */
        return (digest ^ number) * UINT64_C(0x1efac7090aef4a21); /* the prime to the power of 8 */
    }
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(number >> (8 * i));
    }
    return nnc_digest_bytes(digest, bytes, sizeof bytes);
}

uint32_t nnc_crc32(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1u) != 0 ? UINT32_C(0xedb88320) : 0);
        }
    }
    return ~crc;
}

char *nnc_digest_print(uint64_t digest, char text[NNC_DIGEST_TEXT])
{
    snprintf(text, NNC_DIGEST_TEXT, "%016" PRIx64, digest);
    return text;
}
