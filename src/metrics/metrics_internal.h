/* The numbers of a result. Each record (a C struct) has a table with one row per member: name,
 * unit, help, source, and where the value is in the struct, or a function that computes it. JSON,
 * CSV, tables, names of columns and constraints, the schema of an output and `explain` read the
 * same rows, so a member is listed once. */
#ifndef NNCOST_METRICS_METRICS_INTERNAL_H
#define NNCOST_METRICS_METRICS_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/run.h>
#include <nncost/serve.h>
#include <nncost/spec.h>

#include "base/base_internal.h"
#include "base/derivation.h"

typedef enum nnc_metric_type {
    NNC_METRIC_NUMBER, /* double; NaN = unknown */
    NNC_METRIC_WHOLE,  /* int32_t, int64_t, or uint64_t below 2^63 */
    NNC_METRIC_BOOL,
    NNC_METRIC_TEXT,   /* const char *; NULL = no text */
    NNC_METRIC_CHARS,  /* char[] */
    NNC_METRIC_ENUM,   /* an enumerator, by its name */
    NNC_METRIC_ANY,    /* a number or a text, computed by `get` */
    NNC_METRIC_OBJECT, /* the rows of another table */
    NNC_METRIC_LIST,   /* a pointer to records of another table */
    NNC_METRIC_TEXTS   /* a pointer to const char * */
} nnc_metric_type;

/* How a number is printed for people. */
typedef enum nnc_show {
    NNC_SHOW_UNIT,     /* with its unit, four digits: "12.30 ms"; without one as NNC_SHOW_SHORT */
    NNC_SHOW_SHORT,    /* four digits, from 10,000 up with a prefix: "12.30 k" */
    NNC_SHOW_COUNT,    /* "1,557,611,200", "16.73" */
    NNC_SHOW_PLAIN,    /* every digit, 12 at most */
    NNC_SHOW_SCALED,   /* with a prefix, when the heading names the unit: "386.5 G" */
    NNC_SHOW_PERCENT,  /* a share, "41.2%" */
    NNC_SHOW_PERCENT2, /* "41.23%" */
    NNC_SHOW_ERROR     /* an error, "+12.3%", "x11.5" */
} nnc_show;

/* A record, and its position. */
typedef struct nnc_place {
    const void *record;
    const void *owner; /* the record whose list contains it; NULL = not in a list */
    int64_t index;     /* position in that list */
} nnc_place;

/* Computes a value; may use `text` as the buffer of a text. */
enum { NNC_METRIC_TEXT_MAX = 512 };
typedef nnc_cell nnc_metric_get(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]);

typedef struct nnc_metrics nnc_metrics;

/* Properties that few rows have. */
typedef struct nnc_metric_more {
    /* JSON has the member only if this holds; NULL = always */
    bool (*when)(const nnc_place *place);
    bool (*unless)(const nnc_place *place); /* an object is null if this holds */
    const nnc_metrics *const *others;       /* other tables for the records of a list; ends with NULL */
    const char *(*each)(unsigned index);    /* the name of each value of an array; NULL: 0, 1 ... */
    const char *source;                     /* source of the formula or the definition; NULL = none
                                          * needed */
    const char *same_as;                    /* full name of the same metric of an estimate; NULL = none */
    /* full name of the metric that is the sum of this one and others; NULL = none */
    const char *part_of;
} nnc_metric_more;
#define NNC_MORE(...) (&(const nnc_metric_more){ __VA_ARGS__ })

/* Members of one size are adjacent: the tables are large, and the loader touches every page of
 * them. */
typedef struct nnc_metric {
    const char *name; /* JSON key; NULL: only in tables, or an object whose rows are inlined */
    nnc_metric_type type : 8;
    nnc_show show : 8;
    /* place in the record: at an offset, if hop > 0 in the struct that the pointer at hop - 1
     * points to; or computed by get */
    uint16_t hop;
    uint32_t offset, size;
    uint32_t count_offset; /* place of a list's int32_t or int64_t count, after the same hop */
    nnc_metric_get *get;

    nnc_names names; /* names of an enumerator; of an array of each_count values, int64_t or
                      * double */

    /* object, list */
    const nnc_metrics *rows;
    const nnc_metric_more *more; /* NULL = none of them, see nnc_metric_rare */

    const char *unit; /* "s", "B", "FLOP/s"; NULL = a pure number */
    const char *help; /* one sentence; the formula is next to its arithmetic */
    const char *head; /* heading of its column in tables; NULL = no column */

    int16_t each_count;
    uint8_t count_size;
    bool full : 1;       /* absent in a brief estimate: see nnc_scratch */
    bool blank_zero : 1; /* 0 = does not apply; written as null */
    bool sparse : 1;     /* JSON omits the zeros of an array */
    bool in_place : 1;   /* the list itself is in the record, not a pointer to it */
    bool null_empty : 1; /* an empty list is null */
    bool any_sign : 1;   /* may be negative, though it has a unit */
    bool shrinks : 1;    /* the text is cut when the line would be too long */
    int8_t drop;         /* column omitted when even that is too long, lowest first; 0 = never */
} nnc_metric;

static inline const nnc_metric_more *nnc_metric_rare(const nnc_metric *row)
{
    static const nnc_metric_more none = { .when = NULL };
    return row->more != NULL ? row->more : &none;
}

struct nnc_metrics {
    const char *what; /* "one training step" */
    const nnc_metric *rows;
    size_t count;
    size_t record_size; /* size of the records of a list */
    /* does the list contain this record? NULL = all records */
    bool (*listed)(const nnc_place *place);
};

/* Rows. A member with the same name as its metric, by type; further properties follow. */
#define NNC_NUMBER(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_NUMBER)
#define NNC_WHOLE(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_WHOLE)
#define NNC_BOOL(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_BOOL)
#define NNC_TEXT(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_TEXT)
#define NNC_CHARS(of, ...) NNC_ROW_(of, __VA_ARGS__, .type = NNC_METRIC_CHARS)
#define NNC_ROW_(of, member, ...)                        \
    {                                                    \
        .name = #member, NNC_IN(of, member), __VA_ARGS__ \
    }
/* An enumerator, with the function that names it and how many there are. */
#define NNC_NAMED(of, member, name_of, ...) NNC_NAMED_(of, member, name_of, __VA_ARGS__, .type = NNC_METRIC_ENUM)
#define NNC_NAMED_(of, member, name_of, number, ...)                                       \
    {                                                                                      \
        .name = #member, NNC_IN(of, member), .names = { (name_of), (number) }, __VA_ARGS__ \
    }
/* A row with another name; only in tables; the rows of another table inlined. */
#define NNC_AS(text, kind, ...)                                \
    {                                                          \
        .name = (text), .type = NNC_METRIC_##kind, __VA_ARGS__ \
    }
#define NNC_HEAD(text, kind, ...)                              \
    {                                                          \
        .head = (text), .type = NNC_METRIC_##kind, __VA_ARGS__ \
    }
#define NNC_ROWS(...) NNC_ROWS_(__VA_ARGS__, .type = NNC_METRIC_OBJECT)
#define NNC_ROWS_(table, ...)        \
    {                                \
        .rows = (table), __VA_ARGS__ \
    }

/* Place of a value: a member; after a pointer. */
#define NNC_IN(of, member) .offset = offsetof(of, member), .size = sizeof(((const of *)NULL)->member)
#define NNC_VIA(of, pointer) .hop = offsetof(of, pointer) + 1 /* NOLINT(bugprone-macro-parentheses) */
#define NNC_COUNT(of, member) .count_offset = offsetof(of, member), .count_size = sizeof(((const of *)NULL)->member)

/* Defines a getter: the cell of a record `self` of a type; `text` is a buffer. Defines a
 * condition. */
#define NNC_GET(function, of, ...)                                                   \
    static nnc_cell function(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) \
    {                                                                                \
        const of *self = place->record;                                              \
        (void)self, (void)text;                                                      \
        return (__VA_ARGS__);                                                        \
    }
#define NNC_IF(function, of, condition)          \
    static bool function(const nnc_place *place) \
    {                                            \
        const of *self = place->record;          \
        (void)self;                              \
        return (condition);                      \
    }
/* In both: the record whose list contains this one. */
#define NNC_OWNER(of) ((const of *)place->owner)

#define NNC_METRICS(text, list, of)                                                                        \
    {                                                                                                      \
        .what = (text), .rows = (list), .count = sizeof(list) / sizeof(list)[0], .record_size = sizeof(of) \
    }

/* One value of a row; index: of an array. A number that is not finite is NNC_CELL_NULL. */
nnc_cell nnc_metric_read(const nnc_metric *row, const nnc_place *place, int32_t index, char text[NNC_METRIC_TEXT_MAX]);

/* Cells; NaN and NULL become NNC_CELL_NULL. */
nnc_cell nnc_number_cell(double number);
nnc_cell nnc_text_cell(const char *text);
static inline nnc_cell nnc_whole_cell(int64_t whole)
{
    return (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = whole };
}
static inline nnc_cell nnc_bool_cell(bool flag)
{
    return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = flag };
}

/* The place that the rows of an object are relative to. */
nnc_place nnc_metric_inside(const nnc_metric *row, const nnc_place *place);

/* Consecutive records. */
typedef struct nnc_lines {
    const nnc_metrics *metrics; /* NULL: texts, const char * */
    const void *owner, *records;
    int64_t count;
} nnc_lines;

/* The records of a list, and the place of one. */
nnc_lines nnc_metric_lines(const nnc_metric *row, const nnc_place *place);
nnc_place nnc_line_place(const nnc_lines *lines, int64_t index);
bool nnc_line_listed(const nnc_lines *lines, const nnc_place *place);

/* A value with its full name, "step.interval_s.0": the name of a column in CSV and sweeps. */
enum { NNC_COLUMN_DEPTH = 5 };
typedef struct nnc_column {
    const char *name;
    const nnc_metric *metric;
    int32_t index;                              /* index into an array */
    const nnc_metric *inside[NNC_COLUMN_DEPTH]; /* objects around it, outermost first */
    int depth;
} nnc_column;

typedef struct nnc_columns {
    const nnc_column *list;
    int32_t count;
} nnc_columns;

/* All values of a table except those of lists, in its order. Fails with NNC_NO_MEMORY. */
nnc_status nnc_columns_of(const nnc_metrics *metrics, nnc_arena *arena, nnc_columns *columns);

/* Is the value absent from a brief estimate? */
bool nnc_column_is_full(const nnc_column *column);

nnc_cell nnc_column_read(const nnc_column *column, nnc_place place, char text[NNC_METRIC_TEXT_MAX]);

/* The row of a value by its full name (of an array by any of its values); NULL = unknown. */
const nnc_metric *nnc_metric_find(const nnc_metrics *metrics, const char *name);

/* The name that a word stands for: an equal name, or the only one that ends with a dot and the
 * word; a result takes precedence over an input of the plan. names: count pointers, each `stride`
 * bytes after the one before. */
typedef struct nnc_name_match {
    /* -1 = none; other: index of a second name that ends with the word, when no name is equal */
    int32_t index, other;
} nnc_name_match;
nnc_name_match nnc_name_find(const void *names, size_t stride, int32_t count, const char *word);

/* ---- one estimate, and its inputs ---- */

/* A step measured by the user, for comparison. */
typedef struct nnc_own_step {
    double step_s, mfu;
    double predicted_over; /* the predicted time over the measured one */
    bool possible;         /* the step is not below the lower bound */
} nnc_own_step;

/* Fewest measured steps whose error is worth printing. */
enum { NNC_PAST_FEWEST = 10 };

/* Which measured steps that no fit has seen are compared: those of the device; when these are too few, those of
 * the family under the profile on all devices. A profile that the plan got is compared with steps that were
 * predicted without their framework. */
typedef enum nnc_past_of {
    NNC_PAST_NONE, /* not stated: no prediction, or the profile was never compared */
    NNC_PAST_FEW,  /* fewer than NNC_PAST_FEWEST on all devices: no error and no bias */
    NNC_PAST_DEVICE,
    NNC_PAST_ALL_DEVICES,
    NNC_PAST_COUNT
} nnc_past_of;
const char *nnc_past_name(unsigned of);

typedef struct nnc_past {
    nnc_past_of of;
    int64_t device_rows;  /* steps of the device that no fit has seen */
    int64_t rows, unseen; /* measured steps in `of`; steps among them that no fit has seen, to which error
                 * and bias apply */
    double error, bias;
} nnc_past;

/* A fact of the software that a plan leaves open: the option that would settle it, and its values. The step with a
 * value over the step of the estimate, minus 1: least, most, and the one that is farther from 0. */
enum { NNC_OPEN_FACTS_MAX = 8 };
typedef struct nnc_open_fact {
    const char *name;
    const char *const *values;
    int32_t value_count;
    double low, high, effect;
} nnc_open_fact;

/* A launch file that the plan comes from, and the options that it stands for. */
typedef struct nnc_source_file {
    const char *file, *format; /* "ds_config.json", "deepspeed" */
    const char *options;       /* "--zero 3 --micro-batch 4" */
} nnc_source_file;

/* A key of such a file that sets nothing: it does not affect the estimate, or --lenient skipped it. */
typedef struct nnc_ignored_key {
    const char *file, *key;
    int64_t line;
    const char *why;
    bool skipped; /* skipped by --lenient: the key may affect the estimate */
} nnc_ignored_key;

typedef struct nnc_launch_said {
    nnc_source_file *files;
    nnc_ignored_key *ignored;
    int32_t file_count, ignored_count, ignored_capacity;
    bool serves; /* the files start an engine that serves */
} nnc_launch_said;

/* A change of a deployment with a static batch that was tried and fits. */
enum { NNC_SERVE_CHANGES_MAX = 3 };
typedef struct nnc_serve_change {
    char options[104]; /* "--tensor 4 --batch 64" */
    double tpot_s, output_tokens_per_s, total_bytes;
    double per_million_output_tokens; /* NaN = no price is known */
} nnc_serve_change;

typedef struct nnc_report {
    const char *model_asked, *device_asked; /* names as the user gave them: "a100",
                                             * "my/device.json" */
    const char *overrides;                  /* "hidden=2048, ..."; NULL = no overrides */
    const char *cluster;                    /* file of the links; NULL = the device file's */
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    bool software_chosen;   /* the plan chose the software, not the user */
    double eager_s;         /* step without a compiler, on a first screen; NaN = the step is that, or unknown */
    int64_t least_bytes;    /* lower end of the memory over the open settings; 0 = the memory of the plan */
    char least_options[64]; /* the open settings that give it: "--recompute full --zero 3"; "" = none */
    const nnc_result *result;
    const nnc_op_cost *ops; /* NULL: no op list */
    int32_t op_count;
    const nnc_stage *stages; /* NULL: only in comparisons */
    int32_t stage_count;
    nnc_scratch *scratch; /* scratch of the estimate; NULL: no explanations */
    const nnc_advice *advice;
    int advice_count;
    bool all_stages;               /* show a table of the stages */
    const nnc_interval *intervals; /* timeline by stage, in order of time; NULL: no timeline */
    int64_t interval_count;
    const nnc_sensitivity *sensitivity; /* NULL: not requested */
    int sensitivity_count;
    const nnc_run_ask *run_ask; /* NULL: no run */
    const nnc_run *run;
    bool spot;                      /* the price is for interruptible capacity */
    const nnc_region *region;       /* source of the carbon intensity; NULL: not named */
    const nnc_building *building;   /* source of the PUE; NULL: not named */
    const nnc_serve_ask *serve_ask; /* NULL: training */
    const nnc_serve *serve;
    const struct nnc_images_ask *images_ask; /* NULL: no image generation */
    const struct nnc_images *images;
    const nnc_serve_op *serve_ops;
    int32_t serve_op_count;
    const nnc_serve_change *serve_changes; /* NULL = not looked for */
    int32_t serve_change_count;
    const nnc_open_fact *open_facts; /* facts of a profile that the plan got; NULL = not looked
                                      * for */
    int32_t open_fact_count;
    nnc_past past;                 /* accuracy of earlier predictions */
    const nnc_own_step *own;       /* NULL: not given */
    const nnc_launch_said *launch; /* NULL: the plan comes from no launch file */
} nnc_report;

/* Accuracy of earlier predictions for the same family under the same profile. */
nnc_past nnc_report_past(const nnc_report *report);
/* Was the answer computed in spite of implausible inputs? No range of measurements applies to it. */
bool nnc_report_is_implausible(const nnc_report *report);

/* The price of the device file that the costs use; NULL if the plan gives one, or no price is
 * known. */
const nnc_price *nnc_report_price(const nnc_report *report);

/* Currency of prices on a device: that of the device file, else US dollars (also for --price). */
const char *nnc_price_currency(const nnc_device *device);

/* Currency of a report's costs; NULL if no price is known. */
const char *nnc_report_currency(const nnc_report *report);

/* Advice when launching ops bounds the step; else NULL. */
const char *nnc_launch_advice(const nnc_result *result);

/* Rows of the vocabulary table with the padding for tensor ranks; 0 = no padding. */
int64_t nnc_padded_rows(const nnc_report *report);

/* Price of a million tokens, or of a thousand samples for images; NaN = unknown. */
double nnc_report_unit_cost(const nnc_result *result, nnc_derivation *why);

/* The verdict in one line, with its numbers, into text; returns text. */
const char *nnc_report_sentence(const nnc_report *report, char text[NNC_METRIC_TEXT_MAX]);

/* Rates that long kernels sustain by the fit: of the peak of the plan's precision; of the
 * bandwidth. */
double nnc_report_sustained_flops_per_s(const nnc_report *report);
double nnc_report_sustained_bytes_per_s(const nnc_report *report);

/* A plan in one word: "dp8 tp4 sp pp2 zero1 mb2 recompute=norm+activation"; defaults are
 * omitted. */
char *nnc_plan_word(const nnc_plan *plan, char text[NNC_METRIC_TEXT_MAX]);

/* ---- the tables ---- */

/* Records of type nnc_report: the sections of an estimate; the whole document with its lists. */
extern const nnc_metrics nnc_estimate_metrics, nnc_estimate_document;
/* The same with the run. Records of type nnc_run. */
extern const nnc_metrics nnc_estimate_run_metrics, nnc_run_metrics;

/* The metric with this full name: of an estimate, else of serving, else of image generation; NULL:
 * unknown. */
const nnc_metric *nnc_figure_metric(const char *name);

/* The launch files of a report, and their keys that set nothing. */
extern const nnc_metrics nnc_launch_metrics;

/* Records of type nnc_report (serving): all values; the document with its ops. Records of type
 * nnc_serve_step, nnc_serve_op. */
extern const nnc_metrics nnc_serve_metrics, nnc_serve_document, nnc_serve_step_metrics, nnc_serve_op_metrics;

/* Records of type nnc_report (image generation). */
extern const nnc_metrics nnc_images_metrics;

/* Records of type nnc_result. */
extern const nnc_metrics nnc_work_metrics, nnc_step_metrics, nnc_throughput_metrics;

/* Metrics of a plan: all, as resolved, and those that a search varies. Metrics of the memory of a stage. */
extern const nnc_metrics nnc_plan_metrics, nnc_resolved_plan_metrics, nnc_plan_choice_metrics, nnc_memory_metrics;

/* Records of type nnc_op_cost, nnc_stage, nnc_interval and nnc_sensitivity, listed by a report. */
extern const nnc_metrics nnc_op_metrics, nnc_stage_metrics, nnc_stage_time_metrics, nnc_interval_metrics,
    nnc_sensitivity_metrics;

#endif
