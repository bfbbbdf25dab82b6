/* The numbers of a result. Each record (a C struct) has a table with one row per member: name, unit, help, source, and
 * the place of the value in the struct, or a function that computes it. JSON, CSV, tables, names of columns and
 * constraints, the schema of an output and `explain` read the same rows, so a member is listed only once. */
#ifndef NNCOST_METRICS_METRICS_INTERNAL_H
#define NNCOST_METRICS_METRICS_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/run.h>
#include <nncost/serve.h>
#include <nncost/spec.h>

#include "base/base_internal.h"
#include "base/derivation.h"

typedef enum nnc_metric_type {
    NNC_METRIC_NUMBER, /* the value is a double; NaN = unknown */
    NNC_METRIC_WHOLE,  /* the value is an integer of type int32_t, int64_t, or uint64_t below 2^63 */
    NNC_METRIC_BOOL,
    NNC_METRIC_TEXT,   /* the value is a text of type const char *; NULL = no text */
    NNC_METRIC_CHARS,  /* the value is a text in a char array of the record */
    NNC_METRIC_ENUM,   /* the value is an enumerator, which is printed by its name */
    NNC_METRIC_ANY,    /* the value is a number or a string that the function `get` computes */
    NNC_METRIC_OBJECT, /* the value is an object whose members are the rows of another metrics table */
    NNC_METRIC_LIST,   /* the value is a list: a pointer to records, which another metrics table describes */
    NNC_METRIC_TEXTS   /* the value is a list of texts: a pointer to const char * */
} nnc_metric_type;

/* How a number is printed for people. */
typedef enum nnc_show {
    NNC_SHOW_UNIT,     /* a number with its unit and four digits: "12.30 ms"; a value without a unit is shown as
                        * NNC_SHOW_SHORT */
    NNC_SHOW_SHORT,    /* a number with four digits; from 10,000 up with a prefix: "12.30 k" */
    NNC_SHOW_COUNT,    /* a number with separators of thousands: "1,557,611,200", "16.73" */
    NNC_SHOW_PLAIN,    /* a number with all its digits, up to 12 */
    NNC_SHOW_SCALED,   /* a number with a prefix, for columns whose heading names the unit: "386.5 G" */
    NNC_SHOW_PERCENT,  /* a share as "41.2%" */
    NNC_SHOW_PERCENT2, /* a share as "41.23%" */
    NNC_SHOW_ERROR     /* an error as "+12.3%" or "x11.5" */
} nnc_show;

/* A record and its position in the list that contains it. */
typedef struct nnc_place {
    const void *record;
    const void *owner; /* the record whose list contains this record; NULL = not in a list */
    int64_t index;     /* position of the record in this list, from 0 */
} nnc_place;

/* Type of a function that computes the value of a metric. If the value is a string, the function may write it to
 * `text`. */
enum { NNC_METRIC_TEXT_MAX = 512 };
typedef nnc_cell nnc_metric_get(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]);

typedef struct nnc_metrics nnc_metrics;

/* Properties of a row of a metrics table that only few rows have. */
typedef struct nnc_metric_more {
    /* JSON contains the member only if this function returns true; NULL = always */
    bool (*when)(const nnc_place *place);
    bool (*unless)(const nnc_place *place); /* JSON writes the object as null if this function returns true */
    const nnc_metrics *const *others;       /* if a list has records of several kinds: metrics tables of the other
                                             * kinds, ended by NULL */
    const char *(*each)(unsigned index);    /* returns the name of each value of an array; NULL = names 0, 1 ... */
    const char *source;                     /* source of the formula or definition; NULL = not needed */
    const char *same_as;                    /* full name of the metric in the output of an estimate that has the same
                                             * meaning */
    /* full name of the metric that is a sum of this metric and other metrics; NULL = no such metric */
    const char *part_of;
} nnc_metric_more;
#define NNC_MORE(...) (&(const nnc_metric_more){ __VA_ARGS__ })

/* A row of a metrics table: the place, type, format and description of one value. Members of equal size are next to
 * each other, which keeps the struct small: the loader touches every page of the large tables. */
typedef struct nnc_metric {
    const char *name; /* JSON key; NULL = shown only in tables, or an object whose rows are written in its place */
    nnc_metric_type type : 8;
    nnc_show show : 8;
    /* place of the value: at `offset` in the record. If hop > 0, `offset` counts in the struct to which the pointer at
     * hop - 1 points. Some values are computed by `get` instead. */
    uint16_t hop;
    uint32_t offset, size;
    uint32_t count_offset;   /* offset of the length of a list (int32_t or int64_t), in the same struct as `offset` */
    union {                  /* `type` decides which member is set; read `get` only with nnc_metric_getter */
        nnc_metric_get *get; /* computes the value; NULL = the record contains the value */
        const char *(*name_of)(unsigned); /* for an enumerator: returns the name of a value */
        const nnc_metrics *rows;          /* table of an object or of the records of a list */
    };
    const nnc_metric_more *more; /* properties that few metrics have; NULL = none; read them with nnc_metric_rare */

    const char *unit; /* unit of the value, such as "FLOP/s"; NULL = a number without a unit */
    const char *help; /* description of the metric in one sentence */
    const char *head; /* heading of the metric's column in tables; NULL = no column */

    int16_t each_count;
    uint8_t count_size;
    bool full : 1;       /* true: NaN in a brief estimate (see `brief` in nnc_scratch) */
    bool blank_zero : 1; /* true: the value 0 means "does not apply" and is written as null */
    bool sparse : 1;     /* true: JSON omits the zeros of an array */
    bool in_place : 1;   /* true: the record contains the list itself, not a pointer to it */
    bool null_empty : 1; /* true: an empty list is written as null */
    bool any_sign : 1;   /* true: the value may be negative; other values with a unit may not */
    bool shrinks : 1;    /* true: the text is cut if the line would be too long */
    uint8_t values;      /* number of values of an enumerator */
    int8_t drop;         /* order in which columns are omitted from a line that is too long even with cut texts: lowest
                          * number first; 0 = never omitted */
} nnc_metric;

/* Returns the function that computes a value; NULL = the value is in the record. */
static inline nnc_metric_get *nnc_metric_getter(const nnc_metric *row) {
    const bool other = row->type == NNC_METRIC_ENUM || row->type == NNC_METRIC_OBJECT || row->type == NNC_METRIC_LIST;
    return other ? NULL : row->get;
}

static inline const nnc_metric_more *nnc_metric_rare(const nnc_metric *row) {
    static const nnc_metric_more none = { .when = NULL };
    return row->more != NULL ? row->more : &none;
}

struct nnc_metrics {
    const char *what; /* name of the thing that the table describes, for example "one training step" */
    const nnc_metric *rows;
    size_t count;
    size_t record_size; /* size of one record of a list */
    /* tests whether outputs list a record; NULL = all records are listed */
    bool (*listed)(const nnc_place *place);
};

/* Macros for rows whose name is also the name of the struct member, one macro per type. Further properties may
 * follow. */
#define NNC_NUMBER(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_NUMBER)
#define NNC_WHOLE(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_WHOLE)
#define NNC_BOOL(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_BOOL)
#define NNC_TEXT(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_TEXT)
#define NNC_CHARS(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_CHARS)
#define NNC_ROW_(of, member, ...) \
    { .name = #member, NNC_IN(of, member), __VA_ARGS__ }
/* A row for an enumerator. name_of_value: returns the name of a value; the argument after it is the number of values. */
#define NNC_NAMED(of, member, name_of_value, ...) \
    NNC_NAMED_(of, member, name_of_value, __VA_ARGS__, .type = NNC_METRIC_ENUM)
#define NNC_NAMED_(of, member, name_of_value, number, ...) \
    { .name = #member, NNC_IN(of, member), .name_of = (name_of_value), .values = (number), __VA_ARGS__ }
/* NNC_AS makes a row whose name differs from the struct member. NNC_HEAD makes a row that only tables show. NNC_ROWS
 * includes the rows of another metrics table. */
#define NNC_AS(text, kind, ...) \
    { .name = (text), .type = NNC_METRIC_##kind, __VA_ARGS__ }
#define NNC_HEAD(text, kind, ...) \
    { .head = (text), .type = NNC_METRIC_##kind, __VA_ARGS__ }
#define NNC_ROWS(...) NNC_ROWS_(__VA_ARGS__, .type = NNC_METRIC_OBJECT)
#define NNC_ROWS_(table, ...) \
    { .rows = (table), __VA_ARGS__ }

/* Macros for the place of a value. NNC_IN: in a member of the record. NNC_VIA: in the struct to which a pointer of the
 * record points. NNC_COUNT: the member that contains the number of elements of a list. */
#define NNC_IN(of, member) .offset = offsetof(of, member), .size = sizeof(((const of *)NULL)->member)
#define NNC_VIA(of, pointer) .hop = offsetof(of, pointer) + 1 /* NOLINT(bugprone-macro-parentheses) */
#define NNC_COUNT(of, member) .count_offset = offsetof(of, member), .count_size = sizeof(((const of *)NULL)->member)

/* NNC_GET defines a function that returns a value of the record `self` as a cell; it may write a string to `text`.
 * NNC_IF defines a function that tests the record `self`. */
#define NNC_GET(function, of, ...)                                                     \
    static nnc_cell function(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) { \
        const of *self = place->record;                                                \
        (void)self, (void)text;                                                        \
        return (__VA_ARGS__);                                                          \
    }
#define NNC_IF(function, of, condition)            \
    static bool function(const nnc_place *place) { \
        const of *self = place->record;            \
        (void)self;                                \
        return (condition);                        \
    }
/* Used inside NNC_GET and NNC_IF: the record whose list contains the record `self`. */
#define NNC_OWNER(of) ((const of *)place->owner)

#define NNC_METRICS(text, list, of) \
    { .what = (text), .rows = (list), .count = sizeof(list) / sizeof(list)[0], .record_size = sizeof(of) }

/* Returns one value of a row as a cell; null if it is no finite number. index: position in an array, otherwise 0. */
nnc_cell nnc_metric_read(const nnc_metric *row, const nnc_place *place, int32_t index, char text[NNC_METRIC_TEXT_MAX]);

/* Returns a pointer to the value of a row if it is a double in the record itself, as most values are; otherwise NULL.
 * index: position in an array, otherwise 0. */
static inline const double *nnc_metric_double(const nnc_metric *row, const nnc_place *place, int32_t index) {
    const bool plain = row->type == NNC_METRIC_NUMBER && row->get == NULL && row->hop == 0 && place->record != NULL;
    return plain ? (const double *)(const void *)((const char *)place->record + row->offset) + index : NULL;
}

/* Metrics of a record that add up to a total, such as the parts of a step. nnc_metric_parts lists the metrics with a
 * heading and a value that is greater than `above` and not 0, in the order of the table. Returns their number. */
enum { NNC_METRIC_PARTS_MAX = 16 };
typedef struct nnc_metric_part {
    const nnc_metric *row;
    double value;
} nnc_metric_part;
int nnc_metric_parts(const nnc_metrics *metrics, const void *record, double above,
                     nnc_metric_part parts[NNC_METRIC_PARTS_MAX]);

/* These functions return a cell that contains the value. NaN, infinity and NULL give a cell of kind NNC_CELL_NULL. */
nnc_cell nnc_number_cell(double number);
nnc_cell nnc_text_cell(const char *text);
static inline nnc_cell nnc_whole_cell(int64_t whole) { return (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = whole }; }
static inline nnc_cell nnc_bool_cell(bool flag) { return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = flag }; }

/* Returns the place of an object of a record, from which the rows of the object are read. If a pointer to the object is
 * NULL, the place has record = NULL. */
nnc_place nnc_metric_inside(const nnc_metric *row, const nnc_place *place);

/* An array of records, with their metrics table and their owner. */
typedef struct nnc_lines {
    const nnc_metrics *metrics; /* metrics table of the records; NULL = the records are texts, const char * */
    const void *owner, *records;
    int64_t count;
} nnc_lines;

/* nnc_metric_lines returns all records of a list. nnc_line_place returns the place of the record at position `index` of
 * the list. */
nnc_lines nnc_metric_lines(const nnc_metric *row, const nnc_place *place);
nnc_place nnc_line_place(const nnc_lines *lines, int64_t index);
bool nnc_line_listed(const nnc_lines *lines, const nnc_place *place);

/* A value with its full name, such as "step.interval_s.0". It is the name of a column in CSV and sweeps. */
enum { NNC_COLUMN_DEPTH = 5 };
typedef struct nnc_column {
    const char *name;
    const nnc_metric *metric;
    int32_t index;                              /* index of the value in its array */
    const nnc_metric *inside[NNC_COLUMN_DEPTH]; /* objects that contain the value, outermost first */
    int depth;
    bool joins; /* true: the value is in the same objects as the value of the column before */
} nnc_column;

typedef struct nnc_columns {
    const nnc_column *list;
    int32_t count;
} nnc_columns;

/* Lists all values of a table in its order, except the values in lists, as columns. Fails with NNC_NO_MEMORY. */
nnc_status nnc_columns_of(const nnc_metrics *metrics, nnc_arena *arena, nnc_columns *columns);

/* Returns true if the value of a column is NaN in a brief estimate (see `brief` in nnc_scratch). */
bool nnc_column_is_full(const nnc_column *column);

/* nnc_column_place returns the place of the object that contains the value of a column. nnc_column_read returns the
 * value. Their argument `place` is the place of the report. */
nnc_place nnc_column_place(const nnc_column *column, nnc_place place);
nnc_cell nnc_column_read(const nnc_column *column, nnc_place place, char text[NNC_METRIC_TEXT_MAX]);

/* Returns the row of the metric with this full name; for an array, the name of any of its values. NULL = no such
 * name. */
const nnc_metric *nnc_metric_find(const nnc_metrics *metrics, const char *name);

/* Finds the full name that a word of the user means: an equal name, or the only name that ends with a dot and the word.
 * If a result and an input of the plan both end with the word, the word means the result. names: address of the first
 * of `count` pointers to names, each `stride` bytes after the one before. */
typedef struct nnc_name_match {
    /* index: position of the name, -1 = no match. other: position of a second name that matches equally well, -1 = the
     * match is unambiguous */
    int32_t index, other;
} nnc_name_match;
nnc_name_match nnc_name_find(const void *names, size_t stride, int32_t count, const char *word);

/* ---- the report of one estimate, with its inputs ---- */

/* A step time measured by the user, for comparison. */
typedef struct nnc_own_step {
    double step_s, mfu;
    double predicted_over; /* predicted time, divided by measured time */
    bool possible;         /* true: the measured step is not shorter than the lower bound */
} nnc_own_step;

/* Fewest measured steps for which the error of earlier predictions is printed. */
enum { NNC_PAST_FEWEST = 10 };

/* The measured steps from which the error of an estimate is computed: steps of the same family and software profile
 * that no fit has used. If the user did not name a profile, only errors count that were computed without using the
 * framework of each step. */
typedef enum nnc_past_of {
    NNC_PAST_NONE, /* no error is stated: there is no prediction, or no measured step was predicted with the profile */
    NNC_PAST_FEW,  /* fewer than NNC_PAST_FEWEST steps on all devices: error and bias are not stated */
    NNC_PAST_DEVICE,
    NNC_PAST_ALL_DEVICES,
    NNC_PAST_SEEN, /* all measured steps of this device: it has too few unseen steps, and the error of its steps is
                    * larger than the error over all devices */
    NNC_PAST_COUNT
} nnc_past_of;
const char *nnc_past_name(unsigned of);

typedef struct nnc_past {
    nnc_past_of of;
    int64_t device_rows;  /* number of steps of this device that no fit used */
    int64_t rows, unseen; /* rows: number of measured steps that `of` selects; unseen: how many of these no fit used;
                           * error and bias are means over the unseen steps, with NNC_PAST_SEEN over all `rows` */
    double error, bias;
} nnc_past;

/* A fact of the software that the plan leaves open: the option that sets it, and the values of the option. low and high
 * are the least and the largest relative change of the step time over these values; effect is the change farther
 * from 0. */
enum { NNC_OPEN_FACTS_MAX = 8 };
typedef struct nnc_open_fact {
    const char *name;
    const char *const *values;
    int32_t value_count;
    double low, high, effect;
} nnc_open_fact;

/* A launch file from which the plan comes, and the options that have the same effect. */
typedef struct nnc_source_file {
    const char *file, *format; /* name and format of the file, for example "ds_config.json", "deepspeed" */
    const char *options;       /* options with the same effect as the file, for example "--zero 3 --micro-batch 4" */
} nnc_source_file;

/* A key of a launch file that sets no option: it does not affect the estimate, or --lenient skipped it. */
typedef struct nnc_ignored_key {
    const char *file, *key;
    int64_t line;
    const char *why;
    bool skipped; /* true: --lenient skipped the key, although it may affect the estimate */
} nnc_ignored_key;

typedef struct nnc_launch_said {
    nnc_source_file *files;
    nnc_ignored_key *ignored;
    int32_t file_count, ignored_count, ignored_capacity;
    bool serves; /* true: the files start a serving engine; false: they start a training run */
} nnc_launch_said;

/* A change of a deployment with a static batch. With this change the deployment fits in memory. */
enum { NNC_SERVE_CHANGES_MAX = 3 };
typedef struct nnc_serve_change {
    char options[104]; /* options that change the deployment, for example "--tensor 4 --batch 64" */
    double tpot_s, output_tokens_per_s, total_bytes;
    double per_million_output_tokens; /* price of a million output tokens after the change; NaN = unknown */
} nnc_serve_change;

typedef struct nnc_report {
    const char *model_asked, *device_asked; /* names of the inputs as the user wrote them: "a100", "my/device.json" */
    const char *overrides;                  /* changes by --set, for example "hidden=2048, ..."; NULL = no changes */
    const char *cluster;                    /* path of the cluster file; NULL = links of the device file */
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    bool software_chosen;   /* true: nncost chose the software profile for the plan; false: the user named it */
    double eager_s;         /* step time without a compiler (profile torch-eager), for the page without --full;
                             * NaN = not computed */
    int64_t eager_bytes;    /* memory per device without a compiler; valid if eager_s is a number */
    int64_t least_bytes;    /* least memory over all values of the settings that are left open; 0 = memory of the
                             * plan */
    char least_options[64]; /* settings that give least_bytes: "--recompute full --zero 3"; "" = no settings. See
                             * nnc_report_may_fit */
    const nnc_result *result;
    const nnc_op_cost *ops; /* rows of the op table; NULL = outputs do not show the table */
    int32_t op_count;
    const nnc_stage *stages; /* pipeline stages; NULL only in a comparison of several plans */
    int32_t stage_count;
    nnc_scratch *scratch; /* scratch of the estimate, from which explanations are computed; NULL = no explanations */
    const nnc_advice *advice;
    int advice_count;
    bool all_stages;               /* true: outputs show a table of all stages */
    const nnc_interval *intervals; /* timeline of each pipeline stage, in time order; NULL = the report has no
                                    * timeline */
    int64_t interval_count;
    const nnc_sensitivity *sensitivity; /* effect of each device parameter on the step time; NULL = not requested */
    int sensitivity_count;
    const nnc_run_ask *run_ask; /* inputs of the run, as the user gives them; NULL = no run is computed */
    const nnc_run *run;
    bool spot;                      /* true: the price is for interruptible (spot) capacity */
    const nnc_region *region;       /* region whose carbon intensity is used; NULL = no region was named */
    const nnc_building *building;   /* data centre whose PUE is used; NULL = no data centre was named */
    const nnc_serve_ask *serve_ask; /* inputs of serving, as the user gives them; NULL = the report is about training */
    const nnc_serve *serve;
    const struct nnc_images_ask *images_ask; /* inputs of image generation, as the user gives them; NULL = no images */
    const struct nnc_images *images;
    const nnc_serve_op *serve_ops;
    int32_t serve_op_count;
    const nnc_serve_change *serve_changes; /* changes that improve the deployment; NULL = not searched */
    int32_t serve_change_count;
    const nnc_open_fact *open_facts; /* settings of the software that the user left open, with their effect on the step;
                                      * NULL = not computed */
    int32_t open_fact_count;
    nnc_past past;                 /* errors of earlier predictions of similar steps */
    const nnc_own_step *own;       /* step time that the user measured; NULL = not given */
    const nnc_launch_said *launch; /* launch file from which the plan comes; NULL = the plan comes from no launch
                                    * file */
} nnc_report;

/* Returns the mean error of earlier predictions with the same family and software profile, and the number of measured
 * steps from which it is computed. */
nnc_past nnc_report_past(const nnc_report *report);
/* Tests whether the device or the software profile is implausible, or the model does not have its published number of
 * parameters. Measured error ranges do not apply to such a report. */
bool nnc_report_is_implausible(const nnc_report *report);

/* Returns the price in the device file, if the costs are computed with it. NULL: the plan states the price, or no price
 * is known. */
const nnc_price *nnc_report_price(const nnc_report *report);

/* Returns the currency of the newest price in the device file, in which --price is given too; USD if the file has no
 * price. */
const char *nnc_price_currency(const nnc_device *device);

/* Returns the currency of the costs in a report; NULL = no known price. */
const char *nnc_report_currency(const nnc_report *report);

/* Returns advice for a step that is bound by the host or by fixed costs of kernels; NULL = the step is bound by another
 * resource. */
const char *nnc_launch_advice(const nnc_result *result);

/* Returns the number of rows of the word table, padded so that the tensor ranks can divide it; 0 = no padding is
 * needed. */
int64_t nnc_padded_rows(const nnc_report *report);

/* Returns the price of a million trained tokens; for image models, the price of a thousand images. NaN = unknown.
 * Records its formula in `why`, unless it is NULL. */
double nnc_report_unit_cost(const nnc_result *result, nnc_derivation *why);

/* Writes the result of an estimate as one sentence (step time, bound, memory and whether it fits) into text. Returns
 * text. */
const char *nnc_report_sentence(const nnc_report *report, char text[NNC_METRIC_TEXT_MAX]);
/* Tests whether the plan does not fit as given, but may fit with other values of the settings that are left open:
 * least_options and least_bytes. */
bool nnc_report_may_fit(const nnc_report *report);

/* These functions return the rates that long kernels reach by the fitted efficiencies of the device: FLOP/s of matrix
 * products in the precision of the plan, and bytes per second of the memory. */
double nnc_report_sustained_flops_per_s(const nnc_report *report);
double nnc_report_sustained_bytes_per_s(const nnc_report *report);

/* Writes a plan as one word, without defaults: "dp8 tp4 sp pp2 zero1 mb2 recompute=norm+activation". Returns text. */
char *nnc_plan_word(const nnc_plan *plan, char text[NNC_METRIC_TEXT_MAX]);

/* ---- the metrics tables ---- */

/* Tables for records of type nnc_report. nnc_estimate_metrics: the sections of an estimate; nnc_estimate_document: the
 * whole document with its lists. */
extern const nnc_metrics nnc_estimate_metrics, nnc_estimate_document;
/* The sections of an estimate with its run, for records of type nnc_report; the run alone, for records of type
 * nnc_run. */
extern const nnc_metrics nnc_estimate_run_metrics, nnc_run_metrics;

/* Finds a metric by its full name among estimates, then serving, then image generation. NULL = unknown name. */
const nnc_metric *nnc_figure_metric(const char *name);

/* Metrics table of the launch files of a report, and of their keys that set no option. */
extern const nnc_metrics nnc_launch_metrics;

/* Tables of serving. For records of type nnc_report: all values; the whole document, ops included. The other two tables
 * are for records of type nnc_serve_step and nnc_serve_op. */
extern const nnc_metrics nnc_serve_metrics, nnc_serve_document, nnc_serve_step_metrics, nnc_serve_op_metrics;

/* Table of image generation, for records of type nnc_report. */
extern const nnc_metrics nnc_images_metrics;

/* Tables for records of type nnc_result. */
extern const nnc_metrics nnc_work_metrics, nnc_step_metrics, nnc_throughput_metrics;

/* nnc_plan_metrics (the main settings of a plan) and nnc_plan_choice_metrics (the settings that a search varies) are
 * for records of type nnc_plan; nnc_resolved_plan_metrics (the plan section of an estimate) for nnc_report;
 * nnc_memory_metrics for nnc_memory. */
extern const nnc_metrics nnc_plan_metrics, nnc_resolved_plan_metrics, nnc_plan_choice_metrics, nnc_memory_metrics;

/* Tables for the lists of a report: records of type nnc_op_cost, nnc_stage, nnc_interval and nnc_sensitivity. */
extern const nnc_metrics nnc_op_metrics, nnc_stage_metrics, nnc_stage_time_metrics, nnc_interval_metrics,
    nnc_sensitivity_metrics;

#endif
