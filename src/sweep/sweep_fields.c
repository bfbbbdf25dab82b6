/* Fields of the model, device and plan of a row. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "sweep/sweep.h"

enum { PLACE_COUNT = 3 };

static const struct place {
    const char *prefix;
    nnc_sweep_target target;
} places[PLACE_COUNT] = { { "plan.", NNC_SWEEP_PLAN_FIELD },
                          { "model.", NNC_SWEEP_MODEL_FIELD },
                          { "device.", NNC_SWEEP_DEVICE_FIELD } };

static const nnc_field_table *table_of(nnc_sweep_target target, const nnc_point *point)
{
    return target == NNC_SWEEP_PLAN_FIELD    ? &nnc_plan_table
           : target == NNC_SWEEP_MODEL_FIELD ? nnc_model_table_of(&point->model)
                                             : &nnc_device_table;
}

const nnc_field *nnc_sweep_field(nnc_sweep_target target, const nnc_point *point,
                                 const nnc_plan *plan, const char *field, const void **object,
                                 nnc_dtype *dtype)
{
    /* The finder hands back an address to write to; here it is only read from. */
    union {
        const void *read;
        void *write;
    } at = { .read = target == NNC_SWEEP_PLAN_FIELD    ? (const void *)plan
                     : target == NNC_SWEEP_MODEL_FIELD ? (const void *)&point->model
                                                       : (const void *)&point->device };
    const nnc_field *found = nnc_field_find(table_of(target, point), field, &at.write, dtype);
    *object = at.read;
    return found;
}

bool nnc_sweep_find(const nnc_point *point, const char *name, bool shown, nnc_found_field *found)
{
    for (int i = 0; i < PLACE_COUNT; i++) {
        const struct place *in = &places[i];
        const size_t length = strlen(in->prefix);
        const char *dotted = strncmp(name, in->prefix, length) == 0 ? name + length : name;
        const void *object = NULL;
        nnc_dtype dtype;
        const nnc_field *field =
            nnc_sweep_field(in->target, point, &point->plan, dotted, &object, &dtype);
        const bool bare = field != NULL && (field->type == NNC_FIELD_OBJECT ||
                                            (field->type == NNC_FIELD_TEXT && field->size == 0));
        if (field != NULL && !(shown && bare)) {
            *found = (nnc_found_field){ in->target, field, in->prefix, dotted };
            return true;
        }
    }
    return false;
}

/* Parts after a dot stay as they were written. */
const char *nnc_found_name(nnc_arena *arena, const nnc_found_field *found)
{
    char name[192];
    const bool top = strchr(found->dotted, '.') == NULL;
    snprintf(name, sizeof name, "%s%s", found->prefix, top ? found->field->name : found->dotted);
    return nnc_arena_strdup(arena, name);
}

size_t nnc_sweep_field_names(const nnc_point *point, const char **names, size_t max)
{
    size_t count = 0;
    for (int i = 0; i < PLACE_COUNT; i++) {
        const nnc_field_table *table = table_of(places[i].target, point);
        for (size_t k = 0; k < table->count && count < max; k++) {
            names[count++] = table->fields[k].name;
        }
    }
    return count;
}

nnc_cell nnc_field_cell(const nnc_slot *slot, const nnc_point *point, const nnc_plan *resolved,
                        char *text, size_t size)
{
    const void *object = NULL;
    nnc_dtype dtype;
    double number = 0;
    const nnc_field *field =
        nnc_sweep_field(slot->target, point, resolved, slot->field, &object, &dtype);
    if (field == NULL) { /* another family */
        return (nnc_cell){ .kind = NNC_CELL_NULL };
    }
    const char *at = (const char *)object + field->offset;
    if (field->type == NNC_FIELD_BOOL) {
        return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = *(const bool *)at };
    }
    if (field->type == NNC_FIELD_RATES && dtype < NNC_DTYPE_COUNT) {
        memcpy(&number, at + (size_t)dtype * sizeof number, sizeof number);
        return (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number };
    }
    nnc_field_text(field, object, text, size);
    int64_t whole = 0;
    if (strcmp(text, "-") == 0) {
        return (nnc_cell){ .kind = NNC_CELL_NULL };
    }
    if (nnc_read_i64(text, &whole)) {
        return (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = whole };
    }
    return nnc_read_double(text, &number) ? (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number }
                                          : (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text };
}

bool nnc_sweep_numeric(const nnc_field *field)
{
    double number = 0;
    if (field->type == NNC_FIELD_ENUM) { /* the ZeRO stages */
        return nnc_read_double(field->names.of(0), &number);
    }
    return field->type == NNC_FIELD_I32 || field->type == NNC_FIELD_I64 ||
           field->type == NNC_FIELD_F64 || field->type == NNC_FIELD_RATES;
}
