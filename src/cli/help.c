/* Help: of the program, of a command with all its options, and the short form of -h. */
#include "cli/cli_internal.h"
#include "render/render_internal.h"

/* ---- options ---- */

/* Headings in help: first these, then those of the command in the order of its options, then the last ones. */
static const char *const first[] = { "Batch", "Parallelism", "Memory", "Software", "Numbers" };
static const char *const last[] = { "Cost", "Output" };
enum { FIRST = sizeof first / sizeof first[0], LAST = sizeof last / sizeof last[0], GROUPS = 32 };

static bool has(const char *const *words, int count, const char *word)
{
    int i = 0;
    while (i < count && strcmp(words[i], word) != 0) {
        i++;
    }
    return i < count;
}

static int order_groups(unsigned takes, const char *groups[GROUPS])
{
    int count = FIRST;
    nnc_option_text option;
    memcpy(groups, first, sizeof first);
    for (int i = 0; nnc_option_at(takes, i, &option) && count < GROUPS - LAST; i++) {
        if (!has(groups, count, option.group) && !has(last, LAST, option.group)) {
            groups[count++] = option.group;
        }
    }
    memcpy(groups + count, last, sizeof last);
    return count + LAST;
}

static void write_option(nnc_sheet *sheet, const nnc_option_text *option)
{
    char label[NNC_OPTION_NAME + 32];
    snprintf(label, sizeof label, "  %s%s", option->name, option->argument);
    nnc_sheet_label(sheet, label);
    nnc_sheet_words(sheet, "%s", option->help);
    nnc_sheet_end(sheet);
}

static void write_options(nnc_buffer *out, nnc_style style, unsigned takes)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_option_text option;
    const char *groups[GROUPS];
    const int count = order_groups(takes, groups);
    sheet.indent = 26;
    nnc_buffer_text(out, "\nOptions (their names cannot be abbreviated).\n");
    for (int g = 0; g < count; g++) {
        bool any = false;
        for (int i = 0; nnc_option_at(takes, i, &option); i++) {
            if (strcmp(option.group, groups[g]) == 0) {
                if (!any) {
                    nnc_buffer_print(out, "\n%s:\n", groups[g]);
                }
                any = true;
                write_option(&sheet, &option);
            }
        }
    }
}

/* The most used options; a command has some of them. One with many options of its own shows only the first of these. */
static const char *const common[] = { "--devices",      "--micro-batch",  "--seq-len",
                                      "--tensor",       "--pipeline",     "--zero",
                                      "--recompute",    "--precision",    "--set",
                                      "--format",       "--output",       "--tokens",
                                      "--software",     "--global-batch", "--micro-batches",
                                      "--adapter-rank", "--frozen",       "--optimizer" };
enum { COMMON = sizeof common / sizeof common[0], COMMON_LEAST = 12, BRIEF_MAX = 18 };

/* Length of the first sentence, without its full stop and without the default. */
static int sentence_length(const char *help)
{
    const char *stop = strstr(help, ". "), *bracket = strstr(help, " [");
    size_t length = strlen(help);
    length = stop != NULL && (size_t)(stop - help) < length ? (size_t)(stop - help) : length;
    length =
        bracket != NULL && (size_t)(bracket - help) < length ? (size_t)(bracket - help) : length;
    return (int)(length > 0 && help[length - 1] == '.' ? length - 1 : length);
}

/* The first sentence on one line, cut at a word. */
static void write_brief(nnc_buffer *out, nnc_style style, const nnc_option_text *option)
{
    char label[NNC_OPTION_NAME + 40];
    const char *letter = strcmp(option->name, "--format") == 0   ? "-f, "
                         : strcmp(option->name, "--output") == 0 ? "-o, "
                                                                 : "    ";
    const int width = style.width - 33;
    int length = sentence_length(option->help);
    snprintf(label, sizeof label, "%s%s%s", letter, option->name, option->argument);
    if (length > width) {
        length = width - 3;
        while (length > 0 && option->help[length] != ' ') {
            length--;
        }
        nnc_buffer_print(out, "  %-30s %.*s ...\n", label, length, option->help);
    } else {
        nnc_buffer_print(out, "  %-30s %.*s\n", label, length, option->help);
    }
}

/* Does the option belong to this command more than to others? Rare ones do not count. */
static bool is_own(unsigned takes, const nnc_option_text *option)
{
    static const char *const rare[] = {
        "--seller", "--offer", "--region",   "--building", "--scenario",   "--timeline",
        "--stages", "--trace", "--measured", "--from",     "--to-options", "--sensitivity"
    };
    const bool of_plan = (takes & NNC_TAKES_PLAN) != 0;
    return !(option->takes & (NNC_TAKES_PLAN | NNC_TAKES_COMMON)) &&
           !(of_plan && option->of_file) &&
           !(of_plan && has(rare, sizeof rare / sizeof rare[0], option->name));
}

static void write_brief_options(nnc_buffer *out, nnc_style style, const char *command,
                                unsigned takes)
{
    nnc_option_text option;
    int count = 0, shown = 0, own_count = 0;
    for (int i = 0; nnc_option_at(takes, i, &option); i++) {
        own_count += is_own(takes, &option) ? 1 : 0;
        count++;
    }
    const int most = own_count < BRIEF_MAX - COMMON_LEAST ? COMMON - own_count : COMMON_LEAST;
    nnc_buffer_text(out, "\n");
    for (int own = 0; own <= 1; own++) { /* first common options, then the command's own */
        for (int i = 0; nnc_option_at(takes, i, &option) && shown < BRIEF_MAX; i++) {
            const bool is_common = has(common, most, option.name);
            if (own ? !is_common && is_own(takes, &option) : is_common) {
                write_brief(out, style, &option);
                shown++;
            }
        }
    }
    nnc_buffer_print(out, "\n%d of %d options; 'nncost %s --help' explains all of them.\n", shown,
                     count, command);
}

/* ---- commands ---- */

void nnc_help_program(nnc_buffer *out, nnc_style style)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    sheet.indent = 12;
    nnc_buffer_text(
        out,
        "usage: nncost COMMAND ...\n\n"
        "Time, memory, bounds and cost of one neural-network training step, from the shape of\n"
        "the network and the datasheet of the device.\n\nCommands:\n");
    const nnc_command *command = NULL;
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        char label[32];
        snprintf(label, sizeof label, "  %s", command->name);
        nnc_sheet_label(&sheet, label);
        nnc_sheet_words(&sheet, "%s", command->summary);
        nnc_sheet_end(&sheet);
    }
    nnc_buffer_text(
        out,
        "\n'nncost COMMAND -h' shows the usual options of a command, 'nncost help COMMAND' all of\n"
        "them; 'nncost -V' prints the version.\n\n"
        "MODEL and DEVICE are ids ('nncost list models', 'nncost list devices') or paths of "
        "files.\n"
        "Ids are looked up in $NNCOST_PATH, $XDG_CONFIG_HOME/nncost and the data that came with\n"
        "the program. Upper and lower case are the same, and an owner in front is ignored:\n"
        "meta-llama/Llama-3-8B.\n"
        "'-' is standard input. The file $XDG_CONFIG_HOME/nncost/defaults may hold options for "
        "all\n"
        "commands, one per line; --no-defaults ignores it.\n\n"
        "Exit codes: 0 done; 1 the answer is no, such as: does not fit; 2 bad command line;\n"
        "3 bad file, unknown id or illegal plan; 4 cannot read or write, out of memory.\n\n"
        "Example: nncost estimate gpt2-xl a100 --micro-batch 4\n");
}

void nnc_help_program_brief(nnc_buffer *out)
{
    nnc_buffer_text(
        out,
        "usage: nncost COMMAND ...\n\n"
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
        if (column + length > 79) {
            nnc_buffer_text(out, "\n         ");
            column = 9;
        }
        nnc_buffer_print(out, " %s", command->name);
        column += length;
    }
    nnc_buffer_text(out,
                    "\n\n'nncost COMMAND -h' shows the usual options of a command, 'nncost help "
                    "COMMAND' all of\nthem; 'nncost --help' has the rest, 'nncost -V' prints the "
                    "version.\n");
}

/* ---- --help of a command with many options ---- */

enum { MANY = 100 };

/* Groups that --help-all has: those of a whole run, but in 'run' itself, and software details. */
static bool is_rare_group(const nnc_command *command, const char *group)
{
    static const char *const rare[] = { "Software",    "Run",   "Failures", "Checkpoints",
                                        "Fine-tuning", "Sites", "Input",    "Energy" };
    const int count = strcmp(command->name, "run") == 0 ? 1 : (int)(sizeof rare / sizeof rare[0]);
    return has(rare, count, group);
}

static int option_count(unsigned takes)
{
    nnc_option_text option;
    int count = 0;
    while (nnc_option_at(takes, count, &option)) {
        count++;
    }
    return count;
}

/* One line for each option, by group. */
static void write_short_options(nnc_buffer *out, nnc_style style, const nnc_command *command)
{
    nnc_option_text option;
    const char *groups[GROUPS];
    const int count = order_groups(command->takes, groups);
    for (int g = 0; g < count; g++) {
        bool any = is_rare_group(command, groups[g]);
        for (int i = 0;
             !is_rare_group(command, groups[g]) && nnc_option_at(command->takes, i, &option); i++) {
            if (strcmp(option.group, groups[g]) == 0) {
                if (!any) {
                    nnc_buffer_print(out, "\n%s:\n", groups[g]);
                }
                any = true;
                write_brief(out, style, &option);
            }
        }
    }
    nnc_buffer_print(out,
                     "\n'nncost %s --help-all' explains all %d options, those of whole runs and "
                     "software too.\n",
                     command->name, option_count(command->takes));
}

static void put_paragraph(nnc_sheet *sheet, const char *text)
{
    nnc_sheet_label(sheet, "");
    nnc_sheet_words(sheet, "%s", text);
    nnc_sheet_end(sheet);
}

void nnc_help_command(nnc_buffer *out, nnc_style style, const nnc_command *command,
                      nnc_help_level level)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_buffer_print(out, "usage: nncost %s %s [options]\n\n", command->name, command->operands);
    sheet.indent = 0;
    put_paragraph(&sheet, command->summary);
    if (level == NNC_HELP_BRIEF) {
        write_brief_options(out, style, command->name, command->takes);
        return;
    }
    if (level == NNC_HELP_USUAL && option_count(command->takes) > MANY) {
        write_short_options(out, style, command);
        return;
    }
    if (command->notes != NULL) {
        nnc_sheet_gap(&sheet);
        put_paragraph(&sheet, command->notes);
    }
    if (command->serving != NULL) {
        char text[160];
        snprintf(text, sizeof text,
                 "With --serve it is about a decoder that serves requests: 'nncost %s --serve "
                 "--help' lists those options.",
                 command->name);
        nnc_sheet_gap(&sheet);
        put_paragraph(&sheet, text);
    }
    write_options(out, style, command->takes);
}
