/* The values of launch files: finds a key in the files, computes the formulas of a table, tests the conditions of a
 * row, and matches the names of trained parameters. launch_rows.c describes the tables. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "launch/launch_internal.h"

#ifdef _WIN32 /* The C library of Windows has no regular expressions, so nncost on Windows refuses a file that needs
               * regular expressions. */
typedef int regex_t;
enum { REG_EXTENDED = 1, REG_NOSUB = 2 };
static int regcomp(regex_t *pattern, const char *text, int flags) {
    (void)pattern, (void)text, (void)flags;
    return 1; /* regcomp() fails, so nncost calls neither regexec() nor regfree() */
}
static int regexec(const regex_t *pattern, const char *text, size_t count, void *matches, int flags) {
    (void)pattern, (void)text, (void)count, (void)matches, (void)flags;
    return 1;
}
static void regfree(regex_t *pattern) { (void)pattern; }
#else
#include <regex.h>
#endif

/* ---- finds the keys of a launch file and their values ---- */

nnc_json nnc_reading_table_part(const nnc_reading *r, const char *part) {
    return nnc_json_get(nnc_json_root(&r->files[r->file].table.doc), part);
}

const nnc_table_index *nnc_reading_table(const nnc_reading *r) { return r->files[r->file].table.index; }

void nnc_reading_key_name(const nnc_reading *r, const char *key, char *name, size_t size) {
    const bool options = nnc_reading_table(r)->arguments.node != NULL;
    key += options ? strspn(key, "-") : 0;
    const size_t length = strlen(key) < size ? strlen(key) : size - 1;
    memcpy(name, key, length);
    name[length] = '\0';
    for (char *c = name; options && *c != '\0'; c++) { *c = (char)(*c == '-' ? '_' : *c); }
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

nnc_json nnc_reading_keys_in(const nnc_reading *r, const nnc_launch_file *file) {
    const nnc_json root = nnc_json_root(&file->content.doc);
    const nnc_json inside = nnc_reading_table(r)->inside;
    const nnc_json found = inside.node != NULL ? nnc_json_get(root, nnc_json_text(inside)) : inside;
    return found.node != NULL ? found : root;
}

nnc_json nnc_reading_keys_of(const nnc_reading *r) { return nnc_reading_keys_in(r, &r->files[r->file]); }

const char *nnc_row_member(nnc_json row, const char *member) {
    const nnc_json found = nnc_json_get(row, member);
    return found.node != NULL ? nnc_json_text(found) : "";
}

const nnc_launch_file *nnc_file_beneath(const nnc_reading *r, const nnc_launch_file *file) {
    return file->beneath > 0 ? &r->files[file->beneath - 1] : NULL;
}

static const nnc_launch_file *lowest(const nnc_reading *r) {
    const nnc_launch_file *file = &r->files[r->file];
    while (file->beneath > 0) { file = nnc_file_beneath(r, file); }
    return file;
}

bool nnc_reading_names_file(const nnc_reading *r, const nnc_launch_file *file, const char *key) {
    const nnc_json layers = nnc_reading_table(r)->layers, none = { 0 };
    const bool is = file->beneath > 0 && layers.node != NULL && strcmp(nnc_json_text(layers), key) == 0;
    const nnc_json named = is ? nnc_json_get(nnc_reading_keys_in(r, file), key) : none;
    if (named.node == NULL || nnc_json_type_of(named) != NNC_JSON_TEXT) { return false; }
    const char *text = nnc_json_text(named), *slash = strrchr(text, '/');
    return nnc_ends_in(nnc_file_beneath(r, file)->path, slash != NULL ? slash + 1 : text);
}

nnc_status nnc_document_index(nnc_document *d) {
    enum { MANY = 64 }; /* a search among fewer than MANY members takes less time than making the index */
    const nnc_json root = nnc_json_root(&d->doc);
    const size_t count = nnc_json_type_of(root) == NNC_JSON_OBJECT ? (size_t)nnc_json_count(root) : 0;
    size_t slots = (size_t)2 * MANY;
    d->members = NULL;
    if (count < MANY) { return NNC_OK; }
    while (slots < count + count / 2) { slots *= 2; }
    d->member_mask = slots - 1;
    d->members = nnc_arena_array(d->doc.arena, slots, sizeof *d->members);
    if (d->members == NULL) { return nnc_no_memory(d->faults.err); }
    for (nnc_json at = nnc_json_first(root); at.node != NULL; at = nnc_json_next(at)) {
        size_t place = nnc_quick_digest(nnc_json_key(at), strlen(nnc_json_key(at)));
        while (d->members[place & d->member_mask] != NULL) { place++; }
        d->members[place & d->member_mask] = at.node;
    }
    return NNC_OK;
}

/* Returns the member `key` of an object in a document; an absent value: the object has no such member. */
static nnc_json member_of(const nnc_document *d, nnc_json object, const char *key) {
    if (d->members == NULL || object.node != d->doc.root) { return nnc_json_get(object, key); }
    nnc_json found = { object.doc, NULL };
    for (size_t place = nnc_quick_digest(key, strlen(key));; place++) {
        found.node = d->members[place & d->member_mask];
        if (found.node == NULL || strcmp(nnc_json_key(found), key) == 0) { return found; }
    }
}

bool nnc_document_has(const nnc_document *d, const char *key) {
    return member_of(d, nnc_json_root(&d->doc), key).node != NULL;
}

/* Returns the member `key` of an object in a document. If the object has no member "a.b", returns the member b of its
 * member a. An absent value: the object has neither a member "a.b" nor a member a with a member b. */
static nnc_json member_at(const nnc_document *d, nnc_json object, const char *key) {
    const char *rest = "";
    const bool is_path = strchr(key, '.') != NULL;
    const nnc_json own = member_of(d, object, key), none = { 0 },
                   found = own.node != NULL || !is_path ? own : nnc_json_follow(object, key, &rest);
    return *rest != '\0' ? none : found;
}

/* Returns the value of a key in one file. The file may use an earlier name of the key. An absent value: the file does
 * not have the key. NOLINTNEXTLINE(misc-no-recursion): calls itself once, because an option has no dot */
static nnc_json value_in(const nnc_reading *r, const nnc_launch_file *file, const char *key) {
    const nnc_json keys = nnc_reading_keys_in(r, file), none = { 0 };
    nnc_json found = { 0 };
    if (nnc_reading_names_file(r, file, key)) { return none; }
    if (nnc_reading_table(r)->arguments.node == NULL) {
        found = member_at(&file->content, keys, key);
        for (nnc_json at = nnc_json_first(nnc_reading_table(r)->renamed); found.node == NULL && at.node != NULL;
             at = nnc_json_next(at)) {
            const bool is_key = nnc_json_type_of(at) == NNC_JSON_TEXT && strcmp(nnc_json_text(at), key) == 0;
            found = is_key ? member_at(&file->content, keys, nnc_json_key(at)) : found;
        }
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
            if (found.node != NULL) { found = member_at(&file->content, found, dot + 1); }
        }
    }
    return nnc_json_type_of(found) == NNC_JSON_NULL ? none : found;
}

/* Returns the value of a key in a file that supplies missing keys of another file (a file beneath); an absent value =
 * the file does not have the key. A value that is equal to the program's default counts as absent, so that another key
 * of the file on top, such as the name of a model, can decide the value. */
static nnc_json value_beneath(const nnc_reading *r, const nnc_launch_file *file, const char *key) {
    const nnc_json found = value_in(r, file, key), absent = nnc_json_get(nnc_reading_table(r)->absent, key),
                   none = { 0 };
    char a[NNC_LAUNCH_VALUE], b[NNC_LAUNCH_VALUE];
    const bool same = found.node != NULL && absent.node != NULL && nnc_launch_value_text(found, a, sizeof a) &&
                      nnc_launch_value_text(absent, b, sizeof b) && strcmp(a, b) == 0;
    return same ? none : found;
}

/* REFERENCES_MAX: longest chain of references. A reference with a function counts as NESTED_STEPS references, and has
 * at most OPERANDS_MAX operands. NESTED_STEPS and OPERANDS_MAX limit the time that a malicious file can take. */
enum { REFERENCES_MAX = 8, NESTED_STEPS = 3, OPERANDS_MAX = 4 };

/* Finds the value of a key in the files that take precedence over the document `doc` (the files on top), or else in the
 * document itself. If the table has a member "groups", the file is the content of one of these groups, and a key may
 * begin with the name of its group. */
static nnc_json find_referred(const nnc_reading *r, const nnc_json_doc *doc, const char *key) {
    const nnc_json none = { 0 };
    const char *rest = "";
    nnc_json found = { 0 };
    const nnc_launch_file *file = &r->files[r->file];
    for (; file != NULL && doc != &file->content.doc && found.node == NULL; file = nnc_file_beneath(r, file)) {
        found = value_in(r, file, key);
    }
    if (found.node == NULL) { found = nnc_json_follow(nnc_json_root(doc), key, &rest); }
    if (found.node != NULL && *rest == '\0') { return found; }
    const nnc_json groups = nnc_json_get(nnc_json_root(&r->files[r->file].table.doc), "groups");
    for (nnc_json group = nnc_json_first(groups); group.node != NULL; group = nnc_json_next(group)) {
        const size_t length = strlen(nnc_json_text(group));
        if (strncmp(key, nnc_json_text(group), length) != 0 || key[length] != '.') { continue; }
        found = nnc_json_follow(nnc_json_root(doc), key + length + 1, &rest);
        return *rest == '\0' ? found : none;
    }
    return none;
}

/* Writes the path of the key that a reference "${key}" names. A key that begins with dots is relative, as in OmegaConf:
 * "${.b}" in the value of a.c is a.b, "${..b}" is b. Returns false if the text is no reference to a key. */
static bool referred_key(const char *text, size_t length, const char *path, char key[NNC_LAUNCH_KEY]) {
    if (length < 4 || length > NNC_LAUNCH_KEY || strncmp(text, "${", 2) != 0 || text[length - 1] != '}' ||
        memchr(text, ':', length) != NULL || memchr(text + 2, '$', length - 2) != NULL) {
        return false;
    }
    const char *name = text + 2, *end = path + strlen(path);
    const size_t dots = strspn(name, ".");
    for (size_t i = 0; i < dots; i++) {
        while (end > path && end[-1] != '.') { end--; }
        if (i + 1 < dots && end > path) { end--; }
    }
    const int kept = dots > 0 ? (int)(end - path) : 0;
    return snprintf(key, NNC_LAUNCH_KEY, "%.*s%.*s", kept, path, (int)(text + length - 1 - name - (long)dots),
                    name + dots) < NNC_LAUNCH_KEY;
}

static nnc_json referred(const nnc_reading *r, nnc_json at, const char *path, int depth);

/* Reads an operand of a reference with a function: a number, or a reference to a number. Returns false if the operand
 * is neither a number nor a reference to a number. NOLINTNEXTLINE(misc-no-recursion): see REFERENCES_MAX */
static bool read_operand(const nnc_reading *r, nnc_json at, const char *path, int depth, const char *word, size_t size,
                         double *operand) {
    char key[NNC_LAUNCH_KEY];
    while (size > 0 && word[size - 1] == ' ') { size--; }
    if (size == 0 || size >= sizeof key) { return false; }
    if (referred_key(word, size, path, key)) {
        const nnc_json found = referred(r, find_referred(r, at.doc, key), key, depth + NESTED_STEPS);
        const bool is_number = nnc_json_type_of(found) == NNC_JSON_NUMBER;
        *operand = is_number ? nnc_json_number(found) : 0.0;
        return is_number;
    }
    snprintf(key, sizeof key, "%.*s", (int)size, word);
    return nnc_read_double(key, operand);
}

/* Computes a reference with a function, such as "${multiply:4, ${.hidden_size}}". Returns false if the text is no
 * reference with a function, or if an operand is no number. NOLINTNEXTLINE(misc-no-recursion): see REFERENCES_MAX */
static bool compute(const nnc_reading *r, nnc_json at, const char *path, int depth, double *result) {
    static const char *const functions[] = { "${multiply:", "${sum:", "${divide_floor:", "${divide_ceil:" };
    const char *text = nnc_json_text(at);
    const size_t length = strlen(text);
    size_t kind = 0;
    while (kind < NNC_COUNT_OF(functions) && strncmp(text, functions[kind], strlen(functions[kind])) != 0) { kind++; }
    if (kind == NNC_COUNT_OF(functions) || text[length - 1] != '}') { return false; }
    const char *word = text + strlen(functions[kind]), *const end = text + length - 1;
    for (int count = 0; count == 0 || word < end; count++) {
        double operand = 0.0;
        word += strspn(word, " ");
        const char *comma = strchr(word, ','), *next = comma != NULL && comma < end ? comma : end;
        if (!read_operand(r, at, path, depth, word, (size_t)(next - word), &operand)) { return false; }
        if (count == OPERANDS_MAX || (kind > 1 && count > 0 && !(operand > 0.0))) { return false; }
        *result = count == 0  ? operand
                  : kind == 0 ? *result * operand
                  : kind == 1 ? *result + operand
                  : kind == 2 ? floor(*result / operand)
                              : ceil(*result / operand);
        word = next + (next < end);
    }
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): see REFERENCES_MAX */
static nnc_json referred(const nnc_reading *r, nnc_json at, const char *path, int depth) {
    char keys[2][NNC_LAUNCH_KEY];
    for (; depth < REFERENCES_MAX && nnc_json_type_of(at) == NNC_JSON_TEXT; depth++) {
        char *key = keys[depth % 2];
        double result = 0.0;
        if (compute(r, at, path, depth, &result)) { return nnc_json_number_as(at, result); }
        if (!referred_key(nnc_json_text(at), strlen(nnc_json_text(at)), path, key)) { break; }
        const nnc_json found = find_referred(r, at.doc, key);
        if (found.node == NULL) { break; }
        at = found;
        path = key;
    }
    return at;
}

nnc_json nnc_launch_referred(const nnc_reading *r, nnc_json at, const char *path) { return referred(r, at, path, 0); }

nnc_json nnc_reading_value(const nnc_reading *r, const char *key) {
    const nnc_launch_file *file = &r->files[r->file];
    nnc_json found = value_in(r, file, key);
    while (found.node == NULL && (file = nnc_file_beneath(r, file)) != NULL) { found = value_beneath(r, file, key); }
    return found.node == NULL ? nnc_json_get(nnc_reading_table(r)->absent, key) : nnc_launch_referred(r, found, key);
}

bool nnc_reading_is_replaced(const nnc_reading *r, nnc_json at, const char *key) {
    const nnc_launch_file *file = &r->files[r->file];
    for (; file != NULL && at.doc != &file->content.doc; file = nnc_file_beneath(r, file)) {
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
        if (count == ITEMS_MAX || !nnc_launch_value_text(at, items[count], sizeof items[count])) { return false; }
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

bool nnc_launch_value_text(nnc_json at, char *text, size_t size) {
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
 * key has set. Returns false if the field has no value. */
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
    const nnc_json found = nnc_reading_value(f->r, key);
    double number = 1.0;
    char text[NNC_LAUNCH_VALUE];
    if (found.node == NULL && strncmp(key, "model.", 6) == 0 && model_text(f->r, key + 6, text, sizeof text) &&
        nnc_read_double(text, &number)) {
        /* nothing remains to be done: model_text has written the value of the model's field to `text`, and
         * nnc_read_double has written it to `number` */
    } else if (found.node == NULL && strncmp(key, "plan.", 5) == 0 && nnc_reading_field(f->r, key + 5) != NULL) {
        if (nnc_reading_is_given(f->r, nnc_reading_field(f->r, key + 5))) {
            nnc_json_fault(f->at, NULL, "an option sets %s, expected options for all fields that this key sets",
                           key + 5);
            nnc_reading_fail(f->r, f->at);
            return false;
        }
        current_text(f->r, nnc_reading_field(f->r, key + 5), text);
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
            nnc_json_fault(found, NULL, "expected a number of at least 0%s",
                           number < 0.0 && number >= -1.0 ? ": the program computes this value from the devices, so "
                                                            "give the value"
                                                          : "");
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

/* Writes the current value of a field: the value of an option, or else of a launch file, or else the default. */
static void current_text(nnc_reading *r, const nnc_field *field, char text[NNC_LAUNCH_VALUE]) {
    const nnc_plan plan = nnc_plan_default();
    const nnc_run_ask run = nnc_run_ask_default();
    const nnc_serve_ask serve = nnc_serve_ask_default();
    const void *of = nnc_field_is_of(&nnc_serve_table, field) ? (const void *)&serve
                     : nnc_field_is_of(&nnc_run_table, field) ? (const void *)&run
                                                              : &plan;
    const nnc_set_field *set = nnc_reading_find_set(r, field);
    const char *value = set != NULL && !set->is_kept ? set->value : NULL;
    for (int i = 0; i < r->given->setting_count; i++) {
        if (r->given->settings[i].field == field) { value = r->given->settings[i].value; }
    }
    if (value == NULL || nnc_usual_text(field, value, text, NULL) != NNC_OK) {
        nnc_field_text(field, of, text, NNC_LAUNCH_VALUE);
    }
}

/* Writes the text that a condition of a table compares with its allowed values. name: '@' and a key, '=' and a formula,
 * "SERVES", "MODEL", "SOFTWARE", or a field of the plan or the model. The text is "absent" for a key or field without a
 * value, and "unknown" for a field of a model that nncost does not know. Returns false if no field has this name, or if
 * the formula has no value. */
static bool condition_text(nnc_reading *r, const char *name, char *text, size_t size) {
    if (name[0] == '@') {
        const nnc_json found = name[1] == '@' ? value_in(r, lowest(r), name + 2) : nnc_reading_value(r, name + 1);
        if (found.node == NULL || !nnc_launch_value_text(found, text, size)) {
            snprintf(text, size, "%s", found.node == NULL ? "absent" : "several");
        }
        return true;
    }
    const nnc_field *field = nnc_reading_field(r, name);
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
    if (nnc_model_field_name(name) != NULL) {
        if (!model_text(r, nnc_model_field_name(name), text, size)) {
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

bool nnc_text_is_like(const char *text, const char *word) {
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
            met = met || nnc_text_is_like(text, nnc_json_text(value));
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
        const nnc_json found = nnc_reading_value(r, value + 1);
        return found.node != NULL && nnc_launch_value_text(found, text, size);
    }
    snprintf(text, size, "%s", value);
    return true;
}

/* ---- finds the trained parameters, which a file names by regular expressions ---- */

enum { TRAINED_PATTERNS_MAX = 32, TRAINED_LAYERS_MAX = 1024, TRAINED_PATTERN = 200 };

/* State of matching regular expressions with the parameters of a model: the patterns, the matched parts of the model
 * (values of --train), and the layers that contain these parts. */
typedef struct trained {
    regex_t patterns[TRAINED_PATTERNS_MAX];
    bool matched[TRAINED_PATTERNS_MAX]; /* matched[i]: true = pattern i matches a parameter of the model family */
    /* words[i]: true = pattern i is a word, such as embed_tokens. A pattern that is a word may match no parameter:
     * users mean all names that contain the word, but a pattern matches only names that begin with the word */
    bool words[TRAINED_PATTERNS_MAX];
    int count;
    bool layers[TRAINED_LAYERS_MAX], any_layer, is_partial;
    char parts[NNC_LAUNCH_VALUE]; /* the matched parts of the model, as a value of --train: "mlp,head" */
} trained;

/* Compiles a regular expression with the rules of Axolotl: the expression must match from the beginning of a
 * parameter's name, and '.' means a dot unless '+' follows. Returns false for forms that the examples of Axolotl do not
 * use: ranges of rows, escapes other than \d, groups with '?', counts, and repeats of groups or of repeats. Source:
 * Axolotl, src/axolotl/utils/freeze.py. */
static bool compile_pattern(const char *text, regex_t *pattern) {
    char posix[3 * TRAINED_PATTERN + 4] = "^(";
    size_t used = 2;
    int depth = 0;
    if (strlen(text) >= TRAINED_PATTERN || strpbrk(text, "{:?") != NULL) { return false; }
    for (; *text != '\0'; text++) {
        const bool digit = text[0] == '\\' && text[1] == 'd';
        /* nested repeats are refused: regcomp copies each repeated part, so compiling nested repeats can take
         * minutes */
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
 * sets t->is_partial if the patterns match only some of these parameters. */
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
    const char *prefix = nnc_row_member(family, "layer");
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
 * trained layers are not consecutive, the function selects consecutive layers instead: as many layers, from the first
 * trained layer on. The cost of the step does not change. */
static void set_trained(nnc_reading *r, nnc_json at, const trained *t, int64_t layers) {
    int64_t count = 0, first = -1;
    char number[NNC_LAUNCH_VALUE];
    for (int64_t i = 0; i < layers; i++) {
        first = t->layers[i] && first < 0 ? i : first;
        count += t->layers[i] ? 1 : 0;
    }
    nnc_reading_set_text(r, at, "train", t->parts, false);
    if (count > 0 && count < layers) {
        snprintf(number, sizeof number, "%d", (int)count);
        nnc_reading_set_text(r, at, "train_layers", number, false);
        snprintf(number, sizeof number, "%d", (int)first);
        nnc_reading_set_text(r, at, "train_from", number, false);
    }
}

void nnc_reading_parameters(nnc_reading *r, nnc_json at, const char *path, nnc_json row) {
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
        nnc_reading_refuse(r, at, path, "names parameters that are not whole parts of layers", row);
    }
    for (int i = 0; t != NULL && i < t->count; i++) { regfree(&t->patterns[i]); }
    free(t);
}

/* ---- finds the row of a key ---- */

/* Tests whether the key of a row stands for a path: a key "a.*" stands for all keys inside a, a key "a*" for all keys
 * that begin with a, a key "*" for all keys. */
static bool is_inside(const char *key, const char *path) {
    if (!nnc_ends_in(key, "*")) { return strcmp(key, "*") == 0; }
    const size_t stem = strlen(key) - (nnc_ends_in(key, ".*") ? 2 : 1);
    return strncmp(key, path, stem) == 0 && (path[stem] == '.' || key[stem] == '*');
}

/* Returns the member "key" of a row of a format's table, which is usually the first member of the row. An absent value:
 * the row has no key. */
static nnc_json row_key(nnc_json row) {
    const nnc_json first = nnc_json_first(row), none = { 0 };
    const bool is_first = first.node != NULL && strcmp(nnc_json_key(first), "key") == 0;
    const nnc_json key = is_first ? first : nnc_json_get(row, "key");
    return nnc_json_type_of(key) == NNC_JSON_TEXT ? key : none;
}

/* Returns the number of the list `wide` in which the key `key` is. The number of the list is computed from the first
 * two characters of the key. If the first or the second character of the key is '*', the number of the list is '*'. */
static unsigned char wide_list_of(const char *key) {
    const unsigned char one = (unsigned char)key[0];
    const unsigned char two = one == '\0' || key[1] == '.' ? 0 : (unsigned char)key[1];
    return one == '*' || two == '*' ? '*' : (unsigned char)(one + 59 * two);
}

/* Returns the digest of the part of a key before the first dot, so a key "a" and the keys "a.b" inside it have equal
 * digests. */
static uint32_t part_digest(const char *key) {
    return (uint32_t)(nnc_quick_digest(key, strcspn(key, ".")) & UINT32_MAX);
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
                                .digests = nnc_arena_array(arena, count + 1, sizeof *index->digests),
                                .absent = nnc_json_get(root, "absent"),
                                .renamed = nnc_json_get(root, "renamed"),
                                .arguments = nnc_json_get(root, "arguments"),
                                .inside = nnc_json_get(root, "inside"),
                                .layers = nnc_json_get(root, "layers") };
    if (index->keys == NULL || index->rows == NULL || index->next == NULL || index->digests == NULL) {
        return nnc_no_memory(table->faults.err);
    }
    /* for each list, the place that receives the number of the list's next row: first the lists `first`, then the lists
     * `wide` */
    int32_t *last[2 * NNC_ROW_LISTS], i = 0;
    for (int c = 0; c < NNC_ROW_LISTS; c++) {
        last[c] = &index->first[c];
        last[NNC_ROW_LISTS + c] = &index->wide[c];
    }
    for (nnc_json row = nnc_json_first(rows); row.node != NULL; row = nnc_json_next(row), i++) {
        const nnc_json key = row_key(row);
        if (key.node == NULL) {
            nnc_json_mismatch(row, "wrong row", "an object with a text \"key\"");
            return table->faults.status;
        }
        const char *text = nnc_json_text(key), *star = strchr(text, '*');
        const bool is_wide = star != NULL && memchr(text, '.', (size_t)(star - text)) == NULL;
        index->digests[i] = part_digest(text);
        const size_t first = index->digests[i] & (NNC_ROW_LISTS - 1),
                     list = is_wide ? (size_t)NNC_ROW_LISTS + wide_list_of(text) : first;
        index->keys[i] = text;
        index->rows[i] = row;
        index->next[i] = 0;
        *last[list] = i + 1;
        last[list] = &index->next[i];
    }
    table->index = index;
    return NNC_OK;
}

/* Returns the number of the first row of a list, 1 + index, whose key stands for a path; 0 = no such row. */
static int32_t first_inside(const nnc_table_index *index, int32_t row, const char *path) {
    while (row > 0 && !is_inside(index->keys[row - 1], path)) { row = index->next[row - 1]; }
    return row;
}

/* Finds the row of a table for the key `path`: the row with exactly this key, otherwise the first row with '*' that
 * stands for the path. *below: true if the table has rows for keys inside this key. */
static nnc_json find_row(const nnc_table_index *index, const char *path, bool *below) {
    const size_t length = strlen(path);
    const uint32_t digest = part_digest(path);
    int32_t found[3] = { 0 }, wide = 0;
    *below = false;
    for (int32_t i = index->first[digest & (NNC_ROW_LISTS - 1)]; i > 0; i = index->next[i - 1]) {
        const char *key = index->keys[i - 1];
        if (index->digests[i - 1] != digest) { continue; }
        if (strcmp(key, path) == 0) { return index->rows[i - 1]; }
        if (found[0] == 0 && is_inside(key, path)) { found[0] = i; }
        *below = *below || (strncmp(key, path, length) == 0 && key[length] == '.');
    }
    found[1] = first_inside(index, index->wide[wide_list_of(path)], path);
    found[2] = first_inside(index, index->wide['*'], path);
    for (int k = 0; k < 3; k++) {
        if (found[k] > 0 && (wide == 0 || found[k] < wide)) { wide = found[k]; }
    }
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

/* ---- paths that launch files name ---- */

/* Returns the path of a file in the folder of the file `from`, in the folders above this folder, or in the current
 * folder; NULL = the file is in none of these folders, or out of memory. */
static const char *find_above(nnc_arena *arena, const char *from, const char *name) {
    char folder[512];
    for (size_t length = strlen(from); length > 0 && length < sizeof folder;) {
        while (length > 0 && from[length - 1] != '/') { length--; }
        snprintf(folder, sizeof folder, "%.*s", (int)length, from);
        const char *path = nnc_path_from(arena, length > 0 ? folder : "x", name);
        if (path == NULL || access(path, R_OK) == 0) { return path; }
        length -= length > 0 ? 1 : 0;
    }
    return NULL;
}

const char *nnc_launch_path(nnc_arena *arena, const char *from, const char *name) {
    const char *known = strncmp(name, "${", 2) == 0 ? strrchr(name, '}') : NULL, *found = NULL;
    name = known != NULL && known[1] == '/' ? known + 2 : name;
    const char *next_to = nnc_path_from(arena, from, name);
    if (next_to == NULL || access(next_to, R_OK) == 0) { return next_to; }
    if (name[0] != '/') { found = find_above(arena, from, name); }
    /* looks for the end of a path in a container: the last folders and the file */
    for (const char *end = name[0] == '/' ? strchr(name + 1, '/') : NULL;
         found == NULL && end != NULL && strchr(end + 1, '/') != NULL; end = strchr(end + 1, '/')) {
        found = find_above(arena, from, end + 1);
    }
    return found != NULL ? found : next_to;
}

/* ---- changes of a named model ---- */

void nnc_reading_change_model(nnc_reading *r, int index, nnc_scenario_args *given, nnc_buffer *text) {
    const nnc_json changes = nnc_json_get(nnc_json_root(&r->files[index].table.doc), "changes");
    if (r->model_given != NULL || changes.node == NULL || nnc_reading_model(r, "MODEL") == NULL) { return; }
    for (int i = 0; i < r->model_count; i++) {
        const nnc_model_field *field = &r->model[i];
        char set[NNC_LAUNCH_KEY + NNC_LAUNCH_VALUE];
        if (field->file != index || field->is_default || field->is_set || !islower((unsigned char)field->name[0])) {
            continue;
        }
        snprintf(set, sizeof set, "model.%s=%s", field->name, field->value);
        const char *kept = nnc_arena_strdup(r->arena, set);
        if (kept == NULL || given->set_count == NNC_SETS_MAX) {
            r->status = kept == NULL ? nnc_no_memory(r->err)
                                     : nnc_fail(r->err, NNC_BAD_USAGE, r->files[index].path, "too many settings");
            return;
        }
        given->sets[given->set_count++] = kept;
        nnc_buffer_print(text, "%s--set %s", text->size > 0 ? " " : "", set);
    }
}

/* ---- scripts of frameworks that other scripts read ---- */

/* A file that a script reads, with the text of the script. */
typedef struct sourced {
    const char *script, *file; /* script: text of the script that reads the file; file: name of the file */
    const char *text;          /* text of the file; NULL = no framework has the file */
} sourced;

static nnc_status look_script(nnc_specs *specs, nnc_json root, const char *name, void *found, nnc_error *err) {
    sourced *s = found;
    (void)name;
    for (nnc_json one = nnc_json_first(nnc_json_get(root, "scripts")); one.node != NULL; one = nnc_json_next(one)) {
        if (strcmp(nnc_row_member(one, "name"), s->file) == 0 &&
            strstr(s->script, nnc_row_member(one, "sign")) != NULL) {
            s->text = nnc_arena_strdup(nnc_specs_arena(specs), nnc_row_member(one, "text"));
            return s->text != NULL ? NNC_OK : nnc_no_memory(err);
        }
    }
    return NNC_OK;
}

const char *nnc_launch_shipped(nnc_specs *specs, const char *script, const char *name) {
    const char *slash = strrchr(name, '/');
    sourced s = { .script = script, .file = slash != NULL ? slash + 1 : name };
    nnc_error err;
    return nnc_specs_look(specs, "foreign/names/scripts.json", look_script, "", &s, &err) == NNC_OK ? s.text : NULL;
}
