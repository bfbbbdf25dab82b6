/* Reads the keys of launch files by the tables in foreign/launch/.
 *
 * A table has one row for each key. A row has one of these members:
 *     "to"         The field that takes the value.
 *     "values"     For each possible value, the fields to set. Other values are refused, unless there is a value "*".
 *                  The value "*x*" stands for each text that contains x.
 *     "sets"       The fields to set for any value.
 *     "file"       The value is the path of another launch file, in this format, or an object with keys. "known": fields to set if the path
 *                  names a file that is shipped with the framework; they are used if the file is missing. "yields":
 *                  the settings of this file take precedence over those of the other.
 *     "harmless"   The reason why the key does not affect the cost.
 *     "note"       The reason why the key makes the estimate inexact. Every output shows it, unless the value is off.
 *                  A value that sets fields and is inexact has the reason among its fields, as "#".
 * Other members of a row:
 *     "as"         How "to" takes the value. "switch": on if the number is above 0. "vocab": the vocabulary of the
 *                  model that the value names. "pattern": a pattern of layers; "letters" has the kinds of layers,
 *                  "count" the field for the number of layers, "second" another such row for the same pattern,
 *                  "first" the field for the number of dense layers if all of them are the first layers.
 *                  "parameters": regular expressions of the parameters that are trained; see take_parameters.
 *     "auto"       The value may be "auto". Another file or an option must then set one of these fields.
 *     "instead"    The option to pass when the value cannot be used.
 *     "decides"    A field. If it is given on the command line, the value is not needed.
 *     "when"       Conditions that must hold. "unless": conditions that must not hold. If they are not met, the fields
 *                  of "otherwise" are set, or the key has no effect, for the reason "else". Without "otherwise" and
 *                  "else" the key is refused.
 *     "with"       Another key. Its value, a '/' and the value of this key are looked up in "values".
 *     "each"       Each item of a list, or of a text with commas, is a value. Without "each", the value of a list is
 *                  its items in alphabetic order, "a,b".
 *     "same"       Another key. If both keys have the same value, this key has no effect.
 *     "of_model"   The key is not refused when MODEL is given.
 * The row of a key that ends in ".*" is for all keys inside that key. The row of a key that ends in '*' is for all keys
 * with this beginning. ".program" is the program of a script.
 *
 * A field is one of the plan or of a run, or, if the table "serves", one of a deployment. "MODEL" is the name of the
 * model, "SOFTWARE" the software profile. "model.FIELD" is a field of a model that the file describes; the described
 * model becomes a model file, and the table's "model" has the fields that no key sets. Fields to set are texts:
 * { "zero": "3" }. The first letter of the name of a field may be
 *     '?'  a default: it is used when nothing else sets the field;
 *     '!'  a question: something else must set the field;
 *     '-'  the field keeps the default of nncost, so that no rule sets it;
 *     '+'  in a rule: it replaces the value that a file sets.
 * A text that begins with '=' is arithmetic with keys of the same file: + - * / % and brackets; the result is a whole
 * number, unless the text begins with "=~". A key in it that ends in '?' counts as 1 when it is absent. "model.FIELD"
 * is a field of the model that was already set, "plan.FIELD" a field of the plan. A text "@key" is the value of a key.
 * A value "${key}" in a file is the value of that key.
 *
 * A condition is a name and its allowed values: { "zero": ["0", "1"] }. The name is one of these:
 *     a field         "model.towers" is the number of networks that encode images or sounds for the model
 *     '@' and a key   the value of the key in the file; with "@@", in the lowest of several layers
 *     '=' and a text  the value of a formula
 *     "SERVES"        whether the command computes a deployment
 * "*x*" allows texts that contain x. A '!' before the name reverses the condition. A key that is neither in the file
 * nor in "absent" has the value "absent".
 *
 * Members of a table:
 *     "also"       Another table. Its rows are used for keys without a row in this table.
 *     "absent"     Values that the program gives to keys that are not in the file, as if they were in the file.
 *     "arguments"  The keys are options of a command line: "--a-b" is a_b.
 *     "inside"     The object that has the keys.
 *     "layers"     The key that names the file beneath a file. Of two files of this format, the second is on top: its
 *                  values replace those of the first, which the key need not name.
 *     "base"       The name of the file with the defaults of the program. This file may be missing, because its values
 *                  stand in "absent".
 *     "serves"     The program serves the model. "any": it may serve or train.
 *     "command", "write", "writer": see launch_write.c.
 *
 * Order: the files in the order given; files that these name; questions; "rules", which are defaults of the program
 * with a condition; questions of rules. If two files disagree, this is an error unless an option sets the field. */
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "launch/launch_internal.h"

/* ---- stores what is found in a launch file: errors, ignored keys, fields that it sets ---- */

bool nnc_reading_goes_on(const nnc_reading *r) { return r->status == NNC_OK; }

void nnc_reading_fail(nnc_reading *r, nnc_json at) {
    r->status = at.doc->faults->status != NNC_OK ? at.doc->faults->status : NNC_BAD_SPEC;
}

void nnc_reading_ignore(nnc_reading *r, nnc_json at, const char *path, const char *why, bool skipped) {
    nnc_launch_said *said = r->said;
    nnc_ignored_key *grown =
        nnc_arena_grow(r->arena, said->ignored, said->ignored_count, &said->ignored_capacity, sizeof *said->ignored);
    const char *key = nnc_arena_strdup(r->arena, path);
    const char *reason = nnc_arena_strdup(r->arena, why);
    if (grown == NULL || key == NULL || reason == NULL) {
        r->status = nnc_no_memory(r->err);
        return;
    }
    said->ignored = grown;
    said->ignored[said->ignored_count++] = (nnc_ignored_key){
        .file = at.doc->faults->name, .key = key, .line = nnc_json_line(at), .why = reason, .skipped = skipped
    };
}

static const nnc_field *field_of(const nnc_reading *r, const char *name);

/* Returns true if the command line gives at least one of the options that a text names, such as "--recompute X or
 * --offload X". */
static bool gives_option(const nnc_reading *r, const char *text) {
    while ((text = strstr(text, "--")) != NULL) {
        char name[NNC_OPTION_NAME];
        text += 2;
        const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        for (char *c = name; *c != '\0'; c++) { *c = (char)(*c == '-' ? '_' : *c); }
        const nnc_field *field = length > 0 ? field_of(r, name) : NULL;
        /* The option --method changes the meaning of the batch, so it alone cannot take the place of a key of a launch
         * file. */
        if (field != NULL && strcmp(field->name, "method") != 0 && nnc_reading_is_given(r, field)) { return true; }
    }
    return false;
}

/* Reports an error for a key of a launch file that cannot be used. If --lenient is given, or if an option or MODEL on
 * the command line takes the place of the key, the key is added to the list of ignored keys instead. at: the value of
 * the key. what: the message. row: the row of the format's table for this key; its member "instead" is the advice after
 * the message. remedy: the advice for a row without "instead"; NULL = `what` already contains the advice. */
static void refuse_with(nnc_reading *r, nnc_json at, const char *path, const char *what, nnc_json row,
                        const char *remedy) {
    const nnc_json instead = nnc_json_get(row, "instead");
    if (instead.node != NULL && gives_option(r, nnc_json_text(instead))) {
        nnc_reading_ignore(r, at, path, "an option counts for it", true);
        return;
    }
    if (r->model_given != NULL && (nnc_json_get(row, "of_model").node != NULL ||
                                   (instead.node != NULL && strncmp(nnc_json_text(instead), "give MODEL", 10) == 0))) {
        nnc_reading_ignore(r, at, path, "MODEL is given", false);
        return;
    }
    if (r->asked->lenient) {
        nnc_reading_ignore(r, at, path, what, true);
        return;
    }
    const char *key = nnc_json_key(at);
    const bool is_absent =
        nnc_json_type_of(at) == NNC_JSON_OBJECT && (key == NULL || key[0] == '\0' || !nnc_ends_in(path, key));
    const char *means = instead.node != NULL ? nnc_json_text(instead) : remedy;
    nnc_json_fault(at, is_absent ? path : NULL, "%s%s%s%s", what, means != NULL ? "; " : "", means != NULL ? means : "",
                   means != NULL ? ", and --lenient skips the key" : "");
    nnc_reading_fail(r, at);
}

static const char as_option[] = "give what it means as an option of nncost";

static void refuse(nnc_reading *r, nnc_json at, const char *path, const char *what, nnc_json row) {
    refuse_with(r, at, path, what, row, as_option);
}

bool nnc_reading_is_given(const nnc_reading *r, const nnc_field *field) {
    for (int i = 0; i < r->given->setting_count; i++) {
        if (r->given->settings[i].field == field) { return true; }
    }
    return false;
}

static nnc_set_field *find_set(nnc_reading *r, const nnc_field *field) {
    for (int i = 0; i < r->set_count; i++) {
        if (r->sets[i].field == field) { return &r->sets[i]; }
    }
    return NULL;
}

nnc_model_field *nnc_reading_model(nnc_reading *r, const char *name) {
    for (int i = 0; i < r->model_count; i++) {
        if (strcmp(r->model[i].name, name) == 0) { return &r->model[i]; }
    }
    return NULL;
}

/* Returns the field that a table of a launch format calls `name`. If the file starts a serving engine, the field
 * belongs to the deployment; otherwise to the plan, to the run, or to the switches of a software profile. NULL = no
 * such field. */
static const nnc_field *field_of(const nnc_reading *r, const char *name) {
    const nnc_field *field = nnc_field_of_key(r->serves ? &nnc_serve_table : &nnc_plan_table, name);
    field = field != NULL || r->serves ? field : nnc_field_of_key(&nnc_run_table, name);
    return field != NULL || r->serves ? field : nnc_field_of_key(&nnc_switch_table, name);
}

/* Returns the name of a field of the model without "model.": "model.hidden" -> "hidden". Also returns "MODEL" and
 * "SOFTWARE" themselves, because they are stored in the same list as fields of the model. NULL for any other name. */
static const char *model_name(const char *name) {
    const bool whole = strcmp(name, "MODEL") == 0 || strcmp(name, "SOFTWARE") == 0;
    return strncmp(name, "model.", 6) == 0 ? name + 6 : whole ? name : NULL;
}

/* Returns true if an option or a launch file has already set a field of the plan or of the model. If the command line
 * gives a model, all fields of the model count as set. */
static bool is_known(nnc_reading *r, const char *name) {
    const nnc_field *field = field_of(r, name);
    const char *of_model = model_name(name);
    return of_model != NULL
               ? (r->model_given != NULL && strcmp(name, "SOFTWARE") != 0) || nnc_reading_model(r, of_model) != NULL
               : field != NULL && (nnc_reading_is_given(r, field) || find_set(r, field) != NULL);
}

static void disagree(nnc_reading *r, nnc_json at, const nnc_set_field *first, const char *value) {
    char option[NNC_OPTION_NAME];
    const char *path = r->files[first->file].path;
    const long line = first->at.node != NULL ? nnc_json_line(first->at) : 1;
    nnc_json_fault(at, NULL, "disagrees with %s:%ld: %s is %s there and %s here; %s decides", path, line,
                   first->field->name, first->value, value, nnc_option_name(first->field->name, option));
    nnc_reading_fail(r, at);
}

/* Tests whether a question is still without an answer whose first possible answer is the field `name`. */
static bool is_open(const nnc_reading *r, const char *name) {
    for (int i = 0; i < r->question_count; i++) {
        const nnc_launch_question *q = &r->questions[i];
        if (q->is_open && strcmp(q->only != NULL ? q->only : nnc_json_text(nnc_json_first(q->fields)), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Sets a field of the model, or its name, to the value of a launch file. If another file has set a different value,
 * notes a fault; a default never replaces a value. The text of the value is checked later, when the model is read. */
static void set_model(nnc_reading *r, nnc_json at, const char *name, const char *value, bool is_default) {
    nnc_model_field *field = nnc_reading_model(r, name);
    if (field != NULL && (field->is_set || is_default || strcmp(field->value, value) == 0)) {
        field->is_default = field->is_default && is_default;
        return;
    }
    if (field != NULL && !field->is_default) {
        nnc_json_fault(at, NULL, "disagrees with %s:%ld: %s is %s there and %s here", r->files[field->file].path,
                       nnc_json_line(field->at), name, field->value, value);
        nnc_reading_fail(r, at);
        return;
    }
    if (field == NULL && r->model_count == NNC_LAUNCH_FIELDS_MAX) {
        r->status = nnc_fail(r->err, NNC_BAD_SPEC, r->files[r->file].path, "too many settings");
        return;
    }
    field = field != NULL ? field : &r->model[r->model_count++];
    *field = (nnc_model_field){ .name = nnc_arena_strdup(r->arena, name),
                                .value = nnc_arena_strdup(r->arena, value),
                                .file = r->file,
                                .at = at,
                                .is_default = is_default };
    if (field->name == NULL || field->value == NULL) {
        r->model_count = 0;
        r->status = nnc_no_memory(r->err);
    }
}

/* Converts the value of a field to the form that nncost writes, so that two spellings of a value become equal. Fails if
 * the field cannot have this value; err has the reason. */
static nnc_status usual_text(const nnc_field *field, const char *value, char text[NNC_LAUNCH_VALUE], nnc_error *err) {
    if (nnc_field_is_of(&nnc_serve_table, field)) {
        nnc_serve_ask serve = nnc_serve_ask_default();
        NNC_TRY(nnc_field_set(&nnc_serve_table, &serve, field->name, value, err));
        nnc_field_text(field, &serve, text, NNC_LAUNCH_VALUE);
    } else if (nnc_field_is_of(&nnc_run_table, field)) {
        nnc_run_ask run = nnc_run_ask_default();
        NNC_TRY(nnc_field_set(&nnc_run_table, &run, field->name, value, err));
        nnc_field_text(field, &run, text, NNC_LAUNCH_VALUE);
    } else if (nnc_field_is_of(&nnc_switch_table, field)) {
        nnc_software software = nnc_software_default();
        NNC_TRY(nnc_software_set(&software, field->name, value, err));
        nnc_field_text(field, &software, text, NNC_LAUNCH_VALUE);
    } else {
        nnc_plan plan = nnc_plan_default();
        NNC_TRY(nnc_plan_set(&plan, field->name, value, err));
        nnc_field_text(field, &plan, text, NNC_LAUNCH_VALUE);
    }
    return NNC_OK;
}

/* Joins two lists of flags that two keys give for one field, such as "optimizer" and "weights", into `list`. An empty
 * list means all flags for the fields `train` and `adapters`, and no flag for all other fields. */
static void join_flags(const nnc_field *field, char list[NNC_LAUNCH_VALUE], const char *more) {
    const bool none_is_all = field->type == NNC_FIELD_TRAIN || field->type == NNC_FIELD_ADAPTERS;
    char both[2 * NNC_LAUNCH_VALUE];
    unsigned flags = 0, others = 0;
    nnc_flags_read(nnc_flags_of(field->type), list, &flags);
    nnc_flags_read(nnc_flags_of(field->type), more, &others);
    if (flags != 0 && others != 0) {
        snprintf(both, sizeof both, "%s,%s", list, more);
        usual_text(field, both, list, NULL);
    } else if ((flags == 0) != none_is_all) {
        snprintf(list, NNC_LAUNCH_VALUE, "%s", more);
    }
}

/* Sets a field to a value of a launch file; the value is checked in the same way as the value of an option. If the
 * field has a value already, lists of flags are joined, and a default is ignored. Any other different value is a fault,
 * unless an option gives the field. */
static void set_text(nnc_reading *r, nnc_json at, const char *name, const char *value, bool is_default) {
    const nnc_field *field = field_of(r, name);
    char text[NNC_LAUNCH_VALUE];
    nnc_error bad;
    if (model_name(name) != NULL) {
        set_model(r, at, model_name(name), value, is_default);
        return;
    }
    if (field == NULL) {
        r->status = nnc_fail(r->err, NNC_BAD_SPEC, r->files[r->file].format,
                             "the table names no field of the plan, found \"%s\"", name);
        return;
    }
    if (usual_text(field, value, text, &bad) != NNC_OK) {
        nnc_json_fault(at, NULL, "%s", bad.what);
        nnc_reading_fail(r, at);
        return;
    }
    nnc_set_field *set = find_set(r, field);
    if (is_default && (nnc_reading_is_given(r, field) || is_open(r, name))) { return; }
    if (set != NULL && (is_default || strcmp(set->value, text) == 0)) {
        if (set->is_default && !is_default) {
            set->is_default = false;
            set->at = at;
        }
        return; /* the field keeps its value: the new value is equal, or is only a default */
    }
    if (set != NULL && !set->is_default && r->files[r->file].yields_to == set->file + 1) { return; }
    if (set != NULL && !set->is_default && nnc_flags_of(field->type) == NULL) {
        if (!nnc_reading_is_given(r, field)) { disagree(r, at, set, text); }
        return;
    }
    if (set != NULL && !set->is_default) {
        join_flags(field, set->value, text);
        return;
    }
    if (set == NULL && r->set_count == NNC_LAUNCH_FIELDS_MAX) {
        r->status = nnc_fail(r->err, NNC_BAD_SPEC, r->files[r->file].path, "too many settings");
        return;
    }
    set = set != NULL ? set : &r->sets[r->set_count++];
    *set = (nnc_set_field){ .field = field, .file = r->file, .at = at, .is_default = is_default };
    snprintf(set->value, sizeof set->value, "%s", text);
}

/* Marks a field that no file has set: it keeps the default of nncost, and no rule of a table may set it. */
static void keep(nnc_reading *r, nnc_json at, const char *name) {
    const nnc_field *field = field_of(r, name);
    if (field != NULL && find_set(r, field) == NULL && r->set_count < NNC_LAUNCH_FIELDS_MAX) {
        r->sets[r->set_count++] =
            (nnc_set_field){ .field = field, .file = r->file, .at = at, .is_kept = true, .value = "default" };
    }
}

static void ask(nnc_reading *r, nnc_json at, const char *path, nnc_json fields, const char *only) {
    const char *kept = nnc_arena_strdup(r->arena, path);
    if (kept == NULL) {
        r->status = nnc_no_memory(r->err);
    } else if (r->question_count == NNC_LAUNCH_FIELDS_MAX) {
        r->status = nnc_fail(r->err, NNC_BAD_SPEC, r->files[r->file].path, "too many open keys");
    } else {
        r->questions[r->question_count++] =
            (nnc_launch_question){ .at = at, .fields = fields, .only = only, .path = kept, .file = r->file };
    }
}

/* ---- finds the keys of a launch file and their values ---- */

/* Returns the member `part` of the table of the file that is being read. */
static nnc_json table_part(const nnc_reading *r, const char *part) {
    return nnc_json_get(nnc_json_root(&r->files[r->file].table.doc), part);
}

static const nnc_table_index *table_of(const nnc_reading *r) { return r->files[r->file].table.index; }

/* Converts an option to the name of a key in the table: "--num-layers" -> "num_layers". If the format's keys are not
 * options of a command line, copies the key. */
static void key_name(const nnc_reading *r, const char *key, char *name, size_t size) {
    if (table_of(r)->arguments.node == NULL) {
        snprintf(name, size, "%s", key);
        return;
    }
    snprintf(name, size, "%s", key + strspn(key, "-"));
    for (char *c = name; *c != '\0'; c++) { *c = (char)(*c == '-' ? '_' : *c); }
}

/* Tests whether an option of a command line is the one that a table calls `key`: "--num-layers" is "num_layers". */
static bool is_option(const char *option, const char *key) {
    while (*option == '-') { option++; }
    while (*key != '\0' && (*option == *key || (*option == '-' && *key == '_'))) {
        option++;
        key++;
    }
    return *option == *key;
}

/* Returns the JSON object of a launch file whose members are its keys: the object that the member "inside" of the table
 * names, or the root of the file. */
static nnc_json keys_in(const nnc_reading *r, const nnc_launch_file *file) {
    const nnc_json root = nnc_json_root(&file->content.doc);
    const nnc_json inside = table_of(r)->inside;
    const nnc_json found = inside.node != NULL ? nnc_json_get(root, nnc_json_text(inside)) : inside;
    return found.node != NULL ? found : root;
}

static nnc_json keys_of(const nnc_reading *r) { return keys_in(r, &r->files[r->file]); }

/* Returns the string that a member of a row of the table has; "" if the row has no such member. */
static const char *text_of(nnc_json row, const char *member) {
    const nnc_json found = nnc_json_get(row, member);
    return found.node != NULL ? nnc_json_text(found) : "";
}

/* Returns the file in which the keys that `file` does not have are looked up; NULL = there is no such file. */
static const nnc_launch_file *beneath(const nnc_reading *r, const nnc_launch_file *file) {
    return file->beneath > 0 ? &r->files[file->beneath - 1] : NULL;
}

static const nnc_launch_file *lowest(const nnc_reading *r) {
    const nnc_launch_file *file = &r->files[r->file];
    while (file->beneath > 0) { file = beneath(r, file); }
    return file;
}

/* Tests whether `key` is a key of `file` whose value is the path of the file beneath (the file in which missing keys
 * are looked up). Only the last parts of the two paths are compared. */
static bool names_given_file(const nnc_reading *r, const nnc_launch_file *file, const char *key) {
    const nnc_json layers = table_of(r)->layers, none = { 0 };
    const bool is = file->beneath > 0 && layers.node != NULL && strcmp(nnc_json_text(layers), key) == 0;
    const nnc_json named = is ? nnc_json_get(keys_in(r, file), key) : none;
    if (named.node == NULL || nnc_json_type_of(named) != NNC_JSON_TEXT) { return false; }
    const char *text = nnc_json_text(named), *slash = strrchr(text, '/');
    return nnc_ends_in(beneath(r, file)->path, slash != NULL ? slash + 1 : text);
}

/* Returns the value of a key in one file; node NULL: the file does not have the key.
 * NOLINTNEXTLINE(misc-no-recursion): once, as the name of an option has no dot */
static nnc_json value_in(const nnc_reading *r, const nnc_launch_file *file, const char *key) {
    const nnc_json keys = keys_in(r, file), none = { 0 };
    const char *rest = "";
    nnc_json found = { 0 };
    if (names_given_file(r, file, key)) { return none; }
    if (table_of(r)->arguments.node == NULL) {
        found = nnc_json_get(keys, key);
        if (found.node == NULL) { found = nnc_json_follow(keys, key, &rest); }
    } else {
        for (nnc_json at = nnc_json_first(keys); at.node != NULL; at = nnc_json_next(at)) {
            found = is_option(nnc_json_key(at), key) ? at : found;
        }
        /* "a.b" also means the member b of the JSON object that is the value of the option --a */
        const char *dot = strchr(key, '.');
        if (found.node == NULL && dot != NULL && dot > key) {
            char option[NNC_LAUNCH_KEY];
            snprintf(option, sizeof option, "%.*s", (int)(dot - key), key);
            found = value_in(r, file, option);
            if (found.node != NULL) { found = nnc_json_follow(found, dot + 1, &rest); }
        }
    }
    const bool missing = *rest != '\0' || found.node == NULL || nnc_json_type_of(found) == NNC_JSON_NULL;
    return missing ? none : found;
}

static bool value_text(nnc_json at, char *text, size_t size);

/* Returns the value of a key in a file beneath another file; node NULL = the file does not have the key. A value that
 * is equal to the program's default counts as absent, so that another key of the file on top, such as the name of a
 * model, can decide it. */
static nnc_json value_beneath(const nnc_reading *r, const nnc_launch_file *file, const char *key) {
    const nnc_json found = value_in(r, file, key), absent = nnc_json_get(table_of(r)->absent, key), none = { 0 };
    char a[NNC_LAUNCH_VALUE], b[NNC_LAUNCH_VALUE];
    const bool same = found.node != NULL && absent.node != NULL && value_text(found, a, sizeof a) &&
                      value_text(absent, b, sizeof b) && strcmp(a, b) == 0;
    return same ? none : found;
}

/* If a value is a reference to another key, such as "${a.b}", returns the value of that key in a file on top of its file,
 * otherwise in its file; for any other value, returns the value itself. */
static nnc_json referred(const nnc_reading *r, nnc_json at) {
    enum { REFERENCES_MAX = 8 };
    for (int i = 0; i < REFERENCES_MAX && nnc_json_type_of(at) == NNC_JSON_TEXT; i++) {
        const char *text = nnc_json_text(at), *rest = "";
        const size_t length = strlen(text);
        char key[NNC_LAUNCH_KEY];
        nnc_json found = { 0 };
        if (strncmp(text, "${", 2) != 0 || text[length - 1] != '}' || length > sizeof key) { break; }
        snprintf(key, sizeof key, "%.*s", (int)length - 3, text + 2);
        const nnc_launch_file *file = &r->files[r->file];
        for (; file != NULL && at.doc != &file->content.doc && found.node == NULL; file = beneath(r, file)) {
            found = value_in(r, file, key);
        }
        if (found.node == NULL) { found = nnc_json_follow(nnc_json_root(at.doc), key, &rest); }
        if (found.node == NULL || *rest != '\0') { break; }
        at = found;
    }
    return at;
}

/* Returns the value of a key in the file that is being read, or else in the files beneath it. If none of them has the
 * key, returns the program's default, which the member "absent" of the table states; node NULL: the table states no
 * default. */
static nnc_json value_of(const nnc_reading *r, const char *key) {
    const nnc_launch_file *file = &r->files[r->file];
    nnc_json found = value_in(r, file, key);
    while (found.node == NULL && (file = beneath(r, file)) != NULL) { found = value_beneath(r, file, key); }
    return found.node == NULL ? nnc_json_get(table_of(r)->absent, key) : referred(r, found);
}

/* Tests whether a key of a file has no effect: a file on top of it has the same key, or the key of a file beneath only
 * repeats the program's default. */
static bool is_replaced(const nnc_reading *r, nnc_json at, const char *key) {
    const nnc_launch_file *file = &r->files[r->file];
    for (; file != NULL && at.doc != &file->content.doc; file = beneath(r, file)) {
        if (value_in(r, file, key).node != NULL) { return true; }
    }
    return file != NULL && file != &r->files[r->file] && value_beneath(r, file, key).node == NULL;
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Writes the items of a JSON list in alphabetic order: "k_proj,q_proj". Returns false if the items do not fit into
 * `text`. */
static bool list_text(nnc_json list, char *text, size_t size) {
    enum { ITEMS_MAX = 32, ITEM_TEXT = 96 };
    char items[ITEMS_MAX][ITEM_TEXT];
    const char *order[ITEMS_MAX] = { NULL };
    size_t count = 0, used = 0;
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) {
        const nnc_json_type type = nnc_json_type_of(at);
        if (type == NNC_JSON_LIST || type == NNC_JSON_OBJECT) {
            /* if an item is a list or an object, the whole list is copied as JSON text */
            const char *json = nnc_json_copy(list);
            return json != NULL && snprintf(text, size, "%s", json) < (int)size;
        }
        if (count == ITEMS_MAX || !value_text(at, items[count], sizeof items[count])) { return false; }
        order[count] = items[count];
        count++;
    }
    qsort(order, count, sizeof *order, compare_texts);
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? "," : "", order[i]);
    }
    return used < size;
}

/* Writes a value as text: "true", "5e8", "cpu". NOLINTNEXTLINE(misc-no-recursion): a list has no list inside */
static bool value_text(nnc_json at, char *text, size_t size) {
    char number[NNC_NUMBER_TEXT];
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_BOOL: snprintf(text, size, "%s", nnc_json_bool(at) ? "true" : "false"); return true;
    case NNC_JSON_NUMBER: snprintf(text, size, "%s", nnc_number_text(nnc_json_number(at), number)); return true;
    case NNC_JSON_TEXT: return snprintf(text, size, "%s", nnc_json_text(at)) < (int)size;
    case NNC_JSON_LIST: return list_text(at, text, size);
    default: return false;
    }
}

/* ---- computes formulas of a table, such as "=4*hidden_size" ---- */

typedef struct formula {
    nnc_reading *r;
    nnc_json at; /* value of the launch file for which the formula is computed; errors name the key of this value */
    double stack[16];
    int depth;
} formula;

static size_t take_digits(void *context, const char *at) {
    formula *f = context;
    char *end = NULL;
    const double number = strtod(at, &end);
    if (f->depth < (int)(sizeof f->stack / sizeof *f->stack)) {
        f->stack[f->depth++] = number;
        return (size_t)(end - at);
    }
    return 0;
}

/* Writes the value of a field of the model: the value in the model file if MODEL is named, otherwise the value that a
 * key has set. Returns false if there is no such value. */
static bool model_text(nnc_reading *r, const char *name, char *text, size_t size) {
    const nnc_model_field *field = nnc_reading_model(r, name), *named = nnc_reading_model(r, "MODEL");
    const char *id = r->model_given != NULL ? r->model_given : named != NULL ? named->value : NULL;
    const nnc_model *model = NULL;
    if (id == NULL || strcmp(name, "MODEL") == 0 || strcmp(name, "SOFTWARE") == 0) {
        snprintf(text, size, "%s", field != NULL ? field->value : "");
        return field != NULL;
    }
    if (nnc_model_load(r->specs, id, &model, NULL) != NNC_OK) { return false; }
    if (strcmp(name, "towers") == 0) {
        snprintf(text, size, "%d", model->tower_count);
        return true;
    }
    const nnc_field *row = nnc_field_of_key(nnc_model_table_of(model), name);
    if (row != NULL) { nnc_field_text(row, model, text, size); }
    return row != NULL;
}

/* Tests whether nothing is known about the fields of the model: the model that is named is unknown to nncost, or the
 * file starts a serving engine and names no model. */
static bool is_model_unknown(nnc_reading *r) {
    const nnc_model_field *named = nnc_reading_model(r, "MODEL");
    const char *id = r->model_given != NULL ? r->model_given : named != NULL ? named->value : NULL;
    const nnc_model *model = NULL;
    return id != NULL ? nnc_model_load(r->specs, id, &model, NULL) != NNC_OK : r->serves;
}

static void current_text(nnc_reading *r, const nnc_field *field, char text[NNC_LAUNCH_VALUE]);

/* Pushes the value of a key on the stack of a formula. The value must be a number of at least 0. If the key is absent
 * and its name in the formula ends in '?', pushes 1. Returns false if a fault was noted. */
static bool take_key(void *context, const char *name, size_t length) {
    formula *f = context;
    char key[NNC_LAUNCH_KEY];
    const bool optional = name[length - 1] == '?';
    snprintf(key, sizeof key, "%.*s", (int)(length - (optional ? 1 : 0)), name);
    const nnc_json found = value_of(f->r, key);
    double number = 1.0;
    char text[NNC_LAUNCH_VALUE];
    if (found.node == NULL && strncmp(key, "model.", 6) == 0 && model_text(f->r, key + 6, text, sizeof text) &&
        nnc_read_double(text, &number)) {
        /* nothing to do: model_text wrote the value of the model's field to `text`, and nnc_read_double read it into
         * `number` */
    } else if (found.node == NULL && strncmp(key, "plan.", 5) == 0 && field_of(f->r, key + 5) != NULL) {
        if (nnc_reading_is_given(f->r, field_of(f->r, key + 5))) {
            nnc_json_fault(f->at, NULL, "an option gives %s, expected those of all fields of this key", key + 5);
            nnc_reading_fail(f->r, f->at);
            return false;
        }
        current_text(f->r, field_of(f->r, key + 5), text);
        (void)nnc_read_double(text, &number);
    } else if (found.node == NULL && !optional) {
        nnc_json_fault(f->at, NULL, "needs the key %s, which is absent", key);
        nnc_reading_fail(f->r, f->at);
        return false;
    }
    if (found.node != NULL) {
        const nnc_json_type type = nnc_json_type_of(found);
        number = type == NNC_JSON_NUMBER ? nnc_json_number(found) : -1.0;
        if (type == NNC_JSON_TEXT) { (void)nnc_read_double(nnc_json_text(found), &number); }
        if (type == NNC_JSON_TEXT && strstr(nnc_json_text(found), "${") != NULL) {
            const char *variable = strstr(nnc_json_text(found), "${") + 2;
            nnc_json_fault(found, NULL,
                           "is %.200s, which the script does not set, expected %.*s=VALUE among the arguments",
                           nnc_json_text(found), (int)strcspn(variable, "}"), variable);
            nnc_reading_fail(f->r, found);
            return false;
        }
        if (!(number >= 0.0 && number <= 1e12)) {
            nnc_json_fault(found, NULL, "expected a number of at least 0");
            nnc_reading_fail(f->r, found);
            return false;
        }
    }
    if (f->depth == (int)(sizeof f->stack / sizeof *f->stack)) { return false; }
    f->stack[f->depth++] = number;
    return true;
}

static bool take_operator(void *context, nnc_operator of) {
    formula *f = context;
    const double b = f->stack[--f->depth], a = f->stack[f->depth - 1];
    f->stack[f->depth - 1] = of == NNC_OPERATOR_ADD        ? a + b
                             : of == NNC_OPERATOR_SUBTRACT ? a - b
                             : of == NNC_OPERATOR_MULTIPLY ? a * b
                             : of == NNC_OPERATOR_DIVIDE   ? a / b
                                                           : fmod(a, b);
    return true;
}

static void refuse_formula(void *context, const char *expected, const char *at) {
    formula *f = context;
    f->r->status = nnc_fail(f->r->err, NNC_BAD_SPEC, f->r->files[f->r->file].format,
                            "bad arithmetic in the table, expected %s, found \"%s\"", expected, at);
}

/* Computes a formula of a table, such as "=4*hidden_size" or "=a/b?". Unless the formula begins with "=~", its result
 * must be a whole number of at least 0. Returns false if a fault was noted. */
static bool calculate(nnc_reading *r, nnc_json at, const char *text, char value[NNC_LAUNCH_VALUE]) {
    static const nnc_expression_reader grammar = { .operators = NNC_OPERATORS_ARITHMETIC | 1 << NNC_OPERATOR_REMAINDER,
                                                   .nesting_max = 8,
                                                   .name_marks = "._?",
                                                   .number = take_digits,
                                                   .name = take_key,
                                                   .operate = take_operator,
                                                   .refuse = refuse_formula };
    const bool whole = text[1] != '~';
    formula f = { .r = r, .at = at };
    text += whole ? 0 : 1;
    if (!nnc_expression_read(&grammar, text + 1, &f)) {
        if (nnc_reading_goes_on(r)) { refuse_formula(&f, "fewer operands", text); }
        return false;
    }
    const double result = f.stack[0];
    if (!(result >= 0.0 && result <= 1e15) || (whole && result > floor(result))) {
        nnc_json_fault(at, NULL, "%s is not a whole number", text + 1);
        nnc_reading_fail(r, at);
        return false;
    }
    snprintf(value, NNC_LAUNCH_VALUE, whole ? "%.0f" : "%.12g", result);
    return true;
}

/* Writes the present value of a field: from an option, else from a launch file, else its default. */
static void current_text(nnc_reading *r, const nnc_field *field, char text[NNC_LAUNCH_VALUE]) {
    const nnc_plan plan = nnc_plan_default();
    const nnc_run_ask run = nnc_run_ask_default();
    const nnc_serve_ask serve = nnc_serve_ask_default();
    const void *of = nnc_field_is_of(&nnc_serve_table, field) ? (const void *)&serve
                     : nnc_field_is_of(&nnc_run_table, field) ? (const void *)&run
                                                              : &plan;
    const nnc_set_field *set = find_set(r, field);
    const char *value = set != NULL && !set->is_kept ? set->value : NULL;
    for (int i = 0; i < r->given->setting_count; i++) {
        if (r->given->settings[i].field == field) { value = r->given->settings[i].value; }
    }
    if (value == NULL || usual_text(field, value, text, NULL) != NNC_OK) {
        nnc_field_text(field, of, text, NNC_LAUNCH_VALUE);
    }
}

/* Writes the text that a condition of a table compares with its allowed values. name: '@' and a key, '=' and a formula,
 * "SERVES", "MODEL", "SOFTWARE", or a field of the plan or the model. The text is "absent" for a key or field without a
 * value, and "unknown" for a field of a model that nncost does not know. Returns false if no field has this name, or if
 * the formula has no value. */
static bool condition_text(nnc_reading *r, const char *name, char *text, size_t size) {
    if (name[0] == '@') {
        const nnc_json found = name[1] == '@' ? value_in(r, lowest(r), name + 2) : value_of(r, name + 1);
        if (found.node == NULL || !value_text(found, text, size)) {
            snprintf(text, size, "%s", found.node == NULL ? "absent" : "several");
        }
        return true;
    }
    const nnc_field *field = field_of(r, name);
    char value[NNC_LAUNCH_VALUE];
    if (name[0] == '=') {
        const bool done = calculate(r, nnc_json_root(&r->files[r->file].content.doc), name, value);
        snprintf(text, size, "%s", done ? value : "");
        return done;
    }
    if (strcmp(name, "SERVES") == 0) {
        snprintf(text, size, "%s", r->serves ? "true" : "false");
        return true;
    }
    if (model_name(name) != NULL) {
        if (!model_text(r, model_name(name), text, size)) {
            snprintf(text, size, "%s", is_model_unknown(r) ? "unknown" : "absent");
        }
        return true;
    }
    if (field != NULL) {
        current_text(r, field, value);
        snprintf(text, size, "%s", value);
    }
    return field != NULL;
}

/* Returns true if a text is equal to a word, without regard to case. A word of the form "*x*" also matches each text
 * that contains x. */
static bool is_like(const char *text, const char *word) {
    const size_t length = strlen(word);
    if (length < 3 || word[0] != '*' || word[length - 1] != '*') { return strcasecmp(text, word) == 0; }
    for (; *text != '\0'; text++) {
        if (strncasecmp(text, word + 1, length - 2) == 0) { return true; }
    }
    return false;
}

static bool holds(nnc_reading *r, nnc_json conditions) {
    for (nnc_json one = nnc_json_first(conditions); one.node != NULL; one = nnc_json_next(one)) {
        char text[NNC_LAUNCH_TEXT];
        const bool negated = nnc_json_key(one)[0] == '!';
        bool met = false;
        if (!condition_text(r, nnc_json_key(one) + negated, text, sizeof text)) { return false; }
        for (nnc_json value = nnc_json_first(one); value.node != NULL; value = nnc_json_next(value)) {
            met = met || is_like(text, nnc_json_text(value));
        }
        if (met == negated) { return false; }
    }
    return true;
}

bool nnc_reading_applies(nnc_reading *r, nnc_json row, const char *when) {
    const nnc_json unless = nnc_json_get(row, "unless");
    return holds(r, nnc_json_get(row, when)) && (unless.node == NULL || !holds(r, unless));
}

bool nnc_reading_text(nnc_reading *r, nnc_json at, const char *value, char *text, size_t size) {
    char number[NNC_LAUNCH_VALUE];
    if (value[0] == '=') {
        const bool done = calculate(r, at, value, number);
        snprintf(text, size, "%s", done ? number : "");
        return done;
    }
    if (value[0] == '@') {
        const nnc_json found = value_of(r, value + 1);
        return found.node != NULL && value_text(found, text, size);
    }
    snprintf(text, size, "%s", value);
    return true;
}

/* Returns true if the command line gives a value for the field `name`, or a model if `name` is "MODEL". */
static bool is_decided(const nnc_reading *r, const char *name) {
    const nnc_field *field = field_of(r, name);
    return (strcmp(name, "MODEL") == 0 && r->model_given != NULL) || (field != NULL && nnc_reading_is_given(r, field));
}

void nnc_reading_set(nnc_reading *r, nnc_json at, const char *path, nnc_json fields, bool are_defaults) {
    for (nnc_json one = nnc_json_first(fields); one.node != NULL && nnc_reading_goes_on(r); one = nnc_json_next(one)) {
        const char *name = nnc_json_key(one);
        char text[NNC_LAUNCH_TEXT];
        if (name[0] == '#') {
            nnc_reading_ignore(r, at, path, nnc_json_text(one), true);
        } else if (name[0] == '-') {
            keep(r, at, name + 1);
        } else if (name[0] == '!') {
            ask(r, at, path, (nnc_json){ 0 }, name + 1);
        } else if (name[0] == '+' ? is_decided(r, name + 1) : are_defaults && is_known(r, name)) {
            /* the field has a value already, so the value of the table, whose formula may have an error, is not
             * computed */
            continue;
        } else if (nnc_reading_text(r, at, nnc_json_text(one), text, sizeof text)) {
            nnc_set_field *set = name[0] == '+' ? find_set(r, field_of(r, name + 1)) : NULL;
            nnc_model_field *of_model =
                name[0] == '+' && model_name(name + 1) != NULL ? nnc_reading_model(r, model_name(name + 1)) : NULL;
            if (set != NULL) { set->is_default = true; }
            if (of_model != NULL) { of_model->is_default = true; }
            set_text(r, at, name + (name[0] == '?' || name[0] == '+'), text,
                     name[0] == '?' || (are_defaults && name[0] != '+'));
        }
    }
}

/* Writes the values that a row of a table allows, for an error message; values that do not fit into `text` become "
 * ...". */
static void put_expected(nnc_json values, char *text, size_t size) {
    size_t used = 0;
    for (nnc_json one = nnc_json_first(values); one.node != NULL; one = nnc_json_next(one)) {
        const char *key = nnc_json_key(one);
        if (key[0] == '\0') { continue; /* an empty value stands for options without a program, and is not listed */ }
        if (used + strlen(key) + 6 > size) {
            snprintf(text + used, size - used, " ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", key);
    }
}

static void take_values(nnc_reading *r, nnc_json at, const char *path, nnc_json row, const char *text) {
    const nnc_json values = nnc_json_get(row, "values"), with = nnc_json_get(row, "with");
    char expected[160] = "", what[400], both[2 * NNC_LAUNCH_TEXT], other[NNC_LAUNCH_TEXT];
    if (with.node != NULL) {
        const nnc_json other_value = value_of(r, nnc_json_text(with));
        if (other_value.node == NULL || !value_text(other_value, other, sizeof other)) {
            snprintf(other, sizeof other, "absent");
        }
        snprintf(both, sizeof both, "%s/%s", other, text);
        text = both;
    }
    for (nnc_json one = nnc_json_first(values); one.node != NULL; one = nnc_json_next(one)) {
        if (is_like(text, nnc_json_key(one)) || strcmp(nnc_json_key(one), "*") == 0) {
            if (nnc_json_count(one) == 0) {
                const char *why = text_of(row, "why");
                nnc_reading_ignore(r, at, path, why[0] != '\0' ? why : "off or usual", false);
            }
            nnc_reading_set(r, at, path, one, false);
            return;
        }
    }
    put_expected(values, expected, sizeof expected);
    snprintf(what, sizeof what, "cannot be estimated%s%s, found %.120s", expected[0] != '\0' ? ", expected " : "",
             expected, text);
    refuse(r, at, path, what, row);
}

/* Appends the kind of layer that a letter of a pattern stands for to the list `out`. Returns false if `letters` has no
 * such letter, or the list becomes too long. */
static bool put_letter(nnc_json letters, char letter, nnc_buffer *out, int *count) {
    const char name[2] = { letter, '\0' };
    const nnc_json word = nnc_json_get(letters, name);
    if (word.node != NULL) {
        nnc_buffer_text(out, (*count)++ > 0 ? ", " : "[");
        nnc_put_json_text(out, nnc_json_text(word));
    }
    return word.node != NULL && *count < 4096;
}

/* Converts a pattern of layers to a list of kinds of layers. "([0]*3+[1]*11)" is 3 layers of kind 0, then 11 of kind 1;
 * "M-*" has one letter for each layer. *count receives the number of layers. Returns false if the text is not a
 * pattern. */
static bool read_pattern(nnc_json letters, const char *text, nnc_buffer *out, int *count) {
    const char *at = text + strspn(text, "(");
    if (*at != '[') {
        while (*at != '\0' && put_letter(letters, *at, out, count)) { at++; }
        return *at == '\0';
    }
    while (*at == '[') {
        const char *close = strchr(at, ']');
        char *end = NULL;
        const long times = close != NULL && close[1] == '*' ? strtol(close + 2, &end, 10) : 1;
        for (long i = 0; close != NULL && i < times; i++) {
            for (const char *c = at + 1; c < close; c++) {
                if (strchr(", ", *c) == NULL && !put_letter(letters, *c, out, count)) { return false; }
            }
        }
        at = close == NULL ? "?" : end != NULL ? end : close + 1;
        at += strspn(at, "+)");
    }
    return *at == '\0';
}

/* Returns the number of dense layers of a list '["dense", ..., "experts", ...]' whose dense layers all come first; -1 =
 * another list. */
static int dense_first(const char *list) {
    static const char dense[] = "\"dense\"";
    const char *experts = strstr(list, "\"experts\"");
    int count = 0;
    if (experts == NULL || strstr(experts, dense) != NULL) { return -1; }
    for (const char *at = strstr(list, dense); at != NULL; at = strstr(at + 1, dense)) { count++; }
    return count;
}

/* Sets the list of layers of the model from the pattern in a value. A number N means one layer of the first kind, then
 * N - 1 layers of the second. NOLINTNEXTLINE(misc-no-recursion): calls itself once, for the row "second" */
static void take_pattern(nnc_reading *r, nnc_json at, nnc_json row, const char *text) {
    const nnc_json letters = nnc_json_get(row, "letters");
    const char *total = text_of(row, "count");
    nnc_buffer list = { 0 };
    char number[NNC_LAUNCH_VALUE];
    double every = 0.0;
    int count = 0;
    bool known = nnc_json_type_of(at) != NNC_JSON_NUMBER && read_pattern(letters, text, &list, &count);
    if (nnc_json_type_of(at) == NNC_JSON_NUMBER && nnc_read_double(text, &every)) {
        known = every >= 1.0 && every <= 100.0;
        for (int i = 0; known && i < (int)every; i++) {
            known = put_letter(letters, i == 0 ? '1' : '0', &list, &count);
        }
    }
    nnc_buffer_text(&list, "]");
    nnc_buffer_byte(&list, '\0');
    if (!known || count == 0 || list.failed) {
        nnc_json_mismatch(at, "wrong value", "a pattern such as ([0]*3+[1]*58)");
        nnc_reading_fail(r, at);
    } else {
        const int dense = text_of(row, "first")[0] != '\0' ? dense_first(list.bytes) : -1;
        snprintf(number, sizeof number, "%d", dense);
        set_text(r, at, text_of(row, dense >= 0 ? "first" : "to"), dense >= 0 ? number : list.bytes, false);
        snprintf(number, sizeof number, "%d", count);
        if (total[0] != '\0') { set_text(r, at, total, number, false); }
    }
    nnc_buffer_free(&list);
    const nnc_json second = nnc_json_get(row, "second");
    if (nnc_reading_goes_on(r) && second.node != NULL) { take_pattern(r, at, second, text); }
}

/* If the value of a key, the name of a tokenizer, is the name of a decoder that nncost knows, the vocabulary of this
 * decoder becomes the default of the field `to`. */
static void take_vocab(nnc_reading *r, nnc_json at, const char *model, const char *to) {
    const nnc_model *found = NULL;
    char number[NNC_LAUNCH_VALUE];
    if (nnc_model_load(r->specs, model, &found, NULL) == NNC_OK && found->family == NNC_FAMILY_DECODER) {
        snprintf(number, sizeof number, "%lld", (long long)found->decoder.vocab);
        set_text(r, at, to, number, true);
    }
}

static void take_number(nnc_reading *r, nnc_json at, nnc_json row, const char *text) {
    const nnc_json as = nnc_json_get(row, "as");
    const char *name = nnc_json_text(nnc_json_get(row, "to"));
    double number = 0.0;
    if (as.node == NULL) {
        set_text(r, at, name, text, false);
    } else if (strcmp(nnc_json_text(as), "vocab") == 0) {
        take_vocab(r, at, text, name);
    } else if (strcmp(nnc_json_text(as), "pattern") == 0) {
        take_pattern(r, at, row, text);
    } else if (nnc_read_double(text, &number) && number >= 0.0) {
        set_text(r, at, name, number > 0.0 ? "on" : "off", false);
    } else {
        nnc_json_mismatch(at, "wrong value", "a number of at least 0");
        nnc_reading_fail(r, at);
    }
}

/* ---- finds the trained parameters, which a file names by regular expressions ---- */

enum { TRAINED_PATTERNS_MAX = 32, TRAINED_LAYERS_MAX = 1024, TRAINED_PATTERN = 200 };

/* State of matching regular expressions with the parameters of a model: the patterns, the parts of the model that they
 * match (values of --train), and the layers that contain these parts. */
typedef struct trained {
    regex_t patterns[TRAINED_PATTERNS_MAX];
    bool matched[TRAINED_PATTERNS_MAX]; /* matched[i]: true = pattern i matches a parameter of the model family */
    bool words[TRAINED_PATTERNS_MAX];   /* words[i]: true = pattern i is a word, such as embed_tokens. Such a pattern
                                         * may match no parameter: users mean all names that contain the word, but a
                                         * pattern matches only names that begin with it */
    int count;
    bool layers[TRAINED_LAYERS_MAX], any_layer, is_partial;
    char parts[NNC_LAUNCH_VALUE]; /* the matched parts of the model, as a value of --train: "mlp,head" */
} trained;

/* Compiles a regular expression with the rules of Axolotl: it must match from the beginning of a parameter's name, and
 * '.' means a dot unless '+' follows. Returns false for forms that the examples of Axolotl do not use: ranges of rows,
 * escapes other than \d, groups with '?', counts, and repeats of groups or of repeats. Source: Axolotl,
 * src/axolotl/utils/freeze.py. */
static bool compile_pattern(const char *text, regex_t *pattern) {
    char posix[3 * TRAINED_PATTERN + 4] = "^(";
    size_t used = 2;
    int depth = 0;
    if (strlen(text) >= TRAINED_PATTERN || strpbrk(text, "{:?") != NULL) { return false; }
    for (; *text != '\0'; text++) {
        const bool digit = text[0] == '\\' && text[1] == 'd';
        /* nested repeats are refused: regcomp copies each repeated part, so that they would take minutes */
        const bool nested = strchr(")+*", *text) != NULL && (text[1] == '+' || text[1] == '*');
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
        if (nested || depth < 0 || (*text == '\\' && !digit)) { return false; }
        const char one[2] = { *text, '\0' };
        const char *put = digit ? "[0-9]" : *text == '.' && text[1] != '+' ? "[.]" : one;
        used += (size_t)snprintf(posix + used, sizeof posix - used, "%s", put);
        text += digit;
    }
    snprintf(posix + used, sizeof posix - used, ")");
    return regcomp(pattern, posix, REG_EXTENDED | REG_NOSUB) == 0;
}

static bool matches(trained *t, const char *name) {
    bool any = false;
    for (int i = 0; i < t->count; i++) {
        if (regexec(&t->patterns[i], name, 0, NULL, 0) == 0) { t->matched[i] = any = true; }
    }
    return any;
}

/* Tests whether the patterns match the parameters of one part of the model. prefix: the name of a layer, with '#' in
 * place of its number; "" for a part outside the layers. Returns true if the patterns match all parameters of the part;
 * sets t->is_partial if they match only some of them. */
static bool part_matches(trained *t, nnc_json names, const char *prefix, int64_t layer) {
    const char *mark = strchr(prefix, '#');
    int hits = 0, count = 0;
    for (nnc_json one = nnc_json_first(names); one.node != NULL; one = nnc_json_next(one), count++) {
        char name[NNC_LAUNCH_KEY];
        if (mark == NULL) {
            snprintf(name, sizeof name, "%s", nnc_json_text(one));
        } else {
            snprintf(name, sizeof name, "%.*s%d%s%s", (int)(mark - prefix), prefix, (int)layer, mark + 1,
                     nnc_json_text(one));
        }
        hits += matches(t, name) ? 1 : 0;
    }
    t->is_partial = t->is_partial || (hits > 0 && hits < count);
    return count > 0 && hits == count;
}

static void add_part(trained *t, const char *part) {
    const size_t used = strlen(t->parts);
    snprintf(t->parts + used, sizeof t->parts - used, "%s%s", used > 0 ? "," : "", part);
}

/* Matches the patterns with the parameters of one family of models. Returns true if each pattern matches a parameter
 * (or is a single word), each matched part is matched completely, and all matched parts in layers are in the same
 * layers. */
static bool match_family(trained *t, nnc_json family, int64_t layers) {
    const nnc_json outside = nnc_json_get(family, "outside"), inside = nnc_json_get(family, "inside");
    const char *prefix = text_of(family, "layer");
    memset(t->matched, 0, sizeof t->matched);
    memset(t->layers, 0, sizeof t->layers);
    t->any_layer = t->is_partial = false;
    t->parts[0] = '\0';
    for (nnc_json part = nnc_json_first(outside); part.node != NULL; part = nnc_json_next(part)) {
        if (part_matches(t, part, "", 0)) { add_part(t, nnc_json_key(part)); }
    }
    for (nnc_json part = nnc_json_first(inside); part.node != NULL; part = nnc_json_next(part)) {
        bool own[TRAINED_LAYERS_MAX] = { false }, any = false;
        for (int64_t i = 0; i < layers; i++) { any |= own[i] = part_matches(t, part, prefix, i); }
        if (!any) { continue; }
        t->is_partial = t->is_partial || (t->any_layer && memcmp(own, t->layers, sizeof own) != 0);
        memcpy(t->layers, own, sizeof own);
        t->any_layer = true;
        add_part(t, nnc_json_key(part));
    }
    bool all = t->parts[0] != '\0' && !t->is_partial;
    for (int i = 0; i < t->count; i++) { all = all && (t->matched[i] || t->words[i]); }
    return all;
}

/* Sets --train to the matched parts; if only some layers are trained, also --train-layers and --train-from. If the
 * trained layers are not consecutive, sets the same number of layers from the first trained one on, which costs the
 * same. */
static void set_trained(nnc_reading *r, nnc_json at, const trained *t, int64_t layers) {
    int64_t count = 0, first = -1;
    char number[NNC_LAUNCH_VALUE];
    for (int64_t i = 0; i < layers; i++) {
        first = t->layers[i] && first < 0 ? i : first;
        count += t->layers[i] ? 1 : 0;
    }
    set_text(r, at, "train", t->parts, false);
    if (count > 0 && count < layers) {
        snprintf(number, sizeof number, "%d", (int)count);
        set_text(r, at, "train_layers", number, false);
        snprintf(number, sizeof number, "%d", (int)first);
        set_text(r, at, "train_from", number, false);
    }
}

/* Reads a key with a list of regular expressions: the parameters whose names match are trained. The member "families"
 * of the table row lists the names of parameters by family: "inside" has the names in a layer, by part of --train;
 * "outside" has the names outside the layers. */
static void take_parameters(nnc_reading *r, nnc_json at, const char *path, nnc_json row) {
    char text[NNC_LAUNCH_VALUE] = "";
    double layers = 0.0;
    bool is_read = model_text(r, "layers", text, sizeof text) && nnc_read_double(text, &layers) && layers >= 1.0 &&
                   layers <= TRAINED_LAYERS_MAX && nnc_json_type_of(at) == NNC_JSON_LIST;
    trained *t = is_read ? calloc(1, sizeof *t) : NULL;
    for (nnc_json one = nnc_json_first(at); t != NULL && is_read && one.node != NULL; one = nnc_json_next(one)) {
        is_read = t->count < TRAINED_PATTERNS_MAX && nnc_json_type_of(one) == NNC_JSON_TEXT &&
                  compile_pattern(nnc_json_text(one), &t->patterns[t->count]);
        if (is_read) {
            const char *pattern = nnc_json_text(one);
            t->words[t->count] = pattern[strspn(pattern, "abcdefghijklmnopqrstuvwxyz_")] == '\0';
        }
        t->count += is_read ? 1 : 0;
    }
    nnc_json family = nnc_json_first(nnc_json_get(row, "families"));
    while (t != NULL && is_read && family.node != NULL && !match_family(t, family, (int64_t)layers)) {
        family = nnc_json_next(family);
    }
    if (t != NULL && is_read && family.node != NULL) {
        set_trained(r, at, t, (int64_t)layers);
    } else {
        refuse(r, at, path, "names other parameters than whole parts of layers", row);
    }
    for (int i = 0; t != NULL && i < t->count; i++) { regfree(&t->patterns[i]); }
    free(t);
}

/* Adds the value of a key, the path of another launch file, to the list of files to open. */
static void name_file(nnc_reading *r, nnc_json at, const char *path, nnc_json row) {
    const char *kept = nnc_arena_strdup(r->arena, path);
    if (kept == NULL) {
        r->status = nnc_no_memory(r->err);
    } else if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        nnc_json_mismatch(at, "wrong value", "the path of a file");
        nnc_reading_fail(r, at);
    } else if (r->reference_count < NNC_LAUNCH_FILES_MAX) {
        r->references[r->reference_count++] =
            (nnc_reference){ at,      nnc_json_text(nnc_json_get(row, "file")), kept, nnc_json_get(row, "known"),
                             r->file, nnc_json_get(row, "yields").node != NULL };
    }
}

/* Refuses a value that contains a variable which the script does not set, such as "${NAME}". */
static void refuse_unset(nnc_reading *r, nnc_json at, const char *path, nnc_json row, const char *text) {
    const char *name = strstr(text, "${") + 2;
    const size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    char what[NNC_LAUNCH_TEXT], option[NNC_OPTION_NAME] = "";
    const nnc_field *field = field_of(r, text_of(row, "to"));
    bool may_be_set = true;
    if (field != NULL) { nnc_option_name(field->name, option); }
    if (strncmp(name, "branch}", 7) == 0) {
        snprintf(what, sizeof what,
                 "stands in a branch or loop, expected NAME=VALUE among the arguments that "
                 "decides its condition%s%s",
                 option[0] != '\0' ? ", or " : "", option);
    } else if (length > 0 && name[length] == '}') {
        snprintf(what, sizeof what,
                 "is %.200s, which the script does not set, expected %.*s=VALUE among the arguments%s%s", text,
                 (int)length, name, option[0] != '\0' ? ", or " : "", option);
    } else {
        snprintf(what, sizeof what, "is %.200s, which only a run of the script knows", text);
        may_be_set = false;
    }
    refuse_with(r, at, path, what, row, may_be_set ? NULL : as_option);
}

/* Applies the row of a key to one value: the text of the key, or one item of its list. */
static void take_text(nnc_reading *r, nnc_json at, const char *path, nnc_json row, const char *text) {
    const nnc_json automatic = nnc_json_get(row, "auto"), sets = nnc_json_get(row, "sets");
    const char *decides = text_of(row, "decides");
    if (strstr(text, "${") != NULL && strcmp(text_of(row, "as"), "vocab") == 0) {
        nnc_reading_ignore(r, at, path, "not set in the script", false);
    } else if (strstr(text, "${") != NULL && is_decided(r, decides[0] != '\0' ? decides : text_of(row, "to"))) {
        nnc_reading_ignore(r, at, path, "given as an option", false);
    } else if (strstr(text, "${") != NULL) {
        refuse_unset(r, at, path, row, text);
    } else if (automatic.node != NULL && strcmp(text, "auto") == 0) {
        ask(r, at, path, automatic, NULL);
    } else if (sets.node != NULL) {
        nnc_reading_set(r, at, path, sets, false);
    } else if (nnc_json_get(row, "values").node != NULL) {
        take_values(r, at, path, row, text);
    } else if (nnc_json_get(row, "to").node != NULL) {
        take_number(r, at, row, text);
    } else {
        refuse(r, at, path, "cannot be estimated", row);
    }
}

/* Applies the row of a key to each word of a list item. Words are separated by blanks and commas: YAML reads "[a b]" as
 * one item, which means two words. */
static void take_words(nnc_reading *r, nnc_json at, const char *path, nnc_json row) {
    char text[NNC_LAUNCH_TEXT], *rest = text;
    if (!value_text(at, text, sizeof text)) {
        nnc_json_mismatch(at, "wrong value", "a word");
        nnc_reading_fail(r, at);
        return;
    }
    while (*rest != '\0' && nnc_reading_goes_on(r)) {
        char *word = rest;
        rest += strcspn(rest, ", ");
        if (*rest != '\0') { *rest++ = '\0'; }
        if (*word != '\0') { take_text(r, at, path, row, word); }
    }
}

/* Tests whether a value means that a feature is off: false, an empty text, an empty list or an empty object. */
static bool is_off(nnc_json at) {
    const nnc_json_type type = nnc_json_type_of(at);
    return (type == NNC_JSON_BOOL && !nnc_json_bool(at)) || (type == NNC_JSON_TEXT && nnc_json_text(at)[0] == '\0') ||
           ((type == NNC_JSON_LIST || type == NNC_JSON_OBJECT) && nnc_json_count(at) == 0);
}

/* Tests whether two keys of the launch file have equal values: the key of the row, and the key that the member "same"
 * of the row names. */
static bool is_same(const nnc_reading *r, nnc_json at, nnc_json row) {
    const nnc_json same = nnc_json_get(row, "same");
    const nnc_json other = same.node != NULL ? value_of(r, nnc_json_text(same)) : same;
    char a[NNC_LAUNCH_VALUE], b[NNC_LAUNCH_VALUE];
    return other.node != NULL && value_text(at, a, sizeof a) && value_text(other, b, sizeof b) && strcmp(a, b) == 0;
}

static void take_value(nnc_reading *r, nnc_json at, const char *path, nnc_json row) {
    const nnc_json harmless = nnc_json_get(row, "harmless"), place = at;
    const nnc_json otherwise = nnc_json_get(row, "otherwise");
    at = referred(r, at);
    const bool is_list = nnc_json_type_of(at) == NNC_JSON_LIST;
    char text[NNC_LAUNCH_TEXT];
    if (harmless.node != NULL) {
        nnc_reading_ignore(r, at, path, nnc_json_text(harmless), false);
    } else if (nnc_json_get(row, "note").node != NULL && !is_off(at)) {
        nnc_reading_ignore(r, at, path, text_of(row, "note"), true);
    } else if (nnc_json_get(row, "note").node != NULL) {
        nnc_reading_ignore(r, at, path, "off", false);
    } else if (!nnc_reading_applies(r, row, "when") && otherwise.node != NULL) {
        nnc_reading_set(r, at, path, otherwise, false);
    } else if (!nnc_reading_applies(r, row, "when") && nnc_json_get(row, "else").node == NULL) {
        refuse(r, at, path, "cannot be estimated together with the other keys", row);
    } else if (!nnc_reading_applies(r, row, "when")) {
        nnc_reading_ignore(r, at, path, text_of(row, "else"), false);
    } else if (nnc_json_count(row) == 2 && nnc_json_get(row, "instead").node != NULL) {
        refuse(r, at, path, "cannot be estimated", row);
    } else if (is_same(r, at, row)) {
        nnc_reading_ignore(r, at, path, text_of(row, "why"), false);
    } else if (nnc_json_get(row, "families").node != NULL) {
        take_parameters(r, at, path, row);
    } else if (nnc_json_get(row, "file").node != NULL) {
        name_file(r, at, path, row);
    } else if (is_list && nnc_json_get(row, "each").node != NULL) {
        for (nnc_json one = nnc_json_first(at); one.node != NULL && nnc_reading_goes_on(r); one = nnc_json_next(one)) {
            take_words(r, one, path, row);
        }
    } else if (nnc_json_type_of(at) == NNC_JSON_TEXT && nnc_json_get(row, "each").node != NULL &&
               strchr(nnc_json_text(at), ',') != NULL) {
        take_words(r, at, path, row);
    } else if (nnc_json_type_of(at) == NNC_JSON_NULL) {
        nnc_reading_ignore(r, place, path, "empty: the same as absent", false);
    } else if (value_text(at, text, sizeof text)) {
        take_text(r, place, path, row, text);
    } else if (nnc_json_get(row, "values").node != NULL) {
        refuse(r, place, path, "cannot be estimated", row);
    } else {
        nnc_json_mismatch(at, "wrong value", "a number, a text, true or false");
        nnc_reading_fail(r, at);
    }
}

/* Tests whether the key of a row stands for a path: a key "a.*" stands for all keys inside a, a key "a*" for all keys
 * that begin with a, a key "*" for all keys. */
static bool is_inside(const char *key, const char *path) {
    if (!nnc_ends_in(key, "*")) { return strcmp(key, "*") == 0; }
    const size_t stem = strlen(key) - (nnc_ends_in(key, ".*") ? 2 : 1);
    return strncmp(key, path, stem) == 0 && (path[stem] == '.' || key[stem] == '*');
}

/* Returns the key of a row of a format's table; it is usually the first member of the row. node NULL: the row has no
 * key. */
static nnc_json row_key(nnc_json row) {
    const nnc_json first = nnc_json_first(row), none = { 0 };
    const bool is_first = first.node != NULL && strcmp(nnc_json_key(first), "key") == 0;
    const nnc_json key = is_first ? first : nnc_json_get(row, "key");
    return nnc_json_type_of(key) == NNC_JSON_TEXT ? key : none;
}

nnc_status nnc_table_index_make(nnc_document *table) {
    nnc_arena *arena = table->doc.arena;
    const nnc_json root = nnc_json_root(&table->doc), rows = nnc_json_get(root, "keys");
    const size_t count = (size_t)nnc_json_count(rows);
    nnc_table_index *index = nnc_arena_alloc(arena, sizeof *index);
    if (index == NULL) { return nnc_no_memory(table->faults.err); }
    *index = (nnc_table_index){ .keys = nnc_arena_array(arena, count + 1, sizeof *index->keys),
                                .rows = nnc_arena_array(arena, count + 1, sizeof *index->rows),
                                .next = nnc_arena_array(arena, count + 1, sizeof *index->next),
                                .absent = nnc_json_get(root, "absent"),
                                .arguments = nnc_json_get(root, "arguments"),
                                .inside = nnc_json_get(root, "inside"),
                                .layers = nnc_json_get(root, "layers") };
    if (index->keys == NULL || index->rows == NULL || index->next == NULL) { return nnc_no_memory(table->faults.err); }
    int32_t *last[256], i = 0;
    for (int c = 0; c < 256; c++) { last[c] = &index->first[c]; }
    for (nnc_json row = nnc_json_first(rows); row.node != NULL; row = nnc_json_next(row), i++) {
        const nnc_json key = row_key(row);
        if (key.node == NULL) {
            nnc_json_mismatch(row, "wrong row", "an object with a text \"key\"");
            return table->faults.status;
        }
        const unsigned char first = (unsigned char)nnc_json_text(key)[0];
        index->keys[i] = nnc_json_text(key);
        index->rows[i] = row;
        index->next[i] = 0;
        *last[first] = i + 1;
        last[first] = &index->next[i];
    }
    table->index = index;
    return NNC_OK;
}

/* Finds the row of a table for the key `path`: the row with exactly this key, otherwise the first row with '*' that
 * stands for the path. *below: true if the table has rows for keys inside this key. */
static nnc_json find_row(const nnc_table_index *index, const char *path, bool *below) {
    const size_t length = strlen(path);
    int32_t wide = 0, all = index->first['*'];
    *below = false;
    for (int32_t i = index->first[(unsigned char)path[0]]; i > 0; i = index->next[i - 1]) {
        const char *key = index->keys[i - 1];
        if (strcmp(key, path) == 0) { return index->rows[i - 1]; }
        if (wide == 0 && is_inside(key, path)) { wide = i; }
        *below = *below || (strncmp(key, path, length) == 0 && key[length] == '.');
    }
    while (all > 0 && !is_inside(index->keys[all - 1], path)) { all = index->next[all - 1]; }
    if (all > 0 && (wide == 0 || all < wide)) { wide = all; }
    const nnc_json none = { 0 };
    return *below || wide == 0 ? none : index->rows[wide - 1];
}

nnc_json nnc_reading_row(const nnc_reading *r, const char *path, bool *below) {
    const nnc_launch_file *file = &r->files[r->file];
    bool below_also = false;
    nnc_json row = find_row(file->table.index, path, below);
    if (row.node == NULL && file->also.is_parsed) {
        row = find_row(file->also.index, path, &below_also);
        *below = *below || below_also;
    }
    return row;
}

/* Reads an option "--no-enable-x" as the value false of "enable_x", if the table has a row for "enable_x" and none for
 * "no_enable_x". Returns false if the key is no such option. */
static bool is_negated(nnc_reading *r, nnc_json at, const char *path) {
    bool below = false;
    const bool may = table_of(r)->arguments.node != NULL && strncmp(path, "no_", 3) == 0;
    const nnc_json none = { 0 }, row = may ? nnc_reading_row(r, path + 3, &below) : none;
    const char *harmless = text_of(row, "harmless");
    if (nnc_json_get(row, "values").node != NULL) {
        take_text(r, at, path, row, "false");
    } else if (harmless[0] != '\0' || nnc_json_get(row, "note").node != NULL) {
        nnc_reading_ignore(r, at, path, harmless[0] != '\0' ? harmless : "off", false);
    } else {
        return false;
    }
    return true;
}

/* Reads the members of an object of a launch file. prefix: keys around the object, each with a dot. The recursion is as
 * deep as the file. NOLINTNEXTLINE(misc-no-recursion) */
static void read_members(nnc_reading *r, nnc_json object, const char *prefix) {
    for (nnc_json at = nnc_json_first(object); at.node != NULL && nnc_reading_goes_on(r); at = nnc_json_next(at)) {
        char path[NNC_LAUNCH_KEY], name[NNC_LAUNCH_KEY];
        bool below = false;
        key_name(r, nnc_json_key(at), name, sizeof name);
        const bool fits = snprintf(path, sizeof path, "%s%s", prefix, name) < (int)sizeof path - 2;
        const nnc_json none = { 0 };
        const nnc_json row = fits ? nnc_reading_row(r, path, &below) : none;
        const nnc_json_type type = nnc_json_type_of(at);
        /* true: the content of a file that the key usually names stands in its place */
        const bool is_inline = type == NNC_JSON_OBJECT && nnc_json_get(row, "file").node != NULL;
        if (type == NNC_JSON_NULL) {
            nnc_reading_ignore(r, at, path, "empty: the same as absent", false);
        } else if (!below && is_replaced(r, at, path)) {
            nnc_reading_ignore(r, at, path, "the file on top or the default counts", false);
        } else if (names_given_file(r, &r->files[r->file], path) && at.doc == &r->files[r->file].content.doc) {
            nnc_reading_ignore(r, at, path, "the file before this file is used", false);
        } else if (row.node != NULL && !is_inline) {
            take_value(r, at, path, row);
        } else if (path[0] == '.') {
            /* a key that begins with '.' is the name of the program; most tables have no row for it, so it is
             * skipped */
            continue;
        } else if ((below || is_inline) && type == NNC_JSON_OBJECT) {
            const size_t end = strlen(path); /* `fits` is true, so `path` has space for one more dot */
            path[end] = '.';
            path[end + 1] = '\0';
            read_members(r, at, path);
        } else if (type == NNC_JSON_TEXT && strstr(nnc_json_text(at), "${") != NULL) {
            refuse_unset(r, at, path, row, nnc_json_text(at));
        } else if (!is_negated(r, at, path)) {
            refuse(r, at, path, "unknown key, and it may affect the cost", row);
        }
    }
}

/* Applies the rows of keys that the launch file does not have to the program's defaults of these keys (member "absent"
 * of the table). */
static void read_absent(nnc_reading *r, nnc_json keys) {
    const nnc_json absent = table_of(r)->absent;
    for (nnc_json at = nnc_json_first(absent); at.node != NULL && nnc_reading_goes_on(r); at = nnc_json_next(at)) {
        const nnc_json found = value_of(r, nnc_json_key(at));
        bool below = false;
        const nnc_json row = nnc_reading_row(r, nnc_json_key(at), &below);
        char text[NNC_LAUNCH_TEXT];
        if (found.node == at.node && row.node != NULL && value_text(at, text, sizeof text) &&
            nnc_json_get(row, "harmless").node == NULL) {
            const int32_t said = r->said->ignored_count;
            if (nnc_reading_applies(r, row, "when")) {
                take_text(r, keys, nnc_json_key(at), row, text);
            } else {
                nnc_reading_set(r, keys, nnc_json_key(at), nnc_json_get(row, "otherwise"), false);
            }
            r->said->ignored_count = said; /* keys of "absent" that set nothing are not listed, because the user did not
                                            * write them */
        }
    }
}

void nnc_reading_keys(nnc_reading *r, int index) {
    const nnc_json root = nnc_json_root(&r->files[index].content.doc);
    r->file = index;
    const nnc_json keys = keys_of(r);
    if (nnc_json_type_of(keys) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(root, "wrong content", "an object of keys");
        nnc_reading_fail(r, root);
        return;
    }
    for (const nnc_launch_file *file = &r->files[index]; file != NULL && nnc_reading_goes_on(r);
         file = beneath(r, file)) {
        read_members(r, keys_in(r, file), "");
    }
    read_absent(r, keys);
    if (nnc_reading_goes_on(r)) { nnc_reading_set(r, root, "", table_part(r, "defaults"), true); }
}

void nnc_reading_beneath(nnc_reading *r, int index) {
    r->file = index;
    for (const nnc_launch_file *file = beneath(r, &r->files[index]); file != NULL && nnc_reading_goes_on(r);
         file = beneath(r, file)) {
        read_members(r, keys_in(r, file), "");
    }
}

/* ---- checks, after all files are read, that each question has an answer ---- */

/* Writes the options that could answer a question: "--micro-batch or --global-batch". */
static void put_options(const nnc_launch_question *q, char *text, size_t size) {
    char option[NNC_OPTION_NAME];
    size_t used = 0;
    text[0] = '\0';
    if (q->only != NULL && strncmp(q->only, "model.", 6) == 0) {
        snprintf(text, size, "--set %s=N", q->only);
    } else if (q->only != NULL && strcmp(q->only, "MODEL") == 0) {
        snprintf(text, size, "MODEL");
    } else if (q->only != NULL) {
        snprintf(text, size, "%s", nnc_option_name(q->only, option));
    }
    for (nnc_json one = nnc_json_first(q->fields); one.node != NULL && used < size; one = nnc_json_next(one)) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " or " : "",
                                 nnc_option_name(nnc_json_text(one), option));
    }
}

static bool is_answered(nnc_reading *r, const nnc_launch_question *q) {
    bool known = q->only != NULL && is_known(r, q->only);
    for (nnc_json one = nnc_json_first(q->fields); one.node != NULL; one = nnc_json_next(one)) {
        known = known || is_known(r, nnc_json_text(one));
    }
    return known;
}

/* Checks that a question has an answer. If not, reports an error, or, if r->asked->may_be_open is true, adds the key to
 * the list of ignored keys. */
static void answer(nnc_reading *r, nnc_launch_question *q) {
    char options[160], what[256];
    q->is_open = !is_answered(r, q);
    if (!q->is_open) { return; }
    put_options(q, options, sizeof options);
    snprintf(what, sizeof what, "left open, expected %s, or a file that sets it", options);
    if (r->asked->may_be_open) {
        r->file = q->file;
        nnc_reading_ignore(r, q->at, q->path, what, true);
    } else {
        nnc_json_fault(q->at, NULL, "%s", what);
        nnc_reading_fail(r, q->at);
    }
}

void nnc_reading_answer(nnc_reading *r, int first) {
    for (int i = first; i < r->question_count && nnc_reading_goes_on(r); i++) { answer(r, &r->questions[i]); }
}

void nnc_reading_rules(nnc_reading *r, int index) {
    const nnc_json root = nnc_json_root(&r->files[index].content.doc);
    r->file = index;
    for (nnc_json rule = nnc_json_first(table_part(r, "rules")); rule.node != NULL && nnc_reading_goes_on(r);
         rule = nnc_json_next(rule)) {
        if (nnc_reading_applies(r, rule, "if")) {
            const char *key = text_of(rule, "key");
            const nnc_json at = value_of(r, key);
            nnc_reading_set(r, at.node != NULL && at.doc == root.doc ? at : root, key, nnc_json_get(rule, "set"), true);
        }
    }
}
