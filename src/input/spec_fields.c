/* Specs for those who do not see their members: parsed, copied, and read field by field. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "input/kind.h"

/* A struct of the kind in the arena of the set; *spec is NULL on a failure. */
static nnc_status room_for(nnc_specs *specs, nnc_spec_kind kind, void **spec, nnc_error *err)
{
    *spec = nnc_arena_alloc(nnc_specs_arena(specs), nnc_spec_kinds[kind].size);
    return *spec != NULL ? NNC_OK : nnc_no_memory(err);
}

static nnc_status copy_of(nnc_specs *specs, nnc_spec_kind kind, const void *from, void **copy,
                          nnc_error *err)
{
    assert(from != NULL); /* refused before */
    NNC_TRY(room_for(specs, kind, copy, err));
    assert(*copy != NULL);
    memcpy(*copy, from, nnc_spec_kinds[kind].size);
    return NNC_OK;
}

/* A field by name, and the object that it is a member of. */
static nnc_status find(const nnc_field_table *table, const void *object, const char *name,
                       const nnc_field **field, const char **place, nnc_dtype *dtype,
                       nnc_error *err)
{
    void *at = NULL; /* only read, so that the const which is lost here comes back */
    memcpy(&at, &object, sizeof at);
    const nnc_status status = nnc_field_at(table, name, &at, field, dtype, err);
    *place = at;
    return status;
}

static double number_of(const nnc_field *field, const void *place)
{
    switch (field->type) {
    case NNC_FIELD_BOOL: return *(const bool *)place ? 1.0 : 0.0;
    case NNC_FIELD_I32: return *(const int32_t *)place;
    case NNC_FIELD_I64: return (double)*(const int64_t *)place;
    default: return *(const double *)place;
    }
}

static nnc_status read_number(const nnc_field_table *table, const void *object, const char *name,
                              double *value, nnc_error *err)
{
    const nnc_field *field = NULL;
    const char *place = NULL;
    nnc_dtype dtype;
    *value = (double)NAN;
    NNC_TRY(find(table, object, name, &field, &place, &dtype, err));
    place += field->offset;
    if (field->type == NNC_FIELD_RATES && dtype != NNC_DTYPE_COUNT) {
        *value = ((const double *)(const void *)place)[dtype];
        return NNC_OK;
    }
    if (field->type != NNC_FIELD_BOOL && field->type != NNC_FIELD_I32 &&
        field->type != NNC_FIELD_I64 && field->type != NNC_FIELD_F64) {
        char expected[256];
        nnc_field_expected(field, expected, sizeof expected);
        return nnc_fail(err, NNC_BAD_USAGE, name, "no number, expected to be read as text: %s",
                        expected);
    }
    *value = number_of(field, place);
    return NNC_OK;
}

static nnc_status read_field_text(const nnc_field_table *table, const void *object,
                                  const char *name, char *text, size_t size, nnc_error *err)
{
    const nnc_field *field = NULL;
    const char *place = NULL;
    nnc_dtype dtype;
    if (size > 0) {
        text[0] = '\0';
    }
    NNC_TRY(find(table, object, name, &field, &place, &dtype, err));
    if (field->type == NNC_FIELD_RATES && dtype != NNC_DTYPE_COUNT) {
        nnc_field one = *field;
        one.type = NNC_FIELD_F64;
        one.offset += (uint32_t)((size_t)dtype * sizeof(double));
        nnc_field_text(&one, place, text, size);
    } else {
        nnc_field_text(field, place, text, size);
    }
    return NNC_OK;
}

nnc_status nnc_device_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                            const nnc_device **device, nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(name);
    NNC_NEED(text);
    NNC_NEED(device);
    void *read = NULL;
    *device = NULL;
    NNC_TRY(room_for(specs, NNC_SPEC_DEVICE, &read, err));
    NNC_TRY(nnc_device_parse_into(specs, name, text, size, read, err));
    *device = read;
    return NNC_OK;
}

nnc_status nnc_device_copy(nnc_specs *specs, const nnc_device *from, nnc_device **copy,
                           nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(from);
    NNC_NEED(copy);
    void *made = NULL;
    const nnc_status status = copy_of(specs, NNC_SPEC_DEVICE, from, &made, err);
    *copy = made;
    return status;
}

nnc_status nnc_device_number(const nnc_device *device, const char *field, double *value,
                             nnc_error *err)
{
    NNC_NEED(device);
    NNC_NEED(field);
    NNC_NEED(value);
    return read_number(&nnc_device_table, device, field, value, err);
}

nnc_status nnc_device_text(const nnc_device *device, const char *field, char *text, size_t size,
                           nnc_error *err)
{
    NNC_NEED(device);
    NNC_NEED(field);
    NNC_NEED(text);
    return read_field_text(&nnc_device_table, device, field, text, size, err);
}

nnc_status nnc_model_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                           const nnc_model **model, nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(name);
    NNC_NEED(text);
    NNC_NEED(model);
    void *read = NULL;
    *model = NULL;
    NNC_TRY(room_for(specs, NNC_SPEC_MODEL, &read, err));
    NNC_TRY(nnc_model_parse_into(specs, name, text, size, read, err));
    *model = read;
    return NNC_OK;
}

nnc_status nnc_model_copy(nnc_specs *specs, const nnc_model *from, nnc_model **copy, nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(from);
    NNC_NEED(copy);
    void *made = NULL;
    const nnc_status status = copy_of(specs, NNC_SPEC_MODEL, from, &made, err);
    *copy = made;
    return status;
}

nnc_status nnc_model_number(const nnc_model *model, const char *field, double *value,
                            nnc_error *err)
{
    NNC_NEED(model);
    NNC_NEED(field);
    NNC_NEED(value);
    return read_number(nnc_model_table_of(model), model, field, value, err);
}

nnc_status nnc_model_text(const nnc_model *model, const char *field, char *text, size_t size,
                          nnc_error *err)
{
    NNC_NEED(model);
    NNC_NEED(field);
    NNC_NEED(text);
    return read_field_text(nnc_model_table_of(model), model, field, text, size, err);
}

nnc_status nnc_software_parse(nnc_specs *specs, const char *name, const char *text, size_t size,
                              const nnc_software **software, nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(name);
    NNC_NEED(text);
    NNC_NEED(software);
    void *read = NULL;
    *software = NULL;
    NNC_TRY(room_for(specs, NNC_SPEC_SOFTWARE, &read, err));
    NNC_TRY(nnc_software_parse_into(specs, name, text, size, read, err));
    *software = read;
    return NNC_OK;
}

nnc_status nnc_software_copy(nnc_specs *specs, const nnc_software *from, nnc_software **copy,
                             nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(from);
    NNC_NEED(copy);
    void *made = NULL;
    const nnc_status status = copy_of(specs, NNC_SPEC_SOFTWARE, from, &made, err);
    *copy = made;
    return status;
}

nnc_status nnc_software_number(const nnc_software *software, const char *field, double *value,
                               nnc_error *err)
{
    NNC_NEED(software);
    NNC_NEED(field);
    NNC_NEED(value);
    return read_number(&nnc_software_table, software, field, value, err);
}

nnc_status nnc_software_text(const nnc_software *software, const char *field, char *text,
                             size_t size, nnc_error *err)
{
    NNC_NEED(software);
    NNC_NEED(field);
    NNC_NEED(text);
    return read_field_text(&nnc_software_table, software, field, text, size, err);
}

nnc_status nnc_software_set(nnc_software *software, const char *field, const char *value,
                            nnc_error *err)
{
    NNC_NEED(software);
    NNC_NEED(field);
    NNC_NEED(value);
    return nnc_field_set(&nnc_software_table, software, field, value, err);
}

nnc_status nnc_plan_text(const nnc_plan *plan, const char *field, char *text, size_t size,
                         nnc_error *err)
{
    NNC_NEED(plan);
    NNC_NEED(field);
    NNC_NEED(text);
    return read_field_text(&nnc_plan_table, plan, field, text, size, err);
}
