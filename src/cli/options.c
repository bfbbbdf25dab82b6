/* Reads a command line, then the defaults file, into one nnc_options, in five steps.
 *
 * First, the names of all options of the command are listed, from the field tables and from the option table. Second,
 * getopt_long finds the options in argv. Values of fields (of the plan, the run ...) are stored as text in
 * given.settings, in the order of argv, because some commands accept lists as values. The row of an option in the
 * option table names a member of nnc_options, and the value of the option is stored in this member. Third, if the
 * operands choose one of several forms of the command, options that this form lacks are refused. Fourth, the lines of
 * the defaults file set options that the command line does not give. Fifth, values that are numbers or words of a list
 * are read, and checked by the type and limits in the option's row. */
#include <assert.h>
#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <strings.h>
#include <unistd.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "record/record_internal.h"

enum { SPELLINGS_MAX = 320 };

/* A name under which an option can be written: the option's own name, or an alias. */
typedef struct spelling {
    char name[NNC_OPTION_NAME]; /* name of the option with dashes, such as "--micro-batch" */
    const nnc_own_option *own;  /* row of the option table; NULL = the option is a field of a plan, a run or a
                                 * deployment */
    const nnc_field *field;
} spelling;

/* The names of all options of a command. A field that has an alias has two entries. */
typedef struct spellings {
    spelling entries[SPELLINGS_MAX];
    int count;
} spellings;

static void add_spelling(spellings *list, const char *name, const nnc_own_option *own, const nnc_field *field) {
    if (name != NULL && list->count < SPELLINGS_MAX) {
        spelling *added = &list->entries[list->count++];
        nnc_option_name(name, added->name);
        added->own = own;
        added->field = field;
    }
}

static void list_spellings(spellings *list, unsigned takes) {
    list->count = 0;
    for (const nnc_option_fields *of = nnc_option_tables; of->table != NULL; of++) {
        for (size_t i = 0; (of->takes & takes) && i < of->table->count; i++) {
            const nnc_field *field = &of->table->fields[i];
            if ((of->only == NULL || nnc_option_has(of, field)) && !nnc_option_lacks(takes, field->name)) {
                add_spelling(list, field->name, NULL, field);
                add_spelling(list, field->alias, NULL, field);
            }
        }
    }
    for (int i = 0; i < nnc_own_option_count; i++) {
        const nnc_own_option *own = &nnc_own_options[i];
        if ((own->takes & takes) && !nnc_option_lacks(takes, own->field.name)) {
            add_spelling(list, own->field.name, own, &own->field);
        }
    }
}

/* Returns the entry for the option that a word of the command line names, up to '='. Upper and lower case count as
 * equal. Returns NULL if the command has no option with the given name. */
static const spelling *find_spelling(const spellings *list, const char *word) {
    const size_t length = strcspn(word, "=");
    for (int i = 0; i < list->count; i++) {
        const char *name = list->entries[i].name;
        if (strlen(name) == length && strncasecmp(name, word, length) == 0) { return &list->entries[i]; }
    }
    return NULL;
}

/* Returns the entry for the option with a short name, such as 'o' for -o; NULL = there is no such option. */
static const spelling *find_letter(const spellings *list, int letter) {
    for (int i = 0; i < list->count; i++) {
        const nnc_own_option *own = list->entries[i].own;
        if (own != NULL && own->letter != 0 && own->letter == letter) { return &list->entries[i]; }
    }
    return NULL;
}

/* Writes the name of the field that an option seems to mean and that --set can change, such as mem_bytes for
 * --mem-bytes. Returns false if no field of the plan, the device or a model of any family has the name that the option
 * suggests. trains: true = the command has a training plan. */
static bool set_field_of(const char *option, bool trains, char name[64]) {
    void *object = NULL;
    nnc_dtype dtype;
    snprintf(name, 64, "%s", option + 2);
    for (char *c = name; *c != '\0'; c++) { *c = (char)(*c == '-' ? '_' : *c); }
    bool found = (trains && nnc_field_find(&nnc_plan_table, name, &object, &dtype) != NULL) ||
                 nnc_field_find(&nnc_device_table, name, &object, &dtype) != NULL;
    for (int family = 0; family < NNC_FAMILY_COUNT && !found; family++) {
        found = nnc_field_find(nnc_model_table((nnc_family)family), name, &object, &dtype) != NULL;
    }
    return found;
}

/* Fails because a word names no option of the command; the error suggests the option with the most similar name, or
 * --set for the name of a field. */
static nnc_status refuse_unknown(const spellings *list, const char *command, const char *word, nnc_error *err) {
    const char *names[SPELLINGS_MAX];
    char typed[64], field[64];
    spellings all;
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);

    for (int i = 0; i < list->count; i++) {
        names[i] = list->entries[i].name;
        if (strncmp(names[i], typed, strlen(typed)) == 0 && strlen(typed) > 2) {
            return nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, options are not abbreviated: did you mean %s?",
                            names[i]);
        }
    }
    if (find_spelling(list, "--set") != NULL && set_field_of(typed, find_spelling(list, "--zero") != NULL, field)) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "is not an option of '%s', expected --set %s=VALUE", command, field);
    }
    list_spellings(&all, ~0u);
    if (find_spelling(&all, typed) != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "is not an option of '%s'", command);
    }
    const char *nearest = nnc_nearest(typed, names, (size_t)list->count);
    if (nearest != NULL) { return nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, did you mean %s?", nearest); }
    return nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, see 'nncost %s --help'", command);
}

/* ---- reading the values of options that are no fields, by their types ---- */

/* Returns the index of a text in a list of names; upper and lower case count as equal. -1 = the list does not have the
 * text, and err says so. */
static int choose(const char *option, const char *text, nnc_names names, nnc_error *err) {
    char expected[128] = "";
    const int found = nnc_names_find_nocase(names, text);
    for (int i = 0; i < names.count && found < 0; i++) {
        nnc_text_append(expected, sizeof expected, "", "%s%s", i > 0 ? ", " : "", names.of((unsigned)i));
    }
    if (found >= 0) { return found; }
    nnc_fail(err, NNC_BAD_USAGE, option, "unknown value, expected one of %s, found \"%s\"", expected, text);
    return -1;
}

/* Reads the value of an option as a whole number, within the limits of the option's row. */
static nnc_status read_count(const nnc_field *field, const char *option, const char *text, double *value,
                             nnc_error *err) {
    int64_t count = 0;
    if (!nnc_read_i64(text, &count) || (double)count < field->min || (double)count > field->max) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "out of range, expected a whole number from %.0f to %.0f, found \"%s\"", field->min, field->max,
                        text);
    }
    *value = (double)count;
    return NNC_OK;
}

/* Reads the value of an option as a number of bytes, with or without a unit: "60GB", "40GiB". */
static nnc_status read_bytes(const char *option, const char *text, double *bytes, nnc_error *err) {
    if (!nnc_read_quantity(text, "B", true, bytes) || *bytes < 1.0 || *bytes > 0x1p50 || *bytes - floor(*bytes) > 0.0) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "not a size, expected a whole number of bytes, at least 1, such as 60GB or 40GiB, found \"%s\"",
                        text);
    }
    return NNC_OK;
}

/* Reads the value of an option as a time: "2.5s", "800ms", "30d", or seconds without a unit. */
static nnc_status read_time(const char *option, const char *text, double *seconds, nnc_error *err) {
    if (!nnc_read_quantity(text, "s", false, seconds) || !(*seconds > 0.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "not a time, expected a number above 0 and one of us, ms, s, min, h, d, w, "
                        "such as 2.5s or 30d, found \"%s\"",
                        text);
    }
    return NNC_OK;
}

static nnc_status store_text(const nnc_field *field, const char *option, const char *text, nnc_options *options,
                             nnc_error *err) {
    const char **place = (const char **)(void *)((char *)options + field->offset);
    if (field->capacity > 0) {
        int *count = (int *)(void *)((char *)options + field->count_offset);
        if (*count == field->capacity) {
            return nnc_fail(err, NNC_BAD_USAGE, option, "given more than %d times", (int)field->capacity);
        }
        place[(*count)++] = text;
        return NNC_OK;
    }
    *place = text;
    return NNC_OK;
}

/* Tests whether the value of an option is a number or a word of a list. Numbers and words of a list are read only after
 * the operands have chosen the form of the command, because the chosen form may not accept the option. */
static bool is_read_last(const nnc_field *field) {
    return field->type != NNC_FIELD_BOOL && field->type != NNC_FIELD_TEXT;
}

/* Reads the value of an option, a number or a word of a list, checks the value, and stores it in the member of
 * nnc_options that the option's row names. */
static nnc_status read_value(const nnc_own_option *own, const char *text, nnc_options *options, nnc_error *err) {
    const nnc_field *field = &own->field;
    char option[NNC_OPTION_NAME];
    double value = 0.0;
    nnc_option_name(field->name, option);
    if (field->type == NNC_FIELD_ENUM) {
        const int found = choose(option, text, field->names, err);
        if (found < 0) { return NNC_BAD_USAGE; }
        value = found;
    } else {
        NNC_TRY(field->type == NNC_FIELD_F64 ? read_time(option, text, &value, err)
                : field->unit != NULL        ? read_bytes(option, text, &value, err)
                                             : read_count(field, option, text, &value, err));
    }
    nnc_field_store(field, (char *)options + field->offset, 0, value);
    return NNC_OK;
}

static nnc_status read_values(nnc_options *options, nnc_error *err) {
    for (int i = 0; i < nnc_own_option_count; i++) {
        const nnc_own_option *own = &nnc_own_options[i];
        if (options->texts[i] != NULL && is_read_last(&own->field)) {
            NNC_TRY(read_value(own, options->texts[i], options, err));
        }
    }
    return NNC_OK;
}

static void set_default_values(nnc_options *options) {
    for (int i = 0; i < nnc_own_option_count; i++) {
        const nnc_own_option *own = &nnc_own_options[i];
        if (own->default_value != 0.0) {
            nnc_field_store(&own->field, (char *)options + own->field.offset, 0, own->default_value);
        }
    }
}

static nnc_status given_twice(const char *option, const char *first, const char *second, nnc_error *err) {
    return nnc_fail(err, NNC_BAD_USAGE, option, "given twice, as \"%s\" and as \"%s\"", first, second);
}

static nnc_status take_setting(nnc_options *options, const spelling *entry, const char *value, nnc_error *err) {
    nnc_scenario_args *given = &options->given;
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        if (setting->field == entry->field) {
            return strcmp(setting->value, value) == 0 ? NNC_OK : given_twice(entry->name, setting->value, value, err);
        }
    }
    if (given->setting_count == NNC_SETTINGS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, entry->name, "too many options");
    }
    given->settings[given->setting_count++] = (nnc_setting){ entry->field, value };
    return NNC_OK;
}

/* Stores the value that the command line or the defaults file gives to an option. value NULL: the option is a
 * switch. */
static nnc_status take(nnc_options *options, const spelling *entry, const char *value, nnc_error *err) {
    const nnc_own_option *own = entry->own;
    if (own == NULL) { return take_setting(options, entry, value != NULL ? value : "on", err); }
    const char **text = &options->texts[own - nnc_own_options];
    if (own->argument == NULL) { value = "on"; }
    assert(value != NULL);
    if (own->field.capacity == 0) {
        if (*text != NULL && strcmp(*text, value) != 0) { return given_twice(entry->name, *text, value, err); }
        if (*value == '\0') { return nnc_fail(err, NNC_BAD_USAGE, entry->name, "empty value"); }
    }
    *text = value;
    if (own->field.type == NNC_FIELD_BOOL) {
        nnc_field_store(&own->field, (char *)options + own->field.offset, 0, 1.0);
    }
    return own->field.type == NNC_FIELD_TEXT ? store_text(&own->field, entry->name, value, options, err) : NNC_OK;
}

static bool is_given(const nnc_options *options, const spelling *entry) {
    if (entry->own != NULL) { return options->texts[entry->own - nnc_own_options] != NULL; }
    for (int i = 0; i < options->given.setting_count; i++) {
        if (options->given.settings[i].field == entry->field) { return true; }
    }
    return false;
}

/* Tests whether the option `name` of the option table is given. Several rows of the table can have the same name, such
 * as --by; each of these rows is for different commands. typed: true = tests only the command line; false = tests the
 * defaults file as well. */
static bool any_named(const nnc_options *options, const char *name, bool typed) {
    for (int i = 0; i < nnc_own_option_count; i++) {
        char option[NNC_OPTION_NAME];
        const bool given = typed ? options->typed[i] : options->texts[i] != NULL;
        if (given && strcmp(nnc_option_name(nnc_own_options[i].field.name, option), name) == 0) { return true; }
    }
    return false;
}

bool nnc_option_given(const nnc_options *options, const char *name) { return any_named(options, name, false); }

bool nnc_option_typed(const nnc_options *options, const char *name) { return any_named(options, name, true); }

nnc_status nnc_option_count(const char *option, int64_t given, int64_t most, int64_t *value, nnc_error *err) {
    if (given > most) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "out of range, expected a whole number from 1 to %" PRId64 ", found %" PRId64, most, given);
    }
    *value = given > 0 ? given : *value;
    return NNC_OK;
}

nnc_status nnc_option_device(nnc_specs *specs, const char *text, const nnc_device **device, nnc_error *err) {
    const nnc_status status = nnc_device_load(specs, text, device, err);
    if (status == NNC_UNKNOWN_ID) { snprintf(err->where, sizeof err->where, "--device"); }
    return status;
}

/* ---- the defaults file, which gives one option per line ---- */

/* Finds the defaults file: nncost/defaults in $XDG_CONFIG_HOME, or else in .config of the home folder. A relative path
 * in $XDG_CONFIG_HOME is ignored, as the XDG specification requires. Returns false if there is no defaults file. */
static bool find_file(char path[PATH_MAX]) {
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv(NNC_HOME_VARIABLE);
    int length = -1;
    if (config != NULL && config[0] == '/') {
        length = snprintf(path, PATH_MAX, "%s/nncost/defaults", config);
    } else if (home != NULL && home[0] != '\0') {
        length = snprintf(path, PATH_MAX, "%s/.config/nncost/defaults", home);
    }
    return length > 0 && length < PATH_MAX && access(path, F_OK) == 0;
}

/* Tests whether the first operand is a plan file. The options in the defaults file are not used for a plan file,
 * because a plan file contains all inputs of its estimates. */
static bool asks_plan_file(const nnc_options *options) {
    const char *first = options->operand_count > 0 ? options->operands[0] : "";
    return nnc_is_path(first) && (nnc_is_pipe(first) ? options->operand_count == 1 : nnc_plans_is(NULL, first));
}

static char *trim(char *text) {
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) { text[--length] = '\0'; }
    return text;
}

/* Cuts "--name value" or "--name=value" into name and value. Returns the value; NULL = the text has no value. */
static char *cut_value(char *line) {
    char *end = line + strcspn(line, " \t=");
    if (*end == '\0') { return NULL; }
    *end = '\0';
    return trim(end + 1);
}

/* Returns a text that says what is wrong in a line of the defaults file; NULL = the line has no error. */
static const char *wrong_with(const spelling *entry, const char *value) {
    const nnc_own_option *own = entry->own;
    if (own != NULL && (own->field.capacity > 0 || own->letter == 'h' || own->letter == 'o' ||
                        strcmp(own->field.name, "no-defaults") == 0)) {
        return "expected on the command line";
    }
    const bool wants = own != NULL ? own->argument != NULL : entry->field->type != NNC_FIELD_BOOL;
    const bool has = value != NULL;
    if (wants && !has) { return "a value is missing"; }
    return own != NULL && !wants && has ? "takes no value" : NULL;
}

typedef struct defaults {
    nnc_options *options;
    spellings list, all; /* list: names of the options of the command; all: names of the options of all commands */
    bool plan_file;
} defaults;

/* Sets the option that is written in a line of the defaults file. A line for an option of other commands is checked and
 * then ignored. */
static nnc_status take_line(defaults *r, char *line, const char *where, nnc_error *err) {
    const char *value = cut_value(line);
    const spelling *known = find_spelling(&r->all, line);
    const spelling *entry = find_spelling(&r->list, line);
    nnc_error why = { .status = NNC_OK };
    if (known == NULL) {
        refuse_unknown(&r->all, "COMMAND", line, &why);
        return nnc_fail(err, why.status, where, "%s: %s", why.where, why.what);
    }
    const char *wrong = wrong_with(known, value);
    if (wrong != NULL) { return nnc_fail(err, NNC_BAD_USAGE, where, "%s: %s", known->name, wrong); }
    const bool of_plan = entry != NULL && (entry->own == NULL || (entry->own->takes & NNC_TAKES_PLAN));
    if (entry == NULL || (r->plan_file && of_plan) || is_given(r->options, entry)) { return NNC_OK; }
    return take(r->options, entry, value, &why) == NNC_OK
               ? NNC_OK
               : nnc_fail(err, why.status, where, "%s: %s", why.where, why.what);
}

/* Sets those options of the defaults file that the command has and that the command line does not give. */
static nnc_status read_defaults(nnc_options *options, unsigned takes, nnc_error *err) {
    char path[PATH_MAX], where[PATH_MAX + 24];
    size_t size = 0;
    if (!find_file(path)) { return NNC_OK; }
    nnc_status status = nnc_file_read(path, &options->defaults, &size, err);
    defaults r = { .options = options, .plan_file = asks_plan_file(options) };
    list_spellings(&r.list, takes);
    list_spellings(&r.all, ~0u);
    char *next = status == NNC_OK ? options->defaults : NULL;
    for (long number = 1; status == NNC_OK && next != NULL; number++) {
        char *line = next;
        next = strchr(line, '\n');
        if (next != NULL) { *next++ = '\0'; }
        line = trim(line);
        snprintf(where, sizeof where, "%s:%ld", path, number);
        if (*line != '\0' && *line != '#') { status = take_line(&r, line, where, err); }
    }
    return status;
}

/* ---- reading the options of the command line with getopt_long ---- */

/* Returns the kind of argument that getopt expects for an option. A field that is a switch has an optional value
 * ("--dora=off"), which getopt reads only after '='. */
static int argument_kind(const spelling *entry) {
    if (entry->own != NULL) { return entry->own->argument != NULL ? required_argument : no_argument; }
    return entry->field->type == NNC_FIELD_BOOL ? optional_argument : required_argument;
}

/* Replaces the option --power-cap W by --set device.power_cap_w=W. */
static nnc_status set_power_cap(nnc_options *options, nnc_error *err) {
    if (options->given.set_count == NNC_SETS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--power-cap", "too many options");
    }
    snprintf(options->power_cap_set, sizeof options->power_cap_set, "device.power_cap_w=%.40s", options->power_cap);
    options->given.sets[options->given.set_count++] = options->power_cap_set;
    return NNC_OK;
}

/* Sets options->format to the output format that --format names. `nncost check` has more formats than other
 * commands. */
static nnc_status choose_format(nnc_options *options, unsigned takes, nnc_error *err) {
    const nnc_names names = (takes & NNC_TAKES_CHECK) != 0
                                ? (nnc_names){ nnc_check_format_name, NNC_CHECK_FORMAT_COUNT }
                                : (nnc_names){ nnc_format_name, NNC_FORMAT_COUNT };
    if (options->format_name != NULL) {
        const int found = choose("--format", options->format_name, names, err);
        options->format = found >= 0 ? nnc_check_format_at((unsigned)found) : NULL;
    }
    return options->format != NULL ? NNC_OK : NNC_BAD_USAGE;
}

static nnc_status refuse_missing(const spelling *entry, nnc_error *err) {
    char expected[256] = "";
    if (entry->own == NULL) { nnc_field_expected(entry->field, expected, sizeof(expected)); }
    return nnc_fail(err, NNC_BAD_USAGE, entry->name, "a value is missing, expected %s",
                    entry->own != NULL ? entry->own->argument : expected);
}

/* Handles one result of getopt_long. code: 0 or a letter = an option; '?' = an unknown option, or a value for an option
 * without values; ':' = an option without its value. */
static nnc_status take_found(nnc_options *options, const spellings *list, const char *command, int code,
                             const char *word, nnc_error *err) {
    const spelling *found =
        code != 0 && code != ':' && code != '?' ? find_letter(list, code) : find_spelling(list, word);
    if (found == NULL && (code == ':' || code == '?') && word[1] != '-') { found = find_letter(list, optopt); }
    if (code == ':' && found != NULL) { return refuse_missing(found, err); }
    if (code == '?' && found != NULL) { return nnc_fail(err, NNC_BAD_USAGE, found->name, "takes no value"); }
    if (code == '?' && optopt != 0) {
        const char letter[] = { '-', (char)optopt, '\0' };
        return nnc_fail(err, NNC_BAD_USAGE, letter, "unknown option, options start with two dashes");
    }
    if (found == NULL) { return refuse_unknown(list, command, word, err); }
    if (optarg != NULL && strncmp(optarg, "--", 2) == 0 && isalpha((unsigned char)optarg[2])) {
        return refuse_missing(found, err); /* getopt has taken the next option as the value of this option */
    }
    options->brief = options->brief || code == 'h';
    return take(options, found, optarg, err);
}

/* Returns true if an option name is written in camel case, as in "--microBatchSize". */
static bool is_camel(const char *word) {
    while (*word != '\0' && *word != '=' && !(islower((unsigned char)word[0]) && isupper((unsigned char)word[1]))) {
        word++;
    }
    return *word != '\0' && *word != '=';
}

/* Changes option names in argv to lower case, with '-' in place of '_', so that getopt finds them. camel: true =
 * changes only names in camel case, false = changes only all other names. The first call changes the names that are not
 * in camel case, and the second call changes the names in camel case. Option names of other programs are looked up
 * between the two calls, because some of these names are in camel case. */
static void fold_options(int argc, char **argv, bool camel) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0 || is_camel(argv[i]) != camel) { continue; }
        for (char *c = argv[i]; *c != '\0' && *c != '='; c++) {
            *c = (char)(*c == '_' ? '-' : tolower((unsigned char)*c));
        }
    }
}

/* Asks the command which of its forms the operands choose, and sets *takes to the option sets of this form. Fails if
 * the command line has an option that only other forms of the command accept. */
static nnc_status narrow(const nnc_command *command, const nnc_options *options, const spellings *all, unsigned *takes,
                         nnc_error *err) {
    nnc_form form = { .takes = command->takes };
    spellings list; /* `list` is not initialised here, because it is large; list_spellings fills it */
    command->form(options, &form);
    *takes = form.takes;
    if (all->count > 0) { list_spellings(&list, form.takes); }
    for (int i = 0; i < all->count; i++) {
        if (is_given(options, &all->entries[i]) && find_spelling(&list, all->entries[i].name) == NULL) {
            return nnc_fail(err, NNC_BAD_USAGE, all->entries[i].name, "is not an option of '%s'", form.name);
        }
    }
    return NNC_OK;
}

/* Tables that getopt_long needs: an entry for each option name, and the short names. */
typedef struct getopt_rows {
    struct option longs[SPELLINGS_MAX + 1]; /* an entry without a name ends the list for getopt_long */
    char letters[16];
} getopt_rows;

static void list_getopt(getopt_rows *rows, const spellings *list) {
    /* "-" makes getopt return operands in their order, also if POSIXLY_CORRECT is set. ":" makes getopt return ':' if
     * an option lacks its value. */
    snprintf(rows->letters, sizeof rows->letters, "-:");
    for (int i = 0; i < list->count; i++) {
        const spelling *entry = &list->entries[i];
        char letter = '\0';
        if (entry->own != NULL) { letter = entry->own->letter; }
        const int kind = argument_kind(entry);
        const size_t used = strlen(rows->letters);
        rows->longs[i] = (struct option){ .name = entry->name + 2, .has_arg = kind };
        if (letter != '\0' && used + 3 < sizeof rows->letters) {
            snprintf(rows->letters + used, sizeof rows->letters - used, "%c%s", letter, kind == no_argument ? "" : ":");
        }
    }
    rows->longs[list->count] = (struct option){ .name = NULL };
}

/* Reads the options of argv into *options, and stores the operands in options->operands. */
static nnc_status read_arguments(int argc, char **argv, const char *command, const spellings *list,
                                 nnc_options *options, nnc_error *err) {
    getopt_rows rows; /* `rows` is not initialised here, because it is large; list_getopt fills it */
    nnc_status status = NNC_OK;
    list_getopt(&rows, list);
    opterr = 0;
    optind = 0; /* resets getopt */
    while (status == NNC_OK) {
        int index = -1;
        const int code = getopt_long(argc, argv, rows.letters, rows.longs, &index);
        const char *word = argv[optind - 1];
        if (code == -1) { break; }
        if (code == 1) {
            options->operands[options->operand_count++] = optarg;
            continue;
        }
        if (code == 0 && optarg != NULL && optarg == word) { word = argv[optind - 2]; }
        if (code == 0 && optarg == NULL && optind < argc && rows.longs[index].has_arg == optional_argument &&
            (strcmp(argv[optind], "on") == 0 || strcmp(argv[optind], "off") == 0)) { /* as in "--dora off" */
            optarg = argv[optind++];
        }
        status = take_found(options, list, command, code, word, err);
    }
    /* all words after "--" are operands, even if they begin with '-' */
    for (; status == NNC_OK && optind < argc; optind++) { options->operands[options->operand_count++] = argv[optind]; }
    options->operands[options->operand_count] = NULL; /* the list of operands ends with NULL, as argv does */
    return status;
}

static bool is_known(const void *list, const char *option) { return find_spelling(list, option) != NULL; }

void nnc_options_free(nnc_options *options) {
    free(options->defaults);
    free(options->expanded);
    options->defaults = NULL;
    options->expanded = NULL;
}

/* Tests whether a word of the command line may be an option. If no word may be an option, the list of all option names
 * is not needed. */
static bool has_options(int argc, char **argv) {
    bool has = false;
    for (int i = 1; i < argc && !has; i++) { has = argv[i][0] == '-'; }
    return has;
}

/* Returns the format that the suffix of the output file chooses ("-o FILE.json"); NULL = the suffix chooses no format,
 * or the output of the command is no table. */
static const nnc_format *format_of_output(const char *command, const char *path) {
    static const char *const others[] = { "calibrate", "import",  "init",  "plot", "report",
                                          "docs",      "explore", "merge", NULL };
    if (nnc_is_one_of(command, others)) { return NULL; } /* the output of commands in the list `others` is no table */
    static const struct {
        const char *ending;
        const nnc_format *format;
    } endings[] = { { ".json", &nnc_format_json }, { ".csv", &nnc_format_csv }, { ".md", &nnc_format_markdown } };
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcasecmp(dot, endings[i].ending) == 0) { return endings[i].format; }
    }
    return NULL;
}

nnc_status nnc_options_parse(int argc, char **argv, const nnc_command *command, nnc_options *options, nnc_error *err) {
    spellings all; /* `all` is not initialised here, because it is large */
    unsigned takes = command->takes;
    *options = (nnc_options){ .format = &nnc_format_table, .operands = argv + 1 };
    set_default_values(options);
    all.count = 0;
    if (has_options(argc, argv)) {
        list_spellings(&all, takes);
        fold_options(argc, argv, false);
        NNC_TRY(nnc_aliases_expand(&argc, argv, is_known, &all, &options->expanded, err));
    }
    if (options->expanded != NULL) {
        argv = options->expanded;
        options->operands = argv + 1;
    }
    fold_options(argc, argv, true);
    NNC_TRY(read_arguments(argc, argv, command->name, &all, options, err));
    if (command->form != NULL) { NNC_TRY(narrow(command, options, &all, &takes, err)); }
    options->given.own_count = options->given.setting_count;
    for (int i = 0; i < nnc_own_option_count; i++) { options->typed[i] = options->texts[i] != NULL; }
    if ((command->takes & NNC_TAKES_COMMON) && !options->no_defaults) { NNC_TRY(read_defaults(options, takes, err)); }
    NNC_TRY(read_values(options, err));
    if (options->power_cap != NULL) { NNC_TRY(set_power_cap(options, err)); }
    const nnc_format *ending = format_of_output(command->name, options->output);
    if (options->format_name == NULL && ending != NULL) {
        options->format = ending;
        return NNC_OK;
    }
    return choose_format(options, command->takes, err);
}
