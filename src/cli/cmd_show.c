#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/command.h"
#include "input/file.h"
#include "input/kind.h"
#include "render/grid.h"
#include "render/record.h"
#include "render/sheet.h"
#include "render/text.h"

/* A loaded spec of any kind, and what its table says about it. */
typedef struct spec_view {
    const char *kind, *path;
    const nnc_field_table *table;
    const void *object;
    const nnc_source *sources;
    int32_t source_count;
    const nnc_device *device; /* NULL unless it is one */
    nnc_lineage *lineage;     /* NULL unless it is like another */
} spec_view;

static spec_view view_device(const nnc_device *device)
{
    return (spec_view){
        "device", device->path, &nnc_device_table, device, device->sources, device->source_count,
        device,   NULL
    };
}

static spec_view view_model(const nnc_model *model)
{
    return (spec_view){ "model",
                        model->path,
                        nnc_model_table(model->family),
                        model,
                        model->sources,
                        model->source_count,
                        NULL,
                        NULL };
}

static spec_view view_software(const nnc_software *software)
{
    return (spec_view){ "software",
                        software->path,
                        &nnc_software_table,
                        software,
                        software->sources,
                        software->source_count,
                        NULL,
                        NULL };
}

static nnc_status load(nnc_specs *specs, nnc_spec_kind kind, const char *id, spec_view *view,
                       nnc_error *err)
{
    const nnc_device *device = NULL;
    const nnc_model *model = NULL;
    const nnc_software *software = NULL;
    nnc_status status = NNC_OK;
    if (kind == NNC_SPEC_DEVICE) {
        status = nnc_device_load(specs, id, &device, err);
        *view = status == NNC_OK ? view_device(device) : *view;
    } else if (kind == NNC_SPEC_MODEL) {
        status = nnc_model_load(specs, id, &model, err);
        *view = status == NNC_OK ? view_model(model) : *view;
    } else {
        status = nnc_software_load(specs, id, &software, err);
        *view = status == NNC_OK ? view_software(software) : *view;
    }
    return status == NNC_OK ? nnc_lineage_open(specs, kind, view->path, &view->lineage, err)
                            : status;
}

/* The kind that a file says it is; a file that says nothing can only be a model. */
static nnc_spec_kind sniff(const char *path)
{
    char text[4096] = "";
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    return strstr(text, "\"nncost.device/") != NULL     ? NNC_SPEC_DEVICE
           : strstr(text, "\"nncost.software/") != NULL ? NNC_SPEC_SOFTWARE
                                                        : NNC_SPEC_MODEL;
}

static nnc_status unknown_id(nnc_specs *specs, const char *id, nnc_error *err)
{
    enum { NAMES_MAX = 1024 };
    const char *names[NAMES_MAX];
    size_t name_count = 0;
    for (int kind = 0; kind < NNC_SPEC_KIND_COUNT; kind++) {
        const char *const *ids = NULL;
        int32_t count = 0;
        const nnc_status status = nnc_specs_list(specs, (nnc_spec_kind)kind, &ids, &count, err);
        if (status != NNC_OK) {
            return status;
        }
        for (int32_t i = 0; i < count && name_count < NAMES_MAX; i++) {
            names[name_count++] = ids[i];
        }
    }
    const char *nearest = nnc_nearest(id, names, name_count);
    return nearest != NULL
               ? nnc_fail(err, NNC_UNKNOWN_ID, id,
                          "no device, model or software profile of this id, did you mean %s?",
                          nearest)
               : nnc_fail(err, NNC_UNKNOWN_ID, id,
                          "no device, model or software profile of this id, see 'nncost list'");
}

static nnc_status find(nnc_specs *specs, const char *id, spec_view *view, nnc_error *err)
{
    if (nnc_is_path(id)) {
        return load(specs, sniff(id), id, view, err);
    }
    for (int kind = 0; kind < NNC_SPEC_KIND_COUNT; kind++) {
        const nnc_status status = load(specs, (nnc_spec_kind)kind, id, view, err);
        if (status != NNC_UNKNOWN_ID) {
            return status;
        }
    }
    return unknown_id(specs, id, err);
}

/* Where fields go: cells of a grid, or records. */
typedef struct writer {
    nnc_grid *grid; /* NULL = record */
    nnc_record *record;
    const nnc_device *device; /* NULL = not one */
    const nnc_lineage *lineage;
} writer;

static void write_field(writer *to, const char *name, const char *value, const char *unit)
{
    double number = 0.0;
    const bool is_number = nnc_read_double(value, &number);
    if (to->grid != NULL) {
        char scaled[NNC_NUMBER_TEXT] = "";
        if (is_number && unit != NULL && (fabs(number) >= 1e4 || fabs(number) < 1e-2)) {
            nnc_unit_text(number, unit, scaled);
        }
        nnc_grid_cell(to->grid, name);
        nnc_grid_cell(to->grid, value);
        nnc_grid_cell(to->grid, unit != NULL ? unit : "");
        nnc_grid_cell(to->grid, scaled);
        if (to->lineage != NULL) {
            const char *from = nnc_lineage_of(to->lineage, name);
            nnc_grid_cell(to->grid, from != NULL ? from : "-");
        }
        return;
    }
    if (to->record->csv) {
        nnc_record_row(to->record, false);
    } else {
        nnc_record_object(to->record, NULL);
    }
    nnc_record_text(to->record, "field", name);
    if (is_number) {
        nnc_record_number(to->record, "value", number);
    } else {
        nnc_record_text(to->record, "value", strcmp(value, "-") == 0 ? NULL : value);
    }
    nnc_record_text(to->record, "unit", unit);
    if (to->lineage != NULL) {
        nnc_record_text(to->record, "from", nnc_lineage_of(to->lineage, name));
    }
    if (to->record->csv) {
        nnc_record_row_end(to->record);
    } else {
        nnc_record_close(to->record);
    }
}

enum { NAME_MAX_LENGTH = 128 };

static void write_rates(writer *to, const nnc_field *field, const void *object, const char *name)
{
    for (int dtype = 0; dtype < NNC_DTYPE_COUNT; dtype++) {
        double rate = 0.0;
        memcpy(&rate, (const char *)object + field->offset + (size_t)dtype * sizeof rate,
               sizeof rate);
        if (!isnan(rate)) {
            char dotted[NAME_MAX_LENGTH + 16], text[NNC_NUMBER_TEXT];
            snprintf(dotted, sizeof dotted, "%s.%s", name, nnc_dtype_name(dtype));
            write_field(to, dotted, nnc_number_text(rate, text), field->unit);
        }
    }
}

/* A stack of tables still to be walked takes the place of recursion; tables nest twice at most. */
typedef struct level {
    const nnc_field *fields;
    size_t count, next;
    const void *object;
    char prefix[NAME_MAX_LENGTH];
} level;

enum { LEVELS_MAX = 16 };

static void push(level *stack, int *depth, const nnc_field *field, const void *object,
                 const char *prefix)
{
    if (*depth < LEVELS_MAX) {
        level *added = &stack[(*depth)++];
        *added = (level){ field->fields, field->field_count, 0, object, "" };
        snprintf(added->prefix, sizeof added->prefix, "%.*s.", NAME_MAX_LENGTH - 2, prefix);
    }
}

/* A comment that the file keeps beside figures: it stands among the sources. */
static bool is_comment(const nnc_field *field)
{
    return field->type == NNC_FIELD_TEXT && field->size == 0;
}

/* Of a format nobody measured products in. */
static bool is_neutral_product(const writer *to, const nnc_gemm_efficiency *e)
{
    return to->device != NULL && e->sustained_fraction == 1.0 && e->memory_fraction == 1.0 &&
           e->fixed_s == 0.0 && isnan(e->wave_quantization);
}

/* Efficiencies that nobody fitted are all 1 and say nothing. */
static bool is_neutral(const writer *to, const void *place)
{
    return to->device != NULL && place == (const void *)&to->device->efficiency &&
           !to->device->efficiency.fitted;
}

static void write_fields(writer *to, const nnc_field_table *table, const void *root)
{
    level stack[LEVELS_MAX] = { { table->fields, table->count, 0, root, "" } };
    int depth = 1;
    while (depth > 0) {
        level *top = &stack[depth - 1];
        if (top->next == top->count) {
            depth--;
            continue;
        }
        char name[NAME_MAX_LENGTH], text[256];
        const nnc_field *field = &top->fields[top->next++];
        const char *place = (const char *)top->object + field->offset;
        snprintf(name, sizeof name, "%.64s%.60s", top->prefix, field->name);
        if (is_neutral(to, place) || is_comment(field)) {
            continue;
        }
        if (field->type == NNC_FIELD_OBJECT) {
            push(stack, &depth, field, place, name);
        } else if (field->type == NNC_FIELD_OBJECT_BY_DTYPE) {
            for (int dtype = NNC_DTYPE_COUNT - 1; dtype >= 0; dtype--) {
                char dotted[NAME_MAX_LENGTH];
                if (to->device != NULL &&
                    (isnan(nnc_device_matmul_peak(to->device, (nnc_dtype)dtype)) ||
                     is_neutral_product(to, &to->device->efficiency.gemm[dtype]))) {
                    continue;
                }
                snprintf(dotted, sizeof dotted, "%.100s.%s", name, nnc_dtype_name(dtype));
                push(stack, &depth, field, place + (size_t)dtype * (field->size / NNC_DTYPE_COUNT),
                     dotted);
            }
        } else if (field->type == NNC_FIELD_RATES) {
            write_rates(to, field, top->object, name);
        } else {
            nnc_field_text(field, top->object, text, sizeof text);
            write_field(to, name, text, field->unit);
        }
    }
}

static void write_notes(nnc_sheet *sheet, const spec_view *view)
{
    char text[NNC_NUMBER_TEXT];
    const nnc_device *device = view->device;
    for (int32_t i = 0; device != NULL && i < device->alias_count; i++) {
        if (i == 0) {
            nnc_sheet_label(sheet, "aliases");
        }
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", device->aliases[i]);
        if (i + 1 == device->alias_count) {
            nnc_sheet_end(sheet);
        }
    }
    for (int32_t i = 0; device != NULL && i < device->price_count; i++) {
        const nnc_price *price = &device->prices[i];
        nnc_sheet_label(sheet, "price");
        nnc_sheet_words(sheet, "%s %s per device-hour",
                        nnc_count_text(price->per_device_hour, text), price->currency);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", price->where != NULL ? price->where : "-");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", price->date != NULL ? price->date : "-");
        if (price->source != NULL) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", price->source);
        }
        nnc_sheet_end(sheet);
    }
    for (int32_t i = 0; i < view->source_count; i++) {
        nnc_sheet_label(sheet, "source");
        nnc_sheet_words(sheet, "%s%s%s", view->sources[i].key,
                        *view->sources[i].key != '\0' ? ": " : "", view->sources[i].text);
        nnc_sheet_end(sheet);
    }
}

static nnc_status write_text(nnc_session *session, const spec_view *view, nnc_error *err)
{
    static const nnc_grid_column columns[] = {
        { .head = "field", .left = true },
        { .head = "value", .left = true, .shrinks = true },
        { .head = "unit", .left = true, .drop = 2 },
        { .head = "", .drop = 1 },
        { .head = "from", .left = true },
    };
    nnc_sheet sheet = nnc_sheet_begin(session->out, session->style);
    nnc_arena *arena = nnc_arena_create();
    if (arena == NULL) {
        return nnc_no_memory(err);
    }
    const int count = (int)(sizeof columns / sizeof columns[0]) - (view->lineage == NULL);
    nnc_grid grid = nnc_grid_begin(arena, columns, count);
    writer to = { .grid = &grid, .device = view->device, .lineage = view->lineage };
    nnc_sheet_label(&sheet, view->kind);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s", view->path != NULL ? view->path : "built in");
    nnc_sheet_end(&sheet);
    nnc_sheet_gap(&sheet);
    write_fields(&to, view->table, view->object);
    const nnc_status status = nnc_grid_write(&grid, session->out, session->style);
    nnc_sheet_gap(&sheet);
    write_notes(&sheet, view);
    nnc_arena_destroy(arena);
    return status == NNC_OK ? NNC_OK : nnc_no_memory(err);
}

static void write_json(nnc_session *session, const spec_view *view)
{
    nnc_record record = nnc_record_begin(session->out, "nncost.show/1");
    writer to = { .record = &record, .device = view->device, .lineage = view->lineage };
    nnc_record_text(&record, "kind", view->kind);
    nnc_record_text(&record, "file", view->path);
    nnc_record_list(&record, "fields");
    write_fields(&to, view->table, view->object);
    nnc_record_close(&record);
    if (view->device != NULL) {
        nnc_record_list(&record, "aliases");
        for (int32_t i = 0; i < view->device->alias_count; i++) {
            nnc_record_text(&record, NULL, view->device->aliases[i]);
        }
        nnc_record_close(&record);
        nnc_record_list(&record, "prices");
        for (int32_t i = 0; i < view->device->price_count; i++) {
            const nnc_price *price = &view->device->prices[i];
            nnc_record_object(&record, NULL);
            nnc_record_number(&record, "per_device_hour", price->per_device_hour);
            nnc_record_text(&record, "currency", price->currency);
            nnc_record_text(&record, "where", price->where);
            nnc_record_text(&record, "date", price->date);
            nnc_record_text(&record, "source", price->source);
            nnc_record_close(&record);
        }
        nnc_record_close(&record);
    }
    nnc_record_list(&record, "sources");
    for (int32_t i = 0; i < view->source_count; i++) {
        nnc_record_object(&record, NULL);
        nnc_record_text(&record, "key", view->sources[i].key);
        nnc_record_text(&record, "text", view->sources[i].text);
        nnc_record_close(&record);
    }
    nnc_record_close(&record);
    nnc_record_end(&record);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    spec_view view = { 0 };
    nnc_status status = NNC_OK;
    NNC_TRY(find(session->specs, session->options.operands[0], &view, err));
    assert(view.table != NULL);
    if (session->options.format == NNC_FORMAT_JSON) {
        write_json(session, &view);
    } else if (session->options.format == NNC_FORMAT_CSV) {
        nnc_record record = nnc_record_csv(session->out);
        writer to = { .record = &record, .device = view.device, .lineage = view.lineage };
        nnc_buffer_text(session->out, "field,value,unit");
        nnc_buffer_text(session->out, view.lineage != NULL ? ",from\r\n" : "\r\n");
        write_fields(&to, view.table, view.object);
    } else {
        status = write_text(session, &view, err);
    }
    nnc_lineage_close(view.lineage);
    return status;
}

const nnc_command nnc_cmd_show = {
    .name = "show",
    .operands = "ID",
    .summary = "A device, model or software profile: the file it came from, every field, the "
               "sources.",
    .min_operands = 1,
    .max_operands = 1,
    .takes = NNC_TAKES_COMMON,
    .run = run,
};
