/* Fuzzes the parsers of command lines and of the user's defaults file. The first line of the input names a command, and
 * each further line is one word of the command line. The text of the defaults file follows after an empty line. The
 * command is parsed, but does not run. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "as_file.h"
#include "cli/cli_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const nnc_command *const commands[] = {
    &nnc_cmd_estimate, &nnc_cmd_ops,   &nnc_cmd_search,    &nnc_cmd_sweep, &nnc_cmd_serve,  &nnc_cmd_run,
    &nnc_cmd_budget,   &nnc_cmd_check, &nnc_cmd_calibrate, &nnc_cmd_plot,  &nnc_cmd_report, &nnc_cmd_merge,
};
enum { COMMANDS = sizeof commands / sizeof commands[0], WORDS_MAX = 200 };

const nnc_command *nnc_command_at(int index) { return index < COMMANDS ? commands[index] : NULL; }

nnc_status nnc_command_call(int argc, char **argv, nnc_buffer *out, nnc_error *err) {
    (void)argc, (void)argv, (void)out;
    *err = (nnc_error){ .status = NNC_BAD_USAGE };
    return NNC_BAD_USAGE;
}

/* Writes the defaults file of this process ($XDG_CONFIG_HOME/nncost/defaults); the file is empty if the input has no
 * text for it. */
static void write_defaults(const char *text) {
    static char path[FUZZ_PATH + 32]; /* kept for the whole process */
    if (path[0] == '\0') {
        char folder[FUZZ_PATH];
        fuzz_folder(folder);
        setenv("XDG_CONFIG_HOME", folder, 1);
        snprintf(path, sizeof path, "%s/nncost", folder);
        if (mkdir(path, 0700) != 0) { abort(); }
        strcat(path, "/defaults"); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy) */
    }
    fuzz_write(path, (const uint8_t *)text, strlen(text));
}

/* Splits text into lines and writes them to argv. Returns the number of lines. */
static int split(char *text, char **argv) {
    int argc = 0;
    for (char *at = text; argc < WORDS_MAX && *at != '\0';) {
        char *end = at + strcspn(at, "\n");
        argv[argc++] = at;
        at = *end == '\0' ? end : end + 1;
        *end = '\0';
    }
    argv[argc] = NULL;
    return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    char *argv[WORDS_MAX + 1];
    nnc_options *options = malloc(sizeof *options);
    nnc_error err = { .status = NNC_OK };
    if (text == NULL || options == NULL || size == 0) {
        free(text);
        free(options);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    char *file = strstr(text, "\n\n");
    write_defaults(file != NULL ? file + 2 : "");
    if (file != NULL) { *file = '\0'; }
    const nnc_command *command = commands[(unsigned char)text[0] % COMMANDS];
    for (int i = 0; i < COMMANDS; i++) {
        const size_t length = strlen(commands[i]->name);
        const bool named = strncmp(commands[i]->name, text, length) == 0;
        command = named && (text[length] == '\n' || text[length] == '\0') ? commands[i] : command;
    }
    char name[32];
    snprintf(name, sizeof name, "%s", command->name);
    const int argc = split(text, argv);
    if (argc > 0) { argv[0] = name; } /* as in a command line: the first word is the name of the command */
    const nnc_status status = argc > 0 ? nnc_options_parse(argc, argv, command, options, &err) : NNC_BAD_USAGE;
    if (argc > 0 && status != NNC_OK && (err.where[0] == '\0' || err.what[0] == '\0')) { abort(); }
    if (argc > 0 && options->operand_count >= argc) { abort(); }
    if (argc > 0) { nnc_options_free(options); }
    free(options);
    free(text);
    return 0;
}
