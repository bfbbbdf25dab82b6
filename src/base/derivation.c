#include "base/derivation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/formula.h"
#include "base/number.h"

enum { NAME_MAX_SIZE = 64 };

typedef struct symbol {
    char name[NAME_MAX_SIZE];
    const char *unit;
    double value;
} symbol;

struct nnc_derivation {
    nnc_arena *arena;
    symbol *symbols;
    int symbol_count, symbol_capacity;
    nnc_line *lines;
    int line_count, line_capacity;
    char of[NAME_MAX_SIZE * 2];
    char terms[NNC_FORMULA_MAX]; /* of the sum being said */
    bool failed;
};

nnc_derivation *nnc_derivation_create(void)
{
    nnc_derivation *why = calloc(1, sizeof *why);
    if (why != NULL) {
        why->arena = nnc_arena_create();
    }
    if (why != NULL && why->arena == NULL) {
        free(why);
        return NULL;
    }
    return why;
}

void nnc_derivation_destroy(nnc_derivation *why)
{
    if (why != NULL) {
        nnc_arena_destroy(why->arena);
        free(why->symbols);
        free(why->lines);
        free(why);
    }
}

/* Room for one more in a list; false when out of memory. */
static bool grow(nnc_derivation *why, void **list, int count, int *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const int larger = *capacity > 0 ? 2 * *capacity : 64;
    void *grown = realloc(*list, (size_t)larger * size);
    if (grown == NULL) {
        why->failed = true;
        return false;
    }
    *list = grown;
    *capacity = larger;
    return true;
}

bool nnc_derivation_lines(const nnc_derivation *why, const nnc_line **lines, int *count)
{
    *lines = why->lines;
    *count = why->line_count;
    return !why->failed;
}

void nnc_derivation_clear(nnc_derivation *why)
{
    why->line_count = why->symbol_count = 0;
    why->of[0] = why->terms[0] = '\0';
}

/* ---- texts ---- */

static const char *keep(nnc_derivation *why, const nnc_formula *w)
{
    const char *kept = nnc_arena_strdup(why->arena, w->text);
    why->failed = why->failed || w->failed || kept == NULL;
    return kept != NULL ? kept : "";
}

/* The newest of that name; NULL if there is none. */
static const symbol *find(const nnc_derivation *why, const char *name, size_t length)
{
    for (int i = why->symbol_count - 1; i >= 0; i--) {
        const symbol *s = &why->symbols[i];
        if (strlen(s->name) == length && memcmp(s->name, name, length) == 0) {
            return s;
        }
    }
    return NULL;
}

static void put_value(nnc_formula *w, double value)
{
    char number[NNC_NUMBER_TEXT];
    const char *text = isnan(value) ? "unknown" : nnc_number_text(value, number);
    const bool negative = text[0] == '-';
    nnc_formula_put(w, "(", negative ? 1 : 0);
    nnc_formula_put(w, text, strlen(text));
    nnc_formula_put(w, ")", negative ? 1 : 0);
}

static void substitute(const nnc_derivation *why, const char *formula, nnc_formula *w)
{
    const char *at = formula, *name = NULL;
    size_t length = 0;
    while ((name = nnc_formula_name(&at, &length)) != NULL) {
        const symbol *s = find(why, name, length);
        nnc_formula_put(w, formula, (size_t)(name - formula));
        if (s != NULL) {
            put_value(w, s->value);
        } else {
            nnc_formula_put(w, name, length);
        }
        formula = at;
    }
    nnc_formula_put(w, formula, strlen(formula));
}

/* Is the name at `at` there before in the formula? */
static bool is_repeated(const char *formula, const char *at, size_t length)
{
    const char *before = formula, *name = NULL;
    size_t other = 0;
    while ((name = nnc_formula_name(&before, &other)) != NULL && name < at) {
        if (other == length && memcmp(name, at, length) == 0) {
            return true;
        }
    }
    return false;
}

static void list_units(const nnc_derivation *why, const char *formula, nnc_formula *w)
{
    const char *at = formula, *name = NULL;
    size_t length = 0;
    while ((name = nnc_formula_name(&at, &length)) != NULL) {
        const symbol *s = find(why, name, length);
        if (s != NULL && s->unit != NULL && !isnan(s->value) &&
            !is_repeated(formula, name, length)) {
            char number[NNC_NUMBER_TEXT];
            nnc_formula_put(w, "\n", w->used > 0 ? 1 : 0);
            nnc_formula_put(w, s->name, strlen(s->name));
            nnc_formula_put(w, " ", 1);
            nnc_unit_text(s->value, s->unit, number);
            nnc_formula_put(w, number, strlen(number));
        }
    }
}

/* ---- saying ---- */

void nnc_say_of(nnc_derivation *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->of, sizeof why->of, format, arguments);
    va_end(arguments);
}

void nnc_say_operand(nnc_derivation *why, const char *name, const char *unit, double value)
{
    void *symbols = why->symbols;
    if (strlen(name) >= NAME_MAX_SIZE ||
        !grow(why, &symbols, why->symbol_count, &why->symbol_capacity, sizeof(symbol))) {
        why->failed = true;
        return;
    }
    why->symbols = symbols;
    symbol *added = &why->symbols[why->symbol_count++];
    *added = (symbol){ .unit = unit, .value = value };
    memcpy(added->name, name, strlen(name) + 1);
}

/* The line, and its value as an operand of those that follow. */
static void add_line(nnc_derivation *why, const nnc_line *line)
{
    void *lines = why->lines;
    if (grow(why, &lines, why->line_count, &why->line_capacity, sizeof *line)) {
        why->lines = lines;
        why->lines[why->line_count++] = *line;
        nnc_say_operand(why, line->name, line->unit, line->value);
    }
}

void nnc_say_formula(nnc_derivation *why, const char *name, const char *unit, const char *formula,
                     double value)
{
    nnc_formula texts[5];
    for (int i = 0; i < 5; i++) {
        nnc_formula_start(&texts[i]);
    }
    nnc_formula_put(&texts[0], why->of, strlen(why->of));
    nnc_formula_put(&texts[1], name, strlen(name));
    nnc_formula_put(&texts[2], formula, strlen(formula));
    substitute(why, formula, &texts[3]);
    list_units(why, formula, &texts[4]);
    add_line(why, &(nnc_line){ .of = keep(why, &texts[0]),
                               .name = keep(why, &texts[1]),
                               .unit = unit,
                               .formula = keep(why, &texts[2]),
                               .numbers = keep(why, &texts[3]),
                               .where = keep(why, &texts[4]),
                               .value = value });
}

void nnc_say_copy(nnc_derivation *why, const nnc_line *line)
{
    add_line(why, line);
}

void nnc_say_let(nnc_derivation *why, const char *name, const char *unit, double value)
{
    nnc_formula tidied;
    nnc_formula_start(&tidied);
    nnc_formula_tidy(&tidied, name);
    nnc_say_operand(why, tidied.text, unit, value);
}

void nnc_say_line(nnc_derivation *why, const char *name, const char *unit, const char *formula,
                  double value)
{
    nnc_formula tidied, tidied_name;
    nnc_formula_start(&tidied);
    nnc_formula_start(&tidied_name);
    nnc_formula_tidy(&tidied, formula);
    nnc_formula_tidy(&tidied_name, name);
    why->failed = why->failed || tidied.failed || tidied_name.failed;
    nnc_say_formula(why, tidied_name.text, unit, tidied.text, value);
}

void nnc_say_named(nnc_derivation *why, const char *name, const char *unit, const char *formula,
                   double value)
{
    nnc_formula tidied;
    nnc_formula_start(&tidied);
    nnc_formula_tidy(&tidied, formula);
    why->failed = why->failed || tidied.failed;
    nnc_say_formula(why, name, unit, tidied.text, value);
}

void nnc_say_note(nnc_derivation *why, const char *meaning)
{
    if (why->line_count > 0) {
        const char *kept = nnc_arena_strdup(why->arena, meaning);
        why->lines[why->line_count - 1].meaning = kept;
        why->failed = why->failed || kept == NULL;
    }
}

void nnc_say_source(nnc_derivation *why, const char *source)
{
    if (why->line_count > 0) {
        why->lines[why->line_count - 1].source = source;
    }
}

void nnc_say_term(nnc_derivation *why, const char *name, const char *unit, double value)
{
    const size_t used = strlen(why->terms);
    if (value == 0.0) {
        return;
    }
    if (used + strlen(name) + sizeof " + " > sizeof why->terms) {
        why->failed = true;
        return;
    }
    snprintf(why->terms + used, sizeof why->terms - used, "%s%s", used > 0 ? " + " : "", name);
    nnc_say_operand(why, name, unit, value);
}

void nnc_say_sum(nnc_derivation *why, const char *name, const char *unit, double value)
{
    nnc_say_formula(why, name, unit, why->terms[0] != '\0' ? why->terms : "0", value);
    why->terms[0] = '\0';
}
