/* Evaluates arithmetic such as "2 * (3 + max(1, sqrt(4))) ^ 2". Tests evaluate the formulas that `explain` prints and
 * compare the values with the printed results. */
#ifndef NNCOST_TESTS_UNIT_EVALUATE_H
#define NNCOST_TESTS_UNIT_EVALUATE_H

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct evaluator {
    const char *at;
    bool failed;
} evaluator;

static double evaluate_sum(evaluator *e);

static inline bool evaluate_skip(evaluator *e, char wanted) {
    e->at += strspn(e->at, " ");
    if (*e->at != wanted) { return false; }
    e->at++;
    return true;
}

static inline double larger(double a, double b) { return isnan(a) || a > b ? a : b; }

static inline double smaller(double a, double b) { return isnan(a) || a < b ? a : b; }

/* Evaluates a function that has one or two arguments. */
static inline double evaluate_call(evaluator *e, const char *name, size_t length) {
    static const struct {
        const char *name;
        double (*of_one)(double);
        double (*of_two)(double, double);
    } functions[] = {
        { "max", NULL, larger }, { "min", NULL, smaller }, { "sqrt", sqrt, NULL },
        { "log2", log2, NULL },  { "ceil", ceil, NULL },   { "floor", floor, NULL },
        { "pow", NULL, pow },    { "exp", exp, NULL },     { "expm1", expm1, NULL },
    };
    double value = evaluate_sum(e);
    size_t i = 0;
    while (i < sizeof functions / sizeof functions[0] &&
           (strlen(functions[i].name) != length || memcmp(functions[i].name, name, length) != 0)) {
        i++;
    }
    if (i == sizeof functions / sizeof functions[0]) {
        e->failed = true;
        return (double)NAN;
    }
    if (functions[i].of_one != NULL) { value = functions[i].of_one(value); }
    while (functions[i].of_two != NULL && evaluate_skip(e, ',')) {
        value = functions[i].of_two(value, evaluate_sum(e));
    }
    e->failed = e->failed || !evaluate_skip(e, ')');
    return value;
}

static inline double evaluate_value(evaluator *e) {
    if (evaluate_skip(e, '-')) { return -evaluate_value(e); }
    if (evaluate_skip(e, '(')) {
        const double value = evaluate_sum(e);
        e->failed = e->failed || !evaluate_skip(e, ')');
        return value;
    }
    if (isdigit((unsigned char)*e->at)) {
        char *end = NULL;
        const double value = strtod(e->at, &end);
        e->at = end;
        return value;
    }
    if (strncmp(e->at, "unknown", 7) == 0) { /* an unknown value */
        e->at += 7;
        return (double)NAN;
    }
    const char *name = e->at;
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
    e->at += length;
    /* a name without a bracket after it is no function call, so it has no value */
    if (length == 0 || !evaluate_skip(e, '(')) {
        e->failed = true;
        return (double)NAN;
    }
    return evaluate_call(e, name, length);
}

static inline double evaluate_power(evaluator *e) {
    const double base = evaluate_value(e);
    return evaluate_skip(e, '^') ? pow(base, evaluate_power(e)) : base;
}

static inline double evaluate_product(evaluator *e) {
    double value = evaluate_power(e);
    for (;;) {
        if (evaluate_skip(e, '*')) {
            value *= evaluate_power(e);
        } else if (evaluate_skip(e, '/')) {
            value /= evaluate_power(e);
        } else {
            return value;
        }
    }
}

static inline double evaluate_sum(evaluator *e) {
    double value = evaluate_product(e);
    for (;;) {
        if (evaluate_skip(e, '+')) {
            value += evaluate_product(e);
        } else if (evaluate_skip(e, '-')) {
            value -= evaluate_product(e);
        } else {
            return value;
        }
    }
}

/* Evaluates `text` into *value. Returns false if the text is not arithmetic. */
static inline bool evaluate(const char *text, double *value) {
    evaluator e = { .at = text };
    *value = evaluate_sum(&e);
    e.at += strspn(e.at, " ");
    return !e.failed && *e.at == '\0';
}

#endif
