/* Writes the help of the program, the help of a command with all options of the command, and the short help of -h. */
#include <limits.h>
#include <strings.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "explain/explain_internal.h"
#include "input/input_internal.h"
#include "plot/plot_internal.h"
#include "record/record_internal.h"
#include "render/render_internal.h"
#include "sweep/sweep_internal.h"

/* Order of the headings below which help lists options: first the headings in `top`, then the groups of the command in
 * the order of its options, then the headings in `last`. */
static const char *const top[] = { "Batch", "Parallelism", "Memory", "Software", "Numbers" };
static const char *const last[] = { "Cost", "Output" };
enum { FIRST = sizeof top / sizeof top[0], LAST = sizeof last / sizeof last[0], GROUPS = 32 };

static bool has(const char *const *words, int count, const char *word) {
    int i = 0;
    while (i < count && strcmp(words[i], word) != 0) { i++; }
    return i < count;
}

static int order_groups(unsigned takes, const char *groups[GROUPS]) {
    int count = FIRST;
    nnc_option_text option;
    memcpy(groups, top, sizeof top);
    for (int i = 0; nnc_option_at(takes, i, &option) && count < GROUPS - LAST; i++) {
        if (!has(groups, count, option.group) && !has(last, LAST, option.group)) { groups[count++] = option.group; }
    }
    memcpy(groups + count, last, sizeof last);
    return count + LAST;
}

static void write_option(nnc_sheet *sheet, const nnc_option_text *option) {
    char label[NNC_OPTION_NAME + 32];
    snprintf(label, sizeof label, "  %s%s", option->name, option->argument);
    nnc_sheet_note(sheet, label, "%s", option->help);
}

typedef void option_writer(nnc_sheet *sheet, const nnc_option_text *option);

/* Writes the heading and the options of a group. If the command has no option of the group, the function writes
 * nothing. */
static void write_group(nnc_sheet *sheet, unsigned takes, const char *group, option_writer *write) {
    nnc_option_text option;
    bool any = false;
    for (int i = 0; nnc_option_at(takes, i, &option); i++) {
        if (strcmp(option.group, group) == 0) {
            if (!any) { nnc_buffer_print(sheet->out, "\n%s:\n", group); }
            any = true;
            write(sheet, &option);
        }
    }
}

static void write_options(nnc_sheet *sheet, unsigned takes) {
    const char *groups[GROUPS];
    const int count = order_groups(takes, groups);
    sheet->indent = 26;
    nnc_buffer_text(sheet->out, "\nOptions (option names cannot be abbreviated):\n");
    for (int g = 0; g < count; g++) { write_group(sheet, takes, groups[g], write_option); }
}

/* The options that users need most. The help of -h lists those options of the table `common` that the command has. If
 * the command has many options of its own, the help of -h leaves out the last options of `common`, but never the first
 * COMMON_LEAST options. */
static const char *const common[] = { "--devices",     "--tensor",        "--pipeline",     "--zero",
                                      "--micro-batch", "--micro-batches", "--global-batch", "--seq-len",
                                      "--precision",   "--recompute",     "--set",          "--output",
                                      "--format",      "--adapter-rank",  "--optimizer",    "--software",
                                      "--frozen",      "--tokens" };
enum { COMMON = sizeof common / sizeof common[0], COMMON_LEAST = 12, BRIEF_MAX = 18 };

/* Returns the length of the first sentence of a help text, without the full stop at its end and without the default
 * value in brackets. */
static int sentence_length(const char *help) {
    const char *stop = strstr(help, ". "), *bracket = strstr(help, " [");
    size_t length = strlen(help);
    length = stop != NULL && (size_t)(stop - help) < length ? (size_t)(stop - help) : length;
    length = bracket != NULL && (size_t)(bracket - help) < length ? (size_t)(bracket - help) : length;
    return (int)(length > 0 && help[length - 1] == '.' ? length - 1 : length);
}

/* Writes the first sentence of an option's help on one line; a sentence that is too long is cut between two words. */
static void write_brief(nnc_sheet *sheet, const nnc_option_text *option) {
    char label[NNC_OPTION_NAME + 40];
    const char *letter = strcmp(option->name, "--format") == 0   ? "-f, "
                         : strcmp(option->name, "--output") == 0 ? "-o, "
                                                                 : "    ";
    const int width = sheet->style.width - 33;
    int length = sentence_length(option->help);
    snprintf(label, sizeof label, "%s%s%s", letter, option->name, option->argument);
    if (length > width) {
        length = width - 3;
        while (length > 0 && option->help[length] != ' ') { length--; }
        nnc_buffer_print(sheet->out, "  %-30s %.*s ...\n", label, length, option->help);
    } else {
        nnc_buffer_print(sheet->out, "  %-30s %.*s\n", label, length, option->help);
    }
}

/* Returns true if the short help of a command should list an option that only this command and similar commands have.
 * For options of the plan, options of all commands and rarely used options, the result is false. */
static bool is_own(unsigned takes, const nnc_option_text *option) {
    static const char *const rare[] = { "--seller",   "--offer",    "--region",     "--building",
                                        "--scenario", "--timeline", "--stages",     "--trace",
                                        "--measured", "--from",     "--to-options", "--sensitivity" };
    const bool of_plan = (takes & NNC_TAKES_PLAN) != 0;
    return !(option->takes & (NNC_TAKES_PLAN | NNC_TAKES_COMMON)) && !(of_plan && option->of_file) &&
           !(of_plan && has(rare, sizeof rare / sizeof rare[0], option->name));
}

static void write_brief_options(nnc_sheet *sheet, const char *command, unsigned takes) {
    nnc_option_text option;
    int count = 0, shown = 0, own_count = 0;
    for (int i = 0; nnc_option_at(takes, i, &option); i++) {
        own_count += is_own(takes, &option) ? 1 : 0;
        count++;
    }
    const int most = own_count < BRIEF_MAX - COMMON_LEAST ? COMMON - own_count : COMMON_LEAST;
    nnc_buffer_text(sheet->out, "\n");
    /* the first pass of this loop (0) writes the common options, the second pass (1) the options that only this command
     * has */
    for (int own = 0; own <= 1; own++) {
        for (int i = 0; nnc_option_at(takes, i, &option) && shown < BRIEF_MAX; i++) {
            const bool is_common = has(common, most, option.name);
            if (own ? !is_common && is_own(takes, &option) : is_common) {
                write_brief(sheet, &option);
                shown++;
            }
        }
    }
    nnc_buffer_print(sheet->out, "\n%d of %d options; 'nncost %s --help' explains all of them.\n", shown, count,
                     command);
}

void nnc_help_program(nnc_buffer *out, nnc_style style) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 12;
    nnc_buffer_text(out, "usage: nncost COMMAND ...\n\n"
                         "Time, memory, bounds and cost of one neural-network training step, from the shape of\n"
                         "the network and the datasheet of the device.\n\nCommands:\n");
    const nnc_command *command = NULL;
    for (int parts = 0; parts < 2; parts++) {
        if (parts > 0) {
            nnc_buffer_text(out, "\nFurther commands, each a part of a command above:\n");
            sheet.indent = 23;
        }
        for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
            char label[40];
            if ((command->part_of != NULL) != (parts > 0)) { continue; }
            snprintf(label, sizeof label, parts > 0 ? "  %s, %s" : "  %s", parts > 0 ? command->part_of : command->name,
                     command->name);
            nnc_sheet_note(&sheet, label, "%s", command->summary);
        }
    }
    nnc_buffer_text(out, "\n'nncost COMMAND -h' shows the usual options of a command, 'nncost help COMMAND' all of\n"
                         "them; 'nncost -V' prints the version.\n\n"
                         "MODEL and DEVICE are ids ('nncost list models', 'nncost list devices') or paths of "
                         "files.\n"
                         "Ids are looked up in $NNCOST_PATH, $XDG_CONFIG_HOME/nncost and the data that came with\n"
                         "the program. Upper and lower case are the same, and an owner in front is ignored:\n"
                         "meta-llama/Llama-3-8B.\n"
                         "'-' is standard input. The file $XDG_CONFIG_HOME/nncost/defaults may hold options for "
                         "all\n"
                         "commands, one per line; --no-defaults ignores it.\n\n"
                         "Exit codes: 0 done; 1 the answer is no, for example does not fit; 2 bad command line;\n"
                         "3 bad file, unknown id or illegal plan; 4 cannot read or write, out of memory.\n\n"
                         "Example: nncost estimate gpt2-xl a100 --micro-batch 4\n");
}

void nnc_help_program_brief(nnc_buffer *out) {
    nnc_buffer_text(out, "usage: nncost COMMAND ...\n\n"
                         "  nncost estimate gpt2-xl a100 --micro-batch 4   time, memory, cost of a training step\n"
                         "  nncost search llama3-8b h100 --devices 64      the best plan for 64 devices\n"
                         "  nncost compare llama3-8b a100,h100,b200        devices, models or plans side by side\n"
                         "  nncost run llama3-8b h100 --tokens 1T          days, cost and energy of the whole run\n"
                         "  nncost explain mfu                             what a metric means, and its formula\n"
                         "  nncost list                                    devices, models, software profiles\n"
                         "\nCommands:");
    const nnc_command *command = NULL;
    int column = 9;
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        const int length = (int)strlen(command->name) + 1;
        if (command->part_of != NULL) { continue; }
        if (column + length > 79) {
            nnc_buffer_text(out, "\n         ");
            column = 9;
        }
        nnc_buffer_print(out, " %s", command->name);
        column += length;
    }
    nnc_buffer_text(out, "\n\n'nncost COMMAND -h' shows the usual options of a command, 'nncost help "
                         "COMMAND' all of\nthem; 'nncost --help' has the rest, 'nncost -V' prints the "
                         "version.\n");
}

/* ---- --help of a command with many options: one line per option ---- */

enum { MANY = 100 };

/* Tests whether only --help-all lists a group of options, and --help does not. The groups that only --help-all lists
 * are the software details and, except for the command `run`, the groups of a whole run. */
static bool is_rare_group(const nnc_command *command, const char *group) {
    static const char *const rare[] = { "Software",    "Run",   "Failures", "Checkpoints",
                                        "Fine-tuning", "Sites", "Input",    "Energy" };
    const int count = strcmp(command->name, "run") == 0 ? 1 : (int)(sizeof rare / sizeof rare[0]);
    return has(rare, count, group);
}

static int option_count(unsigned takes) {
    nnc_option_text option;
    int count = 0;
    while (nnc_option_at(takes, count, &option)) { count++; }
    return count;
}

/* Writes one line of help for each option, by group. Groups that only --help-all lists are left out. */
static void write_short_options(nnc_sheet *sheet, const nnc_command *command) {
    const char *groups[GROUPS];
    const int count = order_groups(command->takes, groups);
    for (int g = 0; g < count; g++) {
        if (!is_rare_group(command, groups[g])) { write_group(sheet, command->takes, groups[g], write_brief); }
    }
    nnc_buffer_print(sheet->out,
                     "\n'nncost %s --help-all' explains all %d options, those of whole runs and software too.\n",
                     command->name, option_count(command->takes));
}

static void put_paragraph(nnc_sheet *sheet, const char *text) { nnc_sheet_note(sheet, "", "%s", text); }

void nnc_help_command(nnc_buffer *out, nnc_style style, const nnc_command *command, nnc_help_level level) {
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_buffer_print(out, "usage: nncost %s %s [options]\n\n", command->name, command->operands);
    sheet.indent = 0;
    put_paragraph(&sheet, command->summary);
    if (level == NNC_HELP_BRIEF) {
        write_brief_options(&sheet, command->name, command->takes);
        return;
    }
    if (level == NNC_HELP_USUAL && option_count(command->takes) > MANY) {
        write_short_options(&sheet, command);
        return;
    }
    if (command->notes != NULL) {
        nnc_sheet_gap(&sheet);
        put_paragraph(&sheet, command->notes);
    }
    if (command->serving != NULL) {
        char text[160];
        snprintf(text, sizeof text,
                 "With --serve, this command is about a decoder that serves requests; 'nncost %s --serve --help' lists "
                 "its options.",
                 command->name);
        nnc_sheet_gap(&sheet);
        put_paragraph(&sheet, text);
    }
    write_options(&sheet, command->takes);
}

/* ---- docs and explain: the documentation that is part of the program ----
 *
 * The command docs prints the man pages, completions and schemas of docs/. The script tools/docs.py writes the files
 * that the command docs prints, from the output of 'nncost docs options', which describes every command, option, field
 * and metric as JSON. The files are committed and installed, so the command docs only finds and prints a file. */

/* ---- the outputs that commands write with --format json ---- */

static const struct output {
    const char *name, *title;
    const nnc_view *view; /* view that writes the output; NULL = each row of a sweep is written as one line */
} outputs[] = {
    { "estimate", "nncost estimate --format json", &nnc_estimate_view },
    { "fit", "nncost fit --format json", &nnc_fit_view },
    { "limit", "nncost limit --format json", &nnc_limit_view },
    { "advise", "nncost advise --format json", &nnc_advise_view },
    { "ops", "nncost ops --format json", &nnc_ops_output },
    { "op", "nncost op --format json", &nnc_op_view },
    { "trace", "nncost trace FILE --format json", &nnc_trace_view },
    { "watch", "nncost watch LOG --format json", &nnc_watch_view },
    { "compare", "nncost compare --format json", &nnc_comparison_view },
    { "run", "nncost run --format json", &nnc_run_view },
    { "serve", "nncost serve --format json", &nnc_serve_view },
    { "serve-sweep", "nncost sweep --serve --format json", &nnc_serve_sweep_view },
    { "images", "nncost serve --steps --format json", &nnc_images_view },
    { "images-sweep", "nncost sweep --serve --steps --format json", &nnc_images_sweep_view },
    { "serve-search", "nncost search --serve --format json", &nnc_serve_search_view },
    { "budget", "nncost budget --format json", &nnc_budget_view },
    { "checkpoint", "nncost show CHECKPOINT --format json", &nnc_checkpoint_view },
    { "search", "nncost search --format json", &nnc_search_output },
    { "choices", "nncost search of several devices --format json", &nnc_choices_view },
    { "scale", "nncost scale --format json", &nnc_scale_view },
    { "sweep", "One line of nncost sweep --format json", NULL },
    { "check", "nncost check --format json", &nnc_check_output },
    { "diff", "nncost diff --format json", &nnc_diff_output },
    { "accuracy", "nncost accuracy --format json", &nnc_accuracy_view },
    { "calibrate", "nncost calibrate --format json", &nnc_calibration_view },
};
enum { OUTPUT_COUNT = sizeof outputs / sizeof outputs[0] };

static const nnc_metrics *metrics_of(const struct output *output) {
    return output->view != NULL ? output->view->document : &nnc_sweep_own_metrics;
}

static void put_names(nnc_record *record, const char *key, const char *(*name_of)(unsigned), int count) {
    nnc_record_list(record, key);
    for (int i = 0; i < count; i++) { nnc_record_text(record, NULL, name_of((unsigned)i)); }
    nnc_record_close(record);
}

/* Writes the JSON schema type of a metric, and whether its value may be null. */
static void put_metric_type(nnc_record *record, const nnc_metric *row) {
    static const char *const types[] = {
        [NNC_METRIC_NUMBER] = "number", [NNC_METRIC_WHOLE] = "integer", [NNC_METRIC_BOOL] = "boolean",
        [NNC_METRIC_TEXT] = "string",   [NNC_METRIC_CHARS] = "string",  [NNC_METRIC_ENUM] = "choice",
        [NNC_METRIC_ANY] = "any",       [NNC_METRIC_OBJECT] = "object", [NNC_METRIC_LIST] = "list",
        [NNC_METRIC_TEXTS] = "texts",
    };
    const bool nullable = row->type == NNC_METRIC_OBJECT ? nnc_metric_rare(row)->unless != NULL
                          : row->type == NNC_METRIC_LIST || row->type == NNC_METRIC_TEXTS
                              ? row->null_empty
                              : row->type == NNC_METRIC_NUMBER || row->type == NNC_METRIC_TEXT ||
                                    nnc_metric_getter(row) != NULL || row->hop > 0 || row->blank_zero;
    nnc_record_text(record, "type", types[row->type]);
    nnc_record_bool(record, "nullable", nullable);
    if (row->type == NNC_METRIC_ENUM) { put_names(record, "choices", row->name_of, row->values); }
}

static void put_metrics(nnc_record *record, const nnc_metrics *metrics);

/* Writes the description of a metric. `name` is the name of the metric in its table; for a column of a sweep, it is the
 * full name, such as "memory.total_bytes". NOLINTNEXTLINE(misc-no-recursion): tables contain tables, but only a few
 * levels deep */
static void put_metric(nnc_record *record, const nnc_metric *row, const char *name) {
    const nnc_metric_more *more = nnc_metric_rare(row);
    nnc_record_object(record, NULL);
    nnc_record_text(record, "name", name);
    put_metric_type(record, row);
    nnc_record_bool(record, "required", more->when == NULL);
    /* A metric without a help text shows a field of the plan, and takes the help text of this field. */
    nnc_record_text(record, "help", row->help == NULL ? nnc_field_help(&nnc_plan_table, row->name) : row->help);
    nnc_record_text(record, "unit", row->unit);
    if (row->each_count > 0 && more->each != NULL) { put_names(record, "keys", more->each, row->each_count); }
    nnc_record_bool(record, "array", row->each_count > 0);
    if (row->type == NNC_METRIC_OBJECT || row->type == NNC_METRIC_LIST) {
        nnc_record_list(record, "members");
        put_metrics(record, row->rows);
        nnc_record_close(record);
    }
    if (more->others != NULL) { /* the records of a list may be of several kinds */
        nnc_record_list(record, "others");
        for (const nnc_metrics *const *other = more->others; *other != NULL; other++) {
            nnc_record_list(record, NULL);
            put_metrics(record, *other);
            nnc_record_close(record);
        }
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_metrics(nnc_record *record, const nnc_metrics *metrics) {
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        if (row->name != NULL) {
            put_metric(record, row, row->name);
        } else if (row->type == NNC_METRIC_OBJECT) {
            put_metrics(record, row->rows);
        }
    }
}

/* Writes the description of every metric of an estimate, with its full name ("step.step_s"). */
static nnc_status put_columns(nnc_record *record) {
    nnc_columns columns;
    nnc_arena *arena = nnc_arena_create();
    const nnc_status status = arena != NULL ? nnc_columns_of(&nnc_estimate_metrics, arena, &columns) : NNC_NO_MEMORY;
    for (int32_t i = 0; status == NNC_OK && i < columns.count; i++) {
        nnc_metric row = *columns.list[i].metric;
        /* the row of an illegal plan in a sweep has null for this metric */
        row.hop = row.type == NNC_METRIC_WHOLE ? 1 : row.hop;
        row.each_count = 0;
        put_metric(record, &row, columns.list[i].name);
    }
    nnc_arena_destroy(arena);
    return status;
}

static nnc_status put_outputs(nnc_record *record) {
    nnc_status status = NNC_OK;
    nnc_record_list(record, "outputs");
    for (int i = 0; i < OUTPUT_COUNT && status == NNC_OK; i++) {
        const struct output *output = &outputs[i];
        nnc_record_object(record, NULL);
        nnc_record_text(record, "name", output->name);
        nnc_record_text(record, "title", output->title);
        nnc_record_text(record, "schema", output->view != NULL ? output->view->schema : NULL);
        nnc_record_list(record, "members");
        put_metrics(record, metrics_of(output));
        status = output->view == NULL ? put_columns(record) : NNC_OK;
        nnc_record_close(record);
        nnc_record_close(record);
    }
    nnc_record_close(record);
    return status;
}

/* ---- descriptions of the fields of device, model, profile and plan files ---- */

static const char *field_kind(nnc_field_type type) {
    switch (type) {
    case NNC_FIELD_BOOL: return "switch";
    case NNC_FIELD_ENUM: return "choice";
    case NNC_FIELD_RECOMPUTE:
    case NNC_FIELD_TRAIN:
    case NNC_FIELD_ADAPTERS:
    case NNC_FIELD_OFFLOAD: return "flags";
    case NNC_FIELD_F64: return "number";
    case NNC_FIELD_I32:
    case NNC_FIELD_I64: return "whole";
    case NNC_FIELD_RATES: return "rates";
    case NNC_FIELD_I32_LIST:
    case NNC_FIELD_I64_LIST: return "wholes";
    case NNC_FIELD_BOOL_LIST: return "switches";
    case NNC_FIELD_ENUM_LIST: return "choices";
    case NNC_FIELD_OBJECT: return "object";
    case NNC_FIELD_OBJECT_BY_DTYPE: return "objects";
    default: return "text";
    }
}

static void put_limit(nnc_record *record, const char *key, const nnc_field *field, bool upper) {
    if (field->min == 0 && field->max == 0) {
        nnc_record_null(record, key);
    } else {
        nnc_record_number(record, key, upper ? field->max : field->min);
    }
}

static void put_fields(nnc_record *record, const char *key, const nnc_field *fields, size_t count);

/* Writes the description of a field of a file as JSON. The recursion follows nested fields, which are only a few levels
 * deep. NOLINTNEXTLINE(misc-no-recursion) */
static void put_field(nnc_record *record, const nnc_field *field) {
    nnc_record_object(record, NULL);
    nnc_record_text(record, "name", field->name);
    nnc_record_text(record, "kind", field_kind(field->type));
    nnc_record_text(record, "unit", field->unit);
    put_limit(record, "minimum", field, false);
    put_limit(record, "maximum", field, true);
    nnc_record_bool(record, "above_minimum", field->above_min);
    nnc_record_bool(record, "required", field->required);
    nnc_record_text(record, "default", field->default_text);
    nnc_record_whole(record, "most", field->capacity);
    nnc_record_whole(record, "length", field->type == NNC_FIELD_TEXT ? field->size : 0);
    nnc_record_text(record, "help", field->help != NULL ? field->help : "");
    if (field->names.of != NULL) { put_names(record, "choices", field->names.of, field->names.count); }
    if (field->help_of != NULL) { put_names(record, "meanings", field->help_of, field->names.count); }
    if (field->fields != NULL) { put_fields(record, "fields", field->fields, field->field_count); }
    nnc_record_close(record);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_fields(nnc_record *record, const char *key, const nnc_field *fields, size_t count) {
    nnc_record_list(record, key);
    for (size_t i = 0; i < count; i++) { put_field(record, &fields[i]); }
    nnc_record_close(record);
}

static void put_tables(nnc_record *record) {
    static const struct {
        const char *name;
        const nnc_field_table *table;
    } tables[] = {
        { "device", &nnc_device_table }, { "software", &nnc_software_table }, { "cluster", &nnc_cluster_table },
        { "price", &nnc_price_table },   { "track", &nnc_track_table },       { "framework", &nnc_framework_table },
        { "range", &nnc_range_table },   { "recipe", &nnc_recipe_table },     { "plan", &nnc_plan_table },
        { "run", &nnc_run_table },       { "serve", &nnc_serve_table },
    };
    nnc_record_object(record, "tables");
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        put_fields(record, tables[i].name, tables[i].table->fields, tables[i].table->count);
    }
    nnc_record_close(record);
    nnc_record_object(record, "models");
    for (int family = 0; family < NNC_FAMILY_COUNT; family++) {
        const nnc_field_table *table = nnc_model_table((nnc_family)family);
        put_fields(record, nnc_family_name((nnc_family)family), table->fields, table->count);
    }
    nnc_record_close(record);
}

/* ---- descriptions of commands and of their options ---- */

/* Returns the kind of value that an option takes, found by the type of its field or by the placeholder in its help. */
static const char *option_kind(const nnc_option_text *option) {
    return option->of_file                            ? field_kind(option->field->type)
           : option->argument[0] == '\0'              ? "flag"
           : option->values.count > 0                 ? "choice"
           : strcmp(option->argument, " FILE") == 0   ? "path"
           : strcmp(option->argument, " N") == 0      ? "whole"
           : strcmp(option->argument, " PIXELS") == 0 ? "whole"
                                                      : "text";
}

static void put_choices(nnc_record *record, const nnc_option_text *option) {
    const nnc_flag *flags = nnc_flags_of(option->field->type);
    if (flags == NULL && option->values.count == 0) {
        nnc_record_null(record, "choices");
        return;
    }
    nnc_record_list(record, "choices");
    for (; flags != NULL && flags->name != NULL; flags++) { nnc_record_text(record, NULL, flags->name); }
    for (int i = 0; i < option->values.count; i++) { nnc_record_text(record, NULL, option->values.of((unsigned)i)); }
    nnc_record_close(record);
}

/* Writes the description of an option as JSON. Programs such as the browser page build an input form from the
 * description of an option. */
static void put_option(nnc_record *record, const nnc_option_text *option) {
    const nnc_field *field = option->field;
    nnc_record_object(record, NULL);
    nnc_record_text(record, "name", option->name);
    nnc_record_text(record, "alias", option->alias[0] != '\0' ? option->alias : NULL);
    nnc_record_text(record, "group", option->group);
    nnc_record_text(record, "kind", option_kind(option));
    put_choices(record, option);
    nnc_record_text(record, "unit", field->unit);
    put_limit(record, "minimum", field, false);
    put_limit(record, "maximum", field, true);
    nnc_record_text(record, "default", option->default_text[0] != '\0' ? option->default_text : NULL);
    nnc_record_text(record, "field", option->of_file ? field->name : NULL);
    nnc_record_text(record, "help", field->help);
    nnc_record_close(record);
}

static void put_command_texts(nnc_record *record, const nnc_command *command) {
    nnc_record_text(record, "operands", command->operands);
    nnc_record_text(record, "summary", command->summary);
    nnc_record_text(record, "notes", command->notes);
}

static void put_commands(nnc_record *record) {
    const nnc_command *command = NULL;
    nnc_option_text option;
    nnc_record_list(record, "commands");
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        nnc_record_object(record, NULL);
        nnc_record_text(record, "name", command->name);
        put_command_texts(record, command);
        if (command->serving != NULL) { /* writes the texts of the command that runs if --serve is given */
            nnc_record_object(record, "serving");
            put_command_texts(record, command->serving);
            nnc_record_close(record);
        }
        nnc_record_list(record, "options");
        for (int k = 0; nnc_option_at(command->takes, k, &option); k++) { put_option(record, &option); }
        nnc_record_close(record);
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

/* Writes the description of every option, in the form of the man page and the completions, with the names of the
 * commands that accept the option. */
static void put_all_options(nnc_record *record) {
    const nnc_command *command = NULL;
    nnc_option_text option;
    nnc_record_list(record, "options");
    for (int i = 0; nnc_option_at(~0u, i, &option); i++) {
        nnc_record_object(record, NULL);
        nnc_record_text(record, "name", option.name);
        nnc_record_text(record, "alias", option.alias[0] != '\0' ? option.alias : NULL);
        nnc_record_text(record, "argument", option.argument);
        nnc_record_text(record, "help", option.help);
        nnc_record_bool(record, "of_plan", option.of_plan);
        nnc_record_bool(record, "common", (option.takes & NNC_TAKES_COMMON) != 0);
        nnc_record_list(record, "commands");
        for (int k = 0; (command = nnc_command_at(k)) != NULL; k++) {
            if ((command->takes & option.takes) && !nnc_option_lacks(command->takes, option.field->name)) {
                nnc_record_text(record, NULL, command->name);
            }
        }
        nnc_record_close(record);
        put_names(record, "values", option.values.of, option.values.count);
        put_names(record, "meanings", option.help_of, option.help_of != NULL ? option.values.count : 0);
        nnc_record_close(record);
    }
    nnc_record_close(record);
}

static const char *dtype_name(unsigned dtype) { return nnc_dtype_name((nnc_dtype)dtype); }

static const char *ref_name(unsigned index) { return nnc_plans_ref_names[index]; }

static nnc_status write_tables(nnc_session *session, nnc_error *err) {
    nnc_record record = nnc_record_begin(session->out, "nncost.options/1");
    nnc_record_text(&record, "version", nnc_version());
    put_commands(&record);
    put_all_options(&record);
    nnc_record_list(&record, "statuses");
    for (int status = NNC_OK; status < NNC_STATUS_COUNT; status++) {
        nnc_record_object(&record, NULL);
        nnc_record_whole(&record, "exit_code", nnc_status_exit_code((nnc_status)status));
        nnc_record_text(&record, "text", nnc_status_text((nnc_status)status));
        nnc_record_close(&record);
    }
    nnc_record_close(&record);
    put_names(&record, "pictures", nnc_picture_name, NNC_PICTURE_COUNT);
    put_names(&record, "formats", dtype_name, NNC_DTYPE_COUNT);
    put_names(&record, "references", ref_name, NNC_REF_COUNT);
    nnc_record_text(&record, "plans_schema", NNC_PLANS_SCHEMA);
    nnc_record_whole(&record, "scenarios_most", NNC_PLANS_SCENARIOS_MAX);
    put_tables(&record);
    const nnc_status status = put_outputs(&record);
    nnc_record_end(&record);
    return status == NNC_OK ? NNC_OK : nnc_no_memory(err);
}

/* Prints a file of docs/, from the source tree or from the installed data. */
static nnc_status write_page(nnc_session *session, const char *name, nnc_error *err) {
    char path[PATH_MAX + 64], *text = NULL;
    size_t size = 0;
    nnc_error missing;
    snprintf(path, sizeof path, "%s/docs/%s", session->data != NULL ? session->data : "", name);
    if (session->data == NULL || nnc_file_read(path, &text, &size, &missing) != NNC_OK) {
        return nnc_fail(err, NNC_IO, name, "is not installed with this program, expected in share/nncost/docs");
    }
    nnc_buffer_put(session->out, text, size);
    free(text);
    return NNC_OK;
}

/* Kinds of files. In the list of schemas, the kinds of files come before the outputs of commands. */
static const char *const files[][2] = {
    { "device", "Device" }, { "model", "Model" }, { "software", "Software profile" }, { "plan", "Plan file" }
};
enum { FILE_COUNT = sizeof files / sizeof files[0], SCHEMA_COUNT = FILE_COUNT + OUTPUT_COUNT };

static const char *schema_name(int index) {
    return index < FILE_COUNT ? files[index][0] : outputs[index - FILE_COUNT].name;
}

static nnc_status write_schema(nnc_session *session, nnc_error *err) {
    const char *kind = session->options.operands[1];
    char kinds[256] = "", page[64];
    for (int i = 0; i < SCHEMA_COUNT; i++) {
        const char *name = schema_name(i);
        if (kind == NULL) {
            nnc_buffer_print(session->out, "%-10s %s\n", name,
                             i < FILE_COUNT ? files[i][1] : outputs[i - FILE_COUNT].title);
        } else if (strcmp(kind, name) == 0) {
            snprintf(page, sizeof page, "schema/%s.json", name);
            return write_page(session, page, err);
        }
        nnc_text_append(kinds, sizeof kinds, ", ", "%s", name);
    }
    return kind == NULL ? NNC_OK
                        : nnc_fail(err, NNC_BAD_USAGE, "schema", "unknown schema, expected one of %s, found \"%s\"",
                                   kinds, kind);
}

/* Files of docs/ that the command docs prints. The operands `first` and `second` of the command select a file; if
 * `second` is NULL, the operand `first` alone selects the file. */
static const struct page {
    const char *first, *second, *file;
} pages[] = {
    { "man", NULL, "nncost.1" },
    { "man", "files", "nncost-files.5" },
    { "completion", NULL, "nncost.bash-completion" },
    { "completion", "bash", "nncost.bash-completion" },
    { "completion", "zsh", "nncost.zsh-completion" },
    { "completion", "fish", "nncost.fish-completion" },
};

static nnc_status run_docs(nnc_session *session, nnc_error *err) {
    const char *first = session->options.operands[0], *second = session->options.operands[1];
    if (strcmp(first, "schema") == 0) { return write_schema(session, err); }
    if (strcmp(first, "options") == 0 && second == NULL) { return write_tables(session, err); }
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        const struct page *page = &pages[i];
        const bool same =
            second != NULL ? page->second != NULL && strcmp(page->second, second) == 0 : page->second == NULL;
        if (same && strcmp(page->first, first) == 0) { return write_page(session, page->file, err); }
    }
    if (strcmp(first, "options") == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, second, "one argument too many, expected docs options");
    }
    if (strcmp(first, "man") == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "man", "unknown page, expected \"files\" or nothing, found \"%s\"", second);
    }
    if (strcmp(first, "completion") == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "completion", "unknown shell, expected bash, zsh or fish, found \"%s\"",
                        second);
    }
    return nnc_fail(err, NNC_BAD_USAGE, "docs",
                    "unknown document, expected one of man, schema, completion, options, found \"%s\"", first);
}

const nnc_command nnc_cmd_docs = {
    .name = "docs",
    .operands = "man [files]|completion [SHELL]|options|schema [KIND]",
    .summary = "The man pages nncost(1) and nncost-files(5), completions for bash, zsh and fish, "
               "all options, or the JSON Schema of a kind of file or output.",
    .notes = "For the schema of a file, KIND is device, model, software or plan. For the schema of the --format json "
             "output of a command, KIND is estimate, ops, compare, run, budget, search, sweep, check, diff, accuracy "
             "or calibrate. Without KIND, all kinds are listed. 'docs options' prints all commands, options, fields "
             "and metrics as JSON, with kind, choices, limits, unit and default, so that another program can build a "
             "form. --format has no effect here.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON,
    .run = run_docs,
};

/* Lists the JSON outputs of all commands except estimate; an entry with NULL ends the list. */
static void list_explained(nnc_explain_output list[OUTPUT_COUNT + 1]) {
    int count = 0;
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        if (metrics_of(&outputs[i]) != &nnc_estimate_document) {
            list[count++] = (nnc_explain_output){ outputs[i].name, metrics_of(&outputs[i]) };
        }
    }
    list[count] = (nnc_explain_output){ NULL, NULL };
}

static nnc_status write_explained(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                                  nnc_error *err) {
    nnc_explain_output explained[OUTPUT_COUNT + 1];
    (void)context, (void)scratch;
    list_explained(explained);
    return nnc_report_explain(session->out, session->style, &scenario->report, explained, session->options.operands[0],
                              err);
}

/* Explains the metrics or ops that the first operand (NAMES) lists, for the scenario of a plan file. If the operands
 * are only a model and a device, the error says that NAMES is missing. */
static nnc_status explain_plans(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    const nnc_status status = nnc_scenario_report(session, operands[1], NULL, write_explained, NULL, err);
    if (status != NNC_OK && nnc_device_load(session->specs, operands[1], &device, NULL) == NNC_OK &&
        nnc_model_load(session->specs, operands[0], &model, NULL) == NNC_OK) {
        return nnc_fail(err, NNC_BAD_USAGE, "NAMES", "missing, expected a metric or an op, as in \"step_s %s %s\"",
                        operands[0], operands[1]);
    }
    return status;
}

/* Returns the name of the plan field whose option has `word` as its second name, such as tp or lora; if there is no
 * such field, returns `word`. */
static const char *field_named(const char *word) {
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        const nnc_field *field = &nnc_plan_table.fields[i];
        if (field->alias != NULL && strcasecmp(field->alias, word) == 0) { return field->name; }
    }
    return word;
}

/* If a word is no metric but a value of an option, such as adamw, replaces the error by an error that names the
 * option. */
static nnc_status name_option(const char *word, nnc_status status, nnc_error *err) {
    for (size_t i = 0; status == NNC_BAD_USAGE && strcmp(err->where, word) == 0 && i < nnc_plan_table.count; i++) {
        const nnc_field *field = &nnc_plan_table.fields[i];
        for (int v = 0; field->type == NNC_FIELD_ENUM && v < field->names.count; v++) {
            if (strcasecmp(field->names.of((unsigned)v), word) == 0) {
                return nnc_fail(err, NNC_BAD_USAGE, word,
                                "is a value of %s, expected the name of this option: nncost explain %s", field->name,
                                field->name);
            }
        }
    }
    return status;
}

static nnc_status explain_asked(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    nnc_explain_output explained[OUTPUT_COUNT + 1];
    list_explained(explained);
    switch (session->options.operand_count) {
    case 0: return nnc_explain_list(session->out, session->style, explained, err);
    case 1: return nnc_explain_formulas(session->out, session->style, session->specs, explained, operands[0], err);
    case 2: return explain_plans(session, err);
    default: return nnc_scenario_report(session, operands[1], operands[2], write_explained, NULL, err);
    }
}

static nnc_status run_explain(nnc_session *session, nnc_error *err) {
    char **operands = session->options.operands;
    if (session->options.operand_count == 0) { return explain_asked(session, err); }
    operands[0] = (char *)field_named(operands[0]);
    return name_option(operands[0], explain_asked(session, err), err);
}

const nnc_command nnc_cmd_explain = {
    .name = "explain",
    .operands = "[NAMES [MODEL DEVICE | PLANS.json [DEVICE]]]",
    .summary = "Formula and source of metrics and ops; with MODEL DEVICE also their numbers.",
    .notes = "NAMES are joined by commas. The name of a metric is its key in the JSON output of any command, such as "
             "mfu, step_s, exposed_comm.data, memory or cost. The name of an op is its name in 'nncost ops', such as "
             "attn.qkv. If an op occurs with different dimensions, the instance with the longest time in each phase "
             "is shown. Without NAMES, all names are listed. The JSON output of several names is a list.",
    .max_operands = 3,
    .leading_operands = 1,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO,
    .run = run_explain,
    .serving = &nnc_cmd_serve_explain,
};
