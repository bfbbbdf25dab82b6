#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/docs.h"

static void write_commands(nnc_buffer *out)
{
    const nnc_command *command = NULL;
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        nnc_buffer_print(out, "%s ", command->name);
    }
}

static void write_options(nnc_buffer *out, unsigned takes)
{
    nnc_option_text option;
    for (int i = 0; nnc_option_at(takes, i, &option); i++) {
        nnc_buffer_print(out, "%s%s", i > 0 ? " " : "", option.name);
        if (option.alias[0] != '\0') {
            nnc_buffer_print(out, " %s", option.alias);
        }
    }
}

/* One case for each set of options, with the commands that take it. */
static void write_cases(nnc_buffer *out)
{
    const nnc_command *command = NULL;
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        nnc_buffer_print(out, "    %s)\n        words='", command->name);
        write_options(out, command->takes);
        nnc_buffer_text(out, "' ;;\n");
    }
}

/* Two commands may have an option of this name: do the words of an earlier one stand already? */
static bool stands(const char *name, int before)
{
    nnc_option_text option;
    for (int i = 0; i < before && nnc_option_at(~0u, i, &option); i++) {
        if (option.values.count > 0 && strcmp(option.name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The words that may follow an option, of those that take one from a list. */
static void write_values(nnc_buffer *out)
{
    nnc_option_text option;
    for (int i = 0; nnc_option_at(~0u, i, &option); i++) {
        if (option.values.count == 0 || stands(option.name, i)) {
            continue;
        }
        nnc_buffer_print(out, "    %s)\n        words='", option.name);
        for (int k = 0; k < option.values.count; k++) {
            nnc_buffer_print(out, "%s%s", k > 0 ? " " : "", option.values.of((unsigned)k));
        }
        nnc_buffer_text(out, "' ;;\n");
    }
}

void nnc_docs_completion_bash(nnc_buffer *out)
{
    nnc_buffer_text(
        out,
        "# bash completion for nncost, written by 'nncost docs completion'.\n"
        "\n"
        "# The ids of a list, such as models.\n"
        "_nncost_ids()\n"
        "{\n"
        "    \"${COMP_WORDS[0]}\" list \"$1\" --format csv 2>/dev/null | tail -n +2 | cut -d, -f1\n"
        "}\n"
        "\n"
        "_nncost()\n"
        "{\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
        "words=''\n"
        "    COMPREPLY=()\n"
        "    if ((COMP_CWORD == 1)); then\n"
        "        words='");
    write_commands(out);
    nnc_buffer_text(out, "--help --version'\n"
                         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                         "        return\n"
                         "    fi\n"
                         "    case $before in\n");
    write_values(out);
    nnc_buffer_text(out, "    --software)\n"
                         "        words=$(_nncost_ids software) ;;\n"
                         "    esac\n"
                         "    if [[ -n $words ]]; then\n"
                         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                         "        return\n"
                         "    fi\n"
                         "    case ${COMP_WORDS[1]} in\n");
    write_cases(out);
    nnc_buffer_text(
        out, "    esac\n"
             "    if [[ $current != -* ]]; then\n"
             "        case ${COMP_WORDS[1]} in\n"
             "        list)\n"
             "            words='devices models software' ;;\n"
             "        docs)\n"
             "            words='man completion schema device model software' ;;\n"
             "        validate)\n"
             "            words='' ;;\n"
             "        show)\n"
             "            words=\"$(_nncost_ids devices) $(_nncost_ids models) $(_nncost_ids "
             "software)\" ;;\n"
             "        *)\n"
             "            words=\"$(_nncost_ids models) $(_nncost_ids devices)\" ;;\n"
             "        esac\n"
             "    fi\n"
             "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
             "}\n"
             "\n"
             "complete -o default -F _nncost nncost\n");
}

/* zsh reads the completion of bash. */
void nnc_docs_completion_zsh(nnc_buffer *out)
{
    nnc_buffer_text(out, "#compdef nncost\n"
                         "# zsh completion for nncost, written by 'nncost docs completion zsh'.\n"
                         "autoload -U +X bashcompinit && bashcompinit\n"
                         "source <(nncost docs completion bash)\n");
}

/* In single quotes of fish. */
static void put_quoted(nnc_buffer *out, const char *text)
{
    nnc_buffer_byte(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') {
            nnc_buffer_byte(out, '\\');
        }
        nnc_buffer_byte(out, *text);
    }
    nnc_buffer_byte(out, '\'');
}

static void write_fish_option(nnc_buffer *out, const nnc_option_text *option)
{
    const nnc_command *command = NULL;
    char help[64];
    nnc_buffer_text(out, "complete -c nncost -n '__fish_seen_subcommand_from");
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        if (command->takes & option->takes) {
            nnc_buffer_print(out, " %s", command->name);
        }
    }
    nnc_buffer_print(out, "' -l %s", option->name + 2);
    if (option->values.count > 0) {
        nnc_buffer_text(out, " -x -a '");
        for (int i = 0; i < option->values.count; i++) {
            nnc_buffer_print(out, "%s%s", i > 0 ? " " : "", option->values.of((unsigned)i));
        }
        nnc_buffer_byte(out, '\'');
    } else if (option->argument[0] == ' ') {
        nnc_buffer_text(out, strcmp(option->argument, " FILE") == 0 ? " -r" : " -x");
    }
    snprintf(help, sizeof help, "%.*s", (int)strcspn(option->help, ".;:,[("), option->help);
    nnc_buffer_text(out, " -d ");
    put_quoted(out, help);
    nnc_buffer_byte(out, '\n');
}

void nnc_docs_completion_fish(nnc_buffer *out)
{
    const nnc_command *command = NULL;
    nnc_option_text option;
    nnc_buffer_text(
        out,
        "# fish completion for nncost, written by 'nncost docs completion fish'.\n"
        "function __nncost_ids\n"
        "    nncost list $argv[1] --format csv 2>/dev/null | tail -n +2 | cut -d, -f1\n"
        "end\n"
        "complete -c nncost -n '__fish_seen_subcommand_from estimate ops compare run sweep search "
        "explain plot report show' -a '(__nncost_ids models) (__nncost_ids devices)'\n"
        "complete -c nncost -n '__fish_seen_subcommand_from list' -x -a 'devices models "
        "software'\n");
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        nnc_buffer_print(out, "complete -c nncost -n __fish_use_subcommand -x -a %s -d ",
                         command->name);
        put_quoted(out, command->summary);
        nnc_buffer_byte(out, '\n');
    }
    for (int i = 0; nnc_option_at(~0u, i, &option); i++) {
        write_fish_option(out, &option);
    }
}
