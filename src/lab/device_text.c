/* Writes the text of a device file, or of the software profile of a serving engine, with newly fitted parameters.
 * Members of the file without fitted parameters are copied byte for byte. */
#include "base/base_internal.h"
#include "input/input_internal.h"
#include "lab/lab_internal.h"
#include "render/render_internal.h"

/* State while a device file or profile is written again. The state has the new values of the parameters, and the buffer
 * for the new text. */
typedef struct rewriting {
    nnc_buffer *out;
    const nnc_device_change *change;
} rewriting;

/* A JSON object of the device file or profile that is being written: the old content of the object, the table of its
 * fields, and its dotted name. */
typedef struct object_place {
    nnc_json at; /* old content of the JSON object; an absent value: the old file does not have the object */
    const nnc_field *fields;
    size_t count;
    const char *name;
    int indent;
} object_place;

enum { NAME_MAX_BYTES = 128 };

/* Returns the new value of the parameter "OBJECT.FIELD"; NULL = the fit did not change this parameter. */
static const nnc_fitted_value *value_of(const rewriting *w, const char *object, const char *field) {
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "%s.%s", object, field);
    for (int32_t i = 0; i < w->change->count; i++) {
        if (strcmp(w->change->values[i].name, name) == 0) { return &w->change->values[i]; }
    }
    return NULL;
}

/* Returns the first newly fitted parameter whose dotted name begins with the name of the JSON object `object`. NULL =
 * the object has no newly fitted parameter inside. */
static const nnc_fitted_value *value_below(const rewriting *w, const char *object) {
    const size_t length = strlen(object);
    for (int32_t i = 0; i < w->change->count; i++) {
        const char *name = w->change->values[i].name;
        if (strncmp(name, object, length) == 0 && name[length] == '.') { return &w->change->values[i]; }
    }
    return NULL;
}

/* Writes the text before the value of a JSON member: a comma, a line end or a blank, and the key. */
static void begin_member(const rewriting *w, const object_place *p, bool *any, bool own_line, const char *key) {
    nnc_buffer_text(w->out, *any ? "," : "");
    if (own_line) {
        nnc_buffer_print(w->out, "\n%*s", p->indent + 2, "");
    } else {
        nnc_buffer_byte(w->out, ' ');
    }
    *any = true;
    nnc_put_json_text(w->out, key);
    nnc_buffer_text(w->out, ": ");
}

static bool has_objects(const object_place *p) {
    for (size_t i = 0; i < p->count; i++) {
        if (p->fields[i].type == NNC_FIELD_OBJECT || p->fields[i].type == NNC_FIELD_OBJECT_BY_DTYPE) { return true; }
    }
    return false;
}

/* Writes the member "fitted_on", which states the rows on which the parameters were fitted. If every parameter of the
 * object is new, the member has only the new text. If some parameters keep their old values, the old text follows the
 * new text: "bus_fraction, fixed_s: rows.csv, 3 rows; the rest: as before". */
static void put_fitted_on(const rewriting *w, const object_place *p) {
    static const char rest_mark[] = "; the rest: ";
    const nnc_fitted_value *first = NULL;
    const char *old = nnc_json_text_in(p->at, "fitted_on");
    char list[512] = "";
    bool kept = false;
    for (size_t i = 0; i < p->count; i++) {
        const nnc_field *field = &p->fields[i];
        const nnc_fitted_value *value = value_of(w, p->name, field->name);
        if (value != NULL) {
            nnc_text_append(list, sizeof list, ", ", "%s", field->name);
            first = first != NULL ? first : value;
        } else {
            kept = kept || (field->type == NNC_FIELD_F64 &&
                            nnc_json_type_of(nnc_json_get(p->at, field->name)) == NNC_JSON_NUMBER);
        }
    }
    if (first == NULL) { /* the object itself has no new parameter; only objects inside it have new parameters */
        first = value_below(w, p->name);
        if (old == NULL) { old = first != NULL ? first->fitted_on : ""; }
        nnc_put_json_text(w->out, old);
        return;
    }
    const size_t length = strlen(list);
    if (old != NULL && strncmp(old, list, length) == 0 && old[length] == ':') {
        /* the old text is about a fit of the same parameters, so the new text replaces it */
        const char *rest = strstr(old, rest_mark);
        old = rest != NULL ? rest + strlen(rest_mark) : NULL;
    }
    char text[4096];
    const bool partly = kept && old != NULL;
    snprintf(text, sizeof text, "%s%s%s%s%s", partly ? list : "", partly ? ": " : "", first->fitted_on,
             partly ? rest_mark : "", partly ? old : "");
    nnc_put_json_text(w->out, text);
}

static void put_object(const rewriting *w, const object_place *p);

/* Writes a JSON object that is inside another object. If the field of the inner object has one object for each number
 * format, writes all of these objects. */
static void put_inner(const rewriting *w, const object_place *p, const nnc_field *field, bool *any) {
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "%s.%s", p->name, field->name);
    const nnc_json at = nnc_json_get(p->at, field->name);
    object_place inner = { at, field->fields, field->field_count, name, p->indent + 2 };
    if (at.node == NULL && value_below(w, name) == NULL) { return; }
    begin_member(w, p, any, true, field->name);
    if (field->type == NNC_FIELD_OBJECT) {
        put_object(w, &inner);
        return;
    }
    bool some = false;
    nnc_buffer_byte(w->out, '{');
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        char format[NAME_MAX_BYTES + 16];
        snprintf(format, sizeof format, "%s.%s", name, nnc_dtype_name((nnc_dtype)i));
        object_place of_format = { nnc_json_get(at, nnc_dtype_name((nnc_dtype)i)), field->fields, field->field_count,
                                   format, p->indent + 4 };
        if (of_format.at.node != NULL || value_below(w, format) != NULL) {
            begin_member(w, &inner, &some, true, nnc_dtype_name((nnc_dtype)i));
            put_object(w, &of_format);
        }
    }
    nnc_buffer_print(w->out, "\n%*s}", inner.indent, "");
}

static void put_member(const rewriting *w, const object_place *p, const nnc_field *field, bool lines, bool *any) {
    const nnc_json at = nnc_json_get(p->at, field->name);
    const nnc_fitted_value *value = value_of(w, p->name, field->name);
    if (field->type == NNC_FIELD_OBJECT || field->type == NNC_FIELD_OBJECT_BY_DTYPE) {
        put_inner(w, p, field, any);
    } else if (field->type == NNC_FIELD_ENUM) {
        /* The only enum field here is the basis of the device. The bases are in ascending order of quality. The written
         * file gets the better one of two bases: the basis in the old file, and the basis of the new parameters. */
        const char *old = nnc_json_text_in(p->at, field->name);
        int basis = old != NULL ? nnc_names_find(field->names, old) : -1;
        basis = basis > (int)w->change->basis ? basis : (int)w->change->basis;
        begin_member(w, p, any, lines, field->name);
        nnc_put_json_text(w->out, field->names.of((unsigned)basis));
    } else if (nnc_json_type_of(at) == NNC_JSON_BOOL) {
        begin_member(w, p, any, lines, field->name);
        nnc_buffer_text(w->out, nnc_json_bool(at) ? "true" : "false");
    } else if (value != NULL || nnc_json_type_of(at) == NNC_JSON_NUMBER) {
        begin_member(w, p, any, lines, field->name);
        char text[NNC_NUMBER_TEXT];
        nnc_buffer_text(w->out, nnc_number_text(value != NULL ? value->value : nnc_json_number(at), text));
    }
}

/* Tests whether the JSON object itself has a new parameter; new parameters of objects inside it do not count. */
static bool has_new(const rewriting *w, const object_place *p) {
    for (size_t i = 0; i < p->count; i++) {
        if (value_of(w, p->name, p->fields[i].name) != NULL) { return true; }
    }
    return false;
}

static void put_object(const rewriting *w, const object_place *p) {
    const bool lines = has_objects(p);
    bool any = false;
    const nnc_field *comment = NULL;
    nnc_buffer_byte(w->out, '{');
    for (size_t i = 0; i < p->count; i++) {
        if (p->fields[i].type == NNC_FIELD_TEXT) {
            comment = &p->fields[i];
        } else {
            put_member(w, p, &p->fields[i], lines, &any);
        }
    }
    const char *note = nnc_json_text_in(p->at, "note");
    if (note != NULL) {
        begin_member(w, p, &any, true, "note");
        nnc_put_json_text(w->out, note);
    }
    if (comment != NULL && (nnc_json_text_in(p->at, "fitted_on") != NULL || has_new(w, p) ||
                            (comment->required && value_below(w, p->name) != NULL))) {
        begin_member(w, p, &any, true, "fitted_on");
        put_fitted_on(w, p);
    }
    if (lines) {
        nnc_buffer_print(w->out, "\n%*s}", p->indent, "");
    } else {
        nnc_buffer_text(w->out, " }");
    }
}

/* Returns the key of the JSON object that contains the fitted parameters: "serving" in a software profile, "efficiency"
 * in a device file. */
static const char *object_of(const rewriting *w) { return w->change->engine ? "serving" : "efficiency"; }

static void put_parameters(const rewriting *w, nnc_json root, const char *object) {
    const nnc_field_table *table = w->change->engine ? &nnc_software_table : &nnc_device_table;
    for (size_t i = 0; i < table->count; i++) {
        const nnc_field *field = &table->fields[i];
        if (strcmp(field->name, object) == 0) {
            const object_place all = { nnc_json_get(root, object), field->fields, field->field_count, object, 2 };
            put_object(w, &all);
        }
    }
}

/* Writes the device file or profile member by member. Members that the fit changes are written from their new values;
 * all other members are copied from the old text. */
static void put_device(const rewriting *w, const char *text, nnc_json root) {
    const char *id = nnc_json_text_in(root, "id");
    const bool renamed = id == NULL || strcmp(id, w->change->id) != 0;
    const nnc_json parameters = nnc_json_get(root, object_of(w));
    bool known = parameters.node == NULL || nnc_json_inherited(parameters), any = false;
    bool hosts = value_of(w, "host", "kernel_s") != NULL;
    nnc_walk walk = nnc_walk_begin(text);
    nnc_buffer_byte(w->out, '{');
    while (nnc_walk_member(&walk, true)) {
        const size_t begin = walk.at;
        nnc_walk_value(&walk);
        if (known && nnc_walk_key_is(&walk, "sources")) { /* an object that the file does not have yet is written before
                                                           * "sources" */
            nnc_buffer_print(w->out, ",\n  \"%s\": ", object_of(w));
            put_parameters(w, root, object_of(w));
            known = false;
        }
        if (hosts && nnc_walk_key_is(&walk, "sources")) {
            nnc_buffer_text(w->out, ",\n  \"host\": ");
            put_parameters(w, root, "host");
            hosts = false;
        }
        if (renamed && nnc_walk_key_is(&walk, "aliases")) { continue; }
        nnc_buffer_print(w->out, "%s\n  %.*s: ", any ? "," : "", (int)walk.key_length, text + walk.key);
        any = true;
        if (nnc_walk_key_is(&walk, "id")) {
            nnc_put_json_text(w->out, w->change->id);
        } else if (nnc_walk_key_is(&walk, object_of(w))) {
            put_parameters(w, root, object_of(w));
        } else if (hosts && nnc_walk_key_is(&walk, "host")) {
            put_parameters(w, root, "host");
            hosts = false;
        } else {
            nnc_buffer_put(w->out, text + begin, walk.at - begin);
        }
    }
    nnc_buffer_text(w->out, "\n}\n");
}

static nnc_spec_kind kind_of(const nnc_device_change *change) {
    return change->engine ? NNC_SPEC_SOFTWARE : NNC_SPEC_DEVICE;
}

/* Parses the new text with the reader of spec files, so that nncost never writes a file that it cannot read. */
static nnc_status verify(nnc_specs *specs, const char *path, const nnc_device_change *change, const char *text,
                         size_t size, nnc_error *err) {
    nnc_faults faults = { .name = path, .err = err };
    void *spec = nnc_arena_alloc(nnc_specs_arena(specs), nnc_spec_kinds[kind_of(change)].size);
    if (spec == NULL) { return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory"); }
    return nnc_spec_read(specs, kind_of(change), change->id, text, size, &faults, spec);
}

/* Writes the new text of the device file or profile into the arena. */
static nnc_status write_all(const char *path, const nnc_device_change *change, const nnc_json_doc *doc,
                            const char **text, size_t *size, nnc_error *err) {
    nnc_buffer out = { 0 };
    const rewriting w = { .out = &out, .change = change };
    put_device(&w, doc->text, nnc_json_root(doc));
    *size = out.size;
    nnc_buffer_byte(&out, '\0');
    *text = out.failed ? NULL : nnc_arena_strdup(doc->arena, out.bytes);
    nnc_buffer_free(&out);
    return *text != NULL ? NNC_OK : nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
}

nnc_status nnc_device_rewrite(nnc_specs *specs, const char *path, const nnc_device_change *change, const char **text,
                              size_t *size, nnc_error *err) {
    char *old = NULL;
    size_t old_size = 0;
    NNC_TRY(nnc_file_read(path, &old, &old_size, err));
    nnc_faults faults = { .name = path, .err = err };
    nnc_json_doc doc = { .faults = &faults, .arena = nnc_specs_arena(specs), .text = old, .size = old_size };
    nnc_status status = NNC_OK;
    if (nnc_json_parse(&doc) && nnc_spec_complete(&doc, specs, kind_of(change))) {
        status = nnc_json_type_of(nnc_json_root(&doc)) == NNC_JSON_OBJECT
                     ? write_all(path, change, &doc, text, size, err)
                     : nnc_fail(err, NNC_BAD_SPEC, path, "the file has changed, expected a JSON object");
    } else {
        status = faults.status;
    }
    nnc_json_free(&doc);
    free(old);
    NNC_TRY(status);
    return verify(specs, path, change, *text, *size, err);
}

/* Finds a field of a field table by its dotted name. The prefix of the name, such as "efficiency.", may be missing. */
static nnc_status find_place(const nnc_field_table *table, void *object, const char *prefix, const char *name,
                             nnc_parameter_place *place, nnc_error *err) {
    const nnc_field *field = NULL;
    nnc_dtype dtype;
    const bool whole = strncmp(name, prefix, strlen(prefix)) == 0 || strncmp(name, "host.", 5) == 0;
    snprintf(place->name, sizeof place->name, "%s%s", whole ? "" : prefix, name);
    /* the error message names the field with the most similar name */
    NNC_TRY(nnc_field_at(table, place->name, &object, &field, &dtype, err));
    if (field->type != NNC_FIELD_F64) {
        return nnc_fail(err, NNC_BAD_USAGE, place->name,
                        "is not a single number, expected a parameter with one number");
    }
    place->value = (double *)(void *)((char *)object + field->offset);
    return NNC_OK;
}

nnc_status nnc_parameter_find(nnc_device *device, const char *name, nnc_parameter_place *place, nnc_error *err) {
    return find_place(&nnc_device_table, device, "efficiency.", name, place, err);
}

nnc_status nnc_engine_parameter_find(nnc_software *software, const char *name, nnc_parameter_place *place,
                                     nnc_error *err) {
    return find_place(&nnc_software_table, software, "serving.", name, place, err);
}
