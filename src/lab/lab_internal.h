/* Functions of src/lab, the laboratory: tables of measurements, their predictions, and device parameters that are
 * fitted to them.
 *
 * The file measured.c has the names of columns and their other spellings, and reads a CSV file as rows (nnc_measured).
 * The file measured_kinds.c reads the rows of kernels, collectives and served requests.
 * The file published.c reads the texts of published tables, in the form in which their collections publish them, and
 * lists the settings that a row leaves open.
 * The file score.c predicts a row (nnc_scored), and computes the errors of many rows by group.
 * The file fit_choose.c chooses the parameters that a set of rows determines.
 * The file fit.c finds the values of the chosen parameters (nnc_fit) with NLopt.
 * The file log.c reads the seconds of a step, the memory and the MFU from the log of a training program.
 * The file device_text.c writes the text of a device file or profile with fitted parameters. */
#ifndef NNCOST_LAB_INTERNAL_H
#define NNCOST_LAB_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/hardware.h>
#include <nncost/serve.h>
#include <nncost/spec.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "op/op_internal.h"

/* ---- measured.c: columns of a table of measurements ---- */

typedef enum nnc_column_type { NNC_COLUMN_TEXT, NNC_COLUMN_WHOLE, NNC_COLUMN_NUMBER } nnc_column_type;

typedef struct nnc_measured_column {
    /* name of the field, or of the special column, that the column sets; NULL = nncost does not use the column */
    const char *name;
    const char *spelling; /* name of the column as written in the heading of the file */
    nnc_column_type type;
} nnc_measured_column;

/* ---- measured.c: measured rows ---- */

#define NNC_MEASURED_KIND_LIST(X)                                             \
    X(NNC_MEASURED_STEP, "step", "A training step.")                          \
    X(NNC_MEASURED_GEMM, "gemm", "A matrix product.")                         \
    X(NNC_MEASURED_ATTENTION, "attention", "A fused kernel.")                 \
    X(NNC_MEASURED_VECTOR, "vector", "A norm, a softmax, an activation.")     \
    X(NNC_MEASURED_CONV, "conv", "A convolution.")                            \
    X(NNC_MEASURED_COLLECTIVE, "collective", "Ranks that communicate.")       \
    X(NNC_MEASURED_MEMORY, "memory", "One rank; the row is in another file.") \
    X(NNC_MEASURED_SERVING, "serving", "Requests that were served.")
NNC_ENUM(nnc_measured_kind, NNC_MEASURED_KIND_LIST, NNC_MEASURED_KIND_COUNT);
const char *nnc_measured_kind_name(nnc_measured_kind value);

/* Kinds of measured memory: X(value, name, meaning). */
#define NNC_MEMORY_STAT_LIST(X)                                          \
    X(NNC_MEMORY_ALLOCATED, "allocated", "Peak of live tensors.")        \
    X(NNC_MEMORY_RESERVED, "reserved", "Peak of the caching allocator.") \
    X(NNC_MEMORY_UNSTATED, "unstated", "One of the two.")
NNC_ENUM(nnc_memory_stat, NNC_MEMORY_STAT_LIST, NNC_MEMORY_STAT_COUNT);
const char *nnc_memory_stat_name(nnc_memory_stat value);

/* Kinds of measurements of served requests: X(value, column, meaning). If a line of a file has values in several
 * columns of this list, each value becomes a row of its own. */
#define NNC_SERVED_LIST(X)                                                                                   \
    X(NNC_SERVED_TPOT, "tpot_s", "Time per output token after the first.")                                   \
    X(NNC_SERVED_TTFT, "ttft_s", "Time to the first token.")                                                 \
    X(NNC_SERVED_REQUEST, "latency_s", "Time from the start of a batch to its last token.")                  \
    X(NNC_SERVED_TOKEN, "output_tokens_per_s", "Seconds per token: 1 / throughput of the whole deployment.") \
    X(NNC_SERVED_PASS, "iterations_per_s",                                                                   \
      "Seconds per forward pass: 1 / denoising steps per second, or latency of an encoder.")
NNC_ENUM(nnc_served, NNC_SERVED_LIST, NNC_SERVED_COUNT);
const char *nnc_served_name(nnc_served value);

/* A collective whose time was measured alone, without compute. */
typedef struct nnc_measured_collective {
    nnc_collective kind;
    int32_t devices, nodes;
    /* bytes of the whole tensor on which the collective works; for an all-to-all, bytes that one rank sends */
    double bytes;
} nnc_measured_collective;

/* A field of the device or of the software profile for which a measured row states a value. */
typedef struct nnc_measured_field {
    bool of_device;
    const char *name, *value;
} nnc_measured_field;

/* One row of a table of measurements. The strings of the row are in the arena of the specs. A number is NaN if the row
 * does not state the number. */
typedef struct nnc_measured {
    const char *id, *file;
    long line;
    nnc_measured_kind kind;
    const char *device; /* name of the device, as written in the file of measurements */
    /* name of the framework, as written in the file of measurements; "" = not stated */
    const char *framework;
    const char *software; /* id of the software profile with which the row is predicted; NULL = the default profile */
    /* source of the row up to its colon (owner/repo); if the row has no source, the name of the file */
    const char *source;
    const char *model_name; /* name of the model, as written in the file of measurements; "" = not stated */
    bool fitted;            /* true: values may be fitted on the row; false: the row is only compared with
                             * its prediction */
    const char *model_id;   /* id of a shipped model, or path of a model file; NULL = the member `model` is the model */
    /* model of the row; NULL: model_id names the model, or the row (a kernel, a collective) has no model */
    const nnc_model *model;
    const char *model_text;            /* text from which the model was made, "ID FIELD=VALUE ..."; NULL = the model was
                             * not made from a text */
    nnc_implementation implementation; /* library that implements the operators of the measured program */
    nnc_plan plan;
    uint64_t given[2];   /* one bit for each plan field, in the order of the table of fields; 1 = the row has a
                          * cell for this field */
    const char *version; /* version of the framework; "" = not stated */
    /* true: a setting of the plan that the row does not state has the default of `nncost estimate` */
    bool as_stated;
    nnc_measured_field *fields; /* fields of the device and of the software profile for which the row gives values */
    int32_t field_count;
    double internode_bytes_per_s; /* bytes per second of the network links of a node, divided by its number of
                                   * devices */
    /* host_pass_s, host_sample_s: seconds per pass, and per sample, in which the device waits for the host.
     * input_samples_per_s: samples that the host prepares for each of its devices; NaN = the device never waits for
     * samples. */
    double host_pass_s, host_sample_s, input_samples_per_s;
    /* op of a measured kernel; for an attention, the prediction sets the number of query-key pairs later */
    nnc_op op;
    bool causal;
    /* true: the measured time of a convolution or a norm is the time of forward and backward together */
    bool both;
    /* for a row that was timed alone in PyTorch: name of the group of kernels of the row; "" = the row was not timed
     * alone in PyTorch */
    char kernel[24];
    bool called; /* true: the measured time runs from the call on the host to the end of the kernel on the device */
    nnc_measured_collective collective;
    nnc_served served;
    nnc_serve_ask ask;        /* load, plan and serving engine of the measured deployment */
    bool single;              /* true: the server had only one request at a time */
    nnc_dtype pass_precision; /* precision of a measured forward pass of a denoiser or encoder */
    bool tensor_open;         /* true: the source does not state the degree of tensor parallelism */
    double measured_s;
    double rounding; /* largest relative rounding error of the times (measured_s) in the file */
    /* largest micro-batch with which the measured program did not run out of memory; 0 = not measured */
    int64_t max_batch;
    double measured_bytes[NNC_MEMORY_STAT_COUNT];
    /* settings that decide the time and that the row does not state; "" = the row states all such settings */
    const char *undecided;
    const char *reason; /* reason why the row cannot be predicted; NULL = nncost can predict the row */
} nnc_measured;

typedef struct nnc_measured_file {
    const char *path;
    const nnc_measured *rows;
    int32_t count;
    const char *const *unused; /* columns of the file of measurements that nncost does not use */
    int32_t unused_count;
} nnc_measured_file;

/* Reads a file of measured rows; the result lives as long as the specs. Fails with NNC_BAD_SPEC for an unknown column;
 * the error names the file and the line. If a cell has the wrong type or a value without a meaning, the row of the cell
 * is not predicted and gets a `reason`. Other errors: NNC_IO, NNC_NO_MEMORY. */
nnc_status nnc_measured_load(nnc_specs *specs, const char *path, nnc_measured_file *file, nnc_error *err);
/* Reads the rows as nnc_measured_load does, but from `text`, the content of a file in memory. Errors name the file as
 * `name`. */
nnc_status nnc_measured_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                              nnc_measured_file *file, nnc_error *err);

/* Returns the last part of a path: the file name after the last slash. */
const char *nnc_measured_file_name(const char *path);

/* ---- measured.c: the line of a table that is being read ---- */

/* Type of the functions that set a field of a plan, a deployment or a model from text. */
typedef nnc_status nnc_set_text(void *object, const char *field, const char *value);

/* State of reading a CSV file of measurements. */
typedef struct nnc_row_reading {
    nnc_specs *specs;
    nnc_arena *arena;
    nnc_csv csv;
    nnc_measured_column columns[NNC_CSV_CELLS_MAX]; /* columns of the file, then columns that published.c adds */
    /* width: number of all columns; file_width: number of columns of the file */
    int width, file_width;
    bool respelled; /* true: the file has columns with names of published tables */
    /* contents of foreign/names/words.json and of members.json while nncost reads a published table; absent values for
     * any other table */
    nnc_json words, members;
    const char **unused;
    int32_t unused_count;
    nnc_measured_kind kind;
    nnc_measured *rows;
    int32_t count, capacity;
    nnc_measured *row; /* the measured row that is being read */
    bool no_memory;
    /* reason why a cell of the current line is wrong (its type, or the number of cells); "" = no cell is wrong */
    char bad[256];
} nnc_row_reading;

/* Tests whether two texts are equal and not empty. */
bool nnc_row_is(const char *text, const char *other);
/* Finds the entry of a key in a list such as "|KEY=VALUE|KEY=VALUE|" (end: '=') or "|KEY|KEY|" (end: '|'). Returns the
 * text after the key and the character `end`, up to the next '|'. Returns NULL if the list does not have the key. */
const char *nnc_list_entry(const char *list, const char *key, char end);
/* Tests whether the file has a column. */
bool nnc_row_has(const nnc_row_reading *r, const char *name);
/* Tests whether the cell of a column is not empty. */
bool nnc_row_given(const nnc_row_reading *r, const char *name);
/* Returns the text in the cell of a column; "" if the file does not have the column. */
const char *nnc_row_text(const nnc_row_reading *r, const char *name);
/* Returns the whole number in the cell of a column; 0 if the cell is empty or has no whole number. A number above 1e15,
 * more than any field allows, becomes 1e15, so that sums cannot overflow. */
int64_t nnc_row_whole(const nnc_row_reading *r, const char *name);
/* Returns the number in the cell of a column; NaN if the cell is empty or has no number. */
double nnc_row_number(const nnc_row_reading *r, const char *name);
/* Returns a copy of a text that lives as long as the rows. When out of memory, returns "", and the code that reads the
 * table reports the error later. */
const char *nnc_row_keep(nnc_row_reading *r, const char *text);
/* Stores the reason why the current row cannot be predicted. If the row already has a reason, the earlier reason
 * stays. */
void nnc_row_refuse(nnc_row_reading *r, const char *format, ...) NNC_PRINTF(2, 3);
/* Sets each field of a field table for which the current line has a cell. The name of the column is `prefix` and the
 * name of the field. Fields whose column is in `others` are left out, because other functions set them. For a model
 * field, a cell with the value 0 sets nothing. */
void nnc_row_set_fields(nnc_row_reading *r, const nnc_field_table *table, const char *prefix, nnc_set_text *set,
                        void *object, const char *const *others);
/* Loads or makes the model that the row names. If nncost has only a stand-in (another network with equal counts), adds
 * "network" to the settings that the row leaves open. If the model cannot be made, stores the reason why the row is not
 * predicted. */
void nnc_row_name_model(nnc_row_reading *r, const char *text);
/* Loads a model from the file that the column "config" names; the path is relative to the folder of the measurements.
 * If the row has the column model.tied_head, the cell in this column decides whether the head shares the weights of the
 * word table. */
void nnc_row_read_configuration(nnc_row_reading *r);

/* Adds a column with empty cells, if the table does not have it. Returns false if no column has this name. */
bool nnc_row_add_column(nnc_row_reading *r, const char *name);

/* ---- published.c: tables as their collections publish them ---- */

typedef nnc_status nnc_published_rows(nnc_row_reading *r, nnc_error *err);
/* Calls `read`, which reads the rows of a table. For a published table, the function first opens
 * foreign/names/words.json, and adds the columns that this file sets. */
nnc_status nnc_published_read(nnc_row_reading *r, nnc_published_rows *read, nnc_error *err);
/* Changes the cells of the current line of a published table to their meaning in words.json. Does nothing for other
 * tables. */
void nnc_published_row(nnc_row_reading *r);

/* ---- measured_kinds.c: rows of kernels, collectives and served requests ---- */

void nnc_row_read_product(nnc_row_reading *r);
/* Read the current line as a measured attention, collective or matrix product. */
void nnc_row_read_attention(nnc_row_reading *r);
void nnc_row_read_collective(nnc_row_reading *r);
/* Reads one of the two times that a line states for a convolution. both: true = the time of forward and of the
 * gradients of input and weights; false = the time of forward. */
void nnc_row_read_conv(nnc_row_reading *r, bool both);
/* Returns the reason why nncost does not predict kernels of a kind; NULL = nncost predicts them. */
const char *nnc_row_reason_of_kind(const char *kind);
/* Tests whether the row is a single forward pass that generates no tokens: a denoising step for a batch of images, or
 * an encoder over a batch. */
bool nnc_row_is_pass(const nnc_row_reading *r);
/* Reads one measurement of served requests from a line; the caller has set row->served to the kind of measurement.
 * Returns false if the line has no measurement of this kind. */
bool nnc_row_read_serving(nnc_row_reading *r);

/* ---- score.c: predictions of measured rows ---- */

/* A measured row and its prediction. A predicted value is NaN if it was not computed. Errors are predicted / measured -
 * 1. */
typedef struct nnc_scored {
    const nnc_measured *row;
    const char *device;   /* id of the device file with which the row is predicted */
    const char *software; /* id of the software profile with which the row is predicted; NULL = no profile was loaded */
    /* true: nncost knows no release of the row's framework, so it predicts the row without --software */
    bool unknown;
    const char *what; /* name of the row's group in --summary: "DEVICE, PROFILE, dense"; "" = without --summary */
    /* measured seconds of the step, kernel or token of the row; if `saturated` is true, measured seconds per request */
    double measured_s;
    double predicted_s, low_s, high_s, lower_bound_s;
    bool saturated; /* true: the row's request rate is above the rate that the predicted engine can serve */
    double error;
    /* FLOPs of the step on all devices; attention counts all pairs of query and key, including masked pairs */
    double model_flops;
    /* kind of measured memory (allocated, reserved ...) with which predicted_bytes is compared */
    nnc_memory_stat memory_stat;
    double predicted_bytes, memory_error;
    double most_bytes;                                /* upper end of the interval of predicted_bytes, in bytes */
    double peak_allocated_error, peak_reserved_error; /* errors of the predicted peaks: peak_allocated_error of
                                                       * allocated memory, peak_reserved_error of reserved memory;
                                                       * NaN if the row does not state the peak */
    int64_t max_batch, max_batch_tight;               /* max_batch: largest micro-batch that fits, as predicted;
                                                       * max_batch_tight: largest micro-batch whose verdict is fits
                                                       * or tight. 0 = the row states no largest micro-batch */
    /* predicted verdict: whether the step fits in memory (the measured step did fit) */
    nnc_verdict fit;
    /* true: the row has a measurement of served requests, and the model of the row has experts */
    bool experts;
    /* reason why the row has no prediction; NULL = the row has a prediction */
    const char *reason;
} nnc_scored;

/* Predicts one measured row. The caller passes the model, device, software and plan with which the row is predicted,
 * and which may differ from those that the row states; model may be NULL for kernels and collectives. Returns the same
 * errors as nnc_estimate. A row with a `reason` is not predicted. */
nnc_status nnc_score_row(const nnc_measured *row, const nnc_model *model, const nnc_device *device,
                         const nnc_software *software, const nnc_plan *plan, nnc_scratch *scratch, nnc_scored *scored,
                         nnc_error *err);

/* Tests whether a cell of the measured row sets the field `field` of the plan. The function has the type of nnc_given;
 * `in` points to an nnc_measured. */
bool nnc_measured_gives(const void *in, const char *field);

/* Tests whether the lower bound of a row's time is longer than the measured time plus its rounding error. If the lower
 * bound is longer, the bound or the measurement is wrong. */
bool nnc_score_contradicts(const nnc_scored *scored);

/* Returns an nnc_scored for a measured row that is not predicted: all its predicted values are NaN. */
nnc_scored nnc_scored_open(const nnc_measured *row);

/* Sections of the table of errors: each section has rows with one kind of measured quantity, so that their errors can
 * be compared. X(value, name, title). */
#define NNC_SCORE_SECTION_LIST(X)                                                                            \
    X(NNC_SECTION_STEP, "step", "steps")                                                                     \
    X(NNC_SECTION_STEP_APART, "step_apart", "steps that leave a deciding field open")                        \
    X(NNC_SECTION_MEMORY, "memory", "peak memory, allocated")                                                \
    X(NNC_SECTION_MEMORY_APART, "memory_apart", "peak memory of other kinds, or with a deciding field open") \
    X(NNC_SECTION_GEMM, "gemm", "matrix products")                                                           \
    X(NNC_SECTION_ATTENTION, "attention", "attention kernels")                                               \
    X(NNC_SECTION_CONV, "conv", "convolutions")                                                              \
    X(NNC_SECTION_VECTOR, "vector", "norms, softmax, activations")                                           \
    X(NNC_SECTION_COLLECTIVE, "collective", "collectives of 1 MB and more")                                  \
    X(NNC_SECTION_COLLECTIVE_SMALL, "collective_small", "collectives below 1 MB")                            \
    X(NNC_SECTION_RANK_MEMORY, "rank_memory", "memory of single ranks")                                      \
    X(NNC_SECTION_BATCH, "batch_latency", "latency of a static batch")                                       \
    X(NNC_SECTION_SINGLE, "single_stream", "one request at a time")                                          \
    X(NNC_SECTION_OFFLINE, "offline", "maximum throughput, as seconds per token")                            \
    X(NNC_SECTION_TPOT, "tpot", "time per output token, dense models")                                       \
    X(NNC_SECTION_TPOT_EXPERTS, "tpot_experts", "time per output token, models with experts")                \
    X(NNC_SECTION_TTFT_OPEN, "ttft_open", "time to first token, by request rate")                            \
    X(NNC_SECTION_TTFT_CLOSED, "ttft_closed", "time to first token, by concurrency")                         \
    X(NNC_SECTION_SATURATED, "saturated", "rates past predicted saturation, as seconds per request")         \
    X(NNC_SECTION_PASS, "forward_pass", "one forward pass: denoising steps, encoders")                       \
    X(NNC_SECTION_SERVING_APART, "serving_apart", "served requests that leave a deciding field open")
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
    X(NNC_SCORE_BY_KERNEL, "kernel")       \
    X(NNC_SCORE_IN_TOTAL, "total")
NNC_ENUM(nnc_score_by, NNC_SCORE_BY_LIST, NNC_SCORE_BY_COUNT);
const char *nnc_score_by_name(nnc_score_by value);

/* Statistics of the errors of several rows; NaN when no row has a prediction. */
typedef struct nnc_score_stats {
    int32_t rows, scored;
    double mape; /* mean of |error| over the predicted rows */
    /* median of |error| over the predicted rows; for an even number of rows, the mean of the two middle values */
    double median;
    double p90;        /* the value of |error| that nine tenths of the rows do not exceed */
    double bias;       /* mean of the error with its sign, over the predicted rows */
    int32_t intervals; /* number of rows whose prediction has an interval */
    double inside;     /* share of the rows in `intervals` whose interval contains the measured value */
    /* row with the largest |error|; if several rows have this |error|, the first of these rows; NULL = no row has a
     * prediction */
    const nnc_scored *worst;
} nnc_score_stats;

typedef struct nnc_score_group {
    nnc_score_section section;
    nnc_score_by by;
    /* name of the group: a file, a device, a framework, "fitted" for all rows that a fit may use, or "unfitted" for all
     * rows that no fit may use; "" = all rows are in one group */
    const char *name;
    nnc_score_stats stats;
} nnc_score_group;

/* Computes the members mape, median, p90, bias and scored of *stats from `errors`, and sorts `errors` by absolute
 * value. */
void nnc_errors_sum(double *errors, int32_t count, nnc_score_stats *stats);

/* Lists the groups of predicted rows with the statistics of their errors. The groups are sorted by section (measured
 * quantity), then by kind of group (nnc_score_by), then by the position of the first row of the group. Returns NULL
 * when out of memory. */
const nnc_score_group *nnc_score_groups(nnc_arena *arena, const nnc_scored *rows, int32_t count, int32_t *group_count);

/* ---- fit.c: fits parameters to measured rows ---- */

enum { NNC_FIT_PARAMETERS_MAX = 160, NNC_FIT_GROUPS_MAX = 40, NNC_FIT_NAME = 80 };

/* A measured row of a fit, and the inputs of its prediction after all options are applied: model, device, software and
 * plan. */
typedef struct nnc_fit_row {
    const nnc_measured *row;
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    nnc_plan plan;
    /* digest of the row's inputs; rows with equal digests are in the same part of a cross-validation */
    uint64_t digest;
    int32_t file;
    bool held;      /* true: the row is held out, so no parameter is fitted on it */
    bool launches;  /* true: the row is a training step that is launch-bound */
    bool unaligned; /* true: the row is a step whose time depends much on products with unaligned dimensions */
    int32_t group;
    int32_t part;  /* index of the part of the cross-validation to which the row belongs */
    double weight; /* weight of the row's error in the mean that the current fit minimises */
    /* errors of the prediction of the row. before: before the fit. after: after the fit. crossed: in the
     * cross-validation. left: with parameters fitted without the row's model (NaN = no such fit). */
    double before, after, crossed, left;
} nnc_fit_row;

/* A parameter that a fit may change. The fitted parameter is a field of the device, or, for served requests, of the
 * software profile. */
typedef struct nnc_fit_parameter {
    char name[NNC_FIT_NAME]; /* name of the parameter, such as "efficiency.calibration" */
    int32_t group; /* index of the fit group whose rows determine the parameter; -1 = the rows of all groups */
    size_t offset; /* offset of the parameter's value in nnc_device or nnc_software */
    double before; /* value before the fit; NaN = the neutral value of the parameter is not a number */
    double value;  /* fitted value, with six significant digits; NaN = the parameter is not fitted */
    /* range of values: from low to high, the mean of |ln(predicted / measured)| over the rows of the parameter is at
     * most 0.01 above its minimum */
    double low, high;
    int32_t rows;   /* number of rows on which the parameter was fitted */
    const char *of; /* name of the fit group whose rows determine the parameter */
    bool at_limit;
    const char *reason; /* reason why the parameter is not fitted; NULL = the parameter is fitted */
} nnc_fit_parameter;

typedef struct nnc_fit_group {
    char name[48]; /* name of the fit group, such as "gemm bf16", "all_reduce" or "steps" */
    nnc_measured_kind kind;
    int32_t rows, held;
    int32_t parts; /* number of parts of the group's cross-validation; 0 = no cross-validation */
    nnc_score_stats before, after, crossed, left, held_before, held_after;
} nnc_fit_group;

typedef struct nnc_fit {
    nnc_scratch *scratch;
    /* true: the fit changes parameters of a serving engine, on rows of served requests; false: it changes parameters of
     * a device */
    bool served;
    nnc_fit_row *rows;
    int32_t row_count;
    nnc_fit_parameter parameters[NNC_FIT_PARAMETERS_MAX];
    int32_t parameter_count;
    nnc_fit_group groups[NNC_FIT_GROUPS_MAX];
    int32_t group_count;
    /* two errors of the same steps. steps_before: error before the fit. steps_left: error with parameters that were
     * fitted without the step's model. */
    nnc_score_stats steps_before, steps_left;
} nnc_fit;

/* Tests whether a fit can use a measured row: nncost can predict the row, and the predicted time depends on a parameter
 * that can be fitted. If the fit cannot use the row, sets *reason. served: true = a fit to served requests, false = a
 * fit to training. */
bool nnc_fit_takes(const nnc_measured *row, bool served, const char **reason);

/* Sets the fit group of each row; rows that the same parameters explain are in the same group. */
void nnc_fit_group_rows(nnc_fit *fit);

/* Lists the parameters of each fit group. If the rows of the group cannot determine a parameter, the list has the
 * parameter with the reason. The caller calls nnc_fit_group_rows before, and sets `offset` and `before` of each
 * parameter afterwards. */
void nnc_fit_choose(nnc_fit *fit);

/* Adds a parameter that is fitted to the rows of all groups. Returns false when the list of parameters is full. */
bool nnc_fit_add(nnc_fit *fit, const char *name);

/* Fits the listed parameters, runs the cross-validation, and computes the errors of rows and groups. If no row depends
 * on a parameter, the parameter is not fitted, and the member `reason` of the parameter says why. Fails with
 * NNC_NO_MEMORY. */
nnc_status nnc_fit_run(nnc_fit *fit, nnc_error *err);

/* ---- fit.c: finds the least value of a function ---- */

enum { NNC_MINIMISE_MAX = 32 };

typedef double nnc_minimise_fn(const double *x, void *context);

typedef struct nnc_minimise_problem {
    int count; /* number of parameters that the search changes, 1 to NNC_MINIMISE_MAX */
    const double *low, *high;
    const double *step; /* for each parameter: distance of the first tries of the search from the start; above 0 */
    /* the search ends when one of its iterations changes the value of the function, or all parameters, by less than
     * this fraction */
    double tolerance;
    nnc_minimise_fn *value;
    void *context;
} nnc_minimise_problem;

/* Tests whether nnc_minimise can run. Fails with NNC_BAD_USAGE if the program was built without NLopt, and with NNC_IO
 * if the NLopt library cannot be loaded. */
nnc_status nnc_minimise_available(nnc_error *err);

/* Finds the point within the limits low and high at which a function has its least value, stores this point in x, and
 * returns the value. Returns NaN when out of memory or without NLopt; x is then unchanged. The method is Subplex
 * (Nelder-Mead in subspaces), which needs no derivatives and also works for functions with kinks and plateaus. The
 * search starts again from the found point, until a restart brings no improvement. The only limit of the search is the
 * number of evaluations. The search uses no random numbers, so the same problem always gives the same x. Source: Rowan,
 * Functional Stability Analysis of Numerical Algorithms, PhD thesis, University of Texas at Austin, 1990; Johnson, The
 * NLopt nonlinear-optimization package. */
double nnc_minimise(const nnc_minimise_problem *problem, double *x);

/* ---- device_text.c: writes files with fitted parameters ---- */

typedef struct nnc_fitted_value {
    const char *name; /* name of the parameter, such as "efficiency.gemm.bf16.fixed_s" */
    double value;
    /* text of the key "fitted_on": the files and the number of rows on which the value was fitted */
    const char *fitted_on;
} nnc_fitted_value;

typedef struct nnc_device_change {
    const char *id; /* id of the new file; if it differs from the id of the old file, the new file has no aliases */
    /* basis of the new parameters; if the old basis comes later in nnc_basis, the file keeps the old basis */
    nnc_basis basis;
    const nnc_fitted_value *values;
    int32_t count;
    bool engine; /* true: the file is a software profile, and its object "serving" gets the new values */
} nnc_device_change;

/* Returns the text of the file at `path` with new values of its parameters. The function writes the object "efficiency"
 * again (in a software profile: the object "serving"). The parameters are in the order of the field table, and each
 * object of a single kernel is on one line. The function copies the text outside of this object byte for byte, except
 * the blanks between the members of the file. The text is in the arena; it has *size bytes and a NUL. Fails if nncost
 * cannot read the new text. */
nnc_status nnc_device_rewrite(nnc_specs *specs, const char *path, const nnc_device_change *change, const char **text,
                              size_t *size, nnc_error *err);

/* Place of a numeric parameter in a loaded device or software profile. */
typedef struct nnc_parameter_place {
    double *value; /* address of the parameter's value in the struct of the device or software profile */
    char name[80]; /* full name of the parameter, such as "efficiency.calibration" */
} nnc_parameter_place;

/* Finds a parameter of a device by its dotted name; the prefix "efficiency." may be missing. For an unknown name, fails
 * with NNC_BAD_USAGE, and the error names the nearest field. */
nnc_status nnc_parameter_find(nnc_device *device, const char *name, nnc_parameter_place *place, nnc_error *err);
/* Finds a parameter of a serving engine in its software profile by its dotted name; the prefix "serving." may be
 * missing. */
nnc_status nnc_engine_parameter_find(nnc_software *software, const char *name, nnc_parameter_place *place,
                                     nnc_error *err);

/* ---- log.c: logs of training programs ---- */

enum {
    /* number of first steps of a run that do not count in the median of the step time; the first line of a run never
     * counts */
    NNC_LOG_WARM_UP = 5,
    NNC_LOG_WINDOW = 100, /* largest number of step times (the latest) from which nncost computes the median */
};

/* State of reading a log up to the current line. A number is NaN if no line has stated the number. */
typedef struct nnc_log {
    /* name of the program that wrote the log; NULL = no line so far has the format of a known program */
    const char *program;
    int64_t lines, readings, skipped, judged;
    /* first_step: number of the first step of the run; last_step: number of the latest step */
    double first_step, last_step;
    double step_s[NNC_LOG_WINDOW];
    double whole_run_s; /* mean step time of the whole run in seconds, if a line of the log states it */
    /* Some lines after the warm-up do not count in the median: late_s is the step time of the latest of these lines,
     * and is used only if no line counts in the median */
    double late_s;
    double mfu; /* MFU of the latest line: the stated MFU, or the stated FLOP/s divided by the peak */
    /* largest numbers of allocated bytes and of reserved bytes that a line has stated */
    double allocated_bytes, reserved_bytes;
    double bar_steps;
    /* step number of a line without a time, and the program that wrote this line; some programs write the step number
     * and the time in different lines */
    double stated_step;
    const char *step_program;
} nnc_log;

nnc_log nnc_log_begin(void);
/* Returns the median of the latest step times (at most NNC_LOG_WINDOW) in seconds. If no step after the warm-up counts
 * in the median, returns late_s; if late_s is also missing, returns whole_run_s. Returns NaN if the median, late_s and
 * whole_run_s are all missing. */
double nnc_log_step_s(const nnc_log *log);

/* Reads a log from a file, or from standard input (path "-"), line by line. each: function that nncost calls after each
 * line that adds a step time to the median; NULL = no call. Fails with NNC_IO. */
typedef void nnc_log_fn(void *context, const nnc_log *log);
nnc_status nnc_log_read(const char *path, const nnc_result *plan, nnc_log *log, nnc_log_fn *each, void *context,
                        nnc_error *err);

#endif
