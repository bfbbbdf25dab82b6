#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <nncost/nncost.h>

#include "cli/command.h"
#include "cli/docs.h"

/* Text as roff takes it: a dash stays a dash, and no line begins a request. */
static void put(nnc_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '-') {
            nnc_buffer_text(out, "\\-");
        } else if (*text == '\\') {
            nnc_buffer_text(out, "\\e");
        } else if (*text == '\'') {
            nnc_buffer_text(out, "\\(aq");
        } else {
            nnc_buffer_byte(out, *text);
        }
    }
}

static void put_line(nnc_buffer *out, const char *text)
{
    nnc_buffer_text(out, *text == '.' ? "\\&" : "");
    put(out, text);
    nnc_buffer_byte(out, '\n');
}

/* A term in bold with what follows it, then its explanation. */
static void put_term(nnc_buffer *out, const char *term, const char *rest)
{
    nnc_buffer_text(out, ".TP\n\\fB");
    put(out, term);
    nnc_buffer_text(out, "\\fR");
    put_line(out, rest);
}

static void put_commands(nnc_buffer *out)
{
    const nnc_command *command = NULL;
    nnc_buffer_text(out, ".SH COMMANDS\n");
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        nnc_buffer_print(out, ".TP\n\\fB%s\\fR \\fI", command->name);
        put(out, command->operands);
        nnc_buffer_text(out, "\\fR\n");
        put_line(out, command->summary);
        if (command->notes != NULL) {
            nnc_buffer_text(out, ".IP\n");
            put_line(out, command->notes);
        }
        if (command->serving != NULL) { /* its other form */
            nnc_buffer_text(out, ".IP\n");
            nnc_buffer_print(out, "\\fBnncost %s\\fR \\fI", command->name);
            put(out, command->serving->operands);
            nnc_buffer_text(out, "\\fR:\n");
            put_line(out, command->serving->summary);
            put_line(out, command->serving->notes);
        }
    }
}

/* "Of estimate, ops." where not every command takes it. */
static void put_takers(nnc_buffer *out, unsigned takes)
{
    const nnc_command *command = NULL;
    bool any = false;
    if (takes & NNC_TAKES_COMMON) {
        return;
    }
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        if (command->takes & takes) {
            nnc_buffer_print(out, "%s%s", any ? ", " : "Of ", command->name);
            any = true;
        }
    }
    nnc_buffer_text(out, any ? ".\n" : "");
}

/* What each value of a list means. */
static void put_values(nnc_buffer *out, nnc_names names, const char *(*help_of)(unsigned value))
{
    if (help_of == NULL) {
        return;
    }
    nnc_buffer_text(out, ".RS\n");
    for (unsigned i = 0; i < (unsigned)names.count; i++) {
        put_term(out, names.of(i), "");
        put_line(out, help_of(i));
    }
    nnc_buffer_text(out, ".RE\n");
}

static void put_options(nnc_buffer *out)
{
    nnc_option_text option;
    bool of_plan = false;
    for (int i = 0; nnc_option_at(~0u, i, &option); i++) {
        if (i == 0) {
            nnc_buffer_text(out, ".SH PLAN OPTIONS\n");
            put_takers(out, NNC_TAKES_PLAN);
            nnc_buffer_text(out, "The values of\n.B compare\nmay be lists, joined by commas.\n");
        } else if (option.of_plan != of_plan) {
            nnc_buffer_text(out, ".SH OPTIONS\nAlways in full.\n");
        }
        of_plan = option.of_plan;
        put_term(out, option.name, option.argument);
        put_line(out, option.help);
        put_values(out, option.values, option.help_of);
        if (!of_plan) {
            put_takers(out, option.takes);
        }
    }
}

/* Calls itself as deep as tables nest. */
static void put_fields(nnc_buffer *out, const nnc_field *fields, size_t count, const char *prefix)
{
    for (size_t i = 0; i < count; i++) {
        const nnc_field *field = &fields[i];
        const bool by_format =
            field->type == NNC_FIELD_OBJECT_BY_DTYPE || field->type == NNC_FIELD_RATES;
        char name[128], unit[64] = "", expected[256];
        snprintf(name, sizeof name, "%s%s%s", prefix, field->name, by_format ? ".FORMAT" : "");
        if (field->fields != NULL) {
            strncat(name, ".", sizeof name - strlen(name) - 1);
            put_fields(out, field->fields, field->field_count, name);
            continue;
        }
        if (field->unit != NULL) {
            snprintf(unit, sizeof unit, " (%s)", field->unit);
        }
        put_term(out, name, unit);
        put_line(out, field->help);
        if (field->type == NNC_FIELD_ENUM) {
            nnc_field_expected(field, expected, sizeof expected);
            nnc_buffer_print(out, "%c", expected[0] - 'a' + 'A');
            put(out, expected + 1);
            nnc_buffer_text(out, ".\n");
        }
        if (field->required) {
            nnc_buffer_text(out, "Required.\n");
        } else if (field->default_text != NULL) {
            nnc_buffer_byte(out, '[');
            put(out, field->default_text);
            nnc_buffer_text(out, "]\n");
        }
        put_values(out, field->names, field->help_of);
    }
}

static void upper_case(const char *text, char *upper, size_t size)
{
    size_t length = 0;
    for (; text[length] != '\0' && length + 1 < size; length++) {
        upper[length] = (char)toupper((unsigned char)text[length]);
    }
    upper[length] = '\0';
}

static void put_kinds(nnc_buffer *out)
{
    static const struct {
        const char *heading;
        const nnc_field_table *table;
    } kinds[] = { { "DEVICE FIELDS", &nnc_device_table },
                  { "SOFTWARE PROFILE FIELDS", &nnc_software_table },
                  { "CLUSTER FIELDS", &nnc_cluster_table } };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        nnc_buffer_print(out, ".SH %s\n", kinds[i].heading);
        put_fields(out, kinds[i].table->fields, kinds[i].table->count, "");
    }
    for (int family = 0; family < NNC_FAMILY_COUNT; family++) {
        const nnc_field_table *table = nnc_model_table((nnc_family)family);
        char heading[32];
        upper_case(nnc_family_name((nnc_family)family), heading, sizeof heading);
        nnc_buffer_print(out, ".SH MODEL FIELDS, FAMILY %s\n", heading);
        put_fields(out, table->fields, table->count, "");
    }
}

static void put_exit_codes(nnc_buffer *out)
{
    char code[16];
    nnc_buffer_text(out, ".SH EXIT STATUS\n");
    put_term(out, "0", "");
    put_line(out, "done");
    put_term(out, "1", "");
    put_line(out, "the answer is no, such as: does not fit");
    int last = 1;
    for (int status = NNC_OK + 1; status < NNC_STATUS_COUNT; status++) {
        const int now = nnc_status_exit_code((nnc_status)status);
        if (now != last) {
            nnc_buffer_text(out, last > 1 ? "\n" : "");
            snprintf(code, sizeof code, "%d", now);
            put_term(out, code, "");
        } else {
            nnc_buffer_text(out, ", ");
        }
        put(out, nnc_status_text((nnc_status)status));
        last = now;
    }
    nnc_buffer_text(
        out,
        "\n.PP\nOn codes 2 to 4 standard output stays empty, and standard error says in one line "
        "where,\nwhat was expected and what was found.\n");
}

static void put_places(nnc_buffer *out)
{
    nnc_buffer_text(out, ".SH ENVIRONMENT\n");
    put_term(out, "NNCOST_PATH", "");
    put_line(out, "Folders with hw, models and software, joined by colons, searched first. Then "
                  "come $XDG_CONFIG_HOME/nncost or ~/.config/nncost, and what was installed with "
                  "the program.");
}

void nnc_docs_man(nnc_buffer *out)
{
    nnc_buffer_text(out, ".\\\" Written by 'nncost docs man'.\n");
    nnc_buffer_print(out, ".TH NNCOST 1 \"\" \"nncost %s\" \"User Commands\"\n", nnc_version());
    nnc_buffer_text(
        out,
        ".SH NAME\nnncost \\- time, memory, bounds and cost of a neural\\-network training step\n"
        ".SH SYNOPSIS\n.B nncost\n.I COMMAND\n.RI [ argument ...] \" \" [ options ]\n.br\n"
        ".B nncost\n.IR COMMAND \" \\-\\-help\"\n.br\n.B nncost \\-\\-version\n"
        ".SH DESCRIPTION\n");
    put_line(out, "nncost estimates one training step from a file that describes the device and a "
                  "file that describes the model, without the device: how long it takes, what "
                  "bounds it, whether it fits and what it costs.");
    nnc_buffer_text(out, ".PP\n");
    put_line(out, "MODEL and DEVICE are ids (\"nncost list models\", \"nncost list devices\") or "
                  "paths of files: anything with a slash or ending in .json. A Hugging Face "
                  "config.json is a model.");
    put_commands(out);
    put_options(out);
    put_places(out);
    put_term(out, "COLUMNS", "");
    put_line(out, "Width of tables [that of the terminal, or 100].");
    put_term(out, "NO_COLOR", "");
    put_line(out, "If set, no colour.");
    put_exit_codes(out);
    nnc_buffer_text(out, ".SH EXAMPLES\n.EX\n");
    put_line(out, "nncost estimate gpt2-xl a100 --micro-batch 8");
    put_line(out, "nncost ops sd1-unet h100 --sort time --top 10");
    put_line(out, "nncost compare llama3-8b a100,h100,b200 --micro-batch 1,2,4");
    put_line(out, "nncost explain attn.qkv gpt2-xl a100");
    put_line(out, "nncost estimate path/to/config.json h100 --set mem_bytes_per_s=4e12");
    nnc_buffer_text(out, ".EE\n.SH SEE ALSO\n.BR nncost\\-files (5)\n");
}

void nnc_docs_man_files(nnc_buffer *out)
{
    nnc_buffer_text(out, ".\\\" Written by 'nncost docs man files'.\n");
    nnc_buffer_print(out, ".TH NNCOST\\-FILES 5 \"\" \"nncost %s\" \"File Formats\"\n",
                     nnc_version());
    nnc_buffer_text(out, ".SH NAME\nnncost\\-files \\- devices, models, software profiles and plan "
                         "files of nncost\n.SH DESCRIPTION\n");
    put_line(out,
             "Devices, models and software profiles are JSON files in the folders hw, models "
             "and software of the places that ENVIRONMENT lists. A field has the same name in "
             "a file, for --set and in the output; dots lead into objects, and FORMAT is a "
             "number format such as bf16. Every file also has schema, id and sources, where "
             "each figure comes from; like names another file, of which all is taken over that "
             "the file does not say. \"nncost docs schema KIND\" prints a JSON Schema, \"nncost "
             "validate FILE\" names every fault, \"nncost show ID\" every value with its "
             "source.");
    nnc_buffer_text(out, ".SH PLAN FILES\n");
    put_line(out,
             "A plan file stands for MODEL and DEVICE in every command. It has schema "
             "nncost.plans/1, common and scenarios; a scenario has an id, model, device, any "
             "plan option with _ for -, set, require and tolerance, and takes over from common "
             "what it does not say. recorded is written by \"nncost check --update\" alone. "
             "\"nncost init\" prints one to begin with.");
    nnc_buffer_text(out, ".SH DEFAULTS FILE\n");
    put_line(out, "$XDG_CONFIG_HOME/nncost/defaults holds options for all commands, one on a line, "
                  "such as --software megatron; --no-defaults leaves them out.");
    put_kinds(out);
    put_places(out);
    nnc_buffer_text(out, ".SH SEE ALSO\n.BR nncost (1)\n");
}
