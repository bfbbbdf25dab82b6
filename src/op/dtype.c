#include <math.h>

#include <nncost/dtype.h>

#include "base/names.h"

double nnc_dtype_bytes(nnc_dtype dtype)
{
    static const double bytes_of[NNC_DTYPE_COUNT] = {
#define BYTES(name, text, bytes) [name] = (bytes),
        NNC_DTYPE_LIST(BYTES)
#undef BYTES
    };
    return (unsigned)dtype < NNC_DTYPE_COUNT ? bytes_of[dtype] : (double)NAN;
}

double nnc_stored_bytes(nnc_stored stored, double group_size)
{
    static const struct {
        double bits, scale_bits, zero_bits, group;
    } rows[NNC_STORED_COUNT] = {
#define STORED(name, text, bits, scale_bits, zero_bits, group, math) \
    [name] = { (bits), (scale_bits), (zero_bits), (group) },
        NNC_STORED_LIST(STORED)
#undef STORED
    };
    if ((unsigned)stored >= NNC_STORED_COUNT) {
        return (double)NAN;
    }
    const double group = rows[stored].group > 0.0 ? rows[stored].group : group_size;
    const double shared = rows[stored].scale_bits + rows[stored].zero_bits;
    return (rows[stored].bits + (shared > 0.0 ? shared / group : 0.0)) / 8.0;
}

double nnc_block_format_bytes(double element_bytes, double scale_bytes, double block)
{
    return element_bytes + scale_bytes / block;
}
