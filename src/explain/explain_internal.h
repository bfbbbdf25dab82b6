/* `nncost explain`: formulas with their numbers.
 *
 * Answers a question (one or more names) by running the estimate a second time with a derivation: the arithmetic
 * reports each formula as it is in the code (base/derivation.h). A name can be a metric, an op, or a member of an
 * output. The answer has the metric with its operands, the op with its rows, or the meaning of the member. */
#ifndef NNCOST_EXPLAIN_INTERNAL_H
#define NNCOST_EXPLAIN_INTERNAL_H

#include <nncost/spec.h>

#include "base/base_internal.h"
#include "base/derivation.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"

/* Kinds of lines in an answer of `nncost explain`. */
#define NNC_EXPLAINED_LIST(X)                                                                                        \
    X(NNC_EXPLAINED_FORMULA, "formula") /* computed: the formula, the numbers in it, the result */                   \
    X(NNC_EXPLAINED_GIVEN, "given")     /* a line about a value that is read from model, device, software or plan */ \
    X(NNC_EXPLAINED_TEXT, "text")       /* text about a member that is not computed; only its meaning is given */
NNC_ENUM(nnc_explained_kind, NNC_EXPLAINED_LIST, NNC_EXPLAINED_KINDS);
const char *nnc_explained_kind_name(nnc_explained_kind value);

typedef struct nnc_explained {
    const char *heading; /* heading before this line; NULL = no heading */
    nnc_explained_kind kind;
    nnc_line line;
    const char *text; /* a value that is not a number; NULL = a number, or unknown */
    const char *note; /* meaning of the names in the formula, in addition to line.meaning */
} nnc_explained;

typedef struct nnc_answer {
    const nnc_report *report; /* estimate whose numbers the answer shows; NULL: formulas without numbers */
    const char *example;      /* if report is NULL: text of the example that is explained */
    const char *asked;
    nnc_arena *arena;
    nnc_explained *lines;
    int32_t count, capacity;
    bool failed; /* true: memory ran out */
} nnc_answer;

/* Appends a line; its pointers must live as long as the answer. */
void nnc_answer_add(nnc_answer *answer, nnc_explained explained);

/* Appends the lines of each row of an op; if it has more than 8 rows, or the answer has no numbers, only the slowest
 * row of each phase. step: derivation of the estimate. why: buffer for the derivation of a row. Returns false if there
 * is no such op. */
bool nnc_explain_op(nnc_answer *answer, const nnc_report *report, const nnc_derivation *step, nnc_derivation *why,
                    const char *name);

void nnc_answers_write(nnc_buffer *out, nnc_style style, const nnc_answer *answers, int32_t count);

/* Output of a command, such as its JSON document, whose members `nncost explain` can explain. */
typedef struct nnc_explain_output {
    const char *name; /* name of the command; NULL ends a list of outputs */
    const nnc_metrics *metrics;
} nnc_explain_output;

/* Writes the formula, source and numbers of names joined by commas. A name can be a metric ("mfu",
 * "step.exposed_comm.data"), a group of metrics ("memory"), an op ("attn.qkv"), or a member of another output
 * ("groups.mape"). report: the estimate that its scratch computed last. outputs: NULL = no other outputs. Fails with
 * NNC_BAD_USAGE for an unknown name; err names the nearest known one. */
nnc_status nnc_report_explain(nnc_buffer *out, nnc_style style, const nnc_report *report,
                              const nnc_explain_output *outputs, const char *names, nnc_error *err);

/* Writes the formulas of names joined by commas, without numbers. They come from one example estimate per model
 * family. */
nnc_status nnc_explain_formulas(nnc_buffer *out, nnc_style style, nnc_specs *specs, const nnc_explain_output *outputs,
                                const char *names, nnc_error *err);

/* Lists every name that `nncost explain` can explain. */
nnc_status nnc_explain_list(nnc_buffer *out, nnc_style style, const nnc_explain_output *outputs, nnc_error *err);

/* A name for a group of metrics. The list of the metric names ends with NULL. */
typedef struct nnc_alias {
    const char *name, *help;
    const char *stands_for[14];
} nnc_alias;
extern const nnc_alias nnc_aliases[];

/* ---- all names that can be explained, from the tables of all outputs ---- */

/* A name in an output, with the names of the objects and lists around it: "best.step_s". */
typedef struct nnc_explained_name {
    const char *path, *output; /* output: the command that prints the member of this name */
    const nnc_metrics *table;
    const nnc_metric *row;
    bool again; /* true: the names of this table are already listed under another output */
} nnc_explained_name;

typedef struct nnc_explained_names {
    nnc_explained_name *list;
    int32_t count;
} nnc_explained_names;

/* Fills *names with the names of all metrics of an estimate, then of all members of `outputs` (NULL = no other
 * outputs). Fails with NNC_NO_MEMORY. */
nnc_status nnc_explained_names_of(const nnc_explain_output *outputs, nnc_arena *arena, nnc_explained_names *names);

/* ---- a question of explain: its estimate is made again with a derivation ---- */

typedef struct nnc_question {
    const nnc_report *report;
    const nnc_explain_output *outputs; /* outputs of other commands; NULL = none */
    const char
        /* description of the example estimate, if only formulas were asked for; NULL = a real estimate */
        *example;
    nnc_answer answer; /* answer to the current name */
    nnc_arena *arena;
    nnc_columns columns;       /* columns of the estimate */
    nnc_explained_names names; /* all names that can be explained; filled when first needed */
    nnc_derivation *step, *row;
    const nnc_line *said; /* lines of the derivation of the estimate */
    int said_count;
    bool *shown; /* for each line of `said`: true = it is already in the answer */
} nnc_question;

/* How well a word matches the name of a column, from worst to best: not at all; as the name of an enclosing object or
 * array; as the end of the name; as the full name. */
typedef enum nnc_naming { NNC_NAMES_NOT_AT_ALL, NNC_NAMES_AROUND, NNC_NAMES_ENDING, NNC_NAMES_EXACT } nnc_naming;

/* Each function appends to the answer the lines for a word. Returns true if it appended any line.
 * nnc_answer_columns: the best matching metrics of the estimate, if they match at least as well as `least`.
 * nnc_answer_operand: an operand of a formula that is not a metric, such as "busy_s".
 * nnc_answer_member: a member of a list's records, or of the output of another command. */
bool nnc_answer_columns(nnc_question *a, const char *word, nnc_naming least);
bool nnc_answer_operand(nnc_question *a, const char *word);
bool nnc_answer_member(nnc_question *a, const char *word);

/* Returns the name of a metric without its first part, as the derivation of an estimate uses it: "step.mfu" -> "mfu" */
const char *nnc_metric_short_name(const char *column);

#endif
