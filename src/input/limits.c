/* The limits of plans and software profiles that a program filled in itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <nncost/run.h>
#include <nncost/serve.h>

#include "base/error.h"
#include "base/number.h"
#include "input/flags.h"
#include "input/kind.h"
#include "input/read.h"

/* Is a number within the limits of its field, or the default that stands for "not given"? */
static bool number_suits(const nnc_field *field, double value, double unset)
{
    const bool open = field->min == 0.0 && field->max == 0.0;
    if (value == unset || (isnan(value) && isnan(unset))) {
        return true;
    }
    return open ? isfinite(value)
                : (field->above_min ? value > field->min : value >= field->min) &&
                      value <= field->max;
}

static bool suits(const nnc_field *field, const char *at, const char *unset)
{
    unsigned value = 0;
    switch (field->type) {
    case NNC_FIELD_BOOL: return *(const unsigned char *)at <= 1;
    case NNC_FIELD_I32:
        return number_suits(field, *(const int32_t *)(const void *)at,
                            *(const int32_t *)(const void *)unset);
    case NNC_FIELD_I64:
        return number_suits(field, (double)*(const int64_t *)(const void *)at,
                            (double)*(const int64_t *)(const void *)unset);
    case NNC_FIELD_F64:
        return number_suits(field, *(const double *)(const void *)at,
                            *(const double *)(const void *)unset);
    case NNC_FIELD_ENUM:
    case NNC_FIELD_RECOMPUTE:
    case NNC_FIELD_OFFLOAD:
    case NNC_FIELD_TRAIN:
        memcpy(&value, at, sizeof value);
        return nnc_flags_of(field->type) != NULL
                   ? (value & ~nnc_flags_all(nnc_flags_of(field->type))) == 0
                   : value < (unsigned)field->names.count || memcmp(at, unset, sizeof value) == 0;
    default: return true; /* texts, and objects, which are gone through */
    }
}

static void found_text(const nnc_field *field, const char *at, char *text, size_t size)
{
    char number[NNC_NUMBER_TEXT];
    switch (field->type) {
    case NNC_FIELD_BOOL: snprintf(text, size, "%u", *(const unsigned char *)at); break;
    case NNC_FIELD_I32: snprintf(text, size, "%d", *(const int32_t *)(const void *)at); break;
    case NNC_FIELD_I64:
        snprintf(text, size, "%lld", (long long)*(const int64_t *)(const void *)at);
        break;
    case NNC_FIELD_F64:
        snprintf(text, size, "%s", nnc_number_text(*(const double *)(const void *)at, number));
        break;
    default: snprintf(text, size, "%d", *(const int *)(const void *)at); break;
    }
}

static bool all_suit(const nnc_field *fields, size_t count, const char *object, const char *unset)
{
    for (size_t i = 0; i < count; i++) {
        const nnc_field *f = &fields[i];
        const char *at = object + f->offset, *other = unset + f->offset;
        if (f->type == NNC_FIELD_OBJECT ? !all_suit(f->fields, f->field_count, at, other)
                                        : !suits(f, at, other)) {
            return false;
        }
    }
    return true;
}

/* Names the first field that does not suit. prefix: of the names of members inside an object; NULL: the
 * fields are options. */
static nnc_status refuse(const nnc_field *fields, size_t count, const char *prefix,
                         const char *object, const char *unset, nnc_error *err)
{
    while (count > 0 && all_suit(fields, 1, object, unset)) {
        fields++;
        count--;
    }
    const char *at = object + fields->offset;
    char where[96], expected[256], found[64];
    if (prefix == NULL) {
        nnc_option_name(fields->name, where);
    } else {
        snprintf(where, sizeof where, "%s.%s", prefix, fields->name);
    }
    if (fields->type == NNC_FIELD_OBJECT) {
        return refuse(fields->fields, fields->field_count, where, at, unset + fields->offset, err);
    }
    nnc_field_expected(fields, expected, sizeof expected);
    found_text(fields, at, found, sizeof found);
    return nnc_fail(err, NNC_ILLEGAL_PLAN, where, "out of range, expected %s, found %s", expected,
                    found);
}

static nnc_status check(const nnc_field_table *table, const char *prefix, const void *object,
                        const void *unset, nnc_error *err)
{
    return all_suit(table->fields, table->count, object, unset)
               ? NNC_OK
               : refuse(table->fields, table->count, prefix, object, unset, err);
}

nnc_status nnc_plan_check(const nnc_plan *plan, nnc_error *err)
{
    NNC_TRY(nnc_need("nnc_plan_check", "plan", plan != NULL, err));
    const nnc_plan unset = nnc_plan_default();
    return check(&nnc_plan_table, NULL, plan, &unset, err);
}

nnc_status nnc_run_ask_check(const nnc_run_ask *ask, nnc_error *err)
{
    NNC_TRY(nnc_need("nnc_run_ask_check", "ask", ask != NULL, err));
    const nnc_run_ask unset = nnc_run_ask_default();
    return check(&nnc_run_table, NULL, ask, &unset, err);
}

nnc_status nnc_serve_ask_check(const nnc_serve_ask *ask, nnc_error *err)
{
    NNC_TRY(nnc_need("nnc_serve_ask_check", "ask", ask != NULL, err));
    const nnc_serve_ask unset = nnc_serve_ask_default();
    return check(&nnc_serve_table, NULL, ask, &unset, err);
}

nnc_status nnc_software_check(const nnc_software *software, nnc_error *err)
{
    const nnc_software unset = nnc_software_default();
    return check(&nnc_software_table, "software", software, &unset, err);
}
