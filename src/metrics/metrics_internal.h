/* What a record says, one row per member. JSON, CSV, tables, the names of columns and constraints, the
 * schema of an output and `explain` read the same rows, so a member is listed once. A record is a C
 * struct; a row says where in it a value stands, or works it out. */
#ifndef NNCOST_METRICS_METRICS_INTERNAL_H
#define NNCOST_METRICS_METRICS_INTERNAL_H

#include <stddef.h>

#include <nncost/run.h>
#include <nncost/sensitivity.h>
#include <nncost/serve.h>
#include <nncost/spec.h>

#include "base/arena.h"
#include "base/cell.h"
#include "base/derivation.h"
#include "base/names.h"

typedef enum nnc_metric_type {
    NNC_METRIC_NUMBER, /* double; NaN = not known */
    NNC_METRIC_WHOLE,  /* int32_t, int64_t, or uint64_t below 2^63 */
    NNC_METRIC_BOOL,
    NNC_METRIC_TEXT,   /* const char *; NULL = there is none */
    NNC_METRIC_CHARS,  /* char[] */
    NNC_METRIC_ENUM,   /* an enumerator, by its name */
    NNC_METRIC_ANY,    /* a number or a text, which is worked out */
    NNC_METRIC_OBJECT, /* the rows of another table */
    NNC_METRIC_LIST,   /* a pointer to records of another table */
    NNC_METRIC_TEXTS   /* a pointer to const char * */
} nnc_metric_type;

/* How people read a number. */
typedef enum nnc_show {
    NNC_SHOW_UNIT,     /* with its unit, four digits: "12.30 ms"; without one as NNC_SHOW_SHORT */
    NNC_SHOW_SHORT,    /* four digits, from 10,000 up with a prefix: "12.30 k" */
    NNC_SHOW_COUNT,    /* "1,557,611,200", "16.73" */
    NNC_SHOW_PLAIN,    /* every digit, 12 at most */
    NNC_SHOW_SCALED,   /* with a prefix, where the heading names the unit: "386.5 G" */
    NNC_SHOW_PERCENT,  /* a share: "41.2%" */
    NNC_SHOW_PERCENT2, /* "41.23%" */
    NNC_SHOW_ERROR     /* how far off: "+12.3%", "x11.5" */
} nnc_show;

/* Where a record is. */
typedef struct nnc_place {
    const void *record;
    const void *owner; /* the record whose list it is in; NULL = in none */
    int64_t index;     /* its place in that list */
} nnc_place;

/* Works a value out; a text may be put into `text`. */
enum { NNC_METRIC_TEXT_MAX = 256 };
typedef nnc_cell nnc_metric_get(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]);

typedef struct nnc_metrics nnc_metrics;

/* What few rows have. */
typedef struct nnc_metric_more {
    bool (*when)(const nnc_place *place);   /* in JSON only then; NULL = always */
    bool (*unless)(const nnc_place *place); /* an object is null then */
    const nnc_metrics *const
        *others; /* tables that a list's records may have instead; ends with NULL */
    const char *(*each)(unsigned index); /* the name of each value of an array; NULL: 0, 1 ... */
    const char *source;                  /* who says so; NULL = nobody needs to */
    const char *same_as; /* full name of the metric of an estimate that it is; NULL = of none */
    const char *part_of; /* full name of the metric that this one is a summand of; NULL = of none */
} nnc_metric_more;
#define NNC_MORE(...) (&(const nnc_metric_more){ __VA_ARGS__ })

/* Members of a size stand together: the tables are large, and the loader touches every page of them. */
typedef struct nnc_metric {
    const char
        *name; /* its JSON key; NULL: only in tables, and an object whose rows stand for it */
    nnc_metric_type type : 8;
    nnc_show show : 8;
    /* where it stands in the record: at an offset, if hop > 0 in what the pointer at hop - 1 points
     * to; or worked out */
    uint16_t hop;
    uint32_t offset, size;
    uint32_t count_offset; /* of a list's int32_t or int64_t count, after the same hop */
    nnc_metric_get *get;

    nnc_names
        names; /* an enumerator's; of an array there are each_count values, int64_t or double */

    /* object, list */
    const nnc_metrics *rows;
    const nnc_metric_more *more; /* NULL = nothing of it, see nnc_metric_rare */

    const char *unit; /* "s", "B", "FLOP/s"; NULL = a pure number */
    const char *help; /* a sentence; the formula stands where it is computed */
    const char *head; /* heading of its column in tables; NULL = it has none */

    int16_t each_count;
    uint8_t count_size;
    bool full : 1;       /* a brief estimate does not have it: see nnc_scratch */
    bool blank_zero : 1; /* 0 = does not apply, written as null */
    bool sparse : 1;     /* of an array: JSON leaves zeros out */
    bool in_place : 1;   /* the list itself stands in the record, not a pointer to it */
    bool null_empty : 1; /* an empty list is null */
    bool any_sign : 1;   /* may be below 0, though it has a unit */
    bool shrinks : 1;    /* cut where the line would be too long */
    int8_t drop;         /* left out where even that is too long, lowest first; 0 = never */
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
    size_t record_size;                     /* of the records of a list */
    bool (*listed)(const nnc_place *place); /* is a record listed at all? NULL = all are */
};

/* Rows. Of a member that has the name of its metric, with its type; what else there is to say follows. */
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
#define NNC_NAMED(of, member, name_of, ...) \
    NNC_NAMED_(of, member, name_of, __VA_ARGS__, .type = NNC_METRIC_ENUM)
#define NNC_NAMED_(of, member, name_of, number, ...)                                       \
    {                                                                                      \
        .name = #member, NNC_IN(of, member), .names = { (name_of), (number) }, __VA_ARGS__ \
    }
/* Under another name; only in tables; the rows of another table in place of one. */
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

/* Where a value stands: a member, after a pointer. */
#define NNC_IN(of, member) \
    .offset = offsetof(of, member), .size = sizeof(((const of *)NULL)->member)
#define NNC_VIA(of, pointer) \
    .hop = offsetof(of, pointer) + 1 /* NOLINT(bugprone-macro-parentheses) */
#define NNC_COUNT(of, member) \
    .count_offset = offsetof(of, member), .count_size = sizeof(((const of *)NULL)->member)

/* A getter: the cell of a record of a type, which is `self`; `text` may be filled. A condition. */
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
/* In both: the record whose list it is in. */
#define NNC_OWNER(of) ((const of *)place->owner)

#define NNC_METRICS(text, list, of)                                              \
    {                                                                            \
        .what = (text), .rows = (list), .count = sizeof(list) / sizeof(list)[0], \
        .record_size = sizeof(of)                                                \
    }

/* One value of a row: index, of an array. A number that is not finite is NNC_CELL_NULL. */
nnc_cell nnc_metric_read(const nnc_metric *row, const nnc_place *place, int32_t index,
                         char text[NNC_METRIC_TEXT_MAX]);

/* Cells; NaN and NULL are not there. */
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

/* The place that an object's rows count from. */
nnc_place nnc_metric_inside(const nnc_metric *row, const nnc_place *place);

/* Records that follow each other. */
typedef struct nnc_lines {
    const nnc_metrics *metrics; /* NULL: texts, const char * */
    const void *owner, *records;
    int64_t count;
} nnc_lines;

/* Those of a list, and the place of one. */
nnc_lines nnc_metric_lines(const nnc_metric *row, const nnc_place *place);
nnc_place nnc_line_place(const nnc_lines *lines, int64_t index);
bool nnc_line_listed(const nnc_lines *lines, const nnc_place *place);

/* A value under its name in full, "step.interval_s.0": what CSV and a sweep call a column. */
enum { NNC_COLUMN_DEPTH = 5 };
typedef struct nnc_column {
    const char *name;
    const nnc_metric *metric;
    int32_t index;                              /* of an array */
    const nnc_metric *inside[NNC_COLUMN_DEPTH]; /* objects around it, outermost first */
    int depth;
} nnc_column;

typedef struct nnc_columns {
    const nnc_column *list;
    int32_t count;
} nnc_columns;

/* All values of a table but those of lists, in its order. Fails with NNC_NO_MEMORY. */
nnc_status nnc_columns_of(const nnc_metrics *metrics, nnc_arena *arena, nnc_columns *columns);

/* Has a brief estimate no such value? */
bool nnc_column_is_full(const nnc_column *column);

nnc_cell nnc_column_read(const nnc_column *column, nnc_place place, char text[NNC_METRIC_TEXT_MAX]);

/* The row of a value by its name in full, of an array by that of any of its values; NULL = none. */
const nnc_metric *nnc_metric_find(const nnc_metrics *metrics, const char *name);

/* Which of the names a word stands for: the same one, or the only one that ends so after a dot. names
 * are count pointers, each `stride` bytes after the one before. */
typedef struct nnc_name_match {
    int32_t index, other; /* -1 = none; other: a second one that ends so, and none is the same */
} nnc_name_match;
nnc_name_match nnc_name_find(const void *names, size_t stride, int32_t count, const char *word);

/* ---- one estimate, and what it was made from ---- */

/* A step that the user measured, beside the estimate. */
typedef struct nnc_own_step {
    double step_s, mfu;
    double predicted_over; /* the predicted time over the measured one */
    bool possible;         /* it is not below the lower bound */
} nnc_own_step;

/* Fewer measured steps say little: of three on, the median is no end of the list. */
enum { NNC_PAST_FEWEST = 3 };

/* Whose measured steps speak for an estimate: those of its device, or where they are too few those of
 * all devices, of its family under its profile. */
typedef enum nnc_past_of {
    NNC_PAST_NONE, /* not said: it is no prediction, or the profile was never compared */
    NNC_PAST_FEW,  /* on all devices fewer than NNC_PAST_FEWEST: neither error nor bias */
    NNC_PAST_DEVICE,
    NNC_PAST_ALL_DEVICES,
    NNC_PAST_COUNT
} nnc_past_of;
const char *nnc_past_name(unsigned of);

typedef struct nnc_past {
    nnc_past_of of;
    int64_t device_rows;  /* measured steps of the device */
    int64_t rows, unseen; /* of whom `of` says */
    double error, bias;
} nnc_past;

typedef struct nnc_report {
    const char *model_asked, *device_asked; /* as given by the user: "a100", "my/device.json" */
    const char *overrides;                  /* "hidden=2048, ..."; NULL = none */
    const char *cluster;                    /* file of the links; NULL = the device file's */
    const nnc_model *model;
    const nnc_device *device;
    const nnc_software *software;
    bool software_chosen; /* by the plan, not asked for */
    const nnc_result *result;
    const nnc_op_cost *ops; /* NULL: leave the op list out */
    int32_t op_count;
    const nnc_stage *stages; /* NULL: only in comparisons */
    int32_t stage_count;
    nnc_scratch *scratch; /* of the estimate; NULL: it cannot be explained */
    const nnc_advice *advice;
    int advice_count;
    bool all_stages;               /* show a table of them */
    const nnc_interval *intervals; /* stage by stage, in the order of time; NULL: no timeline */
    int64_t interval_count;
    const nnc_sensitivity *sensitivity; /* NULL: not asked */
    int sensitivity_count;
    const nnc_run_ask *run_ask; /* NULL: a run is not asked for */
    const nnc_run *run;
    bool spot;                      /* the price is that of capacity that may be taken back */
    const nnc_region *region;       /* whose carbon intensity counts; NULL: none was named */
    const nnc_building *building;   /* whose PUE counts; NULL: none was named */
    const nnc_serve_ask *serve_ask; /* NULL: it is trained */
    const nnc_serve *serve;
    const struct nnc_images_ask *images_ask; /* NULL: it does not make images */
    const struct nnc_images *images;
    const nnc_serve_op *serve_ops;
    int32_t serve_op_count;
    nnc_past past;           /* earlier predictions beside measured steps */
    const nnc_own_step *own; /* NULL: none was given */
} nnc_report;

/* How near earlier predictions of the same family under the same profile came. */
nnc_past nnc_report_past(const nnc_report *report);

/* The price of the device file that the costs count; NULL if the plan gives one, or none is known. */
const nnc_price *nnc_report_price(const nnc_report *report);

/* Currency of the prices of a plan on a device: that of the device file, or else US dollars, which
 * --price is taken to be in too. */
const char *nnc_price_currency(const nnc_device *device);

/* The same of what a report costs; NULL if no price is known. */
const char *nnc_report_currency(const nnc_report *report);

/* What to do where issuing and launching ops takes the largest part of the step; NULL: it does not. */
const char *nnc_launch_advice(const nnc_result *result);

/* Rows of the vocabulary where tensor ranks have it padded; 0 = they do not. */
int64_t nnc_padded_rows(const nnc_report *report);

/* Price of a million tokens, or of a thousand samples where there are no tokens; NaN = unknown. */
double nnc_report_unit_cost(const nnc_result *result, nnc_derivation *why);

/* The verdict in one line, with its figures, into text; returns text. */
const char *nnc_report_sentence(const nnc_report *report, char text[NNC_METRIC_TEXT_MAX]);

/* What the fit says that long kernels hold: of the peak of the plan's precision, of the bandwidth. */
double nnc_report_sustained_flops_per_s(const nnc_report *report);
double nnc_report_sustained_bytes_per_s(const nnc_report *report);

/* A plan in one word: "dp8 tp4 sp pp2 zero1 mb2 recompute=norm+activation"; what is 1 or none is not said. */
char *nnc_plan_word(const nnc_plan *plan, char text[NNC_METRIC_TEXT_MAX]);

/* ---- what they say ---- */

/* Of an nnc_report: the sections of an estimate, and with the lists that are asked for all of it. */
extern const nnc_metrics nnc_estimate_metrics, nnc_estimate_document;
/* With the run that was asked for beside it. Of an nnc_run. */
extern const nnc_metrics nnc_estimate_run_metrics, nnc_run_metrics;

/* The metric of a full name in either, an estimate's first; NULL: there is none. */
const nnc_metric *nnc_figure_metric(const char *name);

/* Of an nnc_report that is served: all values, and with its ops. Of an nnc_serve_step and an nnc_serve_op. */
extern const nnc_metrics nnc_serve_metrics, nnc_serve_document, nnc_serve_step_metrics,
    nnc_serve_op_metrics;

/* Of an nnc_report that makes images. */
extern const nnc_metrics nnc_images_metrics;

/* Of an nnc_result. */
extern const nnc_metrics nnc_work_metrics, nnc_step_metrics, nnc_throughput_metrics;

/* Of an nnc_plan: all of it, and what a search chooses. Of an nnc_memory. */
extern const nnc_metrics nnc_plan_metrics, nnc_plan_choice_metrics, nnc_memory_metrics;

/* Of an nnc_op_cost, nnc_stage, nnc_interval and nnc_sensitivity that a report lists. */
extern const nnc_metrics nnc_op_metrics, nnc_stage_metrics, nnc_stage_time_metrics,
    nnc_interval_metrics, nnc_sensitivity_metrics;

#endif
