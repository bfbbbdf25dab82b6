/* Writes a launch file for a training plan, or the command of a serving engine for a deployment. The writer uses the
 * tables of foreign/launch/ in the reverse direction: from fields of the plan to keys.
 *
 * The member "writer" of a table lists the keys of a file in the order in which they are written. If an entry has the
 * text "value", this text is the value of the key. For an entry without "value", the row of the key is used in the
 * reverse direction: nncost writes the value with which the row sets its fields to their values in the plan. Texts and
 * conditions have the same form as in launch_rows.c, but names after '@', in formulas and in {braces} are fields of the
 * plan and of the model instead of keys.
 *
 * After writing, nncost reads the file with the functions for launch files. If reading the written file gives another
 * plan or model, the error names the first field that differs. If a writer does not list a key that the plan needs, the
 * result is therefore an error, and never another plan.
 *
 * A writer has these members:
 *     "form" is the form of the file: "shell", "yaml", "toml" or "json".
 *     "software" lists the profiles that run files of this format. If a plan names no profile, the first profile of the
 *     list is used.
 *     "plan" has values of fields that the user does not give: the defaults of the program.
 *     "search" has values of fields that the user of a search does not give, so that the search has only plans that the
 *     program can start.
 *     "alone" has values of fields for a search on one device. The values of "alone" take precedence over those of
 *     "search".
 *     "named": true means that the file has the model's name, and that the library transformers runs this model. With
 *     "named", the id of a shipped model is replaced by the model's name on the hub, and the plan is estimated with the
 *     operators of transformers.
 *     "outside" lists fields, and "MODEL", that no key of the file sets: options or other files give them.
 *     "cannot" describes plans that the program does not start: conditions, the "option" to change, and "why".
 *     "head" has the lines before the first key.
 *     "keys" lists the keys. An entry of "keys" has the members "key" and "value", and the conditions "if" and
 *     "unless". "text", in place of "value", is a text in which {@FIELD} and {=FORMULA} are replaced by their values.
 *     "of" names the key whose row gives the value. "part" selects the first or second half of the value that the row
 *     gives, divided at a '/'. "or" is a reason: if the key has no value for the model, no file is written, and the
 *     error gives the reason. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch_internal.h"

/* Fields of a plan that no training program sets. When nncost reads the written launch file to check it, options give
 * the fields of this list. */
static const char *const never_decided[] = {
    "imbalance", "mode",    "activations",   "price", "flops_convention", "devices_per_node", "tokens",
    "samples",   "mtbf_of", "reserve_bytes", NULL
};
/* Fields of a model that are not compared after writing. Some of these fields do not describe the network (names, the
 * format of published weights); the training program sets the rest (lengths, padding). */
static const char *const not_of_network[] = { "id",
                                              "name",
                                              "published_params",
                                              "seq_len",
                                              "vocab_multiple",
                                              "positions_max",
                                              "encoder_seq_len",
                                              "published_weights",
                                              NULL };

typedef struct writing {
    const nnc_launch_plan *asked;
    nnc_reading *r; /* reading state, in which plan and model take the place of the launch file that the functions of
                     * launch_rows.c read */
    nnc_json writer;
    const char *form;
    nnc_buffer *out;
    /* key that was written last, "a.b.c"; from this key follows which objects have to be closed and opened before the
     * next key */
    char last[NNC_LAUNCH_KEY];
    bool any;
} writing;

static bool has_text(nnc_json list, const char *text) {
    for (nnc_json one = nnc_json_first(list); one.node != NULL; one = nnc_json_next(one)) {
        if (strcmp(nnc_json_text(one), text) == 0) { return true; }
    }
    return false;
}

static const char *text_in(nnc_json row, const char *member) {
    const nnc_json found = nnc_json_get(row, member);
    return found.node != NULL ? nnc_json_text(found) : NULL;
}

/* ---- writes the plan as a JSON document, which the functions of launch_rows.c can read ---- */

static void put_member(nnc_buffer *out, const char *prefix, const char *name, const char *text) {
    nnc_buffer_print(out, "%s\"%s%s\": ", out->size > 1 ? ",\n" : "", prefix, name);
    nnc_put_json_text(out, text);
}

static void put_fields(nnc_buffer *out, const char *prefix, const nnc_field_table *table, const void *object) {
    for (size_t i = 0; i < table->count; i++) {
        const nnc_field *field = &table->fields[i];
        char text[NNC_LAUNCH_TEXT];
        if (field->name == NULL || field->type == NNC_FIELD_OBJECT) { continue; }
        nnc_field_text(field, object, text, sizeof text);
        if (prefix[0] != '\0' && field->type == NNC_FIELD_BOOL) { /* tables write switches of a model as "true" and
                                                                   * "false" */
            snprintf(text, sizeof text, "%s", strcmp(text, "on") == 0 ? "true" : "false");
        }
        if (strcmp(text, "-") != 0) { put_member(out, prefix, field->name, text); }
    }
}

static void put_count(nnc_buffer *out, const char *name, int64_t count) {
    char text[NNC_LAUNCH_VALUE];
    snprintf(text, sizeof text, "%lld", (long long)count);
    put_member(out, "", name, text);
}

/* Writes the plan as a JSON document for the functions of launch_rows.c. The members of the document are the fields of
 * the plan, the fields of the model as "model.FIELD", MODEL, SOFTWARE, the number of nodes, and the number of devices
 * in each node. */
static void put_document(nnc_buffer *out, const nnc_launch_plan *asked, const char *model) {
    const nnc_plan *plan = asked->plan;
    const int32_t domain = plan->devices_per_node > 0 ? plan->devices_per_node : plan->devices;
    const int32_t nodes = plan->devices <= domain ? 1 : plan->devices / domain;
    nnc_buffer_byte(out, '{');
    put_fields(out, "", &nnc_plan_table, plan);
    put_fields(out, "model.", nnc_model_table_of(asked->model), asked->model);
    put_member(out, "", "MODEL", model);
    put_member(out, "", "SOFTWARE", asked->software);
    put_count(out, "nodes", nodes);
    put_count(out, "node_devices", plan->devices / nodes);
    nnc_buffer_byte(out, '}');
    nnc_buffer_byte(out, '\0');
}

/* Returns the value of a field of the plan or the model as text; NULL: the field has no value. name: name of the field
 * in a table; a '?', '!' or '-' at the beginning of the name is ignored. */
static const char *field_text(const writing *w, const char *name) {
    const nnc_json root = nnc_json_root(&w->r->files[0].content.doc);
    return text_in(root, name + (*name == '?' || *name == '!' || *name == '-'));
}

/* Tests whether two texts mean the same value; brackets, quotes and blanks, which belong to the notation of a list, are
 * not compared. */
static bool is_same_value(const char *a, const char *b) {
    static const char marks[] = "[]\" ";
    for (;;) {
        a += strspn(a, marks);
        b += strspn(b, marks);
        if (*a != *b) { return false; }
        if (*a == '\0') { return true; }
        a++;
        b++;
    }
}

/* Compares the fields that one entry of the member "values" of a row sets with the plan. Returns the number of fields
 * that were compared; 0 = at least one of these fields has another value in the plan. *given receives the plan's value
 * of the field that takes the value of the key itself ("@"). */
static int matches(writing *w, nnc_json fields, const char **given) {
    int count = 0;
    for (nnc_json one = nnc_json_first(fields); one.node != NULL; one = nnc_json_next(one)) {
        const char *name = nnc_json_key(one), *text = nnc_json_text(one);
        const char *own = field_text(w, name);
        char made[NNC_LAUNCH_TEXT];
        if (name[0] == '-' ? own != NULL : own == NULL) { return 0; }
        if (text[0] == '@') {
            *given = own;
        } else if (text[0] == '=' || name[0] == '!') {
            return 0;
        } else if (name[0] != '-' &&
                   (!nnc_reading_text(w->r, one, text, made, sizeof made) || !is_same_value(made, own))) {
            return 0;
        }
        count++;
    }
    return count;
}

/* Finds the value to write for a key: the value for which the key's row sets its fields to the values of the plan.
 * Returns false if no value of the key gives the fields of the plan, for example because the plan does not use the
 * feature. */
static bool invert(writing *w, const char *key, char *value, size_t size) {
    bool below = false;
    const nnc_json row = nnc_reading_row(w->r, key, &below);
    const char *to = text_in(row, "to"), *as = text_in(row, "as"), *given = NULL;
    int best = 0;
    if (to != NULL) {
        const char *text = field_text(w, to);
        if (text == NULL || (as != NULL && strcmp(as, "switch") != 0)) { return false; }
        snprintf(value, size, "%s", as == NULL ? text : strcmp(text, "on") == 0 ? "1.0" : "0.0");
        return true;
    }
    if (matches(w, nnc_json_get(row, "sets"), &given) > 0 && given != NULL) {
        snprintf(value, size, "%s", given);
        return true;
    }
    const nnc_json values = nnc_json_get(row, "values");
    for (nnc_json one = nnc_json_first(values); one.node != NULL; one = nnc_json_next(one)) {
        const bool wild = strcmp(nnc_json_key(one), "*") == 0;
        const int count = matches(w, one, &given);
        if (count > best && (!wild || given != NULL)) {
            best = count;
            snprintf(value, size, "%s", wild ? given : nnc_json_key(one));
        }
    }
    return best > 0;
}

/* Returns true for a value that YAML, TOML and JSON write without quotes: a number, true, false, null or a list. */
static bool is_bare(const char *value) {
    double number = 0.0;
    return value[0] == '[' || strcmp(value, "true") == 0 || strcmp(value, "false") == 0 || strcmp(value, "null") == 0 ||
           (strchr("+-.0123456789", value[0]) != NULL && nnc_read_double(value, &number));
}

/* Tests whether a string needs no quotes in YAML, because YAML does not read it as a number, true, false or null. */
static bool is_word(const char *value) {
    static const char *const other[] = { "no", "yes", "on", "off", "y", "n", "null", "true", "false", NULL };
    size_t length = 0;
    while (isalnum((unsigned char)value[length]) || (length > 0 && strchr("_-./", value[length]) != NULL)) {
        length += value[length] != '\0';
        if (value[length] == '\0') { break; }
    }
    return length > 0 && value[length] == '\0' && !isdigit((unsigned char)value[0]) && !nnc_is_one_of(value, other);
}

static void indent(nnc_buffer *out, int depth) {
    for (int i = 0; i < depth; i++) { nnc_buffer_text(out, "  "); }
}

/* Returns the length of the common objects at the beginning of two keys, with the last dot: 4 for "a.b.c" and
 * "a.b.d". */
static size_t common(const char *a, const char *b) {
    size_t same = 0;
    for (size_t i = 0; a[i] != '\0' && a[i] == b[i]; i++) { same = a[i] == '.' ? i + 1 : same; }
    return same;
}

static int depth_of(const char *key, size_t size) {
    int depth = 0;
    for (size_t i = 0; i < size; i++) { depth += key[i] == '.' ? 1 : 0; }
    return depth;
}

/* Closes the JSON objects that contain the key written last but not the key `key`. */
static void close_objects(writing *w, const char *key) {
    const size_t same = common(w->last, key);
    for (int depth = depth_of(w->last, strlen(w->last)), end = depth_of(key, same); depth > end; depth--) {
        nnc_buffer_byte(w->out, '\n');
        indent(w->out, depth);
        nnc_buffer_byte(w->out, '}');
    }
}

/* Opens the YAML or JSON objects around a key, except those that are open already. Returns the last part of the key. */
static const char *open_objects(writing *w, const char *key) {
    const bool json = strcmp(w->form, "json") == 0;
    const char *at = key + common(w->last, key);
    for (const char *dot = strchr(at, '.'); dot != NULL; dot = strchr(at, '.')) {
        indent(w->out, depth_of(key, (size_t)(at - key)) + json);
        nnc_buffer_print(w->out, json ? "\"%.*s\": {\n" : "%.*s:\n", (int)(dot - at), at);
        at = dot + 1;
    }
    indent(w->out, depth_of(key, strlen(key)) + json);
    return at;
}

static void put_option(writing *w, const char *key, const char *value) {
    if (strcmp(value, "false") == 0) { return; }
    nnc_buffer_text(w->out, " \\\n    --");
    for (; *key != '\0'; key++) { nnc_buffer_byte(w->out, (char)(*key == '_' ? '-' : *key)); }
    if (strcmp(value, "true") != 0) {
        nnc_buffer_byte(w->out, ' ');
        if (value[0] == '$') {
            nnc_buffer_print(w->out, "\"%s\"", value);
        } else {
            nnc_shell_word(w->out, value);
        }
    }
}

static void put_key(writing *w, const char *key, const char *value) {
    const char *dot = strrchr(key, '.');
    const size_t table = dot != NULL ? (size_t)(dot - key) : 0;
    if (strcmp(w->form, "shell") == 0) {
        put_option(w, key, value);
        return;
    }
    if (strcmp(w->form, "json") == 0) {
        close_objects(w, key);
        nnc_buffer_text(w->out, w->any ? ",\n" : "{\n");
        nnc_buffer_print(w->out, "\"%s\": ", open_objects(w, key));
    } else if (strcmp(w->form, "yaml") == 0) {
        nnc_buffer_print(w->out, "%s: ", open_objects(w, key));
    } else if (common(w->last, key) != table + 1) {
        nnc_buffer_print(w->out, "\n[%.*s]\n", (int)table, key);
    }
    if (strcmp(w->form, "toml") == 0) { nnc_buffer_print(w->out, "%s = ", key + table + (dot != NULL ? 1 : 0)); }
    if (is_bare(value) || (strcmp(w->form, "yaml") == 0 && is_word(value))) {
        nnc_buffer_text(w->out, value);
    } else {
        nnc_put_json_text(w->out, value);
    }
    nnc_buffer_text(w->out, strcmp(w->form, "json") == 0 ? "" : "\n");
    snprintf(w->last, sizeof w->last, "%s", key);
    w->any = true;
}

/* Writes a line of the launch file; a name in {braces} is replaced by the value of the field with this name, and
 * "${..}" is copied. */
static void put_line(writing *w, const char *text) {
    for (; *text != '\0'; text++) {
        char name[NNC_LAUNCH_VALUE];
        const size_t length = strcspn(text, "}");
        if (*text == '{' && text[length] == '}' && length <= sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)length - 1, text + 1);
            const char *value = field_text(w, name);
            nnc_buffer_text(w->out, value != NULL ? value : "");
            text += length;
        } else if (*text == '$' && text[1] == '{') {
            nnc_buffer_print(w->out, "%.*s", (int)length + 1, text);
            text += length;
        } else {
            nnc_buffer_byte(w->out, *text);
        }
    }
}

/* Fails with NNC_ILLEGAL_PLAN if the plan trains nothing, or if a rule in the member "cannot" of the writer says that
 * the training program does not run such a plan. */
static nnc_status check_rules(writing *w, nnc_error *err) {
    if ((w->asked->plan->train & NNC_TRAIN_NONE) != 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--train",
                        "none cannot be written for %s, because a file for %s starts a training", w->asked->format,
                        w->asked->format);
    }
    for (nnc_json rule = nnc_json_first(nnc_json_get(w->writer, "cannot")); rule.node != NULL;
         rule = nnc_json_next(rule)) {
        if (nnc_reading_applies(w->r, rule, "if")) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, text_in(rule, "option"), "cannot be written for %s: %s",
                            w->asked->format, text_in(rule, "why"));
        }
    }
    return w->r->status;
}

/* Replaces each {@FIELD} and {=FORMULA} in the member "text" of an entry by its value. Returns false if a field or
 * formula in the text has no value. */
static bool fill(writing *w, nnc_json entry, const char *text, char *out, size_t size) {
    size_t used = 0;
    while (*text != '\0' && used < size) {
        char place[NNC_LAUNCH_VALUE], found[NNC_LAUNCH_VALUE];
        const size_t plain = strcspn(text, "{"), length = strcspn(text + plain, "}");
        used += (size_t)snprintf(out + used, size - used, "%.*s", (int)plain, text);
        text += plain;
        if (*text == '\0' || used >= size) { break; }
        snprintf(place, sizeof place, "%.*s", (int)length - 1, text + 1);
        if (text[length] != '}' || !nnc_reading_text(w->r, entry, place, found, sizeof found)) { return false; }
        used += (size_t)snprintf(out + used, size - used, "%s", found);
        text += length + 1;
    }
    return used < size;
}

static void put_entry(writing *w, nnc_json entry) {
    const char *key = text_in(entry, "key"), *value = text_in(entry, "value"), *filled = text_in(entry, "text");
    const char *of = text_in(entry, "of"), *part = text_in(entry, "part");
    char text[NNC_LAUNCH_TEXT], *kept = text, *slash = NULL;
    if (!nnc_reading_applies(w->r, entry, "if")) { return; }
    const bool found = filled != NULL  ? fill(w, entry, filled, text, sizeof text)
                       : value != NULL ? nnc_reading_text(w->r, entry, value, text, sizeof text)
                                       : invert(w, of != NULL ? of : key, text, sizeof text);
    const char *needed = text_in(entry, "or");
    if (!found && needed != NULL && w->r->status == NNC_OK) {
        w->r->status =
            nnc_fail(w->r->err, NNC_ILLEGAL_PLAN, "MODEL", "cannot be written for %s: %s", w->asked->format, needed);
    }
    if (!found) { return; }
    slash = part != NULL ? strchr(text, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
        kept = strcmp(part, "first") == 0 ? text : slash + 1;
    }
    put_key(w, key, kept);
}

static void put_file(writing *w) {
    for (nnc_json line = nnc_json_first(nnc_json_get(w->writer, "head")); line.node != NULL;
         line = nnc_json_next(line)) {
        const bool plain = nnc_json_type_of(line) == NNC_JSON_TEXT;
        if (!plain && !nnc_reading_applies(w->r, line, "if")) { continue; }
        const bool last = nnc_json_next(line).node == NULL && strcmp(w->form, "shell") == 0;
        put_line(w, plain ? nnc_json_text(line) : text_in(line, "text"));
        nnc_buffer_text(w->out, last ? "" : "\n");
    }
    for (nnc_json entry = nnc_json_first(nnc_json_get(w->writer, "keys")); entry.node != NULL && w->r->status == NNC_OK;
         entry = nnc_json_next(entry)) {
        put_entry(w, entry);
    }
    if (strcmp(w->form, "json") == 0) {
        close_objects(w, "");
        nnc_buffer_text(w->out, "\n}");
    }
    nnc_buffer_text(w->out, strcmp(w->form, "json") == 0 || strcmp(w->form, "shell") == 0 ? "\n" : "");
}

/* ---- reads the written launch file again, and compares it with the plan ---- */

/* Stores the written text in memory as a file that nncost can read; *path receives the name of this file. */
static nnc_status keep_file(nnc_specs *specs, const char *form, const nnc_buffer *text, const char **path,
                            nnc_error *err) {
    const nnc_piped **all = nnc_specs_piped(specs);
    nnc_arena *arena = nnc_specs_arena(specs);
    nnc_piped *made = nnc_arena_alloc(arena, sizeof *made);
    char name[64];
    int number = 1;
    for (const nnc_piped *one = *all; one != NULL; one = one->next) { number++; }
    snprintf(name, sizeof name, "./written-%d.%s", number, strcmp(form, "shell") == 0 ? "sh" : form);
    if (made == NULL) { return nnc_no_memory(err); }
    *path = nnc_arena_strdup(arena, name);
    *made = (nnc_piped){ .next = *all, .path = *path, .size = text->size - 1 };
    made->text = nnc_arena_strdup(arena, text->bytes);
    if (made->path == NULL || made->text == NULL) { return nnc_no_memory(err); }
    *all = made;
    return NNC_OK;
}

/* Adds to `given` the settings of the plan that no key of the written file states, so that reading the file again gives
 * the whole plan. */
static nnc_status give(const writing *w, nnc_arena *arena, nnc_scenario_args *given, nnc_error *err) {
    const nnc_json outside = nnc_json_get(w->writer, "outside");
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        const nnc_field *field = &nnc_plan_table.fields[i];
        char text[NNC_LAUNCH_VALUE];
        if (!has_text(outside, field->name) && !nnc_is_one_of(field->name, never_decided)) { continue; }
        nnc_field_text(field, w->asked->plan, text, sizeof text);
        const char *value = nnc_arena_strdup(arena, text);
        if (value == NULL) { return nnc_no_memory(err); }
        if (text[0] != '-' && strcmp(text, "0") != 0) {
            given->settings[given->setting_count++] = (nnc_setting){ field, value };
        }
    }
    return NNC_OK;
}

/* Tests whether a field has no effect in this plan, because another field switches its feature off: for example
 * `schedule` without a pipeline. */
static bool is_moot(const nnc_plan *plan, const char *name) {
    return (strcmp(name, "context_kind") == 0 && plan->context == 1) ||
           (strcmp(name, "schedule") == 0 && plan->pipeline == 1) ||
           (strcmp(name, "sequence_parallel") == 0 && plan->tensor == 1) ||
           (strcmp(name, "whole_experts") == 0 && plan->tensor == 1) ||
           (strcmp(name, "reshard") == 0 && plan->zero != 3) ||
           (strcmp(name, "adapters") == 0 && plan->adapter_rank == 0);
}

/* Compares the fields of the plan (or the model) with the fields that were read from the written file.
 * NNC_ILLEGAL_PLAN: a field differs, so the format cannot express this field of the plan; err names the field. */
static nnc_status compare(const writing *w, const nnc_field_table *table, const char *prefix, const void *asked,
                          const void *read, nnc_error *err) {
    for (size_t i = 0; i < table->count; i++) {
        const nnc_field *field = &table->fields[i];
        char a[NNC_LAUNCH_TEXT], b[NNC_LAUNCH_TEXT], option[NNC_OPTION_NAME + 8];
        if (field->name == NULL || field->type == NNC_FIELD_OBJECT ||
            (prefix[0] == '\0' && is_moot(asked, field->name)) ||
            (prefix[0] != '\0' && strcmp(field->name, "next_layers") == 0 && !w->asked->plan->next_tokens) ||
            (prefix[0] != '\0' && nnc_is_one_of(field->name, not_of_network)) ||
            (prefix[0] == '\0' && nnc_is_one_of(field->name, never_decided))) {
            continue;
        }
        nnc_field_text(field, asked, a, sizeof a);
        nnc_field_text(field, read, b, sizeof b);
        if (strcmp(a, b) != 0) {
            if (prefix[0] == '\0') {
                nnc_option_name(field->name, option);
            } else {
                snprintf(option, sizeof option, "%s%.40s", prefix, field->name);
            }
            return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                            "%.80s cannot be written for %s, because the written file would mean %.80s", a,
                            w->asked->format, b);
        }
    }
    return NNC_OK;
}

/* Compares the library that runs the model of the plan with the one that runs the model of the written file. Only some
 * profiles have an estimate that depends on the library. */
static nnc_status compare_library(const writing *w, const nnc_scenario *scenario, nnc_error *err) {
    const nnc_implementation asked = w->asked->model->implementation, read = scenario->model.implementation;
    if (!scenario->software.lists_operators || asked == read) { return NNC_OK; }
    return nnc_fail(err, NNC_ILLEGAL_PLAN, "--implementation",
                    "%s cannot be written for %s, because the written file would mean %s (%.80s)",
                    nnc_implementation_name(asked), w->asked->format, nnc_implementation_name(read),
                    scenario->report.model_asked);
}

static nnc_status check_as(const writing *w, nnc_specs *specs, nnc_scenario_args *given, nnc_scenario *scenario,
                           nnc_error *err) {
    const nnc_launch_asked asked = { .format = w->asked->format };
    const char *path = NULL;
    char *words[4] = { NULL };
    int count = 0;
    nnc_plan plan;
    NNC_TRY(keep_file(specs, w->form, w->out, &path, err));
    nnc_arena *arena = nnc_specs_arena(specs);
    words[count++] = nnc_arena_strdup(arena, path);
    if (has_text(nnc_json_get(w->writer, "outside"), "MODEL")) {
        words[count++] = nnc_arena_strdup(arena, w->asked->model_asked);
    }
    words[count++] = nnc_arena_strdup(arena, w->asked->device);
    for (int i = 0; i < count; i++) { NNC_GOT(words[i], err); }
    NNC_TRY(give(w, arena, given, err));
    const nnc_status taken = nnc_launch_take(specs, &asked, words, &count, given, err);
    given->launch = NULL;
    NNC_TRY(taken);
    if (count != 2) { return nnc_fail(err, NNC_ILLEGAL_PLAN, "MODEL", "cannot be written for %s", asked.format); }
    NNC_TRY(nnc_scenario_load(specs, given, words[0], words[1], scenario, err));
    NNC_TRY(nnc_plan_resolve(&scenario->plan, &scenario->model, w->asked->on, &plan, err));
    if (nnc_model_table_of(&scenario->model) != nnc_model_table_of(w->asked->model)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "MODEL", "cannot be written for %s", asked.format);
    }
    if (!has_text(nnc_json_get(w->writer, "outside"), "MODEL")) { /* if "outside" has MODEL, the file does not describe
                                                                   * the model */
        NNC_TRY(compare(w, nnc_model_table_of(w->asked->model), "model.", w->asked->model, &scenario->model, err));
    }
    NNC_TRY(compare_library(w, scenario, err));
    return compare(w, &nnc_plan_table, "", w->asked->plan, &plan, err);
}

static nnc_status check_again(const writing *w, nnc_specs *specs, nnc_error *err) {
    nnc_scenario_args *given = calloc(1, sizeof *given);
    nnc_scenario *scenario = calloc(1, sizeof *scenario);
    const nnc_status status =
        given != NULL && scenario != NULL ? check_as(w, specs, given, scenario, err) : nnc_no_memory(err);
    free(given);
    free(scenario);
    return status;
}

static nnc_status not_on_page(nnc_error *err) {
    return nnc_fail(err, NNC_BAD_USAGE, "--emit",
                    "works only in the installed program, because the explorer page has no tables of launch formats");
}

/* Opens the table of a launch format. *writer receives its member "writer", which states how to write a file.
 * NNC_BAD_USAGE: nncost cannot write this format. */
static nnc_status open_writer(nnc_specs *specs, const char *format, nnc_document *table, nnc_json *writer,
                              nnc_error *err) {
    static const char expected[] = "expected megatron, torchtitan, deepspeed, accelerate, axolotl, "
                                   "llama-factory, transformers, maxtext or nanotron, found \"%.60s\"";
    const nnc_status status = nnc_launch_table(specs, format, table, err);
    if (status != NNC_OK) {
        return status == NNC_BAD_USAGE ? nnc_fail(err, status, "--emit", expected, format) : status;
    }
    *writer = nnc_json_get(nnc_json_root(&table->doc), "writer");
    return writer->node != NULL ? NNC_OK : nnc_fail(err, NNC_BAD_USAGE, "--emit", expected, format);
}

const char *nnc_launch_suffix(const char *format) {
    static const char *const json[] = { "deepspeed", "transformers", NULL };
    return strcmp(format, "megatron") == 0     ? ".sh"
           : strcmp(format, "torchtitan") == 0 ? ".toml"
           : nnc_is_one_of(format, json)       ? ".json"
                                               : ".yaml";
}

/* Tests whether the options give the value `value` to the field `name`. */
static bool is_given(const nnc_scenario_args *given, const char *name, const char *value) {
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *one = &given->settings[i];
        if (strcmp(one->field->name, name) == 0 && strcmp(one->value, value) == 0) { return true; }
    }
    return false;
}

/* Adds the fields of a JSON object {FIELD: VALUE} of the writer to `given`, except fields that are already given. A
 * plan whose weights have 4 bytes keeps the policy fp32: the default policy of a training program is for weights of 2
 * bytes. */
static nnc_status give_defaults(nnc_specs *specs, nnc_json fields, nnc_scenario_args *given, nnc_error *err) {
    for (nnc_json one = nnc_json_first(fields); one.node != NULL; one = nnc_json_next(one)) {
        const nnc_field *field = nnc_field_of_key(&nnc_plan_table, nnc_json_key(one));
        const char *value = nnc_arena_strdup(nnc_specs_arena(specs), nnc_json_text(one));
        bool known = field == NULL || given->setting_count == NNC_SETTINGS_MAX ||
                     (strcmp(field->name, "policy") == 0 &&
                      (is_given(given, "precision", "fp32") || is_given(given, "precision", "tf32")));
        for (int i = 0; i < given->setting_count; i++) { known = known || given->settings[i].field == field; }
        if (value == NULL) { return nnc_no_memory(err); }
        if (!known) { given->settings[given->setting_count++] = (nnc_setting){ field, value }; }
    }
    return NNC_OK;
}

/* Tests whether a profile that the user names by its id or by an alias is in a list of ids. */
static bool has_profile(nnc_specs *specs, nnc_json list, const char *name) {
    const nnc_software *software = NULL;
    return has_text(list, name) ||
           (nnc_software_load(specs, name, &software, NULL) == NNC_OK && has_text(list, software->id));
}

/* Replaces the id of a shipped model by its usual name on the hub. Keeps every other text. */
static nnc_status take_usual_name(nnc_specs *specs, char **model, nnc_error *err) {
    const char *name = NULL;
    NNC_TRY(nnc_hub_usual(specs, *model, &name, err));
    if (name != *model) { *model = nnc_arena_strdup(nnc_specs_arena(specs), name); }
    return *model != NULL ? NNC_OK : nnc_no_memory(err);
}

nnc_status nnc_launch_defaults(nnc_specs *specs, const char *format, bool searches, char **model,
                               nnc_scenario_args *given, nnc_error *err) {
    if (!NNC_READS_LAUNCH_FILES) { return not_on_page(err); }
    nnc_document table = { .is_parsed = false };
    nnc_json writer = { 0 };
    nnc_status status = open_writer(specs, format, &table, &writer, err);
    const nnc_json list = nnc_json_get(writer, "software");
    if (status == NNC_OK && list.node != NULL && given->software == NULL) {
        given->software = nnc_arena_strdup(nnc_specs_arena(specs), nnc_json_text(nnc_json_first(list)));
        status = given->software != NULL ? NNC_OK : nnc_no_memory(err);
    } else if (status == NNC_OK && list.node != NULL && !has_profile(specs, list, given->software)) {
        status = nnc_fail(err, NNC_BAD_USAGE, "--emit",
                          "--software is %.60s, found the format \"%.60s\", whose framework has the profile %s",
                          given->software, format, nnc_json_text(nnc_json_first(list)));
    }
    status = status == NNC_OK ? give_defaults(specs, nnc_json_get(writer, "plan"), given, err) : status;
    if (status == NNC_OK && searches && is_given(given, "devices", "1")) {
        status = give_defaults(specs, nnc_json_get(writer, "alone"), given, err);
    }
    if (status == NNC_OK && searches) { status = give_defaults(specs, nnc_json_get(writer, "search"), given, err); }
    if (status == NNC_OK && nnc_json_get(writer, "named").node != NULL) { status = take_usual_name(specs, model, err); }
    nnc_document_free(&table);
    return status;
}

nnc_status nnc_launch_write(nnc_specs *specs, const nnc_launch_plan *asked, nnc_buffer *out, nnc_error *err) {
    if (!NNC_READS_LAUNCH_FILES) { return not_on_page(err); }
    nnc_reading *r = calloc(1, sizeof *r);
    nnc_launch_said said = { .file_count = 0 };
    const nnc_launch_asked how = { .format = asked->format };
    const nnc_scenario_args none = { .setting_count = 0 };
    nnc_buffer document = { 0 }, file = { 0 };
    const char *model = NULL;
    if (r == NULL) { return nnc_no_memory(err); }
    r->specs = specs, r->asked = &how, r->given = &none, r->err = err, r->said = &said;
    r->arena = nnc_specs_arena(specs);
    r->file_count = 1;
    nnc_launch_file *plan = &r->files[0];
    *plan = (nnc_launch_file){ .path = "the plan", .format = asked->format };
    writing w = { .asked = asked, .r = r, .out = &file };
    nnc_status status = open_writer(specs, asked->format, &plan->table, &w.writer, err);
    const char *also = status == NNC_OK ? text_in(nnc_json_root(&plan->table.doc), "also") : NULL;
    status = also != NULL ? nnc_launch_table(specs, also, &plan->also, err) : status;
    status = status == NNC_OK ? nnc_hub_usual(specs, asked->model_asked, &model, err) : status;
    if (status == NNC_OK) {
        w.form = text_in(w.writer, "form");
        put_document(&document, asked, model);
        plan->content = (nnc_document){ .faults = { .name = plan->path, .err = err } };
        status = document.failed ? nnc_no_memory(err)
                                 : nnc_document_parse(specs, &plan->content, document.bytes, document.size - 1);
    }
    status = status == NNC_OK ? check_rules(&w, err) : status;
    if (status == NNC_OK) {
        put_file(&w);
        nnc_buffer_byte(&file, '\0');
        status = file.failed ? nnc_no_memory(err) : r->status;
    }
    status = status == NNC_OK ? check_again(&w, specs, err) : status;
    if (status == NNC_OK) { nnc_buffer_text(out, file.bytes); }
    nnc_document_free(&plan->content);
    nnc_document_free(&plan->table);
    nnc_document_free(&plan->also);
    nnc_buffer_free(&document);
    nnc_buffer_free(&file);
    free(r);
    return status;
}

/* ---- writes the command that starts a serving engine ---- */

/* The command of a serving engine is written from the rows of its table. If a row gives the value of its key to one
 * field of the deployment, the key is written with the value of this field. The member "write" of the table lists the
 * options that are not written from rows. The value of an option in "write" is the product of some fields; if the
 * option is a switch, it is on if this product is above 1. An entry with "given" is written only if its first field is
 * given. The member "command" is the program. nncost then reads the written command; if a field of the deployment
 * differs, the error names the field. */

/* Fields of a deployment that the options of the engine set. Fields of a deployment that are not in this list describe
 * load, prices and images. */
static const char *const decided[] = {
    "tensor",  "pipeline",     "data",         "expert",     "attention_data", "precision",
    "weights", "kv_precision", "memory_use",   "block",      "chunk",          "max_batch",
    "draft",   "draft_length", "disaggregate", "group_size", "overlap_expert",
};

static void text_of(const nnc_serve_ask *ask, const char *name, char text[NNC_LAUNCH_VALUE]) {
    nnc_field_text(nnc_field_of_key(&nnc_serve_table, name), ask, text, NNC_LAUNCH_VALUE);
}

/* Writes the value of a field of the deployment to `text`. Returns true if the command needs an option for this field,
 * because its value is not the default. */
static bool is_asked(const nnc_serve_ask *ask, const char *name, char text[NNC_LAUNCH_VALUE]) {
    const nnc_serve_ask usual = nnc_serve_ask_default();
    char other[NNC_LAUNCH_VALUE];
    if (nnc_field_of_key(&nnc_serve_table, name) == NULL) {
        return false; /* `name` is no field of the deployment but of the model, which is an operand of the command */
    }
    text_of(ask, name, text);
    text_of(&usual, name, other);
    return strcmp(text, other) != 0;
}

static void put_engine_option(nnc_buffer *out, const char *key) {
    nnc_buffer_text(out, " --");
    for (; *key != '\0'; key++) { nnc_buffer_byte(out, (char)(*key == '_' ? '-' : *key)); }
}

/* If the deployment needs the option of one row of the engine's table, writes this option. Returns the name of the
 * field that the option sets; NULL = no option was written. */
static const char *put_row(nnc_buffer *out, const nnc_serve_ask *ask, nnc_json row) {
    const char *key = nnc_json_text(nnc_json_get(row, "key"));
    const nnc_json to = nnc_json_get(row, "to"), values = nnc_json_get(row, "values");
    char text[NNC_LAUNCH_VALUE];
    if (to.node != NULL && is_asked(ask, nnc_json_text(to), text)) {
        put_engine_option(out, key);
        nnc_buffer_print(out, " %s", text);
        return nnc_json_text(to);
    }
    for (nnc_json one = nnc_json_first(values); one.node != NULL; one = nnc_json_next(one)) {
        const nnc_json set = nnc_json_first(one);
        if (set.node == NULL || nnc_json_count(one) != 1 || !is_asked(ask, nnc_json_key(set), text)) { continue; }
        const char *value = nnc_json_text(set);
        if (strcmp(value, text) == 0 || value[0] == '@') {
            put_engine_option(out, key);
            nnc_buffer_print(out, " %s", value[0] == '@' ? text : nnc_json_key(one));
            return nnc_json_key(set);
        }
    }
    return NULL;
}

/* Writes the options of all rows of the engine's table. If several rows set one field, only the first of these rows is
 * written; a field that an entry of "write" lists is left out. */
static void put_rows(nnc_buffer *out, const nnc_serve_ask *ask, nnc_json rows, nnc_json write) {
    enum { WRITTEN_MAX = 32 };
    const char *written[WRITTEN_MAX];
    int count = 0;
    for (nnc_json row = nnc_json_first(rows); row.node != NULL && count < WRITTEN_MAX; row = nnc_json_next(row)) {
        const size_t before = out->size;
        const char *field = put_row(out, ask, row);
        bool known = field == NULL;
        for (int i = 0; i < count && !known; i++) { known = strcmp(written[i], field) == 0; }
        for (nnc_json one = nnc_json_first(write); one.node != NULL && !known; one = nnc_json_next(one)) {
            for (nnc_json of = nnc_json_first(nnc_json_get(one, "of")); of.node != NULL; of = nnc_json_next(of)) {
                known = known || strcmp(nnc_json_text(of), field) == 0;
            }
        }
        if (known) {
            out->size = before;
        } else {
            written[count++] = field;
        }
    }
}

static void put_products(nnc_buffer *out, const nnc_serve_ask *ask, nnc_json write) {
    for (nnc_json one = nnc_json_first(write); one.node != NULL; one = nnc_json_next(one)) {
        const nnc_json fields = nnc_json_get(one, "of");
        char text[NNC_LAUNCH_VALUE];
        double product = 1.0;
        const bool needs = nnc_json_get(one, "given").node != NULL;
        if (needs && !is_asked(ask, nnc_json_text(nnc_json_first(fields)), text)) { continue; }
        for (nnc_json of = nnc_json_first(fields); of.node != NULL; of = nnc_json_next(of)) {
            double factor = 1.0;
            text_of(ask, nnc_json_text(of), text);
            product *= nnc_read_double(text, &factor) && factor > 1.0 ? factor : 1.0;
        }
        if (product > 1.0 || needs) {
            put_engine_option(out, nnc_json_text(nnc_json_get(one, "key")));
            if (nnc_json_get(one, "switch").node == NULL) { nnc_buffer_print(out, " %.0f", product); }
        }
    }
}

/* Reads the written command, as `nncost serve -- COMMAND` does, and checks that it gives the deployment from which the
 * command was written. */
static nnc_status check(nnc_specs *specs, const char *format, const char *command, const nnc_serve_ask *ask,
                        nnc_error *err) {
    enum { WORDS_MAX = 96 };
    const nnc_launch_asked asked = { .format = format, .serves = true };
    nnc_scenario_args *given = calloc(1, sizeof *given);
    char *words[WORDS_MAX] = { NULL };
    char *text = nnc_arena_strdup(nnc_specs_arena(specs), command);
    int count = 0;
    if (text == NULL || given == NULL) {
        free(given);
        return nnc_no_memory(err);
    }
    while (*text != '\0' && count < WORDS_MAX - 2) {
        words[count++] = text;
        text += strcspn(text, " ");
        if (*text != '\0') { *text++ = '\0'; }
    }
    nnc_status status = nnc_launch_take(specs, &asked, words, &count, given, err);
    nnc_serve_ask read = nnc_serve_ask_default();
    for (int i = 0; status == NNC_OK && i < given->setting_count; i++) {
        status = nnc_field_set(&nnc_serve_table, &read, given->settings[i].field->name, given->settings[i].value, err);
    }
    free(given);
    read.data = read.data == 0 ? 1 : read.data;
    for (size_t i = 0; status == NNC_OK && i < NNC_COUNT_OF(decided); i++) {
        char a[NNC_LAUNCH_VALUE], b[NNC_LAUNCH_VALUE], option[NNC_OPTION_NAME];
        text_of(ask, decided[i], a);
        text_of(&read, decided[i], b);
        if (strcmp(a, b) != 0) {
            return nnc_fail(err, NNC_ILLEGAL_PLAN, nnc_option_name(decided[i], option),
                            "%s cannot be written for %s, because the written command would mean %s", a, format, b);
        }
    }
    return status;
}

nnc_status nnc_launch_emit(nnc_specs *specs, const char *format, const char *model, const nnc_serve_ask *plan,
                           nnc_buffer *out, nnc_error *err) {
    if (!NNC_READS_LAUNCH_FILES) { return not_on_page(err); }
    nnc_document table = { .is_parsed = false };
    nnc_serve_ask ask = *plan;
    nnc_buffer command = { 0 };
    const int32_t others = ask.tensor * ask.pipeline * ask.attention_data;
    nnc_status status = nnc_launch_table(specs, format, &table, err);
    if (status != NNC_OK) {
        nnc_document_free(&table);
        return status == NNC_BAD_USAGE
                   ? nnc_fail(err, status, "--emit", "expected vllm, sglang or tensorrt-llm, found \"%.60s\"", format)
                   : status;
    }
    const nnc_json root = nnc_json_root(&table.doc), write = nnc_json_get(root, "write");
    const nnc_json begin = nnc_json_get(root, "command");
    status = nnc_hub_usual(specs, model, &model, err);
    if (status != NNC_OK) {
        nnc_document_free(&table);
        return status;
    }
    if (begin.node == NULL) {
        status =
            nnc_fail(err, NNC_BAD_USAGE, "--emit", "expected vllm, sglang or tensorrt-llm, found \"%.60s\"", format);
    } else if (strpbrk(model, " \t'\"\\$") != NULL) {
        status = nnc_fail(err, NNC_BAD_USAGE, "MODEL", "expected a name without blanks and quotes");
    } else {
        const bool many = others > 0 && ask.devices > others;
        const int32_t replicas = many ? ask.devices / others : 1;
        ask.data = ask.data == 0 ? replicas : ask.data;
        nnc_buffer_print(&command, "%s %s", nnc_json_text(begin), model);
        put_products(&command, &ask, write);
        put_rows(&command, &ask, nnc_json_get(root, "keys"), write);
        nnc_buffer_byte(&command, '\0');
        status = command.failed ? nnc_no_memory(err) : check(specs, format, command.bytes, &ask, err);
    }
    if (status == NNC_OK) { nnc_buffer_print(out, "%s\n", command.bytes); }
    nnc_buffer_free(&command);
    nnc_document_free(&table);
    return status;
}
