/* Launch files as settings of a plan, by the tables in foreign/launch/.
 *
 * A table has one row for each key. The kinds of rows:
 *     "to"        The field that takes the value. With "as": "switch" the field is on if the number is above 0.
 *     "values"    For each possible value, the fields to set. Other values are refused.
 *     "sets"      The fields to set whatever the value is.
 *     "file"      The value is the path of another launch file, in this format.
 *     "harmless"  The reason why the key does not affect the cost.
 * Further members of a row. "auto": the key may be "auto"; then another file or an option must set one of these
 * fields. "instead": the option to pass when the value cannot be used. A key that ends in ".*" stands for everything
 * inside it.
 *
 * Fields to set are texts, { "zero": "3" }. The first letter of a name may be
 *     '?'  a default: it counts when nothing else sets the field;
 *     '!'  a question: something else must set the field;
 *     '-'  the field keeps the default of nncost, so that no rule sets it.
 * A text that begins with '=' is a product or quotient of keys in the same file. A key in it that ends in '?' counts as
 * 1 when it is absent.
 *
 * Order: the files in the order given; the files they name; questions; "rules", which are defaults of the program with
 * a condition on other fields. Two files that disagree are an error unless an option decides. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/launch_internal.h"

enum { FILES_MAX = 8, VALUE_TEXT = 64, KEY_TEXT = 192, SETTINGS_MAX = NNC_SETTINGS_MAX };

/* A document and its faults. */
typedef struct document {
    nnc_json_doc doc;
    nnc_faults faults;
    char *text;      /* of the file */
    nnc_buffer json; /* of a YAML file */
    bool is_parsed;
} document;

/* A launch file with its table. */
typedef struct launch_file {
    const char *path, *format;
    document content, table;
} launch_file;

/* A field that a file sets. */
typedef struct set_field {
    const nnc_field *field;
    char value[VALUE_TEXT];
    int file;    /* that set it first */
    nnc_json at; /* node NULL: a rule or a default of a table */
    bool is_default;
    bool is_kept; /* the field keeps nncost's own default, whatever the rules say */
} set_field;

/* A key that wants one of some fields set elsewhere. */
typedef struct question {
    nnc_json at, fields;
    const char *only; /* the field, when `fields` is absent */
    const char *path; /* of the key, in the arena */
    int file;
    bool is_open; /* nothing sets them */
} question;

/* A path in a file to another launch file. */
typedef struct reference {
    nnc_json at;
    const char *format;
    const char *path; /* of the key, in the arena */
    int file;
} reference;

typedef struct reading {
    nnc_specs *specs;
    nnc_arena *arena;
    const nnc_launch_asked *asked;
    const nnc_scenario_args *given;
    launch_file files[FILES_MAX];
    int file_count, file; /* file: the one that is read now */
    set_field sets[SETTINGS_MAX];
    int set_count;
    question questions[SETTINGS_MAX];
    int question_count;
    reference references[FILES_MAX];
    int reference_count;
    bool is_incomplete; /* a file is missing, so no rule applies */
    nnc_launch_said *said;
    nnc_error *err;
    nnc_status status;
} reading;

/* ---- documents ---- */

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static bool is_yaml(const char *path)
{
    return ends_in(path, ".yaml") || ends_in(path, ".yml");
}

/* Can the name be that of a launch file? */
static bool may_be_launch(const char *path)
{
    return is_yaml(path) || ends_in(path, ".json");
}

static void document_free(document *d)
{
    if (d->is_parsed) {
        nnc_json_free(&d->doc);
    }
    nnc_buffer_free(&d->json);
    free(d->text);
}

static nnc_status document_read(nnc_specs *specs, const char *path, document *d, nnc_error *err)
{
    size_t size = 0;
    *d = (document){ .faults = { .name = path, .err = err } };
    NNC_TRY(nnc_specs_read(specs, path, &d->text, &size, err));
    const char *text = d->text;
    if (is_yaml(path)) {
        NNC_TRY(nnc_yaml_to_json(path, text, size, &d->json, err));
        size = d->json.size;
        nnc_buffer_byte(&d->json, '\0');
        if (d->json.failed) {
            return nnc_no_memory(err);
        }
        text = d->json.bytes;
    }
    d->doc = (nnc_json_doc){
        .faults = &d->faults, .arena = nnc_specs_arena(specs), .text = text, .size = size
    };
    d->is_parsed = true;
    return nnc_json_parse(&d->doc) ? NNC_OK : d->faults.status;
}

/* ---- formats ---- */

static nnc_status table_open(nnc_specs *specs, const char *format, document *table, nnc_error *err)
{
    char name[96];
    const char *path = NULL;
    snprintf(name, sizeof name, "foreign/launch/%.60s.json", format);
    NNC_TRY(nnc_specs_file(specs, name, &path, err));
    if (path == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--from",
                        "unknown format, expected deepspeed or accelerate, found \"%.60s\"",
                        format);
    }
    return document_read(specs, path, table, err);
}

static bool has_any(nnc_json root, nnc_json keys)
{
    for (nnc_json key = nnc_json_first(keys); key.node != NULL; key = nnc_json_next(key)) {
        if (nnc_json_get(root, nnc_json_text(key)).node != NULL) {
            return true;
        }
    }
    return false;
}

/* The table whose "signs" the document has; table->is_parsed: found. */
static nnc_status recognise(nnc_specs *specs, nnc_json root, const char **format, document *table,
                            nnc_error *err)
{
    nnc_id_list ids = { 0 };
    *format = NULL;
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        return NNC_OK;
    }
    if (!nnc_specs_list_folder(specs, "foreign/launch", &ids)) {
        return nnc_no_memory(err);
    }
    for (int32_t i = 0; i < ids.count; i++) {
        const nnc_status status = table_open(specs, ids.ids[i], table, err);
        const nnc_json of = status == NNC_OK ? nnc_json_root(&table->doc) : (nnc_json){ 0 };
        if (status == NNC_OK && has_any(root, nnc_json_get(of, "signs")) &&
            !has_any(root, nnc_json_get(of, "never"))) {
            *format = ids.ids[i];
            return NNC_OK;
        }
        document_free(table);
        *table = (document){ .is_parsed = false };
        NNC_TRY(status);
    }
    return NNC_OK;
}

/* Does the text of a JSON file belong to nncost itself, or to a model's configuration? Such files are common, and need
 * not be parsed twice. */
static bool is_other_json(nnc_specs *specs, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    const bool other = nnc_specs_read(specs, path, &text, &size, NULL) != NNC_OK ||
                       strstr(text, "\"schema\"") != NULL || strstr(text, "\"model_type\"") != NULL;
    free(text);
    return other;
}

/* A pipe is left to the commands that read it: it can be read only once. */
static bool is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool nnc_launch_is_file(nnc_specs *specs, const char *path, const char *format)
{
    document content = { .is_parsed = false }, table = { .is_parsed = false };
    const char *found = NULL;
    nnc_error err;
    if (is_yaml(path)) {
        return true; /* no other file of nncost is YAML */
    }
    if (!may_be_launch(path) || !is_regular(path)) {
        return false;
    }
    if (format != NULL) {
        return true;
    }
    const bool is = !is_other_json(specs, path) &&
                    document_read(specs, path, &content, &err) == NNC_OK &&
                    recognise(specs, nnc_json_root(&content.doc), &found, &table, &err) == NNC_OK &&
                    found != NULL;
    document_free(&content);
    document_free(&table);
    return is;
}

/* Reads a file and finds its table. */
static nnc_status open_file(reading *r, const char *path, const char *format)
{
    if (r->file_count == FILES_MAX) {
        return nnc_fail(r->err, NNC_BAD_USAGE, path, "too many launch files, expected at most %d",
                        FILES_MAX);
    }
    launch_file *file = &r->files[r->file_count++];
    *file = (launch_file){ .path = path, .format = format };
    NNC_TRY(document_read(r->specs, path, &file->content, r->err));
    if (format != NULL) {
        return table_open(r->specs, format, &file->table, r->err);
    }
    NNC_TRY(recognise(r->specs, nnc_json_root(&file->content.doc), &file->format, &file->table,
                      r->err));
    if (file->format == NULL) {
        return nnc_fail(r->err, NNC_BAD_SPEC, path,
                        "unknown kind of launch file, expected one of those in docs/files.md; "
                        "--from FORMAT names it");
    }
    return NNC_OK;
}

/* ---- what was found ---- */

static bool goes_on(const reading *r)
{
    return r->status == NNC_OK;
}

/* The fault that was noted at a value becomes the error of the reading. */
static void fail_as(reading *r, nnc_json at)
{
    r->status = at.doc->faults->status != NNC_OK ? at.doc->faults->status : NNC_BAD_SPEC;
}

/* Keys from the root to a value, joined by dots, are given by the caller. */
static void ignore(reading *r, nnc_json at, const char *path, const char *why, bool skipped)
{
    nnc_launch_said *said = r->said;
    nnc_ignored_key *grown = nnc_arena_grow(r->arena, said->ignored, said->ignored_count,
                                            &said->ignored_capacity, sizeof *said->ignored);
    const char *key = nnc_arena_strdup(r->arena, path);
    const char *reason = nnc_arena_strdup(r->arena, why);
    if (grown == NULL || key == NULL || reason == NULL) {
        r->status = nnc_no_memory(r->err);
        return;
    }
    said->ignored = grown;
    said->ignored[said->ignored_count++] = (nnc_ignored_key){ .file = r->files[r->file].path,
                                                              .key = key,
                                                              .line = nnc_json_line(at),
                                                              .why = reason,
                                                              .skipped = skipped };
}

/* A key that cannot be used: an error, or with --lenient a line of the list. */
static void refuse(reading *r, nnc_json at, const char *path, const char *what, nnc_json row)
{
    const nnc_json instead = nnc_json_get(row, "instead");
    if (r->asked->lenient) {
        ignore(r, at, path, what, true);
        return;
    }
    nnc_json_fault(at, NULL, "%s; %s%s", what,
                   instead.node != NULL ? nnc_json_text(instead)
                                        : "give what it means as an option of nncost",
                   ", and --lenient skips the key");
    fail_as(r, at);
}

static bool is_given(const reading *r, const nnc_field *field)
{
    for (int i = 0; i < r->given->setting_count; i++) {
        if (r->given->settings[i].field == field) {
            return true;
        }
    }
    return false;
}

static set_field *find_set(reading *r, const nnc_field *field)
{
    for (int i = 0; i < r->set_count; i++) {
        if (r->sets[i].field == field) {
            return &r->sets[i];
        }
    }
    return NULL;
}

/* Is the field known, by an option or a file? */
static bool is_known(reading *r, const char *name)
{
    const nnc_field *field = nnc_field_of_key(&nnc_plan_table, name);
    return field != NULL && (is_given(r, field) || find_set(r, field) != NULL);
}

/* Joins the flags of two keys: "optimizer" and "weights". false: no space. */
static bool join_flags(char value[VALUE_TEXT], const char *more)
{
    const size_t used = strlen(value);
    return strstr(value, more) != NULL ||
           snprintf(value + used, VALUE_TEXT - used, ",%s", more) < (int)(VALUE_TEXT - used);
}

static void disagree(reading *r, nnc_json at, const set_field *first, const char *value)
{
    char option[NNC_OPTION_NAME];
    const char *path = r->files[first->file].path;
    const long line = first->at.node != NULL ? nnc_json_line(first->at) : 1;
    nnc_json_fault(at, NULL, "disagrees with %s:%ld: %s is %s there and %s here; %s decides", path,
                   line, first->field->name, first->value, value,
                   nnc_option_name(first->field->name, option));
    fail_as(r, at);
}

/* Does an open question name the field first? */
static bool is_open(const reading *r, const char *name)
{
    for (int i = 0; i < r->question_count; i++) {
        const question *q = &r->questions[i];
        if (q->is_open &&
            strcmp(q->only != NULL ? q->only : nnc_json_text(nnc_json_first(q->fields)), name) ==
                0) {
            return true;
        }
    }
    return false;
}

/* Sets a field from a text, which is checked as an option would be. */
static void set_text(reading *r, nnc_json at, const char *name, const char *value, bool is_default)
{
    const nnc_field *field = nnc_field_of_key(&nnc_plan_table, name);
    nnc_plan plan = nnc_plan_default();
    char text[VALUE_TEXT];
    nnc_error bad;
    if (field == NULL) {
        r->status = nnc_fail(r->err, NNC_BAD_SPEC, r->files[r->file].format,
                             "the table names no field of the plan, found \"%s\"", name);
        return;
    }
    if (nnc_plan_set(&plan, name, value, &bad) != NNC_OK) {
        nnc_json_fault(at, NULL, "%s", bad.what);
        fail_as(r, at);
        return;
    }
    nnc_field_text(field, &plan, text, sizeof text);
    set_field *set = find_set(r, field);
    if (is_default && (is_given(r, field) || is_open(r, name))) {
        return;
    }
    if (set != NULL && (is_default || strcmp(set->value, text) == 0)) {
        if (set->is_default && !is_default) {
            set->is_default = false;
            set->at = at;
        }
        return; /* known already */
    }
    if (set != NULL && !set->is_default && nnc_flags_of(field->type) == NULL) {
        if (!is_given(r, field)) {
            disagree(r, at, set, text);
        }
        return;
    }
    if (set != NULL && !set->is_default && join_flags(set->value, text)) {
        return;
    }
    if (set == NULL && r->set_count == SETTINGS_MAX) {
        r->status = nnc_fail(r->err, NNC_BAD_SPEC, r->files[r->file].path, "too many settings");
        return;
    }
    set = set != NULL ? set : &r->sets[r->set_count++];
    *set = (set_field){ .field = field, .file = r->file, .at = at, .is_default = is_default };
    snprintf(set->value, sizeof set->value, "%s", text);
}

/* Keeps the default of nncost for a field that nothing sets. */
static void keep(reading *r, nnc_json at, const char *name)
{
    const nnc_field *field = nnc_field_of_key(&nnc_plan_table, name);
    if (field != NULL && find_set(r, field) == NULL && r->set_count < SETTINGS_MAX) {
        r->sets[r->set_count++] = (set_field){
            .field = field, .file = r->file, .at = at, .is_kept = true, .value = "default"
        };
    }
}

static void ask(reading *r, nnc_json at, const char *path, nnc_json fields, const char *only)
{
    const char *kept = nnc_arena_strdup(r->arena, path);
    if (kept == NULL) {
        r->status = nnc_no_memory(r->err);
    } else if (r->question_count == SETTINGS_MAX) {
        r->status = nnc_fail(r->err, NNC_BAD_SPEC, r->files[r->file].path, "too many open keys");
    } else {
        r->questions[r->question_count++] =
            (question){ .at = at, .fields = fields, .only = only, .path = kept, .file = r->file };
    }
}

/* ---- formulas ---- */

/* The value of a key of the file as a whole number above 0. optional: 1 when it is absent. */
static bool read_factor(reading *r, nnc_json at, const char *key, bool optional, int64_t *value)
{
    const char *rest;
    const nnc_json root = nnc_json_root(&r->files[r->file].content.doc);
    const nnc_json found = nnc_json_follow(root, key, &rest);
    const nnc_json_type type = *rest == '\0' ? nnc_json_type_of(found) : NNC_JSON_ABSENT;
    *value = 1;
    if (type == NNC_JSON_ABSENT || type == NNC_JSON_NULL) {
        if (!optional) {
            nnc_json_fault(at, NULL, "needs the key %s, which is absent", key);
            fail_as(r, at);
        }
        return optional;
    }
    const double number = type == NNC_JSON_NUMBER ? nnc_json_number(found) : 0.0;
    if (!(number >= 1.0 && number <= 1e9) || number > (double)(int64_t)number) {
        nnc_json_fault(found, NULL, "expected a whole number above 0");
        fail_as(r, found);
        return false;
    }
    *value = (int64_t)number;
    return true;
}

/* "=a/b", "=a*b?": product and quotient of keys, from left to right. */
static bool calculate(reading *r, nnc_json at, const char *formula, char value[VALUE_TEXT])
{
    int64_t result = 1;
    char sign = '*';
    const char *part = formula + 1;
    while (*part != '\0') {
        char key[KEY_TEXT];
        int64_t factor = 1;
        const size_t length = strcspn(part, "*/");
        snprintf(key, sizeof key, "%.*s", (int)length, part);
        const bool optional = ends_in(key, "?");
        if (optional) {
            key[strlen(key) - 1] = '\0';
        }
        if (!read_factor(r, at, key, optional, &factor)) {
            return false;
        }
        if (sign == '/' ? result % factor != 0 : !nnc_mul_i64(result, factor, &result)) {
            nnc_json_fault(at, NULL, "%s is not a whole number", formula + 1);
            fail_as(r, at);
            return false;
        }
        result = sign == '/' ? result / factor : result;
        sign = part[length];
        part += length + (sign != '\0');
    }
    snprintf(value, VALUE_TEXT, "%lld", (long long)result);
    return true;
}

/* ---- rows ---- */

/* Sets the fields of an object of a table. */
static void set_fields(reading *r, nnc_json at, const char *path, nnc_json fields,
                       bool are_defaults)
{
    for (nnc_json one = nnc_json_first(fields); one.node != NULL && goes_on(r);
         one = nnc_json_next(one)) {
        const char *name = nnc_json_key(one), *value = nnc_json_text(one);
        char number[VALUE_TEXT];
        if (name[0] == '-') {
            keep(r, at, name + 1);
        } else if (name[0] == '!') {
            ask(r, at, path, (nnc_json){ 0 }, name + 1);
        } else if (value[0] != '=' || calculate(r, at, value, number)) {
            set_text(r, at, name + (name[0] == '?'), value[0] == '=' ? number : value,
                     are_defaults || name[0] == '?');
        }
    }
}

/* A value as text: "true", "5e8", "cpu". */
static bool value_text(nnc_json at, char *text, size_t size)
{
    char number[NNC_NUMBER_TEXT];
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_BOOL:
        snprintf(text, size, "%s", nnc_json_bool(at) ? "true" : "false");
        return true;
    case NNC_JSON_NUMBER:
        snprintf(text, size, "%s", nnc_number_text(nnc_json_number(at), number));
        return true;
    case NNC_JSON_TEXT: snprintf(text, size, "%s", nnc_json_text(at)); return true;
    default: return false;
    }
}

static void put_expected(nnc_json values, char *text, size_t size)
{
    size_t used = 0;
    for (nnc_json one = nnc_json_first(values); one.node != NULL && used < size;
         one = nnc_json_next(one)) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                 nnc_json_key(one));
    }
}

static void take_values(reading *r, nnc_json at, const char *path, nnc_json row, const char *text)
{
    const nnc_json values = nnc_json_get(row, "values");
    char expected[160] = "", what[320];
    for (nnc_json one = nnc_json_first(values); one.node != NULL; one = nnc_json_next(one)) {
        if (strcasecmp(nnc_json_key(one), text) == 0) {
            if (nnc_json_count(one) == 0) {
                const nnc_json why = nnc_json_get(row, "why");
                ignore(r, at, path, why.node != NULL ? nnc_json_text(why) : "off or usual", false);
            }
            set_fields(r, at, path, one, false);
            return;
        }
    }
    put_expected(values, expected, sizeof expected);
    snprintf(what, sizeof what, "cannot be estimated, expected %s, found %.60s", expected, text);
    refuse(r, at, path, what, row);
}

static void take_number(reading *r, nnc_json at, nnc_json row, const char *text)
{
    const nnc_json as = nnc_json_get(row, "as");
    const char *name = nnc_json_text(nnc_json_get(row, "to"));
    double number = 0.0;
    if (as.node == NULL) {
        set_text(r, at, name, text, false);
    } else if (nnc_read_double(text, &number) && number >= 0.0) {
        set_text(r, at, name, number > 0.0 ? "on" : "off", false);
    } else {
        nnc_json_mismatch(at, "wrong value", "a number of at least 0");
        fail_as(r, at);
    }
}

/* Remembers the path of another file. */
static void name_file(reading *r, nnc_json at, const char *path, const char *format)
{
    const char *kept = nnc_arena_strdup(r->arena, path);
    if (kept == NULL) {
        r->status = nnc_no_memory(r->err);
    } else if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        nnc_json_mismatch(at, "wrong value", "the path of a file");
        fail_as(r, at);
    } else if (r->reference_count < FILES_MAX) {
        r->references[r->reference_count++] = (reference){ at, format, kept, r->file };
    }
}

static void take_value(reading *r, nnc_json at, const char *path, nnc_json row)
{
    const nnc_json harmless = nnc_json_get(row, "harmless"), automatic = nnc_json_get(row, "auto");
    const nnc_json file = nnc_json_get(row, "file"), sets = nnc_json_get(row, "sets");
    char text[256];
    if (harmless.node != NULL) {
        ignore(r, at, path, nnc_json_text(harmless), false);
    } else if (!value_text(at, text, sizeof text)) {
        nnc_json_mismatch(at, "wrong value", "a number, a text, true or false");
        fail_as(r, at);
    } else if (automatic.node != NULL && strcmp(text, "auto") == 0) {
        ask(r, at, path, automatic, NULL);
    } else if (file.node != NULL) {
        name_file(r, at, path, nnc_json_text(file));
    } else if (sets.node != NULL) {
        set_fields(r, at, path, sets, false);
    } else if (nnc_json_get(row, "values").node != NULL) {
        take_values(r, at, path, row, text);
    } else if (nnc_json_get(row, "to").node != NULL) {
        take_number(r, at, row, text);
    } else {
        refuse(r, at, path, "cannot be estimated", row);
    }
}

/* Is the key inside the one that a row with ".*" names? */
static bool is_inside(const char *key, const char *path)
{
    const size_t stem = ends_in(key, ".*") ? strlen(key) - 2 : 0;
    return stem > 0 && strncmp(key, path, stem) == 0 && path[stem] == '.';
}

/* The row of a key: that of its name before one with ".*". below: there are rows for keys inside it. */
static nnc_json find_row(nnc_json rows, const char *path, bool *below)
{
    const size_t length = strlen(path);
    nnc_json wide = { 0 };
    *below = false;
    for (nnc_json row = nnc_json_first(rows); row.node != NULL; row = nnc_json_next(row)) {
        const char *key = nnc_json_text(nnc_json_get(row, "key"));
        if (strcmp(key, path) == 0) {
            return row;
        }
        if (wide.node == NULL && is_inside(key, path)) {
            wide = row;
        }
        *below = *below || (strncmp(key, path, length) == 0 && key[length] == '.');
    }
    const nnc_json none = { 0 };
    return *below ? none : wide;
}

/* Reads the members of an object. prefix: the keys around it with their dots. Recursion is as deep as the file.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void read_members(reading *r, nnc_json object, const char *prefix)
{
    const nnc_json rows = nnc_json_get(nnc_json_root(&r->files[r->file].table.doc), "keys");
    for (nnc_json at = nnc_json_first(object); at.node != NULL && goes_on(r);
         at = nnc_json_next(at)) {
        char path[KEY_TEXT];
        bool below = false;
        const bool fits =
            snprintf(path, sizeof path, "%s%s", prefix, nnc_json_key(at)) < (int)sizeof path - 2;
        const nnc_json none = { 0 };
        const nnc_json row = fits ? find_row(rows, path, &below) : none;
        const nnc_json_type type = nnc_json_type_of(at);
        if (type == NNC_JSON_NULL) {
            ignore(r, at, path, "empty: the same as absent", false);
        } else if (row.node != NULL) {
            take_value(r, at, path, row);
        } else if (below && type == NNC_JSON_OBJECT) {
            const size_t end = strlen(path); /* space for it is left above */
            path[end] = '.';
            path[end + 1] = '\0';
            read_members(r, at, path);
        } else {
            refuse(r, at, path, "unknown key, and it may affect the cost", row);
        }
    }
}

static void read_file(reading *r, int index)
{
    const launch_file *file = &r->files[index];
    const nnc_json root = nnc_json_root(&file->content.doc);
    r->file = index;
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(root, "wrong content", "an object of keys");
        fail_as(r, root);
        return;
    }
    read_members(r, root, "");
    if (goes_on(r)) {
        set_fields(r, root, "", nnc_json_get(nnc_json_root(&file->table.doc), "defaults"), true);
    }
}

/* ---- after all files ---- */

/* Is there a file of this format among those that are open? */
static bool has_format(const reading *r, const char *format)
{
    for (int i = 0; i < r->file_count; i++) {
        if (r->files[i].format != NULL && strcmp(r->files[i].format, format) == 0) {
            return true;
        }
    }
    return false;
}

/* Opens the files that keys name; a file of the same format that was given counts instead. */
static void read_references(reading *r)
{
    for (int i = 0; i < r->reference_count && goes_on(r); i++) {
        const reference *named = &r->references[i];
        const char *name = nnc_json_text(named->at), *from = named->at.doc->faults->name;
        const char *path = nnc_path_from(r->arena, from, name);
        if (has_format(r, named->format)) {
            continue;
        }
        if (path == NULL) {
            r->status = nnc_no_memory(r->err);
        } else if (access(path, R_OK) == 0) {
            r->status = open_file(r, path, named->format);
            if (goes_on(r)) {
                read_file(r, r->file_count - 1);
            }
        } else if (r->asked->may_be_open) {
            r->is_incomplete = true;
            r->file = named->file;
            ignore(r, named->at, named->path, "no such file, give it on the command line", true);
        } else {
            nnc_json_fault(named->at, NULL,
                           "no such file, expected \"%s\"; give the file on the command line",
                           path);
            fail_as(r, named->at);
        }
    }
}

/* "--micro-batch or --global-batch" */
static void put_options(const question *q, char *text, size_t size)
{
    char option[NNC_OPTION_NAME];
    size_t used = 0;
    text[0] = '\0';
    if (q->only != NULL) {
        snprintf(text, size, "%s", nnc_option_name(q->only, option));
    }
    for (nnc_json one = nnc_json_first(q->fields); one.node != NULL && used < size;
         one = nnc_json_next(one)) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " or " : "",
                                 nnc_option_name(nnc_json_text(one), option));
    }
}

static bool is_answered(reading *r, const question *q)
{
    bool known = q->only != NULL && is_known(r, q->only);
    for (nnc_json one = nnc_json_first(q->fields); one.node != NULL; one = nnc_json_next(one)) {
        known = known || is_known(r, nnc_json_text(one));
    }
    return known;
}

/* A question without an answer is an error, or a line of the list. */
static void answer(reading *r, question *q)
{
    char options[160], what[256];
    q->is_open = !is_answered(r, q);
    if (!q->is_open) {
        return;
    }
    put_options(q, options, sizeof options);
    snprintf(what, sizeof what, "left open, expected %s, or a file that sets it", options);
    if (r->asked->may_be_open) {
        r->file = q->file;
        ignore(r, q->at, q->path, what, true);
    } else {
        nnc_json_fault(q->at, NULL, "%s", what);
        fail_as(r, q->at);
    }
}

/* The value that a field has now, of an option, a file or a default. */
static void current_text(reading *r, const nnc_field *field, char text[VALUE_TEXT])
{
    nnc_plan plan = nnc_plan_default();
    const set_field *set = find_set(r, field);
    const char *value = set != NULL && !set->is_kept ? set->value : NULL;
    for (int i = 0; i < r->given->setting_count; i++) {
        if (r->given->settings[i].field == field) {
            value = r->given->settings[i].value;
        }
    }
    if (value != NULL) {
        (void)nnc_plan_set(&plan, field->name, value, NULL);
    }
    nnc_field_text(field, &plan, text, VALUE_TEXT);
}

static bool holds(reading *r, nnc_json conditions)
{
    for (nnc_json one = nnc_json_first(conditions); one.node != NULL; one = nnc_json_next(one)) {
        const nnc_field *field = nnc_field_of_key(&nnc_plan_table, nnc_json_key(one));
        char text[VALUE_TEXT];
        bool met = false;
        if (field == NULL) {
            return false;
        }
        current_text(r, field, text);
        for (nnc_json value = nnc_json_first(one); value.node != NULL;
             value = nnc_json_next(value)) {
            met = met || strcmp(text, nnc_json_text(value)) == 0;
        }
        if (!met) {
            return false;
        }
    }
    return true;
}

static void apply_rules(reading *r, int index)
{
    const nnc_json root = nnc_json_root(&r->files[index].table.doc);
    r->file = index;
    for (nnc_json rule = nnc_json_first(nnc_json_get(root, "rules"));
         rule.node != NULL && goes_on(r); rule = nnc_json_next(rule)) {
        if (holds(r, nnc_json_get(rule, "if"))) {
            set_fields(r, nnc_json_root(&r->files[index].content.doc), "",
                       nnc_json_get(rule, "set"), true);
        }
    }
}

/* The options that a file stands for. */
static const char *options_of(reading *r, int index)
{
    nnc_buffer text = { 0 };
    for (int i = 0; i < r->set_count; i++) {
        char option[NNC_OPTION_NAME];
        const set_field *set = &r->sets[i];
        if (set->file == index && !set->is_kept) {
            nnc_buffer_print(&text, "%s%s%s%s", text.size > 0 ? " " : "",
                             nnc_option_name(set->field->name, option),
                             set->field->type == NNC_FIELD_BOOL ? "=" : " ", set->value);
        }
    }
    nnc_buffer_byte(&text, '\0');
    const char *kept = text.failed ? NULL : nnc_arena_strdup(r->arena, text.bytes);
    nnc_buffer_free(&text);
    return kept;
}

/* Copies the settings to those of the command line, which count first. */
static nnc_status hand_over(reading *r, nnc_scenario_args *given)
{
    for (int i = 0; i < r->set_count; i++) {
        const set_field *set = &r->sets[i];
        const char *value = nnc_arena_strdup(r->arena, set->value);
        if (value == NULL) {
            return nnc_no_memory(r->err);
        }
        if (set->is_kept || is_given(r, set->field)) {
            continue;
        }
        if (given->setting_count == NNC_SETTINGS_MAX) {
            return nnc_fail(r->err, NNC_BAD_USAGE, r->files[0].path, "too many options");
        }
        given->settings[given->setting_count++] = (nnc_setting){ set->field, value };
    }
    nnc_launch_said *said = r->said;
    said->files = nnc_arena_array(r->arena, (size_t)r->file_count, sizeof *said->files);
    for (int i = 0; said->files != NULL && i < r->file_count; i++) {
        const char *format = nnc_arena_strdup(r->arena, r->files[i].format);
        said->files[i] = (nnc_source_file){ r->files[i].path, format, options_of(r, i) };
        if (format == NULL || said->files[i].options == NULL) {
            return nnc_no_memory(r->err);
        }
    }
    said->file_count = r->file_count;
    given->launch = said;
    return said->files != NULL ? NNC_OK : nnc_no_memory(r->err);
}

static nnc_status read_all(reading *r, nnc_scenario_args *given)
{
    const int given_files = r->file_count;
    for (int i = 0; i < given_files && goes_on(r); i++) {
        read_file(r, i);
    }
    read_references(r);
    for (int i = 0; i < r->question_count && goes_on(r); i++) {
        answer(r, &r->questions[i]);
    }
    for (int i = 0; i < r->file_count && goes_on(r) && !r->is_incomplete; i++) {
        apply_rules(r, i);
    }
    return goes_on(r) ? hand_over(r, given) : r->status;
}

/* Is there a table for the format of --from? */
static nnc_status check_format(nnc_specs *specs, const char *format, nnc_error *err)
{
    document table = { .is_parsed = false };
    const nnc_status status = format != NULL ? table_open(specs, format, &table, err) : NNC_OK;
    document_free(&table);
    return status;
}

nnc_status nnc_launch_take(nnc_specs *specs, const nnc_launch_asked *asked, char **operands,
                           int *operand_count, nnc_scenario_args *given, nnc_error *err)
{
    nnc_status status = check_format(specs, asked->format, err);
    reading *r = NULL;
    int kept = 0;
    for (int i = 0; status == NNC_OK && i < *operand_count; i++) {
        if (!nnc_launch_is_file(specs, operands[i], asked->format)) {
            operands[kept++] = operands[i];
            continue;
        }
        if (r == NULL) {
            r = calloc(1, sizeof *r);
            if (r == NULL) {
                return nnc_no_memory(err);
            }
            r->specs = specs, r->asked = asked, r->given = given, r->err = err;
            r->arena = nnc_specs_arena(specs);
        }
        status = open_file(r, operands[i], asked->format);
    }
    if (r == NULL) {
        return status;
    }
    if (status == NNC_OK) {
        operands[kept] = NULL;
        *operand_count = kept;
        r->said = nnc_arena_alloc(r->arena, sizeof *r->said);
        if (r->said != NULL) {
            *r->said = (nnc_launch_said){ .file_count = 0 };
        }
        status = r->said != NULL ? read_all(r, given) : nnc_no_memory(err);
    }
    for (int i = 0; i < r->file_count; i++) {
        document_free(&r->files[i].content);
        document_free(&r->files[i].table);
    }
    free(r);
    return status;
}
