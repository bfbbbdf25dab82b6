/* nncost show: prints every field of a device, model or software profile with its value and source; or prints a model
 * as a file that nncost can read. */
#include <assert.h>
#include <unistd.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "graph/graph_internal.h"
#include "input/input_internal.h"
#include "onnx/onnx_import.h"
#include "render/render_internal.h"

/* A loaded device, model or software profile, with the path of its file and the table of its fields. */
typedef struct spec_view {
    const char *kind, *path;
    const nnc_field_table *table;
    const void *object;
    const nnc_source *sources;
    int32_t source_count;
    const nnc_device *device; /* the device, if the loaded spec is a device; otherwise NULL */
    /* files from which the spec inherits values (key "like"); NULL = the spec inherits no values */
    nnc_lineage *lineage;
    const nnc_model *model; /* the model, if the loaded spec is a model; otherwise NULL */
} spec_view;

/* ---- the list of all fields of a spec, with their sources ---- */

/* One field of a spec with its value, as text for a table. */
typedef struct shown_field {
    const char *name, *value, *unit;
} shown_field;

static nnc_cell get_value(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const shown_field *field = place->record;
    double number = 0.0;
    (void)text;
    return nnc_read_double(field->value, &number) ? nnc_number_cell(number)
                                                  : nnc_text_cell(strcmp(field->value, "-") == 0 ? NULL : field->value);
}

/* Text of a field's value with an SI prefix, if the field has a unit and the value is at least 1e4 or below 0.01;
 * otherwise "". Another column of the table shows all digits of the value. */
static nnc_cell get_scaled(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const shown_field *field = place->record;
    double number = 0.0;
    const bool scales =
        field->unit != NULL && nnc_read_double(field->value, &number) && (fabs(number) >= 1e4 || fabs(number) < 1e-2);
    return nnc_text_cell(scales ? nnc_unit_text(number, field->unit, text) : "");
}

NNC_GET(get_unit, shown_field, nnc_text_cell(self->unit != NULL ? self->unit : ""))

/* Returns the path of the file that sets a field: the file of the spec, or a file from which the spec inherits (key
 * "like"). */
static nnc_cell get_from(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]);
static bool is_like_another(const nnc_place *place);

static const nnc_metric field_rows[] = {
    NNC_AS("field", TEXT, NNC_IN(shown_field, name), .head = "field"),
    NNC_AS("value", ANY, .get = get_value),
    NNC_HEAD("value", TEXT, NNC_IN(shown_field, value), .shrinks = true),
    NNC_TEXT(shown_field, unit),
    NNC_HEAD("unit", TEXT, .get = get_unit, .drop = 2),
    NNC_HEAD("", NUMBER, .get = get_scaled, .drop = 1),
    NNC_AS("from", TEXT, .get = get_from, .head = "from", .more = NNC_MORE(.when = is_like_another)),
};
static const nnc_metrics field_metrics = NNC_METRICS("a field", field_rows, shown_field);
/* Columns of the table for a spec whose file has no key "like". The column "from", which would name the file of each
 * value, is left out. */
static const nnc_metrics own_metrics = { .rows = field_rows,
                                         .count = sizeof field_rows / sizeof field_rows[0] - 1,
                                         .record_size = sizeof(shown_field) };

/* A spec, and the list of the fields that `show` prints. The list of the fields is allocated in `arena`. */
typedef struct shown_spec {
    const spec_view *view;
    nnc_arena *arena;
    const nnc_device *device; /* the device, if the shown spec is a device; otherwise NULL */
    shown_field *fields;
    int32_t count, capacity;
    bool failed; /* true: an allocation failed, so the list of fields is incomplete */
} shown_spec;

NNC_IF(is_like_another, void, NNC_OWNER(shown_spec)->view->lineage != NULL)

NNC_GET(get_from, shown_field, nnc_text_cell(nnc_lineage_of(NNC_OWNER(shown_spec)->view->lineage, self->name)))

static void add_field(shown_spec *to, const char *name, const char *value, const char *unit) {
    shown_field *fields = nnc_arena_grow(to->arena, to->fields, to->count, &to->capacity, sizeof *fields);
    if (fields == NULL) {
        to->failed = true;
        return;
    }
    to->fields = fields;
    shown_field *field = &to->fields[to->count++];
    *field = (shown_field){ nnc_arena_strdup(to->arena, name), nnc_arena_strdup(to->arena, value), unit };
    to->failed = to->failed || field->name == NULL || field->value == NULL;
}

enum {
    NAME_MAX_LENGTH = 128,
    VALUE_MAX_LENGTH = 8192
    /* a value may be a long text, for example a list with an entry for each layer */
};

static void add_rates(shown_spec *to, const nnc_field *field, const void *object, const char *name) {
    for (int dtype = 0; dtype < NNC_DTYPE_COUNT; dtype++) {
        double rate = 0.0;
        memcpy(&rate, (const char *)object + field->offset + (size_t)dtype * sizeof rate, sizeof rate);
        if (!isnan(rate)) {
            char dotted[NAME_MAX_LENGTH + 16], text[NNC_NUMBER_TEXT];
            snprintf(dotted, sizeof dotted, "%s.%s", name, nnc_dtype_name((nnc_dtype)dtype));
            add_field(to, dotted, nnc_number_text(rate, text), field->unit);
        }
    }
}

/* A stack of field tables: the fields of an object inside a spec have a table of their own. The stack replaces a
 * recursive function; at most two tables are nested. */
typedef struct level {
    const nnc_field *fields;
    size_t count, next;
    const void *object;
    char prefix[NAME_MAX_LENGTH];
} level;

enum { LEVELS_MAX = 16 };

static void push(level *stack, int *depth, const nnc_field *field, const void *object, const char *prefix) {
    if (*depth < LEVELS_MAX) {
        level *added = &stack[(*depth)++];
        *added = (level){ field->fields, field->field_count, 0, object, "" };
        snprintf(added->prefix, sizeof added->prefix, "%.*s.", NAME_MAX_LENGTH - 2, prefix);
    }
}

/* Tests whether a field is a comment of the spec file. `show` prints comments together with the sources. */
static bool is_comment(const nnc_field *field) { return field->type == NNC_FIELD_TEXT && field->size == 0; }

/* Returns true if a field is rarely used and is not set in the spec; `show` leaves this field out. */
static bool is_off(const nnc_field *field, const char *text) {
    return field->rare && (strcmp(text, "off") == 0 || strcmp(text, "0") == 0 || strcmp(text, "-") == 0 ||
                           (field->type == NNC_FIELD_ENUM && strcmp(text, field->names.of(0)) == 0));
}

/* Tests whether all efficiencies of matrix products in one number format are neutral, which means that products in this
 * format were not measured. */
static bool is_neutral_product(const shown_spec *to, const nnc_gemm_efficiency *e) {
    return to->device != NULL && e->sustained_fraction == 1.0 && e->memory_fraction == 1.0 && e->fixed_s == 0.0 &&
           isnan(e->wave_quantization);
}

/* Tests whether the struct at `place` (a group of efficiencies, or the parameters of serving) was not fitted. `show`
 * does not print structs that were not fitted, because their values are neutral (efficiencies of 1). */
static bool is_neutral(const shown_spec *to, const void *place) {
    const nnc_software *software = to->view->table == &nnc_software_table ? to->view->object : NULL;
    return (to->device != NULL && place == (const void *)&to->device->efficiency && !to->device->efficiency.fitted) ||
           (to->device != NULL && place == (const void *)&to->device->efficiency.serving &&
            !to->device->efficiency.serving.fitted) ||
           (software != NULL && place == (const void *)&software->serving && !software->serving.fitted);
}

static void add_fields(shown_spec *to, const nnc_field_table *table, const void *root) {
    level stack[LEVELS_MAX] = { { table->fields, table->count, 0, root, "" } };
    int depth = 1;
    while (depth > 0) {
        level *top = &stack[depth - 1];
        if (top->next == top->count) {
            depth--;
            continue;
        }
        char name[NAME_MAX_LENGTH], text[VALUE_MAX_LENGTH];
        const nnc_field *field = &top->fields[top->next++];
        const char *place = (const char *)top->object + field->offset;
        snprintf(name, sizeof name, "%.64s%.60s", top->prefix, field->name);
        if (is_neutral(to, place) || is_comment(field)) { continue; }
        if (field->type == NNC_FIELD_OBJECT) {
            push(stack, &depth, field, place, name);
        } else if (field->type == NNC_FIELD_OBJECT_BY_DTYPE) {
            for (int dtype = NNC_DTYPE_COUNT - 1; dtype >= 0; dtype--) {
                char dotted[NAME_MAX_LENGTH];
                if (to->device != NULL && (isnan(nnc_device_matmul_peak(to->device, (nnc_dtype)dtype)) ||
                                           is_neutral_product(to, &to->device->efficiency.gemm[dtype]))) {
                    continue;
                }
                snprintf(dotted, sizeof dotted, "%.100s.%s", name, nnc_dtype_name((nnc_dtype)dtype));
                push(stack, &depth, field, place + (size_t)dtype * (field->size / NNC_DTYPE_COUNT), dotted);
            }
        } else if (field->type == NNC_FIELD_RATES) {
            add_rates(to, field, top->object, name);
        } else {
            nnc_field_text(field, top->object, text, sizeof text);
            if (!is_off(field, text)) { add_field(to, name, text, field->unit); }
        }
    }
}

static void write_notes(nnc_sheet *sheet, const spec_view *view) {
    char text[NNC_NUMBER_TEXT];
    const nnc_device *device = view->device;
    for (int32_t i = 0; device != NULL && i < device->alias_count; i++) {
        if (i == 0) { nnc_sheet_label(sheet, "aliases"); }
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", device->aliases[i]);
        if (i + 1 == device->alias_count) { nnc_sheet_end(sheet); }
    }
    for (int32_t i = 0; device != NULL && i < device->price_count; i++) {
        const nnc_price *price = &device->prices[i];
        nnc_sheet_label(sheet, "price");
        nnc_sheet_words(sheet, "%s %s per device-hour", nnc_count_text(price->per_device_hour, text), price->currency);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", price->where != NULL ? price->where : "-");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", price->date != NULL ? price->date : "-");
        if (price->source != NULL) { nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", price->source); }
        nnc_sheet_end(sheet);
    }
    const nnc_software *software = view->table == &nnc_software_table ? view->object : NULL;
    for (int32_t i = 0; software != NULL && i < software->stands_for_count; i++) {
        const nnc_framework *framework = &software->stands_for[i];
        nnc_sheet_note(sheet, "for", "%s %s%s%s %s", framework->framework, framework->version,
                       *framework->model != '\0' ? "networks " : "", framework->model, framework->hardware);
    }
    for (int32_t i = 0; view->model != NULL && i < view->model->note_count; i++) {
        nnc_sheet_note(sheet, "noted", "%s", view->model->notes[i]);
    }
    for (int32_t i = 0; i < view->source_count; i++) {
        nnc_sheet_note(sheet, "source", "%s%s%s", view->sources[i].key, *view->sources[i].key != '\0' ? ": " : "",
                       view->sources[i].text);
    }
}

static nnc_lines lines_of(const void *record) {
    const shown_spec *shown = record;
    return (nnc_lines){ shown->view->lineage != NULL ? &field_metrics : &own_metrics, shown, shown->fields,
                        shown->count };
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const shown_spec *shown = record;
    const spec_view *view = shown->view;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_label(&sheet, view->kind);
    nnc_sheet_item(&sheet, NNC_INK_PLAIN, "%s", view->path != NULL ? view->path : "built in");
    nnc_sheet_end(&sheet);
    nnc_sheet_gap(&sheet);
    nnc_table_of(out, style, lines_of(shown));
    nnc_sheet_gap(&sheet);
    write_notes(&sheet, view);
}

static const nnc_metric price_rows[] = {
    NNC_NUMBER(nnc_price, per_device_hour),
    NNC_CHARS(nnc_price, currency),
    NNC_TEXT(nnc_price, where),
    NNC_TEXT(nnc_price, date),
    NNC_TEXT(nnc_price, source),
};
static const nnc_metrics price_metrics = NNC_METRICS("a price", price_rows, nnc_price);

static const nnc_metric source_rows[] = {
    NNC_TEXT(nnc_source, key),
    NNC_TEXT(nnc_source, text),
};
static const nnc_metrics source_metrics = NNC_METRICS("a source", source_rows, nnc_source);

NNC_IF(is_device, shown_spec, self->device != NULL)

static const nnc_metric document_rows[] = {
    NNC_AS("kind", TEXT, NNC_VIA(shown_spec, view), NNC_IN(spec_view, kind)),
    NNC_AS("file", TEXT, NNC_VIA(shown_spec, view), NNC_IN(spec_view, path)),
    NNC_AS("fields", LIST, NNC_IN(shown_spec, fields), NNC_COUNT(shown_spec, count), .rows = &field_metrics),
    NNC_AS("aliases", TEXTS, NNC_VIA(shown_spec, device), NNC_IN(nnc_device, aliases),
           NNC_COUNT(nnc_device, alias_count), .more = NNC_MORE(.when = is_device)),
    NNC_AS("prices", LIST, NNC_VIA(shown_spec, device), NNC_IN(nnc_device, prices), NNC_COUNT(nnc_device, price_count),
           .rows = &price_metrics, .more = NNC_MORE(.when = is_device)),
    NNC_AS("sources", LIST, NNC_VIA(shown_spec, view), NNC_IN(spec_view, sources), NNC_COUNT(spec_view, source_count),
           .rows = &source_metrics),
};
static const nnc_metrics document = NNC_METRICS("a spec", document_rows, shown_spec);

static const nnc_view spec_output = {
    .schema = "nncost.show/1", .document = &document, .lines = lines_of, .page = write_page
};

static nnc_status write_spec(nnc_buffer *out, nnc_style style, const spec_view *view) {
    shown_spec shown = { .view = view, .arena = nnc_arena_create(), .device = view->device };
    if (shown.arena == NULL) { return NNC_NO_MEMORY; }
    add_fields(&shown, view->table, view->object);
    if (!shown.failed) { nnc_view_write(out, style, &spec_output, &shown); }
    nnc_arena_destroy(shown.arena);
    return shown.failed ? NNC_NO_MEMORY : NNC_OK;
}

/* ---- writing a model as a model file ---- */

static double number_at(const nnc_field *field, const char *place, int index) {
    switch (nnc_field_element(field->type)) {
    case NNC_FIELD_BOOL: return ((const bool *)(const void *)place)[index];
    case NNC_FIELD_I32: return ((const int32_t *)(const void *)place)[index];
    case NNC_FIELD_I64: return (double)((const int64_t *)(const void *)place)[index];
    case NNC_FIELD_F64: return ((const double *)(const void *)place)[index];
    default: return ((const unsigned *)(const void *)place)[index];
    }
}

static void put_value(nnc_record *record, const char *key, const nnc_field *field, double value) {
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

static void put_field(nnc_record *record, const nnc_field *field, const nnc_model *model) {
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
    for (int32_t i = 0; i < count; i++) { put_value(record, NULL, field, number_at(field, place, i)); }
    nnc_record_close(record);
}

/* Returns true if a model file can leave out a field, because the field has its default. */
static bool is_default(const nnc_field *field, const nnc_model *model, const nnc_model *empty) {
    int32_t count = 0;
    if (field->capacity > 0) {
        memcpy(&count, (const char *)model + field->count_offset, sizeof count);
        return count == 0;
    }
    return !field->required &&
           memcmp((const char *)model + field->offset, (const char *)empty + field->offset, field->size) == 0;
}

/* Writes the sources of a model as members of a model file. Sources with the same key are written as one list. */
static void put_sources(nnc_record *record, const nnc_model *model) {
    nnc_record_object(record, "sources");
    for (int32_t i = 0; i < model->source_count; i++) {
        const char *key = model->sources[i].key;
        int32_t first = 0;
        while (strcmp(model->sources[first].key, key) != 0) { first++; }
        if (first < i) { continue; }
        nnc_record_list(record, key);
        for (int32_t j = i; j < model->source_count; j++) {
            if (strcmp(model->sources[j].key, key) == 0) { nnc_record_text(record, NULL, model->sources[j].text); }
        }
        nnc_record_close(record);
    }
    if (model->source_count == 0) {
        nnc_record_text(record, "", model->path != NULL ? model->path : "the command line");
    }
    nnc_record_close(record);
}

/* Writes a graph model as members of its model file. The member "let" contains the current values of the lets. */
static void put_graph(nnc_record *record, const nnc_graph *graph) {
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
        if (net->texts[i] != NULL) { nnc_record_json(record, parts[i], net->texts[i]); }
    }
}

static void put_towers(nnc_record *record, const nnc_model *model) {
    nnc_record_list(record, "towers");
    for (int32_t i = 0; i < model->tower_count; i++) {
        nnc_record_object(record, NULL);
        put_graph(record, &model->towers[i]);
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

/* Writes a model as a model file. Fields that have their defaults are left out. */
static void write_model(nnc_buffer *out, const nnc_model *model) {
    const nnc_family_fields *family = nnc_family_fields_of(model->family);
    nnc_record record = nnc_record_begin(out, "nncost.model/1");
    nnc_model empty = { .family = model->family, .published_weights = NNC_STORED_COUNT };
    if (family->begin != NULL) { family->begin(&empty); }
    for (size_t i = 0; i < family->table.count; i++) {
        const nnc_field *field = &family->table.fields[i];
        if (!is_default(field, model, &empty)) { put_field(&record, field, model); }
    }
    if (model->graph.net != NULL) { put_graph(&record, &model->graph); }
    if (model->tower_count > 0) { put_towers(&record, model); }
    if (model->alias_count > 0) {
        nnc_record_list(&record, "aliases");
        for (int32_t i = 0; i < model->alias_count; i++) { nnc_record_text(&record, NULL, model->aliases[i]); }
        nnc_record_close(&record);
    }
    put_sources(&record, model);
    nnc_record_end(&record);
}

static nnc_status load(nnc_specs *specs, nnc_spec_kind kind, const char *id, spec_view *view, nnc_error *err) {
    const nnc_device *device = NULL;
    const nnc_model *model = NULL;
    const nnc_software *software = NULL;
    if (kind == NNC_SPEC_DEVICE) {
        NNC_TRY(nnc_device_load(specs, id, &device, err));
        *view = (spec_view){ "device",        device->path,         &nnc_device_table, device,
                             device->sources, device->source_count, .device = device };
    } else if (kind == NNC_SPEC_MODEL) {
        NNC_TRY(nnc_model_load(specs, id, &model, err));
        *view = (spec_view){ "model",       model->path,    nnc_model_table_of(model),
                             model,         model->sources, model->source_count,
                             .model = model };
    } else {
        NNC_TRY(nnc_software_load(specs, id, &software, err));
        *view = (spec_view){ "software",        software->path,         &nnc_software_table, software,
                             software->sources, software->source_count, .device = NULL };
    }
    return nnc_lineage_open(specs, kind, view->path, &view->lineage, err);
}

/* Returns the kind of a file ("device", "model" ...) by the value of its key "schema". An XML file is the description
 * of a device by nvidia-smi; a JSON file without "schema" is a model. */
static nnc_spec_kind kind_of_file(nnc_specs *specs, const char *path) {
    char *text = NULL;
    size_t size = 0;
    nnc_spec_kind kind = NNC_SPEC_MODEL;
    if (!nnc_is_folder(path) && nnc_specs_read(specs, path, &text, &size, NULL) == NNC_OK) {
        kind = strstr(text, "\"nncost.device/") != NULL     ? NNC_SPEC_DEVICE
               : strncmp(text, "<?xml", 5) == 0             ? NNC_SPEC_DEVICE
               : strstr(text, "\"nncost.software/") != NULL ? NNC_SPEC_SOFTWARE
                                                            : NNC_SPEC_MODEL;
    }
    free(text);
    return kind;
}

static nnc_status unknown_id(nnc_specs *specs, const char *id, nnc_error *err) {
    enum { NAMES_MAX = 1024 };
    const char *names[NAMES_MAX];
    size_t name_count = 0;
    for (int kind = 0; kind < NNC_SPEC_KIND_COUNT; kind++) {
        const char *const *ids = NULL;
        int32_t count = 0;
        NNC_TRY(nnc_specs_list(specs, (nnc_spec_kind)kind, &ids, &count, err));
        for (int32_t i = 0; i < count && name_count < NAMES_MAX; i++) { names[name_count++] = ids[i]; }
    }
    const char *nearest = nnc_nearest(id, names, name_count);
    for (int kind = 0; kind < NNC_SPEC_KIND_COUNT && nearest == NULL; kind++) {
        nearest = nnc_specs_nearest_alias(specs, (nnc_spec_kind)kind, id);
    }
    nnc_hub_name hub = { .path = NULL };
    NNC_TRY(nnc_hub_find(specs, id, &hub, err));
    nearest = hub.nearest != NULL && nnc_nearer(id, hub.nearest, nearest) ? hub.nearest : nearest;
    return nearest != NULL ? nnc_fail(err, NNC_UNKNOWN_ID, id,
                                      "no device, model or software profile of this id, did you mean %s?", nearest)
                           : nnc_fail(err, NNC_UNKNOWN_ID, id,
                                      "no device, model or software profile of this id, see 'nncost list'");
}

static nnc_status find(nnc_specs *specs, const char *id, spec_view *view, nnc_error *err) {
    if (nnc_is_path(id) || nnc_is_folder(id)) { return load(specs, kind_of_file(specs, id), id, view, err); }
    for (int kind = 0; kind < NNC_SPEC_KIND_COUNT; kind++) {
        const nnc_status status = load(specs, (nnc_spec_kind)kind, id, view, err);
        if (status != NNC_UNKNOWN_ID) { return status; }
    }
    return unknown_id(specs, id, err);
}

/* Prints the nncost command line that has the same effect as the launch files among the operands. If the launch files
 * do not name the model or the device, prints the word MODEL or DEVICE instead of the name. Below the command line,
 * lists skipped keys of the launch files as comments. */
static nnc_status write_options(nnc_session *session, nnc_error *err) {
    nnc_options *options = &session->options;
    const nnc_launch_asked asked = { .format = options->launch_format,
                                     .lenient = options->lenient,
                                     .may_be_open = true };
    const char *first = options->operands[0];
    NNC_TRY(nnc_launch_take(session->specs, &asked, options->operands, &options->operand_count, &options->given, err));
    if (options->given.launch == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--to-options", "expected a launch file, found \"%s\"", first);
    }
    const int count = options->operand_count;
    const nnc_command_args args = { .model = count > 0 ? options->operands[0] : "MODEL",
                                    .device = count > 1 ? options->operands[1] : "DEVICE",
                                    .given = &options->given };
    if (count > 2) { return nnc_fail(err, NNC_BAD_USAGE, options->operands[2], "one argument too many"); }
    nnc_command_put(session->out, &args);
    nnc_buffer_byte(session->out, '\n');
    for (int32_t i = 0; i < options->given.launch->ignored_count; i++) {
        const nnc_ignored_key *key = &options->given.launch->ignored[i];
        if (key->skipped) {
            nnc_buffer_print(session->out, "# %s:%" PRId64 ": %s: %s\n", key->file, key->line, key->key, key->why);
        }
    }
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    spec_view view = { 0 };
    if (session->options.to_options) { return write_options(session, err); }
    if (session->options.launch_format != NULL) { return nnc_fail(err, NNC_BAD_USAGE, "--from", "needs --to-options"); }
    if (nnc_checkpoint_is_file(session->options.operands[0]) && session->options.operand_count == 1) {
        return nnc_checkpoint_show(session, session->options.operands[0], err);
    }
    if (nnc_launch_is_file(session->specs, session->options.operands[0], NULL)) {
        return nnc_fail(err, NNC_BAD_USAGE, session->options.operands[0],
                        "is a launch file: --to-options shows the options with the same meaning");
    }
    if (session->options.operand_count > 1) {
        return nnc_fail(err, NNC_BAD_USAGE, session->options.operands[1], "one argument too many, expected show ID");
    }
    NNC_TRY(find(session->specs, session->options.operands[0], &view, err));
    assert(view.table != NULL);
    nnc_status status = NNC_OK;
    if (view.model != NULL && session->style.format == &nnc_format_json) { /* a model is written as a JSON file that the
                                                                            * user can edit */
        write_model(session->out, view.model);
    } else {
        status = write_spec(session->out, session->style, &view);
    }
    nnc_lineage_close(view.lineage);
    return status == NNC_OK ? NNC_OK : nnc_no_memory(err);
}

const nnc_command nnc_cmd_show = {
    .name = "show",
    .operands = "ID | CHECKPOINT | FILE... [MODEL] [DEVICE] --to-options",
    .summary = "A device, model or software profile: its file, every field, the sources.",
    .notes = "--format json prints a model as a model file, which nncost can read. --to-options prints the options "
             "of nncost that have the same meaning as the launch files (docs/files.md). CHECKPOINT is a .gguf or "
             ".safetensors file, or an index of such files; for a CHECKPOINT, 'show' prints the number of tensors, "
             "parameters and bytes.",
    .min_operands = 1,
    .max_operands = 100,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_MODEL | NNC_TAKES_SHOW,
    .run = run,
};

/* ---- the command nncost validate, which checks files ---- */

/* Prints one fault of a checked file to standard error, or to the output if another command has called `validate`. The
 * most serious fault decides the exit code. */
static void print_fault(void *context, const nnc_error *fault) {
    nnc_session *session = context;
    const int code = nnc_status_exit_code(fault->status);
    if (session->inside) {
        nnc_buffer_print(session->out, "%s: %s\n", fault->where, fault->what);
    } else {
        fprintf(stderr, "nncost: %s: %s\n", fault->where, fault->what);
    }
    session->exit_code = code > session->exit_code ? code : session->exit_code;
}

/* the list "valid" contains only files without a fault, so `ok` is always true */
NNC_GET(get_ok, void, nnc_bool_cell(true))

NNC_GET(get_file, void, nnc_text_cell(*(char *const *)self))

static const nnc_metric file_rows[] = {
    NNC_AS("file", TEXT, .get = get_file),
    NNC_AS("ok", BOOL, .get = get_ok),
};
static const nnc_metrics files = NNC_METRICS("a file without fault", file_rows, char *);

static const nnc_metric faults_rows[] = {
    NNC_AS("files", LIST, NNC_IN(nnc_options, operands), NNC_COUNT(nnc_options, operand_count), .rows = &files),
};
static const nnc_metrics faults_document = NNC_METRICS("files", faults_rows, nnc_options);

static void write_faults(nnc_buffer *out, nnc_style style, const void *record) {
    const nnc_options *options = record;
    for (int i = 0; i < options->operand_count; i++) {
        nnc_buffer_text(out, style.format == &nnc_format_markdown ? "- " : "");
        nnc_put_plain(out, options->operands[i], nnc_text_width(options->operands[i]));
        nnc_buffer_text(out, ": ok\n");
    }
}

static const nnc_view validate_view = {
    .schema = "nncost.validate/1", .document = &faults_document, .list = "files", .page = write_faults
};

static nnc_status run_validate(nnc_session *session, nnc_error *err) {
    (void)err;
    for (int i = 0; i < session->options.operand_count; i++) {
        nnc_spec_validate(session->specs, session->options.operands[i], print_fault, session);
    }
    if (session->exit_code == 0) { nnc_view_write(session->out, session->style, &validate_view, &session->options); }
    return NNC_OK;
}

const nnc_command nnc_cmd_validate = {
    .name = "validate",
    .part_of = "check files",
    .operands = "FILE...",
    .summary = "Check device, model, software, cluster and plan files, and list every fault.",
    .notes = "Faults are printed to standard error, one per line, and the exit code is 3. If no file has a fault, "
             "the command reports each file as ok.",
    .min_operands = 1,
    .max_operands = 1000000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_MODEL,
    .run = NNC_NOT_ON_PAGE(run_validate),
};

/* ---- nncost import: converts an ONNX file to a model file ---- */

/* Prints the parts of the ONNX file that the model file lacks, one per line, to standard error, because standard output
 * has the model file. */
static void print_notes(const char *path, const char *notes) {
    while (notes != NULL && *notes != '\0') {
        const size_t length = strcspn(notes, "\n");
        nnc_error note;
        /* nnc_fail replaces control characters in the error message */
        nnc_fail(&note, NNC_OK, path, "note: %.*s", (int)length, notes);
        fprintf(stderr, "nncost: %s: %s\n", note.where, note.what);
        notes += length + (notes[length] == '\n');
    }
}

static nnc_status run_import(nnc_session *session, nnc_error *err) {
    const char *path = session->options.operands[0], *notes = NULL;
    const char *slash = strrchr(path, '/');
    const char *axes = session->options.operand_count > 1 ? session->options.operands[1] : NULL;
    char id[64], *text = NULL;
    size_t size = 0;
    snprintf(id, sizeof id, "%s", slash != NULL ? slash + 1 : path);
    if (nnc_onnx_is_file(id)) { id[strlen(id) - 5] = '\0'; }
    NNC_TRY(nnc_onnx_import(path, id, axes, nnc_specs_arena(session->specs), &text, &size, &notes, err));
    nnc_buffer_put(session->out, text, size);
    print_notes(path, notes);
    return NNC_OK;
}

const nnc_command nnc_cmd_import = {
    .name = "import",
    .operands = "FILE.onnx [AXES]",
    .summary = "Convert an ONNX file to a model file of the graph family, on standard output.",
    .notes =
        "nncost import net.onnx > net.json. The dimensions of all tensors follow from the input, whose batch "
        "becomes 1. AXES sets the length of axes that have a name or no length: sequence=128,x.2=48 (the third axis "
        "of input x). A norm, a GELU or an attention that is exported as many nodes becomes a single step of the "
        "graph file. If a node cannot be converted, the error message names the node, and the command writes no "
        "model file. Standard error lists what the export has lost: batch norms folded into convolutions, dropout, "
        "the loss. 'nncost estimate net.onnx DEVICE' needs no import.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON,
    .run = NNC_NOT_ON_PAGE(run_import),
};

/* ---- checkpoint files: `show` prints the header; other commands accept a checkpoint as MODEL if the model in its
 * folder has exactly as many parameters as the checkpoint ---- */

typedef struct shown {
    nnc_checkpoint file;
    const nnc_checkpoint_part *types;
    int32_t count;
} shown;

NNC_GET(get_params, shown,
        nnc_number_cell(self->file.params >= 0 ? (double)(self->file.params - self->file.constants) : (double)NAN))
NNC_GET(get_bytes, shown, nnc_number_cell(self->file.bytes >= 0 ? (double)self->file.bytes : (double)NAN))

static const nnc_metric type_rows[] = {
    NNC_CHARS(nnc_checkpoint_part, name, .head = "type",
              .help = "Number format or quantisation, as the file names it."),
    NNC_WHOLE(nnc_checkpoint_part, tensors, .head = "tensors", .help = "Number of tensors of this type."),
    NNC_WHOLE(nnc_checkpoint_part, params, .head = "parameters",
              .help = "Number of values in all tensors of this type."),
    NNC_WHOLE(nnc_checkpoint_part, bytes, .head = "bytes", .unit = "B",
              .help = "Total bytes of all tensors with this data type."),
};
static const nnc_metrics type_metrics = NNC_METRICS("the tensors of one type", type_rows, nnc_checkpoint_part);

static const nnc_metric shown_rows[] = {
    NNC_AS("file", TEXT, NNC_IN(shown, file.path), .help = "File name of the checkpoint."),
    NNC_AS("tensors", WHOLE, NNC_IN(shown, file.tensors), .help = "Number of tensors in the checkpoint."),
    NNC_AS("params", NUMBER, .get = get_params,
           .help = "Number of values in all tensors, without tables that are computed (rope_freqs); null for an index "
                   "without its files in the same folder."),
    NNC_AS("bytes", NUMBER, .get = get_bytes, .unit = "B", .help = "Bytes of all tensors."),
    NNC_AS("types", LIST, NNC_IN(shown, types), NNC_COUNT(shown, count), .rows = &type_metrics,
           .help = "Number of tensors, values and bytes for each number format."),
};
static const nnc_metrics shown_metrics = NNC_METRICS("a checkpoint", shown_rows, shown);

static void write_types(nnc_sheet *sheet, const void *record) {
    const shown *s = record;
    nnc_table_of(sheet->out, sheet->style, (nnc_lines){ &type_metrics, s, s->types, s->count });
}

static const nnc_page_row page_rows[] = {
    NNC_LINE("checkpoint"),
    NNC_ITEM("{file}"),
    NNC_ITEM("{tensors:count} tensors"),
    NNC_LINE("holds"),
    NNC_BOLD("{params:count} parameters", .when = "params"),
    NNC_ITEM("parameters unknown, because its files are not in the same folder", .when = "!params"),
    NNC_ITEM("{bytes:count} bytes", .when = "bytes"),
    NNC_GAP(),
    NNC_BLOCK(write_types),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&shown_metrics, page_rows);

const nnc_view nnc_checkpoint_view = {
    .schema = "nncost.checkpoint/1", .document = &shown_metrics, .list = "types", .rows = &page
};

nnc_status nnc_checkpoint_show(nnc_session *session, const char *path, nnc_error *err) {
    shown s = { .count = 0 };
    const nnc_status status = nnc_checkpoint_read(session->specs, path, &s.file, err);
    nnc_buffer_free(&s.file.metadata);
    s.types = s.file.parts;
    s.count = s.file.part_count;
    if (status == NNC_OK) { nnc_view_write(session->out, session->style, &nnc_checkpoint_view, &s); }
    return status;
}

/* ---- using the model in the folder of a checkpoint in place of the checkpoint ---- */

nnc_status nnc_checkpoint_check(nnc_session *session, const char *path, const char *model, nnc_error *err) {
    nnc_checkpoint file;
    int64_t params = 0;
    const nnc_status status = nnc_checkpoint_read(session->specs, path, &file, err);
    nnc_buffer_free(&file.metadata);
    NNC_TRY(status);
    NNC_TRY(nnc_model_count(session->specs, model, &params, err));
    if (file.params >= 0 && file.params - file.constants != params) {
        return nnc_fail(err, NNC_BAD_SPEC, path,
                        "has %" PRId64 " parameters, but the network of %s has %" PRId64
                        " parameters; the checkpoint is of another network, expected MODEL",
                        file.params - file.constants, model, params);
    }
    return NNC_OK;
}

nnc_status nnc_checkpoint_take(nnc_session *session, char **operand, nnc_error *err) {
    nnc_arena *arena = nnc_specs_arena(session->specs);
    const char *config = nnc_path_from(arena, *operand, "config.json");
    char *kept = config != NULL ? nnc_arena_strdup(arena, config) : NULL;
    NNC_GOT(kept, err);
    if (access(kept, R_OK) != 0) {
        return nnc_fail(err, NNC_BAD_SPEC, *operand,
                        "names no architecture, expected a config.json in the same folder, or MODEL; 'nncost show' "
                        "counts the parameters of the checkpoint");
    }
    NNC_TRY(nnc_checkpoint_check(session, *operand, kept, err));
    *operand = kept;
    return NNC_OK;
}
