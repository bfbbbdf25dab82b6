#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/docs.h"
#include "plot/plot.h"

static void write_commands(nnc_buffer *out)
{
    const nnc_command *command = NULL;
    for (int i = 0; (command = nnc_command_at(i)) != NULL; i++) {
        nnc_buffer_print(out, "%s%s", i > 0 ? " " : "", command->name);
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
        nnc_buffer_print(out, "        %s)\n            words='", command->name);
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

/* What stands at each place behind a command, where files do not stand alone. */
static const struct {
    const char *commands, *places[3]; /* NULL: nothing that is known */
} operands[] = {
    { "estimate ops compare run serve sweep search scale report explore init",
      { "models", "devices", NULL } },
    { "plot", { "pictures", "models", "devices" } },
    { "explain", { "names", "models", "devices" } },
    { "show", { "ids", NULL, NULL } },
    { "list", { "kinds", NULL, NULL } },
    { "help", { "commands", NULL, NULL } },
    { "docs", { "documents", "forms", NULL } },
};
enum { OPERANDS = sizeof operands / sizeof operands[0], PLACES = 3 };

/* Options that a word of their own follows. */
static void write_valued(nnc_buffer *out)
{
    nnc_option_text option;
    for (int i = 0; nnc_option_at(~0u, i, &option); i++) {
        if (option.argument[0] == ' ') {
            nnc_buffer_print(out, " %s", option.name);
            nnc_buffer_print(out, option.alias[0] != '\0' ? " %s" : "%s", option.alias);
        }
    }
}

static void write_pictures(nnc_buffer *out)
{
    for (unsigned i = 0; i < NNC_PICTURE_COUNT; i++) {
        nnc_buffer_print(out, "%s%s", i > 0 ? " " : "", nnc_picture_name(i));
    }
}

/* A function that prints the words of a place; of bash, zsh reads it too. */
static void write_words(nnc_buffer *out)
{
    nnc_buffer_text(
        out, "# The words of one kind; of devices, models and profiles ids and aliases.\n"
             "_nncost_words() # kind, the first operand\n"
             "{\n"
             "    local list\n"
             "    case $1 in\n"
             "    models | devices | software)\n"
             "        \"${COMP_WORDS[0]}\" list \"$1\" --format json 2>/dev/null |\n"
             "            sed -n 's/.*\"id\": \"\\([^\"]*\\)\".*\"aliases\": "
             "\"\\([^\"]*\\)\".*/\\1 \\2/p; "
             "t; s/.*\"id\": \"\\([^\"]*\\)\".*/\\1/p' | "
             "tr ',' ' ' ;;\n"
             "    ids)\n"
             "        for list in devices models software; do _nncost_words \"$list\"; done ;;\n"
             "    names)\n"
             "        \"${COMP_WORDS[0]}\" explain --format csv 2>/dev/null | tail -n +2 | "
             "cut -d, -f1 | sed 's/.*\\.//' ;;\n"
             "    kinds)\n        echo 'devices models software' ;;\n"
             "    documents)\n        echo 'man completion options schema' ;;\n"
             "    forms)\n"
             "        case $2 in\n"
             "        man) echo files ;;\n"
             "        completion) echo 'bash zsh fish' ;;\n"
             "        schema) \"${COMP_WORDS[0]}\" docs schema 2>/dev/null | cut -d ' ' -f 1 ;;\n"
             "        esac ;;\n"
             "    pictures)\n        echo '");
    write_pictures(out);
    nnc_buffer_text(out, "' ;;\n    commands)\n        echo '");
    write_commands(out);
    nnc_buffer_text(out, "' ;;\n    esac\n}\n\n");
}

/* The kind of the place, into the variable `kind`. */
static void write_kinds(nnc_buffer *out)
{
    nnc_buffer_text(out, "    case ${COMP_WORDS[1]}:$position in\n");
    for (int i = 0; i < OPERANDS; i++) {
        for (int place = 0; place < PLACES && operands[i].places[place] != NULL; place++) {
            nnc_buffer_text(out, "    ");
            for (const char *c = operands[i].commands; *c != '\0'; c++) {
                if (*c == ' ') {
                    nnc_buffer_print(out, ":%d | ", place);
                } else {
                    nnc_buffer_byte(out, *c);
                }
            }
            nnc_buffer_print(out, ":%d) kind=%s ;;\n", place, operands[i].places[place]);
        }
    }
    nnc_buffer_text(out, "    esac\n");
}

static const char answer[] =
    "    # shellcheck disable=SC2207 # words have no blanks, and zsh has no mapfile\n"
    "    COMPREPLY=($(compgen -P \"$prefix\" -W \"$words\" -- \"${current##*,}\"))\n";

void nnc_docs_completion_bash(nnc_buffer *out)
{
    nnc_buffer_text(out, "# bash completion for nncost, written by 'nncost docs completion'.\n\n");
    write_words(out);
    nnc_buffer_text(
        out, "_nncost()\n"
             "{\n"
             "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
             "    local words='' kind='' prefix='' operand='' position=0 i valued='");
    write_valued(out);
    nnc_buffer_text(out, " '\n"
                         "    COMPREPLY=()\n"
                         "    if ((COMP_CWORD == 1)); then\n"
                         "        words=\"$(_nncost_words commands) help --help --version\"\n"
                         "    fi\n"
                         "    case $before in\n");
    write_values(out);
    nnc_buffer_text(out, "    --software)\n"
                         "        words=$(_nncost_words software) ;;\n"
                         "    esac\n"
                         "    # Which operand it is; -1: the value of an option.\n"
                         "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
                         "        if [[ ${COMP_WORDS[i + 1]} == = ]]; then\n"
                         "            i=$((i + 2))\n"
                         "        elif [[ ${COMP_WORDS[i]} != -* ]]; then\n"
                         "            [[ -n $operand ]] || operand=${COMP_WORDS[i]}\n"
                         "            position=$((position + 1))\n"
                         "        elif [[ $valued == *\" ${COMP_WORDS[i]} \"* ]]; then\n"
                         "            i=$((i + 1))\n"
                         "        fi\n"
                         "    done\n"
                         "    ((i <= COMP_CWORD)) || position=-1\n"
                         "    [[ $current != *,* || $current == -* ]] || prefix=${current%,*},\n"
                         "    if [[ -n $words ]]; then\n");
    nnc_buffer_text(out, answer);
    nnc_buffer_text(out, "        return\n    fi\n");
    write_kinds(out);
    nnc_buffer_text(out, "    if [[ $current != -* ]]; then\n"
                         "        words=$([[ -z $kind ]] || _nncost_words \"$kind\" \"$operand\")\n"
                         "    else\n"
                         "        case ${COMP_WORDS[1]} in\n");
    write_cases(out);
    nnc_buffer_text(out, "        esac\n    fi\n");
    nnc_buffer_text(out, answer);
    nnc_buffer_text(out, "}\n\ncomplete -o default -F _nncost nncost\n");
}

/* zsh reads the completion of bash, which takes the place of this function. */
void nnc_docs_completion_zsh(nnc_buffer *out)
{
    nnc_buffer_text(out, "#compdef nncost\n"
                         "# zsh completion for nncost, written by 'nncost docs completion zsh'.\n"
                         "autoload -U +X bashcompinit && bashcompinit\n"
                         "source <(nncost docs completion bash)\n"
                         "_bash_complete -o default -F _nncost\n");
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
    } else if (strcmp(option->name, "--software") == 0) {
        nnc_buffer_text(out, " -x -a '(__nncost_list software)'");
    } else if (option->argument[0] == ' ') {
        nnc_buffer_text(out, strcmp(option->argument, " FILE") == 0 ? " -r" : " -x");
    }
    snprintf(help, sizeof help, "%.*s", (int)strcspn(option->help, ".;:,[("), option->help);
    nnc_buffer_text(out, " -d ");
    put_quoted(out, help);
    nnc_buffer_byte(out, '\n');
}

/* Is the cursor at the place of an operand of one of these commands? */
static void write_fish_places(nnc_buffer *out)
{
    nnc_buffer_text(
        out, "function __nncost_at --argument-names place\n"
             "    set -l words (commandline -opc)\n"
             "    test (count $words) -gt 1; and contains -- $words[2] $argv[2..-1]; or return 1\n"
             "    set -l position 0\n"
             "    set -l value no\n"
             "    for word in $words[3..-1]\n"
             "        if test $value = yes\n"
             "            set value no\n"
             "        else if not string match -q -- '-*' $word\n"
             "            set position (math $position + 1)\n"
             "        else if contains -- $word");
    write_valued(out);
    nnc_buffer_text(out, "\n"
                         "            set value yes\n"
                         "        end\n"
                         "    end\n"
                         "    test $value = no -a $position = $place\n"
                         "end\n");
    for (int i = 0; i < OPERANDS; i++) {
        for (int place = 0; place < PLACES && operands[i].places[place] != NULL; place++) {
            nnc_buffer_print(out,
                             "complete -c nncost -n '__nncost_at %d %s' -a '(__nncost_list %s)'\n",
                             place, operands[i].commands, operands[i].places[place]);
        }
    }
}

void nnc_docs_completion_fish(nnc_buffer *out)
{
    const nnc_command *command = NULL;
    nnc_option_text option;
    nnc_buffer_text(
        out, "# fish completion for nncost, written by 'nncost docs completion fish'.\n"
             "function __nncost_words\n"
             "    switch $argv[1]\n"
             "        case models devices software\n"
             "            nncost list $argv[1] --format json 2>/dev/null | string match -r -g "
             "'\"(?:id|aliases)\": \"([^\"]*)\"' -a | string split ', '\n"
             "        case ids\n"
             "            for list in devices models software\n"
             "                __nncost_words $list\n"
             "            end\n"
             "        case names\n"
             "            nncost explain --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | "
             "string replace -r '.*\\.' ''\n"
             "        case kinds\n"
             "            string split ' ' 'devices models software'\n"
             "        case documents\n"
             "            string split ' ' 'man completion options schema'\n"
             "        case forms\n"
             "            switch (commandline -opc)[3]\n"
             "                case man\n"
             "                    echo files\n"
             "                case completion\n"
             "                    string split ' ' 'bash zsh fish'\n"
             "                case schema\n"
             "                    nncost docs schema 2>/dev/null | cut -d ' ' -f 1\n"
             "            end\n"
             "        case pictures\n"
             "            string split ' ' '");
    write_pictures(out);
    nnc_buffer_text(out, "'\n        case commands\n            string split ' ' '");
    write_commands(out);
    nnc_buffer_text(out, "'\n    end\nend\n"
                         "# Behind a comma the next word of a list.\n"
                         "function __nncost_list\n"
                         "    set -l before (string match -r '^.*,' -- (commandline -ct))\n"
                         "    for word in (__nncost_words $argv)\n"
                         "        echo \"$before$word\"\n"
                         "    end\n"
                         "end\n");
    write_fish_places(out);
    nnc_buffer_text(
        out,
        "complete -c nncost -n __fish_use_subcommand -x -a help -d 'All options of a command.'\n");
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
