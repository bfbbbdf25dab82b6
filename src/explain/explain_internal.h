/* `nncost explain`: formulas with their numbers.
 *
 * A question (one or more names) is answered by a second run of the estimate with a derivation: the
 * arithmetic reports each formula as it stands in the code (base/derivation.h). The lines of a name
 * are a metric with its operands, an op with its rows, or the meaning of a member of an output. */
#ifndef NNCOST_EXPLAIN_INTERNAL_H
#define NNCOST_EXPLAIN_INTERNAL_H

#include <nncost/spec.h>

#include "base/base_internal.h"
#include "base/derivation.h"
#include "metrics/metrics_internal.h"
#include "render/render_internal.h"

/* Kinds of a line of an answer. */
#define NNC_EXPLAINED_LIST(X)                                                           \
    X(NNC_EXPLAINED_FORMULA, "formula") /* computed: formula, numbers, result */        \
    X(NNC_EXPLAINED_GIVEN, "given")     /* read from model, device, software or plan */ \
    X(NNC_EXPLAINED_TEXT, "text")       /* a fact that is not computed: its meaning explains it */
NNC_ENUM(nnc_explained_kind, NNC_EXPLAINED_LIST, NNC_EXPLAINED_KINDS);
const char *nnc_explained_kind_name(nnc_explained_kind value);

typedef struct nnc_explained {
    const char *heading; /* heading before this line; NULL = none */
    nnc_explained_kind kind;
    nnc_line line;
    const char *text; /* a value that is not a number; NULL = a number, or unknown */
    const char *note; /* meaning of the names in the formula, in addition to line.meaning */
} nnc_explained;

typedef struct nnc_answer {
    const nnc_report *report; /* NULL: no numbers */
    const char *example;      /* then: description of the example */
    const char *asked;
    nnc_arena *arena;
    nnc_explained *lines;
    int32_t count, capacity;
    bool failed; /* out of memory */
} nnc_answer;

/* Appends a line; its pointers must live as long as the answer. */
void nnc_answer_add(nnc_answer *answer, nnc_explained explained);

/* Appends the lines of every row of an op; when it has many shapes, only the slowest row of each
 * phase. step: lines of the estimate; why: owns the lines. false: no such op. */
bool nnc_explain_op(nnc_answer *answer, const nnc_report *report, const nnc_derivation *step, nnc_derivation *why,
                    const char *name);

void nnc_answers_write(nnc_buffer *out, nnc_style style, const nnc_answer *answers, int32_t count);
extern const nnc_metrics nnc_answer_document;

/* Output of another command, whose members can be explained too. */
typedef struct nnc_explain_output {
    const char *name; /* name of the command; NULL ends a list */
    const nnc_metrics *metrics;
} nnc_explain_output;

/* Writes the formula, source and numbers of names joined by commas: a metric ("mfu",
 * "step.exposed_comm.data"), several ("memory"), an op ("attn.qkv"), a member of another output
 * ("groups.mape"). report: of an estimate that its scratch made last. outputs: NULL = none. Fails with
 * NNC_BAD_USAGE for a name that is unknown; err names the nearest. */
nnc_status nnc_report_explain(nnc_buffer *out, nnc_style style, const nnc_report *report,
                              const nnc_explain_output *outputs, const char *names, nnc_error *err);

/* The same without numbers, from one example per family. */
nnc_status nnc_explain_formulas(nnc_buffer *out, nnc_style style, nnc_specs *specs, const nnc_explain_output *outputs,
                                const char *names, nnc_error *err);

/* Lists every name. */
nnc_status nnc_explain_list(nnc_buffer *out, nnc_style style, const nnc_explain_output *outputs, nnc_error *err);
extern const nnc_metrics nnc_explained_names_document;
extern const nnc_view nnc_explained_names_view, nnc_answer_view;

/* Names of groups of metrics: the name and its metrics, NULL after the last. */
typedef struct nnc_alias {
    const char *name, *help;
    const char *stands_for[14];
} nnc_alias;
extern const nnc_alias nnc_aliases[];

/* ---- all names that can be explained, from the tables of all outputs ---- */

/* A member of an output, with the objects and lists around it: "best.step_s". */
typedef struct nnc_explained_name {
    const char *path, *output; /* output: the command that prints it */
    const nnc_metrics *table;
    const nnc_metric *row;
    bool again; /* its table is already listed */
} nnc_explained_name;

typedef struct nnc_explained_names {
    nnc_explained_name *list;
    int32_t count;
} nnc_explained_names;

/* Names of an estimate first, then of outputs (NULL = none). Fails with NNC_NO_MEMORY. */
nnc_status nnc_explained_names_of(const nnc_explain_output *outputs, nnc_arena *arena, nnc_explained_names *names);

/* ---- one question: an estimate made again with its derivation ---- */

typedef struct nnc_question {
    const nnc_report *report;
    const nnc_explain_output *outputs; /* outputs of other commands; NULL = none */
    const char
        /* description of the example, when only formulas are asked; NULL: a real estimate */
        *example;
    nnc_answer answer; /* answer to the current name */
    nnc_arena *arena;
    nnc_columns columns;       /* columns of the estimate */
    nnc_explained_names names; /* filled when a word needs them */
    nnc_derivation *step, *row;
    const nnc_line *said; /* lines of the estimate */
    int said_count;
    bool *shown; /* for each line: is it in the answer? */
} nnc_question;

/* How well a word matches the name of a column: a section or an array around it, the end of its
 * name, its full name. */
typedef enum nnc_naming { NNC_NAMES_NOT_AT_ALL, NNC_NAMES_AROUND, NNC_NAMES_ENDING, NNC_NAMES_EXACT } nnc_naming;

/* Each appends the lines of a word and returns whether there are any: the best matching metrics of
 * the estimate, at least as well as `least`; an operand of a formula that is not a metric,
 * "busy_s"; a member of a list's records, or of the output of another command. */
bool nnc_answer_columns(nnc_question *a, const char *word, nnc_naming least);
bool nnc_answer_operand(nnc_question *a, const char *word);
bool nnc_answer_member(nnc_question *a, const char *word);

/* The name of a metric without its section, as in the derivation of the estimate. */
const char *nnc_metric_short_name(const char *column);

#endif
