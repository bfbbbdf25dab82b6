/* Fuzzes the messages of 'nncost mcp', and the command lines that nncost makes from these messages. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Replaces the commands of nncost. Checks the words of a command line: first options, then "--", then at most two
 * operands. No option may read or write a pipe. */
nnc_status nnc_command_call(int argc, char **argv, nnc_buffer *out, nnc_error *err) {
    int i = 1;
    if (argc < 5 || argv[argc] != NULL || strcmp(argv[0], "nncost") != 0 || argv[1][0] == '-') { abort(); }
    while (strcmp(argv[++i], "--") != 0) {
        const char *value = strchr(argv[i], '=');
        if (strncmp(argv[i], "--", 2) != 0 || (value != NULL && strcmp(value, "=-") == 0)) { abort(); }
    }
    if (argc - i > 3 || argc - i < 2) { abort(); }
    nnc_buffer_text(out, argv[argc - 1]);
    *err = (nnc_error){ .status = NNC_OK };
    return NNC_OK;
}

const nnc_command *nnc_command_at(int index) {
    (void)index;
    return NULL;
}

/* Aborts if an answer is not one line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_buffer out = { 0 };
    nnc_error err;
    char *line = malloc(size + 1);
    if (line != NULL) {
        memcpy(line, data, size);
        line[size] = '\0';
        if (nnc_mcp_answer(line, size, &out, &err) == NNC_OK && out.size > 0 &&
            memchr(out.bytes, '\n', out.size) != out.bytes + out.size - 1) {
            abort();
        }
    }
    nnc_buffer_free(&out);
    free(line);
    return 0;
}
