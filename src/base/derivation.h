/* Macros for arithmetic that records its formulas. A function with a parameter `why` (a derivation, or NULL) computes
 * the same result in both cases. With a derivation, the function records each formula as the code writes it, the values
 * of the operands, and the result of the formula. `nncost explain` prints the recorded lines, so the printed formulas
 * are those that were computed. The macros, and what each adds to the derivation:
 *
 *     NNC_LET(why, m, NULL, (double)p->m);                  an operand: defines const double m
 *     NNC_SAY(why, flops, "FLOP", 2.0 * m * n * k);         a line: defines const double flops
 *     NNC_SET(why, work.read_bytes, "B", m * k * bytes);    a line: assigns to an existing variable
 *     NNC_PUT(why, work.write_bytes, "B");                  an operand: an existing variable
 *     NNC_NOTE(why, "one multiply and one add per term");   the meaning of the last line
 *
 * The third argument of NNC_LET, NNC_SAY, NNC_SET and NNC_PUT is the unit of the value; NULL = a number without
 * unit. */
#ifndef NNCOST_BASE_DERIVATION_H
#define NNCOST_BASE_DERIVATION_H

#include <stdbool.h>
#include <stddef.h>

#include <nncost/status.h>

typedef struct nnc_derivation nnc_derivation;

/* One line of a derivation: name = formula = formula with numbers = value. */
typedef struct nnc_line {
    const char *of; /* op or part of the step that the formula belongs to: "attn.qkv forward"; "" = no op */
    const char *name, *unit;
    /* formula: text with names; numbers: the same text with values in place of names */
    const char *formula, *numbers;
    const char *where; /* the operands of the formula and their units, one per line: "rate 3 B/s" */
    /* meaning: the line in words; source: publication of the formula; NULL = not given */
    const char *meaning, *source;
    double value;
} nnc_line;

nnc_derivation *nnc_derivation_create(void); /* Returns NULL if there is no memory. */
void nnc_derivation_destroy(nnc_derivation *why);
/* Sets *lines to the lines of a derivation and *count to the number of lines. The derivation owns the array. Returns
 * false if memory ran out or a text of the derivation was too long. */
bool nnc_derivation_lines(const nnc_derivation *why, const nnc_line **lines, int *count);

/* Removes all lines and all operands from a derivation. */
void nnc_derivation_clear(nnc_derivation *why);

/* Sets the op or part of the step that is stored in later lines of a derivation (nnc_line.of). */
void nnc_say_of(nnc_derivation *why, const char *format, ...) NNC_PRINTF(2, 3);

/* These functions add to a derivation: an operand, a line, a note about the last line, or the source of the last line.
 * The macros NNC_LET, NNC_SAY, NNC_SET_AS, NNC_NOTE and NNC_SOURCE call these functions if why != NULL; `name` and
 * `formula` are then C source text. */
void nnc_say_let(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_line(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value);
void nnc_say_named(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value);
void nnc_say_note(nnc_derivation *why, const char *meaning);
void nnc_say_source(nnc_derivation *why, const char *source);

/* These functions add an operand or a line whose name and formula are no C source: "exposed_comm.data", "a + b". */
void nnc_say_operand(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_formula(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value);
/* Appends to a derivation a copy of a line of another derivation. */
void nnc_say_copy(nnc_derivation *why, const nnc_line *line);
/* These functions add a line whose formula is a sum of terms: call nnc_say_term for each term, then nnc_say_sum. Terms
 * with the value 0 do not appear in the formula. */
void nnc_say_term(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_sum(nnc_derivation *why, const char *name, const char *unit, double value);

/* ---- the text of a formula, and the names in it ---- */

enum { NNC_FORMULA_MAX = 4096 };
typedef struct nnc_formula {
    char text[NNC_FORMULA_MAX];
    size_t used;
    bool failed; /* true: the formula was longer than the array `text`, so its end is missing */
} nnc_formula;

/* Returns the next name in a formula, searched from *at on; NULL = no further name. *size gets the length of the name,
 * and *at is moved behind the name. A name may contain dots: "exposed_comm.data". */
const char *nnc_formula_name(const char **at, size_t *size);

/* ---- macros that compute a value and record the formula of the value ---- */

#define NNC_LET(why, name, unit, value) \
    const double name = (value);        \
    NNC_PUT(why, name, unit)

#define NNC_SAY(why, name, unit, formula) \
    const double name = (formula);        \
    NNC_WHEN(why, nnc_say_line((why), #name, (unit), #formula, name))

/* NNC_SET assigns the value of a formula to `target`, a variable of type double or of an integer type, and adds a line
 * with the formula and the value to the derivation. */
#define NNC_SET(why, target, unit, formula) \
    (target) = (formula);                   \
    NNC_WHEN(why, nnc_say_line((why), #target, (unit), #formula, (double)(target)))

/* NNC_SET_AS does the same as NNC_SET, but the derivation shows the string `name` in place of the variable name
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

/* NNC_SAYING marks a function with a parameter `why` that is called very often. The compiler inlines such a function,
 * so that a call with why = NULL spends no time on recording. In a program optimised for size the function is not
 * inlined. */
#ifdef __OPTIMIZE_SIZE__
#define NNC_SAYING static inline
#else
#define NNC_SAYING static inline __attribute__((always_inline))
#endif

#endif
