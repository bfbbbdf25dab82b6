#include "base/sized.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* More than any struct of a release will ever have: what was not set looks like this. */
enum { SIZE_MAX_KNOWN = 1 << 20 };

static size_t size_of(const void *given)
{
    size_t size = 0;
    memcpy(&size, given, sizeof size);
    return size;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

nnc_status nnc_sized_check(const void *given, size_t full_size, const char *what, nnc_error *err)
{
    const size_t size = size_of(given);
    if (size <= sizeof size || size > SIZE_MAX_KNOWN) {
        char where[64];
        snprintf(where, sizeof where, "%s.struct_size", what);
        return nnc_fail(err, NNC_BAD_USAGE, where,
                        "not set, expected %zu as %s_default sets it, found %zu", full_size, what,
                        size);
    }
    return NNC_OK;
}

nnc_status nnc_sized_read(void *full, size_t full_size, const void *given, const char *what,
                          nnc_error *err)
{
    NNC_TRY(nnc_sized_check(given, full_size, what, err));
    const size_t size = size_of(given);
    for (size_t i = full_size; i < size; i++) {
        if (((const unsigned char *)given)[i] != 0) {
            return nnc_fail(err, NNC_BAD_USAGE, what,
                            "says more than this library knows, expected a struct of %zu bytes or "
                            "zeros after them, found %zu",
                            full_size, size);
        }
    }
    memcpy(full, given, least_of(size, full_size));
    memcpy(full, &full_size, sizeof full_size);
    return NNC_OK;
}

void nnc_sized_write(void *given, const void *full, size_t full_size)
{
    const size_t size = size_of(given), known = least_of(size, full_size);
    memcpy((char *)given + sizeof size, (const char *)full + sizeof size, known - sizeof size);
    memset((char *)given + known, 0, size - known);
}
