/* What a question is answered from: the estimate once more, saying how. */
#ifndef NNCOST_EXPLAIN_ASKED_H
#define NNCOST_EXPLAIN_ASKED_H

#include "explain/explain.h"
#include "explain/explain_names.h"

typedef struct nnc_asked {
    const nnc_report *report;
    const nnc_explain_output *outputs; /* of other commands; NULL = none */
    const char
        *example; /* what the report is of, where only formulas are asked for; NULL: a real one */
    nnc_answer answer; /* to the name that is looked at */
    nnc_arena *arena;
    nnc_columns columns;       /* of the estimate */
    nnc_explained_names names; /* found once a word needs them */
    nnc_derivation *step, *row;
    const nnc_line *said; /* by the estimate */
    int said_count;
    bool *shown; /* of these */
} nnc_asked;

/* How well a word names a column: as a section or an array it is in, as the end of its name, in full. */
typedef enum nnc_naming {
    NNC_NAMES_NOT_AT_ALL,
    NNC_NAMES_AROUND,
    NNC_NAMES_ENDING,
    NNC_NAMES_EXACT
} nnc_naming;

/* Each appends what a word stands for, and says whether there is any: metrics of the estimate that it names
 * best, and at least so well; an operand of a formula that is no metric, "busy_s"; a member of the records
 * in a list, or of the output of another command. */
bool nnc_asked_columns(nnc_asked *a, const char *word, nnc_naming least);
bool nnc_asked_operand(nnc_asked *a, const char *word);
bool nnc_asked_member(nnc_asked *a, const char *word);

/* The name of a metric without its section: what the estimate calls it. */
const char *nnc_asked_short_name(const char *column);

/* Answers names, joined by commas, each from the first of these that knows it; of an asked, report, outputs and
 * example are filled, and all else is gone after. */
nnc_status nnc_explain(nnc_buffer *out, nnc_style style, nnc_asked *asked, int asked_count,
                       const char *names, nnc_error *err);

#endif
