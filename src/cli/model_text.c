#include "cli/model_text.h"

#include <stdio.h>
#include <string.h>

#include "graph/graph.h"
#include "input/family_fields.h"
#include "render/json_writer.h"

static double number_at(const nnc_field *field, const char *place, int index)
{
    switch (nnc_field_element(field->type)) {
    case NNC_FIELD_BOOL: return ((const bool *)(const void *)place)[index];
    case NNC_FIELD_I32: return ((const int32_t *)(const void *)place)[index];
    case NNC_FIELD_I64: return (double)((const int64_t *)(const void *)place)[index];
    case NNC_FIELD_F64: return ((const double *)(const void *)place)[index];
    default: return ((const unsigned *)(const void *)place)[index];
    }
}

static void put_value(nnc_record *record, const char *key, const nnc_field *field, double value)
{
    if (field->names.of != NULL) {
        nnc_record_text(record, key, field->names.of((unsigned)value));
    } else if (nnc_field_element(field->type) == NNC_FIELD_BOOL) {
        nnc_record_bool(record, key, value != 0);
    } else if (nnc_field_element(field->type) == NNC_FIELD_F64) {
        nnc_record_number(record, key, value);
    } else {
        nnc_record_whole(record, key, (int64_t)value);
    }
}

static void put_field(nnc_record *record, const nnc_field *field, const nnc_model *model)
{
    const char *place = (const char *)model + field->offset;
    if (field->type == NNC_FIELD_TEXT) {
        nnc_record_text(record, field->name, place);
        return;
    }
    if (field->capacity == 0) {
        put_value(record, field->name, field, number_at(field, place, 0));
        return;
    }
    int32_t count;
    memcpy(&count, (const char *)model + field->count_offset, sizeof count);
    nnc_record_list(record, field->name);
    for (int32_t i = 0; i < count; i++) {
        put_value(record, NULL, field, number_at(field, place, i));
    }
    nnc_record_close(record);
}

/* Does a file without the key say the same? */
static bool is_default(const nnc_field *field, const nnc_model *model, const nnc_model *unsaid)
{
    int32_t count = 0;
    if (field->capacity > 0) {
        memcpy(&count, (const char *)model + field->count_offset, sizeof count);
        return count == 0;
    }
    return !field->required && memcmp((const char *)model + field->offset,
                                      (const char *)unsaid + field->offset, field->size) == 0;
}

/* Texts of one key are one list. */
static void put_sources(nnc_record *record, const nnc_model *model)
{
    nnc_record_object(record, "sources");
    for (int32_t i = 0; i < model->source_count; i++) {
        const char *key = model->sources[i].key;
        int32_t first = 0;
        while (strcmp(model->sources[first].key, key) != 0) {
            first++;
        }
        if (first < i) {
            continue;
        }
        nnc_record_list(record, key);
        for (int32_t j = i; j < model->source_count; j++) {
            if (strcmp(model->sources[j].key, key) == 0) {
                nnc_record_text(record, NULL, model->sources[j].text);
            }
        }
        nnc_record_close(record);
    }
    if (model->source_count == 0) {
        nnc_record_text(record, "", model->path != NULL ? model->path : "the command line");
    }
    nnc_record_close(record);
}

/* The network of a list of ops, with the numbers it has now. */
static void put_graph(nnc_record *record, const nnc_graph *graph)
{
    static const char *const parts[] = { "input", "define", "ops" };
    const struct nnc_graph_net *net = graph->net;
    nnc_record_object(record, "let");
    for (int32_t i = 0; i < net->let_count; i++) {
        if (net->lets[i].count == 0) {
            nnc_record_whole(record, net->let_names[i], graph->lets[i]);
        } else {
            nnc_record_text(record, net->let_names[i], net->lets[i].text);
        }
    }
    nnc_record_close(record);
    for (int i = 0; i < 3; i++) {
        if (net->texts[i] != NULL) {
            nnc_record_json(record, parts[i], net->texts[i]);
        }
    }
}

static void put_towers(nnc_record *record, const nnc_model *model)
{
    nnc_record_list(record, "towers");
    for (int32_t i = 0; i < model->tower_count; i++) {
        nnc_record_object(record, NULL);
        put_graph(record, &model->towers[i]);
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

void nnc_model_write(nnc_buffer *out, const nnc_model *model)
{
    const nnc_family_fields *family = nnc_family_fields_of(model->family);
    nnc_record record = nnc_record_begin(out, "nncost.model/1");
    nnc_model unsaid = { .family = model->family };
    if (family->begin != NULL) {
        family->begin(&unsaid);
    }
    for (size_t i = 0; i < family->table.count; i++) {
        const nnc_field *field = &family->table.fields[i];
        if (!is_default(field, model, &unsaid)) {
            put_field(&record, field, model);
        }
    }
    if (model->graph.net != NULL) {
        put_graph(&record, &model->graph);
    }
    if (model->tower_count > 0) {
        put_towers(&record, model);
    }
    if (model->alias_count > 0) {
        nnc_record_list(&record, "aliases");
        for (int32_t i = 0; i < model->alias_count; i++) {
            nnc_record_text(&record, NULL, model->aliases[i]);
        }
        nnc_record_close(&record);
    }
    put_sources(&record, model);
    nnc_record_end(&record);
}
