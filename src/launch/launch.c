/* Opens launch files: reads each file as a JSON document, finds its format, and adds its settings to the settings of
 * the command line. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/launch_internal.h"

static bool is_yaml(const char *path) { return nnc_ends_in(path, ".yaml") || nnc_ends_in(path, ".yml"); }

static bool is_toml(const char *path) { return nnc_ends_in(path, ".toml"); }

static bool is_gguf(const char *path) { return nnc_ends_in(path, ".gguf"); }

static bool is_shell(const char *path) {
    return nnc_ends_in(path, ".sh") || nnc_ends_in(path, ".bash") || nnc_ends_in(path, ".slurm") ||
           nnc_ends_in(path, ".sbatch");
}

void nnc_document_free(nnc_document *d) {
    if (d->is_parsed) { nnc_json_free(&d->doc); }
    nnc_buffer_free(&d->json);
    free(d->text);
}

nnc_status nnc_document_parse(nnc_specs *specs, nnc_document *d, const char *text, size_t size) {
    d->doc = (nnc_json_doc){ .faults = &d->faults, .arena = nnc_specs_arena(specs), .text = text, .size = size };
    d->is_parsed = true;
    return nnc_json_parse(&d->doc) ? nnc_document_index(d) : d->faults.status;
}

/* Finds the value that the user gives to a variable. defined: assignments of the user, "A='1'; B='2'; ". *size receives
 * the length of the value. NULL: the user gives no value. */
static const char *given_value(const char *defined, const char *name, size_t length, size_t *size) {
    const char *at = defined;
    while (*at != '\0' && (strncmp(at, name, length) != 0 || at[length] != '=')) {
        const char *end = strstr(at, "'; ");
        at = end != NULL ? end + 3 : at + strlen(at);
    }
    if (*at == '\0') { return NULL; }
    at += length + 2;
    const char *end = strchr(at, '\'');
    *size = end != NULL ? (size_t)(end - at) : strlen(at);
    return at;
}

/* Copies the text of a file. Each variable "${NAME}" is replaced by the value that the user gives, as a launcher does
 * with `envsubst`. Variables to which the user gives no value stay in the text unchanged. */
static void put_variables(const char *text, size_t size, const char *defined, nnc_buffer *out) {
    const char *const last = text + size;
    while (text < last) {
        const char *found = memchr(text, '$', (size_t)(last - text)), *at = found != NULL ? found : last;
        size_t value_size = 0;
        nnc_buffer_put(out, text, (size_t)(at - text));
        const size_t length = at + 2 < last && at[1] == '{' ? nnc_shell_parameter_length(at + 2) : 0;
        const char *value = length > 0 && at + 2 + length < last && at[2 + length] == '}'
                                ? given_value(defined, at + 2, length, &value_size)
                                : NULL;
        if (value != NULL) {
            nnc_buffer_put(out, value, value_size);
        } else if (at < last) {
            nnc_buffer_byte(out, '$');
        }
        text = value != NULL ? at + 3 + length : at + (at < last);
    }
    nnc_buffer_byte(out, '\0');
}

/* Returns the length of the template word at `at`, such as SIZE or BATCH_size. A template word begins with a capital
 * letter, and has an underscore or no small letters. 0 = no template word, for example NaN or True. */
static size_t template_word(const char *at, const char *last) {
    size_t length = 0;
    bool small = false, joined = false;
    while (at + length < last && (isalnum((unsigned char)at[length]) || at[length] == '_')) {
        small = small || islower((unsigned char)at[length]);
        joined = joined || at[length] == '_';
        length++;
    }
    return length > 1 && isupper((unsigned char)*at) && (joined || !small) ? length : 0;
}

/* Returns the length of a variable "${NAME}" at `at`; 0 = no variable. */
static size_t variable(const char *at, const char *last) {
    const size_t length = last - at > 3 && at[0] == '$' && at[1] == '{' ? nnc_shell_parameter_length(at + 2) : 0;
    return length > 0 && at + 2 + length < last && at[2 + length] == '}' ? length + 3 : 0;
}

/* Copies the template of a JSON file, in which a script replaces words such as BATCH_SIZE by values (sed). A template
 * word such as BATCH_SIZE is replaced by the value that the user gives, or by the text "${BATCH_SIZE}" in quotes. A
 * variable "${WORD}" without quotes gets quotes. */
static void put_template(const char *text, size_t size, const char *defined, nnc_buffer *out) {
    const char *const last = text + size;
    bool quoted = false, goes_on = false; /* goes_on: the character is part of a word or of a number */
    while (text < last) {
        const size_t open = quoted ? 0 : variable(text, last),
                     length = quoted || goes_on ? 0 : template_word(text, last);
        size_t value_size = 0;
        const char *value = length > 0 && defined != NULL ? given_value(defined, text, length, &value_size) : NULL;
        if (value != NULL) {
            nnc_buffer_put(out, value, value_size);
        } else if (open > 0) {
            nnc_buffer_byte(out, '"');
            nnc_buffer_put(out, text, open);
            nnc_buffer_byte(out, '"');
        } else if (length > 0) {
            nnc_buffer_text(out, "\"${");
            nnc_buffer_put(out, text, length);
            nnc_buffer_text(out, "}\"");
        } else {
            const bool escaped = quoted && *text == '\\' && text + 1 < last;
            quoted = *text == '"' ? !quoted : quoted;
            goes_on = isalnum((unsigned char)*text) || strchr("+-._", *text) != NULL;
            nnc_buffer_put(out, text, escaped ? 2 : 1);
            text += escaped;
        }
        text += open > 0 ? open : length > 0 ? length : 1;
    }
    nnc_buffer_byte(out, '\0');
}

/* Replaces the text of a document by a new text, which the function `put` makes from the present one. */
static nnc_status fill(nnc_document *d, size_t *size, const char *defined,
                       void (*put)(const char *, size_t, const char *, nnc_buffer *), nnc_error *err) {
    nnc_buffer filled = { 0 };
    put(d->text, *size, defined, &filled);
    if (filled.failed) {
        nnc_buffer_free(&filled);
        return nnc_no_memory(err);
    }
    free(d->text);
    d->text = filled.bytes;
    *size = filled.size - 1;
    return NNC_OK;
}

/* defined: assignments of the user, as in nnc_reading; NULL = no assignments. */
static nnc_status document_read(nnc_specs *specs, const char *path, const char *defined, nnc_document *d,
                                nnc_error *err) {
    size_t size = 0;
    *d = (nnc_document){ .faults = { .name = path, .err = err } };
    if (is_gguf(path)) {
        nnc_checkpoint header;
        const nnc_status status = nnc_checkpoint_read(specs, path, &header, err);
        d->json = header.metadata;
        NNC_TRY(status);
        return nnc_document_parse(specs, d, d->json.bytes, d->json.size - 1);
    }
    NNC_TRY(nnc_specs_read(specs, path, &d->text, &size, err));
    if (defined != NULL && defined[0] != '\0') { NNC_TRY(fill(d, &size, defined, put_variables, err)); }
    if (!is_yaml(path) && !is_toml(path)) { NNC_TRY(fill(d, &size, defined, put_template, err)); }
    const char *text = d->text;
    if (is_yaml(path) || is_toml(path)) {
        NNC_TRY((is_toml(path) ? nnc_toml_to_json : nnc_yaml_to_json)(path, text, size, &d->json, err));
        size = d->json.size;
        nnc_buffer_byte(&d->json, '\0');
        if (d->json.failed) { return nnc_no_memory(err); }
        text = d->json.bytes;
        free(d->text);
        d->text = NULL;
    }
    return nnc_document_parse(specs, d, text, size);
}

/* Reads the text of a launch format's table from the file foreign/launch/FORMAT.json. */
static nnc_status table_read(nnc_specs *specs, const char *format, nnc_document *table, nnc_error *err) {
    size_t size = 0;
    char name[96];
    const char *path = NULL;
    snprintf(name, sizeof name, "foreign/launch/%.60s.json", format);
    NNC_TRY(nnc_specs_file(specs, name, &path, err));
    if (path == NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--from",
                        "unknown format, expected a format of docs/files.md, found \"%.60s\"", format);
    }
    *table = (nnc_document){ .faults = { .name = path, .err = err } };
    return nnc_specs_read(specs, path, &table->text, &size, err);
}

/* Opens the table of a launch format whose text was read: uses the values that were built into the program, or parses
 * the text. */
static nnc_status table_open(nnc_specs *specs, nnc_document *table) {
    table->doc = (nnc_json_doc){
        .faults = &table->faults, .arena = nnc_specs_arena(specs), .text = table->text, .size = strlen(table->text)
    };
    table->is_parsed = true;
    if (!nnc_specs_parse(specs, &table->doc)) { return table->faults.status; }
    return nnc_table_index_make(table);
}

nnc_status nnc_launch_table(nnc_specs *specs, const char *format, nnc_document *table, nnc_error *err) {
    NNC_TRY(table_read(specs, format, table, err));
    return table_open(specs, table);
}

static bool has_any(nnc_json root, nnc_json keys) {
    for (nnc_json key = nnc_json_first(keys); key.node != NULL; key = nnc_json_next(key)) {
        const char *rest = "";
        if (nnc_json_get(root, nnc_json_text(key)).node != NULL ||
            (nnc_json_follow(root, nnc_json_text(key), &rest).node != NULL && *rest == '\0')) {
            return true;
        }
    }
    return false;
}

/* Tests whether a document has the launch format of a table: the document has one of the keys that the table lists as
 * "signs", and none of the keys that the table lists as "never". */
static bool is_format(nnc_json root, nnc_json table) {
    const nnc_json inside = nnc_json_get(table, "inside");
    const nnc_json of = inside.node != NULL ? nnc_json_get(root, nnc_json_text(inside)) : (nnc_json){ 0 };
    const bool has_inside = of.node != NULL && nnc_json_type_of(of) == NNC_JSON_OBJECT;
    return has_any(has_inside ? of : root, nnc_json_get(table, "signs")) &&
           !has_any(root, nnc_json_get(table, "never"));
}

/* Tests whether the root of a document contains no objects, except empty objects. */
static bool is_flat(const char *text) {
    const char *at = strchr(text, '{');
    do { at = at != NULL ? strchr(at + 1, '{') : NULL; } while (at != NULL && at[1] == '}');
    return at == NULL;
}

/* Tests, before a table is parsed, whether a document may have one of the keys that the table lists as "signs". For a
 * key inside an object of a YAML file, "signs" has two entries: the name of the key, which is found in the text, and
 * the dotted name, which is_format finds. */
static bool may_be_format(const char *table, const nnc_document *d, bool flat) {
    const char *at = table != NULL ? strstr(table, "\"signs\": [") : NULL;
    const char *end = at != NULL ? strchr(at, ']') : NULL;
    char sign[NNC_LAUNCH_VALUE];
    at = end != NULL ? strchr(at, '[') : NULL;
    while (at != NULL && (at = strchr(at, '"')) != NULL && at < end) {
        const size_t length = strcspn(at + 1, "\"") + 2; /* length of an entry of "signs" with its quotes */
        snprintf(sign, sizeof sign, "%.*s", (int)length - 2 * flat, at + flat);
        if (flat ? nnc_document_has(d, sign) : strstr(d->doc.text, sign) != NULL) { return true; }
        at += length;
    }
    return false;
}

/* Finds the launch format of a document: the format whose table lists a key of the document as a sign. If no table
 * lists a key of the document as a sign, *format is NULL and table->is_parsed is false. */
static nnc_status recognise(nnc_specs *specs, const nnc_document *d, const char **format, nnc_document *table,
                            nnc_error *err) {
    nnc_id_list ids = { 0 };
    *format = NULL;
    if (nnc_json_type_of(nnc_json_root(&d->doc)) != NNC_JSON_OBJECT) { return NNC_OK; }
    if (!nnc_specs_list_folder(specs, "foreign/launch", &ids)) { return nnc_no_memory(err); }
    const bool flat = is_flat(d->doc.text);
    for (int32_t i = 0; i < ids.count; i++) {
        NNC_TRY(table_read(specs, ids.ids[i], table, err));
        if (may_be_format(table->text, d, flat)) {
            NNC_TRY(table_open(specs, table));
            if (is_format(nnc_json_root(&d->doc), nnc_json_root(&table->doc))) {
                *format = ids.ids[i];
                return NNC_OK;
            }
        }
        nnc_document_free(table);
        *table = (nnc_document){ .is_parsed = false };
    }
    return NNC_OK;
}

/* Tests whether a JSON file is a file of nncost or the configuration of a model. A JSON file of nncost or of a model is
 * no launch file. The test avoids parsing a file of nncost or of a model twice, because the command that uses the file
 * parses it, too. */
static bool is_other_json(nnc_specs *specs, const char *path) {
    static const char *const keys[] = { "schema", "model_type" };
    char *text = NULL;
    size_t size = 0;
    bool other = nnc_specs_read(specs, path, &text, &size, NULL) != NNC_OK;
    other = other || strncmp(text + strspn(text, "{ \n\r\t"), "\"schema\"", 8) == 0; /* files such as captured programs
                                                                                      * begin with the key "schema" */
    if (!other && (strstr(text, "\"schema\"") != NULL || strstr(text, "\"model_type\"") != NULL)) {
        nnc_walk w = nnc_walk_begin(text);
        /* a text that is no JSON may be the template of a launch file */
        const bool sound = nnc_json_scan(text, size, NNC_SCAN_VALUES_MAX, NULL);
        while (sound && !other && nnc_walk_member(&w, true)) {
            other = nnc_walk_key_is(&w, keys[0]) || nnc_walk_key_is(&w, keys[1]);
            nnc_walk_value(&w);
        }
    }
    free(text);
    return other;
}

/* Tests whether a path is a regular file. A pipe can be read only once, so only the command that uses the pipe may read
 * it. */
static bool is_regular(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool nnc_launch_is_file(nnc_specs *specs, const char *path, const char *format) {
    nnc_document content = { .is_parsed = false }, table = { .is_parsed = false };
    const char *found = NULL;
    nnc_error err;
    if (is_yaml(path) || is_toml(path) || is_gguf(path) || is_shell(path) || nnc_ends_in(path, ".py")) {
        /* every YAML or TOML file, script or program is a launch file, because nncost reads no file of these types for
         * another purpose */
        return true;
    }
    if (!nnc_ends_in(path, ".json") || nnc_checkpoint_is_file(path) || !NNC_READS_LAUNCH_FILES) { return false; }
    if (format != NULL) { return true; }
    if (!is_regular(path)) { return false; }
    const bool is = !is_other_json(specs, path) && document_read(specs, path, NULL, &content, &err) == NNC_OK &&
                    recognise(specs, &content, &found, &table, &err) == NNC_OK && found != NULL;
    nnc_document_free(&content);
    nnc_document_free(&table);
    return is;
}

/* Adds a launch file to the list of open launch files, and returns its entry; NULL when an error was noted (too many
 * files). */
static nnc_launch_file *add_file(nnc_reading *r, const char *path, const char *format) {
    if (r->file_count == NNC_LAUNCH_FILES_MAX) {
        r->status =
            nnc_fail(r->err, NNC_BAD_USAGE, path, "too many launch files, expected at most %d", NNC_LAUNCH_FILES_MAX);
        return NULL;
    }
    nnc_launch_file *file = &r->files[r->file_count++];
    *file = (nnc_launch_file){ .path = path, .format = format };
    return file;
}

/* Finds the table of the launch format of a file whose content is already in memory. If no table fits the file,
 * file->format stays NULL. */
static nnc_status open_table(nnc_reading *r, nnc_launch_file *file) {
    NNC_TRY(file->format != NULL ? nnc_launch_table(r->specs, file->format, &file->table, r->err)
                                 : recognise(r->specs, &file->content, &file->format, &file->table, r->err));
    if (file->format == NULL) { return NNC_OK; }
    const nnc_json also = nnc_json_get(nnc_json_root(&file->table.doc), "also");
    return also.node != NULL ? nnc_launch_table(r->specs, nnc_json_text(also), &file->also, r->err) : NNC_OK;
}

static nnc_status refuse_kind(nnc_reading *r, const char *path) {
    return nnc_fail(r->err, NNC_BAD_SPEC, path,
                    "unknown format of launch file, expected a format of docs/files.md; --from FORMAT sets the format");
}

static nnc_status refuse_program(nnc_reading *r, const char *path, const nnc_shell_command *command) {
    const char *name = strstr(command->options, "\".program\":\"");
    char where[512];
    snprintf(where, sizeof where, "%.400s:%ld", path, command->line);
    name = name != NULL ? name + strlen("\".program\":\"") : "";
    if (name[0] == '"' || name[0] == '\0') {
        return nnc_fail(r->err, NNC_BAD_SPEC, where,
                        "sets options but starts no program, expected the script that starts the program, or the "
                        "scripts that it reads in the same folder; --from FORMAT reads the options");
    }
    if (strstr(command->options, NNC_SHELL_ARGUMENTS) != NULL) {
        return nnc_fail(r->err, NNC_BAD_SPEC, where,
                        "starts %.*s with \"$@\", the arguments of the script, and nncost does not know these "
                        "arguments, expected 1=VALUE 2=VALUE ... among the arguments",
                        (int)strcspn(name, "\""), name);
    }
    return nnc_fail(r->err, NNC_BAD_SPEC, where,
                    "starts %.*s, expected a program that docs/files.md lists; --from FORMAT reads the options as "
                    "those of such a program",
                    (int)strcspn(name, "\""), name);
}

/* Adds the options of a command as an entry to the list of launch files. *known: true if the options have a known
 * format. Options of an unknown format are not added. */
static nnc_status add_options(nnc_reading *r, const char *path, const char *format, const char *json, bool *known) {
    nnc_launch_file *file = add_file(r, path, format);
    if (file == NULL) { return r->status; }
    file->content = (nnc_document){ .faults = { .name = path, .err = r->err } };
    NNC_TRY(nnc_document_parse(r->specs, &file->content, json, strlen(json)));
    NNC_TRY(open_table(r, file));
    *known = file->format != NULL;
    if (!*known) {
        nnc_document_free(&file->content);
        r->file_count--;
    }
    return NNC_OK;
}

static nnc_status open_file(nnc_reading *r, const char *path, const char *format);

/* Reads a launch file that another file names. Refuses pipes and devices, which may never end.
 * NOLINTNEXTLINE(misc-no-recursion): not deeper than add_command */
static nnc_status open_named(nnc_reading *r, const char *path, const char *format) {
    if (nnc_specs_kept(r->specs, path) == NULL && nnc_is_pipe(path)) {
        return nnc_fail(r->err, NNC_BAD_SPEC, path, "a pipe or a device, expected a file");
    }
    return open_file(r, path, format);
}

/* Adds the options with which a command changes its configuration file, as a launch file that takes precedence over the
 * configuration file (a file on top); the configuration file is the file that was opened last. An option without a row
 * in the table of the format is an error, so that no option is lost. path: path of the script. */
static nnc_status put_on_top(nnc_reading *r, const char *path, const char *changes) {
    const int below = r->file_count - 1;
    if (changes == NULL || strcmp(changes, "{}") == 0) { return NNC_OK; }
    nnc_launch_file *file = add_file(r, path, r->files[below].format);
    if (file == NULL) { return r->status; }
    file->content = (nnc_document){ .faults = { .name = path, .err = r->err } };
    NNC_TRY(nnc_document_parse(r->specs, &file->content, changes, strlen(changes)));
    file->beneath = below + 1;
    r->files[below].is_beneath = true;
    return open_table(r, file);
}

/* Tests whether a file can be read: the file is on disk, or a script writes the file. */
static bool is_there(nnc_reading *r, const char *path) {
    return nnc_specs_kept(r->specs, path) != NULL || access(path, R_OK) == 0;
}

/* Handles a command whose configuration file is missing. If the missing file has the defaults of the program (base.yml,
 * the member "base" of the table), the table contains these defaults, and only the options of the command are added.
 * *known: true if the missing file is the file with the defaults. */
static nnc_status add_changes_of_base(nnc_reading *r, const char *path, const char *config, const char *changes,
                                      bool *known) {
    const char *slash = strrchr(config, '/');
    NNC_TRY(add_options(r, path, NULL, changes, known));
    if (!*known) { return NNC_OK; }
    nnc_launch_file *file = &r->files[r->file_count - 1];
    const nnc_json base = nnc_json_get(nnc_json_root(&file->table.doc), "base");
    *known = base.node != NULL && strcmp(nnc_json_text(base), slash != NULL ? slash + 1 : config) == 0;
    if (!*known) {
        nnc_document_free(&file->content);
        nnc_document_free(&file->table);
        nnc_document_free(&file->also);
        r->file_count--;
    }
    return NNC_OK;
}

/* Adds a command of a script to the list of launch files. If the command names a configuration file, adds this file,
 * and the options that change keys of the file. If the command names no configuration file, adds the options of the
 * program. At the end, the function adds the options of the launcher. *known: true if the options have a known format,
 * or if there is a configuration file. The command of a script opens only a YAML or
 * TOML file, never another script. NOLINTNEXTLINE(misc-no-recursion) */
static nnc_status add_command(nnc_reading *r, const char *path, const char *format, const nnc_shell_command *command,
                              bool *known) {
    bool launcher = false;
    *known = false;
    if (command->config != NULL && r->parameters != NULL && strcmp(command->config, NNC_RUN_PARAMETERS) == 0) {
        NNC_TRY(add_options(r, path, format, r->parameters, known));
        return *known ? put_on_top(r, path, command->changes) : NNC_OK;
    }
    const char *config = command->config != NULL ? nnc_launch_path(r->arena, path, command->config) : NULL;
    if (config != NULL && !is_there(r, config)) {
        NNC_TRY(add_changes_of_base(r, path, config, command->changes, known));
    }
    if (config != NULL && !*known && !is_there(r, config)) {
        char where[512];
        snprintf(where, sizeof where, "%.400s:%ld", path, command->line);
        return nnc_fail(r->err, NNC_BAD_SPEC, where,
                        "names the configuration %.200s, but this configuration is not found: give the configuration "
                        "instead of the script, with the options that the command adds",
                        command->config);
    }
    if (config != NULL && !*known) {
        NNC_TRY(open_named(r, config, format));
        NNC_TRY(put_on_top(r, path, command->changes));
        *known = true;
    } else if (config == NULL) {
        NNC_TRY(add_options(r, path, format, command->options, known));
    }
    if (!*known || command->launcher == NULL) { return NNC_OK; }
    return add_options(r, path, command->launcher, command->launcher_options, &launcher);
}

typedef struct source_reader {
    nnc_reading *r;
    const char *script, *text; /* path and text of the script that the command line names */
} source_reader;

/* Returns the text of a script that another script reads. Looks in the folder of the script on the command line and in
 * the folders above it, then among the scripts of frameworks. A device or a pipe is not read, because its text may
 * never end. */
static const char *read_script(void *context, const char *name) {
    const source_reader *reader = context;
    nnc_reading *r = reader->r;
    char *text = NULL;
    size_t size = 0;
    const char *path = nnc_launch_path(r->arena, reader->script, name), *kept = NULL;
    if (path != NULL && is_regular(path) && nnc_specs_read(r->specs, path, &text, &size, NULL) == NNC_OK) {
        kept = nnc_arena_strdup(r->arena, text);
    }
    free(text);
    return kept != NULL ? kept : nnc_launch_shipped(r->specs, reader->text, name);
}

/* Registers the files that a script writes, with their text, under their paths relative to the script, so that later
 * steps find them although they are not on disk. */
static nnc_status keep_written(nnc_reading *r, const char *script, const nnc_script_file *file) {
    for (; file != NULL; file = file->next) {
        const char *path = nnc_path_from(r->arena, script, file->path);
        if (path == NULL) { return nnc_no_memory(r->err); }
        NNC_TRY(nnc_specs_keep(r->specs, path, file->text, strlen(file->text), r->err));
    }
    return NNC_OK;
}

/* Finds the command of a script that has options of a known format, and adds this command to the list of launch files.
 * Fails if the script has no command with a known format, or several that start different programs.
 * NOLINTNEXTLINE(misc-no-recursion) */
static nnc_status open_commands(nnc_reading *r, const char *path, const char *text, const char *format) {
    int first = -1;
    source_reader reader = { r, path, text };
    nnc_shell_script script = { .read = read_script, .context = &reader };
    script.given = r->defined;
    nnc_status status = nnc_shell_read(path, text, r->arena, &script, r->err);
    const nnc_shell_command *commands = script.commands;
    status = status == NNC_OK ? keep_written(r, path, script.files) : status;
    for (int i = 0; status == NNC_OK && i < script.count; i++) {
        bool known = false;
        if (first >= 0 && nnc_commands_start_same(r->specs, &commands[first], &commands[i])) {
            /* The command commands[i] starts the program that the first command starts, perhaps on another node. If the
             * first command has no launcher, as in "echo $COMMAND", the launcher of commands[i] is added. */
            if (commands[first].launcher == NULL && commands[i].launcher != NULL) {
                status = add_options(r, path, commands[i].launcher, commands[i].launcher_options, &known);
                first = i;
            }
            continue;
        }
        status = add_command(r, path, format, &commands[i], &known);
        if (status == NNC_OK && known && first >= 0) {
            const char *by = commands[i].decides != NULL ? commands[i].decides : commands[first].decides;
            return nnc_fail(r->err, NNC_BAD_SPEC, path,
                            "several commands, expected one command that trains or serves, found commands in lines %ld "
                            "and %ld; %s=VALUE among the arguments may select one",
                            commands[first].line, commands[i].line, by != NULL ? by : "NAME");
        }
        first = known ? i : first;
    }
    if (status == NNC_OK && first < 0 && script.count > 0) {
        const nnc_shell_command *longest = commands; /* the command with the longest options is probably the one that
                                                      * trains or serves, because helper programs have few options */
        for (int i = 1; i < script.count; i++) {
            longest = strlen(commands[i].options) > strlen(longest->options) ? &commands[i] : longest;
        }
        return refuse_program(r, path, longest);
    }
    if (status != NNC_OK || first >= 0) { return status; }
    return nnc_fail(r->err, NNC_BAD_SPEC, path,
                    "neither this script nor a script that it reads starts a program with options, expected a script "
                    "that starts a program that docs/files.md lists");
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static nnc_status open_script(nnc_reading *r, const char *path, const char *format) {
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_specs_read(r->specs, path, &text, &size, r->err));
    const nnc_status status = open_commands(r, path, text, format);
    free(text);
    return status;
}

/* The file that was added last is a run file of a platform. Replaces this run file by three parts of its content: the
 * command, the configuration and the number of devices. NOLINTNEXTLINE(misc-no-recursion) */
static nnc_status open_run(nnc_reading *r, const char *path, const char *format) {
    nnc_launch_file *file = &r->files[r->file_count - 1];
    nnc_run_file parts = { .command = NULL };
    bool known = false;
    NNC_TRY(nnc_run_file_read(r->arena, &file->content, &parts, r->err));
    nnc_document_free(&file->content);
    r->file_count--;
    r->parameters = parts.parameters;
    const nnc_status status = open_commands(r, path, parts.command, format);
    r->parameters = NULL;
    NNC_TRY(status);
    return add_options(r, path, "torchrun", parts.devices, &known);
}

/* In a format with layers (member "layers" of its table), the values of a launch file replace those of the previous
 * file of the format. If the format of a file has layers, the function sets file->beneath to the previous file, from
 * which keys that the file does not have are read. */
static void put_beneath(nnc_reading *r, nnc_launch_file *file) {
    const nnc_json none = { 0 };
    const nnc_json layers = file->format != NULL ? nnc_json_get(nnc_json_root(&file->table.doc), "layers") : none;
    for (int i = r->file_count - 2; i >= 0 && layers.node != NULL && file->beneath == 0; i--) {
        if (strcmp(r->files[i].format, file->format) == 0) {
            file->beneath = i + 1;
            r->files[i].is_beneath = true;
        }
    }
}

/* Reads a launch file, and finds the table of its format. Refuses Python code. NOLINTNEXTLINE(misc-no-recursion) */
static nnc_status open_file(nnc_reading *r, const char *path, const char *format) {
    if (is_shell(path)) { return open_script(r, path, format); }
    if (nnc_ends_in(path, ".py")) {
        return nnc_fail(r->err, NNC_BAD_SPEC, path,
                        "Python code, which nncost does not run, expected a file of options, or options with the "
                        "values of this file");
    }
    nnc_launch_file *file = add_file(r, path, format);
    if (file == NULL) { return r->status; }
    NNC_TRY(document_read(r->specs, path, r->defined, &file->content, r->err));
    if (nnc_run_file_is(nnc_json_root(&file->content.doc))) { return open_run(r, path, format); }
    NNC_TRY(open_table(r, file));
    put_beneath(r, file);
    return file->format != NULL ? NNC_OK : refuse_kind(r, path);
}

/* Tests whether a launch file of the given format is already open. The file `naming`, from which the path of the file
 * to open comes, is not tested. */
static bool has_format(const nnc_reading *r, const char *format, int naming) {
    for (int i = 0; i < r->file_count; i++) {
        if (i != naming && r->files[i].format != NULL && strcmp(r->files[i].format, format) == 0) { return true; }
    }
    return false;
}

/* If the value of a key is the path of a file that is shipped with the framework, sets the fields that the table of the
 * format lists for this file. Returns false if the path is not the path of a shipped file. */
static bool set_known(nnc_reading *r, const nnc_reference *named) {
    const char *name = nnc_json_text(named->at), *slash = strrchr(name, '/');
    const nnc_json fields =
        named->known.node != NULL ? nnc_json_get(named->known, slash != NULL ? slash + 1 : name) : named->known;
    r->file = named->file;
    nnc_reading_set(r, named->at, named->path, fields, false);
    return fields.node != NULL;
}

/* Opens the launch files that other launch files name as values of keys. A named file is not opened if another file of
 * its format is already open. */
static void read_references(nnc_reading *r) {
    for (int i = 0; i < r->reference_count && nnc_reading_goes_on(r); i++) {
        const nnc_reference *named = &r->references[i];
        const char *name = nnc_json_text(named->at), *from = named->at.doc->faults->name;
        const char *written = nnc_path_from(r->arena, from, name);
        const char *path = written != NULL && is_there(r, written) ? written : nnc_launch_path(r->arena, from, name);
        if (has_format(r, named->format, named->file)) { continue; }
        if (path == NULL) {
            r->status = nnc_no_memory(r->err);
        } else if (is_there(r, path)) {
            r->status = open_named(r, path, named->format);
            if (nnc_reading_goes_on(r) && strcmp(r->files[named->file].format, named->format) == 0) {
                /* the keys of this file take precedence over the keys of the file whose path is a value in this file */
                r->files[named->file].beneath = r->file_count;
                r->files[r->file_count - 1].is_beneath = true;
                nnc_reading_beneath(r, named->file);
            } else if (nnc_reading_goes_on(r)) {
                r->files[r->file_count - 1].yields_to = named->yields ? named->file + 1 : 0;
                nnc_reading_keys(r, r->file_count - 1);
            }
        } else if (set_known(r, named)) {
            continue;
        } else if (r->asked->may_be_open || r->asked->lenient) {
            r->is_incomplete = true;
            r->file = named->file;
            nnc_reading_ignore(r, named->at, named->path, "no such file, give it on the command line", true);
        } else {
            nnc_json_fault(named->at, NULL, "no such file, expected \"%s\"; give the file on the command line", path);
            nnc_reading_fail(r, named->at);
        }
    }
}

/* ---- adds the settings of the launch files to those of the command line ---- */

/* Returns the options of nncost that have the same effect as launch file number `index`, as text. Adds to `given` the
 * fields of the named model that this launch file changes. */
static const char *options_of(nnc_reading *r, int index, nnc_scenario_args *given) {
    nnc_buffer text = { 0 };
    const nnc_model_field *software = nnc_reading_model(r, "SOFTWARE");
    if (software != NULL && software->file == index) { nnc_buffer_print(&text, "--software %s", software->value); }
    for (int i = 0; i < r->set_count; i++) {
        char option[NNC_OPTION_NAME];
        const nnc_set_field *set = &r->sets[i];
        if (set->file == index && !set->is_kept) {
            nnc_buffer_print(&text, "%s%s%s%s", text.size > 0 ? " " : "", nnc_option_name(set->field->name, option),
                             set->field->type == NNC_FIELD_BOOL ? "=" : " ", set->value);
        }
    }
    nnc_reading_change_model(r, index, given, &text);
    nnc_buffer_byte(&text, '\0');
    const char *kept = text.failed ? NULL : nnc_arena_strdup(r->arena, text.bytes);
    nnc_buffer_free(&text);
    return kept;
}

/* Adds the settings of the launch files to the settings of the command line. A setting that the command line gives
 * takes precedence. */
static nnc_status hand_over(nnc_reading *r, nnc_scenario_args *given) {
    for (int i = 0; i < r->set_count; i++) {
        const nnc_set_field *set = &r->sets[i];
        const char *value = nnc_arena_strdup(r->arena, set->value);
        if (value == NULL) { return nnc_no_memory(r->err); }
        if (set->is_kept || nnc_reading_is_given(r, set->field)) { continue; }
        if (given->setting_count == NNC_SETTINGS_MAX) {
            return nnc_fail(r->err, NNC_BAD_USAGE, r->files[0].path, "too many options");
        }
        given->settings[given->setting_count++] = (nnc_setting){ set->field, value };
    }
    const nnc_model_field *software = nnc_reading_model(r, "SOFTWARE");
    given->software = given->software != NULL || software == NULL ? given->software : software->value;
    nnc_launch_said *said = r->said;
    said->serves = r->serves;
    said->files = nnc_arena_array(r->arena, (size_t)r->file_count, sizeof *said->files);
    for (int i = 0; said->files != NULL && i < r->file_count; i++) {
        const char *format = nnc_arena_strdup(r->arena, r->files[i].format);
        said->files[i] = (nnc_source_file){ r->files[i].path, format, options_of(r, i, given) };
        if (format == NULL || said->files[i].options == NULL) { return nnc_no_memory(r->err); }
    }
    said->file_count = r->file_count;
    given->launch = said;
    return said->files == NULL ? nnc_no_memory(r->err) : r->status;
}

/* Checks that the launch files fit the command: a file that starts a training run needs a command that computes
 * training, and a file that starts a serving engine needs a command that computes serving. */
static nnc_status check_purpose(nnc_reading *r) {
    for (int i = 0; i < r->file_count; i++) {
        const nnc_json table = nnc_json_root(&r->files[i].table.doc);
        const bool serves = nnc_json_get(table, "serves").node != NULL;
        /* the file only describes a model, so it may be used for training and for serving */
        if (nnc_json_get(table, "any").node != NULL) {
            r->serves = r->serves || r->asked->serves;
            continue;
        }
        if (serves != (r->asked->may_be_open && i > 0 ? r->serves : r->asked->serves) &&
            !(r->asked->may_be_open && i == 0)) {
            return nnc_fail(r->err, NNC_BAD_USAGE, r->files[i].path,
                            serves ? "starts a serving engine, expected the command 'nncost serve'"
                                   : "starts a training run, expected the command 'nncost estimate'");
        }
        r->serves = serves;
    }
    return NNC_OK;
}

static nnc_status read_all(nnc_reading *r, nnc_scenario_args *given) {
    const int given_files = r->file_count;
    NNC_TRY(check_purpose(r));
    for (int i = 0; i < given_files && nnc_reading_goes_on(r); i++) {
        if (!r->files[i].is_beneath) { nnc_reading_keys(r, i); }
    }
    read_references(r);
    nnc_reading_answer(r, 0);
    const int asked = r->question_count;
    for (int i = 0; i < r->file_count && nnc_reading_goes_on(r) && !r->is_incomplete; i++) {
        if (!r->files[i].is_beneath) { nnc_reading_rules(r, i); }
    }
    nnc_reading_answer(r, asked);
    return nnc_reading_goes_on(r) ? hand_over(r, given) : r->status;
}

/* Writes the value of a field as JSON: numbers, true, false and lists as they are, any other text in quotes. */
static void put_json(nnc_buffer *out, const char *value) {
    double number = 0.0;
    if (value[0] == '[' || strcmp(value, "true") == 0 || strcmp(value, "false") == 0 ||
        nnc_read_double(value, &number)) {
        nnc_buffer_text(out, value);
    } else {
        nnc_put_json_text(out, value);
    }
}

/* Makes a model file, in memory, from the fields of the model that the launch files set. *path receives the name under
 * which the specs find this model file. */
static nnc_status make_model(nnc_reading *r, int index, const char **path) {
    nnc_buffer text = { 0 };
    char stem[64];
    const nnc_piped **all = nnc_specs_piped(r->specs);
    /* if the options of a command change a configuration file, the model gets the name of this configuration file */
    const bool is_changed = r->files[index].beneath > 0 && !is_yaml(r->files[index].path);
    const char *file = r->files[is_changed ? r->files[index].beneath - 1 : index].path;
    nnc_piped *made = nnc_arena_alloc(r->arena, sizeof *made);
    const size_t size = strlen(file) + 3;
    char *name = nnc_arena_alloc(r->arena, size);
    r->file = index;
    nnc_reading_set(r, nnc_json_root(&r->files[index].content.doc), "",
                    nnc_json_get(nnc_json_root(&r->files[index].table.doc), "model"), true);
    if (made == NULL || name == NULL) { return nnc_no_memory(r->err); }
    const char *slash = strrchr(file, '/'), *base = slash != NULL ? slash + 1 : file;
    snprintf(name, size, "%s%s", slash == NULL ? "./" : "", file);
    if (strlen(base) >= sizeof stem) {
        base += strlen(base) - sizeof stem + 1; /* the id of a model must fit into
                                                 * `stem`, so only the end of a long name
                                                 * is used */
    }
    nnc_spec_stem(base, false, stem, sizeof stem);
    nnc_buffer_text(&text, "{ \"schema\": \"nncost.model/1\", \"id\": ");
    nnc_put_json_text(&text, stem);
    nnc_buffer_text(&text, ", \"name\": ");
    nnc_put_json_text(&text, stem);
    for (int i = 0; i < r->model_count; i++) {
        if (islower((unsigned char)r->model[i].name[0]) && r->model[i].value[0] != '\0') {
            nnc_buffer_print(&text, ",\n\"%s\": ", r->model[i].name);
            put_json(&text, r->model[i].value);
        }
    }
    nnc_buffer_text(&text, ",\n\"sources\": { \"\": ");
    nnc_put_json_text(&text, file);
    nnc_buffer_text(&text, " } }\n");
    const size_t length = text.size;
    nnc_buffer_byte(&text, '\0');
    *made = (nnc_piped){ .next = *all, .path = name, .size = length };
    made->text = text.failed ? NULL : nnc_arena_strdup(r->arena, text.bytes);
    nnc_buffer_free(&text);
    if (made->text == NULL) { return nnc_no_memory(r->err); }
    *all = made;
    *path = name;
    return nnc_reading_goes_on(r) ? NNC_OK : r->status;
}

/* Finds the model of the launch files. *model receives the name of the model, or the path of the model file that is
 * made from the fields in the launch files. NULL = the launch files neither name nor describe a model. */
static nnc_status model_of(nnc_reading *r, const char **model) {
    const nnc_model_field *name = nnc_reading_model(r, "MODEL");
    *model = name != NULL ? name->value : NULL;
    for (int i = 0; i < r->model_count && *model == NULL; i++) {
        if (!r->model[i].is_default && !r->model[i].is_set && islower((unsigned char)r->model[i].name[0])) {
            return make_model(r, r->model[i].file, model);
        }
    }
    return NNC_OK;
}

/* Tests whether an operand of the command line names a model; of an operand "A,B,C", only A is tested. */
static bool is_model(nnc_specs *specs, const char *operand) {
    const nnc_model *model = NULL;
    char first[512];
    const char *path = NULL;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(operand, ","), operand);
    if (nnc_specs_find(specs, NNC_SPEC_DEVICE, first, &path, NULL) == NNC_OK) {
        /* a device is no model; this test avoids a search for the device among the names of the hub */
        return false;
    }
    return nnc_model_load(specs, first, &model, NULL) == NNC_OK;
}

/* Inserts the model of the launch files into the operands of the command, before DEVICE, unless the user gives a model.
 * leading: number of operands that come before MODEL. */
static nnc_status put_model(nnc_reading *r, int leading, char **operands, int *count) {
    const char *model = NULL;
    if (r->model_given != NULL) { return NNC_OK; }
    NNC_TRY(model_of(r, &model));
    if (model == NULL && !r->asked->may_be_open) {
        return nnc_fail(r->err, NNC_BAD_USAGE, *count > leading ? "MODEL" : "MODEL and DEVICE",
                        "missing, expected FILE... MODEL DEVICE: the files name no model");
    }
    if (model == NULL) { return NNC_OK; }
    char *kept = nnc_arena_strdup(r->arena, model);
    if (kept == NULL) { return nnc_no_memory(r->err); }
    const int at = *count < leading ? *count : leading;
    memmove(operands + at + 1, operands + at, (size_t)(*count - at) * sizeof *operands);
    operands[at] = kept;
    *count += 1;
    return NNC_OK;
}

/* Takes the values that --set gives to fields of the model, such as "--set model.vocab=32000", and adds them to the
 * list of model fields that launch files set. */
static void take_sets(nnc_reading *r) {
    for (int i = 0; i < r->given->set_count; i++) {
        const char *set = r->given->sets[i], *equals = strchr(set, '=');
        if (strncmp(set, "model.", 6) == 0 && equals != NULL && r->model_count < NNC_LAUNCH_FIELDS_MAX) {
            char *name = nnc_arena_strdup(r->arena, set + 6);
            if (name != NULL) {
                name[equals - set - 6] = '\0';
                r->model[r->model_count++] = (nnc_model_field){ .name = name, .value = equals + 1, .is_set = true };
            }
        }
    }
}

/* Checks that the format that --from names has a table in foreign/launch/. */
static nnc_status check_format(nnc_specs *specs, const char *format, nnc_error *err) {
    nnc_document table = { .is_parsed = false };
    const nnc_status status = format != NULL ? nnc_launch_table(specs, format, &table, err) : NNC_OK;
    nnc_document_free(&table);
    return status;
}

/* Returns true if an operand is an option, or the name of a program or launcher. The operands after an option, program
 * or launcher belong to the same command. */
static bool is_program(const char *word) {
    static const char *const programs[] = {
        "vllm",     "trtllm-serve", "sglang",    "python", "python3", "torchrun",
        "msrun",    "accelerate",   "deepspeed", "srun",   "axolotl", "llamafactory-cli",
        "composer", "mpirun",       "mpiexec",   "docker", "swift",   NULL
    };
    return nnc_is_one_of(word, programs) || (word[0] == '-' && word[1] == '-');
}

/* Removes the operands NAME=VALUE, which set variables of scripts, from the operands. r->defined receives these
 * assignments as one line of text, which is read before a script. */
static nnc_status take_variables(nnc_reading *r, char **operands, int *count) {
    nnc_buffer text = { 0 };
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        const char *word = operands[i];
        const size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
        if (is_program(word)) { /* all operands after a program name belong to the command of this program */
            while (i < *count) { operands[kept++] = operands[i++]; }
        } else if (length > 0 && word[length] == '=' && strchr(word, '\'') == NULL &&
                   (!(word[0] >= '0' && word[0] <= '9') || strspn(word, "0123456789") == length)) {
            /* a NAME of digits is the number of an argument of the script: "1=x" sets $1 */
            nnc_buffer_print(&text, "%.*s='%s'; ", (int)length, word, word + length + 1);
        } else {
            operands[kept++] = operands[i];
        }
    }
    *count = kept;
    nnc_buffer_byte(&text, '\0');
    r->defined = text.failed ? NULL : nnc_arena_strdup(r->arena, text.bytes);
    nnc_buffer_free(&text);
    return r->defined != NULL ? NNC_OK : nnc_no_memory(r->err);
}

/* Takes the launch files, and the command after "--", out of the operands of the command line, and reads them. */
static nnc_status open_operands(nnc_reading *r, char **operands, int *operand_count) {
    int kept = 0;
    const int asked = *operand_count;
    NNC_TRY(take_variables(r, operands, operand_count));
    for (int i = 0; i < *operand_count; i++) {
        bool known = false;
        nnc_shell_command command = { .line = 1 };
        if (is_program(operands[i])) {
            NNC_TRY(nnc_shell_arguments(r->arena, operands + i, *operand_count - i, &command, r->err));
            NNC_TRY(add_command(r, "arguments", r->asked->format, &command, &known));
            if (!known) { return refuse_kind(r, operands[i]); }
            break;
        }
        if (nnc_launch_is_file(r->specs, operands[i], r->asked->format)) {
            NNC_TRY(open_file(r, operands[i], r->asked->format));
        } else {
            operands[kept++] = operands[i];
        }
    }
    if (r->file_count == 0 && asked > *operand_count) {
        return nnc_fail(r->err, NNC_BAD_USAGE, "NAME=VALUE",
                        "sets a variable of a script, expected a script among the files");
    }
    *operand_count = r->file_count > 0 ? kept : *operand_count;
    return NNC_OK;
}

nnc_status nnc_launch_take(nnc_specs *specs, const nnc_launch_asked *asked, char **operands, int *operand_count,
                           nnc_scenario_args *given, nnc_error *err) {
    nnc_status status = check_format(specs, asked->format, err);
    bool any = false;
    for (int i = 0; i < *operand_count && !any; i++) {
        any = strchr(operands[i], '=') != NULL || is_program(operands[i]) ||
              nnc_launch_is_file(specs, operands[i], asked->format);
    }
    if (status != NNC_OK || !any) { return status; }
    if (!NNC_READS_LAUNCH_FILES) {
        return nnc_fail(err, NNC_BAD_USAGE, operands[0],
                        "expected MODEL and DEVICE, because the explorer page cannot read launch files");
    }
    nnc_reading *r = calloc(1, sizeof *r);
    if (r == NULL) { return nnc_no_memory(err); }
    r->specs = specs, r->asked = asked, r->given = given, r->err = err;
    r->arena = nnc_specs_arena(specs);
    status = open_operands(r, operands, operand_count);
    if (status == NNC_OK && r->file_count > 0) {
        const int left = *operand_count - asked->leading;
        if (left > 1 || (left == 1 && is_model(specs, operands[asked->leading]))) {
            r->model_given = operands[asked->leading];
        }
        take_sets(r);
        r->said = nnc_arena_alloc(r->arena, sizeof *r->said);
        if (r->said != NULL) { *r->said = (nnc_launch_said){ .file_count = 0 }; }
        status = r->said != NULL ? read_all(r, given) : nnc_no_memory(err);
        status = status == NNC_OK ? put_model(r, asked->leading, operands, operand_count) : status;
        operands[*operand_count] = NULL;
    }
    for (int i = 0; i < r->file_count; i++) {
        nnc_document_free(&r->files[i].content);
        nnc_document_free(&r->files[i].table);
        nnc_document_free(&r->files[i].also);
    }
    free(r);
    return status;
}

nnc_status nnc_launch_model(nnc_specs *specs, const char *device, const char **model, void *given, nnc_error *err) {
    nnc_launch_asked asked = { .format = NULL };
    char *words[4] = { NULL };
    int count = 2;
    if (!nnc_launch_is_file(specs, *model, NULL)) { return NNC_OK; }
    words[0] = nnc_arena_strdup(nnc_specs_arena(specs), *model);
    words[1] = nnc_arena_strdup(nnc_specs_arena(specs), device);
    if (words[0] == NULL || words[1] == NULL) { return nnc_no_memory(err); }
    NNC_TRY(nnc_launch_take(specs, &asked, words, &count, given, err));
    if (count < 2) {
        return nnc_fail(err, NNC_BAD_SPEC, *model, "names no model, expected a launch file that names a model");
    }
    *model = words[0];
    return NNC_OK;
}
