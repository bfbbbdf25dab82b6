/* SPDX-License-Identifier: Apache-2.0 */
/* Number formats and their sizes. */
#ifndef NNCOST_DTYPE_H
#define NNCOST_DTYPE_H

#include <nncost/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, bytes per stored element.
 * tf32 is a rate of the matrix units; its operands are stored in fp32. */
#define NNC_DTYPE_LIST(X)    \
    X(NNC_FP64, "fp64", 8.0) \
    X(NNC_FP32, "fp32", 4.0) \
    X(NNC_TF32, "tf32", 4.0) \
    X(NNC_BF16, "bf16", 2.0) \
    X(NNC_FP16, "fp16", 2.0) \
    X(NNC_FP8, "fp8", 1.0)   \
    X(NNC_INT8, "int8", 1.0) \
    X(NNC_FP4, "fp4", 0.5)   \
    X(NNC_INT4, "int4", 0.5)

NNC_ENUM(nnc_dtype, NNC_DTYPE_LIST, NNC_DTYPE_COUNT);

/* Bytes per stored element; NaN for a value outside the list. */
NNC_API double nnc_dtype_bytes(nnc_dtype dtype);
/* "bf16"; static storage, "?" for a value outside the list. */
NNC_API const char *nnc_dtype_name(nnc_dtype dtype);
/* Bytes per element of a block-scaled format: element + scale / block length.
 * Sources: OCP MX specification 1.0; QLoRA arXiv:2305.14314; arXiv:2110.02861.   [formats] */
NNC_API double nnc_block_format_bytes(double element_bytes, double scale_bytes, double block);

#ifdef __cplusplus
}
#endif

#endif
