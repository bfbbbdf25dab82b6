#include "cli/option.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/estimate/estimate_view.h"
#include "cli/option_table.h"

/* Index of value among names, -1 with err filled in. */
static int choose(const char *option, const char *value, nnc_names names, nnc_error *err)
{
    char expected[128] = "";
    const int found = nnc_names_find_typed(names, value);
    for (int i = 0; i < names.count && found < 0; i++) {
        const size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s", i > 0 ? ", " : "",
                 names.of((unsigned)i));
    }
    if (found >= 0) {
        return found;
    }
    nnc_fail(err, NNC_BAD_USAGE, option, "unknown value, expected one of %s, found \"%s\"",
             expected, value);
    return -1;
}

static nnc_status repeated(const char *option, const char *first, const char *second,
                           nnc_error *err)
{
    return nnc_fail(err, NNC_BAD_USAGE, option, "given twice, as \"%s\" and as \"%s\"", first,
                    second);
}

static nnc_status take_text(const char *option, const char *value, const char **into,
                            nnc_error *err)
{
    assert(value != NULL); /* these options have one */
    if (*into != NULL && strcmp(*into, value) != 0) {
        return repeated(option, *into, value, err);
    }
    if (*value == '\0') {
        return nnc_fail(err, NNC_BAD_USAGE, option, "empty value");
    }
    *into = value;
    return NNC_OK;
}

static nnc_status take_setting(nnc_options *options, const nnc_option_spelling *entry,
                               const char *value, nnc_error *err)
{
    for (int i = 0; i < options->given.setting_count; i++) {
        const nnc_setting *setting = &options->given.settings[i];
        if (setting->field == entry->field) {
            return strcmp(setting->value, value) == 0
                       ? NNC_OK
                       : repeated(entry->name, setting->value, value, err);
        }
    }
    if (options->given.setting_count == NNC_SETTINGS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, entry->name, "too many options");
    }
    options->given.settings[options->given.setting_count++] = (nnc_setting){ entry->field, value };
    return NNC_OK;
}

static void *member(nnc_options *options, size_t offset)
{
    return (char *)options + offset;
}

static nnc_status take_repeated(nnc_options *options, const nnc_option_spelling *entry,
                                const char *value, nnc_error *err)
{
    const nnc_option_place *place = &entry->own->place;
    const char **texts = member(options, place->offset);
    int *count = member(options, place->count_offset);
    if ((size_t)*count == place->max) {
        return nnc_fail(err, NNC_BAD_USAGE, entry->name, "given more than %zu times", place->max);
    }
    texts[(*count)++] = value;
    return NNC_OK;
}

nnc_status nnc_option_take(nnc_options *options, const nnc_option_spelling *entry,
                           const char *value, nnc_error *err)
{
    if (entry->own == NULL) {
        return take_setting(options, entry, value != NULL ? value : "on", err);
    }
    void *to = member(options, entry->own->place.offset);
    switch (entry->own->place.kind) {
    case NNC_PLACE_SWITCH: *(bool *)to = true; return NNC_OK;
    case NNC_PLACE_WORD: return take_text(entry->name, value, to, err);
    case NNC_PLACE_WORDS: return take_repeated(options, entry, value, err);
    case NNC_PLACE_NONE: break;
    }
    return nnc_fail(err, NNC_BAD_USAGE, entry->name, "is taken nowhere");
}

bool nnc_option_is_given(const nnc_options *options, const nnc_option_spelling *entry)
{
    if (entry->own == NULL) {
        for (int i = 0; i < options->given.setting_count; i++) {
            if (options->given.settings[i].field == entry->field) {
                return true;
            }
        }
        return false;
    }
    const void *at = (const char *)options + entry->own->place.offset;
    return entry->own->place.kind == NNC_PLACE_SWITCH ? *(const bool *)at
                                                      : *(const char *const *)at != NULL;
}

nnc_status nnc_option_count(const char *option, const char *text, int64_t most, int64_t *value,
                            nnc_error *err)
{
    if (text != NULL && (!nnc_read_i64(text, value) || *value < 1 || *value > most)) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "out of range, expected a whole number from 1 to %" PRId64 ", found \"%s\"",
                        most, text);
    }
    return NNC_OK;
}

nnc_status nnc_option_bytes(const char *option, const char *text, int64_t *value, nnc_error *err)
{
    double bytes = 0.0;
    if (text == NULL) {
        return NNC_OK;
    }
    if (!nnc_read_quantity(text, "B", true, &bytes) || bytes < 1.0 || bytes > 0x1p50 ||
        bytes - floor(bytes) > 0.0) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "not a size, expected whole bytes, at least 1, such as 60GB or 40GiB, "
                        "found \"%s\"",
                        text);
    }
    *value = (int64_t)bytes;
    return NNC_OK;
}

nnc_status nnc_option_time(const char *option, const char *text, double *seconds, nnc_error *err)
{
    double value = 0.0;
    if (text == NULL) {
        return NNC_OK;
    }
    if (!nnc_read_quantity(text, "s", false, &value) || !(value > 0.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "not a time, expected a number above 0 and one of us, ms, s, min, h, d, w, "
                        "such as 2.5s or 30d, found \"%s\"",
                        text);
    }
    *seconds = value;
    return NNC_OK;
}

nnc_status nnc_option_device(nnc_specs *specs, const char *text, const nnc_device **device,
                             nnc_error *err)
{
    const nnc_status status = nnc_device_load(specs, text, device, err);
    if (status == NNC_UNKNOWN_ID) {
        snprintf(err->where, sizeof err->where, "--device");
    }
    return status;
}

static const nnc_names formats = { nnc_format_name, NNC_FORMAT_COUNT };
static const nnc_names check_formats = { nnc_check_format_name, NNC_CHECK_FORMAT_COUNT };
static const nnc_names sorts = { nnc_ops_sort_name, NNC_SORT_COUNT };
static const nnc_names progress_forms = { nnc_progress_form_name, NNC_PROGRESS_COUNT };
static const nnc_names bys = { nnc_ops_by_name, NNC_BY_COUNT };

static nnc_status resolve_choices(nnc_options *options, unsigned takes, nnc_error *err)
{
    const bool checks = (takes & NNC_TAKES_CHECK) != 0;
    int64_t top = 0;
    int chosen = 0;
    if (options->asked.format != NULL) {
        chosen = choose("--format", options->asked.format, checks ? check_formats : formats, err);
        options->format = chosen >= 0 ? nnc_check_format_at((unsigned)chosen) : NULL;
    }
    if (chosen >= 0 && options->asked.sort != NULL) {
        chosen = choose("--sort", options->asked.sort, sorts, err);
        options->view.sort = (nnc_ops_sort)chosen;
    }
    if (chosen >= 0 && options->asked.by != NULL) {
        chosen = choose("--by", options->asked.by, bys, err);
        options->view.by = (nnc_ops_by)chosen;
    }
    if (chosen >= 0 && options->asked.progress != NULL) {
        chosen = choose("--progress", options->asked.progress, progress_forms, err);
        options->progress = (nnc_progress_form)chosen;
    }
    if (chosen < 0) {
        return NNC_BAD_USAGE;
    }
    const nnc_status status = nnc_option_count("--top", options->asked.top, 1000000, &top, err);
    options->view.top = (int32_t)top;
    return status;
}

/* A switch may be turned off by "=off", so its value never is a word of its own. */
static int argument_kind(const nnc_option_spelling *entry)
{
    if (entry->own != NULL) {
        return entry->own->argument != NULL ? required_argument : no_argument;
    }
    return entry->field->type == NNC_FIELD_BOOL ? optional_argument : required_argument;
}

/* A field of the device that has an option of its own. */
static nnc_status set_power_cap(nnc_options *options, nnc_error *err)
{
    if (options->given.set_count == NNC_SETS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--power-cap", "too many options");
    }
    snprintf(options->power_cap_set, sizeof options->power_cap_set, "device.power_cap_w=%.40s",
             options->power_cap);
    options->given.sets[options->given.set_count++] = options->power_cap_set;
    return NNC_OK;
}

/* What getopt has found, by its code. */
static nnc_status take_found(nnc_options *options, const nnc_option_spellings *list,
                             const char *command, int code, const char *word, nnc_error *err)
{
    const nnc_option_spelling *found = code != 0 && code != ':' && code != '?'
                                           ? nnc_option_of_letter(list, code)
                                           : nnc_option_find(list, word);
    if (found == NULL && (code == ':' || code == '?') && word[1] != '-') {
        found = nnc_option_of_letter(list, optopt);
    }
    if (code == ':' && found != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, found->name, "a value is missing");
    }
    if (code == '?' && found != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, found->name, "takes no value");
    }
    if (code == '?' && optopt != 0) {
        const char letter[] = { '-', (char)optopt, '\0' };
        return nnc_fail(err, NNC_BAD_USAGE, letter,
                        "unknown option, options start with two dashes");
    }
    if (found == NULL) {
        return nnc_option_unknown(list, command, word, err);
    }
    options->brief = options->brief || code == 'h';
    return nnc_option_take(options, found, optarg, err);
}

/* Options are found in either case: getopt compares as they are written. */
static void fold_options(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        for (char *c = argv[i]; strncmp(argv[i], "--", 2) == 0 && *c != '\0' && *c != '='; c++) {
            *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
        }
    }
}

/* The options of what the operands ask for; one that was given and is not among them is refused, as it would be read
 * nowhere. */
static nnc_status narrow(const nnc_command *command, const nnc_options *options,
                         const nnc_option_spellings *all, nnc_option_spellings *list,
                         nnc_error *err)
{
    nnc_form form = { .takes = command->takes };
    command->form(options, &form);
    nnc_option_spellings_of(list, form.takes);
    for (int i = 0; i < all->count; i++) {
        if (nnc_option_is_given(options, &all->entries[i]) &&
            nnc_option_find(list, all->entries[i].name) == NULL) {
            return nnc_fail(err, NNC_BAD_USAGE, all->entries[i].name, "is not an option of '%s'",
                            form.name);
        }
    }
    return NNC_OK;
}

nnc_status nnc_options_parse(int argc, char **argv, const nnc_command *command,
                             nnc_options *options, nnc_error *err)
{
    const unsigned takes = command->takes;
    nnc_option_spellings list, narrowed; /* large: only what is in use is touched */
    const nnc_option_spellings *understood = &list;
    struct option long_options[NNC_SPELLINGS_MAX + 1]; /* the last one in use is empty */
    char letters[16] = "-:";                           /* see below */
    nnc_status status = NNC_OK;

    *options = (nnc_options){ .format = &nnc_format_table, .operands = argv + 1 };
    nnc_option_spellings_of(&list, takes);
    long_options[list.count] = (struct option){ .name = NULL };
    for (int i = 0; i < list.count; i++) {
        const nnc_option_spelling *entry = &list.entries[i];
        const int kind = argument_kind(entry);
        long_options[i] = (struct option){ .name = entry->name + 2, .has_arg = kind };
        if (entry->own != NULL && entry->own->letter != 0 && strlen(letters) + 3 < sizeof letters) {
            const char letter[] = { entry->own->letter, kind == no_argument ? '\0' : ':', '\0' };
            strcat(letters, letter); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy) */
        }
    }
    fold_options(argc, argv);

    /* "-": operands come one by one, whatever the environment says about their place; ":": a
     * missing value is told apart from an unknown option. */
    opterr = 0;
    optind = 0; /* from the start, whatever was read before */
    while (status == NNC_OK) {
        int index = -1;
        const int code = getopt_long(argc, argv, letters, long_options, &index);
        const char *word = argv[optind - 1];
        if (code == -1) {
            break;
        }
        if (code == 1) {
            options->operands[options->operand_count++] = optarg;
            continue;
        }
        if (code == 0 && optarg != NULL && optarg == word) {
            word = argv[optind - 2];
        }
        status = take_found(options, &list, command->name, code, word, err);
    }
    for (; status == NNC_OK && optind < argc; optind++) { /* after "--" */
        options->operands[options->operand_count++] = argv[optind];
    }
    options->operands[options->operand_count] = NULL; /* argv ends in one, too */
    if (status == NNC_OK && command->form != NULL) {
        status = narrow(command, options, &list, &narrowed, err);
        understood = &narrowed;
    }
    if (status == NNC_OK && (takes & NNC_TAKES_COMMON) && !options->no_defaults) {
        status = nnc_option_defaults(options, understood, err);
    }
    if (status == NNC_OK && options->power_cap != NULL) {
        status = set_power_cap(options, err);
    }
    return status == NNC_OK ? resolve_choices(options, takes, err) : status;
}
