/* Arithmetic that records its formulas. A function with a parameter `why` computes the same result with NULL and with a
 * derivation. With a derivation it also records each formula as written in the code, the values of its operands, and
 * its result. `explain` prints these lines, so the printed arithmetic is the computed arithmetic.
 *
 *     NNC_LET(why, m, NULL, (double)p->m);                  an operand: defines const double m
 *     NNC_SAY(why, flops, "FLOP", 2.0 * m * n * k);         a line: defines const double flops
 *     NNC_SET(why, work.read_bytes, "B", m * k * bytes);    a line: assigns to an existing variable
 *     NNC_PUT(why, work.write_bytes, "B");                  an operand: an existing variable
 *     NNC_NOTE(why, "one multiply and one add per term");   the meaning of the last line
 *
 * The text after the name is the unit of the value; NULL = a pure number. */
#ifndef NNCOST_BASE_DERIVATION_H
#define NNCOST_BASE_DERIVATION_H

#include <stdbool.h>
#include <stddef.h>

#include <nncost/status.h>

typedef struct nnc_derivation nnc_derivation;

/* One line of a derivation: name = formula = numbers = value. */
typedef struct nnc_line {
    const char *of; /* op or part of the step that the line is about: "attn.qkv forward"; "" = no op */
    const char *name, *unit;
    const char *formula, *numbers; /* `numbers` is the formula with values in place of names */
    const char *where;             /* operands of the formula with their units, one per line: "rate 3 B/s" */
    const char *meaning, *source;  /* meaning and source of the line; NULL = not given */
    double value;
} nnc_line;

nnc_derivation *nnc_derivation_create(void); /* Returns NULL when out of memory. */
void nnc_derivation_destroy(nnc_derivation *why);
/* Sets *lines to the array of lines, which the derivation owns, and *count to their number. Returns false if memory ran
 * out or a text was too long. */
bool nnc_derivation_lines(const nnc_derivation *why, const nnc_line **lines, int *count);

/* Removes all lines and operands of a derivation. */
void nnc_derivation_clear(nnc_derivation *why);

/* Sets the op or part of the step (nnc_line.of) for the lines that are added later. */
void nnc_say_of(nnc_derivation *why, const char *format, ...) NNC_PRINTF(2, 3);

/* These functions add an operand, a line, or a note or source of the last line. The macros NNC_LET, NNC_SAY,
 * NNC_SET_AS, NNC_NOTE and NNC_SOURCE call them if why != NULL; `name` and `formula` are C source text. */
void nnc_say_let(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_line(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value);
void nnc_say_named(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value);
void nnc_say_note(nnc_derivation *why, const char *meaning);
void nnc_say_source(nnc_derivation *why, const char *source);

/* Add an operand or a line whose name and formula are not C source: "exposed_comm.data", "a + b". */
void nnc_say_operand(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_formula(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value);
/* Appends a copy of a line that belongs to another derivation. */
void nnc_say_copy(nnc_derivation *why, const nnc_line *line);
/* Add a line whose formula is a sum: call nnc_say_term for each term, then nnc_say_sum. Terms with the value 0 are left
 * out. */
void nnc_say_term(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_sum(nnc_derivation *why, const char *name, const char *unit, double value);

/* ---- text of a formula ---- */

enum { NNC_FORMULA_MAX = 4096 };
typedef struct nnc_formula {
    char text[NNC_FORMULA_MAX];
    size_t used;
    bool failed; /* true: the text was too long for the array `text` */
} nnc_formula;

/* Returns the next name in a formula, starting at *at; NULL = no further name. *size receives the length of the name,
 * and *at moves behind the name. A name may contain dots: "exposed_comm.data". */
const char *nnc_formula_name(const char **at, size_t *size);

/* ---- macros that compute a value and record its formula ---- */

#define NNC_LET(why, name, unit, value) \
    const double name = (value);        \
    NNC_PUT(why, name, unit)

#define NNC_SAY(why, name, unit, formula) \
    const double name = (formula);        \
    NNC_WHEN(why, nnc_say_line((why), #name, (unit), #formula, name))

/* NNC_SET assigns the value of a formula to `target`, a variable of type double or of an integer type, and adds a line
 * to the derivation. */
#define NNC_SET(why, target, unit, formula) \
    (target) = (formula);                   \
    NNC_WHEN(why, nnc_say_line((why), #target, (unit), #formula, (double)(target)))

/* NNC_SET_AS does the same as NNC_SET, but the line gets the name `name` (a string) instead of the name of the variable
 * `target`. */
#define NNC_SET_AS(why, name, target, unit, formula) \
    (target) = (formula);                            \
    NNC_WHEN(why, nnc_say_named((why), (name), (unit), #formula, (double)(target)))

#define NNC_PUT(why, name, unit) NNC_WHEN(why, nnc_say_let((why), #name, (unit), (double)(name)))
#define NNC_NOTE(why, text) NNC_WHEN(why, nnc_say_note((why), (text)))
#define NNC_SOURCE(why, text) NNC_WHEN(why, nnc_say_source((why), (text)))

#define NNC_WHEN(why, call)          \
    do {                             \
        if ((why) != NULL) { call; } \
    } while (0)

/* NNC_SAYING marks a function with a parameter `why` that is called often. Such a function is inlined, so a call with
 * why = NULL spends no time on recording. In a program optimised for size it is not inlined. */
#ifdef __OPTIMIZE_SIZE__
#define NNC_SAYING static inline
#else
#define NNC_SAYING static inline __attribute__((always_inline))
#endif

#endif
