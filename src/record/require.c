/* Requirements: "<= 9.5". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <nncost/check.h>

#include "base/error.h"
#include "base/number.h"

/* Those of two characters first: "<" begins "<=". */
static const struct {
    const char *sign;
    nnc_relation relation;
} relations[NNC_RELATION_COUNT] = {
    { "<=", NNC_AT_MOST }, { ">=", NNC_AT_LEAST }, { "==", NNC_EQUAL },
    { "<", NNC_BELOW },    { ">", NNC_ABOVE },
};

nnc_status nnc_requirement_read(const char *name, const char *rule, nnc_requirement *requirement,
                                nnc_error *err)
{
    NNC_NEED(name);
    NNC_NEED(rule);
    NNC_NEED(requirement);
    size_t i = 0;
    while (i < NNC_RELATION_COUNT &&
           strncmp(rule, relations[i].sign, strlen(relations[i].sign)) != 0) {
        i++;
    }
    if (i == NNC_RELATION_COUNT) {
        return nnc_fail(err, NNC_BAD_SPEC, name,
                        "not a requirement, expected one such as \"<= 9.5\" (<=, <, >=, > or ==), "
                        "found \"%.60s\"",
                        rule);
    }
    const char *value = rule + strlen(relations[i].sign);
    value += strspn(value, " ");
    *requirement = (nnc_requirement){
        .name = name, .rule = rule, .relation = relations[i].relation, .number = (double)NAN
    };
    if (!nnc_read_typed(value, &requirement->number)) {
        requirement->text = value;
        if (requirement->relation != NNC_EQUAL || *value == '\0') {
            return nnc_fail(err, NNC_BAD_SPEC, name,
                            "not a number, expected one such as 9.5, 860ms or 70GB after %s, found "
                            "\"%.60s\"",
                            relations[i].sign, value);
        }
    }
    return NNC_OK;
}

bool nnc_requirement_met(const nnc_requirement *requirement, const nnc_figure *figure)
{
    if (requirement == NULL || figure == NULL) {
        return false;
    }
    if (requirement->text != NULL || figure->text != NULL) {
        return requirement->text != NULL && figure->text != NULL &&
               strcmp(requirement->text, figure->text) == 0;
    }
    const double value = figure->number, limit = requirement->number;
    switch (requirement->relation) {
    case NNC_AT_MOST: return value <= limit;
    case NNC_BELOW: return value < limit;
    case NNC_AT_LEAST: return value >= limit;
    case NNC_ABOVE: return value > limit;
    case NNC_EQUAL: return value == limit;
    case NNC_RELATION_COUNT: break;
    }
    return false;
}
