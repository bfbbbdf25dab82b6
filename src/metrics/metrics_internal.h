/* Tables of metrics: descriptions of the numbers of a result. Each record (a C struct) has a table with one row per
 * member: name, unit, help, source, and the place of the value in the struct or a function that computes the value.
 * JSON, CSV, text tables, names of columns and constraints, the schemas of outputs and `explain` read the rows of
 * metrics tables, so that a member is listed only once. */
#ifndef NNCOST_METRICS_METRICS_INTERNAL_H
#define NNCOST_METRICS_METRICS_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/run.h>
#include <nncost/serve.h>
#include <nncost/spec.h>

#include "base/base_internal.h"

typedef enum nnc_metric_type {
    NNC_METRIC_NUMBER, /* the value of the metric is a double; NaN = unknown */
    NNC_METRIC_WHOLE,  /* the value of the metric is an integer: int32_t, int64_t, or uint64_t below 2^63 */
    NNC_METRIC_BOOL,
    NNC_METRIC_TEXT,   /* the value is a text of type const char *; NULL = no text */
    NNC_METRIC_CHARS,  /* the value is a text in a char array of the record */
    NNC_METRIC_ENUM,   /* the value is an enumerator, which is printed by its name */
    NNC_METRIC_ANY,    /* the value is a number or a string that the function `get` computes */
    NNC_METRIC_OBJECT, /* the value is an object whose members are the rows of another metrics table */
    NNC_METRIC_LIST,   /* the value is a list: a pointer to records, which another metrics table describes */
    NNC_METRIC_TEXTS   /* the value is a list of texts: a pointer to const char * */
} nnc_metric_type;

/* Form in which a number is printed for people. */
typedef enum nnc_show {
    NNC_SHOW_UNIT,     /* a number with its unit and four digits: "12.30 ms"; a value without a unit is shown as
                        * NNC_SHOW_SHORT */
    NNC_SHOW_SHORT,    /* a number with four digits; from 10,000 up with a prefix: "12.30 k" */
    NNC_SHOW_COUNT,    /* a number with separators of thousands: "1,557,611,200"; with a fraction: "16.73" */
    NNC_SHOW_PLAIN,    /* a number with all its digits, but not more than 12 digits */
    NNC_SHOW_SCALED,   /* a number with a prefix such as G, for a column whose heading names the unit: "386.5 G" */
    NNC_SHOW_PERCENT,  /* a share in percent with one decimal: "41.2%" */
    NNC_SHOW_PERCENT2, /* a share in percent with two decimals: "41.23%" */
    NNC_SHOW_ERROR     /* an error in percent, "+12.3%"; an error of 100 or more as a factor, "x101" */
} nnc_show;

/* The place of a record: the record, and its position in the list that contains it. */
typedef struct nnc_place {
    const void *record;
    const void *owner; /* the record that contains the list in which `record` is; NULL = `record` is in no list */
    int64_t index;     /* position of `record` in its list, from 0 */
} nnc_place;

/* Type of a function that computes the value of a metric for the record `place->record`. A function whose value is a
 * string may write the string to `text`. */
enum { NNC_METRIC_TEXT_MAX = 512 };
typedef nnc_cell nnc_metric_get(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]);

typedef struct nnc_metrics nnc_metrics;

/* Properties of a metric that only few rows of the metrics tables have. */
typedef struct nnc_metric_more {
    /* JSON has the member only if this function returns true; NULL = JSON always has the member */
    bool (*when)(const nnc_place *place);
    /* if this function returns true, JSON has null as the value of the member instead of an object */
    bool (*unless)(const nnc_place *place);
    const nnc_metrics *const *others; /* if a list has records of several kinds: metrics tables of the other
                                             * kinds, ended by NULL */
    /* returns the name of the value with this index in an array; NULL = the values are named 0, 1 ... */
    const char *(*each)(unsigned index);
    const char *source;  /* source of the formula or definition of the metric; NULL = no source is needed */
    const char *same_as; /* full name of the metric with the same meaning in the output of an estimate */
    /* full name of another metric: a sum that contains this metric as an addend; NULL = no sum contains this metric */
    const char *part_of;
} nnc_metric_more;
#define NNC_MORE(...) (&(const nnc_metric_more){ __VA_ARGS__ })

/* A row of a metrics table: the place, type, format and description of one value. Members of equal size stand next to
 * each other, which keeps the struct small; small tables save time, because the loader changes every page of the tables
 * at the start of the program. */
typedef struct nnc_metric {
    /* key of the value in JSON. NULL = only text tables have the row, or the row is an object without a key of its own:
     * its members become members of the outer object */
    const char *name;
    nnc_metric_type type : 8;
    nnc_show show : 8;
    /* Place of the value. If hop is 0, the value is at `offset` in the record. If hop is above 0, the record has a
     * pointer at its offset hop - 1, and the value is at `offset` in the struct to which this pointer points. A row
     * whose value the function `get` computes has no place in the record. */
    uint16_t hop;
    uint32_t offset, size;
    /* of a list: offset of its number of elements (int32_t or int64_t), in the same struct as `offset` */
    uint32_t count_offset;
    /* The member `type` of the row decides which member of this union is valid. Files other than metrics_internal.h
     * read `get` with nnc_metric_getter */
    union {
        nnc_metric_get *get;              /* function that computes the value; NULL = the record contains the value */
        const char *(*name_of)(unsigned); /* of an enumerator: function that returns the name of a value */
        /* of an object or a list: metrics table of the object, or of the records of the list */
        const nnc_metrics *rows;
    };
    /* properties that few metrics have; NULL = the metric has none of these properties. They are read with
     * nnc_metric_rare */
    const nnc_metric_more *more;

    const char *unit; /* unit of the value, such as "FLOP/s"; NULL = the value has no unit */
    const char *help; /* help text of the metric, one sentence */
    const char *head; /* heading of the metric's column in text tables; NULL = text tables leave the metric out */

    int16_t each_count;
    uint8_t count_size;
    bool full : 1;       /* true: the value is NaN in a brief estimate, which does not compute it (see `brief` in
                    * nnc_scratch) */
    bool blank_zero : 1; /* true: the value 0 means that the metric does not apply; JSON writes null */
    bool sparse : 1;     /* true: JSON writes only those values of an array that are not 0 */
    bool in_place : 1;   /* true: the elements of a list are in the record; false: the record has a pointer to them */
    bool null_empty : 1; /* true: JSON writes an empty list as null */
    /* true: the value may be negative; false: a metric with a unit is never negative */
    bool any_sign : 1;
    bool shrinks : 1; /* true: the text is cut if a line of the text table would be too long */
    bool wraps : 1;   /* true: the value is a text of command options, which continues on further lines if a line is too
                       * long */
    uint8_t values;   /* of an enumerator: number of its values */
    int8_t drop;      /* order in which columns are omitted from a line that is too long even with cut texts: lowest
                       * number first; 0 = never omitted */
} nnc_metric;

/* Returns the function that computes the value of a metric; NULL = the record contains the value. */
static inline nnc_metric_get *nnc_metric_getter(const nnc_metric *row) {
    const bool other = row->type == NNC_METRIC_ENUM || row->type == NNC_METRIC_OBJECT || row->type == NNC_METRIC_LIST;
    return other ? NULL : row->get;
}

static inline const nnc_metric_more *nnc_metric_rare(const nnc_metric *row) {
    static const nnc_metric_more none = { .when = NULL };
    return row->more != NULL ? row->more : &none;
}

struct nnc_metrics {
    const char *what; /* what a record of the table describes, for example "one training step" */
    const nnc_metric *rows;
    size_t count;
    size_t record_size; /* size in bytes of one record of a list */
    /* function that tests whether outputs list a record; NULL = outputs list every record */
    bool (*listed)(const nnc_place *place);
};

/* Macros that make a row of a metrics table, one macro per type; the metric has the name of the struct member. Further
 * members of the row, such as .help, may follow as arguments. */
#define NNC_NUMBER(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_NUMBER)
#define NNC_WHOLE(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_WHOLE)
#define NNC_BOOL(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_BOOL)
#define NNC_TEXT(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_TEXT)
#define NNC_CHARS(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_CHARS)
#define NNC_ROW_(of, member, ...) \
    { .name = #member, NNC_IN(of, member), __VA_ARGS__ }
/* Makes a row for an enumerator. name_of_value: function that returns the name of a value; the next argument is the
 * number of values. */
#define NNC_NAMED(of, member, name_of_value, ...) \
    NNC_NAMED_(of, member, name_of_value, __VA_ARGS__, .type = NNC_METRIC_ENUM)
#define NNC_NAMED_(of, member, name_of_value, number, ...) \
    { .name = #member, NNC_IN(of, member), .name_of = (name_of_value), .values = (number), __VA_ARGS__ }
/* NNC_AS makes a row whose name differs from the name of the struct member. NNC_HEAD makes a row that only text tables
 * show. NNC_ROWS inserts the rows of another metrics table. */
#define NNC_AS(text, kind, ...) \
    { .name = (text), .type = NNC_METRIC_##kind, __VA_ARGS__ }
#define NNC_HEAD(text, kind, ...) \
    { .head = (text), .type = NNC_METRIC_##kind, __VA_ARGS__ }
#define NNC_ROWS(...) NNC_ROWS_(__VA_ARGS__, .type = NNC_METRIC_OBJECT)
#define NNC_ROWS_(table, ...) \
    { .rows = (table), __VA_ARGS__ }

/* Macros for the place of a metric's value. NNC_IN: the value is in a member of the record. NNC_VIA: the value is in
 * the struct to which a pointer of the record points. NNC_COUNT: states which member contains the number of elements of
 * a list. */
#define NNC_IN(of, member) .offset = offsetof(of, member), .size = sizeof(((const of *)NULL)->member)
#define NNC_VIA(of, pointer) .hop = offsetof(of, pointer) + 1 /* NOLINT(bugprone-macro-parentheses) */
#define NNC_COUNT(of, member) .count_offset = offsetof(of, member), .count_size = sizeof(((const of *)NULL)->member)

/* NNC_GET defines a function that returns a value of the record `self` as a cell; if the value is a string, the
 * function may write it to `text`. NNC_IF defines a function that tests the record `self`. */
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
/* In a function of NNC_GET or NNC_IF: the owner of the record `self`, that is, the record whose list contains
 * `self`. */
#define NNC_OWNER(of) ((const of *)place->owner)

#define NNC_METRICS(text, list, of) \
    { .what = (text), .rows = (list), .count = sizeof(list) / sizeof(list)[0], .record_size = sizeof(of) }

/* Returns the value of a metric as a cell; null if the value is NaN or infinite. index: position of the value in an
 * array; 0 for a single value. */
nnc_cell nnc_metric_read(const nnc_metric *row, const nnc_place *place, int32_t index, char text[NNC_METRIC_TEXT_MAX]);

/* Returns the address of a metric's value if the value is a double in the record itself, which is the most frequent
 * case; otherwise NULL. index: position of the value in an array; 0 for a single value. */
static inline const double *nnc_metric_double(const nnc_metric *row, const nnc_place *place, int32_t index) {
    const bool plain = row->type == NNC_METRIC_NUMBER && row->get == NULL && row->hop == 0 && place->record != NULL;
    return plain ? (const double *)(const void *)((const char *)place->record + row->offset) + index : NULL;
}

/* Reads the value of a metric if the value is a whole number in the record itself, which is a frequent case. Returns
 * false if the value is of another type or is not in the record itself. */
static inline bool nnc_metric_whole(const nnc_metric *row, const nnc_place *place, int32_t index, int64_t *value) {
    int32_t narrow = 0;
    if (row->type != NNC_METRIC_WHOLE || row->get != NULL || row->hop != 0 || place->record == NULL) { return false; }
    const char *at = (const char *)place->record + row->offset;
    if (row->each_count > 0 || row->size == sizeof *value) {
        memcpy(value, at + (size_t)index * sizeof *value, sizeof *value);
    } else {
        memcpy(&narrow, at, sizeof narrow);
        *value = narrow;
    }
    return true;
}

/* The function nnc_metric_parts lists the parts of a total, such as the parts of the step time. The parts are the
 * metrics of a record that have a heading, except metrics whose value is 0 or at most `above`. The parts are listed in
 * the order of the metrics table, and the function returns their number. */
enum { NNC_METRIC_PARTS_MAX = 16 };
typedef struct nnc_metric_part {
    const nnc_metric *row;
    double value;
} nnc_metric_part;
int nnc_metric_parts(const nnc_metrics *metrics, const void *record, double above,
                     nnc_metric_part parts[NNC_METRIC_PARTS_MAX]);

/* nnc_number_cell and the next functions return a cell with the given value. NaN, infinity and NULL give a cell of kind
 * NNC_CELL_NULL. */
nnc_cell nnc_number_cell(double number);
nnc_cell nnc_text_cell(const char *text);
static inline nnc_cell nnc_whole_cell(int64_t whole) { return (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = whole }; }
static inline nnc_cell nnc_bool_cell(bool flag) { return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = flag }; }

/* Returns the place of the object that a row describes; the metrics of the object are read from this place. If the
 * record has a NULL pointer to the object, the place has record = NULL. */
nnc_place nnc_metric_inside(const nnc_metric *row, const nnc_place *place);

/* A list of records, with the metrics table of the records and their owner (the record that contains the list). */
typedef struct nnc_lines {
    /* metrics table of the records; NULL = the array has texts (const char *) instead of records */
    const nnc_metrics *metrics;
    const void *owner, *records;
    int64_t count;
} nnc_lines;

/* nnc_metric_lines returns the records of the list that a row describes. nnc_line_place returns the place of record
 * number `index` of this list. */
nnc_lines nnc_metric_lines(const nnc_metric *row, const nnc_place *place);
nnc_place nnc_line_place(const nnc_lines *lines, int64_t index);
bool nnc_line_listed(const nnc_lines *lines, const nnc_place *place);

/* A column of CSV or of a sweep: one value of a metrics table, with its full name, such as "step.interval_s.0". */
enum { NNC_COLUMN_DEPTH = 5 };
typedef struct nnc_column {
    const char *name;
    const nnc_metric *metric;
    int32_t index; /* index of the value in its array; 0 for a single value */
    /* rows of the objects in which the value is, the outermost object first */
    const nnc_metric *inside[NNC_COLUMN_DEPTH];
    int depth;
    bool joins; /* true: the value is in the same object as the value of the previous column */
} nnc_column;

typedef struct nnc_columns {
    const nnc_column *list;
    int32_t count;
} nnc_columns;

/* Makes a column for each value of a metrics table, in the order of the table; values in lists get no column. Fails
 * with NNC_NO_MEMORY. */
nnc_status nnc_columns_of(const nnc_metrics *metrics, nnc_arena *arena, nnc_columns *columns);

/* Returns true if a brief estimate (see `brief` in nnc_scratch) does not compute the value of a column. */
bool nnc_column_is_full(const nnc_column *column);

/* nnc_column_place returns the place of the object that contains the value of a column; nnc_column_read returns this
 * value. place: the place of the report. */
nnc_place nnc_column_place(const nnc_column *column, nnc_place place);
nnc_cell nnc_column_read(const nnc_column *column, nnc_place place, char text[NNC_METRIC_TEXT_MAX]);

/* Returns the row of the metric with the full name `name`. If the metric is an array, `name` is the full name of any of
 * its values. Returns NULL if no metric has this name. */
const nnc_metric *nnc_metric_find(const nnc_metrics *metrics, const char *name);

/* Finds the full name that a word of the user means: the name equal to the word, or the only name that ends with a dot
 * and the word. If the name of a result and the name of an input of the plan both end with the word, the word means the
 * result. `names` is the address of the first of `count` pointers to names, and each next pointer is `stride` bytes
 * later. */
typedef struct nnc_name_match {
    /* index: position of the name that was found; -1 = no name fits. other: position of a second name that fits as
     * well; -1 = no second name fits */
    int32_t index, other;
} nnc_name_match;
nnc_name_match nnc_name_find(const void *names, size_t stride, int32_t count, const char *word);

/* ---- the report: one estimate with its inputs ---- */

/* A measured step time that the user gives, to compare it with the prediction. */
typedef struct nnc_own_step {
    double step_s, mfu;
    double predicted_over; /* predicted step time / step time that the user measured */
    bool possible;         /* true: the measured step time is possible, that is, not below the lower bound */
} nnc_own_step;

/* Smallest number of measured steps for which outputs print a mean error. */
enum { NNC_PAST_FEWEST = 10 };

/* Measured steps from which the printed error is computed: steps with the model family and software profile of the
 * estimate that no fit has used. If nncost chose the profile, the error is computed only from predictions that did not
 * use the framework of the measured step. */
typedef enum nnc_past_of {
    NNC_PAST_NONE, /* no error is printed: the estimate is no prediction, or no step with this profile was measured */
    NNC_PAST_FEW,  /* fewer than NNC_PAST_FEWEST steps were measured on all devices together, so no error is printed */
    NNC_PAST_DEVICE,
    NNC_PAST_ALL_DEVICES,
    NNC_PAST_OTHER_DEVICES, /* measured steps of all devices; none of them is on the device of the estimate */
    NNC_PAST_SEEN, /* all measured steps of the device of the estimate. NNC_PAST_SEEN is used if the device has too few
                    * unseen steps, and the mean error of the device is larger than the mean error of all devices */
    NNC_PAST_COUNT
} nnc_past_of;
const char *nnc_past_name(unsigned of);

typedef struct nnc_past {
    nnc_past_of of;
    int64_t device_rows; /* number of measured steps of the estimate's device that no fit has used */
    /* rows: number of measured steps that `of` selects; unseen: number of these steps that no fit has used. The members
     * error and bias are means over the unseen steps; if `of` is NNC_PAST_SEEN, these members are means over all steps
     * that `rows` counts */
    int64_t rows, unseen;
    double error, bias;
    /* range in which the mean error of nine of ten groups of measured steps lies; the groups have ten or more steps,
     * and their models or sources do not contribute to the printed mean error (tests/levels.py) */
    double error_range[2];
} nnc_past;

/* A setting of the software that the user has not stated: the option that sets it, and the possible values of this
 * option. low, high: smallest and largest relative change of the step time when the option has one of these values;
 * effect: `low` or `high`, whichever is farther from 0. */
enum { NNC_OPEN_FACTS_MAX = 12 };
typedef struct nnc_open_fact {
    const char *name;
    const char *const *values;
    int32_t value_count;
    double low, high, effect;
} nnc_open_fact;

/* A launch file from which the plan of a report was read, and the options of nncost that have the same effect as the
 * file. */
typedef struct nnc_source_file {
    /* file: name of the launch file, such as "ds_config.json"; format: its launch format, such as "deepspeed" */
    const char *file, *format;
    /* options of nncost with the same effect as the file, for example "--zero 3 --micro-batch 4" */
    const char *options;
} nnc_source_file;

/* A key of a launch file that sets no option, because the key does not change the estimate, or because nncost cannot
 * use the key and --lenient skipped it. */
typedef struct nnc_ignored_key {
    const char *file, *key;
    int64_t line;
    const char *why;
    bool skipped; /* true: the key may affect the estimate, but --lenient skipped it */
} nnc_ignored_key;

typedef struct nnc_launch_said {
    nnc_source_file *files;
    nnc_ignored_key *ignored;
    int32_t file_count, ignored_count, ignored_capacity;
    bool serves; /* true: the launch files start a serving engine; false: they start a training run */
} nnc_launch_said;

/* A change with which a deployment fits in memory and serves its load. */
enum { NNC_SERVE_CHANGES_MAX = 4 };
typedef struct nnc_serve_change {
    char options[160]; /* options with which the user makes the change, for example "--tensor 4 --batch 64" */
    double tpot_s, output_tokens_per_s, total_bytes;
    double per_million_output_tokens; /* price of a million output tokens after the change; NaN = no price is known */
} nnc_serve_change;

typedef struct nnc_report {
    const char *model_asked, *device_asked; /* model and device as the user named them: "gpt2", "my/device.json" */
    const char *overrides; /* changes of device or model by --set, for example "hidden=2048, ..."; NULL = no changes */
    /* path of the cluster file, which describes the links; NULL = the device file describes the links */
    const char *cluster;
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    bool software_chosen;   /* true: nncost chose the software profile for the plan; false: the user named it */
    double eager_s;         /* step time without a compiler (profile torch-eager), for the page without --full;
                             * NaN = not computed */
    int64_t eager_bytes;    /* memory per device in bytes without a compiler; valid if eager_s is a number */
    int64_t least_bytes;    /* lower end of the memory interval of the plan if the settings that the user left open are
                             * chosen so that they save memory; 0 = not computed, because the plan fits */
    char least_options[64]; /* the chosen settings as options, "--recompute full --zero 3"; "" = no choice of the open
                             * settings lowers the memory. See nnc_report_may_fit */
    const nnc_result *result;
    const nnc_op_cost *ops; /* rows of the op table that outputs show; NULL = outputs do not show the op table */
    int32_t op_count;
    const nnc_stage *stages; /* the stages of the pipeline; NULL only if the output compares several plans */
    int32_t stage_count;
    /* scratch of the estimate, with which `explain` computes its derivations; NULL = no derivations */
    nnc_scratch *scratch;
    const nnc_advice *advice;
    int advice_count;
    bool all_stages;               /* true: outputs show a table with all pipeline stages */
    const nnc_interval *intervals; /* timeline of each pipeline stage, in time order; NULL = the report has no
                                    * timeline */
    int64_t interval_count;
    /* effect of each parameter of the device file on the step time; NULL = the user did not ask for it */
    const nnc_sensitivity *sensitivity;
    int sensitivity_count;
    /* inputs of the whole training run, as the user gives them; NULL = no run is computed */
    const nnc_run_ask *run_ask;
    const nnc_run *run;
    bool spot;                    /* true: the price per device-hour is that of interruptible (spot) capacity */
    const nnc_region *region;     /* region whose carbon intensity is used; NULL = the user named no region */
    const nnc_building *building; /* data centre whose PUE is used; NULL = the user named no data centre */
    /* inputs of serving, as the user gives them; NULL = the report is not about serving */
    const nnc_serve_ask *serve_ask;
    const nnc_serve *serve;
    /* inputs of image generation, as the user gives them; NULL = the report is not about images */
    const struct nnc_images_ask *images_ask;
    const struct nnc_images *images;
    const nnc_serve_op *serve_ops;
    int32_t serve_op_count;
    /* changes with which the deployment fits in memory and serves its load; NULL = no changes were computed */
    const nnc_serve_change *serve_changes;
    int32_t serve_change_count;
    const nnc_open_fact *open_facts; /* settings of the software that the user left open, with their effect on the step;
                                      * NULL = not computed */
    int32_t open_fact_count;
    nnc_past past; /* errors of earlier predictions of steps with the same model family and software profile */
    const nnc_own_step *own;       /* step time that the user has measured; NULL = the user gives none */
    const nnc_launch_said *launch; /* launch file from which the plan comes; NULL = the plan comes from no launch
                                    * file */
} nnc_report;

/* Returns the mean error of earlier predictions for the model family and the software profile of a report, and the
 * number of measured steps over which the mean is taken. */
nnc_past nnc_report_past(const nnc_report *report);
/* Tests whether the device is a CPU without measured steps. The errors of predicted steps of GPUs do not apply to a
 * CPU. */
bool nnc_past_lacks_cpu(const nnc_report *report);
/* Tests whether the device or the software profile is implausible, or the number of parameters differs from the
 * published one. Measured ranges of errors do not apply to a report with implausible inputs. */
bool nnc_report_is_implausible(const nnc_report *report);

/* Returns the price in the device file if the costs of the report are computed with this price. Returns NULL if the
 * plan states the price, or if no price is known. */
const nnc_price *nnc_report_price(const nnc_report *report);

/* Returns the currency of the newest price in the device file; --price is in the same currency. If the device file has
 * no price, the currency is USD. */
const char *nnc_price_currency(const nnc_device *device);

/* Returns the currency of the costs in a report; NULL = no price is known. */
const char *nnc_report_currency(const nnc_report *report);

/* Returns advice for a step that is bound by the host or by fixed times of kernels; NULL = another resource bounds the
 * step. */
const char *nnc_launch_advice(const nnc_result *result);

/* Returns the number of rows that the word table has after padding, so that the tensor ranks can divide the rows
 * evenly; 0 = the table needs no padding. */
int64_t nnc_padded_rows(const nnc_report *report);
/* Returns the seconds in which the host issues one kernel of the estimated program. */
double nnc_report_issue_s(const nnc_report *report);

/* Returns the cost of training with a million tokens; for image models, the cost of training with a thousand images.
 * Returns NaN if no price is known. The formula is recorded in the derivation `why`; if `why` is NULL, no formula is
 * recorded. */
double nnc_report_unit_cost(const nnc_result *result, nnc_derivation *why);

/* The sentence about an estimate names a change of the plan only if the options of the change have at most this number
 * of characters. */
enum { NNC_SENTENCE_CHANGE = 48 };
/* Writes the result of an estimate as one sentence (step time, bound, memory, and whether the plan fits) to `text`.
 * Returns text. */
const char *nnc_report_sentence(const nnc_report *report, char text[NNC_METRIC_TEXT_MAX]);
/* Writes the result of serving as one sentence (load, tokens per second, latency, and whether the deployment fits) to
 * `text`. Returns text. */
const char *nnc_serve_sentence(const nnc_report *report, char text[NNC_METRIC_TEXT_MAX]);
/* Returns the name of the model for a sentence: the name in the model file. But if the user gave a name on a hub, and
 * the model file has the name of another model (Llama 3 8B for meta-llama/Llama-3.1-8B), returns the name on the hub
 * without its owner. */
const char *nnc_report_model_name(const nnc_report *report);
/* Returns the bytes of one device that the serving engine may use: its share of the device memory. */
double nnc_serve_used_bytes(const nnc_serve *serve);
/* Tests whether the plan does not fit as given, but fits with other values of settings that the user has not stated
 * (least_options, least_bytes). */
bool nnc_report_may_fit(const nnc_report *report);

/* The function nnc_report_sustained_flops_per_s returns the FLOP/s that large matrix products in the precision of the
 * plan reach with the fitted efficiencies of the device. The function nnc_report_sustained_bytes_per_s returns the
 * bytes per second that large kernels reach in device memory. */
double nnc_report_sustained_flops_per_s(const nnc_report *report);
double nnc_report_sustained_bytes_per_s(const nnc_report *report);

/* Writes those settings of a plan that are no defaults as one text: "dp8 tp4 sp pp2 zero1 mb2
 * recompute=norm+activation". Returns text. */
char *nnc_plan_word(const nnc_plan *plan, char text[NNC_METRIC_TEXT_MAX]);

/* ---- the metrics tables for reports and for their parts ---- */

/* Metrics tables for records of type nnc_report. nnc_estimate_metrics: the sections of an estimate;
 * nnc_estimate_document: the whole JSON document of an estimate, with its lists. */
extern const nnc_metrics nnc_estimate_metrics, nnc_estimate_document;
/* nnc_estimate_run_metrics: the sections of an estimate with its training run, for records of type nnc_report.
 * nnc_run_metrics: the training run alone, for records of type nnc_run. */
extern const nnc_metrics nnc_estimate_run_metrics, nnc_run_metrics;

/* Returns the row of a metric, which is looked up by its full name in the tables of estimates, then of serving, then of
 * image generation. Returns NULL if no table has a metric with this name. */
const nnc_metric *nnc_figure_metric(const char *name);

/* Metrics table of a report's launch files, and of the keys in these files that set no option. */
extern const nnc_metrics nnc_launch_metrics;

/* Metrics tables of serving. The tables nnc_serve_metrics (all values) and nnc_serve_document (the whole JSON document,
 * with its ops) describe records of type nnc_report. The table nnc_serve_step_metrics describes records of type
 * nnc_serve_step, and nnc_serve_op_metrics describes records of type nnc_serve_op. */
extern const nnc_metrics nnc_serve_metrics, nnc_serve_document, nnc_serve_step_metrics, nnc_serve_op_metrics;

/* Metrics table of image generation, for records of type nnc_report. */
extern const nnc_metrics nnc_images_metrics;

/* Metrics tables of the sections work, step and throughput, for records of type nnc_result. */
extern const nnc_metrics nnc_work_metrics, nnc_step_metrics, nnc_throughput_metrics;

/* The tables nnc_plan_metrics (the main settings of a plan) and nnc_plan_choice_metrics (the settings that a search
 * varies) describe records of type nnc_plan. The table nnc_resolved_plan_metrics (the plan section of an estimate)
 * describes records of type nnc_report, and nnc_memory_metrics describes records of type nnc_memory. */
extern const nnc_metrics nnc_plan_metrics, nnc_resolved_plan_metrics, nnc_plan_choice_metrics, nnc_memory_metrics;

/* Metrics tables for the lists of a report, whose records have the types nnc_op_cost, nnc_stage, nnc_interval and
 * nnc_sensitivity. */
extern const nnc_metrics nnc_op_metrics, nnc_stage_metrics, nnc_stage_time_metrics, nnc_interval_metrics,
    nnc_sensitivity_metrics;

#endif
