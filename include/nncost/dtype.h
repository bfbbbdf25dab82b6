/* SPDX-License-Identifier: Apache-2.0 */
/* Number formats of tensors, and the size of an element in each format. */
#ifndef NNCOST_DTYPE_H
#define NNCOST_DTYPE_H

#include <nncost/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number formats. The columns of this list are the enumerator, the name, and the bytes of one stored element. tf32 is a
 * mode of the matrix units; operands in tf32 are stored in fp32. */
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

/* Returns the bytes of one stored element of a number format; NaN for a value that is no nnc_dtype. */
NNC_API double nnc_dtype_bytes(nnc_dtype dtype);
/* Returns the name of a number format, for example "bf16", in static storage; "?" for a value that is no nnc_dtype. */
NNC_API const char *nnc_dtype_name(nnc_dtype dtype);
/* Storage formats of weights, keys and values in serving. The columns of this list are the enumerator, the name, the
 * bits of an element, the bits of the scale of a group of elements, the bits of the zero point of a group, the number
 * of elements of a group (0: the user gives this number), and the number format of the products on devices whose matrix
 * units can compute it. Sources: OCP MX specification 1.0 (mxfp4); NVFP4, docs.nvidia.com/cuda, cuDNN block scaling;
 * AWQ arXiv:2306.00978, whose int4 has an fp16 scale and a 4-bit zero point per group. See docs/serving.md. */
#define NNC_STORED_LIST(X)                                            \
    X(NNC_STORED_FP32, "fp32", 32.0, 0.0, 0.0, 0.0, NNC_FP32)         \
    X(NNC_STORED_BF16, "bf16", 16.0, 0.0, 0.0, 0.0, NNC_BF16)         \
    X(NNC_STORED_FP16, "fp16", 16.0, 0.0, 0.0, 0.0, NNC_FP16)         \
    X(NNC_STORED_FP8, "fp8", 8.0, 0.0, 0.0, 0.0, NNC_FP8)             \
    X(NNC_STORED_FP8_BLOCK, "fp8-block", 8.0, 0.0, 0.0, 0.0, NNC_FP8) \
    X(NNC_STORED_INT8, "int8", 8.0, 0.0, 0.0, 0.0, NNC_BF16)          \
    X(NNC_STORED_INT4, "int4", 4.0, 16.0, 4.0, 0.0, NNC_BF16)         \
    X(NNC_STORED_NVFP4, "nvfp4", 4.0, 8.0, 0.0, 16.0, NNC_FP4)        \
    X(NNC_STORED_MXFP4, "mxfp4", 4.0, 8.0, 0.0, 32.0, NNC_FP4)
NNC_ENUM(nnc_stored, NNC_STORED_LIST, NNC_STORED_COUNT);
/* Returns the name of a storage format, for example "nvfp4", in static storage; "?" for a value that is no
 * nnc_stored. */
NNC_API const char *nnc_stored_name(nnc_stored stored);
/* Returns the mean bytes per element of a storage format: the bytes of a group with its scale and zero point / number
 * of elements of the group. group_size: number of elements of a group, used only if the format does not fix this
 * number. Returns NaN for a value that is no nnc_stored. */
NNC_API double nnc_stored_bytes(nnc_stored stored, double group_size);

/* Returns the mean bytes per element of a format in which `block` elements share a scale of scale_bytes bytes:
 * element_bytes + scale_bytes / block. Sources: OCP MX specification 1.0; QLoRA arXiv:2305.14314; arXiv:2110.02861.
 * [formats] */
NNC_API double nnc_block_format_bytes(double element_bytes, double scale_bytes, double block);

#ifdef __cplusplus
}
#endif

#endif
