/* Efficiency figures of a device, fitted to measured rows of it.
 *
 * Rows that the same figures explain are a group, and each group only moves what it can determine:
 *
 *   products of a format         sustained_fraction; from 20 rows also boost_ratio, memory_fraction,
 *                                fixed_s, k_fill, l2_bytes_per_flop (l2_bytes_per_s of a device
 *                                that says it), wave_quantization
 *   a generation of attention    sustained_fraction; from 20 rows also fixed_s, seq_half,
 *                                block_penalty; narrow_ratio with two head widths; backward_ratio
 *                                with backward rows
 *   norms, softmax, activations  pointwise.memory_fraction; from 20 rows also fixed_s
 *   a collective in a domain     bus_fraction; from 6 rows also fixed_s, knee_bytes, and with two
 *                                sizes of groups log2_s, small_group_loss
 *   collectives between domains  scale_out_fraction; from 6 rows also scale_out_fixed_s
 *   training steps               calibration; from 5 rows with two hidden sizes and two sequence
 *                                lengths, without which the two say the same, also
 *                                pointwise.memory_fraction; then, each with 5 more rows, the
 *                                sustained_fraction of an attention kernel that 3 rows of two
 *                                sequence lengths run, step_fixed_s of 5 rows with tensor
 *                                parallelism, scale_out_fraction of 5 rows on several nodes
 *
 * Of what is served they are figures of an engine's profile:
 *
 *   times per token, of batches  step_s; from 20 rows also layer_s, sequence_s, prefill_factor
 *   times to the first token     ttft_s; from 20 rows of closed loops also ttft_wave
 *
 * Groups are fitted in this order, steps on top of what kernels said: a figure fitted on kernels
 * stays. What the caller names himself is fitted to all rows at once.
 *
 * The fit makes the mean of |ln(predicted / measured)| least, over the rows of a file, then over the
 * files, then over the groups. A small term, 0.01 / rows times ln(1 + steps^2) each, draws several
 * figures to where they start, so that one the rows say nothing about stays there. */
#ifndef NNCOST_LAB_FIT_H
#define NNCOST_LAB_FIT_H

#include "lab/stats.h"

enum { NNC_FIT_FIGURES_MAX = 160, NNC_FIT_GROUPS_MAX = 40, NNC_FIT_NAME = 80 };

/* A row and what predicts it: model, device, software and plan as they are after every option. */
typedef struct nnc_fit_row {
    const nnc_measured *row;
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    nnc_plan plan;
    uint64_t digest; /* equal for rows that stay together in a cross-validation */
    int32_t file;
    bool held; /* not fitted on */
    int32_t group;
    int32_t part;                  /* of the cross-validation */
    double weight;                 /* in the fit at hand */
    double before, after, crossed; /* errors; NaN = none */
} nnc_fit_row;

typedef struct nnc_fit_figure {
    char name[NNC_FIT_NAME]; /* "efficiency.calibration" */
    int32_t group;           /* whose rows move it; -1 = all */
    size_t offset;           /* in the device; of what is served in the software */
    double before;           /* NaN = neutral, without a number */
    double value;            /* fitted, six digits; NaN = not fitted */
    int32_t rows;            /* fitted on */
    bool at_limit;
    const char *reason; /* why it is left as it is; NULL = it is fitted */
} nnc_fit_figure;

typedef struct nnc_fit_group {
    char name[48]; /* "gemm bf16", "all_reduce", "steps" */
    nnc_measured_kind kind;
    int32_t rows, held;
    int32_t parts; /* of its cross-validation; 0 = none */
    nnc_score_stats before, after, crossed, held_before, held_after;
} nnc_fit_group;

typedef struct nnc_fit {
    nnc_scratch *scratch;
    bool served; /* figures are of the software, rows of served requests */
    nnc_fit_row *rows;
    int32_t row_count;
    nnc_fit_figure figures[NNC_FIT_FIGURES_MAX];
    int32_t figure_count;
    nnc_fit_group groups[NNC_FIT_GROUPS_MAX];
    int32_t group_count;
} nnc_fit;

/* Is there a figure that explains such rows, of training or of what is served? If not, *reason says why. */
bool nnc_fit_takes(const nnc_measured *row, bool served, const char **reason);

/* Sorts the rows into groups. */
void nnc_fit_group_rows(nnc_fit *fit);

/* Lists the figures that the groups can determine, and those that they cannot, with the reason. The
 * caller fills in offset and before. Rows are grouped. */
void nnc_fit_choose(nnc_fit *fit);

/* Adds a figure for all rows; false when there is no room. */
bool nnc_fit_add(nnc_fit *fit, const char *name);

/* Fits the figures, cross-validates and fills in every error. Figures that the rows do not depend on
 * get that as their reason. Fails with NNC_NO_MEMORY. */
nnc_status nnc_fit_run(nnc_fit *fit, nnc_error *err);

#endif
