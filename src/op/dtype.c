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

NNC_ENUM_NAMES(nnc_dtype, NNC_DTYPE_LIST)

double nnc_block_format_bytes(double element_bytes, double scale_bytes, double block)
{
    return element_bytes + scale_bytes / block;
}
