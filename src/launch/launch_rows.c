/* Reads the keys of launch files by the tables in foreign/launch/.
 *
 * A table has one row for each key. A row has one of the members "to", "values", "sets", "file", "harmless" and "note":
 *     "to" names the field that takes the value.
 *     "values" has, for each possible value, the fields to set. A value that is not in "values" is refused, unless
 *     "values" has an entry "*". An entry "*x*" stands for each text that contains x.
 *     "sets" has the fields to set for any value.
 *     "file" means that the value is the path of another launch file, or an object with the keys of another launch
 *     file; the text of "file" is the format of this other file. The member "known" of the row has fields to set if the
 *     path names a file that is shipped with the framework and the file is missing. The member "yields" means that the
 *     settings of this file take precedence over those of the other file.
 *     "harmless" has the reason why the key does not affect the cost.
 *     "note" has the reason why the key makes the estimate inexact. Every output shows the text of "note", unless the
 *     value of the key is off. If one of the values in "values" makes the estimate inexact, the member "#" of this
 *     value has the reason.
 * A row can have further members:
 *     "as" tells how the field "to" takes the value. With "as": "switch", the field is on if the number is above 0.
 *     With "as": "vocab", the field gets the vocabulary of the model that the value names.
 *     With "as": "pattern", the value is a pattern of layers. The member "letters" of the row has the kind of layer for
 *     each letter; "count" names the field for the number of layers; "second" is a second row for the same pattern;
 *     "first" names the field for the number of dense layers, if all dense layers come first.
 *     With "as": "parameters", the value has regular expressions that match the names of the trained parameters
 *     (nnc_reading_parameters).
 *     With "as": "accepted", the value is the mean number of tokens of a step with drafts, from which the share of
 *     accepted drafts is computed; the member "drafts" of the row names the key for the number of drafts.
 *     "auto" lists fields. If the value of the key is "auto", another file or an option must set one of the fields in
 *     the list "auto".
 *     "instead" names the option to pass when the value cannot be used.
 *     "decides" names a field; if the command line gives a value for this field, the value of the key may be unknown.
 *     "when" has conditions that must hold, and "unless" has conditions that must not hold. If the conditions of a row
 *     are not met, the fields of "otherwise" are set, or the key has no effect, for the reason in "else". If a row has
 *     neither "otherwise" nor "else", the key is refused.
 *     "with" names another key. The text "VALUE OF THE OTHER KEY/VALUE OF THIS KEY" (the values of two keys, joined by
 *     a slash) is looked up in "values".
 *     "each" means that each item of a list, or of a text with commas, is a value. Without "each", a list is one value:
 *     its items in alphabetic order, "a,b".
 *     "same" names another key. If the key of the row and the key that "same" names have equal values, the key of the
 *     row has no effect.
 *     "of_model" means that the key is not refused when MODEL is given.
 * A row with the key "a.*" is for all keys inside the key a. A row with the key "a*" is for all keys that begin with a.
 * The key ".program" is the program that a script starts.
 *
 * A field belongs to the plan or to the run. If the table has the member "serves", a field belongs to the deployment.
 * "MODEL" is the name of the model, "SOFTWARE" is the software profile. "model.FIELD" is a field of a model that the
 * file describes. The described model becomes a model file; the member "model" of the table has the fields that no key
 * sets. The values of fields to set are texts: { "zero": "3" }. The name of a field may begin with a sign.
 * A '?' before the name of a field means that the value is a default, which is used when nothing else sets the field.
 * A '!' before the name of a field means that something else must set the field (a question).
 * A '-' before the name of a field means that the field keeps the default of nncost, so that no rule sets it.
 * A '+' before the name of a field, in a rule, means that the value replaces the value that a file sets.
 * A text that begins with '=' is arithmetic with keys of the same file: + - * / % and brackets; the result is a whole
 * number, unless the text begins with "=~". A key that ends in '?' counts as 1 if it is absent. "model.FIELD"
 * is a field of the model that was already set, "plan.FIELD" a field of the plan. A text "@key" is the value of a key.
 * A value "${key}" in a file is the value of that key; see nnc_launch_referred.
 *
 * A condition is a name and its allowed values: { "zero": ["0", "1"] }. The name in a condition can have one of four
 * forms. A name can be a field of the plan or the model; "model.towers" is the number of networks that encode images or
 * sounds for the model. A name "@KEY" stands for the value of the key in the file; "@@KEY" stands for its value in the
 * lowest of several layers of files. A name "=FORMULA" stands for the value of the formula. The name "SERVES" stands
 * for the answer to the question whether the command computes a deployment. An allowed value "*x*" allows texts that
 * contain x. A '!' before the name in a condition reverses the condition. A key that is neither in the file nor in
 * "absent" has the value "absent".
 *
 * A table can have these members:
 *     "also" names another table. The rows of the table "also" are used for keys without a row in this table.
 *     "absent" has values that the program gives to keys that are not in the file, as if they were in the file.
 *     "renamed" has earlier names of keys of a file: { "old.name": "new.name" }.
 *     "arguments" means that the keys are options of a command line: "--a-b" is a_b.
 *     "inside" names the object that has the keys.
 *     "layers" names a key; the value of this key is the path of the file beneath a file. If two files have the format
 *     of the table, the second file is on top: its values replace those of the first file, even if the key does not
 *     name the first file.
 *     "groups" has names of groups. A launch file with groups has the content of one group of the configuration:
 *     "${group.key}" in the file is the value of "key" in the same file.
 *     "base" is the name of the file with the defaults of the program. The file "base" may be missing, because its
 *     values are also in "absent".
 *     "changes" means that fields of the model in a file of this format change the model that the file names, as --set
 *     does.
 *     "scripts" lists scripts of the framework that other scripts read, each with its "name" and "text", and with
 *     "sign", a word that the other script must contain.
 *     "serves" means that the program serves the model, and "any" that the program may serve or train.
 *     "command", "write" and "writer" are explained in launch_write.c.
 *
 * Launch files are read in this order: first the files in the order of the command line, then the files that these
 * files name. Afterwards nncost checks the questions, applies the "rules" of the tables (defaults of the program with a
 * condition), and checks the questions of rules. If two files give a field different values, and no option sets the
 * field, nncost reports an error. */
#include <stdlib.h>
#include <string.h>

#include "launch/launch_internal.h"

/* ---- stores what is found in a launch file: errors, ignored keys, fields that it sets ---- */

bool nnc_reading_goes_on(const nnc_reading *r) { return r->status == NNC_OK; }

void nnc_reading_fail(nnc_reading *r, nnc_json at) {
    r->status = at.doc->faults->status != NNC_OK ? at.doc->faults->status : NNC_BAD_SPEC;
}

/* Returns a copy of the reason why a key is ignored. If successive keys are ignored for one reason, the text of the
 * reason is copied once. */
static const char *keep_reason(const nnc_reading *r, const char *why) {
    const nnc_launch_said *said = r->said;
    const char *last = said->ignored_count > 0 ? said->ignored[said->ignored_count - 1].why : "";
    return said->ignored_count > 0 && strcmp(last, why) == 0 ? last : nnc_arena_strdup(r->arena, why);
}

void nnc_reading_ignore(nnc_reading *r, nnc_json at, const char *path, const char *why, bool skipped) {
    nnc_launch_said *said = r->said;
    nnc_ignored_key *grown =
        nnc_arena_grow(r->arena, said->ignored, said->ignored_count, &said->ignored_capacity, sizeof *said->ignored);
    const char *key = nnc_arena_strdup(r->arena, path);
    const char *reason = keep_reason(r, why);
    if (grown == NULL || key == NULL || reason == NULL) {
        r->status = nnc_no_memory(r->err);
        return;
    }
    said->ignored = grown;
    said->ignored[said->ignored_count++] = (nnc_ignored_key){
        .file = at.doc->faults->name, .key = key, .line = nnc_json_line(at), .why = reason, .skipped = skipped
    };
}

/* Returns true if the command line gives at least one of the options that a text names, such as "--recompute X or
 * --offload X". */
static bool gives_option(const nnc_reading *r, const char *text) {
    while ((text = strstr(text, "--")) != NULL) {
        char name[NNC_OPTION_NAME];
        text += 2;
        const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        for (char *c = name; *c != '\0'; c++) { *c = (char)(*c == '-' ? '_' : *c); }
        const nnc_field *field = length > 0 ? nnc_reading_field(r, name) : NULL;
        /* The option --method changes the meaning of the batch, so --method alone cannot take the place of a key of a
         * launch file. */
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
        nnc_reading_ignore(r, at, path, "an option replaces this key", true);
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

static const char as_option[] = "give the option of nncost with the same meaning";

void nnc_reading_refuse(nnc_reading *r, nnc_json at, const char *path, const char *what, nnc_json row) {
    refuse_with(r, at, path, what, row, as_option);
}

bool nnc_reading_is_given(const nnc_reading *r, const nnc_field *field) {
    for (int i = 0; i < r->given->setting_count; i++) {
        if (r->given->settings[i].field == field) { return true; }
    }
    return false;
}

nnc_set_field *nnc_reading_find_set(nnc_reading *r, const nnc_field *field) {
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

const nnc_field *nnc_reading_field(const nnc_reading *r, const char *name) {
    const nnc_field *field = nnc_field_of_key(r->serves ? &nnc_serve_table : &nnc_plan_table, name);
    field = field != NULL || r->serves ? field : nnc_field_of_key(&nnc_run_table, name);
    return field != NULL || r->serves ? field : nnc_field_of_key(&nnc_switch_table, name);
}

const char *nnc_model_field_name(const char *name) {
    const bool whole = strcmp(name, "MODEL") == 0 || strcmp(name, "SOFTWARE") == 0;
    return strncmp(name, "model.", 6) == 0 ? name + 6 : whole ? name : NULL;
}

/* Returns true if an option or a launch file has already set a field of the plan or of the model. If the command line
 * gives a model, all fields of the model count as set. */
static bool is_known(nnc_reading *r, const char *name) {
    const nnc_field *field = nnc_reading_field(r, name);
    const char *of_model = nnc_model_field_name(name);
    return of_model != NULL
               ? (r->model_given != NULL && strcmp(name, "SOFTWARE") != 0) || nnc_reading_model(r, of_model) != NULL
               : field != NULL && (nnc_reading_is_given(r, field) || nnc_reading_find_set(r, field) != NULL);
}

static void disagree(nnc_reading *r, nnc_json at, const nnc_set_field *first, const char *value) {
    char option[NNC_OPTION_NAME];
    const char *path = r->files[first->file].path;
    const long line = first->at.node != NULL ? nnc_json_line(first->at) : 1;
    nnc_json_fault(at, NULL, "disagrees with %s:%ld: %s is %s there and %s here; %s decides", path, line,
                   first->field->name, first->value, value, nnc_option_name(first->field->name, option));
    nnc_reading_fail(r, at);
}

/* Tests whether the field `name` is the first possible answer of a question that has no answer yet. */
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

nnc_status nnc_usual_text(const nnc_field *field, const char *value, char text[NNC_LAUNCH_VALUE], nnc_error *err) {
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
 * list means all flags for the fields `train` and `adapters`, and no flag for every other field with a list of
 * flags. */
static void join_flags(const nnc_field *field, char list[NNC_LAUNCH_VALUE], const char *more) {
    const bool none_is_all = field->type == NNC_FIELD_TRAIN || field->type == NNC_FIELD_ADAPTERS;
    char both[2 * NNC_LAUNCH_VALUE];
    unsigned flags = 0, others = 0;
    nnc_flags_read(nnc_flags_of(field->type), list, &flags);
    nnc_flags_read(nnc_flags_of(field->type), more, &others);
    if (flags != 0 && others != 0) {
        snprintf(both, sizeof both, "%s,%s", list, more);
        nnc_usual_text(field, both, list, NULL);
    } else if ((flags == 0) != none_is_all) {
        snprintf(list, NNC_LAUNCH_VALUE, "%s", more);
    }
}

void nnc_reading_set_text(nnc_reading *r, nnc_json at, const char *name, const char *value, bool is_default) {
    const nnc_field *field = nnc_reading_field(r, name);
    char text[NNC_LAUNCH_VALUE];
    nnc_error bad;
    if (nnc_model_field_name(name) != NULL) {
        set_model(r, at, nnc_model_field_name(name), value, is_default);
        return;
    }
    if (field == NULL) {
        r->status = nnc_fail(r->err, NNC_BAD_SPEC, r->files[r->file].format,
                             "the table names no field of the plan, found \"%s\"", name);
        return;
    }
    if (nnc_usual_text(field, value, text, &bad) != NNC_OK) {
        nnc_json_fault(at, NULL, "%s", bad.what);
        nnc_reading_fail(r, at);
        return;
    }
    nnc_set_field *set = nnc_reading_find_set(r, field);
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

/* If no file has set a field, marks the field: the field keeps the default of nncost, and no rule of a table may set
 * it. */
static void keep(nnc_reading *r, nnc_json at, const char *name) {
    const nnc_field *field = nnc_reading_field(r, name);
    if (field != NULL && nnc_reading_find_set(r, field) == NULL && r->set_count < NNC_LAUNCH_FIELDS_MAX) {
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

/* Returns true if the command line gives a value for the field `name`, or a model if `name` is "MODEL". */
static bool is_decided(const nnc_reading *r, const char *name) {
    const nnc_field *field = nnc_reading_field(r, name);
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
            nnc_set_field *set = name[0] == '+' ? nnc_reading_find_set(r, nnc_reading_field(r, name + 1)) : NULL;
            nnc_model_field *of_model = name[0] == '+' && nnc_model_field_name(name + 1) != NULL
                                            ? nnc_reading_model(r, nnc_model_field_name(name + 1))
                                            : NULL;
            if (set != NULL) { set->is_default = true; }
            if (of_model != NULL) { of_model->is_default = true; }
            nnc_reading_set_text(r, at, name + (name[0] == '?' || name[0] == '+'), text,
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
        const nnc_json other_value = nnc_reading_value(r, nnc_json_text(with));
        if (other_value.node == NULL || !nnc_launch_value_text(other_value, other, sizeof other)) {
            snprintf(other, sizeof other, "absent");
        }
        snprintf(both, sizeof both, "%s/%s", other, text);
        text = both;
    }
    for (nnc_json one = nnc_json_first(values); one.node != NULL; one = nnc_json_next(one)) {
        if (nnc_text_is_like(text, nnc_json_key(one)) || strcmp(nnc_json_key(one), "*") == 0) {
            if (nnc_json_count(one) == 0) {
                const char *why = nnc_row_member(row, "why");
                nnc_reading_ignore(r, at, path, why[0] != '\0' ? why : "off or usual", false);
            }
            nnc_reading_set(r, at, path, one, false);
            return;
        }
    }
    put_expected(values, expected, sizeof expected);
    snprintf(what, sizeof what, "cannot be estimated%s%s, found %.120s", expected[0] != '\0' ? ", expected " : "",
             expected, text);
    nnc_reading_refuse(r, at, path, what, row);
}

/* Appends to the list `out` the kind of layer for which a letter of a pattern stands. Returns false if `letters` does
 * not have the letter, or if the list becomes too long. */
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
    const char *at = text + strspn(text, "'(");
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
        at += strspn(at, "+)'");
    }
    return *at == '\0';
}

/* If all dense layers of a list of layers come first, '["dense", ..., "experts", ...]', returns the number of dense
 * layers. Returns -1 if no layer has experts, or if a dense layer comes after a layer with experts. */
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
    const char *total = nnc_row_member(row, "count");
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
        const int dense = nnc_row_member(row, "first")[0] != '\0' ? dense_first(list.bytes) : -1;
        snprintf(number, sizeof number, "%d", dense);
        nnc_reading_set_text(r, at, nnc_row_member(row, dense >= 0 ? "first" : "to"), dense >= 0 ? number : list.bytes,
                             false);
        snprintf(number, sizeof number, "%d", count);
        if (total[0] != '\0') { nnc_reading_set_text(r, at, total, number, false); }
    }
    nnc_buffer_free(&list);
    const nnc_json second = nnc_json_get(row, "second");
    if (nnc_reading_goes_on(r) && second.node != NULL) { take_pattern(r, at, second, text); }
}

/* Reads a key whose value names a tokenizer. If nncost knows a decoder with this name, its vocabulary becomes the
 * default of the field `to`. */
static void take_vocab(nnc_reading *r, nnc_json at, const char *model, const char *to) {
    const nnc_model *found = NULL;
    char number[NNC_LAUNCH_VALUE];
    if (nnc_model_load(r->specs, model, &found, NULL) == NNC_OK && found->family == NNC_FAMILY_DECODER) {
        snprintf(number, sizeof number, "%lld", (long long)found->decoder.vocab);
        nnc_reading_set_text(r, at, to, number, true);
    }
}

/* Computes the share a of accepted drafts from the mean number of tokens of a step, and sets the field to this share.
 * The mean number is 1 + a + a^2 + .. + a^drafts; the 1 is the token of the model itself. */
static void take_accepted(nnc_reading *r, nnc_json at, nnc_json row, double tokens) {
    char text[NNC_LAUNCH_VALUE] = "";
    double drafts = 0.0, low = 0.0, high = 1.0;
    const nnc_json number = nnc_reading_value(r, nnc_row_member(row, "drafts"));
    const bool known = number.node != NULL && nnc_launch_value_text(number, text, sizeof text) &&
                       nnc_read_double(text, &drafts) && drafts >= 1.0 && drafts <= 100.0;
    if (!known || !(tokens >= 1.0 && tokens <= drafts + 1.0)) {
        nnc_reading_refuse(r, at, nnc_row_member(row, "key"), "needs between 1 and drafts + 1 tokens", row);
        return;
    }
    for (int i = 0; i < 60; i++) { /* the sum grows with the share, so bisection finds the share */
        const double share = 0.5 * (low + high);
        double sum = 1.0;
        for (int k = 0; k < (int)drafts; k++) { sum = 1.0 + share * sum; }
        low = sum < tokens ? share : low;
        high = sum < tokens ? high : share;
    }
    snprintf(text, sizeof text, "%.6f", high);
    nnc_reading_set_text(r, at, nnc_row_member(row, "to"), text, false);
}

static void take_number(nnc_reading *r, nnc_json at, nnc_json row, const char *text) {
    const nnc_json as = nnc_json_get(row, "as");
    const char *name = nnc_json_text(nnc_json_get(row, "to"));
    double number = 0.0;
    if (as.node == NULL) {
        nnc_reading_set_text(r, at, name, text, false);
    } else if (strcmp(nnc_json_text(as), "vocab") == 0) {
        take_vocab(r, at, text, name);
    } else if (strcmp(nnc_json_text(as), "pattern") == 0) {
        take_pattern(r, at, row, text);
    } else if (strcmp(nnc_json_text(as), "accepted") == 0) {
        take_accepted(r, at, row, nnc_read_double(text, &number) ? number : 0.0);
    } else if (nnc_read_double(text, &number) && number >= 0.0) {
        nnc_reading_set_text(r, at, name, number > 0.0 ? "on" : "off", false);
    } else {
        nnc_json_mismatch(at, "wrong value", "a number of at least 0");
        nnc_reading_fail(r, at);
    }
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

/* Finds the variable NAME that the user has to set for a value "..${NAME}.." or "..${branch:NAME}..". Returns the
 * length of the variable's name; 0 = the value contains no name of a variable. */
static size_t needed_name(const char *text, const char **name) {
    const char *at = strstr(text, "${");
    if (at == NULL || strncmp(at, "${branch}", 9) == 0) { return 0; }
    at += strncmp(at, "${branch:", 9) == 0 ? 9 : 2;
    *name = at;
    const size_t length = nnc_shell_parameter_length(at);
    return at[length] == '}' ? length : 0;
}

/* Appends to `list` the names of those variables that the user has to set for values of the launch file and that the
 * error does not name yet, each with a blank before and a comma after it. The user can then give all variables at
 * once. */
static void put_others(nnc_reading *r, char *list, size_t size) {
    for (nnc_json at = nnc_json_first(nnc_reading_keys_of(r)); at.node != NULL; at = nnc_json_next(at)) {
        char key[NNC_LAUNCH_KEY], other[NNC_LAUNCH_VALUE];
        const char *name = "";
        bool below = false;
        const size_t length = nnc_json_type_of(at) == NNC_JSON_TEXT ? needed_name(nnc_json_text(at), &name) : 0;
        nnc_reading_key_name(r, nnc_json_key(at), key, sizeof key);
        const nnc_json row = nnc_reading_row(r, key, &below);
        const bool is_needed = length > 0 && nnc_json_get(row, "harmless").node == NULL &&
                               nnc_json_get(row, "as").node == NULL && !is_decided(r, nnc_row_member(row, "to"));
        snprintf(other, sizeof other, " %.*s,", (int)length, name);
        if (is_needed && strstr(list, other) == NULL && strlen(list) + strlen(other) < size) {
            memcpy(list + strlen(list), other, strlen(other) + 1);
        }
    }
}

/* Refuses a value with a variable "${NAME}" that the script does not set. */
static void refuse_unset(nnc_reading *r, nnc_json at, const char *path, nnc_json row, const char *text) {
    const char *name = "";
    const size_t length = needed_name(text, &name);
    char what[NNC_LAUNCH_TEXT], option[NNC_OPTION_NAME] = "", list[3 * NNC_LAUNCH_VALUE];
    const nnc_field *field = nnc_reading_field(r, nnc_row_member(row, "to"));
    const bool is_branch = strstr(text, "${branch") != NULL;
    if (field != NULL) { nnc_option_name(field->name, option); }
    snprintf(list, sizeof list, " %.*s,", (int)length, name);
    const size_t own = strlen(list);
    if (length > 0) { put_others(r, list, sizeof list); }
    const bool has_others = strlen(list) > own;
    list[strlen(list) - 1] = '\0';
    const char *or_option = option[0] != '\0' ? ", or " : "", *others = has_others ? list + own : "";
    const char *and_others = has_others ? "; other values need" : "";
    if (length == 0 && is_branch) {
        snprintf(
            what, sizeof what,
            "is set in a branch or a loop, expected NAME=VALUE among the arguments, which decides the condition%s%s",
            or_option, option);
    } else if (is_branch) {
        snprintf(what, sizeof what,
                 "is set in a branch whose condition reads $%.*s, expected %.*s=VALUE among the arguments%s%s%s%s",
                 (int)length, name, (int)length, name, or_option, option, and_others, others);
    } else if (length > 0) {
        snprintf(what, sizeof what,
                 "is %.200s, which the script does not set, expected %.*s=VALUE among the arguments%s%s%s%s", text,
                 (int)length, name, or_option, option, and_others, others);
    } else {
        snprintf(what, sizeof what, "is %.200s, which is known only when the script runs", text);
    }
    refuse_with(r, at, path, what, row, length > 0 || is_branch ? NULL : as_option);
}

/* Handles a word of a command that may stand for options, "${NAME}" or "${@}". The function lists and skips the word,
 * because the script also runs without the options for which the word stands. A value of a variable is refused if a
 * branch of the script (of an if or case) sets the variable. */
static void take_loose(nnc_reading *r, nnc_json at, const char *text) {
    char path[NNC_LAUNCH_KEY], why[NNC_LAUNCH_TEXT];
    const nnc_json none = { 0 };
    const char *name = strncmp(text, "${", 2) == 0 ? text + 2 : "";
    const size_t length = nnc_shell_parameter_length(name);
    if (strcmp(text, NNC_SHELL_ARGUMENTS) == 0) {
        nnc_reading_ignore(r, at, "\"$@\"",
                           "arguments given on the command line are not known, 1=VALUE gives the first", true);
    } else if (name[length] == '}' && strncmp(text, "${branch}", 9) != 0) {
        snprintf(path, sizeof path, "$%.*s", (int)length, name);
        snprintf(why, sizeof why, "the script does not set these options, %.*s=VALUE gives them", (int)length, name);
        nnc_reading_ignore(r, at, path, why, true);
    } else {
        refuse_unset(r, at, text, none, text);
    }
}

/* Returns the note of a row that sets no field for any of its values, such as "steps are not captured as CUDA graphs";
 * NULL = a value of the row sets a field. */
static const char *note_of(nnc_json row) {
    const char *note = NULL;
    const nnc_json values = nnc_json_get(row, "values");
    for (nnc_json value = nnc_json_first(values); value.node != NULL; value = nnc_json_next(value)) {
        for (nnc_json one = nnc_json_first(value); one.node != NULL; one = nnc_json_next(one)) {
            if (nnc_json_key(one)[0] != '#') { return NULL; }
            note = nnc_json_text(one);
        }
    }
    return note;
}

/* Applies the row of a key to one value: the text of the key, or one item of its list.
 * NOLINTNEXTLINE(misc-no-recursion): calls itself once, for the name of a model */
static void take_text(nnc_reading *r, nnc_json at, const char *path, nnc_json row, const char *text) {
    const nnc_json automatic = nnc_json_get(row, "auto"), sets = nnc_json_get(row, "sets");
    const char *decides = nnc_row_member(row, "decides");
    if (strstr(text, "${") != NULL && strcmp(nnc_row_member(row, "as"), "vocab") == 0) {
        nnc_reading_ignore(r, at, path, "not set in the script", false);
    } else if (strstr(text, "${") != NULL && is_decided(r, decides[0] != '\0' ? decides : nnc_row_member(row, "to"))) {
        nnc_reading_ignore(r, at, path, "given as an option", false);
    } else if (strstr(text, "${") != NULL && note_of(row) != NULL) {
        nnc_reading_ignore(r, at, path, note_of(row), true);
    } else if (strcmp(nnc_row_member(row, "to"), "MODEL") == 0 && nnc_name_in_folder(text) != text) {
        take_text(r, at, path, row, nnc_name_in_folder(text));
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
        nnc_reading_refuse(r, at, path, "cannot be estimated", row);
    }
}

/* Applies the row of a key to each word of a list item. Words are separated by blanks and commas: YAML reads "[a b]" as
 * one item, which means two words. */
static void take_words(nnc_reading *r, nnc_json at, const char *path, nnc_json row) {
    char text[NNC_LAUNCH_TEXT], *rest = text;
    if (!nnc_launch_value_text(at, text, sizeof text)) {
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
    const nnc_json other = same.node != NULL ? nnc_reading_value(r, nnc_json_text(same)) : same;
    char a[NNC_LAUNCH_VALUE], b[NNC_LAUNCH_VALUE];
    return other.node != NULL && nnc_launch_value_text(at, a, sizeof a) && nnc_launch_value_text(other, b, sizeof b) &&
           strcmp(a, b) == 0;
}

static void take_value(nnc_reading *r, nnc_json at, const char *path, nnc_json row) {
    const nnc_json harmless = nnc_json_get(row, "harmless"), place = at;
    at = nnc_launch_referred(r, at, path);
    if (harmless.node != NULL) {
        nnc_reading_ignore(r, at, path, nnc_json_text(harmless), false);
        return;
    }
    const nnc_json note = nnc_json_get(row, "note");
    const bool is_list = nnc_json_type_of(at) == NNC_JSON_LIST;
    const bool applies = note.node != NULL || nnc_reading_applies(r, row, "when");
    const nnc_json none = { 0 }, otherwise = applies ? none : nnc_json_get(row, "otherwise");
    char text[NNC_LAUNCH_TEXT];
    if (note.node != NULL && !is_off(at)) {
        nnc_reading_ignore(r, at, path, nnc_row_member(row, "note"), true);
    } else if (note.node != NULL) {
        nnc_reading_ignore(r, at, path, "off", false);
    } else if (otherwise.node != NULL) {
        nnc_reading_set(r, at, path, otherwise, false);
    } else if (!applies && nnc_json_get(row, "else").node == NULL) {
        nnc_reading_refuse(r, at, path, "cannot be estimated together with the other keys", row);
    } else if (!applies) {
        nnc_reading_ignore(r, at, path, nnc_row_member(row, "else"), false);
    } else if (nnc_json_count(row) == 2 && nnc_json_get(row, "instead").node != NULL) {
        nnc_reading_refuse(r, at, path, "cannot be estimated", row);
    } else if (is_same(r, at, row)) {
        nnc_reading_ignore(r, at, path, nnc_row_member(row, "why"), false);
    } else if (nnc_json_get(row, "families").node != NULL) {
        nnc_reading_parameters(r, at, path, row);
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
        nnc_reading_ignore(r, place, path, "empty, so nncost ignores the key", false);
    } else if (nnc_launch_value_text(at, text, sizeof text)) {
        take_text(r, place, path, row, text);
    } else if (nnc_json_get(row, "values").node != NULL) {
        nnc_reading_refuse(r, place, path, "cannot be estimated", row);
    } else {
        nnc_json_mismatch(at, "wrong value", "a number, a text, true or false");
        nnc_reading_fail(r, at);
    }
}

/* Reads an option "--no-enable-x" as the value false of "enable_x", if the table has a row for "enable_x" and none for
 * "no_enable_x". Returns false if the key does not begin with "no_", or if the rows of the table do not allow this
 * reading. */
static bool is_negated(nnc_reading *r, nnc_json at, const char *path) {
    bool below = false;
    const bool may = nnc_reading_table(r)->arguments.node != NULL && strncmp(path, "no_", 3) == 0;
    const nnc_json none = { 0 }, row = may ? nnc_reading_row(r, path + 3, &below) : none;
    const char *harmless = nnc_row_member(row, "harmless");
    if (nnc_json_get(row, "values").node != NULL) {
        take_text(r, at, path, row, "false");
    } else if (harmless[0] != '\0' || nnc_json_get(row, "note").node != NULL) {
        nnc_reading_ignore(r, at, path, harmless[0] != '\0' ? harmless : "off", false);
    } else {
        return false;
    }
    return true;
}

/* Reads the members of an object of a launch file. prefix: keys around the object, each with a dot. The function calls
 * itself for each object inside the object. NOLINTNEXTLINE(misc-no-recursion) */
static void read_members(nnc_reading *r, nnc_json object, const char *prefix) {
    for (nnc_json at = nnc_json_first(object); at.node != NULL && nnc_reading_goes_on(r); at = nnc_json_next(at)) {
        char path[NNC_LAUNCH_KEY];
        bool below = false;
        const size_t around = strlen(prefix);
        memcpy(path, prefix, around);
        nnc_reading_key_name(r, nnc_json_key(at), path + around, sizeof path - around);
        const bool fits = strlen(path) < sizeof path - 2;
        const nnc_json none = { 0 }, now = nnc_json_get(nnc_reading_table(r)->renamed, path);
        if (nnc_json_type_of(now) == NNC_JSON_TEXT) { snprintf(path, sizeof path - 2, "%s", nnc_json_text(now)); }
        const nnc_json row = fits ? nnc_reading_row(r, path, &below) : none;
        const nnc_json_type type = nnc_json_type_of(at);
        /* true: the value is the content of a launch file, in place of the path of this file */
        const bool is_inline = type == NNC_JSON_OBJECT && nnc_json_get(row, "file").node != NULL;
        if (strncmp(nnc_json_key(at), "${", 2) == 0) {
            take_loose(r, at, nnc_json_key(at));
        } else if (type == NNC_JSON_NULL) {
            nnc_reading_ignore(r, at, path, "empty, so nncost ignores the key", false);
        } else if (!below && nnc_reading_is_replaced(r, at, path)) {
            nnc_reading_ignore(r, at, path, "the file on top or the default is used instead", false);
        } else if (nnc_reading_names_file(r, &r->files[r->file], path) && at.doc == &r->files[r->file].content.doc) {
            nnc_reading_ignore(r, at, path, "the file before this file is used", false);
        } else if (row.node != NULL && !is_inline) {
            take_value(r, at, path, row);
        } else if (path[0] == '.') {
            /* a key that begins with '.' is the name of the program; most tables have no row for this key, so the key
             * is skipped */
            continue;
        } else if ((below || is_inline) && type == NNC_JSON_OBJECT) {
            const size_t end = strlen(path); /* `fits` is true, so `path` has space for one more dot */
            path[end] = '.';
            path[end + 1] = '\0';
            read_members(r, at, path);
        } else if (type == NNC_JSON_TEXT && strstr(nnc_json_text(at), "${") != NULL) {
            refuse_unset(r, at, path, row, nnc_json_text(at));
        } else if (!is_negated(r, at, path)) {
            nnc_reading_refuse(r, at, path, "unknown key, and it may affect the cost", row);
        }
    }
}

/* Applies the rows of keys that the launch file does not have to the program's defaults of these keys (member "absent"
 * of the table). */
static void read_absent(nnc_reading *r, nnc_json keys) {
    const nnc_json absent = nnc_reading_table(r)->absent;
    for (nnc_json at = nnc_json_first(absent); at.node != NULL && nnc_reading_goes_on(r); at = nnc_json_next(at)) {
        const nnc_json found = nnc_reading_value(r, nnc_json_key(at));
        bool below = false;
        const nnc_json row = nnc_reading_row(r, nnc_json_key(at), &below);
        char text[NNC_LAUNCH_TEXT];
        if (found.node == at.node && row.node != NULL && nnc_launch_value_text(at, text, sizeof text) &&
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

/* Allocates the list of ignored keys, with one entry for each member of the object `keys`, unless the list is already
 * allocated. */
static void make_ignored(nnc_reading *r, nnc_json keys) {
    nnc_launch_said *said = r->said;
    if (said->ignored_capacity > 0 || nnc_json_count(keys) == 0) { return; }
    said->ignored = nnc_arena_array(r->arena, (size_t)nnc_json_count(keys), sizeof *said->ignored);
    if (said->ignored != NULL) { said->ignored_capacity = nnc_json_count(keys); }
}

void nnc_reading_keys(nnc_reading *r, int index) {
    const nnc_json root = nnc_json_root(&r->files[index].content.doc);
    r->file = index;
    const nnc_json keys = nnc_reading_keys_of(r);
    if (nnc_json_type_of(keys) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(root, "wrong content", "an object of keys");
        nnc_reading_fail(r, root);
        return;
    }
    make_ignored(r, keys);
    for (const nnc_launch_file *file = &r->files[index]; file != NULL && nnc_reading_goes_on(r);
         file = nnc_file_beneath(r, file)) {
        read_members(r, nnc_reading_keys_in(r, file), "");
    }
    read_absent(r, keys);
    if (nnc_reading_goes_on(r)) { nnc_reading_set(r, root, "", nnc_reading_table_part(r, "defaults"), true); }
}

void nnc_reading_beneath(nnc_reading *r, int index) {
    r->file = index;
    for (const nnc_launch_file *file = nnc_file_beneath(r, &r->files[index]); file != NULL && nnc_reading_goes_on(r);
         file = nnc_file_beneath(r, file)) {
        read_members(r, nnc_reading_keys_in(r, file), "");
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

/* Checks that a question has an answer. If the question has no answer, reports an error; if r->asked->may_be_open is
 * true, adds the key to the list of ignored keys instead. */
static void answer(nnc_reading *r, nnc_launch_question *q) {
    char options[160], what[256];
    q->is_open = !is_answered(r, q);
    if (!q->is_open) { return; }
    put_options(q, options, sizeof options);
    snprintf(what, sizeof what, "left open, expected %s, or a file that sets this field", options);
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
    for (nnc_json rule = nnc_json_first(nnc_reading_table_part(r, "rules"));
         rule.node != NULL && nnc_reading_goes_on(r); rule = nnc_json_next(rule)) {
        if (nnc_reading_applies(r, rule, "if")) {
            const char *key = nnc_row_member(rule, "key");
            const nnc_json at = nnc_reading_value(r, key);
            nnc_reading_set(r, at.node != NULL && at.doc == root.doc ? at : root, key, nnc_json_get(rule, "set"), true);
        }
    }
}
