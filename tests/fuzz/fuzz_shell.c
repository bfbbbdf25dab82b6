/* Fuzzes the reader of shell scripts, which writes the options of a launch command as JSON. The reader must write one
 * JSON value for any text, or refuse the text because of a size limit or a repeated key. */
#include <stdlib.h>
#include <string.h>

#include "launch/launch_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *json) {
    nnc_json_scan_fault fault;
    if (!nnc_json_scan(json, strlen(json), NNC_SCAN_VALUES_RECORDED, &fault)) { abort(); }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_arena *arena = nnc_arena_create();
    char *text = malloc(size + 1);
    nnc_shell_script script = { .commands = NULL };
    nnc_error err;
    if (arena != NULL && text != NULL) {
        memcpy(text, data, size);
        text[size] = '\0';
        if (nnc_shell_read("fuzz", text, arena, &script, &err) == NNC_OK) {
            for (int i = 0; i < script.count; i++) {
                check(script.commands[i].options);
                check(script.commands[i].launcher_options);
            }
        }
    }
    free(text);
    nnc_arena_destroy(arena);
    return 0;
}
