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

/* The words that may follow an option, of those that take one from a list. */
static void write_values(nnc_buffer *out)
{
    nnc_option_text option;
    for (int i = 0; nnc_option_at(~0u, i, &option); i++) {
        if (option.values.count == 0) {
            continue;
        }
        nnc_buffer_print(out, "    %s)\n        words='", option.name);
        for (int k = 0; k < option.values.count; k++) {
            nnc_buffer_print(out, "%s%s", k > 0 ? " " : "", option.values.of((unsigned)k));
        }
        nnc_buffer_text(out, "' ;;\n");
    }
}

void nnc_docs_completion(nnc_buffer *out)
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
