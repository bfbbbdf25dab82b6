/* Formulas with the numbers put in. */
#ifndef NNCOST_EXPLAIN_EXPLAIN_H
#define NNCOST_EXPLAIN_EXPLAIN_H

#include <stdio.h>

#include "metrics/report.h"
#include "op/dims.h"
#include "render/json_writer.h"
#include "render/sheet.h"

/* The names a formula may use. */
enum { NNC_SYMBOLS_MAX = 192 };
typedef struct nnc_symbol {
    char name[32];
    double value;
    const char *unit; /* NULL = a pure number */
} nnc_symbol;

typedef struct nnc_scope {
    nnc_symbol symbols[NNC_SYMBOLS_MAX];
    int count;
} nnc_scope;

void nnc_scope_add(nnc_scope *scope, const char *name, double value, const char *unit);
/* NULL if there is none. name need not end after length. */
const nnc_symbol *nnc_scope_find(const nnc_scope *scope, const char *name, size_t length);

/* The figures of an estimate, and the sums over its ops that formulas are made of. */
void nnc_scope_fill(nnc_scope *scope, const nnc_report *report);

/* On several devices, or with the host's memory. */
bool nnc_on_cluster(const nnc_plan *plan);
void nnc_cluster_scope_fill(nnc_scope *scope, const nnc_report *report);
/* The formula of a quantity where it is another one there, maybe in text; NULL: the same as on one
 * device. */
const char *nnc_cluster_formula(const nnc_report *report, const char *name, char *text,
                                size_t size);

/* One line of a derivation: name = formula = numbers = result. */
typedef struct nnc_derivation {
    const char *name, *unit;
    const char *formula;          /* what is not a name of the scope is left as it stands */
    const char *meaning, *source; /* NULL = none */
    double result;
} nnc_derivation;

typedef struct nnc_explainer {
    nnc_buffer *out;
    nnc_style style;
    nnc_sheet sheet;
    nnc_record record;
} nnc_explainer;

/* A heading of what follows, "attn.qkv forward"; JSON and CSV repeat it as "of". */
void nnc_explain_heading(nnc_explainer *explainer, const char *format, ...) NNC_PRINTF(2, 3);
void nnc_explain_line(nnc_explainer *explainer, const char *of, const nnc_scope *scope,
                      const nnc_derivation *line);

/* Write the derivation of a quantity, or of an op; false if there is none of this name. */
bool nnc_explain_quantity(nnc_explainer *explainer, const nnc_report *report, const char *name);
bool nnc_explain_op(nnc_explainer *explainer, const nnc_report *report, const char *name);
/* The same of one row that is an exchange between ranks. */
void nnc_explain_exchange(nnc_explainer *explainer, const nnc_report *report,
                          const nnc_op_cost *cost);

/* Lines that stand below those of a quantity: exchanges, the closed form of a bubble. */
void nnc_explain_beside(nnc_explainer *explainer, const nnc_report *report, const nnc_scope *scope,
                        const char *name);

/* Fills names with those of the quantities; returns how many. */
size_t nnc_explain_names(const char **names, size_t max);

/* Writes the formula, source and numbers of a quantity ("mfu") or of an op ("attn.qkv").
 * NNC_BAD_USAGE for a name that is neither; err names the nearest. */
nnc_status nnc_report_explain(nnc_buffer *out, nnc_style style, const nnc_report *report,
                              const char *quantity, nnc_error *err);

#endif
