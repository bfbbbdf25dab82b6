/* Measured training steps, kernels and collectives of others, read from CSV files. */
#ifndef NNCOST_LAB_MEASURED_H
#define NNCOST_LAB_MEASURED_H

#include <nncost/serve.h>
#include <nncost/spec.h>

#include "op/dims.h"

#define NNC_MEASURED_KIND_LIST(X)                                             \
    X(NNC_MEASURED_STEP, "step", "A training step.")                          \
    X(NNC_MEASURED_GEMM, "gemm", "A matrix product.")                         \
    X(NNC_MEASURED_ATTENTION, "attention", "A fused kernel.")                 \
    X(NNC_MEASURED_VECTOR, "vector", "A norm, a softmax, an activation.")     \
    X(NNC_MEASURED_COLLECTIVE, "collective", "Ranks that communicate.")       \
    X(NNC_MEASURED_MEMORY, "memory", "Of one rank, its run in another file.") \
    X(NNC_MEASURED_SERVING, "serving", "Requests that were served.")
NNC_ENUM(nnc_measured_kind, NNC_MEASURED_KIND_LIST, NNC_MEASURED_KIND_COUNT);
const char *nnc_measured_kind_name(nnc_measured_kind value);

/* What a measured number of bytes is. */
#define NNC_MEMORY_STAT_LIST(X)                                          \
    X(NNC_MEMORY_ALLOCATED, "allocated", "Peak of live tensors.")        \
    X(NNC_MEMORY_RESERVED, "reserved", "Peak of the caching allocator.") \
    X(NNC_MEMORY_UNSTATED, "unstated", "One of the two.")
NNC_ENUM(nnc_memory_stat, NNC_MEMORY_STAT_LIST, NNC_MEMORY_STAT_COUNT);
const char *nnc_memory_stat_name(nnc_memory_stat value);

/* What was measured of requests that were served: value, column, what it is. All are seconds; a line gives a
 * row for each that it has. */
#define NNC_SERVED_LIST(X)                                                             \
    X(NNC_SERVED_TPOT, "tpot_s", "Time per output token after the first.")             \
    X(NNC_SERVED_TTFT, "ttft_s", "Time to the first token.")                           \
    X(NNC_SERVED_REQUEST, "latency_s", "From the start of a batch to its last token.") \
    X(NNC_SERVED_TOKEN, "output_tokens_per_s", "Of the whole deployment, inverted.")   \
    X(NNC_SERVED_PASS, "iterations_per_s",                                             \
      "One forward pass: a denoising step, inverted; an encoder's latency.")
NNC_ENUM(nnc_served, NNC_SERVED_LIST, NNC_SERVED_COUNT);
const char *nnc_served_name(nnc_served value);

/* Ranks that exchange, without a training step around them. */
typedef struct nnc_measured_exchange {
    nnc_collective kind;
    int32_t devices, nodes;
    double bytes; /* of the full tensor; all-to-all: the send buffer of one rank */
} nnc_measured_exchange;

/* One row. Texts live in the set's arena. NaN = the row does not say. */
typedef struct nnc_measured {
    const char *id, *file;
    long line;
    nnc_measured_kind kind;
    const char *device;    /* as the file names it */
    const char *framework; /* as the file names it, "" = not stated */
    const char *software;  /* the profile that stands for it; NULL = the default one */
    const char *source; /* what its source begins with, up to a colon: owner/repo; else the file */
    const char *model_name; /* as the file names it, "" = not stated */
    bool fitted;            /* of a step or of serving: whatever is fitted may be fitted on it */
    const char *model_id;   /* a shipped model; NULL = model */
    const nnc_model *model; /* NULL unless a step */
    nnc_plan plan;
    const nnc_framework
        *from; /* what its framework does where the row does not say; NULL = nothing */
    double internode_bytes_per_s; /* one device's share of its node's network links */
    nnc_op op;                    /* of a kernel; attention without its pairs */
    bool causal;
    nnc_measured_exchange exchange;
    nnc_served served;
    nnc_serve_ask ask;        /* how it was served */
    bool single;              /* one stream */
    nnc_dtype pass_precision; /* of a forward pass */
    bool tensor_open;         /* its degree of tensor parallelism is not recorded */
    double measured_s;
    double rounding; /* relative half-width that printing left */
    double measured_bytes[NNC_MEMORY_STAT_COUNT];
    const char *undecided; /* what decides the time and the row leaves open, "" = nothing */
    const char *reason;    /* why the row cannot be expressed; NULL = it can */
} nnc_measured;

typedef struct nnc_measured_file {
    const char *path;
    const nnc_measured *rows;
    int32_t count;
    const char *const *unused; /* columns that are known and have no part in a prediction */
    int32_t unused_count;
} nnc_measured_file;

/* Reads a file of measured rows; what it holds lives as long as the set. A column that is not known
 * and a cell that is not a number fail with NNC_BAD_SPEC, naming the file and the line; a value that
 * has no meaning here is the row's `reason`. Other errors: NNC_IO, NNC_NO_MEMORY. */
nnc_status nnc_measured_load(nnc_specs *specs, const char *path, nnc_measured_file *file,
                             nnc_error *err);
/* The same from text in memory; name stands in messages. */
nnc_status nnc_measured_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                              nnc_measured_file *file, nnc_error *err);

/* The last part of a path: files are told apart by it in reports. */
const char *nnc_measured_file_name(const char *path);

/* Rows of one source and one model stay together; fits see those groups whose "SOURCE/MODEL" has an even
 * CRC-32, and are scored on the others. */
bool nnc_measured_is_fitted(const char *source, const char *model_name);

#endif
