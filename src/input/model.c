#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "input/family_fields.h"
#include "input/width.h"

NNC_ENUM_TEXTS(nnc_family, NNC_FAMILY_LIST)
NNC_ENUM_TEXTS(nnc_positions, NNC_POSITIONS_LIST)
NNC_ENUM_TEXTS(nnc_norm_kind, NNC_NORM_KIND_LIST)
NNC_ENUM_TEXTS(nnc_mlp, NNC_MLP_LIST)
NNC_ENUM_TEXTS(nnc_mixer, NNC_MIXER_LIST)
NNC_ENUM_TEXTS(nnc_mlp_kind, NNC_MLP_KIND_LIST)
NNC_ENUM_TEXTS(nnc_norm_place, NNC_NORM_PLACE_LIST)
NNC_ENUM_TEXTS(nnc_qk_norm, NNC_QK_NORM_LIST)
NNC_ENUM_TEXTS(nnc_model_head, NNC_MODEL_HEAD_LIST)
NNC_ENUM_TEXTS(nnc_unet_block, NNC_UNET_BLOCK_LIST)
NNC_ENUM_TEXTS(nnc_unet_down, NNC_UNET_DOWN_LIST)
NNC_ENUM_TEXTS(nnc_unet_up, NNC_UNET_UP_LIST)

static const nnc_family_fields *const rows[] = {
#define NNC_FAMILY_FIELDS(name, text, help, row) [name] = &nnc_##row##_fields,
    NNC_FAMILY_LIST(NNC_FAMILY_FIELDS)
#undef NNC_FAMILY_FIELDS
};

const nnc_family_fields *nnc_family_fields_of(nnc_family family)
{
    return rows[(unsigned)family < NNC_FAMILY_COUNT ? family : 0];
}

const nnc_field_table *nnc_model_table(nnc_family family)
{
    return &nnc_family_fields_of(family)->table;
}

const nnc_field_table *nnc_model_table_of(const nnc_model *model)
{
    return model->graph.fields != NULL ? model->graph.fields : nnc_model_table(model->family);
}

void nnc_model_rules(nnc_json at, const nnc_model *model)
{
    const nnc_family_fields *row = rows[model->family];
    if (nnc_check_ranges(at, &row->table, model)) { /* the rules divide by these numbers */
        nnc_widths_check(at, model);
        row->rules(at, model);
    }
}

/* The family decides the table; false: a fault was noted. */
static bool read_family(nnc_json root, nnc_model *model)
{
    const nnc_json at = nnc_json_get(root, "family");
    const nnc_field *field = nnc_field_of_key(nnc_model_table((nnc_family)0), "family");
    const int family = nnc_json_type_of(at) == NNC_JSON_TEXT
                           ? nnc_names_find(field->names, nnc_json_text(at))
                           : -1;
    char expected[256];
    nnc_field_expected(field, expected, sizeof(expected));
    if (family >= 0) {
        model->family = (nnc_family)family;
        return true;
    }
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) {
        nnc_json_fault(root, "family", "missing, expected %s, found nothing", expected);
    } else {
        nnc_json_mismatch(at, "unknown family", expected);
    }
    return false;
}

static void complete(nnc_json root, nnc_model *model)
{
    rows[model->family]->complete(root, model);
    nnc_widths_record(model);
    if (root.doc->faults->count == 0) {
        nnc_model_rules(root, model);
    }
}

void nnc_model_read(nnc_json root, const char *stem, void *spec)
{
    nnc_model *model = spec;
    static const char *const keys[] = {
        "schema", "aliases", "sources", "references", "like", NULL
    };
    memset(model, 0, sizeof(*model));
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(root, "wrong type", "an object");
        return;
    }
    if (nnc_is_foreign(root)) {
        if (nnc_foreign_read(root, model)) {
            complete(root, model);
        }
        return;
    }
    nnc_read_identity(root, "nncost.model/1", stem);
    if (!read_family(root, model)) {
        return;
    }
    const nnc_family_fields *row = rows[model->family];
    const nnc_field_table *table = &row->table;
    const char *const *other_keys = row->keys != NULL ? row->keys : keys;
    if (row->begin != NULL) {
        row->begin(model);
    }
    nnc_read_object(root, table, other_keys, model);
    nnc_read_texts(nnc_json_get(root, "aliases"), &model->aliases, &model->alias_count);
    nnc_read_sources(root, table, other_keys, &model->sources, &model->source_count);
    if (root.doc->faults->count > 0) {
        return;
    }
    complete(root, model);
}

nnc_status nnc_model_check(const nnc_model *model, const char *name, nnc_error *err)
{
    NNC_NEED(model);
    nnc_faults faults = { .name = name, .err = err };
    const nnc_json_doc none = { .faults = &faults };
    nnc_model_rules(nnc_json_root(&none), model);
    return faults.status;
}

nnc_status nnc_model_set(nnc_model *model, const char *field, const char *value, nnc_error *err)
{
    NNC_NEED(model);
    NNC_NEED(field);
    NNC_NEED(value);
    const nnc_family family = model->family;
    const nnc_status status = nnc_field_set(nnc_model_table_of(model), model, field, value, err);
    if (model->family != family) {
        model->family = family; /* its fields would all be missing */
        return nnc_fail(err, NNC_BAD_USAGE, field, "fixed, expected %s, found \"%s\"",
                        nnc_family_name(family), value);
    }
    if (status == NNC_OK) {
        nnc_widths_follow(model, field);
    }
    return status;
}
