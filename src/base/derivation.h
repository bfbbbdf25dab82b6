/* Arithmetic that says what it does. A function that takes a derivation, `why`, computes the same with
 * NULL and without; with one, it also leaves there each formula as it stands in the code, the values of
 * its operands and the result. `explain` prints them, so what it prints is what was computed.
 *
 *     NNC_LET(why, m, NULL, (double)p->m);                  an operand: const double m
 *     NNC_SAY(why, flops, "FLOP", 2.0 * m * n * k);         a line: const double flops
 *     NNC_SET(why, work.read_bytes, "B", m * k * bytes);    the same, into what is there already
 *     NNC_PUT(why, work.write_bytes, "B");                  an operand that is there already
 *     NNC_NOTE(why, "one multiply and one add per term");   what the last line means
 *
 * Units are those of the value, NULL for a pure number. base/formula.h says how formulas are written. */
#ifndef NNCOST_BASE_DERIVATION_H
#define NNCOST_BASE_DERIVATION_H

#include <stdbool.h>
#include <stddef.h>

#include <nncost/status.h>

typedef struct nnc_derivation nnc_derivation;

/* One line: name = formula = numbers = value. */
typedef struct nnc_line {
    const char *of; /* what it belongs to: "attn.qkv forward"; "" = nothing in particular */
    const char *name, *unit;
    const char *formula, *numbers; /* numbers: the formula with values in place of names */
    const char *where;             /* operands that have units, "rate 3 B/s", one a line */
    const char *meaning, *source;  /* NULL = none */
    double value;
} nnc_line;

nnc_derivation *nnc_derivation_create(void); /* NULL when out of memory */
void nnc_derivation_destroy(nnc_derivation *why);
/* false: out of memory, or more was said than there is room for. */
bool nnc_derivation_lines(const nnc_derivation *why, const nnc_line **lines, int *count);

/* Forgets everything said. */
void nnc_derivation_clear(nnc_derivation *why);

/* What lines from here on belong to. */
void nnc_say_of(nnc_derivation *why, const char *format, ...) NNC_PRINTF(2, 3);

/* The macros below call these; why is not NULL. */
void nnc_say_let(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_line(nnc_derivation *why, const char *name, const char *unit, const char *formula,
                  double value);
void nnc_say_named(nnc_derivation *why, const char *name, const char *unit, const char *formula,
                   double value);
void nnc_say_note(nnc_derivation *why, const char *meaning);
void nnc_say_source(nnc_derivation *why, const char *source);

/* The same of a name and a formula that are no C: "exposed_comm.data", "a + b". */
void nnc_say_operand(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_formula(nnc_derivation *why, const char *name, const char *unit, const char *formula,
                     double value);
/* A line of another derivation as it is. */
void nnc_say_copy(nnc_derivation *why, const nnc_line *line);
/* A line that is a sum: each of its terms, then the line. Terms that are 0 are left out. */
void nnc_say_term(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_sum(nnc_derivation *why, const char *name, const char *unit, double value);

#define NNC_LET(why, name, unit, value) \
    const double name = (value);        \
    NNC_PUT(why, name, unit)

#define NNC_SAY(why, name, unit, formula) \
    const double name = (formula);        \
    NNC_WHEN(why, nnc_say_line((why), #name, (unit), #formula, name))

/* target may be a whole number. */
#define NNC_SET(why, target, unit, formula) \
    (target) = (formula);                   \
    NNC_WHEN(why, nnc_say_line((why), #target, (unit), #formula, (double)(target)))

/* The same under a name of its own, text. */
#define NNC_SET_AS(why, name, target, unit, formula) \
    (target) = (formula);                            \
    NNC_WHEN(why, nnc_say_named((why), (name), (unit), #formula, (double)(target)))

#define NNC_PUT(why, name, unit) NNC_WHEN(why, nnc_say_let((why), #name, (unit), (double)(name)))
#define NNC_NOTE(why, text) NNC_WHEN(why, nnc_say_note((why), (text)))
#define NNC_SOURCE(why, text) NNC_WHEN(why, nnc_say_source((why), (text)))

#define NNC_WHEN(why, call)  \
    do {                     \
        if ((why) != NULL) { \
            call;            \
        }                    \
    } while (0)

/* A function with a derivation that is compiled once more for every caller that passes NULL, without
 * a trace of it. */
#define NNC_SAYING static inline __attribute__((always_inline))

static inline double nnc_pow4(double x)
{
    return x * x * x * x;
}

#endif
