/* Errors of many rows added up. */
#ifndef NNCOST_LAB_STATS_H
#define NNCOST_LAB_STATS_H

#include "base/arena.h"
#include "lab/score.h"

/* Rows whose errors are worth adding up: value, name, title. */
#define NNC_SCORE_SECTION_LIST(X)                                                             \
    X(NNC_SECTION_STEP, "step", "steps")                                                      \
    X(NNC_SECTION_STEP_APART, "step_apart", "steps that leave a deciding field open")         \
    X(NNC_SECTION_MEMORY, "memory", "peak memory, allocated")                                 \
    X(NNC_SECTION_MEMORY_APART, "memory_apart",                                               \
      "peak memory of other kinds, or with a deciding field open")                            \
    X(NNC_SECTION_GEMM, "gemm", "matrix products")                                            \
    X(NNC_SECTION_ATTENTION, "attention", "attention kernels")                                \
    X(NNC_SECTION_VECTOR, "vector", "norms, softmax, activations")                            \
    X(NNC_SECTION_COLLECTIVE, "collective", "collectives of 1 MB and more")                   \
    X(NNC_SECTION_COLLECTIVE_SMALL, "collective_small", "collectives below 1 MB")             \
    X(NNC_SECTION_RANK_MEMORY, "rank_memory", "memory of single ranks")                       \
    X(NNC_SECTION_BATCH, "batch_latency", "latency of a static batch")                        \
    X(NNC_SECTION_SINGLE, "single_stream", "one request at a time")                           \
    X(NNC_SECTION_OFFLINE, "offline", "maximum throughput, as seconds per token")             \
    X(NNC_SECTION_TPOT, "tpot", "time per output token, dense models")                        \
    X(NNC_SECTION_TPOT_EXPERTS, "tpot_experts", "time per output token, models with experts") \
    X(NNC_SECTION_TTFT_OPEN, "ttft_open", "time to first token, by request rate")             \
    X(NNC_SECTION_TTFT_CLOSED, "ttft_closed", "time to first token, by concurrency")          \
    X(NNC_SECTION_PASS, "forward_pass", "one forward pass: denoising steps, encoders")        \
    X(NNC_SECTION_SERVING_APART, "serving_apart",                                             \
      "served requests that leave a deciding field open")
NNC_ENUM(nnc_score_section, NNC_SCORE_SECTION_LIST, NNC_SECTION_COUNT);
const char *nnc_score_section_name(nnc_score_section value);

#define NNC_SCORE_BY_LIST(X)               \
    X(NNC_SCORE_BY_FILE, "file")           \
    X(NNC_SCORE_FITTED, "fitted")          \
    X(NNC_SCORE_UNFITTED, "unfitted")      \
    X(NNC_SCORE_BY_DEVICE, "device")       \
    X(NNC_SCORE_BY_FRAMEWORK, "framework") \
    X(NNC_SCORE_BY_HALF, "half")           \
    X(NNC_SCORE_BY_WHAT, "summary")        \
    X(NNC_SCORE_IN_TOTAL, "total")
NNC_ENUM(nnc_score_by, NNC_SCORE_BY_LIST, NNC_SCORE_BY_COUNT);
const char *nnc_score_by_name(nnc_score_by value);

/* e = error, over the scored rows; NaN when there are none. */
typedef struct nnc_score_stats {
    int32_t rows, scored;
    double mape;             /* mean of |e| */
    double median;           /* of |e|; of an even number the mean of the middle two */
    double p90;              /* smallest |e| with nine tenths of the rows at or below it */
    double bias;             /* mean of e */
    int32_t intervals;       /* rows with an interval */
    double inside;           /* share of them whose measurement lies in it */
    const nnc_scored *worst; /* largest |e|, the first of several; NULL = none */
} nnc_score_stats;

typedef struct nnc_score_group {
    nnc_score_section section;
    nnc_score_by by;
    const char *name; /* of the file, device, framework or half; "" in total */
    nnc_score_stats stats;
} nnc_score_group;

/* Fills in mape, median, p90, bias and scored from errors, which are left sorted by size. */
void nnc_errors_sum(double *errors, int32_t count, nnc_score_stats *stats);

/* One group per section and file, device, framework, and the section's total: sections first, then
 * what they are grouped by, then in the order of the rows. NULL when out of memory. */
const nnc_score_group *nnc_score_groups(nnc_arena *arena, const nnc_scored *rows, int32_t count,
                                        int32_t *group_count);

#endif
