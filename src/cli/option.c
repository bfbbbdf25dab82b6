#include "cli/option.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"

/* An option of the command line itself; those of the plan come from its field table. */
typedef struct own_option {
    const char *name, *argument, *help; /* argument NULL: a switch */
    const char *group;
    unsigned takes;
    const char *const *values; /* what the argument may be; NULL = not from a list */
    int value_count;
} own_option;

static const own_option own_options[] = {
    { "cluster", "FILE", "Links between the devices, in place of those of the device file.",
      "Parallelism", NNC_TAKES_PLAN, NULL, 0 },
    { "software", "PROFILE", "Implementation profile: which kernels are fused [torch-compile].",
      "Numbers", NNC_TAKES_PLAN, NULL, 0 },
    { "set", "FIELD=VALUE",
      "Any field of the plan, the model or the device by its name in the files, such as "
      "scale_up.bytes_per_s=450e9; prefix plan., model. or device. to choose. May be repeated.",
      "Numbers", NNC_TAKES_PLAN, NULL, 0 },
    { "scenario", "ID", "The scenario of the plan file that stands for MODEL [its only one].",
      "Batch", NNC_TAKES_SCENARIO, NULL, 0 },
    { "update", NULL, "Write the estimates into the file's recorded part, and nothing else.",
      "Output", NNC_TAKES_CHECK, NULL, 0 },
    { "stages", NULL, "Show every stage of the pipeline: its layers, times and memory.", "Output",
      NNC_TAKES_STAGES, NULL, 0 },
    { "timeline", NULL, "Show what every stage does when.", "Output", NNC_TAKES_STAGES, NULL, 0 },
    { "trace", "FILE",
      "Write the timeline to FILE too, as a trace for chrome://tracing and Perfetto.", "Output",
      NNC_TAKES_STAGES, NULL, 0 },
    { "sensitivity", NULL,
      "Show what a little more of each figure of the device would bring: bandwidths, peaks, "
      "latencies, capacity.",
      "Output", NNC_TAKES_STAGES, NULL, 0 },
    { "best", "N", "Show the best N plans [10].", "Output", NNC_TAKES_SEARCH, NULL, 0 },
    { "objective", "KEY",
      "What is best: time, memory, or cost per token, which at one size is time [time].", "Output",
      NNC_TAKES_SEARCH, nnc_objective_names, NNC_OBJECTIVE_COUNT },
    { "max-devices", "N",
      "No more than N; without --devices, one node, two, four ... up to N devices.", "Parallelism",
      NNC_TAKES_SEARCH, NULL, 0 },
    { "deadline", "TIME", "The whole run (--tokens, --samples) ends within it: 30d, 12h, 3600.",
      "Numbers", NNC_TAKES_SEARCH, NULL, 0 },
    { "budget", "MONEY", "The whole run costs no more, at --price or the device file's.", "Numbers",
      NNC_TAKES_SEARCH, NULL, 0 },
    { "target-step", "TIME",
      "Name the smallest device figure that alone brings the best plan to this step time: 2.5s, "
      "800ms.",
      "Output", NNC_TAKES_SEARCH, NULL, 0 },
    { "max-memory", "BYTES", "Memory that a plan may use on one device [the device's].", "Memory",
      NNC_TAKES_SEARCH, NULL, 0 },
    { "threads", "N", "Threads that work [all cores].", "Output",
      NNC_TAKES_SEARCH | NNC_TAKES_SWEEP, NULL, 0 },
    { "no-prune", NULL, "Evaluate every legal plan in full.", "Output", NNC_TAKES_SEARCH, NULL, 0 },
    { "where", "CONSTRAINT",
      "Rows that meet it only, such as 'tensor*pipeline <= 64 && mfu > 0.4'. May be repeated.",
      "Output", NNC_TAKES_SWEEP, NULL, 0 },
    { "link", "NAME=LIST;...",
      "Axes that move together: 'tensor=1,2,4;data=8,4,2'. May be repeated.", "Output",
      NNC_TAKES_SWEEP, NULL, 0 },
    { "all", NULL, "Plans that are illegal or do not fit too, with the reason.", "Output",
      NNC_TAKES_SWEEP, NULL, 0 },
    { "columns", "NAME,...",
      "Axes, figures as in 'estimate --format csv', fields, row, verdict, reason [the axes and "
      "the main figures].",
      "Output", NNC_TAKES_SWEEP, NULL, 0 },
    { "by", "COLUMN[:desc]",
      "What --top goes by, smallest first, a throughput largest first [step_s].", "Output",
      NNC_TAKES_SWEEP, NULL, 0 },
    { "db", "FILE", "Write to an SQLite file; a run that was cut off goes on where it was.",
      "Output", NNC_TAKES_SWEEP, NULL, 0 },
    { "device", "DEVICE", "The device whose figures are fitted.", "Output", NNC_TAKES_CALIBRATE,
      NULL, 0 },
    { "fit", "FIGURE,...",
      "Figures to fit to all rows at once, such as pointwise.memory_fraction [those that the rows "
      "can determine].",
      "Output", NNC_TAKES_CALIBRATE, NULL, 0 },
    { "rows", NULL, "List every row.", "Output", NNC_TAKES_SCORE, NULL, 0 },
    { "only", "TEXT", "Rows whose id contains TEXT only.", "Output",
      NNC_TAKES_SCORE | NNC_TAKES_CALIBRATE, NULL, 0 },
    { "fold", "K/N",
      "Part K of N of the rows only, dealt out by a digest of their ids; not:K/N: all others.",
      "Output", NNC_TAKES_SCORE | NNC_TAKES_CALIBRATE, NULL, 0 },
    { "group", "KEY,...",
      "What --fold keeps together: rows of the same file, device, framework, model [id].", "Output",
      NNC_TAKES_SCORE | NNC_TAKES_CALIBRATE, NULL, 0 },
    { "sort", "KEY", "Order of the rows: order, time, flops or bytes, largest first [order].",
      "Output", NNC_TAKES_OPS, nnc_ops_sort_names, NNC_SORT_COUNT },
    { "top", "N", "Show the first N rows only [all].", "Output", NNC_TAKES_OPS | NNC_TAKES_SWEEP,
      NULL, 0 },
    { "by", "KEY", "Add rows up by op, group or phase [row].", "Output", NNC_TAKES_OPS,
      nnc_ops_by_names, NNC_BY_COUNT },
    { "format", "FORMAT", "table, json, csv or markdown [table].", "Output", NNC_TAKES_COMMON,
      nnc_format_names, NNC_FORMAT_COUNT },
    { "output", "FILE", "Write to FILE, whole or not at all [standard output].", "Output",
      NNC_TAKES_COMMON, NULL, 0 },
    { "help", NULL, "Show this text.", "Output", NNC_TAKES_COMMON | NNC_TAKES_HELP, NULL, 0 },
};

enum { OWN_COUNT = sizeof own_options / sizeof own_options[0], ENTRIES_MAX = 128 };

/* One spelling of an option. */
typedef struct spelling {
    char name[NNC_OPTION_NAME]; /* "--micro-batch" */
    const own_option *own;      /* or */
    const nnc_field *field;
} spelling;

typedef struct spelling_list {
    spelling entries[ENTRIES_MAX];
    int count;
} spelling_list;

char *nnc_option_name(const char *field, char text[NNC_OPTION_NAME])
{
    snprintf(text, NNC_OPTION_NAME, "--%s", field);
    for (char *at = text; *at; at++) {
        if (*at == '_') {
            *at = '-';
        }
    }
    return text;
}

static void add_entry(spelling_list *list, const char *name, const own_option *own,
                      const nnc_field *field)
{
    if (list->count < ENTRIES_MAX) {
        spelling *added = &list->entries[list->count++];
        nnc_option_name(name, added->name);
        added->own = own;
        added->field = field;
    }
}

static void list_entries(spelling_list *list, unsigned takes)
{
    list->count = 0;
    for (size_t i = 0; (takes & NNC_TAKES_PLAN) && i < nnc_plan_table.count; i++) {
        const nnc_field *field = &nnc_plan_table.fields[i];
        add_entry(list, field->name, NULL, field);
        if (field->alias != NULL) {
            add_entry(list, field->alias, NULL, field);
        }
    }
    for (int i = 0; i < OWN_COUNT; i++) {
        if (own_options[i].takes & takes) {
            add_entry(list, own_options[i].name, &own_options[i], NULL);
        }
    }
}

/* A switch may be turned off by "=off", so its value never is a word of its own. */
static int argument_kind(const spelling *entry)
{
    if (entry->own != NULL) {
        return entry->own->argument != NULL ? required_argument : no_argument;
    }
    return entry->field->type == NNC_FIELD_BOOL ? optional_argument : required_argument;
}

/* The entry spelled exactly like word, up to a '='; NULL if there is none. */
static const spelling *find_exact(const spelling_list *list, const char *word)
{
    const size_t length = strcspn(word, "=");
    for (int i = 0; i < list->count; i++) {
        const char *name = list->entries[i].name;
        if (strlen(name) == length && memcmp(name, word, length) == 0) {
            return &list->entries[i];
        }
    }
    return NULL;
}

/* What other programs call it. */
static const char *synonym_of(const char *typed)
{
    static const char *const synonyms[][2] = {
        { "--batch", "--micro-batch" },
        { "--batch-size", "--micro-batch" },
        { "--gpus", "--devices" },
        { "--num-gpus", "--devices" },
        { "--seq", "--seq-len" },
        { "--seq-length", "--seq-len" },
        { "--dtype", "--precision" },
        { "--fsdp", "--zero 3" },
        { "--gas", "--grad-accum" },
        { "--activation-checkpointing", "--recompute full" },
        { "--checkpoint", "--recompute full" },
    };
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        if (strcmp(synonyms[i][0], typed) == 0) {
            return synonyms[i][1];
        }
    }
    return NULL;
}

static nnc_status unknown_option(const spelling_list *list, const char *command, const char *word,
                                 nnc_error *err)
{
    const char *names[ENTRIES_MAX];
    char typed[64];
    spelling_list all;
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);

    const char *meant = synonym_of(typed);
    if (meant != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, did you mean %s?", meant);
    }
    for (int i = 0; i < list->count; i++) {
        names[i] = list->entries[i].name;
        if (strncmp(names[i], typed, strlen(typed)) == 0 && strlen(typed) > 2) {
            return nnc_fail(err, NNC_BAD_USAGE, typed,
                            "unknown option, options are not abbreviated: did you mean %s?",
                            names[i]);
        }
    }
    list_entries(&all, ~0u);
    if (find_exact(&all, typed) != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "is not an option of '%s'", command);
    }
    const char *nearest = nnc_nearest(typed, names, (size_t)list->count);
    if (nearest != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, did you mean %s?", nearest);
    }
    return nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, see 'nncost %s --help'", command);
}

/* Index of value among names, -1 with err filled in. */
static int choose(const char *option, const char *value, const char *const *names, int count,
                  nnc_error *err)
{
    char expected[128] = "";
    for (int i = 0; i < count; i++) {
        if (strcmp(value, names[i]) == 0) {
            return i;
        }
        const size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s", i > 0 ? ", " : "", names[i]);
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

static nnc_status take_setting(nnc_options *options, const spelling *entry, const char *value,
                               nnc_error *err)
{
    for (int i = 0; i < options->setting_count; i++) {
        const nnc_setting *setting = &options->settings[i];
        if (setting->field == entry->field) {
            return strcmp(setting->value, value) == 0
                       ? NNC_OK
                       : repeated(entry->name, setting->value, value, err);
        }
    }
    if (options->setting_count == NNC_SETTINGS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, entry->name, "too many options");
    }
    options->settings[options->setting_count++] = (nnc_setting){ entry->field, value };
    return NNC_OK;
}

/* Texts of the options that choose from a list, to notice a repetition with another value. */
typedef struct choices {
    const char *format, *sort, *by, *top;
} choices;

static nnc_status take_repeated(nnc_options *options, const spelling *entry, const char *value,
                                nnc_error *err)
{
    const struct {
        const char *name;
        const char **texts;
        int *count, max;
    } lists[] = {
        { "set", options->sets, &options->set_count, NNC_SETS_MAX },
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

static nnc_status take_own(nnc_options *options, choices *given, const spelling *entry,
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
        { "only", NULL, &options->only },
        { "fold", NULL, &options->fold },
        { "group", NULL, &options->group },
        { "device", NULL, &options->device },
        { "fit", NULL, &options->fit },
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
        { "software", NULL, &options->software },
        { "cluster", NULL, &options->cluster },
        { "trace", NULL, &options->trace },
        { "scenario", NULL, &options->scenario },
        { "format", NULL, &given->format },
        { "sort", NULL, &given->sort },
        { "all", &options->sweep.all, NULL },
        { "columns", NULL, &options->sweep.columns },
        { "db", NULL, &options->sweep.database },
        { "by", NULL, entry->own->takes == NNC_TAKES_SWEEP ? &options->sweep.by : &given->by },
        { "top", NULL, &given->top },
    };
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

static nnc_status resolve_choices(nnc_options *options, unsigned takes, const choices *given,
                                  nnc_error *err)
{
    const bool checks = (takes & NNC_TAKES_CHECK) != 0;
    int64_t top = 0;
    int chosen = 0;
    if (given->format != NULL) {
        chosen =
            choose("--format", given->format, checks ? nnc_check_format_names : nnc_format_names,
                   checks ? (int)NNC_CHECK_FORMAT_COUNT : (int)NNC_FORMAT_COUNT, err);
        options->check_format = (nnc_check_format)chosen;
        options->format = chosen < (int)NNC_FORMAT_COUNT ? (nnc_format)chosen : NNC_FORMAT_TABLE;
    }
    if (chosen >= 0 && given->sort != NULL) {
        chosen = choose("--sort", given->sort, nnc_ops_sort_names, NNC_SORT_COUNT, err);
        options->view.sort = (nnc_ops_sort)chosen;
    }
    if (chosen >= 0 && given->by != NULL) {
        chosen = choose("--by", given->by, nnc_ops_by_names, NNC_BY_COUNT, err);
        options->view.by = (nnc_ops_by)chosen;
    }
    if (chosen < 0) {
        return NNC_BAD_USAGE;
    }
    const nnc_status status = nnc_option_count("--top", given->top, 1000000, &top, err);
    options->view.top = (int32_t)top;
    return status;
}

nnc_status nnc_options_parse(int argc, char **argv, const char *command, unsigned takes,
                             nnc_options *options, nnc_error *err)
{
    spelling_list list;
    struct option long_options[ENTRIES_MAX + 1] = { 0 };
    choices given = { 0 };
    nnc_status status = NNC_OK;

    *options = (nnc_options){ .operands = argv + 1 };
    list_entries(&list, takes);
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
        const spelling *found = find_exact(&list, word);
        if (code == ':' && found != NULL) {
            status = nnc_fail(err, NNC_BAD_USAGE, found->name, "a value is missing");
        } else if (code == '?' && found != NULL) {
            status = nnc_fail(err, NNC_BAD_USAGE, found->name, "takes no value");
        } else if (code == '?' && optopt != 0) {
            const char letter[] = { '-', (char)optopt, '\0' };
            status = nnc_fail(err, NNC_BAD_USAGE, letter,
                              "unknown option, options start with two dashes");
        } else if (found == NULL) {
            status = unknown_option(&list, command, word, err);
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

static const char *field_argument(const nnc_field *field)
{
    switch (field->type) {
    case NNC_FIELD_BOOL: return "[=off]";
    case NNC_FIELD_ENUM: return " NAME";
    case NNC_FIELD_RECOMPUTE:
    case NNC_FIELD_OFFLOAD: return " LIST";
    case NNC_FIELD_F64: return " X";
    default: return " N";
    }
}

/* Adds a part to a text, separated by a blank. */
static void append(char *text, size_t size, const char *before, const char *part, const char *after)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s%s%s", used > 0 ? " " : "", before, part, after);
}

/* Fields of the plan stand together by group, only the first of them names it. */
static const char *group_of(const nnc_field *field)
{
    while (field->group == NULL && field > nnc_plan_table.fields) {
        field--;
    }
    return field->group;
}

static void describe_field(const nnc_field *field, nnc_option_text *text)
{
    const size_t size = sizeof text->help;
    char expected[128];
    nnc_option_name(field->name, text->name);
    snprintf(text->argument, sizeof text->argument, "%s", field_argument(field));
    text->of_plan = true;
    text->group = group_of(field);
    text->takes = NNC_TAKES_PLAN;
    append(text->help, size, "", field->help != NULL ? field->help : "", "");
    if (field->type == NNC_FIELD_RECOMPUTE || field->type == NNC_FIELD_OFFLOAD) {
        nnc_field_expected(field, expected, sizeof expected);
        append(text->help, size, "", expected, "");
    }
    if (field->type == NNC_FIELD_ENUM && field->name_count > 1) {
        text->values = field->names;
        text->value_count = field->name_count;
        for (int i = 0; i < field->name_count; i++) {
            append(text->help, size, "", field->names[i], i + 1 < field->name_count ? "," : "");
        }
    }
    if (field->alias != NULL) {
        nnc_option_name(field->alias, text->alias);
        append(text->help, size, "Also ", text->alias, ".");
    }
    if (field->default_text != NULL) {
        append(text->help, size, "[", field->default_text, "]");
    }
}

static void describe_own(const own_option *own, nnc_option_text *text)
{
    nnc_option_name(own->name, text->name);
    if (own->argument != NULL) {
        snprintf(text->argument, sizeof text->argument, " %s", own->argument);
    }
    snprintf(text->help, sizeof text->help, "%s", own->help);
    text->values = own->values;
    text->value_count = own->value_count;
    text->group = own->group;
    text->takes = own->takes;
}

bool nnc_option_at(unsigned takes, int index, nnc_option_text *text)
{
    const int plan_count = (takes & NNC_TAKES_PLAN) ? (int)nnc_plan_table.count : 0;
    *text = (nnc_option_text){ 0 };
    if (index < plan_count) {
        describe_field(&nnc_plan_table.fields[index], text);
        return true;
    }
    int left = index - plan_count;
    for (int i = 0; i < OWN_COUNT; i++) {
        if ((own_options[i].takes & takes) && left-- == 0) {
            describe_own(&own_options[i], text);
            return true;
        }
    }
    return false;
}
