/* Formulas with the numbers put in. */
#ifndef NNCOST_EXPLAIN_EXPLAIN_H
#define NNCOST_EXPLAIN_EXPLAIN_H

#include <nncost/spec.h>

#include "base/arena.h"
#include "base/derivation.h"
#include "metrics/report.h"
#include "render/format.h"

/* What a line of an answer is. */
#define NNC_EXPLAINED_LIST(X)                                                           \
    X(NNC_EXPLAINED_FORMULA, "formula") /* computed: formula, numbers, result */        \
    X(NNC_EXPLAINED_GIVEN, "given")     /* read from model, device, software or plan */ \
    X(NNC_EXPLAINED_TEXT, "text")       /* found out, not computed: what its meaning says */
NNC_ENUM(nnc_explained_kind, NNC_EXPLAINED_LIST, NNC_EXPLAINED_KINDS);
const char *nnc_explained_kind_name(nnc_explained_kind value);

typedef struct nnc_explained {
    const char *heading; /* of the lines that begin here, in tables; NULL = none */
    nnc_explained_kind kind;
    nnc_line line;
    const char *text; /* a value that is no number; NULL = it is one, or not known */
    const char *note; /* what the names of the formula mean, beside line.meaning */
} nnc_explained;

typedef struct nnc_answer {
    const nnc_report *report; /* NULL: there are no numbers */
    const char *example;      /* then: what the formulas were taken from */
    const char *asked;
    nnc_arena *arena;
    nnc_explained *lines;
    int32_t count, capacity;
    bool failed; /* out of memory */
} nnc_answer;

/* Appends a line; what it points to must live as long as the answer. */
void nnc_answer_add(nnc_answer *answer, nnc_explained explained);

/* Appends the lines of every row of an op; of one with many shapes, the row that takes longest in each
 * phase. step: what the estimate said of itself; why: has what the lines point to. false: there is no
 * such op. */
bool nnc_explain_op(nnc_answer *answer, const nnc_report *report, const nnc_derivation *step,
                    nnc_derivation *why, const char *name);

void nnc_answers_write(nnc_buffer *out, nnc_style style, const nnc_answer *answers, int32_t count);
extern const nnc_metrics nnc_answer_document;

/* The output of a command, whose members can be explained too. */
typedef struct nnc_explain_output {
    const char *name; /* of the command; NULL ends a list */
    const nnc_metrics *metrics;
} nnc_explain_output;

/* Writes the formula, source and numbers of names joined by commas: a metric ("mfu",
 * "step.exposed_comm.data"), several ("memory"), an op ("attn.qkv"), a member of another output
 * ("groups.mape"). report: of an estimate that its scratch made last. outputs: NULL = none. Fails with
 * NNC_BAD_USAGE for a name that is none of these; err names the nearest. */
nnc_status nnc_report_explain(nnc_buffer *out, nnc_style style, const nnc_report *report,
                              const nnc_explain_output *outputs, const char *names, nnc_error *err);

/* The same without numbers, by examples of every family. */
nnc_status nnc_explain_formulas(nnc_buffer *out, nnc_style style, nnc_specs *specs,
                                const nnc_explain_output *outputs, const char *names,
                                nnc_error *err);

/* Lists every name. */
nnc_status nnc_explain_list(nnc_buffer *out, nnc_style style, const nnc_explain_output *outputs,
                            nnc_error *err);
extern const nnc_metrics nnc_explained_names_document;
extern const nnc_view nnc_explained_names_view, nnc_answer_view;

/* Names that stand for several metrics: the name and what it stands for, NULL after the last. */
typedef struct nnc_alias {
    const char *name, *help;
    const char *stands_for[14];
} nnc_alias;
extern const nnc_alias nnc_aliases[];

#endif
