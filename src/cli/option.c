#include "cli/option.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/estimate/estimate_view.h"
#include "cli/option_table.h"

/* Index of value among names, -1 with err filled in. */
static int choose(const char *option, const char *value, nnc_names names, nnc_error *err)
{
    char expected[128] = "";
    const int found = nnc_names_find(names, value);
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

/* Texts of the options that choose from a list, to notice a repetition with another value. */
typedef struct choices {
    const char *format, *sort, *by, *top, *progress;
} choices;

static nnc_status take_repeated(nnc_options *options, const nnc_option_spelling *entry,
                                const char *value, nnc_error *err)
{
    const struct {
        const char *name;
        const char **texts;
        int *count, max;
    } lists[] = {
        { "set", options->given.sets, &options->given.set_count, NNC_SETS_MAX },
        { "where", options->sweep.where, &options->sweep.where_count, NNC_WHERES_MAX },
        { "link", options->sweep.links, &options->sweep.link_count, NNC_LINKS_MAX },
    };
    size_t i = 0;
    while (i < sizeof lists / sizeof lists[0] && strcmp(entry->own->name, lists[i].name) != 0) {
        i++;
    }
    assert(i < sizeof lists / sizeof lists[0]);
    if (*lists[i].count == lists[i].max) {
        return nnc_fail(err, NNC_BAD_USAGE, entry->name, "given more than %d times", lists[i].max);
    }
    lists[i].texts[(*lists[i].count)++] = value;
    return NNC_OK;
}

/* A field of the device that has an option of its own. */
static nnc_status take_power_cap(nnc_options *options, const char *value, nnc_error *err)
{
    if (options->power_cap[0] != '\0' || options->given.set_count == NNC_SETS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--power-cap", "given more than once");
    }
    snprintf(options->power_cap, sizeof options->power_cap, "device.power_cap_w=%.40s", value);
    options->given.sets[options->given.set_count++] = options->power_cap;
    return NNC_OK;
}

static nnc_status take_own(nnc_options *options, choices *given, const nnc_option_spelling *entry,
                           const char *value, nnc_error *err)
{
    const struct {
        const char *name;
        bool *flag;        /* a switch, or */
        const char **text; /* where its text goes */
    } places[] = {
        { "help", &options->help, NULL },
        { "stages", &options->stages, NULL },
        { "timeline", &options->timeline, NULL },
        { "update", &options->update, NULL },
        { "rows", &options->rows, NULL },
        { "lenient", &options->lenient, NULL },
        { "only", NULL, &options->only },
        { "fold", NULL, &options->fold },
        { "group", NULL, &options->group },
        { "device", NULL, &options->device },
        { "fit", NULL, &options->fit },
        { "width", NULL, &options->width },
        { "from", NULL, &options->from },
        { "to", NULL, &options->to },
        { "fragment", &options->fragment, NULL },
        { "date", NULL, &options->date },
        { "sensitivity", &options->sensitivity, NULL },
        { "no-prune", &options->search.no_prune, NULL },
        { "best", NULL, &options->search.best },
        { "objective", NULL, &options->search.objective },
        { "max-memory", NULL, &options->search.max_memory },
        { "max-devices", NULL, &options->search.max_devices },
        { "deadline", NULL, &options->search.deadline },
        { "budget", NULL, &options->search.budget },
        { "target-step", NULL, &options->search.target_step },
        { "threads", NULL, &options->threads },
        { "output", NULL, &options->output },
        { "software", NULL, &options->given.software },
        { "cluster", NULL, &options->given.cluster },
        { "seller", NULL, &options->given.seller },
        { "offer", NULL, &options->given.offer },
        { "region", NULL, &options->given.region },
        { "trace", NULL, &options->trace },
        { "scenario", NULL, &options->scenario },
        { "format", NULL, &given->format },
        { "sort", NULL, &given->sort },
        { "all", &options->sweep.all, NULL },
        { "columns", NULL, &options->sweep.columns },
        { "db", NULL, &options->sweep.database },
        { "by", NULL, entry->own->takes == NNC_TAKES_SWEEP ? &options->sweep.by : &given->by },
        { "top", NULL, &given->top },
        { "progress", NULL, &given->progress },
    };
    if (strcmp(entry->own->name, "power-cap") == 0) {
        return take_power_cap(options, value, err);
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (strcmp(entry->own->name, places[i].name) != 0) {
            continue;
        }
        if (places[i].text != NULL) {
            return take_text(entry->name, value, places[i].text, err);
        }
        *places[i].flag = true;
        return NNC_OK;
    }
    return take_repeated(options, entry, value, err);
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

nnc_status nnc_option_time(const char *option, const char *text, double *seconds, nnc_error *err)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = { { "", 1.0 },     { "s", 1.0 },    { "ms", 1e-3 },  { "us", 1e-6 },
                  { "min", 60.0 }, { "h", 3600.0 }, { "d", 86400.0 } };
    char number[NNC_NUMBER_TEXT];
    const size_t length = text != NULL ? nnc_number_span(text, strlen(text)) : 0;
    double value = 0.0;
    if (text == NULL) {
        return NNC_OK;
    }
    if (length < sizeof number) {
        snprintf(number, sizeof number, "%.*s", (int)length, text);
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            if (strcmp(text + length, units[i].unit) == 0 && nnc_read_double(number, &value)) {
                *seconds = value * units[i].seconds;
            }
        }
    }
    if (!(*seconds > 0.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "not a time, expected a number above 0 and one of us, ms, s, min, h, d, "
                        "such as 2.5s or 30d, found \"%s\"",
                        text);
    }
    return NNC_OK;
}

static const nnc_names formats = { nnc_format_name, NNC_FORMAT_COUNT };
static const nnc_names check_formats = { nnc_check_format_name, NNC_CHECK_FORMAT_COUNT };
static const nnc_names sorts = { nnc_ops_sort_name, NNC_SORT_COUNT };
static const nnc_names progress_forms = { nnc_progress_form_name, NNC_PROGRESS_COUNT };
static const nnc_names bys = { nnc_ops_by_name, NNC_BY_COUNT };

static nnc_status resolve_choices(nnc_options *options, unsigned takes, const choices *given,
                                  nnc_error *err)
{
    const bool checks = (takes & NNC_TAKES_CHECK) != 0;
    int64_t top = 0;
    int chosen = 0;
    if (given->format != NULL) {
        chosen = choose("--format", given->format, checks ? check_formats : formats, err);
        options->format = chosen >= 0 ? nnc_check_format_at((unsigned)chosen) : NULL;
    }
    if (chosen >= 0 && given->sort != NULL) {
        chosen = choose("--sort", given->sort, sorts, err);
        options->view.sort = (nnc_ops_sort)chosen;
    }
    if (chosen >= 0 && given->by != NULL) {
        chosen = choose("--by", given->by, bys, err);
        options->view.by = (nnc_ops_by)chosen;
    }
    if (chosen >= 0 && given->progress != NULL) {
        chosen = choose("--progress", given->progress, progress_forms, err);
        options->progress = (nnc_progress_form)chosen;
    }
    if (chosen < 0) {
        return NNC_BAD_USAGE;
    }
    const nnc_status status = nnc_option_count("--top", given->top, 1000000, &top, err);
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

nnc_status nnc_options_parse(int argc, char **argv, const char *command, unsigned takes,
                             nnc_options *options, nnc_error *err)
{
    nnc_option_spellings list;
    struct option long_options[NNC_SPELLINGS_MAX + 1] = { 0 };
    choices given = { 0 };
    nnc_status status = NNC_OK;

    *options = (nnc_options){ .format = &nnc_format_table, .operands = argv + 1 };
    nnc_option_spellings_of(&list, takes);
    for (int i = 0; i < list.count; i++) {
        long_options[i] = (struct option){ .name = list.entries[i].name + 2,
                                           .has_arg = argument_kind(&list.entries[i]) };
    }

    /* "-": operands come one by one, whatever the environment says about their place; ":": a
     * missing value is told apart from an unknown option. */
    opterr = 0;
    optind = 1;
    while (status == NNC_OK) {
        int index = -1;
        const int code = getopt_long(argc, argv, "-:", long_options, &index);
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
        const nnc_option_spelling *found = nnc_option_find(&list, word);
        if (code == ':' && found != NULL) {
            status = nnc_fail(err, NNC_BAD_USAGE, found->name, "a value is missing");
        } else if (code == '?' && found != NULL) {
            status = nnc_fail(err, NNC_BAD_USAGE, found->name, "takes no value");
        } else if (code == '?' && optopt != 0) {
            const char letter[] = { '-', (char)optopt, '\0' };
            status = nnc_fail(err, NNC_BAD_USAGE, letter,
                              "unknown option, options start with two dashes");
        } else if (found == NULL) {
            status = nnc_option_unknown(&list, command, word, err);
        } else if (found->own != NULL) {
            status = take_own(options, &given, found, optarg, err);
        } else {
            status = take_setting(options, found, optarg != NULL ? optarg : "on", err);
        }
    }
    for (; status == NNC_OK && optind < argc; optind++) { /* after "--" */
        options->operands[options->operand_count++] = argv[optind];
    }
    options->operands[options->operand_count] = NULL; /* argv ends in one, too */
    return status == NNC_OK ? resolve_choices(options, takes, &given, err) : status;
}
