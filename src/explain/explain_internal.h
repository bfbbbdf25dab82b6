/* `nncost explain`: formulas with their numbers.
 *
 * Answers a question (one or more names) by running the estimate a second time with a derivation: the code that
 * computes a number records its formula (base/base_internal.h). A name can be a metric, an op, or a member of an
 * output. The answer has the metric with its operands, the op with its rows, or the meaning of the member. */
#ifndef NNCOST_EXPLAIN_INTERNAL_H
#define NNCOST_EXPLAIN_INTERNAL_H

#include <nncost/spec.h>

#include "base/base_internal.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"

/* Kinds of lines in an answer of `nncost explain`. A line "formula" shows a computed value: the formula, the numbers in
 * the formula, and the result. A line "given" shows a value that was read from the model, device, software or plan. A
 * line "text" states the meaning of a member that is not computed. */
#define NNC_EXPLAINED_LIST(X)           \
    X(NNC_EXPLAINED_FORMULA, "formula") \
    X(NNC_EXPLAINED_GIVEN, "given")     \
    X(NNC_EXPLAINED_TEXT, "text")
NNC_ENUM(nnc_explained_kind, NNC_EXPLAINED_LIST, NNC_EXPLAINED_KINDS);
const char *nnc_explained_kind_name(nnc_explained_kind value);

typedef struct nnc_explained {
    const char *heading; /* heading printed above this line; NULL = no heading */
    nnc_explained_kind kind;
    nnc_line line;
    const char *text; /* value of the member if it is a text; NULL = the value is a number, or is not known */
    const char *note; /* meaning of the names in the formula, printed after line.meaning */
} nnc_explained;

typedef struct nnc_answer {
    /* estimate whose numbers the answer shows; NULL: the answer shows formulas without numbers */
    const nnc_report *report;
    const char *example; /* if report is NULL: text that names the example from which the formulas are taken */
    const char *asked;
    nnc_arena *arena;
    nnc_explained *lines;
    int32_t count, capacity;
    bool failed; /* true: memory ran out while the answer was written */
} nnc_answer;

/* Appends a line to the answer. The texts to which the line points must exist as long as the answer. */
void nnc_answer_add(nnc_answer *answer, nnc_explained explained);

/* Appends to the answer the lines of each row of the op `name`. If the op has more than 8 rows, or the answer shows no
 * numbers, appends only the slowest row of each phase. step: derivation of the estimate. why: buffer for the derivation
 * of a row. Returns false if the estimate has no op with the name `name`. */
bool nnc_explain_op(nnc_answer *answer, const nnc_report *report, const nnc_derivation *step, nnc_derivation *why,
                    const char *name);

void nnc_answers_write(nnc_buffer *out, nnc_style style, const nnc_answer *answers, int32_t count);

/* One output of a command, such as a JSON document, whose members `nncost explain` can explain. */
typedef struct nnc_explain_output {
    const char *name; /* name of the command; NULL ends a list of outputs */
    const nnc_metrics *metrics;
} nnc_explain_output;

/* Writes the formula, source and numbers of names joined by commas. A name can be a metric ("mfu",
 * "step.exposed_comm.data"), a group of metrics ("memory"), an op ("attn.qkv"), or a member of another output
 * ("groups.mape"). report: the estimate to explain, which must be the last one that was made with the scratch of the
 * report. outputs: outputs of other commands; NULL = none. Fails with NNC_BAD_USAGE for an unknown name; err has the
 * most similar known name. */
nnc_status nnc_report_explain(nnc_buffer *out, nnc_style style, const nnc_report *report,
                              const nnc_explain_output *outputs, const char *names, nnc_error *err);

/* Writes the formulas of names joined by commas, without numbers. The formulas come from one example estimate for each
 * model family. */
nnc_status nnc_explain_formulas(nnc_buffer *out, nnc_style style, nnc_specs *specs, const nnc_explain_output *outputs,
                                const char *names, nnc_error *err);

/* Lists every name that `nncost explain` can explain. */
nnc_status nnc_explain_list(nnc_buffer *out, nnc_style style, const nnc_explain_output *outputs, nnc_error *err);

/* A name that stands for a group of metrics. stands_for: the names of these metrics; NULL ends the list. */
typedef struct nnc_alias {
    const char *name, *help;
    const char *stands_for[14];
} nnc_alias;
extern const nnc_alias nnc_aliases[];

/* ---- all names that can be explained, from the tables of all outputs ---- */

/* A member of an output that can be explained. path: the name of the member, after the names of the objects and lists
 * that contain the member: "best.step_s". */
typedef struct nnc_explained_name {
    const char *path, *output; /* output: the command that prints the member of this name */
    const nnc_metrics *table;
    const nnc_metric *row;
    /* true: another output uses the same metrics table, and the list of names shows the names of the table only under
     * that output */
    bool again;
} nnc_explained_name;

typedef struct nnc_explained_names {
    nnc_explained_name *list;
    int32_t count;
} nnc_explained_names;

/* Sets *names to the names of all metrics of an estimate, followed by the names of all members of `outputs` (outputs of
 * other commands; NULL = none). Fails with NNC_NO_MEMORY. */
nnc_status nnc_explained_names_of(const nnc_explain_output *outputs, nnc_arena *arena, nnc_explained_names *names);

/* ---- a question of explain: its estimate is made again with a derivation ---- */

typedef struct nnc_question {
    const nnc_report *report;
    const nnc_explain_output *outputs; /* outputs of other commands that can be explained; NULL = none */
    const char
        /* description of the example estimate, if the user asks only for formulas; NULL = `report` is an estimate of
         * the user */
        *example;
    nnc_answer answer; /* answer to the name that is being explained */
    nnc_arena *arena;
    nnc_columns columns; /* metrics of the estimate, as columns with a name and a value */
    nnc_explained_names
        names; /* all names that can be explained; collected when a word needs them for the first time */
    nnc_derivation *step, *row;
    const nnc_line *said; /* the said_count lines of the derivation of the estimate */
    int said_count;
    bool *shown; /* for each line of `said`: true = the answer already contains the line */
} nnc_question;

/* How well a word of the user matches the full name of a column; a value later in this enumeration stands for a better
 * match. NNC_NAMES_NOT_AT_ALL: the word does not match. NNC_NAMES_AROUND: the word is the name of an object or array
 * that contains the column. NNC_NAMES_ENDING: the word is the end of the full name. NNC_NAMES_EXACT: the word is the
 * full name. */
typedef enum nnc_naming { NNC_NAMES_NOT_AT_ALL, NNC_NAMES_AROUND, NNC_NAMES_ENDING, NNC_NAMES_EXACT } nnc_naming;

/* Each of these functions appends lines about a word of the user to the answer, and returns true if it appended a line.
 * The function nnc_answer_columns explains the metrics of the estimate that match the word best, if they match at least
 * as well as `least`. The function nnc_answer_operand explains an operand of a formula that is not a metric, such as
 * "busy_s". The function nnc_answer_member explains a member of the records in a list, or a member of the output of
 * another command. */
bool nnc_answer_columns(nnc_question *a, const char *word, nnc_naming least);
bool nnc_answer_operand(nnc_question *a, const char *word);
bool nnc_answer_member(nnc_question *a, const char *word);

/* Returns the name of a metric without its first part, as the derivation of an estimate uses it: "step.mfu" -> "mfu" */
const char *nnc_metric_short_name(const char *column);

#endif
